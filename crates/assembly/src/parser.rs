//! Reading a program, statement by statement.

use std::collections::{BTreeMap, BTreeSet};

use crate::declaration::{Array, Output};
use crate::operand::Value;
use crate::option::Options;
use crate::token::{self, Kind, Token};
use crate::writer::Writer;
use crate::{Fault, Limits, Target, Translation};

/// What a name stands for.
#[derive(Clone, PartialEq, Debug)]
pub enum Thing {
    /// A temporary register: its name in GLSL.
    Temporary(String),
    /// An address register: its name in GLSL.
    Address(String),
    /// An attribute: an expression of GLSL.
    Input(String),
    /// A result.
    Output(Output),
    /// A parameter.
    Value(Value),
    /// An array of parameters, by its number.
    Array(usize),
}

/// A program while it is read.
pub struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
    pub target: Target,
    pub limits: Limits,
    pub options: Options,
    pub names: BTreeMap<&'t str, Thing>,
    pub arrays: Vec<Array>,
    /// Numbers of the generic attributes that are bound by other names.
    pub conventional: BTreeSet<u32>,
    pub writer: Writer,
}

/// The shader that does what a program does.
///
/// # Errors
/// When it is no program.
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
        while self.peek().kind == Kind::Word("OPTION") {
            self.next();
            let name = self.word()?;
            let taken = self.options.take(self.target, name);
            taken.map_err(|message| self.wrong_before(message))?;
            self.expect(';')?;
        }
        loop {
            let start = self.peek().start;
            match self.word()? {
                "END" => return Ok(()),
                word => {
                    let statement = if self.declaration(word, start)? { None } else { Some(self.instruction(word)?) };
                    if !self.sees(';') {
                        return Err(self.wrong("`;` is wanted here"));
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

    /// The line at a byte, and the text from there to here, on one line and without comments.
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

    /// What comes after what comes next.
    pub fn after(&self) -> Token<'t> {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    pub fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Whether a mark comes next.
    pub fn sees(&self, mark: char) -> bool {
        self.peek().kind == Kind::Mark(mark)
    }

    /// Goes past a mark, if it is there.
    pub fn accept(&mut self, mark: char) -> bool {
        let seen = self.sees(mark);
        self.at += usize::from(seen);
        seen
    }

    pub fn expect(&mut self, mark: char) -> Result<(), Fault> {
        if self.accept(mark) { Ok(()) } else { Err(self.wrong(format!("`{mark}` is wanted here"))) }
    }

    pub fn word(&mut self) -> Result<&'t str, Fault> {
        match self.peek().kind {
            Kind::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.wrong("a name is wanted here")),
        }
    }

    pub fn integer(&mut self) -> Result<u32, Fault> {
        match self.peek().kind {
            Kind::Integer(number) => {
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.wrong("a whole number is wanted here")),
        }
    }

    /// `[number]`, below a limit.
    pub fn index(&mut self, limit: u32) -> Result<u32, Fault> {
        self.expect('[')?;
        let number = self.integer()?;
        if number >= limit {
            return Err(self.wrong_before(format!("there is no number {number}, but {limit} in all")));
        }
        self.expect(']')?;
        Ok(number)
    }

    /// `[number]`, which may be left out for the first.
    pub fn index_or_first(&mut self, limit: u32) -> Result<u32, Fault> {
        if self.sees('[') { self.index(limit) } else { Ok(0) }
    }

    /// What a name stands for.
    pub fn thing(&mut self, name: &str) -> Result<Thing, Fault> {
        self.names.get(name).cloned().ok_or_else(|| self.wrong_before(format!("`{name}` is not declared")))
    }

    /// Something wrong with what comes next.
    pub fn wrong(&self, message: impl Into<String>) -> Fault {
        token::fault(self.text, self.peek().start, message)
    }

    /// Something wrong with a token.
    pub fn wrong_at(&self, token: Token<'_>, message: impl Into<String>) -> Fault {
        token::fault(self.text, token.start, message)
    }

    /// Something wrong with what was read last.
    pub fn wrong_before(&self, message: impl Into<String>) -> Fault {
        token::fault(self.text, self.tokens[self.at.saturating_sub(1)].start, message)
    }
}
