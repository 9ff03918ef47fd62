//! Module `binary`: searching and splitting.
//!
//! Of several patterns the one that occurs first counts, and of those that occur there the longest. A compiled pattern is a pair of `bm` or `ac` and
//! a reference, which only the VM can make: the run remembers what those stand for that it has asked for. One that was made of symbolic
//! patterns has them in the place of the reference (`cuter_prelude_binary`).

use std::cmp::Reverse;
use std::sync::Arc;

use super::binary::is_atom_named;
use super::bits::{binary, stretch, view};
use super::{Bif, BifResult, badarg, mfa, typed_of};
use crate::machine::{Ask, Ctx, Failure};
use crate::release;
use crate::sym::Tags;
use crate::term::bits::{self, Reader};
use crate::term::effort::Effort;
use crate::term::{AtomId, Bits, Heap, Value, View};

const BITS: Tags = Tags::BITS;
const ANY: Tags = Tags::ANY;
const LIST: Tags = Tags::LIST;

pub(super) const BIFS: &[Bif] = &[
    typed_of("binary", "compile_pattern", &[ANY], compile_pattern),
    typed_of("cuter_prelude_binary", "decompile", &[ANY, ANY], decompile),
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
        Ok(Patterns::of_bytes(&pattern_bytes(ctx, value)?))
    }

    fn of_bytes(patterns: &[Vec<u8>]) -> Self {
        let mut all = patterns.to_vec();
        all.sort_unstable_by_key(|pattern| Reverse(pattern.len()));
        let mut starts = [false; 256];
        for start in all.iter().filter_map(|pattern| pattern.first()) {
            if let Some(place) = starts.get_mut(*start as usize) {
                *place = true;
            }
        }
        Patterns { all, starts }
    }

    /// The first occurrence between two positions: where, and how long.
    fn find(&self, text: &mut Text<'_>, from: usize, to: usize) -> Option<(usize, usize)> {
        for at in from..to {
            let start = text.byte(at)?;
            if !self.starts.get(start as usize).is_some_and(|starts| *starts) {
                continue;
            }
            let mut here = |pattern: &&Vec<u8>| at + pattern.len() <= to && text.has(at, pattern);
            if let Some(pattern) = self.all.iter().find(|pattern| here(pattern)) {
                return Some((at, pattern.len()));
            }
        }
        None
    }
}

/// What is searched, as long as somebody wants to know.
struct Text<'a> {
    heap: &'a Heap,
    reader: Reader<'a>,
    effort: Effort,
}

impl<'a> Text<'a> {
    fn new(heap: &'a Heap, subject: Bits) -> Self {
        Text { heap, reader: Reader::new(heap, subject), effort: Effort::up_to(heap, u32::MAX) }
    }

    #[inline]
    fn byte(&mut self, at: usize) -> Option<u8> {
        self.effort.spend(self.heap).then(|| (self.reader.chunk(8 * at) >> 56) as u8)
    }

    fn has(&mut self, at: usize, pattern: &[u8]) -> bool {
        pattern.iter().zip(at..).all(|(byte, place)| self.byte(place) == Some(*byte))
    }
}

/// The bytes to look for: of one binary, of a list of them, or what a compiled pattern stands for.
fn pattern_bytes(ctx: &mut Ctx<'_>, value: Value) -> Result<Arc<[Vec<u8>]>, Failure> {
    match ctx.heap.tuple_arity(value) {
        Some(2) => compiled_bytes(ctx, ctx.heap.element(value, 0), ctx.heap.element(value, 1)),
        Some(_) => Err(badarg()),
        None => bytes_of_each(ctx, value),
    }
}

fn compiled_bytes(ctx: &mut Ctx<'_>, kind: Value, compiled: Value) -> Result<Arc<[Vec<u8>]>, Failure> {
    let is_kind = is_atom_named(kind, "bm") || is_atom_named(kind, "ac");
    match ctx.heap.view(compiled) {
        View::Foreign(ptr) => {
            let known = ctx.virtuals.patterns.of(&ctx.heap.foreign_bytes(ptr));
            known.filter(|patterns| is_atom_named(kind, kind_of(patterns))).ok_or(Failure::Host)
        }
        View::Cons(_) if is_kind => bytes_of_each(ctx, compiled),
        _ => Err(badarg()),
    }
}

fn bytes_of_each(ctx: &mut Ctx<'_>, value: Value) -> Result<Arc<[Vec<u8>]>, Failure> {
    let patterns = if ctx.heap.as_bits(value).is_some() { Some(vec![value]) } else { ctx.list(value) };
    let patterns = patterns.filter(|patterns| !patterns.is_empty()).ok_or_else(badarg)?;
    patterns.into_iter().map(|pattern| not_empty(ctx, pattern)).collect()
}

fn not_empty(ctx: &mut Ctx<'_>, pattern: Value) -> Result<Vec<u8>, Failure> {
    let bits = binary(ctx, pattern)?;
    if bits.length == 0 { Err(badarg()) } else { Ok(bits::to_bytes(ctx.heap, bits)) }
}

/// The word that a compiled pattern begins with.
const fn kind_of(patterns: &[Vec<u8>]) -> &'static str {
    if patterns.len() == 1 { "bm" } else { "ac" }
}

fn compile_pattern(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    bytes_of_each(ctx, *value)?;
    Err(Failure::Ask(Box::new(Ask {
        mfa: mfa("binary", "compile_pattern", 1),
        args: ctx.heap.list(args.iter().copied(), Value::NIL),
        finish: remember_pattern,
        purpose: "a compiled pattern",
    })))
}

fn remember_pattern(ctx: &mut Ctx<'_>, args: &[Value], compiled: Value) -> BifResult {
    if let (Some(2), [pattern]) = (ctx.heap.tuple_arity(compiled), args)
        && let View::Foreign(reference) = ctx.heap.view(ctx.heap.element(compiled, 1))
    {
        let patterns = bytes_of_each(ctx, *pattern)?;
        ctx.virtuals.patterns.remember(ctx.heap.foreign_bytes(reference), patterns);
    }
    Ok(compiled)
}

/// What a compiled pattern stands for, for the emulation: a list, or `unknown`.
fn decompile(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [kind, compiled] = args else { return Err(badarg()) };
    match compiled_bytes(ctx, *kind, *compiled) {
        Ok(patterns) => {
            let patterns: Vec<Value> = patterns.iter().map(|pattern| ctx.heap.binary(pattern)).collect();
            Ok(ctx.heap.list(patterns, Value::NIL))
        }
        Err(Failure::Host) => Ok(Value::atom(AtomId::intern("unknown"))),
        Err(failure) => Err(failure),
    }
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
    let found = search.patterns.find(&mut Text::new(ctx.heap, search.subject), search.from, search.to);
    Ok(match found {
        Some(found) => place(ctx, found),
        None => Value::atom(AtomId::intern("nomatch")),
    })
}

/// All occurrences, none overlapping another; just the first unless `global`.
fn occurrences(ctx: &Ctx<'_>, search: &Search, global: bool) -> Vec<(usize, usize)> {
    let mut text = Text::new(ctx.heap, search.subject);
    let mut found = Vec::new();
    let mut from = search.from;
    while let Some((at, length)) = search.patterns.find(&mut text, from, search.to) {
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
