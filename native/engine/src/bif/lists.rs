//! Lists. The shape of a symbolic list is decided as far as the function looks at it.

use rustc_hash::FxHashMap;

use super::terms::pinned;
use super::{Bif, BifResult, Failure, Meaning, badarg, exact};
use crate::code::ir::Comparison;
use crate::machine::{Ctx, Stop};
use crate::sym::Tags;
use crate::term::effort::Effort;
use crate::term::{AtomId, Heap, Value, View, hash, order};

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
    if list.is_cons() || ctx.is(*list, Tags::CONS) { Ok(ctx.head(*list)) } else { Err(badarg()) }
}

fn tail(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    if list.is_cons() || ctx.is(*list, Tags::CONS) { Ok(ctx.tail(*list)) } else { Err(badarg()) }
}

/// Head and tail of a list, if it has them. What is no list at all is an error.
#[inline]
fn next(ctx: &mut Ctx<'_>, list: Value, effort: &mut Effort) -> Result<Option<(Value, Value)>, Failure> {
    if !effort.spend(ctx.heap) {
        return Err(Failure::Stop(Stop::Steps));
    }
    if list.is_cons() {
        Ok(Some((ctx.heap.head(list), ctx.heap.tail(list))))
    } else if list.is_nil() {
        Ok(None)
    } else if ctx.is(list, Tags::CONS) {
        Ok(Some((ctx.head(list), ctx.tail(list))))
    } else if ctx.is(list, Tags::NIL) {
        Ok(None)
    } else {
        Err(badarg())
    }
}

fn length(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    let (mut rest, mut count) = (*list, 0);
    let mut effort = Effort::new(ctx.heap);
    while let Some((_, tail)) = next(ctx, rest, &mut effort)? {
        count += 1;
        rest = tail;
    }
    Ok(Value::count(count))
}

/// What stands behind `++` may be anything.
fn append(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list, tail] = args else { return Err(badarg()) };
    let items = ctx.list(*list).ok_or_else(badarg)?;
    if tail.is_nil() && !list.is_sym() { Ok(*list) } else { Ok(ctx.heap.list(items, *tail)) }
}

/// For each element of the second list its first occurrence is taken out of the first.
fn subtract(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list, out] = args else { return Err(badarg()) };
    let (items, out_items) = (ctx.list(*list), ctx.list(*out));
    let (items, out_items) = (items.ok_or_else(badarg)?, out_items.ok_or_else(badarg)?);
    if items.is_empty() || out_items.is_empty() {
        return Ok(ctx.heap.list(items, Value::NIL));
    }
    let left = if ctx.is_concrete(*list) && ctx.is_concrete(*out) {
        subtract_concrete(ctx.heap, items, out_items)
    } else {
        subtract_decided(ctx, items, out_items)
    };
    Ok(ctx.heap.list(left, Value::NIL))
}

/// Takes out by counting how often each element is to go.
fn subtract_concrete(heap: &Heap, items: Vec<Value>, out: Vec<Value>) -> Vec<Value> {
    let mut counts: FxHashMap<u64, Vec<(Value, usize)>> = FxHashMap::default();
    let mut left = out.len();
    let mut effort = Effort::new(heap);
    for value in out {
        if !effort.spend(heap) {
            break;
        }
        let same_hash = counts.entry(hash::hash(heap, value)).or_default();
        match same_hash.iter_mut().find(|(known, _)| order::identical(heap, *known, value)) {
            Some((_, count)) => *count += 1,
            None => same_hash.push((value, 1)),
        }
    }
    let mut is_to_go = |item: Value| {
        if left == 0 || !effort.spend(heap) {
            return false;
        }
        let same_hash = counts.get_mut(&hash::hash(heap, item));
        let found =
            same_hash.and_then(|known| known.iter_mut().find(|(value, _)| order::identical(heap, *value, item)));
        match found {
            Some((_, count)) if *count > 0 => {
                *count -= 1;
                left -= 1;
                true
            }
            _ => false,
        }
    };
    items.into_iter().filter(|item| !is_to_go(*item)).collect()
}

/// Takes out one by one; whether two elements are the same is decided.
fn subtract_decided(ctx: &mut Ctx<'_>, mut items: Vec<Value>, out: Vec<Value>) -> Vec<Value> {
    for gone in out {
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
    items
}

fn reverse(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list, tail] = args else { return Err(badarg()) };
    let (mut rest, mut reversed) = (*list, *tail);
    let mut effort = Effort::new(ctx.heap);
    while let Some((head, tail)) = next(ctx, rest, &mut effort)? {
        reversed = ctx.heap.cons(head, reversed);
        rest = tail;
    }
    Ok(reversed)
}

#[inline]
fn is_same(ctx: &mut Ctx<'_>, op: Comparison, a: Value, b: Value) -> bool {
    if !a.is_pointer() && !b.is_pointer() {
        return a == b;
    }
    // Only numbers are equal without being the same: beside an atom or `[]` that is one condition, and no types are decided.
    let is_simple = |value: Value| !value.is_pointer() && !value.is_small();
    let op = if is_simple(a) || is_simple(b) { Comparison::Same } else { op };
    ctx.holds(op, a, b)
}

fn member(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [wanted, list] = args else { return Err(badarg()) };
    let mut rest = *list;
    let mut effort = Effort::new(ctx.heap);
    while let Some((item, tail)) = next(ctx, rest, &mut effort)? {
        if is_same(ctx, Comparison::Same, item, *wanted) {
            return Ok(Value::boolean(true));
        }
        rest = tail;
    }
    Ok(Value::boolean(false))
}

/// The first tuple of the list that has the key at the position, from 1.
fn find_key(ctx: &mut Ctx<'_>, args: &[Value]) -> Result<Option<Value>, Failure> {
    let [key, position, list] = args else { return Err(badarg()) };
    let position = pinned(ctx, *position).filter(|position| *position >= 1).ok_or_else(badarg)?;
    let index = position as usize - 1;
    let mut rest = *list;
    let mut effort = Effort::new(ctx.heap);
    while let Some((item, tail)) = next(ctx, rest, &mut effort)? {
        if ctx.tuple_size(item).is_some_and(|size| index < size) {
            let element = ctx.element(item, index);
            if is_key(ctx, element, *key) {
                return Ok(Some(item));
            }
        }
        rest = tail;
    }
    Ok(None)
}

/// An integer in one word is made a float by the VM before it is compared with one, and may be rounded then.
fn is_key(ctx: &mut Ctx<'_>, element: Value, key: Value) -> bool {
    if element.is_pointer()
        && let View::Float(float) = ctx.heap.view(ctx.heap.concrete(element))
        && let View::Small(wanted) = ctx.heap.view(ctx.heap.concrete(key))
        && (EXACT_IN_A_FLOAT..ONE_WORD).contains(&wanted.unsigned_abs())
    {
        ctx.concretise(super::mfa("lists", "keyfind", 3), &[element, key]);
        return wanted as f64 == float;
    }
    is_same(ctx, Comparison::Equal, element, key)
}

/// Integers up to there are floats without being rounded.
const EXACT_IN_A_FLOAT: u64 = 1 << f64::MANTISSA_DIGITS;
/// Integers below that are one word for the VM.
const ONE_WORD: u64 = 1 << 59;

fn keyfind(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    Ok(find_key(ctx, args)?.unwrap_or(Value::boolean(false)))
}

fn keymember(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    Ok(Value::boolean(find_key(ctx, args)?.is_some()))
}

fn keysearch(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    Ok(match find_key(ctx, args)? {
        Some(tuple) => ctx.heap.tuple(&[Value::atom(AtomId::VALUE), tuple]),
        None => Value::boolean(false),
    })
}
