//! What the types of the inputs say about the parts of an input that a path looks at.
//!
//! A place is an input or a part of one, as an expression; what a fun returns and what is in a map are parts too. Its types are the alternatives
//! that are left of the type of the whole: of a tuple, those whose size and constants agree with what the path knows; of a map, those whose keys
//! do. They are a bound from above, so to take a decision for known because of them is sound.

use std::cell::RefCell;
use std::sync::Arc;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::in_map::View;
use super::{Node, Signature, TypeId, Types};
use crate::sym::{Arena, Expr, FunExpr, MapExpr, SymId, Tags};

/// What a path has established.
pub trait Established {
    /// The size of a tuple.
    fn arity(&self, id: SymId) -> Option<u32>;
    /// The constant that a place is.
    fn constant(&self, id: SymId) -> Option<SymId>;
    /// Whether a condition holds, if that was decided as it stands.
    fn condition(&self, id: SymId) -> Option<bool>;
    /// Constant keys that a map has.
    fn keys(&self, map: SymId) -> &[SymId];
    /// The tags that decisions have left of a term.
    fn narrowed(&self, id: SymId) -> Tags;
}

/// A path that has established nothing.
pub struct Nothing;

impl Established for Nothing {
    fn arity(&self, _: SymId) -> Option<u32> {
        None
    }

    fn constant(&self, _: SymId) -> Option<SymId> {
        None
    }

    fn condition(&self, _: SymId) -> Option<bool> {
        None
    }

    fn keys(&self, _: SymId) -> &[SymId] {
        &[]
    }

    fn narrowed(&self, _: SymId) -> Tags {
        Tags::ANY
    }
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
                expr => {
                    chain.push(at);
                    at = whole(expr)?;
                }
            }
        };
        let mut settled = true;
        while let Some(place) = chain.pop() {
            let (next, only) = part(View { types: &signature.types, arena, known }, place, &types?);
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

/// What a part is a part of.
fn whole(part: &Expr) -> Option<SymId> {
    match part {
        Expr::Head(whole)
        | Expr::Tail(whole)
        | Expr::Element(whole, _)
        | Expr::Map(MapExpr::Get(whole, _) | MapExpr::Key(whole, _))
        | Expr::Fun(FunExpr::Call(whole, _) | FunExpr::Otherwise(whole)) => Some(*whole),
        _ => None,
    }
}

/// The alternatives of a part, and whether just one alternative of the whole has it: then they do not change any more.
fn part(view: View<'_>, place: SymId, whole: &[TypeId]) -> (Alternatives, bool) {
    let types = view.types;
    let mut all = Vec::new();
    let mut count = 0;
    for id in whole {
        let Some((parts, certain)) = parts(view, place, types.node(*id)) else { return (None, false) };
        count += if certain { parts.len() } else { 2 };
        for id in parts.into_iter().flat_map(|part| types.alternatives(part)) {
            if !all.contains(&id) {
                all.push(id);
            }
        }
    }
    (bounded(types, all), count == 1)
}

/// The types of a part of a node that is no union: none if it has no such part. With them, whether they do not depend on what the path
/// knows. `None` if it can be any term.
fn parts(view: View<'_>, place: SymId, node: &Node) -> Option<(Vec<TypeId>, bool)> {
    let View { types, arena, .. } = view;
    let one = |id: &TypeId| Some((vec![*id], true));
    match (arena.get(place), node) {
        (Expr::Head(_), Node::Cons(head, _)) => one(head),
        (Expr::Tail(_), Node::Cons(_, tail)) => one(tail),
        (Expr::Element(tuple, index), Node::Tuple(elements)) if fits(view, *tuple, elements) => {
            Some((elements.get(*index as usize).into_iter().copied().collect(), true))
        }
        (Expr::Element(..), Node::AnyTuple) => None,
        (Expr::Map(MapExpr::Get(map, key)), Node::Map(associations)) if view.fits(associations, *map) => {
            Some(view.values(associations, *key))
        }
        (Expr::Map(MapExpr::Key(map, _)), Node::Map(associations)) if view.fits(associations, *map) => {
            Some((associations.iter().map(|item| item.key).collect(), true))
        }
        // A fun that never returns is taken for one that returns anything.
        (Expr::Fun(FunExpr::Call(..) | FunExpr::Otherwise(_)), Node::Fun { result, .. })
            if types.height(*result).is_none() =>
        {
            None
        }
        (Expr::Fun(FunExpr::Call(_, given)), Node::Fun { args, result })
            if args.as_ref().is_none_or(|args| args.len() == given.len()) =>
        {
            one(result)
        }
        (Expr::Fun(FunExpr::Otherwise(_)), Node::Fun { result, .. }) => one(result),
        _ => Some((Vec::new(), true)),
    }
}

/// Whether a tuple of these elements agrees with what is known of the tuple at this place.
fn fits(view: View<'_>, tuple: SymId, elements: &[TypeId]) -> bool {
    let View { types, arena, known } = view;
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
