#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use num_bigint::BigInt;
use proptest::prelude::*;

use super::super::order::identical;
use super::super::recipe::{integer, recipe};
use super::super::{Heap, Literals, Value};
use super::*;

fn heap() -> Heap {
    Heap::new(Literals::default())
}

fn decoded(bytes: &[u8]) -> (Heap, Value) {
    let mut heap = heap();
    let value = decode(&mut heap, bytes).unwrap();
    (heap, value)
}

fn error(bytes: &[u8]) -> DecodeError {
    let mut heap = heap();
    let error = decode(&mut heap, bytes).unwrap_err();
    assert_eq!(heap.used(), 0, "nothing stays behind in the heap");
    error
}

fn text(bytes: &[u8]) -> String {
    let (heap, value) = decoded(bytes);
    super::super::term_to_string(&heap, value)
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded_to_the_same_term(recipe in recipe()) {
        let mut heap = heap();
        let value = recipe.build(&mut heap);
        let bytes = encode(&heap, value).unwrap();
        let copy = decode(&mut heap, &bytes).unwrap();
        prop_assert!(identical(&heap, value, copy));
        prop_assert_eq!(encode(&heap, copy).unwrap(), bytes);
    }

    #[test]
    fn integers_of_any_size_survive_the_round_trip(i in integer()) {
        let mut heap = heap();
        let value = heap.bigint(&i);
        let bytes = encode(&heap, value).unwrap();
        let copy = decode(&mut heap, &bytes).unwrap();
        prop_assert_eq!(heap.integer(copy), Some(i));
    }

    #[test]
    fn a_term_cut_short_anywhere_is_an_error(recipe in recipe(), cut in any::<prop::sample::Index>()) {
        let mut heap = heap();
        let value = recipe.build(&mut heap);
        let bytes = encode(&heap, value).unwrap();
        let cut = &bytes[..cut.index(bytes.len())];
        let is_truncated = matches!(decode(&mut heap, cut), Err(DecodeError::Truncated { .. }));
        prop_assert!(is_truncated);
    }

    #[test]
    fn arbitrary_bytes_are_a_term_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let mut heap = heap();
        let bytes = [&[131], &*bytes].concat();
        if let Ok(value) = decode(&mut heap, &bytes) {
            prop_assert!(encode(&heap, value).is_ok());
        }
    }

    #[test]
    fn a_term_with_one_byte_changed_is_a_term_or_an_error(
        recipe in recipe(), at in any::<prop::sample::Index>(), byte: u8,
    ) {
        let mut heap = heap();
        let value = recipe.build(&mut heap);
        let mut bytes = encode(&heap, value).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(value) = decode(&mut heap, &bytes) {
            let again = encode(&heap, value).unwrap();
            prop_assert!(decode(&mut heap, &again).is_ok());
        }
    }
}

#[test]
fn every_form_of_an_atom_is_the_same_atom() {
    let forms: [&[u8]; 4] = [b"\x83\x64\0\x02ok", b"\x83\x73\x02ok", b"\x83\x76\0\x02ok", b"\x83\x77\x02ok"];
    for form in forms {
        assert_eq!(decoded(form).1, Value::atom(AtomId::OK));
    }
}

#[test]
fn latin1_atoms_become_unicode() {
    assert_eq!(decoded(b"\x83\x73\x01\xe5").1, Value::atom(AtomId::intern("å")));
}

#[test]
fn atoms_must_be_utf8_and_no_longer_than_255_characters() {
    assert_eq!(error(b"\x83\x77\x01\xe5"), DecodeError::AtomName { at: 2 });
    let long = |tag: u8, length: usize, byte: &[u8]| {
        let size = (length * byte.len()) as u16;
        [&[131, tag], &size.to_be_bytes()[..], &byte.repeat(length)].concat()
    };
    assert!(decode(&mut heap(), &long(118, 255, "ä".as_bytes())).is_ok());
    assert_eq!(error(&long(118, 256, "ä".as_bytes())), DecodeError::AtomName { at: 2 });
    assert_eq!(error(&long(100, 256, b"x")), DecodeError::AtomName { at: 2 });
}

#[test]
fn old_floats_are_read_from_their_digits() {
    let digits = b"1.50000000000000000000e+00\0\0\0\0\0";
    assert_eq!(text(&[&[131, 99], &digits[..]].concat()), "1.5");
    let digits = b"no number of any kind, and long";
    assert_eq!(error(&[&[131, 99], &digits[..]].concat()), DecodeError::Float { at: 2 });
}

#[test]
fn floats_must_be_finite() {
    for float in [f64::NAN, f64::INFINITY] {
        let bytes = [&[131, 70], &float.to_be_bytes()[..]].concat();
        assert_eq!(error(&bytes), DecodeError::Float { at: 2 });
    }
}

#[test]
fn a_big_form_of_a_small_number_is_the_small_number() {
    assert_eq!(decoded(&[131, 110, 3, 1, 5, 0, 0]).1, Value::small(-5).unwrap());
    assert_eq!(decoded(&[131, 111, 0, 0, 0, 1, 1, 0]).1, Value::ZERO);
}

#[test]
fn improper_lists_keep_their_tail() {
    assert_eq!(text(&[131, 108, 0, 0, 0, 1, 97, 1, 97, 2]), "[1|2]");
    assert_eq!(text(&[131, 108, 0, 0, 0, 0, 97, 2]), "2");
}

#[test]
fn map_keys_are_sorted_whatever_their_order() {
    let bytes = [131, 116, 0, 0, 0, 3, 97, 2, 106, 70, 0, 0, 0, 0, 0, 0, 0, 0, 106, 97, 1, 106];
    assert_eq!(text(&bytes), "#{1 => [],2 => [],0.0 => []}");
}

#[test]
fn a_key_that_occurs_twice_is_an_error() {
    let bytes = [131, 104, 1, 116, 0, 0, 0, 2, 97, 2, 106, 97, 2, 106];
    assert_eq!(error(&bytes), DecodeError::DuplicateKey { at: 3 });
}

#[test]
fn the_last_byte_of_a_bitstring_has_one_to_eight_bits() {
    assert_eq!(text(&[131, 77, 0, 0, 0, 2, 3, 255, 0xa0]), "<<255,5:3>>");
    assert_eq!(text(&[131, 77, 0, 0, 0, 1, 8, 255]), "<<255>>");
    for (length, bits) in [(1, 0), (1, 9), (0, 1)] {
        let bytes = [131, 77, 0, 0, 0, length, bits, 255];
        assert_eq!(error(&bytes), DecodeError::LastBits { at: 6, bits });
    }
}

#[test]
fn lengths_that_the_input_cannot_hold_are_errors_before_memory_is_taken() {
    for tag in [105, 108, 109, 111, 116] {
        let bytes = [131, tag, 255, 255, 255, 255, 0];
        assert!(matches!(error(&bytes), DecodeError::Truncated { at: 7, .. }), "tag {tag}");
    }
}

#[test]
fn wrong_starts_and_ends_are_told_apart() {
    assert_eq!(error(b""), DecodeError::Truncated { at: 0, missing: 1 });
    assert_eq!(error(b"\x83"), DecodeError::Truncated { at: 1, missing: 1 });
    assert_eq!(error(b"\x82\x6a"), DecodeError::Version { found: 130 });
    assert_eq!(error(b"\x83\x50\0\0\0\x01"), DecodeError::Compressed { at: 1 });
    assert_eq!(error(b"\x83\x68\x01\x50"), DecodeError::UnknownTag { at: 3, tag: 80 });
    let mut heap = heap();
    let trailing = [131, 106, 1, 2];
    assert_eq!(decode(&mut heap, &trailing), Err(DecodeError::Trailing { at: 2, count: 2 }));
    assert_eq!(decode_prefix(&mut heap, &trailing), Ok((Value::NIL, 2)));
}

#[test]
fn malformed_funs_are_errors() {
    assert_eq!(error(&[131, 112, 0, 0, 0, 3, 0]), DecodeError::FunSize { at: 2 });
    assert_eq!(error(b"\x83\x71\x77\x01a\x77\x01b\x6a\x6a"), DecodeError::Arity { at: 8 });
    assert_eq!(error(b"\x83\x71\x6a"), DecodeError::NoAtom { at: 2, tag: 106 });
}

#[test]
fn millions_of_nested_terms_are_read_and_written_without_recursion() {
    const DEPTH: usize = 2_000_000;
    for (open, close) in [(&[104, 1][..], &[106][..]), (&[108, 0, 0, 0, 1], &[106; DEPTH + 1])] {
        let bytes = [&[131], &*open.repeat(DEPTH), close].concat();
        let (heap, value) = decoded(&bytes);
        assert_eq!(encode(&heap, value).unwrap(), bytes);
        assert!(matches!(error(&bytes[..2 * DEPTH]), DecodeError::Truncated { .. }));
    }
}

#[test]
fn terms_of_the_vm_are_written_back_as_they_came() {
    let pid = b"\x58\x77\x0dnonode@nohost\0\0\0\x55\0\0\0\0\0\0\0\0";
    let bytes = [&[131, 104, 1], &pid[..]].concat();
    let (heap, value) = decoded(&bytes);
    assert_eq!(encode(&heap, value).unwrap(), bytes);
    assert_eq!(text(&bytes), "{<0.85.0>}");
}

#[test]
fn what_exists_only_in_the_machine_needs_a_stand_in() {
    let mut heap = heap();
    let pid = Value::identifier(VirtualKind::Pid, 3);
    let closure = heap.closure_of(7, 2, &[pid]);
    let wrapped = heap.tuple(&[closure]);
    assert_eq!(encode(&heap, wrapped), Err(EncodeError::Closure { function: 7, arity: 2 }));
    let kind = VirtualKind::Pid;
    assert_eq!(encode(&heap, pid), Err(EncodeError::Virtual { kind, number: 3 }));
    let stand_in = b"\x58\x77\x01n\0\0\0\x01\0\0\0\0\0\0\0\0";
    let bytes = encode_with(&heap, pid, &mut |value| (value == pid).then(|| stand_in.to_vec()));
    let bytes = bytes.unwrap();
    let back = decode_with(&mut heap, &bytes, &mut |_, etf| (etf == stand_in).then_some(pid));
    assert_eq!(back, Ok(pid));
}

#[test]
fn symbolic_parts_are_written_as_their_concrete_values() {
    let mut heap = heap();
    let sym = crate::sym::SymId::from_number(0);
    let head = heap.symbolic(Value::count(104), sym);
    let cell = heap.cons(Value::count(105), Value::NIL);
    let tail = heap.symbolic(cell, sym);
    let list = heap.cons(head, tail);
    let list = heap.symbolic(list, sym);
    assert_eq!(encode(&heap, list).unwrap(), b"\x83\x6b\0\x02hi");
}

#[test]
fn a_string_of_more_than_65535_bytes_is_a_list() {
    let mut heap = heap();
    let mut tag_of = |length: usize| {
        let list = heap.list((0..length).map(|_| Value::count(1)), Value::NIL);
        encode(&heap, list).unwrap()[1]
    };
    assert_eq!(tag_of(65535), tag::STRING);
    assert_eq!(tag_of(65536), tag::LIST);
}

#[test]
fn integers_of_256_bytes_and_more_take_the_large_form() {
    let mut heap = heap();
    let mut tag_of = |bits: usize| {
        let value = heap.bigint(&(BigInt::from(1) << bits));
        encode(&heap, value).unwrap()[1]
    };
    assert_eq!(tag_of(8 * 255 - 1), tag::SMALL_BIG);
    assert_eq!(tag_of(8 * 255), tag::LARGE_BIG);
}
