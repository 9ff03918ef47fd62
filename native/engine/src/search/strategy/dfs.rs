//! Long paths first.

use super::{OpenSide, Strategy};

pub struct DepthFirst;

impl Strategy for DepthFirst {
    fn class(&self, _: &OpenSide) -> u8 {
        0
    }

    fn place(&mut self, side: &OpenSide) -> u64 {
        u64::MAX - side.index as u64
    }
}
