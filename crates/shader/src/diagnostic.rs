//! What the front end has to say about a shader: data, rendered by whoever shows it.

use crate::source::Span;
use crate::token::ExpansionId;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The shader is usable; something in it deserves a look.
    Warning,
    /// The language forbids this.
    Error,
}

/// A stretch of source and why it matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// The macro expansion the span came through, if any.
    pub expansion: ExpansionId,
    /// What to say there; may be empty for a primary label.
    pub text: String,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable short name, such as `undeclared` or `type-mismatch`, for filters and tests.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The first label is the primary one.
    pub labels: Vec<Label>,
    /// Further sentences: "did you mean", "available from GLSL 1.30".
    pub notes: Vec<String>,
}

/// The longest a sentence may be, in bytes: names are quoted in them, and a name can be as long as the shader.
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
    /// An error at a place.
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

    /// A warning at a place.
    #[must_use]
    pub fn warning(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message, span) }
    }

    /// Says through which macro expansion the primary span was reached.
    #[must_use]
    pub fn expanded_from(mut self, expansion: ExpansionId) -> Diagnostic {
        self.labels[0].expansion = expansion;
        self
    }

    /// Gives the primary label a text.
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
