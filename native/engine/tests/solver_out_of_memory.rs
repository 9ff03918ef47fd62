//! A solver that runs out of memory. The limit is one for the whole process, so this has a process of its own, and its tests take turns.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Mutex;
use std::thread;

use cuter_engine::smt::{Answer, Limits, Question, Solver, Step, Z3};
use cuter_engine::sym::{Arena, SymId, Tags};
use z3::StatisticsValue;

static TURN: Mutex<()> = Mutex::new(());

/// So many integers, all different, with room for one less.
fn pigeons(arena: &mut Arena, count: u32) -> Vec<(SymId, bool)> {
    let (low, high) = (arena.int(0u64), arena.int(u64::from(count - 1)));
    let ints: Vec<SymId> = (0..count)
        .map(|number| {
            let input = arena.input(number);
            arena.int_of(input)
        })
        .collect();
    let mut conditions = Vec::new();
    for (number, int) in ints.iter().enumerate() {
        let input = arena.input(number as u32);
        conditions.push((arena.is(input, Tags::INT), true));
        conditions.extend([(arena.lt(*int, low), false), (arena.lt(*int, high), true)]);
        for other in &ints[..number] {
            conditions.push((arena.eq(*int, *other), false));
        }
    }
    conditions
}

fn ask(solver: &mut Z3, count: u32) -> Answer {
    let mut arena = Arena::default();
    let conditions = pigeons(&mut arena, count);
    let key = |at: usize| at as u64 + 1_000 * u64::from(count);
    let steps: Vec<Step> = conditions
        .iter()
        .enumerate()
        .map(|(at, (condition, taken))| Step { key: key(at), condition: *condition, taken: *taken })
        .collect();
    let (goal, prefix) = steps.split_last().unwrap();
    let question = Question {
        arena: &arena,
        arena_id: u64::from(count),
        prefix,
        goal: *goal,
        inputs: count,
        whole: false,
        deadline: None,
    };
    solver.solve(&question)
}

fn limited(memory_mb: u32) -> Z3 {
    // The time is not what ends it.
    Z3::new(Limits { memory_mb, timeout_ms: 600_000, ..Limits::default() })
}

fn is_out_of_memory(answer: &Answer) -> bool {
    matches!(answer, Answer::Unknown(why) if why == "memout")
}

/// What Z3 has taken altogether.
fn taken_mb() -> u32 {
    let solver = z3::Solver::new();
    solver.check();
    match solver.get_statistics().value("memory") {
        Some(StatisticsValue::Double(megabytes)) => megabytes as u32,
        Some(StatisticsValue::UInt(megabytes)) => megabytes,
        None => 0,
    }
}

#[test]
fn a_question_that_takes_too_much_memory_is_unknown_and_the_next_one_is_answered() {
    let _turn = TURN.lock();
    let limit = taken_mb() + 3;
    let mut solver = limited(limit);
    assert_eq!(ask(&mut solver, 3), Answer::Unsat);
    let before = taken_mb();
    for _ in 0..2 {
        let answer = ask(&mut solver, 11);
        assert!(is_out_of_memory(&answer), "{answer:?} with {limit} MB, {} of them taken", taken_mb());
        assert_eq!(ask(&mut solver, 3), Answer::Unsat);
    }
    assert!(taken_mb() <= before + 4, "{before} MB before, {} after", taken_mb());
    assert!(!solver.is_worn());
}

#[test]
fn solvers_on_several_threads_run_out_of_memory_and_recover() {
    let _turn = TURN.lock();
    thread::scope(|scope| {
        let solvers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    // Less than a context needs for itself: whoever is first, all are short of memory.
                    let mut solver = limited(2);
                    (0..3).all(|_| is_out_of_memory(&ask(&mut solver, 9)))
                })
            })
            .collect();
        assert!(solvers.into_iter().all(|solver| solver.join().unwrap()));
    });
    // All contexts are gone with their threads.
    let mut solver = limited(taken_mb() + 20);
    assert_eq!(ask(&mut solver, 3), Answer::Unsat);
}

#[test]
fn a_context_that_finds_the_memory_used_up_is_given_up_unless_it_is_new() {
    let _turn = TURN.lock();
    let mut solver = limited(1);
    for _ in 0..19 {
        assert!(is_out_of_memory(&ask(&mut solver, 3)));
    }
    assert!(!solver.is_worn());
    assert!(is_out_of_memory(&ask(&mut solver, 3)));
    assert!(solver.is_worn());
    // Nothing of that is left behind for others.
    assert_eq!(ask(&mut limited(2_048), 3), Answer::Unsat);
}
