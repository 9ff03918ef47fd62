//! Timers that send a message to a process of the machine, in the time of the run. Others are the host's.

use num_bigint::Sign;
use num_traits::ToPrimitive;

use super::processes::{process, reference};
use super::{Bif, BifResult, badarg, exact, mfa, names};
use crate::machine::{Action, Ask, Ctx, Failure, Raise, Receiver};
use crate::term::{AtomId, Value, VirtualKind};

pub(super) const BIFS: &[Bif] = &[
    exact("send_after", 3, |ctx, args| start(ctx, Starting::SendAfter, args)),
    exact("send_after", 4, |ctx, args| start(ctx, Starting::SendAfter, args)),
    exact("start_timer", 3, |ctx, args| start(ctx, Starting::StartTimer, args)),
    exact("start_timer", 4, |ctx, args| start(ctx, Starting::StartTimer, args)),
    exact("cancel_timer", 1, |ctx, args| look_at(ctx, "cancel_timer", args)),
    exact("cancel_timer", 2, |ctx, args| look_at(ctx, "cancel_timer", args)),
    exact("read_timer", 1, |ctx, args| look_at(ctx, "read_timer", args)),
    exact("read_timer", 2, |ctx, args| look_at(ctx, "read_timer", args)),
];

/// Later than in so many milliseconds nothing is sent.
const LONGEST: u64 = 1 << 47;

/// Which of the functions that start timers is called.
#[derive(Clone, Copy)]
enum Starting {
    SendAfter,
    StartTimer,
}

impl Starting {
    const fn name(self) -> &'static str {
        match self {
            Starting::SendAfter => "send_after",
            Starting::StartTimer => "start_timer",
        }
    }
}

/// A name that neither the machine nor the VM knows may be given to somebody before the timer goes off.
fn start(ctx: &mut Ctx<'_>, function: Starting, args: &[Value]) -> BifResult {
    let [_, to, ..] = args else { return Err(badarg()) };
    let name = ctx.heap.concrete(*to);
    match process(ctx, *to) {
        Some(pid) => start_for(ctx, function, args, Receiver::Process(pid)),
        None if !name.is_atom() => Err(Failure::Host),
        None if names::named(ctx, *to).is_some() => start_for(ctx, function, args, Receiver::Named(name.as_atom())),
        None => Err(Failure::Ask(Box::new(Ask {
            mfa: mfa("erlang", "whereis", 1),
            args: ctx.heap.list([name], Value::NIL),
            finish: match function {
                Starting::SendAfter => |ctx, args, known| unless_known(ctx, Starting::SendAfter, args, known),
                Starting::StartTimer => |ctx, args, known| unless_known(ctx, Starting::StartTimer, args, known),
            },
            purpose: "whether a name is taken",
        }))),
    }
}

/// The VM does not know the name.
fn unless_known(ctx: &mut Ctx<'_>, function: Starting, args: &[Value], known: Value) -> BifResult {
    let name = args.get(1).map(|to| ctx.heap.concrete(*to));
    match name.filter(|name| name.is_atom() && known == Value::atom(AtomId::UNDEFINED)) {
        Some(name) => start_for(ctx, function, args, Receiver::Named(name.as_atom())),
        None => Err(Failure::Host),
    }
}

fn start_for(ctx: &mut Ctx<'_>, starting: Starting, args: &[Value], receiver: Receiver) -> BifResult {
    let [time, to, message, ..] = args else { return Err(badarg()) };
    let function = starting.name();
    let given: Vec<Value> =
        args.iter().enumerate().map(|(at, arg)| if at == 2 { *arg } else { ctx.strip(*arg) }).collect();
    if [Some(time), Some(to), args.get(3)].into_iter().flatten().any(|arg| !ctx.is_concrete(*arg)) {
        ctx.concretise(
            mfa("erlang", function, args.len()),
            &[&[*time, *to], args.get(3..).unwrap_or_default()].concat(),
        );
    }
    let refused = |ctx: &mut Ctx<'_>, cause| Err(Raise::refused(ctx.heap, function, &given, cause).into());
    let options = given.get(3).copied().unwrap_or(Value::NIL);
    let Some([is_absolute]) = flags(ctx, options, ["abs"]) else { return refused(ctx, "badopt") };
    let Some(after) = given.first().and_then(|time| milliseconds(ctx, *time, is_absolute == Some(true))) else {
        return refused(ctx, "time");
    };
    let number = ctx.virtuals.reference();
    let reference = Value::identifier(VirtualKind::Reference, number);
    let message = match starting {
        Starting::StartTimer => ctx.heap.tuple(&[Value::atom(AtomId::intern("timeout")), reference, *message]),
        Starting::SendAfter => *message,
    };
    Err(Failure::Act(Box::new(Action::StartTimer { after, reference: number, to: receiver, message })))
}

/// The time from now on.
fn milliseconds(ctx: &mut Ctx<'_>, time: Value, is_absolute: bool) -> Option<u64> {
    let time = ctx.heap.integer(time)?;
    let after = if is_absolute { time - ctx.virtuals.monotonic_time() / 1_000_000 } else { time };
    if is_absolute && after.sign() == Sign::Minus {
        return Some(0);
    }
    after.to_u64().filter(|after| *after <= LONGEST)
}

/// The options `{Name, Boolean}`, if there are no others. The last one counts.
fn flags<const N: usize>(ctx: &mut Ctx<'_>, options: Value, names: [&str; N]) -> Option<[Option<bool>; N]> {
    let mut flags = [None; N];
    for option in ctx.list(options)? {
        if ctx.heap.tuple_arity(option) != Some(2) {
            return None;
        }
        let [name, value] = [0, 1].map(|at| ctx.heap.element(option, at));
        let place = names.iter().position(|known| name == Value::atom(AtomId::intern(known)))?;
        if !value.is_true() && !value.is_false() {
            return None;
        }
        *flags.get_mut(place)? = Some(value.is_true());
    }
    Some(flags)
}

/// How long a timer still takes, and it is cancelled if that is wanted.
fn look_at(ctx: &mut Ctx<'_>, function: &str, args: &[Value]) -> BifResult {
    let Some(timer) = args.first() else { return Err(badarg()) };
    let Some(number) = reference(ctx, *timer) else { return Err(Failure::Host) };
    let timer = ctx.strip(*timer);
    let options = args.get(1).map_or(Value::NIL, |options| ctx.strip(*options));
    let is_read = function == "read_timer";
    let Some([is_async, is_told]) = flags(ctx, options, ["async", "info"]) else { return Err(badarg()) };
    if is_read && is_told.is_some() {
        return Err(badarg());
    }
    let left = ctx.virtuals.time_left(number).map_or(Value::boolean(false), |left| Value::count(left as usize));
    if !is_read {
        ctx.virtuals.cancel_timer(number);
    }
    let is_told = is_told != Some(false);
    if is_async != Some(true) {
        return Ok(if is_told { left } else { Value::atom(AtomId::OK) });
    }
    if is_told {
        let message = ctx.heap.tuple(&[Value::atom(AtomId::intern(function)), timer, left]);
        ctx.process.receive(message, ctx.virtuals);
    }
    Ok(Value::atom(AtomId::OK))
}
