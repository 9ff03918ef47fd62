//! What crosses the boundary to the VM, in external term format (docs/protocol.md).

mod encode;
mod stubs;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use num_traits::ToPrimitive;
use thiserror::Error;

use crate::code::ir::Mfa;
use crate::code::registry::Concrete;
use crate::machine::{Class, Limits, Reply};
use crate::search::spec::Spec;
use crate::search::{Config, Order};
use crate::smt;
use crate::term::map::{self, Map};
use crate::term::{AtomId, Heap, Literals, Packed, Value, bits, etf};
use crate::types;

pub use encode::{
    Encoded, encode_bifs, encode_continue, encode_deputies, encode_failed, encode_failure, encode_finished,
    encode_load, encode_outcome, encode_outside, encode_request,
};
pub use stubs::Stubs;

#[derive(Debug, Error)]
pub enum ProtocolError {
    #[error("the message is not in external term format: {0}")]
    Format(#[from] etf::DecodeError),
    #[error("the term cannot leave the engine: {0}")]
    Encode(#[from] etf::EncodeError),
    #[error("the request lacks {0}")]
    Missing(&'static str),
    #[error("{0}")]
    Signature(#[from] types::read::BadSignature),
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
    /// What runs natively only.
    pub concrete: Concrete,
    /// For funs and processes of runs that are over.
    pub stubs: Stubs,
    pub task: Task,
    pub mfa: Mfa,
    pub config: Config,
    pub spec: Spec,
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
        Terms::decode_with(etf, &mut |_, _| None)
    }

    fn decode_with(etf: &[u8], recognise: etf::Recognise<'_>) -> Result<(Self, Value)> {
        let mut heap = Heap::new(Literals::default());
        let root = etf::decode_with(&mut heap, etf, recognise)?;
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

    /// Any integer, of which the lowest digits count.
    fn seed(&self, options: Value) -> Result<u64> {
        let Some(value) = self.key(options, "seed") else { return Ok(1) };
        let seed = self.heap.integer(value).ok_or_else(|| self.bad_option("seed", value))?;
        Ok(seed.iter_u64_digits().next().unwrap_or(0))
    }

    fn order(&self, options: Value) -> Result<Order> {
        let Some(value) = self.key(options, "strategy") else { return Ok(Order::Coverage) };
        let name = if value.is_atom() { value.as_atom().name() } else { AtomId::EMPTY.name() };
        match &*name {
            "coverage" => Ok(Order::Coverage),
            "bfs" => Ok(Order::BreadthFirst),
            "dfs" => Ok(Order::DepthFirst),
            "random" => Ok(Order::Random),
            _ => Err(self.bad_option("strategy", value)),
        }
    }

    fn concrete(&self, options: Value) -> Result<Concrete> {
        let mut concrete = Concrete::default();
        let Some(list) = self.key(options, "concrete") else { return Ok(concrete) };
        for item in self.list(list, "concrete")? {
            if item.is_atom() {
                concrete.modules.push(item.as_atom());
            } else {
                concrete.functions.push(self.mfa(item)?);
            }
        }
        Ok(concrete)
    }

    fn spec(&self, root: Value) -> Result<Spec> {
        let signature = match self.key(root, "signature") {
            Some(signature) => Some(Arc::new(types::read::signature(&self.heap, signature)?)),
            None => None,
        };
        let pre = match self.key(root, "pre") {
            None => None,
            Some(pre) => match self.tuple(pre)[..] {
                [module, function] if module.is_atom() && function.is_atom() => {
                    Some((module.as_atom(), function.as_atom()))
                }
                _ => return Err(ProtocolError::Malformed("pre")),
            },
        };
        let identifiers = match self.key(root, "identifiers") {
            Some(identifiers) => self.packed_list(identifiers, "identifiers")?,
            None => Vec::new(),
        };
        let raises = match self.key(root, "raises") {
            Some(raises) => self.packed_list(raises, "raises")?,
            None => Vec::new(),
        };
        Ok(Spec { signature, pre, raises, identifiers })
    }

    fn smt_dir(&self, options: Value) -> Result<Option<PathBuf>> {
        let Some(value) = self.key(options, "smt_dir") else { return Ok(None) };
        let bits = self.heap.as_bits(value).ok_or_else(|| self.bad_option("smt_dir", value))?;
        let bytes = bits::to_bytes(&self.heap, bits);
        let text = String::from_utf8(bytes).map_err(|_| self.bad_option("smt_dir", value))?;
        Ok(Some(PathBuf::from(text)))
    }

    fn config(&self, options: Value) -> Result<Config> {
        if Map::of(&self.heap, options).is_none() {
            return Err(ProtocolError::Malformed("options"));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let limits = Limits::default();
        Ok(Config {
            order: self.order(options)?,
            seed: self.seed(options)?,
            coverage_of: self.key(options, "coverage_of").map(|mfa| self.mfa(mfa)).transpose()?,
            depth: self.number(options, "depth", 25)? as usize,
            deeper: self.key(options, "depth").is_none(),
            workers: self.number(options, "workers", cores as u64)?.clamp(1, 256) as usize,
            max_runs: self.number(options, "max_runs", u64::MAX)?,
            time_limit: Duration::from_millis(self.number(options, "time_limit", 30_000)?.min(u64::from(u32::MAX))),
            run_limits: Limits { steps: self.number(options, "max_steps", limits.steps)?, ..limits },
            solver: smt::Limits {
                timeout_ms: self.number(options, "solver_timeout", 2_000)?.min(u64::from(u32::MAX)) as u32,
                memory_mb: self.number(options, "solver_memory", 2_048)?.min(u64::from(u32::MAX)) as u32,
                // Failing inputs are shrunk anyway.
                prefer_small: false,
            },
            trace: self.key(options, "trace").is_some_and(Value::is_true),
            smt_dir: self.smt_dir(options)?,
        })
    }
}

/// Reads what `cuter_nif:start/2` was asked for.
pub fn decode_job(etf: &[u8]) -> Result<Job> {
    let (terms, root) = Terms::decode(etf)?;
    let stubs = match terms.key(root, "stubs") {
        Some(stubs) => Stubs::read(&terms.heap, stubs, false)?,
        None => Stubs::NONE,
    };
    // Once more, now that funs of an earlier report are known for what they are.
    let (terms, root) = Terms::decode_with(etf, &mut |heap, foreign| stubs.recognise_table(heap, foreign))?;
    let mfa = terms.mfa(terms.field(root, "mfa")?)?;
    let task = terms.field(root, "task")?;
    let mut config = terms.config(terms.field(root, "options")?)?;
    let frames = terms.number(root, "backtrace_depth", config.run_limits.frames as u64)?;
    config.run_limits.frames = usize::try_from(frames).unwrap_or(usize::MAX);
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
    let concrete = terms.concrete(terms.field(root, "options")?)?;
    let spec = terms.spec(root)?;
    let job = Job { concrete, stubs, task, mfa, config, spec };
    let clauses = job.spec.signature.iter().flat_map(|signature| &signature.clauses);
    if job.inputs().map(Vec::len).chain(clauses.map(|clause| clause.args.len())).any(|length| length != mfa.arity) {
        return Err(ProtocolError::Arguments { mfa });
    }
    Ok(job)
}

/// What a host process says.
pub enum HostReply {
    /// Its first word: how funs and processes of the machine look to it.
    Begin(Stubs),
    /// Processes that stand for processes of the machine, by their numbers.
    Deputies(Vec<(u64, Vec<u8>)>),
    /// What was asked for would end the VM.
    Halted,
    Reply(Reply),
}

/// Reads a host's answer.
pub fn decode_reply(etf: &[u8], stubs: &Stubs) -> Result<HostReply> {
    let mut heap = Heap::new(Literals::default());
    let root = etf::decode_with(&mut heap, etf, &mut |heap, foreign| stubs.recognise(heap, foreign))?;
    let terms = Terms { heap };
    if let Some(answer) = answer_of(&terms, root)? {
        return Ok(HostReply::Reply(answer));
    }
    let pack = |value| Packed::pack(&terms.heap, value);
    let fields = terms.tuple(root);
    let tag = fields.first().copied().unwrap_or(root);
    let name = if tag.is_atom() { tag.as_atom().name() } else { AtomId::EMPTY.name() };
    let reply = match (&*name, fields.as_slice()) {
        ("begin", [_, stubs]) => return Ok(HostReply::Begin(Stubs::read(&terms.heap, *stubs, true)?)),
        ("continue" | "loaded", []) => Reply::Continue,
        ("message", [_, message]) => Reply::Message { to: 0, message: pack(*message) },
        ("message", [_, deputy, message]) => {
            let to = stubs::process(*deputy).ok_or(ProtocolError::Malformed("deputy"))?;
            Reply::Message { to, message: pack(*message) }
        }
        ("told", [_, process, message, answer]) => {
            let to = stubs::process(*process).ok_or(ProtocolError::Malformed("deputy"))?;
            let answer = answer_of(&terms, *answer)?.ok_or(ProtocolError::Malformed("reply"))?;
            Reply::Told { to, message: pack(*message), answer: Box::new(answer) }
        }
        ("deputies", [_, deputies]) => return Ok(HostReply::Deputies(deputies_of(&terms, *deputies)?)),
        ("halted", []) => return Ok(HostReply::Halted),
        ("no_message", []) => Reply::NoMessage,
        ("visited", []) => Reply::Visited,
        ("callback", [_, fun, args]) if fun.is_small() && fun.as_small() >= 0 => {
            Reply::Callback { fun: fun.as_small() as usize, args: pack(*args) }
        }
        _ => return Err(ProtocolError::Malformed("reply")),
    };
    Ok(HostReply::Reply(reply))
}

/// How a native call has ended; `None` if that is not what is said.
fn answer_of(terms: &Terms, root: Value) -> Result<Option<Reply>> {
    let pack = |value| Packed::pack(&terms.heap, value);
    let is = |tag: Value, name: &str| tag == Value::atom(AtomId::intern(name));
    Ok(match terms.tuple(root)[..] {
        [tag, value] if is(tag, "ok") => Some(Reply::Value(pack(value))),
        [tag, class, reason, stacktrace] if is(tag, "raised") => {
            let class = Class::from_atom(class.as_atom()).filter(|_| class.is_atom());
            let class = class.ok_or(ProtocolError::Malformed("class"))?;
            Some(Reply::Raised { class, reason: pack(reason), stacktrace: pack(stacktrace) })
        }
        _ => None,
    })
}

/// `[{Number, Pid}]`
fn deputies_of(terms: &Terms, value: Value) -> Result<Vec<(u64, Vec<u8>)>> {
    let malformed = || ProtocolError::Malformed("deputies");
    let pairs = terms.list(value, "deputies")?.into_iter().map(|pair| match terms.tuple(pair)[..] {
        [number, pid] if number.is_small() && number.as_small() > 0 => {
            Ok((number.as_small() as u64, stubs::foreign(&terms.heap, pid).ok_or_else(malformed)?))
        }
        _ => Err(malformed()),
    });
    pairs.collect()
}

/// An atom in external term format.
pub fn encode_atom(name: &str) -> Option<Vec<u8>> {
    etf::encode(&Heap::new(Literals::default()), Value::atom(AtomId::intern(name))).ok()
}

/// The name of an atom in external term format.
pub fn atom_name(etf: &[u8]) -> Option<String> {
    let (_, root) = Terms::decode(etf).ok()?;
    root.is_atom().then(|| root.as_atom().to_string())
}
