//! From floats to integers. Integers pass as they are, symbolic ones too; the integer of a symbolic float is concrete.

use num_bigint::BigInt;
use num_traits::FromPrimitive;

use super::{Bif, BifResult, badarg, exact, mfa};
use crate::machine::Ctx;
use crate::sym::Tags;
use crate::term::{Value, View};

pub(super) const BIFS: &[Bif] = &[
    exact("trunc", 1, |ctx, args| rounded(ctx, args, "trunc", f64::trunc)),
    exact("round", 1, |ctx, args| rounded(ctx, args, "round", f64::round)),
    exact("floor", 1, |ctx, args| rounded(ctx, args, "floor", f64::floor)),
    exact("ceil", 1, |ctx, args| rounded(ctx, args, "ceil", f64::ceil)),
];

fn rounded(ctx: &mut Ctx<'_>, args: &[Value], name: &'static str, round: fn(f64) -> f64) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if value.is_small() || ctx.is(*value, Tags::INT) {
        return Ok(*value);
    }
    if !ctx.is(*value, Tags::FLOAT) {
        return Err(badarg());
    }
    if value.is_sym() {
        ctx.counters.concretise(mfa("erlang", name, 1));
    }
    let View::Float(float) = ctx.heap.view(ctx.heap.concrete(*value)) else { return Err(badarg()) };
    let whole = round(float);
    if whole.abs() < 1e18 {
        return Ok(ctx.heap.int(whole as i64));
    }
    BigInt::from_f64(whole).map(|int| ctx.heap.bigint(&int)).ok_or_else(badarg)
}
