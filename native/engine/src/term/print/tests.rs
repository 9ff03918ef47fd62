use super::super::Literals;
use super::*;

fn heap() -> Heap {
    Heap::new(Literals::default())
}

fn atom(name: &str) -> String {
    term_to_string(&heap(), Value::atom(AtomId::intern(name)))
}

fn float(float: f64) -> String {
    let mut heap = heap();
    let value = heap.float(float);
    term_to_string(&heap, value)
}

#[test]
fn the_reserved_words_are_sorted() {
    assert!(RESERVED.is_sorted());
}

#[test]
fn atoms_are_quoted_where_the_syntax_needs_it() {
    assert_eq!(atom("ok"), "ok");
    assert_eq!(atom("a@B_1"), "a@B_1");
    assert_eq!(atom("ångström"), "ångström");
    assert_eq!(atom(""), "''");
    assert_eq!(atom("A"), "'A'");
    assert_eq!(atom("a b"), "'a b'");
    assert_eq!(atom("日本"), "'日本'");
    assert_eq!(atom("case"), "'case'");
    assert_eq!(atom("maybe"), "'maybe'");
    assert_eq!(atom("a÷"), "'a÷'");
}

#[test]
fn what_cannot_stand_between_quotes_is_escaped() {
    assert_eq!(atom("it's \\"), r"'it\'s \\'");
    assert_eq!(atom("\n\t\x1b\x7f\0\u{85}"), r"'\n\t\e\d\000\205'");
}

#[test]
fn floats_have_the_shorter_of_both_forms() {
    let expected = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (0.0001, "0.0001"),
        (1.0e-5, "1.0e-5"),
        (1.234e-5, "1.234e-5"),
        (123_456.789, "123456.789"),
        (1.0e5, "1.0e5"),
        (9_007_199_254_740_991.0, "9007199254740991.0"),
        (9_007_199_254_740_992.0, "9.007199254740992e15"),
        (1.0e22, "1.0e22"),
        (5.0e-324, "5.0e-324"),
        (f64::MAX, "1.7976931348623157e308"),
    ];
    for (number, text) in expected {
        assert_eq!(float(number), text);
    }
}

#[test]
fn compound_terms_print_as_source() {
    let mut heap = heap();
    let bits = heap.bytes(&[1, 2, 0x30]);
    let bits = heap.bits(Bits { base: bits, offset: 0, length: 20 });
    let external = heap.external(AtomId::LISTS, AtomId::intern("A b"), 2);
    let improper = heap.list([Value::count(1), Value::count(2)], bits);
    let empty = heap.tuple(&[]);
    let map = heap.map(&[(Value::NIL, empty), (external, improper)]);
    let text = "#{[] => {},fun lists:'A b'/2 => [1,2|<<1,2,3:4>>]}";
    assert_eq!(term_to_string(&heap, map), text);
}

#[test]
fn limits_leave_out_what_is_too_deep_or_too_long() {
    let mut heap = heap();
    let list = heap.list((1..6).map(Value::count), Value::NIL);
    let tuple = heap.tuple(&[list, list, list]);
    let binary = heap.binary(b"abcdef");
    let map = heap.map(&[(Value::count(1), tuple), (Value::count(2), binary)]);
    let limited = |value, depth, length| Printed::new(&heap, value).limited(Limits { depth, length }).to_string();
    assert_eq!(limited(list, 1, 3), "[1,2,3|...]");
    assert_eq!(limited(list, 1, 5), "[1,2,3,4,5]");
    assert_eq!(limited(list, 0, 5), "[...]");
    assert_eq!(limited(tuple, 1, 2), "{[...],[...],...}");
    assert_eq!(limited(binary, 0, 2), "<<97,98,...>>");
    assert_eq!(limited(map, 2, 9), "#{1 => {[...],[...],[...]},2 => <<97,98,99,100,101,102>>}");
    assert_eq!(limited(map, 1, 1), "#{1 => {...},...}");
}

#[test]
fn millions_of_nested_terms_are_printed_without_recursion() {
    let mut heap = heap();
    let nested = (0..1_000_000).fold(Value::NIL, |value, _| heap.tuple(&[value]));
    assert_eq!(term_to_string(&heap, nested).len(), 2_000_002);
}
