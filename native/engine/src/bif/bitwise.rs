//! Bit operations on integers.
//!
//! Symbolic meaning: all of them. With a constant nothing need be known of the other operand; of two unknowns it is decided how many bits they fit
//! into. A shift is a multiplication or a division that rounds down; by how many bits is decided.

use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::arith::integer;
use super::number::{badarith, integer_value, system_limit};
use super::terms::pinned;
use super::{Bif, BifResult, exact};
use crate::machine::Ctx;
use crate::release;
use crate::sym::SymId;
use crate::sym::bitwise::BitOp;
use crate::term::Value;

pub(super) const BIFS: &[Bif] = &[
    exact("band", 2, |ctx, args| bitwise(ctx, args, &AND)),
    exact("bor", 2, |ctx, args| bitwise(ctx, args, &OR)),
    exact("bxor", 2, |ctx, args| bitwise(ctx, args, &XOR)),
    exact("bnot", 1, bit_not),
    exact("bsl", 2, |ctx, args| shift(ctx, args, Direction::Left)),
    exact("bsr", 2, |ctx, args| shift(ctx, args, Direction::Right)),
];

/// A shift by more bits than an integer can have is the same for every number of them.
const FAR: i64 = i64::MAX;

/// A longer shift of an unknown is too much for the solver.
const MAX_SHIFT: u64 = 4_096;

struct Operation {
    op: BitOp,
    small: fn(i64, i64) -> i64,
    int: fn(&BigInt, &BigInt) -> BigInt,
}

const AND: Operation = Operation { op: BitOp::And, small: |a, b| a & b, int: |a, b| a & b };
const OR: Operation = Operation { op: BitOp::Or, small: |a, b| a | b, int: |a, b| a | b };
const XOR: Operation = Operation { op: BitOp::Xor, small: |a, b| a ^ b, int: |a, b| a ^ b };

/// The widths that two unknowns are tried to fit into, sign included.
const WIDTHS: [u32; 3] = [16, 64, 256];

fn bitwise(ctx: &mut Ctx<'_>, args: &[Value], operation: &Operation) -> BifResult {
    let [a, b] = args else { return Err(badarith()) };
    if Value::both_small(*a, *b) {
        return Ok(ctx.heap.int((operation.small)(a.as_small(), b.as_small())));
    }
    let ((x, x_expr), (y, y_expr)) = (integer(ctx, *a)?, integer(ctx, *b)?);
    let value = integer_value(ctx.heap, &(operation.int)(&x, &y))?;
    let expr = match (x_expr, y_expr) {
        (None, None) => return Ok(value),
        (Some(id), None) => ctx.arena.bitwise_constant(operation.op, id, &y),
        (None, Some(id)) => ctx.arena.bitwise_constant(operation.op, id, &x),
        (Some(a), Some(b)) => match width(ctx, (a, &x), (b, &y)) {
            Some(width) => ctx.arena.bitwise(operation.op, a, b, width),
            None => {
                ctx.concretise(super::mfa("erlang", operation.op.name(), 2), args);
                return Ok(value);
            }
        },
    };
    Ok(ctx.part(value, expr))
}

/// The first of the widths that both fit into, by decision.
fn width(ctx: &mut Ctx<'_>, a: (SymId, &BigInt), b: (SymId, &BigInt)) -> Option<u32> {
    WIDTHS.into_iter().find(|width| {
        let limit = BigInt::one() << (width - 1);
        fits(ctx, a, &limit) && fits(ctx, b, &limit)
    })
}

/// Whether an integer is from `-limit` up to, and not including, `limit`.
fn fits(ctx: &mut Ctx<'_>, (id, int): (SymId, &BigInt), limit: &BigInt) -> bool {
    let (low, high) = (ctx.arena.int(-limit), ctx.arena.int(limit.clone()));
    let (below, above) = (ctx.arena.lt(id, low), ctx.arena.lt(id, high));
    !ctx.branch(below, *int < -limit) && ctx.branch(above, int < limit)
}

fn bit_not(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarith()) };
    let (int, expr) = integer(ctx, *value)?;
    let value = integer_value(ctx.heap, &!int)?;
    Ok(expr.map_or(value, |id| {
        let minus_one = ctx.arena.int(-1);
        let negated = ctx.arena.sub(minus_one, id);
        ctx.part(value, negated)
    }))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Left,
    Right,
}

fn shift(ctx: &mut Ctx<'_>, args: &[Value], direction: Direction) -> BifResult {
    let [a, b] = args else { return Err(badarith()) };
    if let Some(value) = shift_small(*a, *b, direction) {
        return Ok(value);
    }
    let ((int, int_expr), (by, by_expr)) = (integer(ctx, *a)?, integer(ctx, *b)?);
    if let Some(id) = by_expr {
        decide_distance(ctx, *b, id, &by);
    }
    let far = if by.is_negative() { -FAR } else { FAR };
    let by = by.to_i64().unwrap_or(far).clamp(-FAR, FAR);
    let left = if direction == Direction::Left { by } else { -by };
    if let Some(id) = int_expr
        && left.unsigned_abs() > MAX_SHIFT
    {
        let zero = ctx.arena.int(0);
        let is_zero = ctx.arena.eq(id, zero);
        if ctx.branch(is_zero, int.is_zero()) {
            return Ok(Value::ZERO);
        }
    }
    let value = shifted(ctx, &int, left)?;
    match int_expr {
        None => Ok(value),
        Some(_) if left.unsigned_abs() > MAX_SHIFT => {
            ctx.concretise(super::mfa("erlang", if direction == Direction::Left { "bsl" } else { "bsr" }, 2), args);
            Ok(value)
        }
        Some(id) => {
            let power = BigInt::one() << left.unsigned_abs();
            let expr = if left >= 0 {
                let power = ctx.arena.int(power);
                ctx.arena.mul(id, power)
            } else {
                ctx.arena.floor_div(id, power)
            };
            Ok(ctx.part(value, expr))
        }
    }
}

/// By how many bits, and which way, is decided. A large distance stays open but for that.
fn decide_distance(ctx: &mut Ctx<'_>, by: Value, id: SymId, number: &BigInt) {
    let zero = ctx.arena.int(0);
    let below = ctx.arena.lt(id, zero);
    if !ctx.branch(below, number.is_negative()) {
        pinned(ctx, by);
        return;
    }
    let opposite = ctx.arena.sub(zero, id);
    let negated = ctx.heap.bigint(&-number);
    let negated = ctx.part(negated, opposite);
    pinned(ctx, negated);
}

/// Both small, and the result is small for certain.
fn shift_small(a: Value, b: Value, direction: Direction) -> Option<Value> {
    if !Value::both_small(a, b) {
        return None;
    }
    let (int, by) = (a.as_small(), b.as_small());
    let left = if direction == Direction::Left { by } else { -by };
    if left <= 0 {
        return Value::small(int >> (-left).min(63));
    }
    let result = if left < 61 { i128::from(int) << left } else { return None };
    Value::small(i64::try_from(result).ok()?)
}

/// To the left, or to the right if negative, where the sign stays.
fn shifted(ctx: &mut Ctx<'_>, int: &BigInt, left: i64) -> BifResult {
    let distance = left.unsigned_abs();
    if int.is_zero() {
        return Ok(Value::ZERO);
    }
    if left >= 0 {
        if int.bits().saturating_add(distance) > release::largest_integer_bits() {
            return Err(system_limit());
        }
        return integer_value(ctx.heap, &(int << distance));
    }
    if distance >= int.bits() {
        return Ok(ctx.heap.int(if int.sign() == Sign::Minus { -1 } else { 0 }));
    }
    integer_value(ctx.heap, &(int >> distance))
}
