//! `afterimage sources --json`.

use serde::Serialize;

/// The texts of shaders.
#[derive(Serialize)]
pub struct Document {
    /// The texts, in the order of the calls that gave them.
    pub sources: Vec<Source>,
}

/// The text of a shader.
#[derive(Serialize)]
pub struct Source {
    /// The command that gave the shader its text.
    pub command: u64,
    /// GL's name for the shader or assembly program; null if the program was made of the text in one call.
    pub shader: Option<u32>,
    /// The label of the shader, as the program last set it before the end of the trace; null without one.
    pub label: Option<String>,
    /// `vertex`, `tess_control`, `tess_evaluation`, `geometry`, `fragment` or `compute`.
    pub stage: String,
    /// `glsl`, or `assembly` for the language of `ARB_vertex_program` and `ARB_fragment_program`.
    pub language: &'static str,
    /// The context that called.
    pub context: u32,
    /// GL's names for the programs that were linked from this text.
    pub programs: Vec<u32>,
    /// How many lines it has.
    pub lines: usize,
    /// The file that it was written to; null without `--output`.
    pub file: Option<String>,
    /// The text; null with `--output`.
    pub text: Option<String>,
}
