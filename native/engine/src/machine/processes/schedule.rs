//! Who runs next, and how the running process comes to its end.

use super::Wait;
use crate::code::ir::{FnId, Slot};
use crate::machine::exec::{Cpu, Halt, Step, unsupported};
use crate::machine::{Class, Event, Outcome, Process, Stop};
use crate::term::{Packed, Value};

impl Cpu<'_> {
    /// The first process was ended by a signal.
    pub(super) fn run_ended(&mut self, reason: Value) -> Box<Halt> {
        let reason = Packed::pack(&self.run.heap, reason);
        let stacktrace = Packed::immediate(Value::NIL);
        let outcome = self.run.ended_by(Outcome::Raised { class: Class::Exit, reason, stacktrace });
        Event::Done(outcome).into()
    }

    /// The running process ends, and another one goes on.
    pub(in crate::machine) fn end_process(&mut self, reason: Value) -> Step {
        if self.run.process.pid == 0 {
            return Err(self.run_ended(reason));
        }
        let nobody = Process::new(self.run.process.pid, FnId(0), Vec::new());
        let ended = std::mem::replace(&mut self.run.process, nobody);
        self.run.announce_end(ended, reason);
        if !self.run.others.sleeping.contains_key(&0) {
            return Err(self.run_ended(reason));
        }
        self.run_next()
    }

    /// The running process waits, and another one goes on.
    pub(in crate::machine) fn sleep(&mut self, dst: Slot, timeout: Option<u64>) -> Step {
        let until = timeout.map(|time| self.run.others.clock + time);
        self.run.process.wait = Some(Wait { dst, until });
        self.put_aside();
        self.run_next()
    }

    /// The slice of the running process is over: it goes to the end of the queue.
    pub(in crate::machine) fn rotate(&mut self) -> Step {
        let pid = self.run.process.pid;
        self.put_aside();
        self.run.others.ready.push_back(pid);
        self.run_next()
    }

    pub(super) fn put_aside(&mut self) {
        self.save();
        let pid = self.run.process.pid;
        let nobody = Process::new(pid, FnId(0), Vec::new());
        let process = std::mem::replace(&mut self.run.process, nobody);
        self.run.others.sleeping.insert(pid, process);
    }

    pub(super) fn run_next(&mut self) -> Step {
        if let Some(process) = self.run.others.next() {
            self.run.process = process;
            return self.load();
        }
        // Everybody waits for messages, which may come from outside.
        if self.listen()? {
            return Ok(());
        }
        let Some(process) = self.run.others.next_in_time() else { return Err(Stop::Deadlock.into()) };
        self.run.process = process;
        self.load()
    }

    pub(super) fn load(&mut self) -> Step {
        let process = &self.run.process;
        let Some(function) = self.view.function(process.function) else {
            return Err(unsupported("code that is not loaded"));
        };
        self.function = function;
        self.pc = process.pc as usize;
        self.base = process.base as usize;
        self.reserve();
        Ok(())
    }
}
