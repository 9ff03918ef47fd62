//! Maps that are put in order again after something in their keys was replaced.

use rustc_hash::FxHashMap;

use super::super::heap::{Heap, View};
use super::super::value::{Ptr, Value};
use super::{Map, from_pairs, pairs};

/// The same term, in which every map is where its keys belong. Closures are not looked into, and nothing in the term may have an expression.
pub fn rebuilt(heap: &mut Heap, value: Value) -> Value {
    let mut done = FxHashMap::default();
    let mut todo = vec![value];
    while let Some(value) = todo.last().copied() {
        let parts = if is_done(&done, value) { Vec::new() } else { parts(heap, value) };
        let before = todo.len();
        todo.extend(parts.into_iter().filter(|part| !is_done(&done, *part)));
        if todo.len() == before {
            todo.pop();
            if !is_done(&done, value) {
                let new = build(heap, value, &done);
                done.insert(value.ptr(), new);
            }
        }
    }
    new_of(&done, value)
}

fn is_done(done: &FxHashMap<Ptr, Value>, value: Value) -> bool {
    !value.is_pointer() || value.ptr().is_literal() || done.contains_key(&value.ptr())
}

fn new_of(done: &FxHashMap<Ptr, Value>, value: Value) -> Value {
    if value.is_pointer() { done.get(&value.ptr()).copied().unwrap_or(value) } else { value }
}

fn parts(heap: &Heap, value: Value) -> Vec<Value> {
    match heap.view(value) {
        View::Cons(_) => vec![heap.head(value), heap.tail(value)],
        View::Tuple(_, arity) => (0..arity).map(|index| heap.element(value, index)).collect(),
        View::Map(..) => {
            let pairs = Map::of(heap, value).map(|map| pairs(heap, map)).unwrap_or_default();
            pairs.into_iter().flat_map(|(key, value)| [key, value]).collect()
        }
        View::Small(_)
        | View::Big(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Nil
        | View::Bits(_)
        | View::Closure(_)
        | View::External(_)
        | View::Foreign(_)
        | View::Virtual(_)
        | View::Sym(..) => Vec::new(),
    }
}

/// A value of parts that are done.
fn build(heap: &mut Heap, value: Value, done: &FxHashMap<Ptr, Value>) -> Value {
    let parts: Vec<Value> = parts(heap, value).into_iter().map(|part| new_of(done, part)).collect();
    match (heap.view(value), parts.as_slice()) {
        (View::Cons(_), [head, tail]) => heap.cons(*head, *tail),
        (View::Tuple(..), elements) => heap.tuple(elements),
        (View::Map(..), parts) => {
            let (pairs, _) = parts.as_chunks::<2>();
            from_pairs(heap, pairs.iter().map(|[key, value]| (*key, *value)).collect(), false)
        }
        _ => value,
    }
}
