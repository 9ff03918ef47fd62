//! All code that a session has loaded, shared by its runs and workers.
//!
//! The registry only grows. Runs read it through a [`CodeView`], an immutable snapshot; loading a module makes a new one, in which everything keeps
//! its number. A run that meets a module it does not know asks for it and goes on with the next snapshot.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use indexmap::IndexSet;
use parking_lot::{Condvar, Mutex};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use thiserror::Error;

use super::ast::{Lambda, Module};
use super::ir::{FnId, Function, Mfa, MfaId};
use super::kept::Way;
use super::lower::{self, ClauseInfo};
use super::read::AstError;
use crate::bif::{self, BifId};
use crate::term::{AtomId, Heap, LiteralBuilder, Literals, Packed, Value};

#[derive(Debug, Error)]
pub enum CodeError {
    #[error(transparent)]
    Ast(#[from] AstError),
    #[error("asked for module {asked} and got the code of {got}")]
    OtherModule { asked: AtomId, got: AtomId },
}

/// What a call to a function means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Function(FnId),
    Bif(BifId),
    /// The VM runs it.
    Host,
    /// Its module is loaded and has no such function.
    Undefined,
    /// Its module is not loaded yet.
    Unknown,
}

/// The host's answer to a request for a module.
#[derive(Hash)]
pub enum Answer<'a> {
    /// The module's tree in external term format.
    Tree(&'a [u8]),
    /// The module has no code that can be interpreted: its functions run natively.
    Native,
    /// There is no such module.
    Absent,
}

#[derive(Clone)]
pub struct ModuleInfo {
    pub name: AtomId,
    /// The file that was compiled, and others that its code comes from.
    pub files: Arc<[Arc<str>]>,
    /// Abstract forms of specs, types and records.
    pub specs: Arc<Packed>,
    exports: Arc<FxHashMap<(AtomId, usize), Target>>,
    entries: Arc<FxHashMap<(AtomId, usize), FnId>>,
    /// Functions that run natively and are no built-in functions.
    foreign: Arc<FxHashSet<(AtomId, usize)>>,
    /// The MD5 of its code on the VM, and what tells its funs from each other there.
    md5: [u8; 16],
    lambdas: Arc<FxHashMap<(AtomId, usize), Lambda>>,
    /// All functions, those that are not exported too.
    names: Arc<FxHashMap<(AtomId, usize), FnId>>,
    /// Atoms that stand in its functions, by themselves or in a list.
    atoms: Arc<OnceLock<Vec<AtomId>>>,
}

/// Not more atoms of a module are told.
const MOST_ATOMS: usize = 100;

fn atom(value: Value) -> Option<AtomId> {
    value.is_atom().then(|| value.as_atom())
}

/// A snapshot of the loaded code.
#[derive(Clone, Default)]
pub struct CodeView {
    functions: Vec<Arc<Function>>,
    modules: Vec<ModuleInfo>,
    by_name: FxHashMap<AtomId, Option<u32>>,
    absent: FxHashSet<AtomId>,
    mfas: IndexSet<Mfa, FxBuildHasher>,
    targets: Vec<Target>,
    literals: Literals,
    clauses: Vec<ClauseInfo>,
    sites: u32,
}

fn is_module_info(mfa: Mfa) -> bool {
    mfa.arity <= 1 && &*mfa.function.name() == "module_info"
}

impl CodeView {
    #[inline]
    pub fn function(&self, id: FnId) -> Option<&Function> {
        self.functions.get(id.0 as usize).map(|function| &**function)
    }

    #[inline]
    pub fn target(&self, id: MfaId) -> Target {
        self.targets.get(id.0 as usize).copied().unwrap_or(Target::Unknown)
    }

    pub fn mfa(&self, id: MfaId) -> Option<Mfa> {
        self.mfas.get_index(id.0 as usize).copied()
    }

    /// What a call from outside of the module means.
    pub fn resolve(&self, mfa: Mfa) -> Target {
        if let Some(bif) = bif::find(mfa) {
            return Target::Bif(bif);
        }
        self.resolve_code(mfa)
    }

    /// What tells funs of a function from others of its module on the VM, and the MD5 of the module.
    pub fn lambda(&self, id: FnId) -> Option<(Lambda, [u8; 16])> {
        let function = self.function(id)?;
        let module = self.module(function.module)?;
        let lambda = module.lambdas.get(&(function.mfa.function, function.mfa.arity))?;
        Some((*lambda, module.md5))
    }

    /// The code of an exported function. That of a native one is a call to what it means.
    pub fn entry(&self, mfa: Mfa) -> Option<FnId> {
        let index = (*self.by_name.get(&mfa.module)?)?;
        self.modules.get(index as usize)?.entries.get(&(mfa.function, mfa.arity)).copied()
    }

    /// The code of a function that need not be exported.
    pub fn local(&self, mfa: Mfa) -> Option<FnId> {
        let index = (*self.by_name.get(&mfa.module)?)?;
        self.modules.get(index as usize)?.names.get(&(mfa.function, mfa.arity)).copied()
    }

    /// What the module's own code says.
    fn resolve_code(&self, mfa: Mfa) -> Target {
        match self.by_name.get(&mfa.module) {
            // What the VM knows of a module takes none of its code.
            None if is_module_info(mfa) => Target::Host,
            None => Target::Unknown,
            Some(None) => bif::stand_in(mfa).map_or(Target::Host, Target::Bif),
            Some(Some(index)) => self
                .modules
                .get(*index as usize)
                .and_then(|module| module.exports.get(&(mfa.function, mfa.arity)).copied())
                .unwrap_or(Target::Undefined),
        }
    }

    /// The functions of this arity that a module exports, by name; `None` if it has no code here.
    pub fn exported(&self, module: AtomId, arity: usize) -> Option<Vec<AtomId>> {
        let index = (*self.by_name.get(&module)?)?;
        let exports = self.modules.get(index as usize)?.exports.keys();
        let mut names: Vec<AtomId> = exports.filter(|(_, of)| *of == arity).map(|(name, _)| *name).collect();
        names.sort_by_cached_key(|name| name.to_string());
        Some(names)
    }

    /// Atoms that the code of a module names, in the order of the code.
    pub fn atoms(&self, module: u32) -> &[AtomId] {
        let Some(info) = self.modules.get(module as usize) else { return &[] };
        info.atoms.get_or_init(|| {
            let heap = Heap::new(self.literals.clone());
            let functions = self.functions.iter().filter(|function| function.module == module);
            let mut found = IndexSet::<AtomId, FxBuildHasher>::default();
            for constant in functions.flat_map(|function| function.constants.iter()) {
                let mut rest = *constant;
                while rest.is_cons() && found.len() < MOST_ATOMS {
                    found.extend(atom(heap.head(rest)));
                    rest = heap.tail(rest);
                }
                found.extend(atom(rest));
            }
            found.into_iter().take(MOST_ATOMS).collect()
        })
    }

    /// True if a function that runs natively is called there as code is, unlike a built-in function.
    pub fn is_foreign(&self, mfa: Mfa) -> bool {
        match self.by_name.get(&mfa.module) {
            Some(Some(index)) => self
                .modules
                .get(*index as usize)
                .is_some_and(|module| module.foreign.contains(&(mfa.function, mfa.arity))),
            Some(None) => true,
            None => is_module_info(mfa),
        }
    }

    /// True if the host has said that it has no code of the module.
    pub fn is_without_code(&self, module: AtomId) -> bool {
        self.by_name.get(&module).is_some_and(Option::is_none)
    }

    /// True if it is so for a module that is there.
    pub fn is_native(&self, module: AtomId) -> bool {
        self.is_without_code(module) && !self.absent.contains(&module)
    }

    pub fn module(&self, index: u32) -> Option<&ModuleInfo> {
        self.modules.get(index as usize)
    }

    pub fn is_loaded(&self, module: AtomId) -> bool {
        self.by_name.contains_key(&module)
    }

    pub fn literals(&self) -> &Literals {
        &self.literals
    }

    pub fn clauses(&self) -> &[ClauseInfo] {
        &self.clauses
    }

    pub fn instructions(&self) -> usize {
        self.functions.iter().map(|function| function.code.len()).sum()
    }

    pub fn sites(&self) -> u32 {
        self.sites
    }

    /// The function that an instruction's site belongs to, and its position in it. None for sites that are no instruction.
    pub fn site(&self, site: crate::path::SiteId) -> Option<(&Function, usize)> {
        let (_, function, pc) = self.located(site)?;
        Some((function, pc))
    }

    /// The same, with the function's number.
    pub fn located(&self, site: crate::path::SiteId) -> Option<(FnId, &Function, usize)> {
        let index = self.functions.partition_point(|function| function.first_site <= site.0).checked_sub(1)?;
        let function = self.functions.get(index)?;
        let pc = (site.0 - function.first_site) as usize;
        (pc < function.code.len()).then_some((FnId(index as u32), function, pc))
    }

    fn add(&mut self, module: &Module, concrete: &[Mfa]) {
        let index = self.modules.len() as u32;
        let mut literals = LiteralBuilder::new(&self.literals);
        let mfas = &mut self.mfas;
        let lowered = lower::lower(
            module,
            lower::Context {
                mfa_id: &mut |mfa| MfaId(mfas.insert_full(mfa).0 as u32),
                literals: &mut literals,
                first_function: self.functions.len() as u32,
                first_site: self.sites,
                first_clause: self.clauses.len() as u32,
                module_index: index,
                concrete: &|function, arity| {
                    let mfa = Mfa { module: module.name, function, arity };
                    concrete.contains(&mfa) && module.exports.contains(&(function, arity))
                },
            },
        );
        self.literals = literals.finish();
        let exported = module.exports.iter().filter_map(|name| Some((*name, *lowered.names.get(name)?)));
        let entries: FxHashMap<_, _> = exported.collect();
        let mut exports: FxHashMap<_, _> =
            entries.iter().map(|(name, function)| (*name, Target::Function(*function))).collect();
        for native in &lowered.natives {
            exports.insert(*native, Target::Host);
        }
        self.functions.extend(lowered.functions.into_iter().map(Arc::new));
        self.clauses.extend(lowered.clauses);
        self.sites += lowered.sites;
        self.modules.push(ModuleInfo {
            name: module.name,
            files: module.files.iter().map(|file| Arc::from(file.as_str())).collect(),
            specs: Arc::new(Packed::pack(&module.heap, module.specs)),
            exports: Arc::new(exports),
            entries: Arc::new(entries),
            foreign: Arc::new(lowered.foreign.into_iter().collect()),
            md5: module.compiled.md5,
            lambdas: Arc::new(module.compiled.lambdas.iter().copied().collect()),
            names: Arc::new(lowered.names),
            atoms: Arc::default(),
        });
        self.by_name.insert(module.name, Some(index));
        self.bind();
    }

    fn bind(&mut self) {
        self.targets = self.mfas.iter().map(|mfa| self.resolve(*mfa)).collect();
    }
}

/// What runs natively only, although there may be code of it.
#[derive(Clone, Default, Debug, Hash)]
pub struct Concrete {
    pub modules: Vec<AtomId>,
    pub functions: Vec<Mfa>,
}

/// The loaded code, and the modules that are on their way.
#[derive(Default)]
pub struct Registry {
    concrete: Concrete,
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    view: Arc<CodeView>,
    way: Way,
    asked: Vec<AtomId>,
}

impl Registry {
    pub fn new(concrete: Concrete) -> Self {
        let state = State { way: Way::default().then(&concrete), ..State::default() };
        Registry { concrete, state: Mutex::new(state), ..Registry::default() }
    }

    pub fn view(&self) -> Arc<CodeView> {
        Arc::clone(&self.state.lock().view)
    }

    /// Takes the host's answer. Code that arrives twice is ignored.
    pub fn provide(&self, name: AtomId, answer: &Answer<'_>) -> Result<(), CodeError> {
        let result = self.install(name, answer);
        if result.is_err() {
            // Whoever waits for it must not wait for ever: its functions run natively.
            let _ = self.install(name, &Answer::Native);
        }
        self.arrived.notify_all();
        result
    }

    fn install(&self, name: AtomId, answer: &Answer<'_>) -> Result<(), CodeError> {
        let step = Way::default().then((name, answer));
        if self.install_kept(name, step) {
            return Ok(());
        }
        let module = match answer {
            Answer::Native | Answer::Absent => None,
            Answer::Tree(_) if self.concrete.modules.contains(&name) => None,
            Answer::Tree(etf) => Some(Module::read(etf)?),
        };
        if let Some(module) = &module
            && module.name != name
        {
            return Err(CodeError::OtherModule { asked: name, got: module.name });
        }
        let mut state = self.state.lock();
        if state.view.is_loaded(name) {
            return Ok(());
        }
        let mut view = CodeView::clone(&state.view);
        match module {
            Some(module) if !lower::has_hidden_natives(&module) => view.add(&module, &self.concrete.functions),
            Some(_) | None => {
                view.by_name.insert(name, None);
                if matches!(answer, Answer::Absent) {
                    view.absent.insert(name);
                }
                view.bind();
            }
        }
        state.view = Arc::new(view);
        state.way = state.way.then(step);
        state.way.keep(&state.view);
        Ok(())
    }

    /// Takes the snapshot of an earlier session that has loaded the same. False if there is none.
    fn install_kept(&self, name: AtomId, step: Way) -> bool {
        let mut state = self.state.lock();
        let way = state.way.then(step);
        let Some(view) = way.snapshot().filter(|_| !state.view.is_loaded(name)) else { return false };
        (state.view, state.way) = (view, way);
        true
    }

    /// Waits until a module is there; `ask` is called if nobody has asked for it before. False if `cancelled` came first.
    pub fn require(&self, module: AtomId, ask: impl FnOnce(), cancelled: impl Fn() -> bool) -> bool {
        let mut state = self.state.lock();
        if state.view.is_loaded(module) {
            return true;
        }
        if !state.asked.contains(&module) {
            state.asked.push(module);
            parking_lot::MutexGuard::unlocked(&mut state, ask);
        }
        while !state.view.is_loaded(module) {
            if cancelled() {
                return false;
            }
            self.arrived.wait_for(&mut state, Duration::from_millis(20));
        }
        true
    }
}
