//! The terminal: whether there is one, and its interrupt key.
//!
//! The VM cannot be told to hand SIGINT to a program: it opens its break menu or, as in an escript such as rebar3, dies at once. While
//! interrupts are caught, the first one is noted here and the second one does what it would have done without us.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// The flags that the signal handler looks at, shared with it for as long as the VM lives.
struct Interrupts {
    /// The next interrupt has its default effect.
    deadly: Arc<AtomicBool>,
    seen: Arc<AtomicBool>,
}

static INTERRUPTS: OnceLock<Option<Interrupts>> = OnceLock::new();

pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// False if the system does not allow it; then an interrupt does what it always did.
pub fn catch_interrupts() -> bool {
    let Some(interrupts) = INTERRUPTS.get_or_init(|| install().ok()) else { return false };
    interrupts.seen.store(false, Ordering::SeqCst);
    interrupts.deadly.store(false, Ordering::SeqCst);
    true
}

pub fn interrupted() -> bool {
    matches!(INTERRUPTS.get(), Some(Some(interrupts)) if interrupts.seen.load(Ordering::SeqCst))
}

/// From now on an interrupt has its default effect.
pub fn release_interrupts() {
    if let Some(Some(interrupts)) = INTERRUPTS.get() {
        interrupts.deadly.store(true, Ordering::SeqCst);
    }
}

/// The order counts: the second interrupt finds the flag that the first one has set.
fn install() -> io::Result<Interrupts> {
    let deadly = Arc::new(AtomicBool::new(false));
    let seen = Arc::new(AtomicBool::new(false));
    flag::register_conditional_default(SIGINT, Arc::clone(&deadly))?;
    flag::register(SIGINT, Arc::clone(&deadly))?;
    flag::register(SIGINT, Arc::clone(&seen))?;
    Ok(Interrupts { deadly, seen })
}
