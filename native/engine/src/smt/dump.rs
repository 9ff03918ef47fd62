//! Questions as SMT-LIB text, to look at or to give to another solver.
//!
//! What is written is what Z3 had before it when it gave its last answer: the conditions of the prefix and of the goal, flat, with all that was
//! said beside them. All of it is one formula, so that a part that many conditions share is written once: the text grows with the number of
//! distinct expressions.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use z3::Solver;
use z3::ast::Bool;

use super::atoms::Atoms;
use super::{Answer, Model, Verdict};
use crate::term::{Packed, print};

/// Who keeps the text of questions.
pub trait Keeper: Send + Sync {
    fn keep(&self, text: &str);
}

/// Characters of one input in a comment.
const WIDTH: usize = 2_000;

/// The lines before the formula: what the question is about, its answer, and more.
pub(super) fn comment(about: &str, answer: Verdict, more: &[String]) -> String {
    let mut text = String::new();
    about.lines().for_each(|line| comment_line(&mut text, line));
    comment_line(&mut text, &format!("answer: {}", status(answer)));
    more.iter().for_each(|line| comment_line(&mut text, line));
    text
}

fn status(answer: Verdict) -> &'static str {
    match answer {
        Verdict::Sat => "sat",
        Verdict::Unsat => "unsat",
        Verdict::Unknown => "unknown",
    }
}

/// What an answer says, and which numbers stand for which atoms.
pub(super) fn details(answer: &Answer, atoms: &Atoms) -> Vec<String> {
    let mut lines = match answer {
        Answer::Sat(model) => inputs(model),
        Answer::Unsat => Vec::new(),
        Answer::Unknown(why) => vec![why.clone()],
    };
    for (atom, label) in atoms.all() {
        let mut line = format!("atom {label}: ");
        // Writing to a string cannot fail.
        let _ = print::write_atom(&mut line, &atom.name());
        lines.push(line);
    }
    lines
}

fn inputs(model: &Model) -> Vec<String> {
    let line = |(number, input): (usize, &Packed)| {
        let (heap, root) = input.open();
        let mut value = print::term_to_string(&heap, root);
        if let Some((at, _)) = value.char_indices().nth(WIDTH) {
            value.truncate(at);
            value.push('…');
        }
        format!("x{number} = {value}")
    };
    let given = model.inputs.iter().enumerate().filter_map(|(number, input)| Some((number, input.as_ref()?)));
    given.map(line).collect()
}

/// A comment, whatever is in it: no character of it ends the line.
fn comment_line(text: &mut String, line: &str) {
    let plain: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "; {plain}");
}

/// The assertions with all declarations, and `(check-sat)`. Plain `z3` complains if its answer is not this one.
pub(super) fn script(assertions: &[Bool], answer: Verdict) -> String {
    let solver = Solver::new();
    solver.assert(Bool::and(assertions));
    let text = renumbered(&solver.to_smt2());
    // The binding's own first lines: a comment and an unknown status.
    let body = text.split_once("(set-info :status unknown)\n").map_or(text.as_str(), |(_, body)| body);
    format!("(set-info :status {})\n{body}", status(answer))
}

/// The text with its local names, which Z3 makes of numbers of its own, counted from 1: so the same question has the same text each time.
fn renumbered(text: &str) -> String {
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['?', '$']) {
        let (before, name) = rest.split_at(at);
        out.push_str(before);
        let (sigil, number) = name.split_at(1);
        let digits = number.strip_prefix('x').map_or(0, |number| number.bytes().take_while(u8::is_ascii_digit).count());
        let (old, after) = number.split_at(if digits == 0 { 0 } else { digits + 1 });
        out.push_str(sigil);
        if !old.is_empty() {
            let next = numbers.len() + 1;
            // Writing to a string cannot fail.
            let _ = write!(out, "x{}", numbers.entry(old).or_insert(next));
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
