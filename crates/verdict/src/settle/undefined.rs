//! Operations that the language gives no result.

use moment::glsl::Value;
use shader::ast::{BinaryOp, ExprId, ExprKind};
use shader::typed::Target;
use shader::types::{Scalar, Type};

use super::operation::{Operations, expression, floats};

impl Operations<'_> {
    /// Whether an operation has no result by the language: an index out of bounds, a division of integers by zero, too
    /// wide a shift, a number that no integer is (GLSL 4.60, 5.4.1, 5.9 and 5.11), an argument that a function is not
    /// defined for.
    pub(super) fn is_undefined(&self, index: usize) -> bool {
        let Some(id) = expression(&self.theirs.records[index]) else { return false };
        let numbers = |id: ExprId| {
            let constant = self.shader.typed.expr(id).constant;
            let found = self.theirs.records[..=index].iter().rev().find(|record| expression(record) == Some(id));
            match (found.and_then(|record| record.value.as_ref()), constant) {
                (Some(value), _) => value.numbers(),
                (None, Some(constant)) => {
                    let scalars = self.shader.typed.constants.components(constant).to_vec();
                    Value { ty: constant.ty, scalars }.numbers()
                }
                (None, None) => Vec::new(),
            }
        };
        let types = &self.shader.typed.types;
        let is_outside = |base: ExprId, index: ExprId| {
            let ty = self.shader.typed.expr(base).ty;
            let count = match ty {
                Type::Vector(_, count) | Type::Matrix(_, count, _) => Some(u32::from(count)),
                _ => types.as_array(ty).and_then(|array| array.size),
            };
            let inside = |number: &f64| count.is_none_or(|count| (0.0..f64::from(count)).contains(number));
            !numbers(index).iter().all(inside)
        };
        if self.indexed.get(&id).is_some_and(|base| is_outside(*base, id)) {
            return true;
        }
        let mut part = id;
        loop {
            match self.shader.tree.expr(part).kind {
                ExprKind::Index(base, index) if is_outside(base, index) => return true,
                ExprKind::Index(base, _) | ExprKind::Field(base, _) | ExprKind::Paren(base) => part = base,
                _ => break,
            }
        }
        let facts = self.shader.typed.expr(id);
        let whole = matches!(facts.ty.scalar(), Some(Scalar::Int | Scalar::Uint | Scalar::Int64 | Scalar::Uint64));
        match self.shader.tree.expr(id).kind {
            ExprKind::Binary(op, a, b) | ExprKind::Assign(Some(op), a, b) if whole => match op {
                BinaryOp::Div => numbers(b).contains(&0.0),
                BinaryOp::Mod => {
                    numbers(b).iter().any(|number| *number <= 0.0) || numbers(a).iter().any(|number| *number < 0.0)
                }
                BinaryOp::Shl | BinaryOp::Shr => !numbers(b).iter().all(|number| (0.0..32.0).contains(number)),
                _ => false,
            },
            ExprKind::Call(_, arguments) if whole && matches!(facts.target, Target::Constructor(_)) => {
                let least = if facts.ty.scalar() == Some(Scalar::Uint) { -1.0 } else { -2_147_483_649.0 };
                let most = if facts.ty.scalar() == Some(Scalar::Uint) { 4_294_967_296.0 } else { 2_147_483_648.0 };
                let outside = |number: &f64| number.is_nan() || *number <= least || *number >= most;
                let real = |id: &&ExprId| floats(self.shader.typed.expr(**id).ty).is_some();
                self.shader.tree.exprs_of(arguments).iter().filter(real).any(|id| numbers(*id).iter().any(outside))
            }
            ExprKind::Call(_, arguments) => {
                let Target::Builtin(function) = facts.target else { return false };
                let arguments = self.shader.tree.exprs_of(arguments);
                let arguments: Vec<Vec<f64>> = arguments.iter().map(|id| numbers(*id)).collect();
                has_no_result(self.symbol(function.name), &arguments)
            }
            _ => false,
        }
    }
}

/// Whether a function has no result for any component of its arguments (GLSL 4.60, 8.1, 8.2, 8.3 and 8.8). Scalars go with
/// every component; of an argument that was not measured nothing is said.
fn has_no_result(function: &str, arguments: &[Vec<f64>]) -> bool {
    if arguments.iter().any(Vec::is_empty) {
        return false;
    }
    let components = arguments.iter().map(Vec::len).max().unwrap_or(0);
    let of = |argument: &Vec<f64>, at: usize| *argument.get(at).unwrap_or(&argument[0]);
    (0..components).any(|at| {
        let parts: Vec<f64> = arguments.iter().map(|argument| of(argument, at)).collect();
        match (function, parts.as_slice()) {
            ("asin" | "acos", [x]) => x.abs() > 1.0,
            ("atan", [y, x]) => *x == 0.0 && *y == 0.0,
            ("acosh", [x]) => *x < 1.0,
            ("atanh", [x]) => x.abs() >= 1.0,
            ("pow", [x, y]) => *x < 0.0 || *x == 0.0 && *y <= 0.0,
            ("log" | "log2" | "inversesqrt", [x]) => *x <= 0.0,
            ("sqrt", [x]) => *x < 0.0,
            ("clamp", [_, least, most]) => least > most,
            ("smoothstep", [from, to, _]) => from >= to,
            ("bitfieldExtract", [_, offset, bits]) | ("bitfieldInsert", [_, _, offset, bits]) => {
                *offset < 0.0 || *bits < 0.0 || offset + bits > 32.0
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_functions_are_not_defined_for() {
        let one = |number: f64| vec![number];
        assert!(has_no_result("clamp", &[vec![1.0, 2.0], one(3.0), vec![4.0, 2.0]]));
        assert!(!has_no_result("clamp", &[vec![1.0, 2.0], one(3.0), vec![4.0, 3.0]]));
        assert!(has_no_result("pow", &[one(0.0), one(0.0)]) && !has_no_result("pow", &[one(0.0), one(0.5)]));
        assert!(has_no_result("atan", &[one(0.0), one(-0.0)]) && !has_no_result("atan", &[one(0.0)]));
        assert!(has_no_result("smoothstep", &[one(1.0), one(1.0), vec![0.0, 5.0]]));
        assert!(has_no_result("bitfieldInsert", &[vec![1.0, 2.0], vec![1.0, 2.0], one(30.0), one(3.0)]));
        assert!(!has_no_result("sqrt", &[Vec::new()]));
        assert!(!has_no_result("min", &[one(2.0), one(1.0)]));
    }
}
