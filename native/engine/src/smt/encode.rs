//! Expressions as formulas of Z3.
//!
//! A projection of a term of another shape (`hd` of an integer) is any value at all to Z3. The machine only asks after the path has
//! established the shape, or beside the test in the same condition, so no answer depends on it.

use std::rc::Rc;
use std::str::FromStr;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use z3::ast::{Bool, Datatype, Dynamic, Int, Real};

use super::EncodeError;
use super::bits::Contents;
use super::constants::Constants;
use super::integers::Integers;
use super::maps::{EMPTY, Functions};
use super::rational::exact_fraction;
use super::scalars::constant;
use super::sorts::{Field, Shape, Sorts};
use crate::sym::lift::lift;
use crate::sym::{Arena, Expr, OpaqueId, SymId, Tags};
use crate::term::map::Map;
use crate::term::{AtomId, Heap, Packed, Value};

/// An encoded expression, by sort.
#[derive(Clone)]
pub(super) enum Node {
    Term(Datatype),
    Int(Int),
    Real(Real),
    Bool(Bool),
}

pub(super) type Result<T> = std::result::Result<T, EncodeError>;

pub(super) struct Encoder {
    pub(super) sorts: Rc<Sorts>,
    pub(super) constants: Constants,
    pub(super) contents: Contents,
    pub(super) functions: Functions,
    pub(super) integers: Integers,
    /// Whether nothing is taken for granted about how floats are rounded.
    pub(super) relaxed: bool,
    /// The arena that the numbers below are of.
    arena: Option<u64>,
    memo: FxHashMap<SymId, Node>,
    /// Of a term taken for a tuple: all its elements, those after the first, and so on.
    elements: FxHashMap<SymId, Vec<Datatype>>,
}

impl Encoder {
    pub(super) fn new() -> Result<Self> {
        let mut constants = Constants::default();
        constants.atoms.label(AtomId::TRUE);
        constants.atoms.label(AtomId::FALSE);
        let sorts = Sorts::of_thread()?;
        let functions = Functions::new(sorts.term_sort());
        Ok(Encoder {
            sorts,
            constants,
            contents: Contents::declare(),
            functions,
            integers: Integers::default(),
            relaxed: false,
            arena: None,
            memo: FxHashMap::default(),
            elements: FxHashMap::default(),
        })
    }

    /// From now on expressions are those of this arena. True if it is another one than before.
    pub(super) fn enter(&mut self, arena_id: u64) -> bool {
        let new = self.arena != Some(arena_id);
        if new {
            self.arena = Some(arena_id);
            self.memo = FxHashMap::default();
            self.elements = FxHashMap::default();
        }
        new
    }

    pub(super) fn condition(&mut self, arena: &Arena, id: SymId) -> Result<Bool> {
        self.encode(arena, id)?;
        self.bool(id)
    }

    /// The integer that an `IntOf` encoded before stands for.
    pub(super) fn encoded_int(&self, id: SymId) -> Option<&Int> {
        match self.memo.get(&id) {
            Some(Node::Int(int)) => Some(int),
            Some(Node::Term(_) | Node::Real(_) | Node::Bool(_)) | None => None,
        }
    }

    /// The term that an expression encoded before stands for.
    pub(super) fn encoded_term(&self, id: SymId) -> Option<&Datatype> {
        self.term(id).ok()
    }

    /// Encodes an expression after all that it is made of.
    pub(super) fn encode(&mut self, arena: &Arena, id: SymId) -> Result<()> {
        let is_known = |encoder: &Self, id| encoder.memo.contains_key(&id);
        arena.try_parts_first(id, self, is_known, |encoder, id| {
            let node = encoder.node(arena, id)?;
            encoder.memo.insert(id, node);
            Ok(())
        })
    }

    fn node(&mut self, arena: &Arena, id: SymId) -> Result<Node> {
        match arena.get(id) {
            Expr::Input(number) => Ok(Node::Term(self.sorts.input(*number))),
            Expr::Atom(atom) => self.atom(*atom).map(Node::Term),
            Expr::Nil => self.sorts.make(Shape::Nil, &[]).map(Node::Term),
            Expr::Opaque(opaque, tags) => self.opaque(arena, id, *opaque, *tags).map(Node::Term),
            Expr::Cons(head, tail) => self.cons(*head, *tail).map(Node::Term),
            Expr::Tuple(elements) => self.tuple(elements).map(Node::Term),
            Expr::OfInt(int) => self.sorts.make(Shape::Int, &[self.int(*int)?]).map(Node::Term),
            Expr::OfReal(real) => self.sorts.make(Shape::Float, &[self.real(*real)?]).map(Node::Term),
            Expr::OfBool(condition) => self.of_bool(*condition).map(Node::Term),
            Expr::Head(list) => self.sorts.term_part(Field::Head, self.term(*list)?).map(Node::Term),
            Expr::Tail(list) => self.sorts.term_part(Field::Tail, self.term(*list)?).map(Node::Term),
            Expr::Element(tuple, index) => self.element(*tuple, *index).map(Node::Term),
            Expr::Fun(fun) => self.fun_node(fun),
            Expr::Int(int) => integer(int).map(Node::Int),
            Expr::IntOf(term) => self.sorts.integer(self.term(*term)?).map(Node::Int),
            Expr::Add(a, b) => self.arithmetic(arena, (*a, *b), |a, b| a + b, |a, b| a + b),
            Expr::Sub(a, b) => self.arithmetic(arena, (*a, *b), |a, b| a - b, |a, b| a - b),
            Expr::Mul(a, b) => self.arithmetic(arena, (*a, *b), |a, b| a * b, |a, b| a * b),
            Expr::Div(a, b) if constant(arena, *b).is_none() => Ok(Node::Int(self.unknown_division(*a, *b)?.0)),
            Expr::Rem(a, b) if constant(arena, *b).is_none() => Ok(Node::Int(self.unknown_division(*a, *b)?.1)),
            Expr::Div(a, b) => self.truncated(*a, *b, |a, b| a.div(b)).map(Node::Int),
            Expr::Rem(a, b) => self.truncated(*a, *b, |a, b| a.modulo(b)).map(Node::Int),
            Expr::FloorDiv(a, b) => Ok(Node::Int(self.int(*a)?.div(self.int(*b)?))),
            Expr::Modulo(a, b) => self.modulo(arena, *a, *b).map(Node::Int),
            Expr::Bitwise(op, a, b, width) => self.bitwise(arena, *op, (*a, *b), *width).map(Node::Int),
            Expr::Rounded(how, real) => self.rounded(*how, *real).map(Node::Int),
            Expr::AtomName(atom) => self.atom_name(*atom).map(Node::Term),
            Expr::AtomNamed(list) => self.atom_named(*list).map(Node::Term),
            Expr::Apply(function, args) => self.applied(*function, args),
            Expr::Real(bits) => float(*bits).map(Node::Real),
            Expr::RealOf(term) => self.sorts.number(self.term(*term)?).map(Node::Real),
            Expr::ToReal(int) => Ok(Node::Real(self.int(*int)?.to_real())),
            Expr::Quotient(a, b) => {
                let exact = self.operand(arena, *a)?.div(self.operand(arena, *b)?);
                self.rounded_result(exact).map(Node::Real)
            }
            Expr::True => Ok(Node::Bool(Bool::from_bool(true))),
            Expr::False => Ok(Node::Bool(Bool::from_bool(false))),
            Expr::Is(term, tags) => self.sorts.is_any(*tags, self.term(*term)?).map(Node::Bool),
            Expr::Finite(real) => self.finite(*real).map(Node::Bool),
            Expr::Arity(term, size) => self.arity(*term, *size).map(Node::Bool),
            Expr::Eq(a, b) => self.eq(*a, *b).map(Node::Bool),
            Expr::Lt(a, b) => self.lt(*a, *b).map(Node::Bool),
            Expr::Not(a) => Ok(Node::Bool(self.bool(*a)?.not())),
            Expr::And(a, b) => Ok(Node::Bool(Bool::and(&[self.bool(*a)?, self.bool(*b)?]))),
            Expr::Or(a, b) => Ok(Node::Bool(Bool::or(&[self.bool(*a)?, self.bool(*b)?]))),
            Expr::Bits(bits) => self.bits_node(arena, bits),
            Expr::Map(map) => self.map_node(map),
        }
    }
}

// Encoded parts, by the sort that is needed

impl Encoder {
    pub(super) fn term(&self, id: SymId) -> Result<&Datatype> {
        match self.memo.get(&id) {
            Some(Node::Term(term)) => Ok(term),
            Some(Node::Int(_) | Node::Real(_) | Node::Bool(_)) | None => Err(EncodeError::Sort(id)),
        }
    }

    pub(super) fn int(&self, id: SymId) -> Result<&Int> {
        self.encoded_int(id).ok_or(EncodeError::Sort(id))
    }

    pub(super) fn real(&self, id: SymId) -> Result<&Real> {
        match self.memo.get(&id) {
            Some(Node::Real(real)) => Ok(real),
            Some(Node::Term(_) | Node::Int(_) | Node::Bool(_)) | None => Err(EncodeError::Sort(id)),
        }
    }

    pub(super) fn bool(&self, id: SymId) -> Result<Bool> {
        match self.memo.get(&id) {
            Some(Node::Bool(condition)) => Ok(condition.clone()),
            Some(Node::Term(_) | Node::Int(_) | Node::Real(_)) | None => Err(EncodeError::Sort(id)),
        }
    }

    /// A term, integer or real.
    pub(super) fn dynamic(&self, id: SymId) -> Result<Dynamic> {
        match self.memo.get(&id) {
            Some(Node::Term(term)) => Ok(term.into()),
            Some(Node::Int(int)) => Ok(int.into()),
            Some(Node::Real(real)) => Ok(real.into()),
            Some(Node::Bool(_)) | None => Err(EncodeError::Sort(id)),
        }
    }

    fn same_sort(&self, a: SymId, b: SymId) -> Result<(&Node, &Node)> {
        let node = |id| self.memo.get(&id).ok_or(EncodeError::Sort(id));
        Ok((node(a)?, node(b)?))
    }
}

// Nodes

impl Encoder {
    pub(super) fn atom(&mut self, atom: AtomId) -> Result<Datatype> {
        let label = self.constants.atoms.label(atom).ok_or(EncodeError::Crowded)?;
        self.sorts.make(Shape::Atom, &[&Int::from_i64(label)])
    }

    fn opaque(&mut self, arena: &Arena, id: SymId, opaque: OpaqueId, tags: Tags) -> Result<Datatype> {
        let shape = Shape::of_tag(tags).ok_or(EncodeError::Sort(id))?;
        let term = arena.opaque(opaque).ok_or(EncodeError::Sort(id))?;
        self.opaque_number(term, shape)
    }

    fn opaque_number(&mut self, term: &Packed, shape: Shape) -> Result<Datatype> {
        let number = match shape {
            Shape::Map => self.map_number(term),
            _ => i64::from(self.constants.number(term, shape)),
        };
        self.sorts.make(shape, &[&Int::from_i64(number)])
    }

    /// The number of a constant map.
    pub(super) fn map_number(&mut self, term: &Packed) -> i64 {
        let (heap, root) = term.open();
        let is_empty = Map::of(&heap, root).is_some_and(|map| map.size == 0);
        if is_empty { EMPTY } else { i64::from(self.constants.number(term, Shape::Map)) }
    }

    /// The term of a value without expressions.
    pub(super) fn constant(&mut self, heap: &Heap, value: Value) -> Result<Datatype> {
        let mut arena = Arena::default();
        let id = lift(&mut arena, heap, value, &mut Vec::new());
        let mut nodes: FxHashMap<SymId, Node> = FxHashMap::default();
        std::mem::swap(&mut self.memo, &mut nodes);
        let encoded = self.encode(&arena, id).and_then(|()| self.term(id).cloned());
        std::mem::swap(&mut self.memo, &mut nodes);
        encoded
    }

    fn cons(&self, head: SymId, tail: SymId) -> Result<Datatype> {
        self.sorts.make(Shape::Cons, &[self.term(head)?, self.term(tail)?])
    }

    fn tuple(&self, elements: &[SymId]) -> Result<Datatype> {
        let elements = elements.iter().map(|id| self.term(*id)).collect::<Result<Vec<_>>>()?;
        self.sorts.tuple(elements.into_iter())
    }

    fn of_bool(&mut self, condition: SymId) -> Result<Datatype> {
        let (yes, no) = (self.atom(AtomId::TRUE)?, self.atom(AtomId::FALSE)?);
        Ok(self.bool(condition)?.ite(&yes, &no))
    }

    /// What is left of a tuple's elements without the first `index`.
    fn elements_from(&mut self, tuple: SymId, index: u32) -> Result<Datatype> {
        let all = self.sorts.term_part(Field::Elements, self.term(tuple)?)?;
        let known = self.elements.entry(tuple).or_insert_with(|| vec![all.clone()]);
        let mut last = known.last().cloned().unwrap_or(all);
        while known.len() <= index as usize {
            last = self.sorts.rest(&last)?;
            known.push(last.clone());
        }
        known.get(index as usize).cloned().ok_or(EncodeError::Datatype)
    }

    fn element(&mut self, tuple: SymId, index: u32) -> Result<Datatype> {
        let elements = self.elements_from(tuple, index)?;
        self.sorts.first(&elements)
    }

    fn arity(&mut self, term: SymId, size: u32) -> Result<Bool> {
        let end = self.elements_from(term, size)?;
        let mut all = vec![self.sorts.is(Shape::Tuple, self.term(term)?)?];
        for elements in self.elements.get(&term).into_iter().flatten().take(size as usize) {
            all.push(self.sorts.is_more(elements)?);
        }
        all.push(self.sorts.is_end(&end)?);
        Ok(Bool::and(&all))
    }

    fn arithmetic(
        &self,
        arena: &Arena,
        (a, b): (SymId, SymId),
        of_ints: fn(&Int, &Int) -> Int,
        of_reals: fn(Real, Real) -> Real,
    ) -> Result<Node> {
        match self.same_sort(a, b)? {
            (Node::Int(a), Node::Int(b)) => Ok(Node::Int(of_ints(a, b))),
            (Node::Real(_), Node::Real(_)) => {
                let exact = of_reals(self.operand(arena, a)?, self.operand(arena, b)?);
                self.rounded_result(exact).map(Node::Real)
            }
            (Node::Term(_) | Node::Int(_) | Node::Real(_) | Node::Bool(_), _) => Err(EncodeError::Sort(b)),
        }
    }

    /// Quotient or remainder rounded towards zero. Those of Z3 leave a remainder that is never negative, which is the same for
    /// dividends that are not negative; for the others both change sign with the dividend.
    fn truncated(&self, dividend: SymId, divisor: SymId, operation: fn(&Int, &Int) -> Int) -> Result<Int> {
        let (dividend, divisor) = (self.int(dividend)?, self.int(divisor)?);
        let opposite = operation(&dividend.unary_minus(), divisor).unary_minus();
        Ok(dividend.ge(0).ite(&operation(dividend, divisor), &opposite))
    }

    fn eq(&self, a: SymId, b: SymId) -> Result<Bool> {
        match self.same_sort(a, b)? {
            (Node::Term(a), Node::Term(b)) => Ok(a.eq(b)),
            (Node::Int(a), Node::Int(b)) => Ok(a.eq(b)),
            (Node::Real(a), Node::Real(b)) => Ok(a.eq(b)),
            (Node::Bool(a), Node::Bool(b)) => Ok(a.eq(b)),
            (Node::Term(_) | Node::Int(_) | Node::Real(_) | Node::Bool(_), _) => Err(EncodeError::Sort(b)),
        }
    }

    fn lt(&mut self, a: SymId, b: SymId) -> Result<Bool> {
        match self.same_sort(a, b)? {
            (Node::Term(_), Node::Term(_)) => self.lt_atoms(a, b),
            (Node::Int(a), Node::Int(b)) => Ok(a.lt(b)),
            (Node::Real(a), Node::Real(b)) => Ok(a.lt(b)),
            (Node::Term(_) | Node::Int(_) | Node::Real(_) | Node::Bool(_), _) => Err(EncodeError::Sort(b)),
        }
    }
}

pub(super) fn integer(int: &BigInt) -> Result<Int> {
    match i64::try_from(int) {
        Ok(small) => Ok(Int::from_i64(small)),
        Err(_) => Int::from_str(&int.to_string()).map_err(|()| EncodeError::Numeral),
    }
}

pub(super) fn float(bits: u64) -> Result<Real> {
    let (numerator, denominator) = exact_fraction(f64::from_bits(bits));
    Real::from_rational_str(&numerator.to_string(), &denominator.to_string()).ok_or(EncodeError::Numeral)
}
