//! What a process knows of itself: its name, its dictionary and its mailbox.

use super::{Bif, BifResult, badarg, exact};
use crate::code::ir::Comparison;
use crate::machine::{Ctx, Failure, Stop, compare};
use crate::term::{AtomId, Value, View, VirtualKind};

pub(super) const BIFS: &[Bif] = &[
    exact("self", 0, |_, _| Ok(Value::identifier(VirtualKind::Pid, 0))),
    exact("!", 2, send),
    exact("send", 2, send),
    exact("put", 2, put),
    exact("get", 1, get),
    exact("get", 0, get_all),
    exact("erase", 1, erase),
    exact("erase", 0, erase_all),
];

/// To the process itself. Other processes are the host's.
fn send(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [to, message] = args else { return Err(badarg()) };
    match ctx.heap.view(ctx.heap.concrete(*to)) {
        View::Virtual(identifier) if identifier.as_identifier().0 == VirtualKind::Pid => {
            ctx.process.receive(*message);
            Ok(*message)
        }
        _ => Err(Failure::Stop(Stop::Unsupported("message to another process".to_owned()))),
    }
}

/// The place of a key in the dictionary. Whether it is there is decided, if a key is symbolic.
fn find(ctx: &mut Ctx<'_>, key: Value) -> Option<usize> {
    let keys: Vec<Value> = ctx.process.dictionary.iter().step_by(2).copied().collect();
    for (index, known) in keys.into_iter().enumerate() {
        let answer = compare(ctx, Comparison::Same, known, key);
        if answer.condition.map_or(answer.holds, |condition| ctx.branch(condition, answer.holds)) {
            return Some(2 * index);
        }
    }
    None
}

fn put(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key, value] = args else { return Err(badarg()) };
    match find(ctx, *key).and_then(|place| ctx.process.dictionary.get_mut(place + 1)) {
        Some(slot) => Ok(std::mem::replace(slot, *value)),
        None => {
            ctx.process.dictionary.extend([*key, *value]);
            Ok(Value::atom(AtomId::UNDEFINED))
        }
    }
}

fn get(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key] = args else { return Err(badarg()) };
    let value = find(ctx, *key).and_then(|place| ctx.process.dictionary.get(place + 1).copied());
    Ok(value.unwrap_or(Value::atom(AtomId::UNDEFINED)))
}

fn get_all(ctx: &mut Ctx<'_>, _: &[Value]) -> BifResult {
    let pairs: Vec<Value> = ctx.process.dictionary.chunks(2).map(|pair| ctx.heap.tuple(pair)).collect();
    Ok(ctx.heap.list(pairs, Value::NIL))
}

fn erase(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [key] = args else { return Err(badarg()) };
    match find(ctx, *key) {
        None => Ok(Value::atom(AtomId::UNDEFINED)),
        Some(place) => {
            let gone: Vec<Value> = ctx.process.dictionary.drain(place..place + 2).collect();
            Ok(gone.last().copied().unwrap_or(Value::atom(AtomId::UNDEFINED)))
        }
    }
}

fn erase_all(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let all = get_all(ctx, args)?;
    ctx.process.dictionary.clear();
    Ok(all)
}
