//! Code: from a module's tree to instructions shared by all runs.
//!
//! [`read`] decodes the tree, [`lower`] turns every function into a flat list of [`ir::Instr`], and [`registry`] gives functions, sites
//! and clauses their numbers and binds calls to what they mean.

pub mod ast;
mod awaited;
pub mod distance;
pub mod flow;
pub mod free;
pub mod ir;
mod kept;
pub mod live;
pub mod lower;
pub mod read;
pub mod registry;
mod returns;

pub use ir::{FnId, Function, Instr, MfaId, Src};
pub use registry::{CodeError, CodeView, Registry, Target};
