//! Integers as bit vectors, for one question about the bits of several unknowns.
//!
//! Linear arithmetic finds it hard to say what two unknowns of 64 bits have in common; for bits alone it is simple. Everything in the input but
//! its integers keeps its value, so that the conditions become formulas over bit vectors and nothing else. They are put to a solver of their
//! own. What comes out is only a proposal: a condition that cannot be said in this way is left out, numbers may overflow, and the caller
//! looks whether the input takes its path.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed};
use rustc_hash::{FxHashMap, FxHashSet};
use z3::ast::{BV, Bool};
use z3::{Params, SatResult};

use super::Step;
use super::decode::big;
use crate::sym::bitwise::BitOp;
use crate::sym::eval::{Denoted, Evaluator};
use crate::sym::{Arena, BitsExpr, Expr, Sort, SymId};
use crate::term::Packed;

/// An integer in the input: the expression of the term it is, and its new value.
pub type Place = (SymId, BigInt);

/// Bits beside those of the widest operation, for sums and products.
const MORE: u32 = 32;

/// How wide the operations on bits of two unknowns are, if the conditions have any and the last one depends on integers.
pub fn width(arena: &Arena, steps: &[Step]) -> Option<u32> {
    let goal = steps.last()?.condition;
    let is_about_integers = any(arena, &[goal], |expr| matches!(expr, Expr::IntOf(_)).then_some(())).is_some();
    let conditions: Vec<SymId> = steps.iter().map(|step| step.condition).collect();
    let wide = any(arena, &conditions, |expr| match expr {
        Expr::Bitwise(_, a, b, width) if !arena.is_constant(*a) && !arena.is_constant(*b) => Some(*width),
        _ => None,
    });
    wide.filter(|_| is_about_integers)
}

/// The largest of what the parts of some expressions say.
fn any<T: Ord>(arena: &Arena, roots: &[SymId], said: impl Fn(&Expr) -> Option<T>) -> Option<T> {
    let mut seen = FxHashSet::default();
    let mut stack = roots.to_vec();
    let mut most = None;
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            let expr = arena.get(id);
            most = most.max(said(expr));
            stack.extend(expr.children());
        }
    }
    most
}

/// New values for the integers of an input, so that all conditions hold.
pub fn solve(arena: &Arena, steps: &[Step], inputs: &[Packed], timeout_ms: u32) -> Option<Vec<Place>> {
    let width = width(arena, steps)? + MORE;
    let mut encoder = Encoder {
        arena,
        evaluator: Evaluator::new(arena, inputs),
        unknown: FxHashMap::default(),
        memo: FxHashMap::default(),
        width,
    };
    let solver = z3::Solver::new();
    let mut params = Params::new();
    params.set_u32("timeout", timeout_ms);
    solver.set_params(&params);
    for step in steps {
        encoder.encode(step.condition);
        if let Some(Node::Bool(condition)) = encoder.memo.get(&step.condition) {
            solver.assert(if step.taken { condition.clone() } else { condition.not() });
        }
    }
    if encoder.unknown.is_empty() || solver.check() != SatResult::Sat {
        return None;
    }
    let model = solver.get_model()?;
    let value = |(term, vector): (&SymId, &BV)| Some((*term, big(&model.eval(&vector.to_int(true), true)?)));
    let mut places = encoder.unknown.iter().map(value).collect::<Option<Vec<_>>>()?;
    places.sort_unstable_by_key(|(term, _)| *term);
    Some(places)
}

#[derive(Clone)]
enum Node {
    Int(BV),
    Bool(Bool),
    /// Does not depend on the integers of the input, or cannot be said with bit vectors.
    Other,
}

struct Encoder<'a> {
    arena: &'a Arena,
    evaluator: Evaluator<'a>,
    /// By the terms that are these integers.
    unknown: FxHashMap<SymId, BV>,
    memo: FxHashMap<SymId, Node>,
    width: u32,
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
        let arena = self.arena;
        match arena.get(id) {
            Expr::IntOf(term) => self.input(id, *term).map(Node::Int),
            Expr::Add(a, b) => self.ints(*a, *b, |a, b| a.bvadd(b)),
            Expr::Sub(a, b) => self.ints(*a, *b, |a, b| a.bvsub(b)),
            Expr::Mul(a, b) => self.ints(*a, *b, |a, b| a.bvmul(b)),
            Expr::Div(a, b) => self.ints(*a, *b, |a, b| a.bvsdiv(b)),
            Expr::Rem(a, b) => self.ints(*a, *b, |a, b| a.bvsrem(b)),
            Expr::FloorDiv(a, b) if let Some(by) = self.power(*b) => {
                let by = self.constant(&BigInt::from(by))?;
                self.open(*a).map(|a| Node::Int(a.bvashr(by)))
            }
            Expr::Modulo(a, b) if let Some(by) = self.power(*b) => {
                let mask = self.constant(&ones(by))?;
                self.open(*a).map(|a| Node::Int(a.bvand(mask)))
            }
            Expr::FloorDiv(a, b) => self.ints(*a, *b, |a, b| a.bvsub(a.bvsmod(b)).bvsdiv(b)),
            Expr::Modulo(a, b) => self.ints(*a, *b, |a, b| a.bvsmod(b)),
            Expr::Bitwise(op, a, b, _) => self.ints(*a, *b, |a, b| match op {
                BitOp::And => a.bvand(b),
                BitOp::Or => a.bvor(b),
                BitOp::Xor => a.bvxor(b),
            }),
            Expr::Bits(BitsExpr::Slice { value, low, size }) => {
                let (low, mask) = (self.constant(&BigInt::from(*low))?, self.constant(&ones(*size))?);
                self.open(*value).map(|value| Node::Int(value.bvashr(low).bvand(mask)))
            }
            Expr::Eq(a, b) => self.equal(*a, *b).map(Node::Bool),
            Expr::Lt(a, b) if arena.sort(*a) == Sort::Int => {
                let (a, b) = self.pair_of_ints(*a, *b)?;
                Some(Node::Bool(a.bvslt(b)))
            }
            Expr::Not(a) => self.condition(*a).map(|a| Node::Bool(a.not())),
            Expr::And(a, b) => self.pair(*a, *b).map(|(a, b)| Node::Bool(Bool::and(&[a, b]))),
            Expr::Or(a, b) => self.pair(*a, *b).map(|(a, b)| Node::Bool(Bool::or(&[a, b]))),
            _ => None,
        }
    }

    /// An integer of the input, if it is one now.
    fn input(&mut self, id: SymId, term: SymId) -> Option<BV> {
        let Some(Denoted::Int(_)) = self.evaluator.value(id) else { return None };
        let width = self.width;
        Some(self.unknown.entry(term).or_insert_with(|| BV::fresh_const("int", width)).clone())
    }

    /// The exponent of a constant that is a power of two.
    fn power(&self, id: SymId) -> Option<u32> {
        let Expr::Int(int) = self.arena.get(id) else { return None };
        let zeros = int.trailing_zeros()?;
        (int.is_positive() && zeros + 1 == int.bits()).then_some(zeros as u32)
    }

    fn constant(&self, int: &BigInt) -> Option<BV> {
        let modulus = BigInt::one() << self.width;
        if int.abs() >= (&modulus >> 1) {
            return None;
        }
        BV::from_str(self.width, &int.mod_floor(&modulus).to_string())
    }

    /// An integer that depends on those of the input.
    fn open(&self, id: SymId) -> Option<BV> {
        match self.memo.get(&id)? {
            Node::Int(int) => Some(int.clone()),
            Node::Bool(_) | Node::Other => None,
        }
    }

    /// Any integer: one that does not depend on them is a constant.
    fn int(&mut self, id: SymId) -> Option<BV> {
        if let Some(int) = self.open(id) {
            return Some(int);
        }
        match self.evaluator.value(id)? {
            Denoted::Int(int) => self.constant(&int),
            Denoted::Term(_) | Denoted::Real(_) | Denoted::Bool(_) => None,
        }
    }

    fn pair_of_ints(&mut self, a: SymId, b: SymId) -> Option<(BV, BV)> {
        self.open(a).or_else(|| self.open(b))?;
        Some((self.int(a)?, self.int(b)?))
    }

    fn ints(&mut self, a: SymId, b: SymId, operation: impl Fn(&BV, &BV) -> BV) -> Option<Node> {
        let (a, b) = self.pair_of_ints(a, b)?;
        Some(Node::Int(operation(&a, &b)))
    }

    fn equal(&mut self, a: SymId, b: SymId) -> Option<Bool> {
        let [a, b] = [a, b].map(|id| match self.arena.get(id) {
            Expr::OfInt(int) => *int,
            _ => id,
        });
        let [x, y] = [a, b].map(|id| self.unknown.get(&id).cloned());
        let x = x.or_else(|| self.open(a));
        let y = y.or_else(|| self.open(b));
        match (x, y) {
            (Some(x), Some(y)) => Some(x.eq(y)),
            (Some(x), None) => self.int(b).map(|y| x.eq(y)),
            (None, Some(y)) => self.int(a).map(|x| x.eq(y)),
            (None, None) => None,
        }
    }

    /// A condition; one that does not depend on the integers is what it is now.
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

fn ones(count: u32) -> BigInt {
    (BigInt::one() << count) - 1
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::term::{Heap, Literals};

    #[test]
    fn what_two_wide_unknowns_have_in_common_is_found() {
        let mut arena = Arena::default();
        let [x, y] = [0, 1].map(|number| {
            let input = arena.input(number);
            arena.int_of(input)
        });
        let common = arena.bitwise(BitOp::And, x, y, 64);
        let wanted = arena.int(0x0f0f_0f0f_0000_0000i64);
        let steps = [Step { key: 0, condition: arena.eq(common, wanted), taken: true }];
        let mut heap = Heap::new(Literals::default());
        let zero = heap.int(0);
        let zeros = [Packed::pack(&heap, zero), Packed::pack(&heap, zero)];
        let found = solve(&arena, &steps, &zeros, 20_000).unwrap();
        let [(_, a), (_, b)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(a & b, BigInt::from(0x0f0f_0f0f_0000_0000i64));
    }
}
