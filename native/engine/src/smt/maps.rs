//! Maps for Z3: a map is a number, and functions beside the datatype say what is in it.
//!
//! ```text
//! has:   Map × Term → Bool      get:    Map × Term → Term     size: Map → Int
//! key:   Map × Int → Term       place:  Map × Term → Int      (each the other's inverse on the keys that a map has)
//! put:   Map × Term × Term → Map          remove: Map × Term → Map
//! rank:  Map → Int              (greater than that of each map inside, so that no map contains itself)
//! other: Map × Map → Term       (a key by which two maps of one size differ)
//! age:   Int → Int              (where an atom stands in the order of ages)
//! kind:  Term → Int             (where the type of a term stands in the order of types)
//! order: Term × Term → Bool     (the order of keys, as far as it is not said)
//! ```
//!
//! What holds of these functions is said for the maps and keys that conditions speak of, with the first condition that does ([`super::facts`]). No
//! quantifier is needed, because a model is only read at these places: a map has the keys that were asked for and that it has, and
//! more of them if its size was asked for. Two numbers may stand for maps that are the same, unless some condition compares them.
//!
//! Not modelled: the order of keys that are tuples, lists, bitstrings, maps or funs. A model in which it is wrong is refused, and that
//! order said (see [`super::decode`]).

use z3::ast::{Ast, Bool, Datatype, Int};
use z3::{FuncDecl, Sort};

use super::EncodeError;
use super::encode::{Encoder, Node};
use super::sorts::{Shape, Sorts};
use crate::sym::{MapExpr, SymId};
use crate::term::order::KeyOrder;

type Result<T> = std::result::Result<T, EncodeError>;

/// The number of the empty map: there is only one.
pub(super) const EMPTY: i64 = -1;

pub(super) struct Functions {
    has: FuncDecl,
    get: FuncDecl,
    size: FuncDecl,
    key: FuncDecl,
    place: FuncDecl,
    put: FuncDecl,
    remove: FuncDecl,
    rank: FuncDecl,
    other: FuncDecl,
    age: FuncDecl,
    kind: FuncDecl,
    order: FuncDecl,
}

impl Functions {
    pub(super) fn new(term: &Sort) -> Self {
        let (int, bool) = (Sort::int(), Sort::bool());
        Functions {
            has: FuncDecl::new("has", &[&int, term], &bool),
            get: FuncDecl::new("get", &[&int, term], term),
            size: FuncDecl::new("size", &[&int], &int),
            key: FuncDecl::new("key", &[&int, &int], term),
            place: FuncDecl::new("place", &[&int, term], &int),
            put: FuncDecl::new("put", &[&int, term, term], &int),
            remove: FuncDecl::new("remove", &[&int, term], &int),
            rank: FuncDecl::new("rank", &[&int], &int),
            other: FuncDecl::new("other", &[&int, &int], term),
            age: FuncDecl::new("age", &[&int], &int),
            kind: FuncDecl::new("kind", &[term], &int),
            order: FuncDecl::new("order", &[term, term], &bool),
        }
    }

    pub(super) fn has(&self, map: &Int, key: &Datatype) -> Result<Bool> {
        self.has.apply(&[map, key]).as_bool().ok_or(EncodeError::Datatype)
    }

    pub(super) fn get(&self, map: &Int, key: &Datatype) -> Result<Datatype> {
        self.get.apply(&[map, key]).as_datatype().ok_or(EncodeError::Datatype)
    }

    pub(super) fn size(&self, map: &Int) -> Result<Int> {
        int(&self.size, &[map])
    }

    pub(super) fn key(&self, map: &Int, place: &Int) -> Result<Datatype> {
        self.key.apply(&[map, place]).as_datatype().ok_or(EncodeError::Datatype)
    }

    pub(super) fn place(&self, map: &Int, key: &Datatype) -> Result<Int> {
        int(&self.place, &[map, key])
    }

    pub(super) fn rank(&self, map: &Int) -> Result<Int> {
        int(&self.rank, &[map])
    }

    pub(super) fn other(&self, a: &Int, b: &Int) -> Result<Datatype> {
        self.other.apply(&[a, b]).as_datatype().ok_or(EncodeError::Datatype)
    }

    pub(super) fn age(&self, atom: &Int) -> Result<Int> {
        int(&self.age, &[atom])
    }

    pub(super) fn kind(&self, term: &Datatype) -> Result<Int> {
        int(&self.kind, &[term])
    }

    fn order(&self, a: &Datatype, b: &Datatype) -> Result<Bool> {
        self.order.apply(&[a, b]).as_bool().ok_or(EncodeError::Datatype)
    }
}

fn int(function: &FuncDecl, args: &[&dyn Ast]) -> Result<Int> {
    function.apply(args).as_int().ok_or(EncodeError::Datatype)
}

/// The number of a map.
pub(super) fn number(sorts: &Sorts, map: &Datatype) -> Result<Int> {
    sorts.id(Shape::Map, map)
}

/// The types in the order of terms.
const ORDER: [Shape; 12] = [
    Shape::Int,
    Shape::Float,
    Shape::Atom,
    Shape::Reference,
    Shape::Fun,
    Shape::Port,
    Shape::Pid,
    Shape::Tuple,
    Shape::Map,
    Shape::Nil,
    Shape::Cons,
    Shape::Bits,
];

/// Where the type of a term stands among all types.
pub(super) fn type_place(sorts: &Sorts, term: &Datatype) -> Result<Int> {
    let mut place = Int::from_u64(ORDER.len() as u64 - 1);
    for (number, shape) in ORDER.into_iter().enumerate().rev().skip(1) {
        place = sorts.is(shape, term)?.ite(&Int::from_u64(number as u64), &place);
    }
    Ok(place)
}

/// Whether one term stands before another in an order of keys. The places of their types are said apart.
pub(super) fn before(
    sorts: &Sorts,
    functions: &Functions,
    order: KeyOrder,
    (a, b): (&Datatype, &Datatype),
) -> Result<Bool> {
    let (x, y) = (functions.kind(a)?, functions.kind(b)?);
    // The numbers of atoms are in the order of their names.
    let (mut atom, mut other_atom) = (sorts.id(Shape::Atom, a)?, sorts.id(Shape::Atom, b)?);
    if order == KeyOrder::Ages {
        (atom, other_atom) = (functions.age(&atom)?, functions.age(&other_atom)?);
    }
    let of_one_type = Bool::or(&[
        Bool::and(&[x.eq(0), sorts.integer(a)?.lt(sorts.integer(b)?)]),
        Bool::and(&[x.eq(1), sorts.number(a)?.lt(sorts.number(b)?)]),
        Bool::and(&[x.eq(2), atom.lt(&other_atom)]),
        Bool::and(&[x.gt(2), functions.order(a, b)?, a.eq(b).not()]),
    ]);
    Ok(Bool::or(&[x.lt(&y), Bool::and(&[x.eq(&y), of_one_type])]))
}

impl Encoder {
    pub(super) fn map_node(&self, expr: &MapExpr) -> Result<Node> {
        let functions = &self.functions;
        match expr {
            MapExpr::Has(map, key) => functions.has(&self.map(*map)?, self.term(*key)?).map(Node::Bool),
            MapExpr::Get(map, key) => functions.get(&self.map(*map)?, self.term(*key)?).map(Node::Term),
            MapExpr::Size(map) => functions.size(&self.map(*map)?).map(Node::Int),
            MapExpr::Key(map, place) => {
                functions.key(&self.map(*map)?, &Int::from_u64(u64::from(*place))).map(Node::Term)
            }
            MapExpr::Shown(map, size) => Ok(Node::Bool(functions.size(&self.map(*map)?)?.eq(u64::from(*size)))),
            MapExpr::Put(map, [key, value]) => {
                let id = int(&functions.put, &[&self.map(*map)?, self.term(*key)?, self.term(*value)?])?;
                self.sorts.make(Shape::Map, &[&id]).map(Node::Term)
            }
            MapExpr::Remove(map, key) => {
                let id = int(&functions.remove, &[&self.map(*map)?, self.term(*key)?])?;
                self.sorts.make(Shape::Map, &[&id]).map(Node::Term)
            }
            MapExpr::Count(condition) => {
                Ok(Node::Int(self.bool(*condition)?.ite(&Int::from_u64(1), &Int::from_u64(0))))
            }
            MapExpr::Before(order, a, b) => {
                before(&self.sorts, functions, *order, (self.term(*a)?, self.term(*b)?)).map(Node::Bool)
            }
        }
    }

    /// The number of a map, by its expression.
    pub(super) fn map(&self, id: SymId) -> Result<Int> {
        number(&self.sorts, self.term(id)?)
    }
}
