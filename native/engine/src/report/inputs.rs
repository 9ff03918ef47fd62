//! The inputs worth keeping, and the paths of the first runs.
//!
//! An input is worth keeping if its run entered a clause that no run before it had entered, or that only runs had entered that did not return, or
//! if it raised as no run before. Together such inputs enter every clause that was entered at all; which of them
//! are needed for that is for the reader of the report to find out.
//!
//! Paths are kept only where they are asked for: for the first [`PATHS`] runs, each with its first [`DECISIONS`] decisions.

use crate::machine::{Class, Covered, Outcome, Stop};
use crate::path::{Decision, Origin, SiteId};
use crate::term::Packed;

const PATHS: usize = 500;
const DECISIONS: usize = 400;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Returned,
    Raised,
    Stopped,
}

impl End {
    /// `None` if the function was not called, since the input does not meet its precondition.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Returned(_) | Outcome::Outside(..) => Some(End::Returned),
            Outcome::Raised { .. } => Some(End::Raised),
            Outcome::Stopped(_) => Some(End::Stopped),
            Outcome::Rejected => None,
        }
    }
}

/// An input, and the clauses that its run entered.
#[derive(Clone)]
pub struct Covering {
    pub input: Vec<Packed>,
    pub covered: Covered,
    pub end: End,
    /// The number of the run, from 1.
    pub run: u64,
}

/// The inputs worth keeping, in the order of their runs.
#[derive(Clone, Default)]
pub struct Inputs {
    kept: Vec<Covering>,
    by_any: Covered,
    by_returned: Covered,
}

impl Inputs {
    /// Keeps the input of a run if it is worth it. `raised_anew` says that it raised as no run before.
    pub fn note(&mut self, input: &[Packed], covered: &Covered, end: End, run: u64, raised_anew: bool) {
        let is_new = !self.by_any.includes(covered);
        let is_first_to_return = end == End::Returned && !self.by_returned.includes(covered);
        if !(is_new || is_first_to_return || raised_anew) {
            return;
        }
        self.by_any.merge(covered);
        if end == End::Returned {
            self.by_returned.merge(covered);
        }
        self.kept.push(Covering { input: input.to_vec(), covered: covered.clone(), end, run });
    }

    pub fn kept(&self) -> &[Covering] {
        &self.kept
    }
}

/// What came of a run.
#[derive(Clone)]
pub enum Ending {
    Returned(Packed),
    Raised(Class, Packed),
    Stopped(Stop),
}

impl Ending {
    fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Returned(value) | Outcome::Outside(value, _) => Some(Ending::Returned(value.clone())),
            Outcome::Raised { class, reason, .. } => Some(Ending::Raised(*class, reason.clone())),
            Outcome::Stopped(stop) => Some(Ending::Stopped(stop.clone())),
            Outcome::Rejected => None,
        }
    }
}

/// The decisions of a run, in order.
#[derive(Clone)]
pub struct Traced {
    pub run: u64,
    pub input: Vec<Packed>,
    pub ending: Ending,
    pub decisions: Vec<(SiteId, bool)>,
    /// There were more decisions than are kept.
    pub cut: bool,
}

/// The paths of the first runs.
#[derive(Clone, Default)]
pub struct Paths(Vec<Traced>);

impl Paths {
    pub fn note(&mut self, run: u64, input: &[Packed], outcome: &Outcome, decisions: &[Decision]) {
        let Some(ending) = Ending::of(outcome).filter(|_| self.0.len() < PATHS) else { return };
        let mut asked = decisions
            .iter()
            .filter(|decision| decision.origin != Origin::Given)
            .map(|decision| (decision.site, decision.taken));
        let decisions = asked.by_ref().take(DECISIONS).collect();
        let cut = asked.next().is_some();
        self.0.push(Traced { run, input: input.to_vec(), ending, decisions, cut });
    }

    pub fn all(&self) -> &[Traced] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(clauses: &[u32]) -> Covered {
        clauses.iter().copied().collect()
    }

    fn runs_kept(runs: &[(&[u32], End, bool)]) -> Vec<u64> {
        let mut inputs = Inputs::default();
        for ((clauses, end, anew), run) in runs.iter().zip(1..) {
            inputs.note(&[], &covered(clauses), *end, run, *anew);
        }
        inputs.kept().iter().map(|kept| kept.run).collect()
    }

    #[test]
    fn an_input_is_kept_if_it_enters_a_new_clause() {
        let kept = runs_kept(&[
            (&[1], End::Returned, false),
            (&[1], End::Returned, false),
            (&[1, 70], End::Returned, false),
            (&[70], End::Stopped, false),
        ]);
        assert_eq!(kept, [1, 3]);
    }

    #[test]
    fn a_clause_that_only_failing_runs_entered_is_new_to_one_that_returns() {
        let kept =
            runs_kept(&[(&[1, 2], End::Raised, true), (&[1], End::Returned, false), (&[1], End::Returned, false)]);
        assert_eq!(kept, [1, 2]);
    }

    #[test]
    fn each_new_failure_is_kept() {
        let kept = runs_kept(&[(&[1], End::Raised, true), (&[1], End::Raised, false), (&[1], End::Raised, true)]);
        assert_eq!(kept, [1, 3]);
    }
}
