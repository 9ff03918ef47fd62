//! Equality of terms that the solver must not compare as terms: bitstrings are equal if their bits are.

use super::Answer;
use crate::machine::Ctx;
use crate::sym::{BitsExpr, Expr, Tags};
use crate::term::parts::has_part;
use crate::term::{Value, order};

/// What two terms, one of them symbolic, have to be equal in.
pub(super) enum Inside {
    /// In these parts.
    Parts(Vec<(Value, Value)>),
    /// In their bits: the answer.
    Bits(Answer),
}

/// Looks into two terms, one of them symbolic, if bitstrings are in play. `None` if they can be compared as terms.
pub(super) fn look_inside(ctx: &mut Ctx<'_>, a: Value, b: Value) -> Option<Inside> {
    let (open_a, open_b) = (ctx.open_tags(a), ctx.open_tags(b));
    if open_a == Tags::BITS && open_b.meets(Tags::BITS) {
        return Some(Inside::Bits(same_bits(ctx, a, b)));
    }
    if open_b == Tags::BITS && open_a.meets(Tags::BITS) {
        return Some(Inside::Bits(same_bits(ctx, b, a)));
    }
    if a.is_sym() && !b.is_sym() {
        return parts(ctx, a, b);
    }
    if b.is_sym() && !a.is_sym() {
        return parts(ctx, b, a);
    }
    None
}

/// Two answers that both have to hold.
pub(super) fn both(ctx: &mut Ctx<'_>, a: Answer, b: Answer) -> Answer {
    let condition = match (a.condition, b.condition) {
        (Some(x), Some(y)) => Some(ctx.arena.and(x, y)),
        (one, None) | (None, one) => one,
    };
    Answer { holds: a.holds && b.holds, condition }
}

/// A bitstring and a term that may be one.
fn same_bits(ctx: &mut Ctx<'_>, bits: Value, other: Value) -> Answer {
    if ctx.open_tags(other) == Tags::BITS {
        return ctx.same_bits(bits, other);
    }
    if bits.is_sym() {
        return if ctx.is(other, Tags::BITS) { ctx.same_bits(bits, other) } else { Answer::fixed(false) };
    }
    let id = ctx.lift(other);
    let is_bits = ctx.arena.is(id, Tags::BITS);
    let holds = order::identical(ctx.heap, bits, other);
    let same = ctx.same_as_constant(other, bits);
    let condition = same.map_or(is_bits, |same| ctx.arena.and(is_bits, same));
    Answer { holds, condition: Some(condition) }
}

/// The parts of a symbolic term and a structure that has symbolic bitstrings in it. That the one has the shape of the other is decided.
fn parts(ctx: &mut Ctx<'_>, term: Value, structure: Value) -> Option<Inside> {
    let arity = ctx.heap.tuple_arity(structure);
    if !(structure.is_cons() || arity.is_some()) {
        return None;
    }
    let arena = &*ctx.arena;
    let is_made = |part: Value| {
        ctx.heap
            .expression(part)
            .is_some_and(|id| matches!(arena.get(id), Expr::Bits(BitsExpr::Part { .. } | BitsExpr::Cat(_))))
    };
    if !has_part(ctx.heap, structure, &is_made) {
        return None;
    }
    let shape = match arity {
        Some(arity) => ctx.has_arity(term, arity),
        None => ctx.is(term, Tags::CONS),
    };
    if !shape {
        return Some(Inside::Bits(Answer::fixed(false)));
    }
    Some(Inside::Parts(match arity {
        Some(arity) => {
            (0..arity).rev().map(|index| (ctx.element(term, index), ctx.heap.element(structure, index))).collect()
        }
        None => vec![(ctx.tail(term), ctx.heap.tail(structure)), (ctx.head(term), ctx.heap.head(structure))],
    }))
}
