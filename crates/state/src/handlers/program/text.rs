//! Strings that commands read and queries write.

use crate::answer::{Answer, Values};
use crate::variable::NumberType;

/// Splits recorded strings: each is preceded by its length.
pub fn several(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut texts = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let Some((text, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize) else { break };
        texts.push(text);
        bytes = rest;
    }
    texts
}

/// Returns a string up to its NUL, if it has one.
pub fn until_zero(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A string as far as it fits the buffer, and its length.
pub struct Written {
    pub length: Answer,
    pub text: Answer,
}

/// Returns what a query with a buffer size writes.
pub fn part(text: &[u8], room: i32) -> Written {
    // The terminating NUL takes one byte of the buffer.
    let fits = usize::try_from(room - 1).unwrap_or(0);
    let text = &text[..text.len().min(fits)];
    Written {
        length: Answer::one(NumberType::Integer, text.len() as f64),
        text: Answer { kind: NumberType::Integer, values: Values::Text(String::from_utf8_lossy(text).into_owned()) },
    }
}

/// Returns the same as an answer: the length goes to one parameter, the string to another.
pub fn written(text: &[u8], room: i32, length: u8, place: u8) -> Answer {
    let written = part(text, room);
    outputs(vec![(length, written.length), (place, written.text)])
}

/// Returns an answer with several outputs.
pub fn outputs(parts: Vec<(u8, Answer)>) -> Answer {
    Answer { kind: NumberType::Integer, values: Values::Outputs(parts) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_split_up_to_the_first_invalid_one() {
        assert_eq!(several(&[2, 0, 0, 0, b'a', b'b', 0, 0, 0, 0, 1, 0, 0, 0, b'c']), [&b"ab"[..], b"", b"c"]);
        assert_eq!(several(&[9, 0, 0, 0, b'a']), Vec::<&[u8]>::new());
        assert_eq!(until_zero(b"ab\0c"), b"ab");
    }

    #[test]
    fn strings_are_truncated_to_the_buffer() {
        let Values::Outputs(parts) = written(b"abc", 3, 0, 1).values else { panic!() };
        assert_eq!(parts[0].1.values, Values::Numbers(vec![2.0]));
        assert_eq!(parts[1].1.values, Values::Text("ab".into()));
    }
}
