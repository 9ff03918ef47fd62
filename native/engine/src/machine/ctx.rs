//! What a built-in function, or an instruction off the fast path, works with.

use super::{Counters, Process, Virtuals, Witnesses};
use crate::code::CodeView;
use crate::code::ir::{Comparison, Function, Mfa};
use crate::path::{Origin, Path, SiteId};
use crate::sym::lift::{lift, tags_of};
use crate::sym::{Arena, Sort, SymId, Tags};
use crate::term::effort::Effort;
use crate::term::parts::has_symbols;
use crate::term::{Heap, Value};

/// How many callers are looked at for one of the module under test.
const MOST_FRAMES: usize = 64;

pub struct Ctx<'a> {
    pub heap: &'a mut Heap,
    pub arena: &'a mut Arena,
    pub path: &'a mut Path,
    pub counters: &'a mut Counters,
    pub process: &'a mut Process,
    pub virtuals: &'a mut Virtuals,
    pub witnesses: &'a mut Witnesses,
    pub view: &'a CodeView,
    pub site: SiteId,
    pub origin: Origin,
}

impl Ctx<'_> {
    /// The one door: every decision on a symbolic value.
    pub fn branch(&mut self, condition: SymId, taken: bool) -> bool {
        // What an emulation asks again is no question of the program.
        if !self.process.is_emulating() {
            return self.decide(condition, taken);
        }
        self.settle(condition, taken)
    }

    /// A decision on the way to the answer of another question, such as whether a bitstring reaches that far: it counts only if it is news.
    pub fn settle(&mut self, condition: SymId, taken: bool) -> bool {
        if self.path.known().holds(self.arena, condition).is_some() {
            return taken;
        }
        self.decide(condition, taken)
    }

    fn decide(&mut self, condition: SymId, taken: bool) -> bool {
        let before = self.path.decisions().len();
        let taken = self.path.branch(self.arena, condition, taken, (self.site, self.origin));
        if self.path.decisions().len() > before {
            self.path.locate_last(self.within());
        }
        taken
    }

    /// Where the module under test is: this instruction, or the innermost call of it that led here.
    fn within(&self) -> SiteId {
        let home = self.counters.home;
        let is_home = |function: &Function| Some(function.module) == home;
        if self.view.site(self.site).is_none_or(|(function, _)| is_home(function)) {
            return self.site;
        }
        let callers = self.process.frames.iter().rev().take(MOST_FRAMES);
        let mut calls = callers.filter_map(|frame| Some((self.view.function(frame.function)?, frame.pc)));
        let call = calls.find(|(function, _)| is_home(function));
        call.map_or(self.site, |(function, pc)| function.site((pc as usize).saturating_sub(1)))
    }

    /// Something that holds for every input on this path, by the way values are made.
    pub fn given(&mut self, condition: SymId) {
        self.path.given(self.arena, condition, self.site);
    }

    /// Takes note that a call with these arguments has lost its symbolic meaning: by name for the report, and on the path, so that
    /// inputs are preferred for which the arguments, and with them the result, stay as they are.
    pub fn concretise(&mut self, mfa: Mfa, args: &[Value]) {
        self.counters.concretise(mfa);
        for arg in args {
            if !self.is_concrete(*arg) {
                let plain = self.strip(*arg);
                let (x, y) = (self.lift(*arg), self.lift(plain));
                let same = self.arena.eq(x, y);
                self.path.remember(self.arena, same);
            }
        }
    }

    /// The function that is running.
    pub fn running(&self) -> Option<&Function> {
        self.view.function(self.process.function)
    }

    /// The expression of any value.
    pub fn lift(&mut self, value: Value) -> SymId {
        match self.heap.expression(value) {
            Some(id) => id,
            None => {
                let mut keys = Vec::new();
                let id = lift(self.arena, self.heap, value, &mut keys);
                self.witnesses.extend(keys);
                id
            }
        }
    }

    /// The expression of a symbolic value as a term.
    fn term_of(&mut self, value: Value) -> Option<SymId> {
        let id = self.heap.expression(value)?;
        Some(self.arena.term(id))
    }

    /// Whether the value has one of these types: decides it, if the value is symbolic.
    pub fn is(&mut self, value: Value, tags: Tags) -> bool {
        let taken = tags.contains(tags_of(self.heap, value));
        match self.heap.expression(value) {
            None => taken,
            Some(id) => {
                let condition = self.arena.is(id, tags);
                self.branch(condition, taken)
            }
        }
    }

    /// Whether the value is a tuple of this size: decides it, if the value is symbolic.
    pub fn has_arity(&mut self, value: Value, arity: usize) -> bool {
        let taken = self.heap.tuple_arity(self.heap.concrete(value)) == Some(arity);
        match self.heap.expression(value) {
            None => taken,
            Some(id) => {
                let condition = self.arena.arity(id, arity as u32);
                self.branch(condition, taken)
            }
        }
    }

    /// The size of a tuple, decided if it is symbolic: one size after the other, so that a run with another size asks the same until there.
    pub fn tuple_size(&mut self, tuple: Value) -> Option<usize> {
        let size = self.heap.tuple_arity(self.heap.concrete(tuple));
        if tuple.is_sym() && self.is(tuple, Tags::TUPLE) {
            (0..=size?).find(|size| self.has_arity(tuple, *size));
        }
        size
    }

    /// Whether a truth value is true: decides it, if it is symbolic.
    pub fn is_true(&mut self, value: Value) -> bool {
        let taken = self.heap.concrete(value).is_true();
        match self.heap.expression(value) {
            None => taken,
            Some(id) => {
                let condition = self.arena.is_true(id);
                self.branch(condition, taken)
            }
        }
    }

    /// Whether two values are the same (`=:=`): decides it, if one of them is symbolic.
    pub fn same(&mut self, a: Value, b: Value) -> bool {
        self.holds(Comparison::Same, a, b)
    }

    /// Whether a comparison holds: decides it, if it depends on the input.
    pub fn holds(&mut self, op: Comparison, a: Value, b: Value) -> bool {
        let answer = super::compare(self, op, a, b);
        super::decide::decide(self, answer)
    }

    /// The head of a value that has been found to be a cons.
    pub fn head(&mut self, cons: Value) -> Value {
        let part = self.heap.head(self.heap.concrete(cons));
        match self.term_of(cons) {
            None => part,
            Some(id) => {
                let id = self.arena.head(id);
                self.part(part, id)
            }
        }
    }

    /// The tail of a value that has been found to be a cons.
    pub fn tail(&mut self, cons: Value) -> Value {
        let part = self.heap.tail(self.heap.concrete(cons));
        match self.term_of(cons) {
            None => part,
            Some(id) => {
                let id = self.arena.tail(id);
                self.part(part, id)
            }
        }
    }

    /// Element `index`, from 0, of a value that has been found to be a tuple that has it.
    pub fn element(&mut self, tuple: Value, index: usize) -> Value {
        let part = self.heap.element(self.heap.concrete(tuple), index);
        match self.term_of(tuple) {
            None => part,
            Some(id) => {
                let id = self.arena.element(id, index as u32);
                self.part(part, id)
            }
        }
    }

    /// A value with its expression, unless that is a constant.
    pub fn part(&mut self, value: Value, id: SymId) -> Value {
        if self.arena.is_constant(id) { self.heap.concrete(value) } else { self.heap.symbolic(value, id) }
    }

    /// A truth value with its condition, unless that is constant.
    pub fn truth(&mut self, holds: bool, condition: Option<SymId>) -> Value {
        let value = Value::boolean(holds);
        match condition {
            Some(id) => self.part(value, id),
            None => value,
        }
    }

    /// The types that a value can have on this path, as far as is known.
    pub fn open_tags(&self, value: Value) -> Tags {
        match self.heap.expression(value) {
            None => tags_of(self.heap, value),
            Some(id) => self.path.known().tags(self.arena, id),
        }
    }

    /// The sort of a symbolic value's expression.
    pub fn sort(&self, value: Value) -> Option<Sort> {
        self.heap.expression(value).map(|id| self.arena.sort(id))
    }

    /// True if nothing in this run is symbolic, or nothing in this value.
    pub fn is_concrete(&self, value: Value) -> bool {
        self.arena.is_empty() || !has_symbols(self.heap, value)
    }

    /// The value without any expression in it.
    pub fn strip(&mut self, value: Value) -> Value {
        if self.is_concrete(value) {
            return value;
        }
        crate::term::Packed::pack(self.heap, value).unpack(self.heap)
    }

    /// Whether a list, proper or not, has more elements than that.
    pub fn is_longer(&mut self, list: Value, most: usize) -> bool {
        self.behind(list, most).is_some_and(|rest| self.is(rest, Tags::CONS))
    }

    /// What comes after so many elements of a list, proper or not.
    pub fn behind(&mut self, list: Value, elements: usize) -> Option<Value> {
        let mut rest = list;
        for _ in 0..elements {
            if rest.is_cons() {
                rest = self.heap.tail(rest);
            } else if rest.is_sym() && self.is(rest, Tags::CONS) {
                rest = self.tail(rest);
            } else {
                return None;
            }
        }
        Some(rest)
    }

    /// The elements of a proper list. Its length is decided, if it is symbolic. `None` if it is no proper list.
    pub fn list(&mut self, list: Value) -> Option<Vec<Value>> {
        let mut items = Vec::new();
        let mut rest = list;
        let mut effort = Effort::new(self.heap);
        while effort.spend(self.heap) {
            if rest.is_cons() {
                items.push(self.heap.head(rest));
                rest = self.heap.tail(rest);
            } else if rest.is_nil() {
                return Some(items);
            } else if rest.is_sym() && self.is(rest, Tags::CONS) {
                items.push(self.head(rest));
                rest = self.tail(rest);
            } else {
                return self.is(rest, Tags::NIL).then_some(items);
            }
        }
        None
    }
}
