//! What is said to Z3 about maps: for each map and key that conditions speak of, with the first condition that does ([`super::facts`]).
//!
//! The functions are those of [`super::maps`].

mod says;

use rustc_hash::FxHashSet;
use z3::ast::{Bool, Datatype, Int};

use super::EncodeError;
use super::decode::places;
use super::encode::Encoder;
use super::sorts::Shape;
use crate::sym::{Arena, Expr, FunExpr, MapExpr, Sort, SymId, Tags};
use crate::term::order::KeyOrder;
use says::Says;

type Result<T> = std::result::Result<T, EncodeError>;

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
    pub(super) order: KeyOrder,
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
    ordered: Vec<Ordered>,
}

/// How much there was of each when a scope was opened.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark([usize; 10]);

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
            self.ordered.len(),
        ])
    }

    pub(super) fn undo(&mut self, mark: Mark) {
        let Mark([asked, placed, kinds, changed, sized, maps, compared, told_apart, constants, ordered]) = mark;
        self.asked.cut(asked);
        self.placed.cut(placed);
        self.kinds.cut(kinds);
        self.changed.cut(changed);
        self.sized.cut(sized);
        self.maps.cut(maps);
        self.compared.cut(compared);
        self.told_apart.cut(told_apart);
        self.constants.cut(constants);
        self.ordered.truncate(ordered);
    }

    pub(super) fn asked(&self) -> &[Asked] {
        &self.asked.items
    }

    /// A key that a map is asked for though no condition does.
    pub(super) fn ask(&mut self, encoder: &Encoder, asked: Asked, axioms: &mut Vec<Bool>) -> Result<()> {
        Says { facts: self, axioms }.ask(encoder, asked.map, asked.key)
    }

    /// Two terms that may be maps, and of which it matters whether they are the same though no condition compares them.
    pub(super) fn compare(
        &mut self,
        encoder: &Encoder,
        (a, b): (Datatype, Datatype),
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        Says { facts: self, axioms }.compared(encoder, a, b, true)
    }

    /// All keys that maps were asked for, and what they have for them.
    pub(super) fn parts(&self, encoder: &Encoder) -> Result<Vec<Datatype>> {
        let mut parts = Vec::new();
        for Asked { map, key } in self.asked() {
            parts.extend([key.clone(), encoder.functions.get(map, key)?]);
        }
        Ok(parts)
    }

    /// That maps are deeper than those that they are in, for all that a model has inside of keys and values.
    pub(super) fn nesting(&self, encoder: &Encoder, model: &z3::Model) -> Result<Vec<Bool>> {
        let Encoder { sorts, functions, .. } = encoder;
        let mut order = Vec::new();
        for Asked { map, key } in self.asked() {
            let has = functions.has(map, key)?;
            for part in [key.clone(), functions.get(map, key)?] {
                let Some(value) = model.eval(&part, true) else { continue };
                for place in places(&value.into(), &part, sorts, &[Shape::Map])? {
                    let deeper = functions.rank(&sorts.id(Shape::Map, &place)?)?.lt(functions.rank(map)?);
                    order.push(Bool::and(&[has.clone(), sorts.is(Shape::Map, &place)?]).implies(&deeper));
                }
            }
        }
        Ok(order)
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
        let known = self.ordered.len();
        let mut says = Says { facts: self, axioms };
        match arena.get(id) {
            Expr::Map(map) => says.map(encoder, map, id)?,
            Expr::Opaque(opaque, Tags::MAP) => {
                if let Some(term) = arena.opaque(*opaque) {
                    says.constant(encoder, term)?;
                }
            }
            Expr::Is(term, Tags::MAP) => says.is_map(encoder, encoder.term(*term)?.clone())?,
            Expr::Eq(a, b) if may_be_maps(arena, *a, *b) => {
                let is_map = arena.change(*a).is_some() || arena.change(*b).is_some();
                says.compared(encoder, encoder.term(*a)?.clone(), encoder.term(*b)?.clone(), is_map)?;
            }
            _ => {}
        }
        says.inside(encoder, arena, id)?;
        let mut new = self.ordered.iter().skip(known);
        encoder.constants.atoms.ordered |= new.any(|ordered| ordered.order == KeyOrder::Terms);
        Ok(())
    }
}

fn may_be_maps(arena: &Arena, a: SymId, b: SymId) -> bool {
    let may_be = |id| arena.sort(id) == Sort::Term && arena.tags(id).meets(Tags::MAP);
    may_be(a) && may_be(b)
}

/// The map that a place is in, if it is in one: the innermost.
fn enclosing(arena: &Arena, id: SymId) -> Option<SymId> {
    let mut place = id;
    loop {
        match arena.get(place) {
            Expr::Map(MapExpr::Get(map, _) | MapExpr::Key(map, _)) => return Some(*map),
            Expr::Head(part) | Expr::Tail(part) | Expr::Element(part, _) => place = *part,
            Expr::Fun(FunExpr::Call(fun, _) | FunExpr::Otherwise(fun)) => place = *fun,
            _ => return None,
        }
    }
}
