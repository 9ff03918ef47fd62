//! From values to expressions: the expression of a structure with symbolic parts.

use rustc_hash::FxHashMap;

use super::arena::{Arena, SymId};
use super::tags::Tags;
use crate::term::map::{self, Map};
use crate::term::parts::has_symbols;
use crate::term::{Heap, Packed, Value, View, VirtualKind};
use crate::with_stack;

enum Step {
    Visit(Value),
    Cons(Value),
    Tuple(Value, usize),
    /// Changes of a map: the constant one, and the keys whose values have been lifted.
    Puts(SymId, Vec<SymId>),
}

/// From so many steps on it is remembered what has been lifted: a small term can be a large one if its parts are shared.
const MANY: usize = 10_000;

/// Room for one more level of maps in the keys of maps.
const STACK: usize = 1 << 17;

/// The expression of a value. Parts without an inside for the solver become opaque constants. A map with symbolic parts is a constant one with
/// these parts put into it; `keys` gets those of its keys that come with them, and what they are.
pub fn lift(arena: &mut Arena, heap: &Heap, value: Value, keys: &mut Vec<(SymId, Value)>) -> SymId {
    let mut steps = vec![Step::Visit(value)];
    let mut done: Vec<SymId> = Vec::new();
    let (mut count, mut known) = (0, FxHashMap::default());
    while let Some(step) = steps.pop() {
        count += 1;
        let (begun, ended) = match &step {
            Step::Visit(value) => (known.get(value).copied(), None),
            Step::Cons(value) | Step::Tuple(value, _) => (None, Some(*value)),
            Step::Puts(..) => (None, None),
        };
        if let Some(id) = begun {
            done.push(id);
            continue;
        }
        let id = match step {
            Step::Visit(value) => match heap.view(value) {
                View::Cons(_) => {
                    steps.extend([Step::Cons(value), Step::Visit(heap.tail(value)), Step::Visit(heap.head(value))]);
                    continue;
                }
                View::Tuple(_, arity) => {
                    steps.push(Step::Tuple(value, arity));
                    steps.extend((0..arity).rev().map(|index| Step::Visit(heap.element(value, index))));
                    continue;
                }
                View::Map(..) if has_symbols(heap, value) => {
                    with_stack(STACK, || visit_map(arena, heap, value, &mut steps, keys));
                    continue;
                }
                _ => lift_flat(arena, heap, value),
            },
            Step::Cons(_) => match (done.pop(), done.pop()) {
                (Some(tail), Some(head)) => arena.cons(head, tail),
                _ => continue,
            },
            Step::Tuple(_, arity) => {
                let elements = done.split_off(done.len().saturating_sub(arity));
                arena.tuple(elements)
            }
            Step::Puts(base, keys) => {
                let values = done.split_off(done.len().saturating_sub(keys.len()));
                keys.into_iter().zip(values).fold(base, |map, (key, value)| arena.map_put(map, key, value))
            }
        };
        known.extend(ended.filter(|_| count > MANY).map(|value| (value, id)));
        done.push(id);
    }
    done.pop().unwrap_or_else(|| arena.nil())
}

/// The associations with symbolic parts are put into what is left of the map, in an order that does not depend on what expressions are in
/// this run.
fn visit_map(arena: &mut Arena, heap: &Heap, value: Value, steps: &mut Vec<Step>, keys: &mut Vec<(SymId, Value)>) {
    let pairs = Map::of(heap, value).map(|map| map::sorted(heap, map)).unwrap_or_default();
    let (mut by_value, mut by_key) = (Vec::new(), Vec::new());
    for (key, value) in pairs {
        if has_symbols(heap, key) {
            by_key.push((lift(arena, heap, key, keys), key, value));
        } else if has_symbols(heap, value) {
            by_value.push((lift_flat_key(arena, heap, key), key, value));
        }
    }
    by_key.sort_by_key(|(id, ..)| *id);
    by_value.extend(by_key);
    let base = without(heap, value, by_value.iter().map(|(_, key, _)| *key));
    let base = arena.opaque_term(base, Tags::MAP);
    keys.extend(by_value.iter().map(|(id, key, _)| (*id, *key)));
    steps.push(Step::Puts(base, by_value.iter().map(|(id, ..)| *id).collect()));
    steps.extend(by_value.into_iter().rev().map(|(.., value)| Step::Visit(value)));
}

/// The expression of a key without symbolic parts.
fn lift_flat_key(arena: &mut Arena, heap: &Heap, key: Value) -> SymId {
    lift(arena, heap, key, &mut Vec::new())
}

/// The map without these keys, on its own.
fn without(heap: &Heap, map: Value, keys: impl Iterator<Item = Value>) -> Packed {
    let (mut own, mut root) = Packed::pack(heap, map).open();
    for key in keys {
        let key = Packed::pack(heap, key).unpack(&mut own);
        if let Some(map) = Map::of(&own, root) {
            root = map::remove(&mut own, map, key);
        }
    }
    Packed::pack(&own, root)
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
