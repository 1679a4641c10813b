//! Loops: their form in GLSL ES 1.00 (Appendix A, 4), and endless ones.

use super::super::Checker;
use super::{BREAKS, RETURNS, changes};
use crate::ast::{BinaryOp, Condition, DeclKind, ExprId, ExprKind, StmtId, StmtKind};
use crate::qualifier::Storage;
use crate::token::TokenIndex;
use crate::typed::{Target, VarId};
use crate::types::Type;

/// The loop indices.
#[derive(Default)]
pub(super) struct LoopIndices {
    /// By variable.
    is_index: Vec<bool>,
    /// The step of each loop, sorted.
    steps: Vec<ExprId>,
}

impl LoopIndices {
    pub(super) fn contains(&self, variable: VarId) -> bool {
        self.is_index.get(variable.0 as usize).copied().unwrap_or(false)
    }
}

impl Checker<'_> {
    /// Checks the header of every loop.
    pub(super) fn loop_headers(&mut self) -> LoopIndices {
        let tree = self.tree;
        let mut indices = LoopIndices { is_index: vec![false; self.out.variables.len()], steps: Vec::new() };
        let mut declared: Vec<(TokenIndex, VarId)> = Vec::new();
        for (at, variable) in self.out.variables.iter().enumerate() {
            declared.extend(variable.declared.map(|token| (token, VarId(at as u32))));
        }
        declared.sort_unstable();
        for stmt in &tree.stmts {
            match stmt.kind {
                StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                    self.error(stmt.tokens, "webgl-loop", "GLSL ES 1.00 in WebGL has only `for` loops");
                }
                StmtKind::For { init, condition, step, .. } => {
                    let Some(index) = self.loop_init(init, &declared) else { continue };
                    indices.is_index[index.0 as usize] = true;
                    indices.steps.extend(step);
                    let name = self.name(self.out.variable(index).name);
                    if !self.loop_condition(condition, index) {
                        let error = self
                            .error_at(
                                stmt.tokens,
                                "webgl-loop",
                                format!("the condition does not compare `{name}` with a constant"),
                            )
                            .note("in WebGL the condition of a loop is `INDEX < CONSTANT` or another comparison");
                        self.report(error);
                    }
                    if !step.is_some_and(|step| self.loop_step(step, index)) {
                        let error = self
                            .error_at(stmt.tokens, "webgl-loop", format!("the step does not move `{name}` by a constant"))
                            .note("in WebGL the step of a loop is `INDEX++`, `INDEX--`, `INDEX += CONSTANT` or `INDEX -= CONSTANT`");
                        self.report(error);
                    }
                }
                _ => {}
            }
        }
        indices.steps.sort_unstable();
        indices
    }

    /// The index that a loop declares.
    fn loop_init(&mut self, init: StmtId, declared: &[(TokenIndex, VarId)]) -> Option<VarId> {
        let tree = self.tree;
        let stmt = tree.stmt(init);
        let declarators = match stmt.kind {
            StmtKind::Decl(decl) => match &tree.decl(decl).kind {
                DeclKind::Variables { declarators, .. } => declarators.as_slice(),
                _ => &[],
            },
            _ => &[],
        };
        let [declarator] = declarators else {
            let error = self
                .error_at(stmt.tokens, "webgl-loop", "the loop does not declare one index")
                .note("in WebGL a loop begins with `for (int INDEX = CONSTANT;`, or with `float`");
            self.report(error);
            return None;
        };
        let at = declared.binary_search_by_key(&declarator.name.token, |d| d.0).ok()?;
        let index = declared[at].1;
        let row = self.out.variable(index);
        let name = self.name(row.name);
        if !matches!(row.ty, Type::INT | Type::FLOAT | Type::Error) {
            self.error(declarator.tokens, "webgl-loop", format!("`{name}` must be `int` or `float` to count a loop"));
        } else if declarator.init.is_none_or(|init| self.constant(init).is_none()) {
            self.error(declarator.tokens, "webgl-loop", format!("`{name}` must begin with a constant expression"));
        }
        Some(index)
    }

    fn loop_condition(&self, condition: Option<Condition>, index: VarId) -> bool {
        let Some(Condition::Expr(mut at)) = condition else { return false };
        loop {
            match self.tree.expr(at).kind {
                ExprKind::Paren(inner) => at = inner,
                // ANGLE removes expressions without effect first.
                ExprKind::Comma(left, right) if !self.side_effects(left) => at = right,
                ExprKind::Binary(op, left, right) => {
                    use BinaryOp as B;
                    let compares =
                        matches!(op, B::Less | B::LessEqual | B::Greater | B::GreaterEqual | B::Equal | B::NotEqual);
                    return compares && self.is_name_of(left, index) && self.constant(right).is_some();
                }
                _ => return false,
            }
        }
    }

    fn loop_step(&self, step: ExprId, index: VarId) -> bool {
        match self.tree.expr(self.tree.unwrap_parens(step)).kind {
            ExprKind::Unary(op, operand) => changes(op) && self.is_name_of(operand, index),
            ExprKind::Assign(Some(BinaryOp::Add | BinaryOp::Sub), left, right) => {
                self.is_name_of(left, index) && self.constant(right).is_some()
            }
            _ => false,
        }
    }

    fn is_name_of(&self, id: ExprId, variable: VarId) -> bool {
        matches!(self.out.expr(self.tree.unwrap_parens(id)).target, Target::Variable(v) if v == variable)
    }

    /// Only the step of its loop may write an index. It is visible only inside of the loop, so any other write is in
    /// the body.
    pub(super) fn loop_index_writes(&mut self, indices: &LoopIndices) {
        let tree = self.tree;
        for (at, expr) in tree.exprs.iter().enumerate() {
            let id = ExprId(at as u32);
            let written = match expr.kind {
                ExprKind::Assign(_, left, _) => Some(left),
                ExprKind::Unary(op, operand) if changes(op) => Some(operand),
                ExprKind::Call(_, list) => {
                    self.out_arguments(id, list, indices);
                    None
                }
                _ => None,
            };
            let Some(index) = written.and_then(|e| self.root_variable(e)).filter(|v| indices.contains(*v)) else {
                continue;
            };
            if indices.steps.binary_search(&id).is_err() && !self.is_parenthesized_step(id, indices) {
                let name = self.name(self.out.variable(index).name);
                self.error_expr(
                    id,
                    "webgl-loop",
                    format!("WebGL forbids the body of a loop to write its index `{name}`"),
                );
            }
        }
    }

    /// Whether an expression is a loop's step, apart from parentheses.
    fn is_parenthesized_step(&self, id: ExprId, indices: &LoopIndices) -> bool {
        let mut at = id;
        while let Some(outer) = self.tree.exprs.get(at.0 as usize + 1) {
            if outer.kind != ExprKind::Paren(at) {
                return false;
            }
            at = ExprId(at.0 + 1);
            if indices.steps.binary_search(&at).is_ok() {
                return true;
            }
        }
        false
    }

    fn out_arguments(&mut self, call: ExprId, list: crate::ast::List, indices: &LoopIndices) {
        let Target::Function(function) = self.out.expr(call).target else { return };
        for (position, &argument) in self.tree.exprs_of(list).iter().enumerate() {
            let Some(index) = self.root_variable(argument).filter(|v| indices.contains(*v)) else { continue };
            let parameter = self.out.function(function).params.get(position);
            if parameter.is_some_and(|p| matches!(p.qualifiers.storage, Storage::Out | Storage::InOut)) {
                let name = self.name(self.out.variable(index).name);
                self.error_expr(
                    argument,
                    "webgl-loop",
                    format!("the loop index `{name}` cannot be an `out` or `inout` argument in WebGL"),
                );
            }
        }
    }

    /// ANGLE rejects loops that are obviously endless: their behaviour on a GPU is undefined, and often fatal.
    pub(super) fn endless_loops(&mut self, exits: &[u8]) {
        let tree = self.tree;
        for stmt in &tree.stmts {
            let (condition, body) = match stmt.kind {
                StmtKind::While { condition, body } => (Some(condition), body),
                StmtKind::For { condition, body, .. } => (condition, body),
                _ => continue,
            };
            let endless = match condition {
                None => true,
                Some(Condition::Expr(e)) => self.always_true(e),
                Some(Condition::Decl(_)) => false,
            };
            if endless && exits[body.0 as usize] & (BREAKS | RETURNS) == 0 {
                self.error(stmt.tokens, "webgl-loop", "this loop never ends");
            }
        }
    }

    /// Whether it is constant, or a variable that is initialised with `true` and never written.
    fn always_true(&self, id: ExprId) -> bool {
        let value = |id: ExprId| self.constant(id).and_then(|c| self.out.constants.as_bool(c));
        if let Some(known) = value(id) {
            return known;
        }
        let Target::Variable(v) = self.out.expr(self.tree.unwrap_parens(id)).target else { return false };
        let row = self.out.variable(v);
        !row.written && row.init.and_then(value) == Some(true)
    }
}
