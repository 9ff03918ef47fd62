//! Conditions as guards of Erlang, for people to read.
//!
//! Not every condition can be written as a guard (the inside of a bitstring, a call of a fun), and a long one helps nobody: then there is none.

use rustc_hash::FxHashMap;

use super::arena::{Arena, SymId};
use super::expr::Expr;
use super::tags::Tags;
use crate::term::{Heap, Literals, Value, term_to_string};

/// Guards with more parts than this are not written.
const MOST_PARTS: usize = 8;
/// Nor are those that many conditions are behind.
const MOST_CONDITIONS: usize = 10_000;
/// How deep expressions are written.
const DEPTH: u32 = 12;

/// The types that a term can have, by what is known of the inputs.
pub type OpenTags<'a> = &'a dyn Fn(SymId) -> Tags;

/// The conjunction of conditions, each of which holds or not, over the inputs `X1`, `X2` … What follows from the types is left out.
pub fn guard(arena: &Arena, conditions: &[(SymId, bool)], open: OpenTags<'_>) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let conditions = flat(arena, conditions)?;
    let equalities: FxHashMap<SymId, SymId> = conditions.iter().filter_map(|pair| equality(arena, *pair)).collect();
    for (condition, holds) in conditions {
        let subject = subject(arena, condition, DEPTH);
        // The equality of its subject with a constant says it all.
        if subject.and_then(|subject| equalities.get(&subject)).is_some_and(|equality| *equality != condition) {
            continue;
        }
        let part = Writer { arena, open }.truth(condition, holds, DEPTH)?;
        if part != YES && !parts.contains(&part) {
            parts.push(part);
        }
        if parts.len() > MOST_PARTS {
            return None;
        }
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The conditions with conjunctions taken apart.
fn flat(arena: &Arena, conditions: &[(SymId, bool)]) -> Option<Vec<(SymId, bool)>> {
    let mut flat = Vec::new();
    let mut rest: Vec<(SymId, bool)> = conditions.iter().rev().copied().collect();
    while let Some((condition, holds)) = rest.pop() {
        match (arena.get(condition), holds) {
            (Expr::Not(inner), _) => rest.push((*inner, !holds)),
            (Expr::And(a, b), true) | (Expr::Or(a, b), false) => rest.extend([(*b, holds), (*a, holds)]),
            _ => flat.push((condition, holds)),
        }
        if flat.len() > MOST_CONDITIONS {
            return None;
        }
    }
    Some(flat)
}

/// The subject of a condition that makes it a constant, and the condition.
fn equality(arena: &Arena, (condition, holds): (SymId, bool)) -> Option<(SymId, SymId)> {
    match arena.get(condition) {
        Expr::Eq(a, b) if holds && arena.is_constant(*b) => Some((term(arena, *a), condition)),
        _ => None,
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

/// What always holds, and what never does.
const YES: &str = "true";
const NO: &str = "false";

struct Writer<'a> {
    arena: &'a Arena,
    open: OpenTags<'a>,
}

impl Writer<'_> {
    fn truth(&self, condition: SymId, holds: bool, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let binary = |a: SymId, operator: &str, b: SymId| {
            Some(format!("{} {operator} {}", self.value(a, depth)?, self.value(b, depth)?))
        };
        match (self.arena.get(condition), holds) {
            (Expr::True, _) | (Expr::False, _) => Some(holds.to_string()),
            (Expr::Not(inner), _) => self.truth(*inner, !holds, depth),
            (Expr::Is(term, tags), true) => self.type_test(*term, *tags, depth),
            (Expr::Is(term, tags), false) => self.type_test(*term, !*tags, depth),
            (Expr::Arity(term, size), true) => Some(format!("tuple_size({}) =:= {size}", self.value(*term, depth)?)),
            (Expr::Arity(term, size), false) => Some(format!("tuple_size({}) =/= {size}", self.value(*term, depth)?)),
            (Expr::Eq(a, b), true) => binary(*a, "=:=", *b),
            (Expr::Eq(a, b), false) => binary(*a, "=/=", *b),
            (Expr::Lt(a, b), true) => binary(*a, "<", *b),
            (Expr::Lt(a, b), false) => binary(*a, ">=", *b),
            (Expr::And(a, b), true) | (Expr::Or(a, b), false) => {
                self.pair((*a, *b), holds, ("andalso", YES, NO), depth)
            }
            (Expr::Or(a, b), true) | (Expr::And(a, b), false) => self.pair((*a, *b), holds, ("orelse", NO, YES), depth),
            _ => None,
        }
    }

    /// Two conditions with an operator, what counts for nothing beside it, and what decides it alone.
    fn pair(&self, pair: (SymId, SymId), holds: bool, operator: (&str, &str, &str), depth: u32) -> Option<String> {
        let (name, nothing, all) = operator;
        let a = self.truth(pair.0, holds, depth);
        // What is not looked at need not be written.
        if a.as_deref() == Some(all) {
            return a;
        }
        let b = self.truth(pair.1, holds, depth);
        match (a?, b?) {
            (a, b) if a == nothing => Some(b),
            (a, b) if b == nothing => Some(a),
            (_, b) if b == all => Some(b),
            (a, b) => Some(format!("({a} {name} {b})")),
        }
    }

    fn type_test(&self, term: SymId, tags: Tags, depth: u32) -> Option<String> {
        let open = (self.open)(term);
        if tags.contains(open) {
            Some(YES.to_owned())
        } else if !tags.meets(open) {
            Some(NO.to_owned())
        } else {
            type_test(&self.value(term, depth)?, tags)
        }
    }

    fn value(&self, id: SymId, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let of = |id: SymId| self.value(id, depth);
        let binary = |a: SymId, operator: &str, b: SymId| Some(format!("({} {operator} {})", of(a)?, of(b)?));
        match self.arena.get(id) {
            Expr::Input(number) => Some(format!("X{}", number + 1)),
            Expr::Atom(atom) => Some(term_to_string(&Heap::new(Literals::default()), Value::atom(*atom))),
            Expr::Nil => Some("[]".to_owned()),
            Expr::Opaque(id, _) => {
                let (heap, root) = self.arena.opaque(*id)?.open();
                Some(term_to_string(&heap, root))
            }
            Expr::Cons(head, tail) => Some(format!("[{} | {}]", of(*head)?, of(*tail)?)),
            Expr::Tuple(elements) => {
                let elements = elements.iter().map(|element| of(*element)).collect::<Option<Vec<_>>>()?;
                Some(format!("{{{}}}", elements.join(", ")))
            }
            Expr::OfInt(part) | Expr::OfReal(part) | Expr::IntOf(part) | Expr::RealOf(part) | Expr::ToReal(part) => {
                of(*part)
            }
            Expr::OfBool(condition) => self.truth(*condition, true, depth).map(|text| format!("({text})")),
            Expr::Head(list) => Some(format!("hd({})", of(*list)?)),
            Expr::Tail(list) => Some(format!("tl({})", of(*list)?)),
            Expr::Element(tuple, index) => Some(format!("element({}, {})", index + 1, of(*tuple)?)),
            Expr::Int(int) => Some(int.to_string()),
            Expr::Real(bits) => Some(format!("{:?}", f64::from_bits(*bits))),
            Expr::Add(a, b) => binary(*a, "+", *b),
            Expr::Sub(a, b) => binary(*a, "-", *b),
            Expr::Mul(a, b) => binary(*a, "*", *b),
            Expr::Div(a, b) => binary(*a, "div", *b),
            Expr::Rem(a, b) => binary(*a, "rem", *b),
            Expr::Quotient(a, b) => binary(*a, "/", *b),
            _ => None,
        }
    }
}

/// Type tests of guards; the shorter of the set and its complement.
fn type_test(subject: &str, tags: Tags) -> Option<String> {
    const TESTS: [(Tags, &str); 14] = [
        (Tags::NUMBER, "is_number"),
        (Tags::LIST, "is_list"),
        (Tags::INT, "is_integer"),
        (Tags::FLOAT, "is_float"),
        (Tags::ATOM, "is_atom"),
        (Tags::REFERENCE, "is_reference"),
        (Tags::FUN, "is_function"),
        (Tags::PORT, "is_port"),
        (Tags::PID, "is_pid"),
        (Tags::TUPLE, "is_tuple"),
        (Tags::MAP, "is_map"),
        (Tags::BITS, "is_bitstring"),
        (Tags::NIL, "nil"),
        (Tags::CONS, "cons"),
    ];
    let negative = tags.each().count() > 6;
    let mut left = if negative { !tags } else { tags };
    let mut tests = Vec::new();
    for (tag, name) in TESTS {
        if left.contains(tag) {
            tests.push(match name {
                "nil" => format!("{subject} =:= []"),
                "cons" => format!("is_list({subject}) andalso {subject} =/= []"),
                test => format!("{test}({subject})"),
            });
            left = left & !tag;
        }
    }
    match (tests.as_slice(), negative) {
        ([], _) => None,
        ([only], false) => Some(only.clone()),
        (several, false) => Some(format!("({})", several.join(" orelse "))),
        (several, true) => Some(format!("not ({})", several.join(" orelse "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(build: impl FnOnce(&mut Arena, SymId) -> Vec<(SymId, bool)>) -> Option<String> {
        let mut arena = Arena::default();
        let input = arena.input(0);
        let conditions = build(&mut arena, input);
        guard(&arena, &conditions, &|id| arena.tags(id))
    }

    #[test]
    fn an_equality_says_all_there_is_to_say_of_its_subject() {
        let text = written(|arena, x| {
            let is_int = arena.is(x, Tags::INT);
            let int = arena.int_of(x);
            let forty_two = arena.int(42);
            let more = arena.lt(forty_two, int);
            let term = arena.term(forty_two);
            let same = arena.eq(x, term);
            vec![(is_int, true), (more, false), (same, true)]
        });
        assert_eq!(text.as_deref(), Some("X1 =:= 42"));
    }

    #[test]
    fn parts_of_structures_are_written_as_guards_can() {
        let text = written(|arena, x| {
            let cons = arena.is(x, Tags::CONS);
            let head = arena.head(x);
            let pair = arena.arity(head, 2);
            let tag = arena.element(head, 0);
            let ok = arena.atom(crate::term::AtomId::intern("ok"));
            let same = arena.eq(tag, ok);
            vec![(cons, true), (pair, true), (same, false)]
        });
        let expected = "is_list(X1) andalso X1 =/= [], tuple_size(hd(X1)) =:= 2, element(1, hd(X1)) =/= ok";
        assert_eq!(text.as_deref(), Some(expected));
    }

    #[test]
    fn what_the_types_say_is_not_written() {
        let mut arena = Arena::default();
        let x = arena.input(0);
        let (is_int, int) = (arena.is(x, Tags::INT), arena.int_of(x));
        let bound = arena.int(28);
        let less = arena.lt(int, bound);
        let both = arena.and(is_int, less);
        let text = guard(&arena, &[(both, false)], &|_| Tags::INT);
        assert_eq!(text.as_deref(), Some("X1 >= 28"));
    }

    #[test]
    fn nothing_is_written_of_nothing() {
        assert_eq!(written(|_, _| Vec::new()), None);
    }
}
