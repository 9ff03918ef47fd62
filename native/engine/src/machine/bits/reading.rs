//! What the bits of a bitstring with an expression are: integers and floats at a place, parts, and the segments that they are made of.

use std::ops::Range;

use num_bigint::BigInt;
use num_traits::Zero;

use super::super::Ctx;
use super::view::{Reading, Stretch};
use crate::sym::{BitsExpr, Expr, Function, Place, Segment, SymId};
use crate::term::{Bits, Endian, Value};

impl Ctx<'_> {
    /// The segments of a construction.
    pub fn segments(&self, base: SymId) -> Option<Box<[Segment]>> {
        match self.arena.get(base) {
            Expr::Bits(BitsExpr::Cat(segments)) => Some(segments.clone()),
            _ => None,
        }
    }

    /// The low bits of an integer: the integer itself if the path says that it fits.
    fn low(&mut self, value: SymId, size: u32) -> SymId {
        match self.path.known().bounds(self.arena, value) {
            (Some(low), Some(high)) if low >= BigInt::zero() && high < BigInt::from(1) << size => value,
            _ => self.arena.slice(value, 0, size),
        }
    }

    /// The low bits of an integer in two's complement.
    fn low_signed(&mut self, value: SymId, size: u32) -> SymId {
        let half = BigInt::from(1) << size.saturating_sub(1);
        match self.path.known().bounds(self.arena, value) {
            (Some(low), Some(high)) if size > 0 && low >= -half.clone() && high < half => value,
            _ => {
                let unsigned = self.arena.slice(value, 0, size);
                self.arena.signed(unsigned, size)
            }
        }
    }

    /// The integer at a place, whose bits are there. `None` where it is made of a float's bits.
    pub fn read(&mut self, base: SymId, at: Place, reading: Reading) -> Option<SymId> {
        let Reading { size, endian, signed } = reading;
        if let Some(value) = self.whole_segment(base, at, reading) {
            return Some(if signed { self.low_signed(value, size) } else { self.low(value, size) });
        }
        let unsigned = match endian {
            Endian::Big => self.read_big(base, at, size)?,
            Endian::Little => {
                let mut sum = self.arena.int(0);
                for start in (0..size).step_by(8) {
                    let step = self.arena.place(start as usize);
                    let place = self.arena.place_plus(at, step);
                    let byte = self.read_big(base, place, 8.min(size - start))?;
                    sum = self.shifted_sum(sum, byte, start);
                }
                sum
            }
        };
        Some(if signed { self.arena.signed(unsigned, size) } else { unsigned })
    }

    /// `sum + value * 2^shift`
    fn shifted_sum(&mut self, sum: SymId, value: SymId, shift: u32) -> SymId {
        let power = self.arena.int(BigInt::from(1) << shift);
        let product = self.arena.mul(value, power);
        self.arena.add(sum, product)
    }

    /// The integer of which a construction has just this segment.
    fn whole_segment(&mut self, base: SymId, at: Place, reading: Reading) -> Option<SymId> {
        let (segments, at) = (self.segments(base)?, self.arena.constant_place(at)?);
        let mut start = 0;
        for segment in &segments {
            let length = self.arena.segment_length(segment);
            let length = self.arena.constant_place(length)?;
            if let Segment::Integer { value, size, little } = segment
                && start == at
                && *size == reading.size
                && (*size <= 8 || *little == (reading.endian == Endian::Little))
            {
                return Some(*value);
            }
            start += length;
        }
        None
    }

    /// The float of which a construction has just this segment.
    pub fn whole_float(&mut self, base: SymId, at: Place, wanted: u32, endian: Endian) -> Option<SymId> {
        let (segments, at) = (self.segments(base)?, self.arena.constant_place(at)?);
        let mut start = 0;
        for segment in &segments {
            if let Segment::Float { value, size, little } = segment
                && (start, *size, *little) == (at, wanted, endian == Endian::Little)
            {
                return Some(*value);
            }
            let length = self.arena.segment_length(segment);
            start += self.arena.constant_place(length)?;
        }
        None
    }

    /// An unsigned integer, first bit most significant.
    fn read_big(&mut self, base: SymId, at: Place, size: u32) -> Option<SymId> {
        let Some(segments) = self.segments(base) else { return Some(self.arena.field(base, at, size)) };
        let at = self.arena.constant_place(at)?;
        let end = at + size as usize;
        let segments = self.without_floats(segments.into_vec(), at..at);
        let mut value = self.arena.int(0);
        for (segment, start) in self.pieces(&segments) {
            let length = self.arena.segment_length(&segment);
            let stop = self.arena.constant_place(length).map_or(usize::MAX, |length| start + length);
            let (first, last) = (at.max(start), end.min(stop));
            if first >= last {
                continue;
            }
            let count = (last - first) as u32;
            let piece = match segment {
                Segment::Integer { value, size, .. } => {
                    self.arena.slice(value, size - (first - start) as u32 - count, count)
                }
                Segment::Part { base, from, .. } => {
                    let skipped = self.arena.place(first - start);
                    let place = self.arena.place_plus(from, skipped);
                    self.arena.field(base, place, count)
                }
                Segment::Float { .. } => return None,
            };
            let shifted = value;
            let zero = self.arena.int(0);
            let before = self.shifted_sum(zero, shifted, count);
            value = self.arena.add(before, piece);
        }
        Some(value)
    }

    /// The segments with bits in the place of floats, except those that are wholly within a range.
    fn without_floats(&mut self, segments: Vec<Segment>, kept: Range<usize>) -> Vec<Segment> {
        let mut start = 0;
        let mut opened = Vec::with_capacity(segments.len());
        for segment in segments {
            let length = self.arena.segment_length(&segment);
            let end = start + self.arena.constant_place(length).unwrap_or(0);
            opened.push(match segment {
                Segment::Float { value, size, little } if start < kept.start || end > kept.end => {
                    let value = self.arena.apply(Function::BitsOfFloat(size), vec![value]);
                    Segment::Integer { value, size, little }
                }
                Segment::Float { .. } | Segment::Integer { .. } | Segment::Part { .. } => segment,
            });
            start = end;
        }
        opened
    }

    /// The segments with the positions where they start, integers with their first bit first.
    pub(super) fn pieces(&mut self, segments: &[Segment]) -> Vec<(Segment, usize)> {
        let mut pieces = Vec::new();
        let mut start = 0;
        for segment in segments {
            match *segment {
                Segment::Integer { value, size, little: true } => {
                    for low in (0..size).step_by(8) {
                        let count = 8.min(size - low);
                        let value = self.arena.slice(value, low, count);
                        pieces.push((Segment::Integer { value, size: count, little: false }, start));
                        start += count as usize;
                    }
                }
                Segment::Integer { .. } | Segment::Float { .. } | Segment::Part { .. } => {
                    pieces.push((*segment, start));
                    let length = self.arena.segment_length(segment);
                    // Only the last one may have an open length.
                    start += self.arena.constant_place(length).unwrap_or(0);
                }
            }
        }
        pieces
    }

    /// The part from one place to another, or to the end of the stretch, which has this concrete value.
    pub fn bits_part(&mut self, stretch: Stretch, from: Place, to: Option<Place>, concrete: Bits) -> Value {
        let value = self.heap.bits(concrete);
        let (base, from, to) = match self.inner_part(stretch.base, from, to.or(stretch.to)) {
            Some(inner) => inner,
            None => (stretch.base, from, to.or(stretch.to)),
        };
        let is_fixed = self.arena.is_constant(base)
            && self.arena.constant_place(from).is_some()
            && to.is_none_or(|to| self.arena.constant_place(to).is_some());
        if is_fixed {
            return value;
        }
        let id = self.arena.bits_part(base, from, to);
        self.heap.symbolic(value, id)
    }

    /// A part of a construction that lies in one bitstring which it is made of: the part of that one.
    fn inner_part(&mut self, base: SymId, from: Place, to: Option<Place>) -> Option<(SymId, Place, Option<Place>)> {
        let segments = self.segments(base)?;
        let from = self.arena.constant_place(from)?;
        let mut start = 0;
        for (index, segment) in segments.iter().enumerate() {
            let length = self.arena.segment_length(segment);
            let fixed = self.arena.constant_place(length);
            let is_here = from >= start && fixed.is_none_or(|length| from < start + length);
            if is_here && let Segment::Part { base, from: first, length } = segment {
                let skipped = self.arena.place(from - start);
                let (first, all) = (*first, self.arena.place_plus(*first, *length));
                let inner = self.arena.place_plus(first, skipped);
                let end = match to {
                    None if index + 1 == segments.len() => all,
                    None => return None,
                    Some(to) => {
                        let to = self.arena.constant_place(to)?;
                        if fixed.is_some_and(|length| to > start + length) {
                            return None;
                        }
                        let distance = self.arena.place(to.checked_sub(start)?);
                        self.arena.place_plus(first, distance)
                    }
                };
                return Some((*base, inner, Some(end)));
            }
            start += fixed?;
        }
        None
    }

    /// The segments that a stretch is made of, whose length is known up to what the path leaves open.
    pub fn segments_of(&mut self, stretch: Stretch, length: Place) -> Option<Vec<Segment>> {
        let Some(segments) = self.segments(stretch.base) else {
            return Some(vec![Segment::Part { base: stretch.base, from: stretch.from, length }]);
        };
        let from = self.arena.constant_place(stretch.from)?;
        if from == 0 && stretch.to.is_none() {
            return Some(self.with_last_length(segments.into_vec(), length));
        }
        let end = self.arena.constant_place(length).map(|length| from + length)?;
        let segments = self.without_floats(segments.into_vec(), from..end);
        let mut cut = Vec::new();
        for (segment, start) in self.pieces(&segments) {
            let length = self.arena.segment_length(&segment);
            let stop = self.arena.constant_place(length).map_or(usize::MAX, |length| start + length);
            let (first, last) = (from.max(start), end.min(stop));
            if first >= last {
                continue;
            }
            let (skipped, count) = (first - start, last - first);
            cut.push(match segment {
                Segment::Integer { value, size, .. } => {
                    let value = self.arena.slice(value, size - (skipped + count) as u32, count as u32);
                    Segment::Integer { value, size: count as u32, little: false }
                }
                Segment::Float { size, .. } if count == size as usize => segment,
                Segment::Float { .. } => return None,
                Segment::Part { base, from, .. } => {
                    let (skipped, length) = (self.arena.place(skipped), self.arena.place(count));
                    Segment::Part { base, from: self.arena.place_plus(from, skipped), length }
                }
            });
        }
        Some(cut)
    }
}

impl Ctx<'_> {
    /// The segments of a construction of this length: if that is fixed, so is the length of the last one.
    fn with_last_length(&mut self, mut segments: Vec<Segment>, length: Place) -> Vec<Segment> {
        if self.arena.constant_place(length).is_some()
            && let Some((Segment::Part { base, from, .. }, before)) = segments.split_last()
        {
            let (base, from) = (*base, *from);
            let mut rest = length;
            for segment in before {
                let length = self.arena.segment_length(segment);
                rest = self.arena.place_minus(rest, length);
            }
            segments.pop();
            segments.push(Segment::Part { base, from, length: rest });
        }
        segments
    }
}
