//! The two floating-point types behind one trait.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `f32` or `f64`.
pub(super) trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The smallest normal number.
    const SMALLEST: f64;

    /// Reads a word of the pool.
    fn read(word: u64) -> Self;
    /// Returns the word for the pool.
    fn word(self) -> u64;
    /// Converts exactly.
    fn wide(self) -> f64;
    /// Rounds to nearest.
    fn narrow(value: f64) -> Self;
    /// `self * b + c`, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;

    /// Applies a function through `f64`. Rounding twice is harmless for `sqrt` and for functions whose results are
    /// exact in the narrower type, such as `floor`.
    fn via(self, function: impl Fn(f64) -> f64) -> Self {
        Self::narrow(function(self.wide()))
    }

    /// The smaller; the first if they are unordered.
    fn least(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// The larger; the first if they are unordered.
    fn most(self, other: Self) -> Self {
        if self < other { other } else { self }
    }
}

impl Real for f32 {
    const SMALLEST: f64 = f32::MIN_POSITIVE as f64;

    fn read(word: u64) -> f32 {
        f32::from_bits(word as u32)
    }
    fn word(self) -> u64 {
        u64::from(self.to_bits())
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
    fn narrow(value: f64) -> f32 {
        value as f32
    }
    fn fused(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }
}

impl Real for f64 {
    const SMALLEST: f64 = f64::MIN_POSITIVE;

    fn read(word: u64) -> f64 {
        f64::from_bits(word)
    }
    fn word(self) -> u64 {
        self.to_bits()
    }
    fn wide(self) -> f64 {
        self
    }
    fn narrow(value: f64) -> f64 {
        value
    }
    fn fused(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
}
