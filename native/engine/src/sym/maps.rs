//! Maps: what is asked of a symbolic map, and how maps are made of others.
//!
//! A symbolic map is a *base* (an input, or a part of one) with changes on top of it, the last one outermost. Questions about a changed map
//! become questions about its base and conditions on the keys of the changes; so only bases are asked for a key, the size or the key at a
//! place. A constant map is a base too.
//!
//! The keys of a base have places, in the order in which a small map shows them.

use super::arena::{Arena, SymId};
use super::eval::{Denoted, Evaluator};
use super::expr::{Expr, Sort};
use super::tags::Tags;
use crate::term::map::{self, Map};
use crate::term::order::KeyOrder;
use crate::term::{Heap, Literals, Packed, Value};

/// A node that has to do with maps. The first part of each that is about one map is that map.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MapExpr {
    /// Condition: a base has a key.
    Has(SymId, SymId),
    /// Term: what a map has for a key that it has on this path.
    Get(SymId, SymId),
    /// Integer: how many keys a base has.
    Size(SymId),
    /// Term: a key of a base by its place, from 0. The base has more keys than that on this path.
    Key(SymId, u32),
    /// Condition: a base has so many keys, and each of them matters from now on.
    Shown(SymId, u32),
    /// Term: the map with this key and value.
    Put(SymId, [SymId; 2]),
    /// Term: the map without this key.
    Remove(SymId, SymId),
    /// Integer: 1 if a condition holds, else 0.
    Count(SymId),
    /// Condition: one term stands before another in an order of keys.
    Before(KeyOrder, SymId, SymId),
}

impl MapExpr {
    /// The expressions this one is made of.
    pub(super) fn parts(&self) -> ([Option<SymId>; 2], &[SymId]) {
        match self {
            MapExpr::Has(a, b) | MapExpr::Get(a, b) | MapExpr::Remove(a, b) | MapExpr::Before(_, a, b) => {
                ([Some(*a), Some(*b)], &[])
            }
            MapExpr::Size(a) | MapExpr::Key(a, _) | MapExpr::Shown(a, _) | MapExpr::Count(a) => ([Some(*a), None], &[]),
            MapExpr::Put(map, pair) => ([Some(*map), None], pair),
        }
    }

    pub(super) const fn sort(&self) -> Sort {
        match self {
            MapExpr::Has(..) | MapExpr::Shown(..) | MapExpr::Before(..) => Sort::Bool,
            MapExpr::Get(..) | MapExpr::Key(..) | MapExpr::Put(..) | MapExpr::Remove(..) => Sort::Term,
            MapExpr::Size(_) | MapExpr::Count(_) => Sort::Int,
        }
    }

    pub(super) const fn tags(&self) -> Tags {
        match self {
            MapExpr::Put(..) | MapExpr::Remove(..) => Tags::MAP,
            MapExpr::Size(_) | MapExpr::Count(_) => Tags::INT,
            MapExpr::Has(..) | MapExpr::Shown(..) | MapExpr::Before(..) => Tags::ATOM,
            MapExpr::Get(..) | MapExpr::Key(..) => Tags::ANY,
        }
    }
}

/// The outermost change of a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The map before it.
    pub map: SymId,
    pub key: SymId,
    /// The value that was put, or that the key was removed.
    pub value: Option<SymId>,
}

impl Arena {
    /// The outermost change of a map; none if it is a base.
    pub fn change(&self, map: SymId) -> Option<Change> {
        match self.get(map) {
            Expr::Map(MapExpr::Put(map, [key, value])) => Some(Change { map: *map, key: *key, value: Some(*value) }),
            Expr::Map(MapExpr::Remove(map, key)) => Some(Change { map: *map, key: *key, value: None }),
            _ => None,
        }
    }

    /// Whether two terms are certainly the same, or certainly not.
    fn surely_same(&mut self, a: SymId, b: SymId) -> Option<bool> {
        let same = self.eq(a, b);
        match self.get(same) {
            Expr::True => Some(true),
            Expr::False => Some(false),
            _ => None,
        }
    }

    pub fn map_has(&mut self, map: SymId, key: SymId) -> SymId {
        let key = self.term(key);
        let mut undecided = Vec::new();
        let mut base = map;
        let mut found = None;
        while let Some(change) = self.change(base) {
            let same = self.eq(change.key, key);
            match self.get(same) {
                Expr::True => {
                    found = Some(self.truth(change.value.is_some()));
                    break;
                }
                Expr::False => {}
                _ => undecided.push((same, change.value.is_some())),
            }
            base = change.map;
        }
        let mut has = found.unwrap_or_else(|| self.base_has(base, key));
        for (same, put) in undecided.into_iter().rev() {
            has = if put {
                self.or(same, has)
            } else {
                let other = self.not(same);
                self.and(other, has)
            };
        }
        has
    }

    fn base_has(&mut self, base: SymId, key: SymId) -> SymId {
        if let Expr::Map(MapExpr::Key(owner, _)) = self.get(key)
            && *owner == base
        {
            return self.truth(true);
        }
        match self.in_constant(base, key) {
            Some(found) => self.truth(found.is_some()),
            None => self.intern(Expr::Map(MapExpr::Has(base, key))),
        }
    }

    /// What a constant map has for a constant key. `None` if one of them is none, and for structures.
    fn in_constant(&self, base: SymId, key: SymId) -> Option<Option<Packed>> {
        let Expr::Opaque(id, _) = self.get(base) else { return None };
        let (mut heap, root) = self.opaque(*id)?.open();
        let map = Map::of(&heap, root)?;
        if map.size == 0 {
            return Some(None);
        }
        let key = self.constant_value(&mut heap, key)?;
        Some(map::get(&heap, map, key).map(|value| Packed::pack(&heap, value)))
    }

    /// A constant that is no structure, as a value.
    fn constant_value(&self, heap: &mut Heap, id: SymId) -> Option<Value> {
        match self.get(id) {
            Expr::Atom(atom) => Some(Value::atom(*atom)),
            Expr::Nil => Some(Value::NIL),
            Expr::Opaque(opaque, _) => Some(self.opaque(*opaque)?.unpack(heap)),
            Expr::OfInt(int) => match self.get(*int) {
                Expr::Int(int) => Some(heap.bigint(int)),
                _ => None,
            },
            Expr::OfReal(real) => match self.get(*real) {
                Expr::Real(bits) => Some(heap.float(f64::from_bits(*bits))),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a map has for a key that it has. Where it is open whether a change is of this key, the answer stays open too.
    pub fn map_get(&mut self, map: SymId, key: SymId) -> SymId {
        let key = self.term(key);
        let mut base = map;
        while let Some(change) = self.change(base) {
            match (self.surely_same(change.key, key), change.value) {
                (Some(true), Some(value)) => return value,
                (Some(false), _) => base = change.map,
                (Some(true), None) | (None, _) => break,
            }
        }
        match self.in_constant(base, key).flatten() {
            Some(value) => {
                let (heap, root) = value.open();
                super::lift::lift(self, &heap, root, &mut Vec::new())
            }
            None => self.intern(Expr::Map(MapExpr::Get(base, key))),
        }
    }

    /// The number of keys. `known` may say whether a condition holds, so that it need not be counted.
    pub fn map_size(&mut self, map: SymId, known: &dyn Fn(&Arena, SymId) -> Option<bool>) -> SymId {
        let mut changes = Vec::new();
        let mut base = map;
        while let Some(change) = self.change(base) {
            changes.push(change);
            base = change.map;
        }
        let mut size = self.base_size(base);
        for change in changes.into_iter().rev() {
            let has = self.map_has(change.map, change.key);
            let counted = if change.value.is_some() { self.not(has) } else { has };
            let counted = match known(self, counted) {
                Some(holds) => self.truth(holds),
                None => counted,
            };
            let count = self.count(counted);
            size = if change.value.is_some() { self.add(size, count) } else { self.sub(size, count) };
        }
        size
    }

    fn base_size(&mut self, base: SymId) -> SymId {
        match self.constant_size(base) {
            Some(size) => self.int(size),
            None => self.intern(Expr::Map(MapExpr::Size(base))),
        }
    }

    fn constant_size(&self, base: SymId) -> Option<usize> {
        let Expr::Opaque(id, _) = self.get(base) else { return None };
        let (heap, root) = self.opaque(*id)?.open();
        Map::of(&heap, root).map(|map| map.size)
    }

    fn count(&mut self, condition: SymId) -> SymId {
        match self.get(condition) {
            Expr::True => self.int(1),
            Expr::False => self.int(0),
            _ => self.intern(Expr::Map(MapExpr::Count(condition))),
        }
    }

    /// A key of a base that has more keys than `place`.
    pub fn map_key(&mut self, base: SymId, place: u32) -> SymId {
        self.intern(Expr::Map(MapExpr::Key(base, place)))
    }

    /// Says of a base that has been found to have so many keys that all of them are looked at.
    pub fn map_shown(&mut self, base: SymId, size: u32) -> SymId {
        if size == 0 { self.truth(true) } else { self.intern(Expr::Map(MapExpr::Shown(base, size))) }
    }

    pub fn map_put(&mut self, map: SymId, key: SymId, value: SymId) -> SymId {
        let (key, value) = (self.term(key), self.term(value));
        let map = self.without_change(map, key);
        self.intern(Expr::Map(MapExpr::Put(map, [key, value])))
    }

    pub fn map_remove(&mut self, map: SymId, key: SymId) -> SymId {
        let key = self.term(key);
        let map = self.without_change(map, key);
        self.intern(Expr::Map(MapExpr::Remove(map, key)))
    }

    /// The map without a change of this key that the next one makes void. Looks behind changes of keys that are certainly others.
    fn without_change(&mut self, map: SymId, key: SymId) -> SymId {
        let mut outer = Vec::new();
        let mut inner = map;
        while let Some(change) = self.change(inner) {
            match self.surely_same(change.key, key) {
                None => return map,
                Some(true) => {
                    return outer.into_iter().rev().fold(change.map, |map, change| self.again(map, change));
                }
                Some(false) => outer.push(change),
            }
            inner = change.map;
        }
        map
    }

    fn again(&mut self, map: SymId, change: Change) -> SymId {
        self.intern(Expr::Map(match change.value {
            Some(value) => MapExpr::Put(map, [change.key, value]),
            None => MapExpr::Remove(map, change.key),
        }))
    }

    /// Whether `a` stands before `b` in an order of keys.
    pub fn before(&mut self, order: KeyOrder, a: SymId, b: SymId) -> SymId {
        let (a, b) = (self.term(a), self.term(b));
        if a == b {
            return self.truth(false);
        }
        if let (Expr::Map(MapExpr::Key(m, i)), Expr::Map(MapExpr::Key(n, j))) = (self.get(a), self.get(b))
            && m == n
            && order == KeyOrder::of_maps()
        {
            let before = i < j;
            return self.truth(before);
        }
        let mut heap = Heap::new(Literals::default());
        if let (Some(x), Some(y)) = (self.constant_value(&mut heap, a), self.constant_value(&mut heap, b)) {
            return self.truth(order.compare(&heap, x, y).is_lt());
        }
        let (x, y) = (self.tags(a), self.tags(b));
        if x.is_single() && y.is_single() && x != y {
            return self.truth(x < y);
        }
        self.intern(Expr::Map(MapExpr::Before(order, a, b)))
    }
}

impl Evaluator<'_> {
    pub(super) fn map_node(&mut self, expr: &MapExpr) -> Option<Denoted> {
        match expr {
            MapExpr::Has(map, key) => {
                let (map, key) = (self.map(*map)?, self.term(*key)?);
                Some(Denoted::Bool(map::find(&self.heap, map, key).is_some()))
            }
            MapExpr::Get(map, key) => {
                let (map, key) = (self.map(*map)?, self.term(*key)?);
                map::get(&self.heap, map, key).map(Denoted::Term)
            }
            MapExpr::Size(map) => Some(Denoted::Int(self.map(*map)?.size.into())),
            MapExpr::Key(map, place) => {
                let pairs = map::in_order(&self.heap, self.map(*map)?, KeyOrder::of_maps());
                pairs.get(*place as usize).map(|(key, _)| Denoted::Term(*key))
            }
            MapExpr::Shown(map, size) => Some(Denoted::Bool(self.map(*map)?.size == *size as usize)),
            MapExpr::Put(map, [key, value]) => {
                let (map, pair) = (self.map(*map)?, (self.term(*key)?, self.term(*value)?));
                Some(Denoted::Term(map::put(&mut self.heap, map, pair, false)))
            }
            MapExpr::Remove(map, key) => {
                let (map, key) = (self.map(*map)?, self.term(*key)?);
                Some(Denoted::Term(map::remove(&mut self.heap, map, key)))
            }
            MapExpr::Count(condition) => Some(Denoted::Int(u8::from(self.bool(*condition)?).into())),
            MapExpr::Before(order, a, b) => {
                let (a, b) = (self.term(*a)?, self.term(*b)?);
                Some(Denoted::Bool(order.compare(&self.heap, a, b).is_lt()))
            }
        }
    }

    /// A map with another value for a key.
    pub(super) fn map_with(&mut self, map: SymId, key: SymId, value: Value) -> Option<Value> {
        self.value(map)?;
        self.value(key)?;
        let (map, key) = (self.map(map)?, self.term(key)?);
        Some(map::put(&mut self.heap, map, (key, value), false))
    }

    fn map(&self, id: SymId) -> Option<Map> {
        Map::of(&self.heap, self.term(id)?)
    }
}

#[cfg(test)]
mod tests;
