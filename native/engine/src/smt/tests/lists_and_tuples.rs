use super::reference::Term;
use super::{Answer, case};
use crate::sym::Tags;
use crate::term::AtomId;

#[test]
fn every_type_that_can_be_made_up_is_found_and_excluded() {
    let made_up =
        [Tags::INT, Tags::FLOAT, Tags::ATOM, Tags::FUN, Tags::TUPLE, Tags::MAP, Tags::NIL, Tags::CONS, Tags::BITS];
    for tags in made_up {
        let mut case = case(1);
        let x = case.input(0);
        let is = case.arena.is(x, tags);
        case.both_ways(is);
    }
}

#[test]
fn type_tests_in_a_row_leave_the_one_type_that_is_left() {
    let mut case = case(1);
    let x = case.input(0);
    for tags in [Tags::NUMBER, Tags::LIST, Tags::ATOM, Tags::BITS, Tags::FUN, Tags::MAP] {
        let is = case.arena.is(x, tags);
        case.require(is, false);
    }
    let is_tuple = case.arena.is(x, Tags::TUPLE);
    case.only(is_tuple, true);
}

#[test]
fn a_list_of_three_numbers_with_a_sum_is_found() {
    let mut case = case(1);
    let mut list = case.input(0);
    let mut sum = case.arena.int(0);
    for _ in 0..3 {
        case.require_tags(list, Tags::CONS);
        let head = case.arena.head(list);
        case.require_tags(head, Tags::INT);
        let int = case.arena.int_of(head);
        sum = case.arena.add(sum, int);
        list = case.arena.tail(list);
    }
    case.require_tags(list, Tags::NIL);
    let wanted = case.arena.int(42);
    let equal = case.arena.eq(sum, wanted);
    case.both_ways(equal);
}

#[test]
fn improper_lists_are_found() {
    let mut case = case(1);
    let list = case.input(0);
    case.require_tags(list, Tags::CONS);
    let tail = case.arena.tail(list);
    let proper = case.arena.is(tail, Tags::LIST);
    case.both_ways(proper);
    let is_atom = case.arena.is(tail, Tags::ATOM);
    let [Term::Cons(_, end)] = &case.model(is_atom, true)[..] else { panic!("an improper list") };
    assert_eq!(end.tags(), Tags::ATOM);
}

#[test]
fn a_term_is_compared_with_a_structure() {
    let mut case = case(2);
    let (x, y) = (case.input(0), case.input(1));
    let ok = case.arena.atom(AtomId::OK);
    let nil = case.arena.nil();
    let list = case.arena.cons(y, nil);
    let tuple = case.arena.tuple(vec![ok, list]);
    let equal = case.arena.eq(x, tuple);
    case.both_ways(equal);
}

#[test]
fn tuples_of_every_size_are_found_and_excluded() {
    for size in [0, 1, 2, 7, 300] {
        let mut case = case(1);
        let x = case.input(0);
        let arity = case.arena.arity(x, size);
        case.both_ways(arity);
        case.require_tags(x, Tags::TUPLE);
        case.both_ways(arity);
    }
}

#[test]
fn a_tuple_of_none_of_the_tested_sizes_has_another_size() {
    let mut case = case(1);
    let x = case.input(0);
    case.require_tags(x, Tags::TUPLE);
    for size in 0..5 {
        let arity = case.arena.arity(x, size);
        case.require(arity, false);
    }
    let five = case.arena.arity(x, 5);
    case.both_ways(five);
}

#[test]
fn a_tuple_has_one_size_only() {
    let mut case = case(1);
    let x = case.input(0);
    let (two, three) = (case.arena.arity(x, 2), case.arena.arity(x, 3));
    case.require(two, true);
    case.only(three, false);
}

#[test]
fn elements_of_nested_tuples_are_solved() {
    let mut case = case(1);
    let x = case.input(0);
    let outer = case.arena.arity(x, 3);
    case.require(outer, true);
    let second = case.arena.element(x, 1);
    let inner = case.arena.arity(second, 2);
    case.require(inner, true);
    let (first, last) = (case.arena.element(second, 0), case.arena.element(x, 2));
    let equal = case.arena.eq(first, last);
    case.both_ways(equal);
    let error = case.arena.atom(AtomId::ERROR);
    let is_error = case.arena.eq(last, error);
    case.both_ways(is_error);
}

#[test]
fn a_term_is_never_its_own_tail() {
    let mut case = case(1);
    let x = case.input(0);
    case.require_tags(x, Tags::CONS);
    let tail = case.arena.tail(x);
    let equal = case.arena.eq(x, tail);
    case.only(equal, false);
}

#[test]
fn a_boolean_made_of_a_condition_is_an_atom() {
    let mut case = case(2);
    let (x, y) = (case.input(0), case.integer(1));
    let zero = case.arena.int(0);
    let negative = case.arena.lt(y, zero);
    let truth = case.arena.term(negative);
    let equal = case.arena.eq(x, truth);
    case.both_ways(equal);
    case.require(equal, true);
    let is_atom = case.arena.is(x, Tags::ATOM);
    case.only(is_atom, true);
    case.both_ways(negative);
}

#[test]
fn connectives_are_solved_both_ways() {
    let mut case = case(2);
    let (x, y) = (case.input(0), case.input(1));
    let (a, b) = (case.arena.is(x, Tags::ATOM), case.arena.arity(y, 1));
    let not_b = case.arena.not(b);
    for condition in [case.arena.and(a, b), case.arena.or(a, b), case.arena.and(a, not_b), not_b] {
        case.both_ways(condition);
    }
    let (yes, no) = (case.arena.truth(true), case.arena.truth(false));
    case.only(yes, true);
    case.only(no, false);
}

#[test]
fn a_list_of_a_thousand_elements_is_encoded_and_decoded() {
    let mut case = case(1);
    let mut list = case.arena.nil();
    for i in 0..1_000 {
        let int = case.arena.int(i);
        let term = case.arena.term(int);
        list = case.arena.cons(term, list);
    }
    let x = case.input(0);
    let equal = case.arena.eq(x, list);
    let Answer::Sat(model) = case.ask(equal, true) else { panic!("the list itself") };
    let (heap, mut value) = model.inputs[0].as_ref().unwrap().open();
    let mut length = 0;
    while value.is_cons() {
        value = heap.tail(value);
        length += 1;
    }
    assert_eq!(length, 1_000);
}
