//! Macro calls in the original text, and the text of their expansions.

use crate::analyze::Shader;
use crate::edit::rewrite::RewriteError;
use crate::preprocess::Preprocessed;
use crate::source::{Sources, Span};
use crate::symbol::Symbol;
use crate::token::{ExpansionId, TokenKind};

/// A macro call in the original text that produced at least one token.
#[derive(Clone, Copy)]
pub(super) struct Call {
    /// First and last of its tokens.
    pub first: u32,
    pub last: u32,
    /// Its span.
    pub span: Span,
}

/// All calls in the original text, in order.
pub(super) struct Calls(Vec<Call>);

impl Calls {
    pub fn new(input: &Preprocessed) -> Calls {
        let mut calls: Vec<Call> = Vec::new();
        if input.expansions.len() <= 1 {
            return Calls(calls);
        }
        // A parent's row precedes its children's, so one pass finds the outermost call of each.
        let mut outermost = vec![ExpansionId::NONE; input.expansions.len()];
        for (index, row) in input.expansions.iter().enumerate().skip(1) {
            outermost[index] = match row.parent {
                ExpansionId::NONE => ExpansionId(index as u32),
                parent => outermost[parent.0 as usize],
            };
        }
        let mut open = ExpansionId::NONE;
        for (at, token) in input.tokens.iter().enumerate() {
            let id = outermost[token.expansion.0 as usize];
            let at = at as u32;
            match calls.last_mut() {
                Some(call) if id == open && id != ExpansionId::NONE => call.last = at,
                _ if id != ExpansionId::NONE => {
                    calls.push(Call { first: at, last: at, span: input.expansion(id).call });
                }
                _ => {}
            }
            open = id;
        }
        Calls(calls)
    }

    pub fn get(&self, index: usize) -> &Call {
        &self.0[index]
    }

    /// The call a token came from.
    pub fn of(&self, token: u32) -> Option<usize> {
        let index = self.0.partition_point(|call| call.last < token);
        self.0.get(index).filter(|call| call.first <= token).map(|_| index)
    }

    /// The call that must be expanded to insert text before a token.
    pub fn split_before(&self, token: u32) -> Option<usize> {
        self.of(token).filter(|index| self.0[*index].first != token)
    }

    /// The call that must be expanded to insert text after a token.
    pub fn split_after(&self, token: u32) -> Option<usize> {
        self.of(token).filter(|index| self.0[*index].last != token)
    }

    /// Fails if a directive among the call's arguments has an effect beyond them. Conditionals have none once the
    /// arguments are expanded.
    pub fn check_directives(&self, call: &Call, shader: &Shader) -> Result<(), RewriteError> {
        let text = shader.sources.slice(call.span);
        let mut lines = text.split(['\n', '\r']).skip(1);
        let lost = lines.any(|line| {
            let Some(rest) = line.trim_start().strip_prefix('#') else { return false };
            let name = rest.trim_start();
            ["define", "undef", "extension", "pragma", "line"].iter().any(|directive| name.starts_with(directive))
        });
        if lost { Err(RewriteError::Directive(call.span)) } else { Ok(()) }
    }
}

/// Text that must be read as the same tokens again.
pub(super) struct Output<'a> {
    sources: &'a Sources,
    text: String,
    before: u8,
    /// Macros that produced their own name. Such a name is not expanded again (it is "painted" in C terminology), which
    /// text cannot express; so these macros are undefined before the text and redefined after it.
    painted: Vec<Symbol>,
    undefine: String,
    define: String,
}

impl<'a> Output<'a> {
    /// Starts after the given byte.
    pub fn new(sources: &'a Sources, before: u8) -> Output<'a> {
        let (text, undefine, define) = (String::new(), String::new(), String::new());
        Output { sources, text, before, painted: Vec::new(), undefine, define }
    }

    pub fn push(&mut self, text: &str) {
        let last = self.text.bytes().last().unwrap_or(self.before);
        if text.bytes().next().is_some_and(|byte| glues(last, byte)) {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    /// Appends a token as it is spelled.
    pub fn push_token(&mut self, input: &Preprocessed, index: u32) {
        let token = &input.tokens[index as usize];
        match token.kind {
            TokenKind::Word => {
                let name = input.symbols.name(token.symbol);
                self.push(name);
                let maker = input.chain(token.expansion).find(|id| input.expansion(*id).name == token.symbol);
                if let Some(id) = maker
                    && !self.painted.contains(&token.symbol)
                {
                    let row = input.expansion(id);
                    self.painted.push(token.symbol);
                    self.undefine.push_str(&format!("\n#undef {name}"));
                    self.define.push_str(&format!("\n#define {}", self.sources.slice(row.definition.to(row.body))));
                }
            }
            TokenKind::Number => self.push(input.symbols.name(token.symbol)),
            TokenKind::Comma => self.push(", "),
            kind => self.push(kind.text()),
        }
    }

    /// The complete text, with the line ends of the call it replaces, to be followed by the given byte.
    pub fn finish(mut self, call: Span, next: u8) -> String {
        while self.text.ends_with(' ') {
            self.text.pop();
        }
        let missing = line_ends(self.sources.slice(call)).saturating_sub(line_ends(&self.text));
        self.text.extend(std::iter::repeat_n('\n', missing));
        if !self.painted.is_empty() {
            return format!("{}\n{}{}\n", self.undefine, self.text, self.define);
        }
        if self.text.bytes().last().is_some_and(|byte| glues(byte, next)) {
            self.text.push(' ');
        }
        self.text
    }
}

/// Represents an unknown byte; it occurs in no text.
pub(super) const UNKNOWN: u8 = 0xff;

/// Whether two adjacent characters of different tokens could be read as one token or as a comment.
pub(super) fn glues(left: u8, right: u8) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let operator = |byte: u8| b"+-*/%<>=!&|^#".contains(&byte);
    let harmless = |byte: u8| byte.is_ascii_whitespace() || b"()[]{},;".contains(&byte);
    match (left, right) {
        (UNKNOWN, known) | (known, UNKNOWN) => !harmless(known),
        (b'.', digit) | (digit, b'.') => digit.is_ascii_digit(),
        // A backslash would join the lines.
        (b'\\', _) => true,
        _ => word(left) && word(right) || operator(left) && operator(right),
    }
}

/// The number of line ends in a text; a carriage return and a line feed next to each other are one (GLSL 4.60, 3.1).
pub(super) fn line_ends(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        if let byte @ (b'\n' | b'\r') = bytes[at] {
            count += 1;
            at += usize::from(matches!(bytes.get(at + 1), Some(next @ (b'\n' | b'\r')) if *next != byte));
        }
        at += 1;
    }
    count
}
