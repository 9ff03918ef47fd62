//! Functions that the solver knows by examples only: it takes them for any function at all, and is told what they really are where a
//! model asks for it.

use num_bigint::BigInt;

use super::expr::Sort;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Function {
    /// The 32 bits behind `phash2`, of any term.
    Hash,
    /// Of floats, to floats.
    Math(Math),
    /// The float that so many bits are (16, 32 or 64, of an integer), which are known to be those of one.
    FloatOfBits(u32),
    /// The bits of a float as an integer. What is too large for so few is infinite.
    BitsOfFloat(u32),
}

/// Functions of module `math` of one or two floats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Math {
    Acos,
    Asin,
    Atan,
    Atan2,
    Cos,
    Cosh,
    Exp,
    Fmod,
    Log,
    Log10,
    Log2,
    Pow,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
}

impl Function {
    pub const fn sort(self) -> Sort {
        match self {
            Function::Hash | Function::BitsOfFloat(_) => Sort::Int,
            Function::Math(_) | Function::FloatOfBits(_) => Sort::Real,
        }
    }

    /// The name in formulas.
    pub fn name(self) -> String {
        match self {
            Function::Hash => "hash".to_owned(),
            Function::Math(math) => format!("{math:?}").to_lowercase(),
            Function::FloatOfBits(size) => format!("float_of_bits_{size}"),
            Function::BitsOfFloat(size) => format!("bits_of_float_{size}"),
        }
    }

    /// The least and the largest result, of functions with integer results.
    pub fn bounds(self) -> Option<(BigInt, BigInt)> {
        match self {
            Function::Hash => Some((BigInt::ZERO, BigInt::from(u32::MAX))),
            Function::BitsOfFloat(size) => Some((BigInt::ZERO, (BigInt::from(1) << size) - 1)),
            Function::Math(_) | Function::FloatOfBits(_) => None,
        }
    }
}

impl Math {
    pub const fn arity(self) -> usize {
        match self {
            Math::Atan2 | Math::Fmod | Math::Pow => 2,
            Math::Acos
            | Math::Asin
            | Math::Atan
            | Math::Cos
            | Math::Cosh
            | Math::Exp
            | Math::Log
            | Math::Log10
            | Math::Log2
            | Math::Sin
            | Math::Sinh
            | Math::Sqrt
            | Math::Tan
            | Math::Tanh => 1,
        }
    }

    /// Through the C library that the VM uses too. The second argument is only for functions of two.
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Math::Acos => a.acos(),
            Math::Asin => a.asin(),
            Math::Atan => a.atan(),
            Math::Atan2 => a.atan2(b),
            Math::Cos => a.cos(),
            Math::Cosh => a.cosh(),
            Math::Exp => a.exp(),
            Math::Fmod => a % b,
            Math::Log => a.ln(),
            Math::Log10 => a.log10(),
            Math::Log2 => a.log2(),
            Math::Pow => a.powf(b),
            Math::Sin => a.sin(),
            Math::Sinh => a.sinh(),
            Math::Sqrt => a.sqrt(),
            Math::Tan => a.tan(),
            Math::Tanh => a.tanh(),
        }
    }
}
