//! Bitstrings for Z3.
//!
//! A bitstring is a number, like other terms without constructors of their own. Three functions say what is in it: `nbytes(id)`, `nextra(id)` and
//! `byte(id, index)`. A field is a sum of bytes; where it does not begin or end with a byte, that byte is divided by a constant.
//!
//! Two numbers with equal contents are one bitstring, which Z3 does not know. [`super::decode`] notices when it matters, and then
//! [`Bitstrings::told_apart`] says it for those two.
//!
//! The table of what the asserted conditions mention is what a model is read by: a byte that no condition mentions is zero.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use z3::ast::{Bool, Datatype, Int};
use z3::{FuncDecl, Sort};

use super::EncodeError;
use super::decode::big;
use super::encode::{Encoder, Node, integer};
use super::sorts::Shape;
use crate::sym::bits::constant_bits;
use crate::sym::{Arena, BitsExpr, Expr, OpaqueId, Place, SymId, Tags};
use crate::term::{Packed, bits};

type Result<T> = std::result::Result<T, EncodeError>;

/// No bitstring of a model is longer, in bytes.
const LONGEST: i64 = 1 << 24;

/// Of longer constants Z3 knows the size only.
const LONGEST_CONSTANT: usize = 1 << 10;

/// The functions that say what a bitstring is.
pub(super) struct Contents {
    bytes: FuncDecl,
    extra: FuncDecl,
    byte: FuncDecl,
}

impl Contents {
    pub(super) fn declare() -> Self {
        let int = Sort::int();
        Contents {
            bytes: FuncDecl::new("nbytes", &[&int], &int),
            extra: FuncDecl::new("nextra", &[&int], &int),
            byte: FuncDecl::new("byte", &[&int, &int], &int),
        }
    }

    fn bytes(&self, id: &Int) -> Result<Int> {
        self.bytes.apply(&[id]).as_int().ok_or(EncodeError::Datatype)
    }

    fn extra(&self, id: &Int) -> Result<Int> {
        self.extra.apply(&[id]).as_int().ok_or(EncodeError::Datatype)
    }

    fn byte(&self, id: &Int, index: &Int) -> Result<Int> {
        self.byte.apply(&[id, index]).as_int().ok_or(EncodeError::Datatype)
    }
}

/// A stretch of a bitstring: its number, the byte it begins in, and from which bit of that.
struct Stretch<'a> {
    id: &'a Int,
    byte: Index,
    bit: u32,
}

/// The index of a byte.
#[derive(Clone)]
enum Index {
    Fixed(i64),
    Open(Int),
}

impl Index {
    fn plus(&self, count: i64) -> Int {
        match self {
            Index::Fixed(at) => Int::from_i64(at + count),
            Index::Open(at) if count == 0 => at.clone(),
            Index::Open(at) => at + Int::from_i64(count),
        }
    }
}

fn power(exponent: u32) -> Result<Int> {
    integer(&(BigInt::from(1) << exponent))
}

fn times_power(value: Int, exponent: u32) -> Result<Int> {
    if exponent == 0 { Ok(value) } else { Ok(value * power(exponent)?) }
}

fn without_low(value: Int, bits: u32) -> Result<Int> {
    if bits == 0 { Ok(value) } else { Ok(value.div(power(bits)?)) }
}

// Expressions

impl Encoder {
    pub(super) fn bits_node(&self, arena: &Arena, expr: &BitsExpr) -> Result<Node> {
        match expr {
            BitsExpr::Bytes(base) => Ok(Node::Int(self.contents.bytes(&self.bits_id(*base)?)?)),
            BitsExpr::Extra(base) => Ok(Node::Int(self.contents.extra(&self.bits_id(*base)?)?)),
            BitsExpr::Field { base, at, size } => {
                let (number, byte) = (self.bits_id(*base)?, self.index(arena, *at)?);
                let stretch = Stretch { id: &number, byte, bit: u32::from(at.bits) };
                self.field(&stretch, *size).map(Node::Int)
            }
            BitsExpr::Slice { value, low, size } => {
                let shifted = without_low(self.int(*value)?.clone(), *low)?;
                Ok(Node::Int(shifted.modulo(power(*size)?)))
            }
            BitsExpr::Signed { value, size } => {
                let value = self.int(*value)?;
                let negative = value - power(*size)?;
                Ok(Node::Int(value.ge(power(size - 1)?).ite(&negative, value)))
            }
            BitsExpr::Match { base, at, literal } => self.matches(arena, *base, *at, *literal).map(Node::Bool),
            // Their contents are looked at through the bitstrings they are made of. Here they are only some bitstring.
            BitsExpr::Part { .. } | BitsExpr::Cat(_) => {
                let number = Int::fresh_const("made");
                self.sorts.make(Shape::Bits, &[&number]).map(Node::Term)
            }
        }
    }

    /// That a term is a bitstring of `size + n * unit` bits.
    pub(super) fn bits_of_type(&self, place: &Datatype, size: u64, unit: u64) -> Result<Bool> {
        let id = self.sorts.id(Shape::Bits, place)?;
        let (bytes, extra) = (self.contents.bytes(&id)?, self.contents.extra(&id)?);
        let mut all = vec![self.sorts.is(Shape::Bits, place)?, bytes.ge(0), extra.ge(0), extra.le(7)];
        if size.is_multiple_of(8) && unit.is_multiple_of(8) {
            all.push(extra.eq(0));
        }
        let more = &bytes * Int::from_u64(8) + &extra - Int::from_u64(size);
        match unit {
            0 => all.push(more.eq(0)),
            1 | 8 => all.push(more.ge(0)),
            _ => all.extend([more.ge(0), more.modulo(Int::from_u64(unit)).eq(0)]),
        }
        if unit == 8 && !size.is_multiple_of(8) {
            all.push(extra.eq(size % 8));
        }
        Ok(Bool::and(&all))
    }

    fn bits_id(&self, base: SymId) -> Result<Int> {
        self.sorts.id(Shape::Bits, self.term(base)?)
    }

    fn index(&self, arena: &Arena, place: Place) -> Result<Index> {
        match arena.get(place.bytes) {
            Expr::Int(int) => Ok(Index::Fixed(i64::try_from(int).map_err(|_| EncodeError::Numeral)?)),
            _ => self.int(place.bytes).cloned().map(Index::Open),
        }
    }

    /// The unsigned integer of so many bits.
    fn field(&self, stretch: &Stretch<'_>, size: u32) -> Result<Int> {
        let count = (stretch.bit + size).div_ceil(8);
        let tail = 8 * count - stretch.bit - size;
        let mut parts = Vec::new();
        for k in 0..count {
            let byte = self.contents.byte(stretch.id, &stretch.byte.plus(i64::from(k)))?;
            let byte = if k == 0 && stretch.bit > 0 { byte.modulo(power(8 - stretch.bit)?) } else { byte };
            let part =
                if k + 1 == count { without_low(byte, tail)? } else { times_power(byte, 8 * (count - 1 - k) - tail)? };
            parts.push(part);
        }
        match parts.as_slice() {
            [only] => Ok(only.clone()),
            all => Ok(Int::add(all)),
        }
    }

    fn matches(&self, arena: &Arena, base: SymId, at: Place, literal: OpaqueId) -> Result<Bool> {
        let number = self.bits_id(base)?;
        let index = self.index(arena, at)?;
        let (heap, literal) = constant_bits(arena, literal).ok_or(EncodeError::Sort(base))?;
        let mut all = Vec::new();
        for start in (0..literal.length).step_by(8) {
            let size = 8.min(literal.length - start);
            let byte = Index::Open(index.plus((start / 8) as i64));
            let stretch = Stretch { id: &number, byte, bit: u32::from(at.bits) };
            let value = bits::byte(&heap, literal, start / 8) >> (8 - size);
            all.push(self.field(&stretch, size as u32)?.eq(u64::from(value)));
        }
        Ok(Bool::and(&all))
    }
}

/// What an asserted condition mentions.
enum Mention {
    Bytes(Int),
    Extra(Int),
    Byte(Int, Int),
    Constant(u32, Packed),
}

/// The bitstrings in what is asserted.
#[derive(Default)]
pub(super) struct Bitstrings {
    mentions: Vec<Mention>,
}

// Facts

impl Bitstrings {
    pub(super) fn mark(&self) -> usize {
        self.mentions.len()
    }

    pub(super) fn undo(&mut self, mark: usize) {
        self.mentions.truncate(mark);
    }

    /// The facts about one expression.
    pub(super) fn facts(
        &mut self,
        encoder: &mut Encoder,
        arena: &Arena,
        id: SymId,
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        match arena.get(id) {
            Expr::Bits(BitsExpr::Bytes(base)) => self.bytes(encoder, encoder.bits_id(*base)?, axioms),
            Expr::Bits(BitsExpr::Extra(base)) => self.extra(encoder, encoder.bits_id(*base)?, axioms),
            Expr::Bits(BitsExpr::Field { base, at, size }) => self.field(
                encoder,
                (encoder.bits_id(*base)?, encoder.index(arena, *at)?),
                at.bits,
                *size as usize,
                axioms,
            ),
            Expr::Bits(BitsExpr::Match { base, at, literal }) => {
                let (_, literal) = constant_bits(arena, *literal).ok_or(EncodeError::Sort(id))?;
                let place = (encoder.bits_id(*base)?, encoder.index(arena, *at)?);
                self.field(encoder, place, at.bits, literal.length, axioms)
            }
            Expr::Opaque(opaque, Tags::BITS) => {
                let term = arena.opaque(*opaque).ok_or(EncodeError::Sort(id))?;
                self.constant(encoder, term, axioms)
            }
            _ => Ok(()),
        }
    }

    /// The size of what stands at a place matters, if it is a bitstring.
    pub(super) fn note_size(&mut self, encoder: &Encoder, place: &Datatype, axioms: &mut Vec<Bool>) -> Result<()> {
        self.bytes(encoder, encoder.sorts.id(Shape::Bits, place)?, axioms)
    }

    fn bytes(&mut self, encoder: &Encoder, id: Int, axioms: &mut Vec<Bool>) -> Result<()> {
        let count = encoder.contents.bytes(&id)?;
        axioms.extend([count.ge(0), count.le(LONGEST)]);
        self.mentions.push(Mention::Bytes(id));
        Ok(())
    }

    fn extra(&mut self, encoder: &Encoder, id: Int, axioms: &mut Vec<Bool>) -> Result<()> {
        let count = encoder.contents.extra(&id)?;
        axioms.extend([count.ge(0), count.le(7)]);
        self.mentions.push(Mention::Extra(id));
        Ok(())
    }

    fn field(
        &mut self,
        encoder: &Encoder,
        place: (Int, Index),
        bit: u8,
        size: usize,
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        let (id, index) = place;
        for k in 0..(usize::from(bit) + size).div_ceil(8) {
            self.byte(encoder, &id, index.plus(k as i64), axioms)?;
        }
        Ok(())
    }

    fn byte(&mut self, encoder: &Encoder, id: &Int, index: Int, axioms: &mut Vec<Bool>) -> Result<()> {
        let byte = encoder.contents.byte(id, &index)?;
        axioms.extend([byte.ge(0), byte.le(255)]);
        self.mentions.push(Mention::Byte(id.clone(), index));
        Ok(())
    }

    fn constant(&mut self, encoder: &mut Encoder, term: &Packed, axioms: &mut Vec<Bool>) -> Result<()> {
        let number = encoder.constants.number(term, Shape::Bits);
        let id = Int::from_u64(u64::from(number));
        let (heap, value) = term.open();
        let whole = heap.bits_of(value);
        let contents = &encoder.contents;
        axioms.push(contents.bytes(&id)?.eq((whole.length / 8) as u64));
        axioms.push(contents.extra(&id)?.eq((whole.length % 8) as u64));
        if whole.length <= 8 * LONGEST_CONSTANT {
            for (byte, index) in bits::to_bytes(&heap, whole).into_iter().zip(0..) {
                axioms.push(contents.byte(&id, &Int::from_i64(index))?.eq(u64::from(byte)));
            }
        }
        self.mentions.push(Mention::Constant(number, term.clone()));
        Ok(())
    }
}

// Models

/// What a model says of one bitstring.
#[derive(Default, Clone)]
pub(super) struct Content {
    /// `None` if no condition speaks of its size: it can be any.
    pub(super) bytes: Option<usize>,
    pub(super) extra: usize,
    pub(super) known: BTreeMap<usize, u8>,
}

/// What a model says of bitstrings, by number.
#[derive(Default)]
pub(super) struct Said {
    pub(super) contents: FxHashMap<BigInt, Content>,
    pub(super) constants: FxHashMap<BigInt, Packed>,
}

/// Bounds on the number of bytes to try, in this order, if a model has a bitstring that is longer.
const SIZES: [i64; 4] = [16, 64, 1 << 10, 1 << 16];

impl Bitstrings {
    pub(super) fn said(&self, encoder: &Encoder, model: &z3::Model) -> Result<Said> {
        let mut said = Said::default();
        let value = |int: &Int| model.eval(int, true).map(|int| big(&int)).unwrap_or_default();
        for mention in &self.mentions {
            match mention {
                Mention::Bytes(id) => {
                    let bytes = usize::try_from(value(&encoder.contents.bytes(id)?)).unwrap_or(0);
                    // Without a condition on it, a type may speak of the bits behind them.
                    let extra = usize::try_from(value(&encoder.contents.extra(id)?)).unwrap_or(0);
                    let content = said.contents.entry(value(id)).or_default();
                    content.bytes = Some(bytes);
                    content.extra = if extra < 8 { extra } else { 0 };
                }
                Mention::Extra(id) => {
                    let extra = usize::try_from(value(&encoder.contents.extra(id)?)).unwrap_or(0);
                    let content = said.contents.entry(value(id)).or_default();
                    content.extra = extra;
                    content.bytes.get_or_insert(0);
                }
                Mention::Byte(id, index) => {
                    let byte = u8::try_from(value(&encoder.contents.byte(id, index)?)).unwrap_or(0);
                    if let Ok(index) = usize::try_from(value(index)) {
                        said.contents.entry(value(id)).or_default().known.insert(index, byte);
                    }
                }
                Mention::Constant(number, term) => {
                    said.constants.insert(BigInt::from(*number), term.clone());
                }
            }
        }
        Ok(said)
    }

    /// The sizes of which the model has one that is large, with bounds to try instead.
    pub(super) fn large(&self, encoder: &Encoder, model: &z3::Model) -> Result<Vec<Vec<Bool>>> {
        let mut counts = Vec::new();
        for mention in &self.mentions {
            if let Mention::Bytes(id) = mention {
                counts.push(encoder.contents.bytes(id)?);
            }
        }
        let value = |count: &Int| model.eval(count, true).and_then(|count| count.as_i64()).unwrap_or(0);
        let largest = counts.iter().map(value).max().unwrap_or(0);
        let bounds = SIZES.into_iter().filter(|bound| *bound < largest);
        Ok(bounds.map(|bound| counts.iter().map(|count| count.le(bound)).collect()).collect())
    }

    /// The fact that two bitstrings, by their numbers in a model, differ in size or in a byte, if they are two. They have so many bytes there.
    pub(super) fn told_apart(
        &mut self,
        encoder: &Encoder,
        model: &z3::Model,
        pair: (&BigInt, &BigInt),
        bytes: usize,
    ) -> Result<Vec<Bool>> {
        let (a, b) = (self.place_of(model, pair.0)?, self.place_of(model, pair.1)?);
        let contents = &encoder.contents;
        let extra = contents.extra(&a)?;
        let bits = model.eval(&extra, true).and_then(|extra| extra.as_u64()).filter(|extra| *extra < 8).unwrap_or(0);
        let mut cases = vec![
            a.eq(&b),
            contents.bytes(&a)?.eq(bytes as u64).not(),
            contents.bytes(&a)?.eq(contents.bytes(&b)?).not(),
            extra.eq(bits).not(),
            extra.eq(contents.extra(&b)?).not(),
        ];
        let count = bytes + usize::from(bits > 0);
        for index in 0..count {
            // Of the last byte only the first bits count.
            let unused = if index == bytes { 8 - bits as u32 } else { 0 };
            let index = Int::from_u64(index as u64);
            let left = without_low(contents.byte(&a, &index)?, unused)?;
            let right = without_low(contents.byte(&b, &index)?, unused)?;
            cases.push(left.eq(right).not());
        }
        let mut axioms = vec![Bool::or(&cases)];
        for id in [a, b] {
            self.bytes(encoder, id.clone(), &mut axioms)?;
            self.extra(encoder, id.clone(), &mut axioms)?;
            for index in 0..count {
                self.byte(encoder, &id, Int::from_u64(index as u64), &mut axioms)?;
            }
        }
        Ok(axioms)
    }

    /// A formula that has this number in the model.
    fn place_of(&self, model: &z3::Model, number: &BigInt) -> Result<Int> {
        let ids = self.mentions.iter().filter_map(|mention| match mention {
            Mention::Bytes(id) | Mention::Extra(id) | Mention::Byte(id, _) => Some(id),
            Mention::Constant(..) => None,
        });
        let is_it = |id: &&Int| model.eval(*id, true).is_some_and(|value| big(&value) == *number);
        ids.into_iter().find(is_it).cloned().map_or_else(|| integer(number), Ok)
    }
}
