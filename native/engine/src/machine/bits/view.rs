//! Bitstrings with an expression: where they lie in the bitstring they are a part of. What their bits are is in [`super::reading`], how they compare in
//! [`super::comparing`].
//!
//! Sizes stay symbolic in whole bytes. Where more is needed (a position within a byte, the length of a segment that others follow),
//! the size is decided by [`Ctx::fix`], in a fixed order of questions, so that a run with another size asks the same until there.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::super::Ctx;
use crate::sym::{BitsExpr, Expr, Place, SymId};
use crate::term::{Endian, Value};

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
    pub(super) fn keep_below(&mut self, id: SymId, concrete: i64, limit: i64) {
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
}
