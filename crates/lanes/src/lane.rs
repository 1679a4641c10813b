//! Registers and masks.

use crate::evaluate::Arithmetic;

/// The contents of one lane of a register: `u32` or `u64`.
#[allow(private_bounds, reason = "the bound seals the trait")]
pub trait Word: Arithmetic {}

impl Word for u32 {}
impl Word for u64 {}

/// The set of active lanes.
///
/// Stored as words of all zeros or all ones, as blending registers requires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mask<const W: usize>([u32; W]);

impl<const W: usize> Mask<W> {
    /// All lanes.
    pub const ALL: Self = Mask([u32::MAX; W]);
    /// No lane.
    pub const NONE: Self = Mask([0; W]);

    /// Lane `i` is on if bit `i` is one. Lanes past the 64th are off.
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        let mut words = [0; W];
        for (lane, word) in words.iter_mut().enumerate().take(64) {
            *word = 0u32.wrapping_sub((bits >> lane) as u32 & 1);
        }
        Mask(words)
    }

    /// Lane `i` is on if the boolean is not 0.
    #[inline]
    #[must_use]
    pub fn from_bools(bools: &[u32; W]) -> Self {
        let mut words = [0; W];
        let word = |b: u32| 0u32.wrapping_sub(u32::from(b != 0));
        let ((fours, rest), (bool_fours, bool_rest)) = (words.as_chunks_mut::<4>(), bools.as_chunks::<4>());
        for (four, bools) in fours.iter_mut().zip(bool_fours) {
            *four = bools.map(word);
        }
        for (one, bool) in rest.iter_mut().zip(bool_rest) {
            *one = word(*bool);
        }
        Mask(words)
    }

    /// Bit `i` is one if lane `i` is on, for the first 64 lanes.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.0.iter().take(64).enumerate().fold(0, |bits, (lane, word)| bits | u64::from(word & 1) << lane)
    }

    /// One word for each lane: all ones if it is on, else 0.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u32; W] {
        &self.0
    }

    /// Lanes that are on in both.
    #[inline]
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Mask(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// Lanes that are on in either.
    #[inline]
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Mask(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// Lanes that are on here and off there.
    #[inline]
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Mask(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Whether every lane is on.
    #[inline]
    #[must_use]
    pub fn all(&self) -> bool {
        self.0.iter().fold(u32::MAX, |all, word| all & word) == u32::MAX
    }

    /// Whether a lane is on.
    #[inline]
    #[must_use]
    pub fn any(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) != 0
    }
}

/// Writes a register where the mask is on.
#[inline(always)]
pub fn assign<T: Word, const W: usize>(register: &mut [T; W], value: &[T; W], mask: &Mask<W>) {
    if !T::NARROW {
        return T::blend(register, value, &mask.0);
    }
    // Unrolled in groups of four, like the most frequent operations.
    let (fours, rest) = register.as_chunks_mut::<4>();
    let ((new_fours, new_rest), (on_fours, on_rest)) = (value.as_chunks::<4>(), mask.0.as_chunks::<4>());
    let blend = |old: T, new: T, on: u32| T::from_narrow(new.narrow() & on | old.narrow() & !on);
    for ((old, new), on) in fours.iter_mut().zip(new_fours).zip(on_fours) {
        *old = [
            blend(old[0], new[0], on[0]),
            blend(old[1], new[1], on[1]),
            blend(old[2], new[2], on[2]),
            blend(old[3], new[3], on[3]),
        ];
    }
    for ((old, new), on) in rest.iter_mut().zip(new_rest).zip(on_rest) {
        *old = blend(*old, *new, *on);
    }
}

/// `condition ? yes : no`, lane by lane. The condition is a boolean.
#[inline]
#[must_use]
pub fn select<T: Word, const W: usize>(condition: &[u32; W], yes: &[T; W], no: &[T; W]) -> [T; W] {
    let mut out = [T::default(); W];
    T::select(&mut out, condition, yes, no);
    out
}

#[inline(always)]
pub(crate) fn map1<A: Copy, R>(out: &mut [R], a: &[A], f: impl Fn(A) -> R) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = f(*a);
    }
}

/// Four lanes, a fragment quad, have a special case: a loop over two vectors would process them one by one, and the
/// next operation would wait for those four narrow stores.
#[inline(always)]
pub(crate) fn map2<A: Copy, R: Copy>(out: &mut [R], a: &[A], b: &[A], f: impl Fn(A, A) -> R) {
    if let (&mut [_, _, _, _], &[a0, a1, a2, a3], &[b0, b1, b2, b3]) = (&mut *out, a, b) {
        out.copy_from_slice(&[f(a0, b0), f(a1, b1), f(a2, b2), f(a3, b3)]);
        return;
    }
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = f(*a, *b);
    }
}

#[inline(always)]
pub(crate) fn map3<A: Copy, R>(out: &mut [R], a: &[A], b: &[A], c: &[A], f: impl Fn(A, A, A) -> R) {
    for (((out, a), b), c) in out.iter_mut().zip(a).zip(b).zip(c) {
        *out = f(*a, *b, *c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_that_are_off_keep_their_value() {
        let mask = Mask::<5>::from_bits(0b10110);
        assert_eq!(mask.bits(), 0b10110);
        let mut narrow = [1u32, 2, 3, 4, 5];
        assign(&mut narrow, &[10, 20, 30, 40, 50], &mask);
        assert_eq!(narrow, [1, 20, 30, 4, 50]);
        let mut wide = [1u64, 2, 3, 4, 5];
        assign(&mut wide, &[10 << 40; 5], &mask);
        assert_eq!(wide, [1, 10 << 40, 10 << 40, 4, 10 << 40]);
    }

    #[test]
    fn mask_operations() {
        let (a, b) = (Mask::<4>::from_bits(0b0011), Mask::<4>::from_bools(&[1, 0, 7, 0]));
        assert_eq!([a.and(&b), a.or(&b), a.without(&b)].map(|m| m.bits()), [0b0001, 0b0111, 0b0010]);
        assert!(a.any() && !Mask::<4>::NONE.any());
        assert_eq!(Mask::<64>::ALL.bits(), u64::MAX);
        assert_eq!(Mask::<70>::from_bits(u64::MAX).words()[69], 0);
    }

    #[test]
    fn select_treats_any_set_bit_as_true() {
        assert_eq!(select(&[0, 1, 2], &[1u64, 2, 3], &[4, 5, 6]), [4, 2, 3]);
    }
}
