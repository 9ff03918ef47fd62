//! The NIF: a thin layer between the VM and the engine.
//!
//! Terms cross as binaries in external term format (docs/protocol.md). A session runs on threads of its own and talks to its owner by
//! messages; it ends when the owner dies. A panic of the engine becomes an error of the call or of the session, never of the VM.

mod session;
mod terminal;

use std::panic::{AssertUnwindSafe, catch_unwind};

use cuter_engine::code::registry::Answer;
use cuter_engine::protocol;
use cuter_engine::search::runner::Length;
use cuter_engine::term::AtomId;
use rustler::schedule::consume_timeslice;
use rustler::{Atom, Binary, Encoder, Env, LocalPid, NewBinary, NifResult, OwnedEnv, ResourceArc, Term};

use session::{RunResource, Said, SessionResource};

mod atoms {
    rustler::atoms! { ok, error, done, request, cuter, host, ast, native, undefined, bad_request, bad_reply, bad_code, defect, busy }
}

/// Room for deep nesting in code and terms: the VM's scheduler threads have small stacks.
const STACK: usize = 64 << 20;
/// Room for the machine, which keeps its own stacks on the heap. Dirty schedulers have 320 KB.
const ROOM: usize = 128 << 10;

/// What a brief resumption counts for, of the time that a process has before it is another one's turn.
const BRIEF_PERCENT: i32 = 2;

/// Calls the engine with enough stack; a panic becomes `{error, {defect, Text}}`.
fn guarded<'a>(env: Env<'a>, call: impl FnOnce() -> Term<'a>) -> Term<'a> {
    guarded_with(STACK, env, call)
}

fn guarded_with<'a>(least: usize, env: Env<'a>, call: impl FnOnce() -> Term<'a>) -> Term<'a> {
    let result = catch_unwind(AssertUnwindSafe(|| cuter_engine::with_room(least, STACK, call)));
    result.unwrap_or_else(|panic| error(env, atoms::defect(), &session::panic_text(&*panic)))
}

fn error<'a>(env: Env<'a>, kind: Atom, text: &str) -> Term<'a> {
    (atoms::error(), (kind, binary(env, text.as_bytes()))).encode(env)
}

fn binary<'a>(env: Env<'a>, bytes: &[u8]) -> Term<'a> {
    NewBinary::from_slice(env, bytes).into()
}

#[rustler::nif]
fn start<'a>(env: Env<'a>, tag: Term<'a>, request: Binary<'a>) -> NifResult<Term<'a>> {
    if !tag.is_ref() {
        return Err(rustler::Error::BadArg);
    }
    Ok(guarded(env, || match protocol::decode_job(request.as_slice()) {
        Ok(job) => match session::start(env, tag, job) {
            Ok(session) => (atoms::ok(), session).encode(env),
            Err(why) => error(env, atoms::defect(), &why.to_string()),
        },
        Err(why) => error(env, atoms::bad_request(), &why.to_string()),
    }))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn provide<'a>(
    env: Env<'a>,
    session: ResourceArc<SessionResource>,
    module: Term<'a>,
    answer: Term<'a>,
) -> NifResult<Term<'a>> {
    let name = session::atom_name(module).ok_or(rustler::Error::BadArg)?;
    let tree = answer.decode::<(Atom, Binary<'a>)>().ok().filter(|(tag, _)| *tag == atoms::ast());
    let answer = match &tree {
        Some((_, etf)) => Answer::Tree(etf.as_slice()),
        None if answer == atoms::native().encode(env) => Answer::Native,
        None if answer == atoms::undefined().encode(env) => Answer::Absent,
        None => return Err(rustler::Error::BadArg),
    };
    Ok(guarded(env, || match session.provide(AtomId::intern(&name), &answer) {
        Ok(()) => atoms::ok().encode(env),
        Err(why) => error(env, atoms::bad_code(), &why.to_string()),
    }))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn resume<'a>(env: Env<'a>, run: ResourceArc<RunResource>, reply: Binary<'a>) -> Term<'a> {
    resumed(env, &run, reply, Length::Slice)
}

/// On the scheduler of the process that calls: most runs soon ask for the next thing, and the way to another thread and back takes longer.
#[rustler::nif]
fn resume_briefly<'a>(env: Env<'a>, run: ResourceArc<RunResource>, reply: Binary<'a>) -> Term<'a> {
    let said = resumed(env, &run, reply, Length::Brief);
    consume_timeslice(env, BRIEF_PERCENT);
    said
}

fn resumed<'a>(env: Env<'a>, run: &RunResource, reply: Binary<'a>, length: Length) -> Term<'a> {
    guarded_with(ROOM, env, || match run.resume(reply.as_slice(), length) {
        Ok(Said::Busy) => atoms::busy().encode(env),
        Ok(Said::Done) => atoms::done().encode(env),
        Ok(Said::Request(etf)) => (atoms::request(), binary(env, &etf)).encode(env),
        Err(why) => error(env, atoms::bad_reply(), &why.to_string()),
    })
}

#[rustler::nif]
fn abandon(run: ResourceArc<RunResource>, _reason: Binary<'_>) -> Atom {
    run.abandon();
    atoms::ok()
}

#[rustler::nif]
fn cancel(session: ResourceArc<SessionResource>) -> Atom {
    session.cancel();
    atoms::ok()
}

#[rustler::nif]
fn sessions() -> usize {
    session::live()
}

/// Runs, paths, failures, clauses covered and clauses there are, so far.
#[rustler::nif]
fn progress(session: ResourceArc<SessionResource>) -> (u64, u64, u64, u64, u64) {
    let counts = session.progress();
    (counts.runs, counts.paths, counts.failures, counts.covered, counts.clauses)
}

/// Whether what is written to standard output is read by a person at a terminal.
#[rustler::nif]
fn is_terminal() -> bool {
    terminal::is_terminal()
}

/// Counts interrupts from now on instead of dying of the first one.
#[rustler::nif]
fn catch_interrupts() -> bool {
    terminal::catch_interrupts()
}

/// Whether there was an interrupt since `catch_interrupts`.
#[rustler::nif]
fn interrupted() -> bool {
    terminal::interrupted()
}

#[rustler::nif]
fn release_interrupts() -> Atom {
    terminal::release_interrupts();
    atoms::ok()
}

/// The table of built-in functions, for tests.
#[rustler::nif]
fn bifs(env: Env<'_>) -> Term<'_> {
    guarded(env, || match protocol::encode_bifs() {
        Ok(etf) => binary(env, &etf),
        Err(why) => error(env, atoms::defect(), &why.to_string()),
    })
}

/// The process that called, which becomes the owner of a session.
fn caller(env: Env<'_>) -> LocalPid {
    env.pid()
}

/// The word that the VM has for an atom: the younger the atom, the greater the word. One outside of Latin-1 cannot be made from here, so it has none before the
/// VM knows it.
fn word_of_atom(name: &str) -> Option<u64> {
    OwnedEnv::new().run(|env| {
        let known = || Some(env.binary_to_term(&protocol::encode_atom(name)?)?.0.as_c_arg());
        // What rustler has of a word is how it is written.
        Atom::from_str(env, name).map(Atom::as_c_arg).ok().or_else(known)?.to_string().parse().ok()
    })
}

/// The VM tells its release.
fn load(_env: Env<'_>, release: Term<'_>) -> bool {
    cuter_engine::term::set_registry(word_of_atom);
    release.decode().map(cuter_engine::release::set).is_ok()
}

rustler::init!("cuter_nif", load = load);
