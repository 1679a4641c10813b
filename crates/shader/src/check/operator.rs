//! Unary, binary and assignment operators (GLSL 4.60, 5.8 and 5.9).

use super::Checker;
use crate::ast::{BinaryOp, ExprId, UnaryOp};
use crate::typed::ExprFacts;
use crate::types::{Scalar, Type};

impl BinaryOp {
    /// Its spelling.
    #[must_use]
    pub fn spelling(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Less => "<",
            BinaryOp::Greater => ">",
            BinaryOp::LessEqual => "<=",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::And => "&&",
            BinaryOp::Xor => "^^",
            BinaryOp::Or => "||",
        }
    }

    fn is_integer_only(self) -> bool {
        matches!(
            self,
            BinaryOp::Mod | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr
        )
    }
}

impl UnaryOp {
    /// Its spelling.
    #[must_use]
    pub fn spelling(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
            UnaryOp::PreIncrement | UnaryOp::PostIncrement => "++",
            UnaryOp::PreDecrement | UnaryOp::PostDecrement => "--",
        }
    }

    /// `++` and `--`.
    #[must_use]
    pub fn assigns(self) -> bool {
        matches!(self, UnaryOp::PreIncrement | UnaryOp::PostIncrement | UnaryOp::PreDecrement | UnaryOp::PostDecrement)
    }
}

impl Checker<'_> {
    /// Integer operators exist since GLSL 1.30 and ES 3.00 (before that they are reserved).
    fn integer_operator(&mut self, id: ExprId, spelling: &str) {
        if !(self.at_least(130, 300) || self.has("GL_EXT_gpu_shader4")) {
            let version = self.dialect.version;
            let error = self
                .error_at(self.expr_tokens(id), "reserved-operator", format!("`{spelling}` is reserved in {version}"))
                .note("integer operators are available from GLSL 1.30 and GLSL ES 3.00");
            self.report(error);
        }
    }

    pub(super) fn unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId) -> ExprFacts {
        let ty = self.ty(operand);
        let mut facts = self.facts(ty);
        facts.side_effects = op.assigns() || self.side_effects(operand);
        if op == UnaryOp::BitNot {
            self.integer_operator(id, "~");
        }
        if ty == Type::Error {
            return facts;
        }
        let scalar = ty.scalar();
        let fits = match op {
            UnaryOp::Not => ty == Type::BOOL,
            UnaryOp::BitNot => scalar.is_some_and(Scalar::is_integer) && !matches!(ty, Type::Matrix(..)),
            _ => scalar.is_some_and(|s| s != Scalar::Bool),
        };
        if !fits {
            let (name, spelling) = (self.type_name(ty), op.spelling());
            let mut error = self.error_at(
                self.expr_tokens(id),
                "type-mismatch",
                format!("`{spelling}` cannot be applied to `{name}`"),
            );
            if op == UnaryOp::Not && matches!(ty, Type::Vector(Scalar::Bool, _)) {
                error = error.note("use `not()` for vectors of `bool`");
            }
            self.report(error);
            facts.ty = Type::Error;
            return facts;
        }
        if op.assigns() {
            self.require_lvalue(operand, "changed");
        } else if let Some(value) = self.constant(operand) {
            facts.constant = crate::constant::unary(&mut self.out.constants, op, value);
        }
        facts
    }

    pub(super) fn binary(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> ExprFacts {
        let effects = self.side_effects(left) || self.side_effects(right);
        if op.is_integer_only() {
            self.integer_operator(id, op.spelling());
        }
        let (a, b) = (self.ty(left), self.ty(right));
        let mut facts = self.facts(Type::Error);
        facts.side_effects = effects;
        if a == Type::Error || b == Type::Error {
            // A comparison is a bool whatever it compares; returning that keeps later mistakes visible.
            if matches!(
                op,
                BinaryOp::Less
                    | BinaryOp::Greater
                    | BinaryOp::LessEqual
                    | BinaryOp::GreaterEqual
                    | BinaryOp::Equal
                    | BinaryOp::NotEqual
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
            ) {
                facts.ty = Type::BOOL;
            }
            return facts;
        }
        let Some((operands, result)) = self.binary_types(id, op, left, right) else {
            return facts;
        };
        facts.ty = result;
        if let (Some(_), Some(_)) = (self.constant(left), self.constant(right)) {
            let (x, y) = match operands {
                Some((x, y)) => (self.constant_as(left, x), self.constant_as(right, y)),
                None => (self.constant(left), self.constant(right)),
            };
            if let (Some(x), Some(y)) = (x, y) {
                facts.constant = self.fold_binary(id, op, x, y, result);
            }
        }
        facts
    }

    fn mismatch(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId, note: Option<String>) {
        let (a, b) = (self.type_name(self.ty(left)), self.type_name(self.ty(right)));
        let spelling = op.spelling();
        let mut error = self
            .error_at(
                self.expr_tokens(id),
                "type-mismatch",
                format!("`{spelling}` cannot be applied to `{a}` and `{b}`"),
            )
            .label(self.span(self.expr_tokens(left)), format!("this is `{a}`"))
            .label(self.span(self.expr_tokens(right)), format!("this is `{b}`"));
        error.notes.extend(note);
        self.report(error);
    }

    /// The types that the operands are converted to (if they are) and the type of the result; reports a mismatch.
    #[allow(clippy::type_complexity, reason = "a pair of a pair reads better here than a struct used once")]
    fn binary_types(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Option<(Option<(Type, Type)>, Type)> {
        use BinaryOp as B;
        let (a, b) = (self.ty(left), self.ty(right));
        let found = match op {
            B::And | B::Or | B::Xor => (a == Type::BOOL && b == Type::BOOL).then_some((None, Type::BOOL)),
            B::Equal | B::NotEqual => return self.equality_types(id, op, left, right),
            B::Shl | B::Shr => shift_types(a, b).map(|ty| (None, ty)),
            B::Less | B::Greater | B::LessEqual | B::GreaterEqual => match (a, b) {
                (Type::Scalar(x), Type::Scalar(y)) if x != Scalar::Bool && y != Scalar::Bool => {
                    self.common_scalar(x, y).map(|s| (Some((Type::Scalar(s), Type::Scalar(s))), Type::BOOL))
                }
                _ => None,
            },
            B::Mod | B::BitAnd | B::BitXor | B::BitOr | B::Mul | B::Div | B::Add | B::Sub => {
                self.arithmetic_types(op, a, b)
            }
        };
        if found.is_none() {
            let note = self.operator_advice(op, a, b);
            self.mismatch(id, op, left, right, note);
        }
        found
    }

    fn operator_advice(&self, op: BinaryOp, a: Type, b: Type) -> Option<String> {
        let (x, y) = (a.scalar()?, b.scalar()?);
        let vectors = matches!(a, Type::Vector(..)) || matches!(b, Type::Vector(..));
        if x != y && x != Scalar::Bool && y != Scalar::Bool && !op.is_integer_only() {
            let version = self.dialect.version;
            return Some(format!("{version} does not convert between these types by itself; use a constructor"));
        }
        let function = match op {
            BinaryOp::Less => "lessThan()",
            BinaryOp::Greater => "greaterThan()",
            BinaryOp::LessEqual => "lessThanEqual()",
            BinaryOp::GreaterEqual => "greaterThanEqual()",
            BinaryOp::And | BinaryOp::Or => "all() and any()",
            _ => return None,
        };
        vectors.then(|| format!("vectors are compared component by component with {function}"))
    }

    fn equality_types(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Option<(Option<(Type, Type)>, Type)> {
        let (a, b) = (self.ty(left), self.ty(right));
        let common = if a == b || self.fits(right, a) {
            a
        } else if self.fits(left, b) {
            b
        } else {
            self.mismatch(id, op, left, right, None);
            return None;
        };
        let spelling = op.spelling();
        if common == Type::Void {
            self.mismatch(id, op, left, right, None);
            return None;
        }
        if self.contains_opaque(common) && !self.has("GL_ARB_bindless_texture") {
            self.error_expr(id, "opaque-operand", format!("`{spelling}` takes no samplers, images or counters"));
            return None;
        }
        if self.contains_array(common) && !self.at_least(120, 300) && !self.has("GL_3DL_array_objects") {
            let version = self.dialect.version;
            self.error_expr(id, "array-operand", format!("`{spelling}` takes no arrays in {version}"));
            return None;
        }
        if self.out.types.as_array(common).is_some_and(|a| a.size.is_none()) {
            self.error_expr(id, "unsized-array", format!("`{spelling}` takes no arrays without a size"));
            return None;
        }
        Some((Some((common, common)), Type::BOOL))
    }

    fn arithmetic_types(&self, op: BinaryOp, a: Type, b: Type) -> Option<(Option<(Type, Type)>, Type)> {
        let (x, y) = (a.scalar()?, b.scalar()?);
        if x == Scalar::Bool || y == Scalar::Bool {
            return None;
        }
        let scalar = self.common_scalar(x, y)?;
        if op.is_integer_only() && !scalar.is_integer() {
            return None;
        }
        let (a, b) = (a.with_scalar(scalar), b.with_scalar(scalar));
        let result = match (a, b) {
            (Type::Scalar(_), _) => b,
            (_, Type::Scalar(_)) => a,
            _ if a == b && !(op == BinaryOp::Mul && matches!(a, Type::Matrix(..))) => a,
            (Type::Matrix(_, c, r), Type::Vector(_, n)) if op == BinaryOp::Mul && c == n => Type::vector(scalar, r),
            (Type::Vector(_, n), Type::Matrix(_, c, r)) if op == BinaryOp::Mul && n == r => Type::vector(scalar, c),
            (Type::Matrix(_, c, r), Type::Matrix(_, d, s)) if op == BinaryOp::Mul && c == s => {
                Type::Matrix(scalar, d, r)
            }
            _ => return None,
        };
        if op.is_integer_only() && matches!(result, Type::Matrix(..)) {
            return None;
        }
        Some((Some((a, b)), result))
    }

    pub(super) fn assign(&mut self, id: ExprId, op: Option<BinaryOp>, left: ExprId, right: ExprId) -> ExprFacts {
        let ty = self.ty(left);
        let mut facts = self.facts(ty);
        facts.side_effects = true;
        self.require_lvalue(left, "assigned to");
        if op.is_none() {
            self.notes.not_read.push(left);
        }
        let value = self.ty(right);
        if let Some(op) = op {
            if op.is_integer_only() {
                self.integer_operator(id, op.spelling());
            }
            if ty == Type::Error || value == Type::Error {
                return facts;
            }
            let standard = self.arithmetic_types(op, ty, value).is_some_and(|t| self.converts(t.1, ty));
            if !standard && self.nvidia_converts(right, ty, "in a compound assignment") {
                return facts;
            }
            let Some((_, result)) = self.binary_types(id, op, left, right) else {
                return facts;
            };
            if result != ty && !self.converts(result, ty) {
                let (found, wanted) = (self.type_name(result), self.type_name(ty));
                let spelling = op.spelling();
                self.error_expr(
                    id,
                    "type-mismatch",
                    format!("`{spelling}=` makes `{found}`, which does not fit into `{wanted}`"),
                );
            }
            return facts;
        }
        if ty == Type::Error || value == Type::Error {
            return facts;
        }
        self.check_copy(id, ty);
        if !self.fits(right, ty) {
            let (found, wanted) = (self.type_name(value), self.type_name(ty));
            let error = self
                .error_at(
                    self.expr_tokens(right),
                    "type-mismatch",
                    format!("`{found}` cannot be assigned to `{wanted}`"),
                )
                .here(format!("this is `{found}`"))
                .label(self.span(self.expr_tokens(left)), format!("this is `{wanted}`"));
            self.report(error);
        }
        facts
    }

    /// Rules for copying a value as a whole.
    fn check_copy(&mut self, id: ExprId, ty: Type) {
        // GLSL 1.10 copies structures that contain arrays; GLSL ES 1.00, 5.8 does not.
        let array = if self.is_es() { self.contains_array(ty) } else { self.out.types.as_array(ty).is_some() };
        if array && !self.at_least(120, 300) && !self.has("GL_3DL_array_objects") {
            let version = self.dialect.version;
            let note = "arrays can be assigned from GLSL 1.20 and GLSL ES 3.00 on";
            let error = self
                .error_at(self.expr_tokens(id), "array-operand", format!("arrays cannot be assigned in {version}"))
                .note(note);
            self.report(error);
        } else if self.out.types.as_array(ty).is_some_and(|a| a.size.is_none()) {
            self.error_expr(id, "unsized-array", "an array without a size cannot be assigned");
        } else if ty == Type::Void {
            self.error_expr(id, "type-mismatch", "`void` cannot be assigned");
        }
    }
}

/// GLSL 4.60, 5.9: the operands of a shift may differ in signedness; the result has the left one's type.
fn shift_types(a: Type, b: Type) -> Option<Type> {
    let (x, y) = (a.scalar()?, b.scalar()?);
    if !x.is_integer() || !y.is_integer() {
        return None;
    }
    match (a, b) {
        (Type::Scalar(_), Type::Scalar(_)) | (Type::Vector(..), Type::Scalar(_)) => Some(a),
        (Type::Vector(_, n), Type::Vector(_, m)) if n == m => Some(a),
        _ => None,
    }
}
