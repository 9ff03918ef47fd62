use super::{Answer, Case, Term, case};
use crate::sym::{SymId, Tags};
use crate::term::{AtomId, Heap, Literals, Packed, Value, table};

/// An input that is a fun of this arity.
fn fun(case: &mut Case, number: u32, arity: usize) -> SymId {
    let f = case.input(number);
    require_fun(case, f, arity);
    f
}

fn require_fun(case: &mut Case, f: SymId, arity: usize) {
    case.require_tags(f, Tags::FUN);
    let condition = case.arena.is_fun_of(f, arity);
    case.require(condition, true);
}

fn number(case: &mut Case, i: i64) -> SymId {
    let int = case.arena.int(i);
    case.arena.term(int)
}

fn returns(case: &mut Case, f: SymId, args: &[i64], result: i64) -> SymId {
    let args = args.iter().map(|arg| number(case, *arg)).collect();
    let call = case.arena.call(f, args);
    let result = number(case, result);
    case.arena.eq(call, result)
}

/// What the table fun of a model returns.
fn apply(fun: &Term, args: &[i64]) -> Term {
    let Term::Opaque(packed, Tags::FUN) = fun else { panic!("{fun:?} is no fun") };
    let (mut heap, root) = packed.open();
    let args: Vec<Value> = args.iter().map(|arg| heap.int(*arg)).collect();
    let result = table::look_up(&heap, root, &args).unwrap();
    Term::of(&Packed::pack(&heap, result))
}

#[test]
fn a_fun_returns_what_is_asked_of_it() {
    let mut case = case(1);
    let f = fun(&mut case, 0, 1);
    let three = returns(&mut case, f, &[3], 42);
    case.both_ways(three);
    case.require(three, true);
    let four = returns(&mut case, f, &[4], 43);
    let model = case.model(four, true);
    assert_eq!([apply(&model[0], &[3]), apply(&model[0], &[4])], [Term::int(42), Term::int(43)]);
}

#[test]
fn the_same_arguments_give_the_same_result() {
    let mut case = case(2);
    let f = fun(&mut case, 0, 1);
    let x = case.input(1);
    let three = number(&mut case, 3);
    let (a, b) = (case.arena.call(f, vec![x]), case.arena.call(f, vec![three]));
    let differ = case.arena.eq(a, b);
    case.require(differ, false);
    let same = case.arena.eq(x, three);
    case.only(same, false);
}

#[test]
fn arities_exclude_each_other() {
    let mut case = case(1);
    let f = case.input(0);
    for arity in [0, 1, 3, 20] {
        let is = case.arena.is_fun_of(f, arity);
        case.both_ways(is);
    }
    require_fun(&mut case, f, 2);
    let is = case.arena.is_fun_of(f, 1);
    assert_eq!(case.ask(is, true), Answer::Unsat);
}

#[test]
fn no_fun_has_more_arguments_than_can_be_written() {
    let mut case = case(1);
    let f = case.input(0);
    case.require_tags(f, Tags::FUN);
    let (arity, limit) = (case.arena.fun_arity(f), case.arena.int(table::MAX_TABLE_ARITY));
    let beyond = case.arena.lt(limit, arity);
    case.only(beyond, false);
}

#[test]
fn a_fun_that_returns_funs_is_built_inside_out() {
    let mut case = case(1);
    let f = fun(&mut case, 0, 1);
    let mut inner = f;
    for i in 0..5 {
        let arg = number(&mut case, i);
        inner = case.arena.call(inner, vec![arg]);
        require_fun(&mut case, inner, 1);
    }
    let seven = returns(&mut case, inner, &[9], 7);
    case.both_ways(seven);
}

#[test]
fn a_fun_inside_its_own_result_is_not_a_model() {
    let mut case = case(2);
    let f = fun(&mut case, 0, 1);
    let zero = number(&mut case, 0);
    let result = case.arena.call(f, vec![zero]);
    case.require_tags(result, Tags::CONS);
    let head = case.arena.head(result);
    let same = case.arena.eq(head, f);
    assert!(matches!(case.ask(same, true), Answer::Unknown(_)));
    let x = case.input(1);
    let same = case.arena.eq(head, x);
    case.require(same, true);
    let is_fun = case.arena.is(x, Tags::FUN);
    case.both_ways(is_fun);
}

#[test]
fn an_argument_may_be_a_fun_but_not_the_fun_itself() {
    let mut case = case(2);
    let (f, g) = (fun(&mut case, 0, 1), fun(&mut case, 1, 0));
    let (of_g, of_f) = (case.arena.call(f, vec![g]), case.arena.call(f, vec![f]));
    let five = number(&mut case, 5);
    let is_five = case.arena.eq(of_g, five);
    case.require(is_five, true);
    let same = case.arena.eq(of_g, of_f);
    case.both_ways(same);
}

#[test]
fn two_funs_that_are_given_each_other_are_found() {
    let mut case = case(2);
    let (f, g) = (fun(&mut case, 0, 1), fun(&mut case, 1, 1));
    let (of_g, of_f) = (case.arena.call(f, vec![g]), case.arena.call(g, vec![f]));
    for (call, result) in [(of_g, 1), (of_f, 2)] {
        let result = number(&mut case, result);
        let same = case.arena.eq(call, result);
        case.require(same, true);
    }
    let three = returns(&mut case, g, &[1], 3);
    case.both_ways(three);
}

#[test]
fn arguments_of_the_run_get_the_default() {
    let mut heap = Heap::new(Literals::default());
    let closure = heap.closure_of(3, 1, &[]);
    let closure = Packed::pack(&heap, closure);
    let mut case = case(1);
    let f = fun(&mut case, 0, 1);
    let closure = case.arena.opaque_term(closure, Tags::FUN);
    let call = case.arena.call(f, vec![closure]);
    let six = number(&mut case, 6);
    let is_six = case.arena.eq(call, six);
    case.both_ways(is_six);
    let is_closure = case.arena.eq(f, closure);
    assert_eq!(case.ask(is_closure, true), Answer::Unsat);
}

#[test]
fn a_closure_of_a_run_is_never_an_input() {
    let mut heap = Heap::new(Literals::default());
    let closure = heap.closure_of(3, 1, &[]);
    let closure = Packed::pack(&heap, closure);
    let mut case = case(1);
    let closure = case.arena.opaque_term(closure, Tags::FUN);
    let f = case.input(0);
    let is_closure = case.arena.eq(f, closure);
    case.only(is_closure, false);
    case.require_tags(f, Tags::FUN);
    case.model(is_closure, false);
}

#[test]
fn a_constant_has_its_own_arity() {
    let mut heap = Heap::new(Literals::default());
    let max = heap.external(AtomId::ERLANG, AtomId::intern("max"), 2);
    let max = Packed::pack(&heap, max);
    let mut case = case(1);
    let f = case.input(0);
    let max = case.arena.opaque_term(max, Tags::FUN);
    let is_max = case.arena.eq(f, max);
    case.both_ways(is_max);
    case.require(is_max, true);
    for arity in [1, 2] {
        let is = case.arena.is_fun_of(f, arity);
        let answer = case.ask(is, true);
        assert_eq!(matches!(answer, Answer::Sat(_)), arity == 2, "{answer:?}");
    }
}

#[test]
fn different_funs_differ_even_if_nothing_else_is_known_of_them() {
    let mut case = case(3);
    let funs: Vec<SymId> = (0..3).map(|number| fun(&mut case, number, 1)).collect();
    for f in &funs {
        let one = returns(&mut case, *f, &[1], 1);
        case.require(one, true);
    }
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        let same = case.arena.eq(funs[a], funs[b]);
        case.both_ways(same);
        case.require(same, false);
    }
    let yes = case.arena.truth(true);
    case.model(yes, true);
}

#[test]
fn a_prefix_keeps_its_calls_when_the_arena_changes() {
    let mut first = case(1);
    let f = fun(&mut first, 0, 1);
    let three = returns(&mut first, f, &[3], 42);
    first.require(three, true);
    let four = returns(&mut first, f, &[4], 1);
    first.model(four, true);
    // The same decisions in another arena, where expressions have other numbers.
    let mut second = case(1);
    second.arena.int(99);
    let f = fun(&mut second, 0, 1);
    let three = returns(&mut second, f, &[3], 42);
    second.require(three, true);
    second.solver = first.solver;
    let five = returns(&mut second, f, &[5], 2);
    let goal = super::Step { key: u64::MAX, condition: five, taken: true };
    let prefix = second.steps.as_slice();
    let (arena, inputs, whole, deadline) = (&second.arena, 1, false, None);
    let question = super::Question { arena, arena_id: 7, prefix, goal, inputs, whole, deadline };
    let Answer::Sat(model) = super::Solver::solve(&mut second.solver, &question) else { panic!("satisfiable") };
    let fun = Term::of(model.inputs[0].as_ref().unwrap());
    assert_eq!([apply(&fun, &[3]), apply(&fun, &[5])], [Term::int(42), Term::int(2)]);
}
