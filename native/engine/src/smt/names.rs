//! The names of atoms in a model, where conditions speak of them.
//!
//! To Z3 an atom is a number and its name some list. What ties them together is said as far as a model needs it: that a name is a list of
//! characters and how long it may be, that atoms and names are one to one, and that numbers are in the order of names. A model that
//! breaks one of these is refused, and the law said for just those names, up to the character that decides.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use z3::ast::{Ast, Bool, Datatype, Dynamic, Int};

use super::decode::{big, int_part, shape_of};
use super::encode::{Encoder, Result, integer};
use super::facts::Facts;
use super::sorts::{Field, Shape};
use crate::term::AtomId;

/// The longest name of an atom, in characters.
pub(super) const MAX_NAME: usize = 255;

/// How many characters of a name are said to be characters before anybody asks for them.
const CHARACTERS: usize = 8;

/// An atom whose name matters, in formulas and in a model.
struct Named {
    label: Int,
    name: Datatype,
    number: BigInt,
    text: Text,
}

/// A name as the model has it.
enum Text {
    Good(String),
    /// From this character on it is no list of characters.
    Bad(usize),
    TooLong,
}

impl Text {
    fn of(list: Dynamic) -> Text {
        let mut name = String::new();
        let mut cell = list;
        for index in 0..=MAX_NAME {
            match shape_of(&cell) {
                Some(Shape::Nil) => return Text::Good(name),
                Some(Shape::Cons) => {}
                Some(_) | None => return Text::Bad(index),
            }
            let head = cell.nth_child(0).filter(|head| shape_of(head) == Some(Shape::Int)).map(|head| int_part(&head));
            let character = head.and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32);
            let (Some(character), Some(rest)) = (character, cell.nth_child(1)) else { return Text::Bad(index) };
            name.push(character);
            cell = rest;
        }
        Text::TooLong
    }

    fn good(&self) -> Option<&str> {
        match self {
            Text::Good(text) => Some(text),
            Text::Bad(_) | Text::TooLong => None,
        }
    }
}

/// The atoms to which the model itself gives a name.
pub(super) fn given(model: &z3::Model, facts: &Facts) -> BTreeMap<BigInt, AtomId> {
    let atom = |named: Named| Some((named.number, AtomId::intern(named.text.good()?)));
    all(model, facts).filter_map(atom).collect()
}

fn all<'a>(model: &'a z3::Model, facts: &'a Facts) -> impl Iterator<Item = Named> + 'a {
    facts.named().filter_map(|(label, name)| {
        let (number, list) = (model.eval(label, true)?, model.eval(name, true)?);
        Some(Named { label: label.clone(), name: name.clone(), number: big(&number), text: Text::of(list.into()) })
    })
}

/// What has to be said because the names of a model are not what names are. Nothing if they are.
pub(super) fn wrong(model: &z3::Model, encoder: &Encoder, facts: &Facts) -> Result<Vec<Bool>> {
    let named: Vec<Named> = all(model, facts).collect();
    let mut laws = Vec::new();
    for one in &named {
        match &one.text {
            Text::Good(text) => laws.extend(mixed_up(encoder, one, text)?),
            Text::Bad(index) => laws.extend(characters(encoder, &rest(encoder, &one.name, *index)?)?),
            Text::TooLong => laws.push(ends(encoder, &one.name)?),
        }
    }
    if laws.is_empty() && encoder.constants.atoms.ordered {
        laws = out_of_order(encoder, &named)?;
    }
    Ok(laws)
}

/// A known atom that this one is, or whose name it has, but not both.
fn mixed_up(encoder: &Encoder, one: &Named, text: &str) -> Result<Option<Bool>> {
    let atoms = &encoder.constants.atoms;
    let of_number = atoms.of_label(&one.number);
    let of_text = Some(AtomId::intern(text)).filter(|atom| atoms.contains(*atom));
    match of_number.or(of_text) {
        Some(atom) if of_number != of_text => is_named(encoder, &one.label, &one.name, atom).map(Some),
        Some(_) | None => Ok(None),
    }
}

/// The order of the first two atoms next to each other whose numbers are not in the order of their names.
fn out_of_order(encoder: &Encoder, named: &[Named]) -> Result<Vec<Bool>> {
    let mut sorted: BTreeMap<BigInt, (Option<&Named>, String)> = BTreeMap::new();
    for (atom, label) in encoder.constants.atoms.all() {
        sorted.insert(BigInt::from(label), (None, atom.name().to_string()));
    }
    for one in named {
        if let Some(text) = one.text.good() {
            sorted.insert(one.number.clone(), (Some(one), text.to_owned()));
        }
    }
    let mut last: Option<(BigInt, &(Option<&Named>, String))> = None;
    for (number, this) in &sorted {
        if let Some((low, before)) = last
            && before.1 > this.1
        {
            let [a, b] = [(before, &low), (this, number)].map(|((named, text), number)| match named {
                Some(named) => Ok((named.label.clone(), named.name.clone())),
                None => Ok((integer(number)?, list(encoder, text)?)),
            });
            let same = before.1.chars().zip(this.1.chars()).take_while(|(x, y)| x == y).count();
            return in_order(encoder, &a?, &b?, same);
        }
        last = Some((number.clone(), this));
    }
    Ok(Vec::new())
}

/// Two atoms are in the order of the first character in which their names differ, if that is one of the first.
fn in_order(encoder: &Encoder, a: &(Int, Datatype), b: &(Int, Datatype), up_to: usize) -> Result<Vec<Bool>> {
    let sorts = &encoder.sorts;
    let mut laws = Vec::new();
    let mut alike = Vec::new();
    let (mut x, mut y) = (a.1.clone(), b.1.clone());
    for _ in 0..=up_to {
        let [x_more, y_more] = [sorts.is(Shape::Cons, &x)?, sorts.is(Shape::Cons, &y)?];
        let [p, q] = [character(encoder, &x)?, character(encoder, &y)?];
        let both = Bool::and(&[&x_more, &y_more]);
        let less = |p: &Int, q: &Int, p_more: &Bool, q_more: &Bool| {
            Bool::or(&[Bool::and(&[both.clone(), p.lt(q)]), Bool::and(&[p_more.not(), q_more.clone()])])
        };
        let until = Bool::and(&alike);
        laws.push(Bool::and(&[&until, &less(&p, &q, &x_more, &y_more)]).implies(a.0.lt(&b.0)));
        laws.push(Bool::and(&[&until, &less(&q, &p, &y_more, &x_more)]).implies(b.0.lt(&a.0)));
        alike.extend([both, p.eq(&q)]);
        (x, y) = (sorts.term_part(Field::Tail, &x)?, sorts.term_part(Field::Tail, &y)?);
    }
    Ok(laws)
}

/// The first character of a list.
fn character(encoder: &Encoder, list: &Datatype) -> Result<Int> {
    encoder.sorts.integer(&encoder.sorts.term_part(Field::Head, list)?)
}

/// A list without so many of its elements.
fn rest(encoder: &Encoder, list: &Datatype, count: usize) -> Result<Datatype> {
    (0..count).try_fold(list.clone(), |list, _| encoder.sorts.term_part(Field::Tail, &list))
}

/// That a name is not longer than names can be.
pub(super) fn ends(encoder: &Encoder, name: &Datatype) -> Result<Bool> {
    let last = rest(encoder, name, MAX_NAME - 1)?;
    let after = encoder.sorts.term_part(Field::Tail, &last)?;
    Ok(encoder.sorts.is(Shape::Cons, &last)?.implies(encoder.sorts.is(Shape::Nil, &after)?))
}

/// A text as a constant list.
fn list(encoder: &Encoder, text: &str) -> Result<Datatype> {
    let mut list = encoder.sorts.make(Shape::Nil, &[])?;
    for character in text.chars().rev() {
        let character = integer(&BigInt::from(u32::from(character)))?;
        list = encoder.sorts.make(Shape::Cons, &[&encoder.sorts.make(Shape::Int, &[&character])?, &list])?;
    }
    Ok(list)
}

/// An atom of this number and name is a known one if either of them is that one's.
pub(super) fn is_named(encoder: &Encoder, label: &Int, name: &Datatype, atom: AtomId) -> Result<Bool> {
    let Some(number) = encoder.constants.atoms.number(atom) else { return Ok(Bool::from_bool(true)) };
    Ok(label.eq(number).iff(name.eq(&list(encoder, &atom.name())?)))
}

/// That a list is one of characters, as far as is likely to matter.
pub(super) fn characters(encoder: &Encoder, list: &Datatype) -> Result<Vec<Bool>> {
    let mut known = vec![is_list(encoder, list)?];
    let mut list = list.clone();
    for _ in 0..CHARACTERS {
        known.push(begins_well(encoder, &list)?);
        list = encoder.sorts.term_part(Field::Tail, &list)?;
    }
    Ok(known)
}

/// The same for the rest of a name of which it has been said: one character more.
pub(super) fn one_more(encoder: &Encoder, rest: &Datatype) -> Result<Bool> {
    begins_well(encoder, &self::rest(encoder, rest, CHARACTERS - 1)?)
}

fn is_list(encoder: &Encoder, term: &Datatype) -> Result<Bool> {
    Ok(Bool::or(&[encoder.sorts.is(Shape::Cons, term)?, encoder.sorts.is(Shape::Nil, term)?]))
}

/// A list that is not empty begins with a character and goes on as a list.
fn begins_well(encoder: &Encoder, list: &Datatype) -> Result<Bool> {
    let sorts = &encoder.sorts;
    let (head, tail) = (sorts.term_part(Field::Head, list)?, sorts.term_part(Field::Tail, list)?);
    let code = sorts.integer(&head)?;
    let good = [
        sorts.is(Shape::Int, &head)?,
        code.ge(0),
        code.le(u64::from(u32::from(char::MAX))),
        Bool::or(&[code.lt(0xd800), code.gt(0xdfff)]),
        is_list(encoder, &tail)?,
    ];
    Ok(sorts.is(Shape::Cons, list)?.implies(Bool::and(&good)))
}

/// For names that have characters nobody would write: that these are letters. Nothing if there are none.
pub(super) fn letters(model: &z3::Model, encoder: &Encoder, facts: &Facts) -> Result<Vec<Bool>> {
    let mut all_letters = Vec::new();
    for one in all(model, facts) {
        let mut list = one.name;
        for character in one.text.good().unwrap_or("").chars() {
            if !matches!(character, ' '..='~') {
                let code = self::character(encoder, &list)?;
                all_letters.extend([code.ge(u64::from(b'a')), code.le(u64::from(b'z'))]);
            }
            list = encoder.sorts.term_part(Field::Tail, &list)?;
        }
    }
    Ok(all_letters)
}
