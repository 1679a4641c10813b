//! The names that `glGetProgramiv` accepts, and the contexts in which it does.

use crate::constant as c;
use crate::when::{When, both};

/// A name of `glGetProgramiv`, the contexts that have it, and the stage that a program must have for it.
pub type Parameter = (u32, When, Option<u32>);

/// Contexts with programs.
pub const ANYWHERE: When = both(20, 20);
/// Contexts with geometry shaders.
pub const GEOMETRY: When = both(32, 32).or(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"]);
/// Contexts with tessellation shaders.
pub const TESSELLATION: When =
    both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"]);
/// Contexts with compute shaders.
pub const COMPUTE: When = both(43, 31).or(&["GL_ARB_compute_shader"]);
/// Contexts with transform feedback.
pub const FEEDBACK: When = both(30, 30).or(&["GL_EXT_transform_feedback"]);
/// Contexts with uniform blocks.
pub const BLOCKS: When = both(31, 30).or(&["GL_ARB_uniform_buffer_object"]);

/// All names but `GL_COMPUTE_WORK_GROUP_SIZE`, the only one with more than one value.
pub const PARAMETERS: [Parameter; 27] = [
    (c::GL_LINK_STATUS, ANYWHERE, None),
    (c::GL_DELETE_STATUS, ANYWHERE, None),
    (c::GL_VALIDATE_STATUS, ANYWHERE, None),
    (c::GL_INFO_LOG_LENGTH, ANYWHERE, None),
    (c::GL_ATTACHED_SHADERS, ANYWHERE, None),
    (c::GL_ACTIVE_ATTRIBUTES, ANYWHERE, None),
    (c::GL_ACTIVE_ATTRIBUTE_MAX_LENGTH, ANYWHERE, None),
    (c::GL_ACTIVE_UNIFORMS, ANYWHERE, None),
    (c::GL_ACTIVE_UNIFORM_MAX_LENGTH, ANYWHERE, None),
    (c::GL_ACTIVE_UNIFORM_BLOCKS, BLOCKS, None),
    (c::GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH, BLOCKS, None),
    (c::GL_TRANSFORM_FEEDBACK_BUFFER_MODE, FEEDBACK, None),
    (c::GL_TRANSFORM_FEEDBACK_VARYINGS, FEEDBACK, None),
    (c::GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH, FEEDBACK, None),
    (c::GL_ACTIVE_ATOMIC_COUNTER_BUFFERS, both(42, 31).or(&["GL_ARB_shader_atomic_counters"]), None),
    (c::GL_PROGRAM_SEPARABLE, both(41, 31).or(&["GL_ARB_separate_shader_objects"]), None),
    (c::GL_PROGRAM_BINARY_RETRIEVABLE_HINT, both(41, 30).or(&["GL_ARB_get_program_binary"]), None),
    (c::GL_PROGRAM_BINARY_LENGTH, both(41, 30).or(&["GL_ARB_get_program_binary", "GL_OES_get_program_binary"]), None),
    (c::GL_GEOMETRY_VERTICES_OUT, GEOMETRY, Some(c::GL_GEOMETRY_SHADER)),
    (c::GL_GEOMETRY_INPUT_TYPE, GEOMETRY, Some(c::GL_GEOMETRY_SHADER)),
    (c::GL_GEOMETRY_OUTPUT_TYPE, GEOMETRY, Some(c::GL_GEOMETRY_SHADER)),
    (
        c::GL_GEOMETRY_SHADER_INVOCATIONS,
        both(40, 32).or(&["GL_ARB_gpu_shader5", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"]),
        Some(c::GL_GEOMETRY_SHADER),
    ),
    (c::GL_TESS_CONTROL_OUTPUT_VERTICES, TESSELLATION, Some(c::GL_TESS_CONTROL_SHADER)),
    (c::GL_TESS_GEN_MODE, TESSELLATION, Some(c::GL_TESS_EVALUATION_SHADER)),
    (c::GL_TESS_GEN_SPACING, TESSELLATION, Some(c::GL_TESS_EVALUATION_SHADER)),
    (c::GL_TESS_GEN_VERTEX_ORDER, TESSELLATION, Some(c::GL_TESS_EVALUATION_SHADER)),
    (c::GL_TESS_GEN_POINT_MODE, TESSELLATION, Some(c::GL_TESS_EVALUATION_SHADER)),
];
