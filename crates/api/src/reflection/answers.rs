//! Names and values: the answers of a driver to plain queries.
//!
//! Each answer consists of four 32-bit numbers - the name that was queried, an index, the type of the values (0:
//! integers, 1: floating point, 2: text) and their number - and the values, 8 bytes each, or the bytes of the text.

use super::Unreadable;
use super::bytes::{Reader, Writer};

/// The values of an answer.
#[derive(Clone, PartialEq, Debug)]
pub enum AnswerValues {
    /// Integers, enums and booleans.
    Integers(Vec<i64>),
    /// Floating-point numbers.
    Floats(Vec<f64>),
    /// A string, without the final zero.
    Text(Vec<u8>),
}

/// An answer: the name that was queried, the index and the values.
pub type Answer = (u32, u32, AnswerValues);

/// Returns answers as bytes.
#[must_use]
pub fn encode(answers: &[Answer]) -> Vec<u8> {
    let mut out = Writer::default();
    for (name, index, given) in answers {
        out.word(*name);
        out.word(*index);
        match given {
            AnswerValues::Integers(integers) => {
                out.word(0);
                out.count(integers.len());
                integers.iter().for_each(|integer| out.bytes.extend_from_slice(&integer.to_le_bytes()));
            }
            AnswerValues::Floats(floats) => {
                out.word(1);
                out.count(floats.len());
                floats.iter().for_each(|float| out.bytes.extend_from_slice(&float.to_le_bytes()));
            }
            AnswerValues::Text(text) => {
                out.word(2);
                out.text(text);
            }
        }
    }
    out.bytes
}

/// Reads answers from bytes.
///
/// # Errors
/// When the bytes are not answers.
pub fn decode(bytes: &[u8]) -> Result<Vec<Answer>, Unreadable> {
    let mut from = Reader { bytes };
    let mut answers = Vec::new();
    while !from.bytes.is_empty() {
        let (name, index) = (from.word()?, from.word()?);
        let given = match from.word()? {
            0 => AnswerValues::Integers(from.list(8, |from| Ok(from.long()?.cast_signed()))?),
            1 => AnswerValues::Floats(from.list(8, |from| Ok(f64::from_bits(from.long()?)))?),
            2 => AnswerValues::Text(from.text()?),
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
            (0x0D33, 0, AnswerValues::Integers(vec![16384, -1])),
            (0x846D, 3, AnswerValues::Floats(vec![1.0, 255.5])),
            (0x8B84, 1, AnswerValues::Text(b"0:1(2): error".to_vec())),
            (1, 2, AnswerValues::Integers(Vec::new())),
        ];
        let bytes = encode(&answers);
        assert_eq!(decode(&bytes), Ok(answers));
        assert_eq!(decode(&[]), Ok(Vec::new()));
        assert_eq!(decode(&bytes[..bytes.len() - 1]), Err(Unreadable));
        assert_eq!(decode(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]), Err(Unreadable));
        assert_eq!(decode(&[0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]), Err(Unreadable));
    }
}
