//! Inputs for the other side of a decision, found by changing integers step by step.
//!
//! Chains of quotients, remainders and products are hard for the solver, and quick to compute. So for a decision that speaks of such, the
//! integers in the input that it depends on are changed, one at a time and by growing steps, as long as the conditions of the path come closer to holding; and
//! from other beginnings, among them the numbers that stand in the conditions. What is found has been computed to take that side. If nothing is
//! found, nothing is concluded.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashSet;

use super::candidate::goes_there;
use super::spec::Spec;
use super::tree::Record;
use crate::sym::eval::{Denoted, Evaluator};
use crate::sym::{Arena, Expr, SymId};
use crate::term::Packed;

/// More integers than this are not changed.
const MOST_PLACES: usize = 6;
/// How many expressions of the conditions are looked at for places and numbers.
const MOST_EXPRESSIONS: usize = 4_000;
/// An evaluator keeps what it has computed: after so many inputs there is a new one.
const FRESH: u32 = 128;
/// The largest number of bits of an integer to begin with.
const MOST_BITS: u32 = 48;

/// Whether a decision speaks of quotients, remainders or products of what is not known.
pub(super) fn may_help(record: &Record, index: usize) -> bool {
    let Some(decision) = record.decision(index) else { return false };
    walk(&record.arena, [decision.condition]).any(|id| is_hard(&record.arena, id))
}

fn is_hard(arena: &Arena, id: SymId) -> bool {
    match arena.get(id) {
        Expr::Div(..) | Expr::Rem(..) | Expr::FloorDiv(..) | Expr::Modulo(..) | Expr::Bitwise(..) => true,
        Expr::Mul(a, b) => !arena.is_constant(*a) && !arena.is_constant(*b),
        _ => false,
    }
}

/// An input that takes the other side, if one is found within so many attempts.
pub(super) fn input(record: &Record, index: usize, spec: &Spec, attempts: u32) -> Option<Vec<Packed>> {
    let decision = record.decision(index)?;
    let arena = &record.arena;
    let places: Vec<SymId> =
        walk(arena, [decision.condition]).filter(|id| is_place(arena, *id)).take(MOST_PLACES).collect();
    if places.is_empty() {
        return None;
    }
    let wanted = record.decisions.iter().enumerate().take(index + 1);
    let wanted: Vec<(SymId, bool)> = wanted.map(|(at, step)| (step.condition, step.taken != (at == index))).collect();
    let conditions: Vec<SymId> = wanted.iter().rev().map(|(condition, _)| *condition).collect();
    let numbers = walk(arena, conditions).filter_map(|id| match arena.get(id) {
        Expr::Int(number) => Some(number.clone()),
        _ => None,
    });
    let mut climber = Climber {
        evaluator: Evaluator::new(arena, &record.input),
        record,
        places,
        wanted,
        numbers: numbers.take(64).collect(),
        attempts,
        random: (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
    };
    let input = climber.climb()?;
    let good = |input: &Vec<Packed>| goes_there(record, index, input);
    if spec.admits(&input) { Some(input).filter(good) } else { spec.repaired(&input).into_iter().find(good) }
}

/// The expressions of some, each once, up to a limit.
fn walk(arena: &Arena, roots: impl IntoIterator<Item = SymId>) -> impl Iterator<Item = SymId> + '_ {
    let mut rest: Vec<SymId> = roots.into_iter().collect();
    let mut seen: FxHashSet<SymId> = FxHashSet::default();
    std::iter::from_fn(move || {
        while let Some(id) = rest.pop() {
            if seen.len() < MOST_EXPRESSIONS && seen.insert(id) {
                rest.extend(arena.get(id).children());
                return Some(id);
            }
        }
        None
    })
}

/// Whether it is an integer that stands in the input.
fn is_place(arena: &Arena, id: SymId) -> bool {
    let Expr::IntOf(term) = arena.get(id) else { return false };
    let mut at = *term;
    loop {
        match arena.get(at) {
            Expr::Input(_) => return true,
            Expr::Head(whole) | Expr::Tail(whole) | Expr::Element(whole, _) => at = *whole,
            _ => return false,
        }
    }
}

struct Climber<'a> {
    evaluator: Evaluator<'a>,
    record: &'a Record,
    places: Vec<SymId>,
    /// The conditions of the path, and whether they are to hold.
    wanted: Vec<(SymId, bool)>,
    numbers: Vec<BigInt>,
    attempts: u32,
    random: u64,
}

impl Climber<'_> {
    fn climb(&mut self) -> Option<Vec<Packed>> {
        let first: Vec<BigInt> = self.places.clone().into_iter().map(|place| self.int(place)).collect::<Option<_>>()?;
        let mut beginning = first.clone();
        let mut round = 0;
        loop {
            if let Some(found) = self.climb_from(beginning) {
                self.put(&found)?;
                let inputs = 0..self.record.input.len() as u32;
                return inputs.map(|number| self.evaluator.packed_input(number)).collect();
            }
            if self.attempts == 0 {
                return None;
            }
            beginning = self.elsewhere(&first, round);
            round += 1;
        }
    }

    /// Better and better values; `Some` when they are good.
    fn climb_from(&mut self, mut values: Vec<BigInt>) -> Option<Vec<BigInt>> {
        let mut best = self.cost(&values)?;
        let mut improved = true;
        while improved && best > 0.0 {
            improved = false;
            for at in 0..values.len() {
                for up in [true, false] {
                    improved |= self.stride(&mut values, at, up, &mut best);
                    if best <= 0.0 {
                        return Some(values);
                    }
                }
            }
        }
        (best <= 0.0).then_some(values)
    }

    /// Growing steps of one value in one direction, as long as they are for the better.
    fn stride(&mut self, values: &mut [BigInt], at: usize, up: bool, best: &mut f64) -> bool {
        let mut step = BigInt::one();
        let mut improved = false;
        while *best > 0.0 {
            let Some(place) = values.get_mut(at) else { break };
            let before = place.clone();
            *place = if up { &before + &step } else { &before - &step };
            match self.cost(values) {
                Some(cost) if cost < *best => *best = cost,
                _ => {
                    if let Some(place) = values.get_mut(at) {
                        *place = before;
                    }
                    break;
                }
            }
            improved = true;
            step *= 2;
        }
        improved
    }

    /// Where to begin next: with one of the numbers of the conditions, or anywhere, at one place or at all.
    fn elsewhere(&mut self, first: &[BigInt], round: usize) -> Vec<BigInt> {
        let one = (round % (first.len() + 1)).checked_sub(1);
        let new = |at: usize, old: &BigInt, climber: &mut Self| {
            if one.is_some_and(|one| one != at) { old.clone() } else { climber.some_number(round) }
        };
        first.iter().enumerate().map(|(at, old)| new(at, old, self)).collect()
    }

    fn some_number(&mut self, round: usize) -> BigInt {
        let offset = BigInt::from(self.next() % 3) - 1;
        let which = self.next() % self.numbers.len().max(1) as u64;
        if round.is_multiple_of(2)
            && let Some(number) = self.numbers.get(which as usize)
        {
            return number + offset;
        }
        let bits = self.next() as u32 % MOST_BITS + 1;
        let size = BigInt::from(self.next() % (1 << bits));
        if self.next().is_multiple_of(4) { -size } else { size }
    }

    /// A small generator (xorshift): the same decision is always looked at in the same way.
    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random >> 8
    }

    fn put(&mut self, values: &[BigInt]) -> Option<()> {
        for (place, value) in self.places.clone().into_iter().zip(values) {
            let Expr::IntOf(term) = self.record.arena.get(place) else { return None };
            let value = self.evaluator.heap_mut().bigint(value);
            self.evaluator.put(*term, value)?;
        }
        Some(())
    }

    /// How far the conditions are from holding; `None` when there are no attempts left.
    fn cost(&mut self, values: &[BigInt]) -> Option<f64> {
        self.attempts = self.attempts.checked_sub(1)?;
        if self.attempts.is_multiple_of(FRESH) {
            self.evaluator = Evaluator::new(&self.record.arena, &self.record.input);
        }
        self.put(values)?;
        let wanted = std::mem::take(&mut self.wanted);
        let cost = wanted.iter().map(|(condition, holds)| self.missed_by(*condition, *holds)).sum();
        self.wanted = wanted;
        Some(cost)
    }

    /// 0 for a condition that is as it should be, otherwise 1 and more, up to 2.
    fn missed_by(&mut self, condition: SymId, holds: bool) -> f64 {
        if self.evaluator.holds(condition) == Some(holds) {
            return 0.0;
        }
        let (mut id, mut holds) = (condition, holds);
        while let Expr::Not(inner) = self.record.arena.get(id) {
            (id, holds) = (*inner, !holds);
        }
        let distance = match (self.record.arena.get(id), holds) {
            (Expr::Eq(a, b), true) | (Expr::Lt(a, b), _) => self.distance(*a, *b),
            _ => None,
        };
        distance.map_or(2.0, |distance| 1.0 + distance / (distance + 1.0))
    }

    fn distance(&mut self, a: SymId, b: SymId) -> Option<f64> {
        let difference: BigInt = self.int(a)? - self.int(b)?;
        let size = if difference < BigInt::zero() { -difference } else { difference };
        // Large ones are told apart by their order of magnitude.
        size.to_f64().map(|size| if size.is_finite() { size.min(1.0e15) } else { 1.0e15 })
    }

    fn int(&mut self, id: SymId) -> Option<BigInt> {
        match self.evaluator.value(id)? {
            Denoted::Int(int) => Some(int),
            Denoted::Term(_) | Denoted::Real(_) | Denoted::Bool(_) => None,
        }
    }
}
