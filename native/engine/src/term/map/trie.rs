//! Hash tries, the inside of large maps.
//!
//! A branch distributes its keys by five bits of their hash, the first level by the topmost ones. Of the 32 ways, each is empty, holds one association
//! or leads to a further branch, which then has at least two associations below it. So the form of a trie follows from its content.
//!
//! Layout of a [`BoxKind::Branch`]: a raw word with a bit for each way that holds an association (lower half) and for each that leads to a branch
//! (upper half); then the associations, then the branches, in the order of the ways. Keys whose hashes are entirely
//! the same end up in a bucket below the last level: the raw word is zero, and the associations are in exact order of their keys.
//!
//! Recursion is bounded by the number of levels.

use super::super::effort::Effort;
use super::super::hash::hash;
use super::super::heap::{BoxKind, Heap};
use super::super::order::{compare_exact, identical};
use super::super::sort::sort_by;
use super::super::value::{Ptr, Value};
use super::Pair;

/// Levels that have bits of the hash to go by.
const LEVELS: u32 = 13;
const BITS: u32 = 5;

/// An association on its way into a trie.
#[derive(Clone, Copy)]
pub struct Entry {
    hash: u64,
    pub key: Value,
    pub value: Value,
}

impl Entry {
    pub fn new(heap: &Heap, (key, value): Pair) -> Self {
        Entry { hash: key_hash(heap, key), key, value }
    }
}

/// The hash of a key's concrete part.
#[inline]
pub fn key_hash(heap: &Heap, key: Value) -> u64 {
    let key = heap.concrete(key);
    let word = if key.is_pointer() { hash(heap, key) } else { key.word() };
    // Every bit must depend on every other: the topmost ones are looked at first.
    let word = (word ^ (word >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// The way that a hash goes at a level.
const fn way(hash: u64, level: u32) -> u32 {
    1 << ((hash << (BITS * level)) >> (u64::BITS - BITS))
}

/// A branch, opened.
#[derive(Clone, Copy)]
struct Branch {
    ptr: Ptr,
    /// Ways that hold an association.
    held: u32,
    /// Ways that lead to a branch.
    led: u32,
}

impl Branch {
    #[inline]
    fn open(heap: &Heap, ptr: Ptr) -> Self {
        let ways = heap.word(ptr.plus(1));
        Branch { ptr, held: ways as u32, led: (ways >> 32) as u32 }
    }

    /// How many associations stand before that of this way.
    const fn index(self, way: u32) -> usize {
        (self.held & (way - 1)).count_ones() as usize
    }

    /// The place of the association number `index`.
    const fn pair(self, index: usize) -> Ptr {
        self.ptr.plus(2 + 2 * index)
    }

    /// The place of the branch that this way leads to.
    const fn branch(self, way: u32) -> Ptr {
        let before = 2 * self.held.count_ones() + (self.led & (way - 1)).count_ones();
        self.ptr.plus(2 + before as usize)
    }

    /// Number of words behind the ways.
    const fn words(self) -> usize {
        (2 * self.held.count_ones() + self.led.count_ones()) as usize
    }

    /// The place after the last word.
    const fn end(self) -> Ptr {
        self.ptr.plus(2 + self.words())
    }
}

fn distance(from: Ptr, to: Ptr) -> usize {
    to.index().saturating_sub(from.index())
}

/// Starts a branch with these ways; its words are to follow.
fn start(heap: &mut Heap, held: u32, led: u32) -> Ptr {
    let words = 2 * held.count_ones() + led.count_ones();
    let ptr = heap.push_header(BoxKind::Branch, words as usize);
    heap.words_mut().push(u64::from(held) | (u64::from(led) << 32));
    ptr
}

fn push(heap: &mut Heap, values: &[Value]) {
    heap.words_mut().extend(values.iter().map(|value| value.word()));
}

/// Copies the words between two places of one branch.
fn copy(heap: &mut Heap, from: Ptr, to: Ptr) {
    heap.copy_words(from, distance(from, to));
}

/// A copy of a branch with some of its words replaced.
fn with_words(heap: &mut Heap, branch: Branch, at: Ptr, values: &[Value]) -> Ptr {
    let ptr = Ptr::own(heap.used());
    copy(heap, branch.ptr, at);
    push(heap, values);
    copy(heap, at.plus(values.len()), branch.end());
    ptr
}

// Reading

#[inline]
pub fn find(heap: &Heap, root: Ptr, key: Value) -> Option<Ptr> {
    let hash = key_hash(heap, key);
    let mut ptr = root;
    for level in 0..LEVELS {
        let branch = Branch::open(heap, ptr);
        let way = way(hash, level);
        if branch.held & way != 0 {
            let place = branch.pair(branch.index(way));
            return identical(heap, heap.value(place), key).then_some(place);
        }
        if branch.led & way == 0 {
            return None;
        }
        ptr = heap.value(branch.branch(way)).ptr();
    }
    bucket(heap, ptr).find(|place| identical(heap, heap.value(*place), key))
}

/// The places of the keys of a bucket.
fn bucket(heap: &Heap, ptr: Ptr) -> impl Iterator<Item = Ptr> + use<> {
    let words = heap.header(Value::boxed(ptr)).size();
    (0..words).step_by(2).map(move |index| ptr.plus(2 + index))
}

/// The places of all keys.
pub fn collect(heap: &Heap, root: Ptr, places: &mut Vec<Ptr>) {
    let mut rest = vec![root];
    while let Some(ptr) = rest.pop() {
        let branch = Branch::open(heap, ptr);
        if branch.held == 0 && branch.led == 0 {
            places.extend(bucket(heap, ptr));
            continue;
        }
        let held = branch.held.count_ones() as usize;
        places.extend((0..held).map(|index| branch.pair(index)));
        let first = branch.pair(held);
        rest.extend((0..branch.led.count_ones() as usize).rev().map(|index| heap.value(first.plus(index)).ptr()));
    }
}

// Building

/// The pairs with different keys, in the order in which a trie wants them. Of those with the same key, the last one stays.
pub fn entries(heap: &Heap, pairs: Vec<Pair>) -> Vec<Entry> {
    let mut effort = Effort::new(heap);
    let pairs = pairs.into_iter().rev().take_while(|_| effort.spend(heap));
    let mut entries: Vec<Entry> = pairs.map(|pair| Entry::new(heap, pair)).collect();
    entries.sort_by_key(|entry| entry.hash);
    for group in entries.chunk_by_mut(|a, b| a.hash == b.hash) {
        sort_by(group, |a, b| compare_exact(heap, a.key, b.key));
    }
    entries.dedup_by(|a, b| a.hash == b.hash && identical(heap, a.key, b.key));
    entries
}

/// A branch of ordered entries, whose hashes are the same up to this level.
pub fn build(heap: &mut Heap, entries: &[Entry], level: u32) -> Ptr {
    if level == LEVELS {
        return build_bucket(heap, entries);
    }
    let (mut held, mut led) = (0, 0);
    let mut pairs: Vec<Value> = Vec::new();
    let mut branches: Vec<Value> = Vec::new();
    for group in entries.chunk_by(|a, b| way(a.hash, level) == way(b.hash, level)) {
        match group {
            [] => {}
            [entry] => {
                held |= way(entry.hash, level);
                pairs.extend([entry.key, entry.value]);
            }
            [first, ..] => {
                led |= way(first.hash, level);
                branches.push(Value::boxed(build(heap, group, level + 1)));
            }
        }
    }
    let ptr = start(heap, held, led);
    push(heap, &pairs);
    push(heap, &branches);
    ptr
}

fn build_bucket(heap: &mut Heap, entries: &[Entry]) -> Ptr {
    let ptr = heap.push_header(BoxKind::Branch, 2 * entries.len());
    heap.words_mut().push(0);
    for entry in entries {
        push(heap, &[entry.key, entry.value]);
    }
    ptr
}

// Changing

/// The branch with one more association, or another value for a key, and whether the key is new. `None` if nothing changes.
pub fn insert(heap: &mut Heap, ptr: Ptr, level: u32, entry: Entry) -> Option<(Ptr, bool)> {
    if level == LEVELS {
        return insert_into_bucket(heap, ptr, entry);
    }
    let branch = Branch::open(heap, ptr);
    let way = way(entry.hash, level);
    if branch.held & way != 0 {
        return insert_beside(heap, branch, level, entry);
    }
    if branch.led & way != 0 {
        let place = branch.branch(way);
        let (below, added) = insert(heap, heap.value(place).ptr(), level + 1, entry)?;
        return Some((with_words(heap, branch, place, &[Value::boxed(below)]), added));
    }
    let new = start(heap, branch.held | way, branch.led);
    let place = branch.pair(branch.index(way));
    copy(heap, branch.pair(0), place);
    push(heap, &[entry.key, entry.value]);
    copy(heap, place, branch.end());
    Some((new, true))
}

/// The way of the new association holds one already: that of the same key, or another, with which it shares a new branch from now on.
fn insert_beside(heap: &mut Heap, branch: Branch, level: u32, entry: Entry) -> Option<(Ptr, bool)> {
    let way = way(entry.hash, level);
    let place = branch.pair(branch.index(way));
    let (key, value) = (heap.value(place), heap.value(place.plus(1)));
    if identical(heap, key, entry.key) {
        let same = value == entry.value;
        return (!same).then(|| (with_words(heap, branch, place, &[entry.key, entry.value]), false));
    }
    let other = Entry::new(heap, (key, value));
    let below = build(heap, &in_order(heap, [other, entry]), level + 1);
    let new = start(heap, branch.held & !way, branch.led | way);
    let at = branch.branch(way);
    copy(heap, branch.pair(0), place);
    copy(heap, place.plus(2), at);
    push(heap, &[Value::boxed(below)]);
    copy(heap, at, branch.end());
    Some((new, true))
}

fn in_order(heap: &Heap, [a, b]: [Entry; 2]) -> [Entry; 2] {
    let order = a.hash.cmp(&b.hash).then_with(|| compare_exact(heap, a.key, b.key));
    if order.is_gt() { [b, a] } else { [a, b] }
}

fn bucket_entries(heap: &Heap, ptr: Ptr, hash: u64) -> Vec<Entry> {
    let entry = |place: Ptr| Entry { hash, key: heap.value(place), value: heap.value(place.plus(1)) };
    bucket(heap, ptr).map(entry).collect()
}

fn insert_into_bucket(heap: &mut Heap, ptr: Ptr, entry: Entry) -> Option<(Ptr, bool)> {
    let mut entries = bucket_entries(heap, ptr, entry.hash);
    match entries.binary_search_by(|other| compare_exact(heap, other.key, entry.key)) {
        Ok(index) => {
            let slot = entries.get_mut(index)?;
            if slot.value == entry.value {
                return None;
            }
            *slot = entry;
            Some((build_bucket(heap, &entries), false))
        }
        Err(index) => {
            entries.insert(index, entry);
            Some((build_bucket(heap, &entries), true))
        }
    }
}

/// What is left of a branch without a key.
pub enum Removed {
    /// It did not have the key.
    Nothing,
    Branch(Ptr),
    /// A single association, which has no need of a branch.
    Single(Pair),
}

pub fn remove(heap: &mut Heap, ptr: Ptr, level: u32, hash: u64, key: Value) -> Removed {
    if level == LEVELS {
        return remove_from_bucket(heap, ptr, hash, key);
    }
    let branch = Branch::open(heap, ptr);
    let way = way(hash, level);
    if branch.held & way != 0 {
        let index = branch.index(way);
        return if identical(heap, heap.value(branch.pair(index)), key) {
            without_pair(heap, branch, way, level)
        } else {
            Removed::Nothing
        };
    }
    if branch.led & way == 0 {
        return Removed::Nothing;
    }
    let place = branch.branch(way);
    match remove(heap, heap.value(place).ptr(), level + 1, hash, key) {
        Removed::Nothing => Removed::Nothing,
        Removed::Branch(below) => Removed::Branch(with_words(heap, branch, place, &[Value::boxed(below)])),
        Removed::Single(pair) => with_pair_for_branch(heap, branch, way, level, pair),
    }
}

/// Takes out the association of a way. Below the root, two of which one is left need no branch.
fn without_pair(heap: &mut Heap, branch: Branch, way: u32, level: u32) -> Removed {
    let index = branch.index(way);
    if level > 0 && branch.led == 0 && branch.held.count_ones() == 2 {
        let other = branch.pair(1 - index);
        return Removed::Single((heap.value(other), heap.value(other.plus(1))));
    }
    let new = start(heap, branch.held & !way, branch.led);
    copy(heap, branch.pair(0), branch.pair(index));
    copy(heap, branch.pair(index + 1), branch.end());
    Removed::Branch(new)
}

/// The way that led to a branch holds an association instead.
fn with_pair_for_branch(heap: &mut Heap, branch: Branch, way: u32, level: u32, pair: Pair) -> Removed {
    if level > 0 && branch.held == 0 && branch.led == way {
        return Removed::Single(pair);
    }
    let new = start(heap, branch.held | way, branch.led & !way);
    let (place, gone) = (branch.pair(branch.index(way)), branch.branch(way));
    copy(heap, branch.pair(0), place);
    push(heap, &[pair.0, pair.1]);
    copy(heap, place, gone);
    copy(heap, gone.plus(1), branch.end());
    Removed::Branch(new)
}

fn remove_from_bucket(heap: &mut Heap, ptr: Ptr, hash: u64, key: Value) -> Removed {
    let mut entries = bucket_entries(heap, ptr, hash);
    let before = entries.len();
    entries.retain(|entry| !identical(heap, entry.key, key));
    match entries.as_slice() {
        _ if entries.len() == before => Removed::Nothing,
        [entry] => Removed::Single((entry.key, entry.value)),
        _ => Removed::Branch(build_bucket(heap, &entries)),
    }
}
