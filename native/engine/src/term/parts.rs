//! Looking for something in all parts of a value.

use rustc_hash::FxHashSet;

use super::heap::{Heap, View};
use super::map::{self, Map};
use super::value::Value;

/// True if some part of a value, or all of it, is what is looked for. Literals are not looked into, as they have nothing special in them.
pub fn has_part(heap: &Heap, value: Value, wanted: &dyn Fn(Value) -> bool) -> bool {
    let mut seen = FxHashSet::default();
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        if wanted(value) {
            return true;
        }
        let value = heap.concrete(value);
        if !value.is_pointer() || value.ptr().is_literal() || !seen.insert(value.ptr()) {
            continue;
        }
        let ptr = value.ptr();
        match heap.view(value) {
            // The first element before the others: it is often what all are.
            View::Cons(_) => rest.extend([heap.tail(value), heap.head(value)]),
            View::Tuple(_, arity) => rest.extend((0..arity).map(|index| heap.element(value, index))),
            View::Map(..) => rest.extend(map_parts(heap, value)),
            View::Closure(_) => rest.extend((0..heap.captured(ptr)).map(|index| heap.value(ptr.plus(2 + index)))),
            View::Small(_)
            | View::Big(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Nil
            | View::Bits(_)
            | View::External(_)
            | View::Foreign(_)
            | View::Virtual(_)
            | View::Sym(..) => {}
        }
    }
    false
}

/// True if there is an expression anywhere in the value.
pub fn has_symbols(heap: &Heap, value: Value) -> bool {
    has_part(heap, value, &|part| part.is_sym())
}

/// True if there is a map in the value, outside of funs and of what is symbolic. Looks into literals too.
pub fn has_map(heap: &Heap, value: Value) -> bool {
    let mut seen = FxHashSet::default();
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        if value.is_pointer() && !seen.insert(value.ptr()) {
            continue;
        }
        match heap.view(value) {
            View::Map(..) => return true,
            View::Cons(_) => rest.extend([heap.head(value), heap.tail(value)]),
            View::Tuple(_, arity) => rest.extend((0..arity).map(|index| heap.element(value, index))),
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
            | View::Sym(..) => {}
        }
    }
    false
}

/// The keys and values of a map.
fn map_parts(heap: &Heap, value: Value) -> impl Iterator<Item = Value> {
    let pairs = Map::of(heap, value).map(|map| map::pairs(heap, map)).unwrap_or_default();
    pairs.into_iter().flat_map(|(key, value)| [key, value])
}
