//! Building objects in a heap.

use num_bigint::{BigInt, Sign};

use super::{Bits, BoxKind, Header, Heap};
use crate::sym::SymId;
use crate::term::atom::AtomId;
use crate::term::value::{Ptr, Value};

impl Heap {
    pub(in crate::term) fn push_header(&mut self, kind: BoxKind, size: usize) -> Ptr {
        let ptr = Ptr::own(self.words.len());
        self.words.push(Header::new(kind, size).word());
        ptr
    }

    #[inline]
    pub fn cons(&mut self, head: Value, tail: Value) -> Value {
        let ptr = Ptr::own(self.words.len());
        self.words.extend_from_slice(&[head.word(), tail.word()]);
        Value::cons(ptr)
    }

    /// A list of the items, with `tail` at its end.
    pub fn list<I>(&mut self, items: I, tail: Value) -> Value
    where
        I: IntoIterator<Item = Value, IntoIter: DoubleEndedIterator>,
    {
        items.into_iter().rev().fold(tail, |tail, head| self.cons(head, tail))
    }

    #[inline]
    pub fn tuple(&mut self, elements: &[Value]) -> Value {
        let ptr = self.push_header(BoxKind::Tuple, elements.len());
        self.words.extend(elements.iter().map(|value| value.word()));
        Value::boxed(ptr)
    }

    pub fn float(&mut self, float: f64) -> Value {
        let ptr = self.push_header(BoxKind::Float, 0);
        self.words.push(float.to_bits());
        Value::boxed(ptr)
    }

    pub fn int(&mut self, i: i64) -> Value {
        match Value::small(i) {
            Some(value) => value,
            None => self.push_big(i < 0, &[i.unsigned_abs()]),
        }
    }

    pub fn bigint(&mut self, i: &BigInt) -> Value {
        match i64::try_from(i) {
            Ok(small) => self.int(small),
            Err(_) => {
                let limbs: Vec<u64> = i.iter_u64_digits().collect();
                self.push_big(i.sign() == Sign::Minus, &limbs)
            }
        }
    }

    fn push_big(&mut self, negative: bool, limbs: &[u64]) -> Value {
        let ptr = self.push_header(BoxKind::Big, 2 * limbs.len() + usize::from(negative));
        self.words.extend_from_slice(limbs);
        Value::boxed(ptr)
    }

    /// A byte array: the base of bitstrings.
    pub fn bytes(&mut self, bytes: &[u8]) -> Ptr {
        self.push_bytes(BoxKind::Bytes, bytes)
    }

    fn push_bytes(&mut self, kind: BoxKind, bytes: &[u8]) -> Ptr {
        let ptr = self.push_header(kind, bytes.len());
        self.words.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            u64::from_le_bytes(word)
        }));
        ptr
    }

    pub fn binary(&mut self, bytes: &[u8]) -> Value {
        let base = self.bytes(bytes);
        self.bits(Bits { base, offset: 0, length: 8 * bytes.len() })
    }

    pub fn bits(&mut self, bits: Bits) -> Value {
        let ptr = self.push_header(BoxKind::Bits, 0);
        let words = [Value::boxed(bits.base).word(), bits.offset as u64, bits.length as u64];
        self.words.extend_from_slice(&words);
        Value::boxed(ptr)
    }

    /// A map of pairs that are already in order, without two equal keys, and without expressions in the keys.
    pub fn map(&mut self, pairs: &[(Value, Value)]) -> Value {
        crate::term::map::from_sorted(self, pairs, false)
    }

    pub fn closure_of(&mut self, function: u32, arity: usize, captured: &[Value]) -> Value {
        let ptr = self.push_header(BoxKind::Closure, captured.len());
        self.words.push(u64::from(function) | ((arity as u64) << 32));
        self.words.extend(captured.iter().map(|value| value.word()));
        Value::boxed(ptr)
    }

    pub fn external(&mut self, module: AtomId, function: AtomId, arity: usize) -> Value {
        let ptr = self.push_header(BoxKind::External, 0);
        let words = [Value::atom(module).word(), Value::atom(function).word(), Value::count(arity).word()];
        self.words.extend_from_slice(&words);
        Value::boxed(ptr)
    }

    /// A pid, port, reference or fun of the VM, as it stands in external term format (without the version byte).
    pub fn foreign(&mut self, etf: &[u8]) -> Value {
        Value::boxed(self.push_bytes(BoxKind::Foreign, etf))
    }

    /// The value with its expression. A symbolic value is never wrapped twice.
    pub fn symbolic(&mut self, value: Value, expression: SymId) -> Value {
        let concrete = self.concrete(value);
        let ptr = Ptr::own(self.words.len());
        let number = Value::count(expression.number() as usize);
        self.words.extend_from_slice(&[concrete.word(), number.word()]);
        Value::sym(ptr)
    }
}
