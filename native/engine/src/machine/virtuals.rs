//! What a run has of its own instead of the world's: time, references, unique integers, names of processes, the depth of stacktraces, and
//! the flags of a process.
//!
//! A run is a function of its input: the clock starts at the same moment in every run and goes on by one microsecond whenever it is read
//! and by the time that is waited for, and numbers are counted. Not modelled: time that passes while the program computes, and time zones
//! (local time is UTC).

use std::collections::VecDeque;
use std::sync::Arc;

use super::processes::Names;
use super::timers::{Receiver, Timers};
use crate::term::{AtomId, Value, VirtualKind};

const SECOND: i64 = 1_000_000_000;

const MILLISECOND: i64 = 1_000_000;

/// Nanoseconds between two looks at the clock.
const TICK: i64 = 1_000;

/// The VM's clock starts near here, too: far below zero.
const MONOTONIC_START: i64 = -576_460_751 * SECOND;

/// 2020-09-13, 12:26:40.
const SYSTEM_START: i64 = 1_600_000_000 * SECOND;

/// How many compiled patterns a run remembers.
const PATTERNS: usize = 256;

/// What the latest results of `binary:compile_pattern/1` stand for. Searches with others are made by the host.
#[derive(Clone, Debug, Default)]
pub struct CompiledPatterns(VecDeque<Compiled>);

#[derive(Clone, Debug)]
struct Compiled {
    /// The VM's, in external format.
    reference: Vec<u8>,
    patterns: Arc<[Vec<u8>]>,
}

impl CompiledPatterns {
    pub fn remember(&mut self, reference: Vec<u8>, patterns: Arc<[Vec<u8>]>) {
        if self.0.len() == PATTERNS {
            self.0.pop_back();
        }
        self.0.push_front(Compiled { reference, patterns });
    }

    pub fn of(&self, reference: &[u8]) -> Option<Arc<[Vec<u8>]>> {
        self.0.iter().find(|known| known.reference == reference).map(|known| Arc::clone(&known.patterns))
    }
}

/// Time, references, unique integers, names and compiled patterns of a run.
#[derive(Clone, Debug, Default)]
pub struct Virtuals {
    ticks: i64,
    references: u64,
    processes: u64,
    unique: i64,
    pub names: Names,
    pub patterns: CompiledPatterns,
    /// Milliseconds that have passed while everybody waited.
    waited: u64,
    pub(super) timers: Timers,
    pub(super) tags: Tags,
    pub changed: ChangedModules,
    pub backtrace_depth: usize,
}

/// Modules that the run has loaded or deleted itself: their code is the VM's from then on, and that of the session is left as it is for other runs.
#[derive(Clone, Debug, Default)]
pub struct ChangedModules(Vec<AtomId>);

impl ChangedModules {
    pub fn insert(&mut self, module: AtomId) {
        if !self.contains(module) {
            self.0.push(module);
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, module: AtomId) -> bool {
        self.0.contains(&module)
    }
}

/// What monitors put in the place of `'DOWN'`.
#[derive(Clone, Debug, Default)]
pub(super) struct Tags {
    monitors: Vec<u64>,
    values: Vec<Value>,
}

impl Tags {
    pub(super) fn add(&mut self, monitor: u64, tag: Value) {
        self.monitors.push(monitor);
        self.values.push(tag);
    }

    pub(super) fn take(&mut self, monitor: u64) -> Option<Value> {
        let place = self.monitors.iter().position(|known| *known == monitor)?;
        self.monitors.swap_remove(place);
        Some(self.values.swap_remove(place))
    }

    pub(super) fn values_mut(&mut self) -> &mut [Value] {
        &mut self.values
    }
}

impl Virtuals {
    /// With stacktraces of so many frames.
    pub(super) fn keeping(backtrace_depth: usize) -> Self {
        Virtuals { backtrace_depth, ..Virtuals::default() }
    }

    /// How many frames a stacktrace has at most: one, even if none are wanted.
    pub fn frames(&self) -> usize {
        self.backtrace_depth.max(1)
    }

    /// Nanoseconds since some moment in the past, more at every call.
    pub fn monotonic_time(&mut self) -> i64 {
        self.ticks += 1;
        let waited = i64::try_from(self.waited).unwrap_or(i64::MAX).saturating_mul(MILLISECOND);
        (MONOTONIC_START + self.ticks * TICK).saturating_add(waited)
    }

    /// Milliseconds since the run began.
    pub(super) fn now(&self) -> u64 {
        self.waited
    }

    /// It is not earlier than that now.
    pub(super) fn wait_until(&mut self, time: u64) {
        self.waited = self.waited.max(time);
    }

    /// Sends a message in so many milliseconds.
    pub(super) fn start_timer(&mut self, after: u64, reference: u64, to: Receiver, message: Value) {
        self.timers.add(self.waited + after, reference, to, message);
    }

    /// The milliseconds until a timer goes off; `None` if it has, or was cancelled.
    pub fn time_left(&self, reference: u64) -> Option<u64> {
        Some(self.timers.time(reference)?.saturating_sub(self.waited))
    }

    pub fn cancel_timer(&mut self, reference: u64) {
        self.timers.remove(reference);
    }

    /// Nanoseconds since 1970.
    pub fn system_time(&mut self) -> i64 {
        self.monotonic_time().saturating_add(self.time_offset())
    }

    pub const fn time_offset(&self) -> i64 {
        SYSTEM_START - MONOTONIC_START
    }

    pub const fn start_time(&self) -> i64 {
        MONOTONIC_START
    }

    /// How many references there are.
    pub(super) fn references(&self) -> u64 {
        self.references
    }

    pub fn reference(&mut self) -> u64 {
        self.references += 1;
        self.references
    }

    /// The number of a new process; the first one has 0.
    pub(super) fn process(&mut self) -> u64 {
        self.processes += 1;
        self.processes
    }

    /// Whether there has been such a process or reference.
    pub fn has(&self, kind: VirtualKind, number: u64) -> bool {
        match kind {
            VirtualKind::Pid => number <= self.processes,
            VirtualKind::Reference => (1..=self.references).contains(&number),
            VirtualKind::Fun => false,
        }
    }

    /// 1, 2, 3 …
    pub fn unique(&mut self) -> i64 {
        self.unique += 1;
        self.unique
    }
}

/// The flags of a process that have a value of their own here. They change nothing else yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flag {
    TrapExit,
    Priority,
    Sensitive,
    MessageQueueData,
    FullsweepAfter,
    MinHeapSize,
    MinBinVheapSize,
    SaveCalls,
    ErrorHandler,
}

/// The names and first values of the flags, in their order.
const FLAGS: [(Flag, &str, First); 9] = [
    (Flag::TrapExit, "trap_exit", First::Atom("false")),
    (Flag::Priority, "priority", First::Atom("normal")),
    (Flag::Sensitive, "sensitive", First::Atom("false")),
    (Flag::MessageQueueData, "message_queue_data", First::Atom("on_heap")),
    (Flag::FullsweepAfter, "fullsweep_after", First::Number(65_535)),
    (Flag::MinHeapSize, "min_heap_size", First::Number(233)),
    (Flag::MinBinVheapSize, "min_bin_vheap_size", First::Number(46_422)),
    (Flag::SaveCalls, "save_calls", First::Number(0)),
    (Flag::ErrorHandler, "error_handler", First::Atom("error_handler")),
];

#[derive(Clone, Copy)]
enum First {
    Atom(&'static str),
    Number(usize),
}

impl Flag {
    pub fn named(name: AtomId) -> Option<Self> {
        let name = name.name();
        FLAGS.iter().find(|(_, known, _)| *known == &*name).map(|(flag, _, _)| *flag)
    }
}

impl Flag {
    /// Sizes of heaps are those that the VM has: not below the first value, in steps.
    fn settled(self, value: Value) -> Value {
        let least = match self {
            Flag::MinHeapSize => 233,
            Flag::MinBinVheapSize => 46_422,
            Flag::TrapExit
            | Flag::Priority
            | Flag::Sensitive
            | Flag::MessageQueueData
            | Flag::FullsweepAfter
            | Flag::SaveCalls
            | Flag::ErrorHandler => return value,
        };
        let wanted = value.as_small().max(least);
        let size = heap_sizes().take(HEAP_SIZES).find(|size| *size >= wanted);
        size.and_then(Value::small).unwrap_or(value)
    }
}

/// How many sizes of heaps are looked at.
const HEAP_SIZES: usize = 150;

/// Like the numbers of Fibonacci at first, then a fifth more each time.
fn heap_sizes() -> impl Iterator<Item = i64> {
    let mut count = 0;
    let sizes = std::iter::successors(Some((12_i64, 38_i64)), move |(one, other)| {
        count += 1;
        let next = if count < 22 { one + other + 1 } else { other.checked_add(other / 5)? };
        Some((*other, next))
    });
    sizes.map(|(size, _)| size)
}

/// The values of the flags of one process; all are immediate.
pub struct Flags([Value; FLAGS.len()]);

impl Default for Flags {
    fn default() -> Self {
        Flags(FLAGS.map(|(_, _, first)| match first {
            First::Atom(name) => Value::atom(AtomId::intern(name)),
            First::Number(number) => Value::count(number),
        }))
    }
}

impl Flags {
    pub fn get(&self, flag: Flag) -> Value {
        self.0.get(flag as usize).copied().unwrap_or(Value::NIL)
    }

    /// Sets a flag to an immediate value and gives the old one.
    pub fn set(&mut self, flag: Flag, value: Value) -> Value {
        let value = flag.settled(value);
        self.0.get_mut(flag as usize).map_or(Value::NIL, |place| std::mem::replace(place, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_stand_in_the_order_of_their_names() {
        assert!(FLAGS.iter().zip(0..).all(|((flag, _, _), index)| *flag as usize == index));
    }

    #[test]
    fn two_runs_see_the_same_time() {
        let [mut one, mut other] = [Virtuals::default(), Virtuals::default()];
        assert_eq!(one.monotonic_time(), other.monotonic_time());
        assert!(one.monotonic_time() > MONOTONIC_START);
        assert_eq!(one.system_time(), other.system_time() + TICK);
    }
}
