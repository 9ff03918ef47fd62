//! What is new first: sides of places in the code that no run has taken, those of the program before those of built-in functions; then those down to
//! the depth of the options, and the others last; of these, sides from which it is not far to code that no run has been at, and then
//! short paths first.

use super::{OpenSide, Strategy};

pub struct Coverage;

/// Distances that differ by less than this factor count the same.
const BASE: u32 = 4;

impl Strategy for Coverage {
    fn class(&self, side: &OpenSide) -> u8 {
        match (side.visited, side.deep) {
            (false, _) if side.by_program => 0,
            (false, _) => 1,
            (true, false) => 2,
            (true, true) => 3,
        }
    }

    fn place(&mut self, side: &OpenSide) -> u64 {
        let distance = side.distance.map_or(16, |distance| (distance + 1).ilog(BASE));
        (u64::from(distance) << 32) | side.index as u64
    }

    fn goes_deeper(&self) -> bool {
        true
    }
}
