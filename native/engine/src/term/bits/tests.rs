#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use proptest::prelude::*;

use super::super::{Literals, View};
use super::*;

fn heap() -> Heap {
    Heap::new(Literals::default())
}

fn bits_of(heap: &Heap, value: Value) -> Bits {
    match heap.view(value) {
        View::Bits(bits) => bits,
        other => panic!("not a bitstring: {other:?}"),
    }
}

/// One bit at a time: the model.
fn model(heap: &Heap, bits: Bits) -> Vec<bool> {
    (bits.offset..bits.offset + bits.length).map(|at| heap.byte(bits.base, at / 8) >> (7 - at % 8) & 1 == 1).collect()
}

fn stretch(heap: &mut Heap, (bytes, before, after): &(Vec<u8>, usize, usize)) -> Bits {
    let base = heap.bytes(bytes);
    let length = (8 * bytes.len()).saturating_sub(before + after);
    Bits { base, offset: if length == 0 { 0 } else { *before }, length }
}

fn stretches() -> impl Strategy<Value = (Vec<u8>, usize, usize)> {
    (prop::collection::vec(any::<u8>(), 0..40), 0..70_usize, 0..70_usize)
}

proptest! {
    #[test]
    fn bytes_are_those_of_the_model(plan in stretches()) {
        let mut heap = heap();
        let bits = stretch(&mut heap, &plan);
        let bytes = to_bytes(&heap, bits);
        let copy = heap.bytes(&bytes);
        prop_assert_eq!(bytes.len(), bits.length.div_ceil(8));
        let copied = Bits { base: copy, offset: 0, length: bits.length };
        prop_assert_eq!(model(&heap, copied), model(&heap, bits));
        for (index, expected) in bytes.iter().enumerate() {
            prop_assert_eq!(byte(&heap, bits, index), *expected);
        }
    }

    #[test]
    fn strings_compare_as_their_bits_do(a in stretches(), b in stretches(), same: bool) {
        let mut heap = heap();
        let a = stretch(&mut heap, &a);
        let b = if same { sub(a, 0, a.length / 2).unwrap() } else { stretch(&mut heap, &b) };
        prop_assert_eq!(compare(&heap, a, b), model(&heap, a).cmp(&model(&heap, b)));
    }

    #[test]
    fn appending_joins_the_bits(a in stretches(), b in stretches(), c in stretches()) {
        let mut heap = heap();
        let [a, b, c] = [a, b, c].map(|plan| stretch(&mut heap, &plan));
        let ab = append(&mut heap, a, b);
        let ab = bits_of(&heap, ab);
        let abc = append(&mut heap, ab, c);
        let abc = bits_of(&heap, abc);
        let joined = [a, b, c].map(|bits| model(&heap, bits)).concat();
        prop_assert_eq!(model(&heap, abc), joined);
        let middle = sub(abc, a.length, b.length).unwrap();
        prop_assert!(compare(&heap, middle, b).is_eq());
    }

    #[test]
    fn integers_are_read_as_they_were_written(
        before in 0..70_usize, number: i128, small: i64, count in 0..140_usize, little: bool,
    ) {
        let endian = if little { Endian::Little } else { Endian::Big };
        for number in [BigInt::from(number), BigInt::from(small)] {
            let mut heap = heap();
            let mut writer = BitWriter::new();
            writer.push_small(-1, before, Endian::Big);
            writer.push_integer(&number, count, endian);
            writer.push_small(-1, 3, Endian::Big);
            prop_assert_eq!(writer.length(), before + count + 3);
            let whole = writer.finish(&mut heap);
            let bits = sub(bits_of(&heap, whole), before, count).unwrap();
            let modulus = BigInt::from(1) << count;
            let unsigned = ((&number % &modulus) + &modulus) % &modulus;
            let signed = integer(&heap, bits, endian, true);
            prop_assert_eq!(integer(&heap, bits, endian, false), unsigned);
            prop_assert_eq!((&signed - &number) % &modulus, BigInt::from(0));
            prop_assert!(signed.bits() <= count as u64);
        }
    }

    #[test]
    fn small_and_big_integers_are_written_alike(
        number: i64, before in 0..9_usize, count in 0..140_usize, little: bool,
    ) {
        let endian = if little { Endian::Little } else { Endian::Big };
        let mut heap = heap();
        let [a, b] = [true, false].map(|small| {
            let mut writer = BitWriter::new();
            writer.push_small(0, before, endian);
            match small {
                true => writer.push_small(number, count, endian),
                false => writer.push_integer(&BigInt::from(number), count, endian),
            }
            let value = writer.finish(&mut heap);
            bits_of(&heap, value)
        });
        prop_assert_eq!(model(&heap, a), model(&heap, b));
    }
}

#[test]
fn the_last_bits_of_a_little_endian_integer_are_its_highest() {
    let mut heap = heap();
    let mut writer = BitWriter::new();
    writer.push_small(0xabc, 12, Endian::Little);
    let value = writer.finish(&mut heap);
    let bits = bits_of(&heap, value);
    assert_eq!(to_bytes(&heap, bits), [0xbc, 0xa0]);
    assert_eq!(unsigned(&heap, bits, Endian::Little), Some(0xabc));
}

#[test]
fn nothing_can_be_cut_out_beyond_the_end() {
    let mut heap = heap();
    let value = heap.binary(&[1, 2]);
    let bits = bits_of(&heap, value);
    assert!(sub(bits, 16, 0).is_some());
    assert!(sub(bits, 9, 8).is_none());
    assert!(sub(bits, usize::MAX, 2).is_none());
    assert_eq!(byte(&heap, bits, 2), 0);
}
