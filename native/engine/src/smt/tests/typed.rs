//! Types inside maps and of what funs return: what no input of the type can do has no answer.

use std::sync::Arc;

use super::{Answer, Case, case};
use crate::smt::{Limits, Z3};
use crate::sym::eval::Evaluator;
use crate::sym::{SymId, Tags};
use crate::term::{AtomId, Packed, Value};
use crate::types::member::is_member;
use crate::types::{Association, Clause, Node, Presence, Signature, TypeId, Types};

/// Nodes of a table under construction.
#[derive(Default)]
struct Table(Vec<Node>);

impl Table {
    fn add(&mut self, node: Node) -> TypeId {
        self.0.push(node);
        TypeId(self.0.len() as u32 - 1)
    }

    fn atom(&mut self, name: &str) -> TypeId {
        self.add(Node::Atom(AtomId::intern(name)))
    }

    fn range(&mut self, low: Option<i64>, high: Option<i64>) -> TypeId {
        self.add(Node::Integer { low: low.map(Into::into), high: high.map(Into::into) })
    }

    fn map(&mut self, items: &[(Presence, TypeId, TypeId)]) -> TypeId {
        let items =
            items.iter().map(|(presence, key, value)| Association { presence: *presence, key: *key, value: *value });
        self.add(Node::Map(items.collect()))
    }

    /// A question about inputs of these types.
    fn case(self, args: &[TypeId]) -> (Case, Arc<Signature>) {
        let clause = Clause { args: args.to_vec(), result: TypeId(0) };
        let signature = Arc::new(Signature { types: Types::new(self.0), clauses: vec![clause] });
        let solver = Z3::new(Limits::default()).typed_by(Some(Arc::clone(&signature)));
        (Case { solver, ..case(args.len() as u32) }, signature)
    }
}

const MUST: Presence = Presence::Mandatory;
const MAY: Presence = Presence::Optional;

fn atom(case: &mut Case, name: &str) -> SymId {
    case.arena.atom(AtomId::intern(name))
}

fn has(case: &mut Case, map: SymId, key: &str) -> SymId {
    let key = atom(case, key);
    case.arena.map_has(map, key)
}

fn has_size(case: &mut Case, map: SymId, wanted: i64) -> SymId {
    let size = case.arena.map_size(map, &|_, _| None);
    let wanted = case.arena.int(wanted);
    case.arena.eq(size, wanted)
}

/// The inputs of a model that satisfies prefix and goal.
fn solved(case: &mut Case, condition: SymId, taken: bool) -> Vec<Packed> {
    let answer = case.ask(condition, taken);
    let Answer::Sat(model) = answer else { panic!("{:?}: {answer:?}", case.arena.get(condition)) };
    let some = Packed::immediate(Value::NIL);
    let inputs: Vec<Packed> = model.inputs.into_iter().map(|input| input.unwrap_or_else(|| some.clone())).collect();
    let mut evaluator = Evaluator::new(&case.arena, &inputs);
    for (condition, taken) in case.steps.iter().map(|step| (step.condition, step.taken)).chain([(condition, taken)]) {
        assert_eq!(evaluator.holds(condition), Some(taken), "{:?} for {inputs:?}", case.arena.get(condition));
    }
    inputs
}

fn is_of(signature: &Signature, term: &Packed, id: TypeId) -> bool {
    let (heap, root) = term.open();
    is_member(&signature.types, &heap, root, id)
}

#[test]
fn a_key_that_the_type_forbids_is_no_key() {
    let mut table = Table::default();
    let (a, int) = (table.atom("a"), table.range(None, None));
    let map = table.map(&[(MAY, a, int)]);
    let (mut case, signature) = table.case(&[map]);
    let m = case.input(0);
    let (has_a, has_b) = (has(&mut case, m, "a"), has(&mut case, m, "b"));
    assert_eq!(case.ask(has_b, true), Answer::Unsat);
    for taken in [true, false] {
        let inputs = solved(&mut case, has_a, taken);
        assert!(is_of(&signature, &inputs[0], map), "{inputs:?}");
    }
    let two = has_size(&mut case, m, 2);
    assert_eq!(case.ask(two, true), Answer::Unsat);
}

#[test]
fn the_size_of_a_closed_map_is_that_of_its_keys() {
    let mut table = Table::default();
    let (keys, int) = (table.range(Some(1), Some(3)), table.range(None, None));
    let map = table.map(&[(MAY, keys, int)]);
    let (mut case, signature) = table.case(&[map]);
    let m = case.input(0);
    let two = case.arena.int(2);
    let two = case.arena.term(two);
    let has_two = case.arena.map_has(m, two);
    case.require(has_two, false);
    let (size_two, size_three) = (has_size(&mut case, m, 2), has_size(&mut case, m, 3));
    assert_eq!(case.ask(size_three, true), Answer::Unsat);
    let inputs = solved(&mut case, size_two, true);
    assert!(is_of(&signature, &inputs[0], map), "{inputs:?}");
}

#[test]
fn a_map_of_some_size_has_keys_of_its_type() {
    let mut table = Table::default();
    let (int, any) = (table.range(Some(5), None), table.add(Node::Any));
    let map = table.map(&[(MAY, int, any)]);
    let (mut case, signature) = table.case(&[map]);
    let m = case.input(0);
    let four = has_size(&mut case, m, 4);
    let inputs = solved(&mut case, four, true);
    assert!(is_of(&signature, &inputs[0], map), "{inputs:?}");
}

#[test]
fn a_key_that_tells_alternatives_apart_says_what_else_there_is() {
    let mut table = Table::default();
    let (kind, circle, square) = (table.atom("kind"), table.atom("circle"), table.atom("square"));
    let (radius, side, int) = (table.atom("radius"), table.atom("side"), table.range(Some(1), None));
    let round = table.map(&[(MUST, kind, circle), (MUST, radius, int)]);
    let edgy = table.map(&[(MUST, kind, square), (MUST, side, int)]);
    let either = table.add(Node::Union(vec![round, edgy]));
    let (mut case, _) = table.case(&[either]);
    let m = case.input(0);
    let key = atom(&mut case, "kind");
    let value = case.arena.map_get(m, key);
    let wanted = atom(&mut case, "square");
    let is_square = case.arena.eq(value, wanted);
    let (has_side, has_radius) = (has(&mut case, m, "side"), has(&mut case, m, "radius"));
    solved(&mut case, has_radius, true);
    case.require(is_square, true);
    assert_eq!(case.ask(has_radius, true), Answer::Unsat);
    assert_eq!(case.ask(has_side, false), Answer::Unsat);
    let both = has_size(&mut case, m, 2);
    assert_eq!(case.ask(both, false), Answer::Unsat);
}

#[test]
fn what_a_fun_in_a_map_returns_is_of_its_type() {
    let mut table = Table::default();
    let (run, small) = (table.atom("run"), table.range(Some(1), Some(3)));
    let ok = table.atom("ok");
    let result = table.map(&[(MUST, ok, small)]);
    let fun = table.add(Node::Fun { args: Some(vec![small]), result });
    let map = table.map(&[(MAY, run, fun)]);
    let (mut case, _) = table.case(&[map]);
    let m = case.input(0);
    let has_run = has(&mut case, m, "run");
    case.require(has_run, true);
    let key = atom(&mut case, "run");
    let f = case.arena.map_get(m, key);
    let wrong = case.arena.is_fun_of(f, 2);
    assert_eq!(case.ask(wrong, true), Answer::Unsat);
    let right = case.arena.is_fun_of(f, 1);
    case.require(right, true);
    let arg = case.arena.int(1);
    let arg = case.arena.term(arg);
    let result = case.arena.call(f, vec![arg]);
    let is_map = case.arena.is(result, Tags::MAP);
    assert_eq!(case.ask(is_map, false), Answer::Unsat);
    case.require(is_map, true);
    let key = atom(&mut case, "ok");
    let value = case.arena.map_get(result, key);
    let int = case.arena.int_of(value);
    let (three, four) = (case.arena.int(3), case.arena.int(4));
    let (is_three, is_four) = (case.arena.eq(int, three), case.arena.eq(int, four));
    assert_eq!(case.ask(is_four, true), Answer::Unsat);
    solved(&mut case, is_three, true);
}
