//! Requests for contexts and surfaces.

use std::fmt;

use api::constant as c;

use crate::egl;

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

impl ContextRequest {
    /// Returns attribute lists to try: first the requested one, then without what a driver may lack.
    pub(super) fn attempts(&self) -> Vec<Vec<i32>> {
        let mut version = Vec::new();
        if self.major > 0 {
            version.extend([egl::CONTEXT_MAJOR_VERSION, self.major, egl::CONTEXT_MINOR_VERSION, self.minor]);
        } else if self.client == Client::Es {
            version.extend([egl::CONTEXT_MAJOR_VERSION, 2]);
        }
        let mut profiled = version.clone();
        // EGL 1.5, 3.7.1.2: the profile matters from 3.2 on, and only for OpenGL.
        if self.client == Client::Desktop && self.profile & 3 != 0 && (self.major, self.minor) >= (3, 2) {
            profiled.extend([egl::CONTEXT_OPENGL_PROFILE_MASK, (self.profile & 3).cast_signed()]);
        }
        let mut flagged = profiled.clone();
        let mut flags = 0;
        // Debug is 1 in EGL and 2 in GL, forward-compatible the other way around.
        let pairs = [
            (c::GL_CONTEXT_FLAG_DEBUG_BIT, c::EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR),
            (c::GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT, c::EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE_BIT_KHR),
            (c::GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT, c::EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR),
        ];
        for (gl, egl) in pairs {
            flags |= if self.flags & gl != 0 { egl } else { 0 };
        }
        if flags != 0 {
            flagged.extend([c::EGL_CONTEXT_FLAGS_KHR, flags].map(u32::cast_signed));
        }
        // EGL has a separate attribute for this one.
        if self.flags & c::GL_CONTEXT_FLAG_NO_ERROR_BIT != 0 {
            flagged.extend([c::EGL_CONTEXT_OPENGL_NO_ERROR_KHR.cast_signed(), 1]);
        }
        let mut lists = vec![flagged, profiled];
        lists.dedup();
        for list in &mut lists {
            list.push(egl::NONE);
        }
        lists
    }
}

impl SurfaceRequest {
    /// Returns the sizes in the order in which configs are compared.
    pub(super) fn sizes(&self) -> [i32; 7] {
        [self.red, self.green, self.blue, self.alpha, self.depth, self.stencil, self.samples]
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_translated_to_egl_values() {
        let request = ContextRequest {
            client: Client::Desktop,
            major: 3,
            minor: 3,
            profile: 1,
            flags: c::GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT,
        };
        let lists = request.attempts();
        assert_eq!(lists[0], [0x3098, 3, 0x30FB, 3, 0x30FD, 1, 0x30FC, 2, egl::NONE]);
        assert_eq!(lists[1], [0x3098, 3, 0x30FB, 3, 0x30FD, 1, egl::NONE]);
    }

    #[test]
    fn without_a_version_the_driver_chooses() {
        assert_eq!(ContextRequest::default().attempts(), [[egl::NONE]]);
        let es = ContextRequest { client: Client::Es1, major: 1, ..Default::default() };
        assert_eq!(es.attempts(), [[0x3098, 1, 0x30FB, 0, egl::NONE]]);
    }
}
