//! What the types of the inputs say about the parts of an input that a path looks at.
//!
//! A place is an input or a part of one, as an expression. Its types are the alternatives that are left of the type of the whole: of a
//! tuple, those whose size and constants agree with what the path knows. They are a bound from above, so to take a decision for known
//! because of them is sound.

use std::cell::RefCell;
use std::sync::Arc;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::{Node, Signature, TypeId, Types};
use crate::sym::{Arena, Expr, SymId, Tags};

/// What a path has established.
pub trait Established {
    /// The size of a tuple.
    fn arity(&self, id: SymId) -> Option<u32>;
    /// The constant that a place is.
    fn constant(&self, id: SymId) -> Option<SymId>;
}

/// The alternatives of a place; none if it can be any term.
type Alternatives = Option<Arc<[TypeId]>>;

#[derive(Default)]
pub struct Places {
    signature: Option<Arc<Signature>>,
    memo: RefCell<FxHashMap<SymId, Alternatives>>,
}

impl Places {
    pub fn new(signature: Option<Arc<Signature>>) -> Self {
        Places { signature, memo: RefCell::default() }
    }

    /// The table, and the alternatives of a place; `None` if nothing is known.
    pub fn of(&self, arena: &Arena, known: &dyn Established, id: SymId) -> Option<(&Types, Arc<[TypeId]>)> {
        let signature = self.signature.as_deref()?;
        let alternatives = self.alternatives(arena, known, signature, id)?;
        Some((&signature.types, alternatives))
    }

    pub fn tags(&self, arena: &Arena, known: &dyn Established, id: SymId) -> Tags {
        match self.of(arena, known, id) {
            None => Tags::ANY,
            Some((types, alternatives)) => {
                alternatives.iter().fold(Tags::NONE, |tags, id| tags | types.node(*id).tags())
            }
        }
    }

    fn alternatives(
        &self,
        arena: &Arena,
        known: &dyn Established,
        signature: &Signature,
        id: SymId,
    ) -> Option<Arc<[TypeId]>> {
        // From the place up to one whose types are known, then down again.
        let mut chain = Vec::new();
        let mut at = id;
        let mut types = loop {
            if let Some(known) = self.memo.borrow().get(&at) {
                break known.clone();
            }
            match arena.get(at) {
                Expr::Input(number) => break of_input(signature, *number),
                Expr::Head(whole) | Expr::Tail(whole) | Expr::Element(whole, _) => {
                    chain.push(at);
                    at = *whole;
                }
                _ => return None,
            }
        };
        let mut settled = true;
        while let Some(place) = chain.pop() {
            let (next, only) = part(&signature.types, arena, known, place, &types?);
            types = next;
            settled &= only;
            if settled {
                self.memo.borrow_mut().insert(place, types.clone());
            }
        }
        types
    }
}

fn of_input(signature: &Signature, number: u32) -> Alternatives {
    let mut all = Vec::new();
    for id in signature.argument(number as usize) {
        all.extend(signature.types.alternatives(id));
    }
    all.dedup();
    bounded(&signature.types, all)
}

/// The alternatives, unless one of them is any term.
fn bounded(types: &Types, alternatives: Vec<TypeId>) -> Alternatives {
    let any = alternatives.iter().any(|id| matches!(types.node(*id), Node::Any));
    (!any).then(|| alternatives.into())
}

/// The alternatives of a part, and whether just one alternative of the whole has it: then they do not change any more.
fn part(types: &Types, arena: &Arena, known: &dyn Established, place: SymId, whole: &[TypeId]) -> (Alternatives, bool) {
    let mut all = Vec::new();
    let mut count = 0;
    for id in whole {
        let part = match (arena.get(place), types.node(*id)) {
            (Expr::Head(_), Node::Cons(head, _)) => *head,
            (Expr::Tail(_), Node::Cons(_, tail)) => *tail,
            (Expr::Element(tuple, index), Node::Tuple(elements)) if fits(types, arena, known, *tuple, elements) => {
                match elements.get(*index as usize) {
                    Some(element) => *element,
                    None => continue,
                }
            }
            (Expr::Element(..), Node::AnyTuple) => return (None, false),
            _ => continue,
        };
        count += 1;
        for id in types.alternatives(part) {
            if !all.contains(&id) {
                all.push(id);
            }
        }
    }
    (bounded(types, all), count == 1)
}

/// Whether a tuple of these elements agrees with what is known of the tuple at this place.
fn fits(types: &Types, arena: &Arena, known: &dyn Established, tuple: SymId, elements: &[TypeId]) -> bool {
    if known.arity(tuple).is_some_and(|arity| arity as usize != elements.len()) {
        return false;
    }
    let constant = |index: usize| known.constant(arena.find(&Expr::Element(tuple, index as u32))?);
    elements.iter().enumerate().all(|(index, id)| match constant(index) {
        None => true,
        Some(constant) => types.alternatives(*id).iter().any(|id| admits(types.node(*id), arena, constant)),
    })
}

/// Whether a constant can be of a node that is no union.
pub fn admits(node: &Node, arena: &Arena, constant: SymId) -> bool {
    match (node, arena.get(constant)) {
        (Node::Any, _) | (Node::AnyAtom, Expr::Atom(_)) | (Node::Nil, Expr::Nil) => true,
        (Node::Atom(atom), Expr::Atom(other)) => atom == other,
        (Node::Integer { low, high }, Expr::OfInt(int)) => match arena.get(*int) {
            Expr::Int(int) => low.as_ref().is_none_or(|low| low <= int) && high.as_ref().is_none_or(|high| int <= high),
            _ => true,
        },
        (node, _) => {
            !matches!(node, Node::Atom(_) | Node::Integer { .. } | Node::Nil) && node.tags().meets(arena.tags(constant))
        }
    }
}

/// The one term of a node, if it has just one.
pub fn single(node: &Node) -> Option<Single<'_>> {
    match node {
        Node::Atom(atom) => Some(Single::Atom(*atom)),
        Node::Nil => Some(Single::Nil),
        Node::Integer { low: Some(low), high: Some(high) } if low == high => Some(Single::Int(low)),
        Node::Any
        | Node::None
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
        | Node::Union(_) => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Single<'a> {
    Atom(crate::term::AtomId),
    Nil,
    Int(&'a BigInt),
}
