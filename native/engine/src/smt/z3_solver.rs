//! Questions put to Z3, one after the other, on one thread.
//!
//! The solver keeps the conditions of the last question's prefix asserted, one scope each. The next question pops to the longest
//! common prefix and pushes the rest; the goal has a scope of its own that is popped after the answer.
//!
//! Z3 gives a question up when the memory of all its contexts together is above the limit. The answer is unknown, and the next question
//! starts with a new solver. A context that has been asked some questions before is given up then, because what it keeps may be the reason.
//! Where the system itself has no memory left, Z3 fails in whatever call that happens, which the binding turns into a panic. It is caught
//! here, with the same consequences.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use num_bigint::BigInt;
use parking_lot::Mutex;
use z3::ast::{Bool, Datatype, Int};
use z3::{Params, SatResult, StatisticsValue};

use super::atoms::Atoms;
use super::constants::IDENTIFIERS;
use super::decode::{Decoded, decode, places};
use super::encode::Encoder;
use super::examples;
use super::facts::{Facts, Mark};
use super::funs;
use super::names;
use super::prefer::{BOUNDS, SIZES, int_leaves, is_large, within};
use super::sorts::Shape;
use super::{Answer, EncodeError, Keeper, Limits, Question, Solver, Step, dump, unless_it_fails};
use crate::sym::{SymId, Tags};
use crate::term::Packed;
use crate::types::Signature;

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

/// The resources of a first attempt, in Z3's own units: some tens of milliseconds. A time limit needs a timer for each check, which costs
/// a third of all the time, so only questions that are too hard for the first attempt are asked again with one.
const FIRST_ATTEMPT: u32 = 200_000;

/// How often a question that Z3 does not know the answer to is asked again, with other choices by chance.
const SEEDS: u32 = 4;

/// With more quotients than this a question has no first attempt: one can take seconds.
const MANY_QUOTIENTS: usize = 6;

/// A context is given up after so many questions.
const OLD: u64 = 50_000;
/// A context is not given up for its size before so many questions: others may be the large ones.
const YOUNG: u64 = 1_000;
/// How often its size is looked at.
const MEASURED: u64 = 200;
/// A context that has been asked less than this when the memory is used up is not what uses it.
const FRESH: u64 = 20;

/// Z3's word for having given up because of its memory.
const OUT_OF_MEMORY: &str = "memout";

/// How often a hard question is looked at whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);

pub struct Z3 {
    limits: Limits,
    /// Set from outside when no answer is wanted any more.
    unwanted: Arc<AtomicBool>,
    offered: Vec<Packed>,
    signature: Option<Arc<Signature>>,
    keeper: Option<Arc<dyn Keeper>>,
    about: String,
    /// Whether nothing is taken for granted about how floats are rounded.
    relaxed: bool,
    asked: u64,
    worn: bool,
    /// The memory at which a context is given up.
    worn_at_mb: u32,
    /// None after Z3 failed, and before the first question.
    session: Option<Session>,
}

impl Z3 {
    pub fn new(limits: Limits) -> Self {
        set_memory_limit(limits.memory_mb);
        Z3 {
            limits,
            unwanted: Arc::default(),
            offered: Vec::new(),
            signature: None,
            keeper: None,
            about: String::new(),
            relaxed: false,
            asked: 0,
            worn: false,
            worn_at_mb: limits.memory_mb / 2,
            session: None,
        }
    }

    /// Gives up on the question at hand, within some tens of milliseconds, once this is set.
    pub fn stopped_by(mut self, unwanted: Arc<AtomicBool>) -> Self {
        self.unwanted = unwanted;
        self
    }

    /// Models have inputs that are of these types, as far as conditions speak of them.
    pub fn typed_by(mut self, signature: Option<Arc<Signature>>) -> Self {
        self.signature = signature;
        self
    }

    /// Lets models use the references, ports and pids in this term, say those of the inputs that the user gave.
    pub fn offer(&mut self, term: &Packed) {
        self.offered.push(term.clone());
        if let Some(session) = &mut self.session {
            session.encoder.constants.offer(term);
        }
    }

    /// Gives a context up once Z3 has taken so much memory, instead of half of what it may.
    pub fn worn_at(mut self, memory_mb: u32) -> Self {
        self.worn_at_mb = memory_mb;
        self
    }

    /// Takes nothing for granted about how floats are rounded: what has no answer then has none.
    pub fn relaxed(mut self) -> Self {
        self.relaxed = true;
        self
    }

    pub const fn is_relaxed(&self) -> bool {
        self.relaxed
    }

    /// Has the text of every question kept.
    pub fn kept_by(mut self, keeper: Option<Arc<dyn Keeper>>) -> Self {
        self.keeper = keeper;
        self
    }

    /// What the next question is about, for those who read its text.
    pub fn about(&mut self, what: impl FnOnce() -> String) {
        if self.keeper.is_some() {
            self.about = what();
        }
    }

    /// Whether the context of this thread should be given up: it failed, it is old, or Z3 has taken half of the memory that it may.
    pub fn is_worn(&mut self) -> bool {
        if self.asked >= OLD || self.asked.is_multiple_of(MEASURED) && self.asked >= YOUNG {
            let taken = self.session.as_ref().and_then(Session::memory_mb);
            let large = taken.is_some_and(|taken| taken > f64::from(self.worn_at_mb));
            self.worn = self.worn || large || self.asked >= OLD;
        }
        self.worn
    }

    fn ask(&mut self, question: &Question<'_>) -> Result<Answer, EncodeError> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => Session::start(self)?,
        };
        session.about.clone_from(&self.about);
        let answer = match session.ask(question) {
            Err(EncodeError::Crowded) => {
                let atoms = Atoms::spread(&session.encoder.constants.atoms);
                session = Session::start(self)?;
                session.encoder.constants.atoms = atoms;
                session.about.clone_from(&self.about);
                session.ask(question)
            }
            answer => answer,
        };
        self.session = Some(session);
        answer
    }
}

impl Solver for Z3 {
    fn solve(&mut self, question: &Question<'_>) -> Answer {
        self.asked += 1;
        match unless_it_fails(|| self.ask(question)) {
            Some(Ok(answer)) => {
                if matches!(&answer, Answer::Unknown(why) if why == OUT_OF_MEMORY) {
                    // What the question took goes with its solver.
                    self.session = None;
                    self.worn |= self.asked >= FRESH;
                }
                answer
            }
            Some(Err(error)) => Answer::Unknown(error.to_string()),
            None => {
                self.session = None;
                self.worn = true;
                Answer::Unknown("Z3 failed".to_owned())
            }
        }
    }
}

/// A condition that is asserted.
struct Asserted {
    key: u64,
    taken: bool,
    /// What was known of the places in the input before it.
    mark: Mark,
    /// The integers it speaks of, if small ones are preferred.
    ints: Vec<Int>,
}

struct Session {
    limits: Limits,
    unwanted: Arc<AtomicBool>,
    solver: z3::Solver,
    encoder: Encoder,
    facts: Facts,
    asserted: Vec<Asserted>,
    keeper: Option<Arc<dyn Keeper>>,
    about: String,
}

impl Session {
    fn start(asked: &Z3) -> Result<Self, EncodeError> {
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

    fn ask(&mut self, question: &Question<'_>) -> Result<Answer, EncodeError> {
        let kept = self.common_prefix(question.prefix);
        self.pop_to(kept);
        if self.encoder.enter(question.arena_id) {
            self.facts.forget_expressions(self.asserted.iter_mut().map(|asserted| &mut asserted.mark));
        }
        for step in question.prefix.iter().skip(kept) {
            self.assert(question, *step)?;
        }
        self.assert(question, question.goal)?;
        let calls = examples::calls(question);
        let answer = if calls.is_empty() { self.check(question) } else { self.check_with_examples(question, &calls) };
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
    fn memory_mb(&self) -> Option<f64> {
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
                    self.demand_known(&self.identifier_places(&model, &inputs)?)?
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
                    self.solver.assert(right);
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
                Decoded::NoSuchIdentifier => self.demand_known(&self.identifier_places(&model, &inputs)?)?,
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

    /// The places in the inputs, in the tables of funs and in maps where a model has something that may not exist.
    fn identifier_places(&self, model: &z3::Model, inputs: &[Datatype]) -> Result<Vec<Datatype>, EncodeError> {
        let parts = self.facts.asked.iter().flat_map(funs::Asked::parts);
        let mut found = Vec::new();
        let in_maps = self.facts.maps.parts(&self.encoder)?;
        for term in inputs.iter().chain(parts).chain(&in_maps) {
            if let Some(value) = model.eval(term, true) {
                found.extend(places(&value.into(), term, &self.encoder.sorts, &IDENTIFIERS)?);
            }
        }
        Ok(found)
    }

    /// For reals in the inputs of a model that are larger than any float: that they are not.
    fn beyond_floats(&self, model: &z3::Model, inputs: &[Datatype]) -> Result<Vec<Bool>, EncodeError> {
        let mut finite = Vec::new();
        for input in inputs.iter().filter(|_| self.facts.floats) {
            let Some(value) = model.get_const_interp(input) else { continue };
            for place in places(&value.into(), input, &self.encoder.sorts, &[Shape::Float])? {
                let is_float = self.encoder.sorts.is(Shape::Float, &place)?;
                let law = is_float.implies(self.encoder.is_within_floats(&self.encoder.sorts.number(&place)?)?);
                if model.eval(&law, true).and_then(|law| law.as_bool()) == Some(false) {
                    finite.push(law);
                }
            }
        }
        Ok(finite)
    }

    fn check_in_time(&self, deadline: Option<Instant>) -> SatResult {
        let left = deadline.map_or(u128::MAX, |end| end.saturating_duration_since(Instant::now()).as_millis());
        if left == 0 {
            return SatResult::Unknown;
        }
        // What is counted says little about the time that sums over many bits, or many quotients, take.
        let is_hard = self.facts.bitwise > 0 || self.facts.quotients > MANY_QUOTIENTS;
        let first = if is_hard { SatResult::Unknown } else { self.solver.check() };
        match first {
            SatResult::Unknown => self.check_patiently(u128::from(self.limits.timeout_ms).min(left) as u64),
            known @ (SatResult::Sat | SatResult::Unsat) => known,
        }
    }

    /// A check with a time limit. Z3 may be at a loss long before: it makes its choices by chance, so it is asked again with others.
    fn check_patiently(&self, timeout_ms: u64) -> SatResult {
        let end = Instant::now() + Duration::from_millis(timeout_ms);
        let mut result = SatResult::Unknown;
        for seed in 0..SEEDS {
            let left = end.saturating_duration_since(Instant::now()).as_millis() as u32;
            if left == 0 || self.unwanted.load(Ordering::SeqCst) {
                break;
            }
            self.solver.set_params(&second_attempt(left, seed));
            result = self.check_while_wanted();
            if result != SatResult::Unknown {
                break;
            }
        }
        self.solver.set_params(&first_attempt());
        result
    }

    /// A check that somebody watches over: it is interrupted when its answer is not wanted any more.
    fn check_while_wanted(&self) -> SatResult {
        let context = z3::Context::thread_local();
        let handle = context.handle();
        let done = AtomicBool::new(false);
        let unwanted = &*self.unwanted;
        thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    if unwanted.load(Ordering::SeqCst) {
                        handle.interrupt();
                    }
                    thread::park_timeout(LOOK);
                }
            });
            let result = self.solver.check();
            done.store(true, Ordering::SeqCst);
            watcher.thread().unpark();
            result
        })
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

    /// The model, or one with shorter bitstrings if it has a long one.
    fn shorter(&self, model: z3::Model) -> Result<z3::Model, EncodeError> {
        for bounds in self.facts.bitstrings.large(&self.encoder, &model)? {
            if self.solver.check_assumptions(&bounds) == SatResult::Sat
                && let Some(shorter) = self.solver.get_model()
            {
                return Ok(shorter);
            }
        }
        Ok(model)
    }

    /// The model, or one with letters in the names of atoms if it has odd characters there.
    fn with_letters(&self, model: z3::Model) -> Result<z3::Model, EncodeError> {
        let letters = names::letters(&model, &self.encoder, &self.facts)?;
        if !letters.is_empty()
            && let SatResult::Sat = self.solver.check_assumptions(&letters)
            && let Some(readable) = self.solver.get_model()
        {
            return Ok(readable);
        }
        Ok(model)
    }

    /// The model, or one whose maps have fewer keys if that is easy to find.
    fn with_small_maps(&self, model: z3::Model) -> Result<z3::Model, EncodeError> {
        let functions = &self.encoder.functions;
        let sizes = self.facts.maps.sized().iter().map(|map| functions.size(map)).collect::<Result<Vec<_>, _>>()?;
        for bound in SIZES {
            if !sizes.iter().any(|size| is_large(&model, size, bound)) {
                break;
            }
            let bounds: Vec<Bool> = sizes.iter().map(|size| size.le(bound)).collect();
            if let SatResult::Sat = self.solver.check_assumptions(&bounds)
                && let Some(smaller) = self.solver.get_model()
            {
                return Ok(smaller);
            }
        }
        Ok(model)
    }

    /// The model, or one whose maps have integers and atoms for keys where they are all looked at, if that is easy to find.
    fn with_plain_keys(&self, model: z3::Model) -> Result<z3::Model, EncodeError> {
        let mut plain = Vec::new();
        let mut odd = false;
        for asked in self.facts.maps.placed() {
            let is_plain = self.encoder.sorts.is_any(Tags::INT | Tags::ATOM, &asked.key)?;
            odd = odd || model.eval(&is_plain, true).and_then(|plain| plain.as_bool()) == Some(false);
            plain.push(is_plain);
        }
        if odd
            && let SatResult::Sat = self.solver.check_assumptions(&plain)
            && let Some(plainer) = self.solver.get_model()
        {
            return Ok(plainer);
        }
        Ok(model)
    }

    /// The model, or one with smaller integers if that is easy to find.
    fn smaller(&self, model: z3::Model) -> z3::Model {
        let ints = || self.asserted.iter().flat_map(|asserted| &asserted.ints);
        if !ints().any(|int| BOUNDS.first().is_some_and(|bound| is_large(&model, int, *bound))) {
            return model;
        }
        let found = BOUNDS.iter().find_map(|bound| {
            if !ints().any(|int| is_large(&model, int, *bound)) {
                return None;
            }
            let bounds: Vec<Bool> = ints().map(|int| within(int, *bound)).collect();
            match self.solver.check_assumptions(&bounds) {
                SatResult::Sat => self.solver.get_model(),
                SatResult::Unsat | SatResult::Unknown => None,
            }
        });
        found.unwrap_or(model)
    }
}

/// The limit that Z3 has now.
static MEMORY_MB: Mutex<Option<u32>> = Mutex::new(None);

/// Z3 does not guard its global parameters against threads that read them, so they are only set when they change: as a rule once, before
/// any solver is at work.
fn set_memory_limit(memory_mb: u32) {
    let mut now = MEMORY_MB.lock();
    if now.replace(memory_mb) != Some(memory_mb) {
        z3::set_global_param("memory_high_watermark_mb", &memory_mb.to_string());
    }
}

/// Limits on what is counted, not on time.
fn first_attempt() -> Params {
    let mut params = common_params();
    params.set_u32("rlimit", FIRST_ATTEMPT);
    params.set_u32("random_seed", 0);
    params.set_u32("timeout", u32::MAX);
    params
}

fn second_attempt(timeout_ms: u32, seed: u32) -> Params {
    let mut params = common_params();
    params.set_u32("rlimit", 0);
    params.set_u32("random_seed", seed);
    params.set_u32("timeout", timeout_ms);
    params
}

/// Z3's solver is two in one. After an answer "unknown" of the incremental one it would start the other, past all limits: that one is
/// up to 400 times slower besides, and never wanted.
fn common_params() -> Params {
    let mut params = Params::new();
    params.set_bool("ignore_solver1", true);
    params.set_u32("solver2_unknown", 0);
    params
}
