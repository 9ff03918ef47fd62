//! Calls of functions that do not exist.
//!
//! They go to the error handler of the process. The VM's own, module `error_handler`, gives modules with a function `$handle_undefined_function/2` a
//! chance and raises otherwise; what it would load is loaded already.

use super::exec::{Cpu, Step};
use super::{Ask, Event, Failure, Flag, Raise, Request, Trace};
use crate::bif;
use crate::code::ir::{Mfa, Slot, Window};
use crate::code::registry::Target;
use crate::term::{AtomId, Heap, Value};

/// Whether the VM has a function. A process with an error handler of its own loads no modules by calling their functions.
pub(super) fn is_exported(heap: &mut Heap, mfa: Mfa) -> Ask {
    let call = [Value::atom(mfa.module), Value::atom(mfa.function), Value::count(mfa.arity)];
    Ask {
        mfa: bif::mfa("erlang", "function_exported", 3),
        args: heap.list(call, Value::NIL),
        finish: |_, _, answer| Err(if answer.is_true() { Failure::Host } else { Failure::Undefined }),
        purpose: "whether there is a function",
    }
}

impl Cpu<'_> {
    /// The error handler that the process has set for itself.
    pub(super) fn error_handler(&self) -> Option<AtomId> {
        let handler = self.run.process.flags.get(Flag::ErrorHandler).as_atom();
        (handler != AtomId::intern("error_handler")).then_some(handler)
    }

    pub(super) fn call_undefined(&mut self, mfa: Mfa, window: Window, to: Option<Slot>) -> Step {
        let args = self.arg_list(window);
        self.handle_undefined(mfa, args, window.at, to)
    }

    /// The same with a list of arguments. What is called instead has its arguments from that slot on.
    pub(super) fn handle_undefined(&mut self, mfa: Mfa, args: Value, at: Slot, to: Option<Slot>) -> Step {
        let name = Value::atom(mfa.function);
        let (handler, call) = match self.error_handler() {
            Some(module) => {
                let function = AtomId::intern("undefined_function");
                (Mfa { module, function, arity: 3 }, vec![Value::atom(mfa.module), name, args])
            }
            None => {
                let function = AtomId::intern("$handle_undefined_function");
                (Mfa { function, arity: 2, ..mfa }, vec![name, args])
            }
        };
        match self.resolve(handler) {
            Target::Function(function) => {
                let call = self.run.heap.list(call, Value::NIL);
                let window = self.spread(call, at);
                self.call_to(function, window, to)
            }
            Target::Unknown if handler.module != mfa.module => {
                // The same instruction again, with the module loaded.
                self.pc -= 1;
                Err(Event::Request(Request::Load { module: handler.module }).into())
            }
            Target::Host if handler.module != mfa.module => self.call_host(handler, &call, to),
            Target::Bif(_) | Target::Host | Target::Undefined | Target::Unknown => {
                let trace = if self.is_last(to) { Trace::LastCall(mfa, args) } else { Trace::Call(mfa, args) };
                Err(Raise { trace, ..Raise::error_atom(AtomId::UNDEF) }.into())
            }
        }
    }
}
