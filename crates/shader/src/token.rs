//! Tokens as they leave the preprocessor: position, spelling and the macro expansion that made them.

use crate::source::{Pos, Span};
use crate::symbol::Symbol;

/// The kind of a token. All words are [`TokenKind::Word`] here: which of them are keywords depends on version, profile
/// and extensions, and is decided by the parser with the keyword table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are those of the characters")]
pub enum TokenKind {
    /// Identifier or keyword; `symbol` is its spelling.
    Word,
    /// A number as spelled, possibly malformed; `symbol` is its spelling.
    Number,
    /// A character without meaning in GLSL; reported by the lexer already.
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
    /// `#` outside of a directive: an error except inside of macro bodies.
    Hash,
    /// `##`, meaningful only in macro bodies.
    HashHash,
}

impl TokenKind {
    /// The spelling of punctuation; empty for words, numbers and the rest.
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

/// A row of the expansion table; [`ExpansionId::NONE`] for tokens of the original text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    /// The token is in the original text.
    pub const NONE: ExpansionId = ExpansionId(0);
}

/// One token of the preprocessed stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// The position of its characters: in the text itself, in a macro's body, or (for macro arguments) at the call.
    /// Tokens made by `##`, `__LINE__` and the like have the position of the characters that caused them.
    pub pos: Pos,
    /// Its length in the source in bytes, including continuation lines; not the length of the spelling.
    pub len: u32,
    /// Spelling of words and numbers.
    pub symbol: Symbol,
    /// The innermost macro expansion that the token went through (as body or as argument).
    pub expansion: ExpansionId,
}

impl Token {
    /// The token's own bytes (for a macro-made token: where it is spelled).
    #[must_use]
    pub fn span(&self) -> Span {
        Span::new(self.pos.0, self.pos.0 + self.len)
    }
}

/// A use of a macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The macro's name.
    pub name: Symbol,
    /// The definition: the macro's name in the `#define`, or an empty span for a predefined macro.
    pub definition: Span,
    /// The macro's replacement text, empty for a predefined macro: distinguishes body tokens from argument tokens.
    pub body: Span,
    /// The call: from the name to the closing parenthesis. If `parent` is set, these positions are in the parent's body
    /// or arguments; if the parentheses are not in the same expansion as the name, it is the name alone.
    pub call: Span,
    /// The expansion that produced the call, if it came from a macro.
    pub parent: ExpansionId,
}

/// Index of a token in the preprocessed stream.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TokenIndex(pub u32);

/// An inclusive range of tokens: those of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TokenSpan {
    /// First token.
    pub first: TokenIndex,
    /// Last token, inclusive.
    pub last: TokenIndex,
}
