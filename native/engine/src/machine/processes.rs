//! The processes of a run: starting and ending them, signals between them, and who runs next.
//!
//! One process runs at a time; the others sleep beside it. A process runs until it waits for a message, ends, or its turn is over, then the one that has been
//! ready for longest goes on. A turn is a number of calls, whatever the slices of [`super::Budget`] and whatever code has to be loaded meanwhile, so a run is a
//! function of its input here too. When nobody is ready, the time of the run jumps to the first timer, or to the first time limit of a
//! `receive`. The first process has number 0; when it ends, the run ends.
//!
//! Not modelled: other orders than this one, priorities, and reports of crashes to the logger.

mod info;
mod names;
mod outside;
mod schedule;
mod signals;
mod start;

use std::collections::{BTreeMap, VecDeque};

pub use names::Names;
pub use outside::Likeness;
pub(super) use outside::is_of_the_vm;

use super::exec::{Cpu, Step};
use super::timers::Receiver;
use super::{Flag, Process, Virtuals};
use crate::code::ir::{FnId, Mfa, Slot};
use crate::term::{AtomId, Packed, Value, VirtualKind};

/// As many calls as a process of the BEAM makes before others go on.
pub(super) const TURN: u64 = 4000;

/// What a built-in function wants done with processes.
#[derive(Clone, Debug)]
pub enum Action {
    Spawn {
        start: Start,
        options: SpawnOptions,
    },
    /// Returns a reference at once; the process is told of in a message with this tag, if one is wanted.
    SpawnRequest {
        start: Start,
        options: SpawnOptions,
        reply: Option<Value>,
    },
    /// The answer is what the sender gets.
    Send {
        to: u64,
        message: Value,
        answer: Value,
    },
    /// To a reference that may be an alias of a process.
    SendToAlias {
        reference: u64,
        message: Value,
        answer: Value,
    },
    Alias,
    Unalias {
        reference: u64,
    },
    /// Of nobody, if a name is nobody's.
    Monitor {
        pid: Option<u64>,
        /// What it was called when the monitor was asked for, if it was called by a name.
        name: Option<AtomId>,
        options: MonitorOptions,
    },
    Demonitor {
        reference: u64,
        flush: bool,
        info: bool,
    },
    Link {
        pid: u64,
    },
    Unlink {
        pid: u64,
    },
    Exit {
        pid: u64,
        reason: Value,
    },
    /// All processes: those that the host knows of, and the others.
    Processes {
        known: Vec<Value>,
    },
    IsAlive {
        pid: u64,
    },
    /// `taken`: somebody else has the name.
    Register {
        name: AtomId,
        pid: u64,
        taken: bool,
    },
    /// A server that every run has of its own was looked for: it is started, and is the answer.
    StartServer {
        name: AtomId,
    },
    SetLeader {
        pid: u64,
        leader: Value,
    },
    /// A timer that has this reference and goes off in so many milliseconds.
    StartTimer {
        after: u64,
        reference: u64,
        to: Receiver,
        message: Value,
    },
    /// The process forgets where it came from, waits for a message and begins with this call.
    Hibernate {
        start: Start,
    },
    /// The process goes on when it has a message.
    AwaitMessage,
    /// What is known of a process, of what the host says of it.
    Infos {
        pid: u64,
        infos: Value,
    },
    /// The item is an atom or a list.
    Info {
        pid: u64,
        item: Value,
    },
}

impl Action {
    /// The same with another answer, of those that have one.
    pub fn answering(mut self, other: Value) -> Self {
        if let Action::Send { answer, .. } | Action::SendToAlias { answer, .. } = &mut self {
            *answer = other;
        }
        self
    }
}

/// What ends an alias that came with a monitor, besides `unalias/1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AliasEnd {
    Unalias,
    Demonitor,
    /// The first message, which ends the monitor too.
    Reply,
}

/// A reference that messages can be sent to.
#[derive(Clone, Copy)]
struct Alias {
    reference: u64,
    pid: u64,
    end: AliasEnd,
}

/// A monitor of a process.
#[derive(Clone, Copy)]
pub(super) struct Watcher {
    reference: u64,
    /// Who gets to know of the end.
    pid: u64,
    /// What the process was called by.
    name: Option<AtomId>,
}

/// What is asked of a monitor besides its message.
#[derive(Clone, Copy, Debug, Default)]
pub struct MonitorOptions {
    /// Its reference is an alias of who asks, until then.
    pub alias: Option<AliasEnd>,
    /// What its message has in the place of `'DOWN'`.
    pub tag: Option<Value>,
}

/// What is asked of a new process besides what it does.
#[derive(Clone, Debug, Default)]
pub struct SpawnOptions {
    pub link: bool,
    pub monitor: Option<MonitorOptions>,
    pub flags: Vec<(Flag, Value)>,
}

/// What a new process does.
#[derive(Clone, Debug)]
pub enum Start {
    /// A fun of the machine without arguments.
    Fun(Value),
    Call(Mfa, Vec<Value>),
}

/// A process that waits for a message.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    /// Gets `true` when the time is over, `false` when a message has come.
    pub(super) dst: Slot,
    pub(super) until: Option<u64>,
}

/// The processes that do not run now.
#[derive(Default)]
pub(super) struct Others {
    sleeping: BTreeMap<u64, Process>,
    ready: VecDeque<u64>,
    aliases: Vec<Alias>,
    /// Those that native code knows of and has not yet been told of the end of.
    ended: Vec<(u64, Packed)>,
    /// Those that only the process that inputs name knows of.
    unheard: Vec<u64>,
    is_idle_stirred: bool,
}

impl Others {
    pub(super) fn is_empty(&self) -> bool {
        self.sleeping.is_empty()
    }

    pub(super) fn someone_is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    pub(super) fn processes(&self) -> impl Iterator<Item = &Process> {
        self.sleeping.values()
    }

    pub(super) fn processes_mut(&mut self) -> impl Iterator<Item = &mut Process> {
        self.sleeping.values_mut()
    }

    /// The process that is ready for longest.
    fn next_ready(&mut self) -> Option<Process> {
        while let Some(pid) = self.ready.pop_front() {
            if let Some(process) = self.sleeping.remove(&pid) {
                return Some(process);
            }
        }
        None
    }

    /// The process whose wait is over first, and when that is.
    fn first_wait(&self) -> Option<(u64, u64)> {
        self.sleeping.values().filter_map(|process| Some((process.wait?.until?, process.pid))).min()
    }
}

impl Process {
    pub(super) fn new(pid: u64, function: FnId, stack: Vec<Value>) -> Self {
        Process {
            pid,
            initial: None,
            stack,
            frames: Vec::new(),
            handlers: Vec::new(),
            function,
            pc: 0,
            base: 0,
            leader: None,
            dictionary: super::dictionary::Dictionary::default(),
            flags: super::virtuals::Flags::default(),
            mailbox: super::mailbox::Mailbox::default(),
            wait: None,
            watchers: Vec::new(),
            links: Vec::new(),
            known_outside: false,
            has_deputy: false,
            waiting: Vec::new(),
            callbacks: Vec::new(),
            emulations: Vec::new(),
            emulated: Vec::new(),
            applied: Vec::new(),
        }
    }

    /// A message has come, or the time is over.
    fn end_wait(&mut self, message: Option<Value>, virtuals: &Virtuals) -> bool {
        if let Some(message) = message {
            self.receive(message, virtuals);
        }
        let Some(wait) = self.wait.take() else { return false };
        if message.is_none() {
            self.mailbox.rewind();
        }
        let place = self.base as usize + wait.dst.0 as usize;
        if let Some(slot) = self.stack.get_mut(place) {
            *slot = Value::boolean(message.is_none());
        }
        true
    }

    /// Waits in `erlang:hibernate/3`: before the first instruction of the function that it begins with afterwards.
    fn is_hibernating(&self) -> bool {
        self.wait.is_some() && self.pc == 0 && self.frames.is_empty()
    }

    fn traps_exits(&self) -> bool {
        self.flags.get(Flag::TrapExit).is_true()
    }
}

fn pid_value(pid: u64) -> Value {
    Value::identifier(VirtualKind::Pid, pid)
}

impl Cpu<'_> {
    pub(super) fn act(&mut self, action: Action, to: Option<Slot>) -> Step {
        let value = match action {
            Action::Spawn { start, options } => self.spawn(start, &options)?,
            Action::SpawnRequest { start, options, reply } => self.spawn_request(start, &options, reply)?,
            Action::Send { to, message, answer } => {
                self.run.deliver_message(to, message);
                answer
            }
            Action::SendToAlias { reference, message, answer } => {
                self.send_to_alias(reference, message);
                answer
            }
            Action::Alias => {
                let reference = self.run.virtuals.reference();
                self.add_alias(reference, AliasEnd::Unalias)
            }
            Action::Unalias { reference } => {
                let own = self.run.process.pid;
                let aliases = &mut self.run.others.aliases;
                let before = aliases.len();
                aliases.retain(|alias| alias.reference != reference || alias.pid != own);
                Value::boolean(aliases.len() < before)
            }
            Action::Monitor { pid, name, options } => self.monitor(pid, name, options),
            Action::Demonitor { reference, flush, info } => self.demonitor(reference, flush, info),
            Action::Link { pid } => return self.link(pid, to),
            Action::Unlink { pid } => {
                let own = self.run.process.pid;
                self.run.process.links.retain(|linked| *linked != pid);
                if let Some(other) = self.run.process_mut(pid) {
                    other.links.retain(|linked| *linked != own);
                }
                Value::boolean(true)
            }
            Action::Register { name, pid, taken } => return self.register(name, pid, taken, to),
            Action::Exit { pid, reason } => return self.exit_other(pid, reason, to),
            Action::StartTimer { after, reference, to, message } => {
                self.run.start_timer(after, reference, to, message);
                Value::identifier(VirtualKind::Reference, reference)
            }
            Action::SetLeader { pid, leader } => return self.set_leader(pid, leader, to),
            Action::StartServer { name } => return self.start_server(name, to),
            Action::Hibernate { start } => return self.hibernate(start),
            Action::AwaitMessage => return self.hibernate_in_place(to),
            Action::Infos { pid, infos } => self.all_infos(pid, infos),
            Action::Info { pid, item } => return self.process_info(pid, item, to),
            Action::Processes { known } => self.processes(known),
            Action::IsAlive { pid } => Value::boolean(self.run.process_mut(pid).is_some()),
        };
        self.deliver(value, to)
    }
}
