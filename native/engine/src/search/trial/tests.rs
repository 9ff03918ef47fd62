#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use num_bigint::BigInt;
use rustc_hash::FxHashSet;

use super::*;
use crate::report::inputs::End;
use crate::term::{AtomId, Value, bits, term_to_string};
use crate::types::{Clause, Node, TypeId};

/// `fun(binary() | [1..3], {on | off, integer()})`.
fn spec() -> Spec {
    let int = |low: i64, high: i64| Node::Integer { low: Some(BigInt::from(low)), high: Some(BigInt::from(high)) };
    let nodes = vec![
        Node::Bits { size: 0, unit: 8 },
        int(1, 3),
        Node::Nil,
        Node::Cons(TypeId(1), TypeId(4)),
        Node::Union(vec![TypeId(2), TypeId(3)]),
        Node::Union(vec![TypeId(0), TypeId(4)]),
        Node::Atom(AtomId::intern("on")),
        Node::Atom(AtomId::intern("off")),
        Node::Union(vec![TypeId(6), TypeId(7)]),
        Node::Integer { low: None, high: None },
        Node::Tuple(vec![TypeId(8), TypeId(9)]),
    ];
    let clause = Clause { args: vec![TypeId(5), TypeId(10)], result: TypeId(9) };
    let signature = Signature { types: Types::new(nodes), clauses: vec![clause] };
    Spec { signature: Some(Arc::new(signature)), ..Spec::default() }
}

fn covering(input: Vec<Packed>, clauses: &[u32]) -> Covering {
    Covering { input, covered: clauses.iter().copied().collect(), end: End::Returned, run: 1 }
}

fn first_input() -> Vec<Packed> {
    let mut heap = Heap::new(Literals::default());
    let text = heap.binary(b"abc");
    let pair = heap.tuple(&[Value::atom(AtomId::intern("on")), Value::count(7)]);
    vec![Packed::pack(&heap, text), Packed::pack(&heap, pair)]
}

fn shown(input: &[Packed]) -> Vec<String> {
    input.iter().map(|arg| arg.open_with(term_to_string)).collect()
}

#[test]
fn what_is_made_of_an_input_is_within_the_spec() {
    let spec = spec();
    let mut trials = Trials::new(Words::default(), 0);
    trials.learn(&[covering(first_input(), &[1])], &[1]);
    let mut seen: FxHashSet<Vec<Packed>> = FxHashSet::default();
    for _ in 0..2_000 {
        if let Some(input) = trials.input(&spec, 2) {
            assert!(spec.admits(&input), "{:?}", shown(&input));
            seen.insert(input);
        }
    }
    assert!(seen.len() > 500);
    // A change at one place only: another alternative of a type, and bytes that were added.
    let mut heap = Heap::new(Literals::default());
    let off = heap.tuple(&[Value::atom(AtomId::intern("off")), Value::count(7)]);
    assert!(seen.contains(&vec![first_input()[0].clone(), Packed::pack(&heap, off)]));
    let grown = |input: &Vec<Packed>| {
        let (heap, root) = input[0].open();
        heap.as_bits(root)
            .is_some_and(|text| bits::to_bytes(&heap, text).strip_prefix(b"abc").is_some_and(|more| !more.is_empty()))
    };
    assert!(seen.iter().any(|input| grown(input) && input[1] == first_input()[1]));
}

#[test]
fn without_a_spec_all_kinds_of_terms_are_tried() {
    let spec = Spec::default();
    let mut trials = Trials::new(Words::default(), 0);
    let mut tags = crate::sym::Tags::NONE;
    for _ in 0..500 {
        let input = trials.input(&spec, 1).unwrap();
        let (heap, root) = input[0].open();
        tags = tags | crate::sym::lift::tags_of(&heap, root);
    }
    let wanted = [crate::sym::Tags::INT, crate::sym::Tags::ATOM, crate::sym::Tags::BITS, crate::sym::Tags::FLOAT];
    assert!(wanted.into_iter().all(|tag| tags.meets(tag)));
}

#[test]
fn only_inputs_that_enter_clauses_that_count_are_changed() {
    let mut trials = Trials::new(Words::default(), 0);
    let kept = [
        covering(first_input(), &[9]),
        covering(first_input(), &[1, 9]),
        covering(first_input(), &[1]),
        covering(first_input(), &[1, 2]),
    ];
    trials.learn(&kept[..2], &[1, 2]);
    assert_eq!(trials.pool.len(), 1);
    trials.learn(&kept, &[1, 2]);
    assert_eq!(trials.pool.len(), 2);
}

#[test]
fn workers_try_different_inputs() {
    let tried = |worker: u64| {
        let mut trials = Trials::new(Words::default(), worker);
        (0..20).filter_map(|_| trials.input(&spec(), 2)).map(|input| shown(&input)).collect::<Vec<_>>()
    };
    assert_eq!(tried(0), tried(0));
    assert_ne!(tried(0), tried(1));
}

#[test]
fn tries_in_vain_become_fewer_until_one_brings_something() {
    let mut trials = Trials::new(Words::default(), 0);
    assert_eq!(trials.share(32), 32);
    (0..3 * PATIENCE).for_each(|_| trials.note(false));
    assert_eq!(trials.share(32), 4);
    (0..100 * PATIENCE).for_each(|_| trials.note(false));
    assert_eq!(trials.share(32), 1);
    trials.note(true);
    assert_eq!(trials.share(32), 32);
}
