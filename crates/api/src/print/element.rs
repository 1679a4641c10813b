//! Printing the memory that a pointer points to.

use std::fmt::{self, Formatter, Write};

use super::Limits;
use crate::extent::size_of;
use crate::{Library, Scalar, Value, enums};

/// Prints elements in braces, as many as the limits allow.
pub fn list(
    f: &mut Formatter<'_>,
    element: Value,
    bytes: &[u8],
    limits: Limits,
    one: impl Fn(&mut Formatter<'_>, u64) -> fmt::Result,
) -> fmt::Result {
    let size = size_of(element.scalar).max(1);
    let count = bytes.len() / size;
    f.write_char('{')?;
    for (index, chunk) in bytes.chunks_exact(size).take(limits.elements).enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        one(f, word(element.scalar, chunk))?;
    }
    if count > limits.elements {
        write!(f, ", … {} in all", count)?;
    }
    f.write_char('}')?;
    match bytes.len() % size {
        0 => Ok(()),
        rest => write!(f, " and {rest} bytes"),
    }
}

/// Prints bytes of unknown meaning: their number, and all of them when they are few.
pub fn raw(f: &mut Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    const FEW: usize = 16;
    write!(f, "[{} byte{}", bytes.len(), if bytes.len() == 1 { "" } else { "s" })?;
    if bytes.len() <= FEW {
        f.write_char(':')?;
        bytes.iter().try_for_each(|byte| write!(f, " {byte:02x}"))?;
    }
    f.write_char(']')
}

/// Prints a string up to its first zero, in quotes, with control characters escaped.
pub fn text(f: &mut Formatter<'_>, bytes: &[u8], limits: Limits) -> fmt::Result {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    f.write_char('"')?;
    for character in text.chars().take(limits.characters) {
        // Inside double quotes, a single quote needs no escape.
        if character == '\'' {
            f.write_char(character)?;
        } else {
            write!(f, "{}", character.escape_debug())?;
        }
    }
    f.write_char('"')?;
    match text.chars().count() {
        all if all > limits.characters => write!(f, "… {all} characters"),
        _ => Ok(()),
    }
}

/// Prints the strings of a payload, each of which follows its length.
pub fn texts(f: &mut Formatter<'_>, mut bytes: &[u8], limits: Limits) -> fmt::Result {
    f.write_char('{')?;
    let mut index = 0;
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        if index == limits.elements {
            f.write_char('…')?;
            break;
        }
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX).min(rest.len());
        let (this, after) = rest.split_at(length);
        text(f, this, limits)?;
        bytes = after;
        index += 1;
    }
    f.write_char('}')
}

/// Returns the arrays of a payload, each of which follows its size, as text; nothing when the bytes are not of that
/// form and so, most likely, are offsets into a buffer.
pub fn arrays(mut bytes: &[u8], limits: Limits) -> Option<String> {
    let mut text = String::from("{");
    let mut index = 0;
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        bytes = rest.get(length..)?;
        if index < limits.elements {
            text.push_str(if index == 0 { "" } else { ", " });
            text.push_str(&format!("[{length} bytes]"));
        } else if index == limits.elements {
            text.push_str(", …");
        }
        index += 1;
    }
    text.push('}');
    Some(text)
}

/// Prints attributes and their values, by name where they have one.
pub fn attributes(
    f: &mut Formatter<'_>,
    library: Library,
    scalar: Scalar,
    terminator: i64,
    bytes: &[u8],
    limits: Limits,
) -> fmt::Result {
    let size = size_of(scalar).max(1);
    f.write_char('{')?;
    for (index, pair) in bytes.chunks(2 * size).enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        if index == limits.elements {
            f.write_char('…')?;
            break;
        }
        let mut values = pair.chunks_exact(size).map(|chunk| word(scalar, chunk).cast_signed());
        let Some(attribute) = values.next() else { break };
        match enums::any_name(library, attribute) {
            Some(name) if attribute != 0 => f.write_str(name)?,
            _ if attribute == terminator => write!(f, "{attribute}")?,
            _ => write!(f, "{attribute:#x}")?,
        }
        if let Some(value) = values.next()
            && attribute != terminator
        {
            match enums::any_name(library, value) {
                Some(name) if value > 0xff => write!(f, " = {name}")?,
                _ => write!(f, " = {value}")?,
            }
        }
    }
    f.write_char('}')
}

/// Returns a stored value as a word, with signed integers sign-extended as in arguments.
fn word(scalar: Scalar, bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    let size = bytes.len().min(8);
    wide[..size].copy_from_slice(&bytes[..size]);
    let word = u64::from_le_bytes(wide);
    match scalar {
        Scalar::I8 => (word as i8) as i64 as u64,
        Scalar::I16 => (word as i16) as i64 as u64,
        Scalar::I32 => (word as i32) as i64 as u64,
        _ => word,
    }
}
