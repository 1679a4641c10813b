//! Counts iterations of loops, or how often each way of a branch was taken.

use shader::ast::{ExprId, ExprKind, NodeId, StmtId, StmtKind};
use shader::types::{Scalar, Type};

use super::Weaver;
use crate::variant::Refusal;

/// For a loop, the number of iterations; for a branch, how often its condition was false; for a `switch`, how often it
/// was skipped.
const NOT: u32 = 0;
/// For a loop, how often it was entered; for a branch, how often its condition was true.
const HELD: u32 = 1;

impl Weaver<'_> {
    pub(super) fn profile(&mut self, site: NodeId) -> Result<(), Refusal> {
        if !self.nodes.is_reached(site) {
            return Err(Refusal::NoMoment("this site is unreachable".to_owned()));
        }
        let wrong = || {
            Refusal::Wrong("only loops and branches can be counted: `for`, `while`, `if`, `switch`, `?:`".to_owned())
        };
        let tell = match site {
            NodeId::Expr(id) => match self.shader.tree.expr(id).kind {
                ExprKind::Conditional(condition, ..) => self.profile_branch(site, condition)?,
                _ => return Err(wrong()),
            },
            NodeId::Stmt(id) => match self.shader.tree.stmt(id).kind {
                StmtKind::If { condition, .. } => self.profile_branch(site, condition)?,
                StmtKind::Switch { selector, .. } => self.profile_switch(id, selector)?,
                StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => self.profile_loop(id)?,
                _ => return Err(wrong()),
            },
            NodeId::Decl(_) => return Err(wrong()),
        };
        let text = self.frame.text(&format!("void $tell() {{ {tell}}}\n"));
        self.frame.declare(&text);
        let tell = self.frame.text("$tell();");
        self.around_main("", &tell, true);
        Ok(())
    }

    fn profile_loop(&mut self, id: StmtId) -> Result<String, Refusal> {
        let text = self.frame.text(
            "`int $begun = 0, $come = 0;\nvoid $turn() { if ($live) $begun++; }\nvoid $enter() { $reach(); if ($live) $come++; }\n",
        );
        self.frame.declare(&text);
        let (turn, enter) = (self.frame.text("$turn();"), self.frame.text("$enter();"));
        self.body_begins(id, &turn);
        self.around_statement(id, &enter, "");
        Ok(self.note_count(NodeId::Stmt(id), NOT, "$begun")? + &self.note_count(NodeId::Stmt(id), HELD, "$come")?)
    }

    fn profile_branch(&mut self, site: NodeId, condition: ExprId) -> Result<String, Refusal> {
        if let Some(obstacle) = self.obstacle(condition) {
            return Err(Refusal::Impossible(obstacle));
        }
        let text = self.frame.text(
            "`int $no = 0, $yes = 0;\nbool $take(bool $c) { $reach(); if ($live) { if ($c) $yes++; else $no++; } return $c; }\n",
        );
        self.frame.declare(&text);
        let take = self.frame.name("take");
        self.wrap_in_call(condition, &take, "");
        Ok(self.note_count(site, NOT, "$no")? + &self.note_count(site, HELD, "$yes")?)
    }

    fn profile_switch(&mut self, id: StmtId, selector: ExprId) -> Result<String, Refusal> {
        let StmtKind::Switch { body, .. } = self.shader.tree.stmt(id).kind else { return Ok(String::new()) };
        let ty = self.shader.typed.expr(selector).ty;
        let mut text = "`int $none = 0;\n".to_owned();
        let (mut choose, mut otherwise) = (String::new(), "$none++;".to_owned());
        let mut tell = String::new();
        for &label in self.shader.tree.stmts_of(body) {
            let count = format!("$k{}", label.0);
            match self.shader.tree.stmt(label).kind {
                StmtKind::Case(value) => {
                    let number = self.shader.typed.expr(value).constant;
                    let number = number.and_then(|c| self.shader.typed.constants.as_i64(c)).unwrap_or(0) as u32;
                    let number = match ty {
                        Type::Scalar(Scalar::Uint) => format!("{number}u"),
                        // The least number has no literal.
                        _ if number == 1 << 31 => "(-2147483647 - 1)".to_owned(),
                        _ => number.cast_signed().to_string(),
                    };
                    choose.push_str(&format!("if ($v == {number}) {count}++; else "));
                }
                StmtKind::Default => otherwise = format!("{count}++;"),
                _ => continue,
            }
            text.push_str(&format!("`int {count} = 0;\n"));
            tell.push_str(&self.note_count(NodeId::Stmt(label), NOT, &count)?);
        }
        let kind = self.type_text(ty, self.precisions.of(selector));
        text.push_str(&format!(
            "{kind} $choose({kind} $v) {{ $reach(); if ($live) {{ {choose}{otherwise} }} return $v; }}\n"
        ));
        let text = self.frame.text(&text);
        self.frame.declare(&text);
        let choose = self.frame.name("choose");
        self.wrap_in_call(selector, &choose, "");
        Ok(tell + &self.note_count(NodeId::Stmt(id), NOT, "$none")?)
    }
}
