//! Calls, returns, exceptions, and the way to the host and back.

use super::emulation::{Destination, destination};
use super::exec::{Cpu, Halt, Step, unsupported};
use super::funs;
use super::processes;
use super::raise;
use super::{Ask, Asking, Class, Event, Failure, Frame, Handler, Outcome, Raise, Reply, Request, Stop, Trace, Waiting};
use crate::bif;
use crate::code::ir::{FnId, Label, Mfa, MfaId, Slot, Src, Window};
use crate::code::registry::Target;
use crate::path::Origin;
use crate::term::{AtomId, Heap, Packed, Value, View, table};

/// Code to call.
#[derive(Clone, Copy)]
pub(super) enum Callee {
    Loaded(FnId),
    /// Its module has to be loaded first.
    Load(AtomId),
}

impl Cpu<'_> {
    /// True if the call at hand, whose result goes to `to`, is the last one of its function on the BEAM.
    fn is_last(&self, to: Option<Slot>) -> bool {
        to.is_none() || self.is_unseen()
    }

    /// True if stacktraces do not show the call that is being made, or the function that is failing.
    pub(super) fn is_unseen(&self) -> bool {
        self.function.is_unseen(self.pc.saturating_sub(1))
    }

    /// The number of the running function.
    pub(super) fn current(&self) -> FnId {
        self.run.process.function
    }

    pub(super) fn enter_function(&mut self, id: FnId) -> Result<(), Box<Halt>> {
        let Some(function) = self.view.function(id) else { return Err(unsupported("code that is not loaded")) };
        self.run.process.function = id;
        self.function = function;
        self.pc = 0;
        self.reserve();
        self.safe_point()
    }

    #[inline]
    pub(super) fn call(&mut self, function: FnId, args: Window, dst: Slot) -> Step {
        let frame = Frame { function: self.current(), pc: self.pc as u32, base: self.base as u32, dst };
        self.run.process.frames.push(frame);
        self.base += args.at.0 as usize;
        self.enter_function(function)
    }

    #[inline]
    pub(super) fn tail_call(&mut self, function: FnId, args: Window) -> Step {
        let at = self.base + args.at.0 as usize;
        let end = at + args.len as usize;
        if end <= self.run.process.stack.len() {
            self.run.process.stack.copy_within(at..end, self.base);
        }
        self.enter_function(function)
    }

    fn call_to(&mut self, function: FnId, args: Window, to: Option<Slot>) -> Step {
        match to {
            Some(dst) => self.call(function, args, dst),
            None => self.tail_call(function, args),
        }
    }

    pub(super) fn return_value(&mut self, value: Value) -> Step {
        let value = if self.run.process.applied.is_empty() { value } else { self.returned(value) };
        if self.is_end_of_callback() {
            let value = self.run.export(value);
            return self.end_callback(Request::Returned(value));
        }
        let Some(frame) = self.run.process.frames.pop() else {
            return if self.run.process.pid == 0 {
                self.main_returned(value)
            } else {
                self.end_process(Value::atom(AtomId::NORMAL))
            };
        };
        self.resume_frame(frame)?;
        match destination(frame.dst) {
            Destination::Plain(slot) => self.set(slot, value),
            Destination::Emulated(to) => {
                self.end_emulation();
                return self.deliver(value, to);
            }
        }
        Ok(())
    }

    /// Goes on where a call was made.
    pub(super) fn resume_frame(&mut self, frame: Frame) -> Step {
        let Some(function) = self.view.function(frame.function) else {
            return Err(unsupported("code that is not loaded"));
        };
        self.run.process.function = frame.function;
        self.function = function;
        self.pc = frame.pc as usize;
        self.base = frame.base as usize;
        Ok(())
    }

    pub(super) fn deliver(&mut self, value: Value, to: Option<Slot>) -> Step {
        match to {
            Some(slot) => {
                self.set(slot, value);
                Ok(())
            }
            None => self.return_value(value),
        }
    }

    // Calls by name

    pub(super) fn call_remote(&mut self, id: MfaId, args: Window, to: Option<Slot>) -> Step {
        match self.view.target(id) {
            Target::Function(function) => self.call_to(function, args, to),
            target => match self.view.mfa(id) {
                Some(mfa) => self.call_target(target, mfa, args, to),
                None => Err(unsupported("call of a function without a name")),
            },
        }
    }

    fn call_mfa(&mut self, mfa: Mfa, args: Window, to: Option<Slot>) -> Step {
        self.call_target(self.view.resolve(mfa), mfa, args, to)
    }

    fn call_target(&mut self, target: Target, mfa: Mfa, args: Window, to: Option<Slot>) -> Step {
        match target {
            Target::Function(function) => self.call_to(function, args, to),
            Target::Bif(id) => {
                let args = self.window(args).to_vec();
                if let Some(callee) = self.emulation(bif::emulation(id), &args) {
                    return self.emulate(callee, mfa, &args, to);
                }
                let result = bif::call(&mut self.ctx(Origin::Precondition), id, &args);
                self.take_result(result, mfa, &args, to)
            }
            Target::Host => {
                let args = self.window(args).to_vec();
                if let Some(callee) = self.emulation(bif::prelude::emulation(mfa), &args) {
                    return self.emulate(callee, mfa, &args, to);
                }
                self.call_host(mfa, &args, to)
            }
            Target::Undefined => self.call_undefined(mfa, args, to),
            Target::Unknown => {
                // The same instruction again, with the module loaded.
                self.pc -= 1;
                Err(Event::Request(Request::Load { module: mfa.module }).into())
            }
        }
    }

    /// A module may have a function for calls of those that it has not.
    fn call_undefined(&mut self, mfa: Mfa, window: Window, to: Option<Slot>) -> Step {
        let args = self.arg_list(window);
        let handler = Mfa { function: AtomId::intern("$handle_undefined_function"), arity: 2, ..mfa };
        if let Target::Function(function) = self.view.resolve(handler) {
            let call = self.run.heap.list([Value::atom(mfa.function), args], Value::NIL);
            let window = self.spread(call, window.at);
            return self.call_to(function, window, to);
        }
        let trace = if self.is_last(to) { Trace::LastCall(mfa, args) } else { Trace::Call(mfa, args) };
        Err(Raise { trace, ..Raise::error_atom(AtomId::UNDEF) }.into())
    }

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
            Err(failure @ (Failure::Raise(_) | Failure::Stop(_))) => Err(failure.into()),
        }
    }

    fn arg_list(&mut self, args: Window) -> Value {
        let items = self.window(args).to_vec();
        self.run.heap.list(items, Value::NIL)
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
    fn ask(&mut self, ask: Ask, mfa: Mfa, args: &[Value], to: Option<Slot>) -> Step {
        let bif = Asking { mfa, args: args.to_vec(), finish: ask.finish };
        self.request_call(ask.mfa, ask.args, to, Some(bif))
    }

    fn request_call(&mut self, mfa: Mfa, list: Value, to: Option<Slot>, bif: Option<Asking>) -> Step {
        *self.run.counters.host_calls.entry(mfa).or_default() += 1;
        self.run.introduce(mfa, list);
        let given = self.run.exported.len();
        let args = self.run.export(list);
        if args.is_too_large_to_write() {
            return Err(Stop::Heap.into());
        }
        if self.run.exported.len() > given && is_spawn(mfa) {
            return Err(unsupported("start of a process"));
        }
        // Built-in functions return to whoever called them, also those called last, unless it is what stands for them in a module of code.
        let stub = self.function.mfa == mfa;
        let last = self.is_last(to) && (stub || self.view.is_native(mfa.module));
        self.run.process.waiting.push(Waiting { to, bif, last, of_the_vm: processes::is_of_the_vm(mfa) });
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
        let frame = Frame { function: self.current(), pc: self.pc as u32, base: self.base as u32, dst: Slot(0) };
        self.run.process.frames.push(frame);
        self.run.process.callbacks.push(self.run.process.frames.len() as u32);
        let at = self.function.frame;
        let args = self.spread(list, Slot(at));
        // As if from a tail call in a frame of its own.
        self.base += at as usize;
        self.apply_fun(fun, Window { at: Slot(0), len: args.len }, None)
    }

    /// Writes the elements of a concrete list into slots from `at` on.
    fn spread(&mut self, list: Value, at: Slot) -> Window {
        let start = self.base + at.0 as usize;
        let stack = &mut self.run.process.stack;
        let mut rest = list;
        let mut end = start;
        while rest.is_cons() {
            if stack.len() <= end {
                stack.resize(end + 1, Value::NIL);
            }
            if let Some(slot) = stack.get_mut(end) {
                *slot = self.run.heap.head(rest);
            }
            rest = self.run.heap.tail(rest);
            end += 1;
        }
        Window { at, len: (end - start) as u32 }
    }

    /// True if the running function was called back by native code and has nobody else to return to.
    fn is_end_of_callback(&self) -> bool {
        self.run.process.callbacks.last().is_some_and(|frames| *frames as usize == self.run.process.frames.len())
    }

    /// Gives the end of a callback to the native code that made it, and waits for that code again.
    fn end_callback(&mut self, end: Request) -> Step {
        self.run.process.callbacks.pop();
        if let Some(frame) = self.run.process.frames.pop() {
            self.resume_frame(frame)?;
        }
        Err(Event::Request(end).into())
    }

    // Computed calls

    pub(super) fn call_fun(&mut self, args: Window, to: Option<Slot>) -> Step {
        let fun = self.get(Src::slot(Slot(args.at.0 - 1)));
        self.apply_fun(fun, args, to)
    }

    fn apply_fun(&mut self, fun: Value, args: Window, to: Option<Slot>) -> Step {
        if fun.is_sym() { self.apply_symbolic(fun, args, to) } else { self.apply_concrete(fun, args, to) }
    }

    pub(super) fn apply_concrete(&mut self, fun: Value, args: Window, to: Option<Slot>) -> Step {
        match self.run.heap.view(fun) {
            View::Closure(ptr) if table::is_table(&self.run.heap, ptr) => self.apply_table(fun, args, to),
            View::Closure(ptr) => {
                let (function, arity) = self.run.heap.closure(ptr);
                if arity != args.len as usize {
                    return self.bad_arity(fun, args, to);
                }
                let captured = self.run.heap.captured(ptr);
                let start = self.base + (args.at.0 + args.len) as usize;
                let stack = &mut self.run.process.stack;
                if stack.len() < start + captured {
                    stack.resize(start + captured, Value::NIL);
                }
                for (place, index) in stack.iter_mut().skip(start).take(captured).zip(0..) {
                    *place = self.run.heap.value(ptr.plus(2 + index));
                }
                let args = Window { at: args.at, len: args.len + captured as u32 };
                self.call_to(FnId(function), args, to)
            }
            View::External(ptr) => {
                let [module, function, arity] = [1, 2, 3].map(|index| self.run.heap.value(ptr.plus(index)));
                if arity != Value::count(args.len as usize) {
                    return self.bad_arity(fun, args, to);
                }
                let mfa = Mfa { module: module.as_atom(), function: function.as_atom(), arity: args.len as usize };
                self.call_mfa(mfa, args, to)
            }
            View::Foreign(_) => match table::fun_arity(&self.run.heap, fun) {
                Some(arity) if arity == args.len as usize => self.call_foreign(fun, args, to),
                Some(_) => self.bad_arity(fun, args, to),
                None => self.bad_fun(fun, to),
            },
            View::Small(_)
            | View::Big(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Nil
            | View::Cons(_)
            | View::Tuple(..)
            | View::Bits(_)
            | View::Map(..)
            | View::Virtual(_)
            | View::Sym(..) => self.bad_fun(fun, to),
        }
    }

    pub(super) fn bad_fun(&mut self, fun: Value, to: Option<Slot>) -> Step {
        let reason = self.run.heap.tuple(&[Value::atom(AtomId::BADFUN), fun]);
        Err(Raise::bad_call(reason, self.is_last(to)).into())
    }

    fn apply_table(&mut self, fun: Value, args: Window, to: Option<Slot>) -> Step {
        if table::fun_arity(&self.run.heap, fun) != Some(args.len as usize) {
            return self.bad_arity(fun, args, to);
        }
        let value = table::look_up(&self.run.heap, fun, self.window(args)).unwrap_or(Value::NIL);
        self.deliver(value, to)
    }

    /// A fun of the VM runs there.
    fn call_foreign(&mut self, fun: Value, args: Window, to: Option<Slot>) -> Step {
        let list = self.arg_list(args);
        let mfa = bif::mfa("erlang", "apply", 2);
        if !self.ctx(Origin::Program).is_concrete(list) {
            self.run.counters.concretise(mfa);
        }
        *self.run.counters.host_calls.entry(mfa).or_default() += 1;
        let (fun, args) = (self.run.export(fun), self.run.export(list));
        self.run.process.waiting.push(Waiting { to, bif: None, last: false, of_the_vm: false });
        Err(Event::Request(Request::Apply { fun, args }).into())
    }

    pub(super) fn bad_arity(&mut self, fun: Value, args: Window, to: Option<Slot>) -> Step {
        let args = self.arg_list(args);
        let call = self.run.heap.tuple(&[fun, args]);
        let reason = self.run.heap.tuple(&[Value::atom(AtomId::BADARITY), call]);
        Err(Raise::bad_call(reason, self.is_last(to)).into())
    }

    pub(super) fn call_named(&mut self, args: Window, to: Option<Slot>) -> Step {
        let [module, function] = [2, 1].map(|before| self.get(Src::slot(Slot(args.at.0 - before))));
        self.apply_named(module, function, args, to)
    }

    fn apply_named(&mut self, module: Value, function: Value, args: Window, to: Option<Slot>) -> Step {
        let are_names = !(module.is_sym() || function.is_sym()) || {
            // What a module exports is known once it is loaded.
            let name = self.run.heap.concrete(module);
            if name.is_atom() && !self.view.is_loaded(name.as_atom()) {
                self.pc -= 1;
                return Err(Event::Request(Request::Load { module: name.as_atom() }).into());
            }
            self.settle_names(module, function, args.len as usize)
        };
        let (module, function) = (self.run.heap.concrete(module), self.run.heap.concrete(function));
        if !are_names || !module.is_atom() || !function.is_atom() {
            let list = self.arg_list(args);
            let call = [module, function, list];
            let args = self.run.heap.list(call, Value::NIL);
            let trace = Trace::Bif(bif::mfa("erlang", "apply", 3), args);
            return Err(Raise { trace, ..Raise::error_atom(AtomId::BADARG) }.into());
        }
        let mfa = Mfa { module: module.as_atom(), function: function.as_atom(), arity: args.len as usize };
        self.call_mfa(mfa, args, to)
    }

    /// `apply/2` and `apply/3`: spreads the list of arguments behind the window, and calls.
    pub(super) fn apply(&mut self, window: Window, to: Option<Slot>) -> Step {
        let given = self.window(window).to_vec();
        let Some((list, callee)) = given.split_last() else { return Err(unsupported("apply without arguments")) };
        let Some(items) = self.ctx(Origin::Precondition).list(*list) else {
            let arity = window.len as usize;
            let args = self.arg_list(window);
            let trace = Trace::Bif(bif::mfa("erlang", "apply", arity), args);
            return Err(Raise { trace, ..Raise::error_atom(AtomId::BADARG) }.into());
        };
        let at = Slot(window.at.0 + window.len);
        let list = self.run.heap.list(items, Value::NIL);
        let args = self.spread(list, at);
        match callee {
            [fun] => self.apply_fun(*fun, args, to),
            [module, function] => self.apply_named(*module, *function, args, to),
            _ => Err(unsupported("apply with other arguments")),
        }
    }

    // Exceptions

    pub(super) fn push_handler(&mut self, handler: Label, at: Slot) {
        let handler = Handler {
            frames: self.run.process.frames.len() as u32,
            function: self.current(),
            pc: handler.0,
            base: self.base as u32,
            at,
        };
        self.run.process.handlers.push(handler);
    }

    /// Unwinds to the innermost handler, or ends the run.
    pub(super) fn raise(&mut self, raised: Raise) -> Step {
        let raised = self.out_of_emulations(raised)?;
        self.save();
        let run = &mut *self.run;
        let trace = raise::stacktrace(&mut run.heap, self.view, &run.process, raised.trace);
        let unmatched = raise::is_unmatched(&run.heap, self.view, &run.process, &raised);
        let limit = run.process.callbacks.last().copied().unwrap_or(0);
        let caught = run.process.handlers.last().is_some_and(|handler| handler.frames >= limit);
        let handler = run.process.handlers.last().filter(|_| caught).map(|handler| handler.frames);
        funs::unwind(run, handler.or_else(|| limit.checked_sub(1)));
        if limit > 0 && !caught {
            // The exception goes to the native code that called back.
            run.process.frames.truncate(limit as usize);
            let (reason, stacktrace) = (run.export(raised.reason), run.export(trace));
            return self.end_callback(Request::Raised { class: raised.class, reason, stacktrace });
        }
        let Some(handler) = run.process.handlers.pop() else {
            if run.process.pid != 0 {
                let reason = exit_reason(&mut run.heap, raised, trace);
                return self.end_process(reason);
            }
            let outcome = Outcome::Raised {
                class: raised.class,
                reason: Packed::pack(&run.heap, raised.reason),
                stacktrace: Packed::pack(&run.heap, trace),
            };
            return Err(Event::Done(self.run.ended_by(outcome)).into());
        };
        run.process.frames.truncate(handler.frames as usize);
        let Some(function) = self.view.function(handler.function) else {
            return Err(unsupported("code that is not loaded"));
        };
        run.process.function = handler.function;
        self.function = function;
        self.pc = handler.pc as usize;
        self.base = handler.base as usize;
        let class = Value::atom(raised.class.atom());
        let raw_trace = self.run.heap.tuple(&[class, trace, Value::boolean(unmatched)]);
        let values = [class, raised.reason, raw_trace];
        for (value, slot) in values.into_iter().zip(handler.at.0..) {
            self.set(Slot(slot), value);
        }
        Ok(())
    }

    pub(super) fn caught(&mut self, dst: Slot, at: Slot) {
        let [class, reason, trace] = [0, 1, 2].map(|index| self.get(Src::slot(Slot(at.0 + index))));
        let exit = Value::atom(AtomId::EXIT_TAG);
        let value = match Class::from_atom(class.as_atom()) {
            Some(Class::Throw) => reason,
            Some(Class::Exit) => self.run.heap.tuple(&[exit, reason]),
            Some(Class::Error) | None => {
                let detail = self.run.heap.tuple(&[reason, self.run.heap.element(trace, 1)]);
                self.run.heap.tuple(&[exit, detail])
            }
        };
        self.set(dst, value);
    }

    /// The class and the list of frames of a raw trace that a handler receives, and whether they begin with a function none of whose clauses
    /// matched.
    fn open_trace(&self, raw: Value) -> Option<(Class, Value, bool)> {
        self.run.heap.tuple_arity(raw).filter(|arity| *arity == 3)?;
        let [class, frames, unmatched] = [0, 1, 2].map(|index| self.run.heap.element(raw, index));
        Some((Class::from_atom(class.as_atom())?, frames, unmatched == Value::boolean(true)))
    }

    pub(super) fn build_trace(&mut self, dst: Slot, raw: Src) {
        let raw = self.get(raw);
        let list = self.open_trace(raw).map_or(raw, |(_, list, _)| list);
        self.set(dst, list);
    }

    pub(super) fn reraise(&mut self, trace: Src, reason: Src) -> Step {
        let (raw, reason) = (self.get(trace), self.get(reason));
        let (class, frames, unmatched) = self.open_trace(raw).unwrap_or((Class::Error, raw, false));
        Err(Raise { class, reason, trace: Trace::Given { frames, unmatched } }.into())
    }

    /// As on the BEAM, a function none of whose clauses matched has no place in the stacktrace afterwards.
    pub(super) fn raw_raise(&mut self, dst: Slot, args: Window) -> Step {
        let [class, reason, trace] = [0, 1, 2].map(|index| self.get(Src::slot(Slot(args.at.0 + index))));
        let class = self.run.heap.concrete(class);
        let frames = match self.open_trace(trace) {
            Some((_, frames, true)) => raise::unplaced(&mut self.run.heap, frames),
            Some((_, frames, false)) => frames,
            None => trace,
        };
        match Class::from_atom(class.as_atom()).filter(|_| class.is_atom()) {
            Some(class) => Err(Raise { class, reason, trace: Trace::Given { frames, unmatched: false } }.into()),
            None => {
                self.set(dst, Value::atom(AtomId::BADARG));
                Ok(())
            }
        }
    }

    pub(super) fn match_fail(&mut self, reason: Src) -> Step {
        let reason = self.get(reason);
        let is_function_clause = self.run.heap.tuple_arity(reason).is_some_and(|arity| arity > 0)
            && self.run.heap.element(reason, 0) == Value::atom(AtomId::FUNCTION_CLAUSE);
        if !is_function_clause {
            return Err(Raise::error(reason).into());
        }
        let arity = self.run.heap.tuple_arity(reason).unwrap_or(1) - 1;
        let args: Vec<Value> = (1..=arity).map(|index| self.run.heap.element(reason, index)).collect();
        let args = self.run.heap.list(args, Value::NIL);
        let trace = Trace::Call(self.function.mfa, args);
        Err(Raise { trace, ..Raise::error_atom(AtomId::FUNCTION_CLAUSE) }.into())
    }
}

/// The reason with which a process ends that does not catch an exception.
fn exit_reason(heap: &mut Heap, raised: Raise, trace: Value) -> Value {
    match raised.class {
        Class::Exit => raised.reason,
        Class::Error => heap.tuple(&[raised.reason, trace]),
        Class::Throw => {
            let reason = heap.tuple(&[Value::atom(AtomId::NOCATCH), raised.reason]);
            heap.tuple(&[reason, trace])
        }
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
