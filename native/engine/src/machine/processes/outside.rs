//! Processes of the machine that native code knows of.
//!
//! Each has a process of the VM, its deputy (`cuter_deputy`; the host process is that of the first one): native calls happen there, and what is sent to
//! it comes here. While everybody waits, the host waits for a message to any of them. The time of the run is the world's then, as native code
//! takes its time to answer; a timer, or a time limit of a process that native code does not know of, is not waited for any longer than
//! [`GRACE`]. Nor is the process waited for that inputs name, which never answers.
//!
//! Not modelled: a message from native code between two steps of a process that does not wait; native code that kills a deputy.

use std::cell::RefCell;

use super::pid_value;
use crate::bif;
use crate::code::ir::{Mfa, Slot};
use crate::machine::exec::{Cpu, Step};
use crate::machine::{Process, Run, Waiting};
use crate::sym::Tags;
use crate::term::parts::has_part;
use crate::term::{AtomId, Packed, Tag, Value, View, VirtualKind};

/// Milliseconds that native code has for a message before the time of the run jumps.
const GRACE: u64 = 100;

/// What the deputy of a process has to be like.
pub enum Likeness {
    /// A process with this group leader, or the one that the host began with.
    Living(Option<Packed>),
    /// One that has ended.
    Ended,
}

/// What a native call has to do with the process that inputs name. It does not answer, and ends only if somebody ends it.
enum Concern {
    None,
    /// It gets a message, or is monitored: nothing will come of that.
    Told,
    /// From now on, anything might happen to it.
    Stirred,
}

impl Run {
    /// The process that waits for native code in the name of all, and for how long.
    fn listener(&self) -> Option<(u64, Option<u64>)> {
        let listener = self.others.sleeping.values().find(|process| process.known_outside)?.pid;
        let now = self.virtuals.now();
        let wait = self.others.first_wait().map(|(until, pid)| {
            let left = until.saturating_sub(now);
            let known = self.others.sleeping.get(&pid).is_some_and(|process| process.known_outside);
            if known { left } else { left.min(GRACE) }
        });
        let timer = self.virtuals.timers.first().map(|at| at.saturating_sub(now).min(GRACE));
        Some((listener, wait.into_iter().chain(timer).min()))
    }

    /// Only native code can send a message to the running process.
    pub(in crate::machine) fn is_alone(&self) -> bool {
        self.others.is_empty() && self.virtuals.timers.is_empty()
    }

    /// Words of the heap.
    pub fn heap_used(&self) -> usize {
        self.heap.used()
    }

    /// The process that runs, or waits for the host.
    pub fn running(&self) -> u64 {
        self.process.pid
    }

    /// Processes that have ended since [`Run::forget_ended`], with the reasons.
    pub fn ended(&self) -> &[(u64, Packed)] {
        &self.others.ended
    }

    pub fn likeness(&self, pid: u64) -> Likeness {
        let process = if self.process.pid == pid { Some(&self.process) } else { self.others.sleeping.get(&pid) };
        let pack = |process: &Process| process.leader.map(|leader| Packed::pack(&self.heap, leader));
        process.map_or(Likeness::Ended, |process| Likeness::Living(pack(process)))
    }

    pub fn forget_ended(&mut self) {
        self.others.ended.clear();
    }

    /// A process has ended: native code that knows of it has to be told.
    pub(super) fn note_end(&mut self, process: &Process, reason: Value) {
        if process.known_outside || process.has_deputy {
            self.others.ended.push((process.pid, Packed::pack(&self.heap, reason)));
        }
    }

    /// Native code gets these arguments from the running process. The VM answers questions about itself and others that have a reference in messages.
    /// True if messages may come of it.
    pub(in crate::machine) fn introduce(&mut self, function: Mfa, args: Value) -> bool {
        let pids = RefCell::new(Vec::new());
        let note = |part: Value| {
            if part.tag() == Tag::Virtual {
                match part.as_identifier() {
                    (VirtualKind::Pid, pid) => pids.borrow_mut().push(pid),
                    (VirtualKind::Reference, _) if answers_in_messages(function) => {
                        pids.borrow_mut().push(self.process.pid);
                    }
                    (VirtualKind::Reference | VirtualKind::Fun, _) => {}
                }
            }
            false
        };
        has_part(&self.heap, args, &note);
        let mut pids = pids.into_inner();
        self.process.has_deputy = true;
        match self.concern_of_the_idle(function, args) {
            Concern::Told => {
                self.others.unheard.append(&mut pids);
                self.others.unheard.push(self.process.pid);
                return false;
            }
            Concern::Stirred => {
                self.others.is_idle_stirred = true;
                pids.append(&mut self.others.unheard);
            }
            Concern::None => {}
        }
        for pid in pids {
            if let Some(process) = self.process_mut(pid) {
                process.known_outside = true;
            }
        }
        true
    }

    fn concern_of_the_idle(&self, function: Mfa, args: Value) -> Concern {
        let Some(idle) = self.subject.idle.as_ref().filter(|_| !self.others.is_idle_stirred) else {
            return Concern::None;
        };
        let is_idle = |part: Value| match self.heap.view(self.heap.concrete(part)) {
            View::Foreign(ptr) => self.heap.foreign_bytes(ptr) == **idle,
            _ => false,
        };
        if !has_part(&self.heap, args, &is_idle) {
            return Concern::None;
        }
        let tells = match &*function.function.name() {
            _ if function.module != AtomId::ERLANG => false,
            "send" | "send_nosuspend" => is_idle(self.heap.head(args)),
            "monitor" => is_idle(self.heap.head(self.heap.tail(args))),
            "is_process_alive" | "node" | "process_info" => return Concern::None,
            _ => false,
        };
        if tells { Concern::Told } else { Concern::Stirred }
    }

    /// The VM answers with a reference or a port for what it will send messages about.
    pub(in crate::machine) fn expect_messages(&mut self, waiting: Option<&Waiting>, answer: Value) {
        if let View::Foreign(ptr) = self.heap.view(answer)
            && waiting.is_some_and(|waiting| waiting.of_the_vm)
            && matches!(self.heap.foreign_tags(ptr), Tags::REFERENCE | Tags::PORT)
        {
            self.process.known_outside = true;
        }
    }
}

/// Functions of the VM itself: they may let messages come to the process that calls them, though they are not told of it.
pub(in crate::machine) fn is_of_the_vm(mfa: Mfa) -> bool {
    let is_request = || mfa == bif::mfa("ets", "internal_request_all", 0);
    mfa.module == AtomId::ERLANG || &*mfa.module.name() == "erts_internal" || is_request()
}

fn answers_in_messages(function: Mfa) -> bool {
    function == bif::mfa("erlang", "system_info", 1) || &*function.module.name() == "erts_internal"
}

impl Cpu<'_> {
    /// `group_leader(Leader, Pid)`
    pub(super) fn set_leader(&mut self, pid: u64, leader: Value, to: Option<Slot>) -> Step {
        if let Some(process) = self.run.process_mut(pid) {
            process.leader = Some(leader);
        }
        self.call_host(bif::mfa("erlang", "group_leader", 2), &[leader, pid_value(pid)], to)
    }

    /// A message has come from outside while the running process waited, for it or for another one.
    pub(in crate::machine) fn take_message(&mut self, to: u64, message: Value) -> Step {
        let ends = self.run.process_mut(to).is_some_and(|process| !process.traps_exits());
        let exit = self.exit_reason(message).filter(|_| ends);
        if to == self.run.process.pid && exit.is_none() {
            self.end_wait(Some(message));
            return Ok(());
        }
        self.run.process.waiting.pop();
        match exit {
            None => self.run.deliver_message(to, message),
            Some(reason) if reason == Value::atom(AtomId::NORMAL) => {}
            Some(reason) if to == self.run.process.pid => return self.end_process(reason),
            Some(reason) => {
                if let Some(process) = self.run.others.sleeping.remove(&to) {
                    self.end_others(process, reason)?;
                }
            }
        }
        self.wait_again()
    }

    /// The reason in `{'EXIT', From, Reason}` of somebody outside.
    fn exit_reason(&self, message: Value) -> Option<Value> {
        let heap = &self.run.heap;
        let is_exit = heap.tuple_arity(message) == Some(3) && heap.element(message, 0) == Value::atom(AtomId::EXIT_TAG);
        is_exit.then(|| heap.element(message, 2))
    }

    /// What came was for somebody else.
    fn wait_again(&mut self) -> Step {
        let Some(wait) = self.run.process.wait else { return Ok(()) };
        let left = wait.until.map(|until| until.saturating_sub(self.run.virtuals.now()));
        if left == Some(0) || self.run.is_alone() {
            return self.wait(wait.dst, left);
        }
        self.put_aside();
        self.run_next()
    }

    /// A fun that another process called in the name of this one has returned.
    pub(in crate::machine) fn take_visit(&mut self) -> Step {
        let dst = self.run.process.waiting.pop().and_then(|waiting| waiting.to);
        if !self.run.process.mailbox.has_more() {
            return self.wait_again();
        }
        self.run.process.wait = None;
        if let Some(dst) = dst {
            self.set(dst, Value::boolean(false));
        }
        Ok(())
    }

    /// No message has come in time: the time limit that comes first is over.
    pub(in crate::machine) fn take_silence(&mut self) -> Step {
        let polled = self.run.process.wait.is_some_and(|wait| wait.until == Some(self.run.virtuals.now()));
        if polled || self.run.is_alone() {
            if let Some(until) = self.run.process.wait.and_then(|wait| wait.until) {
                self.run.virtuals.wait_until(until);
            }
            self.end_wait(None);
            return Ok(());
        }
        self.run.process.waiting.pop();
        self.put_aside();
        self.run_in_time()
    }

    /// Everybody waits: the host does for all of them. False if native code knows of nobody.
    pub(super) fn listen(&mut self) -> Result<bool, Box<crate::machine::exec::Halt>> {
        let Some((pid, timeout)) = self.run.listener() else { return Ok(false) };
        let Some(process) = self.run.others.sleeping.remove(&pid) else { return Ok(false) };
        let wait = process.wait;
        self.run.process = process;
        self.load()?;
        if let Some(wait) = wait {
            self.await_message(wait.dst, timeout)?;
        }
        Ok(true)
    }
}
