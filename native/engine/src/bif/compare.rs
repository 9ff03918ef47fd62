//! Comparison operators as values, `min`, `max`, and the strict boolean operators.

use super::{Bif, BifResult, badarg, exact};
use crate::code::ir::Comparison;
use crate::machine::{Ctx, compare};
use crate::sym::SymId;
use crate::term::{AtomId, Value};

pub(super) const OPERATORS: [(&str, Comparison); 8] = [
    ("<", Comparison::Lt),
    ("=<", Comparison::Le),
    (">", Comparison::Gt),
    (">=", Comparison::Ge),
    ("==", Comparison::Equal),
    ("/=", Comparison::NotEqual),
    ("=:=", Comparison::Same),
    ("=/=", Comparison::NotSame),
];

pub(super) const BIFS: &[Bif] = &[
    exact("<", 2, |ctx, args| comparison(ctx, args, Comparison::Lt)),
    exact("=<", 2, |ctx, args| comparison(ctx, args, Comparison::Le)),
    exact(">", 2, |ctx, args| comparison(ctx, args, Comparison::Gt)),
    exact(">=", 2, |ctx, args| comparison(ctx, args, Comparison::Ge)),
    exact("==", 2, |ctx, args| comparison(ctx, args, Comparison::Equal)),
    exact("/=", 2, |ctx, args| comparison(ctx, args, Comparison::NotEqual)),
    exact("=:=", 2, |ctx, args| comparison(ctx, args, Comparison::Same)),
    exact("=/=", 2, |ctx, args| comparison(ctx, args, Comparison::NotSame)),
    exact("min", 2, |ctx, args| choose(ctx, args, Comparison::Le)),
    exact("max", 2, |ctx, args| choose(ctx, args, Comparison::Ge)),
    exact("not", 1, not),
    exact("and", 2, |ctx, args| logic(ctx, args, |a, b| a && b, |ctx, x, y| ctx.arena.and(x, y))),
    exact("or", 2, |ctx, args| logic(ctx, args, |a, b| a || b, |ctx, x, y| ctx.arena.or(x, y))),
    exact("xor", 2, |ctx, args| logic(ctx, args, |a, b| a != b, different)),
];

fn comparison(ctx: &mut Ctx<'_>, args: &[Value], op: Comparison) -> BifResult {
    let [a, b] = args else { return Err(badarg()) };
    let answer = compare(ctx, op, *a, *b);
    Ok(ctx.truth(answer.holds, answer.condition))
}

/// The first of two if the comparison holds, else the second; which one is a decision.
fn choose(ctx: &mut Ctx<'_>, args: &[Value], op: Comparison) -> BifResult {
    let [a, b] = args else { return Err(badarg()) };
    Ok(if ctx.holds(op, *a, *b) { *a } else { *b })
}

/// A boolean with its condition. That the value is a boolean is decided, if it is symbolic.
fn boolean(ctx: &mut Ctx<'_>, value: Value) -> Option<(bool, Option<SymId>)> {
    let plain = ctx.heap.concrete(value);
    let is_boolean = plain.is_true() || plain.is_false();
    let Some(id) = ctx.heap.expression(value) else { return is_boolean.then(|| (plain.is_true(), None)) };
    let condition = super::types::boolean_condition(ctx, id);
    if !ctx.branch(condition, is_boolean) {
        return None;
    }
    let condition = ctx.arena.is_true(id);
    Some((plain.is_true(), Some(condition)))
}

fn not(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let (holds, condition) = boolean(ctx, *value).ok_or_else(badarg)?;
    let condition = condition.map(|id| ctx.arena.not(id));
    Ok(ctx.truth(!holds, condition))
}

fn logic(
    ctx: &mut Ctx<'_>,
    args: &[Value],
    holds: fn(bool, bool) -> bool,
    expr: fn(&mut Ctx<'_>, SymId, SymId) -> SymId,
) -> BifResult {
    let [a, b] = args else { return Err(badarg()) };
    let a = boolean(ctx, *a).ok_or_else(badarg)?;
    let b = boolean(ctx, *b).ok_or_else(badarg)?;
    if a.1.is_none() && b.1.is_none() {
        return Ok(Value::atom(AtomId::boolean(holds(a.0, b.0))));
    }
    let [x, y] = [a, b].map(|(holds, condition)| condition.unwrap_or_else(|| ctx.arena.truth(holds)));
    let condition = expr(ctx, x, y);
    Ok(ctx.truth(holds(a.0, b.0), Some(condition)))
}

fn different(ctx: &mut Ctx<'_>, x: SymId, y: SymId) -> SymId {
    let same = ctx.arena.eq(x, y);
    ctx.arena.not(same)
}
