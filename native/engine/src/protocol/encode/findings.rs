//! Coverage, inputs and paths of a report.

use std::collections::{BTreeMap, HashMap};

use super::{Builder, limit, stop_term};
use crate::report::clauses::{ClauseRow, Coverage, Reason, Share};
use crate::report::inputs::{Covering, End, Ending, Paths, Traced};
use crate::report::sites::Site;
use crate::report::{Reached, Statistics, Unended};
use crate::term::{AtomId, Packed, Value};

/// `#{clauses, all_clauses, lines, all_lines, uncovered, covered}`; the latter two name clauses.
pub(super) fn coverage(builder: &mut Builder<'_>, coverage: &Coverage) -> Value {
    let wanted = |row: &&ClauseRow, covered: bool| row.covered == covered && (covered || !row.generated);
    let mut rows = |covered: bool| {
        let rows: Vec<&ClauseRow> = coverage.rows.iter().filter(|row| wanted(row, covered)).collect();
        let rows = rows.into_iter().map(|row| clause(builder, row)).collect();
        builder.list(rows)
    };
    let (uncovered, covered) = (rows(false), rows(true));
    let fields = [
        ("clauses", share(builder, coverage.clauses(false))),
        ("all_clauses", share(builder, coverage.clauses(true))),
        ("lines", share(builder, coverage.lines(false))),
        ("all_lines", share(builder, coverage.lines(true))),
        ("uncovered", uncovered),
        ("covered", covered),
    ];
    builder.record(&fields)
}

fn share(builder: &mut Builder<'_>, share: Share) -> Value {
    builder.heap.tuple(&[Value::count(share.covered), Value::count(share.total)])
}

fn clause(builder: &mut Builder<'_>, row: &ClauseRow) -> Value {
    let fields = [
        ("mfa", builder.mfa(row.mfa)),
        ("line", Value::count(row.line as usize)),
        ("clause", reference(builder, row)),
        ("generated", Builder::atom(if row.generated { "true" } else { "false" })),
    ];
    match &row.reason {
        None => builder.record(&fields),
        Some(why) => {
            let why = ("reason", reason(builder, why));
            builder.record(&[fields.as_slice(), &[why]].concat())
        }
    }
}

/// `infeasible | {limit, Limit} | {solver, {MFA, Line} | undefined} | {concrete, [MFA]}`
fn reason(builder: &mut Builder<'_>, reason: &Reason) -> Value {
    match reason {
        Reason::Infeasible => Builder::atom("infeasible"),
        Reason::Limit(reached) => limit(builder, *reached),
        Reason::Solver(None) => builder.tagged("solver", Value::atom(AtomId::UNDEFINED)),
        Reason::Solver(Some((mfa, line))) => {
            let place = [builder.mfa(*mfa), Value::count(*line as usize)];
            let place = builder.heap.tuple(&place);
            builder.tagged("solver", place)
        }
        Reason::Concrete(functions) => {
            let functions = functions.iter().map(|mfa| builder.mfa(*mfa)).collect();
            let functions = builder.list(functions);
            builder.tagged("concrete", functions)
        }
    }
}

/// `{Module, Function, Arity, Number}`.
fn reference(builder: &mut Builder<'_>, row: &ClauseRow) -> Value {
    let mfa = row.mfa;
    let parts = [Value::atom(mfa.module), Value::atom(mfa.function), Value::count(mfa.arity), Value::count(row.index)];
    builder.heap.tuple(&parts)
}

/// `[#{input, clauses, outcome, run}]`, in the order of the runs. Of the clauses, those that count for coverage.
pub(super) fn inputs(builder: &mut Builder<'_>, statistics: &Statistics) -> Value {
    let rows = &statistics.coverage.rows;
    let references: HashMap<u32, Value> = rows.iter().map(|row| (row.number, reference(builder, row))).collect();
    let kept = statistics.inputs.kept().iter();
    let kept = kept.map(|covering| covering_input(builder, covering, rows, &references)).collect();
    builder.list(kept)
}

fn covering_input(
    builder: &mut Builder<'_>,
    covering: &Covering,
    rows: &[ClauseRow],
    references: &HashMap<u32, Value>,
) -> Value {
    let entered = rows.iter().filter(|row| covering.covered.contains(row.number));
    let clauses = entered.filter_map(|row| references.get(&row.number).copied()).collect();
    let outcome = match covering.end {
        End::Returned => "returned",
        End::Raised => "raised",
        End::Stopped => "stopped",
    };
    let fields = [
        ("input", arguments(builder, &covering.input)),
        ("clauses", builder.list(clauses)),
        ("outcome", Builder::atom(outcome)),
        ("run", builder.number(covering.run)),
    ];
    builder.record(&fields)
}

/// The inputs whose runs did not end, each with the limit that stopped it.
pub(super) fn unended(builder: &mut Builder<'_>, statistics: &Statistics) -> Value {
    let one = |unended: &Unended| {
        let limit = if unended.limit == Reached::Memory { "memory" } else { "steps" };
        let fields = [
            ("input", arguments(builder, &unended.input)),
            ("limit", Builder::atom(limit)),
            ("steps", builder.number(unended.steps)),
        ];
        builder.record(&fields)
    };
    let all = statistics.unended.iter().map(one).collect();
    builder.list(all)
}

fn arguments(builder: &mut Builder<'_>, input: &[Packed]) -> Value {
    let input = input.iter().map(|term| builder.packed(term)).collect();
    builder.list(input)
}

/// `[#{run, input, outcome, decisions, cut}]` with `decisions` as `[{Site, Taken}]`.
pub(super) fn paths(builder: &mut Builder<'_>, paths: &Paths) -> Value {
    let paths = paths.all().iter().map(|path| traced(builder, path)).collect();
    builder.list(paths)
}

fn traced(builder: &mut Builder<'_>, path: &Traced) -> Value {
    let boolean = |value: bool| Builder::atom(if value { "true" } else { "false" });
    let decisions = path.decisions.iter();
    let decisions =
        decisions.map(|(site, taken)| builder.heap.tuple(&[Value::count(site.0 as usize), boolean(*taken)])).collect();
    let fields = [
        ("run", builder.number(path.run)),
        ("input", arguments(builder, &path.input)),
        ("outcome", ending(builder, &path.ending)),
        ("decisions", builder.list(decisions)),
        ("cut", boolean(path.cut)),
    ];
    builder.record(&fields)
}

fn ending(builder: &mut Builder<'_>, ending: &Ending) -> Value {
    match ending {
        Ending::Returned(value) => {
            let value = builder.packed(value);
            builder.tagged("returned", value)
        }
        Ending::Raised(class, reason) => {
            let reason = builder.packed(reason);
            builder.heap.tuple(&[Builder::atom("raised"), Value::atom(class.atom()), reason])
        }
        Ending::Stopped(stop) => {
            let why = stop_term(builder, stop);
            builder.tagged("stopped", why)
        }
    }
}

/// `#{Site => #{mfa, file, line, test}}`.
pub(super) fn sites(builder: &mut Builder<'_>, sites: &BTreeMap<u32, Site>) -> Value {
    let pairs = sites.iter().map(|(number, site)| (Value::count(*number as usize), place(builder, site))).collect();
    builder.map(pairs)
}

fn place(builder: &mut Builder<'_>, site: &Site) -> Value {
    let fields = [
        ("mfa", builder.mfa(site.mfa)),
        ("file", builder.heap.binary(site.file.as_bytes())),
        ("line", Value::count(site.line as usize)),
        ("test", builder.heap.binary(site.test.as_bytes())),
    ];
    builder.record(&fields)
}
