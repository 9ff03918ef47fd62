//! Why clauses were not entered.
//!
//! On the way to such a clause there are sides of decisions that no run has taken. What became of them, from where the way is known, tells
//! why: left open at a limit, given up by the solver, or found infeasible everywhere. Where there is no such side, the path's own knowledge ruled the
//! way out, unless a value lost its expression before.

use std::collections::BTreeMap;

use super::tree::{Side, Tree};
use crate::code::CodeView;
use crate::code::distance::Distances;
use crate::code::ir::FnId;
use crate::path::SiteId;
use crate::report::clauses::{Reason, reachable};
use crate::report::{Reached, Statistics};

/// More clauses than this are not looked into one by one.
const MOST_CLAUSES: usize = 500;

/// What became of the sides of a place in the code.
#[derive(Clone, Copy, Default)]
struct Fate {
    taken: bool,
    open: bool,
    gave_up: bool,
}

/// Says of each clause that was not entered why.
pub(super) fn explain(view: &CodeView, entry: FnId, tree: &Tree, statistics: &mut Statistics) {
    let mut fates: BTreeMap<(SiteId, bool), Fate> = BTreeMap::new();
    for (site, taken, side) in tree.sides() {
        let fate = fates.entry((site, taken)).or_default();
        match side {
            Side::Next(_) | Side::End => fate.taken = true,
            Side::Open => fate.open = true,
            Side::GaveUp => fate.gave_up = true,
            Side::Infeasible => {}
        }
    }
    fates.retain(|_, fate| !fate.taken);
    let functions = reachable(view, entry);
    let mut coverage = std::mem::take(&mut statistics.coverage);
    for row in coverage.rows.iter_mut().filter(|row| !row.covered && !row.generated).take(MOST_CLAUSES) {
        let wanted = row.number;
        let distances = Distances::new(view, functions.iter().copied(), &|clause| clause == wanted);
        let leads_there = |(site, taken): &(SiteId, bool)| distances.of_other_side(*site, !*taken).is_some();
        let on_the_way: Vec<(SiteId, Fate)> =
            fates.iter().filter(|(side, _)| leads_there(side)).map(|((site, _), fate)| (*site, *fate)).collect();
        row.reason = Some(reason(view, &on_the_way, statistics));
    }
    statistics.coverage = coverage;
}

fn reason(view: &CodeView, on_the_way: &[(SiteId, Fate)], statistics: &Statistics) -> Reason {
    let limit = statistics.reached.iter().copied().find(|reached| is_limit(*reached));
    if let Some(limit) = limit.filter(|_| on_the_way.iter().any(|(_, fate)| fate.open)) {
        return Reason::Limit(limit);
    }
    if let Some((site, _)) = on_the_way.iter().find(|(_, fate)| fate.gave_up) {
        let place = view.site(*site).map(|(function, pc)| (function.mfa, function.line(pc).number()));
        return Reason::Solver(place);
    }
    if !statistics.concretised.is_empty() {
        return Reason::Concrete(statistics.concretised.keys().copied().collect());
    }
    limit.map_or(Reason::Infeasible, Reason::Limit)
}

/// Whether more would be explored without it.
fn is_limit(reached: Reached) -> bool {
    match reached {
        Reached::Time | Reached::Runs | Reached::Memory | Reached::Steps | Reached::Depth => true,
        Reached::Solver | Reached::Unsupported | Reached::Divergence | Reached::Concretised => false,
    }
}
