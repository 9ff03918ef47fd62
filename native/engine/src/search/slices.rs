//! Which conditions of a path a question depends on.
//!
//! Conditions that speak of common places in the input belong together, and so do those about a place and about its parts. What has nothing to do with
//! the wanted condition can stay as it is in the recorded input: only the rest, a *slice* of the path, has to be solved. Conditions on the
//! shape of a place (a cons, a tuple of two) tie nothing together, since the parts of a term of one shape are free; they are in the slice
//! of every part.
//!
//! This is a choice of conditions, not a proof: types can tie places together that no condition does. If a slice has no solution the path
//! has none either; an input made of a solution of a slice is tried on all conditions before anybody believes in it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::tree::Record;
use crate::sym::key::{Key, Keys, combined};
use crate::sym::{Arena, Expr, SymId};

/// Paths with more decisions are not sliced.
const LONGEST: usize = 400;

/// What a condition speaks of.
#[derive(Clone, Default)]
struct Mention {
    places: Vec<SymId>,
    /// It is about the shape of its only place.
    shape: bool,
}

/// The slices of one path.
#[derive(Default)]
pub(super) struct Slicer {
    record: Option<u64>,
    mentions: Vec<Mention>,
    /// How many decisions are in what follows.
    linked: usize,
    /// Places with values that conditions speak of: another one of the same class, up to the one that stands for it.
    parents: FxHashMap<SymId, SymId>,
    /// The places below one that conditions speak of.
    below: FxHashMap<SymId, Vec<SymId>>,
    keys: Keys,
}

/// A part of a question.
pub(super) struct Slice {
    /// The decisions that are in it, by index, the last one the other way.
    pub(super) decisions: Vec<usize>,
    /// The places that a solution of it gives values to, none within another.
    pub(super) places: Vec<SymId>,
    /// What it says.
    pub(super) key: Key,
    /// Which places it is about.
    pub(super) place_key: Key,
}

impl Slicer {
    /// The slice for the other side of a decision, if that is less than the whole path up to there.
    pub(super) fn slice(&mut self, record: &Record, index: usize) -> Option<Slice> {
        if index >= LONGEST {
            return None;
        }
        self.enter(record, index);
        let goal = mention(&record.arena, record.decision(index)?.condition);
        let classes = self.classes(&record.arena, &goal.places);
        let mut places: FxHashSet<SymId> = goal.places.iter().copied().collect();
        let valued: Vec<SymId> = self.parents.keys().copied().collect();
        places.extend(valued.into_iter().filter(|place| classes.contains(&self.find(*place))));
        let mut above: FxHashSet<SymId> = FxHashSet::default();
        for place in &places {
            above.extend(record.arena.wholes(*place));
        }
        let is_in = |mention: &Mention| match mention.places.as_slice() {
            [] => true,
            [place] if mention.shape => {
                places.contains(place)
                    || above.contains(place)
                    || record.arena.wholes(*place).any(|whole| places.contains(&whole))
            }
            several => several.iter().any(|place| places.contains(place)),
        };
        let mut decisions: Vec<usize> =
            self.mentions.iter().take(index).enumerate().filter(|(_, one)| is_in(one)).map(|(at, _)| at).collect();
        if decisions.len() == index {
            return None;
        }
        decisions.push(index);
        Some(self.finish(record, decisions, &places))
    }

    fn finish(&mut self, record: &Record, decisions: Vec<usize>, places: &FxHashSet<SymId>) -> Slice {
        let arena = &record.arena;
        let mut key_of = |at: usize| {
            let decision = record.decision(at)?;
            Some(combined([self.keys.of(arena, decision.condition), Key::from(decision.taken)]))
        };
        let mut said: Vec<Key> = decisions.iter().filter_map(|at| key_of(*at)).collect();
        // The order of conditions makes no difference, but which one is the wanted one.
        let goal = said.pop().unwrap_or(0);
        said.sort_unstable();
        said.dedup();
        said.push(goal);
        let outermost =
            |place: &&SymId| !arena.wholes(**place).any(|whole| whole != **place && places.contains(&whole));
        let mut places: Vec<SymId> = places.iter().filter(outermost).copied().collect();
        places.sort_unstable();
        let mut names: Vec<Key> = places.iter().map(|place| self.keys.of(arena, *place)).collect();
        names.sort_unstable();
        Slice { decisions, places, key: combined(said), place_key: combined(names) }
    }

    /// Takes the decisions before `index` into account, and no others.
    fn enter(&mut self, record: &Record, index: usize) {
        if self.record != Some(record.number) || self.linked > index {
            let mentions =
                if self.record == Some(record.number) { std::mem::take(&mut self.mentions) } else { Vec::new() };
            let keys =
                if self.record == Some(record.number) { std::mem::take(&mut self.keys) } else { Keys::default() };
            *self = Slicer { record: Some(record.number), mentions, keys, ..Slicer::default() };
        }
        for at in self.linked..index {
            if self.mentions.len() <= at {
                let condition = record.decision(at).map(|decision| mention(&record.arena, decision.condition));
                self.mentions.push(condition.unwrap_or_default());
            }
            let mention = self.mentions.get(at).cloned().unwrap_or_default();
            if !mention.shape {
                self.link(&record.arena, &mention.places);
            }
        }
        self.linked = index;
    }

    /// These places belong together, and each with those above and below it.
    fn link(&mut self, arena: &Arena, places: &[SymId]) {
        for place in places {
            if !self.parents.contains_key(place) {
                self.parents.insert(*place, *place);
                for whole in arena.wholes(*place) {
                    if self.parents.contains_key(&whole) {
                        self.unite(*place, whole);
                    }
                    self.below.entry(whole).or_default().push(*place);
                }
                for part in self.below.get(place).cloned().unwrap_or_default() {
                    self.unite(*place, part);
                }
            }
        }
        for pair in places.windows(2) {
            if let [a, b] = pair {
                self.unite(*a, *b);
            }
        }
    }

    fn unite(&mut self, a: SymId, b: SymId) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents.insert(a, b);
    }

    fn find(&self, place: SymId) -> SymId {
        let mut at = place;
        while let Some(parent) = self.parents.get(&at).filter(|parent| **parent != at) {
            at = *parent;
        }
        at
    }

    /// The classes that places belong to, or that places above and below them do.
    fn classes(&self, arena: &Arena, places: &[SymId]) -> FxHashSet<SymId> {
        let mut classes = FxHashSet::default();
        for place in places {
            let near = arena.wholes(*place).chain([*place]).chain(self.below.get(place).into_iter().flatten().copied());
            classes.extend(near.filter(|near| self.parents.contains_key(near)).map(|near| self.find(near)));
        }
        classes
    }
}

/// The term whose outermost shape alone a condition is about. To be one constant or another that has no parts is a matter of shape too.
fn shaped(arena: &Arena, condition: SymId) -> Option<SymId> {
    match arena.get(condition) {
        Expr::Is(term, _) | Expr::Arity(term, _) => Some(*term),
        Expr::Eq(term, constant) if is_leaf(arena, *constant) => Some(*term),
        Expr::Eq(constant, term) if is_leaf(arena, *constant) => Some(*term),
        _ => None,
    }
}

/// Whether an expression is a constant without parts.
fn is_leaf(arena: &Arena, id: SymId) -> bool {
    match arena.get(id) {
        Expr::Nil | Expr::Atom(_) | Expr::Opaque(..) => true,
        Expr::OfInt(int) => matches!(arena.get(*int), Expr::Int(_)),
        Expr::OfReal(real) => matches!(arena.get(*real), Expr::Real(_)),
        _ => false,
    }
}

/// The places that a condition speaks of.
fn mention(arena: &Arena, condition: SymId) -> Mention {
    let mut bare = condition;
    while let Expr::Not(inner) = arena.get(bare) {
        bare = *inner;
    }
    if let Some(place) = shaped(arena, bare).filter(|place| arena.is_place(*place)) {
        return Mention { places: vec![place], shape: true };
    }
    let is_place = |id| arena.is_place(id);
    let places = arena.parts_down_to([bare], is_place).filter(|id| is_place(*id)).collect();
    Mention { places, shape: false }
}

#[cfg(test)]
mod tests;
