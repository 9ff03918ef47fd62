//! Bit syntax: construction and patterns.
//!
//! Runs of literal segments become one bitstring, compared or copied whole; a construction or pattern that is nothing else is a literal.

use super::{Body, Dest};
use crate::code::ast::{Line, Node, Pattern, Segment};
use crate::code::ir::{BitsPlan, BitsSegment, BitsSize, Instr, Label, Slot, Src};
use crate::term::bits::segment::{Kind, Spec, character_bits};
use crate::term::{AtomId, BitWriter, Endian, Heap, Literals, Packed, Value};

/// Runs of literals longer than this many bits are left as they are.
const LONGEST_LITERAL: usize = 1 << 20;

const WHOLE: Spec = Spec { kind: Kind::Binary, endian: Endian::Big, signed: false, unit: 1 };

impl Body<'_, '_> {
    // Construction

    pub(super) fn binary(&mut self, line: Line, segments: &[Segment<Node>], dest: Dest<'_>) {
        let mark = self.next;
        let mut parts = Vec::new();
        let mut rest = segments;
        while !rest.is_empty() {
            let (run, count) = literal_run(rest, literal_of, false);
            if count == 0 {
                let Some((segment, more)) = rest.split_first() else { break };
                parts.push(self.segment(segment));
                rest = more;
            } else {
                let value = self.literal_bits(run);
                parts.push(BitsSegment { value, size: BitsSize::All, spec: WHOLE, number: 0 });
                rest = rest.get(count..).unwrap_or(&[]);
            }
        }
        self.line(line);
        match parts.as_slice() {
            [] => {
                let empty = self.literal_bits(BitWriter::new());
                self.deliver(empty, dest);
            }
            // A literal, or a construction that is its only part.
            [BitsSegment { value, size: BitsSize::All, spec, .. }] if *spec == WHOLE && is_constant(*value) => {
                self.deliver(*value, dest);
            }
            _ => {
                let (dst, fail) = (self.target(dest), self.fail());
                let plan = Box::new(BitsPlan { segments: parts.into_boxed_slice() });
                self.emit(Instr::BitsBuild { dst, plan, fail });
                self.done(dst, dest);
            }
        }
        self.next = mark;
    }

    fn segment(&mut self, segment: &Segment<Node>) -> BitsSegment {
        let value = self.operand(&segment.value);
        let spec = spec(segment);
        let size = match &segment.size {
            Node::Literal(size) => match fixed(*size, spec.unit) {
                _ if size.is_atom() => self.named_size(*size),
                Some(bits) => BitsSize::Fixed(bits),
                None => BitsSize::Units(self.literal(*size)),
            },
            node => BitsSize::Units(self.operand(node)),
        };
        BitsSegment { value, size, spec, number: segment.number }
    }

    /// `all` and `undefined` are as large as the value. No other atom is a size, which is an error when it is used.
    fn named_size(&mut self, size: Value) -> BitsSize {
        if is_whole(size) { BitsSize::All } else { BitsSize::Units(self.literal(size)) }
    }

    fn literal_bits(&mut self, bits: BitWriter) -> Src {
        let mut heap = Heap::new(Literals::default());
        let value = bits.finish(&mut heap);
        self.constant(&Packed::pack(&heap, value))
    }

    // Patterns

    pub(super) fn binary_pattern(&mut self, segments: &[Segment<Pattern>], subject: Src, fail: Label) {
        let (run, count) = literal_run(segments, literal_of_pattern, true);
        if count == segments.len() {
            let literal = self.literal_bits(run);
            return self.emit(Instr::IsLiteral { value: subject, literal, fail });
        }
        let at = Slot(self.next);
        self.take_slots(2);
        self.emit(Instr::BitsStart { value: subject, at, fail });
        let mut rest = segments;
        while let Some((segment, more)) = rest.split_first() {
            let (run, count) = literal_run(rest, literal_of_pattern, true);
            if count == 0 {
                self.segment_pattern(segment, at, fail);
                rest = more;
            } else {
                let literal = self.literal_bits(run);
                self.emit(Instr::BitsLiteral { at, literal, fail });
                rest = rest.get(count..).unwrap_or(&[]);
            }
        }
        let takes_all = |segment: &Segment<Pattern>| {
            spec(segment).kind == Kind::Binary && matches!(&segment.size, Node::Literal(size) if is_whole(*size))
        };
        if !segments.last().is_some_and(takes_all) {
            self.emit(Instr::BitsEnd { at, fail });
        }
    }

    fn segment_pattern(&mut self, segment: &Segment<Pattern>, at: Slot, fail: Label) {
        let spec = spec(segment);
        let unused = matches!(&segment.value, Pattern::Var(var) if !self.uses.contains(*var));
        let whole = matches!(&segment.size, Node::Literal(size) if is_whole(*size));
        let dst = Slot(self.next);
        match spec.kind {
            Kind::Binary if whole && unused => return self.emit(Instr::BitsUnits { at, unit: spec.unit, fail }),
            Kind::Integer | Kind::Binary if unused => {
                let size = self.operand(&segment.size);
                return self.emit(Instr::BitsSkip { at, size, unit: spec.unit, fail });
            }
            Kind::Binary if whole => {
                self.take_slots(1);
                self.emit(Instr::BitsRest { dst, at, unit: spec.unit, fail });
            }
            Kind::Integer | Kind::Float | Kind::Binary | Kind::Utf8 | Kind::Utf16 | Kind::Utf32 => {
                self.take_slots(1);
                let taken = self.take_segment(segment, (dst, at), spec, fail);
                self.emit(taken);
            }
        }
        self.pattern(&segment.value, Src::slot(dst), fail);
    }

    fn take_segment(&mut self, segment: &Segment<Pattern>, slots: (Slot, Slot), spec: Spec, fail: Label) -> Instr {
        let (dst, at) = slots;
        let bits = match &segment.size {
            Node::Literal(size) => fixed(*size, spec.unit).filter(|bits| *bits <= 64),
            _ => None,
        };
        match bits {
            Some(size) if spec.kind == Kind::Integer => Instr::BitsInteger { dst, at, size, spec, fail },
            _ => Instr::BitsTake { dst, at, size: self.operand(&segment.size), spec, fail },
        }
    }
}

fn is_constant(src: Src) -> bool {
    matches!(src.operand(), crate::code::ir::Operand::Constant(_))
}

/// The size of a segment that is as large as its value: `all` of a bitstring, `undefined` of a character.
fn is_whole(size: Value) -> bool {
    size == Value::atom(AtomId::intern("all")) || size == Value::atom(AtomId::UNDEFINED)
}

/// A literal size in bits.
fn fixed(size: Value, unit: u16) -> Option<u32> {
    if !size.is_small() {
        return None;
    }
    u32::try_from(size.as_small()).ok()?.checked_mul(u32::from(unit))
}

fn spec<T>(segment: &Segment<T>) -> Spec {
    let has = |flag: &str| segment.flags.contains(&AtomId::intern(flag));
    let little = has("little") || (has("native") && cfg!(target_endian = "little"));
    let kind = match &*segment.kind.name() {
        "integer" => Kind::Integer,
        "float" => Kind::Float,
        "utf8" => Kind::Utf8,
        "utf16" => Kind::Utf16,
        "utf32" => Kind::Utf32,
        _ => Kind::Binary,
    };
    let endian = if little { Endian::Little } else { Endian::Big };
    Spec { kind, endian, signed: has("signed"), unit: u16::try_from(segment.unit).unwrap_or(1) }
}

fn literal_of(node: &Node) -> Option<Value> {
    match node {
        Node::Literal(value) => Some(*value),
        _ => None,
    }
}

fn literal_of_pattern(pattern: &Pattern) -> Option<Value> {
    match pattern {
        Pattern::Literal(value) => Some(*value),
        _ => None,
    }
}

/// The bits of the first segments as far as they are literal integers and characters, and how many segments that is.
/// In a pattern a number that its segment cannot hold is none: it matches nothing.
fn literal_run<T>(
    segments: &[Segment<T>],
    literal: impl Fn(&T) -> Option<Value>,
    in_pattern: bool,
) -> (BitWriter, usize) {
    let mut bits = BitWriter::new();
    let mut count = 0;
    for segment in segments {
        let Some(value) = literal(&segment.value).filter(|value| value.is_small()) else { break };
        let Some((integer, size, endian)) = literal_bits(segment, value.as_small(), in_pattern) else { break };
        if bits.length() + size > LONGEST_LITERAL {
            break;
        }
        bits.push_small(integer, size, endian);
        count += 1;
    }
    (bits, count)
}

fn literal_bits<T>(segment: &Segment<T>, integer: i64, in_pattern: bool) -> Option<(i64, usize, Endian)> {
    let spec = spec(segment);
    match (spec.kind, &segment.size) {
        (Kind::Integer, Node::Literal(size)) => {
            let size = fixed(*size, spec.unit)? as usize;
            let fits = match (spec.signed, size) {
                (_, 64..) => spec.signed || integer >= 0,
                (true, 0) | (false, 0) => integer == 0,
                (true, _) => (-(1 << (size - 1))..1 << (size - 1)).contains(&integer),
                (false, _) => integer >= 0 && integer >> size == 0,
            };
            (fits || !in_pattern).then_some((integer, size, spec.endian))
        }
        (Kind::Utf8 | Kind::Utf16 | Kind::Utf32, _) => {
            let character = char::from_u32(u32::try_from(integer).ok()?)?;
            let (bits, size) = character_bits(character, spec.kind, spec.endian);
            Some((bits as i64, size, Endian::Big))
        }
        (Kind::Integer | Kind::Float | Kind::Binary, _) => None,
    }
}
