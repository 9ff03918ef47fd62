#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use rustc_hash::FxHashSet;

use super::*;
use crate::term::{Literals, View};
use crate::types::Association;

/// Numbers that go up: every alternative comes up soon.
struct Counting(usize);

impl Dice for Counting {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}

const TURNS: usize = 2_000;

/// Terms of the last type of a table, each looked at.
fn samples(nodes: Vec<Node>, words: &Words, look: &mut dyn FnMut(&Heap, Value)) {
    let id = TypeId(nodes.len() as u32 - 1);
    let types = Types::new(nodes);
    let mut dice = Counting(1);
    for _ in 0..TURNS {
        let mut heap = Heap::new(Literals::default());
        let known = Identifiers::default();
        let value = Sampler { types: &types, words, known, dice: &mut dice }.sample(&mut heap, id).unwrap();
        assert!(is_member(&types, &heap, value, id));
        look(&heap, value);
    }
}

fn integers(low: Option<i64>, high: Option<i64>, words: &Words) -> FxHashSet<BigInt> {
    let mut found = FxHashSet::default();
    let node = Node::Integer { low: low.map(BigInt::from), high: high.map(BigInt::from) };
    samples(vec![node], words, &mut |heap, value| {
        found.insert(heap.integer(value).unwrap());
    });
    found
}

#[test]
fn integers_keep_their_bounds_and_use_them_up() {
    let few = integers(Some(3), Some(5), &Words::default());
    assert_eq!(few, [3, 4, 5].map(BigInt::from).into_iter().collect());
    let below = integers(None, Some(-7), &Words::default());
    assert!(below.contains(&BigInt::from(-7)) && below.iter().any(|int| *int < BigInt::from(-1_000_000)));
}

#[test]
fn integers_of_the_code_come_up_with_their_neighbours() {
    let words = Words { integers: vec![BigInt::from(719_528)], ..Words::default() };
    let found = integers(None, None, &words);
    assert!([719_527, 719_528, 719_529].iter().all(|int| found.contains(&BigInt::from(*int))));
    assert!(!integers(None, None, &Words::default()).contains(&BigInt::from(719_528)));
}

#[test]
fn all_alternatives_of_nested_unions_come_up() {
    let atoms = ["a", "b", "c"].map(|name| Node::Atom(AtomId::intern(name)));
    let mut nodes = atoms.to_vec();
    nodes.push(Node::Union(vec![TypeId(0), TypeId(1)]));
    nodes.push(Node::Union(vec![TypeId(2), TypeId(3)]));
    let mut found = FxHashSet::default();
    samples(nodes, &Words::default(), &mut |_, value| {
        found.insert(value.as_atom());
    });
    assert_eq!(found.len(), 3);
}

#[test]
fn lists_have_all_lengths_and_an_end() {
    let nodes = vec![
        Node::Integer { low: None, high: None },
        Node::Nil,
        Node::Cons(TypeId(0), TypeId(3)),
        Node::Union(vec![TypeId(1), TypeId(2)]),
    ];
    let mut lengths = FxHashSet::default();
    samples(nodes, &Words::default(), &mut |heap, value| {
        let (mut length, mut rest) = (0, value);
        while rest.is_cons() {
            rest = heap.tail(rest);
            length += 1;
        }
        lengths.insert(length);
    });
    assert!((0..8).all(|length| lengths.contains(&length)));
    assert!(lengths.iter().all(|length| *length <= PARTS));
}

#[test]
fn trees_that_branch_have_an_end() {
    let nodes =
        vec![Node::Nil, Node::Tuple(vec![TypeId(2), TypeId(2), TypeId(2)]), Node::Union(vec![TypeId(0), TypeId(1)])];
    samples(nodes, &Words::default(), &mut |_, _| {});
}

#[test]
fn bitstrings_have_the_sizes_of_their_type() {
    let mut sizes = FxHashSet::default();
    samples(vec![Node::Bits { size: 3, unit: 8 }], &Words::default(), &mut |heap, value| {
        sizes.insert(heap.bits_of(value).length);
    });
    assert!(sizes.len() > 3 && sizes.iter().all(|size| size % 8 == 3));
}

#[test]
fn maps_have_their_mandatory_keys_and_sometimes_others() {
    let association = |presence, key| Association { presence, key: TypeId(key), value: TypeId(2) };
    let nodes = vec![
        Node::Atom(AtomId::intern("must")),
        Node::Atom(AtomId::intern("may")),
        Node::Integer { low: None, high: None },
        Node::Map(vec![association(Presence::Mandatory, 0), association(Presence::Optional, 1)]),
    ];
    let mut sizes = FxHashSet::default();
    samples(nodes, &Words::default(), &mut |heap, value| {
        let View::Map(_, size) = heap.view(value) else { return };
        sizes.insert(size);
    });
    assert_eq!(sizes, [1, 2].into_iter().collect());
}

#[test]
fn a_type_without_terms_gives_none() {
    let types = Types::new(vec![Node::None]);
    let words = Words::default();
    let mut sampler = Sampler { types: &types, words: &words, known: Identifiers::default(), dice: &mut Counting(1) };
    assert!(sampler.sample(&mut Heap::new(Literals::default()), TypeId(0)).is_none());
}
