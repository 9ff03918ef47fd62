//! Maps: models are checked with the engine's own evaluator.

use super::{Answer, Case, case};
use crate::sym::eval::Evaluator;
use crate::sym::{SymId, Tags};
use crate::term::map::{self, Map};
use crate::term::{AtomId, Heap, Literals, Packed, Value};

fn atom(case: &mut Case, name: &str) -> SymId {
    case.arena.atom(AtomId::intern(name))
}

fn int(case: &mut Case, i: i64) -> SymId {
    let int = case.arena.int(i);
    case.arena.term(int)
}

/// An input that is a map.
fn map(case: &mut Case, number: u32) -> SymId {
    let input = case.input(number);
    case.require_tags(input, Tags::MAP);
    input
}

fn size(case: &mut Case, map: SymId) -> SymId {
    case.arena.map_size(map, &|_, _| None)
}

fn has_size(case: &mut Case, map: SymId, wanted: i64) -> SymId {
    let size = size(case, map);
    let wanted = case.arena.int(wanted);
    case.arena.eq(size, wanted)
}

/// The inputs of a model, after checking that it satisfies prefix and goal.
fn solved(case: &mut Case, condition: SymId, taken: bool) -> Vec<Packed> {
    let answer = case.ask(condition, taken);
    let Answer::Sat(model) = answer else { panic!("{:?}: {answer:?}", case.arena.get(condition)) };
    let some = Packed::immediate(Value::NIL);
    let inputs: Vec<Packed> = model.inputs.into_iter().map(|input| input.unwrap_or_else(|| some.clone())).collect();
    let mut evaluator = Evaluator::new(&case.arena, &inputs);
    for (condition, taken) in case.steps.iter().map(|step| (step.condition, step.taken)).chain([(condition, taken)]) {
        assert_eq!(evaluator.holds(condition), Some(taken), "{:?} for {inputs:?}", case.arena.get(condition));
    }
    inputs
}

fn keys(term: &Packed) -> usize {
    let (heap, root) = term.open();
    Map::of(&heap, root).unwrap().size
}

fn constant(case: &mut Case, pairs: &[(&str, i64)]) -> SymId {
    let mut heap = Heap::new(Literals::default());
    let pairs: Vec<(Value, Value)> =
        pairs.iter().map(|(key, value)| (Value::atom(AtomId::intern(key)), heap.int(*value))).collect();
    let value = map::from_pairs(&mut heap, pairs, false);
    case.arena.opaque_term(Packed::pack(&heap, value), Tags::MAP)
}

#[test]
fn a_map_has_a_key_or_not() {
    let mut case = case(1);
    let m = map(&mut case, 0);
    let a = atom(&mut case, "a");
    let has = case.arena.map_has(m, a);
    let with = solved(&mut case, has, true);
    assert_eq!(keys(&with[0]), 1);
    solved(&mut case, has, false);
}

#[test]
fn values_of_keys_are_solved_for() {
    let mut case = case(1);
    let m = map(&mut case, 0);
    let (a, b) = (atom(&mut case, "a"), atom(&mut case, "b"));
    for key in [a, b] {
        let has = case.arena.map_has(m, key);
        case.require(has, true);
        let value = case.arena.map_get(m, key);
        case.require_tags(value, Tags::INT);
    }
    let (x, y) = (case.arena.map_get(m, a), case.arena.map_get(m, b));
    let (x, y) = (case.arena.int_of(x), case.arena.int_of(y));
    let sum = case.arena.add(x, y);
    let wanted = case.arena.int(42);
    let equal = case.arena.eq(sum, wanted);
    solved(&mut case, equal, true);
    solved(&mut case, equal, false);
}

#[test]
fn a_symbolic_key_may_be_another_one() {
    let mut case = case(2);
    let m = map(&mut case, 0);
    let (k, a) = (case.input(1), atom(&mut case, "a"));
    let (has_k, has_a) = (case.arena.map_has(m, k), case.arena.map_has(m, a));
    case.require(has_k, true);
    case.require(has_a, false);
    let same = case.arena.eq(k, a);
    assert_eq!(case.ask(same, true), Answer::Unsat);
    solved(&mut case, same, false);
}

#[test]
fn a_map_is_not_smaller_than_the_keys_it_has() {
    let mut case = case(1);
    let m = map(&mut case, 0);
    for index in 0..10 {
        let key = atom(&mut case, &format!("key{index}"));
        let has = case.arena.map_has(m, key);
        case.require(has, true);
    }
    let nine = has_size(&mut case, m, 9);
    assert_eq!(case.ask(nine, true), Answer::Unsat);
    let twelve = has_size(&mut case, m, 12);
    let inputs = solved(&mut case, twelve, true);
    assert_eq!(keys(&inputs[0]), 12);
}

#[test]
fn only_the_empty_map_has_no_keys() {
    let mut case = case(2);
    let (m, n) = (map(&mut case, 0), map(&mut case, 1));
    for map in [m, n] {
        let empty = has_size(&mut case, map, 0);
        case.require(empty, true);
    }
    let same = case.arena.eq(m, n);
    solved(&mut case, same, true);
    assert_eq!(case.ask(same, false), Answer::Unsat);
}

#[test]
fn maps_that_are_not_equal_differ() {
    let mut case = case(2);
    let (m, n) = (map(&mut case, 0), map(&mut case, 1));
    let a = atom(&mut case, "a");
    for map in [m, n] {
        let one = has_size(&mut case, map, 1);
        case.require(one, true);
        let has = case.arena.map_has(map, a);
        case.require(has, true);
    }
    let same = case.arena.eq(m, n);
    solved(&mut case, same, true);
    solved(&mut case, same, false);
    let (x, y) = (case.arena.map_get(m, a), case.arena.map_get(n, a));
    let equal = case.arena.eq(x, y);
    case.require(equal, true);
    assert_eq!(case.ask(same, false), Answer::Unsat);
}

#[test]
fn all_keys_of_a_map_come_in_order() {
    let mut case = case(1);
    let m = map(&mut case, 0);
    let three = has_size(&mut case, m, 3);
    case.require(three, true);
    let shown = case.arena.map_shown(m, 3);
    case.require(shown, true);
    let [first, second, third] = [0, 1, 2].map(|place| case.arena.map_key(m, place));
    let (foo, bar) = (atom(&mut case, "foo"), atom(&mut case, "bar"));
    let is_foo = case.arena.eq(second, foo);
    case.require(is_foo, true);
    let before = case.arena.eq(first, bar);
    solved(&mut case, before, true);
    solved(&mut case, before, false);
    let after = case.arena.eq(third, bar);
    assert_eq!(case.ask(after, true), Answer::Unsat);
    let number = case.arena.is(third, Tags::NUMBER);
    assert_eq!(case.ask(number, true), Answer::Unsat);
    case.require_tags(first, Tags::ATOM);
    case.require_tags(third, Tags::ATOM);
    let yes = case.arena.truth(true);
    solved(&mut case, yes, true);
}

#[test]
fn keys_that_are_tuples_come_in_order_too() {
    let mut case = case(1);
    let m = map(&mut case, 0);
    let two = has_size(&mut case, m, 2);
    case.require(two, true);
    let shown = case.arena.map_shown(m, 2);
    case.require(shown, true);
    let [first, second] = [0, 1].map(|place| case.arena.map_key(m, place));
    for key in [first, second] {
        let pair = case.arena.arity(key, 2);
        case.require(pair, true);
    }
    let yes = case.arena.truth(true);
    solved(&mut case, yes, true);
}

#[test]
fn a_key_is_one_of_those_that_are_shown() {
    let mut case = case(2);
    let m = map(&mut case, 0);
    let k = case.input(1);
    let two = has_size(&mut case, m, 2);
    case.require(two, true);
    let shown = case.arena.map_shown(m, 2);
    case.require(shown, true);
    for place in 0..2 {
        let key = case.arena.map_key(m, place);
        let same = case.arena.eq(k, key);
        case.require(same, false);
    }
    let has = case.arena.map_has(m, k);
    assert_eq!(case.ask(has, true), Answer::Unsat);
    solved(&mut case, has, false);
}

#[test]
fn maps_in_maps_never_contain_themselves() {
    let mut case = case(1);
    let mut inner = map(&mut case, 0);
    let a = atom(&mut case, "a");
    for _ in 0..5 {
        let has = case.arena.map_has(inner, a);
        case.require(has, true);
        inner = case.arena.map_get(inner, a);
        case.require_tags(inner, Tags::MAP);
    }
    let yes = case.arena.truth(true);
    solved(&mut case, yes, true);
    let outer = case.input(0);
    let same = case.arena.eq(outer, inner);
    assert_eq!(case.ask(same, true), Answer::Unsat);
}

#[test]
fn a_changed_map_is_equal_to_another_input() {
    let mut case = case(3);
    let (m, n) = (map(&mut case, 0), map(&mut case, 1));
    let (k, one) = (case.input(2), int(&mut case, 1));
    let put = case.arena.map_put(m, k, one);
    let same = case.arena.eq(put, n);
    solved(&mut case, same, true);
    solved(&mut case, same, false);
    let a = atom(&mut case, "a");
    let has = case.arena.map_has(n, a);
    case.require(same, true);
    case.require(has, true);
    let is_a = case.arena.eq(k, a);
    solved(&mut case, is_a, true);
    solved(&mut case, is_a, false);
    let removed = case.arena.map_remove(n, a);
    let again = case.arena.eq(removed, m);
    solved(&mut case, again, true);
}

#[test]
fn a_constant_map_in_a_structure_keeps_its_inside() {
    let mut case = case(1);
    let x = case.input(0);
    let constant = constant(&mut case, &[("a", 1), ("b", 2)]);
    let ok = atom(&mut case, "ok");
    let pair = case.arena.tuple(vec![ok, constant]);
    let equal = case.arena.eq(x, pair);
    solved(&mut case, equal, true);
    solved(&mut case, equal, false);
    case.require(equal, true);
    let part = case.arena.element(x, 1);
    let b = atom(&mut case, "b");
    let has = case.arena.map_has(part, b);
    case.require(has, true);
    let value = case.arena.map_get(part, b);
    let two = int(&mut case, 2);
    let is_two = case.arena.eq(value, two);
    solved(&mut case, is_two, true);
    assert_eq!(case.ask(is_two, false), Answer::Unsat);
}

#[test]
fn a_session_keeps_what_it_said_about_a_prefix_when_the_arena_changes() {
    let mut case = case(1);
    let m = map(&mut case, 0);
    let two = has_size(&mut case, m, 2);
    case.require(two, true);
    let shown = case.arena.map_shown(m, 2);
    case.require(shown, true);
    let key = case.arena.map_key(m, 0);
    let int = case.arena.is(key, Tags::INT);
    let goal = super::Step { key: 99, condition: int, taken: true };
    for arena_id in [1, 2, 1] {
        let prefix = &case.steps;
        let question =
            super::Question { arena: &case.arena, arena_id, prefix, goal, inputs: 1, whole: false, deadline: None };
        let answer = super::Solver::solve(&mut case.solver, &question);
        let Answer::Sat(model) = answer else { panic!("{answer:?}") };
        assert_eq!(keys(model.inputs[0].as_ref().unwrap()), 2);
    }
}
