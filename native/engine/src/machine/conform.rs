//! Whether a result is of the type that the spec says, as decisions of the path: so a result that is not can be solved for.
//!
//! Parts without expressions are looked at as they are. Where the concrete result decides though it is symbolic, because only deeper parts could tell
//! the alternatives that are left apart, or the type is one of maps whose keys are not known, funs or sizes of bitstrings, that is counted as made
//! concrete under `result type`. Funs are looked at by arity alone.

use super::{Ctx, maps};
use crate::sym::lift::tags_of;
use crate::sym::{SymId, Tags};
use crate::term::Value;
use crate::term::map::Map;
use crate::types::member::is_member;
use crate::types::within::is_within;
use crate::types::{Association, Node, Presence, TypeId, Types};

/// Parts that are looked at symbolically; the rest is looked at as it is.
const MOST_PARTS: usize = 500;

/// The first type, of these and of their parts, that the value is not of; `None` if it is of one of these types.
pub(super) fn outside(ctx: &mut Ctx<'_>, types: &Types, value: Value, ids: &[TypeId]) -> Option<TypeId> {
    let whole = ids.first().copied()?;
    let alternatives: Vec<TypeId> = ids.iter().flat_map(|id| types.alternatives(*id)).collect();
    let mut parts = vec![(value, whole, alternatives)];
    let mut budget = MOST_PARTS;
    while let Some((value, id, alternatives)) = parts.pop() {
        budget = budget.saturating_sub(1);
        let concrete = ctx.is_concrete(value);
        if !concrete && is_by_input(ctx, types, value, &alternatives) {
            continue;
        }
        let left = if concrete || budget == 0 { alternatives } else { fitting(ctx, types, value, alternatives) };
        match left.as_slice() {
            [only] if !concrete && budget > 0 && is_settled(types, types.node(*only)) => {
                push_parts(ctx, types, value, *only, &mut parts);
                continue;
            }
            [only] if !concrete && budget > 0 => match associations(ctx, types, value, *only) {
                Some(Associations::Parts(found)) => {
                    parts.extend(found);
                    continue;
                }
                Some(Associations::Missing) => return Some(id),
                None => ctx.counters.concretise(crate::bif::mfa("erlang", "result type", 1)),
            },
            [] => return Some(id),
            _ if concrete => {}
            _ => ctx.counters.concretise(crate::bif::mfa("erlang", "result type", 1)),
        }
        if !is_one(ctx, types, value, &left) {
            return Some(id);
        }
    }
    None
}

/// Whether the value is a part of an input all of whose types are among these.
fn is_by_input(ctx: &Ctx<'_>, types: &Types, value: Value, alternatives: &[TypeId]) -> bool {
    ctx.heap.expression(value).is_some_and(|id| is_part_of_input(ctx, types, id, alternatives))
}

fn is_part_of_input(ctx: &Ctx<'_>, types: &Types, id: SymId, alternatives: &[TypeId]) -> bool {
    let place = ctx.path.known().alternatives(ctx.arena, id);
    place.is_some_and(|(_, place)| is_within(types, &place, alternatives))
}

/// Whether a map is one of the input's that is of the type, with changes. Keys that are not known could be the same for one input and not for
/// another, so that there is one such change at most.
fn is_changed_input(ctx: &Ctx<'_>, types: &Types, value: Value, id: TypeId) -> bool {
    let Some(mut map) = ctx.heap.expression(value) else { return false };
    let (mut changes, mut constant) = (0, true);
    while let Some(change) = ctx.arena.change(map) {
        changes += 1;
        constant &= ctx.arena.is_constant(change.key);
        map = change.map;
    }
    (constant || changes == 1) && is_part_of_input(ctx, types, map, &[id])
}

/// Whether a value for which this alternative is left is of it, but for its parts: what there was to decide has been decided.
fn is_settled(types: &Types, node: &Node) -> bool {
    let decided = matches!(node, Node::Any | Node::Integer { .. } | Node::Atom(_) | Node::Cons(..) | Node::Tuple(_));
    decided || unit(node).is_some() || types.is_plain(node)
}

fn is_one(ctx: &Ctx<'_>, types: &Types, value: Value, ids: &[TypeId]) -> bool {
    ids.iter().any(|id| is_member(types, ctx.heap, value, *id))
}

type Part = (Value, TypeId, Vec<TypeId>);

fn push_parts(ctx: &mut Ctx<'_>, types: &Types, value: Value, id: TypeId, parts: &mut Vec<Part>) {
    let part = |value: Value, id: TypeId| (value, id, types.alternatives(id));
    match types.node(id) {
        Node::Cons(head, tail) => {
            let (first, rest) = (ctx.head(value), ctx.tail(value));
            parts.extend([part(rest, *tail), part(first, *head)]);
        }
        Node::Tuple(elements) => {
            for (index, id) in elements.iter().enumerate().rev() {
                let element = ctx.element(value, index);
                parts.push(part(element, *id));
            }
        }
        _ => {}
    }
}

/// A map held against the associations of a type.
enum Associations {
    /// It has the keys; what is left is what its keys and values are.
    Parts(Vec<Part>),
    /// It has a key that it must not have, or lacks one.
    Missing,
}

/// A map whose keys are known, or of a type that says the same of all keys. `None` if the keys would have to be decided.
fn associations(ctx: &mut Ctx<'_>, types: &Types, value: Value, id: TypeId) -> Option<Associations> {
    let Node::Map(wanted) = types.node(id) else { return None };
    if value.is_sym() && !is_changed_input(ctx, types, value, id) {
        return None;
    }
    let map = Map::of(ctx.heap, ctx.heap.concrete(value))?;
    let pairs = maps::in_fixed_order(ctx, map);
    let part = |value: Value, id: TypeId| (value, id, types.alternatives(id));
    if let [Association { presence: Presence::Optional, key, value }] = wanted.as_slice() {
        let parts = pairs.into_iter().flat_map(|pair| [part(pair.0, *key), part(pair.1, *value)]);
        return Some(Associations::Parts(parts.collect()));
    }
    if !pairs.iter().all(|(key, _)| ctx.is_concrete(*key)) {
        return None;
    }
    let mut parts = Vec::new();
    let mut found = vec![false; wanted.len()];
    for (key, value) in pairs {
        let fits = |(_, association): &(usize, &Association)| is_member(types, ctx.heap, key, association.key);
        let Some((index, association)) = wanted.iter().enumerate().find(fits) else {
            return Some(Associations::Missing);
        };
        found.get_mut(index).into_iter().for_each(|found| *found = true);
        parts.push(part(value, association.value));
    }
    let lacks = |(association, found): (&Association, bool)| association.presence == Presence::Mandatory && !found;
    let missing = wanted.iter().zip(found).any(lacks);
    Some(if missing { Associations::Missing } else { Associations::Parts(parts) })
}

/// The alternatives that the value is of, as far as its outermost node and the constants next to it tell.
fn fitting(ctx: &mut Ctx<'_>, types: &Types, value: Value, alternatives: Vec<TypeId>) -> Vec<TypeId> {
    if alternatives.iter().any(|id| matches!(types.node(*id), Node::Any)) {
        return alternatives.into_iter().filter(|id| matches!(types.node(*id), Node::Any)).take(1).collect();
    }
    let all = alternatives.iter().fold(Tags::NONE, |tags, id| tags | types.node(*id).tags());
    if !ctx.is(value, all) {
        return Vec::new();
    }
    // Which type it is matters only where there is more to say than that.
    let plain = |id: &TypeId| types.is_plain(types.node(*id));
    let Some(tag) = all.each().find(|tag| {
        let group = alternatives.iter().filter(|id| types.node(**id).tags() == *tag);
        !group.clone().any(plain) && ctx.is(value, *tag)
    }) else {
        let tag = tags_of(ctx.heap, value);
        return alternatives.into_iter().filter(|id| plain(id) && types.node(*id).tags() == tag).take(1).collect();
    };
    let group: Vec<TypeId> = alternatives.into_iter().filter(|id| types.node(*id).tags() == tag).collect();
    within(ctx, types, value, tag, group)
}

/// Of alternatives with one tag, which the value has, those that it is of.
fn within(ctx: &mut Ctx<'_>, types: &Types, value: Value, tag: Tags, group: Vec<TypeId>) -> Vec<TypeId> {
    if tag == Tags::INT || tag == Tags::ATOM {
        let mut condition = ctx.arena.truth(false);
        for id in &group {
            let one = flat_condition(ctx, types.node(*id), value);
            condition = ctx.arena.or(condition, one);
        }
        let holds = is_one(ctx, types, value, &group);
        return if ctx.branch(condition, holds) { group.into_iter().take(1).collect() } else { Vec::new() };
    }
    match group.as_slice() {
        _ if tag == Tags::TUPLE => tuples(ctx, types, value, group),
        [only] => match unit(types.node(*only)) {
            Some(unit) if !has_whole_units(ctx, value, unit) => Vec::new(),
            Some(_) | None => group,
        },
        _ => group,
    }
}

/// The unit of a type of bitstrings that says nothing else.
fn unit(node: &Node) -> Option<u16> {
    match node {
        Node::Bits { size: 0, unit } => u16::try_from(*unit).ok().filter(|unit| *unit > 0),
        _ => None,
    }
}

/// Whether a bitstring is whole units: decides it.
fn has_whole_units(ctx: &mut Ctx<'_>, value: Value, unit: u16) -> bool {
    let length = ctx.heap.as_bits(ctx.heap.concrete(value)).map_or(0, |bits| bits.length);
    let stretch = ctx.stretch(value);
    ctx.is_whole(stretch, length, unit)
}

fn tuples(ctx: &mut Ctx<'_>, types: &Types, value: Value, group: Vec<TypeId>) -> Vec<TypeId> {
    let mut left = Vec::new();
    for id in group {
        let Node::Tuple(elements) = types.node(id) else { continue };
        if !ctx.has_arity(value, elements.len()) {
            continue;
        }
        let tags = elements.iter().enumerate().filter_map(|(index, id)| match types.node(*id) {
            Node::Atom(atom) => Some((index, *atom)),
            _ => None,
        });
        let mut agrees = true;
        for (index, atom) in tags {
            let element = ctx.element(value, index);
            let constant = Value::atom(atom);
            agrees = agrees && ctx.same(element, constant);
        }
        if agrees {
            left.push(id);
        }
    }
    left
}

/// The condition that an integer or an atom is of a node.
fn flat_condition(ctx: &mut Ctx<'_>, node: &Node, value: Value) -> SymId {
    let lifted = ctx.lift(value);
    match node {
        Node::Integer { low, high } => {
            let int = ctx.arena.int_of(lifted);
            let mut condition = ctx.arena.truth(true);
            if let Some(low) = low {
                let bound = ctx.arena.int(low.clone());
                let above = ctx.arena.le(bound, int);
                condition = ctx.arena.and(condition, above);
            }
            if let Some(high) = high {
                let bound = ctx.arena.int(high.clone());
                let below = ctx.arena.le(int, bound);
                condition = ctx.arena.and(condition, below);
            }
            condition
        }
        Node::Atom(atom) => {
            let constant = ctx.arena.atom(*atom);
            ctx.arena.eq(lifted, constant)
        }
        _ => ctx.arena.truth(true),
    }
}
