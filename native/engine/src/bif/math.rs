//! Module `math`, through the C library that the VM uses too, so that results are the same to the last bit. The solver knows
//! these functions by examples only, but for `ceil` and `floor`, and `sqrt`, which it has an equation for.
//!
//! Left to the host: `asinh`, `acosh`, `atanh`, `erf` and `erfc`, which Rust computes in its own way or not at all.

use super::arith::{finite_result, float_argument};
use super::number::badarith;
use super::{Bif, BifResult, Meaning, badarg};
use crate::machine::Ctx;
use crate::sym::function::Math;
use crate::sym::{Function, Rounding, SymId};
use crate::term::Value;

pub(super) const BIFS: &[Bif] = &[
    of_math("acos", 1, |ctx, args| call(ctx, args, Math::Acos)),
    of_math("asin", 1, |ctx, args| call(ctx, args, Math::Asin)),
    of_math("atan", 1, |ctx, args| call(ctx, args, Math::Atan)),
    of_math("atan2", 2, |ctx, args| call(ctx, args, Math::Atan2)),
    of_math("cos", 1, |ctx, args| call(ctx, args, Math::Cos)),
    of_math("cosh", 1, |ctx, args| call(ctx, args, Math::Cosh)),
    of_math("exp", 1, |ctx, args| call(ctx, args, Math::Exp)),
    of_math("fmod", 2, |ctx, args| call(ctx, args, Math::Fmod)),
    of_math("log", 1, |ctx, args| call(ctx, args, Math::Log)),
    of_math("log10", 1, |ctx, args| call(ctx, args, Math::Log10)),
    of_math("log2", 1, |ctx, args| call(ctx, args, Math::Log2)),
    of_math("pow", 2, |ctx, args| call(ctx, args, Math::Pow)),
    of_math("sin", 1, |ctx, args| call(ctx, args, Math::Sin)),
    of_math("sinh", 1, |ctx, args| call(ctx, args, Math::Sinh)),
    of_math("sqrt", 1, |ctx, args| call(ctx, args, Math::Sqrt)),
    of_math("tan", 1, |ctx, args| call(ctx, args, Math::Tan)),
    of_math("tanh", 1, |ctx, args| call(ctx, args, Math::Tanh)),
    of_math("ceil", 1, |ctx, args| whole(ctx, args, Rounding::Ceiling)),
    of_math("floor", 1, |ctx, args| whole(ctx, args, Rounding::Floor)),
];

const fn of_math(name: &'static str, arity: usize, run: fn(&mut Ctx<'_>, &[Value]) -> BifResult) -> Bif {
    Bif { module: "math", name, arity, meaning: Meaning::Exact, run }
}

/// A float with its expression.
type Argument = (f64, Option<SymId>);

fn call(ctx: &mut Ctx<'_>, args: &[Value], math: Math) -> BifResult {
    let [a, rest @ ..] = args else { return Err(badarg()) };
    let a = float_argument(ctx, *a)?;
    let b = rest.first().map(|b| float_argument(ctx, *b)).transpose()?;
    let result = math.of(a.0, b.map_or(0.0, |(float, _)| float));
    if a.1.is_none() && b.is_none_or(|(_, expr)| expr.is_none()) {
        return if result.is_finite() { Ok(ctx.heap.float(result)) } else { Err(badarith()) };
    }
    if !is_defined(ctx, math, a, b.unwrap_or(a)) {
        return Err(badarith());
    }
    let args: Vec<SymId> =
        [Some(a), b].into_iter().flatten().map(|(float, id)| id.unwrap_or_else(|| ctx.arena.real(float))).collect();
    let expr = ctx.arena.apply(Function::Math(math), args);
    if matches!(math, Math::Exp | Math::Cosh | Math::Sinh | Math::Pow) && !result.is_nan() {
        return finite_result(ctx, result, Some(expr));
    }
    if !result.is_finite() {
        ctx.counters.concretise(super::mfa("math", "pow", 2));
        return Err(badarith());
    }
    let value = ctx.heap.float(result);
    Ok(ctx.part(value, expr))
}

/// Whether the function is defined there, by decision. Where a power is not, is left open.
fn is_defined(ctx: &mut Ctx<'_>, math: Math, a: Argument, b: Argument) -> bool {
    match math {
        Math::Sqrt => !is_below(ctx, a, 0.0),
        Math::Log | Math::Log10 | Math::Log2 => is_above(ctx, a, 0.0),
        Math::Acos | Math::Asin => !is_below(ctx, a, -1.0) && !is_above(ctx, a, 1.0),
        Math::Fmod => is_below(ctx, b, 0.0) || is_above(ctx, b, 0.0),
        Math::Atan
        | Math::Atan2
        | Math::Cos
        | Math::Cosh
        | Math::Exp
        | Math::Pow
        | Math::Sin
        | Math::Sinh
        | Math::Tan
        | Math::Tanh => true,
    }
}

fn is_below(ctx: &mut Ctx<'_>, (float, expr): Argument, bound: f64) -> bool {
    let holds = float < bound;
    expr.map_or(holds, |id| {
        let constant = ctx.arena.real(bound);
        let condition = ctx.arena.lt(id, constant);
        ctx.branch(condition, holds)
    })
}

fn is_above(ctx: &mut Ctx<'_>, (float, expr): Argument, bound: f64) -> bool {
    let holds = float > bound;
    expr.map_or(holds, |id| {
        let constant = ctx.arena.real(bound);
        let condition = ctx.arena.lt(constant, id);
        ctx.branch(condition, holds)
    })
}

/// A float that is whole.
fn whole(ctx: &mut Ctx<'_>, args: &[Value], how: Rounding) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let (float, expr) = float_argument(ctx, *value)?;
    let expr = expr.map(|real| {
        let int = ctx.arena.rounded(how, real);
        ctx.arena.to_real(int)
    });
    let value = ctx.heap.float(how.of_float(float));
    Ok(expr.map_or(value, |id| ctx.part(value, id)))
}
