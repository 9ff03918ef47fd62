//! From a model to the input that is run.

use super::spec::Spec;
use super::tree::Record;
use crate::smt::{Model, Verdict, ieee};
use crate::sym::eval::Evaluator;
use crate::term::{Packed, table};

/// What a question to a solver of another theory has brought.
#[derive(Default)]
pub(super) struct Tried {
    /// Its answer, if it was asked.
    pub(super) asked: Option<Verdict>,
    /// An input that takes the other side.
    pub(super) input: Option<Vec<Packed>>,
}

/// An input for the other side of a decision.
pub(super) struct Candidate {
    pub(super) input: Vec<Packed>,
    /// The spec is for it.
    pub(super) admitted: bool,
    /// By what its conditions say, it goes there.
    pub(super) predicted: bool,
}

impl Candidate {
    pub(super) const fn is_good(&self) -> bool {
        self.admitted && self.predicted
    }
}

/// The input of a model. What the model does not say, and what need not change, stays as it was in the recorded run: so inputs stay readable, and a
/// value that the solver cannot look into is not lost. What no condition speaks of is made to fit the spec.
pub(super) fn input(record: &Record, index: usize, model: Model, spec: &Spec) -> Candidate {
    let news = model.inputs.into_iter().chain(std::iter::repeat(None));
    let input: Vec<Packed> =
        record.input.iter().zip(news).map(|(old, new)| new.unwrap_or_else(|| old.clone())).collect();
    let admitted = spec.admits(&input);
    if admitted && goes_there(record, index, &input) {
        return Candidate { input: closest(record, index, input, spec), admitted, predicted: true };
    }
    let mut repaired = spec.repaired(&input).into_iter();
    let good = repaired.find(|repaired| *repaired != input && goes_there(record, index, repaired));
    match good {
        Some(good) => Candidate { input: closest(record, index, good, spec), admitted: true, predicted: true },
        // What had to be repaired and does not go there is of no use.
        None => Candidate { input, admitted, predicted: false },
    }
}

/// The input with those arguments as they were that need not change.
fn closest(record: &Record, index: usize, mut input: Vec<Packed>, spec: &Spec) -> Vec<Packed> {
    let changed: Vec<usize> =
        input.iter().zip(&record.input).enumerate().filter(|(_, (new, old))| new != old).map(|(at, _)| at).collect();
    if changed.len() < 2 {
        return input;
    }
    for at in changed {
        let (Some(old), Some(place)) = (record.input.get(at), input.get_mut(at)) else { continue };
        let new = std::mem::replace(place, old.clone());
        if !(spec.admits(&input) && goes_there(record, index, &input))
            && let Some(place) = input.get_mut(at)
        {
            *place = new;
        }
    }
    input
}

/// The same input with tables in the place of all other funs, if it has any. They return where those raise.
pub(super) fn with_tables(input: &[Packed]) -> Option<Vec<Packed>> {
    let tables: Vec<Option<Packed>> = input.iter().map(table::with_tables).collect();
    let any = tables.iter().any(Option::is_some);
    any.then(|| tables.into_iter().zip(input).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
}

/// Whether this input takes the recorded path up to the decision, and there the other side.
pub(super) fn goes_there(record: &Record, index: usize, input: &[Packed]) -> bool {
    let mut evaluator = Evaluator::new(&record.arena, input);
    record.steps_to_other_side(index).rev().all(|step| evaluator.holds(step.condition) == Some(step.taken))
}

/// Whether a condition that the input was solved for does not hold for it, and is one about floats: the solver's reals are more.
pub(super) fn misses_by_rounding(record: &Record, index: usize, input: &[Packed]) -> bool {
    let mut evaluator = Evaluator::new(&record.arena, input);
    record.steps_to_other_side(index).any(|step| {
        ieee::is_about_floats(&record.arena, step.condition) && evaluator.holds(step.condition) == Some(!step.taken)
    })
}

/// Whether the arguments of a call without symbolic meaning are others for this input, so that nobody knows its result.
pub(super) fn is_guess(record: &Record, index: usize, input: &[Packed]) -> bool {
    let mut calls = record.remembered_before(index).peekable();
    if calls.peek().is_none() {
        return false;
    }
    let mut evaluator = Evaluator::new(&record.arena, input);
    calls.any(|call| evaluator.holds(call.same) != Some(true))
}
