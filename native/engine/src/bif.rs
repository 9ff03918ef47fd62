//! Built-in functions: concrete result and symbolic meaning side by side, one file a family.
//!
//! A function of the table either works on symbolic values as they are ([`Meaning::Exact`]), or is only ever called with concrete ones
//! ([`Meaning::Concrete`]): then [`call`] takes the expressions away first and counts that by the function's name.
//! Functions that are not here are run from their Core Erlang, or by the host.

mod arith;
mod atoms;
mod binary;
mod bits;
mod bitwise;
mod clock;
mod code;
mod compare;
mod control;
mod cost;
mod debug;
mod dictionary;
mod funs;
mod iolist;
mod lists;
mod maps;
mod math;
mod names;
mod number;
mod numerals;
mod phash;
mod phash2;
pub mod prelude;
mod process;
mod processes;
mod rounding;
mod search;
mod stretches;
mod terms;
mod timers;
mod types;
mod unicode;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::code::ir::{Arithmetic, Comparison, Mfa};
use crate::machine::{Ctx, Failure, Raise, Stop, Trace};
use crate::sym::Tags;
use crate::term::{AtomId, Heap, Value};

pub use cost::cost;
pub(crate) use number::float_of_big;

/// The number of a built-in function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BifId(u16);

pub type BifResult = Result<Value, Failure>;

pub const MAX_ARITY: usize = 8;

/// What a built-in function does with symbolic arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Exact,
    Concrete,
    /// The same, and what it returns would be something else at another time: clauses that depend on it are not infeasible.
    Clock,
    /// The types of the arguments are decided; beyond that they are concrete.
    Typed(&'static [Tags]),
}

pub struct Bif {
    pub module: &'static str,
    pub name: &'static str,
    pub arity: usize,
    pub meaning: Meaning,
    pub run: fn(&mut Ctx<'_>, &[Value]) -> BifResult,
}

/// A function of module `erlang` that understands symbolic values.
const fn exact(name: &'static str, arity: usize, run: fn(&mut Ctx<'_>, &[Value]) -> BifResult) -> Bif {
    Bif { module: "erlang", name, arity, meaning: Meaning::Exact, run }
}

/// A function of module `erlang` for concrete arguments.
const fn concrete(name: &'static str, arity: usize, run: fn(&mut Ctx<'_>, &[Value]) -> BifResult) -> Bif {
    Bif { module: "erlang", name, arity, meaning: Meaning::Concrete, run }
}

/// A function of module `erlang` for concrete arguments, whose types are decided.
const fn typed(name: &'static str, types: &'static [Tags], run: fn(&mut Ctx<'_>, &[Value]) -> BifResult) -> Bif {
    typed_of("erlang", name, types, run)
}

const fn typed_of(
    module: &'static str,
    name: &'static str,
    types: &'static [Tags],
    run: fn(&mut Ctx<'_>, &[Value]) -> BifResult,
) -> Bif {
    Bif { module, name, arity: types.len(), meaning: Meaning::Typed(types), run }
}

struct Table {
    bifs: Vec<(Mfa, &'static Bif)>,
    by_name: FxHashMap<(AtomId, AtomId, usize), BifId>,
    /// Those that OTP has in Erlang, for where that cannot be had.
    stand_ins: FxHashMap<Mfa, BifId>,
    /// What stands in for each of them when an argument is symbolic.
    emulations: Vec<Option<Mfa>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let families = [
        arith::BIFS,
        atoms::BIFS,
        binary::BIFS,
        bits::BIFS,
        bitwise::BIFS,
        clock::BIFS,
        code::BIFS,
        compare::BIFS,
        control::BIFS,
        debug::BIFS,
        dictionary::BIFS,
        funs::BIFS,
        iolist::BIFS,
        lists::BIFS,
        maps::BIFS,
        math::BIFS,
        names::BIFS,
        numerals::BIFS,
        phash::BIFS,
        phash2::BIFS,
        process::BIFS,
        processes::BIFS,
        rounding::BIFS,
        search::BIFS,
        terms::BIFS,
        timers::BIFS,
        types::BIFS,
        unicode::BIFS,
    ];
    let named = |bif: &'static Bif| (mfa(bif.module, bif.name, bif.arity), bif);
    let mut bifs: Vec<(Mfa, &Bif)> = families.into_iter().flatten().map(named).collect();
    let by_name =
        bifs.iter().zip(0..).map(|((mfa, _), index)| ((mfa.module, mfa.function, mfa.arity), BifId(index))).collect();
    let written: Vec<_> = processes::WRITTEN.iter().map(named).collect();
    let stand_ins = written.iter().zip(bifs.len() as u16..).map(|((mfa, _), index)| (*mfa, BifId(index))).collect();
    bifs.extend(written);
    let emulations = bifs.iter().map(|(mfa, _)| prelude::emulation(*mfa)).collect();
    Table { bifs, by_name, stand_ins, emulations }
});

pub fn mfa(module: &str, function: &str, arity: usize) -> Mfa {
    Mfa { module: AtomId::intern(module), function: AtomId::intern(function), arity }
}

/// All built-in functions, for tables and tests.
pub fn all() -> impl Iterator<Item = &'static Bif> {
    TABLE.bifs.iter().map(|(_, bif)| *bif)
}

/// The name of a built-in function.
pub fn name(id: BifId) -> Option<Mfa> {
    TABLE.bifs.get(id.0 as usize).map(|(mfa, _)| *mfa)
}

pub fn find(mfa: Mfa) -> Option<BifId> {
    TABLE.by_name.get(&(mfa.module, mfa.function, mfa.arity)).copied()
}

/// What a function does that OTP has in Erlang.
pub fn stand_in(mfa: Mfa) -> Option<BifId> {
    TABLE.stand_ins.get(&mfa).copied()
}

pub fn mfa_of(id: BifId) -> Option<Mfa> {
    TABLE.bifs.get(id.0 as usize).map(|(mfa, _)| *mfa)
}

/// What stands in for a built-in function when an argument is symbolic.
#[inline]
pub fn emulation(id: BifId) -> Option<Mfa> {
    TABLE.emulations.get(id.0 as usize).copied().flatten()
}

pub fn call(ctx: &mut Ctx<'_>, id: BifId, args: &[Value]) -> BifResult {
    let Some((mfa, bif)) = TABLE.bifs.get(id.0 as usize) else { return Err(Raise::error_atom(AtomId::UNDEF).into()) };
    if cost::is_too_much(ctx.heap, id, args) {
        return Err(Failure::Stop(Stop::Steps));
    }
    if matches!(bif.meaning, Meaning::Clock) {
        ctx.counters.from_outside(*mfa);
    }
    let result = match bif.meaning {
        Meaning::Typed(types) if args.iter().any(|arg| !ctx.is_concrete(*arg)) => {
            let fits = args.iter().zip(types).all(|(arg, tags)| ctx.is(*arg, *tags));
            if fits {
                ctx.concretise(*mfa, args);
            }
            let plain: Vec<Value> = args.iter().map(|arg| ctx.strip(*arg)).collect();
            (bif.run)(ctx, &plain)
        }
        Meaning::Concrete | Meaning::Clock if args.iter().any(|arg| !ctx.is_concrete(*arg)) => {
            ctx.concretise(*mfa, args);
            let plain: Vec<Value> = args.iter().map(|arg| ctx.strip(*arg)).collect();
            (bif.run)(ctx, &plain)
        }
        Meaning::Concrete | Meaning::Clock | Meaning::Exact | Meaning::Typed(_) => (bif.run)(ctx, args),
    };
    if !ctx.heap.goes_on() {
        return Err(Failure::Stop(Stop::Steps));
    }
    result.map_err(|failure| name_the_caller(ctx, failure, *mfa, args))
}

/// An exception that a built-in function raises about its arguments names the function and them.
fn name_the_caller(ctx: &mut Ctx<'_>, failure: Failure, mfa: Mfa, args: &[Value]) -> Failure {
    match failure {
        Failure::Raise(Raise { class, reason, trace: Trace::Bif(_, Value::NIL) }) => {
            let list = ctx.heap.list(args.iter().copied(), Value::NIL);
            Failure::Raise(Raise { class, reason, trace: Trace::Bif(mfa, list) })
        }
        other => other,
    }
}

/// The exception of a built-in function that does not accept its arguments.
fn bad(reason: AtomId) -> Failure {
    bad_with(Value::atom(reason))
}

/// The same with a reason that is no atom.
fn bad_with(reason: Value) -> Failure {
    let unnamed = Mfa { module: AtomId::ERLANG, function: AtomId::UNDEFINED, arity: 0 };
    Failure::Raise(Raise { trace: Trace::Bif(unnamed, Value::NIL), ..Raise::error(reason) })
}

fn badarg() -> Failure {
    bad(AtomId::BADARG)
}

/// The hash behind `phash2`, if the machine can compute it.
pub(crate) fn hash(heap: &Heap, term: Value) -> Option<u32> {
    phash2::hash(heap, term, &|_| None).ok()
}

/// Calls for which the machine has an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shortcut {
    Arithmetic(Arithmetic),
    Compare(Comparison),
    Type(Tags),
    Apply,
}

static SHORTCUTS: LazyLock<FxHashMap<(AtomId, usize), Shortcut>> = LazyLock::new(|| {
    let arithmetic = [("+", Arithmetic::Add), ("-", Arithmetic::Sub), ("*", Arithmetic::Mul)];
    let arithmetic = arithmetic.map(|(name, op)| ((name, 2), Shortcut::Arithmetic(op)));
    let comparisons = compare::OPERATORS.map(|(name, op)| ((name, 2), Shortcut::Compare(op)));
    let types = types::TESTS.map(|(name, tags)| ((name, 1), Shortcut::Type(tags)));
    let apply = [("apply", 2), ("apply", 3)].map(|key| (key, Shortcut::Apply));
    arithmetic
        .into_iter()
        .chain(comparisons)
        .chain(types)
        .chain(apply)
        .map(|((name, arity), shortcut)| ((AtomId::intern(name), arity), shortcut))
        .collect()
});

pub fn shortcut(mfa: Mfa) -> Option<Shortcut> {
    (mfa.module == AtomId::ERLANG).then(|| SHORTCUTS.get(&(mfa.function, mfa.arity)).copied()).flatten()
}

/// The built-in function behind an arithmetic instruction.
pub fn of_arithmetic(op: Arithmetic) -> BifId {
    static IDS: LazyLock<[BifId; 3]> =
        LazyLock::new(|| ["+", "-", "*"].map(|name| find(mfa("erlang", name, 2)).unwrap_or(BifId(u16::MAX))));
    let [add, sub, mul] = *IDS;
    match op {
        Arithmetic::Add => add,
        Arithmetic::Sub => sub,
        Arithmetic::Mul => mul,
    }
}
