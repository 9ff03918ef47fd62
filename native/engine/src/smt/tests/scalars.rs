use num_bigint::BigInt;

use super::reference::Term;
use super::{Answer, Case, Limits, Z3, case};
use crate::sym::bitwise::BitOp;
use crate::sym::function::{Function, Math};
use crate::sym::{Rounding, Tags};
use crate::term::AtomId;

/// A case with all the time it takes: these tests run beside many others.
fn patient_case(inputs: u32) -> Case {
    Case { solver: Z3::new(Limits { timeout_ms: 120_000, ..Limits::default() }), ..case(inputs) }
}

#[test]
fn operations_with_constants_are_solved_whatever_the_sign() {
    let constants: [i64; 6] = [0xff, 0xff00, 0x5a5a, -16, -256, 0xf0f0_f0f0_f0f0];
    for op in [BitOp::And, BitOp::Or, BitOp::Xor] {
        for constant in constants {
            let mut case = patient_case(1);
            let x = case.integer(0);
            let result = case.arena.bitwise_constant(op, x, &BigInt::from(constant));
            // A result that some number has: that of -12345.
            let wanted = case.arena.int(op.of(BigInt::from(-12345), BigInt::from(constant)));
            let equal = case.arena.eq(result, wanted);
            case.model(equal, true);
        }
    }
}

#[test]
fn bits_of_two_unknowns_are_solved_together() {
    let mut case = patient_case(2);
    let (x, y) = (case.integer(0), case.integer(1));
    for int in [x, y] {
        let (low, high) = (case.arena.int(-32768), case.arena.int(32768));
        let (below, above) = (case.arena.lt(int, low), case.arena.lt(int, high));
        case.require(below, false);
        case.require(above, true);
    }
    let (both, either) = (case.arena.bitwise(BitOp::And, x, y, 16), case.arena.bitwise(BitOp::Or, x, y, 16));
    let (a, b) = (case.arena.int(0x41), case.arena.int(0x7d));
    let (first, second) = (case.arena.eq(both, a), case.arena.eq(either, b));
    case.require(first, true);
    case.model(second, true);
    let impossible = case.arena.int(0x3c);
    let without = case.arena.eq(either, impossible);
    assert_eq!(case.ask(without, true), Answer::Unsat);
}

#[test]
fn a_quotient_by_an_unknown_is_rounded_towards_zero() {
    for (quotient, remainder) in [(29, 2), (-29, 2), (-29, -2), (29, -2)] {
        let mut case = patient_case(2);
        let (x, y) = (case.integer(0), case.integer(1));
        let zero = case.arena.int(0);
        let is_zero = case.arena.eq(y, zero);
        case.require(is_zero, false);
        let (div, rem) = (case.arena.div(x, y), case.arena.rem(x, y));
        let (q, r) = (case.arena.int(quotient), case.arena.int(remainder));
        let (first, second) = (case.arena.eq(div, q), case.arena.eq(rem, r));
        case.require(first, true);
        case.model(second, true);
    }
}

#[test]
fn every_way_of_rounding_is_solved_on_both_sides_of_zero() {
    for how in [Rounding::Truncate, Rounding::Nearest, Rounding::Floor, Rounding::Ceiling] {
        for whole in [-7, 0, 12] {
            let mut case = case(1);
            let x = case.float(0);
            let rounded = case.arena.rounded(how, x);
            let wanted = case.arena.int(whole);
            let equal = case.arena.eq(rounded, wanted);
            case.both_ways(equal);
        }
    }
}

#[test]
fn a_product_can_be_too_large_for_a_float() {
    let mut case = case(1);
    let x = case.float(0);
    let factor = case.arena.real(1.0e308);
    let product = case.arena.mul(x, factor);
    let finite = case.arena.finite(product);
    case.model(finite, true);
    // Well beyond the limit: next to it rounding decides, which reals do not have.
    let bound = case.arena.real(1.9);
    let large = case.arena.lt(bound, x);
    case.require(large, true);
    case.only(finite, false);
}

#[test]
fn atoms_are_found_between_others_by_name() {
    let mut case = case(2);
    let (x, y) = (case.input(0), case.input(1));
    case.require_tags(x, Tags::ATOM);
    case.require_tags(y, Tags::ATOM);
    let [low, high] = ["apple", "applf"].map(AtomId::intern);
    let (low, high) = (case.arena.atom(low), case.arena.atom(high));
    let conditions = [case.arena.lt(low, x), case.arena.lt(x, y), case.arena.lt(y, high)];
    for condition in conditions {
        case.both_ways(condition);
        case.require(condition, true);
    }
    let backwards = case.arena.lt(high, low);
    assert_eq!(case.ask(backwards, true), Answer::Unsat);
}

#[test]
fn an_atom_is_found_by_its_name_and_a_name_by_its_atom() {
    let mut case = case(2);
    let (x, list) = (case.input(0), case.input(1));
    case.require_tags(x, Tags::ATOM);
    let sesame = case.arena.atom(AtomId::intern("sesame"));
    let (name, of_sesame) = (case.arena.atom_name(x), case.arena.atom_name(sesame));
    let named = case.arena.eq(name, of_sesame);
    assert_eq!(case.model(named, true).first(), Some(&Term::Atom(AtomId::intern("sesame"))));
    let atom = case.arena.atom_named(list);
    let same = case.arena.eq(atom, sesame);
    case.model(same, true);
}

#[test]
fn a_name_is_never_that_of_another_atom() {
    let mut case = case(1);
    let x = case.input(0);
    case.require_tags(x, Tags::ATOM);
    let ok = case.arena.atom(AtomId::OK);
    let is_ok = case.arena.eq(x, ok);
    case.require(is_ok, false);
    let (name, of_ok) = (case.arena.atom_name(x), case.arena.atom_name(ok));
    let same = case.arena.eq(name, of_ok);
    assert_eq!(case.ask(same, true), Answer::Unsat);
}

#[test]
fn functions_known_by_examples_are_solved_for() {
    for (math, low, high) in [(Math::Exp, 20.0, 60.0), (Math::Log, 4.0, 5.0), (Math::Sqrt, 10.0, 11.0)] {
        let mut case = patient_case(1);
        let x = case.float(0);
        let zero = case.arena.real(0.0);
        let positive = case.arena.lt(zero, x);
        case.require(positive, true);
        let result = case.arena.apply(Function::Math(math), vec![x]);
        let (low, high) = (case.arena.real(low), case.arena.real(high));
        let (above, below) = (case.arena.lt(low, result), case.arena.lt(result, high));
        case.require(above, true);
        case.model(below, true);
    }
}
