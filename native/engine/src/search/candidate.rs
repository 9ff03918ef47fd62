//! From a model to the input that is run.

use super::tree::Record;
use crate::smt::{Model, ieee};
use crate::sym::eval::Evaluator;
use crate::term::Packed;

/// The input of a model for the other side of a decision. What the model does not say, and what need not change, stays as it was in the
/// recorded run: so inputs stay readable, and a value that the solver cannot look into is not lost.
pub(super) fn input(record: &Record, index: usize, model: Model) -> Vec<Packed> {
    let news = model.inputs.into_iter().chain(std::iter::repeat(None));
    let mut input: Vec<Packed> =
        record.input.iter().zip(news).map(|(old, new)| new.unwrap_or_else(|| old.clone())).collect();
    let changed: Vec<usize> =
        input.iter().zip(&record.input).enumerate().filter(|(_, (new, old))| new != old).map(|(at, _)| at).collect();
    if changed.len() < 2 {
        return input;
    }
    for at in changed {
        let Some(old) = record.input.get(at) else { continue };
        let Some(place) = input.get_mut(at) else { continue };
        let new = std::mem::replace(place, old.clone());
        if !goes_there(record, index, &input)
            && let Some(place) = input.get_mut(at)
        {
            *place = new;
        }
    }
    input
}

/// Whether this input takes the recorded path up to the decision, and there the other side.
pub(super) fn goes_there(record: &Record, index: usize, input: &[Packed]) -> bool {
    let mut evaluator = Evaluator::new(&record.arena, input);
    record
        .decisions
        .iter()
        .enumerate()
        .take(index + 1)
        .rev()
        .all(|(at, decision)| evaluator.holds(decision.condition) == Some(decision.taken != (at == index)))
}

/// Whether a condition that the input was solved for does not hold for it, and is one that rounding can change.
pub(super) fn misses_by_rounding(record: &Record, index: usize, input: &[Packed]) -> bool {
    let mut evaluator = Evaluator::new(&record.arena, input);
    let mut steps = record.decisions.iter().enumerate().take(index + 1);
    steps.any(|(at, decision)| {
        ieee::can_be_rounded(&record.arena, decision.condition)
            && evaluator.holds(decision.condition) == Some(decision.taken == (at == index))
    })
}
