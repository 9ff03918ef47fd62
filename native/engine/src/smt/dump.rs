//! A question as SMT-LIB text, to look at or to give to another solver.

use z3::Solver;

use super::encode::Encoder;
use super::facts::Facts;
use super::{EncodeError, Question};

/// The conditions of a question, asserted in order, and `(check-sat)`.
pub(super) fn dump(question: &Question<'_>) -> Result<String, EncodeError> {
    let mut encoder = Encoder::new()?;
    let mut facts = Facts::default();
    encoder.enter(question.arena_id);
    let solver = Solver::new();
    for step in question.prefix.iter().chain([&question.goal]) {
        let condition = encoder.condition(question.arena, step.condition)?;
        for fact in facts.of(&mut encoder, question.arena, step.condition)? {
            solver.assert(fact);
        }
        solver.assert(if step.taken { condition } else { condition.not() });
    }
    Ok(format!("{solver}(check-sat)\n"))
}
