//! A bound on what one operation does with a term, and a place to stop.
//!
//! A term of a few cells can stand for one of any size, because its parts can be shared. Operations that visit a part each time they
//! come to it count what they visit, and give up when it is too much. So do those that take long otherwise, as nobody may want the result any more
//! ([`super::Interrupt`]). What they return then means nothing: the heap is marked, and the run ends at its next safe point. Operations that
//! begin with a marked heap give up at once, so that many of them in a row do.

use super::heap::Heap;

/// Parts between two looks at the world: well under a millisecond.
const STRETCH: u32 = 1 << 16;
/// Less than a second of work, as a rule. A term without shared parts of this size fits into no heap.
const MOST: u32 = 1 << 26;

pub struct Effort {
    /// Of this stretch.
    left: u32,
    stretches: u32,
}

impl Effort {
    pub fn new(heap: &Heap) -> Self {
        Effort::up_to(heap, MOST)
    }

    /// With another bound, about.
    pub fn up_to(heap: &Heap, parts: u32) -> Self {
        if heap.is_given_up() {
            return Effort { left: 0, stretches: 0 };
        }
        Effort { left: STRETCH.min(parts), stretches: (parts / STRETCH).saturating_sub(1) }
    }

    /// One more part. False if that is too much.
    #[inline]
    #[must_use]
    pub fn spend(&mut self, heap: &Heap) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                true
            }
            None => self.goes_on(heap),
        }
    }

    #[cold]
    fn goes_on(&mut self, heap: &Heap) -> bool {
        match self.stretches.checked_sub(1) {
            Some(stretches) if !heap.is_given_up() => {
                *self = Effort { left: STRETCH - 1, stretches };
                true
            }
            _ => {
                heap.mark_overdone();
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Interrupt, Literals};

    fn spent(heap: &Heap) -> u32 {
        let mut effort = Effort::new(heap);
        (0..u32::MAX).find(|_| !effort.spend(heap)).unwrap_or(u32::MAX)
    }

    #[test]
    fn what_is_too_much_marks_the_heap_and_ends_all_that_follows() {
        let heap = Heap::new(Literals::default());
        assert_eq!(spent(&heap), MOST);
        assert!(heap.is_overdone());
        assert_eq!(spent(&heap), 0);
    }

    #[test]
    fn an_interrupt_ends_an_operation_that_is_under_way() {
        let mut heap = Heap::new(Literals::default());
        let interrupt = Interrupt::default();
        heap.heed(interrupt.clone());
        let mut effort = Effort::new(&heap);
        assert!(effort.spend(&heap));
        interrupt.raise();
        let more = (0..MOST).find(|_| !effort.spend(&heap));
        assert!(more.is_some_and(|more| more <= STRETCH));
        assert!(heap.is_overdone());
    }
}
