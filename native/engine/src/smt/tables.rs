//! The funs of a model as tables of calls.
//!
//! The table has the calls that were asked about. Everything else returns what the last of them returned (so a program that goes on
//! calling gets something of a kind it knows), or 0; a call with an argument that contains the fun itself, which no table can have, gets the default
//! too. Entries that say the same as the default are left out. Funs with different numbers
//! are different funs: where their tables would be equal, one gets another default or an entry more.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use z3::ast::Dynamic;

use super::decode::big;
use super::funs::{Asked, arity_of};
use crate::term::parts::has_part;
use crate::term::{Heap, Literals, Packed, Value, VirtualKind, order, table};

/// The arity of a fun about which nothing is asked but that it is one.
const SOME_ARITY: usize = 1;

/// Arguments of entries that only tell one fun from another start here.
const UNUSED: usize = 1_000;

/// What stands for a fun inside itself.
pub(super) const OPEN: Value = Value::identifier(VirtualKind::Fun, 0);

#[derive(Default)]
struct Table {
    arity: Option<usize>,
    calls: Vec<(Vec<Dynamic>, Dynamic)>,
    default: Option<Dynamic>,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    New,
    Begun,
    Done(Packed),
}

/// What there is of a fun.
pub(super) enum Built {
    Done(Packed),
    /// It is being built: it is part of itself. [`OPEN`] stands for it.
    Open,
    /// Nothing yet: its parts are wanted.
    Begun,
}

/// The tables of a model, by the numbers of their funs.
pub(super) struct Tables {
    tables: FxHashMap<BigInt, Table>,
    cycle: bool,
}

impl Table {
    fn arity(&self) -> usize {
        self.arity.or_else(|| self.calls.first().map(|(args, _)| args.len())).unwrap_or(SOME_ARITY)
    }
}

impl Tables {
    pub(super) fn of(model: &z3::Model, asked: &[Asked]) -> Self {
        let mut tables: FxHashMap<BigInt, Table> = FxHashMap::default();
        for entry in asked {
            let Some(number) = model.eval(entry.fun(), true).map(|number| big(&number)) else { continue };
            let table = tables.entry(number).or_default();
            match entry {
                Asked::Arity { fun } => {
                    let arity = arity_of(fun).ok().and_then(|arity| model.eval(&arity, true)?.as_u64());
                    let arity = arity.and_then(|arity| usize::try_from(arity).ok());
                    table.arity = arity.filter(|arity| *arity <= table::MAX_TABLE_ARITY).or(table.arity);
                }
                Asked::Call { args, result, .. } => {
                    let values = args.iter().map(|arg| model.eval(arg, true).map(Dynamic::from)).collect();
                    if let (Some(args), Some(result)) = (values, model.eval(result, true)) {
                        table.calls.push((args, result.into()));
                    }
                }
                Asked::Default { result, .. } => table.default = model.eval(result, true).map(Dynamic::from),
            }
        }
        Tables { tables, cycle: false }
    }

    pub(super) fn has_cycle(&self) -> bool {
        self.cycle
    }

    pub(super) fn begin(&mut self, number: &BigInt) -> Built {
        let table = self.tables.entry(number.clone()).or_default();
        match &table.state {
            State::Done(term) => Built::Done(term.clone()),
            State::Begun => Built::Open,
            State::New => {
                table.state = State::Begun;
                Built::Begun
            }
        }
    }

    /// All that the table of a fun is made of: arguments and result of each call, then the default if it is asked about.
    pub(super) fn parts(&self, number: &BigInt) -> Vec<Dynamic> {
        let Some(table) = self.tables.get(number) else { return Vec::new() };
        let calls = table.calls.iter().flat_map(|(args, result)| args.iter().chain([result]));
        calls.chain(&table.default).cloned().collect()
    }

    /// The fun of these parts.
    pub(super) fn build(&mut self, heap: &mut Heap, number: &BigInt, parts: &[Value]) -> Value {
        let Some(table) = self.tables.get(number) else { return Value::NIL };
        let mut plan = Plan { arity: table.arity(), calls: Vec::new(), pinned: None, fits: true };
        let mut rest = parts;
        for (args, _) in &table.calls {
            let Some((args, after)) = rest.split_at_checked(args.len()) else { break };
            let Some((result, after)) = after.split_first() else { break };
            rest = after;
            plan.add(heap, args, *result);
        }
        if let Some(default) = rest.first().filter(|_| table.default.is_some()) {
            plan.pin(heap, *default);
        }
        self.cycle |= !plan.fits;
        let fun = self.different(heap, &plan);
        let done = Packed::pack(heap, fun);
        if let Some(table) = self.tables.get_mut(number) {
            table.state = State::Done(done);
        }
        fun
    }

    /// A fun that is none of those built before.
    fn different(&self, heap: &mut Heap, plan: &Plan) -> Value {
        let mut turn = 0;
        loop {
            let fun = plan.fun(heap, turn);
            if !self.has(heap, fun) {
                return fun;
            }
            turn += 1;
        }
    }

    fn has(&self, heap: &Heap, fun: Value) -> bool {
        let mut scratch = Heap::new(Literals::default());
        let fun = Packed::pack(heap, fun).unpack(&mut scratch);
        self.tables.values().any(|table| match &table.state {
            State::Done(term) => {
                let other = term.unpack(&mut scratch);
                order::identical(&scratch, fun, other)
            }
            State::New | State::Begun => false,
        })
    }
}

/// True for a term that contains a fun under construction.
fn is_open(heap: &Heap, value: Value) -> bool {
    has_part(heap, value, &|part| part == OPEN)
}

/// What a fun has to do.
struct Plan {
    arity: usize,
    calls: Vec<(Vec<Value>, Value)>,
    /// The default, if it matters.
    pinned: Option<Value>,
    /// False if no table does all that is asked.
    fits: bool,
}

impl Plan {
    /// Of two calls with the same arguments the first counts. A call with arguments in which the fun itself occurs finds nothing in the table.
    fn add(&mut self, heap: &Heap, args: &[Value], result: Value) {
        let known = |(other, _): &(Vec<Value>, Value)| {
            other.len() == args.len() && other.iter().zip(args).all(|(a, b)| order::identical(heap, *a, *b))
        };
        if args.iter().any(|arg| is_open(heap, *arg)) {
            self.pin(heap, result);
        } else if args.len() == self.arity && !self.calls.iter().any(known) {
            self.fits &= !is_open(heap, result);
            self.calls.push((args.to_vec(), result));
        }
    }

    fn pin(&mut self, heap: &Heap, default: Value) {
        self.fits &= !is_open(heap, default);
        self.fits &= self.pinned.is_none_or(|pinned| order::identical(heap, pinned, default));
        self.pinned = Some(default);
    }

    /// One of the funs that do it, another one for each turn.
    fn fun(&self, heap: &mut Heap, turn: usize) -> Value {
        let default = self.pinned.unwrap_or_else(|| self.default_result(turn));
        let needed = self.calls.iter().filter(|(_, result)| !order::identical(heap, *result, default));
        let mut calls: Vec<(Vec<Value>, Value)> = needed.cloned().collect();
        if self.pinned.is_some() && turn > 0 {
            calls.push((vec![Value::count(UNUSED + turn); self.arity], Value::count(turn)));
        }
        let calls: Vec<(Value, Value)> =
            calls.into_iter().map(|(args, result)| (heap.list(args, Value::NIL), result)).collect();
        table::table_fun(heap, self.arity, &calls, default)
    }

    /// What is returned where nothing is asked: the result of the last call first, then numbers.
    fn default_result(&self, turn: usize) -> Value {
        match self.calls.last() {
            Some((_, result)) if turn == 0 => *result,
            Some(_) => Value::count(turn - 1),
            None => Value::count(turn),
        }
    }
}
