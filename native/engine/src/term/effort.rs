//! A bound on what one operation does with a term.
//!
//! A term of a few cells can stand for one of any size, because its parts can be shared. Operations that visit a part each time they
//! come to it count what they visit, and give up when it is too much. What they return then means nothing: the heap is marked,
//! and the run ends at its next safe point.

use super::heap::Heap;

/// Less than a second of work, as a rule. A term without shared parts of this size fits into no heap.
const MOST: u32 = 1 << 26;

pub struct Effort {
    left: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { left: MOST }
    }
}

impl Effort {
    /// One more part. False if that is too much.
    #[inline]
    #[must_use]
    pub fn spend(&mut self, heap: &Heap) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                heap.mark_overdone();
                false
            }
        }
    }
}
