use super::reference::Term;
use super::{Answer, Case, case};
use crate::sym::{SymId, Tags};
use crate::term::{AtomId, Heap, Literals, Packed, Value};

fn packed(build: impl FnOnce(&mut Heap) -> Value) -> Packed {
    let mut heap = Heap::new(Literals::default());
    let value = build(&mut heap);
    Packed::pack(&heap, value)
}

fn binary(bytes: &[u8]) -> Packed {
    packed(|heap| heap.binary(bytes))
}

/// A pid in external term format.
fn pid(number: u8) -> Packed {
    packed(|heap| heap.foreign(&[88, 119, 1, b'n', 0, 0, 0, number, 0, 0, 0, 0, 0, 0, 0, 0]))
}

fn equal_to(case: &mut Case, x: SymId, term: Packed, tags: Tags) -> SymId {
    let constant = case.arena.opaque_term(term, tags);
    case.arena.eq(x, constant)
}

#[test]
fn an_atom_that_occurs_is_found_and_others_differ_from_it() {
    let mut case = case(1);
    let x = case.input(0);
    let name = case.arena.atom(AtomId::intern("some_name"));
    let equal = case.arena.eq(x, name);
    case.both_ways(equal);
    case.require_tags(x, Tags::ATOM);
    case.both_ways(equal);
}

#[test]
fn new_atoms_are_readable_and_differ_from_each_other_and_from_those_that_occur() {
    let mut case = case(4);
    let inputs: Vec<SymId> = (0..4).map(|number| case.input(number)).collect();
    let a = case.arena.atom(AtomId::intern("a"));
    for (index, x) in inputs.iter().enumerate() {
        case.require_tags(*x, Tags::ATOM);
        let is_a = case.arena.eq(*x, a);
        case.require(is_a, false);
        for y in &inputs[..index] {
            let same = case.arena.eq(*x, *y);
            case.require(same, false);
        }
    }
    let yes = case.arena.truth(true);
    let model = case.model(yes, true);
    let names: Vec<String> = model.iter().map(|term| format!("{term:?}")).collect();
    assert_eq!(names, ["Atom('b')", "Atom('c')", "Atom('d')", "Atom('e')"]);
}

#[test]
fn a_constant_without_an_inside_is_found_and_others_differ_from_it() {
    let constants = [
        (binary(b"hello"), Tags::BITS),
        (binary(b""), Tags::BITS),
        (packed(|heap| heap.map(&[])), Tags::MAP),
        (packed(|heap| heap.external(AtomId::ERLANG, AtomId::intern("is_atom"), 1)), Tags::FUN),
    ];
    for (constant, tags) in constants {
        let mut case = case(1);
        let x = case.input(0);
        let equal = equal_to(&mut case, x, constant.clone(), tags);
        assert_eq!(case.model(equal, true), [Term::Opaque(constant, tags)]);
        case.model(equal, false);
        case.require_tags(x, tags);
        case.model(equal, false);
    }
}

#[test]
fn two_maps_that_differ_are_found() {
    let mut case = case(2);
    let (x, y) = (case.input(0), case.input(1));
    case.require_tags(x, Tags::MAP);
    case.require_tags(y, Tags::MAP);
    let equal = case.arena.eq(x, y);
    case.both_ways(equal);
}

#[test]
fn a_pid_is_not_made_up() {
    for tags in [Tags::PID, Tags::PORT, Tags::REFERENCE, Tags::PID | Tags::PORT | Tags::REFERENCE] {
        let mut case = case(1);
        let x = case.input(0);
        let is = case.arena.is(x, tags);
        case.only(is, false);
        case.require_tags(x, Tags::CONS);
        let head = case.arena.head(x);
        let is = case.arena.is(head, tags);
        case.only(is, false);
    }
}

#[test]
fn a_pid_that_occurs_is_used() {
    let mut case = case(2);
    let (x, y) = (case.input(0), case.input(1));
    let equal = equal_to(&mut case, x, pid(1), Tags::PID);
    case.both_ways(equal);
    let is = case.arena.is(y, Tags::PID);
    assert_eq!(case.model(is, true)[1], Term::Opaque(pid(1), Tags::PID));
    case.require(is, true);
    case.both_ways(equal);
}

#[test]
fn a_pid_that_was_offered_inside_a_term_is_used() {
    let mut case = case(1);
    let offered = packed(|heap| {
        let pid = pid(7).unpack(heap);
        let tuple = heap.tuple(&[Value::NIL, pid]);
        heap.cons(tuple, Value::NIL)
    });
    case.solver.offer(&offered);
    let x = case.input(0);
    let is = case.arena.is(x, Tags::PID);
    case.both_ways(is);
    assert_eq!(case.model(is, true), [Term::Opaque(pid(7), Tags::PID)]);
}

#[test]
fn an_input_that_no_condition_speaks_of_is_left_open() {
    let mut case = case(3);
    let x = case.input(1);
    let is = case.arena.is(x, Tags::ATOM);
    let Answer::Sat(model) = case.ask(is, true) else { panic!("an atom") };
    assert_eq!(model.inputs.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false]);
}
