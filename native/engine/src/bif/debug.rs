//! The simple ones of `erts_debug`, and one that has no meaning here.

use super::{Bif, BifResult, Meaning, bad_with, badarg};
use crate::machine::maps::bad_map;
use crate::machine::{Ctx, Failure, Stop};
use crate::term::effort::Effort;
use crate::term::map::Map;
use crate::term::{Value, View};

pub(super) const BIFS: &[Bif] = &[
    of_debug("flat_size", 1, flat_size),
    of_debug("same", 2, same),
    Bif {
        module: "erts_internal",
        name: "map_hashmap_children",
        arity: 1,
        meaning: Meaning::Concrete,
        run: hashmap_children,
    },
];

const fn of_debug(name: &'static str, arity: usize, run: fn(&mut Ctx<'_>, &[Value]) -> BifResult) -> Bif {
    Bif { module: "erts_debug", name, arity, meaning: Meaning::Concrete, run }
}

/// The words that a term takes in the VM if nothing is shared. Terms with bitstrings, maps, funs or identifiers are left to the host.
fn flat_size(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [term] = args else { return Err(badarg()) };
    let mut words = 0;
    let mut rest = vec![*term];
    let mut effort = Effort::new(ctx.heap);
    while let Some(term) = rest.pop() {
        if !effort.spend(ctx.heap) {
            break;
        }
        words += match ctx.heap.view(term) {
            View::Small(i) if (-(1 << 59)..1 << 59).contains(&i) => 0,
            View::Small(_) | View::Float(_) => 2,
            View::Big(_) => ctx.heap.header(term).words(),
            View::Atom(_) | View::Nil | View::Tuple(_, 0) => 0,
            View::Cons(_) => {
                rest.extend([ctx.heap.head(term), ctx.heap.tail(term)]);
                2
            }
            View::Tuple(_, arity) => {
                rest.extend((0..arity).map(|index| ctx.heap.element(term, index)));
                1 + arity
            }
            View::Bits(_)
            | View::Map(..)
            | View::Closure(_)
            | View::External(_)
            | View::Foreign(_)
            | View::Virtual(_)
            | View::Sym(..) => return Err(Failure::Host),
        };
    }
    Ok(Value::count(words))
}

/// One place in memory, not two that are equal.
fn same(_: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [a, b] = args else { return Err(badarg()) };
    Ok(Value::boolean(a == b))
}

/// The inner nodes of the VM's large maps, by which `erts_debug:size/1` counts them. They are no terms: a process that writes them out dies.
fn hashmap_children(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [map] = args else { return Err(badarg()) };
    match Map::of(ctx.heap, *map) {
        Some(map) if !map.is_small() => Err(Failure::Stop(Stop::Unsupported("inner nodes of a map".to_owned()))),
        Some(_) => Err(badarg()),
        None => Err(bad_with(bad_map(ctx.heap, *map))),
    }
}
