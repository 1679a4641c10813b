//! The table itself.

use api::constant as c;

use super::{ANY, FIXED, Kind, Var, Variable, both, desktop, variables};

variables! {
    // Enables. Those that are indexed in some versions have a value for each index.
    BLEND / GL_BLEND: Boolean 1 x 32 = [0], ANY;
    CULL_FACE / GL_CULL_FACE: Boolean 1 x 1 = [0], ANY;
    DEPTH_TEST / GL_DEPTH_TEST: Boolean 1 x 1 = [0], ANY;
    DITHER / GL_DITHER: Boolean 1 x 1 = [1], ANY;
    SCISSOR_TEST / GL_SCISSOR_TEST: Boolean 1 x 16 = [0], ANY;
    STENCIL_TEST / GL_STENCIL_TEST: Boolean 1 x 1 = [0], ANY;

    // Depth.
    DEPTH_FUNC / GL_DEPTH_FUNC: Enum 1 x 1 = [c::GL_LESS], ANY;
    DEPTH_WRITEMASK / GL_DEPTH_WRITEMASK: Boolean 1 x 1 = [1], ANY;
    DEPTH_CLEAR_VALUE / GL_DEPTH_CLEAR_VALUE: Normalized 1 x 1 = [1], ANY;

    // Blending.
    BLEND_COLOR / GL_BLEND_COLOR: Normalized 4 x 1 = [0], both(14, 20);

    // Clearing.
    COLOR_CLEAR_VALUE / GL_COLOR_CLEAR_VALUE: Normalized 4 x 1 = [0], ANY;

    // The viewport is that of the first surface; see `Context::first_current`.
    VIEWPORT / GL_VIEWPORT: Float 4 x 16 = [0], ANY;
    SCISSOR_BOX / GL_SCISSOR_BOX: Integer 4 x 16 = [0], ANY;

    // Vertices.
    ARRAY_ELEMENT_LOCK_FIRST_EXT / GL_ARRAY_ELEMENT_LOCK_FIRST_EXT: Integer 1 x 1 = [0], desktop(10);
    ARRAY_ELEMENT_LOCK_COUNT_EXT / GL_ARRAY_ELEMENT_LOCK_COUNT_EXT: Integer 1 x 1 = [0], desktop(10);
    PRIMITIVE_RESTART / GL_PRIMITIVE_RESTART: Boolean 1 x 1 = [0], desktop(31);
    CLIENT_ACTIVE_TEXTURE / GL_CLIENT_ACTIVE_TEXTURE: Enum 1 x 1 = [c::GL_TEXTURE0], FIXED;
}
