//! Funs made from a model: a finite table of calls, and what all other calls return.
//!
//! A table fun is a closure of a reserved function number that has captured one value, `{[{Arguments, Result}], Default}` with a list of
//! arguments in each entry. So it is copied, packed, compared and hashed like any closure. Arguments are looked up by `=:=`, the first entry
//! counts. On the VM it is a fun of `cuter_fun` with the same value among its free variables, which does the same.

use super::foreign::Foreign;
use super::heap::{Heap, View};
use super::order;
use super::value::{Ptr, Value};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Literals, Packed};

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
