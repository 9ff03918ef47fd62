//! A solver that takes too much memory is given up. The limit is one for the whole process, so this has a process of its own.

#![allow(clippy::unwrap_used)]

use cuter_engine::smt::{Answer, Limits, Question, Solver, Step, Z3};
use cuter_engine::sym::{Arena, Tags};

/// Asks so many easy questions.
fn ask(solver: &mut Z3, count: u64) {
    let mut arena = Arena::default();
    let input = arena.input(0);
    let (is_int, int) = (arena.is(input, Tags::INT), arena.int_of(input));
    for number in 0..count {
        let bound = arena.int(number);
        let above = arena.lt(bound, int);
        let prefix = [Step { key: 0, condition: is_int, taken: true }];
        let goal = Step { key: number + 1, condition: above, taken: true };
        let question =
            Question { arena: &arena, arena_id: 0, prefix: &prefix, goal, inputs: 1, whole: false, deadline: None };
        assert!(matches!(solver.solve(&question), Answer::Sat(_)));
    }
}

#[test]
fn a_context_is_given_up_when_z3_has_taken_half_of_its_memory() {
    let mut modest = Z3::new(Limits { memory_mb: 4_096, ..Limits::default() });
    ask(&mut modest, 1_000);
    assert!(!modest.is_worn());
    // Z3 itself needs more than half a megabyte; nothing is refused yet that is asked for in small pieces.
    let mut tight = Z3::new(Limits { memory_mb: 4_096, ..Limits::default() }).worn_at(1);
    ask(&mut tight, 999);
    assert!(!tight.is_worn(), "not for its size before it has answered many questions");
    ask(&mut tight, 1);
    assert!(tight.is_worn());
}
