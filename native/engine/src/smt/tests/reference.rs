//! What expressions mean, written down as plainly as possible.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, ToPrimitive};

use crate::sym::bitwise::BitOp;
use crate::sym::lift::tags_of;
use crate::sym::{Arena, BitsExpr, Expr, FunExpr, Function, Place, SymId, Tags};
use crate::term::{AtomId, Heap, Packed, Value, View, table};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Term {
    Int(BigInt),
    Float(f64),
    Atom(AtomId),
    Nil,
    Cons(Box<Term>, Box<Term>),
    Tuple(Vec<Term>),
    Opaque(Packed, Tags),
}

impl Term {
    pub(super) fn of(packed: &Packed) -> Term {
        let (heap, root) = packed.open();
        Term::read(&heap, root)
    }

    pub(super) fn int(i: i64) -> Term {
        Term::Int(BigInt::from(i))
    }

    pub(super) fn as_int(&self) -> &BigInt {
        let Term::Int(i) = self else { panic!("{self:?} is no integer") };
        i
    }

    fn read(heap: &Heap, value: Value) -> Term {
        match heap.view(value) {
            View::Small(_) | View::Big(_) => Term::Int(heap.integer(value).unwrap()),
            View::Float(float) => Term::Float(float),
            View::Atom(atom) => Term::Atom(atom),
            View::Nil => Term::Nil,
            View::Cons(_) => {
                Term::Cons(Box::new(Term::read(heap, heap.head(value))), Box::new(Term::read(heap, heap.tail(value))))
            }
            View::Tuple(_, arity) => {
                Term::Tuple((0..arity).map(|index| Term::read(heap, heap.element(value, index))).collect())
            }
            _ => Term::Opaque(Packed::pack(heap, value), tags_of(heap, value)),
        }
    }

    pub(super) fn tags(&self) -> Tags {
        match self {
            Term::Int(_) => Tags::INT,
            Term::Float(_) => Tags::FLOAT,
            Term::Atom(_) => Tags::ATOM,
            Term::Nil => Tags::NIL,
            Term::Cons(..) => Tags::CONS,
            Term::Tuple(_) => Tags::TUPLE,
            Term::Opaque(_, tags) => *tags,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Denoted {
    Term(Term),
    Int(BigInt),
    Real(f64),
    Bool(bool),
}

pub(super) fn holds(arena: &Arena, condition: SymId, inputs: &[Term]) -> bool {
    Evaluator { arena, inputs }.bool(condition)
}

struct Evaluator<'a> {
    arena: &'a Arena,
    inputs: &'a [Term],
}

impl Evaluator<'_> {
    fn bool(&self, id: SymId) -> bool {
        let Denoted::Bool(b) = self.eval(id) else { panic!("no condition") };
        b
    }

    fn int(&self, id: SymId) -> BigInt {
        let Denoted::Int(i) = self.eval(id) else { panic!("no integer") };
        i
    }

    fn real(&self, id: SymId) -> f64 {
        let Denoted::Real(r) = self.eval(id) else { panic!("no real") };
        r
    }

    fn term(&self, id: SymId) -> Term {
        let Denoted::Term(term) = self.eval(id) else { panic!("no term") };
        term
    }

    fn parts(&self, list: SymId) -> (Term, Term) {
        let Term::Cons(head, tail) = self.term(list) else { panic!("no list") };
        (*head, *tail)
    }

    fn arithmetic(
        &self,
        a: SymId,
        b: SymId,
        of_ints: fn(BigInt, BigInt) -> BigInt,
        of_reals: fn(f64, f64) -> f64,
    ) -> Denoted {
        match (self.eval(a), self.eval(b)) {
            (Denoted::Int(a), Denoted::Int(b)) => Denoted::Int(of_ints(a, b)),
            (Denoted::Real(a), Denoted::Real(b)) => Denoted::Real(of_reals(a, b)),
            other => panic!("{other:?}"),
        }
    }

    /// Funs are tables here, and their results are read from the table entry by entry.
    fn fun(&self, expr: &FunExpr) -> Denoted {
        let Term::Opaque(fun, Tags::FUN) = self.term(expr.fun()) else { panic!("no fun") };
        let (heap, fun) = fun.open();
        if matches!(expr, FunExpr::Arity(_)) {
            return Denoted::Int(BigInt::from(table::fun_arity(&heap, fun).unwrap()));
        }
        let Term::Tuple(content) = Term::read(&heap, table::content(&heap, fun).unwrap()) else { panic!("no table") };
        let wanted =
            expr.args().iter().rev().fold(Term::Nil, |list, arg| Term::Cons(self.term(*arg).into(), list.into()));
        let mut entries = content[0].clone();
        while let Term::Cons(entry, rest) = entries {
            match *entry {
                Term::Tuple(call) if matches!(expr, FunExpr::Call(..)) && call[0] == wanted => {
                    return Denoted::Term(call[1].clone());
                }
                _ => entries = *rest,
            }
        }
        Denoted::Term(content[1].clone())
    }

    fn eval(&self, id: SymId) -> Denoted {
        match self.arena.get(id) {
            Expr::Input(number) => Denoted::Term(self.inputs[*number as usize].clone()),
            Expr::Atom(atom) => Denoted::Term(Term::Atom(*atom)),
            Expr::Nil => Denoted::Term(Term::Nil),
            Expr::Opaque(opaque, tags) => {
                Denoted::Term(Term::Opaque(self.arena.opaque(*opaque).unwrap().clone(), *tags))
            }
            Expr::Cons(head, tail) => Denoted::Term(Term::Cons(Box::new(self.term(*head)), Box::new(self.term(*tail)))),
            Expr::Tuple(elements) => Denoted::Term(Term::Tuple(elements.iter().map(|id| self.term(*id)).collect())),
            Expr::OfInt(int) => Denoted::Term(Term::Int(self.int(*int))),
            Expr::OfReal(real) => Denoted::Term(Term::Float(self.real(*real))),
            Expr::OfBool(condition) => Denoted::Term(Term::Atom(AtomId::boolean(self.bool(*condition)))),
            Expr::Head(list) => Denoted::Term(self.parts(*list).0),
            Expr::Tail(list) => Denoted::Term(self.parts(*list).1),
            Expr::Element(tuple, index) => {
                let Term::Tuple(elements) = self.term(*tuple) else { panic!("no tuple") };
                Denoted::Term(elements[*index as usize].clone())
            }
            Expr::Fun(fun) => self.fun(fun),
            Expr::Int(int) => Denoted::Int(int.clone()),
            Expr::IntOf(term) => Denoted::Int(self.term(*term).as_int().clone()),
            Expr::Add(a, b) => self.arithmetic(*a, *b, |a, b| a + b, |a, b| a + b),
            Expr::Sub(a, b) => self.arithmetic(*a, *b, |a, b| a - b, |a, b| a - b),
            Expr::Mul(a, b) => self.arithmetic(*a, *b, |a, b| a * b, |a, b| a * b),
            Expr::Div(a, b) => Denoted::Int(self.int(*a) / self.int(*b)),
            Expr::Rem(a, b) => Denoted::Int(self.int(*a) % self.int(*b)),
            Expr::FloorDiv(a, b) => Denoted::Int(self.int(*a).div_floor(&self.int(*b))),
            Expr::Modulo(a, b) => Denoted::Int(self.int(*a).mod_floor(&self.int(*b))),
            Expr::Bitwise(BitOp::And, a, b, _) => Denoted::Int(self.int(*a) & self.int(*b)),
            Expr::Bitwise(BitOp::Or, a, b, _) => Denoted::Int(self.int(*a) | self.int(*b)),
            Expr::Bitwise(BitOp::Xor, a, b, _) => Denoted::Int(self.int(*a) ^ self.int(*b)),
            Expr::Rounded(how, real) => Denoted::Int(BigInt::from_f64(how.of_float(self.real(*real))).unwrap()),
            Expr::AtomName(atom) => {
                let Term::Atom(atom) = self.term(*atom) else { panic!("no atom") };
                let characters: Vec<char> = atom.name().chars().rev().collect();
                Denoted::Term(characters.into_iter().fold(Term::Nil, |rest, character| {
                    Term::Cons(Box::new(Term::int(i64::from(u32::from(character)))), Box::new(rest))
                }))
            }
            Expr::AtomNamed(list) => {
                let (mut name, mut rest) = (String::new(), self.term(*list));
                while let Term::Cons(head, tail) = rest {
                    name.push(char::from_u32(head.as_int().to_u32().unwrap()).unwrap());
                    rest = *tail;
                }
                Denoted::Term(Term::Atom(AtomId::intern(&name)))
            }
            Expr::Apply(Function::Math(math), args) => {
                Denoted::Real(math.of(self.real(args[0]), args.get(1).map_or(0.0, |arg| self.real(*arg))))
            }
            Expr::Apply(Function::Hash | Function::FloatOfBits(_) | Function::BitsOfFloat(_), _) => {
                panic!("hashes and floats in bitstrings are tested with whole programs")
            }
            Expr::Real(bits) => Denoted::Real(f64::from_bits(*bits)),
            Expr::RealOf(term) => {
                let Term::Float(float) = self.term(*term) else { panic!("no float") };
                Denoted::Real(float)
            }
            Expr::ToReal(int) => Denoted::Real(self.int(*int).to_f64().unwrap()),
            Expr::Quotient(a, b) => Denoted::Real(self.real(*a) / self.real(*b)),
            Expr::True => Denoted::Bool(true),
            Expr::False => Denoted::Bool(false),
            Expr::Is(term, tags) => Denoted::Bool(tags.contains(self.term(*term).tags())),
            Expr::Finite(real) => Denoted::Bool(self.real(*real).is_finite()),
            Expr::Arity(term, size) => {
                Denoted::Bool(matches!(self.term(*term), Term::Tuple(elements) if elements.len() == *size as usize))
            }
            Expr::Eq(a, b) => Denoted::Bool(self.eval(*a) == self.eval(*b)),
            Expr::Lt(a, b) => Denoted::Bool(match (self.eval(*a), self.eval(*b)) {
                (Denoted::Int(a), Denoted::Int(b)) => a < b,
                (Denoted::Real(a), Denoted::Real(b)) => a < b,
                (Denoted::Term(Term::Atom(a)), Denoted::Term(Term::Atom(b))) => a.name() < b.name(),
                other => panic!("{other:?}"),
            }),
            Expr::Not(a) => Denoted::Bool(!self.bool(*a)),
            Expr::And(a, b) => Denoted::Bool(self.bool(*a) && self.bool(*b)),
            Expr::Or(a, b) => Denoted::Bool(self.bool(*a) || self.bool(*b)),
            Expr::Bits(bits) => self.eval_bits(bits),
            Expr::Map(map) => panic!("{map:?} is evaluated by the engine itself"),
        }
    }

    fn eval_bits(&self, expr: &BitsExpr) -> Denoted {
        match expr {
            BitsExpr::Bytes(base) => Denoted::Int((self.bits(*base).len() / 8).into()),
            BitsExpr::Extra(base) => Denoted::Int((self.bits(*base).len() % 8).into()),
            BitsExpr::Field { base, at, size } => {
                let at = self.position(*at);
                Denoted::Int(unsigned(&self.bits(*base)[at..at + *size as usize]))
            }
            BitsExpr::Slice { value, low, size } => {
                let (value, power) = (self.int(*value), BigInt::from(2).pow(*low));
                Denoted::Int(value.div_floor(&power).mod_floor(&BigInt::from(2).pow(*size)))
            }
            BitsExpr::Signed { value, size } => {
                let value = self.int(*value);
                let half = BigInt::from(2).pow(*size - 1);
                Denoted::Int(if value >= half { value - half * 2 } else { value })
            }
            BitsExpr::Match { base, at, literal } => {
                let literal = bits_of(self.arena.opaque(*literal).unwrap());
                let at = self.position(*at);
                Denoted::Bool(self.bits(*base)[at..].starts_with(&literal))
            }
            BitsExpr::Part { .. } | BitsExpr::Cat(_) => panic!("{expr:?} is not asked about"),
        }
    }

    fn position(&self, place: Place) -> usize {
        self.int(place.bytes).to_usize().unwrap() * 8 + usize::from(place.bits)
    }

    fn bits(&self, id: SymId) -> Vec<bool> {
        let Term::Opaque(packed, Tags::BITS) = self.term(id) else { panic!("no bitstring") };
        bits_of(&packed)
    }
}

/// The bits of a bitstring, the first one first.
pub(super) fn bits_of(packed: &Packed) -> Vec<bool> {
    let (heap, value) = packed.open();
    let bits = heap.bits_of(value);
    let bytes = crate::term::bits::to_bytes(&heap, bits);
    (0..bits.length).map(|at| bytes[at / 8] >> (7 - at % 8) & 1 == 1).collect()
}

fn unsigned(bits: &[bool]) -> BigInt {
    bits.iter().fold(BigInt::from(0), |value, bit| value * 2 + u8::from(*bit))
}
