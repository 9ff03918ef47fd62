use num_bigint::BigInt;

use super::reference::Term;
use super::{Answer, Case, Limits, Z3, case};
use crate::sym::{SymId, Tags};

#[test]
fn an_integer_is_found_on_either_side_of_a_comparison() {
    let mut case = case(1);
    let x = case.integer(0);
    let bound = case.arena.int(42);
    let less = case.arena.lt(x, bound);
    case.both_ways(less);
    let equal = case.arena.eq(x, bound);
    case.both_ways(equal);
}

#[test]
fn sums_differences_and_products_are_solved() {
    let mut case = case(2);
    let (x, y) = (case.integer(0), case.integer(1));
    for combined in [case.arena.add(x, y), case.arena.sub(x, y), case.arena.mul(x, y)] {
        let wanted = case.arena.int(91);
        let equal = case.arena.eq(combined, wanted);
        case.both_ways(equal);
    }
}

#[test]
fn contradicting_bounds_are_unsatisfiable() {
    let mut case = case(1);
    let x = case.integer(0);
    let (low, high) = (case.arena.int(10), case.arena.int(5));
    let above = case.arena.lt(low, x);
    case.require(above, true);
    let below = case.arena.lt(x, high);
    assert_eq!(case.ask(below, true), Answer::Unsat);
}

#[test]
fn integers_of_any_size_come_back_digit_by_digit() {
    for text in
        ["123456789012345678901234567890", "-99999999999999999999999999", "9223372036854775808", "-9223372036854775808"]
    {
        let big: BigInt = text.parse().unwrap();
        let mut case = case(1);
        let x = case.integer(0);
        let constant = case.arena.int(big.clone());
        let equal = case.arena.eq(x, constant);
        assert_eq!(case.model(equal, true), [Term::Int(big)]);
        let less = case.arena.lt(x, constant);
        case.both_ways(less);
    }
}

/// All operands in a small range, as constants of a question about one unknown.
fn division_table(operation: fn(&mut Case, SymId, SymId) -> SymId, expected: fn(i64, i64) -> i64) {
    for a in [-7, -6, -1, 0, 1, 6, 7] {
        for b in [-3, -1, 2, 3] {
            let mut case = case(3);
            let (x, y, z) = (case.integer(0), case.integer(1), case.integer(2));
            for (unknown, value) in [(x, a), (y, b)] {
                let value = case.arena.int(value);
                let equal = case.arena.eq(unknown, value);
                case.require(equal, true);
            }
            let result = operation(&mut case, x, y);
            let equal = case.arena.eq(z, result);
            let model = case.model(equal, true);
            assert_eq!(model[2], Term::int(expected(a, b)), "{a} and {b}");
        }
    }
}

#[test]
fn division_rounds_towards_zero_for_all_signs() {
    division_table(|case, x, y| case.arena.div(x, y), |a, b| a / b);
}

#[test]
fn the_remainder_has_the_sign_of_the_dividend() {
    division_table(|case, x, y| case.arena.rem(x, y), |a, b| a % b);
}

#[test]
fn division_by_constants_of_either_sign_is_solved() {
    for divisor in [7, -7] {
        for wanted in [-3, 0, 3] {
            let mut case = case(1);
            let x = case.integer(0);
            let (divisor, wanted) = (case.arena.int(divisor), case.arena.int(wanted));
            let remainder = case.arena.rem(x, divisor);
            let equal = case.arena.eq(remainder, wanted);
            case.both_ways(equal);
            let quotient = case.arena.div(x, divisor);
            let equal = case.arena.eq(quotient, wanted);
            case.both_ways(equal);
        }
    }
}

#[test]
fn no_remainder_of_seven_is_eight() {
    let mut case = case(1);
    let x = case.integer(0);
    let (seven, eight) = (case.arena.int(7), case.arena.int(8));
    let remainder = case.arena.rem(x, seven);
    let equal = case.arena.eq(remainder, eight);
    case.only(equal, false);
}

#[test]
fn floats_are_found_exactly_where_a_float_is_exact() {
    for float in [0.5, -0.1, 1.0e300, 5.0e-324, 0.0] {
        let mut case = case(1);
        let x = case.float(0);
        let constant = case.arena.real(float);
        let equal = case.arena.eq(x, constant);
        assert_eq!(case.model(equal, true), [Term::Float(float)]);
        case.model(equal, false);
        let less = case.arena.lt(x, constant);
        case.both_ways(less);
    }
}

#[test]
fn sums_products_and_quotients_of_floats_are_solved() {
    let mut case = case(2);
    let (x, y) = (case.float(0), case.float(1));
    let (two, zero) = (case.arena.real(2.0), case.arena.real(0.0));
    let is_zero = case.arena.eq(y, zero);
    case.require(is_zero, false);
    let combined = [case.arena.add(x, y), case.arena.sub(x, y), case.arena.mul(x, y), case.arena.quotient(x, y)];
    for number in combined {
        let equal = case.arena.eq(number, two);
        case.both_ways(equal);
        let less = case.arena.lt(number, two);
        case.both_ways(less);
    }
}

#[test]
fn an_irrational_solution_becomes_a_near_float() {
    let mut case = case(1);
    let x = case.float(0);
    let (two, zero) = (case.arena.real(2.0), case.arena.real(0.0));
    let positive = case.arena.lt(zero, x);
    case.require(positive, true);
    let square = case.arena.mul(x, x);
    let equal = case.arena.eq(square, two);
    let Answer::Sat(model) = case.ask(equal, true) else { panic!("sqrt(2) should exist") };
    let Term::Float(root) = Term::of(model.inputs[0].as_ref().unwrap()) else { panic!("a float") };
    assert_eq!(root, std::f64::consts::SQRT_2);
}

#[test]
fn an_integer_is_compared_with_a_float_as_a_number() {
    let mut case = case(2);
    let (x, y) = (case.integer(0), case.float(1));
    let as_real = case.arena.to_real(x);
    let equal = case.arena.eq(as_real, y);
    case.both_ways(equal);
    let less = case.arena.lt(as_real, y);
    case.both_ways(less);
}

#[test]
fn an_integer_and_a_float_are_never_the_same_term() {
    let mut case = case(2);
    let (x, y) = (case.input(0), case.input(1));
    case.require_tags(x, Tags::INT);
    case.require_tags(y, Tags::FLOAT);
    let equal = case.arena.eq(x, y);
    case.only(equal, false);
}

#[test]
fn a_guarded_alternative_takes_numbers_of_both_types() {
    let mut case = case(1);
    let x = case.input(0);
    let (int, real) = (case.arena.int_of(x), case.arena.real_of(x));
    let (is_int, is_float) = (case.arena.is(x, Tags::INT), case.arena.is(x, Tags::FLOAT));
    let (forty_two, as_real) = (case.arena.int(42), case.arena.real(42.0));
    let (less_int, less_real) = (case.arena.lt(int, forty_two), case.arena.lt(real, as_real));
    let (of_int, of_float) = (case.arena.and(is_int, less_int), case.arena.and(is_float, less_real));
    let less = case.arena.or(of_int, of_float);
    case.both_ways(less);
    case.require_tags(x, Tags::NUMBER);
    case.both_ways(less);
    case.require(is_int, false);
    case.both_ways(less);
}

#[test]
fn models_have_small_integers_where_these_do() {
    let mut case = case(3);
    case.solver = Z3::new(Limits { prefer_small: true, ..Limits::default() });
    let numbers = [case.integer(0), case.integer(1), case.integer(2)];
    for pair in numbers.windows(2) {
        let different = case.arena.eq(pair[0], pair[1]);
        case.require(different, false);
    }
    let sum = numbers.into_iter().reduce(|a, b| case.arena.add(a, b)).unwrap();
    let wanted = case.arena.int(17);
    let equal = case.arena.eq(sum, wanted);
    let model = case.model(equal, true);
    assert!(
        model.iter().all(|term| term.as_int() <= &BigInt::from(9) && term.as_int() >= &BigInt::from(-9)),
        "{model:?}"
    );
}
