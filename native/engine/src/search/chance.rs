//! Chance that is the same every time.

/// A small generator (xorshift). It only has to be different for different seeds, and the same for the same one.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) const fn new(seed: u64) -> Self {
        // Neighbouring seeds are to begin far from one another, and none at zero, where it would stay.
        Chance(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below another one; 0 if there is none.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        // The lowest bits are the least mixed.
        (self.next() >> 8).checked_rem(bound as u64).map_or(0, |number| number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_a_bound_comes_up_and_no_other() {
        let mut chance = Chance::new(0);
        let mut seen = [0; 7];
        for _ in 0..700 {
            let number = chance.below(7);
            if let Some(count) = seen.get_mut(number) {
                *count += 1;
            }
        }
        assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
        assert_eq!(seen.iter().sum::<i32>(), 700);
        assert_eq!(chance.below(0), 0);
    }
}
