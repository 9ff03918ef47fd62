//! Loading and deleting code while the program runs. The VM does it, and runs the code of these modules from then on.
//!
//! Not modelled: funs and frames of code that is purged, which go on.

use super::{Bif, BifResult, Meaning, badarg};
use crate::machine::{Ctx, Failure};
use crate::term::{AtomId, Value};

pub(super) const BIFS: &[Bif] = &[
    change("code", "load_binary", 3, of_first),
    change("code", "load_file", 1, of_first),
    change("code", "load_abs", 1, of_file),
    change("code", "load_abs", 2, of_second),
    change("code", "atomic_load", 1, of_list),
    change("code", "finish_loading", 1, of_prepared),
    change("code", "delete", 1, of_first),
    change("erlang", "load_module", 2, of_first),
    change("erlang", "delete_module", 1, of_first),
];

const fn change(
    module: &'static str,
    name: &'static str,
    arity: usize,
    run: fn(&mut Ctx<'_>, &[Value]) -> BifResult,
) -> Bif {
    Bif { module, name, arity, meaning: Meaning::Concrete, run }
}

fn of_first(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [module, ..] = args else { return Err(badarg()) };
    changed(ctx, *module);
    Err(Failure::Host)
}

fn of_second(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [_file, module] = args else { return Err(badarg()) };
    changed(ctx, *module);
    Err(Failure::Host)
}

/// The name of a file without its extension.
fn of_file(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [file] = args else { return Err(badarg()) };
    let character = |item: &Value| item.is_small().then(|| u32::try_from(item.as_small()).ok()).flatten();
    let path: Option<String> =
        ctx.list(*file).and_then(|items| items.iter().map(|item| character(item).and_then(char::from_u32)).collect());
    if let Some(name) = path.as_deref().and_then(|path| path.rsplit('/').next()) {
        changed(ctx, Value::atom(AtomId::intern(name)));
    }
    Err(Failure::Host)
}

/// Names, or tuples that begin with one.
fn of_list(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [modules] = args else { return Err(badarg()) };
    for module in ctx.list(*modules).unwrap_or_default() {
        let is_tuple = ctx.heap.tuple_arity(module).is_some_and(|arity| arity > 0);
        changed(ctx, if is_tuple { ctx.heap.element(module, 0) } else { module });
    }
    Err(Failure::Host)
}

/// A tag, and such a list.
fn of_prepared(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    match args {
        [prepared] if ctx.heap.tuple_arity(*prepared) == Some(2) => of_list(ctx, &[ctx.heap.element(*prepared, 1)]),
        _ => Err(Failure::Host),
    }
}

fn changed(ctx: &mut Ctx<'_>, module: Value) {
    if module.is_atom() {
        ctx.virtuals.changed.insert(module.as_atom());
    }
}
