//! Bitstrings that are written where they stay.
//!
//! A [`Writer`] fills a stretch of the heap's own words whose size is known beforehand. The stretch is a new byte array, or the unused room
//! behind a bitstring that ends where its buffer's use ends: so a program that appends to one bitstring again and again copies each bit a
//! constant number of times on average. Bits in use are never written to, because other bitstrings may share them.
//!
//! A writer that is dropped leaves no trace: only [`Writer::finish`] marks the bits as used.

use num_bigint::BigInt;

use super::{BitWriter, CHUNK, Endian, Reader, keep, left_aligned};
use crate::term::heap::{Bits, BoxKind, Header, Heap};
use crate::term::value::{Ptr, Value};

/// Room for so many bytes, at least, when a bitstring is first appended to.
const LEAST_ROOM: usize = 64;

/// Fills a stretch of bits from the first to the last.
pub struct Writer {
    base: Ptr,
    offset: usize,
    /// The next bit to write, counted from the start of the base.
    at: usize,
}

impl Writer {
    /// A new bitstring of so many bits.
    pub fn new(heap: &mut Heap, bits: usize) -> Self {
        let base = heap.push_header(BoxKind::Bytes, bits.div_ceil(8));
        let words = heap.words_mut();
        words.resize(words.len() + bits.div_ceil(CHUNK), 0);
        Writer { base, offset: 0, at: 0 }
    }

    /// A bitstring with room for so many more bits behind it.
    pub fn append(heap: &mut Heap, to: Bits, more: usize) -> Self {
        let end = to.offset + to.length;
        match room(heap, to.base) {
            Some((used, capacity)) if used == end && capacity - used >= more => {
                Writer { base: to.base, offset: to.offset, at: end }
            }
            _ => {
                let mut writer = Writer::buffer(heap, 2 * (to.length + more).div_ceil(8));
                writer.push_bits(heap, to);
                writer
            }
        }
    }

    /// A bitstring in a buffer of so many bytes.
    pub fn buffer(heap: &mut Heap, bytes: usize) -> Self {
        let bytes = bytes.max(LEAST_ROOM);
        let base = heap.push_header(BoxKind::Buffer, bytes);
        let words = heap.words_mut();
        words.resize(words.len() + bytes.div_ceil(8) + 1, 0);
        Writer { base, offset: 0, at: 0 }
    }

    /// The first `count` (at most 64) bits of a chunk.
    #[inline]
    pub fn push_chunk(&mut self, heap: &mut Heap, chunk: u64, count: usize) {
        if count == 0 {
            return;
        }
        let (index, shift) = (self.base.index() + 1 + self.at / CHUNK, self.at % CHUNK);
        self.at += count;
        let words = heap.words_mut();
        if let Some(word) = words.get_mut(index) {
            let mask = keep(u64::MAX, count) >> shift;
            *word = (*word & !mask.swap_bytes()) | ((chunk >> shift) & mask).swap_bytes();
        }
        if shift + count > CHUNK
            && let Some(word) = words.get_mut(index + 1)
        {
            let mask = keep(u64::MAX, shift + count - CHUNK);
            *word = (*word & !mask.swap_bytes()) | ((chunk << (CHUNK - shift)) & mask).swap_bytes();
        }
    }

    /// The low `count` bits of an integer; a count above 64 extends the sign.
    pub fn push_small(&mut self, heap: &mut Heap, integer: i64, count: usize, endian: Endian) {
        let word = integer as u64;
        let fill = count.saturating_sub(CHUNK);
        match endian {
            Endian::Big => {
                self.push_fill(heap, integer < 0, fill);
                self.push_chunk(heap, left_aligned(word, count.min(CHUNK)), count.min(CHUNK));
            }
            Endian::Little => {
                let count = count.min(CHUNK);
                let (whole, rest) = (count / 8 * 8, count % 8);
                self.push_chunk(heap, word.swap_bytes(), whole);
                if rest > 0 {
                    self.push_chunk(heap, left_aligned(word >> whole, rest), rest);
                }
                self.push_fill(heap, integer < 0, fill);
            }
        }
    }

    fn push_fill(&mut self, heap: &mut Heap, ones: bool, count: usize) {
        let chunk = if ones { u64::MAX } else { 0 };
        for at in (0..count).step_by(CHUNK) {
            self.push_chunk(heap, chunk, CHUNK.min(count - at));
        }
    }

    /// The low `count` bits of an integer in two's complement; a larger count extends the sign.
    pub fn push_integer(&mut self, heap: &mut Heap, integer: &BigInt, count: usize, endian: Endian) {
        let mut bits = BitWriter::with_capacity(count);
        bits.push_integer(integer, count, endian);
        for (chunk, at) in bits.chunks.iter().zip((0..count).step_by(CHUNK)) {
            self.push_chunk(heap, *chunk, CHUNK.min(count - at));
        }
    }

    pub fn push_bits(&mut self, heap: &mut Heap, bits: Bits) {
        for at in (0..bits.length).step_by(CHUNK) {
            let chunk = Reader::new(heap, bits).chunk(at);
            self.push_chunk(heap, chunk, CHUNK.min(bits.length - at));
        }
    }

    /// The bitstring that has been written.
    pub fn finish(self, heap: &mut Heap) -> Value {
        if let Some(place) = used_place(heap, self.base)
            && let Some(used) = heap.words_mut().get_mut(place)
        {
            *used = self.at as u64;
        }
        heap.bits(Bits { base: self.base, offset: self.offset, length: self.at - self.offset })
    }
}

/// Where a buffer of the heap's own keeps how much of it is used.
fn used_place(heap: &Heap, base: Ptr) -> Option<usize> {
    let header = heap.header(Value::boxed(base));
    (!base.is_literal() && header.kind() == BoxKind::Buffer).then(|| base.index() + Header::words(header) - 1)
}

/// Of a buffer of the heap's own: how many bits are used, and how many there are.
fn room(heap: &Heap, base: Ptr) -> Option<(usize, usize)> {
    let used = heap.word(Ptr::own(used_place(heap, base)?)) as usize;
    Some((used, 8 * heap.header(Value::boxed(base)).size()))
}

#[cfg(test)]
mod tests;
