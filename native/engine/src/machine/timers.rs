//! Timers that send messages, in the time of the run.

use crate::term::{AtomId, Value};

/// Who gets the message of a timer.
#[derive(Clone, Copy, Debug)]
pub enum Receiver {
    Process(u64),
    /// Whoever has the name then.
    Named(AtomId),
}

#[derive(Clone, Copy, Debug)]
pub struct Timer {
    /// The time in milliseconds since the run began.
    pub(super) at: u64,
    reference: u64,
    pub(super) to: Receiver,
}

/// The timers that have not gone off, the first one first.
#[derive(Clone, Debug, Default)]
pub struct Timers {
    timers: Vec<Timer>,
    /// What each of them sends.
    messages: Vec<Value>,
}

impl Timers {
    pub(super) fn add(&mut self, at: u64, reference: u64, to: Receiver, message: Value) {
        let place = self.timers.partition_point(|timer| timer.at <= at);
        self.timers.insert(place, Timer { at, reference, to });
        self.messages.insert(place, message);
    }

    pub fn is_empty(&self) -> bool {
        self.timers.is_empty()
    }

    /// When the first one goes off.
    pub(super) fn first(&self) -> Option<u64> {
        self.timers.first().map(|timer| timer.at)
    }

    /// When a timer goes off.
    pub(super) fn time(&self, reference: u64) -> Option<u64> {
        self.timers.iter().find(|timer| timer.reference == reference).map(|timer| timer.at)
    }

    pub(super) fn remove(&mut self, reference: u64) {
        if let Some(place) = self.timers.iter().position(|timer| timer.reference == reference) {
            self.timers.remove(place);
            self.messages.remove(place);
        }
    }

    /// The process has ended: nothing is sent to it any more.
    pub(super) fn forget(&mut self, pid: u64) {
        let is_kept = |timer: &Timer| !matches!(timer.to, Receiver::Process(to) if to == pid);
        let mut timers = self.timers.iter();
        self.messages.retain(|_| timers.next().is_some_and(is_kept));
        self.timers.retain(is_kept);
    }

    /// The first one, if it goes off before that time.
    pub(super) fn next_before(&mut self, until: Option<u64>) -> Option<(Timer, Value)> {
        let first = self.timers.first()?;
        if until.is_some_and(|until| until < first.at) {
            return None;
        }
        Some((self.timers.remove(0), self.messages.remove(0)))
    }

    pub(super) fn values_mut(&mut self) -> &mut [Value] {
        &mut self.messages
    }
}
