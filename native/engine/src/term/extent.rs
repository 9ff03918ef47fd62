//! How large terms are for whoever visits each part as often as it occurs: parts, words of integers, words of bitstrings.

use super::heap::{BoxKind, Heap, View};
use super::map::{self, Map};
use super::value::Value;

/// The extent of a term, or `most` if it is that or more. Never looks at more than about `most` parts.
pub fn extent(heap: &Heap, value: Value, most: usize) -> usize {
    let mut count = 0;
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        let value = heap.concrete(value);
        let inside = match heap.view(value) {
            View::Cons(_) => {
                rest.extend([heap.tail(value), heap.head(value)]);
                0
            }
            View::Tuple(_, arity) => {
                rest.extend((0..arity.min(most)).map(|index| heap.element(value, index)));
                0
            }
            View::Map(_, size) if size < most => {
                let pairs = Map::of(heap, value).map(|map| map::pairs(heap, map)).unwrap_or_default();
                rest.extend(pairs.into_iter().flat_map(|(key, value)| [key, value]));
                0
            }
            View::Map(_, size) => size,
            View::Closure(ptr) => {
                rest.extend((0..heap.captured(ptr).min(most)).map(|index| heap.value(ptr.plus(2 + index))));
                0
            }
            View::Big(_) => integer_words(heap, value),
            View::Bits(bits) => bits.length / 64,
            View::Small(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Nil
            | View::External(_)
            | View::Foreign(_)
            | View::Virtual(_)
            | View::Sym(..) => 0,
        };
        count += 1 + inside;
        if count >= most {
            return most;
        }
    }
    count
}

/// The words of a (concrete) integer; 1 for everything else.
pub fn integer_words(heap: &Heap, value: Value) -> usize {
    let is_big = value.is_boxed() && heap.header(value).kind() == BoxKind::Big;
    if is_big { (heap.header(value).size() / 2).max(1) } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Literals;
    use num_bigint::BigInt;

    #[test]
    fn shared_parts_count_as_often_as_they_occur_up_to_the_limit() {
        let mut heap = Heap::new(Literals::default());
        let doubled = |heap: &mut Heap, times: usize| (0..times).fold(Value::NIL, |term, _| heap.tuple(&[term, term]));
        let small = doubled(&mut heap, 3);
        assert_eq!(extent(&heap, small, 1000), 15);
        let huge = doubled(&mut heap, 100);
        assert_eq!(extent(&heap, huge, 1000), 1000);
    }

    #[test]
    fn integers_and_bitstrings_count_in_words() {
        let mut heap = Heap::new(Literals::default());
        let big = heap.bigint(&(BigInt::from(1) << 6400));
        assert_eq!(extent(&heap, big, 1000), 102);
        assert_eq!(extent(&heap, Value::ZERO, 1000), 1);
    }
}
