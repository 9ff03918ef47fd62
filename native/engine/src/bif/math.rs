//! Module `math`, through the C library that the VM uses too, so that results are the same to the last bit.
//!
//! Left to the host: `asinh`, `acosh`, `atanh`, `erf` and `erfc`, which Rust computes in its own way or not at all.

use super::number::{any_float, badarith};
use super::{Bif, BifResult, Meaning, badarg};
use crate::machine::{Ctx, Failure};
use crate::term::Value;

pub(super) const BIFS: &[Bif] = &[
    of_math("acos", 1, |ctx, args| unary(ctx, args, f64::acos)),
    of_math("asin", 1, |ctx, args| unary(ctx, args, f64::asin)),
    of_math("atan", 1, |ctx, args| unary(ctx, args, f64::atan)),
    of_math("atan2", 2, |ctx, args| binary(ctx, args, f64::atan2)),
    of_math("ceil", 1, |ctx, args| unary(ctx, args, f64::ceil)),
    of_math("cos", 1, |ctx, args| unary(ctx, args, f64::cos)),
    of_math("cosh", 1, |ctx, args| unary(ctx, args, f64::cosh)),
    of_math("exp", 1, |ctx, args| unary(ctx, args, f64::exp)),
    of_math("floor", 1, |ctx, args| unary(ctx, args, f64::floor)),
    of_math("fmod", 2, |ctx, args| binary(ctx, args, |a, b| a % b)),
    of_math("log", 1, |ctx, args| unary(ctx, args, f64::ln)),
    of_math("log10", 1, |ctx, args| unary(ctx, args, f64::log10)),
    of_math("log2", 1, |ctx, args| unary(ctx, args, f64::log2)),
    of_math("pow", 2, |ctx, args| binary(ctx, args, f64::powf)),
    of_math("sin", 1, |ctx, args| unary(ctx, args, f64::sin)),
    of_math("sinh", 1, |ctx, args| unary(ctx, args, f64::sinh)),
    of_math("sqrt", 1, |ctx, args| unary(ctx, args, f64::sqrt)),
    of_math("tan", 1, |ctx, args| unary(ctx, args, f64::tan)),
    of_math("tanh", 1, |ctx, args| unary(ctx, args, f64::tanh)),
];

const fn of_math(name: &'static str, arity: usize, run: fn(&mut Ctx<'_>, &[Value]) -> BifResult) -> Bif {
    Bif { module: "math", name, arity, meaning: Meaning::Concrete, run }
}

fn float(ctx: &Ctx<'_>, value: Value) -> Result<f64, Failure> {
    any_float(ctx.heap, value).ok_or_else(badarg)?
}

fn finite(ctx: &mut Ctx<'_>, result: f64) -> BifResult {
    if result.is_finite() { Ok(ctx.heap.float(result)) } else { Err(badarith()) }
}

fn unary(ctx: &mut Ctx<'_>, args: &[Value], function: fn(f64) -> f64) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let float = float(ctx, *value)?;
    finite(ctx, function(float))
}

fn binary(ctx: &mut Ctx<'_>, args: &[Value], function: fn(f64, f64) -> f64) -> BifResult {
    let [a, b] = args else { return Err(badarg()) };
    let (a, b) = (float(ctx, *a)?, float(ctx, *b)?);
    finite(ctx, function(a, b))
}
