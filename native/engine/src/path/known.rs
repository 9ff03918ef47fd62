//! What the decisions of a path imply: types, sizes of tuples, intervals of integers, and conditions taken as they stand.
//!
//! Knowledge is sound and incomplete: `holds` answers only what certainly follows. It looks at a bounded part of a condition, and at what its
//! parts share only once, so its cost does not grow with the condition.

use std::cell::Cell;

mod range;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use crate::sym::{Arena, Expr, FunExpr, MapExpr, SymId, Tags};
use crate::term::{Heap, Value};
use crate::types::in_map::View;
use crate::types::member::is_member;
use crate::types::place::{Established, Places, Single, admits, single};
use crate::types::{Association, Node, TypeId, Types};
use range::{Range, narrow_to_one};

#[derive(Default)]
pub struct Known {
    /// What the spec says of the inputs.
    places: Places,
    conditions: FxHashMap<SymId, bool>,
    tags: FxHashMap<SymId, Tags>,
    arities: FxHashMap<SymId, u32>,
    /// Terms that are one constant on this path.
    constants: FxHashMap<SymId, SymId>,
    ranges: FxHashMap<SymId, Range>,
    /// Constant keys that a map has.
    keys: FxHashMap<SymId, Vec<SymId>>,
    /// What the spec says was needed for the last answer.
    by_type: Cell<bool>,
}

/// How many parts of a condition are looked at.
const PARTS: usize = 1_000;

impl Established for Known {
    fn arity(&self, id: SymId) -> Option<u32> {
        self.arities.get(&id).copied()
    }

    fn constant(&self, id: SymId) -> Option<SymId> {
        self.constants.get(&id).copied()
    }

    fn condition(&self, id: SymId) -> Option<bool> {
        self.conditions.get(&id).copied()
    }

    fn keys(&self, map: SymId) -> &[SymId] {
        self.keys.get(&map).map_or(&[], Vec::as_slice)
    }

    fn narrowed(&self, id: SymId) -> Tags {
        self.tags.get(&id).copied().unwrap_or(Tags::ANY)
    }
}

impl Known {
    /// Nothing but what the spec says.
    pub fn of_places(places: Places) -> Self {
        Known { places, ..Known::default() }
    }

    /// The types that a term can still have.
    pub fn tags(&self, arena: &Arena, id: SymId) -> Tags {
        let open = arena.tags(id) & self.tags.get(&id).copied().unwrap_or(Tags::ANY);
        if open.is_single() {
            return open;
        }
        let left = open & self.places.tags(arena, self, id);
        self.by_type.set(self.by_type.get() || left != open);
        left
    }

    /// What an integer certainly is not below, and what it is not above.
    pub fn bounds(&self, arena: &Arena, id: SymId) -> (Option<BigInt>, Option<BigInt>) {
        match arena.get(id) {
            Expr::Int(int) => (Some(int.clone()), Some(int.clone())),
            _ => self.range(arena, id).map_or((None, None), |range| (range.low, range.high)),
        }
    }

    /// Whether a value is of a type that the place can have by the spec.
    pub fn allows(&self, arena: &Arena, id: SymId, heap: &Heap, value: Value) -> bool {
        match self.places.of(arena, self, id) {
            Some((types, alternatives)) => alternatives.iter().any(|id| is_member(types, heap, value, *id)),
            None => true,
        }
    }

    /// Whether the condition certainly holds or certainly does not. Parts come before what is made of them, each once.
    pub fn holds(&self, arena: &Arena, condition: SymId) -> Option<bool> {
        self.by_type.set(false);
        if operands(arena, condition).is_none() || self.conditions.contains_key(&condition) {
            return self.holds_alone(arena, condition);
        }
        let mut answers: FxHashMap<SymId, Option<bool>> = FxHashMap::default();
        let mut stack = vec![condition];
        let mut seen = 0;
        while let Some(top) = stack.last().copied() {
            let below = stack.len();
            if !answers.contains_key(&top) {
                let open = operands(arena, top).filter(|_| !self.conditions.contains_key(&top) && seen < PARTS);
                let parts = open.into_iter().flatten().flatten();
                stack.extend(parts.filter(|part| !answers.contains_key(part)));
                if stack.len() > below {
                    seen += stack.len() - below;
                    continue;
                }
                let answer = self.holds_made_of(arena, top, &answers);
                answers.insert(top, answer);
            }
            stack.pop();
        }
        answers.get(&condition).copied().flatten()
    }

    /// Whether the last answer of [`Known::holds`] made use of what the spec says.
    pub fn was_by_type(&self) -> bool {
        self.by_type.get()
    }

    /// A condition whose parts have been answered. A part without an answer lay behind the limit.
    fn holds_made_of(&self, arena: &Arena, condition: SymId, answers: &FxHashMap<SymId, Option<bool>>) -> Option<bool> {
        let answer = |id: &SymId| answers.get(id).copied().flatten();
        if let Some(known) = self.conditions.get(&condition) {
            return Some(*known);
        }
        match arena.get(condition) {
            Expr::Not(inner) => answer(inner).map(|holds| !holds),
            Expr::And(a, b) => both(answer(a), answer(b), false),
            Expr::Or(a, b) => both(answer(a), answer(b), true),
            _ => self.holds_alone(arena, condition),
        }
    }

    /// A condition that is not made of others.
    fn holds_alone(&self, arena: &Arena, condition: SymId) -> Option<bool> {
        if let Some(known) = self.conditions.get(&condition) {
            return Some(*known);
        }
        match arena.get(condition) {
            Expr::True => Some(true),
            Expr::False => Some(false),
            Expr::Is(id, tags) => {
                let open = self.tags(arena, *id);
                if tags.contains(open) {
                    Some(true)
                } else if !tags.meets(open) {
                    Some(false)
                } else {
                    None
                }
            }
            Expr::Arity(id, size) => {
                if !self.tags(arena, *id).meets(Tags::TUPLE) {
                    return Some(false);
                }
                match self.arities.get(id) {
                    Some(known) => Some(known == size),
                    None => self.size_by_type(arena, *id, *size),
                }
            }
            Expr::Eq(a, b) => self.equal(arena, *a, *b),
            Expr::Lt(a, b) => match (arena.get(*a), arena.get(*b)) {
                (_, Expr::Int(bound)) => self.range(arena, *a)?.below(bound),
                (Expr::Int(bound), _) => self.range(arena, *b)?.above(bound),
                _ => None,
            },
            Expr::Map(MapExpr::Has(map, key)) => self.has_key(arena, *map, *key),
            _ => None,
        }
    }

    /// An empty map has no keys; others have those that their type says.
    fn has_key(&self, arena: &Arena, map: SymId, key: SymId) -> Option<bool> {
        let size = arena.find(&Expr::Map(MapExpr::Size(map))).and_then(|size| self.ranges.get(&size));
        if size.is_some_and(|size| size.below(&BigInt::from(1)) == Some(true)) {
            return Some(false);
        }
        let answers = self.of_maps(arena, map, &|view, associations| view.has(associations, key))?;
        let mut answers = answers.into_iter();
        let first = answers.next()??;
        answers.all(|answer| answer == Some(first)).then_some(first)
    }

    /// The answers of all alternatives of a map.
    fn of_maps<T>(&self, arena: &Arena, map: SymId, answer: &dyn Fn(View<'_>, &[Association]) -> T) -> Option<Vec<T>> {
        let (types, alternatives) = self.places.of(arena, self, map)?;
        let view = View { types, arena, known: self };
        let maps = alternatives.iter().filter_map(|id| match types.node(*id) {
            Node::Map(associations) => Some(associations),
            _ => None,
        });
        Some(maps.filter(|maps| view.fits(maps, map)).map(|maps| answer(view, maps)).collect())
    }

    fn equal(&self, arena: &Arena, a: SymId, b: SymId) -> Option<bool> {
        if !self.tags(arena, a).meets(self.tags(arena, b)) {
            return Some(false);
        }
        if let Expr::Int(i) = arena.get(b) {
            return self.range(arena, a)?.equals(i);
        }
        if let Expr::OfInt(int) = arena.get(b)
            && let Expr::Int(i) = arena.get(*int)
            && let Some(part) = arena.find(&Expr::IntOf(a))
            && self.range(arena, part).is_some_and(|range| range.equals(i) == Some(false))
        {
            return Some(false);
        }
        let x = self.constants.get(&a).copied().unwrap_or(a);
        let y = self.constants.get(&b).copied().unwrap_or(b);
        if arena.is_constant(x) && arena.is_constant(y) { Some(x == y) } else { self.equal_by_type(arena, a, b) }
    }

    /// The alternatives of a place that its tags leave.
    pub fn alternatives(&self, arena: &Arena, id: SymId) -> Option<(&Types, Vec<TypeId>)> {
        let (types, alternatives) = self.places.of(arena, self, id)?;
        self.by_type.set(true);
        let open = self.tags.get(&id).copied().unwrap_or(Tags::ANY);
        let is_open = |alternative: &TypeId| match types.node(*alternative) {
            Node::Tuple(elements) => {
                let size = arena.find(&Expr::Arity(id, elements.len() as u32));
                open.meets(Tags::TUPLE) && size.is_none_or(|size| self.conditions.get(&size) != Some(&false))
            }
            node => node.tags().meets(open),
        };
        Some((types, alternatives.iter().copied().filter(is_open).collect()))
    }

    fn size_by_type(&self, arena: &Arena, id: SymId, size: u32) -> Option<bool> {
        let (types, alternatives) = self.alternatives(arena, id)?;
        let has_size = |id: &TypeId| match types.node(*id) {
            Node::Tuple(elements) => Some(elements.len() == size as usize),
            Node::AnyTuple => None,
            _ => Some(false),
        };
        let mut answers = alternatives.iter().map(has_size);
        let first = answers.next()??;
        answers.all(|answer| answer == Some(first)).then_some(first)
    }

    /// A place that is one of a few constants: which of them it can still be.
    fn equal_by_type(&self, arena: &Arena, place: SymId, constant: SymId) -> Option<bool> {
        if !arena.is_constant(constant) {
            return None;
        }
        let (types, alternatives) = self.alternatives(arena, place)?;
        if !alternatives.iter().any(|id| admits(types.node(*id), arena, constant)) {
            return Some(false);
        }
        for id in alternatives {
            let other = find_constant(arena, single(types.node(id))?);
            let ruled_out = |other: SymId| {
                let same = arena.find(&Expr::Eq(place, other));
                same.is_some_and(|same| self.conditions.get(&same) == Some(&false))
            };
            if other != Some(constant) && !other.is_some_and(ruled_out) {
                return None;
            }
        }
        Some(true)
    }

    fn range(&self, arena: &Arena, id: SymId) -> Option<Range> {
        if let Expr::Bits(bits) = arena.get(id)
            && let Some((low, high)) = bits.bounds()
        {
            let mut range = self.ranges.get(&id).cloned().unwrap_or_default();
            range.raise_low(low);
            high.into_iter().for_each(|high| range.lower_high(high));
            return Some(range);
        }
        let known = self.ranges.get(&id).cloned();
        if let Expr::Map(MapExpr::Size(map)) = arena.get(id) {
            let mut range = known.unwrap_or_default();
            range.raise_low(self.keys.get(map).map_or(0, Vec::len).into());
            let sizes = self.of_maps(arena, *map, &|view, associations| view.sizes(associations, *map));
            narrow_to_one(&mut range, sizes.unwrap_or_default());
            return Some(range);
        }
        if let Expr::Fun(FunExpr::Arity(fun)) = arena.get(id) {
            let mut range = known.unwrap_or_default();
            narrow_to_one(&mut range, self.fun_arities(arena, *fun));
            return Some(range);
        }
        if let Some((low, high)) = arena.bounds(id) {
            let mut range = known.unwrap_or_default();
            range.raise_low(low);
            range.lower_high(high);
            return Some(range);
        }
        if known.is_some() {
            return known;
        }
        let Expr::IntOf(term) = arena.get(id) else { return None };
        let Some(constant) = self.constant(*term) else { return self.range_by_type(arena, *term) };
        let Expr::OfInt(int) = arena.get(constant) else { return None };
        let Expr::Int(i) = arena.get(*int) else { return None };
        Some(Range { low: Some(i.clone()), high: Some(i.clone()) })
    }

    /// The least and the greatest arity of each type of funs that a place can be; none if nothing is known.
    fn fun_arities(&self, arena: &Arena, fun: SymId) -> Vec<(usize, Option<BigInt>)> {
        let Some((types, alternatives)) = self.places.of(arena, self, fun) else { return Vec::new() };
        let arity = |id: &TypeId| match types.node(*id) {
            Node::Fun { args: Some(args), .. } => Some((args.len(), Some(args.len().into()))),
            Node::Fun { args: None, .. } => Some((0, None)),
            _ => None,
        };
        alternatives.iter().filter_map(arity).collect()
    }

    /// The bounds of all integers that a place can be.
    fn range_by_type(&self, arena: &Arena, term: SymId) -> Option<Range> {
        let (types, alternatives) = self.places.of(arena, self, term)?;
        self.by_type.set(true);
        let mut ranges = alternatives.iter().filter_map(|id| match types.node(*id) {
            Node::Integer { low, high } => Some((low, high)),
            _ => None,
        });
        let (mut low, mut high) = ranges.next()?;
        for (other_low, other_high) in ranges {
            low = if low.is_none() || other_low < low { other_low } else { low };
            high = if high.is_none() || (other_high.is_some() && other_high < high) { high } else { other_high };
        }
        Some(Range { low: low.clone(), high: high.clone() })
    }

    /// The bounds known so far, to be narrowed.
    fn range_mut(&mut self, arena: &Arena, id: SymId) -> &mut Range {
        let known = self.range(arena, id).unwrap_or_default();
        self.ranges.entry(id).or_insert(known)
    }

    /// Takes the condition, or its negation, for granted from now on.
    pub fn assume(&mut self, arena: &Arena, condition: SymId, holds: bool) {
        let mut rest = vec![(condition, holds)];
        while let Some((condition, holds)) = rest.pop() {
            if self.conditions.insert(condition, holds) == Some(holds) {
                continue;
            }
            match arena.get(condition) {
                Expr::Not(inner) => rest.push((*inner, !holds)),
                Expr::And(a, b) if holds => rest.extend([(*a, true), (*b, true)]),
                Expr::Or(a, b) if !holds => rest.extend([(*a, false), (*b, false)]),
                // Of a pair where one side is ruled out, the other one decides.
                Expr::And(a, b) | Expr::Or(a, b) => match (self.holds(arena, *a), self.holds(arena, *b)) {
                    (Some(known), None) if known != holds => rest.push((*b, holds)),
                    (None, Some(known)) if known != holds => rest.push((*a, holds)),
                    _ => {}
                },
                Expr::Is(id, tags) => self.narrow(arena, *id, if holds { *tags } else { !*tags }),
                Expr::Arity(id, size) if holds => {
                    self.narrow(arena, *id, Tags::TUPLE);
                    self.arities.insert(*id, *size);
                }
                Expr::Eq(a, b) => self.assume_equal(arena, *a, *b, holds),
                Expr::Lt(a, b) => self.assume_less(arena, *a, *b, holds),
                Expr::Map(MapExpr::Has(map, key)) if holds && arena.is_constant(*key) => {
                    self.keys.entry(*map).or_default().push(*key);
                }
                _ => {}
            }
        }
    }

    fn narrow(&mut self, arena: &Arena, id: SymId, tags: Tags) {
        let open = self.tags(arena, id) & tags;
        self.tags.insert(id, open);
        if open == Tags::NIL
            && let Some(nil) = arena.find(&Expr::Nil)
        {
            self.constants.insert(id, nil);
        }
    }

    fn assume_equal(&mut self, arena: &Arena, a: SymId, b: SymId, holds: bool) {
        match arena.get(b) {
            Expr::Int(i) => {
                let range = self.range_mut(arena, a);
                if holds {
                    range.raise_low(i.clone());
                    range.lower_high(i.clone());
                } else {
                    range.exclude(i);
                }
            }
            Expr::OfInt(int) if !holds => {
                if let (Expr::Int(i), Some(part)) = (arena.get(*int), arena.find(&Expr::IntOf(a))) {
                    self.range_mut(arena, part).exclude(i);
                }
            }
            _ if holds => {
                self.narrow(arena, a, arena.tags(b));
                if arena.is_constant(b) {
                    self.constants.insert(a, b);
                }
            }
            Expr::Nil => self.narrow(arena, a, !Tags::NIL),
            _ => {}
        }
    }

    fn assume_less(&mut self, arena: &Arena, a: SymId, b: SymId, holds: bool) {
        match (arena.get(a), arena.get(b)) {
            (_, Expr::Int(bound)) => {
                let range = self.range_mut(arena, a);
                if holds { range.lower_high(bound - 1) } else { range.raise_low(bound.clone()) }
            }
            (Expr::Int(bound), _) => {
                let range = self.range_mut(arena, b);
                if holds { range.raise_low(bound + 1) } else { range.lower_high(bound.clone()) }
            }
            _ => {}
        }
    }
}

/// What a condition that is made of others is made of.
fn operands(arena: &Arena, condition: SymId) -> Option<[Option<SymId>; 2]> {
    match arena.get(condition) {
        Expr::Not(inner) => Some([Some(*inner), None]),
        Expr::And(a, b) | Expr::Or(a, b) => Some([Some(*a), Some(*b)]),
        _ => None,
    }
}

/// Two conditions of which one decides alone if it is `decides`.
fn both(a: Option<bool>, b: Option<bool>, decides: bool) -> Option<bool> {
    match (a, b) {
        (Some(one), _) | (_, Some(one)) if one == decides => Some(decides),
        (Some(_), Some(_)) => Some(!decides),
        (Some(_) | None, None) | (None, Some(_)) => None,
    }
}

/// The expression of a constant, if the run has made it.
fn find_constant(arena: &Arena, constant: Single<'_>) -> Option<SymId> {
    match constant {
        Single::Atom(atom) => arena.find(&Expr::Atom(atom)),
        Single::Nil => arena.find(&Expr::Nil),
        Single::Int(int) => arena.find(&Expr::OfInt(arena.find(&Expr::Int(int.clone()))?)),
    }
}
