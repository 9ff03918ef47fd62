//! What the type of a map says about a key, given what a path has established.
//!
//! Whether a key is of a key type may be open. Then nothing is said that depends on it, so all answers are bounds.

use num_bigint::BigInt;

use super::keys::Literal;
use super::place::{Established, admits};
use super::{Association, Node, Presence, TypeId, Types};
use crate::sym::eval::{Denoted, Evaluator};
use crate::sym::{Arena, Expr, MapExpr, SymId, Tags};
use crate::types::member::is_member;

/// What is at hand for questions about maps at a place.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub types: &'a Types,
    pub arena: &'a Arena,
    pub known: &'a dyn Established,
}

impl View<'_> {
    /// Whether a key is of a type.
    fn belongs(&self, key: SymId, id: TypeId) -> Option<bool> {
        let constant = if self.arena.is_constant(key) { Some(key) } else { self.known.constant(key) };
        let alternatives = self.types.alternatives(id);
        match constant.map(|constant| (constant, self.arena.get(constant))) {
            Some((constant, Expr::Opaque(..))) => {
                let mut evaluator = Evaluator::new(self.arena, &[]);
                let Some(Denoted::Term(value)) = evaluator.value(constant) else { return None };
                Some(is_member(self.types, evaluator.heap_mut(), value, id))
            }
            Some((constant, _)) => {
                Some(alternatives.iter().any(|id| admits(self.types.node(*id), self.arena, constant)))
            }
            None => self.belongs_by_tags(key, &alternatives),
        }
    }

    fn belongs_by_tags(&self, key: SymId, alternatives: &[TypeId]) -> Option<bool> {
        let open = self.arena.tags(key) & self.known.narrowed(key);
        let nodes = alternatives.iter().map(|id| self.types.node(*id));
        let covered = nodes.clone().filter(|node| matches!(node, Node::Any) || self.types.is_plain(node));
        if covered.fold(Tags::NONE, |tags, node| tags | node.tags()).contains(open) {
            return Some(true);
        }
        let meets = nodes.fold(Tags::NONE, |tags, node| tags | node.tags()).meets(open);
        if meets { None } else { Some(false) }
    }

    /// The types of what a map has for a key, and whether it is certain to which association the key belongs.
    pub fn values(&self, associations: &[Association], key: SymId) -> (Vec<TypeId>, bool) {
        let mut values = Vec::new();
        for item in associations {
            match self.belongs(key, item.key) {
                Some(true) => {
                    values.push(item.value);
                    break;
                }
                None => values.push(item.value),
                Some(false) => {}
            }
        }
        let certain = values.len() <= 1;
        (values, certain)
    }

    /// Whether such a map has a key.
    pub fn has(&self, associations: &[Association], key: SymId) -> Option<bool> {
        for item in associations {
            let must = item.presence == Presence::Mandatory && self.types.literal(item.key).is_some();
            match self.belongs(key, item.key) {
                Some(true) if self.types.height(item.value).is_none() => return Some(false),
                Some(true) => return must.then_some(true),
                None if self.types.height(item.value).is_some() => return None,
                Some(false) | None => {}
            }
        }
        Some(false)
    }

    /// Whether a map of these associations agrees with what is known of the map at this place.
    pub fn fits(&self, associations: &[Association], map: SymId) -> bool {
        let present = self.known.keys(map).iter().all(|key| self.has(associations, *key) != Some(false));
        present && associations.iter().all(|item| self.agrees(associations, item, map))
    }

    fn agrees(&self, associations: &[Association], item: &Association, map: SymId) -> bool {
        let Some(key) = self.types.literal(item.key).and_then(|key| self.expression(&key)) else { return true };
        let has = self.arena.find(&Expr::Map(MapExpr::Has(map, key))).and_then(|has| self.known.condition(has));
        if has == Some(false) {
            return item.presence == Presence::Optional;
        }
        let value = self.arena.find(&Expr::Map(MapExpr::Get(map, key))).and_then(|value| self.known.constant(value));
        let Some(value) = value.filter(|_| has == Some(true) || item.presence == Presence::Mandatory) else {
            return true;
        };
        let (values, _) = self.values(associations, key);
        let mut nodes = values.iter().flat_map(|id| self.types.alternatives(*id));
        nodes.any(|id| admits(self.types.node(id), self.arena, value))
    }

    /// The fewest and the most keys of such a map at a place.
    pub fn sizes(&self, associations: &[Association], map: SymId) -> (usize, Option<BigInt>) {
        let (fewest, most) = self.types.map_sizes(associations);
        let present = self.known.keys(map);
        let optional = |key: &&SymId| self.has(associations, **key) != Some(true);
        let of_literals = associations
            .iter()
            .filter(|item| item.presence == Presence::Mandatory)
            .all(|item| self.types.literal(item.key).is_some());
        let more = if of_literals { present.iter().filter(optional).count() } else { 0 };
        (fewest + more, most)
    }

    /// The expression of a literal, if the run has made it.
    pub fn expression(&self, literal: &Literal) -> Option<SymId> {
        let arena = self.arena;
        match literal {
            Literal::Atom(atom) => arena.find(&Expr::Atom(*atom)),
            Literal::Nil => arena.find(&Expr::Nil),
            Literal::Int(int) => arena.find(&Expr::OfInt(arena.find(&Expr::Int(int.clone()))?)),
        }
    }
}
