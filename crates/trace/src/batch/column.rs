//! Columns: the same argument of many calls, written so that a general compressor finds little left to do.
//!
//! A column is a byte that says how it is written, and what that says:
//!
//! ```text
//! bits 0..2  0 all zero | 1 all the same | 2 planes | 3 planes of differences
//! bit  2     values are sign-extended from their width
//! bits 3..5  width: 1, 2, 4 or 8 bytes
//! ```
//!
//! Planes: the first bytes of all values, then the second bytes and so on, after two bits for each plane in a 16-bit
//! number: 0 the plane is all zero and not there, 1 it is one byte, 2 it is there. Differences are to the value before,
//! zigzag-coded at 64 bits; the first value stands before the planes, in 8 bytes, and its difference is 0.

use crate::bytes::{Cut, Malformed};

const ZERO: u8 = 0;
const SAME: u8 = 1;
const PLANES: u8 = 2;
const DIFFERENCES: u8 = 3;
const SIGNED: u8 = 4;

/// Values looked at to choose between planes of values and of differences.
const SAMPLE: usize = 64;

/// Appends a column. `values` are scratch afterwards.
pub fn write(out: &mut Vec<u8>, values: &mut [u64]) {
    let Some(&first) = values.first() else { return };
    let mut differing = 0;
    let mut any = 0;
    let mut magnitude = 0;
    for &value in &*values {
        differing |= value ^ first;
        any |= value;
        magnitude |= value ^ ((value as i64) >> 63) as u64;
    }
    if any == 0 {
        out.push(ZERO);
        return;
    }
    let plain = log_width(64 - any.leading_zeros());
    let signed = log_width(65 - magnitude.leading_zeros());
    let (width, sign) = if signed < plain { (signed, SIGNED) } else { (plain, 0) };
    if differing == 0 {
        out.push(SAME | sign | width << 3);
        out.extend_from_slice(&first.to_le_bytes()[..1 << width]);
        return;
    }
    if differences_are_better(&values[..values.len().min(SAMPLE)]) {
        let mut before = first;
        let mut any = 0;
        for value in &mut *values {
            let difference = value.wrapping_sub(before) as i64;
            before = *value;
            *value = ((difference << 1) ^ (difference >> 63)) as u64;
            any |= *value;
        }
        let width = log_width(64 - any.leading_zeros());
        out.push(DIFFERENCES | width << 3);
        out.extend_from_slice(&first.to_le_bytes());
        write_planes(out, values, width);
    } else {
        out.push(PLANES | sign | width << 3);
        write_planes(out, values, width);
    }
}

/// Reads a column of `count` values, replacing what is in `values`.
pub fn read(cut: &mut Cut<'_>, count: usize, values: &mut Vec<u64>) -> Result<(), Malformed> {
    values.clear();
    if count == 0 {
        return Ok(());
    }
    let head = cut.byte()?;
    if head >= 32 {
        return Err(Malformed("a column is unknown"));
    }
    let width = 1usize << (head >> 3);
    let unused = 64 - 8 * width as u32;
    let signed = head & SIGNED != 0;
    match head & 3 {
        ZERO => values.resize(count, 0),
        SAME => {
            let mut word = [0; 8];
            word[..width].copy_from_slice(cut.take(width)?);
            values.resize(count, extend(u64::from_le_bytes(word), unused, signed));
        }
        PLANES => {
            read_planes(cut, count, width, values)?;
            if signed {
                for value in values {
                    *value = extend(*value, unused, true);
                }
            }
        }
        _ => {
            let mut value = u64::from_le_bytes(cut.array()?);
            read_planes(cut, count, width, values)?;
            for slot in values {
                value = value.wrapping_add((*slot >> 1) ^ (*slot & 1).wrapping_neg());
                *slot = value;
            }
        }
    }
    Ok(())
}

fn extend(value: u64, unused: u32, signed: bool) -> u64 {
    if signed { ((value << unused) as i64 >> unused) as u64 } else { value }
}

/// The logarithm of the bytes that so many bits need.
fn log_width(bits: u32) -> u8 {
    match bits {
        0..=8 => 0,
        9..=16 => 1,
        17..=32 => 2,
        _ => 3,
    }
}

/// Guesses what a compressor would make of values and of their differences: bytes that are as the byte above cost
/// nearly nothing.
fn differences_are_better(sample: &[u64]) -> bool {
    let (mut of_values, mut of_differences) = (0, 0);
    let mut last = 0;
    for pair in sample.windows(2) {
        let difference = pair[1].wrapping_sub(pair[0]) as i64;
        let difference = ((difference << 1) ^ (difference >> 63)) as u64;
        of_values += bytes_in(pair[0] ^ pair[1]);
        of_differences += bytes_in(difference ^ last);
        last = difference;
    }
    of_differences < of_values
}

fn bytes_in(word: u64) -> u32 {
    word.to_le_bytes().iter().map(|byte| u32::from(*byte != 0)).sum()
}

fn write_planes(out: &mut Vec<u8>, values: &[u64], log_width: u8) {
    let first = values[0];
    let differing = values.iter().fold(0, |all, value| all | (value ^ first));
    let at = out.len();
    out.extend_from_slice(&[0; 2]);
    let mut kinds = 0u16;
    for plane in 0..1usize << log_width {
        let shift = 8 * plane as u32;
        if (differing >> shift) as u8 != 0 {
            kinds |= 2 << (2 * plane);
            out.extend(values.iter().map(|value| (value >> shift) as u8));
        } else if (first >> shift) as u8 != 0 {
            kinds |= 1 << (2 * plane);
            out.push((first >> shift) as u8);
        }
    }
    out[at..at + 2].copy_from_slice(&kinds.to_le_bytes());
}

fn read_planes(cut: &mut Cut<'_>, count: usize, width: usize, values: &mut Vec<u64>) -> Result<(), Malformed> {
    let kinds = u16::from_le_bytes(cut.array()?);
    values.resize(count, 0);
    for plane in 0..width {
        let shift = 8 * plane as u32;
        match kinds >> (2 * plane) & 3 {
            0 => {}
            1 => {
                let byte = u64::from(cut.byte()?) << shift;
                values.iter_mut().for_each(|value| *value |= byte);
            }
            2 => {
                let bytes = cut.take(count)?;
                values.iter_mut().zip(bytes).for_each(|(value, byte)| *value |= u64::from(*byte) << shift);
            }
            _ => return Err(Malformed("a plane is unknown")),
        }
    }
    Ok(())
}
