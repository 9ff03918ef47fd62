//! How far it is from an instruction to one of some clauses.
//!
//! Distances are counted in instructions along the control flow, into functions of the same code that are called or made a fun of, and back to
//! where a function was called from. What a fun does may go on wherever the function that made it calls something. A call counts as
//! so many instructions, whatever it does. So a distance is a hint, not a bound.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::ir::{FnId, Function, Instr, Label};
use super::registry::{CodeView, Target};
use crate::path::SiteId;

/// A call costs as much as so many instructions.
const CALL: u32 = 4;

/// Marks the number that stands for the end of a function.
const END: u32 = 1 << 31;

/// For a place, those from which it can be reached, and what that costs.
type Before = FxHashMap<SiteId, Vec<(SiteId, u32)>>;

/// Distances of instructions, by site.
#[derive(Default)]
pub struct Distances {
    distances: FxHashMap<SiteId, u32>,
    /// Where an instruction goes if what it tests does not hold.
    fails: FxHashMap<SiteId, SiteId>,
}

/// The ways between instructions.
#[derive(Default)]
struct Ways {
    /// Within a function, calls passed over.
    inside: Before,
    /// Into functions that are called.
    down: Before,
    /// Out of functions.
    up: Before,
}

impl Distances {
    /// From every instruction of these functions to the next clause that is wanted.
    pub fn new(view: &CodeView, functions: impl Iterator<Item = FnId>, wanted: &dyn Fn(u32) -> bool) -> Self {
        let mut ways = Ways::default();
        let mut fails = FxHashMap::default();
        let mut reached = VecDeque::new();
        for id in functions {
            let Some(function) = view.function(id) else { continue };
            for (pc, instr) in function.code.iter().enumerate() {
                let here = function.site(pc);
                if matches!(instr, Instr::Enter { clause } if wanted(clause.0)) {
                    reached.push_back((here, 0));
                }
                if let Some(Label(to)) = instr.label().filter(|label| *label != Label::RAISE) {
                    fails.insert(here, function.site(to as usize));
                }
                ways.add(view, (id, function, pc), instr);
            }
        }
        let mut distances: FxHashMap<SiteId, u32> = reached.iter().copied().collect();
        // A function that is called on the way returns to that call only: so first without returning at all.
        spread(&mut distances, [&ways.inside, &ways.down], reached);
        let known = distances.iter().map(|(site, distance)| (*site, *distance)).collect();
        spread(&mut distances, [&ways.inside, &ways.up], known);
        Distances { distances, fails }
    }

    /// True if nothing that is wanted can be reached.
    pub fn is_empty(&self) -> bool {
        self.distances.is_empty()
    }

    /// From the other side of a decision, `taken` this way at the site, asked `within` the module under test there.
    pub fn of_other_side(&self, site: SiteId, taken: bool, within: SiteId) -> Option<u32> {
        if within != site && !self.fails.contains_key(&site) {
            // Other code, called from here.
            return self.distances.get(&next(within)).map(|distance| distance.saturating_add(CALL));
        }
        let other = if taken { *self.fails.get(&site)? } else { next(site) };
        self.distances.get(&other).copied()
    }
}

const fn next(site: SiteId) -> SiteId {
    SiteId(site.0.saturating_add(1))
}

const fn end(function: FnId) -> SiteId {
    SiteId(END | function.0)
}

impl Ways {
    fn add(&mut self, view: &CodeView, at: (FnId, &Function, usize), instr: &Instr) {
        let (id, function, pc) = at;
        let here = function.site(pc);
        let after = if goes_on(instr) { next(here) } else { end(id) };
        let is_call = calls(instr);
        if goes_on(instr) || matches!(instr, Instr::Return { .. }) || is_call {
            self.inside.entry(after).or_default().push((here, if is_call { CALL } else { 1 }));
        }
        if let Some(Label(to)) = instr.label().filter(|label| *label != Label::RAISE) {
            self.inside.entry(function.site(to as usize)).or_default().push((here, 1));
        }
        let Some(callee) = callee(view, instr) else { return };
        if let Some(function) = view.function(callee) {
            self.down.entry(function.site(0)).or_default().push((here, CALL));
        }
        // What is made a fun of is called later on, somewhere behind.
        self.up.entry(after).or_default().push((end(callee), 1));
    }
}

fn spread(distances: &mut FxHashMap<SiteId, u32>, ways: [&Before; 2], mut reached: VecDeque<(SiteId, u32)>) {
    while let Some((site, distance)) = reached.pop_front() {
        if distances.get(&site).is_some_and(|known| *known < distance) {
            continue;
        }
        for (other, cost) in ways.iter().filter_map(|before| before.get(&site)).flatten() {
            let longer = distance.saturating_add(*cost);
            let known = distances.entry(*other).or_insert(u32::MAX);
            if longer < *known {
                *known = longer;
                reached.push_back((*other, longer));
            }
        }
    }
}

fn calls(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::Call { .. }
            | Instr::CallRemote { .. }
            | Instr::CallFun { .. }
            | Instr::CallNamed { .. }
            | Instr::Apply { .. }
            | Instr::TailCall { .. }
            | Instr::TailCallRemote { .. }
            | Instr::TailCallFun { .. }
            | Instr::TailCallNamed { .. }
            | Instr::TailApply { .. }
    )
}

/// Whether the next instruction can be what follows.
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
