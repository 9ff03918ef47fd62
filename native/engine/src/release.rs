//! The release of Erlang/OTP that the engine works for, and what differs from one to the next.
//!
//! It is that of the VM which the library is loaded into, so it is set once for the whole process.

use std::sync::OnceLock;

static RELEASE: OnceLock<u32> = OnceLock::new();

/// Without a VM, as in tests.
const DEFAULT: u32 = 25;

/// Says which release it is. Only the first word counts.
pub fn set(release: u32) {
    let _ = RELEASE.set(release);
}

fn release() -> u32 {
    RELEASE.get().copied().unwrap_or(DEFAULT)
}

/// Whether `0.0 =:= -0.0`.
pub fn zeros_are_the_same() -> bool {
    release() < 27
}

/// Whether a small map has its atoms in the order of their names, and not of numbers that only the VM knows.
pub fn maps_order_atoms_by_name() -> bool {
    release() < 26
}
