//! Tells runs that their time is over, whatever they are doing. They look at the clock now and then, but one call of a built-in function may take long.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use crate::term::Interrupt;

/// It goes off unless it is dropped before.
pub(super) struct Alarm {
    _set: Sender<()>,
}

/// The thread only waits.
const STACK: usize = 64 << 10;

impl Alarm {
    pub(super) fn set(at: Instant, over: &Interrupt) -> Self {
        let (set, ended) = mpsc::channel();
        let over = over.clone();
        let wait = move || {
            let time = at.saturating_duration_since(Instant::now());
            if ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                over.raise();
            }
        };
        // Without a thread for it, runs end at their next look at the clock.
        let _ = thread::Builder::new().name("cuter-alarm".to_owned()).stack_size(STACK).spawn(wait);
        Alarm { _set: set }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_goes_off_in_time() {
        let over = Interrupt::default();
        let _alarm = Alarm::set(Instant::now() + Duration::from_millis(1), &over);
        while !over.is_raised() {
            thread::yield_now();
        }
    }

    #[test]
    fn it_does_not_go_off_once_it_is_dropped() {
        let over = Interrupt::default();
        let alarm = Alarm::set(Instant::now() + Duration::from_secs(3600), &over);
        drop(alarm);
        assert!(!over.is_raised());
    }
}
