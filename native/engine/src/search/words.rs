//! What stands in the code under test: its integers, atoms, texts and other literals, as material for inputs that are made up.
//!
//! Only functions whose clauses count are looked at: tables of library code would be most of it.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::bif;
use crate::code::CodeView;
use crate::code::ir::{FnId, Function, Instr, Mfa};
use crate::machine::Covered;
use crate::report::clauses::reachable;
use crate::term::{AtomId, Heap, Packed, Value, View, bits};
use crate::types::sample::Words;

/// Of each kind not more than this.
const MOST: usize = 400;
/// Names of atoms that texts are made of.
const MOST_NAMES: usize = 40;
/// Larger literals are no material.
const LARGEST: usize = 64;

/// The literals of a function and of what it calls in its module.
pub(super) fn words(view: &CodeView, measured: FnId) -> Words {
    let heap = Heap::new(view.literals().clone());
    let mut words = Words::default();
    let mut functions: Vec<FnId> = reachable(view, measured, &Covered::default()).into_iter().collect();
    functions.sort_unstable();
    for constant in functions.iter().filter_map(|id| view.function(*id)).flat_map(|function| function.constants.iter())
    {
        add(&mut words, &heap, *constant);
    }
    if functions.iter().filter_map(|id| view.function(*id)).any(|function| names_atoms(view, function)) {
        add_names(&mut words, heap);
    }
    words
}

/// Whether a function makes atoms of text.
fn names_atoms(view: &CodeView, function: &Function) -> bool {
    let called = |instr: &Instr| match instr {
        Instr::CallRemote { mfa, .. } | Instr::TailCallRemote { mfa, .. } => view.mfa(*mfa),
        Instr::Bif { bif, .. } => bif::name(*bif),
        _ => None,
    };
    let is_of_text = |mfa: Mfa| {
        mfa.module == AtomId::ERLANG
            && ["binary_to_atom", "binary_to_existing_atom", "list_to_atom", "list_to_existing_atom"]
                .contains(&&*mfa.function.name())
    };
    function.code.iter().filter_map(called).any(is_of_text)
}

/// The names of the atoms, as both kinds of text.
fn add_names(words: &mut Words, mut heap: Heap) {
    for atom in words.atoms.iter().take(MOST_NAMES) {
        let name = atom.name();
        let characters: Vec<Value> = name.chars().map(|c| Value::count(c as usize)).collect();
        for text in [heap.binary(name.as_bytes()), heap.list(characters, Value::NIL)] {
            put(&mut words.terms, Packed::pack(&heap, text));
        }
    }
}

/// A literal and its parts.
fn add(words: &mut Words, heap: &Heap, literal: Value) {
    let mut rest = vec![literal];
    for _ in 0..LARGEST {
        let Some(value) = rest.pop() else { return };
        match heap.view(value) {
            View::Small(_) | View::Big(_) => {
                if let Some(integer) = heap.integer(value) {
                    add_integer(words, integer);
                }
            }
            View::Atom(atom) => put(&mut words.atoms, atom),
            View::Cons(_) => {
                add_whole(words, heap, value);
                rest.extend([heap.head(value), heap.tail(value)]);
            }
            View::Tuple(_, size) => {
                add_whole(words, heap, value);
                rest.extend((0..size.min(LARGEST)).map(|index| heap.element(value, index)));
            }
            View::Bits(text) => {
                add_whole(words, heap, value);
                let bytes = bits::to_bytes(heap, text);
                bytes.into_iter().take(LARGEST).for_each(|byte| put(&mut words.characters, u32::from(byte)));
            }
            View::Nil
            | View::Float(_)
            | View::Map(..)
            | View::Closure(_)
            | View::External(_)
            | View::Foreign(_)
            | View::Virtual(_)
            | View::Sym(..) => {}
        }
    }
}

/// An integer, which may be a character too.
fn add_integer(words: &mut Words, integer: BigInt) {
    if let Some(character) = integer.to_u32().filter(|number| char::from_u32(*number).is_some()) {
        put(&mut words.characters, character);
    }
    put(&mut words.integers, integer);
}

fn add_whole(words: &mut Words, heap: &Heap, value: Value) {
    let packed = Packed::pack(heap, value);
    if packed.size() <= LARGEST {
        put(&mut words.terms, packed);
    }
}

fn put<T: PartialEq>(words: &mut Vec<T>, word: T) {
    if words.len() < MOST && !words.contains(&word) {
        words.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Literals;

    #[test]
    fn a_literal_gives_itself_and_its_parts() {
        let mut heap = Heap::new(Literals::default());
        let text = heap.list([Value::count(43), Value::count(58)], Value::NIL);
        let zone = Value::atom(AtomId::intern("zone"));
        let pair = heap.tuple(&[zone, text]);
        let mut words = Words::default();
        add(&mut words, &heap, pair);
        add(&mut words, &heap, pair);
        assert_eq!(words.atoms, [AtomId::intern("zone")]);
        assert_eq!(words.integers, [BigInt::from(58), BigInt::from(43)]);
        assert_eq!(words.characters, [58, 43]);
        // The pair, the text and the end of the text.
        assert_eq!(words.terms.len(), 3);
    }

    #[test]
    fn bytes_of_a_binary_are_characters_and_no_integers() {
        let mut heap = Heap::new(Literals::default());
        let text = heap.binary(b"ok");
        let mut words = Words::default();
        add(&mut words, &heap, text);
        assert_eq!(words.characters, [111, 107]);
        assert!(words.integers.is_empty());
    }
}
