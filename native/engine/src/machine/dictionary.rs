//! The dictionary of a process.
//!
//! Keys stay in the order in which they were put, whatever the BEAM's order is. Those without expressions are found by their hash; the others are few, and
//! whoever looks for a key decides whether it is one of them. No two keys are the same on this path, so a key that is found by its hash needs no decision.
//! An erased key leaves a hole; holes go once they are half of everything.

use std::collections::BTreeSet;

use crate::term::{Heap, Value, hash::hash, order};

#[derive(Default)]
pub struct Dictionary {
    /// Keys and values in turn.
    words: Vec<Value>,
    entries: Vec<Entry>,
    by_hash: BTreeSet<(u64, Place)>,
    symbolic: BTreeSet<Place>,
    holes: usize,
}

/// The number of a key, and of its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place(usize);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    Hashed(u64),
    Symbolic,
    Hole,
}

impl Dictionary {
    pub fn pairs(&self) -> impl Iterator<Item = [Value; 2]> {
        let is_there = |(_, entry): &(&[Value], &Entry)| **entry != Entry::Hole;
        let pairs = self.words.chunks_exact(2).zip(&self.entries).filter(is_there);
        pairs.filter_map(|(pair, _)| pair.try_into().ok())
    }

    pub(super) fn values_mut(&mut self) -> &mut [Value] {
        &mut self.words
    }

    /// A key without expressions, among those without expressions.
    pub fn find(&self, heap: &Heap, key: Value) -> Option<Place> {
        let hash = hash(heap, key);
        let alike = self.by_hash.range((hash, Place(0))..=(hash, Place(usize::MAX)));
        alike.map(|(_, place)| *place).find(|place| order::identical(heap, self.key(*place), key))
    }

    /// The keys with expressions in them, in their order.
    pub fn symbolic(&self) -> Vec<Place> {
        self.symbolic.iter().copied().collect()
    }

    /// All keys, in their order.
    pub fn places(&self) -> Vec<Place> {
        let all = self.entries.iter().enumerate();
        all.filter(|(_, entry)| **entry != Entry::Hole).map(|(index, _)| Place(index)).collect()
    }

    pub fn key(&self, place: Place) -> Value {
        self.words.get(2 * place.0).copied().unwrap_or(Value::NIL)
    }

    pub fn value(&self, place: Place) -> Option<Value> {
        self.words.get(2 * place.0 + 1).copied()
    }

    /// Gives a key that is there another value; the result is the old one.
    pub fn replace(&mut self, place: Place, value: Value) -> Option<Value> {
        self.words.get_mut(2 * place.0 + 1).map(|slot| std::mem::replace(slot, value))
    }

    /// Adds a key that is not there.
    pub fn add(&mut self, heap: &Heap, key: Value, value: Value, is_concrete: bool) {
        let place = Place(self.entries.len());
        self.words.extend([key, value]);
        if is_concrete {
            let hash = hash(heap, key);
            self.by_hash.insert((hash, place));
            self.entries.push(Entry::Hashed(hash));
        } else {
            self.symbolic.insert(place);
            self.entries.push(Entry::Symbolic);
        }
    }

    /// The result is the value.
    pub fn erase(&mut self, place: Place) -> Option<Value> {
        let entry = std::mem::replace(self.entries.get_mut(place.0)?, Entry::Hole);
        match entry {
            Entry::Hashed(hash) => drop(self.by_hash.remove(&(hash, place))),
            Entry::Symbolic => drop(self.symbolic.remove(&place)),
            Entry::Hole => return None,
        }
        let value = self.replace(place, Value::NIL);
        if let Some(key) = self.words.get_mut(2 * place.0) {
            *key = Value::NIL;
        }
        self.holes += 1;
        if 2 * self.holes > self.entries.len() {
            self.close_holes();
        }
        value
    }

    fn close_holes(&mut self) {
        self.words = self.pairs().flatten().collect();
        self.entries.retain(|entry| *entry != Entry::Hole);
        self.by_hash.clear();
        self.symbolic.clear();
        for (entry, place) in self.entries.iter().zip((0..).map(Place)) {
            match entry {
                Entry::Hashed(hash) => drop(self.by_hash.insert((*hash, place))),
                Entry::Symbolic => drop(self.symbolic.insert(place)),
                Entry::Hole => {}
            }
        }
        self.holes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Literals;

    #[test]
    fn keys_are_found_after_others_were_erased() {
        let heap = Heap::new(Literals::default());
        let mut dictionary = Dictionary::default();
        for number in 0..100 {
            dictionary.add(&heap, Value::count(number), Value::count(number + 1), number % 10 != 3);
        }
        for number in (0..100).filter(|number| number % 4 > 0 && number % 10 != 3) {
            let place = dictionary.find(&heap, Value::count(number));
            assert_eq!(place.and_then(|place| dictionary.erase(place)), Some(Value::count(number + 1)));
        }
        let left: Vec<usize> = (0..100).filter(|number| number % 4 == 0 || number % 10 == 3).collect();
        assert!(dictionary.pairs().eq(left.iter().map(|number| [*number, number + 1].map(Value::count))));
        for number in 0..100 {
            let place = dictionary.find(&heap, Value::count(number));
            let value = place.and_then(|place| dictionary.value(place));
            assert_eq!(value, (number % 4 == 0 && number % 10 != 3).then(|| Value::count(number + 1)));
        }
        let symbolic = dictionary.symbolic().into_iter().map(|place| dictionary.key(place));
        assert!(symbolic.eq((0..10).map(|ten| Value::count(10 * ten + 3))));
    }
}
