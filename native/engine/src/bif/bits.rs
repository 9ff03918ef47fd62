//! Bitstrings: sizes, parts, and lists of bytes.
//!
//! With a symbolic argument, the functions of [`super::stretches`] are used.

use super::{Bif, BifResult, Failure, badarg, exact, stretches, typed};
use crate::machine::{Ctx, Stop};
use crate::release;
use crate::sym::Tags;
use crate::term::bits::{self, Reader};
use crate::term::{Bits, Heap, Value, etf};

const BITS: Tags = Tags::BITS;
const INT: Tags = Tags::INT;

pub(super) const BIFS: &[Bif] = &[
    exact("byte_size", 1, byte_size),
    exact("bit_size", 1, bit_size),
    exact("binary_part", 2, part_at_pair),
    exact("binary_part", 3, part),
    exact("split_binary", 2, split),
    exact("binary_to_list", 1, to_list),
    typed("binary_to_list", &[BITS, INT, INT], range_to_list),
    exact("bitstring_to_list", 1, bitstring_to_list),
    typed("binary_to_term", &[BITS], to_term),
];

/// The bits of a concrete argument.
pub(super) fn bits_of(ctx: &Ctx<'_>, value: Value) -> Result<Bits, Failure> {
    ctx.heap.as_bits(value).ok_or_else(badarg)
}

/// The bits of a concrete argument of which a part is taken.
fn whole_of(ctx: &Ctx<'_>, value: Value) -> Result<Bits, Failure> {
    if release::parts_of_bitstrings_are_binaries() { bits_of(ctx, value) } else { binary(ctx, value) }
}

/// The bits of a concrete argument that are whole bytes.
pub(super) fn binary(ctx: &Ctx<'_>, value: Value) -> Result<Bits, Failure> {
    bits_of(ctx, value).and_then(|bits| if bits.length % 8 == 0 { Ok(bits) } else { Err(badarg()) })
}

fn byte_size(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if value.is_sym() {
        return stretches::byte_size(ctx, *value);
    }
    Ok(Value::count(bits_of(ctx, *value)?.length.div_ceil(8)))
}

fn bit_size(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if value.is_sym() {
        return stretches::bit_size(ctx, *value);
    }
    Ok(Value::count(bits_of(ctx, *value)?.length))
}

/// The stretch of bytes from a position, of a length that may be negative, if it lies inside `size` bytes.
pub(super) fn stretch(size: usize, position: Value, length: Value) -> Option<(usize, usize)> {
    if !position.is_small() || !length.is_small() {
        return None;
    }
    let (position, length) = (position.as_small(), length.as_small());
    let (first, last) = (position.min(position + length), position.max(position + length));
    (first >= 0 && last <= size as i64).then_some((first as usize, (last - first) as usize))
}

/// The bytes from `at` on as a bitstring of their own, without a copy.
pub(super) fn view(ctx: &mut Ctx<'_>, whole: Bits, at: usize, bytes: usize) -> BifResult {
    let part = bits::sub(whole, 8 * at, 8 * bytes).ok_or_else(badarg)?;
    Ok(ctx.heap.bits(part))
}

pub(super) fn part(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value, position, length] = args else { return Err(badarg()) };
    if args.iter().any(|arg| arg.is_sym()) {
        return stretches::part(ctx, &[*value, *position, *length]);
    }
    let whole = whole_of(ctx, *value)?;
    let (at, bytes) = stretch(whole.length / 8, *position, *length).ok_or_else(badarg)?;
    view(ctx, whole, at, bytes)
}

pub(super) fn part_at_pair(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value, pair] = args else { return Err(badarg()) };
    if args.iter().any(|arg| arg.is_sym()) {
        return stretches::part_at_pair(ctx, *value, *pair);
    }
    if ctx.heap.tuple_arity(*pair) != Some(2) {
        return Err(badarg());
    }
    let (position, length) = (ctx.heap.element(*pair, 0), ctx.heap.element(*pair, 1));
    part(ctx, &[*value, position, length])
}

fn split(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value, position] = args else { return Err(badarg()) };
    if args.iter().any(|arg| arg.is_sym()) {
        return stretches::split(ctx, *value, *position);
    }
    let whole = bits_of(ctx, *value)?;
    let (_, bytes) = stretch(whole.length / 8, Value::ZERO, *position).ok_or_else(badarg)?;
    if position.as_small() < 0 {
        return Err(badarg());
    }
    let first = ctx.heap.bits(Bits { length: 8 * bytes, ..whole });
    let rest = ctx.heap.bits(Bits { offset: whole.offset + 8 * bytes, length: whole.length - 8 * bytes, ..whole });
    Ok(ctx.heap.tuple(&[first, rest]))
}

/// Longer lists of bytes or characters are not built.
pub(super) const LONGEST_LIST: usize = 1 << 24;

/// The bytes as a list before `tail`.
pub(super) fn list(ctx: &mut Ctx<'_>, bits: Bits, tail: Value) -> BifResult {
    if bits.length / 8 > LONGEST_LIST {
        return Err(Failure::Stop(Stop::Heap));
    }
    let mut list = tail;
    for at in (0..bits.length / 8).rev() {
        let byte = Reader::new(ctx.heap, bits).chunk(8 * at) >> 56;
        list = ctx.heap.cons(Value::count(byte as usize), list);
    }
    Ok(list)
}

fn to_list(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if value.is_sym() {
        return stretches::list(ctx, *value, false);
    }
    let bits = binary(ctx, *value)?;
    list(ctx, bits, Value::NIL)
}

/// The bytes from one position to another, both counted from 1.
fn range_to_list(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value, first, last] = args else { return Err(badarg()) };
    let whole = whole_of(ctx, *value)?;
    if !first.is_small() || !last.is_small() {
        return Err(badarg());
    }
    let (first, last) = (first.as_small(), last.as_small());
    if first < 1 || last > (whole.length / 8) as i64 || first > last {
        return Err(badarg());
    }
    let part = bits::sub(whole, 8 * (first as usize - 1), 8 * (last - first + 1) as usize).ok_or_else(badarg)?;
    list(ctx, part, Value::NIL)
}

/// The last element is a bitstring if the bytes are not whole.
fn bitstring_to_list(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if value.is_sym() {
        return stretches::list(ctx, *value, true);
    }
    let whole = bits_of(ctx, *value)?;
    let bytes = whole.length / 8;
    let tail = match whole.length % 8 {
        0 => Value::NIL,
        rest => {
            let last = ctx.heap.bits(Bits { offset: whole.offset + 8 * bytes, length: rest, ..whole });
            ctx.heap.cons(last, Value::NIL)
        }
    };
    list(ctx, whole, tail)
}

/// What is not read here (compressed terms), or no term at all, is for the host.
fn to_term(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let bits = binary(ctx, *value)?;
    let bytes = bits::to_bytes(ctx.heap, bits);
    let mut foreign = false;
    let note = &mut |_: &mut Heap, _: &[u8]| {
        foreign = true;
        None
    };
    let term = etf::decode_with(ctx.heap, &bytes, note).map_err(|_| Failure::Host)?;
    // Processes, references and funs may be those of the machine, which the host tells.
    if foreign { Err(Failure::Host) } else { Ok(term) }
}
