//! From OTP 26 on small maps have their atoms in the order in which the VM came to know them. The release is one for the whole process, so this has a process of
//! its own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use cuter_engine::release;
use cuter_engine::smt::{Answer, Limits, Question, Solver, Step, Z3};
use cuter_engine::sym::{Arena, SymId, Tags};
use cuter_engine::term::map::{self, Map};
use cuter_engine::term::order::KeyOrder;
use cuter_engine::term::{AtomId, set_registry};
use parking_lot::Mutex;

/// A VM that knows some atoms, against the order of their names, and learns others.
static KNOWN: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn learn(name: &str) -> Option<u64> {
    let mut known = KNOWN.lock();
    if known.is_empty() {
        known.extend(["z", "y", "x", "c", "b", "a"].map(str::to_owned));
    }
    let place = known.iter().position(|other| other == name).unwrap_or_else(|| {
        known.push(name.to_owned());
        known.len() - 1
    });
    Some(place as u64)
}

struct Case {
    arena: Arena,
    steps: Vec<Step>,
    keys: Vec<SymId>,
}

/// A map with so many keys, all of them atoms.
fn shown(size: u32) -> Case {
    release::set(27);
    set_registry(learn);
    let mut case = Case { arena: Arena::default(), steps: Vec::new(), keys: Vec::new() };
    let map = case.arena.input(0);
    let is_map = case.arena.is(map, Tags::MAP);
    case.require(is_map);
    let shown = case.arena.map_shown(map, size);
    case.require(shown);
    for place in 0..size {
        let key = case.arena.map_key(map, place);
        let is_atom = case.arena.is(key, Tags::ATOM);
        case.require(is_atom);
        case.keys.push(key);
    }
    case
}

impl Case {
    fn require(&mut self, condition: SymId) {
        self.steps.push(Step { key: self.steps.len() as u64, condition, taken: true });
    }

    fn is(&mut self, place: usize, name: &str) -> SymId {
        let atom = self.arena.atom(AtomId::intern(name));
        self.arena.eq(self.keys[place], atom)
    }

    fn ask(&self) -> Answer {
        let (goal, prefix) = self.steps.split_last().unwrap();
        let question =
            Question { arena: &self.arena, arena_id: 0, prefix, goal: *goal, inputs: 1, whole: false, deadline: None };
        Z3::new(Limits::default()).solve(&question)
    }

    /// The names of the keys in the order in which the map of a model shows them.
    fn keys(&self) -> Vec<String> {
        let Answer::Sat(model) = self.ask() else { panic!("{:?}", self.ask()) };
        let (heap, root) = model.inputs[0].as_ref().unwrap().open();
        let pairs = map::in_order(&heap, Map::of(&heap, root).unwrap(), KeyOrder::of_maps());
        pairs.into_iter().map(|(key, _)| key.as_atom().to_string()).collect()
    }
}

#[test]
fn known_atoms_come_by_age() {
    let mut case = shown(2);
    let conditions = [case.is(0, "y"), case.is(1, "b")];
    conditions.into_iter().for_each(|condition| case.require(condition));
    assert_eq!(case.keys(), ["y", "b"]);
    let mut case = shown(2);
    let conditions = [case.is(0, "b"), case.is(1, "y")];
    conditions.into_iter().for_each(|condition| case.require(condition));
    assert_eq!(case.ask(), Answer::Unsat);
}

#[test]
fn made_up_atoms_are_younger_and_come_in_the_order_in_which_they_are_made() {
    let mut case = shown(4);
    let (third, [_, second, _, last]) = (case.is(2, "x"), [0, 1, 2, 3].map(|place| case.keys[place]));
    case.require(third);
    let names_fall = case.arena.before(KeyOrder::Terms, last, second);
    case.require(names_fall);
    let keys = case.keys();
    assert_eq!(keys[2], "x");
    assert!(keys[3] < keys[1], "{keys:?}");
}

#[test]
fn an_atom_older_than_all_that_are_known_is_not_made_up() {
    let mut case = shown(2);
    let oldest = case.is(1, "z");
    case.require(oldest);
    assert!(matches!(case.ask(), Answer::Unknown(_)));
}
