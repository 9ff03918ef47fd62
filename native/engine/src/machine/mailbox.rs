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
use crate::term::{AtomId, Value, View, VirtualKind};

/// The messages of a process, the oldest first.
///
/// A message that is taken out from between others leaves a hole, and holes go once they are half of everything: taking out costs the same
/// wherever the message is. The first and the last entry are never holes, nor is the one that a `receive` looks at.
#[derive(Default)]
pub(super) struct Mailbox {
    messages: VecDeque<Value>,
    arrivals: VecDeque<Arrival>,
    holes: usize,
    /// The message that the `receive` at hand looks at.
    at: usize,
}

#[derive(Clone, Copy)]
struct Arrival {
    /// How many references the run had made then: the message contains none that was made later.
    references: u64,
    is_hole: bool,
}

impl Mailbox {
    /// `references`: how many the run has made so far.
    pub(super) fn push(&mut self, message: Value, references: u64) {
        self.messages.push_back(message);
        self.arrivals.push_back(Arrival { references, is_hole: false });
    }

    /// The next `receive` starts from the oldest message.
    pub(super) fn rewind(&mut self) {
        self.at = 0;
    }

    pub(super) fn retain(&mut self, keep: impl Fn(Value) -> bool) {
        for (message, arrival) in self.messages.iter_mut().zip(&mut self.arrivals) {
            if !arrival.is_hole && !keep(*message) {
                *message = Value::NIL;
                arrival.is_hole = true;
                self.holes += 1;
            }
        }
        self.close_holes();
        self.at = 0;
    }

    pub(super) fn messages(&self) -> impl Iterator<Item = Value> {
        let all = self.messages.iter().zip(&self.arrivals);
        all.filter(|(_, arrival)| !arrival.is_hole).map(|(message, _)| *message)
    }

    pub(super) fn len(&self) -> usize {
        self.messages.len() - self.holes
    }

    pub(super) fn values_mut(&mut self) -> &mut [Value] {
        self.messages.make_contiguous()
    }

    /// Whether there is a message that the `receive` at hand has not looked at.
    pub(super) fn has_more(&self) -> bool {
        self.at < self.messages.len()
    }

    fn peek(&self) -> Option<Value> {
        self.messages.get(self.at).copied()
    }

    pub(super) fn next(&mut self) {
        self.at += 1;
        self.pass_holes();
    }

    fn pass_holes(&mut self) {
        while self.arrivals.get(self.at).is_some_and(|arrival| arrival.is_hole) {
            self.at += 1;
        }
    }

    /// A `receive` of messages with this reference alone need not look at those that came before it was made.
    fn skip_older(&mut self, reference: u64) {
        if self.at == 0 {
            self.at = self.arrivals.partition_point(|arrival| arrival.references < reference);
            self.pass_holes();
        }
    }

    pub(super) fn remove(&mut self) {
        if let (Some(message), Some(arrival)) = (self.messages.get_mut(self.at), self.arrivals.get_mut(self.at)) {
            *message = Value::NIL;
            arrival.is_hole = true;
            self.holes += 1;
        }
        self.close_holes();
        self.at = 0;
    }

    fn close_holes(&mut self) {
        while self.arrivals.front().is_some_and(|arrival| arrival.is_hole) {
            self.arrivals.pop_front();
            self.messages.pop_front();
            self.holes -= 1;
        }
        while self.arrivals.back().is_some_and(|arrival| arrival.is_hole) {
            self.arrivals.pop_back();
            self.messages.pop_back();
            self.holes -= 1;
        }
        if self.holes > self.len() {
            let mut arrivals = self.arrivals.iter();
            self.messages.retain(|_| arrivals.next().is_some_and(|arrival| !arrival.is_hole));
            self.arrivals.retain(|arrival| !arrival.is_hole);
            self.holes = 0;
        }
    }
}

/// The longest time that can be waited for, in milliseconds.
const LONGEST: u64 = u32::MAX as u64;

impl Cpu<'_> {
    pub(super) fn peek_message(&mut self, found: Slot, message: Slot) {
        let first = self.run.process.mailbox.peek();
        self.set(found, Value::boolean(first.is_some()));
        self.set(message, first.unwrap_or(Value::NIL));
    }

    /// The message at hand stays. There is no call between two of them.
    pub(super) fn next_message(&mut self) -> Step {
        self.afford(1)?;
        self.run.process.mailbox.next();
        Ok(())
    }

    /// Before the first message is looked at, of a `receive` that takes only messages with this value in them.
    pub(super) fn skip_older(&mut self, value: Src) {
        if let View::Virtual(identifier) = self.run.heap.view(self.get(value))
            && let (VirtualKind::Reference, reference) = identifier.as_identifier()
        {
            self.run.process.mailbox.skip_older(reference);
        }
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
        self.run.process.mailbox.rewind();
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
            Some(message) => self.run.process.receive(message, &self.run.virtuals),
            None => self.run.process.mailbox.rewind(),
        }
        if let Some(dst) = dst {
            self.set(dst, Value::boolean(message.is_none()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mailbox(count: usize) -> Mailbox {
        let mut mailbox = Mailbox::default();
        (0..count).for_each(|number| mailbox.push(Value::count(number), number as u64));
        mailbox
    }

    fn take(mailbox: &mut Mailbox, wanted: usize) {
        while mailbox.peek() != Some(Value::count(wanted)) {
            mailbox.next();
        }
        mailbox.remove();
    }

    #[test]
    fn messages_can_be_taken_in_any_order() {
        for step in [1, 3, 7, 9] {
            let mut mailbox = mailbox(10);
            let mut left: Vec<usize> = (0..10).collect();
            for number in (0..10).map(|index| index * step % 10) {
                take(&mut mailbox, number);
                left.retain(|other| *other != number);
                assert!(mailbox.messages().eq(left.iter().copied().map(Value::count)));
                assert_eq!(mailbox.len(), left.len());
            }
            assert!(!mailbox.has_more());
        }
    }

    #[test]
    fn a_message_that_came_before_the_reference_is_passed_over() {
        let mut mailbox = mailbox(10);
        take(&mut mailbox, 5);
        mailbox.skip_older(5);
        assert_eq!(mailbox.peek(), Some(Value::count(6)));
        mailbox.next();
        mailbox.skip_older(5);
        assert_eq!(mailbox.peek(), Some(Value::count(7)));
        mailbox.rewind();
        mailbox.skip_older(10);
        assert_eq!(mailbox.peek(), None);
        mailbox.push(Value::count(10), 10);
        assert_eq!(mailbox.peek(), Some(Value::count(10)));
    }

    #[test]
    fn what_is_not_kept_is_gone() {
        let mut mailbox = mailbox(6);
        mailbox.retain(|message| message.as_small() % 2 == 0);
        assert!(mailbox.messages().eq([0, 2, 4].map(Value::count)));
    }
}
