//! Many questions to one solver: what is kept, what is not, and the limits.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::reference::{Term, holds};
use super::{Answer, Limits, Question, Solver, Step, Z3, case};
use crate::smt::Keeper;
use crate::sym::{Arena, Tags};

/// A path down a list whose elements are compared with a bound, in an arena of its own that has seen `noise` other expressions before.
fn list_path(length: u32, noise: u32) -> (Arena, Vec<Step>) {
    let mut arena = Arena::default();
    for number in 0..noise {
        let input = arena.input(number + 1);
        arena.tail(input);
    }
    let mut list = arena.input(0);
    let mut steps = Vec::new();
    for position in 0..length {
        let is_cons = arena.is(list, Tags::CONS);
        let head = arena.head(list);
        let is_int = arena.is(head, Tags::INT);
        let int = arena.int_of(head);
        let bound = arena.int(10 * position);
        let above = arena.lt(bound, int);
        steps.extend([is_cons, is_int, above]);
        list = arena.tail(list);
    }
    let steps = steps.into_iter().zip(0..).map(|(condition, key)| Step { key, condition, taken: true }).collect();
    (arena, steps)
}

fn checked(solver: &mut Z3, question: &Question<'_>) -> Answer {
    let answer = solver.solve(question);
    if let Answer::Sat(model) = &answer {
        let terms: Vec<Term> = model.inputs.iter().map(|term| term.as_ref().map_or(Term::Nil, Term::of)).collect();
        for step in question.prefix.iter().chain([&question.goal]) {
            assert_eq!(holds(question.arena, step.condition, &terms), step.taken, "{terms:?}");
        }
    }
    answer
}

fn is_sat(answer: &Answer) -> bool {
    matches!(answer, Answer::Sat(_))
}

#[test]
fn a_prefix_stays_asserted_when_the_next_question_comes_from_another_arena() {
    let mut solver = Z3::new(Limits::default());
    for (noise, places) in [(0, 0..12), (5, 3..12), (9, 0..5), (1, 6..7)] {
        let (arena, steps) = list_path(4, noise);
        for place in places.rev() {
            let goal = Step { taken: false, ..steps[place] };
            let question = Question {
                arena: &arena,
                arena_id: u64::from(noise),
                prefix: &steps[..place],
                goal,
                inputs: 1,
                whole: false,
                deadline: None,
            };
            assert!(is_sat(&checked(&mut solver, &question)));
        }
    }
}

#[test]
fn a_step_taken_the_other_way_is_not_mistaken_for_the_same() {
    let mut solver = Z3::new(Limits::default());
    let (arena, steps) = list_path(1, 0);
    let ask = |solver: &mut Z3, taken| {
        let prefix = [Step { taken, ..steps[0] }];
        let goal = Step { key: 99, ..steps[0] };
        checked(
            solver,
            &Question { arena: &arena, arena_id: 0, prefix: &prefix, goal, inputs: 1, whole: false, deadline: None },
        )
    };
    assert!(is_sat(&ask(&mut solver, true)));
    assert_eq!(ask(&mut solver, false), Answer::Unsat);
    assert!(is_sat(&ask(&mut solver, true)));
}

#[test]
fn an_unsatisfiable_question_leaves_the_solver_usable() {
    let mut solver = Z3::new(Limits::default());
    let (arena, steps) = list_path(2, 0);
    let impossible = Step { key: 98, taken: false, ..steps[2] };
    let question = Question {
        arena: &arena,
        arena_id: 0,
        prefix: &steps,
        goal: impossible,
        inputs: 1,
        whole: false,
        deadline: None,
    };
    assert_eq!(checked(&mut solver, &question), Answer::Unsat);
    let question = Question {
        arena: &arena,
        arena_id: 0,
        prefix: &steps[..5],
        goal: steps[5],
        inputs: 1,
        whole: false,
        deadline: None,
    };
    assert!(is_sat(&checked(&mut solver, &question)));
}

#[test]
fn a_question_beyond_the_time_limit_is_unknown_and_the_next_one_is_answered() {
    let mut case = case(3);
    case.solver = Z3::new(Limits { timeout_ms: 100, ..Limits::default() });
    let numbers = [case.integer(0), case.integer(1), case.integer(2)];
    // x³ + y³ + z³ = 114, which nobody has solved.
    let cubes = numbers.map(|x| {
        let square = case.arena.mul(x, x);
        case.arena.mul(square, x)
    });
    let sum = cubes.into_iter().reduce(|a, b| case.arena.add(a, b)).unwrap();
    let wanted = case.arena.int(114);
    let equal = case.arena.eq(sum, wanted);
    let start = Instant::now();
    let answer = case.ask(equal, true);
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    assert!(start.elapsed() < Duration::from_secs(5));
    let zero = case.arena.int(0);
    let negative = case.arena.lt(numbers[0], zero);
    case.both_ways(negative);
}

#[test]
fn solvers_on_two_threads_give_the_same_answers() {
    let work = || {
        let mut solver = Z3::new(Limits::default());
        let (arena, steps) = list_path(8, 0);
        let ask = |place: usize| {
            let goal = Step { taken: false, ..steps[place] };
            checked(
                &mut solver,
                &Question {
                    arena: &arena,
                    arena_id: 0,
                    prefix: &steps[..place],
                    goal,
                    inputs: 1,
                    whole: false,
                    deadline: None,
                },
            )
        };
        (0..steps.len()).map(ask).collect::<Vec<_>>()
    };
    let threads = [thread::spawn(work), thread::spawn(work)];
    let [first, second] = threads.map(|thread| thread.join().unwrap());
    assert_eq!(first, second);
}

#[test]
fn two_solvers_on_one_thread_do_not_disturb_each_other() {
    let (arena, steps) = list_path(3, 0);
    let mut solvers = [Z3::new(Limits::default()), Z3::new(Limits::default())];
    for place in 0..steps.len() {
        let goal = Step { taken: false, ..steps[place] };
        for solver in &mut solvers {
            let question = Question {
                arena: &arena,
                arena_id: 0,
                prefix: &steps[..place],
                goal,
                inputs: 1,
                whole: false,
                deadline: None,
            };
            assert!(is_sat(&checked(solver, &question)));
        }
    }
}

/// What Z3 says about SMT-LIB text, asked on a thread with a context of its own.
fn verdict(text: String) -> z3::SatResult {
    let solve = move || {
        let solver = z3::Solver::new();
        solver.from_string(text);
        solver.check()
    };
    thread::spawn(solve).join().unwrap()
}

#[derive(Default)]
struct Texts(Mutex<Vec<String>>);

impl Keeper for Texts {
    fn keep(&self, text: &str) {
        self.0.lock().push(text.to_owned());
    }
}

/// The text of a question that is asked after another one, whose prefix it shares in part.
fn kept_text(question: &Question<'_>) -> String {
    let texts = Arc::new(Texts::default());
    let mut solver = Z3::new(Limits::default()).kept_by(Some(Arc::clone(&texts) as Arc<dyn Keeper>));
    let half = question.prefix.len() / 2;
    solver.solve(&Question { prefix: &question.prefix[..half], goal: question.prefix[half], ..*question });
    solver.about(|| "m:f/1, the path\ndecision 3".to_owned());
    solver.solve(question);
    texts.0.lock().pop().unwrap()
}

#[test]
fn what_conditions_share_is_written_once() {
    let text_of = |length: usize| {
        let mut arena = Arena::default();
        let mut sum = arena.int(0);
        let mut list = arena.input(0);
        let mut steps = Vec::new();
        for key in 0..length {
            let (is_cons, head) = (arena.is(list, Tags::CONS), arena.head(list));
            let (is_int, int) = (arena.is(head, Tags::INT), arena.int_of(head));
            sum = arena.add(sum, int);
            let bound = arena.int(1_000_000);
            let small = arena.lt(sum, bound);
            let conditions = [is_cons, is_int, small].into_iter().zip(0..);
            steps.extend(conditions.map(|(condition, part)| Step {
                key: 3 * key as u64 + part,
                condition,
                taken: true,
            }));
            list = arena.tail(list);
        }
        let (goal, prefix) = steps.split_last().unwrap();
        let question =
            Question { arena: &arena, arena_id: 0, prefix, goal: *goal, inputs: 1, whole: false, deadline: None };
        kept_text(&question).len()
    };
    let (short, long) = (text_of(20), text_of(80));
    assert!(long < 5 * short, "{short} and {long} bytes");
}

#[test]
fn a_dump_has_the_same_answer_as_the_question() {
    let (arena, steps) = list_path(2, 0);
    let impossible = Step { taken: false, ..steps[2] };
    for (goal, verdict_wanted) in [(steps[5], z3::SatResult::Sat), (impossible, z3::SatResult::Unsat)] {
        let question =
            Question { arena: &arena, arena_id: 0, prefix: &steps[..5], goal, inputs: 1, whole: false, deadline: None };
        assert_eq!(verdict(kept_text(&question)), verdict_wanted);
    }
}

/// Compares with the golden file, or writes it when `CUTER_BLESS` is set.
#[test]
fn a_dump_reads_as_smt_lib() {
    let (arena, steps) = list_path(1, 0);
    let question = Question {
        arena: &arena,
        arena_id: 0,
        prefix: &steps[..2],
        goal: steps[2],
        inputs: 1,
        whole: false,
        deadline: None,
    };
    let dump = kept_text(&question);
    if std::env::var_os("CUTER_BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/smt/tests/dump.smt2"), &dump).unwrap();
    } else {
        assert_eq!(dump, include_str!("dump.smt2"));
    }
}
