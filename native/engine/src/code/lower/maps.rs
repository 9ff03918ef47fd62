//! Maps: construction, update and patterns.

use super::{Body, Dest};
use crate::code::ast::{Association, Line, Node, Pattern};
use crate::code::ir::{Instr, Label, Slot, Src, Window};
use crate::sym::Tags;
use crate::term::Value;
use crate::term::map::{Map, SMALL};
use crate::term::order::compare_exact;

/// An association whose parts are computed.
#[derive(Clone, Copy)]
struct Computed {
    exact: bool,
    /// The key, if it is a literal, as a value of the module's tree.
    literal: Option<Value>,
    /// Its place in the tree, which has literal keys in the order of the VM's maps.
    place: usize,
    key: Src,
    value: Src,
}

impl Body<'_, '_> {
    /// Grouped as the BEAM's compiler does it, because that says which key is found to be missing: literal keys next to each other are put in order,
    /// those that may be missing first; every other key stands alone.
    pub(super) fn map(&mut self, line: Line, map: &Node, pairs: &[Association], dest: Dest<'_>) {
        let mark = self.next;
        let source = self.operand(map);
        let pairs: Vec<Computed> =
            pairs.iter().enumerate().map(|(place, pair)| self.association(place, pair)).collect();
        self.line(line);
        let dst = self.target(dest);
        let groups: Vec<Vec<Computed>> = pairs
            .chunk_by(|a, b| a.literal.is_some() && b.literal.is_some())
            .map(|group| self.without_doubles(group))
            .collect();
        match groups.as_slice() {
            [group] if self.is_new(map, group) => {
                let pairs = self.laid_out(group);
                self.emit(Instr::NewMap { dst, pairs });
            }
            _ => {
                self.emit(Instr::Move { dst, src: source });
                groups.iter().for_each(|group| self.update(dst, group));
            }
        }
        self.done(dst, dest);
        self.next = mark;
    }

    fn association(&mut self, place: usize, pair: &Association) -> Computed {
        let literal = match &pair.key {
            Node::Literal(value) => Some(*value),
            _ => None,
        };
        let (key, value) = (self.operand(&pair.key), self.operand(&pair.value));
        Computed { exact: pair.exact, literal, place, key, value }
    }

    /// True for a small map of literal keys that is made of nothing.
    fn is_new(&self, map: &Node, group: &[Computed]) -> bool {
        let heap = &self.lowering.module.heap;
        let empty = matches!(map, Node::Literal(value) if Map::of(heap, *value).is_some_and(|map| map.size == 0));
        empty && group.len() <= SMALL && group.iter().all(|pair| pair.literal.is_some() && !pair.exact)
    }

    /// Literal keys in order. Of those that are the same, the last value counts, and whether the first one may be missing.
    fn without_doubles(&self, group: &[Computed]) -> Vec<Computed> {
        let heap = &self.lowering.module.heap;
        let mut sorted = group.to_vec();
        let compare = |a: &Computed, b: &Computed| match (a.literal, b.literal) {
            (Some(a), Some(b)) => compare_exact(heap, a, b),
            _ => std::cmp::Ordering::Equal,
        };
        sorted.sort_by(compare);
        sorted.dedup_by(|later, first| {
            let same = compare(later, first).is_eq();
            if same {
                first.value = later.value;
            }
            same
        });
        sorted
    }

    fn update(&mut self, dst: Slot, group: &[Computed]) {
        for exact in [false, true] {
            let mut part: Vec<Computed> = group.iter().filter(|pair| pair.exact == exact).copied().collect();
            part.sort_by_key(|pair| pair.place);
            if !part.is_empty() {
                let mark = self.next;
                let pairs = self.laid_out(&part);
                let fail = self.fail();
                self.emit(Instr::UpdateMap { dst, map: Src::slot(dst), pairs, exact, fail });
                self.next = mark;
            }
        }
    }

    /// Keys and values in turn, in consecutive new slots.
    fn laid_out(&mut self, pairs: &[Computed]) -> Window {
        let at = self.next;
        let len = 2 * pairs.len() as u32;
        self.take_slots(len);
        for (src, slot) in pairs.iter().flat_map(|pair| [pair.key, pair.value]).zip(at..) {
            self.emit(Instr::Move { dst: Slot(slot), src });
        }
        Window { at: Slot(at), len }
    }

    pub(super) fn map_pattern(&mut self, pairs: &[(Node, Pattern)], subject: Src, fail: Label) {
        self.emit(Instr::IsType { value: subject, tags: Tags::MAP, fail });
        for (key, pattern) in pairs {
            let key = self.operand(key);
            let dst = self.new_slot();
            self.emit(Instr::MapElement { dst, map: subject, key, fail });
            super::nested(|| self.pattern(pattern, Src::slot(dst), fail));
        }
    }
}
