//! Short paths first.

use super::{OpenSide, Strategy};

pub struct BreadthFirst;

impl Strategy for BreadthFirst {
    fn class(&self, _: &OpenSide) -> u8 {
        0
    }

    fn place(&mut self, side: &OpenSide) -> u64 {
        side.index as u64
    }
}
