//! How long the solver takes for questions about maps: each decision of a path turned, in order.
//!
//!     cargo run --release --example map_speed

use std::time::Instant;

use cuter_engine::smt::{Answer, Limits, Question, Solver, Step, Z3};
use cuter_engine::sym::{Arena, SymId, Tags};
use cuter_engine::term::AtomId;

type Conditions = Vec<(SymId, bool)>;

/// `#{k1 := X1, k2 := X2, …}` with integers that ascend, and no other key.
fn keys(arena: &mut Arena, number: usize) -> Conditions {
    let map = arena.input(0);
    let mut conditions = vec![(arena.is(map, Tags::MAP), true)];
    let mut last = arena.int(0);
    for index in 0..number {
        let key = arena.atom(AtomId::intern(&format!("k{index}")));
        conditions.push((arena.map_has(map, key), true));
        let value = arena.map_get(map, key);
        conditions.push((arena.is(value, Tags::INT), true));
        let value = arena.int_of(value);
        conditions.push((arena.lt(last, value), true));
        last = value;
    }
    conditions.push((of_size(arena, map, number), true));
    conditions
}

/// `#{a := #{a := … #{a := 5}}}`
fn nested(arena: &mut Arena, levels: usize) -> Conditions {
    let mut map = arena.input(0);
    let key = arena.atom(AtomId::intern("a"));
    let mut conditions = Vec::new();
    for _ in 0..levels {
        conditions.push((arena.is(map, Tags::MAP), true));
        conditions.push((arena.map_has(map, key), true));
        map = arena.map_get(map, key);
    }
    let five = arena.int(5);
    let five = arena.term(five);
    conditions.push((arena.eq(map, five), true));
    conditions
}

/// A map of so many keys, all of them shown, whose values are integers with a certain sum.
fn shown(arena: &mut Arena, number: usize) -> Conditions {
    let map = arena.input(0);
    let mut conditions = vec![(arena.is(map, Tags::MAP), true)];
    conditions.extend((0..number).map(|size| (of_size(arena, map, size), false)));
    conditions.push((of_size(arena, map, number), true));
    conditions.push((arena.map_shown(map, number as u32), true));
    let mut sum = arena.int(0);
    for place in 0..number as u32 {
        let key = arena.map_key(map, place);
        let value = arena.map_get(map, key);
        conditions.push((arena.is(value, Tags::INT), true));
        let value = arena.int_of(value);
        sum = arena.add(sum, value);
    }
    let wanted = arena.int(42);
    conditions.push((arena.eq(sum, wanted), true));
    conditions
}

fn of_size(arena: &mut Arena, map: SymId, number: usize) -> SymId {
    let size = arena.map_size(map, &|_, _| None);
    let number = arena.int(number);
    arena.eq(size, number)
}

fn measure(name: &str, build: impl Fn(&mut Arena) -> Conditions) {
    let mut solver = Z3::new(Limits::default());
    let mut times: Vec<f64> = Vec::new();
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for round in 0..10 {
        let mut arena = Arena::default();
        let conditions = build(&mut arena);
        let step = |((condition, taken), key): ((SymId, bool), u64)| Step { key, condition, taken };
        let steps: Vec<Step> = conditions.into_iter().zip(0..).map(step).collect();
        for (place, step) in steps.iter().enumerate() {
            for taken in [!step.taken, step.taken] {
                let goal = Step { taken, key: u64::MAX, ..*step };
                let prefix = steps.get(..place).unwrap_or(&[]);
                let start = Instant::now();
                let question =
                    Question { arena: &arena, arena_id: round, prefix, goal, inputs: 1, whole: false, deadline: None };
                match solver.solve(&question) {
                    Answer::Sat(_) => sat += 1,
                    Answer::Unsat => unsat += 1,
                    Answer::Unknown(_) => unknown += 1,
                }
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    let (middle, most) = (at(50), times.last().copied().unwrap_or_default());
    println!("{name:<20} median {middle:>6.2} ms, most {most:>7.1} ms   sat {sat} unsat {unsat} unknown {unknown}");
}

fn main() {
    measure("10 keys", |arena| keys(arena, 10));
    measure("30 keys", |arena| keys(arena, 30));
    measure("5 levels", |arena| nested(arena, 5));
    measure("50 levels", |arena| nested(arena, 50));
    measure("3 keys shown", |arena| shown(arena, 3));
    measure("10 keys shown", |arena| shown(arena, 10));
    measure("20 keys shown", |arena| shown(arena, 20));
}
