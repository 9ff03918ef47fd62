#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use super::*;
use crate::term::AtomId;

fn atom(arena: &mut Arena, name: &str) -> SymId {
    arena.atom(AtomId::intern(name))
}

fn truth(arena: &Arena, id: SymId) -> Option<bool> {
    match arena.get(id) {
        Expr::True => Some(true),
        Expr::False => Some(false),
        _ => None,
    }
}

#[test]
fn a_key_that_was_put_is_there_and_one_that_was_removed_is_not() {
    let mut arena = Arena::default();
    let m = arena.input(0);
    let (a, b) = (atom(&mut arena, "a"), atom(&mut arena, "b"));
    let one = arena.map_put(m, a, b);
    let two = arena.map_remove(one, b);
    let (has_a, has_b) = (arena.map_has(two, a), arena.map_has(two, b));
    assert_eq!((truth(&arena, has_a), truth(&arena, has_b)), (Some(true), Some(false)));
    assert_eq!(arena.map_get(two, a), b);
}

#[test]
fn a_change_makes_an_earlier_one_of_the_same_key_void() {
    let mut arena = Arena::default();
    let m = arena.input(0);
    let (a, b) = (atom(&mut arena, "a"), atom(&mut arena, "b"));
    let first = arena.map_put(m, a, a);
    let first = arena.map_put(first, b, b);
    let first = arena.map_put(first, a, b);
    let second = arena.map_put(m, b, b);
    let second = arena.map_put(second, a, b);
    assert_eq!(first, second);
}

#[test]
fn an_open_key_is_a_condition_on_the_keys_of_changes() {
    let mut arena = Arena::default();
    let (m, k) = (arena.input(0), arena.input(1));
    let a = atom(&mut arena, "a");
    let changed = arena.map_put(m, k, a);
    let has = arena.map_has(changed, a);
    let (same, below) = (arena.eq(k, a), arena.map_has(m, a));
    assert_eq!(has, arena.or(same, below));
}

#[test]
fn the_size_counts_what_is_open() {
    let mut arena = Arena::default();
    let m = arena.input(0);
    let a = atom(&mut arena, "a");
    let changed = arena.map_put(m, a, a);
    let (before, after) = (arena.map_size(m, &|_, _| None), arena.map_size(changed, &|_, _| Some(true)));
    assert_eq!(after, {
        let one = arena.int(1);
        arena.add(before, one)
    });
    let again = arena.map_remove(changed, a);
    let open = arena.map_size(again, &|_, _| None);
    assert_ne!(open, before);
}

#[test]
fn keys_of_one_map_are_in_order() {
    let mut arena = Arena::default();
    let m = arena.input(0);
    let (first, second) = (arena.map_key(m, 0), arena.map_key(m, 1));
    let (up, down) = (arena.before(KeyOrder::Terms, first, second), arena.before(KeyOrder::Terms, second, first));
    assert_eq!((truth(&arena, up), truth(&arena, down)), (Some(true), Some(false)));
    let own = arena.map_has(m, second);
    assert_eq!(truth(&arena, own), Some(true));
}

#[test]
fn expressions_of_maps_have_the_values_of_maps() {
    let mut arena = Arena::default();
    let m = arena.input(0);
    let (a, b) = (atom(&mut arena, "a"), atom(&mut arena, "b"));
    let mut heap = Heap::new(Literals::default());
    let value = heap.map(&[(Value::atom(AtomId::intern("b")), Value::NIL)]);
    let input = Packed::pack(&heap, value);
    let changed = arena.map_put(m, a, b);
    let [has, lacks] = [changed, m].map(|map| arena.map_has(map, a));
    let last = arena.map_key(m, 0);
    let is_b = arena.eq(last, b);
    let size = arena.map_size(changed, &|_, _| None);
    let two = arena.int(2);
    let is_two = arena.eq(size, two);
    let mut evaluator = Evaluator::new(&arena, &[input]);
    let values = [has, lacks, is_b, is_two].map(|condition| evaluator.holds(condition));
    assert_eq!(values, [Some(true), Some(false), Some(true), Some(true)]);
}
