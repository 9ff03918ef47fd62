//! A hash of the concrete part of a term: what is identical ([`super::order::identical`]) has the same hash.
//!
//! Of large terms the first parts are hashed. The same in every run, and unrelated to `erlang:phash2/1`.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::bits::Reader;
use super::foreign::Foreign;
use super::heap::{Heap, View};
use super::map::{self, Map};
use super::order::floats_identical;
use super::value::{Ptr, Value};

/// So many parts of a term are hashed.
const MOST: u32 = 1 << 20;

pub fn hash(heap: &Heap, value: Value) -> u64 {
    let mut term = TermHasher { heap, hasher: FxHasher::default(), todo: Vec::new() };
    term.value(value);
    let mut left = if heap.is_given_up() { 0 } else { MOST };
    while let Some((ptr, count)) = term.todo.pop().filter(|_| left > 0) {
        left -= 1;
        if count > 1 {
            term.todo.push((ptr.plus(1), count - 1));
        }
        term.value(heap.value(ptr));
    }
    term.hasher.finish()
}

struct TermHasher<'a> {
    heap: &'a Heap,
    hasher: FxHasher,
    /// Stretches of values (at least one each) still to be hashed, the next one last.
    todo: Vec<(Ptr, usize)>,
}

/// Keeps terms of different shape apart.
#[derive(Hash)]
enum Mark {
    Integer,
    Float,
    Atom,
    Nil,
    Cons,
    Tuple,
    Bits,
    Map,
    Closure,
    External,
    Foreign,
    Virtual,
}

impl TermHasher<'_> {
    fn value(&mut self, value: Value) {
        match self.heap.view(self.heap.concrete(value)) {
            View::Small(i) => self.leaf(Mark::Integer, i),
            View::Big(ptr) => self.leaf(Mark::Integer, self.heap.big(ptr)),
            View::Float(float) => self.float(float),
            View::Atom(atom) => self.leaf(Mark::Atom, atom),
            View::Nil => self.leaf(Mark::Nil, ()),
            View::Cons(ptr) => self.parts(Mark::Cons, ptr, 2),
            View::Tuple(ptr, arity) => self.parts(Mark::Tuple, ptr.plus(1), arity),
            View::Bits(bits) => {
                self.leaf(Mark::Bits, bits.length);
                Reader::new(self.heap, bits).chunks().for_each(|chunk| self.hasher.write_u64(chunk));
            }
            View::Map(_, size) => self.map(value, size),
            View::Closure(ptr) => {
                self.heap.closure(ptr).hash(&mut self.hasher);
                self.parts(Mark::Closure, ptr.plus(2), self.heap.captured(ptr));
            }
            View::External(ptr) => self.leaf(Mark::External, self.heap.external_of(ptr)),
            View::Foreign(ptr) => self.leaf(Mark::Foreign, Foreign::read(self.heap, ptr)),
            View::Virtual(identifier) => self.leaf(Mark::Virtual, identifier),
            View::Sym(inner, _) => self.value(inner),
        }
    }

    fn leaf(&mut self, mark: Mark, content: impl Hash) {
        mark.hash(&mut self.hasher);
        content.hash(&mut self.hasher);
    }

    fn float(&mut self, float: f64) {
        let same = if floats_identical(float, 0.0) { 0.0 } else { float };
        self.leaf(Mark::Float, same.to_bits());
    }

    /// Equal maps have their parts in the same order.
    fn map(&mut self, value: Value, size: usize) {
        self.leaf(Mark::Map, size);
        let places = Map::of(self.heap, self.heap.concrete(value)).map(|map| map::places(self.heap, map));
        self.todo.extend(places.into_iter().flatten().rev().map(|place| (place, 2)));
    }

    fn parts(&mut self, mark: Mark, first: Ptr, count: usize) {
        self.leaf(mark, count);
        if count > 0 {
            self.todo.push((first, count));
        }
    }
}
