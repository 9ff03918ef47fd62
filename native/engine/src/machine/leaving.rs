//! Calls of built-in functions that leave the function in which they come last.
//!
//! A built-in function that is called by its name returns to its caller, also if the call comes last, and its exceptions show the caller. Called as a
//! fun, or by a name that is computed, it is jumped to like any other function: the caller has gone. What raises at once shows who applied it by name.

use super::exec::Cpu;
use super::{Raise, Trace};
use crate::bif;
use crate::code::ir::{Instr, Src};
use crate::term::Value;

/// How the running function has been left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// By a call of a fun.
    Fun,
    /// By a call of a function whose name is computed, or that the VM has Erlang code for.
    Named,
}

impl Cpu<'_> {
    /// How the call at hand has left the running function, if it has.
    fn left(&self) -> Option<Left> {
        let instr = self.function.code.get(self.pc.checked_sub(1)?)?;
        let (is_last, left) = match instr {
            Instr::TailCallFun { .. } => (true, Left::Fun),
            Instr::CallFun { .. } => (false, Left::Fun),
            Instr::TailApply { args } => (true, if args.len == 2 { Left::Fun } else { Left::Named }),
            Instr::Apply { args, .. } => (false, if args.len == 2 { Left::Fun } else { Left::Named }),
            Instr::TailCallNamed { .. } => (true, Left::Named),
            Instr::CallNamed { .. } => (false, Left::Named),
            Instr::Bif { bif, dst, .. } if bif::mfa_of(*bif).is_some_and(bif::is_code) => {
                let next = self.function.code.get(self.pc);
                (matches!(next, Some(Instr::Return { src }) if *src == Src::slot(*dst)), Left::Named)
            }
            _ => return None,
        };
        (is_last || self.is_unseen()).then_some(left)
    }

    /// What a built-in function has raised on purpose, as `error/1` does, without a caller that it was called from as a fun.
    pub(super) fn raised_on_purpose(&self, raised: Raise) -> Raise {
        let trace = match raised.trace {
            Trace::Here if self.left() == Some(Left::Fun) => {
                Trace::Running { args: Value::ZERO, more: Value::NIL, last: true }
            }
            Trace::Running { args, more, .. } => Trace::Running { args, more, last: self.left() == Some(Left::Fun) },
            other => other,
        };
        Raise { trace, ..raised }
    }

    /// What a built-in function has raised about its arguments, without a caller that has gone.
    pub(super) fn without_who_left(&self, raised: Raise) -> Raise {
        let trace = match raised.trace {
            Trace::Bif(mfa, args) if !bif::is_apply(mfa) && self.left().is_some() => Trace::LastBif(mfa, args),
            Trace::Native { frames, last: false } => Trace::Native { frames, last: self.left().is_some() },
            other => other,
        };
        Raise { trace, ..raised }
    }
}
