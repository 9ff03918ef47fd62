//! Every answer "satisfiable" is checked by evaluating the conditions on the model, with the reference evaluator in [`reference`].

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod arithmetic;
mod bitstrings;
mod funs;
mod lists_and_tuples;
mod maps;
mod opaque_terms;
mod reference;
mod relaxed;
mod scalars;
mod sessions;
mod typed;

use reference::{Term, holds};

use super::{Answer, Limits, Question, Solver, Step, Z3};
use crate::sym::{Arena, SymId, Tags};

/// Conditions under construction, and the solver they are put to.
struct Case {
    arena: Arena,
    steps: Vec<Step>,
    inputs: u32,
    solver: Z3,
}

fn case(inputs: u32) -> Case {
    Case { arena: Arena::default(), steps: Vec::new(), inputs, solver: Z3::new(Limits::default()) }
}

impl Case {
    fn input(&mut self, number: u32) -> SymId {
        self.arena.input(number)
    }

    /// An input that is an integer, as a number.
    fn integer(&mut self, number: u32) -> SymId {
        let x = self.input(number);
        self.require_tags(x, Tags::INT);
        self.arena.int_of(x)
    }

    /// An input that is a float, as a number.
    fn float(&mut self, number: u32) -> SymId {
        let x = self.input(number);
        self.require_tags(x, Tags::FLOAT);
        self.arena.real_of(x)
    }

    fn require(&mut self, condition: SymId, taken: bool) {
        let key = self.steps.len() as u64;
        self.steps.push(Step { key, condition, taken });
    }

    fn require_tags(&mut self, x: SymId, tags: Tags) {
        let condition = self.arena.is(x, tags);
        self.require(condition, true);
    }

    fn ask(&mut self, condition: SymId, taken: bool) -> Answer {
        let goal = Step { key: u64::MAX, condition, taken };
        let question = Question {
            arena: &self.arena,
            arena_id: 0,
            prefix: &self.steps,
            goal,
            inputs: self.inputs,
            whole: false,
            deadline: None,
        };
        self.solver.solve(&question)
    }

    /// The inputs of a model, after checking that it satisfies prefix and goal.
    fn model(&mut self, condition: SymId, taken: bool) -> Vec<Term> {
        let answer = self.ask(condition, taken);
        let Answer::Sat(model) = answer else {
            panic!("{:?} should be {taken}: {answer:?}", self.arena.get(condition))
        };
        let terms: Vec<Term> = model.inputs.iter().map(|term| term.as_ref().map_or(Term::Nil, Term::of)).collect();
        for (condition, taken) in self.steps.iter().map(|step| (step.condition, step.taken)).chain([(condition, taken)])
        {
            assert_eq!(holds(&self.arena, condition, &terms), taken, "{:?} for {terms:?}", self.arena.get(condition));
        }
        terms
    }

    fn both_ways(&mut self, condition: SymId) {
        self.model(condition, true);
        self.model(condition, false);
    }

    fn only(&mut self, condition: SymId, taken: bool) {
        self.model(condition, taken);
        assert_eq!(self.ask(condition, !taken), Answer::Unsat);
    }
}
