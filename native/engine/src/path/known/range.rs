//! What is known of an integer: bounds.

use num_bigint::BigInt;

/// Bounds of an integer, both inclusive.
#[derive(Default, Clone)]
pub(super) struct Range {
    pub(super) low: Option<BigInt>,
    pub(super) high: Option<BigInt>,
}

impl Range {
    pub(super) fn below(&self, bound: &BigInt) -> Option<bool> {
        if self.high.as_ref().is_some_and(|high| high < bound) {
            Some(true)
        } else if self.low.as_ref().is_some_and(|low| low >= bound) {
            Some(false)
        } else {
            None
        }
    }

    pub(super) fn above(&self, bound: &BigInt) -> Option<bool> {
        if self.low.as_ref().is_some_and(|low| low > bound) {
            Some(true)
        } else if self.high.as_ref().is_some_and(|high| high <= bound) {
            Some(false)
        } else {
            None
        }
    }

    pub(super) fn equals(&self, i: &BigInt) -> Option<bool> {
        if self.above(i) == Some(true) || self.below(i) == Some(true) {
            Some(false)
        } else if self.low.as_ref() == Some(i) && self.high.as_ref() == Some(i) {
            Some(true)
        } else {
            None
        }
    }

    pub(super) fn raise_low(&mut self, low: BigInt) {
        if self.low.as_ref().is_none_or(|old| *old < low) {
            self.low = Some(low);
        }
    }

    pub(super) fn exclude(&mut self, i: &BigInt) {
        if self.low.as_ref() == Some(i) {
            self.low = Some(i + 1);
        } else if self.high.as_ref() == Some(i) {
            self.high = Some(i - 1);
        }
    }

    pub(super) fn lower_high(&mut self, high: BigInt) {
        if self.high.as_ref().is_none_or(|old| *old > high) {
            self.high = Some(high);
        }
    }
}

/// Narrows a range to the bounds of a number that lies within one of these, if there are any.
pub(super) fn narrow_to_one(range: &mut Range, bounds: Vec<(usize, Option<BigInt>)>) {
    if let Some(low) = bounds.iter().map(|(low, _)| *low).min() {
        range.raise_low(low.into());
    }
    if let Some(high) =
        bounds.into_iter().map(|(_, high)| high).collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max())
    {
        range.lower_high(high);
    }
}
