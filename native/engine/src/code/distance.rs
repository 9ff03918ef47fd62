//! How far it is from an instruction to one of some clauses.
//!
//! Distances are counted in instructions along the control flow, into functions of the same code that are called or made a fun of. What a
//! function does for its caller after it returns is not seen, so a distance is a hint, not a bound.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::ir::{FnId, Instr, Label};
use super::registry::{CodeView, Target};
use crate::path::SiteId;

/// A call costs as much as so many instructions.
const CALL: u32 = 4;

/// Distances of instructions, by site.
#[derive(Default)]
pub struct Distances {
    distances: FxHashMap<SiteId, u32>,
    /// Where an instruction goes if what it tests does not hold.
    fails: FxHashMap<SiteId, SiteId>,
}

impl Distances {
    /// From every instruction of these functions to the next clause that is wanted.
    pub fn new(view: &CodeView, functions: impl Iterator<Item = FnId>, wanted: &dyn Fn(u32) -> bool) -> Self {
        let mut before: FxHashMap<SiteId, Vec<(SiteId, u32)>> = FxHashMap::default();
        let mut fails = FxHashMap::default();
        let mut reached = VecDeque::new();
        for id in functions {
            let Some(function) = view.function(id) else { continue };
            for (pc, instr) in function.code.iter().enumerate() {
                let here = function.site(pc);
                if matches!(instr, Instr::Enter { clause } if wanted(clause.0)) {
                    reached.push_back((here, 0));
                }
                if goes_on(instr) {
                    before.entry(function.site(pc + 1)).or_default().push((here, 1));
                }
                if let Some(Label(to)) = instr.label().filter(|label| *label != Label::RAISE) {
                    fails.insert(here, function.site(to as usize));
                    before.entry(function.site(to as usize)).or_default().push((here, 1));
                }
                if let Some(callee) = callee(view, instr).and_then(|id| view.function(id)) {
                    before.entry(callee.site(0)).or_default().push((here, CALL));
                }
            }
        }
        Distances { distances: spread(&before, reached), fails }
    }

    /// From the other side of a decision, `taken` this way at the site.
    pub fn of_other_side(&self, site: SiteId, taken: bool) -> Option<u32> {
        let other = if taken { *self.fails.get(&site)? } else { SiteId(site.0.saturating_add(1)) };
        self.distances.get(&other).copied()
    }
}

fn spread(
    before: &FxHashMap<SiteId, Vec<(SiteId, u32)>>,
    mut reached: VecDeque<(SiteId, u32)>,
) -> FxHashMap<SiteId, u32> {
    let mut distances: FxHashMap<SiteId, u32> = reached.iter().copied().collect();
    while let Some((site, distance)) = reached.pop_front() {
        if distances.get(&site).is_some_and(|known| *known < distance) {
            continue;
        }
        for (other, cost) in before.get(&site).into_iter().flatten() {
            let longer = distance.saturating_add(*cost);
            let known = distances.entry(*other).or_insert(u32::MAX);
            if longer < *known {
                *known = longer;
                reached.push_back((*other, longer));
            }
        }
    }
    distances
}

pub(super) fn goes_on(instr: &Instr) -> bool {
    !matches!(
        instr,
        Instr::Jump { .. }
            | Instr::TailCall { .. }
            | Instr::TailCallRemote { .. }
            | Instr::TailCallFun { .. }
            | Instr::TailCallNamed { .. }
            | Instr::TailApply { .. }
            | Instr::Return { .. }
            | Instr::MatchFail { .. }
            | Instr::Reraise { .. }
            | Instr::Unsupported { .. }
    )
}

fn callee(view: &CodeView, instr: &Instr) -> Option<FnId> {
    match instr {
        Instr::Call { function, .. } | Instr::TailCall { function, .. } | Instr::Closure { function, .. } => {
            Some(*function)
        }
        Instr::CallRemote { mfa, .. } | Instr::TailCallRemote { mfa, .. } => match view.target(*mfa) {
            Target::Function(function) => Some(function),
            _ => None,
        },
        _ => None,
    }
}
