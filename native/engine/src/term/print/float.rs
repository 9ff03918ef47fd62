//! Floats with the fewest digits that read back as the same float, as `float_to_list(F, [short])` writes them.

/// From here on not every integer is a float, so digits before the decimal point would claim too much.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

pub(super) fn text(float: f64) -> String {
    let sign = if float.is_sign_negative() { "-" } else { "" };
    let scientific = shortest(float.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let plain = if float.abs() < EXACT_INTEGERS { plain(&digits, exponent) } else { None };
    let number = plain.unwrap_or_else(|| with_exponent(&digits, exponent));
    format!("{sign}{number}")
}

/// The fewest digits, with exponent. Of two that are equally close, the VM takes the even ones, as exact rounding does
/// and the shortest form of Rust does not.
fn shortest(float: f64) -> String {
    let shortest = format!("{float:e}");
    let Some((_, fraction)) = shortest.split_once('.') else { return shortest };
    let decimals = fraction.find('e').unwrap_or(0);
    let even = format!("{float:.decimals$e}");
    if even.parse() == Ok(float) { even } else { shortest }
}

/// Without exponent, unless that is longer.
fn plain(digits: &str, exponent: i32) -> Option<String> {
    let point = exponent + 1;
    let length = digits.len() as i32;
    let cost = exponent.to_string().len() as i32 + if length == 1 { 3 } else { 2 };
    let zeros = |count: i32| "0".repeat(count.unsigned_abs() as usize);
    if point <= 0 {
        (point == 0 || 2 - point <= cost).then(|| format!("0.{}{digits}", zeros(point)))
    } else if point >= length {
        (point - length + 2 <= cost).then(|| format!("{digits}{}.0", zeros(point - length)))
    } else {
        let (whole, fraction) = digits.split_at_checked(point.unsigned_abs() as usize)?;
        Some(format!("{whole}.{fraction}"))
    }
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    match digits.split_at_checked(1) {
        Some((first, "")) => format!("{first}.0e{exponent}"),
        Some((first, rest)) => format!("{first}.{rest}e{exponent}"),
        None => "0.0".to_string(),
    }
}
