#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use proptest::prelude::*;

use super::super::AtomId;
use super::super::hash::hash;
use super::super::recipe::{Recipe, float, integer, recipe};
use super::super::{Heap, Literals};
use super::*;

fn heap() -> Heap {
    Heap::new(Literals::default())
}

fn build<const N: usize>(recipes: [&Recipe; N]) -> (Heap, [Value; N]) {
    let mut heap = heap();
    let values = recipes.map(|recipe| recipe.build(&mut heap));
    (heap, values)
}

/// A term and one that differs little from it, if at all.
fn nearby() -> impl Strategy<Value = (Recipe, Recipe)> {
    prop_oneof![
        (recipe(), recipe()),
        recipe().prop_map(|recipe| (recipe.clone(), recipe)),
        (recipe(), recipe(), recipe())
            .prop_map(|(a, b, c)| { (Recipe::Tuple(vec![a.clone(), b]), Recipe::Tuple(vec![a, c])) }),
        (integer(), float()).prop_map(|(i, float)| (Recipe::Int(i), Recipe::Float(float))),
    ]
}

proptest! {
    #[test]
    fn the_order_is_antisymmetric((a, b) in nearby()) {
        let (heap, [a, b]) = build([&a, &b]);
        prop_assert_eq!(compare(&heap, a, b), compare(&heap, b, a).reverse());
        prop_assert_eq!(compare_exact(&heap, a, b), compare_exact(&heap, b, a).reverse());
    }

    #[test]
    fn the_order_is_transitive(a in recipe(), (b, c) in nearby()) {
        let (heap, mut values) = build([&a, &b, &c]);
        for order in [compare, compare_exact] {
            values.sort_by(|a, b| order(&heap, *a, *b));
            let [a, b, c] = values;
            prop_assert!(order(&heap, a, b).is_le());
            prop_assert!(order(&heap, b, c).is_le());
            let expected = order(&heap, a, b).then(order(&heap, b, c));
            prop_assert_eq!(order(&heap, a, c), expected);
        }
    }

    #[test]
    fn numbers_are_ordered_transitively(i in integer(), j in integer(), x in float(), y in float()) {
        let recipes = [Recipe::Int(i), Recipe::Int(j), Recipe::Float(x), Recipe::Float(y)];
        let (heap, mut values) = build(recipes.each_ref());
        values.sort_by(|a, b| compare(&heap, *a, *b));
        for (low, a) in values.iter().enumerate() {
            for b in &values[low..] {
                prop_assert!(compare(&heap, *a, *b).is_le());
            }
        }
    }

    #[test]
    fn identical_terms_are_equal_and_have_the_same_hash((a, b) in nearby()) {
        let (heap, [a, b]) = build([&a, &b]);
        if identical(&heap, a, b) {
            prop_assert!(equal(&heap, a, b));
            prop_assert_eq!(hash(&heap, a), hash(&heap, b));
        }
        prop_assert_eq!(identical(&heap, a, b), compare_exact(&heap, a, b).is_eq());
    }

    #[test]
    fn a_copy_is_identical(recipe in recipe()) {
        let (heap, [a, b]) = build([&recipe, &recipe]);
        prop_assert!(identical(&heap, a, b));
        prop_assert_eq!(hash(&heap, a), hash(&heap, b));
    }
}

#[test]
fn types_are_ordered_as_the_manual_says() {
    let mut heap = heap();
    let node = b"\x77\x01n";
    let float = heap.float(0.5);
    let reference = heap.foreign(&[b"\x5a\0\x01", &node[..], &[0; 8]].concat());
    let closure = heap.closure_of(0, 0, &[]);
    let external = heap.external(AtomId::LISTS, AtomId::OK, 1);
    let port = heap.foreign(&[b"\x59", &node[..], &[0; 8]].concat());
    let pid = heap.foreign(&[b"\x58", &node[..], &[0; 12]].concat());
    let tuple = heap.tuple(&[]);
    let map = heap.map(&[]);
    let list = heap.list([Value::NIL], Value::NIL);
    let bits = heap.binary(&[]);
    let ascending = [
        Value::ZERO,
        float,
        Value::atom(AtomId::OK),
        Value::identifier(VirtualKind::Reference, 9),
        reference,
        closure,
        external,
        port,
        Value::identifier(VirtualKind::Pid, 9),
        pid,
        tuple,
        map,
        Value::NIL,
        list,
        bits,
    ];
    for (i, a) in ascending.iter().enumerate() {
        for (j, b) in ascending.iter().enumerate() {
            assert_eq!(compare(&heap, *a, *b), i.cmp(&j));
            assert_eq!(compare_exact(&heap, *a, *b), i.cmp(&j));
        }
    }
}

#[test]
fn integers_and_floats_are_compared_without_rounding() {
    let mut heap = heap();
    let limit = heap.float(9_007_199_254_740_992.0);
    for (off, expected) in [(-1, Ordering::Less), (0, Ordering::Equal), (1, Ordering::Greater)] {
        let integer = heap.int((1 << 53) + off);
        assert_eq!(compare(&heap, integer, limit), expected);
    }
    let huge = heap.bigint(&((BigInt::from(1) << 1023) + 1));
    let float = heap.float(2_f64.powi(1023));
    assert_eq!(compare(&heap, huge, float), Ordering::Greater);
    let (one, half) = (Value::count(1), heap.float(1.5));
    assert_eq!(compare(&heap, one, half), Ordering::Less);
    let (minus_one, minus_half) = (heap.int(-1), heap.float(-1.5));
    assert_eq!(compare(&heap, minus_one, minus_half), Ordering::Greater);
}

#[test]
fn one_equals_one_point_zero_but_is_not_identical_to_it() {
    let mut heap = heap();
    let (one, float) = (Value::count(1), heap.float(1.0));
    let (a, b) = (heap.tuple(&[one]), heap.tuple(&[float]));
    assert!(equal(&heap, a, b) && !identical(&heap, a, b));
    let (m, n) = (heap.map(&[(one, one)]), heap.map(&[(one, float)]));
    assert!(equal(&heap, m, n) && !identical(&heap, m, n));
    let k = heap.map(&[(float, one)]);
    assert_eq!(compare(&heap, m, k), Ordering::Less, "keys are compared exactly");
}

#[test]
fn the_keys_of_maps_are_compared_before_their_values() {
    let mut heap = heap();
    let [one, two, three] = [1, 2, 3].map(Value::count);
    let a = heap.map(&[(one, three), (two, one)]);
    let b = heap.map(&[(one, one), (three, one)]);
    assert_eq!(compare(&heap, a, b), Ordering::Less);
}

#[test]
fn both_zeros_are_identical_and_have_the_same_hash() {
    let mut heap = heap();
    let (zero, minus) = (heap.float(0.0), heap.float(-0.0));
    assert!(identical(&heap, zero, minus));
    assert_eq!(hash(&heap, zero), hash(&heap, minus));
}

#[test]
fn a_pid_is_the_same_whichever_tag_it_was_written_with() {
    let mut heap = heap();
    let old = heap.foreign(b"\x67\x77\x01n\0\0\0\x07\0\0\0\0\x02");
    let new = heap.foreign(b"\x58\x77\x01n\0\0\0\x07\0\0\0\0\0\0\0\x02");
    assert!(identical(&heap, old, new));
    assert_eq!(hash(&heap, old), hash(&heap, new));
}

#[test]
fn millions_of_nested_terms_are_compared_without_recursion() {
    let mut heap = heap();
    let mut nested = |last: usize| {
        let mut value = Value::count(last);
        for level in 0..2_000_000 {
            value = if level % 2 == 0 { heap.tuple(&[value]) } else { heap.cons(value, Value::NIL) };
        }
        value
    };
    let [a, b, c] = [1, 1, 2].map(&mut nested);
    assert!(identical(&heap, a, b));
    assert_eq!(compare(&heap, a, c), Ordering::Less);
    assert_eq!(hash(&heap, a), hash(&heap, b));
}
