//! Inputs made up by chance, to be tried.
//!
//! A solver works towards a side of one decision, along a path that some run has taken. Where the way to a clause leads through chains of
//! divisions, through native calls, or through many decisions of library code that all have to go right at once, trying is cheaper: a
//! run without expressions costs some ten microseconds. Inputs to try are terms of the spec's types ([`sample`](crate::types::sample)), with what stands in the
//! code as material, or inputs that entered a clause for the first time with something changed in them. What such a try enters for the first
//! time makes it an input to explore from.

mod change;

use super::chance::Chance;
use super::spec::Spec;
use crate::machine::Covered;
use crate::report::inputs::Covering;
use crate::term::{Heap, Literals, Packed};
use crate::types::sample::{Dice, Sampler, Words};
use crate::types::{Signature, Types};
use change::Changer;

/// One input in so many is made up as a whole.
const AFRESH: usize = 4;
/// After so many tries in vain there are half as many.
const PATIENCE: u32 = 1_000;
/// How many of the last inputs are changed as often as all others together.
const LATEST: usize = 6;

impl Dice for Chance {
    fn below(&mut self, bound: usize) -> usize {
        Chance::below(self, bound)
    }
}

/// A source of inputs to try.
pub(super) struct Trials {
    dice: Chance,
    words: Words,
    /// Inputs that entered a clause that counts before all others.
    pool: Vec<Vec<Packed>>,
    /// How many of the inputs worth keeping have been looked at.
    looked_at: usize,
    entered: Covered,
    /// How many tries there have been since the last that brought something.
    in_vain: u32,
}

impl Trials {
    /// Each worker has its own, with a number of its own: they try different inputs.
    pub fn new(words: Words, worker: u64) -> Self {
        Trials {
            dice: Chance::new(worker),
            words,
            pool: Vec::new(),
            looked_at: 0,
            entered: Covered::default(),
            in_vain: 0,
        }
    }

    /// Takes those of the inputs worth keeping into account that are new.
    pub fn learn(&mut self, kept: &[Covering], clauses: &[u32]) {
        for covering in kept.get(self.looked_at..).unwrap_or(&[]) {
            let entered: Covered =
                clauses.iter().copied().filter(|clause| covering.covered.contains(*clause)).collect();
            if !self.entered.includes(&entered) {
                self.entered.merge(&entered);
                self.pool.push(covering.input.clone());
            }
        }
        self.looked_at = kept.len();
    }

    /// Takes note of whether a try has brought something.
    pub fn note(&mut self, found: bool) {
        self.in_vain = if found { 0 } else { self.in_vain.saturating_add(1) };
    }

    /// How many of some tries are worth it: the more have been in vain, the fewer. The time is the solver's then.
    pub fn share(&self, tries: u32) -> u32 {
        (tries >> (self.in_vain / PATIENCE).min(31)).max(1)
    }

    /// An input that the spec is for.
    pub fn input(&mut self, spec: &Spec, arity: usize) -> Option<Vec<Packed>> {
        if self.pool.is_empty() || self.dice.once_in(AFRESH) {
            return self.afresh(spec, arity);
        }
        let input = self.changed(spec)?;
        if spec.admits(&input) { Some(input) } else { spec.repaired(&input).into_iter().next() }
    }

    /// Arguments of one clause of the spec; anything at all if there is none.
    fn afresh(&mut self, spec: &Spec, arity: usize) -> Option<Vec<Packed>> {
        let nothing = Types::default();
        let Some(signature) = spec.signature.as_deref() else {
            let argument = |trials: &mut Self| {
                let mut heap = Heap::new(Literals::default());
                let value = trials.sampler(&nothing, spec, &mut heap).anything(&mut heap);
                Packed::pack(&heap, value)
            };
            return Some((0..arity).map(|_| argument(self)).collect());
        };
        let clause = signature.clauses.get(self.dice.below(signature.clauses.len()))?;
        let argument = |id: &crate::types::TypeId| {
            let mut heap = Heap::new(Literals::default());
            let value = self.sampler(&signature.types, spec, &mut heap).sample(&mut heap, *id)?;
            Some(Packed::pack(&heap, value))
        };
        clause.args.iter().map(argument).collect()
    }

    fn sampler<'a>(&'a mut self, types: &'a Types, spec: &Spec, heap: &mut Heap) -> Sampler<'a> {
        Sampler { types, words: &self.words, known: spec.known(heap), dice: &mut self.dice }
    }

    /// One of the pool with something changed.
    fn changed(&mut self, spec: &Spec) -> Option<Vec<Packed>> {
        let latest = self.pool.len().min(LATEST);
        let at = if self.dice.once_in(2) {
            self.dice.below(self.pool.len())
        } else {
            self.pool.len() - 1 - self.dice.below(latest)
        };
        let mut input = self.pool.get(at)?.clone();
        let other = self.pool.get(self.dice.below(self.pool.len()))?.clone();
        for _ in 0..=self.dice.below(3) {
            let argument = self.dice.below(input.len());
            // Parts of another argument too: a key of a list of pairs, say.
            let donor = other.get(self.dice.below(other.len()));
            let (Some(old), Some(donor)) = (input.get(argument), donor) else { break };
            let new = self.changed_argument(spec, argument, old, donor);
            if let (Some(new), Some(place)) = (new, input.get_mut(argument)) {
                *place = new;
            }
        }
        Some(input)
    }

    fn changed_argument(&mut self, spec: &Spec, argument: usize, old: &Packed, donor: &Packed) -> Option<Packed> {
        let nothing = Types::default();
        let signature: Option<&Signature> = spec.signature.as_deref();
        let types = signature.map_or(&nothing, |signature| &signature.types);
        let possible = signature.map(|signature| signature.argument(argument)).unwrap_or_default();
        let (mut heap, root) = old.open();
        let donor = donor.unpack(&mut heap);
        let sampler = self.sampler(types, spec, &mut heap);
        let value = Changer { sampler, donor }.changed(&mut heap, root, possible)?;
        Some(Packed::pack(&heap, value))
    }
}

#[cfg(test)]
mod tests;
