//! The nodes of symbolic expressions.

use std::hash::{Hash, Hasher};

use num_bigint::BigInt;

use super::arena::SymId;
use super::bits::BitsExpr;
use super::bitwise::BitOp;
use super::function::Function;
use super::funs::FunExpr;
use super::maps::MapExpr;
use super::tags::Tags;
use crate::term::AtomId;

/// What an expression denotes. A value whose expression is an `Int`, `Real` or `Bool` is known to be an integer, a float or a boolean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    Term,
    Int,
    Real,
    Bool,
}

/// A constant term that has no inside for the solver (a binary, a map, a fun …): its place in the arena's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct OpaqueId(pub(super) u32);

impl Hash for OpaqueId {
    /// As the only thing in an expression that is an `i32`: see [`super::key`].
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_i32(self.0 as i32);
    }
}

/// How a real becomes an integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rounding {
    /// Towards zero.
    Truncate,
    /// To the nearest, halves away from zero.
    Nearest,
    Floor,
    Ceiling,
}

impl Rounding {
    pub fn of_float(self, float: f64) -> f64 {
        match self {
            Rounding::Truncate => float.trunc(),
            Rounding::Nearest => float.round(),
            Rounding::Floor => float.floor(),
            Rounding::Ceiling => float.ceil(),
        }
    }
}

/// A node. Projections are only built on terms whose shape the path has established (`Head` of a cons, `IntOf` of an integer).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    // Terms
    /// Argument number `n` of the function under test.
    Input(u32),
    Atom(AtomId),
    Nil,
    Opaque(OpaqueId, Tags),
    Cons(SymId, SymId),
    Tuple(Box<[SymId]>),
    OfInt(SymId),
    OfReal(SymId),
    OfBool(SymId),
    Head(SymId),
    Tail(SymId),
    /// Element `i`, from 0, of a tuple.
    Element(SymId, u32),
    /// The characters of an atom's name, as a list.
    AtomName(SymId),
    /// The atom that has these characters for a name. They have been found to be good for one.
    AtomNamed(SymId),

    /// Of funs: what they return, how many arguments they take.
    Fun(FunExpr),

    // Integers; Add, Sub, Mul also of reals
    Int(BigInt),
    IntOf(SymId),
    Add(SymId, SymId),
    Sub(SymId, SymId),
    Mul(SymId, SymId),
    /// Quotient and remainder of integers, rounded towards zero. The divisor is not zero on this path.
    Div(SymId, SymId),
    Rem(SymId, SymId),
    /// Quotient and remainder of integers, rounded down: the divisor is a constant above zero.
    FloorDiv(SymId, SymId),
    Modulo(SymId, SymId),
    /// An operation on the bits of two integers that fit into so many, the sign included.
    Bitwise(BitOp, SymId, SymId, u32),
    /// A real as an integer.
    Rounded(Rounding, SymId),

    // Reals
    /// The bits of a finite float.
    Real(u64),
    RealOf(SymId),
    ToReal(SymId),
    /// The divisor is not zero on this path.
    Quotient(SymId, SymId),
    /// The result of a function that the solver knows by examples only.
    Apply(Function, Box<[SymId]>),

    // Conditions
    True,
    False,
    Is(SymId, Tags),
    /// A real that is no larger than the largest float, once it is rounded.
    Finite(SymId),
    /// A tuple of just this size.
    Arity(SymId, u32),
    /// Both of one sort: equal terms (`=:=`), integers or reals.
    Eq(SymId, SymId),
    /// Both integers, both reals or both atoms.
    Lt(SymId, SymId),
    Not(SymId),
    And(SymId, SymId),
    Or(SymId, SymId),

    // Of all sorts
    /// Something about bitstrings.
    Bits(BitsExpr),
    /// Of any sort: what has to do with maps.
    Map(MapExpr),
}

impl Expr {
    /// The expressions this one is made of.
    pub fn children(&self) -> impl Iterator<Item = SymId> + '_ {
        let mut more = Vec::new();
        let (pair, rest): ([Option<SymId>; 2], &[SymId]) = match self {
            Expr::Bits(bits) => {
                more = bits.children();
                ([None, None], &[])
            }
            Expr::Input(_)
            | Expr::Atom(_)
            | Expr::Nil
            | Expr::Opaque(..)
            | Expr::Int(_)
            | Expr::Real(_)
            | Expr::True
            | Expr::False => ([None, None], &[]),
            Expr::Tuple(elements) | Expr::Apply(_, elements) => ([None, None], elements),
            Expr::Fun(fun) => ([Some(fun.fun()), None], fun.args()),
            Expr::OfInt(a)
            | Expr::OfReal(a)
            | Expr::OfBool(a)
            | Expr::Head(a)
            | Expr::Tail(a)
            | Expr::Element(a, _)
            | Expr::IntOf(a)
            | Expr::RealOf(a)
            | Expr::ToReal(a)
            | Expr::Is(a, _)
            | Expr::Arity(a, _)
            | Expr::AtomName(a)
            | Expr::AtomNamed(a)
            | Expr::Rounded(_, a)
            | Expr::Finite(a)
            | Expr::Not(a) => ([Some(*a), None], &[]),
            Expr::Cons(a, b)
            | Expr::Add(a, b)
            | Expr::Sub(a, b)
            | Expr::Mul(a, b)
            | Expr::Div(a, b)
            | Expr::Rem(a, b)
            | Expr::Quotient(a, b)
            | Expr::FloorDiv(a, b)
            | Expr::Modulo(a, b)
            | Expr::Bitwise(_, a, b, _)
            | Expr::Eq(a, b)
            | Expr::Lt(a, b)
            | Expr::And(a, b)
            | Expr::Or(a, b) => ([Some(*a), Some(*b)], &[]),
            Expr::Map(map) => map.parts(),
        };
        pair.into_iter().flatten().chain(rest.iter().copied()).chain(more)
    }
}
