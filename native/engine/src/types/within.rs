//! Whether all terms of one type are of another.
//!
//! Types are recursive, so the answer is the greatest one that agrees with itself: all pairs of nodes that can meet are taken for included
//! where their outermost nodes are, and pairs whose parts are not are taken back until nothing changes. "No" may be wrong (of maps and funs only
//! the simple cases are known, and a union is not taken together to cover another node), "yes" never is.

use indexmap::IndexMap;

use super::{Node, TypeId, Types};

/// Beyond so many pairs the answer is no.
const MOST_PAIRS: usize = 2_000;

/// Two nodes, neither of them a union: the one that may be included, and the other.
type Pair = (TypeId, TypeId);

/// Whether each of these nodes is included in one of the others.
pub fn is_within(types: &Types, from: &[TypeId], to: &[TypeId]) -> bool {
    if from.iter().all(|id| to.contains(id)) {
        return true;
    }
    let Some(mut pairs) = pairs(types, from, to) else { return false };
    loop {
        let out: Vec<usize> = (0..pairs.len()).filter(|index| !agrees(types, &pairs, *index)).collect();
        if out.is_empty() {
            return covers(&pairs, from, to);
        }
        for index in out {
            if let Some((_, parts)) = pairs.get_index_mut(index) {
                *parts = None;
            }
        }
    }
}

/// By pair, the types of the parts that have to be included; `None` if the pair is not.
type Pairs = IndexMap<Pair, Option<Vec<Pair>>>;

/// All pairs of nodes that can meet.
fn pairs(types: &Types, from: &[TypeId], to: &[TypeId]) -> Option<Pairs> {
    let mut found = Pairs::new();
    let mut rest = all_pairs(from, to);
    while let Some(pair) = rest.pop() {
        if found.contains_key(&pair) {
            continue;
        }
        let parts = parts(types.node(pair.0), types.node(pair.1));
        for (from, to) in parts.iter().flatten() {
            rest.extend(all_pairs(&types.alternatives(*from), &types.alternatives(*to)));
        }
        found.insert(pair, parts);
        if found.len() > MOST_PAIRS {
            return None;
        }
    }
    Some(found)
}

fn all_pairs(from: &[TypeId], to: &[TypeId]) -> Vec<Pair> {
    from.iter().flat_map(|one| to.iter().map(|other| (*one, *other))).collect()
}

/// Whether a pair that is taken for included still is.
fn agrees(types: &Types, pairs: &Pairs, index: usize) -> bool {
    let Some((_, Some(parts))) = pairs.get_index(index) else { return true };
    parts.iter().all(|(from, to)| covers(pairs, &types.alternatives(*from), &types.alternatives(*to)))
}

fn covers(pairs: &Pairs, from: &[TypeId], to: &[TypeId]) -> bool {
    from.iter().all(|one| to.iter().any(|other| matches!(pairs.get(&(*one, *other)), Some(Some(_)))))
}

/// What has to hold of the parts for one node to be included in another; `None` if it cannot be.
fn parts(from: &Node, to: &Node) -> Option<Vec<Pair>> {
    let nothing = |holds: bool| holds.then(Vec::new);
    match (from, to) {
        (Node::None, _) | (_, Node::Any) => nothing(true),
        (Node::Integer { low, high }, Node::Integer { low: least, high: most }) => {
            let above = least.as_ref().is_none_or(|least| low.as_ref().is_some_and(|low| low >= least));
            let below = most.as_ref().is_none_or(|most| high.as_ref().is_some_and(|high| high <= most));
            nothing(above && below)
        }
        (Node::Atom(_), Node::AnyAtom) | (Node::Tuple(_), Node::AnyTuple) => nothing(true),
        (Node::Fun { .. }, Node::Fun { args: None, .. }) => nothing(true),
        (Node::Cons(head, tail), Node::Cons(first, rest)) => Some(vec![(*head, *first), (*tail, *rest)]),
        (Node::Tuple(elements), Node::Tuple(others)) if elements.len() == others.len() => {
            Some(elements.iter().copied().zip(others.iter().copied()).collect())
        }
        (Node::Bits { size, unit }, Node::Bits { size: 0, unit: other }) if *other > 0 => {
            nothing(size.is_multiple_of(*other) && unit.is_multiple_of(*other))
        }
        (Node::Map(associations), Node::Map(others)) if associations.len() == others.len() => {
            let alike = |(a, b): (&super::Association, &super::Association)| {
                (a.presence == b.presence && a.key == b.key).then_some((a.value, b.value))
            };
            associations.iter().zip(others).map(alike).collect()
        }
        (from, to) => nothing(from == to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::AtomId;

    /// A list of these elements, as the nodes from `at` on: its cells, and the whole.
    fn list(at: u32, element: u32) -> [Node; 2] {
        [Node::Cons(TypeId(element), TypeId(at + 1)), Node::Union(vec![TypeId(0), TypeId(at)])]
    }

    fn integer(low: Option<i32>, high: Option<i32>) -> Node {
        Node::Integer { low: low.map(Into::into), high: high.map(Into::into) }
    }

    #[test]
    fn recursive_types_are_included_by_their_parts() {
        let mut nodes = vec![Node::Nil, integer(Some(0), Some(9)), integer(Some(0), None)];
        nodes.extend(list(3, 1));
        nodes.extend(list(5, 2));
        let types = Types::new(nodes);
        let within = |a: u32, b: u32| is_within(&types, &types.alternatives(TypeId(a)), &types.alternatives(TypeId(b)));
        assert!(within(4, 6));
        assert!(!within(6, 4));
        assert!(within(0, 4));
        assert!(!within(4, 0));
    }

    #[test]
    fn tuples_are_told_apart_by_their_constants() {
        let atom = |name: &str| Node::Atom(AtomId::intern(name));
        let nodes = vec![
            atom("ok"),
            atom("error"),
            Node::Any,
            Node::Tuple(vec![TypeId(0), TypeId(2)]),
            Node::Tuple(vec![TypeId(1), TypeId(2)]),
            Node::Union(vec![TypeId(3), TypeId(4)]),
            Node::AnyTuple,
        ];
        let types = Types::new(nodes);
        let ids = |id: u32| types.alternatives(TypeId(id));
        assert!(is_within(&types, &ids(3), &ids(5)));
        assert!(!is_within(&types, &ids(5), &ids(3)));
        assert!(is_within(&types, &ids(5), &ids(6)));
        assert!(!is_within(&types, &ids(6), &ids(5)));
    }
}
