//! The values of a model as terms.
//!
//! Atoms that no condition mentions get short names (`a`, `b`, …) in order of appearance, never the name of one that is mentioned, unless
//! their order or their names matter (see [`super::atoms`]); so do bitstrings, and maps about which nothing is said (see
//! [`super::constants`]). Funs are tables (see [`super::tables`]).

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use z3::ast::{Ast, Bool, Datatype, Dynamic, Int, Real};

use super::ages;
use super::atoms::Names;
use super::bits::{Content, Said};
use super::constants::{Constants, some_term};
use super::contents::{Contents, filler_key};
use super::encode::Encoder;
use super::facts::Facts;
use super::map_facts::Ordered;
use super::maps::{EMPTY, before};
use super::names;
use super::rational::nearest_float;
use super::sorts::{Field, Shape, Sorts};
use super::tables::{Built, OPEN, Tables};
use super::{EncodeError, Model};
use crate::term::map::{self, Map};
use crate::term::{Heap, Literals, Packed, Value};

/// What came out of a model.
pub(super) enum Decoded {
    Model(Model),
    /// The model uses a reference, port or pid that does not exist, or a closure of a run.
    NoSuchIdentifier,
    /// A fun is in its own table.
    Cycle,
    /// A map is in itself.
    MapInItself,
    /// Two numbers stand for bitstrings of these many bytes that are equal.
    SameBits(BigInt, BigInt, usize),
    /// Two keys are not in the order that the model says: what is right for them.
    OutOfOrder(Bool),
    /// The names of some atoms are not what names are: what is right for them.
    Misnamed(Vec<Bool>),
    /// There is no name left between those of two atoms.
    NoName,
    /// A map has too many keys for an input.
    TooLarge,
}

/// The inputs in a model of Z3.
pub(super) fn decode(
    model: &z3::Model,
    inputs: &[Datatype],
    encoder: &Encoder,
    facts: &Facts,
) -> Result<Decoded, EncodeError> {
    let laws = names::wrong(model, encoder, facts)?;
    if !laws.is_empty() {
        return Ok(Decoded::Misnamed(laws));
    }
    let mut decoder = Decoder {
        model,
        encoder,
        facts,
        said: facts.bitstrings.said(encoder, model)?,
        contents: Contents::of(model, &encoder.functions, &facts.maps)?,
        names: Names::new(&encoder.constants.atoms, names::given(model, facts)),
        terms: FxHashMap::default(),
        tables: Tables::of(model, &facts.asked),
        unknown: false,
        nested: false,
        same: None,
    };
    decoder.names.make_up(ages::oldest_first(model, encoder, facts)?);
    let inputs = inputs.iter().map(|input| model.get_const_interp(input).map(|value| decoder.term(&value))).collect();
    if decoder.tables.has_cycle() {
        return Ok(Decoded::Cycle);
    }
    if decoder.contents.too_large {
        return Ok(Decoded::TooLarge);
    }
    if decoder.nested {
        return Ok(Decoded::MapInItself);
    }
    if decoder.unknown {
        return Ok(Decoded::NoSuchIdentifier);
    }
    if let Some((a, b, bytes)) = decoder.same {
        return Ok(Decoded::SameBits(a, b, bytes));
    }
    Ok(match decoder.out_of_order()? {
        Some(right) => Decoded::OutOfOrder(right),
        None if !decoder.names.are_in_order() => Decoded::NoName,
        None => Decoded::Model(Model { inputs }),
    })
}

enum Task {
    Visit(Dynamic),
    Cons,
    Tuple(usize),
    /// A map of this number, with so many keys and values in turn, absent keys, and more keys.
    Map(BigInt, usize, usize, usize),
    /// The fun of this number; the parts of its table are done.
    Fun(BigInt),
}

struct Decoder<'a> {
    model: &'a z3::Model,
    encoder: &'a Encoder,
    facts: &'a Facts,
    contents: Contents,
    names: Names<'a>,
    /// Terms given to numbers that are of no known constant.
    terms: FxHashMap<(u8, BigInt), Packed>,
    tables: Tables,
    unknown: bool,
    /// A map was met inside of itself.
    nested: bool,
    /// Two numbers of bitstrings that cannot be told apart, and how many bytes these have.
    same: Option<(BigInt, BigInt, usize)>,
    said: Said,
}

impl Decoder<'_> {
    fn term(&mut self, value: &Datatype) -> Packed {
        let mut heap = Heap::new(Literals::default());
        let mut tasks = vec![Task::Visit(value.into())];
        let mut done: Vec<Value> = Vec::new();
        // Maps whose inside is being made.
        let mut open: Vec<BigInt> = Vec::new();
        while let Some(task) = tasks.pop() {
            let value = match task {
                Task::Visit(ast) => match self.visit(&ast, &mut heap, &mut tasks, &mut open) {
                    Some(value) => value,
                    None => continue,
                },
                Task::Cons => {
                    let tail = done.pop().unwrap_or(Value::NIL);
                    let head = done.pop().unwrap_or(Value::NIL);
                    heap.cons(head, tail)
                }
                Task::Tuple(size) => {
                    let elements = done.split_off(done.len().saturating_sub(size));
                    heap.tuple(&elements)
                }
                Task::Map(number, pairs, absent, more) => {
                    open.retain(|other| *other != number);
                    let absent = done.split_off(done.len().saturating_sub(absent));
                    let parts = done.split_off(done.len().saturating_sub(2 * pairs));
                    filled(&mut heap, &parts, &absent, more)
                }
                Task::Fun(number) => {
                    let parts = done.split_off(done.len().saturating_sub(self.tables.parts(&number).len()));
                    self.tables.build(&mut heap, &number, &parts)
                }
            };
            done.push(value);
        }
        Packed::pack(&heap, done.pop().unwrap_or(Value::NIL))
    }

    /// A flat term at once; for others, the tasks that make it.
    fn visit(
        &mut self,
        ast: &Dynamic,
        heap: &mut Heap,
        tasks: &mut Vec<Task>,
        open: &mut Vec<BigInt>,
    ) -> Option<Value> {
        let Some(shape) = shape_of(ast) else { return Some(Value::ZERO) };
        match shape {
            Shape::Int => Some(heap.bigint(&int_part(ast))),
            Shape::Float => Some(heap.float(real_part(ast))),
            Shape::Atom => Some(Value::atom(self.names.name(int_part(ast)))),
            Shape::Nil => Some(Value::NIL),
            Shape::Cons => {
                let parts = ast.children().into_iter().map(Task::Visit);
                tasks.push(Task::Cons);
                tasks.extend(parts.rev());
                None
            }
            Shape::Tuple => {
                let elements = elements_of(ast);
                tasks.push(Task::Tuple(elements.len()));
                tasks.extend(elements.into_iter().rev().map(Task::Visit));
                None
            }
            Shape::Bits => Some(self.bits(int_part(ast)).unpack(heap)),
            Shape::Map => self.visit_map(int_part(ast), heap, tasks, open),
            Shape::Fun => self.fun(int_part(ast), heap, tasks),
            Shape::Reference | Shape::Port | Shape::Pid => Some(self.identifier(shape, ast, heap)),
        }
    }

    /// A constant, a map about which nothing is said, or the tasks that make one.
    fn visit_map(
        &mut self,
        number: BigInt,
        heap: &mut Heap,
        tasks: &mut Vec<Task>,
        open: &mut Vec<BigInt>,
    ) -> Option<Value> {
        let small = i64::try_from(&number).ok();
        self.nested |= open.contains(&number);
        if small == Some(EMPTY) || open.contains(&number) {
            return Some(heap.map(&[]));
        }
        let constant = small.filter(|number| self.facts.maps.is_told(*number));
        if let Some(term) = constant.and_then(|number| self.encoder.constants.term(Shape::Map, number)) {
            return Some(term.unpack(heap));
        }
        let Some(content) = self.contents.get(&number) else {
            return Some(self.opaque(Shape::Map, number).unpack(heap));
        };
        let parts = content.pairs.iter().flat_map(|(key, value)| [key, value]).chain(&content.absent);
        let parts: Vec<Task> = parts.map(|part| Task::Visit(Dynamic::from(part))).collect();
        tasks.push(Task::Map(number.clone(), content.pairs.len(), content.absent.len(), content.more));
        tasks.extend(parts.into_iter().rev());
        open.push(number);
        None
    }

    /// What is right for two terms whose order is not what the model says, though it matters.
    fn out_of_order(&mut self) -> Result<Option<Bool>, EncodeError> {
        let Encoder { sorts, functions, .. } = self.encoder;
        for Ordered { order, matters, a, b } in self.facts.maps.ordered() {
            if self.model.eval(matters, true).and_then(|matters| matters.as_bool()) != Some(true) {
                continue;
            }
            let (Some(x), Some(y)) = (self.model.eval(a, true), self.model.eval(b, true)) else { continue };
            let claim = before(sorts, functions, *order, (a, b))?;
            let claimed = self.model.eval(&claim, true).and_then(|claim| claim.as_bool());
            let mut heap = Heap::new(Literals::default());
            let (p, q) = (self.term(&x).unpack(&mut heap), self.term(&y).unpack(&mut heap));
            let right = order.compare(&heap, p, q).is_lt();
            if claimed != Some(right) {
                let these = Bool::and(&[a.eq(&x), b.eq(&y)]);
                let said = if right { claim } else { claim.not() };
                return Ok(Some(these.implies(&said)));
            }
        }
        Ok(None)
    }

    fn opaque(&mut self, shape: Shape, number: BigInt) -> Packed {
        if let Some(term) = i64::try_from(&number).ok().and_then(|number| self.encoder.constants.term(shape, number)) {
            return term.clone();
        }
        let key = (shape as u8, number);
        if let Some(term) = self.terms.get(&key) {
            return term.clone();
        }
        let taken = |term: &Packed| self.encoder.constants.contains(term) || self.terms.values().any(|t| t == term);
        let fresh = (0..).map(|turn| some_term(shape, turn)).find(|term| !taken(term));
        let term = fresh.unwrap_or_else(|| some_term(shape, 0));
        self.terms.insert(key, term.clone());
        term
    }

    /// A bitstring of the size and with the bytes that the model says. What it does not say is zero, unless that makes it equal to another one.
    fn bits(&mut self, number: BigInt) -> Packed {
        if let Some(term) = self.said.constants.get(&number) {
            return term.clone();
        }
        let said = self.said.contents.get(&number).and_then(|content| Some((content, content.bytes?)));
        let Some((content, bytes)) = said else { return self.opaque(Shape::Bits, number) };
        let key = (Shape::Bits as u8, number);
        if let Some(term) = self.terms.get(&key) {
            return term.clone();
        }
        let free = (0..bytes).rev().find(|index| !content.known.contains_key(index));
        let variants = (0..if free.is_some() { 256 } else { 1 }).map(|turn| bits_of(content, bytes, free, turn as u8));
        let fresh = variants.into_iter().find(|term| self.equal_bits(term).is_none());
        let term = fresh.unwrap_or_else(|| bits_of(content, bytes, None, 0));
        if let Some(other) = self.equal_bits(&term) {
            self.same = Some((key.1.clone(), other, bytes));
        }
        self.terms.insert(key, term.clone());
        term
    }

    /// The number of another bitstring that is equal to this one.
    fn equal_bits(&self, term: &Packed) -> Option<BigInt> {
        let decoded = self.terms.iter().filter(|((shape, _), _)| *shape == Shape::Bits as u8);
        let decoded = decoded.map(|((_, number), other)| (number, other));
        decoded.chain(&self.said.constants).find(|(_, other)| *other == term).map(|(number, _)| number.clone())
    }

    /// A known constant, or the table of a fun: at once, or after its parts.
    fn fun(&mut self, number: BigInt, heap: &mut Heap, tasks: &mut Vec<Task>) -> Option<Value> {
        if let Some(term) =
            i64::try_from(&number).ok().and_then(|number| self.encoder.constants.term(Shape::Fun, number))
        {
            self.unknown |= Constants::is_of_a_run(term);
            return Some(term.unpack(heap));
        }
        match self.tables.begin(&number) {
            Built::Done(term) => Some(term.unpack(heap)),
            Built::Open => Some(OPEN),
            Built::Begun => {
                let parts = self.tables.parts(&number);
                tasks.push(Task::Fun(number));
                tasks.extend(parts.into_iter().rev().map(Task::Visit));
                None
            }
        }
    }

    fn identifier(&mut self, shape: Shape, ast: &Dynamic, heap: &mut Heap) -> Value {
        match i64::try_from(int_part(ast)).ok().and_then(|number| self.encoder.constants.term(shape, number)) {
            Some(term) => {
                self.unknown |= Constants::is_in_no_input(term);
                term.unpack(heap)
            }
            None => {
                self.unknown = true;
                Value::NIL
            }
        }
    }
}

/// The bitstring of so many bytes with what is known of it, and a byte of choice at one index.
fn bits_of(content: &Content, bytes: usize, free: Option<usize>, choice: u8) -> Packed {
    let mut all: Vec<u8> = vec![0; bytes + 1];
    let chosen = free.map(|index| (index, choice));
    for (index, byte) in content.known.iter().map(|(index, byte)| (*index, *byte)).chain(chosen) {
        if let Some(place) = all.get_mut(index) {
            *place = byte;
        }
    }
    let mut heap = Heap::new(Literals::default());
    let whole = heap.binary(&all);
    let length = 8 * bytes + content.extra;
    let value = heap.bits(crate::term::Bits { length, ..heap.bits_of(whole) });
    Packed::pack(&heap, value)
}

/// The places in a term where its value in a model has one of these shapes, as projections of the term.
pub(super) fn places(
    value: &Dynamic,
    term: &Datatype,
    sorts: &Sorts,
    shapes: &[Shape],
) -> Result<Vec<Datatype>, EncodeError> {
    let mut places = Vec::new();
    let mut tasks: Vec<(Dynamic, Datatype)> = vec![(value.clone(), term.clone())];
    while let Some((value, place)) = tasks.pop() {
        match shape_of(&value) {
            Some(Shape::Cons) => {
                let parts = [sorts.term_part(Field::Head, &place)?, sorts.term_part(Field::Tail, &place)?];
                tasks.extend(value.children().into_iter().zip(parts));
            }
            Some(Shape::Tuple) => {
                let mut rest = sorts.term_part(Field::Elements, &place)?;
                for element in elements_of(&value) {
                    tasks.push((element, sorts.first(&rest)?));
                    rest = sorts.rest(&rest)?;
                }
            }
            Some(shape) if shapes.contains(&shape) => places.push(place),
            Some(_) | None => {}
        }
    }
    Ok(places)
}

/// A map of keys and values in turn, with more keys that are none of these and none of the absent ones.
fn filled(heap: &mut Heap, parts: &[Value], absent: &[Value], more: usize) -> Value {
    let (pairs, _) = parts.as_chunks::<2>();
    let pairs: Vec<(Value, Value)> = pairs.iter().map(|[key, value]| (*key, *value)).collect();
    let mut all = map::from_pairs(heap, pairs, false);
    let absent = map::from_pairs(heap, absent.iter().map(|key| (*key, Value::NIL)).collect(), false);
    let mut turn = 0;
    let mut added = 0;
    while added < more {
        let (Some(now), Some(never)) = (Map::of(heap, all), Map::of(heap, absent)) else { break };
        let key = Value::atom(filler_key(turn));
        turn += 1;
        if map::find(heap, now, key).is_none() && map::find(heap, never, key).is_none() {
            all = map::put(heap, now, (key, Value::ZERO), false);
            added += 1;
        }
    }
    all
}

pub(super) fn shape_of(ast: &Dynamic) -> Option<Shape> {
    Shape::of_name(&ast.safe_decl().ok()?.name())
}

/// The elements of a tuple.
fn elements_of(tuple: &Dynamic) -> Vec<Dynamic> {
    let mut elements = Vec::new();
    let mut chain = tuple.nth_child(0);
    while let Some(cell) = chain {
        elements.extend(cell.nth_child(0));
        chain = cell.nth_child(1);
    }
    elements
}

pub(super) fn int_part(ast: &Dynamic) -> BigInt {
    ast.nth_child(0).and_then(|part| part.as_int()).map(|int| big(&int)).unwrap_or_default()
}

pub(super) fn big(int: &Int) -> BigInt {
    match int.as_i64() {
        Some(small) => BigInt::from(small),
        None => numbers(&int.to_string()).next().unwrap_or_default(),
    }
}

fn real_part(ast: &Dynamic) -> f64 {
    ast.nth_child(0).and_then(|part| part.as_real()).map_or(0.0, |real| float(&real))
}

/// Digits after the point of an irrational number, enough for any float that is not tiny.
const DECIMALS: usize = 40;

pub(super) fn float(real: &Real) -> f64 {
    if let Some((numerator, denominator)) = real.as_rational() {
        return nearest_float(&numerator.into(), &denominator.into());
    }
    // `(/ 1.0 3.0)`, `(- 5.0)`; a root of a polynomial otherwise.
    let text = real.to_string();
    if text.contains("root-obj") {
        return real.approx(DECIMALS).parse().unwrap_or(0.0);
    }
    let mut parts = numbers(&text);
    let numerator = parts.next().unwrap_or_default();
    nearest_float(&numerator, &parts.next().unwrap_or_else(|| BigInt::from(1)))
}

/// The numbers in an SMT-LIB numeral, the first with the sign of the whole.
fn numbers(text: &str) -> impl Iterator<Item = BigInt> + '_ {
    let mut negative = text.contains('-');
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|word| !word.is_empty());
    words.filter_map(move |word| {
        let number: BigInt = word.strip_suffix(".0").unwrap_or(word).parse().ok()?;
        Some(if std::mem::take(&mut negative) { -number } else { number })
    })
}
