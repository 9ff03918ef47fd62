//! Bitstrings as expressions: sizes, fields, parts and constructions.
//!
//! A *root* is a term that is known to be a bitstring and is neither a part nor a construction: an input, an element of a tuple, a constant. Its
//! size is so many whole bytes and 0 to 7 bits more, two integers of their own, so that no condition on sizes needs a division.
//! A place in a bitstring ([`Place`]) is a number of bytes, which may depend on the input, and 0 to 7 bits, which may not.
//!
//! Not modelled: places whose position within a byte depends on the input. The machine decides such sizes first.

mod eval;

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use super::arena::{Arena, SymId};
use super::expr::{Expr, OpaqueId, Sort};
use crate::term::{Bits, Endian, Heap, bits};

/// A position in a bitstring, or the length of a stretch of one: whole bytes, and 0 to 7 bits more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub bytes: SymId,
    pub bits: u8,
}

/// A node about bitstrings.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BitsExpr {
    /// Integer: how many whole bytes a root has.
    Bytes(SymId),
    /// Integer: how many bits a root has behind its whole bytes, 0 to 7.
    Extra(SymId),
    /// Integer: the unsigned integer, first bit most significant, of so many bits of a root.
    Field { base: SymId, at: Place, size: u32 },
    /// Integer: bits `low` and up, `size` of them, of an integer in two's complement.
    Slice { value: SymId, low: u32, size: u32 },
    /// Integer: what an unsigned integer of so many bits is in two's complement.
    Signed { value: SymId, size: u32 },
    /// Term: a stretch of a root or of a construction; without an end, up to the end of it.
    Part { base: SymId, from: Place, to: Option<Place> },
    /// Term: segments one after the other. Only the last one may have a length that depends on the input.
    Cat(Box<[Segment]>),
    /// Condition: the bits from a place on, which are there, are those of a constant.
    Match { base: SymId, at: Place, literal: OpaqueId },
}

/// A segment of a construction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Segment {
    /// The low bits of an integer.
    Integer { value: SymId, size: u32, little: bool },
    /// The IEEE bits of a float.
    Float { value: SymId, size: u32, little: bool },
    /// A stretch of a root.
    Part { base: SymId, from: Place, length: Place },
}

impl BitsExpr {
    pub(super) fn sort(&self) -> Sort {
        match self {
            BitsExpr::Bytes(_)
            | BitsExpr::Extra(_)
            | BitsExpr::Field { .. }
            | BitsExpr::Slice { .. }
            | BitsExpr::Signed { .. } => Sort::Int,
            BitsExpr::Part { .. } | BitsExpr::Cat(_) => Sort::Term,
            BitsExpr::Match { .. } => Sort::Bool,
        }
    }

    pub(super) fn children(&self) -> Vec<SymId> {
        match self {
            BitsExpr::Bytes(base) | BitsExpr::Extra(base) => vec![*base],
            BitsExpr::Field { base, at, .. } | BitsExpr::Match { base, at, .. } => vec![*base, at.bytes],
            BitsExpr::Slice { value, .. } | BitsExpr::Signed { value, .. } => vec![*value],
            BitsExpr::Part { base, from, to } => [*base, from.bytes].into_iter().chain(to.map(|to| to.bytes)).collect(),
            BitsExpr::Cat(segments) => segments.iter().flat_map(Segment::children).collect(),
        }
    }

    /// The bounds that every integer of this kind keeps, both inclusive.
    pub fn bounds(&self) -> Option<(BigInt, Option<BigInt>)> {
        let below = |size: u32| (BigInt::from(1) << size) - 1;
        match self {
            BitsExpr::Bytes(_) => Some((BigInt::zero(), None)),
            BitsExpr::Extra(_) => Some((BigInt::zero(), Some(BigInt::from(7)))),
            BitsExpr::Field { size, .. } | BitsExpr::Slice { size, .. } => Some((BigInt::zero(), Some(below(*size)))),
            BitsExpr::Signed { size, .. } => {
                let half = BigInt::from(1) << (size - 1);
                Some((-half.clone(), Some(half - 1)))
            }
            BitsExpr::Part { .. } | BitsExpr::Cat(_) | BitsExpr::Match { .. } => None,
        }
    }
}

impl Segment {
    fn children(&self) -> impl Iterator<Item = SymId> + use<> {
        let all = match self {
            Segment::Integer { value, .. } | Segment::Float { value, .. } => [Some(*value), None, None],
            Segment::Part { base, from, length } => [Some(*base), Some(from.bytes), Some(length.bytes)],
        };
        all.into_iter().flatten()
    }
}

/// The bits of a constant, with the heap they are in.
pub fn constant_bits(arena: &Arena, id: OpaqueId) -> Option<(Heap, Bits)> {
    let (heap, value) = arena.opaque(id)?.open();
    let bits = heap.as_bits(value)?;
    Some((heap, bits))
}

/// Bits `low` and up, `size` of them, of an integer in two's complement.
pub fn slice_of(value: &BigInt, low: u32, size: u32) -> BigInt {
    let shifted: BigInt = value >> low;
    let above: BigInt = (&shifted >> size) << size;
    shifted - above
}

/// What an unsigned integer of so many bits is in two's complement.
pub fn signed_of(value: &BigInt, size: u32) -> BigInt {
    let top = size.checked_sub(1).is_some_and(|top| value.bit(u64::from(top)));
    if top { value - (BigInt::from(1) << size) } else { value.clone() }
}

/// So many bits of a constant as an unsigned integer, if they are there.
pub fn constant_field(heap: &Heap, whole: Bits, at: usize, size: usize) -> Option<BigInt> {
    let part = bits::sub(whole, at, size)?;
    Some(bits::integer(heap, part, Endian::Big, false))
}

impl Arena {
    pub fn place(&mut self, bits: usize) -> Place {
        Place { bytes: self.int(bits / 8), bits: (bits % 8) as u8 }
    }

    /// The position in bits, if it does not depend on the input.
    pub fn constant_place(&self, place: Place) -> Option<usize> {
        let Expr::Int(bytes) = self.get(place.bytes) else { return None };
        bytes.to_usize()?.checked_mul(8)?.checked_add(usize::from(place.bits))
    }

    pub fn place_plus(&mut self, a: Place, b: Place) -> Place {
        let mut bytes = self.linear_add(a.bytes, b.bytes);
        let bits = a.bits + b.bits;
        if bits >= 8 {
            let one = self.int(1);
            bytes = self.linear_add(bytes, one);
        }
        Place { bytes, bits: bits % 8 }
    }

    /// The distance from one place to one behind it.
    pub fn place_minus(&mut self, a: Place, b: Place) -> Place {
        let mut bytes = self.linear_sub(a.bytes, b.bytes);
        if a.bits < b.bits {
            let one = self.int(1);
            bytes = self.linear_sub(bytes, one);
        }
        Place { bytes, bits: (8 + a.bits - b.bits) % 8 }
    }

    /// The condition that one place is not behind another.
    pub fn place_le(&mut self, a: Place, b: Place) -> SymId {
        if a.bits <= b.bits {
            let behind = self.linear_lt(b.bytes, a.bytes);
            self.not(behind)
        } else {
            self.linear_lt(a.bytes, b.bytes)
        }
    }

    pub fn place_eq(&mut self, a: Place, b: Place) -> SymId {
        if a.bits == b.bits { self.linear_eq(a.bytes, b.bytes) } else { self.truth(false) }
    }

    /// A length in bits.
    pub fn place_in_bits(&mut self, place: Place) -> SymId {
        let (eight, bits) = (self.int(8), self.int(place.bits));
        let product = self.linear_times(place.bytes, eight);
        self.linear_add(product, bits)
    }

    /// How many whole bytes a bitstring has that is no part.
    pub fn bytes_of(&mut self, base: SymId) -> SymId {
        match self.length(base) {
            Some(length) => length.bytes,
            None => self.intern(Expr::Bits(BitsExpr::Bytes(base))),
        }
    }

    /// How many bits are behind them.
    pub fn extra_of(&mut self, base: SymId) -> SymId {
        match self.length(base) {
            Some(length) => self.int(length.bits),
            None => self.intern(Expr::Bits(BitsExpr::Extra(base))),
        }
    }

    /// The length of a constant or a construction.
    pub fn length(&mut self, base: SymId) -> Option<Place> {
        match self.get(base) {
            Expr::Opaque(opaque, _) => {
                let (_, bits) = constant_bits(self, *opaque)?;
                Some(self.place(bits.length))
            }
            Expr::Bits(BitsExpr::Cat(segments)) => {
                let segments = segments.clone();
                let start = self.place(0);
                Some(segments.iter().fold(start, |sum, segment| {
                    let length = self.segment_length(segment);
                    self.place_plus(sum, length)
                }))
            }
            _ => None,
        }
    }

    pub fn segment_length(&mut self, segment: &Segment) -> Place {
        match segment {
            Segment::Integer { size, .. } | Segment::Float { size, .. } => self.place(*size as usize),
            Segment::Part { length, .. } => *length,
        }
    }

    /// So many bits of a root as an unsigned integer, first bit most significant.
    pub fn field(&mut self, base: SymId, at: Place, size: u32) -> SymId {
        if size == 0 {
            return self.int(0);
        }
        if let (Expr::Opaque(opaque, _), Some(start)) = (self.get(base), self.constant_place(at))
            && let Some((heap, bits)) = constant_bits(self, *opaque)
            && let Some(value) = constant_field(&heap, bits, start, size as usize)
        {
            return self.int(value);
        }
        self.intern(Expr::Bits(BitsExpr::Field { base, at, size }))
    }

    /// Bits `low` and up, `size` of them, of an integer.
    pub fn slice(&mut self, value: SymId, low: u32, size: u32) -> SymId {
        if size == 0 {
            return self.int(0);
        }
        match self.get(value) {
            Expr::Int(int) => {
                let slice = slice_of(int, low, size);
                self.int(slice)
            }
            Expr::Bits(BitsExpr::Field { size: all, .. } | BitsExpr::Slice { size: all, .. }) if low >= *all => {
                self.int(0)
            }
            Expr::Bits(BitsExpr::Field { size: all, .. } | BitsExpr::Slice { size: all, .. })
                if low == 0 && size >= *all =>
            {
                value
            }
            Expr::Bits(BitsExpr::Field { base, at, size: all }) => {
                let (base, at, size) = (*base, *at, size.min(all - low));
                let skipped = self.place((all - low - size) as usize);
                let at = self.place_plus(at, skipped);
                self.field(base, at, size)
            }
            Expr::Bits(BitsExpr::Slice { value: inner, low: first, size: all }) => {
                let (inner, first, size) = (*inner, *first, size.min(all - low));
                self.slice(inner, first + low, size)
            }
            _ => self.intern(Expr::Bits(BitsExpr::Slice { value, low, size })),
        }
    }

    /// What an unsigned integer of so many bits is in two's complement.
    pub fn signed(&mut self, value: SymId, size: u32) -> SymId {
        match self.get(value) {
            _ if size == 0 => self.int(0),
            Expr::Int(int) => {
                let signed = signed_of(int, size);
                self.int(signed)
            }
            // The highest bit is not set.
            Expr::Bits(BitsExpr::Field { size: all, .. } | BitsExpr::Slice { size: all, .. }) if *all < size => value,
            _ => self.intern(Expr::Bits(BitsExpr::Signed { value, size })),
        }
    }

    pub fn bits_part(&mut self, base: SymId, from: Place, to: Option<Place>) -> SymId {
        if to.is_none() && self.constant_place(from) == Some(0) {
            return base;
        }
        self.intern(Expr::Bits(BitsExpr::Part { base, from, to }))
    }

    pub fn bits_cat(&mut self, segments: Vec<Segment>) -> SymId {
        self.intern(Expr::Bits(BitsExpr::Cat(segments.into_boxed_slice())))
    }

    /// The condition that the bits from a place on, which are there, are those of a constant.
    pub fn bits_match(&mut self, base: SymId, at: Place, literal: OpaqueId) -> SymId {
        self.intern(Expr::Bits(BitsExpr::Match { base, at, literal }))
    }
}
