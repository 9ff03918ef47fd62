//! What one segment of a bitstring means: integers, floats and characters as bits.

use super::{CHUNK, Endian, Reader, integer, unsigned};
use crate::term::heap::{Bits, Heap};
use crate::term::value::Value;

/// The type of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Integer,
    Float,
    Binary,
    Utf8,
    Utf16,
    Utf32,
}

/// How a segment's bits are to be read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spec {
    pub kind: Kind,
    pub endian: Endian,
    pub signed: bool,
    pub unit: u16,
}

/// The integer that all the bits make up, as a value.
#[inline]
pub fn integer_value(heap: &mut Heap, bits: Bits, endian: Endian, signed: bool) -> Value {
    match unsigned(heap, bits, endian) {
        Some(word) if signed => {
            let shift = CHUNK - bits.length.clamp(1, CHUNK);
            heap.int((word << shift) as i64 >> shift)
        }
        Some(word) if word <= i64::MAX as u64 => heap.int(word as i64),
        _ => {
            let integer = integer(heap, bits, endian, signed);
            heap.bigint(&integer)
        }
    }
}

/// The finite float that the bits make up. No bits at all are 0.0, as on the BEAM.
pub fn float(heap: &Heap, bits: Bits, endian: Endian) -> Option<f64> {
    float_of_bits(unsigned(heap, bits, endian)?, bits.length)
}

/// The float that 0, 16, 32 or 64 bits are. `None` if they are none, or an infinity.
pub fn float_of_bits(word: u64, size: usize) -> Option<f64> {
    let float = match size {
        0 => 0.0,
        16 => half_to_f64(word as u16),
        32 => f64::from(f32::from_bits(word as u32)),
        64 => f64::from_bits(word),
        _ => return None,
    };
    float.is_finite().then_some(float)
}

/// The bits of a float in 16, 32 or 64 bits. What is too large becomes an infinity, as on the BEAM.
pub fn float_bits(float: f64, size: usize) -> Option<u64> {
    match size {
        16 => Some(u64::from(half_from_f32(float as f32))),
        32 => Some(u64::from((float as f32).to_bits())),
        64 => Some(float.to_bits()),
        _ => None,
    }
}

fn half_to_f64(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 => f64::INFINITY,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// Rounds to the nearest, to even between two.
fn half_from_f32(float: f32) -> u16 {
    let sign = (float.to_bits() >> 16 & 0x8000) as u16;
    let magnitude = f64::from(float.abs());
    // The distance between two neighbours is 2^-24 below 2^-14, and grows with the exponent above.
    let exponent = (f64::max(magnitude, 2f64.powi(-14)).to_bits() >> 52) as i32 - 1023;
    let steps = (magnitude / 2f64.powi(exponent - 10)).round_ties_even();
    if exponent > 15 || steps * 2f64.powi(exponent - 10) > 65504.0 {
        return sign | 0x7c00;
    }
    // Steps of 1024 and more carry into the exponent by themselves.
    sign | (((exponent + 14) as u16) << 10).wrapping_add(steps as u16)
}

/// The character that the string starts with, and how many bits it takes.
pub fn character(heap: &Heap, bits: Bits, kind: Kind, endian: Endian) -> Option<(char, usize)> {
    let reader = Reader::new(heap, bits);
    let chunk = reader.chunk(0);
    let (code, size) = match kind {
        Kind::Utf8 => utf8(chunk)?,
        Kind::Utf16 => utf16(chunk, endian)?,
        Kind::Utf32 => {
            let code = (chunk >> 32) as u32;
            (if endian == Endian::Little { code.swap_bytes() } else { code }, 32)
        }
        Kind::Integer | Kind::Float | Kind::Binary => return None,
    };
    // What lies behind the end reads as zero, and a zero never belongs to a longer character.
    (size <= bits.length).then_some(())?;
    Some((char::from_u32(code)?, size))
}

/// Shortest form only: the check of the range is the caller's.
fn utf8(chunk: u64) -> Option<(u32, usize)> {
    let [first, second, third, fourth, ..] = chunk.to_be_bytes();
    let more = |byte: u8| (byte & 0xc0 == 0x80).then_some(u32::from(byte & 0x3f));
    let first = u32::from(first);
    let (code, size, least) = match first {
        0..=0x7f => (first, 8, 0),
        0xc0..=0xdf => ((first & 0x1f) << 6 | more(second)?, 16, 0x80),
        0xe0..=0xef => ((first & 0x0f) << 12 | more(second)? << 6 | more(third)?, 24, 0x800),
        0xf0..=0xf7 => ((first & 0x07) << 18 | more(second)? << 12 | more(third)? << 6 | more(fourth)?, 32, 0x1_0000),
        _ => return None,
    };
    (code >= least).then_some((code, size))
}

fn utf16(chunk: u64, endian: Endian) -> Option<(u32, usize)> {
    let unit = |shift: u32| {
        let unit = (chunk >> shift) as u16;
        u32::from(if endian == Endian::Little { unit.swap_bytes() } else { unit })
    };
    let (high, low) = (unit(48), unit(32));
    match high {
        0xd800..=0xdbff => {
            (0xdc00..=0xdfff).contains(&low).then_some((0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00), 32))
        }
        _ => Some((high, 16)),
    }
}

/// A character as a number, and in how many bits.
pub fn character_bits(character: char, kind: Kind, endian: Endian) -> (u64, usize) {
    match kind {
        Kind::Utf8 => {
            let mut bytes = [0; 4];
            let size = character.encode_utf8(&mut bytes).len();
            (u64::from(u32::from_be_bytes(bytes)) >> (32 - 8 * size), 8 * size)
        }
        Kind::Utf16 => {
            let mut units = [0; 2];
            let size = character.encode_utf16(&mut units).len();
            let swap = |unit: u16| u64::from(if endian == Endian::Little { unit.swap_bytes() } else { unit });
            let [high, low] = units.map(swap);
            if size == 1 { (high, 16) } else { (high << 16 | low, 32) }
        }
        Kind::Utf32 | Kind::Integer | Kind::Float | Kind::Binary => {
            let code = u32::from(character);
            (u64::from(if endian == Endian::Little { code.swap_bytes() } else { code }), 32)
        }
    }
}

#[cfg(test)]
mod tests;
