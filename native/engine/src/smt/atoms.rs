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

use crate::term::AtomId;

const GAP: i64 = 1 << 30;
/// As many atoms can be made up between two neighbours.
const LEAST: i64 = 64;
/// How many names between those of two neighbours are looked at, each longer than the one before.
const LONGER: usize = 200;

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
        let atom = if self.atoms.ordered { self.between(&label, &|_| true) } else { self.short() };
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
            let least = youngest.or_else(|| self.atoms.all().map(|(atom, _)| atom.age()).max());
            let atom = self.between(&label, &|name| least.is_none_or(|least| AtomId::intern(name).age() > least));
            youngest = Some(atom.age());
            self.given.insert(label, atom);
        }
    }

    fn is_taken(&self, atom: AtomId) -> bool {
        self.atoms.contains(atom) || self.given.values().any(|given| *given == atom)
    }

    fn short(&self) -> AtomId {
        let names = (0..).map(short_name).map(|name| AtomId::intern(&name));
        names.into_iter().find(|atom| !self.is_taken(*atom)).unwrap_or(AtomId::UNDEFINED)
    }

    /// A name between those of its neighbours that is good for its purpose, as most new ones are.
    fn between(&self, label: &BigInt, is_good: &dyn Fn(&str) -> bool) -> AtomId {
        let (low, high) = self.neighbours(label);
        let (low, high) = (low.as_deref().unwrap_or(""), high.as_deref());
        let is_between = |name: &str| low < name && high.is_none_or(|high| name < high);
        let short = (0..200).map(short_name).filter(|name| is_between(name) && !self.is_taken(AtomId::intern(name)));
        let longer = iter::successors(Some(name_between(low, high)), |name| Some(name_between(name, high)));
        let longer = longer.take(LONGER).take_while(|name| is_between(name));
        let name = short.chain(longer).find(|name| is_good(name));
        name.map_or_else(|| self.short(), |name| AtomId::intern(&name))
    }

    fn known(&self) -> BTreeMap<BigInt, AtomId> {
        let mentioned = self.atoms.all().map(|(atom, label)| (BigInt::from(label), atom));
        mentioned.chain(self.given.iter().map(|(label, atom)| (label.clone(), *atom))).collect()
    }

    /// Whether numbers follow the order of names, if that matters.
    pub(super) fn are_in_order(&self) -> bool {
        !self.atoms.ordered || self.known().values().is_sorted_by(|a, b| a.compare_names(**b).is_lt())
    }

    /// The names just below and above a number.
    fn neighbours(&self, label: &BigInt) -> (Option<Arc<str>>, Option<Arc<str>>) {
        let known = self.known();
        let low = known.range(..label).next_back().map(|(_, atom)| atom.name());
        let high = known.range(label..).next().map(|(_, atom)| atom.name());
        (low, high)
    }
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
