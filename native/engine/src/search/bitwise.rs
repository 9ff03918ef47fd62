//! Inputs whose path depends on the bits of several integers.
//!
//! The solver's arithmetic is slow where two unknowns meet in `band`, `bor` or `bxor`. Such a question is first asked about the integers
//! of the recorded input alone, as bit vectors.

use super::candidate::goes_there;
use super::spec::Spec;
use super::tree::Record;
use crate::smt::{Step, blast};
use crate::sym::eval::Evaluator;
use crate::term::Packed;

/// The time for one question about bits.
const TIMEOUT_MS: u32 = 1_000;

/// Whether a decision is one for this.
pub(super) fn may_help(record: &Record, index: usize) -> bool {
    blast::width(&record.arena, &steps(record, index)).is_some()
}

/// An input like the recorded one, with other integers, that takes the other side of the decision.
pub(super) fn input(record: &Record, index: usize, spec: &Spec) -> Option<Vec<Packed>> {
    let integers = blast::solve(&record.arena, &steps(record, index), &record.input, TIMEOUT_MS)?;
    let mut evaluator = Evaluator::new(&record.arena, &record.input);
    let mut input = record.input.clone();
    for (place, integer) in integers {
        let value = evaluator.heap_mut().bigint(&integer);
        let number = evaluator.put(place, value)?;
        *input.get_mut(number as usize)? = evaluator.packed_input(number)?;
    }
    (spec.admits(&input) && goes_there(record, index, &input)).then_some(input)
}

fn steps(record: &Record, index: usize) -> Vec<Step> {
    let decisions = record.decisions.iter().enumerate().take(index + 1);
    let step = |(at, decision): (usize, &crate::path::Decision)| Step {
        key: at as u64,
        condition: decision.condition,
        taken: decision.taken != (at == index),
    };
    decisions.map(step).collect()
}
