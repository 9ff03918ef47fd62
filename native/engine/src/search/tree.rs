//! The execution tree: every path taken so far, and the sides of decisions that are still open.

use std::sync::Arc;

use super::spec::Spec;
use crate::path::{Decision, Origin, Remembered, SiteId};
use crate::smt::Step;
use crate::sym::Arena;
#[cfg(test)]
use crate::sym::SymId;
use crate::sym::guard::guard;
use crate::term::Packed;
#[cfg(test)]
use crate::term::Value;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// A number for this decision taken one way: equal numbers mean equal conditions.
    pub const fn key(self, taken: bool) -> u64 {
        ((self.0 as u64) << 1) | taken as u64
    }
}

/// A decision that some run made, and what is known of its two sides (false, true).
struct Node {
    site: SiteId,
    sides: [Side; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Nobody has been there.
    Open,
    /// The next decision on that side.
    Next(NodeId),
    /// A run went there and decided nothing more.
    End,
    /// No input goes there.
    Infeasible,
    /// The solver could not tell.
    GaveUp,
}

/// A path as the search keeps it: what is needed to solve for the other side of its decisions.
pub struct Record {
    pub input: Vec<Packed>,
    pub arena: Arena,
    pub decisions: Vec<Decision>,
    /// Calls without symbolic meaning.
    pub remembered: Vec<Remembered>,
    /// The node of each decision.
    pub nodes: Vec<NodeId>,
    /// A number of this record's own, to tell arenas apart.
    pub number: u64,
    /// Its run can be made again from the input alone, at little cost.
    pub can_sleep: bool,
}

impl Record {
    /// For which inputs the run goes this way, as a guard.
    pub fn condition(&self, spec: &Spec) -> Option<String> {
        let conditions = self.decisions.iter().map(|decision| (decision.condition, decision.taken));
        guard(&self.arena, &conditions.collect::<Vec<_>>(), &spec.open_tags(&self.arena))
    }

    /// The calls without symbolic meaning before a decision.
    pub fn remembered_before(&self, index: usize) -> impl Iterator<Item = &Remembered> {
        self.remembered.iter().take_while(move |call| call.after <= index)
    }

    /// The way to the other side of a decision: all conditions up to there, and whether they are to hold.
    pub fn steps_to_other_side(&self, index: usize) -> impl DoubleEndedIterator<Item = Step> + '_ {
        let decisions = self.decisions.get(..=index).unwrap_or_default();
        decisions.iter().enumerate().map(move |(at, decision)| {
            let taken = decision.taken != (at == index);
            let key = self.nodes.get(at).map_or(0, |node| node.key(taken));
            Step { key, condition: decision.condition, taken }
        })
    }

    pub fn decision(&self, index: usize) -> Option<&Decision> {
        self.decisions.get(index)
    }
}

#[derive(Default)]
pub struct Tree {
    nodes: Vec<Node>,
    root: Option<NodeId>,
    /// Where the root is a leaf: a run that decided nothing.
    records: u64,
}

/// What adding a path has brought.
pub struct Added {
    pub record: Arc<Record>,
    /// The decisions, by index, whose other side is open now.
    pub open: Vec<usize>,
    /// The run was at a decision other than the tree says: it is not a function of its input.
    pub differs: bool,
}

impl Tree {
    pub fn add(
        &mut self,
        input: Vec<Packed>,
        arena: Arena,
        path: (Vec<Decision>, Vec<Remembered>),
        can_sleep: bool,
    ) -> Added {
        let (decisions, remembered) = path;
        let mut nodes: Vec<NodeId> = Vec::with_capacity(decisions.len());
        let mut open = Vec::new();
        let mut differs = false;
        for (index, decision) in decisions.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|last| Some((*nodes.get(last)?, decisions.get(last)?.taken)));
            let node = match self.after(before) {
                Some(node) => node,
                None => {
                    let node = self.grow(before, decision.site);
                    if decision.origin == Origin::Given {
                        self.set(node, !decision.taken, Side::Infeasible);
                    } else {
                        open.push(index);
                    }
                    node
                }
            };
            if self.site(node) != Some(decision.site) {
                differs = true;
                break;
            }
            nodes.push(node);
        }
        if !differs && let Some((node, decision)) = nodes.last().zip(decisions.last()) {
            self.set_if_open(*node, decision.taken, Side::End);
        }
        let number = self.records;
        self.records += 1;
        let record = Arc::new(Record { input, arena, decisions, remembered, nodes, number, can_sleep });
        Added { record, open, differs }
    }

    /// The decision that follows one side of another, or the first one.
    fn after(&self, before: Option<(NodeId, bool)>) -> Option<NodeId> {
        match before {
            None => self.root,
            Some((node, taken)) => match self.side(node, taken) {
                Some(Side::Next(next)) => Some(next),
                _ => None,
            },
        }
    }

    fn grow(&mut self, before: Option<(NodeId, bool)>, site: SiteId) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { site, sides: [Side::Open; 2] });
        match before {
            None => self.root = Some(id),
            Some((node, taken)) => self.set(node, taken, Side::Next(id)),
        }
        id
    }

    fn site(&self, node: NodeId) -> Option<SiteId> {
        self.nodes.get(node.0 as usize).map(|node| node.site)
    }

    pub fn side(&self, node: NodeId, taken: bool) -> Option<Side> {
        let [no, yes] = self.nodes.get(node.0 as usize)?.sides;
        Some(if taken { yes } else { no })
    }

    pub fn set(&mut self, node: NodeId, taken: bool, side: Side) {
        if let Some(Node { sides: [no, yes], .. }) = self.nodes.get_mut(node.0 as usize) {
            *(if taken { yes } else { no }) = side;
        }
    }

    pub fn set_if_open(&mut self, node: NodeId, taken: bool, side: Side) {
        if self.side(node, taken) == Some(Side::Open) {
            self.set(node, taken, side);
        }
    }

    /// What is known of the sides of all decisions.
    pub fn sides(&self) -> impl Iterator<Item = (SiteId, bool, Side)> + '_ {
        self.nodes.iter().flat_map(|node| {
            let [no, yes] = node.sides;
            [(node.site, false, no), (node.site, true, yes)]
        })
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

#[cfg(test)]
impl Record {
    /// A path of two inputs, both zero, with these conditions and whether they hold.
    pub(super) fn of_conditions(arena: Arena, conditions: impl IntoIterator<Item = (SymId, bool)>) -> Record {
        let decision = |(number, (condition, taken)): (u32, (SymId, bool))| Decision {
            site: SiteId(number),
            condition,
            taken,
            origin: Origin::Program,
            depth: number,
            within: SiteId(number),
        };
        let decisions: Vec<Decision> = (0..).zip(conditions).map(decision).collect();
        let number = 0;
        let nodes = (0..decisions.len() as u32).map(NodeId).collect();
        let input = vec![Packed::immediate(Value::ZERO); 2];
        Record { input, arena, decisions, remembered: Vec::new(), nodes, number, can_sleep: false }
    }
}
