use super::*;

fn written(build: impl FnOnce(&mut Arena, SymId) -> Vec<(SymId, bool)>) -> Option<String> {
    let mut arena = Arena::default();
    let input = arena.input(0);
    let conditions = build(&mut arena, input);
    guard(&arena, &conditions, &|id| arena.tags(id))
}

#[test]
fn an_equality_says_all_there_is_to_say_of_its_subject() {
    let text = written(|arena, x| {
        let is_int = arena.is(x, Tags::INT);
        let int = arena.int_of(x);
        let forty_two = arena.int(42);
        let more = arena.lt(forty_two, int);
        let term = arena.term(forty_two);
        let same = arena.eq(x, term);
        vec![(is_int, true), (more, false), (same, true)]
    });
    assert_eq!(text.as_deref(), Some("X1 =:= 42"));
}

#[test]
fn parts_of_structures_are_written_as_guards_can() {
    let text = written(|arena, x| {
        let cons = arena.is(x, Tags::CONS);
        let head = arena.head(x);
        let pair = arena.arity(head, 2);
        let tag = arena.element(head, 0);
        let ok = arena.atom(crate::term::AtomId::intern("ok"));
        let same = arena.eq(tag, ok);
        vec![(cons, true), (pair, true), (same, false)]
    });
    let expected = "is_list(X1), X1 =/= [], tuple_size(hd(X1)) =:= 2, element(1, hd(X1)) =/= ok";
    assert_eq!(text.as_deref(), Some(expected));
}

#[test]
fn what_the_types_say_is_not_written() {
    let mut arena = Arena::default();
    let x = arena.input(0);
    let (is_int, int) = (arena.is(x, Tags::INT), arena.int_of(x));
    let bound = arena.int(28);
    let less = arena.lt(int, bound);
    let both = arena.and(is_int, less);
    let text = guard(&arena, &[(both, false)], &|_| Tags::INT);
    assert_eq!(text.as_deref(), Some("X1 >= 28"));
}

#[test]
fn alternatives_of_which_one_is_said_elsewhere_are_not_written() {
    let text = written(|arena, x| {
        let (is_map, is_nil) = (arena.is(x, Tags::MAP), arena.is(x, Tags::NIL));
        let is_list = arena.is(x, Tags::LIST);
        let other = arena.input(1);
        let is_int = arena.is(other, Tags::INT);
        let (one, two) = (arena.or(is_list, is_int), arena.or(is_map, is_int));
        vec![(one, true), (two, true), (is_nil, true)]
    });
    assert_eq!(text.as_deref(), Some("is_integer(X2), X1 =:= []"));
}

#[test]
fn what_other_parts_imply_is_not_written() {
    let text = written(|arena, x| {
        let (cons, head) = (arena.is(x, Tags::CONS), arena.head(x));
        let (is_int, int) = (arena.is(head, Tags::INT), arena.int_of(head));
        let bound = arena.int(3);
        let (below, above) = (arena.lt(int, bound), arena.lt(bound, int));
        let rest = arena.tail(x);
        let empty = arena.is(rest, Tags::NIL);
        let nil = arena.nil();
        let same = arena.eq(x, nil);
        vec![(same, false), (cons, true), (is_int, true), (below, false), (above, false), (empty, true)]
    });
    assert_eq!(text.as_deref(), Some("is_integer(hd(X1)), hd(X1) =:= 3, tl(X1) =:= []"));
}

/// What is below a number, in the order of terms.
fn below(arena: &mut Arena, x: SymId, bound: i64) -> SymId {
    let (is_int, is_float) = (arena.is(x, Tags::INT), arena.is(x, Tags::FLOAT));
    let (int, constant) = (arena.int_of(x), arena.int(bound));
    let (real, real_constant) = (arena.real_of(x), arena.real(bound as f64));
    let (less, less_real) = (arena.lt(int, constant), arena.lt(real, real_constant));
    let (integers, floats) = (arena.and(is_int, less), arena.and(is_float, less_real));
    arena.or(integers, floats)
}

#[test]
fn integers_and_floats_below_a_number_are_one_comparison() {
    let text = written(|arena, x| vec![(below(arena, x, 7), true)]);
    assert_eq!(text.as_deref(), Some("X1 < 7"));
    let text = written(|arena, x| vec![(below(arena, x, 7), false)]);
    assert_eq!(text.as_deref(), Some("X1 >= 7"));
}

#[test]
fn of_several_bounds_the_tightest_is_written() {
    let text = written(|arena, x| {
        let (far, near, other) = (below(arena, x, 70), below(arena, x, 7), below(arena, x, -9));
        let is_number = arena.is(x, Tags::NUMBER);
        vec![(far, true), (is_number, true), (near, true), (other, false)]
    });
    assert_eq!(text.as_deref(), Some("X1 < 7, X1 >= -9"));
}

#[test]
fn what_is_above_a_number_may_be_none() {
    let text = written(|arena, x| {
        let is_atom = arena.is(x, Tags::ATOM);
        vec![(below(arena, x, 7), false), (is_atom, true)]
    });
    assert_eq!(text.as_deref(), Some("is_atom(X1)"));
}

#[test]
fn constant_lists_are_written_as_lists_and_texts() {
    let text = written(|arena, x| {
        let mut list = |items: &[i64]| {
            let nil = arena.nil();
            items.iter().rev().fold(nil, |tail, item| {
                let int = arena.int(*item);
                let head = arena.term(int);
                arena.cons(head, tail)
            })
        };
        let (numbers, letters) = (list(&[1, 2]), list(&[104, 105]));
        let (one, other) = (arena.eq(x, numbers), arena.eq(x, letters));
        vec![(one, false), (other, false)]
    });
    assert_eq!(text.as_deref(), Some("X1 =/= [1, 2], X1 =/= \"hi\""));
}

#[test]
fn of_alternatives_that_is_written_which_an_equality_leaves() {
    let text = written(|arena, x| {
        let y = arena.input(1);
        let (is_int, is_other_int) = (arena.is(x, Tags::INT), arena.is(y, Tags::INT));
        let (a, b) = (arena.int_of(x), arena.int_of(y));
        let less = arena.lt(a, b);
        let (both, one) = (arena.and(is_int, is_other_int), arena.lt(b, a));
        let alternatives = arena.and(both, one);
        let zero = arena.int(0);
        let term = arena.term(zero);
        let same = arena.eq(y, term);
        vec![(is_int, true), (alternatives, false), (same, true), (less, true)]
    });
    assert_eq!(text.as_deref(), Some("is_integer(X1), X2 >= X1, X2 =:= 0, X1 < X2"));
}

#[test]
fn nothing_is_written_of_nothing() {
    assert_eq!(written(|_, _| Vec::new()), None);
}
