//! Maps: two layouts, one for each size, as in the VM.
//!
//! A map of at most [`SMALL`] keys is one object with its keys in exact order. A larger one is a hash trie ([`trie`]) in which a
//! change copies one path. The size alone says which layout a map has, and a trie's form depends on nothing but its content; so equal maps
//! are built alike however they came about.
//!
//! Everything here works on the concrete part of keys. Whether two of them could be equal for other inputs is decided elsewhere, before a map is
//! asked or changed; a map only remembers if any of its keys has an expression in it ([`Map::symbolic`]).
//!
//! Not modelled: the order in which the VM walks through its own tries. It depends on hashes that only the VM knows.

mod rebuild;
mod trie;

pub use rebuild::rebuilt;

use super::heap::{BoxKind, Heap};
use super::order::{KeyOrder, compare_exact, identical};
use super::sort::sort_by;
use super::value::{Ptr, Value};

/// The most keys of a small map. The same as in the VM, where it shows: the keys of a small map come in order.
pub const SMALL: usize = 32;

pub type Pair = (Value, Value);

/// A value that is a map.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    ptr: Ptr,
    pub size: usize,
    /// Some key has, or had once, an expression in it.
    pub symbolic: bool,
}

impl Map {
    /// The (concrete) value as a map, if it is one.
    #[inline]
    pub fn of(heap: &Heap, value: Value) -> Option<Map> {
        if !value.is_boxed() {
            return None;
        }
        let header = heap.header(value);
        let size = header.size();
        matches!(header.kind(), BoxKind::Map | BoxKind::HashMap).then(|| Map {
            ptr: value.ptr(),
            size: size / 2,
            symbolic: size & 1 == 1,
        })
    }

    pub const fn value(self) -> Value {
        Value::boxed(self.ptr)
    }

    pub const fn is_small(self) -> bool {
        self.size <= SMALL
    }

    fn root(self, heap: &Heap) -> Ptr {
        heap.value(self.ptr.plus(1)).ptr()
    }
}

const fn sizes(size: usize, symbolic: bool) -> usize {
    2 * size + symbolic as usize
}

// Reading

/// Where a key stands, its value behind it.
#[inline]
pub fn find(heap: &Heap, map: Map, key: Value) -> Option<Ptr> {
    let key = heap.concrete(key);
    if map.is_small() {
        find_small(heap, map, key).map(|index| map.ptr.plus(1 + 2 * index))
    } else {
        trie::find(heap, map.root(heap), key)
    }
}

#[inline]
pub fn get(heap: &Heap, map: Map, key: Value) -> Option<Value> {
    find(heap, map, key).map(|place| heap.value(place.plus(1)))
}

/// The places of all keys: in order if the map is small, else in the order of the trie.
pub fn places(heap: &Heap, map: Map) -> Vec<Ptr> {
    if map.is_small() {
        (0..map.size).map(|index| map.ptr.plus(1 + 2 * index)).collect()
    } else {
        let mut places = Vec::with_capacity(map.size);
        trie::collect(heap, map.root(heap), &mut places);
        places
    }
}

/// All associations, in the order of [`places`].
pub fn pairs(heap: &Heap, map: Map) -> Vec<Pair> {
    places(heap, map).into_iter().map(|place| (heap.value(place), heap.value(place.plus(1)))).collect()
}

/// All associations, keys ascending in exact order.
pub fn sorted(heap: &Heap, map: Map) -> Vec<Pair> {
    let mut pairs = pairs(heap, map);
    if !map.is_small() {
        sort(heap, &mut pairs);
    }
    pairs
}

/// The associations in an order of their keys.
pub fn in_order(heap: &Heap, map: Map, order: KeyOrder) -> Vec<Pair> {
    let mut pairs = sorted(heap, map);
    reorder(heap, &mut pairs, order);
    pairs
}

/// Brings associations that are in the order of terms into another one.
pub fn reorder(heap: &Heap, pairs: &mut [Pair], order: KeyOrder) {
    if order != KeyOrder::Terms {
        sort_by(pairs, |a, b| order.compare(heap, a.0, b.0));
    }
}

fn sort(heap: &Heap, pairs: &mut [Pair]) {
    sort_by(pairs, |a, b| compare_exact(heap, a.0, b.0));
}

/// An immediate key is a word to look for; others need the order.
fn find_small(heap: &Heap, map: Map, key: Value) -> Option<usize> {
    if key.is_pointer() || map.symbolic {
        return search(heap, map, key).ok();
    }
    let (words, _) = heap.raw(map.ptr.plus(1), 2 * map.size).as_chunks::<2>();
    words.iter().position(|[word, _]| *word == key.word())
}

/// Where the key is in a small map, or where it would be.
fn search(heap: &Heap, map: Map, key: Value) -> Result<usize, usize> {
    let (mut low, mut high) = (0, map.size);
    while low < high {
        let middle = (low + high) / 2;
        match compare_exact(heap, heap.value(map.ptr.plus(1 + 2 * middle)), key) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Equal => return Ok(middle),
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    Err(low)
}

// Building

/// A map of pairs that are in order, without two equal keys.
pub fn from_sorted(heap: &mut Heap, pairs: &[Pair], symbolic: bool) -> Value {
    if pairs.len() > SMALL {
        return hashed(heap, pairs.to_vec(), symbolic);
    }
    let ptr = heap.push_header(BoxKind::Map, sizes(pairs.len(), symbolic));
    heap.words_mut().extend(pairs.iter().flat_map(|(key, value)| [key.word(), value.word()]));
    Value::boxed(ptr)
}

/// A small map of keys and values in turn, in order, without expressions in the keys.
pub fn small(heap: &mut Heap, parts: &[Value]) -> Value {
    let ptr = heap.push_header(BoxKind::Map, parts.len() & !1);
    heap.words_mut().extend(parts.iter().map(|value| value.word()));
    Value::boxed(ptr)
}

/// A map of any pairs. Of those with the same key, the last one counts.
pub fn from_pairs(heap: &mut Heap, mut pairs: Vec<Pair>, symbolic: bool) -> Value {
    if pairs.len() > SMALL {
        return hashed(heap, pairs, symbolic);
    }
    sort(heap, &mut pairs);
    pairs.reverse();
    pairs.dedup_by(|a, b| identical(heap, a.0, b.0));
    pairs.reverse();
    from_sorted(heap, &pairs, symbolic)
}

/// The same by way of hashes. Keys may turn out to be equal, so that the map is small after all.
fn hashed(heap: &mut Heap, pairs: Vec<Pair>, symbolic: bool) -> Value {
    let entries = trie::entries(heap, pairs);
    if entries.len() <= SMALL {
        let mut pairs: Vec<Pair> = entries.iter().map(|entry| (entry.key, entry.value)).collect();
        sort(heap, &mut pairs);
        return from_sorted(heap, &pairs, symbolic);
    }
    let root = trie::build(heap, &entries, 0);
    large(heap, root, entries.len(), symbolic)
}

fn large(heap: &mut Heap, root: Ptr, size: usize, symbolic: bool) -> Value {
    let ptr = heap.push_header(BoxKind::HashMap, sizes(size, symbolic));
    heap.words_mut().push(Value::boxed(root).word());
    Value::boxed(ptr)
}

// Changing

/// The map with this association. A small map keeps the key that it has, a large one takes the new one: in the VM, this tells `0.0`
/// from `-0.0` where these are the same key.
pub fn put(heap: &mut Heap, map: Map, pair: Pair, symbolic: bool) -> Value {
    let symbolic = symbolic || map.symbolic;
    if !map.is_small() {
        return put_large(heap, map, pair, symbolic);
    }
    let key = heap.concrete(pair.0);
    if let Some(index) = find_small(heap, map, key) {
        return replace(heap, map, index, pair.1);
    }
    match search(heap, map, key) {
        Ok(index) => replace(heap, map, index, pair.1),
        Err(_) if map.size == SMALL => {
            let mut pairs = pairs(heap, map);
            pairs.push(pair);
            hashed(heap, pairs, symbolic)
        }
        Err(index) => {
            let ptr = heap.push_header(BoxKind::Map, sizes(map.size + 1, symbolic));
            heap.copy_words(map.ptr.plus(1), 2 * index);
            heap.words_mut().extend([pair.0.word(), pair.1.word()]);
            heap.copy_words(map.ptr.plus(1 + 2 * index), 2 * (map.size - index));
            Value::boxed(ptr)
        }
    }
}

/// A small map with another value at this index.
fn replace(heap: &mut Heap, map: Map, index: usize, value: Value) -> Value {
    if heap.value(map.ptr.plus(2 + 2 * index)) == value {
        return map.value();
    }
    let ptr = Ptr::own(heap.used());
    heap.copy_words(map.ptr, 1 + 2 * map.size);
    if let Some(slot) = heap.words_mut().get_mut(ptr.plus(2 + 2 * index).index()) {
        *slot = value.word();
    }
    Value::boxed(ptr)
}

fn put_large(heap: &mut Heap, map: Map, pair: Pair, symbolic: bool) -> Value {
    let entry = trie::Entry::new(heap, pair);
    match trie::insert(heap, map.root(heap), 0, entry) {
        None => map.value(),
        Some((root, added)) => large(heap, root, map.size + usize::from(added), symbolic),
    }
}

/// The map without this key; the same map if it does not have it.
pub fn remove(heap: &mut Heap, map: Map, key: Value) -> Value {
    let key = heap.concrete(key);
    if !map.is_small() {
        return remove_large(heap, map, key);
    }
    let Some(index) = find_small(heap, map, key) else { return map.value() };
    let ptr = heap.push_header(BoxKind::Map, sizes(map.size - 1, map.symbolic));
    heap.copy_words(map.ptr.plus(1), 2 * index);
    heap.copy_words(map.ptr.plus(3 + 2 * index), 2 * (map.size - index - 1));
    Value::boxed(ptr)
}

fn remove_large(heap: &mut Heap, map: Map, key: Value) -> Value {
    let gone = trie::find(heap, map.root(heap), key).map(|place| heap.value(place));
    match gone {
        None => map.value(),
        Some(gone) if map.size == SMALL + 1 => {
            let mut left = sorted(heap, map);
            left.retain(|(key, _)| *key != gone);
            from_sorted(heap, &left, map.symbolic)
        }
        Some(_) => match trie::remove(heap, map.root(heap), 0, trie::key_hash(heap, key), key) {
            trie::Removed::Branch(root) => large(heap, root, map.size - 1, map.symbolic),
            trie::Removed::Nothing | trie::Removed::Single(_) => map.value(),
        },
    }
}

/// All associations of both; where both have a key, the second map's.
pub fn merge(heap: &mut Heap, first: Map, second: Map) -> Value {
    let symbolic = first.symbolic || second.symbolic;
    if first.size == 0 {
        return second.value();
    }
    if second.size == 0 || first.value() == second.value() {
        return first.value();
    }
    if first.is_small() && second.is_small() || 4 * second.size > first.size && 4 * first.size > second.size {
        let mut all = pairs(heap, first);
        all.extend(pairs(heap, second));
        return from_pairs(heap, all, symbolic);
    }
    if first.size > second.size {
        return put_all(heap, first, pairs(heap, second), symbolic);
    }
    let mut missing = pairs(heap, first);
    missing.retain(|(key, _)| find(heap, second, *key).is_none());
    put_all(heap, second, missing, symbolic)
}

fn put_all(heap: &mut Heap, map: Map, pairs: Vec<Pair>, symbolic: bool) -> Value {
    pairs.into_iter().fold(map.value(), |value, pair| match Map::of(heap, value) {
        Some(map) => put(heap, map, pair, symbolic),
        None => value,
    })
}

#[cfg(test)]
mod tests;
