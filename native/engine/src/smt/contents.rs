//! What is in the maps of a model.
//!
//! A map has the keys that it was asked for and that it has. If its size was asked for and is larger than that, it has other keys besides,
//! none of which it was asked for.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use z3::ast::{Bool, Datatype, Int};

use super::EncodeError;
use super::decode::big;
use super::map_facts::MapFacts;
use super::maps::Functions;
use crate::term::AtomId;

/// The most keys that a map is given for its size alone.
const FILLED: usize = 100_000;

/// A map of a model.
#[derive(Default)]
pub(super) struct Content {
    /// Keys and values.
    pub(super) pairs: Vec<(Datatype, Datatype)>,
    /// Keys that it does not have.
    pub(super) absent: Vec<Datatype>,
    /// How many more keys it has.
    pub(super) more: usize,
}

/// The maps of a model, by number.
#[derive(Default)]
pub(super) struct Contents {
    maps: FxHashMap<BigInt, Content>,
    /// Some map has more keys than are made up for one.
    pub(super) too_large: bool,
}

impl Contents {
    pub(super) fn of(model: &z3::Model, functions: &Functions, facts: &MapFacts) -> Result<Self, EncodeError> {
        let mut contents = Contents::default();
        for asked in facts.asked() {
            let Some(content) = contents.entry(model, &asked.map) else { continue };
            let Some(key) = model.eval(&asked.key, true) else { continue };
            let known = content.pairs.iter().map(|(known, _)| known).chain(&content.absent).any(|known| *known == key);
            if known {
                continue;
            }
            let has = model.eval(&functions.has(&asked.map, &asked.key)?, true).and_then(|has: Bool| has.as_bool());
            match model.eval(&functions.get(&asked.map, &asked.key)?, true) {
                Some(value) if has == Some(true) => content.pairs.push((key, value)),
                Some(_) | None => content.absent.push(key),
            }
        }
        for map in facts.sized() {
            let size = model.eval(&functions.size(map)?, true).and_then(|size: Int| size.as_u64()).unwrap_or(0);
            if let Some(content) = contents.entry(model, map) {
                let more = (size as usize).saturating_sub(content.pairs.len());
                content.more = more.min(FILLED);
                contents.too_large |= more > FILLED;
            }
        }
        Ok(contents)
    }

    fn entry(&mut self, model: &z3::Model, map: &Int) -> Option<&mut Content> {
        let number = model.eval(map, true)?;
        Some(self.maps.entry(big(&number)).or_default())
    }

    /// What is in a map.
    pub(super) fn of_map(&self, model: &z3::Model, map: &Int) -> Option<&Content> {
        self.get(&big(&model.eval(map, true)?))
    }

    pub(super) fn get(&self, number: &BigInt) -> Option<&Content> {
        self.maps.get(number)
    }
}

/// A key for a map about which only its size is known, another one for each turn. What a spec says of keys is repaired later.
pub(super) fn filler_key(turn: u32) -> AtomId {
    AtomId::intern(&super::atoms::short_name(turn))
}
