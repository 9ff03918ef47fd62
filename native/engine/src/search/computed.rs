//! The conditions on the way to the other side of a decision, computed for one input after the other.
//!
//! Only numbers at a few places of the input change in between. So what does not depend on them is computed once, and of the
//! conditions only those are looked at that do.

use super::tree::Record;
use crate::smt::Step;
use crate::sym::eval::Evaluator;
use crate::sym::{Arena, Expr, SymId};
use crate::term::{Heap, Packed, Value};

/// More numbers than this are not changed.
const MOST_PLACES: usize = 6;
/// How many expressions of the conditions are looked at.
pub(super) const MOST_EXPRESSIONS: usize = 4_000;
/// An evaluator keeps what it has computed: after so many inputs there is a new one.
const FRESH: u32 = 128;

/// The numbers in the input that some conditions speak of, those of the last one first. `term` gives the term that an expression is the number of.
pub(super) fn places(
    arena: &Arena,
    conditions: impl IntoIterator<Item = SymId>,
    term: impl Fn(&Expr) -> Option<SymId>,
) -> Vec<Place> {
    let place = |number| Some(Place { number, term: term(arena.get(number)).filter(|term| arena.is_place(*term))? });
    arena.parts(conditions).take(MOST_EXPRESSIONS).filter_map(place).take(MOST_PLACES).collect()
}

/// Where a number stands in the input.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) number: SymId,
    term: SymId,
}

pub(super) struct Computed<'a> {
    record: &'a Record,
    /// The input that is changed.
    beginning: &'a [Packed],
    /// By the numbers of expressions: whether they depend on the places.
    depends: Vec<bool>,
    /// Last first: the last one is most often missed.
    wanted: Vec<Step>,
    evaluator: Evaluator<'a>,
    inputs: u32,
}

impl<'a> Computed<'a> {
    pub(super) fn new(record: &'a Record, index: usize, beginning: &'a [Packed], places: &[Place]) -> Self {
        let terms: Vec<SymId> = places.iter().map(|place| place.term).collect();
        let depends = record.arena.dependents(&terms);
        let is_changed = |step: &Step| depends.get(step.condition.number() as usize) == Some(&true);
        let wanted = record.steps_to_other_side(index).rev().filter(is_changed).collect();
        let evaluator = Evaluator::new(&record.arena, beginning);
        let mut computed = Computed { record, beginning, depends, wanted, evaluator, inputs: 0 };
        computed.begin_anew();
        computed
    }

    /// What has to hold and depends on the places.
    pub(super) fn wanted(&self) -> &[Step] {
        &self.wanted
    }

    /// Whether all of that holds.
    pub(super) fn holds(&mut self) -> bool {
        self.wanted.iter().all(|step| self.evaluator.holds(step.condition) == Some(step.taken))
    }

    pub(super) fn evaluator(&mut self) -> &mut Evaluator<'a> {
        &mut self.evaluator
    }

    /// Values are put in for another input.
    pub(super) fn next_input(&mut self) {
        self.inputs += 1;
        if self.inputs.is_multiple_of(FRESH) {
            self.begin_anew();
        }
    }

    /// `None` if the input has no such place.
    pub(super) fn put(&mut self, place: Place, make: impl FnOnce(&mut Heap) -> Value) -> Option<()> {
        let value = make(self.evaluator.heap_mut());
        self.evaluator.put(place.term, value)
    }

    /// The input with what was put into it.
    pub(super) fn input(&self) -> Vec<Packed> {
        self.evaluator.packed_inputs(self.beginning)
    }

    /// With an evaluator that has computed what does not depend on the places, and nothing else.
    fn begin_anew(&mut self) {
        self.evaluator = Evaluator::new(&self.record.arena, self.beginning);
        for step in &self.wanted {
            self.evaluator.value(step.condition);
        }
        let depends = &self.depends;
        self.evaluator.settle(|id| depends.get(id.number() as usize) == Some(&false));
    }
}
