//! Calls and returns.

use super::emulation::{Destination, destination};
use super::exec::{Cpu, Halt, Step, unsupported};
use super::undefined;
use super::{Event, Frame, Raise, Request, Trace, Waiting};
use crate::bif;
use crate::code::ir::{FnId, Instr, Mfa, MfaId, Slot, Src, Window};
use crate::code::registry::Target;
use crate::path::Origin;
use crate::term::{AtomId, Value, View, table};

/// How many arguments `apply/2` can take from a list, and `apply/3`.
const MOST_TO_FUNS: usize = 1022;
const MOST_TO_NAMES: usize = 1023;

/// Code to call.
#[derive(Clone, Copy)]
pub(super) enum Callee {
    Loaded(FnId),
    /// Its module has to be loaded first.
    Load(AtomId),
}

/// How a function is called that the program has computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Fun,
    Name,
}

impl Cpu<'_> {
    /// True if the call at hand, whose result goes to `to`, is the last one of its function on the BEAM.
    pub(super) fn is_last(&self, to: Option<Slot>) -> bool {
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

    pub(super) fn call_to(&mut self, function: FnId, args: Window, to: Option<Slot>) -> Step {
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
            Target::Function(function) if self.run.virtuals.changed.is_empty() => self.call_to(function, args, to),
            target => match self.view.mfa(id) {
                Some(mfa) if self.run.virtuals.changed.contains(mfa.module) => {
                    self.call_target(Target::Host, mfa, args, to)
                }
                Some(mfa) => self.call_target(target, mfa, args, to),
                None => Err(unsupported("call of a function without a name")),
            },
        }
    }

    /// A function that the program has computed. A built-in one that is called last so leaves no frame of its caller, as if it were code; but for
    /// those that raise: whoever calls them by name is in the stacktrace.
    fn call_computed(&mut self, mfa: Mfa, args: Window, to: Option<Slot>, way: Way) -> Step {
        let target = self.resolve(mfa);
        let is_left = self.is_last(to) && matches!(target, Target::Bif(_));
        let is_raising = way == Way::Fun || self.function.mfa == bif::mfa("erlang", "apply", 3);
        let step = self.call_target(target, mfa, args, to);
        step.map_err(|mut halt| {
            if let Halt::Raise(raise) = &mut *halt
                && is_left
            {
                raise.trace = raise.trace.without_caller(is_raising);
            }
            halt
        })
    }

    /// True if the call at hand is one of a function that the program has computed.
    pub(super) fn is_computed(&self) -> bool {
        match self.function.code.get(self.pc.saturating_sub(1)) {
            Some(
                Instr::CallFun { .. }
                | Instr::TailCallFun { .. }
                | Instr::CallNamed { .. }
                | Instr::TailCallNamed { .. }
                | Instr::Apply { .. }
                | Instr::TailApply { .. },
            ) => true,
            Some(_) | None => false,
        }
    }

    /// What a call means in this run. Code that the run has changed is the VM's.
    pub(super) fn resolve(&self, mfa: Mfa) -> Target {
        if self.run.virtuals.changed.contains(mfa.module) { Target::Host } else { self.view.resolve(mfa) }
    }

    fn call_target(&mut self, target: Target, mfa: Mfa, args: Window, to: Option<Slot>) -> Step {
        match target {
            Target::Function(function) => self.call_to(function, args, to),
            Target::Bif(id) => {
                let args = self.window(args).to_vec();
                self.afford_call(id, &args)?;
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
                if self.error_handler().is_some() {
                    let question = undefined::is_exported(&mut self.run.heap, mfa);
                    return self.ask(question, mfa, &args, to);
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

    pub(super) fn arg_list(&mut self, args: Window) -> Value {
        let items = self.window(args).to_vec();
        self.run.heap.list(items, Value::NIL)
    }

    /// Writes the elements of a concrete list into slots from `at` on.
    pub(super) fn spread(&mut self, list: Value, at: Slot) -> Window {
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

    // Computed calls

    pub(super) fn call_fun(&mut self, args: Window, to: Option<Slot>) -> Step {
        let fun = self.get(Src::slot(Slot(args.at.0 - 1)));
        self.apply_fun(fun, args, to)
    }

    pub(super) fn apply_fun(&mut self, fun: Value, args: Window, to: Option<Slot>) -> Step {
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
                self.call_computed(mfa, args, to, Way::Fun)
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
        if mfa == bif::mfa("erlang", "apply", 3) {
            return self.apply(args, to);
        }
        self.call_computed(mfa, args, to, Way::Name)
    }

    /// `apply/2` and `apply/3`: spreads the list of arguments behind the window, and calls.
    pub(super) fn apply(&mut self, window: Window, to: Option<Slot>) -> Step {
        let given = self.window(window).to_vec();
        let Some((list, callee)) = given.split_last() else { return Err(unsupported("apply without arguments")) };
        // What is no name is seen before the arguments are.
        let most = match callee {
            [_] => MOST_TO_FUNS,
            names if names.iter().all(|name| self.run.heap.concrete(*name).is_atom()) => MOST_TO_NAMES,
            _ => usize::MAX,
        };
        if self.ctx(Origin::Precondition).is_longer(*list, most) {
            return self.cannot_apply(window, AtomId::SYSTEM_LIMIT);
        }
        let Some(items) = self.ctx(Origin::Precondition).list(*list) else {
            return self.cannot_apply(window, AtomId::BADARG);
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

    fn cannot_apply(&mut self, window: Window, reason: AtomId) -> Step {
        let args = self.arg_list(window);
        let trace = Trace::Bif(bif::mfa("erlang", "apply", window.len as usize), args);
        Err(Raise { trace, ..Raise::error_atom(reason) }.into())
    }
}
