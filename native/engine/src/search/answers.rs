//! Answers to slices of paths, shared by all workers and kept for the whole exploration.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::candidate::goes_there;
use super::slices::Slice;
use super::spec::Spec;
use super::tree::Record;
use crate::smt::Model;
use crate::sym::eval::{Denoted, Evaluator};
use crate::sym::key::Key;
use crate::term::Packed;

/// How many answers are kept; then they are forgotten, all at once.
const ANSWERS: usize = 50_000;
/// How many models are kept for the same places.
const MODELS: usize = 4;

/// What is known of a slice.
#[derive(Clone)]
pub(super) enum Known {
    Infeasible,
    Model(Model),
    /// The solver could not tell.
    GaveUp,
}

#[derive(Default)]
pub(super) struct Answers {
    by_slice: FxHashMap<Key, Known>,
    /// The last models about the same places, whatever the conditions were.
    by_places: FxHashMap<Key, VecDeque<Model>>,
}

impl Answers {
    pub(super) fn of_slice(&self, slice: &Slice) -> Option<Known> {
        self.by_slice.get(&slice.key).cloned()
    }

    /// Models that somebody found for these places, the last one first.
    pub(super) fn models(&self, slice: &Slice) -> Vec<Model> {
        self.by_places.get(&slice.place_key).into_iter().flatten().cloned().collect()
    }

    pub(super) fn note(&mut self, slice: &Slice, known: Known) {
        if self.by_slice.len() >= ANSWERS {
            self.by_slice.clear();
            self.by_places.clear();
        }
        if let Known::Model(model) = &known {
            let models = self.by_places.entry(slice.place_key).or_default();
            models.push_front(model.clone());
            models.truncate(MODELS);
        }
        self.by_slice.insert(slice.key, known);
    }
}

/// The recorded input with the places of a slice as they are in a model, if it takes the path up to the decision and there the other side, and
/// the spec is for it.
pub(super) fn input(
    record: &Record,
    index: usize,
    places: &[crate::sym::SymId],
    model: &Model,
    spec: &Spec,
) -> Option<Vec<Packed>> {
    let news = model.inputs.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let inputs: Vec<Packed> = record.input.iter().zip(news).map(|(old, new)| new.unwrap_or(old).clone()).collect();
    let mut of_model = Evaluator::new(&record.arena, &inputs);
    let mut evaluator = Evaluator::new(&record.arena, &record.input);
    for place in places {
        let Denoted::Term(value) = of_model.value(*place)? else { return None };
        let copy = Packed::pack(of_model.heap_mut(), value).unpack(evaluator.heap_mut());
        evaluator.put(*place, copy)?;
    }
    let input = evaluator.packed_inputs(&record.input);
    if spec.admits(&input) {
        return goes_there(record, index, &input).then_some(input);
    }
    spec.repaired(&input).into_iter().find(|input| goes_there(record, index, input))
}
