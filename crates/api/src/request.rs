//! Requests for contexts and surfaces, independent of the window system.

use std::fmt;

use crate::constant as c;

/// Flags of a context, as a program asks GLX or EGL for them, and as `GL_CONTEXT_FLAGS` has them: debug and forward
/// compatible are swapped. Both window systems have the same bits.
const CONTEXT_FLAGS: [(u32, u32); 3] = [
    (c::EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR, c::GL_CONTEXT_FLAG_DEBUG_BIT),
    (c::EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE_BIT_KHR, c::GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT),
    (c::EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR, c::GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT),
];

/// Returns `GL_CONTEXT_FLAGS` for the flags that a program asked GLX or EGL for.
#[must_use]
pub fn context_flags(asked: u32) -> u32 {
    CONTEXT_FLAGS.iter().filter(|(bit, _)| asked & bit != 0).fold(0, |flags, (_, flag)| flags | flag)
}

/// Returns the flags to ask GLX or EGL for, for `GL_CONTEXT_FLAGS`.
#[must_use]
pub fn asked_flags(flags: u32) -> u32 {
    CONTEXT_FLAGS.iter().filter(|(_, flag)| flags & flag != 0).fold(0, |asked, (bit, _)| asked | bit)
}

/// A client API of EGL.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Client {
    /// OpenGL.
    #[default]
    Desktop,
    /// OpenGL ES 1.
    Es1,
    /// OpenGL ES 2 and 3.
    Es,
}

/// A context to create.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ContextRequest {
    /// The API.
    pub client: Client,
    /// Major version; 0 when not requested.
    pub major: i32,
    /// Minor version.
    pub minor: i32,
    /// `GL_CONTEXT_PROFILE_MASK`; 0 when not requested.
    pub profile: u32,
    /// `GL_CONTEXT_FLAGS`.
    pub flags: u32,
}

/// A surface to create.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "the names are EGL's own")]
pub struct SurfaceRequest {
    pub width: i32,
    pub height: i32,
    pub red: i32,
    pub green: i32,
    pub blue: i32,
    pub alpha: i32,
    pub depth: i32,
    pub stencil: i32,
    pub samples: i32,
    pub srgb: bool,
}

impl fmt::Display for ContextRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (api, profile) = match (self.client, self.profile & 3) {
            (Client::Desktop, 1) => ("OpenGL", " core"),
            (Client::Desktop, 2) => ("OpenGL", " compatibility"),
            (Client::Desktop, _) => ("OpenGL", ""),
            (Client::Es1 | Client::Es, _) => ("OpenGL ES", ""),
        };
        write!(f, "{api} {}.{}{profile}", self.major, self.minor)
    }
}

impl fmt::Display for SurfaceRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, red, green, blue, alpha, depth, stencil, samples, srgb: _ } = self;
        write!(
            f,
            "{width}x{height} rgba {red}/{green}/{blue}/{alpha} depth {depth} stencil {stencil} samples {samples}"
        )
    }
}
