//! Exceptions on purpose, how much of their stacktraces is kept, and the end of the VM.

use super::{Bif, BifResult, Meaning, bad_with, badarg, concrete, exact};
use crate::code::ir::Comparison;
use crate::machine::{Class, Ctx, Failure, Raise, Stop, Trace};
use crate::sym::Tags;
use crate::term::{AtomId, Value, View};

pub(super) const BIFS: &[Bif] = &[
    exact("error", 1, |_, args| raise(Class::Error, args)),
    exact("error", 2, error_with_args),
    exact("error", 3, error_with_args),
    exact("exit", 1, |_, args| raise(Class::Exit, args)),
    exact("throw", 1, |_, args| raise(Class::Throw, args)),
    exact("nif_error", 1, nif_error),
    exact("nif_error", 2, nif_error),
    exact("raise", 3, raise_with_trace),
    exact("halt", 2, halt),
    concrete("system_flag", 2, system_flag),
    of_init("stop", 0),
    of_init("stop", 1),
    of_init("restart", 0),
    of_init("reboot", 0),
];

/// What ends the VM, or would soon.
const fn of_init(name: &'static str, arity: usize) -> Bif {
    Bif { module: "init", name, arity, meaning: Meaning::Exact, run: halt }
}

fn raise(class: Class, args: &[Value]) -> BifResult {
    let [reason, ..] = args else { return Err(badarg()) };
    Err(Failure::Raise(Raise { class, reason: *reason, trace: Trace::Here }))
}

/// `error(Reason, Args, Options)`: the arguments, if they are a list, replace the arity in the first frame, to which the
/// option `error_info` is added.
fn error_with_args(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [reason, list, options @ ..] = args else { return Err(badarg()) };
    let more = options.first().map_or(Value::NIL, |options| error_info(ctx, *options));
    let trace = Trace::Running { args: ctx.heap.concrete(*list), more, last: false };
    Err(Failure::Raise(Raise { class: Class::Error, reason: *reason, trace }))
}

/// `[{error_info, Map}]` if the options say so and nothing else, or `[]`. The last one counts.
fn error_info(ctx: &mut Ctx<'_>, options: Value) -> Value {
    let mut rest = ctx.heap.concrete(options);
    let mut found = Value::NIL;
    while rest.is_cons() {
        let option = ctx.heap.concrete(ctx.heap.head(rest));
        let is_info = ctx.heap.tuple_arity(option) == Some(2)
            && ctx.heap.element(option, 0) == Value::atom(AtomId::ERROR_INFO)
            && matches!(ctx.heap.view(ctx.heap.concrete(ctx.heap.element(option, 1))), View::Map(..));
        if !is_info {
            return Value::NIL;
        }
        found = ctx.heap.list([option], Value::NIL);
        rest = ctx.heap.concrete(ctx.heap.tail(rest));
    }
    if rest.is_nil() { found } else { Value::NIL }
}

/// Its own frame is the first one.
fn nif_error(_: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [reason, ..] = args else { return Err(badarg()) };
    Err(bad_with(*reason))
}

/// Returns `badarg` if the class is none, or the stacktrace is not one.
fn raise_with_trace(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [class, reason, trace] = args else { return Err(badarg()) };
    let class = ctx.heap.concrete(*class);
    let known = Class::from_atom(class.as_atom()).filter(|_| class.is_atom());
    match (known, given_trace(ctx, *trace)) {
        (Some(class), Some(frames)) => {
            let trace = Trace::Given { frames, unmatched: false };
            Err(Failure::Raise(Raise { class, reason: *reason, trace }))
        }
        _ => Ok(Value::atom(AtomId::BADARG)),
    }
}

/// A stacktrace as the VM would give it back: every frame with a location, and not too many.
fn given_trace(ctx: &mut Ctx<'_>, trace: Value) -> Option<Value> {
    let items = ctx.list(trace)?;
    let frames: Option<Vec<Value>> = items.into_iter().map(|item| given_frame(ctx, item)).collect();
    let mut frames = frames?;
    frames.truncate(ctx.virtuals.frames());
    Some(ctx.heap.list(frames, Value::NIL))
}

/// More frames than that the VM does not keep.
const MOST_FRAMES: usize = 64;

/// How many frames stacktraces have is a matter of the run. Other flags are the VM's.
fn system_flag(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [name, value] = args else { return Err(badarg()) };
    let depth = value.is_small().then(|| usize::try_from(value.as_small()).ok()).flatten();
    match depth.filter(|_| is_backtrace_depth(*name)) {
        Some(depth) => {
            let before = std::mem::replace(&mut ctx.virtuals.backtrace_depth, depth.min(MOST_FRAMES));
            Ok(Value::count(before))
        }
        None => Err(Failure::Host),
    }
}

fn is_backtrace_depth(name: Value) -> bool {
    name.is_atom() && &*name.as_atom().name() == "backtrace_depth"
}

/// `{M, F, A}`, `{Fun, Args}`, and both with a location.
fn given_frame(ctx: &mut Ctx<'_>, frame: Value) -> Option<Value> {
    let size = ctx.heap.tuple_arity(ctx.heap.concrete(frame))?;
    if !ctx.has_arity(frame, size) {
        return None;
    }
    let mut parts: Vec<Value> = (0..size.min(4)).map(|index| ctx.element(frame, index)).collect();
    let first = *parts.first()?;
    let is_fun = ctx.is(first, Tags::FUN);
    let is_named = !is_fun && ctx.is(first, Tags::ATOM) && parts.get(1).copied().is_some_and(|f| ctx.is(f, Tags::ATOM));
    match size {
        2 if is_fun => parts.push(Value::NIL),
        3 if is_named => parts.push(Value::NIL),
        3 if is_fun => {}
        4 if is_named => {}
        _ => return None,
    }
    let location = *parts.last()?;
    ctx.is(location, Tags::LIST).then(|| ctx.heap.tuple(&parts))
}

/// The run ends, if the VM would: with an exit code that is not negative, or a text.
fn halt(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [status, options @ ..] = args else { return Err(Failure::Stop(Stop::Halted)) };
    let status_is_good = if ctx.is(*status, Tags::INT) {
        ctx.holds(Comparison::Ge, *status, Value::count(0))
    } else if ctx.is(*status, Tags::ATOM) {
        ctx.same(*status, Value::atom(AtomId::intern("abort")))
    } else {
        ctx.list(*status).is_some_and(|text| text.into_iter().all(|character| ctx.is(character, Tags::INT)))
    };
    let options_are_good = options.first().is_none_or(|options| {
        ctx.list(*options).is_some_and(|options| options.into_iter().all(|option| ctx.is(option, Tags::TUPLE)))
    });
    if !options_are_good {
        let args: Vec<Value> = args.iter().map(|arg| ctx.strip(*arg)).collect();
        return Err(Raise::refused(ctx.heap, "halt", &args, "badopt").into());
    }
    if status_is_good { Err(Failure::Stop(Stop::Halted)) } else { Err(badarg()) }
}
