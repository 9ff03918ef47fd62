//! Types of Erlang's specs: which inputs a function is for.
//!
//! A [`Signature`] comes from the VM's side as a closed table of nodes, in which recursive types are references (docs/protocol.md):
//!
//! - [`read`]: the table from its term;
//! - [`member`]: whether a term is of a type;
//! - [`inhabitant`]: a smallest term of a type;
//! - [`repair`]: a term made one of a type with as little change as possible;
//! - [`sample`]: some term of a type, by chance;
//! - [`making`]: how the last three put their terms together;
//! - [`keys`]: the keys that the maps of a type can have;
//! - [`place`]: what the types of the inputs say about the parts of an input that a path looks at, with [`in_map`] for those in maps;
//! - [`within`]: whether all terms of one type are of another.
//!
//! How a type is put to the solver is in `smt/types.rs`; how a result is held against its type, in `machine/conform.rs`.

pub mod in_map;
pub mod inhabitant;
pub mod keys;
mod making;
pub mod member;
pub mod place;
pub mod read;
pub mod repair;
pub mod sample;
pub mod within;

use num_bigint::BigInt;

use crate::sym::Tags;
use crate::term::AtomId;

/// A type: its place in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// Whether each map of the type has such a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    Mandatory,
    Optional,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Association {
    pub presence: Presence,
    pub key: TypeId,
    pub value: TypeId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    Any,
    None,
    /// Bounds are inclusive.
    Integer {
        low: Option<BigInt>,
        high: Option<BigInt>,
    },
    Float,
    AnyAtom,
    Atom(AtomId),
    Nil,
    Cons(TypeId, TypeId),
    AnyTuple,
    Tuple(Vec<TypeId>),
    /// Bitstrings of `size + n * unit` bits.
    Bits {
        size: u64,
        unit: u64,
    },
    /// Keys belong to the first association that fits.
    Map(Vec<Association>),
    /// Of any arity, if no arguments are given.
    Fun {
        args: Option<Vec<TypeId>>,
        result: TypeId,
    },
    Pid,
    Port,
    Reference,
    Union(Vec<TypeId>),
}

/// The nodes that a signature refers to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Types {
    nodes: Vec<Node>,
    /// See [`inhabitant`]. `None` for a type without any term.
    heights: Vec<Option<u32>>,
}

/// One clause of a spec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    pub args: Vec<TypeId>,
    pub result: TypeId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub types: Types,
    pub clauses: Vec<Clause>,
}

const ANY: &Node = &Node::Any;

impl Types {
    pub fn new(nodes: Vec<Node>) -> Self {
        let heights = inhabitant::heights(&nodes);
        Types { nodes, heights }
    }

    pub fn ids(&self) -> impl Iterator<Item = TypeId> {
        (0..self.nodes.len() as u32).map(TypeId)
    }

    pub fn node(&self, id: TypeId) -> &Node {
        self.nodes.get(id.0 as usize).unwrap_or(ANY)
    }

    /// The height of the type's lowest term.
    pub fn height(&self, id: TypeId) -> Option<u32> {
        self.heights.get(id.0 as usize).copied().flatten()
    }

    /// The nodes that make up a type, unions taken apart.
    pub fn alternatives(&self, id: TypeId) -> Vec<TypeId> {
        let mut found = Vec::new();
        let mut rest = vec![id];
        let mut seen = Vec::new();
        while let Some(id) = rest.pop() {
            match self.node(id) {
                Node::Union(parts) if !seen.contains(&id) => {
                    seen.push(id);
                    rest.extend(parts.iter().rev());
                }
                Node::Union(_) => {}
                _ if found.contains(&id) => {}
                _ => found.push(id),
            }
        }
        found
    }

    /// The tags that terms of the type can have.
    pub fn tags(&self, id: TypeId) -> Tags {
        let alternatives = self.alternatives(id).into_iter();
        alternatives.fold(Tags::NONE, |tags, id| tags | self.node(id).tags())
    }
}

impl Node {
    /// The tags of the terms of a node that is no union.
    pub fn tags(&self) -> Tags {
        match self {
            Node::Any | Node::Union(_) => Tags::ANY,
            Node::None => Tags::NONE,
            Node::Integer { .. } => Tags::INT,
            Node::Float => Tags::FLOAT,
            Node::AnyAtom | Node::Atom(_) => Tags::ATOM,
            Node::Nil => Tags::NIL,
            Node::Cons(..) => Tags::CONS,
            Node::AnyTuple | Node::Tuple(_) => Tags::TUPLE,
            Node::Bits { .. } => Tags::BITS,
            Node::Map(_) => Tags::MAP,
            Node::Fun { .. } => Tags::FUN,
            Node::Pid => Tags::PID,
            Node::Port => Tags::PORT,
            Node::Reference => Tags::REFERENCE,
        }
    }
}

impl Signature {
    /// The types that an argument has in the clauses.
    pub fn argument(&self, index: usize) -> Vec<TypeId> {
        self.clauses.iter().filter_map(|clause| clause.args.get(index).copied()).collect()
    }
}

#[cfg(test)]
mod tests;
