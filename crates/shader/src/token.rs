//! Tokens as they leave the preprocessor: position, spelling and the macro expansion that made them.

use crate::source::{Pos, Span};
use crate::symbol::Symbol;

/// What a token is. Words are all [`TokenKind::Word`] here: which of them are keywords depends on version, profile and
/// extensions, and is decided by the parser through the keyword table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are those of the characters")]
pub enum TokenKind {
    /// Identifier or keyword; `symbol` is its spelling.
    Word,
    /// A number as spelled (a preprocessing number, so also malformed ones); `symbol` is its spelling.
    Number,
    /// A character GLSL has no use for; reported by the lexer already.
    Unknown,
    /// End of the last string.
    Eof,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Dot,
    Comma,
    Semicolon,
    Colon,
    Question,
    Equal,
    EqualEqual,
    Bang,
    BangEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    LessLess,
    GreaterGreater,
    Plus,
    PlusPlus,
    PlusEqual,
    Minus,
    MinusMinus,
    MinusEqual,
    Star,
    StarEqual,
    Slash,
    SlashEqual,
    Percent,
    PercentEqual,
    LessLessEqual,
    GreaterGreaterEqual,
    Ampersand,
    AmpersandAmpersand,
    AmpersandEqual,
    Pipe,
    PipePipe,
    PipeEqual,
    Caret,
    CaretCaret,
    CaretEqual,
    Tilde,
    /// `#` outside a directive: an error except inside macro bodies of other languages.
    Hash,
    /// `##`, meaningful only in macro bodies.
    HashHash,
}

impl TokenKind {
    /// How punctuation is written; empty for words, numbers and the rest.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            TokenKind::Word | TokenKind::Number | TokenKind::Unknown | TokenKind::Eof => "",
            TokenKind::LeftParen => "(",
            TokenKind::RightParen => ")",
            TokenKind::LeftBracket => "[",
            TokenKind::RightBracket => "]",
            TokenKind::LeftBrace => "{",
            TokenKind::RightBrace => "}",
            TokenKind::Dot => ".",
            TokenKind::Comma => ",",
            TokenKind::Semicolon => ";",
            TokenKind::Colon => ":",
            TokenKind::Question => "?",
            TokenKind::Equal => "=",
            TokenKind::EqualEqual => "==",
            TokenKind::Bang => "!",
            TokenKind::BangEqual => "!=",
            TokenKind::Less => "<",
            TokenKind::LessEqual => "<=",
            TokenKind::Greater => ">",
            TokenKind::GreaterEqual => ">=",
            TokenKind::LessLess => "<<",
            TokenKind::GreaterGreater => ">>",
            TokenKind::Plus => "+",
            TokenKind::PlusPlus => "++",
            TokenKind::PlusEqual => "+=",
            TokenKind::Minus => "-",
            TokenKind::MinusMinus => "--",
            TokenKind::MinusEqual => "-=",
            TokenKind::Star => "*",
            TokenKind::StarEqual => "*=",
            TokenKind::Slash => "/",
            TokenKind::SlashEqual => "/=",
            TokenKind::Percent => "%",
            TokenKind::PercentEqual => "%=",
            TokenKind::LessLessEqual => "<<=",
            TokenKind::GreaterGreaterEqual => ">>=",
            TokenKind::Ampersand => "&",
            TokenKind::AmpersandAmpersand => "&&",
            TokenKind::AmpersandEqual => "&=",
            TokenKind::Pipe => "|",
            TokenKind::PipePipe => "||",
            TokenKind::PipeEqual => "|=",
            TokenKind::Caret => "^",
            TokenKind::CaretCaret => "^^",
            TokenKind::CaretEqual => "^=",
            TokenKind::Tilde => "~",
            TokenKind::Hash => "#",
            TokenKind::HashHash => "##",
        }
    }
}

/// Names one row of the expansion table; [`ExpansionId::NONE`] for tokens written by the author.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    /// The token stands in the text itself.
    pub const NONE: ExpansionId = ExpansionId(0);
}

/// One token of the preprocessed stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where its characters stand: in the text itself, in a macro's body, or (macro arguments) at the call. Tokens
    /// made by `##`, `__LINE__` and the like point at the characters that caused them.
    pub pos: Pos,
    /// Bytes in the source, continuation lines included; not the length of the spelling.
    pub len: u32,
    /// Spelling of words and numbers.
    pub symbol: Symbol,
    /// The innermost macro expansion this token went through (as body or as argument).
    pub expansion: ExpansionId,
}

impl Token {
    /// The token's own bytes (for a macro-made token: where it is spelled).
    #[must_use]
    pub fn span(&self) -> Span {
        Span::new(self.pos.0, self.pos.0 + self.len)
    }
}

/// One use of a macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The macro's name.
    pub name: Symbol,
    /// Where the macro was defined: its name in the `#define`, or an empty span for a predefined macro.
    pub definition: Span,
    /// The macro's replacement text, empty for a predefined macro: tells body tokens from argument tokens.
    pub body: Span,
    /// The call: name to closing parenthesis. If `parent` is set these positions lie in the parent's body or arguments;
    /// a call whose parentheses are not in the same place as its name is the name alone.
    pub call: Span,
    /// The expansion that produced the call, if the call itself came out of a macro.
    pub parent: ExpansionId,
}

/// Index of a token in the preprocessed stream.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TokenIndex(pub u32);

/// An inclusive run of tokens: what a node is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TokenSpan {
    /// First token.
    pub first: TokenIndex,
    /// Last token, inclusive.
    pub last: TokenIndex,
}
