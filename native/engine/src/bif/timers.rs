//! Timers that send a message to a process of the machine, in the time of the run. Others are the host's.

use num_bigint::Sign;
use num_traits::ToPrimitive;

use super::processes::{process, reference};
use super::{Bif, BifResult, badarg, exact, mfa, names};
use crate::machine::{Action, Ctx, Failure, Raise, Receiver};
use crate::term::{AtomId, Value, VirtualKind};

pub(super) const BIFS: &[Bif] = &[
    exact("send_after", 3, |ctx, args| start(ctx, "send_after", args)),
    exact("send_after", 4, |ctx, args| start(ctx, "send_after", args)),
    exact("start_timer", 3, |ctx, args| start(ctx, "start_timer", args)),
    exact("start_timer", 4, |ctx, args| start(ctx, "start_timer", args)),
    exact("cancel_timer", 1, |ctx, args| look_at(ctx, "cancel_timer", args)),
    exact("cancel_timer", 2, |ctx, args| look_at(ctx, "cancel_timer", args)),
    exact("read_timer", 1, |ctx, args| look_at(ctx, "read_timer", args)),
    exact("read_timer", 2, |ctx, args| look_at(ctx, "read_timer", args)),
];

/// Later than in so many milliseconds nothing is sent.
const LONGEST: u64 = 1 << 47;

fn start(ctx: &mut Ctx<'_>, function: &str, args: &[Value]) -> BifResult {
    let [time, to, message, ..] = args else { return Err(badarg()) };
    let Some(receiver) = receiver(ctx, *to) else { return Err(Failure::Host) };
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
    let message = match function {
        "start_timer" => ctx.heap.tuple(&[Value::atom(AtomId::intern("timeout")), reference, *message]),
        _ => *message,
    };
    Err(Failure::Act(Box::new(Action::StartTimer { after, reference: number, to: receiver, message })))
}

/// A process of the machine; for a name, one that has it now.
fn receiver(ctx: &Ctx<'_>, to: Value) -> Option<Receiver> {
    match process(ctx, to) {
        Some(pid) => Some(Receiver::Process(pid)),
        None if ctx.heap.concrete(to).is_atom() => names::named(ctx, to).map(|(name, _)| Receiver::Named(name)),
        None => None,
    }
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
