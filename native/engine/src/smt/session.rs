//! What is asserted to Z3, kept along common prefixes, and the loop that gets a usable model.
//!
//! The conditions of the last question's prefix stay asserted, one scope each. The next question pops to the longest common prefix and pushes the
//! rest; the goal has a scope of its own that is popped after the answer.

use std::mem::replace;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use num_bigint::BigInt;
use z3::ast::{Bool, Datatype, Int};
use z3::{SatResult, StatisticsValue};

use super::attempt::first_attempt;
use super::constants::IDENTIFIERS;
use super::decode::{Decoded, decode, places};
use super::encode::Encoder;
use super::facts::{Facts, Mark};
use super::prefer::int_leaves;
use super::sorts::Shape;
use super::z3_solver::Z3;
use super::{Answer, EncodeError, Keeper, Limits, Question, Step, ages, dump, examples, funs};
use crate::sym::SymId;

/// How often a model may be refused because it has a reference, port or pid that does not exist.
const REFUSALS: usize = 16;

/// How often the names of atoms in a model may be wrong.
const NAMINGS: usize = 64;

/// How often the types of parts that nobody speaks of are put to Z3 one level deeper.
const DEEPEST: usize = 40;

/// How often maps of which only the number of keys is known are given keys of their type, and places that matter as a whole are put to Z3 one level deeper.
const FILLS: usize = 12;

/// From then on only with terms of least height.
const WIDE: usize = 4;

/// A condition that is asserted.
pub(super) struct Asserted {
    key: u64,
    taken: bool,
    /// What was known of the places in the input before it.
    mark: Mark,
    /// The integers it speaks of, if small ones are preferred.
    pub(super) ints: Vec<Int>,
}

pub(super) struct Session {
    pub(super) limits: Limits,
    pub(super) unwanted: Arc<AtomicBool>,
    pub(super) solver: z3::Solver,
    pub(super) encoder: Encoder,
    pub(super) facts: Facts,
    pub(super) asserted: Vec<Asserted>,
    keeper: Option<Arc<dyn Keeper>>,
    pub(super) about: String,
}

impl Session {
    pub(super) fn start(asked: &Z3) -> Result<Self, EncodeError> {
        let solver = z3::Solver::new();
        solver.set_params(&first_attempt());
        // Without an open scope Z3 chooses a tactic that is up to 400 times slower.
        solver.push();
        let mut encoder = Encoder::new()?;
        encoder.relaxed = asked.relaxed;
        asked.offered.iter().for_each(|term| encoder.constants.offer(term));
        let facts = Facts::new(asked.signature.clone());
        let unwanted = Arc::clone(&asked.unwanted);
        let keeper = asked.keeper.clone();
        let (asserted, about) = (Vec::new(), String::new());
        Ok(Session { limits: asked.limits, unwanted, solver, encoder, facts, asserted, keeper, about })
    }

    pub(super) fn ask(&mut self, question: &Question<'_>) -> Result<Answer, EncodeError> {
        let kept = self.common_prefix(question.prefix);
        self.pop_to(kept);
        if self.encoder.enter(question.arena_id) {
            self.facts.forget_expressions(self.asserted.iter_mut().map(|asserted| &mut asserted.mark));
        }
        for step in question.prefix.iter().skip(kept) {
            self.assert(question, *step)?;
        }
        self.assert(question, question.goal)?;
        let aged = self.assert_ages()?;
        let calls = examples::calls(question);
        let mut answer =
            if calls.is_empty() { self.check(question) } else { self.check_with_examples(question, &calls) };
        if aged && matches!(answer, Ok(Answer::Unsat)) {
            answer = self.check_with_any_age(question);
        }
        if let (Some(keeper), Ok(answer)) = (&self.keeper, &answer) {
            let result = answer.verdict();
            let details = dump::details(answer, &self.encoder.constants.atoms);
            let comment = dump::comment(&self.about, result, &details);
            keeper.keep(&(comment + &dump::script(&self.solver.get_assertions(), result)));
        }
        self.pop_to(question.prefix.len());
        answer
    }

    /// What Z3 has taken altogether, for all contexts of this process.
    pub(super) fn memory_mb(&self) -> Option<f64> {
        match self.solver.get_statistics().value("memory")? {
            StatisticsValue::Double(megabytes) => Some(megabytes),
            StatisticsValue::UInt(megabytes) => Some(f64::from(megabytes)),
        }
    }

    /// Takes back all conditions but the first so many.
    fn pop_to(&mut self, kept: usize) {
        if let Some(first) = self.asserted.get(kept) {
            self.facts.undo(first.mark);
            self.solver.pop((self.asserted.len() - kept) as u32);
            self.asserted.truncate(kept);
        }
    }

    fn common_prefix(&self, prefix: &[Step]) -> usize {
        let same = |(old, new): &(&Asserted, &Step)| old.key == new.key && old.taken == new.taken;
        self.asserted.iter().zip(prefix).take_while(same).count()
    }

    fn assert(&mut self, question: &Question<'_>, step: Step) -> Result<(), EncodeError> {
        let condition = self.encoder.condition(question.arena, step.condition)?;
        let ints = if self.limits.prefer_small { self.ints(question, step) } else { Vec::new() };
        self.solver.push();
        let mark = self.facts.mark();
        self.asserted.push(Asserted { key: step.key, taken: step.taken, mark, ints });
        for fact in self.facts.of(&mut self.encoder, question.arena, step.condition)? {
            self.solver.assert(fact);
        }
        self.solver.assert(if step.taken { condition } else { condition.not() });
        Ok(())
    }

    fn ints(&self, question: &Question<'_>, step: Step) -> Vec<Int> {
        let leaves = int_leaves(question.arena, step.condition);
        leaves.into_iter().filter_map(|id| self.encoder.encoded_int(id).cloned()).collect()
    }

    fn check(&mut self, question: &Question<'_>) -> Result<Answer, EncodeError> {
        let inputs: Vec<Datatype> = (0..question.inputs).map(|number| self.encoder.sorts.input(number)).collect();
        let mut narrowed = false;
        let mut refusals = 0;
        let (mut deeper, mut filled, mut namings) = (0, 0, 0);
        let mut lowered = false;
        while refusals < REFUSALS {
            match self.check_in_time(question.deadline) {
                SatResult::Unsat if narrowed => return Ok(Answer::Unknown("a fun would contain itself".to_owned())),
                SatResult::Unsat if lowered => {
                    return Ok(Answer::Unknown("a type was only tried with its lowest terms".to_owned()));
                }
                SatResult::Unsat => return Ok(Answer::Unsat),
                SatResult::Unknown => return Ok(self.unknown()),
                SatResult::Sat => {}
            }
            let Some(model) = self.solver.get_model() else { return Ok(self.unknown()) };
            if question.whole && deeper < DEEPEST {
                deeper += 1;
                let axioms = self.facts.deepen(&mut self.encoder, &model, deeper > WIDE)?;
                if !axioms.is_empty() {
                    lowered |= deeper > WIDE;
                    axioms.iter().for_each(|axiom| self.solver.assert(axiom));
                    continue;
                }
            }
            let model = self.with_plain_keys(self.with_small_maps(self.smaller(model))?)?;
            if filled < FILLS {
                filled += 1;
                let axioms = self.facts.fill(&mut self.encoder, &model, filled > WIDE)?;
                if !axioms.is_empty() {
                    lowered |= filled > WIDE;
                    axioms.iter().for_each(|axiom| self.solver.assert(axiom));
                    continue;
                }
            }
            let model = self.with_letters(self.shorter(model)?)?;
            let finite = self.beyond_floats(&model, &inputs)?;
            if !finite.is_empty() {
                refusals += 1;
                finite.iter().for_each(|fact| self.solver.assert(fact));
                continue;
            }
            match decode(&model, &inputs, &self.encoder, &self.facts)? {
                Decoded::Model(model) => return Ok(Answer::Sat(model)),
                Decoded::NoSuchIdentifier => {
                    refusals += 1;
                    self.demand_known(&self.places(&model, &inputs, &IDENTIFIERS)?)?
                }
                Decoded::Cycle => {
                    refusals += 1;
                    narrowed = true;
                    let order = funs::order(&model, &self.facts.asked, &self.encoder.sorts)?;
                    order.into_iter().for_each(|condition| self.solver.assert(condition));
                }
                Decoded::MapInItself => {
                    refusals += 1;
                    let order = self.facts.maps.nesting(&self.encoder, &model)?;
                    order.into_iter().for_each(|condition| self.solver.assert(condition));
                }
                Decoded::SameBits(a, b, bytes) => {
                    refusals += 1;
                    self.tell_apart(&model, (&a, &b), bytes)?;
                }
                Decoded::OutOfOrder(right) => {
                    refusals += 1;
                    // What is right may go by the names of atoms in keys: from now on numbers do so too.
                    if replace(&mut self.encoder.constants.atoms.ordered, true) {
                        self.solver.assert(right);
                    }
                }
                Decoded::Misnamed(laws) if namings < NAMINGS => {
                    namings += 1;
                    laws.iter().for_each(|law| self.solver.assert(law));
                }
                Decoded::Misnamed(_) | Decoded::NoName | Decoded::TooLarge => break,
            }
        }
        Ok(Answer::Unknown("no model that can be made a term".to_owned()))
    }

    /// Says what is known of the ages of atoms. True if there is anything to say.
    fn assert_ages(&mut self) -> Result<bool, EncodeError> {
        if !ages::matter(&self.facts) {
            return Ok(false);
        }
        ages::mention_some(&mut self.encoder);
        let (known, closed) = (ages::known(&self.encoder)?, ages::closed(&self.encoder, &self.facts)?);
        known.iter().chain(&closed).for_each(|law| self.solver.assert(law));
        Ok(true)
    }

    /// A question that has no answer with the atoms that are mentioned and younger ones. There may be others.
    fn check_with_any_age(&mut self, question: &Question<'_>) -> Result<Answer, EncodeError> {
        self.pop_to(question.prefix.len());
        self.assert(question, question.goal)?;
        ages::known(&self.encoder)?.iter().for_each(|law| self.solver.assert(law));
        Ok(match self.check_in_time(question.deadline) {
            SatResult::Unsat => Answer::Unsat,
            SatResult::Unknown => self.unknown(),
            SatResult::Sat => Answer::Unknown("no atom is known that is as old as it takes".to_owned()),
        })
    }

    /// A question about functions that are known by examples only.
    fn check_with_examples(&mut self, question: &Question<'_>, calls: &[SymId]) -> Result<Answer, EncodeError> {
        let inputs: Vec<Datatype> = (0..question.inputs).map(|number| self.encoder.sorts.input(number)).collect();
        let probes = examples::probes(&mut self.encoder, question, calls)?;
        probes.facts.iter().for_each(|fact| self.solver.assert(fact));
        // Integers first: of them there are always more, and every function can be computed.
        let mut tame =
            inputs.iter().map(|input| self.encoder.sorts.is(Shape::Int, input)).collect::<Result<Vec<_>, _>>()?;
        let mut result = self.solver.check_assumptions(&probes.assumptions);
        for _ in 0..examples::ROUNDS {
            if result != SatResult::Sat && !tame.is_empty() {
                result = self.solver.check_assumptions(&tame);
            }
            if result != SatResult::Sat {
                tame.clear();
                result = self.check_in_time(question.deadline);
            }
            match result {
                SatResult::Unsat => return Ok(Answer::Unsat),
                SatResult::Unknown => return Ok(self.unknown()),
                SatResult::Sat => {}
            }
            let Some(model) = self.solver.get_model() else { return Ok(self.unknown()) };
            let model = self.with_letters(self.shorter(model)?)?;
            match decode(&model, &inputs, &self.encoder, &self.facts)? {
                Decoded::Model(found) if examples::holds(question, &found) => return Ok(Answer::Sat(found)),
                Decoded::Model(found) => {
                    let learnt = examples::learn(&mut self.encoder, question, calls, (&model, &found))?;
                    if learnt.facts.is_empty() {
                        break;
                    }
                    learnt.facts.iter().for_each(|fact| self.solver.assert(fact));
                    if !learnt.hints.is_empty() {
                        result = self.solver.check_assumptions(&learnt.hints);
                        continue;
                    }
                }
                Decoded::Cycle
                | Decoded::MapInItself
                | Decoded::OutOfOrder(_)
                | Decoded::NoName
                | Decoded::TooLarge => break,
                Decoded::Misnamed(laws) => laws.iter().for_each(|law| self.solver.assert(law)),
                Decoded::SameBits(a, b, bytes) => self.tell_apart(&model, (&a, &b), bytes)?,
                Decoded::NoSuchIdentifier => self.demand_known(&self.places(&model, &inputs, &IDENTIFIERS)?)?,
            }
            result = SatResult::Unknown;
        }
        Ok(Answer::Unknown("no model agrees with a function that is known by examples only".to_owned()))
    }

    /// From now on, in this scope: two bitstrings that a model has differ, if they are two.
    fn tell_apart(&mut self, model: &z3::Model, pair: (&BigInt, &BigInt), bytes: usize) -> Result<(), EncodeError> {
        for fact in self.facts.bitstrings.told_apart(&self.encoder, model, pair, bytes)? {
            self.solver.assert(fact);
        }
        Ok(())
    }

    /// The places in the inputs, in the tables of funs and in maps where a model has terms of these shapes.
    fn places(&self, model: &z3::Model, inputs: &[Datatype], shapes: &[Shape]) -> Result<Vec<Datatype>, EncodeError> {
        let parts = self.facts.asked.iter().flat_map(funs::Asked::parts);
        let mut found = Vec::new();
        let in_maps = self.facts.maps.parts(&self.encoder)?;
        for term in inputs.iter().chain(parts).chain(&in_maps) {
            if let Some(value) = model.eval(term, true) {
                found.extend(places(&value.into(), term, &self.encoder.sorts, shapes)?);
            }
        }
        Ok(found)
    }

    /// For reals in a model that are larger than any float: that they are not.
    fn beyond_floats(&self, model: &z3::Model, inputs: &[Datatype]) -> Result<Vec<Bool>, EncodeError> {
        let mut finite = Vec::new();
        if !self.facts.floats {
            return Ok(finite);
        }
        for place in self.places(model, inputs, &[Shape::Float])? {
            let is_float = self.encoder.sorts.is(Shape::Float, &place)?;
            let law = is_float.implies(self.encoder.is_within_floats(&self.encoder.sorts.number(&place)?)?);
            if model.eval(&law, true).and_then(|law| law.as_bool()) == Some(false) {
                finite.push(law);
            }
        }
        Ok(finite)
    }

    fn unknown(&self) -> Answer {
        Answer::Unknown(self.solver.get_reason_unknown().unwrap_or_else(|| "Z3 gives no reason".to_owned()))
    }

    /// From now on, in this scope: a reference, port or pid at one of these places is a known one, and a fun is no closure of a run.
    fn demand_known(&self, places: &[Datatype]) -> Result<(), EncodeError> {
        let (sorts, constants) = (&self.encoder.sorts, &self.encoder.constants);
        for place in places {
            for shape in IDENTIFIERS {
                let (is, id) = (sorts.is(shape, place)?, sorts.id(shape, place)?);
                let known = |number: u32| id.eq(u64::from(number));
                let exists = if shape == Shape::Fun {
                    Bool::or(&constants.closures().map(known).collect::<Vec<_>>()).not()
                } else {
                    Bool::or(&constants.numbers(shape).map(known).collect::<Vec<_>>())
                };
                self.solver.assert(is.implies(&exists));
            }
        }
        Ok(())
    }
}
