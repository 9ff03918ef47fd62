//! What is new first: sides of places in the code that no run has taken, those of the program before those of built-in functions; then those down to
//! the depth of the options, or from which a way is known to clauses that no run has entered, and the others last; of these, sides from which it is not far to
//! such clauses and that few runs have been on, and then short paths first.

use super::{OpenSide, Strategy};

pub struct Coverage;

/// Distances that differ by less than this factor count the same.
const BASE: u32 = 4;
/// So many visits, as a logarithm, count as much as one such factor.
const VISITS: u32 = 2;
/// The logarithm of the distance of a side from which no way is known.
const FAR: u32 = 16;

impl Strategy for Coverage {
    fn class(&self, side: &OpenSide) -> u8 {
        match (side.visited, side.deep) {
            (false, _) if side.by_program => 0,
            (false, _) => 1,
            (true, false) => 2,
            (true, true) if side.distance.is_some() => 2,
            (true, true) => 3,
        }
    }

    fn place(&mut self, side: &OpenSide) -> u64 {
        let distance = side.distance.map_or(FAR, |distance| distance.saturating_add(1).ilog(BASE).min(FAR));
        // A side that many runs have been on without finding what is near is as good as one that is farther away.
        (u64::from(distance + side.visits / VISITS) << 32) | side.index as u64
    }

    fn place_changes(&self) -> bool {
        true
    }

    fn goes_deeper(&self) -> bool {
        true
    }
}
