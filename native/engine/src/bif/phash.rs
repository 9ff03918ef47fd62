//! `erlang:phash/2`, the older hash. That of terms that only the VM has is left to the host.
//!
//! Every byte, and every number that stands for a part of a term, is added to a multiple of what came before, by a prime for its kind.

use super::phash2::{self, Hashed, atom_hash};
use super::{Bif, BifResult, badarg, concrete};
use crate::code::ir::FnId;
use crate::machine::{Ctx, Failure};
use crate::term::effort::Effort;
use crate::term::{Bits, Ptr, Tag, Value, View, VirtualKind, bits, table};

pub(super) const BIFS: &[Bif] = &[concrete("phash", 2, phash)];

const PRIMES: [u32; 14] = [
    268_440_163,
    268_439_161,
    268_435_459,
    268_436_141,
    268_438_633,
    268_437_017,
    268_438_039,
    268_437_511,
    268_439_627,
    268_440_479,
    268_440_577,
    268_440_581,
    268_440_593,
    268_440_611,
];

/// The prime with a number from 1 on.
fn prime(number: usize) -> u32 {
    PRIMES.get(number - 1).copied().unwrap_or(1)
}

fn phash(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [term, range] = args else { return Err(badarg()) };
    let range = Some(range.as_small()).filter(|value| range.is_small() && (1..=1 << 32).contains(value));
    let hash = hash(ctx, *term)?;
    range.map(|range| Value::count((i64::from(hash) % range) as usize + 1)).ok_or_else(badarg)
}

/// What is left to do, the next one last.
enum Task {
    Term(Value),
    /// Of a list, behind an element that is no byte.
    Rest(Value),
    ListEnd,
    TupleEnd(u32),
}

struct State<'c, 'a> {
    ctx: &'c Ctx<'a>,
    hash: u32,
    todo: Vec<Task>,
}

fn hash(ctx: &Ctx<'_>, term: Value) -> Result<u32, Failure> {
    let mut state = State { ctx, hash: 0, todo: vec![Task::Term(term)] };
    let mut effort = Effort::new(ctx.heap);
    while let Some(task) = state.todo.pop() {
        if !effort.spend(ctx.heap) {
            break;
        }
        match task {
            Task::Term(term) => state.term(term)?,
            Task::Rest(rest) => state.rest(rest),
            Task::ListEnd => state.add(8, 0),
            Task::TupleEnd(arity) => state.add(9, arity),
        }
    }
    Ok(state.hash)
}

impl State<'_, '_> {
    fn add(&mut self, by: usize, number: u32) {
        self.hash = self.hash.wrapping_mul(prime(by)).wrapping_add(number);
    }

    fn word(&mut self, by: usize, word: u32) {
        word.to_le_bytes().into_iter().for_each(|byte| self.add(by, u32::from(byte)));
    }

    fn term(&mut self, term: Value) -> Result<(), Failure> {
        let heap = &*self.ctx.heap;
        match heap.view(term) {
            View::Nil => self.add(3, 1),
            View::Atom(atom) => self.add(1, atom_hash(atom)),
            View::Small(_) | View::Big(_) => self.integer(term),
            View::Float(float) => {
                let bits = if float == 0.0 { 0 } else { float.to_bits() };
                self.add(6, (bits >> 32) as u32 ^ bits as u32);
            }
            View::Bits(bits) => self.bits(bits),
            View::Cons(_) => self.rest(term),
            View::Tuple(_, arity) => {
                self.todo.push(Task::TupleEnd(arity as u32));
                self.todo.extend((0..arity).rev().map(|index| Task::Term(heap.element(term, index))));
            }
            View::Map(..) => {
                let hash = phash2::hash_in(self.ctx, term)?;
                self.add(13, prime(14).wrapping_add(hash));
            }
            View::External(ptr) => {
                let (module, function, arity) = heap.external_of(ptr);
                self.add(11, arity as u32);
                [module, function].into_iter().for_each(|name| self.add(1, atom_hash(name)));
            }
            View::Virtual(identifier) => {
                let (kind, number) = identifier.as_identifier();
                let (step, last) = if kind == VirtualKind::Pid { (5, 6) } else { (9, 10) };
                self.word(step, number as u32);
                self.add(last, 0);
            }
            View::Closure(ptr) if !table::is_table(heap, ptr) => self.fun(ptr),
            View::Closure(_) | View::Foreign(_) | View::Sym(..) => return Err(Failure::Host),
        }
        Ok(())
    }

    /// The words of its size, at least one.
    fn integer(&mut self, term: Value) {
        let Some(integer) = self.ctx.heap.integer(term) else { return };
        let (sign, mut words) = integer.to_u32_digits();
        if words.is_empty() {
            words.push(0);
        }
        words.into_iter().for_each(|word| self.word(2, word));
        self.add(if sign == num_bigint::Sign::Minus { 4 } else { 3 }, 0);
    }

    fn bits(&mut self, bits: Bits) {
        let bytes = bits::to_bytes(self.ctx.heap, bits);
        let (whole, odd) = (bits.length / 8, bits.length % 8);
        bytes.iter().take(whole).for_each(|byte| self.add(1, u32::from(*byte)));
        if let (Some(last), true) = (bytes.get(whole), odd > 0) {
            self.add(1, u32::from(*last) >> (8 - odd));
            self.add(12, odd as u32);
        }
        self.add(4, whole as u32);
    }

    fn rest(&mut self, list: Value) {
        let heap = &*self.ctx.heap;
        let mut rest = list;
        while rest.is_cons() {
            let head = heap.head(rest);
            if head.tag() != Tag::Small || !(0..256).contains(&head.as_small()) {
                return self.todo.extend([Task::Rest(heap.tail(rest)), Task::Term(head)]);
            }
            self.add(2, head.as_small() as u32);
            rest = heap.tail(rest);
        }
        self.todo.extend([Task::ListEnd, Task::Term(rest)]);
    }

    fn fun(&mut self, ptr: Ptr) {
        let heap = &*self.ctx.heap;
        let captured = heap.captured(ptr);
        let Hashed { module, lambda } = phash2::hashed_as(self.ctx.view, FnId(heap.closure(ptr).0));
        for (by, number) in [(10, captured as u32), (1, module), (2, lambda.index), (2, lambda.uniq)] {
            self.add(by, number);
        }
        self.todo.extend((0..captured).rev().map(|index| Task::Term(heap.value(ptr.plus(2 + index)))));
    }
}
