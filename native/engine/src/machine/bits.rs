//! Bit syntax: patterns. Construction is in [`build`].
//!
//! A match keeps the bitstring and a position in two slots; segments are read where they are, and only a segment that is bound to a variable as
//! a bitstring becomes a view of its own.
//!
//! A match on a symbolic bitstring, or with a symbolic size, is in [`symbolic`]. What has no meaning there is counted under the
//! names `erlang:'binary pattern'/1` and `erlang:'binary construction'/1`.

mod build;
mod characters;
mod comparing;
mod construct;
mod reading;
mod symbolic;
pub mod view;

use super::exec::Cpu;
use crate::code::ir::{Label, Slot, Src};
use crate::release;
use crate::sym::Tags;
use crate::term::bits::segment::{self, Kind, Spec};
use crate::term::bits::{self};
use crate::term::{Bits, Value};

const PATTERN: &str = "binary pattern";

impl Cpu<'_> {
    pub(super) fn bits_start(&mut self, value: Src, at: Slot, fail: Label) {
        let value = self.get(value);
        let holds =
            if value.is_sym() { self.program().is(value, Tags::BITS) } else { self.run.heap.as_bits(value).is_some() };
        self.set(at, value);
        self.set(Slot(at.0 + 1), Value::ZERO);
        self.jump_unless(holds, fail);
    }

    /// What is left of the bitstring.
    #[inline]
    fn bits_left(&self, at: Slot) -> Bits {
        let whole = self.run.heap.bits_of(self.get(Src::slot(at)));
        let position = self.get(Src::slot(Slot(at.0 + 1))).as_small() as usize;
        Bits { offset: whole.offset + position, length: whole.length.saturating_sub(position), ..whole }
    }

    #[inline]
    fn bits_advance(&mut self, at: Slot, count: usize) {
        let slot = Slot(at.0 + 1);
        let position = self.get(Src::slot(slot)).as_small() as usize;
        self.set(slot, Value::count(position + count));
    }

    /// A size in bits. What is none matches nothing.
    #[inline]
    fn bits_size(&self, size: Value, unit: u16) -> Option<usize> {
        if !size.is_small() {
            return None;
        }
        usize::try_from(size.as_small()).ok()?.checked_mul(usize::from(unit))
    }

    #[inline]
    pub(super) fn bits_integer(&mut self, dst: Slot, at: Slot, segment: (u32, Spec), fail: Label) {
        if self.is_symbolic_match(at) {
            let holds = self.integer_symbolic(dst, at, segment);
            return self.jump_unless(holds, fail);
        }
        let (size, spec) = (segment.0 as usize, segment.1);
        let left = self.bits_left(at);
        if left.length < size {
            return self.jump_unless(false, fail);
        }
        match self.read_integer(Bits { length: size, ..left }, spec) {
            Some(value) => {
                self.set(dst, value);
                self.bits_advance(at, size);
            }
            None => self.jump_unless(false, fail),
        }
    }

    pub(super) fn bits_take(&mut self, dst: Slot, at: Slot, segment: (Src, Spec), fail: Label) {
        if self.is_symbolic_match(at) || self.get(segment.0).is_sym() {
            let holds = self.take_symbolic(dst, at, segment);
            return self.jump_unless(holds, fail);
        }
        match self.taken(at, segment.0, segment.1) {
            Some((value, size)) => {
                self.set(dst, value);
                self.bits_advance(at, size);
            }
            None => self.jump_unless(false, fail),
        }
    }

    fn taken(&mut self, at: Slot, size: Src, spec: Spec) -> Option<(Value, usize)> {
        let left = self.bits_left(at);
        if matches!(spec.kind, Kind::Utf8 | Kind::Utf16 | Kind::Utf32) {
            let (character, size) = segment::character(&self.run.heap, left, spec.kind, spec.endian)?;
            return Some((Value::count(character as usize), size));
        }
        let size = self.bits_size(self.get(size), spec.unit)?;
        let part = bits::sub(left, 0, size)?;
        let value = match spec.kind {
            Kind::Integer => self.read_integer(part, spec)?,
            Kind::Float => {
                let float = segment::float(&self.run.heap, part, spec.endian)?;
                self.run.heap.float(float)
            }
            Kind::Binary | Kind::Utf8 | Kind::Utf16 | Kind::Utf32 => self.run.heap.bits(part),
        };
        Some((value, size))
    }

    /// The integer that these bits are; one beyond the largest matches nothing.
    #[inline]
    fn read_integer(&mut self, part: Bits, spec: Spec) -> Option<Value> {
        let value = segment::integer_value(&mut self.run.heap, part, spec.endian, spec.signed);
        if part.length as u64 <= release::largest_integer_bits() {
            return Some(value);
        }
        let integer = self.run.heap.integer(value)?;
        (integer.bits() <= release::largest_integer_bits()).then_some(value)
    }

    pub(super) fn bits_skip(&mut self, at: Slot, size: Src, unit: u16, fail: Label) {
        if self.is_symbolic_match(at) || self.get(size).is_sym() {
            let holds = self.skip_symbolic(at, size, unit);
            return self.jump_unless(holds, fail);
        }
        match self.bits_size(self.get(size), unit).filter(|size| *size <= self.bits_left(at).length) {
            Some(size) => self.bits_advance(at, size),
            None => self.jump_unless(false, fail),
        }
    }

    #[inline]
    pub(super) fn bits_rest(&mut self, dst: Slot, at: Slot, unit: u16, fail: Label) {
        if self.is_symbolic_match(at) {
            let holds = self.rest_symbolic(dst, at, unit);
            return self.jump_unless(holds, fail);
        }
        let left = self.bits_left(at);
        if !left.length.is_multiple_of(usize::from(unit.max(1))) {
            return self.jump_unless(false, fail);
        }
        let value = self.run.heap.bits(left);
        self.set(dst, value);
    }

    pub(super) fn bits_units(&mut self, at: Slot, unit: u16, fail: Label) {
        let holds = if self.is_symbolic_match(at) {
            self.units_symbolic(at, unit)
        } else {
            self.bits_left(at).length.is_multiple_of(usize::from(unit.max(1)))
        };
        self.jump_unless(holds, fail);
    }

    pub(super) fn bits_literal(&mut self, at: Slot, literal: Src, fail: Label) {
        if self.is_symbolic_match(at) {
            let holds = self.literal_symbolic(at, literal);
            return self.jump_unless(holds, fail);
        }
        let literal = self.run.heap.bits_of(self.get(literal));
        let left = self.bits_left(at);
        let holds = bits::starts_with(&self.run.heap, left, literal);
        self.bits_advance(at, literal.length);
        self.jump_unless(holds, fail);
    }

    pub(super) fn bits_end(&mut self, at: Slot, fail: Label) {
        let holds = if self.is_symbolic_match(at) { self.end_symbolic(at) } else { self.bits_left(at).length == 0 };
        self.jump_unless(holds, fail);
    }
}
