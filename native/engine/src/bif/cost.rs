//! How much a call of a built-in function may do, told by its arguments before it is made.
//!
//! Functions are taken to look at all of their arguments, each part as often as it occurs, unless they are known to need less or more. What a
//! function makes counts like what it looks at.

use std::sync::LazyLock;

use super::{BifId, TABLE};
use crate::term::extent::{extent, integer_words};
use crate::term::{Heap, Value};

/// What the cost of a call depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Growth {
    /// On nothing: it looks at the first level of its arguments at most.
    Constant,
    /// On the length of the first argument alone, a list.
    Spine,
    /// On the number of elements of the arguments, tuples.
    Width,
    /// On the extent of the first argument alone.
    First,
    Sum,
    /// On the extent of each argument, times that of the others.
    Product,
    /// On the square of the first argument's digits.
    Digits,
    /// An integer is shifted by so many bits.
    Shift,
    /// The first argument, so many times.
    Copies,
    /// So many elements as the first argument says.
    Elements,
}

/// Functions whose cost is not the sum of their arguments' extents.
#[rustfmt::skip]
const OTHERS: &[(&str, &[&str], Growth)] = &[
    ("erlang", &[
        "abs", "alias", "bit_size", "byte_size", "cancel_timer", "date", "element", "erase", "float", "get", "hd", "is_atom", "is_binary",
        "is_bitstring", "is_boolean", "is_float", "is_function", "is_integer", "is_list", "is_map", "is_number", "is_pid", "is_port",
        "is_process_alive", "is_record", "is_reference", "is_tuple", "localtime", "make_ref", "map_size", "monotonic_time", "node", "not", "now",
        "put", "read_timer", "self", "send", "!", "size", "system_time", "time", "time_offset", "timestamp", "tl", "tuple_size", "unique_integer",
        "universaltime", "and", "or", "xor", "binary_part", "split_binary", "error", "exit", "throw", "spawn", "spawn_link", "spawn_monitor",
        "yield", "whereis", "raise",
    ], Growth::Constant),
    ("binary", &["at", "first", "last", "part"], Growth::Constant),
    ("math", &["sqrt", "pow", "log", "exp", "sin", "cos", "floor", "ceil"], Growth::Constant),
    ("erlang", &["length", "++", "list_to_tuple"], Growth::Spine),
    ("lists", &["reverse"], Growth::Spine),
    ("erlang", &["setelement", "append_element", "insert_element", "delete_element", "tuple_to_list"], Growth::Width),
    // Keys of maps are hashed, or compared with some others.
    ("erlang", &["map_get", "is_map_key"], Growth::First),
    ("maps", &["find", "get", "is_key", "put", "remove", "take", "update"], Growth::First),
    ("erlang", &["*", "div", "rem", "--"], Growth::Product),
    ("binary", &["match", "matches", "split"], Growth::Product),
    (
        "erlang",
        &["integer_to_list", "list_to_integer", "integer_to_binary", "binary_to_integer"],
        Growth::Digits,
    ),
    ("erlang", &["bsl", "bsr"], Growth::Shift),
    ("binary", &["copy"], Growth::Copies),
    ("erlang", &["make_tuple"], Growth::Elements),
];

static GROWTHS: LazyLock<Vec<Growth>> = LazyLock::new(|| {
    let growth = |module: &str, name: &str| {
        let mut known = OTHERS.iter().filter(|(of, names, _)| *of == module && names.contains(&name));
        known.next().map_or(Growth::Sum, |(_, _, growth)| *growth)
    };
    TABLE.bifs.iter().map(|(_, bif)| growth(bif.module, bif.name)).collect()
});

/// Digits, or words of integers multiplied, beyond which one call is too much for a run: it could not be cancelled meanwhile.
const MOST_PRODUCTS: usize = 1 << 30;

/// What a call costs, or `most` if that is less: about so many parts are looked at.
pub fn cost(heap: &Heap, id: BifId, args: &[Value], most: usize) -> usize {
    let growth = GROWTHS.get(id.0 as usize).copied().unwrap_or(Growth::Sum);
    let mut extents = args.iter().map(|arg| extent(heap, *arg, most));
    let number = |index: usize| {
        let number = args.get(index).map_or(Value::ZERO, |arg| heap.concrete(*arg));
        if number.is_small() { number.as_small().unsigned_abs() as usize } else { most }
    };
    let cost = match growth {
        Growth::Constant => 1,
        Growth::Spine => args.first().map_or(0, |list| spine(heap, *list, most)),
        Growth::Width => args.iter().filter_map(|arg| heap.tuple_arity(heap.concrete(*arg))).sum::<usize>() + 1,
        Growth::First => extents.next().unwrap_or(0),
        Growth::Sum => extents.sum(),
        Growth::Product => extents.fold(1, usize::saturating_mul),
        Growth::Digits => {
            let digits = extents.next().unwrap_or(0);
            digits.saturating_mul(digits).max(digits)
        }
        Growth::Shift => extents.next().unwrap_or(0).saturating_add(number(1) / 64),
        Growth::Copies => {
            let times = if args.len() > 1 { number(1) } else { 1 };
            extents.next().unwrap_or(0).saturating_mul(times)
        }
        Growth::Elements => number(0),
    };
    cost.min(most)
}

fn spine(heap: &Heap, list: Value, most: usize) -> usize {
    let (mut rest, mut count) = (heap.concrete(list), 1);
    while rest.is_cons() && count < most {
        rest = heap.concrete(heap.tail(rest));
        count += 1;
    }
    count
}

/// Whether a call takes longer than a run can be left alone for. Only arithmetic with huge integers does.
pub(super) fn is_too_much(heap: &Heap, id: BifId, args: &[Value]) -> bool {
    let words = |index: usize| args.get(index).map_or(1, |arg| integer_words(heap, heap.concrete(*arg)));
    match GROWTHS.get(id.0 as usize) {
        Some(Growth::Product) => words(0).saturating_mul(words(1)) > MOST_PRODUCTS && !is_multiplication(id),
        Some(Growth::Digits) => {
            // A word has some nineteen digits.
            let digits = args.first().map_or(0, |arg| characters(heap, *arg)) / 19;
            let words = words(0).max(digits);
            words.saturating_mul(words) > MOST_PRODUCTS
        }
        Some(
            Growth::Constant
            | Growth::Spine
            | Growth::Width
            | Growth::First
            | Growth::Sum
            | Growth::Shift
            | Growth::Copies
            | Growth::Elements,
        )
        | None => false,
    }
}

/// How many characters a text has, be it a list or a binary.
fn characters(heap: &Heap, text: Value) -> usize {
    heap.as_bits(heap.concrete(text)).map_or_else(|| spine(heap, text, usize::MAX), |bits| bits.length / 8)
}

/// Multiplying takes far less than all products of two words.
fn is_multiplication(id: BifId) -> bool {
    TABLE.bifs.get(id.0 as usize).is_some_and(|(_, bif)| bif.name == "*")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use crate::bif::{find, mfa};
    use crate::term::Literals;

    const MOST: usize = 10_000;

    fn cost_of(heap: &Heap, module: &str, name: &str, args: &[Value]) -> usize {
        cost(heap, find(mfa(module, name, args.len())).unwrap(), args, MOST)
    }

    #[test]
    fn names_are_those_of_built_in_functions() {
        for (module, names, _) in OTHERS {
            for name in *names {
                let known = TABLE.bifs.iter().any(|(_, bif)| bif.module == *module && bif.name == *name);
                assert!(known, "{module}:{name}");
            }
        }
    }

    #[test]
    fn what_makes_much_of_little_costs_much() {
        let mut heap = Heap::new(Literals::default());
        let (one, many) = (Value::count(1), Value::count(100_000_000));
        let byte = heap.list([one], Value::NIL);
        let big = heap.bigint(&(BigInt::from(1) << 64_000));
        assert_eq!(cost_of(&heap, "erlang", "bsl", &[one, many]), MOST);
        assert_eq!(cost_of(&heap, "binary", "copy", &[byte, many]), MOST);
        assert_eq!(cost_of(&heap, "erlang", "make_tuple", &[many, one]), MOST);
        assert_eq!(cost_of(&heap, "erlang", "*", &[big, big]), MOST);
        assert_eq!(cost_of(&heap, "erlang", "integer_to_list", &[big]), MOST);
        assert!(cost_of(&heap, "erlang", "+", &[big, big]) < MOST);
        assert!(cost_of(&heap, "erlang", "*", &[one, one]) < 10);
    }

    #[test]
    fn what_looks_at_shared_parts_again_costs_much_and_what_does_not_costs_little() {
        let mut heap = Heap::new(Literals::default());
        let shared = (0..100).fold(Value::NIL, |term, _| heap.cons(term, term));
        assert_eq!(cost_of(&heap, "erlang", "iolist_size", &[shared]), MOST);
        assert_eq!(cost_of(&heap, "erlang", "=:=", &[shared, shared]), MOST);
        assert!(cost_of(&heap, "erlang", "length", &[shared]) < 200);
        assert_eq!(cost_of(&heap, "erlang", "hd", &[shared]), 1);
        let pair = heap.tuple(&[shared, shared]);
        assert!(cost_of(&heap, "erlang", "setelement", &[Value::count(1), pair, shared]) < 10);
        assert!(cost_of(&heap, "maps", "put", &[Value::NIL, shared, shared]) < 10);
    }

    #[test]
    fn a_number_of_millions_of_digits_is_too_much() {
        let mut heap = Heap::new(Literals::default());
        let (fine, huge) = (BigInt::from(1) << 1_000_000, BigInt::from(1) << 30_000_000);
        let [fine, huge] = [fine, huge].map(|int| heap.bigint(&int));
        let text = find(mfa("erlang", "integer_to_list", 1)).unwrap();
        assert!(!is_too_much(&heap, text, &[fine]));
        assert!(is_too_much(&heap, text, &[huge]));
    }

    #[test]
    fn a_text_of_millions_of_digits_is_too_much_as_a_binary_too() {
        let mut heap = Heap::new(Literals::default());
        let [fine, huge] = [1_000, 10_000_000].map(|length| heap.binary(&vec![b'9'; length]));
        let number = find(mfa("erlang", "binary_to_integer", 1)).unwrap();
        assert!(!is_too_much(&heap, number, &[fine]));
        assert!(is_too_much(&heap, number, &[huge]));
    }
}
