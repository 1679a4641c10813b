//! GLSL: preprocess, parse, type, link; a source map; span-based editing of the original text.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod ast;
pub mod builtin;
pub mod diagnostic;
pub mod qualifier;
pub mod source;
pub mod symbol;
pub mod token;
pub mod types;
pub mod version;

/// Placeholder for the result of the front end, replaced when the front end is merged.
#[derive(Clone, Debug)]
pub struct Shader {
    /// Findings.
    pub diagnostics: Vec<diagnostic::Diagnostic>,
    /// The text.
    pub sources: source::Sources,
}

impl Shader {
    /// True when any finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == diagnostic::Severity::Error)
    }
}

/// Placeholder for the result of linking.
#[derive(Clone, Debug)]
pub struct Linked {
    /// Findings.
    pub diagnostics: Vec<diagnostic::Diagnostic>,
}

impl Linked {
    /// True when any finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        !self.diagnostics.is_empty()
    }
}

/// Placeholder: accepts everything.
#[must_use]
pub fn analyze<S: AsRef<str>>(strings: &[S], _options: &version::Options) -> Shader {
    Shader { diagnostics: Vec::new(), sources: source::Sources::new(strings) }
}

/// Placeholder: accepts everything.
#[must_use]
pub fn link(_shaders: &[&Shader]) -> Linked {
    Linked { diagnostics: Vec::new() }
}
