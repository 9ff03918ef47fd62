//! The ages of atoms, where they decide the order of keys in maps.
//!
//! To Z3 an age is a number. Each question says how old the atoms are that conditions mention, and some others, and that all the rest is
//! younger: what is made up the VM gets to know then. So the atoms that a model makes up are made in the order of their ages.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use z3::ast::{Bool, Datatype};

use super::atoms::short_name;
use super::decode::big;
use super::encode::{Encoder, Result};
use super::facts::Facts;
use super::sorts::Shape;
use crate::term::AtomId;
use crate::term::order::KeyOrder;

pub(super) fn matter(facts: &Facts) -> bool {
    facts.maps.ordered().iter().any(|ordered| ordered.order == KeyOrder::Ages)
}

/// The terms whose age matters, if they are atoms.
fn aged(facts: &Facts) -> Vec<&Datatype> {
    let ordered = facts.maps.ordered().iter().filter(|ordered| ordered.order == KeyOrder::Ages);
    let mut terms: Vec<&Datatype> = Vec::new();
    for term in ordered.flat_map(|ordered| [&ordered.a, &ordered.b]) {
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    terms
}

/// Mentions some atoms that every VM knows early, as far as there is room for them.
pub(super) fn mention_some(encoder: &mut Encoder) {
    let letters = (0..26).map(|turn| AtomId::intern(&short_name(turn)));
    for atom in letters.chain([AtomId::FALSE, AtomId::TRUE, AtomId::ERROR, AtomId::OK, AtomId::UNDEFINED]) {
        let _ = encoder.constants.atoms.label(atom);
    }
}

/// How old the mentioned atoms are.
pub(super) fn known(encoder: &Encoder) -> Result<Vec<Bool>> {
    let age = |(atom, label): (AtomId, i64)| Ok(encoder.functions.age(&label.into())?.eq(atom.age()));
    encoder.constants.atoms.all().map(age).collect()
}

/// That other atoms are younger than these, where ages matter.
pub(super) fn closed(encoder: &Encoder, facts: &Facts) -> Result<Vec<Bool>> {
    let Encoder { sorts, functions, constants, .. } = encoder;
    let youngest = constants.atoms.all().map(|(atom, _)| atom.age()).max().unwrap_or(0);
    let mut laws = Vec::new();
    for term in aged(facts) {
        let label = sorts.id(Shape::Atom, term)?;
        let mut possible = vec![sorts.is(Shape::Atom, term)?.not(), functions.age(&label)?.gt(youngest)];
        possible.extend(constants.atoms.all().map(|(_, known)| label.eq(known)));
        laws.push(Bool::or(&possible));
    }
    Ok(laws)
}

/// The numbers of the atoms in a model whose age matters, the oldest first.
pub(super) fn oldest_first(model: &z3::Model, encoder: &Encoder, facts: &Facts) -> Result<Vec<BigInt>> {
    let Encoder { sorts, functions, .. } = encoder;
    let mut atoms = BTreeSet::new();
    for term in aged(facts) {
        let is_atom = model.eval(&sorts.is(Shape::Atom, term)?, true).and_then(|is_atom| is_atom.as_bool());
        let label = sorts.id(Shape::Atom, term)?;
        if is_atom == Some(true)
            && let (Some(age), Some(label)) = (model.eval(&functions.age(&label)?, true), model.eval(&label, true))
        {
            atoms.insert((big(&age), big(&label)));
        }
    }
    Ok(atoms.into_iter().map(|(_, label)| label).collect())
}
