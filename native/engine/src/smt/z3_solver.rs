//! Questions put to Z3, one after the other, on one thread.
//!
//! Z3 gives a question up when the memory of all its contexts together is above the limit. The answer is unknown, and the next question
//! starts with a new solver. A context that has been asked some questions before is given up then, because what it keeps may be the reason.
//! Where the system itself has no memory left, Z3 fails in whatever call that happens, which the binding turns into a panic. It is caught
//! here, with the same consequences.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;

use super::atoms::Atoms;
use super::attempt::OUT_OF_MEMORY;
use super::session::Session;
use super::{Answer, EncodeError, Keeper, Limits, Question, Solver, unless_it_fails};
use crate::term::Packed;
use crate::types::Signature;

/// A context is given up after so many questions.
const OLD: u64 = 50_000;
/// A context is not given up for its size before so many questions: others may be the large ones.
const YOUNG: u64 = 1_000;
/// How often its size is looked at.
const MEASURED: u64 = 200;
/// A context that has been asked less than this when the memory is used up is not what uses it.
const FRESH: u64 = 20;

pub struct Z3 {
    pub(super) limits: Limits,
    /// Set from outside when no answer is wanted any more.
    pub(super) unwanted: Arc<AtomicBool>,
    pub(super) offered: Vec<Packed>,
    pub(super) signature: Option<Arc<Signature>>,
    pub(super) keeper: Option<Arc<dyn Keeper>>,
    about: String,
    /// Whether nothing is taken for granted about how floats are rounded.
    pub(super) relaxed: bool,
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
