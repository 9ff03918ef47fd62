//! From a module's tree to instructions.
//!
//! Every expression is compiled for a destination ([`Dest`]), so values are computed where they are needed and calls in tail position are
//! tail calls. Functions of `letrec` and funs become functions of their own with the variables they use as further parameters, in the order
//! and under the names that the BEAM's compiler gives them. Clauses are tested in order, left to right; what an earlier clause
//! has already decided about a symbolic value is not asked again, because the path knows it.

mod binaries;
mod calls;
mod clauses;
mod emit;
mod failing;
mod maps;

use std::sync::OnceLock;

pub(super) use clauses::static_mfa;
use rustc_hash::FxHashMap;

use super::ast::{Fun, Line, Local, Module, Node, Var};
use super::awaited::awaited;
use super::free::Uses;
use super::ir::{ClauseId, FnId, Function, Instr, Label, Mfa, MfaId, Slot, Src, Window};
use super::read::nested;
use super::returns::Returning;
use crate::term::{AtomId, LiteralBuilder, Packed, Value};

/// What lowering a module needs from the registry, and leaves there.
pub struct Context<'r> {
    pub mfa_id: &'r mut dyn FnMut(Mfa) -> MfaId,
    pub literals: &'r mut LiteralBuilder,
    /// Numbers from which this module's functions, sites and clauses go on.
    pub first_function: u32,
    pub first_site: u32,
    pub first_clause: u32,
    pub module_index: u32,
    /// Exported functions that are to run natively, although there is code.
    pub concrete: &'r dyn Fn(AtomId, usize) -> bool,
}

/// A module, ready to be registered.
pub struct Lowered {
    pub functions: Vec<Function>,
    pub clauses: Vec<ClauseInfo>,
    pub sites: u32,
    /// The functions that can be called from outside or by name inside, by name and arity.
    pub names: FxHashMap<(AtomId, usize), FnId>,
    /// Functions that run natively.
    pub natives: Vec<(AtomId, usize)>,
    /// Those of them that are no built-in functions.
    pub foreign: Vec<(AtomId, usize)>,
}

/// Where a clause stands, for coverage.
#[derive(Clone, Debug)]
pub struct ClauseInfo {
    pub function: FnId,
    pub line: Line,
    pub generated: bool,
}

pub fn lower<'r>(module: &'r Module, context: Context<'r>) -> Lowered {
    let names: FxHashMap<_, _> = module
        .functions
        .iter()
        .enumerate()
        .map(|(index, definition)| {
            let id = FnId(context.first_function + index as u32);
            ((definition.name, definition.fun.params.len()), id)
        })
        .collect();
    let mut lowering = Lowering {
        module,
        context,
        functions: module.functions.iter().map(|_| None).collect(),
        clauses: Vec::new(),
        names,
        locals: FxHashMap::default(),
        lifted: 0,
        top: (module.name, 0),
        returning: Returning::of(module),
    };
    let (mut natives, mut foreign) = (Vec::new(), Vec::new());
    for (index, definition) in module.functions.iter().enumerate() {
        let name = (definition.name, definition.fun.params.len());
        lowering.locals.clear();
        lowering.lifted = 0;
        lowering.top = name;
        if is_stub(&definition.fun) || (lowering.context.concrete)(name.0, name.1) {
            lowering.native(index, name);
            natives.push(name);
            if !fails_as_nif(&definition.fun) {
                foreign.push(name);
            }
        } else {
            lowering.function(index, definition.name, &definition.fun, &[]);
        }
    }
    let mut functions: Vec<Function> = lowering.functions.into_iter().flatten().collect();
    let sites = number_sites(&mut functions, lowering.context.first_site);
    Lowered { natives, foreign, sites, functions, clauses: lowering.clauses, names: lowering.names }
}

/// Gives the instructions their sites, in the order of the functions: that is how the function of a site is found. They are compiled in another
/// order, what a function contains before itself. Returns how many there are.
fn number_sites(functions: &mut [Function], first: u32) -> u32 {
    let mut next = first;
    for function in functions {
        function.first_site = next;
        next += function.code.len() as u32;
    }
    next - first
}

/// True if a function that only its own module can call is in a native library: then the module cannot be interpreted, because the host
/// could not call that function either.
pub fn has_hidden_natives(module: &Module) -> bool {
    module.functions.iter().any(|definition| {
        is_stub(&definition.fun) && !module.exports.contains(&(definition.name, definition.fun.params.len()))
    })
}

/// A function of a native library: marked as such by the compiler, or `erlang:nif_error(…)` and nothing else.
fn is_stub(fun: &Fun) -> bool {
    if let Node::Seq(first, _) = &*fun.body
        && let Node::Primop(_, primop) = &**first
        && &*primop.name.name() == "nif_start"
    {
        return true;
    }
    fails_as_nif(fun)
}

/// `erlang:nif_error(…)` and nothing else: a built-in function, since what a native library does is marked.
fn fails_as_nif(fun: &Fun) -> bool {
    let Node::Call(_, module, function, _) = &*fun.body else { return false };
    let (Node::Literal(module), Node::Literal(function)) = (&**module, &**function) else { return false };
    *module == Value::atom(AtomId::ERLANG) && *function == Value::atom(AtomId::intern("nif_error"))
}

/// True if a function begins by choosing one of the clauses that it is written with. The compiler leaves out a choice where there is only
/// one clause that takes everything; it puts code of its own on no line.
fn chooses_a_clause(fun: &Fun) -> bool {
    fun.line.number() == 0 || matches!(&*fun.body, Node::Case(line, ..) if line.number() == fun.line.number())
}

struct Lowering<'r> {
    module: &'r Module,
    context: Context<'r>,
    functions: Vec<Option<Function>>,
    clauses: Vec<ClauseInfo>,
    names: FxHashMap<(AtomId, usize), FnId>,
    locals: FxHashMap<Local, Lifted>,
    /// How many functions of `letrec` the function at hand has given so far.
    lifted: u32,
    top: (AtomId, usize),
    returning: Returning,
}

/// A function of `letrec`, on its own.
#[derive(Clone)]
struct Lifted {
    function: FnId,
    arity: usize,
    free: Vec<Var>,
}

impl Lowering<'_> {
    fn function_id(&self, index: usize) -> FnId {
        FnId(self.context.first_function + index as u32)
    }

    fn reserve(&mut self) -> usize {
        self.functions.push(None);
        self.functions.len() - 1
    }

    /// A function that runs natively: calls from its own module go the way of those from outside.
    fn native(&mut self, index: usize, (function, arity): (AtomId, usize)) {
        let mfa = Mfa { module: self.module.name, function, arity };
        let len = arity as u32;
        let args = Window { at: Slot(0), len };
        let code = vec![Instr::TailCallRemote { mfa: (self.context.mfa_id)(mfa), args }];
        let (constants, lines, unseen, behind) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let parts = Parts { code, constants, frame: len, lines, unseen, behind };
        self.install(index, mfa, len, parts);
    }

    /// Compiles a function whose parameters are followed by the variables it captures.
    fn function(&mut self, index: usize, name: AtomId, fun: &Fun, captured: &[Var]) {
        let params: Vec<Var> = fun.params.iter().chain(captured).copied().collect();
        let id = self.function_id(index);
        let written = index < self.module.functions.len() || fun.name.is_some();
        let mut body = Body::new(self, id, &params, Uses::of_fun(fun));
        body.begin = fun.line;
        body.line(fun.line);
        if written && !chooses_a_clause(fun) {
            body.enter(fun.line, false);
        }
        body.expr(&fun.body, Dest::Return);
        let parts = body.finish();
        let mfa = Mfa { module: self.module.name, function: name, arity: fun.arity.unwrap_or(params.len()) };
        self.install(index, mfa, fun.params.len() as u32, parts);
    }

    fn install(&mut self, index: usize, mfa: Mfa, params: u32, parts: Parts) {
        let Parts { code, constants, frame, lines, unseen, behind } = parts;
        let function = Function {
            mfa,
            module: self.context.module_index,
            code: code.into_boxed_slice(),
            constants: constants.into_boxed_slice(),
            frame,
            lines: lines.into_boxed_slice(),
            unseen: unseen.into_boxed_slice(),
            behind: behind.into_boxed_slice(),
            first_site: 0,
            params,
            liveness: OnceLock::new(),
        };
        if let Some(place) = self.functions.get_mut(index) {
            *place = Some(function);
        }
    }
}

/// Where the value of an expression goes.
#[derive(Clone, Copy)]
enum Dest<'d> {
    /// One slot for each value.
    Slots(&'d [Slot]),
    Return,
    /// Nobody looks at it.
    Effect,
}

/// The code of a function under construction.
struct Body<'l, 'r> {
    lowering: &'l mut Lowering<'r>,
    id: FnId,
    env: FxHashMap<Var, Src>,
    /// How many parameters there are, captured variables among them, and where the function stands.
    params: u32,
    begin: Line,
    uses: Uses,
    code: Vec<Instr>,
    constants: Vec<Value>,
    constant_index: FxHashMap<Value, u32>,
    /// The first slot that is not in use, and how many the frame needs.
    next: u32,
    frame: u32,
    lines: Vec<(u32, Line)>,
    unseen: Vec<u32>,
    behind: Vec<(u32, Line)>,
    labels: Vec<u32>,
    /// Where the functions of a `letrec` that is made of jumps begin, and where they expect their arguments.
    gotos: FxHashMap<Local, (Label, Vec<Slot>)>,
    /// Where a failing built-in function goes: set while a guard is compiled.
    guard: Option<Label>,
    /// How many handlers of exceptions are there around the code at hand.
    handlers: u32,
}

struct Parts {
    code: Vec<Instr>,
    constants: Vec<Value>,
    frame: u32,
    lines: Vec<(u32, Line)>,
    /// Instructions whose calls or functions stacktraces do not show.
    unseen: Vec<u32>,
    /// Calls, and the lines of what stands right behind them.
    behind: Vec<(u32, Line)>,
}

impl<'l, 'r> Body<'l, 'r> {
    fn new(lowering: &'l mut Lowering<'r>, id: FnId, params: &[Var], uses: Uses) -> Self {
        let env = params.iter().zip(0..).map(|(var, slot)| (*var, Src::slot(Slot(slot)))).collect();
        let next = params.len() as u32;
        Body {
            lowering,
            id,
            env,
            params: next,
            begin: Line::default(),
            uses,
            code: Vec::new(),
            constants: Vec::new(),
            constant_index: FxHashMap::default(),
            next,
            frame: next,
            lines: Vec::new(),
            unseen: Vec::new(),
            behind: Vec::new(),
            labels: Vec::new(),
            gotos: FxHashMap::default(),
            guard: None,
            handlers: 0,
        }
    }

    fn expr(&mut self, node: &Node, dest: Dest<'_>) {
        nested(|| self.expr_here(node, dest));
    }

    fn expr_here(&mut self, node: &Node, dest: Dest<'_>) {
        match node {
            Node::Literal(_) | Node::Var(_) => self.simple(node, dest),
            Node::Top(name, arity) => self.top_function(*name, *arity, dest),
            Node::Local(local) => self.local_function(*local, dest),
            Node::Values(nodes) => self.values(nodes, dest),
            Node::List(nodes, tail) => self.list(nodes, tail, dest),
            Node::Tuple(nodes) => self.tuple(nodes, dest),
            Node::Map(line, map, pairs) => self.map(*line, map, pairs, dest),
            Node::Binary(line, segments) => self.binary(*line, segments, dest),
            Node::Fun(fun) => self.fun(fun, dest),
            Node::Let(vars, arg, body) => self.let_in(vars, arg, body, dest),
            Node::Seq(first, second) => {
                self.expr(first, Dest::Effect);
                self.expr(second, dest);
            }
            Node::Case(line, arg, clauses) => self.case(*line, arg, clauses, dest),
            Node::Letrec(functions, body) => self.letrec(functions, body, dest),
            Node::Goto(functions, body) => self.goto(functions, body, dest),
            Node::Apply(line, operator, args) => self.apply(*line, operator, args, dest),
            Node::Call(line, module, function, args) => self.call(*line, (module, function), args, dest),
            Node::Primop(line, primop) => self.primop(*line, primop, dest),
            Node::Try(node) => self.try_of(node, dest),
            Node::Catch(line, body) => self.catch(*line, body, dest),
        }
    }

    /// The operand of an expression: its own place if it is a variable or a literal, else a new slot.
    fn operand(&mut self, node: &Node) -> Src {
        match node {
            Node::Literal(value) => self.literal(*value),
            Node::Var(var) => self.variable(*var),
            _ => {
                let slot = self.new_slot();
                self.expr(node, Dest::Slots(&[slot]));
                Src::slot(slot)
            }
        }
    }

    fn variable(&mut self, var: Var) -> Src {
        match self.env.get(&var) {
            Some(src) => *src,
            None => self.literal(Value::NIL),
        }
    }

    /// A literal of the module's tree, as a constant of this function.
    fn literal(&mut self, value: Value) -> Src {
        if value.is_pointer() {
            let packed = Packed::pack(&self.lowering.module.heap, value);
            return self.constant(&packed);
        }
        self.constant_value(value)
    }

    /// A term that lowering itself has made, as a constant of this function.
    fn constant(&mut self, term: &Packed) -> Src {
        let value = self.lowering.context.literals.add(term);
        self.constant_value(value)
    }

    fn constant_value(&mut self, value: Value) -> Src {
        let next = self.constants.len() as u32;
        let index = *self.constant_index.entry(value).or_insert(next);
        if index == next {
            self.constants.push(value);
        }
        Src::constant(index)
    }

    fn simple(&mut self, node: &Node, dest: Dest<'_>) {
        let src = self.operand(node);
        self.deliver(src, dest);
    }

    fn values(&mut self, nodes: &[Node], dest: Dest<'_>) {
        match dest {
            Dest::Slots(slots) if slots.len() == nodes.len() => {
                for (node, slot) in nodes.iter().zip(slots) {
                    self.expr(node, Dest::Slots(&[*slot]));
                }
            }
            Dest::Slots(_) | Dest::Effect => nodes.iter().for_each(|node| self.expr(node, Dest::Effect)),
            Dest::Return => match nodes {
                [node] => self.expr(node, dest),
                _ => self.emit(Instr::Unsupported { what: "several values returned from a function" }),
            },
        }
    }

    fn list(&mut self, nodes: &[Node], tail: &Node, dest: Dest<'_>) {
        let mark = self.next;
        let heads: Vec<Src> = nodes.iter().map(|node| self.operand(node)).collect();
        let mut tail = self.operand(tail);
        let slot = self.target(dest);
        for head in heads.into_iter().rev() {
            self.emit(Instr::Cons { dst: slot, head, tail });
            tail = Src::slot(slot);
        }
        self.done(slot, dest);
        self.next = mark;
    }

    fn tuple(&mut self, nodes: &[Node], dest: Dest<'_>) {
        let mark = self.next;
        let elements = self.window(nodes);
        let slot = self.target(dest);
        self.emit(Instr::Tuple { dst: slot, elements });
        self.done(slot, dest);
        self.next = mark;
    }

    /// Evaluates the expressions into consecutive new slots.
    fn window(&mut self, nodes: &[Node]) -> Window {
        let at = self.next;
        let len = nodes.len() as u32;
        self.take_slots(len);
        for (node, slot) in nodes.iter().zip(at..) {
            self.expr(node, Dest::Slots(&[Slot(slot)]));
        }
        Window { at: Slot(at), len }
    }

    /// Copies variables into consecutive new slots.
    fn copies(&mut self, vars: &[Var]) -> Window {
        let at = self.next;
        let len = vars.len() as u32;
        self.take_slots(len);
        for (var, slot) in vars.iter().zip(at..) {
            let src = self.variable(*var);
            self.emit(Instr::Move { dst: Slot(slot), src });
        }
        Window { at: Slot(at), len }
    }

    fn let_in(&mut self, vars: &[Var], arg: &Node, body: &Node, dest: Dest<'_>) {
        let mark = self.next;
        if let Some(var) = awaited(vars, arg, body) {
            let than = self.variable(var);
            self.emit(Instr::SkipOlder { than });
        }
        match (vars, arg) {
            ([var], Node::Literal(_) | Node::Var(_)) => {
                let src = self.operand(arg);
                self.env.insert(*var, src);
            }
            _ => {
                let slots = self.bind_slots(vars);
                self.expr(arg, Dest::Slots(&slots));
            }
        }
        self.expr(body, dest);
        self.next = mark;
    }

    /// A new slot for each variable.
    fn bind_slots(&mut self, vars: &[Var]) -> Vec<Slot> {
        vars.iter()
            .map(|var| {
                let slot = self.new_slot();
                self.env.insert(*var, Src::slot(slot));
                slot
            })
            .collect()
    }
}
