//! Maps that are symbolic themselves: an input, or a part of one, with the changes that the program made to it.
//!
//! The concrete part of such a map is the map as it is now; what was put into it is there as it was put, with its expressions, and what it had
//! from the start has none. Its expression is a chain of changes on top of a base (see [`crate::sym::maps`]). Changing a map decides nothing.
//! Looking for a key decides whether it is that of a change, the last one first, and then whether the base has it. The size is an
//! expression. Only what shows all keys decides how many there are, one number after the other; then the base is as good as a map that the
//! program made of symbolic keys and values.
//!
//! What is asked depends on the expressions alone, never on what they are in this run.
//!
//! Not modelled: showing all keys of a base with more than [`ENUMERATED`]. It is made concrete, and counted.

use rustc_hash::FxHashMap;

use super::decide::decide;
use super::{Ctx, compare, maps};
use crate::bif;
use crate::code::ir::Comparison;
use crate::sym::{Change, Expr, SymId, Tags};
use crate::term::effort::Effort;
use crate::term::map::{self, Map, Pair};
use crate::term::order::KeyOrder;
use crate::term::parts::has_map;
use crate::term::{Value, View};

/// The most keys of a base that are shown with their expressions.
pub const ENUMERATED: usize = map::SMALL;

/// The most keys of a map that is compared with a symbolic term key by key.
const COMPARED: usize = 256;

/// What the bases and the keys in chains of changes are in this run.
#[derive(Default)]
pub struct Witnesses {
    places: FxHashMap<SymId, usize>,
    values: Vec<Value>,
}

impl Witnesses {
    pub(super) fn values_mut(&mut self) -> &mut [Value] {
        &mut self.values
    }

    fn remember(&mut self, id: SymId, value: Value) {
        self.places.entry(id).or_insert_with(|| {
            self.values.push(value);
            self.values.len() - 1
        });
    }

    pub(super) fn extend(&mut self, keys: Vec<(SymId, Value)>) {
        keys.into_iter().for_each(|(id, value)| self.remember(id, value));
    }

    fn of(&self, id: SymId) -> Option<Value> {
        self.places.get(&id).and_then(|place| self.values.get(*place)).copied()
    }
}

/// A value that is a map on this path, and symbolic.
#[derive(Clone, Copy)]
pub(super) struct Symbolic {
    value: Value,
    id: SymId,
    concrete: Map,
}

impl Symbolic {
    /// The value as a symbolic map; the caller has decided that it is a map.
    pub(super) fn of(ctx: &mut Ctx<'_>, value: Value) -> Option<Self> {
        let id = ctx.heap.expression(value)?;
        let concrete = Map::of(ctx.heap, ctx.heap.concrete(value))?;
        Some(Symbolic { value, id: ctx.arena.term(id), concrete })
    }
}

/// The expression of a key as a term, which is remembered.
fn key_expression(ctx: &mut Ctx<'_>, key: Value) -> SymId {
    let id = ctx.lift(key);
    let id = ctx.arena.term(id);
    ctx.witnesses.remember(id, key);
    id
}

/// Decides whether a key is that of a change.
fn is_key_of(ctx: &mut Ctx<'_>, change: Change, key: Value) -> bool {
    let Some(known) = ctx.witnesses.of(change.key) else {
        ctx.counters.concretise(bif::mfa("maps", "get", 2));
        return false;
    };
    let answer = compare(ctx, Comparison::Same, known, key);
    decide(ctx, answer)
}

pub(super) fn get(ctx: &mut Ctx<'_>, map: Symbolic, key: Value) -> Option<Value> {
    let mut base = map.id;
    while let Some(change) = ctx.arena.change(base) {
        if is_key_of(ctx, change, key) {
            // It is there as it was put.
            return change.value.and_then(|_| map::get(ctx.heap, map.concrete, key));
        }
        base = change.map;
    }
    let found = map::get(ctx.heap, map.concrete, key);
    let id = ctx.lift(key);
    let has = ctx.arena.map_has(base, id);
    if !ctx.branch(has, found.is_some()) {
        return None;
    }
    let value = ctx.arena.map_get(base, id);
    found.map(|found| ctx.part(found, value))
}

/// Whether it has a key, as a truth value; nothing is decided.
pub(super) fn has(ctx: &mut Ctx<'_>, map: Symbolic, key: Value) -> Value {
    let holds = map::find(ctx.heap, map.concrete, key).is_some();
    let id = ctx.lift(key);
    let condition = ctx.arena.map_has(map.id, id);
    ctx.truth(holds, Some(condition))
}

pub(super) fn size(ctx: &mut Ctx<'_>, map: Symbolic) -> Value {
    let known = ctx.path.known();
    let id = ctx.arena.map_size(map.id, &|arena, condition| known.holds(arena, condition));
    ctx.part(Value::count(map.concrete.size), id)
}

/// Takes note of a base, before it is changed.
fn remember_base(ctx: &mut Ctx<'_>, map: Symbolic) {
    if ctx.arena.change(map.id).is_none() {
        ctx.witnesses.remember(map.id, map.value);
    }
}

pub(super) fn put(ctx: &mut Ctx<'_>, map: Symbolic, pair: Pair) -> Value {
    remember_base(ctx, map);
    let symbolic = !ctx.is_concrete(pair.0);
    let key = key_expression(ctx, pair.0);
    let value = ctx.lift(pair.1);
    let id = ctx.arena.map_put(map.id, key, value);
    let changed = map::put(ctx.heap, map.concrete, pair, symbolic);
    ctx.heap.symbolic(changed, id)
}

pub(super) fn remove(ctx: &mut Ctx<'_>, map: Symbolic, key: Value) -> Value {
    remember_base(ctx, map);
    let id = key_expression(ctx, key);
    let id = ctx.arena.map_remove(map.id, id);
    let changed = map::remove(ctx.heap, map.concrete, key);
    ctx.heap.symbolic(changed, id)
}

/// All associations, as a map that is not symbolic itself.
pub(super) fn opened(ctx: &mut Ctx<'_>, map: Symbolic) -> Option<Map> {
    let mut changes = Vec::new();
    let mut base = map.id;
    while let Some(change) = ctx.arena.change(base) {
        changes.push(change);
        base = change.map;
    }
    let start = match ctx.arena.get(base) {
        Expr::Opaque(id, _) => ctx.arena.opaque(*id).map(|constant| constant.unpack(ctx.heap)),
        _ if changes.is_empty() => Some(map.value),
        _ => ctx.witnesses.of(base),
    };
    let mut opened = enumerated(ctx, base, start?)?;
    for change in changes.into_iter().rev() {
        let key = ctx.witnesses.of(change.key)?;
        let changed = match change.value {
            // If the map has the key no more, another change takes this one back.
            Some(_) => {
                let value = map::get(ctx.heap, map.concrete, key).unwrap_or(Value::NIL);
                maps::put_in(ctx, opened, (key, value))
            }
            None => maps::remove_in(ctx, opened, key),
        };
        opened = Map::of(ctx.heap, changed)?;
    }
    Some(opened)
}

/// A base as a map of its keys and values, once their number is decided.
fn enumerated(ctx: &mut Ctx<'_>, base: SymId, value: Value) -> Option<Map> {
    let concrete = Map::of(ctx.heap, ctx.heap.concrete(value))?;
    if matches!(ctx.arena.get(base), Expr::Opaque(..)) {
        return Some(concrete);
    }
    let size = ctx.arena.map_size(base, &|_, _| None);
    for number in 0..=ENUMERATED {
        let constant = ctx.arena.int(number);
        let condition = ctx.arena.eq(size, constant);
        if ctx.branch(condition, number == concrete.size) {
            break;
        }
    }
    if concrete.size > ENUMERATED {
        ctx.counters.concretise(bif::mfa("maps", "iterator", 1));
        return Some(concrete);
    }
    let shown = ctx.arena.map_shown(base, concrete.size as u32);
    ctx.given(shown);
    let mut pairs = map::in_order(ctx.heap, concrete, KeyOrder::of_maps());
    for (place, (key, value)) in pairs.iter_mut().enumerate() {
        let key_id = ctx.arena.map_key(base, place as u32);
        let value_id = ctx.arena.map_get(base, key_id);
        *key = ctx.part(*key, key_id);
        *value = ctx.part(*value, value_id);
    }
    let symbolic = !pairs.is_empty();
    let value = map::from_pairs(ctx.heap, pairs, symbolic);
    Map::of(ctx.heap, value)
}

/// The condition that two values, of which at least one is symbolic, are the same. A structure with maps in it is compared part by part, because for
/// the solver maps with the same keys and values need not be the same term.
pub(super) fn equality(ctx: &mut Ctx<'_>, a: Value, b: Value) -> SymId {
    let (symbol, other) = if a.is_sym() { (a, b) } else { (b, a) };
    if other.is_sym() || !has_map(ctx.heap, other) {
        let (x, y) = (ctx.lift(a), ctx.lift(b));
        return ctx.arena.eq(x, y);
    }
    let id = ctx.lift(symbol);
    let mut all = ctx.arena.truth(true);
    let mut rest = vec![(id, other)];
    let mut effort = Effort::new(ctx.heap);
    while let Some((id, value)) = rest.pop().filter(|_| effort.spend(ctx.heap)) {
        let condition = equality_of_part(ctx, id, value, &mut rest);
        all = ctx.arena.and(all, condition);
        if matches!(ctx.arena.get(all), Expr::False) {
            break;
        }
    }
    all
}

/// What has to hold for a term to be this value, apart from what it needs of its parts: these are left in `rest`.
fn equality_of_part(ctx: &mut Ctx<'_>, id: SymId, value: Value, rest: &mut Vec<(SymId, Value)>) -> SymId {
    match ctx.heap.view(value) {
        View::Cons(_) => {
            let (head, tail) = (ctx.arena.head(id), ctx.arena.tail(id));
            rest.extend([(tail, ctx.heap.tail(value)), (head, ctx.heap.head(value))]);
            ctx.arena.is(id, Tags::CONS)
        }
        View::Tuple(_, arity) => {
            for index in (0..arity).rev() {
                let element = ctx.arena.element(id, index as u32);
                rest.push((element, ctx.heap.element(value, index)));
            }
            ctx.arena.arity(id, arity as u32)
        }
        View::Map(_, size) if size <= COMPARED => equality_with_map(ctx, id, value, rest),
        _ => {
            let other = ctx.lift(value);
            ctx.arena.eq(id, other)
        }
    }
}

fn equality_with_map(ctx: &mut Ctx<'_>, id: SymId, value: Value, rest: &mut Vec<(SymId, Value)>) -> SymId {
    let mut all = ctx.arena.is(id, Tags::MAP);
    let Some(map) = Map::of(ctx.heap, value) else { return all };
    let id = ctx.arena.term(id);
    let size = ctx.arena.map_size(id, &|_, _| None);
    let constant = ctx.arena.int(map.size);
    let same_size = ctx.arena.eq(size, constant);
    all = ctx.arena.and(all, same_size);
    for (key, value) in maps::in_fixed_order(ctx, map) {
        let key = ctx.lift(key);
        let has = ctx.arena.map_has(id, key);
        all = ctx.arena.and(all, has);
        let part = ctx.arena.map_get(id, key);
        rest.push((part, value));
    }
    all
}
