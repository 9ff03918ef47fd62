//! Lists. The shape of a symbolic list is decided as far as the function looks at it.

use super::{Bif, BifResult, Meaning, badarg, exact};
use crate::code::ir::Comparison;
use crate::machine::{Ctx, compare};
use crate::sym::Tags;
use crate::term::Value;

pub(super) const BIFS: &[Bif] = &[
    exact("hd", 1, head),
    exact("tl", 1, tail),
    exact("length", 1, length),
    exact("++", 2, append),
    exact("--", 2, subtract),
    of_lists("reverse", 2, reverse),
    of_lists("member", 2, member),
    of_lists("keyfind", 3, keyfind),
    of_lists("keymember", 3, keymember),
    of_lists("keysearch", 3, keysearch),
];

const fn of_lists(name: &'static str, arity: usize, run: fn(&mut Ctx<'_>, &[Value]) -> BifResult) -> Bif {
    Bif { module: "lists", name, arity, meaning: Meaning::Exact, run }
}

fn head(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    if ctx.is(*list, Tags::CONS) { Ok(ctx.head(*list)) } else { Err(badarg()) }
}

fn tail(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    if ctx.is(*list, Tags::CONS) { Ok(ctx.tail(*list)) } else { Err(badarg()) }
}

fn length(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    let items = ctx.list(*list).ok_or_else(badarg)?;
    Ok(Value::count(items.len()))
}

fn append(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list, tail] = args else { return Err(badarg()) };
    let items = ctx.list(*list).ok_or_else(badarg)?;
    Ok(ctx.heap.list(items, *tail))
}

/// For each element of the second list its first occurrence is taken out of the first.
fn subtract(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list, out] = args else { return Err(badarg()) };
    let mut items = ctx.list(*list).ok_or_else(badarg)?;
    for gone in ctx.list(*out).ok_or_else(badarg)? {
        let mut found = None;
        for (index, item) in items.iter().enumerate() {
            if is_same(ctx, Comparison::Same, *item, gone) {
                found = Some(index);
                break;
            }
        }
        if let Some(index) = found {
            items.remove(index);
        }
    }
    Ok(ctx.heap.list(items, Value::NIL))
}

fn reverse(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list, tail] = args else { return Err(badarg()) };
    let mut items = ctx.list(*list).ok_or_else(badarg)?;
    items.reverse();
    Ok(ctx.heap.list(items, *tail))
}

fn is_same(ctx: &mut Ctx<'_>, op: Comparison, a: Value, b: Value) -> bool {
    let answer = compare(ctx, op, a, b);
    answer.condition.map_or(answer.holds, |condition| ctx.branch(condition, answer.holds))
}

/// The rest of a list after its head, if it has one. A rest that is no list at all is an error.
fn next(ctx: &mut Ctx<'_>, list: Value) -> Result<Option<(Value, Value)>, super::Failure> {
    if ctx.is(list, Tags::CONS) {
        Ok(Some((ctx.head(list), ctx.tail(list))))
    } else if ctx.is(list, Tags::NIL) {
        Ok(None)
    } else {
        Err(badarg())
    }
}

fn member(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [wanted, list] = args else { return Err(badarg()) };
    let mut rest = *list;
    while let Some((item, tail)) = next(ctx, rest)? {
        if is_same(ctx, Comparison::Same, item, *wanted) {
            return Ok(Value::boolean(true));
        }
        rest = tail;
    }
    Ok(Value::boolean(false))
}

/// The first tuple of the list that has the key at the position, from 1.
fn find_key(ctx: &mut Ctx<'_>, args: &[Value]) -> Result<Option<Value>, super::Failure> {
    let [key, position, list] = args else { return Err(badarg()) };
    let position = ctx.heap.concrete(*position);
    if !position.is_small() || position.as_small() < 1 {
        return Err(badarg());
    }
    let index = position.as_small() as usize - 1;
    let mut rest = *list;
    while let Some((item, tail)) = next(ctx, rest)? {
        let size = ctx.heap.tuple_arity(ctx.heap.concrete(item));
        let is_tuple = match size {
            Some(size) => ctx.has_arity(item, size),
            None => ctx.is(item, Tags::TUPLE),
        };
        if is_tuple && size.is_some_and(|size| index < size) {
            let element = ctx.element(item, index);
            if is_same(ctx, Comparison::Equal, element, *key) {
                return Ok(Some(item));
            }
        }
        rest = tail;
    }
    Ok(None)
}

fn keyfind(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    Ok(find_key(ctx, args)?.unwrap_or(Value::boolean(false)))
}

fn keymember(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    Ok(Value::boolean(find_key(ctx, args)?.is_some()))
}

fn keysearch(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    Ok(match find_key(ctx, args)? {
        Some(tuple) => ctx.heap.tuple(&[Value::atom(crate::term::AtomId::VALUE), tuple]),
        None => Value::boolean(false),
    })
}
