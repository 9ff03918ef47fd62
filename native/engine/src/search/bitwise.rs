//! Inputs whose path depends on the bits of several integers.
//!
//! The solver's arithmetic is slow where two unknowns meet in `band`, `bor` or `bxor`. Such a question is first asked about the integers
//! of the recorded input alone, as bit vectors.

use super::candidate::{Tried, goes_there};
use super::spec::Spec;
use super::tree::Record;
use crate::smt::{Asked, Keeper, Step, blast};
use crate::sym::eval::Evaluator;

/// The time for one question about bits.
const TIMEOUT_MS: u32 = 1_000;

/// An input like the recorded one, with other integers, that takes the other side of the decision.
pub(super) fn input(record: &Record, index: usize, spec: &Spec, kept: Option<(&dyn Keeper, &str)>) -> Tried {
    let arena = &record.arena;
    let steps: Vec<Step> = record.steps_to_other_side(index).collect();
    let asked = Asked { arena, steps: &steps, inputs: &record.input, timeout_ms: TIMEOUT_MS, kept };
    let Some(proposal) = blast::solve(&asked) else { return Tried::default() };
    let mut evaluator = Evaluator::new(arena, &record.input);
    let put = proposal.values.iter().try_for_each(|(place, integer)| {
        let value = evaluator.heap_mut().bigint(integer);
        evaluator.put(*place, value)
    });
    let input = put.map(|()| evaluator.packed_inputs(&record.input));
    let good = input.filter(|input| spec.admits(input) && goes_there(record, index, input));
    Tried { asked: Some(proposal.verdict), input: good }
}
