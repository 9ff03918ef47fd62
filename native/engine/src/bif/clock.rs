//! Virtual time, references and unique integers: the same in every run ([`Virtuals`](crate::machine::Virtuals)).

use num_bigint::{BigInt, Sign};

use super::{Bif, BifResult, Meaning, badarg, concrete};
use crate::machine::Ctx;
use crate::term::{Heap, Value, VirtualKind};

pub(super) const BIFS: &[Bif] = &[
    concrete("make_ref", 0, |ctx, _| Ok(Value::identifier(VirtualKind::Reference, ctx.virtuals.reference()))),
    concrete("unique_integer", 0, unique_integer),
    concrete("unique_integer", 1, unique_integer),
    clock("monotonic_time", 0, |ctx, args| in_unit(ctx, args, |ctx| ctx.virtuals.monotonic_time())),
    clock("monotonic_time", 1, |ctx, args| in_unit(ctx, args, |ctx| ctx.virtuals.monotonic_time())),
    clock("system_time", 0, |ctx, args| in_unit(ctx, args, |ctx| ctx.virtuals.system_time())),
    clock("system_time", 1, |ctx, args| in_unit(ctx, args, |ctx| ctx.virtuals.system_time())),
    clock("time_offset", 0, |ctx, args| in_unit(ctx, args, |ctx| ctx.virtuals.time_offset())),
    clock("time_offset", 1, |ctx, args| in_unit(ctx, args, |ctx| ctx.virtuals.time_offset())),
    clock("timestamp", 0, timestamp),
    clock("now", 0, timestamp),
    clock("date", 0, |ctx, _| Ok(date_and_time(ctx).0)),
    clock("time", 0, |ctx, _| Ok(date_and_time(ctx).1)),
    clock("localtime", 0, pair_of_date_and_time),
    clock("universaltime", 0, pair_of_date_and_time),
];

const fn clock(name: &'static str, arity: usize, run: fn(&mut Ctx<'_>, &[Value]) -> BifResult) -> Bif {
    Bif { module: "erlang", name, arity, meaning: Meaning::Clock, run }
}

/// The smallest unique integer of the VM, unless positive ones are asked for.
const LOWEST: i64 = -(1 << 59);

fn unique_integer(ctx: &mut Ctx<'_>, args: &[Value]) -> BifResult {
    let mut is_positive = false;
    let mut rest = args.first().copied().unwrap_or(Value::NIL);
    while rest.is_cons() {
        let option = ctx.heap.head(rest);
        match &*option.as_atom().name() {
            _ if !option.is_atom() => return Err(badarg()),
            "positive" => is_positive = true,
            "monotonic" => {}
            _ => return Err(badarg()),
        }
        rest = ctx.heap.tail(rest);
    }
    if !rest.is_nil() {
        return Err(badarg());
    }
    let number = ctx.virtuals.unique();
    Ok(ctx.heap.int(if is_positive { number } else { LOWEST + number }))
}

/// How many of a unit of time make a second. Nanoseconds are the native ones.
fn parts_per_second(heap: &Heap, unit: Value) -> Option<i128> {
    if unit.is_small() {
        return (unit.as_small() > 0).then(|| i128::from(unit.as_small()));
    }
    if !unit.is_atom() {
        return heap.integer(unit).and_then(|parts| i128::try_from(parts).ok()).filter(|parts| *parts > 0);
    }
    match &*unit.as_atom().name() {
        "second" | "seconds" => Some(1),
        "millisecond" | "milli_seconds" => Some(1_000),
        "microsecond" | "micro_seconds" => Some(1_000_000),
        "nanosecond" | "nano_seconds" | "native" | "perf_counter" => Some(1_000_000_000),
        _ => None,
    }
}

fn in_unit(ctx: &mut Ctx<'_>, args: &[Value], nanoseconds: fn(&mut Ctx<'_>) -> i64) -> BifResult {
    let parts = match args.first() {
        None => 1_000_000_000,
        Some(unit) => parts_per_second(ctx.heap, *unit).ok_or_else(badarg)?,
    };
    let nanoseconds = nanoseconds(ctx);
    let product = BigInt::from(nanoseconds) * parts;
    let time = whole_seconds(&product);
    Ok(ctx.heap.bigint(&time))
}

/// A product with nanoseconds, divided by those of a second and rounded down.
fn whole_seconds(product: &BigInt) -> BigInt {
    let second = BigInt::from(1_000_000_000);
    let (quotient, remainder) = (product / &second, product % &second);
    if remainder.sign() == Sign::Minus { quotient - 1 } else { quotient }
}

/// `{MegaSeconds, Seconds, MicroSeconds}`
fn timestamp(ctx: &mut Ctx<'_>, _: &[Value]) -> BifResult {
    let microseconds = ctx.virtuals.system_time() / 1_000;
    let million = 1_000_000;
    let parts = [microseconds / million / million, microseconds / million % million, microseconds % million];
    Ok(numbers(ctx, parts))
}

fn numbers(ctx: &mut Ctx<'_>, numbers: [i64; 3]) -> Value {
    let numbers = numbers.map(|number| ctx.heap.int(number));
    ctx.heap.tuple(&numbers)
}

fn pair_of_date_and_time(ctx: &mut Ctx<'_>, _: &[Value]) -> BifResult {
    let (date, time) = date_and_time(ctx);
    Ok(ctx.heap.tuple(&[date, time]))
}

fn date_and_time(ctx: &mut Ctx<'_>) -> (Value, Value) {
    let seconds = ctx.virtuals.system_time() / 1_000_000_000;
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let time = [second / 3_600, second / 60 % 60, second % 60];
    (numbers(ctx, date_of(days)), numbers(ctx, time))
}

/// Year, month and day of a day after 1970-01-01, in the Gregorian calendar. Years begin in March here, so that a leap day is the last.
fn date_of(days: i64) -> [i64; 3] {
    const ERA: i64 = 146_097;
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    [year + era * 400 + next, month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_the_calendar_does() {
        assert_eq!(date_of(0), [1970, 1, 1]);
        assert_eq!(date_of(11_016), [2000, 2, 29]);
        assert_eq!(date_of(18_518), [2020, 9, 13]);
    }
}
