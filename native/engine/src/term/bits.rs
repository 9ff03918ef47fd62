//! Bitstrings: reading, comparing, cutting and building them at any bit offset.
//!
//! Everything works in chunks of 64 bits, whatever the alignment. A chunk is left aligned: its most significant bit is
//! the first bit of the string, and what lies behind the end of the string is zero.

pub mod grow;
pub mod segment;

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};

use super::heap::{Bits, BoxKind, Header, Heap};
use super::value::{Ptr, Value};

const CHUNK: usize = 64;

/// The order of the bytes of an integer in a bitstring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Endian {
    Big,
    Little,
}

/// The bits of a bitstring in chunks.
pub struct Reader<'a> {
    words: &'a [u64],
    offset: usize,
    length: usize,
}

impl<'a> Reader<'a> {
    pub fn new(heap: &'a Heap, bits: Bits) -> Self {
        let words = (bits.offset + bits.length).div_ceil(CHUNK);
        Reader { words: heap.raw(bits.base.plus(1), words), offset: bits.offset, length: bits.length }
    }

    /// The word at `index`, first bit first.
    fn word(&self, index: usize) -> u64 {
        self.words.get(index).copied().unwrap_or(0).swap_bytes()
    }

    /// The 64 bits from bit `at` on.
    #[inline]
    pub fn chunk(&self, at: usize) -> u64 {
        let left = self.length.saturating_sub(at);
        let (index, shift) = ((self.offset + at) / CHUNK, (self.offset + at) % CHUNK);
        let first = self.word(index) << shift;
        let second = if shift == 0 { 0 } else { self.word(index + 1) >> (CHUNK - shift) };
        keep(first | second, left)
    }

    pub fn chunks(&self) -> impl Iterator<Item = u64> {
        (0..self.length).step_by(CHUNK).map(|at| self.chunk(at))
    }
}

/// The first `count` bits of a chunk.
#[inline]
const fn keep(chunk: u64, count: usize) -> u64 {
    if count >= CHUNK { chunk } else { chunk & !(u64::MAX >> count) }
}

/// The stretch of `length` bits from bit `at` on, if it lies inside.
pub fn sub(bits: Bits, at: usize, length: usize) -> Option<Bits> {
    let end = at.checked_add(length)?;
    (end <= bits.length).then(|| Bits { base: bits.base, offset: bits.offset + at, length })
}

/// The bytes, the last one filled up with zero bits.
pub fn to_bytes(heap: &Heap, bits: Bits) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(bits.length.div_ceil(8) + 8);
    extend_bytes(heap, bits, &mut bytes);
    bytes
}

/// Adds what [`to_bytes`] returns.
pub fn extend_bytes(heap: &Heap, bits: Bits, out: &mut Vec<u8>) {
    let end = out.len() + bits.length.div_ceil(8);
    out.extend(Reader::new(heap, bits).chunks().flat_map(u64::to_be_bytes));
    out.truncate(end);
}

/// Byte `index` of the string, filled up with zero bits if it is the last one.
pub fn byte(heap: &Heap, bits: Bits, index: usize) -> u8 {
    (Reader::new(heap, bits).chunk(8 * index) >> 56) as u8
}

/// Lexicographic by bits; a prefix comes before what it is a prefix of.
pub fn compare(heap: &Heap, a: Bits, b: Bits) -> Ordering {
    let (left, right) = (Reader::new(heap, a), Reader::new(heap, b));
    let common = a.length.min(b.length);
    for at in (0..common).step_by(CHUNK) {
        let [x, y] = [&left, &right].map(|reader| keep(reader.chunk(at), common - at));
        if x != y {
            return x.cmp(&y);
        }
    }
    a.length.cmp(&b.length)
}

/// True if the first bits of a string are those of another one.
#[inline]
pub fn starts_with(heap: &Heap, bits: Bits, prefix: Bits) -> bool {
    if prefix.length <= CHUNK && prefix.length <= bits.length {
        let [start, prefix_chunk] = [bits, prefix].map(|bits| Reader::new(heap, bits).chunk(0));
        return keep(start, prefix.length) == prefix_chunk;
    }
    prefix.length <= bits.length && compare(heap, Bits { length: prefix.length, ..bits }, prefix).is_eq()
}

/// The integer that all the bits make up.
pub fn integer(heap: &Heap, bits: Bits, endian: Endian, signed: bool) -> BigInt {
    if let Some(unsigned) = unsigned(heap, bits, endian) {
        return with_sign(BigInt::from(unsigned), bits.length, signed);
    }
    let mut bytes = to_bytes(heap, bits);
    let padding = 8 * bytes.len() - bits.length;
    let magnitude = match endian {
        Endian::Big => BigUint::from_bytes_be(&bytes) >> padding,
        Endian::Little => {
            if let Some(last) = bytes.last_mut() {
                *last >>= padding;
            }
            BigUint::from_bytes_le(&bytes)
        }
    };
    with_sign(BigInt::from_biguint(Sign::Plus, magnitude), bits.length, signed)
}

fn with_sign(unsigned: BigInt, length: usize, signed: bool) -> BigInt {
    match length.checked_sub(1) {
        Some(top) if signed && unsigned.bit(top as u64) => unsigned - (BigInt::from(1) << length),
        _ => unsigned,
    }
}

/// The unsigned integer that all the bits make up, if they are no more than 64.
pub fn unsigned(heap: &Heap, bits: Bits, endian: Endian) -> Option<u64> {
    if bits.length > CHUNK {
        return None;
    }
    let chunk = Reader::new(heap, bits).chunk(0);
    let (whole, rest) = (bits.length / 8 * 8, bits.length % 8);
    Some(match endian {
        Endian::Big => right_aligned(chunk, bits.length),
        Endian::Little if rest == 0 => chunk.swap_bytes(),
        Endian::Little => keep(chunk, whole).swap_bytes() | (right_aligned(chunk << whole, rest) << whole),
    })
}

/// The first `count` bits of a chunk as a number.
const fn right_aligned(chunk: u64, count: usize) -> u64 {
    if count == 0 { 0 } else { chunk >> (CHUNK - count) }
}

/// One bitstring after the other.
pub fn append(heap: &mut Heap, a: Bits, b: Bits) -> Value {
    let mut writer = BitWriter::with_capacity(a.length + b.length);
    writer.push_bitstring(heap, a);
    writer.push_bitstring(heap, b);
    writer.finish(heap)
}

/// A bitstring under construction.
#[derive(Default, Clone, Debug)]
pub struct BitWriter {
    /// The chunks so far.
    chunks: Vec<u64>,
    /// Number of bits.
    length: usize,
}

impl BitWriter {
    pub fn new() -> Self {
        BitWriter::default()
    }

    /// Room for so many bits.
    pub fn with_capacity(bits: usize) -> Self {
        BitWriter { chunks: Vec::with_capacity(bits.div_ceil(CHUNK)), length: 0 }
    }

    pub fn length(&self) -> usize {
        self.length
    }

    /// The first `count` (at most 64) bits of a chunk.
    #[inline]
    fn push_chunk(&mut self, chunk: u64, count: usize) {
        if count == 0 {
            return;
        }
        let chunk = keep(chunk, count);
        let used = self.length % CHUNK;
        self.length += count;
        if used == 0 {
            self.chunks.push(chunk);
            return;
        }
        if let Some(last) = self.chunks.last_mut() {
            *last |= chunk >> used;
        }
        if used + count > CHUNK {
            self.chunks.push(chunk << (CHUNK - used));
        }
    }

    /// The low `count` bits of an integer of 64 bits; a larger count extends the sign.
    pub fn push_small(&mut self, integer: i64, count: usize, endian: Endian) {
        if count > CHUNK {
            return self.push_integer(&BigInt::from(integer), count, endian);
        }
        let word = integer as u64;
        let (whole, rest) = (count / 8 * 8, count % 8);
        match endian {
            Endian::Big => self.push_chunk(left_aligned(word, count), count),
            Endian::Little => {
                self.push_chunk(word.swap_bytes(), whole);
                if rest > 0 {
                    self.push_chunk(left_aligned(word >> whole, rest), rest);
                }
            }
        }
    }

    /// The low `count` bits of an integer in two's complement; a larger count extends the sign.
    pub fn push_integer(&mut self, integer: &BigInt, count: usize, endian: Endian) {
        let mut bytes = integer.to_signed_bytes_le();
        let sign = if integer.sign() == Sign::Minus { 0xff } else { 0 };
        bytes.resize(count.div_ceil(8), sign);
        let rest = count % 8;
        let partial = if rest == 0 { 0 } else { bytes.pop().unwrap_or(0) };
        let partial = left_aligned(u64::from(partial), rest);
        match endian {
            Endian::Big => {
                bytes.reverse();
                self.push_chunk(partial, rest);
                self.push_bytes(&bytes);
            }
            Endian::Little => {
                self.push_bytes(&bytes);
                self.push_chunk(partial, rest);
            }
        }
    }

    pub fn push_bytes(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let chunk = part.iter().rev().fold(0, |chunk, byte| chunk >> 8 | u64::from(*byte) << 56);
            self.push_chunk(chunk, 8 * part.len());
        }
    }

    pub fn push_bitstring(&mut self, heap: &Heap, bits: Bits) {
        let reader = Reader::new(heap, bits);
        for at in (0..bits.length).step_by(CHUNK) {
            self.push_chunk(reader.chunk(at), CHUNK.min(bits.length - at));
        }
    }

    pub fn finish(self, heap: &mut Heap) -> Value {
        let base = Ptr::own(heap.used());
        let bytes = self.length.div_ceil(8);
        let words = heap.words_mut();
        words.push(Header::new(BoxKind::Bytes, bytes).word());
        words.extend(self.chunks.iter().map(|chunk| chunk.swap_bytes()));
        heap.bits(Bits { base, offset: 0, length: self.length })
    }
}

/// The low `count` bits of a word as a chunk.
const fn left_aligned(word: u64, count: usize) -> u64 {
    if count == 0 { 0 } else { word << (CHUNK - count) }
}

#[cfg(test)]
mod tests;
