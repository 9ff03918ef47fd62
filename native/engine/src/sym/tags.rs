//! Sets of type tags: which of Erlang's disjoint types a term can have.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

/// A set of the types below. `[]` and conses are told apart, as are integers and floats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tags(u16);

const NAMES: [&str; 12] =
    ["integer", "float", "atom", "reference", "fun", "port", "pid", "tuple", "map", "nil", "cons", "bitstring"];

impl Tags {
    pub const INT: Tags = Tags(1 << 0);
    pub const FLOAT: Tags = Tags(1 << 1);
    pub const ATOM: Tags = Tags(1 << 2);
    pub const REFERENCE: Tags = Tags(1 << 3);
    pub const FUN: Tags = Tags(1 << 4);
    pub const PORT: Tags = Tags(1 << 5);
    pub const PID: Tags = Tags(1 << 6);
    pub const TUPLE: Tags = Tags(1 << 7);
    pub const MAP: Tags = Tags(1 << 8);
    pub const NIL: Tags = Tags(1 << 9);
    pub const CONS: Tags = Tags(1 << 10);
    pub const BITS: Tags = Tags(1 << 11);

    pub const NONE: Tags = Tags(0);
    pub const ANY: Tags = Tags((1 << 12) - 1);
    pub const NUMBER: Tags = Tags(Self::INT.0 | Self::FLOAT.0);
    pub const LIST: Tags = Tags(Self::NIL.0 | Self::CONS.0);

    pub const fn contains(self, other: Tags) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn meets(self, other: Tags) -> bool {
        self.0 & other.0 != 0
    }

    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The one type, if the set has just one.
    pub const fn is_single(self) -> bool {
        self.0.count_ones() == 1
    }

    /// The members of the set, each as a set of one, in Erlang's order of types (integers and floats first).
    pub fn each(self) -> impl Iterator<Item = Tags> {
        (0..NAMES.len()).map(|bit| Tags(1 << bit)).filter(move |tag| self.contains(*tag))
    }

    /// The types that stand after all of `self` in the term order. `self` is numbers or one type.
    pub const fn above(self) -> Tags {
        let highest = if Tags::NUMBER.contains(self) { Tags::FLOAT.0 } else { self.0 };
        Tags(Self::ANY.0 & !((highest << 1) - 1))
    }

    /// The types that stand before all of `self` in the term order. `self` is numbers or one type.
    pub const fn below(self) -> Tags {
        let lowest = if Tags::NUMBER.contains(self) { Tags::INT.0 } else { self.0 };
        Tags(lowest - 1)
    }
}

impl BitAnd for Tags {
    type Output = Tags;
    fn bitand(self, other: Tags) -> Tags {
        Tags(self.0 & other.0)
    }
}

impl BitOr for Tags {
    type Output = Tags;
    fn bitor(self, other: Tags) -> Tags {
        Tags(self.0 | other.0)
    }
}

impl Not for Tags {
    type Output = Tags;
    fn not(self) -> Tags {
        Tags(Self::ANY.0 & !self.0)
    }
}

impl fmt::Debug for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            NAMES.iter().enumerate().filter(|(bit, _)| self.0 & (1 << bit) != 0).map(|(_, name)| *name).collect();
        f.write_str(&names.join("|"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn above_and_below_follow_the_term_order() {
        assert_eq!(Tags::NUMBER.above(), !Tags::NUMBER);
        assert_eq!(Tags::INT.above(), !Tags::NUMBER);
        assert_eq!(Tags::NUMBER.below(), Tags::NONE);
        assert_eq!(Tags::ATOM.below(), Tags::NUMBER);
        assert_eq!(Tags::CONS.above(), Tags::BITS);
        assert_eq!(Tags::BITS.above(), Tags::NONE);
    }
}
