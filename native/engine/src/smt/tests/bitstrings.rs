use super::reference::{Term, bits_of};
use super::{Answer, Case, case};
use crate::sym::{Expr, OpaqueId, Place, SymId, Tags};
use crate::term::{Bits, Heap, Literals, Packed};

fn bitstring(case: &mut Case, number: u32) -> SymId {
    let x = case.input(number);
    case.require_tags(x, Tags::BITS);
    x
}

fn constant(bytes: &[u8], bits: usize) -> Packed {
    let mut heap = Heap::new(Literals::default());
    let whole = heap.binary(bytes);
    let value = heap.bits(Bits { length: bits, ..heap.bits_of(whole) });
    Packed::pack(&heap, value)
}

fn opaque(case: &mut Case, term: &Packed) -> (SymId, OpaqueId) {
    let id = case.arena.opaque_term(term.clone(), Tags::BITS);
    let Expr::Opaque(opaque, _) = case.arena.get(id) else { panic!("a constant") };
    (id, *opaque)
}

/// Requires that so many bits are there.
fn require_bits(case: &mut Case, x: SymId, count: u32) {
    let (bytes, least) = (case.arena.bytes_of(x), case.arena.int(count.div_ceil(8)));
    let enough = case.arena.le(least, bytes);
    case.require(enough, true);
}

fn equals(case: &mut Case, x: SymId, value: i64) -> SymId {
    let value = case.arena.int(value);
    case.arena.eq(x, value)
}

fn model_bits(case: &mut Case, condition: SymId) -> Vec<bool> {
    let terms = case.model(condition, true);
    let Term::Opaque(packed, Tags::BITS) = &terms[0] else { panic!("a bitstring") };
    bits_of(packed)
}

#[test]
fn sizes_in_bytes_and_bits_are_found_and_excluded() {
    let mut case = case(1);
    let x = bitstring(&mut case, 0);
    let (bytes, extra) = (case.arena.bytes_of(x), case.arena.extra_of(x));
    let (five, three) = (equals(&mut case, bytes, 5), equals(&mut case, extra, 3));
    case.both_ways(five);
    case.both_ways(three);
    let both = case.arena.and(five, three);
    assert_eq!(model_bits(&mut case, both).len(), 43);
    let eight = equals(&mut case, extra, 8);
    assert_eq!(case.ask(eight, true), Answer::Unsat);
}

#[test]
fn a_field_anywhere_has_every_value_it_can_hold_and_no_other() {
    for (at, size) in [(0, 8), (0, 32), (3, 5), (4, 12), (7, 2), (1, 64), (13, 1), (9, 7)] {
        let mut case = case(1);
        let x = bitstring(&mut case, 0);
        require_bits(&mut case, x, at + size);
        let place = case.arena.place(at as usize);
        let field = case.arena.field(x, place, size);
        for value in [0, 1, (1i128 << size) - 1, (1i128 << size) / 3] {
            let value = case.arena.int(value);
            let equal = case.arena.eq(field, value);
            case.model(equal, true);
        }
        let beyond = case.arena.int(1i128 << size);
        let less = case.arena.lt(field, beyond);
        case.only(less, true);
    }
}

#[test]
fn fields_that_overlap_share_their_bits() {
    let mut case = case(1);
    let x = bitstring(&mut case, 0);
    require_bits(&mut case, x, 24);
    let [start, middle] = [0, 12].map(|at| case.arena.place(at));
    let (wide, narrow) = (case.arena.field(x, start, 16), case.arena.field(x, middle, 8));
    let fixed = equals(&mut case, wide, 0x1234);
    case.require(fixed, true);
    let within = equals(&mut case, narrow, 0x4f);
    case.model(within, true);
    let outside = equals(&mut case, narrow, 0x5f);
    assert_eq!(case.ask(outside, true), Answer::Unsat);
}

#[test]
fn a_field_behind_a_length_is_found() {
    let mut case = case(1);
    let x = bitstring(&mut case, 0);
    require_bits(&mut case, x, 8);
    let start = case.arena.place(0);
    let length = case.arena.field(x, start, 8);
    let one = case.arena.int(1);
    let at = Place { bytes: case.arena.linear_add(length, one), bits: 0 };
    let end = case.arena.linear_add(at.bytes, one);
    let bytes = case.arena.bytes_of(x);
    let enough = case.arena.le(end, bytes);
    case.require(enough, true);
    let three = case.arena.int(3);
    let long = case.arena.lt(three, length);
    case.require(long, true);
    let last = case.arena.field(x, at, 8);
    let found = equals(&mut case, last, 99);
    case.both_ways(found);
}

#[test]
fn signed_fields_and_slices_of_integers_are_solved() {
    let mut case = case(2);
    let x = bitstring(&mut case, 0);
    require_bits(&mut case, x, 16);
    let start = case.arena.place(0);
    let field = case.arena.field(x, start, 16);
    let signed = case.arena.signed(field, 16);
    let least = equals(&mut case, signed, -32768);
    case.both_ways(least);
    let n = case.integer(1);
    let slice = case.arena.slice(n, 4, 8);
    let zero = case.arena.int(0);
    let negative = case.arena.lt(n, zero);
    case.require(negative, true);
    let found = equals(&mut case, slice, 0xa5);
    case.both_ways(found);
}

#[test]
fn literal_bits_are_found_at_any_place_and_excluded() {
    for (at, bits) in [(0, 24), (8, 24), (3, 24), (5, 19), (0, 3)] {
        let mut case = case(1);
        let x = bitstring(&mut case, 0);
        require_bits(&mut case, x, at + bits);
        let (_, literal) = opaque(&mut case, &constant(b"GET", bits as usize));
        let place = case.arena.place(at as usize);
        let same = case.arena.bits_match(x, place, literal);
        case.both_ways(same);
    }
}

#[test]
fn two_bitstrings_that_differ_do_so_in_a_bit() {
    let mut case = case(2);
    let (x, y) = (bitstring(&mut case, 0), bitstring(&mut case, 1));
    for z in [x, y] {
        let (bytes, extra) = (case.arena.bytes_of(z), case.arena.extra_of(z));
        for condition in [equals(&mut case, bytes, 1), equals(&mut case, extra, 0)] {
            case.require(condition, true);
        }
    }
    let same = case.arena.eq(x, y);
    case.both_ways(same);
    case.require(same, false);
    let start = case.arena.place(0);
    let fields = [x, y].map(|z| case.arena.field(z, start, 8));
    let equal = case.arena.eq(fields[0], fields[1]);
    case.only(equal, false);
}

#[test]
fn there_is_only_one_empty_bitstring() {
    let mut case = case(2);
    let (x, y) = (bitstring(&mut case, 0), bitstring(&mut case, 1));
    for z in [x, y] {
        let (bytes, extra) = (case.arena.bytes_of(z), case.arena.extra_of(z));
        for condition in [equals(&mut case, bytes, 0), equals(&mut case, extra, 0)] {
            case.require(condition, true);
        }
    }
    let same = case.arena.eq(x, y);
    case.only(same, true);
}

#[test]
fn a_constant_in_a_structure_has_its_contents() {
    let mut case = case(1);
    let x = case.input(0);
    let pair = case.arena.arity(x, 2);
    case.require(pair, true);
    let (first, second) = (case.arena.element(x, 0), case.arena.element(x, 1));
    let (key, _) = opaque(&mut case, &constant(b"key", 24));
    let tuple = case.arena.tuple(vec![key, second]);
    let same = case.arena.eq(x, tuple);
    case.both_ways(same);
    case.require(same, true);
    let start = case.arena.place(0);
    let byte = case.arena.field(first, start, 8);
    let right = equals(&mut case, byte, i64::from(b'k'));
    case.only(right, true);
}

#[test]
fn a_byte_of_a_constant_at_an_open_place_is_looked_up() {
    let mut case = case(1);
    let n = case.integer(0);
    let (zero, five) = (case.arena.int(0), case.arena.int(5));
    let (low, high) = (case.arena.le(zero, n), case.arena.lt(n, five));
    case.require(low, true);
    case.require(high, true);
    let (table, _) = opaque(&mut case, &constant(b"abcde", 40));
    let byte = case.arena.field(table, Place { bytes: n, bits: 0 }, 8);
    let is_d = equals(&mut case, byte, i64::from(b'd'));
    assert_eq!(case.model(is_d, true), vec![Term::int(3)]);
    let is_x = equals(&mut case, byte, i64::from(b'x'));
    assert_eq!(case.ask(is_x, true), Answer::Unsat);
}
