//! Sizes and parts of symbolic bitstrings, or at symbolic positions.
//!
//! Decided are: whether a bitstring is whole bytes, and whether a part lies inside. Sizes and positions stay symbolic.

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use super::{BifResult, Failure, badarg};
use crate::machine::{Ctx, Reading, Stretch};
use crate::release;
use crate::sym::{Place, SymId};
use crate::term::bits::{self};
use crate::term::{Bits, Value};

/// A symbolic bitstring, or a concrete one taken for one.
#[derive(Clone, Copy)]
pub(super) struct Subject {
    pub(super) stretch: Stretch,
    pub(super) bits: Bits,
}

pub(super) fn subject(ctx: &mut Ctx<'_>, value: Value) -> Result<Subject, Failure> {
    let bits = ctx.bitstring(value).ok_or_else(badarg)?;
    Ok(Subject { stretch: ctx.stretch(value), bits })
}

/// One of whole bytes.
pub(super) fn binary_subject(ctx: &mut Ctx<'_>, value: Value) -> Result<Subject, Failure> {
    let subject = subject(ctx, value)?;
    if ctx.is_whole(subject.stretch, subject.bits.length, 8) { Ok(subject) } else { Err(badarg()) }
}

/// An integer argument.
struct Number {
    id: SymId,
    value: BigInt,
}

fn number(ctx: &mut Ctx<'_>, value: Value) -> Result<Number, Failure> {
    let id = ctx.integer(value).ok_or_else(badarg)?;
    let value = ctx.heap.integer(ctx.heap.concrete(value)).ok_or_else(badarg)?;
    Ok(Number { id, value })
}

fn is_negative(ctx: &mut Ctx<'_>, number: &Number) -> bool {
    let zero = ctx.arena.int(0);
    let condition = ctx.arena.linear_lt(number.id, zero);
    ctx.settle(condition, number.value.sign() == Sign::Minus)
}

fn sum(ctx: &mut Ctx<'_>, a: &Number, b: &Number) -> Number {
    Number { id: ctx.arena.linear_add(a.id, b.id), value: &a.value + &b.value }
}

/// A position in bytes from the start of a bitstring, if it is not behind its end.
fn position(ctx: &mut Ctx<'_>, subject: Subject, at: &Number) -> Option<(Place, usize)> {
    let step = Place { bytes: at.id, bits: 0 };
    let place = ctx.arena.place_plus(subject.stretch.from, step);
    let condition = ctx.reaches(subject.stretch, place);
    let bits = at.value.to_usize().and_then(|bytes| bytes.checked_mul(8));
    let inside = bits.filter(|bits| *bits <= subject.bits.length);
    if !ctx.settle(condition, inside.is_some()) {
        return None;
    }
    let bits = inside?;
    // In a construction only fixed places can be found.
    if ctx.segments(subject.stretch.base).is_some() && ctx.arena.constant_place(place).is_none() {
        ctx.fix(at.id, (bits / 8) as i64);
        let step = ctx.arena.place(bits);
        return Some((ctx.arena.place_plus(subject.stretch.from, step), bits));
    }
    Some((place, bits))
}

/// The size in whole bytes, the last one perhaps not full.
pub(super) fn byte_size(ctx: &mut Ctx<'_>, value: Value) -> BifResult {
    let subject = subject(ctx, value)?;
    let count = Value::count(subject.bits.length.div_ceil(8));
    let whole = ctx.is_whole(subject.stretch, subject.bits.length, 8);
    let length = ctx.decided_length(subject.stretch, subject.bits.length);
    let more = ctx.arena.int(u8::from(!whole));
    let id = ctx.arena.linear_add(length.bytes, more);
    Ok(ctx.part(count, id))
}

pub(super) fn bit_size(ctx: &mut Ctx<'_>, value: Value) -> BifResult {
    let Subject { stretch, bits } = subject(ctx, value)?;
    let id = ctx.length_in_bits(stretch);
    Ok(ctx.part(Value::count(bits.length), id))
}

/// `size/1` of a bitstring: in bytes that are full.
pub(super) fn full_bytes(ctx: &mut Ctx<'_>, value: Value) -> BifResult {
    let subject = subject(ctx, value)?;
    let length = ctx.decided_length(subject.stretch, subject.bits.length);
    Ok(ctx.part(Value::count(subject.bits.length / 8), length.bytes))
}

/// The part between two positions, as places and in bits.
fn between(ctx: &mut Ctx<'_>, subject: Subject, from: (Place, usize), to: (Place, usize)) -> BifResult {
    let length = to.1.checked_sub(from.1).ok_or_else(badarg)?;
    let part = bits::sub(subject.bits, from.1, length).ok_or_else(badarg)?;
    Ok(ctx.bits_part(subject.stretch, from.0, Some(to.0), part))
}

/// The stretch of bytes from a position, of a length that may be negative.
pub(super) fn part(ctx: &mut Ctx<'_>, args: &[Value; 3]) -> BifResult {
    let [value, at, length] = *args;
    let take = if release::parts_of_bitstrings_are_binaries() { subject } else { binary_subject };
    let subject = take(ctx, value)?;
    let (at, length) = (number(ctx, at)?, number(ctx, length)?);
    let other = sum(ctx, &at, &length);
    let (first, last) = if is_negative(ctx, &length) { (other, at) } else { (at, other) };
    if is_negative(ctx, &first) {
        return Err(badarg());
    }
    let to = position(ctx, subject, &last).ok_or_else(badarg)?;
    let from = position(ctx, subject, &first).ok_or_else(badarg)?;
    between(ctx, subject, from, to)
}

/// The same with a pair of position and length.
pub(super) fn part_at_pair(ctx: &mut Ctx<'_>, value: Value, pair: Value) -> BifResult {
    subject(ctx, value)?;
    if !ctx.has_arity(pair, 2) {
        return Err(badarg());
    }
    let args = [value, ctx.element(pair, 0), ctx.element(pair, 1)];
    part(ctx, &args)
}

pub(super) fn split(ctx: &mut Ctx<'_>, value: Value, at: Value) -> BifResult {
    let subject = subject(ctx, value)?;
    let at = number(ctx, at)?;
    if is_negative(ctx, &at) {
        return Err(badarg());
    }
    let middle = position(ctx, subject, &at).ok_or_else(badarg)?;
    let first = between(ctx, subject, (subject.stretch.from, 0), middle)?;
    let rest = bits::sub(subject.bits, middle.1, subject.bits.length - middle.1).ok_or_else(badarg)?;
    let rest = ctx.bits_part(subject.stretch, middle.0, None, rest);
    Ok(ctx.heap.tuple(&[first, rest]))
}

/// The byte at a place, which is there.
fn byte(ctx: &mut Ctx<'_>, subject: Subject, at: (Place, usize)) -> BifResult {
    let concrete = bits::byte(ctx.heap, subject.bits, at.1 / 8);
    let value = Value::count(usize::from(concrete));
    match ctx.read(subject.stretch.base, at.0, Reading::unsigned(8)) {
        Some(id) => Ok(ctx.part(value, id)),
        None => {
            ctx.counters.concretise(super::mfa("binary", "at", 2));
            Ok(value)
        }
    }
}

/// The byte with a number.
pub(super) fn at(ctx: &mut Ctx<'_>, value: Value, index: Value) -> BifResult {
    let subject = binary_subject(ctx, value)?;
    let index = number(ctx, index)?;
    if is_negative(ctx, &index) {
        return Err(badarg());
    }
    let one = Number { id: ctx.arena.int(1), value: BigInt::from(1) };
    let next = sum(ctx, &index, &one);
    position(ctx, subject, &next).ok_or_else(badarg)?;
    let place = position(ctx, subject, &index).ok_or_else(badarg)?;
    byte(ctx, subject, place)
}

pub(super) fn last(ctx: &mut Ctx<'_>, value: Value) -> BifResult {
    let subject = binary_subject(ctx, value)?;
    let length = ctx.decided_length(subject.stretch, subject.bits.length);
    let bytes = Number { id: length.bytes, value: BigInt::from(subject.bits.length / 8) };
    let minus_one = Number { id: ctx.arena.int(-1), value: BigInt::from(-1) };
    let index = sum(ctx, &bytes, &minus_one);
    if is_negative(ctx, &index) {
        return Err(badarg());
    }
    let place = position(ctx, subject, &index).ok_or_else(badarg)?;
    byte(ctx, subject, place)
}

/// The bytes as a list, whose length is decided; behind them what is left if it is no whole byte, and that is wanted.
pub(super) fn list(ctx: &mut Ctx<'_>, value: Value, with_rest: bool) -> BifResult {
    let subject = if with_rest { subject(ctx, value)? } else { binary_subject(ctx, value)? };
    let mut items = Vec::new();
    let mut start = 0;
    loop {
        let (size, step) = (ctx.arena.place(8), ctx.arena.place(start));
        let place = ctx.arena.place_plus(subject.stretch.from, step);
        if !ctx.is_there(subject.stretch, place, (size, 8), subject.bits.length - start) {
            break;
        }
        items.push(byte(ctx, subject, (place, start))?);
        start += 8;
    }
    let left = subject.bits.length - start;
    if with_rest && !ctx.is_whole(subject.stretch, subject.bits.length, 8) {
        ctx.decided_end(subject.stretch, subject.bits.length);
        let step = ctx.arena.place(start);
        let place = ctx.arena.place_plus(subject.stretch.from, step);
        let rest = bits::sub(subject.bits, start, left).ok_or_else(badarg)?;
        items.push(ctx.bits_part(subject.stretch, place, None, rest));
    }
    Ok(ctx.heap.list(items, Value::NIL))
}
