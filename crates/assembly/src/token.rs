//! The tokenizer.

use crate::Fault;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TokenKind<'t> {
    /// A name or a reserved word.
    Word(&'t str),
    /// A number without a point or an exponent.
    Integer(u32),
    /// Any other number.
    Float(f32),
    /// `..`, as in a range.
    Range,
    /// A single character.
    Mark(char),
    /// The end of the program.
    End,
}

/// A token and its position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Token<'t> {
    pub kind: TokenKind<'t>,
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

/// The tokens from byte `from` up to the word `END`, after which anything may follow.
pub fn tokens(text: &str, from: usize) -> Result<Vec<Token<'_>>, Fault> {
    let bytes = text.as_bytes();
    let (mut list, mut at) = (Vec::new(), from);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let kind = match byte {
            b'#' => {
                at += bytes[at..].iter().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
                continue;
            }
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => {
                at += length(&bytes[at..], |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
                TokenKind::Word(&text[start..at])
            }
            b'0'..=b'9' => number(text, &mut at),
            b'.' if bytes.get(at + 1) == Some(&b'.') => {
                at += 2;
                TokenKind::Range
            }
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => number(text, &mut at),
            b'.' | b',' | b';' | b':' | b'=' | b'[' | b']' | b'{' | b'}' | b'+' | b'-' | b'|' | b'(' | b')' => {
                at += 1;
                TokenKind::Mark(char::from(byte))
            }
            _ => return Err(fault(text, at, "unexpected character")),
        };
        list.push(Token { kind, start, end: at });
        if kind == TokenKind::Word("END") {
            break;
        }
    }
    list.push(Token { kind: TokenKind::End, start: at, end: at });
    Ok(list)
}

/// An error at a byte.
pub fn fault(text: &str, position: usize, message: impl Into<String>) -> Fault {
    let before = &text.as_bytes()[..position.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    Fault { position, line, message: message.into() }
}

fn length(bytes: &[u8], is: impl Fn(&u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is(byte)).count()
}

/// Reads a number. A point followed by another point belongs to a range.
fn number<'t>(text: &'t str, at: &mut usize) -> TokenKind<'t> {
    let (bytes, start) = (text.as_bytes(), *at);
    let digits = |at: usize| length(&bytes[at..], u8::is_ascii_digit);
    *at += digits(*at);
    let mut whole = true;
    if bytes.get(*at) == Some(&b'.') && bytes.get(*at + 1) != Some(&b'.') {
        whole = false;
        *at += 1;
        *at += digits(*at);
    }
    if matches!(bytes.get(*at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(*at + 1), Some(b'+' | b'-')));
        let exponent = digits((*at + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            whole = false;
            *at += 1 + sign + exponent;
        }
    }
    let text = &text[start..*at];
    match text.parse() {
        Ok(number) if whole => TokenKind::Integer(number),
        _ => TokenKind::Float(text.parse().unwrap_or(0.0)),
    }
}
