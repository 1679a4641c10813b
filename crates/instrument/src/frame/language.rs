//! What the language version of a shader offers, itself or through extensions.

use shader::Shader;
use shader::version::{Stage, Version};

use crate::device::Device;
use crate::variant::Refusal;

/// What the language version of a shader offers.
pub(super) struct Language {
    pub version: Version,
    pub stage: Stage,
    /// `highp` if there are precision qualifiers.
    pub highp: &'static str,
    /// Whether it has bit operations on 32-bit integers, `uint`, and dynamic array indices.
    pub integers: bool,
}

/// Keywords that an extension reserves, besides adding functions.
const WORDS: &[(&str, &[&str])] = &[
    (
        "GL_ARB_shader_storage_buffer_object",
        &["buffer", "coherent", "volatile", "restrict", "readonly", "writeonly", "std430"],
    ),
    ("GL_ARB_uniform_buffer_object", &["layout", "std140"]),
    ("GL_OES_standard_derivatives", &["dFdx", "dFdy", "fwidth"]),
    ("GL_EXT_gpu_shader4", &["flat", "noperspective", "centroid", "unsigned"]),
];

impl Language {
    pub fn new(shader: &Shader) -> Language {
        let version = shader.preprocessed.version;
        let highp = if version.is_es() { "highp " } else { "" };
        Language { version, stage: shader.stage, highp, integers: version.at_least(130, 300) }
    }
}

/// Whether an extension can be enabled: the device has it, and the shader does not use its keywords as names.
pub(super) fn offered(shader: &Shader, device: &Device, extension: &str) -> bool {
    let words = WORDS.iter().find(|(name, _)| *name == extension).map_or(&[][..], |(_, words)| words);
    let symbols = &shader.preprocessed.symbols;
    // A word of the base table has a symbol even if the shader does not use it.
    let used = |word: &&str| {
        let symbol = symbols.find(word);
        shader.preprocessed.tokens.iter().any(|token| Some(token.symbol) == symbol)
    };
    let enabled = shader.preprocessed.extensions.iter().any(|change| symbols.name(change.name) == extension);
    let version = shader.preprocessed.version;
    let known = shader::builtin::extension(extension).is_some_and(|extension| extension.offered(version));
    let device_has = device.extensions.has(extension);
    known && device_has && (enabled || !words.iter().any(used))
}

/// The error for a feature that a version lacks.
pub(super) fn lacks(version: Version, what: &str) -> Refusal {
    Refusal::Impossible(format!("{version} has no {what} on this device"))
}
