//! Exceptions that a function may raise.

use crate::machine::Class;
use crate::term::{AtomId, Heap, Packed, Value, View, order};

/// Whether one of the patterns fits: a reason, or a pair of class and reason.
pub(super) fn is_expected(patterns: &[Packed], class: Class, reason: &Packed) -> bool {
    patterns.iter().any(|pattern| {
        let (mut heap, pattern) = pattern.open();
        let reason = reason.unpack(&mut heap);
        let pair = match heap.tuple_arity(pattern) {
            Some(2) => Some((heap.element(pattern, 0), heap.element(pattern, 1))),
            Some(_) | None => None,
        };
        let with_class = pair.is_some_and(|(class_of, reason_of)| {
            class_of == Value::atom(class.atom()) && fits(&heap, reason_of, reason)
        });
        with_class || fits(&heap, pattern, reason)
    })
}

fn fits(heap: &Heap, pattern: Value, term: Value) -> bool {
    let anything = Value::atom(AtomId::intern("_"));
    let mut rest = vec![(pattern, term)];
    while let Some((pattern, term)) = rest.pop() {
        if pattern == anything {
            continue;
        }
        match (heap.view(pattern), heap.view(term)) {
            (View::Cons(_), View::Cons(_)) => {
                rest.extend([(heap.tail(pattern), heap.tail(term)), (heap.head(pattern), heap.head(term))]);
            }
            (View::Tuple(_, size), View::Tuple(_, other)) if size == other => {
                rest.extend((0..size).map(|index| (heap.element(pattern, index), heap.element(term, index))));
            }
            _ if order::identical(heap, pattern, term) => {}
            _ => return false,
        }
    }
    true
}
