//! Calls of built-in functions that are emulated in Erlang ([`crate::bif::prelude`]).
//!
//! An emulated call is an ordinary one with a note of who is being emulated. An exception that leaves it becomes one of the built-in
//! function. The frame of such a call is marked in its `dst`: the note goes away with the frame.

use super::calls::Callee;
use super::exec::{Cpu, Step};
use super::{Event, Frame, Process, Raise, Request, Trace};
use crate::bif::{mfa, prelude};
use crate::code::ir::{FnId, Mfa, Slot};
use crate::code::registry::Target;
use crate::path::Origin;
use crate::term::{AtomId, Value};

/// Who is being emulated.
#[derive(Clone, Copy)]
pub(super) struct Emulation {
    mfa: Mfa,
    /// How many frames there are while it runs, with its own.
    frames: u32,
}

/// Set in the `dst` of a frame that waits for an emulated call.
const MARK: u32 = 1 << 31;

/// The `dst` of a frame that has nothing more to do than to return the result.
const RETURN: u32 = MARK - 1;

/// The `dst` of a frame that gets no result: no frame has so many slots.
pub(super) const NOWHERE: Slot = Slot(RETURN);

/// Where the result of a call goes, as its frame says.
pub(super) enum Destination {
    Plain(Slot),
    Emulated(Option<Slot>),
}

pub(super) fn destination(dst: Slot) -> Destination {
    if dst.0 & MARK == 0 {
        return Destination::Plain(dst);
    }
    let slot = dst.0 & !MARK;
    Destination::Emulated((slot != RETURN).then_some(Slot(slot)))
}

impl Process {
    pub(crate) fn is_emulating(&self) -> bool {
        !self.emulations.is_empty()
    }
}

impl Cpu<'_> {
    /// The emulation of a function by this one, if an argument is symbolic and its code can be had.
    pub(super) fn emulation(&mut self, emulation: Option<Mfa>, args: &[Value]) -> Option<Callee> {
        let emulation = emulation.filter(|emulation| !self.is_emulated_by(*emulation))?;
        let ctx = self.ctx(Origin::Program);
        if args.iter().all(|arg| ctx.is_concrete(*arg)) {
            return None;
        }
        match self.view.resolve(emulation) {
            Target::Function(function) => Some(Callee::Loaded(function)),
            Target::Unknown => Some(Callee::Load(emulation.module)),
            Target::Bif(_) | Target::Host | Target::Undefined => None,
        }
    }

    /// Whether the innermost emulation is by this function. What it calls of that name is the built-in function.
    fn is_emulated_by(&self, function: Mfa) -> bool {
        let innermost = self.run.process.emulations.last();
        innermost.is_some_and(|innermost| prelude::emulation(innermost.mfa) == Some(function))
    }

    /// Calls the emulation of a function.
    pub(super) fn emulate(&mut self, callee: Callee, mfa: Mfa, args: &[Value], to: Option<Slot>) -> Step {
        let function = match callee {
            Callee::Loaded(function) => function,
            Callee::Load(module) => {
                // The same instruction again, with the module loaded.
                self.pc -= 1;
                return Err(Event::Request(Request::Load { module }).into());
            }
        };
        self.call_emulation(function, mfa, args, to)
    }

    /// A function of the VM is called: what is sent to a device to be printed is looked at first, if it is symbolic.
    pub(super) fn call_outside(&mut self, mfa: Mfa, args: &[Value], to: Option<Slot>) -> Step {
        if !self.is_printing(mfa, args) {
            return self.call_host(mfa, args, to);
        }
        match self.view.resolve(prelude::look_at_printed()) {
            Target::Function(function) => self.call_emulation(function, mfa, args, to),
            Target::Unknown => self.emulate(Callee::Load(prelude::look_at_printed().module), mfa, args, to),
            Target::Bif(_) | Target::Host | Target::Undefined => self.call_host(mfa, args, to),
        }
    }

    /// `Device ! {io_request, From, As, {put_chars, unicode, io_lib, Function, [Format, Args]}}` with something symbolic in `Args` only.
    fn is_printing(&mut self, mfa: Mfa, args: &[Value]) -> bool {
        let [_, message] = args else { return false };
        let heap = &self.run.heap;
        let element = |value: Value, index| {
            heap.tuple_arity(value).filter(|arity| *arity > index).map(|_| heap.element(value, index))
        };
        let is = |value: Option<Value>, name: &str| value == Some(Value::atom(AtomId::intern(name)));
        let request = element(*message, 3).unwrap_or(Value::NIL);
        let given = element(request, 4).filter(|given| given.is_cons()).unwrap_or(Value::NIL);
        let looks_so = mfa.module == AtomId::ERLANG
            && is(element(*message, 0), "io_request")
            && is(element(request, 0), "put_chars")
            && is(element(request, 1), "unicode")
            && is(element(request, 2), "io_lib")
            && given.is_cons()
            && heap.tail(given).is_cons();
        if !looks_so || self.run.process.is_emulating() {
            return false;
        }
        let (format, given) = (heap.head(given), heap.head(heap.tail(given)));
        let ctx = self.ctx(Origin::Program);
        ctx.is_concrete(format) && !ctx.is_concrete(given)
    }

    /// Looking for a server that the run has of its own starts it.
    pub(super) fn start_server(&mut self, name: AtomId, to: Option<Slot>) -> Step {
        let callee = match self.view.resolve(prelude::start_of_server()) {
            Target::Function(function) => Callee::Loaded(function),
            Target::Unknown => Callee::Load(prelude::start_of_server().module),
            Target::Bif(_) | Target::Host | Target::Undefined => {
                return self.deliver(Value::atom(AtomId::UNDEFINED), to);
            }
        };
        self.emulate(callee, mfa("erlang", "whereis", 1), &[Value::atom(name)], to)
    }

    fn call_emulation(&mut self, function: FnId, mfa: Mfa, args: &[Value], to: Option<Slot>) -> Step {
        let dst = Slot(MARK | to.map_or(RETURN, |slot| slot.0));
        let frame = Frame { function: self.current(), pc: self.pc as u32, base: self.base as u32, dst };
        let list = self.run.heap.list(args.iter().copied(), Value::NIL);
        let process = &mut self.run.process;
        process.frames.push(frame);
        process.emulations.push(Emulation { mfa, frames: process.frames.len() as u32 });
        process.emulated.push(list);
        self.base += self.function.frame as usize;
        let end = self.base + args.len();
        if process.stack.len() < end {
            process.stack.resize(end, Value::NIL);
        }
        for (slot, arg) in process.stack.iter_mut().skip(self.base).zip(args) {
            *slot = *arg;
        }
        self.enter_function(function)
    }

    /// An emulated call is over: its note goes.
    pub(super) fn end_emulation(&mut self) {
        self.run.process.emulations.pop();
        self.run.process.emulated.pop();
    }

    /// The exception as it is seen where it is caught: one that leaves an emulation is one of the emulated function.
    pub(super) fn out_of_emulations(&mut self, mut raised: Raise) -> Result<Raise, Box<super::exec::Halt>> {
        while let Some(emulation) = self.run.process.emulations.last().copied() {
            let process = &self.run.process;
            let caught = process.handlers.last().is_some_and(|handler| handler.frames >= emulation.frames);
            let inside = process.callbacks.last().is_some_and(|frames| *frames >= emulation.frames);
            if caught || inside {
                break;
            }
            let args = process.emulated.last().copied().unwrap_or(Value::NIL);
            self.end_emulation();
            self.run.process.frames.truncate(emulation.frames as usize);
            raised.trace = Trace::Bif(emulation.mfa, args);
            if let Some(frame) = self.run.process.frames.pop() {
                self.resume_frame(frame)?;
                if matches!(destination(frame.dst), Destination::Emulated(to) if self.is_last(to)) && self.is_computed()
                {
                    raised.trace = raised.trace.without_caller(false);
                }
            }
        }
        Ok(raised)
    }
}
