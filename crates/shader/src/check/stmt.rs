//! Statements (GLSL 4.60, chapter 6).

use super::Checker;
use crate::ast::{Condition, DeclKind, ExprId, List, StmtId, StmtKind};
use crate::token::TokenSpan;
use crate::types::Type;
use crate::version::Stage;

impl Checker<'_> {
    pub(super) fn statement(&mut self, id: StmtId) {
        // `#extension` may stand within a function where it is allowed that late.
        self.enter_item(self.tree.stmt(id).tokens.first);
        if self.gives_up() {
            return;
        }
        let tree = self.tree;
        let statement = tree.stmt(id);
        let tokens = statement.tokens;
        match statement.kind {
            StmtKind::Error | StmtKind::Empty => {}
            StmtKind::Block(list) => self.in_scope(tokens, |c| c.statements(list)),
            StmtKind::Expr(expr) => {
                self.expr(expr);
                self.no_blocks(&[expr]);
            }
            StmtKind::Decl(decl) => self.declaration(decl),
            StmtKind::If { .. } => self.if_chain(id),
            StmtKind::While { condition, body } => self.in_scope(tokens, |c| {
                c.condition(condition);
                c.loop_body(body, true);
            }),
            StmtKind::DoWhile { body, condition } => {
                self.in_scope(tree.stmt(body).tokens, |c| c.loop_body(body, true));
                self.expr(condition);
                self.boolean(condition, "a loop");
            }
            StmtKind::For { init, condition, step, body } => self.in_scope(tokens, |c| {
                c.statement(init);
                if let Some(condition) = condition {
                    c.condition(condition);
                }
                if let Some(step) = step {
                    c.expr(step);
                    c.no_blocks(&[step]);
                }
                c.loop_body(body, true);
            }),
            StmtKind::Switch { selector, body } => self.switch(selector, body, tokens),
            StmtKind::Case(label) => {
                self.expr(label);
                self.error(tokens, "case", "`case` outside a `switch`");
            }
            StmtKind::Default => self.error(tokens, "case", "`default` outside a `switch`"),
            StmtKind::Break => {
                if self.breakable == 0 {
                    self.error(tokens, "break", "`break` outside a loop or `switch`");
                }
            }
            StmtKind::Continue => {
                if self.loops == 0 {
                    self.error(tokens, "continue", "`continue` outside a loop");
                }
            }
            StmtKind::Return(value) => self.return_statement(value, tokens),
            StmtKind::Discard | StmtKind::Demote => {
                if self.dialect.stage != Stage::Fragment {
                    let stage = self.dialect.stage.name();
                    self.error(
                        tokens,
                        "discard",
                        format!("`discard` is for fragment shaders, this is a {stage} shader"),
                    );
                }
            }
        }
    }

    pub(super) fn statements(&mut self, list: List) {
        let tree = self.tree;
        for &statement in tree.stmts_of(list) {
            self.statement(statement);
        }
    }

    /// `else if` chains are traversed in a loop: they may have thousands of elements.
    fn if_chain(&mut self, id: StmtId) {
        let tree = self.tree;
        let mut at = id;
        while let StmtKind::If { condition, then, otherwise } = tree.stmt(at).kind {
            self.expr(condition);
            self.boolean(condition, "`if`");
            self.in_scope(tree.stmt(then).tokens, |c| c.conditional_statement(then));
            match otherwise {
                None => return,
                Some(next) if matches!(tree.stmt(next).kind, StmtKind::If { .. }) => at = next,
                Some(next) => {
                    self.in_scope(tree.stmt(next).tokens, |c| c.conditional_statement(next));
                    return;
                }
            }
        }
    }

    /// A statement whose scope is already open: a block does not open another.
    fn unscoped(&mut self, id: StmtId) {
        match self.tree.stmt(id).kind {
            StmtKind::Block(list) => self.statements(list),
            _ => self.statement(id),
        }
    }

    fn conditional_statement(&mut self, id: StmtId) {
        self.flow += 1;
        self.unscoped(id);
        self.flow -= 1;
    }

    /// GLSL 4.60, 6.3: the body of `for` and `while` shares the scope of the header.
    fn loop_body(&mut self, body: StmtId, is_loop: bool) {
        self.breakable += 1;
        self.loops += u32::from(is_loop);
        let switches = std::mem::take(&mut self.switches);
        self.conditional_statement(body);
        self.switches = switches;
        self.loops -= u32::from(is_loop);
        self.breakable -= 1;
    }

    fn boolean(&mut self, condition: ExprId, of: &str) {
        let ty = self.ty(condition);
        if !matches!(ty, Type::BOOL | Type::Error) {
            let found = self.type_name(ty);
            self.error_expr(
                condition,
                "type-mismatch",
                format!("the condition of {of} must be a scalar `bool`, this is `{found}`"),
            );
        }
    }

    fn condition(&mut self, condition: Condition) {
        match condition {
            Condition::Expr(expr) => {
                self.expr(expr);
                self.boolean(expr, "a loop");
            }
            Condition::Decl(decl) => {
                self.declaration(decl);
                let tree = self.tree;
                if let DeclKind::Variables { declarators, .. } = &tree.decl(decl).kind {
                    match declarators.first().and_then(|d| d.init) {
                        Some(init) => self.boolean(init, "a loop"),
                        None => self.error(tree.decl(decl).tokens, "condition", "a declared condition needs a value"),
                    }
                }
            }
        }
    }

    fn switch(&mut self, selector: ExprId, body: List, tokens: TokenSpan) {
        let ty = self.expr(selector);
        if !matches!(ty, Type::INT | Type::UINT | Type::Error) {
            let found = self.type_name(ty);
            self.error_expr(selector, "type-mismatch", format!("`switch` needs a scalar integer, this is `{found}`"));
        }
        let tree = self.tree;
        let list = tree.stmts_of(body);
        self.breakable += 1;
        self.switches += 1;
        self.flow += 1;
        let outer = self.push_scope(tokens);
        let mut labels = std::collections::BTreeMap::new();
        let mut default = None;
        let mut labelled = false;
        for &statement in list {
            let row = tree.stmt(statement);
            match row.kind {
                StmtKind::Case(label) => {
                    labelled = true;
                    self.expr(label);
                    let label_ty = self.ty(label);
                    if ty != Type::Error
                        && label_ty != ty
                        && matches!(label_ty, Type::INT | Type::UINT)
                        && !(self.converts(label_ty, ty) || self.converts(ty, label_ty))
                    {
                        let (found, wanted) = (self.type_name(label_ty), self.type_name(ty));
                        self.error_expr(
                            label,
                            "type-mismatch",
                            format!("the selector is `{wanted}`, this label is `{found}`"),
                        );
                    }
                    if let Some(value) = self.constant_integer(label, "a case label") {
                        let value = value as u32;
                        if let Some(earlier) = labels.insert(value, label) {
                            let error = self
                                .error_at(self.expr_tokens(label), "case", format!("duplicate case {value}"))
                                .label(self.span(self.expr_tokens(earlier)), "here first");
                            self.report(error);
                        }
                    }
                }
                StmtKind::Default => {
                    labelled = true;
                    if let Some(earlier) = default.replace(row.tokens) {
                        let error = self
                            .error_at(row.tokens, "case", "duplicate `default`")
                            .label(self.span(earlier), "here first");
                        self.report(error);
                    }
                }
                _ => {
                    if !labelled {
                        labelled = true;
                        self.error(row.tokens, "case", "a `switch` begins with a `case` or `default` label");
                    }
                    self.statement(statement);
                }
            }
        }
        if let Some(&last) = list.last() {
            let row = tree.stmt(last);
            // GLSL 4.60, 6.2: a missing statement after the last label is an error.
            if matches!(row.kind, StmtKind::Case(_) | StmtKind::Default) {
                self.error(row.tokens, "case", "no statement follows the last label of the `switch`");
            }
        }
        self.pop_scope(outer);
        self.flow -= 1;
        self.switches -= 1;
        self.breakable -= 1;
    }

    fn return_statement(&mut self, value: Option<ExprId>, tokens: TokenSpan) {
        if let Some(value) = value {
            self.expr(value);
        }
        self.returned = true;
        let Some(function) = self.function else { return };
        let (result, name) = {
            let row = self.out.function(function);
            (row.result, self.name(row.name))
        };
        match value {
            None if result != Type::Void && result != Type::Error => {
                let wanted = self.type_name(result);
                self.error(tokens, "return", format!("`{name}` must return `{wanted}`"));
            }
            None => {}
            Some(value) => {
                let found = self.ty(value);
                if result == Type::Void {
                    // GLSL 4.20 forbids even `return f();` with a void f; earlier versions do not say so.
                    if found != Type::Error {
                        self.error_expr(value, "return", format!("`{name}` is `void` and returns nothing"));
                    }
                } else if found != result && found != Type::Error && result != Type::Error {
                    let converts = self.fits(value, result)
                        && (self.return_converts() || self.nvidia_converts(value, result, "in `return`"));
                    if !converts {
                        let (found, wanted) = (self.type_name(found), self.type_name(result));
                        self.error_expr(value, "return", format!("`{name}` returns `{wanted}`, this is `{found}`"));
                    }
                }
            }
        }
    }

    /// Return values are converted implicitly since GLSL 4.20.
    fn return_converts(&self) -> bool {
        self.at_least(420, 310) || self.has("GL_ARB_shading_language_420pack")
    }
}
