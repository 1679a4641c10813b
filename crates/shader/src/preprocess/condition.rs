//! The arithmetic of `#if` and `#line`.

use crate::diagnostic::Diagnostic;
use crate::lexer::Lexeme;
use crate::number::{IntSuffix, Number, parse_number};
use crate::symbol::Symbols;
use crate::token::{Token, TokenKind};
use crate::version::Version;

/// Evaluates the expression at the start of `tokens`, with macros already expanded and `defined` evaluated. Returns its
/// value and the number of tokens consumed, and reports names that are not macros.
///
/// Operators and values are on explicit stacks, so nesting is not limited by the native one. Operands that `&&` and
/// `||` make irrelevant are parsed but not evaluated: an unknown name or a division by zero is harmless there.
pub(super) fn evaluate(
    tokens: &[Lexeme],
    symbols: &Symbols,
    version: Version,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(i64, usize), Diagnostic> {
    let mut machine = Machine { values: Vec::new(), operators: Vec::new(), unevaluated: 0 };
    let mut operand_next = true;
    let mut at = 0;
    while let Some(token) = tokens.get(at).map(|l| &l.token) {
        if operand_next {
            match token.kind {
                TokenKind::Number => {
                    machine.values.push(integer(token, symbols)?);
                    operand_next = false;
                }
                TokenKind::Word => {
                    if machine.unevaluated == 0 {
                        let name = symbols.name(token.symbol);
                        let message = format!("`{name}` is not a macro");
                        // GLSL before 4.30 and ES forbid it; desktop compilers treat it as zero, like C.
                        if version.is_es() {
                            return Err(fault("undefined-in-condition", message, token));
                        }
                        let mut warning = Diagnostic::warning("undefined-in-condition", message, token.span());
                        warning.labels[0].expansion = token.expansion;
                        warnings.push(warning.note("it counts as 0 here"));
                    }
                    machine.values.push(0);
                    operand_next = false;
                }
                TokenKind::LeftParen | TokenKind::Plus | TokenKind::Minus | TokenKind::Bang | TokenKind::Tilde => {
                    machine.operators.push(Operator { token: *token, precedence: prefix(token.kind), skips: false });
                }
                _ => return Err(fault("condition", "a value is missing here", token)),
            }
        } else if let Some(precedence) = infix(token.kind) {
            machine.reduce(precedence)?;
            let left = machine.values.last().copied().unwrap_or(0);
            let skips = match token.kind {
                TokenKind::AmpersandAmpersand => left == 0,
                TokenKind::PipePipe => left != 0,
                _ => false,
            };
            machine.unevaluated += u32::from(skips);
            machine.operators.push(Operator { token: *token, precedence, skips });
            operand_next = true;
        } else if token.kind == TokenKind::RightParen {
            machine.reduce(1)?;
            if machine.operators.pop().is_none() {
                return Err(fault("condition", "this `)` has no `(`", token));
            }
        } else {
            break;
        }
        at += 1;
    }
    machine.reduce(1)?;
    if let Some(open) = machine.operators.last() {
        return Err(fault("condition", "this `(` has no `)`", &open.token));
    }
    match machine.values.as_slice() {
        [value] if !operand_next => Ok((*value, at)),
        _ => Err(missing(tokens)),
    }
}

struct Machine {
    values: Vec<i64>,
    operators: Vec<Operator>,
    /// The number of pending `&&` and `||` whose right operand is irrelevant.
    unevaluated: u32,
}

struct Operator {
    token: Token,
    /// Zero for a parenthesis.
    precedence: u8,
    skips: bool,
}

/// Precedence of unary operators.
const UNARY: u8 = 11;

fn prefix(kind: TokenKind) -> u8 {
    if kind == TokenKind::LeftParen { 0 } else { UNARY }
}

/// Precedence of infix operators (GLSL 4.60, 3.3, table "preprocessor expressions").
fn infix(kind: TokenKind) -> Option<u8> {
    Some(match kind {
        TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 10,
        TokenKind::Plus | TokenKind::Minus => 9,
        TokenKind::LessLess | TokenKind::GreaterGreater => 8,
        TokenKind::Less | TokenKind::Greater | TokenKind::LessEqual | TokenKind::GreaterEqual => 7,
        TokenKind::EqualEqual | TokenKind::BangEqual => 6,
        TokenKind::Ampersand => 5,
        TokenKind::Caret => 4,
        TokenKind::Pipe => 3,
        TokenKind::AmpersandAmpersand => 2,
        TokenKind::PipePipe => 1,
        _ => return None,
    })
}

impl Machine {
    /// Applies the pending operators with at least this precedence.
    fn reduce(&mut self, precedence: u8) -> Result<(), Diagnostic> {
        while let Some(operator) = self.operators.pop_if(|o| o.precedence >= precedence) {
            let token = &operator.token;
            let Some(right) = self.values.pop() else { return Err(fault("condition", "a value is missing", token)) };
            if operator.precedence == UNARY {
                self.values.push(match token.kind {
                    TokenKind::Minus => right.wrapping_neg(),
                    TokenKind::Bang => i64::from(right == 0),
                    TokenKind::Tilde => !right,
                    _ => right,
                });
                continue;
            }
            self.unevaluated -= u32::from(operator.skips);
            let Some(left) = self.values.pop() else { return Err(fault("condition", "a value is missing", token)) };
            if right == 0 && matches!(token.kind, TokenKind::Slash | TokenKind::Percent) {
                if self.unevaluated == 0 {
                    return Err(fault("division-by-zero", "division by zero", token));
                }
                self.values.push(0);
                continue;
            }
            self.values.push(apply(token.kind, left, right));
        }
        Ok(())
    }
}

fn apply(kind: TokenKind, left: i64, right: i64) -> i64 {
    // A shift by the width or more, which C leaves undefined, shifts everything out.
    let shift = |f: fn(i64, u32) -> i64, out: i64| match u32::try_from(right) {
        Ok(by @ 0..64) => f(left, by),
        _ => out,
    };
    match kind {
        TokenKind::Star => left.wrapping_mul(right),
        TokenKind::Slash => left.wrapping_div(right),
        TokenKind::Percent => left.wrapping_rem(right),
        TokenKind::Plus => left.wrapping_add(right),
        TokenKind::Minus => left.wrapping_sub(right),
        TokenKind::LessLess => shift(|a, by| a << by, 0),
        TokenKind::GreaterGreater => shift(|a, by| a >> by, left >> 63),
        TokenKind::Less => i64::from(left < right),
        TokenKind::Greater => i64::from(left > right),
        TokenKind::LessEqual => i64::from(left <= right),
        TokenKind::GreaterEqual => i64::from(left >= right),
        TokenKind::EqualEqual => i64::from(left == right),
        TokenKind::BangEqual => i64::from(left != right),
        TokenKind::Ampersand => left & right,
        TokenKind::Caret => left ^ right,
        TokenKind::Pipe => left | right,
        TokenKind::AmpersandAmpersand => i64::from(left != 0 && right != 0),
        _ => i64::from(left != 0 || right != 0),
    }
}

fn integer(token: &Token, symbols: &Symbols) -> Result<i64, Diagnostic> {
    let text = symbols.name(token.symbol);
    match parse_number(text) {
        Ok(Number::Int { value, suffix: IntSuffix::None | IntSuffix::U, .. }) => Ok(value as i64),
        _ => Err(fault("condition", format!("`{text}` is not a 32-bit integer"), token)),
    }
}

fn fault(code: &'static str, message: impl Into<String>, token: &Token) -> Diagnostic {
    Diagnostic::error(code, message, token.span()).expanded_from(token.expansion)
}

fn missing(tokens: &[Lexeme]) -> Diagnostic {
    let last = tokens.last().map(|l| l.token);
    let span = last.map(|t| t.span()).unwrap_or_default();
    Diagnostic::error("condition", "the expression is not complete", span)
        .expanded_from(last.map(|t| t.expansion).unwrap_or_default())
}
