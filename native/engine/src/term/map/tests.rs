#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::hash::hash;
use super::super::order::{compare, equal};
use super::super::recipe::recipe;
use super::super::{Literals, Packed, etf, term_to_string};
use super::*;

fn heap() -> Heap {
    Heap::new(Literals::default())
}

fn numbers(heap: &mut Heap, keys: impl Iterator<Item = usize>) -> Value {
    let pairs = keys.map(|key| (Value::count(key), Value::count(key + 1))).collect();
    from_pairs(heap, pairs, false)
}

fn open(heap: &Heap, value: Value) -> Map {
    Map::of(heap, value).unwrap()
}

/// Puts (true) and removes (false) of small integers, of which there are more than a small map holds.
fn changes() -> impl Strategy<Value = Vec<(bool, usize, usize)>> {
    vec((prop::bool::weighted(0.6), 0..200_usize, 0..3_usize), 0..600)
}

proptest! {
    #[test]
    fn a_map_behaves_like_a_reference_and_has_one_form(changes in changes()) {
        let mut heap = heap();
        let mut reference = BTreeMap::new();
        let mut map = heap.map(&[]);
        for (put_it, key, value) in changes {
            let opened = open(&heap, map);
            if put_it {
                reference.insert(key, value);
                map = put(&mut heap, opened, (Value::count(key), Value::count(value)), false);
            } else {
                reference.remove(&key);
                map = remove(&mut heap, opened, Value::count(key));
            }
            prop_assert_eq!(open(&heap, map).size, reference.len());
        }
        let pairs: Vec<Pair> = reference.iter().map(|(k, v)| (Value::count(*k), Value::count(*v))).collect();
        let opened = open(&heap, map);
        prop_assert_eq!(&sorted(&heap, opened), &pairs);
        for key in 0..200 {
            let expected = reference.get(&key).map(|value| Value::count(*value));
            prop_assert_eq!(get(&heap, opened, Value::count(key)), expected);
        }
        let built = from_sorted(&mut heap, &pairs, false);
        prop_assert!(identical(&heap, map, built));
        prop_assert_eq!(Packed::pack(&heap, map), Packed::pack(&heap, built));
        prop_assert_eq!(hash(&heap, map), hash(&heap, built));
    }

    #[test]
    fn keys_of_any_type_are_found(recipes in vec(recipe(), 0..80), others in vec(recipe(), 0..20)) {
        let mut heap = heap();
        let pairs: Vec<Pair> =
            recipes.iter().enumerate().map(|(index, recipe)| (recipe.build(&mut heap), Value::count(index))).collect();
        let value = from_pairs(&mut heap, pairs.clone(), true);
        let map = open(&heap, value);
        for (key, _) in &pairs {
            let last = pairs.iter().rev().find(|(other, _)| identical(&heap, *key, *other)).unwrap().1;
            prop_assert_eq!(get(&heap, map, *key), Some(last));
        }
        for recipe in others {
            let key = recipe.build(&mut heap);
            let known = pairs.iter().any(|(other, _)| identical(&heap, key, *other));
            prop_assert_eq!(find(&heap, map, key).is_some(), known);
        }
        let one_by_one = pairs.iter().fold(heap.map(&[]), |value, pair| {
            let map = open(&heap, value);
            put(&mut heap, map, *pair, true)
        });
        prop_assert!(identical(&heap, value, one_by_one));
    }
}

#[test]
fn the_size_decides_on_the_layout_up_and_down() {
    let mut heap = heap();
    let mut map = numbers(&mut heap, 0..SMALL);
    assert_eq!(heap.header(map).kind(), BoxKind::Map);
    for key in SMALL..SMALL + 3 {
        let opened = open(&heap, map);
        map = put(&mut heap, opened, (Value::count(key), Value::NIL), false);
        assert_eq!(heap.header(map).kind(), BoxKind::HashMap);
    }
    for key in 0..3 {
        let opened = open(&heap, map);
        map = remove(&mut heap, opened, Value::count(key));
    }
    assert_eq!(heap.header(map).kind(), BoxKind::Map);
    assert_eq!(open(&heap, map).size, SMALL);
}

#[test]
fn large_maps_are_ordered_by_size_then_keys_then_values() {
    let mut heap = heap();
    let small = numbers(&mut heap, 0..100);
    let large = numbers(&mut heap, 1000..1101);
    assert!(compare(&heap, small, large).is_lt());
    // 0 to 99 without 50 but with 200 has the greater key where they first differ.
    let other = numbers(&mut heap, (0..50).chain(51..100).chain([200]));
    assert!(compare(&heap, small, other).is_lt());
    assert!(compare(&heap, other, small).is_gt());
    let opened = open(&heap, small);
    let changed = put(&mut heap, opened, (Value::count(7), Value::count(7)), false);
    let opened = open(&heap, changed);
    let changed = put(&mut heap, opened, (Value::count(90), Value::NIL), false);
    assert!(compare(&heap, changed, small).is_lt(), "the value of the lower key decides");
    let one = heap.float(8.0);
    let opened = open(&heap, small);
    let float = put(&mut heap, opened, (Value::count(7), one), false);
    assert!(equal(&heap, float, small));
    assert!(!identical(&heap, float, small));
}

#[test]
fn a_large_map_survives_collection_and_the_external_format() {
    let mut heap = heap();
    let map = numbers(&mut heap, 0..10_000);
    let mut roots = [map];
    heap.collect(&mut [&mut roots]);
    let [map] = roots;
    let opened = open(&heap, map);
    assert!((0..10_000).all(|key| get(&heap, opened, Value::count(key)) == Some(Value::count(key + 1))));
    let bytes = etf::encode(&heap, map).unwrap();
    let copy = etf::decode(&mut heap, &bytes).unwrap();
    assert!(identical(&heap, map, copy));
    assert!(term_to_string(&heap, map).starts_with("#{0 => 1,1 => 2,2 => 3,"));
}

#[test]
fn a_packed_map_forgets_that_its_keys_had_expressions() {
    let mut heap = heap();
    let key = heap.symbolic(Value::count(1), crate::sym::SymId::from_number(0));
    let empty = heap.map(&[]);
    let opened = open(&heap, empty);
    let map = put(&mut heap, opened, (key, Value::NIL), true);
    assert!(open(&heap, map).symbolic);
    let (other, copy) = Packed::pack(&heap, map).open();
    assert!(!open(&other, copy).symbolic);
}

/// Pairs of integers with the same hash: it is linear in both.
fn colliding(heap: &mut Heap, count: usize) -> Vec<Value> {
    const FACTOR: u64 = 0xf135_7aea_2e62_a9c5;
    let step = FACTOR.wrapping_mul(FACTOR).wrapping_neg();
    (0_i64..)
        .filter_map(|i| {
            let second = Value::small((i as u64).wrapping_mul(step) as i64)?;
            Some([Value::small(i)?, second])
        })
        .take(count)
        .map(|pair| heap.tuple(&pair))
        .collect()
}

#[test]
fn keys_with_the_same_hash_are_told_apart() {
    let mut heap = heap();
    let keys = colliding(&mut heap, 50);
    assert!(keys.iter().all(|key| hash(&heap, *key) == hash(&heap, keys[0])), "the hash function has changed");
    let pairs: Vec<Pair> = keys.iter().enumerate().map(|(index, key)| (*key, Value::count(index))).collect();
    let all = from_pairs(&mut heap, pairs.clone(), false);
    let mut map = heap.map(&[]);
    for pair in pairs.iter().rev() {
        let opened = open(&heap, map);
        map = put(&mut heap, opened, *pair, false);
    }
    assert!(identical(&heap, all, map));
    assert_eq!(Packed::pack(&heap, all).size(), Packed::pack(&heap, map).size());
    for (removed, (key, value)) in pairs.iter().enumerate() {
        let opened = open(&heap, map);
        assert_eq!(get(&heap, opened, *key), Some(*value));
        map = remove(&mut heap, opened, *key);
        assert_eq!(find(&heap, open(&heap, map), *key), None);
        assert_eq!(open(&heap, map).size, 49 - removed);
        let rest = from_pairs(&mut heap, pairs[removed + 1..].to_vec(), false);
        assert!(identical(&heap, map, rest));
    }
    let mixed = numbers(&mut heap, 0..40);
    let opened = open(&heap, mixed);
    let two = put_all(&mut heap, opened, pairs[..2].to_vec(), false);
    let opened = open(&heap, two);
    let one = remove(&mut heap, opened, keys[0]);
    let opened = open(&heap, one);
    assert_eq!(get(&heap, opened, keys[1]), Some(Value::count(1)));
    let none = remove(&mut heap, opened, keys[1]);
    assert_eq!(Packed::pack(&heap, none), Packed::pack(&heap, mixed), "the form follows from the content");
}
