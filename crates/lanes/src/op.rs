//! The operations. Prefix `F` is for floats, `S` for signed and `U` for unsigned integers, `I` for either; the width of
//! the words determines the width of the type.

/// Operations on one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Op1 {
    /// Flips the sign bit, of a NaN too.
    FNeg,
    /// Clears the sign bit, of a NaN too.
    FAbs,
    /// 1, -1, or the zero itself; 0 for a NaN.
    FSign,
    /// The next integer below.
    FFloor,
    /// The next integer above.
    FCeil,
    /// The next integer towards zero.
    FTrunc,
    /// The nearest integer, halves away from zero: OpenCL's `round`. GLSL leaves the direction for halves open; drivers
    /// use [`Op1::FRoundEven`].
    FRoundAway,
    /// The nearest integer, halves to the even one.
    FRoundEven,
    /// `x - floor(x)`, which rounds to 1 for small negative numbers.
    FFract,
    /// The fraction that `modf` returns: `x - trunc(x)` with the sign of `x`, a zero for infinities.
    FModf,
    /// Correctly rounded.
    FSqrt,
    /// `1 / sqrt(x)`.
    FInverseSqrt,
    /// e to the power of `x`.
    FExp,
    /// 2 to the power of `x`.
    FExp2,
    /// Natural logarithm; NaN below zero.
    FLog,
    /// Binary logarithm; NaN below zero.
    FLog2,
    /// Sine, for every finite angle, however large.
    FSin,
    /// Cosine, for every finite angle, however large.
    FCos,
    /// Tangent, for every finite angle, however large.
    FTan,
    /// NaN outside of [-1, 1].
    FAsin,
    /// NaN outside of [-1, 1].
    FAcos,
    /// In [-pi/2, pi/2].
    FAtan,
    /// Hyperbolic sine.
    FSinh,
    /// Hyperbolic cosine.
    FCosh,
    /// Hyperbolic tangent.
    FTanh,
    /// Inverse of the hyperbolic sine.
    FAsinh,
    /// Inverse of the hyperbolic cosine; NaN below 1.
    FAcosh,
    /// Inverse of the hyperbolic tangent; NaN outside of [-1, 1].
    FAtanh,
    /// What `frexp` returns: in [0.5, 1), or the operand if it is zero, infinite or NaN.
    FFrexpMantissa,
    /// The exponent of `frexp`, as a signed integer of the operand's width; 0 for zero, infinities and NaN.
    FFrexpExponent,
    /// Two's complement; the least integer is unchanged.
    INeg,
    /// The absolute value; the least integer is unchanged.
    SAbs,
    /// -1, 0 or 1.
    SSign,
    /// All bits flipped.
    INot,
    /// Logical negation of a boolean.
    BNot,
    /// Bits in reverse order.
    BitReverse,
    /// The number of bits that are one.
    BitCount,
    /// Number of the lowest bit that is one, or -1.
    FindLsb,
    /// Number of the highest bit that differs from the sign, or -1.
    SFindMsb,
    /// Number of the highest bit that is one, or -1.
    UFindMsb,
    /// The number of zero bits above the highest one.
    LeadingZeros,
    /// The number of zero bits below the lowest one.
    TrailingZeros,
    /// Low (`false`) or high half-precision float of a 32-bit word, as 32-bit float.
    UnpackHalf(bool),
    /// Low or high 16 bits of a 32-bit word, as a float in [0, 1].
    UnpackUnorm16(bool),
    /// Low or high 16 bits of a 32-bit word, as a float in [-1, 1].
    UnpackSnorm16(bool),
    /// Byte 0 to 3 of a 32-bit word, as a float in [0, 1].
    UnpackUnorm8(u8),
    /// Byte 0 to 3 of a 32-bit word, as a float in [-1, 1].
    UnpackSnorm8(u8),
}

/// Operations on two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Op2 {
    /// Sum.
    FAdd,
    /// Difference.
    FSub,
    /// Product.
    FMul,
    /// Quotient, correctly rounded; by zero an infinity or NaN.
    FDiv,
    /// `x - y * floor(x / y)`, each step rounded, as the specification writes it: the sign is that of `y`.
    FMod,
    /// The exact remainder with the sign of `x`: C's `fmod`.
    FRem,
    /// The lesser. A number is preferred to NaN; if they are equal, the first.
    FMin,
    /// The greater. A number is preferred to NaN; if they are equal, the first.
    FMax,
    /// `step(edge, x)`: 0 if `x < edge`, else 1.
    FStep,
    /// Power: `exp2(y * log2(x))`, therefore NaN for `x < 0`. Where GLSL leaves the result undefined otherwise, it is
    /// C's: 1 if `y` is 0 or `x` is 1, infinity for negative powers of zero.
    FPow,
    /// `atan(y, x)` with C's results for zeros and infinities: `atan(0, 0)` is 0.
    FAtan2,
    /// `x * 2^y`, rounded once; `y` is a signed integer of the same width as `x`.
    FLdexp,
    /// Sum, wrapping.
    IAdd,
    /// Difference, wrapping.
    ISub,
    /// Lower half of the product.
    IMul,
    /// Quotient towards zero. By zero: all ones. The least integer by -1: itself.
    SDiv,
    /// Quotient. By zero: all ones.
    UDiv,
    /// Remainder with the sign of the first. By zero: all ones.
    SRem,
    /// Remainder. By zero: all ones.
    URem,
    /// Upper half of the signed product.
    SMulHigh,
    /// Upper half of the unsigned product.
    UMulHigh,
    /// 1 if the unsigned sum wraps.
    UCarry,
    /// 1 if the unsigned difference wraps.
    UBorrow,
    /// The lesser.
    SMin,
    /// The lesser.
    UMin,
    /// The greater.
    SMax,
    /// The greater.
    UMax,
    /// Left shift by the amount modulo the width.
    Shl,
    /// Arithmetic right shift by the amount modulo the width.
    SShr,
    /// Logical right shift by the amount modulo the width.
    UShr,
    /// Bitwise; also for booleans.
    And,
    /// Bitwise; also for booleans.
    Or,
    /// Bitwise; also for booleans.
    Xor,
    /// Saturating sum.
    SAddSat,
    /// Saturating sum.
    UAddSat,
    /// Saturating difference.
    SSubSat,
    /// Saturating difference.
    USubSat,
    /// Half the sum, rounded down.
    SHalfAdd,
    /// Half the sum, rounded down.
    UHalfAdd,
    /// Half the sum, rounded up.
    SHalfAddUp,
    /// Half the sum, rounded up.
    UHalfAddUp,
    /// Distance of two signed integers, as unsigned integer.
    SAbsDiff,
    /// Distance of two unsigned integers.
    UAbsDiff,
    /// Two 32-bit floats to half precision; the first is in the low bits.
    PackHalf,
    /// Two 32-bit floats to 16-bit fixed point in [0, 1]; a NaN becomes 0.
    PackUnorm16,
    /// Two 32-bit floats to 16-bit fixed point in [-1, 1]; a NaN becomes 0.
    PackSnorm16,
}

/// Operations on three operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Op3 {
    /// `a * b + c`, rounded once.
    FFma,
    /// `min(max(x, low), high)`.
    FClamp,
    /// `min(max(x, low), high)`.
    SClamp,
    /// `min(max(x, low), high)`.
    UClamp,
    /// Bits of a value from an offset on, sign-extended. No bits give 0; bits beyond the word are ignored.
    SBitfieldExtract,
    /// Bits of a value from an offset on, zero-extended. No bits give 0; bits beyond the word are ignored.
    UBitfieldExtract,
}

/// Operations on four operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Op4 {
    /// `bitfieldInsert(base, insert, offset, bits)`. Bits beyond the word are dropped.
    BitfieldInsert,
    /// Four 32-bit floats to bytes in [0, 1], the first in the low bits; a NaN becomes 0.
    PackUnorm8,
    /// Four 32-bit floats to bytes in [-1, 1], the first in the low bits; a NaN becomes 0.
    PackSnorm8,
}

/// Predicates on one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Test1 {
    /// Not a number.
    IsNan,
    /// An infinity of either sign.
    IsInf,
    /// Any bit is one.
    NonZero,
}

/// Predicates on two operands. All but [`Test2::FNe`] are false if an operand is NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Test2 {
    /// Equal; zeros of both signs are equal.
    FEq,
    /// Not equal, true if an operand is NaN.
    FNe,
    /// Less.
    FLt,
    /// Less or equal.
    FLe,
    /// Greater.
    FGt,
    /// Greater or equal.
    FGe,
    /// Equal bits.
    IEq,
    /// Different bits.
    INe,
    /// Less.
    SLt,
    /// Less or equal.
    SLe,
    /// Greater.
    SGt,
    /// Greater or equal.
    SGe,
    /// Less.
    ULt,
    /// Less or equal.
    ULe,
    /// Greater.
    UGt,
    /// Greater or equal.
    UGe,
}

impl Op1 {
    /// Whether the operation treats its operand, and its result, as floats.
    #[must_use]
    pub fn floats(self) -> (bool, bool) {
        use Op1::*;
        match self {
            // Sign operations only change bits, and keep denormals even on hardware that flushes them elsewhere.
            FNeg | FAbs => (false, false),
            FFrexpExponent => (true, false),
            FSign | FFloor | FCeil | FTrunc | FRoundAway | FRoundEven | FFract | FModf | FSqrt | FInverseSqrt
            | FExp | FExp2 | FLog | FLog2 | FSin | FCos | FTan | FAsin | FAcos | FAtan | FSinh | FCosh | FTanh
            | FAsinh | FAcosh | FAtanh | FFrexpMantissa => (true, true),
            INeg | SAbs | SSign | INot | BNot | BitReverse | BitCount | FindLsb | SFindMsb | UFindMsb
            | LeadingZeros | TrailingZeros => (false, false),
            UnpackHalf(_) | UnpackUnorm16(_) | UnpackSnorm16(_) | UnpackUnorm8(_) | UnpackSnorm8(_) => (false, false),
        }
    }
}

impl Op2 {
    /// Whether the operation treats each operand, and its result, as floats.
    #[must_use]
    pub fn floats(self) -> (bool, bool, bool) {
        use Op2::*;
        match self {
            FAdd | FSub | FMul | FDiv | FMod | FRem | FMin | FMax | FStep | FPow | FAtan2 => (true, true, true),
            FLdexp => (true, false, true),
            _ => (false, false, false),
        }
    }
}

impl Op3 {
    /// Whether operands and result are floats.
    #[must_use]
    pub fn floats(self) -> bool {
        matches!(self, Op3::FFma | Op3::FClamp)
    }
}

impl Test2 {
    /// Whether the operands are floats.
    #[must_use]
    pub fn floats(self) -> bool {
        use Test2::*;
        matches!(self, FEq | FNe | FLt | FLe | FGt | FGe)
    }
}
