//! An expression put into a shader where a moment is.
//!
//! It becomes a statement of the shader's own text in front of the one the moment is at, so that names, macros, overloads
//! and versions are the language's own affair.

use shader::Shader;
use shader::ast::{ExprId, NodeId, StmtId, StmtKind};
use shader::diagnostic::Severity;
use shader::edit::{LineRules, Rewrite};
use shader::source::{Pos, Span};
use shader::token::{ExpansionId, TokenIndex};
use shader::version::Options;

use crate::{Moment, Step};

/// Where an expression goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot {
    /// The statement it comes before.
    pub statement: StmtId,
    /// That statement is a loop which begins an iteration: names of its header are known.
    pub inside: bool,
}

impl Spot {
    /// The statement a moment is at, or in.
    #[must_use]
    pub fn of(shader: &Shader, at: &Moment) -> Option<Spot> {
        let NodeId::Stmt(statement) = at.stop(shader)?.site else { return None };
        let inside = matches!(at.path.last(), Some(Step::Iteration(inner, _)) if *inner == statement);
        Some(Spot { statement, inside })
    }
}

/// A shader with an expression in it.
pub struct Inserted {
    /// The whole.
    pub shader: Shader,
    /// The expression.
    pub expr: ExprId,
}

/// What is wrong with an expression, in terms of its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The front end's short name for it.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// Further sentences.
    pub notes: Vec<String>,
    /// Where in the expression, unless it is about the shader as a whole.
    pub span: Option<Span>,
}

/// Why an expression cannot be put into a shader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InsertError {
    /// It is not one expression.
    NotAnExpression,
    /// The language forbids it.
    Wrong(Vec<Finding>),
    /// There is no place for it in the text.
    Unreachable,
}

/// Puts an expression into the shader.
///
/// # Errors
/// It is no expression, is wrong where it stands, or cannot stand there.
pub fn insert(shader: &Shader, options: &Options, spot: Spot, text: &str) -> Result<Inserted, InsertError> {
    if text.trim().is_empty() {
        return Err(InsertError::NotAnExpression);
    }
    // None of these can be part of an expression, and each could hide what follows it.
    if text.contains('#') || text.contains('\\') || text.contains("//") || text.contains("/*") {
        return Err(InsertError::NotAnExpression);
    }
    let text = text.replace(['\n', '\r'], " ");
    let tag = tag(shader.sources.text());
    let mut strings = edited(shader, spot, &format!("{tag};{text};"))?;
    let included = strings.split_off(shader.sources.own_strings().min(strings.len()));
    let mut options = options.clone();
    for ((_, old), new) in options.includes.strings.iter_mut().zip(included) {
        *old = new;
    }
    let new = shader::analyze(&strings, &options);
    let Some(start) = new.sources.text().find(&tag) else { return Err(InsertError::Unreachable) };
    // Behind the tag a semicolon, then the expression, then another semicolon.
    let before = (start + tag.len()) as u32;
    let written = Span::new(before + 1, before + 1 + text.len() as u32);
    let findings = findings(&new, written);
    let (Some(first), Some(last)) = (token_at(&new, Pos(before)), token_at(&new, written.end)) else {
        return Err(if findings.is_empty() { InsertError::Unreachable } else { InsertError::Wrong(findings) });
    };
    let whole = new.tree.stmts.iter().find_map(|statement| match statement.kind {
        StmtKind::Expr(expr) if statement.tokens.last == last && statement.tokens.first.0 == first.0 + 1 => Some(expr),
        _ => None,
    });
    match whole {
        _ if !findings.is_empty() => Err(InsertError::Wrong(findings)),
        Some(expr) => Ok(Inserted { shader: new, expr }),
        None => Err(InsertError::NotAnExpression),
    }
}

/// A comment that the shader does not have.
fn tag(text: &str) -> String {
    let tags = (0u32..).map(|number| format!("/*watch {number}*/"));
    tags.into_iter().find(|tag| !text.contains(tag.as_str())).unwrap_or_default()
}

fn edited(shader: &Shader, spot: Spot, text: &str) -> Result<Vec<String>, InsertError> {
    let (node, braces) = target(shader, spot);
    let mut rewrite = Rewrite::new(shader);
    if braces {
        rewrite.wrap(NodeId::Stmt(node), &format!("{{ {text} "), " }");
    } else {
        rewrite.before(NodeId::Stmt(node), &format!("{text} "));
    }
    let rules = LineRules { version: shader.preprocessed.version, per_string: true };
    let edits = rewrite.edits().map_err(|_| InsertError::Unreachable)?;
    edits.apply_keeping_lines(&shader.sources, rules).map(|edited| edited.strings).map_err(|_| InsertError::Unreachable)
}

/// The statement to put the text in front of, and whether the two need braces.
fn target(shader: &Shader, spot: Spot) -> (StmtId, bool) {
    let kind = |id: StmtId| shader.tree.stmt(id).kind;
    if let (true, StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. }) =
        (spot.inside, kind(spot.statement))
    {
        return (body, true);
    }
    let mut site = spot.statement;
    for parent in shader.statements().into_iter().rev() {
        match kind(parent) {
            // Nothing can stand in front of the first part of a header but in front of the whole.
            StmtKind::For { init, .. } if init == site => site = parent,
            StmtKind::Block(list) | StmtKind::Switch { body: list, .. }
                if shader.tree.stmts_of(list).contains(&site) =>
            {
                return (site, false);
            }
            _ => {}
        }
    }
    (site, true)
}

/// Errors, in terms of the expression where they are about it. The shader had none, so all are the expression's doing.
fn findings(shader: &Shader, written: Span) -> Vec<Finding> {
    let errors = shader.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    // What is missing at the end is reported at the semicolon behind it.
    let inside = |span: Span| written.start <= span.start && span.start <= written.end;
    let relative = |at: Pos| at.0.min(written.end.0) - written.start.0;
    errors
        .map(|error| {
            let span = error.labels.first().map(|label| label.span).filter(|&span| inside(span));
            let span = span.map(|span| Span::new(relative(span.start), relative(span.end)));
            Finding { code: error.code, message: error.message.clone(), notes: error.notes.clone(), span }
        })
        .collect()
}

/// The token that begins at a position of the text itself.
fn token_at(shader: &Shader, at: Pos) -> Option<TokenIndex> {
    let mut tokens = shader.preprocessed.tokens.iter();
    let index = tokens.position(|token| token.pos == at && token.expansion == ExpansionId::NONE)?;
    Some(TokenIndex(index as u32))
}
