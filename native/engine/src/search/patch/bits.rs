//! Changes of bitstrings: of their sizes, and of single fields in them.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::{Patcher, Ways};
use crate::sym::bits::{BitsExpr, Place};
use crate::sym::eval::Denoted;
use crate::sym::{OpaqueId, SymId};
use crate::term::bits::{self, BitWriter, Endian};
use crate::term::{Bits, Value};

/// How many bits a bitstring may grow by at once.
const GROWTH: usize = 8 * 256;
/// A wider field is left to the solver.
const WIDEST: u32 = 8 * 256;

impl Patcher<'_> {
    /// Ways to give a number that is read from a bitstring a value.
    pub(super) fn become_bits(&mut self, expr: &BitsExpr, int: &BigInt, depth: u32) -> Ways {
        let way = match expr {
            BitsExpr::Bytes(base) => self.bytes_and_extra(*base).and_then(|(_, extra)| {
                let bytes = int.to_usize()?;
                self.resized(*base, bytes.checked_mul(8)?.checked_add(extra)?)
            }),
            BitsExpr::Extra(base) => self.bytes_and_extra(*base).and_then(|(bytes, _)| {
                let extra = int.to_usize().filter(|extra| *extra < 8)?;
                self.resized(*base, 8 * bytes + extra)
            }),
            BitsExpr::Field { base, at, size } => self.with_field(*base, *at, int, *size),
            BitsExpr::Slice { value, low, size } if *size <= WIDEST && *low <= WIDEST => {
                let Some(old) = self.int(*value) else { return Vec::new() };
                let mask = ((BigInt::from(1) << size) - 1) << low;
                let new = &old - (&old & &mask) + ((int << low) & &mask);
                return self.become_value(*value, &Denoted::Int(new), depth - 1);
            }
            BitsExpr::Signed { value, size } if *size <= WIDEST => {
                let unsigned = if int.is_negative() { int + (BigInt::from(1) << size) } else { int.clone() };
                return self.become_value(*value, &Denoted::Int(unsigned), depth - 1);
            }
            BitsExpr::Slice { .. }
            | BitsExpr::Signed { .. }
            | BitsExpr::Part { .. }
            | BitsExpr::Cat(_)
            | BitsExpr::Match { .. } => None,
        };
        way.into_iter().map(|change| vec![change]).collect()
    }

    /// Ways to have the bits of a constant at a place, or others.
    pub(super) fn want_match(&mut self, base: SymId, at: Place, literal: OpaqueId, holds: bool) -> Ways {
        let Some((literal, size)) = self.number_of(literal) else { return Vec::new() };
        let wanted = match holds {
            true => literal,
            false if literal.is_zero() => BigInt::from(1),
            false => BigInt::zero(),
        };
        self.with_field(base, at, &wanted, size).into_iter().map(|change| vec![change]).collect()
    }

    /// The bits of a constant as an unsigned integer, and how many there are.
    fn number_of(&self, literal: OpaqueId) -> Option<(BigInt, u32)> {
        let (heap, root) = self.arena.opaque(literal)?.open();
        let stretch = heap.as_bits(root)?;
        let size = u32::try_from(stretch.length).ok().filter(|size| (1..=WIDEST).contains(size))?;
        Some((bits::integer(&heap, stretch, Endian::Big, false), size))
    }

    /// The bitstring at a place of the input.
    fn bitstring(&mut self, base: SymId) -> Option<Bits> {
        let value = self.term(base).filter(|_| self.is_place(base))?;
        self.evaluator.heap_mut().as_bits(value)
    }

    fn bytes_and_extra(&mut self, base: SymId) -> Option<(usize, usize)> {
        let length = self.bitstring(base)?.length;
        Some((length / 8, length % 8))
    }

    /// The bitstring cut, or followed by zeros.
    fn resized(&mut self, base: SymId, length: usize) -> Option<(SymId, Value)> {
        let old = self.bitstring(base)?;
        if length > old.length + GROWTH {
            return None;
        }
        let kept = bits::sub(old, 0, length.min(old.length))?;
        let mut writer = BitWriter::with_capacity(length);
        writer.push_bitstring(self.evaluator.heap_mut(), kept);
        writer.push_integer(&BigInt::zero(), length - kept.length, Endian::Big);
        Some((base, writer.finish(self.evaluator.heap_mut())))
    }

    /// The bitstring with an unsigned integer in place of some of its bits.
    fn with_field(&mut self, base: SymId, at: Place, int: &BigInt, size: u32) -> Option<(SymId, Value)> {
        if size > WIDEST || int.is_negative() || int.bits() > u64::from(size) {
            return None;
        }
        let from = self.int(at.bytes)?.to_usize()?.checked_mul(8)?.checked_add(usize::from(at.bits))?;
        let to = from.checked_add(size as usize)?;
        let old = self.bitstring(base).filter(|old| to <= old.length)?;
        let (before, behind) = (bits::sub(old, 0, from)?, bits::sub(old, to, old.length - to)?);
        let mut writer = BitWriter::with_capacity(old.length);
        let heap = self.evaluator.heap_mut();
        writer.push_bitstring(heap, before);
        writer.push_integer(int, size as usize, Endian::Big);
        writer.push_bitstring(heap, behind);
        Some((base, writer.finish(heap)))
    }
}
