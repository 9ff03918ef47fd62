//! The concolic engine of cuter, free of any Erlang VM.
//!
//! The modules are the pipeline, in order: [`term`]s and [`sym`]bolic expressions are the data; [`code`] is what runs on the [`machine`], with its
//! built-in functions ([`bif`]); a run leaves a [`path`]; [`smt`] solves for inputs that take another one; [`search`] is the loop around all of it, and
//! [`report`] what comes out.

pub mod bif;
pub mod code;
pub mod machine;
pub mod path;
pub mod protocol;
pub mod release;
pub mod report;
pub mod search;
pub mod smt;
pub mod sym;
pub mod term;
pub mod types;

/// Runs `f` on a stack of at least this many bytes.
pub fn with_stack<T>(size: usize, f: impl FnOnce() -> T) -> T {
    with_room(size, size, f)
}

/// Runs `f` where it is if `least` bytes of stack are left, else on a stack of `size` bytes. Making one takes some microseconds.
pub fn with_room<T>(least: usize, size: usize, f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(least, size, f)
}
