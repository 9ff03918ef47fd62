//! How funs, processes and references of the machine look to the VM.
//!
//! A fun of the machine becomes a real fun of `cuter_fun`: one for each arity is sent as a template, and the number of the machine's fun is
//! written over a placeholder among its free variables. The machine's process becomes the pid that came with the templates, a reference one
//! of the VM's node that the VM itself would not make. All of them are recognised when they come back.

use std::collections::BTreeMap;

use super::{ProtocolError, Result};
use crate::term::{Foreign, Heap, Tag, Value, View, VirtualKind, etf, table};
use crate::with_stack;

/// Funs by arity, and a pid, in external term format.
#[derive(Clone, Default)]
pub struct Stubs {
    funs: Vec<Template>,
    pid: Vec<u8>,
    /// Table funs by arity, with a placeholder for the table.
    tables: Vec<Template>,
    /// Native code runs with them: every process of the machine has a pid of its own there.
    live: bool,
    /// The deputies of the other processes, and what they stand for.
    deputies: BTreeMap<u64, Vec<u8>>,
    stand_for: BTreeMap<Vec<u8>, u64>,
}

#[derive(Clone)]
struct Template {
    etf: Vec<u8>,
    /// Where the number goes.
    at: usize,
}

/// The placeholder of `cuter_fun` as an `INTEGER_EXT`.
const PLACEHOLDER: [u8; 5] = [98, 0x5e, 0xc0, 0xde, 0x01];
/// The number of a fun whose run is over: it cannot be called.
const NO_NUMBER: u32 = 0;
/// The number of the first fun. The VM writes smaller integers in another form than the placeholder's.
const FIRST_NUMBER: u32 = 256;
/// A word of every reference that stands for one of the machine's.
const REFERENCE_MARK: u32 = 0xc07e_4c07;
const NEWER_REFERENCE: u8 = 90;
/// The first byte of a term in external format.
const VERSION: u8 = 131;
/// Room for one more level of tables in tables.
const STACK: usize = 1 << 18;
/// Words of a reference: of the first only so many bits count.
const REFERENCE_BITS: u32 = 18;

impl Stubs {
    /// For messages in which nothing of the machine occurs.
    pub const NONE: Stubs = Stubs {
        funs: Vec::new(),
        pid: Vec::new(),
        tables: Vec::new(),
        live: false,
        deputies: BTreeMap::new(),
        stand_for: BTreeMap::new(),
    };

    /// Reads `{[Fun0, Fun1, …], Pid, [TableFun0, TableFun1, …]}`.
    pub(super) fn read(heap: &Heap, value: Value, live: bool) -> Result<Stubs> {
        let malformed = || ProtocolError::Malformed("stubs");
        if heap.tuple_arity(value) != Some(3) {
            return Err(malformed());
        }
        let [funs, pid, tables] = [0, 1, 2].map(|index| heap.element(value, index));
        let (funs, tables) = (templates(heap, funs)?, templates(heap, tables)?);
        let pid = foreign(heap, pid).ok_or_else(malformed)?;
        Ok(Stubs { funs, pid, tables, live, ..Stubs::NONE })
    }

    /// Processes of the VM that stand for processes of the machine.
    pub fn add_deputies(&mut self, deputies: Vec<(u64, Vec<u8>)>) {
        for (number, pid) in deputies {
            self.stand_for.insert(pid.clone(), number);
            self.deputies.insert(number, pid);
        }
    }

    /// True if a process other than the first one has a process of the VM.
    pub(super) fn has_deputy(&self, number: u64) -> bool {
        self.deputies.contains_key(&number)
    }

    /// What stands for a fun, process or reference of the machine. A process that has no deputy yet is noted as missing, and the first one
    /// stands for it meanwhile.
    pub(super) fn stand_in(&self, heap: &Heap, value: Value, missing: &mut Vec<u64>) -> Option<Vec<u8>> {
        match heap.view(value) {
            View::Closure(ptr) if table::is_table(heap, ptr) => self.table(heap, value, missing),
            View::Closure(ptr) => self.fun(NO_NUMBER, heap.closure(ptr).1),
            View::Virtual(identifier) => match identifier.as_identifier() {
                (VirtualKind::Fun, number) => self.fun((number >> 8) as u32 + FIRST_NUMBER, (number & 0xff) as usize),
                (VirtualKind::Pid, pid) => self.process(pid, missing),
                (VirtualKind::Reference, number) => self.reference(number),
            },
            _ => None,
        }
    }

    fn process(&self, number: u64, missing: &mut Vec<u64>) -> Option<Vec<u8>> {
        if self.live && number != 0 {
            if let Some(deputy) = self.deputies.get(&number) {
                return Some(deputy.clone());
            }
            missing.push(number);
        }
        (!self.pid.is_empty()).then(|| self.pid.clone())
    }

    fn fun(&self, number: u32, arity: usize) -> Option<Vec<u8>> {
        let template = self.funs.get(arity)?;
        let mut etf = template.etf.clone();
        for (to, from) in etf.iter_mut().skip(template.at + 1).zip(number.to_be_bytes()) {
            *to = from;
        }
        Some(etf)
    }

    /// The node of the pid, with its length, and the creation that follows the pid's two words.
    fn node(&self) -> Option<(&[u8], &[u8])> {
        let node = self.pid.get(1..self.pid.len().checked_sub(12)?)?;
        let creation = self.pid.get(self.pid.len() - 4..)?;
        Some((node, creation))
    }

    fn reference(&self, number: u64) -> Option<Vec<u8>> {
        let (node, creation) = self.node()?;
        let low = number as u32 & ((1 << REFERENCE_BITS) - 1);
        let words = [low, REFERENCE_MARK, (number >> REFERENCE_BITS) as u32];
        let mut etf = vec![NEWER_REFERENCE, 0, words.len() as u8];
        etf.extend(node);
        etf.extend(creation);
        etf.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        Some(etf)
    }

    /// The machine's own value for a term of the VM that stands for one.
    pub(super) fn recognise(&self, heap: &mut Heap, etf: &[u8]) -> Option<Value> {
        if !self.pid.is_empty() && etf == self.pid {
            return Some(Value::identifier(VirtualKind::Pid, 0));
        }
        if let Some(number) = self.stand_for.get(etf) {
            return Some(Value::identifier(VirtualKind::Pid, *number));
        }
        let own = self.recognise_fun(etf).or_else(|| self.recognise_reference(etf));
        own.or_else(|| self.recognise_table(heap, etf))
    }

    fn recognise_fun(&self, etf: &[u8]) -> Option<Value> {
        let (arity, template) = self.funs.iter().enumerate().find(|(_, template)| {
            let number = template.at + 1..template.at + PLACEHOLDER.len();
            template.etf.len() == etf.len()
                && template.etf.iter().zip(etf).enumerate().all(|(i, (a, b))| a == b || number.contains(&i))
        })?;
        let number: [u8; 4] = etf.get(template.at + 1..template.at + PLACEHOLDER.len())?.try_into().ok()?;
        let number = u32::from_be_bytes(number).checked_sub(FIRST_NUMBER)?;
        Some(Value::identifier(VirtualKind::Fun, (u64::from(number) << 8) | arity as u64))
    }

    fn recognise_reference(&self, etf: &[u8]) -> Option<Value> {
        let (node, creation) = self.node()?;
        let words = etf.strip_prefix(&[NEWER_REFERENCE, 0, 3])?.strip_prefix(node)?.strip_prefix(creation)?;
        let mut words = words.chunks_exact(4).filter_map(|word| Some(u32::from_be_bytes(word.try_into().ok()?)));
        let (low, mark, high) = (words.next()?, words.next()?, words.next()?);
        let number = u64::from(low) | (u64::from(high) << REFERENCE_BITS);
        (mark == REFERENCE_MARK).then(|| Value::identifier(VirtualKind::Reference, number))
    }
}

/// Table funs: the placeholder is overwritten with the table, so that they differ in size from their template.
impl Stubs {
    /// What a table fun is on the VM.
    fn table(&self, heap: &Heap, fun: Value, missing: &mut Vec<u64>) -> Option<Vec<u8>> {
        let template = self.tables.get(table::fun_arity(heap, fun)?)?;
        let content = table::content(heap, fun)?;
        let content =
            with_stack(STACK, || etf::encode_with(heap, content, &mut |value| self.stand_in(heap, value, missing)));
        let content = content.ok()?;
        let mut written = template.etf.get(..template.at)?.to_vec();
        written.extend(content.get(1..)?);
        written.extend(template.etf.get(template.at + PLACEHOLDER.len()..)?);
        let size = u32::try_from(written.len() - 1).ok()?.to_be_bytes();
        for (to, from) in written.iter_mut().skip(1).zip(size) {
            *to = from;
        }
        Some(written)
    }

    /// The table fun of the machine that a fun of the VM is.
    pub(super) fn recognise_table(&self, heap: &mut Heap, etf: &[u8]) -> Option<Value> {
        let Ok(Foreign::Fun(fun)) = Foreign::parse(etf) else { return None };
        let is_alike =
            |template: &Template| matches!(Foreign::parse(&template.etf), Ok(Foreign::Fun(own)) if own.is_alike(&fun));
        let arity = self.tables.iter().position(is_alike)?;
        let content = [&[VERSION], fun.captured.1.as_slice()].concat();
        let recognise = &mut |heap: &mut Heap, etf: &[u8]| self.recognise(heap, etf);
        let content = with_stack(STACK, || etf::decode_with(heap, &content, recognise)).ok()?;
        (heap.tuple_arity(content) == Some(2)).then(|| table::from_content(heap, arity, content))
    }
}

/// The number of a process of the machine.
pub(super) fn process(value: Value) -> Option<u64> {
    let is_pid = value.tag() == Tag::Virtual && value.as_identifier().0 == VirtualKind::Pid;
    is_pid.then(|| value.as_identifier().1)
}

pub(super) fn foreign(heap: &Heap, value: Value) -> Option<Vec<u8>> {
    match heap.view(value) {
        View::Foreign(ptr) => Some(heap.foreign_bytes(ptr)),
        _ => None,
    }
}

/// Funs with a placeholder each.
fn templates(heap: &Heap, list: Value) -> Result<Vec<Template>> {
    let mut templates = Vec::new();
    let mut rest = list;
    while rest.is_cons() {
        let template = foreign(heap, heap.head(rest)).and_then(|etf| {
            let at = etf.windows(PLACEHOLDER.len()).position(|window| window == PLACEHOLDER)?;
            Some(Template { etf, at })
        });
        templates.push(template.ok_or(ProtocolError::Malformed("stubs"))?);
        rest = heap.tail(rest);
    }
    Ok(templates)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::term::Literals;

    /// Stubs of two arities whose funs are written like those of the VM, as far as it matters here.
    fn stubs() -> Stubs {
        let fun = |arity: u8| Template { etf: [&[112, 0, arity], &PLACEHOLDER[..], &[7]].concat(), at: 3 };
        let pid = [&[88, 119, 1, b'n'][..], &[0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 3]].concat();
        let table = |arity: u8| {
            let head =
                [&[112, 0, 0, 0, 0, arity][..], &[0; 16], &[0, 0, 0, arity, 0, 0, 0, 1], &[119, 1, b'm', 97, 0, 97, 0]];
            let etf = [&head.concat(), &pid[..], &PLACEHOLDER[..]].concat();
            Template { at: etf.len() - PLACEHOLDER.len(), etf }
        };
        let tables = vec![table(0), table(1)];
        Stubs { funs: vec![fun(0), fun(1)], pid, tables, live: true, ..Stubs::NONE }
    }

    #[test]
    fn what_leaves_the_machine_is_recognised_when_it_comes_back() {
        let stubs = stubs();
        let mut heap = Heap::new(Literals::default());
        for (kind, number) in [
            (VirtualKind::Fun, (5 << 8) | 1),
            (VirtualKind::Fun, 0),
            (VirtualKind::Pid, 0),
            (VirtualKind::Reference, 0),
            (VirtualKind::Reference, 1 << 20),
        ] {
            let value = Value::identifier(kind, number);
            let etf = stubs.stand_in(&heap, value, &mut Vec::new());
            assert_eq!(etf.and_then(|etf| stubs.recognise(&mut heap, &etf)), Some(value));
        }
    }

    #[test]
    fn table_funs_inside_table_funs_come_back_as_they_were() {
        let stubs = stubs();
        let mut heap = Heap::new(Literals::default());
        let inner = table::table_fun(&mut heap, 0, &[], Value::count(7));
        let args = heap.list([inner], Value::NIL);
        let fun = table::table_fun(&mut heap, 1, &[(args, inner)], Value::NIL);
        let etf = stubs.stand_in(&heap, fun, &mut Vec::new()).unwrap();
        assert_eq!(u32::from_be_bytes(etf[1..5].try_into().unwrap()) as usize, etf.len() - 1);
        let back = stubs.recognise(&mut heap, &etf).unwrap();
        assert!(crate::term::order::identical(&heap, fun, back));
    }

    #[test]
    fn a_fun_of_an_arity_without_template_cannot_leave() {
        let mut heap = Heap::new(Literals::default());
        let closure = heap.closure_of(1, 2, &[]);
        assert_eq!(stubs().stand_in(&heap, closure, &mut Vec::new()), None);
    }

    #[test]
    fn a_process_without_a_deputy_is_missing_until_it_has_one() {
        let mut stubs = stubs();
        let mut heap = Heap::new(Literals::default());
        let (process, mut missing) = (Value::identifier(VirtualKind::Pid, 3), Vec::new());
        stubs.stand_in(&heap, process, &mut missing);
        assert_eq!(missing, [3]);
        stubs.add_deputies(vec![(3, vec![88, 1])]);
        assert_eq!(stubs.stand_in(&heap, process, &mut missing), Some(vec![88, 1]));
        assert_eq!(missing, [3]);
        assert_eq!(stubs.recognise(&mut heap, &[88, 1]), Some(process));
    }

    #[test]
    fn other_terms_of_the_vm_are_not_taken_for_our_own() {
        let mut heap = Heap::new(Literals::default());
        for etf in [&[112, 0, 2][..], &[88, 119, 1, b'n', 0, 0, 0, 8], &[90, 0, 3, 119, 1, b'n'], &[]] {
            assert_eq!(stubs().recognise(&mut heap, etf), None);
        }
    }
}
