//! Filters: the bytes of a blob in another order, which compresses better.
//!
//! Vertices, indices and texels are rows of a stride. A filter takes the rows apart: first the first bytes of all rows,
//! then the second bytes and so on; what does not fill a row stays at the end. Before that, it may replace numbers of 1,
//! 2 or 4 bytes by their difference to the same number of the row above, zigzag-coded so that small differences have
//! zeros in their upper bytes whatever their sign.

use crate::bytes::Malformed;

/// How bytes are reordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Bytes of a row; 0 when the bytes are left as they are.
    pub stride: u8,
    /// Bytes of the numbers that differences are taken of: 1, 2 or 4, and part of the stride; 0 for no differences.
    pub number: u8,
}

impl Filter {
    /// Nothing is changed.
    pub const NONE: Filter = Filter { stride: 0, number: 0 };

    /// Whether there is such a filter.
    pub fn check(self) -> Result<Self, Malformed> {
        let whole = match self.number {
            0 => true,
            1 | 2 | 4 => self.stride > 0 && self.stride.is_multiple_of(self.number),
            _ => false,
        };
        if whole { Ok(self) } else { Err(Malformed("a filter is unknown")) }
    }

    /// Appends the filtered bytes to `out`.
    pub fn apply(self, bytes: &[u8], out: &mut Vec<u8>, numbers: &mut Vec<u32>) {
        let stride = usize::from(self.stride);
        if stride == 0 {
            out.extend_from_slice(bytes);
            return;
        }
        let (rows, rest) = bytes.split_at(bytes.len() / stride * stride);
        if self.number == 0 {
            for plane in 0..stride {
                out.extend(rows[plane.min(rows.len())..].iter().step_by(stride));
            }
        } else {
            let width = usize::from(self.number);
            let bits = 8 * u32::from(self.number);
            for column in (0..stride).step_by(width) {
                numbers.clear();
                match width {
                    1 => numbers.extend(rows.chunks_exact(stride).map(|row| u32::from(row[column]))),
                    2 => numbers.extend(
                        rows.chunks_exact(stride)
                            .map(|row| u32::from(u16::from_le_bytes([row[column], row[column + 1]]))),
                    ),
                    _ => numbers.extend(rows.chunks_exact(stride).map(|row| {
                        let word = [row[column], row[column + 1], row[column + 2], row[column + 3]];
                        u32::from_le_bytes(word)
                    })),
                }
                differences(numbers, bits);
                for plane in 0..width {
                    out.extend(numbers.iter().map(|number| (number >> (8 * plane)) as u8));
                }
            }
        }
        out.extend_from_slice(rest);
    }

    /// Appends the bytes that were filtered to `out`.
    pub fn undo(self, filtered: &[u8], out: &mut Vec<u8>) {
        let stride = usize::from(self.stride);
        if stride == 0 {
            out.extend_from_slice(filtered);
            return;
        }
        let count = filtered.len() / stride;
        let (planes, rest) = filtered.split_at(count * stride);
        let begin = out.len();
        out.resize(begin + planes.len(), 0);
        let rows = &mut out[begin..];
        let width = usize::from(self.number.max(1));
        for column in (0..stride).step_by(width) {
            let of = |plane: usize, row: usize| u32::from(planes[(column + plane) * count + row]);
            let mut before = 0u32;
            for (row, slot) in rows.chunks_exact_mut(stride).enumerate() {
                let mut number = (0..width).fold(0, |all, plane| all | of(plane, row) << (8 * plane));
                if self.number > 0 {
                    number = before.wrapping_add((number >> 1) ^ (number & 1).wrapping_neg());
                    before = number;
                }
                slot[column..column + width].copy_from_slice(&number.to_le_bytes()[..width]);
            }
        }
        out.extend_from_slice(rest);
    }
}

/// Replaces numbers of so many bits by zigzag-coded differences.
fn differences(numbers: &mut [u32], bits: u32) {
    let unused = 32 - bits;
    let mut before = 0u32;
    for number in numbers {
        let difference = (number.wrapping_sub(before) << unused) as i32 >> unused;
        before = *number;
        // The upper bits are cut off when planes are made.
        *number = ((difference << 1) ^ (difference >> 31)) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undoing_gives_what_there_was() {
        let bytes: Vec<u8> = (0..1003u32).map(|at| (at.wrapping_mul(at) >> 3) as u8).collect();
        for stride in 0..=255 {
            for number in [0, 1, 2, 4] {
                let Ok(filter) = (Filter { stride, number }).check() else { continue };
                for length in [0, 1, 11, 12, 256, 1003] {
                    let (mut filtered, mut back) = (Vec::new(), vec![7]);
                    filter.apply(&bytes[..length], &mut filtered, &mut Vec::new());
                    filter.undo(&filtered, &mut back);
                    assert_eq!(back[1..], bytes[..length], "{filter:?}");
                }
            }
        }
    }
}
