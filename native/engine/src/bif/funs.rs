//! What is known of a fun.
//!
//! Of a closure that is interpreted: module, name, arity, type, what it has captured, and what the compiler tells funs of a module apart by (`index`,
//! `uniq`). Nobody counts references (`refc`). Funs of the VM are left to the host.

use super::numerals::text_value;
use super::{Bif, BifResult, Meaning, badarg, concrete};
use crate::code::ast::Lambda;
use crate::code::ir::{FnId, Mfa};
use crate::machine::{Ctx, Failure};
use crate::sym::Tags;
use crate::term::{AtomId, Ptr, Value, View, VirtualKind, table, term_to_string};

pub(super) const BIFS: &[Bif] = &[
    Bif { module: "erlang", name: "fun_info", arity: 2, meaning: Meaning::Exact, run: fun_info },
    concrete("fun_info_mfa", 1, fun_info_mfa),
    concrete("fun_to_list", 1, fun_to_list),
];

/// What a fun is, apart from what it has captured.
struct Known {
    mfa: Mfa,
    is_local: bool,
    lambda: Lambda,
    md5: [u8; 16],
}

/// Of a fun that the compiler says nothing of.
const NO_LAMBDA: Lambda = Lambda { index: 0, uniq: 0 };

/// What the machine knows of a fun.
fn known(ctx: &Ctx<'_>, fun: Value) -> Result<Known, Failure> {
    match ctx.heap.view(fun) {
        View::Closure(ptr) => {
            let mfa = closure_name(ctx, ptr).ok_or(Failure::Host)?;
            let (lambda, md5) = ctx.view.lambda(FnId(ctx.heap.closure(ptr).0)).unwrap_or((NO_LAMBDA, [0; 16]));
            Ok(Known { mfa, is_local: true, lambda, md5 })
        }
        View::External(ptr) => {
            let (module, function, arity) = ctx.heap.external_of(ptr);
            let mfa = Mfa { module, function, arity };
            Ok(Known { mfa, is_local: false, lambda: NO_LAMBDA, md5: [0; 16] })
        }
        View::Foreign(ptr) if ctx.heap.foreign_tags(ptr) == crate::sym::Tags::FUN => Err(Failure::Host),
        _ => Err(badarg()),
    }
}

fn closure_name(ctx: &Ctx<'_>, ptr: Ptr) -> Option<Mfa> {
    let (function, arity) = ctx.heap.closure(ptr);
    let mfa = ctx.view.function(FnId(function))?.mfa;
    Some(Mfa { arity, ..mfa })
}

fn fun_info(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [fun, item] = args else { return Err(badarg()) };
    if fun.is_sym() {
        return info_of_input(ctx, *fun, *item);
    }
    let (fun, item) = (*fun, ctx.heap.concrete(*item));
    let Known { mfa, is_local, lambda, md5 } = known(ctx, fun)?;
    if !item.is_atom() {
        return Err(badarg());
    }
    let undefined = Value::atom(AtomId::UNDEFINED);
    let local = |number: u32| if is_local { Value::count(number as usize) } else { undefined };
    let value = match &*item.as_atom().name() {
        "module" => Value::atom(mfa.module),
        "name" => Value::atom(mfa.function),
        "arity" => Value::count(mfa.arity),
        "type" => Value::atom(AtomId::intern(if is_local { "local" } else { "external" })),
        "env" => environment(ctx, fun),
        "index" | "new_index" => local(lambda.index),
        "uniq" => local(lambda.uniq),
        "refc" if is_local => Value::count(1),
        "refc" => undefined,
        "new_uniq" if is_local => ctx.heap.binary(&md5),
        "new_uniq" => undefined,
        "pid" if is_local => Value::identifier(VirtualKind::Pid, 0),
        "pid" => undefined,
        _ => return Err(badarg()),
    };
    Ok(ctx.heap.tuple(&[item, value]))
}

/// The arity of a fun of the input is solved for; anything else is as it is in this run.
fn info_of_input(ctx: &mut Ctx<'_>, fun: Value, item: Value) -> BifResult {
    if !ctx.is(fun, Tags::FUN) {
        return Err(badarg());
    }
    let (plain, item) = (ctx.heap.concrete(fun), ctx.heap.concrete(item));
    let own = table::fun_arity(ctx.heap, plain).map(Value::count);
    match (ctx.heap.expression(fun), own) {
        (Some(id), Some(own)) if item == Value::atom(AtomId::intern("arity")) => {
            let id = ctx.arena.fun_arity(id);
            let arity = ctx.part(own, id);
            Ok(ctx.heap.tuple(&[item, arity]))
        }
        _ => {
            ctx.counters.concretise(super::mfa("erlang", "fun_info", 2));
            fun_info(ctx, &[plain, item])
        }
    }
}

fn environment(ctx: &mut Ctx<'_>, fun: Value) -> Value {
    let View::Closure(ptr) = ctx.heap.view(fun) else { return Value::NIL };
    let captured: Vec<Value> = (0..ctx.heap.captured(ptr)).map(|index| ctx.heap.value(ptr.plus(2 + index))).collect();
    ctx.heap.list(captured, Value::NIL)
}

fn fun_info_mfa(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [fun] = args else { return Err(badarg()) };
    let Mfa { module, function, arity } = known(ctx, *fun)?.mfa;
    Ok(ctx.heap.tuple(&[Value::atom(module), Value::atom(function), Value::count(arity)]))
}

fn fun_to_list(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [fun] = args else { return Err(badarg()) };
    let Known { mfa, is_local, lambda: Lambda { index, uniq }, .. } = known(ctx, *fun)?;
    let text = if is_local {
        let module = term_to_string(ctx.heap, Value::atom(mfa.module));
        format!("#Fun<{module}.{index}.{uniq}>")
    } else {
        term_to_string(ctx.heap, *fun)
    };
    Ok(text_value(ctx.heap, &text))
}
