//! From floats to integers. Integers pass as they are.

use num_bigint::BigInt;
use num_traits::FromPrimitive;

use super::{Bif, BifResult, badarg, exact};
use crate::machine::Ctx;
use crate::sym::{Rounding, Tags};
use crate::term::{Value, View};

pub(super) const BIFS: &[Bif] = &[
    exact("trunc", 1, |ctx, args| rounded(ctx, args, Rounding::Truncate)),
    exact("round", 1, |ctx, args| rounded(ctx, args, Rounding::Nearest)),
    exact("floor", 1, |ctx, args| rounded(ctx, args, Rounding::Floor)),
    exact("ceil", 1, |ctx, args| rounded(ctx, args, Rounding::Ceiling)),
];

fn rounded(ctx: &mut Ctx<'_>, args: &[Value], how: Rounding) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if value.is_small() || ctx.is(*value, Tags::INT) {
        return Ok(*value);
    }
    if !ctx.is(*value, Tags::FLOAT) {
        return Err(badarg());
    }
    let View::Float(float) = ctx.heap.view(ctx.heap.concrete(*value)) else { return Err(badarg()) };
    let whole = how.of_float(float);
    let result = if whole.abs() < 1e18 {
        ctx.heap.int(whole as i64)
    } else {
        BigInt::from_f64(whole).map(|int| ctx.heap.bigint(&int)).ok_or_else(badarg)?
    };
    Ok(match ctx.heap.expression(*value) {
        None => result,
        Some(id) => {
            let real = ctx.arena.real_of(id);
            let expr = ctx.arena.rounded(how, real);
            ctx.part(result, expr)
        }
    })
}
