//! The variables that a function uses but does not bind.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Clause, Fun, Local, Node, Pattern, Var};
use super::read::nested;

/// What a piece of code refers to: variables, and functions of enclosing `letrec`s.
#[derive(Default)]
pub struct Uses {
    pub vars: FxHashMap<Var, u32>,
    pub locals: FxHashSet<Local>,
}

impl Uses {
    pub fn of_fun(fun: &Fun) -> Self {
        let mut uses = Uses::default();
        uses.node(&fun.body);
        uses
    }

    /// True if the variable is mentioned.
    pub fn contains(&self, var: Var) -> bool {
        self.vars.contains_key(&var)
    }

    fn all<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        nested(|| self.node_here(node));
    }

    fn node_here(&mut self, node: &Node) {
        match node {
            Node::Literal(_) | Node::Top(..) => {}
            Node::Var(var) => *self.vars.entry(*var).or_default() += 1,
            Node::Local(local) => drop(self.locals.insert(*local)),
            Node::Values(nodes) | Node::Tuple(nodes) => self.all(nodes),
            Node::List(nodes, tail) => {
                self.all(nodes);
                self.node(tail);
            }
            Node::Map(_, arg, pairs) => {
                self.node(arg);
                self.all(pairs.iter().flat_map(|pair| [&pair.key, &pair.value]));
            }
            Node::Binary(_, segments) => self.all(segments.iter().flat_map(|segment| [&segment.value, &segment.size])),
            Node::Fun(fun) => self.node(&fun.body),
            Node::Let(_, a, b) | Node::Seq(a, b) => {
                self.node(a);
                self.node(b);
            }
            Node::Case(_, arg, clauses) => {
                self.node(arg);
                for clause in clauses {
                    self.clause(clause);
                }
            }
            Node::Letrec(functions, body) | Node::Goto(functions, body) => {
                self.all(functions.iter().map(|(_, _, fun)| &*fun.body));
                self.node(body);
            }
            Node::Apply(_, operator, args) => {
                self.node(operator);
                self.all(args);
            }
            Node::Call(_, module, function, args) => {
                self.all([&**module, &**function]);
                self.all(args);
            }
            Node::Primop(_, primop) => self.all(&primop.args),
            Node::Try(node) => self.all([&node.arg, &node.body, &node.handler]),
            Node::Catch(_, body) => self.node(body),
        }
    }

    fn clause(&mut self, clause: &Clause) {
        for pattern in &clause.patterns {
            self.pattern(pattern);
        }
        self.all([&clause.guard, &clause.body]);
    }

    /// Only keys of maps and sizes of segments are uses.
    fn pattern(&mut self, pattern: &Pattern) {
        nested(|| match pattern {
            Pattern::Literal(_) | Pattern::Var(_) => {}
            Pattern::Alias(_, inner) => self.pattern(inner),
            Pattern::List(patterns, tail) => {
                patterns.iter().for_each(|pattern| self.pattern(pattern));
                self.pattern(tail);
            }
            Pattern::Tuple(patterns) => patterns.iter().for_each(|pattern| self.pattern(pattern)),
            Pattern::Map(pairs) => {
                for (key, pattern) in pairs {
                    self.node(key);
                    self.pattern(pattern);
                }
            }
            Pattern::Binary(segments) => {
                for segment in segments {
                    self.node(&segment.size);
                    self.pattern(&segment.value);
                }
            }
        });
    }
}
