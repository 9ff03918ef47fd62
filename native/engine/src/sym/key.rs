//! What an expression says, as a number that does not depend on the arena it is in.
//!
//! Two expressions of the same structure have the same key, also in arenas that number them differently. Keys have 128 bits: that two expressions of
//! different structure share one by accident is not to be expected.
//!
//! Numbers of an arena announce themselves to a hasher: [`SymId`] as an `i64`, [`OpaqueId`] as an `i32`, which nothing else in an expression
//! does. So hashing an expression with a hasher that knows the arena gives a key of its structure.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use super::arena::{Arena, SymId};
use super::expr::OpaqueId;

/// The key of an expression.
pub type Key = u128;

/// The keys of the expressions of one arena, as far as they were asked for.
#[derive(Default)]
pub struct Keys {
    memo: FxHashMap<SymId, Key>,
}

impl Keys {
    /// The key of an expression; parts first.
    pub fn of(&mut self, arena: &Arena, id: SymId) -> Key {
        let is_known = |memo: &FxHashMap<SymId, Key>, id| memo.contains_key(&id);
        arena.parts_first(id, &mut self.memo, is_known, |memo, id| {
            let mut hasher = Structure { arena, memo, mixer: Mixer::default() };
            arena.get(id).hash(&mut hasher);
            let key = hasher.mixer.key();
            memo.insert(id, key);
        });
        self.memo.get(&id).copied().unwrap_or(0)
    }
}

/// One key of many, which are in order.
pub fn combined(keys: impl IntoIterator<Item = Key>) -> Key {
    let mut mixer = Mixer::default();
    keys.into_iter().for_each(|key| mixer.add_key(key));
    mixer.key()
}

/// Two halves, mixed differently.
#[derive(Clone, Copy)]
struct Mixer(u64, u64);

impl Default for Mixer {
    fn default() -> Self {
        Mixer(0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03)
    }
}

impl Mixer {
    fn add(&mut self, word: u64) {
        self.0 = scrambled(self.0 ^ word.wrapping_mul(0xFF51_AFD7_ED55_8CCD));
        self.1 = scrambled(self.1.rotate_left(23).wrapping_add(word ^ 0xA076_1D64_78BD_642F));
    }

    fn add_key(&mut self, key: Key) {
        self.add(key as u64);
        self.add((key >> 64) as u64);
    }

    fn key(self) -> Key {
        (Key::from(scrambled(self.0 ^ self.1.rotate_left(32))) << 64) | Key::from(scrambled(self.1))
    }
}

/// Every bit of the word changes about half of those of the result.
const fn scrambled(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

struct Structure<'a> {
    arena: &'a Arena,
    memo: &'a FxHashMap<SymId, Key>,
    mixer: Mixer,
}

impl Hasher for Structure<'_> {
    fn write(&mut self, bytes: &[u8]) {
        self.mixer.add(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let word = chunk.iter().rev().fold(0u64, |word, byte| (word << 8) | u64::from(*byte));
            self.mixer.add(word);
        }
    }

    /// An expression: its key.
    fn write_i64(&mut self, number: i64) {
        let key = self.memo.get(&SymId::from_number(number as u32)).copied().unwrap_or(0);
        self.mixer.add_key(key);
    }

    /// A constant without an inside for the solver: the term.
    fn write_i32(&mut self, number: i32) {
        if let Some(term) = self.arena.opaque(OpaqueId(number as u32)) {
            term.hash(self);
        }
    }

    fn finish(&self) -> u64 {
        self.mixer.key() as u64
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::sym::Tags;
    use crate::term::{AtomId, Heap, Literals, Packed};

    fn conditions(arena: &mut Arena) -> Vec<SymId> {
        let (x, y) = (arena.input(0), arena.input(1));
        let (head, tail) = (arena.head(x), arena.tail(x));
        let (a, b) = (arena.int_of(head), arena.int_of(y));
        let sum = arena.add(a, b);
        let product = arena.mul(a, b);
        let seven = arena.int(7);
        let atom = arena.atom(AtomId::intern("ok"));
        let other = arena.atom(AtomId::intern("error"));
        vec![
            arena.is(x, Tags::CONS),
            arena.is(y, Tags::CONS),
            arena.is(x, Tags::NIL),
            arena.lt(sum, seven),
            arena.lt(seven, sum),
            arena.lt(product, seven),
            arena.eq(tail, atom),
            arena.eq(tail, other),
            arena.eq(head, atom),
            arena.arity(y, 2),
            arena.arity(y, 3),
        ]
    }

    #[test]
    fn equal_structure_has_equal_keys_in_all_arenas() {
        let (mut one, mut other) = (Arena::default(), Arena::default());
        for number in 0..40 {
            let place = other.input(number);
            other.tail(place);
        }
        let (first, second) = (conditions(&mut one), conditions(&mut other));
        assert_ne!(first, second);
        let (mut of_one, mut of_other) = (Keys::default(), Keys::default());
        for (a, b) in first.iter().zip(&second) {
            assert_eq!(of_one.of(&one, *a), of_other.of(&other, *b));
        }
    }

    #[test]
    fn different_structure_has_different_keys() {
        let mut arena = Arena::default();
        let conditions = conditions(&mut arena);
        let mut keys = Keys::default();
        let mut all: Vec<Key> = conditions.iter().map(|id| keys.of(&arena, *id)).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), conditions.len());
    }

    #[test]
    fn constants_without_an_inside_count_by_what_they_are() {
        let binary = |bytes: &[u8]| {
            let mut heap = Heap::new(Literals::default());
            let value = heap.binary(bytes);
            Packed::pack(&heap, value)
        };
        let key = |before: &[&[u8]], bytes: &[u8]| {
            let mut arena = Arena::default();
            for other in before {
                arena.intern_opaque(binary(other));
            }
            let opaque = arena.intern_opaque(binary(bytes));
            let id = arena.intern(crate::sym::Expr::Opaque(opaque, Tags::BITS));
            Keys::default().of(&arena, id)
        };
        assert_eq!(key(&[], b"one"), key(&[b"two", b"three"], b"one"));
        assert_ne!(key(&[], b"one"), key(&[], b"two"));
    }
}
