//! Erlang terms: representation, order, equality, external format, printing.

pub mod atom;
pub mod bits;
pub mod effort;
pub mod etf;
pub mod extent;
pub mod foreign;
pub mod hash;
pub mod heap;
pub mod interrupt;
pub mod large;
pub mod map;
pub mod order;
pub mod packed;
pub mod parts;
pub mod print;
#[cfg(test)]
mod recipe;
pub mod sort;
pub mod table;
pub mod value;

pub use atom::{AtomId, Registry, set_registry};
pub use bits::{BitWriter, Endian};
pub use foreign::{Foreign, ForeignKind};
pub use heap::{Bits, BoxKind, Heap, Literals, View};
pub use interrupt::Interrupt;
pub use packed::{LiteralBuilder, Packed};
pub use print::{FIRST_PID, Limits, Printed, term_to_string};
pub use value::{Ptr, Tag, Value, VirtualKind};
