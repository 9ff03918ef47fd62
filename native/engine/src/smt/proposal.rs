//! Questions about the numbers of one kind in an input, put to a solver of their own.
//!
//! Some questions are hard, or have no right answer, in the theory that all others are put in: what two integers of 64 bits have in common, how
//! a float is rounded. There everything in the input but its numbers of that kind keeps its value, so that the conditions become formulas of
//! one [`Theory`] and nothing else. What comes out is only a proposal: a condition that cannot be said in this way is left out, and the
//! caller looks whether the input takes its path.

use rustc_hash::FxHashMap;
use z3::ast::Bool;
use z3::{SatResult, Solver};

use super::attempt::within_a_host;
use super::{Keeper, Step, Verdict, dump};
use crate::sym::eval::{Denoted, Evaluator};
use crate::sym::{Arena, Expr, SymId};
use crate::term::Packed;

/// What is asked: for which values at places of the inputs all steps are taken.
pub struct Asked<'a> {
    pub arena: &'a Arena,
    pub steps: &'a [Step],
    pub inputs: &'a [Packed],
    pub timeout_ms: u32,
    /// Who keeps the text of the question, and what it is about.
    pub kept: Option<(&'a dyn Keeper, &'a str)>,
}

/// What came out.
pub struct Proposal<Value> {
    pub verdict: Verdict,
    /// Terms in the input with their new values, if there are any.
    pub values: Vec<(SymId, Value)>,
}

/// Numbers of one kind.
pub(super) trait Theory: Sized {
    type Number: Clone;
    type Value;

    /// The term that an expression takes for a number of this kind.
    fn part(expr: &Expr) -> Option<SymId>;
    /// A number that can be any, in the place of one of this kind.
    fn unknown(&self, now: &Denoted) -> Option<Self::Number>;
    /// The formula of a number that does not depend on those.
    fn constant(&self, value: &Denoted) -> Option<Self::Number>;
    /// The number that a term is made of.
    fn inside(expr: &Expr) -> Option<SymId>;
    /// What only this theory knows how to say.
    fn node(encoder: &mut Encoder<'_, Self>, id: SymId) -> Option<Node<Self::Number>>;
    fn equal(a: &Self::Number, b: &Self::Number) -> Bool;
    /// What holds of every number.
    fn law(number: &Self::Number) -> Option<Bool>;
    fn value(model: &z3::Model, number: &Self::Number) -> Option<Self::Value>;
}

#[derive(Clone)]
pub(super) enum Node<Number> {
    Number(Number),
    Bool(Bool),
    /// Does not depend on the unknown numbers, or cannot be said in this theory.
    Other,
}

/// `None` if the conditions do not depend on numbers of that kind: then nothing was asked.
pub(super) fn propose<T: Theory>(theory: T, asked: &Asked<'_>) -> Option<Proposal<T::Value>> {
    let mut encoder = Encoder::new(theory, asked);
    let solver = Solver::new();
    let mut params = within_a_host();
    params.set_u32("timeout", asked.timeout_ms);
    solver.set_params(&params);
    for step in asked.steps {
        encoder.encode(step.condition);
        if let Some(Node::Bool(condition)) = encoder.memo.get(&step.condition) {
            solver.assert(if step.taken { condition.clone() } else { condition.not() });
        }
    }
    let mut unknown: Vec<(SymId, T::Number)> = encoder.unknown.into_iter().collect();
    if unknown.is_empty() {
        return None;
    }
    unknown.sort_unstable_by_key(|(term, _)| *term);
    unknown.iter().filter_map(|(_, number)| T::law(number)).for_each(|law| solver.assert(law));
    let result = solver.check();
    let verdict = Verdict::from(result);
    if let Some((keeper, about)) = asked.kept {
        let text = dump::comment(about, verdict, &[]);
        keeper.keep(&(text + &dump::script(&solver.get_assertions(), verdict)));
    }
    let model = if result == SatResult::Sat { solver.get_model() } else { None };
    let of_model = |model: z3::Model| {
        unknown.iter().filter_map(|(term, number)| Some((*term, T::value(&model, number)?))).collect()
    };
    Some(Proposal { verdict, values: model.map_or_else(Vec::new, of_model) })
}

pub(super) struct Encoder<'a, T: Theory> {
    pub(super) arena: &'a Arena,
    pub(super) theory: T,
    evaluator: Evaluator<'a>,
    /// By the terms that are these numbers.
    unknown: FxHashMap<SymId, T::Number>,
    memo: FxHashMap<SymId, Node<T::Number>>,
}

impl<'a, T: Theory> Encoder<'a, T> {
    fn new(theory: T, asked: &Asked<'a>) -> Self {
        let arena = asked.arena;
        let evaluator = Evaluator::new(arena, asked.inputs);
        let mut encoder =
            Encoder { arena, theory, evaluator, unknown: FxHashMap::default(), memo: FxHashMap::default() };
        for id in arena.parts(asked.steps.iter().map(|step| step.condition)) {
            encoder.find_unknown(id);
        }
        encoder
    }

    /// A number of the input that is one of this kind now.
    fn find_unknown(&mut self, id: SymId) -> Option<()> {
        let term = T::part(self.arena.get(id))?;
        let now = self.evaluator.value(id)?;
        let number = self.theory.unknown(&now)?;
        self.unknown.insert(term, number);
        Some(())
    }

    fn encode(&mut self, id: SymId) {
        let is_known = |encoder: &Self, id| encoder.memo.contains_key(&id);
        self.arena.parts_first(id, self, is_known, |encoder, id| {
            let node = encoder.node(id).unwrap_or(Node::Other);
            encoder.memo.insert(id, node);
        });
    }

    fn node(&mut self, id: SymId) -> Option<Node<T::Number>> {
        match self.arena.get(id) {
            expr if let Some(term) = T::part(expr) => self.unknown.get(&term).cloned().map(Node::Number),
            Expr::Eq(a, b) => self.equal(*a, *b).map(Node::Bool),
            Expr::Not(a) => self.condition(*a).map(|a| Node::Bool(a.not())),
            Expr::And(a, b) => self.conditions(*a, *b).map(|both| Node::Bool(Bool::and(&both))),
            Expr::Or(a, b) => self.conditions(*a, *b).map(|both| Node::Bool(Bool::or(&both))),
            _ => T::node(self, id),
        }
    }

    /// A number that depends on the unknown ones.
    pub(super) fn open(&self, id: SymId) -> Option<T::Number> {
        match self.memo.get(&id)? {
            Node::Number(number) => Some(number.clone()),
            Node::Bool(_) | Node::Other => None,
        }
    }

    /// Any number: one that does not depend on them is a constant.
    fn number(&mut self, id: SymId) -> Option<T::Number> {
        if let Some(number) = self.unknown.get(&id).cloned().or_else(|| self.open(id)) {
            return Some(number);
        }
        self.theory.constant(&self.evaluator.value(id)?)
    }

    /// Two numbers of which at least one depends on the unknown ones.
    pub(super) fn numbers(&mut self, a: SymId, b: SymId) -> Option<(T::Number, T::Number)> {
        let is_open = |id: &SymId| self.unknown.contains_key(id) || self.open(*id).is_some();
        if !is_open(&a) && !is_open(&b) {
            return None;
        }
        Some((self.number(a)?, self.number(b)?))
    }

    fn equal(&mut self, a: SymId, b: SymId) -> Option<Bool> {
        let [a, b] = [a, b].map(|id| T::inside(self.arena.get(id)).unwrap_or(id));
        self.numbers(a, b).map(|(a, b)| T::equal(&a, &b))
    }

    /// A condition; one that does not depend on the unknown numbers is what it is now.
    fn condition(&mut self, id: SymId) -> Option<Bool> {
        if let Some(Node::Bool(condition)) = self.memo.get(&id) {
            return Some(condition.clone());
        }
        self.evaluator.holds(id).map(Bool::from_bool)
    }

    /// Two conditions of which at least one depends on the unknown numbers.
    fn conditions(&mut self, a: SymId, b: SymId) -> Option<[Bool; 2]> {
        let is_open = |id: &SymId| matches!(self.memo.get(id), Some(Node::Bool(_)));
        if !is_open(&a) && !is_open(&b) {
            return None;
        }
        Some([self.condition(a)?, self.condition(b)?])
    }
}
