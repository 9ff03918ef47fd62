//! Models that are easy to read: small integers, short bitstrings, small maps, plain keys, letters in names.
//!
//! Z3 takes the first integers that fit, often large ones. Once a model with a large one is there, the same question is asked again with bounds
//! on all integers that its conditions speak of. Each try has a small time limit and is no more than an assumption, so nothing asserted is lost.

use z3::SatResult;
use z3::ast::{Bool, Int};

use super::session::Session;
use super::{EncodeError, names};
use crate::sym::{Arena, Expr, SymId, Tags};

/// The bounds to try, in this order.
const BOUNDS: [i64; 2] = [9, 999];

/// The sizes of maps to try, in this order.
const SIZES: [i64; 4] = [2, 5, 12, 33];

/// The integers of terms that a condition speaks of.
pub(super) fn int_leaves(arena: &Arena, condition: SymId) -> Vec<SymId> {
    arena.parts([condition]).filter(|id| matches!(arena.get(*id), Expr::IntOf(_))).collect()
}

/// Whether the integer is beyond the bound in a model.
fn is_large(model: &z3::Model, int: &Int, bound: i64) -> bool {
    let value = model.eval(int, true).and_then(|value| value.as_i64());
    value.is_none_or(|value| value.unsigned_abs() > bound.unsigned_abs())
}

fn within(int: &Int, bound: i64) -> Bool {
    Bool::and(&[int.ge(-bound), int.le(bound)])
}

impl Session {
    /// The model, or one with shorter bitstrings if it has a long one.
    pub(super) fn shorter(&self, model: z3::Model) -> Result<z3::Model, EncodeError> {
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
    pub(super) fn with_letters(&self, model: z3::Model) -> Result<z3::Model, EncodeError> {
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
    pub(super) fn with_small_maps(&self, model: z3::Model) -> Result<z3::Model, EncodeError> {
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
    pub(super) fn with_plain_keys(&self, model: z3::Model) -> Result<z3::Model, EncodeError> {
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
    pub(super) fn smaller(&self, model: z3::Model) -> z3::Model {
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
