//! Iolists: nested lists of bytes and bitstrings.
//!
//! The shape of a symbolic list is decided as far as it goes, and whether integers in it are bytes. What is built keeps the expressions
//! of its bytes and bitstrings; only the last bitstring may have a size that is not decided.

use super::{Bif, BifResult, Failure, Meaning, badarg, exact};
use crate::machine::{Ctx, Stop};
use crate::sym::Tags;
use crate::term::effort::Effort;
use crate::term::{BitWriter, Value};

pub(super) const BIFS: &[Bif] = &[
    exact("list_to_binary", 1, list_to_binary),
    exact("iolist_to_binary", 1, iolist_to_binary),
    exact("iolist_size", 1, iolist_size),
    exact("list_to_bitstring", 1, list_to_bitstring),
    Bif { module: "binary", name: "list_to_bin", arity: 1, meaning: Meaning::Exact, run: list_to_binary },
];

/// More bits than this are not built.
const MOST_BITS: usize = 1 << 31;

/// What an iolist may contain besides bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    Binaries,
    Bitstrings,
}

/// A part that is still to be visited: an element, or the rest of a list.
enum Todo {
    Element(Value),
    Rest(Value),
}

/// Visits the bytes and bitstrings of an iolist in order.
fn walk(
    ctx: &mut Ctx<'_>,
    list: Value,
    kind: Parts,
    mut visit: impl FnMut(&mut Ctx<'_>, Value) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut todo = vec![Todo::Rest(list)];
    let mut effort = Effort::new(ctx.heap);
    while let Some(next) = todo.pop() {
        if !effort.spend(ctx.heap) {
            return Err(Failure::Stop(Stop::Steps));
        }
        let (value, is_element) = match next {
            Todo::Element(value) => (value, true),
            Todo::Rest(value) => (value, false),
        };
        if is_element && value.is_small() {
            visit(ctx, value)?;
        } else if ctx.is(value, Tags::CONS) {
            let (head, tail) = (ctx.head(value), ctx.tail(value));
            todo.push(Todo::Rest(tail));
            todo.push(Todo::Element(head));
        } else if ctx.is(value, Tags::NIL) {
        } else if let Some(bits) = ctx.bitstring(value) {
            let stretch = ctx.stretch_of(value);
            let whole = stretch.map_or(bits.length.is_multiple_of(8), |stretch| match kind {
                Parts::Binaries => ctx.is_whole(stretch, bits.length, 8),
                Parts::Bitstrings => true,
            });
            if kind == Parts::Binaries && !whole {
                return Err(badarg());
            }
            visit(ctx, value)?;
        } else if is_element && value.is_sym() && is_byte(ctx, value) {
            visit(ctx, value)?;
        } else {
            return Err(badarg());
        }
    }
    Ok(())
}

/// Whether a symbolic element is a byte: decides it.
fn is_byte(ctx: &mut Ctx<'_>, value: Value) -> bool {
    let Some(id) = ctx.integer(value) else { return false };
    let concrete = ctx.heap.concrete(value);
    let (first, end) = (ctx.arena.int(0), ctx.arena.int(256));
    let (negative, in_range) = (ctx.arena.linear_lt(id, first), ctx.arena.linear_lt(id, end));
    let not_negative = ctx.arena.not(negative);
    let condition = ctx.arena.and(not_negative, in_range);
    ctx.settle(condition, concrete.is_small() && (0..256).contains(&concrete.as_small()))
}

/// The number of bits that a part of an iolist stands for.
fn part_size(ctx: &Ctx<'_>, part: Value) -> Result<usize, Failure> {
    match ctx.heap.as_bits(part) {
        Some(bits) => Ok(bits.length),
        None if part.is_small() && (0..256).contains(&part.as_small()) => Ok(8),
        None => Err(badarg()),
    }
}

fn collect(ctx: &mut Ctx<'_>, list: Value, kind: Parts) -> BifResult {
    let mut writer = BitWriter::new();
    let mut parts = Vec::new();
    walk(ctx, list, kind, |ctx, part| {
        let concrete = ctx.heap.concrete(part);
        if writer.length() + part_size(ctx, concrete)? > MOST_BITS {
            return Err(Failure::Stop(Stop::Heap));
        }
        match ctx.heap.as_bits(concrete) {
            Some(bits) => writer.push_bitstring(ctx.heap, bits),
            None => writer.push_small(concrete.as_small(), 8, crate::term::Endian::Big),
        }
        parts.push(part);
        Ok(())
    })?;
    let value = writer.finish(ctx.heap);
    if parts.iter().any(|part| part.is_sym()) { Ok(ctx.joined(&parts, value)) } else { Ok(value) }
}

fn list_to_binary(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    if !ctx.is(*list, Tags::LIST) {
        return Err(badarg());
    }
    collect(ctx, *list, Parts::Binaries)
}

fn list_to_bitstring(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    if !ctx.is(*list, Tags::LIST) {
        return Err(badarg());
    }
    collect(ctx, *list, Parts::Bitstrings)
}

fn iolist_to_binary(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    // A binary stays what it is, with its expression.
    if ctx.is(*value, Tags::BITS) {
        if value.is_sym() {
            return super::stretches::binary_subject(ctx, *value).map(|_| *value);
        }
        let bits = ctx.heap.bits_of(*value);
        return if bits.length.is_multiple_of(8) { Ok(*value) } else { Err(badarg()) };
    }
    collect(ctx, *value, Parts::Binaries)
}

fn iolist_size(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let mut bits = 0usize;
    let mut open = Vec::new();
    let mut fixed = 0usize;
    walk(ctx, *value, Parts::Binaries, |ctx, part| {
        let size = part_size(ctx, ctx.heap.concrete(part))?;
        bits = bits.saturating_add(size);
        match ctx.stretch_of(part) {
            Some(stretch) => open.push(ctx.decided_length(stretch, size).bytes),
            None => fixed += size / 8,
        }
        Ok(())
    })?;
    let count = Value::count(bits / 8);
    if open.is_empty() {
        return Ok(count);
    }
    let fixed = ctx.arena.int(fixed);
    let sum = open.into_iter().fold(fixed, |sum, bytes| ctx.arena.linear_add(sum, bytes));
    Ok(ctx.part(count, sum))
}
