//! Inputs whose path depends on how floats are rounded, found by trying.
//!
//! Rounding shows with most numbers once they have all their bits, and with integers once they have more bits than a float. So the
//! numbers in the input that a decision speaks of are given other bits: of the size that they have in the recorded input or in the
//! model of the solver, of another size, or with a few decimals. What is found has been computed to take that side. If nothing is found, nothing is
//! concluded.

use num_bigint::{BigInt, Sign};
use num_traits::{Signed, Zero};

use super::candidate::goes_there;
use super::chance::Chance;
use super::computed::{Computed, Place, places};
use super::spec::Spec;
use super::tree::Record;
use crate::sym::Expr;
use crate::sym::eval::Denoted;
use crate::term::Packed;

/// How many inputs are tried.
const ATTEMPTS: u32 = 2_000;
/// Small integers are below this.
const SMALL: usize = 400;
/// A float has so many bits.
const BITS: u64 = 53;

/// A number in the input.
#[derive(Clone)]
enum Number {
    Int(BigInt),
    Float(f64),
}

/// An input that takes the other side of a decision, if one is found. `near` is where the solver would look for it.
pub(super) fn input(record: &Record, index: usize, near: &[Packed], spec: &Spec) -> Option<Vec<Packed>> {
    let conditions = record.steps_to_other_side(index).map(|step| step.condition);
    let number_of = |expr: &Expr| if let Expr::IntOf(term) | Expr::RealOf(term) = expr { Some(*term) } else { None };
    let places = places(&record.arena, conditions, number_of);
    if places.is_empty() {
        return None;
    }
    let mut chance = Chance::new(index as u64);
    let good = |input: &Vec<Packed>| spec.admits(input) && goes_there(record, index, input);
    [near, record.input.as_slice()].into_iter().find_map(|beginning| {
        tried(&mut Computed::new(record, index, beginning, &places), &places, &mut chance).filter(good)
    })
}

fn tried(computed: &mut Computed<'_>, places: &[Place], chance: &mut Chance) -> Option<Vec<Packed>> {
    let first = places.iter().map(|place| number(computed, *place)).collect::<Option<Vec<Number>>>()?;
    for _ in 0..ATTEMPTS {
        computed.next_input();
        let only = chance.below(2 * places.len());
        for (at, (place, old)) in places.iter().zip(&first).enumerate() {
            let new = if only < places.len() && only != at { old.clone() } else { other(old, chance) };
            put(computed, *place, new)?;
        }
        if computed.holds() {
            return Some(computed.input());
        }
    }
    None
}

fn number(computed: &mut Computed<'_>, place: Place) -> Option<Number> {
    match computed.evaluator().value(place.number)? {
        Denoted::Int(int) => Some(Number::Int(int)),
        Denoted::Real(float) => Some(Number::Float(float)),
        Denoted::Term(_) | Denoted::Bool(_) => None,
    }
}

fn put(computed: &mut Computed<'_>, place: Place, number: Number) -> Option<()> {
    computed.put(place, |heap| match number {
        Number::Int(int) => heap.bigint(&int),
        Number::Float(float) => heap.float(float),
    })
}

fn other(number: &Number, chance: &mut Chance) -> Number {
    match number {
        Number::Int(int) => Number::Int(other_int(int, chance)),
        Number::Float(float) => Number::Float(other_float(*float, chance)),
    }
}

/// A small one, for quotients; or one of about the same size, or larger by some bits, but of the size at which integers are rounded.
fn other_int(int: &BigInt, chance: &mut Chance) -> BigInt {
    if chance.below(3) == 0 {
        return BigInt::from(chance.below(SMALL)) - SMALL / 4;
    }
    let bits = int.bits().max(BITS) + chance.below(4) as u64;
    let size = (BigInt::from(1) << bits) + (chance.next() >> (64 - bits.min(64)));
    let negative = if int.is_zero() { chance.below(2) == 0 } else { int.is_negative() };
    BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, size.magnitude().clone())
}

fn other_float(float: f64, chance: &mut Chance) -> f64 {
    let fraction = chance.next() & ((1 << 52) - 1);
    let with_exponent = |exponent: u64, sign: u64| f64::from_bits(sign << 63 | exponent << 52 | fraction);
    let (sign, exponent) = (float.to_bits() >> 63, float.to_bits() >> 52 & 0x7FF);
    let new = match chance.below(5) {
        // The same size, to within a bit or some.
        0 => with_exponent(exponent, sign),
        1 => with_exponent((exponent + 3).saturating_sub(chance.below(7) as u64).clamp(1, 0x7FE), sign),
        // The size of what people write.
        2 => with_exponent(1_020 + chance.below(12) as u64, chance.next() >> 63),
        3 => (chance.below(20_000) as f64 - 10_000.0) / 10.0,
        // Any size.
        _ => with_exponent(1 + chance.below(0x7FE) as u64, chance.next() >> 63),
    };
    if new.is_finite() { new } else { float }
}
