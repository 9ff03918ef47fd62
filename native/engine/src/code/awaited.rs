//! What every message that a `receive` takes has to contain.
//!
//! A `receive` that waits for an answer compares a part of each message with the reference of the question. Messages that came before the reference was
//! made cannot contain it, so they need not be looked at. The BEAM's compiler finds such a `receive` too, and marks it.

use std::collections::BTreeSet;

use super::ast::{Clause, Node, Pattern, Primop, Var};
use super::lower::static_mfa;
use super::read::nested;
use crate::term::{AtomId, Value};

/// A variable that all clauses of a `receive` compare a part of the message with, in the code that looks at the next message:
/// `let <Found, Message> = recv_peek_message() in case Found of …`.
pub(super) fn awaited(vars: &[Var], peek: &Node, body: &Node) -> Option<Var> {
    let [found, message] = vars else { return None };
    if !is_primop(peek, "recv_peek_message") {
        return None;
    }
    let found = clauses_of(body, *found)?.first()?;
    let (taking, _): (Vec<&Clause>, Vec<&Clause>) =
        clauses_of(&found.body, *message)?.iter().partition(|clause| !passes_on(&clause.body));
    let mut common = taking.iter().map(|clause| required(clause));
    let first = common.next()?;
    common.fold(first, |all, some| all.intersection(&some).copied().collect()).first().copied()
}

fn clauses_of(node: &Node, subject: Var) -> Option<&[Clause]> {
    match node {
        Node::Case(_, arg, clauses) if matches!(&**arg, Node::Var(var) if *var == subject) => Some(clauses),
        _ => None,
    }
}

fn is_primop(node: &Node, name: &str) -> bool {
    matches!(node, Node::Primop(_, Primop { name: known, .. }) if &*known.name() == name)
}

/// The clause that leaves the message where it is.
fn passes_on(body: &Node) -> bool {
    matches!(body, Node::Seq(first, _) if is_primop(first, "recv_next"))
}

/// The variables from outside that are part of every message which the clause takes.
fn required(clause: &Clause) -> BTreeSet<Var> {
    let mut demands = Demands::default();
    clause.patterns.iter().for_each(|pattern| demands.pattern(pattern));
    demands.holds(&clause.guard);
    let Demands { parts, equal, .. } = demands;
    let outside = |a: Var, b: Var| (parts.contains(&a) && !parts.contains(&b)).then_some(b);
    equal.into_iter().filter_map(|(a, b)| outside(a, b).or(outside(b, a))).chain(demands.keys).collect()
}

#[derive(Default)]
struct Demands<'n> {
    /// Variables that are bound to parts of the message.
    parts: BTreeSet<Var>,
    /// Keys of maps in it.
    keys: Vec<Var>,
    /// What is compared.
    equal: Vec<(Var, Var)>,
    /// What variables of the guard stand for.
    meanings: Vec<(Var, &'n Node)>,
}

impl<'n> Demands<'n> {
    fn pattern(&mut self, pattern: &'n Pattern) {
        nested(|| match pattern {
            Pattern::Literal(_) => {}
            Pattern::Var(var) => drop(self.parts.insert(*var)),
            Pattern::Alias(var, inner) => {
                self.parts.insert(*var);
                self.pattern(inner);
            }
            Pattern::List(heads, tail) => {
                heads.iter().for_each(|head| self.pattern(head));
                self.pattern(tail);
            }
            Pattern::Tuple(elements) => elements.iter().for_each(|element| self.pattern(element)),
            Pattern::Map(pairs) => {
                for (key, value) in pairs {
                    if let Node::Var(key) = key {
                        self.keys.push(*key);
                    }
                    self.pattern(value);
                }
            }
            Pattern::Binary(segments) => segments.iter().for_each(|segment| self.pattern(&segment.value)),
        });
    }

    /// What has to be equal for a guard to hold. It may demand more than is found here.
    fn holds(&mut self, guard: &'n Node) {
        nested(|| match guard {
            Node::Let(vars, arg, body) => {
                if let [var] = vars.as_slice() {
                    self.meanings.push((*var, arg));
                }
                self.holds(body);
            }
            Node::Var(var) => {
                if let Some(place) = self.meanings.iter().position(|(known, _)| known == var) {
                    let (_, meaning) = self.meanings.swap_remove(place);
                    self.holds(meaning);
                }
            }
            Node::Call(_, module, function, args) => self.call_holds(module, function, args),
            Node::Try(node) if is_false(&node.handler) && is_result(&node.vars, &node.body) => self.holds(&node.arg),
            _ => {}
        });
    }

    fn call_holds(&mut self, module: &Node, function: &Node, args: &'n [Node]) {
        let (Some(mfa), [a, b]) = (static_mfa(module, function, args.len()), args) else { return };
        if mfa.module != AtomId::ERLANG {
            return;
        }
        match (&*mfa.function.name(), a, b) {
            ("and", _, _) => [a, b].into_iter().for_each(|part| self.holds(part)),
            ("=:=", Node::Var(a), Node::Var(b)) => self.equal.push((*a, *b)),
            _ => {}
        }
    }
}

fn is_false(node: &Node) -> bool {
    matches!(node, Node::Literal(value) if *value == Value::boolean(false))
}

fn is_result(vars: &[Var], body: &Node) -> bool {
    matches!((vars, body), ([var], Node::Var(result)) if var == result)
}
