//! Which open side to solve for next.
//!
//! Down to the `depth` of the options every open side is taken. Deeper ones are taken only while they may bring something new: sides of
//! sites that no run has been on, and, as long as there are such sides anywhere, a limited number of others on the way to them. So
//! a place that lies behind a long path is found, and a tree that only repeats itself does not grow out of hand.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::tree::Record;
use crate::path::{Origin, SiteId};
use crate::term::Packed;

/// The order in which open sides are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Sides of a site that no run has taken first, then the shallow ones.
    Coverage,
    /// The shallow ones first.
    BreadthFirst,
    /// The deep ones first.
    DepthFirst,
    Random,
}

/// Work for a worker.
pub enum Task {
    /// Run this input.
    Seed(Vec<Packed>),
    /// Solve for the other side of one decision of a recorded path.
    Flip { record: Arc<Record>, index: usize },
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    visited: bool,
    /// What a built-in function asks about its arguments comes after what the program asks.
    precondition: bool,
    place: u64,
    number: u64,
}

struct Entry {
    rank: Rank,
    task: Task,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

/// The open sides, and which sides of which sites some run has taken.
pub struct Queue {
    strategy: Strategy,
    heap: BinaryHeap<Reverse<Entry>>,
    visited: FxHashSet<(SiteId, bool)>,
    /// Sites of which only one side has been taken.
    one_sided: usize,
    depth: usize,
    /// How many more sides below the depth may be tried before one of them has to bring something new.
    effort: u32,
    /// True once an open side was left alone because of the depth.
    cut: bool,
    pushed: u64,
    random: u64,
}

const DEEP_EFFORT: u32 = 2_000;

impl Queue {
    pub fn new(strategy: Strategy, depth: usize, seed: u64) -> Self {
        Queue {
            strategy,
            heap: BinaryHeap::new(),
            visited: FxHashSet::default(),
            one_sided: 0,
            depth,
            effort: DEEP_EFFORT,
            cut: false,
            pushed: 0,
            random: seed | 1,
        }
    }

    pub fn len(&self) -> usize {
        self.heap.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// A run took this side.
    pub fn visit(&mut self, site: SiteId, taken: bool) {
        if self.visited.insert((site, taken)) {
            self.effort = DEEP_EFFORT;
            if self.visited.contains(&(site, !taken)) {
                self.one_sided -= 1;
            } else {
                self.one_sided += 1;
            }
        }
    }

    pub fn push(&mut self, task: Task) {
        let number = self.pushed;
        self.pushed += 1;
        let rank = self.rank(&task, number);
        self.heap.push(Reverse(Entry { rank, task }));
    }

    pub fn pop(&mut self) -> Option<Task> {
        while let Some(Reverse(Entry { rank, task })) = self.heap.pop() {
            // What has been visited since it was pushed goes back to its new place.
            if !rank.visited && self.is_visited(&task) && self.strategy == Strategy::Coverage {
                let rank = Rank { visited: true, ..rank };
                self.heap.push(Reverse(Entry { rank, task }));
            } else if self.is_worth_it(&task) {
                return Some(task);
            } else {
                self.cut = true;
            }
        }
        None
    }

    /// True once an open side was left alone because it lies too deep.
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    fn is_worth_it(&mut self, task: &Task) -> bool {
        match task {
            Task::Flip { index, .. } if *index >= self.depth => {
                let worth_it = self.effort > 0 && self.one_sided > 0;
                self.effort = self.effort.saturating_sub(1);
                worth_it
            }
            Task::Flip { .. } | Task::Seed(_) => true,
        }
    }

    fn is_visited(&self, task: &Task) -> bool {
        match task {
            Task::Seed(_) => false,
            Task::Flip { record, index } => {
                record.decision(*index).is_some_and(|decision| self.visited.contains(&(decision.site, !decision.taken)))
            }
        }
    }

    fn rank(&mut self, task: &Task, number: u64) -> Rank {
        let (precondition, depth) = match task {
            Task::Seed(_) => return Rank { visited: false, precondition: false, place: 0, number },
            Task::Flip { record, index } => {
                let origin = record.decision(*index).map(|decision| decision.origin);
                (origin == Some(Origin::Precondition), *index as u64)
            }
        };
        match self.strategy {
            Strategy::Coverage => Rank { visited: self.is_visited(task), precondition, place: depth, number },
            Strategy::BreadthFirst => Rank { visited: false, precondition: false, place: depth, number },
            Strategy::DepthFirst => Rank { visited: false, precondition: false, place: u64::MAX - depth, number },
            Strategy::Random => Rank { visited: false, precondition: false, place: self.next_random(), number },
        }
    }

    /// A small generator (xorshift): the order only has to be different for different seeds, and the same for the same one.
    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}
