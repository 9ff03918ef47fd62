//! A worker: takes open sides, solves for them and runs what it finds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::queue::Task;
use super::tree::{Record, Side};
use super::{Exploration, Shared, State, candidate, climb, patch, rounding};
use crate::code::distance::Distances;
use crate::machine::{Covered, Outcome, Run, Subject};
use crate::path::Origin;
use crate::report::inputs::End;
use crate::report::{Failure, Outside, Reached};
use crate::smt::{Answer, Model, Question, Solver, Step, Z3};
use crate::term::Packed;

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
        Worker { exploration, shared, subject, deadline, question_deadline: deadline, solver: None }
    }

    pub(super) fn work(&mut self) {
        while let Some(task) = self.next_task() {
            match task {
                Task::Seed(input) => self.run_seed(input),
                Task::Flips { record, indices } => self.flip_each(&record, indices),
                Task::Again { record, index } => self.solve_for(record, index, true),
            }
            self.shared.state.lock().busy -= 1;
            self.shared.changed.notify_all();
        }
        self.shared.changed.notify_all();
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
            if state.stopped || self.exploration.cancel.is_cancelled() {
                return None;
            }
            if let Some(task) = state.queue.pop() {
                state.busy += 1;
                return Some(task);
            }
            if state.busy == 0 {
                return None;
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
            self.shared.state.lock().statistics.queries.avoided += 1;
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
        let may_climb = climb::may_help(&record, index);
        if may_climb && !patient && self.climb(&record, index, BEFORE) {
            return;
        }
        let limit = if patient { self.deadline } else { self.deadline.min(Instant::now() + IMPATIENT) };
        let deadline = std::mem::replace(&mut self.question_deadline, limit);
        let answer = self.ask(&record, index, false);
        self.question_deadline = deadline;
        if may_climb && matches!(answer, Answer::Unknown(_)) && self.climb(&record, index, BEHIND) {
            return;
        }
        if answer == Answer::Unsat && rounding::may_matter(&record, index) {
            let asked = Instant::now();
            let found = rounding::input(&record, index, &record.input, &self.exploration.spec);
            self.shared.state.lock().statistics.solver_time += asked.elapsed();
            if let Some(input) = found {
                return self.run_predicted(input, record, index);
            }
        }
        match answer {
            Answer::Sat(model) => self.try_model(record, index, model),
            Answer::Unsat => {
                self.shared.state.lock().tree.set_if_open(node, !decision.taken, Side::Infeasible);
            }
            Answer::Unknown(_) if !patient => self.shared.state.lock().queue.postpone(record, index),
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
        self.shared.state.lock().statistics.queries.avoided += 1;
        self.run_predicted(input, Arc::clone(record), index);
        true
    }

    /// The solver's answer, counted.
    fn ask(&mut self, record: &Record, index: usize, whole: bool) -> Answer {
        let asked = Instant::now();
        let answer = self.solve(record, index, whole);
        let mut state = self.shared.state.lock();
        state.statistics.solver_time += asked.elapsed();
        let queries = &mut state.statistics.queries;
        match answer {
            Answer::Sat(_) => queries.sat += 1,
            Answer::Unsat => queries.unsat += 1,
            Answer::Unknown(_) => queries.unknown += 1,
        }
        answer
    }

    /// Runs the input of a model, if the spec is for it.
    fn try_model(&mut self, record: Arc<Record>, index: usize, model: Model) {
        let spec = &self.exploration.spec;
        let mut candidate = candidate::input(&record, index, model, spec);
        if !candidate.is_good()
            && spec.signature.is_some()
            && let Answer::Sat(model) = self.ask(&record, index, true)
        {
            candidate = candidate::input(&record, index, model, spec);
        }
        let rounds = !candidate.predicted && candidate::misses_by_rounding(&record, index, &candidate.input);
        if rounds && let Some(input) = rounding::input(&record, index, &candidate.input, spec) {
            self.run_predicted(input, record, index);
            return;
        }
        if candidate.admitted && !rounds {
            self.run_predicted(candidate.input, record, index);
            return;
        }
        let mut state = self.shared.state.lock();
        if let (Some(node), Some(decision)) = (record.nodes.get(index), record.decision(index)) {
            state.tree.set_if_open(*node, !decision.taken, Side::GaveUp);
        }
        state.statistics.reach(Reached::Solver);
    }

    fn solve(&mut self, record: &Record, index: usize, whole: bool) -> Answer {
        let step = |(decision, node): (&crate::path::Decision, &super::tree::NodeId), flip: bool| Step {
            key: node.key(decision.taken != flip),
            condition: decision.condition,
            taken: decision.taken != flip,
        };
        let steps = record.decisions.iter().zip(&record.nodes);
        let prefix: Vec<Step> = steps.clone().take(index).map(|pair| step(pair, false)).collect();
        let Some(goal) = steps.clone().nth(index).map(|pair| step(pair, true)) else { return Answer::Unsat };
        // Calls without symbolic meaning: first as if their arguments could not change.
        let pins = record.remembered_before(index).zip(1..).map(|(call, number)| Step {
            key: u64::MAX - ((record.number << 16) | number),
            condition: call.same,
            taken: true,
        });
        let pinned: Vec<Step> = prefix.iter().copied().chain(pins).collect();
        let question = Question {
            arena: &record.arena,
            arena_id: record.number,
            prefix: &prefix,
            goal,
            inputs: self.exploration.mfa.arity as u32,
            whole,
            deadline: Some(self.question_deadline),
        };
        let exploration = self.exploration;
        let start = || {
            let z3 = Z3::new(exploration.config.solver).stopped_by(exploration.cancel.flag());
            let mut z3 = z3.typed_by(exploration.spec.signature.clone());
            exploration.spec.identifiers.iter().for_each(|term| z3.offer(term));
            z3
        };
        let solver = self.solver.get_or_insert_with(start);
        if pinned.len() > prefix.len()
            && let answer @ Answer::Sat(_) = solver.solve(&Question { prefix: &pinned, ..question })
        {
            return answer;
        }
        solver.solve(&question)
    }

    /// Runs an input that the user gave. One that the spec is not for is run as it is, and nothing is concluded from its path.
    fn run_seed(&mut self, input: Vec<Packed>) {
        let exploration = self.exploration;
        if exploration.spec.admits(&input) {
            return self.run(input, None);
        }
        let (view, limits) = (exploration.registry.view(), exploration.config.run_limits.clone());
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
        let limits = self.exploration.config.run_limits.clone();
        let run = Run::new(&view, self.subject.clone(), input.clone(), true, limits);
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

    /// How far it is from anywhere in the code under test to clauses that no run has entered.
    fn distances(&self, covered: &Covered) -> Distances {
        let view = self.exploration.registry.view();
        let measured = self.exploration.measured(self.subject.entry);
        let functions = crate::report::clauses::reachable(&view, measured);
        Distances::new(&view, functions.into_iter(), &|clause| !covered.contains(clause))
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
        let mut guard = self.shared.state.lock();
        let state = &mut *guard;
        state.statistics.runs += 1;
        state.statistics.machine_time += started.elapsed();
        let number = state.statistics.runs;
        let stop = if let Outcome::Stopped(stop) = outcome { Some(stop) } else { None };
        stop.iter().for_each(|stop| state.statistics.stopped(stop));
        let trail = run.map(Run::into_trail);
        state.statistics.ended(stop, trail.as_ref());
        let mut trail = trail?;
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
        }
        let failure = state.failures.news(&input, outcome, number);
        let is_exact = trail.counters.concretised.is_empty() && !trail.path.is_cut();
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
        let added = state.tree.add(input.clone(), trail.arena, (decisions, remembered));
        let predicted = prediction.is_some() || number == 1;
        let astray = prediction.is_some_and(|prediction| !follows(&added.record, &prediction, state));
        // What a call without symbolic meaning gave for another input makes other conditions: that is known by its name.
        let differs = added.differs && added.record.remembered.is_empty();
        state.statistics.divergences += u64::from(astray || differs);
        let new_path = !added.open.is_empty() || predicted && !astray;
        state.queue.open(&added.record, added.open);
        self.exploration.progress.run(state, new_path, failure.is_some());
        let condition = || added.record.condition(&self.exploration.spec).filter(|_| is_exact);
        failure.map(|failure| Failure { condition: condition(), ..failure })
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
