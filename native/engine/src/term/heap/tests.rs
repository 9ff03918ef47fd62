use super::*;

fn heap() -> Heap {
    Heap::new(Literals::default())
}

#[test]
fn collecting_keeps_what_a_root_reaches_and_drops_the_rest() {
    let mut heap = heap();
    for _ in 0..1000 {
        heap.float(1.0);
    }
    let inner = heap.tuple(&[Value::count(7), Value::NIL]);
    let big = heap.bigint(&(BigInt::from(1) << 200));
    let binary = heap.binary(b"some bytes here");
    let list = heap.list([inner, big, binary, inner], Value::NIL);
    let closure = heap.closure_of(3, 2, &[list]);
    let mut roots = [closure];
    heap.collect(&mut [&mut roots]);
    assert!(heap.used() < 60);
    let [closure] = roots;
    assert_eq!(heap.closure(closure.ptr()), (3, 2));
    let list = heap.value(closure.ptr().plus(2));
    let inner = heap.head(list);
    assert_eq!(heap.tuple_arity(inner), Some(2));
    let rest = heap.tail(list);
    assert_eq!(heap.integer(heap.head(rest)), Some(BigInt::from(1) << 200));
    let shared = heap.head(heap.tail(heap.tail(rest)));
    assert_eq!(shared, inner, "sharing is kept");
}

#[test]
fn collecting_plainly_leaves_out_the_expressions() {
    let mut heap = heap();
    let sym = SymId::from_number(0);
    let head = heap.symbolic(Value::count(7), sym);
    let cell = heap.cons(head, Value::NIL);
    let list = heap.symbolic(cell, sym);
    let mut roots = [list, head, heap.tuple(&[list, head])];
    heap.collect_plain(&mut [&mut roots]);
    let [list, head, both] = roots;
    assert_eq!((heap.head(list), heap.tail(list), head), (Value::count(7), Value::NIL, Value::count(7)));
    assert_eq!((heap.element(both, 0), heap.element(both, 1)), (list, head), "sharing is kept");
    assert_eq!(heap.used(), 2 + 3);
}

#[test]
fn a_list_of_a_million_elements_is_collected_without_recursion() {
    let mut heap = heap();
    let mut roots = [heap.list((0..1_000_000).map(Value::count), Value::NIL)];
    heap.collect(&mut [&mut roots]);
    assert_eq!(heap.used(), 2_000_000);
}

#[test]
fn a_symbolic_value_keeps_its_expression_over_a_collection() {
    let mut heap = heap();
    let tuple = heap.tuple(&[Value::count(1)]);
    let mut roots = [heap.symbolic(tuple, SymId::from_number(9))];
    heap.collect(&mut [&mut roots]);
    let [value] = roots;
    assert_eq!(heap.expression(value), Some(SymId::from_number(9)));
    assert_eq!(heap.tuple_arity(heap.concrete(value)), Some(1));
}
