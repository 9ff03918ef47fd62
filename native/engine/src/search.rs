//! Exploring: choose a decision, solve for its other side, run the new input, record what it decided.
//!
//! An [`Exploration`] is shared by its workers. Each worker has a solver of its own and drives its runs itself, until one of them needs the
//! host. The execution tree, the queue of open sides and the statistics are behind one lock that is held for bookkeeping only.

mod alarm;
mod answers;
mod awkward;
mod bitwise;
mod candidate;
mod chance;
mod climb;
mod computed;
mod dormant;
mod expected;
pub mod failures;
mod mix;
mod patch;
pub mod progress;
mod questions;
pub mod queue;
mod rounding;
pub mod runner;
mod slices;
pub mod spec;
pub mod strategy;
mod threads;
pub mod tree;
mod trial;
mod uncovered;
mod words;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashSet;
use thiserror::Error;

use crate::code::ir::{FnId, Mfa};
use crate::code::registry::Registry;
use crate::machine::{Covered, Limits, Outcome, Subject};
use crate::report::inputs::Paths;
use crate::report::{Failure, Outside, Reached, Statistics};
use crate::smt;
use crate::term::{AtomId, Heap, Interrupt, Literals, Packed, Value};
use crate::types::TypeId;
use alarm::Alarm;
use progress::Progress;
use queue::Queue;
use runner::Runner;
use spec::Spec;
use strategy::Strategy;
use tree::Tree;

/// What exploring needs from outside.
pub trait Host: Send + Sync {
    /// Asks for a module; the answer comes through [`Registry::provide`].
    fn load(&self, module: AtomId);
    /// Takes a run over to a process of the VM, where it can make native calls. It comes back by itself.
    fn drive(&self, run: runner::Hosted);
    /// An input that raised, once per distinct place and reason.
    fn failure(&self, failure: Failure);
    /// An input with a result that is not of the type that the spec says.
    fn outside(&self, outside: Outside);
}

/// Ends an exploration from outside.
#[derive(Clone, Default)]
pub struct Cancel {
    cancelled: Interrupt,
    /// Raised when it is cancelled, or its time is over: runs stop in the middle of whatever they do.
    over: Interrupt,
}

impl Cancel {
    pub fn cancel(&self) {
        self.cancelled.raise();
        self.over.raise();
    }

    /// The flag itself, for those who only know flags.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.cancelled.flag()
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_raised()
    }
}

/// The order in which open sides are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Coverage,
    BreadthFirst,
    DepthFirst,
    Random,
}

#[derive(Clone, Debug)]
pub struct Config {
    pub order: Order,
    pub seed: u64,
    /// The function whose clauses count for coverage, if it is not the one that is called.
    pub coverage_of: Option<Mfa>,
    /// Questions of a path about its input, down to which all other sides are explored.
    pub depth: usize,
    /// Nobody asked for this depth: what lies deeper may be worth an effort.
    pub deeper: bool,
    pub workers: usize,
    pub max_runs: u64,
    pub time_limit: Duration,
    pub run_limits: Limits,
    pub solver: smt::Limits,
    /// Keep the paths of the first runs for the report.
    pub trace: bool,
    /// Where every question to the solver is written as SMT-LIB.
    pub smt_dir: Option<PathBuf>,
}

/// Why nothing could be explored.
#[derive(Debug, Error)]
pub enum SearchError {
    #[error(
        "module {0} runs natively as a whole: the option concrete names it, it calls functions of a native library that it does not \
         export, or it is one with a process of the running system; explore a function that calls it"
    )]
    NoCode(AtomId),
    #[error("function {}:{}/{} is not exported; export it or check its name and arity", .0.module, .0.function, .0.arity)]
    NotExported(Mfa),
    #[error("precondition {}:{}/{} is not a function of its module", .0.module, .0.function, .0.arity)]
    NoPrecondition(Mfa),
    #[error("no input of {}:{}/{} can be made up from its spec; give one", .0.module, .0.function, .0.arity)]
    NoSeed(Mfa),
    #[error("the exploration was cancelled")]
    Cancelled,
    #[error("the worker threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// An exploration of one function.
pub struct Exploration<'a> {
    pub registry: &'a Arc<Registry>,
    pub host: &'a dyn Host,
    pub cancel: &'a Cancel,
    /// Kept up to date while it explores.
    pub progress: &'a Progress,
    pub config: Config,
    pub mfa: Mfa,
    pub spec: Spec,
}

/// What the workers share.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    started: Instant,
    /// What slices of paths have been answered with.
    answers: Mutex<answers::Answers>,
    /// A solver has grown too large: all workers go on in new threads.
    renew: AtomicBool,
    /// How many workers there have been.
    workers: AtomicU64,
    /// Where questions are written.
    files: Option<Arc<questions::Files>>,
}

struct State {
    tree: Tree,
    queue: Queue,
    statistics: Statistics,
    failures: failures::Seen,
    /// Types that some result was not of.
    outside: FxHashSet<TypeId>,
    /// Workers that have a task: what they find may open new sides.
    busy: usize,
    runs_started: u64,
    stopped: bool,
    /// The clauses that count for coverage.
    clauses: Vec<u32>,
    mixer: mix::Mixer,
    /// How often inputs are tried when there is no open side any more, before it is over.
    chances: u32,
}

/// As long as that brings nothing new.
const LAST_CHANCES: u32 = 6;

impl State {
    /// Work where no side is open: clauses may still be entered if something is not known of all paths.
    fn last_chance(&mut self) -> Option<queue::Task> {
        let unknown = self.queue.was_cut() || !self.statistics.reached.is_empty();
        if !unknown || !self.queue.has_something_to_find() {
            return None;
        }
        self.chances = self.chances.checked_sub(1)?;
        Some(queue::Task::Try)
    }
}

fn apply() -> Mfa {
    Mfa { module: AtomId::ERLANG, function: AtomId::intern("apply"), arity: 3 }
}

/// The arguments with which [`apply`] calls a function.
fn applied(mfa: Mfa, args: &[Packed]) -> Vec<Packed> {
    let mut heap = Heap::new(Literals::default());
    let args: Vec<Value> = args.iter().map(|arg| arg.unpack(&mut heap)).collect();
    let list = heap.list(args, Value::NIL);
    vec![
        Packed::immediate(Value::atom(mfa.module)),
        Packed::immediate(Value::atom(mfa.function)),
        Packed::pack(&heap, list),
    ]
}

impl Exploration<'_> {
    fn runner(&self) -> Runner<'_> {
        Runner { registry: self.registry, host: self.host, cancel: self.cancel }
    }

    /// Where an exported function begins, with its module loaded.
    fn entry(&self, mfa: Mfa) -> Result<FnId, SearchError> {
        self.load(mfa.module)?;
        let view = self.registry.view();
        match view.entry(mfa) {
            Some(entry) => Ok(entry),
            None if view.is_without_code(mfa.module) => Err(SearchError::NoCode(mfa.module)),
            None => Err(SearchError::NotExported(mfa)),
        }
    }

    fn load(&self, module: AtomId) -> Result<(), SearchError> {
        let asked = || self.host.load(module);
        let loaded = self.registry.require(module, asked, || self.cancel.is_cancelled());
        if loaded { Ok(()) } else { Err(SearchError::Cancelled) }
    }

    /// The function whose clauses count.
    fn measured(&self, entry: FnId) -> FnId {
        let Some(mfa) = self.config.coverage_of else { return entry };
        let loaded = self.load(mfa.module);
        loaded.ok().and_then(|()| self.registry.view().entry(mfa)).unwrap_or(entry)
    }

    /// The clauses to be covered, as far as they are known when these have been.
    fn clauses(&self, entry: FnId, covered: &Covered) -> Vec<u32> {
        self.progress.aim(&self.registry.view(), self.measured(entry), covered)
    }

    fn subject(&self) -> Result<Subject, SearchError> {
        let entry = self.entry(self.mfa)?;
        let signature = self.spec.signature.clone();
        let idle = self.spec.idle();
        let Some(mfa) = self.spec.precondition(self.mfa.arity) else {
            return Ok(Subject { entry, pre: None, signature, idle });
        };
        self.load(mfa.module)?;
        match self.registry.view().local(mfa) {
            Some(pre) => Ok(Subject { entry, pre: Some(pre), signature, idle }),
            None => Err(SearchError::NoPrecondition(mfa)),
        }
    }

    /// One run with nothing symbolic, also of a function that is not exported. What runs natively is called by `apply/3`.
    pub fn evaluate(&self, args: &[Packed]) -> Result<Outcome, SearchError> {
        self.load(self.mfa.module)?;
        let view = self.registry.view();
        let (entry, args) = match view.local(self.mfa) {
            Some(local) => (local, args.to_vec()),
            None if view.is_native(self.mfa.module) => (self.entry(apply())?, applied(self.mfa, args)),
            None => (self.entry(self.mfa)?, args.to_vec()),
        };
        let limits = self.config.run_limits.clone();
        let run = crate::machine::Run::new(&self.registry.view(), Subject::plain(entry), args, false, limits);
        let deadline = Instant::now() + self.config.time_limit;
        let _alarm = Alarm::set(deadline, &self.cancel.over);
        Ok(self.runner().run(run, deadline).1)
    }

    fn strategy(&self) -> Box<dyn Strategy> {
        match self.config.order {
            Order::Coverage => Box::new(strategy::Coverage),
            Order::BreadthFirst => Box::new(strategy::BreadthFirst),
            Order::DepthFirst => Box::new(strategy::DepthFirst),
            Order::Random => Box::new(strategy::Random::new(self.config.seed)),
        }
    }

    /// The inputs to begin with. If the spec is for none of the user's, its own smallest ones are added.
    fn seeds(&self, mut seeds: Vec<Vec<Packed>>) -> Result<Vec<Vec<Packed>>, SearchError> {
        if !seeds.iter().any(|seed| self.spec.admits(seed)) {
            seeds.extend(self.spec.seeds(self.mfa.arity));
        }
        if seeds.is_empty() { Err(SearchError::NoSeed(self.mfa)) } else { Ok(seeds) }
    }

    /// Explores from the seeds until nothing is open any more or a limit is reached.
    pub fn explore(&self, seeds: Vec<Vec<Packed>>) -> Result<Statistics, SearchError> {
        let subject = match self.subject() {
            // Nothing was found yet, which is a result too.
            Err(SearchError::Cancelled) => return Ok(Statistics { cancelled: true, ..Statistics::default() }),
            subject => subject?,
        };
        let measured = self.measured(subject.entry);
        let mut queue = Queue::new(self.strategy(), self.config.depth, self.config.deeper);
        for seed in self.seeds(seeds)? {
            queue.seed(seed);
        }
        let state = State {
            tree: Tree::default(),
            queue,
            statistics: Statistics { paths: self.config.trace.then(Paths::default), ..Statistics::default() },
            failures: failures::Seen::new(self.spec.raises.clone()),
            outside: FxHashSet::default(),
            busy: 0,
            runs_started: 0,
            stopped: false,
            clauses: self.clauses(subject.entry, &Covered::default()),
            mixer: mix::Mixer::new(&self.spec),
            chances: LAST_CHANCES,
        };
        let files = self.config.smt_dir.clone().map(|dir| Arc::new(questions::Files::new(dir, self.mfa)));
        let shared = Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            started: Instant::now(),
            answers: Mutex::default(),
            renew: AtomicBool::new(false),
            workers: AtomicU64::new(0),
            files,
        };
        let _alarm = Alarm::set(shared.started + self.config.time_limit, &self.cancel.over);
        let work = || worker::Worker::new(self, &shared, &subject).work();
        loop {
            threads::on_each(self.config.workers.max(1), work)?;
            if !shared.renew.swap(false, Ordering::SeqCst) {
                break;
            }
            threads::give_up_waiting();
            shared.state.lock().statistics.renewed += 1;
        }
        let mut state = shared.state.into_inner();
        let (paths, inputs) = state.queue.most_waiting();
        (state.statistics.most_paths, state.statistics.most_inputs) = (paths as u64, inputs as u64);
        if state.queue.was_cut() {
            state.statistics.reach(Reached::Depth);
        }
        if let Some(why) = shared.files.and_then(|files| files.failed()) {
            *state.statistics.unsupported.entry(format!("SMT-LIB file {why}")).or_default() += 1;
        }
        let view = self.registry.view();
        state.statistics.finish(shared.started.elapsed(), &view, measured, self.cancel.is_cancelled());
        uncovered::explain(&view, &subject, measured, &state.tree, &mut state.statistics);
        Ok(state.statistics)
    }
}
