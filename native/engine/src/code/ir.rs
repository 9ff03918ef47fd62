//! The instructions that the machine executes.
//!
//! A function is a flat list of instructions over the slots of its frame: the parameters first, then what `let` and patterns bind, then
//! temporaries. Operands ([`Src`]) are slots or constants. The arguments of a call are laid out in consecutive slots at the end of the caller's
//! frame, where they become the first slots of the callee's.
//!
//! Instructions that can fail inside a guard carry a label to go to instead ([`Label::RAISE`] means that the exception is real).
//! Every instruction is a site: [`Function::site`].

use std::sync::OnceLock;

use super::ast::Line;
use super::live::{Live, Liveness};
use crate::bif::BifId;
use crate::path::SiteId;
use crate::sym::Tags;
use crate::term::bits::segment::Spec;
use crate::term::{AtomId, Value};

/// The number of a function among all loaded ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FnId(pub u32);

/// The number of a `Module:Function/Arity` that code refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct MfaId(pub u32);

/// The number of a clause, for coverage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ClauseId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Mfa {
    pub module: AtomId,
    pub function: AtomId,
    pub arity: usize,
}

/// A place in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Slot(pub u32);

/// An operand: a slot, or a constant of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Src(u32);

const CONSTANT: u32 = 1 << 31;

/// An operand taken apart.
pub enum Operand {
    Slot(usize),
    Constant(usize),
}

impl Src {
    pub const fn slot(slot: Slot) -> Self {
        Src(slot.0)
    }

    pub const fn constant(index: u32) -> Self {
        Src(index | CONSTANT)
    }

    #[inline]
    pub const fn operand(self) -> Operand {
        if self.0 & CONSTANT == 0 {
            Operand::Slot(self.0 as usize)
        } else {
            Operand::Constant((self.0 & !CONSTANT) as usize)
        }
    }
}

/// A position in the code of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(pub u32);

impl Label {
    /// Where a failing instruction outside of guards goes: it raises.
    pub const RAISE: Label = Label(u32::MAX);
}

/// Arguments in consecutive slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    pub at: Slot,
    pub len: u32,
}

/// Comparisons that have an instruction of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    Lt,
    Le,
    Gt,
    Ge,
    Equal,
    NotEqual,
    Same,
    NotSame,
}

/// Arithmetic that has an instruction of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
}

/// A bitstring to construct.
#[derive(Clone, Debug)]
pub struct BitsPlan {
    pub segments: Box<[BitsSegment]>,
}

#[derive(Clone, Copy, Debug)]
pub struct BitsSegment {
    pub value: Src,
    pub size: BitsSize,
    pub spec: Spec,
    /// Which one of its construction it is in the source, from 1; 0 if it cannot fail.
    pub number: u32,
}

/// How large a segment is.
#[derive(Clone, Copy, Debug)]
pub enum BitsSize {
    /// So many bits.
    Fixed(u32),
    /// So many units.
    Units(Src),
    /// As large as its value: all of a bitstring, or a character.
    All,
}

#[derive(Clone, Debug)]
pub enum Instr {
    Move {
        dst: Slot,
        src: Src,
    },
    Cons {
        dst: Slot,
        head: Src,
        tail: Src,
    },
    Tuple {
        dst: Slot,
        elements: Window,
    },
    /// A map of literal keys in order, no more than a small map has: keys and values in turn.
    NewMap {
        dst: Slot,
        pairs: Window,
    },
    /// A map with further associations, keys and values in turn; if `exact`, of keys that are there already.
    UpdateMap {
        dst: Slot,
        map: Src,
        pairs: Window,
        exact: bool,
        fail: Label,
    },
    Closure {
        dst: Slot,
        function: FnId,
        arity: u32,
        captured: Window,
    },

    Jump {
        to: Label,
    },
    /// The clause is entered: its pattern matched and its guard holds.
    Enter {
        clause: ClauseId,
    },

    IsCons {
        value: Src,
        fail: Label,
    },
    IsTuple {
        value: Src,
        arity: u32,
        fail: Label,
    },
    IsLiteral {
        value: Src,
        literal: Src,
        fail: Label,
    },
    IsTrue {
        value: Src,
        fail: Label,
    },
    IsType {
        value: Src,
        tags: Tags,
        fail: Label,
    },
    Compare {
        op: Comparison,
        a: Src,
        b: Src,
        fail: Label,
    },
    Head {
        dst: Slot,
        cons: Src,
    },
    Tail {
        dst: Slot,
        cons: Src,
    },
    Element {
        dst: Slot,
        tuple: Src,
        index: u32,
    },

    /// The value of a key of a map, if it has the key.
    MapElement {
        dst: Slot,
        map: Src,
        key: Src,
        fail: Label,
    },
    /// A match of a bitstring begins: it, and the position in bits, are in two slots from `at` on.
    BitsStart {
        value: Src,
        at: Slot,
        fail: Label,
    },
    /// An integer of at most 64 bits.
    BitsInteger {
        dst: Slot,
        at: Slot,
        size: u32,
        spec: Spec,
        fail: Label,
    },
    /// A segment of any type; the size counts units, and is `[]` for characters.
    BitsTake {
        dst: Slot,
        at: Slot,
        size: Src,
        spec: Spec,
        fail: Label,
    },
    /// So many units of bits that nobody looks at.
    BitsSkip {
        at: Slot,
        size: Src,
        unit: u16,
        fail: Label,
    },
    /// All that is left, if it is whole units.
    BitsRest {
        dst: Slot,
        at: Slot,
        unit: u16,
        fail: Label,
    },
    /// All that is left is whole units.
    BitsUnits {
        at: Slot,
        unit: u16,
        fail: Label,
    },
    /// The next bits are these.
    BitsLiteral {
        at: Slot,
        literal: Src,
        fail: Label,
    },
    BitsEnd {
        at: Slot,
        fail: Label,
    },
    BitsBuild {
        dst: Slot,
        plan: Box<BitsPlan>,
        fail: Label,
    },
    /// An empty bitstring to append to.
    BitsWritable {
        dst: Slot,
        room: Src,
    },

    Arithmetic {
        op: Arithmetic,
        dst: Slot,
        a: Src,
        b: Src,
        fail: Label,
    },
    Bif {
        bif: BifId,
        dst: Slot,
        args: Window,
        fail: Label,
    },

    Call {
        function: FnId,
        args: Window,
        dst: Slot,
    },
    TailCall {
        function: FnId,
        args: Window,
    },
    CallRemote {
        mfa: MfaId,
        args: Window,
        dst: Slot,
    },
    TailCallRemote {
        mfa: MfaId,
        args: Window,
    },
    /// A fun, from the slot before the arguments.
    CallFun {
        args: Window,
        dst: Slot,
    },
    TailCallFun {
        args: Window,
    },
    /// Module and function come from the two slots before the arguments.
    CallNamed {
        args: Window,
        dst: Slot,
    },
    TailCallNamed {
        args: Window,
    },
    /// `apply(Fun, List)` and `apply(Module, Function, List)`: the arguments of apply.
    Apply {
        args: Window,
        dst: Slot,
    },
    TailApply {
        args: Window,
    },
    Return {
        src: Src,
    },

    /// Until the matching `PopHandler`, an exception goes to the label with class, reason and stacktrace in three slots.
    PushHandler {
        handler: Label,
        at: Slot,
    },
    PopHandler,
    /// The value of `catch` for the exception in three slots.
    Caught {
        dst: Slot,
        at: Slot,
    },
    /// `primop build_stacktrace(Raw)`: the list of frames of what a handler receives.
    BuildTrace {
        dst: Slot,
        raw: Src,
    },
    /// `primop raise(Trace, Reason)`.
    Reraise {
        trace: Src,
        reason: Src,
    },
    /// `primop raw_raise(Class, Reason, Trace)`.
    RawRaise {
        dst: Slot,
        args: Window,
    },
    /// No clause matches. Of the clauses of a function, the reason has its arguments.
    MatchFail {
        reason: Src,
    },
    /// A `receive` takes only messages that contain this value: older ones are not looked at, if it is a reference.
    SkipOlder {
        than: Src,
    },
    /// Whether there is a message to look at, and the message.
    PeekMessage {
        found: Slot,
        message: Slot,
    },
    /// The message at hand stays in the mailbox: on to the next.
    NextMessage,
    /// The message at hand has been received.
    RemoveMessage,
    /// No message matched: whether the time to wait is over.
    WaitTimeout {
        dst: Slot,
        timeout: Src,
    },
    /// What the machine cannot do yet: ends the run.
    Unsupported {
        what: &'static str,
    },
}

/// A function, ready to run.
#[derive(Debug)]
pub struct Function {
    pub mfa: Mfa,
    /// Index of the module among the loaded ones.
    pub module: u32,
    pub code: Box<[Instr]>,
    pub constants: Box<[Value]>,
    /// Slots of a frame.
    pub frame: u32,
    /// Lines by the first instruction they stand for, ascending.
    pub lines: Box<[(u32, Line)]>,
    /// Calls that are the last ones of this function on the BEAM although more follows here, and arithmetic that names no function when it
    /// fails there: instructions, ascending.
    pub unseen: Box<[u32]>,
    /// Calls, and the lines of what stands right behind them on the BEAM, ascending.
    pub behind: Box<[(u32, Line)]>,
    /// The number of the first instruction's site; the others follow.
    pub first_site: u32,
    /// What the fun's own arity is; captured values come after those parameters.
    pub params: u32,
    /// Which slots are read from where on, once somebody has asked.
    pub liveness: OnceLock<Liveness>,
}

impl Function {
    /// The slots that are read from a position on; all of them, if that is not known.
    pub fn live(&self, pc: u32) -> Option<Live<'_>> {
        self.liveness.get_or_init(|| Liveness::of(self)).at(pc)
    }

    pub fn site(&self, pc: usize) -> SiteId {
        SiteId(self.first_site + pc as u32)
    }

    /// True if stacktraces do not show the call that an instruction makes, or the function that it fails in.
    pub fn is_unseen(&self, pc: usize) -> bool {
        self.unseen.binary_search(&(pc as u32)).is_ok()
    }

    /// Where the BEAM is when what an instruction calls has returned.
    pub fn line_behind(&self, pc: usize) -> Line {
        let found = self.behind.binary_search_by_key(&(pc as u32), |(call, _)| *call).ok();
        found.and_then(|index| self.behind.get(index)).map_or_else(|| self.line(pc), |(_, line)| *line)
    }

    /// Where the function begins. What its first instruction does may stand in another line.
    pub fn begin(&self) -> Line {
        self.lines.first().filter(|(first, _)| *first == 0).map_or(Line::default(), |(_, line)| *line)
    }

    /// Where an instruction comes from.
    pub fn line(&self, pc: usize) -> Line {
        let after = self.lines.partition_point(|(first, _)| *first as usize <= pc);
        after.checked_sub(1).and_then(|index| self.lines.get(index)).map_or(Line::default(), |(_, line)| *line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_stays_small() {
        assert!(size_of::<Instr>() <= 24, "{}", size_of::<Instr>());
    }
}
