//! Maps with symbolic parts.
//!
//! A symbolic key is decided against the keys that a map has, and a key without expression against those that have one, before the map is looked
//! into; then the concrete parts of all keys tell the same as the decisions. Values are kept as they are.
//!
//! A map that is itself symbolic is the matter of [`super::symbolic_maps`]; functions here that take a value take such ones too.
//!
//! What is done for several keys is done in an order that is the same for all inputs on a path: that of terms for keys without expressions, then the others by
//! the numbers of their expressions. Where the order of terms matters, it is decided.

use std::cmp::Ordering;

use super::decide::decide;
use super::exec::{Cpu, Step};
use super::symbolic_maps::{self, Symbolic};
use super::{Ctx, Failure, Raise, compare};
use crate::code::ir::{Comparison, Label, Slot, Src, Window};
use crate::path::Origin;
use crate::sym::{SymId, Tags};
use crate::term::map::{self, Map, Pair};
use crate::term::order::{self, KeyOrder};
use crate::term::parts::has_part;
use crate::term::{AtomId, Heap, Value, View};

/// Among more keys than this, the right one is found by their order, or by halves.
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

/// Whether the value is a map: that is decided, if it is symbolic.
pub fn is_map(ctx: &mut Ctx<'_>, value: Value) -> bool {
    if value.is_sym() { ctx.is(value, Tags::MAP) } else { Map::of(ctx.heap, value).is_some() }
}

/// The value as a map with all its keys, if it is one. If it is symbolic, that and its size are decided.
pub fn open(ctx: &mut Ctx<'_>, value: Value) -> Option<Map> {
    if !value.is_sym() {
        return Map::of(ctx.heap, value);
    }
    if !ctx.is(value, Tags::MAP) {
        return None;
    }
    let map = Symbolic::of(ctx, value)?;
    symbolic_maps::opened(ctx, map)
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

/// The keys of a map that need a decision.
fn candidates(ctx: &mut Ctx<'_>, map: Map, all: bool) -> Vec<Value> {
    let (concrete, symbolic) = split(ctx, map);
    let concrete = if all { concrete } else { Vec::new() };
    concrete.into_iter().chain(symbolic.into_iter().map(|(_, pair)| pair)).map(|(key, _)| key).collect()
}

/// The associations with keys without expressions, keys ascending, and the others, by the number of the key's expression.
fn split(ctx: &mut Ctx<'_>, map: Map) -> (Vec<Pair>, Vec<(SymId, Pair)>) {
    let mut concrete = map::sorted(ctx.heap, map);
    let mut symbolic: Vec<(SymId, Pair)> = Vec::new();
    if map.symbolic {
        let keyed: Vec<Pair> = concrete.extract_if(.., |(key, _)| !ctx.is_concrete(*key)).collect();
        symbolic.extend(keyed.into_iter().map(|pair| (ctx.lift(pair.0), pair)));
        symbolic.sort_by_key(|(id, _)| id.number());
    }
    (concrete, symbolic)
}

/// All associations, in an order that does not depend on what expressions are in this run.
pub(super) fn in_fixed_order(ctx: &mut Ctx<'_>, map: Map) -> Vec<Pair> {
    let (mut pairs, symbolic) = split(ctx, map);
    pairs.extend(symbolic.into_iter().map(|(_, pair)| pair));
    pairs
}

/// All associations, keys ascending: where a symbolic key stands is decided.
pub fn in_key_order(ctx: &mut Ctx<'_>, map: Map, order: KeyOrder) -> Vec<Pair> {
    let (mut pairs, symbolic) = split(ctx, map);
    map::reorder(ctx.heap, &mut pairs, order);
    for (id, pair) in symbolic {
        let (mut low, mut high) = (0, pairs.len());
        while low < high {
            let middle = (low + high) / 2;
            let Some((other, _)) = pairs.get(middle).copied() else { break };
            if is_before(ctx, order, other, (id, pair.0)) { low = middle + 1 } else { high = middle }
        }
        pairs.insert(low, pair);
    }
    pairs
}

/// Decides whether one key stands before another that is not the same.
fn is_before(ctx: &mut Ctx<'_>, order: KeyOrder, key: Value, (other_id, other): (SymId, Value)) -> bool {
    let id = ctx.lift(key);
    let condition = ctx.arena.before(order, id, other_id);
    let before = order.compare(ctx.heap, key, other).is_lt();
    ctx.branch(condition, before)
}

fn decide_among(ctx: &mut Ctx<'_>, key: Value, keys: &[Value]) {
    let mut left = keys;
    let plain = keys.iter().take_while(|known| has_known_order(ctx.heap, **known)).count();
    if key.is_sym() && plain > ONE_BY_ONE {
        let (ordered, others) = keys.split_at(plain);
        if decide_in_order(ctx, key, ordered) {
            return;
        }
        left = others;
    }
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

/// Whether the solver knows where a key stands among others: integers, floats and atoms, which are the first keys in order.
fn has_known_order(heap: &Heap, key: Value) -> bool {
    matches!(heap.view(key), View::Small(_) | View::Big(_) | View::Float(_) | View::Atom(_))
}

/// Decides whether a symbolic key is one of these, which are in order: each question is about one of them.
fn decide_in_order(ctx: &mut Ctx<'_>, key: Value, keys: &[Value]) -> bool {
    let mut left = keys;
    while left.len() > 1 {
        let (low, high) = left.split_at(left.len() / 2);
        let Some(first) = high.first().copied() else { break };
        let id = ctx.lift(first);
        left = if is_before(ctx, KeyOrder::Terms, key, (id, first)) { low } else { high };
    }
    is_one_of(ctx, key, left)
}

fn is_one_of(ctx: &mut Ctx<'_>, key: Value, keys: &[Value]) -> bool {
    let mut any = false;
    let mut conditions = Vec::with_capacity(keys.len());
    for known in keys {
        let answer = compare(ctx, Comparison::Same, *known, key);
        conditions.push(answer.condition.unwrap_or_else(|| ctx.arena.truth(answer.holds)));
        any = any || answer.holds;
    }
    // As a tree of little depth: Z3 takes time quadratic in the depth of a disjunction.
    while conditions.len() > 1 {
        conditions = conditions.chunks(2).map(|pair| either(ctx, pair)).collect();
    }
    match conditions.first() {
        Some(condition) => ctx.branch(*condition, any),
        None => any,
    }
}

fn either(ctx: &mut Ctx<'_>, conditions: &[SymId]) -> SymId {
    let none = ctx.arena.truth(false);
    conditions.iter().fold(none, |all, condition| ctx.arena.or(all, *condition))
}

fn get_in(ctx: &mut Ctx<'_>, map: Map, key: Value) -> Option<Value> {
    decide_key(ctx, map, key);
    map::get(ctx.heap, map, key)
}

pub(super) fn put_in(ctx: &mut Ctx<'_>, map: Map, pair: Pair) -> Value {
    let symbolic = decide_key(ctx, map, pair.0);
    if symbolic {
        // The number of its expression is given now, in the order of the program.
        ctx.lift(pair.0);
    }
    map::put(ctx.heap, map, pair, symbolic)
}

pub(super) fn remove_in(ctx: &mut Ctx<'_>, map: Map, key: Value) -> Value {
    decide_key(ctx, map, key);
    map::remove(ctx.heap, map, key)
}

// Values that have been found to be maps

pub fn get(ctx: &mut Ctx<'_>, map: Value, key: Value) -> Option<Value> {
    match Symbolic::of(ctx, map) {
        Some(map) => symbolic_maps::get(ctx, map, key),
        None => Map::of(ctx.heap, map).and_then(|map| get_in(ctx, map, key)),
    }
}

/// Whether the map has the key, as a truth value.
pub fn has(ctx: &mut Ctx<'_>, map: Value, key: Value) -> Value {
    match Symbolic::of(ctx, map) {
        Some(map) => symbolic_maps::has(ctx, map, key),
        None => Value::boolean(get(ctx, map, key).is_some()),
    }
}

pub fn size(ctx: &mut Ctx<'_>, map: Value) -> Value {
    match Symbolic::of(ctx, map) {
        Some(map) => symbolic_maps::size(ctx, map),
        None => Value::count(Map::of(ctx.heap, map).map_or(0, |map| map.size)),
    }
}

pub fn put(ctx: &mut Ctx<'_>, map: Value, pair: Pair) -> Value {
    match Symbolic::of(ctx, map) {
        Some(map) => symbolic_maps::put(ctx, map, pair),
        None => Map::of(ctx.heap, map).map_or(map, |map| put_in(ctx, map, pair)),
    }
}

pub fn remove(ctx: &mut Ctx<'_>, map: Value, key: Value) -> Value {
    match Symbolic::of(ctx, map) {
        Some(map) => symbolic_maps::remove(ctx, map, key),
        None => Map::of(ctx.heap, map).map_or(map, |map| remove_in(ctx, map, key)),
    }
}

/// A map of any pairs. Of those with the same key, the last one counts.
pub fn from_pairs(ctx: &mut Ctx<'_>, pairs: Vec<Pair>) -> Value {
    if ctx.arena.is_empty() || pairs.iter().all(|(key, _)| ctx.is_concrete(*key)) {
        return map::from_pairs(ctx.heap, pairs, false);
    }
    let empty = ctx.heap.map(&[]);
    pairs.into_iter().fold(empty, |map, pair| put(ctx, map, pair))
}

/// The most keys of a first map for each of which it is decided whether the second one, which is symbolic, has it.
const MERGED: usize = 32;

pub fn merge(ctx: &mut Ctx<'_>, first: Value, second: Value) -> Option<Value> {
    match (first.is_sym(), second.is_sym()) {
        (true, _) => {
            let second = open(ctx, second)?;
            Some(in_fixed_order(ctx, second).into_iter().fold(first, |map, pair| put(ctx, map, pair)))
        }
        (false, true) => {
            let first = Map::of(ctx.heap, first)?;
            if first.size <= MERGED {
                return Some(merge_missing(ctx, first, second));
            }
            let second = open(ctx, second)?;
            Some(merge_two(ctx, first, second))
        }
        (false, false) => {
            let (first, second) = (Map::of(ctx.heap, first)?, Map::of(ctx.heap, second)?);
            Some(merge_two(ctx, first, second))
        }
    }
}

/// The second map with what it does not have of the first.
fn merge_missing(ctx: &mut Ctx<'_>, first: Map, second: Value) -> Value {
    let pairs = in_fixed_order(ctx, first);
    let missing: Vec<Pair> = pairs.into_iter().filter(|(key, _)| get(ctx, second, *key).is_none()).collect();
    missing.into_iter().fold(second, |map, pair| put(ctx, map, pair))
}

fn merge_two(ctx: &mut Ctx<'_>, first: Map, second: Map) -> Value {
    if !ctx.arena.is_empty() && (first.symbolic || second.symbolic) {
        for (key, _) in in_fixed_order(ctx, second) {
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
    for (key, value) in in_fixed_order(ctx, a) {
        values.push((value, get_in(ctx, b, key)?));
    }
    values.reverse();
    Some(values)
}

/// Compares two maps up to their keys: what they have for the same keys, the first key's last, or which map comes first.
pub(super) fn compared(ctx: &mut Ctx<'_>, a: Value, b: Value) -> Result<Vec<Pair>, Ordering> {
    if ctx.is_concrete(a) && ctx.is_concrete(b) {
        return Err(order::compare(ctx.heap, a, b));
    }
    let (m, n) = (size(ctx, a), size(ctx, b));
    for (op, ordering) in [(Comparison::Lt, Ordering::Less), (Comparison::Gt, Ordering::Greater)] {
        let answer = compare(ctx, op, m, n);
        if decide(ctx, answer) {
            return Err(ordering);
        }
    }
    let (Some(a), Some(b)) = (open(ctx, a), open(ctx, b)) else { return Err(Ordering::Equal) };
    let (a, b) = (in_key_order(ctx, a, KeyOrder::Terms), in_key_order(ctx, b, KeyOrder::Terms));
    let mut values = Vec::with_capacity(a.len());
    for ((key, value), (other_key, other)) in a.into_iter().zip(b) {
        let answer = compare(ctx, Comparison::Same, key, other_key);
        if !decide(ctx, answer) {
            let other_id = ctx.lift(other_key);
            let is_less = is_before(ctx, KeyOrder::Terms, key, (other_id, other_key));
            return Err(if is_less { Ordering::Less } else { Ordering::Greater });
        }
        values.push((value, other));
    }
    values.reverse();
    Ok(values)
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
    pub(super) fn map_element(&mut self, dst: Slot, map: Src, key: Src, fail: Label) -> Step {
        let (map, key) = (self.get(map), self.get(key));
        self.afford_terms(&[key])?;
        let found = get(&mut self.ctx(Origin::Program), map, key);
        self.unless_overdone()?;
        match found {
            Some(value) => self.set(dst, value),
            None => self.pc = fail.0 as usize,
        }
        Ok(())
    }

    pub(super) fn update_map(&mut self, dst: Slot, map: Src, change: (Window, bool), fail: Label) -> Step {
        let map = self.get(map);
        if self.work.is_some() {
            let keys: Vec<Value> = self.window(change.0).iter().step_by(2).copied().collect();
            self.afford_terms(&keys)?;
        }
        match self.updated(map, change) {
            Ok(value) => self.set(dst, value),
            Err(Failure::Raise(_)) if fail != Label::RAISE => self.pc = fail.0 as usize,
            Err(failure) => return Err(failure.into()),
        }
        Ok(())
    }

    /// A map with more associations, each key of which must be there already if the change is exact.
    fn updated(&mut self, value: Value, (pairs, exact): (Window, bool)) -> Result<Value, Failure> {
        if !is_map(&mut self.ctx(Origin::Precondition), value) {
            return Err(Raise::error(bad_map(&mut self.run.heap, value)).into());
        }
        let mut map = value;
        for at in (pairs.at.0..pairs.at.0 + pairs.len).step_by(2) {
            let pair = (self.get(Src::slot(Slot(at))), self.get(Src::slot(Slot(at + 1))));
            let mut ctx = self.ctx(Origin::Precondition);
            if exact && get(&mut ctx, map, pair.0).is_none() {
                return Err(Raise::error(bad_key(ctx.heap, pair.0)).into());
            }
            map = put(&mut ctx, map, pair);
        }
        Ok(map)
    }
}
