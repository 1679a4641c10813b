//! Memory: address spaces, addresses and accesses.

use super::{Register, Width};

/// An address space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Space {
    /// Memory of one invocation, [`Program::private_bytes`](super::Program::private_bytes) long. It is part of the wave;
    /// a host is never asked for it.
    Private,
    /// Memory of a workgroup, [`Program::workgroup_bytes`](super::Program::workgroup_bytes) long: GLSL's `shared`,
    /// OpenCL's `local`.
    Workgroup,
    /// Outputs of a tessellation control shader, [`Program::patch_bytes`](super::Program::patch_bytes) long: every
    /// invocation of the patch sees them.
    Patch,
    /// Buffers that are read and written: GLSL's storage blocks, OpenCL's `global`. The slot is a position in
    /// [`Program::blocks`](super::Program::blocks).
    Storage,
    /// Buffers that are only read: GLSL's uniform blocks, OpenCL's `constant`. The slot is a position in
    /// [`Program::blocks`](super::Program::blocks).
    Uniform,
    /// Buffers of atomic counters; the slot is the binding.
    Counter,
    /// Any of the others: a pointer says which.
    Generic,
}

impl Space {
    /// In the order of their tags in pointers, from 1 on.
    const TAGGED: [Space; 6] =
        [Space::Private, Space::Workgroup, Space::Patch, Space::Storage, Space::Uniform, Space::Counter];
}

/// Where something lies in memory. Its bits are the value of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pointer {
    /// The space; not [`Space::Generic`].
    pub space: Space,
    /// The buffer.
    pub slot: u32,
    /// Bytes from its start.
    pub offset: u32,
}

impl Pointer {
    /// Slots from here on cannot be told apart in a pointer, and hold nothing.
    const SLOTS: u32 = (1 << 24) - 1;

    /// Returns the value of the pointer: the offset in the low half, so that adding to the value moves it, and in the high
    /// half the slot in 24 bits and the space in 8. Zero is no pointer.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        let tag = Space::TAGGED.iter().position(|space| *space == self.space).map_or(0, |place| place as u64 + 1);
        tag << 56 | u64::from(self.slot.min(Pointer::SLOTS)) << 32 | u64::from(self.offset)
    }

    /// Returns where a pointer's value points to; `None` for values that are no pointer.
    #[must_use]
    pub fn from_bits(bits: u64) -> Option<Pointer> {
        let space = *Space::TAGGED.get(((bits >> 56) as usize).checked_sub(1)?)?;
        Some(Pointer { space, slot: (bits >> 32) as u32 & Pointer::SLOTS, offset: bits as u32 })
    }
}

/// How an address finds its buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// The buffer with this slot, or with a slot that many after it in each lane.
    Slot(u32, Option<Register>),
    /// A pointer in two registers. If it points to another space than that of the address, there is no memory there.
    Pointer(Register),
}

/// An address: a base, a byte offset known in advance and one known at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// The space.
    pub space: Space,
    /// The buffer, or the pointer.
    pub base: Base,
    /// Bytes from the base.
    pub offset: u32,
    /// Added to the offset, lane by lane.
    pub index: Option<Register>,
}

impl Address {
    /// Returns the address of a place known in advance.
    #[must_use]
    pub fn of(pointer: Pointer) -> Address {
        let Pointer { space, slot, offset } = pointer;
        Address { space, base: Base::Slot(slot, None), offset, index: None }
    }
}

/// How memory is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// How many bits.
    pub width: Width,
    /// Whether values of 8 and 16 bits are extended by their sign, not by zeros.
    pub signed: bool,
}

impl Access {
    /// 32 bits.
    pub const WORD: Access = Access { width: Width::W32, signed: false };
    /// 64 bits.
    pub const WIDE: Access = Access { width: Width::W64, signed: false };
}

/// The slots of a buffer, or of an array of buffers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BlockSlots {
    /// The translation unit that declares it.
    pub unit: usize,
    /// The front end's number of the declaration in that unit.
    pub block: u32,
    /// [`Space::Uniform`] or [`Space::Storage`].
    pub space: Space,
    /// Slot of the first buffer.
    pub first: u32,
    /// Number of buffers: more than one for an array of blocks.
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
    /// Returns the word after the operation.
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

    /// Returns the 64-bit word after the operation.
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

/// Returns the lesser or greater of two floats. A number wins over a quiet NaN, but a signalling NaN is kept as it is, as
/// GL_INTEL_shader_atomic_float_minmax wants it.
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
    fn pointers_are_values() {
        for space in Space::TAGGED {
            let pointer = Pointer { space, slot: 77, offset: 0xffff_fff0 };
            assert_eq!(Pointer::from_bits(pointer.to_bits()), Some(pointer));
        }
        let pointer = Pointer { space: Space::Storage, slot: 3, offset: 40 };
        assert_eq!(Pointer::from_bits(pointer.to_bits() + 4), Some(Pointer { offset: 44, ..pointer }));
        assert_eq!([0, 12, 7 << 56, u64::MAX].map(Pointer::from_bits), [None; 4]);
        let far = Pointer { slot: u32::MAX, ..pointer };
        assert_eq!(Pointer::from_bits(far.to_bits()).map(|pointer| pointer.slot), Some(Pointer::SLOTS));
    }

    #[test]
    fn a_number_wins_over_a_quiet_nan_only() {
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
