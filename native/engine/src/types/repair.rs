//! A term made one of a type, with as little change as possible.
//!
//! A model says nothing about places that no condition speaks of, and leaves them with a value that may be of no use. Wherever a part is not of the type
//! that its place has, the alternative that its outermost node fits is kept and its parts are repaired; where none fits, a smallest
//! term of the type takes its place. A map keeps its number of keys where it can: a key that it must not have makes room for one that it must have,
//! or for another one that it can have.

use super::inhabitant::{Identifiers, numbered, smallest};
use super::member::is_member;
use super::{Association, Node, Presence, TypeId, Types};
use crate::term::map::{self, Map};
use crate::term::{Heap, Value, order, table};

enum Task {
    Visit(Value, TypeId),
    Cons,
    Tuple(usize),
    Map(Vec<Value>),
    /// A table fun: its arity, and the arguments of its calls.
    Fun(usize, Vec<Value>),
}

/// A term of the type that is close to this one; `None` if there is no term of the type at all.
pub fn repaired(types: &Types, heap: &mut Heap, value: Value, id: TypeId, known: Identifiers) -> Option<Value> {
    if is_member(types, heap, value, id) {
        return Some(value);
    }
    let mut tasks = vec![Task::Visit(value, id)];
    let mut done: Vec<Value> = Vec::new();
    while let Some(task) = tasks.pop() {
        let value = match task {
            Task::Visit(value, id) => {
                if visit(types, heap, value, id, known, &mut tasks) {
                    continue;
                }
                if is_member(types, heap, value, id) { value } else { smallest(types, heap, id, known)? }
            }
            Task::Cons => {
                let (tail, head) = (done.pop()?, done.pop()?);
                heap.cons(head, tail)
            }
            Task::Tuple(size) => {
                let elements = done.split_off(done.len().checked_sub(size)?);
                heap.tuple(&elements)
            }
            Task::Map(keys) => {
                let values = done.split_off(done.len().checked_sub(keys.len())?);
                map::from_pairs(heap, keys.into_iter().zip(values).collect(), false)
            }
            Task::Fun(arity, args) => {
                let default = done.pop()?;
                let results = done.split_off(done.len().checked_sub(args.len())?);
                let calls: Vec<(Value, Value)> = args.into_iter().zip(results).collect();
                table::table_fun(heap, arity, &calls, default)
            }
        };
        done.push(value);
    }
    done.pop()
}

/// Puts the parts of a structure on the stack, if there is just one alternative that it fits. False if it is to be dealt with as a whole.
fn visit(types: &Types, heap: &mut Heap, value: Value, id: TypeId, known: Identifiers, tasks: &mut Vec<Task>) -> bool {
    let fitting = types.alternatives(id).into_iter().filter_map(|id| fit(types, heap, value, id));
    let Some((_, id)) = fitting.max_by_key(|(score, id)| (*score, std::cmp::Reverse(*id))) else { return false };
    match types.node(id) {
        Node::Cons(head, tail) => {
            tasks.extend([Task::Cons, Task::Visit(heap.tail(value), *tail), Task::Visit(heap.head(value), *head)]);
            true
        }
        Node::Tuple(elements) => {
            tasks.push(Task::Tuple(elements.len()));
            let parts = elements.iter().enumerate().rev();
            tasks.extend(parts.map(|(index, id)| Task::Visit(heap.element(value, index), *id)));
            true
        }
        Node::Map(associations) => {
            let Some(pairs) = repaired_keys(types, heap, value, associations, known) else { return false };
            tasks.push(Task::Map(pairs.iter().map(|(key, ..)| *key).collect()));
            tasks.extend(pairs.iter().rev().map(|(_, element, id)| Task::Visit(*element, *id)));
            true
        }
        Node::Fun { result, .. } => {
            let Some(arity) = table::fun_arity(heap, value) else { return false };
            let args = table::calls(heap, value).into_iter().map(|(args, _)| args).collect();
            tasks.push(Task::Fun(arity, args));
            tasks.extend(table::results(heap, value).into_iter().rev().map(|value| Task::Visit(value, *result)));
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

/// How many parts of a structure are of the types that an alternative wants, if its outermost node fits.
fn fit(types: &Types, heap: &Heap, value: Value, id: TypeId) -> Option<(usize, TypeId)> {
    match types.node(id) {
        Node::Cons(..) if value.is_cons() => Some((0, id)),
        Node::Tuple(elements) if heap.tuple_arity(value) == Some(elements.len()) => {
            let fitting = |(index, id): (usize, &TypeId)| {
                let part = heap.element(value, index);
                // A tag counts for more than everything else.
                let weight = if matches!(types.node(*id), Node::Atom(_)) { elements.len() } else { 1 };
                if is_member(types, heap, part, *id) { weight } else { 0 }
            };
            Some((elements.iter().enumerate().map(fitting).sum(), id))
        }
        Node::Map(associations) => {
            let map = Map::of(heap, value)?;
            let score = |(key, element): (Value, Value)| {
                let Some(item) = owner(types, heap, associations, key) else { return 0 };
                // What tells one alternative from another counts for more than everything else.
                let weight = if types.literal(item.value).is_some() { map.size + 1 } else { 1 };
                if is_member(types, heap, element, item.value) { weight } else { 0 }
            };
            Some((map::sorted(heap, map).into_iter().map(score).sum(), id))
        }
        Node::Fun { args, .. } if table::content(heap, value).is_some() => {
            let arity = table::fun_arity(heap, value);
            args.as_ref().is_none_or(|args| Some(args.len()) == arity).then_some((1, id))
        }
        _ => None,
    }
}

/// The first association that a key belongs to.
fn owner<'a>(types: &Types, heap: &Heap, associations: &'a [Association], key: Value) -> Option<&'a Association> {
    associations.iter().find(|item| is_member(types, heap, key, item.key))
}

/// How many keys are tried for one that a map does not have yet.
const TRIED: u64 = 64;

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
            let key = another_key(types, heap, (associations, item), &kept, known)?;
            kept.push((key, smallest(types, heap, item.value, known)?, item.value));
        }
    }
    for item in associations {
        while kept.len() < size
            && let Some(key) = another_key(types, heap, (associations, item), &kept, known)
            && let Some(element) = smallest(types, heap, item.value, known)
        {
            kept.push((key, element, item.value));
        }
    }
    Some(kept)
}

/// A key of an association that is none of these.
fn another_key(
    types: &Types,
    heap: &mut Heap,
    (associations, item): (&[Association], &Association),
    kept: &[(Value, Value, TypeId)],
    known: Identifiers,
) -> Option<Value> {
    let most = kept.len() as u64 + TRIED;
    (0..most).find_map(|turn| {
        let key = numbered(types, heap, item.key, turn, known)?;
        let is_new = !kept.iter().any(|(other, ..)| order::identical(heap, *other, key));
        let is_own = owner(types, heap, associations, key).is_some_and(|owner| std::ptr::eq(owner, item));
        (is_new && is_own).then_some(key)
    })
}
