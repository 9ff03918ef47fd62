//! Values of bit operations, rounded numbers, names of atoms, and of functions that the solver does not know.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, Signed};

use super::{Denoted, Evaluator};
use crate::sym::arena::SymId;
use crate::sym::bitwise::BitOp;
use crate::sym::expr::{Expr, Rounding};
use crate::sym::function::Function;
use crate::term::bits::segment::{float_bits, float_of_bits};
use crate::term::{AtomId, Value, order};

impl Evaluator<'_> {
    pub(super) fn floored(&self, a: SymId, b: SymId, operation: fn(&BigInt, &BigInt) -> BigInt) -> Option<Denoted> {
        let (a, b) = (self.int(a)?, self.int(b)?);
        b.is_positive().then(|| Denoted::Int(operation(&a, &b)))
    }

    pub(super) fn floor_div(&self, a: SymId, b: SymId) -> Option<Denoted> {
        self.floored(a, b, |a, b| a.div_floor(b))
    }

    pub(super) fn modulo(&self, a: SymId, b: SymId) -> Option<Denoted> {
        self.floored(a, b, |a, b| a.mod_floor(b))
    }

    pub(super) fn bitwise(&self, op: BitOp, a: SymId, b: SymId) -> Option<Denoted> {
        Some(Denoted::Int(op.of(self.int(a)?, self.int(b)?)))
    }

    pub(super) fn rounded(&self, how: Rounding, real: SymId) -> Option<Denoted> {
        BigInt::from_f64(how.of_float(self.real(real)?)).map(Denoted::Int)
    }

    /// An integer as a float, rounded as the VM does it. Too large ones are infinite.
    pub(super) fn to_real(&self, int: SymId) -> Option<Denoted> {
        let int = self.int(int)?;
        let infinite = if int.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY };
        Some(Denoted::Real(crate::bif::float_of_big(&int).unwrap_or(infinite)))
    }

    /// How two reals compare; an integer that stands beside a float is compared as it is.
    pub(super) fn compare_reals(&mut self, a: SymId, b: SymId) -> Option<Ordering> {
        let [x, y] = [a, b].map(|id| match self.arena.get(id) {
            Expr::ToReal(int) => self.int(*int).map(|int| self.heap.bigint(&int)),
            _ => self.real(id).filter(|real| real.is_finite()).map(|real| self.heap.float(real)),
        });
        match (x, y) {
            (Some(x), Some(y)) => Some(order::compare(&self.heap, x, y)),
            _ => self.real(a)?.partial_cmp(&self.real(b)?),
        }
    }

    pub(super) fn atom_name(&mut self, atom: SymId) -> Option<Denoted> {
        let atom = self.term(atom).filter(|value| value.is_atom())?;
        let characters: Vec<Value> = atom.as_atom().name().chars().map(|c| Value::count(c as usize)).collect();
        Some(Denoted::Term(self.heap.list(characters, Value::NIL)))
    }

    pub(super) fn atom_named(&self, list: SymId) -> Option<Denoted> {
        let mut rest = self.term(list)?;
        let mut name = String::new();
        while rest.is_cons() {
            let head = self.heap.head(rest);
            let code =
                Some(head).filter(|head| head.is_small()).and_then(|head| u32::try_from(head.as_small()).ok())?;
            name.push(char::from_u32(code)?);
            rest = self.heap.tail(rest);
        }
        rest.is_nil().then(|| Denoted::Term(Value::atom(AtomId::intern(&name))))
    }

    pub(super) fn applied(&self, function: Function, args: &[SymId]) -> Option<Denoted> {
        match (function, args) {
            (Function::Hash, [term]) => {
                let hash = crate::bif::hash(&self.heap, self.term(*term)?)?;
                Some(Denoted::Int(BigInt::from(hash)))
            }
            (Function::Math(math), [a, rest @ ..]) => {
                let b = rest.first().map_or(Some(0.0), |b| self.real(*b))?;
                super::a_number(math.of(self.real(*a)?, b))
            }
            (Function::FloatOfBits(size), [bits]) => {
                let bits = u64::try_from(self.int(*bits)?).ok()?;
                float_of_bits(bits, size as usize).map(Denoted::Real)
            }
            (Function::BitsOfFloat(size), [real]) => {
                let bits = float_bits(self.real(*real)?, size as usize)?;
                Some(Denoted::Int(BigInt::from(bits)))
            }
            (Function::Hash | Function::FloatOfBits(_) | Function::BitsOfFloat(_), _) | (Function::Math(_), []) => None,
        }
    }
}
