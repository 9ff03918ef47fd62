//! Generated terms for the tests of this folder: a plan of a term, apart from any heap.
//!
//! Numbers, atoms and keys come from small pools next to the large ones, so that equal and nearly equal terms are common.

use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};

use super::order::{compare_exact, identical};
use super::{AtomId, Bits, Heap, Value};
use crate::sym::SymId;

#[derive(Clone, Debug)]
pub enum Recipe {
    Int(BigInt),
    Float(f64),
    Atom(String),
    Nil,
    List(Vec<Recipe>, Box<Recipe>),
    Tuple(Vec<Recipe>),
    Map(Vec<(Recipe, Recipe)>),
    /// The bytes, and how many bits to leave out at the start and at the end.
    Bits(Vec<u8>, usize, usize),
    External(String, u8),
    Foreign(Vec<u8>),
    Symbolic(Box<Recipe>),
}

impl Recipe {
    pub fn build(&self, heap: &mut Heap) -> Value {
        match self {
            Recipe::Int(i) => heap.bigint(i),
            Recipe::Float(float) => heap.float(*float),
            Recipe::Atom(name) => Value::atom(AtomId::intern(name)),
            Recipe::Nil => Value::NIL,
            Recipe::List(elements, tail) => {
                let elements = build_all(elements, heap);
                let tail = tail.build(heap);
                heap.list(elements, tail)
            }
            Recipe::Tuple(elements) => {
                let elements = build_all(elements, heap);
                heap.tuple(&elements)
            }
            Recipe::Map(pairs) => build_map(pairs, heap),
            Recipe::Bits(bytes, before, after) => {
                let base = heap.bytes(bytes);
                let length = (8 * bytes.len()).saturating_sub(before + after);
                heap.bits(Bits { base, offset: if length == 0 { 0 } else { *before }, length })
            }
            Recipe::External(name, arity) => {
                let name = AtomId::intern(name);
                heap.external(AtomId::LISTS, name, usize::from(*arity))
            }
            Recipe::Foreign(bytes) => heap.foreign(bytes),
            Recipe::Symbolic(inner) => {
                let value = inner.build(heap);
                heap.symbolic(value, SymId::from_number(0))
            }
        }
    }
}

fn build_all(recipes: &[Recipe], heap: &mut Heap) -> Vec<Value> {
    recipes.iter().map(|recipe| recipe.build(heap)).collect()
}

/// Of the pairs with the same key, the first one counts.
fn build_map(pairs: &[(Recipe, Recipe)], heap: &mut Heap) -> Value {
    let mut built: Vec<(Value, Value)> =
        pairs.iter().map(|(key, value)| (key.build(heap), value.build(heap))).collect();
    built.sort_by(|a, b| compare_exact(heap, a.0, b.0));
    built.dedup_by(|a, b| identical(heap, a.0, b.0));
    heap.map(&built)
}

pub fn recipe() -> BoxedStrategy<Recipe> {
    leaf()
        .prop_recursive(4, 48, 6, |inner| {
            let pairs = vec((inner.clone(), inner.clone()), 0..5);
            prop_oneof![
                4 => vec(inner.clone(), 0..6).prop_map(|l| Recipe::List(l, Box::new(Recipe::Nil))),
                1 => (vec(inner.clone(), 1..4), inner.clone())
                    .prop_map(|(list, tail)| Recipe::List(list, Box::new(tail))),
                4 => vec(inner.clone(), 0..5).prop_map(Recipe::Tuple),
                3 => pairs.prop_map(Recipe::Map),
                1 => inner.prop_map(|recipe| Recipe::Symbolic(Box::new(recipe))),
            ]
        })
        .boxed()
}

fn leaf() -> BoxedStrategy<Recipe> {
    prop_oneof![
        4 => integer().prop_map(Recipe::Int),
        3 => float().prop_map(Recipe::Float),
        2 => prop_oneof![Just("a"), Just("b"), Just("ab"), Just(""), Just("ñ"), Just("日本")]
            .prop_map(|name| Recipe::Atom(name.to_string())),
        1 => "\\PC{0,8}".prop_map(Recipe::Atom),
        1 => Just(Recipe::Nil),
        2 => (vec(any::<u8>(), 0..20), 0..13_usize, 0..13_usize)
            .prop_map(|(bytes, before, after)| Recipe::Bits(bytes, before, after)),
        1 => vec(0..2_u8, 0..3).prop_map(|bytes| Recipe::Bits(bytes, 0, 0)),
        1 => ("[a-c]", 0..3_u8).prop_map(|(name, arity)| Recipe::External(name, arity)),
        1 => foreign().prop_map(Recipe::Foreign),
    ]
    .boxed()
}

pub fn integer() -> BoxedStrategy<BigInt> {
    let near_power = (0..80_u32, -2..3_i64, any::<bool>()).prop_map(|(power, off, negative)| {
        let i = (BigInt::from(1) << power) + off;
        if negative { -i } else { i }
    });
    prop_oneof![
        (-3..4_i64).prop_map(BigInt::from),
        (0..256_i64).prop_map(BigInt::from),
        any::<i64>().prop_map(BigInt::from),
        near_power,
        vec(any::<u8>(), 0..300).prop_map(|bytes| BigInt::from_signed_bytes_le(&bytes)),
    ]
    .boxed()
}

pub fn float() -> BoxedStrategy<f64> {
    let near_power = (0..80_i32, -2..3_i32, any::<bool>()).prop_map(|(power, off, negative)| {
        let float = 2_f64.powi(power) + f64::from(off);
        if negative { -float } else { float }
    });
    let any_finite = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |float| float.is_finite());
    prop_oneof![
        (-3..4_i32).prop_map(f64::from),
        (-6..7_i32).prop_map(|halves| f64::from(halves) / 2.0),
        Just(-0.0),
        near_power,
        any_finite,
    ]
    .boxed()
}

fn foreign() -> BoxedStrategy<Vec<u8>> {
    const NODE: &[u8] = b"\x77\x0dnonode@nohost";
    let number = |tag: u8, before: &'static [u8], fields: usize| {
        vec(0..3_u8, fields).prop_map(move |fields| [&[tag], before, NODE, &fields].concat())
    };
    prop_oneof![
        number(88, &[], 12),
        number(103, &[], 9),
        number(89, &[], 8),
        number(120, &[], 12),
        number(90, &[0, 2], 12),
        number(101, &[], 5),
    ]
    .boxed()
}
