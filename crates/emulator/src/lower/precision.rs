//! Numeric profiles that change the program: contracted multiply-add, and no more precision than is promised.

use lanes::{Op1, Op2, Op3, Use};
use shader::ast::{BinaryOp, ExprId, ExprKind};
use shader::typed::{self, Target};
use shader::types::{Precision, Scalar, Type};

use super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Register};

/// How numbers of the program behave, where that is decided before it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LowerOptions {
    /// `a * b + c` within an expression is rounded once, except in functions that have to do with `precise` variables.
    pub contract: bool,
    /// Values of `mediump` and `lowp` have the range and precision they are promised and no more.
    pub least_precision: bool,
}

impl From<&lanes::Numerics<'_>> for LowerOptions {
    fn from(numerics: &lanes::Numerics<'_>) -> LowerOptions {
        LowerOptions { contract: numerics.contract, least_precision: numerics.least_precision }
    }
}

impl Lower<'_> {
    /// A sum with a product in it as one operation. A product's register is written once, and a value that something
    /// later in the expression could change is copied first, so the factors still are what they were.
    pub(super) fn contracted(&mut self, instruction: Instruction) -> Instruction {
        match instruction {
            Instruction::Binary(Op2::FMul, to, a, b) | Instruction::WideBinary(Op2::FMul, to, a, b) => {
                self.products.insert(to, (a, b));
                instruction
            }
            Instruction::Binary(op @ (Op2::FAdd | Op2::FSub), to, a, b) => {
                match self.product_in(op, a, b, Scalar::Float) {
                    Some([x, y, z]) => Instruction::Ternary(Op3::FFma, to, x, y, z),
                    None => instruction,
                }
            }
            Instruction::WideBinary(op @ (Op2::FAdd | Op2::FSub), to, a, b) => {
                match self.product_in(op, a, b, Scalar::Double) {
                    Some([x, y, z]) => Instruction::WideTernary(Op3::FFma, to, x, y, z),
                    None => instruction,
                }
            }
            _ => instruction,
        }
    }

    /// The factors and the summand of `a op b`; `None` if neither is a product.
    fn product_in(&mut self, op: Op2, a: Register, b: Register, scalar: Scalar) -> Option<[Register; 3]> {
        let subtracts = op == Op2::FSub;
        if let Some(&(x, y)) = self.products.get(&a) {
            let rest = if subtracts { self.unary_op(Op1::FNeg, b, scalar).ok()? } else { b };
            return Some([x, y, rest]);
        }
        let &(x, y) = self.products.get(&b)?;
        let first = if subtracts { self.unary_op(Op1::FNeg, x, scalar).ok()? } else { x };
        Some([first, y, a])
    }

    /// Whether sums in a function may be contracted: no `precise` variable is declared or mentioned in it (GLSL 4.60,
    /// 4.14: everything in the function that leads to such a variable's value is meant).
    pub(super) fn may_contract(&self, id: typed::FunctionId) -> bool {
        let typed = &self.shader.typed;
        let row = typed.function(id);
        let precise = |v: &typed::Variable| v.qualifiers.flags.precise;
        let Some(definition) = row.definition else { return false };
        let tokens = self.shader.tree.decl(definition).tokens;
        let inside = |v: &typed::Variable| v.declared.is_some_and(|at| tokens.first <= at && at <= tokens.last);
        !row.uses.iter().any(|&v| precise(typed.variable(v)))
            && !typed.variables.iter().any(|v| precise(v) && inside(v))
    }

    /// The value of an expression with no more precision than it has.
    pub(super) fn least(&mut self, id: ExprId, value: Value) -> Lowered<Value> {
        if !self.options.least_precision {
            return Ok(value);
        }
        let precision = self.precision(id);
        self.reduced(value, precision)
    }

    /// A value as something of a precision holds it.
    pub(super) fn reduced(&mut self, value: Value, precision: Option<Precision>) -> Lowered<Value> {
        let precision = match precision {
            Some(Precision::Medium) if self.options.least_precision => lanes::Precision::Medium,
            Some(Precision::Low) if self.options.least_precision => lanes::Precision::Low,
            _ => return Ok(value),
        };
        let of = match value.ty.scalar() {
            Some(Scalar::Float) => Use::Float,
            Some(Scalar::Int) => Use::Signed,
            Some(Scalar::Uint) => Use::Unsigned,
            _ => return Ok(value),
        };
        let mut registers = Vec::with_capacity(value.registers.len());
        for &from in &value.registers {
            let to = self.one()?;
            self.emit(Instruction::Reduce(precision, of, to, from));
            registers.push(to);
        }
        Ok(Value { ty: value.ty, registers })
    }

    /// The precision of an expression (GLSL ES 3.20, 4.7.3): the greatest of its operands'; constants have none.
    pub(super) fn precision(&mut self, id: ExprId) -> Option<Precision> {
        if let Some(known) = self.precisions[id.0 as usize] {
            return known;
        }
        let found = if self.shader.typed.expr(id).constant.is_some() { None } else { self.find_precision(id) };
        self.precisions[id.0 as usize] = Some(found);
        found
    }

    fn find_precision(&mut self, id: ExprId) -> Option<Precision> {
        let facts = *self.shader.typed.expr(id);
        let typed = &self.shader.typed;
        match self.shader.tree.expr(id).kind {
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
                _ => self.precision(base),
            },
            ExprKind::Paren(inner) | ExprKind::Index(inner, _) | ExprKind::Unary(_, inner) => self.precision(inner),
            ExprKind::Assign(_, left, _) => self.precision(left),
            ExprKind::Comma(_, right) => self.precision(right),
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, left, _) => self.precision(left),
            ExprKind::Binary(_, left, right) | ExprKind::Conditional(_, left, right) => {
                self.precision(left).max(self.precision(right))
            }
            ExprKind::Call(_, arguments) => {
                let fixed = match facts.target {
                    Target::Function(function) | Target::Subroutine(function) => {
                        return typed.function(function).result_precision;
                    }
                    Target::Builtin(function) => {
                        // What comes from a texture has the precision of the sampler, which is the first argument.
                        if let Some(Type::Opaque(_)) = function.params.first().map(|p| p.ty) {
                            let first = *self.shader.tree.exprs_of(arguments).first()?;
                            return of_query(self.name(function.name)).or_else(|| self.precision(first));
                        }
                        of_result(self.name(function.name))
                    }
                    _ => None,
                };
                if fixed.is_some() {
                    return fixed;
                }
                let arguments = self.shader.tree.exprs_of(arguments).to_vec();
                arguments.into_iter().filter_map(|argument| self.precision(argument)).max()
            }
        }
    }
}

/// Sizes and levels have the whole range whatever is measured.
fn of_query(name: &str) -> Option<Precision> {
    let query = name.contains("Size") || name.contains("Query") || name.contains("Samples") || name.contains("atomic");
    query.then_some(Precision::High)
}

/// The precision that the prototype of a function says its result has (GLSL ES 3.20, 8).
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
