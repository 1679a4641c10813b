//! Diagnostics about a shader: data, rendered by the caller.

use crate::source::Span;
use crate::token::ExpansionId;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The shader is usable, but something looks wrong.
    Warning,
    /// The language forbids this.
    Error,
}

/// A span of source with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The span.
    pub span: Span,
    /// The macro expansion that contains the span, if any.
    pub expansion: ExpansionId,
    /// The text; may be empty for the primary label.
    pub text: String,
}

/// A diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// A stable short code, such as `undeclared` or `type-mismatch`, for filters and tests.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The first label is the primary one.
    pub labels: Vec<Label>,
    /// Further sentences: "did you mean", "available from GLSL 1.30".
    pub notes: Vec<String>,
}

/// The maximum length of a sentence in bytes: it may quote names, which can be as long as the shader.
const MAX_SENTENCE: usize = 2_000;

fn sentence(text: impl Into<String>) -> String {
    let mut text = text.into();
    if text.len() > MAX_SENTENCE {
        text.truncate(text.floor_char_boundary(MAX_SENTENCE));
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

impl Diagnostic {
    /// An error at a span.
    #[must_use]
    pub fn error(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: sentence(message),
            labels: vec![Label { span, expansion: ExpansionId::NONE, text: String::new() }],
            notes: Vec::new(),
        }
    }

    /// A warning at a span.
    #[must_use]
    pub fn warning(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message, span) }
    }

    /// Sets the macro expansion of the primary span.
    #[must_use]
    pub fn expanded_from(mut self, expansion: ExpansionId) -> Diagnostic {
        self.labels[0].expansion = expansion;
        self
    }

    /// Sets the text of the primary label.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Diagnostic {
        self.labels[0].text = sentence(text);
        self
    }

    /// Adds a secondary label.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, expansion: ExpansionId::NONE, text: sentence(text) });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(sentence(text));
        self
    }
}
