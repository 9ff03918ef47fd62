//! Findings and statistics of an exploration, as plain data.

pub mod clauses;
pub mod inputs;
pub mod sites;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use crate::code::CodeView;
use crate::code::ir::{FnId, Mfa};
use crate::machine::{Class, Covered, Outcome, Stop, Trail};
use crate::path::SiteId;
use crate::smt::Verdict;
use crate::term::{AtomId, Packed};
use clauses::Coverage;
use inputs::{Inputs, Paths};
use sites::Site;

/// An input that raised.
#[derive(Clone, Debug)]
pub struct Failure {
    pub input: Vec<Packed>,
    pub class: Class,
    pub reason: Packed,
    pub stacktrace: Packed,
    /// The number of the run that found it, from 1.
    pub run: u64,
    /// For which inputs it fails like this, as a guard.
    pub condition: Option<String>,
    /// Functions that gave the run values which could be others at another time.
    pub outside: Vec<Mfa>,
}

/// An input with a result that is not of the type that the spec says.
#[derive(Clone, Debug)]
pub struct Outside {
    pub input: Vec<Packed>,
    pub result: Packed,
}

/// What kept the exploration from being complete, the most telling first: that of all paths those up to the depth limit are explored is only
/// said if nothing else is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Serialize)]
pub enum Reached {
    Time,
    Runs,
    Memory,
    Steps,
    /// The solver could not answer a question.
    Solver,
    /// A run needed something that the machine cannot do.
    Unsupported,
    /// A run did not go where it was predicted to.
    Divergence,
    /// Some values lost their symbolic meaning.
    Concretised,
    Depth,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Queries {
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub avoided: Avoided,
}

impl Queries {
    pub fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Sat => self.sat += 1,
            Verdict::Unsat => self.unsat += 1,
            Verdict::Unknown => self.unknown += 1,
        }
    }
}

/// Questions that needed no solver, by what answered them.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Avoided {
    /// Conditions and shapes that the path knew.
    pub known: u64,
    /// What the types of the spec leave.
    pub types: u64,
    /// A change of the recorded input by hand.
    pub changes: u64,
    /// The answer to the same independent conditions.
    pub slices: u64,
    /// A model that was found for other conditions on the same places.
    pub models: u64,
}

impl Avoided {
    pub fn total(&self) -> u64 {
        self.known + self.types + self.changes + self.slices + self.models
    }
}

/// How many inputs are kept whose runs did not end.
const MOST_UNENDED: usize = 3;
/// After one such run, others are given so many steps, or so many times those of the longest run that ended.
const SOON: u64 = 200_000;
const MUCH_LONGER: u64 = 20;

/// A run that did not end.
#[derive(Clone)]
pub struct Unended {
    pub input: Vec<Packed>,
    pub limit: Reached,
    /// After how many function calls it was stopped.
    pub steps: u64,
}

#[derive(Clone, Default)]
pub struct Statistics {
    pub runs: u64,
    /// Inputs that were tried by chance, each in a run of its own. Those that brought something new were run again, as one of `runs`.
    pub tries: u64,
    pub divergences: u64,
    /// Models that could not be made to fit the spec without leaving the path they are for: a type that the solver does not know well enough.
    pub misfits: u64,
    pub queries: Queries,
    pub reached: BTreeSet<Reached>,
    pub concretised: BTreeMap<Mfa, u64>,
    /// The places where values lost their symbolic meaning, or before which; `None`: the beginning.
    pub concretised_at: BTreeSet<(Mfa, Option<SiteId>)>,
    /// The last decisions of runs of which not all is known, and why.
    pub ended_at: BTreeSet<(Reached, Option<SiteId>)>,
    /// The first inputs whose runs did not end within the limits of a run.
    pub unended: Vec<Unended>,
    /// The most steps of a run that ended.
    pub longest: u64,
    pub host_calls: BTreeMap<Mfa, u64>,
    /// Functions that gave values which could be others at another time: clocks, and native functions that look at the world.
    pub outside: BTreeMap<Mfa, u64>,
    /// Modules that the VM ran since there is no code of theirs to interpret.
    pub native_modules: BTreeSet<AtomId>,
    /// Constructs that ended a run, by name.
    pub unsupported: BTreeMap<String, u64>,
    pub covered: Covered,
    pub coverage: Coverage,
    /// The inputs worth keeping.
    pub inputs: Inputs,
    /// The paths of the first runs, if they are asked for, and where they decided.
    pub paths: Option<Paths>,
    pub sites: BTreeMap<u32, Site>,
    /// How many paths waited with all their expressions, at most, and of how many only the input was kept.
    pub most_paths: u64,
    pub most_inputs: u64,
    /// How often all solvers were made anew because one had grown too large.
    pub renewed: u64,
    /// Runs that were made again to get a path back of which only the input was kept.
    pub reruns: u64,
    pub solver_time: Duration,
    pub machine_time: Duration,
    pub total_time: Duration,
    pub cancelled: bool,
}

impl Statistics {
    pub fn reach(&mut self, limit: Reached) {
        self.reached.insert(limit);
    }

    pub fn stopped(&mut self, stop: &Stop) {
        if let Some(reached) = limit_of(stop) {
            self.reach(reached);
        }
        let unsupported = match stop {
            Stop::Steps | Stop::Heap | Stop::Time | Stop::Halted => None,
            Stop::Unsupported(what) => Some(what.as_str()),
            Stop::HostDied => Some("native call that ended its process"),
            Stop::Deadlock => Some("waiting for a message of another process"),
            Stop::Cancelled => {
                self.cancelled = true;
                None
            }
        };
        if let Some(what) = unsupported {
            *self.unsupported.entry(what.to_owned()).or_default() += 1;
        }
    }

    /// Takes note of how a run ended. What does not end is for the reader: an endless loop is as good a find as a crash.
    pub fn note_end(&mut self, input: &[Packed], outcome: &Outcome, steps: u64) {
        let limit = match outcome {
            Outcome::Stopped(Stop::Steps) => Reached::Steps,
            Outcome::Stopped(Stop::Heap) => Reached::Memory,
            Outcome::Stopped(_) => return,
            Outcome::Returned(_) | Outcome::Outside(..) | Outcome::Raised { .. } | Outcome::Rejected => {
                self.longest = self.longest.max(steps);
                return;
            }
        };
        if self.unended.len() < MOST_UNENDED {
            self.unended.push(Unended { input: input.to_vec(), limit, steps });
        }
    }

    /// How many steps a run may take. Once one was stopped for taking too many, the others have to end soon: an endless loop costs its limit
    /// once, not for each input that leads there.
    pub fn step_limit(&self, limit: u64) -> u64 {
        if self.unended.is_empty() { limit } else { limit.min(SOON.max(self.longest.saturating_mul(MUCH_LONGER))) }
    }

    /// Takes note of a run that was stopped, or whose path was cut: what comes after its last decision is not known.
    pub fn ended(&mut self, stop: Option<&Stop>, trail: Option<&Trail>) {
        let cut = trail.is_some_and(|trail| trail.path.is_cut());
        if let Some(why) = stop.and_then(limit_of).or(cut.then_some(Reached::Depth)) {
            let last = trail.and_then(|trail| trail.path.decisions().last());
            self.ended_at.insert((why, last.map(|decision| decision.site)));
        }
    }

    pub fn take_trail(&mut self, trail: &Trail) {
        let by_types = trail.path.implied_by_types();
        self.queries.avoided.types += by_types;
        self.queries.avoided.known += trail.path.implied() - by_types;
        if trail.path.is_cut() {
            self.reach(Reached::Depth);
        }
        self.covered.merge(&trail.covered);
        for (mfa, count) in &trail.counters.concretised {
            self.reach(Reached::Concretised);
            *self.concretised.entry(*mfa).or_default() += count;
        }
        self.concretised_at.extend(trail.counters.concretised_at.iter().copied());
        self.take_calls(trail);
    }

    /// What a run has called natively, and what it has asked of the world.
    pub fn take_calls(&mut self, trail: &Trail) {
        for (mfa, count) in &trail.counters.host_calls {
            *self.host_calls.entry(*mfa).or_default() += count;
        }
        for (mfa, count) in &trail.counters.outside {
            *self.outside.entry(*mfa).or_default() += count;
        }
    }

    /// Adds what can only be said at the end, about the code as it is then.
    pub fn finish(&mut self, total: Duration, view: &CodeView, entry: FnId, cancelled: bool) {
        self.total_time = total;
        let called = self.host_calls.keys().map(|mfa| mfa.module);
        self.native_modules = called.filter(|module| view.is_native(*module)).collect();
        self.coverage = Coverage::new(view, entry, &self.covered);
        self.sites = self.paths.as_ref().map(|paths| sites::sites(view, entry, paths)).unwrap_or_default();
        self.cancelled |= cancelled;
    }
}

/// What a run that was stopped keeps from being complete.
fn limit_of(stop: &Stop) -> Option<Reached> {
    match stop {
        Stop::Steps => Some(Reached::Steps),
        Stop::Heap => Some(Reached::Memory),
        Stop::Time => Some(Reached::Time),
        Stop::Unsupported(_) | Stop::HostDied | Stop::Deadlock => Some(Reached::Unsupported),
        Stop::Cancelled | Stop::Halted => None,
    }
}
