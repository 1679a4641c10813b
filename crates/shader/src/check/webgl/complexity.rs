//! Nesting limits of a shader. The numbers are ANGLE's, and so are the counting rules: one level for each operator,
//! call, statement and block, none for parentheses; constant expressions count as literals.

use super::super::Checker;
use super::children;
use crate::ast::{Condition, DeclId, DeclKind, ExprId, ExprKind, StmtId, StmtKind};
use crate::typed::{FunctionId, Target};

/// The maximum number of levels from the shader down to the innermost operand.
const MAX_DEPTH: u32 = 257;
/// The maximum number of functions in a chain of calls.
const MAX_CALL_DEPTH: u32 = 256;
/// The levels of the shader and the function around a body.
const AROUND_BODY: u32 = 2;

impl Checker<'_> {
    /// Reports functions whose bodies are nested too deeply, and chains of calls that are too long.
    pub(super) fn complexity(&mut self) {
        let exprs = self.expr_depths();
        let stmts = self.stmt_depths(&exprs);
        let too_deep: Vec<_> = self
            .out
            .functions
            .iter()
            .filter(|f| f.body.is_some_and(|b| AROUND_BODY + stmts[b.0 as usize] > MAX_DEPTH))
            .map(|f| f.declared)
            .collect();
        for token in too_deep {
            let error = self.error_token(token, "webgl", "statements or expressions are nested too deep for WebGL");
            self.report(error);
        }
        self.call_depth();
    }

    fn expr_depths(&self) -> Vec<u32> {
        let tree = self.tree;
        let mut depths = vec![1u32; tree.exprs.len()];
        for (at, expr) in tree.exprs.iter().enumerate() {
            let id = ExprId(at as u32);
            if self.constant(id).is_some() {
                continue;
            }
            let mut inner = 0;
            children(tree, id, |child| inner = inner.max(depths[child.0 as usize]));
            // A swizzle of a swizzle is one swizzle.
            let merged = match expr.kind {
                ExprKind::Paren(_) => true,
                ExprKind::Field(base, _) => {
                    let swizzles = |e: ExprId| matches!(self.out.expr(e).target, Target::Swizzle(_));
                    swizzles(id) && swizzles(base)
                }
                _ => false,
            };
            depths[at] = if merged { inner } else { inner + 1 };
        }
        depths
    }

    fn stmt_depths(&self, exprs: &[u32]) -> Vec<u32> {
        let tree = self.tree;
        let mut depths = vec![1u32; tree.stmts.len()];
        let of = |e: ExprId| exprs[e.0 as usize];
        let declared = |decl: DeclId| match &tree.decl(decl).kind {
            DeclKind::Variables { declarators, .. } => {
                declarators.iter().map(|d| d.init.map_or(2, |e| 2 + of(e))).max().unwrap_or(1)
            }
            _ => 1,
        };
        for (at, stmt) in tree.stmts.iter().enumerate() {
            // A branch or body without braces gets its own block.
            let wrapped = |s: StmtId| {
                let block = matches!(tree.stmt(s).kind, StmtKind::Block(_));
                depths[s.0 as usize] + u32::from(!block)
            };
            let condition = |c: Condition| match c {
                Condition::Expr(e) => of(e),
                Condition::Decl(d) => declared(d),
            };
            let all = |list| tree.stmts_of(list).iter().map(|s| depths[s.0 as usize]).max().unwrap_or(0);
            depths[at] = match stmt.kind {
                StmtKind::Block(list) => 1 + all(list),
                StmtKind::Expr(e) => of(e),
                StmtKind::Decl(decl) => declared(decl),
                StmtKind::If { condition, then, otherwise } => {
                    1 + of(condition).max(wrapped(then)).max(otherwise.map_or(0, wrapped))
                }
                StmtKind::While { condition: c, body } => 1 + condition(c).max(wrapped(body)),
                StmtKind::DoWhile { body, condition } => 1 + of(condition).max(wrapped(body)),
                StmtKind::For { init, condition: c, step, body } => {
                    let head = depths[init.0 as usize].max(c.map_or(0, condition)).max(step.map_or(0, of));
                    1 + head.max(wrapped(body))
                }
                StmtKind::Switch { selector, body } => 1 + of(selector).max(1 + all(body)),
                StmtKind::Case(e) | StmtKind::Return(Some(e)) => 1 + of(e),
                _ => 1,
            };
        }
        depths
    }

    /// The longest chain of calls from each function, by depth-first search without recursion. Recursive functions have
    /// been reported.
    fn call_depth(&mut self) {
        let count = self.out.functions.len();
        let mut depths: Vec<Option<u32>> = vec![None; count];
        let mut open = vec![false; count];
        for root in 0..count {
            let mut stack = vec![(root, 0usize)];
            while let Some(&mut (at, ref mut next)) = stack.last_mut() {
                let calls = &self.out.functions[at].calls;
                if depths[at].is_none() && *next < calls.len() {
                    let FunctionId(callee) = calls[*next].0;
                    *next += 1;
                    open[at] = true;
                    if depths[callee as usize].is_none() && !open[callee as usize] {
                        stack.push((callee as usize, 0));
                    }
                    continue;
                }
                let deepest = calls.iter().filter_map(|c| depths[c.0.0 as usize]).max().unwrap_or(0);
                depths[at].get_or_insert(1 + deepest);
                open[at] = false;
                stack.pop();
            }
        }
        // Only the first function whose chain is too long is reported.
        if let Some(first) = depths.iter().position(|d| d.is_some_and(|d| d > MAX_CALL_DEPTH)) {
            let token = self.out.functions[first].declared;
            let message = format!("more than {MAX_CALL_DEPTH} functions call one another from here");
            let error = self.error_token(token, "webgl", message);
            self.report(error);
        }
    }
}
