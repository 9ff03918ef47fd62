//! Floats as they are, with IEEE rounding, for one question.
//!
//! Everything in the input but its floats keeps its value, so that the conditions become formulas over floats and nothing else. They
//! are put to a solver of their own. What comes out is only a proposal: a condition that cannot be said in this way is left out, and the
//! caller looks whether the input takes its path.

use rustc_hash::FxHashMap;
use z3::ast::{Bool, Float, RoundingMode};
use z3::{Params, SatResult};

use super::{Keeper, Step, dump};
use crate::sym::eval::{Denoted, Evaluator};
use crate::sym::{Arena, Expr, Rounding, Sort, SymId};
use crate::term::Packed;

/// A float in the input: the expression of the term it is, and its new value.
pub type Place = (SymId, f64);

/// The floats of the input that the conditions speak of, as terms.
pub fn places(arena: &Arena, steps: &[Step], inputs: &[Packed]) -> Vec<Place> {
    let mut evaluator = Evaluator::new(arena, inputs);
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack: Vec<SymId> = steps.iter().map(|step| step.condition).collect();
    let mut found = Vec::new();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let expr = arena.get(id);
        if let Expr::RealOf(term) = expr
            && let Some(Denoted::Real(float)) = evaluator.value(id)
        {
            found.push((*term, float));
        }
        stack.extend(expr.children());
    }
    found.sort_unstable_by_key(|(term, _)| *term);
    found
}

/// Whether a condition is about the result of arithmetic on floats, so that rounding can matter.
pub fn can_be_rounded(arena: &Arena, condition: SymId) -> bool {
    let is_arithmetic = |expr: &Expr, sort: Sort| {
        sort == Sort::Real
            && matches!(expr, Expr::Add(..) | Expr::Sub(..) | Expr::Mul(..) | Expr::Quotient(..) | Expr::ToReal(_))
    };
    mentions(arena, condition, is_arithmetic)
}

/// Whether a condition is about floats, so that it matters that not every real is one.
pub fn is_about_floats(arena: &Arena, condition: SymId) -> bool {
    mentions(arena, condition, |_, sort| sort == Sort::Real)
}

fn mentions(arena: &Arena, condition: SymId, wanted: impl Fn(&Expr, Sort) -> bool) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![condition];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let expr = arena.get(id);
        if wanted(expr, arena.sort(id)) {
            return true;
        }
        stack.extend(expr.children());
    }
    false
}

/// New values for the floats of an input, so that all conditions hold.
pub fn solve(
    arena: &Arena,
    steps: &[Step],
    inputs: &[Packed],
    timeout_ms: u32,
    kept: Option<(&dyn Keeper, &str)>,
) -> Option<Vec<Place>> {
    let places = places(arena, steps, inputs);
    let mut encoder = Encoder {
        arena,
        evaluator: Evaluator::new(arena, inputs),
        unknown: places.iter().map(|(term, _)| (*term, Float::fresh_const_double("float"))).collect(),
        memo: FxHashMap::default(),
        nearest: RoundingMode::round_nearest_ties_to_even(),
    };
    let solver = z3::Solver::new();
    let mut params = Params::new();
    params.set_u32("timeout", timeout_ms);
    solver.set_params(&params);
    for float in encoder.unknown.values() {
        solver.assert(is_finite(float));
    }
    for step in steps {
        encoder.encode(step.condition);
        if let Some(Node::Bool(condition)) = encoder.memo.get(&step.condition) {
            solver.assert(if step.taken { condition.clone() } else { condition.not() });
        }
    }
    let result = solver.check();
    if let Some((keeper, about)) = kept {
        let text = dump::comment(about, result, &[]);
        keeper.keep(&(text + &dump::script(&solver.get_assertions(), result)));
    }
    if result != SatResult::Sat {
        return None;
    }
    let model = solver.get_model()?;
    let value = |(term, old): Place| {
        let bits = encoder.unknown.get(&term).and_then(|float| model.eval(&float.to_ieee_bv(), true)?.as_u64());
        (term, bits.map_or(old, f64::from_bits))
    };
    Some(places.into_iter().map(value).collect())
}

fn is_finite(float: &Float) -> Bool {
    Bool::and(&[float.is_infinite().not(), float.is_nan().not()])
}

#[derive(Clone)]
enum Node {
    /// A real, or an integer that is a float without a fraction.
    Float(Float),
    Bool(Bool),
    /// Does not depend on the floats of the input, or cannot be said with floats.
    Other,
}

struct Encoder<'a> {
    arena: &'a Arena,
    evaluator: Evaluator<'a>,
    /// By the terms that are these floats.
    unknown: FxHashMap<SymId, Float>,
    memo: FxHashMap<SymId, Node>,
    nearest: RoundingMode,
}

impl Encoder<'_> {
    /// Encodes an expression after all that it is made of.
    fn encode(&mut self, id: SymId) {
        let arena = self.arena;
        let mut stack = vec![id];
        while let Some(top) = stack.last().copied() {
            let below = stack.len();
            if !self.memo.contains_key(&top) {
                stack.extend(arena.get(top).children().filter(|child| !self.memo.contains_key(child)));
                if stack.len() > below {
                    continue;
                }
                let node = self.node(top).unwrap_or(Node::Other);
                self.memo.insert(top, node);
            }
            stack.pop();
        }
    }

    fn node(&mut self, id: SymId) -> Option<Node> {
        let nearest = self.nearest.clone();
        match self.arena.get(id) {
            Expr::RealOf(term) => self.unknown.get(term).cloned().map(Node::Float),
            Expr::Add(a, b) => self.floats(*a, *b).map(|(x, y)| Node::Float(x.add_with_rounding_mode(y, &nearest))),
            Expr::Sub(a, b) => self.floats(*a, *b).map(|(x, y)| Node::Float(x.sub_with_rounding_mode(y, &nearest))),
            Expr::Mul(a, b) => self.floats(*a, *b).map(|(x, y)| Node::Float(x.mul_with_rounding_mode(y, &nearest))),
            Expr::Quotient(a, b) => {
                self.floats(*a, *b).map(|(x, y)| Node::Float(x.div_with_rounding_mode(y, &nearest)))
            }
            Expr::Rounded(how, real) => {
                let float = self.open(*real)?;
                Some(Node::Float(float.round_to_integral_with_rounding_mode(&mode(*how))))
            }
            Expr::Finite(real) => self.open(*real).map(|float| Node::Bool(is_finite(&float))),
            Expr::Eq(a, b) => self.equal(*a, *b).map(Node::Bool),
            Expr::Lt(a, b) => self.floats(*a, *b).map(|(x, y)| Node::Bool(x.lt(y))),
            Expr::Not(a) => self.condition(*a).map(|a| Node::Bool(a.not())),
            Expr::And(a, b) => self.pair(*a, *b).map(|(a, b)| Node::Bool(Bool::and(&[a, b]))),
            Expr::Or(a, b) => self.pair(*a, *b).map(|(a, b)| Node::Bool(Bool::or(&[a, b]))),
            _ => None,
        }
    }

    /// A number that depends on the floats of the input.
    fn open(&self, id: SymId) -> Option<Float> {
        match self.memo.get(&id)? {
            Node::Float(float) => Some(float.clone()),
            Node::Bool(_) | Node::Other => None,
        }
    }

    /// Any number: one that does not depend on them is a constant.
    fn float(&mut self, id: SymId) -> Option<Float> {
        if let Some(float) = self.open(id) {
            return Some(float);
        }
        match self.evaluator.value(id)? {
            Denoted::Real(real) => Some(Float::from_f64(real)),
            Denoted::Int(int) => crate::bif::float_of_big(&int).map(Float::from_f64),
            Denoted::Term(_) | Denoted::Bool(_) => None,
        }
    }

    /// Two numbers of which at least one depends on them. Integers among themselves are not for floats to say.
    fn floats(&mut self, a: SymId, b: SymId) -> Option<(Float, Float)> {
        self.open(a).or_else(|| self.open(b))?;
        Some((self.float(a)?, self.float(b)?))
    }

    fn equal(&mut self, a: SymId, b: SymId) -> Option<Bool> {
        let [a, b] = [a, b].map(|id| match self.arena.get(id) {
            Expr::OfReal(real) => *real,
            _ => id,
        });
        if let Some(float) = self.unknown.get(&a).cloned() {
            let other = self.float(b)?;
            return Some(float.eq_fpa(other));
        }
        self.floats(a, b).map(|(x, y)| x.eq_fpa(y))
    }

    /// A condition; one that does not depend on the floats is what it is now.
    fn condition(&mut self, id: SymId) -> Option<Bool> {
        if let Some(Node::Bool(condition)) = self.memo.get(&id) {
            return Some(condition.clone());
        }
        self.evaluator.holds(id).map(Bool::from_bool)
    }

    fn pair(&mut self, a: SymId, b: SymId) -> Option<(Bool, Bool)> {
        let open = |id: &SymId| matches!(self.memo.get(id), Some(Node::Bool(_)));
        if !open(&a) && !open(&b) {
            return None;
        }
        Some((self.condition(a)?, self.condition(b)?))
    }
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
    use crate::term::{Heap, Literals};

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
        assert!(can_be_rounded(&arena, condition));
        let found = solve(&arena, &steps, &[float(0.0)], 20_000, None).unwrap();
        let [(place, value)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(*place, input);
        assert_eq!(value + 1.0, *value);
    }
}
