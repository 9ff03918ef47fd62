//! Tuples, and conversions between lists and tuples.

use num_traits::ToPrimitive;

use super::{Bif, BifResult, badarg, exact};
use crate::machine::Ctx;
use crate::sym::Tags;
use crate::term::{AtomId, Value};

pub(super) const BIFS: &[Bif] = &[
    exact("element", 2, element),
    exact("setelement", 3, set_element),
    exact("tuple_size", 1, tuple_size),
    exact("tuple_to_list", 1, tuple_to_list),
    exact("list_to_tuple", 1, list_to_tuple),
    exact("make_fun", 3, make_fun),
];

/// The size of a tuple, decided if it is symbolic.
fn size(ctx: &mut Ctx<'_>, tuple: Value) -> Option<usize> {
    match ctx.heap.tuple_arity(ctx.heap.concrete(tuple)) {
        None => {
            ctx.is(tuple, Tags::TUPLE);
            None
        }
        Some(size) => {
            ctx.is(tuple, Tags::TUPLE);
            ctx.has_arity(tuple, size);
            Some(size)
        }
    }
}

/// A position in a tuple, as an index from 0. Which one is decided, if it is symbolic.
fn position(ctx: &mut Ctx<'_>, position: Value, size: usize) -> Option<usize> {
    if !ctx.is(position, Tags::INT) {
        return None;
    }
    let number = ctx.heap.integer(ctx.heap.concrete(position))?;
    let index = number.to_usize().filter(|number| (1..=size).contains(number));
    if let Some(id) = ctx.heap.expression(position) {
        let id = ctx.arena.int_of(id);
        match index {
            Some(index) => {
                let constant = ctx.arena.int(index);
                let here = ctx.arena.eq(id, constant);
                ctx.branch(here, true);
            }
            None => {
                // Outside: below the first or above the last.
                let first = ctx.arena.int(1);
                let low = ctx.arena.lt(id, first);
                if !ctx.branch(low, number.to_i64().map_or(number.sign() == num_bigint::Sign::Minus, |i| i < 1)) {
                    let last = ctx.arena.int(size);
                    let high = ctx.arena.lt(last, id);
                    ctx.branch(high, true);
                }
            }
        }
    }
    Some(index? - 1)
}

fn element(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [place, tuple] = args else { return Err(badarg()) };
    let size = size(ctx, *tuple).ok_or_else(badarg)?;
    let index = position(ctx, *place, size).ok_or_else(badarg)?;
    Ok(ctx.element(*tuple, index))
}

fn set_element(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [place, tuple, value] = args else { return Err(badarg()) };
    let size = size(ctx, *tuple).ok_or_else(badarg)?;
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
    size(ctx, *tuple).map(Value::count).ok_or_else(badarg)
}

fn tuple_to_list(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [tuple] = args else { return Err(badarg()) };
    let size = size(ctx, *tuple).ok_or_else(badarg)?;
    let elements = elements(ctx, *tuple, size);
    Ok(ctx.heap.list(elements, Value::NIL))
}

fn list_to_tuple(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    let items = ctx.list(*list).ok_or_else(badarg)?;
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
