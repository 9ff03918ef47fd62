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
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use num_bigint::{BigInt, BigUint, Sign};

use super::atom::AtomId;
use super::interrupt::Interrupt;
use super::value::{Ptr, Tag, Value};
use crate::sym::{SymId, Tags};

mod build;
mod collect;
mod layout;

pub use layout::{BoxKind, Header};

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
    /// Collect at the next safe point once this many words are in use. Zero if an operation has given up.
    collect_at: AtomicUsize,
    /// Collections leave out the expressions.
    plain: bool,
    /// Says that this heap is not needed any more.
    interrupt: Option<Interrupt>,
}

/// Small enough to stay in a cache, and for collections to happen in every test of some size.
const FIRST_COLLECTION: usize = 1 << 15;

impl Heap {
    pub fn new(literals: Literals) -> Self {
        Heap {
            words: Vec::new(),
            literals,
            collect_at: AtomicUsize::new(FIRST_COLLECTION),
            plain: false,
            interrupt: None,
        }
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
        self.words.len() >= self.collect_at.load(Relaxed)
    }

    /// An operation was too much ([`super::effort`]): there is something to do at the next safe point.
    pub(super) fn mark_overdone(&self) {
        self.collect_at.store(0, Relaxed);
    }

    pub fn is_overdone(&self) -> bool {
        self.collect_at.load(Relaxed) == 0
    }

    /// From now on, operations that take long end when they are interrupted.
    pub fn heed(&mut self, interrupt: Interrupt) {
        self.interrupt = Some(interrupt);
    }

    #[inline]
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::is_raised)
    }

    /// Nobody looks at what is in this heap any more.
    pub(super) fn is_given_up(&self) -> bool {
        self.is_overdone() || self.is_interrupted()
    }

    /// For operations that look now and then whether to go on: marks the heap if not.
    pub fn goes_on(&self) -> bool {
        if self.is_interrupted() {
            self.mark_overdone();
        }
        !self.is_overdone()
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
}

#[cfg(test)]
mod tests;
