//! Expressions about funs of the input: a fun is a finite table of calls and a default.
//!
//! A call with arguments that no table can have is the default: closures, pids and references of the run itself are not part of any input, and no
//! table contains the fun it is the table of.

use super::arena::{Arena, SymId};
use super::eval::{Denoted, Evaluator};
use super::expr::{Expr, Sort};
use super::tags::Tags;
use crate::term::parts::has_part;
use crate::term::{Heap, Value, View, VirtualKind, table};

/// A node about a term that is a fun on this path.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FunExpr {
    /// How many arguments it takes: an integer.
    Arity(SymId),
    /// What it returns for these arguments, as many as it takes.
    Call(SymId, Box<[SymId]>),
    /// What it returns for arguments that are in no table.
    Otherwise(SymId),
}

impl FunExpr {
    /// The term that is a fun.
    pub fn fun(&self) -> SymId {
        match self {
            FunExpr::Arity(fun) | FunExpr::Call(fun, _) | FunExpr::Otherwise(fun) => *fun,
        }
    }

    pub fn args(&self) -> &[SymId] {
        match self {
            FunExpr::Call(_, args) => args,
            FunExpr::Arity(_) | FunExpr::Otherwise(_) => &[],
        }
    }

    pub(super) fn sort(&self) -> Sort {
        match self {
            FunExpr::Arity(_) => Sort::Int,
            FunExpr::Call(..) | FunExpr::Otherwise(_) => Sort::Term,
        }
    }
}

impl Arena {
    pub fn fun_arity(&mut self, fun: SymId) -> SymId {
        self.intern(Expr::Fun(FunExpr::Arity(fun)))
    }

    /// The condition that a term is a fun of this arity.
    pub fn is_fun_of(&mut self, id: SymId, arity: usize) -> SymId {
        let is_fun = self.is(id, Tags::FUN);
        if matches!(self.get(is_fun), Expr::False) {
            return is_fun;
        }
        let own = self.fun_arity(id);
        let wanted = self.int(arity);
        let same = self.eq(own, wanted);
        self.and(is_fun, same)
    }

    /// What a fun returns for arguments, all of them terms.
    pub fn call(&mut self, fun: SymId, args: Vec<SymId>) -> SymId {
        let in_table = args.iter().all(|arg| self.fits_in_table(fun, *arg));
        let call = if in_table { FunExpr::Call(fun, args.into_boxed_slice()) } else { FunExpr::Otherwise(fun) };
        self.intern(Expr::Fun(call))
    }

    /// False for an argument that no table of this fun can have.
    fn fits_in_table(&self, fun: SymId, arg: SymId) -> bool {
        let mut parts = vec![arg];
        while let Some(part) = parts.pop() {
            match self.get(part) {
                _ if part == fun => return false,
                Expr::Cons(head, tail) => parts.extend([*head, *tail]),
                Expr::Tuple(elements) => parts.extend(elements.iter().copied()),
                Expr::Opaque(id, _) if self.opaque(*id).is_some_and(|term| term.open_with(is_of_a_run)) => {
                    return false;
                }
                _ => {}
            }
        }
        true
    }
}

/// True for a term of which some part exists only in a run.
pub fn is_of_a_run(heap: &Heap, value: Value) -> bool {
    has_identifier(heap, value, &|_| true)
}

/// True for a term that no input has: some part of it is made in a run. The process that makes the call is not.
pub fn is_in_no_input(heap: &Heap, value: Value) -> bool {
    has_identifier(heap, value, &|identifier| identifier != (VirtualKind::Pid, 0))
}

/// True if some part of a term is a closure of a run, or a process, reference or fun of it that is meant.
fn has_identifier(heap: &Heap, value: Value, is_meant: &dyn Fn((VirtualKind, u64)) -> bool) -> bool {
    has_part(heap, value, &|part| match heap.view(part) {
        View::Closure(ptr) => !table::is_table(heap, ptr),
        View::Virtual(identifier) => is_meant(identifier.as_identifier()),
        View::Small(_)
        | View::Big(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Nil
        | View::Cons(_)
        | View::Tuple(..)
        | View::Bits(_)
        | View::Map(..)
        | View::External(_)
        | View::Foreign(_)
        | View::Sym(..) => false,
    })
}

impl Evaluator<'_> {
    /// Only the calls of table funs have a value here; others would have to be made.
    pub(super) fn fun(&self, expr: &FunExpr) -> Option<Denoted> {
        let fun = self.term(expr.fun())?;
        match expr {
            FunExpr::Arity(_) => table::fun_arity(&self.heap, fun).map(|arity| Denoted::Int(arity.into())),
            FunExpr::Call(_, args) => {
                let args = args.iter().map(|arg| self.term(*arg)).collect::<Option<Vec<_>>>()?;
                table::look_up(&self.heap, fun, &args).map(Denoted::Term)
            }
            FunExpr::Otherwise(_) => table::default(&self.heap, fun).map(Denoted::Term),
        }
    }
}
