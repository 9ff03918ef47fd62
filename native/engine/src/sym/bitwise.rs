//! `band`, `bor` and `bxor` of integers of any size.
//!
//! With a constant nothing need be known of the other operand: each stretch of ones in a mask is a quotient and a remainder, and where there are many
//! of them the low bits are taken one by one. Of two unknowns the path says how many bits they fit into.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::arena::{Arena, SymId};
use super::expr::Expr;

/// Masks with more stretches of ones than this are taken bit by bit.
const STRETCHES: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BitOp {
    And,
    Or,
    Xor,
}

impl BitOp {
    pub const fn name(self) -> &'static str {
        match self {
            BitOp::And => "band",
            BitOp::Or => "bor",
            BitOp::Xor => "bxor",
        }
    }

    pub fn of(self, a: BigInt, b: BigInt) -> BigInt {
        match self {
            BitOp::And => a & b,
            BitOp::Or => a | b,
            BitOp::Xor => a ^ b,
        }
    }
}

impl Arena {
    /// The operation on an integer and a constant.
    pub fn bitwise_constant(&mut self, op: BitOp, x: SymId, constant: &BigInt) -> SymId {
        if constant.is_negative() {
            return self.bitwise_negative(op, x, &!constant);
        }
        if op == BitOp::And {
            return self.band_mask(x, constant);
        }
        if stretches(constant).len() <= STRETCHES {
            let (common, constant) = (self.band_mask(x, constant), self.int(constant.clone()));
            let sum = self.add(x, constant);
            let without = self.sub(sum, common);
            return if op == BitOp::Or { without } else { self.sub(without, common) };
        }
        // The bits above the constant stay as they are.
        let low = self.modulo(x, BigInt::one() << constant.bits());
        let (high, changed) = (self.sub(x, low), self.bits_with(op, low, constant));
        self.add(high, changed)
    }

    /// The operation with the complement of a constant that is not negative, by what it is with that constant.
    fn bitwise_negative(&mut self, op: BitOp, x: SymId, complement: &BigInt) -> SymId {
        match op {
            // X without the bits of the complement.
            BitOp::And => {
                let common = self.band_mask(x, complement);
                self.sub(x, common)
            }
            // All bits but those of the complement that X does not have.
            BitOp::Or => {
                let all: BigInt = -1 - complement;
                let (common, all) = (self.band_mask(x, complement), self.int(all));
                self.add(common, all)
            }
            BitOp::Xor => {
                let xor = self.bitwise_constant(BitOp::Xor, x, complement);
                let minus_one = self.int(-1);
                self.sub(minus_one, xor)
            }
        }
    }

    /// The operation on two integers of at most so many bits, the sign included.
    pub fn bitwise(&mut self, op: BitOp, x: SymId, y: SymId, width: u32) -> SymId {
        match op {
            BitOp::And | BitOp::Or if x == y => x,
            BitOp::Xor if x == y => self.int(0),
            BitOp::And | BitOp::Or | BitOp::Xor => self.intern(Expr::Bitwise(op, x.min(y), x.max(y), width)),
        }
    }

    /// The operation on an integer that has no more bits than the constant.
    fn bits_with(&mut self, op: BitOp, low: SymId, constant: &BigInt) -> SymId {
        let width = constant.bits() as u32 + 1;
        let constant = self.int(constant.clone());
        self.intern(Expr::Bitwise(op, low, constant, width))
    }

    /// `X band Mask` for a mask that is not negative.
    fn band_mask(&mut self, x: SymId, mask: &BigInt) -> SymId {
        let stretches = stretches(mask);
        if stretches.len() > STRETCHES {
            let low = self.modulo(x, BigInt::one() << mask.bits());
            return self.bits_with(BitOp::And, low, mask);
        }
        let mut sum = self.int(0);
        for (low, length) in stretches {
            let lower = self.floor_div(x, BigInt::one() << low);
            let bits = self.modulo(lower, BigInt::one() << length);
            let weight = self.int(BigInt::one() << low);
            let part = self.mul(bits, weight);
            sum = self.add(sum, part);
        }
        sum
    }
}

/// Where the stretches of ones in a number that is not negative start, and how long they are.
fn stretches(mask: &BigInt) -> Vec<(u64, u64)> {
    let mut found: Vec<(u64, u64)> = Vec::new();
    let mut at = 0;
    let mut rest = mask.clone();
    while !rest.is_zero() {
        let zeros = rest.trailing_zeros().unwrap_or(0);
        rest >>= zeros;
        let ones = (&rest + 1u32).trailing_zeros().unwrap_or(0);
        found.push((at + zeros, ones));
        rest >>= ones;
        at += zeros + ones;
    }
    found
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::sym::eval::Evaluator;
    use crate::term::{Heap, Literals, Packed};
    use proptest::prelude::*;

    fn packed(int: &BigInt) -> Packed {
        let mut heap = Heap::new(Literals::default());
        let value = heap.bigint(int);
        Packed::pack(&heap, value)
    }

    proptest! {
        #[test]
        fn an_operation_with_a_constant_means_what_it_says(x: i64, shift in 0u32..80, constant: i128, op in 0usize..3) {
            let op = [BitOp::And, BitOp::Or, BitOp::Xor][op];
            let (x, constant) = (BigInt::from(x) << shift, BigInt::from(constant));
            let mut arena = Arena::default();
            let input = arena.input(0);
            let int = arena.int_of(input);
            let expr = arena.bitwise_constant(op, int, &constant);
            let wanted = arena.int(op.of(x.clone(), constant));
            let equal = arena.eq(expr, wanted);
            prop_assert_eq!(Evaluator::new(&arena, &[packed(&x)]).holds(equal), Some(true));
        }

        #[test]
        fn an_operation_on_two_unknowns_means_what_it_says(x: i64, y: i64, op in 0usize..3) {
            let op = [BitOp::And, BitOp::Or, BitOp::Xor][op];
            let (x, y) = (BigInt::from(x), BigInt::from(y));
            let mut arena = Arena::default();
            let inputs = [0, 1].map(|number| arena.input(number));
            let [a, b] = inputs.map(|input| arena.int_of(input));
            let expr = arena.bitwise(op, a, b, 64);
            let wanted = arena.int(op.of(x.clone(), y.clone()));
            let equal = arena.eq(expr, wanted);
            prop_assert_eq!(Evaluator::new(&arena, &[packed(&x), packed(&y)]).holds(equal), Some(true));
        }
    }

    #[test]
    fn a_mask_of_low_bits_is_a_remainder() {
        let mut arena = Arena::default();
        let input = arena.input(0);
        let int = arena.int_of(input);
        let masked = arena.bitwise_constant(BitOp::And, int, &BigInt::from(255));
        assert!(matches!(arena.get(masked), Expr::Modulo(..)));
        assert_eq!(arena.bounds(masked), Some((BigInt::zero(), BigInt::from(255))));
    }
}
