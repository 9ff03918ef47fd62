//! What crosses the boundary to the VM, in external term format (docs/protocol.md).

use std::collections::BTreeMap;
use std::time::Duration;

use num_traits::ToPrimitive;
use thiserror::Error;

use crate::code::ir::Mfa;
use crate::machine::{Class, Limits, Outcome, Reply, Request, Stop};
use crate::report::{Failure, Reached, Statistics};
use crate::search::Config;
use crate::search::queue::Strategy;
use crate::smt;
use crate::term::map::{self, Map};
use crate::term::{AtomId, Heap, Literals, Packed, Value, etf};

#[derive(Debug, Error)]
pub enum ProtocolError {
    #[error("the message is not in external term format: {0}")]
    Format(#[from] etf::DecodeError),
    #[error("the term cannot leave the engine: {0}")]
    Encode(#[from] etf::EncodeError),
    #[error("the request lacks {0}")]
    Missing(&'static str),
    #[error("{0} of the request is not what it should be")]
    Malformed(&'static str),
    #[error("{}:{}/{} needs as many arguments as its arity says", mfa.module, mfa.function, mfa.arity)]
    Arguments { mfa: Mfa },
    #[error("option {option} cannot be {value}")]
    Option { option: &'static str, value: String },
}

type Result<T> = std::result::Result<T, ProtocolError>;

/// What a session is to do.
pub struct Job {
    pub task: Task,
    pub mfa: Mfa,
    pub config: Config,
}

pub enum Task {
    Explore { seeds: Vec<Vec<Packed>> },
    Evaluate { args: Vec<Packed> },
}

impl Job {
    fn inputs(&self) -> impl Iterator<Item = &Vec<Packed>> {
        match &self.task {
            Task::Explore { seeds } => seeds.iter(),
            Task::Evaluate { args } => std::slice::from_ref(args).iter(),
        }
    }
}

/// A decoded term with what is needed to look into it.
struct Terms {
    heap: Heap,
}

impl Terms {
    fn decode(etf: &[u8]) -> Result<(Self, Value)> {
        let mut heap = Heap::new(Literals::default());
        let root = etf::decode(&mut heap, etf)?;
        Ok((Terms { heap }, root))
    }

    fn key(&self, map: Value, key: &str) -> Option<Value> {
        map::get(&self.heap, Map::of(&self.heap, map)?, Value::atom(AtomId::intern(key)))
    }

    fn field(&self, map: Value, key: &'static str) -> Result<Value> {
        self.key(map, key).ok_or(ProtocolError::Missing(key))
    }

    fn tuple(&self, value: Value) -> Vec<Value> {
        let arity = self.heap.tuple_arity(value).unwrap_or(0);
        (0..arity).map(|index| self.heap.element(value, index)).collect()
    }

    fn list(&self, value: Value, what: &'static str) -> Result<Vec<Value>> {
        let mut items = Vec::new();
        let mut rest = value;
        while rest.is_cons() {
            items.push(self.heap.head(rest));
            rest = self.heap.tail(rest);
        }
        if rest.is_nil() { Ok(items) } else { Err(ProtocolError::Malformed(what)) }
    }

    fn packed_list(&self, value: Value, what: &'static str) -> Result<Vec<Packed>> {
        Ok(self.list(value, what)?.into_iter().map(|item| Packed::pack(&self.heap, item)).collect())
    }

    fn mfa(&self, value: Value) -> Result<Mfa> {
        match self.tuple(value)[..] {
            [module, function, arity]
                if module.is_atom()
                    && function.is_atom()
                    && arity.is_small()
                    && (0..=255).contains(&arity.as_small()) =>
            {
                Ok(Mfa { module: module.as_atom(), function: function.as_atom(), arity: arity.as_small() as usize })
            }
            _ => Err(ProtocolError::Malformed("mfa")),
        }
    }

    /// A number of an option, or its default.
    fn number(&self, options: Value, option: &'static str, default: u64) -> Result<u64> {
        match self.key(options, option) {
            None => Ok(default),
            Some(value) => match self.heap.integer(value).and_then(|i| i.to_u64()) {
                Some(number) => Ok(number),
                None => Err(self.bad_option(option, value)),
            },
        }
    }

    fn bad_option(&self, option: &'static str, value: Value) -> ProtocolError {
        ProtocolError::Option { option, value: crate::term::print::term_to_string(&self.heap, value) }
    }

    fn strategy(&self, options: Value) -> Result<Strategy> {
        let Some(value) = self.key(options, "strategy") else { return Ok(Strategy::Coverage) };
        let name = if value.is_atom() { value.as_atom().name() } else { AtomId::EMPTY.name() };
        match &*name {
            "coverage" => Ok(Strategy::Coverage),
            "bfs" => Ok(Strategy::BreadthFirst),
            "dfs" => Ok(Strategy::DepthFirst),
            "random" => Ok(Strategy::Random),
            _ => Err(self.bad_option("strategy", value)),
        }
    }

    fn config(&self, options: Value) -> Result<Config> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let limits = Limits::default();
        Ok(Config {
            strategy: self.strategy(options)?,
            seed: self
                .key(options, "seed")
                .and_then(|seed| self.heap.integer(seed))
                .map_or(1, |seed| seed.iter_u64_digits().next().unwrap_or(0)),
            depth: self.number(options, "depth", 25)? as usize,
            workers: self.number(options, "workers", cores as u64)?.clamp(1, 256) as usize,
            max_runs: self.number(options, "max_runs", u64::MAX)?,
            time_limit: Duration::from_millis(self.number(options, "time_limit", 30_000)?.min(u64::from(u32::MAX))),
            run_limits: Limits { steps: self.number(options, "max_steps", limits.steps)?, ..limits },
            solver: smt::Limits {
                timeout_ms: self.number(options, "solver_timeout", 2_000)?.min(u64::from(u32::MAX)) as u32,
                ..smt::Limits::default()
            },
        })
    }
}

/// Reads what `cuter_nif:start/2` was asked for.
pub fn decode_job(etf: &[u8]) -> Result<Job> {
    let (terms, root) = Terms::decode(etf)?;
    let mfa = terms.mfa(terms.field(root, "mfa")?)?;
    let task = terms.field(root, "task")?;
    let config = terms.config(terms.field(root, "options")?)?;
    let name = if task.is_atom() { task.as_atom().name() } else { AtomId::EMPTY.name() };
    let task = match &*name {
        "explore" => {
            let seeds = terms.list(terms.field(root, "seeds")?, "seeds")?;
            let seeds: Result<_> = seeds.into_iter().map(|seed| terms.packed_list(seed, "seeds")).collect();
            Task::Explore { seeds: seeds? }
        }
        "eval" => Task::Evaluate { args: terms.packed_list(terms.field(root, "args")?, "args")? },
        _ => return Err(ProtocolError::Malformed("task")),
    };
    let job = Job { task, mfa, config };
    if job.inputs().any(|input| input.len() != mfa.arity) {
        return Err(ProtocolError::Arguments { mfa });
    }
    Ok(job)
}

/// Reads a host's answer. An empty one is the first call, which has nothing to answer yet.
pub fn decode_reply(etf: &[u8]) -> Result<Option<Reply>> {
    if etf.is_empty() {
        return Ok(None);
    }
    let (terms, root) = Terms::decode(etf)?;
    let pack = |value| Packed::pack(&terms.heap, value);
    let fields = terms.tuple(root);
    let tag = fields.first().copied().unwrap_or(root);
    let name = if tag.is_atom() { tag.as_atom().name() } else { AtomId::EMPTY.name() };
    match (&*name, fields.as_slice()) {
        ("continue" | "loaded", []) => Ok(Some(Reply::Continue)),
        ("ok", [_, value]) => Ok(Some(Reply::Value(pack(*value)))),
        ("raised", [_, class, reason, stacktrace]) => {
            let class = Class::from_atom(class.as_atom()).filter(|_| class.is_atom());
            let class = class.ok_or(ProtocolError::Malformed("class"))?;
            Ok(Some(Reply::Raised { class, reason: pack(*reason), stacktrace: pack(*stacktrace) }))
        }
        _ => Err(ProtocolError::Malformed("reply")),
    }
}

/// A term under construction that will leave the engine.
struct Builder {
    heap: Heap,
}

impl Builder {
    fn new() -> Self {
        Builder { heap: Heap::new(Literals::default()) }
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

    fn list(&mut self, items: Vec<Value>) -> Value {
        self.heap.list(items, Value::NIL)
    }

    fn tagged(&mut self, tag: &str, value: Value) -> Value {
        self.heap.tuple(&[Builder::atom(tag), value])
    }

    fn encode(&self, value: Value) -> Result<Vec<u8>> {
        Ok(etf::encode(&self.heap, value)?)
    }
}

pub fn encode_load(module: AtomId) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    let event = builder.tagged("load", Value::atom(module));
    builder.encode(event)
}

/// A session that could not do what it was asked.
pub fn encode_failed(kind: &str, text: &str) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    let text = builder.heap.binary(text.as_bytes());
    let reason = builder.tagged(kind, text);
    let event = builder.tagged("failed", reason);
    builder.encode(event)
}

pub fn encode_failure(failure: &Failure) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    let input = failure.input.iter().map(|term| term.unpack(&mut builder.heap)).collect();
    let fields = [
        ("input", builder.list(input)),
        ("class", Value::atom(failure.class.atom())),
        ("reason", builder.packed(&failure.reason)),
        ("stacktrace", builder.packed(&failure.stacktrace)),
        ("run", builder.number(failure.run)),
    ];
    let map = builder.record(&fields);
    let event = builder.tagged("failure", map);
    builder.encode(event)
}

pub fn encode_request(request: &Request) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    let term = match request {
        Request::Load { module } => builder.tagged("load", Value::atom(*module)),
        Request::Call { mfa, args } => {
            let args = builder.packed(args);
            builder.heap.tuple(&[Builder::atom("call"), Value::atom(mfa.module), Value::atom(mfa.function), args])
        }
    };
    builder.encode(term)
}

pub fn encode_continue() -> Result<Vec<u8>> {
    Builder::new().encode(Builder::atom("continue"))
}

pub fn encode_outcome(outcome: &Outcome) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    let term = match outcome {
        Outcome::Returned(value) => {
            let value = builder.packed(value);
            builder.tagged("ok", value)
        }
        Outcome::Raised { class, reason, stacktrace } => {
            let (reason, stacktrace) = (builder.packed(reason), builder.packed(stacktrace));
            builder.heap.tuple(&[Builder::atom("raised"), Value::atom(class.atom()), reason, stacktrace])
        }
        Outcome::Stopped(stop) => {
            let why = stop_term(&mut builder, stop);
            builder.tagged("stopped", why)
        }
    };
    let event = builder.tagged("outcome", term);
    builder.encode(event)
}

fn stop_term(builder: &mut Builder, stop: &Stop) -> Value {
    match stop {
        Stop::Steps => Builder::atom("steps"),
        Stop::Heap => Builder::atom("memory"),
        Stop::Time => Builder::atom("time"),
        Stop::Cancelled => Builder::atom("cancelled"),
        Stop::HostDied => Builder::atom("host_died"),
        Stop::Unsupported(what) => {
            let what = builder.heap.binary(what.as_bytes());
            builder.tagged("unsupported", what)
        }
    }
}

pub fn encode_finished(statistics: &Statistics) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    let fields = [
        ("verdict", verdict(&mut builder, statistics)),
        ("runs", builder.number(statistics.runs)),
        ("divergences", builder.number(statistics.divergences)),
        ("queries", queries(&mut builder, statistics)),
        ("coverage", coverage(&mut builder, statistics)),
        ("concretised", builder.counts(&statistics.concretised)),
        ("host_calls", builder.counts(&statistics.host_calls)),
        ("unsupported", unsupported(&mut builder, statistics)),
        ("time_ms", times(&mut builder, statistics)),
    ];
    let map = builder.record(&fields);
    let event = builder.tagged("finished", map);
    builder.encode(event)
}

/// The first of the limits that were reached, the most telling one first.
fn verdict(builder: &mut Builder, statistics: &Statistics) -> Value {
    if statistics.cancelled {
        return builder.tagged("limit", Builder::atom("cancelled"));
    }
    match statistics.reached.first() {
        None => Builder::atom("exhausted"),
        Some(reached) => {
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
    }
}

fn queries(builder: &mut Builder, statistics: &Statistics) -> Value {
    let queries = statistics.queries;
    let fields = [
        ("sat", builder.number(queries.sat)),
        ("unsat", builder.number(queries.unsat)),
        ("unknown", builder.number(queries.unknown)),
        ("avoided", builder.number(queries.avoided)),
    ];
    builder.record(&fields)
}

fn coverage(builder: &mut Builder, statistics: &Statistics) -> Value {
    let coverage = &statistics.coverage;
    let clauses = builder.heap.tuple(&[Value::count(coverage.covered), Value::count(coverage.total)]);
    let uncovered = coverage
        .uncovered
        .iter()
        .map(|clause| {
            let fields = [("mfa", builder.mfa(clause.mfa)), ("line", Value::count(clause.line as usize))];
            builder.record(&fields)
        })
        .collect();
    let fields = [("clauses", clauses), ("uncovered", builder.list(uncovered))];
    builder.record(&fields)
}

fn unsupported(builder: &mut Builder, statistics: &Statistics) -> Value {
    let pairs = statistics
        .unsupported
        .iter()
        .map(|(what, count)| (builder.heap.binary(what.as_bytes()), builder.number(*count)))
        .collect();
    builder.map(pairs)
}

fn times(builder: &mut Builder, statistics: &Statistics) -> Value {
    let fields = [
        ("total", builder.millis(statistics.total_time)),
        ("solver", builder.millis(statistics.solver_time)),
        ("machine", builder.millis(statistics.machine_time)),
    ];
    builder.record(&fields)
}

/// The name of an atom in external term format.
pub fn atom_name(etf: &[u8]) -> Option<String> {
    let (_, root) = Terms::decode(etf).ok()?;
    root.is_atom().then(|| root.as_atom().to_string())
}
