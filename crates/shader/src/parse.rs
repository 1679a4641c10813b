//! Tokens to syntax tree.
//!
//! A hand-written recursive-descent parser. GLSL's grammar depends on which names are types, so structure names are
//! tracked through scopes here (variables may shadow them). Errors are reported where they are found and parsing
//! resumes at the next statement or declaration.

mod decl;
mod expr;
mod names;
mod stmt;

use crate::ast::{DeclKind, ExprId, Name, Tree};
use crate::builtin::{Keyword, Word, Words};
use crate::diagnostic::Diagnostic;
use crate::dialect::Timeline;
use crate::preprocess::Preprocessed;
use crate::symbol::Symbol;
use crate::token::{Token, TokenIndex, TokenKind, TokenSpan};
use crate::types::Type;

use names::TypeNames;

/// The maximum nesting depth of parentheses, blocks and operators. Deep enough for any program; shallow enough that no
/// traversal of the tree exhausts a small stack.
pub const MAX_DEPTH: u32 = 400;

/// The number of syntax errors after which parsing stops.
const MAX_ERRORS: usize = 1_000;

/// The tree and the syntax errors.
pub struct Parsed {
    /// The tree, complete except for what could not be parsed.
    pub tree: Tree,
    /// Syntax errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a preprocessed shader.
#[must_use]
pub fn parse(input: &Preprocessed, timeline: &Timeline) -> Parsed {
    let mut parser = Parser {
        input,
        tokens: &input.tokens,
        timeline,
        segment: 0,
        words: timeline.words(0),
        at: 0,
        tree: Tree::default(),
        names: TypeNames::new(input.symbols.len()),
        depth: 0,
        diagnostics: Vec::new(),
    };
    parser.tree.exprs.reserve(input.tokens.len() / 2);
    parser.translation_unit();
    Parsed { tree: parser.tree, diagnostics: parser.diagnostics }
}

/// The error has been reported; unwind to the next point where parsing can resume.
struct Unwind;

type Parse<T> = Result<T, Unwind>;

struct Parser<'a> {
    input: &'a Preprocessed,
    tokens: &'a [Token],
    timeline: &'a Timeline,
    segment: usize,
    words: &'a Words,
    at: usize,
    tree: Tree,
    names: TypeNames,
    depth: u32,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn translation_unit(&mut self) {
        while self.kind() != TokenKind::Eof {
            let start = self.at;
            self.depth = 0;
            let decl = match self.external_declaration() {
                Ok(decl) => decl,
                Err(Unwind) => {
                    self.names.unwind_to_global();
                    self.skip_declaration(start);
                    self.tree.add_decl(DeclKind::Error, self.span_from(start))
                }
            };
            self.tree.items.push(decl);
        }
    }

    /// Skips to just after the `;` or `}` that ends the broken declaration.
    fn skip_declaration(&mut self, start: usize) {
        if self.at == start {
            self.bump();
        }
        // Unwinding out of a function body leaves the cursor inside of its braces, so those opened since `start` count.
        let mut open = self.open_braces(start);
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace => {
                    open -= 1;
                    if open <= 0 {
                        self.bump();
                        if self.kind() == TokenKind::Semicolon {
                            self.bump();
                        }
                        return;
                    }
                }
                TokenKind::Semicolon if open <= 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// The number of braces opened and not closed between `start` and the cursor.
    fn open_braces(&self, start: usize) -> i32 {
        let step = |token: &Token| match token.kind {
            TokenKind::LeftBrace => 1,
            TokenKind::RightBrace => -1,
            _ => 0,
        };
        self.tokens[start..self.at].iter().map(step).sum()
    }

    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::Eof, |t| t.kind)
    }

    fn bump(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
            if self.timeline.segment_starts_at(self.segment + 1, self.at) {
                while self.timeline.segment_starts_at(self.segment + 1, self.at) {
                    self.segment += 1;
                }
                self.words = self.timeline.words(self.segment);
            }
        }
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// The meaning of the word at the cursor; `None` if it is not a word.
    fn word(&self) -> Option<Word> {
        self.word_at(0)
    }

    fn word_at(&self, ahead: usize) -> Option<Word> {
        let token = self.tokens.get(self.at + ahead)?;
        (token.kind == TokenKind::Word).then(|| self.words.get(token.symbol))
    }

    fn keyword(&self) -> Option<Keyword> {
        match self.word() {
            Some(Word::Keyword(keyword)) => Some(keyword),
            _ => None,
        }
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.keyword() == Some(keyword);
        if found {
            self.bump();
        }
        found
    }

    /// `unsigned int`, which EXT_gpu_shader4 spells as two words; eats the first and leaves the cursor at `int`.
    fn eat_unsigned(&mut self) -> bool {
        let token = self.tokens[self.at];
        let two_words = token.kind == TokenKind::Word
            && self.words.get(token.symbol) == Word::Keyword(Keyword::Unsigned)
            && self.word_at(1) == Some(Word::Type(Type::INT));
        if two_words {
            self.bump();
        }
        two_words
    }

    /// Parses an identifier, or reports what is there instead.
    fn identifier(&mut self, what: &str) -> Parse<Name> {
        let token = self.tokens[self.at];
        if token.kind == TokenKind::Word {
            match self.words.get(token.symbol) {
                Word::Identifier => {
                    let name = Name { symbol: token.symbol, token: TokenIndex(self.at as u32) };
                    self.bump();
                    return Ok(name);
                }
                Word::Reserved => return Err(self.reserved(token.symbol)),
                Word::Keyword(_) | Word::Type(_) => {}
            }
        }
        Err(self.unexpected(what))
    }

    fn reserved(&mut self, symbol: Symbol) -> Unwind {
        let name = self.input.symbols.name(symbol);
        let version = self.timeline.dialect(self.segment).version;
        let mut error = self.error_here("reserved-word", format!("`{name}` is a reserved word in {version}"));
        if let Some(since) = crate::builtin::availability(symbol) {
            error = error.note(format!("`{name}` is {since}"));
        }
        self.report(error)
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Parse<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    fn expect_semicolon(&mut self) -> Parse<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        // The mistake is at the end of the previous token, not at the one that follows.
        if self.at > 0 {
            let last = TokenIndex(self.at as u32 - 1);
            let (span, expansion) = self.input.span(TokenSpan { first: last, last });
            let found = self.describe();
            let after = crate::source::Span { start: span.end, end: span.end };
            let mut error = Diagnostic::error("syntax", format!("expected `;`, found {found}"), after)
                .expanded_from(expansion)
                .label(self.input.span(self.token_span()).0, "found here");
            // Keywords of other versions are plain names here, which can make a declaration look like something else.
            let words = self.tokens[self.at.saturating_sub(2)..self.at].iter().filter(|t| t.kind == TokenKind::Word);
            let foreign = words.filter(|t| self.words.get(t.symbol) == Word::Identifier);
            for (name, since) in foreign.filter_map(|t| Some((t.symbol, crate::builtin::word_since(t.symbol)?))) {
                error = error.note(format!("`{}` is available from {since}", self.input.symbols.name(name)));
            }
            let unwind = self.report(error);
            // If a statement or declaration begins here, only the `;` is missing.
            let begins = match self.word() {
                Some(Word::Keyword(keyword)) => !matches!(keyword, Keyword::True | Keyword::False),
                Some(Word::Type(_)) => true,
                _ => self.kind() == TokenKind::RightBrace,
            };
            return if begins { Ok(()) } else { Err(unwind) };
        }
        Err(self.unexpected("`;`"))
    }

    fn token_span(&self) -> TokenSpan {
        let at = TokenIndex(self.at as u32);
        TokenSpan { first: at, last: at }
    }

    /// Describes the token at the cursor.
    fn describe(&self) -> String {
        let token = self.tokens[self.at];
        match token.kind {
            TokenKind::Eof => "the end of the shader".to_owned(),
            TokenKind::Word => {
                let name = self.input.symbols.name(token.symbol);
                match self.words.get(token.symbol) {
                    Word::Identifier => format!("`{name}`"),
                    Word::Keyword(_) => format!("keyword `{name}`"),
                    Word::Type(_) => format!("type `{name}`"),
                    Word::Reserved => format!("reserved word `{name}`"),
                }
            }
            TokenKind::Number => format!("`{}`", self.input.symbols.name(token.symbol)),
            kind => format!("`{}`", kind.text()),
        }
    }

    fn unexpected(&mut self, what: &str) -> Unwind {
        let found = self.describe();
        let error = self.error_here("syntax", format!("expected {what}, found {found}"));
        self.report(error)
    }

    fn error_here(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        let (span, expansion) = self.input.span(self.token_span());
        Diagnostic::error(code, message, span).expanded_from(expansion)
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Unwind {
        if diagnostic.code == "syntax" && self.follows_stray() {
            return Unwind;
        }
        match self.diagnostics.len() {
            0..MAX_ERRORS => self.diagnostics.push(diagnostic),
            _ => {
                // This is not GLSL; the rest is skipped.
                let error = self.error_here("limit", "too many syntax errors; the rest are not shown");
                self.diagnostics.push(error);
                self.at = self.tokens.len() - 1;
            }
        }
        Unwind
    }

    /// Whether a character that was reported and dropped is right before the cursor: a syntax error here is then only a
    /// consequence.
    fn follows_stray(&self) -> bool {
        let before = self.tokens[self.at.saturating_sub(1)].pos;
        let here = self.tokens[self.at].pos;
        let strays = self.input.diagnostics.iter().filter(|d| d.code == "unknown-character");
        strays.filter_map(|d| d.labels.first()).any(|l| before < l.span.start && l.span.start < here)
    }

    /// Enters one level of nesting; beyond the limit the rest of the shader is skipped, because otherwise the cause
    /// would be reported once per level.
    fn enter(&mut self) -> Parse<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let error = self.error_here("too-deep", format!("nested deeper than {MAX_DEPTH} levels"));
            self.report(error);
            self.at = self.tokens.len() - 1;
            return Err(Unwind);
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The tokens from `start` to the last one consumed.
    fn span_from(&self, start: usize) -> TokenSpan {
        let last = self.at.max(start + 1) - 1;
        TokenSpan { first: TokenIndex(start as u32), last: TokenIndex(last as u32) }
    }

    fn span_of(&self, first: ExprId, last: ExprId) -> TokenSpan {
        TokenSpan { first: self.tree.expr(first).tokens.first, last: self.tree.expr(last).tokens.last }
    }
}
