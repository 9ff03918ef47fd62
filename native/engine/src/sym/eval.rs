//! What an expression is for given inputs.
//!
//! An expression has no value where a projection meets a term of another shape, or a number does not fit. A condition made of parts
//! without a value may still have one: `false and …` is false. Floats are those of IEEE, as in a run, not the solver's reals.

mod scalars;

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::Zero;
use rustc_hash::FxHashMap;

use super::arena::{Arena, SymId};
use super::expr::{Expr, OpaqueId};
use super::lift::tags_of;
use super::maps::MapExpr;
use crate::term::{Heap, Literals, Packed, Value, order};

/// The value of an expression, by sort.
#[derive(Clone, Debug)]
pub enum Denoted {
    /// In the evaluator's heap.
    Term(Value),
    Int(BigInt),
    Real(f64),
    Bool(bool),
}

pub struct Evaluator<'a> {
    arena: &'a Arena,
    pub(super) heap: Heap,
    inputs: Vec<Value>,
    /// The inputs that something was put into, by number.
    changed: Vec<usize>,
    /// Values that stay whatever is put into the inputs.
    settled: FxHashMap<SymId, Option<Denoted>>,
    memo: FxHashMap<SymId, Option<Denoted>>,
}

impl<'a> Evaluator<'a> {
    pub fn new(arena: &'a Arena, inputs: &[Packed]) -> Self {
        let mut heap = Heap::new(Literals::default());
        let inputs = inputs.iter().map(|input| input.unpack(&mut heap)).collect();
        Evaluator {
            arena,
            heap,
            inputs,
            changed: Vec::new(),
            settled: FxHashMap::default(),
            memo: FxHashMap::default(),
        }
    }

    /// Where its terms are.
    pub fn heap_mut(&mut self) -> &mut Heap {
        &mut self.heap
    }

    /// Puts another value into a place: an input, or a part of one. `None` if the inputs have no such place.
    pub fn put(&mut self, place: SymId, value: Value) -> Option<()> {
        let (mut at, mut value) = (place, value);
        loop {
            let expr = self.arena.get(at).clone();
            let (whole, new) = match expr {
                Expr::Input(number) => {
                    let number = number as usize;
                    *self.inputs.get_mut(number)? = value;
                    self.memo.clear();
                    if !self.changed.contains(&number) {
                        self.changed.push(number);
                    }
                    return Some(());
                }
                Expr::Head(whole) | Expr::Tail(whole) => {
                    self.value(whole)?;
                    let cons = self.cons(whole)?;
                    let is_head = matches!(expr, Expr::Head(_));
                    let (head, tail) = (self.heap.head(cons), self.heap.tail(cons));
                    let (head, tail) = if is_head { (value, tail) } else { (head, value) };
                    (whole, self.heap.cons(head, tail))
                }
                Expr::Element(whole, index) => {
                    self.value(whole)?;
                    let tuple = self.term(whole)?;
                    let arity = self.heap.tuple_arity(tuple)?;
                    let mut elements: Vec<Value> = (0..arity).map(|at| self.heap.element(tuple, at)).collect();
                    *elements.get_mut(index as usize)? = value;
                    (whole, self.heap.tuple(&elements))
                }
                Expr::Map(MapExpr::Get(whole, key)) => (whole, self.map_with(whole, key, value)?),
                _ => return None,
            };
            (at, value) = (whole, new);
        }
    }

    /// From now on values are only put where no expression that is settled depends on them.
    pub fn settle(&mut self, is_settled: impl Fn(SymId) -> bool) {
        self.settled.extend(self.memo.extract_if(|id, _| is_settled(*id)));
    }

    /// The inputs with what was put into them. Those that nothing was put into are taken from `old`.
    pub fn packed_inputs(&self, old: &[Packed]) -> Vec<Packed> {
        let pack = |(number, (old, now)): (usize, (&Packed, &Value))| {
            if self.changed.contains(&number) { Packed::pack(&self.heap, *now) } else { old.clone() }
        };
        old.iter().zip(&self.inputs).enumerate().map(pack).collect()
    }

    /// The value of an expression that is an integer.
    pub fn integer(&mut self, id: SymId) -> Option<BigInt> {
        match self.value(id)? {
            Denoted::Int(int) => Some(int),
            Denoted::Term(_) | Denoted::Real(_) | Denoted::Bool(_) => None,
        }
    }

    /// Whether a condition holds; `None` if it has no value.
    pub fn holds(&mut self, condition: SymId) -> Option<bool> {
        match self.value(condition)? {
            Denoted::Bool(holds) => Some(holds),
            Denoted::Term(_) | Denoted::Int(_) | Denoted::Real(_) => None,
        }
    }

    /// The value of an expression; parts first.
    pub fn value(&mut self, id: SymId) -> Option<Denoted> {
        let arena = self.arena;
        let is_known = |evaluator: &Self, id| evaluator.memo.contains_key(&id) || evaluator.settled.contains_key(&id);
        arena.parts_first(id, self, is_known, |evaluator, id| {
            let value = evaluator.node(arena.get(id));
            evaluator.memo.insert(id, value);
        });
        self.get(id)
    }

    fn node(&mut self, expr: &Expr) -> Option<Denoted> {
        match expr {
            Expr::Input(number) => self.inputs.get(*number as usize).copied().map(Denoted::Term),
            Expr::Atom(atom) => Some(Denoted::Term(Value::atom(*atom))),
            Expr::Nil => Some(Denoted::Term(Value::NIL)),
            Expr::Opaque(id, _) => self.constant(*id).map(Denoted::Term),
            Expr::Cons(head, tail) => {
                let (head, tail) = (self.term(*head)?, self.term(*tail)?);
                Some(Denoted::Term(self.heap.cons(head, tail)))
            }
            Expr::Tuple(elements) => {
                let elements = elements.iter().map(|id| self.term(*id)).collect::<Option<Vec<_>>>()?;
                Some(Denoted::Term(self.heap.tuple(&elements)))
            }
            Expr::OfInt(int) => {
                let int = self.int(*int)?;
                Some(Denoted::Term(self.heap.bigint(&int)))
            }
            Expr::OfReal(real) => {
                let real = self.real(*real)?;
                Some(Denoted::Term(self.heap.float(real)))
            }
            Expr::OfBool(condition) => Some(Denoted::Term(Value::boolean(self.bool(*condition)?))),
            Expr::Head(list) => self.cons(*list).map(|list| Denoted::Term(self.heap.head(list))),
            Expr::Tail(list) => self.cons(*list).map(|list| Denoted::Term(self.heap.tail(list))),
            Expr::Element(tuple, index) => self.element(*tuple, *index as usize),
            Expr::Fun(fun) => self.fun(fun),
            Expr::Int(int) => Some(Denoted::Int(int.clone())),
            Expr::IntOf(term) => self.heap.integer(self.term(*term)?).map(Denoted::Int),
            Expr::Add(a, b) => self.arithmetic(*a, *b, |a, b| a + b, |a, b| a + b),
            Expr::Sub(a, b) => self.arithmetic(*a, *b, |a, b| a - b, |a, b| a - b),
            Expr::Mul(a, b) => self.arithmetic(*a, *b, |a, b| a * b, |a, b| a * b),
            Expr::Div(a, b) => self.divided(*a, *b, |a, b| a / b),
            Expr::Rem(a, b) => self.divided(*a, *b, |a, b| a % b),
            Expr::Real(bits) => Some(Denoted::Real(f64::from_bits(*bits))),
            Expr::RealOf(term) => self.float(*term).map(Denoted::Real),
            Expr::ToReal(int) => self.to_real(*int),
            Expr::Quotient(a, b) => a_number(self.real(*a)? / self.real(*b)?),
            Expr::FloorDiv(a, b) => self.floor_div(*a, *b),
            Expr::Modulo(a, b) => self.modulo(*a, *b),
            Expr::Bitwise(op, a, b, _) => self.bitwise(*op, *a, *b),
            Expr::Rounded(how, real) => self.rounded(*how, *real),
            Expr::AtomName(atom) => self.atom_name(*atom),
            Expr::AtomNamed(list) => self.atom_named(*list),
            Expr::Apply(function, args) => self.applied(*function, args),
            Expr::True => Some(Denoted::Bool(true)),
            Expr::False => Some(Denoted::Bool(false)),
            Expr::Is(term, tags) => Some(Denoted::Bool(tags.contains(self.tags(*term)?))),
            Expr::Finite(real) => Some(Denoted::Bool(self.real(*real)?.is_finite())),
            Expr::Arity(term, size) => {
                Some(Denoted::Bool(self.heap.tuple_arity(self.term(*term)?) == Some(*size as usize)))
            }
            Expr::Eq(a, b) => self.equal(*a, *b).map(Denoted::Bool),
            Expr::Lt(a, b) => self.less(*a, *b).map(Denoted::Bool),
            Expr::Not(a) => Some(Denoted::Bool(!self.bool(*a)?)),
            Expr::And(a, b) => self.both(*a, *b, false).map(Denoted::Bool),
            Expr::Or(a, b) => self.both(*a, *b, true).map(Denoted::Bool),
            Expr::Bits(bits) => self.bits(bits),
            Expr::Map(map) => self.map_node(map),
        }
    }
}

// Values of parts, by the sort that is needed

impl Evaluator<'_> {
    fn get(&self, id: SymId) -> Option<Denoted> {
        self.memo.get(&id).or_else(|| self.settled.get(&id)).cloned().flatten()
    }

    pub(super) fn constant(&mut self, id: OpaqueId) -> Option<Value> {
        Some(self.arena.opaque(id)?.unpack(&mut self.heap))
    }

    pub(super) fn term(&self, id: SymId) -> Option<Value> {
        match self.get(id)? {
            Denoted::Term(value) => Some(value),
            Denoted::Int(_) | Denoted::Real(_) | Denoted::Bool(_) => None,
        }
    }

    pub(super) fn int(&self, id: SymId) -> Option<BigInt> {
        match self.get(id)? {
            Denoted::Int(int) => Some(int),
            Denoted::Term(_) | Denoted::Real(_) | Denoted::Bool(_) => None,
        }
    }

    pub(super) fn real(&self, id: SymId) -> Option<f64> {
        match self.get(id)? {
            Denoted::Real(real) => Some(real),
            Denoted::Term(_) | Denoted::Int(_) | Denoted::Bool(_) => None,
        }
    }

    pub(super) fn bool(&self, id: SymId) -> Option<bool> {
        match self.get(id)? {
            Denoted::Bool(holds) => Some(holds),
            Denoted::Term(_) | Denoted::Int(_) | Denoted::Real(_) => None,
        }
    }

    fn cons(&self, id: SymId) -> Option<Value> {
        self.term(id).filter(|value| value.is_cons())
    }

    fn float(&self, id: SymId) -> Option<f64> {
        match self.heap.view(self.term(id)?) {
            crate::term::View::Float(float) => Some(float),
            _ => None,
        }
    }

    fn tags(&self, id: SymId) -> Option<super::Tags> {
        match self.get(id)? {
            Denoted::Term(value) => Some(tags_of(&self.heap, value)),
            Denoted::Int(_) => Some(super::Tags::INT),
            Denoted::Real(_) => Some(super::Tags::FLOAT),
            Denoted::Bool(_) => Some(super::Tags::ATOM),
        }
    }

    fn element(&self, tuple: SymId, index: usize) -> Option<Denoted> {
        let tuple = self.term(tuple)?;
        let arity = self.heap.tuple_arity(tuple)?;
        (index < arity).then(|| Denoted::Term(self.heap.element(tuple, index)))
    }
}

// Nodes

impl Evaluator<'_> {
    fn arithmetic(
        &self,
        a: SymId,
        b: SymId,
        of_ints: fn(BigInt, BigInt) -> BigInt,
        of_reals: fn(f64, f64) -> f64,
    ) -> Option<Denoted> {
        match (self.get(a)?, self.get(b)?) {
            (Denoted::Int(a), Denoted::Int(b)) => Some(Denoted::Int(of_ints(a, b))),
            (Denoted::Real(a), Denoted::Real(b)) => a_number(of_reals(a, b)),
            (Denoted::Term(_) | Denoted::Int(_) | Denoted::Real(_) | Denoted::Bool(_), _) => None,
        }
    }

    fn divided(&self, a: SymId, b: SymId, operation: fn(BigInt, BigInt) -> BigInt) -> Option<Denoted> {
        let (a, b) = (self.int(a)?, self.int(b)?);
        (!b.is_zero()).then(|| Denoted::Int(operation(a, b)))
    }

    fn equal(&mut self, a: SymId, b: SymId) -> Option<bool> {
        match (self.get(a)?, self.get(b)?) {
            (Denoted::Term(a), Denoted::Term(b)) => Some(order::identical(&self.heap, a, b)),
            (Denoted::Int(a), Denoted::Int(b)) => Some(a == b),
            (Denoted::Real(_), Denoted::Real(_)) => Some(self.compare_reals(a, b)? == Ordering::Equal),
            (Denoted::Bool(a), Denoted::Bool(b)) => Some(a == b),
            (Denoted::Term(_) | Denoted::Int(_) | Denoted::Real(_) | Denoted::Bool(_), _) => None,
        }
    }

    fn less(&mut self, a: SymId, b: SymId) -> Option<bool> {
        match (self.get(a)?, self.get(b)?) {
            (Denoted::Int(a), Denoted::Int(b)) => Some(a < b),
            (Denoted::Real(_), Denoted::Real(_)) => Some(self.compare_reals(a, b)? == Ordering::Less),
            (Denoted::Term(a), Denoted::Term(b)) if a.is_atom() && b.is_atom() => {
                Some(a.as_atom().compare_names(b.as_atom()) == Ordering::Less)
            }
            (Denoted::Term(_) | Denoted::Int(_) | Denoted::Real(_) | Denoted::Bool(_), _) => None,
        }
    }

    /// Two conditions of which one decides alone if it has the value `decides`.
    fn both(&self, a: SymId, b: SymId, decides: bool) -> Option<bool> {
        match (self.bool(a), self.bool(b)) {
            (Some(one), _) | (_, Some(one)) if one == decides => Some(decides),
            (Some(_), Some(_)) => Some(!decides),
            (Some(_) | None, None) | (None, Some(_)) => None,
        }
    }
}

/// A result beyond all floats is infinite here: that there is none is a condition of its own.
fn a_number(float: f64) -> Option<Denoted> {
    (!float.is_nan()).then_some(Denoted::Real(float))
}
