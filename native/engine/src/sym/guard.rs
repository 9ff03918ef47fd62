//! Conditions as guards of Erlang, for people to read.
//!
//! Not every condition can be written as a guard (the inside of a bitstring, a call of a fun), and a long one helps nobody: then there is none.

mod numbers;

use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};

use numbers::{Bound, Item};

use super::arena::{Arena, SymId};
use super::expr::Expr;
use super::tags::Tags;
use crate::term::{Heap, Literals, Value, VirtualKind, term_to_string};

/// Guards with more parts than this are not written.
const MOST_PARTS: usize = 8;
/// Nor are those that many conditions are behind.
const MOST_CONDITIONS: usize = 10_000;
/// How deep type tests are looked for in alternatives.
const TYPE_DEPTH: u32 = 6;
/// Longer lists are not written.
const LONGEST: usize = 40;
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

/// The process that makes the call.
const OWN_PROCESS: Value = Value::identifier(VirtualKind::Pid, 0);

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
            // What is compared with a constant comes first.
            (Expr::Lt(a, b), true) if self.arena.is_constant(*a) => binary(*b, ">", *a),
            (Expr::Lt(a, b), false) if self.arena.is_constant(*a) => binary(*b, "=<", *a),
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
            type_test(&self.value(term, depth)?, tags, open)
        }
    }

    fn bound(&self, bound: Bound, depth: u32) -> Option<String> {
        let (term, constant) = (self.value(bound.term, depth)?, self.value(bound.constant, depth)?);
        Some(format!("{term} {} {constant}", bound.operator.name()))
    }

    fn list(&self, list: SymId, depth: u32) -> Option<String> {
        let mut items = Vec::new();
        let mut rest = list;
        while let Expr::Cons(head, tail) = self.arena.get(rest) {
            items.push(*head);
            rest = *tail;
            if items.len() > LONGEST {
                return None;
            }
        }
        let is_whole = *self.arena.get(rest) == Expr::Nil;
        if let Some(text) = self.text(&items).filter(|_| is_whole) {
            return Some(text);
        }
        let items = items.into_iter().map(|item| self.value(item, depth)).collect::<Option<Vec<_>>>()?.join(", ");
        Some(if is_whole { format!("[{items}]") } else { format!("[{items} | {}]", self.value(rest, depth)?) })
    }

    /// Characters as a string, if all of them are letters, digits and the like.
    fn text(&self, items: &[SymId]) -> Option<String> {
        let character = |item: &SymId| match self.arena.get(*item) {
            Expr::OfInt(int) => match self.arena.get(*int) {
                Expr::Int(int) => int.to_u8().filter(|c| (32..127).contains(c)).map(char::from),
                _ => None,
            },
            _ => None,
        };
        let text: String = items.iter().map(character).collect::<Option<_>>()?;
        Some(format!("{text:?}"))
    }

    /// Two numbers, or terms in the order of terms, neither of which is below the other.
    fn equality(&self, a: SymId, b: SymId, depth: u32) -> Option<String> {
        let integer = |id: SymId| matches!(self.arena.get(id), Expr::IntOf(_) | Expr::Int(_));
        let operator = if integer(a) && integer(b) { "=:=" } else { "==" };
        Some(format!("{} {operator} {}", self.value(a, depth)?, self.value(b, depth)?))
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
                Some(if root == OWN_PROCESS { "self()".to_owned() } else { term_to_string(&heap, root) })
            }
            Expr::Cons(..) => self.list(id, depth),
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

/// The type tests of guards. The empty list and other lists have none of their own.
const TESTS: [(Tags, &str); 12] = [
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
];

/// The shortest test that tells these types from the others that are open.
fn type_test(subject: &str, tags: Tags, open: Tags) -> Option<String> {
    let wanted = tags & open;
    let same = |tags: Tags| tags & open == wanted;
    if same(Tags::NIL) {
        return Some(format!("{subject} =:= []"));
    }
    if same(!Tags::NIL) {
        return Some(format!("{subject} =/= []"));
    }
    if let Some((_, test)) = TESTS.iter().find(|(tags, _)| same(*tags)) {
        return Some(format!("{test}({subject})"));
    }
    if let Some((_, test)) = TESTS.iter().find(|(tags, _)| same(!*tags)) {
        return Some(format!("not {test}({subject})"));
    }
    if same(Tags::CONS) {
        return Some(format!("is_list({subject}), {subject} =/= []"));
    }
    several_tests(subject, wanted)
}

/// Several tests; the fewer of the set and its complement.
fn several_tests(subject: &str, tags: Tags) -> Option<String> {
    let negative = tags.each().count() > 6;
    let mut left = if negative { !tags } else { tags };
    let mut tests = Vec::new();
    for (tag, test) in TESTS {
        if left.contains(tag) {
            tests.push(format!("{test}({subject})"));
            left = left & !tag;
        }
    }
    if left.contains(Tags::NIL) {
        tests.push(format!("{subject} =:= []"));
    }
    if left.contains(Tags::CONS) {
        tests.push(format!("is_list({subject}) andalso {subject} =/= []"));
    }
    match (tests.as_slice(), negative) {
        ([], _) => None,
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
        let expected = "is_list(X1), X1 =/= [], tuple_size(hd(X1)) =:= 2, element(1, hd(X1)) =/= ok";
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
    fn alternatives_of_which_one_is_said_elsewhere_are_not_written() {
        let text = written(|arena, x| {
            let (is_map, is_nil) = (arena.is(x, Tags::MAP), arena.is(x, Tags::NIL));
            let is_list = arena.is(x, Tags::LIST);
            let other = arena.input(1);
            let is_int = arena.is(other, Tags::INT);
            let (one, two) = (arena.or(is_list, is_int), arena.or(is_map, is_int));
            vec![(one, true), (two, true), (is_nil, true)]
        });
        assert_eq!(text.as_deref(), Some("is_integer(X2), X1 =:= []"));
    }

    #[test]
    fn what_other_parts_imply_is_not_written() {
        let text = written(|arena, x| {
            let (cons, head) = (arena.is(x, Tags::CONS), arena.head(x));
            let (is_int, int) = (arena.is(head, Tags::INT), arena.int_of(head));
            let bound = arena.int(3);
            let (below, above) = (arena.lt(int, bound), arena.lt(bound, int));
            let rest = arena.tail(x);
            let empty = arena.is(rest, Tags::NIL);
            let nil = arena.nil();
            let same = arena.eq(x, nil);
            vec![(same, false), (cons, true), (is_int, true), (below, false), (above, false), (empty, true)]
        });
        assert_eq!(text.as_deref(), Some("is_integer(hd(X1)), hd(X1) =:= 3, tl(X1) =:= []"));
    }

    /// What is below a number, in the order of terms.
    fn below(arena: &mut Arena, x: SymId, bound: i64) -> SymId {
        let (is_int, is_float) = (arena.is(x, Tags::INT), arena.is(x, Tags::FLOAT));
        let (int, constant) = (arena.int_of(x), arena.int(bound));
        let (real, real_constant) = (arena.real_of(x), arena.real(bound as f64));
        let (less, less_real) = (arena.lt(int, constant), arena.lt(real, real_constant));
        let (integers, floats) = (arena.and(is_int, less), arena.and(is_float, less_real));
        arena.or(integers, floats)
    }

    #[test]
    fn integers_and_floats_below_a_number_are_one_comparison() {
        let text = written(|arena, x| vec![(below(arena, x, 7), true)]);
        assert_eq!(text.as_deref(), Some("X1 < 7"));
        let text = written(|arena, x| vec![(below(arena, x, 7), false)]);
        assert_eq!(text.as_deref(), Some("X1 >= 7"));
    }

    #[test]
    fn of_several_bounds_the_tightest_is_written() {
        let text = written(|arena, x| {
            let (far, near, other) = (below(arena, x, 70), below(arena, x, 7), below(arena, x, -9));
            let is_number = arena.is(x, Tags::NUMBER);
            vec![(far, true), (is_number, true), (near, true), (other, false)]
        });
        assert_eq!(text.as_deref(), Some("X1 < 7, X1 >= -9"));
    }

    #[test]
    fn what_is_above_a_number_may_be_none() {
        let text = written(|arena, x| {
            let is_atom = arena.is(x, Tags::ATOM);
            vec![(below(arena, x, 7), false), (is_atom, true)]
        });
        assert_eq!(text.as_deref(), Some("is_atom(X1)"));
    }

    #[test]
    fn constant_lists_are_written_as_lists_and_texts() {
        let text = written(|arena, x| {
            let mut list = |items: &[i64]| {
                let nil = arena.nil();
                items.iter().rev().fold(nil, |tail, item| {
                    let int = arena.int(*item);
                    let head = arena.term(int);
                    arena.cons(head, tail)
                })
            };
            let (numbers, letters) = (list(&[1, 2]), list(&[104, 105]));
            let (one, other) = (arena.eq(x, numbers), arena.eq(x, letters));
            vec![(one, false), (other, false)]
        });
        assert_eq!(text.as_deref(), Some("X1 =/= [1, 2], X1 =/= \"hi\""));
    }

    #[test]
    fn of_alternatives_that_is_written_which_an_equality_leaves() {
        let text = written(|arena, x| {
            let y = arena.input(1);
            let (is_int, is_other_int) = (arena.is(x, Tags::INT), arena.is(y, Tags::INT));
            let (a, b) = (arena.int_of(x), arena.int_of(y));
            let less = arena.lt(a, b);
            let (both, one) = (arena.and(is_int, is_other_int), arena.lt(b, a));
            let alternatives = arena.and(both, one);
            let zero = arena.int(0);
            let term = arena.term(zero);
            let same = arena.eq(y, term);
            vec![(is_int, true), (alternatives, false), (same, true), (less, true)]
        });
        assert_eq!(text.as_deref(), Some("is_integer(X1), X2 >= X1, X2 =:= 0, X1 < X2"));
    }

    #[test]
    fn nothing_is_written_of_nothing() {
        assert_eq!(written(|_, _| Vec::new()), None);
    }
}
