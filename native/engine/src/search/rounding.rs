//! Inputs whose path depends on how floats are rounded.
//!
//! The solver takes floats for reals. Where its model misses the path, or where there is none among the reals, floats next to those of the
//! model are tried, and then the question is asked again about the floats alone, as they are.

use super::candidate::{Tried, goes_there};
use super::spec::Spec;
use super::tree::Record;
use crate::smt::{Asked, Keeper, Step, ieee};
use crate::sym::eval::Evaluator;
use crate::sym::{Arena, SymId};
use crate::term::Packed;

/// How far from a float others are tried, in steps to the next one.
const NEIGHBOURS: u32 = 4;
/// The time for one question about floats as they are.
const TIMEOUT_MS: u32 = 1_500;

/// An input like this one, with other floats, that takes the other side of the decision.
pub(super) fn input(
    record: &Record,
    index: usize,
    near: &[Packed],
    spec: &Spec,
    kept: Option<(&dyn Keeper, &str)>,
) -> Tried {
    let arena = &record.arena;
    let steps: Vec<Step> = record.steps_to_other_side(index).collect();
    let asked = Asked { arena, steps: &steps, inputs: near, timeout_ms: TIMEOUT_MS, kept };
    let good = |input: &Vec<Packed>| spec.admits(input) && goes_there(record, index, input);
    let places = ieee::places(&asked);
    let neighbours = places.iter().flat_map(|(term, float)| nearby(*float).map(|float| (*term, float)));
    if let Some(found) = neighbours.filter_map(|change| with_floats(arena, near, &[change])).find(good) {
        return Tried { asked: None, input: Some(found) };
    }
    let Some(proposal) = ieee::solve(&asked) else { return Tried::default() };
    Tried { asked: Some(proposal.verdict), input: with_floats(arena, near, &proposal.values).filter(good) }
}

/// The floats around one, the nearest first.
fn nearby(float: f64) -> impl Iterator<Item = f64> {
    (1..=NEIGHBOURS).flat_map(move |steps| {
        let up = (0..steps).fold(float, |float, _| float.next_up());
        let down = (0..steps).fold(float, |float, _| float.next_down());
        [up, down].into_iter().filter(|float| float.is_finite())
    })
}

/// The inputs with other floats at some places. `None` if one is no place in the input.
fn with_floats(arena: &Arena, inputs: &[Packed], floats: &[(SymId, f64)]) -> Option<Vec<Packed>> {
    let mut evaluator = Evaluator::new(arena, inputs);
    for (place, float) in floats {
        let value = evaluator.heap_mut().float(*float);
        evaluator.put(*place, value)?;
    }
    Some(evaluator.packed_inputs(inputs))
}
