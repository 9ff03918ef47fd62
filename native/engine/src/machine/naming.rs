//! Calls of functions whose names are computed, where a name depends on the input.
//!
//! Which function is called is a decision: the name is one of those that the module exports with this arity, asked one after the other in a fixed order,
//! or none of them. A module's name is made concrete, and so is the name of a function of a module without code: there is no list of those.

use super::exec::Cpu;
use crate::bif;
use crate::path::Origin;
use crate::sym::Tags;
use crate::term::Value;

/// Of modules with more functions of one arity than this, the name is made concrete.
const MOST_NAMES: usize = 200;

impl Cpu<'_> {
    /// Settles which function is meant. False if a name is no atom.
    pub(super) fn settle_names(&mut self, module: Value, function: Value, arity: usize) -> bool {
        let view = self.view;
        let mut ctx = self.ctx(Origin::Program);
        if !ctx.is(module, Tags::ATOM) || !ctx.is(function, Tags::ATOM) {
            return false;
        }
        let apply = bif::mfa("erlang", "apply", 3);
        if module.is_sym() {
            ctx.concretise(apply, &[module]);
        }
        if function.is_sym() {
            match view.exported(ctx.heap.concrete(module).as_atom(), arity).filter(|names| names.len() <= MOST_NAMES) {
                Some(names) => {
                    names.into_iter().any(|name| ctx.same(function, Value::atom(name)));
                }
                None => ctx.concretise(apply, &[function]),
            }
        }
        true
    }
}
