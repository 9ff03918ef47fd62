//! What a run is about: the function under test, its precondition and its spec.

use std::sync::Arc;

use super::exec::{Cpu, Halt, Step};
use super::{Event, Outcome, Process, Run, conform};
use crate::code::ir::FnId;
use crate::path::{Origin, SiteId};
use crate::sym::Arena;
use crate::term::{Heap, Packed, Value};
use crate::types::member::is_member;
use crate::types::{Signature, TypeId};

#[derive(Clone)]
pub struct Subject {
    pub entry: FnId,
    /// A predicate on the arguments that is called first: inputs for which it is not true are not the function's business.
    pub pre: Option<FnId>,
    pub signature: Option<Arc<Signature>>,
    /// A process of the VM that inputs name and that does nothing, in the external term format.
    pub idle: Option<Arc<[u8]>>,
}

impl Subject {
    /// A function of which nothing is known but its code.
    pub const fn plain(entry: FnId) -> Self {
        Subject { entry, pre: None, signature: None, idle: None }
    }
}

/// What the first process of a run is at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Precondition,
    Main,
}

/// The arguments of a call, each of them an input if `symbolic`.
pub(super) fn arguments(heap: &mut Heap, arena: &mut Arena, args: &[Packed], symbolic: bool) -> Vec<Value> {
    let numbered = args.iter().zip(0..);
    let argument = |(arg, number): (&Packed, u32)| {
        let value = arg.unpack(heap);
        if !symbolic {
            return value;
        }
        let input = arena.input(number);
        heap.symbolic(value, input)
    };
    numbered.map(argument).collect()
}

impl Run {
    /// The outcome of an exception that nobody caught.
    pub(super) fn ended_by(&self, raised: Outcome) -> Outcome {
        match self.stage {
            Stage::Precondition => Outcome::Rejected,
            Stage::Main => raised,
        }
    }
}

impl Cpu<'_> {
    /// The first process has returned from its first call.
    pub(super) fn main_returned(&mut self, value: Value) -> Step {
        match self.run.stage {
            Stage::Main => Err(self.finished(value)),
            Stage::Precondition => {
                if !self.ctx(Origin::Program).is_true(value) {
                    return Err(Event::Done(Outcome::Rejected).into());
                }
                self.run.stage = Stage::Main;
                let Run { heap, arena, args, symbolic, .. } = &mut *self.run;
                let stack = arguments(heap, arena, args, *symbolic);
                let entry = self.run.subject.entry;
                self.run.process = Process::new(0, entry, stack);
                self.base = 0;
                self.enter_function(entry)
            }
        }
    }

    fn finished(&mut self, value: Value) -> Box<Halt> {
        let outside = self.outside_spec(value);
        let value = Packed::pack(&self.run.heap, value);
        let outcome = match outside {
            None => Outcome::Returned(value),
            Some(id) => Outcome::Outside(value, id),
        };
        Event::Done(outcome).into()
    }

    /// The type of the spec that a result is not of.
    fn outside_spec(&mut self, value: Value) -> Option<TypeId> {
        let signature = Arc::clone(self.run.subject.signature.as_ref()?);
        let results = self.results(&signature);
        if self.run.symbolic {
            let mut ctx = self.ctx(Origin::Result);
            ctx.site = SiteId::RESULT;
            ctx.counters.at = Some(SiteId::RESULT);
            conform::outside(&mut ctx, &signature.types, value, &results)
        } else {
            let holds = results.iter().any(|id| is_member(&signature.types, &self.run.heap, value, *id));
            if holds { None } else { results.first().copied() }
        }
    }

    /// The result types of the clauses that are for these arguments.
    fn results(&self, signature: &Signature) -> Vec<TypeId> {
        if let [only] = signature.clauses.as_slice() {
            return vec![only.result];
        }
        let fits = |arg: &Packed, id: TypeId| {
            let (heap, root) = arg.open();
            is_member(&signature.types, &heap, root, id)
        };
        let clauses = signature.clauses.iter();
        let fitting = clauses.filter(|clause| self.run.args.iter().zip(&clause.args).all(|(arg, id)| fits(arg, *id)));
        fitting.map(|clause| clause.result).collect()
    }
}
