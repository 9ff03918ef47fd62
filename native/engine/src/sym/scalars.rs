//! Constructors for numbers rounded down, floats made integers, and atoms with names.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, One, Signed};

use super::arena::{Arena, SymId};
use super::bitwise::BitOp;
use super::expr::{Expr, Rounding};
use super::function::Function;
use crate::term::AtomId;

impl Arena {
    fn constant_int(&self, id: SymId) -> Option<&BigInt> {
        match self.get(id) {
            Expr::Int(int) => Some(int),
            _ => None,
        }
    }

    /// Division that rounds down, by a positive constant.
    pub fn floor_div(&mut self, a: SymId, divisor: BigInt) -> SymId {
        if divisor.is_one() {
            return a;
        }
        if let Some(int) = self.constant_int(a) {
            let quotient = int.div_floor(&divisor);
            return self.int(quotient);
        }
        if let Expr::FloorDiv(inner, first) = self.get(a)
            && let Some(first) = self.constant_int(*first)
        {
            let (inner, product) = (*inner, first * divisor);
            return self.floor_div(inner, product);
        }
        let divisor = self.int(divisor);
        self.intern(Expr::FloorDiv(a, divisor))
    }

    /// The remainder, from zero on, of a division by a positive constant.
    pub fn modulo(&mut self, a: SymId, divisor: BigInt) -> SymId {
        if let Some(int) = self.constant_int(a) {
            let rest = int.mod_floor(&divisor);
            return self.int(rest);
        }
        if let Expr::Modulo(inner, first) = self.get(a)
            && let Some(first) = self.constant_int(*first)
        {
            if *first <= divisor {
                return a;
            }
            if first.is_multiple_of(&divisor) {
                let inner = *inner;
                return self.modulo(inner, divisor);
            }
        }
        let divisor = self.int(divisor);
        self.intern(Expr::Modulo(a, divisor))
    }

    /// The bounds that the structure of an integer sets it, both inclusive.
    pub fn bounds(&self, id: SymId) -> Option<(BigInt, BigInt)> {
        match self.get(id) {
            Expr::Int(int) => Some((int.clone(), int.clone())),
            Expr::Modulo(_, divisor) => self.constant_int(*divisor).map(|divisor| (BigInt::ZERO, divisor - 1)),
            Expr::Rem(_, divisor) => {
                let most: BigInt = self.constant_int(*divisor)?.abs() - 1;
                Some((-most.clone(), most))
            }
            Expr::Bitwise(BitOp::And, _, mask, _) => {
                self.constant_int(*mask).filter(|mask| !mask.is_negative()).map(|mask| (BigInt::ZERO, mask.clone()))
            }
            Expr::Bitwise(_, _, _, width) => {
                let limit = BigInt::one() << (width - 1);
                Some((-&limit, limit - 1))
            }
            Expr::Apply(function, _) => function.bounds(),
            Expr::IntOf(part) => match self.get(*part) {
                Expr::Head(list) if self.is_in_name(*list) => Some((BigInt::ZERO, BigInt::from(u32::from(char::MAX)))),
                _ => None,
            },
            _ => None,
        }
    }

    /// A real as an integer. Of an integer that was made a float nothing is lost, unless it was too large.
    pub fn rounded(&mut self, how: Rounding, real: SymId) -> SymId {
        match self.get(real) {
            Expr::Real(bits) => {
                let whole = BigInt::from_f64(how.of_float(f64::from_bits(*bits))).unwrap_or_default();
                self.int(whole)
            }
            _ => self.intern(Expr::Rounded(how, real)),
        }
    }

    /// Whether a real can be a float.
    pub fn finite(&mut self, real: SymId) -> SymId {
        match self.get(real) {
            Expr::Real(_) | Expr::RealOf(_) => self.truth(true),
            _ => self.intern(Expr::Finite(real)),
        }
    }

    /// The result of a function that the solver does not know.
    pub fn apply(&mut self, function: Function, args: Vec<SymId>) -> SymId {
        self.intern(Expr::Apply(function, args.into_boxed_slice()))
    }

    /// The name of an atom as a list of characters.
    pub fn atom_name(&mut self, atom: SymId) -> SymId {
        let atom = self.term(atom);
        match self.get(atom) {
            Expr::AtomNamed(list) => *list,
            _ => self.intern(Expr::AtomName(atom)),
        }
    }

    /// The atom of a name.
    pub fn atom_named(&mut self, list: SymId) -> SymId {
        match self.get(list) {
            Expr::AtomName(atom) => *atom,
            _ => self.intern(Expr::AtomNamed(list)),
        }
    }

    /// Whether a list is the rest of some atom's name.
    pub fn is_in_name(&self, list: SymId) -> bool {
        self.in_name(list).is_some()
    }

    /// The order of two atoms, by name.
    pub(super) fn lt_atoms(&mut self, a: SymId, b: SymId) -> SymId {
        let (a, b) = (self.term(a), self.term(b));
        match (self.get(a), self.get(b)) {
            (Expr::Atom(x), Expr::Atom(y)) => {
                let less = x.compare_names(*y).is_lt();
                self.truth(less)
            }
            // Nothing comes before the atom without a name.
            (_, Expr::Atom(y)) if *y == AtomId::intern("") => self.truth(false),
            (Expr::OfBool(condition), Expr::Atom(AtomId::TRUE)) => {
                let condition = *condition;
                self.not(condition)
            }
            _ if a == b => self.truth(false),
            _ => self.intern(Expr::Lt(a, b)),
        }
    }
}
