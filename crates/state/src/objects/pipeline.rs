//! Program pipeline objects.

use std::sync::Arc;

use api::constant as c;

/// The stages in the order in which pipelines keep them.
pub const STAGES: [u32; 6] = [
    c::GL_VERTEX_SHADER,
    c::GL_TESS_CONTROL_SHADER,
    c::GL_TESS_EVALUATION_SHADER,
    c::GL_GEOMETRY_SHADER,
    c::GL_FRAGMENT_SHADER,
    c::GL_COMPUTE_SHADER,
];

/// The bit of each of [`STAGES`], as `glUseProgramStages` has it.
pub const STAGE_BITS: [u32; 6] = [
    c::GL_VERTEX_SHADER_BIT,
    c::GL_TESS_CONTROL_SHADER_BIT,
    c::GL_TESS_EVALUATION_SHADER_BIT,
    c::GL_GEOMETRY_SHADER_BIT,
    c::GL_FRAGMENT_SHADER_BIT,
    c::GL_COMPUTE_SHADER_BIT,
];

/// A program pipeline object.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether there is more than the name: it was bound or changed once.
    pub exists: bool,
    /// The program of each stage of [`STAGES`], 0 for none.
    pub stages: [u32; 6],
    /// The program that `glUniform…` sets values of.
    pub active: u32,
    /// Whether it was found valid by `glValidateProgramPipeline`.
    pub validated: bool,
    /// The information log; nothing when there is none.
    pub log: Option<Arc<str>>,
}
