//! The external term format: how terms cross the border to the VM.
//!
//! Both directions are iterative and linear in the bytes, apart from sorting the keys of maps. Decoding trusts
//! nothing: a length is believed only as far as the input goes on, so that memory stays in proportion to the input.
//!
//! Pids, ports, references and funs of the VM keep their exact bytes ([`Heap::foreign`](super::Heap::foreign)) and are
//! written back as they came. What exists only in the machine (closures, virtual pids and references) has no external
//! form of its own; the caller may supply a stand-in for it, and recognise the stand-in when it returns.
//!
//! Not modelled: compressed terms, the distribution's atom cache, and `FUN_EXT` (which no supported release writes).

mod cursor;
mod decode;
mod encode;

use super::atom::AtomId;
use super::value::VirtualKind;

pub(super) use cursor::Cursor;
pub use decode::{Recognise, decode, decode_prefix, decode_with};
pub use encode::{encode, encode_with};

/// Why bytes are no term. `at` is the place of the offending byte.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("byte {at}: the input ends, but {missing} more bytes are announced")]
    Truncated { at: usize, missing: usize },
    #[error("byte 0: an external term starts with 131, not {found}")]
    Version { found: u8 },
    #[error("byte {at}: compressed terms are not supported")]
    Compressed { at: usize },
    #[error("byte {at}: {tag} is not the tag of a term")]
    UnknownTag { at: usize, tag: u8 },
    #[error("byte {at}: {tag} is not the tag of an atom")]
    NoAtom { at: usize, tag: u8 },
    #[error("byte {at}: the name of the atom is not UTF-8, or longer than 255 characters")]
    AtomName { at: usize },
    #[error("byte {at}: not a finite number")]
    Float { at: usize },
    #[error("byte {at}: the last byte of a bitstring cannot have {bits} bits")]
    LastBits { at: usize, bits: u8 },
    #[error("byte {at}: the arity of a fun is a small integer")]
    Arity { at: usize },
    #[error("byte {at}: the size of a fun does not cover its own fields")]
    FunSize { at: usize },
    #[error("byte {at}: the map that starts here has the same key twice")]
    DuplicateKey { at: usize },
    #[error("byte {at}: the term ended, but {count} more bytes follow")]
    Trailing { at: usize, count: usize },
}

/// Why a value has no external form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    #[error("the closure of function {function}/{arity} exists only in the machine")]
    Closure { function: u32, arity: usize },
    #[error("the virtual {kind:?} {number} exists only in the machine")]
    Virtual { kind: VirtualKind, number: u64 },
    #[error("the fun {module}:{function}/{arity} has too many arguments")]
    Arity { module: AtomId, function: AtomId, arity: usize },
    #[error("a part with {size} elements or bytes is too large")]
    TooLarge { size: usize },
}

/// The first bytes of encoded terms, by the names that the ERTS documentation gives them.
pub(super) mod tag {
    pub const VERSION: u8 = 131;
    pub const NEW_FLOAT: u8 = 70;
    pub const BIT_BINARY: u8 = 77;
    pub const COMPRESSED: u8 = 80;
    pub const NEW_PID: u8 = 88;
    pub const NEW_PORT: u8 = 89;
    pub const NEWER_REFERENCE: u8 = 90;
    pub const SMALL_INTEGER: u8 = 97;
    pub const INTEGER: u8 = 98;
    pub const FLOAT: u8 = 99;
    pub const ATOM: u8 = 100;
    pub const REFERENCE: u8 = 101;
    pub const PORT: u8 = 102;
    pub const PID: u8 = 103;
    pub const SMALL_TUPLE: u8 = 104;
    pub const LARGE_TUPLE: u8 = 105;
    pub const NIL: u8 = 106;
    pub const STRING: u8 = 107;
    pub const LIST: u8 = 108;
    pub const BINARY: u8 = 109;
    pub const SMALL_BIG: u8 = 110;
    pub const LARGE_BIG: u8 = 111;
    pub const NEW_FUN: u8 = 112;
    pub const EXPORT: u8 = 113;
    pub const NEW_REFERENCE: u8 = 114;
    pub const SMALL_ATOM: u8 = 115;
    pub const MAP: u8 = 116;
    pub const ATOM_UTF8: u8 = 118;
    pub const SMALL_ATOM_UTF8: u8 = 119;
    pub const V4_PORT: u8 = 120;
}

#[cfg(test)]
mod tests;
