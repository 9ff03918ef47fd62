//! In which order open sides are taken: one file a strategy.

mod bfs;
mod coverage;
mod dfs;
mod random;

pub use bfs::BreadthFirst;
pub use coverage::Coverage;
pub use dfs::DepthFirst;
pub use random::Random;

/// What a strategy is told of an open side.
#[derive(Clone, Copy, Debug)]
pub struct OpenSide {
    /// How many decisions come before it.
    pub index: usize,
    /// Some run has been on that side of the same place in the code, or on many others in the same library code.
    pub visited: bool,
    /// It lies below the depth of the options.
    pub deep: bool,
    /// The program asks, not a built-in function about its arguments, nor the spec about the result.
    pub by_program: bool,
    /// How often runs have been on that side of the same place, as a logarithm.
    pub visits: u32,
    /// How far it is from there to code that no run has been at, if a way is known.
    pub distance: Option<u32>,
}

/// Sides with a smaller class are taken first; of one class, those with the smaller place.
pub trait Strategy: Send {
    /// May change as places get visited.
    fn class(&self, side: &OpenSide) -> u8;

    fn place(&mut self, side: &OpenSide) -> u64;

    /// Whether the place of a side changes with what runs have visited.
    fn place_changes(&self) -> bool {
        false
    }

    /// Whether sides below the depth of the options are worth a limited effort.
    fn goes_deeper(&self) -> bool {
        false
    }
}
