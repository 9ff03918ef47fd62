//! Satisfiability: from the decisions of a path to an input that takes another side.
//!
//! A [`Question`] is a prefix of decisions and the side that is wanted of one more. A [`Solver`] answers it; solvers wrap one another (a
//! cache, a slicer) and end in [`Z3`], the only place that knows that library:
//!
//! - [`sorts`]: the datatype that stands for Erlang's terms;
//! - [`encode`]: an expression as a formula;
//! - [`bits`]: bitstrings, by size and bytes;
//! - [`atoms`], [`integers`], [`scalars`]: atoms in the order of their names, bits and divisions, and what else is not structure;
//! - [`names`]: names of atoms as text, held against the atoms of a model;
//! - [`facts`]: what is asserted beside a condition, about the places it speaks of; of [`maps`] there is more to say;
//! - [`examples`]: functions that Z3 knows by examples only;
//! - [`proposal`]: questions about the numbers of one kind in an input, as formulas of another theory: in [`blast`] integers as bit vectors, in
//!   [`ieee`] floats as they are;
//! - [`relaxed`]: floats however they are rounded, before it is believed that there is no model;
//! - [`funs`]: funs as tables of calls;
//! - [`z3_solver`]: the solver of one thread, which a question that fails does not end;
//! - [`session`]: what is asserted, kept along common prefixes; the loop that gets a usable model;
//! - [`attempt`]: checks within limits;
//! - [`prefer`]: models that are easy to read;
//! - [`decode`]: the model's values as terms, with [`constants`] for what has no inside and [`contents`] for maps;
//! - [`rational`]: floats as exact fractions and back;
//! - [`dump`]: questions as SMT-LIB text.
//!
//! Not modelled: IEEE
//! rounding (floats are reals, so a model can miss its path by a rounding, and only [`relaxed`] can tell that there is none); new pids, ports and references (a model only uses those that
//! occur as constants or were offered with [`Z3::offer`]). A structure of thousands of cells takes Z3 time quadratic in its size.

mod ages;
mod atoms;
mod attempt;
mod bits;
pub mod blast;
mod constants;
mod contents;
mod decode;
mod dump;
mod encode;
mod examples;
mod facts;
mod funs;
pub mod ieee;
mod integers;
mod map_facts;
mod maps;
mod names;
mod prefer;
mod proposal;
mod rational;
pub mod relaxed;
mod scalars;
mod session;
mod sorts;
mod tables;
mod types;
mod z3_solver;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use z3::SatResult;

use crate::sym::{Arena, SymId};
use crate::term::Packed;

pub use dump::Keeper;
pub use proposal::Asked;
pub use z3_solver::Z3;

/// One decision of a path. Two paths whose keys and sides are equal from the root on have equal conditions up to there, also when the
/// expressions are those of different arenas: so a solver can keep what it asserted before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub key: u64,
    pub condition: SymId,
    pub taken: bool,
}

pub struct Question<'a> {
    pub arena: &'a Arena,
    /// Tells this arena from all others that the same solver is asked about.
    pub arena_id: u64,
    pub prefix: &'a [Step],
    /// The condition, with the side that is wanted.
    pub goal: Step,
    /// Number of inputs of the function under test.
    pub inputs: u32,
    /// Every part of the inputs is to be of the type that the spec says, also those that no condition speaks of. Only asked for where
    /// repairing a model was no help.
    pub whole: bool,
    /// When the answer is of no use any more.
    pub deadline: Option<Instant>,
}

impl Question<'_> {
    /// The expressions of its conditions, each once.
    fn parts(&self) -> impl Iterator<Item = SymId> + '_ {
        let steps = self.prefix.iter().chain([&self.goal]);
        self.arena.parts(steps.map(|step| step.condition))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat(Model),
    Unsat,
    /// Why there is no answer: a limit, or what Z3 says.
    Unknown(String),
}

/// An answer without what it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Sat,
    Unsat,
    Unknown,
}

impl Answer {
    pub const fn verdict(&self) -> Verdict {
        match self {
            Answer::Sat(_) => Verdict::Sat,
            Answer::Unsat => Verdict::Unsat,
            Answer::Unknown(_) => Verdict::Unknown,
        }
    }
}

impl From<SatResult> for Verdict {
    fn from(result: SatResult) -> Self {
        match result {
            SatResult::Sat => Verdict::Sat,
            SatResult::Unsat => Verdict::Unsat,
            SatResult::Unknown => Verdict::Unknown,
        }
    }
}

/// What the question says about each input; `None` where it says nothing, and any value will do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    pub inputs: Vec<Option<Packed>>,
}

pub trait Solver {
    fn solve(&mut self, question: &Question<'_>) -> Answer;
}

/// Does something with Z3. `None` if Z3 fails, which the binding turns into a panic: there is no memory left. The context is of no use then.
pub fn unless_it_fails<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// For one check. A question can take a few of them.
    pub timeout_ms: u32,
    /// Z3 counts memory for the whole process: all solvers share the limit that was set last.
    pub memory_mb: u32,
    /// Ask for small integers once a model is there. Costs a third of the speed on short paths, and two thirds on long ones.
    pub prefer_small: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { timeout_ms: 2_000, memory_mb: 2_048, prefer_small: false }
    }
}

/// Why a question could not be put to Z3: always a defect of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
enum EncodeError {
    #[error("expression {} stands where another sort is needed", .0.number())]
    Sort(SymId),
    #[error("Z3 refused a number")]
    Numeral,
    #[error("there is no number left for an atom between its neighbours")]
    Crowded,
    #[error("a constructor of the term datatype is missing")]
    Datatype,
}

#[cfg(test)]
mod tests;
