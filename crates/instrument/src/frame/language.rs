//! What the language of a shader has, or can be given by extensions.

use shader::Shader;
use shader::version::{Stage, Version};

use crate::device::Device;

/// What the language of a shader has.
pub(super) struct Language {
    pub version: Version,
    pub stage: Stage,
    /// `highp` where numbers have precisions.
    pub highp: &'static str,
}

impl Language {
    pub fn new(shader: &Shader, _device: &Device) -> Language {
        let version = shader.preprocessed.version;
        Language { version, stage: shader.stage, highp: if version.is_es() { "highp " } else { "" } }
    }
}
