//! Filters: the bytes of a blob in another order, which compresses better.
//!
//! Vertices, indices and texels are rows of a stride. A filter takes the rows apart: first the first bytes of all rows,
//! then the second bytes and so on; what does not fill a row stays at the end. Before that, it may replace numbers of 1,
//! 2 or 4 bytes by their difference to the same number of the row above, zigzag-coded so that small differences have
//! zeros in their upper bytes whatever their sign.
//!
//! Vertices come in primitives, and the next triangle or quad is often the last one moved on. For those there is a filter
//! that predicts a number from the row above, a primitive before and both ([`sparse`]).

mod sparse;

use crate::bytes::Malformed;

/// How bytes are reordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Bytes of a row; 0 when the bytes are left as they are.
    pub stride: u8,
    /// Bytes of the numbers that differences are taken of: 1, 2 or 4, and part of the stride; 0 for no differences.
    pub number: u8,
    /// Rows of a primitive; 0 for planes as above. Otherwise numbers stay where they are, replaced by how far they are
    /// from what the row above and the primitive before let expect, and blocks of zeros are left out.
    pub rows: u8,
}

impl Filter {
    /// Nothing is changed.
    pub const NONE: Filter = Filter { stride: 0, number: 0, rows: 0 };

    /// Whether there is such a filter.
    pub fn check(self) -> Result<Self, Malformed> {
        let whole = match self.number {
            0 => self.rows == 0,
            1 | 2 | 4 => self.stride > 0 && self.stride.is_multiple_of(self.number),
            _ => false,
        };
        if whole { Ok(self) } else { Err(Malformed("a filter is unknown")) }
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

    /// Appends the `size` bytes that were filtered to `out`.
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
            return Err(Malformed("a blob has another size than its directory says"));
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

/// Rows that are worked on at a time: few enough to stay in the nearest cache, many enough for wide instructions.
const BLOCK: usize = 256;

/// Appends planes of the zigzag-coded differences of numbers of `WIDTH` bytes.
fn apply_differences<const WIDTH: usize>(rows: &[u8], stride: usize, out: &mut Vec<u8>) {
    let count = rows.len() / stride;
    let begin = out.len();
    out.resize(begin + rows.len(), 0);
    let planes = &mut out[begin..];
    let unused = 32 - 8 * WIDTH as u32;
    for column in (0..stride).step_by(WIDTH) {
        // The first is the last number of the block before.
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
                // The upper bits are cut off when planes are made.
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

/// Fills rows with the numbers whose differences are in planes.
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
    fn undoing_gives_what_there_was() {
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
