//! Conversions between component types.

use crate::types::Scalar;

/// The bit pattern of a scalar after conversion by constructor or implicitly (GLSL 4.60, 4.1.10 and 5.4.1).
///
/// The language leaves floats outside of the integer's range undefined; here they become the nearest integer, and NaN
/// becomes zero, as on most hardware.
#[must_use]
pub fn convert(from: Scalar, to: Scalar, bits: u64) -> u64 {
    if from == to {
        return bits;
    }
    match from {
        Scalar::Float => from_real(f64::from(f32::from_bits(bits as u32)), to),
        Scalar::Double => from_real(f64::from_bits(bits), to),
        Scalar::Bool => from_integer(i128::from(bits != 0), to),
        Scalar::Int => from_integer(i128::from(bits as u32 as i32), to),
        Scalar::Uint => from_integer(i128::from(bits as u32), to),
        Scalar::Int64 => from_integer(i128::from(bits as i64), to),
        Scalar::Uint64 => from_integer(i128::from(bits), to),
    }
}

fn from_real(value: f64, to: Scalar) -> u64 {
    match to {
        Scalar::Bool => u64::from(value != 0.0),
        Scalar::Int => u64::from(value as i32 as u32),
        Scalar::Uint => u64::from(value as u32),
        Scalar::Float => u64::from((value as f32).to_bits()),
        Scalar::Double => value.to_bits(),
        Scalar::Int64 => value as i64 as u64,
        Scalar::Uint64 => value as u64,
    }
}

fn from_integer(value: i128, to: Scalar) -> u64 {
    match to {
        Scalar::Bool => u64::from(value != 0),
        Scalar::Int | Scalar::Uint => u64::from(value as u32),
        Scalar::Float => u64::from((value as f32).to_bits()),
        Scalar::Double => (value as f64).to_bits(),
        Scalar::Int64 | Scalar::Uint64 => value as u64,
    }
}
