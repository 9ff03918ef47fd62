//! Driving a run to its end, on a worker's thread or in a process of the VM.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::{Cancel, Host};
use crate::code::registry::Registry;
use crate::machine::{Budget, Event, Likeness, Outcome, Reply, Request, Run, Stop};
use crate::term::Packed;

/// Between two looks at the clock.
const SLICE: Budget = Budget { calls: 20_000, work: None };
/// The same where the thread is needed by others: some hundred microseconds.
const BRIEF: Budget = Budget { calls: 400, work: Some(1 << 14) };
/// Parts of terms that are written or read in no time.
const FEW: usize = 1 << 12;
/// Words of a heap that is collected in no time.
const SMALL: usize = 1 << 16;
/// How often somebody who waits looks whether the exploration is still wanted.
const LOOK: Duration = Duration::from_millis(20);

pub struct Runner<'a> {
    pub registry: &'a Arc<Registry>,
    pub host: &'a dyn Host,
    pub cancel: &'a Cancel,
}

impl Runner<'_> {
    /// Runs to the end. If the run was lost with its host process, only the outcome is left.
    pub fn run(&self, mut run: Run, deadline: Instant) -> (Option<Run>, Outcome) {
        run.heed(self.cancel.over.clone());
        let mut view = self.registry.view();
        loop {
            match run.advance(&view, Reply::Continue, SLICE) {
                Event::Done(outcome) => return (Some(run), told(outcome)),
                Event::Slice => {}
                Event::Request(Request::Load { module }) => {
                    self.registry.require(module, || self.host.load(module), || self.cancel.is_cancelled());
                    view = self.registry.view();
                }
                Event::Request(request) => return self.hand_over(run, request, deadline),
            }
            if let Some(stop) = self.overdue(deadline) {
                return (Some(run), Outcome::Stopped(stop));
            }
        }
    }

    fn overdue(&self, deadline: Instant) -> Option<Stop> {
        if self.cancel.is_cancelled() {
            Some(Stop::Cancelled)
        } else if Instant::now() >= deadline {
            Some(Stop::Time)
        } else {
            None
        }
    }

    /// Lets a process of the VM drive the run, and waits for it.
    fn hand_over(&self, run: Run, request: Request, deadline: Instant) -> (Option<Run>, Outcome) {
        let (done, back) = mpsc::channel();
        let registry = Arc::clone(self.registry);
        let cancel = self.cancel.clone();
        self.host.drive(Hosted {
            run: Some(run),
            request: Some(request),
            held: false,
            registry,
            cancel,
            deadline,
            done,
        });
        loop {
            match back.recv_timeout(LOOK) {
                Ok((run, outcome)) => return (run.map(|run| *run), told(outcome)),
                Err(RecvTimeoutError::Disconnected) => return (None, Outcome::Stopped(Stop::HostDied)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(stop) = self.overdue(deadline + LOOK) {
                return (None, Outcome::Stopped(stop));
            }
        }
    }
}

/// The outcome as others are told of it.
fn told(outcome: Outcome) -> Outcome {
    if outcome.can_be_written() { outcome } else { Outcome::Stopped(Stop::Heap) }
}

/// A run that a process of the VM drives.
pub struct Hosted {
    run: Option<Run>,
    /// What the run waits for.
    request: Option<Request>,
    /// The request is too long for who resumed last: the host has not been told of it.
    held: bool,
    registry: Arc<Registry>,
    cancel: Cancel,
    deadline: Instant,
    done: Sender<(Option<Box<Run>>, Outcome)>,
}

/// For how long a run is resumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// On a thread of the VM's schedulers.
    Brief,
    Slice,
}

/// What the process that drives a run does next.
pub enum Next {
    /// The run has gone back to the engine.
    Done,
    Request(Request),
    /// The slice is over; come again.
    Continue,
}

impl Hosted {
    /// Whether a brief resumption takes a short time only, and gets on.
    pub fn is_small(&self) -> bool {
        !self.held && self.run.as_ref().is_none_or(|run| run.heap_used() < SMALL && !run.is_busy())
    }

    /// Takes the answer to the last request and goes on. The first call gets the first request.
    pub fn resume(&mut self, reply: Option<Reply>, length: Length) -> Next {
        let Some(reply) = reply.filter(|_| !self.held) else { return self.ask(length) };
        let Some(run) = &mut self.run else { return Next::Done };
        let budget = match length {
            Length::Brief => BRIEF,
            Length::Slice => SLICE,
        };
        let outcome = match run.advance(&self.registry.view(), reply, budget) {
            Event::Done(outcome) => outcome,
            Event::Request(request) => {
                self.request = Some(request);
                return self.ask(length);
            }
            Event::Slice if self.cancel.is_cancelled() => Outcome::Stopped(Stop::Cancelled),
            Event::Slice if Instant::now() >= self.deadline => Outcome::Stopped(Stop::Time),
            Event::Slice => return Next::Continue,
        };
        self.finish(outcome);
        Next::Done
    }

    /// Tells the host of the request, if there is time to write it down.
    fn ask(&mut self, length: Length) -> Next {
        let Some(request) = &self.request else { return Next::Continue };
        self.held = length == Length::Brief && !request.is_within(FEW);
        if self.held {
            return Next::Continue;
        }
        if request.is_too_large_to_write() {
            self.finish(Outcome::Stopped(Stop::Heap));
            return Next::Done;
        }
        Next::Request(request.clone())
    }

    /// Who asked last, and the processes that have ended before.
    pub fn asking(&self) -> (u64, &[(u64, Packed)]) {
        self.run.as_ref().map_or((0, &[]), |run| (run.running(), run.ended()))
    }

    pub fn likeness(&self, pid: u64) -> Likeness {
        self.run.as_ref().map_or(Likeness::Ended, |run| run.likeness(pid))
    }

    /// The host has been told of the ended processes.
    pub fn forget_ended(&mut self) {
        if let Some(run) = &mut self.run {
            run.forget_ended();
        }
    }

    /// What it asked for cannot be done.
    pub fn unsupported(&mut self, what: &str) {
        self.finish(Outcome::Stopped(Stop::Unsupported(what.to_owned())));
    }

    /// What it asked for would end the VM.
    pub fn halted(&mut self) {
        self.finish(Outcome::Stopped(Stop::Halted));
    }

    /// Its process has died.
    pub fn abandon(&mut self) {
        self.finish(Outcome::Stopped(Stop::HostDied));
    }

    fn finish(&mut self, outcome: Outcome) {
        if let Some(run) = self.run.take() {
            // Nobody waits any more if the exploration was cancelled: then the run is dropped here.
            let _ = self.done.send((Some(Box::new(run)), outcome));
        }
    }
}
