//! How objects lie in the words of a heap: kinds, headers, and which words after a header are values.

use crate::term::value::{HEADER, TAG_BITS, Tag, Value};

/// What a boxed object is. The comment says what its header's size counts and what words follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum BoxKind {
    /// Size: arity. The elements.
    Tuple,
    /// Size: 0. One raw word, the bits of the float.
    Float,
    /// Size: twice the number of raw words (64-bit limbs, least significant first), plus 1 if negative.
    Big,
    /// Size: bytes. The bytes in raw words, little end first. Only ever the base of [`BoxKind::Bits`].
    Bytes,
    /// Size: bytes of room. The bytes in raw words, then one raw word: how many bits are in use. What is not in use is zero.
    /// A bitstring that ends where the use ends may grow in place ([`super::bits::grow`]); bits once in use never change.
    Buffer,
    /// Size: 0. The base (bytes or a buffer), then two raw words: offset and length in bits.
    Bits,
    /// Size: twice the number of associations, plus 1 if a key has an expression in it. Key, value, key, value …,
    /// keys ascending in exact term order. See [`super::map`].
    Map,
    /// Size: as of [`BoxKind::Map`]. The root, a [`BoxKind::Branch`], of a map that is not small.
    HashMap,
    /// Size: number of words after the next. One raw word that says what they are: keys, values and further branches.
    Branch,
    /// Size: number of captured values. One raw word (the function, and the arity above bit 32), then the captured values.
    Closure,
    /// Size: 0. Module, function and arity of `fun M:F/A`.
    External,
    /// Size: bytes. A pid, port, reference or fun of the VM in external term format, in raw words.
    Foreign,
    /// Left behind by the collector. Size: the new place.
    Forward,
}

const KINDS: [BoxKind; 13] = [
    BoxKind::Tuple,
    BoxKind::Float,
    BoxKind::Big,
    BoxKind::Bytes,
    BoxKind::Buffer,
    BoxKind::Bits,
    BoxKind::Map,
    BoxKind::HashMap,
    BoxKind::Branch,
    BoxKind::Closure,
    BoxKind::External,
    BoxKind::Foreign,
    BoxKind::Forward,
];
const KIND_BITS: u32 = 5;

/// The first word of a boxed object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Header(pub(super) u64);

impl Header {
    pub const fn new(kind: BoxKind, size: usize) -> Self {
        Header(((((size as u64) << KIND_BITS) | kind as u64) << TAG_BITS) | HEADER)
    }

    pub(in crate::term) const fn of_word(word: u64) -> Option<Self> {
        if Value::from_word(word).tag() as u8 == Tag::Header as u8 { Some(Header(word)) } else { None }
    }

    #[inline]
    pub fn kind(self) -> BoxKind {
        let number = (self.0 >> TAG_BITS) & ((1 << KIND_BITS) - 1);
        KINDS.get(number as usize).copied().unwrap_or(BoxKind::Forward)
    }

    #[inline]
    pub const fn size(self) -> usize {
        (self.0 >> (TAG_BITS + KIND_BITS)) as usize
    }

    pub const fn word(self) -> u64 {
        self.0
    }

    /// The header of the same object without expressions in it.
    pub fn without_expressions(self) -> Self {
        match self.kind() {
            BoxKind::Map | BoxKind::HashMap => Header::new(self.kind(), self.size() & !1),
            BoxKind::Tuple
            | BoxKind::Float
            | BoxKind::Big
            | BoxKind::Bytes
            | BoxKind::Buffer
            | BoxKind::Bits
            | BoxKind::Branch
            | BoxKind::Closure
            | BoxKind::External
            | BoxKind::Foreign
            | BoxKind::Forward => self,
        }
    }

    /// How many words the object takes, header included.
    pub fn words(self) -> usize {
        1 + self.shape().words()
    }

    /// Of the object or single value at word `at`: the places of its values, and the place after it.
    pub(in crate::term) fn value_words(word: u64, at: usize) -> (std::ops::Range<usize>, usize) {
        match Header::of_word(word) {
            None => (at..at + 1, at + 1),
            Some(header) => {
                let shape = header.shape();
                let first = at + 1 + shape.raw_before;
                (first..first + shape.values, at + 1 + shape.words())
            }
        }
    }

    fn shape(self) -> Shape {
        let size = self.size();
        match self.kind() {
            BoxKind::Tuple => Shape { raw_before: 0, values: size, raw_after: 0 },
            BoxKind::Float => Shape { raw_before: 1, values: 0, raw_after: 0 },
            BoxKind::Big => Shape { raw_before: size / 2, values: 0, raw_after: 0 },
            BoxKind::Bytes | BoxKind::Foreign => Shape { raw_before: size.div_ceil(8), values: 0, raw_after: 0 },
            BoxKind::Buffer => Shape { raw_before: size.div_ceil(8) + 1, values: 0, raw_after: 0 },
            BoxKind::Bits => Shape { raw_before: 0, values: 1, raw_after: 2 },
            BoxKind::Map => Shape { raw_before: 0, values: size & !1, raw_after: 0 },
            BoxKind::HashMap => Shape { raw_before: 0, values: 1, raw_after: 0 },
            BoxKind::Branch | BoxKind::Closure => Shape { raw_before: 1, values: size, raw_after: 0 },
            BoxKind::External => Shape { raw_before: 0, values: 3, raw_after: 0 },
            BoxKind::Forward => Shape { raw_before: 0, values: 0, raw_after: 0 },
        }
    }
}

/// How the words after a header divide into raw words and values.
#[derive(Clone, Copy)]
struct Shape {
    raw_before: usize,
    values: usize,
    raw_after: usize,
}

impl Shape {
    const fn words(self) -> usize {
        self.raw_before + self.values + self.raw_after
    }
}
