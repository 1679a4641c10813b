//! Statements: markers and control flow.

use lanes::Test2;
use shader::ast::{Condition, DeclKind, Declarator, ExprId, List, StmtId, StmtKind};
use shader::constant;
use shader::typed::VarId;

use super::{Exits, Lower, Lowered, Unsupported};
use crate::ir::{BlockId, Instruction, Marker, Terminator};

impl Lower<'_> {
    /// Lowers the statements of a function's body.
    pub(super) fn block_statements(&mut self, body: StmtId) -> Lowered<()> {
        match self.shader.tree.stmt(body).kind {
            StmtKind::Block(list) => self.statements(list),
            _ => self.statement(body),
        }
    }

    fn statements(&mut self, list: List) -> Lowered<()> {
        for &statement in self.shader.tree.stmts_of(list) {
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, id: StmtId) -> Lowered<()> {
        let kind = self.shader.tree.stmt(id).kind;
        if !matches!(kind, StmtKind::Block(_) | StmtKind::Empty | StmtKind::Case(_) | StmtKind::Default) {
            self.emit(Instruction::Marker(Marker::Statement(id.into())));
        }
        match kind {
            StmtKind::Error => Err(Unsupported { what: "a broken statement".to_owned(), site: Some(id.into()) }),
            StmtKind::Empty | StmtKind::Case(_) | StmtKind::Default => Ok(()),
            StmtKind::Block(list) => self.statements(list),
            StmtKind::Expr(expr) => self.expr(expr).map(|_| ()),
            StmtKind::Decl(decl) => self.declaration(decl),
            StmtKind::If { .. } => self.if_chain(id),
            StmtKind::While { condition, body } => self.loop_statement(id, Some(condition), None, body),
            StmtKind::For { init, condition, step, body } => {
                self.statement(init)?;
                self.loop_statement(id, condition, step, body)
            }
            StmtKind::DoWhile { body, condition } => self.do_while(id, body, condition),
            StmtKind::Switch { selector, body } => self.switch(selector, body),
            StmtKind::Break => {
                let to = self.loops.last().map(|l| l.on_break);
                self.leave_to(to, id)
            }
            StmtKind::Continue => {
                let to = self.loops.iter().rev().find_map(|l| l.on_continue);
                self.leave_to(to, id)
            }
            StmtKind::Return(value) => self.return_statement(value),
            StmtKind::Discard => {
                self.emit(Instruction::Discard);
                Ok(())
            }
            StmtKind::Demote => {
                self.emit(Instruction::Demote);
                Ok(())
            }
        }
    }

    fn leave_to(&mut self, to: Option<BlockId>, id: StmtId) -> Lowered<()> {
        let Some(to) = to else {
            return Err(Unsupported { what: "a jump out of nothing".to_owned(), site: Some(id.into()) });
        };
        let rest = self.new_block();
        self.finish(Terminator::Jump(to), rest);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<ExprId>) -> Lowered<()> {
        if let (Some(value), Some(function)) = (value, self.function) {
            let ty = self.shader.typed.function(function).result;
            let made = self.expr(value)?;
            let made = self.convert(made, ty)?;
            let made = self.reduced(made, self.shader.typed.function(function).result_precision)?;
            if let Some(home) = self.results[function.0 as usize].clone() {
                self.copy_value(&home, &made)?;
            }
        }
        let rest = self.new_block();
        self.finish(Terminator::Return, rest);
        Ok(())
    }

    /// Returns the variable of a declarator. An array that is redeclared with a size has the initializer of the second
    /// declaration and the token of the first (GLSL 4.60, 4.1.9).
    fn declared_by(&self, declarator: &Declarator) -> Option<VarId> {
        let again = || {
            let init = declarator.init?;
            let row = self.shader.typed.variables.iter().position(|row| row.init == Some(init))?;
            Some(VarId(row as u32))
        };
        self.declared.get(&declarator.name.token).copied().or_else(again)
    }

    pub(super) fn declaration(&mut self, id: shader::ast::DeclId) -> Lowered<()> {
        let DeclKind::Variables { declarators, .. } = &self.shader.tree.decl(id).kind else { return Ok(()) };
        for declarator in declarators {
            let typed = &self.shader.typed;
            let Some(variable) = self.declared_by(declarator) else { continue };
            let (ty, known) = (typed.variable(variable).ty, typed.variable(variable).constant);
            if self.in_memory(variable)?.is_some() {
                continue;
            }
            let home = self.variable_value(variable)?;
            match (known, declarator.init) {
                (Some(value), _) => self.constant_into(&home, value)?,
                (None, Some(init)) => {
                    let value = self.expr(init)?;
                    let value = self.convert(value, ty)?;
                    let value = self.reduced(value, self.shader.typed.variable(variable).qualifiers.precision)?;
                    self.copy_value(&home, &value)?;
                }
                // Undefined in the language, zero here.
                (None, None) => {
                    let home = self.variable(variable)?;
                    self.emit(Instruction::Undefine(home));
                }
            }
        }
        Ok(())
    }

    /// Lowers a chain of `else if`, in a loop because it may have thousands of links.
    fn if_chain(&mut self, id: StmtId) -> Lowered<()> {
        let done = self.new_block();
        let mut at = id;
        while let StmtKind::If { condition, then, otherwise } = self.shader.tree.stmt(at).kind {
            // Code that never runs may contain what cannot be lowered, such as calls of functions without a body.
            let known = self.shader.typed.expr(condition).constant;
            let never = known.and_then(|c| self.shader.typed.constants.as_bool(c)) == Some(false);
            let condition = self.expr(condition)?.registers[0];
            let yes = self.new_block();
            let no = if otherwise.is_some() { self.new_block() } else { done };
            self.finish(Terminator::Branch(condition, yes, no), yes);
            if !never {
                self.statement(then)?;
            }
            self.finish(Terminator::Jump(done), no);
            let Some(next) = otherwise else { return Ok(()) };
            if matches!(self.shader.tree.stmt(next).kind, StmtKind::If { .. }) {
                self.emit(Instruction::Marker(Marker::Statement(next.into())));
                at = next;
                continue;
            }
            self.statement(next)?;
            self.finish(Terminator::Jump(done), done);
            return Ok(());
        }
        Ok(())
    }

    fn loop_condition(&mut self, condition: Condition) -> Lowered<crate::ir::Register> {
        match condition {
            Condition::Expr(expr) => Ok(self.expr(expr)?.registers[0]),
            Condition::Decl(decl) => {
                self.declaration(decl)?;
                let DeclKind::Variables { declarators, .. } = &self.shader.tree.decl(decl).kind else {
                    return self.refuse("this condition", None);
                };
                match declarators.first().and_then(|d| self.declared.get(&d.name.token)).copied() {
                    Some(variable) => Ok(self.variable(variable)?.start),
                    None => self.refuse("this condition", None),
                }
            }
        }
    }

    fn loop_statement(
        &mut self,
        id: StmtId,
        condition: Option<Condition>,
        step: Option<ExprId>,
        body: StmtId,
    ) -> Lowered<()> {
        let (head, inside, next, done) = (self.new_block(), self.new_block(), self.new_block(), self.new_block());
        self.emit(Instruction::Marker(Marker::Loop(id.into())));
        self.finish(Terminator::Jump(head), head);
        self.emit(Instruction::Marker(Marker::Iterate));
        let end = match condition {
            Some(condition) => {
                let holds = self.loop_condition(condition)?;
                Terminator::Branch(holds, inside, done)
            }
            None => Terminator::Jump(inside),
        };
        self.finish(end, inside);
        self.loops.push(Exits { on_break: done, on_continue: Some(next) });
        self.statement(body)?;
        self.loops.pop();
        self.finish(Terminator::Jump(next), next);
        if let Some(step) = step {
            self.expr(step)?;
        }
        self.finish(Terminator::Jump(head), done);
        self.emit(Instruction::Marker(Marker::Done));
        Ok(())
    }

    fn do_while(&mut self, id: StmtId, body: StmtId, condition: ExprId) -> Lowered<()> {
        let (head, test, done) = (self.new_block(), self.new_block(), self.new_block());
        self.emit(Instruction::Marker(Marker::Loop(id.into())));
        self.finish(Terminator::Jump(head), head);
        self.emit(Instruction::Marker(Marker::Iterate));
        self.loops.push(Exits { on_break: done, on_continue: Some(test) });
        self.statement(body)?;
        self.loops.pop();
        self.finish(Terminator::Jump(test), test);
        let holds = self.expr(condition)?.registers[0];
        self.finish(Terminator::Branch(holds, head, done), done);
        self.emit(Instruction::Marker(Marker::Done));
        Ok(())
    }

    /// Lowers a `switch`: compares with each label in order, then runs from the matching one, falling through.
    fn switch(&mut self, selector: ExprId, body: List) -> Lowered<()> {
        let value = self.expr(selector)?.registers[0];
        let chosen = self.one()?;
        self.emit(Instruction::Copy(chosen, value));
        let statements = self.shader.tree.stmts_of(body).to_vec();
        let done = self.new_block();
        let mut targets = Vec::new();
        let mut default = done;
        for &statement in &statements {
            match self.shader.tree.stmt(statement).kind {
                StmtKind::Case(label) => {
                    let block = self.new_block();
                    let label: Option<constant::Constant> = self.shader.typed.expr(label).constant;
                    let label = label.and_then(|c| self.shader.typed.constants.as_i64(c)).unwrap_or(0) as u32;
                    let label = self.word(label)?;
                    let next = self.new_block();
                    let equal = self.two(Test2::IEq, chosen, label)?;
                    self.finish(Terminator::Branch(equal, block, next), next);
                    targets.push((statement, block));
                }
                StmtKind::Default => {
                    default = self.new_block();
                    targets.push((statement, default));
                }
                _ => {}
            }
        }
        let unreachable = self.new_block();
        self.finish(Terminator::Jump(default), unreachable);
        self.loops.push(Exits { on_break: done, on_continue: None });
        for &statement in &statements {
            match targets.iter().find(|t| t.0 == statement) {
                Some(&(_, block)) => self.finish(Terminator::Jump(block), block),
                None => self.statement(statement)?,
            }
        }
        self.loops.pop();
        self.finish(Terminator::Jump(done), done);
        Ok(())
    }
}
