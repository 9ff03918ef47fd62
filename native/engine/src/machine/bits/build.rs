//! Bit syntax: construction.
//!
//! As on the BEAM, the sizes of all segments are looked at first, and then their values. A bitstring that starts with all of another one is
//! appended to it.

use num_bigint::Sign;
use num_traits::ToPrimitive;

use super::Cpu;
use crate::code::ir::{BitsPlan, BitsSegment, BitsSize, Label, Operand, Slot, Src};
use crate::machine::exec::Step;
use crate::machine::{Failure, Raise, Stop};
use crate::term::bits::grow::Writer;
use crate::term::bits::segment::{Kind, character_bits, float_bits};
use crate::term::bits::{self};
use crate::term::{AtomId, Bits, Endian, Value, View};

pub(super) const CONSTRUCTION: &str = "binary construction";

/// More bits than this are not built: the run ends for want of memory.
const MOST_BITS: usize = 1 << 31;

/// From here on a size is a bignum on the BEAM, which it does not accept.
const LARGEST_SIZE: i64 = 1 << 59;

const MOST_ROOM: usize = 1 << 16;

fn badarg() -> Failure {
    Raise::error_atom(AtomId::BADARG).into()
}

fn system_limit() -> Failure {
    Raise::error_atom(AtomId::SYSTEM_LIMIT).into()
}

impl Cpu<'_> {
    pub(in crate::machine) fn bits_build(&mut self, dst: Slot, plan: &BitsPlan, fail: Label) -> Step {
        let symbolic = self.is_symbolic_build(&plan.segments);
        let expression = if symbolic { self.construction(&plan.segments) } else { None };
        match self.build(&plan.segments) {
            Ok(value) => {
                let value = expression.map_or(value, |id| self.program().part(value, id));
                self.set(dst, value);
            }
            Err(Failure::Raise(_)) if fail != Label::RAISE => self.jump_unless(false, fail),
            Err(failure) => return Err(failure.into()),
        }
        Ok(())
    }

    pub(in crate::machine) fn bits_writable(&mut self, dst: Slot, room: Src) {
        let room = self.get(room).as_small().clamp(0, MOST_ROOM as i64) as usize;
        let value = Writer::buffer(&mut self.run.heap, room).finish(&mut self.run.heap);
        self.set(dst, value);
    }

    fn build(&mut self, segments: &[BitsSegment]) -> Result<Value, Failure> {
        let mut total = 0usize;
        for segment in segments {
            total = total.checked_add(self.built_size(segment)?).ok_or_else(system_limit)?;
        }
        if total > MOST_BITS {
            return Err(Failure::Stop(Stop::Heap));
        }
        let (mut writer, rest) = match segments.split_first() {
            Some((first, rest)) if appends(first) => {
                let prefix = self.built_bits(first.value).ok_or_else(badarg)?;
                (Writer::append(&mut self.run.heap, prefix, total - prefix.length), rest)
            }
            _ => (Writer::new(&mut self.run.heap, total), segments),
        };
        for segment in rest {
            self.write(&mut writer, segment)?;
        }
        Ok(writer.finish(&mut self.run.heap))
    }

    fn built_value(&self, src: Src) -> Value {
        self.run.heap.concrete(self.get(src))
    }

    fn built_bits(&mut self, src: Src) -> Option<Bits> {
        let value = self.built_value(src);
        self.run.heap.as_bits(value)
    }

    fn built_character(&mut self, src: Src) -> Option<char> {
        let value = self.built_value(src);
        if !value.is_small() {
            return None;
        }
        char::from_u32(u32::try_from(value.as_small()).ok()?)
    }

    /// How many bits a segment takes.
    #[inline]
    fn built_size(&mut self, segment: &BitsSegment) -> Result<usize, Failure> {
        match segment.size {
            BitsSize::Fixed(bits) => Ok(bits as usize),
            BitsSize::Units(size) => {
                let size = self.built_value(size);
                self.units(size)?.checked_mul(usize::from(segment.spec.unit)).ok_or_else(system_limit)
            }
            BitsSize::All if segment.spec.kind == Kind::Binary => {
                let length = self.built_bits(segment.value).ok_or_else(badarg)?.length;
                let whole = length % usize::from(segment.spec.unit.max(1)) == 0;
                if whole { Ok(length) } else { Err(badarg()) }
            }
            // What is no character fails when it is written.
            BitsSize::All => Ok(self
                .built_character(segment.value)
                .map_or(0, |character| character_bits(character, segment.spec.kind, segment.spec.endian).1)),
        }
    }

    fn units(&self, size: Value) -> Result<usize, Failure> {
        match self.run.heap.view(size) {
            View::Small(size) if size >= LARGEST_SIZE => Err(system_limit()),
            View::Small(size) => usize::try_from(size).map_err(|_| badarg()),
            View::Big(ptr) if self.run.heap.big(ptr).sign() == Sign::Plus => Err(system_limit()),
            _ => Err(badarg()),
        }
    }

    #[inline]
    fn write(&mut self, writer: &mut Writer, segment: &BitsSegment) -> Result<(), Failure> {
        let spec = segment.spec;
        match spec.kind {
            Kind::Integer => {
                let value = self.built_value(segment.value);
                let size = self.built_size(segment)?;
                self.write_integer(writer, value, size, spec.endian)
            }
            Kind::Float => {
                let size = self.built_size(segment)?;
                let float = self.built_float(segment.value).and_then(|float| float_bits(float, size));
                writer.push_small(&mut self.run.heap, float.ok_or_else(badarg)? as i64, size, spec.endian);
                Ok(())
            }
            Kind::Binary => {
                let part = self.built_bits(segment.value).ok_or_else(badarg)?;
                let size = self.built_size(segment)?;
                writer.push_bits(&mut self.run.heap, bits::sub(part, 0, size).ok_or_else(badarg)?);
                Ok(())
            }
            Kind::Utf8 | Kind::Utf16 | Kind::Utf32 => {
                let character = self.built_character(segment.value).ok_or_else(badarg)?;
                let (bits, size) = character_bits(character, spec.kind, spec.endian);
                writer.push_small(&mut self.run.heap, bits as i64, size, Endian::Big);
                Ok(())
            }
        }
    }

    #[inline]
    fn write_integer(&mut self, writer: &mut Writer, value: Value, size: usize, endian: Endian) -> Result<(), Failure> {
        if value.is_small() {
            writer.push_small(&mut self.run.heap, value.as_small(), size, endian);
            return Ok(());
        }
        let integer = self.run.heap.integer(value).ok_or_else(badarg)?;
        writer.push_integer(&mut self.run.heap, &integer, size, endian);
        Ok(())
    }

    fn built_float(&mut self, src: Src) -> Option<f64> {
        let value = self.built_value(src);
        match self.run.heap.view(value) {
            View::Float(float) => Some(float),
            View::Small(integer) => Some(integer as f64),
            View::Big(ptr) => self.run.heap.big(ptr).to_f64().filter(|float| float.is_finite()),
            _ => None,
        }
    }
}

/// The segment is all of another bitstring, and no literal.
fn appends(segment: &BitsSegment) -> bool {
    segment.spec.kind == Kind::Binary
        && matches!(segment.size, BitsSize::All)
        && matches!(segment.value.operand(), Operand::Slot(_))
}
