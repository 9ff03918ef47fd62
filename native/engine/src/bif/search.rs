//! Module `binary`: searching and splitting.
//!
//! Of several patterns the one that occurs first counts, and of those that occur there the longest. A compiled pattern is a pair of `bm` or `ac` and
//! the patterns; it means something only here.

use super::binary::is_atom_named;
use super::bits::{binary, stretch, view};
use super::{Bif, BifResult, badarg, typed_of};
use crate::machine::{Ctx, Failure};
use crate::release;
use crate::sym::Tags;
use crate::term::bits::{self, Reader};
use crate::term::{AtomId, Bits, Value};

const BITS: Tags = Tags::BITS;
const ANY: Tags = Tags::ANY;
const LIST: Tags = Tags::LIST;

pub(super) const BIFS: &[Bif] = &[
    typed_of("binary", "compile_pattern", &[ANY], compile_pattern),
    typed_of("binary", "match", &[BITS, ANY], match_first),
    typed_of("binary", "match", &[BITS, ANY, LIST], match_first),
    typed_of("binary", "matches", &[BITS, ANY], match_all),
    typed_of("binary", "matches", &[BITS, ANY, LIST], match_all),
    typed_of("binary", "split", &[BITS, ANY], split),
    typed_of("binary", "split", &[BITS, ANY, LIST], split),
];

/// What to look for.
struct Patterns {
    /// Longest first.
    all: Vec<Vec<u8>>,
    /// The bytes with which some pattern starts.
    starts: [bool; 256],
}

impl Patterns {
    const fn none() -> Self {
        Patterns { all: Vec::new(), starts: [false; 256] }
    }

    fn new(ctx: &mut Ctx<'_>, value: Value) -> Result<Self, Failure> {
        let mut all = Vec::new();
        for pattern in pattern_values(ctx, value)? {
            let bits = binary(ctx, pattern)?;
            if bits.length == 0 {
                return Err(badarg());
            }
            all.push(bits::to_bytes(ctx.heap, bits));
        }
        all.sort_unstable_by_key(|pattern| std::cmp::Reverse(pattern.len()));
        let mut starts = [false; 256];
        for start in all.iter().filter_map(|pattern| pattern.first()) {
            if let Some(place) = starts.get_mut(*start as usize) {
                *place = true;
            }
        }
        Ok(Patterns { all, starts })
    }

    /// The first occurrence between two positions: where, and how long.
    fn find(&self, subject: &Reader<'_>, from: usize, to: usize) -> Option<(usize, usize)> {
        (from..to).find_map(|at| {
            let start = (subject.chunk(8 * at) >> 56) as usize;
            if !self.starts.get(start).is_some_and(|starts| *starts) {
                return None;
            }
            let here = |pattern: &&Vec<u8>| at + pattern.len() <= to && occurs(subject, at, pattern);
            self.all.iter().find(here).map(|pattern| (at, pattern.len()))
        })
    }
}

fn occurs(subject: &Reader<'_>, at: usize, pattern: &[u8]) -> bool {
    pattern.iter().zip(at..).all(|(byte, place)| (subject.chunk(8 * place) >> 56) as u8 == *byte)
}

/// The binaries of a pattern: one, a list of them, or compiled ones.
fn pattern_values(ctx: &mut Ctx<'_>, value: Value) -> Result<Vec<Value>, Failure> {
    if ctx.heap.as_bits(value).is_some() {
        return Ok(vec![value]);
    }
    let list = match ctx.heap.tuple_arity(value) {
        Some(2) => {
            let kind = ctx.heap.element(value, 0);
            if !is_atom_named(kind, "bm") && !is_atom_named(kind, "ac") {
                return Err(badarg());
            }
            ctx.heap.element(value, 1)
        }
        _ => value,
    };
    ctx.list(list).filter(|patterns| !patterns.is_empty()).ok_or_else(badarg)
}

fn compile_pattern(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if ctx.heap.tuple_arity(*value).is_some() {
        return Err(badarg());
    }
    Patterns::new(ctx, *value)?;
    let patterns = pattern_values(ctx, *value)?;
    let kind = if patterns.len() == 1 { "bm" } else { "ac" };
    let list = ctx.heap.list(patterns, Value::NIL);
    Ok(ctx.heap.tuple(&[Value::atom(AtomId::intern(kind)), list]))
}

/// Subject, patterns, and the positions between which to look.
struct Search {
    subject: Bits,
    patterns: Patterns,
    from: usize,
    to: usize,
    options: Options,
}

#[derive(Default)]
struct Options {
    /// Position and length. The last one counts.
    scope: Option<(usize, usize)>,
    global: bool,
    trim: bool,
    trim_all: bool,
}

fn search(ctx: &mut Ctx<'_>, args: &[Value], splits: bool) -> Result<Search, Failure> {
    let [subject, pattern, rest @ ..] = args else { return Err(badarg()) };
    let subject = binary(ctx, *subject)?;
    let size = subject.length / 8;
    let options = match rest.first() {
        Some(list) => options(ctx, *list, size, splits)?,
        None => Options::default(),
    };
    let (from, length) = options.scope.unwrap_or((0, size));
    let looks = from + length > 0 || release::patterns_are_always_checked();
    let patterns = if looks { Patterns::new(ctx, *pattern)? } else { Patterns::none() };
    Ok(Search { subject, patterns, from, to: from + length, options })
}

/// The options of a list, whatever it ends with, for a binary of that size.
fn options(ctx: &Ctx<'_>, list: Value, size: usize, splits: bool) -> Result<Options, Failure> {
    if !list.is_cons() && !list.is_nil() {
        return Err(badarg());
    }
    let mut options = Options::default();
    let mut rest = list;
    while rest.is_cons() {
        let option = ctx.heap.head(rest);
        rest = ctx.heap.tail(rest);
        if let Some((position, length)) = scope(ctx, option) {
            options.scope = Some(stretch(size, position, length).ok_or_else(badarg)?);
        } else if splits && is_atom_named(option, "global") {
            options.global = true;
        } else if splits && is_atom_named(option, "trim") {
            options.trim = true;
        } else if splits && is_atom_named(option, "trim_all") {
            options.trim_all = true;
        } else {
            return Err(badarg());
        }
    }
    Ok(options)
}

/// `{scope, {Position, Length}}`
fn scope(ctx: &Ctx<'_>, option: Value) -> Option<(Value, Value)> {
    ctx.heap.tuple_arity(option).filter(|arity| *arity == 2)?;
    let pair = ctx.heap.element(option, 1);
    ctx.heap.tuple_arity(pair).filter(|arity| *arity == 2)?;
    let (position, length) = (ctx.heap.element(pair, 0), ctx.heap.element(pair, 1));
    is_atom_named(ctx.heap.element(option, 0), "scope").then_some((position, length))
}

fn place(ctx: &mut Ctx<'_>, (at, length): (usize, usize)) -> Value {
    ctx.heap.tuple(&[Value::count(at), Value::count(length)])
}

fn match_first(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let search = search(ctx, args, false)?;
    let found = search.patterns.find(&Reader::new(ctx.heap, search.subject), search.from, search.to);
    Ok(match found {
        Some(found) => place(ctx, found),
        None => Value::atom(AtomId::intern("nomatch")),
    })
}

/// All occurrences, none overlapping another; just the first unless `global`.
fn occurrences(ctx: &Ctx<'_>, search: &Search, global: bool) -> Vec<(usize, usize)> {
    let reader = Reader::new(ctx.heap, search.subject);
    let mut found = Vec::new();
    let mut from = search.from;
    while let Some((at, length)) = search.patterns.find(&reader, from, search.to) {
        found.push((at, length));
        from = at + length;
        if !global {
            break;
        }
    }
    found
}

fn match_all(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let search = search(ctx, args, false)?;
    let places: Vec<Value> = occurrences(ctx, &search, true).into_iter().map(|found| place(ctx, found)).collect();
    Ok(ctx.heap.list(places, Value::NIL))
}

fn split(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let search = search(ctx, args, true)?;
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    for (at, length) in occurrences(ctx, &search, search.options.global) {
        parts.push((from, at - from));
        from = at + length;
    }
    parts.push((from, search.subject.length / 8 - from));
    if search.options.trim_all {
        parts.retain(|(_, length)| *length > 0);
    } else if search.options.trim {
        let kept = parts.iter().rposition(|(_, length)| *length > 0).map_or(0, |last| last + 1);
        parts.truncate(kept);
    }
    let parts: Vec<Value> =
        parts.into_iter().map(|(at, length)| view(ctx, search.subject, at, length)).collect::<Result<_, _>>()?;
    Ok(ctx.heap.list(parts, Value::NIL))
}
