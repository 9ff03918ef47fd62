//! How a worker tries inputs: without expressions, at little cost.

use std::time::{Duration, Instant};

use super::Worker;
use crate::machine::{Limits, Outcome, Run, Stop, Trail};
use crate::search::trial::Trials;
use crate::search::{State, words};
use crate::term::Packed;

/// Function calls of a try: what takes longer is not worth it.
const STEPS: u64 = 50_000;

impl Worker<'_> {
    /// Tries some inputs, for some time at most and as long as there are clauses that no run has entered. From one that enters such a
    /// clause, or ends as no run did before, the search goes on.
    pub(super) fn try_some(&mut self, times: u32, time: Option<Duration>) {
        let started = Instant::now();
        let in_time = || time.is_none_or(|time| started.elapsed() < time);
        for _ in 0..times {
            if !in_time() || !self.try_one() {
                return;
            }
        }
    }

    /// Tries an input; false if that is not worth it any more.
    fn try_one(&mut self) -> bool {
        if self.is_over() || !self.shared.state.lock().queue.has_something_to_find() {
            return false;
        }
        if let Some(input) = self.next_trial() {
            let found = self.is_worth_exploring(&input);
            self.trials().note(found);
            if found {
                self.run(input, None);
            }
        }
        true
    }

    fn next_trial(&mut self) -> Option<Vec<Packed>> {
        let (shared, exploration) = (self.shared, self.exploration);
        let trials = self.trials();
        {
            let state = shared.state.lock();
            trials.learn(state.statistics.inputs.kept(), &state.clauses);
        }
        trials.input(&exploration.spec, exploration.mfa.arity)
    }

    /// The source of inputs to try. What stands in the code is looked for when the first is wanted.
    pub(super) fn trials(&mut self) -> &mut Trials {
        let (exploration, entry, number) = (self.exploration, self.subject.entry, self.number);
        self.trials.get_or_insert_with(|| {
            let words = words::words(&exploration.registry.view(), exploration.measured(entry));
            Trials::new(words, number)
        })
    }

    /// Whether a run of this input brings something new.
    fn is_worth_exploring(&self, input: &[Packed]) -> bool {
        let started = Instant::now();
        let exploration = self.exploration;
        let limits = self.limits();
        let limits = Limits { steps: limits.steps.min(STEPS), ..limits };
        let run = Run::new(&exploration.registry.view(), self.subject.clone(), input.to_vec(), false, limits);
        let (run, outcome) = exploration.runner().run(run, self.deadline);
        let trail = run.map(Run::into_trail);
        let mut state = self.shared.state.lock();
        state.statistics.tries += 1;
        trail.iter().for_each(|trail| state.statistics.take_calls(trail));
        state.statistics.machine_time += started.elapsed();
        exploration.progress.run(&state, false, false);
        trail.is_some_and(|trail| brings_news(&state, &outcome, &trail))
    }
}

fn brings_news(state: &State, outcome: &Outcome, trail: &Trail) -> bool {
    let covered = &state.statistics.covered;
    let enters = || {
        let mut clauses = state.clauses.iter().copied();
        clauses.any(|clause| trail.covered.contains(clause) && !covered.contains(clause))
    };
    match outcome {
        Outcome::Rejected | Outcome::Stopped(Stop::Time | Stop::Cancelled) => false,
        Outcome::Returned(_) | Outcome::Stopped(_) => enters(),
        Outcome::Outside(_, id) => enters() || !state.outside.contains(id),
        Outcome::Raised { .. } => enters() || state.failures.is_news(outcome),
    }
}
