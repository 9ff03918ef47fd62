//! A term with something changed at one place in it.
//!
//! The place is one by chance; what the types of the spec say about it goes along on the way there, so what is put there is mostly
//! of a type that is possible there. Maps and funs are changed as a whole.

use num_bigint::BigInt;

use crate::term::{Heap, Value, View, bits};
use crate::types::member::is_member;
use crate::types::sample::Sampler;
use crate::types::{Node, TypeId};

/// How many places of a term are looked at.
const PLACES: usize = 200;

/// Makes changed terms.
pub(super) struct Changer<'a> {
    pub sampler: Sampler<'a>,
    /// Another term, whose parts may be taken over.
    pub donor: Value,
}

#[derive(Clone, Copy)]
enum Part {
    Head,
    Tail,
    Element(usize),
}

/// A part of a term.
struct Place {
    value: Value,
    /// The place that it is a part of.
    whole: Option<(usize, Part)>,
    /// The types that are possible there, if any are known.
    types: Vec<TypeId>,
}

impl Changer<'_> {
    pub fn changed(&mut self, heap: &mut Heap, root: Value, types: Vec<TypeId>) -> Option<Value> {
        let places = self.places(heap, root, types);
        let mut place = places.get(self.sampler.dice.below(places.len()))?;
        let mut value = self.change(heap, place)?;
        while let Some((whole, part)) = place.whole {
            place = places.get(whole)?;
            value = rebuilt(heap, place.value, part, value);
        }
        Some(value)
    }

    fn places(&self, heap: &Heap, root: Value, types: Vec<TypeId>) -> Vec<Place> {
        let mut places = vec![Place { value: root, whole: None, types }];
        let mut at = 0;
        while let Some(place) = places.get(at).filter(|_| places.len() < PLACES) {
            let value = place.value;
            let parts: Vec<(Value, Part)> = match heap.view(value) {
                View::Cons(_) => vec![(heap.head(value), Part::Head), (heap.tail(value), Part::Tail)],
                View::Tuple(_, size) => {
                    let elements =
                        (0..size.min(PLACES)).map(|index| (heap.element(value, index), Part::Element(index)));
                    elements.collect()
                }
                View::Small(_)
                | View::Big(_)
                | View::Float(_)
                | View::Atom(_)
                | View::Nil
                | View::Bits(_)
                | View::Map(..)
                | View::Closure(_)
                | View::External(_)
                | View::Foreign(_)
                | View::Virtual(_)
                | View::Sym(..) => Vec::new(),
            };
            let size = parts.len();
            let parts: Vec<Place> = parts
                .into_iter()
                .map(|(value, part)| {
                    let types = self.types_of_part(&place.types, part, size);
                    Place { value, whole: Some((at, part)), types }
                })
                .collect();
            places.extend(parts);
            at += 1;
        }
        places
    }

    /// The types that are possible for a part of what is of one of these.
    fn types_of_part(&self, types: &[TypeId], part: Part, size: usize) -> Vec<TypeId> {
        let alternatives = types.iter().flat_map(|id| self.sampler.types.alternatives(*id));
        let part_of = |id: TypeId| match (self.sampler.types.node(id), part) {
            (Node::Any, _) => Some(id),
            (Node::Cons(head, _), Part::Head) => Some(*head),
            (Node::Cons(_, tail), Part::Tail) => Some(*tail),
            (Node::Tuple(elements), Part::Element(index)) if elements.len() == size => elements.get(index).copied(),
            _ => None,
        };
        let mut found: Vec<TypeId> = alternatives.filter_map(part_of).collect();
        found.dedup();
        found
    }

    /// Another term for a place.
    fn change(&mut self, heap: &mut Heap, place: &Place) -> Option<Value> {
        match self.sampler.dice.below(8) {
            0 | 1 => return self.fresh(heap, &place.types),
            2 => {
                if let Some(value) = self.donated(heap, &place.types) {
                    return Some(value);
                }
            }
            _ => {}
        }
        match heap.view(place.value) {
            View::Small(_) | View::Big(_) => {
                let old = heap.integer(place.value)?;
                let new = self.other_integer(old);
                Some(heap.bigint(&new))
            }
            View::Bits(_) => Some(self.other_bits(heap, place.value)),
            View::Nil | View::Cons(_) => self.other_list(heap, place),
            View::Float(_)
            | View::Atom(_)
            | View::Tuple(..)
            | View::Map(..)
            | View::Closure(_)
            | View::External(_)
            | View::Foreign(_)
            | View::Virtual(_)
            | View::Sym(..) => self.fresh(heap, &place.types),
        }
    }

    fn fresh(&mut self, heap: &mut Heap, types: &[TypeId]) -> Option<Value> {
        match types.get(self.sampler.dice.below(types.len())) {
            Some(id) => self.sampler.sample(heap, *id),
            None => Some(self.sampler.anything(heap)),
        }
    }

    /// A part of the other term that is possible here.
    fn donated(&mut self, heap: &Heap, types: &[TypeId]) -> Option<Value> {
        let places = self.places(heap, self.donor, Vec::new());
        let value = places.get(self.sampler.dice.below(places.len()))?.value;
        let fits = |id: &TypeId| is_member(self.sampler.types, heap, value, *id);
        (types.is_empty() || types.iter().any(fits)).then_some(value)
    }

    fn other_integer(&mut self, old: BigInt) -> BigInt {
        match self.sampler.dice.below(5) {
            0 => BigInt::from(self.sampler.character()),
            1 => self.sampler.integer(None, None),
            2 => -old,
            _ => old + BigInt::from(self.sampler.dice.below(9)) - 4,
        }
    }

    /// A list with one element more or less at this place, or the whole of it twice.
    fn other_list(&mut self, heap: &mut Heap, place: &Place) -> Option<Value> {
        let value = place.value;
        match self.sampler.dice.below(5) {
            0 if value.is_cons() => Some(heap.tail(value)),
            1 if value.is_cons() => {
                // The same element once more.
                let head = heap.head(value);
                Some(heap.cons(head, value))
            }
            2 if value.is_cons() => {
                let (mut elements, mut rest) = (Vec::new(), value);
                while rest.is_cons() && elements.len() < PLACES {
                    elements.push(heap.head(rest));
                    rest = heap.tail(rest);
                }
                Some(heap.list(elements, value))
            }
            _ => {
                let types = self.types_of_part(&place.types, Part::Head, 2);
                let head = self.fresh(heap, &types)?;
                Some(heap.cons(head, value))
            }
        }
    }

    /// A bitstring of whole bytes with some of them changed, or one bit less.
    fn other_bits(&mut self, heap: &mut Heap, value: Value) -> Value {
        let mut bytes = bits::to_bytes(heap, heap.bits_of(value));
        let at = self.sampler.dice.below(bytes.len() + 1);
        let mut some = Vec::new();
        self.sampler.push_bytes(&mut some);
        match self.sampler.dice.below(6) {
            0 => bytes.truncate(at),
            1 => {
                bytes.drain(..at);
            }
            2 => bytes.extend_from_within(..),
            3 if at < bytes.len() => {
                bytes.splice(at..=at, some);
            }
            4 => bytes.extend(some),
            _ => {
                bytes.splice(at..at, some);
            }
        }
        heap.binary(&bytes)
    }
}

/// The whole with another part.
fn rebuilt(heap: &mut Heap, whole: Value, part: Part, value: Value) -> Value {
    match part {
        Part::Head => {
            let tail = heap.tail(whole);
            heap.cons(value, tail)
        }
        Part::Tail => {
            let head = heap.head(whole);
            heap.cons(head, value)
        }
        Part::Element(at) => {
            let size = heap.tuple_arity(whole).unwrap_or(0);
            let element = |index| if index == at { value } else { heap.element(whole, index) };
            let elements: Vec<Value> = (0..size).map(element).collect();
            heap.tuple(&elements)
        }
    }
}
