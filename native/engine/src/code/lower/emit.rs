//! Slots, labels and lines: the mechanics of writing instructions.

use super::{Body, Dest, Parts};
use crate::code::ast::Line;
use crate::code::ir::{Instr, Label, Slot, Src};

impl Body<'_, '_> {
    pub(super) fn emit(&mut self, instr: Instr) {
        self.code.push(instr);
    }

    /// From here on, instructions stand for this line. If stacktraces do not show something there, it is done by the next instruction.
    pub(super) fn line(&mut self, line: Line) {
        let pc = self.code.len() as u32;
        if line.is_unseen() {
            self.unseen.push(pc);
        }
        if let Some(next) = line.behind() {
            self.behind.push((pc, next));
        }
        let line = line.place();
        if (line.is_known() || line == Line::NOWHERE) && self.lines.last().is_none_or(|(_, last)| *last != line) {
            self.lines.push((pc, line));
        }
    }

    pub(super) fn take_slots(&mut self, count: u32) {
        self.next += count;
        self.frame = self.frame.max(self.next);
    }

    pub(super) fn new_slot(&mut self) -> Slot {
        let slot = Slot(self.next);
        self.take_slots(1);
        slot
    }

    /// The slot in which to compute one value for a destination.
    pub(super) fn target(&mut self, dest: Dest<'_>) -> Slot {
        match dest {
            Dest::Slots([slot, ..]) => *slot,
            Dest::Slots([]) | Dest::Return | Dest::Effect => self.new_slot(),
        }
    }

    /// The value is in its target: returns it if that is what the destination wants.
    pub(super) fn done(&mut self, slot: Slot, dest: Dest<'_>) {
        match dest {
            Dest::Slots(_) | Dest::Effect => {}
            Dest::Return => self.emit(Instr::Return { src: Src::slot(slot) }),
        }
    }

    pub(super) fn deliver(&mut self, src: Src, dest: Dest<'_>) {
        match dest {
            Dest::Slots([dst, ..]) => self.emit(Instr::Move { dst: *dst, src }),
            Dest::Slots([]) | Dest::Effect => {}
            Dest::Return => self.emit(Instr::Return { src }),
        }
    }

    pub(super) fn new_label(&mut self) -> Label {
        self.labels.push(0);
        Label(self.labels.len() as u32 - 1)
    }

    pub(super) fn place(&mut self, label: Label) {
        let pc = self.code.len() as u32;
        if let Some(place) = self.labels.get_mut(label.0 as usize) {
            *place = pc;
        }
    }

    /// Goes to `end` unless the destination has left the function already.
    pub(super) fn jump_to(&mut self, end: Label, dest: Dest<'_>) {
        match dest {
            Dest::Slots(_) | Dest::Effect => self.emit(Instr::Jump { to: end }),
            Dest::Return => {}
        }
    }

    /// Where a failing built-in function goes here.
    pub(super) fn fail(&self) -> Label {
        self.guard.unwrap_or(Label::RAISE)
    }

    pub(super) fn finish(mut self) -> Parts {
        // Behind the last instruction there is nothing: a label there would be a defect of this module, and ends the run.
        self.emit(Instr::Unsupported { what: "code after the end of a function" });
        for instr in &mut self.code {
            if let Some(label) = instr.label_mut()
                && *label != Label::RAISE
            {
                *label = Label(self.labels.get(label.0 as usize).copied().unwrap_or(0));
            }
        }
        let Body { code, constants, frame, lines, unseen, behind, .. } = self;
        Parts { code, constants, frame, lines, unseen, behind }
    }
}

impl Instr {
    /// The label that the instruction may go to.
    pub fn label(&self) -> Option<Label> {
        self.clone().label_mut().copied()
    }

    fn label_mut(&mut self) -> Option<&mut Label> {
        match self {
            Instr::Jump { to } => Some(to),
            Instr::PushHandler { handler, .. } => Some(handler),
            Instr::IsCons { fail, .. }
            | Instr::IsTuple { fail, .. }
            | Instr::IsLiteral { fail, .. }
            | Instr::IsTrue { fail, .. }
            | Instr::IsType { fail, .. }
            | Instr::Compare { fail, .. }
            | Instr::BitsStart { fail, .. }
            | Instr::BitsInteger { fail, .. }
            | Instr::BitsTake { fail, .. }
            | Instr::BitsSkip { fail, .. }
            | Instr::BitsRest { fail, .. }
            | Instr::BitsUnits { fail, .. }
            | Instr::BitsLiteral { fail, .. }
            | Instr::BitsEnd { fail, .. }
            | Instr::BitsBuild { fail, .. }
            | Instr::Arithmetic { fail, .. }
            | Instr::UpdateMap { fail, .. }
            | Instr::MapElement { fail, .. }
            | Instr::Bif { fail, .. } => Some(fail),
            Instr::Move { .. }
            | Instr::Cons { .. }
            | Instr::Tuple { .. }
            | Instr::NewMap { .. }
            | Instr::Closure { .. }
            | Instr::Enter { .. }
            | Instr::Head { .. }
            | Instr::Tail { .. }
            | Instr::Element { .. }
            | Instr::BitsWritable { .. }
            | Instr::Call { .. }
            | Instr::TailCall { .. }
            | Instr::CallRemote { .. }
            | Instr::TailCallRemote { .. }
            | Instr::CallFun { .. }
            | Instr::TailCallFun { .. }
            | Instr::CallNamed { .. }
            | Instr::TailCallNamed { .. }
            | Instr::Apply { .. }
            | Instr::TailApply { .. }
            | Instr::Return { .. }
            | Instr::PopHandler
            | Instr::Caught { .. }
            | Instr::BuildTrace { .. }
            | Instr::Reraise { .. }
            | Instr::RawRaise { .. }
            | Instr::MatchFail { .. }
            | Instr::SkipOlder { .. }
            | Instr::PeekMessage { .. }
            | Instr::NextMessage
            | Instr::RemoveMessage
            | Instr::WaitTimeout { .. }
            | Instr::Unsupported { .. } => None,
        }
    }
}
