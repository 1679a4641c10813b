//! Names and values: what a driver answered to plain queries.
//!
//! Each answer is, as 32-bit numbers, the name that was asked for, an index, what the values are (0: integers,
//! 1: floating point, 2: text) and how many there are; then the values, 8 bytes each, or the bytes of the text.

use super::Unreadable;
use super::bytes::{Reader, Writer};

/// What was answered.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// Integers, enums and booleans.
    Integers(Vec<i64>),
    /// Numbers with fractions.
    Floats(Vec<f64>),
    /// Text, without a final zero.
    Text(Vec<u8>),
}

/// An answer: the name that was asked for, the index, and what was given.
pub type Answer = (u32, u32, Given);

/// Answers as bytes.
#[must_use]
pub fn encode(answers: &[Answer]) -> Vec<u8> {
    let mut out = Writer::default();
    for (name, index, given) in answers {
        out.word(*name);
        out.word(*index);
        match given {
            Given::Integers(integers) => {
                out.word(0);
                out.count(integers.len());
                integers.iter().for_each(|integer| out.bytes.extend_from_slice(&integer.to_le_bytes()));
            }
            Given::Floats(floats) => {
                out.word(1);
                out.count(floats.len());
                floats.iter().for_each(|float| out.bytes.extend_from_slice(&float.to_le_bytes()));
            }
            Given::Text(text) => {
                out.word(2);
                out.text(text);
            }
        }
    }
    out.bytes
}

/// Answers from bytes.
///
/// # Errors
/// When they are no answers.
pub fn decode(bytes: &[u8]) -> Result<Vec<Answer>, Unreadable> {
    let mut from = Reader { bytes };
    let mut answers = Vec::new();
    while !from.bytes.is_empty() {
        let (name, index) = (from.word()?, from.word()?);
        let given = match from.word()? {
            0 => Given::Integers(from.list(8, |from| Ok(from.long()?.cast_signed()))?),
            1 => Given::Floats(from.list(8, |from| Ok(f64::from_bits(from.long()?)))?),
            2 => Given::Text(from.text()?),
            _ => return Err(Unreadable),
        };
        answers.push((name, index, given));
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let answers = vec![
            (0x0D33, 0, Given::Integers(vec![16384, -1])),
            (0x846D, 3, Given::Floats(vec![1.0, 255.5])),
            (0x8B84, 1, Given::Text(b"0:1(2): error".to_vec())),
            (1, 2, Given::Integers(Vec::new())),
        ];
        let bytes = encode(&answers);
        assert_eq!(decode(&bytes), Ok(answers));
        assert_eq!(decode(&[]), Ok(Vec::new()));
        assert_eq!(decode(&bytes[..bytes.len() - 1]), Err(Unreadable));
        assert_eq!(decode(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]), Err(Unreadable));
        assert_eq!(decode(&[0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]), Err(Unreadable));
    }
}
