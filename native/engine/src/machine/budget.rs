//! What a slice may do where its thread is needed by others.
//!
//! Calls are counted at safe points; that bounds everything but single instructions that do much at once. Those ask first. If there is not enough left,
//! the slice ends before the instruction, and the run goes on with it where there is no limit ([`super::Budget`]).

use super::exec::{Cpu, Halt, Step};
use super::{Event, Run};
use crate::bif::{self, BifId};
use crate::term::Value;
use crate::term::extent::extent;

impl Cpu<'_> {
    /// Takes so much of what is left for the instruction at hand.
    pub(super) fn afford(&mut self, cost: usize) -> Step {
        let Some(left) = self.work else { return Ok(()) };
        let Some(rest) = left.checked_sub(cost) else {
            self.pc -= 1;
            return Err(self.too_much());
        };
        self.work = Some(rest);
        Ok(())
    }

    fn too_much(&mut self) -> Box<Halt> {
        self.run.is_busy = true;
        Event::Slice.into()
    }

    /// For what may cost anything.
    pub(super) fn afford_anything(&mut self) -> Step {
        self.afford(usize::MAX)
    }

    #[inline]
    pub(super) fn afford_call(&mut self, bif: BifId, args: &[Value]) -> Step {
        match self.work {
            None => Ok(()),
            Some(left) => self.afford(bif::cost(&self.run.heap, bif, args, left.saturating_add(1))),
        }
    }

    /// For looking at all of these.
    #[inline]
    pub(super) fn afford_terms(&mut self, terms: &[Value]) -> Step {
        let Some(left) = self.work else { return Ok(()) };
        let extents = terms.iter().map(|term| extent(&self.run.heap, *term, left.saturating_add(1)));
        self.afford(extents.fold(0, usize::saturating_add))
    }

    /// For looking at two terms in step.
    #[inline]
    pub(super) fn afford_smaller(&mut self, a: Value, b: Value) -> Step {
        let Some(left) = self.work else { return Ok(()) };
        let smaller = |most: usize| extent(&self.run.heap, b, extent(&self.run.heap, a, most));
        // Mostly one of them is small, and the other one need not be looked at for long.
        let quick = smaller(GLANCE);
        let cost = if quick < GLANCE { quick } else { smaller(left.saturating_add(1)) };
        self.afford(cost)
    }

    /// At a safe point: if a collection is due, for its words.
    pub(super) fn afford_collection(&mut self) -> Step {
        let Some(left) = self.work.filter(|_| self.run.heap.wants_collection()) else { return Ok(()) };
        let Some(rest) = left.checked_sub(self.run.roots_and_words() / WORDS) else { return Err(self.too_much()) };
        self.work = Some(rest);
        Ok(())
    }
}

/// So many parts of a term are looked at in no time.
const GLANCE: usize = 32;

/// Copying so many words takes no longer than looking at a part.
const WORDS: usize = 4;

impl Run {
    fn roots_and_words(&self) -> usize {
        let stacks = self.others.processes().map(|process| process.stack.len()).sum::<usize>();
        self.heap.used() + self.process.stack.len() + stacks
    }
}
