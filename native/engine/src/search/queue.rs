//! Which open side to solve for next.
//!
//! Down to the `depth` of the options every open side is taken. Deeper ones are taken only while they may bring something new: sides of
//! sites that no run has been on, and, as long as there are such sides anywhere, a limited number of others on the way to them. So
//! a place that lies behind a long path is found, and a tree that only repeats itself does not grow out of hand.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
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
    /// Solve for the other sides of some decisions of a recorded path, by index, ascending: so the solver can keep what it has asserted
    /// from one to the next.
    Flips { record: Arc<Record>, indices: Vec<usize> },
}

/// How many sides are taken at once: then there may be better ones elsewhere.
const BATCH: usize = 32;

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

    pub fn seed(&mut self, input: Vec<Packed>) {
        let rank = Rank { visited: false, precondition: false, place: 0, number: self.next_number() };
        self.heap.push(Reverse(Entry { rank, task: Task::Seed(input) }));
    }

    /// Adds open sides of a path, those of one importance together.
    pub fn open(&mut self, record: &Arc<Record>, indices: Vec<usize>) {
        let mut groups: BTreeMap<(bool, bool), Vec<usize>> = BTreeMap::new();
        for index in indices {
            groups.entry(self.importance(record, index)).or_default().push(index);
        }
        for ((visited, precondition), indices) in groups {
            self.push(record, indices, visited, precondition);
        }
    }

    fn push(&mut self, record: &Arc<Record>, indices: Vec<usize>, visited: bool, precondition: bool) {
        let Some(first) = indices.first() else { return };
        let depth = *first as u64;
        let place = match self.strategy {
            Strategy::Coverage | Strategy::BreadthFirst => depth,
            Strategy::DepthFirst => u64::MAX - depth,
            Strategy::Random => self.next_random(),
        };
        let rank = Rank { visited, precondition, place, number: self.next_number() };
        let task = Task::Flips { record: Arc::clone(record), indices };
        self.heap.push(Reverse(Entry { rank, task }));
    }

    /// The next task, with only the sides in it that are still worth it.
    pub fn pop(&mut self) -> Option<Task> {
        while let Some(Reverse(Entry { rank, task })) = self.heap.pop() {
            let Task::Flips { record, mut indices } = task else { return Some(task) };
            // What has been visited since it was added goes back to its new place.
            let asked = (rank.visited, rank.precondition);
            let (now, later): (Vec<usize>, Vec<usize>) =
                indices.drain(..).partition(|index| self.importance(&record, *index) == asked);
            self.open(&record, later);
            let mut now = now.into_iter();
            let taken: Vec<usize> = now.by_ref().filter(|index| self.is_worth_it(*index)).take(BATCH).collect();
            self.push(&record, now.collect(), rank.visited, rank.precondition);
            if !taken.is_empty() {
                return Some(Task::Flips { record, indices: taken });
            }
        }
        None
    }

    /// True once an open side was left alone because it lies too deep.
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    fn is_worth_it(&mut self, index: usize) -> bool {
        if index < self.depth {
            return true;
        }
        let worth_it = self.effort > 0 && self.one_sided > 0;
        self.effort = self.effort.saturating_sub(1);
        self.cut |= !worth_it;
        worth_it
    }

    /// What makes one side more important than another, the smaller first: whether some run has been there, and whether a built-in
    /// function asked.
    fn importance(&self, record: &Record, index: usize) -> (bool, bool) {
        match (self.strategy, record.decision(index)) {
            (Strategy::Coverage, Some(decision)) => {
                let visited = self.visited.contains(&(decision.site, !decision.taken));
                (visited, decision.origin != Origin::Program)
            }
            _ => (false, false),
        }
    }

    fn next_number(&mut self) -> u64 {
        self.pushed += 1;
        self.pushed
    }

    /// A small generator (xorshift): the order only has to be different for different seeds, and the same for the same one.
    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}
