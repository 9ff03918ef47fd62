//! Why clauses were not entered.
//!
//! A run that would enter such a clause leaves what is known at some point: on a side of a decision that was left open or that the solver gave
//! up, behind the end of a run that was stopped, or behind a call whose result lost its symbolic meaning. From where control cannot get from any of these to the
//! clause, whatever the values are, no run enters it: every decision on the way there has been taken or is known to go one way only, by the solver or
//! by what the path and the spec say.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::tree::{Side, Tree};
use crate::code::CodeView;
use crate::code::flow::{Flow, Reach};
use crate::code::ir::{FnId, Instr, Mfa};
use crate::machine::{Covered, Subject};
use crate::path::SiteId;
use crate::report::clauses::{Reason, reachable};
use crate::report::{Reached, Statistics};

/// More places than this where the solver gave up are not looked at one by one.
const MOST_PLACES: usize = 40;

/// What is not known, and where it leads to.
struct Unknown {
    open: Reach,
    ended: Vec<(Reached, Reach)>,
    given_up: Vec<(Option<SiteId>, Reach)>,
    concrete: Vec<(Mfa, Reach)>,
}

/// Says of each clause that was not entered why. `measured` is the function whose clauses count.
pub(super) fn explain(view: &CodeView, subject: &Subject, measured: FnId, tree: &Tree, statistics: &mut Statistics) {
    let mut coverage = std::mem::take(&mut statistics.coverage);
    let mut missing = coverage.rows.iter_mut().filter(|row| !row.covered).peekable();
    if missing.peek().is_some() {
        let unknown = unknown(view, subject, tree, statistics);
        let sites = clause_sites(view, measured, &statistics.covered);
        for row in missing {
            row.reason = Some(match sites.get(&row.number) {
                Some(site) => unknown.reason(view, *site, statistics),
                None => Reason::Infeasible,
            });
        }
    }
    statistics.coverage = coverage;
}

/// Where clauses begin.
fn clause_sites(view: &CodeView, measured: FnId, covered: &Covered) -> FxHashMap<u32, SiteId> {
    let functions = reachable(view, measured, covered).into_iter().filter_map(|id| view.function(id));
    let entered = functions.flat_map(|function| {
        function.code.iter().enumerate().filter_map(|(pc, instr)| match instr {
            Instr::Enter { clause } => Some((clause.0, function.site(pc))),
            _ => None,
        })
    });
    entered.collect()
}

fn unknown(view: &CodeView, subject: &Subject, tree: &Tree, statistics: &Statistics) -> Unknown {
    let flow = Flow::new(view, subject.entry, subject.pre);
    let beginning = subject.pre.unwrap_or(subject.entry);
    let first = view.function(beginning).map(|function| function.site(0));
    let mut open = BTreeSet::new();
    let mut given_up: BTreeMap<SiteId, Vec<SiteId>> = BTreeMap::new();
    for (site, taken, side) in tree.sides() {
        match side {
            Side::Next(_) | Side::End | Side::Infeasible => {}
            Side::Open => open.extend(flow.other_side(site, !taken)),
            Side::GaveUp => given_up.entry(site).or_default().extend(flow.other_side(site, !taken)),
        }
    }
    if tree.is_empty() && statistics.cancelled {
        open.extend(first);
    }
    let rest = given_up.iter().skip(MOST_PLACES).flat_map(|(_, to)| to.iter().copied()).collect::<Vec<_>>();
    let one_by_one = given_up.iter().take(MOST_PLACES).map(|(site, to)| (Some(*site), to.as_slice()));
    let given_up = one_by_one.chain((!rest.is_empty()).then_some((None, rest.as_slice())));
    Unknown {
        open: flow.reach(open.into_iter()),
        ended: grouped(&statistics.ended_at, first).map(|(why, from)| (why, flow.reach(from.into_iter()))).collect(),
        given_up: given_up.map(|(site, to)| (site, flow.reach(to.iter().copied()))).collect(),
        concrete: grouped(&statistics.concretised_at, first)
            .map(|(mfa, from)| (mfa, flow.reach(from.into_iter())))
            .collect(),
    }
}

/// The places for each of some things; where no place is known it is the beginning.
fn grouped<T: Ord + Copy>(
    places: &BTreeSet<(T, Option<SiteId>)>,
    first: Option<SiteId>,
) -> impl Iterator<Item = (T, Vec<SiteId>)> {
    let mut groups: BTreeMap<T, Vec<SiteId>> = BTreeMap::new();
    for (thing, place) in places {
        groups.entry(*thing).or_default().extend(place.or(first));
    }
    groups.into_iter()
}

impl Unknown {
    fn reason(&self, view: &CodeView, clause: SiteId, statistics: &Statistics) -> Reason {
        if self.open.contains(clause) {
            let limit = statistics.reached.iter().copied().find(|reached| is_limit(*reached));
            return Reason::Limit(limit.unwrap_or(Reached::Time));
        }
        if let Some((limit, _)) = self.ended.iter().find(|(_, reach)| reach.contains(clause)) {
            return Reason::Limit(*limit);
        }
        if let Some((site, _)) = self.given_up.iter().find(|(_, reach)| reach.contains(clause)) {
            let place = site.and_then(|site| view.site(site));
            return Reason::Solver(place.map(|(function, pc)| (function.mfa, function.line(pc).number())));
        }
        let concrete: Vec<Mfa> =
            self.concrete.iter().filter(|(_, reach)| reach.contains(clause)).map(|(mfa, _)| *mfa).collect();
        if concrete.is_empty() { Reason::Infeasible } else { Reason::Concrete(concrete) }
    }
}

/// Whether more would be explored without it.
fn is_limit(reached: Reached) -> bool {
    match reached {
        Reached::Time | Reached::Runs | Reached::Memory | Reached::Steps | Reached::Depth => true,
        Reached::Solver | Reached::Unsupported | Reached::Divergence | Reached::Concretised => false,
    }
}
