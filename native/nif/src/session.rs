//! Sessions and hosted runs as resources of the VM.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use cuter_engine::code::registry::{Answer, CodeError, Registry};
use cuter_engine::protocol::{self, Encoded, HostReply, Job, ProtocolError, Stubs, Task};
use cuter_engine::report::{Failure, Outside};
use cuter_engine::search::progress::{Counts, Progress};
use cuter_engine::search::runner::{Hosted, Length, Next};
use cuter_engine::search::{Cancel, Exploration, Host, SearchError};
use cuter_engine::term::AtomId;
use parking_lot::Mutex;
use rustler::env::SavedTerm;
use rustler::{Encoder, Env, LocalPid, Monitor, NewBinary, OwnedEnv, Resource, ResourceArc, Term};

use crate::atoms;

/// Sessions whose threads have not ended yet.
static LIVE: AtomicUsize = AtomicUsize::new(0);

pub fn live() -> usize {
    LIVE.load(Ordering::SeqCst)
}

pub struct SessionResource {
    registry: Arc<Registry>,
    cancel: Cancel,
    progress: Progress,
}

#[rustler::resource_impl]
impl Resource for SessionResource {
    const IMPLEMENTS_DOWN: bool = true;

    fn down<'a>(&'a self, _: Env<'a>, _: LocalPid, _: Monitor) {
        self.cancel.cancel();
    }
}

impl SessionResource {
    pub fn provide(&self, module: AtomId, answer: &Answer<'_>) -> Result<(), CodeError> {
        self.registry.provide(module, answer)
    }

    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    pub fn progress(&self) -> Counts {
        self.progress.counts()
    }
}

/// Bytes of a reply that is read in no time.
const SHORT_REPLY: usize = 1 << 14;

/// A run that a process of the VM drives.
pub struct RunResource {
    /// With how its funs look there.
    hosted: Mutex<(Hosted, Stubs)>,
    abandoned: AtomicBool,
}

#[rustler::resource_impl]
impl Resource for RunResource {}

/// What a run says to the process that drives it.
pub enum Said {
    Done,
    Request(Vec<u8>),
    /// It would take too long for a brief resumption; nothing has been done.
    Busy,
}

impl RunResource {
    pub fn new(run: Hosted) -> Self {
        RunResource { hosted: Mutex::new((run, Stubs::NONE)), abandoned: AtomicBool::new(false) }
    }

    pub fn resume(&self, reply: &[u8], length: Length) -> Result<Said, ProtocolError> {
        let said = self.go_on(reply, length);
        if self.abandoned.load(Ordering::SeqCst) {
            self.hosted.lock().0.abandon();
        }
        said
    }

    fn go_on(&self, reply: &[u8], length: Length) -> Result<Said, ProtocolError> {
        let (run, stubs) = &mut *self.hosted.lock();
        if length == Length::Brief && (reply.len() >= SHORT_REPLY || !run.is_small()) {
            return Ok(Said::Busy);
        }
        let reply = match protocol::decode_reply(reply, stubs)? {
            HostReply::Begin(own) => {
                *stubs = own;
                None
            }
            HostReply::Deputies(deputies) => {
                stubs.add_deputies(deputies);
                None
            }
            HostReply::Halted => {
                run.halted();
                return Ok(Said::Done);
            }
            HostReply::Reply(reply) => Some(reply),
        };
        let request = match run.resume(reply, length) {
            Next::Done => return Ok(Said::Done),
            Next::Continue => protocol::encode_continue(),
            Next::Request(request) => {
                let (by, ended) = run.asking();
                match protocol::encode_request(&request, by, ended, stubs) {
                    Ok(Encoded::Whole(encoded)) => {
                        run.forget_ended();
                        Ok(encoded)
                    }
                    Ok(Encoded::Deputies(missing)) => {
                        let missing = missing.into_iter().map(|process| (process, run.likeness(process)));
                        protocol::encode_deputies(missing.collect(), stubs)
                    }
                    Err(why) => {
                        run.unsupported(&format!("{request}: {why}"));
                        return Ok(Said::Done);
                    }
                }
            }
        };
        Ok(Said::Request(request?))
    }

    /// Does not wait for a resumption that is on its way: that one heeds it in the end.
    pub fn abandon(&self) {
        self.abandoned.store(true, Ordering::SeqCst);
        if let Some(mut hosted) = self.hosted.try_lock() {
            hosted.0.abandon();
        }
    }
}

/// The way to the owner of a session.
struct Owner {
    pid: LocalPid,
    env: OwnedEnv,
    tag: SavedTerm,
    stubs: Stubs,
}

impl Owner {
    fn send(&self, event: Result<Vec<u8>, ProtocolError>) {
        // An event that cannot be encoded is a defect that the owner must hear of; text always can.
        let etf = event.or_else(|why| protocol::encode_failed("defect", &why.to_string())).unwrap_or_default();
        self.message(|env, tag| {
            let event: Term<'_> = NewBinary::from_slice(env, &etf).into();
            (atoms::cuter(), tag, event).encode(env)
        });
    }

    fn message(&self, build: impl for<'e> FnOnce(Env<'e>, Term<'e>) -> Term<'e>) {
        let mut message = OwnedEnv::new();
        // The owner may be dead: then the session is being cancelled anyway.
        let _ = message.send_and_clear(&self.pid, |env| {
            let tag = self.env.run(|tags| self.tag.load(tags).in_env(env));
            build(env, tag)
        });
    }
}

/// Owner messages come from any worker: one at a time.
struct Bridge(Mutex<Owner>);

impl Host for Bridge {
    fn load(&self, module: AtomId) {
        self.0.lock().send(protocol::encode_load(module));
    }

    fn drive(&self, run: Hosted) {
        let run = ResourceArc::new(RunResource::new(run));
        self.0.lock().message(|env, tag| (atoms::cuter(), tag, atoms::host(), run).encode(env));
    }

    fn failure(&self, failure: Failure) {
        let owner = self.0.lock();
        owner.send(protocol::encode_failure(&failure, &owner.stubs));
    }

    fn outside(&self, outside: Outside) {
        let owner = self.0.lock();
        owner.send(protocol::encode_outside(&outside, &owner.stubs));
    }
}

/// Starts a session on a thread of its own.
pub fn start<'e>(env: Env<'e>, tag: Term<'e>, job: Job) -> io::Result<ResourceArc<SessionResource>> {
    let registry = Arc::new(Registry::new(job.concrete.clone()));
    let cancel = Cancel::default();
    let session = ResourceArc::new(SessionResource { registry, cancel: cancel.clone(), progress: Progress::default() });
    let pid = crate::caller(env);
    if env.monitor(&session, &pid).is_none() {
        // The owner is gone already.
        cancel.cancel();
    }
    let saved = OwnedEnv::new();
    let tag = saved.save(tag);
    let bridge = Bridge(Mutex::new(Owner { pid, env: saved, tag, stubs: job.stubs.clone() }));
    LIVE.fetch_add(1, Ordering::SeqCst);
    // The thread keeps the session, and so its monitor, for as long as it works.
    let kept = session.clone();
    let thread = thread::Builder::new().name("cuter-session".to_owned()).stack_size(16 << 20);
    let spawned = thread.spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&bridge, &kept, job)));
        let last = result.unwrap_or_else(|panic| protocol::encode_failed("defect", &panic_text(&*panic)));
        drop(kept);
        LIVE.fetch_sub(1, Ordering::SeqCst);
        bridge.0.lock().send(last);
    });
    match spawned {
        Ok(_) => Ok(session),
        Err(why) => {
            LIVE.fetch_sub(1, Ordering::SeqCst);
            Err(why)
        }
    }
}

/// Does the job; the result is the last event of the session.
fn work(bridge: &Bridge, session: &SessionResource, job: Job) -> Result<Vec<u8>, ProtocolError> {
    let SessionResource { registry, cancel, progress } = session;
    let Job { config, mfa, spec, .. } = job;
    let exploration = Exploration { registry, host: bridge, cancel, progress, config, mfa, spec };
    match job.task {
        Task::Explore { seeds } => match exploration.explore(seeds) {
            Ok(statistics) => protocol::encode_finished(&statistics, &job.stubs),
            Err(why) => failed(&why),
        },
        Task::Evaluate { args } => match exploration.evaluate(&args) {
            Ok(outcome) => protocol::encode_outcome(&outcome, &job.stubs),
            Err(why) => failed(&why),
        },
    }
}

fn failed(why: &SearchError) -> Result<Vec<u8>, ProtocolError> {
    let mut text = why.to_string();
    text.push('.');
    protocol::encode_failed("search", &text)
}

pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("The engine met a defect of its own: {}.", text.unwrap_or("no further word"))
}

/// The name of any atom. Those outside of Latin-1 cannot be read directly, so external term format it is.
pub fn atom_name(term: Term<'_>) -> Option<String> {
    if !term.is_atom() {
        return None;
    }
    term.atom_to_string().ok().or_else(|| protocol::atom_name(term.to_binary().as_slice()))
}
