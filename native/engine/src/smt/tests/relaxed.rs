//! Questions about floats, however they are rounded: what has no answer then has none, and what floats can do has one.

use super::{Answer, Limits, Z3, case};
use crate::smt::relaxed::can_be_rounded;
use crate::sym::{Arena, SymId};

/// Whether there is a real for which a condition on two holds, and whether some rounding may make it hold.
fn answers(condition: impl Fn(&mut Arena, SymId, SymId) -> SymId) -> (bool, bool) {
    let asked = |relaxed: bool| {
        let mut case = case(2);
        if relaxed {
            case.solver = Z3::new(Limits::default()).relaxed();
        }
        let (x, y) = (case.float(0), case.float(1));
        let condition = condition(&mut case.arena, x, y);
        assert!(can_be_rounded(&case.arena, [condition].into_iter()));
        match case.ask(condition, true) {
            Answer::Sat(_) => true,
            Answer::Unsat => false,
            Answer::Unknown(why) => panic!("{why}"),
        }
    };
    (asked(false), asked(true))
}

#[test]
fn a_sum_can_be_one_of_its_parts() {
    let swallowed = answers(|arena, x, _| {
        let one = arena.real(1.0);
        let sum = arena.add(x, one);
        arena.eq(sum, x)
    });
    assert_eq!(swallowed, (false, true));
}

#[test]
fn sums_of_different_floats_can_be_equal() {
    let equal = answers(|arena, x, y| {
        let tenth = arena.real(0.1);
        let (a, b) = (arena.add(x, tenth), arena.add(y, tenth));
        let (less, same) = (arena.lt(x, y), arena.eq(a, b));
        arena.and(less, same)
    });
    assert_eq!(equal, (false, true));
}

#[test]
fn a_product_of_what_is_above_zero_can_vanish_and_a_difference_cannot() {
    let vanishes = |product: bool| {
        answers(move |arena, x, y| {
            let zero = arena.real(0.0);
            let result = if product { arena.mul(x, x) } else { arena.sub(x, y) };
            let smaller = if product { zero } else { y };
            let (above, none) = (arena.lt(smaller, x), arena.eq(result, zero));
            arena.and(above, none)
        })
    };
    assert_eq!(vanishes(true), (false, true));
    assert_eq!(vanishes(false), (false, false));
}

#[test]
fn rounding_keeps_the_order() {
    let below = answers(|arena, x, _| {
        let [one, five, ten] = [1.0, 5.0, 10.0].map(|float| arena.real(float));
        let sum = arena.add(x, one);
        let (above, low) = (arena.lt(ten, x), arena.lt(sum, five));
        arena.and(above, low)
    });
    assert_eq!(below, (false, false));
}

#[test]
fn what_is_rounded_is_not_far_away() {
    let far = answers(|arena, x, _| {
        let [low, high, one, out] = [1.0, 2.0, 3.0, 5.1].map(|float| arena.real(float));
        let sum = arena.add(x, one);
        let inside = [arena.lt(low, x), arena.lt(x, high)].into_iter().reduce(|a, b| arena.and(a, b)).unwrap();
        let outside = arena.lt(out, sum);
        arena.and(inside, outside)
    });
    assert_eq!(far, (false, false));
}
