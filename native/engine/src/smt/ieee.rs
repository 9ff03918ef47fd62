//! Floats as they are, with IEEE rounding, for one question.

use z3::ast::{Bool, Float, RoundingMode};

use super::proposal::{Asked, Encoder, Node, Proposal, Theory, propose};
use crate::sym::eval::{Denoted, Evaluator};
use crate::sym::{Arena, Expr, Rounding, Sort, SymId};

/// The floats of the input that the conditions speak of: the terms, and their values now.
pub fn places(asked: &Asked<'_>) -> Vec<(SymId, f64)> {
    let arena = asked.arena;
    let mut evaluator = Evaluator::new(arena, asked.inputs);
    let parts = arena.parts(asked.steps.iter().map(|step| step.condition));
    let mut found: Vec<(SymId, f64)> = parts
        .filter_map(|id| match (arena.get(id), evaluator.value(id)) {
            (Expr::RealOf(term), Some(Denoted::Real(float))) => Some((*term, float)),
            _ => None,
        })
        .collect();
    found.sort_unstable_by_key(|(term, _)| *term);
    found
}

/// Whether a condition is about floats, so that it matters that not every real is one.
pub fn is_about_floats(arena: &Arena, condition: SymId) -> bool {
    arena.parts([condition]).any(|id| arena.sort(id) == Sort::Real)
}

/// New values for the floats of an input, so that all conditions hold. `None` if they speak of no float.
pub fn solve(asked: &Asked<'_>) -> Option<Proposal<f64>> {
    propose(Floats { nearest: RoundingMode::round_nearest_ties_to_even() }, asked)
}

/// An integer is a float without a fraction here.
struct Floats {
    nearest: RoundingMode,
}

impl Theory for Floats {
    type Number = Float;
    type Value = f64;

    fn part(expr: &Expr) -> Option<SymId> {
        if let Expr::RealOf(term) = expr { Some(*term) } else { None }
    }

    fn unknown(&self, now: &Denoted) -> Option<Float> {
        matches!(now, Denoted::Real(_)).then(|| Float::fresh_const_double("float"))
    }

    fn constant(&self, value: &Denoted) -> Option<Float> {
        match value {
            Denoted::Real(real) => Some(Float::from_f64(*real)),
            Denoted::Int(int) => crate::bif::float_of_big(int).map(Float::from_f64),
            Denoted::Term(_) | Denoted::Bool(_) => None,
        }
    }

    fn inside(expr: &Expr) -> Option<SymId> {
        if let Expr::OfReal(real) = expr { Some(*real) } else { None }
    }

    fn node(encoder: &mut Encoder<'_, Self>, id: SymId) -> Option<Node<Float>> {
        match encoder.arena.get(id) {
            Expr::Add(a, b) => both(encoder, *a, *b, |a, b, nearest| a.add_with_rounding_mode(b, nearest)),
            Expr::Sub(a, b) => both(encoder, *a, *b, |a, b, nearest| a.sub_with_rounding_mode(b, nearest)),
            Expr::Mul(a, b) => both(encoder, *a, *b, |a, b, nearest| a.mul_with_rounding_mode(b, nearest)),
            Expr::Quotient(a, b) => both(encoder, *a, *b, |a, b, nearest| a.div_with_rounding_mode(b, nearest)),
            Expr::Rounded(how, real) => {
                let float = encoder.open(*real)?;
                Some(Node::Number(float.round_to_integral_with_rounding_mode(&mode(*how))))
            }
            Expr::Finite(real) => encoder.open(*real).map(|float| Node::Bool(is_finite(&float))),
            // Integers among themselves are not for floats to say: they are not open.
            Expr::Lt(a, b) => encoder.numbers(*a, *b).map(|(a, b)| Node::Bool(a.lt(b))),
            _ => None,
        }
    }

    fn equal(a: &Float, b: &Float) -> Bool {
        a.eq_fpa(b)
    }

    fn law(number: &Float) -> Option<Bool> {
        Some(is_finite(number))
    }

    fn value(model: &z3::Model, number: &Float) -> Option<f64> {
        model.eval(&number.to_ieee_bv(), true)?.as_u64().map(f64::from_bits)
    }
}

fn both(
    encoder: &mut Encoder<'_, Floats>,
    a: SymId,
    b: SymId,
    operation: impl Fn(&Float, &Float, &RoundingMode) -> Float,
) -> Option<Node<Float>> {
    let (a, b) = encoder.numbers(a, b)?;
    Some(Node::Number(operation(&a, &b, &encoder.theory.nearest)))
}

fn is_finite(float: &Float) -> Bool {
    Bool::and(&[float.is_infinite().not(), float.is_nan().not()])
}

fn mode(how: Rounding) -> RoundingMode {
    match how {
        Rounding::Truncate => RoundingMode::round_towards_zero(),
        Rounding::Nearest => RoundingMode::round_nearest_ties_to_away(),
        Rounding::Floor => RoundingMode::round_towards_negative(),
        Rounding::Ceiling => RoundingMode::round_towards_positive(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::smt::Step;
    use crate::term::{Heap, Literals, Packed};

    fn float(value: f64) -> Packed {
        let mut heap = Heap::new(Literals::default());
        let value = heap.float(value);
        Packed::pack(&heap, value)
    }

    #[test]
    fn a_float_that_swallows_one_is_found_where_there_is_no_such_real() {
        let mut arena = Arena::default();
        let input = arena.input(0);
        let (x, one) = (arena.real_of(input), arena.real(1.0));
        let sum = arena.add(x, one);
        let condition = arena.eq(sum, x);
        let steps = [Step { key: 0, condition, taken: true }];
        let inputs = [float(0.0)];
        let asked = Asked { arena: &arena, steps: &steps, inputs: &inputs, timeout_ms: 20_000, kept: None };
        let found = solve(&asked).unwrap().values;
        let [(place, value)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(*place, input);
        assert_eq!(value + 1.0, *value);
    }
}
