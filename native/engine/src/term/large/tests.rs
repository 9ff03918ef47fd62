use super::*;
use crate::term::{Interrupt, Literals};

fn heap() -> Heap {
    Heap::new(Literals::default())
}

/// Integers of these bits without a pattern, also below zero.
fn numbers(bits: &[u64]) -> Vec<BigInt> {
    let mut seed = 7_u64;
    let mut word = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 32) as u32
    };
    let mut number = |bits: u64| BigUint::new((0..bits.div_ceil(32)).map(|_| word()).collect()) | BigUint::from(1_u32);
    let unsigned: Vec<BigUint> = bits.iter().map(|bits| number(*bits)).collect();
    let signs = [Sign::Plus, Sign::Minus];
    unsigned
        .into_iter()
        .zip(signs.into_iter().cycle())
        .map(|(number, sign)| BigInt::from_biguint(sign, number))
        .collect()
}

#[test]
fn products_are_what_they_are_in_one_piece() {
    let numbers = numbers(&[64, 1_000_000, 1_200_000, 2_300_000, 5_000_000]);
    for a in &numbers {
        for b in &numbers {
            assert!(product(&heap(), a, b) == a * b);
        }
    }
    assert_eq!(product(&heap(), &(BigInt::from(1) << 3_000_000), &BigInt::ZERO), BigInt::ZERO);
}

#[test]
fn quotients_and_remainders_are_what_they_are_in_one_piece() {
    let numbers = numbers(&[60, 700, 100_000, 900_000, 2_000_001]);
    for a in &numbers {
        for b in &numbers {
            let (quotient, rest) = divided(&heap(), a, b);
            assert!(quotient == a / b && rest == a % b);
        }
    }
    let power = BigInt::from(1) << 1_500_000;
    assert!(divided(&heap(), &power, &(BigInt::from(1) << 700_000)).0 == BigInt::from(1) << 800_000);
}

#[test]
fn text_is_what_it_is_in_one_piece_and_reads_back() {
    let mut numbers = numbers(&[64, 24_000, 25_000, 120_000, 300_000]);
    numbers.extend([10_u32, 36].map(|radix| BigInt::from(radix).pow(40_000)));
    numbers.extend([10_u32, 36].map(|radix| BigInt::from(radix).pow(DIGITS as u32 * 2) - 1));
    for number in &numbers {
        for radix in [2, 3, 10, 16, 36] {
            let text = to_text(&heap(), number, radix);
            assert!(text == number.to_str_radix(radix));
            let digits: Vec<u8> =
                text.trim_start_matches('-').chars().filter_map(|c| Some(c.to_digit(radix)? as u8)).collect();
            assert!(from_digits(&heap(), number.sign(), &digits, radix) == *number);
        }
    }
}

#[test]
fn an_interrupt_ends_all_of_it() {
    let mut heap = heap();
    let interrupt = Interrupt::default();
    heap.heed(interrupt.clone());
    interrupt.raise();
    let huge = BigInt::from(1) << 30_000_000;
    product(&heap, &huge, &huge);
    divided(&heap, &huge, &(BigInt::from(1) << 15_000_000));
    assert!(to_text(&heap, &huge, 10).is_empty());
    assert!(heap.is_overdone());
}
