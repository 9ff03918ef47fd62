//! Maps for Z3: a map is a number, and functions beside the datatype say what is in it.
//!
//! ```text
//! has:   Map × Term → Bool      get:    Map × Term → Term     size: Map → Int
//! key:   Map × Int → Term       place:  Map × Term → Int      (each the other's inverse on the keys that a map has)
//! put:   Map × Term × Term → Map          remove: Map × Term → Map
//! rank:  Map → Int              (greater than that of each map inside, so that no map contains itself)
//! other: Map × Map → Term       (a key by which two maps of one size differ)
//! name:  Int → Real             (where an atom stands in the order of names)
//! kind:  Term → Int             (where the type of a term stands in the order of types)
//! order: Term × Term → Bool     (the order of keys, as far as it is not said)
//! ```
//!
//! What holds of these functions is said for the maps and keys that conditions speak of, with the first condition that does ([`super::facts`]). No
//! quantifier is needed, because a model is only read at these places: a map has the keys that were asked for and that it has, and
//! more of them if its size was asked for. Two numbers may stand for maps that are the same, unless some condition compares them.
//!
//! Not modelled: the order of keys that are tuples, lists, bitstrings, maps or funs. A model in which it is wrong is refused, and that
//! order said (see [`super::decode`]).

use rustc_hash::FxHashSet;
use z3::ast::{Ast, Bool, Datatype, Int, Real};
use z3::{FuncDecl, Sort};

use super::EncodeError;
use super::encode::{Encoder, Node};
use super::sorts::{Shape, Sorts};
use crate::sym::{Arena, Expr, MapExpr, Sort as SymSort, SymId, Tags};
use crate::term::foreign::compare_names;
use crate::term::map::{self, Map};
use crate::term::{AtomId, Heap, Packed, Value, View};

type Result<T> = std::result::Result<T, EncodeError>;

/// The number of the empty map: there is only one.
pub(super) const EMPTY: i64 = -1;

/// The most keys of a constant map that is told to Z3.
const TOLD: usize = 64;

/// The most keys of one map whose number is compared with its size outright. More of them are told apart by their places only.
const COUNTED: usize = 16;

pub(super) struct Functions {
    has: FuncDecl,
    get: FuncDecl,
    size: FuncDecl,
    key: FuncDecl,
    place: FuncDecl,
    put: FuncDecl,
    remove: FuncDecl,
    rank: FuncDecl,
    other: FuncDecl,
    name: FuncDecl,
    kind: FuncDecl,
    order: FuncDecl,
}

impl Functions {
    pub(super) fn new(term: &Sort) -> Self {
        let (int, bool, real) = (Sort::int(), Sort::bool(), Sort::real());
        Functions {
            has: FuncDecl::new("has", &[&int, term], &bool),
            get: FuncDecl::new("get", &[&int, term], term),
            size: FuncDecl::new("size", &[&int], &int),
            key: FuncDecl::new("key", &[&int, &int], term),
            place: FuncDecl::new("place", &[&int, term], &int),
            put: FuncDecl::new("put", &[&int, term, term], &int),
            remove: FuncDecl::new("remove", &[&int, term], &int),
            rank: FuncDecl::new("rank", &[&int], &int),
            other: FuncDecl::new("other", &[&int, &int], term),
            name: FuncDecl::new("name", &[&int], &real),
            kind: FuncDecl::new("kind", &[term], &int),
            order: FuncDecl::new("order", &[term, term], &bool),
        }
    }

    pub(super) fn has(&self, map: &Int, key: &Datatype) -> Result<Bool> {
        self.has.apply(&[map, key]).as_bool().ok_or(EncodeError::Datatype)
    }

    pub(super) fn get(&self, map: &Int, key: &Datatype) -> Result<Datatype> {
        self.get.apply(&[map, key]).as_datatype().ok_or(EncodeError::Datatype)
    }

    pub(super) fn size(&self, map: &Int) -> Result<Int> {
        int(&self.size, &[map])
    }

    fn key(&self, map: &Int, place: &Int) -> Result<Datatype> {
        self.key.apply(&[map, place]).as_datatype().ok_or(EncodeError::Datatype)
    }

    fn place(&self, map: &Int, key: &Datatype) -> Result<Int> {
        int(&self.place, &[map, key])
    }

    fn rank(&self, map: &Int) -> Result<Int> {
        int(&self.rank, &[map])
    }

    fn other(&self, a: &Int, b: &Int) -> Result<Datatype> {
        self.other.apply(&[a, b]).as_datatype().ok_or(EncodeError::Datatype)
    }

    pub(super) fn name(&self, atom: &Int) -> Result<Real> {
        self.name.apply(&[atom]).as_real().ok_or(EncodeError::Datatype)
    }

    fn kind(&self, term: &Datatype) -> Result<Int> {
        int(&self.kind, &[term])
    }

    fn order(&self, a: &Datatype, b: &Datatype) -> Result<Bool> {
        self.order.apply(&[a, b]).as_bool().ok_or(EncodeError::Datatype)
    }
}

fn int(function: &FuncDecl, args: &[&dyn Ast]) -> Result<Int> {
    function.apply(args).as_int().ok_or(EncodeError::Datatype)
}

/// The number of a map.
fn number(sorts: &Sorts, map: &Datatype) -> Result<Int> {
    sorts.id(Shape::Map, map)
}

/// The types in the order of terms.
const ORDER: [Shape; 12] = [
    Shape::Int,
    Shape::Float,
    Shape::Atom,
    Shape::Reference,
    Shape::Fun,
    Shape::Port,
    Shape::Pid,
    Shape::Tuple,
    Shape::Map,
    Shape::Nil,
    Shape::Cons,
    Shape::Bits,
];

/// Where the type of a term stands among all types.
fn type_place(sorts: &Sorts, term: &Datatype) -> Result<Int> {
    let mut place = Int::from_u64(ORDER.len() as u64 - 1);
    for (number, shape) in ORDER.into_iter().enumerate().rev().skip(1) {
        place = sorts.is(shape, term)?.ite(&Int::from_u64(number as u64), &place);
    }
    Ok(place)
}

/// Whether one term stands before another in the order of keys. The places of their types are said apart.
pub(super) fn before(sorts: &Sorts, functions: &Functions, a: &Datatype, b: &Datatype) -> Result<Bool> {
    let (x, y) = (functions.kind(a)?, functions.kind(b)?);
    let names = [functions.name(&sorts.id(Shape::Atom, a)?)?, functions.name(&sorts.id(Shape::Atom, b)?)?];
    let [name, other_name] = names;
    let of_one_type = Bool::or(&[
        Bool::and(&[x.eq(0), sorts.integer(a)?.lt(sorts.integer(b)?)]),
        Bool::and(&[x.eq(1), sorts.number(a)?.lt(sorts.number(b)?)]),
        Bool::and(&[x.eq(2), name.lt(&other_name)]),
        Bool::and(&[x.gt(2), functions.order(a, b)?, a.eq(b).not()]),
    ]);
    Ok(Bool::or(&[x.lt(&y), Bool::and(&[x.eq(&y), of_one_type])]))
}

impl Encoder {
    pub(super) fn map_node(&self, expr: &MapExpr) -> Result<Node> {
        let functions = &self.functions;
        match expr {
            MapExpr::Has(map, key) => functions.has(&self.map(*map)?, self.term(*key)?).map(Node::Bool),
            MapExpr::Get(map, key) => functions.get(&self.map(*map)?, self.term(*key)?).map(Node::Term),
            MapExpr::Size(map) => functions.size(&self.map(*map)?).map(Node::Int),
            MapExpr::Key(map, place) => {
                functions.key(&self.map(*map)?, &Int::from_u64(u64::from(*place))).map(Node::Term)
            }
            MapExpr::Shown(map, size) => Ok(Node::Bool(functions.size(&self.map(*map)?)?.eq(u64::from(*size)))),
            MapExpr::Put(map, [key, value]) => {
                let id = int(&functions.put, &[&self.map(*map)?, self.term(*key)?, self.term(*value)?])?;
                self.sorts.make(Shape::Map, &[&id]).map(Node::Term)
            }
            MapExpr::Remove(map, key) => {
                let id = int(&functions.remove, &[&self.map(*map)?, self.term(*key)?])?;
                self.sorts.make(Shape::Map, &[&id]).map(Node::Term)
            }
            MapExpr::Count(condition) => {
                Ok(Node::Int(self.bool(*condition)?.ite(&Int::from_u64(1), &Int::from_u64(0))))
            }
            MapExpr::Before(a, b) => before(&self.sorts, functions, self.term(*a)?, self.term(*b)?).map(Node::Bool),
        }
    }

    /// The number of a map, by its expression.
    fn map(&self, id: SymId) -> Result<Int> {
        number(&self.sorts, self.term(id)?)
    }
}

/// A key that some condition asks a map for.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) map: Int,
    pub(super) key: Datatype,
}

/// A map made by a change of another.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Changed {
    result: Int,
    map: Int,
    key: Datatype,
}

/// Two terms of which it matters which one stands before the other, if the condition holds.
#[derive(Clone)]
pub(super) struct Ordered {
    pub(super) matters: Bool,
    pub(super) a: Datatype,
    pub(super) b: Datatype,
}

/// A list without doubles that can be cut off again.
struct Trail<T> {
    items: Vec<T>,
    known: FxHashSet<T>,
}

impl<T> Default for Trail<T> {
    fn default() -> Self {
        Trail { items: Vec::new(), known: FxHashSet::default() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Trail<T> {
    /// True if it is new.
    fn add(&mut self, item: T) -> bool {
        let new = self.known.insert(item.clone());
        if new {
            self.items.push(item);
        }
        new
    }

    fn cut(&mut self, length: usize) {
        for item in self.items.drain(length.min(self.items.len())..) {
            self.known.remove(&item);
        }
    }
}

/// What is asserted about maps.
#[derive(Default)]
pub(super) struct MapFacts {
    asked: Trail<Asked>,
    /// Those of them that are the key at some place.
    placed: Trail<Asked>,
    /// Terms of which the type matters for the order.
    kinds: Trail<Datatype>,
    changed: Trail<Changed>,
    /// Maps whose size is asked for.
    sized: Trail<Int>,
    /// Terms that are asked whether they are a map, or for something in it.
    maps: Trail<Datatype>,
    /// Terms that are compared with each other.
    compared: Trail<(Datatype, Datatype)>,
    /// Those of them that differ as maps do.
    told_apart: Trail<(Datatype, Datatype)>,
    constants: Trail<i64>,
    atoms: Trail<AtomId>,
    ordered: Vec<Ordered>,
}

/// How much there was of each when a scope was opened.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark([usize; 11]);

impl MapFacts {
    pub(super) fn mark(&self) -> Mark {
        Mark([
            self.asked.items.len(),
            self.placed.items.len(),
            self.kinds.items.len(),
            self.changed.items.len(),
            self.sized.items.len(),
            self.maps.items.len(),
            self.compared.items.len(),
            self.told_apart.items.len(),
            self.constants.items.len(),
            self.atoms.items.len(),
            self.ordered.len(),
        ])
    }

    pub(super) fn undo(&mut self, mark: Mark) {
        let Mark([asked, placed, kinds, changed, sized, maps, compared, told_apart, constants, atoms, ordered]) = mark;
        self.asked.cut(asked);
        self.placed.cut(placed);
        self.kinds.cut(kinds);
        self.changed.cut(changed);
        self.sized.cut(sized);
        self.maps.cut(maps);
        self.compared.cut(compared);
        self.told_apart.cut(told_apart);
        self.constants.cut(constants);
        self.atoms.cut(atoms);
        self.ordered.truncate(ordered);
    }

    pub(super) fn asked(&self) -> &[Asked] {
        &self.asked.items
    }

    /// The keys at places of maps that are looked at as a whole.
    pub(super) fn placed(&self) -> &[Asked] {
        &self.placed.items
    }

    pub(super) fn sized(&self) -> &[Int] {
        &self.sized.items
    }

    pub(super) fn ordered(&self) -> &[Ordered] {
        &self.ordered
    }

    /// The atoms that occur, if it matters how they are ordered.
    pub(super) fn ordered_atoms(&self) -> &[AtomId] {
        if self.ordered.is_empty() { &[] } else { &self.atoms.items }
    }

    /// Whether the constant map of this number is told to Z3: only then does the number mean it.
    pub(super) fn is_told(&self, number: i64) -> bool {
        self.constants.known.contains(&number)
    }

    /// What is to be asserted about one expression whose parts have been dealt with.
    pub(super) fn of_one(
        &mut self,
        encoder: &mut Encoder,
        arena: &Arena,
        id: SymId,
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        let mut says = Says { facts: self, axioms };
        match arena.get(id) {
            Expr::Map(map) => says.map(encoder, map, id)?,
            Expr::Opaque(opaque, Tags::MAP) => {
                if let Some(term) = arena.opaque(*opaque) {
                    says.constant(encoder, term)?;
                }
            }
            Expr::Atom(atom) => says.atom(encoder, *atom)?,
            Expr::Is(term, Tags::MAP) => says.is_map(encoder, encoder.term(*term)?.clone())?,
            Expr::Eq(a, b) if may_be_maps(arena, *a, *b) => {
                says.compared(encoder, encoder.term(*a)?.clone(), encoder.term(*b)?.clone())?;
            }
            _ => {}
        }
        says.inside(encoder, arena, id)
    }
}

fn may_be_maps(arena: &Arena, a: SymId, b: SymId) -> bool {
    let may_be = |id| arena.sort(id) == SymSort::Term && arena.tags(id).meets(Tags::MAP);
    may_be(a) && may_be(b)
}

/// The map that a place is in, if it is in one: the innermost.
fn enclosing(arena: &Arena, id: SymId) -> Option<SymId> {
    let mut place = id;
    loop {
        match arena.get(place) {
            Expr::Map(MapExpr::Get(map, _) | MapExpr::Key(map, _)) => return Some(*map),
            Expr::Head(part) | Expr::Tail(part) | Expr::Element(part, _) => place = *part,
            _ => return None,
        }
    }
}

/// Facts under way.
struct Says<'a> {
    facts: &'a mut MapFacts,
    axioms: &'a mut Vec<Bool>,
}

impl Says<'_> {
    fn map(&mut self, encoder: &Encoder, expr: &MapExpr, id: SymId) -> Result<()> {
        match expr {
            MapExpr::Has(map, key) | MapExpr::Get(map, key) => {
                self.is_map(encoder, encoder.term(*map)?.clone())?;
                self.ask(encoder, encoder.map(*map)?, encoder.term(*key)?.clone())
            }
            MapExpr::Size(map) => {
                self.is_map(encoder, encoder.term(*map)?.clone())?;
                self.size(encoder, encoder.map(*map)?)
            }
            MapExpr::Key(map, place) => {
                self.is_map(encoder, encoder.term(*map)?.clone())?;
                self.key(encoder, encoder.map(*map)?, *place)
            }
            MapExpr::Shown(map, size) => {
                let term = encoder.term(*map)?.clone();
                self.is_map(encoder, term)?;
                let map = encoder.map(*map)?;
                (0..*size).try_for_each(|place| self.key(encoder, map.clone(), place))
            }
            MapExpr::Put(map, [key, value]) => {
                let (result, map) = (encoder.map(id)?, encoder.map(*map)?);
                let (key, value) = (encoder.term(*key)?.clone(), encoder.term(*value)?.clone());
                self.put(encoder, Changed { result, map, key }, &value)
            }
            MapExpr::Remove(map, key) => {
                let (result, map) = (encoder.map(id)?, encoder.map(*map)?);
                self.remove(encoder, Changed { result, map, key: encoder.term(*key)?.clone() })
            }
            MapExpr::Count(_) => Ok(()),
            MapExpr::Before(a, b) => {
                let (a, b) = (encoder.term(*a)?.clone(), encoder.term(*b)?.clone());
                self.order(encoder, Ordered { matters: Bool::from_bool(true), a, b })
            }
        }
    }

    /// A map that has a key has a place for it. One map after the other: each key is asked of all maps made of others.
    fn ask(&mut self, encoder: &Encoder, map: Int, key: Datatype) -> Result<()> {
        let functions = &encoder.functions;
        let mut rest = vec![Asked { map, key }];
        while let Some(asked) = rest.pop() {
            if !self.facts.asked.add(asked.clone()) {
                continue;
            }
            let Asked { map, key } = &asked;
            let (has, place) = (functions.has(map, key)?, functions.place(map, key)?);
            if !self.facts.placed.known.contains(&asked) {
                let there =
                    Bool::and(&[place.ge(0), place.lt(functions.size(map)?), functions.key(map, &place)?.eq(key)]);
                self.axioms.push(has.implies(&there));
            }
            let is_map = encoder.sorts.is(Shape::Map, key)?;
            let deeper = functions.rank(&number(&encoder.sorts, key)?)?.lt(functions.rank(map)?);
            self.axioms.push(Bool::and(&[has, is_map]).implies(&deeper));
            self.count(encoder, map)?;
            for changed in self.facts.changed.items.clone() {
                self.other_key(encoder, &changed, key)?;
                let key = key.clone();
                rest.extend([Asked { map: changed.map, key: key.clone() }, Asked { map: changed.result, key }]);
            }
        }
        Ok(())
    }

    /// A map whose size is asked for has at least the keys that were asked for and that it has. This follows from their places, but hard to see.
    fn count(&mut self, encoder: &Encoder, map: &Int) -> Result<()> {
        if !self.facts.sized.known.contains(map) {
            return Ok(());
        }
        let is_counted = |asked: &&Asked| asked.map == *map && !self.facts.placed.known.contains(*asked);
        let asked: Vec<&Asked> = self.facts.asked.items.iter().filter(is_counted).collect();
        if asked.len() < 2 || asked.len() > COUNTED {
            return Ok(());
        }
        let mut counted = Vec::new();
        for (index, Asked { key, .. }) in asked.iter().enumerate() {
            let mut new = vec![encoder.functions.has(map, key)?];
            new.extend(asked.iter().take(index).map(|other| other.key.eq(key).not()));
            counted.push(Bool::and(&new).ite(&Int::from_u64(1), &Int::from_u64(0)));
        }
        self.axioms.push(encoder.functions.size(map)?.ge(Int::add(&counted)));
        Ok(())
    }

    fn size(&mut self, encoder: &Encoder, map: Int) -> Result<()> {
        if self.facts.sized.add(map.clone()) {
            let size = encoder.functions.size(&map)?;
            self.axioms.push(size.ge(0));
            self.axioms.push(size.eq(0).iff(&map.eq(EMPTY)));
            self.count(encoder, &map)?;
        }
        Ok(())
    }

    /// The key at a place that the map has, after the one before it.
    fn key(&mut self, encoder: &Encoder, map: Int, place: u32) -> Result<()> {
        let functions = &encoder.functions;
        let at = Int::from_u64(u64::from(place));
        let key = functions.key(&map, &at)?;
        if !self.facts.placed.add(Asked { map: map.clone(), key: key.clone() }) {
            return Ok(());
        }
        self.size(encoder, map.clone())?;
        let inside = functions.size(&map)?.gt(&at);
        let there = Bool::and(&[functions.has(&map, &key)?, functions.place(&map, &key)?.eq(&at)]);
        self.axioms.push(inside.implies(&there));
        self.ask(encoder, map.clone(), key.clone())?;
        if let Some(last) = place.checked_sub(1) {
            self.key(encoder, map.clone(), last)?;
            let last = functions.key(&map, &Int::from_u64(u64::from(last)))?;
            let before = before(&encoder.sorts, functions, &last, &key)?;
            self.axioms.push(inside.implies(&before));
            self.order(encoder, Ordered { matters: inside, a: last, b: key })?;
        }
        Ok(())
    }

    /// From now on the order of atoms matters.
    fn order(&mut self, encoder: &Encoder, ordered: Ordered) -> Result<()> {
        for term in [&ordered.a, &ordered.b] {
            if self.facts.kinds.add(term.clone()) {
                self.axioms.push(encoder.functions.kind(term)?.eq(type_place(&encoder.sorts, term)?));
            }
        }
        let first = self.facts.ordered.is_empty();
        self.facts.ordered.push(ordered);
        if !first {
            return Ok(());
        }
        for atom in [AtomId::TRUE, AtomId::FALSE] {
            self.facts.atoms.add(atom);
        }
        let mut atoms = self.facts.atoms.items.clone();
        atoms.sort_by(|a, b| compare_names(*a, *b));
        for (a, b) in atoms.iter().zip(atoms.iter().skip(1)) {
            self.named_before(encoder, *a, *b)?;
        }
        Ok(())
    }

    fn named_before(&mut self, encoder: &Encoder, a: AtomId, b: AtomId) -> Result<()> {
        let name = |atom: AtomId| encoder.functions.name(&Int::from_u64(u64::from(atom.number())));
        self.axioms.push(name(a)?.lt(&name(b)?));
        Ok(())
    }

    /// An atom that occurs.
    fn atom(&mut self, encoder: &Encoder, atom: AtomId) -> Result<()> {
        if !self.facts.atoms.add(atom) || self.facts.ordered.is_empty() {
            return Ok(());
        }
        let others = || self.facts.atoms.items.iter().copied();
        let last = others().filter(|other| compare_names(*other, atom).is_lt()).max_by(|a, b| compare_names(*a, *b));
        let next = others().filter(|other| compare_names(*other, atom).is_gt()).min_by(|a, b| compare_names(*a, *b));
        if let Some(last) = last {
            self.named_before(encoder, last, atom)?;
        }
        if let Some(next) = next {
            self.named_before(encoder, atom, next)?;
        }
        Ok(())
    }

    fn put(&mut self, encoder: &Encoder, changed: Changed, value: &Datatype) -> Result<()> {
        if !self.facts.changed.add(changed.clone()) {
            return Ok(());
        }
        let functions = &encoder.functions;
        let Changed { result, map, key } = &changed;
        self.axioms.push(functions.has(result, key)?);
        self.axioms.push(functions.get(result, key)?.eq(value));
        let deeper = functions.rank(&number(&encoder.sorts, value)?)?.lt(functions.rank(result)?);
        self.axioms.push(encoder.sorts.is(Shape::Map, value)?.implies(&deeper));
        let more = functions.has(map, key)?.ite(&Int::from_u64(0), &Int::from_u64(1));
        let size = Int::add(&[functions.size(map)?, more]);
        self.changed(encoder, &changed, &size)
    }

    fn remove(&mut self, encoder: &Encoder, changed: Changed) -> Result<()> {
        if !self.facts.changed.add(changed.clone()) {
            return Ok(());
        }
        let functions = &encoder.functions;
        let Changed { result, map, key } = &changed;
        self.axioms.push(functions.has(result, key)?.not());
        let less = functions.has(map, key)?.ite(&Int::from_u64(1), &Int::from_u64(0));
        let size = Int::sub(&[functions.size(map)?, less]);
        self.changed(encoder, &changed, &size)
    }

    fn changed(&mut self, encoder: &Encoder, changed: &Changed, size: &Int) -> Result<()> {
        self.axioms.push(encoder.functions.size(&changed.result)?.eq(size));
        self.size(encoder, changed.result.clone())?;
        self.size(encoder, changed.map.clone())?;
        let mut keys: Vec<Datatype> = Vec::new();
        for asked in &self.facts.asked.items {
            if !keys.contains(&asked.key) {
                keys.push(asked.key.clone());
            }
        }
        for key in keys {
            self.other_key(encoder, changed, &key)?;
            self.ask(encoder, changed.map.clone(), key.clone())?;
            self.ask(encoder, changed.result.clone(), key)?;
        }
        self.ask(encoder, changed.map.clone(), changed.key.clone())?;
        self.ask(encoder, changed.result.clone(), changed.key.clone())
    }

    /// A change is of one key only.
    fn other_key(&mut self, encoder: &Encoder, changed: &Changed, key: &Datatype) -> Result<()> {
        let functions = &encoder.functions;
        let Changed { result, map, key: own } = changed;
        let same = Bool::and(&[
            functions.has(result, key)?.iff(functions.has(map, key)?),
            functions.get(result, key)?.eq(functions.get(map, key)?),
        ]);
        self.axioms.push(Bool::or(&[own.eq(key), same]));
        Ok(())
    }

    /// A term that is asked whether it is a map: comparisons with it matter now.
    fn is_map(&mut self, encoder: &Encoder, term: Datatype) -> Result<()> {
        if self.facts.maps.add(term.clone()) {
            for (a, b) in self.facts.compared.items.clone() {
                if a == term || b == term {
                    self.tell_apart(encoder, a, b)?;
                }
            }
        }
        Ok(())
    }

    fn compared(&mut self, encoder: &Encoder, a: Datatype, b: Datatype) -> Result<()> {
        let maps = &self.facts.maps.known;
        let matters = maps.contains(&a) || maps.contains(&b) || is_change(encoder, &a) || is_change(encoder, &b);
        self.facts.compared.add((a.clone(), b.clone()));
        if matters { self.tell_apart(encoder, a, b) } else { Ok(()) }
    }

    /// Maps that are not equal differ in size, or by a key, or in what they have for one.
    fn tell_apart(&mut self, encoder: &Encoder, a: Datatype, b: Datatype) -> Result<()> {
        if !self.facts.told_apart.add((a.clone(), b.clone())) {
            return Ok(());
        }
        let (sorts, functions) = (&encoder.sorts, &encoder.functions);
        let (m, n) = (number(sorts, &a)?, number(sorts, &b)?);
        let key = functions.other(&m, &n)?;
        let (in_a, in_b) = (functions.has(&m, &key)?, functions.has(&n, &key)?);
        let values = functions.get(&m, &key)?.eq(functions.get(&n, &key)?);
        let differ = Bool::or(&[
            functions.size(&m)?.eq(functions.size(&n)?).not(),
            in_a.iff(&in_b).not(),
            Bool::and(&[in_a, values.not()]),
        ]);
        let same = a.eq(&b);
        self.axioms.push(Bool::or(&[same, sorts.is(Shape::Map, &a)?.not(), sorts.is(Shape::Map, &b)?.not(), differ]));
        self.size(encoder, m.clone())?;
        self.size(encoder, n.clone())?;
        self.ask(encoder, m, key.clone())?;
        self.ask(encoder, n, key)
    }

    /// A map in a map is another one.
    fn inside(&mut self, encoder: &Encoder, arena: &Arena, id: SymId) -> Result<()> {
        let Some(map) = enclosing(arena, id) else { return Ok(()) };
        let term = encoder.term(id)?;
        let deeper =
            encoder.functions.rank(&number(&encoder.sorts, term)?)?.lt(encoder.functions.rank(&encoder.map(map)?)?);
        self.axioms.push(encoder.sorts.is(Shape::Map, term)?.implies(&deeper));
        Ok(())
    }

    /// What is in a constant map, and in the maps in it.
    fn constant(&mut self, encoder: &mut Encoder, term: &Packed) -> Result<()> {
        let (heap, root) = term.open();
        let mut rest = vec![root];
        while let Some(value) = rest.pop() {
            let Some(map) = Map::of(&heap, value) else { continue };
            let number = encoder.map_number(&Packed::pack(&heap, value));
            if !self.facts.constants.add(number) {
                continue;
            }
            let id = Int::from_i64(number);
            self.axioms.push(encoder.functions.size(&id)?.eq(map.size as u64));
            self.size(encoder, id.clone())?;
            if map.size > TOLD {
                continue;
            }
            for (key, value) in map::pairs(&heap, map) {
                let (key_term, value_term) = (self.value(encoder, &heap, key)?, self.value(encoder, &heap, value)?);
                self.axioms.push(encoder.functions.has(&id, &key_term)?);
                self.axioms.push(encoder.functions.get(&id, &key_term)?.eq(&value_term));
                self.ask(encoder, id.clone(), key_term)?;
                rest.extend([key, value]);
            }
        }
        Ok(())
    }

    /// A value in a constant map.
    fn value(&mut self, encoder: &mut Encoder, heap: &Heap, value: Value) -> Result<Datatype> {
        if let View::Atom(atom) = heap.view(value) {
            self.atom(encoder, atom)?;
        }
        encoder.constant(heap, value)
    }
}

/// Whether a term is a map made of another.
fn is_change(encoder: &Encoder, term: &Datatype) -> bool {
    let Ok(id) = number(&encoder.sorts, term) else { return false };
    let id = id.simplify();
    id.safe_decl().is_ok_and(|decl| matches!(decl.name().as_str(), "put" | "remove"))
}
