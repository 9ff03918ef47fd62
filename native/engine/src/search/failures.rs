//! Which failures are the same, as far as the engine can tell: the host looks closer.

use rustc_hash::FxHashSet;

use super::expected;
use crate::machine::{Class, Outcome};
use crate::report::Failure;
use crate::term::order::equal;
use crate::term::{Heap, Packed, Value, View, print};

/// Class, place and kind of reason, as text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key(String);

pub struct Seen {
    keys: FxHashSet<Key>,
    /// See [`expected`].
    raises: Vec<Packed>,
}

impl Seen {
    pub fn new(raises: Vec<Packed>) -> Self {
        Seen { keys: FxHashSet::default(), raises }
    }

    fn key(&self, outcome: &Outcome) -> Option<Key> {
        let Outcome::Raised { class, reason, stacktrace } = outcome else { return None };
        Some(key(*class, reason, stacktrace, expected::is_expected(&self.raises, *class, reason)))
    }

    /// Whether a run failed in a way that nobody has seen before.
    pub fn is_news(&self, outcome: &Outcome) -> bool {
        self.key(outcome).is_some_and(|key| !self.keys.contains(&key))
    }

    /// The failure of a run, if it failed in a way that nobody has seen before.
    pub fn news(&mut self, input: &[Packed], outcome: &Outcome, run: u64) -> Option<Failure> {
        let Outcome::Raised { class, reason, stacktrace } = outcome else { return None };
        let new = self.key(outcome).is_some_and(|key| self.keys.insert(key));
        new.then(|| Failure {
            input: input.to_vec(),
            class: *class,
            reason: reason.clone(),
            stacktrace: stacktrace.clone(),
            run,
            condition: None,
            outside: Vec::new(),
        })
    }
}

/// What is expected never hides what is not.
fn key(class: Class, reason: &Packed, stacktrace: &Packed, expected: bool) -> Key {
    let (heap, reason) = reason.open();
    let (trace_heap, trace) = stacktrace.open();
    let mut place = String::new();
    let mut rest = trace;
    // Frames of functions with arguments instead of an arity tell one call from another: the arity is enough.
    for _ in 0..2 {
        if rest.is_cons() {
            place.push_str(&frame(&trace_heap, trace_heap.head(rest)));
            rest = trace_heap.tail(rest);
        }
    }
    let by_zero = trace.is_cons() && is_division_by_zero(&trace_heap, trace_heap.head(trace));
    Key(format!("{class:?} {} {place}{by_zero}{expected}", shape(&heap, reason)))
}

/// A number that was to be divided by zero, which is another mistake than what is no number.
fn is_division_by_zero(heap: &Heap, frame: Value) -> bool {
    if heap.tuple_arity(frame) != Some(4) || !heap.element(frame, 2).is_cons() {
        return false;
    }
    let (function, args) = (heap.element(frame, 1), heap.element(frame, 2));
    let divides = function.is_atom() && matches!(&*function.as_atom().name(), "/" | "div" | "rem");
    let is_number = |value| matches!(heap.view(value), View::Small(_) | View::Big(_) | View::Float(_));
    let rest = heap.tail(args);
    divides && is_number(heap.head(args)) && rest.is_cons() && equal(heap, heap.head(rest), Value::ZERO)
}

fn frame(heap: &Heap, frame: Value) -> String {
    if heap.tuple_arity(frame) != Some(4) {
        return String::new();
    }
    let [module, function, arity, location] = [0, 1, 2, 3].map(|index| heap.element(frame, index));
    let location = print::term_to_string(heap, location);
    let mut count = 0;
    let mut args = arity;
    while args.is_cons() {
        count += 1;
        args = heap.tail(args);
    }
    if arity.is_small() {
        count = arity.as_small();
    }
    format!("{module:?}:{function:?}/{count} {location};")
}

/// An atom as it is, a tuple by its tag and size, other terms by their type.
fn shape(heap: &Heap, reason: Value) -> String {
    match heap.view(reason) {
        View::Atom(atom) => atom.to_string(),
        View::Tuple(_, size) if size > 0 && heap.element(reason, 0).is_atom() => {
            format!("{{{},{size}}}", heap.element(reason, 0).as_atom())
        }
        _ => format!("{:?}", crate::sym::lift::tags_of(heap, reason)),
    }
}
