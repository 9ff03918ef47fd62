//! A term of a type, by chance.
//!
//! Unions are open to all their alternatives, lists and bitstrings have some length, integers are small, at their bounds, of any magnitude, or
//! near one that stands in the code. As a term grows, alternatives of least height become the only ones, so it has an end. Every term that is
//! made is of its type, but for maps whose optional keys clash.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use super::inhabitant::{Identifiers, another_key, nearest_to_zero, smallest};
use super::making::{Task, Visited, Whole, make};
use super::member::is_member;
use super::{Node, Presence, TypeId, Types};
use crate::term::bits::{BitWriter, Endian};
use crate::term::{AtomId, Heap, Packed, Value, table};

/// How many parts a term has before it is brought to an end.
const PARTS: u32 = 40;
/// The largest number of bits of an integer that is made up.
const MOST_BITS: usize = 48;
/// Integers from 0 to one of these are taken for characters: a byte, and the largest code point.
const LAST_BYTE: u32 = 0xFF;
const LAST_CHARACTER: u32 = 0x0010_FFFF;
/// Characters that text is treated differently for: a letter that has no capital of one character, one that goes with the letter before, a
/// joiner, a modifier, a flag, a syllable's beginning and end, white space and line ends, and the largest of one, two and three bytes.
const CHARACTERS: [u32; 20] = [
    0xDF,
    0x300,
    0x301,
    0x200D,
    0x1F3FB,
    0x1F1E6,
    0x1100,
    0x11A8,
    0xA0,
    0x85,
    13,
    10,
    9,
    32,
    0x7F,
    0x7FF,
    0xFFFF,
    0x1F468,
    0x149,
    LAST_CHARACTER,
];

/// Where chance comes from.
pub trait Dice {
    /// A number below another one; 0 if there is none.
    fn below(&mut self, bound: usize) -> usize;

    /// True once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// What stands in the code under test: material for terms.
#[derive(Default)]
pub struct Words {
    pub integers: Vec<BigInt>,
    pub atoms: Vec<AtomId>,
    /// Lists, tuples and bitstrings.
    pub terms: Vec<Packed>,
    /// Characters of texts.
    pub characters: Vec<u32>,
}

/// Makes terms.
pub struct Sampler<'a> {
    pub types: &'a Types,
    pub words: &'a Words,
    pub known: Identifiers,
    pub dice: &'a mut dyn Dice,
}

impl Sampler<'_> {
    /// A term of the type; `None` if there is none, or none that can be made up.
    pub fn sample(&mut self, heap: &mut Heap, id: TypeId) -> Option<Value> {
        self.types.height(id)?;
        let mut parts = 0;
        make(heap, id, |heap, id, tasks| {
            parts += 1;
            if parts > PARTS { smallest(self.types, heap, id, self.known).into() } else { self.visit(heap, id, tasks) }
        })
    }

    /// One of the alternatives: those with parts more often, so that lists have a length.
    fn alternative(&mut self, id: TypeId) -> Option<TypeId> {
        let mut all = self.types.alternatives(id);
        all.retain(|id| self.types.height(*id).is_some());
        let weight = |id: &TypeId| if self.types.height(*id) == Some(0) { 1 } else { 3 };
        let mut at = self.dice.below(all.iter().map(weight).sum());
        all.into_iter().find(|id| {
            let found = at < weight(id);
            at = at.saturating_sub(weight(id));
            found
        })
    }

    fn visit(&mut self, heap: &mut Heap, id: TypeId, tasks: &mut Vec<Task<TypeId>>) -> Visited {
        let Some(id) = self.alternative(id) else { return Visited::Nothing };
        if self.dice.once_in(8)
            && let Some(word) = self.word(heap, id)
        {
            return Visited::Term(word);
        }
        match self.types.node(id) {
            Node::Any => Visited::Term(self.anything(heap)),
            Node::None | Node::Union(_) => Visited::Nothing,
            Node::Integer { low, high } => {
                let integer = self.integer(low.as_ref(), high.as_ref());
                Visited::Term(heap.bigint(&integer))
            }
            Node::Float => Visited::Term(self.float(heap)),
            Node::AnyAtom => Visited::Term(self.atom()),
            Node::Atom(atom) => Visited::Term(Value::atom(*atom)),
            Node::Nil => Visited::Term(Value::NIL),
            Node::Cons(head, tail) => {
                tasks.extend([Task::Make(Whole::Cons), Task::Visit(*tail), Task::Visit(*head)]);
                Visited::Parts
            }
            Node::AnyTuple => {
                let elements: Vec<Value> = (0..self.dice.below(4)).map(|_| self.anything(heap)).collect();
                Visited::Term(heap.tuple(&elements))
            }
            Node::Tuple(elements) => {
                tasks.push(Task::Make(Whole::Tuple(elements.len())));
                tasks.extend(elements.iter().rev().map(|id| Task::Visit(*id)));
                Visited::Parts
            }
            Node::Bits { size, unit } => Visited::Term(self.bits(heap, *size, *unit)),
            Node::Map(_) => self.map(heap, id, tasks),
            Node::Fun { args, result } => {
                let arity = args.as_ref().map_or(1, Vec::len);
                if arity > table::MAX_TABLE_ARITY || self.types.height(*result).is_none() {
                    return smallest(self.types, heap, id, self.known).into();
                }
                tasks.extend([Task::Make(Whole::Fun(arity, Vec::new())), Task::Visit(*result)]);
                Visited::Parts
            }
            Node::Pid => self.known.pid.into(),
            Node::Port => self.known.port.into(),
            Node::Reference => self.known.reference.into(),
        }
    }

    /// A term that stands in the code and is of the type.
    fn word(&mut self, heap: &mut Heap, id: TypeId) -> Option<Value> {
        let word = self.words.terms.get(self.dice.below(self.words.terms.len()))?.unpack(heap);
        is_member(self.types, heap, word, id).then_some(word)
    }

    /// A small term of any type.
    pub fn anything(&mut self, heap: &mut Heap) -> Value {
        match self.dice.below(8) {
            0 => self.atom(),
            1 => self.float(heap),
            2 => Value::NIL,
            3 => self.bits(heap, 0, 8),
            4 => match self.words.terms.get(self.dice.below(self.words.terms.len())) {
                Some(word) => word.unpack(heap),
                None => heap.tuple(&[]),
            },
            _ => {
                let integer = self.integer(None, None);
                heap.bigint(&integer)
            }
        }
    }

    fn atom(&mut self) -> Value {
        let at = self.dice.below(self.words.atoms.len() + 1);
        Value::atom(self.words.atoms.get(at).copied().unwrap_or_else(|| AtomId::intern("a")))
    }

    fn float(&mut self, heap: &mut Heap) -> Value {
        let integer = self.integer(None, None).to_f64().filter(|float| float.is_finite()).unwrap_or(0.0);
        let parts = [1.0, 2.0, 10.0, -1.0];
        heap.float(integer / parts.get(self.dice.below(parts.len())).copied().unwrap_or(1.0))
    }

    /// An integer between the bounds.
    pub fn integer(&mut self, low: Option<&BigInt>, high: Option<&BigInt>) -> BigInt {
        let is_within = |int: &BigInt| low.is_none_or(|low| low <= int) && high.is_none_or(|high| int <= high);
        if let (Some(low), Some(high)) = (low, high)
            && low.is_zero()
            && matches!(high.to_u32(), Some(LAST_BYTE | LAST_CHARACTER))
        {
            let character = BigInt::from(self.character());
            return if is_within(&character) { character } else { BigInt::from(self.dice.below(256)) };
        }
        let integer = match self.dice.below(8) {
            0 => low.or(high).cloned().unwrap_or_default(),
            1 => high.or(low).cloned().unwrap_or_default(),
            2 | 3 => self.near_a_word(),
            4 => self.magnitude(),
            _ => nearest_to_zero(low, high) + BigInt::from(self.dice.below(16)),
        };
        if is_within(&integer) {
            return integer;
        }
        match (low, high) {
            (Some(low), Some(high)) => {
                let range = (high - low).to_u64().map_or(usize::MAX, |range| range as usize).saturating_add(1);
                low + BigInt::from(self.dice.below(range))
            }
            (Some(_), None) | (None, Some(_) | None) => {
                // What is beyond a bound on one side is within it on the other side of it.
                let bound = nearest_to_zero(low, high);
                let mirrored = &bound + &bound - &integer;
                if is_within(&mirrored) { mirrored } else { bound }
            }
        }
    }

    /// An integer that stands in the code, or one close to it, or as far from it as chance has it.
    fn near_a_word(&mut self) -> BigInt {
        let word = self.words.integers.get(self.dice.below(self.words.integers.len())).cloned().unwrap_or_default();
        match self.dice.below(4) {
            0 => word,
            1 => word + BigInt::from(self.dice.below(5)) - 2,
            2 => word + self.magnitude(),
            _ => {
                let other = self.words.integers.get(self.dice.below(self.words.integers.len()));
                word * (BigInt::from(self.dice.below(1_000)) - 200) + other.cloned().unwrap_or_default()
            }
        }
    }

    /// An integer of some number of bits, mostly above zero.
    fn magnitude(&mut self) -> BigInt {
        let bits = self.dice.below(MOST_BITS) + 1;
        let size = BigInt::from(self.dice.below(1 << bits));
        if self.dice.once_in(4) { -size } else { size }
    }

    /// A character: one of the code's texts, a plain one, or one that text is treated differently for.
    pub fn character(&mut self) -> u32 {
        let characters = self.words.characters.len();
        match self.dice.below(8) {
            0..3 if characters > 0 => self.words.characters.get(self.dice.below(characters)).copied().unwrap_or(0),
            0..5 => 32 + self.dice.below(95) as u32,
            5 => self.dice.below(256) as u32,
            _ => CHARACTERS.get(self.dice.below(CHARACTERS.len())).copied().unwrap_or(0),
        }
    }

    /// A bitstring: text as UTF-8, or any bytes; and with less than a byte at its end where that is possible.
    fn bits(&mut self, heap: &mut Heap, size: u64, unit: u64) -> Value {
        let mut bytes = Vec::new();
        for _ in 0..self.dice.below(6) {
            self.push_bytes(&mut bytes);
        }
        let mut wanted = bytes.len() as u64 * 8;
        if unit == 1 && self.dice.once_in(4) {
            wanted += self.dice.below(8) as u64;
        }
        let units = wanted.saturating_sub(size).checked_div(unit).unwrap_or(0);
        let wanted = (size + units * unit).min(1 << 16) as usize;
        bytes.resize(wanted.div_ceil(8), 0);
        let (whole, rest) = (wanted / 8, wanted % 8);
        let mut writer = BitWriter::new();
        writer.push_bytes(bytes.get(..whole).unwrap_or(&[]));
        if rest > 0 {
            writer.push_integer(&BigInt::from(self.dice.below(1 << rest)), rest, Endian::Big);
        }
        writer.finish(heap)
    }

    /// A character as UTF-8, or some byte.
    pub fn push_bytes(&mut self, bytes: &mut Vec<u8>) {
        match char::from_u32(self.character()).filter(|_| !self.dice.once_in(8)) {
            Some(character) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            None => bytes.push(self.dice.below(256) as u8),
        }
    }

    /// A map with all mandatory keys, and some of the others.
    fn map(&mut self, heap: &mut Heap, id: TypeId, tasks: &mut Vec<Task<TypeId>>) -> Visited {
        let Node::Map(associations) = self.types.node(id) else { return Visited::Nothing };
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for item in associations {
            let mandatory = item.presence == Presence::Mandatory;
            let possible = self.types.height(item.value).is_some();
            let times = if mandatory { 1 } else { self.dice.below(3) * usize::from(possible) };
            for _ in 0..times {
                match another_key(self.types, heap, (associations, item), &keys, self.known) {
                    Some(key) => {
                        keys.push(key);
                        values.push(Task::Visit(item.value));
                    }
                    None if mandatory => return Visited::Nothing,
                    None => break,
                }
            }
        }
        tasks.push(Task::Make(Whole::Map(keys)));
        tasks.extend(values.into_iter().rev());
        Visited::Parts
    }
}

#[cfg(test)]
mod tests;
