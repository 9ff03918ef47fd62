//! Whether a term is of a type.
//!
//! What the outermost node of the term decides is decided there, so as a rule one alternative of a union is left, and lists are walked in
//! constant space. Where several are left they are tried one after the other, and answers are kept, so that nested unions do not
//! multiply. After many steps all answers are kept: a small term can be a large one if its parts are shared. Of a fun the arity is looked at, and of one that was solved for all that its table returns.

use rustc_hash::FxHashMap;

use super::{Association, Node, Presence, TypeId, Types};
use crate::sym::lift::tags_of;
use crate::term::map::{self, Map};
use crate::term::{Heap, Value, View, table};

/// A term that is to be of a type.
type Goal = (Value, TypeId);

/// From so many steps on all answers are kept.
const MANY: usize = 10_000;

enum Frame {
    /// What else has to hold.
    All(Vec<Goal>),
    /// What would do instead.
    Any(Goal, Vec<Vec<Goal>>),
    /// Whether it holds is asked, whatever the answer: to which association of a map a key belongs.
    Ask(Goal),
}

/// What an outermost node says.
enum Parts {
    /// It does not fit.
    No,
    /// What has to hold of the parts, the first one last.
    All(Vec<Goal>),
    /// These have to be known first.
    Ask(Vec<Goal>),
}

/// Whether the concrete part of a value is of the type.
pub fn is_member(types: &Types, heap: &Heap, value: Value, id: TypeId) -> bool {
    Search { types, heap, known: FxHashMap::default(), steps: 0 }.holds((value, id))
}

struct Search<'a> {
    types: &'a Types,
    heap: &'a Heap,
    /// Answers to questions that had more than one way, were asked, or came late.
    known: FxHashMap<Goal, bool>,
    steps: usize,
}

impl Search<'_> {
    fn holds(&mut self, goal: Goal) -> bool {
        let mut stack = vec![Frame::All(vec![goal])];
        loop {
            // What is left of the top frame decides what comes next.
            let goal = match stack.pop() {
                None => return true,
                Some(Frame::All(mut goals)) => match goals.pop() {
                    None => continue,
                    Some(goal) => {
                        if !goals.is_empty() {
                            stack.push(Frame::All(goals));
                        }
                        goal
                    }
                },
                Some(Frame::Any(goal, _) | Frame::Ask(goal)) => {
                    self.known.insert(goal, true);
                    continue;
                }
            };
            if !self.try_goal(goal, &mut stack) && !self.try_other(&mut stack) {
                return false;
            }
        }
    }

    /// Puts what the goal needs on the stack. False if it cannot hold.
    fn try_goal(&mut self, goal: Goal, stack: &mut Vec<Frame>) -> bool {
        let goal = (self.heap.concrete(goal.0), goal.1);
        if let Some(known) = self.known.get(&goal) {
            return *known;
        }
        self.steps += 1;
        let mut ways = match self.ways(goal) {
            Ok(ways) => ways,
            Err(unknown) => {
                stack.push(Frame::All(vec![goal]));
                stack.extend(unknown.into_iter().flat_map(|goal| [Frame::Ask(goal), Frame::All(vec![goal])]));
                return true;
            }
        };
        match ways.pop() {
            None => false,
            Some(way) => {
                if !ways.is_empty() || self.steps > MANY && !way.is_empty() {
                    stack.push(Frame::Any(goal, ways));
                }
                stack.push(Frame::All(way));
                true
            }
        }
    }

    /// Goes back to the last choice. False if there is none.
    fn try_other(&mut self, stack: &mut Vec<Frame>) -> bool {
        while let Some(frame) = stack.pop() {
            match frame {
                Frame::All(_) => {}
                Frame::Ask(goal) => {
                    self.known.insert(goal, false);
                    return true;
                }
                Frame::Any(goal, mut ways) => match ways.pop() {
                    None => {
                        self.known.insert(goal, false);
                    }
                    Some(way) => {
                        stack.extend([Frame::Any(goal, ways), Frame::All(way)]);
                        return true;
                    }
                },
            }
        }
        false
    }

    /// The alternatives that the outermost node leaves, the last one first, each with what it asks of the parts; or what has to be known
    /// before.
    fn ways(&self, (value, id): Goal) -> Result<Vec<Vec<Goal>>, Vec<Goal>> {
        let mut ways = Vec::new();
        for id in self.types.alternatives(id).into_iter().rev() {
            let parts = match self.types.node(id) {
                Node::Map(associations) => self.map_parts(value, associations),
                node => self.parts(value, node).map_or(Parts::No, Parts::All),
            };
            match parts {
                Parts::No => {}
                Parts::All(goals) => ways.push(goals),
                Parts::Ask(goals) => return Err(goals),
            }
        }
        Ok(ways)
    }

    /// What has to hold of the parts, the first one last, if the outermost node fits.
    fn parts(&self, value: Value, node: &Node) -> Option<Vec<Goal>> {
        let heap = self.heap;
        let flat = |fits: bool| fits.then(Vec::new);
        match node {
            Node::Any => flat(true),
            Node::None | Node::Union(_) | Node::Map(_) => None,
            Node::Integer { low, high } => {
                if low.is_none() && high.is_none() {
                    return flat(matches!(heap.view(value), View::Small(_) | View::Big(_)));
                }
                let int = heap.integer(value)?;
                flat(low.as_ref().is_none_or(|low| *low <= int) && high.as_ref().is_none_or(|high| int <= *high))
            }
            Node::Atom(atom) => flat(value == Value::atom(*atom)),
            Node::Cons(head, tail) => {
                value.is_cons().then(|| vec![(heap.tail(value), *tail), (heap.head(value), *head)])
            }
            Node::Tuple(elements) => {
                let fits = heap.tuple_arity(value) == Some(elements.len());
                let parts = elements.iter().enumerate().rev();
                fits.then(|| parts.map(|(index, id)| (heap.element(value, index), *id)).collect())
            }
            Node::Bits { size, unit } => {
                let length = heap.as_bits(value)?.length as u64;
                let rest = length.checked_sub(*size)?;
                flat(if *unit == 0 { rest == 0 } else { rest % unit == 0 })
            }
            Node::Fun { args, result } => {
                let arity = table::fun_arity(heap, value)?;
                let wanted = args.as_ref().map(Vec::len);
                // A fun that never returns is taken for one whose results do not matter.
                let returns = self.types.height(*result).is_some();
                let results = table::results(heap, value).into_iter().filter(|_| returns).map(|value| (value, *result));
                wanted.is_none_or(|wanted| wanted == arity).then(|| results.collect())
            }
            Node::Float | Node::AnyAtom | Node::Nil | Node::AnyTuple | Node::Pid | Node::Port | Node::Reference => {
                flat(node.tags().contains(tags_of(heap, value)))
            }
        }
    }

    fn map_parts(&self, value: Value, associations: &[Association]) -> Parts {
        let Some(map) = Map::of(self.heap, value) else { return Parts::No };
        let mut present = vec![false; associations.len()];
        let (mut goals, mut unknown) = (Vec::new(), Vec::new());
        for (key, value) in map::sorted(self.heap, map) {
            let at = match self.association(self.heap.concrete(key), associations) {
                Ok(Some(at)) => at,
                Ok(None) => return Parts::No,
                Err(goal) => {
                    unknown.push(goal);
                    continue;
                }
            };
            if let (Some(item), Some(present)) = (associations.get(at), present.get_mut(at)) {
                *present = true;
                goals.push((value, item.value));
            }
        }
        if !unknown.is_empty() {
            return Parts::Ask(unknown);
        }
        let complete = associations.iter().zip(present).all(|(item, here)| here || item.presence == Presence::Optional);
        goals.reverse();
        if complete { Parts::All(goals) } else { Parts::No }
    }

    /// The first association that a key belongs to, or what has to be known before.
    fn association(&self, key: Value, associations: &[Association]) -> Result<Option<usize>, Goal> {
        for (at, item) in associations.iter().enumerate() {
            match self.known.get(&(key, item.key)) {
                Some(true) => return Ok(Some(at)),
                Some(false) => {}
                None => return Err((key, item.key)),
            }
        }
        Ok(None)
    }
}
