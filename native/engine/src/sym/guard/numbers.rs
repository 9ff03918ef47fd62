//! Comparisons with a number, in the order of terms.
//!
//! To the solver `X < 10` has one part for integers and one for floats, and what is no number is above all numbers. A guard says it in one.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::super::arena::{Arena, SymId};
use super::super::expr::Expr;
use super::super::tags::Tags;

/// Alternatives of which a comparison is made, at the most.
const MOST_ALTERNATIVES: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Operator {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Operator::Less => "<",
            Operator::AtMost => "=<",
            Operator::More => ">",
            Operator::AtLeast => ">=",
        }
    }

    /// Whether only numbers are on that side.
    pub(super) const fn is_upper(self) -> bool {
        matches!(self, Operator::Less | Operator::AtMost)
    }
}

/// A term, compared with a constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bound {
    pub term: SymId,
    pub operator: Operator,
    pub constant: SymId,
}

/// A condition, or what several of them say together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Item {
    Condition(SymId, bool),
    Bound(Bound),
}

/// A comparison of the integers, or of the floats, among the values of a term.
#[derive(Clone, Copy)]
struct Half {
    bound: Bound,
    kind: Tags,
}

/// The conditions, with the halves of comparisons put together and bounds left out that others imply. `types` tells what is said of a term's types.
pub(super) fn joined(arena: &Arena, conditions: &[(SymId, bool)], types: impl Fn(SymId) -> Tags) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut waiting: Vec<(usize, Half)> = Vec::new();
    for (condition, holds) in conditions {
        if let Some(bound) = whole(arena, *condition, *holds) {
            items.push(Item::Bound(bound));
            continue;
        }
        let half = unless_other(arena, *condition, *holds)
            .filter(|half| !half.bound.operator.is_upper() || Tags::NUMBER.contains(types(half.bound.term)));
        let Some(half) = half else {
            items.push(Item::Condition(*condition, *holds));
            continue;
        };
        match waiting.iter().position(|(_, other)| are_halves(arena, *other, half)) {
            Some(place) => {
                let (at, other) = waiting.swap_remove(place);
                let whole = if half.kind == Tags::INT { half.bound } else { other.bound };
                if let Some(item) = items.get_mut(at) {
                    *item = Item::Bound(whole);
                }
            }
            None => {
                waiting.push((items.len(), half));
                items.push(Item::Condition(*condition, *holds));
            }
        }
    }
    tightest(arena, items)
}

/// Without bounds that another bound of the same term implies. Of equal ones the first stays.
fn tightest(arena: &Arena, items: Vec<Item>) -> Vec<Item> {
    let bounds: Vec<(usize, Bound)> = items
        .iter()
        .enumerate()
        .filter_map(|(at, item)| match item {
            Item::Bound(bound) => Some((at, *bound)),
            Item::Condition(..) => None,
        })
        .collect();
    let is_implied = |at: usize, bound: &Bound| {
        bounds.iter().any(|(other_at, other)| {
            *other_at != at && implies(arena, other, bound) && !(implies(arena, bound, other) && at < *other_at)
        })
    };
    let kept = items.iter().enumerate().filter(|(at, item)| match item {
        Item::Bound(bound) => !is_implied(*at, bound),
        Item::Condition(..) => true,
    });
    kept.map(|(_, item)| *item).collect()
}

fn implies(arena: &Arena, bound: &Bound, other: &Bound) -> bool {
    if bound.term != other.term || bound.operator.is_upper() != other.operator.is_upper() {
        return false;
    }
    let Some(order) = compare(arena, bound.constant, other.constant) else { return false };
    let further = if bound.operator.is_upper() { Ordering::Less } else { Ordering::Greater };
    let is_strict = |operator: Operator| matches!(operator, Operator::Less | Operator::More);
    order == further || order == Ordering::Equal && (is_strict(bound.operator) || !is_strict(other.operator))
}

/// Alternatives for integers and for floats, and for what is no number if that is above.
fn whole(arena: &Arena, condition: SymId, holds: bool) -> Option<Bound> {
    let alternatives = alternatives(arena, condition, holds)?;
    let halves: Vec<Half> = alternatives.iter().filter_map(|(part, holds)| and_is(arena, *part, *holds)).collect();
    let [one, other] = halves.as_slice() else { return None };
    let bound = if one.kind == Tags::INT { one.bound } else { other.bound };
    let others = alternatives.iter().filter(|(part, holds)| and_is(arena, *part, *holds).is_none());
    let others: Vec<(SymId, Tags)> =
        others.map(|(part, holds)| type_test(arena, *part, *holds)).collect::<Option<_>>()?;
    let fits = match others.as_slice() {
        [] => bound.operator.is_upper(),
        [(term, tags)] => !bound.operator.is_upper() && *term == bound.term && *tags == !Tags::NUMBER,
        _ => false,
    };
    (fits && are_halves(arena, *one, *other)).then_some(bound)
}

fn are_halves(arena: &Arena, one: Half, other: Half) -> bool {
    one.kind != other.kind
        && (one.bound.term, one.bound.operator) == (other.bound.term, other.bound.operator)
        && compare(arena, one.bound.constant, other.bound.constant) == Some(Ordering::Equal)
}

/// A disjunction taken apart.
fn alternatives(arena: &Arena, condition: SymId, holds: bool) -> Option<Vec<(SymId, bool)>> {
    let mut found = Vec::new();
    let mut rest = vec![(condition, holds)];
    while let Some((part, holds)) = rest.pop() {
        match (arena.get(part), holds) {
            (Expr::Not(inner), _) => rest.push((*inner, !holds)),
            (Expr::Or(a, b), true) | (Expr::And(a, b), false) => rest.extend([(*b, holds), (*a, holds)]),
            _ => found.push((part, holds)),
        }
        if found.len() + rest.len() > MOST_ALTERNATIVES {
            return None;
        }
    }
    Some(found)
}

/// "It is of that kind, and the comparison holds."
fn and_is(arena: &Arena, condition: SymId, holds: bool) -> Option<Half> {
    let ((Expr::And(a, b), true) | (Expr::Or(a, b), false)) = (arena.get(condition), holds) else { return None };
    of_kind(arena, (*a, holds), (*b, holds), |kind| kind)
        .or_else(|| of_kind(arena, (*b, holds), (*a, holds), |kind| kind))
}

/// "It is not of that kind, or the comparison holds."
fn unless_other(arena: &Arena, condition: SymId, holds: bool) -> Option<Half> {
    let ((Expr::Or(a, b), true) | (Expr::And(a, b), false)) = (arena.get(condition), holds) else { return None };
    of_kind(arena, (*a, holds), (*b, holds), |kind| !kind)
        .or_else(|| of_kind(arena, (*b, holds), (*a, holds), |kind| !kind))
}

/// A comparison beside a type test that says which half it is.
fn of_kind(arena: &Arena, test: (SymId, bool), with: (SymId, bool), tested: fn(Tags) -> Tags) -> Option<Half> {
    let (term, tags) = type_test(arena, test.0, test.1)?;
    let half = comparison(arena, with.0, with.1)?;
    (half.bound.term == term && tested(half.kind) == tags).then_some(half)
}

fn type_test(arena: &Arena, condition: SymId, holds: bool) -> Option<(SymId, Tags)> {
    match arena.get(condition) {
        Expr::Is(term, tags) => Some((*term, if holds { *tags } else { !*tags })),
        Expr::Not(inner) => type_test(arena, *inner, !holds),
        _ => None,
    }
}

fn comparison(arena: &Arena, condition: SymId, holds: bool) -> Option<Half> {
    let (number, operator, constant) = match (arena.get(condition), holds) {
        (Expr::Not(inner), _) => return comparison(arena, *inner, !holds),
        (Expr::Lt(a, b), true) if arena.is_constant(*b) => (*a, Operator::Less, *b),
        (Expr::Lt(a, b), false) if arena.is_constant(*b) => (*a, Operator::AtLeast, *b),
        (Expr::Lt(a, b), true) if arena.is_constant(*a) => (*b, Operator::More, *a),
        (Expr::Lt(a, b), false) if arena.is_constant(*a) => (*b, Operator::AtMost, *a),
        _ => return None,
    };
    let kind = match arena.get(number) {
        Expr::IntOf(_) | Expr::ToReal(_) => Tags::INT,
        Expr::RealOf(_) => Tags::FLOAT,
        _ => return None,
    };
    Some(Half { bound: Bound { term: super::term(arena, number), operator, constant }, kind })
}

fn compare(arena: &Arena, a: SymId, b: SymId) -> Option<Ordering> {
    match (arena.get(a), arena.get(b)) {
        (Expr::Int(a), Expr::Int(b)) => Some(a.cmp(b)),
        (Expr::Real(a), Expr::Real(b)) => f64::from_bits(*a).partial_cmp(&f64::from_bits(*b)),
        (Expr::Int(a), Expr::Real(b)) => exactly(a)?.partial_cmp(&f64::from_bits(*b)),
        (Expr::Real(a), Expr::Int(b)) => f64::from_bits(*a).partial_cmp(&exactly(b)?),
        _ => None,
    }
}

/// An integer that is a float too.
fn exactly(integer: &BigInt) -> Option<f64> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    integer.to_f64().filter(|float| float.abs() <= LARGEST)
}
