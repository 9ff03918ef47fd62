//! Arithmetic on integers and floats.
//!
//! Symbolic meaning: `+ - * div rem abs` and negation of integers, `+ - * /` of floats as reals. That a float would be too large is a
//! decision like any other.
//! Small integers and floats take a path of their own, without large integers.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::number::{badarith, float_of_big, integer_value, plain_float, system_limit};
use super::{Bif, BifResult, badarg, exact};
use crate::machine::{Ctx, Failure};
use crate::release;
use crate::sym::{SymId, Tags};
use crate::term::{Heap, Value, View, large};

pub(super) const BIFS: &[Bif] = &[
    exact("+", 2, |ctx, args| binary(ctx, args, &ADD)),
    exact("-", 2, |ctx, args| binary(ctx, args, &SUB)),
    exact("*", 2, |ctx, args| binary(ctx, args, &MUL)),
    exact("/", 2, divide),
    exact("div", 2, |ctx, args| whole(ctx, args, &DIV)),
    exact("rem", 2, |ctx, args| whole(ctx, args, &REM)),
    exact("+", 1, |ctx, args| binary_with_zero(ctx, args, &ADD)),
    exact("-", 1, |ctx, args| binary_with_zero(ctx, args, &SUB)),
    exact("abs", 1, absolute),
    exact("float", 1, to_float),
];

/// A number with its expression, an integer or a real.
enum Number {
    Int(BigInt, Option<SymId>),
    Float(f64, Option<SymId>),
}

/// The value as a number; whether it is one, and of which type, is decided if it is symbolic.
fn number(ctx: &mut Ctx<'_>, value: Value) -> Result<Number, Failure> {
    if ctx.is(value, Tags::INT) {
        let expr = ctx.heap.expression(value).map(|id| ctx.arena.int_of(id));
        let int = ctx.heap.integer(ctx.heap.concrete(value)).unwrap_or_default();
        return Ok(Number::Int(int, expr));
    }
    if !ctx.is(value, Tags::FLOAT) {
        return Err(badarith());
    }
    let expr = ctx.heap.expression(value).map(|id| ctx.arena.real_of(id));
    match ctx.heap.view(ctx.heap.concrete(value)) {
        View::Float(float) => Ok(Number::Float(float, expr)),
        _ => Err(badarith()),
    }
}

/// The value as an integer with its expression; whether it is one is decided if it is symbolic.
pub(super) fn integer(ctx: &mut Ctx<'_>, value: Value) -> Result<(BigInt, Option<SymId>), Failure> {
    if !ctx.is(value, Tags::INT) {
        return Err(badarith());
    }
    let expr = ctx.heap.expression(value).map(|id| ctx.arena.int_of(id));
    Ok((ctx.heap.integer(ctx.heap.concrete(value)).unwrap_or_default(), expr))
}

/// An operation on two numbers of one type: what it computes, and the expression of that.
struct Operation {
    /// Of integers of at most 61 bits.
    small: fn(i64, i64) -> i128,
    int: fn(&Heap, &BigInt, &BigInt) -> BigInt,
    /// So many bits at least has the result of integers of so many bits.
    least_bits: fn(u64, u64) -> u64,
    float: fn(f64, f64) -> f64,
    expr: fn(&mut Ctx<'_>, SymId, SymId) -> SymId,
}

const ADD: Operation = Operation {
    small: |a, b| i128::from(a + b),
    int: |_, a, b| a + b,
    least_bits: |_, _| 0,
    float: |a, b| a + b,
    expr: |ctx, a, b| ctx.arena.add(a, b),
};
const SUB: Operation = Operation {
    small: |a, b| i128::from(a - b),
    int: |_, a, b| a - b,
    least_bits: |_, _| 0,
    float: |a, b| a - b,
    expr: |ctx, a, b| ctx.arena.sub(a, b),
};
const MUL: Operation = Operation {
    small: |a, b| i128::from(a) * i128::from(b),
    int: large::product,
    least_bits: |a, b| (a + b).saturating_sub(1),
    float: |a, b| a * b,
    expr: |ctx, a, b| ctx.arena.mul(a, b),
};

fn binary(ctx: &mut Ctx<'_>, args: &[Value], operation: &Operation) -> BifResult {
    let [a, b] = args else { return Err(badarith()) };
    if Value::both_small(*a, *b) {
        let result = (operation.small)(a.as_small(), b.as_small());
        return Ok(match i64::try_from(result) {
            Ok(small) => ctx.heap.int(small),
            Err(_) => ctx.heap.bigint(&BigInt::from(result)),
        });
    }
    if let (Some(x), Some(y)) = (plain_float(ctx.heap, *a), plain_float(ctx.heap, *b)) {
        return finite(ctx, (operation.float)(x, y));
    }
    // Both are looked at, in order, before anything fails: as many decisions on every path.
    let (a, b) = (number(ctx, *a)?, number(ctx, *b)?);
    apply(ctx, a, b, operation)
}

fn apply(ctx: &mut Ctx<'_>, a: Number, b: Number, operation: &Operation) -> BifResult {
    if let (Number::Int(x, x_expr), Number::Int(y, y_expr)) = (&a, &b) {
        if (operation.least_bits)(x.bits(), y.bits()) > release::largest_integer_bits() {
            return Err(system_limit());
        }
        let result = (operation.int)(ctx.heap, x, y);
        let value = integer_value(ctx.heap, &result)?;
        if x_expr.is_none() && y_expr.is_none() {
            return Ok(value);
        }
        let x_expr = int_expr(ctx, x, *x_expr);
        let y_expr = int_expr(ctx, y, *y_expr);
        let expr = (operation.expr)(ctx, x_expr, y_expr);
        return Ok(ctx.part(value, expr));
    }
    let ((x, x_expr), (y, y_expr)) = (as_float(ctx, a)?, as_float(ctx, b)?);
    float_result(ctx, (operation.float)(x, y), (x, x_expr), (y, y_expr), operation.expr)
}

fn finite(ctx: &mut Ctx<'_>, float: f64) -> BifResult {
    if float.is_finite() { Ok(ctx.heap.float(float)) } else { Err(badarith()) }
}

fn float_result(
    ctx: &mut Ctx<'_>,
    result: f64,
    a: (f64, Option<SymId>),
    b: (f64, Option<SymId>),
    expr: fn(&mut Ctx<'_>, SymId, SymId) -> SymId,
) -> BifResult {
    if a.1.is_none() && b.1.is_none() {
        return finite(ctx, result);
    }
    let [x, y] = [a, b].map(|(float, expr)| expr.unwrap_or_else(|| ctx.arena.real(float)));
    let expr = expr(ctx, x, y);
    finite_result(ctx, result, Some(expr))
}

/// A float with its expression. Beyond the largest one there is none: whether it comes to that is decided.
pub(super) fn finite_result(ctx: &mut Ctx<'_>, result: f64, expr: Option<SymId>) -> BifResult {
    if let Some(real) = expr {
        let condition = ctx.arena.finite(real);
        ctx.branch(condition, result.is_finite());
    }
    let value = finite(ctx, result)?;
    Ok(expr.map_or(value, |id| ctx.part(value, id)))
}

/// A number as a float with its expression, for functions of floats.
pub(super) fn float_argument(ctx: &mut Ctx<'_>, value: Value) -> Result<(f64, Option<SymId>), Failure> {
    let number = number(ctx, value).map_err(|_| badarg())?;
    as_float(ctx, number)
}

pub(super) fn int_expr(ctx: &mut Ctx<'_>, int: &BigInt, expr: Option<SymId>) -> SymId {
    expr.unwrap_or_else(|| ctx.arena.int(int.clone()))
}

/// An integer becomes a float, as it does beside one.
fn as_float(ctx: &mut Ctx<'_>, number: Number) -> Result<(f64, Option<SymId>), Failure> {
    match number {
        Number::Float(float, expr) => Ok((float, expr)),
        Number::Int(int, expr) => {
            let float = float_of_big(&int);
            if let Some(id) = expr {
                decide_size(ctx, id, &int);
            }
            let float = float.ok_or_else(badarith)?;
            Ok((float, expr.map(|id| ctx.arena.to_real(id))))
        }
    }
}

/// Whether an integer is too large for a float.
fn decide_size(ctx: &mut Ctx<'_>, id: SymId, int: &BigInt) {
    let real = ctx.arena.to_real(id);
    let condition = ctx.arena.finite(real);
    ctx.branch(condition, float_of_big(int).is_some());
}

fn binary_with_zero(ctx: &mut Ctx<'_>, args: &[Value], operation: &Operation) -> BifResult {
    let [value] = args else { return Err(badarith()) };
    match number(ctx, *value)? {
        // 0 - 0.0 would be 0.0, not -0.0.
        Number::Float(float, None) => {
            let sign = (operation.float)(0.0, 1.0);
            Ok(ctx.heap.float(sign * float))
        }
        Number::Float(float, Some(real)) => {
            let sign = (operation.float)(0.0, 1.0);
            let factor = ctx.arena.real(sign);
            let expr = ctx.arena.mul(real, factor);
            let value = ctx.heap.float(sign * float);
            Ok(ctx.part(value, expr))
        }
        number @ Number::Int(..) => apply(ctx, Number::Int(BigInt::zero(), None), number, operation),
    }
}

fn divide(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [a, b] = args else { return Err(badarith()) };
    if let (Some(x), Some(y)) = (plain_float(ctx.heap, *a), plain_float(ctx.heap, *b)) {
        return if y == 0.0 { Err(badarith()) } else { finite(ctx, x / y) };
    }
    let (a, b) = (number(ctx, *a)?, number(ctx, *b)?);
    let (a, b) = (as_float(ctx, a)?, as_float(ctx, b)?);
    if let Some(divisor) = b.1 {
        let zero = ctx.arena.real(0.0);
        let is_zero = ctx.arena.eq(divisor, zero);
        ctx.branch(is_zero, b.0 == 0.0);
    }
    if b.0 == 0.0 {
        return Err(badarith());
    }
    float_result(ctx, a.0 / b.0, a, b, |ctx, x, y| ctx.arena.quotient(x, y))
}

/// An operation on integers whose second operand must not be zero.
struct Division {
    small: fn(i64, i64) -> i64,
    int: fn(&Heap, &BigInt, &BigInt) -> BigInt,
    expr: fn(&mut Ctx<'_>, SymId, SymId) -> SymId,
}

const DIV: Division = Division {
    small: |a, b| a / b,
    int: |heap, a, b| large::divided(heap, a, b).0,
    expr: |ctx, a, b| ctx.arena.div(a, b),
};
const REM: Division = Division {
    small: |a, b| a % b,
    int: |heap, a, b| large::divided(heap, a, b).1,
    expr: |ctx, a, b| ctx.arena.rem(a, b),
};

fn whole(ctx: &mut Ctx<'_>, args: &[Value], division: &Division) -> BifResult {
    let [a, b] = args else { return Err(badarith()) };
    if Value::both_small(*a, *b) && *b != Value::ZERO {
        return Ok(ctx.heap.int((division.small)(a.as_small(), b.as_small())));
    }
    let ((a, a_expr), (b, b_expr)) = (integer(ctx, *a)?, integer(ctx, *b)?);
    if let Some(divisor) = b_expr {
        let zero = ctx.arena.int(0);
        let is_zero = ctx.arena.eq(divisor, zero);
        ctx.branch(is_zero, b.is_zero());
    }
    if b.is_zero() {
        return Err(badarith());
    }
    let result = (division.int)(ctx.heap, &a, &b);
    let value = ctx.heap.bigint(&result);
    if a_expr.is_none() && b_expr.is_none() {
        return Ok(value);
    }
    let (x, y) = (int_expr(ctx, &a, a_expr), int_expr(ctx, &b, b_expr));
    let expr = (division.expr)(ctx, x, y);
    Ok(ctx.part(value, expr))
}

/// The sign is a decision, so that the result is the number or its negation. As in the VM, `abs(-0.0)` is `-0.0`.
fn absolute(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let (negative, condition) = match number(ctx, *value).map_err(|_| badarg())? {
        Number::Int(int, expr) => {
            let zero = ctx.arena.int(0);
            (int.is_negative(), expr.map(|id| ctx.arena.lt(id, zero)))
        }
        Number::Float(float, expr) => {
            let zero = ctx.arena.real(0.0);
            (float < 0.0, expr.map(|id| ctx.arena.lt(id, zero)))
        }
    };
    if let Some(condition) = condition {
        ctx.branch(condition, negative);
    }
    if negative { binary_with_zero(ctx, args, &SUB) } else { Ok(without_sign(ctx, *value)) }
}

/// A number that is not less than 0: `-0.0` may lose its sign.
fn without_sign(ctx: &mut Ctx<'_>, value: Value) -> Value {
    match ctx.heap.view(ctx.heap.concrete(value)) {
        View::Float(float) if float == 0.0 && float.is_sign_negative() && !release::abs_keeps_minus_zero() => {
            let zero = ctx.heap.float(0.0);
            match ctx.heap.expression(value) {
                Some(id) => ctx.heap.symbolic(zero, id),
                None => zero,
            }
        }
        _ => value,
    }
}

fn to_float(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    match number(ctx, *value).map_err(|_| badarg())? {
        Number::Float(..) => Ok(*value),
        int @ Number::Int(..) => {
            let (float, expr) = as_float(ctx, int).map_err(|_| badarg())?;
            let value = ctx.heap.float(float);
            // Beside a float an integer is compared as it is: what is to be a float has to be the result of an operation.
            Ok(expr.map_or(value, |id| {
                let zero = ctx.arena.real(0.0);
                let sum = ctx.arena.add(id, zero);
                ctx.part(value, sum)
            }))
        }
    }
}
