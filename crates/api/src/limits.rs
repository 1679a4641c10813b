//! Queries whose answers never change in a context: limits, ranges, lists of formats, strings.
//!
//! Capture makes them when a context first becomes current and records the answers as `afiLimits`, which give the model
//! of GL what depends on the implementation. At that moment no error is pending and no debug callback is set, so a
//! query that the context does not know does no harm as long as capture clears its error. A debug context logs
//! errors, so it is asked only for what [`Limit::when`] guarantees.

use crate::constant as c;
use crate::when::{ANY, Client, FIXED, NOWHERE, When, both, desktop, when};

/// A value that never changes in a context.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Its name in GL, such as `GL_MAX_TEXTURE_SIZE`.
    pub name: u32,
    /// How to query it.
    pub query: Query,
    /// The contexts that are guaranteed to have it.
    pub when: When,
}

/// How a value is queried, and the index that its answers are recorded with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// This many integers from `glGetInteger64v`, or `glGetIntegerv` where that does not exist; index 0.
    Integers(u8),
    /// This many floats from `glGetFloatv`; index 0.
    Floats(u8),
    /// A list of integers from `glGetIntegerv`, whose length `glGetIntegerv` gives for this other name; index 0.
    Listed(u32),
    /// One integer from `glGetIntegeri_v` for each index below this.
    Indexed(u8),
}

/// The shader types that `glGetShaderPrecisionFormat` is called with. For each of them and each of [`PRECISIONS`],
/// capture records three integers, two for the range and one for the precision, with the precision type as name and the
/// shader type as index.
pub const PRECISION_SHADERS: [u32; 2] = [c::GL_FRAGMENT_SHADER, c::GL_VERTEX_SHADER];

/// The precision types that `glGetShaderPrecisionFormat` is called with.
pub const PRECISIONS: [u32; 6] =
    [c::GL_LOW_FLOAT, c::GL_MEDIUM_FLOAT, c::GL_HIGH_FLOAT, c::GL_LOW_INT, c::GL_MEDIUM_INT, c::GL_HIGH_INT];

/// The contexts that have `glGetShaderPrecisionFormat`.
pub const PRECISION_WHEN: When = both(41, 20).or(&["GL_ARB_ES2_compatibility"]);

/// Strings, each with the name of the number of strings that `glGetStringi` returns. The result of `glGetString` is
/// recorded with index 0, those of `glGetStringi` with their index plus 1. `GL_EXTENSIONS` is missing because
/// `afiDescribe` has it.
pub const TEXTS: [(u32, u32); 2] = [
    (c::GL_SHADING_LANGUAGE_VERSION, c::GL_NUM_SHADING_LANGUAGE_VERSIONS),
    (c::GL_SPIR_V_EXTENSIONS, c::GL_NUM_SPIR_V_EXTENSIONS),
];

impl Limit {
    /// Returns whether to query it in a context. `debug` tells whether that is a debug context.
    #[must_use]
    pub fn worth_asking(&self, client: Client, version: (u32, u32), debug: bool, has: impl Fn(&str) -> bool) -> bool {
        match self.query {
            // The function may be missing.
            Query::Indexed(_) => self.when.exists(client, version, has),
            _ => !debug || self.when.exists(client, version, has),
        }
    }
}

const fn integer(name: u32, count: u8, when: When) -> Limit {
    Limit { name, query: Query::Integers(count), when }
}

const fn float(name: u32, count: u8, when: When) -> Limit {
    Limit { name, query: Query::Floats(count), when }
}

const fn listed(name: u32, count: u32, when: When) -> Limit {
    Limit { name, query: Query::Listed(count), when }
}

const fn indexed(name: u32, count: u8, when: When) -> Limit {
    Limit { name, query: Query::Indexed(count), when }
}

/// All limits, in the order of their names' values.
#[rustfmt::skip]
pub const LIMITS: &[Limit] = &[
    float(c::GL_POINT_SIZE_RANGE, 2, when(10, 10, true, 255)),
    float(c::GL_POINT_SIZE_GRANULARITY, 1, desktop(10)),
    float(c::GL_LINE_WIDTH_RANGE, 2, when(10, 10, true, 255)),
    float(c::GL_LINE_WIDTH_GRANULARITY, 1, desktop(10)),
    integer(c::GL_MAX_LIST_NESTING, 1, when(255, 10, false, 255)),
    integer(c::GL_AUX_BUFFERS, 1, when(255, 10, false, 255)),
    integer(c::GL_MAX_EVAL_ORDER, 1, when(255, 10, false, 255)),
    integer(c::GL_MAX_LIGHTS, 1, FIXED),
    integer(c::GL_MAX_CLIP_DISTANCES, 1, when(30, 10, true, 255).or(&["GL_IMG_user_clip_plane", "GL_EXT_clip_cull_distance", "GL_APPLE_clip_distance"])),
    integer(c::GL_MAX_TEXTURE_SIZE, 1, ANY),
    integer(c::GL_MAX_PIXEL_MAP_TABLE, 1, when(255, 10, false, 255)),
    integer(c::GL_MAX_ATTRIB_STACK_DEPTH, 1, when(255, 10, false, 255)),
    integer(c::GL_MAX_MODELVIEW_STACK_DEPTH, 1, FIXED.or(&["GL_NV_path_rendering"])),
    integer(c::GL_MAX_NAME_STACK_DEPTH, 1, when(255, 10, false, 255)),
    integer(c::GL_MAX_PROJECTION_STACK_DEPTH, 1, FIXED.or(&["GL_NV_path_rendering"])),
    integer(c::GL_MAX_TEXTURE_STACK_DEPTH, 1, FIXED),
    integer(c::GL_MAX_VIEWPORT_DIMS, 2, ANY),
    integer(c::GL_MAX_CLIENT_ATTRIB_STACK_DEPTH, 1, when(255, 11, false, 255)),
    integer(c::GL_SUBPIXEL_BITS, 1, ANY),
    integer(c::GL_MAX_3D_TEXTURE_SIZE, 1, both(12, 30).or(&["GL_EXT_texture3D", "GL_OES_texture_3D"])),
    integer(c::GL_MAX_ELEMENTS_VERTICES, 1, both(12, 30).or(&["GL_EXT_draw_range_elements"])),
    integer(c::GL_MAX_ELEMENTS_INDICES, 1, both(12, 30).or(&["GL_EXT_draw_range_elements"])),
    integer(c::GL_MAJOR_VERSION, 1, both(30, 30)),
    integer(c::GL_MINOR_VERSION, 1, both(30, 30)),
    integer(c::GL_NUM_EXTENSIONS, 1, both(30, 30)),
    integer(c::GL_CONTEXT_FLAGS, 1, both(30, 32)),
    integer(c::GL_PRIMITIVE_RESTART_FOR_PATCHES_SUPPORTED, 1, both(44, 32).or(&["GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_RESET_NOTIFICATION_STRATEGY, 1, both(45, 32).or(&["GL_KHR_robustness", "GL_ARB_robustness", "GL_EXT_robustness"])),
    integer(c::GL_MAX_VIEWPORTS, 1, desktop(41).or(&["GL_ARB_viewport_array", "GL_NV_viewport_array", "GL_OES_viewport_array"])),
    integer(c::GL_VIEWPORT_SUBPIXEL_BITS, 1, desktop(41).or(&["GL_ARB_viewport_array", "GL_NV_viewport_array", "GL_OES_viewport_array"])),
    float(c::GL_VIEWPORT_BOUNDS_RANGE, 2, desktop(41).or(&["GL_ARB_viewport_array", "GL_NV_viewport_array", "GL_OES_viewport_array"])),
    integer(c::GL_LAYER_PROVOKING_VERTEX, 1, both(41, 32).or(&["GL_ARB_viewport_array", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    integer(c::GL_VIEWPORT_INDEX_PROVOKING_VERTEX, 1, desktop(41).or(&["GL_ARB_viewport_array", "GL_NV_viewport_array", "GL_OES_viewport_array"])),
    integer(c::GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, 1, both(43, 31).or(&["GL_ARB_compute_shader"])),
    integer(c::GL_MAX_COMPUTE_UNIFORM_COMPONENTS, 1, both(43, 31).or(&["GL_ARB_compute_shader"])),
    integer(c::GL_MAX_COMPUTE_ATOMIC_COUNTER_BUFFERS, 1, both(43, 31).or(&["GL_ARB_compute_shader"])),
    integer(c::GL_MAX_COMPUTE_ATOMIC_COUNTERS, 1, both(43, 31).or(&["GL_ARB_compute_shader"])),
    integer(c::GL_MAX_COMBINED_COMPUTE_UNIFORM_COMPONENTS, 1, both(43, 31).or(&["GL_ARB_compute_shader"])),
    integer(c::GL_MAX_DEBUG_GROUP_STACK_DEPTH, 1, both(43, 32).or(&["GL_KHR_debug"])),
    integer(c::GL_MAX_UNIFORM_LOCATIONS, 1, both(43, 31).or(&["GL_ARB_explicit_uniform_location"])),
    integer(c::GL_MAX_VERTEX_ATTRIB_RELATIVE_OFFSET, 1, both(43, 31).or(&["GL_ARB_vertex_attrib_binding"])),
    integer(c::GL_MAX_VERTEX_ATTRIB_BINDINGS, 1, both(43, 31).or(&["GL_ARB_vertex_attrib_binding"])),
    integer(c::GL_MAX_VERTEX_ATTRIB_STRIDE, 1, both(44, 31)),
    integer(c::GL_MAX_LABEL_LENGTH, 1, both(43, 32).or(&["GL_KHR_debug"])),
    integer(c::GL_NUM_SHADING_LANGUAGE_VERSIONS, 1, desktop(43)),
    integer(c::GL_MAX_CULL_DISTANCES, 1, desktop(45).or(&["GL_ARB_cull_distance", "GL_EXT_clip_cull_distance"])),
    integer(c::GL_MAX_COMBINED_CLIP_AND_CULL_DISTANCES, 1, desktop(45).or(&["GL_ARB_cull_distance", "GL_EXT_clip_cull_distance"])),
    integer(c::GL_CONTEXT_RELEASE_BEHAVIOR, 1, desktop(45).or(&["GL_KHR_context_flush_control"])),
    float(c::GL_ALIASED_POINT_SIZE_RANGE, 2, when(255, 12, true, 20)),
    float(c::GL_ALIASED_LINE_WIDTH_RANGE, 2, when(12, 12, true, 20)),
    integer(c::GL_MAX_TEXTURE_UNITS, 1, when(255, 13, true, 255).or(&["GL_ARB_multitexture"])),
    integer(c::GL_MAX_RENDERBUFFER_SIZE, 1, both(30, 20).or(&["GL_ARB_framebuffer_object", "GL_EXT_framebuffer_object", "GL_OES_framebuffer_object"])),
    integer(c::GL_MAX_RECTANGLE_TEXTURE_SIZE, 1, desktop(31).or(&["GL_ARB_texture_rectangle", "GL_NV_texture_rectangle"])),
    float(c::GL_MAX_TEXTURE_LOD_BIAS, 1, both(14, 30).or(&["GL_EXT_texture_lod_bias"])),
    float(c::GL_MAX_TEXTURE_MAX_ANISOTROPY, 1, desktop(46).or(&["GL_ARB_texture_filter_anisotropic", "GL_EXT_texture_filter_anisotropic"])),
    integer(c::GL_MAX_SHININESS_NV, 1, NOWHERE.or(&["GL_NV_light_max_exponent"])),
    integer(c::GL_MAX_SPOT_EXPONENT_NV, 1, NOWHERE.or(&["GL_NV_light_max_exponent"])),
    integer(c::GL_MAX_CUBE_MAP_TEXTURE_SIZE, 1, both(13, 20).or(&["GL_ARB_texture_cube_map", "GL_EXT_texture_cube_map", "GL_OES_texture_cube_map"])),
    integer(c::GL_MAX_PROGRAM_MATRIX_STACK_DEPTH_ARB, 1, NOWHERE.or(&["GL_ARB_fragment_program", "GL_ARB_vertex_program", "GL_NV_vertex_program"])),
    integer(c::GL_MAX_PROGRAM_MATRICES_ARB, 1, NOWHERE.or(&["GL_ARB_fragment_program", "GL_ARB_vertex_program", "GL_NV_vertex_program"])),
    integer(c::GL_NUM_COMPRESSED_TEXTURE_FORMATS, 1, when(13, 13, true, 20).or(&["GL_ARB_texture_compression"])),
    listed(c::GL_COMPRESSED_TEXTURE_FORMATS, c::GL_NUM_COMPRESSED_TEXTURE_FORMATS, when(13, 13, true, 20).or(&["GL_ARB_texture_compression"])),
    integer(c::GL_NUM_PROGRAM_BINARY_FORMATS, 1, both(41, 30).or(&["GL_ARB_get_program_binary", "GL_OES_get_program_binary"])),
    listed(c::GL_PROGRAM_BINARY_FORMATS, c::GL_NUM_PROGRAM_BINARY_FORMATS, both(41, 30).or(&["GL_ARB_get_program_binary", "GL_OES_get_program_binary"])),
    integer(c::GL_MAX_DRAW_BUFFERS, 1, both(20, 30).or(&["GL_ARB_draw_buffers", "GL_ATI_draw_buffers", "GL_EXT_draw_buffers", "GL_NV_draw_buffers"])),
    integer(c::GL_MAX_VERTEX_ATTRIBS, 1, both(20, 20).or(&["GL_ARB_vertex_program", "GL_ARB_vertex_shader"])),
    integer(c::GL_MAX_TESS_CONTROL_INPUT_COMPONENTS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_EVALUATION_INPUT_COMPONENTS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TEXTURE_COORDS, 1, when(255, 20, false, 255).or(&["GL_ARB_fragment_program", "GL_ARB_vertex_shader", "GL_NV_fragment_program"])),
    integer(c::GL_MAX_TEXTURE_IMAGE_UNITS, 1, both(20, 20).or(&["GL_ARB_fragment_program", "GL_ARB_vertex_shader", "GL_NV_fragment_program"])),
    integer(c::GL_MAX_DUAL_SOURCE_DRAW_BUFFERS, 1, desktop(33).or(&["GL_ARB_blend_func_extended", "GL_EXT_blend_func_extended"])),
    integer(c::GL_MAX_ARRAY_TEXTURE_LAYERS, 1, both(30, 30).or(&["GL_EXT_texture_array"])),
    integer(c::GL_MIN_PROGRAM_TEXEL_OFFSET, 1, both(30, 30).or(&["GL_EXT_gpu_shader4", "GL_NV_gpu_program4"])),
    integer(c::GL_MAX_PROGRAM_TEXEL_OFFSET, 1, both(30, 30).or(&["GL_EXT_gpu_shader4", "GL_NV_gpu_program4"])),
    integer(c::GL_NUM_FRAGMENT_REGISTERS_ATI, 1, NOWHERE.or(&["GL_ATI_fragment_shader"])),
    integer(c::GL_NUM_FRAGMENT_CONSTANTS_ATI, 1, NOWHERE.or(&["GL_ATI_fragment_shader"])),
    integer(c::GL_NUM_PASSES_ATI, 1, NOWHERE.or(&["GL_ATI_fragment_shader"])),
    integer(c::GL_NUM_INSTRUCTIONS_PER_PASS_ATI, 1, NOWHERE.or(&["GL_ATI_fragment_shader"])),
    integer(c::GL_NUM_INSTRUCTIONS_TOTAL_ATI, 1, NOWHERE.or(&["GL_ATI_fragment_shader"])),
    integer(c::GL_NUM_INPUT_INTERPOLATOR_COMPONENTS_ATI, 1, NOWHERE.or(&["GL_ATI_fragment_shader"])),
    integer(c::GL_NUM_LOOPBACK_COMPONENTS_ATI, 1, NOWHERE.or(&["GL_ATI_fragment_shader"])),
    integer(c::GL_COLOR_ALPHA_PAIRING_ATI, 1, NOWHERE.or(&["GL_ATI_fragment_shader"])),
    integer(c::GL_MAX_VERTEX_UNIFORM_BLOCKS, 1, both(31, 30).or(&["GL_ARB_uniform_buffer_object"])),
    integer(c::GL_MAX_GEOMETRY_UNIFORM_BLOCKS, 1, both(31, 32).or(&["GL_ARB_uniform_buffer_object", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_FRAGMENT_UNIFORM_BLOCKS, 1, both(31, 30).or(&["GL_ARB_uniform_buffer_object"])),
    integer(c::GL_MAX_COMBINED_UNIFORM_BLOCKS, 1, both(31, 30).or(&["GL_ARB_uniform_buffer_object"])),
    integer(c::GL_MAX_UNIFORM_BUFFER_BINDINGS, 1, both(31, 30).or(&["GL_ARB_uniform_buffer_object"])),
    integer(c::GL_MAX_UNIFORM_BLOCK_SIZE, 1, both(31, 30).or(&["GL_ARB_uniform_buffer_object"])),
    integer(c::GL_MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS, 1, both(31, 30).or(&["GL_ARB_uniform_buffer_object"])),
    integer(c::GL_MAX_COMBINED_GEOMETRY_UNIFORM_COMPONENTS, 1, both(31, 32).or(&["GL_ARB_uniform_buffer_object", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS, 1, both(31, 30).or(&["GL_ARB_uniform_buffer_object"])),
    integer(c::GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, 1, both(31, 30).or(&["GL_ARB_uniform_buffer_object"])),
    // On the desktop, Mesa has the extension but not this value.
    integer(c::GL_FRAGMENT_SHADER_DISCARDS_SAMPLES_EXT, 1, NOWHERE),
    integer(c::GL_MAX_FRAGMENT_UNIFORM_COMPONENTS, 1, both(20, 30).or(&["GL_ARB_fragment_shader"])),
    integer(c::GL_MAX_VERTEX_UNIFORM_COMPONENTS, 1, both(20, 30).or(&["GL_ARB_vertex_shader"])),
    integer(c::GL_MAX_VARYING_COMPONENTS, 1, both(20, 30).or(&["GL_ARB_geometry_shader4", "GL_EXT_geometry_shader4", "GL_ARB_vertex_shader"])),
    integer(c::GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS, 1, both(20, 20).or(&["GL_ARB_vertex_shader", "GL_NV_vertex_program3"])),
    integer(c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 1, both(20, 20).or(&["GL_ARB_vertex_shader"])),
    integer(c::GL_MAX_GEOMETRY_TEXTURE_IMAGE_UNITS, 1, both(32, 32).or(&["GL_ARB_geometry_shader4", "GL_EXT_geometry_shader", "GL_EXT_geometry_shader4", "GL_NV_geometry_program4", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_TEXTURE_BUFFER_SIZE, 1, both(31, 32).or(&["GL_ARB_texture_buffer_object", "GL_EXT_texture_buffer", "GL_EXT_texture_buffer_object", "GL_OES_texture_buffer"])),
    integer(c::GL_RGBA_SIGNED_COMPONENTS_EXT, 4, NOWHERE.or(&["GL_EXT_packed_float"])),
    integer(c::GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS, 1, both(30, 30).or(&["GL_EXT_transform_feedback", "GL_NV_transform_feedback"])),
    integer(c::GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, 1, both(30, 30).or(&["GL_EXT_transform_feedback", "GL_NV_transform_feedback"])),
    integer(c::GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS, 1, both(30, 30).or(&["GL_EXT_transform_feedback", "GL_NV_transform_feedback"])),
    integer(c::GL_MAX_COLOR_ATTACHMENTS, 1, both(30, 30).or(&["GL_ARB_framebuffer_object", "GL_EXT_draw_buffers", "GL_EXT_framebuffer_object", "GL_NV_fbo_color_attachments"])),
    integer(c::GL_MAX_SAMPLES, 1, both(30, 30).or(&["GL_ARB_framebuffer_object", "GL_ANGLE_framebuffer_multisample", "GL_APPLE_framebuffer_multisample", "GL_EXT_framebuffer_multisample", "GL_EXT_multisampled_render_to_texture", "GL_NV_framebuffer_multisample"])),
    integer(c::GL_MAX_ELEMENT_INDEX, 1, both(43, 30).or(&["GL_ARB_ES3_compatibility"])),
    integer(c::GL_MAX_GEOMETRY_UNIFORM_COMPONENTS, 1, both(32, 32).or(&["GL_ARB_geometry_shader4", "GL_EXT_geometry_shader", "GL_EXT_geometry_shader4", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_GEOMETRY_OUTPUT_VERTICES, 1, both(32, 32).or(&["GL_ARB_geometry_shader4", "GL_EXT_geometry_shader", "GL_EXT_geometry_shader4", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS, 1, both(32, 32).or(&["GL_ARB_geometry_shader4", "GL_EXT_geometry_shader", "GL_EXT_geometry_shader4", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_SUBROUTINES, 1, desktop(40).or(&["GL_ARB_shader_subroutine"])),
    integer(c::GL_MAX_SUBROUTINE_UNIFORM_LOCATIONS, 1, desktop(40).or(&["GL_ARB_shader_subroutine"])),
    listed(c::GL_SHADER_BINARY_FORMATS, c::GL_NUM_SHADER_BINARY_FORMATS, both(41, 20).or(&["GL_ARB_ES2_compatibility"])),
    integer(c::GL_NUM_SHADER_BINARY_FORMATS, 1, both(41, 20).or(&["GL_ARB_ES2_compatibility"])),
    integer(c::GL_SHADER_COMPILER, 1, both(41, 20).or(&["GL_ARB_ES2_compatibility"])),
    integer(c::GL_MAX_VERTEX_UNIFORM_VECTORS, 1, both(41, 20).or(&["GL_ARB_ES2_compatibility"])),
    integer(c::GL_MAX_VARYING_VECTORS, 1, both(41, 20).or(&["GL_ARB_ES2_compatibility"])),
    integer(c::GL_MAX_FRAGMENT_UNIFORM_VECTORS, 1, both(41, 20).or(&["GL_ARB_ES2_compatibility"])),
    integer(c::GL_MAX_COMBINED_TESS_CONTROL_UNIFORM_COMPONENTS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_COMBINED_TESS_EVALUATION_UNIFORM_COMPONENTS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION, 1, desktop(32).or(&["GL_ARB_provoking_vertex", "GL_EXT_provoking_vertex"])),
    integer(c::GL_MAX_SAMPLE_MASK_WORDS, 1, both(32, 31).or(&["GL_ARB_texture_multisample", "GL_NV_explicit_multisample"])),
    integer(c::GL_MAX_GEOMETRY_SHADER_INVOCATIONS, 1, both(40, 32).or(&["GL_NV_gpu_program5", "GL_ARB_gpu_shader5", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    float(c::GL_MIN_FRAGMENT_INTERPOLATION_OFFSET, 1, both(40, 32).or(&["GL_ARB_gpu_shader5", "GL_OES_shader_multisample_interpolation", "GL_NV_gpu_program5"])),
    float(c::GL_MAX_FRAGMENT_INTERPOLATION_OFFSET, 1, both(40, 32).or(&["GL_ARB_gpu_shader5", "GL_OES_shader_multisample_interpolation", "GL_NV_gpu_program5"])),
    integer(c::GL_FRAGMENT_INTERPOLATION_OFFSET_BITS, 1, both(40, 32).or(&["GL_ARB_gpu_shader5", "GL_OES_shader_multisample_interpolation", "GL_NV_gpu_program5"])),
    integer(c::GL_MIN_PROGRAM_TEXTURE_GATHER_OFFSET, 1, both(40, 31).or(&["GL_ARB_texture_gather", "GL_NV_gpu_program5"])),
    integer(c::GL_MAX_PROGRAM_TEXTURE_GATHER_OFFSET, 1, both(40, 31).or(&["GL_ARB_texture_gather", "GL_NV_gpu_program5"])),
    integer(c::GL_MAX_TRANSFORM_FEEDBACK_BUFFERS, 1, desktop(40).or(&["GL_ARB_transform_feedback3"])),
    integer(c::GL_MAX_VERTEX_STREAMS, 1, desktop(40).or(&["GL_ARB_gpu_shader5", "GL_ARB_transform_feedback3"])),
    integer(c::GL_MAX_PATCH_VERTICES, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_GEN_LEVEL, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_CONTROL_UNIFORM_COMPONENTS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_EVALUATION_UNIFORM_COMPONENTS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_CONTROL_TEXTURE_IMAGE_UNITS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_EVALUATION_TEXTURE_IMAGE_UNITS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_CONTROL_OUTPUT_COMPONENTS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_PATCH_COMPONENTS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_EVALUATION_OUTPUT_COMPONENTS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_CONTROL_UNIFORM_BLOCKS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_EVALUATION_UNIFORM_BLOCKS, 1, both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_IMAGE_UNITS, 1, both(42, 31).or(&["GL_ARB_shader_image_load_store", "GL_EXT_shader_image_load_store"])),
    integer(c::GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES, 1, both(42, 31).or(&["GL_ARB_shader_image_load_store", "GL_ARB_shader_storage_buffer_object", "GL_EXT_shader_image_load_store"])),
    integer(c::GL_MAX_PROGRAM_TEXTURE_GATHER_COMPONENTS_ARB, 1, NOWHERE.or(&["GL_ARB_texture_gather"])),
    integer(c::GL_MAX_IMAGE_SAMPLES, 1, desktop(42).or(&["GL_ARB_shader_image_load_store", "GL_EXT_shader_image_load_store"])),
    integer(c::GL_MIN_MAP_BUFFER_ALIGNMENT, 1, desktop(42).or(&["GL_ARB_map_buffer_alignment"])),
    integer(c::GL_MAX_VERTEX_IMAGE_UNIFORMS, 1, both(42, 31).or(&["GL_ARB_shader_image_load_store"])),
    integer(c::GL_MAX_TESS_CONTROL_IMAGE_UNIFORMS, 1, both(42, 32).or(&["GL_ARB_shader_image_load_store", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_EVALUATION_IMAGE_UNIFORMS, 1, both(42, 32).or(&["GL_ARB_shader_image_load_store", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_GEOMETRY_IMAGE_UNIFORMS, 1, both(42, 32).or(&["GL_ARB_shader_image_load_store", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_FRAGMENT_IMAGE_UNIFORMS, 1, both(42, 31).or(&["GL_ARB_shader_image_load_store"])),
    integer(c::GL_MAX_COMBINED_IMAGE_UNIFORMS, 1, both(42, 31).or(&["GL_ARB_shader_image_load_store"])),
    integer(c::GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, 1, both(43, 31).or(&["GL_ARB_shader_storage_buffer_object"])),
    integer(c::GL_MAX_GEOMETRY_SHADER_STORAGE_BLOCKS, 1, both(43, 32).or(&["GL_ARB_shader_storage_buffer_object", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_TESS_CONTROL_SHADER_STORAGE_BLOCKS, 1, both(43, 32).or(&["GL_ARB_shader_storage_buffer_object", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_EVALUATION_SHADER_STORAGE_BLOCKS, 1, both(43, 32).or(&["GL_ARB_shader_storage_buffer_object", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS, 1, both(43, 31).or(&["GL_ARB_shader_storage_buffer_object"])),
    integer(c::GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, 1, both(43, 31).or(&["GL_ARB_shader_storage_buffer_object"])),
    integer(c::GL_MAX_COMBINED_SHADER_STORAGE_BLOCKS, 1, both(43, 31).or(&["GL_ARB_shader_storage_buffer_object"])),
    integer(c::GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS, 1, both(43, 31).or(&["GL_ARB_shader_storage_buffer_object"])),
    integer(c::GL_MAX_SHADER_STORAGE_BLOCK_SIZE, 1, both(43, 31).or(&["GL_ARB_shader_storage_buffer_object"])),
    integer(c::GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, 1, both(43, 31).or(&["GL_ARB_shader_storage_buffer_object"])),
    integer(c::GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, 1, both(43, 31).or(&["GL_ARB_compute_shader", "GL_ARB_compute_variable_group_size"])),
    integer(c::GL_CONTEXT_ROBUST_ACCESS, 1, NOWHERE.or(&["GL_KHR_robustness", "GL_EXT_robustness"])),
    integer(c::GL_MAX_COLOR_TEXTURE_SAMPLES, 1, both(32, 31).or(&["GL_ARB_texture_multisample"])),
    integer(c::GL_MAX_DEPTH_TEXTURE_SAMPLES, 1, both(32, 31).or(&["GL_ARB_texture_multisample"])),
    integer(c::GL_MAX_INTEGER_SAMPLES, 1, both(32, 31).or(&["GL_ARB_texture_multisample"])),
    integer(c::GL_MAX_SERVER_WAIT_TIMEOUT, 1, both(32, 30).or(&["GL_ARB_sync", "GL_APPLE_sync"])),
    integer(c::GL_MAX_VERTEX_OUTPUT_COMPONENTS, 1, both(32, 30)),
    integer(c::GL_MAX_GEOMETRY_INPUT_COMPONENTS, 1, both(32, 32).or(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_GEOMETRY_OUTPUT_COMPONENTS, 1, both(32, 32).or(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_FRAGMENT_INPUT_COMPONENTS, 1, both(32, 30)),
    integer(c::GL_CONTEXT_PROFILE_MASK, 1, desktop(32)),
    integer(c::GL_MAX_DEBUG_MESSAGE_LENGTH, 1, both(43, 32).or(&["GL_KHR_debug", "GL_AMD_debug_output", "GL_ARB_debug_output"])),
    integer(c::GL_MAX_DEBUG_LOGGED_MESSAGES, 1, both(43, 32).or(&["GL_KHR_debug", "GL_AMD_debug_output", "GL_ARB_debug_output"])),
    integer(c::GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT, 1, both(43, 32).or(&["GL_ARB_texture_buffer_range", "GL_EXT_texture_buffer", "GL_OES_texture_buffer"])),
    integer(c::GL_MAX_COMPUTE_UNIFORM_BLOCKS, 1, both(43, 31).or(&["GL_ARB_compute_shader"])),
    integer(c::GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS, 1, both(43, 31).or(&["GL_ARB_compute_shader"])),
    integer(c::GL_MAX_COMPUTE_IMAGE_UNIFORMS, 1, both(43, 31).or(&["GL_ARB_compute_shader"])),
    indexed(c::GL_MAX_COMPUTE_WORK_GROUP_COUNT, 3, both(43, 31).or(&["GL_ARB_compute_shader"])),
    indexed(c::GL_MAX_COMPUTE_WORK_GROUP_SIZE, 3, both(43, 31).or(&["GL_ARB_compute_shader", "GL_ARB_compute_variable_group_size"])),
    integer(c::GL_MAX_VERTEX_ATOMIC_COUNTER_BUFFERS, 1, both(42, 31).or(&["GL_ARB_shader_atomic_counters"])),
    integer(c::GL_MAX_TESS_CONTROL_ATOMIC_COUNTER_BUFFERS, 1, both(42, 32).or(&["GL_ARB_shader_atomic_counters", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_EVALUATION_ATOMIC_COUNTER_BUFFERS, 1, both(42, 32).or(&["GL_ARB_shader_atomic_counters", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_GEOMETRY_ATOMIC_COUNTER_BUFFERS, 1, both(42, 32).or(&["GL_ARB_shader_atomic_counters", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_FRAGMENT_ATOMIC_COUNTER_BUFFERS, 1, both(42, 31).or(&["GL_ARB_shader_atomic_counters"])),
    integer(c::GL_MAX_COMBINED_ATOMIC_COUNTER_BUFFERS, 1, both(42, 31).or(&["GL_ARB_shader_atomic_counters"])),
    integer(c::GL_MAX_VERTEX_ATOMIC_COUNTERS, 1, both(42, 31).or(&["GL_ARB_shader_atomic_counters"])),
    integer(c::GL_MAX_TESS_CONTROL_ATOMIC_COUNTERS, 1, both(42, 32).or(&["GL_ARB_shader_atomic_counters", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_TESS_EVALUATION_ATOMIC_COUNTERS, 1, both(42, 32).or(&["GL_ARB_shader_atomic_counters", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])),
    integer(c::GL_MAX_GEOMETRY_ATOMIC_COUNTERS, 1, both(42, 32).or(&["GL_ARB_shader_atomic_counters", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_FRAGMENT_ATOMIC_COUNTERS, 1, both(42, 31).or(&["GL_ARB_shader_atomic_counters"])),
    integer(c::GL_MAX_COMBINED_ATOMIC_COUNTERS, 1, both(42, 31).or(&["GL_ARB_shader_atomic_counters"])),
    integer(c::GL_MAX_ATOMIC_COUNTER_BUFFER_SIZE, 1, both(42, 31).or(&["GL_ARB_shader_atomic_counters"])),
    integer(c::GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS, 1, both(42, 31).or(&["GL_ARB_shader_atomic_counters"])),
    integer(c::GL_MAX_FRAMEBUFFER_WIDTH, 1, both(43, 31).or(&["GL_ARB_framebuffer_no_attachments"])),
    integer(c::GL_MAX_FRAMEBUFFER_HEIGHT, 1, both(43, 31).or(&["GL_ARB_framebuffer_no_attachments"])),
    integer(c::GL_MAX_FRAMEBUFFER_LAYERS, 1, both(43, 32).or(&["GL_ARB_framebuffer_no_attachments", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    integer(c::GL_MAX_FRAMEBUFFER_SAMPLES, 1, both(43, 31).or(&["GL_ARB_framebuffer_no_attachments"])),
    integer(c::GL_SAMPLE_LOCATION_SUBPIXEL_BITS_NV, 1, NOWHERE.or(&["GL_ARB_sample_locations", "GL_NV_sample_locations"])),
    integer(c::GL_SAMPLE_LOCATION_PIXEL_GRID_WIDTH_NV, 1, NOWHERE.or(&["GL_ARB_sample_locations", "GL_NV_sample_locations"])),
    integer(c::GL_SAMPLE_LOCATION_PIXEL_GRID_HEIGHT_NV, 1, NOWHERE.or(&["GL_ARB_sample_locations", "GL_NV_sample_locations"])),
    integer(c::GL_PROGRAMMABLE_SAMPLE_LOCATION_TABLE_SIZE_NV, 1, NOWHERE.or(&["GL_ARB_sample_locations", "GL_NV_sample_locations"])),
    integer(c::GL_SUBPIXEL_PRECISION_BIAS_X_BITS_NV, 1, NOWHERE.or(&["GL_NV_conservative_raster"])),
    integer(c::GL_SUBPIXEL_PRECISION_BIAS_Y_BITS_NV, 1, NOWHERE.or(&["GL_NV_conservative_raster"])),
    float(c::GL_CONSERVATIVE_RASTER_DILATE_RANGE_NV, 2, NOWHERE.or(&["GL_NV_conservative_raster_dilate"])),
    float(c::GL_CONSERVATIVE_RASTER_DILATE_GRANULARITY_NV, 1, NOWHERE.or(&["GL_NV_conservative_raster_dilate"])),
    float(c::GL_MULTISAMPLE_LINE_WIDTH_RANGE, 2, both(255, 32).or(&["GL_ARB_ES3_2_compatibility"])),
    float(c::GL_MULTISAMPLE_LINE_WIDTH_GRANULARITY, 1, both(255, 32).or(&["GL_ARB_ES3_2_compatibility"])),
    integer(c::GL_NUM_SPIR_V_EXTENSIONS, 1, desktop(46).or(&["GL_ARB_spirv_extensions"])),
    integer(c::GL_NUM_DEVICE_UUIDS_EXT, 1, NOWHERE.or(&["GL_EXT_memory_object", "GL_EXT_semaphore"])),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_listed_once() {
        assert!(LIMITS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn a_debug_context_is_asked_only_for_what_it_has() {
        let lights = LIMITS.iter().find(|limit| limit.name == c::GL_MAX_LIGHTS).unwrap();
        assert!(lights.worth_asking(Client::Core, (4, 5), false, |_| false));
        assert!(!lights.worth_asking(Client::Core, (4, 5), true, |_| false));
        assert!(lights.worth_asking(Client::Es1, (1, 1), true, |_| false));
    }
}
