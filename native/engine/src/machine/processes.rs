//! The processes of a run: starting and ending them, signals between them, and who runs next.
//!
//! One process runs at a time; the others sleep beside it. A process runs until it waits for a message, ends, or its slice is over, then the one that has been
//! ready for longest goes on, so a run is a function of its input here too. When nobody is ready, the time of the run jumps to the first
//! time limit of a `receive`. The first process has number 0; when it ends, the run ends.
//!
//! Not modelled: other orders than this one, names of processes, groups, priorities, and reports of crashes to the logger.

use std::collections::{BTreeMap, VecDeque};

use super::exec::{Cpu, Halt, Step, unsupported};
use super::{Class, Event, Flag, Outcome, Process, Request, Run, Stop, Trace, raise};
use crate::code::ir::{FnId, Mfa, Slot};
use crate::code::registry::Target;
use crate::term::{AtomId, Packed, Value, View, VirtualKind, table};

/// What a built-in function wants done with processes.
#[derive(Clone, Debug)]
pub enum Action {
    Spawn {
        start: Start,
        link: bool,
        monitor: bool,
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
    Monitor {
        pid: u64,
        alias: Option<AliasEnd>,
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
    IsAlive {
        pid: u64,
    },
    /// `{current_stacktrace, Frames}` of the running process.
    Stacktrace,
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
    started: u64,
    aliases: Vec<Alias>,
    /// Milliseconds that have passed while everybody waited.
    clock: u64,
}

impl Others {
    pub(super) fn is_empty(&self) -> bool {
        self.sleeping.is_empty()
    }

    pub(super) fn someone_is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    pub(super) fn processes_mut(&mut self) -> impl Iterator<Item = &mut Process> {
        self.sleeping.values_mut()
    }

    /// The next process to run.
    fn next(&mut self) -> Option<Process> {
        while let Some(pid) = self.ready.pop_front() {
            if let Some(process) = self.sleeping.remove(&pid) {
                return Some(process);
            }
        }
        let timers = self.sleeping.values().filter_map(|process| Some((process.wait?.until?, process.pid)));
        let (until, pid) = timers.min()?;
        self.clock = self.clock.max(until);
        let mut process = self.sleeping.remove(&pid)?;
        process.end_wait(None);
        Some(process)
    }
}

impl Process {
    pub(super) fn new(pid: u64, function: FnId, stack: Vec<Value>) -> Self {
        Process {
            pid,
            stack,
            frames: Vec::new(),
            handlers: Vec::new(),
            function,
            pc: 0,
            base: 0,
            dictionary: Vec::new(),
            flags: super::virtuals::Flags::default(),
            mailbox: super::mailbox::Mailbox::default(),
            wait: None,
            watchers: Vec::new(),
            links: Vec::new(),
            known_outside: false,
            waiting: Vec::new(),
            callbacks: Vec::new(),
            emulations: Vec::new(),
            emulated: Vec::new(),
            applied: Vec::new(),
        }
    }

    /// A message has come, or the time is over.
    fn end_wait(&mut self, message: Option<Value>) -> bool {
        if let Some(message) = message {
            self.receive(message);
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

    fn traps_exits(&self) -> bool {
        self.flags.get(Flag::TrapExit).is_true()
    }
}

fn pid_value(pid: u64) -> Value {
    Value::identifier(VirtualKind::Pid, pid)
}

impl Run {
    fn process_mut(&mut self, pid: u64) -> Option<&mut Process> {
        if self.process.pid == pid { Some(&mut self.process) } else { self.others.sleeping.get_mut(&pid) }
    }

    fn deliver_message(&mut self, to: u64, message: Value) {
        if let Some(process) = self.process_mut(to)
            && process.end_wait(Some(message))
        {
            self.others.ready.push_back(to);
        }
    }

    /// `{'DOWN', Reference, process, Pid, Reason}`
    fn send_down(&mut self, watcher: u64, reference: u64, pid: u64, reason: Value) {
        let reference = Value::identifier(VirtualKind::Reference, reference);
        let [down, process] = ["DOWN", "process"].map(|name| Value::atom(AtomId::intern(name)));
        let message = self.heap.tuple(&[down, reference, process, pid_value(pid), reason]);
        self.deliver_message(watcher, message);
    }

    /// Tells everybody who has to know that a process has ended. Those that end because of it are told about in turn. True if the first
    /// process or the running one is among them.
    fn announce_end(&mut self, ended: Process, reason: Value) -> Vec<(u64, Value)> {
        let mut fatal = Vec::new();
        let mut rest = vec![(ended, reason)];
        while let Some((process, reason)) = rest.pop() {
            for (reference, watcher) in &process.watchers {
                self.send_down(*watcher, *reference, process.pid, reason);
            }
            for linked in &process.links {
                match self.exit_signal(*linked, process.pid, reason) {
                    Signal::Ignored => {}
                    Signal::Ends(other) => rest.push((*other, reason)),
                    Signal::EndsRunning => fatal.push((*linked, reason)),
                }
            }
        }
        fatal
    }

    /// An exit signal from one process to another.
    fn exit_signal(&mut self, to: u64, from: u64, reason: Value) -> Signal {
        let Some(process) = self.process_mut(to) else { return Signal::Ignored };
        process.links.retain(|linked| *linked != from);
        if process.traps_exits() {
            let message = self.heap.tuple(&[Value::atom(AtomId::EXIT_TAG), pid_value(from), reason]);
            self.deliver_message(to, message);
            return Signal::Ignored;
        }
        if reason == Value::atom(AtomId::NORMAL) {
            return Signal::Ignored;
        }
        match self.others.sleeping.remove(&to) {
            Some(process) => Signal::Ends(Box::new(process)),
            None => Signal::EndsRunning,
        }
    }
}

/// What an exit signal did.
enum Signal {
    Ignored,
    /// A process that slept has ended.
    Ends(Box<Process>),
    /// The running process has to end.
    EndsRunning,
}

impl Cpu<'_> {
    pub(super) fn act(&mut self, action: Action, to: Option<Slot>) -> Step {
        let value = match action {
            Action::Spawn { start, link, monitor } => self.spawn(start, link, monitor)?,
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
                let aliases = &mut self.run.others.aliases;
                let before = aliases.len();
                aliases.retain(|alias| alias.reference != reference);
                Value::boolean(aliases.len() < before)
            }
            Action::Monitor { pid, alias } => {
                let reference = self.monitor(pid);
                if let Some(end) = alias {
                    self.add_alias(reference.as_identifier().1, end);
                }
                reference
            }
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
            Action::Exit { pid, reason } => return self.exit_other(pid, reason, to),
            Action::Stacktrace => {
                self.save();
                let run = &mut *self.run;
                let frames = raise::stacktrace(&mut run.heap, self.view, &run.process, Trace::Here);
                let item = Value::atom(AtomId::intern("current_stacktrace"));
                run.heap.tuple(&[item, frames])
            }
            Action::IsAlive { pid } => Value::boolean(self.run.process_mut(pid).is_some()),
        };
        self.deliver(value, to)
    }

    fn spawn(&mut self, start: Start, link: bool, monitor: bool) -> Result<Value, Box<Halt>> {
        let (function, stack) = self.first_frame(start)?;
        self.run.others.started += 1;
        let pid = self.run.others.started;
        let mut process = Process::new(pid, function, stack);
        let own = self.run.process.pid;
        if link {
            process.links.push(own);
            self.run.process.links.push(pid);
        }
        let reference = monitor.then(|| self.run.virtuals.reference());
        process.watchers.extend(reference.map(|reference| (reference, own)));
        self.run.others.sleeping.insert(pid, process);
        self.run.others.ready.push_back(pid);
        Ok(match reference {
            None => pid_value(pid),
            Some(reference) => {
                let reference = Value::identifier(VirtualKind::Reference, reference);
                self.run.heap.tuple(&[pid_value(pid), reference])
            }
        })
    }

    /// The function that a new process starts in, and its arguments.
    fn first_frame(&mut self, start: Start) -> Result<(FnId, Vec<Value>), Box<Halt>> {
        match start {
            Start::Fun(fun) => match self.run.heap.view(fun) {
                View::Closure(ptr) if table::is_table(&self.run.heap, ptr) => {
                    Err(unsupported("process that starts with a fun of the input"))
                }
                View::Closure(ptr) => {
                    let captured = (0..self.run.heap.captured(ptr)).map(|i| self.run.heap.value(ptr.plus(2 + i)));
                    Ok((FnId(self.run.heap.closure(ptr).0), captured.collect()))
                }
                _ => Err(unsupported("process that starts with a native fun")),
            },
            Start::Call(mfa, args) => match self.view.resolve(mfa) {
                Target::Function(function) => Ok((function, args)),
                Target::Unknown => {
                    // The same instruction again, with the module loaded.
                    self.pc -= 1;
                    Err(Event::Request(Request::Load { module: mfa.module }).into())
                }
                Target::Bif(_) | Target::Host | Target::Undefined => {
                    Err(unsupported("process that starts in a native function"))
                }
            },
        }
    }

    fn add_alias(&mut self, reference: u64, end: AliasEnd) -> Value {
        let pid = self.run.process.pid;
        self.run.others.aliases.push(Alias { reference, pid, end });
        Value::identifier(VirtualKind::Reference, reference)
    }

    /// A message to a reference that is no alias any more is lost.
    fn send_to_alias(&mut self, reference: u64, message: Value) {
        let Some(alias) = self.run.others.aliases.iter().find(|alias| alias.reference == reference).copied() else {
            return;
        };
        self.run.deliver_message(alias.pid, message);
        if alias.end == AliasEnd::Reply {
            self.demonitor(reference, false, false);
        }
    }

    fn monitor(&mut self, pid: u64) -> Value {
        let reference = self.run.virtuals.reference();
        let own = self.run.process.pid;
        match self.run.process_mut(pid) {
            Some(process) => process.watchers.push((reference, own)),
            None => {
                let reason = Value::atom(AtomId::intern("noproc"));
                self.run.send_down(own, reference, pid, reason);
            }
        }
        Value::identifier(VirtualKind::Reference, reference)
    }

    fn demonitor(&mut self, reference: u64, flush: bool, info: bool) -> Value {
        let is_it = |(known, _): &(u64, u64)| *known == reference;
        let ends = |alias: &Alias| alias.reference == reference && alias.end != AliasEnd::Unalias;
        self.run.others.aliases.retain(|alias| !ends(alias));
        let all = std::iter::once(&mut self.run.process).chain(self.run.others.sleeping.values_mut());
        let mut found = false;
        for process in all {
            found |= process.watchers.iter().any(is_it);
            process.watchers.retain(|watcher| !is_it(watcher));
        }
        if flush {
            let reference = Value::identifier(VirtualKind::Reference, reference);
            let heap = &self.run.heap;
            self.run.process.mailbox.retain(|message| {
                let is_down = heap.tuple_arity(message) == Some(5) && heap.element(message, 1) == reference;
                found |= is_down && !info;
                !is_down
            });
        }
        Value::boolean(!info || found)
    }

    fn link(&mut self, pid: u64, to: Option<Slot>) -> Step {
        let own = self.run.process.pid;
        if pid != own && !self.run.process.links.contains(&pid) {
            match self.run.process_mut(pid) {
                Some(other) => {
                    other.links.push(own);
                    self.run.process.links.push(pid);
                }
                None => {
                    let reason = Value::atom(AtomId::intern("noproc"));
                    if matches!(self.run.exit_signal(own, pid, reason), Signal::EndsRunning) {
                        return self.end_process(reason);
                    }
                }
            }
        }
        self.deliver(Value::boolean(true), to)
    }

    /// `exit(Pid, Reason)`
    fn exit_other(&mut self, pid: u64, reason: Value, to: Option<Slot>) -> Step {
        let own = self.run.process.pid;
        let kill = reason == Value::atom(AtomId::KILL);
        let signal = if kill {
            match self.run.others.sleeping.remove(&pid) {
                Some(process) => Signal::Ends(Box::new(process)),
                None if pid == own => Signal::EndsRunning,
                None => Signal::Ignored,
            }
        } else if pid == own && reason == Value::atom(AtomId::NORMAL) && !self.run.process.traps_exits() {
            Signal::EndsRunning
        } else {
            self.run.exit_signal(pid, own, reason)
        };
        let reason = if kill { Value::atom(AtomId::intern("killed")) } else { reason };
        match signal {
            Signal::Ignored => self.deliver(Value::boolean(true), to),
            Signal::EndsRunning => self.end_process(reason),
            Signal::Ends(process) => {
                self.deliver(Value::boolean(true), to)?;
                self.end_others(*process, reason)
            }
        }
    }

    /// A process that slept has ended.
    fn end_others(&mut self, process: Process, reason: Value) -> Step {
        if process.pid == 0 {
            return Err(self.run_ended(reason));
        }
        match self.run.announce_end(process, reason).first() {
            Some((_, reason)) => self.end_process(*reason),
            None => Ok(()),
        }
    }

    /// The first process was ended by a signal.
    fn run_ended(&mut self, reason: Value) -> Box<Halt> {
        let reason = Packed::pack(&self.run.heap, reason);
        let stacktrace = Packed::immediate(Value::NIL);
        let outcome = self.run.ended_by(Outcome::Raised { class: Class::Exit, reason, stacktrace });
        Event::Done(outcome).into()
    }

    /// The running process ends, and another one goes on.
    pub(super) fn end_process(&mut self, reason: Value) -> Step {
        if self.run.process.pid == 0 {
            return Err(self.run_ended(reason));
        }
        let nobody = Process::new(self.run.process.pid, FnId(0), Vec::new());
        let ended = std::mem::replace(&mut self.run.process, nobody);
        self.run.announce_end(ended, reason);
        if !self.run.others.sleeping.contains_key(&0) {
            return Err(self.run_ended(reason));
        }
        self.run_next()
    }

    /// The running process waits, and another one goes on.
    pub(super) fn sleep(&mut self, dst: Slot, timeout: Option<u64>) -> Step {
        let until = timeout.map(|time| self.run.others.clock + time);
        self.run.process.wait = Some(Wait { dst, until });
        self.put_aside();
        self.run_next()
    }

    /// The slice of the running process is over: it goes to the end of the queue.
    pub(super) fn rotate(&mut self) -> Step {
        let pid = self.run.process.pid;
        self.put_aside();
        self.run.others.ready.push_back(pid);
        self.run_next()
    }

    fn put_aside(&mut self) {
        self.save();
        let pid = self.run.process.pid;
        let nobody = Process::new(pid, FnId(0), Vec::new());
        let process = std::mem::replace(&mut self.run.process, nobody);
        self.run.others.sleeping.insert(pid, process);
    }

    fn run_next(&mut self) -> Step {
        if let Some(process) = self.run.others.next() {
            self.run.process = process;
            return self.load();
        }
        // Everybody waits for messages: those of the first process may come from outside.
        match self.run.others.sleeping.remove(&0) {
            Some(mut first) if first.known_outside => {
                let wait = first.wait.take();
                self.run.process = first;
                self.load()?;
                match wait {
                    Some(wait) => self.wait(wait.dst, None),
                    None => Ok(()),
                }
            }
            _ => Err(Stop::Deadlock.into()),
        }
    }

    fn load(&mut self) -> Step {
        let process = &self.run.process;
        let Some(function) = self.view.function(process.function) else {
            return Err(unsupported("code that is not loaded"));
        };
        self.function = function;
        self.pc = process.pc as usize;
        self.base = process.base as usize;
        self.reserve();
        Ok(())
    }
}
