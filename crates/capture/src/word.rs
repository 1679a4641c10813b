//! Arguments and results as words: signed integers sign-extended, unsigned ones and pointers zero-extended, floats as
//! their bits.

use crate::hook::Ptr;

/// A value that fits into a word.
pub trait Word {
    /// Converts the value to a word.
    fn word(self) -> u64;
    /// Converts a word to the value.
    fn value(word: u64) -> Self;
}

macro_rules! signed {
    ($($type:ty)*) => {$(
        impl Word for $type {
            #[inline(always)]
            fn word(self) -> u64 {
                i64::from(self) as u64
            }
            #[inline(always)]
            fn value(word: u64) -> Self {
                word as $type
            }
        }
    )*};
}

macro_rules! unsigned {
    ($($type:ty)*) => {$(
        impl Word for $type {
            #[inline(always)]
            fn word(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn value(word: u64) -> Self {
                word as $type
            }
        }
    )*};
}

signed!(i8 i16 i32 i64);
unsigned!(u8 u16 u32 u64);

impl Word for f32 {
    #[inline(always)]
    fn word(self) -> u64 {
        u64::from(self.to_bits())
    }
    #[inline(always)]
    fn value(word: u64) -> f32 {
        f32::from_bits(word as u32)
    }
}

impl Word for f64 {
    #[inline(always)]
    fn word(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn value(word: u64) -> f64 {
        f64::from_bits(word)
    }
}

impl Word for Ptr {
    #[inline(always)]
    fn word(self) -> u64 {
        self as u64
    }
    #[inline(always)]
    fn value(word: u64) -> Ptr {
        word as Ptr
    }
}

impl Word for () {
    #[inline(always)]
    fn word(self) -> u64 {
        0
    }
    #[inline(always)]
    fn value(_: u64) {}
}
