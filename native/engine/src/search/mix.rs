//! Inputs mixed from those that were worth keeping.
//!
//! Solving for one decision after the other comes to long lists slowly: each element is a decision, and so is each comparison of two of them. Code that
//! needs a dozen elements in some order, a sort that merges runs, is found sooner with lists that are made longer, mixed, turned around and put in
//! order by chance. Such an input is run like a seed: what it leads to is explored from there. Chance has a fixed beginning, so a search with one worker does
//! the same every time.

use num_traits::ToPrimitive;

use super::chance::Chance;
use super::spec::Spec;
use crate::report::inputs::Covering;
use crate::term::{Heap, Packed, Value, View, order, sort};

/// Lists do not get longer than this.
const LONGEST: usize = 40;
/// How many nodes of a term are looked at for lists, and how deep below its root.
const NODES: usize = 64;
const DEPTH: usize = 4;

/// How many elements of lists are made up from the types of the spec.
const SAMPLES: usize = 64;

/// A source of inputs.
pub struct Mixer {
    chance: Chance,
    /// The smallest elements that lists of the spec can have, one for each alternative of their types.
    samples: Vec<Packed>,
}

impl Mixer {
    pub fn new(spec: &Spec) -> Self {
        Mixer { chance: Chance::new(0), samples: spec.elements(SAMPLES) }
    }

    /// An input that the spec is for, with a list in it other than in the input that it was made from.
    pub fn input(&mut self, kept: &[Covering], spec: &Spec) -> Option<Vec<Packed>> {
        let base = kept.get(self.below(kept.len()))?;
        let mut input = base.input.clone();
        let argument = self.below(input.len());
        let (mut heap, root) = input.get(argument)?.open();
        let lists = lists(&heap, root);
        let path = lists.get(self.below(lists.len()))?;
        let root = self.changed(&mut heap, root, path)?;
        *input.get_mut(argument)? = Packed::pack(&heap, root);
        spec.repaired(&input).into_iter().next()
    }

    fn below(&mut self, bound: usize) -> usize {
        self.chance.below(bound)
    }

    /// The term with another list at the end of a path.
    fn changed(&mut self, heap: &mut Heap, value: Value, path: &[usize]) -> Option<Value> {
        let mut parts = parts(heap, value)?;
        match path {
            [] => {
                for _ in 0..=self.below(3) {
                    self.mix(heap, &mut parts);
                }
                parts.truncate(LONGEST);
            }
            [first, rest @ ..] => {
                let part = parts.get_mut(*first)?;
                *part = self.changed(heap, *part, rest)?;
            }
        }
        Some(rebuilt(heap, value, &parts))
    }

    /// Another list of the same elements, or ones like them.
    fn mix(&mut self, heap: &mut Heap, elements: &mut Vec<Value>) {
        match self.below(7) {
            0 => elements.extend_from_within(..),
            1 => elements.reverse(),
            2 => sort::sort_by(elements, |a, b| order::compare(heap, *a, *b)),
            3 => {
                for index in (1..elements.len()).rev() {
                    elements.swap(index, self.below(index + 1));
                }
            }
            4 => {
                let at = self.below(elements.len());
                if let Some(element) = elements.get_mut(at) {
                    *element = self.varied(heap, *element, DEPTH);
                }
            }
            _ => {
                for _ in 0..=self.below(4) {
                    let Some(element) = self.another(heap, elements) else { return };
                    let element = self.varied(heap, element, DEPTH);
                    elements.insert(self.below(elements.len() + 1), element);
                }
            }
        }
    }

    /// One of the elements, or one that the spec knows.
    fn another(&mut self, heap: &mut Heap, elements: &[Value]) -> Option<Value> {
        let at = self.below(elements.len() + self.samples.len());
        elements.get(at).copied().or_else(|| Some(self.samples.get(at - elements.len())?.unpack(heap)))
    }

    /// The term with another integer in it, if it has one where chance looks.
    fn varied(&mut self, heap: &mut Heap, value: Value, depth: usize) -> Value {
        if let Some(int) = heap.integer(value).and_then(|int| int.to_i64()) {
            return heap.int(int.saturating_add(self.below(9) as i64 - 4));
        }
        let Some(mut parts) = parts(heap, value).filter(|_| depth > 0) else { return value };
        let at = self.below(parts.len());
        match parts.get_mut(at) {
            Some(part) => *part = self.varied(heap, *part, depth - 1),
            None => return value,
        }
        rebuilt(heap, value, &parts)
    }
}

/// The elements of a tuple or of a proper list that is not too long.
fn parts(heap: &Heap, value: Value) -> Option<Vec<Value>> {
    match heap.view(value) {
        View::Tuple(_, size) if size <= LONGEST => Some((0..size).map(|index| heap.element(value, index)).collect()),
        View::Nil => Some(Vec::new()),
        View::Cons(_) => {
            let (mut parts, mut rest) = (Vec::new(), value);
            while matches!(heap.view(rest), View::Cons(_)) {
                parts.push(heap.head(rest));
                rest = heap.tail(rest);
                if parts.len() > LONGEST {
                    return None;
                }
            }
            (rest == Value::NIL).then_some(parts)
        }
        _ => None,
    }
}

/// A term of the same kind with other parts.
fn rebuilt(heap: &mut Heap, old: Value, parts: &[Value]) -> Value {
    match heap.view(old) {
        View::Tuple(..) => heap.tuple(parts),
        _ => heap.list(parts.iter().copied(), Value::NIL),
    }
}

/// The paths to the lists in a term.
fn lists(heap: &Heap, root: Value) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut rest = vec![(root, Vec::new())];
    for _ in 0..NODES {
        let Some((value, path)) = rest.pop() else { break };
        let Some(parts) = parts(heap, value) else { continue };
        if path.len() < DEPTH {
            rest.extend(parts.iter().enumerate().map(|(index, part)| (*part, [path.as_slice(), &[index]].concat())));
        }
        if matches!(heap.view(value), View::Cons(_) | View::Nil) {
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::machine::Covered;
    use crate::report::inputs::End;
    use crate::term::Literals;

    fn kept(build: impl FnOnce(&mut Heap) -> Value) -> Vec<Covering> {
        let mut heap = Heap::new(Literals::default());
        let value = build(&mut heap);
        vec![Covering {
            input: vec![Packed::pack(&heap, value)],
            covered: Covered::default(),
            end: End::Returned,
            run: 1,
        }]
    }

    #[test]
    fn lists_become_longer_and_stay_proper() {
        let kept = kept(|heap| {
            let pair = heap.tuple(&[Value::count(1), Value::count(2)]);
            let list = heap.list([pair, pair], Value::NIL);
            heap.tuple(&[Value::ZERO, list])
        });
        let mut mixer = Mixer::new(&Spec::default());
        let mut longest = 0;
        for _ in 0..200 {
            let input = mixer.input(&kept, &Spec::default()).unwrap();
            let (heap, root) = input[0].open();
            longest = longest.max(parts(&heap, heap.element(root, 1)).unwrap().len());
        }
        assert!(longest > 4);
    }

    #[test]
    fn a_term_without_a_list_gives_nothing() {
        let kept = kept(|heap| heap.tuple(&[Value::count(1)]));
        assert!(Mixer::new(&Spec::default()).input(&kept, &Spec::default()).is_none());
        assert!(Mixer::new(&Spec::default()).input(&[], &Spec::default()).is_none());
    }
}
