//! Paths: the decisions of a run that depend on its input, and what they imply.
//!
//! [`Path::branch`] is the one door. The caller knows which way the concrete run goes; the door decides whether that is news. A decision
//! that follows from earlier ones is not recorded, so the solver is never asked for its other side.

pub mod known;

use crate::sym::{Arena, Expr, SymId};
use crate::types::place::Places;
use known::Known;

/// A place in the code where a run can decide: an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct SiteId(pub u32);

impl SiteId {
    /// No place in the code: where a result is held against the spec.
    pub const RESULT: SiteId = SiteId(u32::MAX);
}

/// Who asked the question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// The program: a pattern, a guard.
    Program,
    /// A built-in function about its arguments, such as `+` whether they are numbers.
    Precondition,
    /// The spec, whether the result is of the type that it says.
    Result,
    /// Nobody: it is so by the way the values of a run are made, for each input that takes this path. There is no other side.
    Given,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    pub site: SiteId,
    pub condition: SymId,
    pub taken: bool,
    pub origin: Origin,
    /// How many questions the path had asked before, those included whose answer it knew.
    pub depth: u32,
    /// Where in the module under test it was asked: its own site, or that of the call there that led to other modules' code.
    pub within: SiteId,
}

/// A call without symbolic meaning: its result is what it is as long as the arguments are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remembered {
    /// How many decisions had been made.
    pub after: usize,
    /// The condition that the arguments are those of this run.
    pub same: SymId,
}

/// A path on which so many questions followed from earlier ones says nothing new any more: mostly it is an endless loop.
const MOST_IMPLIED: u64 = 200_000;

/// The decisions of a run so far.
#[derive(Default)]
pub struct Path {
    decisions: Vec<Decision>,
    remembered: Vec<Remembered>,
    known: Known,
    /// Decisions that followed from earlier ones.
    implied: u64,
    /// Those among them for which the types of the spec were needed.
    implied_by_types: u64,
    limit: usize,
    full: bool,
    closed: bool,
}

impl Path {
    /// A path that records at most `limit` decisions. What happens behind the limit is run, not explored.
    pub fn new(limit: usize, places: Places) -> Self {
        Path { limit, known: Known::of_places(places), ..Path::default() }
    }

    /// Takes note that `condition` is `taken` in this run. Returns `taken`, to be used in place of the test.
    pub fn branch(&mut self, arena: &mut Arena, condition: SymId, taken: bool, at: (SiteId, Origin)) -> bool {
        if self.full || self.closed || matches!(arena.get(condition), Expr::True | Expr::False) {
            return taken;
        }
        if let Some(known) = self.known.holds(arena, condition) {
            debug_assert_eq!(known, taken, "the path implies {known} for {:?}", arena.get(condition));
            self.implied += 1;
            self.full |= self.implied >= MOST_IMPLIED;
            self.implied_by_types += u64::from(self.known.was_by_type());
            // What it says of its parts may be more than what it followed from.
            self.known.assume(arena, condition, taken);
            return taken;
        }
        if self.decisions.len() >= self.limit {
            self.full = true;
            return taken;
        }
        let (site, origin) = at;
        let depth = (self.implied + self.decisions.len() as u64).min(u64::from(u32::MAX)) as u32;
        self.decisions.push(Decision { site, condition, taken, origin, depth, within: site });
        self.known.assume(arena, condition, taken);
        taken
    }

    /// Says where in the module under test the last decision was asked.
    pub fn locate_last(&mut self, within: SiteId) {
        if let Some(last) = self.decisions.last_mut() {
            last.within = within;
        }
    }

    /// Takes note of something that holds for every input on this path, as it is: there is no other side to explore.
    pub fn given(&mut self, arena: &mut Arena, condition: SymId, site: SiteId) {
        self.branch(arena, condition, true, (site, Origin::Given));
    }

    /// Takes note of a call whose result has no symbolic meaning.
    pub fn remember(&mut self, arena: &Arena, same: SymId) {
        let after = self.decisions.len();
        let is_news = self.remembered.iter().all(|known| known.same != same);
        if !self.full && !self.closed && is_news && !matches!(arena.get(same), Expr::True | Expr::False) {
            self.remembered.push(Remembered { after, same });
        }
    }

    /// From here on nothing is recorded: what follows is not the same for all inputs with these decisions.
    pub fn close(&mut self) {
        self.closed = true;
    }

    pub fn known(&self) -> &Known {
        &self.known
    }

    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    pub fn implied(&self) -> u64 {
        self.implied
    }

    /// The implied decisions for which the types of the spec were needed.
    pub fn implied_by_types(&self) -> u64 {
        self.implied_by_types
    }

    /// True if the run made a decision that was not recorded because the path had reached its limit.
    pub fn is_cut(&self) -> bool {
        self.full
    }

    /// The decisions, and the calls without symbolic meaning.
    pub fn into_parts(self) -> (Vec<Decision>, Vec<Remembered>) {
        (self.decisions, self.remembered)
    }
}

#[cfg(test)]
mod tests;
