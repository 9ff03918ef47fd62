//! A term made one of a type, with as little change as possible.
//!
//! A model says nothing about places that no condition speaks of, and leaves them with a value that may be of no use. Wherever a part is not of the type
//! that its place has, the alternative that its outermost node fits is kept and its parts are repaired; where none fits, a smallest
//! term of the type takes its place. A map keeps its number of keys where it can: a key that it must not have makes room for one that it must have,
//! or for another one that it can have.

use super::inhabitant::{Identifiers, another_key, smallest};
use super::making::{Task, Visited, Whole, make};
use super::member::is_member;
use super::{Association, Node, Presence, TypeId, Types};
use crate::sym::Tags;
use crate::sym::lift::tags_of;
use crate::term::map::{self, Map};
use crate::term::{Heap, Value, table};

/// A term of the type that is close to this one; `None` if there is no term of the type at all.
pub fn repaired(types: &Types, heap: &mut Heap, value: Value, id: TypeId, known: Identifiers) -> Option<Value> {
    if is_member(types, heap, value, id) {
        return Some(value);
    }
    make(heap, (value, id), |heap, (value, id), tasks| {
        if visit(types, heap, value, id, known, tasks) {
            Visited::Parts
        } else if is_member(types, heap, value, id) {
            Visited::Term(value)
        } else {
            smallest(types, heap, id, known).into()
        }
    })
}

type Place = (Value, TypeId);

/// Puts the parts of a structure on the stack, if there is just one alternative that it fits. False if it is to be dealt with as a whole.
fn visit(
    types: &Types,
    heap: &mut Heap,
    value: Value,
    id: TypeId,
    known: Identifiers,
    tasks: &mut Vec<Task<Place>>,
) -> bool {
    let alternatives = types.alternatives(id);
    let tag = tags_of(heap, value);
    let is_whole = |id: &TypeId| {
        let node = types.node(*id);
        matches!(node, Node::Any) || node.tags() == tag && types.is_plain(node) && !matches!(node, Node::Fun { .. })
    };
    if alternatives.iter().any(is_whole) {
        return false;
    }
    let fitting = alternatives.into_iter().filter_map(|id| fit(types, heap, value, id));
    let Some((_, id)) = fitting.max_by_key(|(score, id)| (*score, std::cmp::Reverse(*id))) else { return false };
    match types.node(id) {
        Node::Cons(head, tail) => {
            let parts = [(heap.tail(value), *tail), (heap.head(value), *head)];
            tasks.push(Task::Make(Whole::Cons));
            tasks.extend(parts.map(Task::Visit));
            true
        }
        Node::Tuple(elements) => {
            tasks.push(Task::Make(Whole::Tuple(elements.len())));
            let parts = elements.iter().enumerate().rev();
            tasks.extend(parts.map(|(index, id)| Task::Visit((heap.element(value, index), *id))));
            true
        }
        Node::Map(associations) => {
            let Some(pairs) = repaired_keys(types, heap, value, associations, known) else { return false };
            tasks.push(Task::Make(Whole::Map(pairs.iter().map(|(key, ..)| *key).collect())));
            tasks.extend(pairs.iter().rev().map(|(_, element, id)| Task::Visit((*element, *id))));
            true
        }
        Node::Fun { result, .. } => {
            let Some(arity) = table::fun_arity(heap, value) else { return false };
            let args = table::calls(heap, value).into_iter().map(|(args, _)| args).collect();
            tasks.push(Task::Make(Whole::Fun(arity, args)));
            tasks.extend(table::results(heap, value).into_iter().rev().map(|value| Task::Visit((value, *result))));
            true
        }
        Node::Any
        | Node::None
        | Node::Integer { .. }
        | Node::Float
        | Node::AnyAtom
        | Node::Atom(_)
        | Node::Nil
        | Node::AnyTuple
        | Node::Bits { .. }
        | Node::Pid
        | Node::Port
        | Node::Reference
        | Node::Union(_) => false,
    }
}

/// How well a part is of a type: by all of it, or by its outermost node alone.
fn part_fits(types: &Types, heap: &Heap, value: Value, id: TypeId) -> usize {
    if is_member(types, heap, value, id) { 2 } else { usize::from(has_tag(types, heap, value, id)) }
}

/// Whether a structure can be made one of the type by changing its parts.
fn has_tag(types: &Types, heap: &Heap, value: Value, id: TypeId) -> bool {
    let tag = tags_of(heap, value);
    types.alternatives(id).into_iter().any(|id| match types.node(id) {
        node @ (Node::Cons(..) | Node::Tuple(_) | Node::Map(_) | Node::Fun { .. }) => node.tags() == tag,
        Node::Nil => tag == Tags::NIL,
        _ => false,
    })
}

/// How well the parts of a structure are of the types that an alternative wants, if its outermost node fits.
fn fit(types: &Types, heap: &Heap, value: Value, id: TypeId) -> Option<(usize, TypeId)> {
    match types.node(id) {
        Node::Cons(..) if value.is_cons() => Some((cells_fit(types, heap, value, id), id)),
        Node::Tuple(elements) if heap.tuple_arity(value) == Some(elements.len()) => {
            let fitting = |(index, id): (usize, &TypeId)| {
                let part = heap.element(value, index);
                // A tag counts for more than everything else.
                let weight = if matches!(types.node(*id), Node::Atom(_)) { elements.len() } else { 1 };
                weight * part_fits(types, heap, part, *id)
            };
            Some((elements.iter().enumerate().map(fitting).sum(), id))
        }
        Node::Map(associations) => {
            let map = Map::of(heap, value)?;
            Some((map_fits(types, heap, &map::sorted(heap, map), associations), id))
        }
        Node::Fun { args, result } if table::content(heap, value).is_some() => {
            let arity = table::fun_arity(heap, value);
            let results = table::results(heap, value).into_iter();
            let fitting = results.map(|value| part_fits(types, heap, value, *result)).sum();
            args.as_ref().is_none_or(|args| Some(args.len()) == arity).then_some((fitting, id))
        }
        _ => None,
    }
}

/// How many cells of a list are looked at to tell its alternatives apart. Not all of them: that would take time in proportion to the square of their
/// number.
const CELLS: usize = 4;

/// How well the first cells of a list are of a type. Where several alternatives go on, the first one is followed.
fn cells_fit(types: &Types, heap: &Heap, value: Value, id: TypeId) -> usize {
    let (mut value, mut id, mut score) = (value, id, 0);
    for _ in 0..CELLS {
        let Node::Cons(head, tail) = types.node(id) else { break };
        score += part_fits(types, heap, heap.head(value), *head);
        value = heap.tail(value);
        score += usize::from(has_tag(types, heap, value, *tail));
        let next = types.alternatives(*tail).into_iter().find(|id| matches!(types.node(*id), Node::Cons(..)));
        match next.filter(|_| value.is_cons()) {
            Some(next) => id = next,
            None => break,
        }
    }
    score
}

/// How well a map fits: by keys that it can have, by what it has for them, and by the keys that it lacks.
fn map_fits(types: &Types, heap: &Heap, pairs: &[(Value, Value)], associations: &[Association]) -> usize {
    // What tells one alternative from another counts for more than everything else.
    let telling = 4 * (pairs.len() + 1);
    let score = |(key, element): &(Value, Value)| {
        let Some(item) = owner(types, heap, associations, *key) else { return 0 };
        let fits = part_fits(types, heap, *element, item.value);
        if fits == 2 && types.literal(item.value).is_some() { telling } else { 2 + fits }
    };
    let is_here = |item: &&Association| pairs.iter().any(|(key, _)| is_member(types, heap, *key, item.key));
    let mandatory = associations.iter().filter(|item| item.presence == Presence::Mandatory);
    let missing = mandatory.filter(|item| !is_here(item)).count();
    (associations.len() + 2 * pairs.iter().map(score).sum::<usize>()).saturating_sub(missing)
}

/// The first association that a key belongs to.
fn owner<'a>(types: &Types, heap: &Heap, associations: &'a [Association], key: Value) -> Option<&'a Association> {
    associations.iter().find(|item| is_member(types, heap, key, item.key))
}

/// Keys that a map of the type can have, with what the map has for them and the types of that. `None` if a key that it must have cannot be made
/// up.
fn repaired_keys(
    types: &Types,
    heap: &mut Heap,
    value: Value,
    associations: &[Association],
    known: Identifiers,
) -> Option<Vec<(Value, Value, TypeId)>> {
    let map = Map::of(heap, value)?;
    let pairs = map::sorted(heap, map);
    let size = pairs.len();
    let mut kept: Vec<(Value, Value, TypeId)> = Vec::new();
    let taken = |kept: &[(Value, Value, TypeId)]| kept.iter().map(|(key, ..)| *key).collect::<Vec<Value>>();
    let mut present = vec![false; associations.len()];
    for (key, element) in pairs {
        let at = associations.iter().position(|item| is_member(types, heap, key, item.key));
        if let Some((item, here)) = at.and_then(|at| Some((associations.get(at)?, present.get_mut(at)?))) {
            *here = true;
            kept.push((key, element, item.value));
        }
    }
    for (item, here) in associations.iter().zip(present) {
        if item.presence == Presence::Mandatory && !here {
            let key = another_key(types, heap, (associations, item), &taken(&kept), known)?;
            kept.push((key, smallest(types, heap, item.value, known)?, item.value));
        }
    }
    for item in associations {
        while kept.len() < size
            && let Some(key) = another_key(types, heap, (associations, item), &taken(&kept), known)
            && let Some(element) = smallest(types, heap, item.value, known)
        {
            kept.push((key, element, item.value));
        }
    }
    Some(kept)
}
