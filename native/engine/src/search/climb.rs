//! Inputs for the other side of a decision, found by changing integers step by step.
//!
//! Chains of quotients, remainders and products are hard for the solver, and quick to compute. So for a decision that speaks of such, the
//! integers in the input that it depends on are changed, one at a time and by growing steps, as long as the conditions of the path come closer to holding. The
//! steps are of one, of the numbers in the condition and of their products, which keep its remainders. It begins with the recorded input, then
//! not far from the best that was found, or elsewhere, among other things with the numbers that stand in the conditions. What is found has been computed to take that side. If nothing is
//! found, nothing is concluded.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use super::candidate::goes_there;
use super::chance::Chance;
use super::computed::{Computed, MOST_EXPRESSIONS, Place, places};
use super::spec::Spec;
use super::tree::Record;
use crate::sym::{Arena, Expr, SymId};
use crate::term::Packed;

/// The largest number of bits of an integer to begin with.
const MOST_BITS: usize = 48;
/// How many numbers of the conditions are used.
const MOST_NUMBERS: usize = 64;
/// How many of them are steps, and how many of their products.
const MOST_STEPS: usize = 8;
/// How many steps near is: that many bits has the number.
const NEAR_BITS: usize = 16;

/// Whether a decision speaks of quotients, remainders or products of what is not known.
pub(super) fn may_help(record: &Record, index: usize) -> bool {
    let Some(decision) = record.decision(index) else { return false };
    record.arena.parts([decision.condition]).take(MOST_EXPRESSIONS).any(|id| is_hard(&record.arena, id))
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
    let integer_of = |expr: &Expr| if let Expr::IntOf(term) = expr { Some(*term) } else { None };
    let places = places(arena, [decision.condition], integer_of);
    if places.is_empty() {
        return None;
    }
    let computed = Computed::new(record, index, &record.input, &places);
    let mut climber = Climber {
        numbers: numbers(arena, computed.wanted().iter().map(|step| step.condition)),
        steps: steps(numbers(arena, [decision.condition])),
        arena,
        places,
        computed,
        attempts,
        chance: Chance::new(index as u64 ^ u64::from(attempts)),
    };
    let input = climber.climb()?;
    let good = |input: &Vec<Packed>| goes_there(record, index, input);
    if spec.admits(&input) { Some(input).filter(good) } else { spec.repaired(&input).into_iter().find(good) }
}

/// The numbers that stand in some conditions.
fn numbers(arena: &Arena, conditions: impl IntoIterator<Item = SymId>) -> Vec<BigInt> {
    let numbers = arena.parts(conditions).take(MOST_EXPRESSIONS).filter_map(|id| match arena.get(id) {
        Expr::Int(number) => Some(number.clone()),
        _ => None,
    });
    numbers.take(MOST_NUMBERS).collect()
}

/// One up and one down, and the same with the numbers of the condition and with products of two.
fn steps(numbers: Vec<BigInt>) -> Vec<BigInt> {
    let mut sizes: Vec<BigInt> = numbers.into_iter().filter(|number| *number > BigInt::one()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.truncate(MOST_STEPS);
    let pairs = sizes.iter().enumerate().flat_map(|(at, a)| sizes.iter().skip(at + 1).map(move |b| a * b));
    let mut products: Vec<BigInt> = pairs.collect();
    products.sort_unstable();
    products.dedup();
    products.truncate(MOST_STEPS);
    sizes.append(&mut products);
    [BigInt::one()].into_iter().chain(sizes).flat_map(|size| [size.clone(), -size]).collect()
}

struct Climber<'a> {
    arena: &'a Arena,
    places: Vec<Place>,
    computed: Computed<'a>,
    /// To begin with.
    numbers: Vec<BigInt>,
    /// The smallest steps that are taken: what has a remainder keeps it with steps of the divisor.
    steps: Vec<BigInt>,
    attempts: u32,
    chance: Chance,
}

impl Climber<'_> {
    fn climb(&mut self) -> Option<Vec<Packed>> {
        let evaluator = self.computed.evaluator();
        let first: Option<Vec<BigInt>> = self.places.iter().map(|place| evaluator.integer(place.number)).collect();
        let first = first?;
        let mut top = self.climb_from(first.clone())?;
        for round in 0.. {
            if top.0 <= 0.0 {
                break;
            }
            let beginning = if round % 3 == 0 { self.elsewhere(&first, round / 3) } else { self.near(&top.1) };
            let end = self.climb_from(beginning)?;
            if end.0 <= top.0 {
                top = end;
            }
        }
        self.put(&top.1)?;
        Some(self.computed.input())
    }

    /// Better and better values, and how far from good they are. `None` when there are no attempts left.
    fn climb_from(&mut self, mut values: Vec<BigInt>) -> Option<(f64, Vec<BigInt>)> {
        let mut best = self.cost(&values, f64::INFINITY)?;
        let mut improved = true;
        while improved && best > 0.0 {
            improved = false;
            for at in 0..values.len() {
                for step in self.steps.clone() {
                    improved |= self.stride(&mut values, at, step, &mut best)?;
                }
            }
        }
        Some((best, values))
    }

    /// Growing steps of one value in one direction, until they are for the worse.
    fn stride(&mut self, values: &mut [BigInt], at: usize, mut step: BigInt, best: &mut f64) -> Option<bool> {
        let mut improved = false;
        for _ in 0..MOST_BITS {
            if *best <= 0.0 {
                break;
            }
            let before = values.get(at)?.clone();
            *values.get_mut(at)? = &before + &step;
            let cost = self.cost(values, *best)?;
            if cost < *best {
                (*best, improved) = (cost, true);
            } else {
                *values.get_mut(at)? = before;
                if cost > *best {
                    break;
                }
            }
            step *= 2;
        }
        Some(improved)
    }

    /// Some steps away at one place.
    fn near(&mut self, values: &[BigInt]) -> Vec<BigInt> {
        let mut values = values.to_vec();
        let (at, which) = (self.chance.below(values.len()), self.chance.below(self.steps.len()));
        let bits = self.chance.below(NEAR_BITS) + 1;
        if let (Some(value), Some(step)) = (values.get_mut(at), self.steps.get(which)) {
            *value += step * (self.chance.below(1 << bits) + 1);
        }
        values
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
        let offset = BigInt::from(self.chance.below(3)) - 1;
        let which = self.chance.below(self.numbers.len());
        if round.is_multiple_of(2)
            && let Some(number) = self.numbers.get(which)
        {
            return number + offset;
        }
        let bits = self.chance.below(MOST_BITS) + 1;
        let size = BigInt::from(self.chance.below(1 << bits));
        if self.chance.below(4) == 0 { -size } else { size }
    }

    fn put(&mut self, values: &[BigInt]) -> Option<()> {
        let put = |(place, value): (&Place, &BigInt)| self.computed.put(*place, |heap| heap.bigint(value));
        self.places.iter().zip(values).try_for_each(put)
    }

    /// How far the conditions are from holding, as far as that is less than some bound; `None` when there are no attempts left.
    fn cost(&mut self, values: &[BigInt], bound: f64) -> Option<f64> {
        self.attempts = self.attempts.checked_sub(1)?;
        self.computed.next_input();
        self.put(values)?;
        let mut cost = 0.0;
        for at in 0..self.computed.wanted().len() {
            let step = self.computed.wanted().get(at)?;
            cost += self.missed_by(step.condition, step.taken);
            if cost > bound {
                break;
            }
        }
        Some(cost)
    }

    /// 0 for a condition that is as it should be, otherwise 1 and more, up to 2.
    fn missed_by(&mut self, condition: SymId, holds: bool) -> f64 {
        if self.computed.evaluator().holds(condition) == Some(holds) {
            return 0.0;
        }
        let (mut id, mut holds) = (condition, holds);
        while let Expr::Not(inner) = self.arena.get(id) {
            (id, holds) = (*inner, !holds);
        }
        let distance = match (self.arena.get(id), holds) {
            (Expr::Eq(a, b), true) | (Expr::Lt(a, b), _) => self.distance(*a, *b),
            _ => None,
        };
        // Large distances by their order of magnitude: so steps towards the goal count at all sizes.
        distance.map_or(2.0, |distance| 1.0 + distance.ln_1p() / (distance.ln_1p() + 1.0))
    }

    fn distance(&mut self, a: SymId, b: SymId) -> Option<f64> {
        let evaluator = self.computed.evaluator();
        let difference: BigInt = evaluator.integer(a)? - evaluator.integer(b)?;
        let size = if difference < BigInt::zero() { -difference } else { difference };
        size.to_f64().map(|size| if size.is_finite() { size.min(1.0e15) } else { 1.0e15 })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::sym::Tags;

    /// That `(X div A - X div B) * (X rem C)` is some number; it is not for zero.
    fn product(by: [i64; 3], wanted: i64) -> Record {
        let mut arena = Arena::default();
        let input = arena.input(0);
        let (is_int, x) = (arena.is(input, Tags::INT), arena.int_of(input));
        let [a, b, c] = by.map(|by| arena.int(by));
        let (first, second, rest) = (arena.div(x, a), arena.div(x, b), arena.rem(x, c));
        let difference = arena.sub(first, second);
        let (product, wanted) = (arena.mul(difference, rest), arena.int(wanted));
        let condition = arena.eq(product, wanted);
        Record::of_conditions(arena, [(is_int, true), (condition, false)])
    }

    #[test]
    fn products_of_quotients_and_remainders_are_reached() {
        for (by, wanted) in
            [([365, 366, 97], 1330), ([365, 366, 97], 36), ([24, 60, 9], 1_000), ([1461, 36_524, 12], 77)]
        {
            let record = product(by, wanted);
            assert!(may_help(&record, 1));
            for more in 0..20 {
                let input = input(&record, 1, &Spec::default(), 6_000 + more).unwrap();
                let (heap, x) = input[0].open();
                let (x, [a, b, c]) = (heap.integer(x).and_then(|x| x.to_i64()).unwrap(), by);
                assert_eq!((x / a - x / b) * (x % c), wanted);
            }
        }
    }

    #[test]
    fn what_cannot_be_is_not_found() {
        // 13 is prime: X - X div 2 would have to be 13 or -13, of 25 or 26 and their negatives, which end in 5 and 6.
        assert!(input(&product([1, 2, 10], 13), 1, &Spec::default(), 500).is_none());
    }
}
