//! Where control can get to from an instruction, whatever the values are that it works on.
//!
//! What is found contains every instruction that some run can be at afterwards; the other way round it may contain more. Calls are followed
//! into their functions, and back to where those were called from: out of the function that is running, to all its callers; out of functions that
//! are called on the way, to that call only. A fun may be called wherever a fun is called, or code runs that is not known. Exceptions
//! go to all handlers of the functions that are left.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ir::{FnId, Function, Instr, Label};
use super::registry::{CodeView, Target};
use crate::bif;
use crate::path::SiteId;

/// A call: the function it is in, and its position there.
type CallSite = (FnId, usize);

/// The calls of the code that a run can be in.
pub struct Flow<'a> {
    view: &'a CodeView,
    /// The calls that name the function.
    callers: FxHashMap<FnId, Vec<CallSite>>,
    /// Calls of whatever function.
    open_callers: Vec<CallSite>,
    /// Functions that such calls may be of.
    open: FxHashSet<FnId>,
    /// What runs after a function that is called first of all.
    after: Option<(FnId, FnId)>,
    /// Where the exceptions of calls go: asked for again and again.
    raised: RefCell<FxHashMap<CallSite, Rc<[SiteId]>>>,
}

/// Sites that can be reached.
pub struct Reach {
    sites: FxHashSet<SiteId>,
}

impl Reach {
    pub fn contains(&self, site: SiteId) -> bool {
        self.sites.contains(&site)
    }
}

impl<'a> Flow<'a> {
    /// The code of a function and all that it may call; `first` runs before it.
    pub fn new(view: &'a CodeView, entry: FnId, first: Option<FnId>) -> Self {
        let after = first.map(|first| (first, entry));
        let (callers, raised) = (FxHashMap::default(), RefCell::default());
        let mut flow = Flow { view, callers, open_callers: Vec::new(), open: FxHashSet::default(), after, raised };
        let mut all_open = false;
        let mut rest: Vec<FnId> = first.into_iter().chain([entry]).collect();
        let mut seen: FxHashSet<FnId> = FxHashSet::default();
        while let Some(id) = rest.pop() {
            let Some(function) = view.function(id).filter(|_| seen.insert(id)) else { continue };
            for (pc, instr) in function.code.iter().enumerate() {
                flow.add(instr, (id, pc), &mut rest, &mut all_open);
            }
        }
        flow
    }

    /// Adds a call; once one is of whatever name, all functions are open.
    fn add(&mut self, instr: &Instr, at: CallSite, rest: &mut Vec<FnId>, all_open: &mut bool) {
        match called(self.view, instr) {
            Called::Nothing => {}
            Called::Function(id) => {
                self.callers.entry(id).or_default().push(at);
                rest.push(id);
            }
            Called::MadeFun(id) => {
                self.open.insert(id);
                rest.push(id);
            }
            Called::SomeFun => self.open_callers.push(at),
            Called::Named => {
                self.open_callers.push(at);
                if std::mem::replace(all_open, true) {
                    return;
                }
                let all = (0..).map(FnId).take_while(|id| self.view.function(*id).is_some());
                let new: Vec<FnId> = all.filter(|id| self.open.insert(*id)).collect();
                rest.extend(new);
            }
        }
    }

    /// Everything that can come after one of these sites, they themselves included.
    pub fn reach(&self, starts: impl Iterator<Item = SiteId>) -> Reach {
        let (sites, left) = (FxHashSet::default(), FxHashSet::default());
        let mut walk = Walk { flow: self, view: self.view, sites, rest: starts.collect(), left, left_open: false };
        for start in walk.rest.clone() {
            let raised = self.view.site(start).map(|(function, pc)| handlers(function, pc));
            walk.rest.extend(raised.into_iter().flatten());
        }
        walk.outwards();
        walk.inwards();
        Reach { sites: walk.sites }
    }

    fn raised(&self, function: &Function, at: CallSite) -> Rc<[SiteId]> {
        if let Some(known) = self.raised.borrow().get(&at) {
            return Rc::clone(known);
        }
        let found: Rc<[SiteId]> = handlers(function, at.1).into();
        self.raised.borrow_mut().insert(at, Rc::clone(&found));
        found
    }

    /// Where a run can go on that takes the other side of a decision, `taken` this way at the site.
    pub fn other_side(&self, site: SiteId, taken: bool) -> Vec<SiteId> {
        let Some((function, pc)) = self.view.site(site) else { return Vec::new() };
        match function.code.get(pc) {
            // These ask one question only.
            Some(Instr::IsCons { fail, .. } | Instr::IsType { fail, .. } | Instr::IsTrue { fail, .. }) => {
                let to = if taken { fail.0 as usize } else { pc + 1 };
                vec![function.site(to)]
            }
            // Several conditions have to hold here.
            Some(Instr::IsTuple { fail, .. } | Instr::IsLiteral { fail, .. }) if taken => {
                vec![function.site(fail.0 as usize)]
            }
            _ => vec![site],
        }
    }
}

/// What an instruction can call.
enum Called {
    Nothing,
    Function(FnId),
    /// Nothing yet, but a fun is made that can be called by others.
    MadeFun(FnId),
    /// Some fun: it is called here, or handed to code that is not known.
    SomeFun,
    /// A function whose name is computed.
    Named,
}

fn called(view: &CodeView, instr: &Instr) -> Called {
    match instr {
        Instr::Call { function, .. } | Instr::TailCall { function, .. } => Called::Function(*function),
        Instr::Closure { function, .. } => Called::MadeFun(*function),
        Instr::CallRemote { mfa, .. } | Instr::TailCallRemote { mfa, .. } => match view.target(*mfa) {
            Target::Function(function) => Called::Function(function),
            Target::Bif(id) => called_by(view, id),
            Target::Host | Target::Undefined | Target::Unknown => Called::SomeFun,
        },
        Instr::Bif { bif, .. } => called_by(view, *bif),
        Instr::CallFun { .. } | Instr::TailCallFun { .. } => Called::SomeFun,
        Instr::CallNamed { .. } | Instr::TailCallNamed { .. } | Instr::Apply { .. } | Instr::TailApply { .. } => {
            Called::Named
        }
        _ => Called::Nothing,
    }
}

fn called_by(view: &CodeView, id: bif::BifId) -> Called {
    let emulation = bif::emulation(id).and_then(|mfa| view.entry(mfa));
    match (emulation, bif::name(id)) {
        // A built-in function that is written in Erlang for some arguments.
        (Some(function), _) => Called::Function(function),
        (None, Some(name)) if calls_by_name(&name.function.to_string()) => Called::Named,
        (None, Some(_) | None) => Called::Nothing,
    }
}

/// Built-in functions that make a fun of a name, or call one.
fn calls_by_name(name: &str) -> bool {
    matches!(name, "make_fun" | "apply" | "binary_to_term" | "hibernate") || name.starts_with("spawn")
}

struct Walk<'a> {
    flow: &'a Flow<'a>,
    view: &'a CodeView,
    sites: FxHashSet<SiteId>,
    rest: Vec<SiteId>,
    /// Functions that have been left for their callers.
    left: FxHashSet<FnId>,
    /// One of them may have been called by any open call.
    left_open: bool,
}

impl<'a> Walk<'a> {
    /// On in the running functions, and out of them to their callers.
    fn outwards(&mut self) {
        while let Some(site) = self.rest.pop() {
            let Some((id, function, pc)) = self.view.located(site) else { continue };
            if !self.sites.insert(site) {
                continue;
            }
            self.go_on(function, pc);
            if self.left.insert(id) {
                self.leave(id);
            }
        }
    }

    /// To the callers, and on from there.
    fn leave(&mut self, id: FnId) {
        let view = self.view;
        let mut leaving = vec![id];
        while let Some(id) = leaving.pop() {
            if let Some((_, entry)) = self.flow.after.filter(|(first, _)| *first == id) {
                self.enter(entry);
            }
            let first_open = self.flow.open.contains(&id) && !self.left_open;
            self.left_open |= first_open;
            let open = self.flow.open_callers.iter().filter(|_| first_open);
            for (caller, pc) in self.flow.callers.get(&id).into_iter().flatten().chain(open) {
                let Some(function) = view.function(*caller) else { continue };
                if function.code.get(*pc).is_some_and(super::distance::goes_on) {
                    self.rest.push(function.site(pc + 1));
                }
                self.rest.extend(self.flow.raised(function, (*caller, *pc)).iter());
                if self.left.insert(*caller) {
                    leaving.push(*caller);
                }
            }
        }
    }

    /// Into the functions that are called.
    fn inwards(&mut self) {
        let mut calls: Vec<SiteId> = self.sites.iter().copied().collect();
        let mut entered_open = false;
        while let Some(site) = calls.pop() {
            let Some((_, function, pc)) = self.view.located(site) else { continue };
            let Some(instr) = function.code.get(pc) else { continue };
            let called = called(self.view, instr);
            match called {
                Called::Nothing | Called::MadeFun(_) => {}
                Called::Function(id) => self.enter(id),
                Called::SomeFun | Called::Named if entered_open => {}
                Called::SomeFun | Called::Named => {
                    entered_open = true;
                    self.flow.open.iter().for_each(|id| self.enter(*id));
                }
            }
            while let Some(site) = self.rest.pop() {
                let Some((_, function, pc)) = self.view.located(site) else { continue };
                if self.sites.insert(site) {
                    self.go_on(function, pc);
                    calls.push(site);
                }
            }
        }
    }

    fn enter(&mut self, id: FnId) {
        self.rest.extend(self.view.function(id).map(|function| function.site(0)));
    }

    /// The instructions that can be next in the same function, calls passed over.
    fn go_on(&mut self, function: &Function, pc: usize) {
        let Some(instr) = function.code.get(pc) else { return };
        if super::distance::goes_on(instr) {
            self.rest.push(function.site(pc + 1));
        }
        if let Some(Label(to)) = instr.label().filter(|label| *label != Label::RAISE) {
            self.rest.push(function.site(to as usize));
        }
    }
}

/// Where exceptions of an instruction can go in its function: to the handlers that are in force there.
fn handlers(function: &Function, pc: usize) -> Vec<SiteId> {
    if !function.code.iter().any(|instr| matches!(instr, Instr::PushHandler { .. })) {
        return Vec::new();
    }
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut rest = vec![(0, Vec::new())];
    while let Some((at, mut handlers)) = rest.pop() {
        if at == pc {
            return handlers.into_iter().map(|Label(to)| function.site(to as usize)).collect();
        }
        let Some(instr) = function.code.get(at).filter(|_| seen.insert(at)) else { continue };
        if let Some(label @ Label(to)) = instr.label().filter(|label| *label != Label::RAISE) {
            rest.push((to as usize, handlers.clone()));
            if matches!(instr, Instr::PushHandler { .. }) {
                handlers.push(label);
            }
        }
        if matches!(instr, Instr::PopHandler) {
            handlers.pop();
        }
        if super::distance::goes_on(instr) {
            rest.push((at + 1, handlers));
        }
    }
    Vec::new()
}
