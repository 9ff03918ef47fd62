//! Keys of map types: which there can be, which there must be, how many.
//!
//! A key belongs to the first association whose key type it has. An association without any value (`a => none()`) forbids its keys.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{Association, Node, Presence, TypeId, Types};
use crate::term::{AtomId, Heap, Value};

/// A term that is the only one of its type, and no structure.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    Atom(AtomId),
    Nil,
    Int(BigInt),
}

impl Literal {
    pub fn value(&self, heap: &mut Heap) -> Value {
        match self {
            Literal::Atom(atom) => Value::atom(*atom),
            Literal::Nil => Value::NIL,
            Literal::Int(int) => heap.bigint(int),
        }
    }

    /// Whether it is of a node that is no union.
    fn is_of(&self, node: &Node) -> bool {
        match (self, node) {
            (_, Node::Any) | (Literal::Atom(_), Node::AnyAtom) | (Literal::Nil, Node::Nil) => true,
            (Literal::Atom(atom), Node::Atom(other)) => atom == other,
            (Literal::Int(int), Node::Integer { low, high }) => {
                low.as_ref().is_none_or(|low| low <= int) && high.as_ref().is_none_or(|high| int <= high)
            }
            (Literal::Atom(_) | Literal::Nil | Literal::Int(_), _) => false,
        }
    }
}

impl Types {
    /// Whether each term with the node's tag is of it.
    pub fn is_plain(&self, node: &Node) -> bool {
        match node {
            Node::Map(associations) => match associations.as_slice() {
                [Association { presence: Presence::Optional, key, value }] => {
                    [key, value].into_iter().all(|id| matches!(self.node(*id), Node::Any))
                }
                _ => false,
            },
            Node::Integer { low: None, high: None }
            | Node::Float
            | Node::AnyAtom
            | Node::Nil
            | Node::AnyTuple
            | Node::Pid
            | Node::Port
            | Node::Reference
            | Node::Bits { size: 0, unit: 1 }
            | Node::Fun { args: None, .. } => true,
            Node::Any
            | Node::None
            | Node::Integer { .. }
            | Node::Atom(_)
            | Node::Cons(..)
            | Node::Tuple(_)
            | Node::Bits { .. }
            | Node::Fun { .. }
            | Node::Union(_) => false,
        }
    }

    /// All terms of a type, if these are literals and not more than so many.
    pub fn literals(&self, id: TypeId, most: usize) -> Option<Vec<Literal>> {
        let mut all = Vec::new();
        for id in self.alternatives(id) {
            match self.node(id) {
                Node::None => {}
                Node::Atom(atom) => add(&mut all, Literal::Atom(*atom)),
                Node::Nil => add(&mut all, Literal::Nil),
                Node::Integer { low: Some(low), high: Some(high) } if high - low <= BigInt::from(most) => {
                    let mut int = low.clone();
                    while int <= *high {
                        add(&mut all, Literal::Int(int.clone()));
                        int += 1;
                    }
                }
                Node::Any
                | Node::Integer { .. }
                | Node::Float
                | Node::AnyAtom
                | Node::Cons(..)
                | Node::AnyTuple
                | Node::Tuple(_)
                | Node::Bits { .. }
                | Node::Map(_)
                | Node::Fun { .. }
                | Node::Pid
                | Node::Port
                | Node::Reference
                | Node::Union(_) => return None,
            }
        }
        (all.len() <= most).then_some(all)
    }

    /// The literal that is the only term of a type.
    pub fn literal(&self, id: TypeId) -> Option<Literal> {
        self.literals(id, 1)?.pop()
    }

    /// A bound on the number of terms of a type; `None` if there is none that is easy to see.
    fn cardinality(&self, id: TypeId) -> Option<BigInt> {
        let mut all = BigInt::zero();
        for id in self.alternatives(id) {
            match self.node(id) {
                Node::None => {}
                Node::Atom(_) | Node::Nil | Node::Bits { size: 0, unit: 0 } => all += 1,
                Node::Tuple(elements) if elements.is_empty() => all += 1,
                Node::Integer { low: Some(low), high: Some(high) } => {
                    all += (high - low + BigInt::one()).max(BigInt::zero());
                }
                Node::Any
                | Node::Integer { .. }
                | Node::Float
                | Node::AnyAtom
                | Node::Cons(..)
                | Node::AnyTuple
                | Node::Tuple(_)
                | Node::Bits { .. }
                | Node::Map(_)
                | Node::Fun { .. }
                | Node::Pid
                | Node::Port
                | Node::Reference
                | Node::Union(_) => return None,
            }
        }
        Some(all)
    }

    /// The association that a literal belongs to; `None` if it is no key of such a map.
    pub fn owner(&self, associations: &[Association], key: &Literal) -> Option<usize> {
        let has = |item: &Association| self.alternatives(item.key).iter().any(|id| key.is_of(self.node(*id)));
        associations.iter().position(has).filter(|at| self.is_open(associations.get(*at)))
    }

    /// Whether an association has values.
    fn is_open(&self, item: Option<&Association>) -> bool {
        item.is_some_and(|item| self.height(item.value).is_some())
    }

    /// All keys that such a map can have, with their associations, if they are literals and not more than so many.
    pub fn closed_keys(&self, associations: &[Association], most: usize) -> Option<Vec<(Literal, usize)>> {
        let mut keys: Vec<(Literal, usize)> = Vec::new();
        for (at, item) in associations.iter().enumerate() {
            for key in self.literals(item.key, most)? {
                if self.owner(associations, &key) == Some(at) {
                    keys.push((key, at));
                }
            }
        }
        (keys.len() <= most).then_some(keys)
    }

    /// Keys that every such map has.
    pub fn mandatory_keys(&self, associations: &[Association]) -> Vec<Literal> {
        let mandatory = associations.iter().filter(|item| item.presence == Presence::Mandatory);
        mandatory.filter_map(|item| self.literal(item.key)).collect()
    }

    /// The fewest and the most keys of such a map. Each mandatory association has a key of its own.
    pub fn map_sizes(&self, associations: &[Association]) -> (usize, Option<BigInt>) {
        let low = associations.iter().filter(|item| item.presence == Presence::Mandatory).count();
        let open = associations.iter().filter(|item| self.is_open(Some(item)));
        let high = open.map(|item| self.cardinality(item.key)).sum::<Option<BigInt>>();
        (low, high)
    }
}

fn add(all: &mut Vec<Literal>, literal: Literal) {
    if !all.contains(&literal) {
        all.push(literal);
    }
}
