//! Module `unicode`: what its own code leaves to the VM.
//!
//! Text without a fault is converted here. Anything else is for the host, which tells how far it came and why.

use super::bits::LONGEST_LIST;
use super::{Bif, BifResult, Failure, badarg, typed_of};
use crate::machine::{Ctx, Stop};
use crate::release;
use crate::sym::Tags;
use crate::term::bits::segment::{Kind, character};
use crate::term::bits::{self, Reader};
use crate::term::effort::Effort;
use crate::term::{Bits, Endian, Value};

const ANY: Tags = Tags::ANY;

pub(super) const BIFS: &[Bif] = &[
    typed_of("unicode", "bin_is_7bit", &[ANY], bin_is_7bit),
    typed_of("unicode", "characters_to_binary", &[ANY, Tags::ATOM], to_binary),
    typed_of("unicode", "characters_to_list", &[ANY, Tags::ATOM], to_list),
];

fn bin_is_7bit(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let [value] = args else { return Err(badarg()) };
    let known = |bits: &Bits| bits.length.is_multiple_of(8) && release::bin_is_7bit_is_right();
    let Some(bits) = ctx.heap.as_bits(*value).filter(known) else { return Err(Failure::Host) };
    let ascii = Reader::new(ctx.heap, bits).chunks().all(|chunk| chunk & 0x8080_8080_8080_8080 == 0);
    Ok(Value::boolean(ascii))
}

/// In which form the binaries of the input are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Latin1,
    Utf8,
}

/// The characters of well-formed input; `None` if anything is odd.
fn characters(ctx: &Ctx<'_>, data: Value, encoding: Encoding) -> Option<String> {
    let mut text = String::new();
    let mut todo = vec![data];
    let mut effort = Effort::new(ctx.heap);
    while let Some(value) = todo.pop() {
        if !effort.spend(ctx.heap) {
            break;
        }
        if value.is_cons() {
            let head = ctx.heap.head(value);
            todo.push(ctx.heap.tail(value));
            if head.is_small() {
                text.push(listed_character(head, encoding)?);
            } else {
                todo.push(head);
            }
        } else if !value.is_nil() {
            let bits = ctx.heap.as_bits(value).filter(|bits| bits.length % 8 == 0)?;
            read(ctx, bits, encoding, &mut text)?;
        }
    }
    Some(text)
}

/// A number in a list is a character; in Latin-1 text it has one byte.
fn listed_character(value: Value, encoding: Encoding) -> Option<char> {
    let code = u32::try_from(value.as_small()).ok()?;
    if encoding == Encoding::Latin1 && code > 255 {
        return None;
    }
    char::from_u32(code)
}

fn read(ctx: &Ctx<'_>, bits: Bits, encoding: Encoding, text: &mut String) -> Option<()> {
    match encoding {
        Encoding::Latin1 => text.extend(bits::to_bytes(ctx.heap, bits).into_iter().map(char::from)),
        Encoding::Utf8 => {
            let mut rest = bits;
            while rest.length > 0 {
                let (character, size) = character(ctx.heap, rest, Kind::Utf8, Endian::Big)?;
                text.push(character);
                rest = Bits { offset: rest.offset + size, length: rest.length - size, ..rest };
            }
        }
    }
    Some(())
}

/// The text of the arguments, if it is all well-formed and in a form that is read here.
fn text(ctx: &Ctx<'_>, args: &[Value]) -> Result<String, Failure> {
    let [data, encoding] = args else { return Err(badarg()) };
    if !encoding.is_atom() {
        return Err(Failure::Host);
    }
    let encoding = match &*encoding.as_atom().name() {
        "latin1" => Encoding::Latin1,
        "unicode" | "utf8" => Encoding::Utf8,
        _ => return Err(Failure::Host),
    };
    characters(ctx, *data, encoding).ok_or(Failure::Host)
}

fn to_binary(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let text = text(ctx, args)?;
    Ok(ctx.heap.binary(text.as_bytes()))
}

fn to_list(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let text = text(ctx, args)?;
    if text.len() > LONGEST_LIST {
        return Err(Failure::Stop(Stop::Heap));
    }
    let mut list = Value::NIL;
    for character in text.chars().rev() {
        list = ctx.heap.cons(Value::count(character as usize), list);
    }
    Ok(list)
}
