//! Integers whose parts are unknowns of their own: bits, quotients and remainders.
//!
//! A bit is an integer, 0 or 1, and `band` of two bits three inequalities: all linear, which Z3 solves tens of times faster than sums over
//! Booleans or bit vectors made integers. The bits of a result are those it was made of, so nested operations take nothing apart.
//!
//! An unknown belongs to the formulas it is a part of, whatever arena they come from, and what makes it one is asserted beside each
//! condition that speaks of it.

use num_bigint::BigInt;
use num_traits::One;
use rustc_hash::FxHashMap;
use z3::ast::{Bool, Int};

use super::EncodeError;
use super::encode::integer;
use crate::sym::bitwise::BitOp;

type Result<T> = std::result::Result<T, EncodeError>;

/// The bits of an integer, lowest first; the last one is the sign. Those of constants are constants.
type Bits = Vec<Int>;

#[derive(Default)]
pub(super) struct Integers {
    unknown: FxHashMap<(Int, u32), Bits>,
    /// Results of operations by their operands, and their bits by what they are.
    operations: FxHashMap<(BitOp, Int, Int, u32), Int>,
    results: FxHashMap<Int, (Bits, Vec<Bool>)>,
    /// What two integers of a width have in common, bit by bit.
    common: FxHashMap<(Int, Int, u32), (Bits, Vec<Bool>)>,
    divisions: FxHashMap<(Int, Int), (Int, Int)>,
}

impl Integers {
    /// The bits of an integer that fits into so many, and what makes them its bits.
    pub(super) fn bits(&mut self, int: &Int, width: u32) -> Result<(Bits, Vec<Bool>)> {
        if let Some((bits, _)) = self.results.get(int) {
            return Ok((resized(bits, width), Vec::new()));
        }
        let fresh = || (0..width).map(|_| Int::fresh_const("bit")).collect();
        let bits: Bits = self.unknown.entry((int.clone(), width)).or_insert_with(fresh).clone();
        let mut facts: Vec<Bool> = bits.iter().map(is_bit).collect();
        facts.push(int.eq(sum(&bits)?));
        Ok((bits, facts))
    }

    /// The operation on the bits of two integers.
    pub(super) fn bitwise(
        &mut self,
        op: BitOp,
        (a, a_bits): (&Int, (Bits, Vec<Bool>)),
        (b, b_bits): (&Int, (Bits, Vec<Bool>)),
    ) -> Result<Int> {
        let key = (op, a.clone(), b.clone(), a_bits.0.len() as u32);
        if let Some(known) = self.operations.get(&key) {
            return Ok(known.clone());
        }
        let (_, a_key, b_key, width) = key.clone();
        let (common, meaning) = self.common.entry((a_key, b_key, width)).or_insert_with(|| {
            let mut facts = Vec::new();
            (a_bits.0.iter().zip(&b_bits.0).map(|(x, y)| both(x, y, &mut facts)).collect(), facts)
        });
        let facts: Vec<Bool> = a_bits.1.into_iter().chain(b_bits.1).chain(meaning.iter().cloned()).collect();
        let pairs = a_bits.0.iter().zip(&b_bits.0).zip(common.iter());
        let bits: Bits = pairs.map(|((x, y), both)| operate(op, x, y, both)).collect();
        let result = sum(&bits)?;
        self.results.insert(result.clone(), (bits, facts));
        self.operations.insert(key, result.clone());
        Ok(result)
    }

    /// What makes a result what it is.
    pub(super) fn facts(&self, result: &Int) -> Vec<Bool> {
        self.results.get(result).map(|(_, facts)| facts.clone()).unwrap_or_default()
    }

    /// The number made of the low bits of a result, if it is one.
    pub(super) fn low_bits(&self, int: &Int, count: u32) -> Option<Result<Int>> {
        let (bits, _) = self.results.get(int)?;
        let mut low: Bits = resized(bits, count + 1).into_iter().take(count as usize).collect();
        low.push(Int::from_i64(0));
        Some(sum(&low))
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

/// The bits of a constant.
pub(super) fn constant_bits(int: &BigInt, width: u32) -> Bits {
    (0..width).map(|index| Int::from_i64(i64::from((int >> index as usize).bit(0)))).collect()
}

/// More bits are copies of the sign; fewer are enough if the number fits into them.
fn resized(bits: &[Int], width: u32) -> Bits {
    let sign = bits.last().cloned().unwrap_or_else(|| Int::from_i64(0));
    bits.iter().cloned().chain(std::iter::repeat(sign)).take(width as usize).collect()
}

fn is_bit(bit: &Int) -> Bool {
    Bool::and(&[bit.ge(0), bit.le(1)])
}

fn operate(op: BitOp, x: &Int, y: &Int, both: &Int) -> Int {
    match op {
        BitOp::And => both.clone(),
        BitOp::Or => x + y - both,
        BitOp::Xor => x + y - both * 2,
    }
}

/// One if both bits are.
fn both(x: &Int, y: &Int, facts: &mut Vec<Bool>) -> Int {
    match (x.as_i64(), y.as_i64()) {
        (Some(0), _) | (_, Some(1)) => x.clone(),
        (_, Some(0)) | (Some(1), _) => y.clone(),
        (Some(_) | None, Some(_) | None) => {
            let both = Int::fresh_const("both");
            facts.extend([is_bit(&both), both.le(x), both.le(y), both.ge(x + y - 1)]);
            both
        }
    }
}

fn sum(bits: &[Int]) -> Result<Int> {
    let mut parts = Vec::new();
    for (bit, index) in bits.iter().zip(0..) {
        let weight = BigInt::one() << index;
        let weight = if index + 1 == bits.len() { -weight } else { weight };
        if bit.as_i64() != Some(0) {
            parts.push(bit * integer(&weight)?);
        }
    }
    Ok(if parts.is_empty() { Int::from_i64(0) } else { Int::add(&parts) })
}
