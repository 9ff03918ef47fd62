//! The nodes of symbolic expressions.

use num_bigint::BigInt;

use super::arena::SymId;
use super::bits::BitsExpr;
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct OpaqueId(pub(super) u32);

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

    // Reals
    /// The bits of a finite float.
    Real(u64),
    RealOf(SymId),
    ToReal(SymId),
    /// The divisor is not zero on this path.
    Quotient(SymId, SymId),

    // Conditions
    True,
    False,
    Is(SymId, Tags),
    /// A tuple of just this size.
    Arity(SymId, u32),
    /// Both of one sort: equal terms (`=:=`), integers or reals.
    Eq(SymId, SymId),
    /// Both integers or both reals.
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
            Expr::Tuple(elements) => ([None, None], elements),
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
            | Expr::Not(a) => ([Some(*a), None], &[]),
            Expr::Cons(a, b)
            | Expr::Add(a, b)
            | Expr::Sub(a, b)
            | Expr::Mul(a, b)
            | Expr::Div(a, b)
            | Expr::Rem(a, b)
            | Expr::Quotient(a, b)
            | Expr::Eq(a, b)
            | Expr::Lt(a, b)
            | Expr::And(a, b)
            | Expr::Or(a, b) => ([Some(*a), Some(*b)], &[]),
            Expr::Map(map) => map.parts(),
        };
        pair.into_iter().flatten().chain(rest.iter().copied()).chain(more)
    }
}
