//! Values that are not compared.

use api::constant as c;

/// Names that are not compared, each with the reason.
pub const EXCLUDED: &[(u32, &str)] = &[
    (c::GL_TIMESTAMP, "it is the time"),
    (c::GL_CURRENT_NORMAL, "Mesa 22 leaves another attribute's value there after some display lists"),
    (c::GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX, "it changes by itself"),
    (c::GL_VBO_FREE_MEMORY_ATI, "it changes by itself"),
    (c::GL_TEXTURE_FREE_MEMORY_ATI, "it changes by itself"),
    (c::GL_RENDERBUFFER_FREE_MEMORY_ATI, "it changes by itself"),
];

/// Names that are not compared where the default framebuffer is bound: windows are replayed on pbuffers, which have one
/// colour buffer, not two.
pub const EXCLUDED_OF_WINDOWS: &[u32] = &[c::GL_DOUBLEBUFFER, c::GL_DRAW_BUFFER, c::GL_DRAW_BUFFER0, c::GL_READ_BUFFER];
