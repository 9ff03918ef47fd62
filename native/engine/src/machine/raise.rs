//! Exceptions of the program under test, and their stacktraces.

use serde::Serialize;

use super::{Action, Ctx, Frame, Process, Slot, Stop};
use crate::bif;
use crate::code::CodeView;
use crate::code::ast::Line;
use crate::code::ir::{Function, Mfa};
use crate::release;
use crate::term::{AtomId, Heap, Value};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize)]
pub enum Class {
    Error,
    Exit,
    Throw,
}

impl Class {
    pub const fn atom(self) -> AtomId {
        match self {
            Class::Error => AtomId::ERROR,
            Class::Exit => AtomId::EXIT,
            Class::Throw => AtomId::THROW,
        }
    }

    pub fn from_atom(atom: AtomId) -> Option<Self> {
        [Class::Error, Class::Exit, Class::Throw].into_iter().find(|class| class.atom() == atom)
    }
}

/// The program raised.
#[derive(Clone, Copy, Debug)]
pub struct Raise {
    pub class: Class,
    pub reason: Value,
    pub trace: Trace,
}

/// What the stacktrace starts with.
#[derive(Clone, Copy, Debug)]
pub enum Trace {
    /// The function that is running.
    Here,
    /// The same, listed twice: with the call that failed, and with where it would have returned to.
    Twice,
    /// A function and its arguments, a list, that were not accepted.
    Call(Mfa, Value),
    /// The same, called last: the function that is running has nothing more to do.
    LastCall(Mfa, Value),
    /// A built-in function and its arguments, which explains itself with `error_info`.
    Bif(Mfa, Value),
    /// The same, called last: the function that is running has gone.
    LastBif(Mfa, Value),
    /// The function that is running, with these arguments if they are a list, and what else is known of the place. If that has gone, its caller.
    Running { args: Value, more: Value, last: bool },
    /// A stacktrace that the program supplied, or of an exception that is raised again. `unmatched` as told by `is_unmatched`.
    Given { frames: Value, unmatched: bool },
    /// The stacktrace of native code, which goes on with the function that called it, unless that was its last call.
    Native { frames: Value, last: bool },
}

impl Trace {
    /// The same without the function that is running, and without that also if it is what raises.
    pub(super) const fn without_caller(self, is_raising: bool) -> Trace {
        match self {
            Trace::Bif(mfa, args) => Trace::LastBif(mfa, args),
            Trace::Native { frames, .. } => Trace::Native { frames, last: true },
            Trace::Here if is_raising => Trace::Running { args: Value::ZERO, more: Value::NIL, last: true },
            Trace::Running { args, more, .. } if is_raising => Trace::Running { args, more, last: true },
            Trace::Here
            | Trace::Running { .. }
            | Trace::Twice
            | Trace::Call(..)
            | Trace::LastCall(..)
            | Trace::LastBif(..)
            | Trace::Given { .. } => self,
        }
    }
}

/// A built-in function did not return.
#[derive(Clone, Debug)]
pub enum Failure {
    Raise(Raise),
    Stop(Stop),
    /// These arguments are for the host.
    Host,
    /// There is no such function.
    Undefined,
    /// It needs something from the host first.
    Ask(Box<Ask>),
    /// Other processes have a part in it.
    Act(Box<Action>),
}

/// A question of a built-in function to the host.
#[derive(Clone, Debug)]
pub struct Ask {
    pub mfa: Mfa,
    /// The arguments of that function, as a list.
    pub args: Value,
    /// What makes the function's result of its own arguments and the answer.
    pub finish: fn(&mut Ctx<'_>, &[Value], Value) -> Result<Value, Failure>,
    /// What is asked for, for a report in case that nobody could be asked.
    pub purpose: &'static str,
}

impl From<Raise> for Failure {
    fn from(raise: Raise) -> Self {
        Failure::Raise(raise)
    }
}

impl Raise {
    pub const fn error(reason: Value) -> Self {
        Raise { class: Class::Error, reason, trace: Trace::Here }
    }

    /// A value could not be called as a fun.
    pub fn bad_call(reason: Value, is_last: bool) -> Self {
        let twice = !is_last && release::bad_calls_are_listed_twice();
        Raise { trace: if twice { Trace::Twice } else { Trace::Here }, ..Raise::error(reason) }
    }

    /// A function of module `erlang` does not accept its arguments, and the VM tells why.
    pub fn refused(heap: &mut Heap, function: &str, args: &[Value], cause: &str) -> Self {
        let name = |name: &str| Value::atom(AtomId::intern(name));
        let info = heap.map(&[(name("cause"), name(cause)), (name("module"), name(explainer(AtomId::ERLANG)))]);
        let info = heap.tuple(&[Value::atom(AtomId::ERROR_INFO), info]);
        let (more, args) = (heap.list([info], Value::NIL), heap.list(args.iter().copied(), Value::NIL));
        let frame = heap.tuple(&[Value::atom(AtomId::ERLANG), name(function), args, more]);
        let trace = Trace::Native { frames: heap.list([frame], Value::NIL), last: false };
        Raise { trace, ..Raise::error_atom(AtomId::BADARG) }
    }

    pub const fn error_atom(reason: AtomId) -> Self {
        Raise::error(Value::atom(reason))
    }
}

/// The stacktrace of an exception, as a list of at most so many frames.
pub(super) fn stacktrace(heap: &mut Heap, view: &CodeView, process: &Process, raised: &Raise, most: usize) -> Value {
    let trace = raised.trace;
    let mut items = Vec::new();
    match trace {
        Trace::Given { frames, .. } => return frames,
        Trace::Native { frames, .. } => {
            let mut rest = frames;
            while rest.is_cons() && items.len() < most {
                items.push(heap.head(rest));
                rest = heap.tail(rest);
            }
        }
        Trace::Here | Trace::Twice | Trace::Running { .. } => {}
        Trace::LastCall(mfa, args) => items.push(frame(heap, mfa, args, Value::NIL)),
        Trace::Call(mfa, args) => {
            // Where a function begins is where its clauses did not match.
            let running = view.function(process.function).filter(|function| function.mfa == mfa);
            let place = running.map_or(Value::NIL, |function| location(heap, view, function, function.begin()));
            items.push(frame(heap, mfa, args, place));
        }
        Trace::Bif(mfa, args) | Trace::LastBif(mfa, args) => {
            let info = error_info(heap, mfa.module);
            items.push(frame(heap, mfa, args, info));
        }
    }
    // The function whose clauses did not match stands for the running one.
    let skip_running = match trace {
        Trace::LastCall(..) | Trace::LastBif(..) => true,
        Trace::Native { last, .. } | Trace::Running { last, .. } => last,
        // What stands for a built-in function is no frame, but `apply/2` is code.
        Trace::Call(mfa, _) | Trace::Bif(mfa, _) => {
            let is_code = mfa == bif::mfa("erlang", "apply", 2);
            view.function(process.function).is_some_and(|function| function.mfa == mfa && !is_code)
        }
        Trace::Here | Trace::Twice | Trace::Given { .. } => false,
    };
    let running = Frame { function: process.function, pc: process.pc, base: process.base, dst: Slot(0) };
    // As on the BEAM, a call that returns to where the one before it returns to is not listed again. A stack may have millions of those.
    let mut last = None;
    let distinct = process.frames.chunk_by(|below, above| below.place() == above.place()).rev();
    let callers =
        distinct.filter_map(|same| same.last().copied()).filter(|frame| !is_unseen(view, frame)).filter(|frame| {
            let place = Some(frame.place());
            std::mem::replace(&mut last, place) != place
        });
    let again = matches!(trace, Trace::Twice).then_some(running);
    let all = (!skip_running).then_some(running).into_iter().chain(again).chain(callers);
    let mut is_behind = is_of_a_library(heap, raised);
    for place in all.take(most.saturating_sub(items.len())) {
        if let Some(function) = view.function(place.function) {
            let pc = (place.pc as usize).saturating_sub(1);
            let line = if std::mem::take(&mut is_behind) { function.line_behind(pc) } else { function.line(pc) };
            let location = location(heap, view, function, line);
            items.push(frame(heap, function.mfa, Value::count(function.mfa.arity), location));
        }
    }
    if let (Trace::Running { args, more, .. }, Some(first)) = (trace, items.first_mut()) {
        *first = explained(heap, *first, args, more);
    }
    heap.list(items, Value::NIL)
}

/// True if a stacktrace begins with a function none of whose clauses matched. Of native code, the frames and the reason tell.
pub(super) fn is_unmatched(heap: &Heap, view: &CodeView, process: &Process, raised: &Raise) -> bool {
    match raised.trace {
        Trace::Call(mfa, _) => {
            // Where its own handlers are at work, a function raises as `erlang:error/2` does.
            let is_handled =
                process.handlers.last().is_some_and(|handler| handler.frames as usize == process.frames.len());
            !is_handled && view.function(process.function).is_some_and(|function| function.mfa == mfa)
        }
        Trace::Given { unmatched, .. } => unmatched,
        Trace::Native { frames, .. } => {
            let first = frames.is_cons().then(|| heap.head(frames)).filter(|first| heap.tuple_arity(*first) == Some(4));
            raised.reason == Value::atom(AtomId::FUNCTION_CLAUSE)
                && first.is_some_and(|first| heap.element(first, 2).is_cons())
        }
        Trace::Here
        | Trace::Twice
        | Trace::LastCall(..)
        | Trace::Bif(..)
        | Trace::LastBif(..)
        | Trace::Running { .. } => false,
    }
}

/// True if a function of a native library has failed itself: it has no place, and unlike a built-in function does not explain itself. The
/// VM takes where such a function returns to for where it was called. A function that does not exist looks alike, but was not called.
fn is_of_a_library(heap: &Heap, raised: &Raise) -> bool {
    let Trace::Native { frames, .. } = raised.trace else { return false };
    let first = (frames.is_cons() && heap.tail(frames).is_nil()).then(|| heap.head(frames));
    raised.reason != Value::atom(AtomId::UNDEF)
        && first.is_some_and(|first| heap.tuple_arity(first) == Some(4) && heap.element(first, 3).is_nil())
}

/// A stacktrace without the place of its first frame.
pub(super) fn unplaced(heap: &mut Heap, frames: Value) -> Value {
    if !frames.is_cons() || heap.tuple_arity(heap.head(frames)) != Some(4) {
        return frames;
    }
    let (first, others) = (heap.head(frames), heap.tail(frames));
    let [module, function, args] = [0, 1, 2].map(|index| heap.element(first, index));
    let first = heap.tuple(&[module, function, args, Value::NIL]);
    heap.list([first], others)
}

/// True if the call that is to return to a frame is a last call on the BEAM, which leaves no frame.
fn is_unseen(view: &CodeView, frame: &Frame) -> bool {
    view.function(frame.function).is_some_and(|function| function.is_unseen((frame.pc as usize).saturating_sub(1)))
}

fn frame(heap: &mut Heap, mfa: Mfa, args: Value, location: Value) -> Value {
    heap.tuple(&[Value::atom(mfa.module), Value::atom(mfa.function), args, location])
}

fn location(heap: &mut Heap, view: &CodeView, function: &Function, line: Line) -> Value {
    let module = view.module(function.module).filter(|_| line.is_known());
    let Some(name) = module.and_then(|module| module.files.get(line.file())) else { return Value::NIL };
    let name: Vec<Value> = name.chars().map(|c| Value::count(c as usize)).collect();
    let file = heap.list(name, Value::NIL);
    let file = heap.tuple(&[Value::atom(AtomId::FILE), file]);
    let line = heap.tuple(&[Value::atom(AtomId::LINE), Value::count(line.number() as usize)]);
    heap.list([file, line], Value::NIL)
}

/// A frame with arguments instead of its arity, and with more behind its location.
fn explained(heap: &mut Heap, frame: Value, args: Value, more: Value) -> Value {
    let [module, function, arity, location] = [0, 1, 2, 3].map(|index| heap.element(frame, index));
    let args = if args.is_cons() || args.is_nil() { args } else { arity };
    let mut places = Vec::new();
    let mut rest = location;
    while rest.is_cons() {
        places.push(heap.head(rest));
        rest = heap.tail(rest);
    }
    let location = heap.list(places, more);
    heap.tuple(&[module, function, args, location])
}

/// The module that explains the exceptions of another one's built-in functions.
fn explainer(module: AtomId) -> &'static str {
    match &*module.name() {
        "binary" | "ets" | "io" | "lists" | "maps" | "math" | "re" | "string" | "unicode" => "erl_stdlib_errors",
        "code" | "os" => "erl_kernel_errors",
        _ => "erl_erts_errors",
    }
}

/// `[{error_info, #{module => erl_erts_errors}}]`
fn error_info(heap: &mut Heap, module: AtomId) -> Value {
    let pairs = [(Value::atom(AtomId::intern("module")), Value::atom(AtomId::intern(explainer(module))))];
    let map = heap.map(&pairs);
    let info = heap.tuple(&[Value::atom(AtomId::ERROR_INFO), map]);
    heap.list([info], Value::NIL)
}
