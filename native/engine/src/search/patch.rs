//! Inputs for the other side of a decision, made from the recorded input by hand.
//!
//! Most questions of a program are about one place: is it a list, is it `ok`, is it less than 10. Then the input that answered one way needs a
//! change at that place alone to answer the other way. The change is read off the condition, by working backwards from what it should be to a place in
//! the input; whether the new input still takes the path up to there, evaluating the conditions tells. If it does, no solver has to be
//! asked. If not, nothing is concluded.

mod bits;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::spec::Spec;
use super::tree::Record;
use crate::sym::bits::BitsExpr;
use crate::sym::eval::{Denoted, Evaluator};
use crate::sym::{Arena, Expr, MapExpr, Sort, SymId, Tags};
use crate::term::map::{self, Map};
use crate::term::{AtomId, Packed, Value};

/// How many changes are tried for one decision.
const TRIES: usize = 12;
/// How deep a condition is worked backwards.
const DEPTH: u32 = 32;

/// How many expressions are worked backwards for one decision: conditions share their parts.
const STEPS: u32 = 2_000;

/// A new value for a place.
type Change = (SymId, Value);

/// An input for the other side of the decision that the spec is for, if a change of single places gives one.
pub(super) fn input(record: &Record, index: usize, spec: &Spec) -> Option<Vec<Packed>> {
    let decision = record.decision(index)?;
    let evaluator = Evaluator::new(&record.arena, &record.input);
    let mut patcher = Patcher { arena: &record.arena, evaluator, spec, index, steps: STEPS };
    let ways = patcher.want(decision.condition, !decision.taken, DEPTH);
    ways.into_iter().take(TRIES).find_map(|changes| {
        let input = patcher.changed(&record.input, &changes)?;
        let fits = |input: &Vec<Packed>| super::candidate::goes_there(record, index, input);
        if spec.admits(&input) {
            return fits(&input).then_some(input);
        }
        spec.repaired(&input).into_iter().find(fits)
    })
}

struct Patcher<'a> {
    arena: &'a Arena,
    evaluator: Evaluator<'a>,
    spec: &'a Spec,
    /// The number of the decision.
    index: usize,
    /// What is left of [`STEPS`].
    steps: u32,
}

/// Alternatives, each a list of changes to be made together.
type Ways = Vec<Vec<Change>>;

impl Patcher<'_> {
    fn term(&mut self, id: SymId) -> Option<Value> {
        match self.evaluator.value(id)? {
            Denoted::Term(value) => Some(value),
            Denoted::Int(int) => Some(self.evaluator.heap_mut().bigint(&int)),
            Denoted::Real(real) => Some(self.evaluator.heap_mut().float(real)),
            Denoted::Bool(holds) => Some(Value::boolean(holds)),
        }
    }

    fn int(&mut self, id: SymId) -> Option<BigInt> {
        self.evaluator.integer(id)
    }

    fn real(&mut self, id: SymId) -> Option<f64> {
        match self.evaluator.value(id)? {
            Denoted::Real(real) => Some(real),
            Denoted::Term(_) | Denoted::Int(_) | Denoted::Bool(_) => None,
        }
    }

    /// Whether one more expression is worked backwards.
    fn goes_on(&mut self, depth: u32) -> bool {
        self.steps = self.steps.saturating_sub(1);
        depth > 0 && self.steps > 0
    }

    /// Ways to make a condition hold, or not hold.
    fn want(&mut self, condition: SymId, holds: bool, depth: u32) -> Ways {
        if self.evaluator.holds(condition) == Some(holds) {
            return vec![Vec::new()];
        }
        if !self.goes_on(depth) {
            return Vec::new();
        }
        match self.arena.get(condition) {
            Expr::Not(inner) => self.want(*inner, !holds, depth - 1),
            Expr::And(a, b) if holds => self.both(*a, *b, true, depth),
            Expr::Or(a, b) if !holds => self.both(*a, *b, false, depth),
            Expr::And(a, b) | Expr::Or(a, b) => {
                let mut ways = self.want(*a, holds, depth - 1);
                ways.extend(self.want(*b, holds, depth - 1));
                ways
            }
            Expr::Is(term, tags) => self.want_tags(*term, if holds { *tags } else { !*tags }),
            Expr::Arity(term, size) => self.want_arity(*term, *size as usize, holds),
            Expr::Eq(a, b) if holds => self.equal(*a, *b, depth),
            Expr::Eq(a, b) => self.different(*a, *b, depth),
            Expr::Lt(a, b) => self.ordered(*a, *b, holds, depth),
            Expr::Map(MapExpr::Has(map, key)) => self.want_key(*map, *key, holds),
            Expr::Bits(BitsExpr::Match { base, at, literal }) => self.want_match(*base, *at, *literal, holds),
            _ => Vec::new(),
        }
    }

    /// Ways for both conditions at once: the changes for the one and for the other together.
    fn both(&mut self, a: SymId, b: SymId, holds: bool, depth: u32) -> Ways {
        let first = self.want(a, holds, depth - 1);
        let second = self.want(b, holds, depth - 1);
        let pairs = first.iter().take(3).flat_map(|x| second.iter().take(3).map(move |y| [x.as_slice(), y].concat()));
        pairs.collect()
    }

    fn want_tags(&mut self, term: SymId, tags: Tags) -> Ways {
        if !self.is_place(term) {
            return Vec::new();
        }
        let order = [Tags::NIL, Tags::CONS, Tags::INT, Tags::ATOM, Tags::TUPLE, Tags::FLOAT, Tags::MAP, Tags::BITS];
        let typed = self.typed(term, tags);
        let wanted = order.into_iter().filter(|tag| tags.contains(*tag));
        let plain: Vec<Value> = wanted.map(|tag| self.some_term(tag)).collect();
        typed.into_iter().chain(plain).map(|value| vec![(term, value)]).collect()
    }

    /// The smallest terms that the spec allows at a place, one for each of its alternatives with one of these tags.
    fn typed(&mut self, place: SymId, tags: Tags) -> Vec<Value> {
        self.spec.examples(self.arena, place, tags, self.evaluator.heap_mut())
    }

    /// A map with the key, or without it.
    fn want_key(&mut self, map: SymId, key: SymId, holds: bool) -> Ways {
        let (Some(old), Some(key)) = (self.term(map), self.term(key)) else { return Vec::new() };
        let heap = self.evaluator.heap_mut();
        let Some(opened) = Map::of(heap, old).filter(|_| self.is_place(map)) else { return Vec::new() };
        let heap = self.evaluator.heap_mut();
        let new =
            if holds { map::put(heap, opened, (key, Value::ZERO), false) } else { map::remove(heap, opened, key) };
        vec![vec![(map, new)]]
    }

    fn some_term(&mut self, tag: Tags) -> Value {
        let heap = self.evaluator.heap_mut();
        match tag {
            Tags::CONS => heap.cons(Value::ZERO, Value::NIL),
            Tags::INT => Value::ZERO,
            Tags::ATOM => Value::atom(AtomId::intern("a")),
            Tags::TUPLE => heap.tuple(&[]),
            Tags::FLOAT => heap.float(0.0),
            Tags::MAP => heap.map(&[]),
            Tags::BITS => heap.binary(&[]),
            _ => Value::NIL,
        }
    }

    fn want_arity(&mut self, term: SymId, size: usize, holds: bool) -> Ways {
        if !self.is_place(term) {
            return Vec::new();
        }
        let Some(old) = self.term(term) else { return Vec::new() };
        let heap = self.evaluator.heap_mut();
        let arity = heap.tuple_arity(old).unwrap_or(0);
        let sizes = if holds { vec![size] } else { vec![size + 1, size.saturating_sub(1)] };
        let tuple = |size: usize| {
            let element = |index| if index < arity { heap.element(old, index) } else { Value::ZERO };
            let elements: Vec<Value> = (0..size).map(element).collect();
            vec![(term, heap.tuple(&elements))]
        };
        sizes.into_iter().map(tuple).collect()
    }

    /// Ways to make two expressions equal: the one becomes what the other is.
    fn equal(&mut self, a: SymId, b: SymId, depth: u32) -> Ways {
        let mut ways = Vec::new();
        for (from, to) in [(b, a), (a, b)] {
            if let Some(value) = self.evaluator.value(from) {
                ways.extend(self.become_value(to, &value, depth - 1));
            }
        }
        ways
    }

    fn different(&mut self, a: SymId, b: SymId, depth: u32) -> Ways {
        match self.arena.sort(a) {
            Sort::Int => {
                let Some(int) = self.int(b) else { return Vec::new() };
                let mut ways = Vec::new();
                for other in self.others(&int) {
                    ways.extend(self.become_value(a, &Denoted::Int(other), depth - 1));
                }
                ways
            }
            Sort::Real => {
                let Some(real) = self.real(b) else { return Vec::new() };
                self.become_value(a, &Denoted::Real(real + 1.0), depth - 1)
            }
            Sort::Term | Sort::Bool => {
                let others = [Tags::INT, Tags::ATOM, Tags::NIL, Tags::CONS, Tags::TUPLE];
                let plain = others.map(|tag| self.some_term(tag));
                let mut ways = Vec::new();
                for value in self.typed(a, Tags::ANY).into_iter().chain(plain) {
                    ways.extend(self.become_value(a, &Denoted::Term(value), depth - 1));
                }
                ways
            }
        }
    }

    /// Other integers than this one: those next to it first, and at every other decision one that is farther away. A loop that counts down to
    /// zero would else be asked to start from 1, 2, 3 and so on, never from below zero.
    fn others(&self, int: &BigInt) -> Vec<BigInt> {
        let near = [int + 1, int - 1, BigInt::zero()];
        let far = [int - 2 - self.index];
        if self.index % 2 == 1 { far.into_iter().chain(near).collect() } else { near.into_iter().chain(far).collect() }
    }

    /// Ways to make `a < b` hold, or not hold.
    fn ordered(&mut self, a: SymId, b: SymId, holds: bool, depth: u32) -> Ways {
        let mut ways = Vec::new();
        if self.arena.sort(a) == Sort::Int {
            let step = if holds { BigInt::one() } else { BigInt::zero() };
            if let Some(bound) = self.int(b) {
                ways.extend(self.become_value(a, &Denoted::Int(bound - &step), depth - 1));
            }
            if let Some(bound) = self.int(a) {
                ways.extend(self.become_value(b, &Denoted::Int(bound + step), depth - 1));
            }
        } else {
            let step = if holds { 1.0 } else { 0.0 };
            if let Some(bound) = self.real(b) {
                ways.extend(self.become_value(a, &Denoted::Real(bound - step), depth - 1));
            }
            if let Some(bound) = self.real(a) {
                ways.extend(self.become_value(b, &Denoted::Real(bound + step), depth - 1));
            }
        }
        ways
    }

    /// Ways to give an expression a value.
    fn become_value(&mut self, id: SymId, value: &Denoted, depth: u32) -> Ways {
        if !self.goes_on(depth) {
            return Vec::new();
        }
        match (self.arena.get(id).clone(), value) {
            (Expr::IntOf(term), Denoted::Int(int)) => {
                let value = self.evaluator.heap_mut().bigint(int);
                self.become_value(term, &Denoted::Term(value), depth - 1)
            }
            (Expr::RealOf(term), Denoted::Real(real)) => {
                let value = self.evaluator.heap_mut().float(*real);
                self.become_value(term, &Denoted::Term(value), depth - 1)
            }
            (Expr::ToReal(int), Denoted::Real(real)) => {
                match num_traits::FromPrimitive::from_f64(real.trunc()).filter(|_| real.fract() == 0.0) {
                    Some(whole) => self.become_value(int, &Denoted::Int(whole), depth - 1),
                    None => Vec::new(),
                }
            }
            (Expr::OfInt(int), Denoted::Term(value)) => match self.evaluator.heap_mut().integer(*value) {
                Some(whole) => self.become_value(int, &Denoted::Int(whole), depth - 1),
                None => Vec::new(),
            },
            (Expr::OfBool(condition), Denoted::Term(value)) if *value == Value::boolean(value.is_true()) => {
                self.want(condition, value.is_true(), depth - 1)
            }
            (Expr::Add(a, b), Denoted::Int(sum)) => {
                self.inverse(a, b, depth, |other| Some(sum - other), |other| Some(sum - other))
            }
            (Expr::Sub(a, b), Denoted::Int(difference)) => {
                self.inverse(a, b, depth, |b| Some(difference + b), |a| Some(a - difference))
            }
            (Expr::Mul(a, b), Denoted::Int(product)) => {
                let part =
                    |other: &BigInt| (!other.is_zero() && product.is_multiple_of(other)).then(|| product / other);
                self.inverse(a, b, depth, part, part)
            }
            (Expr::Div(a, b), Denoted::Int(quotient)) => self.inverse(a, b, depth, |b| Some(quotient * b), |_| None),
            (Expr::Rem(a, b), Denoted::Int(remainder)) => self.with_remainder(a, b, remainder, depth),
            (Expr::Bits(bits), Denoted::Int(int)) => self.become_bits(&bits, int, depth),
            (_, Denoted::Term(value)) if self.is_place(id) => vec![vec![(id, *value)]],
            _ => Vec::new(),
        }
    }

    /// Ways to change a dividend to one next to it that leaves this remainder.
    fn with_remainder(&mut self, a: SymId, b: SymId, remainder: &BigInt, depth: u32) -> Ways {
        let (Some(dividend), Some(divisor)) = (self.int(a), self.int(b)) else { return Vec::new() };
        if divisor.is_zero() {
            return Vec::new();
        }
        let below = &dividend - (&dividend % &divisor) + remainder;
        let mut ways = Vec::new();
        for value in [&below + &divisor, &below - &divisor, below] {
            ways.extend(self.become_value(a, &Denoted::Int(value), depth - 1));
        }
        ways
    }

    /// Ways to give the result of an operation: by the first operand, given the second, or the other way round.
    fn inverse(
        &mut self,
        a: SymId,
        b: SymId,
        depth: u32,
        first: impl Fn(&BigInt) -> Option<BigInt>,
        second: impl Fn(&BigInt) -> Option<BigInt>,
    ) -> Ways {
        let mut ways = Vec::new();
        if let Some(part) = self.int(b).and_then(|b| first(&b)) {
            ways.extend(self.become_value(a, &Denoted::Int(part), depth - 1));
        }
        if let Some(part) = self.int(a).and_then(|a| second(&a)) {
            ways.extend(self.become_value(b, &Denoted::Int(part), depth - 1));
        }
        ways
    }

    /// Whether an expression is an input or a part of one.
    fn is_place(&self, id: SymId) -> bool {
        let mut at = id;
        loop {
            match self.arena.get(at) {
                Expr::Input(_) => return true,
                Expr::Head(whole) | Expr::Tail(whole) | Expr::Element(whole, _) => at = *whole,
                Expr::Map(MapExpr::Get(whole, _)) => at = *whole,
                _ => return false,
            }
        }
    }

    /// The input with all changes made.
    fn changed(&mut self, input: &[Packed], changes: &[Change]) -> Option<Vec<Packed>> {
        let mut evaluator = Evaluator::new(self.arena, input);
        for (place, value) in changes {
            let copy = Packed::pack(self.evaluator.heap_mut(), *value).unpack(evaluator.heap_mut());
            evaluator.put(*place, copy)?;
        }
        Some(evaluator.packed_inputs(input))
    }
}
