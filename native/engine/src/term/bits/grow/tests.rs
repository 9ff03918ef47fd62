use super::*;
use crate::term::bits::to_bytes;
use crate::term::{Literals, Packed};

fn bytes(heap: &Heap, value: Value) -> Vec<u8> {
    to_bytes(heap, heap.bits_of(value))
}

fn appended(heap: &mut Heap, to: Value, byte: i64) -> Value {
    let mut writer = Writer::append(heap, heap.bits_of(to), 8);
    writer.push_small(heap, byte, 8, Endian::Big);
    writer.finish(heap)
}

#[test]
fn two_bitstrings_that_grow_from_one_do_not_see_each_other() {
    let mut heap = Heap::new(Literals::default());
    let empty = heap.binary(&[]);
    let one = appended(&mut heap, empty, 1);
    let (two, three) = (appended(&mut heap, one, 2), appended(&mut heap, one, 3));
    let four = appended(&mut heap, two, 4);
    assert_eq!(bytes(&heap, one), [1]);
    assert_eq!(bytes(&heap, two), [1, 2]);
    assert_eq!(bytes(&heap, three), [1, 3]);
    assert_eq!(bytes(&heap, four), [1, 2, 4]);
}

#[test]
fn appending_costs_the_new_bits_only() {
    let mut heap = Heap::new(Literals::default());
    let mut value = heap.binary(&[]);
    for byte in 0..100_000 {
        value = appended(&mut heap, value, byte);
    }
    assert!(heap.used() < 100_000 * 4 + 4 * 100_000, "{}", heap.used());
    assert_eq!(bytes(&heap, value).len(), 100_000);
}

#[test]
fn a_writer_that_is_not_finished_leaves_no_trace() {
    let mut heap = Heap::new(Literals::default());
    let empty = heap.binary(&[]);
    let one = appended(&mut heap, empty, 1);
    let bits = heap.bits_of(one);
    let mut writer = Writer::append(&mut heap, bits, 64);
    writer.push_small(&mut heap, -1, 64, Endian::Little);
    let two = appended(&mut heap, one, 2);
    let next = appended(&mut heap, two, 0);
    assert_eq!(bytes(&heap, next), [1, 2, 0]);
}

#[test]
fn collecting_keeps_a_buffer_and_its_room() {
    let mut heap = Heap::new(Literals::default());
    let empty = heap.binary(&[]);
    let mut roots = [appended(&mut heap, empty, 1)];
    heap.collect(&mut [&mut roots]);
    let before = heap.used();
    let two = appended(&mut heap, roots[0], 2);
    assert_eq!(bytes(&heap, two), [1, 2]);
    assert_eq!(heap.used() - before, 4, "in place: just a new view");
}

#[test]
fn equal_bitstrings_are_packed_the_same() {
    let mut heap = Heap::new(Literals::default());
    let plain = heap.binary(&[1, 2]);
    let empty = heap.binary(&[]);
    let one = appended(&mut heap, empty, 1);
    let grown = appended(&mut heap, one, 2);
    let whole = heap.binary(&[0xf0, 0x10, 0x2f]);
    let part = Bits { offset: 4, length: 16, ..heap.bits_of(whole) };
    let part = heap.bits(part);
    for value in [grown, part] {
        assert_eq!(Packed::pack(&heap, value), Packed::pack(&heap, plain));
    }
}
