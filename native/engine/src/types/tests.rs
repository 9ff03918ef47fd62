#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::inhabitant::{Identifiers, smallest};
use super::member::is_member;
use super::repair::repaired;
use super::*;
use crate::term::{Heap, Literals, Value, etf, order};

const INT: TypeId = TypeId(1);
const LIST: TypeId = TypeId(3);
const EXPR: TypeId = TypeId(8);

fn atom(name: &str) -> AtomId {
    AtomId::intern(name)
}

/// `integer()`, `[integer()]` and `expr() :: {num, integer()} | {add, expr(), expr()}`.
fn table() -> Types {
    Types::new(vec![
        Node::Any,
        Node::Integer { low: None, high: None },
        Node::Nil,
        Node::Union(vec![TypeId(2), TypeId(4)]),
        Node::Cons(INT, LIST),
        Node::Atom(atom("num")),
        Node::Atom(atom("add")),
        Node::Tuple(vec![TypeId(5), INT]),
        Node::Union(vec![TypeId(9), TypeId(7)]),
        Node::Tuple(vec![TypeId(6), EXPR, EXPR]),
    ])
}

fn heap() -> Heap {
    Heap::new(Literals::default())
}

fn num(heap: &mut Heap, int: Value) -> Value {
    heap.tuple(&[Value::atom(atom("num")), int])
}

fn add(heap: &mut Heap, a: Value, b: Value) -> Value {
    heap.tuple(&[Value::atom(atom("add")), a, b])
}

#[test]
fn lists_of_integers_are_told_from_other_terms() {
    let (types, mut heap) = (table(), heap());
    let proper = heap.list([Value::count(1), Value::count(2)], Value::NIL);
    let improper = heap.list([Value::count(1)], Value::count(2));
    let wrong = heap.list([Value::NIL], Value::NIL);
    assert!(is_member(&types, &heap, proper, LIST));
    assert!(is_member(&types, &heap, Value::NIL, LIST));
    assert!(!is_member(&types, &heap, improper, LIST));
    assert!(!is_member(&types, &heap, wrong, LIST));
}

#[test]
fn a_million_elements_and_a_million_levels_are_walked_without_recursion() {
    let (types, mut heap) = (table(), heap());
    let long = heap.list(std::iter::repeat_n(Value::ZERO, 1_000_000), Value::NIL);
    assert!(is_member(&types, &heap, long, LIST));
    let leaf = num(&mut heap, Value::ZERO);
    let mut deep = leaf;
    for _ in 0..1_000_000 {
        deep = add(&mut heap, leaf, deep);
    }
    assert!(is_member(&types, &heap, deep, EXPR));
}

#[test]
fn shared_parts_are_walked_once() {
    let (types, mut heap) = (table(), heap());
    for (leaf, fits) in [(Value::ZERO, true), (Value::NIL, false)] {
        let leaf = num(&mut heap, leaf);
        let huge = (0..100).fold(leaf, |part, _| add(&mut heap, part, part));
        assert_eq!(is_member(&types, &heap, huge, EXPR), fits);
    }
}

#[test]
fn maps_that_are_keys_of_maps_are_walked_without_recursion() {
    // t() :: integer() | #{t() => integer()}
    let optional = Association { presence: Presence::Optional, key: TypeId(2), value: TypeId(0) };
    let int = Node::Integer { low: None, high: None };
    let types = Types::new(vec![int, Node::Map(vec![optional]), Node::Union(vec![TypeId(0), TypeId(1)])]);
    let mut heap = heap();
    let (mut good, mut bad) = (Value::ZERO, Value::NIL);
    for _ in 0..200_000 {
        good = heap.map(&[(good, Value::ZERO)]);
        bad = heap.map(&[(bad, Value::ZERO)]);
    }
    assert!(is_member(&types, &heap, good, TypeId(2)));
    assert!(!is_member(&types, &heap, bad, TypeId(2)));
}

#[test]
fn a_key_belongs_to_the_first_association_that_it_fits() {
    let (any, zero) = (Node::Any, Node::Integer { low: Some(0.into()), high: Some(0.into()) });
    let first = Association { presence: Presence::Mandatory, key: TypeId(1), value: TypeId(1) };
    let rest = Association { presence: Presence::Optional, key: TypeId(0), value: TypeId(0) };
    let types = Types::new(vec![any, zero, Node::Map(vec![first, rest])]);
    let mut heap = heap();
    let good = heap.map(&[(Value::ZERO, Value::ZERO), (Value::NIL, Value::NIL)]);
    let wrong = heap.map(&[(Value::ZERO, Value::NIL)]);
    let incomplete = heap.map(&[(Value::NIL, Value::NIL)]);
    assert!(is_member(&types, &heap, good, TypeId(2)));
    assert!(!is_member(&types, &heap, wrong, TypeId(2)));
    assert!(!is_member(&types, &heap, incomplete, TypeId(2)));
}

#[test]
fn the_smallest_term_of_a_recursive_type_ends_the_recursion() {
    let (types, mut heap) = (table(), heap());
    let value = smallest(&types, &mut heap, EXPR, Identifiers::default()).unwrap();
    assert_eq!(heap.element(value, 0), Value::atom(atom("num")));
    let endless = Types::new(vec![Node::Tuple(vec![TypeId(0)])]);
    assert!(smallest(&endless, &mut heap, TypeId(0), Identifiers::default()).is_none());
}

#[test]
fn what_fits_is_kept_in_a_repaired_term() {
    let (types, mut heap) = (table(), heap());
    let good = num(&mut heap, Value::count(7));
    let term = add(&mut heap, good, Value::NIL);
    let value = repaired(&types, &mut heap, term, EXPR, Identifiers::default()).unwrap();
    assert!(is_member(&types, &heap, value, EXPR));
    assert!(order::identical(&heap, heap.element(value, 1), good));
}

/// `#{kind := round, radius := 1..9} | #{kind := edgy, name := string()} | [{text, string()} | {file, <<>>}]`
fn shapes() -> (Types, TypeId) {
    let must =
        |key: u32, value: u32| Association { presence: Presence::Mandatory, key: TypeId(key), value: TypeId(value) };
    let atoms = ["kind", "radius", "name", "round", "edgy", "text", "file"];
    let mut nodes: Vec<Node> = atoms.iter().map(|name| Node::Atom(atom(name))).collect();
    nodes.extend([
        Node::Integer { low: Some(1.into()), high: Some(9.into()) },
        Node::Nil,
        Node::Cons(TypeId(7), TypeId(10)),
        Node::Union(vec![TypeId(8), TypeId(9)]),
        Node::Bits { size: 0, unit: 0 },
        Node::Tuple(vec![TypeId(6), TypeId(11)]),
        Node::Tuple(vec![TypeId(5), TypeId(10)]),
        Node::Map(vec![must(0, 3), must(1, 7)]),
        Node::Map(vec![must(0, 4), must(2, 10)]),
        Node::Union(vec![TypeId(12), TypeId(13), TypeId(14), TypeId(15)]),
    ]);
    (Types::new(nodes), TypeId(16))
}

#[test]
fn what_tells_alternatives_apart_is_kept_in_a_repaired_term() {
    let ((types, shape), mut heap) = (shapes(), heap());
    let value = |name: &str| Value::atom(atom(name));
    let empty = heap.binary(&[]);
    let tuple = heap.tuple(&[value("text"), empty]);
    let repaired_tuple = repaired(&types, &mut heap, tuple, shape, Identifiers::default()).unwrap();
    assert!(is_member(&types, &heap, repaired_tuple, shape));
    assert_eq!(heap.element(repaired_tuple, 0), value("text"));
    let half = heap.map(&[(value("kind"), value("edgy"))]);
    let half = repaired(&types, &mut heap, half, shape, Identifiers::default()).unwrap();
    assert!(is_member(&types, &heap, half, TypeId(15)));
    let wrong = heap.map(&[(value("radius"), Value::count(5)), (value("other"), Value::NIL)]);
    let wrong = repaired(&types, &mut heap, wrong, shape, Identifiers::default()).unwrap();
    assert!(is_member(&types, &heap, wrong, TypeId(14)));
}

#[test]
fn a_repaired_map_keeps_its_size() {
    // #{1..3 => integer(), {integer()} => integer()}
    let may = |key: u32| Association { presence: Presence::Optional, key: TypeId(key), value: TypeId(0) };
    let int = Node::Integer { low: None, high: None };
    let few = Node::Integer { low: Some(1.into()), high: Some(3.into()) };
    let types = Types::new(vec![int, few, Node::Tuple(vec![TypeId(0)]), Node::Map(vec![may(1), may(2)])]);
    let mut heap = heap();
    let pairs: Vec<(Value, Value)> = (0..9).map(|key| (Value::count(key), Value::ZERO)).collect();
    let map = heap.map(&pairs);
    let map = repaired(&types, &mut heap, map, TypeId(3), Identifiers::default()).unwrap();
    assert!(is_member(&types, &heap, map, TypeId(3)));
    assert_eq!(crate::term::map::Map::of(&heap, map).unwrap().size, 9);
}

#[test]
fn a_mandatory_key_is_one_that_no_association_before_has() {
    // #{a => integer(), atom() := integer()}
    let item = |presence: Presence, key: u32| Association { presence, key: TypeId(key), value: TypeId(0) };
    let int = Node::Integer { low: None, high: None };
    let map = Node::Map(vec![item(Presence::Optional, 1), item(Presence::Mandatory, 2)]);
    let types = Types::new(vec![int, Node::Atom(atom("a")), Node::AnyAtom, map]);
    let mut heap = heap();
    let value = smallest(&types, &mut heap, TypeId(3), Identifiers::default()).unwrap();
    assert!(is_member(&types, &heap, value, TypeId(3)));
}

#[test]
fn a_signature_that_is_none_is_refused() {
    let mut heap = heap();
    let root = etf::decode(&mut heap, &[131, 106]).unwrap();
    assert!(read::signature(&heap, root).is_err());
}
