//! Functions none of whose clauses matches.
//!
//! As on the BEAM, the exception names the running function if it stands where that one does and has as many arguments. Otherwise a call was
//! replaced by the function's clauses, or it is a fun with captured variables: then a function of its own raises.

use super::{Body, Parts};
use crate::code::ast::{Line, Node, Primop, Raiser};
use crate::code::ir::{Instr, Mfa, Slot, Src, Window};
use crate::term::{AtomId, Value, View};

impl Body<'_, '_> {
    /// Compiles a failed match of all clauses of a function. False if it is something else.
    pub(super) fn function_clause(&mut self, line: Line, primop: &Primop) -> bool {
        let ("match_fail", [reason]) = (&*primop.name.name(), primop.args.as_slice()) else { return false };
        let mark = self.next;
        let Some(args) = self.unmatched(reason) else { return false };
        self.line(line);
        let is_own = line == self.begin && args.len() == self.params as usize;
        match primop.raiser {
            Raiser::Itself => self.raise_function_clause(&args),
            Raiser::Unknown | Raiser::Clauses(..) if is_own => self.raise_function_clause(&args),
            Raiser::Unknown => self.call_raising(line, self.lowering.raising_name(), self.handlers == 0, &args),
            Raiser::Clauses(function, arity) => {
                let name = AtomId::intern(&format!("-inlined-{function}/{arity}-"));
                self.call_raising(line, name, self.handlers == 0, &args);
            }
            Raiser::Function { name, last } => self.call_raising(line, name, last, &args),
        }
        self.next = mark;
        true
    }

    /// The arguments that no clause matched.
    fn unmatched(&mut self, reason: &Node) -> Option<Vec<Src>> {
        let tag = Value::atom(AtomId::FUNCTION_CLAUSE);
        match reason {
            Node::Tuple(nodes) => {
                let (Node::Literal(first), rest) = nodes.split_first()? else { return None };
                (*first == tag).then(|| rest.iter().map(|node| self.operand(node)).collect())
            }
            Node::Literal(term) => {
                let module = self.lowering.module;
                let View::Tuple(_, arity) = module.heap.view(*term) else { return None };
                let elements: Vec<Value> = (0..arity).map(|index| module.heap.element(*term, index)).collect();
                let (first, rest) = elements.split_first()?;
                (*first == tag).then(|| rest.iter().map(|value| self.literal(*value)).collect())
            }
            _ => None,
        }
    }

    fn raise_function_clause(&mut self, args: &[Src]) {
        let tag = self.constant_value(Value::atom(AtomId::FUNCTION_CLAUSE));
        let elements = self.gather(&[&[tag], args].concat());
        let dst = self.new_slot();
        self.emit(Instr::Tuple { dst, elements });
        self.emit(Instr::MatchFail { reason: Src::slot(dst) });
    }

    /// Copies operands into consecutive new slots.
    fn gather(&mut self, operands: &[Src]) -> Window {
        let window = Window { at: Slot(self.next), len: operands.len() as u32 };
        self.take_slots(window.len);
        for (src, slot) in operands.iter().zip(window.at.0..) {
            self.emit(Instr::Move { dst: Slot(slot), src: *src });
        }
        window
    }

    /// A call of a function that raises. One that is the last on the BEAM is not where the exception is caught here.
    fn call_raising(&mut self, line: Line, name: AtomId, last: bool, args: &[Src]) {
        let mfa = Mfa { module: self.lowering.module.name, function: name, arity: args.len() };
        let index = self.lowering.reserve();
        self.lowering.install(index, mfa, args.len() as u32, raising(line, args.len() as u32));
        let function = self.lowering.function_id(index);
        let args = self.gather(args);
        if last && self.handlers == 0 {
            self.emit(Instr::TailCall { function, args });
        } else {
            let dst = self.new_slot();
            self.line(if last { line.unseen() } else { line });
            self.emit(Instr::Call { function, args, dst });
        }
    }
}

impl super::Lowering<'_> {
    /// A name as the compiler gives it to a function that raises for another one. Its number is not known.
    fn raising_name(&self) -> AtomId {
        let ((top, top_arity), number) = (self.top, self.lifted);
        AtomId::intern(&format!("-{top}/{top_arity}-inlined-{number}-"))
    }
}

/// The code of a function of which no clause matches.
fn raising(line: Line, arity: u32) -> Parts {
    let elements = Window { at: Slot(arity), len: arity + 1 };
    let dst = Slot(2 * arity + 1);
    let mut code = vec![Instr::Move { dst: elements.at, src: Src::constant(0) }];
    code.extend((0..arity).map(|arg| Instr::Move { dst: Slot(arity + 1 + arg), src: Src::slot(Slot(arg)) }));
    code.push(Instr::Tuple { dst, elements });
    code.push(Instr::MatchFail { reason: Src::slot(dst) });
    let constants = vec![Value::atom(AtomId::FUNCTION_CLAUSE)];
    Parts {
        code,
        constants,
        frame: 2 * arity + 2,
        lines: vec![(0, line.place())],
        unseen: Vec::new(),
        behind: Vec::new(),
    }
}
