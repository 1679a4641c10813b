//! Statements (GLSL 4.60, chapter 6).

use super::{Parse, Parser, Unwind};
use crate::ast::{Condition, StmtId, StmtKind};
use crate::builtin::{Keyword, Word};
use crate::token::{TokenIndex, TokenKind, TokenSpan};

impl Parser<'_> {
    /// `{ … }`, with its own scope for type names.
    pub(super) fn block(&mut self) -> Parse<StmtId> {
        let start = self.at;
        self.enter()?;
        self.expect(TokenKind::LeftBrace, "`{`")?;
        self.names.push();
        let list = self.statements();
        self.names.pop();
        let list = self.tree.add_stmt_list(&list);
        self.close(start);
        self.leave();
        Ok(self.tree.add_stmt(StmtKind::Block(list), self.span_from(start)))
    }

    /// The closing brace; at the end of the shader its absence is reported once, and the block's contents are kept.
    fn close(&mut self, open: usize) {
        if self.eat(TokenKind::RightBrace) {
            return;
        }
        if !self.diagnostics.iter().any(|d| matches!(d.code, "unclosed" | "too-deep" | "limit")) {
            let open = TokenIndex(open as u32);
            let opened = self.input.span(TokenSpan { first: open, last: open }).0;
            let error = self.error_here("unclosed", "expected `}`, found the end of the shader");
            self.report(error.label(opened, "this is never closed"));
        }
    }

    /// Statements up to a closing brace, each with its own error recovery.
    fn statements(&mut self) -> Vec<StmtId> {
        let mut list = Vec::new();
        while !matches!(self.kind(), TokenKind::RightBrace | TokenKind::Eof) {
            let (start, depth, scopes) = (self.at, self.depth, self.names.depth());
            match self.statement() {
                Ok(statement) => list.push(statement),
                Err(Unwind) => {
                    self.depth = depth;
                    self.names.unwind_to(scopes);
                    self.skip_statement(start);
                    list.push(self.tree.add_stmt(StmtKind::Error, self.span_from(start)));
                }
            }
        }
        list
    }

    /// Skips the rest of a broken statement: to its `;`, or before the `}` that closes the block around it.
    fn skip_statement(&mut self, start: usize) {
        let mut open = self.open_braces(start);
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace => {
                    if open <= 0 {
                        break;
                    }
                    open -= 1;
                    if open == 0 {
                        self.bump();
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
        if self.at == start {
            self.bump();
        }
    }

    /// A statement with its own scope, such as a branch of `if` or the body of a loop.
    fn scoped_statement(&mut self) -> Parse<StmtId> {
        self.names.push();
        let statement = self.statement();
        self.names.pop();
        statement
    }

    fn statement(&mut self) -> Parse<StmtId> {
        let start = self.at;
        match self.kind() {
            TokenKind::LeftBrace => return self.block(),
            TokenKind::Semicolon => {
                self.bump();
                return Ok(self.tree.add_stmt(StmtKind::Empty, self.span_from(start)));
            }
            _ => {}
        }
        let Some(keyword) = self.keyword() else {
            return self.simple_statement();
        };
        let kind = match keyword {
            Keyword::If => return self.if_statement(),
            Keyword::While => return self.while_statement(),
            Keyword::Do => return self.do_statement(),
            Keyword::For => return self.for_statement(),
            Keyword::Switch => return self.switch_statement(),
            Keyword::Case => {
                self.bump();
                let label = self.expression()?;
                self.expect(TokenKind::Colon, "`:` after the case label")?;
                return Ok(self.tree.add_stmt(StmtKind::Case(label), self.span_from(start)));
            }
            Keyword::Default => {
                self.bump();
                self.expect(TokenKind::Colon, "`:` after `default`")?;
                return Ok(self.tree.add_stmt(StmtKind::Default, self.span_from(start)));
            }
            Keyword::Break => StmtKind::Break,
            Keyword::Continue => StmtKind::Continue,
            Keyword::Discard => StmtKind::Discard,
            Keyword::Demote => StmtKind::Demote,
            Keyword::Return => {
                self.bump();
                let value = if self.kind() == TokenKind::Semicolon { None } else { Some(self.expression()?) };
                self.expect_semicolon()?;
                return Ok(self.tree.add_stmt(StmtKind::Return(value), self.span_from(start)));
            }
            Keyword::Else => {
                let error = self.error_here("syntax", "`else` without an `if`");
                return Err(self.report(error));
            }
            _ => return self.simple_statement(),
        };
        self.bump();
        self.expect_semicolon()?;
        Ok(self.tree.add_stmt(kind, self.span_from(start)))
    }

    /// A declaration or an expression.
    fn simple_statement(&mut self) -> Parse<StmtId> {
        let start = self.at;
        if self.starts_declaration() {
            let declaration = self.local_declaration()?;
            return Ok(self.tree.add_stmt(StmtKind::Decl(declaration), self.span_from(start)));
        }
        let expression = self.expression()?;
        self.expect_semicolon()?;
        Ok(self.tree.add_stmt(StmtKind::Expr(expression), self.span_from(start)))
    }

    /// Whether the cursor is at a declaration rather than an expression.
    pub(super) fn starts_declaration(&self) -> bool {
        match self.word() {
            Some(Word::Keyword(Keyword::True | Keyword::False) | Word::Reserved) | None => false,
            Some(Word::Keyword(Keyword::Unsigned)) => self.kind_at(2) != TokenKind::LeftParen,
            Some(Word::Keyword(_)) => true,
            Some(Word::Type(_)) => !self.constructor_follows(),
            Some(Word::Identifier) => {
                let symbol = self.tokens[self.at].symbol;
                if self.names.is_type(symbol) {
                    return !self.constructor_follows();
                }
                // Two consecutive names can only be a declaration, with an unknown type.
                matches!(self.word_at(1), Some(Word::Identifier))
            }
        }
    }

    /// After a type's name: `(`, or brackets and then `(`.
    fn constructor_follows(&self) -> bool {
        let mut ahead = 1;
        let mut open = 0u32;
        loop {
            match self.kind_at(ahead) {
                TokenKind::LeftBracket => open += 1,
                TokenKind::RightBracket if open > 0 => open -= 1,
                TokenKind::LeftParen if open == 0 => return true,
                TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::Eof => return false,
                _ if open == 0 => return false,
                _ => {}
            }
            ahead += 1;
        }
    }

    fn if_statement(&mut self) -> Parse<StmtId> {
        // `else if` chains are parsed in a loop and built from the end, so that their length is not limited by the
        // stack; generated code has thousands.
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let start = self.at;
            self.bump();
            self.expect(TokenKind::LeftParen, "`(` after `if`")?;
            let condition = self.expression()?;
            self.expect(TokenKind::RightParen, "`)` after the condition")?;
            self.enter()?;
            let then = self.scoped_statement()?;
            self.leave();
            arms.push((start, condition, then));
            if !self.eat_keyword(Keyword::Else) {
                break;
            }
            if self.keyword() == Some(Keyword::If) {
                continue;
            }
            self.enter()?;
            otherwise = Some(self.scoped_statement()?);
            self.leave();
            break;
        }
        let last = TokenIndex(self.at as u32 - 1);
        while let Some((start, condition, then)) = arms.pop() {
            let tokens = TokenSpan { first: TokenIndex(start as u32), last };
            let kind = StmtKind::If { condition, then, otherwise };
            otherwise = Some(self.tree.add_stmt(kind, tokens));
        }
        otherwise.ok_or(Unwind)
    }

    fn condition(&mut self) -> Parse<Condition> {
        if self.starts_declaration() {
            return Ok(Condition::Decl(self.condition_declaration()?));
        }
        Ok(Condition::Expr(self.expression()?))
    }

    fn while_statement(&mut self) -> Parse<StmtId> {
        let start = self.at;
        self.bump();
        self.enter()?;
        self.expect(TokenKind::LeftParen, "`(` after `while`")?;
        self.names.push();
        let condition = self.condition()?;
        self.expect(TokenKind::RightParen, "`)` after the condition")?;
        let body = self.scoped_statement()?;
        self.names.pop();
        self.leave();
        Ok(self.tree.add_stmt(StmtKind::While { condition, body }, self.span_from(start)))
    }

    fn do_statement(&mut self) -> Parse<StmtId> {
        let start = self.at;
        self.bump();
        self.enter()?;
        let body = self.scoped_statement()?;
        self.leave();
        if !self.eat_keyword(Keyword::While) {
            return Err(self.unexpected("`while` after the body of `do`"));
        }
        self.expect(TokenKind::LeftParen, "`(` after `while`")?;
        let condition = self.expression()?;
        self.expect(TokenKind::RightParen, "`)` after the condition")?;
        self.expect_semicolon()?;
        Ok(self.tree.add_stmt(StmtKind::DoWhile { body, condition }, self.span_from(start)))
    }

    fn for_statement(&mut self) -> Parse<StmtId> {
        let start = self.at;
        self.bump();
        self.enter()?;
        self.expect(TokenKind::LeftParen, "`(` after `for`")?;
        self.names.push();
        let init_start = self.at;
        let init = if self.eat(TokenKind::Semicolon) {
            self.tree.add_stmt(StmtKind::Empty, self.span_from(init_start))
        } else {
            self.simple_statement()?
        };
        let condition = if self.kind() == TokenKind::Semicolon { None } else { Some(self.condition()?) };
        self.expect(TokenKind::Semicolon, "`;` after the condition")?;
        let step = if self.kind() == TokenKind::RightParen { None } else { Some(self.expression()?) };
        self.expect(TokenKind::RightParen, "`)` of `for`")?;
        let body = self.scoped_statement()?;
        self.names.pop();
        self.leave();
        Ok(self.tree.add_stmt(StmtKind::For { init, condition, step, body }, self.span_from(start)))
    }

    fn switch_statement(&mut self) -> Parse<StmtId> {
        let start = self.at;
        self.bump();
        self.enter()?;
        self.expect(TokenKind::LeftParen, "`(` after `switch`")?;
        let selector = self.expression()?;
        self.expect(TokenKind::RightParen, "`)` after the selector")?;
        let open = self.at;
        self.expect(TokenKind::LeftBrace, "`{` of the switch body")?;
        self.names.push();
        let list = self.statements();
        self.names.pop();
        let body = self.tree.add_stmt_list(&list);
        self.close(open);
        self.leave();
        Ok(self.tree.add_stmt(StmtKind::Switch { selector, body }, self.span_from(start)))
    }
}
