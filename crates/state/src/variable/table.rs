//! The table itself.

use api::constant as c;

use super::{ANY, Kind, Var, Variable, both, variables};

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
}
