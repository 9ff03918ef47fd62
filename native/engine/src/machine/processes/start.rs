//! New processes, and a process that starts anew.

use super::{MonitorOptions, SpawnOptions, Start, Watcher, pid_value};
use crate::bif;
use crate::code::ir::{FnId, Mfa, Slot};
use crate::code::registry::Target;
use crate::machine::exec::{Cpu, Halt, Step, unsupported};
use crate::machine::{Event, Process, Request};
use crate::term::{AtomId, Value, View, VirtualKind, table};

impl Cpu<'_> {
    pub(super) fn spawn(&mut self, start: Start, options: &SpawnOptions) -> Result<Value, Box<Halt>> {
        let pid = self.new_process(start, options)?;
        Ok(match options.monitor.map(|options| self.monitor_new(pid, options)) {
            None => pid_value(pid),
            Some(reference) => {
                let reference = Value::identifier(VirtualKind::Reference, reference);
                self.run.heap.tuple(&[pid_value(pid), reference])
            }
        })
    }

    pub(super) fn spawn_request(
        &mut self,
        start: Start,
        options: &SpawnOptions,
        reply: Option<Value>,
    ) -> Result<Value, Box<Halt>> {
        let pid = self.new_process(start, options)?;
        let reference = match options.monitor {
            Some(options) => self.monitor_new(pid, options),
            None => self.run.virtuals.reference(),
        };
        let reference = Value::identifier(VirtualKind::Reference, reference);
        if let Some(tag) = reply {
            let message = self.run.heap.tuple(&[tag, reference, Value::atom(AtomId::OK), pid_value(pid)]);
            self.run.process.receive(message, &self.run.virtuals);
        }
        Ok(reference)
    }

    /// A process that is ready to start.
    fn new_process(&mut self, start: Start, options: &SpawnOptions) -> Result<u64, Box<Halt>> {
        let initial = match &start {
            Start::Fun(_) => bif::mfa("erlang", "apply", 2),
            Start::Call(mfa, _) => *mfa,
        };
        let (function, stack) = self.first_frame(start)?;
        let pid = self.run.virtuals.process();
        let mut process = Process::new(pid, function, stack);
        process.initial = Some(initial);
        process.leader = self.run.process.leader;
        for (flag, value) in &options.flags {
            process.flags.set(*flag, *value);
        }
        if options.link {
            process.links.push(self.run.process.pid);
            self.run.process.links.push(pid);
        }
        self.run.others.sleeping.insert(pid, process);
        self.run.others.ready.push_back(pid);
        Ok(pid)
    }

    /// The running process watches a new one.
    fn monitor_new(&mut self, pid: u64, options: MonitorOptions) -> u64 {
        let reference = self.monitor_reference(options);
        let watcher = Watcher { reference, pid: self.run.process.pid, name: None };
        if let Some(process) = self.run.others.sleeping.get_mut(&pid) {
            process.watchers.push(watcher);
        }
        reference
    }

    pub(super) fn hibernate(&mut self, start: Start) -> Step {
        if !self.run.process.callbacks.is_empty() {
            return Err(unsupported("hibernate/3 in a fun that native code calls"));
        }
        let (function, stack) = self.first_frame(start)?;
        let behind = Slot(stack.len() as u32);
        let process = &mut self.run.process;
        process.frames.clear();
        process.handlers.clear();
        process.emulations.clear();
        process.emulated.clear();
        process.applied.clear();
        process.mailbox.rewind();
        (process.function, process.pc, process.base, process.stack) = (function, 0, 0, stack);
        let has_messages = process.mailbox.len() > 0;
        self.load()?;
        if has_messages { Ok(()) } else { self.wait_for_ever(behind) }
    }

    pub(super) fn hibernate_in_place(&mut self, to: Option<Slot>) -> Step {
        if self.run.process.mailbox.len() > 0 {
            return self.deliver(Value::atom(AtomId::intern("ok")), to);
        }
        let Some(dst) = to else { return Err(unsupported("hibernate/0 as a last call")) };
        // The same instruction again, with a message.
        self.pc -= 1;
        self.wait_for_ever(dst)
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
            Start::Call(mfa, args) => self.first_call(mfa, args),
        }
    }

    fn first_call(&mut self, mfa: Mfa, args: Vec<Value>) -> Result<(FnId, Vec<Value>), Box<Halt>> {
        let apply = bif::mfa("erlang", "apply", 3);
        match self.resolve(mfa) {
            Target::Function(function) => Ok((function, args)),
            Target::Unknown => {
                // The same instruction again, with the module loaded.
                self.pc -= 1;
                Err(Event::Request(Request::Load { module: mfa.module }).into())
            }
            // What has no frame of its own is called from one that has.
            Target::Bif(_) | Target::Host | Target::Undefined if mfa != apply => {
                let list = self.run.heap.list(args, Value::NIL);
                self.first_call(apply, vec![Value::atom(mfa.module), Value::atom(mfa.function), list])
            }
            Target::Bif(_) | Target::Host | Target::Undefined => {
                Err(unsupported("process that starts in a native function"))
            }
        }
    }
}
