//! Conditions as guards of Erlang, for people to read.
//!
//! Not every condition can be written as a guard (the inside of a bitstring, a call of a fun), and a long one helps nobody: then there is none.

mod numbers;
mod write;

use rustc_hash::{FxHashMap, FxHashSet};

use numbers::{Bound, Item};
use write::{Writer, YES};

use super::arena::{Arena, SymId};
use super::expr::Expr;
use super::tags::Tags;

/// Guards with more parts than this are not written.
const MOST_PARTS: usize = 8;
/// Nor are those that many conditions are behind.
const MOST_CONDITIONS: usize = 10_000;
/// How deep type tests are looked for in alternatives.
const TYPE_DEPTH: u32 = 6;
/// How deep expressions are written.
const DEPTH: u32 = 12;

/// The types that a term can have, by what is known of the inputs.
pub type OpenTags<'a> = &'a dyn Fn(SymId) -> Tags;

/// The conjunction of conditions, each of which holds or not, over the inputs `X1`, `X2` … What follows from the types is left out.
pub fn guard(arena: &Arena, conditions: &[(SymId, bool)], open: OpenTags<'_>) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let known = Facts::new(arena, &flat(arena, conditions, open)?);
    // Of alternatives, what type tests and equalities beside them leave.
    let left = |term: SymId| known.types(arena, term).unwrap_or(Tags::ANY) & open(term);
    let conditions = flat(arena, conditions, &left)?;
    let mut facts = Facts::new(arena, &conditions);
    let items = numbers::joined(arena, &conditions, |term| facts.types(arena, term).unwrap_or(Tags::ANY));
    facts.take_bounds(&items);
    let writer = Writer { arena, open };
    for item in items {
        let role = match item {
            Item::Condition(condition, holds) => facts.role(arena, condition, holds),
            Item::Bound(bound) => facts.bound_role(bound),
        };
        let part = match role {
            Role::Implied => continue,
            Role::Type(term, tags) => writer.type_test(term, tags, DEPTH)?,
            Role::Same(a, b) => writer.equality(a, b, DEPTH)?,
            Role::Bound(bound) => writer.bound(bound, DEPTH)?,
            Role::Plain(condition, holds) => writer.truth(condition, holds, DEPTH)?,
        };
        if part != YES && !parts.contains(&part) {
            parts.push(part);
        }
        if parts.len() > MOST_PARTS {
            return None;
        }
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What the conditions say together, to leave out what is said twice.
#[derive(Default)]
struct Facts {
    /// Terms that are made a constant, and the condition that does it.
    equalities: FxHashMap<SymId, SymId>,
    /// What the type tests leave of a term's types.
    tags: FxHashMap<SymId, Tags>,
    /// Terms whose type another part implies: a guard with `hd(X)` in it holds for lists alone.
    taken_apart: FxHashSet<SymId>,
    /// Pairs that are the same, in both orders.
    same: FxHashSet<(SymId, SymId)>,
    /// Pairs of which the first is not below the second.
    not_below: FxHashSet<(SymId, SymId)>,
    /// Terms whose type test has been written.
    tested: FxHashSet<SymId>,
    /// Terms that a bound makes numbers.
    bounded: FxHashSet<SymId>,
}

/// What is written for a condition.
enum Role {
    /// Nothing: another condition says it.
    Implied,
    /// All that is known of a term's types.
    Type(SymId, Tags),
    /// Neither is below the other.
    Same(SymId, SymId),
    /// A comparison with a number.
    Bound(Bound),
    Plain(SymId, bool),
}

impl Facts {
    fn new(arena: &Arena, conditions: &[(SymId, bool)]) -> Self {
        let mut facts = Facts::default();
        for (condition, holds) in conditions {
            match (arena.get(*condition), *holds) {
                (Expr::Is(term, tags), _) => {
                    let tags = if *holds { *tags } else { !*tags };
                    let known = facts.tags.entry(*term).or_insert(Tags::ANY);
                    *known = *known & tags;
                }
                (Expr::Arity(term, _), true) => {
                    facts.taken_apart.insert(*term);
                    facts.tags.insert(*term, Tags::TUPLE);
                }
                (Expr::Lt(a, b), false) => {
                    facts.not_below.insert((*a, *b));
                    facts.take_apart(arena, [*a, *b]);
                }
                (Expr::Eq(a, b), _) => {
                    facts.take_apart(arena, [*a, *b]);
                    if *holds {
                        let (a, b) = (term(arena, *a), term(arena, *b));
                        facts.same.extend([(a, b), (b, a)]);
                    }
                    if *holds && arena.is_constant(*b) {
                        facts.equalities.insert(term(arena, *a), *condition);
                    }
                }
                (Expr::Lt(a, b), true) => facts.take_apart(arena, [*a, *b]),
                _ => {}
            }
        }
        facts
    }

    /// The terms that these are parts of.
    fn take_apart(&mut self, arena: &Arena, parts: [SymId; 2]) {
        for part in parts {
            let mut part = term(arena, part);
            for _ in 0..DEPTH {
                match arena.get(part) {
                    Expr::Head(whole) | Expr::Tail(whole) => part = *whole,
                    _ => break,
                }
                self.taken_apart.insert(part);
            }
        }
    }

    fn role(&mut self, arena: &Arena, condition: SymId, holds: bool) -> Role {
        let subject = subject(arena, condition, DEPTH);
        // The equality of its subject with a constant says it all.
        if subject.and_then(|subject| self.equalities.get(&subject)).is_some_and(|equality| *equality != condition) {
            return Role::Implied;
        }
        match (arena.get(condition), holds) {
            (Expr::And(..) | Expr::Or(..), _) if self.follows(arena, condition, holds, DEPTH) => Role::Implied,
            (Expr::Is(term, _), _) if self.is_bounded(*term) => Role::Implied,
            (Expr::Is(term, _), _) if self.taken_apart.contains(term) || !self.tested.insert(*term) => Role::Implied,
            (Expr::Is(term, _), _) => Role::Type(*term, self.tags.get(term).copied().unwrap_or(Tags::ANY)),
            (Expr::Eq(a, b), false) if self.taken_apart.contains(a) && *arena.get(*b) == Expr::Nil => Role::Implied,
            (Expr::Eq(a, b), false) if self.tags.get(a).is_some_and(|tags| !tags.meets(arena.tags(*b))) => {
                Role::Implied
            }
            (Expr::Lt(a, b), false) if self.same.contains(&(term(arena, *a), term(arena, *b))) => Role::Implied,
            (Expr::Lt(a, b), false) if self.not_below.contains(&(*b, *a)) => Role::Same(*a.min(b), *a.max(b)),
            _ => Role::Plain(condition, holds),
        }
    }

    fn take_bounds(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Bound(bound) if bound.operator.is_upper() => self.bounded.insert(bound.term),
                Item::Bound(_) | Item::Condition(..) => false,
            };
        }
    }

    fn bound_role(&self, bound: Bound) -> Role {
        // What is no number is above all numbers.
        let is_no_number = self.tags.get(&bound.term).is_some_and(|tags| !tags.meets(Tags::NUMBER));
        if is_no_number || self.equalities.contains_key(&bound.term) { Role::Implied } else { Role::Bound(bound) }
    }

    /// Whether a bound says of a term's types all that type tests say.
    fn is_bounded(&self, term: SymId) -> bool {
        self.bounded.contains(&term) && self.tags.get(&term).is_some_and(|tags| tags.contains(Tags::NUMBER))
    }
}

impl Facts {
    /// Whether it follows from type tests, and from the equality of a term with a constant, that a condition holds or that it does not.
    fn follows(&self, arena: &Arena, condition: SymId, holds: bool, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let of = |id: SymId| self.follows(arena, id, holds, depth);
        match (arena.get(condition), holds) {
            (Expr::Not(inner), _) => self.follows(arena, *inner, !holds, depth),
            (Expr::And(a, b), true) | (Expr::Or(a, b), false) => of(*a) && of(*b),
            (Expr::And(a, b), false) | (Expr::Or(a, b), true) => of(*a) || of(*b),
            (Expr::Is(term, tags), true) => self.types(arena, *term).is_some_and(|is| tags.contains(is)),
            (Expr::Is(term, tags), false) => self.types(arena, *term).is_some_and(|is| !tags.meets(is)),
            _ => false,
        }
    }

    /// What is said of a term's types.
    fn types(&self, arena: &Arena, term: SymId) -> Option<Tags> {
        match self.equalities.get(&term).map(|equality| arena.get(*equality)) {
            Some(Expr::Eq(_, constant)) => Some(arena.tags(*constant)),
            _ => self.tags.get(&term).copied(),
        }
    }
}

/// The conditions with conjunctions taken apart, and of alternatives that which the types leave.
fn flat(arena: &Arena, conditions: &[(SymId, bool)], open: OpenTags<'_>) -> Option<Vec<(SymId, bool)>> {
    let mut flat = Vec::new();
    let mut rest: Vec<(SymId, bool)> = conditions.iter().rev().copied().collect();
    while let Some((condition, holds)) = rest.pop() {
        match (arena.get(condition), holds) {
            (Expr::Not(inner), _) => rest.push((*inner, !holds)),
            (Expr::And(a, b), true) | (Expr::Or(a, b), false) => rest.extend([(*b, holds), (*a, holds)]),
            (Expr::And(a, b), false) | (Expr::Or(a, b), true) if is_type(arena, *a, !holds, open, TYPE_DEPTH) => {
                rest.push((*b, holds))
            }
            (Expr::And(a, b), false) | (Expr::Or(a, b), true) if is_type(arena, *b, !holds, open, TYPE_DEPTH) => {
                rest.push((*a, holds))
            }
            _ => flat.push((condition, holds)),
        }
        if flat.len() > MOST_CONDITIONS {
            return None;
        }
    }
    Some(flat)
}

/// True if the types alone say that a condition holds, or that it does not.
fn is_type(arena: &Arena, condition: SymId, holds: bool, open: OpenTags<'_>, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match (arena.get(condition), holds) {
        (Expr::Not(inner), _) => is_type(arena, *inner, !holds, open, depth),
        (Expr::Is(term, tags), true) => tags.contains(open(*term)),
        (Expr::Is(term, tags), false) => !tags.meets(open(*term)),
        (Expr::And(a, b), true) | (Expr::Or(a, b), false) => {
            is_type(arena, *a, holds, open, depth) && is_type(arena, *b, holds, open, depth)
        }
        _ => false,
    }
}

/// The term that a condition is about, if it is about one alone.
fn subject(arena: &Arena, condition: SymId, depth: u32) -> Option<SymId> {
    let depth = depth.checked_sub(1)?;
    match arena.get(condition) {
        Expr::Is(term, _) | Expr::Arity(term, _) => Some(*term),
        Expr::Not(inner) => subject(arena, *inner, depth),
        Expr::Eq(a, b) | Expr::Lt(a, b) if arena.is_constant(*b) => Some(term(arena, *a)),
        Expr::Lt(a, b) if arena.is_constant(*a) => Some(term(arena, *b)),
        Expr::And(a, b) | Expr::Or(a, b) => {
            subject(arena, *a, depth).filter(|one| subject(arena, *b, depth) == Some(*one))
        }
        _ => None,
    }
}

/// The term of a number.
fn term(arena: &Arena, id: SymId) -> SymId {
    match arena.get(id) {
        Expr::IntOf(term) | Expr::RealOf(term) => *term,
        Expr::ToReal(int) => match arena.get(*int) {
            Expr::IntOf(term) => *term,
            _ => *int,
        },
        _ => id,
    }
}

#[cfg(test)]
mod tests;
