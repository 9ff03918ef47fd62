//! Arithmetic on floats, however it is rounded.
//!
//! For Z3 floats are reals, so that a question may have no answer although floats have one: `X + 1.0 == X`. Before such an answer counts as
//! a proof the question is put once more. What an operation gives is then the value of a function `nearest` for the exact result, and of
//! that function only this is said, at the points that the conditions speak of: it is close to the exact result, it keeps the order of
//! two results, and a float stays on its side of them, because it is itself what it is rounded to. All of it is true of IEEE's
//! doubles; so what has no answer now has none among floats. What has one is a proposal.
//!
//! An integer beside a float in a comparison is exact, as in the VM; as an operand it is rounded first.

use num_bigint::BigInt;
use z3::ast::{Bool, Real};
use z3::{FuncDecl, Sort as Z3Sort};

use super::EncodeError;
use super::encode::{Encoder, Result, integer};
use super::facts::Facts;
use crate::sym::function::Function;
use crate::sym::{Arena, Expr, Sort, SymId};

/// The order of a float to so many others is said.
const MOST: usize = 40;

/// Integers up to two to this power, of either sign, are floats.
const EXACT_BITS: u32 = 53;

/// The bits behind the point of half of the smallest float above zero. What is rounded to a float without all its bits is that much off at
/// most.
const SMALLEST_BITS: u32 = 1_075;

/// Whether a condition is about the result of arithmetic on floats, so that rounding can matter.
pub fn can_be_rounded(arena: &Arena, conditions: impl Iterator<Item = SymId>) -> bool {
    let is_rounded = |id: SymId| match arena.get(id) {
        Expr::Add(..) | Expr::Sub(..) | Expr::Mul(..) => arena.sort(id) == Sort::Real,
        Expr::Quotient(..) | Expr::Apply(Function::Math(_), _) => true,
        _ => false,
    };
    arena.parts(conditions).any(is_rounded)
}

/// A number that is a float for sure.
#[derive(Clone)]
pub(super) struct Float {
    value: Real,
    /// What it was before it was rounded, if it is the result of an operation.
    exact: Option<Real>,
}

impl Encoder {
    /// The result of an operation, from its exact one.
    pub(super) fn rounded_result(&self, exact: Real) -> Result<Real> {
        if self.relaxed { nearest(&exact) } else { Ok(exact) }
    }

    /// A number as an operand.
    pub(super) fn operand(&self, arena: &Arena, id: SymId) -> Result<Real> {
        let real = self.real(id)?.clone();
        if self.relaxed && matches!(arena.get(id), Expr::ToReal(_)) { nearest(&real) } else { Ok(real) }
    }
}

fn nearest(exact: &Real) -> Result<Real> {
    FuncDecl::new("nearest", &[&Z3Sort::real()], &Z3Sort::real()).apply(&[exact]).as_real().ok_or(EncodeError::Datatype)
}

/// What is to be said of an expression if it is a float, or makes one of its operands one.
pub(super) fn facts(facts: &mut Facts, encoder: &Encoder, arena: &Arena, id: SymId) -> Result<Vec<Bool>> {
    let mut said = Vec::new();
    if !encoder.relaxed || arena.sort(id) != Sort::Real {
        return Ok(said);
    }
    match arena.get(id) {
        Expr::Real(_) | Expr::RealOf(_) | Expr::Apply(..) => {
            add(facts, Float { value: encoder.real(id)?.clone(), exact: None }, &mut said);
        }
        Expr::ToReal(_) => {
            let exact = encoder.real(id)?.clone();
            let value = nearest(&exact)?;
            let bound = integer(&(BigInt::from(1) << EXACT_BITS))?.to_real();
            let is_float = Bool::and(&[exact.le(&bound), exact.ge(bound.unary_minus())]);
            said.push(is_float.implies(value.eq(&exact)));
            result(facts, encoder, (value, exact), false, &mut said)?;
        }
        Expr::Add(a, b) => operation(facts, encoder, arena, (id, *a, *b), |a, b| a + b, false, &mut said)?,
        Expr::Sub(a, b) => operation(facts, encoder, arena, (id, *a, *b), |a, b| a - b, false, &mut said)?,
        Expr::Mul(a, b) => operation(facts, encoder, arena, (id, *a, *b), |a, b| a * b, true, &mut said)?,
        Expr::Quotient(a, b) => operation(facts, encoder, arena, (id, *a, *b), |a, b| a / b, true, &mut said)?,
        // What a fun or a map gives is a term, and of a size or a byte there are no reals.
        _ => {}
    }
    Ok(said)
}

fn operation(
    facts: &mut Facts,
    encoder: &Encoder,
    arena: &Arena,
    (id, a, b): (SymId, SymId, SymId),
    exactly: fn(Real, Real) -> Real,
    can_vanish: bool,
    said: &mut Vec<Bool>,
) -> Result<()> {
    let exact = exactly(encoder.operand(arena, a)?, encoder.operand(arena, b)?);
    result(facts, encoder, (encoder.real(id)?.clone(), exact), can_vanish, said)
}

/// A result is close to the exact one: by half a bit in 53. Small ones can have less bits, unless they are sums.
fn result(
    facts: &mut Facts,
    encoder: &Encoder,
    (value, exact): (Real, Real),
    can_vanish: bool,
    said: &mut Vec<Bool>,
) -> Result<()> {
    let zero = Real::from_rational(0, 1);
    let size = exact.ge(&zero).ite(&exact, &exact.unary_minus());
    let mut off = size * fraction(EXACT_BITS)?;
    if can_vanish {
        off += fraction(SMALLEST_BITS)?;
    }
    said.push(value.le(&exact + &off));
    said.push(value.ge(&exact - &off));
    let fits = encoder.is_finite(&exact)?;
    said.push(fits.implies(encoder.is_within_floats(&value)?));
    said.push(fits.not().implies(encoder.is_finite(&value)?.not()));
    said.push(exact.ge(&zero).implies(value.ge(&zero)));
    said.push(exact.le(&zero).implies(value.le(&zero)));
    add(facts, Float { value, exact: Some(exact) }, said);
    Ok(())
}

/// One over two to this power.
fn fraction(bits: u32) -> Result<Real> {
    let denominator = (BigInt::from(1) << bits).to_string();
    Real::from_rational_str("1", &denominator).ok_or(EncodeError::Numeral)
}

/// One more float, and how it stands to the others.
fn add(facts: &mut Facts, float: Float, said: &mut Vec<Bool>) {
    for other in facts.reals.iter().take(MOST) {
        sides(&float, other, said);
        sides(other, &float, said);
        if let (Some(a), Some(b)) = (&float.exact, &other.exact) {
            said.push(a.le(b).implies(float.value.le(&other.value)));
            said.push(a.ge(b).implies(float.value.ge(&other.value)));
        }
    }
    facts.reals.push(float);
}

/// Where the exact result is on one side of a float, the rounded one is not on the other.
fn sides(rounded: &Float, float: &Float, said: &mut Vec<Bool>) {
    if let Some(exact) = &rounded.exact {
        said.push(exact.le(&float.value).implies(rounded.value.le(&float.value)));
        said.push(exact.ge(&float.value).implies(rounded.value.ge(&float.value)));
    }
}

/// Of a square root it is known that it is one, but for rounding.
pub(super) fn root(encoder: &Encoder, (root, x): (&Real, &Real)) -> Result<Bool> {
    let square = root * root;
    if !encoder.relaxed {
        return Ok(square.eq(x));
    }
    let off = x * fraction(EXACT_BITS - 2)? + fraction(SMALLEST_BITS)?;
    Ok(Bool::and(&[square.le(x + &off), square.ge(x - &off)]))
}
