//! How many questions the solver answers in a second of processor time: the decisions of paths down a list of tuples, each turned in order of depth or at random.
//!
//!     cargo run --release --example smt_speed [depth] [rounds]

use std::time::Instant;

use cuter_engine::smt::{Answer, Limits, Question, Solver, Step, Z3};
use cuter_engine::sym::{Arena, SymId, Tags};

/// A path through `[{Tag, Number} | …]` that sums the numbers.
fn path(depth: usize) -> (Arena, Vec<Step>) {
    let mut arena = Arena::default();
    let mut list = arena.input(0);
    let mut sum = arena.int(0);
    let mut conditions: Vec<(SymId, bool)> = Vec::new();
    while conditions.len() < depth {
        conditions.push((arena.is(list, Tags::CONS), true));
        let head = arena.head(list);
        conditions.push((arena.arity(head, 2), true));
        let tag = arena.element(head, 0);
        let ok = arena.atom(cuter_engine::term::AtomId::OK);
        conditions.push((arena.eq(tag, ok), conditions.len().is_multiple_of(3)));
        let number = arena.element(head, 1);
        conditions.push((arena.is(number, Tags::INT), true));
        let int = arena.int_of(number);
        sum = arena.add(sum, int);
        let bound = arena.int(conditions.len() as i64);
        conditions.push((arena.lt(sum, bound), conditions.len().is_multiple_of(2)));
        list = arena.tail(list);
    }
    conditions.truncate(depth);
    let steps = conditions.into_iter().zip(0..).map(|((condition, taken), key)| Step { key, condition, taken });
    (arena, steps.collect())
}

/// Processor time of this thread where the system tells (Linux), else the time that has passed.
fn seconds(start: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

fn measure(name: &str, limits: Limits, depth: usize, rounds: u64, place: impl Fn(u64) -> usize) {
    let mut solver = Z3::new(limits);
    let (mut sat, mut unsat, mut unknown) = (0u64, 0u64, 0u64);
    let start = Instant::now();
    let before = seconds(start);
    for round in 0..rounds {
        // A run has an arena of its own, and half of its decisions are asked about.
        let (arena, steps) = path(depth);
        for turn in 0..depth as u64 / 2 {
            let place = place(round * 7 + turn) % depth;
            let (Some(prefix), Some(step)) = (steps.get(..place), steps.get(place)) else { continue };
            let goal = Step { taken: !step.taken, ..*step };
            match solver.solve(&Question {
                arena: &arena,
                arena_id: round,
                prefix,
                goal,
                inputs: 1,
                whole: false,
                deadline: None,
            }) {
                Answer::Sat(_) => sat += 1,
                Answer::Unsat => unsat += 1,
                Answer::Unknown(_) => unknown += 1,
            }
        }
    }
    let rate = (sat + unsat + unknown) as f64 / (seconds(start) - before);
    println!("{name:<32} {rate:>8.0} questions/s   sat {sat} unsat {unsat} unknown {unknown}");
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let depth = arguments.next().unwrap_or(20);
    let rounds = arguments.next().unwrap_or(400) as u64;
    for prefer_small in [false, true] {
        let limits = Limits { prefer_small, ..Limits::default() };
        let small = if prefer_small { ", small" } else { "" };
        measure(&format!("in order{small}"), limits, depth, rounds, |turn| turn as usize);
        let scattered = |turn: u64| (turn.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize;
        measure(&format!("at random{small}"), limits, depth, rounds, scattered);
    }
}
