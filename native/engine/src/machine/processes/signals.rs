//! Signals between processes: messages, aliases, monitors, links and exits.

use super::{Alias, AliasEnd, MonitorOptions, Others, Watcher, pid_value};
use crate::code::ir::Slot;
use crate::machine::exec::{Cpu, Step};
use crate::machine::{Process, Run};
use crate::term::{AtomId, Value, VirtualKind};

impl Run {
    pub(super) fn process_mut(&mut self, pid: u64) -> Option<&mut Process> {
        if self.process.pid == pid { Some(&mut self.process) } else { self.others.sleeping.get_mut(&pid) }
    }

    pub(in crate::machine) fn deliver_message(&mut self, to: u64, message: Value) {
        let Run { process, others, virtuals, .. } = self;
        let process = if process.pid == to { Some(process) } else { others.sleeping.get_mut(&to) };
        if process.is_some_and(|process| process.end_wait(Some(message), virtuals)) {
            self.others.ready.push_back(to);
        }
    }

    /// `{'DOWN', Reference, process, Object, Reason}`: the object is a process, or a name and the node. With the monitor ends its alias.
    fn send_down(&mut self, watcher: Watcher, pid: u64, reason: Value) {
        let reference = Value::identifier(VirtualKind::Reference, watcher.reference);
        let [down, process] = ["DOWN", "process"].map(|name| Value::atom(AtomId::intern(name)));
        let down = self.virtuals.tags.take(watcher.reference).unwrap_or(down);
        self.others.end_alias(watcher.reference, watcher.pid);
        let object = match watcher.name {
            Some(name) => self.heap.tuple(&[Value::atom(name), Value::atom(AtomId::NODE)]),
            None => pid_value(pid),
        };
        let message = self.heap.tuple(&[down, reference, process, object, reason]);
        self.deliver_message(watcher.pid, message);
    }

    /// Tells everybody who has to know that a process has ended. Those that end because of it are told about in turn. True if the first
    /// process or the running one is among them.
    pub(super) fn announce_end(&mut self, ended: Process, reason: Value) -> Vec<(u64, Value)> {
        let mut fatal = Vec::new();
        let mut rest = vec![(ended, reason)];
        while let Some((process, reason)) = rest.pop() {
            self.note_end(&process, reason);
            self.virtuals.names.forget(process.pid);
            self.virtuals.timers.forget(process.pid);
            for watcher in &process.watchers {
                self.send_down(*watcher, process.pid, reason);
            }
            for linked in &process.links {
                if let Some(other) = self.process_mut(*linked) {
                    other.links.retain(|pid| *pid != process.pid);
                }
                match self.exit_signal(*linked, process.pid, reason) {
                    Signal::Ignored => {}
                    Signal::Ends(other) => rest.push((*other, reason)),
                    Signal::EndsRunning => fatal.push((*linked, reason)),
                }
            }
        }
        fatal
    }

    /// An exit signal from one process to another. A link between them stays.
    fn exit_signal(&mut self, to: u64, from: u64, reason: Value) -> Signal {
        let Some(process) = self.process_mut(to) else { return Signal::Ignored };
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

impl Others {
    /// A monitor is over: its reference is no alias any more, unless that is to be said apart.
    fn end_alias(&mut self, monitor: u64, owner: u64) {
        let ends = |alias: &Alias| alias.reference == monitor && alias.pid == owner && alias.end != AliasEnd::Unalias;
        self.aliases.retain(|alias| !ends(alias));
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
    pub(super) fn add_alias(&mut self, reference: u64, end: AliasEnd) -> Value {
        let pid = self.run.process.pid;
        self.run.others.aliases.push(Alias { reference, pid, end });
        Value::identifier(VirtualKind::Reference, reference)
    }

    /// A message to a reference that is no alias any more is lost.
    pub(super) fn send_to_alias(&mut self, reference: u64, message: Value) {
        let Some(alias) = self.run.others.aliases.iter().find(|alias| alias.reference == reference).copied() else {
            return;
        };
        self.run.deliver_message(alias.pid, message);
        if alias.end == AliasEnd::Reply {
            self.run.others.end_alias(reference, alias.pid);
            self.end_monitor(reference, alias.pid);
        }
    }

    /// The reference of a new monitor.
    pub(super) fn monitor_reference(&mut self, options: MonitorOptions) -> u64 {
        let reference = self.run.virtuals.reference();
        if let Some(end) = options.alias {
            self.add_alias(reference, end);
        }
        if let Some(tag) = options.tag {
            self.run.virtuals.tags.add(reference, tag);
        }
        reference
    }

    pub(super) fn monitor(&mut self, pid: Option<u64>, name: Option<AtomId>, options: MonitorOptions) -> Value {
        let reference = self.monitor_reference(options);
        let own = self.run.process.pid;
        let watcher = Watcher { reference, pid: own, name };
        match pid.and_then(|pid| self.run.process_mut(pid)) {
            // Nobody hears of its own end.
            Some(process) if process.pid == own => {}
            Some(process) => process.watchers.push(watcher),
            None => {
                let reason = Value::atom(AtomId::intern("noproc"));
                self.run.send_down(watcher, pid.unwrap_or_default(), reason);
            }
        }
        Value::identifier(VirtualKind::Reference, reference)
    }

    /// Ends a monitor of that process, but none of another one. True if there was one.
    fn end_monitor(&mut self, reference: u64, owner: u64) -> bool {
        let is_it = |watcher: &Watcher| watcher.reference == reference && watcher.pid == owner;
        let all = std::iter::once(&mut self.run.process).chain(self.run.others.sleeping.values_mut());
        let mut found = false;
        for process in all {
            found |= process.watchers.iter().any(is_it);
            process.watchers.retain(|watcher| !is_it(watcher));
        }
        if found {
            self.run.virtuals.tags.take(reference);
        }
        found
    }

    pub(super) fn demonitor(&mut self, reference: u64, flush: bool, info: bool) -> Value {
        let own = self.run.process.pid;
        self.run.others.end_alias(reference, own);
        let found = self.end_monitor(reference, own);
        // A monitor that was there has sent nothing yet.
        if flush && !found {
            let reference = Value::identifier(VirtualKind::Reference, reference);
            let heap = &self.run.heap;
            self.run.process.mailbox.retain(|message| {
                let is_down = heap.tuple_arity(message) == Some(5) && heap.element(message, 1) == reference;
                !is_down
            });
        }
        Value::boolean(!info || found)
    }

    pub(super) fn link(&mut self, pid: u64, to: Option<Slot>) -> Step {
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
    pub(super) fn exit_other(&mut self, pid: u64, reason: Value, to: Option<Slot>) -> Step {
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
    pub(super) fn end_others(&mut self, process: Process, reason: Value) -> Step {
        if process.pid == 0 {
            return Err(self.run_ended(reason));
        }
        match self.run.announce_end(process, reason).first() {
            Some((_, reason)) => self.end_process(*reason),
            None => Ok(()),
        }
    }
}
