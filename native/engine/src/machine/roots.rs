//! Collections, and what of a process they keep.
//!
//! Of a frame, they keep the slots that are read again ([`crate::code::live`]). The others are overwritten: no stale place survives, and what only
//! they hold is given back, as on the BEAM. Collections happen when a function is entered; all other frames, and those of other
//! processes, stand behind a call or a `receive`.
//!
//! With the feature `poison`, every call overwrites them at once with something that no program has, so that a test shows whoever reads one.

use super::emulation::{Destination, destination};
use super::exec::Cpu;
use super::{Frame, Process, Run};
use crate::code::CodeView;
use crate::code::ir::{FnId, Slot};
use crate::code::live::Live;
use crate::term::Value;

/// What stands in a slot that nobody reads.
fn nothing() -> Value {
    #[cfg(feature = "poison")]
    return Value::atom(crate::term::AtomId::intern("$nobody reads this"));
    #[cfg(not(feature = "poison"))]
    Value::NIL
}

impl Cpu<'_> {
    pub(super) fn collect(&mut self) {
        self.save();
        let Run { process, others, exported, witnesses, virtuals, heap, symbolic, .. } = &mut *self.run;
        let mut roots: Vec<&mut [Value]> =
            vec![exported, witnesses.values_mut(), virtuals.timers.values_mut(), virtuals.tags.values_mut()];
        for process in std::iter::once(process).chain(others.processes_mut()) {
            process.forget_dead(self.view, usize::MAX);
            process.add_roots(&mut roots);
        }
        if *symbolic { heap.collect(&mut roots) } else { heap.collect_plain(&mut roots) }
    }

    /// Overwrites what the function that has just been entered and the one that called it do not read again.
    #[cfg(feature = "poison")]
    pub(super) fn poison(&mut self) {
        self.save();
        self.run.process.forget_dead(self.view, 2);
    }
}

impl Process {
    /// Overwrites the slots of the innermost frames that are not read again, and all above them. The stack keeps its length, because the frames below
    /// may reach higher than the last one.
    fn forget_dead(&mut self, view: &CodeView, frames: usize) {
        let running = Position { function: self.function, pc: self.pc, base: self.base, result: Waits::ForNothing };
        let callers = self.frames.iter().rev().map(Position::of);
        let positions = std::iter::once(running).chain(callers).take(frames);
        let mut known = Known { view, at: None, live: None };
        // The frame above begins here.
        let mut end = self.stack.len();
        for position in positions {
            let slots = self.stack.get_mut(position.base as usize..end).unwrap_or(&mut []);
            known.forget(position, slots);
            end = position.base as usize;
        }
    }

    /// Adds every place where the process has a value.
    fn add_roots<'p>(&'p mut self, roots: &mut Vec<&'p mut [Value]>) {
        let own = [self.dictionary.values_mut(), self.mailbox.values_mut()];
        roots.extend([self.stack.as_mut_slice(), &mut self.emulated].into_iter().chain(own));
        roots.extend(self.leader.as_mut().map(std::slice::from_mut));
        let asking = self.waiting.iter_mut().filter_map(|waiting| waiting.bif.as_mut());
        roots.extend(asking.map(|bif| bif.args.as_mut_slice()));
    }
}

/// Where a function goes on.
#[derive(Clone, Copy)]
struct Position {
    function: FnId,
    pc: u32,
    base: u32,
    result: Waits,
}

/// What a function does when it goes on.
#[derive(Clone, Copy)]
enum Waits {
    ForNothing,
    /// The result of its call goes here first.
    For(Slot),
    /// It returns that result.
    ToReturn,
}

impl Position {
    fn of(frame: &Frame) -> Self {
        let result = match destination(frame.dst) {
            Destination::Plain(slot) | Destination::Emulated(Some(slot)) => Waits::For(slot),
            Destination::Emulated(None) => Waits::ToReturn,
        };
        Position { function: frame.function, pc: frame.pc, base: frame.base, result }
    }
}

/// The slots that are read from the position that was asked for last: in a deep recursion all are the same.
struct Known<'v> {
    view: &'v CodeView,
    at: Option<(FnId, u32)>,
    live: Option<Live<'v>>,
}

impl Known<'_> {
    fn forget(&mut self, position: Position, slots: &mut [Value]) {
        let at = Some((position.function, position.pc));
        if self.at != at {
            self.live = self.view.function(position.function).and_then(|function| function.live(position.pc));
            self.at = at;
        }
        let (live, written) = match position.result {
            Waits::ForNothing => (self.live, None),
            Waits::For(slot) => (self.live, Some(slot.0 as usize)),
            Waits::ToReturn => (Some(Live::NONE), None),
        };
        let frame = self.view.function(position.function).map_or(0, |function| function.frame as usize);
        for (slot, place) in slots.iter_mut().enumerate() {
            let read = slot < frame && live.is_none_or(|live| live.contains(slot));
            if !read || written == Some(slot) {
                *place = nothing();
            }
        }
    }
}
