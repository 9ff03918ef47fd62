//! Who runs next, and how the running process comes to its end.

use super::{TURN, Wait};
use crate::code::ir::{FnId, Slot};
use crate::machine::exec::{Cpu, Halt, Step, unsupported};
use crate::machine::timers::{Receiver, Timer};
use crate::machine::{Class, Event, Outcome, Process, Run, Stop};
use crate::term::{Packed, Value};

/// Stands where the running process was. It has no number that a process can have, so nobody can send it anything.
fn nobody() -> Process {
    Process::new(u64::MAX, FnId(0), Vec::new())
}

impl Run {
    /// The next process to run. Time passes if none is ready.
    fn next_process(&mut self) -> Option<Process> {
        loop {
            if let Some(process) = self.others.next_ready() {
                return Some(process);
            }
            let wait = self.others.first_wait();
            match (self.virtuals.timers.next_before(wait.map(|(until, _)| until)), wait) {
                (Some((timer, message)), _) => self.go_off(timer, message),
                (None, Some((until, pid))) => {
                    self.virtuals.wait_until(until);
                    let mut process = self.others.sleeping.remove(&pid)?;
                    process.end_wait(None, &self.virtuals);
                    return Some(process);
                }
                (None, None) => return None,
            }
        }
    }

    /// Nothing is ever sent to a process that has ended.
    pub(super) fn start_timer(&mut self, after: u64, reference: u64, to: Receiver, message: Value) {
        let is_alive = match to {
            Receiver::Process(pid) => self.process_mut(pid).is_some(),
            Receiver::Named(_) => true,
        };
        if is_alive {
            self.virtuals.start_timer(after, reference, to, message);
        }
    }

    fn go_off(&mut self, timer: Timer, message: Value) {
        self.virtuals.wait_until(timer.at);
        let to = match timer.to {
            Receiver::Process(pid) => Some(pid),
            Receiver::Named(name) => self.virtuals.names.process(name),
        };
        if let Some(to) = to {
            self.deliver_message(to, message);
        }
    }
}

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
        let ended = std::mem::replace(&mut self.run.process, nobody());
        self.run.announce_end(ended, reason);
        if !self.run.others.sleeping.contains_key(&0) {
            return Err(self.run_ended(reason));
        }
        self.run_next()
    }

    /// The running process waits, and another one goes on.
    pub(in crate::machine) fn sleep(&mut self, dst: Slot, timeout: Option<u64>) -> Step {
        let until = timeout.map(|time| self.run.virtuals.now() + time);
        self.run.process.wait = Some(Wait { dst, until });
        self.put_aside();
        self.run_next()
    }

    /// The running process goes to the end of the queue.
    pub(in crate::machine) fn end_turn(&mut self) -> Step {
        if !self.run.others.someone_is_ready() {
            self.begin_turn();
            return Ok(());
        }
        let pid = self.run.process.pid;
        self.put_aside();
        self.run.others.ready.push_back(pid);
        self.run_next()
    }

    pub(super) fn put_aside(&mut self) {
        self.save();
        let pid = self.run.process.pid;
        let process = std::mem::replace(&mut self.run.process, nobody());
        self.run.others.sleeping.insert(pid, process);
    }

    pub(super) fn run_next(&mut self) -> Step {
        if let Some(process) = self.run.others.next_ready() {
            self.run.process = process;
            return self.load();
        }
        // Everybody waits for messages, which may come from outside.
        if self.listen()? { Ok(()) } else { self.run_in_time() }
    }

    /// Whoever runs next, without a message from outside.
    pub(super) fn run_in_time(&mut self) -> Step {
        let Some(process) = self.run.next_process() else { return Err(Stop::Deadlock.into()) };
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
        self.begin_turn();
        Ok(())
    }

    fn begin_turn(&mut self) {
        self.later += std::mem::take(&mut self.slice);
        self.run.turn = TURN;
        self.share_out();
    }

    /// So many calls of the slice, and of the turn, as both have.
    pub(in crate::machine) fn share_out(&mut self) {
        self.slice = self.later.min(self.run.turn);
        self.later -= self.slice;
        self.run.turn -= self.slice;
    }
}
