//! Type tests.

use super::{Bif, BifResult, badarg, exact};
use crate::machine::{Ctx, Failure};
use crate::release;
use crate::sym::lift::tags_of;
use crate::sym::{Expr, SymId, Tags};
use crate::term::{AtomId, Value, table};

/// The tests that ask for a set of types and nothing else.
pub(super) const TESTS: [(&str, Tags); 12] = [
    ("is_atom", Tags::ATOM),
    ("is_integer", Tags::INT),
    ("is_float", Tags::FLOAT),
    ("is_number", Tags::NUMBER),
    ("is_list", Tags::LIST),
    ("is_tuple", Tags::TUPLE),
    ("is_map", Tags::MAP),
    ("is_pid", Tags::PID),
    ("is_port", Tags::PORT),
    ("is_reference", Tags::REFERENCE),
    ("is_function", Tags::FUN),
    ("is_bitstring", Tags::BITS),
];

pub(super) const BIFS: &[Bif] = &[
    exact("is_atom", 1, |ctx, args| test(ctx, args, Tags::ATOM)),
    exact("is_integer", 1, |ctx, args| test(ctx, args, Tags::INT)),
    exact("is_float", 1, |ctx, args| test(ctx, args, Tags::FLOAT)),
    exact("is_number", 1, |ctx, args| test(ctx, args, Tags::NUMBER)),
    exact("is_list", 1, |ctx, args| test(ctx, args, Tags::LIST)),
    exact("is_tuple", 1, |ctx, args| test(ctx, args, Tags::TUPLE)),
    exact("is_map", 1, |ctx, args| test(ctx, args, Tags::MAP)),
    exact("is_pid", 1, |ctx, args| test(ctx, args, Tags::PID)),
    exact("is_port", 1, |ctx, args| test(ctx, args, Tags::PORT)),
    exact("is_reference", 1, |ctx, args| test(ctx, args, Tags::REFERENCE)),
    exact("is_function", 1, |ctx, args| test(ctx, args, Tags::FUN)),
    exact("is_bitstring", 1, |ctx, args| test(ctx, args, Tags::BITS)),
    exact("is_boolean", 1, is_boolean),
    exact("is_binary", 1, is_binary),
    exact("is_function", 2, is_function),
    exact("is_record", 2, |ctx, args| is_record(ctx, args, None)),
    exact("is_record", 3, is_record_of_size),
];

fn test(ctx: &mut Ctx<'_>, args: &[Value], tags: Tags) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let holds = tags.contains(tags_of(ctx.heap, *value));
    let condition = ctx.heap.expression(*value).map(|id| ctx.arena.is(id, tags));
    Ok(ctx.truth(holds, condition))
}

/// The condition that a term is `true` or `false`.
pub(super) fn boolean_condition(ctx: &mut Ctx<'_>, id: SymId) -> SymId {
    let [yes, no] = [true, false].map(|b| {
        let atom = ctx.arena.atom(AtomId::boolean(b));
        ctx.arena.eq(id, atom)
    });
    ctx.arena.or(yes, no)
}

fn is_boolean(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let plain = ctx.heap.concrete(*value);
    let condition = ctx.heap.expression(*value).map(|id| boolean_condition(ctx, id));
    Ok(ctx.truth(plain.is_true() || plain.is_false(), condition))
}

/// A bitstring of whole bytes.
fn is_binary(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let bits = ctx.heap.as_bits(ctx.heap.concrete(*value));
    let holds = bits.is_some_and(|bits| bits.length % 8 == 0);
    let Some(id) = ctx.heap.expression(*value) else { return Ok(Value::boolean(holds)) };
    let is_bits = ctx.arena.is(id, Tags::BITS);
    if matches!(ctx.arena.get(is_bits), Expr::False) {
        return Ok(Value::boolean(false));
    }
    let stretch = ctx.stretch(*value);
    let whole = ctx.whole_bytes(stretch, stretch.from);
    let condition = ctx.arena.and(is_bits, whole);
    Ok(ctx.truth(holds, Some(condition)))
}

/// An arity that is symbolic itself, or that no solved fun can have, stays as it is.
fn is_function(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value, arity] = args else { return Err(badarg()) };
    let plain = ctx.heap.concrete(*arity);
    let wanted = match ctx.heap.integer(plain) {
        Some(wanted) if wanted.sign() != num_bigint::Sign::Minus => usize::try_from(wanted).unwrap_or(usize::MAX),
        _ => return Err(badarg()),
    };
    let holds = table::fun_arity(ctx.heap, ctx.heap.concrete(*value)) == Some(wanted);
    match ctx.heap.expression(*value) {
        Some(id) if !arity.is_sym() && wanted <= table::MAX_TABLE_ARITY => {
            let condition = ctx.arena.is_fun_of(id, wanted);
            Ok(ctx.truth(holds, Some(condition)))
        }
        Some(_) => {
            ctx.counters.concretise(super::mfa("erlang", "is_function", 2));
            Ok(Value::boolean(ctx.is(*value, Tags::FUN) && holds))
        }
        None => Ok(Value::boolean(holds)),
    }
}

fn is_record_of_size(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value, tag, size] = args else { return Err(badarg()) };
    let size = ctx.heap.concrete(*size);
    if size.is_atom() && release::has_native_records() {
        // Whether it is a native record of that module and name.
        return Err(Failure::Host);
    }
    if !size.is_small() {
        return Err(badarg());
    }
    is_record(ctx, &[*value, *tag], Some(size.as_small()))
}

fn is_record(ctx: &mut Ctx<'_>, args: &[Value], size: Option<i64>) -> BifResult {
    let [value, tag] = args else { return Err(badarg()) };
    let tag = ctx.heap.concrete(*tag);
    if !tag.is_atom() {
        return Err(badarg());
    }
    let arity = ctx.heap.tuple_arity(ctx.heap.concrete(*value));
    let wanted = size.and_then(|size| usize::try_from(size).ok()).or(arity).unwrap_or(0);
    if wanted == 0 || size.is_some_and(|size| size <= 0) || !ctx.has_arity(*value, wanted) {
        return Ok(Value::boolean(false));
    }
    let first = ctx.element(*value, 0);
    let answer = crate::machine::compare(ctx, crate::code::ir::Comparison::Same, first, tag);
    Ok(ctx.truth(answer.holds, answer.condition))
}
