//! A smallest term of a type.
//!
//! The height of a type is that of its lowest term, found by a fixed point over the table. Going for an alternative of least height at each node
//! ends, since the parts of a node are lower than the node.

use num_bigint::BigInt;
use num_traits::Zero;

use super::making::{Task, Visited, Whole, make};
use super::member::is_member;
use super::{Association, Node, Presence, TypeId, Types};
use crate::term::{AtomId, Heap, Value, order, table};

/// The height of the lowest term of each node: `None` for a type without terms.
pub(super) fn heights(nodes: &[Node]) -> Vec<Option<u32>> {
    let mut heights: Vec<Option<u32>> = vec![None; nodes.len()];
    loop {
        let mut changed = false;
        for (index, node) in nodes.iter().enumerate() {
            let height = height(node, &|id: &TypeId| heights.get(id.0 as usize).copied().flatten());
            if let Some(slot) = heights.get_mut(index)
                && *slot != height
                && (slot.is_none() || height < *slot)
            {
                *slot = height;
                changed = true;
            }
        }
        if !changed {
            return heights;
        }
    }
}

fn height(node: &Node, of: &dyn Fn(&TypeId) -> Option<u32>) -> Option<u32> {
    let all =
        |ids: &[TypeId]| ids.iter().try_fold(0, |highest: u32, id| Some(highest.max(of(id)?))).map(|height| height + 1);
    match node {
        Node::None => None,
        Node::Integer { low: Some(low), high: Some(high) } if low > high => None,
        Node::Any
        | Node::Integer { .. }
        | Node::Float
        | Node::AnyAtom
        | Node::Atom(_)
        | Node::Nil
        | Node::AnyTuple
        | Node::Bits { .. }
        | Node::Pid
        | Node::Port
        | Node::Reference => Some(0),
        Node::Cons(head, tail) => all(&[*head, *tail]),
        Node::Tuple(elements) => all(elements),
        Node::Map(associations) => {
            let mandatory = associations.iter().filter(|item| item.presence == Presence::Mandatory);
            all(&mandatory.flat_map(|item| [item.key, item.value]).collect::<Vec<_>>())
        }
        // A fun that never returns has a type too.
        Node::Fun { .. } => Some(1),
        Node::Union(parts) => parts.iter().filter_map(of).min(),
    }
}

/// Terms that cannot be made up: a process, a port and a reference, if the VM's side gave some.
#[derive(Clone, Copy, Default)]
pub struct Identifiers {
    pub pid: Option<Value>,
    pub port: Option<Value>,
    pub reference: Option<Value>,
}

/// Funs that return funs, one inside the other: a type may have no end of them.
const NESTED_FUNS: usize = 16;

/// A smallest term of a type; `None` if there is none, or none that can be made up.
pub fn smallest(types: &Types, heap: &mut Heap, id: TypeId, known: Identifiers) -> Option<Value> {
    types.height(id)?;
    make(heap, id, |heap, id, tasks| match lowest(types, id) {
        Some(id) => flat(types, heap, id, known, tasks),
        None => Visited::Nothing,
    })
}

/// An alternative of least height.
fn lowest(types: &Types, id: TypeId) -> Option<TypeId> {
    let alternatives = types.alternatives(id).into_iter();
    alternatives.filter_map(|id| Some((types.height(id)?, id))).min_by_key(|(height, _)| *height).map(|(_, id)| id)
}

fn flat(types: &Types, heap: &mut Heap, id: TypeId, known: Identifiers, tasks: &mut Vec<Task<TypeId>>) -> Visited {
    match types.node(id) {
        Node::Any => Visited::Term(Value::ZERO),
        Node::None | Node::Union(_) => Visited::Nothing,
        Node::Integer { low, high } => Visited::Term(heap.bigint(&nearest_to_zero(low.as_ref(), high.as_ref()))),
        Node::Float => Visited::Term(heap.float(0.0)),
        Node::AnyAtom => Visited::Term(Value::atom(AtomId::intern("a"))),
        Node::Atom(atom) => Visited::Term(Value::atom(*atom)),
        Node::Nil => Visited::Term(Value::NIL),
        Node::Cons(head, tail) => {
            tasks.extend([Task::Make(Whole::Cons), Task::Visit(*tail), Task::Visit(*head)]);
            Visited::Parts
        }
        Node::AnyTuple => Visited::Term(heap.tuple(&[])),
        Node::Tuple(elements) => {
            tasks.push(Task::Make(Whole::Tuple(elements.len())));
            tasks.extend(elements.iter().rev().map(|id| Task::Visit(*id)));
            Visited::Parts
        }
        Node::Bits { size, .. } => zeros(heap, *size),
        Node::Map(associations) => {
            let mandatory = associations.iter().filter(|item| item.presence == Presence::Mandatory);
            let mut keys = Vec::new();
            for item in mandatory.clone() {
                let Some(key) = another_key(types, heap, (associations, item), &keys, known) else {
                    return Visited::Nothing;
                };
                keys.push(key);
            }
            tasks.push(Task::Make(Whole::Map(keys)));
            tasks.extend(mandatory.rev().map(|item| Task::Visit(item.value)));
            Visited::Parts
        }
        Node::Fun { args, result } => {
            let arity = args.as_ref().map_or(1, Vec::len);
            let nested = tasks.iter().filter(|task| matches!(task, Task::Make(Whole::Fun(..)))).count();
            if arity > table::MAX_TABLE_ARITY || nested >= NESTED_FUNS || types.height(*result).is_none() {
                return Visited::Term(some_fun(heap, arity));
            }
            tasks.extend([Task::Make(Whole::Fun(arity, Vec::new())), Task::Visit(*result)]);
            Visited::Parts
        }
        Node::Pid => known.pid.into(),
        Node::Port => known.port.into(),
        Node::Reference => known.reference.into(),
    }
}

/// How many keys are tried for one that a map does not have yet.
const TRIED: u64 = 64;

/// A key that belongs to an association and is none of these; `None` if none is found.
pub fn another_key(
    types: &Types,
    heap: &mut Heap,
    (associations, item): (&[Association], &Association),
    taken: &[Value],
    known: Identifiers,
) -> Option<Value> {
    (0..taken.len() as u64 + TRIED).find_map(|turn| {
        let key = numbered(types, heap, item.key, turn, known)?;
        let is_new = !taken.iter().any(|other| order::identical(heap, *other, key));
        let owner = associations.iter().find(|other| is_member(types, heap, key, other.key));
        (is_new && owner.is_some_and(|owner| std::ptr::eq(owner, item))).then_some(key)
    })
}

/// Terms of a type that are different for different numbers, as long as there are enough of them that are easy to make; the first is a
/// smallest one.
pub fn numbered(types: &Types, heap: &mut Heap, id: TypeId, turn: u64, known: Identifiers) -> Option<Value> {
    // Around the parts that stay as they are: what is made last, first.
    let mut around: Vec<Around> = Vec::new();
    let (mut id, mut turn) = (id, turn);
    let mut value = loop {
        let flat: Vec<TypeId> = by_height(types, id);
        let many = flat.iter().copied().find(|id| has_many(types, *id));
        let (one, rest) = match flat.get(usize::try_from(turn).ok()?) {
            Some(one) => (*one, 0),
            None => (many?, turn - flat.len() as u64 + 1),
        };
        if rest == 0 {
            break smallest(types, heap, one, known)?;
        }
        match types.node(one) {
            Node::Integer { low, high } => break heap.bigint(&counted(low.as_ref(), high.as_ref(), rest)?),
            Node::Float => break heap.float(rest as f64),
            Node::AnyAtom => break Value::atom(AtomId::intern(&format!("a{rest}"))),
            Node::Any => break heap.bigint(&BigInt::from(rest)),
            Node::Bits { size, unit } => break bits_of_many(heap, *size, *unit, rest)?,
            Node::Cons(head, tail) => {
                around.push(Around::Tail(smallest(types, heap, *tail, known)?));
                (id, turn) = (*head, rest);
            }
            Node::Tuple(elements) => {
                let at = elements.iter().position(|id| by_height(types, *id).iter().any(|id| has_many(types, *id)))?;
                let parts = elements.iter().map(|id| smallest(types, heap, *id, known)).collect::<Option<Vec<_>>>()?;
                around.push(Around::Tuple(parts, at));
                (id, turn) = (*elements.get(at)?, rest);
            }
            Node::None
            | Node::Atom(_)
            | Node::Nil
            | Node::AnyTuple
            | Node::Map(_)
            | Node::Fun { .. }
            | Node::Pid
            | Node::Port
            | Node::Reference
            | Node::Union(_) => return None,
        }
    };
    while let Some(next) = around.pop() {
        value = match next {
            Around::Tail(tail) => heap.cons(value, tail),
            Around::Tuple(mut parts, at) => {
                *parts.get_mut(at)? = value;
                heap.tuple(&parts)
            }
        };
    }
    Some(value)
}

/// The parts of a structure but for one.
enum Around {
    Tail(Value),
    Tuple(Vec<Value>, usize),
}

fn by_height(types: &Types, id: TypeId) -> Vec<TypeId> {
    let mut all = types.alternatives(id);
    all.retain(|id| types.height(*id).is_some());
    all.sort_by_key(|id| types.height(*id));
    all
}

/// Whether a node has terms for many numbers.
fn has_many(types: &Types, id: TypeId) -> bool {
    match types.node(id) {
        Node::Integer { low, high } => low.is_none() || high.is_none() || low < high,
        Node::Float | Node::AnyAtom | Node::Any => true,
        Node::Bits { size, unit } => *unit > 0 || *size > 0,
        // Which of these have terms enough shows when they are made.
        Node::Cons(..) => true,
        Node::Tuple(elements) => !elements.is_empty(),
        Node::None
        | Node::Atom(_)
        | Node::Nil
        | Node::AnyTuple
        | Node::Map(_)
        | Node::Fun { .. }
        | Node::Pid
        | Node::Port
        | Node::Reference
        | Node::Union(_) => false,
    }
}

/// The integer so many steps from the one that is nearest to zero; `None` if that is out of bounds.
fn counted(low: Option<&BigInt>, high: Option<&BigInt>, steps: u64) -> Option<BigInt> {
    let start = nearest_to_zero(low, high);
    let up = &start + steps;
    if high.is_none_or(|high| up <= *high) {
        return Some(up);
    }
    let above = high.map_or_else(BigInt::zero, |high| high - &start);
    let down = &start - (BigInt::from(steps) - above);
    low.is_none_or(|low| down >= *low).then_some(down)
}

/// A bitstring that ends with a number, of the size that it needs.
fn bits_of_many(heap: &mut Heap, size: u64, unit: u64, number: u64) -> Option<Value> {
    let mut wanted = size;
    while unit > 0 && wanted < 64 && number >> wanted != 0 {
        wanted += unit;
    }
    if wanted > MOST_BITS || (wanted < 64 && number >> wanted != 0) {
        return None;
    }
    let mut writer = crate::term::bits::BitWriter::new();
    writer.push_integer(&BigInt::from(number), wanted as usize, crate::term::bits::Endian::Big);
    Some(writer.finish(heap))
}

/// Larger bitstrings are not made up.
const MOST_BITS: u64 = 1 << 20;

fn zeros(heap: &mut Heap, size: u64) -> Visited {
    if size > MOST_BITS {
        return Visited::Nothing;
    }
    let mut writer = crate::term::bits::BitWriter::new();
    writer.push_integer(&BigInt::zero(), size as usize, crate::term::bits::Endian::Big);
    Visited::Term(writer.finish(heap))
}

/// A fun that can be called, unless it has more arguments than one of ours can have.
fn some_fun(heap: &mut Heap, arity: usize) -> Value {
    if arity <= table::MAX_TABLE_ARITY {
        return table::table_fun(heap, arity, &[], Value::ZERO);
    }
    heap.external(AtomId::ERLANG, AtomId::intern("is_atom"), arity)
}

/// The integer between the bounds that has the least absolute value.
pub fn nearest_to_zero(low: Option<&BigInt>, high: Option<&BigInt>) -> BigInt {
    let zero = BigInt::zero();
    match (low, high) {
        (Some(low), _) if *low > zero => low.clone(),
        (_, Some(high)) if *high < zero => high.clone(),
        (Some(_) | None, Some(_) | None) => zero,
    }
}
