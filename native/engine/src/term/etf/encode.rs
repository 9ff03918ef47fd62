//! Terms to bytes, as `term_to_binary(T, [{minor_version, 2}])` writes them.
//!
//! Equal to the VM's bytes except for maps of more than 32 keys, which the VM writes in the order of its hashes.

use num_bigint::Sign;

use super::super::atom::AtomId;
use super::super::bits;
use super::super::heap::{Bits, Heap, View};
use super::super::map::{self, Map};
use super::super::value::{Ptr, Value};
use super::{EncodeError, tag};

type Result<T> = std::result::Result<T, EncodeError>;

const MAX_STRING: usize = 0xffff;

/// More bytes are not written. A term of a few cells can have any size there, because its parts can be shared.
const MOST_BYTES: usize = 1 << 29;

/// The external form of the concrete part of a value, with version byte.
pub fn encode(heap: &Heap, value: Value) -> Result<Vec<u8>> {
    encode_with(heap, value, &mut |_| None)
}

/// As [`encode`], with a stand-in for what exists only in the machine: the caller is given each closure, virtual
/// pid and virtual reference, and may return an external form (without version byte) to be written in its place.
pub fn encode_with(heap: &Heap, value: Value, stand_in: &mut dyn FnMut(Value) -> Option<Vec<u8>>) -> Result<Vec<u8>> {
    let mut encoder = Encoder { heap, stand_in, out: vec![tag::VERSION], todo: vec![Todo::Term(value)] };
    while let Some(todo) = encoder.todo.pop() {
        encoder.step(todo)?;
        if encoder.out.len() > MOST_BYTES {
            return Err(EncodeError::TooLarge { size: encoder.out.len() });
        }
    }
    Ok(encoder.out)
}

struct Encoder<'a> {
    heap: &'a Heap,
    stand_in: &'a mut dyn FnMut(Value) -> Option<Vec<u8>>,
    out: Vec<u8>,
    /// What is still to be written, the next one last.
    todo: Vec<Todo>,
}

enum Todo {
    Term(Value),
    /// The elements and the tail from this cell on; the head of the list is written.
    Cells(Value),
    /// So many consecutive values.
    Values(Ptr, usize),
}

impl Encoder<'_> {
    fn step(&mut self, todo: Todo) -> Result<()> {
        match todo {
            Todo::Term(value) => self.term(value)?,
            Todo::Cells(cell) => self.cells(cell),
            Todo::Values(_, 0) => {}
            Todo::Values(ptr, count) => {
                self.todo.push(Todo::Values(ptr.plus(1), count - 1));
                self.todo.push(Todo::Term(self.heap.value(ptr)));
            }
        }
        Ok(())
    }

    fn term(&mut self, value: Value) -> Result<()> {
        let value = self.heap.concrete(value);
        match self.heap.view(value) {
            View::Small(i) => self.small(i),
            View::Big(ptr) => self.big(ptr)?,
            View::Float(float) => self.float(float),
            View::Atom(atom) => self.atom(atom)?,
            View::Nil => self.out.push(tag::NIL),
            View::Cons(_) => self.list(value)?,
            View::Tuple(ptr, arity) => self.tuple(ptr, arity)?,
            View::Bits(bits) => self.bits(bits)?,
            View::Map(..) => self.map(value)?,
            View::Closure(ptr) => self.closure(value, ptr)?,
            View::External(ptr) => self.external(ptr)?,
            View::Foreign(ptr) => self.out.extend(self.heap.foreign_bytes(ptr)),
            View::Virtual(identifier) => self.identifier(identifier)?,
            View::Sym(inner, _) => self.todo.push(Todo::Term(inner)),
        }
        Ok(())
    }

    /// A count or length of four bytes.
    fn size(&mut self, size: usize) -> Result<()> {
        let field = u32::try_from(size).map_err(|_| EncodeError::TooLarge { size })?;
        self.out.extend(field.to_be_bytes());
        Ok(())
    }

    // Numbers

    fn small(&mut self, i: i64) {
        if let Ok(byte) = u8::try_from(i) {
            self.out.extend([tag::SMALL_INTEGER, byte]);
        } else if let Ok(int) = i32::try_from(i) {
            self.out.push(tag::INTEGER);
            self.out.extend(int.to_be_bytes());
        } else {
            let digits = i.unsigned_abs().to_le_bytes();
            let length = digits.len() - i.unsigned_abs().leading_zeros() as usize / 8;
            self.out.extend([tag::SMALL_BIG, length as u8, u8::from(i < 0)]);
            self.out.extend(digits.iter().take(length));
        }
    }

    fn big(&mut self, ptr: Ptr) -> Result<()> {
        let (sign, digits) = self.heap.big(ptr).to_bytes_le();
        match u8::try_from(digits.len()) {
            Ok(length) => self.out.extend([tag::SMALL_BIG, length]),
            Err(_) => {
                self.out.push(tag::LARGE_BIG);
                self.size(digits.len())?;
            }
        }
        self.out.push(u8::from(sign == Sign::Minus));
        self.out.extend(digits);
        Ok(())
    }

    fn float(&mut self, float: f64) {
        self.out.push(tag::NEW_FLOAT);
        self.out.extend(float.to_be_bytes());
    }

    // Atoms and bitstrings

    fn atom(&mut self, atom: AtomId) -> Result<()> {
        let name = atom.name();
        let size = name.len();
        if let Ok(length) = u8::try_from(size) {
            self.out.extend([tag::SMALL_ATOM_UTF8, length]);
        } else {
            let length = u16::try_from(size).map_err(|_| EncodeError::TooLarge { size })?;
            self.out.push(tag::ATOM_UTF8);
            self.out.extend(length.to_be_bytes());
        }
        self.out.extend(name.as_bytes());
        Ok(())
    }

    fn bits(&mut self, bits: Bits) -> Result<()> {
        let bytes = bits.length.div_ceil(8);
        match bits.length % 8 {
            0 => {
                self.out.push(tag::BINARY);
                self.size(bytes)?;
            }
            last => {
                self.out.push(tag::BIT_BINARY);
                self.size(bytes)?;
                self.out.push(last as u8);
            }
        }
        bits::extend_bytes(self.heap, bits, &mut self.out);
        Ok(())
    }

    // Terms with parts

    fn list(&mut self, list: Value) -> Result<()> {
        let (length, is_string) = self.measure(list);
        if is_string {
            return self.string(list, length);
        }
        self.out.push(tag::LIST);
        self.size(length)?;
        self.todo.push(Todo::Cells(list));
        Ok(())
    }

    /// The number of cells, and whether the list has the form of a string.
    fn measure(&self, list: Value) -> (usize, bool) {
        let mut length = 0;
        let mut bytes_only = true;
        let mut cell = list;
        while cell.is_cons() {
            let head = self.heap.concrete(self.heap.head(cell));
            bytes_only = bytes_only && head.is_small() && u8::try_from(head.as_small()).is_ok();
            length += 1;
            cell = self.heap.concrete(self.heap.tail(cell));
        }
        (length, bytes_only && cell.is_nil() && length <= MAX_STRING)
    }

    fn string(&mut self, list: Value, length: usize) -> Result<()> {
        let field = u16::try_from(length).map_err(|_| EncodeError::TooLarge { size: length })?;
        self.out.push(tag::STRING);
        self.out.extend(field.to_be_bytes());
        let mut cell = list;
        while cell.is_cons() {
            self.out.push(self.heap.concrete(self.heap.head(cell)).as_small() as u8);
            cell = self.heap.concrete(self.heap.tail(cell));
        }
        Ok(())
    }

    fn cells(&mut self, cell: Value) {
        let cell = self.heap.concrete(cell);
        if cell.is_cons() {
            self.todo.push(Todo::Cells(self.heap.tail(cell)));
            self.todo.push(Todo::Term(self.heap.head(cell)));
        } else {
            self.todo.push(Todo::Term(cell));
        }
    }

    fn tuple(&mut self, ptr: Ptr, arity: usize) -> Result<()> {
        match u8::try_from(arity) {
            Ok(arity) => self.out.extend([tag::SMALL_TUPLE, arity]),
            Err(_) => {
                self.out.push(tag::LARGE_TUPLE);
                self.size(arity)?;
            }
        }
        self.todo.push(Todo::Values(ptr.plus(1), arity));
        Ok(())
    }

    fn map(&mut self, value: Value) -> Result<()> {
        let places = Map::of(self.heap, value).map(|map| map::places(self.heap, map)).unwrap_or_default();
        self.out.push(tag::MAP);
        self.size(places.len())?;
        self.todo.extend(places.into_iter().rev().map(|place| Todo::Values(place, 2)));
        Ok(())
    }

    // Funs and identifiers

    fn external(&mut self, ptr: Ptr) -> Result<()> {
        let (module, function, arity) = self.heap.external_of(ptr);
        let field = u8::try_from(arity).map_err(|_| EncodeError::Arity { module, function, arity })?;
        self.out.push(tag::EXPORT);
        self.atom(module)?;
        self.atom(function)?;
        self.out.extend([tag::SMALL_INTEGER, field]);
        Ok(())
    }

    fn closure(&mut self, value: Value, ptr: Ptr) -> Result<()> {
        let (function, arity) = self.heap.closure(ptr);
        self.substitute(value, EncodeError::Closure { function, arity })
    }

    fn identifier(&mut self, value: Value) -> Result<()> {
        let (kind, number) = value.as_identifier();
        self.substitute(value, EncodeError::Virtual { kind, number })
    }

    fn substitute(&mut self, value: Value, otherwise: EncodeError) -> Result<()> {
        self.out.extend((self.stand_in)(value).ok_or(otherwise)?);
        Ok(())
    }
}
