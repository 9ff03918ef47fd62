//! `erlang:phash2/1,2`: a hash that is the same in all releases and on all machines.
//!
//! It is Bob Jenkins' mix of the parts of a term in order; only the pairs of a map are hashed on their own and combined by `xor`.
//! Identifiers and funs of the VM are left to the host. The solver knows the hash by examples only.

use super::terms::pinned;
use super::{Bif, BifResult, badarg, exact};
use crate::code::CodeView;
use crate::code::ast::Lambda;
use crate::code::ir::FnId;
use crate::machine::{Ctx, Failure};
use crate::sym::Function;
use crate::term::effort::Effort;
use crate::term::map::{self, Map};
use crate::term::{AtomId, Bits, Heap, Ptr, Value, View, bits, table};

pub(super) const BIFS: &[Bif] = &[exact("phash2", 1, phash2), exact("phash2", 2, phash2_in_range)];

fn phash2(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [term] = args else { return Err(badarg()) };
    in_range(ctx, *term, 1 << 27)
}

/// The range is decided, if it is symbolic.
fn phash2_in_range(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [term, range] = args else { return Err(badarg()) };
    let range = pinned(ctx, *range).filter(|range| (1..=1 << 32).contains(range)).ok_or_else(badarg)?;
    in_range(ctx, *term, range)
}

fn in_range(ctx: &mut Ctx<'_>, term: Value, range: i64) -> BifResult {
    if ctx.is_concrete(term) {
        return Ok(Value::count((i64::from(hash_in(ctx, term)?) % range) as usize));
    }
    let plain = ctx.strip(term);
    let value = Value::count((i64::from(hash_in(ctx, plain)?) % range) as usize);
    let id = ctx.lift(term);
    let id = ctx.arena.term(id);
    let whole = ctx.arena.apply(Function::Hash, vec![id]);
    let part = ctx.arena.modulo(whole, range.into());
    Ok(ctx.part(value, part))
}

pub(super) fn hash_in(ctx: &Ctx<'_>, term: Value) -> Result<u32, Failure> {
    hash(ctx.heap, term, &|function| Some(hashed_as(ctx.view, function)))
}

/// A fun of the machine is hashed as the VM does; without what the compiler says of it, by its name.
pub(super) fn hashed_as(view: &CodeView, id: FnId) -> Hashed {
    let mfa = view.function(id).map(|function| function.mfa);
    let module = mfa.map_or(0, |mfa| atom_hash(mfa.module));
    match (view.lambda(id), mfa) {
        (Some((lambda, _)), _) => Hashed { module, lambda },
        (None, mfa) => {
            let name = mfa.map_or(id.0, |mfa| atom_hash(mfa.function));
            Hashed { module, lambda: Lambda { index: u32::MAX, uniq: name } }
        }
    }
}

/// What the hash of a fun has of its function.
pub(super) struct Hashed {
    pub(super) module: u32,
    pub(super) lambda: Lambda,
}

/// The golden ratio. Each kind of term has a multiple of it.
const RATIO: u32 = 0x9e37_79b9;

const fn constant(number: u32) -> u32 {
    RATIO.wrapping_mul(number)
}

/// What is left to do, the next one last.
enum Task {
    Term(Value),
    /// A key and its value are hashed: combine them with the other pairs.
    Pair,
    /// The pairs of a map are done; its own hash so far, and the pairs of the map around it.
    MapEnd {
        hash: u32,
        pairs: u32,
    },
}

/// The 32 bits that `phash2` takes a part of.
pub(super) fn hash(heap: &Heap, term: Value, hashed: HashedAs<'_>) -> Result<u32, Failure> {
    let mut state = State { heap, hashed, hash: 0, pairs: 0, todo: vec![Task::Term(term)] };
    let mut effort = Effort::new(heap);
    while let Some(task) = state.todo.pop() {
        if !effort.spend(heap) {
            break;
        }
        match task {
            Task::Term(term) => state.term(term)?,
            Task::Pair => {
                state.pairs ^= state.hash;
                state.hash = 0;
            }
            Task::MapEnd { hash, pairs } => {
                state.hash = hash;
                state.mix(state.pairs, 0, constant(19));
                state.pairs = pairs;
            }
        }
    }
    Ok(state.hash)
}

/// What is known of the function of a fun; `None` if nothing can be known.
type HashedAs<'a> = &'a dyn Fn(FnId) -> Option<Hashed>;

struct State<'a> {
    heap: &'a Heap,
    hashed: HashedAs<'a>,
    hash: u32,
    pairs: u32,
    todo: Vec<Task>,
}

impl State<'_> {
    fn mix(&mut self, a: u32, b: u32, constant: u32) {
        self.hash = jenkins(constant.wrapping_add(a), constant.wrapping_add(b), self.hash).2;
    }

    fn term(&mut self, term: Value) -> Result<(), Failure> {
        match self.heap.view(term) {
            View::Small(i) => self.small(i),
            View::Big(ptr) => self.large(&self.heap.big(ptr)),
            View::Float(float) => {
                // -0.0 is hashed like 0.0.
                let bits = if float == 0.0 { 0 } else { float.to_bits() };
                self.mix((bits >> 32) as u32, bits as u32, constant(12));
            }
            View::Atom(atom) if self.hash == 0 => self.hash = atom_hash(atom),
            View::Atom(atom) => self.mix(atom_hash(atom), 0, constant(3)),
            View::Nil if self.hash == 0 => self.hash = 3_468_870_702,
            View::Nil => self.mix(2, 0, constant(2)),
            View::Cons(_) => self.list(term),
            View::Tuple(_, arity) => {
                self.mix(arity as u32, 0, constant(9));
                let elements = (0..arity).rev().map(|index| Task::Term(self.heap.element(term, index)));
                self.todo.extend(elements);
            }
            View::Map(_, size) => self.map(term, size),
            View::Bits(bits) => self.bits(bits),
            View::External(ptr) => {
                let (module, function, arity) = self.heap.external_of(ptr);
                self.mix(arity as u32, atom_hash(module), RATIO);
                self.mix(atom_hash(function), 0, constant(14));
            }
            View::Virtual(identifier) => self.mix(identifier.as_identifier().1 as u32, 0, constant(5)),
            View::Closure(ptr) if table::is_table(self.heap, ptr) => return Err(Failure::Host),
            View::Closure(ptr) => self.fun(ptr)?,
            View::Foreign(_) | View::Sym(..) => return Err(Failure::Host),
        }
        Ok(())
    }

    fn fun(&mut self, ptr: Ptr) -> Result<(), Failure> {
        let captured = self.heap.captured(ptr);
        let Hashed { module, lambda } = (self.hashed)(FnId(self.heap.closure(ptr).0)).ok_or(Failure::Host)?;
        self.mix(captured as u32, module, RATIO);
        self.mix(lambda.index, lambda.uniq, RATIO);
        let captured = (0..captured).rev().map(|index| Task::Term(self.heap.value(ptr.plus(2 + index))));
        self.todo.extend(captured);
        Ok(())
    }

    /// Small ones, of at most 28 bits, are mixed on their own; a negative one twice.
    fn small(&mut self, i: i64) {
        if !(-(1 << 27)..1 << 27).contains(&i) {
            return self.words(i < 0, [i.unsigned_abs()]);
        }
        if i < 0 {
            self.mix(i.unsigned_abs() as u32, 0, RATIO);
        }
        self.mix(i as u32, 0, RATIO);
    }

    fn large(&mut self, int: &num_bigint::BigInt) {
        self.words(int.sign() == num_bigint::Sign::Minus, int.iter_u64_digits());
    }

    fn words(&mut self, negative: bool, words: impl IntoIterator<Item = u64>) {
        let constant = constant(if negative { 10 } else { 11 });
        for word in words {
            self.mix(word as u32, (word >> 32) as u32, constant);
        }
    }

    /// Bytes at the start of a list are mixed four at a time.
    fn list(&mut self, list: Value) {
        let (mut rest, mut bytes, mut count) = (list, 0_u32, 0);
        while rest.is_cons() {
            let head = self.heap.head(rest);
            if !head.is_small() || !(0..256).contains(&head.as_small()) {
                break;
            }
            bytes = (bytes << 8) + head.as_small() as u32;
            count += 1;
            if count == 4 {
                self.mix(bytes, 0, constant(4));
                (bytes, count) = (0, 0);
            }
            rest = self.heap.tail(rest);
        }
        if count > 0 {
            self.mix(bytes, 0, constant(4));
        }
        if rest.is_cons() {
            self.todo.extend([self.heap.tail(rest), self.heap.head(rest)].map(Task::Term));
        } else {
            self.todo.push(Task::Term(rest));
        }
    }

    fn map(&mut self, map: Value, size: usize) {
        self.mix(size as u32, 0, constant(16));
        if size == 0 {
            return;
        }
        self.todo.push(Task::MapEnd { hash: self.hash, pairs: self.pairs });
        (self.hash, self.pairs) = (0, 0);
        let pairs = Map::of(self.heap, map).map(|map| map::pairs(self.heap, map)).unwrap_or_default();
        for (key, value) in pairs {
            self.todo.extend([Task::Pair, Task::Term(value), Task::Term(key)]);
        }
    }

    fn bits(&mut self, bits: Bits) {
        let constant_13 = constant(13).wrapping_add(self.hash);
        if bits.length == 0 {
            self.hash = constant_13;
            return;
        }
        let bytes = bits::to_bytes(self.heap, bits);
        let (whole, odd) = (bits.length / 8, bits.length % 8);
        self.hash = block_hash(bytes.get(..whole).unwrap_or(&[]), constant_13);
        if let (Some(last), true) = (bytes.get(whole), odd > 0) {
            self.mix(odd as u32, u32::from(*last) >> (8 - odd), constant(15));
        }
    }
}

/// The VM's own hash of an atom: of its name in UTF-8, characters below 256 as one byte.
pub(super) fn atom_hash(atom: AtomId) -> u32 {
    let name = atom.name();
    let mut hash: u32 = 0;
    let mut buffer = [0; 4];
    for character in name.chars() {
        let latin = u8::try_from(character).ok();
        let bytes = character.encode_utf8(&mut buffer).as_bytes();
        for byte in latin.as_ref().map_or(bytes, std::slice::from_ref) {
            hash = (hash << 4).wrapping_add(u32::from(*byte));
            let high = hash & 0xf000_0000;
            hash ^= (high >> 24) ^ high;
        }
    }
    hash
}

fn block_hash(block: &[u8], initial: u32) -> u32 {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |word, byte| (word << 8) | u32::from(*byte));
    let (mut a, mut b, mut c) = (RATIO, RATIO, initial);
    let mut chunks = block.chunks_exact(12);
    for chunk in &mut chunks {
        let mut words = chunk.chunks(4).map(word);
        let [x, y, z] = [words.next(), words.next(), words.next()].map(Option::unwrap_or_default);
        (a, b, c) = jenkins(a.wrapping_add(x), b.wrapping_add(y), c.wrapping_add(z));
    }
    let rest = chunks.remainder();
    let part = |from: usize| word(rest.get(from.min(rest.len())..(from + 4).min(rest.len())).unwrap_or(&[]));
    c = c.wrapping_add(block.len() as u32);
    // The lowest byte of the last word is taken by the length.
    jenkins(a.wrapping_add(part(0)), b.wrapping_add(part(4)), c.wrapping_add(part(8) << 8)).2
}

fn jenkins(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 13);
    b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 8);
    c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 13);
    a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 12);
    b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 16);
    c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 5);
    a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 3);
    b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 10);
    c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 15);
    (a, b, c)
}
