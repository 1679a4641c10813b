//! Expressions: dispatch, names, the conditional and comma operators.

use super::Checker;
use super::scope::Binding;
use crate::ast::{BinaryOp, ExprId, ExprKind, Literal};
use crate::constant::Constant;
use crate::qualifier::Storage;
use crate::symbol::Symbol;
use crate::typed::{ExprFacts, Target, VariableKind};
use crate::types::{Scalar, Type};

impl Checker<'_> {
    /// Checks an expression and returns its type.
    pub(super) fn expr(&mut self, id: ExprId) -> Type {
        // Operator chains lean left and may be as long as a shader; they are traversed with a list, not the stack.
        if matches!(self.tree.expr(id).kind, ExprKind::Binary(..) | ExprKind::Comma(..)) {
            return self.chain(id);
        }
        let facts = self.expr_facts(id);
        self.set(id, facts)
    }

    fn set(&mut self, id: ExprId, facts: ExprFacts) -> Type {
        self.out.exprs[id.0 as usize] = facts;
        facts.ty
    }

    pub(super) fn facts(&self, ty: Type) -> ExprFacts {
        ExprFacts { ty, constant: None, target: Target::None, side_effects: false, scope: self.scope }
    }

    pub(super) fn side_effects(&self, id: ExprId) -> bool {
        self.out.exprs[id.0 as usize].side_effects
    }

    fn chain(&mut self, id: ExprId) -> Type {
        let mut spine = vec![id];
        let mut at = id;
        while let ExprKind::Binary(_, left, _) | ExprKind::Comma(left, _) = self.tree.expr(at).kind {
            if !matches!(self.tree.expr(left).kind, ExprKind::Binary(..) | ExprKind::Comma(..)) {
                self.expr(left);
                break;
            }
            spine.push(left);
            at = left;
        }
        for &node in spine.iter().rev() {
            let facts = match self.tree.expr(node).kind {
                ExprKind::Binary(op, left, right) => {
                    self.expr(right);
                    self.no_blocks(&[left, right]);
                    self.binary(node, op, left, right)
                }
                ExprKind::Comma(left, right) => {
                    self.expr(right);
                    self.no_blocks(&[left, right]);
                    self.comma(left, right)
                }
                _ => continue,
            };
            self.set(node, facts);
        }
        self.ty(id)
    }

    /// Reports blocks where a value is needed: an instance name only selects members (GLSL ES 3.00, 4.3.7).
    pub(super) fn no_blocks(&mut self, operands: &[ExprId]) {
        for &operand in operands {
            let Type::Struct(id) = self.innermost(self.ty(operand)) else { continue };
            let row = &self.out.types.structs[id.0 as usize];
            if row.block {
                let message =
                    format!("block `{}` cannot be used as a value; name one of its members", self.name(row.name));
                self.error_expr(operand, "block-value", message);
                self.out.exprs[operand.0 as usize].ty = Type::Error;
            }
        }
    }

    fn comma(&mut self, left: ExprId, right: ExprId) -> ExprFacts {
        let ty = self.ty(right);
        // WebGL 2.0, "Disallowed variants of GLSL ES 3.00 operators": the comma operator takes no void and no arrays.
        // WebGL 1 has no such rule.
        if self.options.webgl && self.is_es() && self.options.newest != Some(100) {
            for operand in [left, right] {
                let operand_ty = self.ty(operand);
                if operand_ty == Type::Void || self.contains_array(operand_ty) {
                    self.error_expr(operand, "comma", "WebGL allows no void and no arrays in the comma operator");
                }
            }
        }
        let mut facts = self.facts(ty);
        facts.side_effects = self.side_effects(left) || self.side_effects(right);
        // GLSL ES 3.00, 4.3.3: a sequence is not a constant expression; in other versions it is.
        if !self.at_least(0, 300) && self.constant(left).is_some() {
            facts.constant = self.constant(right);
        }
        facts
    }

    fn expr_facts(&mut self, id: ExprId) -> ExprFacts {
        match self.tree.expr(id).kind {
            ExprKind::Error | ExprKind::Binary(..) | ExprKind::Comma(..) => self.facts(Type::Error),
            ExprKind::Name(symbol) => self.name_expr(id, symbol),
            ExprKind::Literal(literal) => self.literal(id, literal),
            ExprKind::Paren(inner) => {
                self.expr(inner);
                let mut facts = self.out.exprs[inner.0 as usize];
                if !matches!(facts.target, Target::Variable(_)) {
                    facts.target = Target::None;
                }
                facts
            }
            ExprKind::Unary(op, operand) => {
                self.expr(operand);
                self.unary(id, op, operand)
            }
            ExprKind::Assign(op, left, right) => {
                self.expr(left);
                self.expr(right);
                self.assign(id, op, left, right)
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.expr(condition);
                self.expr(yes);
                self.expr(no);
                self.no_blocks(&[yes, no]);
                self.conditional(id, condition, yes, no)
            }
            ExprKind::Index(base, index) => {
                self.expr(base);
                self.expr(index);
                self.index(base, index)
            }
            ExprKind::Field(base, name) => {
                self.expr(base);
                self.field(id, base, name)
            }
            ExprKind::Call(callee, arguments) => {
                let tree = self.tree;
                let arguments = tree.exprs_of(arguments);
                for &argument in arguments {
                    self.expr(argument);
                }
                self.call(id, callee, arguments)
            }
            ExprKind::Initializers(list) => {
                let tree = self.tree;
                for &element in tree.exprs_of(list) {
                    self.expr(element);
                }
                self.error_expr(id, "initializer-list", "a braced list can only initialize a variable");
                self.facts(Type::Error)
            }
        }
    }

    fn literal(&mut self, _id: ExprId, literal: Literal) -> ExprFacts {
        let pool = &mut self.out.constants;
        let value = match literal {
            Literal::Bool(v) => pool.bool(v),
            Literal::Int(v) => pool.int(v),
            Literal::Uint(v) => pool.uint(v),
            Literal::Float(v) => pool.float(v),
            Literal::Double(v) => pool.double(v),
            Literal::Int64(v) => pool.push(Type::Scalar(Scalar::Int64), &[v as u64]),
            Literal::Uint64(v) => pool.push(Type::Scalar(Scalar::Uint64), &[v]),
        };
        ExprFacts { constant: Some(value), ..self.facts(value.ty) }
    }

    fn name_expr(&mut self, id: ExprId, symbol: Symbol) -> ExprFacts {
        match self.resolve(symbol) {
            Some(Binding::Variable(variable)) => {
                self.use_variable(variable);
                let row = &mut self.out.variables[variable.0 as usize];
                row.read = true;
                let (ty, constant) = (row.ty, row.constant);
                ExprFacts { constant, target: Target::Variable(variable), ..self.facts(ty) }
            }
            Some(binding) => {
                let what = match binding {
                    Binding::Struct(_) => "a structure, not a value",
                    Binding::Functions(_) => "a function; call it with `()`",
                    Binding::SubroutineType(_) => "a subroutine type, not a value",
                    Binding::Block | Binding::Variable(_) => "a block; name one of its members",
                };
                let name = self.name(symbol);
                self.error_expr(id, "not-a-value", format!("`{name}` is {what}"));
                self.facts(Type::Error)
            }
            None => {
                self.undeclared(self.expr_tokens(id), symbol);
                self.facts(Type::Error)
            }
        }
    }

    /// The binding of a name, creating built-in variables when they are first named.
    pub(super) fn resolve(&mut self, symbol: Symbol) -> Option<Binding> {
        if let Some(binding) = self.bindings.get(symbol) {
            return Some(binding);
        }
        self.builtin_variable(symbol).map(Binding::Variable)
    }

    pub(super) fn use_variable(&mut self, variable: crate::typed::VarId) {
        let row = &self.out.variables[variable.0 as usize];
        if matches!(row.kind, VariableKind::Local | VariableKind::Parameter(..)) {
            return;
        }
        if let Some(function) = self.function {
            let uses = &mut self.out.functions[function.0 as usize].uses;
            // Consecutive mentions are the common case; duplicates are removed at the end.
            if uses.last() != Some(&variable) {
                uses.push(variable);
            }
        }
    }

    fn conditional(&mut self, id: ExprId, condition: ExprId, yes: ExprId, no: ExprId) -> ExprFacts {
        let effects = [condition, yes, no].iter().any(|&e| self.side_effects(e));
        let condition_ty = self.ty(condition);
        if !matches!(condition_ty, Type::Error | Type::BOOL) {
            let found = self.type_name(condition_ty);
            self.error_expr(
                condition,
                "type-mismatch",
                format!("the condition of `?:` must be a scalar `bool`, this is `{found}`"),
            );
        }
        let (a, b) = (self.ty(yes), self.ty(no));
        let ty = if a == b {
            a
        } else if a == Type::Error || b == Type::Error {
            if a == Type::Error { b } else { a }
        } else if self.fits(no, a) {
            a
        } else if self.fits(yes, b) {
            b
        } else {
            let (a, b) = (self.type_name(a), self.type_name(b));
            let error = self
                .error_at(self.expr_tokens(id), "type-mismatch", format!("`?:` with operands of types `{a}` and `{b}`"))
                .label(self.span(self.expr_tokens(yes)), format!("this is `{a}`"))
                .label(self.span(self.expr_tokens(no)), format!("this is `{b}`"));
            self.report(error);
            Type::Error
        };
        if self.out.types.as_array(ty).is_some() && !self.at_least(120, 300) {
            let version = self.dialect.version;
            self.error_expr(id, "array-operand", format!("`?:` takes no arrays in {version}"));
        } else if self.contains_opaque(ty) && !self.has("GL_ARB_bindless_texture") {
            self.error_expr(id, "opaque-operand", "`?:` takes no samplers, images or counters");
        } else if self.options.webgl && (self.contains_array(ty) || matches!(ty, Type::Struct(_))) {
            self.error_expr(id, "webgl", "WebGL allows no structures or arrays in `?:`");
        } else if self.options.webgl && ty == Type::Void && self.options.newest != Some(100) {
            // WebGL 2.0, "Disallowed variants of GLSL ES 3.00 operators".
            self.error_expr(id, "webgl", "WebGL 2 allows no void in `?:`");
        }
        let mut facts = self.facts(ty);
        facts.side_effects = effects;
        // All three must be constant expressions for the whole to be one, whichever is selected.
        if let (Some(c), Some(_), Some(_)) = (self.constant(condition), self.constant(yes), self.constant(no)) {
            let chosen = if self.out.constants.as_bool(c).unwrap_or(false) { yes } else { no };
            facts.constant = self.constant_as(chosen, ty);
        }
        facts
    }

    /// The value of an expression that must be a constant integer; reports errors.
    pub(super) fn constant_integer(&mut self, id: ExprId, what: &str) -> Option<i64> {
        let ty = self.ty(id);
        if ty == Type::Error {
            return None;
        }
        if !matches!(ty, Type::INT | Type::UINT) {
            let found = self.type_name(ty);
            self.error_expr(id, "type-mismatch", format!("{what} must be an integer, this is `{found}`"));
            return None;
        }
        let value = self.constant(id).and_then(|c| self.out.constants.as_i64(c));
        if value.is_none() {
            self.not_constant(id, what);
        }
        value
    }

    /// Whether an expression contains a comma operator, at any depth.
    pub(super) fn has_sequence(&self, id: ExprId) -> bool {
        // Ids are assigned in order of completion, so the parts of an expression directly precede it.
        let first = self.expr_tokens(id).first;
        let parts = self.tree.exprs[..=id.0 as usize].iter().rev().take_while(|e| e.tokens.first >= first);
        parts.into_iter().any(|e| matches!(e.kind, ExprKind::Comma(..)))
    }

    pub(super) fn not_constant(&mut self, id: ExprId, what: &str) {
        let mut error =
            self.error_at(self.expr_tokens(id), "not-constant", format!("{what} must be a constant expression"));
        if let Some(culprit) = self.why_not_constant(id) {
            error = error.label(self.span(self.expr_tokens(culprit)), "this is not constant");
        }
        self.report(error);
    }

    /// The innermost part that prevents an expression from being constant.
    fn why_not_constant(&self, id: ExprId) -> Option<ExprId> {
        let mut at = id;
        loop {
            let next = match self.tree.expr(at).kind {
                ExprKind::Paren(e) | ExprKind::Unary(_, e) | ExprKind::Field(e, _) => Some(e),
                ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) | ExprKind::Comma(a, b) => {
                    [a, b].into_iter().find(|&e| self.constant(e).is_none())
                }
                ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().find(|&e| self.constant(e).is_none()),
                ExprKind::Call(_, list) => {
                    self.tree.exprs_of(list).iter().copied().find(|&e| self.constant(e).is_none())
                }
                _ => None,
            };
            match next.filter(|&e| self.constant(e).is_none()) {
                Some(e) => at = e,
                None => return (at != id).then_some(at),
            }
        }
    }

    /// Folds a binary operator.
    pub(super) fn fold_binary(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        a: Constant,
        b: Constant,
        ty: Type,
    ) -> Option<Constant> {
        match crate::constant::binary(&mut self.out.constants, &self.out.types, op, a, b, ty) {
            Ok(value) => Some(value),
            Err(crate::constant::FoldError::DivisionByZero) => {
                self.warn(self.expr_tokens(id), "division-by-zero", "division by zero");
                // Undefined, not forbidden: the result is still constant, with an arbitrary value.
                let zeros = vec![0; ty.components() as usize];
                Some(self.out.constants.push(ty, &zeros))
            }
            Err(_) => None,
        }
    }

    pub(super) fn storage_of(&self, id: ExprId) -> Option<Storage> {
        self.root_variable(id).map(|v| self.out.variable(v).qualifiers.storage)
    }
}
