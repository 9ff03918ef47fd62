//! Numbers from text and back. They are concrete here; with a symbolic argument most are emulated ([`super::prelude`]).

use num_bigint::Sign;

use super::bits::binary;
use super::number::integer_value;
use super::{Bif, BifResult, badarg, concrete};
use crate::machine::{Ctx, Failure, Stop};
use crate::term::{BitWriter, Heap, Value, View, bits, large, term_to_string};

pub(super) const BIFS: &[Bif] = &[
    concrete("integer_to_list", 1, |ctx, args| integer_to_text(ctx, args, Text::List)),
    concrete("integer_to_list", 2, |ctx, args| integer_to_text(ctx, args, Text::List)),
    concrete("integer_to_binary", 1, |ctx, args| integer_to_text(ctx, args, Text::Binary)),
    concrete("integer_to_binary", 2, |ctx, args| integer_to_text(ctx, args, Text::Binary)),
    concrete("list_to_integer", 1, |ctx, args| text_to_integer(ctx, args, Text::List)),
    concrete("list_to_integer", 2, |ctx, args| text_to_integer(ctx, args, Text::List)),
    concrete("binary_to_integer", 1, |ctx, args| text_to_integer(ctx, args, Text::Binary)),
    concrete("binary_to_integer", 2, |ctx, args| text_to_integer(ctx, args, Text::Binary)),
    concrete("float_to_list", 1, |ctx, args| float_to_text(ctx, args, Text::List)),
    concrete("float_to_list", 2, |ctx, args| float_to_text(ctx, args, Text::List)),
    concrete("float_to_binary", 1, |ctx, args| float_to_text(ctx, args, Text::Binary)),
    concrete("float_to_binary", 2, |ctx, args| float_to_text(ctx, args, Text::Binary)),
    concrete("list_to_float", 1, |ctx, args| text_to_float(ctx, args, Text::List)),
    concrete("binary_to_float", 1, |ctx, args| text_to_float(ctx, args, Text::Binary)),
];

/// In which form text is: a list of characters or a binary.
#[derive(Clone, Copy)]
enum Text {
    List,
    Binary,
}

impl Text {
    /// All characters are ASCII.
    fn write(self, heap: &mut Heap, text: &str) -> Value {
        match self {
            Text::List => text_value(heap, text),
            Text::Binary => binary_value(heap, text.as_bytes()),
        }
    }

    fn read(self, ctx: &Ctx<'_>, text: Value) -> Result<Vec<u8>, Failure> {
        match self {
            Text::List => bytes(ctx.heap, text).ok_or_else(badarg),
            Text::Binary => Ok(bits::to_bytes(ctx.heap, binary(ctx, text)?)),
        }
    }
}

/// A list of characters.
pub(super) fn text_value(heap: &mut Heap, text: &str) -> Value {
    let characters: Vec<Value> = text.chars().map(|c| Value::count(c as usize)).collect();
    heap.list(characters, Value::NIL)
}

pub(super) fn binary_value(heap: &mut Heap, bytes: &[u8]) -> Value {
    let mut writer = BitWriter::with_capacity(bytes.len() * 8);
    writer.push_bytes(bytes);
    writer.finish(heap)
}

/// The text of a proper list of bytes.
fn bytes(heap: &Heap, list: Value) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    let mut rest = list;
    while rest.is_cons() {
        let byte = Some(heap.head(rest)).filter(|head| head.is_small())?;
        found.push(u8::try_from(byte.as_small()).ok()?);
        rest = heap.tail(rest);
    }
    rest.is_nil().then_some(found)
}

// Integers

fn radix(base: Option<&Value>) -> Result<u32, Failure> {
    match base {
        None => Ok(10),
        Some(base) if base.is_small() && (2..=36).contains(&base.as_small()) => Ok(base.as_small() as u32),
        Some(_) => Err(badarg()),
    }
}

fn integer_to_text(ctx: &mut Ctx<'_>, args: &[Value], form: Text) -> BifResult {
    let [value, base @ ..] = args else { return Err(badarg()) };
    let radix = radix(base.first())?;
    let text = match ctx.heap.view(*value) {
        View::Small(small) if radix == 10 => small.to_string(),
        _ => {
            let int = ctx.heap.integer(*value).ok_or_else(badarg)?;
            large::to_text(ctx.heap, &int, radix).to_uppercase()
        }
    };
    Ok(form.write(ctx.heap, &text))
}

fn text_to_integer(ctx: &mut Ctx<'_>, args: &[Value], form: Text) -> BifResult {
    let [text, base @ ..] = args else { return Err(badarg()) };
    let radix = radix(base.first())?;
    let text = form.read(ctx, *text)?;
    let (negative, digits) = match text.as_slice() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let digits: Option<Vec<u8>> =
        digits.iter().map(|c| char::from(*c).to_digit(radix).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| !digits.is_empty()).ok_or_else(badarg)?;
    if digits.len() <= 11 {
        let small = digits.iter().fold(0, |sum, digit| sum * i64::from(radix) + i64::from(*digit));
        return Ok(ctx.heap.int(if negative { -small } else { small }));
    }
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    let int = large::from_digits(ctx.heap, sign, &digits, radix);
    integer_value(ctx.heap, &int)
}

// Floats

/// How `float_to_list/2` or `float_to_binary/2` is asked to write a number.
#[derive(Clone, Copy)]
enum Format {
    Short,
    Scientific(i32),
    Decimals(i32),
}

/// Text is made in a buffer of so many bytes, the closing zero included.
const BUFFER: usize = 256;

fn float_to_text(ctx: &mut Ctx<'_>, args: &[Value], form: Text) -> BifResult {
    let [value, options @ ..] = args else { return Err(badarg()) };
    let View::Float(float) = ctx.heap.view(*value) else { return Err(badarg()) };
    let (format, compact) = match options.first() {
        None => (Format::Scientific(20), false),
        Some(options) => float_format(ctx.heap, *options).ok_or_else(badarg)?,
    };
    let text = match format {
        Format::Short => term_to_string(ctx.heap, *value),
        // The VM adds the length of the rest without a look at what comes of it, and ends.
        Format::Scientific(digits) if digits.checked_add(7).is_none() => return Err(Failure::Stop(Stop::Halted)),
        Format::Scientific(digits) => scientific(float, digits).ok_or_else(badarg)?,
        Format::Decimals(decimals) => with_decimals(float, decimals, compact).ok_or_else(badarg)?,
    };
    Ok(form.write(ctx.heap, &text))
}

/// The last of several formats counts.
fn float_format(heap: &Heap, options: Value) -> Option<(Format, bool)> {
    let (mut format, mut compact) = (Format::Scientific(20), false);
    let mut rest = options;
    while rest.is_cons() {
        let option = heap.head(rest);
        match heap.view(option) {
            View::Atom(atom) if &*atom.name() == "compact" => compact = true,
            View::Atom(atom) if &*atom.name() == "short" => format = Format::Short,
            View::Tuple(_, 2) => format = precision(heap.element(option, 0), heap.element(option, 1))?,
            _ => return None,
        }
        rest = heap.tail(rest);
    }
    rest.is_nil().then_some((format, compact))
}

/// The VM looks at the lower half of the number only.
fn precision(kind: Value, digits: Value) -> Option<Format> {
    let digits = digits.is_small().then(|| digits.as_small() as i32)?;
    match &*kind.as_atom().name() {
        _ if !kind.is_atom() => None,
        "decimals" => Some(Format::Decimals(digits)),
        "scientific" => Some(Format::Scientific(digits)),
        _ => None,
    }
}

/// `%.*e` of C: with a negative number of digits it has its own.
fn scientific(float: f64, digits: i32) -> Option<String> {
    let digits = usize::try_from(digits).unwrap_or(6);
    if digits > BUFFER - 7 {
        return None;
    }
    let text = format!("{float:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    fitting(format!("{mantissa}e{sign}{exponent:0>2}"))
}

/// As the VM does it: of numbers and precisions that are not too large, the fraction is scaled and rounded; others are written
/// with `%.*f` of C, and then `compact` takes the last zeros away even if there is no decimal point.
fn with_decimals(float: f64, decimals: i32, compact: bool) -> Option<String> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    const MAX_DECIMALS: usize = 18;
    let decimals = usize::try_from(decimals).ok().filter(|decimals| *decimals <= BUFFER - 3)?;
    let is_scaled = float.abs() <= LARGEST && decimals <= MAX_DECIMALS;
    let text = if is_scaled { scaled(float, decimals) } else { fitting(format!("{float:.decimals$}"))? };
    Some(if compact && !(is_scaled && decimals == 0) { without_zeros(text) } else { text })
}

fn scaled(float: f64, decimals: usize) -> String {
    let scale = 10_u64.pow(decimals as u32);
    let fraction = (float.abs().fract() * scale as f64).round() as u64;
    let whole = float.abs().trunc() as u64 + fraction / scale;
    let sign = if float.is_sign_negative() { "-" } else { "" };
    match decimals {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{:0>decimals$}", fraction % scale),
    }
}

fn fitting(text: String) -> Option<String> {
    Some(text).filter(|text| text.len() < BUFFER)
}

/// Without the zeros at the end, but for one behind the decimal point.
fn without_zeros(mut text: String) -> String {
    text.truncate(text.trim_end_matches('0').len());
    if text.ends_with('.') {
        text.push('0');
    }
    text
}

/// Digits on both sides of a point or comma, a sign before and an exponent behind: nothing less.
fn text_to_float(ctx: &mut Ctx<'_>, args: &[Value], form: Text) -> BifResult {
    let [text] = args else { return Err(badarg()) };
    let text = form.read(ctx, *text)?;
    if text.contains(&0) {
        // Up to there, for some VMs.
        return Err(Failure::Host);
    }
    let text = String::from_utf8(text).map_err(|_| badarg())?.replacen(',', ".", 1);
    if !is_float(&text) {
        return Err(badarg());
    }
    let float: f64 = text.parse().map_err(|_| badarg())?;
    if float.is_finite() { Ok(ctx.heap.float(float)) } else { Err(badarg()) }
}

fn is_float(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let unsigned = |text: &'_ str| text.strip_prefix(['+', '-']).map_or(text.len(), str::len);
    let Some(text) = text.get(text.len() - unsigned(text)..) else { return false };
    let (number, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(n, e)| (n, Some(e)));
    let exponent_is_good = exponent.is_none_or(|e| e.get(e.len() - unsigned(e)..).is_some_and(digits));
    exponent_is_good && number.split_once('.').is_some_and(|(whole, fraction)| digits(whole) && digits(fraction))
}
