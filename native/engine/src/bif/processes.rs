//! Starting processes, and signals between them. What is not about processes of the machine goes to the host.

use super::number::system_limit;
use super::{Bif, BifResult, Meaning, badarg, concrete, exact, names};
use crate::code::ir::Mfa;
use crate::machine::{Action, AliasEnd, Ask, Ctx, Failure, Flag, MonitorOptions, Raise, SpawnOptions, Start};
use crate::release;
use crate::sym::Tags;
use crate::term::map::{self, Map};
use crate::term::{AtomId, Heap, Value, View, VirtualKind};

pub(super) const BIFS: &[Bif] = &[
    exact("spawn", 3, |ctx, args| spawn(ctx, args, SpawnOptions::default())),
    exact("spawn_link", 3, spawn_link),
    exact("spawn_opt", 4, spawn_opt),
    Bif { module: "erts_internal", name: "spawn_request", arity: 4, meaning: Meaning::Exact, run: spawn_request },
    exact("group_leader", 0, |ctx, _| ctx.process.leader().ok_or(Failure::Host)),
    Bif { module: "erts_internal", name: "group_leader", arity: 2, meaning: Meaning::Concrete, run: set_group_leader },
    exact("processes", 0, processes),
    exact("hibernate", 3, hibernate),
    exact("hibernate", 0, hibernate_in_place),
    exact("monitor", 2, monitor),
    exact("monitor", 3, monitor),
    exact("alias", 0, |_, _| act(Action::Alias)),
    exact("unalias", 1, unalias),
    exact("demonitor", 1, demonitor),
    exact("demonitor", 2, demonitor),
    exact("link", 1, |ctx, args| to_process(ctx, args, |pid, _| Action::Link { pid })),
    exact("unlink", 1, |ctx, args| to_process(ctx, args, |pid, _| Action::Unlink { pid })),
    exact("is_process_alive", 1, |ctx, args| to_process(ctx, args, |pid, _| Action::IsAlive { pid })),
    exact("exit", 2, |ctx, args| to_process(ctx, args, |pid, reason| Action::Exit { pid, reason })),
];

/// What module `erlang` does in Erlang.
pub(super) const WRITTEN: &[Bif] = &[
    exact("spawn", 1, |ctx, args| spawn(ctx, args, SpawnOptions::default())),
    exact("spawn_link", 1, spawn_link),
    exact("spawn_monitor", 1, spawn_monitor),
    exact("spawn_monitor", 3, spawn_monitor),
    exact("spawn_opt", 2, spawn_opt),
    concrete("group_leader", 2, set_group_leader),
];

/// So many arguments `hibernate/3` keeps.
const MANY_KEPT: usize = 1024;
const FEW_KEPT: usize = 256;

fn hibernate(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [module, function, list] = args else { return Err(badarg()) };
    let are_names = [module, function].iter().all(|name| ctx.heap.concrete(**name).is_atom());
    if are_names && is_too_long_to_keep(ctx, *list) {
        return Err(system_limit());
    }
    act(Action::Hibernate { start: start(ctx, args)? })
}

fn is_too_long_to_keep(ctx: &mut Ctx<'_>, list: Value) -> bool {
    if release::hibernate_keeps_few_arguments() {
        ctx.behind(list, FEW_KEPT).is_some_and(|rest| !ctx.is(rest, Tags::NIL))
    } else {
        ctx.is_longer(list, MANY_KEPT)
    }
}

/// The VM of an earlier release says that there is no such function.
fn hibernate_in_place(_: &mut Ctx<'_>, _: &[Value]) -> BifResult {
    if release::has_hibernate_in_place() { act(Action::AwaitMessage) } else { Err(Failure::Host) }
}

fn act(action: Action) -> BifResult {
    Err(Failure::Act(Box::new(action)))
}

/// The number of a process of the machine.
pub(super) fn process(ctx: &Ctx<'_>, value: Value) -> Option<u64> {
    match ctx.heap.view(ctx.heap.concrete(value)) {
        View::Virtual(identifier) => match identifier.as_identifier() {
            (VirtualKind::Pid, pid) => Some(pid),
            (VirtualKind::Reference | VirtualKind::Fun, _) => None,
        },
        _ => None,
    }
}

/// For a process of the machine; others are the host's.
fn to_process(ctx: &mut Ctx<'_>, args: &[Value], action: fn(u64, Value) -> Action) -> BifResult {
    let Some(first) = args.first() else { return Err(badarg()) };
    let second = args.get(1).copied().unwrap_or(Value::NIL);
    match process(ctx, *first) {
        Some(pid) => act(action(pid, second)),
        None => Err(Failure::Host),
    }
}

fn start(ctx: &mut Ctx<'_>, args: &[Value]) -> Result<Start, Failure> {
    match args {
        [fun] => {
            let is_one = ctx.is(*fun, Tags::FUN) || is_function_name(ctx, *fun);
            if is_one { start_of_fun(ctx, *fun) } else { Err(badarg()) }
        }
        [module, function, list] => {
            if module.is_sym() || function.is_sym() {
                ctx.concretise(super::mfa("erlang", "spawn", 3), &[*module, *function]);
            }
            let [module, function] = [*module, *function].map(|value| ctx.heap.concrete(value));
            if !module.is_atom() || !function.is_atom() {
                return Err(badarg());
            }
            let items = ctx.list(*list).ok_or_else(badarg)?;
            let mfa = Mfa { module: module.as_atom(), function: function.as_atom(), arity: items.len() };
            Ok(Start::Call(mfa, items))
        }
        _ => Err(badarg()),
    }
}

/// What was a fun once.
fn is_function_name(ctx: &mut Ctx<'_>, value: Value) -> bool {
    ctx.has_arity(value, 2)
        && (0..2).all(|index| {
            let name = ctx.element(value, index);
            ctx.is(name, Tags::ATOM)
        })
}

/// What is no fun without arguments fails in the new process.
fn start_of_fun(ctx: &mut Ctx<'_>, fun: Value) -> Result<Start, Failure> {
    if fun.is_sym() {
        ctx.counters.concretise(super::mfa("erlang", "spawn", 1));
    }
    let fun = ctx.heap.concrete(fun);
    match ctx.heap.view(fun) {
        View::Closure(ptr) if ctx.heap.closure(ptr).1 == 0 => Ok(Start::Fun(fun)),
        View::External(ptr) if ctx.heap.external_of(ptr).2 == 0 => {
            let (module, function, arity) = ctx.heap.external_of(ptr);
            Ok(Start::Call(Mfa { module, function, arity }, Vec::new()))
        }
        View::Foreign(_) => Err(Failure::Host),
        _ => Ok(applied(fun)),
    }
}

fn applied(fun: Value) -> Start {
    Start::Call(super::mfa("erlang", "apply", 2), vec![fun, Value::NIL])
}

/// A fun that takes arguments is refused here.
fn spawn_monitor(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    match start(ctx, args)? {
        Start::Call(mfa, _) if args.len() == 1 && mfa.arity > 0 => Err(badarg()),
        start => {
            let options = SpawnOptions { monitor: Some(MonitorOptions::default()), ..SpawnOptions::default() };
            act(Action::Spawn { start, options })
        }
    }
}

fn spawn(ctx: &mut Ctx<'_>, args: &[Value], options: SpawnOptions) -> BifResult {
    let start = match start(ctx, args)? {
        Start::Call(mfa, items) if mfa == super::mfa("erlang", "apply", 2) => match items.as_slice() {
            [fun, Value::NIL] => start_of_fun(ctx, *fun)?,
            _ => Start::Call(mfa, items),
        },
        start => start,
    };
    act(Action::Spawn { start, options })
}

fn spawn_link(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    spawn(ctx, args, SpawnOptions { link: true, ..SpawnOptions::default() })
}

/// Of the options, `link` and `monitor` mean something here; flags can be seen.
fn spawn_opt(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let Some((options, call)) = args.split_last() else { return Err(badarg()) };
    match spawn_options(ctx, super::mfa("erlang", "spawn_opt", args.len()), *options) {
        Some(options) => spawn(ctx, call, options),
        None => Err(Raise::refused(ctx.heap, "spawn_opt", args, "badopt").into()),
    }
}

fn spawn_options(ctx: &mut Ctx<'_>, function: Mfa, options: Value) -> Option<SpawnOptions> {
    let mut known = SpawnOptions::default();
    for option in options_of(ctx, function, options)? {
        take_option(&mut known, spawn_option(ctx, option)?);
    }
    Some(known)
}

fn take_option(known: &mut SpawnOptions, option: SpawnOption) {
    match option {
        SpawnOption::Link => known.link = true,
        SpawnOption::Monitor(options) => known.monitor = Some(options),
        SpawnOption::Flag(flag, value) => known.flags.push((flag, value)),
        SpawnOption::Other => {}
    }
}

/// The options in a list. What depends on the input in them is made concrete, but for tags, which nobody looks at.
fn options_of(ctx: &mut Ctx<'_>, function: Mfa, list: Value) -> Option<Vec<Value>> {
    let options = ctx.list(list)?;
    for option in &options {
        let looked_at = match ctx.heap.tuple_arity(*option) {
            Some(2) if is_tag(ctx.heap.element(*option, 0)) => Value::NIL,
            _ => *option,
        };
        if !ctx.is_concrete(looked_at) {
            ctx.concretise(function, &[looked_at]);
        }
    }
    Some(options)
}

fn is_tag(name: Value) -> bool {
    ["tag", "reply_tag"].into_iter().any(|tag| name == Value::atom(AtomId::intern(tag)))
}

/// What `erlang:spawn_request/1` to `/4` come to. Faults are returned, not raised, and an unknown option is told of in a message.
fn spawn_request(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [.., options] = args else { return Err(badarg()) };
    let fault = |name: &str| Ok(Value::atom(AtomId::intern(name)));
    let call = args.get(..3).unwrap_or_default();
    let Ok(start) = start(ctx, call) else { return fault("badarg") };
    let function = super::mfa("erts_internal", "spawn_request", 4);
    let Some(options) = options_of(ctx, function, *options) else { return fault("badopt") };
    let mut known = SpawnOptions::default();
    let (mut tag, mut replies) = (Value::atom(AtomId::intern("spawn_reply")), Replies { success: true, error: true });
    let mut is_known = true;
    for option in options {
        match (reply_option(ctx, option), spawn_option(ctx, option)) {
            (Some(ReplyOption::Tag(own)), _) => tag = own,
            (Some(ReplyOption::When(wanted)), _) => replies = wanted,
            (None, Some(option)) => take_option(&mut known, option),
            (None, None) => is_known = false,
        }
    }
    if is_known {
        return act(Action::SpawnRequest { start, options: known, reply: replies.success.then_some(tag) });
    }
    let reference = Value::identifier(VirtualKind::Reference, ctx.virtuals.reference());
    if replies.error {
        let [error, badopt] = ["error", "badopt"].map(|name| Value::atom(AtomId::intern(name)));
        let message = ctx.heap.tuple(&[tag, reference, error, badopt]);
        ctx.process.receive(message, ctx.virtuals);
    }
    Ok(reference)
}

/// Which answers to a request are wanted.
#[derive(Clone, Copy)]
struct Replies {
    success: bool,
    error: bool,
}

enum ReplyOption {
    Tag(Value),
    When(Replies),
}

/// `{reply_tag, Tag}` or `{reply, When}`.
fn reply_option(ctx: &Ctx<'_>, option: Value) -> Option<ReplyOption> {
    let option = ctx.heap.concrete(option);
    if ctx.heap.tuple_arity(option) != Some(2) {
        return None;
    }
    let [name, value] = [0, 1].map(|index| ctx.heap.element(option, index));
    let is = |value: Value, name: &str| ctx.heap.concrete(value) == Value::atom(AtomId::intern(name));
    if is(name, "reply_tag") {
        return Some(ReplyOption::Tag(value));
    }
    let modes = [("yes", true, true), ("no", false, false), ("success_only", true, false), ("error_only", false, true)];
    let mode = modes.into_iter().find(|(mode, ..)| is(name, "reply") && is(value, mode));
    mode.map(|(_, success, error)| ReplyOption::When(Replies { success, error }))
}

/// The VM is told as well, for the process that stands for this one there.
fn set_group_leader(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [leader, pid] = args else { return Err(badarg()) };
    match process(ctx, *pid) {
        Some(pid) if ctx.is(*leader, Tags::PID) => act(Action::SetLeader { pid, leader: *leader }),
        Some(_) | None => Err(Failure::Host),
    }
}

/// Those of the VM, with what they are here, and those of the machine that it does not know of.
fn processes(_: &mut Ctx<'_>, _: &[Value]) -> BifResult {
    Err(Failure::Ask(Box::new(Ask {
        mfa: super::mfa("erlang", "processes", 0),
        args: Value::NIL,
        finish: |ctx, _, answer| {
            let known = ctx.list(answer).ok_or_else(badarg)?;
            act(Action::Processes { known })
        },
        purpose: "which processes there are",
    })))
}

enum SpawnOption {
    Link,
    Monitor(MonitorOptions),
    Flag(Flag, Value),
    Other,
}

/// What an option of `spawn_opt` asks for; `None` if it is none.
fn spawn_option(ctx: &mut Ctx<'_>, option: Value) -> Option<SpawnOption> {
    let option = ctx.heap.concrete(option);
    if option.is_atom() {
        return match &*option.as_atom().name() {
            "link" => Some(SpawnOption::Link),
            "monitor" => Some(SpawnOption::Monitor(MonitorOptions::default())),
            _ => None,
        };
    }
    if ctx.heap.tuple_arity(option) != Some(2) {
        return None;
    }
    let [name, value] = [0, 1].map(|index| ctx.heap.concrete(ctx.heap.element(option, index)));
    let name = if name.is_atom() { name.as_atom().name() } else { return None };
    if &*name == "monitor" {
        let options = ctx.list(value)?;
        return monitor_options(ctx, options).map(SpawnOption::Monitor);
    }
    let is_one_of = |names: &[&str]| value.is_atom() && names.contains(&&*value.as_atom().name());
    let is_count = || as_size(value).is_some();
    let is_known = match &*name {
        "priority" => is_one_of(&["low", "normal", "high", "max"]),
        "message_queue_data" => is_one_of(&["on_heap", "off_heap"]),
        "async_dist" => is_one_of(&["true", "false"]),
        "fullsweep_after" | "min_heap_size" | "min_bin_vheap_size" | "scheduler" => is_count(),
        "max_heap_size" => is_heap_size(value) || has_heap_size(ctx.heap, value),
        _ => false,
    };
    let flag = Flag::named(AtomId::intern(&name)).filter(|_| !value.is_pointer());
    is_known.then(|| flag.map_or(SpawnOption::Other, |flag| SpawnOption::Flag(flag, value)))
}

/// The smallest heap that a process can have, in words.
const SMALLEST_HEAP: i64 = 233;

/// A number of words, or of collections, is no big integer.
fn as_size(value: Value) -> Option<i64> {
    value.is_small().then(|| value.as_small()).filter(|size| *size >= 0)
}

fn is_heap_size(value: Value) -> bool {
    as_size(value).is_some_and(|size| size == 0 || size >= SMALLEST_HEAP)
}

/// A map with the key `size`, and with flags that are some.
fn has_heap_size(heap: &Heap, value: Value) -> bool {
    let Some(map) = Map::of(heap, value) else { return false };
    let get = |name: &str| map::get(heap, map, Value::atom(AtomId::intern(name))).map(|value| heap.concrete(value));
    let is_flag = |name: &str| get(name).is_none_or(|value| [true, false].map(Value::boolean).contains(&value));
    get("size").is_some_and(is_heap_size) && is_flag("kill") && is_flag("error_logger")
}

/// The options of a monitor: `{alias, How}` and `{tag, Tag}`.
fn monitor_options(ctx: &Ctx<'_>, options: Vec<Value>) -> Option<MonitorOptions> {
    let mut known = MonitorOptions::default();
    for option in options {
        let option = ctx.heap.concrete(option);
        if ctx.heap.tuple_arity(option) != Some(2) {
            return None;
        }
        let [name, value] = [0, 1].map(|index| ctx.heap.element(option, index));
        let name = ctx.heap.concrete(name);
        if name == Value::atom(AtomId::intern("tag")) {
            known.tag = Some(value);
        } else if name == Value::atom(AtomId::intern("alias")) {
            known.alias = Some(alias_end(ctx.heap.concrete(value))?);
        } else {
            return None;
        }
    }
    Some(known)
}

/// Nobody has a name that neither the machine nor the VM knows: that is told at once.
fn monitor(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [kind, object, ..] = args else { return Err(badarg()) };
    if kind.is_sym() {
        ctx.concretise(super::mfa("erlang", "monitor", args.len()), &[*kind]);
    }
    if ctx.heap.concrete(*kind) != Value::atom(AtomId::intern("process")) {
        return Err(Failure::Host);
    }
    if let Some(pid) = process(ctx, *object) {
        return monitored(ctx, args, Some(pid), None);
    }
    match (names::named(ctx, *object), names::local_name(ctx, *object)) {
        (Some((name, pid)), _) => monitored(ctx, args, Some(pid), Some(name)),
        (None, Some(name)) => Err(Failure::Ask(Box::new(Ask {
            mfa: super::mfa("erlang", "whereis", 1),
            args: ctx.heap.list([Value::atom(name)], Value::NIL),
            finish: |ctx, args, answer| match args.get(1).and_then(|object| names::local_name(ctx, *object)) {
                Some(name) if answer == Value::atom(AtomId::UNDEFINED) => monitored(ctx, args, None, Some(name)),
                _ => Err(Failure::Host),
            },
            purpose: "whether a name is taken",
        }))),
        (None, None) => Err(Failure::Host),
    }
}

fn monitored(ctx: &mut Ctx<'_>, args: &[Value], pid: Option<u64>, name: Option<AtomId>) -> BifResult {
    let options = match args.get(2) {
        Some(list) => options_of(ctx, super::mfa("erlang", "monitor", 3), *list).ok_or_else(badarg)?,
        None => Vec::new(),
    };
    let options = monitor_options(ctx, options).ok_or_else(badarg)?;
    act(Action::Monitor { pid, name, options })
}

fn alias_end(mode: Value) -> Option<AliasEnd> {
    let modes = [
        ("explicit_unalias", AliasEnd::Unalias),
        ("demonitor", AliasEnd::Demonitor),
        ("reply_demonitor", AliasEnd::Reply),
    ];
    modes.into_iter().find(|(name, _)| mode == Value::atom(AtomId::intern(name))).map(|(_, end)| end)
}

/// The number of a reference of the machine.
pub(super) fn reference(ctx: &Ctx<'_>, value: Value) -> Option<u64> {
    match ctx.heap.view(ctx.heap.concrete(value)) {
        View::Virtual(identifier) => match identifier.as_identifier() {
            (VirtualKind::Reference, number) => Some(number),
            (VirtualKind::Pid | VirtualKind::Fun, _) => None,
        },
        _ => None,
    }
}

fn unalias(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    match reference(ctx, *value) {
        Some(reference) => act(Action::Unalias { reference }),
        None => Err(Failure::Host),
    }
}

fn demonitor(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let Some(value) = args.first() else { return Err(badarg()) };
    let options = match args.get(1) {
        Some(options) => options_of(ctx, super::mfa("erlang", "demonitor", 2), *options).ok_or_else(badarg)?,
        None => Vec::new(),
    };
    let [flush, info] = ["flush", "info"].map(|name| Value::atom(AtomId::intern(name)));
    let options: Vec<Value> = options.into_iter().map(|option| ctx.heap.concrete(option)).collect();
    if options.iter().any(|option| *option != flush && *option != info) {
        return Err(badarg());
    }
    match reference(ctx, *value) {
        Some(reference) => {
            act(Action::Demonitor { reference, flush: options.contains(&flush), info: options.contains(&info) })
        }
        None => Err(Failure::Host),
    }
}
