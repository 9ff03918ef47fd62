//! The concolic machine: runs a function concretely and symbolically at once.
//!
//! A [`Run`] is a paused or running computation. [`Run::advance`] goes on until it ends, needs something from the host, or its slice is over;
//! the state can be moved to another thread in between. The machine never recurses on the Rust stack: calls push a [`Frame`], exceptions unwind them.
//!
//! Native code that is given a fun of the machine can call it: such a callback runs on top of the call that waits for that code.
//!
//! A run can have many processes, of which one runs at a time ([`processes`]).

mod bits;
mod budget;
mod calls;
mod conform;
mod ctx;
mod decide;
mod dictionary;
mod emulation;
mod exceptions;
mod exec;
mod funs;
mod hosting;
mod mailbox;
pub mod maps;
mod naming;
mod processes;
mod raise;
mod roots;
mod subject;
pub mod symbolic_maps;
mod timers;
mod undefined;
mod virtuals;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use bits::view::{Reading, Stretch};
pub use ctx::Ctx;
pub use decide::compare;
pub use dictionary::Place;
pub use processes::{Action, AliasEnd, Likeness, MonitorOptions, SpawnOptions, Start};
pub use raise::{Ask, Class, Failure, Raise, Trace};
pub use subject::Subject;
pub use symbolic_maps::Witnesses;
pub use timers::Receiver;
pub use virtuals::{Flag, Virtuals};

use crate::code::CodeView;
use crate::code::ir::{FnId, Mfa, Slot};
use crate::path::{Path, SiteId};
use crate::sym::Arena;
use crate::term::{AtomId, Heap, Interrupt, Packed, Tag, Value, VirtualKind, map, table};
use crate::types::TypeId;
use crate::types::place::Places;
use subject::{Stage, arguments};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Returned(Packed),
    /// As before, but the result is not of this type, which the spec says it has.
    Outside(Packed, TypeId),
    Raised {
        class: Class,
        reason: Packed,
        stacktrace: Packed,
    },
    /// The precondition does not hold for the input.
    Rejected,
    Stopped(Stop),
}

impl Outcome {
    /// Whether it is of a size that can be told to others. That may take long to find out.
    pub fn can_be_written(&self) -> bool {
        match self {
            Outcome::Returned(value) | Outcome::Outside(value, _) => !value.is_too_large_to_write(),
            Outcome::Raised { reason, stacktrace, .. } => {
                !reason.is_too_large_to_write() && !stacktrace.is_too_large_to_write()
            }
            Outcome::Rejected | Outcome::Stopped(_) => true,
        }
    }
}

/// Why a run ended before the program did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Stop {
    /// `max_steps` calls were made.
    Steps,
    /// The terms of the run take more memory than allowed.
    Heap,
    /// The wall time of the run is over.
    Time,
    /// The process waits for a message that nobody can send.
    Deadlock,
    /// The program has ended the VM. It is the end of a path like any other.
    Halted,
    /// The machine cannot do this yet.
    Unsupported(String),
    /// The process in which the run's native calls happen died.
    HostDied,
    Cancelled,
}

/// What a run needs from the host.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Call {
        mfa: Mfa,
        args: Packed,
    },
    /// A fun of the VM, and a list of arguments.
    Apply {
        fun: Packed,
        args: Packed,
    },
    Load {
        module: AtomId,
    },
    /// The next message that comes from outside of the machine, or none after so many milliseconds.
    Receive {
        timeout: Option<u64>,
    },
    /// The end of a callback ([`Reply::Callback`]).
    Returned(Packed),
    /// A callback raised.
    Raised {
        class: Class,
        reason: Packed,
        stacktrace: Packed,
    },
}

impl Request {
    /// The terms that it is made of.
    fn terms(&self) -> Vec<&Packed> {
        match self {
            Request::Call { args, .. } => vec![args],
            Request::Apply { fun, args } => vec![fun, args],
            Request::Load { .. } | Request::Receive { .. } => Vec::new(),
            Request::Returned(value) => vec![value],
            Request::Raised { reason, stacktrace, .. } => vec![reason, stacktrace],
        }
    }

    /// Whether it has no more than so many parts when it is written out.
    pub fn is_within(&self, most: usize) -> bool {
        self.terms().into_iter().all(|term| term.is_within(most))
    }

    pub fn is_too_large_to_write(&self) -> bool {
        self.terms().into_iter().any(Packed::is_too_large_to_write)
    }
}

impl std::fmt::Display for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Request::Call { mfa, .. } => write!(f, "call of {}:{}/{}", mfa.module, mfa.function, mfa.arity),
            Request::Apply { .. } => f.write_str("call of a native fun"),
            Request::Load { module } => write!(f, "code of {module}"),
            Request::Receive { .. } => f.write_str("receive"),
            Request::Returned(_) | Request::Raised { .. } => f.write_str("end of a callback"),
        }
    }
}

/// The host's answer to a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The module has been provided, or the run just goes on.
    Continue,
    Value(Packed),
    Raised {
        class: Class,
        reason: Packed,
        stacktrace: Packed,
    },
    /// A message from outside to a process of the machine.
    Message {
        to: u64,
        message: Packed,
    },
    /// Native code has sent something to a process of the machine while it did what this is the answer to.
    Told {
        to: u64,
        message: Packed,
        answer: Box<Reply>,
    },
    /// No message has come in time.
    NoMessage,
    /// Native code of another process has called a fun meanwhile, which may have sent messages.
    Visited,
    /// Native code calls a fun that the machine gave to it, while the machine waits for that code: the number of the fun, and
    /// the list of arguments.
    Callback {
        fun: usize,
        args: Packed,
    },
}

/// What [`Run::advance`] may do.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Calls of functions, about.
    pub calls: u64,
    /// Parts of terms that built-in functions look at or make. Without a limit, one call of them may take long.
    pub work: Option<usize>,
}

/// What stopped [`Run::advance`].
#[derive(Debug)]
pub enum Event {
    Done(Outcome),
    Request(Request),
    /// The slice is over; call again.
    Slice,
}

#[derive(Clone, Debug)]
pub struct Limits {
    /// Function calls.
    pub steps: u64,
    /// Words of the heap and the stack.
    pub heap: usize,
    /// Decisions that a path records.
    pub decisions: usize,
    /// Frames of a stacktrace, until the program says otherwise.
    pub frames: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 10_000_000, heap: 64 << 20, decisions: 10_000, frames: 8 }
    }
}

/// A call that waits for its callee.
#[derive(Clone, Copy)]
struct Frame {
    function: FnId,
    /// The instruction to go on with.
    pc: u32,
    base: u32,
    /// Where the result goes: see [`emulation::destination`].
    dst: Slot,
}

impl Frame {
    /// Where the call returns to.
    const fn place(&self) -> (FnId, u32) {
        (self.function, self.pc)
    }
}

/// An exception handler that is in force.
#[derive(Clone, Copy)]
struct Handler {
    /// How many frames were below when it was set.
    frames: u32,
    function: FnId,
    pc: u32,
    base: u32,
    /// Three slots for class, reason and stacktrace.
    at: Slot,
}

/// A process: everything that is its own and not shared with other processes of the run.
pub struct Process {
    pub pid: u64,
    /// What it was started with; the host knows that of the first one.
    initial: Option<Mfa>,
    stack: Vec<Value>,
    frames: Vec<Frame>,
    handlers: Vec<Handler>,
    /// Where it goes on.
    function: FnId,
    pc: u32,
    base: u32,
    /// Its group leader, if it is another one than that of the host.
    leader: Option<Value>,
    pub dictionary: dictionary::Dictionary,
    pub flags: virtuals::Flags,
    mailbox: mailbox::Mailbox,
    wait: Option<processes::Wait>,
    watchers: Vec<processes::Watcher>,
    links: Vec<u64>,
    /// Native code has been told of this process: it may send messages.
    known_outside: bool,
    /// It has called native code, which happened in a process of the VM of its own.
    has_deputy: bool,
    /// The calls to the host that have not returned, the innermost last.
    waiting: Vec<Waiting>,
    /// How many frames there were when native code called back, the innermost last.
    callbacks: Vec<u32>,
    /// The emulated calls that have not returned, the innermost last, and the lists of their arguments.
    emulations: Vec<emulation::Emulation>,
    emulated: Vec<Value>,
    /// Calls of funs of the input that have not returned, the innermost last.
    applied: Vec<funs::Applied>,
}

impl Process {
    /// The messages that have not been received, the oldest first.
    pub fn messages(&self) -> impl Iterator<Item = Value> {
        self.mailbox.messages()
    }

    /// Its group leader, unless that is the host's.
    pub fn leader(&self) -> Option<Value> {
        self.leader
    }

    pub fn links(&self) -> impl Iterator<Item = u64> {
        self.links.iter().copied()
    }

    /// Puts a message into the mailbox.
    pub fn receive(&mut self, message: Value, virtuals: &Virtuals) {
        self.mailbox.push(message, virtuals.references());
    }
}

/// A call to the host.
struct Waiting {
    /// Where the result goes: a slot of the frame that was running then or, without one, that frame's caller.
    to: Option<Slot>,
    /// The built-in function that asked, if one did.
    bif: Option<Asking>,
    /// The function that called has nothing more to do: it is not part of the stacktrace if the call raises.
    last: bool,
    /// A function of the VM itself was called, which messages may come of: see [`processes`].
    of_the_vm: bool,
}

/// A built-in function that waits for an answer.
struct Asking {
    mfa: Mfa,
    /// Its own arguments.
    args: Vec<Value>,
    finish: fn(&mut Ctx<'_>, &[Value], Value) -> Result<Value, Failure>,
}

/// Things that happened in a run and belong into the report.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Functions whose result lost its symbolic meaning.
    pub concretised: BTreeMap<Mfa, u64>,
    /// Where that happened, or before; and where values came from outside.
    pub concretised_at: BTreeSet<(Mfa, Option<SiteId>)>,
    /// Functions that gave values which could be others at another time.
    pub outside: BTreeMap<Mfa, u64>,
    /// The module under test.
    pub home: Option<u32>,
    /// Where the run has been last, of the places that can decide something.
    pub at: Option<SiteId>,
    /// Functions that the host ran.
    pub host_calls: BTreeMap<Mfa, u64>,
    pub steps: u64,
    pub input_calls: funs::InputCalls,
}

impl Counters {
    pub fn concretise(&mut self, mfa: Mfa) {
        *self.concretised.entry(mfa).or_default() += 1;
        self.concretised_at.insert((mfa, self.at));
    }

    /// A value that comes from the world and could be another one at another time: what depends on it is not known.
    pub fn from_outside(&mut self, mfa: Mfa) {
        *self.outside.entry(mfa).or_default() += 1;
        self.concretised_at.insert((mfa, self.at));
    }
}

/// One run of the function under test.
pub struct Run {
    heap: Heap,
    arena: Arena,
    path: Path,
    /// The process that runs.
    process: Process,
    others: processes::Others,
    /// Funs that native code has been given.
    exported: Vec<Value>,
    /// What funs of the input have returned.
    answers: funs::Answers,
    covered: Covered,
    counters: Counters,
    virtuals: Virtuals,
    witnesses: Witnesses,
    limits: Limits,
    subject: Subject,
    stage: Stage,
    args: Vec<Packed>,
    symbolic: bool,
    /// The last slice ended before something that was too much for it.
    is_busy: bool,
    /// Calls that the running process has left, without those that the slice has been given, before others go on.
    turn: u64,
}

/// The clauses that a run has entered.
#[derive(Clone, Default)]
pub struct Covered(Vec<u64>);

impl Covered {
    #[inline]
    fn set(&mut self, clause: u32) {
        let index = clause as usize / 64;
        if index >= self.0.len() {
            self.0.resize(index + 1, 0);
        }
        if let Some(word) = self.0.get_mut(index) {
            *word |= 1 << (clause % 64);
        }
    }

    pub fn contains(&self, clause: u32) -> bool {
        self.0.get(clause as usize / 64).is_some_and(|word| word & (1 << (clause % 64)) != 0)
    }

    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether all clauses of the other one are among these.
    pub fn includes(&self, other: &Covered) -> bool {
        let mine = self.0.iter().copied().chain(std::iter::repeat(0));
        other.0.iter().zip(mine).all(|(theirs, mine)| theirs & !mine == 0)
    }

    pub fn merge(&mut self, other: &Covered) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }
}

impl FromIterator<u32> for Covered {
    fn from_iter<I: IntoIterator<Item = u32>>(clauses: I) -> Self {
        let mut covered = Covered::default();
        clauses.into_iter().for_each(|clause| covered.set(clause));
        covered
    }
}

/// What is left of a run when it is over.
pub struct Trail {
    pub arena: Arena,
    pub path: Path,
    pub covered: Covered,
    pub counters: Counters,
}

impl Run {
    /// A run that calls the function with the arguments. If `symbolic`, each argument is an input of its own.
    pub fn new(view: &CodeView, subject: Subject, args: Vec<Packed>, symbolic: bool, limits: Limits) -> Self {
        let mut heap = Heap::new(view.literals().clone());
        let mut arena = Arena::default();
        let places = Places::new(subject.signature.clone().filter(|_| symbolic));
        let path = Path::new(limits.decisions, places);
        let home = view.function(subject.entry).map(|function| function.module);
        let stack = arguments(&mut heap, &mut arena, &args, symbolic);
        let (first, stage) = match subject.pre {
            Some(pre) => (pre, Stage::Precondition),
            None => (subject.entry, Stage::Main),
        };
        Run {
            heap,
            arena,
            path,
            process: Process::new(0, first, stack),
            others: processes::Others::default(),
            exported: Vec::new(),
            answers: funs::Answers::default(),
            covered: Covered::default(),
            counters: Counters { home, ..Counters::default() },
            virtuals: Virtuals::keeping(limits.frames),
            witnesses: Witnesses::default(),
            limits,
            subject,
            stage,
            args,
            symbolic,
            is_busy: false,
            turn: processes::TURN,
        }
    }

    /// Goes on within the budget. `reply` answers the request that the last call ended with.
    pub fn advance(&mut self, view: &CodeView, reply: Reply, budget: Budget) -> Event {
        self.heap.set_literals(view.literals().clone());
        let event = exec::Cpu::advance(self, view, reply, budget);
        if !self.heap.is_overdone() {
            return event;
        }
        // What it comes to after an operation has given up means nothing: it is not told, and nobody does what it asks for.
        if self.heap.is_interrupted() { Event::Slice } else { Event::Done(Outcome::Stopped(Stop::Steps)) }
    }

    /// Ends the slice, whatever is under way, when that is raised.
    pub fn heed(&mut self, interrupt: Interrupt) {
        self.heap.heed(interrupt);
    }

    /// Whether the next instruction is more than the last budget allowed.
    pub fn is_busy(&self) -> bool {
        self.is_busy
    }

    pub fn into_trail(self) -> Trail {
        Trail { arena: self.arena, path: self.path, covered: self.covered, counters: self.counters }
    }

    /// The value as native code gets it: funs of the machine become numbers by which they can be called back.
    fn export(&mut self, value: Value) -> Packed {
        let (heap, exported) = (&self.heap, &mut self.exported);
        Packed::pack_with(heap, value, &mut |closure| {
            if table::is_table(heap, closure.ptr()) {
                return None;
            }
            let known = exported.iter().position(|other| *other == closure);
            let number = known.unwrap_or_else(|| {
                exported.push(closure);
                exported.len() - 1
            });
            let (_, arity) = heap.closure(closure.ptr());
            Some(Value::identifier(VirtualKind::Fun, ((number as u64) << 8) | arity as u64))
        })
    }

    /// A value that comes from native code.
    fn import(&mut self, term: &Packed) -> Value {
        let exported = &self.exported;
        let has_funs = Cell::new(false);
        let value = term.unpack_with(&mut self.heap, &|value| match value.tag() {
            Tag::Virtual => match value.as_identifier() {
                (VirtualKind::Fun, number) => {
                    has_funs.set(true);
                    exported.get((number >> 8) as usize).copied().unwrap_or(value)
                }
                (VirtualKind::Pid | VirtualKind::Reference, _) => value,
            },
            _ => value,
        });
        // A fun in the key of a map has another place there than the number that stood for it.
        if has_funs.get() { map::rebuilt(&mut self.heap, value) } else { value }
    }
}
