//! Erlang's order and equality of terms, on their concrete parts.
//!
//! Two orders: the one of `<`, in which `1 == 1.0`, and the exact one of map keys, in which every integer comes before every float.
//! Numbers are compared by value, without rounding: the VM converts to the type with more precision, which comes to the same.
//!
//! Comparing is iterative, but for large maps that are keys of large maps: there the stack grows with need. It does not look for shared
//! parts, apart from a part shared by both sides at the same place, and gives up on what is too large because of them.
//!
//! What the VM leaves open or cannot have: closures are ordered by function number, before the funs of the VM; virtual pids and
//! references come before those of the VM.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::FromPrimitive;

use super::bits;
use super::effort::Effort;
use super::foreign::{Foreign, ForeignKind, compare_names};
use super::heap::{Header, Heap, View};
use super::map::{self, Map};
use super::sort::sort_by;
use super::value::{Ptr, Value, VirtualKind};
use crate::{release, with_stack};

/// The order of `<`, `>`, `=<` and `>=`.
pub fn compare(heap: &Heap, a: Value, b: Value) -> Ordering {
    Comparison::of(heap, a, b, Numbers::ByValue)
}

/// The order of map keys.
pub fn compare_exact(heap: &Heap, a: Value, b: Value) -> Ordering {
    Comparison::of(heap, a, b, Numbers::ByType)
}

/// An order of keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum KeyOrder {
    /// That of terms, in which maps are compared with each other.
    Terms,
    /// Atoms by their age, and that of terms for the rest.
    Ages,
}

impl KeyOrder {
    /// The order in which a small map shows its keys.
    pub fn of_maps() -> Self {
        if release::maps_order_atoms_by_name() { KeyOrder::Terms } else { KeyOrder::Ages }
    }

    pub fn compare(self, heap: &Heap, a: Value, b: Value) -> Ordering {
        let (a, b) = (heap.concrete(a), heap.concrete(b));
        match (self, heap.view(a), heap.view(b)) {
            (KeyOrder::Ages, View::Atom(a), View::Atom(b)) => a.age().cmp(&b.age()),
            (KeyOrder::Ages | KeyOrder::Terms, _, _) => compare_exact(heap, a, b),
        }
    }
}

/// `==`
pub fn equal(heap: &Heap, a: Value, b: Value) -> bool {
    compare(heap, a, b).is_eq()
}

/// `=:=`
pub fn identical(heap: &Heap, a: Value, b: Value) -> bool {
    let (a, b) = (heap.concrete(a), heap.concrete(b));
    if a == b {
        return true;
    }
    a.is_pointer() && b.is_pointer() && compare_exact(heap, a, b).is_eq()
}

/// `=:=` of two floats.
pub fn floats_identical(a: f64, b: f64) -> bool {
    if release::zeros_are_the_same() { a == b } else { a.to_bits() == b.to_bits() }
}

/// How an integer compares with a float.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    ByValue,
    ByType,
}

/// Room for one more level of maps in the keys of maps.
const STACK: usize = 1 << 18;

struct Comparison<'a> {
    heap: &'a Heap,
    /// What remains to be compared if all so far was equal, the next one last.
    todo: Vec<Todo>,
}

enum Todo {
    Pairs(Pairs),
    /// Values of two maps, the next ones last.
    Values(Vec<(Value, Value)>, Numbers),
}

/// Pairs of values at places that advance in steps.
struct Pairs {
    a: Ptr,
    b: Ptr,
    count: usize,
    step: usize,
    numbers: Numbers,
}

impl Comparison<'_> {
    fn of(heap: &Heap, a: Value, b: Value, numbers: Numbers) -> Ordering {
        let mut comparison = Comparison { heap, todo: Vec::new() };
        let mut result = comparison.pair(a, b, numbers);
        let mut effort = Effort::new(heap);
        while result.is_eq() && effort.spend(heap) {
            let Some((a, b, numbers)) = comparison.next() else { break };
            result = comparison.pair(a, b, numbers);
        }
        result
    }

    fn next(&mut self) -> Option<(Value, Value, Numbers)> {
        let (next, done) = match self.todo.last_mut()? {
            Todo::Pairs(pairs) => {
                let next = (self.heap.value(pairs.a), self.heap.value(pairs.b), pairs.numbers);
                pairs.a = pairs.a.plus(pairs.step);
                pairs.b = pairs.b.plus(pairs.step);
                pairs.count -= 1;
                (next, pairs.count == 0)
            }
            Todo::Values(values, numbers) => {
                let (a, b) = values.pop()?;
                ((a, b, *numbers), values.is_empty())
            }
        };
        if done {
            self.todo.pop();
        }
        Some(next)
    }

    /// Decides, or finds nothing different yet and leaves the parts to do.
    fn pair(&mut self, a: Value, b: Value, numbers: Numbers) -> Ordering {
        let (a, b) = (self.heap.concrete(a), self.heap.concrete(b));
        if a == b {
            return Ordering::Equal;
        }
        match (self.heap.view(a), self.heap.view(b)) {
            (View::Small(i), View::Small(j)) => i.cmp(&j),
            (View::Small(_), View::Big(big)) => self.compare_zero(big),
            (View::Big(big), View::Small(_)) => self.compare_zero(big).reverse(),
            (View::Big(i), View::Big(j)) => self.bigs(i, j),
            (View::Float(x), View::Float(y)) => floats(x, y, numbers),
            (View::Small(i), View::Float(y)) if numbers == Numbers::ByValue => small_float(i, y),
            (View::Float(x), View::Small(j)) if numbers == Numbers::ByValue => small_float(j, x).reverse(),
            (View::Big(i), View::Float(y)) if numbers == Numbers::ByValue => self.big_float(i, y),
            (View::Float(x), View::Big(j)) if numbers == Numbers::ByValue => self.big_float(j, x).reverse(),
            (View::Atom(x), View::Atom(y)) => compare_names(x, y),
            (View::Cons(p), View::Cons(q)) => self.lists(p, q, numbers),
            (View::Tuple(p, n), View::Tuple(q, m)) => self.tuples((p, n), (q, m), numbers),
            (View::Map(_, n), View::Map(_, m)) if n != m => n.cmp(&m),
            (View::Map(p, n), View::Map(q, _)) if n <= map::SMALL => self.small_maps(p, q, n, numbers),
            (View::Map(..), View::Map(..)) => with_stack(STACK, || self.large_maps(a, b, numbers)),
            (View::Bits(x), View::Bits(y)) => bits::compare(self.heap, x, y),
            (View::Closure(p), View::Closure(q)) => self.closures(p, q, numbers),
            (View::External(p), View::External(q)) => self.externals(p, q),
            (View::Foreign(p), View::Foreign(q)) => self.foreign(p, q),
            (View::Virtual(x), View::Virtual(y)) => x.as_identifier().cmp(&y.as_identifier()),
            (x, y) => self.rank(x).cmp(&self.rank(y)),
        }
    }

    fn push(&mut self, pairs: Pairs) {
        if pairs.count > 0 {
            self.todo.push(Todo::Pairs(pairs));
        }
    }

    // Terms with parts

    /// Runs along both lists as long as the elements are immediate and the same.
    fn lists(&mut self, mut a: Ptr, mut b: Ptr, numbers: Numbers) -> Ordering {
        loop {
            let (x, y) = (self.heap.value(a), self.heap.value(b));
            let (tail, other) = (self.heap.value(a.plus(1)), self.heap.value(b.plus(1)));
            if x != y || !tail.is_cons() || !other.is_cons() {
                break;
            }
            (a, b) = (tail.ptr(), other.ptr());
            if a == b {
                return Ordering::Equal;
            }
        }
        self.push(Pairs { a, b, count: 2, step: 1, numbers });
        Ordering::Equal
    }

    fn tuples(&mut self, a: (Ptr, usize), b: (Ptr, usize), numbers: Numbers) -> Ordering {
        self.push(Pairs { a: a.0.plus(1), b: b.0.plus(1), count: a.1.min(b.1), step: 1, numbers });
        a.1.cmp(&b.1)
    }

    /// All keys in the exact order, then all values.
    fn small_maps(&mut self, a: Ptr, b: Ptr, count: usize, numbers: Numbers) -> Ordering {
        self.push(Pairs { a: a.plus(2), b: b.plus(2), count, step: 2, numbers });
        let numbers = Numbers::ByType;
        self.push(Pairs { a: a.plus(1), b: b.plus(1), count, step: 2, numbers });
        Ordering::Equal
    }

    /// The same without putting all keys in order.
    fn large_maps(&mut self, a: Value, b: Value, numbers: Numbers) -> Ordering {
        let heap = self.heap;
        let (Some(a), Some(b)) = (Map::of(heap, a), Map::of(heap, b)) else { return Ordering::Equal };
        // A key is looked up once, since it may be a large map itself.
        let mut different: Vec<(Value, (Value, Value))> = Vec::new();
        for (key, value) in map::pairs(heap, a) {
            match map::get(heap, b, key) {
                None => return keys_differ(heap, a, b),
                Some(other) if other == value => {}
                Some(other) => different.push((key, (value, other))),
            }
        }
        sort_by(&mut different, |x, y| compare_exact(heap, y.0, x.0));
        if !different.is_empty() {
            let values = different.into_iter().map(|(_, values)| values).collect();
            self.todo.push(Todo::Values(values, numbers));
        }
        Ordering::Equal
    }

    fn closures(&mut self, a: Ptr, b: Ptr, numbers: Numbers) -> Ordering {
        let [n, m] = [a, b].map(|ptr| self.heap.captured(ptr));
        self.push(Pairs { a: a.plus(2), b: b.plus(2), count: n.min(m), step: 1, numbers });
        self.heap.closure(a).cmp(&self.heap.closure(b)).then(n.cmp(&m))
    }

    // Numbers

    /// An integer near zero with one that is not small.
    fn compare_zero(&self, big: Ptr) -> Ordering {
        if self.is_negative(big) { Ordering::Greater } else { Ordering::Less }
    }

    fn is_negative(&self, big: Ptr) -> bool {
        self.big_header(big).size() & 1 == 1
    }

    fn big_header(&self, big: Ptr) -> Header {
        self.heap.header(Value::boxed(big))
    }

    fn bigs(&self, a: Ptr, b: Ptr) -> Ordering {
        let limbs = |ptr: Ptr| self.heap.raw(ptr.plus(1), self.big_header(ptr).size() / 2);
        match (self.is_negative(a), self.is_negative(b)) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => magnitudes(limbs(a), limbs(b)),
            (true, true) => magnitudes(limbs(b), limbs(a)),
        }
    }

    fn big_float(&self, big: Ptr, float: f64) -> Ordering {
        match BigInt::from_f64(float.trunc()) {
            Some(whole) => self.heap.big(big).cmp(&whole).then_with(|| compare_fraction(float)),
            None => compare_fraction(float),
        }
    }

    // Funs and identifiers

    fn externals(&self, a: Ptr, b: Ptr) -> Ordering {
        let ((m, f, n), (o, g, p)) = (self.heap.external_of(a), self.heap.external_of(b));
        compare_names(m, o).then_with(|| compare_names(f, g)).then(n.cmp(&p))
    }

    fn foreign(&self, a: Ptr, b: Ptr) -> Ordering {
        Foreign::read(self.heap, a).compare(&Foreign::read(self.heap, b))
    }

    fn rank(&self, view: View) -> Rank {
        match view {
            View::Small(_) | View::Big(_) => Rank::Integer,
            View::Float(_) => Rank::Float,
            View::Atom(_) => Rank::Atom,
            View::Closure(_) => Rank::Closure,
            View::External(_) => Rank::External,
            View::Foreign(ptr) => match ForeignKind::of(self.heap, ptr) {
                ForeignKind::Reference => Rank::Reference,
                ForeignKind::Fun => Rank::Fun,
                ForeignKind::Port => Rank::Port,
                ForeignKind::Pid => Rank::Pid,
            },
            View::Virtual(value) => match value.as_identifier().0 {
                VirtualKind::Reference => Rank::VirtualReference,
                VirtualKind::Pid => Rank::VirtualPid,
                VirtualKind::Fun => Rank::VirtualFun,
            },
            View::Tuple(..) => Rank::Tuple,
            View::Map(..) => Rank::Map,
            View::Nil => Rank::Nil,
            View::Cons(_) => Rank::List,
            View::Bits(_) => Rank::Bits,
            View::Sym(inner, _) => self.rank(self.heap.view(self.heap.concrete(inner))),
        }
    }
}

/// Of two maps of one size, the one with the first key that the other lacks is the smaller one.
fn keys_differ(heap: &Heap, a: Map, b: Map) -> Ordering {
    match (first_missing(heap, a, b), first_missing(heap, b, a)) {
        (Some(key), Some(other)) => compare_exact(heap, key, other),
        _ => Ordering::Equal,
    }
}

/// The first key, in the exact order, of a map that another map does not have.
fn first_missing(heap: &Heap, map: Map, other: Map) -> Option<Value> {
    let keys = map::places(heap, map).into_iter().map(|place| heap.value(place));
    keys.filter(|key| map::find(heap, other, *key).is_none()).min_by(|x, y| compare_exact(heap, *x, *y))
}

/// What comes first when the types differ.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Integer,
    Float,
    Atom,
    VirtualReference,
    Reference,
    Closure,
    VirtualFun,
    Fun,
    External,
    Port,
    VirtualPid,
    Pid,
    Tuple,
    Map,
    Nil,
    List,
    Bits,
}

/// Limbs, the least significant first, without leading zeros.
fn magnitudes(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn floats(a: f64, b: f64, numbers: Numbers) -> Ordering {
    match numbers {
        Numbers::ByType if floats_identical(a, b) => Ordering::Equal,
        Numbers::ByType => a.total_cmp(&b),
        Numbers::ByValue => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
    }
}

fn small_float(integer: i64, float: f64) -> Ordering {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float >= BEYOND {
        Ordering::Less
    } else if float < -BEYOND {
        Ordering::Greater
    } else {
        integer.cmp(&(float as i64)).then_with(|| compare_fraction(float))
    }
}

/// Zero with what stands behind the decimal point.
fn compare_fraction(float: f64) -> Ordering {
    0.0_f64.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests;
