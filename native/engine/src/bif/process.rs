//! What a process knows of itself: its name, its mailbox and its flags.
//!
//! Flags but `trap_exit` and `error_handler` change nothing else yet. Processes of the VM are left to the host.

use super::numerals::text_value;
use super::{Bif, BifResult, badarg, concrete, exact};
use crate::machine::{Action, Ask, Ctx, Failure, Flag};
use crate::term::{AtomId, FIRST_PID, Value, View, VirtualKind, term_to_string};

pub(super) const BIFS: &[Bif] = &[
    exact("self", 0, |ctx, _| Ok(Value::identifier(VirtualKind::Pid, ctx.process.pid))),
    exact("!", 2, send),
    exact("send", 2, send),
    exact("send", 3, send_with_options),
    concrete("process_flag", 2, process_flag),
    concrete("process_info", 1, all_process_info),
    concrete("process_info", 2, process_info),
    concrete("garbage_collect", 0, |_, _| Ok(Value::boolean(true))),
    concrete("yield", 0, |_, _| Ok(Value::boolean(true))),
    concrete("bump_reductions", 1, bump_reductions),
    concrete("node", 0, |_, _| Ok(Value::atom(AtomId::NODE))),
    concrete("node", 1, node_of),
    concrete("nodes", 0, |_, _| Ok(Value::NIL)),
    concrete("pid_to_list", 1, |ctx, args| identifier_to_list(ctx, args, VirtualKind::Pid)),
    concrete("ref_to_list", 1, |ctx, args| identifier_to_list(ctx, args, VirtualKind::Reference)),
    concrete("list_to_pid", 1, |ctx, args| list_to_identifier(ctx, args, VirtualKind::Pid)),
    concrete("list_to_ref", 1, |ctx, args| list_to_identifier(ctx, args, VirtualKind::Reference)),
];

/// To a process of the machine. Other processes are the host's.
fn send(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [to, message] = args else { return Err(badarg()) };
    match receiver(ctx, *to) {
        Some(pid) if pid == ctx.process.pid => {
            ctx.process.receive(*message, ctx.virtuals);
            Ok(*message)
        }
        Some(to) => Err(Failure::Act(Box::new(Action::Send { to, message: *message, answer: *message }))),
        None => match super::processes::reference(ctx, *to) {
            Some(reference) => {
                Err(Failure::Act(Box::new(Action::SendToAlias { reference, message: *message, answer: *message })))
            }
            None => Err(Failure::Host),
        },
    }
}

/// The process of the machine that a message is sent to.
fn receiver(ctx: &mut Ctx<'_>, to: Value) -> Option<u64> {
    if let Some(pid) = super::processes::process(ctx, to) {
        return Some(pid);
    }
    let (_, pid) = super::names::named(ctx, to)?;
    if !ctx.is_concrete(to) {
        ctx.concretise(super::mfa("erlang", "send", 2), &[to]);
    }
    Some(pid)
}

/// The options are about connections to other nodes and busy ports.
fn send_with_options(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [to, message, _options] = args else { return Err(badarg()) };
    match send(ctx, &[*to, *message]) {
        Ok(_) => Ok(Value::atom(AtomId::OK)),
        Err(Failure::Act(action)) => {
            let ok = Value::atom(AtomId::OK);
            Err(Failure::Act(Box::new(action.answering(ok))))
        }
        Err(failure) => Err(failure),
    }
}

// Flags

fn process_flag(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [name, value] = args else { return Err(badarg()) };
    let Some(flag) = Flag::named(name.as_atom()).filter(|_| name.is_atom()) else { return Err(Failure::Host) };
    if !accepts(flag, *value) {
        return Err(badarg());
    }
    Ok(ctx.process.flags.set(flag, *value))
}

fn accepts(flag: Flag, value: Value) -> bool {
    let name = value.as_atom().name();
    let is_one_of = |names: &[&str]| value.is_atom() && names.contains(&&*name);
    match flag {
        Flag::TrapExit | Flag::Sensitive => value.is_true() || value.is_false(),
        Flag::Priority => is_one_of(&["low", "normal", "high", "max"]),
        Flag::MessageQueueData => is_one_of(&["on_heap", "off_heap"]),
        Flag::FullsweepAfter | Flag::MinHeapSize | Flag::MinBinVheapSize => value.is_small() && value.as_small() >= 0,
        Flag::SaveCalls => value.is_small() && (0..=10_000).contains(&value.as_small()),
        Flag::ErrorHandler => value.is_atom(),
    }
}

fn all_process_info(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [pid] = args else { return Err(badarg()) };
    if super::processes::process(ctx, *pid).is_none() {
        return Err(Failure::Host);
    }
    Err(Failure::Ask(Box::new(Ask {
        mfa: super::mfa("erlang", "process_info", 1),
        args: ctx.heap.list([*pid], Value::NIL),
        finish: |ctx, args, infos| {
            let pid = args.first().and_then(|pid| super::processes::process(ctx, *pid)).ok_or_else(badarg)?;
            Err(Failure::Act(Box::new(Action::Infos { pid, infos })))
        },
        purpose: "what is known of a process",
    })))
}

fn process_info(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [pid, item] = args else { return Err(badarg()) };
    match super::processes::process(ctx, *pid) {
        Some(pid) => Err(Failure::Act(Box::new(Action::Info { pid, item: *item }))),
        None => Err(Failure::Host),
    }
}

fn bump_reductions(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [count] = args else { return Err(badarg()) };
    match ctx.heap.integer(*count).map(|count| count.sign()) {
        Some(num_bigint::Sign::NoSign | num_bigint::Sign::Plus) => Ok(Value::boolean(true)),
        Some(num_bigint::Sign::Minus) | None => Err(badarg()),
    }
}

// Names

fn node_of(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    match ctx.heap.view(*value) {
        View::Virtual(_) => Ok(Value::atom(AtomId::NODE)),
        View::Foreign(_) => Err(Failure::Host),
        _ => Err(badarg()),
    }
}

/// What is written like a process or reference of the machine is that one; others are the host's.
fn list_to_identifier(ctx: &mut Ctx<'_>, args: &[Value], kind: VirtualKind) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    let character = |item: &Value| item.is_small().then(|| u8::try_from(item.as_small()).ok()).flatten();
    let bytes: Option<Vec<u8>> = ctx.list(*list).and_then(|items| items.iter().map(character).collect());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or(Failure::Host)?;
    let mut parts = text.trim_matches(|c| c == '<' || c == '>').split('.');
    let (digits, first) = match kind {
        VirtualKind::Pid => (parts.nth(1), FIRST_PID),
        VirtualKind::Reference | VirtualKind::Fun => (parts.next_back(), 0),
    };
    let number = digits.and_then(|digits| digits.parse::<u64>().ok()?.checked_sub(first));
    let number = number.filter(|number| ctx.virtuals.has(kind, *number));
    let known = number.map(|number| Value::identifier(kind, number)).ok_or(Failure::Host)?;
    if term_to_string(ctx.heap, known) == text { Ok(known) } else { Err(Failure::Host) }
}

fn identifier_to_list(ctx: &mut Ctx<'_>, args: &[Value], kind: VirtualKind) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    match ctx.heap.view(*value) {
        View::Virtual(identifier) if identifier.as_identifier().0 == kind => {
            let text = term_to_string(ctx.heap, *value);
            Ok(text_value(ctx.heap, &text))
        }
        View::Foreign(_) => Err(Failure::Host),
        _ => Err(badarg()),
    }
}
