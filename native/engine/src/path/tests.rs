use super::*;
use crate::sym::Tags;
use crate::types::place::Places;

const AT: (SiteId, Origin) = (SiteId(0), Origin::Program);

/// Takes `assumed` as decided and asks for `asked`.
fn implied(build: impl FnOnce(&mut Arena) -> (Vec<(SymId, bool)>, SymId)) -> Option<bool> {
    let mut arena = Arena::default();
    let (assumed, asked) = build(&mut arena);
    let mut path = Path::new(100, Places::default());
    for (condition, taken) in assumed {
        path.branch(&mut arena, condition, taken, AT);
    }
    path.known().holds(&arena, asked)
}

#[test]
fn a_decision_is_recorded_once() {
    let mut arena = Arena::default();
    let x = arena.input(0);
    let cons = arena.is(x, Tags::CONS);
    let nil = arena.is(x, Tags::NIL);
    let mut path = Path::new(100, Places::default());
    path.branch(&mut arena, cons, true, AT);
    path.branch(&mut arena, cons, true, AT);
    path.branch(&mut arena, nil, false, AT);
    assert_eq!(path.decisions().len(), 1);
    assert_eq!(path.implied(), 2);
}

#[test]
fn a_term_that_is_one_literal_is_no_other() {
    let answer = implied(|arena| {
        let x = arena.input(0);
        let (a, b) = (arena.atom(crate::term::AtomId::OK), arena.atom(crate::term::AtomId::ERROR));
        let (is_a, is_b) = (arena.eq(x, a), arena.eq(x, b));
        (vec![(is_a, true)], is_b)
    });
    assert_eq!(answer, Some(false));
}

#[test]
fn an_interval_decides_later_comparisons() {
    let ask = |first: i64, taken: bool, second: i64| {
        implied(|arena| {
            let x = arena.input(0);
            let x = arena.int_of(x);
            let (a, b) = (arena.int(first), arena.int(second));
            let (first, second) = (arena.lt(x, a), arena.lt(x, b));
            (vec![(first, taken)], second)
        })
    };
    assert_eq!(ask(5, true, 6), Some(true));
    assert_eq!(ask(5, true, 5), Some(true));
    assert_eq!(ask(5, true, 4), None);
    assert_eq!(ask(5, false, 5), Some(false));
    assert_eq!(ask(5, false, 6), None);
}

#[test]
fn a_disjunction_with_all_sides_but_one_ruled_out_decides_that_one() {
    let answer = implied(|arena| {
        let x = arena.input(0);
        let number = arena.is(x, Tags::NUMBER);
        let y = arena.input(1);
        let atom = arena.is(y, Tags::ATOM);
        let either = arena.or(number, atom);
        (vec![(number, false), (either, true)], atom)
    });
    assert_eq!(answer, Some(true));
}

#[test]
fn behind_the_limit_nothing_is_recorded_and_the_path_says_so() {
    let mut arena = Arena::default();
    let mut path = Path::new(1, Places::default());
    for input in 0..3 {
        let x = arena.input(input);
        let cons = arena.is(x, Tags::CONS);
        path.branch(&mut arena, cons, true, AT);
    }
    assert_eq!(path.decisions().len(), 1);
    assert!(path.is_cut());
}

#[test]
fn a_map_without_keys_has_none_and_one_with_two_is_not_smaller() {
    let answer = implied(|arena| {
        let m = arena.input(0);
        let a = arena.atom(crate::term::AtomId::OK);
        let (size, zero) = (arena.map_size(m, &|_, _| None), arena.int(0));
        let empty = arena.eq(size, zero);
        (vec![(empty, true)], arena.map_has(m, a))
    });
    assert_eq!(answer, Some(false));
    let answer = implied(|arena| {
        let m = arena.input(0);
        let (a, b) = (arena.atom(crate::term::AtomId::OK), arena.atom(crate::term::AtomId::ERROR));
        let (has_a, has_b) = (arena.map_has(m, a), arena.map_has(m, b));
        let (size, one) = (arena.map_size(m, &|_, _| None), arena.int(1));
        (vec![(has_a, true), (has_b, true)], arena.eq(size, one))
    });
    assert_eq!(answer, Some(false));
}

#[test]
fn a_path_on_which_everything_follows_ends_at_some_time() {
    let mut arena = Arena::default();
    let mut path = Path::new(1_000, Places::default());
    let x = arena.input(0);
    let cons = arena.is(x, Tags::CONS);
    for _ in 0..super::MOST_IMPLIED {
        path.branch(&mut arena, cons, true, AT);
    }
    assert!(!path.is_cut());
    path.branch(&mut arena, cons, true, AT);
    assert!(path.is_cut());
    assert_eq!(path.decisions().len(), 1);
}

#[test]
fn what_parts_of_a_condition_share_is_looked_at_once() {
    let mut arena = Arena::default();
    let (x, y) = (arena.input(0), arena.input(1));
    let (mut a, mut b) = (arena.is(x, Tags::CONS), arena.is(y, Tags::CONS));
    // Each level has both of the one below, twice: 2^80 paths from the top to the bottom.
    for _ in 0..40 {
        let (not_a, not_b) = (arena.not(a), arena.not(b));
        let (first, second) = (arena.and(a, not_b), arena.and(not_a, b));
        let (third, fourth) = (arena.and(a, b), arena.and(not_a, not_b));
        (a, b) = (arena.or(first, second), arena.or(third, fourth));
    }
    let mut path = Path::new(100, Places::default());
    assert_eq!(path.known().holds(&arena, a), None);
    for (input, holds) in [(x, true), (y, false)] {
        let cons = arena.is(input, Tags::CONS);
        path.branch(&mut arena, cons, holds, AT);
    }
    assert_eq!(path.known().holds(&arena, a), Some(true));
    assert_eq!(path.known().holds(&arena, b), Some(false));
}
