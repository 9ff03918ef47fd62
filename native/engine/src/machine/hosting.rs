//! The way to the host and back: native calls, their replies, and callbacks.

use super::emulation::NOWHERE;
use super::exec::{Cpu, Step, unsupported};
use super::processes;
use super::{Ask, Asking, Event, Failure, Frame, Outcome, Raise, Reply, Request, Stop, Trace, Waiting};
use crate::code::ir::{Mfa, Slot, Window};
use crate::path::Origin;
use crate::term::{AtomId, Packed, Value};

impl Cpu<'_> {
    /// What a built-in function has returned, or what is still to be done for it.
    pub(super) fn take_result(
        &mut self,
        result: Result<Value, Failure>,
        mfa: Mfa,
        args: &[Value],
        to: Option<Slot>,
    ) -> Step {
        match result {
            Ok(value) => self.deliver(value, to),
            Err(Failure::Ask(ask)) => self.ask(*ask, mfa, args, to),
            Err(Failure::Act(action)) => self.act(*action, to),
            Err(Failure::Host) => self.call_outside(mfa, args, to),
            Err(Failure::Undefined) => {
                let list = self.run.heap.list(args.iter().copied(), Value::NIL);
                self.handle_undefined(mfa, list, Slot(self.function.frame), to)
            }
            Err(failure @ (Failure::Raise(_) | Failure::Stop(_))) => Err(failure.into()),
        }
    }

    pub(super) fn call_host(&mut self, mfa: Mfa, args: &[Value], to: Option<Slot>) -> Step {
        let list = self.run.heap.list(args.iter().copied(), Value::NIL);
        if !self.ctx(Origin::Program).is_concrete(list) {
            self.ctx(Origin::Program).concretise(mfa, args);
        } else if !is_function_of_its_arguments(mfa) {
            self.run.counters.from_outside(mfa);
        }
        self.request_call(mfa, list, to, None)
    }

    /// Asks the host on behalf of a built-in function.
    pub(super) fn ask(&mut self, ask: Ask, mfa: Mfa, args: &[Value], to: Option<Slot>) -> Step {
        let bif = Asking { mfa, args: args.to_vec(), finish: ask.finish };
        self.request_call(ask.mfa, ask.args, to, Some(bif))
    }

    fn request_call(&mut self, mfa: Mfa, list: Value, to: Option<Slot>, bif: Option<Asking>) -> Step {
        *self.run.counters.host_calls.entry(mfa).or_default() += 1;
        let may_answer = self.run.introduce(mfa, list);
        let given = self.run.exported.len();
        let args = self.run.export(list);
        if self.run.exported.len() > given && is_spawn(mfa) {
            return Err(unsupported("start of a process"));
        }
        // Built-in functions return to whoever called them, also those called last, unless it is what stands for them in a module of code, or
        // they were computed.
        let stub = self.function.mfa == mfa;
        let last = self.is_last(to) && (stub || self.is_computed() || self.view.is_foreign(mfa));
        let of_the_vm = may_answer && processes::is_of_the_vm(mfa);
        self.run.process.waiting.push(Waiting { to, bif, last, of_the_vm });
        Err(Event::Request(Request::Call { mfa, args }).into())
    }

    /// Goes on with the host's answer.
    pub(super) fn take_reply(&mut self, reply: Reply) -> Step {
        match reply {
            Reply::Continue => Ok(()),
            Reply::Callback { fun, args } => self.call_back(fun, &args),
            Reply::Value(value) => {
                let answer = self.run.import(&value);
                let waiting = self.run.process.waiting.pop();
                self.run.expect_messages(waiting.as_ref(), answer);
                match waiting {
                    Some(Waiting { to, bif: None, .. }) => self.deliver(answer, to),
                    Some(Waiting { to, bif: Some(bif), .. }) => {
                        let result = (bif.finish)(&mut self.ctx(Origin::Precondition), &bif.args, answer);
                        self.take_result(result, bif.mfa, &bif.args, to)
                    }
                    None => Ok(()),
                }
            }
            Reply::Raised { class, reason, stacktrace } => {
                let last = self.run.process.waiting.pop().is_some_and(|waiting| waiting.last);
                let reason = self.run.import(&reason);
                let trace = Trace::Native { frames: self.run.import(&stacktrace), last };
                Err(Raise { class, reason, trace }.into())
            }
            Reply::Message { to, message } => {
                let message = self.run.import(&message);
                self.take_message(to, message)
            }
            Reply::Told { to, message, answer } => {
                let message = self.run.import(&message);
                self.run.deliver_message(to, message);
                self.take_reply(*answer)
            }
            Reply::NoMessage => self.take_silence(),
            Reply::Visited => self.take_visit(),
        }
    }

    // Callbacks

    /// Native code calls a fun: the call runs above the frame that waits for that code.
    fn call_back(&mut self, fun: usize, args: &Packed) -> Step {
        let Some(fun) = self.run.exported.get(fun).copied() else {
            return Err(unsupported("callback of a fun that the machine has not given away"));
        };
        let list = self.run.import(args);
        let frame = Frame { function: self.current(), pc: self.pc as u32, base: self.base as u32, dst: NOWHERE };
        self.run.process.frames.push(frame);
        self.run.process.callbacks.push(self.run.process.frames.len() as u32);
        let at = self.function.frame;
        let args = self.spread(list, Slot(at));
        // As if from a tail call in a frame of its own.
        self.base += at as usize;
        self.apply_fun(fun, Window { at: Slot(0), len: args.len }, None)
    }

    /// True if the running function was called back by native code and has nobody else to return to.
    pub(super) fn is_end_of_callback(&self) -> bool {
        self.run.process.callbacks.last().is_some_and(|frames| *frames as usize == self.run.process.frames.len())
    }

    /// Gives the end of a callback to the native code that made it, and waits for that code again.
    pub(super) fn end_callback(&mut self, end: Request) -> Step {
        self.run.process.callbacks.pop();
        if let Some(frame) = self.run.process.frames.pop() {
            self.resume_frame(frame)?;
        }
        Err(Event::Request(end).into())
    }
}

/// Functions that run a fun in a process of its own.
fn is_spawn(mfa: Mfa) -> bool {
    mfa.module == AtomId::ERLANG && mfa.function.name().starts_with("spawn")
}

impl From<Stop> for Event {
    fn from(stop: Stop) -> Self {
        Event::Done(Outcome::Stopped(stop))
    }
}

/// Whether a native function gives the same for the same arguments, whenever and wherever it is called.
fn is_function_of_its_arguments(mfa: Mfa) -> bool {
    match &*mfa.module.name() {
        "binary" | "erl_anno" | "erl_scan" | "io_lib" | "lists" | "maps" | "math" | "re" | "string" | "unicode" => true,
        "erlang" => matches!(
            &*mfa.function.name(),
            "adler32"
                | "binary_to_term"
                | "crc32"
                | "external_size"
                | "float_to_binary"
                | "float_to_list"
                | "iolist_size"
                | "md5"
                | "phash"
                | "phash2"
                | "term_to_binary"
                | "term_to_iovec"
        ),
        _ => false,
    }
}
