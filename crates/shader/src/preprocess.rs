//! The preprocessor: source strings to tokens without comments, directives and macros; every token has its origin.
//!
//! The text is read once. A word that is not a macro goes straight to the output; a macro call pushes a context, and
//! the contexts are drained before reading continues (`expand`). Groups excluded by a conditional are skipped by the
//! directive that opens them (`directive`), so the main loop only sees live text.

mod call;
mod condition;
mod directive;
mod expand;
mod header;
mod include;
mod macros;

use crate::diagnostic::{Diagnostic, Severity};
use crate::lexer::{LINE_START, Lexeme, Lexer, Spliced};
use crate::source::{LineDirective, Pos, Presumed, Sources, Span};
use crate::symbol::{Symbol, Symbols};
use crate::token::{Expansion, ExpansionId, Token, TokenIndex, TokenKind, TokenSpan};
use crate::version::{Options, Version};

use directive::Conditional;
use expand::Context;
use macros::{Macro, Piece};

/// A shader after preprocessing.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The tokens, ending with [`TokenKind::Eof`].
    pub tokens: Vec<Token>,
    /// Every use of a macro; row 0 is a dummy for [`ExpansionId::NONE`]. A parent's row comes before its children's.
    pub expansions: Vec<Expansion>,
    /// Spellings.
    pub symbols: Symbols,
    /// The language: from `#version`, the override or the default.
    pub version: Version,
    /// The `#version` directive, if there is one, valid or not.
    pub version_span: Option<Span>,
    /// `#extension` directives, in order.
    pub extensions: Vec<ExtensionChange>,
    /// `#pragma` directives, in order.
    pub pragmas: Vec<Pragma>,
    /// `#line` directives, in order.
    pub line_directives: Vec<LineDirective>,
    /// `#define` directives, in order, including those undefined later.
    pub macros: Vec<MacroDefinition>,
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// An `#extension` directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtensionChange {
    /// The first token for which it applies.
    pub at: TokenIndex,
    /// The extension, or `all`.
    pub name: Symbol,
    /// The requested behaviour.
    pub behaviour: Behaviour,
    /// The name in the directive.
    pub span: Span,
}

/// The behaviour that an `#extension` directive requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are GLSL's own")]
pub enum Behaviour {
    Require,
    Enable,
    Warn,
    Disable,
}

/// A `#pragma` directive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pragma {
    /// The token that follows it.
    pub at: TokenIndex,
    /// Everything after `#pragma`.
    pub span: Span,
    /// Its meaning.
    pub kind: PragmaKind,
    /// The text of `span`.
    pub text: String,
}

/// The meaning of a `#pragma`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PragmaKind {
    /// `STDGL invariant(all)`
    InvariantAll,
    /// `optimize(on)` or `optimize(off)`
    Optimize(bool),
    /// `debug(on)` or `debug(off)`
    Debug(bool),
    /// Not defined by GLSL.
    Other,
}

/// A `#define` directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MacroDefinition {
    /// The macro's name.
    pub name: Symbol,
    /// The name in the directive.
    pub definition: Span,
    /// The replacement text; empty if there is none.
    pub body: Span,
    /// Number of parameters of a function-like macro.
    pub parameters: Option<u32>,
}

/// Preprocesses a shader. Tokens and diagnostics are returned for any text.
#[must_use]
pub fn preprocess(sources: &Sources, options: &Options) -> Preprocessed {
    let spliced = Spliced::new(sources.text());
    let mut state = Preprocessor::new(sources, options, &spliced);
    // Positions have 32 bits; half of that leaves room for sums of two.
    if sources.text().len() > (u32::MAX / 2) as usize {
        state.fail("the shader is too long");
    }
    state.run();
    state.finish(spliced.first_cut())
}

impl Preprocessed {
    /// The row of an expansion.
    #[must_use]
    pub fn expansion(&self, id: ExpansionId) -> &Expansion {
        &self.expansions[id.0 as usize]
    }

    /// The span of a range of tokens: if all of them belong to one expansion, and all to its body or all to its
    /// arguments, that range and that expansion; otherwise the macro calls they came from, in the innermost common
    /// expansion, which is ultimately the original text and [`ExpansionId::NONE`].
    ///
    /// Takes time proportional to the range if its ends come from macros.
    #[must_use]
    pub fn span(&self, tokens: TokenSpan) -> (Span, ExpansionId) {
        let last = (tokens.last.0 as usize).min(self.tokens.len() - 1);
        let first = (tokens.first.0 as usize).min(last);
        let (head, tail) = (&self.tokens[first], &self.tokens[last]);
        if head.expansion == ExpansionId::NONE && tail.expansion == ExpansionId::NONE {
            return (head.span().to(tail.span()), ExpansionId::NONE);
        }
        let run = &self.tokens[first..=last];
        let common = run[1..].iter().fold(head.expansion, |common, token| self.common(common, token.expansion));
        let mut whole = self.lifted(head, common);
        if common == ExpansionId::NONE {
            // The range may begin or end inside of a call, but never has tokens of the original text outside of those
            // at its ends.
            return (whole.to(self.lifted(tail, common)), common);
        }
        let row = self.expansion(common);
        let in_body = |span: Span| row.body.start <= span.start && span.end <= row.body.end;
        let mut previous = whole.start;
        let body = in_body(whole);
        for token in run {
            let span = self.lifted(token, common);
            if in_body(span) != body || span.start < previous {
                return (row.call, row.parent);
            }
            previous = span.start;
            whole = whole.to(span);
        }
        (whole, common)
    }

    /// The outermost macro call a token came from, if any: its expansion and its span in the original text.
    #[must_use]
    pub fn outermost_call(&self, token: TokenIndex) -> Option<(ExpansionId, Span)> {
        let token = self.tokens.get(token.0 as usize)?;
        self.chain(token.expansion).last().map(|id| (id, self.expansion(id).call))
    }

    /// An expansion, the one that produced its call, and so on to the outermost.
    pub fn chain(&self, id: ExpansionId) -> impl Iterator<Item = ExpansionId> {
        chain(&self.expansions, id)
    }

    /// String and line according to `#line` directives.
    #[must_use]
    pub fn presumed(&self, sources: &Sources, pos: Pos) -> Presumed {
        sources.presumed(&self.line_directives, pos)
    }

    /// True if anything reported is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    /// The innermost common expansion. A parent's row precedes its children's, so the later of two different ones is
    /// never an ancestor of the other.
    fn common(&self, mut a: ExpansionId, mut b: ExpansionId) -> ExpansionId {
        while a != b {
            let later = if a > b { &mut a } else { &mut b };
            *later = self.expansion(*later).parent;
        }
        a
    }

    /// The token itself if it belongs to expansion `level`, otherwise the call in `level` that it came from.
    fn lifted(&self, token: &Token, level: ExpansionId) -> Span {
        let mut span = token.span();
        let mut id = token.expansion;
        while id != level && id != ExpansionId::NONE {
            let row = self.expansion(id);
            (span, id) = (row.call, row.parent);
        }
        span
    }
}

fn chain(expansions: &[Expansion], id: ExpansionId) -> impl Iterator<Item = ExpansionId> {
    let set = |id: ExpansionId| (id != ExpansionId::NONE).then_some(id);
    std::iter::successors(set(id), move |id| set(expansions[id.0 as usize].parent))
}

/// The maximum number of diagnostics: a shader with more was not written by a person.
const MAX_DIAGNOSTICS: usize = 200;

/// The preprocessor's state.
struct Preprocessor<'a> {
    sources: &'a Sources,
    options: &'a Options,
    lexer: Lexer<'a>,
    out: Preprocessed,
    /// The macro of each symbol; see `macros`.
    table: Vec<u32>,
    macros: Vec<Macro>,
    pieces: Vec<Piece>,
    contexts: Vec<Context>,
    /// For each expansion the outermost one it came through, and the depth.
    ancestry: Vec<(ExpansionId, u32)>,
    /// Emptied lists for reuse.
    spare: Vec<Vec<Lexeme>>,
    conditionals: Vec<Conditional>,
    spliced: &'a Spliced<'a>,
    /// The named strings being included, outermost first.
    including: Vec<usize>,
    /// The nesting depth of macro arguments being expanded.
    depth: u32,
    /// Tokens produced by macros so far.
    work: u32,
    /// The macro call or directive in the text that is being processed.
    current: Span,
    /// A limit was reached.
    failed: bool,
    /// Only comments and white space have been read so far.
    pristine: bool,
}

impl<'a> Preprocessor<'a> {
    fn new(sources: &'a Sources, options: &'a Options, spliced: &'a Spliced<'a>) -> Preprocessor<'a> {
        let none = Expansion {
            name: Symbol::EMPTY,
            definition: Span::default(),
            body: Span::default(),
            call: Span::default(),
            parent: ExpansionId::NONE,
        };
        let symbols = Symbols::default();
        // All words of the language and most of the shader's.
        let table = vec![0; (symbols.base_len() + 64).next_power_of_two()];
        Preprocessor {
            sources,
            options,
            lexer: Lexer::over(spliced, 0..sources.program().len() as u32),
            spliced,
            including: Vec::new(),
            out: Preprocessed {
                tokens: Vec::with_capacity(sources.text().len().min(1 << 24) / 4 + 16),
                expansions: vec![none],
                symbols,
                version: options.version_override.unwrap_or(options.default_version),
                version_span: None,
                extensions: Vec::new(),
                pragmas: Vec::new(),
                line_directives: Vec::new(),
                macros: Vec::new(),
                diagnostics: Vec::new(),
            },
            table,
            macros: Vec::new(),
            pieces: Vec::new(),
            contexts: Vec::new(),
            ancestry: vec![(ExpansionId::NONE, 0)],
            spare: Vec::new(),
            conditionals: Vec::new(),
            depth: 0,
            work: 0,
            current: Span::default(),
            failed: false,
            pristine: true,
        }
    }

    fn run(&mut self) {
        loop {
            let lexeme = self.lexer.next(&mut self.out.symbols);
            match lexeme.token.kind {
                TokenKind::Word => {
                    if self.is_macro(lexeme.token.symbol) {
                        self.expand_from_text(lexeme);
                    } else {
                        self.out.tokens.push(lexeme.token);
                    }
                }
                TokenKind::Eof => break,
                TokenKind::Hash if lexeme.flags & LINE_START != 0 => self.directive(&lexeme),
                _ => self.emit(lexeme),
            }
        }
    }

    /// Adds a token to the output, unless it has no meaning in GLSL.
    fn emit(&mut self, lexeme: Lexeme) {
        match lexeme.token.kind {
            TokenKind::Unknown | TokenKind::Hash | TokenKind::HashHash => self.stray(&lexeme.token),
            _ => self.out.tokens.push(lexeme.token),
        }
    }

    fn stray(&mut self, token: &Token) {
        if self.out.diagnostics.len() > MAX_DIAGNOSTICS {
            return;
        }
        let text = self.sources.slice(token.span());
        let shown: String = text.chars().take(16).collect();
        let (code, message) = match token.kind {
            TokenKind::Unknown => ("unknown-character", format!("`{shown}` has no meaning in GLSL")),
            _ => ("stray-hash", format!("stray `{shown}` outside of a directive")),
        };
        self.report(Diagnostic::error(code, message, token.span()).expanded_from(token.expansion));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // Errors after reaching a limit are its consequences.
        if self.failed {
            return;
        }
        match self.out.diagnostics.len() {
            0..MAX_DIAGNOSTICS => self.out.diagnostics.push(diagnostic),
            MAX_DIAGNOSTICS => self.out.diagnostics.push(Diagnostic::error(
                "limit",
                "too many errors; the rest are not shown",
                diagnostic.labels[0].span,
            )),
            _ => {}
        }
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.report(Diagnostic::error(code, message, span));
    }

    fn warning(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.report(Diagnostic::warning(code, message, span));
    }

    /// Stops at a limit that no reasonable shader reaches: the output ends here.
    fn fail(&mut self, message: &str) {
        if !self.failed {
            self.failed = true;
            self.out.diagnostics.truncate(MAX_DIAGNOSTICS);
            self.out.diagnostics.push(Diagnostic::error("limit", message, self.current));
        }
        self.lexer.stop();
        self.contexts.clear();
        self.conditionals.clear();
    }

    fn finish(mut self, first_continuation: Option<Pos>) -> Preprocessed {
        let end = self.sources.program().len() as u32;
        if let Some(span) = self.lexer.unterminated {
            self.error("unterminated-comment", "this comment is not terminated", span);
        }
        for conditional in std::mem::take(&mut self.conditionals) {
            self.error("unbalanced-conditional", "this conditional has no `#endif`", conditional.span);
        }
        if let Some(pos) = first_continuation
            && self.out.version.is_es()
            && self.out.version.number < 300
        {
            let span = Span { start: pos, end: Pos(pos.0 + 1) };
            self.warning("line-continuation", "GLSL ES 1.00 has no line continuation", span);
        }
        self.out.macros = self
            .macros
            .iter()
            .filter(|m| !m.is_predefined())
            .map(|m| MacroDefinition {
                name: m.name,
                definition: m.definition,
                body: m.body,
                parameters: m.is_function().then_some(m.parameters.len() as u32),
            })
            .collect();
        self.out.tokens.push(Token {
            kind: TokenKind::Eof,
            pos: Pos(end),
            len: 0,
            symbol: Symbol::EMPTY,
            expansion: ExpansionId::NONE,
        });
        self.out
    }

    /// Index of the token that comes next.
    fn next_index(&self) -> TokenIndex {
        TokenIndex(self.out.tokens.len() as u32)
    }

    /// An empty list.
    fn take_list(&mut self) -> Vec<Lexeme> {
        self.spare.pop().unwrap_or_default()
    }

    /// Returns a list for reuse.
    fn give_list(&mut self, mut list: Vec<Lexeme>) {
        list.clear();
        // A list that once held a huge expansion would waste its memory.
        if list.capacity() <= 1 << 16 {
            self.spare.push(list);
        }
    }
}
