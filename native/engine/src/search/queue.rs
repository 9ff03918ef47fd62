//! Which open side to solve for next.

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
    pushed: u64,
    random: u64,
}

impl Queue {
    pub fn new(strategy: Strategy, seed: u64) -> Self {
        Queue { strategy, heap: BinaryHeap::new(), visited: FxHashSet::default(), pushed: 0, random: seed | 1 }
    }

    pub fn len(&self) -> usize {
        self.heap.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// A run took this side.
    pub fn visit(&mut self, site: SiteId, taken: bool) {
        self.visited.insert((site, taken));
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
            } else {
                return Some(task);
            }
        }
        None
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
