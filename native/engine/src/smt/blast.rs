//! Integers as bit vectors, for one question about the bits of several unknowns.
//!
//! Linear arithmetic finds it hard to say what two unknowns of 64 bits have in common; for bits alone it is simple. Numbers may overflow
//! here: a [`Proposal`] is no more than that.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed};
use z3::ast::{BV, Bool};

use super::decode::big;
use super::proposal::{Asked, Encoder, Node, Proposal, Theory, propose};
use crate::sym::bitwise::BitOp;
use crate::sym::eval::Denoted;
use crate::sym::{BitsExpr, Expr, Sort, SymId};

/// Bits beside those of the widest operation, for sums and products.
const MORE: u32 = 32;

/// New values for the integers of an input, so that all conditions hold. `None` if that is no question for bit vectors.
pub fn solve(asked: &Asked<'_>) -> Option<Proposal<BigInt>> {
    let width = width(asked)? + MORE;
    propose(Bits { width }, asked)
}

/// How wide the operations on bits of two unknowns are, if the conditions have any and the last one depends on integers.
fn width(asked: &Asked<'_>) -> Option<u32> {
    let arena = asked.arena;
    if arena.bitwise_operations() == 0 {
        return None;
    }
    let goal = asked.steps.last()?.condition;
    arena.parts([goal]).find(|id| matches!(arena.get(*id), Expr::IntOf(_)))?;
    let widths = arena.parts(asked.steps.iter().map(|step| step.condition)).filter_map(|id| match arena.get(id) {
        Expr::Bitwise(_, a, b, width) if !arena.is_constant(*a) && !arena.is_constant(*b) => Some(*width),
        _ => None,
    });
    widths.max()
}

struct Bits {
    width: u32,
}

impl Bits {
    fn of(&self, int: &BigInt) -> Option<BV> {
        let modulus = BigInt::one() << self.width;
        if int.abs() >= (&modulus >> 1) {
            return None;
        }
        BV::from_str(self.width, &int.mod_floor(&modulus).to_string())
    }
}

impl Theory for Bits {
    type Number = BV;
    type Value = BigInt;

    fn part(expr: &Expr) -> Option<SymId> {
        if let Expr::IntOf(term) = expr { Some(*term) } else { None }
    }

    fn unknown(&self, now: &Denoted) -> Option<BV> {
        matches!(now, Denoted::Int(_)).then(|| BV::fresh_const("int", self.width))
    }

    fn constant(&self, value: &Denoted) -> Option<BV> {
        match value {
            Denoted::Int(int) => self.of(int),
            Denoted::Term(_) | Denoted::Real(_) | Denoted::Bool(_) => None,
        }
    }

    fn inside(expr: &Expr) -> Option<SymId> {
        if let Expr::OfInt(int) = expr { Some(*int) } else { None }
    }

    fn node(encoder: &mut Encoder<'_, Self>, id: SymId) -> Option<Node<BV>> {
        let arena = encoder.arena;
        match arena.get(id) {
            Expr::Add(a, b) => both(encoder, *a, *b, |a, b| a.bvadd(b)),
            Expr::Sub(a, b) => both(encoder, *a, *b, |a, b| a.bvsub(b)),
            Expr::Mul(a, b) => both(encoder, *a, *b, |a, b| a.bvmul(b)),
            Expr::Div(a, b) => both(encoder, *a, *b, |a, b| a.bvsdiv(b)),
            Expr::Rem(a, b) => both(encoder, *a, *b, |a, b| a.bvsrem(b)),
            Expr::FloorDiv(a, b) if let Some(by) = power(arena.get(*b)) => {
                let by = encoder.theory.of(&BigInt::from(by))?;
                encoder.open(*a).map(|a| Node::Number(a.bvashr(by)))
            }
            Expr::Modulo(a, b) if let Some(by) = power(arena.get(*b)) => {
                let mask = encoder.theory.of(&ones(by))?;
                encoder.open(*a).map(|a| Node::Number(a.bvand(mask)))
            }
            Expr::FloorDiv(a, b) => both(encoder, *a, *b, |a, b| a.bvsub(a.bvsmod(b)).bvsdiv(b)),
            Expr::Modulo(a, b) => both(encoder, *a, *b, |a, b| a.bvsmod(b)),
            Expr::Bitwise(op, a, b, _) => both(encoder, *a, *b, |a, b| match op {
                BitOp::And => a.bvand(b),
                BitOp::Or => a.bvor(b),
                BitOp::Xor => a.bvxor(b),
            }),
            Expr::Bits(BitsExpr::Slice { value, low, size }) => {
                let (low, mask) = (encoder.theory.of(&BigInt::from(*low))?, encoder.theory.of(&ones(*size))?);
                encoder.open(*value).map(|value| Node::Number(value.bvashr(low).bvand(mask)))
            }
            Expr::Lt(a, b) if arena.sort(*a) == Sort::Int => {
                encoder.numbers(*a, *b).map(|(a, b)| Node::Bool(a.bvslt(b)))
            }
            _ => None,
        }
    }

    fn equal(a: &BV, b: &BV) -> Bool {
        a.eq(b)
    }

    fn law(_: &BV) -> Option<Bool> {
        None
    }

    fn value(model: &z3::Model, number: &BV) -> Option<BigInt> {
        Some(big(&model.eval(&number.to_int(true), true)?))
    }
}

fn both(encoder: &mut Encoder<'_, Bits>, a: SymId, b: SymId, operation: impl Fn(&BV, &BV) -> BV) -> Option<Node<BV>> {
    encoder.numbers(a, b).map(|(a, b)| Node::Number(operation(&a, &b)))
}

/// The exponent of a constant that is a power of two.
fn power(expr: &Expr) -> Option<u32> {
    let Expr::Int(int) = expr else { return None };
    let zeros = int.trailing_zeros()?;
    (int.is_positive() && zeros + 1 == int.bits()).then_some(zeros as u32)
}

fn ones(count: u32) -> BigInt {
    (BigInt::one() << count) - 1
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::smt::Step;
    use crate::sym::Arena;
    use crate::term::{Heap, Literals, Packed};

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
        let asked = Asked { arena: &arena, steps: &steps, inputs: &zeros, timeout_ms: 20_000, kept: None };
        let found = solve(&asked).unwrap().values;
        let [(_, a), (_, b)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(a & b, BigInt::from(0x0f0f_0f0f_0000_0000i64));
    }
}
