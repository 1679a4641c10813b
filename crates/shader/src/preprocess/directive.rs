//! Directives and conditional groups.

use crate::diagnostic::Diagnostic;
use crate::lexer::Lexeme;
use crate::preprocess::Preprocessor;
use crate::preprocess::condition::evaluate;
use crate::source::Span;
use crate::token::{Token, TokenKind};

/// An `#if` without its `#endif` so far.
pub(super) struct Conditional {
    /// The word `if`, `ifdef` or `ifndef`.
    pub(super) span: Span,
    /// Whether one of its groups has been included.
    taken: bool,
    /// Whether its `#else` has been read.
    last: bool,
}

impl Preprocessor<'_> {
    /// Handles a directive whose `#` has just been read, up to but not including its newline.
    pub(super) fn directive(&mut self, hash: &Lexeme) {
        let first = std::mem::take(&mut self.pristine) && self.out.tokens.is_empty();
        let Some(word) = self.lexer.next_in_line(&mut self.out.symbols) else { return };
        let token = word.token;
        let span = token.span();
        self.current = span;
        match self.out.symbols.name(token.symbol) {
            "define" => self.define(span),
            "undef" => self.undefine(span),
            "if" => {
                let holds = self.condition(span);
                self.open(span, holds);
            }
            "ifdef" => {
                let defined = self.names_macro(span);
                self.open(span, defined == Some(true));
            }
            "ifndef" => {
                let defined = self.names_macro(span);
                self.open(span, defined == Some(false));
            }
            "elif" | "else" | "endif" => {
                if self.conditional_part(&token) {
                    self.skip_groups();
                }
            }
            "version" => self.version(span, first),
            "extension" => self.extension(span),
            "pragma" => self.pragma(),
            "line" => self.line(span),
            "error" => {
                let text = self.lexer.skip_line();
                let message = self.sources.slice(text);
                let message = if message.is_empty() { "#error" } else { message };
                self.error("user-error", message, span.to(text));
            }
            "include" => self.include(span),
            name => {
                let message = format!("`#{name}` is not a directive");
                self.error("directive", message, hash.token.span().to(span));
                self.lexer.skip_line();
            }
        }
    }

    /// Reads to the end of the line and reports extra tokens.
    pub(super) fn end_of_directive(&mut self, name: &str) {
        if let Some(extra) = self.lexer.next_in_line(&mut self.out.symbols) {
            let span = extra.token.span();
            let rest = self.lexer.skip_line();
            let span = if rest.is_empty() { span } else { span.to(rest) };
            self.error("extra-tokens", format!("extra tokens after `#{name}`"), span);
        }
    }

    /// The tokens of the rest of the line.
    pub(super) fn rest_of_line(&mut self) -> Vec<Lexeme> {
        let mut list = self.take_list();
        while let Some(lexeme) = self.lexer.next_in_line(&mut self.out.symbols) {
            list.push(lexeme);
        }
        list
    }

    /// The value of the condition after `#if` or `#elif`.
    fn condition(&mut self, directive: Span) -> bool {
        let line = self.rest_of_line();
        if line.is_empty() {
            self.error("condition", "the condition is missing", directive);
            return false;
        }
        let before = self.out.diagnostics.len();
        let line = self.expand_list(line, true);
        if self.out.diagnostics.len() > before {
            return false;
        }
        if line.is_empty() {
            self.error("condition", "nothing is left of the condition after macros are expanded", directive);
            return false;
        }
        let mut warnings = Vec::new();
        let result = evaluate(&line, &self.out.symbols, self.out.version, &mut warnings);
        for warning in warnings {
            self.report(warning);
        }
        let value = match result {
            Ok((value, used)) => {
                if let Some(extra) = line.get(used) {
                    let token = &extra.token;
                    let diagnostic = Diagnostic::error("condition", "an operator is missing before this", token.span());
                    self.report(diagnostic.expanded_from(token.expansion));
                }
                value != 0
            }
            Err(diagnostic) => {
                self.report(diagnostic);
                false
            }
        };
        self.give_list(line);
        value
    }

    /// Whether the name after `#ifdef` is defined; `None` if there is none.
    fn names_macro(&mut self, directive: Span) -> Option<bool> {
        let name = self.lexer.next_in_line(&mut self.out.symbols);
        let Some(name) = name.filter(|l| l.token.kind == TokenKind::Word) else {
            self.lexer.skip_line();
            self.error("macro-name", "the name of a macro is missing", directive);
            return None;
        };
        self.end_of_directive("ifdef");
        Some(self.look_up(name.token.symbol).is_some())
    }

    fn open(&mut self, span: Span, holds: bool) {
        self.conditionals.push(Conditional { span, taken: holds, last: false });
        if !holds {
            self.skip_groups();
        }
    }

    /// Handles `#elif`, `#else` or `#endif` of the innermost conditional; true if the following group is skipped.
    fn conditional_part(&mut self, token: &Token) -> bool {
        let span = token.span();
        let is = |state: &Self, word| state.is_word(token, word);
        let Some(conditional) = self.conditionals.last_mut() else {
            let message = format!("`#{}` without `#if`", self.out.symbols.name(token.symbol));
            self.lexer.skip_line();
            self.error("unbalanced-conditional", message, span);
            return false;
        };
        let (taken, last, opened) = (conditional.taken, conditional.last, conditional.span);
        if is(self, "endif") {
            self.end_of_directive("endif");
            self.conditionals.pop();
            return false;
        }
        let is_else = is(self, "else");
        if last {
            let message = format!("`#{}` after `#else`", self.out.symbols.name(token.symbol));
            let diagnostic = Diagnostic::error("unbalanced-conditional", message, span);
            self.report(diagnostic.label(opened, "of this conditional"));
            self.lexer.skip_line();
            return true;
        }
        let holds = if is_else {
            self.end_of_directive("else");
            true
        } else if taken {
            // Its condition is not evaluated, as in C.
            self.lexer.skip_line();
            false
        } else {
            self.condition(span)
        };
        if let Some(conditional) = self.conditionals.last_mut() {
            conditional.last |= is_else;
            conditional.taken |= holds;
        }
        taken || !holds
    }

    /// Skips groups until one is included or the conditional ends.
    fn skip_groups(&mut self) {
        let mut depth = 0u32;
        while self.lexer.skip_to_directive() {
            let Some(word) = self.lexer.next_in_line(&mut self.out.symbols) else { continue };
            match self.out.symbols.name(word.token.symbol) {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "elif" | "else" | "endif" => {
                    let left_out = depth > 0 || self.conditional_part(&word.token);
                    if !left_out {
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}
