//! Exceptions on purpose.

use super::{Bif, BifResult, badarg, exact};
use crate::machine::{Class, Ctx, Failure, Raise, Trace};
use crate::term::{AtomId, Value};

pub(super) const BIFS: &[Bif] = &[
    exact("error", 1, |_, args| raise(Class::Error, args)),
    exact("error", 2, error_with_args),
    exact("error", 3, error_with_args),
    exact("exit", 1, |_, args| raise(Class::Exit, args)),
    exact("throw", 1, |_, args| raise(Class::Throw, args)),
    exact("nif_error", 1, |_, args| raise(Class::Error, args)),
    exact("nif_error", 2, |_, args| raise(Class::Error, args)),
    exact("raise", 3, raise_with_trace),
];

fn raise(class: Class, args: &[Value]) -> BifResult {
    let [reason, ..] = args else { return Err(badarg()) };
    Err(Failure::Raise(Raise { class, reason: *reason, trace: Trace::Here }))
}

/// `error(Reason, Args)`: the arguments replace the arity in the first frame, which the machine adds from the running function.
fn error_with_args(_: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    raise(Class::Error, args)
}

fn raise_with_trace(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [class, reason, trace] = args else { return Err(badarg()) };
    let class = ctx.heap.concrete(*class);
    let known = Class::from_atom(class.as_atom()).filter(|_| class.is_atom());
    match (known, ctx.list(*trace)) {
        (Some(class), Some(_)) => Err(Failure::Raise(Raise { class, reason: *reason, trace: Trace::Given(*trace) })),
        _ => Ok(Value::atom(AtomId::BADARG)),
    }
}
