//! Atoms from text and back. Between atoms and lists of characters expressions are kept; to and from binaries they are emulated
//! ([`super::prelude`]).

use num_bigint::BigInt;

use super::bits::binary;
use super::number::system_limit;
use super::numerals::{binary_value, text_value};
use super::{Bif, BifResult, Meaning, badarg, concrete, exact};
use crate::machine::{Ctx, Failure, Stop};
use crate::sym::Tags;
use crate::term::{AtomId, Value, bits};

pub(super) const BIFS: &[Bif] = &[
    exact("atom_to_list", 1, atom_to_list),
    exact("list_to_atom", 1, list_to_atom),
    concrete("atom_to_binary", 2, atom_to_binary),
    concrete("binary_to_atom", 2, binary_to_atom),
    Bif { module: "cuter_prelude_text", name: "is_in_code", arity: 1, meaning: Meaning::Exact, run: is_in_code },
];

fn atom_to_list(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    if !ctx.is(*value, Tags::ATOM) {
        return Err(badarg());
    }
    let text = text_value(ctx.heap, &ctx.heap.concrete(*value).as_atom().name());
    Ok(match ctx.heap.expression(*value) {
        None => text,
        Some(id) => {
            let name = ctx.arena.atom_name(id);
            ctx.part(text, name)
        }
    })
}

/// The longest name of an atom, in characters.
const MAX_NAME: usize = 255;

const MAX_NAME_BYTES: usize = 4 * MAX_NAME;

fn list_to_atom(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [list] = args else { return Err(badarg()) };
    let mut name = String::new();
    let mut rest = *list;
    for length in 0.. {
        if !(rest.is_cons() || rest.is_sym() && ctx.is(rest, Tags::CONS)) {
            break;
        }
        if length == MAX_NAME {
            return Err(system_limit());
        }
        let head = ctx.head(rest);
        name.push(character(ctx, head).ok_or_else(badarg)?);
        rest = ctx.tail(rest);
    }
    if !ctx.is(rest, Tags::NIL) {
        return Err(badarg());
    }
    let atom = made(&name)?;
    if ctx.is_concrete(*list) {
        return Ok(atom);
    }
    let id = ctx.lift(*list);
    let id = ctx.arena.term(id);
    let named = ctx.arena.atom_named(id);
    Ok(ctx.part(atom, named))
}

/// An atom that is made when the program runs.
fn made(name: &str) -> BifResult {
    AtomId::made(name).map(Value::atom).ok_or(Failure::Stop(Stop::Heap))
}

/// A character of a name; whether it is one is decided, if it is symbolic.
fn character(ctx: &mut Ctx<'_>, value: Value) -> Option<char> {
    if !ctx.is(value, Tags::INT) {
        return None;
    }
    let plain = ctx.heap.concrete(value);
    let found = u32::try_from(plain.as_small()).ok().and_then(char::from_u32).filter(|_| plain.is_small());
    if let Some(id) = ctx.heap.expression(value).map(|id| ctx.arena.int_of(id)) {
        let int = ctx.heap.integer(plain)?;
        // Below zero, up to the surrogates, beyond them, beyond all characters.
        let bounds = [0, 0xd800, 0xe000, 0x11_0000];
        bounds.into_iter().find(|bound| {
            let constant = ctx.arena.int(*bound);
            let below = ctx.arena.lt(id, constant);
            ctx.branch(below, int < BigInt::from(*bound))
        });
    }
    found
}

/// How the characters of a name are written in a binary.
#[derive(Clone, Copy)]
enum Encoding {
    Latin1,
    Utf8,
}

fn encoding(name: Value) -> Result<Encoding, Failure> {
    if !name.is_atom() {
        return Err(badarg());
    }
    match &*name.as_atom().name() {
        "latin1" => Ok(Encoding::Latin1),
        "utf8" | "unicode" => Ok(Encoding::Utf8),
        _ => Err(badarg()),
    }
}

fn atom_to_binary(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [atom, name] = args else { return Err(badarg()) };
    let encoding = encoding(*name)?;
    if !atom.is_atom() {
        return Err(badarg());
    }
    let text = atom.as_atom().name();
    match encoding {
        Encoding::Utf8 => Ok(binary_value(ctx.heap, text.as_bytes())),
        Encoding::Latin1 => {
            let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
            Ok(binary_value(ctx.heap, &bytes.map_err(|_| badarg())?))
        }
    }
}

fn binary_to_atom(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [text, name] = args else { return Err(badarg()) };
    let encoding = encoding(*name)?;
    let bytes = bits::to_bytes(ctx.heap, binary(ctx, *text)?);
    let name = match encoding {
        Encoding::Utf8 => utf8_name(bytes)?,
        Encoding::Latin1 => bytes.into_iter().map(char::from).collect(),
    };
    if name.chars().count() > MAX_NAME {
        return Err(system_limit());
    }
    made(&name)
}

/// Bytes behind the longest name are not looked at, and none if there are more than it can have.
fn utf8_name(bytes: Vec<u8>) -> Result<String, Failure> {
    if bytes.len() > MAX_NAME_BYTES {
        return Err(system_limit());
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let characters = error.as_bytes().iter().take(valid).filter(|byte| **byte & 0xc0 != 0x80).count();
        if characters < MAX_NAME { badarg() } else { system_limit() }
    })
}

/// Whether the module under test names this atom, so that there is such an atom: one decision, whichever it is.
fn is_in_code(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let atoms = ctx.counters.home.map_or(&[][..], |home| ctx.view.atoms(home));
    let plain = ctx.heap.concrete(*value);
    let is_named = plain.is_atom() && atoms.contains(&plain.as_atom());
    if let Some(id) = ctx.heap.expression(*value) {
        let none = ctx.arena.truth(false);
        let named = atoms.iter().fold(none, |others, atom| {
            let atom = ctx.arena.atom(*atom);
            let same = ctx.arena.eq(id, atom);
            ctx.arena.or(others, same)
        });
        ctx.branch(named, is_named);
    }
    Ok(Value::boolean(is_named))
}
