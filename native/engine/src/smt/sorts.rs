//! The datatype that stands for Erlang's terms, and the functions Z3 makes for it.
//!
//! ```text
//! Term  = int(i: Int) | flt(r: Real) | atom(a: Int) | nil | cons(hd: Term, tl: Term) | tup(elems: Elems)
//!       | bits(id) | map(id) | fun(id) | reference(id) | port(id) | pid(id)
//! Elems = enil | econs(ehd: Term, etl: Elems)
//! ```
//!
//! Lists may be improper. A tuple is as long as its elements: a size beside them could only contradict them. Types without an inside
//! are a number each, see [`super::constants`]. Integers come first, because Z3 completes a model with the first constructor.

use std::rc::Rc;

use z3::ast::{Ast, Bool, Datatype, Dynamic, Int, Real};
use z3::datatype_builder::create_datatypes;
use z3::{DatatypeAccessor, DatatypeBuilder, DatatypeSort, DatatypeVariant, Sort};

use super::EncodeError;
use crate::sym::Tags;

/// The constructors of `Term`, one for each type tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Int,
    Float,
    Atom,
    Nil,
    Cons,
    Tuple,
    Bits,
    Map,
    Fun,
    Reference,
    Port,
    Pid,
}

/// In the order of declaration, with the names in Z3 and the tags.
const SHAPES: [(Shape, &str, Tags); 12] = [
    (Shape::Int, "int", Tags::INT),
    (Shape::Float, "flt", Tags::FLOAT),
    (Shape::Atom, "atom", Tags::ATOM),
    (Shape::Nil, "nil", Tags::NIL),
    (Shape::Cons, "cons", Tags::CONS),
    (Shape::Tuple, "tup", Tags::TUPLE),
    (Shape::Bits, "bits", Tags::BITS),
    (Shape::Map, "map", Tags::MAP),
    (Shape::Fun, "fun", Tags::FUN),
    (Shape::Reference, "reference", Tags::REFERENCE),
    (Shape::Port, "port", Tags::PORT),
    (Shape::Pid, "pid", Tags::PID),
];

impl Shape {
    pub(super) fn of_name(name: &str) -> Option<Shape> {
        SHAPES.iter().find(|(_, shape_name, _)| *shape_name == name).map(|(shape, ..)| *shape)
    }

    /// The shape of a set of one tag.
    pub(super) fn of_tag(tag: Tags) -> Option<Shape> {
        SHAPES.iter().find(|(.., shape_tag)| *shape_tag == tag).map(|(shape, ..)| *shape)
    }
}

/// What a term is made of, by constructor.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Integer,
    Number,
    Head,
    Tail,
    Elements,
}

impl Field {
    const fn place(self) -> (Shape, usize) {
        match self {
            Field::Integer => (Shape::Int, 0),
            Field::Number => (Shape::Float, 0),
            Field::Head => (Shape::Cons, 0),
            Field::Tail => (Shape::Cons, 1),
            Field::Elements => (Shape::Tuple, 0),
        }
    }
}

pub(super) struct Sorts {
    term: DatatypeSort,
    elements: DatatypeSort,
}

thread_local! {
    // A context of Z3 belongs to its thread and so do its sorts: declaring them twice would give two `Term`s of one name.
    static SORTS: Option<Rc<Sorts>> = Sorts::declare().map(Rc::new);
}

type Result<T> = std::result::Result<T, EncodeError>;

impl Sorts {
    /// The sorts of this thread's context.
    pub(super) fn of_thread() -> Result<Rc<Sorts>> {
        SORTS.with(|sorts| sorts.clone()).ok_or(EncodeError::Datatype)
    }

    fn declare() -> Option<Sorts> {
        let terms = SHAPES.iter().fold(DatatypeBuilder::new("Term"), |builder, (shape, name, _)| {
            builder.variant(name, Self::fields(*shape))
        });
        let elements = DatatypeBuilder::new("Elems").variant("enil", vec![]).variant(
            "econs",
            vec![("ehd", DatatypeAccessor::datatype("Term")), ("etl", DatatypeAccessor::datatype("Elems"))],
        );
        let mut declared = create_datatypes(vec![terms, elements]).into_iter();
        Some(Sorts { term: declared.next()?, elements: declared.next()? })
    }

    fn fields(shape: Shape) -> Vec<(&'static str, DatatypeAccessor)> {
        let int = || DatatypeAccessor::sort(Sort::int());
        match shape {
            Shape::Int => vec![("i", int())],
            Shape::Float => vec![("r", DatatypeAccessor::sort(Sort::real()))],
            Shape::Atom => vec![("a", int())],
            Shape::Nil => vec![],
            Shape::Cons => vec![("hd", DatatypeAccessor::datatype("Term")), ("tl", DatatypeAccessor::datatype("Term"))],
            Shape::Tuple => vec![("elems", DatatypeAccessor::datatype("Elems"))],
            Shape::Bits => vec![("bits_id", int())],
            Shape::Map => vec![("map_id", int())],
            Shape::Fun => vec![("fun_id", int())],
            Shape::Reference => vec![("reference_id", int())],
            Shape::Port => vec![("port_id", int())],
            Shape::Pid => vec![("pid_id", int())],
        }
    }

    pub(super) fn term_sort(&self) -> &Sort {
        &self.term.sort
    }

    fn variant(&self, shape: Shape) -> Result<&DatatypeVariant> {
        self.term.variants.get(shape as usize).ok_or(EncodeError::Datatype)
    }

    pub(super) fn input(&self, number: u32) -> Datatype {
        Datatype::new_const(format!("x{number}"), &self.term.sort)
    }

    pub(super) fn make(&self, shape: Shape, parts: &[&dyn Ast]) -> Result<Datatype> {
        datatype(self.variant(shape)?.constructor.apply(parts))
    }

    /// The tuple of these elements.
    pub(super) fn tuple<'a>(&self, elements: impl DoubleEndedIterator<Item = &'a Datatype>) -> Result<Datatype> {
        let [nil, cons] = self.element_variants()?;
        let mut chain = datatype(nil.constructor.apply(&[]))?;
        for element in elements.rev() {
            chain = datatype(cons.constructor.apply(&[element, &chain]))?;
        }
        self.make(Shape::Tuple, &[&chain])
    }

    fn element_variants(&self) -> Result<[&DatatypeVariant; 2]> {
        match self.elements.variants.as_slice() {
            [nil, cons] => Ok([nil, cons]),
            _ => Err(EncodeError::Datatype),
        }
    }

    pub(super) fn is(&self, shape: Shape, term: &Datatype) -> Result<Bool> {
        test(self.variant(shape)?, term)
    }

    /// Whether the term is of one of the types: the shorter of the set and its complement.
    pub(super) fn is_any(&self, tags: Tags, term: &Datatype) -> Result<Bool> {
        let rest = !tags;
        if rest.each().count() < tags.each().count() {
            return Ok(self.one_of(rest, term)?.not());
        }
        self.one_of(tags, term)
    }

    fn one_of(&self, tags: Tags, term: &Datatype) -> Result<Bool> {
        let mut tests = tags
            .each()
            .map(|tag| self.is(Shape::of_tag(tag).ok_or(EncodeError::Datatype)?, term))
            .collect::<Result<Vec<_>>>()?;
        match tests.pop() {
            Some(only) if tests.is_empty() => Ok(only),
            Some(last) => {
                tests.push(last);
                Ok(Bool::or(&tests))
            }
            None => Ok(Bool::from_bool(false)),
        }
    }

    fn field(&self, shape: Shape, index: usize, term: &Datatype) -> Result<Dynamic> {
        let accessor = self.variant(shape)?.accessors.get(index).ok_or(EncodeError::Datatype)?;
        Ok(accessor.apply(&[term]))
    }

    pub(super) fn part(&self, field: Field, term: &Datatype) -> Result<Dynamic> {
        let (shape, index) = field.place();
        self.field(shape, index, term)
    }

    pub(super) fn term_part(&self, field: Field, term: &Datatype) -> Result<Datatype> {
        datatype(self.part(field, term)?)
    }

    pub(super) fn integer(&self, term: &Datatype) -> Result<Int> {
        self.part(Field::Integer, term)?.as_int().ok_or(EncodeError::Datatype)
    }

    pub(super) fn number(&self, term: &Datatype) -> Result<Real> {
        self.part(Field::Number, term)?.as_real().ok_or(EncodeError::Datatype)
    }

    /// The number of a term of a shape without an inside.
    pub(super) fn id(&self, shape: Shape, term: &Datatype) -> Result<Int> {
        self.field(shape, 0, term)?.as_int().ok_or(EncodeError::Datatype)
    }

    /// The first of these elements.
    pub(super) fn first(&self, elements: &Datatype) -> Result<Datatype> {
        datatype(self.element_field(0, elements)?)
    }

    /// All of these elements but the first.
    pub(super) fn rest(&self, elements: &Datatype) -> Result<Datatype> {
        datatype(self.element_field(1, elements)?)
    }

    fn element_field(&self, index: usize, elements: &Datatype) -> Result<Dynamic> {
        let [_, cons] = self.element_variants()?;
        let accessor = cons.accessors.get(index).ok_or(EncodeError::Datatype)?;
        Ok(accessor.apply(&[elements]))
    }

    pub(super) fn is_end(&self, elements: &Datatype) -> Result<Bool> {
        let [nil, _] = self.element_variants()?;
        test(nil, elements)
    }

    pub(super) fn is_more(&self, elements: &Datatype) -> Result<Bool> {
        let [_, cons] = self.element_variants()?;
        test(cons, elements)
    }
}

fn datatype(ast: Dynamic) -> Result<Datatype> {
    ast.as_datatype().ok_or(EncodeError::Datatype)
}

fn test(variant: &DatatypeVariant, term: &Datatype) -> Result<Bool> {
    variant.tester.apply(&[term]).as_bool().ok_or(EncodeError::Datatype)
}
