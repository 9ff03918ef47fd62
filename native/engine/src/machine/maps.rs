//! Maps with symbolic parts.
//!
//! A symbolic key is decided against the keys that a map has, and a key without expression against those that have one, before the map is looked
//! into; then the concrete parts of all keys tell the same as the decisions. Values are kept as they are.
//!
//! Not modelled: the inside of a map that is itself symbolic. It counts as made concrete, and what is found in it has no expression. Nor is it
//! decided in which order the keys of a map come, if they are symbolic.

use super::decide::has_part;
use super::exec::{Cpu, Step};
use super::{Ctx, Failure, Raise, compare};
use crate::bif;
use crate::code::ir::{Comparison, Label, Slot, Src, Window};
use crate::path::Origin;
use crate::sym::{SymId, Tags};
use crate::term::map::{self, Map, Pair};
use crate::term::{AtomId, Heap, Value, View};

/// Among more keys than this, the right one is found by halves.
const ONE_BY_ONE: usize = 32;

/// True if the host can be given the value: nothing in it exists only in the machine.
pub fn can_leave(heap: &Heap, value: Value) -> bool {
    let stays = |part: Value| match heap.view(part) {
        View::Closure(_) | View::Virtual(_) => true,
        View::Small(_)
        | View::Big(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Nil
        | View::Cons(_)
        | View::Tuple(..)
        | View::Bits(_)
        | View::Map(..)
        | View::External(_)
        | View::Foreign(_)
        | View::Sym(..) => false,
    };
    !has_part(heap, value, &stays)
}

/// The keys and values of a map.
pub(super) fn parts(heap: &Heap, value: Value) -> impl Iterator<Item = Value> {
    let pairs = Map::of(heap, value).map(|map| map::pairs(heap, map)).unwrap_or_default();
    pairs.into_iter().flat_map(|(key, value)| [key, value])
}

/// The value as a map, if it is one: that is decided, if it is symbolic.
pub fn open(ctx: &mut Ctx<'_>, value: Value) -> Option<Map> {
    if value.is_sym() {
        if !ctx.is(value, Tags::MAP) {
            return None;
        }
        ctx.counters.concretise(bif::mfa("erlang", "map_get", 2));
    }
    Map::of(ctx.heap, ctx.heap.concrete(value))
}

/// Decides which key of the map this one is, if any of them is symbolic. True if this one is.
fn decide_key(ctx: &mut Ctx<'_>, map: Map, key: Value) -> bool {
    if ctx.arena.is_empty() {
        return false;
    }
    let symbolic = key.is_pointer() && !ctx.is_concrete(key);
    if symbolic || map.symbolic {
        let keys = candidates(ctx, map, symbolic);
        decide_among(ctx, key, &keys);
    }
    symbolic
}

/// The keys of a map that need a decision, in an order that does not depend on the values of expressions.
fn candidates(ctx: &mut Ctx<'_>, map: Map, all: bool) -> Vec<Value> {
    let mut concrete = Vec::new();
    let mut symbolic: Vec<(SymId, Value)> = Vec::new();
    for (key, _) in map::sorted(ctx.heap, map) {
        if map.symbolic && !ctx.is_concrete(key) {
            symbolic.push((ctx.lift(key), key));
        } else if all {
            concrete.push(key);
        }
    }
    symbolic.sort_by_key(|(id, _)| id.number());
    concrete.extend(symbolic.into_iter().map(|(_, key)| key));
    concrete
}

fn decide_among(ctx: &mut Ctx<'_>, key: Value, keys: &[Value]) {
    let mut left = keys;
    if left.len() > ONE_BY_ONE && !is_one_of(ctx, key, left) {
        return;
    }
    while left.len() > ONE_BY_ONE {
        let (low, high) = left.split_at(left.len() / 2);
        left = if is_one_of(ctx, key, low) { low } else { high };
    }
    for known in left {
        if is_one_of(ctx, key, std::slice::from_ref(known)) {
            return;
        }
    }
}

fn is_one_of(ctx: &mut Ctx<'_>, key: Value, keys: &[Value]) -> bool {
    let mut any = false;
    let mut condition = ctx.arena.truth(false);
    for known in keys {
        let answer = compare(ctx, Comparison::Same, *known, key);
        let same = answer.condition.unwrap_or_else(|| ctx.arena.truth(answer.holds));
        condition = ctx.arena.or(condition, same);
        any = any || answer.holds;
    }
    ctx.branch(condition, any)
}

pub fn get(ctx: &mut Ctx<'_>, map: Map, key: Value) -> Option<Value> {
    decide_key(ctx, map, key);
    map::get(ctx.heap, map, key)
}

pub fn put(ctx: &mut Ctx<'_>, map: Map, pair: Pair) -> Value {
    let symbolic = decide_key(ctx, map, pair.0);
    if symbolic {
        // The number of its expression is given now, in the order of the program.
        ctx.lift(pair.0);
    }
    map::put(ctx.heap, map, pair, symbolic)
}

pub fn remove(ctx: &mut Ctx<'_>, map: Map, key: Value) -> Value {
    decide_key(ctx, map, key);
    map::remove(ctx.heap, map, key)
}

/// A map of any pairs. Of those with the same key, the last one counts.
pub fn from_pairs(ctx: &mut Ctx<'_>, pairs: Vec<Pair>) -> Value {
    if ctx.arena.is_empty() || pairs.iter().all(|(key, _)| ctx.is_concrete(*key)) {
        return map::from_pairs(ctx.heap, pairs, false);
    }
    let mut value = ctx.heap.map(&[]);
    for pair in pairs {
        if let Some(map) = Map::of(ctx.heap, value) {
            value = put(ctx, map, pair);
        }
    }
    value
}

pub fn merge(ctx: &mut Ctx<'_>, first: Map, second: Map) -> Value {
    if !ctx.arena.is_empty() && (first.symbolic || second.symbolic) {
        for (key, _) in map::sorted(ctx.heap, second) {
            decide_key(ctx, first, key);
        }
    }
    map::merge(ctx.heap, first, second)
}

pub(super) fn are_both(heap: &Heap, a: Value, b: Value) -> bool {
    Map::of(heap, a).is_some() && Map::of(heap, b).is_some()
}

/// What two (concrete) maps with the same keys have for these, the first key's last; nothing if they are no such maps.
pub(super) fn values_of_same_keys(ctx: &mut Ctx<'_>, a: Value, b: Value) -> Option<Vec<Pair>> {
    let (a, b) = (Map::of(ctx.heap, a)?, Map::of(ctx.heap, b)?);
    if a.size != b.size {
        return None;
    }
    let mut values = Vec::with_capacity(a.size);
    for (key, value) in map::sorted(ctx.heap, a) {
        match get(ctx, b, key) {
            Some(other) => values.push((value, other)),
            None => {
                if a.symbolic || b.symbolic {
                    // Different keys, but which map comes first is not modelled.
                    ctx.counters.concretise(bif::mfa("erlang", "<", 2));
                }
                return None;
            }
        }
    }
    values.reverse();
    Some(values)
}

/// `{badmap, Value}`
pub fn bad_map(heap: &mut Heap, value: Value) -> Value {
    heap.tuple(&[Value::atom(AtomId::BADMAP), value])
}

/// `{badkey, Key}`
pub fn bad_key(heap: &mut Heap, key: Value) -> Value {
    heap.tuple(&[Value::atom(AtomId::BADKEY), key])
}

impl Cpu<'_> {
    /// A map of literal keys, in order.
    pub(super) fn new_map(&mut self, dst: Slot, pairs: Window) {
        let at = self.base + pairs.at.0 as usize;
        let words = self.run.process.stack.get(at..at + pairs.len as usize).unwrap_or(&[]);
        let value = map::small(&mut self.run.heap, words);
        self.set(dst, value);
    }

    /// The value of a key that a pattern asks for; the value matched has been found to be a map.
    #[inline]
    pub(super) fn map_element(&mut self, dst: Slot, map: Src, key: Src, fail: Label) {
        let (map, key) = (self.get(map), self.get(key));
        let mut ctx = self.ctx(Origin::Program);
        match open(&mut ctx, map).and_then(|map| get(&mut ctx, map, key)) {
            Some(value) => self.set(dst, value),
            None => self.pc = fail.0 as usize,
        }
    }

    pub(super) fn update_map(&mut self, dst: Slot, map: Src, change: (Window, bool), fail: Label) -> Step {
        let map = self.get(map);
        match self.updated(map, change) {
            Ok(value) => self.set(dst, value),
            Err(Failure::Raise(_)) if fail != Label::RAISE => self.pc = fail.0 as usize,
            Err(failure) => return Err(failure.into()),
        }
        Ok(())
    }

    /// A map with more associations, each key of which must be there already if the change is exact.
    fn updated(&mut self, value: Value, (pairs, exact): (Window, bool)) -> Result<Value, Failure> {
        let Some(mut map) = open(&mut self.ctx(Origin::Precondition), value) else {
            return Err(Raise::error(bad_map(&mut self.run.heap, value)).into());
        };
        for at in (pairs.at.0..pairs.at.0 + pairs.len).step_by(2) {
            let pair = (self.get(Src::slot(Slot(at))), self.get(Src::slot(Slot(at + 1))));
            let mut ctx = self.ctx(Origin::Precondition);
            if exact && get(&mut ctx, map, pair.0).is_none() {
                return Err(Raise::error(bad_key(ctx.heap, pair.0)).into());
            }
            let value = put(&mut ctx, map, pair);
            map = Map::of(&self.run.heap, value).unwrap_or(map);
        }
        Ok(map.value())
    }
}
