//! Floats as exact fractions, and the float nearest to a fraction.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

const FRACTION_BITS: i64 = 52;
const LEAST_EXPONENT: i64 = -1022;

/// A finite float as numerator and (positive) denominator.
pub(super) fn exact_fraction(float: f64) -> (BigInt, BigInt) {
    let bits = float.to_bits();
    let biased = ((bits >> FRACTION_BITS) & 0x7ff) as i64;
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let (significand, exponent) =
        if biased == 0 { (fraction, LEAST_EXPONENT) } else { (fraction | (1 << FRACTION_BITS), biased - 1023) };
    let sign = if float.is_sign_negative() { Sign::Minus } else { Sign::Plus };
    let numerator = BigInt::from_biguint(sign, significand.into());
    scaled(numerator, BigInt::from(1), exponent - FRACTION_BITS)
}

/// Numerator and denominator of a fraction times a power of two.
fn scaled(numerator: BigInt, denominator: BigInt, power: i64) -> (BigInt, BigInt) {
    if power >= 0 { (numerator << power, denominator) } else { (numerator, denominator << -power) }
}

/// The float nearest to a fraction with a positive denominator, of two equally near ones the even one. Beyond the largest float, that one.
pub(super) fn nearest_float(numerator: &BigInt, denominator: &BigInt) -> f64 {
    if numerator.is_zero() || !denominator.is_positive() {
        return 0.0;
    }
    let size = numerator.abs();
    let exponent = magnitude(&size, denominator);
    let unit = exponent.max(LEAST_EXPONENT) - FRACTION_BITS;
    if unit > 1023 {
        return if numerator.is_negative() { f64::MIN } else { f64::MAX };
    }
    let (dividend, divisor) = scaled(size, denominator.clone(), -unit);
    let (quotient, rest) = dividend.div_rem(&divisor);
    let up = match (rest << 1u32).cmp(&divisor) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => quotient.is_odd(),
        std::cmp::Ordering::Greater => true,
    };
    // At most 2^53: exact as a float, and so is its product with a power of two.
    let units = quotient.to_u64().unwrap_or(0) + u64::from(up);
    let float = (units as f64 * power_of_two(unit)).min(f64::MAX);
    if numerator.is_negative() { -float } else { float }
}

/// The exponent of the largest power of two that is not above a positive fraction.
fn magnitude(numerator: &BigInt, denominator: &BigInt) -> i64 {
    let guess = numerator.bits() as i64 - denominator.bits() as i64;
    let (a, b) = scaled(numerator.clone(), denominator.clone(), -guess);
    if a >= b { guess } else { guess - 1 }
}

/// A power of two from 2^-1074 on.
fn power_of_two(exponent: i64) -> f64 {
    let bits = if exponent >= LEAST_EXPONENT {
        (exponent + 1023) << FRACTION_BITS
    } else {
        1 << (exponent - LEAST_EXPONENT + FRACTION_BITS).max(0)
    };
    f64::from_bits(bits as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn back(float: f64) -> f64 {
        let (numerator, denominator) = exact_fraction(float);
        nearest_float(&numerator, &denominator)
    }

    #[test]
    fn every_kind_of_float_comes_back_from_its_fraction() {
        for float in [0.0, 1.0, -1.5, 0.1, 1e300, -1e-300, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, -4.2e-320] {
            assert_eq!(back(float), float);
        }
    }

    #[test]
    fn fractions_go_to_the_nearest_float_and_halves_to_the_even_one() {
        let third = nearest_float(&BigInt::from(1), &BigInt::from(3));
        assert_eq!(third, 1.0 / 3.0);
        let half_way = |odd: i64| nearest_float(&((BigInt::from(1) << 53) + odd), &BigInt::from(1));
        assert_eq!(half_way(1), 9_007_199_254_740_992.0);
        assert_eq!(half_way(3), 9_007_199_254_740_996.0);
        assert_eq!(nearest_float(&BigInt::from(1), &(BigInt::from(1) << 1075)), 0.0);
        assert_eq!(nearest_float(&BigInt::from(3), &(BigInt::from(1) << 1075)), 1e-323);
    }

    #[test]
    fn numbers_beyond_all_floats_become_the_largest() {
        let huge = BigInt::from(1) << 1024;
        assert_eq!(nearest_float(&huge, &BigInt::from(1)), f64::MAX);
        assert_eq!(nearest_float(&-(huge << 5000u32), &BigInt::from(1)), f64::MIN);
    }

    proptest! {
        #[test]
        fn any_finite_float_survives_the_way_there_and_back(bits: u64) {
            let float = f64::from_bits(bits);
            prop_assume!(float.is_finite());
            prop_assert_eq!(back(float), float);
        }

        #[test]
        fn small_quotients_round_as_division_does(a in -1_000_000_000i64..1_000_000_000, b in 1i64..1_000_000_000) {
            prop_assert_eq!(nearest_float(&BigInt::from(a), &BigInt::from(b)), a as f64 / b as f64);
        }
    }
}
