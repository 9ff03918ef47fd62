//! Funs made from a model: a finite table of calls, and what all other calls return.
//!
//! A table fun is a closure of a reserved function number that has captured one value, `{[{Arguments, Result}], Default}` with a list of
//! arguments in each entry. So it is copied, packed, compared and hashed like any closure. Arguments are looked up by `=:=`, the first entry
//! counts. On the VM it is a fun of `cuter_fun` with the same value among its free variables, which does the same.

use rustc_hash::FxHashMap;

use super::foreign::Foreign;
use super::heap::{Heap, Literals, View};
use super::packed::Packed;
use super::value::{Ptr, Value};
use super::{map, order};

/// The function number of table funs; no function of the code has it.
const TABLE: u32 = u32::MAX;

/// Funs of the VM with more arguments can't be written down: neither by `cuter_fun` nor by `erl_eval`.
pub const MAX_TABLE_ARITY: usize = 20;

/// Where the one captured value of a closure stands.
const CONTENT: usize = 2;

/// The fun of these calls, each a list of arguments and a result.
pub fn table_fun(heap: &mut Heap, arity: usize, calls: &[(Value, Value)], default: Value) -> Value {
    let entries: Vec<Value> = calls.iter().map(|(args, result)| heap.tuple(&[*args, *result])).collect();
    let entries = heap.list(entries, Value::NIL);
    let content = heap.tuple(&[entries, default]);
    from_content(heap, arity, content)
}

/// The fun of `{[{Arguments, Result}], Default}`.
pub fn from_content(heap: &mut Heap, arity: usize, content: Value) -> Value {
    heap.closure_of(TABLE, arity, &[content])
}

/// True for a closure that is a table fun.
pub fn is_table(heap: &Heap, closure: Ptr) -> bool {
    heap.closure(closure).0 == TABLE
}

/// The table of a (concrete) value that is a table fun.
pub fn content(heap: &Heap, fun: Value) -> Option<Value> {
    match heap.view(fun) {
        View::Closure(ptr) if is_table(heap, ptr) => Some(heap.value(ptr.plus(CONTENT))),
        _ => None,
    }
}

/// What a table fun returns; `None` if the (concrete) value is none.
pub fn look_up(heap: &Heap, fun: Value, args: &[Value]) -> Option<Value> {
    let content = content(heap, fun)?;
    let mut rest = heap.element(content, 0);
    while rest.is_cons() {
        let entry = heap.head(rest);
        if matches(heap, heap.element(entry, 0), args) {
            return Some(heap.element(entry, 1));
        }
        rest = heap.tail(rest);
    }
    Some(heap.element(content, 1))
}

fn matches(heap: &Heap, mut list: Value, args: &[Value]) -> bool {
    for arg in args {
        if !list.is_cons() || !order::identical(heap, heap.head(list), *arg) {
            return false;
        }
        list = heap.tail(list);
    }
    list.is_nil()
}

/// The calls of a table fun, each a list of arguments and a result; none if the (concrete) value is no table fun.
pub fn calls(heap: &Heap, fun: Value) -> Vec<(Value, Value)> {
    let mut calls = Vec::new();
    let mut rest = content(heap, fun).map_or(Value::NIL, |content| heap.element(content, 0));
    while rest.is_cons() {
        let entry = heap.head(rest);
        calls.push((heap.element(entry, 0), heap.element(entry, 1)));
        rest = heap.tail(rest);
    }
    calls
}

/// Everything that a table fun can return, the default last; nothing if the (concrete) value is no table fun.
pub fn results(heap: &Heap, fun: Value) -> Vec<Value> {
    calls(heap, fun).into_iter().map(|(_, result)| result).chain(default(heap, fun)).collect()
}

/// What a table fun returns for arguments that its table does not have.
pub fn default(heap: &Heap, fun: Value) -> Option<Value> {
    content(heap, fun).map(|content| heap.element(content, 1))
}

/// The arity of a (concrete) value that is a fun of any kind.
pub fn fun_arity(heap: &Heap, fun: Value) -> Option<usize> {
    match heap.view(fun) {
        View::Closure(ptr) => Some(heap.closure(ptr).1),
        View::External(ptr) => Some(heap.external_of(ptr).2),
        View::Foreign(ptr) => match Foreign::read(heap, ptr) {
            Foreign::Fun(fun) => Some(usize::from(fun.arity)),
            Foreign::Reference { .. } | Foreign::Port { .. } | Foreign::Pid { .. } => None,
        },
        View::Virtual(value) => match value.as_identifier() {
            (super::VirtualKind::Fun, number) => Some((number & 0xff) as usize),
            (super::VirtualKind::Reference | super::VirtualKind::Pid, _) => None,
        },
        View::Small(_)
        | View::Big(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Nil
        | View::Cons(_)
        | View::Tuple(..)
        | View::Bits(_)
        | View::Map(..)
        | View::Sym(..) => None,
    }
}

/// The term with tables that return 0 in the place of all other funs, if it has any.
pub fn with_tables(term: &Packed) -> Option<Packed> {
    let mut heap = Heap::new(Literals::default());
    let root = term.unpack(&mut heap);
    let used = heap.used();
    let mut values = vec![root];
    Heap::visit_values(&mut heap.words_mut().clone(), |value| {
        values.push(value);
        value
    });
    let mut tables: FxHashMap<Value, Value> = FxHashMap::default();
    for fun in values {
        let arity = fun_arity(&heap, fun).filter(|arity| *arity <= MAX_TABLE_ARITY && content(&heap, fun).is_none());
        if let Some(arity) = arity {
            let table = table_fun(&mut heap, arity, &[], Value::ZERO);
            tables.insert(fun, table);
        }
    }
    if tables.is_empty() {
        return None;
    }
    let replace = |value: Value| tables.get(&value).copied().unwrap_or(value);
    Heap::visit_values(heap.words_mut().get_mut(..used)?, replace);
    let root = map::rebuilt(&mut heap, replace(root));
    Some(Packed::pack(&heap, root))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::term::AtomId;

    #[test]
    fn other_funs_give_way_to_tables_wherever_they_are() {
        let mut heap = Heap::new(Literals::default());
        let abs = heap.external(AtomId::ERLANG, AtomId::intern("abs"), 1);
        let table = table_fun(&mut heap, 2, &[], Value::NIL);
        let map = heap.map(&[(Value::ZERO, abs)]);
        let list = heap.list([abs, table, map], Value::NIL);
        let (heap, root) = with_tables(&Packed::pack(&heap, list)).unwrap().open();
        let (first, rest) = (heap.head(root), heap.tail(root));
        assert_eq!((fun_arity(&heap, first), default(&heap, first)), (Some(1), Some(Value::ZERO)));
        assert_eq!(default(&heap, heap.head(rest)), Some(Value::NIL));
        assert_eq!(with_tables(&Packed::pack(&heap, root)), None);
    }

    #[test]
    fn a_table_fun_answers_by_exact_equality_and_survives_packing() {
        let mut heap = Heap::new(Literals::default());
        let (one, two) = (Value::count(1), Value::count(2));
        let args = heap.list([one, two], Value::NIL);
        let fun = table_fun(&mut heap, 2, &[(args, Value::NIL)], two);
        let packed = Packed::pack(&heap, fun);
        let mut other = Heap::new(Literals::default());
        let copy = packed.unpack(&mut other);
        let float = other.float(1.0);
        assert_eq!(look_up(&other, copy, &[one, two]), Some(Value::NIL));
        assert_eq!(look_up(&other, copy, &[float, two]), Some(two));
        assert_eq!(look_up(&other, copy, &[two, one]), Some(two));
        assert_eq!(fun_arity(&other, copy), Some(2));
        assert_eq!(look_up(&other, one, &[one]), None);
    }
}
