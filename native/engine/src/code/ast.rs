//! The tree of a module as it arrives from `cuter_core` (docs/protocol.md), with every name resolved.
//!
//! Variables and the functions of `letrec` get numbers that are unique in their function, so later passes need no scopes.

use super::read::AstError;
use crate::term::{AtomId, Heap, Value};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Var(pub u32);

/// A function bound by `letrec`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Local(pub u32);

/// A module. Literals are values of `heap`.
pub struct Module {
    pub name: AtomId,
    pub file: String,
    pub exports: Vec<(AtomId, usize)>,
    pub functions: Vec<Definition>,
    /// The abstract forms of specs, types and records, as they came.
    pub specs: Value,
    pub heap: Heap,
}

pub struct Definition {
    pub name: AtomId,
    pub fun: Fun,
}

pub struct Fun {
    pub line: u32,
    pub params: Vec<Var>,
    pub body: Box<Node>,
    /// The name that the compiler gave to a `fun` expression.
    pub name: Option<AtomId>,
}

pub enum Node {
    Literal(Value),
    Var(Var),
    /// A function of the module, as a value or called.
    Top(AtomId, usize),
    /// A function of an enclosing `letrec`.
    Local(Local),
    Values(Vec<Node>),
    List(Vec<Node>, Box<Node>),
    Tuple(Vec<Node>),
    Map(u32, Box<Node>, Vec<Association>),
    Binary(u32, Vec<Segment<Node>>),
    Fun(Fun),
    Let(Vec<Var>, Box<Node>, Box<Node>),
    Seq(Box<Node>, Box<Node>),
    Case(u32, Box<Node>, Vec<Clause>),
    Letrec(Vec<(Local, AtomId, Fun)>, Box<Node>),
    /// A `letrec` whose functions are only called in tail position, as the compiler has marked it: its functions are labels.
    Goto(Vec<(Local, AtomId, Fun)>, Box<Node>),
    Apply(u32, Box<Node>, Vec<Node>),
    Call(u32, Box<Node>, Box<Node>, Vec<Node>),
    Primop(u32, Primop),
    Try(Box<Try>),
    Catch(u32, Box<Node>),
}

pub struct Association {
    pub exact: bool,
    pub key: Node,
    pub value: Node,
}

pub struct Segment<T> {
    pub value: T,
    pub size: Node,
    pub unit: u32,
    pub kind: AtomId,
    pub flags: Vec<AtomId>,
}

pub struct Clause {
    pub line: u32,
    pub patterns: Vec<Pattern>,
    pub guard: Node,
    pub body: Node,
    /// Made by the compiler, not written by the user.
    pub generated: bool,
}

pub enum Pattern {
    Literal(Value),
    Var(Var),
    Alias(Var, Box<Pattern>),
    List(Vec<Pattern>, Box<Pattern>),
    Tuple(Vec<Pattern>),
    Map(Vec<(Node, Pattern)>),
    Binary(Vec<Segment<Pattern>>),
}

pub struct Primop {
    pub name: AtomId,
    pub args: Vec<Node>,
    /// The function whose clauses did not match, of `match_fail`.
    pub function: Option<(AtomId, usize)>,
}

pub struct Try {
    pub line: u32,
    pub arg: Node,
    pub vars: Vec<Var>,
    pub body: Node,
    pub exception: Vec<Var>,
    pub handler: Node,
}

impl Module {
    /// Reads a module in external term format.
    pub fn read(etf: &[u8]) -> Result<Module, AstError> {
        super::read::module(etf)
    }
}
