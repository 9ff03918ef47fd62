//! Maps. Keys are decided as far as they are symbolic (see [`crate::machine::maps`]); values are only moved around.
//!
//! The order in which a map's keys come is the VM's. Where it follows from the keys, as it does for small maps, it is known here; else the host is given the
//! keys and says in which order it would have them (`cuter_maps:order/2`). Keys that cannot leave the machine come in the order of terms.
//!
//! Not modelled: iterators of large maps that the VM made (they are handed back to it).

use super::{Bif, BifResult, Meaning, bad_with, badarg, exact, mfa};
use crate::machine::maps::{
    bad_key, bad_map, can_leave, from_pairs, get, has, in_key_order, is_map, merge, open, put, remove, size,
};
use crate::machine::{Ask, Ctx, Failure};
use crate::release;
use crate::sym::Tags;
use crate::term::map::{self, Map, Pair};
use crate::term::order::{KeyOrder, compare_exact};
use crate::term::{AtomId, Value, View};

pub(super) const BIFS: &[Bif] = &[
    exact("map_size", 1, map_size),
    exact("map_get", 2, get_key),
    exact("is_map_key", 2, is_key),
    of_maps("get", 2, get_key),
    of_maps("find", 2, find),
    of_maps("is_key", 2, is_key),
    of_maps("put", 3, put_key),
    of_maps("update", 3, update),
    of_maps("remove", 2, remove_key),
    of_maps("take", 2, take),
    of_maps("merge", 2, merge_two),
    of_maps("from_list", 1, from_list),
    of_maps("from_keys", 2, from_keys),
    of_maps("keys", 1, keys),
    of_maps("values", 1, values),
    Bif { module: "erts_internal", name: "map_next", arity: 3, meaning: Meaning::Exact, run: next },
    Bif { module: "erts_internal", name: "cmp_term", arity: 2, meaning: Meaning::Concrete, run: compare },
];

const fn of_maps(name: &'static str, arity: usize, run: fn(&mut Ctx<'_>, &[Value]) -> BifResult) -> Bif {
    Bif { module: "maps", name, arity, meaning: Meaning::Exact, run }
}

/// The value, if it is a map.
fn map_of(ctx: &mut Ctx<'_>, value: Value) -> BifResult {
    if is_map(ctx, value) { Ok(value) } else { Err(bad_with(bad_map(ctx.heap, value))) }
}

/// The value as a map with all its keys.
fn opened(ctx: &mut Ctx<'_>, value: Value) -> Result<Map, Failure> {
    match open(ctx, value) {
        Some(map) => Ok(map),
        None => Err(bad_with(bad_map(ctx.heap, value))),
    }
}

// Single keys

fn map_size(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [map] = args else { return Err(badarg()) };
    let map = map_of(ctx, *map)?;
    Ok(size(ctx, map))
}

fn get_key(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key, map] = args else { return Err(badarg()) };
    let map = map_of(ctx, *map)?;
    get(ctx, map, *key).ok_or_else(|| bad_with(bad_key(ctx.heap, *key)))
}

fn is_key(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key, map] = args else { return Err(badarg()) };
    let map = map_of(ctx, *map)?;
    Ok(has(ctx, map, *key))
}

fn find(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key, map] = args else { return Err(badarg()) };
    let map = map_of(ctx, *map)?;
    Ok(match get(ctx, map, *key) {
        Some(value) => ctx.heap.tuple(&[Value::atom(AtomId::OK), value]),
        None => Value::atom(AtomId::ERROR),
    })
}

fn put_key(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key, value, map] = args else { return Err(badarg()) };
    let map = map_of(ctx, *map)?;
    Ok(put(ctx, map, (*key, *value)))
}

fn update(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key, value, map] = args else { return Err(badarg()) };
    let map = map_of(ctx, *map)?;
    match get(ctx, map, *key) {
        Some(_) => Ok(put(ctx, map, (*key, *value))),
        None => Err(bad_with(bad_key(ctx.heap, *key))),
    }
}

fn remove_key(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key, map] = args else { return Err(badarg()) };
    let map = map_of(ctx, *map)?;
    Ok(remove(ctx, map, *key))
}

fn take(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key, map] = args else { return Err(badarg()) };
    let map = map_of(ctx, *map)?;
    let Some(value) = get(ctx, map, *key) else { return Ok(Value::atom(AtomId::ERROR)) };
    let rest = remove(ctx, map, *key);
    Ok(ctx.heap.tuple(&[value, rest]))
}

// Whole maps

fn merge_two(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [first, second] = args else { return Err(badarg()) };
    let (first, second) = (map_of(ctx, *first)?, map_of(ctx, *second)?);
    merge(ctx, first, second).ok_or_else(badarg)
}

fn from_list(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    let mut pairs = Vec::new();
    for item in ctx.list(*list).ok_or_else(badarg)? {
        if !ctx.has_arity(item, 2) {
            return Err(badarg());
        }
        pairs.push((ctx.element(item, 0), ctx.element(item, 1)));
    }
    Ok(from_pairs(ctx, pairs))
}

fn from_keys(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [keys, value] = args else { return Err(badarg()) };
    let keys = ctx.list(*keys).ok_or_else(badarg)?;
    Ok(from_pairs(ctx, keys.into_iter().map(|key| (key, *value)).collect()))
}

// In order

/// The functions that show an order of keys. They need not agree.
#[derive(Clone, Copy)]
enum Order {
    Keys,
    List,
    Iterator,
}

impl Order {
    const fn name(self) -> &'static str {
        match self {
            Order::Keys => "keys",
            Order::List => "to_list",
            Order::Iterator => "iterator",
        }
    }
}

/// Makes a result of the arguments of a function and the associations of its map in order.
type Finish = fn(&mut Ctx<'_>, &[Value], Vec<Pair>) -> BifResult;

/// Calls `finish` with the associations in order, once the order is known.
fn in_order(
    ctx: &mut Ctx<'_>,
    args: &[Value],
    map: Map,
    order: Order,
    own: Finish,
    answered: fn(&mut Ctx<'_>, &[Value], Value) -> BifResult,
) -> BifResult {
    let pairs = associations(ctx, map, order);
    if pairs.len() <= map::SMALL {
        return own(ctx, args, pairs);
    }
    let keys = ctx.heap.list(pairs.iter().map(|(key, _)| *key), Value::NIL);
    if !can_leave(ctx.heap, keys) {
        let pairs = map::sorted(ctx.heap, map);
        return own(ctx, args, pairs);
    }
    let kind = Value::atom(AtomId::intern(order.name()));
    Err(Failure::Ask(Box::new(Ask {
        mfa: mfa("cuter_maps", "order", 2),
        args: ctx.heap.list([kind, keys], Value::NIL),
        finish: answered,
        purpose: "the order of a map's keys",
    })))
}

/// The associations of a small map in order; those of a large one as they come.
fn associations(ctx: &mut Ctx<'_>, map: Map, order: Order) -> Vec<Pair> {
    if map.is_small() {
        return in_key_order(ctx, map, KeyOrder::of_maps());
    }
    if map.symbolic {
        ctx.counters.concretise(mfa("maps", order.name(), 1));
    }
    map::pairs(ctx.heap, map)
}

/// The associations in the order of the host's answer, a list of positions.
fn answered(ctx: &mut Ctx<'_>, map: Value, order: Order, answer: Value) -> Vec<Pair> {
    let Some(map) = open(ctx, map) else { return Vec::new() };
    let pairs = associations(ctx, map, order);
    let positions = ctx.list(answer).unwrap_or_default();
    let ordered: Vec<Pair> =
        positions.iter().filter_map(|position| pairs.get(position.as_small() as usize).copied()).collect();
    if ordered.len() == pairs.len() { ordered } else { pairs }
}

fn keys(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [map] = args else { return Err(badarg()) };
    let opened = opened(ctx, *map)?;
    in_order(ctx, args, opened, Order::Keys, list_of_keys, |ctx, args, answer| {
        let pairs = answered(ctx, first(args), Order::Keys, answer);
        list_of_keys(ctx, args, pairs)
    })
}

fn first(args: &[Value]) -> Value {
    args.first().copied().unwrap_or(Value::NIL)
}

fn list_of_keys(ctx: &mut Ctx<'_>, _: &[Value], pairs: Vec<Pair>) -> BifResult {
    Ok(ctx.heap.list(pairs.into_iter().map(|(key, _)| key), Value::NIL))
}

fn values(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [map] = args else { return Err(badarg()) };
    let opened = opened(ctx, *map)?;
    in_order(ctx, args, opened, Order::Keys, list_of_values, |ctx, args, answer| {
        let pairs = answered(ctx, first(args), Order::Keys, answer);
        list_of_values(ctx, args, pairs)
    })
}

fn list_of_values(ctx: &mut Ctx<'_>, _: &[Value], pairs: Vec<Pair>) -> BifResult {
    Ok(ctx.heap.list(pairs.into_iter().map(|(_, value)| value), Value::NIL))
}

/// `erts_internal:map_next(Path, Map, iterator | List)`, from which iterators and `maps:to_list/1` are made. Path 0 is the start, and everything comes at
/// once; a small map ignores other paths up to its size. From OTP 26 on a path may be a list of keys.
fn next(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [path, map, form] = args else { return Err(badarg()) };
    if ctx.is(*path, Tags::CONS | Tags::NIL) {
        return along(ctx, *path, *map, *form);
    }
    let map = open(ctx, *map).ok_or_else(badarg)?;
    decide_path(ctx, *path, map);
    let (path, form) = (ctx.heap.concrete(*path), ctx.heap.concrete(*form));
    let order = match ctx.heap.view(form) {
        View::Atom(atom) if atom == AtomId::intern("iterator") => Order::Iterator,
        View::Nil | View::Cons(_) => Order::List,
        _ => return Err(badarg()),
    };
    match ctx.heap.view(path) {
        View::Small(index) if index == 0 || map.is_small() && (0..=map.size as i64).contains(&index) => {
            in_order(ctx, args, map, order, chain, |ctx, args, answer| {
                let map = args.get(1).copied().unwrap_or(Value::NIL);
                let iterator = args.get(2).is_some_and(|form| ctx.heap.concrete(*form).is_atom());
                let order = if iterator { Order::Iterator } else { Order::List };
                let pairs = answered(ctx, map, order, answer);
                chain(ctx, args, pairs)
            })
        }
        View::Small(_) | View::Big(_) if !map.is_small() => Err(Failure::Host),
        _ => Err(badarg()),
    }
}

/// Decides which place of a map an iterator of the input stands at, if it is one.
fn decide_path(ctx: &mut Ctx<'_>, path: Value, map: Map) {
    if path.is_sym() {
        let last = if map.is_small() { map.size } else { 0 };
        let _ = (0..=last).any(|place| ctx.same(path, Value::count(place)));
    }
}

/// The order of map keys: -1, 0 or 1.
fn compare(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [a, b] = args else { return Err(badarg()) };
    let order = compare_exact(ctx.heap, *a, *b);
    Ok(ctx.heap.int(order as i64))
}

/// `{K, V, {K, V, … none}}` or `[{K, V}, {K, V} … | List]`.
fn chain(ctx: &mut Ctx<'_>, args: &[Value], pairs: Vec<Pair>) -> BifResult {
    let form = args.get(2).map_or(Value::NIL, |form| ctx.heap.concrete(*form));
    let is_iterator = form.is_atom();
    let end = if is_iterator { Value::atom(AtomId::intern("none")) } else { form };
    Ok(pairs.into_iter().rev().fold(end, |rest, (key, value)| {
        if is_iterator {
            ctx.heap.tuple(&[key, value, rest])
        } else {
            let pair = ctx.heap.tuple(&[key, value]);
            ctx.heap.cons(pair, rest)
        }
    }))
}

/// The associations of these keys.
fn along(ctx: &mut Ctx<'_>, keys: Value, map: Value, form: Value) -> BifResult {
    let is_iterator = ctx.heap.concrete(form) == Value::atom(AtomId::intern("iterator"));
    if release::maps_order_atoms_by_name() || !is_iterator || !is_map(ctx, map) {
        return Err(badarg());
    }
    let mut pairs = Vec::new();
    for key in ctx.list(keys).ok_or_else(badarg)? {
        let value = get(ctx, map, key).ok_or_else(badarg)?;
        pairs.push((key, value));
    }
    chain(ctx, &[keys, map, form], pairs)
}
