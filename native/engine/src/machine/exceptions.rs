//! Exceptions: handlers, unwinding, and raising again.

use super::exec::{Cpu, Step, unsupported};
use super::funs;
use super::raise;
use super::{Class, Event, Handler, Outcome, Raise, Request, Trace};
use crate::code::ir::{Label, Slot, Src, Window};
use crate::term::{AtomId, Heap, Packed, Value};

impl Cpu<'_> {
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
        let most = run.virtuals.frames();
        let trace = raise::stacktrace(&mut run.heap, self.view, &run.process, &raised, most);
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
