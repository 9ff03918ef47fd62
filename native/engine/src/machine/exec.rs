//! The instruction loop.
//!
//! Each instruction has a method of its own. Fast paths handle concrete values in place; a symbolic value takes the path through [`Ctx`].

use super::decide;
use super::{Budget, Ctx, Event, Failure, Outcome, Raise, Reply, Run, Stop, Trace};
use crate::bif::{self, BifId};
use crate::code::CodeView;
use crate::code::ir::{Arithmetic, ClauseId, Comparison, FnId, Function, Instr, Label, Operand, Slot, Src, Window};
use crate::path::Origin;
use crate::sym::Tags;
use crate::term::{AtomId, Value};

/// The running part of a [`Run`].
pub(super) struct Cpu<'v> {
    pub(super) run: &'v mut Run,
    pub(super) view: &'v CodeView,
    pub(super) function: &'v Function,
    pub(super) pc: usize,
    pub(super) base: usize,
    /// Calls left until the slice or the turn of the process is over.
    pub(super) slice: u64,
    /// Calls of the slice behind those.
    pub(super) later: u64,
    /// What else may be done in it, if that is limited.
    pub(super) work: Option<usize>,
}

/// Why an instruction was not the ordinary case.
pub(super) enum Halt {
    Raise(Raise),
    Event(Event),
}

pub(super) type Step = Result<(), Box<Halt>>;

impl From<Raise> for Box<Halt> {
    fn from(raise: Raise) -> Self {
        Box::new(Halt::Raise(raise))
    }
}

impl From<Event> for Box<Halt> {
    fn from(event: Event) -> Self {
        Box::new(Halt::Event(event))
    }
}

impl From<Stop> for Box<Halt> {
    fn from(stop: Stop) -> Self {
        Box::new(Halt::Event(Event::Done(Outcome::Stopped(stop))))
    }
}

impl From<Failure> for Box<Halt> {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Raise(raise) => raise.into(),
            Failure::Stop(stop) => stop.into(),
            Failure::Act(_) => unsupported("processes inside a built-in function"),
            Failure::Ask(ask) => unsupported(ask.purpose),
            Failure::Undefined => Raise::error_atom(AtomId::UNDEF).into(),
            Failure::Host => unsupported("host call inside a built-in function"),
        }
    }
}

pub(super) fn unsupported(what: &str) -> Box<Halt> {
    Stop::Unsupported(what.to_owned()).into()
}

impl<'v> Cpu<'v> {
    pub(super) fn advance(run: &'v mut Run, view: &'v CodeView, reply: Reply, budget: Budget) -> Event {
        let Some(function) = view.function(run.process.function) else {
            return Event::Done(Outcome::Stopped(Stop::Unsupported("code that is not loaded".to_owned())));
        };
        let (pc, base) = (run.process.pc as usize, run.process.base as usize);
        let Budget { calls, work } = budget;
        run.is_busy = false;
        let mut cpu = Cpu { run, view, function, pc, base, slice: 0, later: calls, work };
        cpu.reserve();
        cpu.share_out();
        let mut step = cpu.take_reply(reply);
        loop {
            let halt = match step {
                Ok(()) => match cpu.execute() {
                    Ok(()) => continue,
                    Err(halt) => halt,
                },
                Err(halt) => halt,
            };
            step = match *halt {
                Halt::Raise(raise) => cpu.raise(raise),
                Halt::Event(event) => {
                    cpu.save();
                    cpu.run.turn += cpu.slice;
                    return event;
                }
            };
        }
    }

    /// Runs instructions until one is not the ordinary case.
    fn execute(&mut self) -> Step {
        loop {
            let function = self.function;
            let Some(instr) = function.code.get(self.pc) else { return Err(unsupported("end of code")) };
            self.pc += 1;
            match instr {
                Instr::Move { dst, src } => self.set(*dst, self.get(*src)),
                Instr::Cons { dst, head, tail } => self.cons(*dst, *head, *tail),
                Instr::Tuple { dst, elements } => self.tuple(*dst, *elements),
                Instr::NewMap { dst, pairs } => self.new_map(*dst, *pairs),
                Instr::UpdateMap { dst, map, pairs, exact, fail } => {
                    self.update_map(*dst, *map, (*pairs, *exact), *fail)?;
                }
                Instr::Closure { dst, function, arity, captured } => self.closure(*dst, *function, *arity, *captured),
                Instr::Jump { to } => self.pc = to.0 as usize,
                Instr::Enter { clause } => self.enter(*clause),
                Instr::IsCons { value, fail } => self.is_cons(*value, *fail),
                Instr::IsTuple { value, arity, fail } => self.is_tuple(*value, *arity, *fail),
                Instr::IsLiteral { value, literal, fail } => self.is_literal(*value, *literal, *fail),
                Instr::IsTrue { value, fail } => self.is_true(*value, *fail),
                Instr::IsType { value, tags, fail } => self.is_type(*value, *tags, *fail),
                Instr::Compare { op, a, b, fail } => self.compare(*op, *a, *b, *fail)?,
                Instr::Head { dst, cons } => self.head(*dst, *cons),
                Instr::Tail { dst, cons } => self.tail(*dst, *cons),
                Instr::Element { dst, tuple, index } => self.element(*dst, *tuple, *index),
                Instr::MapElement { dst, map, key, fail } => self.map_element(*dst, *map, *key, *fail)?,
                Instr::BitsStart { value, at, fail } => self.bits_start(*value, *at, *fail),
                Instr::BitsInteger { dst, at, size, spec, fail } => self.bits_integer(*dst, *at, (*size, *spec), *fail),
                Instr::BitsTake { dst, at, size, spec, fail } => self.bits_take(*dst, *at, (*size, *spec), *fail),
                Instr::BitsSkip { at, size, unit, fail } => self.bits_skip(*at, *size, *unit, *fail),
                Instr::BitsRest { dst, at, unit, fail } => self.bits_rest(*dst, *at, *unit, *fail),
                Instr::BitsUnits { at, unit, fail } => self.bits_units(*at, *unit, *fail),
                Instr::BitsLiteral { at, literal, fail } => self.bits_literal(*at, *literal, *fail),
                Instr::BitsEnd { at, fail } => self.bits_end(*at, *fail),
                Instr::BitsBuild { dst, plan, fail } => self.bits_build(*dst, plan, *fail)?,
                Instr::BitsWritable { dst, room } => self.bits_writable(*dst, *room),
                Instr::Arithmetic { op, dst, a, b, fail } => self.arithmetic(*op, *dst, (*a, *b), *fail)?,
                Instr::Bif { bif, dst, args, fail } => self.bif(*bif, *dst, *args, *fail)?,
                Instr::Call { function, args, dst } => self.call(*function, *args, *dst)?,
                Instr::TailCall { function, args } => self.tail_call(*function, *args)?,
                Instr::CallRemote { mfa, args, dst } => self.call_remote(*mfa, *args, Some(*dst))?,
                Instr::TailCallRemote { mfa, args } => self.call_remote(*mfa, *args, None)?,
                Instr::CallFun { args, dst } => self.call_fun(*args, Some(*dst))?,
                Instr::TailCallFun { args } => self.call_fun(*args, None)?,
                Instr::CallNamed { args, dst } => self.call_named(*args, Some(*dst))?,
                Instr::TailCallNamed { args } => self.call_named(*args, None)?,
                Instr::Apply { args, dst } => self.apply(*args, Some(*dst))?,
                Instr::TailApply { args } => self.apply(*args, None)?,
                Instr::Return { src } => self.return_value(self.get(*src))?,
                Instr::PushHandler { handler, at } => self.push_handler(*handler, *at),
                Instr::PopHandler => drop(self.run.process.handlers.pop()),
                Instr::Caught { dst, at } => self.caught(*dst, *at),
                Instr::BuildTrace { dst, raw } => self.build_trace(*dst, *raw),
                Instr::Reraise { trace, reason } => self.reraise(*trace, *reason)?,
                Instr::RawRaise { dst, args } => self.raw_raise(*dst, *args)?,
                Instr::MatchFail { reason } => self.match_fail(*reason)?,
                Instr::SkipOlder { than } => self.skip_older(*than),
                Instr::PeekMessage { found, message } => self.peek_message(*found, *message),
                Instr::NextMessage => self.next_message()?,
                Instr::RemoveMessage => self.run.process.mailbox.remove(),
                Instr::WaitTimeout { dst, timeout } => self.wait_timeout(*dst, *timeout)?,
                Instr::Unsupported { what } => return Err(unsupported(what)),
            }
        }
    }

    // Slots

    #[inline]
    pub(super) fn get(&self, src: Src) -> Value {
        match src.operand() {
            Operand::Slot(slot) => self.run.process.stack.get(self.base + slot).copied().unwrap_or(Value::NIL),
            Operand::Constant(index) => self.function.constants.get(index).copied().unwrap_or(Value::NIL),
        }
    }

    #[inline]
    pub(super) fn set(&mut self, slot: Slot, value: Value) {
        if let Some(place) = self.run.process.stack.get_mut(self.base + slot.0 as usize) {
            *place = value;
        }
    }

    #[inline]
    pub(super) fn window(&self, window: Window) -> &[Value] {
        let at = self.base + window.at.0 as usize;
        self.run.process.stack.get(at..at + window.len as usize).unwrap_or(&[])
    }

    /// Makes room for the frame of the current function.
    #[inline]
    pub(super) fn reserve(&mut self) {
        let top = self.base + self.function.frame as usize;
        if self.run.process.stack.len() < top {
            self.run.process.stack.resize(top, Value::NIL);
        }
    }

    /// What built-in functions and decisions work with, as of the current instruction.
    pub(super) fn ctx(&mut self, origin: Origin) -> Ctx<'_> {
        let site = self.function.site(self.pc.saturating_sub(1));
        self.run.counters.at = Some(site);
        Ctx {
            heap: &mut self.run.heap,
            arena: &mut self.run.arena,
            path: &mut self.run.path,
            counters: &mut self.run.counters,
            process: &mut self.run.process,
            virtuals: &mut self.run.virtuals,
            witnesses: &mut self.run.witnesses,
            view: self.view,
            site,
            origin,
        }
    }

    pub(super) fn program(&mut self) -> Ctx<'_> {
        self.ctx(Origin::Program)
    }

    #[inline]
    pub(super) fn jump_unless(&mut self, holds: bool, fail: Label) {
        if !holds {
            self.pc = fail.0 as usize;
        }
    }

    // Building

    #[inline]
    fn cons(&mut self, dst: Slot, head: Src, tail: Src) {
        let (head, tail) = (self.get(head), self.get(tail));
        let value = self.run.heap.cons(head, tail);
        self.set(dst, value);
    }

    fn tuple(&mut self, dst: Slot, elements: Window) {
        let at = self.base + elements.at.0 as usize;
        let elements = self.run.process.stack.get(at..at + elements.len as usize).unwrap_or(&[]);
        let value = self.run.heap.tuple(elements);
        self.set(dst, value);
    }

    fn closure(&mut self, dst: Slot, function: FnId, arity: u32, captured: Window) {
        let at = self.base + captured.at.0 as usize;
        let captured = self.run.process.stack.get(at..at + captured.len as usize).unwrap_or(&[]);
        let value = self.run.heap.closure_of(function.0, arity as usize, captured);
        self.set(dst, value);
    }

    fn enter(&mut self, clause: ClauseId) {
        self.run.covered.set(clause.0);
    }

    // Tests

    #[inline]
    fn is_cons(&mut self, value: Src, fail: Label) {
        let value = self.get(value);
        let holds = value.is_cons() || (value.is_sym() && self.program().is(value, Tags::CONS));
        self.jump_unless(holds, fail);
    }

    #[inline]
    fn is_tuple(&mut self, value: Src, arity: u32, fail: Label) {
        let value = self.get(value);
        let holds = if value.is_sym() {
            self.program().has_arity(value, arity as usize)
        } else {
            self.run.heap.tuple_arity(value) == Some(arity as usize)
        };
        self.jump_unless(holds, fail);
    }

    #[inline]
    fn is_literal(&mut self, value: Src, literal: Src, fail: Label) {
        let (value, literal) = (self.get(value), self.get(literal));
        let holds = value == literal || (value.is_pointer() && self.matches_literal(value, literal));
        self.jump_unless(holds, fail);
    }

    fn matches_literal(&mut self, value: Value, literal: Value) -> bool {
        if !value.is_sym() && !literal.is_pointer() {
            return false;
        }
        let mut ctx = self.program();
        let answer = decide::compare(&mut ctx, Comparison::Same, value, literal);
        decide::decide(&mut ctx, answer)
    }

    fn is_true(&mut self, value: Src, fail: Label) {
        let value = self.get(value);
        let holds = value.is_true() || (value.is_sym() && self.program().is_true(value));
        self.jump_unless(holds, fail);
    }

    fn is_type(&mut self, value: Src, tags: Tags, fail: Label) {
        let value = self.get(value);
        let holds = if value.is_small() { tags.contains(Tags::INT) } else { self.program().is(value, tags) };
        self.jump_unless(holds, fail);
    }

    #[inline]
    fn compare(&mut self, op: Comparison, a: Src, b: Src, fail: Label) -> Step {
        let (a, b) = (self.get(a), self.get(b));
        let holds = match compare_small(op, a, b) {
            Some(holds) => holds,
            None => {
                self.afford_smaller(a, b)?;
                let holds = self.compare_terms(op, a, b);
                self.unless_overdone()?;
                holds
            }
        };
        self.jump_unless(holds, fail);
        Ok(())
    }

    /// After an operation that may have given up: then its result means nothing.
    pub(super) fn unless_overdone(&self) -> Step {
        if self.run.heap.is_overdone() { Err(Stop::Steps.into()) } else { Ok(()) }
    }

    fn compare_terms(&mut self, op: Comparison, a: Value, b: Value) -> bool {
        if self.run.arena.is_empty() {
            return decide::compare_concrete(&self.run.heap, op, a, b);
        }
        let mut ctx = self.program();
        let answer = decide::compare(&mut ctx, op, a, b);
        decide::decide(&mut ctx, answer)
    }

    #[inline]
    fn head(&mut self, dst: Slot, cons: Src) {
        let cons = self.get(cons);
        let head = if cons.is_cons() { self.run.heap.head(cons) } else { self.program().head(cons) };
        self.set(dst, head);
    }

    #[inline]
    fn tail(&mut self, dst: Slot, cons: Src) {
        let cons = self.get(cons);
        let tail = if cons.is_cons() { self.run.heap.tail(cons) } else { self.program().tail(cons) };
        self.set(dst, tail);
    }

    #[inline]
    fn element(&mut self, dst: Slot, tuple: Src, index: u32) {
        let tuple = self.get(tuple);
        let element = if tuple.is_sym() {
            self.program().element(tuple, index as usize)
        } else {
            self.run.heap.element(tuple, index as usize)
        };
        self.set(dst, element);
    }

    // Built-in functions

    #[inline]
    fn arithmetic(&mut self, op: Arithmetic, dst: Slot, args: (Src, Src), fail: Label) -> Step {
        let (a, b) = (self.get(args.0), self.get(args.1));
        if Value::both_small(a, b) {
            let (x, y) = (a.as_small(), b.as_small());
            let result = match op {
                Arithmetic::Add => x.checked_add(y),
                Arithmetic::Sub => x.checked_sub(y),
                Arithmetic::Mul => x.checked_mul(y),
            };
            if let Some(value) = result.and_then(Value::small) {
                self.set(dst, value);
                return Ok(());
            }
        }
        self.afford_call(bif::of_arithmetic(op), &[a, b])?;
        self.call_bif(bif::of_arithmetic(op), &[a, b], dst, fail)
            .map_err(|halt| if self.is_unseen() { without_bif(halt) } else { halt })
    }

    fn bif(&mut self, bif: BifId, dst: Slot, args: Window, fail: Label) -> Step {
        let at = self.base + args.at.0 as usize;
        // Built-in functions take few arguments: no allocation.
        let mut copy = [Value::NIL; bif::MAX_ARITY];
        for (to, from) in copy.iter_mut().zip(self.run.process.stack.iter().skip(at).take(args.len as usize)) {
            *to = *from;
        }
        let args = copy.get(..args.len as usize).unwrap_or(&[]);
        self.afford_call(bif, args)?;
        if fail == Label::RAISE
            && let Some(callee) = self.emulation(bif::emulation(bif), args)
            && let Some(mfa) = bif::mfa_of(bif)
        {
            return self.emulate(callee, mfa, args, Some(dst));
        }
        self.call_bif(bif, args, dst, fail).map_err(|halt| {
            let on_floats = self.is_unseen() && bif::mfa_of(bif) == Some(bif::mfa("erlang", "/", 2));
            if on_floats { without_bif(halt) } else { halt }
        })
    }

    fn call_bif(&mut self, bif: BifId, args: &[Value], dst: Slot, fail: Label) -> Step {
        match bif::call(&mut self.ctx(Origin::Precondition), bif, args) {
            Ok(value) => self.set(dst, value),
            Err(Failure::Raise(_)) if fail != Label::RAISE => self.pc = fail.0 as usize,
            result => {
                let Some(mfa) = bif::mfa_of(bif) else { return Err(unsupported("host call without a name")) };
                return self.take_result(result, mfa, args, Some(dst));
            }
        }
        Ok(())
    }

    // The end of a slice

    /// Puts the running part back into the process.
    pub(super) fn save(&mut self) {
        let process = &mut self.run.process;
        process.pc = self.pc as u32;
        process.base = self.base as u32;
    }

    /// A safe point: every value that matters is in the process now. Called when a call has laid out its callee's frame.
    #[inline]
    pub(super) fn safe_point(&mut self) -> Step {
        #[cfg(feature = "poison")]
        self.poison();
        self.run.counters.steps += 1;
        self.slice = self.slice.saturating_sub(1);
        if self.slice == 0 || self.run.heap.wants_collection() { self.off_the_road() } else { Ok(()) }
    }

    fn off_the_road(&mut self) -> Step {
        if self.run.heap.is_interrupted() {
            return Err(Event::Slice.into());
        }
        self.unless_overdone()?;
        // Behind the end of the path there is nothing to explore: the run goes on as fast as one without symbolic values.
        let is_over = self.run.symbolic && self.run.path.is_cut();
        self.afford_collection()?;
        if is_over || self.run.heap.wants_collection() {
            self.run.symbolic &= !is_over;
            self.collect();
            if self.run.heap.used() + self.run.process.stack.len() > self.run.limits.heap {
                return Err(Stop::Heap.into());
            }
        }
        if self.run.counters.steps >= self.run.limits.steps {
            return Err(Stop::Steps.into());
        }
        if self.slice == 0 && self.run.turn == 0 {
            self.end_turn()?;
        }
        if self.slice == 0 { Err(Event::Slice.into()) } else { Ok(()) }
    }
}

fn without_bif(mut halt: Box<Halt>) -> Box<Halt> {
    if let Halt::Raise(raise) = &mut *halt {
        raise.trace = Trace::Here;
    }
    halt
}

#[inline]
fn compare_small(op: Comparison, a: Value, b: Value) -> Option<bool> {
    if !Value::both_small(a, b) {
        return None;
    }
    let (a, b) = (a.as_small(), b.as_small());
    Some(match op {
        Comparison::Lt => a < b,
        Comparison::Le => a <= b,
        Comparison::Gt => a > b,
        Comparison::Ge => a >= b,
        Comparison::Equal | Comparison::Same => a == b,
        Comparison::NotEqual | Comparison::NotSame => a != b,
    })
}
