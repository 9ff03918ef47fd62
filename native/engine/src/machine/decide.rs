//! Comparing values with symbolic parts.
//!
//! Two structures are walked in step. Where both parts are concrete, they are compared; where one is symbolic, the comparison becomes a
//! condition, and if the order needs to know more about a part than that (its type, the size of a tuple), that is decided first.

mod inside;

use std::cmp::Ordering;

use super::{Ctx, funs, maps, symbolic_maps};
use crate::code::ir::Comparison;
use crate::sym::{SymId, Tags};
use crate::term::effort::Effort;
use crate::term::{Heap, Value, order};
use inside::{Inside, both, look_inside};

/// The answer to a comparison: what holds in this run, and the condition if it depends on the input.
#[derive(Clone, Copy)]
pub struct Answer {
    pub holds: bool,
    pub condition: Option<SymId>,
}

impl Answer {
    const fn fixed(holds: bool) -> Self {
        Answer { holds, condition: None }
    }
}

/// A comparison of the program, as a value.
pub fn compare(ctx: &mut Ctx<'_>, op: Comparison, a: Value, b: Value) -> Answer {
    if ctx.arena.is_empty() {
        return Answer::fixed(compare_concrete(ctx.heap, op, a, b));
    }
    match op {
        Comparison::Same => same(ctx, a, b),
        Comparison::NotSame => {
            let same = same(ctx, a, b);
            negate(ctx, same)
        }
        Comparison::Equal => ordered(ctx, Wanted::Equal, a, b),
        Comparison::NotEqual => {
            let equal = ordered(ctx, Wanted::Equal, a, b);
            negate(ctx, equal)
        }
        Comparison::Lt => ordered(ctx, Wanted::Less, a, b),
        Comparison::Gt => ordered(ctx, Wanted::Less, b, a),
        Comparison::Ge => {
            let less = ordered(ctx, Wanted::Less, a, b);
            negate(ctx, less)
        }
        Comparison::Le => {
            let less = ordered(ctx, Wanted::Less, b, a);
            negate(ctx, less)
        }
    }
}

/// Of values without expressions.
pub(super) fn compare_concrete(heap: &Heap, op: Comparison, a: Value, b: Value) -> bool {
    match op {
        Comparison::Same => order::identical(heap, a, b),
        Comparison::NotSame => !order::identical(heap, a, b),
        Comparison::Equal => order::equal(heap, a, b),
        Comparison::NotEqual => !order::equal(heap, a, b),
        Comparison::Lt => order::compare(heap, a, b).is_lt(),
        Comparison::Le => order::compare(heap, a, b).is_le(),
        Comparison::Gt => order::compare(heap, a, b).is_gt(),
        Comparison::Ge => order::compare(heap, a, b).is_ge(),
    }
}

fn negate(ctx: &mut Ctx<'_>, answer: Answer) -> Answer {
    Answer { holds: !answer.holds, condition: answer.condition.map(|id| ctx.arena.not(id)) }
}

/// `=:=`: one condition, the conjunction of what the parts need.
fn same(ctx: &mut Ctx<'_>, a: Value, b: Value) -> Answer {
    let mut answer = Answer::fixed(true);
    let mut pairs = vec![(a, b)];
    let mut effort = Effort::new(ctx.heap);
    while let Some((a, b)) = pairs.pop() {
        if a == b {
            continue;
        }
        if !effort.spend(ctx.heap) {
            return Answer::fixed(false);
        }
        if funs::is_settled(ctx, a, b) {
            ctx.counters.concretise(crate::bif::mfa("erlang", "=:=", 2));
            if !order::identical(ctx.heap, a, b) {
                return Answer::fixed(false);
            }
        } else if (a.is_sym() || b.is_sym())
            && let Some(parts) = look_inside(ctx, a, b)
        {
            match parts {
                Inside::Parts(parts) => pairs.extend(parts),
                Inside::Bits(other) if !other.holds && other.condition.is_none() => return other,
                Inside::Bits(other) => answer = both(ctx, answer, other),
            }
        } else if a.is_sym() || b.is_sym() {
            let condition = symbolic_maps::equality(ctx, a, b);
            let holds = answer.holds && order::identical(ctx.heap, a, b);
            let condition = match answer.condition {
                None => condition,
                Some(all) => ctx.arena.and(all, condition),
            };
            answer = Answer { holds, condition: Some(condition) };
        } else if a.is_cons() && b.is_cons() {
            pairs.push((ctx.heap.tail(a), ctx.heap.tail(b)));
            pairs.push((ctx.heap.head(a), ctx.heap.head(b)));
        } else {
            match (ctx.heap.tuple_arity(a), ctx.heap.tuple_arity(b)) {
                (Some(size), Some(other)) if size == other => {
                    pairs.extend((0..size).rev().map(|i| (ctx.heap.element(a, i), ctx.heap.element(b, i))));
                }
                _ if maps::are_both(ctx.heap, a, b) => match maps::values_of_same_keys(ctx, a, b) {
                    Some(values) => pairs.extend(values),
                    None => return Answer::fixed(false),
                },
                _ if order::identical(ctx.heap, a, b) => {}
                _ => return Answer::fixed(false),
            }
        }
    }
    answer
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Equal,
    Less,
}

/// `==` and `<`: the first pair of parts that differ decides.
fn ordered(ctx: &mut Ctx<'_>, wanted: Wanted, a: Value, b: Value) -> Answer {
    let mut pairs = vec![(a, b)];
    let mut effort = Effort::new(ctx.heap);
    while let Some((a, b)) = pairs.pop() {
        if a == b && !a.is_sym() {
            continue;
        }
        if !effort.spend(ctx.heap) {
            return Answer::fixed(false);
        }
        if wanted == Wanted::Equal
            && (a.is_sym() || b.is_sym())
            && (ctx.open_tags(a) == Tags::BITS || ctx.open_tags(b) == Tags::BITS)
        {
            let equal = same(ctx, a, b);
            if pairs.is_empty() {
                return equal;
            }
            if !decide(ctx, equal) {
                return Answer::fixed(false);
            }
            continue;
        }
        match step(ctx, a, b, &mut pairs) {
            Step::Parts => {}
            Step::Concrete(Ordering::Equal) => {}
            Step::Concrete(ordering) => return Answer::fixed(wanted == Wanted::Less && ordering == Ordering::Less),
            Step::Scalars(relation) => {
                let equal = relation(ctx, Wanted::Equal, a, b);
                let last = pairs.is_empty();
                match wanted {
                    Wanted::Equal if last => return equal,
                    Wanted::Less if last => return relation(ctx, Wanted::Less, a, b),
                    Wanted::Equal | Wanted::Less => {
                        if !decide(ctx, equal) {
                            return match wanted {
                                Wanted::Equal => Answer::fixed(false),
                                Wanted::Less => relation(ctx, Wanted::Less, a, b),
                            };
                        }
                    }
                }
            }
        }
    }
    Answer::fixed(wanted == Wanted::Equal)
}

/// Takes the answer for a decision of the program.
pub(super) fn decide(ctx: &mut Ctx<'_>, answer: Answer) -> bool {
    match answer.condition {
        Some(condition) => ctx.branch(condition, answer.holds),
        None => answer.holds,
    }
}

enum Step {
    /// Both are structures of one shape: their parts are on the stack now.
    Parts,
    /// The pair is decided.
    Concrete(Ordering),
    /// One of them is symbolic, and one is a number or both are atoms: a condition says how they compare.
    Scalars(fn(&mut Ctx<'_>, Wanted, Value, Value) -> Answer),
}

fn step(ctx: &mut Ctx<'_>, a: Value, b: Value, pairs: &mut Vec<(Value, Value)>) -> Step {
    let symbolic = a.is_sym() || b.is_sym();
    if symbolic && (Tags::NUMBER.contains(ctx.open_tags(a)) || Tags::NUMBER.contains(ctx.open_tags(b))) {
        return Step::Scalars(numbers);
    }
    // From here on the types of both are known, by decision if need be.
    let (x, y) = (kind(ctx, a), kind(ctx, b));
    if symbolic && x == Tags::NUMBER && y == Tags::NUMBER {
        return Step::Scalars(numbers);
    }
    if symbolic && x == Tags::ATOM && y == Tags::ATOM {
        return Step::Scalars(atoms);
    }
    if x == y && x == Tags::CONS {
        let (tails, heads) = ((ctx.tail(a), ctx.tail(b)), (ctx.head(a), ctx.head(b)));
        pairs.extend([tails, heads]);
        return Step::Parts;
    }
    if x == y && x == Tags::TUPLE {
        let (m, n) = (tuple_size(ctx, a), tuple_size(ctx, b));
        if m != n {
            return Step::Concrete(m.cmp(&n));
        }
        for index in (0..m).rev() {
            let parts = (ctx.element(a, index), ctx.element(b, index));
            pairs.push(parts);
        }
        return Step::Parts;
    }
    if x == y && x == Tags::MAP {
        return match maps::compared(ctx, a, b) {
            Ok(values) => {
                pairs.extend(values);
                Step::Parts
            }
            Err(ordering) => Step::Concrete(ordering),
        };
    }
    if x == y && symbolic && x == Tags::BITS {
        return Step::Concrete(ctx.order_bits(a, b));
    }
    if x == y && symbolic {
        // Equal or not is a decision; which of two unequal ones comes first is not modelled.
        let answer = same(ctx, a, b);
        if !decide(ctx, answer) {
            ctx.counters.concretise(crate::bif::mfa("erlang", "<", 2));
        }
    }
    Step::Concrete(order::compare(ctx.heap, a, b))
}

/// The type of a value for the order of types, numbers being one type. Decided, if the value is symbolic: by halves, the common types in
/// fewest steps, and always in the same order, so that a run with another type asks the same until there.
fn kind(ctx: &mut Ctx<'_>, value: Value) -> Tags {
    let choose = |ctx: &mut Ctx<'_>, kind: Tags, other: Tags| if ctx.is(value, kind) { kind } else { other };
    if ctx.is(value, Tags::NUMBER | Tags::ATOM) {
        return choose(ctx, Tags::NUMBER, Tags::ATOM);
    }
    if ctx.is(value, Tags::LIST | Tags::TUPLE) {
        return match choose(ctx, Tags::TUPLE, Tags::LIST) {
            Tags::TUPLE => Tags::TUPLE,
            _ => choose(ctx, Tags::CONS, Tags::NIL),
        };
    }
    if ctx.is(value, Tags::MAP | Tags::BITS) {
        return choose(ctx, Tags::MAP, Tags::BITS);
    }
    let rare = [Tags::FUN, Tags::PID, Tags::REFERENCE];
    rare.into_iter().find(|kind| ctx.is(value, *kind)).unwrap_or(Tags::PORT)
}

fn tuple_size(ctx: &mut Ctx<'_>, tuple: Value) -> usize {
    ctx.tuple_size(tuple).unwrap_or(0)
}

/// The condition on two atoms.
fn atoms(ctx: &mut Ctx<'_>, wanted: Wanted, a: Value, b: Value) -> Answer {
    let ordering = order::compare(ctx.heap, a, b);
    let (x, y) = (ctx.lift(a), ctx.lift(b));
    let (holds, condition) = match wanted {
        Wanted::Equal => (ordering == Ordering::Equal, ctx.arena.eq(x, y)),
        Wanted::Less => (ordering == Ordering::Less, ctx.arena.lt(x, y)),
    };
    Answer { holds, condition: Some(condition) }
}

/// The condition on two terms, of which at least one is a number.
fn numbers(ctx: &mut Ctx<'_>, wanted: Wanted, a: Value, b: Value) -> Answer {
    let ordering = order::compare(ctx.heap, a, b);
    let holds = match wanted {
        Wanted::Equal => ordering == Ordering::Equal,
        Wanted::Less => ordering == Ordering::Less,
    };
    let (open_a, open_b) = (ctx.open_tags(a), ctx.open_tags(b));
    let (x, y) = (ctx.lift(a), ctx.lift(b));
    let mut any = ctx.arena.truth(false);
    for tag_a in (open_a & Tags::NUMBER).each() {
        for tag_b in (open_b & Tags::NUMBER).each() {
            let (is_a, is_b) = (ctx.arena.is(x, tag_a), ctx.arena.is(y, tag_b));
            let types = ctx.arena.and(is_a, is_b);
            let relation = relation(ctx, wanted, (x, tag_a), (y, tag_b));
            let both = ctx.arena.and(types, relation);
            any = ctx.arena.or(any, both);
        }
    }
    if wanted == Wanted::Less {
        // Numbers come before everything else.
        let above = ctx.arena.is(y, !Tags::NUMBER);
        let number = ctx.arena.is(x, Tags::NUMBER);
        let types = ctx.arena.and(number, above);
        any = ctx.arena.or(any, types);
    }
    Answer { holds, condition: Some(any) }
}

fn relation(ctx: &mut Ctx<'_>, wanted: Wanted, a: (SymId, Tags), b: (SymId, Tags)) -> SymId {
    let both_int = a.1 == Tags::INT && b.1 == Tags::INT;
    let (x, y) = if both_int { (ctx.arena.int_of(a.0), ctx.arena.int_of(b.0)) } else { (real(ctx, a), real(ctx, b)) };
    match wanted {
        Wanted::Equal => ctx.arena.eq(x, y),
        Wanted::Less => ctx.arena.lt(x, y),
    }
}

fn real(ctx: &mut Ctx<'_>, number: (SymId, Tags)) -> SymId {
    if number.1 == Tags::INT {
        let int = ctx.arena.int_of(number.0);
        ctx.arena.to_real(int)
    } else {
        ctx.arena.real_of(number.0)
    }
}
