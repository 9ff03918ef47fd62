//! The heap of one run: where everything lives that does not fit into a [`Value`].
//!
//! A heap is two areas of words: the run's own, which only ever grows between two collections, and the literal area of the loaded
//! code, which is shared by all runs and never changes. Objects are immutable once built. Handles are indices, so a heap can be moved
//! to another thread or dropped in one step, however deep its terms are.
//!
//! Layout of the run's own words: a word is a value or a header. A header says what follows and how many words of it are raw
//! (not values); conses and symbolic cells need no header. So one linear walk can tell values from raw data anywhere, which is all
//! that collecting ([`Heap::collect`]) and relocating ([`super::packed`]) need.
//!
//! Collection happens only at the machine's safe points. Rust code that runs between two of them may keep values in variables.

use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};

use super::atom::AtomId;
use super::value::{HEADER, Ptr, TAG_BITS, Tag, Value};
use crate::sym::{SymId, Tags};

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
pub struct Header(u64);

impl Header {
    pub const fn new(kind: BoxKind, size: usize) -> Self {
        Header(((((size as u64) << KIND_BITS) | kind as u64) << TAG_BITS) | HEADER)
    }

    pub(super) const fn of_word(word: u64) -> Option<Self> {
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
    pub(super) fn value_words(word: u64, at: usize) -> (std::ops::Range<usize>, usize) {
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

/// A term opened one level, for code that is not on the fast path.
#[derive(Clone, Copy, Debug)]
pub enum View {
    Small(i64),
    Big(Ptr),
    Float(f64),
    Atom(AtomId),
    Nil,
    Cons(Ptr),
    Tuple(Ptr, usize),
    Bits(Bits),
    /// A map and its size, small or not: [`super::map`] knows what is in it.
    Map(Ptr, usize),
    Closure(Ptr),
    External(Ptr),
    Foreign(Ptr),
    Virtual(Value),
    Sym(Value, SymId),
}

/// A bitstring: a stretch of bits of a byte array.
#[derive(Clone, Copy, Debug)]
pub struct Bits {
    pub base: Ptr,
    pub offset: usize,
    pub length: usize,
}

/// The words of the literals of all loaded code.
#[derive(Default, Clone)]
pub struct Literals(Arc<Vec<u64>>);

impl Literals {
    /// These literals and more: the words of a heap, from `first` on, become literals.
    pub(super) fn from_words(words: Vec<u64>) -> Self {
        Literals(Arc::new(words))
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }
}

pub struct Heap {
    words: Vec<u64>,
    literals: Literals,
    /// Collect at the next safe point once this many words are in use.
    collect_at: usize,
}

/// Small enough to stay in a cache, and for collections to happen in every test of some size.
const FIRST_COLLECTION: usize = 1 << 15;

impl Heap {
    pub fn new(literals: Literals) -> Self {
        Heap { words: Vec::new(), literals, collect_at: FIRST_COLLECTION }
    }

    /// Makes the literals of newly loaded code visible. Literals seen before keep their places.
    pub fn set_literals(&mut self, literals: Literals) {
        self.literals = literals;
    }

    pub(super) fn words_mut(&mut self) -> &mut Vec<u64> {
        &mut self.words
    }

    #[inline]
    pub fn used(&self) -> usize {
        self.words.len()
    }

    #[inline]
    pub fn wants_collection(&self) -> bool {
        self.words.len() >= self.collect_at
    }

    // Reading

    #[inline]
    pub fn word(&self, ptr: Ptr) -> u64 {
        let area = if ptr.is_literal() { self.literals.words() } else { &self.words };
        area.get(ptr.index()).copied().unwrap_or(0)
    }

    #[inline]
    pub fn value(&self, ptr: Ptr) -> Value {
        Value::from_word(self.word(ptr))
    }

    #[inline]
    pub fn head(&self, cons: Value) -> Value {
        self.value(cons.ptr())
    }

    #[inline]
    pub fn tail(&self, cons: Value) -> Value {
        self.value(cons.ptr().plus(1))
    }

    #[inline]
    pub fn header(&self, boxed: Value) -> Header {
        Header(self.word(boxed.ptr()))
    }

    /// The arity, if the value is a (concrete) tuple.
    #[inline]
    pub fn tuple_arity(&self, value: Value) -> Option<usize> {
        if !value.is_boxed() {
            return None;
        }
        let header = self.header(value);
        (header.kind() == BoxKind::Tuple).then(|| header.size())
    }

    /// Element `index`, from 0, of a tuple that has it.
    #[inline]
    pub fn element(&self, tuple: Value, index: usize) -> Value {
        self.value(tuple.ptr().plus(1 + index))
    }

    /// Appends a copy of these words, which end up inside an object under construction.
    #[inline]
    pub(super) fn copy_words(&mut self, from: Ptr, count: usize) {
        let range = from.index()..from.index() + count;
        if from.is_literal() {
            self.words.extend_from_slice(self.literals.words().get(range).unwrap_or(&[]));
        } else if range.end <= self.words.len() {
            self.words.extend_from_within(range);
        }
    }

    /// The words from `ptr` on, for raw data.
    pub fn raw(&self, ptr: Ptr, words: usize) -> &[u64] {
        let area = if ptr.is_literal() { self.literals.words() } else { &self.words };
        area.get(ptr.index()..ptr.index() + words).unwrap_or(&[])
    }

    /// The concrete value of a symbolic one, any other value as it is.
    #[inline]
    pub fn concrete(&self, value: Value) -> Value {
        if value.is_sym() { self.value(value.ptr()) } else { value }
    }

    /// The expression of a symbolic value.
    #[inline]
    pub fn expression(&self, value: Value) -> Option<SymId> {
        value.is_sym().then(|| SymId::from_number(self.value(value.ptr().plus(1)).as_small() as u32))
    }

    pub fn view(&self, value: Value) -> View {
        match value.tag() {
            Tag::Small => View::Small(value.as_small()),
            Tag::Atom => View::Atom(value.as_atom()),
            Tag::Nil | Tag::Header => View::Nil,
            Tag::Cons => View::Cons(value.ptr()),
            Tag::Virtual => View::Virtual(value),
            Tag::Sym => {
                let number = self.value(value.ptr().plus(1)).as_small() as u32;
                View::Sym(self.value(value.ptr()), SymId::from_number(number))
            }
            Tag::Boxed => self.view_box(value.ptr()),
        }
    }

    fn view_box(&self, ptr: Ptr) -> View {
        let header = Header(self.word(ptr));
        match header.kind() {
            BoxKind::Tuple => View::Tuple(ptr, header.size()),
            BoxKind::Float => View::Float(f64::from_bits(self.word(ptr.plus(1)))),
            BoxKind::Big => View::Big(ptr),
            BoxKind::Bits => View::Bits(self.bits_at(ptr)),
            BoxKind::Map | BoxKind::HashMap => View::Map(ptr, header.size() / 2),
            BoxKind::Closure => View::Closure(ptr),
            BoxKind::External => View::External(ptr),
            BoxKind::Foreign | BoxKind::Bytes | BoxKind::Buffer | BoxKind::Branch | BoxKind::Forward => {
                View::Foreign(ptr)
            }
        }
    }

    /// The bitstring, if the (concrete) value is one.
    #[inline]
    pub fn as_bits(&self, value: Value) -> Option<Bits> {
        if !value.is_boxed() || self.header(value).kind() != BoxKind::Bits {
            return None;
        }
        Some(self.bits_at(value.ptr()))
    }

    /// The bitstring of a value that is known to be one.
    #[inline]
    pub fn bits_of(&self, value: Value) -> Bits {
        self.bits_at(value.ptr())
    }

    /// The bitstring of a [`BoxKind::Bits`].
    #[inline]
    fn bits_at(&self, ptr: Ptr) -> Bits {
        match self.raw(ptr.plus(1), 3) {
            [base, offset, length] => {
                Bits { base: Value::from_word(*base).ptr(), offset: *offset as usize, length: *length as usize }
            }
            _ => Bits { base: ptr, offset: 0, length: 0 },
        }
    }

    /// The integer of a [`BoxKind::Big`].
    pub fn big(&self, ptr: Ptr) -> BigInt {
        let size = Header(self.word(ptr)).size();
        let limbs = self.raw(ptr.plus(1), size / 2);
        let digits = limbs.iter().flat_map(|limb| [*limb as u32, (*limb >> 32) as u32]).collect();
        let sign = if size & 1 == 1 { Sign::Minus } else { Sign::Plus };
        BigInt::from_biguint(sign, BigUint::new(digits))
    }

    /// An integer of any size, if the (concrete) value is one.
    pub fn integer(&self, value: Value) -> Option<BigInt> {
        match self.view(value) {
            View::Small(i) => Some(BigInt::from(i)),
            View::Big(ptr) => Some(self.big(ptr)),
            View::Float(_)
            | View::Atom(_)
            | View::Nil
            | View::Cons(_)
            | View::Tuple(..)
            | View::Bits(_)
            | View::Map(..)
            | View::Closure(_)
            | View::External(_)
            | View::Foreign(_)
            | View::Virtual(_)
            | View::Sym(..) => None,
        }
    }

    /// The function number and arity of a [`BoxKind::Closure`].
    pub fn closure(&self, ptr: Ptr) -> (u32, usize) {
        let word = self.word(ptr.plus(1));
        (word as u32, (word >> 32) as usize)
    }

    /// How many values a closure has captured; they follow its second word.
    pub fn captured(&self, ptr: Ptr) -> usize {
        Header(self.word(ptr)).size()
    }

    /// Module, function and arity of a [`BoxKind::External`].
    pub fn external_of(&self, ptr: Ptr) -> (AtomId, AtomId, usize) {
        let [module, function, arity] = [1, 2, 3].map(|field| self.value(ptr.plus(field)));
        (module.as_atom(), function.as_atom(), arity.as_small() as usize)
    }

    /// Byte `index` of a [`BoxKind::Bytes`] or [`BoxKind::Foreign`].
    #[inline]
    pub fn byte(&self, base: Ptr, index: usize) -> u8 {
        (self.word(base.plus(1 + index / 8)) >> (8 * (index % 8))) as u8
    }

    // Building

    pub(super) fn push_header(&mut self, kind: BoxKind, size: usize) -> Ptr {
        let ptr = Ptr::own(self.words.len());
        self.words.push(Header::new(kind, size).word());
        ptr
    }

    #[inline]
    pub fn cons(&mut self, head: Value, tail: Value) -> Value {
        let ptr = Ptr::own(self.words.len());
        self.words.extend_from_slice(&[head.word(), tail.word()]);
        Value::cons(ptr)
    }

    /// A list of the items, with `tail` at its end.
    pub fn list<I>(&mut self, items: I, tail: Value) -> Value
    where
        I: IntoIterator<Item = Value, IntoIter: DoubleEndedIterator>,
    {
        items.into_iter().rev().fold(tail, |tail, head| self.cons(head, tail))
    }

    #[inline]
    pub fn tuple(&mut self, elements: &[Value]) -> Value {
        let ptr = self.push_header(BoxKind::Tuple, elements.len());
        self.words.extend(elements.iter().map(|value| value.word()));
        Value::boxed(ptr)
    }

    pub fn float(&mut self, float: f64) -> Value {
        let ptr = self.push_header(BoxKind::Float, 0);
        self.words.push(float.to_bits());
        Value::boxed(ptr)
    }

    pub fn int(&mut self, i: i64) -> Value {
        match Value::small(i) {
            Some(value) => value,
            None => self.push_big(i < 0, &[i.unsigned_abs()]),
        }
    }

    pub fn bigint(&mut self, i: &BigInt) -> Value {
        match i64::try_from(i) {
            Ok(small) => self.int(small),
            Err(_) => {
                let limbs: Vec<u64> = i.iter_u64_digits().collect();
                self.push_big(i.sign() == Sign::Minus, &limbs)
            }
        }
    }

    fn push_big(&mut self, negative: bool, limbs: &[u64]) -> Value {
        let ptr = self.push_header(BoxKind::Big, 2 * limbs.len() + usize::from(negative));
        self.words.extend_from_slice(limbs);
        Value::boxed(ptr)
    }

    /// A byte array: the base of bitstrings.
    pub fn bytes(&mut self, bytes: &[u8]) -> Ptr {
        self.push_bytes(BoxKind::Bytes, bytes)
    }

    fn push_bytes(&mut self, kind: BoxKind, bytes: &[u8]) -> Ptr {
        let ptr = self.push_header(kind, bytes.len());
        self.words.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            u64::from_le_bytes(word)
        }));
        ptr
    }

    pub fn binary(&mut self, bytes: &[u8]) -> Value {
        let base = self.bytes(bytes);
        self.bits(Bits { base, offset: 0, length: 8 * bytes.len() })
    }

    pub fn bits(&mut self, bits: Bits) -> Value {
        let ptr = self.push_header(BoxKind::Bits, 0);
        let words = [Value::boxed(bits.base).word(), bits.offset as u64, bits.length as u64];
        self.words.extend_from_slice(&words);
        Value::boxed(ptr)
    }

    /// A map of pairs that are already in order, without two equal keys, and without expressions in the keys.
    pub fn map(&mut self, pairs: &[(Value, Value)]) -> Value {
        super::map::from_sorted(self, pairs, false)
    }

    pub fn closure_of(&mut self, function: u32, arity: usize, captured: &[Value]) -> Value {
        let ptr = self.push_header(BoxKind::Closure, captured.len());
        self.words.push(u64::from(function) | ((arity as u64) << 32));
        self.words.extend(captured.iter().map(|value| value.word()));
        Value::boxed(ptr)
    }

    pub fn external(&mut self, module: AtomId, function: AtomId, arity: usize) -> Value {
        let ptr = self.push_header(BoxKind::External, 0);
        let words = [Value::atom(module).word(), Value::atom(function).word(), Value::count(arity).word()];
        self.words.extend_from_slice(&words);
        Value::boxed(ptr)
    }

    /// A pid, port, reference or fun of the VM, as it stands in external term format (without the version byte).
    pub fn foreign(&mut self, etf: &[u8]) -> Value {
        Value::boxed(self.push_bytes(BoxKind::Foreign, etf))
    }

    /// The type of a [`BoxKind::Foreign`], told by the first byte of its external format.
    pub fn foreign_tags(&self, ptr: Ptr) -> Tags {
        match self.byte(ptr, 0) {
            88 | 103 => Tags::PID,
            89 | 102 | 120 => Tags::PORT,
            90 | 101 | 114 => Tags::REFERENCE,
            _ => Tags::FUN,
        }
    }

    /// The external term format of a [`BoxKind::Foreign`].
    pub fn foreign_bytes(&self, ptr: Ptr) -> Vec<u8> {
        (0..Header(self.word(ptr)).size()).map(|index| self.byte(ptr, index)).collect()
    }

    /// The value with its expression. A symbolic value is never wrapped twice.
    pub fn symbolic(&mut self, value: Value, expression: SymId) -> Value {
        let concrete = self.concrete(value);
        let ptr = Ptr::own(self.words.len());
        let number = Value::count(expression.number() as usize);
        self.words.extend_from_slice(&[concrete.word(), number.word()]);
        Value::sym(ptr)
    }

    // Collecting

    /// Keeps what the roots reach and gives back the rest. Every root is updated; other values of this heap become meaningless.
    pub fn collect(&mut self, roots: &mut [&mut [Value]]) {
        let mut to = Vec::with_capacity(self.words.len() / 2);
        for value in roots.iter_mut().flat_map(|slice| slice.iter_mut()) {
            *value = self.evacuate(*value, &mut to);
        }
        let mut at = 0;
        while let Some(word) = to.get(at).copied() {
            let (values, next) = Header::value_words(word, at);
            for place in values {
                self.scan_value(place, &mut to);
            }
            at = next;
        }
        self.words = to;
        self.collect_at = FIRST_COLLECTION.max(2 * self.words.len());
    }

    fn scan_value(&mut self, place: usize, to: &mut Vec<u64>) {
        let Some(word) = to.get(place).copied() else { return };
        let value = self.evacuate(Value::from_word(word), to);
        if let Some(slot) = to.get_mut(place) {
            *slot = value.word();
        }
    }

    fn evacuate(&mut self, value: Value, to: &mut Vec<u64>) -> Value {
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
    pub(super) fn visit_values(words: &mut [u64], mut visit: impl FnMut(Value) -> Value) {
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

#[cfg(test)]
mod tests;
