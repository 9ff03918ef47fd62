#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::Slicer;
use crate::search::tree::Record;
use crate::sym::{Arena, SymId, Tags};

/// A path that has taken all these conditions.
fn path(arena: Arena, conditions: &[SymId]) -> Record {
    Record::of_conditions(arena, conditions.iter().map(|condition| (*condition, true)))
}

fn decisions(record: &Record, index: usize) -> Option<Vec<usize>> {
    Slicer::default().slice(record, index).map(|slice| slice.decisions)
}

/// `is a cons`, `the head is an integer`, `the head is above 3` of each of the first cells.
fn list_conditions(arena: &mut Arena, length: usize) -> (Vec<SymId>, Vec<SymId>) {
    let mut list = arena.input(0);
    let (mut conditions, mut heads) = (Vec::new(), Vec::new());
    for _ in 0..length {
        let (is_cons, head) = (arena.is(list, Tags::CONS), arena.head(list));
        let (is_int, int, three) = (arena.is(head, Tags::INT), arena.int_of(head), arena.int(3));
        conditions.extend([is_cons, is_int, arena.lt(three, int)]);
        heads.push(head);
        list = arena.tail(list);
    }
    (conditions, heads)
}

#[test]
fn elements_of_a_list_are_independent_of_each_other() {
    let mut arena = Arena::default();
    let (conditions, _) = list_conditions(&mut arena, 3);
    let record = path(arena, &conditions);
    // The shapes of the cells on the way, what the element is, and the condition itself.
    assert_eq!(decisions(&record, 8), Some(vec![0, 3, 6, 7, 8]));
    assert_eq!(decisions(&record, 5), Some(vec![0, 3, 4, 5]));
}

#[test]
fn a_condition_on_two_places_ties_them_together() {
    let mut arena = Arena::default();
    let (mut conditions, heads) = list_conditions(&mut arena, 3);
    let (first, third) = (arena.int_of(heads[0]), arena.int_of(heads[2]));
    let (sum, bound) = (arena.add(first, third), arena.int(100));
    conditions.push(arena.lt(sum, bound));
    conditions.push(arena.lt(third, bound));
    let record = path(arena, &conditions);
    assert_eq!(decisions(&record, 10), Some(vec![0, 1, 2, 3, 6, 7, 8, 9, 10]));
}

#[test]
fn a_condition_on_a_whole_ties_its_parts_together() {
    let mut arena = Arena::default();
    let (mut conditions, heads) = list_conditions(&mut arena, 2);
    let (list, other) = (arena.input(0), arena.input(1));
    conditions.push(arena.eq(list, other));
    let (int, bound) = (arena.int_of(heads[1]), arena.int(9));
    conditions.push(arena.lt(int, bound));
    let record = path(arena, &conditions);
    assert_eq!(decisions(&record, 7), None, "all of the path belongs together");
}

#[test]
fn to_be_no_empty_list_ties_nothing_together() {
    let mut arena = Arena::default();
    let (list, nil) = (arena.input(0), arena.nil());
    let empty = arena.eq(list, nil);
    let (conditions, _) = list_conditions(&mut arena, 2);
    let mut all = vec![arena.not(empty)];
    all.extend(conditions);
    let record = path(arena, &all);
    assert_eq!(decisions(&record, 6), Some(vec![0, 1, 4, 5, 6]));
}

#[test]
fn the_same_slice_of_two_paths_has_the_same_key() {
    let key = |noise: u32, bound: i64| {
        let mut arena = Arena::default();
        for number in 0..noise {
            let other = arena.input(number + 5);
            arena.head(other);
        }
        let other = arena.input(1);
        let (is_int, int, limit) = (arena.is(other, Tags::INT), arena.int_of(other), arena.int(bound));
        let before = arena.lt(int, limit);
        let (list, _) = list_conditions(&mut arena, 2);
        let record = path(arena, &[[is_int, before].as_slice(), &list].concat());
        let slice = Slicer::default().slice(&record, 7).unwrap();
        (slice.key, slice.place_key)
    };
    assert_eq!(key(0, 17), key(9, 18));
}
