//! Bit syntax: patterns on symbolic bitstrings, or with symbolic sizes.
//!
//! Decided are: whether the bits of a segment are there, whether literal bits are these, and the size of an integer segment. Not modelled:
//! the value of a float, unless it is a float that the program itself has put there.

use super::view::{Reading, Stretch};
use super::{Cpu, PATTERN};
use crate::bif;
use crate::code::ir::{Slot, Src};
use crate::machine::Ctx;
use crate::sym::{Function, Place, SymId};
use crate::term::bits::segment::{self, Kind, Spec};
use crate::term::bits::{self};
use crate::term::{Bits, Value};

/// Integers of more bits are concrete.
const WIDEST: usize = 1 << 12;

/// A match on its way: the bitstring, how far it has come, and what is left.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    stretch: Stretch,
    /// The place in the base of the stretch.
    at: Place,
    /// The place in the stretch.
    relative: Place,
    position: usize,
    left: Bits,
}

/// The size of a segment, as it is in this run and as an expression.
#[derive(Clone, Copy)]
struct Size {
    bits: usize,
    place: Place,
}

impl Cpu<'_> {
    #[inline]
    pub(super) fn is_symbolic_match(&self, at: Slot) -> bool {
        self.get(Src::slot(at)).is_sym() || self.get(Src::slot(Slot(at.0 + 1))).is_sym()
    }

    fn cursor(&mut self, at: Slot) -> Cursor {
        let (value, position) = (self.get(Src::slot(at)), self.get(Src::slot(Slot(at.0 + 1))));
        let heap = &self.run.heap;
        let whole = heap.bits_of(heap.concrete(value));
        let bytes = heap.expression(position);
        let position = heap.concrete(position).as_small() as usize;
        let left = Bits { offset: whole.offset + position, length: whole.length.saturating_sub(position), ..whole };
        let mut ctx = self.program();
        let stretch = ctx.stretch(value);
        let mut relative = ctx.arena.place(position);
        if let Some(bytes) = bytes {
            if ctx.segments(stretch.base).is_some() {
                ctx.fix(bytes, (position / 8) as i64);
            } else {
                relative.bytes = bytes;
            }
        }
        let at = ctx.arena.place_plus(stretch.from, relative);
        Cursor { stretch, at, relative, position, left }
    }

    fn advance_by(&mut self, at: Slot, cursor: Cursor, size: Size) {
        let position = Value::count(cursor.position + size.bits);
        let place = self.run.arena.place_plus(cursor.relative, size.place);
        let position = self.program().part(position, place.bytes);
        self.set(Slot(at.0 + 1), position);
    }

    fn fixed_size(&mut self, bits: usize) -> Size {
        Size { bits, place: self.run.arena.place(bits) }
    }

    /// Whether so many bits are left.
    fn fits(&mut self, cursor: Cursor, size: Size) -> bool {
        self.program().is_there(cursor.stretch, cursor.at, (size.place, size.bits), cursor.left.length)
    }

    /// The size of a segment, if so many bits are left. What is no size matches nothing. Of a bitstring in whole bytes it may stay open,
    /// otherwise it is decided.
    fn segment_size(&mut self, cursor: Cursor, size: Src, spec: (Kind, u16)) -> Option<Size> {
        let (value, (kind, unit)) = (self.get(size), spec);
        let concrete = self.run.heap.concrete(value);
        if !value.is_sym() {
            let size = self.bits_size(value, unit).map(|bits| self.fixed_size(bits))?;
            return self.fits(cursor, size).then_some(size);
        }
        let bits = self.bits_size(concrete, unit).unwrap_or(usize::MAX);
        let mut ctx = self.program();
        let units = ctx.size_of(value)?;
        if kind == Kind::Binary && unit.is_multiple_of(8) {
            let factor = ctx.arena.int(unit / 8);
            let bytes = ctx.arena.linear_times(units, factor);
            let size = Size { bits, place: Place { bytes, bits: 0 } };
            return self.fits(cursor, size).then_some(size);
        }
        if !ctx.has_bits(Stretch { from: cursor.at, ..cursor.stretch }, (units, unit), bits <= cursor.left.length) {
            return None;
        }
        ctx.fix(units, concrete.as_small());
        Some(self.fixed_size(bits))
    }

    /// A segment that is taken out, and where that leads.
    pub(super) fn take_symbolic(&mut self, dst: Slot, at: Slot, segment: (Src, Spec)) -> bool {
        let cursor = self.cursor(at);
        let (size, spec) = segment;
        if matches!(spec.kind, Kind::Utf8 | Kind::Utf16 | Kind::Utf32) {
            return self.take_character(dst, at, cursor, spec);
        }
        match self.segment_size(cursor, size, (spec.kind, spec.unit)) {
            Some(size) => self.take_sized(dst, at, cursor, size, spec),
            None => false,
        }
    }

    pub(super) fn integer_symbolic(&mut self, dst: Slot, at: Slot, segment: (u32, Spec)) -> bool {
        let cursor = self.cursor(at);
        let size = self.fixed_size(segment.0 as usize);
        self.fits(cursor, size) && self.take_sized(dst, at, cursor, size, segment.1)
    }

    fn take_sized(&mut self, dst: Slot, at: Slot, cursor: Cursor, size: Size, spec: Spec) -> bool {
        let Some(part) = bits::sub(cursor.left, 0, size.bits) else { return false };
        let value = match spec.kind {
            Kind::Integer => Some(self.integer_at(cursor, part, spec)),
            Kind::Float => self.float_at(cursor, part, spec),
            Kind::Binary | Kind::Utf8 | Kind::Utf16 | Kind::Utf32 => Some(self.part_at(cursor, part, size)),
        };
        if let Some(value) = value {
            self.set(dst, value);
            self.advance_by(at, cursor, size);
        }
        value.is_some()
    }

    fn integer_at(&mut self, cursor: Cursor, part: Bits, spec: Spec) -> Value {
        let value = segment::integer_value(&mut self.run.heap, part, spec.endian, spec.signed);
        let reading = Reading { size: part.length as u32, endian: spec.endian, signed: spec.signed };
        let mut ctx = self.program();
        let read = if part.length <= WIDEST { ctx.read(cursor.stretch.base, cursor.at, reading) } else { None };
        match read {
            Some(id) => ctx.part(value, id),
            None => self.concrete_pattern(value),
        }
    }

    fn concrete_pattern(&mut self, value: Value) -> Value {
        self.run.counters.concretise(bif::mfa("erlang", PATTERN, 1));
        value
    }

    /// A float. Whether it is one (and no infinity, or none at all) is decided.
    fn float_at(&mut self, cursor: Cursor, part: Bits, spec: Spec) -> Option<Value> {
        let float = segment::float(&self.run.heap, part, spec.endian);
        let (sign, exponent) = match part.length {
            16 => (1, 5),
            32 => (1, 8),
            64 => (1, 11),
            _ => return float.map(|float| self.run.heap.float(float)),
        };
        let mut ctx = self.program();
        let size = part.length as u32;
        let own = ctx.whole_float(cursor.stretch.base, cursor.at, size, spec.endian);
        if let (Some(id), Some(float), 64) = (own, float, size) {
            let value = ctx.heap.float(float);
            return Some(ctx.part(value, id));
        }
        let reading = Reading { size, endian: spec.endian, signed: false };
        if let Some(whole) = ctx.read(cursor.stretch.base, cursor.at, reading) {
            let exponent_bits = ctx.arena.slice(whole, size - sign - exponent, exponent);
            let all_ones = ctx.arena.int((1u32 << exponent) - 1);
            let infinite = ctx.arena.eq(exponent_bits, all_ones);
            ctx.settle(infinite, float.is_none());
            let value = ctx.heap.float(float?);
            let id = ctx.arena.apply(Function::FloatOfBits(size), vec![whole]);
            return Some(ctx.part(value, id));
        }
        let value = self.run.heap.float(float?);
        Some(self.concrete_pattern(value))
    }

    fn part_at(&mut self, cursor: Cursor, part: Bits, size: Size) -> Value {
        let mut ctx = self.program();
        let mut place = size.place;
        if ctx.segments(cursor.stretch.base).is_some() && ctx.arena.constant_place(place).is_none() {
            ctx.fix(place.bytes, (size.bits / 8) as i64);
            place = ctx.arena.place(size.bits);
        }
        let to = ctx.arena.place_plus(cursor.at, place);
        ctx.bits_part(cursor.stretch, cursor.at, Some(to), part)
    }

    fn take_character(&mut self, dst: Slot, at: Slot, cursor: Cursor, spec: Spec) -> bool {
        let place = (cursor.stretch, cursor.at);
        match self.program().character(place, cursor.left, spec) {
            Some((id, character, bits)) => {
                let value = self.program().part(Value::count(character as usize), id);
                self.set(dst, value);
                let size = self.fixed_size(bits);
                self.advance_by(at, cursor, size);
                true
            }
            None => false,
        }
    }

    pub(super) fn skip_symbolic(&mut self, at: Slot, size: Src, unit: u16) -> bool {
        let cursor = self.cursor(at);
        // Nobody looks at these bits: they may as well be a bitstring.
        match self.segment_size(cursor, size, (Kind::Binary, unit)) {
            Some(size) => self.advance_by(at, cursor, size),
            None => return false,
        }
        true
    }

    /// Whether all that is left is whole units.
    pub(super) fn units_symbolic(&mut self, at: Slot, unit: u16) -> bool {
        let cursor = self.cursor(at);
        let rest = Stretch { from: cursor.at, ..cursor.stretch };
        self.program().is_whole(rest, cursor.left.length, unit)
    }

    pub(super) fn rest_symbolic(&mut self, dst: Slot, at: Slot, unit: u16) -> bool {
        let whole = self.units_symbolic(at, unit);
        if whole {
            let cursor = self.cursor(at);
            let value = self.program().bits_part(cursor.stretch, cursor.at, None, cursor.left);
            self.set(dst, value);
        }
        whole
    }

    pub(super) fn literal_symbolic(&mut self, at: Slot, literal: Src) -> bool {
        let cursor = self.cursor(at);
        let literal = self.get(literal);
        let bits = self.run.heap.bits_of(literal);
        let size = self.fixed_size(bits.length);
        if !self.fits(cursor, size) {
            return false;
        }
        let holds = bits::starts_with(&self.run.heap, cursor.left, bits);
        let mut ctx = self.program();
        match ctx.has_literal(cursor.stretch.base, cursor.at, literal) {
            Some(condition) => drop(ctx.settle(condition, holds)),
            None => drop(self.concrete_pattern(Value::NIL)),
        }
        self.advance_by(at, cursor, size);
        holds
    }

    pub(super) fn end_symbolic(&mut self, at: Slot) -> bool {
        let cursor = self.cursor(at);
        let mut ctx = self.program();
        let condition = ctx.ends_at(cursor.stretch, cursor.at);
        ctx.settle(condition, cursor.left.length == 0)
    }
}

impl Ctx<'_> {
    /// Whether a stretch of some size, as a place and in bits, is there. So many bits are, from `at` on.
    pub fn is_there(&mut self, stretch: Stretch, at: Place, size: (Place, usize), left: usize) -> bool {
        let end = self.arena.place_plus(at, size.0);
        let condition = self.reaches(stretch, end);
        self.settle(condition, size.1 <= left)
    }

    /// A symbolic size as an integer, if it can be one.
    pub fn size_of(&mut self, value: Value) -> Option<SymId> {
        let id = self.integer(value)?;
        let integer = self.heap.integer(self.heap.concrete(value))?;
        let zero = self.arena.int(0);
        let negative = self.arena.lt(id, zero);
        (!self.settle(negative, integer.sign() == num_bigint::Sign::Minus)).then_some(id)
    }

    /// Whether a stretch has so many units of so many bits: decides it.
    fn has_bits(&mut self, stretch: Stretch, (units, unit): (SymId, u16), holds: bool) -> bool {
        let unit = self.arena.int(unit);
        let wanted = self.arena.linear_times(units, unit);
        let length = self.length_in_bits(stretch);
        let short = self.arena.linear_lt(length, wanted);
        !self.settle(short, !holds)
    }

    /// The length of a stretch in bits.
    pub fn length_in_bits(&mut self, stretch: Stretch) -> SymId {
        if let Some(end) = self.end(stretch) {
            let length = self.arena.place_minus(end, stretch.from);
            return self.arena.place_in_bits(length);
        }
        let arena = &mut *self.arena;
        let (bytes, extra, eight) = (arena.bytes_of(stretch.base), arena.extra_of(stretch.base), arena.int(8));
        let whole = arena.linear_times(bytes, eight);
        let all = arena.linear_add(whole, extra);
        let before = arena.place_in_bits(stretch.from);
        arena.linear_sub(all, before)
    }

    /// Whether a stretch of so many bits is whole units.
    pub fn is_whole(&mut self, stretch: Stretch, length: usize, unit: u16) -> bool {
        let holds = length.is_multiple_of(usize::from(unit.max(1)));
        let condition = match unit {
            0 | 1 => return true,
            8 => self.whole_bytes(stretch, stretch.from),
            _ => {
                let length = self.decided_length(stretch, length);
                let (bits, unit) = (self.arena.place_in_bits(length), self.arena.int(unit));
                let (rest, zero) = (self.arena.rem(bits, unit), self.arena.int(0));
                self.arena.eq(rest, zero)
            }
        };
        self.settle(condition, holds)
    }
}
