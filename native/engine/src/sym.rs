//! Symbolic expressions: what the machine knows of a value as a function of the inputs.
//!
//! Expressions form a hash-consed DAG in an [`Arena`], one per run. The simplifying constructors in [`build`] are the only way in, so
//! equal expressions that the machine meets again are the same [`SymId`], and a run with the same prefix of decisions numbers its
//! expressions the same way.

pub mod arena;
pub mod bits;
pub mod bitwise;
pub mod build;
pub mod eval;
pub mod expr;
pub mod function;
pub mod funs;
pub mod guard;
pub mod key;
pub mod lift;
mod linear;
pub mod maps;
pub mod scalars;
pub mod tags;
mod walk;

pub use arena::{Arena, SymId};
pub use bits::{BitsExpr, Place, Segment};
pub use expr::{Expr, OpaqueId, Rounding, Sort};
pub use function::Function;
pub use funs::FunExpr;
pub use maps::{Change, MapExpr};
pub use tags::Tags;
