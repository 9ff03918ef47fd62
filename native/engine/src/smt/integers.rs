//! Integers whose parts are unknowns of their own: bits, quotients and remainders.
//!
//! An unknown belongs to the formulas it is a part of, whatever arena they come from, and what makes it one is asserted beside each
//! condition that speaks of it.

use num_bigint::BigInt;
use num_traits::One;
use rustc_hash::FxHashMap;
use z3::ast::{Bool, Int};

use super::EncodeError;
use super::encode::integer;

type Result<T> = std::result::Result<T, EncodeError>;

#[derive(Default)]
pub(super) struct Integers {
    bits: FxHashMap<(Int, u32), Vec<Bool>>,
    divisions: FxHashMap<(Int, Int), (Int, Int)>,
}

impl Integers {
    /// The bits of an integer, the sign last.
    fn bits(&mut self, int: &Int, width: u32, constant: Option<&BigInt>) -> &[Bool] {
        self.bits.entry((int.clone(), width)).or_insert_with(|| match constant {
            Some(constant) => (0..width).map(|index| Bool::from_bool(has_bit(constant, index))).collect(),
            None => (0..width).map(|_| Bool::fresh_const("bit")).collect(),
        })
    }

    pub(super) fn bit_and(
        &mut self,
        a: (&Int, Option<&BigInt>),
        b: (&Int, Option<&BigInt>),
        width: u32,
    ) -> Result<Int> {
        let first = self.bits(a.0, width, a.1).to_vec();
        let second = self.bits(b.0, width, b.1);
        let both: Vec<Option<Bool>> = first
            .into_iter()
            .zip(second)
            .zip(0..)
            .map(|((x, y), index)| {
                let off = |constant: Option<&BigInt>| constant.is_some_and(|constant| !has_bit(constant, index));
                (!off(a.1) && !off(b.1)).then(|| Bool::and(&[&x, y]))
            })
            .collect();
        sum(&both)
    }

    /// That the bits of an integer are its bits.
    pub(super) fn bits_fact(&mut self, int: &Int, width: u32) -> Result<Bool> {
        let bits: Vec<Option<Bool>> = self.bits(int, width, None).iter().cloned().map(Some).collect();
        Ok(int.eq(sum(&bits)?))
    }

    /// Quotient and remainder of two unknowns.
    pub(super) fn division(&mut self, dividend: &Int, divisor: &Int) -> (Int, Int) {
        let fresh = || (Int::fresh_const("quotient"), Int::fresh_const("remainder"));
        self.divisions.entry((dividend.clone(), divisor.clone())).or_insert_with(fresh).clone()
    }

    /// What makes them that: rounding towards zero, so that the remainder has the sign of the dividend.
    pub(super) fn division_facts(&mut self, dividend: &Int, divisor: &Int) -> Vec<Bool> {
        let (quotient, remainder) = self.division(dividend, divisor);
        let whole = dividend.eq(&quotient * divisor + &remainder);
        let negative = divisor.lt(0);
        let size = negative.ite(&divisor.unary_minus(), divisor);
        let upwards = Bool::and(&[remainder.ge(0), remainder.lt(&size)]);
        let downwards = Bool::and(&[remainder.le(0), remainder.unary_minus().lt(&size)]);
        let sign = dividend.ge(0).ite(&upwards, &downwards);
        let defined = divisor.eq(0).not();
        vec![defined.implies(&whole), defined.implies(&sign)]
    }
}

fn has_bit(int: &BigInt, index: u32) -> bool {
    let shifted: BigInt = int >> index;
    shifted.bit(0)
}

/// The integer of these bits, the last one being the sign.
fn sum(bits: &[Option<Bool>]) -> Result<Int> {
    let zero = Int::from_i64(0);
    let mut parts = Vec::new();
    for (bit, index) in bits.iter().zip(0..) {
        let weight = BigInt::one() << index;
        let weight = if index + 1 == bits.len() { -weight } else { weight };
        if let Some(bit) = bit {
            parts.push(bit.ite(&integer(&weight)?, &zero));
        }
    }
    Ok(if parts.is_empty() { zero } else { Int::add(&parts) })
}
