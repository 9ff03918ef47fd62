//! Collecting a heap by copying what is reachable, and relocating words that were copied in one piece.

use super::{BoxKind, FIRST_COLLECTION, Header, Heap};
use crate::term::value::{Ptr, Tag, Value};

/// Words between two looks whether the collection is still wanted.
const STRETCH: usize = 1 << 18;

impl Heap {
    /// Keeps what the roots reach and gives back the rest. Every root is updated; other values of this heap become meaningless, and all of them do if
    /// it is interrupted.
    pub fn collect(&mut self, roots: &mut [&mut [Value]]) {
        let mut to = Vec::with_capacity(self.words.len() / 2);
        for value in roots.iter_mut().flat_map(|slice| slice.iter_mut()) {
            *value = self.evacuate(*value, &mut to);
        }
        let (mut at, mut look_at) = (0, STRETCH);
        while let Some(word) = to.get(at).copied() {
            let (values, next) = Header::value_words(word, at);
            for place in values {
                self.scan_value(place, &mut to);
            }
            at = next;
            if at >= look_at {
                if !self.goes_on() {
                    return;
                }
                look_at = at + STRETCH;
            }
        }
        self.words = to;
        *self.collect_at.get_mut() = FIRST_COLLECTION.max(2 * self.words.len());
    }

    /// Like [`Heap::collect`]; from now on values have no expressions any more: nobody asks for them.
    pub fn collect_plain(&mut self, roots: &mut [&mut [Value]]) {
        self.plain = true;
        self.collect(roots);
    }

    fn scan_value(&mut self, place: usize, to: &mut Vec<u64>) {
        let Some(word) = to.get(place).copied() else { return };
        let value = self.evacuate(Value::from_word(word), to);
        if let Some(slot) = to.get_mut(place) {
            *slot = value.word();
        }
    }

    fn evacuate(&mut self, value: Value, to: &mut Vec<u64>) -> Value {
        let value = if self.plain { self.concrete(value) } else { value };
        if !value.is_pointer() || value.ptr().is_literal() {
            return value;
        }
        let from = value.ptr().index();
        let first = self.words.get(from).copied().unwrap_or(0);
        let words = match (value.tag(), Header::of_word(first)) {
            (_, Some(header)) if header.kind() == BoxKind::Forward => {
                return value.moved_to(Ptr::own(header.size()));
            }
            (Tag::Boxed, Some(header)) => header.words(),
            _ => 2,
        };
        let place = to.len();
        to.extend_from_slice(self.words.get(from..from + words).unwrap_or(&[]));
        if let Some(slot) = self.words.get_mut(from) {
            *slot = Header::new(BoxKind::Forward, place).word();
        }
        value.moved_to(Ptr::own(place))
    }

    /// Replaces every value in these words, which start with a whole object: to relocate what was copied in one piece.
    pub(in crate::term) fn visit_values(words: &mut [u64], mut visit: impl FnMut(Value) -> Value) {
        let mut at = 0;
        while let Some(word) = words.get(at).copied() {
            let (values, next) = Header::value_words(word, at);
            for word in words.get_mut(values).unwrap_or(&mut []) {
                *word = visit(Value::from_word(*word)).word();
            }
            at = next;
        }
    }
}
