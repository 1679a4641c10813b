//! Parses a program, statement by statement.

use std::collections::{BTreeMap, BTreeSet};

use crate::declaration::{Array, Output};
use crate::operand::Value;
use crate::option::Options;
use crate::token::{self, Token, TokenKind};
use crate::writer::Writer;
use crate::{Fault, Limits, Target, Translation};

/// What a name is bound to.
#[derive(Clone, PartialEq, Debug)]
pub enum Binding {
    /// A temporary register: its GLSL name.
    Temporary(String),
    /// An address register: its GLSL name.
    Address(String),
    /// An attribute: a GLSL expression.
    Input(String),
    /// A result.
    Output(Output),
    /// A parameter.
    Value(Value),
    /// A parameter array, by index.
    Array(usize),
}

/// The parser's state.
pub struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
    pub target: Target,
    pub limits: Limits,
    pub options: Options,
    pub names: BTreeMap<&'t str, Binding>,
    pub arrays: Vec<Array>,
    /// Numbers of the generic attributes that are bound by their conventional names.
    pub conventional: BTreeSet<u32>,
    pub writer: Writer,
}

/// Translates a program to an equivalent shader.
///
/// # Errors
/// When the program is invalid.
pub fn translate(text: &str, target: Target, limits: Limits) -> Result<Translation, Fault> {
    let header = match target {
        Target::Vertex => "!!ARBvp1.0",
        Target::Fragment => "!!ARBfp1.0",
    };
    let blank = text.len() - text.trim_start().len();
    if !text[blank..].starts_with(header) {
        return Err(token::fault(text, blank, format!("the program does not begin with `{header}`")));
    }
    let tokens = token::tokens(text, blank + header.len())?;
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        target,
        limits,
        options: Options::default(),
        names: BTreeMap::new(),
        arrays: Vec::new(),
        conventional: BTreeSet::new(),
        writer: Writer::new(target),
    };
    parser.read()?;
    Ok(parser.writer.finish(parser.options))
}

impl<'t> Parser<'t> {
    fn read(&mut self) -> Result<(), Fault> {
        while self.peek().kind == TokenKind::Word("OPTION") {
            self.next();
            let name = self.word()?;
            let taken = self.options.apply(self.target, name);
            taken.map_err(|message| self.error_before(message))?;
            self.expect(';')?;
        }
        loop {
            let start = self.peek().start;
            match self.word()? {
                "END" => return Ok(()),
                word => {
                    let statement = if self.declaration(word, start)? { None } else { Some(self.instruction(word)?) };
                    if !self.sees(';') {
                        return Err(self.error("expected `;`"));
                    }
                    let origin = self.origin(start);
                    self.next();
                    if let Some(statement) = statement {
                        self.writer.line(statement, origin);
                    }
                }
            }
        }
    }

    /// The line number at a byte, and the source from there to the current position, as one line without comments.
    pub fn origin(&self, start: usize) -> (usize, String) {
        let end = self.peek().end;
        let mut text = String::new();
        for line in self.text[start..end].lines() {
            let line = line.split('#').next().unwrap_or_default();
            for word in line.split_whitespace() {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(word);
            }
        }
        (token::fault(self.text, start, "").line, text)
    }

    pub fn peek(&self) -> Token<'t> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// The token after the next one.
    pub fn after(&self) -> Token<'t> {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    pub fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Whether the next token is this character.
    pub fn sees(&self, mark: char) -> bool {
        self.peek().kind == TokenKind::Mark(mark)
    }

    /// Consumes the character if it is next.
    pub fn accept(&mut self, mark: char) -> bool {
        let seen = self.sees(mark);
        self.at += usize::from(seen);
        seen
    }

    pub fn expect(&mut self, mark: char) -> Result<(), Fault> {
        if self.accept(mark) { Ok(()) } else { Err(self.error(format!("expected `{mark}`"))) }
    }

    pub fn word(&mut self) -> Result<&'t str, Fault> {
        match self.peek().kind {
            TokenKind::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.error("expected a name")),
        }
    }

    pub fn integer(&mut self) -> Result<u32, Fault> {
        match self.peek().kind {
            TokenKind::Integer(number) => {
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.error("expected an integer")),
        }
    }

    /// `[number]`, below a limit.
    pub fn index(&mut self, limit: u32) -> Result<u32, Fault> {
        self.expect('[')?;
        let number = self.integer()?;
        if number >= limit {
            return Err(self.error_before(format!("{number} is out of range, the limit is {limit}")));
        }
        self.expect(']')?;
        Ok(number)
    }

    /// `[number]`, which may be omitted for the first.
    pub fn index_or_first(&mut self, limit: u32) -> Result<u32, Fault> {
        if self.sees('[') { self.index(limit) } else { Ok(0) }
    }

    /// What a name is bound to.
    pub fn binding(&mut self, name: &str) -> Result<Binding, Fault> {
        self.names.get(name).cloned().ok_or_else(|| self.error_before(format!("`{name}` is not declared")))
    }

    /// An error at the next token.
    pub fn error(&self, message: impl Into<String>) -> Fault {
        token::fault(self.text, self.peek().start, message)
    }

    /// An error at a token.
    pub fn error_at(&self, token: Token<'_>, message: impl Into<String>) -> Fault {
        token::fault(self.text, token.start, message)
    }

    /// An error at the token read last.
    pub fn error_before(&self, message: impl Into<String>) -> Fault {
        token::fault(self.text, self.tokens[self.at.saturating_sub(1)].start, message)
    }
}
