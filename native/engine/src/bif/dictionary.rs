//! The dictionary of a process. Whether a key is there is decided, if it depends on the input.

use super::{Bif, BifResult, badarg, exact};
use crate::code::ir::Comparison;
use crate::machine::{Ctx, Place};
use crate::term::{AtomId, Value};

pub(super) const BIFS: &[Bif] = &[
    exact("put", 2, put),
    exact("get", 1, get),
    exact("get", 0, get_all),
    exact("erase", 1, erase),
    exact("erase", 0, erase_all),
    exact("get_keys", 0, get_keys),
    exact("get_keys", 1, get_keys_of),
];

const UNDEFINED: Value = Value::atom(AtomId::UNDEFINED);

fn find(ctx: &mut Ctx<'_>, key: Value) -> Option<Place> {
    let is_concrete = ctx.is_concrete(key);
    let found = is_concrete.then(|| ctx.process.dictionary.find(ctx.heap, key)).flatten();
    found.or_else(|| {
        let dictionary = &ctx.process.dictionary;
        let others = if is_concrete { dictionary.symbolic() } else { dictionary.places() };
        others.into_iter().find(|place| is_same(ctx, ctx.process.dictionary.key(*place), key))
    })
}

fn is_same(ctx: &mut Ctx<'_>, a: Value, b: Value) -> bool {
    if !a.is_pointer() && !b.is_pointer() {
        return a == b;
    }
    ctx.holds(Comparison::Same, a, b)
}

fn put(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key, value] = args else { return Err(badarg()) };
    let old = find(ctx, *key).and_then(|place| ctx.process.dictionary.replace(place, *value));
    Ok(old.unwrap_or_else(|| {
        let is_concrete = ctx.is_concrete(*key);
        ctx.process.dictionary.add(ctx.heap, *key, *value, is_concrete);
        UNDEFINED
    }))
}

fn get(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key] = args else { return Err(badarg()) };
    let value = find(ctx, *key).and_then(|place| ctx.process.dictionary.value(place));
    Ok(value.unwrap_or(UNDEFINED))
}

fn get_all(ctx: &mut Ctx<'_>, _: &[Value]) -> BifResult {
    let pairs: Vec<Value> = ctx.process.dictionary.pairs().map(|pair| ctx.heap.tuple(&pair)).collect();
    Ok(ctx.heap.list(pairs, Value::NIL))
}

fn erase(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key] = args else { return Err(badarg()) };
    let value = find(ctx, *key).and_then(|place| ctx.process.dictionary.erase(place));
    Ok(value.unwrap_or(UNDEFINED))
}

fn erase_all(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let all = get_all(ctx, args)?;
    ctx.process.dictionary = Default::default();
    Ok(all)
}

fn get_keys(ctx: &mut Ctx<'_>, _: &[Value]) -> BifResult {
    let keys: Vec<Value> = ctx.process.dictionary.pairs().map(|[key, _]| key).collect();
    Ok(ctx.heap.list(keys, Value::NIL))
}

/// The keys whose value is the given one.
fn get_keys_of(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [wanted] = args else { return Err(badarg()) };
    let pairs: Vec<[Value; 2]> = ctx.process.dictionary.pairs().collect();
    let keys: Vec<Value> =
        pairs.into_iter().filter(|[_, value]| is_same(ctx, *value, *wanted)).map(|[key, _]| key).collect();
    Ok(ctx.heap.list(keys, Value::NIL))
}
