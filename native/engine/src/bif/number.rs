//! Numbers as the VM has them: how large integers may be, and how they become floats.

use num_bigint::BigInt;

use super::bad;
use crate::machine::Failure;
use crate::release;
use crate::term::{AtomId, BoxKind, Heap, Value};

pub(super) fn badarith() -> Failure {
    bad(AtomId::BADARITH)
}

pub(super) fn system_limit() -> Failure {
    bad(AtomId::SYSTEM_LIMIT)
}

/// The integer as a value, if the VM could have it.
pub(super) fn integer_value(heap: &mut Heap, int: &BigInt) -> Result<Value, Failure> {
    if int.bits() > release::largest_integer_bits() { Err(system_limit()) } else { Ok(heap.bigint(int)) }
}

/// The number as the VM makes a float of it, word by word and rounding each time. `None` if it is too large.
pub(crate) fn float_of_big(int: &BigInt) -> Option<f64> {
    const BASE: f64 = 18_446_744_073_709_551_616.0;
    if let Ok(small) = i64::try_from(int) {
        return Some(small as f64);
    }
    let magnitude = int.iter_u64_digits().rev().fold(0.0, |sum, word| sum * BASE + word as f64);
    let float = if int.sign() == num_bigint::Sign::Minus { -magnitude } else { magnitude };
    float.is_finite().then_some(float)
}

/// A float, or a small integer as a float, if the value is one and not symbolic.
#[inline]
pub(super) fn plain_float(heap: &Heap, value: Value) -> Option<f64> {
    if value.is_small() {
        return Some(value.as_small() as f64);
    }
    (value.is_boxed() && heap.header(value).kind() == BoxKind::Float)
        .then(|| f64::from_bits(heap.word(value.ptr().plus(1))))
}
