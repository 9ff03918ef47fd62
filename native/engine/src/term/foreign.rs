//! Pids, ports, references and funs of the VM, read from their external form.
//!
//! Two of them are the same if they name the same thing, whichever of the tags of several releases they were written
//! with. A fun also has to have captured the same values, byte for byte; the process that made it does not matter. The
//! order of two funs that differ only in what they have captured is the order of these bytes, not of the terms.

use std::cmp::Ordering;

use super::atom::AtomId;
use super::etf::{Cursor, DecodeError, tag};
use super::heap::Heap;
use super::value::Ptr;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Foreign {
    /// The words are the most significant first.
    Reference {
        node: Node,
        words: Vec<u32>,
    },
    Fun(FunIdentity),
    Port {
        node: Node,
        number: u64,
    },
    Pid {
        node: Node,
        number: u32,
        serial: u32,
    },
}

/// A node of the distribution, and which of its lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    pub name: AtomId,
    pub creation: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunIdentity {
    pub module: AtomId,
    pub index: u32,
    pub uniq: u32,
    pub arity: u8,
    /// Number and external form of what it has captured.
    pub captured: (u32, Vec<u8>),
}

/// The types that have a place of their own in the order of terms, in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForeignKind {
    Reference,
    Fun,
    Port,
    Pid,
}

impl ForeignKind {
    /// What the object at `ptr` is, without reading more than its tag.
    pub fn of(heap: &Heap, ptr: Ptr) -> Self {
        match heap.byte(ptr, 0) {
            tag::PID | tag::NEW_PID => ForeignKind::Pid,
            tag::PORT | tag::NEW_PORT | tag::V4_PORT => ForeignKind::Port,
            tag::NEW_FUN => ForeignKind::Fun,
            _ => ForeignKind::Reference,
        }
    }
}

impl Foreign {
    pub fn read(heap: &Heap, ptr: Ptr) -> Self {
        let bytes = heap.foreign_bytes(ptr);
        Foreign::parse(&bytes).unwrap_or_else(|_| Foreign::Fun(FunIdentity::unreadable(bytes)))
    }

    /// The term of this external form without version byte.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Cursor::new(bytes);
        match input.u8()? {
            tag::PID => pid(&mut input, 1),
            tag::NEW_PID => pid(&mut input, 4),
            tag::PORT => port(&mut input, 4, 1),
            tag::NEW_PORT => port(&mut input, 4, 4),
            tag::V4_PORT => port(&mut input, 8, 4),
            tag::REFERENCE => old_reference(&mut input),
            tag::NEW_REFERENCE => reference(&mut input, 1),
            tag::NEWER_REFERENCE => reference(&mut input, 4),
            tag::NEW_FUN => FunIdentity::parse(&mut input).map(Foreign::Fun),
            tag => Err(DecodeError::UnknownTag { at: 0, tag }),
        }
    }

    pub fn kind(&self) -> ForeignKind {
        match self {
            Foreign::Reference { .. } => ForeignKind::Reference,
            Foreign::Fun(_) => ForeignKind::Fun,
            Foreign::Port { .. } => ForeignKind::Port,
            Foreign::Pid { .. } => ForeignKind::Pid,
        }
    }

    /// The order of the VM: references and ports by node first, pids by number first.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Foreign::Reference { node: n, words: a }, Foreign::Reference { node: m, words: b }) => {
                n.compare(m).then_with(|| compare_words(a, b))
            }
            (Foreign::Fun(a), Foreign::Fun(b)) => a.compare(b),
            (Foreign::Port { node: n, number: a }, Foreign::Port { node: m, number: b }) => {
                n.compare(m).then_with(|| a.cmp(b))
            }
            (Foreign::Pid { node: n, number: a, serial: s }, Foreign::Pid { node: m, number: b, serial: t }) => {
                (s, a).cmp(&(t, b)).then_with(|| n.compare(m))
            }
            (a, b) => a.kind().cmp(&b.kind()),
        }
    }
}

impl Node {
    fn compare(&self, other: &Self) -> Ordering {
        let names = compare_names(self.name, other.name);
        names.then(self.creation.cmp(&other.creation))
    }
}

impl FunIdentity {
    /// After the tag: size, arity, the module's digest, index, number of captured values, module, index and digest again in
    /// their old form, the process that made it, and the captured values.
    fn parse(input: &mut Cursor<'_>) -> Result<Self, DecodeError> {
        input.size()?;
        let arity = input.u8()?;
        input.take(16)?;
        input.u32()?;
        let count = input.u32()?;
        let module = input.atom()?;
        let index = integer(input)?;
        let uniq = integer(input)?;
        skip_pid(input)?;
        let captured = (count, input.remaining().to_vec());
        Ok(FunIdentity { module, index, uniq, arity, captured })
    }

    /// What the VM would refuse to read is only the same as the same bytes.
    fn unreadable(bytes: Vec<u8>) -> Self {
        FunIdentity { module: AtomId::EMPTY, index: 0, uniq: 0, arity: 0, captured: (0, bytes) }
    }

    /// True if both are made by the same expression of the same code, whatever they have captured.
    pub fn is_alike(&self, other: &Self) -> bool {
        (self.module, self.index, self.uniq, self.arity) == (other.module, other.index, other.uniq, other.arity)
    }

    fn compare(&self, other: &Self) -> Ordering {
        let key = |fun: &Self| (fun.index, fun.uniq, fun.arity);
        compare_names(self.module, other.module)
            .then_with(|| key(self).cmp(&key(other)))
            .then_with(|| self.captured.cmp(&other.captured))
    }
}

/// Atoms by the code points of their names, which is the order of UTF-8.
pub fn compare_names(a: AtomId, b: AtomId) -> Ordering {
    a.compare_names(b)
}

/// Leading zeros do not count.
fn compare_words(a: &[u32], b: &[u32]) -> Ordering {
    let length = a.len().max(b.len());
    let at = |words: &[u32], index: usize| {
        (index + words.len()).checked_sub(length).and_then(|i| words.get(i).copied()).unwrap_or(0)
    };
    (0..length).map(|i| at(a, i).cmp(&at(b, i))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// An unsigned number in so many bytes: the releases differ in the width of their fields.
fn number(input: &mut Cursor<'_>, width: usize) -> Result<u64, DecodeError> {
    let bytes = input.take(width)?;
    Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn node_of(name: AtomId, input: &mut Cursor<'_>, width: usize) -> Result<Node, DecodeError> {
    Ok(Node { name, creation: number(input, width)? as u32 })
}

fn pid(input: &mut Cursor<'_>, creation: usize) -> Result<Foreign, DecodeError> {
    let name = input.atom()?;
    let number = input.u32()?;
    let serial = input.u32()?;
    Ok(Foreign::Pid { node: node_of(name, input, creation)?, number, serial })
}

fn port(input: &mut Cursor<'_>, width: usize, creation: usize) -> Result<Foreign, DecodeError> {
    let name = input.atom()?;
    let number = number(input, width)?;
    Ok(Foreign::Port { node: node_of(name, input, creation)?, number })
}

fn old_reference(input: &mut Cursor<'_>) -> Result<Foreign, DecodeError> {
    let name = input.atom()?;
    let words = vec![input.u32()?];
    Ok(Foreign::Reference { node: node_of(name, input, 1)?, words })
}

fn reference(input: &mut Cursor<'_>, creation: usize) -> Result<Foreign, DecodeError> {
    let count = input.u16()?;
    let name = input.atom()?;
    let node = node_of(name, input, creation)?;
    let mut words = (0..count).map(|_| input.u32()).collect::<Result<Vec<u32>, DecodeError>>()?;
    words.reverse();
    Ok(Foreign::Reference { node, words })
}

fn integer(input: &mut Cursor<'_>) -> Result<u32, DecodeError> {
    let at = input.at();
    match input.u8()? {
        tag::SMALL_INTEGER => input.u8().map(u32::from),
        tag::INTEGER => input.u32(),
        tag => Err(DecodeError::UnknownTag { at, tag }),
    }
}

fn skip_pid(input: &mut Cursor<'_>) -> Result<(), DecodeError> {
    let at = input.at();
    let creation = match input.u8()? {
        tag::PID => 1,
        tag::NEW_PID => 4,
        tag => return Err(DecodeError::UnknownTag { at, tag }),
    };
    pid(input, creation).map(|_| ())
}
