//! A word to operations under way that nobody wants their results any more.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    pub fn raise(&self) {
        self.0.store(true, Relaxed);
    }

    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// The flag itself, for those who only know flags.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
