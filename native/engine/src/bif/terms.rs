//! Tuples, and conversions between lists and tuples. Sizes and positions are decided, elements keep their expressions.

use std::ops::Range;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{Bif, BifResult, badarg, exact};
use crate::machine::Ctx;
use crate::sym::{SymId, Tags};
use crate::term::value::SMALL_MAX;
use crate::term::{AtomId, Value};

pub(super) const BIFS: &[Bif] = &[
    exact("element", 2, element),
    exact("setelement", 3, set_element),
    exact("tuple_size", 1, tuple_size),
    exact("size", 1, any_size),
    exact("append_element", 2, append_element),
    exact("insert_element", 3, insert_element),
    exact("delete_element", 2, delete_element),
    exact("make_tuple", 2, make_tuple),
    exact("make_tuple", 3, make_tuple),
    exact("tuple_to_list", 1, tuple_to_list),
    exact("list_to_tuple", 1, list_to_tuple),
    exact("make_fun", 3, make_fun),
];

/// The largest tuple of the VM.
const MAX_SIZE: usize = (1 << 24) - 1;

/// A small integer. Its value is decided, if it is symbolic; of one below zero, no more than that it is.
pub(super) fn pinned(ctx: &mut Ctx<'_>, value: Value) -> Option<i64> {
    if !value.is_sym() {
        return value.is_small().then(|| value.as_small());
    }
    if !ctx.is(value, Tags::INT) {
        return None;
    }
    let number = ctx.heap.integer(ctx.heap.concrete(value))?;
    let Some(id) = ctx.heap.expression(value).map(|id| ctx.arena.int_of(id)) else { return number.to_i64() };
    if is_below(ctx, id, &number, 0) {
        return Some(-1);
    }
    let mut bound = 1;
    while !is_below(ctx, id, &number, bound) {
        bound = Some(2 * bound).filter(|bound| *bound <= SMALL_MAX)?;
    }
    Some(bisect(ctx, id, &number, bound / 2..bound))
}

fn is_below(ctx: &mut Ctx<'_>, id: SymId, number: &BigInt, bound: i64) -> bool {
    let constant = ctx.arena.int(bound);
    let below = ctx.arena.lt(id, constant);
    ctx.branch(below, *number < BigInt::from(bound))
}

/// Which number of the range it is, in few decisions. What is asked next depends on nothing but the answers before, so that a run
/// which takes another side asks the same until there.
fn bisect(ctx: &mut Ctx<'_>, id: SymId, number: &BigInt, range: Range<i64>) -> i64 {
    let Range { mut start, mut end } = range;
    while end - start > 1 {
        let middle = start + (end - start) / 2;
        if is_below(ctx, id, number, middle) { end = middle } else { start = middle }
    }
    start
}

/// A position in a tuple, as an index from 0. Which one is decided, if it is symbolic.
fn position(ctx: &mut Ctx<'_>, position: Value, size: usize) -> Option<usize> {
    if !ctx.is(position, Tags::INT) {
        return None;
    }
    let number = ctx.heap.integer(ctx.heap.concrete(position))?;
    let index = number.to_usize().filter(|number| (1..=size).contains(number));
    if let Some(id) = ctx.heap.expression(position).map(|id| ctx.arena.int_of(id)) {
        let end = size as i64 + 1;
        if is_below(ctx, id, &number, 1) || !is_below(ctx, id, &number, end) {
            return None;
        }
        bisect(ctx, id, &number, 1..end);
    }
    Some(index? - 1)
}

fn element(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [place, tuple] = args else { return Err(badarg()) };
    if let (Some(size), true) = (ctx.heap.tuple_arity(*tuple), place.is_small()) {
        let index = usize::try_from(place.as_small()).ok().filter(|place| (1..=size).contains(place));
        return index.map(|index| ctx.heap.element(*tuple, index - 1)).ok_or_else(badarg);
    }
    let size = ctx.tuple_size(*tuple).ok_or_else(badarg)?;
    let index = position(ctx, *place, size).ok_or_else(badarg)?;
    Ok(ctx.element(*tuple, index))
}

fn set_element(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [place, tuple, value] = args else { return Err(badarg()) };
    let size = ctx.tuple_size(*tuple).ok_or_else(badarg)?;
    let index = position(ctx, *place, size).ok_or_else(badarg)?;
    let mut elements = elements(ctx, *tuple, size);
    if let Some(slot) = elements.get_mut(index) {
        *slot = *value;
    }
    Ok(ctx.heap.tuple(&elements))
}

fn elements(ctx: &mut Ctx<'_>, tuple: Value, size: usize) -> Vec<Value> {
    (0..size).map(|index| ctx.element(tuple, index)).collect()
}

fn tuple_size(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [tuple] = args else { return Err(badarg()) };
    ctx.tuple_size(*tuple).map(Value::count).ok_or_else(badarg)
}

/// Of a tuple, or the whole bytes of a bitstring.
fn any_size(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if value.is_sym() && !ctx.is(*value, Tags::TUPLE) {
        return super::stretches::full_bytes(ctx, *value);
    }
    match ctx.heap.as_bits(*value) {
        Some(bits) => Ok(Value::count(bits.length / 8)),
        None => tuple_size(ctx, args),
    }
}

fn append_element(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [tuple, value] = args else { return Err(badarg()) };
    let size = ctx.tuple_size(*tuple).filter(|size| *size < MAX_SIZE).ok_or_else(badarg)?;
    let mut elements = elements(ctx, *tuple, size);
    elements.push(*value);
    Ok(ctx.heap.tuple(&elements))
}

fn insert_element(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [place, tuple, value] = args else { return Err(badarg()) };
    let size = ctx.tuple_size(*tuple).filter(|size| *size < MAX_SIZE).ok_or_else(badarg)?;
    let index = position(ctx, *place, size + 1).ok_or_else(badarg)?;
    let mut elements = elements(ctx, *tuple, size);
    elements.insert(index, *value);
    Ok(ctx.heap.tuple(&elements))
}

fn delete_element(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [place, tuple] = args else { return Err(badarg()) };
    let size = ctx.tuple_size(*tuple).ok_or_else(badarg)?;
    let index = position(ctx, *place, size).ok_or_else(badarg)?;
    let mut elements = elements(ctx, *tuple, size);
    elements.remove(index);
    Ok(ctx.heap.tuple(&elements))
}

/// All elements are the default, but for those that the list `[{Position, Value}]` names; the last one for a position counts.
fn make_tuple(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [size, default, others @ ..] = args else { return Err(badarg()) };
    let size = pinned(ctx, *size).and_then(|size| usize::try_from(size).ok());
    let size = size.filter(|size| *size <= MAX_SIZE).ok_or_else(badarg)?;
    let mut elements = vec![*default; size];
    for list in others {
        for pair in ctx.list(*list).ok_or_else(badarg)? {
            if !ctx.has_arity(pair, 2) {
                return Err(badarg());
            }
            let (place, value) = (ctx.element(pair, 0), ctx.element(pair, 1));
            let index = position(ctx, place, size).ok_or_else(badarg)?;
            if let Some(slot) = elements.get_mut(index) {
                *slot = value;
            }
        }
    }
    Ok(ctx.heap.tuple(&elements))
}

fn tuple_to_list(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [tuple] = args else { return Err(badarg()) };
    let size = ctx.tuple_size(*tuple).ok_or_else(badarg)?;
    let elements = elements(ctx, *tuple, size);
    Ok(ctx.heap.list(elements, Value::NIL))
}

fn list_to_tuple(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    let items = ctx.list(*list).filter(|items| items.len() <= MAX_SIZE).ok_or_else(badarg)?;
    Ok(ctx.heap.tuple(&items))
}

fn make_fun(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [module, function, arity] = args else { return Err(badarg()) };
    let [module, function, arity] = [*module, *function, *arity].map(|value| ctx.heap.concrete(value));
    let small = arity.is_small() && (0..=255).contains(&arity.as_small());
    if !module.is_atom() || !function.is_atom() || !small {
        return Err(badarg());
    }
    let (module, function): (AtomId, AtomId) = (module.as_atom(), function.as_atom());
    Ok(ctx.heap.external(module, function, arity.as_small() as usize))
}
