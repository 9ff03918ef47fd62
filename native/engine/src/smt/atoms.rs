//! Atoms in formulas: numbers in the order of their names.
//!
//! An atom that a condition mentions gets a number between those of its neighbours by name, so that `<` of atoms is `<` of numbers. Numbers
//! are far apart: there is always one left for an atom that the solver makes up. When some pair of neighbours has come too close, the solver
//! starts anew with all atoms spread out again.

use std::collections::BTreeMap;
use std::iter;
use std::ops::Bound;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use parking_lot::Mutex;

use super::names::MAX_NAME;
use crate::term::AtomId;

const GAP: i64 = 1 << 30;
/// As many atoms can be made up between two neighbours.
const LEAST: i64 = 64;

/// How many names are tried that end in other characters than letters and digits.
const FEW: usize = 40;

/// The atoms that were made up because of their age, by that.
static MADE_UP: Mutex<BTreeMap<u64, AtomId>> = Mutex::new(BTreeMap::new());
/// How many of them there can be. A model that needs more has some of the wrong age, and is refused.
const MOST_MADE_UP: usize = 20_000;

#[derive(Default)]
pub(super) struct Atoms {
    labels: BTreeMap<Arc<str>, i64>,
    by_label: BTreeMap<i64, AtomId>,
    /// Some condition is about the order of atoms.
    pub(super) ordered: bool,
}

impl Atoms {
    /// The same atoms with much room between them.
    pub(super) fn spread(atoms: &Atoms) -> Atoms {
        let mut fresh = Atoms::default();
        for name in atoms.labels.keys() {
            fresh.label(AtomId::intern(name));
        }
        fresh
    }

    /// The number of an atom. `None` if there is no more room for one at its place.
    pub(super) fn label(&mut self, atom: AtomId) -> Option<i64> {
        let name = atom.name();
        if let Some(label) = self.labels.get(&name) {
            return Some(*label);
        }
        let before = self.labels.range::<str, _>((Bound::Unbounded, Bound::Excluded(&*name))).next_back();
        let after = self.labels.range::<str, _>((Bound::Excluded(&*name), Bound::Unbounded)).next();
        let label = match (before.map(|(_, label)| *label), after.map(|(_, label)| *label)) {
            (None, None) => 0,
            (Some(low), None) => low + GAP,
            (None, Some(high)) => high - GAP,
            (Some(low), Some(high)) if high - low > 2 * LEAST => low + (high - low) / 2,
            (Some(_), Some(_)) => return None,
        };
        self.labels.insert(name, label);
        self.by_label.insert(label, atom);
        Some(label)
    }

    pub(super) fn of_label(&self, label: &BigInt) -> Option<AtomId> {
        self.by_label.get(&label.to_i64()?).copied()
    }

    /// The number of a mentioned atom.
    pub(super) fn number(&self, atom: AtomId) -> Option<i64> {
        self.labels.get(&atom.name()).copied()
    }

    pub(super) fn contains(&self, atom: AtomId) -> bool {
        self.labels.contains_key(&atom.name())
    }

    /// The mentioned atoms with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (AtomId, i64)> + '_ {
        self.by_label.iter().map(|(label, atom)| (*atom, *label))
    }
}

/// Names for the atoms of one model.
pub(super) struct Names<'a> {
    atoms: &'a Atoms,
    given: BTreeMap<BigInt, AtomId>,
}

impl<'a> Names<'a> {
    /// With the names that the model itself gives.
    pub(super) fn new(atoms: &'a Atoms, given: BTreeMap<BigInt, AtomId>) -> Self {
        Names { atoms, given }
    }

    /// The atom of a number: the one that has it, or one that nobody has mentioned. If order matters, its name is between those of its
    /// neighbours.
    pub(super) fn name(&mut self, label: BigInt) -> AtomId {
        if let Some(atom) = self.atoms.of_label(&label).or_else(|| self.given.get(&label).copied()) {
            return atom;
        }
        let atom = self.new_name(&label, &|_| true);
        self.given.insert(label, atom);
        atom
    }

    /// Names the atoms of these numbers so that each is younger than the one before it, and all of them than those that are mentioned.
    pub(super) fn make_up(&mut self, labels: Vec<BigInt>) {
        let mut youngest = None;
        for label in labels {
            if self.atoms.of_label(&label).is_some() || self.given.contains_key(&label) {
                continue;
            }
            let least = youngest.or_else(|| self.atoms.all().map(|(atom, _)| atom.age()).max()).unwrap_or(0);
            let atom = self.younger_than(least, &label);
            youngest = Some(atom.age());
            self.given.insert(label, atom);
        }
    }

    /// An atom that was made up before if one will do, the oldest one, and else a new one. The VM never forgets an atom.
    fn younger_than(&self, least: u64, label: &BigInt) -> AtomId {
        let gap = self.gap(label);
        let will_do = |atom: &AtomId| !self.is_taken(*atom) && (!self.atoms.ordered || gap.has(&atom.name()));
        let mut made = MADE_UP.lock();
        if let Some(atom) = made.range((Bound::Excluded(least), Bound::Unbounded)).map(|(_, atom)| *atom).find(will_do)
        {
            return atom;
        }
        if made.len() >= MOST_MADE_UP {
            return self.new_name(label, &|_| true);
        }
        let atom = self.new_name(label, &|name| AtomId::intern(name).age() > least);
        made.insert(atom.age(), atom);
        atom
    }

    fn is_taken(&self, atom: AtomId) -> bool {
        self.atoms.contains(atom) || self.given.values().any(|given| *given == atom)
    }

    /// A name that is good for its purpose, as those that are not known yet are.
    fn new_name(&self, label: &BigInt, is_good: &dyn Fn(&str) -> bool) -> AtomId {
        if self.atoms.ordered { self.between(label, is_good) } else { self.short(is_good) }
    }

    fn short(&self, is_good: &dyn Fn(&str) -> bool) -> AtomId {
        let mut names = (0..).map(short_name).filter(|name| !self.is_taken(AtomId::intern(name)));
        names.find(|name| is_good(name)).map_or(AtomId::UNDEFINED, |name| AtomId::intern(&name))
    }

    /// A name between those of its neighbours.
    fn between(&self, label: &BigInt, is_good: &dyn Fn(&str) -> bool) -> AtomId {
        let gap = self.gap(label);
        let (low, high) = (gap.low.as_deref().unwrap_or(""), gap.high.as_deref());
        let is_free = |name: &String| is_name(name) && gap.has(name) && !self.is_taken(AtomId::intern(name));
        let below = iter::successors(Some(name_between(low, high)), |name| Some(name_between(low, Some(name))));
        let mut names = (0..200).map(short_name).chain(names_above(low)).chain(below.take(FEW));
        let name = names.find(|name| is_free(name) && is_good(name));
        name.map_or_else(|| self.short(is_good), |name| AtomId::intern(&name))
    }

    fn known(&self) -> BTreeMap<BigInt, AtomId> {
        let mentioned = self.atoms.all().map(|(atom, label)| (BigInt::from(label), atom));
        mentioned.chain(self.given.iter().map(|(label, atom)| (label.clone(), *atom))).collect()
    }

    /// Whether numbers follow the order of names, if that matters.
    pub(super) fn are_in_order(&self) -> bool {
        !self.atoms.ordered || self.known().values().is_sorted_by(|a, b| a.compare_names(**b).is_lt())
    }

    fn gap(&self, label: &BigInt) -> Gap {
        let known = self.known();
        let low = known.range(..label).next_back().map(|(_, atom)| atom.name());
        let high = known.range(label..).next().map(|(_, atom)| atom.name());
        Gap { low, high }
    }
}

/// The names just below and above a number.
struct Gap {
    low: Option<Arc<str>>,
    high: Option<Arc<str>>,
}

impl Gap {
    fn has(&self, name: &str) -> bool {
        self.low.as_deref().is_none_or(|low| low < name) && self.high.as_deref().is_none_or(|high| name < high)
    }
}

/// Names above this one: first those that have the beginning of it and one letter or digit more, then two. They begin in the middle, so that there is room on
/// both sides.
fn names_above(low: &str) -> impl Iterator<Item = String> + '_ {
    let letters = || ('m'..='z').chain(('a'..'m').rev()).chain(('0'..='9').rev());
    let ends = low.char_indices().map(|(at, _)| at).chain([low.len()]);
    let one_more = move || {
        ends.clone().flat_map(move |end| {
            let (stem, rest) = low.split_at(end);
            let next = rest.chars().next();
            letters()
                .filter(move |letter| next.is_none_or(|next| *letter > next))
                .map(move |letter| format!("{stem}{letter}"))
        })
    };
    let two_more = one_more().flat_map(move |stem| letters().map(move |letter| format!("{stem}{letter}")));
    one_more().chain(two_more)
}

/// Whether an atom can have this name.
fn is_name(name: &str) -> bool {
    name.chars().count() <= MAX_NAME
}

/// A name above `low` and, if there is one at all, below `high`: the common beginning of both, then something between.
fn name_between(low: &str, high: Option<&str>) -> String {
    let Some(high) = high else { return format!("{low}a") };
    let continued = format!("{low}a");
    if continued.as_str() < high {
        return continued;
    }
    // The low name is the beginning of the high one, which goes on with a character up to `a`.
    let next = high.get(low.len()..).and_then(|rest| rest.chars().next()).map_or(0, u32::from);
    let smaller = if next > u32::from('0') { '0' } else { char::from_u32(next.saturating_sub(1)).unwrap_or('\0') };
    format!("{low}{smaller}")
}

/// `a`, `b` … `z`, `a1`, `b1` …
pub(super) fn short_name(turn: u32) -> String {
    let letter = char::from(b'a' + (turn % 26) as u8);
    if turn < 26 { letter.to_string() } else { format!("{letter}{}", turn / 26) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_order_of_names_however_they_come() {
        let mut atoms = Atoms::default();
        let names = ["m", "a", "z", "zz", "mm", "", "b", "ä", "error", "false"];
        for name in names {
            assert!(atoms.label(AtomId::intern(name)).is_some());
        }
        let by_number: Vec<Arc<str>> = atoms.all().map(|(atom, _)| atom.name()).collect();
        let mut by_name = by_number.clone();
        by_name.sort();
        assert_eq!(by_number, by_name);
    }

    #[test]
    fn where_there_is_no_room_left_all_is_spread_anew() {
        let mut atoms = Atoms::default();
        let mut name = "b".to_owned();
        atoms.label(AtomId::intern("a"));
        while atoms.label(AtomId::intern(&name)).is_some() {
            name.insert(0, 'a');
        }
        assert!(Atoms::spread(&atoms).label(AtomId::intern(&name)).is_some());
    }

    #[test]
    fn new_names_are_short_though_many_were_made_before() {
        let mut atoms = Atoms { ordered: true, ..Atoms::default() };
        let long = "a".repeat(MAX_NAME);
        let [low, _] = ["true", "u"].map(|name| atoms.label(AtomId::intern(name)).unwrap());
        let top = atoms.label(AtomId::intern(&long)).unwrap();
        let mut names = Names::new(&atoms, BTreeMap::new());
        let up: Vec<Arc<str>> = (1..100).map(|step| names.name(BigInt::from(low + step)).name()).collect();
        assert!(up.is_sorted_by(|a, b| a < b) && up.iter().all(|name| name.len() < 20), "{up:?}");
        let down: Vec<Arc<str>> = (1..40).map(|step| names.name(BigInt::from(low - step)).name()).collect();
        assert!(down.is_sorted_by(|a, b| a > b) && down.iter().all(|name| name.len() < 20), "{down:?}");
        assert!(is_name(&names.name(BigInt::from(top + 1)).name()));
    }

    #[test]
    fn new_names_stand_between_their_neighbours() {
        let mut atoms = Atoms { ordered: true, ..Atoms::default() };
        let [a, b] = ["kiwi", "kiwis"].map(|name| atoms.label(AtomId::intern(name)).unwrap());
        let mut names = Names::new(&atoms, BTreeMap::new());
        let middle = names.name(BigInt::from(i64::midpoint(a, b)));
        let upper = names.name(BigInt::from(i64::midpoint(a, b) + 1));
        let above = names.name(BigInt::from(b + 1));
        let below = names.name(BigInt::from(a - 1));
        let all = [below.name(), Arc::from("kiwi"), middle.name(), upper.name(), Arc::from("kiwis"), above.name()];
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
    }
}
