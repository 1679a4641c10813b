//! Expressions, by precedence climbing (GLSL 4.60, 5.1).

use super::{MAX_DEPTH, Parse, Parser, Unwind};
use crate::ast::{BinaryOp, Callee, DeclKind, ExprId, ExprKind, List, Literal, TypeSyntax, TypeSyntaxKind, UnaryOp};
use crate::builtin::{self, Keyword, Word};
use crate::number::{self, FloatSuffix, IntSuffix, Number};
use crate::token::TokenKind;
use crate::types::Type;
use crate::version::Vendor;

const COMMA: u8 = 1;
const ASSIGN: u8 = 2;
const CONDITIONAL: u8 = 3;

/// How the parser handles an infix token.
enum Infix {
    Comma,
    Assign(Option<BinaryOp>),
    Conditional,
    Binary(BinaryOp),
}

fn infix(kind: TokenKind) -> Option<(u8, Infix)> {
    use BinaryOp as B;
    use TokenKind as T;
    let binary = |precedence, op| Some((precedence, Infix::Binary(op)));
    let assign = |op| Some((ASSIGN, Infix::Assign(Some(op))));
    match kind {
        T::Comma => Some((COMMA, Infix::Comma)),
        T::Equal => Some((ASSIGN, Infix::Assign(None))),
        T::StarEqual => assign(B::Mul),
        T::SlashEqual => assign(B::Div),
        T::PercentEqual => assign(B::Mod),
        T::PlusEqual => assign(B::Add),
        T::MinusEqual => assign(B::Sub),
        T::LessLessEqual => assign(B::Shl),
        T::GreaterGreaterEqual => assign(B::Shr),
        T::AmpersandEqual => assign(B::BitAnd),
        T::CaretEqual => assign(B::BitXor),
        T::PipeEqual => assign(B::BitOr),
        T::Question => Some((CONDITIONAL, Infix::Conditional)),
        T::PipePipe => binary(4, B::Or),
        T::CaretCaret => binary(5, B::Xor),
        T::AmpersandAmpersand => binary(6, B::And),
        T::Pipe => binary(7, B::BitOr),
        T::Caret => binary(8, B::BitXor),
        T::Ampersand => binary(9, B::BitAnd),
        T::EqualEqual => binary(10, B::Equal),
        T::BangEqual => binary(10, B::NotEqual),
        T::Less => binary(11, B::Less),
        T::Greater => binary(11, B::Greater),
        T::LessEqual => binary(11, B::LessEqual),
        T::GreaterEqual => binary(11, B::GreaterEqual),
        T::LessLess => binary(12, B::Shl),
        T::GreaterGreater => binary(12, B::Shr),
        T::Plus => binary(13, B::Add),
        T::Minus => binary(13, B::Sub),
        T::Star => binary(14, B::Mul),
        T::Slash => binary(14, B::Div),
        T::Percent => binary(14, B::Mod),
        _ => None,
    }
}

impl Parser<'_> {
    /// `expression`: including commas.
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        self.climb(COMMA)
    }

    /// `assignment_expression`: an operand of the comma operator.
    pub(super) fn assignment(&mut self) -> Parse<ExprId> {
        self.climb(ASSIGN)
    }

    /// `constant_expression`: no assignment, no comma.
    pub(super) fn constant_expression(&mut self) -> Parse<ExprId> {
        self.climb(CONDITIONAL)
    }

    fn climb(&mut self, least: u8) -> Parse<ExprId> {
        self.enter()?;
        let mut left = self.unary()?;
        while let Some((precedence, operator)) = infix(self.kind()) {
            if precedence < least {
                break;
            }
            self.bump();
            let (kind, last) = match operator {
                Infix::Comma => {
                    let right = self.climb(ASSIGN)?;
                    (ExprKind::Comma(left, right), right)
                }
                Infix::Assign(op) => {
                    let right = self.climb(ASSIGN)?;
                    (ExprKind::Assign(op, left, right), right)
                }
                Infix::Conditional => {
                    let yes = self.climb(COMMA)?;
                    self.expect(TokenKind::Colon, "`:` of the conditional operator")?;
                    let no = self.climb(ASSIGN)?;
                    (ExprKind::Conditional(left, yes, no), no)
                }
                Infix::Binary(op) => {
                    let right = self.climb(precedence + 1)?;
                    (ExprKind::Binary(op, left, right), right)
                }
            };
            let tokens = self.span_of(left, last);
            left = self.tree.add_expr(kind, tokens);
        }
        self.leave();
        Ok(left)
    }

    fn unary(&mut self) -> Parse<ExprId> {
        let op = match self.kind() {
            TokenKind::Plus => UnaryOp::Plus,
            TokenKind::Minus => UnaryOp::Minus,
            TokenKind::Bang => UnaryOp::Not,
            TokenKind::Tilde => UnaryOp::BitNot,
            TokenKind::PlusPlus => UnaryOp::PreIncrement,
            TokenKind::MinusMinus => UnaryOp::PreDecrement,
            _ => return self.postfix(),
        };
        self.enter()?;
        let start = self.at;
        self.bump();
        let operand = self.unary()?;
        self.leave();
        Ok(self.tree.add_expr(ExprKind::Unary(op, operand), self.span_from(start)))
    }

    fn postfix(&mut self) -> Parse<ExprId> {
        let start = self.at;
        let mut base = self.primary()?;
        let mut length = 0;
        loop {
            let kind = match self.kind() {
                TokenKind::LeftBracket => {
                    self.bump();
                    let index = self.expression()?;
                    self.expect(TokenKind::RightBracket, "`]`")?;
                    ExprKind::Index(base, index)
                }
                TokenKind::Dot => {
                    self.bump();
                    let token = self.tokens[self.at];
                    // Any word may be a member: `.rgb`, but also `.sample`, which is a keyword elsewhere.
                    if token.kind != TokenKind::Word {
                        return Err(self.unexpected("a member name or swizzle after `.`"));
                    }
                    self.bump();
                    ExprKind::Field(base, token.symbol)
                }
                TokenKind::LeftParen => {
                    self.bump();
                    let arguments = self.arguments()?;
                    ExprKind::Call(Callee::Expr(base), arguments)
                }
                TokenKind::PlusPlus => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::PostIncrement, base)
                }
                TokenKind::MinusMinus => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::PostDecrement, base)
                }
                _ => return Ok(base),
            };
            length += 1;
            if self.depth + length > MAX_DEPTH {
                self.depth = MAX_DEPTH;
                self.enter()?;
            }
            base = self.tree.add_expr(kind, self.span_from(start));
        }
    }

    fn primary(&mut self) -> Parse<ExprId> {
        let start = self.at;
        if self.eat_unsigned() {
            return self.constructor(Type::UINT, start);
        }
        let token = self.tokens[self.at];
        match token.kind {
            TokenKind::Word => match self.words.get(token.symbol) {
                Word::Identifier => {
                    if self.kind_at(1) == TokenKind::LeftBracket && self.names.is_type(token.symbol) {
                        return self.array_constructor(TypeSyntaxKind::Named(token.symbol), start);
                    }
                    self.bump();
                    if self.eat(TokenKind::LeftParen) {
                        let arguments = self.arguments()?;
                        let kind = ExprKind::Call(Callee::Name(token.symbol), arguments);
                        return Ok(self.tree.add_expr(kind, self.span_from(start)));
                    }
                    Ok(self.tree.add_expr(ExprKind::Name(token.symbol), self.span_from(start)))
                }
                Word::Type(ty) => self.constructor(ty, start),
                Word::Keyword(Keyword::True) => Ok(self.literal(Literal::Bool(true))),
                Word::Keyword(Keyword::False) => Ok(self.literal(Literal::Bool(false))),
                Word::Keyword(_) => Err(self.unexpected("an expression")),
                Word::Reserved => Err(self.reserved(token.symbol)),
            },
            TokenKind::Number => self.number(),
            TokenKind::LeftParen => {
                self.bump();
                let inner = self.expression()?;
                self.expect(TokenKind::RightParen, "`)`")?;
                Ok(self.tree.add_expr(ExprKind::Paren(inner), self.span_from(start)))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// A constructor; the cursor is at the last word of its type, and `start` is the first (`unsigned int` has two).
    fn constructor(&mut self, ty: Type, start: usize) -> Parse<ExprId> {
        if self.kind_at(1) == TokenKind::LeftBracket {
            return self.array_constructor(TypeSyntaxKind::Builtin(ty), start);
        }
        self.bump();
        self.expect(TokenKind::LeftParen, "`(`: a type in an expression is a constructor")?;
        let arguments = self.arguments()?;
        Ok(self.tree.add_expr(ExprKind::Call(Callee::Type(ty), arguments), self.span_from(start)))
    }

    fn array_constructor(&mut self, kind: TypeSyntaxKind, start: usize) -> Parse<ExprId> {
        self.bump();
        let dims = self.array_dims()?;
        let tokens = self.span_from(start);
        let name = self.tree.add_decl(DeclKind::TypeName(TypeSyntax { kind, dims, tokens }), tokens);
        self.expect(TokenKind::LeftParen, "`(` of the array constructor")?;
        let arguments = self.arguments()?;
        Ok(self.tree.add_expr(ExprKind::Call(Callee::Array(name), arguments), self.span_from(start)))
    }

    /// Arguments after the opening parenthesis; `(void)` is the empty list.
    fn arguments(&mut self) -> Parse<List> {
        if self.eat(TokenKind::RightParen) {
            return Ok(List::default());
        }
        if self.keyword() == Some(Keyword::Void) && self.kind_at(1) == TokenKind::RightParen {
            self.bump();
            self.bump();
            return Ok(List::default());
        }
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.assignment()?);
            if self.eat(TokenKind::RightParen) {
                return Ok(self.tree.add_expr_list(&arguments));
            }
            self.expect(TokenKind::Comma, "`,` or `)`")?;
        }
    }

    /// An initializer: an expression or a braced list.
    pub(super) fn initializer(&mut self) -> Parse<ExprId> {
        if self.kind() != TokenKind::LeftBrace {
            return self.assignment();
        }
        self.enter()?;
        let start = self.at;
        self.bump();
        let mut elements = Vec::new();
        while self.kind() != TokenKind::RightBrace {
            elements.push(self.initializer()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBrace, "`,` or `}`")?;
        self.leave();
        let list = self.tree.add_expr_list(&elements);
        Ok(self.tree.add_expr(ExprKind::Initializers(list), self.span_from(start)))
    }

    fn literal(&mut self, literal: Literal) -> ExprId {
        let start = self.at;
        self.bump();
        self.tree.add_expr(ExprKind::Literal(literal), self.span_from(start))
    }

    fn number(&mut self) -> Parse<ExprId> {
        let token = self.tokens[self.at];
        let text = self.input.symbols.name(token.symbol);
        match number::parse_number(text) {
            // `1f`: the grammar requires a point or an exponent before the suffix.
            Ok(Number::Float { .. }) if !text.contains(['.', 'e', 'E']) && !self.nvidia() => {
                let error = self.error_here("number", format!("`{text}` needs a decimal point before its suffix"));
                let _: Unwind = self.report(error);
                Ok(self.literal(Literal::Float(0.0)))
            }
            Ok(number) => {
                let literal = self.number_literal(number);
                Ok(self.literal(literal))
            }
            Err(problem) => {
                let error = self.error_here("number", format!("`{text}` is not a number: {problem}"));
                let _: Unwind = self.report(error);
                // A malformed number is a local mistake: continue as if it were zero.
                Ok(self.literal(Literal::Int(0)))
            }
        }
    }

    /// NVIDIA's compiler accepts `1f` from GLSL 1.20 on.
    fn nvidia(&self) -> bool {
        let dialect = self.timeline.dialect(self.segment);
        dialect.vendor == Vendor::Nvidia && dialect.version.at_least(120, 0)
    }

    /// The value and type of a number; reports a suffix that this version does not have.
    fn number_literal(&mut self, number: Number) -> Literal {
        let dialect = *self.timeline.dialect(self.segment);
        let enabled = |name: &str| builtin::extension(name).is_some_and(|e| dialect.enabled.contains(e));
        let version = dialect.version;
        let (suffix, available, literal) = match number {
            Number::Int { value, suffix, .. } => match suffix {
                IntSuffix::None => ("", true, Literal::Int(value as u32 as i32)),
                IntSuffix::U => {
                    let available = version.at_least(130, 300) || enabled("GL_EXT_gpu_shader4");
                    ("u", available, Literal::Uint(value as u32))
                }
                IntSuffix::L | IntSuffix::UL => {
                    let available = enabled("GL_ARB_gpu_shader_int64") || enabled("GL_AMD_gpu_shader_int64");
                    if suffix == IntSuffix::L {
                        ("l", available, Literal::Int64(value as i64))
                    } else {
                        ("ul", available, Literal::Uint64(value))
                    }
                }
                IntSuffix::S | IntSuffix::US => ("s", false, Literal::Int(value as u32 as i32)),
            },
            Number::Float { value, single, suffix } => match suffix {
                FloatSuffix::None => ("", true, Literal::Float(single)),
                // GLSL 1.10 has no suffixes, but compilers accept `f` there; ES 1.00 has none, and only Mesa accepts
                // it.
                FloatSuffix::F => {
                    let available = version.at_least(110, 300) || dialect.vendor == Vendor::Mesa;
                    ("f", available, Literal::Float(single))
                }
                FloatSuffix::LF => {
                    let available = version.at_least(400, 0) || enabled("GL_ARB_gpu_shader_fp64");
                    ("lf", available, Literal::Double(value))
                }
                FloatSuffix::HF => ("hf", false, Literal::Float(single)),
            },
        };
        if !available {
            let error = self.error_here("number", format!("suffix `{suffix}` is not available in {version}"));
            let _: Unwind = self.report(error);
        }
        literal
    }
}
