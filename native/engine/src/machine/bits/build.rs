//! Bit syntax: construction.
//!
//! As on the BEAM, the sizes of all segments are looked at first, and then their values: of several faults the first one met in this order is
//! told. A bitstring that starts with all of another one is appended to it.

use num_bigint::Sign;

use super::Cpu;
use crate::bif;
use crate::code::ir::{BitsPlan, BitsSegment, BitsSize, Label, Operand, Slot, Src};
use crate::machine::exec::Step;
use crate::machine::{Class, Failure, Raise, Stop, Trace};
use crate::release;
use crate::term::bits::grow::Writer;
use crate::term::bits::segment::{Kind, character_bits, float_bits};
use crate::term::bits::{self};
use crate::term::{AtomId, Bits, Endian, Value, View};

pub(super) const CONSTRUCTION: &str = "binary construction";

/// More bits than this are not built: the run ends for want of memory.
const MOST_BITS: usize = 1 << 31;

/// From here on a size is a bignum on the BEAM, which it does not accept.
const LARGEST_SIZE: i64 = 1 << 59;

/// More bits than this are not even reserved: the VM that tries dies.
const MOST_RESERVED: usize = 1 << 35;

const MOST_ROOM: usize = 1 << 16;

fn system_limit() -> Failure {
    Raise::error_atom(AtomId::SYSTEM_LIMIT).into()
}

/// What is wrong with a segment, by the BEAM's names: `type` of its value, its `size`, ….
#[derive(Clone, Copy)]
struct Fault(&'static str);

const TYPE: Fault = Fault("type");
const SIZE: Fault = Fault("size");
const UNIT: Fault = Fault("unit");
const SHORT: Fault = Fault("short");
const INVALID: Fault = Fault("invalid");
const NO_FLOAT: Fault = Fault("no_float");

const fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "integer",
        Kind::Float => "float",
        Kind::Binary => "binary",
        Kind::Utf8 => "utf8",
        Kind::Utf16 => "utf16",
        Kind::Utf32 => "utf32",
    }
}

impl Cpu<'_> {
    /// What a construction makes, in words, as far as sizes that are given tell; and what it copies.
    fn afford_build(&mut self, segments: &[BitsSegment]) -> Step {
        if self.work.is_none() {
            return Ok(());
        }
        let words = |segment: &BitsSegment| {
            let units = match segment.size {
                BitsSize::Fixed(bits) => return bits as usize / 64,
                BitsSize::Units(units) => self.run.heap.concrete(self.get(units)),
                BitsSize::All => {
                    let value = self.run.heap.concrete(self.get(segment.value));
                    return self.run.heap.as_bits(value).map_or(0, |bits| bits.length / 64);
                }
            };
            let units = if units.is_small() { units.as_small().max(0) as usize } else { 0 };
            units.saturating_mul(usize::from(segment.spec.unit)) / 64
        };
        let total = segments.iter().map(words).fold(1, usize::saturating_add);
        self.afford(total)
    }

    pub(in crate::machine) fn bits_build(&mut self, dst: Slot, plan: &BitsPlan, fail: Label) -> Step {
        self.afford_build(&plan.segments)?;
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

    /// The exception of a construction, with its cause: `{Segment, Type, Fault, Value}`.
    #[cold]
    fn fault(&mut self, segment: &BitsSegment, reason: AtomId, fault: Fault, value: Value) -> Failure {
        let heap = &mut self.run.heap;
        let name = |name: &str| Value::atom(AtomId::intern(name));
        let number = Value::count(segment.number as usize);
        let cause = heap.tuple(&[number, name(type_name(segment.spec.kind)), name(fault.0), value]);
        let info = heap.map(&[
            (name("cause"), cause),
            (name("function"), name("format_bs_fail")),
            (name("module"), name("erl_erts_errors")),
        ]);
        let info = heap.tuple(&[Value::atom(AtomId::ERROR_INFO), info]);
        let more = heap.list([info], Value::NIL);
        let trace = Trace::Running { args: Value::ZERO, more, last: false };
        Raise { class: Class::Error, reason: Value::atom(reason), trace }.into()
    }

    fn badarg(&mut self, segment: &BitsSegment, fault: Fault, value: Value) -> Failure {
        self.fault(segment, AtomId::BADARG, fault, value)
    }

    /// The bits of a segment's value.
    fn segment_bits(&mut self, segment: &BitsSegment) -> Result<Bits, Failure> {
        match self.built_bits(segment.value) {
            Some(bits) => Ok(bits),
            None => {
                let value = self.get(segment.value);
                Err(self.badarg(segment, TYPE, value))
            }
        }
    }

    fn build(&mut self, segments: &[BitsSegment]) -> Result<Value, Failure> {
        let (prefix, rest) = match segments.split_first() {
            Some((first, rest)) if appends(first) => (Some(first), rest),
            _ => (None, segments),
        };
        let mut total = 0usize;
        // What the others are appended to is looked at last.
        for segment in rest.iter().chain(prefix) {
            total = total.checked_add(self.built_size(segment)?).ok_or_else(system_limit)?;
        }
        if total > MOST_BITS {
            return Err(self.too_large(rest, total));
        }
        let mut writer = match prefix {
            Some(first) => {
                let prefix = self.whole_bits(first)?;
                Writer::append(&mut self.run.heap, prefix, total - prefix.length)
            }
            None => Writer::new(&mut self.run.heap, total),
        };
        for segment in rest {
            self.write(&mut writer, segment)?;
        }
        Ok(writer.finish(&mut self.run.heap))
    }

    /// What becomes of a bitstring that is not built: a fault of one of its values if there is one, as the VM reserves the memory without
    /// touching it.
    #[cold]
    fn too_large(&mut self, segments: &[BitsSegment], total: usize) -> Failure {
        let faults = segments.iter().filter(|_| total <= MOST_RESERVED);
        faults.map(|segment| self.check(segment)).find_map(Result::err).unwrap_or(Failure::Stop(Stop::Heap))
    }

    /// Whether the value of a segment can be written.
    fn check(&mut self, segment: &BitsSegment) -> Result<(), Failure> {
        match segment.spec.kind {
            Kind::Integer => {
                let value = self.built_value(segment.value);
                let is_integer = self.run.heap.integer(value).is_some();
                if is_integer { Ok(()) } else { Err(self.badarg(segment, TYPE, value)) }
            }
            Kind::Float => self.float_pattern(segment).map(|_| ()),
            Kind::Binary => self.part_bits(segment).map(|_| ()),
            Kind::Utf8 | Kind::Utf16 | Kind::Utf32 => self.built_character(segment).map(|_| ()),
        }
    }

    fn built_value(&self, src: Src) -> Value {
        self.run.heap.concrete(self.get(src))
    }

    fn built_bits(&mut self, src: Src) -> Option<Bits> {
        let value = self.built_value(src);
        self.run.heap.as_bits(value)
    }

    fn built_character(&mut self, segment: &BitsSegment) -> Result<char, Failure> {
        let value = self.built_value(segment.value);
        let code = value.is_small().then(|| u32::try_from(value.as_small()).ok()).flatten();
        code.and_then(char::from_u32).ok_or_else(|| {
            let value = self.get(segment.value);
            self.badarg(segment, TYPE, value)
        })
    }

    /// How many bits a segment takes.
    #[inline]
    fn built_size(&mut self, segment: &BitsSegment) -> Result<usize, Failure> {
        match segment.size {
            BitsSize::Fixed(bits) => Ok(bits as usize),
            BitsSize::Units(size) => {
                let size = self.built_value(size);
                let bits = self.units(size).and_then(|units| bits_of_units(units, segment.spec.unit));
                bits.map_err(|reason| self.fault(segment, reason, SIZE, size))
            }
            BitsSize::All if segment.spec.kind == Kind::Binary => Ok(self.segment_bits(segment)?.length),
            BitsSize::All => {
                let spec = segment.spec;
                match self.built_character(segment) {
                    Ok(character) => Ok(character_bits(character, spec.kind, spec.endian).1),
                    Err(failure) if is_checked_first(spec.kind) => Err(failure),
                    // It fails when it is written.
                    Err(_) => Ok(0),
                }
            }
        }
    }

    /// The bits of a segment that is all of another bitstring, which is to have whole units.
    fn whole_bits(&mut self, segment: &BitsSegment) -> Result<Bits, Failure> {
        let bits = self.segment_bits(segment)?;
        if bits.length % usize::from(segment.spec.unit.max(1)) == 0 {
            return Ok(bits);
        }
        let value = self.get(segment.value);
        Err(self.badarg(segment, UNIT, value))
    }

    /// A size, or the reason why it is none.
    fn units(&self, size: Value) -> Result<usize, AtomId> {
        match self.run.heap.view(size) {
            View::Small(size) if size >= LARGEST_SIZE => Err(AtomId::SYSTEM_LIMIT),
            View::Small(size) => usize::try_from(size).map_err(|_| AtomId::BADARG),
            View::Big(ptr) if self.run.heap.big(ptr).sign() == Sign::Plus => Err(AtomId::SYSTEM_LIMIT),
            _ => Err(AtomId::BADARG),
        }
    }

    #[inline]
    fn write(&mut self, writer: &mut Writer, segment: &BitsSegment) -> Result<(), Failure> {
        let spec = segment.spec;
        match spec.kind {
            Kind::Integer => {
                let value = self.built_value(segment.value);
                let size = self.built_size(segment)?;
                if self.write_integer(writer, value, size, spec.endian) {
                    return Ok(());
                }
                Err(self.badarg(segment, TYPE, value))
            }
            Kind::Float => self.write_float(writer, segment),
            Kind::Binary => {
                let part = self.part_bits(segment)?;
                writer.push_bits(&mut self.run.heap, part);
                Ok(())
            }
            Kind::Utf8 | Kind::Utf16 | Kind::Utf32 => {
                let character = self.built_character(segment)?;
                let (bits, size) = character_bits(character, spec.kind, spec.endian);
                writer.push_small(&mut self.run.heap, bits as i64, size, Endian::Big);
                Ok(())
            }
        }
    }

    /// The bits of a segment's value that the segment takes.
    fn part_bits(&mut self, segment: &BitsSegment) -> Result<Bits, Failure> {
        match segment.size {
            BitsSize::All => self.whole_bits(segment),
            BitsSize::Fixed(_) | BitsSize::Units(_) => {
                let whole = self.segment_bits(segment)?;
                let size = self.built_size(segment)?;
                bits::sub(whole, 0, size).ok_or_else(|| {
                    let value = self.get(segment.value);
                    self.badarg(segment, SHORT, value)
                })
            }
        }
    }

    /// False if the value is no integer.
    #[inline]
    fn write_integer(&mut self, writer: &mut Writer, value: Value, size: usize, endian: Endian) -> bool {
        if value.is_small() {
            writer.push_small(&mut self.run.heap, value.as_small(), size, endian);
            return true;
        }
        let Some(integer) = self.run.heap.integer(value) else { return false };
        writer.push_integer(&mut self.run.heap, &integer, size, endian);
        true
    }

    fn write_float(&mut self, writer: &mut Writer, segment: &BitsSegment) -> Result<(), Failure> {
        let (bits, size) = self.float_pattern(segment)?;
        writer.push_small(&mut self.run.heap, bits as i64, size, segment.spec.endian);
        Ok(())
    }

    /// The bits of a float and how many there are.
    fn float_pattern(&mut self, segment: &BitsSegment) -> Result<(u64, usize), Failure> {
        let size = self.built_size(segment)?;
        if float_bits(0.0, size).is_none() {
            return Err(self.badarg(segment, INVALID, Value::count(size)));
        }
        match self.built_float(segment.value).and_then(|float| float_bits(float, size)) {
            Some(bits) => Ok((bits, size)),
            None => {
                let value = self.get(segment.value);
                let is_number = self.run.heap.integer(self.run.heap.concrete(value)).is_some();
                Err(self.badarg(segment, if is_number { NO_FLOAT } else { TYPE }, value))
            }
        }
    }

    fn built_float(&mut self, src: Src) -> Option<f64> {
        let value = self.built_value(src);
        match self.run.heap.view(value) {
            View::Float(float) => Some(float),
            View::Small(integer) => Some(integer as f64),
            View::Big(ptr) => bif::float_of_big(&self.run.heap.big(ptr)),
            _ => None,
        }
    }
}

/// The bits of so many units, which a word with a sign has room for.
fn bits_of_units(units: usize, unit: u16) -> Result<usize, AtomId> {
    units.checked_mul(usize::from(unit)).filter(|bits| *bits <= isize::MAX as usize).ok_or(AtomId::SYSTEM_LIMIT)
}

/// Characters that are looked at together with the sizes, before any value.
fn is_checked_first(kind: Kind) -> bool {
    match kind {
        Kind::Utf8 => release::utf8_is_checked_with_sizes(),
        Kind::Utf32 => true,
        Kind::Utf16 | Kind::Integer | Kind::Float | Kind::Binary => false,
    }
}

/// The segment is all of another bitstring, and no literal.
fn appends(segment: &BitsSegment) -> bool {
    segment.spec.kind == Kind::Binary
        && matches!(segment.size, BitsSize::All)
        && matches!(segment.value.operand(), Operand::Slot(_))
}
