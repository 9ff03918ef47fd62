//! Names of the processes of the machine.
//!
//! They are the run's own: the VM does not know them, so that runs at the same time do not get into each other's way. A name that the VM
//! has given to a process of its own is taken here too, unless it is the server of module `timer`: a run has one of its own
//! (`cuter_prelude_timer`), which begins when it is first looked for.

use super::processes::process;
use super::{Bif, BifResult, exact, mfa, typed};
use crate::machine::{Action, Ask, Ctx, Failure, Raise};
use crate::release;
use crate::sym::Tags;
use crate::term::{AtomId, Value, View, VirtualKind};

pub(super) const BIFS: &[Bif] = &[
    exact("register", 2, register),
    typed("unregister", &[Tags::ATOM], unregister),
    typed("whereis", &[Tags::ATOM], whereis),
    exact("registered", 0, registered),
];

/// The name that is meant, and the process of the machine that has it.
pub(super) fn named(ctx: &Ctx<'_>, value: Value) -> Option<(AtomId, u64)> {
    let name = local_name(ctx, value)?;
    Some((name, ctx.virtuals.names.process(name)?))
}

/// An atom, or `{Atom, Node}` with this node.
pub(super) fn local_name(ctx: &Ctx<'_>, value: Value) -> Option<AtomId> {
    let value = ctx.heap.concrete(value);
    let name = match ctx.heap.view(value) {
        View::Tuple(_, 2) if ctx.heap.concrete(ctx.heap.element(value, 1)) == Value::atom(AtomId::NODE) => {
            ctx.heap.concrete(ctx.heap.element(value, 0))
        }
        _ => value,
    };
    name.is_atom().then(|| name.as_atom())
}

/// Whether every run has a process of its own by that name.
fn is_of_the_run(name: AtomId) -> bool {
    release::timer_server_has_no_name_for_its_table() && &*name.name() == "timer_server"
}

fn register(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [name, pid] = args else { return Err(super::badarg()) };
    let is_name = ctx.is(*name, Tags::ATOM) && ctx.is(*pid, Tags::PID | Tags::PORT);
    if !args.iter().all(|arg| ctx.is_concrete(*arg)) {
        ctx.concretise(mfa("erlang", "register", 2), args);
    }
    let [name, pid] = [*name, *pid].map(|arg| ctx.strip(arg));
    let taken = is_name && ctx.virtuals.names.process(name.as_atom()).is_some();
    match process(ctx, pid) {
        Some(pid) if taken => give(name, pid, true),
        Some(pid) if is_name && is_of_the_run(name.as_atom()) => give(name, pid, false),
        Some(_) if is_name => Err(Failure::Ask(Box::new(Ask {
            mfa: mfa("erlang", "whereis", 1),
            args: ctx.heap.list([name], Value::NIL),
            finish: give_unless_taken,
            purpose: "whether a name is taken",
        }))),
        None if is_name && !taken => Err(Failure::Host),
        Some(_) | None => Err(Raise::refused(ctx.heap, "register", &[name, pid], "none").into()),
    }
}

/// The answer is whom the VM knows by that name.
fn give_unless_taken(ctx: &mut Ctx<'_>, args: &[Value], answer: Value) -> BifResult {
    match args {
        [name, pid] => match process(ctx, *pid) {
            Some(pid) => give(ctx.strip(*name), pid, answer != Value::atom(AtomId::UNDEFINED)),
            None => Err(Failure::Host),
        },
        _ => Err(super::badarg()),
    }
}

fn give(name: Value, pid: u64, taken: bool) -> BifResult {
    Err(Failure::Act(Box::new(Action::Register { name: name.as_atom(), pid, taken })))
}

fn unregister(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    match args {
        [name] if name.is_atom() && ctx.virtuals.names.remove(name.as_atom()) => Ok(Value::boolean(true)),
        _ => Err(Failure::Host),
    }
}

fn whereis(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    match args {
        [name] if name.is_atom() => match ctx.virtuals.names.process(name.as_atom()) {
            Some(pid) => Ok(Value::identifier(VirtualKind::Pid, pid)),
            None if !is_of_the_run(name.as_atom()) => Err(Failure::Host),
            None if ctx.process.is_emulating() => Ok(Value::atom(AtomId::UNDEFINED)),
            None => Err(Failure::Act(Box::new(Action::StartServer { name: name.as_atom() }))),
        },
        _ => Err(Failure::Host),
    }
}

fn registered(ctx: &mut Ctx<'_>, _: &[Value]) -> BifResult {
    if ctx.virtuals.names.is_empty() {
        return Err(Failure::Host);
    }
    Err(Failure::Ask(Box::new(Ask {
        mfa: mfa("erlang", "registered", 0),
        args: Value::NIL,
        finish: |ctx, _, names_of_vm| {
            let names: Vec<Value> = ctx.virtuals.names.iter().map(Value::atom).collect();
            Ok(ctx.heap.list(names, names_of_vm))
        },
        purpose: "the names of processes",
    })))
}
