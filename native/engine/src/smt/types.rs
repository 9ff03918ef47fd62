//! What a spec says of the inputs, put to Z3 only as deep as conditions look.
//!
//! The type of a place is a formula over the place and one truth value for each part that has more than a flat type: "this part is of that type". Such a
//! truth value means nothing until a condition speaks of the part; then its own formula is asserted, in the scope of that condition. So recursive
//! types need neither quantifiers nor recursive functions, and parts that nobody looks at cost nothing. What a model has there
//! need not be of the type: it is repaired afterwards ([`crate::types::repair`]). Where that is not possible, because an equality ties such a part
//! to others, the question is asked again and [`TypeFacts::deepen`] goes on to parts that nobody looked at.
//!
//! Maps and funs have no parts in the datatype. That a map is of a type says something for each key that conditions ask it for, and that a fun is of a
//! type for each call: what is said follows the asking ([`follow`]). A map whose size matters is given keys of its type ([`fill`]).
//!
//! Not put to Z3: what arguments a fun is for.

mod fill;
mod follow;
mod outside;

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use z3::ast::{Bool, Datatype};

use super::EncodeError;
use super::encode::{Encoder, integer};
use super::funs::arity_of;
use super::maps::EMPTY;
use super::sorts::{Field, Shape, Sorts};
use crate::types::{Node, Signature, TypeId, Types};
use follow::{FollowMark, Followed};

type Result<T> = std::result::Result<T, EncodeError>;
type Demand = (Datatype, TypeId);

/// More alternatives than these are not spelled out inside another formula.
const INLINE: usize = 16;

/// How many levels of a key, or of an argument of a fun, are put to Z3, whether somebody speaks of them or not: which keys a map has and which call is meant
/// depends on all of it. More of them follow where a model goes deeper.
const LEVELS: usize = 2;

#[derive(Default)]
pub(super) struct TypeFacts {
    signature: Option<Arc<Signature>>,
    /// Places and the types they may have to be of, with the truth value that says so.
    demands: IndexMap<Demand, Bool, FxBuildHasher>,
    /// Places that asserted conditions speak of.
    mentioned: IndexSet<Datatype, FxBuildHasher>,
    /// Demands whose meaning is asserted.
    meant: IndexSet<Demand, FxBuildHasher>,
    /// What is said of maps and funs.
    followed: Followed,
    /// Places of bitstrings whose type says something of their size.
    bitstrings: IndexSet<Datatype, FxBuildHasher>,
    /// Demands on parts, some levels deep, of places that matter as a whole.
    frontier: IndexSet<Demand, FxBuildHasher>,
    /// The clauses of the spec have been introduced.
    begun: bool,
    /// Only alternatives of least height are spelled out.
    low: bool,
    fresh: u32,
}

#[derive(Clone, Copy, Default)]
pub(super) struct TypeMark {
    demands: usize,
    mentioned: usize,
    meant: usize,
    followed: FollowMark,
    bitstrings: usize,
    frontier: usize,
    begun: bool,
}

impl TypeMark {
    /// How many places of bitstrings there were.
    pub(super) const fn bitstrings(self) -> usize {
        self.bitstrings
    }
}

impl TypeFacts {
    pub(super) fn new(signature: Option<Arc<Signature>>) -> Self {
        TypeFacts { signature, ..TypeFacts::default() }
    }

    pub(super) fn mark(&self) -> TypeMark {
        TypeMark {
            demands: self.demands.len(),
            mentioned: self.mentioned.len(),
            meant: self.meant.len(),
            followed: self.followed.mark(),
            bitstrings: self.bitstrings.len(),
            frontier: self.frontier.len(),
            begun: self.begun,
        }
    }

    pub(super) fn undo(&mut self, mark: TypeMark) {
        self.demands.truncate(mark.demands);
        self.mentioned.truncate(mark.mentioned);
        self.meant.truncate(mark.meant);
        self.followed.undo(mark.followed);
        self.bitstrings.truncate(mark.bitstrings);
        self.frontier.truncate(mark.frontier);
        self.begun = mark.begun;
    }

    /// Places of bitstrings whose size matters for their type, from this one on.
    pub(super) fn bitstrings(&self, from: usize) -> impl Iterator<Item = &Datatype> {
        self.bitstrings.iter().skip(from)
    }

    /// A condition speaks of this place.
    pub(super) fn mention(&mut self, encoder: &mut Encoder, place: &Datatype, axioms: &mut Vec<Bool>) -> Result<()> {
        let Some(signature) = self.signature.clone() else { return Ok(()) };
        if !self.begun {
            self.begun = true;
            self.begin(encoder, &signature, axioms)?;
        }
        if self.mentioned.insert(place.clone()) {
            let demanded = |id: &TypeId| self.demands.contains_key(&(place.clone(), *id));
            let demands = signature.types.ids().filter(demanded).map(|id| (place.clone(), id)).collect();
            self.give_meaning(encoder, &signature.types, demands, axioms)?;
        }
        Ok(())
    }

    /// One clause of the spec is for the inputs.
    fn begin(&mut self, encoder: &mut Encoder, signature: &Signature, axioms: &mut Vec<Bool>) -> Result<()> {
        let mut clauses = Vec::new();
        for clause in &signature.clauses {
            let mut all = Vec::new();
            for (number, id) in (0..).zip(&clause.args) {
                let input = encoder.sorts.input(number);
                all.push(self.demand(encoder, &signature.types, &input, *id)?);
            }
            clauses.push(Bool::and(&all));
        }
        axioms.push(Bool::or(&clauses));
        Ok(())
    }

    /// Asserts what demands mean, and what follows for parts that conditions speak of already.
    fn give_meaning(
        &mut self,
        encoder: &mut Encoder,
        types: &Types,
        mut rest: Vec<Demand>,
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        while let Some(demand) = rest.pop() {
            if !self.meant.insert(demand.clone()) {
                continue;
            }
            let Some(holds) = self.demands.get(&demand).cloned() else { continue };
            let known = self.demands.len();
            let formula = self.formula(encoder, types, &demand.0, demand.1)?;
            axioms.push(holds.implies(&formula));
            match types.node(demand.1) {
                Node::Map(associations) => {
                    if associations.is_empty() {
                        axioms.push(holds.implies(encoder.sorts.id(Shape::Map, &demand.0)?.eq(EMPTY)));
                    }
                    self.followed.add_map(&encoder.sorts, &demand, holds)?;
                }
                Node::Fun { .. } => self.followed.add_fun(&encoder.sorts, &demand, holds)?,
                _ => {}
            }
            let is_next = |place: &Datatype| *place == demand.0 || self.mentioned.contains(place);
            rest.extend(self.demands.keys().skip(known).filter(|(place, _)| is_next(place)).cloned());
        }
        Ok(())
    }

    /// Gives a meaning to those of the demands from this one on whose places conditions speak of.
    fn settle(&mut self, encoder: &mut Encoder, types: &Types, from: usize, axioms: &mut Vec<Bool>) -> Result<()> {
        let news = self.demands.keys().skip(from).filter(|(place, _)| self.mentioned.contains(place));
        let news = news.cloned().collect();
        self.give_meaning(encoder, types, news, axioms)
    }

    /// A condition depends on the whole of this place: what it has to be is given a meaning some levels deep.
    pub(super) fn mention_whole(
        &mut self,
        encoder: &mut Encoder,
        place: &Datatype,
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        let Some(signature) = self.signature.clone() else { return Ok(()) };
        self.mention(encoder, place, axioms)?;
        let types = &signature.types;
        let mut level: Vec<Demand> = types.ids().map(|id| (place.clone(), id)).collect();
        for _ in 0..LEVELS {
            level.retain(|demand| self.demands.contains_key(demand));
            if level.is_empty() {
                break;
            }
            self.give_meaning(encoder, types, level.clone(), axioms)?;
            let mut parts = Vec::new();
            for (place, id) in &level {
                parts.extend(parts_of(&encoder.sorts, types, place, *id)?);
            }
            level = parts;
        }
        self.frontier.extend(level.into_iter().filter(|demand| self.demands.contains_key(demand)));
        Ok(())
    }

    /// That a place is of a type: spelled out if it is flat, a truth value of its own if not.
    fn demand(&mut self, encoder: &mut Encoder, types: &Types, place: &Datatype, id: TypeId) -> Result<Bool> {
        let alternatives = types.alternatives(id);
        let is_flat = |id: &TypeId| is_flat(types, types.node(*id));
        if alternatives.len() <= INLINE && alternatives.iter().all(is_flat) {
            return self.formula(encoder, types, place, id);
        }
        Ok(self.truth(place, canonical(&alternatives, id)))
    }

    /// The truth value that says that a place is of a type.
    fn truth(&mut self, place: &Datatype, id: TypeId) -> Bool {
        let key = (place.clone(), id);
        if let Some(known) = self.demands.get(&key) {
            return known.clone();
        }
        self.fresh += 1;
        let holds = Bool::new_const(format!("is{}_{}", id.0, self.fresh));
        self.demands.insert(key, holds.clone());
        holds
    }

    fn formula(&mut self, encoder: &mut Encoder, types: &Types, place: &Datatype, id: TypeId) -> Result<Bool> {
        let mut any = Vec::new();
        let lowest = types.height(id).filter(|_| self.low);
        for one in types.alternatives(id) {
            if lowest.is_some() && types.height(one) != lowest {
                continue;
            }
            let node = types.node(one);
            let is_open = matches!(node, Node::Map(_) | Node::Fun { .. }) && !is_flat(types, node);
            // What follows of one alternative must not follow of another.
            any.push(if is_open && one != id {
                self.truth(place, one)
            } else {
                self.alternative(encoder, types, place, node)?
            });
        }
        Ok(match any.as_slice() {
            [only] => only.clone(),
            several => Bool::or(several),
        })
    }

    fn alternative(&mut self, encoder: &mut Encoder, types: &Types, place: &Datatype, node: &Node) -> Result<Bool> {
        let sorts = std::rc::Rc::clone(&encoder.sorts);
        match node {
            Node::Integer { low, high } => {
                let int = sorts.integer(place)?;
                let mut all = vec![sorts.is(Shape::Int, place)?];
                if let Some(low) = low {
                    all.push(int.ge(integer(low)?));
                }
                if let Some(high) = high {
                    all.push(int.le(integer(high)?));
                }
                Ok(Bool::and(&all))
            }
            Node::Atom(atom) => Ok(place.eq(&encoder.atom(*atom)?)),
            Node::Cons(head, tail) => {
                let first = sorts.term_part(Field::Head, place)?;
                let rest = sorts.term_part(Field::Tail, place)?;
                let first = self.demand(encoder, types, &first, *head)?;
                let rest = self.demand(encoder, types, &rest, *tail)?;
                Ok(Bool::and(&[sorts.is(Shape::Cons, place)?, first, rest]))
            }
            Node::Tuple(elements) => self.tuple(encoder, types, place, elements),
            Node::Bits { size, unit } => {
                if *size > 0 || !matches!(*unit, 0 | 1 | 8) {
                    self.bitstrings.insert(place.clone());
                }
                encoder.bits_of_type(place, *size, *unit)
            }
            Node::Fun { args: Some(args), .. } => {
                let arity = arity_of(&sorts.id(Shape::Fun, place)?)?;
                Ok(Bool::and(&[sorts.is(Shape::Fun, place)?, arity.eq(args.len() as u64)]))
            }
            Node::Any
            | Node::None
            | Node::Float
            | Node::AnyAtom
            | Node::Nil
            | Node::AnyTuple
            | Node::Map(_)
            | Node::Fun { args: None, .. }
            | Node::Pid
            | Node::Port
            | Node::Reference
            | Node::Union(_) => sorts.is_any(node.tags(), place),
        }
    }

    fn tuple(&mut self, encoder: &mut Encoder, types: &Types, place: &Datatype, elements: &[TypeId]) -> Result<Bool> {
        let sorts = std::rc::Rc::clone(&encoder.sorts);
        let mut all = vec![sorts.is(Shape::Tuple, place)?];
        let mut rest = sorts.term_part(Field::Elements, place)?;
        for id in elements {
            all.push(sorts.is_more(&rest)?);
            let element = sorts.first(&rest)?;
            all.push(self.demand(encoder, types, &element, *id)?);
            rest = sorts.rest(&rest)?;
        }
        all.push(sorts.is_end(&rest)?);
        Ok(Bool::and(&all))
    }
}

/// The type under which a place is demanded to be of a type.
fn canonical(alternatives: &[TypeId], id: TypeId) -> TypeId {
    match alternatives {
        [only] => *only,
        _ => id,
    }
}

/// The parts of a place that a type says something about, in the datatype of terms.
fn parts_of(sorts: &Sorts, types: &Types, place: &Datatype, id: TypeId) -> Result<Vec<Demand>> {
    let mut parts = Vec::new();
    let part = |id: &TypeId| canonical(&types.alternatives(*id), *id);
    for id in types.alternatives(id) {
        match types.node(id) {
            Node::Cons(head, tail) => {
                parts.push((sorts.term_part(Field::Head, place)?, part(head)));
                parts.push((sorts.term_part(Field::Tail, place)?, part(tail)));
            }
            Node::Tuple(elements) => {
                let mut rest = sorts.term_part(Field::Elements, place)?;
                for id in elements {
                    parts.push((sorts.first(&rest)?, part(id)));
                    rest = sorts.rest(&rest)?;
                }
            }
            _ => {}
        }
    }
    Ok(parts)
}

/// Whether a type has no parts that could be of another type than it says.
fn is_flat(types: &Types, node: &Node) -> bool {
    match node {
        Node::Cons(..) | Node::Tuple(_) => false,
        Node::Fun { args, result } => args.is_none() && matches!(types.node(*result), Node::Any),
        Node::Map(_) => types.is_plain(node),
        Node::Any
        | Node::None
        | Node::Integer { .. }
        | Node::Float
        | Node::AnyAtom
        | Node::Atom(_)
        | Node::Nil
        | Node::AnyTuple
        | Node::Bits { .. }
        | Node::Pid
        | Node::Port
        | Node::Reference
        | Node::Union(_) => true,
    }
}
