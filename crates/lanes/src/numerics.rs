//! Numeric behaviour of a run.

use std::sync::Arc;

use crate::lane::{Word, map1};
use crate::op::{Op1, Op2, Op3};
use crate::pack;

/// Numeric behaviour of a run. [`Numerics::IEEE`] is the default.
#[derive(Clone, Debug, Default)]
pub struct Numerics {
    /// Denormal operands and results of float operations are flushed to zeros of the same sign. Moves, [`Op1::FNeg`],
    /// [`Op1::FAbs`], selections and packing keep them.
    pub flush_denormals: bool,
    /// Whether the code generator may contract `a * b + c` into [`Op3::FFma`] where the shader is not `precise`. This
    /// crate sees single operations only, so contraction is up to the caller.
    pub contract: bool,
    /// Whether `mediump` and `lowp` have only the guaranteed range and precision; the caller then passes values of such
    /// types to [`reduce`].
    pub least_precision: bool,
    /// A device whose implementation of some 32-bit operations is imitated.
    pub device: Option<Arc<Device>>,
}

impl Numerics {
    /// Operations follow IEEE 754, or stay within their [budget](crate::budget); denormals are kept.
    pub const IEEE: Numerics =
        Numerics { flush_denormals: false, contract: false, least_precision: false, device: None };

    /// Whether no special handling is needed.
    #[inline(always)]
    pub(crate) fn plain(&self) -> bool {
        !self.flush_denormals && self.device.is_none()
    }
}

/// A function of the bits of one operand.
pub type Function1 = fn(u32) -> u32;
/// A function of the bits of two operands.
pub type Function2 = fn(u32, u32) -> u32;
/// A function of the bits of three operands.
pub type Function3 = fn(u32, u32, u32) -> u32;

/// A device's 32-bit operations that differ from ours, as functions of the operands' bits.
///
/// Operations that are not listed are ours. Flushing of denormals applies to the device's functions too.
#[derive(Clone, Debug, Default)]
pub struct Device {
    /// Operations on one operand.
    pub op1: Vec<(Op1, Function1)>,
    /// Operations on two operands.
    pub op2: Vec<(Op2, Function2)>,
    /// Operations on three operands.
    pub op3: Vec<(Op3, Function3)>,
}

impl Device {
    pub(crate) fn find<O: PartialEq + Copy, F: Copy>(list: &[(O, F)], op: O) -> Option<F> {
        list.iter().find(|(o, _)| *o == op).map(|(_, f)| *f)
    }
}

/// A precision qualifier below `highp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Precision {
    /// `mediump`: half precision; integers of 16 bits.
    Medium,
    /// `lowp`: fixed point of 8 fractional bits in [-2, 2]; integers of 9 bits.
    Low,
}

/// The type of a value with a precision qualifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Use {
    /// A float.
    Float,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
}

/// Reduces values to the guaranteed precision (GLSL ES 3.20, 4.7.1): floats are rounded, integers wrap. `lowp` floats
/// are clamped to their range and keep NaN.
#[inline]
#[must_use]
pub fn reduce<const W: usize>(a: &[u32; W], precision: Precision, of: Use) -> [u32; W] {
    let mut out = [0; W];
    reduce_all(&mut out, a, precision, of);
    out
}

#[inline(never)]
fn reduce_all(out: &mut [u32], a: &[u32], precision: Precision, of: Use) {
    match (precision, of) {
        (Precision::Medium, Use::Float) => map1(out, a, |x| round_mediump(f32::from_bits(x)).to_bits()),
        (Precision::Low, Use::Float) => map1(out, a, |x| round_lowp(f32::from_bits(x)).to_bits()),
        (Precision::Medium, Use::Signed) => map1(out, a, |x| x as i16 as u32),
        (Precision::Low, Use::Signed) => map1(out, a, |x| ((x as i32) << 23 >> 23) as u32),
        (Precision::Medium, Use::Unsigned) => map1(out, a, |x| x & 0xffff),
        (Precision::Low, Use::Unsigned) => map1(out, a, |x| x & 0x1ff),
    }
}

#[inline(always)]
fn round_mediump(x: f32) -> f32 {
    pack::f32_from_half(pack::half_from_f32(x))
}

#[inline(always)]
fn round_lowp(x: f32) -> f32 {
    // Comparisons with NaN are false, so NaN passes through.
    let low = if x < -2.0 { -2.0 } else { x };
    let clamped = if low > 2.0 { 2.0 } else { low };
    crate::real::single::round_even(clamped * 256.0) / 256.0
}

/// Flushes denormals to zero, if the register holds floats and flushing is on.
#[inline]
pub(crate) fn flush<T: Word, const W: usize>(mut a: [T; W], floats: bool, numerics: &Numerics) -> [T; W] {
    if floats && numerics.flush_denormals {
        T::flush(&mut a);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{op1, op2, op3, test2};

    #[test]
    fn least_precision_rounds_and_wraps() {
        let floats = |x: [f32; 4], p| reduce(&x.map(f32::to_bits), p, Use::Float).map(f32::from_bits);
        let medium = floats([0.1, 70000.0, 2049.0, 1e-8], Precision::Medium);
        assert_eq!(medium, [0.099_975_586, f32::INFINITY, 2048.0, 0.0]);
        assert_eq!(floats([0.1, 3.0, -9.0, 1.999], Precision::Low), [0.101_562_5, 2.0, -2.0, 2.0]);
        let ints = |x: i32, p| reduce(&[x as u32], p, Use::Signed)[0] as i32;
        assert_eq!((ints(0x18000, Precision::Medium), ints(256, Precision::Low)), (-0x8000, -256));
        assert_eq!(reduce(&[0x12345], Precision::Medium, Use::Unsigned), [0x2345]);
        assert_eq!(reduce(&[0x12345], Precision::Low, Use::Unsigned), [0x145]);
    }

    #[test]
    fn denormals_are_flushed_on_both_sides() {
        let flush = Numerics { flush_denormals: true, ..Numerics::IEEE };
        let word = |x: f32| [x.to_bits()];
        let tiny = f32::from_bits(1);
        assert_eq!(op2(Op2::FMul, &word(-tiny), &word(1e10), &flush), word(-0.0));
        assert_eq!(op2(Op2::FMul, &word(1e-30), &word(1e-10), &flush), word(0.0));
        assert_ne!(op2(Op2::FMul, &word(1e-30), &word(1e-10), &Numerics::IEEE), word(0.0));
        assert_eq!(op2(Op2::IAdd, &[1u32], &[2], &flush), [3]);
        assert_eq!(op1(Op1::FNeg, &word(tiny), &flush), word(-tiny));
        assert_eq!(op3(Op3::FFma, &word(tiny), &word(1e30), &word(1.0), &flush), word(1.0));
        assert_eq!(test2(crate::Test2::FEq, &word(tiny), &word(-0.0), &flush), [1]);
        let wide = |x: f64| [x.to_bits()];
        assert_eq!(op2(Op2::FAdd, &wide(f64::from_bits(1)), &wide(0.0), &flush), wide(0.0));
    }

    #[test]
    fn a_device_replaces_listed_operations() {
        let coarse: Function1 = |x| f32::from_bits(x).sin().to_bits() & !0xff;
        let device = Device { op1: vec![(Op1::FSin, coarse)], ..Device::default() };
        let numerics = Numerics { device: Some(Arc::new(device)), ..Numerics::IEEE };
        let one = [1f32.to_bits()];
        assert_eq!(op1(Op1::FSin, &one, &numerics)[0] & 0xff, 0);
        assert_eq!(op1(Op1::FCos, &one, &numerics), op1(Op1::FCos, &one, &Numerics::IEEE));
        let wide = [1f64.to_bits()];
        assert_eq!(op1(Op1::FSin, &wide, &numerics), op1(Op1::FSin, &wide, &Numerics::IEEE));
    }
}
