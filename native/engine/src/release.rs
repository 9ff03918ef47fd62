//! The release of Erlang/OTP that the engine works for, and what differs from one to the next.
//!
//! It is that of the VM which the library is loaded into, so it is set once for the whole process.
//!
//! Seen were 25, 27 and 29: what differs between two of them is taken to have changed in the release that its function names.

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

/// Whether what is to be a character in UTF-8 is looked at together with the sizes of a bitstring's segments, before any of its values.
pub fn utf8_is_checked_with_sizes() -> bool {
    release() >= 27
}

/// The bits of the largest integer; a result beyond that is `system_limit`.
pub fn largest_integer_bits() -> u64 {
    let words = if release() < 27 { (1 << 19) - 1 } else { (1 << 16) - 1 };
    64 * words
}

/// Whether a function that calls what is no fun of that arity is in the stacktrace twice, unless that was its last call.
pub fn bad_calls_are_listed_twice() -> bool {
    release() >= 25
}

/// Whether the whole bytes of a bitstring count as a binary for functions that take parts of one.
pub fn parts_of_bitstrings_are_binaries() -> bool {
    release() < 27
}

/// Whether `binary:match/2` and its like look at their pattern even if there is nothing to search.
pub fn patterns_are_always_checked() -> bool {
    release() >= 27
}

/// Whether `unicode:bin_is_7bit/1` tells what its name says. In 27 it is false for most binaries.
pub fn bin_is_7bit_is_right() -> bool {
    !(27..29).contains(&release())
}

/// Whether `abs(-0.0)` is `-0.0`.
pub fn abs_keeps_minus_zero() -> bool {
    release() < 27
}

/// Whether the server of module `timer` can run twice: it has a table of its own, without a name.
pub fn timer_server_has_no_name_for_its_table() -> bool {
    release() >= 25
}

/// Whether a process can hibernate and then go on where it was.
pub fn has_hibernate_in_place() -> bool {
    release() >= 28
}

/// Whether `erlang:hibernate/3` takes 256 arguments at most, not 1,024, and looks for the end of the list there.
pub fn hibernate_keeps_few_arguments() -> bool {
    release() >= 29
}

/// Whether records can be terms of a type of their own.
pub fn has_native_records() -> bool {
    release() >= 29
}
