//! Macro expansion.
//!
//! Works as C preprocessors do. A stack of contexts feeds tokens; a macro whose context is on the stack is active, and
//! its name read from a context while it is active is painted: it stays a name for good. Arguments are expanded on
//! their own before they are put in, unless they stand next to `##`.

use crate::diagnostic::Diagnostic;
use crate::lexer::{self, LINE_START, Lexeme, PAINTED, SPACE};
use crate::preprocess::macros::{Macro, MacroKind, NO_PARAMETER, Piece};
use crate::preprocess::{Preprocessor, chain};
use crate::source::{Pos, Span};
use crate::token::{Expansion, ExpansionId, Token, TokenKind};

/// Tokens macros may make in one shader. A thousand times what a real shader needs; without a limit thirty short lines
/// can ask for a thousand million.
pub(super) const MAX_WORK: u32 = 1 << 22;
/// Macro calls in one shader, for the same reason.
const MAX_EXPANSIONS: usize = 1 << 21;
/// Contexts on the stack.
const MAX_CONTEXTS: usize = 4096;
/// Calls within the arguments of calls; each level takes native stack.
const MAX_DEPTH: u32 = 200;

/// A list of tokens being read.
pub(super) struct Context {
    list: List,
    at: u32,
    end: u32,
    /// The macro it is the expansion of; an argument has none.
    owner: Option<usize>,
}

enum List {
    /// Pieces of a macro's replacement text, read as tokens of this expansion.
    Body(ExpansionId),
    /// Tokens put together for the occasion.
    Own(Vec<Lexeme>),
}

/// The arguments of one call.
struct Arguments {
    tokens: Vec<Lexeme>,
    /// End of each argument in `tokens`.
    ends: Vec<u32>,
    close: Token,
    /// The closing parenthesis was read from the text.
    closed_in_text: bool,
}

impl Arguments {
    fn range(&self, index: usize) -> std::ops::Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        start..self.ends[index] as usize
    }
}

/// What became of a macro's name.
enum Entered {
    /// A context was pushed, or the call was dropped.
    Gone,
    /// It stands for one token.
    Token(Lexeme),
    /// It is no call.
    Name,
}

impl Preprocessor<'_> {
    /// Expands a macro's name met in the text, and whatever comes of it, into the output.
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

    /// Expands a list on its own, as if nothing followed it. In a condition, `defined` is worked out on the way
    /// (GLSL 4.60, 3.3), also when a macro brought it.
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

    /// Enters the macro a token names, if it names one and may be expanded.
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
                    let none = Arguments { tokens: Vec::new(), ends: Vec::new(), close: *name, closed_in_text: false };
                    let list = self.substitute(index, &none, id);
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

    /// A predefined macro, which is always one number.
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

    /// Where a token seems to be to `__LINE__`: a token of a macro's body at the end of the outermost call, one
    /// written in the text, be it as an argument, where it is.
    fn apparent(&self, token: &Token) -> Pos {
        let rows = &self.out.expansions;
        let in_body = chain(rows, token.expansion).any(|id| {
            let body = rows[id.0 as usize].body;
            body.start <= token.pos && token.span().end <= body.end
        });
        if in_body { Pos(self.author_span(token).end.0.saturating_sub(1)) } else { token.pos }
    }

    /// A new row of the expansion table; `None` if there are too many.
    fn expansion(&mut self, index: usize, name: &Token, call: Span) -> Option<ExpansionId> {
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

    /// Where the author wrote what a token came from.
    fn author_span(&self, token: &Token) -> Span {
        match self.outermost(token.expansion) {
            ExpansionId::NONE => token.span(),
            id => self.out.expansions[id.0 as usize].call,
        }
    }

    fn outermost(&self, id: ExpansionId) -> ExpansionId {
        self.ancestry[id.0 as usize].0
    }

    fn push_context(&mut self, list: List, owner: Option<usize>) {
        let (at, end) = match (&list, owner) {
            (List::Body(_), Some(index)) => self.macros[index].pieces,
            (List::Body(_), None) => (0, 0),
            (List::Own(list), _) => (0, list.len() as u32),
        };
        self.work = self.work.saturating_add(end - at + 1);
        if self.work > MAX_WORK || self.contexts.len() >= MAX_CONTEXTS {
            return self.fail("macros expand without end");
        }
        if let Some(index) = owner {
            self.macros[index].active = true;
        }
        self.contexts.push(Context { list, at, end, owner });
    }

    /// Takes the uppermost context away once it is read to its end; false while something is left in it.
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
    fn next_in_contexts(&mut self, base: usize) -> Option<Lexeme> {
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

    /// A call of a function-like macro whose opening parenthesis comes next.
    fn call(&mut self, index: usize, name: &Token, base: usize, text: bool) -> Entered {
        let Some(mut arguments) = self.arguments(name, base, text) else { return Entered::Gone };
        let expected = self.macros[index].parameters.len();
        // `F()` is a call with no argument, or with one that is empty.
        if expected == 0 && arguments.ends.as_slice() == [0] {
            arguments.ends.clear();
        }
        if arguments.ends.len() != expected {
            let message = format!(
                "`{}` takes {expected} argument{} and is given {}",
                self.out.symbols.name(name.symbol),
                if expected == 1 { "" } else { "s" },
                arguments.ends.len(),
            );
            let definition = self.macros[index].definition;
            let diagnostic = Diagnostic::error("macro-arguments", message, name.span()).expanded_from(name.expansion);
            self.report(diagnostic.label(definition, "defined here"));
            return Entered::Name;
        }
        let close = &arguments.close;
        let mut call = name.span();
        if close.expansion == name.expansion && close.pos > name.pos {
            call = call.to(close.span());
        } else if arguments.closed_in_text {
            // The name came out of a macro and the parentheses stand in the text after that macro's call, which
            // therefore is the longer by them.
            let outermost = self.outermost(name.expansion);
            let row = &mut self.out.expansions[outermost.0 as usize];
            row.call = row.call.to(close.span());
        }
        let Some(id) = self.expansion(index, name, call) else { return Entered::Gone };
        for lexeme in &mut arguments.tokens {
            let expansion = &mut lexeme.token.expansion;
            if *expansion == ExpansionId::NONE || *expansion == name.expansion {
                *expansion = id;
            }
        }
        let list = self.substitute(index, &arguments, id);
        self.give_list(arguments.tokens);
        self.push_context(List::Own(list), Some(index));
        Entered::Gone
    }

    /// Reads arguments up to the closing parenthesis.
    fn arguments(&mut self, name: &Token, base: usize, text: bool) -> Option<Arguments> {
        let mut tokens = self.take_list();
        let mut ends = Vec::new();
        let mut depth = 0u32;
        loop {
            let mut from_text = false;
            let mut next = self.next_in_contexts(base);
            if next.is_none() && text {
                from_text = true;
                next = Some(self.lexer.next(&mut self.out.symbols));
            }
            let Some(lexeme) = next.filter(|l| l.token.kind != TokenKind::Eof) else {
                let message = format!("the call of macro `{}` is not closed", self.out.symbols.name(name.symbol));
                let diagnostic = Diagnostic::error("macro-unterminated", message, name.span());
                self.report(diagnostic.expanded_from(name.expansion));
                self.give_list(tokens);
                return None;
            };
            match lexeme.token.kind {
                TokenKind::Hash if from_text && lexeme.flags & LINE_START != 0 => {
                    let message = "a directive within the arguments of a macro";
                    self.warning("directive-in-arguments", message, lexeme.token.span());
                    self.directive(&lexeme);
                    continue;
                }
                TokenKind::LeftParen => {
                    depth += 1;
                    if depth == 1 {
                        continue;
                    }
                }
                TokenKind::RightParen => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        ends.push(tokens.len() as u32);
                        return Some(Arguments { tokens, ends, close: lexeme.token, closed_in_text: from_text });
                    }
                }
                TokenKind::Comma if depth == 1 => {
                    ends.push(tokens.len() as u32);
                    continue;
                }
                _ => {}
            }
            tokens.push(lexeme);
        }
    }

    /// The replacement list with arguments put in and tokens pasted.
    fn substitute(&mut self, index: usize, arguments: &Arguments, id: ExpansionId) -> Vec<Lexeme> {
        let mut out = self.take_list();
        let mut expanded: Vec<Option<Vec<Lexeme>>> = vec![None; arguments.ends.len()];
        let (first, end) = self.macros[index].pieces;
        let is_paste = |piece: Option<&Piece>| piece.is_some_and(|p| p.lexeme.token.kind == TokenKind::HashHash);
        // Set after `##`: where the left operand is spelled, and whether it is empty.
        let mut pasting: Option<Span> = None;
        let mut left_empty = false;
        for at in first as usize..end as usize {
            let piece = self.pieces[at];
            let token = &piece.lexeme.token;
            if token.kind == TokenKind::HashHash && at > first as usize && at + 1 < end as usize {
                pasting.get_or_insert(self.pieces[at - 1].lexeme.token.span());
                continue;
            }
            let before_paste = is_paste(self.pieces.get(at + 1).filter(|_| at + 2 < end as usize));
            if piece.parameter != NO_PARAMETER && pasting.is_none() && !before_paste {
                self.put_expanded(&mut out, arguments, piece.parameter as usize, &mut expanded);
                left_empty = false;
            } else {
                let mut own = piece.lexeme;
                own.token.expansion = id;
                let operand = match piece.parameter {
                    NO_PARAMETER => std::slice::from_ref(&own),
                    parameter => &arguments.tokens[arguments.range(parameter as usize)],
                };
                match (pasting.take(), operand.split_first()) {
                    (Some(left), Some((right, rest))) if !left_empty => {
                        self.paste(&mut out, left.to(token.span()), *right, id);
                        out.extend_from_slice(rest);
                    }
                    (Some(_), None) => {}
                    _ => {
                        out.extend_from_slice(operand);
                        left_empty = operand.is_empty();
                    }
                }
            }
            if out.len() > MAX_WORK as usize {
                self.fail("macros expand without end");
                break;
            }
        }
        for list in expanded.into_iter().flatten() {
            self.give_list(list);
        }
        out
    }

    /// Adds an argument in its expanded form, which is made on first need.
    fn put_expanded(
        &mut self,
        out: &mut Vec<Lexeme>,
        arguments: &Arguments,
        parameter: usize,
        expanded: &mut [Option<Vec<Lexeme>>],
    ) {
        let raw = &arguments.tokens[arguments.range(parameter)];
        if let Some(list) = &expanded[parameter] {
            out.extend_from_slice(list);
        } else if raw.iter().any(|l| l.token.kind == TokenKind::Word && self.is_macro(l.token.symbol)) {
            let mut list = self.take_list();
            list.extend_from_slice(raw);
            let list = self.expand_list(list, false);
            out.extend_from_slice(&list);
            expanded[parameter] = Some(list);
        } else {
            out.extend_from_slice(raw);
        }
    }

    /// Joins the last token of `out` and `right`; `span` is where the macro's body says so.
    fn paste(&mut self, out: &mut Vec<Lexeme>, span: Span, right: Lexeme, id: ExpansionId) {
        let Some(left) = out.pop() else { return out.push(right) };
        let mut text = self.spelling(&left.token);
        text.push_str(&self.spelling(&right.token));
        let Some(kind) = lexer::single(&text) else {
            let message = format!("`{text}` is not one token");
            self.report(Diagnostic::error("token-paste", message, span).expanded_from(id));
            out.push(left);
            return out.push(right);
        };
        let symbol = match kind {
            TokenKind::Word | TokenKind::Number => self.out.symbols.intern(&text),
            _ => crate::symbol::Symbol::EMPTY,
        };
        let body = self.out.expansions[id.0 as usize].body;
        let made_here = left.token.expansion == id && body.start <= left.token.pos && left.token.pos < body.end;
        let span = if made_here { left.token.span().to(span) } else { span };
        let token = Token { kind, pos: span.start, len: span.len(), symbol, expansion: id };
        out.push(Lexeme { token, flags: left.flags & SPACE });
    }

    /// What a token looks like.
    fn spelling(&self, token: &Token) -> String {
        match token.kind {
            TokenKind::Word | TokenKind::Number => self.out.symbols.name(token.symbol).into(),
            TokenKind::Unknown => self.sources.slice(token.span()).into(),
            kind => kind.text().into(),
        }
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
