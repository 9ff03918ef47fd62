//! Formulas and facts for bit operations, rounded numbers, names of atoms, and functions known by examples.

use num_bigint::BigInt;
use num_traits::Signed;
use z3::ast::{Ast, Bool, Datatype, Dynamic, Int, Real};
use z3::{FuncDecl, Sort};

use super::EncodeError;
use super::encode::{Encoder, Node, Result, integer};
use super::facts::Facts;
use super::integers::constant_bits;
use super::names::{MAX_NAME, characters, ends, is_named, one_more};
use super::relaxed;
use super::sorts::Shape;
use crate::sym::bitwise::BitOp;
use crate::sym::function::{Function, Math};
use crate::sym::{Arena, Expr, Rounding, SymId};

// Formulas

impl Encoder {
    pub(super) fn bitwise(&mut self, arena: &Arena, op: BitOp, (a, b): (SymId, SymId), width: u32) -> Result<Int> {
        let (x, y) = (self.int(a)?.clone(), self.int(b)?.clone());
        let (x_bits, y_bits) = (self.bits(arena, a, width)?, self.bits(arena, b, width)?);
        self.integers.bitwise(op, (&x, x_bits), (&y, y_bits))
    }

    /// The bits of an integer that fits into so many. Those of a shifted one are the shifted bits.
    fn bits(&mut self, arena: &Arena, id: SymId, width: u32) -> Result<(Vec<Int>, Vec<Bool>)> {
        let shift = |by: SymId| constant(arena, by).filter(|by| is_power(by)).map(|by| by.bits() as u32 - 1);
        match arena.get(id) {
            Expr::Int(int) => Ok((constant_bits(int, width), Vec::new())),
            Expr::FloorDiv(x, by) if let Some(by) = shift(*by) => {
                let x = self.int(*x)?.clone();
                let (mut bits, facts) = self.integers.bits(&x, width + by)?;
                Ok((bits.split_off(by as usize), facts))
            }
            Expr::Mul(x, by) if let Some(by) = shift(*by).filter(|by| *by < width) => {
                let x = self.int(*x)?.clone();
                let (bits, facts) = self.integers.bits(&x, width - by)?;
                Ok((vec![Int::from_i64(0); by as usize].into_iter().chain(bits).collect(), facts))
            }
            _ => {
                let int = self.int(id)?.clone();
                self.integers.bits(&int, width)
            }
        }
    }

    pub(super) fn modulo(&self, arena: &Arena, a: SymId, divisor: SymId) -> Result<Int> {
        let bits = constant(arena, divisor).filter(|by| is_power(by)).map(|by| by.bits() as u32 - 1);
        let low = bits.and_then(|bits| self.integers.low_bits(self.int(a).ok()?, bits));
        low.unwrap_or_else(|| Ok(self.int(a)?.modulo(self.int(divisor)?)))
    }

    /// Quotient or remainder of two integers of which the second is no constant.
    pub(super) fn unknown_division(&mut self, a: SymId, b: SymId) -> Result<(Int, Int)> {
        let (a, b) = (self.int(a)?.clone(), self.int(b)?.clone());
        Ok(self.integers.division(&a, &b))
    }

    pub(super) fn rounded(&self, how: Rounding, real: SymId) -> Result<Int> {
        let real = self.real(real)?;
        let floor = |real: &Real| real.to_int();
        let up = |real: &Real| floor(&real.unary_minus()).unary_minus();
        let half = Real::from_rational(1, 2);
        let zero = Real::from_rational(0, 1);
        Ok(match how {
            Rounding::Floor => floor(real),
            Rounding::Ceiling => up(real),
            Rounding::Truncate => real.ge(&zero).ite(&floor(real), &up(real)),
            Rounding::Nearest => real.ge(&zero).ite(&floor(&(real + &half)), &up(&(real - &half))),
        })
    }

    /// From half a step above the largest float on, a real is rounded to what is none.
    pub(super) fn finite(&self, real: SymId) -> Result<Bool> {
        self.is_finite(self.real(real)?)
    }

    pub(super) fn is_finite(&self, real: &Real) -> Result<Bool> {
        let limit: BigInt = (BigInt::from(1) << 1024) - (BigInt::from(1) << 970);
        let limit = integer(&limit)?.to_real();
        Ok(Bool::and(&[real.lt(&limit), real.gt(limit.unary_minus())]))
    }

    /// What a float can be: the largest one is half a step below what is rounded to none.
    pub(super) fn is_within_floats(&self, real: &Real) -> Result<Bool> {
        let largest = integer(&((BigInt::from(1) << 1024) - (BigInt::from(1) << 971)))?.to_real();
        Ok(Bool::and(&[real.le(&largest), real.ge(largest.unary_minus())]))
    }

    fn label_of(&self, atom: SymId) -> Result<Int> {
        self.sorts.id(Shape::Atom, self.term(atom)?)
    }

    pub(super) fn atom_name(&self, atom: SymId) -> Result<Datatype> {
        let label = self.label_of(atom)?;
        let name = FuncDecl::new("name", &[&Sort::int()], self.sorts.term_sort()).apply(&[&label]);
        name.as_datatype().ok_or(EncodeError::Datatype)
    }

    pub(super) fn atom_named(&self, list: SymId) -> Result<Datatype> {
        let label = FuncDecl::new("named", &[self.sorts.term_sort()], &Sort::int()).apply(&[self.term(list)?]);
        self.sorts.make(Shape::Atom, &[&label])
    }

    pub(super) fn lt_atoms(&mut self, a: SymId, b: SymId) -> Result<Bool> {
        self.constants.atoms.ordered = true;
        Ok(self.label_of(a)?.lt(self.label_of(b)?))
    }

    pub(super) fn applied(&self, function: Function, args: &[SymId]) -> Result<Node> {
        let args = args.iter().map(|arg| self.dynamic(*arg)).collect::<Result<Vec<_>>>()?;
        result(function, self.call(function, &args))
    }

    /// The call of a function with encoded arguments.
    pub(super) fn call(&self, function: Function, args: &[Dynamic]) -> Dynamic {
        let (argument, result) = match function {
            Function::Hash => (self.sorts.term_sort().clone(), Sort::int()),
            Function::Math(_) => (Sort::real(), Sort::real()),
            Function::FloatOfBits(_) => (Sort::int(), Sort::real()),
            Function::BitsOfFloat(_) => (Sort::real(), Sort::int()),
        };
        let domain: Vec<&Sort> = args.iter().map(|_| &argument).collect();
        let args: Vec<&dyn Ast> = args.iter().map(|arg| arg as &dyn Ast).collect();
        FuncDecl::new(function.name(), &domain, &result).apply(&args)
    }
}

fn result(function: Function, value: Dynamic) -> Result<Node> {
    let node = match function {
        Function::Hash | Function::BitsOfFloat(_) => value.as_int().map(Node::Int),
        Function::Math(_) | Function::FloatOfBits(_) => value.as_real().map(Node::Real),
    };
    node.ok_or(EncodeError::Datatype)
}

fn is_power(int: &BigInt) -> bool {
    int.is_positive() && int.trailing_zeros().is_some_and(|zeros| zeros + 1 == int.bits())
}

pub(super) fn constant(arena: &Arena, id: SymId) -> Option<&BigInt> {
    match arena.get(id) {
        Expr::Int(int) => Some(int),
        _ => None,
    }
}

// Facts

/// What is to be said of one expression.
pub(super) fn facts(facts: &mut Facts, encoder: &mut Encoder, arena: &Arena, id: SymId) -> Result<Vec<Bool>> {
    if matches!(arena.get(id), Expr::Div(..) | Expr::Rem(..) | Expr::FloorDiv(..) | Expr::Modulo(..)) {
        facts.quotients += 1;
    }
    match arena.get(id) {
        Expr::Div(a, b) | Expr::Rem(a, b) if constant(arena, *b).is_none() => {
            let (a, b) = (encoder.int(*a)?.clone(), encoder.int(*b)?.clone());
            Ok(encoder.integers.division_facts(&a, &b))
        }
        Expr::Bitwise(..) => {
            facts.bitwise += 1;
            Ok(encoder.integers.facts(encoder.int(id)?))
        }
        Expr::Apply(function, args) => applied(encoder, *function, args, id),
        Expr::RealOf(_) => {
            facts.floats = true;
            Ok(Vec::new())
        }
        Expr::AtomName(atom) => {
            let name = encoder.term(id)?.clone();
            let mut known = characters(encoder, &name)?;
            known.extend(named(facts, encoder, encoder.label_of(*atom)?, name)?);
            Ok(known)
        }
        Expr::AtomNamed(list) => {
            let (label, name) = (encoder.label_of(id)?, encoder.term(*list)?.clone());
            named(facts, encoder, label, name)
        }
        Expr::Atom(atom) => {
            let atom = *atom;
            facts.named().map(|(label, name)| is_named(encoder, label, name, atom)).collect()
        }
        Expr::Tail(list) if let Some((name, depth)) = arena.in_name(*list) => {
            let mut known = vec![one_more(encoder, encoder.term(id)?)?];
            if depth + 1 == MAX_NAME {
                known.push(ends(encoder, encoder.term(name)?)?);
            }
            Ok(known)
        }
        _ => Ok(Vec::new()),
    }
}

/// What is known of a function at once. Of square roots it is enough to be exact but for rounding.
fn applied(encoder: &Encoder, function: Function, args: &[SymId], id: SymId) -> Result<Vec<Bool>> {
    match (function, args) {
        (Function::Hash, _) => {
            let hash = encoder.int(id)?;
            Ok(vec![hash.ge(0), hash.le(u64::from(u32::MAX))])
        }
        (Function::Math(Math::Sqrt), [x]) => {
            let (root, x) = (encoder.real(id)?, encoder.real(*x)?);
            let zero = Real::from_rational(0, 1);
            Ok(vec![x.ge(&zero).implies(Bool::and(&[root.ge(&zero), relaxed::root(encoder, (root, x))?]))])
        }
        (Function::FloatOfBits(size), [bits]) => {
            let (bits, float) = (encoder.int(*bits)?, encoder.real(id)?);
            let mut known = signs(bits, float, size)?;
            known.push(encoder.finite(id)?);
            Ok(known)
        }
        (Function::BitsOfFloat(size), [float]) => {
            let (bits, float) = (encoder.int(id)?, encoder.real(*float)?);
            let mut known = signs(bits, float, size)?;
            known.extend([bits.ge(0), bits.lt(integer(&(BigInt::from(1) << size))?)]);
            Ok(known)
        }
        (Function::Math(_) | Function::FloatOfBits(_) | Function::BitsOfFloat(_), _) => Ok(Vec::new()),
    }
}

/// The first bit of a float is its sign. A zero can have either, and what is too small for so few bits is a zero.
fn signs(bits: &Int, float: &Real, size: u32) -> Result<Vec<Bool>> {
    let zero = Real::from_rational(0, 1);
    let half = integer(&(BigInt::from(1) << (size - 1)))?;
    let is_zero = Bool::or(&[bits.eq(0), bits.eq(&half)]);
    Ok(vec![
        float.gt(&zero).implies(bits.lt(&half)),
        float.lt(&zero).implies(bits.ge(&half)),
        float.eq(&zero).implies(&is_zero),
    ])
}

/// An atom has this name: so have no others, and those that are mentioned have theirs.
fn named(facts: &mut Facts, encoder: &Encoder, label: Int, name: Datatype) -> Result<Vec<Bool>> {
    let mut known = Vec::new();
    for (other, other_name) in facts.named() {
        known.push(label.eq(other).iff(name.eq(other_name)));
    }
    for (atom, _) in encoder.constants.atoms.all() {
        known.push(is_named(encoder, &label, &name, atom)?);
    }
    facts.add_named(label, name);
    Ok(known)
}
