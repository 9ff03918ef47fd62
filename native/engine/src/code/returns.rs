//! Which functions of a module never return: they raise, or go on for ever.
//!
//! The BEAM's compiler finds out, and makes every call of such a function a last call, so the calling function is in no stacktrace. The lowering
//! does the same. Only what follows from the shape of the code is seen here, not what follows from types.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Fun, Local, Module, Node, Primop};
use super::lower::static_mfa;
use super::read::nested;
use crate::term::AtomId;

type Name = (AtomId, usize);

/// The functions of a module that may return.
#[derive(Default)]
pub struct Returning {
    functions: FxHashSet<Name>,
}

impl Returning {
    pub fn of(module: &Module) -> Self {
        let functions: FxHashMap<Name, &Fun> = module
            .functions
            .iter()
            .map(|definition| ((definition.name, definition.fun.params.len()), &definition.fun))
            .collect();
        let mut known = Returning::default();
        // Who is to be looked at again once a function is known to return.
        let mut waiting: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
        let mut open: Vec<Name> = functions.keys().copied().collect();
        while let Some(name) = open.pop() {
            let Some(fun) = functions.get(&name).filter(|_| !known.functions.contains(&name)) else { continue };
            let mut search = Search { known: &known, locals: FxHashMap::default(), missed: Vec::new() };
            if search.node(&fun.body) {
                known.functions.insert(name);
                open.extend(waiting.remove(&name).unwrap_or_default());
            } else {
                let missed = search.missed;
                missed.into_iter().for_each(|callee| waiting.entry(callee).or_default().push(name));
            }
        }
        known
    }

    /// True if the function of that name may return. One that the module does not have may.
    pub fn function(&self, name: AtomId, arity: usize) -> bool {
        self.functions.contains(&(name, arity))
    }
}

/// Looks through one function, which may return if some way through it ends without an exception.
struct Search<'k> {
    known: &'k Returning,
    /// Functions of `letrec`, and whether they may return.
    locals: FxHashMap<Local, bool>,
    /// Functions that were taken not to return.
    missed: Vec<Name>,
}

impl Search<'_> {
    fn all<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) -> bool {
        nodes.into_iter().all(|node| self.node(node))
    }

    fn node(&mut self, node: &Node) -> bool {
        nested(|| self.node_here(node))
    }

    fn node_here(&mut self, node: &Node) -> bool {
        match node {
            Node::Literal(_) | Node::Var(_) | Node::Top(..) | Node::Local(_) | Node::Fun(_) | Node::Catch(..) => true,
            Node::Values(nodes) | Node::Tuple(nodes) => self.all(nodes),
            Node::List(nodes, tail) => self.all(nodes) && self.node(tail),
            Node::Map(_, arg, pairs) => {
                self.node(arg) && self.all(pairs.iter().flat_map(|pair| [&pair.key, &pair.value]))
            }
            Node::Binary(_, segments) => self.all(segments.iter().flat_map(|segment| [&segment.value, &segment.size])),
            Node::Let(_, first, second) | Node::Seq(first, second) => self.node(first) && self.node(second),
            Node::Case(_, arg, clauses) => self.node(arg) && clauses.iter().any(|clause| self.node(&clause.body)),
            Node::Letrec(functions, body) | Node::Goto(functions, body) => {
                self.letrec(functions);
                self.node(body)
            }
            Node::Apply(_, operator, args) => self.all(args) && self.callee(operator, args.len()),
            Node::Call(_, module, function, args) => self.all(args) && !raises(module, function, args.len()),
            Node::Primop(_, primop) => self.all(&primop.args) && !is_raising(primop),
            Node::Try(node) => (self.node(&node.arg) && self.node(&node.body)) || self.node(&node.handler),
        }
    }

    /// Functions that call each other: as long as one more of them is found to return, the others are looked at again. One alone, which is
    /// what compilers write, is looked at once.
    fn letrec(&mut self, functions: &[(Local, AtomId, Fun)]) {
        self.locals.extend(functions.iter().map(|(local, _, _)| (*local, false)));
        let mut found = true;
        while found {
            found = false;
            for (local, _, fun) in functions {
                if self.locals.get(local) == Some(&false) && self.node(&fun.body) {
                    self.locals.insert(*local, true);
                    found = true;
                }
            }
        }
    }

    fn callee(&mut self, operator: &Node, arity: usize) -> bool {
        match operator {
            Node::Local(local) => self.locals.get(local).copied().unwrap_or(true),
            Node::Top(name, _) if self.known.function(*name, arity) => true,
            Node::Top(name, _) => {
                self.missed.push((*name, arity));
                false
            }
            _ => self.node(operator),
        }
    }
}

/// Built-in functions that never return, as far as the compiler knows.
fn raises(module: &Node, function: &Node, arity: usize) -> bool {
    static_mfa(module, function, arity).is_some_and(|mfa| {
        mfa.module == AtomId::ERLANG
            && matches!((&*mfa.function.name(), arity), ("error", 1..=2) | ("exit" | "throw", 1))
    })
}

fn is_raising(primop: &Primop) -> bool {
    matches!(&*primop.name.name(), "match_fail" | "raise")
}
