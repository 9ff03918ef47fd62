//! That a key is not of a type: it belongs to the first association that has it, so not to those before.

use z3::ast::{Bool, Datatype};

use super::Result;
use super::{TypeFacts, is_flat};
use crate::smt::encode::Encoder;
use crate::smt::sorts::{Field, Shape};
use crate::types::{Node, TypeId, Types};

/// How many levels of a structure are looked at. What lies deeper is taken for outside.
const LEVELS: usize = 3;

impl TypeFacts {
    /// That a term is not of a type, as far as its outermost levels tell. Never false for a term that is not.
    pub(super) fn outside(
        &mut self,
        encoder: &mut Encoder,
        types: &Types,
        place: &Datatype,
        id: TypeId,
    ) -> Result<Bool> {
        self.outside_to(encoder, types, (place, id), LEVELS)
    }

    fn outside_to(
        &mut self,
        encoder: &mut Encoder,
        types: &Types,
        (place, id): (&Datatype, TypeId),
        levels: usize,
    ) -> Result<Bool> {
        let mut all = Vec::new();
        for id in types.alternatives(id) {
            let node = types.node(id);
            all.push(if is_flat(types, node) {
                self.alternative(encoder, types, place, node)?.not()
            } else {
                self.structure_outside(encoder, types, (place, node), levels)?
            });
        }
        Ok(Bool::and(&all))
    }

    fn structure_outside(
        &mut self,
        encoder: &mut Encoder,
        types: &Types,
        (place, node): (&Datatype, &Node),
        levels: usize,
    ) -> Result<Bool> {
        let sorts = std::rc::Rc::clone(&encoder.sorts);
        let Some(levels) = levels.checked_sub(1) else { return Ok(Bool::from_bool(true)) };
        match node {
            Node::Cons(head, tail) => {
                let parts =
                    [(sorts.term_part(Field::Head, place)?, *head), (sorts.term_part(Field::Tail, place)?, *tail)];
                let mut any = vec![sorts.is(Shape::Cons, place)?.not()];
                for (part, id) in &parts {
                    any.push(self.outside_to(encoder, types, (part, *id), levels)?);
                }
                Ok(Bool::or(&any))
            }
            Node::Tuple(elements) => {
                let mut any = vec![sorts.is(Shape::Tuple, place)?.not()];
                let mut rest = sorts.term_part(Field::Elements, place)?;
                for id in elements {
                    any.push(sorts.is_end(&rest)?);
                    let element = sorts.first(&rest)?;
                    any.push(self.outside_to(encoder, types, (&element, *id), levels)?);
                    rest = sorts.rest(&rest)?;
                }
                any.push(sorts.is_more(&rest)?);
                Ok(Bool::or(&any))
            }
            // What is in a map, or what a fun returns, could make it another one.
            Node::Map(_) | Node::Fun { .. } => Ok(Bool::from_bool(true)),
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
            | Node::Union(_) => Ok(self.alternative(encoder, types, place, node)?.not()),
        }
    }
}
