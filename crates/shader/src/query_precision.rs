//! The precision of expressions (GLSL ES 3.20, 4.7.3).

use crate::analyze::Shader;
use crate::ast::{BinaryOp, ExprId, ExprKind};
use crate::typed::Target;
use crate::types::{Precision, Type};

/// The precisions of all expressions of one shader.
#[derive(Clone, Debug, Default)]
pub struct Precisions(Vec<Option<Precision>>);

impl Precisions {
    /// Computes them: each expression has the highest precision of its operands; constants have none.
    #[must_use]
    pub fn new(shader: &Shader) -> Precisions {
        let count = shader.tree.exprs.len();
        let mut precisions = Precisions(Vec::with_capacity(count));
        // An expression's id is greater than those of its operands.
        for id in (0..count as u32).map(ExprId) {
            let constant = shader.typed.expr(id).constant.is_some();
            let found = if constant { None } else { precisions.find(shader, id) };
            precisions.0.push(found);
        }
        precisions
    }

    /// The precision of an expression; `None` if it has none.
    #[must_use]
    pub fn of(&self, id: ExprId) -> Option<Precision> {
        self.0.get(id.0 as usize).copied().flatten()
    }

    fn find(&self, shader: &Shader, id: ExprId) -> Option<Precision> {
        let (typed, facts) = (&shader.typed, shader.typed.expr(id));
        let name = |symbol| shader.preprocessed.symbols.name(symbol);
        match shader.tree.expr(id).kind {
            ExprKind::Error | ExprKind::Literal(_) | ExprKind::Initializers(_) => None,
            ExprKind::Name(_) => match facts.target {
                Target::Variable(variable) => typed.variable(variable).qualifiers.precision,
                _ => None,
            },
            ExprKind::Field(base, _) => match facts.target {
                Target::Member(member) => {
                    let structure = typed.types.as_struct(typed.expr(base).ty)?;
                    structure.fields.get(member as usize)?.qualifiers.precision
                }
                _ => self.of(base),
            },
            ExprKind::Paren(inner) | ExprKind::Index(inner, _) | ExprKind::Unary(_, inner) => self.of(inner),
            ExprKind::Assign(_, left, _) => self.of(left),
            ExprKind::Comma(_, right) => self.of(right),
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, left, _) => self.of(left),
            ExprKind::Binary(_, left, right) | ExprKind::Conditional(_, left, right) => {
                self.of(left).max(self.of(right))
            }
            ExprKind::Call(_, arguments) => {
                let arguments = shader.tree.exprs_of(arguments);
                let fixed = match facts.target {
                    Target::Function(function) | Target::Subroutine(function) => {
                        return typed.function(function).result_precision;
                    }
                    Target::Builtin(function) => {
                        // The result of a texture function has the precision of the sampler, which is the first
                        // argument.
                        if let Some(Type::Opaque(_)) = function.params.first().map(|p| p.ty) {
                            let first = *arguments.first()?;
                            return of_query(name(function.name)).or_else(|| self.of(first));
                        }
                        of_result(name(function.name))
                    }
                    _ => None,
                };
                fixed.or_else(|| arguments.iter().filter_map(|&argument| self.of(argument)).max())
            }
        }
    }
}

/// Sizes and levels are always `highp`.
fn of_query(name: &str) -> Option<Precision> {
    let query = name.contains("Size") || name.contains("Query") || name.contains("Samples") || name.contains("atomic");
    query.then_some(Precision::High)
}

/// The precision of a function's result in its prototype (GLSL ES 3.20, 8).
fn of_result(name: &str) -> Option<Precision> {
    match name {
        "bitCount" | "findLSB" | "findMSB" => Some(Precision::Low),
        "unpackHalf2x16" | "unpackUnorm4x8" | "unpackSnorm4x8" => Some(Precision::Medium),
        "floatBitsToInt" | "floatBitsToUint" | "intBitsToFloat" | "uintBitsToFloat" | "frexp" | "ldexp"
        | "bitfieldReverse" | "uaddCarry" | "usubBorrow" | "unpackUnorm2x16" | "unpackSnorm2x16" => {
            Some(Precision::High)
        }
        _ if name.starts_with("pack") || name.starts_with("atomic") => Some(Precision::High),
        _ => None,
    }
}
