//! Calls of funs that are part of the input.
//!
//! That it is a fun, and of the right arity, is decided. The concrete fun is then called with concrete arguments, so nothing is decided inside
//! of it: the solver will put another fun in its place. What it returns is what the expression [`FunExpr::Call`](crate::sym::FunExpr) says.
//!
//! A fun that the path has found to be one particular constant is called like any other.
//!
//! Not modelled: what a fun of the input does apart from returning. The message that a seed's fun sends is sent. An exception goes its way, and
//! ends the path: nothing behind it is explored with that fun, but the same input with tables in the place of its funs is another seed. Nor
//! is a fun modelled that does not return the same for the same arguments. From the second answer on such calls are concrete, and counted as calls of
//! `erlang:apply/2`; so are calls beyond [`MAX_CALLS`]. A run of more than [`ENDLESS`] calls ends as one with too many steps.

use rustc_hash::{FxHashMap, FxHashSet};

use super::exec::{Cpu, Step};
use super::{Ctx, Frame, Request, Run, Stop};
use crate::bif;
use crate::code::ir::{Mfa, Slot, Window};
use crate::code::registry::Target;
use crate::path::Origin;
use crate::sym::{SymId, Tags};
use crate::term::{Packed, Value, View, table};
use crate::types::place::Established;

/// Calls of input funs that have an expression, in one run.
const MAX_CALLS: u64 = 2_000;

/// Calls of input funs in one run. A program that applies a fun until it has a certain result may never get it from a table: a run like that
/// is stopped long before it has made all the calls it is allowed.
const ENDLESS: u64 = 50_000;

/// A call of an input fun that has not returned.
#[derive(Clone, Copy)]
pub(super) struct Applied {
    /// How many frames there are when it returns.
    frames: u32,
    result: SymId,
}

/// What the input funs that are no tables have returned.
#[derive(Default)]
pub(super) struct Answers(FxHashMap<SymId, Packed>);

/// How to call a symbolic value.
enum Callee {
    /// As what it is in this run.
    Concrete(Value),
    /// With concrete arguments. Its result has this expression, if it has one.
    Input(Value, Option<SymId>),
    BadFun(Value),
    BadArity(Value),
    /// Too many calls.
    Endless,
}

impl Cpu<'_> {
    /// Calls a symbolic value.
    pub(super) fn apply_symbolic(&mut self, fun: Value, args: Window, to: Option<Slot>) -> Step {
        let given = self.window(args).to_vec();
        match callee(&mut self.ctx(Origin::Precondition), fun, &given) {
            Callee::Concrete(fun) => self.apply_concrete(fun, args, to),
            Callee::BadFun(fun) => self.bad_fun(fun, to),
            Callee::BadArity(fun) => self.bad_arity(fun, args, to),
            Callee::Endless => Err(Stop::Steps.into()),
            Callee::Input(fun, result) => match table::look_up(&self.run.heap, fun, &given) {
                Some(value) => {
                    let value = result.map_or(value, |id| self.program().part(value, id));
                    self.deliver(value, to)
                }
                None => self.apply_input(fun, result, args, to),
            },
        }
    }

    /// Calls a fun that is no table as if it were the last call of a frame of its own, so that its result passes by [`Cpu::returned`].
    fn apply_input(&mut self, fun: Value, result: Option<SymId>, args: Window, to: Option<Slot>) -> Step {
        if let Some(module) = self.missing_module(fun, args) {
            // The same instruction again, with the module loaded.
            self.pc -= 1;
            return Err(super::Event::Request(Request::Load { module }).into());
        }
        // Once the call has begun, the instruction cannot be done again.
        if let View::External(_) = self.run.heap.view(fun) {
            self.afford_anything()?;
        }
        let items = self.window(args).to_vec();
        for (item, index) in items.into_iter().zip(args.at.0..) {
            let plain = self.program().strip(item);
            self.set(Slot(index), plain);
        }
        let Some(result) = result else { return self.apply_concrete(fun, args, to) };
        let mut window = args;
        if let Some(dst) = to {
            let frame = Frame { function: self.current(), pc: self.pc as u32, base: self.base as u32, dst };
            self.run.process.frames.push(frame);
            self.base += args.at.0 as usize;
            window.at = Slot(0);
        }
        let frames = self.run.process.frames.len() as u32;
        self.run.process.applied.push(Applied { frames, result });
        self.apply_concrete(fun, window, None)
    }

    /// The module of a `fun M:F/A` whose code has not been asked for yet.
    fn missing_module(&self, fun: Value, args: Window) -> Option<crate::term::AtomId> {
        let View::External(ptr) = self.run.heap.view(fun) else { return None };
        let (module, function, _) = self.run.heap.external_of(ptr);
        let mfa = Mfa { module, function, arity: args.len as usize };
        matches!(self.resolve(mfa), Target::Unknown).then_some(module)
    }

    /// The value that the running function returns, with its expression if that is the end of a call of an input fun.
    pub(super) fn returned(&mut self, value: Value) -> Value {
        let frames = self.run.process.frames.len() as u32;
        let Some(applied) = self.run.process.applied.pop_if(|applied| applied.frames == frames) else { return value };
        if !self.run.path.known().allows(&self.run.arena, applied.result, &self.run.heap, value) {
            // No fun that is solved for returns that: what follows is not for such inputs.
            self.run.path.close();
            self.run.counters.concretise(bif::mfa("erlang", "apply", 2));
            self.run.counters.input_calls.raised = true;
            return value;
        }
        let answer = Packed::pack(&self.run.heap, value);
        let known = self.run.answers.0.entry(applied.result).or_insert_with(|| answer.clone());
        if *known == answer {
            self.program().part(value, applied.result)
        } else {
            self.run.counters.concretise(bif::mfa("erlang", "apply", 2));
            value
        }
    }
}

/// An exception leaves nothing but so many frames. If that ends the call of a fun of the input, the path ends here: a run with another fun, which
/// returns, goes on otherwise.
pub(super) fn unwind(run: &mut Run, frames: Option<u32>) {
    let before = run.process.applied.len();
    run.process.applied.retain(|applied| frames.is_some_and(|frames| applied.frames <= frames));
    if run.process.applied.len() < before {
        run.path.close();
        run.counters.concretise(bif::mfa("erlang", "apply", 2));
        run.counters.input_calls.raised = true;
    }
}

fn callee(ctx: &mut Ctx<'_>, fun: Value, args: &[Value]) -> Callee {
    let plain = ctx.heap.concrete(fun);
    let Some(id) = ctx.heap.expression(fun) else { return Callee::Concrete(plain) };
    let id = ctx.arena.term(id);
    if !ctx.is(fun, Tags::FUN) {
        return Callee::BadFun(plain);
    }
    if ctx.path.known().constant(id).is_some() {
        return Callee::Concrete(plain);
    }
    if !has_arity(ctx, plain, id, args.len()) {
        return Callee::BadArity(plain);
    }
    let args: Vec<SymId> = args.iter().map(|arg| argument(ctx, *arg)).collect();
    let result = ctx.arena.call(id, args);
    let calls = &mut ctx.counters.input_calls;
    calls.funs.insert(id);
    calls.number += 1;
    if calls.number > ENDLESS {
        return Callee::Endless;
    }
    if calls.number > MAX_CALLS {
        ctx.counters.concretise(bif::mfa("erlang", "apply", 2));
        return Callee::Input(plain, None);
    }
    Callee::Input(plain, Some(result))
}

/// Decides whether a fun takes so many arguments. More than a table fun can have are not solved for.
fn has_arity(ctx: &mut Ctx<'_>, plain: Value, id: SymId, arity: usize) -> bool {
    let taken = table::fun_arity(ctx.heap, plain) == Some(arity);
    if arity > table::MAX_TABLE_ARITY {
        ctx.counters.concretise(bif::mfa("erlang", "is_function", 2));
        return taken;
    }
    let (own, wanted) = (ctx.arena.fun_arity(id), ctx.arena.int(arity));
    let condition = ctx.arena.eq(own, wanted);
    ctx.branch(condition, taken)
}

/// The expression of an argument as a term; the constant, if the path has found it to be one.
fn argument(ctx: &mut Ctx<'_>, arg: Value) -> SymId {
    let id = ctx.lift(arg);
    let id = ctx.arena.term(id);
    ctx.path.known().constant(id).unwrap_or(id)
}

/// The calls of funs of the input in a run.
#[derive(Clone, Debug, Default)]
pub struct InputCalls {
    /// The expressions of the funs that were called.
    funs: FxHashSet<SymId>,
    number: u64,
    /// One of them raised.
    pub raised: bool,
}

/// True for two values of which one is a fun of the input that has been called and the other is a fun that the input cannot change. The solver knows
/// nothing of what such a fun returns, so whether they are the same is not solved for.
pub(super) fn is_settled(ctx: &Ctx<'_>, a: Value, b: Value) -> bool {
    let called =
        |value: Value| ctx.heap.expression(value).is_some_and(|id| ctx.counters.input_calls.funs.contains(&id));
    let constant = |value: Value| !value.is_sym() && table::fun_arity(ctx.heap, value).is_some();
    (called(a) && constant(b)) || (constant(a) && called(b))
}
