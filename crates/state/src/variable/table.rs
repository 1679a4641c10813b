//! The table of variables.

use api::constant as c;

use super::{ANY, NumberType, Var, Variable, When, both, desktop, variables, when};

/// Contexts with fixed functions, and core contexts: Mesa answers there too, though nothing can change them.
const NOT_ES2: When = when(10, 10, true, 255);

variables! {
    // Capabilities. Those that are indexed in some versions have a value for each index.
    BLEND / GL_BLEND: Boolean 1 x 8 = [0], ANY;
    SCISSOR_TEST / GL_SCISSOR_TEST: Boolean 1 x 16 = [0], ANY;
    CULL_FACE / GL_CULL_FACE: Boolean 1 x 1 = [0], ANY;
    DEPTH_TEST / GL_DEPTH_TEST: Boolean 1 x 1 = [0], ANY;
    STENCIL_TEST / GL_STENCIL_TEST: Boolean 1 x 1 = [0], ANY;
    COLOR_LOGIC_OP / GL_COLOR_LOGIC_OP: Boolean 1 x 1 = [0], NOT_ES2;
    POLYGON_OFFSET_FILL / GL_POLYGON_OFFSET_FILL: Boolean 1 x 1 = [0], ANY;
    POLYGON_OFFSET_POINT / GL_POLYGON_OFFSET_POINT: Boolean 1 x 1 = [0], desktop(10);
    POLYGON_OFFSET_LINE / GL_POLYGON_OFFSET_LINE: Boolean 1 x 1 = [0], desktop(10);
    POLYGON_SMOOTH / GL_POLYGON_SMOOTH: Boolean 1 x 1 = [0], desktop(10);
    LINE_SMOOTH / GL_LINE_SMOOTH: Boolean 1 x 1 = [0], NOT_ES2;
    SAMPLE_ALPHA_TO_COVERAGE / GL_SAMPLE_ALPHA_TO_COVERAGE: Boolean 1 x 1 = [0], ANY;
    SAMPLE_ALPHA_TO_ONE / GL_SAMPLE_ALPHA_TO_ONE: Boolean 1 x 1 = [0], NOT_ES2;
    SAMPLE_COVERAGE / GL_SAMPLE_COVERAGE: Boolean 1 x 1 = [0], ANY;
    SAMPLE_SHADING / GL_SAMPLE_SHADING: Boolean 1 x 1 = [0],
        when(40, 40, true, 32).or(&["GL_ARB_sample_shading", "GL_OES_sample_shading"]);
    SAMPLE_MASK / GL_SAMPLE_MASK: Boolean 1 x 1 = [0], both(32, 31).or(&["GL_ARB_texture_multisample"]);
    RASTERIZER_DISCARD / GL_RASTERIZER_DISCARD: Boolean 1 x 1 = [0], both(30, 30).or(&["GL_EXT_transform_feedback"]);
    PRIMITIVE_RESTART / GL_PRIMITIVE_RESTART: Boolean 1 x 1 = [0], desktop(31);
    PRIMITIVE_RESTART_FIXED_INDEX / GL_PRIMITIVE_RESTART_FIXED_INDEX: Boolean 1 x 1 = [0],
        both(43, 30).or(&["GL_ARB_ES3_compatibility"]);
    FRAMEBUFFER_SRGB / GL_FRAMEBUFFER_SRGB: Boolean 1 x 1 = [0],
        desktop(30).or(&["GL_ARB_framebuffer_sRGB", "GL_EXT_sRGB_write_control"]);
    DEPTH_CLAMP / GL_DEPTH_CLAMP: Boolean 1 x 1 = [0], desktop(32).or(&["GL_ARB_depth_clamp"]);
    PROGRAM_POINT_SIZE / GL_PROGRAM_POINT_SIZE: Boolean 1 x 1 = [0], desktop(10);
    TEXTURE_CUBE_MAP_SEAMLESS / GL_TEXTURE_CUBE_MAP_SEAMLESS: Boolean 1 x 1 = [0],
        desktop(32).or(&["GL_ARB_seamless_cube_map", "GL_ARB_seamless_cubemap_per_texture"]);
    DITHER / GL_DITHER: Boolean 1 x 1 = [1], ANY;
    MULTISAMPLE / GL_MULTISAMPLE: Boolean 1 x 1 = [1], NOT_ES2;
    BLEND_ADVANCED_COHERENT_KHR / GL_BLEND_ADVANCED_COHERENT_KHR: Boolean 1 x 1 = [1],
        when(10, 255, false, 255).or(&["GL_KHR_blend_equation_advanced_coherent"]);
    DEBUG_OUTPUT / GL_DEBUG_OUTPUT: Boolean 1 x 1 = [0], when(43, 43, true, 32).or(&["GL_KHR_debug"]);
    DEBUG_OUTPUT_SYNCHRONOUS / GL_DEBUG_OUTPUT_SYNCHRONOUS: Boolean 1 x 1 = [0],
        when(43, 43, true, 32).or(&["GL_KHR_debug", "GL_ARB_debug_output"]);
    CLIP_DISTANCE0 / GL_CLIP_DISTANCE0: Boolean 1 x 1 = [0], when(30, 10, true, 255);
    CLIP_DISTANCE1 / GL_CLIP_DISTANCE1: Boolean 1 x 1 = [0], when(30, 10, true, 255);
    CLIP_DISTANCE2 / GL_CLIP_DISTANCE2: Boolean 1 x 1 = [0], when(30, 10, true, 255);
    CLIP_DISTANCE3 / GL_CLIP_DISTANCE3: Boolean 1 x 1 = [0], when(30, 10, true, 255);
    CLIP_DISTANCE4 / GL_CLIP_DISTANCE4: Boolean 1 x 1 = [0], when(30, 10, true, 255);
    CLIP_DISTANCE5 / GL_CLIP_DISTANCE5: Boolean 1 x 1 = [0], when(30, 10, true, 255);
    CLIP_DISTANCE6 / GL_CLIP_DISTANCE6: Boolean 1 x 1 = [0], when(30, 30, true, 255);
    CLIP_DISTANCE7 / GL_CLIP_DISTANCE7: Boolean 1 x 1 = [0], when(30, 30, true, 255);

    // Fixed-function capabilities.
    ALPHA_TEST / GL_ALPHA_TEST: Boolean 1 x 1 = [0], NOT_ES2;
    POINT_SMOOTH / GL_POINT_SMOOTH: Boolean 1 x 1 = [0], NOT_ES2;
    LINE_STIPPLE / GL_LINE_STIPPLE: Boolean 1 x 1 = [0], desktop(10);
    POLYGON_STIPPLE / GL_POLYGON_STIPPLE: Boolean 1 x 1 = [0], desktop(10);
    LIGHTING / GL_LIGHTING: Boolean 1 x 1 = [0], NOT_ES2;
    COLOR_MATERIAL / GL_COLOR_MATERIAL: Boolean 1 x 1 = [0], NOT_ES2;
    FOG / GL_FOG: Boolean 1 x 1 = [0], NOT_ES2;
    NORMALIZE / GL_NORMALIZE: Boolean 1 x 1 = [0], NOT_ES2;
    RESCALE_NORMAL / GL_RESCALE_NORMAL: Boolean 1 x 1 = [0], NOT_ES2;
    INDEX_LOGIC_OP / GL_INDEX_LOGIC_OP: Boolean 1 x 1 = [0], desktop(10);
    COLOR_SUM / GL_COLOR_SUM: Boolean 1 x 1 = [0], desktop(10);
    POINT_SPRITE / GL_POINT_SPRITE: Boolean 1 x 1 = [0], NOT_ES2;
    STENCIL_TEST_TWO_SIDE_EXT / GL_STENCIL_TEST_TWO_SIDE_EXT: Boolean 1 x 1 = [0],
        when(10, 255, false, 255).or(&["GL_EXT_stencil_two_side"]);
    VERTEX_PROGRAM_ARB / GL_VERTEX_PROGRAM_ARB: Boolean 1 x 1 = [0],
        when(10, 255, false, 255).or(&["GL_ARB_vertex_program"]);
    VERTEX_PROGRAM_TWO_SIDE / GL_VERTEX_PROGRAM_TWO_SIDE: Boolean 1 x 1 = [0], desktop(10);
    FRAGMENT_PROGRAM_ARB / GL_FRAGMENT_PROGRAM_ARB: Boolean 1 x 1 = [0],
        when(10, 255, false, 255).or(&["GL_ARB_fragment_program"]);
    FRAGMENT_SHADER_ATI / GL_FRAGMENT_SHADER_ATI: Boolean 1 x 1 = [0],
        when(10, 255, false, 255).or(&["GL_ATI_fragment_shader"]);
    RASTER_POSITION_UNCLIPPED_IBM / GL_RASTER_POSITION_UNCLIPPED_IBM: Boolean 1 x 1 = [0],
        when(10, 255, false, 255).or(&["GL_IBM_rasterpos_clip"]);
    AUTO_NORMAL / GL_AUTO_NORMAL: Boolean 1 x 1 = [0], desktop(10);
    LIGHT0 / GL_LIGHT0: Boolean 1 x 1 = [0], NOT_ES2;
    LIGHT1 / GL_LIGHT1: Boolean 1 x 1 = [0], NOT_ES2;
    LIGHT2 / GL_LIGHT2: Boolean 1 x 1 = [0], NOT_ES2;
    LIGHT3 / GL_LIGHT3: Boolean 1 x 1 = [0], NOT_ES2;
    LIGHT4 / GL_LIGHT4: Boolean 1 x 1 = [0], NOT_ES2;
    LIGHT5 / GL_LIGHT5: Boolean 1 x 1 = [0], NOT_ES2;
    LIGHT6 / GL_LIGHT6: Boolean 1 x 1 = [0], NOT_ES2;
    LIGHT7 / GL_LIGHT7: Boolean 1 x 1 = [0], NOT_ES2;
    MAP1_COLOR_4 / GL_MAP1_COLOR_4: Boolean 1 x 1 = [0], desktop(10);
    MAP1_INDEX / GL_MAP1_INDEX: Boolean 1 x 1 = [0], desktop(10);
    MAP1_NORMAL / GL_MAP1_NORMAL: Boolean 1 x 1 = [0], desktop(10);
    MAP1_TEXTURE_COORD_1 / GL_MAP1_TEXTURE_COORD_1: Boolean 1 x 1 = [0], desktop(10);
    MAP1_TEXTURE_COORD_2 / GL_MAP1_TEXTURE_COORD_2: Boolean 1 x 1 = [0], desktop(10);
    MAP1_TEXTURE_COORD_3 / GL_MAP1_TEXTURE_COORD_3: Boolean 1 x 1 = [0], desktop(10);
    MAP1_TEXTURE_COORD_4 / GL_MAP1_TEXTURE_COORD_4: Boolean 1 x 1 = [0], desktop(10);
    MAP1_VERTEX_3 / GL_MAP1_VERTEX_3: Boolean 1 x 1 = [0], desktop(10);
    MAP1_VERTEX_4 / GL_MAP1_VERTEX_4: Boolean 1 x 1 = [0], desktop(10);
    MAP2_COLOR_4 / GL_MAP2_COLOR_4: Boolean 1 x 1 = [0], desktop(10);
    MAP2_INDEX / GL_MAP2_INDEX: Boolean 1 x 1 = [0], desktop(10);
    MAP2_NORMAL / GL_MAP2_NORMAL: Boolean 1 x 1 = [0], desktop(10);
    MAP2_TEXTURE_COORD_1 / GL_MAP2_TEXTURE_COORD_1: Boolean 1 x 1 = [0], desktop(10);
    MAP2_TEXTURE_COORD_2 / GL_MAP2_TEXTURE_COORD_2: Boolean 1 x 1 = [0], desktop(10);
    MAP2_TEXTURE_COORD_3 / GL_MAP2_TEXTURE_COORD_3: Boolean 1 x 1 = [0], desktop(10);
    MAP2_TEXTURE_COORD_4 / GL_MAP2_TEXTURE_COORD_4: Boolean 1 x 1 = [0], desktop(10);
    MAP2_VERTEX_3 / GL_MAP2_VERTEX_3: Boolean 1 x 1 = [0], desktop(10);
    MAP2_VERTEX_4 / GL_MAP2_VERTEX_4: Boolean 1 x 1 = [0], desktop(10);

    // Depth.
    DEPTH_FUNC / GL_DEPTH_FUNC: Enum 1 x 1 = [c::GL_LESS], ANY;
    DEPTH_WRITEMASK / GL_DEPTH_WRITEMASK: Boolean 1 x 1 = [1], ANY;
    DEPTH_CLEAR_VALUE / GL_DEPTH_CLEAR_VALUE: Normalized 1 x 1 = [1], ANY;
    DEPTH_RANGE / GL_DEPTH_RANGE: Normalized 2 x 16 = [0, 1], ANY;

    // Stencil. What EXT_stencil_two_side sets for the back is in `Fixed`.
    STENCIL_FUNC / GL_STENCIL_FUNC: Enum 1 x 1 = [c::GL_ALWAYS], ANY;
    STENCIL_REF / GL_STENCIL_REF: Integer 1 x 1 = [0], ANY;
    STENCIL_VALUE_MASK / GL_STENCIL_VALUE_MASK: Integer 1 x 1 = [0xFF], ANY;
    STENCIL_FAIL / GL_STENCIL_FAIL: Enum 1 x 1 = [c::GL_KEEP], ANY;
    STENCIL_PASS_DEPTH_FAIL / GL_STENCIL_PASS_DEPTH_FAIL: Enum 1 x 1 = [c::GL_KEEP], ANY;
    STENCIL_PASS_DEPTH_PASS / GL_STENCIL_PASS_DEPTH_PASS: Enum 1 x 1 = [c::GL_KEEP], ANY;
    STENCIL_WRITEMASK / GL_STENCIL_WRITEMASK: Integer 1 x 1 = [0xFF], ANY;
    STENCIL_BACK_FUNC / GL_STENCIL_BACK_FUNC: Enum 1 x 1 = [c::GL_ALWAYS], both(10, 20);
    STENCIL_BACK_REF / GL_STENCIL_BACK_REF: Integer 1 x 1 = [0], both(10, 20);
    STENCIL_BACK_VALUE_MASK / GL_STENCIL_BACK_VALUE_MASK: Integer 1 x 1 = [0xFF], both(10, 20);
    STENCIL_BACK_FAIL / GL_STENCIL_BACK_FAIL: Enum 1 x 1 = [c::GL_KEEP], both(10, 20);
    STENCIL_BACK_PASS_DEPTH_FAIL / GL_STENCIL_BACK_PASS_DEPTH_FAIL: Enum 1 x 1 = [c::GL_KEEP], both(10, 20);
    STENCIL_BACK_PASS_DEPTH_PASS / GL_STENCIL_BACK_PASS_DEPTH_PASS: Enum 1 x 1 = [c::GL_KEEP], both(10, 20);
    STENCIL_BACK_WRITEMASK / GL_STENCIL_BACK_WRITEMASK: Integer 1 x 1 = [0xFF], both(10, 20);
    STENCIL_CLEAR_VALUE / GL_STENCIL_CLEAR_VALUE: Integer 1 x 1 = [0], ANY;
    ACTIVE_STENCIL_FACE_EXT / GL_ACTIVE_STENCIL_FACE_EXT: Enum 1 x 1 = [c::GL_FRONT],
        when(10, 255, false, 255).or(&["GL_EXT_stencil_two_side"]);

    // Blending, for each draw buffer.
    BLEND_SRC_RGB / GL_BLEND_SRC_RGB: Enum 1 x 8 = [1], ANY;
    BLEND_DST_RGB / GL_BLEND_DST_RGB: Enum 1 x 8 = [0], ANY;
    BLEND_SRC_ALPHA / GL_BLEND_SRC_ALPHA: Enum 1 x 8 = [1], ANY;
    BLEND_DST_ALPHA / GL_BLEND_DST_ALPHA: Enum 1 x 8 = [0], ANY;
    BLEND_EQUATION_RGB / GL_BLEND_EQUATION_RGB: Enum 1 x 8 = [c::GL_FUNC_ADD], ANY;
    BLEND_EQUATION_ALPHA / GL_BLEND_EQUATION_ALPHA: Enum 1 x 8 = [c::GL_FUNC_ADD], ANY;
    BLEND_COLOR / GL_BLEND_COLOR: Normalized 4 x 1 = [0], both(10, 20);
    COLOR_WRITEMASK / GL_COLOR_WRITEMASK: Boolean 4 x 8 = [1], ANY;
    LOGIC_OP_MODE / GL_LOGIC_OP_MODE: Enum 1 x 1 = [c::GL_COPY], NOT_ES2;
    ALPHA_TEST_FUNC / GL_ALPHA_TEST_FUNC: Enum 1 x 1 = [c::GL_ALWAYS], NOT_ES2;
    ALPHA_TEST_REF / GL_ALPHA_TEST_REF: Normalized 1 x 1 = [0], NOT_ES2;
    INDEX_WRITEMASK / GL_INDEX_WRITEMASK: Integer 1 x 1 = [-1], desktop(10);

    // Clearing.
    COLOR_CLEAR_VALUE / GL_COLOR_CLEAR_VALUE: Normalized 4 x 1 = [0], ANY;
    INDEX_CLEAR_VALUE / GL_INDEX_CLEAR_VALUE: Integer 1 x 1 = [0], desktop(10);
    ACCUM_CLEAR_VALUE / GL_ACCUM_CLEAR_VALUE: Normalized 4 x 1 = [0], desktop(10);

    // The viewport and the scissor box are initially those of the first surface; see `window::current`.
    VIEWPORT / GL_VIEWPORT: Float 4 x 16 = [0], ANY;
    SCISSOR_BOX / GL_SCISSOR_BOX: Integer 4 x 16 = [0], ANY;
    CLIP_ORIGIN / GL_CLIP_ORIGIN: Enum 1 x 1 = [c::GL_LOWER_LEFT],
        desktop(45).or(&["GL_ARB_clip_control", "GL_EXT_clip_control"]);
    CLIP_DEPTH_MODE / GL_CLIP_DEPTH_MODE: Enum 1 x 1 = [c::GL_NEGATIVE_ONE_TO_ONE],
        desktop(45).or(&["GL_ARB_clip_control", "GL_EXT_clip_control"]);

    // Polygons, lines, points.
    POLYGON_MODE / GL_POLYGON_MODE: Enum 2 x 1 = [c::GL_FILL], desktop(10);
    CULL_FACE_MODE / GL_CULL_FACE_MODE: Enum 1 x 1 = [c::GL_BACK], ANY;
    FRONT_FACE / GL_FRONT_FACE: Enum 1 x 1 = [c::GL_CCW], ANY;
    POLYGON_OFFSET_FACTOR / GL_POLYGON_OFFSET_FACTOR: Float 1 x 1 = [0], ANY;
    POLYGON_OFFSET_UNITS / GL_POLYGON_OFFSET_UNITS: Float 1 x 1 = [0], ANY;
    POLYGON_OFFSET_CLAMP / GL_POLYGON_OFFSET_CLAMP: Float 1 x 1 = [0],
        when(46, 46, true, 255).or(&["GL_ARB_polygon_offset_clamp", "GL_EXT_polygon_offset_clamp"]);
    LINE_WIDTH / GL_LINE_WIDTH: Float 1 x 1 = [1], ANY;
    LINE_STIPPLE_PATTERN / GL_LINE_STIPPLE_PATTERN: Integer 1 x 1 = [0xFFFF], desktop(10);
    LINE_STIPPLE_REPEAT / GL_LINE_STIPPLE_REPEAT: Integer 1 x 1 = [1], desktop(10);
    POINT_SIZE / GL_POINT_SIZE: Float 1 x 1 = [1], NOT_ES2;
    POINT_SIZE_MIN / GL_POINT_SIZE_MIN: Float 1 x 1 = [0], NOT_ES2;
    POINT_SIZE_MAX / GL_POINT_SIZE_MAX: Float 1 x 1 = [1], NOT_ES2;
    POINT_FADE_THRESHOLD_SIZE / GL_POINT_FADE_THRESHOLD_SIZE: Float 1 x 1 = [1], NOT_ES2;
    POINT_DISTANCE_ATTENUATION / GL_POINT_DISTANCE_ATTENUATION: Float 3 x 1 = [1, 0, 0], NOT_ES2;
    POINT_SPRITE_COORD_ORIGIN / GL_POINT_SPRITE_COORD_ORIGIN: Enum 1 x 1 = [c::GL_UPPER_LEFT], desktop(10);
    PROVOKING_VERTEX / GL_PROVOKING_VERTEX: Enum 1 x 1 = [c::GL_LAST_VERTEX_CONVENTION],
        desktop(32).or(&["GL_ARB_provoking_vertex", "GL_ARB_viewport_array"]);
    SHADE_MODEL / GL_SHADE_MODEL: Enum 1 x 1 = [c::GL_SMOOTH], NOT_ES2;
    PRIMITIVE_RESTART_INDEX / GL_PRIMITIVE_RESTART_INDEX: Integer 1 x 1 = [0], desktop(31);
    PRIMITIVE_BOUNDING_BOX / GL_PRIMITIVE_BOUNDING_BOX: Float 8 x 1 = [-1, -1, -1, 1, 1, 1, 1, 1],
        when(10, 255, false, 32).or(&["GL_ARB_ES3_2_compatibility", "GL_OES_primitive_bounding_box"]);
    PATCH_VERTICES / GL_PATCH_VERTICES: Integer 1 x 1 = [3],
        both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_OES_tessellation_shader"]);
    PATCH_DEFAULT_INNER_LEVEL / GL_PATCH_DEFAULT_INNER_LEVEL: Float 2 x 1 = [1],
        both(40, 20).or(&["GL_ARB_tessellation_shader"]);
    PATCH_DEFAULT_OUTER_LEVEL / GL_PATCH_DEFAULT_OUTER_LEVEL: Float 4 x 1 = [1],
        both(40, 20).or(&["GL_ARB_tessellation_shader"]);

    // Multisampling.
    SAMPLE_COVERAGE_VALUE / GL_SAMPLE_COVERAGE_VALUE: Float 1 x 1 = [1], ANY;
    SAMPLE_COVERAGE_INVERT / GL_SAMPLE_COVERAGE_INVERT: Boolean 1 x 1 = [0], ANY;
    SAMPLE_MASK_VALUE / GL_SAMPLE_MASK_VALUE: Integer 1 x 1 = [-1],
        both(32, 31).or(&["GL_ARB_texture_multisample"]);
    MIN_SAMPLE_SHADING_VALUE / GL_MIN_SAMPLE_SHADING_VALUE: Float 1 x 1 = [0],
        when(40, 40, true, 32).or(&["GL_ARB_sample_shading", "GL_OES_sample_shading"]);
    ALPHA_TO_COVERAGE_DITHER_MODE_NV / GL_ALPHA_TO_COVERAGE_DITHER_MODE_NV: Enum 1 x 1 = [c::GL_ALPHA_TO_COVERAGE_DITHER_DEFAULT_NV],
        both(10, 20);

    // Hints and similar parameters.
    PERSPECTIVE_CORRECTION_HINT / GL_PERSPECTIVE_CORRECTION_HINT: Enum 1 x 1 = [c::GL_DONT_CARE], NOT_ES2;
    POINT_SMOOTH_HINT / GL_POINT_SMOOTH_HINT: Enum 1 x 1 = [c::GL_DONT_CARE], NOT_ES2;
    LINE_SMOOTH_HINT / GL_LINE_SMOOTH_HINT: Enum 1 x 1 = [c::GL_DONT_CARE], NOT_ES2;
    POLYGON_SMOOTH_HINT / GL_POLYGON_SMOOTH_HINT: Enum 1 x 1 = [c::GL_DONT_CARE], desktop(10);
    FOG_HINT / GL_FOG_HINT: Enum 1 x 1 = [c::GL_DONT_CARE], NOT_ES2;
    GENERATE_MIPMAP_HINT / GL_GENERATE_MIPMAP_HINT: Enum 1 x 1 = [c::GL_DONT_CARE], ANY;
    TEXTURE_COMPRESSION_HINT / GL_TEXTURE_COMPRESSION_HINT: Enum 1 x 1 = [c::GL_DONT_CARE], desktop(10);
    FRAGMENT_SHADER_DERIVATIVE_HINT / GL_FRAGMENT_SHADER_DERIVATIVE_HINT: Enum 1 x 1 = [c::GL_DONT_CARE], both(10, 30);
    CLAMP_VERTEX_COLOR / GL_CLAMP_VERTEX_COLOR: Enum 1 x 1 = [0],
        when(255, 30, true, 20).or(&["GL_ARB_color_buffer_float"]);
    CLAMP_FRAGMENT_COLOR / GL_CLAMP_FRAGMENT_COLOR: Enum 1 x 1 = [0],
        when(255, 30, true, 20).or(&["GL_ARB_color_buffer_float"]);
    CLAMP_READ_COLOR / GL_CLAMP_READ_COLOR: Enum 1 x 1 = [c::GL_FIXED_ONLY],
        when(30, 30, true, 20).or(&["GL_ARB_color_buffer_float"]);
    MAX_SHADER_COMPILER_THREADS_KHR / GL_MAX_SHADER_COMPILER_THREADS_KHR: Integer 1 x 1 = [-1],
        when(10, 255, false, 255).or(&["GL_KHR_parallel_shader_compile", "GL_ARB_parallel_shader_compile"]);

    // Pixel store and transfer.
    UNPACK_ALIGNMENT / GL_UNPACK_ALIGNMENT: Integer 1 x 1 = [4], ANY;
    PACK_ALIGNMENT / GL_PACK_ALIGNMENT: Integer 1 x 1 = [4], ANY;
    UNPACK_ROW_LENGTH / GL_UNPACK_ROW_LENGTH: Integer 1 x 1 = [0], both(10, 30);
    UNPACK_SKIP_ROWS / GL_UNPACK_SKIP_ROWS: Integer 1 x 1 = [0], both(10, 30);
    UNPACK_SKIP_PIXELS / GL_UNPACK_SKIP_PIXELS: Integer 1 x 1 = [0], both(10, 30);
    UNPACK_IMAGE_HEIGHT / GL_UNPACK_IMAGE_HEIGHT: Integer 1 x 1 = [0], both(10, 30);
    UNPACK_SKIP_IMAGES / GL_UNPACK_SKIP_IMAGES: Integer 1 x 1 = [0], both(10, 30);
    PACK_ROW_LENGTH / GL_PACK_ROW_LENGTH: Integer 1 x 1 = [0], both(10, 30);
    PACK_SKIP_ROWS / GL_PACK_SKIP_ROWS: Integer 1 x 1 = [0], both(10, 30);
    PACK_SKIP_PIXELS / GL_PACK_SKIP_PIXELS: Integer 1 x 1 = [0], both(10, 30);
    PACK_IMAGE_HEIGHT / GL_PACK_IMAGE_HEIGHT: Integer 1 x 1 = [0], both(10, 20);
    PACK_SKIP_IMAGES / GL_PACK_SKIP_IMAGES: Integer 1 x 1 = [0], NOT_ES2;
    UNPACK_COMPRESSED_BLOCK_WIDTH / GL_UNPACK_COMPRESSED_BLOCK_WIDTH: Integer 1 x 1 = [0],
        desktop(42).or(&["GL_ARB_compressed_texture_pixel_storage"]);
    UNPACK_COMPRESSED_BLOCK_HEIGHT / GL_UNPACK_COMPRESSED_BLOCK_HEIGHT: Integer 1 x 1 = [0],
        desktop(42).or(&["GL_ARB_compressed_texture_pixel_storage"]);
    UNPACK_COMPRESSED_BLOCK_DEPTH / GL_UNPACK_COMPRESSED_BLOCK_DEPTH: Integer 1 x 1 = [0],
        desktop(42).or(&["GL_ARB_compressed_texture_pixel_storage"]);
    UNPACK_COMPRESSED_BLOCK_SIZE / GL_UNPACK_COMPRESSED_BLOCK_SIZE: Integer 1 x 1 = [0],
        desktop(42).or(&["GL_ARB_compressed_texture_pixel_storage"]);
    PACK_COMPRESSED_BLOCK_WIDTH / GL_PACK_COMPRESSED_BLOCK_WIDTH: Integer 1 x 1 = [0],
        desktop(42).or(&["GL_ARB_compressed_texture_pixel_storage"]);
    PACK_COMPRESSED_BLOCK_HEIGHT / GL_PACK_COMPRESSED_BLOCK_HEIGHT: Integer 1 x 1 = [0],
        desktop(42).or(&["GL_ARB_compressed_texture_pixel_storage"]);
    PACK_COMPRESSED_BLOCK_DEPTH / GL_PACK_COMPRESSED_BLOCK_DEPTH: Integer 1 x 1 = [0],
        desktop(42).or(&["GL_ARB_compressed_texture_pixel_storage"]);
    PACK_COMPRESSED_BLOCK_SIZE / GL_PACK_COMPRESSED_BLOCK_SIZE: Integer 1 x 1 = [0],
        desktop(42).or(&["GL_ARB_compressed_texture_pixel_storage"]);
    UNPACK_SWAP_BYTES / GL_UNPACK_SWAP_BYTES: Boolean 1 x 1 = [0], desktop(10);
    UNPACK_LSB_FIRST / GL_UNPACK_LSB_FIRST: Boolean 1 x 1 = [0], desktop(10);
    PACK_SWAP_BYTES / GL_PACK_SWAP_BYTES: Boolean 1 x 1 = [0], desktop(10);
    PACK_LSB_FIRST / GL_PACK_LSB_FIRST: Boolean 1 x 1 = [0], desktop(10);
    PACK_INVERT_MESA / GL_PACK_INVERT_MESA: Boolean 1 x 1 = [0], when(10, 255, false, 255).or(&["GL_MESA_pack_invert"]);
    MAP_COLOR / GL_MAP_COLOR: Boolean 1 x 1 = [0], desktop(10);
    MAP_STENCIL / GL_MAP_STENCIL: Boolean 1 x 1 = [0], desktop(10);
    INDEX_SHIFT / GL_INDEX_SHIFT: Integer 1 x 1 = [0], desktop(10);
    INDEX_OFFSET / GL_INDEX_OFFSET: Integer 1 x 1 = [0], desktop(10);
    RED_SCALE / GL_RED_SCALE: Float 1 x 1 = [1], desktop(10);
    GREEN_SCALE / GL_GREEN_SCALE: Float 1 x 1 = [1], desktop(10);
    BLUE_SCALE / GL_BLUE_SCALE: Float 1 x 1 = [1], desktop(10);
    ALPHA_SCALE / GL_ALPHA_SCALE: Float 1 x 1 = [1], desktop(10);
    DEPTH_SCALE / GL_DEPTH_SCALE: Float 1 x 1 = [1], desktop(10);
    RED_BIAS / GL_RED_BIAS: Float 1 x 1 = [0], desktop(10);
    GREEN_BIAS / GL_GREEN_BIAS: Float 1 x 1 = [0], desktop(10);
    BLUE_BIAS / GL_BLUE_BIAS: Float 1 x 1 = [0], desktop(10);
    ALPHA_BIAS / GL_ALPHA_BIAS: Float 1 x 1 = [0], desktop(10);
    DEPTH_BIAS / GL_DEPTH_BIAS: Float 1 x 1 = [0], desktop(10);
    ZOOM_X / GL_ZOOM_X: Float 1 x 1 = [1], desktop(10);
    ZOOM_Y / GL_ZOOM_Y: Float 1 x 1 = [1], desktop(10);

    // Fog and lights, except structured state.
    FOG_MODE / GL_FOG_MODE: Enum 1 x 1 = [c::GL_EXP], NOT_ES2;
    FOG_DENSITY / GL_FOG_DENSITY: Float 1 x 1 = [1], NOT_ES2;
    FOG_START / GL_FOG_START: Float 1 x 1 = [0], NOT_ES2;
    FOG_END / GL_FOG_END: Float 1 x 1 = [1], NOT_ES2;
    FOG_INDEX / GL_FOG_INDEX: Float 1 x 1 = [0], desktop(10);
    FOG_COLOR / GL_FOG_COLOR: Normalized 4 x 1 = [0], NOT_ES2;
    FOG_COORD_SRC / GL_FOG_COORD_SRC: Enum 1 x 1 = [c::GL_FRAGMENT_DEPTH], desktop(10);
    FOG_DISTANCE_MODE_NV / GL_FOG_DISTANCE_MODE_NV: Enum 1 x 1 = [c::GL_EYE_PLANE_ABSOLUTE_NV],
        when(10, 255, false, 255).or(&["GL_NV_fog_distance"]);
    LIGHT_MODEL_AMBIENT / GL_LIGHT_MODEL_AMBIENT: Normalized 4 x 1 = [0.2f32, 0.2f32, 0.2f32, 1], NOT_ES2;
    LIGHT_MODEL_LOCAL_VIEWER / GL_LIGHT_MODEL_LOCAL_VIEWER: Boolean 1 x 1 = [0], desktop(10);
    LIGHT_MODEL_TWO_SIDE / GL_LIGHT_MODEL_TWO_SIDE: Boolean 1 x 1 = [0], NOT_ES2;
    LIGHT_MODEL_COLOR_CONTROL / GL_LIGHT_MODEL_COLOR_CONTROL: Enum 1 x 1 = [c::GL_SINGLE_COLOR], desktop(10);
    COLOR_MATERIAL_FACE / GL_COLOR_MATERIAL_FACE: Enum 1 x 1 = [c::GL_FRONT_AND_BACK], desktop(10);
    COLOR_MATERIAL_PARAMETER / GL_COLOR_MATERIAL_PARAMETER: Enum 1 x 1 = [c::GL_AMBIENT_AND_DIFFUSE], desktop(10);
    MATRIX_MODE / GL_MATRIX_MODE: Enum 1 x 1 = [c::GL_MODELVIEW], NOT_ES2;

    // The raster position.
    CURRENT_RASTER_POSITION / GL_CURRENT_RASTER_POSITION: Float 4 x 1 = [0, 0, 0, 1], desktop(10);
    CURRENT_RASTER_POSITION_VALID / GL_CURRENT_RASTER_POSITION_VALID: Boolean 1 x 1 = [1], desktop(10);
    CURRENT_RASTER_DISTANCE / GL_CURRENT_RASTER_DISTANCE: Float 1 x 1 = [0], desktop(10);
    CURRENT_RASTER_COLOR / GL_CURRENT_RASTER_COLOR: Normalized 4 x 1 = [1], desktop(10);
    CURRENT_RASTER_SECONDARY_COLOR / GL_CURRENT_RASTER_SECONDARY_COLOR: Normalized 4 x 1 = [0, 0, 0, 1], desktop(21);
    CURRENT_RASTER_INDEX / GL_CURRENT_RASTER_INDEX: Float 1 x 1 = [1], desktop(10);

    // Evaluators, selection, feedback, lists.
    MAP1_GRID_DOMAIN / GL_MAP1_GRID_DOMAIN: Float 2 x 1 = [0, 1], desktop(10);
    MAP1_GRID_SEGMENTS / GL_MAP1_GRID_SEGMENTS: Integer 1 x 1 = [1], desktop(10);
    MAP2_GRID_DOMAIN / GL_MAP2_GRID_DOMAIN: Float 4 x 1 = [0, 1, 0, 1], desktop(10);
    MAP2_GRID_SEGMENTS / GL_MAP2_GRID_SEGMENTS: Integer 2 x 1 = [1], desktop(10);
    RENDER_MODE / GL_RENDER_MODE: Enum 1 x 1 = [c::GL_RENDER], desktop(10);
    FEEDBACK_BUFFER_SIZE / GL_FEEDBACK_BUFFER_SIZE: Integer 1 x 1 = [0], desktop(10);
    FEEDBACK_BUFFER_TYPE / GL_FEEDBACK_BUFFER_TYPE: Enum 1 x 1 = [c::GL_2D], desktop(10);
    SELECTION_BUFFER_SIZE / GL_SELECTION_BUFFER_SIZE: Integer 1 x 1 = [0], desktop(10);
    LIST_BASE / GL_LIST_BASE: Integer 1 x 1 = [0], desktop(10);

    // Active units.
    ACTIVE_TEXTURE / GL_ACTIVE_TEXTURE: Enum 1 x 1 = [c::GL_TEXTURE0], ANY;
    CLIENT_ACTIVE_TEXTURE / GL_CLIENT_ACTIVE_TEXTURE: Enum 1 x 1 = [c::GL_TEXTURE0], NOT_ES2;

    // Locked arrays.
    ARRAY_ELEMENT_LOCK_FIRST_EXT / GL_ARRAY_ELEMENT_LOCK_FIRST_EXT: Integer 1 x 1 = [0],
        when(10, 255, false, 255).or(&["GL_EXT_compiled_vertex_array"]);
    ARRAY_ELEMENT_LOCK_COUNT_EXT / GL_ARRAY_ELEMENT_LOCK_COUNT_EXT: Integer 1 x 1 = [0],
        when(10, 255, false, 255).or(&["GL_EXT_compiled_vertex_array"]);

    // Debugging.
    DEBUG_GROUP_STACK_DEPTH / GL_DEBUG_GROUP_STACK_DEPTH: Integer 1 x 1 = [1],
        when(43, 43, true, 32).or(&["GL_KHR_debug"]);
    DEBUG_LOGGED_MESSAGES / GL_DEBUG_LOGGED_MESSAGES: Integer 1 x 1 = [0],
        when(43, 43, true, 32).or(&["GL_KHR_debug", "GL_ARB_debug_output"]);
    DEBUG_NEXT_LOGGED_MESSAGE_LENGTH / GL_DEBUG_NEXT_LOGGED_MESSAGE_LENGTH: Integer 1 x 1 = [0],
        when(43, 43, true, 32).or(&["GL_KHR_debug", "GL_ARB_debug_output"]);

    // Constants.
    INDEX_MODE / GL_INDEX_MODE: Boolean 1 x 1 = [0], desktop(10);
    RGBA_MODE / GL_RGBA_MODE: Boolean 1 x 1 = [1], desktop(10);
    INDEX_BITS / GL_INDEX_BITS: Integer 1 x 1 = [0], desktop(10);
}
