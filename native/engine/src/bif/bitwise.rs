//! Bit operations on integers.
//!
//! Symbolic meaning: shifts by a known number of bits, and `band` with a known mask of low bits, as multiplication, division and
//! remainder. The rest is concrete.

use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::arith::integer;
use super::number::{badarith, integer_value, system_limit};
use super::{Bif, BifResult, exact};
use crate::machine::Ctx;
use crate::release;
use crate::sym::SymId;
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

struct Operation {
    name: &'static str,
    small: fn(i64, i64) -> i64,
    int: fn(BigInt, BigInt) -> BigInt,
}

const AND: Operation = Operation { name: "band", small: |a, b| a & b, int: |a, b| a & b };
const OR: Operation = Operation { name: "bor", small: |a, b| a | b, int: |a, b| a | b };
const XOR: Operation = Operation { name: "bxor", small: |a, b| a ^ b, int: |a, b| a ^ b };

fn bitwise(ctx: &mut Ctx<'_>, args: &[Value], operation: &Operation) -> BifResult {
    let [a, b] = args else { return Err(badarith()) };
    if Value::both_small(*a, *b) {
        return Ok(ctx.heap.int((operation.small)(a.as_small(), b.as_small())));
    }
    let ((x, x_expr), (y, y_expr)) = (integer(ctx, *a)?, integer(ctx, *b)?);
    let masked = match (x_expr, y_expr) {
        (Some(id), None) if operation.name == AND.name => low_bits(ctx, id, &y),
        (None, Some(id)) if operation.name == AND.name => low_bits(ctx, id, &x),
        _ => None,
    };
    let value = integer_value(ctx.heap, &(operation.int)(x, y))?;
    if masked.is_none() && (x_expr.is_some() || y_expr.is_some()) {
        ctx.counters.concretise(super::mfa("erlang", operation.name, 2));
    }
    Ok(masked.map_or(value, |id| ctx.part(value, id)))
}

/// `X band Mask` for a mask of ones: the remainder of dividing by the next power of two, above zero.
fn low_bits(ctx: &mut Ctx<'_>, id: SymId, mask: &BigInt) -> Option<SymId> {
    let power: BigInt = mask + 1;
    if mask.is_negative() || !(&power & mask).is_zero() {
        return None;
    }
    let power = ctx.arena.int(power);
    let remainder = ctx.arena.rem(id, power);
    let above = ctx.arena.add(remainder, power);
    Some(ctx.arena.rem(above, power))
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
    let far = if by.is_negative() { -FAR } else { FAR };
    let by = by.to_i64().unwrap_or(far).clamp(-FAR, FAR);
    let left = if direction == Direction::Left { by } else { -by };
    let value = shifted(ctx, &int, left)?;
    if by_expr.is_some() {
        ctx.counters.concretise(super::mfa("erlang", if direction == Direction::Left { "bsl" } else { "bsr" }, 2));
        return Ok(value);
    }
    Ok(int_expr.map_or(value, |id| {
        let expr = shift_expr(ctx, id, &int, left);
        ctx.part(value, expr)
    }))
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

/// A multiplication, or a division that rounds down: for that the sign is decided.
fn shift_expr(ctx: &mut Ctx<'_>, id: SymId, int: &BigInt, left: i64) -> SymId {
    let power = BigInt::one() << left.unsigned_abs().min(release::largest_integer_bits());
    let divisor = ctx.arena.int(power.clone());
    if left >= 0 {
        return ctx.arena.mul(id, divisor);
    }
    let zero = ctx.arena.int(0);
    let condition = ctx.arena.lt(id, zero);
    if ctx.branch(condition, int.is_negative()) {
        let less = ctx.arena.int(power - 1);
        let lower = ctx.arena.sub(id, less);
        return ctx.arena.div(lower, divisor);
    }
    ctx.arena.div(id, divisor)
}
