//! Open sides that wait for long, kept small.
//!
//! What is needed to solve for a side is large: the expressions of a whole path. When many sides wait, only the input of their run is kept, and the
//! run is made again when one of them is taken: it is a function of its input. Runs that took long, or that called something native, are not
//! made again: their paths stay as they are.

use std::sync::Arc;
use std::time::Duration;

use super::tree::Record;
use crate::path::{Origin, SiteId};
use crate::term::Packed;

/// A run may be made again if it took no longer than this.
pub(super) const CHEAP: Duration = Duration::from_millis(2);

/// What is known of an open side without its path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brief {
    pub(super) index: u32,
    pub(super) site: SiteId,
    pub(super) depth: u32,
    pub(super) taken: bool,
    pub(super) origin: Origin,
    /// Where in the module under test it was asked.
    pub(super) within: SiteId,
}

impl Brief {
    pub(super) fn of(record: &Record, index: usize) -> Option<Brief> {
        let decision = record.decision(index)?;
        Some(Brief {
            index: index as u32,
            site: decision.site,
            depth: decision.depth,
            taken: decision.taken,
            origin: decision.origin,
            within: decision.within,
        })
    }
}

/// The input of a run, in few bytes.
#[derive(Clone)]
pub(super) struct Squeezed(Arc<[u8]>);

impl Squeezed {
    pub(super) fn new(input: &[Packed]) -> Self {
        let mut bytes = Vec::new();
        input.iter().for_each(|argument| argument.squeeze(&mut bytes));
        Squeezed(Arc::from(bytes))
    }

    /// The arguments; `None` never happens to what [`Squeezed::new`] has made.
    pub(super) fn input(&self) -> Option<Vec<Packed>> {
        let mut bytes = &*self.0;
        let mut input = Vec::new();
        while !bytes.is_empty() {
            input.push(Packed::unsqueeze(&mut bytes)?);
        }
        Some(input)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use num_bigint::BigInt;

    use super::Squeezed;
    use crate::term::{AtomId, Heap, Literals, Packed, Value};

    #[test]
    fn a_squeezed_input_is_the_same_input_and_small() {
        let mut heap = Heap::new(Literals::default());
        let numbers = [0, -1, 1, 17, -4_000, 1 << 40, crate::term::value::SMALL_MIN];
        let large = heap.bigint(&(BigInt::from(1) << 200));
        let elements: Vec<Value> = numbers.iter().map(|number| Value::small(*number).unwrap()).chain([large]).collect();
        let tuple = heap.tuple(&elements);
        let binary = heap.binary(b"some text");
        let float = heap.float(-0.5);
        let list = [binary, float, Value::atom(AtomId::intern("atom")), tuple]
            .into_iter()
            .fold(Value::NIL, |tail, head| heap.cons(head, tail));
        let input = vec![Packed::pack(&heap, list), Packed::immediate(Value::NIL), Packed::pack(&heap, tuple)];
        let squeezed = Squeezed::new(&input);
        assert_eq!(squeezed.input().unwrap(), input);
        let ints = (0..100).fold(Value::NIL, |tail, number| heap.cons(Value::small(number).unwrap(), tail));
        let list = Packed::pack(&heap, ints);
        assert!(Squeezed::new(std::slice::from_ref(&list)).len() < 100 * 5);
    }
}
