//! Integer functions beyond Rust's operators. Nothing here traps: shift amounts are taken modulo the width, and
//! divisors of zero are replaced.

macro_rules! integer {
    ($module:ident, $word:ident, $int:ident, $wide:ident, $wide_int:ident) => {
        #[doc = concat!("Functions on `", stringify!($word), "`, signed where the name says so.")]
        pub(crate) mod $module {
            const BITS: $word = $word::BITS as $word;

            #[inline(always)]
            pub(crate) fn unsigned_div(a: $word, b: $word) -> $word {
                a.checked_div(b).unwrap_or($word::MAX)
            }

            #[inline(always)]
            pub(crate) fn unsigned_rem(a: $word, b: $word) -> $word {
                a.checked_rem(b).unwrap_or($word::MAX)
            }

            #[inline(always)]
            pub(crate) fn signed_div(a: $word, b: $word) -> $word {
                if b == 0 { $word::MAX } else { (a as $int).wrapping_div(b as $int) as $word }
            }

            #[inline(always)]
            pub(crate) fn signed_rem(a: $word, b: $word) -> $word {
                if b == 0 { $word::MAX } else { (a as $int).wrapping_rem(b as $int) as $word }
            }

            #[inline(always)]
            pub(crate) fn unsigned_mul_high(a: $word, b: $word) -> $word {
                ((a as $wide * b as $wide) >> $word::BITS) as $word
            }

            #[inline(always)]
            pub(crate) fn signed_mul_high(a: $word, b: $word) -> $word {
                ((a as $int as $wide_int * b as $int as $wide_int) >> $word::BITS) as $word
            }

            #[inline(always)]
            pub(crate) fn find_lsb(a: $word) -> $word {
                if a == 0 { $word::MAX } else { a.trailing_zeros() as $word }
            }

            #[inline(always)]
            pub(crate) fn unsigned_find_msb(a: $word) -> $word {
                // All ones for zero, because it has as many leading zeros as bits.
                (BITS - 1).wrapping_sub(a.leading_zeros() as $word)
            }

            #[inline(always)]
            pub(crate) fn signed_find_msb(a: $word) -> $word {
                unsigned_find_msb(a ^ ((a as $int) >> ($word::BITS - 1)) as $word)
            }

            /// A mask of the low `bits` bits.
            #[inline(always)]
            fn low(bits: $word) -> $word {
                if bits >= BITS { $word::MAX } else { ((1 as $word) << (bits & (BITS - 1))) - 1 }
            }

            /// The number of bits that lie within the word. GLSL 4.60, 8.8 leaves negative counts and bits beyond the
            /// word undefined; negative numbers are huge as unsigned ones.
            #[inline(always)]
            fn within(offset: $word, bits: $word) -> $word {
                bits.min(BITS.saturating_sub(offset))
            }

            #[inline(always)]
            pub(crate) fn unsigned_extract(value: $word, offset: $word, bits: $word) -> $word {
                value.wrapping_shr(offset as u32) & low(within(offset, bits))
            }

            #[inline(always)]
            pub(crate) fn signed_extract(value: $word, offset: $word, bits: $word) -> $word {
                let bits = within(offset, bits);
                let unused = (BITS - bits) as u32;
                let left = value.wrapping_shr(offset as u32).wrapping_shl(unused) as $int;
                if bits == 0 { 0 } else { left.wrapping_shr(unused) as $word }
            }

            #[inline(always)]
            pub(crate) fn insert(base: $word, insert: $word, offset: $word, bits: $word) -> $word {
                let mask = low(within(offset, bits)).wrapping_shl(offset as u32);
                base & !mask | insert.wrapping_shl(offset as u32) & mask
            }

            #[inline(always)]
            pub(crate) fn unsigned_half_add(a: $word, b: $word) -> $word {
                (a & b) + ((a ^ b) >> 1)
            }

            #[inline(always)]
            pub(crate) fn unsigned_half_add_up(a: $word, b: $word) -> $word {
                (a | b) - ((a ^ b) >> 1)
            }

            #[inline(always)]
            pub(crate) fn signed_half_add(a: $word, b: $word) -> $word {
                (a & b).wrapping_add(((a ^ b) as $int >> 1) as $word)
            }

            #[inline(always)]
            pub(crate) fn signed_half_add_up(a: $word, b: $word) -> $word {
                (a | b).wrapping_sub(((a ^ b) as $int >> 1) as $word)
            }
        }
    };
}

integer!(narrow, u32, i32, u64, i64);
integer!(wide, u64, i64, u128, i128);
