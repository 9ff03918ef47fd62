//! The clauses that count for coverage: those of a function and of what it calls in its own module, by name or, as has been seen, through others.
//!
//! A clause is referred to by its function and its number there, from 1, in the order of the program text with clauses made by the compiler
//! among them. That stays the same between explorations of the same code, unlike the numbers that the registry gives.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Reached;
use crate::code::CodeView;
use crate::code::ir::{FnId, Instr, Mfa};
use crate::machine::Covered;

/// A clause that counts.
#[derive(Clone, Debug)]
pub struct ClauseRow {
    /// Its number in the registry.
    pub number: u32,
    pub mfa: Mfa,
    /// Its number in the function, from 1.
    pub index: usize,
    pub line: u32,
    /// Made by the compiler.
    pub generated: bool,
    pub covered: bool,
    /// Why it was not entered, if it was not.
    pub reason: Option<Reason>,
}

/// Why a clause was not entered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// No input goes there.
    Infeasible,
    /// The exploration ended before.
    Limit(Reached),
    /// The solver could not tell; where it was asked.
    Solver(Option<(Mfa, u32)>),
    /// Values lost their symbolic meaning in these functions.
    Concrete(Vec<Mfa>),
}

/// So many of so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Share {
    pub covered: usize,
    pub total: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    pub rows: Vec<ClauseRow>,
}

impl Coverage {
    pub fn new(view: &CodeView, entry: FnId, covered: &Covered) -> Self {
        let functions = reachable(view, entry, covered);
        let mut counted: FxHashMap<FnId, usize> = FxHashMap::default();
        let mut rows = Vec::new();
        for (info, number) in view.clauses().iter().zip(0..) {
            if !functions.contains(&info.function) {
                continue;
            }
            let Some(function) = view.function(info.function) else { continue };
            let index = counted.entry(info.function).or_default();
            *index += 1;
            rows.push(ClauseRow {
                number,
                mfa: function.mfa,
                index: *index,
                line: info.line.number(),
                generated: info.generated,
                covered: covered.contains(number),
                reason: None,
            });
        }
        Coverage { rows }
    }

    /// The clauses, with or without those that the compiler made.
    fn counted(&self, generated: bool) -> impl Iterator<Item = &ClauseRow> {
        self.rows.iter().filter(move |row| generated || !row.generated)
    }

    pub fn clauses(&self, generated: bool) -> Share {
        let total = self.counted(generated).count();
        Share { covered: self.counted(generated).filter(|row| row.covered).count(), total }
    }

    /// The lines that clauses stand on. A line is covered if one of its clauses is.
    pub fn lines(&self, generated: bool) -> Share {
        let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
        for row in self.counted(generated).filter(|row| row.line > 0) {
            *lines.entry(row.line).or_default() |= row.covered;
        }
        Share { covered: lines.values().filter(|covered| **covered).count(), total: lines.len() }
    }
}

/// A function and the functions of its module that it can call, directly or not. Callbacks are among them once they have been entered: other
/// modules call them.
pub fn reachable(view: &CodeView, entry: FnId, covered: &Covered) -> FxHashSet<FnId> {
    let module = |id: FnId| view.function(id).map(|function| function.module);
    let clauses = view.clauses().iter().zip(0..);
    let entered = clauses.filter(|(info, number)| covered.contains(*number) && module(info.function) == module(entry));
    let mut found = FxHashSet::default();
    let mut rest: Vec<FnId> = entered.map(|(info, _)| info.function).chain([entry]).collect();
    while let Some(id) = rest.pop() {
        let Some(function) = view.function(id).filter(|_| found.insert(id)) else { continue };
        rest.extend(function.code.iter().filter_map(|instr| match instr {
            Instr::Call { function, .. } | Instr::TailCall { function, .. } | Instr::Closure { function, .. } => {
                Some(*function)
            }
            _ => None,
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bif::mfa;

    fn row(line: u32, generated: bool, covered: bool) -> ClauseRow {
        ClauseRow { number: 0, mfa: mfa("m", "f", 1), index: 1, line, generated, covered, reason: None }
    }

    #[test]
    fn compiler_made_clauses_count_only_where_they_are_asked_for() {
        let coverage = Coverage { rows: vec![row(1, false, true), row(2, false, false), row(3, true, true)] };
        assert_eq!(coverage.clauses(false), Share { covered: 1, total: 2 });
        assert_eq!(coverage.clauses(true), Share { covered: 2, total: 3 });
    }

    #[test]
    fn a_line_is_covered_if_one_of_its_clauses_is() {
        let rows = vec![row(1, false, true), row(1, false, false), row(2, false, false), row(0, false, true)];
        assert_eq!(Coverage { rows }.lines(false), Share { covered: 1, total: 2 });
    }
}
