//! Pseudo-random numbers: the same sequence for the same seed, on every machine.
//!
//! There are three sequences because tests and recorded figures are tied to them: tests that make random calls to a driver
//! stop at bugs of the driver in other sequences, and figures of the corpora would not be comparable. New tests use
//! [`Random::new`]. [`SplitMix`] makes the values that `cargo xtask corpus` hands to shaders, by name.

/// A generator for tests.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    sequence: Sequence,
}

#[derive(Clone, Copy, Debug)]
enum Sequence {
    XorshiftStar,
    Xorshift,
}

impl Random {
    /// Returns the generator with this seed (xorshift64*).
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, sequence: Sequence::XorshiftStar }
    }

    /// Returns the generator with this seed of the other sequence (xorshift64).
    #[must_use]
    pub fn xorshift(seed: u64) -> Random {
        Random { sequence: Sequence::Xorshift, ..Random::new(seed) }
    }

    /// Returns the next 64 bits.
    pub fn number(&mut self) -> u64 {
        let mut x = self.state;
        match self.sequence {
            Sequence::XorshiftStar => {
                x ^= x >> 12;
                x ^= x << 25;
                x ^= x >> 27;
                self.state = x;
                x.wrapping_mul(0x2545_F491_4F6C_DD1D)
            }
            Sequence::Xorshift => {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                self.state = x;
                x
            }
        }
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        // The lowest bits are the least random ones.
        let shift = match self.sequence {
            Sequence::XorshiftStar => 16,
            Sequence::Xorshift => 11,
        };
        (self.number() >> shift) % end.max(1)
    }

    /// Returns an index of a list of this length; 0 if it is empty.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Returns one of a list.
    ///
    /// # Panics
    /// When the list is empty.
    #[track_caller]
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())]
    }

    /// Returns true once in `times` calls on average.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Returns the upper 32 bits of the next number.
    pub fn word(&mut self) -> u32 {
        (self.number() >> 32) as u32
    }

    /// Returns a multiple of 2⁻²³ from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f32 {
        f32::from_bits(self.word() >> 9 | 0x3F80_0000) - 1.0
    }

    /// Returns a number from `low` up to `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Returns several numbers from `low` up to `high`.
    pub fn floats(&mut self, count: usize, low: f32, high: f32) -> Vec<f32> {
        (0..count).map(|_| self.between(low, high)).collect()
    }
}

/// A generator for values that depend on a name (SplitMix64).
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// Returns the generator with this seed.
    #[must_use]
    pub fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    /// Returns the generator of a name, whose seed is the name's hash (FNV-1a).
    #[must_use]
    pub fn named(name: &str) -> SplitMix {
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        SplitMix(name.bytes().fold(0xcbf2_9ce4_8422_2325, hash))
    }

    /// Returns the generator of a part of what this one is for.
    #[must_use]
    pub fn part(self, number: u32) -> SplitMix {
        SplitMix(self.0 ^ u64::from(number).wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    /// Returns the next 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below a bound that is not zero.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.number() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// Returns a multiple of 1/256 in a range of whole numbers.
    pub fn dyadic(&mut self, low: i32, high: i32) -> f32 {
        let steps = self.below((high - low).unsigned_abs() * 256 + 1);
        low as f32 + steps as f32 / 256.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded figures depend on these numbers, so they may not change.
    #[test]
    fn sequences_stay_what_they_are() {
        let mut random = Random::new(1);
        assert_eq!([0; 3].map(|_| random.below(1000)), [121, 422, 778]);
        let mut xorshift = Random::xorshift(1);
        assert_eq!([0; 3].map(|_| xorshift.below(1000)), [657, 572, 140]);
        let mut named = SplitMix::named("shader");
        assert_eq!([0; 3].map(|_| named.below(1000)), [430, 323, 579]);
    }

    #[test]
    fn numbers_are_in_range() {
        let mut random = Random::new(3);
        for _ in 0..1000 {
            assert!((0.0..1.0).contains(&random.unit()));
            assert!((-2.0..=5.0).contains(&random.between(-2.0, 5.0)));
            assert!(random.index(7) < 7);
        }
        assert_eq!(random.below(0), 0);
    }
}
