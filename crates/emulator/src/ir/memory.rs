//! Memory that is not registers.

use shader::typed::BlockId;

use super::Register;
use crate::host::Space;

/// Where a word lies: a byte offset known now plus one known at run time, in a buffer that may be picked at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// Which memory.
    pub space: Space,
    /// The buffer; or the first of an array of them.
    pub slot: u32,
    /// Added to the slot, lane by lane.
    pub slot_index: Option<Register>,
    /// Bytes from the start of the buffer.
    pub offset: u32,
    /// Added to the offset, lane by lane.
    pub index: Option<Register>,
}

/// Where a variable begins in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pointer {
    /// Which memory.
    pub space: Space,
    /// The buffer.
    pub slot: u32,
    /// Bytes from its start.
    pub offset: u32,
}

/// A uniform or storage block of the shader and the slots its instances have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BlockSlots {
    /// The shader that declares it, of those the stage is made of.
    pub unit: usize,
    /// The block.
    pub block: BlockId,
    /// [`Space::Uniform`] or [`Space::Storage`].
    pub space: Space,
    /// Slot of its first instance.
    pub first: u32,
    /// Number of instances: more than one for an array of blocks.
    pub count: u32,
}

/// What an atomic operation does with the word (w) and its operand (v).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// w + v
    Add,
    /// w + v, of floats.
    FAdd,
    /// w - v
    Sub,
    /// The lesser of signed integers.
    SMin,
    /// The lesser of unsigned integers.
    UMin,
    /// The greater of signed integers.
    SMax,
    /// The greater of unsigned integers.
    UMax,
    /// The lesser of floats.
    FMin,
    /// The greater of floats.
    FMax,
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
    /// v
    Exchange,
    /// v if w equals the second operand.
    CompareSwap,
    /// v if w equals the second operand, both floats.
    FCompareSwap,
}

impl AtomicOp {
    /// The word after the operation.
    #[must_use]
    pub fn apply(self, word: u32, value: u32, compare: u32) -> u32 {
        match self {
            AtomicOp::Add => word.wrapping_add(value),
            AtomicOp::FAdd => (f32::from_bits(word) + f32::from_bits(value)).to_bits(),
            AtomicOp::Sub => word.wrapping_sub(value),
            AtomicOp::SMin => (word as i32).min(value as i32) as u32,
            AtomicOp::UMin => word.min(value),
            AtomicOp::SMax => (word as i32).max(value as i32) as u32,
            AtomicOp::UMax => word.max(value),
            AtomicOp::FMin => extreme(word, value, f32::min),
            AtomicOp::FMax => extreme(word, value, f32::max),
            AtomicOp::And => word & value,
            AtomicOp::Or => word | value,
            AtomicOp::Xor => word ^ value,
            AtomicOp::Exchange => value,
            AtomicOp::CompareSwap if word == compare => value,
            AtomicOp::CompareSwap => word,
            AtomicOp::FCompareSwap if f32::from_bits(word) == f32::from_bits(compare) => value,
            AtomicOp::FCompareSwap => word,
        }
    }

    /// The same of 64 bits.
    #[must_use]
    pub fn apply_wide(self, word: u64, value: u64, compare: u64) -> u64 {
        let (float, other) = (f64::from_bits(word), f64::from_bits(value));
        match self {
            AtomicOp::Add => word.wrapping_add(value),
            AtomicOp::FAdd => (float + other).to_bits(),
            AtomicOp::Sub => word.wrapping_sub(value),
            AtomicOp::SMin => (word as i64).min(value as i64) as u64,
            AtomicOp::UMin => word.min(value),
            AtomicOp::SMax => (word as i64).max(value as i64) as u64,
            AtomicOp::UMax => word.max(value),
            AtomicOp::FMin => float.min(other).to_bits(),
            AtomicOp::FMax => float.max(other).to_bits(),
            AtomicOp::And => word & value,
            AtomicOp::Or => word | value,
            AtomicOp::Xor => word ^ value,
            AtomicOp::Exchange => value,
            AtomicOp::CompareSwap if word == compare => value,
            AtomicOp::FCompareSwap if float == f64::from_bits(compare) => value,
            AtomicOp::CompareSwap | AtomicOp::FCompareSwap => word,
        }
    }
}

/// The lesser or greater of two floats. A number wins over what is none, but not over a signalling one, which
/// GL_INTEL_shader_atomic_float_minmax keeps as it is.
fn extreme(word: u32, value: u32, pick: fn(f32, f32) -> f32) -> u32 {
    let signals = |bits: u32| bits & 0x7fc0_0000 == 0x7f80_0000 && bits & 0x003f_ffff != 0;
    match (signals(word), signals(value)) {
        (true, _) => word,
        (false, true) => value,
        (false, false) => pick(f32::from_bits(word), f32::from_bits(value)).to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_wins_over_none_but_not_over_a_signal() {
        let (one, two) = (1f32.to_bits(), 2f32.to_bits());
        let (quiet, signal) = (0x7fc0_0001, 0x7f80_0001);
        let max = |word, value| AtomicOp::FMax.apply(word, value, 0);
        assert_eq!([max(one, two), max(two, one), max(quiet, one), max(one, quiet)], [two, two, one, one]);
        assert_eq!([max(signal, one), max(one, signal), max(quiet, signal)], [signal; 3]);
        assert_eq!(AtomicOp::FMin.apply(one, two, 0), one);
    }

    #[test]
    fn zeros_of_both_signs_are_swapped_as_floats_only() {
        let (zero, minus) = (0f32.to_bits(), (-0f32).to_bits());
        assert_eq!(AtomicOp::FCompareSwap.apply(minus, 7, zero), 7);
        assert_eq!(AtomicOp::CompareSwap.apply(minus, 7, zero), minus);
    }

    #[test]
    fn both_halves_of_64_bits_take_part() {
        assert_eq!(AtomicOp::Add.apply_wide(0xffff_ffff, 1, 0), 1 << 32);
        assert_eq!(AtomicOp::SMin.apply_wide(1, u64::MAX, 0), u64::MAX);
        assert_eq!(AtomicOp::UMin.apply_wide(1, u64::MAX, 0), 1);
        assert_eq!(AtomicOp::FAdd.apply_wide(1.5f64.to_bits(), 2f64.to_bits(), 0), 3.5f64.to_bits());
        assert_eq!(AtomicOp::CompareSwap.apply_wide(1 << 40, 5, 1 << 40), 5);
    }
}
