//! The filter for primitives that can be predicted from previous ones.
//!
//! In a list of triangles or quads, a number often differs from the one in the previous row by as much as the same
//! numbers did one primitive earlier: it is `w[i - row] + w[i - primitive] - w[i - primitive - row]`. Each number is
//! replaced by its difference from that prediction; numbers before the first are 0. Most differences are then 0, and
//! blocks of zeros are left out, because a compressor would take longer to process them than this whole filter.
//!
//! ```text
//! a bit for each block of 8 bytes, lowest first: 1 if any of its bytes is not 0; padded to whole bytes
//! those blocks, the last padded with zeros
//! remaining bytes that are too few for a number, unchanged
//! ```

use crate::bytes::Malformed;

/// Bytes of a block.
const BLOCK: usize = 8;
/// Blocks processed at a time: as many as a `u64` has bits.
const TOGETHER: usize = 64;

/// How far back a prediction looks, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    row: usize,
    primitive: usize,
}

impl Reach {
    pub fn new(stride: usize, rows: u8) -> Self {
        Reach { row: stride, primitive: stride * usize::from(rows) }
    }
}

/// Integers of one size.
pub trait Number: Copy + Default {
    const WIDTH: usize;
    fn load(bytes: &[u8]) -> Self;
    fn store(self, bytes: &mut [u8]);
    fn plus(self, other: Self) -> Self;
    /// Returns the difference between a number and its prediction.
    fn difference(here: Self, above: Self, before: Self, above_before: Self) -> Self;
}

macro_rules! number {
    ($unsigned:ty) => {
        impl Number for $unsigned {
            const WIDTH: usize = size_of::<$unsigned>();

            #[inline(always)]
            fn load(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(0, |bytes| <$unsigned>::from_le_bytes(*bytes))
            }

            #[inline(always)]
            fn store(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn difference(here: Self, above: Self, before: Self, above_before: Self) -> Self {
                here.wrapping_sub(above).wrapping_sub(before.wrapping_sub(above_before))
            }
        }
    };
}

number!(u8);
number!(u16);
number!(u32);

/// Appends the filtered bytes to `out`.
pub fn apply<N: Number>(bytes: &[u8], reach: Reach, out: &mut Vec<u8>) {
    let (numbers, rest) = bytes.split_at(bytes.len() / N::WIDTH * N::WIDTH);
    let map = out.len();
    out.resize(map + map_bytes(numbers.len()), 0);
    let (mut blocks, mut kept) = ([[0; BLOCK]; TOGETHER], [[0; BLOCK]; TOGETHER]);
    for (index, here) in numbers.chunks(BLOCK * TOGETHER).enumerate() {
        let at = index * BLOCK * TOGETHER;
        blocks[here.len() / BLOCK..].fill([0; BLOCK]);
        let coded = &mut blocks.as_flattened_mut()[..here.len()];
        if at < reach.row + reach.primitive {
            code_start::<N>(numbers, at, reach, coded);
        } else {
            let back = |distance: usize| numbers[at - distance..][..here.len()].chunks_exact(N::WIDTH);
            let above = back(reach.row).zip(back(reach.primitive)).zip(back(reach.row + reach.primitive));
            let numbers = here.chunks_exact(N::WIDTH).zip(above);
            for (coded, (here, ((above, before), above_before))) in coded.chunks_exact_mut(N::WIDTH).zip(numbers) {
                N::difference(N::load(here), N::load(above), N::load(before), N::load(above_before)).store(coded);
            }
        }
        let bits = occupied(&blocks);
        let (mut count, mut left) = (0, bits);
        while left != 0 {
            kept[count % TOGETHER] = blocks[left.trailing_zeros() as usize % TOGETHER];
            count += 1;
            left &= left - 1;
        }
        out.extend_from_slice(kept[..count].as_flattened());
        let bits = &bits.to_le_bytes()[..map_bytes(here.len())];
        out[map + index * TOGETHER / 8..][..bits.len()].copy_from_slice(bits);
    }
    out.extend_from_slice(rest);
}

/// Returns a bit for each block that is not zero.
fn occupied(blocks: &[[u8; BLOCK]; TOGETHER]) -> u64 {
    let mut bits = [0; TOGETHER / 8];
    for (bits, blocks) in bits.iter_mut().zip(blocks.as_chunks::<8>().0) {
        for (index, block) in blocks.iter().enumerate() {
            *bits |= u8::from(*block != [0; BLOCK]) << index;
        }
    }
    u64::from_le_bytes(bits)
}

/// Codes the numbers from `at` on that have no previous row or no previous primitive.
fn code_start<N: Number>(numbers: &[u8], at: usize, reach: Reach, coded: &mut [u8]) {
    for (index, coded) in coded.chunks_exact_mut(N::WIDTH).enumerate() {
        let here = at + index * N::WIDTH;
        let back = |distance: usize| here.checked_sub(distance).map_or(N::default(), |at| N::load(&numbers[at..]));
        let (above, before) = (back(reach.row), back(reach.primitive));
        N::difference(back(0), above, before, back(reach.row + reach.primitive)).store(coded);
    }
}

/// Appends the `size` original bytes to `out`.
pub fn undo<N: Number>(filtered: &[u8], size: usize, reach: Reach, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let short = Malformed("a blob ends too early");
    let whole = size / N::WIDTH * N::WIDTH;
    // Checked before allocating: the bitmap is proportional to the size.
    let (map, mut stored) = filtered.split_at_checked(map_bytes(whole)).ok_or(short)?;
    let begin = out.len();
    out.resize(begin + whole.next_multiple_of(BLOCK), 0);
    for (index, block) in out[begin..].as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
        if map[index / 8] >> (index % 8) & 1 != 0 {
            let (bytes, rest) = stored.split_first_chunk().ok_or(short)?;
            *block = *bytes;
            stored = rest;
        }
    }
    out.truncate(begin + whole);
    let numbers = &mut out[begin..];
    if stored.len() != size - whole {
        return Err(Malformed("the size of a blob differs from its directory entry"));
    }
    // Whole primitives are added to the next one; then, within each column, rows are summed.
    let primitive = reach.primitive.min(numbers.len());
    for at in (primitive..numbers.len()).step_by(primitive.max(1)) {
        let (before, here) = numbers[at - primitive..].split_at_mut(primitive);
        for (here, before) in here.chunks_exact_mut(N::WIDTH).zip(before.chunks_exact(N::WIDTH)) {
            N::load(here).plus(N::load(before)).store(here);
        }
    }
    for column in (0..reach.row.min(numbers.len())).step_by(N::WIDTH) {
        let mut sum = N::default();
        for row in numbers[column..].chunks_mut(reach.row) {
            sum = sum.plus(N::load(row));
            sum.store(&mut row[..N::WIDTH]);
        }
    }
    out.extend_from_slice(stored);
    Ok(())
}

/// Returns the size in bytes of the bitmap for this many bytes.
fn map_bytes(bytes: usize) -> usize {
    bytes.div_ceil(BLOCK).div_ceil(8)
}
