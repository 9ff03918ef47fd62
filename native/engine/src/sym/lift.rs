//! From values to expressions: the expression of a structure with symbolic parts.

use super::arena::{Arena, SymId};
use super::tags::Tags;
use crate::term::{Heap, Packed, Value, View, VirtualKind};

enum Step {
    Visit(Value),
    Cons,
    Tuple(usize),
}

/// The expression of a value. Parts without an inside for the solver become opaque constants.
pub fn lift(arena: &mut Arena, heap: &Heap, value: Value) -> SymId {
    let mut steps = vec![Step::Visit(value)];
    let mut done: Vec<SymId> = Vec::new();
    while let Some(step) = steps.pop() {
        let id = match step {
            Step::Visit(value) => match heap.view(value) {
                View::Cons(_) => {
                    steps.extend([Step::Cons, Step::Visit(heap.tail(value)), Step::Visit(heap.head(value))]);
                    continue;
                }
                View::Tuple(_, arity) => {
                    steps.push(Step::Tuple(arity));
                    steps.extend((0..arity).rev().map(|index| Step::Visit(heap.element(value, index))));
                    continue;
                }
                _ => lift_flat(arena, heap, value),
            },
            Step::Cons => match (done.pop(), done.pop()) {
                (Some(tail), Some(head)) => arena.cons(head, tail),
                _ => continue,
            },
            Step::Tuple(arity) => {
                let elements = done.split_off(done.len().saturating_sub(arity));
                arena.tuple(elements)
            }
        };
        done.push(id);
    }
    done.pop().unwrap_or_else(|| arena.nil())
}

fn lift_flat(arena: &mut Arena, heap: &Heap, value: Value) -> SymId {
    match heap.view(value) {
        View::Sym(_, id) => arena.term(id),
        View::Small(i) => {
            let int = arena.int(i);
            arena.term(int)
        }
        View::Big(ptr) => {
            let int = arena.int(heap.big(ptr));
            arena.term(int)
        }
        View::Float(float) => {
            let real = arena.real(float);
            arena.term(real)
        }
        View::Atom(atom) => arena.atom(atom),
        View::Nil => arena.nil(),
        View::Cons(_)
        | View::Tuple(..)
        | View::Bits(_)
        | View::Map(..)
        | View::Closure(_)
        | View::External(_)
        | View::Foreign(_)
        | View::Virtual(_) => arena.opaque_term(Packed::pack(heap, value), tags_of(heap, value)),
    }
}

/// The type of a value's concrete part.
pub fn tags_of(heap: &Heap, value: Value) -> Tags {
    match heap.view(heap.concrete(value)) {
        View::Small(_) | View::Big(_) => Tags::INT,
        View::Float(_) => Tags::FLOAT,
        View::Atom(_) => Tags::ATOM,
        View::Nil => Tags::NIL,
        View::Cons(_) => Tags::CONS,
        View::Tuple(..) => Tags::TUPLE,
        View::Bits(_) => Tags::BITS,
        View::Map(..) => Tags::MAP,
        View::Closure(_) | View::External(_) => Tags::FUN,
        View::Virtual(identifier) => match identifier.as_identifier().0 {
            VirtualKind::Reference => Tags::REFERENCE,
            VirtualKind::Pid => Tags::PID,
            VirtualKind::Fun => Tags::FUN,
        },
        View::Foreign(ptr) => heap.foreign_tags(ptr),
        View::Sym(..) => Tags::ANY,
    }
}
