//! One Erlang term in one machine word.
//!
//! A [`Value`] is either immediate (small integer, atom, `[]`, virtual pid or reference) or points into a
//! [`Heap`](super::heap::Heap). A value of tag [`Tag::Sym`] is a concrete term together with the symbolic expression that
//! describes it; it can stand wherever a value can, also inside conses, tuples and maps, so structure built from symbolic parts keeps
//! them. Code that only knows concrete terms pays nothing for that: a symbolic value simply has none of the tags it tests for.
//!
//! Values are plain copies: they mean something only together with the heap they were made in.

use super::atom::AtomId;

/// A tagged word: an immediate term, or a place in a heap.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value(u64);

/// The low bits of a [`Value`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    /// A signed integer of 61 bits.
    Small,
    /// Two words: head and tail.
    Cons,
    /// A header word, then what the header says.
    Boxed,
    /// Two words: the concrete value, and the number of its expression as a small integer.
    Sym,
    Atom,
    Nil,
    /// A process or reference that exists only inside the machine.
    Virtual,
    /// A header. Never the value of a variable.
    Header,
}

/// A place in a heap: an index of a word, with one bit that tells the literal area from the run's own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ptr(u64);

/// What a virtual identifier names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum VirtualKind {
    Reference,
    Pid,
    /// A fun of the machine that has left it: the place in the run's table of such funs, and its arity in the low 8 bits.
    Fun,
}

pub(super) const TAG_BITS: u32 = 3;
const TAG_MASK: u64 = 0b111;
const SMALL: u64 = 0b000;
const CONS: u64 = 0b001;
const BOXED: u64 = 0b010;
const SYM: u64 = 0b011;
const ATOM: u64 = 0b100;
const NIL: u64 = 0b101;
const VIRTUAL: u64 = 0b110;
pub(super) const HEADER: u64 = 0b111;

/// Set in a [`Ptr`] that points to the literal area.
const LITERAL: u64 = 1 << 60;

pub const SMALL_MAX: i64 = (1 << 60) - 1;
pub const SMALL_MIN: i64 = -(1 << 60);

impl Ptr {
    pub(super) const fn own(index: usize) -> Self {
        Ptr(index as u64)
    }

    pub(super) const fn literal(index: usize) -> Self {
        Ptr(index as u64 | LITERAL)
    }

    pub const fn is_literal(self) -> bool {
        self.0 & LITERAL != 0
    }

    pub(super) const fn index(self) -> usize {
        (self.0 & !LITERAL) as usize
    }

    pub const fn plus(self, words: usize) -> Self {
        Ptr(self.0 + words as u64)
    }
}

impl Value {
    pub const NIL: Value = Value(NIL);
    pub const ZERO: Value = Value(SMALL);

    #[inline]
    pub const fn from_word(word: u64) -> Self {
        Value(word)
    }

    #[inline]
    pub const fn word(self) -> u64 {
        self.0
    }

    #[inline]
    pub const fn tag(self) -> Tag {
        match self.0 & TAG_MASK {
            SMALL => Tag::Small,
            CONS => Tag::Cons,
            BOXED => Tag::Boxed,
            SYM => Tag::Sym,
            ATOM => Tag::Atom,
            NIL => Tag::Nil,
            VIRTUAL => Tag::Virtual,
            _ => Tag::Header,
        }
    }

    /// The integer as an immediate, if it fits.
    #[inline]
    pub const fn small(i: i64) -> Option<Self> {
        if i >= SMALL_MIN && i <= SMALL_MAX { Some(Value((i << TAG_BITS) as u64)) } else { None }
    }

    /// An integer that is known to fit: lengths, arities, positions.
    #[inline]
    pub const fn count(n: usize) -> Self {
        Value((n as u64) << TAG_BITS)
    }

    #[inline]
    pub const fn atom(id: AtomId) -> Self {
        Value(((id.0 as u64) << TAG_BITS) | ATOM)
    }

    #[inline]
    pub const fn boolean(b: bool) -> Self {
        Value::atom(if b { AtomId::TRUE } else { AtomId::FALSE })
    }

    pub const fn identifier(kind: VirtualKind, number: u64) -> Self {
        let bit = match kind {
            VirtualKind::Reference => 0,
            VirtualKind::Pid => 1,
            VirtualKind::Fun => 2,
        };
        Value((((number << 2) | bit) << TAG_BITS) | VIRTUAL)
    }

    pub(super) const fn cons(ptr: Ptr) -> Self {
        Value((ptr.0 << TAG_BITS) | CONS)
    }

    pub(super) const fn boxed(ptr: Ptr) -> Self {
        Value((ptr.0 << TAG_BITS) | BOXED)
    }

    pub(super) const fn sym(ptr: Ptr) -> Self {
        Value((ptr.0 << TAG_BITS) | SYM)
    }

    #[inline]
    pub const fn is_small(self) -> bool {
        self.0 & TAG_MASK == SMALL
    }

    #[inline]
    pub const fn is_cons(self) -> bool {
        self.0 & TAG_MASK == CONS
    }

    #[inline]
    pub const fn is_nil(self) -> bool {
        self.0 == NIL
    }

    #[inline]
    pub const fn is_boxed(self) -> bool {
        self.0 & TAG_MASK == BOXED
    }

    #[inline]
    pub const fn is_atom(self) -> bool {
        self.0 & TAG_MASK == ATOM
    }

    #[inline]
    pub const fn is_sym(self) -> bool {
        self.0 & TAG_MASK == SYM
    }

    /// True if the value is a place in a heap.
    #[inline]
    pub const fn is_pointer(self) -> bool {
        matches!(self.0 & TAG_MASK, CONS | BOXED | SYM)
    }

    /// Both are small integers: one test for two operands.
    #[inline]
    pub const fn both_small(a: Value, b: Value) -> bool {
        (a.0 | b.0) & TAG_MASK == SMALL
    }

    /// The integer of a small value.
    #[inline]
    pub const fn as_small(self) -> i64 {
        (self.0 as i64) >> TAG_BITS
    }

    #[inline]
    pub const fn as_atom(self) -> AtomId {
        AtomId((self.0 >> TAG_BITS) as u32)
    }

    #[inline]
    pub const fn is_true(self) -> bool {
        self.0 == Value::atom(AtomId::TRUE).0
    }

    #[inline]
    pub const fn is_false(self) -> bool {
        self.0 == Value::atom(AtomId::FALSE).0
    }

    pub const fn as_identifier(self) -> (VirtualKind, u64) {
        let payload = self.0 >> TAG_BITS;
        let kind = match payload & 0b11 {
            0 => VirtualKind::Reference,
            1 => VirtualKind::Pid,
            _ => VirtualKind::Fun,
        };
        (kind, payload >> 2)
    }

    /// The place that a cons, boxed or symbolic value points to.
    #[inline]
    pub const fn ptr(self) -> Ptr {
        Ptr(self.0 >> TAG_BITS)
    }

    /// The same kind of value at another place.
    pub(super) const fn moved_to(self, ptr: Ptr) -> Self {
        Value((ptr.0 << TAG_BITS) | (self.0 & TAG_MASK))
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.tag() {
            Tag::Small => write!(f, "{}", self.as_small()),
            Tag::Atom => write!(f, "{}", self.as_atom()),
            Tag::Nil => f.write_str("[]"),
            Tag::Virtual => write!(f, "#{:?}", self.as_identifier()),
            tag @ (Tag::Cons | Tag::Boxed | Tag::Sym | Tag::Header) => write!(f, "{tag:?}@{}", self.ptr().index()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_one_word() {
        assert_eq!(size_of::<Value>(), 8);
    }

    #[test]
    fn small_integers_keep_their_value_up_to_the_bounds() {
        for i in [0, 1, -1, 42, SMALL_MAX, SMALL_MIN] {
            assert_eq!(Value::small(i).map(Value::as_small), Some(i));
        }
        assert_eq!(Value::small(SMALL_MAX + 1), None);
        assert_eq!(Value::small(SMALL_MIN - 1), None);
    }

    #[test]
    fn tags_do_not_overlap() {
        let values = [
            (Value::ZERO, Tag::Small),
            (Value::cons(Ptr::own(7)), Tag::Cons),
            (Value::boxed(Ptr::literal(7)), Tag::Boxed),
            (Value::sym(Ptr::own(7)), Tag::Sym),
            (Value::boolean(true), Tag::Atom),
            (Value::NIL, Tag::Nil),
            (Value::identifier(VirtualKind::Pid, 3), Tag::Virtual),
        ];
        for (value, tag) in values {
            assert_eq!(value.tag(), tag);
        }
    }
}
