//! A place in encoded bytes, and the fields that can be read from there on.

use super::super::atom::AtomId;
use super::{DecodeError, tag};

const MAX_ATOM_CHARACTERS: usize = 255;

pub(in super::super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// The bytes from an earlier place up to here.
    pub fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or(&[])
    }

    pub fn remaining(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    /// Fails unless `count` bytes are left: what a length announces is checked before anything is made of it.
    pub fn expect(&self, count: usize) -> Result<(), DecodeError> {
        match count.checked_sub(self.remaining().len()) {
            None | Some(0) => Ok(()),
            Some(missing) => Err(DecodeError::Truncated { at: self.bytes.len(), missing }),
        }
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        self.expect(count)?;
        let start = self.at;
        self.at += count;
        Ok(self.since(start))
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        self.expect(N)?;
        let array = self.remaining().first_chunk().copied().unwrap_or([0; N]);
        self.at += N;
        Ok(array)
    }

    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        self.array().map(u8::from_be_bytes)
    }

    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_be_bytes)
    }

    /// A count or length of four bytes.
    pub fn size(&mut self) -> Result<usize, DecodeError> {
        self.u32().map(|size| size as usize)
    }

    /// An atom with its tag.
    pub fn atom(&mut self) -> Result<AtomId, DecodeError> {
        let at = self.at;
        let tag = self.u8()?;
        self.atom_of_tag(tag)?.ok_or(DecodeError::NoAtom { at, tag })
    }

    /// An atom whose tag has been read; nothing if that is not the tag of an atom.
    pub fn atom_of_tag(&mut self, tag: u8) -> Result<Option<AtomId>, DecodeError> {
        let start = self.at;
        let length = match tag {
            tag::ATOM | tag::ATOM_UTF8 => usize::from(self.u16()?),
            tag::SMALL_ATOM | tag::SMALL_ATOM_UTF8 => usize::from(self.u8()?),
            _ => return Ok(None),
        };
        let bytes = self.take(length)?;
        let atom = match tag {
            tag::ATOM | tag::SMALL_ATOM => latin1_atom(bytes),
            _ => utf8_atom(bytes),
        };
        atom.map(Some).ok_or(DecodeError::AtomName { at: start })
    }
}

fn utf8_atom(bytes: &[u8]) -> Option<AtomId> {
    let name = std::str::from_utf8(bytes).ok()?;
    let fits = name.len() <= MAX_ATOM_CHARACTERS || name.chars().count() <= MAX_ATOM_CHARACTERS;
    fits.then(|| AtomId::intern(name))
}

fn latin1_atom(bytes: &[u8]) -> Option<AtomId> {
    let name: String = bytes.iter().copied().map(char::from).collect();
    (bytes.len() <= MAX_ATOM_CHARACTERS).then(|| AtomId::intern(&name))
}
