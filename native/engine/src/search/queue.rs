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

use super::dormant::{Brief, Squeezed};
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
    /// Run an input that is mixed from others.
    Mix,
    /// Run inputs that are made up by chance.
    Try,
    /// Ask the solver once more for the other side of this decision.
    Again { record: Arc<Record>, index: usize },
    /// The same for a path that has to be made again, by a run of this input.
    Wake { input: Vec<Packed>, indices: Vec<usize> },
}

/// After so many sides in library code that one call in the module under test leads to, others come first: a table of a thousand clauses would take all the
/// time.
const CROWD: u32 = 64;

/// How many paths wait with all their expressions. Of more than these only the inputs are kept.
const AWAKE: usize = 2_000;

/// Where open sides come from.
#[derive(Clone)]
enum Path {
    Awake(Arc<Record>),
    Asleep(Squeezed),
}

enum Work {
    Seed(Vec<Packed>),
    Sides { path: Path, sides: Vec<Brief> },
    Again { record: Arc<Record>, index: usize },
}

/// How many sides are taken at once: then there may be better ones elsewhere.
const BATCH: usize = 32;
/// How often an input is mixed from others before the sides within the depth are done.
const SOMETIMES: u32 = 16;

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    class: u8,
    place: u64,
    number: u64,
}

struct Entry {
    rank: Rank,
    work: Work,
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
    /// How many sides in library code were taken for the sake of a call in the module under test.
    crowds: FxHashMap<SiteId, u32>,
    /// Sites of which only one side has been taken.
    one_sided: usize,
    depth: usize,
    /// Sides below the depth may be worth an effort.
    deeper: bool,
    /// How much more may be spent on them before one of them has to bring something new.
    effort: u32,
    /// True once an open side was left alone because of the depth.
    cut: bool,
    turns: u32,
    /// The last task was for a side below the depth.
    went_deep: bool,
    pushed: u64,
    /// How many entries have a path with all its expressions, and how many only the input of a run.
    awake: usize,
    asleep: usize,
    /// The most there have been of each.
    most: (usize, usize),
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
            crowds: FxHashMap::default(),
            one_sided: 0,
            depth,
            deeper,
            effort: DEEP_EFFORT,
            cut: false,
            turns: 0,
            went_deep: false,
            pushed: 0,
            awake: 0,
            asleep: 0,
            most: (0, 0),
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
        self.heap.push(Reverse(Entry { rank, work: Work::Seed(input) }));
    }

    /// Leaves a side that the solver has no quick answer for until there is nothing else.
    pub fn postpone(&mut self, record: Arc<Record>, index: usize) {
        let rank = Rank { class: u8::MAX, place: index as u64, number: self.next_number() };
        self.heap.push(Reverse(Entry { rank, work: Work::Again { record, index } }));
    }

    /// How far it is to what no run has been at, from now on: some run has just been at something new.
    pub fn set_distances(&mut self, distances: Distances) {
        self.distances = distances;
        self.effort = DEEP_EFFORT;
    }

    /// Adds open sides of a path, those of one class together.
    pub fn open(&mut self, record: &Arc<Record>, indices: Vec<usize>) {
        let sides = indices.into_iter().filter_map(|index| Brief::of(record, index)).collect();
        let asleep = record.can_sleep && self.awake >= AWAKE;
        let path = if asleep { Path::Asleep(Squeezed::new(&record.input)) } else { Path::Awake(Arc::clone(record)) };
        self.open_again(&path, sides);
    }

    fn open_again(&mut self, path: &Path, sides: Vec<Brief>) {
        let mut groups: BTreeMap<(u8, u32), Vec<Brief>> = BTreeMap::new();
        for side in sides {
            let open = self.side(side);
            let place = if self.strategy.place_changes() { self.strategy.place(&open) } else { 0 };
            groups.entry((self.strategy.class(&open), (place >> 32) as u32)).or_default().push(side);
        }
        for ((class, _), sides) in groups {
            self.push(path, sides, class);
        }
    }

    fn push(&mut self, path: &Path, sides: Vec<Brief>, class: u8) {
        let open = sides.iter().map(|side| self.side(*side)).collect::<Vec<_>>();
        let Some(place) = open.iter().map(|side| self.strategy.place(side)).min() else { return };
        let rank = Rank { class, place, number: self.next_number() };
        self.count(path, 1);
        self.heap.push(Reverse(Entry { rank, work: Work::Sides { path: path.clone(), sides } }));
    }

    fn count(&mut self, path: &Path, change: isize) {
        let counter = match path {
            Path::Awake(_) => &mut self.awake,
            Path::Asleep(_) => &mut self.asleep,
        };
        *counter = counter.saturating_add_signed(change);
        self.most = (self.most.0.max(self.awake), self.most.1.max(self.asleep));
    }

    /// How many entries had a path with all its expressions, at most, and how many only the input of a run.
    pub fn most_waiting(&self) -> (usize, usize) {
        self.most
    }

    /// The next task, with only the sides in it that are still worth it.
    pub fn pop(&mut self) -> Option<Task> {
        if self.is_time_to_mix() {
            return Some(Task::Mix);
        }
        while let Some(Reverse(Entry { rank, work })) = self.heap.pop() {
            let (path, sides) = match work {
                Work::Seed(input) => return Some(Task::Seed(input)),
                Work::Again { record, index } => return Some(Task::Again { record, index }),
                Work::Sides { path, sides } => (path, sides),
            };
            self.count(&path, -1);
            // What has been visited since it was added goes back to its new place.
            let (now, later): (Vec<Brief>, Vec<Brief>) =
                sides.into_iter().partition(|side| self.class(*side) == rank.class);
            self.open_again(&path, later);
            if self.has_fallen(&now, rank.place) {
                self.open_again(&path, now);
                continue;
            }
            let mut now = now.into_iter();
            let taken: Vec<Brief> = now.by_ref().filter(|side| self.is_worth_it(*side)).take(BATCH).collect();
            self.push(&path, now.collect(), rank.class);
            for side in taken.iter().filter(|side| side.within != side.site) {
                *self.crowds.entry(side.within).or_default() += 1;
            }
            let indices: Vec<usize> = taken.into_iter().map(|side| side.index as usize).collect();
            if indices.is_empty() {
                continue;
            }
            match path {
                Path::Awake(record) => return Some(Task::Flips { record, indices }),
                Path::Asleep(squeezed) => {
                    if let Some(input) = squeezed.input() {
                        return Some(Task::Wake { input, indices });
                    }
                }
            }
        }
        None
    }

    /// Whether there are clauses that no run has been at, and the search may go where the depth does not. What the user gave comes first.
    pub fn has_something_to_find(&self) -> bool {
        let seed_waits = matches!(self.heap.peek(), Some(Reverse(Entry { work: Work::Seed(_), .. })));
        self.deeper && self.strategy.goes_deeper() && !self.distances.is_empty() && !seed_waits
    }

    /// In turn with sides below the depth, and now and then before, as long as there is something to be found.
    fn is_time_to_mix(&mut self) -> bool {
        self.turns += 1;
        let is_time = std::mem::take(&mut self.went_deep) || self.turns.is_multiple_of(SOMETIMES);
        if !is_time || self.heap.is_empty() || self.effort == 0 || !self.has_something_to_find() {
            return false;
        }
        self.effort -= 1;
        true
    }

    /// Whether other sides should come before these by now.
    fn has_fallen(&mut self, sides: &[Brief], place: u64) -> bool {
        if !self.strategy.place_changes() {
            return false;
        }
        let sides = sides.iter().map(|side| self.side(*side)).collect::<Vec<_>>();
        let now = sides.iter().map(|side| self.strategy.place(side)).min();
        now.is_some_and(|now| now >> 32 > place >> 32)
    }

    /// True once an open side was left alone because it lies too deep.
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    fn is_worth_it(&mut self, side: Brief) -> bool {
        if !self.is_deep(side) {
            return true;
        }
        let news = self.one_sided > 0 || self.side(side).distance.is_some();
        let worth_it = self.deeper && self.strategy.goes_deeper() && self.effort > 0 && news;
        self.effort = self.effort.saturating_sub(1 + side.index / STRIDE);
        self.cut |= !worth_it;
        self.went_deep |= worth_it;
        worth_it
    }

    fn is_deep(&self, side: Brief) -> bool {
        side.depth as usize >= self.depth
    }

    fn class(&self, side: Brief) -> u8 {
        self.strategy.class(&self.side(side))
    }

    fn side(&self, side: Brief) -> OpenSide {
        let visits = self.visits.get(&(side.site, side.within, !side.taken)).copied().unwrap_or(0);
        let crowd = self.crowds.get(&side.within).copied().filter(|crowd| side.within != side.site && *crowd >= CROWD);
        OpenSide {
            index: side.index as usize,
            deep: self.is_deep(side),
            visited: visits > 0 || crowd.is_some(),
            visits: (visits.max(crowd.unwrap_or(0)) + 1).ilog2(),
            by_program: side.origin == Origin::Program,
            distance: self.distances.of_other_side(side.site, side.taken, side.within),
        }
    }

    fn next_number(&mut self) -> u64 {
        self.pushed += 1;
        self.pushed
    }
}
