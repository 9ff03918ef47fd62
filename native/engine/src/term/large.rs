//! Arithmetic with integers of millions of bits, piece by piece, so that it ends when it is interrupted ([`super::Interrupt`]).
//!
//! What it comes to then means nothing, as with [`super::effort`].

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::Zero;

use super::heap::Heap;

/// Integers of up to so many bits are multiplied in one piece, some milliseconds.
const PIECE: u64 = 1 << 20;
/// Products of words that one piece of a division takes.
const PRODUCTS: u64 = 1 << 22;
/// Words of a piece of a division, at least: the rest is moved by them.
const LEAST_WORDS: u64 = 64;
/// Digits that are read or written in one piece.
const DIGITS: usize = 1 << 13;

pub fn product(heap: &Heap, a: &BigInt, b: &BigInt) -> BigInt {
    if a.bits().max(b.bits()) <= PIECE {
        return a * b;
    }
    BigInt::from_biguint(a.sign() * b.sign(), multiplied(heap, a.magnitude(), b.magnitude()))
}

/// The longer one in halves; if the other one is about as long, that too, with three products instead of four.
fn multiplied(heap: &Heap, a: &BigUint, b: &BigUint) -> BigUint {
    let (long, short) = if a.bits() < b.bits() { (b, a) } else { (a, b) };
    if !heap.goes_on() {
        return BigUint::ZERO;
    }
    if long.bits() <= PIECE {
        return long * short;
    }
    let half = (long.bits() / 2).next_multiple_of(64);
    let (high, low) = halves(long, half);
    if short.bits() <= half {
        return (multiplied(heap, &high, short) << half) + multiplied(heap, &low, short);
    }
    let (other_high, other_low) = halves(short, half);
    let (top, bottom) = (multiplied(heap, &high, &other_high), multiplied(heap, &low, &other_low));
    let all = multiplied(heap, &(high + low), &(other_high + other_low));
    let outer = &top + &bottom;
    // Less than that only after an interrupt.
    let middle = if all < outer { BigUint::ZERO } else { all - outer };
    (top << (2 * half)) + (middle << half) + bottom
}

fn halves(number: &BigUint, bits: u64) -> (BigUint, BigUint) {
    let high = number >> bits;
    let low = number - (&high << bits);
    (high, low)
}

/// Quotient and remainder as of `div` and `rem`, by what is not zero.
pub fn divided(heap: &Heap, a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = divided_by(heap, a.magnitude(), b.magnitude());
    (BigInt::from_biguint(a.sign() * b.sign(), quotient), BigInt::from_biguint(a.sign(), rest))
}

/// As on paper, where a digit is a piece.
fn divided_by(heap: &Heap, number: &BigUint, divisor: &BigUint) -> (BigUint, BigUint) {
    let piece = (PRODUCTS / divisor.bits().div_ceil(64).max(1)).max(LEAST_WORDS);
    if number.bits() <= divisor.bits().saturating_add(64 * piece) {
        return number.div_rem(divisor);
    }
    let words: Vec<u64> = number.iter_u64_digits().collect();
    let mut rest = BigUint::ZERO;
    let mut quotients = Vec::new();
    for piece in words.rchunks(piece as usize) {
        if !heap.goes_on() {
            return (BigUint::ZERO, BigUint::ZERO);
        }
        let (quotient, left) = ((rest << (64 * piece.len())) + from_words(piece)).div_rem(divisor);
        quotients.push((quotient, piece.len()));
        rest = left;
    }
    let halves = quotients
        .iter()
        .rev()
        .flat_map(|(quotient, words)| quotient.iter_u32_digits().chain(std::iter::repeat(0)).take(2 * words));
    (BigUint::new(halves.collect()), rest)
}

fn from_words(words: &[u64]) -> BigUint {
    BigUint::new(words.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect())
}

/// A power of the radix, and of how many digits one is that it stands above.
type Power = (BigUint, usize);

/// Powers whose exponents double, until one has half of these digits or more.
fn powers(heap: &Heap, radix: u32, digits: usize) -> Vec<Power> {
    let mut powers = vec![(BigUint::from(radix).pow(DIGITS as u32), DIGITS)];
    while let Some((power, count)) = powers.last().filter(|(_, count)| 2 * count < digits) {
        let next = (multiplied(heap, power, power), 2 * count);
        powers.push(next);
    }
    powers
}

/// The text of an integer, with small letters.
pub fn to_text(heap: &Heap, int: &BigInt, radix: u32) -> String {
    // A digit has three bits and more.
    if radix.is_power_of_two() || int.bits() <= 3 * DIGITS as u64 {
        return int.to_str_radix(radix);
    }
    let mut text = if int.sign() == Sign::Minus { "-".to_owned() } else { String::new() };
    let powers = powers(heap, radix, (int.bits() / u64::from(radix.ilog2())) as usize + 1);
    write(heap, int.magnitude(), &powers, Form { radix, width: None }, &mut text);
    text
}

#[derive(Clone, Copy)]
struct Form {
    radix: u32,
    /// Zeros stand before it if it has fewer digits.
    width: Option<usize>,
}

fn write(heap: &Heap, number: &BigUint, powers: &[Power], form: Form, text: &mut String) {
    let Some(((power, count), smaller)) = powers.split_last() else {
        let digits = number.to_str_radix(form.radix);
        text.extend(std::iter::repeat_n('0', form.width.unwrap_or(0).saturating_sub(digits.len())));
        text.push_str(&digits);
        return;
    };
    if !heap.goes_on() || power.is_zero() {
        return;
    }
    let (high, low) = divided_by(heap, number, power);
    if form.width.is_none() && high.is_zero() {
        return write(heap, &low, smaller, form, text);
    }
    let width = form.width.map(|width| width.saturating_sub(*count));
    write(heap, &high, smaller, Form { width, ..form }, text);
    write(heap, &low, smaller, Form { width: Some(*count), ..form }, text);
}

/// The integer that has these digits, the first one most significant. Each is less than the radix.
pub fn from_digits(heap: &Heap, sign: Sign, digits: &[u8], radix: u32) -> BigInt {
    let powers = if digits.len() > DIGITS { powers(heap, radix, digits.len()) } else { Vec::new() };
    BigInt::from_biguint(sign, read(heap, digits, &powers, radix))
}

fn read(heap: &Heap, digits: &[u8], powers: &[Power], radix: u32) -> BigUint {
    let Some(((power, count), smaller)) = powers.split_last() else {
        return BigUint::from_radix_be(digits, radix).unwrap_or_default();
    };
    let Some((high, low)) = digits.len().checked_sub(*count).and_then(|at| digits.split_at_checked(at)) else {
        return read(heap, digits, smaller, radix);
    };
    if !heap.goes_on() {
        return BigUint::ZERO;
    }
    multiplied(heap, &read(heap, high, smaller, radix), power) + read(heap, low, smaller, radix)
}

#[cfg(test)]
mod tests;
