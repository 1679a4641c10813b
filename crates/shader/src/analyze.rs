//! The complete front end.

use crate::ast::Tree;
use crate::check;
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Timeline;
use crate::parse;
use crate::preprocess::{self, Preprocessed};
use crate::source::Sources;
use crate::typed::Typed;
use crate::version::{Options, Stage};

/// Everything known about one shader.
pub struct Shader {
    /// The stage it is for.
    pub stage: Stage,
    /// Its text.
    pub sources: Sources,
    /// Tokens, macro expansions, version, extensions, names.
    pub preprocessed: Preprocessed,
    /// The dialect at each token.
    pub timeline: Timeline,
    /// The syntax tree.
    pub tree: Tree,
    /// Types, constants and other facts.
    pub typed: Typed,
    /// The diagnostics, in order of position.
    pub diagnostics: Vec<Diagnostic>,
}

impl Shader {
    /// Whether a compiler would reject it.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }
}

/// Preprocesses, parses and checks a shader.
#[must_use]
pub fn analyze<S: AsRef<str>>(strings: &[S], options: &Options) -> Shader {
    let sources = Sources::with_includes(strings, &options.includes);
    let mut preprocessed = preprocess::preprocess(&sources, options);
    let timeline = Timeline::new(&preprocessed, options);
    let parsed = parse::parse(&preprocessed, &timeline);
    let (typed, findings) = check::check(&preprocessed, &timeline, &parsed.tree, options);
    let mut diagnostics = std::mem::take(&mut preprocessed.diagnostics);
    diagnostics.extend(parsed.diagnostics);
    diagnostics.extend(findings);
    diagnostics.sort_by_key(|d| d.labels.first().map(|l| l.span));
    Shader { stage: options.stage, sources, preprocessed, timeline, tree: parsed.tree, typed, diagnostics }
}
