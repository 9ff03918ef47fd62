//! The simplifying constructors: the only way to make an expression.
//!
//! They fold constants, cancel a projection against its constructor, answer type tests that the structure decides, and put operands
//! into one order, so that the same question asked twice is the same expression.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::arena::{Arena, SymId};
use super::expr::{Expr, Sort};
use super::maps::MapExpr;
use super::tags::Tags;
use crate::term::{AtomId, Packed};

impl Arena {
    // Constants and inputs

    pub fn input(&mut self, number: u32) -> SymId {
        self.intern(Expr::Input(number))
    }

    pub fn nil(&mut self) -> SymId {
        self.intern(Expr::Nil)
    }

    pub fn atom(&mut self, atom: AtomId) -> SymId {
        self.intern(Expr::Atom(atom))
    }

    pub fn opaque_term(&mut self, term: Packed, tags: Tags) -> SymId {
        let id = self.intern_opaque(term);
        self.intern(Expr::Opaque(id, tags))
    }

    pub fn int(&mut self, i: impl Into<BigInt>) -> SymId {
        self.intern(Expr::Int(i.into()))
    }

    pub fn real(&mut self, float: f64) -> SymId {
        // -0.0 is one number with 0.0 for the solver.
        self.intern(Expr::Real((float + 0.0).to_bits()))
    }

    pub fn truth(&mut self, b: bool) -> SymId {
        self.intern(if b { Expr::True } else { Expr::False })
    }

    // Terms

    pub fn cons(&mut self, head: SymId, tail: SymId) -> SymId {
        if let (Expr::Head(a), Expr::Tail(b)) = (self.get(head), self.get(tail))
            && a == b
        {
            return *a;
        }
        self.intern(Expr::Cons(head, tail))
    }

    pub fn tuple(&mut self, elements: Vec<SymId>) -> SymId {
        self.intern(Expr::Tuple(elements.into_boxed_slice()))
    }

    pub fn head(&mut self, cons: SymId) -> SymId {
        match self.get(cons) {
            Expr::Cons(head, _) => *head,
            _ => self.intern(Expr::Head(cons)),
        }
    }

    pub fn tail(&mut self, cons: SymId) -> SymId {
        match self.get(cons) {
            Expr::Cons(_, tail) => *tail,
            _ => self.intern(Expr::Tail(cons)),
        }
    }

    pub fn element(&mut self, tuple: SymId, index: u32) -> SymId {
        let known = match self.get(tuple) {
            Expr::Tuple(elements) => elements.get(index as usize).copied(),
            _ => None,
        };
        known.unwrap_or_else(|| self.intern(Expr::Element(tuple, index)))
    }

    /// The expression as a term, whatever its sort.
    pub fn term(&mut self, id: SymId) -> SymId {
        match (self.sort(id), self.get(id)) {
            (Sort::Term, _) => id,
            (Sort::Int, Expr::IntOf(term)) | (Sort::Real, Expr::RealOf(term)) => *term,
            (Sort::Int, _) => self.intern(Expr::OfInt(id)),
            (Sort::Real, _) => self.intern(Expr::OfReal(id)),
            (Sort::Bool, Expr::True) => self.atom(AtomId::TRUE),
            (Sort::Bool, Expr::False) => self.atom(AtomId::FALSE),
            (Sort::Bool, _) => self.intern(Expr::OfBool(id)),
        }
    }

    /// The integer of a term that is one.
    pub fn int_of(&mut self, id: SymId) -> SymId {
        match (self.sort(id), self.get(id)) {
            (Sort::Int, _) => id,
            (_, Expr::OfInt(int)) => *int,
            _ => self.intern(Expr::IntOf(id)),
        }
    }

    /// The float of a term that is one.
    pub fn real_of(&mut self, id: SymId) -> SymId {
        match (self.sort(id), self.get(id)) {
            (Sort::Real, _) => id,
            (_, Expr::OfReal(real)) => *real,
            _ => self.intern(Expr::RealOf(id)),
        }
    }

    /// The condition that this value is `true`.
    pub fn is_true(&mut self, id: SymId) -> SymId {
        match (self.sort(id), self.get(id)) {
            (Sort::Bool, _) => id,
            (_, Expr::OfBool(condition)) => *condition,
            _ => {
                let yes = self.atom(AtomId::TRUE);
                self.eq(id, yes)
            }
        }
    }

    /// The types that the structure of the expression leaves open.
    pub fn tags(&self, id: SymId) -> Tags {
        match self.sort(id) {
            Sort::Int => Tags::INT,
            Sort::Real => Tags::FLOAT,
            Sort::Bool => Tags::ATOM,
            Sort::Term => match self.get(id) {
                Expr::Atom(_) | Expr::OfBool(_) => Tags::ATOM,
                Expr::Nil => Tags::NIL,
                Expr::Opaque(_, tags) => *tags,
                Expr::Cons(..) => Tags::CONS,
                Expr::Tuple(_) => Tags::TUPLE,
                Expr::OfInt(_) => Tags::INT,
                Expr::OfReal(_) => Tags::FLOAT,
                Expr::Bits(_) => Tags::BITS,
                Expr::Map(map) => map.tags(),
                Expr::AtomNamed(_) => Tags::ATOM,
                Expr::AtomName(_) => Tags::LIST,
                Expr::Tail(list) if self.is_in_name(*list) => Tags::LIST,
                Expr::Head(list) if self.is_in_name(*list) => Tags::INT,
                _ => Tags::ANY,
            },
        }
    }

    /// True for an expression with no input in it that is decided by its outermost node.
    pub fn is_constant(&self, id: SymId) -> bool {
        match self.get(id) {
            Expr::Atom(_) | Expr::Nil | Expr::Opaque(..) | Expr::Int(_) | Expr::Real(_) | Expr::True | Expr::False => {
                true
            }
            Expr::OfInt(inner) | Expr::OfReal(inner) => self.is_constant(*inner),
            _ => false,
        }
    }

    // Arithmetic

    fn int_pair(&self, a: SymId, b: SymId) -> Option<(&BigInt, &BigInt)> {
        match (self.get(a), self.get(b)) {
            (Expr::Int(a), Expr::Int(b)) => Some((a, b)),
            _ => None,
        }
    }

    fn as_int(&self, id: SymId) -> Option<&BigInt> {
        match self.get(id) {
            Expr::Int(i) => Some(i),
            _ => None,
        }
    }

    /// `x + c` as `(x, c)`: the constant part of a sum stands last.
    fn offset(&self, id: SymId) -> (SymId, BigInt) {
        match self.get(id) {
            Expr::Add(x, c) => match self.as_int(*c) {
                Some(c) => (*x, c.clone()),
                None => (id, BigInt::zero()),
            },
            _ => (id, BigInt::zero()),
        }
    }

    fn plus_constant(&mut self, x: SymId, c: BigInt) -> SymId {
        if let Some(i) = self.as_int(x) {
            let sum = i + c;
            return self.int(sum);
        }
        let (base, before) = self.offset(x);
        let sum = before + c;
        if sum.is_zero() {
            return base;
        }
        let constant = self.int(sum);
        self.intern(Expr::Add(base, constant))
    }

    pub fn add(&mut self, a: SymId, b: SymId) -> SymId {
        match (self.as_int(a).cloned(), self.as_int(b).cloned()) {
            (_, Some(c)) => self.plus_constant(a, c),
            (Some(c), None) => self.plus_constant(b, c),
            (None, None) => {
                let (a, b) = (a.min(b), a.max(b));
                self.intern(Expr::Add(a, b))
            }
        }
    }

    pub fn sub(&mut self, a: SymId, b: SymId) -> SymId {
        match self.as_int(b).cloned() {
            Some(c) => self.plus_constant(a, -c),
            None if a == b && self.sort(a) == Sort::Int => self.int(0),
            None => self.intern(Expr::Sub(a, b)),
        }
    }

    pub fn mul(&mut self, a: SymId, b: SymId) -> SymId {
        if let Some((x, y)) = self.int_pair(a, b) {
            let product = x * y;
            return self.int(product);
        }
        let (a, b) = if self.as_int(a).is_some() { (b, a) } else { (a, b) };
        match self.as_int(b) {
            Some(c) if c.is_zero() => b,
            Some(c) if c.is_one() => a,
            _ => self.intern(Expr::Mul(a, b)),
        }
    }

    /// Division towards zero; the divisor is not zero on this path.
    pub fn div(&mut self, a: SymId, b: SymId) -> SymId {
        match self.int_pair(a, b) {
            Some((x, y)) if !y.is_zero() => {
                let quotient = x / y;
                self.int(quotient)
            }
            _ if self.as_int(b).is_some_and(One::is_one) => a,
            _ => self.intern(Expr::Div(a, b)),
        }
    }

    pub fn rem(&mut self, a: SymId, b: SymId) -> SymId {
        match self.int_pair(a, b) {
            Some((x, y)) if !y.is_zero() => {
                let remainder = x % y;
                self.int(remainder)
            }
            _ => self.intern(Expr::Rem(a, b)),
        }
    }

    pub fn quotient(&mut self, a: SymId, b: SymId) -> SymId {
        self.intern(Expr::Quotient(a, b))
    }

    pub fn to_real(&mut self, int: SymId) -> SymId {
        match self.as_int(int).and_then(|i| i64::try_from(i).ok()).filter(|i| i.unsigned_abs() <= 1 << 53) {
            Some(i) => self.real(i as f64),
            None => self.intern(Expr::ToReal(int)),
        }
    }

    // Conditions

    pub fn is(&mut self, id: SymId, tags: Tags) -> SymId {
        let open = self.tags(id);
        if tags.contains(open) {
            self.truth(true)
        } else if !tags.meets(open) {
            self.truth(false)
        } else {
            self.intern(Expr::Is(id, tags))
        }
    }

    pub fn arity(&mut self, id: SymId, size: u32) -> SymId {
        match self.get(id) {
            Expr::Tuple(elements) => {
                let same = elements.len() == size as usize;
                self.truth(same)
            }
            _ if !self.tags(id).meets(Tags::TUPLE) => self.truth(false),
            _ => self.intern(Expr::Arity(id, size)),
        }
    }

    /// Equality of two expressions; sorts may differ, terms of different types are not equal. Structures are compared part by part.
    pub fn eq(&mut self, a: SymId, b: SymId) -> SymId {
        let mut all = self.truth(true);
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            match (self.get(a), self.get(b)) {
                _ if a == b => {}
                (Expr::Cons(h1, t1), Expr::Cons(h2, t2)) => pairs.extend([(*t1, *t2), (*h1, *h2)]),
                (Expr::Tuple(xs), Expr::Tuple(ys)) if xs.len() == ys.len() => {
                    pairs.extend(xs.iter().copied().zip(ys.iter().copied()).rev());
                }
                _ => {
                    let same = self.eq_part(a, b);
                    all = self.and(all, same);
                }
            }
            if matches!(self.get(all), Expr::False) {
                return all;
            }
        }
        all
    }

    fn eq_part(&mut self, a: SymId, b: SymId) -> SymId {
        if a == b {
            return self.truth(true);
        }
        if !self.tags(a).meets(self.tags(b)) {
            return self.truth(false);
        }
        match (self.sort(a), self.sort(b)) {
            (Sort::Bool, Sort::Bool) => self.eq_bool(a, b),
            (Sort::Int, Sort::Int) => self.eq_int(a, b),
            (Sort::Real, Sort::Real) => self.eq_flat(a, b),
            _ => self.eq_term(a, b),
        }
    }

    fn eq_bool(&mut self, a: SymId, b: SymId) -> SymId {
        let not_b = self.not(b);
        let both = self.and(a, b);
        let not_a = self.not(a);
        let neither = self.and(not_a, not_b);
        self.or(both, neither)
    }

    fn eq_int(&mut self, a: SymId, b: SymId) -> SymId {
        let (x, c) = self.offset(a);
        let (y, d) = self.offset(b);
        match (self.as_int(x).cloned(), self.as_int(y).cloned()) {
            (Some(i), Some(j)) => self.truth(i + c == j + d),
            (Some(i), None) => {
                let constant = self.int(i + c - d);
                self.eq_flat(y, constant)
            }
            (None, Some(j)) => {
                let constant = self.int(j + d - c);
                self.eq_flat(x, constant)
            }
            (None, None) if x == y => self.truth(c == d),
            (None, None) => self.eq_flat(a, b),
        }
    }

    fn eq_term(&mut self, a: SymId, b: SymId) -> SymId {
        let (a, b) = (self.term(a), self.term(b));
        if a == b {
            return self.truth(true);
        }
        match (self.get(a), self.get(b)) {
            (Expr::OfInt(x), Expr::OfInt(y)) => {
                let (x, y) = (*x, *y);
                self.eq_int(x, y)
            }
            (Expr::OfReal(x), Expr::OfReal(y)) => {
                let (x, y) = (*x, *y);
                self.eq_flat(x, y)
            }
            (Expr::OfBool(x), Expr::OfBool(y)) => {
                let (x, y) = (*x, *y);
                self.eq_bool(x, y)
            }
            (Expr::OfBool(x), Expr::Atom(atom)) | (Expr::Atom(atom), Expr::OfBool(x)) => {
                let (x, atom) = (*x, *atom);
                match atom {
                    AtomId::TRUE => x,
                    AtomId::FALSE => self.not(x),
                    _ => self.truth(false),
                }
            }
            (Expr::Tuple(_), Expr::Tuple(_)) => self.truth(false),
            _ if self.is_constant(a) && self.is_constant(b) => self.truth(false),
            _ if self.is_apart(a, b) || self.is_apart(b, a) => self.truth(false),
            _ => self.eq_flat(a, b),
        }
    }

    /// True for a part of an input and a term with something in it that no input has.
    fn is_apart(&self, part: SymId, term: SymId) -> bool {
        self.has_made(term) && self.is_in_input(part)
    }

    /// True for an input, a part of one, and what a map among them has for a key. What a fun returns is not meant: it may be one of its arguments.
    fn is_in_input(&self, mut part: SymId) -> bool {
        loop {
            match self.get(part) {
                Expr::Input(_) => return true,
                Expr::Head(whole) | Expr::Tail(whole) | Expr::Element(whole, _) => part = *whole,
                Expr::Map(MapExpr::Get(whole, _) | MapExpr::Key(whole, _)) => part = *whole,
                _ => return false,
            }
        }
    }

    fn eq_flat(&mut self, a: SymId, b: SymId) -> SymId {
        if a == b {
            return self.truth(true);
        }
        if let (Expr::Real(x), Expr::Real(y)) = (self.get(a), self.get(b)) {
            let same = x == y;
            return self.truth(same);
        }
        // The constant second, else the older first.
        let (a, b) = if self.is_constant(a) || (!self.is_constant(b) && b < a) { (b, a) } else { (a, b) };
        self.intern(Expr::Eq(a, b))
    }

    /// `a < b` of two integers, two reals or two atoms.
    pub fn lt(&mut self, a: SymId, b: SymId) -> SymId {
        if a == b {
            return self.truth(false);
        }
        if let (Expr::Real(x), Expr::Real(y)) = (self.get(a), self.get(b)) {
            let less = f64::from_bits(*x) < f64::from_bits(*y);
            return self.truth(less);
        }
        match self.sort(a) {
            Sort::Int => {}
            Sort::Real => return self.intern(Expr::Lt(a, b)),
            Sort::Term | Sort::Bool => return self.lt_atoms(a, b),
        }
        let (x, c) = self.offset(a);
        let (y, d) = self.offset(b);
        match (self.as_int(x).cloned(), self.as_int(y).cloned()) {
            (Some(i), Some(j)) => self.truth(i + c < j + d),
            (Some(i), None) => {
                let constant = self.int(i + c - d);
                self.intern(Expr::Lt(constant, y))
            }
            (None, Some(j)) => {
                let constant = self.int(j + d - c);
                self.intern(Expr::Lt(x, constant))
            }
            (None, None) if x == y => self.truth(c < d),
            (None, None) => self.intern(Expr::Lt(a, b)),
        }
    }

    /// `a =< b` of two integers or two reals.
    pub fn le(&mut self, a: SymId, b: SymId) -> SymId {
        let greater = self.lt(b, a);
        self.not(greater)
    }

    pub fn not(&mut self, a: SymId) -> SymId {
        match self.get(a) {
            Expr::True => self.truth(false),
            Expr::False => self.truth(true),
            Expr::Not(inner) => *inner,
            Expr::Is(x, tags) => {
                let (x, rest) = (*x, !*tags);
                self.is(x, rest)
            }
            _ => self.intern(Expr::Not(a)),
        }
    }

    pub fn and(&mut self, a: SymId, b: SymId) -> SymId {
        match (self.get(a), self.get(b)) {
            (Expr::False, _) | (_, Expr::True) => a,
            (_, Expr::False) | (Expr::True, _) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => self.truth(false),
            (Expr::Is(x, tags), Expr::Is(y, other)) if x == y => {
                let (x, both) = (*x, *tags & *other);
                self.is(x, both)
            }
            _ => self.intern(Expr::And(a, b)),
        }
    }

    pub fn or(&mut self, a: SymId, b: SymId) -> SymId {
        match (self.get(a), self.get(b)) {
            (Expr::True, _) | (_, Expr::False) => a,
            (_, Expr::True) | (Expr::False, _) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => self.truth(true),
            (Expr::Is(x, tags), Expr::Is(y, other)) if x == y => {
                let (x, either) = (*x, *tags | *other);
                self.is(x, either)
            }
            _ => self.intern(Expr::Or(a, b)),
        }
    }

    fn are_opposite(&self, a: SymId, b: SymId) -> bool {
        matches!(self.get(a), Expr::Not(inner) if *inner == b) || matches!(self.get(b), Expr::Not(inner) if *inner == a)
    }
}
