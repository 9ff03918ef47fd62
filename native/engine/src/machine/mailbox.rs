//! Messages of a process, and waiting for them.
//!
//! A `receive` looks at one message after the other from the oldest on. When none matches it waits. If native code knows of the process, the host
//! waits for a message in its place; otherwise nobody can send, unless there are other processes or timers, so a wait with a time limit is over at
//! once, and one without never ends.

use std::collections::VecDeque;

use num_bigint::Sign;

use super::exec::{Cpu, Step, unsupported};
use super::processes::Wait;
use super::{Event, Raise, Request, Stop, Waiting};
use crate::code::ir::{Slot, Src};
use crate::term::{AtomId, Value};

/// Mostly the oldest message is the one that is taken out, so both ends are quick.
#[derive(Default)]
pub(super) struct Mailbox {
    messages: VecDeque<Value>,
    /// The message that the `receive` at hand looks at.
    at: usize,
}

impl Mailbox {
    pub(super) fn push(&mut self, message: Value) {
        self.messages.push_back(message);
    }

    /// The next `receive` starts from the oldest message.
    pub(super) fn rewind(&mut self) {
        self.at = 0;
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(Value) -> bool) {
        self.messages.retain(|message| keep(*message));
        self.at = 0;
    }

    pub(super) fn messages(&self) -> &VecDeque<Value> {
        &self.messages
    }

    pub(super) fn values_mut(&mut self) -> &mut [Value] {
        self.messages.make_contiguous()
    }

    /// Whether there is a message that the `receive` at hand has not looked at.
    pub(super) fn has_more(&self) -> bool {
        self.at < self.messages.len()
    }

    pub(super) fn next(&mut self) {
        self.at += 1;
    }

    pub(super) fn remove(&mut self) {
        self.messages.remove(self.at);
        self.at = 0;
    }
}

/// The longest time that can be waited for, in milliseconds.
const LONGEST: u64 = u32::MAX as u64;

impl Cpu<'_> {
    pub(super) fn peek_message(&mut self, found: Slot, message: Slot) {
        let mailbox = &self.run.process.mailbox;
        let first = mailbox.messages.get(mailbox.at).copied();
        self.set(found, Value::boolean(first.is_some()));
        self.set(message, first.unwrap_or(Value::NIL));
    }

    /// The message at hand stays. There is no call between two of them.
    pub(super) fn next_message(&mut self) -> Step {
        self.afford(1)?;
        self.run.process.mailbox.next();
        Ok(())
    }

    pub(super) fn wait_timeout(&mut self, dst: Slot, timeout: Src) -> Step {
        if self.run.process.wait.is_some() {
            // The process waits already: somebody else called a fun in its name.
            return Err(unsupported("receive in a fun that a native process calls"));
        }
        let timeout = self.run.heap.concrete(self.get(timeout));
        if timeout == Value::atom(AtomId::INFINITY) {
            return self.wait_for_ever(dst);
        }
        let valid =
            self.run.heap.integer(timeout).is_some_and(|time| time.sign() != Sign::Minus && time <= LONGEST.into());
        if !valid {
            self.run.process.mailbox.rewind();
            return Err(Raise::error_atom(AtomId::intern("timeout_value")).into());
        }
        if !self.run.is_alone() && timeout != Value::ZERO {
            return self.sleep(dst, Some(timeout.as_small() as u64));
        }
        if self.run.process.known_outside {
            return self.wait(dst, Some(timeout.as_small() as u64));
        }
        self.run.virtuals.wait_until(self.run.virtuals.now() + timeout.as_small() as u64);
        self.run.process.mailbox.at = 0;
        self.set(dst, Value::boolean(true));
        Ok(())
    }

    /// Until a message comes.
    pub(super) fn wait_for_ever(&mut self, dst: Slot) -> Step {
        if !self.run.is_alone() {
            self.sleep(dst, None)
        } else if self.run.process.known_outside {
            self.wait(dst, None)
        } else {
            Err(Stop::Deadlock.into())
        }
    }

    pub(super) fn wait(&mut self, dst: Slot, timeout: Option<u64>) -> Step {
        let until = timeout.map(|time| self.run.virtuals.now() + time);
        self.run.process.wait = Some(Wait { dst, until });
        self.await_message(dst, timeout)
    }

    /// Asks the host for a message.
    pub(super) fn await_message(&mut self, dst: Slot, timeout: Option<u64>) -> Step {
        self.run.process.waiting.push(Waiting { to: Some(dst), bif: None, last: false, of_the_vm: false });
        Err(Event::Request(Request::Receive { timeout }).into())
    }

    /// A message has come, or none in time.
    pub(super) fn end_wait(&mut self, message: Option<Value>) {
        self.run.process.wait = None;
        let dst = self.run.process.waiting.pop().and_then(|waiting| waiting.to);
        match message {
            Some(message) => self.run.process.mailbox.push(message),
            None => self.run.process.mailbox.at = 0,
        }
        if let Some(dst) = dst {
            self.set(dst, Value::boolean(message.is_none()));
        }
    }
}
