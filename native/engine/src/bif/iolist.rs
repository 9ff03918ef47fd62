//! Iolists: nested lists of bytes and bitstrings.
//!
//! The shape of a symbolic list is decided as far as it goes; symbolic bytes and bitstrings are concrete, which is counted.

use super::{Bif, BifResult, Failure, Meaning, badarg, exact};
use crate::machine::{Ctx, Stop};
use crate::sym::Tags;
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

/// A value of this type, concrete from now on.
fn plain(ctx: &mut Ctx<'_>, value: Value, tags: Tags, name: &'static str) -> Option<Value> {
    if !ctx.is(value, tags) {
        return None;
    }
    if value.is_sym() {
        ctx.counters.concretise(super::mfa("erlang", name, 1));
    }
    Some(ctx.heap.concrete(value))
}

/// Visits the bytes and bitstrings of an iolist in order.
fn walk(
    ctx: &mut Ctx<'_>,
    list: Value,
    what: (Parts, &'static str),
    mut visit: impl FnMut(&mut Ctx<'_>, Value) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut todo = vec![Todo::Rest(list)];
    while let Some(next) = todo.pop() {
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
        } else if let Some(bits) = plain(ctx, value, Tags::BITS, what.1) {
            if what.0 == Parts::Binaries && !ctx.heap.bits_of(bits).length.is_multiple_of(8) {
                return Err(badarg());
            }
            visit(ctx, bits)?;
        } else if is_element && let Some(byte) = plain(ctx, value, Tags::INT, what.1) {
            visit(ctx, byte)?;
        } else {
            return Err(badarg());
        }
    }
    Ok(())
}

/// The number of bits that a part of an iolist stands for.
fn part_size(ctx: &Ctx<'_>, part: Value) -> Result<usize, Failure> {
    match ctx.heap.as_bits(part) {
        Some(bits) => Ok(bits.length),
        None if part.is_small() && (0..256).contains(&part.as_small()) => Ok(8),
        None => Err(badarg()),
    }
}

fn collect(ctx: &mut Ctx<'_>, list: Value, what: (Parts, &'static str)) -> BifResult {
    let mut writer = BitWriter::new();
    walk(ctx, list, what, |ctx, part| {
        if writer.length() + part_size(ctx, part)? > MOST_BITS {
            return Err(Failure::Stop(Stop::Heap));
        }
        match ctx.heap.as_bits(part) {
            Some(bits) => writer.push_bitstring(ctx.heap, bits),
            None => writer.push_small(part.as_small(), 8, crate::term::Endian::Big),
        }
        Ok(())
    })?;
    Ok(writer.finish(ctx.heap))
}

fn list_to_binary(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    if !ctx.is(*list, Tags::LIST) {
        return Err(badarg());
    }
    collect(ctx, *list, (Parts::Binaries, "list_to_binary"))
}

fn list_to_bitstring(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    if !ctx.is(*list, Tags::LIST) {
        return Err(badarg());
    }
    collect(ctx, *list, (Parts::Bitstrings, "list_to_bitstring"))
}

fn iolist_to_binary(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    // A binary stays what it is, with its expression.
    if ctx.is(*value, Tags::BITS) {
        let bits = ctx.heap.bits_of(ctx.heap.concrete(*value));
        return if bits.length.is_multiple_of(8) { Ok(*value) } else { Err(badarg()) };
    }
    collect(ctx, *value, (Parts::Binaries, "iolist_to_binary"))
}

fn iolist_size(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let mut bits = 0usize;
    walk(ctx, *value, (Parts::Binaries, "iolist_size"), |ctx, part| {
        bits = bits.saturating_add(part_size(ctx, part)?);
        Ok(())
    })?;
    Ok(Value::count(bits / 8))
}
