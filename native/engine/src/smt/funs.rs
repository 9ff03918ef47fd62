//! Funs: a number each in the datatype of terms, and functions of Z3 beside it.
//!
//! ```text
//! fun_arity: Int -> Int        call_N: Int, Term … -> Term        fun_default: Int -> Term
//! ```
//!
//! A number from 0 on is a fun that occurs as a constant. A fun that is called is never one of those (the machine calls constants as what they are), so
//! it has a negative number. Of such a fun, the places whose conditions are asserted tell everything that matters: its table has the calls
//! that were asked about, with the arguments and results that the model gives them.
//!
//! A table cannot contain the fun it belongs to. What a fun returns, if it is called in turn, has a higher number than that fun; other cycles are
//! rare, and ruled out when a model has one ([`Asked::order`]).

use z3::ast::{Ast, Bool, Datatype, Int};
use z3::{FuncDecl, Sort};

use super::EncodeError;
use super::encode::{Encoder, Node};
use super::facts::Facts;
use super::sorts::{Shape, Sorts};
use crate::sym::{Arena, Expr, FunExpr, MapExpr, SymId, Tags};
use crate::term::table;

type Result<T> = std::result::Result<T, EncodeError>;

/// Something that a condition in force says about a fun.
#[derive(Clone)]
pub(super) enum Asked {
    /// How many arguments it takes.
    Arity {
        fun: Int,
    },
    Call {
        fun: Int,
        args: Vec<Datatype>,
        result: Datatype,
    },
    Default {
        fun: Int,
        result: Datatype,
    },
}

impl Asked {
    /// The number of the fun.
    pub(super) fn fun(&self) -> &Int {
        match self {
            Asked::Arity { fun } | Asked::Call { fun, .. } | Asked::Default { fun, .. } => fun,
        }
    }

    /// What the call returns, if it is one.
    pub(super) fn result(&self) -> Option<&Datatype> {
        match self {
            Asked::Arity { .. } => None,
            Asked::Call { result, .. } | Asked::Default { result, .. } => Some(result),
        }
    }

    pub(super) fn args(&self) -> &[Datatype] {
        match self {
            Asked::Call { args, .. } => args,
            Asked::Arity { .. } | Asked::Default { .. } => &[],
        }
    }

    /// What a table with this entry contains.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Datatype> {
        let (args, result) = match self {
            Asked::Arity { .. } => (&[][..], None),
            Asked::Call { args, result, .. } => (args.as_slice(), Some(result)),
            Asked::Default { result, .. } => (&[][..], Some(result)),
        };
        args.iter().chain(result)
    }
}

// Encoding

impl Encoder {
    pub(super) fn fun_node(&self, expr: &FunExpr) -> Result<Node> {
        let id = self.fun_id(expr.fun())?;
        match expr {
            FunExpr::Arity(_) => arity_of(&id).map(Node::Int),
            FunExpr::Call(_, args) => {
                let args = args.iter().map(|arg| self.term(*arg)).collect::<Result<Vec<_>>>()?;
                self.call_of(&id, &args).map(Node::Term)
            }
            FunExpr::Otherwise(_) => self.default_of(&id).map(Node::Term),
        }
    }

    fn fun_id(&self, fun: SymId) -> Result<Int> {
        self.sorts.id(Shape::Fun, self.term(fun)?)
    }

    fn call_of(&self, id: &Int, args: &[&Datatype]) -> Result<Datatype> {
        let (int, term) = (Sort::int(), self.sorts.term_sort());
        let mut domain = vec![&int];
        domain.extend(args.iter().map(|_| term));
        let function = FuncDecl::new(format!("call_{}", args.len()), &domain, term);
        let mut given: Vec<&dyn Ast> = vec![id];
        given.extend(args.iter().map(|arg| *arg as &dyn Ast));
        function.apply(&given).as_datatype().ok_or(EncodeError::Datatype)
    }

    fn default_of(&self, id: &Int) -> Result<Datatype> {
        let function = FuncDecl::new("fun_default", &[&Sort::int()], self.sorts.term_sort());
        function.apply(&[id]).as_datatype().ok_or(EncodeError::Datatype)
    }
}

/// The arity of the fun with this number.
pub(super) fn arity_of(id: &Int) -> Result<Int> {
    let function = FuncDecl::new("fun_arity", &[&Sort::int()], &Sort::int());
    function.apply(&[id]).as_int().ok_or(EncodeError::Datatype)
}

// Facts

impl Facts {
    /// What holds of a fun that an expression speaks of.
    pub(super) fn of_fun(
        &mut self,
        encoder: &Encoder,
        arena: &Arena,
        (id, expr): (SymId, &FunExpr),
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        let place = encoder.term(expr.fun())?;
        let is_fun = encoder.sorts.is(Shape::Fun, place)?;
        let fun = encoder.fun_id(expr.fun())?;
        let asked = match expr {
            FunExpr::Arity(_) => {
                let arity = arity_of(&fun)?;
                let bounds = Bool::and(&[arity.ge(0), arity.le(table::MAX_TABLE_ARITY as u64)]);
                axioms.push(is_fun.implies(&bounds));
                Asked::Arity { fun: fun.clone() }
            }
            FunExpr::Call(_, args) => {
                axioms.push(is_fun.implies(fun.lt(0)));
                let args = args.iter().map(|arg| encoder.term(*arg).cloned()).collect::<Result<Vec<_>>>()?;
                Asked::Call { fun: fun.clone(), args, result: encoder.term(id)?.clone() }
            }
            FunExpr::Otherwise(_) => {
                axioms.push(is_fun.implies(fun.lt(0)));
                Asked::Default { fun: fun.clone(), result: encoder.term(id)?.clone() }
            }
        };
        if let Some(outer) = enclosing(arena, expr.fun()) {
            axioms.push(is_fun.implies(fun.gt(&encoder.fun_id(outer)?)));
        }
        self.asked.push(asked);
        Ok(())
    }

    /// The arity of a fun that is a constant.
    pub(super) fn of_constant_fun(
        &mut self,
        encoder: &Encoder,
        arena: &Arena,
        id: SymId,
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        let Expr::Opaque(opaque, Tags::FUN) = arena.get(id) else { return Ok(()) };
        let arity = arena.opaque(*opaque).and_then(|term| term.open_with(table::fun_arity));
        if let Some(arity) = arity {
            axioms.push(arity_of(&encoder.fun_id(id)?)?.eq(arity as u64));
        }
        Ok(())
    }
}

/// The fun whose result a place is part of.
fn enclosing(arena: &Arena, mut place: SymId) -> Option<SymId> {
    loop {
        place = match arena.get(place) {
            Expr::Head(inner) | Expr::Tail(inner) | Expr::Element(inner, _) => *inner,
            Expr::Map(MapExpr::Get(inner, _) | MapExpr::Key(inner, _)) => *inner,
            Expr::Fun(FunExpr::Call(fun, _) | FunExpr::Otherwise(fun)) => return Some(*fun),
            _ => return None,
        };
    }
}

// Models with a cycle

/// That no table contains its own fun: at the places where a model has a fun in a table, the inner one has the higher number.
pub(super) fn order(model: &z3::Model, asked: &[Asked], sorts: &Sorts) -> Result<Vec<Bool>> {
    let mut order = Vec::new();
    for entry in asked {
        for part in entry.parts() {
            let Some(value) = model.eval(part, true) else { continue };
            for place in super::decode::places(&value.into(), part, sorts, &[Shape::Fun])? {
                let is_fun = sorts.is(Shape::Fun, &place)?;
                order.push(is_fun.implies(sorts.id(Shape::Fun, &place)?.gt(entry.fun())));
            }
        }
    }
    Ok(order)
}
