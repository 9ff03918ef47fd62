//! Names that processes of the machine have given to each other.

use crate::code::ir::Slot;
use crate::machine::Raise;
use crate::machine::exec::{Cpu, Step};
use crate::term::{AtomId, Value, VirtualKind};

/// A process has one name at most, and there are few.
#[derive(Clone, Debug, Default)]
pub struct Names(Vec<(AtomId, u64)>);

impl Names {
    pub fn process(&self, name: AtomId) -> Option<u64> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, pid)| *pid)
    }

    pub fn name(&self, pid: u64) -> Option<AtomId> {
        self.0.iter().find(|(_, known)| *known == pid).map(|(name, _)| *name)
    }

    pub fn iter(&self) -> impl Iterator<Item = AtomId> {
        self.0.iter().map(|(name, _)| *name)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if there was such a name.
    pub fn remove(&mut self, name: AtomId) -> bool {
        let before = self.0.len();
        self.0.retain(|(known, _)| *known != name);
        self.0.len() < before
    }

    /// The process has ended.
    pub(super) fn forget(&mut self, pid: u64) {
        self.0.retain(|(_, known)| *known != pid);
    }
}

impl Cpu<'_> {
    /// `taken`: somebody else has the name.
    pub(super) fn register(&mut self, name: AtomId, pid: u64, taken: bool, to: Option<Slot>) -> Step {
        let cause = if name == AtomId::UNDEFINED {
            Some("none")
        } else if self.run.process_mut(pid).is_none() {
            Some("notalive")
        } else if self.run.virtuals.names.name(pid).is_some() {
            Some("registered_name")
        } else {
            taken.then_some("none")
        };
        match cause {
            None => {
                self.run.virtuals.names.0.push((name, pid));
                self.deliver(Value::boolean(true), to)
            }
            Some(cause) => {
                let args = [Value::atom(name), Value::identifier(VirtualKind::Pid, pid)];
                Err(Raise::refused(&mut self.run.heap, "register", &args, cause).into())
            }
        }
    }
}
