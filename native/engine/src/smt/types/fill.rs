//! What a model leaves open and the types do not: keys of maps of which only the number is known, and parts that nobody speaks of.

use z3::ast::{Bool, Datatype, Int};

use super::follow::{Says, Typed};
use super::{Demand, Result, TypeFacts, parts_of};
use crate::smt::contents::Contents;
use crate::smt::encode::Encoder;
use crate::smt::funs::Asked as Call;
use crate::smt::map_facts::MapFacts;
use crate::sym::Tags;
use crate::types::{Node, Types};

/// The most keys that a map is given at once for its size alone.
const FILLED: usize = 32;

/// The most keys that are told apart from those that a map is given.
const TOLD_APART: usize = 48;

impl TypeFacts {
    pub(super) fn fresh_term(&mut self, encoder: &Encoder) -> Datatype {
        self.fresh += 1;
        Datatype::new_const(format!("some_key_{}", self.fresh), encoder.sorts.term_sort())
    }

    /// Keys for typed maps that have more keys in a model than they were asked for, and one level more of the places that matter as a whole. Empty if
    /// there is nothing to be said. If `low`, that level is one of terms of least height.
    pub(in crate::smt) fn fill(
        &mut self,
        encoder: &mut Encoder,
        (maps, calls): (&mut MapFacts, &[Call]),
        model: &z3::Model,
        low: bool,
    ) -> Result<Vec<Bool>> {
        let Some(signature) = self.signature.clone() else { return Ok(Vec::new()) };
        let mut axioms = Vec::new();
        self.low = low;
        self.go_deeper(encoder, &signature.types, model, &mut axioms)?;
        self.low = false;
        if maps.sized().is_empty() || self.followed.maps.is_empty() {
            return Ok(axioms);
        }
        let contents = Contents::of(model, &encoder.functions, maps)?;
        let mut filled: Vec<Int> = Vec::new();
        for typed in self.followed.maps.clone() {
            let more = contents.of_map(model, &typed.number).map_or(0, |content| content.more);
            let is_sized = maps.sized().contains(&typed.number);
            if more == 0 || !is_sized || !is_true(model, &typed.holds) || filled.contains(&typed.number) {
                continue;
            }
            filled.push(typed.number.clone());
            let mut says = Says { facts: self, encoder, maps, types: &signature.types, axioms: &mut axioms };
            let apart = says.has_maps_for_keys(&typed);
            says.more_keys(&typed.number, more.min(FILLED), apart)?;
        }
        self.follow(encoder, maps, calls, &mut axioms)?;
        Ok(axioms)
    }

    /// Goes on where places that matter as a whole have been looked at so many levels deep.
    fn go_deeper(
        &mut self,
        encoder: &mut Encoder,
        types: &Types,
        model: &z3::Model,
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        let is_open = |demand: &&Demand| {
            !self.meant.contains(*demand) && self.demands.get(*demand).is_some_and(|holds| is_true(model, holds))
        };
        let open: Vec<Demand> = self.frontier.iter().filter(is_open).cloned().collect();
        self.give_meaning(encoder, types, open.clone(), axioms)?;
        for (place, id) in open {
            let parts = parts_of(&encoder.sorts, types, &place, id)?;
            self.frontier.extend(parts.into_iter().filter(|demand| self.demands.contains_key(demand)));
        }
        Ok(())
    }

    /// Gives a meaning to the demands that a model takes for true, though nobody speaks of their places; asks maps for the keys they must have; and says
    /// what the types say where the model has two expressions for one map or fun. Empty if there is nothing to be said. If `low`, such places get
    /// terms of least height.
    pub(in crate::smt) fn deepen(
        &mut self,
        encoder: &mut Encoder,
        (maps, calls): (&mut MapFacts, &[Call]),
        model: &z3::Model,
        low: bool,
    ) -> Result<Vec<Bool>> {
        let Some(signature) = self.signature.clone() else { return Ok(Vec::new()) };
        let open = self.demands.iter().filter(|(demand, holds)| !self.meant.contains(*demand) && is_true(model, holds));
        let open: Vec<Demand> = open.map(|(demand, _)| demand.clone()).collect();
        let mut axioms = Vec::new();
        self.low = low;
        self.give_meaning(encoder, &signature.types, open, &mut axioms)?;
        let mut says = Says { facts: self, encoder, maps, types: &signature.types, axioms: &mut axioms };
        says.join_maps(model)?;
        says.join_calls(calls, model)?;
        self.follow(encoder, maps, calls, &mut axioms)?;
        self.low = false;
        Ok(axioms)
    }
}

fn is_true(model: &z3::Model, holds: &Bool) -> bool {
    model.eval(holds, true).and_then(|value| value.as_bool()) == Some(true)
}

fn value(model: &z3::Model, int: &Int) -> Option<Int> {
    model.eval(int, true)
}

impl Says<'_> {
    /// As many keys more as the map has besides those that it was asked for, up to so many.
    fn more_keys(&mut self, map: &Int, more: usize, apart: bool) -> Result<()> {
        let asked = self.maps.asked().iter().filter(|asked| asked.map == *map);
        let mut keys: Vec<Datatype> = asked.map(|asked| asked.key.clone()).collect();
        if keys.len() + more > TOLD_APART {
            return Ok(());
        }
        let mut known = vec![Int::from_u64(0)];
        for (index, key) in keys.iter().enumerate() {
            let mut new = vec![self.encoder.functions.has(map, key)?];
            new.extend(keys.iter().take(index).map(|other| other.eq(key).not()));
            known.push(Bool::and(&new).ite(&Int::from_u64(1), &Int::from_u64(0)));
        }
        let known = Int::add(&known);
        let size = self.encoder.functions.size(map)?;
        for number in 1..=more {
            let key = self.facts.fresh_term(self.encoder);
            let mut all = vec![self.encoder.functions.has(map, &key)?];
            all.extend(keys.iter().map(|other| other.eq(&key).not()));
            let needed = size.ge(Int::add(&[known.clone(), Int::from_u64(number as u64)]));
            self.axioms.push(needed.implies(Bool::and(&all)));
            self.ask(map, &key)?;
            for other in keys.iter().filter(|_| apart) {
                self.maps.compare(self.encoder, (key.clone(), other.clone()), self.axioms)?;
            }
            keys.push(key);
        }
        Ok(())
    }

    /// Whether keys of a map can be maps, so that more is needed to tell them apart than their numbers.
    fn has_maps_for_keys(&self, typed: &Typed) -> bool {
        match self.types.node(typed.id) {
            Node::Map(associations) => associations.iter().any(|item| self.types.tags(item.key).meets(Tags::MAP)),
            _ => false,
        }
    }

    /// Maps that are of a type in the model are asked for what they must have, and for what others with their number are asked for.
    fn join_maps(&mut self, model: &z3::Model) -> Result<()> {
        for (at, typed) in self.facts.followed.maps.clone().into_iter().enumerate() {
            if !is_true(model, &typed.holds) {
                continue;
            }
            self.complete(at)?;
            let Some(number) = value(model, &typed.number) else { continue };
            let same = |map: &Int| value(model, map).is_some_and(|other| other == number);
            let others = self.maps.asked().iter().filter(|asked| asked.map != typed.number && same(&asked.map));
            let keys: Vec<Datatype> = others.map(|asked| asked.key.clone()).collect();
            keys.iter().try_for_each(|key| self.ask(&typed.number, key))?;
        }
        Ok(())
    }

    /// What calls return of funs that have the number of a typed one in the model.
    fn join_calls(&mut self, calls: &[Call], model: &z3::Model) -> Result<()> {
        for (at, typed) in self.facts.followed.funs.clone().into_iter().enumerate() {
            if !is_true(model, &typed.holds) {
                continue;
            }
            let Some(number) = value(model, &typed.number) else { continue };
            for (index, call) in calls.iter().enumerate() {
                let same = value(model, call.fun()).is_some_and(|other| other == number);
                let (true, Some(result)) = (same && *call.fun() != typed.number, call.result()) else { continue };
                if self.facts.followed.joined.insert((at, index)) {
                    self.result(at, result, Some(typed.number.eq(call.fun())))?;
                }
            }
        }
        Ok(())
    }
}
