//! Reads a module's tree from external term format and resolves its names.

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use super::ast::{
    Association, Clause, Compiled, Definition, Fun, Lambda, Line, Local, Module, Node, Pattern, Primop, Raiser,
    Segment, Try, Var,
};
use super::lower::static_mfa;
use crate::term::{AtomId, Heap, Literals, Value, View, bits, etf};

/// Why a module's tree was not understood.
#[derive(Debug, Error)]
pub enum AstError {
    #[error("the code of the module is not in external term format: {0}")]
    Format(#[from] etf::DecodeError),
    #[error("the code of the module is not in the format this engine reads (version {VERSION}); rebuild cuter")]
    Version,
    #[error("module {module}: expected {expected}, got {got}")]
    Unexpected { module: AtomId, expected: &'static str, got: String },
    #[error("module {module}: variable {name} is not bound")]
    Unbound { module: AtomId, name: String },
}

const VERSION: i64 = 6;
const RED_ZONE: usize = 128 * 1024;
const STACK_STEP: usize = 4 * 1024 * 1024;

/// Runs `f` with enough stack for one more level of a program's nesting.
pub(super) fn nested<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, STACK_STEP, f)
}

pub(super) fn module(etf: &[u8]) -> Result<Module, AstError> {
    let mut heap = Heap::new(Literals::default());
    let root = etf::decode(&mut heap, etf)?;
    let fields: Vec<Value> = tuple_elements(&heap, root);
    let [tag, version, name, files, exports, functions, specs, compiled] = fields.as_slice() else {
        return Err(AstError::Version);
    };
    if *tag != Value::atom(AtomId::intern("cuter_module")) || *version != Value::count(VERSION as usize) {
        return Err(AstError::Version);
    }
    let name = if name.is_atom() { name.as_atom() } else { return Err(AstError::Version) };
    let mut reader =
        Reader { heap: &heap, module: name, file: 0, scope: Scope::default(), known: FxHashSet::default() };
    let files = reader.each(*files, |reader, file| reader.text(file))?;
    let exports = reader.each(*exports, Reader::export)?;
    let functions = reader.each(*functions, Reader::definition)?;
    let compiled = reader.compiled(*compiled)?;
    let specs = *specs;
    Ok(Module { name, files, exports, functions, specs, compiled, heap })
}

fn tuple_elements(heap: &Heap, value: Value) -> Vec<Value> {
    match heap.view(value) {
        View::Tuple(_, arity) => (0..arity).map(|index| heap.element(value, index)).collect(),
        _ => Vec::new(),
    }
}

/// Names in scope. Leaving a scope restores what it shadowed.
#[derive(Default)]
struct Scope {
    vars: FxHashMap<Value, Var>,
    locals: FxHashMap<(AtomId, usize), Local>,
    shadowed: Vec<Shadowed>,
    next_var: u32,
    next_local: u32,
}

/// A name and what it meant before it was bound again.
enum Shadowed {
    Var(Value, Option<Var>),
    Local((AtomId, usize), Option<Local>),
}

impl Scope {
    fn bind(&mut self, name: Value) -> Var {
        let var = Var(self.next_var);
        self.next_var += 1;
        let before = self.vars.insert(name, var);
        self.shadowed.push(Shadowed::Var(name, before));
        var
    }

    fn bind_local(&mut self, name: (AtomId, usize)) -> Local {
        let local = Local(self.next_local);
        self.next_local += 1;
        let before = self.locals.insert(name, local);
        self.shadowed.push(Shadowed::Local(name, before));
        local
    }

    fn leave(&mut self, mark: usize) {
        for shadowed in self.shadowed.drain(mark..).rev() {
            match shadowed {
                Shadowed::Var(name, Some(var)) => drop(self.vars.insert(name, var)),
                Shadowed::Var(name, None) => drop(self.vars.remove(&name)),
                Shadowed::Local(name, Some(local)) => drop(self.locals.insert(name, local)),
                Shadowed::Local(name, None) => drop(self.locals.remove(&name)),
            }
        }
    }
}

struct Reader<'h> {
    heap: &'h Heap,
    module: AtomId,
    /// The number of the file that the function being read comes from.
    file: u32,
    scope: Scope,
    /// Variables of the function that stand for an atom or a small integer, which a pattern has beside them.
    known: FxHashSet<Var>,
}

type Read<T> = Result<T, AstError>;

impl Reader<'_> {
    /// The compiler changes over what it knows and what it does not: first literals, later variables that stand for one.
    fn is_moved_behind(&self, node: &Node, other: &Node) -> bool {
        let is_known = |node: &Node| matches!(node, Node::Var(var) if self.known.contains(var));
        let is_literal = |node: &Node| matches!(node, Node::Literal(_));
        !is_literal(other) && (is_literal(node) || is_known(node) && !is_known(other))
    }

    fn unexpected<T>(&self, expected: &'static str, got: Value) -> Read<T> {
        let mut got = crate::term::print::term_to_string(self.heap, got);
        if let Some((end, _)) = got.char_indices().nth(200) {
            got.truncate(end);
            got.push('…');
        }
        Err(AstError::Unexpected { module: self.module, expected, got })
    }

    // Plain data

    fn each<T>(&mut self, list: Value, mut read: impl FnMut(&mut Self, Value) -> Read<T>) -> Read<Vec<T>> {
        let mut items = Vec::new();
        let mut rest = list;
        while rest.is_cons() {
            items.push(read(self, self.heap.head(rest))?);
            rest = self.heap.tail(rest);
        }
        if rest.is_nil() { Ok(items) } else { self.unexpected("a proper list", list) }
    }

    fn atom(&self, value: Value) -> Read<AtomId> {
        if value.is_atom() { Ok(value.as_atom()) } else { self.unexpected("an atom", value) }
    }

    fn number(&self, value: Value) -> Read<u32> {
        match u32::try_from(value.as_small()) {
            Ok(number) if value.is_small() => Ok(number),
            _ => self.unexpected("a small number", value),
        }
    }

    fn line(&self, value: Value) -> Read<Line> {
        if value == Value::atom(AtomId::intern("nowhere")) {
            return Ok(Line::NOWHERE);
        }
        if let [_, line, next] = tuple_elements(self.heap, value)[..] {
            return Ok(self.line(line)?.before(self.line(next)?));
        }
        if let [file, line] = tuple_elements(self.heap, value)[..] {
            if file == Value::atom(AtomId::intern("unseen")) {
                return Ok(self.line(line)?.unseen());
            }
            return Ok(Line::new(self.number(file)?, self.number(line)?));
        }
        Ok(Line::new(self.file, self.number(value)?))
    }

    /// The line of something that can fail, or be returned to: without one the VM shows no place for it.
    fn place(&self, value: Value) -> Read<Line> {
        let line = self.line(value)?;
        Ok(match (line.is_known(), line.is_unseen()) {
            (true, _) => line,
            (false, true) => Line::NOWHERE.unseen(),
            (false, false) => Line::NOWHERE,
        })
    }

    fn text(&self, value: Value) -> Read<String> {
        match self.heap.view(value) {
            View::Bits(bits) if bits.offset % 8 == 0 => {
                let bytes =
                    (0..bits.length / 8).map(|i| self.heap.byte(bits.base, bits.offset / 8 + i)).collect::<Vec<u8>>();
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            _ => self.unexpected("a binary", value),
        }
    }

    fn function_name(&self, value: Value) -> Read<(AtomId, usize)> {
        match tuple_elements(self.heap, value).as_slice() {
            [name, arity] => Ok((self.atom(*name)?, self.number(*arity)? as usize)),
            _ => self.unexpected("a function name", value),
        }
    }

    fn export(&mut self, value: Value) -> Read<(AtomId, usize)> {
        self.function_name(value)
    }

    /// `{Md5, [{Name, Arity, Index, Uniq}]}`
    fn compiled(&mut self, value: Value) -> Read<Compiled> {
        let [md5, lambdas] = tuple_elements(self.heap, value)[..] else {
            return self.unexpected("what is known of the compiled code", value);
        };
        let md5 = match self.heap.view(md5) {
            View::Bits(bits) => bits::to_bytes(self.heap, bits).try_into().ok(),
            _ => None,
        };
        let Some(md5) = md5 else { return self.unexpected("16 bytes", value) };
        Ok(Compiled { md5, lambdas: self.each(lambdas, |reader, lambda| reader.lambda(lambda))? })
    }

    fn lambda(&self, value: Value) -> Read<((AtomId, usize), Lambda)> {
        match tuple_elements(self.heap, value)[..] {
            [name, arity, index, uniq] => {
                let lambda = Lambda { index: self.number(index)?, uniq: self.number(uniq)? };
                Ok(((self.atom(name)?, self.number(arity)? as usize), lambda))
            }
            _ => self.unexpected("a function of a fun", value),
        }
    }

    fn raiser(&self, value: Value) -> Read<Raiser> {
        match tuple_elements(self.heap, value).as_slice() {
            [_by, name, how] => {
                let (name, last) = (self.atom(*name)?, *how == Value::atom(AtomId::intern("last")));
                Ok(Raiser::Function { name, last })
            }
            [] if value == Value::atom(AtomId::intern("itself")) => Ok(Raiser::Itself),
            [] => Ok(Raiser::Unknown),
            _ => self.function_name(value).map(|(name, arity)| Raiser::Clauses(name, arity)),
        }
    }

    fn definition(&mut self, value: Value) -> Read<Definition> {
        let [name, _arity, file, fun] = tuple_elements(self.heap, value)[..] else {
            return self.unexpected("a function definition", value);
        };
        self.scope = Scope::default();
        self.known.clear();
        self.file = self.number(file)?;
        Ok(Definition { name: self.atom(name)?, fun: self.fun(fun)? })
    }

    // Names

    fn bind_all(&mut self, names: Value) -> Read<Vec<Var>> {
        self.each(names, |reader, name| Ok(reader.scope.bind(name)))
    }

    /// Reads with the names as they are now, and forgets what was bound meanwhile.
    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let mark = self.scope.shadowed.len();
        let result = read(self);
        self.scope.leave(mark);
        result
    }

    fn var(&self, name: Value) -> Read<Var> {
        match self.scope.vars.get(&name) {
            Some(var) => Ok(*var),
            None => Err(AstError::Unbound {
                module: self.module,
                name: crate::term::print::term_to_string(self.heap, name),
            }),
        }
    }

    // Expressions

    fn boxed(&mut self, value: Value) -> Read<Box<Node>> {
        Ok(Box::new(self.node(value)?))
    }

    fn nodes(&mut self, list: Value) -> Read<Vec<Node>> {
        self.each(list, Self::node)
    }

    fn node(&mut self, value: Value) -> Read<Node> {
        nested(|| self.node_here(value))
    }

    fn node_here(&mut self, value: Value) -> Read<Node> {
        let fields = tuple_elements(self.heap, value);
        let Some((tag, rest)) = fields.split_first() else { return self.unexpected("a node", value) };
        let tag = self.atom(*tag)?;
        match (&*tag.name(), rest) {
            ("lit", [term]) => Ok(Node::Literal(*term)),
            ("var", [name]) => Ok(Node::Var(self.var(*name)?)),
            ("fname", [name, arity]) => self.fname(*name, *arity),
            ("values", [nodes]) => Ok(Node::Values(self.nodes(*nodes)?)),
            ("list", [nodes, tail]) => Ok(Node::List(self.nodes(*nodes)?, self.boxed(*tail)?)),
            ("tuple", [nodes]) => Ok(Node::Tuple(self.nodes(*nodes)?)),
            ("map", [line, arg, pairs]) => {
                Ok(Node::Map(self.place(*line)?, self.boxed(*arg)?, self.each(*pairs, Self::association)?))
            }
            ("binary", [line, segments]) => {
                let segments = self.each(*segments, |reader, segment| reader.segment(segment, Self::node))?;
                Ok(Node::Binary(self.place(*line)?, segments))
            }
            ("fun", _) => Ok(Node::Fun(self.scoped(|reader| reader.fun(value))?)),
            ("let", [vars, arg, body]) => {
                let arg = self.boxed(*arg)?;
                self.scoped(|reader| Ok(Node::Let(reader.bind_all(*vars)?, arg, reader.boxed(*body)?)))
            }
            ("seq", [first, second]) => Ok(Node::Seq(self.boxed(*first)?, self.boxed(*second)?)),
            ("case", [line, arg, clauses]) => {
                let arg = self.boxed(*arg)?;
                Ok(Node::Case(self.line(*line)?, arg, self.each(*clauses, Self::clause)?))
            }
            ("letrec", [kind, functions, body]) => self.scoped(|reader| reader.letrec(*kind, *functions, *body)),
            ("apply", [line, operator, args]) => {
                Ok(Node::Apply(self.place(*line)?, self.boxed(*operator)?, self.nodes(*args)?))
            }
            ("call", [line, module, function, args]) => {
                let (module, function) = (self.boxed(*module)?, self.boxed(*function)?);
                let mut args = self.nodes(*args)?;
                if let [a, b] = args.as_slice()
                    && is_commutative(&module, &function)
                    && self.is_moved_behind(a, b)
                {
                    args.swap(0, 1);
                }
                Ok(Node::Call(self.place(*line)?, module, function, args))
            }
            ("primop", [line, name, args, raiser]) => {
                let (args, raiser) = (self.nodes(*args)?, self.raiser(*raiser)?);
                let primop = Primop { name: self.atom(*name)?, args, raiser };
                // Others go on in the line before.
                let is_failure = primop.name == AtomId::intern("match_fail");
                Ok(Node::Primop(if is_failure { self.place(*line)? } else { self.line(*line)? }, primop))
            }
            ("try", [line, arg, vars, body, exception, handler]) => {
                let (line, arg) = (self.line(*line)?, self.node(*arg)?);
                let (vars, body) = self.scoped(|reader| Ok((reader.bind_all(*vars)?, reader.node(*body)?)))?;
                let (exception, handler) =
                    self.scoped(|reader| Ok((reader.bind_all(*exception)?, reader.node(*handler)?)))?;
                Ok(Node::Try(Box::new(Try { line, arg, vars, body, exception, handler })))
            }
            ("catch", [line, body]) => Ok(Node::Catch(self.line(*line)?, self.boxed(*body)?)),
            _ => self.unexpected("a node", value),
        }
    }

    fn fname(&self, name: Value, arity: Value) -> Read<Node> {
        let (name, arity) = (self.atom(name)?, self.number(arity)? as usize);
        Ok(match self.scope.locals.get(&(name, arity)) {
            Some(local) => Node::Local(*local),
            None => Node::Top(name, arity),
        })
    }

    fn fun(&mut self, value: Value) -> Read<Fun> {
        match tuple_elements(self.heap, value)[..] {
            [_, line, params, body, name] => {
                let (name, arity) = match tuple_elements(self.heap, name)[..] {
                    [name, arity] => (self.atom(name)?, Some(self.number(arity)? as usize)),
                    _ => (self.atom(name)?, None),
                };
                Ok(Fun {
                    line: self.line(line)?,
                    params: self.bind_all(params)?,
                    body: self.boxed(body)?,
                    name: (name != AtomId::UNDEFINED).then_some(name),
                    arity,
                })
            }
            _ => self.unexpected("a fun", value),
        }
    }

    fn letrec(&mut self, kind: Value, functions: Value, body: Value) -> Read<Node> {
        let named = self.each(functions, |reader, function| {
            let [name, arity, fun] = tuple_elements(reader.heap, function)[..] else {
                return reader.unexpected("a function of letrec", function);
            };
            let (name, arity) = (reader.atom(name)?, reader.number(arity)? as usize);
            Ok((reader.scope.bind_local((name, arity)), name, fun))
        })?;
        let mut functions = Vec::with_capacity(named.len());
        for (local, name, fun) in named {
            functions.push((local, name, self.scoped(|reader| reader.fun(fun))?));
        }
        let body = self.boxed(body)?;
        let is_goto = &*self.atom(kind)?.name() == "goto";
        Ok(if is_goto { Node::Goto(functions, body) } else { Node::Letrec(functions, body) })
    }

    fn association(&mut self, value: Value) -> Read<Association> {
        let [kind, key, term] = tuple_elements(self.heap, value)[..] else {
            return self.unexpected("an association", value);
        };
        let exact = &*self.atom(kind)?.name() == "exact";
        Ok(Association { exact, key: self.node(key)?, value: self.node(term)? })
    }

    fn segment<T>(&mut self, value: Value, read: impl FnOnce(&mut Self, Value) -> Read<T>) -> Read<Segment<T>> {
        let [_, part, size, unit, kind, flags, number] = tuple_elements(self.heap, value)[..] else {
            return self.unexpected("a segment", value);
        };
        // The size belongs to the scope before the segment's own variable.
        let size = self.node(size)?;
        let unit = if unit.is_small() { self.number(unit)? } else { 1 };
        Ok(Segment {
            value: read(self, part)?,
            size,
            unit,
            kind: self.atom(kind)?,
            flags: self.each(flags, |reader, flag| reader.atom(flag))?,
            number: self.number(number)?,
        })
    }

    // Patterns

    fn clause(&mut self, value: Value) -> Read<Clause> {
        let [_, line, patterns, guard, body, generated] = tuple_elements(self.heap, value)[..] else {
            return self.unexpected("a clause", value);
        };
        self.scoped(|reader| {
            Ok(Clause {
                line: reader.line(line)?,
                patterns: reader.each(patterns, Self::pattern)?,
                guard: reader.node(guard)?,
                body: reader.node(body)?,
                generated: generated.is_true(),
            })
        })
    }

    fn pattern(&mut self, value: Value) -> Read<Pattern> {
        nested(|| self.pattern_here(value))
    }

    fn pattern_here(&mut self, value: Value) -> Read<Pattern> {
        let fields = tuple_elements(self.heap, value);
        let Some((tag, rest)) = fields.split_first() else { return self.unexpected("a pattern", value) };
        match (&*self.atom(*tag)?.name(), rest) {
            ("lit", [term]) => Ok(Pattern::Literal(*term)),
            ("var", [name]) => Ok(Pattern::Var(self.scope.bind(*name))),
            ("alias", [name, pattern]) => {
                let var = self.scope.bind(*name);
                let pattern = self.pattern(*pattern)?;
                if matches!(pattern, Pattern::Literal(value) if value.is_atom() || value.is_small()) {
                    self.known.insert(var);
                }
                Ok(Pattern::Alias(var, Box::new(pattern)))
            }
            ("list", [patterns, tail]) => {
                let patterns = self.each(*patterns, Self::pattern)?;
                Ok(Pattern::List(patterns, Box::new(self.pattern(*tail)?)))
            }
            ("tuple", [patterns]) => Ok(Pattern::Tuple(self.each(*patterns, Self::pattern)?)),
            ("map", [_line, pairs]) => Ok(Pattern::Map(self.each(*pairs, |reader, pair| {
                let [_, key, pattern] = tuple_elements(reader.heap, pair)[..] else {
                    return reader.unexpected("an association", pair);
                };
                Ok((reader.node(key)?, reader.pattern(pattern)?))
            })?)),
            ("binary", [_line, segments]) => {
                Ok(Pattern::Binary(self.each(*segments, |reader, segment| reader.segment(segment, Self::pattern))?))
            }
            _ => self.unexpected("a pattern", value),
        }
    }
}

/// Operators whose operands the BEAM's compiler changes over, as exceptions show: what it knows stands second.
const COMMUTATIVE: &[&str] = &["+", "*", "band", "bor", "bxor", "and", "or", "xor"];

fn is_commutative(module: &Node, function: &Node) -> bool {
    static_mfa(module, function, 2)
        .is_some_and(|mfa| mfa.module == AtomId::ERLANG && COMMUTATIVE.contains(&&*mfa.function.name()))
}
