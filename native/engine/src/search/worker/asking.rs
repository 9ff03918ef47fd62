//! How a worker gets an answer: from what is known of slices of paths, or from its solver.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::Worker;
use crate::path::Decision;
use crate::search::answers::{self, Known};
use crate::search::candidate::Tried;
use crate::search::slices::Slice;
use crate::search::spec::Spec;
use crate::search::tree::{NodeId, Record};
use crate::search::{awkward, bitwise, questions, rounding};
use crate::smt::{self, Answer, Keeper, Question, Solver, Step, Z3, relaxed};
use crate::sym::SymId;
use crate::term::Packed;

/// Who keeps the text of a question, and what it is about.
type Kept<'a> = Option<(&'a dyn Keeper, &'a str)>;

/// What a slice of a path has brought.
pub(super) enum Sliced {
    /// An input that takes the other side.
    Input(Vec<Packed>),
    /// There is none.
    Infeasible,
    /// The whole path has to be asked about.
    Open,
}

impl Worker<'_> {
    /// What the conditions say that have to do with a decision, if the others can stay as they are.
    pub(super) fn sliced(&mut self, record: &Record, index: usize) -> Sliced {
        if record.remembered_before(index).next().is_some() {
            return Sliced::Open;
        }
        let Some(slice) = self.slicer.slice(record, index) else { return Sliced::Open };
        if let Some(known) = self.known_slice(record, index, &slice) {
            return known;
        }
        let known = match self.ask_about(record, &slice.decisions, false) {
            Answer::Sat(model) => Known::Model(model),
            Answer::Unsat => Known::Infeasible,
            Answer::Unknown(_) => Known::GaveUp,
        };
        self.shared.answers.lock().note(&slice, known.clone());
        self.by_answer(record, index, &slice, &known)
    }

    /// What answers to other questions tell of a slice.
    fn known_slice(&self, record: &Record, index: usize, slice: &Slice) -> Option<Sliced> {
        let (known, models) = {
            let answers = self.shared.answers.lock();
            let known = answers.of_slice(slice);
            let models = if known.is_none() { answers.models(slice) } else { Vec::new() };
            (known, models)
        };
        if let Some(known) = known {
            let sliced = self.by_answer(record, index, slice, &known);
            let used = u64::from(!matches!(sliced, Sliced::Open));
            self.shared.state.lock().statistics.queries.avoided.slices += used;
            return Some(sliced);
        }
        let spec = &self.exploration.spec;
        let input = models.iter().find_map(|model| answers::input(record, index, &slice.places, model, spec))?;
        self.shared.state.lock().statistics.queries.avoided.models += 1;
        Some(Sliced::Input(input))
    }

    fn by_answer(&self, record: &Record, index: usize, slice: &Slice, known: &Known) -> Sliced {
        match known {
            Known::Infeasible => Sliced::Infeasible,
            Known::GaveUp => Sliced::Open,
            Known::Model(model) => {
                let input = answers::input(record, index, &slice.places, model, &self.exploration.spec);
                input.map_or(Sliced::Open, Sliced::Input)
            }
        }
    }

    /// The solver's answer, counted.
    pub(super) fn ask(&mut self, record: &Record, index: usize, whole: bool) -> Answer {
        let steps: Vec<usize> = (0..=index).collect();
        self.ask_about(record, &steps, whole)
    }

    /// The same, however floats are rounded.
    pub(super) fn ask_relaxed(&mut self, record: &Record, index: usize) -> Answer {
        let steps: Vec<usize> = (0..=index).collect();
        self.counted(record, &steps, false, true)
    }

    /// The solver's answer to some decisions of a path, the last of them the other way, counted.
    fn ask_about(&mut self, record: &Record, decisions: &[usize], whole: bool) -> Answer {
        let answer = self.counted(record, decisions, whole, false);
        // That there is no such real is no proof.
        if answer == Answer::Unsat && relaxed::can_be_rounded(&record.arena, conditions(record, decisions)) {
            return self.counted(record, decisions, whole, true);
        }
        answer
    }

    /// `relaxed`: however floats are rounded.
    fn counted(&mut self, record: &Record, decisions: &[usize], whole: bool, relaxed: bool) -> Answer {
        let asked = Instant::now();
        let answer = self.solve(record, decisions, whole, relaxed);
        let mut state = self.shared.state.lock();
        state.statistics.solver_time += asked.elapsed();
        state.statistics.queries.count(answer.verdict());
        answer
    }

    /// An input for a decision on the bits of several integers.
    pub(super) fn solved_as_bits(&self, record: &Record, index: usize) -> Option<Vec<Packed>> {
        if record.arena.bitwise_operations() == 0 {
            return None;
        }
        self.aside(record, index, "integers as bit vectors", |spec, kept| bitwise::input(record, index, spec, kept))
    }

    /// An input near this one that differs in its floats.
    pub(super) fn rounded(&self, record: &Record, index: usize, near: &[Packed]) -> Option<Vec<Packed>> {
        let ask = |spec: &Spec, kept: Kept<'_>| rounding::input(record, index, near, spec, kept);
        let found = awkward::input(record, index, near, &self.exploration.spec);
        found.or_else(|| self.aside(record, index, "floats as they are", ask))
    }

    /// What a solver of another theory brings, counted.
    fn aside(
        &self,
        record: &Record,
        index: usize,
        kind: &str,
        ask: impl FnOnce(&Spec, Kept<'_>) -> Tried,
    ) -> Option<Vec<Packed>> {
        let started = Instant::now();
        let about = self.shared.files.as_ref().map(|_| self.about(record, index, kind));
        let kept = self.shared.files.as_deref().map(|files| files as &dyn Keeper).zip(about.as_deref());
        // If Z3 fails nothing comes of it, and all contexts are made anew.
        let Some(tried) = smt::unless_it_fails(|| ask(&self.exploration.spec, kept)) else {
            self.shared.renew.store(true, Ordering::SeqCst);
            return None;
        };
        let mut state = self.shared.state.lock();
        state.statistics.solver_time += started.elapsed();
        tried.asked.into_iter().for_each(|verdict| state.statistics.queries.count(verdict));
        tried.input
    }

    fn about(&self, record: &Record, index: usize, kind: &str) -> String {
        questions::about(&self.exploration.registry.view(), self.exploration.mfa, record, index, kind)
    }

    /// `relaxed`: however floats are rounded.
    fn solve(&mut self, record: &Record, decisions: &[usize], whole: bool, relaxed: bool) -> Answer {
        let Some((index, before)) = decisions.split_last() else { return Answer::Unsat };
        let index = *index;
        let step = |(decision, node): (&Decision, &NodeId), flip: bool| Step {
            key: node.key(decision.taken != flip),
            condition: decision.condition,
            taken: decision.taken != flip,
        };
        let at = |index: usize| record.decision(index).zip(record.nodes.get(index));
        let prefix: Vec<Step> = before.iter().filter_map(|index| at(*index)).map(|pair| step(pair, false)).collect();
        let Some(goal) = at(index).map(|pair| step(pair, true)) else { return Answer::Unsat };
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
            let keeper = self.shared.files.clone().map(|files| files as Arc<dyn Keeper>);
            let mut z3 = z3.typed_by(exploration.spec.signature.clone()).kept_by(keeper);
            exploration.spec.identifiers.iter().for_each(|term| z3.offer(term));
            if relaxed { z3.relaxed() } else { z3 }
        };
        let kept = if relaxed { &mut self.relaxed } else { &mut self.solver };
        let mut solver = kept.take().unwrap_or_else(start);
        let answer = self.solve_with(&mut solver, record, index, (&question, &pinned));
        let kept = if relaxed { &mut self.relaxed } else { &mut self.solver };
        *kept = Some(solver);
        answer
    }

    fn solve_with(&self, solver: &mut Z3, record: &Record, index: usize, asked: (&Question<'_>, &[Step])) -> Answer {
        let (question, pinned) = asked;
        let what = match (question.whole, question.prefix.len() == index) {
            (true, _) => "all types said",
            (false, true) => "the path",
            (false, false) => "a slice of the path",
        };
        let kind = if solver.is_relaxed() { format!("{what}, however floats are rounded") } else { what.to_owned() };
        if pinned.len() > question.prefix.len() {
            solver.about(|| self.about(record, index, &format!("{kind}, calls without symbolic meaning unchanged")));
            if let answer @ Answer::Sat(_) = solver.solve(&Question { prefix: pinned, ..*question }) {
                return answer;
            }
        }
        solver.about(|| self.about(record, index, &kind));
        solver.solve(question)
    }
}

fn conditions(record: &Record, decisions: &[usize]) -> impl Iterator<Item = SymId> {
    decisions.iter().filter_map(|index| record.decision(*index)).map(|decision| decision.condition)
}
