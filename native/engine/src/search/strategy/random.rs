//! In random order; the same seed gives the same order.

use super::{OpenSide, Strategy};
use crate::search::chance::Chance;

pub struct Random {
    chance: Chance,
}

impl Random {
    pub const fn new(seed: u64) -> Self {
        Random { chance: Chance::new(seed) }
    }
}

impl Strategy for Random {
    fn class(&self, _: &OpenSide) -> u8 {
        0
    }

    fn place(&mut self, _: &OpenSide) -> u64 {
        self.chance.next()
    }
}
