//! Calls of function-like macros: arguments, their substitution, and `##`.

use crate::diagnostic::Diagnostic;
use crate::lexer::{self, LINE_START, Lexeme, SPACE};
use crate::preprocess::Preprocessor;
use crate::preprocess::expand::{Entered, List, MAX_WORK};
use crate::preprocess::macros::{NO_PARAMETER, Piece};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{ExpansionId, Token, TokenKind};

/// The maximum length of a token made by `##`.
const MAX_PASTED: usize = 4096;

/// The arguments of one call.
pub(super) struct Arguments {
    tokens: Vec<Lexeme>,
    /// The end of each argument in `tokens`.
    ends: Vec<u32>,
    close: Token,
    /// Whether the closing parenthesis was read from the text.
    closed_in_text: bool,
}

impl Arguments {
    /// The arguments of an object-like macro.
    pub(super) fn none(name: &Token) -> Arguments {
        Arguments { tokens: Vec::new(), ends: Vec::new(), close: *name, closed_in_text: false }
    }

    fn range(&self, index: usize) -> std::ops::Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        start..self.ends[index] as usize
    }
}

impl Preprocessor<'_> {
    /// A call of a function-like macro whose opening parenthesis comes next.
    pub(super) fn call(&mut self, index: usize, name: &Token, base: usize, text: bool) -> Entered {
        let Some(mut arguments) = self.arguments(name, base, text) else { return Entered::Gone };
        let expected = self.macros[index].parameters.len();
        // `F()` is a call with no argument, or with one empty argument.
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
            // The name came from a macro and the parentheses are in the text after that macro's call, which they
            // extend.
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
            if tokens.len() > MAX_WORK as usize {
                self.fail("the arguments of a macro are too long");
                return None;
            }
        }
    }

    /// The replacement list with arguments substituted and tokens pasted.
    pub(super) fn substitute(&mut self, index: usize, arguments: &Arguments, id: ExpansionId) -> Vec<Lexeme> {
        let mut out = self.take_list();
        let mut expanded: Vec<Option<Vec<Lexeme>>> = vec![None; arguments.ends.len()];
        let (first, end) = self.macros[index].pieces;
        let is_paste = |piece: Option<&Piece>| piece.is_some_and(|p| p.lexeme.token.kind == TokenKind::HashHash);
        // Set after `##`: the span of the left operand, and whether it is empty.
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
            }
            if self.failed {
                break;
            }
        }
        for list in expanded.into_iter().flatten() {
            self.give_list(list);
        }
        out
    }

    /// Adds an argument in its expanded form, which is computed on first use.
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

    /// Joins the last token of `out` with `right`; `span` is that of the `##` in the macro's body.
    fn paste(&mut self, out: &mut Vec<Lexeme>, span: Span, right: Lexeme, id: ExpansionId) {
        let Some(left) = out.pop() else { return out.push(right) };
        let mut text = self.spelling(&left.token);
        text.push_str(&self.spelling(&right.token));
        // Long names cost as much as many tokens.
        self.work = self.work.saturating_add(text.len() as u32 / 8);
        if text.len() > MAX_PASTED || self.work > MAX_WORK {
            return self.fail("macros expand without end");
        }
        let Some(kind) = lexer::single(&text) else {
            let message = format!("`{text}` is not one token");
            self.report(Diagnostic::error("token-paste", message, span).expanded_from(id));
            out.push(left);
            return out.push(right);
        };
        let symbol = match kind {
            TokenKind::Word | TokenKind::Number => self.out.symbols.intern(&text),
            _ => Symbol::EMPTY,
        };
        let body = self.out.expansions[id.0 as usize].body;
        let made_here = left.token.expansion == id && body.start <= left.token.pos && left.token.pos < body.end;
        let span = if made_here { left.token.span().to(span) } else { span };
        let token = Token { kind, pos: span.start, len: span.len(), symbol, expansion: id };
        out.push(Lexeme { token, flags: left.flags & SPACE });
    }

    /// The spelling of a token.
    fn spelling(&self, token: &Token) -> String {
        match token.kind {
            TokenKind::Word | TokenKind::Number => self.out.symbols.name(token.symbol).into(),
            TokenKind::Unknown => self.sources.slice(token.span()).into(),
            kind => kind.text().into(),
        }
    }
}
