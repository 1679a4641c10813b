//! Program pipeline objects.

use std::sync::Arc;

use api::constant as c;

/// The stages in the order in which arrays are indexed by them.
pub const STAGES: [u32; 6] = [
    c::GL_VERTEX_SHADER,
    c::GL_TESS_CONTROL_SHADER,
    c::GL_TESS_EVALUATION_SHADER,
    c::GL_GEOMETRY_SHADER,
    c::GL_FRAGMENT_SHADER,
    c::GL_COMPUTE_SHADER,
];

/// The bit of each of [`STAGES`] in `glUseProgramStages`.
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
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether the object exists: it has been bound or changed.
    pub exists: bool,
    /// The program of each stage of [`STAGES`], 0 for none.
    pub stages: [u32; 6],
    /// The program whose uniforms `glUniform…` sets.
    pub active: u32,
    /// Whether `glValidateProgramPipeline` found it valid.
    pub validated: bool,
    /// The info log; `None` when there is none.
    pub log: Option<Arc<str>>,
}
