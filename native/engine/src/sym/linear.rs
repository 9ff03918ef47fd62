//! Sums of integers in a normal form: equal sums are equal expressions, and what cancels is gone.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, Zero};

use super::arena::{Arena, SymId};
use super::expr::Expr;

/// A constant and so many times each of some expressions that are no sums.
#[derive(Default)]
struct Linear {
    terms: BTreeMap<SymId, BigInt>,
    constant: BigInt,
}

impl Linear {
    fn add(&mut self, arena: &Arena, id: SymId, factor: &BigInt) {
        let mut rest = vec![(id, factor.clone())];
        while let Some((id, factor)) = rest.pop() {
            match arena.get(id) {
                Expr::Int(int) => self.constant += int * factor,
                Expr::Add(a, b) => rest.extend([(*a, factor.clone()), (*b, factor)]),
                Expr::Sub(a, b) => rest.extend([(*a, factor.clone()), (*b, -factor)]),
                Expr::Mul(a, b) => match arena.get(*b) {
                    Expr::Int(int) => rest.push((*a, factor * int)),
                    _ => self.add_term(id, factor),
                },
                _ => self.add_term(id, factor),
            }
        }
    }

    fn add_term(&mut self, id: SymId, factor: BigInt) {
        let sum = self.terms.entry(id).or_default();
        *sum += factor;
        if sum.is_zero() {
            self.terms.remove(&id);
        }
    }
}

impl Arena {
    fn combine(&self, a: SymId, b: SymId, factor: i64) -> Linear {
        let mut sum = Linear::default();
        sum.add(self, a, &BigInt::one());
        sum.add(self, b, &BigInt::from(factor));
        sum
    }

    /// The terms whose factor has this sign, times the absolute value of it.
    fn terms_of(&mut self, sum: &Linear, sign: Sign) -> Option<SymId> {
        let mut all = None;
        for (id, factor) in sum.terms.iter().filter(|(_, factor)| factor.sign() == sign) {
            let factor = self.int(factor.abs());
            let product = self.mul(*id, factor);
            all = Some(match all {
                None => product,
                Some(before) => self.add(before, product),
            });
        }
        all
    }

    fn sum(&mut self, sum: &Linear) -> SymId {
        let constant = self.int(sum.constant.clone());
        let (plus, minus) = (self.terms_of(sum, Sign::Plus), self.terms_of(sum, Sign::Minus));
        match (plus, minus) {
            (None, None) => constant,
            (Some(plus), None) => self.add(plus, constant),
            (None, Some(minus)) => self.sub(constant, minus),
            (Some(plus), Some(minus)) => {
                let difference = self.sub(plus, minus);
                self.add(difference, constant)
            }
        }
    }

    pub fn linear_add(&mut self, a: SymId, b: SymId) -> SymId {
        let sum = self.combine(a, b, 1);
        self.sum(&sum)
    }

    pub fn linear_sub(&mut self, a: SymId, b: SymId) -> SymId {
        let sum = self.combine(a, b, -1);
        self.sum(&sum)
    }

    /// The product; a normal form if one of them is a constant.
    pub fn linear_times(&mut self, a: SymId, b: SymId) -> SymId {
        let (x, factor) = match (self.get(a), self.get(b)) {
            (_, Expr::Int(factor)) => (a, factor.clone()),
            (Expr::Int(factor), _) => (b, factor.clone()),
            _ => return self.mul(a, b),
        };
        let mut sum = Linear::default();
        sum.add(self, x, &factor);
        self.sum(&sum)
    }

    /// Both sides of a comparison without what they have in common.
    fn sides(&mut self, a: SymId, b: SymId) -> (SymId, SymId) {
        let mut sum = self.combine(a, b, -1);
        let constant = std::mem::take(&mut sum.constant);
        let [left, right] = [Sign::Plus, Sign::Minus].map(|sign| match self.terms_of(&sum, sign) {
            Some(side) => side,
            None => self.int(0),
        });
        let constant = self.int(constant);
        (self.add(left, constant), right)
    }

    pub fn linear_lt(&mut self, a: SymId, b: SymId) -> SymId {
        let (a, b) = self.sides(a, b);
        self.lt(a, b)
    }

    pub fn linear_eq(&mut self, a: SymId, b: SymId) -> SymId {
        let (a, b) = self.sides(a, b);
        self.eq(a, b)
    }
}
