//! Accuracy requirements of functions: a bound for each, fixed before measuring and no looser than the table "Precision
//! of Operations" in the Vulkan specification. `tests/accuracy.rs` checks the functions against it.
//!
//! Operations that are not listed (sums, products, conversions, rounding, comparisons, packing, …) are correctly
//! rounded or exact.

use crate::op::{Op1, Op2};

/// The permitted distance from the exact result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bound {
    /// In units in the last place of the exact result.
    Ulp(f64),
    /// An absolute error, and only for operands of at most this magnitude.
    Absolute {
        /// The largest absolute error.
        error: f64,
        /// The largest magnitude of the operand.
        within: f64,
    },
    /// `constant + factor * |x|` units in the last place, where `x` is the operand, or the exponent of a power.
    Growing {
        /// The bound for small operands.
        constant: f64,
        /// The increase per unit of the operand.
        factor: f64,
    },
    /// In units in the last place, except for operands in [0.5, 2], where the error is absolute.
    NearOne {
        /// The bound away from 1, in units in the last place.
        ulp: f64,
        /// The absolute error in [0.5, 2].
        error: f64,
    },
    /// Inherited from the expression it is defined by.
    Derived,
}

/// The bounds of a function of one operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Budget<O> {
    /// The function.
    pub op: O,
    /// Our bound for 32-bit floats, in units in the last place, for all operands.
    pub single: f64,
    /// Our bound for 64-bit floats.
    pub double: f64,
    /// Vulkan's bound for 32-bit floats.
    pub vulkan: Bound,
}

const fn budget<O>(op: O, single: f64, double: f64, vulkan: Bound) -> Budget<O> {
    Budget { op, single, double, vulkan }
}

const ANGLE: Bound = Bound::Absolute { error: 1.0 / 2048.0, within: std::f64::consts::PI };
const EXP: Bound = Bound::Growing { constant: 3.0, factor: 2.0 };
const LOG: Bound = Bound::NearOne { ulp: 3.0, error: 1.0 / 2_097_152.0 };

/// Functions of one operand.
///
/// A bound slightly above one half means that the result is the nearest float except near ties.
pub const FUNCTIONS1: &[Budget<Op1>] = &[
    budget(Op1::FSqrt, 0.5, 0.5, Bound::Derived),
    budget(Op1::FInverseSqrt, 0.51, 1.5, Bound::Ulp(2.0)),
    budget(Op1::FExp, 0.51, 1.0, EXP),
    budget(Op1::FExp2, 0.51, 1.0, EXP),
    budget(Op1::FLog, 0.51, 1.0, LOG),
    budget(Op1::FLog2, 0.51, 1.0, LOG),
    budget(Op1::FSin, 0.51, 1.0, ANGLE),
    budget(Op1::FCos, 0.51, 1.0, ANGLE),
    budget(Op1::FTan, 0.51, 1.0, Bound::Derived),
    budget(Op1::FAsin, 0.51, 1.0, Bound::Derived),
    budget(Op1::FAcos, 0.51, 1.0, Bound::Derived),
    budget(Op1::FAtan, 0.51, 1.0, Bound::Ulp(4096.0)),
    budget(Op1::FSinh, 0.51, 2.0, Bound::Derived),
    budget(Op1::FCosh, 0.51, 2.0, Bound::Derived),
    budget(Op1::FTanh, 0.51, 3.0, Bound::Derived),
    budget(Op1::FAsinh, 0.51, 3.0, Bound::Derived),
    budget(Op1::FAcosh, 0.51, 3.0, Bound::Derived),
    budget(Op1::FAtanh, 0.51, 3.0, Bound::Derived),
];

/// Functions of two operands.
pub const FUNCTIONS2: &[Budget<Op2>] = &[
    budget(Op2::FDiv, 0.5, 0.5, Bound::Ulp(2.5)),
    budget(Op2::FPow, 0.51, 1.0, Bound::Derived),
    budget(Op2::FAtan2, 0.51, 1.0, Bound::Ulp(4096.0)),
];
