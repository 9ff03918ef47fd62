//! What the engine says: events of a session and requests of a run.

mod findings;

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Result, Stubs};
use crate::bif::{self, Meaning};
use crate::code::ir::Mfa;
use crate::machine::{Class, Likeness, Outcome, Request, Stop};
use crate::report::{Avoided, Failure, Outside, Reached, Statistics};
use crate::term::{AtomId, Heap, Literals, Packed, Value, VirtualKind, etf, map};

static NO_STUBS: &Stubs = &Stubs::NONE;

/// A term under construction that will leave the engine.
struct Builder<'s> {
    heap: Heap,
    stubs: &'s Stubs,
}

impl<'s> Builder<'s> {
    fn new(stubs: &'s Stubs) -> Self {
        Builder { heap: Heap::new(Literals::default()), stubs }
    }

    fn atom(name: &str) -> Value {
        Value::atom(AtomId::intern(name))
    }

    fn packed(&mut self, term: &Packed) -> Value {
        term.unpack(&mut self.heap)
    }

    fn number(&mut self, number: u64) -> Value {
        self.heap.bigint(&number.into())
    }

    fn millis(&mut self, duration: Duration) -> Value {
        self.number(duration.as_millis() as u64)
    }

    fn map(&mut self, pairs: Vec<(Value, Value)>) -> Value {
        map::from_pairs(&mut self.heap, pairs, false)
    }

    fn record(&mut self, fields: &[(&str, Value)]) -> Value {
        self.map(fields.iter().map(|(name, value)| (Builder::atom(name), *value)).collect())
    }

    fn mfa(&mut self, mfa: Mfa) -> Value {
        self.heap.tuple(&[Value::atom(mfa.module), Value::atom(mfa.function), Value::count(mfa.arity)])
    }

    fn counts(&mut self, counts: &BTreeMap<Mfa, u64>) -> Value {
        let pairs = counts.iter().map(|(mfa, count)| (self.mfa(*mfa), self.number(*count))).collect();
        self.map(pairs)
    }

    fn functions(&mut self, mfas: &[Mfa]) -> Value {
        let items = mfas.iter().map(|mfa| self.mfa(*mfa)).collect();
        self.list(items)
    }

    fn list(&mut self, items: Vec<Value>) -> Value {
        self.heap.list(items, Value::NIL)
    }

    fn tagged(&mut self, tag: &str, value: Value) -> Value {
        self.heap.tuple(&[Builder::atom(tag), value])
    }

    fn encode(&self, value: Value) -> Result<Vec<u8>> {
        self.encode_noting(value, &mut Vec::new())
    }

    /// Notes the processes of the machine that nobody on the VM stands for.
    fn encode_noting(&self, value: Value, missing: &mut Vec<u64>) -> Result<Vec<u8>> {
        Ok(etf::encode_with(&self.heap, value, &mut |value| self.stubs.stand_in(&self.heap, value, missing))?)
    }
}

pub fn encode_load(module: AtomId) -> Result<Vec<u8>> {
    let mut builder = Builder::new(NO_STUBS);
    let event = builder.tagged("load", Value::atom(module));
    builder.encode(event)
}

/// The table of built-in functions: `[{Module, Function, Arity, exact | emulated | typed | concrete}]`.
pub fn encode_bifs() -> Result<Vec<u8>> {
    let mut builder = Builder::new(NO_STUBS);
    let known = bif::all().filter(|bif| !bif::prelude::is_module(bif.module));
    let rows = known.map(|bif| {
        let emulated = bif::prelude::emulation(bif::mfa(bif.module, bif.name, bif.arity)).is_some();
        let meaning = match bif.meaning {
            Meaning::Typed(_) | Meaning::Concrete | Meaning::Clock if emulated => "emulated",
            Meaning::Exact => "exact",
            Meaning::Typed(_) => "typed",
            Meaning::Concrete | Meaning::Clock => "concrete",
        };
        let [module, name] = [bif.module, bif.name].map(Builder::atom);
        builder.heap.tuple(&[module, name, Value::count(bif.arity), Builder::atom(meaning)])
    });
    let rows = rows.collect();
    let list = builder.list(rows);
    builder.encode(list)
}

/// A session that could not do what it was asked.
pub fn encode_failed(kind: &str, text: &str) -> Result<Vec<u8>> {
    let mut builder = Builder::new(NO_STUBS);
    let text = builder.heap.binary(text.as_bytes());
    let reason = builder.tagged(kind, text);
    let event = builder.tagged("failed", reason);
    builder.encode(event)
}

pub fn encode_failure(failure: &Failure, stubs: &Stubs) -> Result<Vec<u8>> {
    let mut builder = Builder::new(stubs);
    let input = failure.input.iter().map(|term| term.unpack(&mut builder.heap)).collect();
    let fields = [
        ("input", builder.list(input)),
        ("class", Value::atom(failure.class.atom())),
        ("reason", builder.packed(&failure.reason)),
        ("stacktrace", builder.packed(&failure.stacktrace)),
        ("run", builder.number(failure.run)),
    ];
    let condition = failure.condition.as_ref().map(|text| ("condition", builder.heap.binary(text.as_bytes())));
    let outside = (!failure.outside.is_empty()).then(|| ("outside", builder.functions(&failure.outside)));
    let map = builder.record(&[fields.as_slice(), condition.as_slice(), outside.as_slice()].concat());
    let event = builder.tagged("failure", map);
    builder.encode(event)
}

pub fn encode_outside(outside: &Outside, stubs: &Stubs) -> Result<Vec<u8>> {
    let mut builder = Builder::new(stubs);
    let input = outside.input.iter().map(|term| term.unpack(&mut builder.heap)).collect();
    let fields = [("input", builder.list(input)), ("result", builder.packed(&outside.result))];
    let map = builder.record(&fields);
    let event = builder.tagged("outside_spec", map);
    builder.encode(event)
}

/// A request to the host.
pub enum Encoded {
    Whole(Vec<u8>),
    /// These processes need deputies first, then the same request again.
    Deputies(Vec<u64>),
}

/// A request of a process of the machine, after the end of others.
pub fn encode_request(request: &Request, by: u64, ended: &[(u64, Packed)], stubs: &Stubs) -> Result<Encoded> {
    let mut builder = Builder::new(stubs);
    let plain = request_term(&mut builder, request);
    let own = match request {
        Request::Call { .. } | Request::Apply { .. } if by != 0 => {
            builder.heap.tuple(&[Builder::atom("deputy"), Value::identifier(VirtualKind::Pid, by), plain])
        }
        Request::Call { .. }
        | Request::Apply { .. }
        | Request::Load { .. }
        | Request::Receive { .. }
        | Request::Returned(_)
        | Request::Raised { .. } => plain,
    };
    let ends = ended.iter().filter(|(pid, _)| stubs.has_deputy(*pid)).map(|(pid, reason)| {
        let reason = builder.packed(reason);
        builder.heap.tuple(&[Value::identifier(VirtualKind::Pid, *pid), reason])
    });
    let ends: Vec<Value> = ends.collect();
    let term = if ends.is_empty() {
        own
    } else {
        let ends = builder.list(ends);
        builder.heap.tuple(&[Builder::atom("ended"), ends, own])
    };
    let mut missing = Vec::new();
    let encoded = builder.encode_noting(term, &mut missing)?;
    missing.sort_unstable();
    missing.dedup();
    Ok(if missing.is_empty() { Encoded::Whole(encoded) } else { Encoded::Deputies(missing) })
}

/// `{deputies, [{Number, Leader}]}`: processes that need a deputy, with their group leaders, `none` for that of the host, or `ended`.
pub fn encode_deputies(missing: Vec<(u64, Likeness)>, stubs: &Stubs) -> Result<Vec<u8>> {
    let mut builder = Builder::new(stubs);
    let items = missing.into_iter().map(|(number, likeness)| {
        let leader = match likeness {
            Likeness::Living(Some(leader)) => builder.packed(&leader),
            Likeness::Living(None) => Builder::atom("none"),
            Likeness::Ended => Builder::atom("ended"),
        };
        let number = builder.number(number);
        builder.heap.tuple(&[number, leader])
    });
    let items = items.collect();
    let items = builder.list(items);
    let term = builder.tagged("deputies", items);
    builder.encode(term)
}

fn request_term(builder: &mut Builder<'_>, request: &Request) -> Value {
    match request {
        Request::Load { module } => builder.tagged("load", Value::atom(*module)),
        Request::Apply { fun, args } => {
            let (fun, args) = (builder.packed(fun), builder.packed(args));
            builder.heap.tuple(&[Builder::atom("apply"), fun, args])
        }
        Request::Receive { timeout } => {
            let timeout = timeout.map_or(Value::atom(AtomId::INFINITY), |time| builder.number(time));
            builder.tagged("receive", timeout)
        }
        Request::Returned(value) => {
            let value = builder.packed(value);
            builder.tagged("returned", value)
        }
        Request::Raised { class, reason, stacktrace } => raised(builder, *class, reason, stacktrace),
        Request::Call { mfa, args } => {
            let args = builder.packed(args);
            builder.heap.tuple(&[Builder::atom("call"), Value::atom(mfa.module), Value::atom(mfa.function), args])
        }
    }
}

pub fn encode_continue() -> Result<Vec<u8>> {
    Builder::new(NO_STUBS).encode(Builder::atom("continue"))
}

pub fn encode_outcome(outcome: &Outcome, stubs: &Stubs) -> Result<Vec<u8>> {
    let mut builder = Builder::new(stubs);
    let term = match outcome {
        Outcome::Returned(value) | Outcome::Outside(value, _) => {
            let value = builder.packed(value);
            builder.tagged("ok", value)
        }
        Outcome::Raised { class, reason, stacktrace } => raised(&mut builder, *class, reason, stacktrace),
        Outcome::Rejected => Builder::atom("rejected"),
        Outcome::Stopped(stop) => {
            let why = stop_term(&mut builder, stop);
            builder.tagged("stopped", why)
        }
    };
    let event = builder.tagged("outcome", term);
    builder.encode(event)
}

fn raised(builder: &mut Builder<'_>, class: Class, reason: &Packed, stacktrace: &Packed) -> Value {
    let (reason, stacktrace) = (builder.packed(reason), builder.packed(stacktrace));
    builder.heap.tuple(&[Builder::atom("raised"), Value::atom(class.atom()), reason, stacktrace])
}

fn stop_term(builder: &mut Builder<'_>, stop: &Stop) -> Value {
    match stop {
        Stop::Steps => Builder::atom("steps"),
        Stop::Heap => Builder::atom("memory"),
        Stop::Time => Builder::atom("time"),
        Stop::Deadlock => Builder::atom("deadlock"),
        Stop::Halted => Builder::atom("halted"),
        Stop::Cancelled => Builder::atom("cancelled"),
        Stop::HostDied => Builder::atom("host_died"),
        Stop::Unsupported(what) => {
            let what = builder.heap.binary(what.as_bytes());
            builder.tagged("unsupported", what)
        }
    }
}

pub fn encode_finished(statistics: &Statistics, stubs: &Stubs) -> Result<Vec<u8>> {
    let mut builder = Builder::new(stubs);
    let mut fields = vec![
        ("verdict", verdict(&mut builder, statistics)),
        ("runs", builder.number(statistics.runs)),
        ("tries", builder.number(statistics.tries)),
        ("divergences", builder.number(statistics.divergences)),
        ("misfits", builder.number(statistics.misfits)),
        ("queries", queries(&mut builder, statistics)),
        ("avoided_by", avoided_by(&mut builder, statistics)),
        ("memory", memory(&mut builder, statistics)),
        ("coverage", findings::coverage(&mut builder, &statistics.coverage)),
        ("inputs", findings::inputs(&mut builder, statistics)),
        ("unended", findings::unended(&mut builder, statistics)),
        ("concretised", builder.counts(&statistics.concretised)),
        ("host_calls", builder.counts(&statistics.host_calls)),
        ("outside", builder.counts(&statistics.outside)),
        ("native_modules", native_modules(&mut builder, statistics)),
        ("unsupported", unsupported(&mut builder, statistics)),
        ("time_ms", times(&mut builder, statistics)),
    ];
    if let Some(paths) = &statistics.paths {
        fields.push(("paths", findings::paths(&mut builder, paths)));
        fields.push(("sites", findings::sites(&mut builder, &statistics.sites)));
    }
    let map = builder.record(&fields);
    let event = builder.tagged("finished", map);
    builder.encode(event)
}

/// The first of the limits that were reached, the most telling one first.
fn verdict(builder: &mut Builder<'_>, statistics: &Statistics) -> Value {
    if statistics.cancelled {
        return builder.tagged("limit", Builder::atom("cancelled"));
    }
    match statistics.reached.first() {
        None => Builder::atom("exhausted"),
        Some(reached) => limit(builder, *reached),
    }
}

fn limit(builder: &mut Builder<'_>, reached: Reached) -> Value {
    let name = match reached {
        Reached::Time => "time",
        Reached::Runs => "runs",
        Reached::Memory => "memory",
        Reached::Steps => "steps",
        Reached::Depth => "depth",
        Reached::Solver => "solver",
        Reached::Unsupported => "unsupported",
        Reached::Divergence => "divergence",
        Reached::Concretised => "concretised",
    };
    builder.tagged("limit", Builder::atom(name))
}

fn queries(builder: &mut Builder<'_>, statistics: &Statistics) -> Value {
    let queries = statistics.queries;
    let fields = [
        ("sat", builder.number(queries.sat)),
        ("unsat", builder.number(queries.unsat)),
        ("unknown", builder.number(queries.unknown)),
        ("avoided", builder.number(queries.avoided.total())),
    ];
    builder.record(&fields)
}

/// How many questions were answered without the solver, by what.
fn avoided_by(builder: &mut Builder<'_>, statistics: &Statistics) -> Value {
    let Avoided { known, types, changes, slices, models } = statistics.queries.avoided;
    let ways = [("known", known), ("types", types), ("changes", changes), ("slices", slices), ("models", models)];
    let fields = ways.map(|(name, count)| (name, builder.number(count)));
    builder.record(&fields)
}

/// What was kept of open sides, at most, and what was made again.
fn memory(builder: &mut Builder<'_>, statistics: &Statistics) -> Value {
    let Statistics { most_paths, most_inputs, reruns, renewed, .. } = statistics;
    let counts = [("paths", *most_paths), ("inputs", *most_inputs), ("reruns", *reruns), ("renewed", *renewed)];
    let fields = counts.map(|(name, count)| (name, builder.number(count)));
    builder.record(&fields)
}

fn native_modules(builder: &mut Builder<'_>, statistics: &Statistics) -> Value {
    let mut modules: Vec<AtomId> = statistics.native_modules.iter().copied().collect();
    modules.sort_by_key(|module| module.name());
    builder.list(modules.into_iter().map(Value::atom).collect())
}

fn unsupported(builder: &mut Builder<'_>, statistics: &Statistics) -> Value {
    let pairs = statistics
        .unsupported
        .iter()
        .map(|(what, count)| (builder.heap.binary(what.as_bytes()), builder.number(*count)))
        .collect();
    builder.map(pairs)
}

fn times(builder: &mut Builder<'_>, statistics: &Statistics) -> Value {
    let fields = [
        ("total", builder.millis(statistics.total_time)),
        ("solver", builder.millis(statistics.solver_time)),
        ("machine", builder.millis(statistics.machine_time)),
    ];
    builder.record(&fields)
}
