//! Small integers in models.
//!
//! Z3 takes the first integers that fit, often large ones. Once a model with a large one is there, the same question is asked again with bounds
//! on all integers that its conditions speak of. Each try has a small time limit and is no more than an assumption, so nothing asserted is lost.

use z3::ast::{Bool, Int};

use crate::sym::{Arena, Expr, SymId};

/// The bounds to try, in this order.
pub(super) const BOUNDS: [i64; 2] = [9, 999];

/// The sizes of maps to try, in this order.
pub(super) const SIZES: [i64; 4] = [2, 5, 12, 33];

/// The integers of terms that a condition speaks of.
pub(super) fn int_leaves(arena: &Arena, condition: SymId) -> Vec<SymId> {
    arena.parts([condition]).filter(|id| matches!(arena.get(*id), Expr::IntOf(_))).collect()
}

/// Whether the integer is beyond the bound in a model.
pub(super) fn is_large(model: &z3::Model, int: &Int, bound: i64) -> bool {
    let value = model.eval(int, true).and_then(|value| value.as_i64());
    value.is_none_or(|value| value.unsigned_abs() > bound.unsigned_abs())
}

pub(super) fn within(int: &Int, bound: i64) -> Bool {
    Bool::and(&[int.ge(-bound), int.le(bound)])
}
