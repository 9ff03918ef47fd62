//! In random order; the same seed gives the same order.

use super::{OpenSide, Strategy};

pub struct Random {
    state: u64,
}

impl Random {
    pub const fn new(seed: u64) -> Self {
        Random { state: seed | 1 }
    }
}

impl Strategy for Random {
    fn class(&self, _: &OpenSide) -> u8 {
        0
    }

    /// A small generator (xorshift): the order only has to be different for different seeds, and the same for the same one.
    fn place(&mut self, _: &OpenSide) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }
}
