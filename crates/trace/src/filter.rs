//! Filters reorder the bytes of a blob so that it compresses better.
//!
//! Vertices, indices and texels are rows of a fixed stride. A filter transposes the rows: first the first bytes of all
//! rows, then the second bytes and so on; an incomplete last row stays at the end. Before that, it may replace numbers
//! of 1, 2 or 4 bytes by their difference from the same number in the previous row, zigzag-coded so that small
//! differences have zeros in their upper bytes whatever their sign.
//!
//! Vertices come in primitives, and a triangle or quad is often the previous one translated. For those there is a
//! filter that predicts a number from the previous row, the previous primitive and both ([`sparse`]).

mod sparse;

use crate::bytes::Malformed;

/// How bytes are reordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Bytes per row; 0 leaves the bytes unchanged.
    pub stride: u8,
    /// Size in bytes of the numbers to difference: 1, 2 or 4, and a divisor of the stride; 0 for no differences.
    pub number: u8,
    /// Rows per primitive; 0 selects the transposing filter. Otherwise numbers keep their positions, each replaced by
    /// its difference from the prediction, and blocks of zeros are left out.
    pub rows: u8,
}

impl Filter {
    /// Leaves the bytes unchanged.
    pub const NONE: Filter = Filter { stride: 0, number: 0, rows: 0 };

    /// Returns the filter if its fields are valid.
    pub fn check(self) -> Result<Self, Malformed> {
        let whole = match self.number {
            0 => self.rows == 0,
            1 | 2 | 4 => self.stride > 0 && self.stride.is_multiple_of(self.number),
            _ => false,
        };
        if whole { Ok(self) } else { Err(Malformed("unknown filter")) }
    }

    /// Appends the filtered bytes to `out`.
    pub fn apply(self, bytes: &[u8], out: &mut Vec<u8>) {
        let stride = usize::from(self.stride);
        if stride == 0 {
            out.extend_from_slice(bytes);
            return;
        }
        if self.rows > 0 {
            let reach = sparse::Reach::new(stride, self.rows);
            return match self.number {
                1 => sparse::apply::<u8>(bytes, reach, out),
                2 => sparse::apply::<u16>(bytes, reach, out),
                _ => sparse::apply::<u32>(bytes, reach, out),
            };
        }
        let (rows, rest) = bytes.split_at(bytes.len() / stride * stride);
        match self.number {
            0 => (0..stride).for_each(|plane| out.extend(rows[plane.min(rows.len())..].iter().step_by(stride))),
            1 => apply_differences::<1>(rows, stride, out),
            2 => apply_differences::<2>(rows, stride, out),
            _ => apply_differences::<4>(rows, stride, out),
        }
        out.extend_from_slice(rest);
    }

    /// Appends the `size` original bytes to `out`.
    pub fn undo(self, filtered: &[u8], size: usize, out: &mut Vec<u8>) -> Result<(), Malformed> {
        let stride = usize::from(self.stride);
        if self.rows > 0 {
            let reach = sparse::Reach::new(stride, self.rows);
            return match self.number {
                1 => sparse::undo::<u8>(filtered, size, reach, out),
                2 => sparse::undo::<u16>(filtered, size, reach, out),
                _ => sparse::undo::<u32>(filtered, size, reach, out),
            };
        }
        if filtered.len() != size {
            return Err(Malformed("the size of a blob differs from its directory entry"));
        }
        if stride == 0 {
            out.extend_from_slice(filtered);
            return Ok(());
        }
        let count = filtered.len() / stride;
        let (planes, rest) = filtered.split_at(count * stride);
        let begin = out.len();
        out.resize(begin + planes.len(), 0);
        let rows = &mut out[begin..];
        match self.number {
            0 => {
                for plane in 0..stride {
                    let bytes = &planes[plane * count..][..count];
                    rows.chunks_exact_mut(stride).zip(bytes).for_each(|(row, byte)| row[plane] = *byte);
                }
            }
            1 => undo_differences::<1>(planes, stride, rows),
            2 => undo_differences::<2>(planes, stride, rows),
            _ => undo_differences::<4>(planes, stride, rows),
        }
        out.extend_from_slice(rest);
        Ok(())
    }
}

/// Rows processed at a time: few enough to stay in the L1 cache, many enough for wide instructions.
const BLOCK: usize = 256;

/// Appends the zigzag-coded differences of numbers of `WIDTH` bytes, as planes.
fn apply_differences<const WIDTH: usize>(rows: &[u8], stride: usize, out: &mut Vec<u8>) {
    let count = rows.len() / stride;
    let begin = out.len();
    out.resize(begin + rows.len(), 0);
    let planes = &mut out[begin..];
    let unused = 32 - 8 * WIDTH as u32;
    for column in (0..stride).step_by(WIDTH) {
        // Element 0 is the last number of the previous block.
        let mut numbers = [0u32; BLOCK + 1];
        for (block, rows) in rows.chunks(stride * BLOCK).enumerate() {
            let length = rows.len() / stride;
            for (number, row) in numbers[1..].iter_mut().zip(rows.chunks_exact(stride)) {
                let mut word = [0; 4];
                word[..WIDTH].copy_from_slice(&row[column..column + WIDTH]);
                *number = u32::from_le_bytes(word);
            }
            let mut coded = [0u32; BLOCK];
            for (coded, pair) in coded.iter_mut().zip(numbers.windows(2)) {
                let difference = (pair[1].wrapping_sub(pair[0]) << unused) as i32 >> unused;
                // Splitting into planes drops the upper bits.
                *coded = ((difference << 1) ^ (difference >> 31)) as u32;
            }
            for plane in 0..WIDTH {
                let plane_bytes = &mut planes[(column + plane) * count + block * BLOCK..][..length];
                plane_bytes.iter_mut().zip(&coded).for_each(|(byte, coded)| *byte = (coded >> (8 * plane)) as u8);
            }
            numbers[0] = numbers[length];
        }
    }
}

/// Fills rows from planes of differences.
fn undo_differences<const WIDTH: usize>(planes: &[u8], stride: usize, rows: &mut [u8]) {
    let count = rows.len() / stride;
    for column in (0..stride).step_by(WIDTH) {
        let mut before = 0u32;
        for (block, rows) in rows.chunks_mut(stride * BLOCK).enumerate() {
            let length = rows.len() / stride;
            let mut numbers = [0u32; BLOCK];
            for plane in 0..WIDTH {
                let bytes = &planes[(column + plane) * count + block * BLOCK..][..length];
                numbers.iter_mut().zip(bytes).for_each(|(number, byte)| *number |= u32::from(*byte) << (8 * plane));
            }
            numbers.iter_mut().for_each(|number| *number = (*number >> 1) ^ (*number & 1).wrapping_neg());
            for (row, difference) in rows.chunks_exact_mut(stride).zip(&numbers) {
                before = before.wrapping_add(*difference);
                row[column..column + WIDTH].copy_from_slice(&before.to_le_bytes()[..WIDTH]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undo_restores_the_original_bytes() {
        let bytes: Vec<u8> = (0..1003u32).map(|at| (at.wrapping_mul(at) >> 3) as u8).collect();
        for (stride, number) in (0..=255).flat_map(|stride| [0, 1, 2, 4].map(|number| (stride, number))) {
            for rows in [0, 1, 2, 6, 255] {
                let Ok(filter) = (Filter { stride, number, rows }).check() else { continue };
                for length in [0, 1, 11, 12, 256, 1003] {
                    let (mut filtered, mut back) = (Vec::new(), vec![7]);
                    filter.apply(&bytes[..length], &mut filtered);
                    filter.undo(&filtered, length, &mut back).unwrap();
                    assert_eq!(back[1..], bytes[..length], "{filter:?}");
                    filtered.push(0);
                    assert!(filter.undo(&filtered, length, &mut back).is_err(), "{filter:?}");
                }
            }
        }
    }
}
