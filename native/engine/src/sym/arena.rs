//! Where the expressions of one run live.

use std::hash::{Hash, Hasher};

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::expr::{Expr, OpaqueId, Sort};
use super::funs::is_in_no_input;
use crate::term::Packed;

/// The number of an expression in its arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct SymId(u32);

impl Hash for SymId {
    /// As the only thing in an expression that is an `i64`: see [`super::key`].
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_i64(i64::from(self.0));
    }
}

impl SymId {
    pub const fn from_number(number: u32) -> Self {
        SymId(number)
    }

    pub const fn number(self) -> u32 {
        self.0
    }
}

/// Hash-consed expressions. A child always has a smaller number than its parent.
#[derive(Default)]
pub struct Arena {
    nodes: IndexSet<Expr, FxBuildHasher>,
    sorts: Vec<Sort>,
    opaque: IndexSet<Packed, FxBuildHasher>,
    /// Those of them that no input has.
    made: FxHashSet<u32>,
    /// How many calls of functions there are that the solver does not know.
    applications: usize,
    /// How many operations on the bits of two integers there are.
    bitwise: usize,
    /// Lists that are the name of an atom or a rest of one: the name, and how many characters are before. Chains of rests may be long.
    in_names: FxHashMap<SymId, (SymId, usize)>,
}

/// What a number that is none of this arena's stands for: never reached by ids that the arena gave out.
const NOTHING: &Expr = &Expr::Nil;

impl Arena {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    #[inline]
    pub fn get(&self, id: SymId) -> &Expr {
        self.nodes.get_index(id.0 as usize).unwrap_or(NOTHING)
    }

    #[inline]
    pub fn sort(&self, id: SymId) -> Sort {
        self.sorts.get(id.0 as usize).copied().unwrap_or(Sort::Term)
    }

    /// How many calls of functions there are that the solver does not know.
    pub fn applications(&self) -> usize {
        self.applications
    }

    /// How many operations on the bits of two integers there are.
    pub fn bitwise_operations(&self) -> usize {
        self.bitwise
    }

    pub fn opaque(&self, id: OpaqueId) -> Option<&Packed> {
        self.opaque.get_index(id.0 as usize)
    }

    /// The number of an expression that is already simple. Only the constructors of [`super::build`] call this.
    pub(super) fn intern(&mut self, expr: Expr) -> SymId {
        let sort = self.sort_of(&expr);
        let (is_application, is_bitwise) = (matches!(expr, Expr::Apply(..)), matches!(expr, Expr::Bitwise(..)));
        let name = match &expr {
            Expr::AtomName(_) => Some((SymId(self.nodes.len() as u32), 0)),
            Expr::Tail(longer) => self.in_name(*longer).map(|(name, before)| (name, before + 1)),
            _ => None,
        };
        let (index, new) = self.nodes.insert_full(expr);
        if new {
            self.in_names.extend(name.map(|name| (SymId(index as u32), name)));
            self.applications += usize::from(is_application);
            self.bitwise += usize::from(is_bitwise);
            self.sorts.push(sort);
        }
        SymId(index as u32)
    }

    /// The name of an atom that a list is the rest of, and how many characters are before it.
    pub fn in_name(&self, list: SymId) -> Option<(SymId, usize)> {
        self.in_names.get(&list).copied()
    }

    pub(super) fn intern_opaque(&mut self, term: Packed) -> OpaqueId {
        let is_made = !self.opaque.contains(&term) && term.open_with(is_in_no_input);
        let index = self.opaque.insert_full(term).0 as u32;
        if is_made {
            self.made.insert(index);
        }
        OpaqueId(index)
    }

    /// True if a term has a constant in it that no input has, as far as it is built of lists and tuples.
    pub(super) fn has_made(&self, id: SymId) -> bool {
        let mut parts = if self.made.is_empty() { Vec::new() } else { vec![id] };
        while let Some(part) = parts.pop() {
            match self.get(part) {
                Expr::Opaque(opaque, _) if self.made.contains(&opaque.0) => return true,
                Expr::Cons(head, tail) => parts.extend([*head, *tail]),
                Expr::Tuple(elements) => parts.extend(elements.iter().copied()),
                _ => {}
            }
        }
        false
    }

    /// Looks an expression up without making it.
    pub fn find(&self, expr: &Expr) -> Option<SymId> {
        self.nodes.get_index_of(expr).map(|index| SymId(index as u32))
    }

    fn sort_of(&self, expr: &Expr) -> Sort {
        match expr {
            Expr::Input(_)
            | Expr::Atom(_)
            | Expr::Nil
            | Expr::Opaque(..)
            | Expr::Cons(..)
            | Expr::Tuple(_)
            | Expr::OfInt(_)
            | Expr::OfReal(_)
            | Expr::OfBool(_)
            | Expr::Head(_)
            | Expr::Tail(_)
            | Expr::Element(..)
            | Expr::AtomName(_)
            | Expr::AtomNamed(_) => Sort::Term,
            Expr::Int(_)
            | Expr::IntOf(_)
            | Expr::Div(..)
            | Expr::Rem(..)
            | Expr::FloorDiv(..)
            | Expr::Modulo(..)
            | Expr::Bitwise(..)
            | Expr::Rounded(..) => Sort::Int,
            Expr::Apply(function, _) => function.sort(),
            Expr::Fun(fun) => fun.sort(),
            Expr::Bits(bits) => bits.sort(),
            Expr::Add(a, _) | Expr::Sub(a, _) | Expr::Mul(a, _) => self.sort(*a),
            Expr::Real(_) | Expr::RealOf(_) | Expr::ToReal(_) | Expr::Quotient(..) => Sort::Real,
            Expr::True
            | Expr::False
            | Expr::Is(..)
            | Expr::Finite(_)
            | Expr::Arity(..)
            | Expr::Eq(..)
            | Expr::Lt(..)
            | Expr::Not(_)
            | Expr::And(..)
            | Expr::Or(..) => Sort::Bool,
            Expr::Map(map) => map.sort(),
        }
    }
}
