//! Terms as Erlang source, as `io:format("~tw")` writes them.
//!
//! The concrete part is printed, iteratively. Maps are in the order of their keys. Identifiers look as those of the
//! local node do in the VM; they and funs (except `fun M:F/A`) are the only terms that cannot be read back.
//!
//! On purpose different from OTP 25: the atoms `maybe` and `else` are quoted, because later releases reserve them and the text
//! may end up in a generated module.

use std::fmt::{self, Write};

use super::atom::AtomId;
use super::bits;
use super::foreign::Foreign;
use super::heap::{Bits, Heap, View};
use super::map::{self, Map, Pair};
use super::value::{Ptr, Value, VirtualKind};

mod float;

/// The number in the text of a run's first process. The VM's own numbers have 28 bits at most, so no text stands for two processes.
pub const FIRST_PID: u64 = 1 << 28;

pub fn term_to_string(heap: &Heap, value: Value) -> String {
    Printed::new(heap, value).to_string()
}

/// A term that can be formatted.
#[derive(Clone, Copy)]
pub struct Printed<'a> {
    heap: &'a Heap,
    value: Value,
    limits: Limits,
}

/// How much of a term to print; `...` stands for the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Lists, tuples and maps inside of so many others are left out.
    pub depth: usize,
    /// Elements of a list, tuple or map, and bytes of a bitstring, beyond so many are left out.
    pub length: usize,
}

impl Limits {
    pub const NONE: Limits = Limits { depth: usize::MAX, length: usize::MAX };
}

impl<'a> Printed<'a> {
    pub fn new(heap: &'a Heap, value: Value) -> Self {
        Printed { heap, value, limits: Limits::NONE }
    }

    pub fn limited(self, limits: Limits) -> Self {
        Printed { limits, ..self }
    }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { heap: self.heap, limits: self.limits, todo: Vec::new(), out };
        printer.todo.push(Todo::Term(self.value));
        while let Some(todo) = printer.todo.pop() {
            printer.step(todo)?;
        }
        Ok(())
    }
}

struct Printer<'a, W> {
    heap: &'a Heap,
    limits: Limits,
    /// What is still to be printed, the next one last.
    todo: Vec<Todo>,
    out: &'a mut W,
}

enum Todo {
    Term(Value),
    Text(&'static str),
    /// The rest of a list of which some elements are printed.
    Tail(Value, usize),
    /// So many values, with a separator before each, of a tuple of which some elements are printed.
    Elements(Ptr, usize, usize),
    /// The associations of a map that are not printed yet, the next one last, and how many are.
    Associations(Vec<Pair>, usize),
    /// The end of a list, tuple or map.
    Close(char),
}

impl<W: Write> Printer<'_, W> {
    fn step(&mut self, todo: Todo) -> fmt::Result {
        match todo {
            Todo::Term(value) => self.term(value),
            Todo::Text(text) => self.out.write_str(text),
            Todo::Tail(tail, printed) => self.tail(tail, printed),
            Todo::Elements(ptr, left, printed) => self.elements(ptr, left, printed),
            Todo::Associations(pairs, printed) => self.associations(pairs, printed),
            Todo::Close(bracket) => self.out.write_char(bracket),
        }
    }

    fn term(&mut self, value: Value) -> fmt::Result {
        match self.heap.view(self.heap.concrete(value)) {
            View::Small(i) => write!(self.out, "{i}"),
            View::Big(ptr) => write!(self.out, "{}", self.heap.big(ptr)),
            View::Float(float) => self.out.write_str(&float::text(float)),
            View::Atom(atom) => self.atom(atom),
            View::Nil => self.out.write_str("[]"),
            View::Cons(ptr) => self.list(ptr),
            View::Tuple(ptr, arity) => self.tuple(ptr, arity),
            View::Bits(bits) => self.bitstring(bits),
            View::Map(..) => self.map(self.heap.concrete(value)),
            View::Closure(ptr) => self.closure(ptr),
            View::External(ptr) => self.external(ptr),
            View::Foreign(ptr) => self.foreign(ptr),
            View::Virtual(identifier) => self.identifier(identifier),
            View::Sym(inner, _) => self.later([Todo::Term(inner)]),
        }
    }

    /// In this order, before everything that is to be printed already.
    fn later<const N: usize>(&mut self, steps: [Todo; N]) -> fmt::Result {
        self.todo.extend(steps.into_iter().rev());
        Ok(())
    }

    // Terms with parts

    /// Whether one more level of nesting is too deep: each level that is open has its closing bracket to do.
    fn is_too_deep(&self) -> bool {
        self.limits.depth != usize::MAX
            && self.todo.iter().filter(|todo| matches!(todo, Todo::Close(_))).count() >= self.limits.depth
    }

    fn list(&mut self, ptr: Ptr) -> fmt::Result {
        if self.is_too_deep() || self.limits.length == 0 {
            return self.out.write_str("[...]");
        }
        self.out.write_char('[')?;
        let (head, tail) = (self.heap.value(ptr), self.heap.value(ptr.plus(1)));
        self.later([Todo::Term(head), Todo::Tail(tail, 1), Todo::Close(']')])
    }

    fn tail(&mut self, tail: Value, printed: usize) -> fmt::Result {
        let tail = self.heap.concrete(tail);
        if tail.is_nil() {
            return Ok(());
        }
        if printed >= self.limits.length {
            return self.out.write_str("|...");
        }
        if !tail.is_cons() {
            return self.later([Todo::Text("|"), Todo::Term(tail)]);
        }
        self.out.write_char(',')?;
        let rest = Todo::Tail(self.heap.tail(tail), printed + 1);
        self.later([Todo::Term(self.heap.head(tail)), rest])
    }

    fn tuple(&mut self, ptr: Ptr, arity: usize) -> fmt::Result {
        if arity > 0 && self.is_too_deep() {
            return self.out.write_str("{...}");
        }
        self.out.write_char('{')?;
        self.later([Todo::Elements(ptr.plus(1), arity, 0), Todo::Close('}')])
    }

    fn elements(&mut self, ptr: Ptr, left: usize, printed: usize) -> fmt::Result {
        if self.ends(left, printed)? {
            return Ok(());
        }
        let rest = Todo::Elements(ptr.plus(1), left - 1, printed + 1);
        self.later([Todo::Term(self.heap.value(ptr)), rest])
    }

    fn map(&mut self, map: Value) -> fmt::Result {
        let mut pairs = Map::of(self.heap, map).map(|map| map::sorted(self.heap, map)).unwrap_or_default();
        if !pairs.is_empty() && self.is_too_deep() {
            return self.out.write_str("#{...}");
        }
        self.out.write_str("#{")?;
        pairs.reverse();
        self.later([Todo::Associations(pairs, 0), Todo::Close('}')])
    }

    fn associations(&mut self, mut pairs: Vec<Pair>, printed: usize) -> fmt::Result {
        if self.ends(pairs.len(), printed)? {
            return Ok(());
        }
        let Some((key, value)) = pairs.pop() else { return Ok(()) };
        let rest = Todo::Associations(pairs, printed + 1);
        self.later([Todo::Term(key), Todo::Text(" => "), Todo::Term(value), rest])
    }

    /// Whether nothing more of this term is to be printed; if something is, then with a separator.
    fn ends(&mut self, left: usize, printed: usize) -> Result<bool, fmt::Error> {
        if left == 0 {
            return Ok(true);
        }
        if printed > 0 {
            self.out.write_char(',')?;
        }
        if printed >= self.limits.length {
            self.out.write_str("...")?;
            return Ok(true);
        }
        Ok(false)
    }

    // Leaves

    fn atom(&mut self, atom: AtomId) -> fmt::Result {
        write_atom(self.out, &atom.name())
    }

    fn bitstring(&mut self, bits: Bits) -> fmt::Result {
        let bytes = bits.length.div_ceil(8);
        let shown = bytes.min(self.limits.length);
        let start = Bits { length: bits.length.min(shown.saturating_mul(8)), ..bits };
        self.out.write_str("<<")?;
        for (index, byte) in bits::to_bytes(self.heap, start).into_iter().enumerate() {
            if index > 0 {
                self.out.write_char(',')?;
            }
            match bits.length - 8 * index {
                last @ 1..8 => write!(self.out, "{}:{last}", byte >> (8 - last))?,
                _ => write!(self.out, "{byte}")?,
            }
        }
        let rest = match (shown, bytes) {
            (shown, bytes) if shown == bytes => "",
            (0, _) => "...",
            _ => ",...",
        };
        write!(self.out, "{rest}>>")
    }

    fn closure(&mut self, ptr: Ptr) -> fmt::Result {
        let (function, arity) = self.heap.closure(ptr);
        write!(self.out, "#Fun<cuter.{function}.{arity}>")
    }

    fn external(&mut self, ptr: Ptr) -> fmt::Result {
        let (module, function, arity) = self.heap.external_of(ptr);
        self.out.write_str("fun ")?;
        self.atom(module)?;
        self.out.write_char(':')?;
        self.atom(function)?;
        write!(self.out, "/{arity}")
    }

    fn foreign(&mut self, ptr: Ptr) -> fmt::Result {
        match Foreign::read(self.heap, ptr) {
            Foreign::Reference { words, .. } => {
                self.out.write_str("#Ref<0")?;
                words.iter().try_for_each(|word| write!(self.out, ".{word}"))?;
                self.out.write_char('>')
            }
            Foreign::Fun(fun) => {
                self.out.write_str("#Fun<")?;
                self.atom(fun.module)?;
                write!(self.out, ".{}.{}>", fun.index, fun.uniq)
            }
            Foreign::Port { number, .. } => write!(self.out, "#Port<0.{number}>"),
            Foreign::Pid { number, serial, .. } => write!(self.out, "<0.{number}.{serial}>"),
        }
    }

    fn identifier(&mut self, identifier: Value) -> fmt::Result {
        match identifier.as_identifier() {
            (VirtualKind::Reference, number) => write!(self.out, "#Ref<0.0.0.{number}>"),
            (VirtualKind::Pid, number) => write!(self.out, "<0.{}.0>", FIRST_PID + number),
            (VirtualKind::Fun, number) => write!(self.out, "#Fun<cuter.{}.{}>", number >> 8, number & 0xff),
        }
    }
}

/// Words that are no atoms unless quoted.
const RESERVED: [&str; 29] = [
    "after", "and", "andalso", "band", "begin", "bnot", "bor", "bsl", "bsr", "bxor", "case", "catch", "cond", "div",
    "else", "end", "fun", "if", "let", "maybe", "not", "of", "or", "orelse", "receive", "rem", "try", "when", "xor",
];

/// The atom of this name as it stands in source.
pub fn write_atom(out: &mut impl Write, name: &str) -> fmt::Result {
    if !needs_quotes(name) {
        return out.write_str(name);
    }
    out.write_char('\'')?;
    name.chars().try_for_each(|character| write_quoted(out, character, '\''))?;
    out.write_char('\'')
}

fn needs_quotes(name: &str) -> bool {
    let starts_small = name.chars().next().is_some_and(is_small_letter);
    !starts_small || !name.chars().all(is_name_character) || RESERVED.binary_search(&name).is_ok()
}

fn is_small_letter(character: char) -> bool {
    matches!(character, 'a'..='z' | 'ß'..='ö' | 'ø'..='ÿ')
}

fn is_name_character(character: char) -> bool {
    is_small_letter(character) || matches!(character, 'A'..='Z' | 'À'..='Ö' | 'Ø'..='Þ' | '0'..='9' | '_' | '@')
}

/// One character between quotes of this kind.
pub fn write_quoted(out: &mut impl Write, character: char, quote: char) -> fmt::Result {
    match character {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\x0b' => out.write_str("\\v"),
        '\x08' => out.write_str("\\b"),
        '\x0c' => out.write_str("\\f"),
        '\x1b' => out.write_str("\\e"),
        '\x7f' => out.write_str("\\d"),
        '\\' => out.write_str("\\\\"),
        character if character == quote => write!(out, "\\{quote}"),
        '\0'..' ' | '\x7f'..'\u{a0}' => write!(out, "\\{:03o}", u32::from(character)),
        character => out.write_char(character),
    }
}

#[cfg(test)]
mod tests;
