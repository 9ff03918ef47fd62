//! A term on its own: what inputs, outcomes and messages are outside of a run.
//!
//! A packed term has no expressions and points nowhere but into itself, so it can be kept, compared, sent to another thread and
//! unpacked into any heap. Sharing inside the term is kept.

use rustc_hash::FxHashMap;

use super::bits::Reader;
use super::heap::{Bits, BoxKind, Header, Heap, Literals};
use super::value::{Ptr, Value};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Packed {
    words: Box<[u64]>,
    root: Value,
    /// Some part is there once and occurs more often.
    shared: bool,
}

/// Words between two looks whether the term is still wanted.
const STRETCH: usize = 1 << 16;

/// Terms with shared parts that have more parts than this, each counted as often as it occurs, are not written out.
const MOST_WRITTEN: usize = 1 << 24;

impl Packed {
    pub fn immediate(value: Value) -> Self {
        Packed { words: Box::default(), root: value, shared: false }
    }

    /// The concrete part of a value, on its own.
    pub fn pack(heap: &Heap, value: Value) -> Self {
        Packed::pack_with(heap, value, &mut |_| None)
    }

    /// As [`Packed::pack`], with a value in place of each closure for which `stand_in` has one: one that is no place in the heap.
    pub fn pack_with(heap: &Heap, value: Value, stand_in: &mut dyn FnMut(Value) -> Option<Value>) -> Self {
        let mut packer = Packer { heap, stand_in, places: FxHashMap::default(), words: Vec::new(), shared: false };
        let root = packer.place(value);
        if !packer.fill() {
            return Packed::immediate(Value::NIL);
        }
        Packed { words: packer.words.into_boxed_slice(), root, shared: packer.shared }
    }

    /// The term again, in this heap.
    pub fn unpack(&self, heap: &mut Heap) -> Value {
        self.unpack_with(heap, &|value| value)
    }

    /// As [`Packed::unpack`], with `replace` applied to everything that is no place in the heap.
    pub fn unpack_with(&self, heap: &mut Heap, replace: &dyn Fn(Value) -> Value) -> Value {
        let base = heap.used();
        let words = heap.words_mut();
        words.extend_from_slice(&self.words);
        let relocate = |value: Value| {
            if value.is_pointer() { value.moved_to(Ptr::own(value.ptr().index() + base)) } else { replace(value) }
        };
        Heap::visit_values(words.get_mut(base..).unwrap_or(&mut []), relocate);
        relocate(self.root)
    }

    /// Adds the term to `bytes`, in as few of them as is easy: small words, which are most, take one to three.
    pub fn squeeze(&self, bytes: &mut Vec<u8>) {
        let mut add = |word: u64| {
            // Small integers below zero are as short as those above.
            let mut rest = (word << 1) ^ ((word as i64 >> 63) as u64);
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        };
        add(self.root.word());
        add((self.words.len() as u64) << 1 | u64::from(self.shared));
        self.words.iter().for_each(|word| add(*word));
    }

    /// Takes what [`Packed::squeeze`] has added off the front of `bytes`.
    pub fn unsqueeze(bytes: &mut &[u8]) -> Option<Self> {
        let mut word = || {
            let mut word = 0u64;
            for shift in (0..70).step_by(7) {
                let (first, rest) = bytes.split_first()?;
                *bytes = rest;
                word |= u64::from(first & 0x7F).checked_shl(shift)?;
                if first & 0x80 == 0 {
                    return Some((word >> 1) ^ (word & 1).wrapping_neg());
                }
            }
            None
        };
        let root = Value::from_word(word()?);
        let count = word()?;
        let (count, shared) = (count >> 1, count & 1 == 1);
        let words = (0..count).map(|_| word()).collect::<Option<Vec<u64>>>()?;
        Some(Packed { words: words.into_boxed_slice(), root, shared })
    }

    /// Number of words: a measure of how large the term is.
    pub fn size(&self) -> usize {
        self.words.len()
    }

    /// Whether the term is much larger when it is written out than it is here, where parts that are shared are there once.
    pub fn is_too_large_to_write(&self) -> bool {
        self.shared && self.has_more_parts_than(MOST_WRITTEN)
    }

    /// Whether the term has no more words than so many, and not many more when it is written out.
    pub fn is_within(&self, most: usize) -> bool {
        self.words.len() <= most && !(self.shared && self.has_more_parts_than(most))
    }

    /// Counts each part as often as it occurs.
    fn has_more_parts_than(&self, most: usize) -> bool {
        let mut count = 0;
        let mut rest = vec![self.root];
        while let Some(value) = rest.pop() {
            count += 1;
            if count > most {
                return true;
            }
            rest.extend(self.pointers_in(value));
        }
        false
    }

    /// The parts of an object that are objects themselves.
    fn pointers_in(&self, value: Value) -> impl Iterator<Item = Value> {
        let at = if value.is_pointer() { value.ptr().index() } else { self.words.len() };
        let places = match self.words.get(at) {
            Some(_) if value.is_cons() => at..at + 2,
            Some(word) => Header::value_words(*word, at).0,
            None => 0..0,
        };
        let values = places.filter_map(|place| self.words.get(place).map(|word| Value::from_word(*word)));
        values.filter(|part| part.is_pointer())
    }

    /// What `look` says of the term.
    pub fn open_with<T>(&self, look: impl FnOnce(&Heap, Value) -> T) -> T {
        let (heap, root) = self.open();
        look(&heap, root)
    }

    /// The term as a heap of its own with its root, for reading.
    pub fn open(&self) -> (Heap, Value) {
        let mut heap = Heap::new(Literals::default());
        let root = self.unpack(&mut heap);
        (heap, root)
    }
}

/// Copies a term breadth first: objects are placed whole, then the values in them are followed.
struct Packer<'a> {
    heap: &'a Heap,
    stand_in: &'a mut dyn FnMut(Value) -> Option<Value>,
    places: FxHashMap<Ptr, usize>,
    words: Vec<u64>,
    shared: bool,
}

impl Packer<'_> {
    /// The copy of a value: an object is copied word for word, its values still those of the old heap.
    fn place(&mut self, value: Value) -> Value {
        let value = self.heap.concrete(value);
        if !value.is_pointer() {
            return value;
        }
        if value.is_boxed()
            && self.heap.header(value).kind() == BoxKind::Closure
            && let Some(other) = (self.stand_in)(value)
        {
            return other;
        }
        let ptr = value.ptr();
        if let Some(place) = self.places.get(&ptr) {
            self.shared = true;
            return value.moved_to(Ptr::own(*place));
        }
        if let Some(bits) = self.heap.as_bits(value) {
            return self.place_bits(value, bits);
        }
        let place = self.words.len();
        if value.is_cons() {
            self.words.extend_from_slice(self.heap.raw(ptr, 2));
        } else {
            let header = self.heap.header(value);
            self.words.push(header.without_expressions().word());
            self.words.extend_from_slice(self.heap.raw(ptr.plus(1), header.words() - 1));
        }
        self.places.insert(ptr, place);
        value.moved_to(Ptr::own(place))
    }

    /// Of the array behind a bitstring only its own bits are copied, from bit 0 on: equal bitstrings are equal words.
    fn place_bits(&mut self, value: Value, bits: Bits) -> Value {
        let base = Ptr::own(self.words.len());
        self.words.push(Header::new(BoxKind::Bytes, bits.length.div_ceil(8)).word());
        self.words.extend(Reader::new(self.heap, bits).chunks().map(u64::swap_bytes));
        let place = self.words.len();
        let header = Header::new(BoxKind::Bits, 0).word();
        self.words.extend_from_slice(&[header, Value::boxed(base).word(), 0, bits.length as u64]);
        self.places.insert(value.ptr(), place);
        value.moved_to(Ptr::own(place))
    }

    /// False if it was interrupted.
    fn fill(&mut self) -> bool {
        let (mut at, mut look_at) = (0, STRETCH);
        while let Some(word) = self.words.get(at).copied() {
            let (values, next) = Header::value_words(word, at);
            // The base of a bitstring is in place already.
            let done = Header::of_word(word).is_some_and(|header| header.kind() == BoxKind::Bits);
            for place in values.filter(|_| !done) {
                let Some(word) = self.words.get(place).copied() else { continue };
                let copy = self.place(Value::from_word(word));
                if let Some(slot) = self.words.get_mut(place) {
                    *slot = copy.word();
                }
            }
            at = next;
            if at >= look_at {
                if !self.heap.goes_on() {
                    return false;
                }
                look_at = at + STRETCH;
            }
        }
        true
    }
}

/// Literals under construction: terms are unpacked one after the other, and become one literal area.
pub struct LiteralBuilder {
    words: Vec<u64>,
}

impl LiteralBuilder {
    /// Starts from literals that exist already; these keep their places.
    pub fn new(literals: &Literals) -> Self {
        LiteralBuilder { words: literals.words().to_vec() }
    }

    pub fn add(&mut self, term: &Packed) -> Value {
        let base = self.words.len();
        self.words.extend_from_slice(&term.words);
        let relocate = |value: Value| {
            if value.is_pointer() { value.moved_to(Ptr::literal(value.ptr().index() + base)) } else { value }
        };
        Heap::visit_values(self.words.get_mut(base..).unwrap_or(&mut []), relocate);
        relocate(term.root)
    }

    pub fn finish(self) -> Literals {
        Literals::from_words(self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sym::SymId;

    #[test]
    fn a_packed_term_is_free_of_expressions_and_keeps_its_structure() {
        let mut heap = Heap::new(Literals::default());
        let one = heap.symbolic(Value::count(1), SymId::from_number(0));
        let tuple = heap.tuple(&[one, Value::NIL]);
        let list = heap.list([tuple, tuple], one);
        let packed = Packed::pack(&heap, list);
        let mut other = Heap::new(Literals::default());
        other.float(0.5);
        let copy = packed.unpack(&mut other);
        assert_eq!(other.element(other.head(copy), 0), Value::count(1));
        assert_eq!(other.tail(other.tail(copy)), Value::count(1));
        assert_eq!(other.head(copy), other.head(other.tail(copy)), "sharing is kept");
        assert_eq!(Packed::pack(&other, copy), packed);
    }

    #[test]
    fn literals_keep_their_places_when_more_are_added() {
        let mut heap = Heap::new(Literals::default());
        let list = heap.list([Value::count(5)], Value::NIL);
        let packed = Packed::pack(&heap, list);
        let mut first = LiteralBuilder::new(&Literals::default());
        let a = first.add(&packed);
        let literals = first.finish();
        let mut second = LiteralBuilder::new(&literals);
        let b = second.add(&packed);
        let heap = Heap::new(second.finish());
        assert_eq!(heap.head(a), Value::count(5));
        assert_eq!(heap.head(b), Value::count(5));
        assert_ne!(a, b);
    }

    #[test]
    fn a_term_that_is_huge_when_it_is_written_is_told_from_a_large_one() {
        let mut heap = Heap::new(Literals::default());
        let doubled = (0..100).fold(Value::NIL, |part, _| heap.cons(part, part));
        let long = (0..1_000_000).fold(doubled, |rest, _| heap.cons(Value::NIL, rest));
        let plain = (0..1_000_000).fold(Value::NIL, |rest, _| heap.cons(Value::NIL, rest));
        let twice = heap.cons(plain, plain);
        let is_too_large = |value| Packed::pack(&heap, value).is_too_large_to_write();
        assert_eq!([doubled, long, plain, twice].map(is_too_large), [true, true, false, false]);
    }
}
