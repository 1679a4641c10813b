//! `discard`: a fragment must answer although it is discarded.
//!
//! A storage block, or an emulator's memory, is written before the `discard`. A discarded fragment does not write
//! colour targets; so if a single invocation is selected, it is not discarded: it is marked, and returns from all
//! functions. The rest of the statement that contains a call is still executed. If all fragments answer, discarded ones
//! are not counted.

use std::collections::BTreeSet;

use shader::ast::{Condition, ExprId, NodeId, StmtId, StmtKind};
use shader::edit::Rewrite;
use shader::query::Visit;
use shader::token::TokenSpan;
use shader::typed::{FunctionId, Target};
use shader::types::Type;

use super::Frame;
use crate::device::Transport;
use crate::question::Scope;

impl Frame<'_> {
    /// Inserts the necessary code before `discard`, or in its place.
    pub(super) fn prepare_discard(&self, rewrite: &mut Rewrite<'_>) {
        let shader = self.subject.shader;
        let statements = shader.statements();
        let stays = !matches!(self.transport, Transport::Storage | Transport::Memory(_));
        if stays && self.scope != Scope::One {
            return;
        }
        let mark = self.name("discard");
        for &id in &statements {
            let node = NodeId::Stmt(id);
            match shader.tree.stmt(id).kind {
                StmtKind::Discard if stays => {
                    rewrite.replace(node, &format!("{{ {mark}(); {} }}", self.way_out(id)));
                }
                // It continues as a helper invocation, as it would without the probe.
                StmtKind::Demote if stays => rewrite.replace(node, &format!("{mark}();")),
                StmtKind::Discard | StmtKind::Demote => {
                    // Inside of what a weaver wraps around the statement.
                    let tokens = shader.tree.stmt(id).tokens;
                    let run = |at| TokenSpan { first: at, last: at };
                    rewrite.wrap_tokens(node, run(tokens.first), &format!("{{ {mark}(); "), "");
                    rewrite.wrap_tokens(node, run(tokens.last), "", " }");
                }
                _ => {}
            }
        }
        if stays {
            let ends = self.ending_functions(&statements);
            statements.iter().for_each(|&id| self.leave_after(rewrite, id, &ends));
        }
    }

    /// Functions that may discard the fragment.
    fn ending_functions(&self, statements: &[StmtId]) -> BTreeSet<FunctionId> {
        let shader = self.subject.shader;
        let throws = |id: &&StmtId| shader.tree.stmt(**id).kind == StmtKind::Discard;
        let inside = |id: &StmtId| shader.enclosing_function(NodeId::Stmt(*id));
        let mut found: BTreeSet<FunctionId> = statements.iter().filter(throws).filter_map(inside).collect();
        loop {
            let before = found.len();
            for (index, function) in (0..).zip(&shader.typed.functions) {
                if function.calls.iter().any(|(callee, _)| self.may_end(*callee, &found)) {
                    found.insert(FunctionId(index));
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Whether a function, or one of a subroutine type, is among those that may discard the fragment.
    fn may_end(&self, callee: FunctionId, found: &BTreeSet<FunctionId>) -> bool {
        let functions = &self.subject.shader.typed.functions;
        found.contains(&callee)
            || found.iter().any(|id| functions.get(id.0 as usize).is_some_and(|f| f.implements.contains(&callee)))
    }

    /// Leaves the function after a statement with a call that may have discarded the fragment.
    fn leave_after(&self, rewrite: &mut Rewrite<'_>, id: StmtId, ends: &BTreeSet<FunctionId>) {
        let shader = self.subject.shader;
        let calls = |expr: ExprId| self.calls(NodeId::Expr(expr), ends);
        let test = format!("if ({}) {}", self.name("discarded"), self.way_out(id));
        let loops = |rewrite: &mut Rewrite<'_>, body: StmtId| {
            rewrite.wrap(NodeId::Stmt(body), &format!("{{ {test} "), " }");
            rewrite.wrap(NodeId::Stmt(id), "{ ", &format!(" {test} }}"));
        };
        match shader.tree.stmt(id).kind {
            StmtKind::Expr(expr) if calls(expr) && !self.begins_loop(id) => {
                rewrite.wrap(NodeId::Stmt(id), "{ ", &format!(" {test} }}"));
            }
            StmtKind::Decl(decl) if self.calls(NodeId::Decl(decl), ends) && !self.begins_loop(id) => {
                rewrite.after(NodeId::Stmt(id), &format!(" {test}"));
            }
            StmtKind::If { condition: selector, .. } | StmtKind::Switch { selector, .. } if calls(selector) => {
                rewrite.wrap(NodeId::Stmt(id), "{ ", &format!(" {test} }}"));
            }
            StmtKind::While { condition, body } if self.calls(of_condition(condition), ends) => loops(rewrite, body),
            StmtKind::DoWhile { condition, body } if calls(condition) => loops(rewrite, body),
            StmtKind::For { init, condition, step, body } => {
                let parts = [Some(NodeId::Stmt(init)), condition.map(of_condition), step.map(NodeId::Expr)];
                if parts.into_iter().flatten().any(|part| self.calls(part, ends)) {
                    loops(rewrite, body);
                }
            }
            _ => {}
        }
    }

    /// Whether a statement is the initialisation of a `for`.
    fn begins_loop(&self, id: StmtId) -> bool {
        let all = &self.subject.shader.tree.stmts;
        all.iter().any(|stmt| matches!(stmt.kind, StmtKind::For { init, .. } if init == id))
    }

    fn calls(&self, root: NodeId, ends: &BTreeSet<FunctionId>) -> bool {
        let shader = self.subject.shader;
        let mut found = false;
        shader.walk(root, |node| {
            if let NodeId::Expr(expr) = node
                && let Target::Function(callee) | Target::Subroutine(callee) = shader.typed.expr(expr).target
            {
                found |= self.may_end(callee, ends);
            }
            Visit::Into
        });
        found
    }

    /// A `return` with an arbitrary value of the right type.
    fn way_out(&self, id: StmtId) -> String {
        let shader = self.subject.shader;
        let function = shader.enclosing_function(NodeId::Stmt(id)).map(|id| shader.typed.function(id));
        match function.map_or(Type::Void, |function| function.result) {
            Type::Void => "return;".to_owned(),
            ty @ (Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..)) => {
                format!("return {}(0);", shader.type_name(ty))
            }
            ty => {
                let name = self.name("nothing");
                format!("{{ {}; return {name}; }}", self.declarator(ty, &name))
            }
        }
    }
}

fn of_condition(condition: Condition) -> NodeId {
    match condition {
        Condition::Expr(expr) => NodeId::Expr(expr),
        Condition::Decl(decl) => NodeId::Decl(decl),
    }
}
