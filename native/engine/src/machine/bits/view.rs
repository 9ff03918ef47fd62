//! Bitstrings with an expression: where they lie in the bitstring they are a part of, what their bits are, and how they compare.
//!
//! Sizes stay symbolic in whole bytes. Where more is needed (a position within a byte, the length of a segment that others follow),
//! the size is decided by [`Ctx::fix`], in a fixed order of questions, so that a run with another size asks the same until there.

use std::cmp::Ordering;
use std::ops::Range;

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use super::super::Ctx;
use super::super::decide::Answer;
use crate::sym::{BitsExpr, Expr, Function, Place, Segment, SymId};
use crate::term::{Bits, Endian, Value, bits, order};

/// How the bits of an integer are to be read.
#[derive(Clone, Copy)]
pub struct Reading {
    pub size: u32,
    pub endian: Endian,
    pub signed: bool,
}

impl Reading {
    pub const fn unsigned(size: u32) -> Self {
        Reading { size, endian: Endian::Big, signed: false }
    }
}

/// A stretch of a root or of a construction.
#[derive(Clone, Copy)]
pub struct Stretch {
    pub base: SymId,
    pub from: Place,
    /// Where it ends, unless that is the end of the base.
    pub to: Option<Place>,
}

/// Sizes that have to be fixed are looked for below this.
pub const LARGEST_FIXED: i64 = 1 << 12;

/// Longer bitstrings are not compared bit by bit if both are symbolic.
const LONGEST_COMPARED: i64 = 1 << 8;

impl Ctx<'_> {
    /// The stretch that a value is, which has been found to be a bitstring.
    pub fn stretch(&mut self, value: Value) -> Stretch {
        let id = self.lift(value);
        let id = self.arena.term(id);
        if let Expr::Bits(BitsExpr::Part { base, from, to }) = self.arena.get(id) {
            return Stretch { base: *base, from: *from, to: *to };
        }
        Stretch { base: id, from: self.arena.place(0), to: None }
    }

    /// Where a stretch ends, if the position within a byte is known on this path.
    pub fn end(&mut self, stretch: Stretch) -> Option<Place> {
        if stretch.to.is_some() {
            return stretch.to;
        }
        if let Some(length) = self.arena.length(stretch.base) {
            return Some(length);
        }
        let extra = self.arena.extra_of(stretch.base);
        match self.path.known().bounds(self.arena, extra) {
            (Some(low), Some(high)) if low == high => {
                Some(Place { bytes: self.arena.bytes_of(stretch.base), bits: low.to_u8()? })
            }
            _ => None,
        }
    }

    /// Where a stretch ends. The position within a byte is decided.
    pub fn decided_end(&mut self, stretch: Stretch, concrete: usize) -> Place {
        if let Some(end) = self.end(stretch) {
            return end;
        }
        let extra = self.arena.extra_of(stretch.base);
        // The bits behind the last whole byte of the base, not of the stretch.
        let bits = (concrete + usize::from(stretch.from.bits)) % 8;
        self.fix(extra, bits as i64);
        Place { bytes: self.arena.bytes_of(stretch.base), bits: bits as u8 }
    }

    /// The length of a stretch. The position within a byte is decided.
    pub fn decided_length(&mut self, stretch: Stretch, concrete: usize) -> Place {
        let end = self.decided_end(stretch, concrete);
        self.arena.place_minus(end, stretch.from)
    }

    /// The condition that a place is not behind the end.
    pub fn reaches(&mut self, stretch: Stretch, place: Place) -> SymId {
        if let Some(end) = self.end(stretch) {
            return self.arena.place_le(place, end);
        }
        let arena = &mut *self.arena;
        let (bytes, extra) = (arena.bytes_of(stretch.base), arena.extra_of(stretch.base));
        if place.bits == 0 {
            let short = arena.linear_lt(bytes, place.bytes);
            return arena.not(short);
        }
        let more = arena.linear_lt(place.bytes, bytes);
        let same = arena.linear_eq(place.bytes, bytes);
        let bits = arena.int(place.bits);
        let enough = arena.le(bits, extra);
        let just = arena.and(same, enough);
        arena.or(more, just)
    }

    /// The condition that a place is the end.
    pub fn ends_at(&mut self, stretch: Stretch, place: Place) -> SymId {
        if let Some(end) = self.end(stretch) {
            return self.arena.place_eq(place, end);
        }
        let arena = &mut *self.arena;
        let (bytes, extra) = (arena.bytes_of(stretch.base), arena.extra_of(stretch.base));
        let same = arena.linear_eq(place.bytes, bytes);
        let bits = arena.int(place.bits);
        let just = arena.eq(extra, bits);
        arena.and(same, just)
    }

    /// The condition that there are whole bytes from a place to the end.
    pub fn whole_bytes(&mut self, stretch: Stretch, place: Place) -> SymId {
        if let Some(end) = self.end(stretch) {
            return self.arena.truth(end.bits == place.bits);
        }
        let extra = self.arena.extra_of(stretch.base);
        let bits = self.arena.int(place.bits);
        self.arena.eq(extra, bits)
    }

    /// Decides which integer an expression is, that is not negative: by doubling, then by halving. Larger ones than [`LARGEST_FIXED`] are
    /// not looked for: such sizes take memory, and one more of them brings nothing new. That is counted, unless it is clear anyway.
    pub fn fix(&mut self, id: SymId, concrete: i64) {
        self.keep_below(id, concrete, LARGEST_FIXED);
        let mut high = BigInt::from(1);
        while !self.below(id, &high, concrete) {
            high <<= 1;
        }
        let mut low = &high >> 1;
        while &high - &low > BigInt::from(1) {
            let middle: BigInt = (&low + &high) >> 1;
            if self.below(id, &middle, concrete) { high = middle } else { low = middle }
        }
    }

    /// Inputs are looked for in which an integer is below a limit, if it is in this one. That is counted, unless it is clear anyway.
    fn keep_below(&mut self, id: SymId, concrete: i64, limit: i64) {
        let bound = self.arena.int(limit);
        let small = self.arena.linear_lt(id, bound);
        if self.path.known().holds(self.arena, small).is_none() {
            self.counters.concretise(crate::bif::mfa("erlang", "large size", 1));
            if concrete < limit {
                self.given(small);
            }
        }
    }

    fn below(&mut self, id: SymId, bound: &BigInt, concrete: i64) -> bool {
        let limit = self.arena.int(bound.clone());
        let condition = self.arena.linear_lt(id, limit);
        self.settle(condition, BigInt::from(concrete) < *bound)
    }

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
    fn pieces(&mut self, segments: &[Segment]) -> Vec<(Segment, usize)> {
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

// Comparing

impl Ctx<'_> {
    /// `=:=` of two bitstrings, of which at least one is symbolic.
    pub(in crate::machine) fn same_bits(&mut self, a: Value, b: Value) -> Answer {
        let holds = order::identical(self.heap, a, b);
        let condition = match (a.is_sym(), b.is_sym()) {
            (true, false) => self.same_as_constant(a, b),
            (false, true) => self.same_as_constant(b, a),
            (true, true) | (false, false) => self.same_contents(a, b),
        };
        match condition {
            Some(condition) => Answer { holds, condition: Some(condition) },
            None => {
                self.counters.concretise(crate::bif::mfa("erlang", "=:=", 2));
                Answer { holds, condition: None }
            }
        }
    }

    pub(in crate::machine) fn same_as_constant(&mut self, value: Value, constant: Value) -> Option<SymId> {
        let stretch = self.stretch(value);
        let literal = self.heap.bits_of(constant);
        let length = self.arena.place(literal.length);
        let end = self.arena.place_plus(stretch.from, length);
        let size = self.ends_at(stretch, end);
        if matches!(self.arena.get(size), Expr::False) {
            return Some(size);
        }
        let content = self.has_literal(stretch.base, stretch.from, constant)?;
        Some(self.arena.and(size, content))
    }

    /// The condition that the bits from a place on, which are there, are those of a constant.
    pub fn has_literal(&mut self, base: SymId, at: Place, constant: Value) -> Option<SymId> {
        let literal = self.heap.bits_of(constant);
        if literal.length == 0 {
            return Some(self.arena.truth(true));
        }
        let lifted = self.lift(constant);
        match (self.segments(base), self.arena.get(lifted)) {
            (None, Expr::Opaque(opaque, _)) => {
                let opaque = *opaque;
                Some(self.arena.bits_match(base, at, opaque))
            }
            _ => {
                let other = self.stretch(constant);
                self.same_stretch((base, at), (other.base, other.from), literal.length)
            }
        }
    }

    fn same_contents(&mut self, a: Value, b: Value) -> Option<SymId> {
        let [left, right] = [a, b].map(|value| self.heap.bits_of(self.heap.concrete(value)).length);
        let (x, y) = (self.stretch(a), self.stretch(b));
        if self.is_root(x) && self.is_root(y) {
            // The solver knows when two roots are one, and is told apart those that are two but look the same.
            return Some(self.arena.eq(x.base, y.base));
        }
        let (m, n) = (self.decided_length(x, left), self.decided_length(y, right));
        let same_size = self.arena.place_eq(m, n);
        if !self.settle(same_size, left == right) {
            return Some(self.arena.truth(false));
        }
        if (x.base, x.from) == (y.base, y.from) {
            return Some(self.arena.truth(true));
        }
        self.keep_below(m.bytes, (left / 8) as i64, LONGEST_COMPARED);
        if left / 8 >= LONGEST_COMPARED as usize {
            return None;
        }
        self.fix(m.bytes, (left / 8) as i64);
        self.fix(n.bytes, (right / 8) as i64);
        self.same_stretch((x.base, x.from), (y.base, y.from), left)
    }

    fn is_root(&self, stretch: Stretch) -> bool {
        stretch.to.is_none()
            && self.segments(stretch.base).is_none()
            && self.arena.constant_place(stretch.from) == Some(0)
    }

    /// The condition that two stretches of so many bits are the same, cut where a construction has its segments.
    fn same_stretch(&mut self, a: (SymId, Place), b: (SymId, Place), length: usize) -> Option<SymId> {
        let mut cuts: Vec<usize> = (0..length).step_by(64).collect();
        for (base, from) in [a, b] {
            if let Some(segments) = self.segments(base) {
                let from = self.arena.constant_place(from)?;
                let starts = self.pieces(&segments).into_iter().filter_map(|(_, start)| start.checked_sub(from));
                cuts.extend(starts.filter(|start| *start < length));
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        cuts.push(length);
        let mut all = self.arena.truth(true);
        for pair in cuts.windows(2) {
            let [start, stop] = pair else { continue };
            let step = self.arena.place(*start);
            let reading = Reading::unsigned((stop - start) as u32);
            let [x, y] = [a, b].map(|(base, from)| {
                let place = self.arena.place_plus(from, step);
                self.read(base, place, reading)
            });
            let same = self.arena.eq(x?, y?);
            all = self.arena.and(all, same);
        }
        Some(all)
    }

    /// Which of two bitstrings comes first: decided byte by byte.
    pub(in crate::machine) fn order_bits(&mut self, a: Value, b: Value) -> Ordering {
        let [left, right] = [a, b].map(|value| self.heap.bits_of(self.heap.concrete(value)));
        let (x, y) = (self.stretch(a), self.stretch(b));
        for start in (0..=left.length.min(right.length)).step_by(8) {
            let (m, n) = (self.bits_ahead(x, start, left.length), self.bits_ahead(y, start, right.length));
            let count = m.min(n);
            let [p, q] = [left, right].map(|whole| bits::sub(whole, start, count));
            let (Some(p), Some(q)) = (p, q) else { break };
            let concrete = bits::compare(self.heap, p, q);
            let step = self.arena.place(start);
            let reading = Reading::unsigned(count as u32);
            let [v, w] = [x, y].map(|stretch| {
                let place = self.arena.place_plus(stretch.from, step);
                self.read(stretch.base, place, reading)
            });
            let (Some(v), Some(w)) = (v, w) else { break };
            let same = self.arena.eq(v, w);
            if !self.settle(same, concrete.is_eq()) {
                let less = self.arena.lt(v, w);
                return if self.settle(less, concrete.is_lt()) { Ordering::Less } else { Ordering::Greater };
            }
            if m < 8 || n < 8 {
                return m.cmp(&n);
            }
        }
        self.counters.concretise(crate::bif::mfa("erlang", "<", 2));
        order::compare(self.heap, a, b)
    }

    /// How many bits there are from a position on, decided: 8 if there are more.
    fn bits_ahead(&mut self, stretch: Stretch, start: usize, length: usize) -> usize {
        let step = self.arena.place(start + 8);
        let place = self.arena.place_plus(stretch.from, step);
        let condition = self.reaches(stretch, place);
        if self.settle(condition, start + 8 <= length) {
            return 8;
        }
        self.decided_end(stretch, length);
        length - start
    }
}
