//! Inputs whose path depends on how floats are rounded.
//!
//! The solver takes floats for reals. Where its model misses the path, or where there is none among the reals, floats next to those of the
//! model are tried, and then the question is asked again about the floats alone, as they are.

use super::candidate::goes_there;
use super::spec::Spec;
use super::tree::Record;
use crate::smt::{Keeper, Step, ieee};
use crate::sym::{Arena, Expr, SymId};
use crate::term::{Heap, Literals, Packed, Value};

/// How far from a float others are tried, in steps to the next one.
const NEIGHBOURS: u32 = 4;
/// The time for one question about floats as they are.
const TIMEOUT_MS: u32 = 1_500;

/// An input like this one, with other floats, that takes the other side of the decision.
pub(super) fn input(
    record: &Record,
    index: usize,
    near: &[Packed],
    spec: &Spec,
    kept: Option<(&dyn Keeper, &str)>,
) -> Option<Vec<Packed>> {
    let steps: Vec<Step> = record
        .decisions
        .iter()
        .enumerate()
        .take(index + 1)
        .map(|(at, decision)| Step {
            key: at as u64,
            condition: decision.condition,
            taken: decision.taken != (at == index),
        })
        .collect();
    let places = ieee::places(&record.arena, &steps, near);
    if places.is_empty() {
        return None;
    }
    let good = |input: &Vec<Packed>| spec.admits(input) && goes_there(record, index, input);
    let arena = &record.arena;
    let neighbours =
        places.iter().flat_map(|(term, float)| nearby(*float).map(|float| with_float(arena, near, *term, float)));
    if let Some(found) = neighbours.flatten().find(good) {
        return Some(found);
    }
    let floats = ieee::solve(arena, &steps, near, TIMEOUT_MS, kept)?;
    let all = floats.into_iter().try_fold(near.to_vec(), |input, (term, float)| with_float(arena, &input, term, float));
    all.filter(good)
}

/// Whether a side that has no model among the reals may have one among floats.
pub(super) fn may_matter(record: &Record, index: usize) -> bool {
    record.decision(index).is_some_and(|decision| ieee::can_be_rounded(&record.arena, decision.condition))
}

/// The floats around one, the nearest first.
fn nearby(float: f64) -> impl Iterator<Item = f64> {
    (1..=NEIGHBOURS).flat_map(move |steps| {
        let up = (0..steps).fold(float, |float, _| float.next_up());
        let down = (0..steps).fold(float, |float, _| float.next_down());
        [up, down].into_iter().filter(|float| float.is_finite())
    })
}

/// What is to be taken out of a term, from the outside in.
enum Part {
    Head,
    Tail,
    Element(usize),
}

/// The inputs with another float at a place. `None` if the place is not one in the input.
fn with_float(arena: &Arena, inputs: &[Packed], place: SymId, float: f64) -> Option<Vec<Packed>> {
    let mut parts = Vec::new();
    let mut place = place;
    let number = loop {
        match arena.get(place) {
            Expr::Input(number) => break *number as usize,
            Expr::Head(list) => {
                parts.push(Part::Head);
                place = *list;
            }
            Expr::Tail(list) => {
                parts.push(Part::Tail);
                place = *list;
            }
            Expr::Element(tuple, index) => {
                parts.push(Part::Element(*index as usize));
                place = *tuple;
            }
            _ => return None,
        }
    };
    parts.reverse();
    let mut heap = Heap::new(Literals::default());
    let root = inputs.get(number)?.unpack(&mut heap);
    let new = heap.float(float);
    let changed = replaced(&mut heap, root, &parts, new)?;
    let mut inputs = inputs.to_vec();
    *inputs.get_mut(number)? = Packed::pack(&heap, changed);
    Some(inputs)
}

fn replaced(heap: &mut Heap, root: Value, parts: &[Part], new: Value) -> Option<Value> {
    let mut outer = vec![root];
    for part in parts {
        let value = *outer.last()?;
        let inner = match part {
            Part::Head if value.is_cons() => heap.head(value),
            Part::Tail if value.is_cons() => heap.tail(value),
            Part::Element(index) if heap.tuple_arity(value).is_some_and(|arity| *index < arity) => {
                heap.element(value, *index)
            }
            Part::Head | Part::Tail | Part::Element(_) => return None,
        };
        outer.push(inner);
    }
    outer.pop();
    let mut built = new;
    for (part, value) in parts.iter().zip(outer).rev() {
        built = match part {
            Part::Head => {
                let tail = heap.tail(value);
                heap.cons(built, tail)
            }
            Part::Tail => {
                let head = heap.head(value);
                heap.cons(head, built)
            }
            Part::Element(index) => {
                let arity = heap.tuple_arity(value)?;
                let elements: Vec<Value> =
                    (0..arity).map(|at| if at == *index { built } else { heap.element(value, at) }).collect();
                heap.tuple(&elements)
            }
        };
    }
    Some(built)
}
