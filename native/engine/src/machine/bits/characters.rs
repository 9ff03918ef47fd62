//! Characters in symbolic bitstrings: which form they have, and whether they are characters at all, is decided.

use super::view::{Reading, Stretch};
use crate::machine::Ctx;
use crate::sym::{Place, Segment, SymId};
use crate::term::bits::segment::{Kind, Spec};
use crate::term::bits::{self};
use crate::term::{Bits, Endian};

/// An integer of this run and its expression.
#[derive(Clone, Copy)]
struct Number {
    id: SymId,
    concrete: i64,
}

const SURROGATES: std::ops::Range<i64> = 0xd800..0xe000;
const LOW_SURROGATES: std::ops::Range<i64> = 0xdc00..0xe000;
const END: i64 = 0x11_0000;

impl Ctx<'_> {
    /// The character at a place, as an expression, a number, and in how many bits.
    pub fn character(&mut self, place: (Stretch, Place), left: Bits, spec: Spec) -> Option<(SymId, i64, usize)> {
        let mut text = Text { place, left, endian: spec.endian };
        let (code, bits) = match spec.kind {
            Kind::Utf8 => self.utf8(&mut text)?,
            Kind::Utf16 => self.utf16(&mut text)?,
            Kind::Utf32 => (self.unit(&text, 0, 32)?, 32),
            Kind::Integer | Kind::Float | Kind::Binary => return None,
        };
        if spec.kind == Kind::Utf32 && (self.is_within(code, SURROGATES) || !self.is_less(code, END)) {
            return None;
        }
        Some((code.id, code.concrete, bits))
    }

    fn is_less(&mut self, number: Number, bound: i64) -> bool {
        let limit = self.arena.int(bound);
        let condition = self.arena.linear_lt(number.id, limit);
        self.settle(condition, number.concrete < bound)
    }

    fn is_within(&mut self, number: Number, range: std::ops::Range<i64>) -> bool {
        let [low, high] = [range.start, range.end].map(|bound| self.arena.int(bound));
        let (below, before_end) = (self.arena.linear_lt(number.id, low), self.arena.linear_lt(number.id, high));
        let not_below = self.arena.not(below);
        let condition = self.arena.and(not_below, before_end);
        self.settle(condition, range.contains(&number.concrete))
    }

    /// `number * factor + other - minus`
    fn with_digit(&mut self, number: Number, factor: i64, other: Number, minus: i64) -> Number {
        let [times, constant] = [factor, -minus].map(|int| self.arena.int(int));
        let product = self.arena.linear_times(number.id, times);
        let sum = self.arena.linear_add(product, other.id);
        let id = self.arena.linear_add(sum, constant);
        Number { id, concrete: number.concrete * factor + other.concrete - minus }
    }

    /// So many bits of the text, if they are there.
    fn unit(&mut self, text: &Text, start: usize, size: usize) -> Option<Number> {
        let (stretch, at) = text.place;
        let end = self.arena.place(start + size);
        if !self.is_there(stretch, at, (end, start + size), text.left.length) {
            return None;
        }
        let step = self.arena.place(start);
        let place = self.arena.place_plus(at, step);
        let id = self.read(stretch.base, place, Reading { size: size as u32, endian: text.endian, signed: false })?;
        let part = bits::sub(text.left, start, size)?;
        let concrete = bits::unsigned(self.heap, part, text.endian)? as i64;
        Some(Number { id, concrete })
    }

    fn utf8(&mut self, text: &mut Text) -> Option<(Number, usize)> {
        text.endian = Endian::Big;
        let first = self.unit(text, 0, 8)?;
        if self.is_less(first, 0x80) {
            return Some((first, 8));
        }
        if self.is_less(first, 0xc0) {
            return None;
        }
        let (count, lead, least) = if self.is_less(first, 0xe0) {
            (2, 0xc0, 0x80)
        } else if self.is_less(first, 0xf0) {
            (3, 0xe0, 0x800)
        } else if self.is_less(first, 0xf8) {
            (4, 0xf0, 0x1_0000)
        } else {
            return None;
        };
        let zero = Number { id: self.arena.int(0), concrete: 0 };
        let mut code = self.with_digit(zero, 1, first, lead);
        for index in 1..count {
            let byte = self.unit(text, 8 * index, 8)?;
            if !self.is_within(byte, 0x80..0xc0) {
                return None;
            }
            code = self.with_digit(code, 64, byte, 0x80);
        }
        let wrong = self.is_less(code, least)
            || (count == 3 && self.is_within(code, SURROGATES))
            || (count == 4 && !self.is_less(code, END));
        (!wrong).then_some((code, 8 * count))
    }

    fn utf16(&mut self, text: &mut Text) -> Option<(Number, usize)> {
        let first = self.unit(text, 0, 16)?;
        if !self.is_within(first, SURROGATES) {
            return Some((first, 16));
        }
        if !self.is_less(first, LOW_SURROGATES.start) {
            return None;
        }
        let second = self.unit(text, 16, 16)?;
        if !self.is_within(second, LOW_SURROGATES) {
            return None;
        }
        let zero = Number { id: self.arena.int(0), concrete: 0 };
        let high = self.with_digit(zero, 1, first, SURROGATES.start);
        let code = self.with_digit(high, 0x400, second, LOW_SURROGATES.start - 0x1_0000);
        Some((code, 32))
    }

    /// The segments of a character, if the integer is one.
    pub fn character_segments(&mut self, id: SymId, concrete: i64, spec: Spec) -> Option<Vec<Segment>> {
        let code = Number { id, concrete };
        let little = spec.endian == Endian::Little;
        if self.is_less(code, 0) {
            return None;
        }
        if spec.kind == Kind::Utf8 && self.is_less(code, 0x80) {
            return Some(vec![Segment::Integer { value: id, size: 8, little: false }]);
        }
        if spec.kind == Kind::Utf8 && self.is_less(code, 0x800) {
            return Some(self.utf8_segments(id, 2, 0xc0));
        }
        if self.is_within(code, SURROGATES) || !self.is_less(code, END) {
            return None;
        }
        match spec.kind {
            Kind::Utf8 if self.is_less(code, 0x1_0000) => Some(self.utf8_segments(id, 3, 0xe0)),
            Kind::Utf8 => Some(self.utf8_segments(id, 4, 0xf0)),
            Kind::Utf16 if self.is_less(code, 0x1_0000) => Some(vec![Segment::Integer { value: id, size: 16, little }]),
            Kind::Utf16 => Some(self.surrogates(id, little)),
            Kind::Utf32 | Kind::Integer | Kind::Float | Kind::Binary => {
                Some(vec![Segment::Integer { value: id, size: 32, little }])
            }
        }
    }

    fn utf8_segments(&mut self, id: SymId, count: u32, lead: i64) -> Vec<Segment> {
        (0..count)
            .map(|index| {
                let low = 6 * (count - 1 - index);
                let (mark, size) = if index == 0 { (lead, 7 - count) } else { (0x80, 6) };
                let digit = self.arena.slice(id, low, size);
                let mark = self.arena.int(mark);
                Segment::Integer { value: self.arena.add(digit, mark), size: 8, little: false }
            })
            .collect()
    }

    fn surrogates(&mut self, id: SymId, little: bool) -> Vec<Segment> {
        let base = self.arena.int(0x1_0000);
        let rest = self.arena.sub(id, base);
        [(10, SURROGATES.start), (0, LOW_SURROGATES.start)]
            .map(|(low, mark)| {
                let digit = self.arena.slice(rest, low, 10);
                let mark = self.arena.int(mark);
                Segment::Integer { value: self.arena.add(digit, mark), size: 16, little }
            })
            .to_vec()
    }
}

/// Where to read, and what is there in this run.
struct Text {
    place: (Stretch, Place),
    left: Bits,
    endian: Endian,
}
