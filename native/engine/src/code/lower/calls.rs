//! Calls, funs, `letrec` and primops.

use super::clauses::static_mfa;
use super::{Body, Dest, Lifted};
use crate::bif::{self, Shortcut};
use crate::code::ast::{Fun, Line, Local, Node, Primop, Var};
use crate::code::free::Uses;
use crate::code::ir::{Instr, Label, Mfa, Slot, Src, Window};
use crate::term::{AtomId, Value};

impl Body<'_, '_> {
    // Functions as values

    pub(super) fn top_function(&mut self, name: AtomId, arity: usize, dest: Dest<'_>) {
        let Some(function) = self.lowering.names.get(&(name, arity)).copied() else {
            return self.emit(Instr::Unsupported { what: "reference to a function that the module does not have" });
        };
        self.closure(function, arity, &[], dest);
    }

    pub(super) fn local_function(&mut self, local: Local, dest: Dest<'_>) {
        let Some(lifted) = self.lowering.locals.get(&local).cloned() else {
            return self.emit(Instr::Unsupported { what: "reference to a local function out of scope" });
        };
        self.closure(lifted.function, lifted.arity, &lifted.free, dest);
    }

    fn closure(&mut self, function: super::FnId, arity: usize, free: &[Var], dest: Dest<'_>) {
        let mark = self.next;
        let captured = self.copies(free);
        let slot = self.target(dest);
        self.emit(Instr::Closure { dst: slot, function, arity: arity as u32, captured });
        self.done(slot, dest);
        self.next = mark;
    }

    pub(super) fn fun(&mut self, fun: &Fun, dest: Dest<'_>) {
        let free = self.free(std::iter::once(fun));
        let index = self.lowering.reserve();
        let name = fun.name.unwrap_or_else(|| self.lowering.made_up_name("fun", 0));
        self.lowering.function(index, name, fun, &free);
        let function = self.lowering.function_id(index);
        self.closure(function, fun.params.len(), &free, dest);
    }

    /// The variables of this function that the given ones use, also through functions of `letrec`.
    fn free<'f>(&self, funs: impl Iterator<Item = &'f Fun>) -> Vec<Var> {
        let mut free: Vec<Var> = Vec::new();
        for uses in funs.map(Uses::of_fun) {
            free.extend(uses.vars.keys());
            let lifted = uses.locals.iter().filter_map(|local| self.lowering.locals.get(local));
            free.extend(lifted.flat_map(|lifted| lifted.free.iter()));
        }
        free.retain(|var| self.env.contains_key(var));
        free.sort_unstable();
        free.dedup();
        free
    }

    pub(super) fn letrec(&mut self, functions: &[(Local, AtomId, Fun)], body: &Node, dest: Dest<'_>) {
        let free = self.free(functions.iter().map(|(_, _, fun)| fun));
        let mut indices = Vec::with_capacity(functions.len());
        for (local, _, fun) in functions {
            let index = self.lowering.reserve();
            let function = self.lowering.function_id(index);
            let lifted = Lifted { function, arity: fun.params.len(), free: free.clone() };
            self.lowering.locals.insert(*local, lifted);
            indices.push(index);
        }
        for ((_, name, fun), index) in functions.iter().zip(indices) {
            let made_up = self.lowering.made_up_name(&name.name(), fun.params.len());
            self.lowering.function(index, fun.name.unwrap_or(made_up), fun, &free);
        }
        self.expr(body, dest);
    }

    /// Each function is a label; all of them deliver to the same destination.
    pub(super) fn goto(&mut self, functions: &[(Local, AtomId, Fun)], body: &Node, dest: Dest<'_>) {
        let mark = self.next;
        let end = self.new_label();
        for (local, _, fun) in functions {
            let label = self.new_label();
            let slots = self.bind_slots(&fun.params);
            self.gotos.insert(*local, (label, slots));
        }
        self.expr(body, dest);
        self.jump_to(end, dest);
        for (local, _, fun) in functions {
            if let Some((label, _)) = self.gotos.get(local) {
                self.place(*label);
            }
            self.expr(&fun.body, dest);
            self.jump_to(end, dest);
        }
        self.place(end);
        self.next = mark;
    }

    fn jump_into(&mut self, label: Label, slots: &[Slot], args: &[Node]) {
        let window = self.window(args);
        for (dst, src) in slots.iter().zip(window.at.0..) {
            self.emit(Instr::Move { dst: *dst, src: Src::slot(Slot(src)) });
        }
        self.emit(Instr::Jump { to: label });
    }

    // Calls

    pub(super) fn apply(&mut self, line: Line, operator: &Node, args: &[Node], dest: Dest<'_>) {
        let mark = self.next;
        match operator {
            Node::Top(name, arity) if *arity == args.len() => {
                let target = self.lowering.names.get(&(*name, *arity)).copied();
                let window = self.window(args);
                self.line(line);
                let never_returns = self.handlers == 0 && !self.lowering.returning.function(*name, *arity);
                let dest = if never_returns { Dest::Return } else { dest };
                match target {
                    Some(function) => self.call_function(function, window, dest),
                    None => self.emit(Instr::Unsupported { what: "call of a function that the module does not have" }),
                }
            }
            Node::Local(local) if self.gotos.contains_key(local) => {
                if let Some((label, slots)) = self.gotos.get(local).cloned() {
                    self.jump_into(label, &slots, args);
                }
            }
            Node::Local(local) if self.lowering.locals.get(local).is_some_and(|lifted| lifted.arity == args.len()) => {
                let Some(lifted) = self.lowering.locals.get(local).cloned() else { return };
                let window = self.window(args);
                let captured = self.copies(&lifted.free);
                self.line(line);
                let window = Window { at: window.at, len: window.len + captured.len };
                self.call_function(lifted.function, window, dest);
            }
            _ => {
                let fun = self.new_slot();
                self.expr(operator, Dest::Slots(&[fun]));
                let args = self.window(args);
                self.line(line);
                self.finish_call(dest, |dst| Instr::CallFun { args, dst }, Instr::TailCallFun { args });
            }
        }
        self.next = mark;
    }

    fn call_function(&mut self, function: super::FnId, args: Window, dest: Dest<'_>) {
        self.finish_call(dest, |dst| Instr::Call { function, args, dst }, Instr::TailCall { function, args });
    }

    fn finish_call(&mut self, dest: Dest<'_>, call: impl FnOnce(Slot) -> Instr, tail_call: Instr) {
        match dest {
            Dest::Return => self.emit(tail_call),
            Dest::Slots(_) | Dest::Effect => {
                let dst = self.target(dest);
                self.emit(call(dst));
            }
        }
    }

    pub(super) fn call(&mut self, line: Line, callee: (&Node, &Node), args: &[Node], dest: Dest<'_>) {
        let mark = self.next;
        match static_mfa(callee.0, callee.1, args.len()) {
            Some(mfa) => self.static_call(line, mfa, args, dest),
            None => {
                let at = self.next;
                self.take_slots(2);
                self.expr(callee.0, Dest::Slots(&[Slot(at)]));
                self.expr(callee.1, Dest::Slots(&[Slot(at + 1)]));
                let args = self.window(args);
                self.line(line);
                self.finish_call(dest, |dst| Instr::CallNamed { args, dst }, Instr::TailCallNamed { args });
            }
        }
        self.next = mark;
    }

    fn static_call(&mut self, line: Line, mut mfa: Mfa, args: &[Node], dest: Dest<'_>) {
        // As on the BEAM, the operator is the function of that name.
        if mfa == bif::mfa("erlang", "!", 2) {
            mfa.function = AtomId::intern("send");
        }
        match (bif::shortcut(mfa), args) {
            (Some(Shortcut::Arithmetic(op)), [a, b]) => {
                let (a, b) = (self.operand(a), self.operand(b));
                self.line(line);
                let (dst, fail) = (self.target(dest), self.fail());
                self.emit(Instr::Arithmetic { op, dst, a, b, fail });
                return self.done(dst, dest);
            }
            (Some(Shortcut::Apply), _) => {
                let args = self.window(args);
                self.line(line);
                return self.finish_call(dest, |dst| Instr::Apply { args, dst }, Instr::TailApply { args });
            }
            _ => {}
        }
        match (bif::find(mfa), self.guard) {
            (Some(bif), _) => {
                let window = self.window(args);
                self.line(line);
                let (dst, fail) = (self.target(dest), self.fail());
                self.emit(Instr::Bif { bif, dst, args: window, fail });
                self.done(dst, dest);
            }
            (None, Some(fail)) => {
                let at = Slot(self.next);
                self.take_slots(3);
                self.emit(Instr::PushHandler { handler: fail, at });
                let dst = self.target(dest);
                self.remote_call(line, mfa, args, Dest::Slots(&[dst]));
                self.emit(Instr::PopHandler);
                self.done(dst, dest);
            }
            (None, None) => self.remote_call(line, mfa, args, dest),
        }
    }

    fn remote_call(&mut self, line: Line, mfa: Mfa, args: &[Node], dest: Dest<'_>) {
        let args = self.window(args);
        self.line(line);
        let mfa = (self.lowering.context.mfa_id)(mfa);
        self.finish_call(dest, |dst| Instr::CallRemote { mfa, args, dst }, Instr::TailCallRemote { mfa, args });
    }

    pub(super) fn primop(&mut self, line: Line, primop: &Primop, dest: Dest<'_>) {
        if let (Some(fail), "match_fail" | "raise") = (self.guard, &*primop.name.name()) {
            return self.emit(Instr::Jump { to: fail });
        }
        if self.function_clause(line, primop) {
            return;
        }
        let mark = self.next;
        let at = self.window(&primop.args).at.0;
        self.line(line);
        let arg = |index: u32| Src::slot(Slot(at + index));
        match (&*primop.name.name(), primop.args.len()) {
            ("match_fail", 1) => self.emit(Instr::MatchFail { reason: arg(0) }),
            ("raise", 2) => self.emit(Instr::Reraise { trace: arg(0), reason: arg(1) }),
            ("raw_raise", 3) => {
                let dst = self.target(dest);
                self.emit(Instr::RawRaise { dst, args: Window { at: Slot(at), len: 3 } });
                self.done(dst, dest);
            }
            ("build_stacktrace", 1) => {
                let dst = self.target(dest);
                self.emit(Instr::BuildTrace { dst, raw: arg(0) });
                self.done(dst, dest);
            }
            ("bs_init_writable", 1) => {
                let dst = self.target(dest);
                self.emit(Instr::BitsWritable { dst, room: arg(0) });
                self.done(dst, dest);
            }
            // A bitstring is never turned into a position of a match here.
            ("bs_context_to_binary", 1) => self.deliver(arg(0), dest),
            ("recv_peek_message", 0) => self.peek_message(dest),
            ("recv_next", 0) => self.step_in_mailbox(Instr::NextMessage, dest),
            ("remove_message", 0) => self.step_in_mailbox(Instr::RemoveMessage, dest),
            ("recv_wait_timeout", 1) => {
                let dst = self.target(dest);
                self.emit(Instr::WaitTimeout { dst, timeout: arg(0) });
                self.done(dst, dest);
            }
            // Marks of a function that a library replaces and of lines for coverage and debuggers; the values are not used.
            ("nif_start" | "executable_line" | "debug_line", _) => {
                let src = self.literal(Value::NIL);
                self.deliver(src, dest);
            }
            _ => self.emit(Instr::Unsupported { what: "primop that is not known" }),
        }
        self.next = mark;
    }
}

impl Body<'_, '_> {
    /// Two values: whether there is a message, and the message.
    fn peek_message(&mut self, dest: Dest<'_>) {
        let (found, message) = match dest {
            Dest::Slots([found, message]) => (*found, *message),
            Dest::Slots(_) | Dest::Return | Dest::Effect => (self.new_slot(), self.new_slot()),
        };
        self.emit(Instr::PeekMessage { found, message });
    }

    /// Nobody looks at the value, but it may be the last of a function: of what is done in an `after`, say.
    fn step_in_mailbox(&mut self, step: Instr, dest: Dest<'_>) {
        self.emit(step);
        let value = self.literal(Value::atom(AtomId::intern("ok")));
        self.deliver(value, dest);
    }
}

impl super::Lowering<'_> {
    /// A name like the BEAM compiler's: `-f/1-lc$^0/1-0-`.
    pub(super) fn made_up_name(&mut self, part: &str, arity: usize) -> AtomId {
        let (top, top_arity) = self.top;
        let number = self.lifted;
        self.lifted += 1;
        AtomId::intern(&format!("-{top}/{top_arity}-{part}/{arity}-{number}-"))
    }
}
