//! The places where the runs of a report decided, for people: where it is and what was asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::inputs::Paths;
use crate::bif;
use crate::code::CodeView;
use crate::code::ir::{Arithmetic, Comparison, FnId, Function, Instr, Mfa, Operand, Src};
use crate::path::SiteId;
use crate::sym::Tags;
use crate::term::{AtomId, Heap, print};

/// A place where a run decided.
#[derive(Clone, Debug)]
pub struct Site {
    pub mfa: Mfa,
    pub file: Arc<str>,
    pub line: u32,
    /// What was asked there, such as `> 42` or `tuple of 2`.
    pub test: String,
}

/// The sites of all decisions of the paths; `entry` is the function under test.
pub fn sites(view: &CodeView, entry: FnId, paths: &Paths) -> BTreeMap<u32, Site> {
    let decisions = paths.all().iter().flat_map(|path| &path.decisions);
    let mut sites = BTreeMap::new();
    for (site, _) in decisions {
        if sites.contains_key(&site.0) {
            continue;
        }
        let described = if *site == SiteId::RESULT { result(view, entry) } else { describe(view, *site) };
        sites.extend(described.map(|described| (site.0, described)));
    }
    sites
}

/// A place where a run can decide, for people.
pub fn describe(view: &CodeView, site: SiteId) -> Option<Site> {
    let (function, at) = view.site(site)?;
    let test = function.code.get(at).map_or_else(String::new, |instr| test(view, function, instr));
    Some(place(view, function, at, test))
}

/// What is asked about a result has the function under test as its place.
fn result(view: &CodeView, entry: FnId) -> Option<Site> {
    Some(place(view, view.function(entry)?, 0, "result, by its spec".to_owned()))
}

fn place(view: &CodeView, function: &Function, at: usize, test: String) -> Site {
    let line = function.line(at);
    let file = view.module(function.module).and_then(|module| module.files.get(line.file()));
    let file = file.map_or_else(|| Arc::from(""), Arc::clone);
    Site { mfa: function.mfa, file, line: line.number(), test }
}

/// What an instruction asks about its operand. Those that ask about the inside of a bitstring are not told apart.
fn test(view: &CodeView, function: &Function, instr: &Instr) -> String {
    match instr {
        Instr::IsCons { .. } => "[_ | _]".to_owned(),
        Instr::IsTuple { arity, .. } => format!("tuple of {arity}"),
        Instr::IsLiteral { literal, .. } => format!("=:= {}", operand(view, function, *literal)),
        Instr::IsTrue { .. } => "true".to_owned(),
        Instr::IsType { tags, .. } => type_name(*tags),
        Instr::Compare { op, a, b, .. } => {
            format!("{} {} {}", operand(view, function, *a), comparison(*op), operand(view, function, *b))
        }
        Instr::Arithmetic { op, .. } => format!("arguments of {}", arithmetic(*op)),
        Instr::Bif { bif, .. } => bif::name(*bif).map_or_else(String::new, called),
        Instr::CallRemote { mfa, .. } | Instr::TailCallRemote { mfa, .. } => {
            view.mfa(*mfa).map_or_else(String::new, called)
        }
        Instr::MapElement { key, .. } => format!("key {}", operand(view, function, *key)),
        Instr::UpdateMap { .. } => "map to update".to_owned(),
        Instr::BitsStart { .. }
        | Instr::BitsInteger { .. }
        | Instr::BitsTake { .. }
        | Instr::BitsSkip { .. }
        | Instr::BitsRest { .. }
        | Instr::BitsUnits { .. }
        | Instr::BitsLiteral { .. }
        | Instr::BitsEnd { .. } => "segment of a bitstring".to_owned(),
        Instr::BitsBuild { .. } => "bitstring to build".to_owned(),
        Instr::CallFun { .. } | Instr::TailCallFun { .. } => "function to call".to_owned(),
        Instr::CallNamed { .. } | Instr::TailCallNamed { .. } => "module and function to call".to_owned(),
        Instr::Apply { .. } | Instr::TailApply { .. } => "arguments of apply".to_owned(),
        _ => String::new(),
    }
}

/// A constant as it is; what a slot holds has no name any more.
fn operand(view: &CodeView, function: &Function, src: Src) -> String {
    match src.operand() {
        Operand::Slot(_) => "_".to_owned(),
        Operand::Constant(index) => match function.constants.get(index) {
            Some(value) => print::term_to_string(&Heap::new(view.literals().clone()), *value),
            None => "_".to_owned(),
        },
    }
}

fn called(mfa: Mfa) -> String {
    // A guard of several tests.
    if mfa.module == AtomId::ERLANG && matches!(&*mfa.function.name(), "and" | "or" | "xor" | "not") {
        return "guard".to_owned();
    }
    format!("arguments of {}:{}/{}", mfa.module, mfa.function, mfa.arity)
}

fn comparison(op: Comparison) -> &'static str {
    match op {
        Comparison::Lt => "<",
        Comparison::Le => "=<",
        Comparison::Gt => ">",
        Comparison::Ge => ">=",
        Comparison::Equal => "==",
        Comparison::NotEqual => "/=",
        Comparison::Same => "=:=",
        Comparison::NotSame => "=/=",
    }
}

fn arithmetic(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Add => "+",
        Arithmetic::Sub => "-",
        Arithmetic::Mul => "*",
    }
}

fn type_name(tags: Tags) -> String {
    format!("type {tags:?}")
}
