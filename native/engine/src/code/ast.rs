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

/// A place in the source: the number of a file of the module and a line, of which 0 is unknown. As on the BEAM, a file has 8 bits and a line 24.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Line {
    place: u32,
    /// Stacktraces do not show what the node does: a call is the last one of its function on the BEAM, arithmetic names no function.
    unseen: bool,
    /// The place of the code right behind a call, if that is another one: there the BEAM sees a function of a native library fail.
    behind: Option<u32>,
}

impl Line {
    const BITS: u32 = 24;

    /// Code that belongs to no place, although what stands before it does.
    pub const NOWHERE: Line = Line::seen(u32::MAX << Self::BITS);

    const fn seen(place: u32) -> Self {
        Line { place, unseen: false, behind: None }
    }

    /// The same place, of something that stacktraces do not show.
    pub const fn unseen(self) -> Self {
        Line { place: self.place, unseen: true, behind: self.behind }
    }

    /// The same place, with that of the code behind it.
    pub const fn before(self, next: Line) -> Self {
        Line { place: self.place, unseen: self.unseen, behind: Some(next.place) }
    }

    pub fn behind(self) -> Option<Line> {
        self.behind.map(Line::seen)
    }

    pub const fn is_unseen(self) -> bool {
        self.unseen
    }

    /// The place alone.
    pub const fn place(self) -> Self {
        Line::seen(self.place)
    }

    /// An unknown place, if it is beyond what can be told.
    pub const fn new(file: u32, line: u32) -> Self {
        if file >> (u32::BITS - Self::BITS) != 0 || line >> Self::BITS != 0 {
            return Line::seen(0);
        }
        Line::seen(file << Self::BITS | line)
    }

    pub const fn file(self) -> usize {
        (self.place >> Self::BITS) as usize
    }

    pub const fn number(self) -> u32 {
        self.place & ((1 << Self::BITS) - 1)
    }

    pub const fn is_known(self) -> bool {
        self.number() != 0
    }
}

/// A module. Literals are values of `heap`.
pub struct Module {
    pub name: AtomId,
    /// The file that was compiled, and others that code of the module comes from.
    pub files: Vec<String>,
    pub exports: Vec<(AtomId, usize)>,
    pub functions: Vec<Definition>,
    /// The abstract forms of specs, types and records, as they came.
    pub specs: Value,
    pub compiled: Compiled,
    pub heap: Heap,
}

/// What the compiler has made of the module, as far as programs can see it.
#[derive(Default)]
pub struct Compiled {
    /// The MD5 of the code.
    pub md5: [u8; 16],
    /// The functions that funs are made of, with their captured variables in the arity.
    pub lambdas: Vec<((AtomId, usize), Lambda)>,
}

/// What tells a fun from others of its module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lambda {
    pub index: u32,
    pub uniq: u32,
}

pub struct Definition {
    pub name: AtomId,
    pub fun: Fun,
}

pub struct Fun {
    pub line: Line,
    pub params: Vec<Var>,
    pub body: Box<Node>,
    /// The name that the compiler gave to a `fun` expression.
    pub name: Option<AtomId>,
    /// Its arity on the BEAM, captured variables included, if it is known.
    pub arity: Option<usize>,
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
    Map(Line, Box<Node>, Vec<Association>),
    Binary(Line, Vec<Segment<Node>>),
    Fun(Fun),
    Let(Vec<Var>, Box<Node>, Box<Node>),
    Seq(Box<Node>, Box<Node>),
    Case(Line, Box<Node>, Vec<Clause>),
    Letrec(Vec<(Local, AtomId, Fun)>, Box<Node>),
    /// A `letrec` whose functions are only called in tail position, as the compiler has marked it: its functions are labels.
    Goto(Vec<(Local, AtomId, Fun)>, Box<Node>),
    Apply(Line, Box<Node>, Vec<Node>),
    Call(Line, Box<Node>, Box<Node>, Vec<Node>),
    Primop(Line, Primop),
    Try(Box<Try>),
    Catch(Line, Box<Node>),
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
    /// Which one of its construction it is in the source, from 1; 0 if it cannot fail.
    pub number: u32,
}

pub struct Clause {
    pub line: Line,
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
    /// Of `match_fail`.
    pub raiser: Raiser,
}

/// Who raises on the BEAM where no clause of a function matches.
#[derive(Clone, Copy)]
pub enum Raiser {
    Unknown,
    /// The clauses are those of this function.
    Clauses(AtomId, usize),
    /// The function that is running.
    Itself,
    /// A function that the compiler made for it, called last or not.
    Function {
        name: AtomId,
        last: bool,
    },
}

pub struct Try {
    pub line: Line,
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
