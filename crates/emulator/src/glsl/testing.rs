//! Shaders for tests of the whole crate.

use std::sync::Arc;

use shader::Shader;
use shader::version::{Options, Stage};

use super::{lower, source_map};
use crate::ir::{Program, SiteId, SourceMap};

/// A shader without errors and all that is made of it.
pub(crate) struct Source {
    pub program: Arc<Program>,
    pub map: Arc<SourceMap>,
    shader: Shader,
}

impl Source {
    /// Returns a fragment shader.
    #[track_caller]
    pub fn fragment(text: &str) -> Source {
        Source::new(Stage::Fragment, text)
    }

    /// Returns a compute shader.
    #[track_caller]
    pub fn compute(text: &str) -> Source {
        Source::new(Stage::Compute, text)
    }

    #[track_caller]
    fn new(stage: Stage, text: &str) -> Source {
        let shader = shader::analyze(&[text], &Options::new(stage));
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        let program = lower(&shader).expect("nothing unsupported");
        Source { program, map: Arc::new(source_map(&shader)), shader }
    }

    /// Returns the text of a site.
    pub fn text(&self, site: SiteId) -> &str {
        self.shader.sources.slice(self.shader.written(site.into()))
    }

    /// Returns the sites of all statements.
    pub fn statements(&self) -> Vec<SiteId> {
        self.shader.statements().into_iter().map(SiteId::from).collect()
    }
}
