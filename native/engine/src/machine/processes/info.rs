//! `process_info/1,2` of processes of the machine. What is not known here is asked of the host, about the process of the VM that stands for it.

use super::{Watcher, pid_value};
use crate::bif;
use crate::code::ir::{Mfa, Slot};
use crate::machine::exec::{Cpu, Step};
use crate::machine::{Flag, Process, Raise, Run, raise};
use crate::term::{AtomId, Value, View};

impl Cpu<'_> {
    /// The item is an atom, or a list of atoms: then all of them are known here, or the host is asked.
    pub(super) fn process_info(&mut self, pid: u64, item: Value, to: Option<Slot>) -> Step {
        self.save();
        if self.run.process_mut(pid).is_none() {
            return self.deliver(Value::atom(AtomId::UNDEFINED), to);
        }
        let info = if item.is_atom() {
            let info = self.info(pid, item);
            // A process without a name is the one exception.
            info.map(|info| if is_no_name(&self.run.heap, info) { Value::NIL } else { info })
        } else {
            self.infos(pid, item)
        };
        match info {
            Some(info) => self.deliver(info, to),
            None => self.call_host(bif::mfa("erlang", "process_info", 2), &[pid_value(pid), item], to),
        }
    }

    /// The processes of the host, without those that stand for one of the machine, and those of the machine.
    pub(super) fn processes(&mut self, known: Vec<Value>) -> Value {
        let is_own = |process: &Value| matches!(self.run.heap.view(*process), View::Virtual(_));
        let others: Vec<Value> = known.into_iter().filter(|process| !is_own(process)).collect();
        let own = self.run.others.sleeping.keys().copied().chain([self.run.process.pid]).map(pid_value);
        let all: Vec<Value> = others.into_iter().chain(own).collect();
        self.run.heap.list(all, Value::NIL)
    }

    /// What the host says of the process that stands for this one, with what is known here in its place.
    pub(super) fn all_infos(&mut self, pid: u64, mut infos: Value) -> Value {
        self.save();
        if self.run.process_mut(pid).is_none() {
            return Value::atom(AtomId::UNDEFINED);
        }
        let named = self.info(pid, Value::atom(AtomId::intern("registered_name")));
        let mut all: Vec<Value> = named.into_iter().filter(|info| !is_no_name(&self.run.heap, *info)).collect();
        while infos.is_cons() {
            let info = self.run.heap.head(infos);
            all.push(self.info(pid, self.run.heap.element(info, 0)).unwrap_or(info));
            infos = self.run.heap.tail(infos);
        }
        self.run.heap.list(all, Value::NIL)
    }

    fn infos(&mut self, pid: u64, mut items: Value) -> Option<Value> {
        let mut infos = Vec::new();
        while items.is_cons() {
            let item = self.run.heap.concrete(self.run.heap.head(items));
            infos.push(self.info(pid, item)?);
            items = self.run.heap.tail(items);
        }
        items.is_nil().then(|| self.run.heap.list(infos, Value::NIL))
    }

    /// `{Item, Value}`
    fn info(&mut self, pid: u64, item: Value) -> Option<Value> {
        let name = Some(item).filter(|item| item.is_atom())?.as_atom();
        let value = match Flag::named(name) {
            Some(flag) => self.run.process_mut(pid)?.flags.get(flag),
            None => self.value_of(pid, &name.name())?,
        };
        Some(self.run.heap.tuple(&[item, value]))
    }

    fn value_of(&mut self, pid: u64, item: &str) -> Option<Value> {
        let (view, run) = (self.view, &mut *self.run);
        Some(match item {
            "registered_name" => run.virtuals.names.name(pid).map_or(Value::NIL, Value::atom),
            "status" => Value::atom(AtomId::intern(run.status(pid)?)),
            "message_queue_len" => Value::count(run.process_mut(pid)?.mailbox.len()),
            "messages" => {
                let messages: Vec<Value> = run.process_mut(pid)?.messages().collect();
                run.heap.list(messages, Value::NIL)
            }
            "links" => {
                let links: Vec<Value> = run.process_mut(pid)?.links().map(pid_value).collect();
                run.heap.list(links, Value::NIL)
            }
            "monitors" => run.monitors(pid),
            "monitored_by" => {
                let mut watchers: Vec<u64> = run.process_mut(pid)?.watchers.iter().map(|one| one.pid).collect();
                watchers.retain(|watcher| run.process_mut(*watcher).is_some());
                run.heap.list(watchers.into_iter().map(pid_value), Value::NIL)
            }
            "dictionary" => {
                let pairs: Vec<[Value; 2]> = run.process_mut(pid)?.dictionary.pairs().collect();
                let pairs: Vec<Value> = pairs.iter().map(|pair| run.heap.tuple(pair)).collect();
                run.heap.list(pairs, Value::NIL)
            }
            "catchlevel" => Value::count(run.process_mut(pid)?.handlers.len()),
            "reductions" => Value::count(run.counters.steps as usize),
            "current_function" => {
                let process = run.process_mut(pid)?;
                let hibernates = process.is_hibernating();
                let mfa = view.function(process.function)?.mfa;
                run.mfa_value(if hibernates { bif::mfa("erlang", "hibernate", 3) } else { mfa })
            }
            "current_stacktrace" => self.stacktrace_of(pid)?,
            "current_location" => {
                if self.run.process_mut(pid)?.is_hibernating() {
                    let [module, function] = ["erlang", "hibernate"].map(|name| Value::atom(AtomId::intern(name)));
                    self.run.heap.tuple(&[module, function, Value::count(3), Value::NIL])
                } else {
                    let stacktrace = self.stacktrace_of(pid)?;
                    if stacktrace.is_cons() { self.run.heap.head(stacktrace) } else { return None }
                }
            }
            "initial_call" => {
                let mfa = run.process_mut(pid)?.initial?;
                run.mfa_value(mfa)
            }
            _ => return None,
        })
    }

    fn stacktrace_of(&mut self, pid: u64) -> Option<Value> {
        let Run { process, others, heap, virtuals, .. } = &mut *self.run;
        let process = if process.pid == pid { process } else { others.sleeping.get_mut(&pid)? };
        let forgotten = process.is_hibernating();
        let most = virtuals.frames();
        Some(if forgotten {
            Value::NIL
        } else {
            raise::stacktrace(heap, self.view, process, &Raise::error(Value::NIL), most)
        })
    }
}

/// `{registered_name, []}`
fn is_no_name(heap: &crate::term::Heap, info: Value) -> bool {
    heap.element(info, 0) == Value::atom(AtomId::intern("registered_name")) && heap.element(info, 1).is_nil()
}

impl Run {
    fn mfa_value(&mut self, mfa: Mfa) -> Value {
        self.heap.tuple(&[Value::atom(mfa.module), Value::atom(mfa.function), Value::count(mfa.arity)])
    }

    fn status(&mut self, pid: u64) -> Option<&'static str> {
        let runs = self.process.pid == pid;
        let process = self.process_mut(pid)?;
        Some(if runs {
            "running"
        } else if process.wait.is_some() {
            "waiting"
        } else {
            "runnable"
        })
    }

    /// Whom a process watches: `{process, Pid}`, or with a name and the node.
    fn monitors(&mut self, pid: u64) -> Value {
        let all = std::iter::once(&self.process).chain(self.others.sleeping.values());
        let watched = |process: &Process| {
            let own = process.watchers.iter().filter(|watcher| watcher.pid == pid);
            own.map(|watcher| (process.pid, *watcher)).collect::<Vec<(u64, Watcher)>>()
        };
        let watched: Vec<(u64, Watcher)> = all.flat_map(watched).collect();
        let item = |(pid, watcher): (u64, Watcher)| {
            let object = match watcher.name {
                Some(name) => self.heap.tuple(&[Value::atom(name), Value::atom(AtomId::NODE)]),
                None => pid_value(pid),
            };
            self.heap.tuple(&[Value::atom(AtomId::intern("process")), object])
        };
        let items: Vec<Value> = watched.into_iter().map(item).collect();
        self.heap.list(items, Value::NIL)
    }
}
