//! `case`, patterns, guards, `try` and `catch`.

use super::{Body, ClauseId, ClauseInfo, Dest};
use crate::bif::{self, Shortcut};
use crate::code::ast::{Clause, Line, Node, Pattern, Try};
use crate::code::ir::{Instr, Label, Mfa, Slot, Src};
use crate::term::Value;

impl Body<'_, '_> {
    pub(super) fn case(&mut self, line: Line, arg: &Node, clauses: &[Clause], dest: Dest<'_>) {
        let mark = self.next;
        let subjects: Vec<Src> = match arg {
            Node::Values(nodes) => nodes.iter().map(|node| self.operand(node)).collect(),
            _ => match clauses.first().map_or(1, |clause| clause.patterns.len()) {
                1 => vec![self.operand(arg)],
                count => {
                    let slots: Vec<Slot> = (0..count).map(|_| self.new_slot()).collect();
                    self.expr(arg, Dest::Slots(&slots));
                    slots.into_iter().map(Src::slot).collect()
                }
            },
        };
        self.line(line);
        let end = self.new_label();
        for clause in clauses {
            let next = self.new_label();
            self.clause(clause, &subjects, next, dest);
            self.jump_to(end, dest);
            self.place(next);
        }
        self.emit(Instr::Unsupported { what: "case in which no clause matches" });
        self.place(end);
        self.next = mark;
    }

    fn clause(&mut self, clause: &Clause, subjects: &[Src], fail: Label, dest: Dest<'_>) {
        let mark = self.next;
        self.line(clause.line);
        for (pattern, subject) in clause.patterns.iter().zip(subjects) {
            self.pattern(pattern, *subject, fail);
        }
        self.guard(&clause.guard, fail);
        if self.guard.is_none() {
            self.enter(clause.line, clause.generated);
        }
        self.expr(&clause.body, dest);
        self.next = mark;
    }

    /// A clause of this function begins here.
    pub(super) fn enter(&mut self, line: Line, generated: bool) {
        let id = ClauseId(self.lowering.context.first_clause + self.lowering.clauses.len() as u32);
        self.lowering.clauses.push(ClauseInfo { function: self.id, line, generated });
        self.emit(Instr::Enter { clause: id });
    }

    // Patterns

    pub(super) fn pattern(&mut self, pattern: &Pattern, subject: Src, fail: Label) {
        match pattern {
            Pattern::Literal(value) => {
                let literal = self.literal(*value);
                self.emit(Instr::IsLiteral { value: subject, literal, fail });
            }
            Pattern::Var(var) => drop(self.env.insert(*var, subject)),
            Pattern::Alias(var, inner) => {
                self.env.insert(*var, subject);
                self.pattern(inner, subject, fail);
            }
            Pattern::List(heads, tail) => self.list_pattern(heads, tail, subject, fail),
            Pattern::Tuple(elements) => {
                self.emit(Instr::IsTuple { value: subject, arity: elements.len() as u32, fail });
                for (element, index) in elements.iter().zip(0..) {
                    self.part(element, fail, |dst| Instr::Element { dst, tuple: subject, index });
                }
            }
            Pattern::Map(pairs) => self.map_pattern(pairs, subject, fail),
            Pattern::Binary(segments) => self.binary_pattern(segments, subject, fail),
        }
    }

    fn list_pattern(&mut self, heads: &[Pattern], tail: &Pattern, subject: Src, fail: Label) {
        let mut cons = subject;
        for (index, head) in heads.iter().enumerate() {
            self.emit(Instr::IsCons { value: cons, fail });
            self.part(head, fail, |dst| Instr::Head { dst, cons });
            if index + 1 == heads.len() {
                self.part(tail, fail, |dst| Instr::Tail { dst, cons });
            } else {
                let dst = self.new_slot();
                self.emit(Instr::Tail { dst, cons });
                cons = Src::slot(dst);
            }
        }
    }

    /// Takes a part out and matches it, unless nobody would look at it.
    fn part(&mut self, pattern: &Pattern, fail: Label, take: impl FnOnce(Slot) -> Instr) {
        if let Pattern::Var(var) = pattern
            && !self.uses.contains(*var)
        {
            return;
        }
        let slot = self.new_slot();
        self.emit(take(slot));
        super::nested(|| self.pattern(pattern, Src::slot(slot), fail));
    }

    // Guards

    fn guard(&mut self, guard: &Node, fail: Label) {
        if matches!(guard, Node::Literal(value) if value.is_true()) {
            return;
        }
        let outer = self.guard.replace(fail);
        let mark = self.next;
        if !self.test(guard, fail) {
            let value = self.operand(guard);
            self.emit(Instr::IsTrue { value, fail });
        }
        self.next = mark;
        self.guard = outer;
    }

    /// A guard that is one comparison or type test is one instruction.
    fn test(&mut self, guard: &Node, fail: Label) -> bool {
        let Node::Call(line, module, function, args) = guard else { return false };
        let Some(mfa) = static_mfa(module, function, args.len()) else { return false };
        match (bif::shortcut(mfa), args.as_slice()) {
            (Some(Shortcut::Compare(op)), [a, b]) => {
                let (a, b) = (self.operand(a), self.operand(b));
                self.line(*line);
                self.emit(Instr::Compare { op, a, b, fail });
            }
            (Some(Shortcut::Type(tags)), [value]) => {
                let value = self.operand(value);
                self.line(*line);
                self.emit(Instr::IsType { value, tags, fail });
            }
            _ => return false,
        }
        true
    }

    // Exceptions

    pub(super) fn try_of(&mut self, node: &Try, dest: Dest<'_>) {
        if self.guard.is_some() && !node.exception.iter().any(|var| self.uses.contains(*var)) {
            return self.try_in_guard(node, dest);
        }
        let mark = self.next;
        let at = Slot(self.next);
        self.take_slots(3);
        let handler = self.new_label();
        // An exception inside is caught here, not by the guard around it.
        let guard = self.guard.take();
        self.line(node.line);
        self.emit(Instr::PushHandler { handler, at });
        let slots = self.bind_slots(&node.vars);
        self.handlers += 1;
        self.expr(&node.arg, Dest::Slots(&slots));
        self.handlers -= 1;
        self.emit(Instr::PopHandler);
        self.guard = guard;
        for (var, slot) in node.exception.iter().zip(at.0..) {
            self.env.insert(*var, Src::slot(Slot(slot)));
        }
        self.after_trying(node, handler, dest);
        self.next = mark;
    }

    /// Nobody asks what was raised: whatever fails goes on with the handler at once.
    fn try_in_guard(&mut self, node: &Try, dest: Dest<'_>) {
        let mark = self.next;
        let handler = self.new_label();
        let guard = self.guard.replace(handler);
        self.line(node.line);
        let slots = self.bind_slots(&node.vars);
        self.expr(&node.arg, Dest::Slots(&slots));
        self.guard = guard;
        self.after_trying(node, handler, dest);
        self.next = mark;
    }

    fn after_trying(&mut self, node: &Try, handler: Label, dest: Dest<'_>) {
        let end = self.new_label();
        self.expr(&node.body, dest);
        self.jump_to(end, dest);
        self.place(handler);
        self.expr(&node.handler, dest);
        self.place(end);
    }

    pub(super) fn catch(&mut self, line: Line, body: &Node, dest: Dest<'_>) {
        let mark = self.next;
        let at = Slot(self.next);
        self.take_slots(3);
        let slot = self.target(dest);
        let handler = self.new_label();
        let end = self.new_label();
        self.line(line);
        self.emit(Instr::PushHandler { handler, at });
        self.handlers += 1;
        self.expr(body, Dest::Slots(&[slot]));
        self.handlers -= 1;
        self.emit(Instr::PopHandler);
        self.emit(Instr::Jump { to: end });
        self.place(handler);
        self.emit(Instr::Caught { dst: slot, at });
        self.place(end);
        self.done(slot, dest);
        self.next = mark;
    }
}

/// The function that a call names, if module and function are literal atoms.
pub(in crate::code) fn static_mfa(module: &Node, function: &Node, arity: usize) -> Option<Mfa> {
    match (module, function) {
        (Node::Literal(module), Node::Literal(function)) if module.is_atom() && function.is_atom() => {
            Some(Mfa { module: Value::as_atom(*module), function: function.as_atom(), arity })
        }
        _ => None,
    }
}
