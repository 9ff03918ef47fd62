//! Terms without an inside for the solver: bitstrings, maps, references, ports, pids, and funs that occur as constants are numbers to it.
//!
//! The numbers are the solver's own, so they mean the same in all arenas whose prefixes it keeps asserted. A number that a model uses for
//! no known constant stands for some other term of the type. References, ports and pids can't be made up, so for them only known ones count.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::atoms::Atoms;
use super::sorts::Shape;
use crate::sym::Tags;
use crate::sym::funs::{is_in_no_input, is_of_a_run};
use crate::sym::lift::tags_of;
use crate::term::{Heap, Literals, Packed, Value, View};

/// The shapes of which not every number stands for a term: of references, ports and pids only known ones can be used, and of funs none that is
/// a closure of a run.
pub(super) const IDENTIFIERS: [Shape; 4] = [Shape::Reference, Shape::Port, Shape::Pid, Shape::Fun];

#[derive(Default)]
pub(super) struct Constants {
    opaque: IndexMap<Packed, Shape, FxBuildHasher>,
    pub(super) atoms: Atoms,
}

impl Constants {
    /// The number of a term of a type without an inside.
    pub(super) fn number(&mut self, term: &Packed, shape: Shape) -> u32 {
        if let Some(index) = self.opaque.get_index_of(term) {
            return index as u32;
        }
        self.opaque.insert_full(term.clone(), shape).0 as u32
    }

    pub(super) fn term(&self, shape: Shape, number: i64) -> Option<&Packed> {
        let (term, known) = self.opaque.get_index(usize::try_from(number).ok()?)?;
        (*known == shape).then_some(term)
    }

    pub(super) fn contains(&self, term: &Packed) -> bool {
        self.opaque.contains_key(term)
    }

    /// The numbers of the known terms of a shape that an input can have.
    pub(super) fn numbers(&self, shape: Shape) -> impl Iterator<Item = u32> + '_ {
        let is_one = move |term: &Packed, known: Shape| known == shape && !Constants::is_in_no_input(term);
        self.opaque.iter().zip(0..).filter(move |((term, known), _)| is_one(term, **known)).map(|(_, number)| number)
    }

    /// True for a term with something in it that is made in a run.
    pub(super) fn is_in_no_input(term: &Packed) -> bool {
        term.open_with(is_in_no_input)
    }

    /// True for a term that is not the input of any run.
    pub(super) fn is_of_a_run(term: &Packed) -> bool {
        term.open_with(is_of_a_run)
    }

    /// The numbers of known funs that are closures of a run.
    pub(super) fn closures(&self) -> impl Iterator<Item = u32> + '_ {
        self.opaque
            .iter()
            .zip(0..)
            .filter(|((term, shape), _)| **shape == Shape::Fun && Constants::is_of_a_run(term))
            .map(|(_, number)| number)
    }

    /// Makes the references, ports and pids in a term known.
    pub(super) fn offer(&mut self, term: &Packed) {
        let (heap, root) = term.open();
        let mut values = vec![root];
        while let Some(value) = values.pop() {
            match heap.view(value) {
                View::Cons(_) => values.extend([heap.head(value), heap.tail(value)]),
                View::Tuple(_, arity) => values.extend((0..arity).map(|index| heap.element(value, index))),
                View::Foreign(_) => self.offer_one(&heap, value),
                View::Small(_)
                | View::Big(_)
                | View::Float(_)
                | View::Atom(_)
                | View::Nil
                | View::Bits(_)
                | View::Map(..)
                | View::Closure(_)
                | View::External(_)
                | View::Virtual(_)
                | View::Sym(..) => {}
            }
        }
    }

    fn offer_one(&mut self, heap: &Heap, value: Value) {
        let tags = tags_of(heap, value);
        if let Some(shape) = Shape::of_tag(tags).filter(|_| (Tags::REFERENCE | Tags::PORT | Tags::PID).contains(tags)) {
            self.number(&Packed::pack(heap, value), shape);
        }
    }
}

/// Some bitstring or map, another one for each `turn`.
pub(super) fn some_term(shape: Shape, turn: usize) -> Packed {
    let mut heap = Heap::new(Literals::default());
    let value = match shape {
        Shape::Bits => {
            let bytes = turn.to_le_bytes();
            let used = (usize::BITS - turn.leading_zeros()).div_ceil(8) as usize;
            heap.binary(bytes.get(..used).unwrap_or(&[]))
        }
        Shape::Map if turn == 0 => heap.map(&[]),
        Shape::Map => heap.map(&[(Value::count(turn), Value::count(turn))]),
        Shape::Int
        | Shape::Float
        | Shape::Atom
        | Shape::Nil
        | Shape::Cons
        | Shape::Tuple
        | Shape::Fun
        | Shape::Reference
        | Shape::Port
        | Shape::Pid => Value::NIL,
    };
    Packed::pack(&heap, value)
}
