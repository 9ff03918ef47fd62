//! What a spec says of the inputs, put to Z3 only as deep as conditions look.
//!
//! The type of a place is a formula over the place and one truth value for each part that has more than a flat type: "this part is of that type". Such a
//! truth value means nothing until a condition speaks of the part; then its own formula is asserted, in the scope of that condition. So recursive
//! types need neither quantifiers nor recursive functions, and parts that nobody looks at cost nothing. What a model has there
//! need not be of the type: it is repaired afterwards ([`crate::types::repair`]). Where that is not possible, because an equality ties such a part
//! to others, the question is asked again and [`TypeFacts::deepen`] goes on to parts that nobody looked at.
//!
//! Not put to Z3: the inside of maps, and what arguments a fun is for.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use z3::ast::{Bool, Datatype};

use super::EncodeError;
use super::encode::{Encoder, integer};
use super::funs::arity_of;
use super::sorts::{Field, Shape};
use crate::types::{Node, Signature, TypeId, Types};

type Result<T> = std::result::Result<T, EncodeError>;
type Demand = (Datatype, TypeId);

/// More alternatives than these are not spelled out inside another formula.
const INLINE: usize = 16;

#[derive(Default)]
pub(super) struct TypeFacts {
    signature: Option<Arc<Signature>>,
    /// Places and the types they may have to be of, with the truth value that says so.
    demands: IndexMap<Demand, Bool, FxBuildHasher>,
    /// Places that asserted conditions speak of.
    mentioned: IndexSet<Datatype, FxBuildHasher>,
    /// Demands whose meaning is asserted.
    meant: IndexSet<Demand, FxBuildHasher>,
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
    begun: bool,
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
            begun: self.begun,
        }
    }

    pub(super) fn undo(&mut self, mark: TypeMark) {
        self.demands.truncate(mark.demands);
        self.mentioned.truncate(mark.mentioned);
        self.meant.truncate(mark.meant);
        self.begun = mark.begun;
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
            let ids: Vec<TypeId> = signature.types.ids().filter(demanded).collect();
            for id in ids {
                self.give_meaning(encoder, &signature.types, (place.clone(), id), axioms)?;
            }
        }
        Ok(())
    }

    /// A condition speaks of what a fun returns: that is of the type that the fun's own type says.
    pub(super) fn mention_result(
        &mut self,
        encoder: &mut Encoder,
        (fun, result): (&Datatype, &Datatype),
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        let Some(signature) = self.signature.clone() else { return Ok(()) };
        let types = &signature.types;
        let demands: Vec<(TypeId, Bool)> =
            self.demands.iter().filter(|((place, _), _)| place == fun).map(|((_, id), is)| (*id, is.clone())).collect();
        for (id, holds) in demands {
            let mut any = Vec::new();
            for id in types.alternatives(id) {
                if let Node::Fun { result: id, .. } = types.node(id) {
                    any.push(self.demand(encoder, types, result, *id)?);
                }
            }
            if !any.is_empty() {
                axioms.push(holds.implies(Bool::or(&any)));
            }
        }
        self.mention(encoder, result, axioms)
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

    /// Asserts what a demand means, and what follows for parts that conditions speak of already.
    fn give_meaning(
        &mut self,
        encoder: &mut Encoder,
        types: &Types,
        demand: Demand,
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        let mut rest = vec![demand];
        while let Some(demand) = rest.pop() {
            if !self.meant.insert(demand.clone()) {
                continue;
            }
            let Some(holds) = self.demands.get(&demand).cloned() else { continue };
            let known = self.demands.len();
            let formula = self.formula(encoder, types, &demand.0, demand.1)?;
            axioms.push(holds.implies(&formula));
            let news = self.demands.keys().skip(known).filter(|(place, _)| self.mentioned.contains(place));
            rest.extend(news.cloned());
        }
        Ok(())
    }

    /// That a place is of a type: spelled out if it is flat, a truth value of its own if not.
    fn demand(&mut self, encoder: &mut Encoder, types: &Types, place: &Datatype, id: TypeId) -> Result<Bool> {
        let alternatives = types.alternatives(id);
        let is_flat = |id: &TypeId| !matches!(types.node(*id), Node::Cons(..) | Node::Tuple(_) | Node::Fun { .. });
        if alternatives.len() <= INLINE && alternatives.iter().all(is_flat) {
            return self.formula(encoder, types, place, id);
        }
        let key = (place.clone(), id);
        if let Some(known) = self.demands.get(&key) {
            return Ok(known.clone());
        }
        self.fresh += 1;
        let holds = Bool::new_const(format!("is{}_{}", id.0, self.fresh));
        self.demands.insert(key, holds.clone());
        Ok(holds)
    }

    fn formula(&mut self, encoder: &mut Encoder, types: &Types, place: &Datatype, id: TypeId) -> Result<Bool> {
        let mut any = Vec::new();
        let lowest = types.height(id).filter(|_| self.low);
        for id in types.alternatives(id) {
            if lowest.is_some() && types.height(id) != lowest {
                continue;
            }
            any.push(self.alternative(encoder, types, place, types.node(id))?);
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
            Node::Bits { size, unit } => encoder.bits_of_type(place, *size, *unit),
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

    /// Gives a meaning to the demands that a model takes for true, though nobody speaks of their places. Empty if there are none. If `low`,
    /// such places get terms of least height.
    pub(super) fn deepen(&mut self, encoder: &mut Encoder, model: &z3::Model, low: bool) -> Result<Vec<Bool>> {
        let Some(signature) = self.signature.clone() else { return Ok(Vec::new()) };
        let is_true = |holds: &Bool| model.eval(holds, true).and_then(|value| value.as_bool()) == Some(true);
        let open = self.demands.iter().filter(|(demand, holds)| !self.meant.contains(*demand) && is_true(holds));
        let open: Vec<Demand> = open.map(|(demand, _)| demand.clone()).collect();
        let mut axioms = Vec::new();
        self.low = low;
        for demand in open {
            self.give_meaning(encoder, &signature.types, demand, &mut axioms)?;
        }
        self.low = false;
        Ok(axioms)
    }
}
