//! Columns: the same argument of many calls, written so that a general-purpose compressor has little left to do.
//!
//! A column is a byte that gives the encoding, followed by the encoded values:
//!
//! ```text
//! bits 0..3  0 all zero | 1 all the same | 2 words | 3 planes | 4 differences as words | 5 differences as planes
//! bit  3     values are sign-extended from their width
//! bits 4..6  width: 1, 2, 4 or 8 bytes
//! ```
//!
//! Words: every value in its width. Planes: the first bytes of all values, then the second bytes and so on, preceded by
//! a 16-bit number with two bits for each plane: 0 the plane is all zero and omitted, 1 it is a single repeated byte, 2
//! it is stored. Differences are from the previous value, zigzag-coded at 64 bits; the first value precedes them in 8
//! bytes, and its difference is 0.

use crate::bytes::{ByteReader, Malformed};

const ZERO: u8 = 0;
const SAME: u8 = 1;
const SIGNED: u8 = 8;

/// Encoding of a column whose values are not all the same. Which is best depends on the compressor: words when calls
/// repeat, planes when numbers change slowly, differences when they count up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    Words = 2,
    Planes = 3,
    DifferenceWords = 4,
    DifferencePlanes = 5,
}

impl Method {
    pub const ALL: [Method; 4] = [Method::Words, Method::Planes, Method::DifferenceWords, Method::DifferencePlanes];
}

/// Appends a column; calls `method` when a method is needed.
pub fn write(out: &mut Vec<u8>, values: &[u64], differences: &mut Vec<u64>, method: impl FnOnce() -> Method) {
    let Some(&first) = values.first() else { return };
    let mut differing = 0;
    let mut any = 0;
    let mut magnitude = 0;
    for &value in values {
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
        out.push(SAME | sign | width << 4);
        out.extend_from_slice(&first.to_le_bytes()[..1 << width]);
        return;
    }
    let method = method();
    match method {
        Method::Words | Method::Planes => {
            out.push(method as u8 | sign | width << 4);
            write_values(out, values, width, method == Method::Planes);
        }
        Method::DifferenceWords | Method::DifferencePlanes => {
            differences.clear();
            let mut before = first;
            differences.extend(values.iter().map(|value| {
                let difference = value.wrapping_sub(before) as i64;
                before = *value;
                ((difference << 1) ^ (difference >> 63)) as u64
            }));
            let any = differences.iter().fold(0, |all, difference| all | difference);
            let width = log_width(64 - any.leading_zeros());
            out.push(method as u8 | width << 4);
            out.extend_from_slice(&first.to_le_bytes());
            write_values(out, differences, width, method == Method::DifferencePlanes);
        }
    }
}

/// Reads a column of `count` values, replacing what is in `values`.
pub fn read(input: &mut ByteReader<'_>, count: usize, values: &mut Vec<u64>) -> Result<(), Malformed> {
    values.clear();
    if count == 0 {
        return Ok(());
    }
    let head = input.byte()?;
    let (method, width) = (head & 7, 1usize << (head >> 4 & 3));
    if method > Method::DifferencePlanes as u8 || head >= 64 {
        return Err(Malformed("unknown column encoding"));
    }
    let unused = 64 - 8 * width as u32;
    let signed = head & SIGNED != 0;
    let in_planes = method == Method::Planes as u8 || method == Method::DifferencePlanes as u8;
    match method {
        ZERO => values.resize(count, 0),
        SAME => {
            let mut word = [0; 8];
            word[..width].copy_from_slice(input.take(width)?);
            values.resize(count, extend(u64::from_le_bytes(word), unused, signed));
        }
        2 | 3 => {
            read_values(input, count, width, in_planes, values)?;
            if signed {
                for value in values {
                    *value = extend(*value, unused, true);
                }
            }
        }
        _ => {
            let mut value = u64::from_le_bytes(input.array()?);
            read_values(input, count, width, in_planes, values)?;
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

/// Returns the base-2 logarithm of the number of bytes that this many bits need.
fn log_width(bits: u32) -> u8 {
    match bits {
        0..=8 => 0,
        9..=16 => 1,
        17..=32 => 2,
        _ => 3,
    }
}

fn write_values(out: &mut Vec<u8>, values: &[u64], log_width: u8, in_planes: bool) {
    if in_planes {
        return write_planes(out, values, log_width);
    }
    match log_width {
        0 => out.extend(values.iter().map(|value| *value as u8)),
        1 => out.extend(values.iter().flat_map(|value| (*value as u16).to_le_bytes())),
        2 => out.extend(values.iter().flat_map(|value| (*value as u32).to_le_bytes())),
        _ => out.extend(values.iter().flat_map(|value| value.to_le_bytes())),
    }
}

fn read_values(
    input: &mut ByteReader<'_>,
    count: usize,
    width: usize,
    in_planes: bool,
    values: &mut Vec<u64>,
) -> Result<(), Malformed> {
    if in_planes {
        return read_planes(input, count, width, values);
    }
    let bytes = input.take(count.checked_mul(width).ok_or(Malformed("the data ends too early"))?)?;
    match width {
        1 => values.extend(bytes.iter().map(|byte| u64::from(*byte))),
        2 => values.extend(bytes.as_chunks().0.iter().map(|word| u64::from(u16::from_le_bytes(*word)))),
        4 => values.extend(bytes.as_chunks().0.iter().map(|word| u64::from(u32::from_le_bytes(*word)))),
        _ => values.extend(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word))),
    }
    Ok(())
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

fn read_planes(input: &mut ByteReader<'_>, count: usize, width: usize, values: &mut Vec<u64>) -> Result<(), Malformed> {
    let kinds = u16::from_le_bytes(input.array()?);
    values.resize(count, 0);
    for plane in 0..width {
        let shift = 8 * plane as u32;
        match kinds >> (2 * plane) & 3 {
            0 => {}
            1 => {
                let byte = u64::from(input.byte()?) << shift;
                values.iter_mut().for_each(|value| *value |= byte);
            }
            2 => {
                let bytes = input.take(count)?;
                values.iter_mut().zip(bytes).for_each(|(value, byte)| *value |= u64::from(*byte) << shift);
            }
            _ => return Err(Malformed("unknown plane encoding")),
        }
    }
    Ok(())
}
