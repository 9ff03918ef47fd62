//! Counters that others may read while an exploration runs: for people who wait, never for decisions.
//!
//! Each counter is right by itself; two of them, read one after the other, may belong to different moments.

use std::sync::atomic::{AtomicU64, Ordering};

use super::State;
use crate::code::CodeView;
use crate::code::ir::FnId;
use crate::machine::Covered;
use crate::report::clauses::Coverage;

#[derive(Debug, Default)]
pub struct Progress {
    runs: AtomicU64,
    paths: AtomicU64,
    failures: AtomicU64,
    covered: AtomicU64,
    clauses: AtomicU64,
}

/// The counters at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub runs: u64,
    /// Paths that were taken for the first time.
    pub paths: u64,
    /// Distinct failures, as far as the engine can tell them apart.
    pub failures: u64,
    pub covered: u64,
    /// Clauses that count for coverage.
    pub clauses: u64,
}

impl Progress {
    pub fn counts(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            runs: read(&self.runs),
            paths: read(&self.paths),
            failures: read(&self.failures),
            covered: read(&self.covered),
            clauses: read(&self.clauses),
        }
    }

    /// The clauses that a session wants to cover, as far as they are known.
    pub(super) fn aim(&self, view: &CodeView, entry: FnId, covered: &Covered) -> Vec<u32> {
        let all = Coverage::new(view, entry, covered).rows;
        let clauses: Vec<u32> = all.iter().filter(|row| !row.generated).map(|row| row.number).collect();
        self.clauses.store(clauses.len() as u64, Ordering::Relaxed);
        clauses
    }

    /// After each run. Few runs cover anything new, so the clauses are counted only if this one may have.
    pub(super) fn run(&self, state: &State, new_path: bool, failed: bool) {
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.paths.fetch_add(u64::from(new_path), Ordering::Relaxed);
        self.failures.fetch_add(u64::from(failed), Ordering::Relaxed);
        if self.covered.load(Ordering::Relaxed) < state.clauses.len() as u64 {
            let covered = state.clauses.iter().filter(|clause| state.statistics.covered.contains(**clause)).count();
            self.covered.store(covered as u64, Ordering::Relaxed);
        }
    }
}
