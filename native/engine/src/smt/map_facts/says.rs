//! The facts themselves, one function for each kind of expression.

use z3::ast::{Bool, Datatype, Int};

use super::super::EncodeError;
use super::super::encode::Encoder;
use super::super::maps::{EMPTY, before, number, type_place};
use super::super::sorts::Shape;
use super::{Asked, Changed, MapFacts, Ordered, enclosing};
use crate::sym::{Arena, MapExpr, SymId};
use crate::term::Packed;
use crate::term::map::{self, Map};
use crate::term::order::KeyOrder;

type Result<T> = std::result::Result<T, EncodeError>;

/// The most keys of a constant map that is told to Z3.
const TOLD: usize = 64;

/// The most keys of one map whose number is compared with its size outright. More of them are told apart by their places only.
const COUNTED: usize = 16;

/// More keys than any map can have.
const LARGEST: u64 = 1 << 40;

/// Facts under way.
pub(super) struct Says<'a> {
    pub(super) facts: &'a mut MapFacts,
    pub(super) axioms: &'a mut Vec<Bool>,
}

impl Says<'_> {
    pub(super) fn map(&mut self, encoder: &Encoder, expr: &MapExpr, id: SymId) -> Result<()> {
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
            MapExpr::Before(order, a, b) => {
                let (a, b) = (encoder.term(*a)?.clone(), encoder.term(*b)?.clone());
                self.order(encoder, Ordered { order: *order, matters: Bool::from_bool(true), a, b })
            }
        }
    }

    /// A map that has a key has a place for it. One map after the other: each key is asked of all maps made of others.
    pub(super) fn ask(&mut self, encoder: &Encoder, map: Int, key: Datatype) -> Result<()> {
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
            self.axioms.extend([size.ge(0), size.le(LARGEST)]);
            self.axioms.push(size.eq(0).iff(map.eq(EMPTY)));
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
            let order = KeyOrder::of_maps();
            let before = before(&encoder.sorts, functions, order, (&last, &key))?;
            self.axioms.push(inside.implies(&before));
            self.order(encoder, Ordered { order, matters: inside, a: last, b: key })?;
        }
        Ok(())
    }

    /// From now on the order of these two matters.
    fn order(&mut self, encoder: &Encoder, ordered: Ordered) -> Result<()> {
        for term in [&ordered.a, &ordered.b] {
            if self.facts.kinds.add(term.clone()) {
                self.axioms.push(encoder.functions.kind(term)?.eq(type_place(&encoder.sorts, term)?));
            }
        }
        if ordered.order == KeyOrder::Ages {
            let [atom, other] = [&ordered.a, &ordered.b].map(|term| encoder.sorts.id(Shape::Atom, term));
            let (atom, other) = (atom?, other?);
            let same_age = encoder.functions.age(&atom)?.eq(encoder.functions.age(&other)?);
            self.axioms.push(same_age.implies(atom.eq(other)));
        }
        self.facts.ordered.push(ordered);
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
    pub(super) fn is_map(&mut self, encoder: &Encoder, term: Datatype) -> Result<()> {
        if self.facts.maps.add(term.clone()) {
            for (a, b) in self.facts.compared.items.clone() {
                if a == term || b == term {
                    self.tell_apart(encoder, a, b)?;
                }
            }
        }
        Ok(())
    }

    /// Two terms that are compared. It matters if one of them is a map, as far as that is known.
    pub(super) fn compared(&mut self, encoder: &Encoder, a: Datatype, b: Datatype, is_map: bool) -> Result<()> {
        let maps = &self.facts.maps.known;
        let matters = is_map || maps.contains(&a) || maps.contains(&b);
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
    pub(super) fn inside(&mut self, encoder: &Encoder, arena: &Arena, id: SymId) -> Result<()> {
        let Some(map) = enclosing(arena, id) else { return Ok(()) };
        let term = encoder.term(id)?;
        let deeper =
            encoder.functions.rank(&number(&encoder.sorts, term)?)?.lt(encoder.functions.rank(&encoder.map(map)?)?);
        self.axioms.push(encoder.sorts.is(Shape::Map, term)?.implies(&deeper));
        Ok(())
    }

    /// What is in a constant map, and in the maps in it.
    pub(super) fn constant(&mut self, encoder: &mut Encoder, term: &Packed) -> Result<()> {
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
                let (key_term, value_term) = (encoder.constant(&heap, key)?, encoder.constant(&heap, value)?);
                self.axioms.push(encoder.functions.has(&id, &key_term)?);
                self.axioms.push(encoder.functions.get(&id, &key_term)?.eq(&value_term));
                self.ask(encoder, id.clone(), key_term)?;
                rest.extend([key, value]);
            }
        }
        Ok(())
    }
}
