//! Macro expansion.
//!
//! Works like C preprocessors. A stack of contexts provides tokens; a macro whose context is on the stack is active,
//! and its name read from a context while it is active is painted: it is never expanded again. Arguments are expanded
//! separately before they are substituted, unless they are next to `##`.

use crate::diagnostic::Diagnostic;
use crate::lexer::{Lexeme, PAINTED, SPACE};
use crate::preprocess::call::Arguments;
use crate::preprocess::macros::{Macro, MacroKind};
use crate::preprocess::{Preprocessor, chain};
use crate::source::{Pos, Span};
use crate::token::{Expansion, ExpansionId, Token, TokenKind};

/// The maximum number of tokens from macros in one shader. A thousand times what a real shader needs; without a limit,
/// thirty short lines could produce a billion.
pub(super) const MAX_WORK: u32 = 1 << 22;
/// The maximum number of macro calls in one shader, for the same reason.
const MAX_EXPANSIONS: usize = 1 << 21;
/// The maximum number of contexts on the stack.
const MAX_CONTEXTS: usize = 4096;
/// The maximum depth of calls within the arguments of calls; each level uses native stack.
const MAX_DEPTH: u32 = 200;

/// A list of tokens being read.
pub(super) struct Context {
    list: List,
    at: u32,
    end: u32,
    /// The macro it is the expansion of; `None` for an argument.
    owner: Option<usize>,
}

pub(super) enum List {
    /// Tokens of a macro's replacement text, as part of this expansion.
    Body(ExpansionId),
    /// A temporary list of tokens.
    Own(Vec<Lexeme>),
}

/// The result of a macro's name.
pub(super) enum Entered {
    /// A context was pushed, or the call was dropped.
    Gone,
    /// It is replaced with one token.
    Token(Lexeme),
    /// It is not a call.
    Name,
}

impl Preprocessor<'_> {
    /// Expands a macro name from the text, and its results, into the output.
    pub(super) fn expand_from_text(&mut self, name: Lexeme) {
        self.current = name.token.span();
        let mut next = Some(name);
        while let Some(lexeme) = next {
            match self.step(lexeme, 0, true) {
                Entered::Gone => {}
                Entered::Token(token) => self.emit(token),
                Entered::Name => self.emit(lexeme),
            }
            next = self.next_in_contexts(0);
        }
    }

    /// Expands a list by itself, as if nothing followed it. In a condition, `defined` is evaluated on the way (GLSL
    /// 4.60, 3.3), also if it came from a macro.
    pub(super) fn expand_list(&mut self, list: Vec<Lexeme>, condition: bool) -> Vec<Lexeme> {
        let mut out = self.take_list();
        if self.depth >= MAX_DEPTH {
            self.fail("macro calls are nested too deeply");
            return out;
        }
        self.depth += 1;
        let base = self.contexts.len();
        self.push_context(List::Own(list), None);
        while let Some(lexeme) = self.next_in_contexts(base) {
            if condition && lexeme.token.kind == TokenKind::Word && self.is_word(&lexeme.token, "defined") {
                if self.options.webgl && lexeme.token.expansion != ExpansionId::NONE {
                    // GLSL ES 3.00, 3.5 leaves it undefined; browsers reject it.
                    let message = "WebGL forbids macros that bring `defined` into a condition";
                    let error = Diagnostic::error("condition", message, lexeme.token.span());
                    self.report(error.expanded_from(lexeme.token.expansion));
                }
                let value = self.defined(&lexeme.token, base);
                out.push(value);
                continue;
            }
            match self.step(lexeme, base, false) {
                Entered::Gone => {}
                Entered::Token(token) => out.push(token),
                Entered::Name => out.push(lexeme),
            }
        }
        self.depth -= 1;
        out
    }

    pub(super) fn is_word(&self, token: &Token, word: &str) -> bool {
        self.out.symbols.name(token.symbol) == word
    }

    /// Enters the macro that a token names, if there is one and it may be expanded.
    fn step(&mut self, lexeme: Lexeme, base: usize, text: bool) -> Entered {
        if lexeme.token.kind != TokenKind::Word || lexeme.flags & PAINTED != 0 {
            return Entered::Name;
        }
        let Some(index) = self.look_up(lexeme.token.symbol) else { return Entered::Name };
        let name = &lexeme.token;
        match self.macros[index].kind {
            MacroKind::Object => {
                let Some(id) = self.expansion(index, name, name.span()) else { return Entered::Gone };
                if self.macros[index].pastes {
                    let list = self.substitute(index, &Arguments::none(name), id);
                    self.push_context(List::Own(list), Some(index));
                } else {
                    self.push_context(List::Body(id), Some(index));
                }
                Entered::Gone
            }
            MacroKind::Function => {
                if self.peek_paren(base, text) {
                    self.call(index, name, base, text)
                } else {
                    Entered::Name
                }
            }
            MacroKind::Line | MacroKind::File | MacroKind::Value(_) => self.value(index, lexeme),
        }
    }

    /// A predefined macro, which is always a number.
    fn value(&mut self, index: usize, lexeme: Lexeme) -> Entered {
        let name = &lexeme.token;
        let value = match self.macros[index].kind {
            MacroKind::Value(value) => value,
            MacroKind::Line => self.presumed(self.apparent(name)).line,
            _ => self.presumed(self.apparent(name)).string,
        };
        let Some(id) = self.expansion(index, name, name.span()) else { return Entered::Gone };
        Entered::Token(self.number(value, name, id))
    }

    fn number(&mut self, value: u32, source: &Token, expansion: ExpansionId) -> Lexeme {
        let symbol = self.out.symbols.intern(&value.to_string());
        Lexeme { token: Token { kind: TokenKind::Number, symbol, expansion, ..*source }, flags: SPACE }
    }

    fn presumed(&self, pos: Pos) -> crate::source::Presumed {
        self.sources.presumed(&self.out.line_directives, pos)
    }

    /// The position of a token for `__LINE__`: for a token of a macro's body the end of the outermost call; for one in
    /// the text, also as an argument, its own.
    fn apparent(&self, token: &Token) -> Pos {
        let rows = &self.out.expansions;
        let in_body = chain(rows, token.expansion).any(|id| {
            let body = rows[id.0 as usize].body;
            body.start <= token.pos && token.span().end <= body.end
        });
        if in_body { Pos(self.author_span(token).end.0.saturating_sub(1)) } else { token.pos }
    }

    /// A new row of the expansion table; `None` if there are too many.
    pub(super) fn expansion(&mut self, index: usize, name: &Token, call: Span) -> Option<ExpansionId> {
        if self.out.expansions.len() >= MAX_EXPANSIONS {
            self.fail("macros expand without end");
            return None;
        }
        let (outermost, depth) = self.ancestry[name.expansion.0 as usize];
        if depth >= MAX_CONTEXTS as u32 {
            self.fail("macro calls are nested too deeply");
            return None;
        }
        let own = ExpansionId(self.out.expansions.len() as u32);
        self.ancestry.push((if depth == 0 { own } else { outermost }, depth + 1));
        let Macro { name: symbol, definition, body, .. } = self.macros[index];
        self.out.expansions.push(Expansion { name: symbol, definition, body, call, parent: name.expansion });
        Some(own)
    }

    /// The span in the original text that a token came from.
    fn author_span(&self, token: &Token) -> Span {
        match self.outermost(token.expansion) {
            ExpansionId::NONE => token.span(),
            id => self.out.expansions[id.0 as usize].call,
        }
    }

    pub(super) fn outermost(&self, id: ExpansionId) -> ExpansionId {
        self.ancestry[id.0 as usize].0
    }

    pub(super) fn push_context(&mut self, list: List, owner: Option<usize>) {
        let (at, end) = match (&list, owner) {
            (List::Body(_), Some(index)) => self.macros[index].pieces,
            (List::Body(_), None) => (0, 0),
            (List::Own(list), _) => (0, list.len() as u32),
        };
        self.work = self.work.saturating_add(end - at + 1);
        if self.failed || self.work > MAX_WORK || self.contexts.len() >= MAX_CONTEXTS {
            return self.fail("macros expand without end");
        }
        if let Some(index) = owner {
            self.macros[index].active = true;
        }
        self.contexts.push(Context { list, at, end, owner });
    }

    /// Removes the top context if it is exhausted; false if it is not.
    fn pop_if_done(&mut self) -> bool {
        if self.contexts.last().is_some_and(|c| c.at < c.end) {
            return false;
        }
        if let Some(context) = self.contexts.pop() {
            if let Some(index) = context.owner {
                self.macros[index].active = false;
            }
            if let List::Own(list) = context.list {
                self.give_list(list);
            }
        }
        true
    }

    /// The next token of the contexts above `base`.
    pub(super) fn next_in_contexts(&mut self, base: usize) -> Option<Lexeme> {
        while self.contexts.len() > base {
            if self.pop_if_done() {
                continue;
            }
            let context = self.contexts.last_mut()?;
            let at = context.at as usize;
            context.at += 1;
            let mut lexeme = match &context.list {
                List::Own(list) => list[at],
                List::Body(id) => {
                    let mut lexeme = self.pieces[at].lexeme;
                    lexeme.token.expansion = *id;
                    lexeme
                }
            };
            if lexeme.token.kind == TokenKind::Word
                && let Some(index) = self.look_up(lexeme.token.symbol)
                && self.macros[index].active
            {
                lexeme.flags |= PAINTED;
            }
            return Some(lexeme);
        }
        None
    }

    fn peek_paren(&mut self, base: usize, text: bool) -> bool {
        while self.contexts.len() > base {
            if self.pop_if_done() {
                continue;
            }
            return self.contexts.last().is_some_and(|context| {
                let at = context.at as usize;
                let next = match &context.list {
                    List::Own(list) => &list[at],
                    List::Body(_) => &self.pieces[at].lexeme,
                };
                next.token.kind == TokenKind::LeftParen
            });
        }
        text && self.lexer.peek_paren()
    }

    /// The value of `defined X` or `defined(X)`; X is not expanded.
    fn defined(&mut self, keyword: &Token, base: usize) -> Lexeme {
        let mut next = self.next_in_contexts(base);
        let open = next.is_some_and(|l| l.token.kind == TokenKind::LeftParen);
        if open {
            next = self.next_in_contexts(base);
        }
        let name = next.filter(|l| l.token.kind == TokenKind::Word);
        let mut value = 0;
        let mut good = name.is_some();
        if let Some(name) = name {
            value = u32::from(self.look_up(name.token.symbol).is_some());
        }
        if good && open {
            good = self.next_in_contexts(base).is_some_and(|l| l.token.kind == TokenKind::RightParen);
        }
        if !good {
            let diagnostic = Diagnostic::error("condition", "`defined` needs a name", keyword.span());
            self.report(diagnostic.expanded_from(keyword.expansion));
        }
        self.number(value, keyword, keyword.expansion)
    }
}
