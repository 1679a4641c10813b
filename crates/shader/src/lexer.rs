//! The lexer: characters to tokens.
//!
//! Line continuations are processed first (GLSL 4.60, 3.1), before comments and tokens, so they are removed from the
//! text up front, and only if there are any; the lexer itself never sees one and maps its positions back.

use std::borrow::Cow;
use std::ops::Range;

use crate::source::{Pos, Span};
use crate::symbol::{Symbol, Symbols};
use crate::token::{ExpansionId, Token, TokenKind};

/// The text without its line continuations.
pub(crate) struct Spliced<'a> {
    text: Cow<'a, str>,
    cuts: Vec<Cut>,
}

/// A position where a continuation was removed.
#[derive(Clone, Copy)]
struct Cut {
    /// Offset in the spliced text of the character after it.
    at: u32,
    /// The number of bytes removed up to there, including this cut.
    removed: u32,
}

impl<'a> Spliced<'a> {
    /// Removes every backslash directly before a newline, with that newline.
    pub(crate) fn new(text: &'a str) -> Spliced<'a> {
        let bytes = text.as_bytes();
        let mut clean = String::new();
        let mut cuts: Vec<Cut> = Vec::new();
        let mut copied = 0;
        let mut at = 0;
        while let Some(found) = text[at..].find('\\') {
            let backslash = at + found;
            let length = newline(bytes, backslash + 1);
            at = backslash + 1 + length;
            if length > 0 {
                clean.push_str(&text[copied..backslash]);
                copied = at;
                let removed = cuts.last().map_or(0, |cut| cut.removed) + 1 + length as u32;
                cuts.push(Cut { at: clean.len() as u32, removed });
            }
        }
        if cuts.is_empty() {
            return Spliced { text: Cow::Borrowed(text), cuts };
        }
        clean.push_str(&text[copied..]);
        Spliced { text: Cow::Owned(clean), cuts }
    }

    /// The offset in the spliced text of an offset in the original.
    fn offset(&self, original: u32) -> usize {
        let passed = self.cuts.partition_point(|cut| cut.at + cut.removed <= original);
        let removed = if passed > 0 { self.cuts[passed - 1].removed } else { 0 };
        (original - removed) as usize
    }

    /// The position of the first removed backslash.
    pub(crate) fn first_cut(&self) -> Option<Pos> {
        self.cuts.first().map(|cut| Pos(cut.at))
    }
}

/// A token with information for the preprocessor.
#[derive(Clone, Copy)]
pub(crate) struct Lexeme {
    /// The token.
    pub(crate) token: Token,
    /// [`SPACE`], [`LINE_START`], [`PAINTED`].
    pub(crate) flags: u8,
}

/// White space or a comment precedes the token.
pub(crate) const SPACE: u8 = 1;
/// The token is the first of its line.
pub(crate) const LINE_START: u8 = 2;
/// The token names a macro inside that macro's own expansion and is never expanded again.
pub(crate) const PAINTED: u8 = 4;

/// Tokenises the spliced text.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    cuts: &'a [Cut],
    at: usize,
    /// Cuts before the last mapped offset.
    passed: usize,
    line_start: bool,
    /// The start of an unterminated comment.
    pub(crate) unterminated: Option<Span>,
}

impl<'a> Lexer<'a> {
    /// A lexer for a range of the text, given as offsets before splicing.
    pub(crate) fn over(spliced: &'a Spliced<'a>, range: Range<u32>) -> Lexer<'a> {
        let text = &spliced.text[..spliced.offset(range.end)];
        Lexer {
            text,
            bytes: text.as_bytes(),
            cuts: &spliced.cuts,
            at: spliced.offset(range.start).min(text.len()),
            passed: 0,
            line_start: true,
            unterminated: None,
        }
    }

    /// The next token, on this line or a later one.
    #[inline]
    pub(crate) fn next(&mut self, symbols: &mut Symbols) -> Lexeme {
        let mut flags = 0;
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | 0x0b | 0x0c) => {
                    self.at += 1;
                    flags |= SPACE;
                }
                Some(b'\n' | b'\r') => {
                    self.at += 1;
                    self.line_start = true;
                    flags |= SPACE;
                }
                Some(b'/') if self.comment() => flags |= SPACE,
                _ => break,
            }
        }
        if self.line_start {
            flags |= LINE_START;
            self.line_start = false;
        }
        self.token(symbols, flags)
    }

    /// The next token of this line; does not consume the newline.
    pub(crate) fn next_in_line(&mut self, symbols: &mut Symbols) -> Option<Lexeme> {
        let mut flags = 0;
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | 0x0b | 0x0c) => {
                    self.at += 1;
                    flags |= SPACE;
                }
                None | Some(b'\n' | b'\r') => return None,
                Some(b'/') if self.comment() => flags |= SPACE,
                Some(_) => return Some(self.token(symbols, flags)),
            }
        }
    }

    /// Whether the next token is an opening parenthesis; consumes nothing.
    pub(crate) fn peek_paren(&self) -> bool {
        let mut ahead = Lexer { unterminated: None, ..*self };
        loop {
            match ahead.bytes.get(ahead.at) {
                Some(b' ' | b'\t' | 0x0b | 0x0c | b'\n' | b'\r') => ahead.at += 1,
                Some(b'/') if ahead.comment() => {}
                next => return next == Some(&b'('),
            }
        }
    }

    /// Skips everything up to and including a `#` that begins a directive; false at the end of the text.
    pub(crate) fn skip_to_directive(&mut self) -> bool {
        loop {
            match self.bytes.get(self.at) {
                None => return false,
                Some(b' ' | b'\t' | 0x0b | 0x0c) => self.at += 1,
                Some(b'\n' | b'\r') => {
                    self.at += 1;
                    self.line_start = true;
                }
                Some(b'/') if self.comment() => {}
                Some(b'#') if self.line_start => {
                    self.at += 1;
                    self.line_start = false;
                    return true;
                }
                Some(_) => {
                    self.at += 1;
                    self.line_start = false;
                }
            }
        }
    }

    /// Skips the rest of the line without its newline, and returns its span without comments at either end.
    pub(crate) fn skip_line(&mut self) -> Span {
        let mut first = None;
        let mut last = self.at;
        loop {
            match self.bytes.get(self.at) {
                None | Some(b'\n' | b'\r') => break,
                Some(b' ' | b'\t' | 0x0b | 0x0c) => self.at += 1,
                Some(b'/') if self.comment() => {}
                Some(_) => {
                    first.get_or_insert(self.at);
                    self.at += 1;
                    last = self.at;
                }
            }
        }
        self.span(first.unwrap_or(last), last)
    }

    /// Skips the rest of the line without its newline, and returns its complete span, including comments.
    pub(crate) fn raw_line(&mut self) -> Span {
        while let Some(b' ' | b'\t' | 0x0b | 0x0c) = self.bytes.get(self.at) {
            self.at += 1;
        }
        let start = self.at;
        let rest = &self.bytes[start..];
        self.at += rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        self.span(start, self.at)
    }

    /// Start of the line after this one.
    pub(crate) fn next_line(&mut self) -> Pos {
        let end = self.at + newline(self.bytes, self.at);
        Pos(self.origin(end as u32))
    }

    /// Discards the rest of the text.
    pub(crate) fn stop(&mut self) {
        self.at = self.bytes.len();
    }

    /// Skips a comment; false if this slash does not begin one.
    fn comment(&mut self) -> bool {
        match self.bytes.get(self.at + 1) {
            Some(b'/') => {
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
                true
            }
            Some(b'*') => {
                let start = self.at;
                self.at += 2;
                loop {
                    let rest = &self.bytes[self.at..];
                    let Some(star) = rest.iter().position(|b| *b == b'*') else {
                        self.at = self.bytes.len();
                        self.unterminated = Some(self.span(start, start + 2));
                        return true;
                    };
                    self.at += star + 1;
                    if self.bytes.get(self.at) == Some(&b'/') {
                        self.at += 1;
                        return true;
                    }
                }
            }
            _ => false,
        }
    }

    /// The token here, after white space; [`TokenKind::Eof`] at the end.
    fn token(&mut self, symbols: &mut Symbols, flags: u8) -> Lexeme {
        let start = self.at;
        let (kind, length) = scan(&self.bytes[start..]);
        self.at += length;
        let symbol = match kind {
            TokenKind::Word | TokenKind::Number => symbols.intern(&self.text[start..self.at]),
            _ => Symbol::EMPTY,
        };
        let span = self.span(start, self.at);
        let token = Token { kind, pos: span.start, len: span.len(), symbol, expansion: ExpansionId::NONE };
        Lexeme { token, flags }
    }

    /// Maps a range of spliced text to the original; a continuation after it is not included.
    fn span(&mut self, start: usize, end: usize) -> Span {
        let (start, end) = (start as u32, end as u32);
        if self.cuts.is_empty() {
            return Span::new(start, end);
        }
        let from = self.origin(start);
        let to = if end > start { self.origin(end - 1) + 1 } else { from };
        Span::new(from, to)
    }

    fn origin(&mut self, at: u32) -> u32 {
        // Offsets are almost in order, so the search takes at most one step; the start of a comment is the exception.
        while self.passed > 0 && self.cuts[self.passed - 1].at > at {
            self.passed -= 1;
        }
        while self.cuts.get(self.passed).is_some_and(|cut| cut.at <= at) {
            self.passed += 1;
        }
        at + if self.passed > 0 { self.cuts[self.passed - 1].removed } else { 0 }
    }
}

/// Reads text that should be a single token, such as the result of `##`.
pub(crate) fn single(text: &str) -> Option<TokenKind> {
    let (kind, length) = scan(text.as_bytes());
    (length == text.len() && !matches!(kind, TokenKind::Eof | TokenKind::Unknown)).then_some(kind)
}

/// The length of the newline here, zero if there is none: CR, LF, CRLF and LFCR are one newline each (GLSL 4.60, 3.1).
fn newline(bytes: &[u8], at: usize) -> usize {
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\n'), Some(b'\r')) | (Some(b'\r'), Some(b'\n')) => 2,
        (Some(b'\n' | b'\r'), _) => 1,
        _ => 0,
    }
}

/// The classes of a byte.
const WORD: u8 = 1;
const DIGIT: u8 = 2;
const BAD: u8 = 4;

static CLASS: [u8; 256] = {
    let mut class = [BAD; 256];
    let mut b = 0;
    while b < 256 {
        class[b] = match b as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => WORD,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'.' | b',' | b';' | b':' | b'?' | b'=' | b'!' | b'<' | b'>'
            | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'~' | b'#' | b' ' | b'\t' | 0x0b | 0x0c
            | b'\n' | b'\r' => 0,
            _ => BAD,
        };
        b += 1;
    }
    class
};

/// Kind and length of the token at the start of `bytes`.
#[inline]
fn scan(bytes: &[u8]) -> (TokenKind, usize) {
    use TokenKind as K;
    let Some(first) = bytes.first() else { return (K::Eof, 0) };
    let run =
        |from: usize, class: u8| bytes[from..].iter().take_while(|b| CLASS[usize::from(**b)] & class != 0).count();
    match CLASS[usize::from(*first)] {
        WORD => return (K::Word, run(0, WORD | DIGIT)),
        DIGIT => return (K::Number, number(bytes)),
        BAD => return (K::Unknown, run(0, BAD)),
        _ => {}
    }
    let second = bytes.get(1).copied().unwrap_or(0);
    let third = bytes.get(2).copied().unwrap_or(0);
    match (first, second) {
        (b'(', _) => (K::LeftParen, 1),
        (b')', _) => (K::RightParen, 1),
        (b',', _) => (K::Comma, 1),
        (b';', _) => (K::Semicolon, 1),
        (b'.', b'0'..=b'9') => (K::Number, number(bytes)),
        (b'.', _) => (K::Dot, 1),
        (b'[', _) => (K::LeftBracket, 1),
        (b']', _) => (K::RightBracket, 1),
        (b'{', _) => (K::LeftBrace, 1),
        (b'}', _) => (K::RightBrace, 1),
        (b':', _) => (K::Colon, 1),
        (b'?', _) => (K::Question, 1),
        (b'~', _) => (K::Tilde, 1),
        (b'=', b'=') => (K::EqualEqual, 2),
        (b'=', _) => (K::Equal, 1),
        (b'!', b'=') => (K::BangEqual, 2),
        (b'!', _) => (K::Bang, 1),
        (b'<', b'<') if third == b'=' => (K::LessLessEqual, 3),
        (b'<', b'<') => (K::LessLess, 2),
        (b'<', b'=') => (K::LessEqual, 2),
        (b'<', _) => (K::Less, 1),
        (b'>', b'>') if third == b'=' => (K::GreaterGreaterEqual, 3),
        (b'>', b'>') => (K::GreaterGreater, 2),
        (b'>', b'=') => (K::GreaterEqual, 2),
        (b'>', _) => (K::Greater, 1),
        (b'+', b'+') => (K::PlusPlus, 2),
        (b'+', b'=') => (K::PlusEqual, 2),
        (b'+', _) => (K::Plus, 1),
        (b'-', b'-') => (K::MinusMinus, 2),
        (b'-', b'=') => (K::MinusEqual, 2),
        (b'-', _) => (K::Minus, 1),
        (b'*', b'=') => (K::StarEqual, 2),
        (b'*', _) => (K::Star, 1),
        (b'/', b'=') => (K::SlashEqual, 2),
        (b'/', _) => (K::Slash, 1),
        (b'%', b'=') => (K::PercentEqual, 2),
        (b'%', _) => (K::Percent, 1),
        (b'&', b'&') => (K::AmpersandAmpersand, 2),
        (b'&', b'=') => (K::AmpersandEqual, 2),
        (b'&', _) => (K::Ampersand, 1),
        (b'|', b'|') => (K::PipePipe, 2),
        (b'|', b'=') => (K::PipeEqual, 2),
        (b'|', _) => (K::Pipe, 1),
        (b'^', b'^') => (K::CaretCaret, 2),
        (b'^', b'=') => (K::CaretEqual, 2),
        (b'^', _) => (K::Caret, 1),
        (b'#', b'#') => (K::HashHash, 2),
        (b'#', _) => (K::Hash, 1),
        _ => (K::Unknown, 1),
    }
}

/// The length of a number: the longest valid form, and all letters and digits attached to it, so that `1u32` is one
/// malformed number and not a number and a name. Unlike C, GLSL has no preprocessing numbers: `0x1e+1` is a sum.
fn number(bytes: &[u8]) -> usize {
    let class = |at: usize| bytes.get(at).map_or(0, |b| CLASS[usize::from(*b)]);
    let mut at = 0;
    if bytes[0] != b'0' || !matches!(bytes.get(1), Some(b'x' | b'X')) {
        while class(at) == DIGIT {
            at += 1;
        }
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            while class(at) == DIGIT {
                at += 1;
            }
        }
        if let (Some(b'e' | b'E'), Some(b'+' | b'-')) = (bytes.get(at), bytes.get(at + 1))
            && class(at + 2) == DIGIT
        {
            at += 2;
        }
    }
    while class(at) & (WORD | DIGIT) != 0 {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{Lexer, Spliced};
    use crate::symbol::Symbols;
    use crate::token::TokenKind;

    /// Compares the tokens' original spans and, for words and numbers, spellings that differ from the span's text.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let spliced = Spliced::new(text);
        let mut lexer = Lexer::over(&spliced, 0..text.len() as u32);
        let mut symbols = Symbols::default();
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next(&mut symbols).token;
            if token.kind == TokenKind::Eof {
                break;
            }
            let span = token.span();
            let spelled = &text[span.start.0 as usize..span.end.0 as usize];
            let name = symbols.name(token.symbol);
            tokens.push(if name.is_empty() || name == spelled { spelled.into() } else { format!("{spelled}={name}") });
        }
        assert_eq!(tokens, expected);
    }

    #[test]
    fn numbers() {
        check("1. .5 1e-8 1.0f 1.0lf 0x1Fu", &["1.", ".5", "1e-8", "1.0f", "1.0lf", "0x1Fu"]);
        check(
            "1.0.x 1..x 1e+x 1e 08 1u32 1.0abc",
            &["1.0", ".", "x", "1.", ".", "x", "1e", "+", "x", "1e", "08", "1u32", "1.0abc"],
        );
        check("0x1e+1 a.b 1-1", &["0x1e", "+", "1", "a", ".", "b", "1", "-", "1"]);
    }

    #[test]
    fn operators() {
        check("a<<=b>>=c<<d>>e", &["a", "<<=", "b", ">>=", "c", "<<", "d", ">>", "e"]);
        check(
            "++--+=-=*=/=%=&&||^^&=|=^===!=<=>=",
            &["++", "--", "+=", "-=", "*=", "/=", "%=", "&&", "||", "^^", "&=", "|=", "^=", "==", "!=", "<=", ">="],
        );
        check("+ +=~!?:;,.[]{}()", &["+", "+=", "~", "!", "?", ":", ";", ",", ".", "[", "]", "{", "}", "(", ")"]);
    }

    #[test]
    fn comments() {
        check("a//b\nc/*d*/e/*/f*/g/**/h", &["a", "c", "e", "g", "h"]);
        check("a // \u{fc}\u{20ac}\r\nb /* \u{fc} */ c", &["a", "b", "c"]);
        check("a/b", &["a", "/", "b"]);
        check("a /* b", &["a"]);
    }

    #[test]
    fn continuations() {
        check("ab\\\ncd e", &["ab\\\ncd=abcd", "e"]);
        check("a\\\r\nb\\\rc\\\n\rd", &["a\\\r\nb\\\rc\\\n\rd=abcd"]);
        check("+\\\n= a\\\n", &["+\\\n=", "a"]);
        check("a // b \\\n c\nd", &["a", "d"]);
        check("a /\\\n* b *\\\n/ c", &["a", "c"]);
        check("\\\n\\\na\\\n\\\nb", &["a\\\n\\\nb=ab"]);
        check("a \\ b", &["a", "\\", "b"]);
    }

    #[test]
    fn unknown_characters_come_in_runs() {
        check("a @@$ \"x\" \u{fc}\u{fc}b", &["a", "@@$", "\"", "x", "\"", "\u{fc}\u{fc}", "b"]);
    }
}
