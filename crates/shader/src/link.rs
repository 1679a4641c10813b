//! Cross-stage linking: what only several shaders together can get wrong.

use crate::analyze::Shader;
use crate::diagnostic::{Diagnostic, Severity};

/// A program as far as the front end is concerned.
pub struct Linked {
    /// What is wrong with the combination.
    pub diagnostics: Vec<Diagnostic>,
}

impl Linked {
    /// Whether a linker would refuse it.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }
}

/// Links shaders into a program.
#[must_use]
pub fn link(_shaders: &[&Shader]) -> Linked {
    Linked { diagnostics: Vec::new() }
}
