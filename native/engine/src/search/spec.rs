//! What is known of the function under test besides its code.

use std::sync::Arc;

use crate::code::ir::Mfa;
use crate::sym::lift::tags_of;
use crate::sym::{Arena, SymId, Tags};
use crate::term::{AtomId, Heap, Literals, Packed, Value, View};
use crate::types::inhabitant::{Identifiers, smallest};
use crate::types::member::is_member;
use crate::types::place::{Nothing, Places};
use crate::types::repair::repaired;
use crate::types::{Clause, Node, Signature};

#[derive(Clone, Default)]
pub struct Spec {
    pub signature: Option<Arc<Signature>>,
    /// A predicate of the same arity: module and function.
    pub pre: Option<(AtomId, AtomId)>,
    /// Exceptions that are no failures: reasons, or pairs of class and reason, in which `'_'` stands for anything.
    pub raises: Vec<Packed>,
    /// A pid, a port and a reference that inputs can have.
    pub identifiers: Vec<Packed>,
}

impl Spec {
    /// The precondition as a function.
    pub fn precondition(&self, arity: usize) -> Option<Mfa> {
        self.pre.map(|(module, function)| Mfa { module, function, arity })
    }

    /// Whether the spec is for these arguments.
    pub fn admits(&self, input: &[Packed]) -> bool {
        let Some(signature) = &self.signature else { return true };
        signature.clauses.iter().any(|clause| is_for(signature, clause, input))
    }

    /// The smallest arguments that each clause is for.
    pub fn seeds(&self, arity: usize) -> Vec<Vec<Packed>> {
        let Some(signature) = &self.signature else {
            return vec![vec![Packed::immediate(Value::ZERO); arity]];
        };
        let mut seeds: Vec<Vec<Packed>> = Vec::new();
        for clause in &signature.clauses {
            let args = clause.args.iter().map(|id| {
                let mut heap = Heap::new(Literals::default());
                let known = self.known(&mut heap);
                smallest(&signature.types, &mut heap, *id, known).map(|value| Packed::pack(&heap, value))
            });
            if let Some(seed) = args.collect::<Option<Vec<Packed>>>()
                && !seeds.contains(&seed)
            {
                seeds.push(seed);
            }
        }
        seeds
    }

    /// The smallest elements that lists in the arguments can have, one for each alternative of their types, at most so many.
    pub fn elements(&self, most: usize) -> Vec<Packed> {
        let Some(signature) = &self.signature else { return Vec::new() };
        let types = &signature.types;
        let mut found: Vec<Packed> = Vec::new();
        for id in types.ids() {
            let Node::Cons(head, _) = types.node(id) else { continue };
            for id in types.alternatives(*head) {
                let mut heap = Heap::new(Literals::default());
                let known = self.known(&mut heap);
                let example = smallest(types, &mut heap, id, known).map(|value| Packed::pack(&heap, value));
                found.extend(example.filter(|example| !found.contains(example)));
            }
            if found.len() >= most {
                break;
            }
        }
        found
    }

    /// The types that a part of the input can have.
    pub fn open_tags<'a>(&self, arena: &'a Arena) -> impl Fn(SymId) -> Tags + 'a {
        let places = Places::new(self.signature.clone());
        move |id| arena.tags(id) & places.tags(arena, &Nothing, id)
    }

    /// The smallest terms that are allowed at a place of the input, one for each alternative with one of these tags.
    pub fn examples(&self, arena: &Arena, place: SymId, tags: Tags, heap: &mut Heap) -> Vec<Value> {
        let places = Places::new(self.signature.clone());
        let Some((types, alternatives)) = places.of(arena, &Nothing, place) else { return Vec::new() };
        let known = self.known(heap);
        let fitting = alternatives.iter().filter(|id| types.node(**id).tags().meets(tags));
        fitting.filter_map(|id| smallest(types, heap, *id, known)).collect()
    }

    /// Arguments close to these, one list for each clause that can be repaired to.
    pub fn repaired(&self, input: &[Packed]) -> Vec<Vec<Packed>> {
        let Some(signature) = &self.signature else { return vec![input.to_vec()] };
        if self.admits(input) {
            return vec![input.to_vec()];
        }
        let clauses = signature.clauses.iter();
        clauses.filter_map(|clause| self.repaired_for(signature, clause, input)).collect()
    }

    fn repaired_for(&self, signature: &Signature, clause: &Clause, input: &[Packed]) -> Option<Vec<Packed>> {
        let one = |(arg, id): (&Packed, &crate::types::TypeId)| {
            let (mut heap, root) = arg.open();
            let known = self.known(&mut heap);
            let value = repaired(&signature.types, &mut heap, root, *id, known)?;
            Some(Packed::pack(&heap, value))
        };
        let input: Option<Vec<Packed>> = input.iter().zip(&clause.args).map(one).collect();
        input.filter(|input| is_for(signature, clause, input))
    }

    /// The process among the identifiers, in the external term format.
    pub fn idle(&self) -> Option<Arc<[u8]>> {
        let mut heap = Heap::new(Literals::default());
        match self.known(&mut heap).pid.map(|pid| heap.view(pid)) {
            Some(View::Foreign(ptr)) => Some(heap.foreign_bytes(ptr).into()),
            _ => None,
        }
    }

    pub fn known(&self, heap: &mut Heap) -> Identifiers {
        let mut known = Identifiers::default();
        for term in &self.identifiers {
            let value = term.unpack(heap);
            match tags_of(heap, value) {
                Tags::PID => known.pid = Some(value),
                Tags::PORT => known.port = Some(value),
                Tags::REFERENCE => known.reference = Some(value),
                _ => {}
            }
        }
        known
    }
}

fn is_for(signature: &Signature, clause: &Clause, input: &[Packed]) -> bool {
    let fits = |(arg, id): (&Packed, &crate::types::TypeId)| {
        let (heap, root) = arg.open();
        is_member(&signature.types, &heap, root, *id)
    };
    input.len() == clause.args.len() && input.iter().zip(&clause.args).all(fits)
}
