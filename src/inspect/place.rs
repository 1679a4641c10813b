//! Places: of the command line's words, and in a shader's text.

use anyhow::bail;
use moment::Moment;
use shader::Shader;
use shader::ast::{Condition, DeclId, DeclKind, NodeId, StmtKind};
use shader::source::Pos;
use shader::version::Stage;

/// A stage by its name.
pub fn stage(text: &str) -> Result<Stage, String> {
    let short = |stage: Stage| stage.name().replace("tessellation ", "tess");
    let found = Stage::ALL.into_iter().find(|stage| short(*stage) == text.replace('-', ""));
    found.ok_or_else(|| "the stages are vertex, tesscontrol, tessevaluation, geometry, fragment and compute".to_owned())
}

/// A pixel, and perhaps one of its samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pixel {
    pub x: i32,
    pub y: i32,
    pub sample: Option<i32>,
}

/// Two numbers with a comma, and perhaps a third that is not negative.
pub fn pixel(text: &str) -> Result<Pixel, String> {
    let wrong =
        || "two numbers with a comma are wanted, such as 320,200, and perhaps the number of a sample".to_owned();
    if let Some([x, y]) = numbers(text) {
        return Ok(Pixel { x, y, sample: None });
    }
    match numbers(text) {
        Some([x, y, sample]) if (0..64).contains(&sample) => Ok(Pixel { x, y, sample: Some(sample) }),
        _ => Err(wrong()),
    }
}

/// Three numbers with commas.
pub fn triple(text: &str) -> Result<[i32; 3], String> {
    numbers(text).ok_or_else(|| "three numbers with commas are wanted, such as 8,0,0".to_owned())
}

fn numbers<const N: usize>(text: &str) -> Option<[i32; N]> {
    let numbers: Option<Vec<i32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    numbers?.try_into().ok()
}

/// What is at a line and column of a shader's own text: an expression, or the first statement that begins there.
///
/// # Errors
/// When there is nothing.
pub fn site(shader: &Shader, line: u32, column: Option<u32>) -> anyhow::Result<NodeId> {
    if let Some(column) = column {
        let Some(pos) = position(shader, line, column) else {
            bail!("the shader has no column {column} in line {line}");
        };
        return match shader.node_at(pos) {
            Some(node) => Ok(node),
            None => bail!("nothing that is executed is at line {line}, column {column}"),
        };
    }
    let begins = |node: &NodeId| self::line(shader, *node).0 == line;
    match shader.statement_boundaries().into_iter().find(begins) {
        Some(node) => Ok(node),
        None => bail!("no statement begins in line {line} of the shader"),
    }
}

/// The line and column where a node begins, in the text as the program passed it, counted from 1.
pub fn line(shader: &Shader, node: NodeId) -> (u32, u32) {
    let at = shader.sources.locate(shader.written(node).start);
    // Programs that pass several strings mean one text.
    let before = shader.sources.start(at.string).0 as usize;
    let lines = shader.sources.text()[..before].matches('\n').count() as u32;
    (lines + at.line, at.column)
}

fn position(shader: &Shader, line: u32, column: u32) -> Option<Pos> {
    let text = shader.sources.text();
    let start = text.split_inclusive('\n').take(line.checked_sub(1)? as usize).map(str::len).sum::<usize>();
    let here = text.get(start..)?.lines().next()?;
    let (offset, _) = here.char_indices().nth(column.checked_sub(1)? as usize)?;
    Some(Pos((start + offset) as u32))
}

/// The expression that a statement is about: what it computes, returns or asks.
pub fn value_of(shader: &Shader, node: NodeId) -> Option<NodeId> {
    let declared = |id: DeclId| match &shader.tree.decl(id).kind {
        DeclKind::Variables { declarators, .. } => declarators.iter().find_map(|declarator| declarator.init),
        _ => None,
    };
    let asked = |condition: Condition| match condition {
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
            StmtKind::While { condition, .. } => asked(condition),
            StmtKind::For { condition, .. } => condition.and_then(asked),
            _ => None,
        },
    };
    expr.map(NodeId::Expr)
}

/// A node's text on one line.
pub fn excerpt(shader: &Shader, node: NodeId) -> String {
    shader.sources.slice(shader.written(node)).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A moment as it is written on the command line.
pub fn moment(text: &str) -> Result<Moment, String> {
    text.parse().map_err(|error: moment::ParseError| error.to_string())
}

/// Two numbers with two dots.
pub fn span(text: &str) -> Result<(f64, f64), String> {
    let both = text.split_once("..").and_then(|(from, to)| Some((from.trim().parse().ok()?, to.trim().parse().ok()?)));
    both.ok_or_else(|| "a range is two numbers with two dots, such as 0..1".to_owned())
}

/// A line of the shader's text.
pub fn excerpt_line(shader: &Shader, line: u32) -> &str {
    shader.sources.text().lines().nth(line as usize - 1).unwrap_or_default().trim()
}
