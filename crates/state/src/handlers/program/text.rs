//! Texts that commands are given and that queries write.

use crate::answer::{Answer, Values};
use crate::variable::Kind;

/// Texts as they are recorded one behind the other: the length of each, then its bytes.
pub fn several(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut texts = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let Some((text, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize) else { break };
        texts.push(text);
        bytes = rest;
    }
    texts
}

/// A text up to its final zero, if it has one.
pub fn until_zero(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A text as far as there is room for it, and how much that is.
pub struct Written {
    pub length: Answer,
    pub text: Answer,
}

/// What a query writes that is told how much room there is.
pub fn part(text: &[u8], room: i32) -> Written {
    // The final zero takes a byte of the room.
    let fits = usize::try_from(room - 1).unwrap_or(0);
    let text = &text[..text.len().min(fits)];
    Written {
        length: Answer::one(Kind::Integer, text.len() as f64),
        text: Answer { kind: Kind::Integer, values: Values::Text(String::from_utf8_lossy(text).into_owned()) },
    }
}

/// The same as an answer: the length goes to one parameter, the text to another.
pub fn written(text: &[u8], room: i32, length: u8, place: u8) -> Answer {
    let written = part(text, room);
    outputs(vec![(length, written.length), (place, written.text)])
}

/// An answer of several parts.
pub fn outputs(parts: Vec<(u8, Answer)>) -> Answer {
    Answer { kind: Kind::Integer, values: Values::Outputs(parts) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart_and_broken_ones_end_them() {
        assert_eq!(several(&[2, 0, 0, 0, b'a', b'b', 0, 0, 0, 0, 1, 0, 0, 0, b'c']), [&b"ab"[..], b"", b"c"]);
        assert_eq!(several(&[9, 0, 0, 0, b'a']), Vec::<&[u8]>::new());
        assert_eq!(until_zero(b"ab\0c"), b"ab");
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let Values::Outputs(parts) = written(b"abc", 3, 0, 1).values else { panic!() };
        assert_eq!(parts[0].1.values, Values::Numbers(vec![2.0]));
        assert_eq!(parts[1].1.values, Values::Text("ab".into()));
    }
}
