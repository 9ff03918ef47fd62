//! Terms made place by place, parts first, without recursion.

use crate::term::{Heap, Value, map, table};

/// What is to be done, the last first.
pub(super) enum Task<Place> {
    Visit(Place),
    Make(Whole),
}

/// What becomes of the terms that were made last.
pub(super) enum Whole {
    Cons,
    Tuple(usize),
    /// A map with these keys.
    Map(Vec<Value>),
    /// A table fun: its arity, and the arguments of its calls. Their results are made, and last what it returns for all others.
    Fun(usize, Vec<Value>),
}

/// What a visit to a place has brought.
pub(super) enum Visited {
    Term(Value),
    /// What the term is made of is to be done.
    Parts,
    /// There is no term for it.
    Nothing,
}

impl From<Option<Value>> for Visited {
    fn from(value: Option<Value>) -> Self {
        value.map_or(Visited::Nothing, Visited::Term)
    }
}

/// The term for a place; `None` if there is none for it or for a part of it.
pub(super) fn make<Place>(
    heap: &mut Heap,
    place: Place,
    mut visit: impl FnMut(&mut Heap, Place, &mut Vec<Task<Place>>) -> Visited,
) -> Option<Value> {
    let mut tasks = vec![Task::Visit(place)];
    let mut done: Vec<Value> = Vec::new();
    while let Some(task) = tasks.pop() {
        let value = match task {
            Task::Visit(place) => match visit(heap, place, &mut tasks) {
                Visited::Term(value) => value,
                Visited::Parts => continue,
                Visited::Nothing => return None,
            },
            Task::Make(whole) => whole.made_of(heap, &mut done)?,
        };
        done.push(value);
    }
    done.pop()
}

impl Whole {
    fn made_of(self, heap: &mut Heap, done: &mut Vec<Value>) -> Option<Value> {
        let last = |done: &mut Vec<Value>, count: usize| Some(done.split_off(done.len().checked_sub(count)?));
        Some(match self {
            Whole::Cons => {
                let (tail, head) = (done.pop()?, done.pop()?);
                heap.cons(head, tail)
            }
            Whole::Tuple(size) => heap.tuple(&last(done, size)?),
            Whole::Map(keys) => {
                let values = last(done, keys.len())?;
                map::from_pairs(heap, keys.into_iter().zip(values).collect(), false)
            }
            Whole::Fun(arity, args) => {
                let default = done.pop()?;
                let results = last(done, args.len())?;
                let calls: Vec<(Value, Value)> = args.into_iter().zip(results).collect();
                table::table_fun(heap, arity, &calls, default)
            }
        })
    }
}
