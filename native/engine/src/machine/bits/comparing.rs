//! Bitstrings compared, of which at least one has an expression.

use std::cmp::Ordering;

use super::super::Ctx;
use super::super::decide::Answer;
use super::view::{Reading, Stretch};
use crate::sym::{Expr, Place, SymId};
use crate::term::{Value, bits, order};

/// Longer bitstrings are not compared bit by bit if both are symbolic.
const LONGEST_COMPARED: i64 = 1 << 8;

impl Ctx<'_> {
    /// `=:=` of two bitstrings, of which at least one is symbolic.
    pub(in crate::machine) fn same_bits(&mut self, a: Value, b: Value) -> Answer {
        let holds = order::identical(self.heap, a, b);
        let condition = match (a.is_sym(), b.is_sym()) {
            (true, false) => self.same_as_constant(a, b),
            (false, true) => self.same_as_constant(b, a),
            (true, true) | (false, false) => self.same_contents(a, b),
        };
        match condition {
            Some(condition) => Answer { holds, condition: Some(condition) },
            None => {
                self.counters.concretise(crate::bif::mfa("erlang", "=:=", 2));
                Answer { holds, condition: None }
            }
        }
    }

    pub(in crate::machine) fn same_as_constant(&mut self, value: Value, constant: Value) -> Option<SymId> {
        let stretch = self.stretch(value);
        let literal = self.heap.bits_of(constant);
        let length = self.arena.place(literal.length);
        let end = self.arena.place_plus(stretch.from, length);
        let size = self.ends_at(stretch, end);
        if matches!(self.arena.get(size), Expr::False) {
            return Some(size);
        }
        let content = self.has_literal(stretch.base, stretch.from, constant)?;
        Some(self.arena.and(size, content))
    }

    /// The condition that the bits from a place on, which are there, are those of a constant.
    pub fn has_literal(&mut self, base: SymId, at: Place, constant: Value) -> Option<SymId> {
        let literal = self.heap.bits_of(constant);
        if literal.length == 0 {
            return Some(self.arena.truth(true));
        }
        let lifted = self.lift(constant);
        match (self.segments(base), self.arena.get(lifted)) {
            (None, Expr::Opaque(opaque, _)) => {
                let opaque = *opaque;
                Some(self.arena.bits_match(base, at, opaque))
            }
            _ => {
                let other = self.stretch(constant);
                self.same_stretch((base, at), (other.base, other.from), literal.length)
            }
        }
    }

    fn same_contents(&mut self, a: Value, b: Value) -> Option<SymId> {
        let [left, right] = [a, b].map(|value| self.heap.bits_of(self.heap.concrete(value)).length);
        let (x, y) = (self.stretch(a), self.stretch(b));
        if self.is_root(x) && self.is_root(y) {
            // The solver knows when two roots are one, and is told apart those that are two but look the same.
            return Some(self.arena.eq(x.base, y.base));
        }
        let (m, n) = (self.decided_length(x, left), self.decided_length(y, right));
        let same_size = self.arena.place_eq(m, n);
        if !self.settle(same_size, left == right) {
            return Some(self.arena.truth(false));
        }
        if (x.base, x.from) == (y.base, y.from) {
            return Some(self.arena.truth(true));
        }
        self.keep_below(m.bytes, (left / 8) as i64, LONGEST_COMPARED);
        if left / 8 >= LONGEST_COMPARED as usize {
            return None;
        }
        self.fix(m.bytes, (left / 8) as i64);
        self.fix(n.bytes, (right / 8) as i64);
        self.same_stretch((x.base, x.from), (y.base, y.from), left)
    }

    fn is_root(&self, stretch: Stretch) -> bool {
        stretch.to.is_none()
            && self.segments(stretch.base).is_none()
            && self.arena.constant_place(stretch.from) == Some(0)
    }

    /// The condition that two stretches of so many bits are the same, cut where a construction has its segments.
    fn same_stretch(&mut self, a: (SymId, Place), b: (SymId, Place), length: usize) -> Option<SymId> {
        let mut cuts: Vec<usize> = (0..length).step_by(64).collect();
        for (base, from) in [a, b] {
            if let Some(segments) = self.segments(base) {
                let from = self.arena.constant_place(from)?;
                let starts = self.pieces(&segments).into_iter().filter_map(|(_, start)| start.checked_sub(from));
                cuts.extend(starts.filter(|start| *start < length));
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        cuts.push(length);
        let mut all = self.arena.truth(true);
        for pair in cuts.windows(2) {
            let [start, stop] = pair else { continue };
            let step = self.arena.place(*start);
            let reading = Reading::unsigned((stop - start) as u32);
            let [x, y] = [a, b].map(|(base, from)| {
                let place = self.arena.place_plus(from, step);
                self.read(base, place, reading)
            });
            let same = self.arena.eq(x?, y?);
            all = self.arena.and(all, same);
        }
        Some(all)
    }

    /// Which of two bitstrings comes first: decided byte by byte.
    pub(in crate::machine) fn order_bits(&mut self, a: Value, b: Value) -> Ordering {
        let [left, right] = [a, b].map(|value| self.heap.bits_of(self.heap.concrete(value)));
        let (x, y) = (self.stretch(a), self.stretch(b));
        for start in (0..=left.length.min(right.length)).step_by(8) {
            let (m, n) = (self.bits_ahead(x, start, left.length), self.bits_ahead(y, start, right.length));
            let count = m.min(n);
            let [p, q] = [left, right].map(|whole| bits::sub(whole, start, count));
            let (Some(p), Some(q)) = (p, q) else { break };
            let concrete = bits::compare(self.heap, p, q);
            let step = self.arena.place(start);
            let reading = Reading::unsigned(count as u32);
            let [v, w] = [x, y].map(|stretch| {
                let place = self.arena.place_plus(stretch.from, step);
                self.read(stretch.base, place, reading)
            });
            let (Some(v), Some(w)) = (v, w) else { break };
            let same = self.arena.eq(v, w);
            if !self.settle(same, concrete.is_eq()) {
                let less = self.arena.lt(v, w);
                return if self.settle(less, concrete.is_lt()) { Ordering::Less } else { Ordering::Greater };
            }
            if m < 8 || n < 8 {
                return m.cmp(&n);
            }
        }
        self.counters.concretise(crate::bif::mfa("erlang", "<", 2));
        order::compare(self.heap, a, b)
    }

    /// How many bits there are from a position on, decided: 8 if there are more.
    fn bits_ahead(&mut self, stretch: Stretch, start: usize, length: usize) -> usize {
        let step = self.arena.place(start + 8);
        let place = self.arena.place_plus(stretch.from, step);
        let condition = self.reaches(stretch, place);
        if self.settle(condition, start + 8 <= length) {
            return 8;
        }
        self.decided_end(stretch, length);
        length - start
    }
}
