//! What expressions about bitstrings are for given inputs.

use num_traits::ToPrimitive;

use super::super::eval::{Denoted, Evaluator};
use super::{BitsExpr, Place, Segment, SymId, constant_field, signed_of, slice_of};
use crate::sym::expr::OpaqueId;
use crate::term::bits::segment::float_bits;
use crate::term::{BitWriter, Bits, Endian, Value, bits};

impl Evaluator<'_> {
    pub(in crate::sym) fn bits(&mut self, expr: &BitsExpr) -> Option<Denoted> {
        match expr {
            BitsExpr::Bytes(base) => Some(Denoted::Int((self.bitstring(*base)?.length / 8).into())),
            BitsExpr::Extra(base) => Some(Denoted::Int((self.bitstring(*base)?.length % 8).into())),
            BitsExpr::Field { base, at, size } => {
                let (whole, at) = (self.bitstring(*base)?, self.position(*at)?);
                constant_field(&self.heap, whole, at, *size as usize).map(Denoted::Int)
            }
            BitsExpr::Slice { value, low, size } => Some(Denoted::Int(slice_of(&self.int(*value)?, *low, *size))),
            BitsExpr::Signed { value, size } => Some(Denoted::Int(signed_of(&self.int(*value)?, *size))),
            BitsExpr::Part { base, from, to } => self.part(*base, *from, *to).map(Denoted::Term),
            BitsExpr::Cat(segments) => self.cat(segments).map(Denoted::Term),
            BitsExpr::Match { base, at, literal } => self.matches(*base, *at, *literal).map(Denoted::Bool),
        }
    }

    fn bitstring(&self, id: SymId) -> Option<Bits> {
        self.heap.as_bits(self.term(id)?)
    }

    fn position(&self, place: Place) -> Option<usize> {
        self.int(place.bytes)?.to_usize()?.checked_mul(8)?.checked_add(usize::from(place.bits))
    }

    fn stretch(&self, base: SymId, from: Place, to: Option<Place>) -> Option<Bits> {
        let (whole, from) = (self.bitstring(base)?, self.position(from)?);
        let to = match to {
            Some(to) => self.position(to)?,
            None => whole.length,
        };
        bits::sub(whole, from, to.checked_sub(from)?)
    }

    fn part(&mut self, base: SymId, from: Place, to: Option<Place>) -> Option<Value> {
        let part = self.stretch(base, from, to)?;
        Some(self.heap.bits(part))
    }

    fn cat(&mut self, segments: &[Segment]) -> Option<Value> {
        let endian = |little| if little { Endian::Little } else { Endian::Big };
        let mut writer = BitWriter::new();
        for segment in segments {
            match segment {
                Segment::Integer { value, size, little } => {
                    writer.push_integer(&self.int(*value)?, *size as usize, endian(*little));
                }
                Segment::Float { value, size, little } => {
                    let bits = float_bits(self.real(*value)?, *size as usize)?;
                    writer.push_small(bits as i64, *size as usize, endian(*little));
                }
                Segment::Part { base, from, length } => {
                    let (whole, from) = (self.bitstring(*base)?, self.position(*from)?);
                    let part = bits::sub(whole, from, self.position(*length)?)?;
                    writer.push_bitstring(&self.heap, part);
                }
            }
        }
        Some(writer.finish(&mut self.heap))
    }

    fn matches(&mut self, base: SymId, at: Place, literal: OpaqueId) -> Option<bool> {
        let (whole, at) = (self.bitstring(base)?, self.position(at)?);
        let literal = self.constant(literal)?;
        let literal = self.heap.as_bits(literal)?;
        let part = bits::sub(whole, at, literal.length)?;
        Some(bits::compare(&self.heap, part, literal).is_eq())
    }
}
