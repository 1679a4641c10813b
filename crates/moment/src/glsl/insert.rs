//! Inserting an expression into a shader at a moment.
//!
//! The expression becomes a statement of the shader's own text in front of the one the moment is at, so that the front end
//! resolves names, macros, overloads and versions as it does for the rest of the shader.

use shader::Shader;
use shader::ast::{ExprId, NodeId, StmtId, StmtKind};
use shader::diagnostic::Severity;
use shader::edit::{LineRules, Rewrite};
use shader::source::{Pos, Span};
use shader::token::{ExpansionId, TokenIndex};
use shader::version::Options;

use crate::{Moment, Step};

/// Where an expression is inserted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct InsertionPoint {
    /// The statement it is inserted before.
    pub statement: StmtId,
    /// That statement is a loop that begins an iteration: names declared in its header are visible.
    pub inside: bool,
}

impl InsertionPoint {
    /// Returns the point of the statement that a moment is at, or in; `None` if it is in no statement.
    #[must_use]
    pub fn of(shader: &Shader, at: &Moment) -> Option<InsertionPoint> {
        let site = super::stop(shader, at)?.site;
        let inside = matches!(at.path.last(), Some(Step::Iteration(inner, _)) if *inner == site);
        Some(InsertionPoint { statement: super::stmt(site)?, inside })
    }
}

/// A shader with an expression in it.
pub struct Inserted {
    /// The shader, analysed again with the expression in it.
    pub shader: Shader,
    /// The expression.
    pub expr: ExprId,
}

/// An error in an inserted expression, in terms of its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The front end's short name of the error.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// Additional sentences.
    pub notes: Vec<String>,
    /// Where in the expression; `None` if it concerns the shader as a whole.
    pub span: Option<Span>,
}

/// Why an expression cannot be inserted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InsertError {
    /// The text is not a single expression.
    NotAnExpression,
    /// The language does not allow it.
    Wrong(Vec<Finding>),
    /// Nothing can be inserted at this point of the text.
    Unreachable,
}

/// Inserts an expression into the shader and analyses the result.
///
/// # Errors
/// When the text is not a single expression, has errors at this point, or nothing can be inserted there.
pub fn insert(shader: &Shader, options: &Options, point: InsertionPoint, text: &str) -> Result<Inserted, InsertError> {
    if text.trim().is_empty() {
        return Err(InsertError::NotAnExpression);
    }
    // None of these can be part of an expression, and each could hide the text after it.
    if text.contains('#') || text.contains('\\') || text.contains("//") || text.contains("/*") {
        return Err(InsertError::NotAnExpression);
    }
    let text = text.replace(['\n', '\r'], " ");
    let tag = tag(shader.sources.text());
    let mut strings = edited(shader, point, &format!("{tag};{text};"))?;
    let included = strings.split_off(shader.sources.own_strings().min(strings.len()));
    let mut options = options.clone();
    for ((_, old), new) in options.includes.strings.iter_mut().zip(included) {
        *old = new;
    }
    let new = shader::analyze(&strings, &options);
    let Some(start) = new.sources.text().find(&tag) else { return Err(InsertError::Unreachable) };
    // The tag is followed by a semicolon, the expression and another semicolon.
    let before = (start + tag.len()) as u32;
    let written = Span::new(before + 1, before + 1 + text.len() as u32);
    let mut findings = findings(&new, written);
    for finding in findings.iter_mut().filter(|finding| finding.code == "undeclared") {
        let name = finding.span.and_then(|span| text.get(span.start.0 as usize..span.end.0 as usize));
        if let Some(message) = name.and_then(|name| declared_later(shader, point, name.trim())) {
            finding.message = message;
        }
    }
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

/// Returns a comment that does not occur in the shader.
fn tag(text: &str) -> String {
    let tags = (0u32..).map(|number| format!("/*watch {number}*/"));
    tags.into_iter().find(|tag| !text.contains(tag.as_str())).unwrap_or_default()
}

fn edited(shader: &Shader, point: InsertionPoint, text: &str) -> Result<Vec<String>, InsertError> {
    let (node, braces) = target(shader, point);
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

/// Returns the statement to insert the text before, and whether the two need braces.
fn target(shader: &Shader, point: InsertionPoint) -> (StmtId, bool) {
    let kind = |id: StmtId| shader.tree.stmt(id).kind;
    if let (true, StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. }) =
        (point.inside, kind(point.statement))
    {
        return (body, true);
    }
    let mut site = point.statement;
    for parent in shader.statements().into_iter().rev() {
        match kind(parent) {
            // Nothing can be inserted before the first part of a loop's header, only before the whole loop.
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

/// Returns the errors, with spans relative to the expression. The shader had none, so the expression caused all of them.
fn findings(shader: &Shader, written: Span) -> Vec<Finding> {
    let errors = shader.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    // Something missing at the end is reported at the semicolon after it.
    let inside = |span: Span| written.start <= span.start && span.start <= written.end;
    let relative = |at: Pos| at.0.min(written.end.0) - written.start.0;
    errors
        .map(|error| {
            let span = error.labels.first().map(|label| label.span).filter(|&span| inside(span));
            let span = span.map(|span| Span::new(relative(span.start), relative(span.end)));
            Finding { code: error.code, message: without_semicolon(&error.message), notes: error.notes.clone(), span }
        })
        .collect()
}

/// Says where a name is declared that is not visible at a point: the front end sees only what is before it.
fn declared_later(shader: &Shader, point: InsertionPoint, name: &str) -> Option<String> {
    let function = shader.enclosing_function(NodeId::Stmt(point.statement))?;
    let body = shader.tree.stmt(shader.typed.function(function).body?).tokens;
    let from = shader.tree.stmt(point.statement).tokens.first;
    let named = |variable: &&shader::typed::Variable| shader.preprocessed.symbols.name(variable.name) == name;
    let tokens = shader.typed.variables.iter().filter(named).filter_map(|variable| variable.declared);
    let declared = tokens.filter(|token| (from.0..=body.last.0).contains(&token.0)).min_by_key(|token| token.0)?;
    let text = shader.sources.text();
    let line = |token: TokenIndex| {
        let at = shader.preprocessed.tokens.get(token.0 as usize)?.pos;
        Some(text.get(..at.0 as usize)?.matches('\n').count() + 1)
    };
    let statements = shader.statements().into_iter().map(|id| shader.tree.stmt(id).tokens);
    let next = statements.filter(|tokens| tokens.first.0 > declared.0 && tokens.last.0 <= body.last.0);
    let (declared, next) =
        (line(declared)?, next.map(|tokens| tokens.first).min_by_key(|token| token.0).and_then(line));
    Some(match next {
        Some(next) if next > declared => {
            format!("`{name}` is declared in line {declared}, and not visible before line {next}")
        }
        _ => format!("`{name}` is declared in line {declared}, and not visible here"),
    })
}

/// Returns a parser's message for someone who wrote no semicolon: ours is the end of the expression.
fn without_semicolon(message: &str) -> String {
    match message.split_once(", found ") {
        Some((expected, "`;`")) => format!("{expected}, found the end of the expression"),
        Some(("expected `;`", found)) => format!("expected the end of the expression, found {found}"),
        _ => message.to_owned(),
    }
}

/// Returns the token that begins at a position of the text itself, not of a macro's expansion.
fn token_at(shader: &Shader, at: Pos) -> Option<TokenIndex> {
    let mut tokens = shader.preprocessed.tokens.iter();
    let index = tokens.position(|token| token.pos == at && token.expansion == ExpansionId::NONE)?;
    Some(TokenIndex(index as u32))
}
