//! Places in the text of a shader: lines and columns, and the statements and expressions there.

use moment::{Moment, Step};
use shader::Shader;
use shader::ast::{Condition, DeclId, DeclKind, NodeId, StmtId, StmtKind};
use shader::source::Pos;

use crate::data::inspect::PathStep;
use crate::error::SessionError;

/// Returns the line and column where a node begins, from 1.
pub fn line(shader: &Shader, node: NodeId) -> (u32, u32) {
    let at = shader.sources.locate(shader.written(node).start);
    // Programs that pass several strings mean one text.
    let before = shader.sources.start(at.string).0 as usize;
    let lines = shader.sources.text()[..before].matches('\n').count() as u32;
    (lines + at.line, at.column)
}

/// Returns the line in which a variable of a name is declared: the next one from a line on, or the first.
pub fn declaration(shader: &Shader, name: &str, from: u32) -> Option<u32> {
    let named = |variable: &&shader::typed::Variable| shader.preprocessed.symbols.name(variable.name) == name;
    let line = |token: shader::token::TokenIndex| {
        let at = shader.preprocessed.tokens.get(token.0 as usize)?.pos;
        Some(shader.sources.text().get(..at.0 as usize)?.matches('\n').count() as u32 + 1)
    };
    let lines = shader.typed.variables.iter().filter(named).filter_map(|variable| line(variable.declared?));
    let lines: Vec<u32> = lines.collect();
    lines.iter().copied().filter(|line| *line >= from).min().or(lines.first().copied())
}

/// Returns the text of a node, on one line.
pub fn excerpt(shader: &Shader, node: NodeId) -> String {
    on_one_line(shader.sources.slice(shader.written(node)))
}

/// Joins the lines of a text.
pub fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a line of the text, without the space around it.
pub fn line_text(shader: &Shader, line: u32) -> &str {
    let before = (line as usize).saturating_sub(1);
    shader.sources.text().lines().nth(before).unwrap_or_default().trim()
}

/// Returns what is executed at a line and column, or the first statement that begins in the line.
///
/// # Errors
/// When nothing is executed there.
pub fn site(shader: &Shader, line: u32, column: Option<u32>) -> Result<NodeId, SessionError> {
    if let Some(column) = column {
        let pos = position(shader, line, column).ok_or(SessionError::NoSuchColumn { line, column })?;
        return shader.node_at(pos).ok_or(SessionError::NotExecuted { line, column });
    }
    let begins = |node: &NodeId| self::line(shader, *node).0 == line;
    let found = shader.statement_boundaries().into_iter().find(begins);
    found.ok_or(SessionError::NoStatementAt { line, or_after: false })
}

/// The same, but if no statement begins in the line, the next line in which one does is taken.
///
/// # Errors
/// When nothing is executed there or after it.
pub fn site_from(shader: &Shader, line: u32, column: Option<u32>) -> Result<NodeId, SessionError> {
    match site(shader, line, column) {
        Err(SessionError::NoStatementAt { .. }) => {}
        found => return found,
    }
    let lines = shader.statement_boundaries().into_iter().map(|node| self::line(shader, node).0);
    let next = lines.filter(|next| *next > line).min().ok_or(SessionError::NoStatementAt { line, or_after: true })?;
    site(shader, next, None)
}

/// Returns the calls and iterations around a moment, the outermost first.
pub fn path(shader: &Shader, moment: &Moment) -> Vec<PathStep> {
    let step = |step: &Step| match step {
        Step::Call(call) => PathStep::Call { line: line(shader, (*call).into()).0 },
        Step::Iteration(_, number) => PathStep::Iteration { number: *number },
    };
    moment.path.iter().map(step).collect()
}

/// Returns the first statement that begins in a line or after it, and its line.
pub fn statement_from(shader: &Shader, line: u32) -> Option<(StmtId, u32)> {
    let stops = |id: &StmtId| {
        let kind = shader.tree.stmt(*id).kind;
        !matches!(kind, StmtKind::Block(_) | StmtKind::Empty | StmtKind::Case(_) | StmtKind::Default | StmtKind::Error)
    };
    let begins = |id: StmtId| (id, self::line(shader, NodeId::Stmt(id)).0);
    let all = shader.statements().into_iter().filter(stops).map(begins);
    all.filter(|(_, own)| *own >= line).min_by_key(|(_, own)| *own)
}

/// Returns the expression that a statement is about: what it computes, returns or tests.
pub fn value_of(shader: &Shader, node: NodeId) -> Option<NodeId> {
    let declared = |id: DeclId| match &shader.tree.decl(id).kind {
        DeclKind::Variables { declarators, .. } => declarators.iter().find_map(|declarator| declarator.init),
        _ => None,
    };
    let tested = |condition: Condition| match condition {
        Condition::Expr(expr) => Some(expr),
        Condition::Decl(decl) => declared(decl),
    };
    let expr = match node {
        NodeId::Expr(expr) => Some(expr),
        NodeId::Decl(id) => declared(id),
        NodeId::Stmt(id) => match shader.tree.stmt(id).kind {
            StmtKind::Expr(expr) => Some(expr),
            StmtKind::Decl(id) => declared(id),
            StmtKind::Return(expr) => expr,
            StmtKind::If { condition, .. } | StmtKind::DoWhile { condition, .. } => Some(condition),
            StmtKind::Switch { selector, .. } => Some(selector),
            StmtKind::While { condition, .. } => tested(condition),
            StmtKind::For { condition, .. } => condition.and_then(tested),
            _ => None,
        },
    };
    expr.map(NodeId::Expr)
}

fn position(shader: &Shader, line: u32, column: u32) -> Option<Pos> {
    let text = shader.sources.text();
    let start = text.split_inclusive('\n').take(line.checked_sub(1)? as usize).map(str::len).sum::<usize>();
    let here = text.get(start..)?.lines().next()?;
    let (offset, _) = here.char_indices().nth(column.checked_sub(1)? as usize)?;
    Some(Pos((start + offset) as u32))
}
