//! What has to be said to Z3 about the things that a condition speaks of, besides the condition itself.
//!
//! The datatype of terms knows shapes only. Whatever else is true of a place in the input (the size of a map is not less than the number of its
//! keys that were asked for, a byte is below 256) is asserted together with the first condition in which the place occurs, in
//! the same scope, and so goes away with it.
//!
//! Tables of places hold formulas of Z3, not expressions: the prefix of a question stays asserted when the next question is one of another
//! arena.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use z3::ast::{Bool, Datatype, Int};

use super::EncodeError;
use super::bits::Bitstrings;
use super::encode::Encoder;
use super::funs::Asked;
use super::map_facts::{self, MapFacts};
use super::relaxed;
use super::scalars;
use super::types::{TypeFacts, TypeMark};
use crate::sym::{Arena, Expr, MapExpr, SymId};
use crate::types::Signature;

type Result<T> = std::result::Result<T, EncodeError>;

#[derive(Default)]
pub(super) struct Facts {
    /// Expressions of the arena at hand that occur in what is asserted, in order of appearance.
    seen: FxHashSet<SymId>,
    trail: Vec<SymId>,
    pub(super) bitstrings: Bitstrings,
    pub(super) maps: MapFacts,
    /// Atoms whose names matter, as numbers, and their names.
    named: Vec<(Int, Datatype)>,
    /// How many operations on the bits of unknowns there are: such questions are hard.
    pub(super) bitwise: usize,
    /// How many quotients and remainders there are. Many of them are hard too.
    pub(super) quotients: usize,
    /// Some condition is, or was once, about floats of the input.
    pub(super) floats: bool,
    /// Numbers that are floats, where it matters how they are rounded.
    pub(super) reals: Vec<relaxed::Float>,
    /// What was asked about funs, in order of appearance.
    pub(super) asked: Vec<Asked>,
    pub(super) types: TypeFacts,
}

/// How much there was when a scope was opened.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark {
    trail: usize,
    bitstrings: usize,
    maps: map_facts::Mark,
    named: usize,
    bitwise: usize,
    quotients: usize,
    reals: usize,
    asked: usize,
    types: TypeMark,
}

impl Facts {
    pub(super) fn new(signature: Option<Arc<Signature>>) -> Self {
        Facts { types: TypeFacts::new(signature), ..Facts::default() }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            trail: self.trail.len(),
            bitstrings: self.bitstrings.mark(),
            maps: self.maps.mark(),
            asked: self.asked.len(),
            types: self.types.mark(),
            named: self.named.len(),
            bitwise: self.bitwise,
            quotients: self.quotients,
            reals: self.reals.len(),
        }
    }

    /// Forgets what came after the mark.
    pub(super) fn undo(&mut self, mark: Mark) {
        for id in self.trail.drain(mark.trail.min(self.trail.len())..) {
            self.seen.remove(&id);
        }
        self.bitstrings.undo(mark.bitstrings);
        self.maps.undo(mark.maps);
        self.named.truncate(mark.named);
        self.bitwise = mark.bitwise;
        self.quotients = mark.quotients;
        self.reals.truncate(mark.reals);
        self.asked.truncate(mark.asked);
        self.types.undo(mark.types);
    }

    /// From now on expressions are those of another arena. What was asserted stays asserted.
    pub(super) fn forget_expressions<'a>(&mut self, marks: impl Iterator<Item = &'a mut Mark>) {
        self.seen.clear();
        self.trail.clear();
        for mark in marks {
            mark.trail = 0;
        }
    }

    /// What is to be asserted beside a condition, which has been encoded.
    pub(super) fn of(&mut self, encoder: &mut Encoder, arena: &Arena, condition: SymId) -> Result<Vec<Bool>> {
        let mut axioms = Vec::new();
        let sizes = self.types.mark();
        for id in self.news(arena, condition) {
            self.of_one(encoder, arena, id, &mut axioms)?;
        }
        self.note_sizes(encoder, sizes, &mut axioms)?;
        Ok(axioms)
    }

    /// The bitstrings of a model have the sizes that it gives them, where types speak of sizes.
    fn note_sizes(&mut self, encoder: &Encoder, before: TypeMark, axioms: &mut Vec<Bool>) -> Result<()> {
        let places: Vec<Datatype> = self.types.bitstrings(before.bitstrings()).cloned().collect();
        places.iter().try_for_each(|place| self.bitstrings.note_size(encoder, place, axioms))
    }

    /// The expressions under this one that have not occurred before, parts first.
    fn news(&mut self, arena: &Arena, condition: SymId) -> Vec<SymId> {
        let start = self.trail.len();
        let mut stack = vec![(condition, false)];
        while let Some((id, parts_done)) = stack.pop() {
            if parts_done {
                self.trail.push(id);
            } else if self.seen.insert(id) {
                stack.push((id, true));
                stack.extend(arena.get(id).children().map(|child| (child, false)));
            }
        }
        self.trail.get(start..).unwrap_or(&[]).to_vec()
    }

    /// The facts about one expression whose parts have been dealt with.
    fn of_one(&mut self, encoder: &mut Encoder, arena: &Arena, id: SymId, axioms: &mut Vec<Bool>) -> Result<()> {
        self.bitstrings.facts(encoder, arena, id, axioms)?;
        axioms.extend(scalars::facts(self, encoder, arena, id)?);
        axioms.extend(relaxed::facts(self, encoder, arena, id)?);
        match arena.get(id) {
            Expr::Input(_)
            | Expr::Head(_)
            | Expr::Tail(_)
            | Expr::Element(..)
            | Expr::Map(MapExpr::Get(..) | MapExpr::Key(..)) => {
                if let Some(place) = encoder.encoded_term(id).cloned() {
                    self.types.mention(encoder, &place, axioms)?;
                }
            }
            Expr::Fun(fun) => {
                self.of_fun(encoder, arena, (id, fun), axioms)?;
                if let Some(result) = encoder.encoded_term(id).cloned() {
                    self.types.mention(encoder, &result, axioms)?;
                }
            }
            Expr::Opaque(..) => self.of_constant_fun(encoder, arena, id, axioms)?,
            _ => {}
        }
        self.maps.of_one(encoder, arena, id, axioms)?;
        self.types.follow(encoder, &mut self.maps, &self.asked, axioms)
    }

    /// Keys for maps of which a model only says how many there are, and more of the places that matter as a whole.
    pub(super) fn fill(&mut self, encoder: &mut Encoder, model: &z3::Model, low: bool) -> Result<Vec<Bool>> {
        let before = self.types.mark();
        let mut axioms = self.types.fill(encoder, (&mut self.maps, &self.asked), model, low)?;
        self.note_sizes(encoder, before, &mut axioms)?;
        Ok(axioms)
    }

    /// What the types say one level deeper than conditions look.
    pub(super) fn deepen(&mut self, encoder: &mut Encoder, model: &z3::Model, low: bool) -> Result<Vec<Bool>> {
        let before = self.types.mark();
        let mut axioms = self.types.deepen(encoder, (&mut self.maps, &self.asked), model, low)?;
        self.note_sizes(encoder, before, &mut axioms)?;
        Ok(axioms)
    }

    pub(super) fn named(&self) -> impl Iterator<Item = &(Int, Datatype)> {
        self.named.iter()
    }

    pub(super) fn add_named(&mut self, label: Int, name: Datatype) {
        self.named.push((label, name));
    }
}
