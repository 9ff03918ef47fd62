//! Module `binary`, except searching ([`super::search`]). With a symbolic argument, the functions of [`super::stretches`] are used, or an
//! emulation ([`super::prelude`]).

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;

use super::bits::{binary, bits_of, part, part_at_pair};
use super::{Bif, BifResult, Meaning, badarg, stretches, typed_of};
use crate::machine::{Ctx, Failure, Stop};
use crate::release;
use crate::sym::Tags;
use crate::term::bits::segment::integer_value;
use crate::term::bits::{self, Reader};
use crate::term::{AtomId, BitWriter, Bits, Endian, Value};

const BITS: Tags = Tags::BITS;
const INT: Tags = Tags::INT;
const ATOM: Tags = Tags::ATOM;

pub(super) const BIFS: &[Bif] = &[
    exact_of("at", 2, at),
    exact_of("first", 1, first),
    exact_of("last", 1, last),
    exact_of("part", 2, part_at_pair),
    exact_of("part", 3, part),
    exact_of("copy", 1, copy_once),
    typed_of("binary", "copy", &[BITS, INT], copy_times),
    typed_of("binary", "encode_unsigned", &[INT], |ctx, args| encode_unsigned(ctx, args, Endian::Big)),
    typed_of("binary", "encode_unsigned", &[INT, ATOM], |ctx, args| {
        let endian = endian(args)?;
        encode_unsigned(ctx, args, endian)
    }),
    typed_of("binary", "decode_unsigned", &[BITS], |ctx, args| decode_unsigned(ctx, args, Endian::Big)),
    typed_of("binary", "decode_unsigned", &[BITS, ATOM], |ctx, args| {
        let endian = endian(args)?;
        decode_unsigned(ctx, args, endian)
    }),
    typed_of("binary", "longest_common_prefix", &[Tags::LIST], |ctx, args| common(ctx, args, false)),
    typed_of("binary", "longest_common_suffix", &[Tags::LIST], |ctx, args| common(ctx, args, true)),
];

const fn exact_of(name: &'static str, arity: usize, run: fn(&mut Ctx<'_>, &[Value]) -> BifResult) -> Bif {
    Bif { module: "binary", name, arity, meaning: Meaning::Exact, run }
}

const MOST_BYTES: usize = 1 << 28;

fn byte(ctx: &Ctx<'_>, bits: Bits, index: usize) -> BifResult {
    if index < bits.length / 8 { Ok(Value::count(bits::byte(ctx.heap, bits, index) as usize)) } else { Err(badarg()) }
}

fn at(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value, index] = args else { return Err(badarg()) };
    if args.iter().any(|arg| arg.is_sym()) {
        return stretches::at(ctx, *value, *index);
    }
    let bits = binary(ctx, *value)?;
    match usize::try_from(index.as_small()) {
        Ok(place) if index.is_small() => byte(ctx, bits, place),
        _ => Err(badarg()),
    }
}

fn first(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if value.is_sym() {
        return stretches::at(ctx, *value, Value::ZERO);
    }
    let bits = binary(ctx, *value)?;
    byte(ctx, bits, 0)
}

fn last(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if value.is_sym() {
        return stretches::last(ctx, *value);
    }
    let bits = binary(ctx, *value)?;
    byte(ctx, bits, (bits.length / 8).checked_sub(1).ok_or_else(badarg)?)
}

/// A binary stays what it is, with its expression.
fn copy_once(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if value.is_sym() {
        return stretches::binary_subject(ctx, *value).map(|_| *value);
    }
    copy(ctx, args, Value::count(1))
}

fn copy_times(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [_, times] = args else { return Err(badarg()) };
    copy(ctx, args, *times)
}

fn copy(ctx: &mut Ctx<'_>, args: &[Value], times: Value) -> BifResult {
    let Some(value) = args.first() else { return Err(badarg()) };
    let bits = bits_of(ctx, *value)?;
    let times = match usize::try_from(times.as_small()) {
        Ok(count) if times.is_small() => count,
        _ => return Err(badarg()),
    };
    if times > 0 || !release::parts_of_bitstrings_are_binaries() {
        binary(ctx, *value)?;
    }
    let length = bits.length.checked_mul(times).filter(|length| *length <= 8 * MOST_BYTES);
    let Some(length) = length else { return Err(Failure::Stop(Stop::Heap)) };
    let mut writer = BitWriter::with_capacity(length);
    if bits.length > 0 {
        (0..times).for_each(|_| writer.push_bitstring(ctx.heap, bits));
    }
    Ok(writer.finish(ctx.heap))
}

fn endian(args: &[Value]) -> Result<Endian, Failure> {
    let Some(name) = args.get(1).filter(|name| name.is_atom()) else { return Err(badarg()) };
    match &*name.as_atom().name() {
        "big" => Ok(Endian::Big),
        "little" => Ok(Endian::Little),
        _ => Err(badarg()),
    }
}

fn encode_unsigned(ctx: &mut Ctx<'_>, args: &[Value], endian: Endian) -> BifResult {
    let integer = args.first().and_then(|value| ctx.heap.integer(*value)).ok_or_else(badarg)?;
    if integer.sign() == Sign::Minus {
        return Err(badarg());
    }
    let (_, bytes) = if integer.is_zero() { (Sign::Plus, vec![0]) } else { integer.to_bytes_le() };
    let bytes: Vec<u8> = match endian {
        Endian::Little => bytes,
        Endian::Big => bytes.into_iter().rev().collect(),
    };
    Ok(ctx.heap.binary(&bytes))
}

fn decode_unsigned(ctx: &mut Ctx<'_>, args: &[Value], endian: Endian) -> BifResult {
    let Some(value) = args.first() else { return Err(badarg()) };
    let bits = binary(ctx, *value)?;
    if bits.length <= 64 {
        return Ok(integer_value(ctx.heap, bits, endian, false));
    }
    let bytes = bits::to_bytes(ctx.heap, bits);
    let magnitude = match endian {
        Endian::Big => BigUint::from_bytes_be(&bytes),
        Endian::Little => BigUint::from_bytes_le(&bytes),
    };
    Ok(ctx.heap.bigint(&BigInt::from(magnitude)))
}

/// How many bytes all binaries of a list start, or end, with.
fn common(ctx: &mut Ctx<'_>, args: &[Value], from_end: bool) -> BifResult {
    let list = args.first().and_then(|list| ctx.list(*list)).ok_or_else(badarg)?;
    let all: Vec<Bits> = list.into_iter().map(|item| binary(ctx, item)).collect::<Result<_, _>>()?;
    let Some((first, others)) = all.split_first() else { return Err(badarg()) };
    let shortest = all.iter().map(|bits| bits.length / 8).min().unwrap_or(0);
    let byte = |bits: &Bits, index: usize| {
        let at = if from_end { bits.length / 8 - 1 - index } else { index };
        Reader::new(ctx.heap, *bits).chunk(8 * at) >> 56
    };
    let count = (0..shortest).find(|index| others.iter().any(|other| byte(other, *index) != byte(first, *index)));
    Ok(Value::count(count.unwrap_or(shortest)))
}

/// An atom of options, by name.
pub(super) fn is_atom_named(value: Value, name: &str) -> bool {
    value == Value::atom(AtomId::intern(name))
}
