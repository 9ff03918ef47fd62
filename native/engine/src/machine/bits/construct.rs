//! Bit syntax: constructions with symbolic parts.
//!
//! As on the BEAM, all sizes are looked at first, and then the values. Sizes are decided, except how many whole bytes the last
//! segment has. What comes out is an expression; the bits themselves are built as in any other construction.

use super::Cpu;
use super::build::CONSTRUCTION;
use super::view::Stretch;
use crate::bif;
use crate::code::ir::{BitsSegment, BitsSize};
use crate::machine::Ctx;
use crate::sym::{Segment, SymId, Tags};
use crate::term::Endian;
use crate::term::bits::segment::Kind;
use crate::term::{Bits, Value};

/// Constructions of more segments are concrete.
const MOST_SEGMENTS: usize = 1 << 11;

/// Integers of more bits are concrete.
const WIDEST: usize = 1 << 16;

/// Why a construction has no expression.
enum Without {
    /// It fails: building it raises.
    Fails,
    /// It is too much, or not modelled.
    Meaning,
}

type Plan<T> = Result<T, Without>;

impl Cpu<'_> {
    pub(super) fn is_symbolic_build(&self, segments: &[BitsSegment]) -> bool {
        segments.iter().any(|segment| {
            self.get(segment.value).is_sym() || matches!(segment.size, BitsSize::Units(size) if self.get(size).is_sym())
        })
    }

    /// The expression of a construction, if it has one.
    pub(super) fn construction(&mut self, segments: &[BitsSegment]) -> Option<SymId> {
        match self.plan(segments) {
            Ok(id) => Some(id),
            Err(Without::Fails) => None,
            Err(Without::Meaning) => {
                self.run.counters.concretise(bif::mfa("erlang", CONSTRUCTION, 1));
                None
            }
        }
    }

    fn plan(&mut self, segments: &[BitsSegment]) -> Plan<SymId> {
        let mut sizes = Vec::with_capacity(segments.len());
        for segment in segments {
            sizes.push(self.planned_size(segment)?);
        }
        let mut planned = Vec::new();
        for (index, (segment, size)) in segments.iter().zip(sizes).enumerate() {
            let is_last = index + 1 == segments.len();
            planned.extend(self.planned_segment(segment, size, is_last)?);
            if planned.len() > MOST_SEGMENTS {
                return Err(Without::Meaning);
            }
        }
        Ok(self.program().concatenation(planned))
    }

    /// The number of bits of a segment that has a size of its own.
    fn planned_size(&mut self, segment: &BitsSegment) -> Plan<Option<usize>> {
        let value = self.get(segment.value);
        match segment.size {
            BitsSize::Fixed(bits) => Ok(Some(bits as usize)),
            BitsSize::Units(size) => {
                let size = self.get(size);
                let concrete = self.run.heap.concrete(size);
                if size.is_sym() {
                    let mut ctx = self.program();
                    let id = ctx.size_of(size).ok_or(Without::Fails)?;
                    ctx.fix(id, concrete.as_small());
                }
                let units = if concrete.is_small() { usize::try_from(concrete.as_small()).ok() } else { None };
                units
                    .and_then(|units| units.checked_mul(usize::from(segment.spec.unit)))
                    .map(Some)
                    .ok_or(Without::Fails)
            }
            BitsSize::All if segment.spec.kind == Kind::Binary => {
                let mut ctx = self.program();
                let bits = ctx.bitstring(value).ok_or(Without::Fails)?;
                let stretch = ctx.stretch(value);
                let whole = ctx.is_whole(stretch, bits.length, segment.spec.unit);
                if whole { Ok(None) } else { Err(Without::Fails) }
            }
            BitsSize::All => Ok(None),
        }
    }

    fn planned_segment(&mut self, segment: &BitsSegment, size: Option<usize>, is_last: bool) -> Plan<Vec<Segment>> {
        let (value, spec) = (self.get(segment.value), segment.spec);
        let little = spec.endian == Endian::Little;
        let mut ctx = self.program();
        match spec.kind {
            Kind::Integer => {
                let id = ctx.integer(value).ok_or(Without::Fails)?;
                let size = size.filter(|size| *size <= WIDEST).ok_or(Without::Meaning)? as u32;
                Ok(vec![Segment::Integer { value: id, size, little }])
            }
            Kind::Float => {
                let id = ctx.real(value).ok_or(Without::Fails)?;
                let size = size.filter(|size| matches!(size, 16 | 32 | 64)).ok_or(Without::Fails)? as u32;
                Ok(vec![Segment::Float { value: id, size, little }])
            }
            Kind::Binary => match size {
                Some(size) => ctx.first_bits(value, size),
                None => ctx.all_bits(value, is_last),
            },
            Kind::Utf8 | Kind::Utf16 | Kind::Utf32 => {
                let id = ctx.integer(value).ok_or(Without::Fails)?;
                let concrete = ctx.heap.concrete(value);
                let concrete = if concrete.is_small() { concrete.as_small() } else { ctx.beyond(concrete) };
                ctx.character_segments(id, concrete, spec).ok_or(Without::Fails)
            }
        }
    }
}

impl Ctx<'_> {
    /// The bits of a value in this run, if it is a bitstring: decides that.
    pub fn bitstring(&mut self, value: Value) -> Option<Bits> {
        if value.is_sym() && self.open_tags(value) != Tags::BITS && !self.is(value, Tags::BITS) {
            return None;
        }
        self.heap.as_bits(self.heap.concrete(value))
    }

    /// The integer that a value is, if it is one: decides that.
    pub fn integer(&mut self, value: Value) -> Option<SymId> {
        if self.open_tags(value) != Tags::INT && !self.is(value, Tags::INT) {
            return None;
        }
        let id = self.lift(value);
        Some(self.arena.int_of(id))
    }

    /// The number that a value is, if it is one and not too large, as a real: decides that.
    fn real(&mut self, value: Value) -> Option<SymId> {
        if self.is(value, Tags::FLOAT) {
            let id = self.lift(value);
            return Some(self.arena.real_of(id));
        }
        let id = self.integer(value)?;
        let real = self.arena.to_real(id);
        let fits = self.heap.integer(self.heap.concrete(value)).is_some_and(|int| bif::float_of_big(&int).is_some());
        let condition = self.arena.finite(real);
        self.branch(condition, fits).then_some(real)
    }

    /// Some integer on the same side of zero that is no character either.
    fn beyond(&self, big: Value) -> i64 {
        match self.heap.integer(big) {
            Some(integer) if integer.sign() == num_bigint::Sign::Minus => i64::MIN,
            _ => i64::MAX,
        }
    }

    /// The first bits of a bitstring, if there are so many.
    fn first_bits(&mut self, value: Value, size: usize) -> Plan<Vec<Segment>> {
        let bits = self.bitstring(value).ok_or(Without::Fails)?;
        let stretch = self.stretch(value);
        let length = self.arena.place(size);
        if !self.is_there(stretch, stretch.from, (length, size), bits.length) {
            return Err(Without::Fails);
        }
        let to = self.arena.place_plus(stretch.from, length);
        self.segments_of(Stretch { to: Some(to), ..stretch }, length).ok_or(Without::Meaning)
    }

    /// A whole bitstring. Its length may stay open if nothing follows.
    fn all_bits(&mut self, value: Value, is_last: bool) -> Plan<Vec<Segment>> {
        let bits = self.bitstring(value).ok_or(Without::Fails)?;
        let stretch = self.stretch(value);
        let mut length = self.decided_length(stretch, bits.length);
        if !is_last && self.arena.constant_place(length).is_none() {
            self.fix(length.bytes, (bits.length / 8) as i64);
            length = self.arena.place(bits.length);
        }
        self.segments_of(stretch, length).ok_or(Without::Meaning)
    }

    /// The stretch that a symbolic bitstring is.
    pub fn stretch_of(&mut self, value: Value) -> Option<Stretch> {
        let is_bits = value.is_sym() && self.heap.as_bits(self.heap.concrete(value)).is_some();
        is_bits.then(|| self.stretch(value))
    }

    /// The bitstring that bytes and bitstrings make up, which are found to be such.
    pub fn joined(&mut self, parts: &[Value], whole: Value) -> Value {
        let mut segments = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let planned = match self.integer_or_bits(*part) {
                Some(value) => Ok(vec![Segment::Integer { value, size: 8, little: false }]),
                None => self.all_bits(*part, index + 1 == parts.len()),
            };
            match planned {
                Ok(planned) if segments.len() < MOST_SEGMENTS => segments.extend(planned),
                Ok(_) | Err(_) => {
                    self.counters.concretise(bif::mfa("erlang", CONSTRUCTION, 1));
                    return whole;
                }
            }
        }
        let id = self.concatenation(segments);
        self.part(whole, id)
    }

    /// The integer that a part is, if it is no bitstring.
    fn integer_or_bits(&mut self, part: Value) -> Option<SymId> {
        if self.heap.as_bits(self.heap.concrete(part)).is_some() { None } else { self.integer(part) }
    }

    /// Segments one after the other.
    pub fn concatenation(&mut self, segments: Vec<Segment>) -> SymId {
        match segments.as_slice() {
            [Segment::Part { base, from, length }] => {
                let (base, from, length) = (*base, *from, *length);
                let whole = self.end(Stretch { base, from, to: None });
                let to = self.arena.place_plus(from, length);
                self.arena.bits_part(base, from, (whole != Some(to)).then_some(to))
            }
            _ => self.arena.bits_cat(segments),
        }
    }
}
