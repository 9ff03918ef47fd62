//! Single conditions as text.

use num_traits::ToPrimitive;

use super::OpenTags;
use super::numbers::Bound;
use crate::sym::arena::{Arena, SymId};
use crate::sym::expr::Expr;
use crate::sym::tags::Tags;
use crate::term::{Heap, Literals, Value, VirtualKind, term_to_string};

/// Longer lists are not written.
const LONGEST: usize = 40;

/// The process that makes the call.
const OWN_PROCESS: Value = Value::identifier(VirtualKind::Pid, 0);

/// What always holds, and what never does.
pub(super) const YES: &str = "true";
const NO: &str = "false";

pub(super) struct Writer<'a> {
    pub(super) arena: &'a Arena,
    pub(super) open: OpenTags<'a>,
}

impl Writer<'_> {
    pub(super) fn truth(&self, condition: SymId, holds: bool, depth: u32) -> Option<String> {
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
    pub(super) fn pair(
        &self,
        pair: (SymId, SymId),
        holds: bool,
        operator: (&str, &str, &str),
        depth: u32,
    ) -> Option<String> {
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

    pub(super) fn type_test(&self, term: SymId, tags: Tags, depth: u32) -> Option<String> {
        let open = (self.open)(term);
        if tags.contains(open) {
            Some(YES.to_owned())
        } else if !tags.meets(open) {
            Some(NO.to_owned())
        } else {
            type_test(&self.value(term, depth)?, tags, open)
        }
    }

    pub(super) fn bound(&self, bound: Bound, depth: u32) -> Option<String> {
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
    pub(super) fn equality(&self, a: SymId, b: SymId, depth: u32) -> Option<String> {
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
