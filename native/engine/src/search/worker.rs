//! A worker: takes open sides, solves for them and runs what it finds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::queue::Task;
use super::tree::{Record, Side};
use super::{Exploration, Shared, State, failures};
use crate::code::ir::FnId;
use crate::machine::{Outcome, Run};
use crate::report::{Failure, Reached};
use crate::smt::{Answer, Question, Solver, Step, Z3};
use crate::term::Packed;

const LOOK: Duration = Duration::from_millis(20);

pub(super) struct Worker<'a> {
    exploration: &'a Exploration<'a>,
    shared: &'a Shared,
    entry: FnId,
    deadline: Instant,
    solver: Option<Z3>,
}

/// A path that a run is expected to begin with: the decisions of a record, the last one the other way.
struct Prediction {
    record: Arc<Record>,
    index: usize,
}

impl<'a> Worker<'a> {
    pub(super) fn new(exploration: &'a Exploration<'a>, shared: &'a Shared, entry: FnId) -> Self {
        let deadline = shared.started + exploration.config.time_limit;
        Worker { exploration, shared, entry, deadline, solver: None }
    }

    pub(super) fn work(&mut self) {
        while let Some(task) = self.next_task() {
            match task {
                Task::Seed(input) => self.run(input, None),
                Task::Flips { record, indices } => self.flip_each(&record, indices),
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
        let asked = Instant::now();
        let answer = self.solve(&record, index);
        let mut state = self.shared.state.lock();
        state.statistics.solver_time += asked.elapsed();
        let queries = &mut state.statistics.queries;
        match answer {
            Answer::Sat(model) => {
                queries.sat += 1;
                drop(state);
                let input = merge(&record.input, model.inputs);
                self.run(input, Some(Prediction { record, index }));
            }
            Answer::Unsat => {
                queries.unsat += 1;
                state.tree.set_if_open(node, !decision.taken, Side::Infeasible);
            }
            Answer::Unknown(_) => {
                queries.unknown += 1;
                state.tree.set_if_open(node, !decision.taken, Side::GaveUp);
                state.statistics.reach(Reached::Solver);
            }
        }
    }

    fn solve(&mut self, record: &Record, index: usize) -> Answer {
        let step = |(decision, node): (&crate::path::Decision, &super::tree::NodeId), flip: bool| Step {
            key: node.key(decision.taken != flip),
            condition: decision.condition,
            taken: decision.taken != flip,
        };
        let steps = record.decisions.iter().zip(&record.nodes);
        let prefix: Vec<Step> = steps.clone().take(index).map(|pair| step(pair, false)).collect();
        let Some(goal) = steps.clone().nth(index).map(|pair| step(pair, true)) else { return Answer::Unsat };
        let question = Question {
            arena: &record.arena,
            arena_id: record.number,
            prefix: &prefix,
            goal,
            inputs: self.exploration.mfa.arity as u32,
        };
        let limits = self.exploration.config.solver;
        let unwanted = || self.exploration.cancel.flag();
        self.solver.get_or_insert_with(|| Z3::new(limits).stopped_by(unwanted())).solve(&question)
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
        let run = Run::new(&view, self.entry, &input, true, self.exploration.config.run_limits.clone());
        let (run, outcome) = self.exploration.runner().run(run, self.deadline);
        let failure = self.record(run, input, &outcome, prediction, started);
        if let Some(failure) = failure {
            self.exploration.host.failure(failure);
        }
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
        if let Outcome::Stopped(stop) = outcome {
            state.statistics.stopped(stop);
        }
        let trail = run?.into_trail();
        state.statistics.take_trail(&trail);
        let decisions = trail.path.into_decisions();
        for decision in &decisions {
            state.queue.visit(decision.site, decision.taken);
        }
        let added = state.tree.add(input.clone(), trail.arena, decisions);
        let predicted = prediction.is_some() || number == 1;
        let astray = prediction.is_some_and(|prediction| !follows(&added.record, &prediction, state));
        state.statistics.divergences += u64::from(astray || added.differs);
        let new_path = !added.open.is_empty() || predicted && !astray;
        state.queue.open(&added.record, added.open);
        let failure = match outcome {
            Outcome::Raised { class, reason, stacktrace } => {
                let key = failures::key(*class, reason, stacktrace);
                state.failures.insert(key).then(|| Failure {
                    input,
                    class: *class,
                    reason: reason.clone(),
                    stacktrace: stacktrace.clone(),
                    run: number,
                })
            }
            Outcome::Returned(_) | Outcome::Stopped(_) => None,
        };
        self.exploration.progress.run(state, new_path, failure.is_some());
        failure
    }
}

/// Whether a run went where its input was solved for. If not, that side stays unexplored and is given up.
fn follows(record: &Record, prediction: &Prediction, state: &mut State) -> bool {
    let Prediction { record: from, index } = prediction;
    let same_way = |at: usize, flip: bool| match (record.decision(at), from.decision(at)) {
        (Some(now), Some(then)) => now.site == then.site && now.taken == (then.taken != flip),
        _ => false,
    };
    let follows = (0..*index).all(|at| same_way(at, false)) && same_way(*index, true);
    if !follows && let (Some(node), Some(decision)) = (from.nodes.get(*index), from.decision(*index)) {
        state.tree.set_if_open(*node, !decision.taken, Side::GaveUp);
        state.statistics.reach(Reached::Divergence);
    }
    follows
}

/// The input of a model: what the model does not say stays as it was.
fn merge(old: &[Packed], new: Vec<Option<Packed>>) -> Vec<Packed> {
    old.iter()
        .zip(new.into_iter().chain(std::iter::repeat(None)))
        .map(|(old, new)| new.unwrap_or_else(|| old.clone()))
        .collect()
}
