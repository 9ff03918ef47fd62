//! Bytes to terms.

use num_bigint::{BigInt, Sign};

use super::super::heap::{Bits, Heap};
use super::super::map::{self, Map};
use super::super::value::Value;
use super::{Cursor, DecodeError, tag};

type Result<T> = std::result::Result<T, DecodeError>;

/// What an external form is in the machine.
pub type Recognise<'a> = &'a mut dyn FnMut(&mut Heap, &[u8]) -> Option<Value>;

/// The term of these bytes, the version byte included, and nothing after it.
pub fn decode(heap: &mut Heap, bytes: &[u8]) -> Result<Value> {
    decode_with(heap, bytes, &mut |_, _| None)
}

/// As [`decode`], with a say for the caller in what a pid, port, reference or fun of the VM is in the machine: it is
/// given the external form without version byte.
pub fn decode_with(heap: &mut Heap, bytes: &[u8], recognise: Recognise<'_>) -> Result<Value> {
    let (value, used) = decode_start(heap, bytes, recognise)?;
    match bytes.len() - used {
        0 => Ok(value),
        count => Err(DecodeError::Trailing { at: used, count }),
    }
}

/// The term at the start of these bytes, and how many bytes it took, the version byte included.
pub fn decode_prefix(heap: &mut Heap, bytes: &[u8]) -> Result<(Value, usize)> {
    decode_start(heap, bytes, &mut |_, _| None)
}

fn decode_start(heap: &mut Heap, bytes: &[u8], recognise: Recognise<'_>) -> Result<(Value, usize)> {
    let mut input = Cursor::new(bytes);
    match input.u8()? {
        tag::VERSION => {}
        found => return Err(DecodeError::Version { found }),
    }
    if input.remaining().first() == Some(&tag::COMPRESSED) {
        return Err(DecodeError::Compressed { at: input.at() });
    }
    let used = heap.used();
    let mut decoder = Decoder { heap, input, recognise, values: Vec::new(), open: Vec::new() };
    let result = decoder.root();
    let end = decoder.input.at();
    if result.is_err() {
        heap.words_mut().truncate(used);
    }
    Ok((result?, end))
}

struct Decoder<'a, 'b> {
    heap: &'a mut Heap,
    input: Cursor<'b>,
    recognise: Recognise<'a>,
    /// The finished parts of all open terms, outermost first.
    values: Vec<Value>,
    open: Vec<Open>,
}

/// A term whose parts are being read.
struct Open {
    shape: Shape,
    /// Where it starts in the input.
    at: usize,
    /// Where its parts start in [`Decoder::values`].
    first: usize,
    /// How many parts are still to come: at least one.
    missing: usize,
}

#[derive(Clone, Copy)]
enum Shape {
    Tuple,
    /// The parts are the elements and the tail.
    List,
    /// The parts are key, value, key, value …
    Map,
}

impl Decoder<'_, '_> {
    fn root(&mut self) -> Result<Value> {
        loop {
            let Some(value) = self.term()? else { continue };
            if let Some(root) = self.deliver(value)? {
                return Ok(root);
            }
        }
    }

    /// Reads one tag and its fields: a finished value, or nothing if that opened a term with parts.
    fn term(&mut self) -> Result<Option<Value>> {
        let at = self.input.at();
        match self.input.u8()? {
            tag::SMALL_INTEGER => self.input.u8().map(|i| Some(Value::count(usize::from(i)))),
            tag::INTEGER => self.integer().map(Some),
            tag::SMALL_BIG => self.small_big().map(Some),
            tag::LARGE_BIG => self.large_big().map(Some),
            tag::NEW_FLOAT => self.new_float().map(Some),
            tag::FLOAT => self.float_text().map(Some),
            tag::NIL => Ok(Some(Value::NIL)),
            tag::STRING => self.string().map(Some),
            tag::LIST => self.list(at),
            tag::SMALL_TUPLE => self.small_tuple(at),
            tag::LARGE_TUPLE => self.large_tuple(at),
            tag::MAP => self.map(at),
            tag::BINARY => self.binary().map(Some),
            tag::BIT_BINARY => self.bit_binary().map(Some),
            tag::EXPORT => self.export().map(Some),
            tag::NEW_FUN => self.fun(at).map(Some),
            tag::PID => self.identifier(at, 9).map(Some),
            tag::NEW_PID => self.identifier(at, 12).map(Some),
            tag::PORT | tag::REFERENCE => self.identifier(at, 5).map(Some),
            tag::NEW_PORT => self.identifier(at, 8).map(Some),
            tag::V4_PORT => self.identifier(at, 12).map(Some),
            tag::NEW_REFERENCE => self.reference(at, 1).map(Some),
            tag::NEWER_REFERENCE => self.reference(at, 4).map(Some),
            tag => match self.input.atom_of_tag(tag)? {
                Some(atom) => Ok(Some(Value::atom(atom))),
                None => Err(DecodeError::UnknownTag { at, tag }),
            },
        }
    }

    // Terms with parts

    fn open(&mut self, shape: Shape, at: usize, parts: usize) -> Result<Option<Value>> {
        self.input.expect(parts)?;
        let open = Open { shape, at, first: self.values.len(), missing: parts };
        if parts == 0 {
            return self.build(&open).map(Some);
        }
        self.open.push(open);
        Ok(None)
    }

    /// Hands a finished value to the term it is a part of, which may finish that one, and so on. The root is returned.
    fn deliver(&mut self, mut value: Value) -> Result<Option<Value>> {
        loop {
            let Some(mut open) = self.open.pop() else { return Ok(Some(value)) };
            self.values.push(value);
            open.missing -= 1;
            if open.missing > 0 {
                self.open.push(open);
                return Ok(None);
            }
            value = self.build(&open)?;
        }
    }

    fn build(&mut self, open: &Open) -> Result<Value> {
        let parts = self.values.get(open.first..).unwrap_or(&[]);
        let value = match open.shape {
            Shape::Tuple => self.heap.tuple(parts),
            Shape::List => match parts.split_last() {
                Some((tail, elements)) => self.heap.list(elements.iter().copied(), *tail),
                None => Value::NIL,
            },
            Shape::Map => build_map(self.heap, parts, open.at)?,
        };
        self.values.truncate(open.first);
        Ok(value)
    }

    fn list(&mut self, at: usize) -> Result<Option<Value>> {
        let elements = self.input.size()?;
        self.open(Shape::List, at, elements + 1)
    }

    fn small_tuple(&mut self, at: usize) -> Result<Option<Value>> {
        let arity = usize::from(self.input.u8()?);
        self.open(Shape::Tuple, at, arity)
    }

    fn large_tuple(&mut self, at: usize) -> Result<Option<Value>> {
        let arity = self.input.size()?;
        self.open(Shape::Tuple, at, arity)
    }

    fn map(&mut self, at: usize) -> Result<Option<Value>> {
        let pairs = self.input.size()?;
        self.open(Shape::Map, at, 2 * pairs)
    }

    // Numbers

    fn integer(&mut self) -> Result<Value> {
        let bytes = self.input.array()?;
        Ok(self.heap.int(i64::from(i32::from_be_bytes(bytes))))
    }

    fn small_big(&mut self) -> Result<Value> {
        let length = usize::from(self.input.u8()?);
        self.big(length)
    }

    fn large_big(&mut self) -> Result<Value> {
        let length = self.input.size()?;
        self.big(length)
    }

    fn big(&mut self, length: usize) -> Result<Value> {
        let sign = if self.input.u8()? == 0 { Sign::Plus } else { Sign::Minus };
        let digits = self.input.take(length)?;
        Ok(self.heap.bigint(&BigInt::from_bytes_le(sign, digits)))
    }

    fn new_float(&mut self) -> Result<Value> {
        let at = self.input.at();
        let float = f64::from_be_bytes(self.input.array()?);
        self.finite(float, at)
    }

    /// The old form: 31 characters as `printf("%.20e")` makes them, padded with zero bytes.
    fn float_text(&mut self) -> Result<Value> {
        let at = self.input.at();
        let field = self.input.take(31)?;
        let text = field.split(|byte| *byte == 0).next().unwrap_or(field);
        let float = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        self.finite(float.unwrap_or(f64::NAN), at)
    }

    fn finite(&mut self, float: f64, at: usize) -> Result<Value> {
        if float.is_finite() { Ok(self.heap.float(float)) } else { Err(DecodeError::Float { at }) }
    }

    // Strings and bitstrings

    fn string(&mut self) -> Result<Value> {
        let length = usize::from(self.input.u16()?);
        let bytes = self.input.take(length)?;
        let characters = bytes.iter().map(|byte| Value::count(usize::from(*byte)));
        Ok(self.heap.list(characters, Value::NIL))
    }

    fn binary(&mut self) -> Result<Value> {
        let length = self.input.size()?;
        let bytes = self.input.take(length)?;
        Ok(self.heap.binary(bytes))
    }

    fn bit_binary(&mut self) -> Result<Value> {
        let length = self.input.size()?;
        let at = self.input.at();
        let bits = self.input.u8()?;
        if bits > 8 || (bits == 0) != (length == 0) {
            return Err(DecodeError::LastBits { at, bits });
        }
        let base = self.heap.bytes(self.input.take(length)?);
        let length = 8 * length.saturating_sub(1) + usize::from(bits);
        Ok(self.heap.bits(Bits { base, offset: 0, length }))
    }

    // Funs and identifiers

    fn export(&mut self) -> Result<Value> {
        let module = self.input.atom()?;
        let function = self.input.atom()?;
        let at = self.input.at();
        match self.input.array()? {
            [tag::SMALL_INTEGER, arity] => Ok(self.heap.external(module, function, usize::from(arity))),
            _ => Err(DecodeError::Arity { at }),
        }
    }

    /// The size of a fun counts itself, but not the tag.
    fn fun(&mut self, at: usize) -> Result<Value> {
        let field = self.input.at();
        let size = self.input.size()?;
        let rest = size.checked_sub(4).ok_or(DecodeError::FunSize { at: field })?;
        self.input.take(rest)?;
        Ok(self.foreign(at))
    }

    /// A node, then this many bytes.
    fn identifier(&mut self, at: usize, fields: usize) -> Result<Value> {
        self.input.atom()?;
        self.input.take(fields)?;
        Ok(self.foreign(at))
    }

    fn reference(&mut self, at: usize, creation: usize) -> Result<Value> {
        let words = usize::from(self.input.u16()?);
        self.identifier(at, creation + 4 * words)
    }

    fn foreign(&mut self, start: usize) -> Value {
        let bytes = self.input.since(start);
        (self.recognise)(self.heap, bytes).unwrap_or_else(|| self.heap.foreign(bytes))
    }
}

fn build_map(heap: &mut Heap, parts: &[Value], at: usize) -> Result<Value> {
    let (pairs, _) = parts.as_chunks::<2>();
    let map = map::from_pairs(heap, pairs.iter().map(|[key, value]| (*key, *value)).collect(), false);
    let all = Map::of(heap, map).is_some_and(|map| map.size == pairs.len());
    if all { Ok(map) } else { Err(DecodeError::DuplicateKey { at }) }
}
