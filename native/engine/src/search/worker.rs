//! A worker: takes open sides, solves for them and runs what it finds.

mod asking;
mod trying;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::queue::Task;
use super::slices::Slicer;
use super::tree::{Record, Side};
use super::trial::Trials;
use super::{Exploration, LAST_CHANCES, Shared, State, candidate, climb, dormant, patch};
use crate::code::distance::Distances;
use crate::machine::{Covered, Limits, Outcome, Run, Stop, Subject};
use crate::path::Origin;
use crate::report::inputs::End;
use crate::report::{Failure, Outside, Reached};
use crate::smt::{Answer, Model, Z3};
use crate::term::Packed;

use asking::Sliced;

/// How many inputs are mixed when a question has no quick answer.
const CHANCES: u32 = 8;
/// How many are tried with each that is mixed, and when nothing else is left.
const TRIES: u32 = 32;
const LAST_TRIES: u32 = 50_000;
const LAST_TIME: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(20);

/// The time for a question, as long as there are others to ask.
const IMPATIENT: Duration = Duration::from_millis(700);

/// How many inputs are computed for a decision that the solver may find hard, before it is asked, and when it does not know.
const BEFORE: u32 = 400;
const BEHIND: u32 = 6_000;

pub(super) struct Worker<'a> {
    exploration: &'a Exploration<'a>,
    shared: &'a Shared,
    subject: &'a Subject,
    deadline: Instant,
    /// When the solver has to answer.
    question_deadline: Instant,
    solver: Option<Z3>,
    /// For questions that are asked again because of how floats are rounded.
    relaxed: Option<Z3>,
    slicer: Slicer,
    /// None before the first try.
    trials: Option<Trials>,
    /// Workers are told apart by this.
    number: u64,
}

/// A path that a run is expected to begin with: the decisions of a record, the last one the other way.
struct Prediction {
    record: Arc<Record>,
    index: usize,
    /// A call without symbolic meaning may give another result for this input than it did for the recorded one.
    guess: bool,
}

impl<'a> Worker<'a> {
    pub(super) fn new(exploration: &'a Exploration<'a>, shared: &'a Shared, subject: &'a Subject) -> Self {
        let deadline = shared.started + exploration.config.time_limit;
        let (question_deadline, slicer) = (deadline, Slicer::default());
        let (solver, relaxed, trials) = (None, None, None);
        let number = shared.workers.fetch_add(1, Ordering::Relaxed);
        Worker { exploration, shared, subject, deadline, question_deadline, solver, relaxed, slicer, trials, number }
    }

    /// Works until the exploration is over or all solvers are to be made anew. Tells whether this thread is good for another one.
    pub(super) fn work(mut self) -> bool {
        while let Some(task) = self.next_task() {
            match task {
                Task::Seed(input) => self.run_seed(input),
                Task::Flips { record, indices } => self.flip_each(&record, indices),
                Task::Again { record, index } => self.solve_for(record, index, true),
                Task::Wake { input, indices } => self.wake(input, indices),
                Task::Mix => {
                    self.run_mixed();
                    let share = self.trials().share(TRIES);
                    self.try_some(share, None);
                }
                Task::Try => self.try_some(LAST_TRIES, Some(LAST_TIME)),
            }
            if [&mut self.solver, &mut self.relaxed].into_iter().flatten().any(Z3::is_worn) {
                self.shared.renew.store(true, Ordering::SeqCst);
            }
            self.shared.state.lock().busy -= 1;
            self.shared.changed.notify_all();
        }
        self.shared.changed.notify_all();
        !self.shared.renew.load(Ordering::SeqCst)
    }

    /// The next task, once there is one; `None` when the exploration is over.
    fn next_task(&self) -> Option<Task> {
        let mut state = self.shared.state.lock();
        loop {
            if let Some(reached) = self.limit(&state) {
                if !state.queue.is_empty() || state.busy > 0 {
                    state.statistics.reach(reached);
                }
                state.stopped = true;
            }
            let renewed = self.shared.renew.load(Ordering::SeqCst);
            if state.stopped || renewed || self.exploration.cancel.is_cancelled() {
                return None;
            }
            if let Some(task) = state.queue.pop() {
                state.busy += 1;
                return Some(task);
            }
            if state.busy == 0 {
                let task = state.last_chance();
                state.busy += usize::from(task.is_some());
                return task;
            }
            self.shared.changed.wait_for(&mut state, LOOK);
        }
    }

    fn limit(&self, state: &State) -> Option<Reached> {
        if state.runs_started >= self.exploration.config.max_runs {
            Some(Reached::Runs)
        } else if Instant::now() >= self.deadline {
            Some(Reached::Time)
        } else {
            None
        }
    }

    fn flip_each(&mut self, record: &Arc<Record>, indices: Vec<usize>) {
        for index in indices {
            if self.is_over() {
                self.shared.state.lock().queue.open(record, vec![index]);
            } else {
                self.flip(Arc::clone(record), index);
            }
        }
    }

    fn is_over(&self) -> bool {
        let state = self.shared.state.lock();
        state.stopped || self.exploration.cancel.is_cancelled() || self.limit(&state).is_some()
    }

    fn flip(&mut self, record: Arc<Record>, index: usize) {
        let (Some(decision), Some(node)) = (record.decision(index).copied(), record.nodes.get(index).copied()) else {
            return;
        };
        // Another run may have gone there meanwhile.
        if self.shared.state.lock().tree.side(node, !decision.taken) != Some(Side::Open) {
            return;
        }
        if let Some(input) = patch::input(&record, index, &self.exploration.spec) {
            self.shared.state.lock().statistics.queries.avoided.changes += 1;
            return self.run_predicted(input, record, index);
        }
        if let Some(input) = self.solved_as_bits(&record, index) {
            return self.run_predicted(input, record, index);
        }
        self.solve_for(record, index, false);
    }

    /// Has the solver find an input. A question that takes long is asked again, patiently, when there is nothing else to do.
    fn solve_for(&mut self, record: Arc<Record>, index: usize, patient: bool) {
        let (Some(decision), Some(node)) = (record.decision(index).copied(), record.nodes.get(index).copied()) else {
            return;
        };
        if patient && self.shared.state.lock().tree.side(node, !decision.taken) != Some(Side::Open) {
            return;
        }
        let asked = Instant::now();
        let may_climb = climb::may_help(&record, index);
        if may_climb && !patient && self.climb(&record, index, BEFORE) {
            return;
        }
        self.question_deadline = if patient { self.deadline } else { self.deadline.min(Instant::now() + IMPATIENT) };
        let answer = match self.sliced(&record, index) {
            Sliced::Input(input) => return self.run_predicted(input, record, index),
            Sliced::Infeasible => Answer::Unsat,
            Sliced::Open => self.ask(&record, index, false),
        };
        self.question_deadline = self.deadline;
        if may_climb && matches!(answer, Answer::Unknown(_)) && self.climb(&record, index, BEHIND) {
            return;
        }
        match answer {
            Answer::Sat(model) => self.try_model(record, index, model),
            Answer::Unsat => {
                self.shared.state.lock().tree.set_if_open(node, !decision.taken, Side::Infeasible);
            }
            Answer::Unknown(_) if !patient => {
                self.shared.state.lock().queue.postpone(record, index);
                // Where the solver is at a loss, chance may be not: it has as much time.
                (0..CHANCES).for_each(|_| self.run_mixed());
                self.try_some(u32::MAX, Some(asked.elapsed()));
            }
            Answer::Unknown(_) => {
                let mut state = self.shared.state.lock();
                state.tree.set_if_open(node, !decision.taken, Side::GaveUp);
                state.statistics.reach(Reached::Solver);
            }
        }
    }

    /// Runs an input that is found by computing many, if one is.
    fn climb(&mut self, record: &Arc<Record>, index: usize, attempts: u32) -> bool {
        let found = climb::input(record, index, &self.exploration.spec, attempts);
        let Some(input) = found else { return false };
        self.shared.state.lock().statistics.queries.avoided.changes += 1;
        self.run_predicted(input, Arc::clone(record), index);
        true
    }

    /// Solves for sides of a path that has to be made again, by a run of its input.
    fn wake(&mut self, input: Vec<Packed>, indices: Vec<usize>) {
        let started = Instant::now();
        let exploration = self.exploration;
        let limits = exploration.config.run_limits.clone();
        let run = Run::new(&exploration.registry.view(), self.subject.clone(), input.clone(), true, limits);
        let (run, outcome) = exploration.runner().run(run, self.deadline);
        let trail = run.map(Run::into_trail);
        let mut state = self.shared.state.lock();
        state.statistics.reruns += 1;
        state.statistics.machine_time += started.elapsed();
        if let Outcome::Stopped(stop @ (Stop::Time | Stop::Cancelled)) = &outcome {
            return state.statistics.stopped(stop);
        }
        let Some(trail) = trail else { return };
        let added = state.tree.add(input, trail.arena, trail.path.into_parts(), true);
        let lost = added.differs || indices.iter().any(|index| *index >= added.record.nodes.len());
        if lost {
            state.statistics.divergences += 1;
            state.statistics.reach(Reached::Divergence);
        }
        drop(state);
        self.flip_each(&added.record, indices);
    }

    /// Runs the input of a model, if the spec is for it.
    fn try_model(&mut self, record: Arc<Record>, index: usize, model: Model) {
        let spec = &self.exploration.spec;
        let mut candidate = candidate::input(&record, index, model, spec);
        if !candidate.is_good() && spec.signature.is_some() {
            self.shared.state.lock().statistics.misfits += u64::from(!candidate.admitted);
            match self.ask(&record, index, true) {
                Answer::Sat(model) => candidate = candidate::input(&record, index, model, spec),
                Answer::Unsat if !candidate.admitted => return self.close(&record, index, Side::Infeasible),
                Answer::Unsat | Answer::Unknown(_) => {}
            }
        }
        let rounds = !candidate.predicted && candidate::misses_by_rounding(&record, index, &candidate.input);
        if rounds {
            self.try_rounded(record, index, &candidate.input);
        } else if candidate.admitted {
            self.run_predicted(candidate.input, record, index);
        } else {
            self.give_up(&record, index);
        }
    }

    /// Runs an input near this one, which misses its path by rounding. If there is none, perhaps it can be shown that there is none at all.
    fn try_rounded(&mut self, record: Arc<Record>, index: usize, near: &[Packed]) {
        if let Some(input) = self.rounded(&record, index, near) {
            return self.run_predicted(input, record, index);
        }
        match self.ask_relaxed(&record, index) {
            Answer::Unsat => self.close(&record, index, Side::Infeasible),
            Answer::Sat(model) => {
                let candidate = candidate::input(&record, index, model, &self.exploration.spec);
                if candidate.is_good() {
                    self.run_predicted(candidate.input, record, index);
                } else {
                    self.give_up(&record, index);
                }
            }
            Answer::Unknown(_) => self.give_up(&record, index),
        }
    }

    fn give_up(&self, record: &Record, index: usize) {
        self.close(record, index, Side::GaveUp);
        self.shared.state.lock().statistics.reach(Reached::Solver);
    }

    /// Nothing more is done about the other side of a decision.
    fn close(&self, record: &Record, index: usize, side: Side) {
        if let (Some(node), Some(decision)) = (record.nodes.get(index), record.decision(index)) {
            self.shared.state.lock().tree.set_if_open(*node, !decision.taken, side);
        }
    }

    /// Runs an input that is mixed from those worth keeping, if there is one.
    fn run_mixed(&mut self) {
        let input = {
            let State { mixer, statistics, queue, .. } = &mut *self.shared.state.lock();
            if !queue.has_something_to_find() {
                return;
            }
            mixer.input(statistics.inputs.kept(), &self.exploration.spec)
        };
        if let Some(input) = input {
            self.run(input, None);
        }
    }

    /// What the next run may use.
    fn limits(&self) -> Limits {
        let limits = self.exploration.config.run_limits.clone();
        let steps = self.shared.state.lock().statistics.step_limit(limits.steps);
        Limits { steps, ..limits }
    }

    /// Runs an input that the user gave. One that the spec is not for is run as it is, and nothing is concluded from its path.
    fn run_seed(&mut self, input: Vec<Packed>) {
        let exploration = self.exploration;
        if exploration.spec.admits(&input) {
            return self.run(input, None);
        }
        let (view, limits) = (exploration.registry.view(), self.limits());
        let subject = Subject { signature: None, ..self.subject.clone() };
        let run = Run::new(&view, subject, input.clone(), false, limits);
        let (run, outcome) = exploration.runner().run(run, self.deadline);
        let failure = {
            let mut state = self.shared.state.lock();
            state.runs_started += 1;
            state.statistics.runs += 1;
            if let Outcome::Stopped(stop) = &outcome {
                state.statistics.stopped(stop);
            }
            let number = state.statistics.runs;
            let failure = state.failures.news(&input, &outcome, number);
            if let Some(trail) = run.map(Run::into_trail) {
                state.statistics.note_end(&input, &outcome, trail.counters.steps);
                state.statistics.take_trail(&trail);
                if let Some(end) = End::of(&outcome) {
                    state.statistics.inputs.note(&input, &trail.covered, end, number, failure.is_some());
                }
            }
            failure
        };
        if let Some(failure) = failure {
            exploration.host.failure(failure);
        }
    }

    /// Runs an input that should take the other side of a decision.
    fn run_predicted(&mut self, input: Vec<Packed>, record: Arc<Record>, index: usize) {
        let guess = candidate::is_guess(&record, index, &input);
        self.run(input, Some(Prediction { record, index, guess }));
    }

    fn run(&mut self, input: Vec<Packed>, prediction: Option<Prediction>) {
        {
            let mut state = self.shared.state.lock();
            if state.runs_started >= self.exploration.config.max_runs {
                state.statistics.reach(Reached::Runs);
                return;
            }
            state.runs_started += 1;
        }
        let started = Instant::now();
        let view = self.exploration.registry.view();
        let run = Run::new(&view, self.subject.clone(), input.clone(), true, self.limits());
        let (run, outcome) = self.exploration.runner().run(run, self.deadline);
        let outside = self.outside(&input, &outcome);
        let failure = self.record(run, input, &outcome, prediction, started);
        if let Some(failure) = failure {
            self.exploration.host.failure(failure);
        }
        if let Some(outside) = outside {
            self.exploration.host.outside(outside);
        }
    }

    /// How far it is from anywhere in the code under test to clauses that no run has entered. Those that the compiler made are no goals: many,
    /// such as the one for a record that is none, are for what cannot happen.
    fn distances(&self, covered: &Covered) -> Distances {
        let view = self.exploration.registry.view();
        let measured = self.exploration.measured(self.subject.entry);
        let functions = crate::report::clauses::reachable(&view, measured, covered);
        let is_written = |clause: u32| view.clauses().get(clause as usize).is_some_and(|info| !info.generated);
        Distances::new(&view, functions.into_iter(), &|clause| is_written(clause) && !covered.contains(clause))
    }

    /// A result that is not of the type that the spec says, in a way that nobody has seen before.
    fn outside(&self, input: &[Packed], outcome: &Outcome) -> Option<Outside> {
        let Outcome::Outside(result, id) = outcome else { return None };
        let new = self.shared.state.lock().outside.insert(*id);
        new.then(|| Outside { input: input.to_vec(), result: result.clone() })
    }

    /// Adds what a run has brought to the shared state. Returns a failure that nobody has seen before.
    fn record(
        &self,
        run: Option<Run>,
        input: Vec<Packed>,
        outcome: &Outcome,
        prediction: Option<Prediction>,
        started: Instant,
    ) -> Option<Failure> {
        // What is not needed of a run goes before the others have to wait.
        let trail = run.map(Run::into_trail);
        let took = started.elapsed();
        let mut guard = self.shared.state.lock();
        let state = &mut *guard;
        state.statistics.runs += 1;
        state.statistics.machine_time += took;
        let number = state.statistics.runs;
        let stop = if let Outcome::Stopped(stop) = outcome { Some(stop) } else { None };
        stop.iter().for_each(|stop| state.statistics.stopped(stop));
        state.statistics.ended(stop, trail.as_ref());
        let mut trail = trail?;
        state.statistics.note_end(&input, outcome, trail.counters.steps);
        let can_sleep = took < dormant::CHEAP && trail.counters.host_calls.is_empty();
        if trail.counters.input_calls.raised {
            candidate::with_tables(&input).into_iter().for_each(|seed| state.queue.seed(seed));
        }
        if matches!(outcome, Outcome::Rejected) {
            // Only the precondition has been run.
            trail.covered = Covered::default();
        }
        let before = state.statistics.covered.count();
        state.statistics.take_trail(&trail);
        if state.statistics.covered.count() != before {
            state.queue.set_distances(self.distances(&state.statistics.covered));
            state.clauses = self.exploration.clauses(self.subject.entry, &state.statistics.covered);
            state.chances = LAST_CHANCES;
        }
        let failure = state.failures.news(&input, outcome, number);
        let is_exact = trail.counters.concretised.is_empty() && !trail.path.is_cut();
        let outside = trail.counters.outside.keys().copied().collect();
        if let Some(end) = End::of(outcome) {
            state.statistics.inputs.note(&input, &trail.covered, end, number, failure.is_some());
        }
        let (decisions, remembered) = trail.path.into_parts();
        if let Some(paths) = &mut state.statistics.paths {
            paths.note(number, &input, outcome, &decisions);
        }
        for decision in decisions.iter().filter(|decision| decision.origin != Origin::Given) {
            state.queue.visit(decision);
        }
        let can_sleep = can_sleep && remembered.is_empty();
        let added = state.tree.add(input.clone(), trail.arena, (decisions, remembered), can_sleep);
        let predicted = prediction.is_some() || number == 1;
        // A run that was cut short need not have come to where it was to go.
        let is_whole = !matches!(stop, Some(Stop::Time | Stop::Cancelled));
        let astray = is_whole && prediction.is_some_and(|prediction| !follows(&added.record, &prediction, state));
        // What a call without symbolic meaning gave for another input makes other conditions: that is known by its name.
        let differs = is_whole && added.differs && added.record.remembered.is_empty();
        state.statistics.divergences += u64::from(astray || differs);
        let new_path = !added.open.is_empty() || predicted && !astray;
        state.queue.open(&added.record, added.open);
        self.exploration.progress.run(state, new_path, failure.is_some());
        let condition = || added.record.condition(&self.exploration.spec).filter(|_| is_exact);
        failure.map(|failure| Failure { condition: condition(), outside, ..failure })
    }
}

/// Whether a run went where its input was solved for, or that was only a guess. If it did not, that side stays unexplored and is given up.
fn follows(record: &Record, prediction: &Prediction, state: &mut State) -> bool {
    let Prediction { record: from, index, guess } = prediction;
    let same_way = |at: usize, flip: bool| match (record.decision(at), from.decision(at)) {
        (Some(now), Some(then)) => now.site == then.site && now.taken == (then.taken != flip),
        _ => false,
    };
    let follows = (0..*index).all(|at| same_way(at, false)) && same_way(*index, true);
    if !follows && let (Some(node), Some(decision)) = (from.nodes.get(*index), from.decision(*index)) {
        state.tree.set_if_open(*node, !decision.taken, Side::GaveUp);
        state.statistics.reach(if *guess { Reached::Concretised } else { Reached::Divergence });
    }
    follows || *guess
}
