//! Findings as diagnostics of the front end, so that they are shown in the same way.

use moment::Step;
use shader::Shader;
use shader::ast::{ExprId, ExprKind, NodeId};
use shader::diagnostic::{Diagnostic, Label};
use shader::source::Span;
use shader::token::ExpansionId;
use shader::typed::{Target, VarId};

use super::{Finding, FindingKind, Subject};
use crate::glsl::types::shader_variable;

/// Iterations and calls shown of a longer path.
const MAX_STEPS: usize = 6;

/// Returns a finding with labels and notes. It is a warning, because the language allows it.
#[must_use]
pub fn diagnostic(finding: &Finding, shader: &Shader) -> Diagnostic {
    let (span, expansion) = span(finding, shader);
    let expr = match finding.subject {
        Subject::Site(site) => moment::glsl::expr(site),
        Subject::Variable(_) | Subject::Nothing => None,
    };
    let mut diagnostic =
        Diagnostic::warning(finding.kind.code(), finding.message.clone(), span).expanded_from(expansion);
    if let (FindingKind::Uninitialized, Some(id)) = (finding.kind, expr)
        && let Some(declared) = root(shader, id).and_then(|variable| shader.definition(variable))
    {
        diagnostic = diagnostic.label(declared, "declared here");
    }
    if let (FindingKind::MissingReturn, Some(id)) = (finding.kind, expr)
        && let Target::Function(function) = shader.typed.expr(id).target
    {
        let token = shader.typed.function(function).declared;
        let tokens = shader::token::TokenSpan { first: token, last: token };
        diagnostic.labels.push(Label {
            span: shader.preprocessed.span(tokens).0,
            expansion: ExpansionId::NONE,
            text: "this function".to_owned(),
        });
    }
    let path = finding.moment.as_ref().map_or(&[][..], |moment| &moment.path);
    for step in path.iter().rev().take(MAX_STEPS) {
        diagnostic = diagnostic.note(match *step {
            Step::Call(call) => format!("called from line {}", line(shader, call.into())),
            Step::Iteration(of, number) => {
                format!("in iteration {} of the loop of line {}", number + 1, line(shader, of.into()))
            }
        });
    }
    if path.len() > MAX_STEPS {
        diagnostic = diagnostic.note(format!("{} more calls and loops around", path.len() - MAX_STEPS));
    }
    if finding.helper {
        diagnostic = diagnostic.note("in a helper invocation, whose outputs are not used");
    }
    if finding.count > 1 {
        diagnostic = diagnostic.note(format!("{} times in all", finding.count));
    }
    diagnostic
}

/// Returns where a finding is.
fn span(finding: &Finding, shader: &Shader) -> (Span, ExpansionId) {
    match (finding.subject, &finding.moment) {
        (Subject::Site(site), _) => shader.span(site.into()),
        (Subject::Variable(id), moment) => match (shader.definition(shader_variable(id)), moment) {
            (Some(span), _) => (span, ExpansionId::NONE),
            (None, Some(moment)) => shader.span(moment.site.into()),
            (None, None) => (Span::new(0, 0), ExpansionId::NONE),
        },
        (Subject::Nothing, Some(moment)) => shader.span(moment.site.into()),
        (Subject::Nothing, None) => (Span::new(0, 0), ExpansionId::NONE),
    }
}

fn line(shader: &Shader, node: NodeId) -> u32 {
    shader.sources.locate(shader.written(node).start).line
}

/// Returns the variable that an expression names part of.
fn root(shader: &Shader, mut id: ExprId) -> Option<VarId> {
    loop {
        id = match shader.tree.expr(id).kind {
            ExprKind::Paren(inner) | ExprKind::Index(inner, _) | ExprKind::Field(inner, _) => inner,
            ExprKind::Name(_) => {
                return match shader.typed.expr(id).target {
                    Target::Variable(variable) => Some(variable),
                    _ => None,
                };
            }
            _ => return None,
        };
    }
}
