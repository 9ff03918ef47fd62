//! Which open side to solve for next.
//!
//! Down to the `depth` of the options, counted in questions about the input, every open side is taken. Unless the user has set that depth, deeper
//! ones are taken while they may bring something new: sides of sites that no run has been on, and, as long as there are such sides
//! anywhere, or a way is known from the side to a clause that no run has entered, others too, with a limited effort. So
//! a place that lies behind a long path is found, and a tree that only repeats itself does not grow out of hand.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::strategy::{OpenSide, Strategy};
use super::tree::Record;
use crate::code::distance::Distances;
use crate::path::{Decision, Origin, SiteId};
use crate::term::Packed;

/// Work for a worker.
pub enum Task {
    /// Run this input.
    Seed(Vec<Packed>),
    /// Solve for the other sides of some decisions of a recorded path, by index, ascending: so the solver can keep what it has asserted
    /// from one to the next.
    Flips { record: Arc<Record>, indices: Vec<usize> },
    /// Ask the solver once more for the other side of this decision.
    Again { record: Arc<Record>, index: usize },
}

/// How many sides are taken at once: then there may be better ones elsewhere.
const BATCH: usize = 32;

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    class: u8,
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
    strategy: Box<dyn Strategy>,
    distances: Distances,
    heap: BinaryHeap<Reverse<Entry>>,
    visited: FxHashSet<(SiteId, bool)>,
    /// The same for library code by the call in the module under test that led there, and how often.
    visits: FxHashMap<(SiteId, SiteId, bool), u32>,
    /// Sites of which only one side has been taken.
    one_sided: usize,
    depth: usize,
    /// Sides below the depth may be worth an effort.
    deeper: bool,
    /// How much more may be spent on them before one of them has to bring something new.
    effort: u32,
    /// True once an open side was left alone because of the depth.
    cut: bool,
    pushed: u64,
}

/// The effort for sides below the depth: one for each, and one more for every so many decisions before it.
const DEEP_EFFORT: u32 = 30_000;
const STRIDE: u32 = 16;

impl Queue {
    pub fn new(strategy: Box<dyn Strategy>, depth: usize, deeper: bool) -> Self {
        Queue {
            strategy,
            distances: Distances::default(),
            heap: BinaryHeap::new(),
            visited: FxHashSet::default(),
            visits: FxHashMap::default(),
            one_sided: 0,
            depth,
            deeper,
            effort: DEEP_EFFORT,
            cut: false,
            pushed: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.heap.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// A run took this side.
    pub fn visit(&mut self, decision: &Decision) {
        let Decision { site, taken, within, .. } = *decision;
        let visits = self.visits.entry((site, within, taken)).or_default();
        *visits = visits.saturating_add(1);
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
        let rank = Rank { class: 0, place: 0, number: self.next_number() };
        self.heap.push(Reverse(Entry { rank, task: Task::Seed(input) }));
    }

    /// Leaves a side that the solver has no quick answer for until there is nothing else.
    pub fn postpone(&mut self, record: Arc<Record>, index: usize) {
        let rank = Rank { class: u8::MAX, place: index as u64, number: self.next_number() };
        self.heap.push(Reverse(Entry { rank, task: Task::Again { record, index } }));
    }

    /// How far it is to what no run has been at, from now on.
    pub fn set_distances(&mut self, distances: Distances) {
        self.distances = distances;
    }

    /// Adds open sides of a path, those of one class together.
    pub fn open(&mut self, record: &Arc<Record>, indices: Vec<usize>) {
        let mut groups: BTreeMap<(u8, u32), Vec<usize>> = BTreeMap::new();
        for index in indices {
            let side = self.side(record, index);
            let place = if self.strategy.place_changes() { self.strategy.place(&side) } else { 0 };
            groups.entry((self.strategy.class(&side), (place >> 32) as u32)).or_default().push(index);
        }
        for ((class, _), indices) in groups {
            self.push(record, indices, class);
        }
    }

    fn push(&mut self, record: &Arc<Record>, indices: Vec<usize>, class: u8) {
        let sides = indices.iter().map(|index| self.side(record, *index)).collect::<Vec<_>>();
        let Some(place) = sides.iter().map(|side| self.strategy.place(side)).min() else { return };
        let rank = Rank { class, place, number: self.next_number() };
        let task = Task::Flips { record: Arc::clone(record), indices };
        self.heap.push(Reverse(Entry { rank, task }));
    }

    /// The next task, with only the sides in it that are still worth it.
    pub fn pop(&mut self) -> Option<Task> {
        while let Some(Reverse(Entry { rank, task })) = self.heap.pop() {
            let Task::Flips { record, mut indices } = task else { return Some(task) };
            // What has been visited since it was added goes back to its new place.
            let (now, later): (Vec<usize>, Vec<usize>) =
                indices.drain(..).partition(|index| self.class(&record, *index) == rank.class);
            self.open(&record, later);
            if self.has_fallen(&record, &now, rank.place) {
                self.open(&record, now);
                continue;
            }
            let mut now = now.into_iter();
            let taken: Vec<usize> =
                now.by_ref().filter(|index| self.is_worth_it(&record, *index)).take(BATCH).collect();
            self.push(&record, now.collect(), rank.class);
            if !taken.is_empty() {
                return Some(Task::Flips { record, indices: taken });
            }
        }
        None
    }

    /// Whether other sides should come before these by now.
    fn has_fallen(&mut self, record: &Record, indices: &[usize], place: u64) -> bool {
        if !self.strategy.place_changes() {
            return false;
        }
        let sides = indices.iter().map(|index| self.side(record, *index)).collect::<Vec<_>>();
        let now = sides.iter().map(|side| self.strategy.place(side)).min();
        now.is_some_and(|now| now >> 32 > place >> 32)
    }

    /// True once an open side was left alone because it lies too deep.
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    fn is_worth_it(&mut self, record: &Record, index: usize) -> bool {
        if !self.is_deep(record, index) {
            return true;
        }
        let news = self.one_sided > 0 || self.side(record, index).distance.is_some();
        let worth_it = self.deeper && self.strategy.goes_deeper() && self.effort > 0 && news;
        self.effort = self.effort.saturating_sub(1 + index as u32 / STRIDE);
        self.cut |= !worth_it;
        worth_it
    }

    fn is_deep(&self, record: &Record, index: usize) -> bool {
        record.decision(index).is_none_or(|decision| decision.depth as usize >= self.depth)
    }

    fn class(&self, record: &Record, index: usize) -> u8 {
        self.strategy.class(&self.side(record, index))
    }

    fn side(&self, record: &Record, index: usize) -> OpenSide {
        let decision = record.decision(index);
        let other = |decision: &Decision| self.visits.get(&(decision.site, decision.within, !decision.taken));
        let visits = decision.and_then(other).copied().unwrap_or(0);
        OpenSide {
            index,
            deep: self.is_deep(record, index),
            visited: decision.is_none() || visits > 0,
            visits: (visits + 1).ilog2(),
            by_program: decision.is_some_and(|decision| decision.origin == Origin::Program),
            distance: decision.and_then(|decision| self.distances.of_other_side(decision)),
        }
    }

    fn next_number(&mut self) -> u64 {
        self.pushed += 1;
        self.pushed
    }
}
