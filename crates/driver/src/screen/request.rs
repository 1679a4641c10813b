//! What contexts and surfaces are requested, as EGL takes it.

use api::constant as c;
use api::request::{Client, ContextRequest, SurfaceRequest};

use crate::egl;

/// Returns attribute lists to try: the requested one first, then one without what a driver may lack.
pub fn context_attributes(request: &ContextRequest) -> Vec<Vec<i32>> {
    let mut version = Vec::new();
    if request.major > 0 {
        version.extend([egl::CONTEXT_MAJOR_VERSION, request.major, egl::CONTEXT_MINOR_VERSION, request.minor]);
    } else if request.client == Client::Es {
        version.extend([egl::CONTEXT_MAJOR_VERSION, 2]);
    }
    let mut profiled = version.clone();
    // EGL 1.5, 3.7.1: the profile counts from 3.2 on, and only for OpenGL.
    if request.client == Client::Desktop && request.profile & 3 != 0 && (request.major, request.minor) >= (3, 2) {
        profiled.extend([egl::CONTEXT_OPENGL_PROFILE_MASK, (request.profile & 3).cast_signed()]);
    }
    let mut flagged = profiled.clone();
    let mut flags = 0;
    // Debug is 1 for EGL and 2 for GL, forward-compatible the other way around.
    let pairs = [
        (c::GL_CONTEXT_FLAG_DEBUG_BIT, c::EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR),
        (c::GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT, c::EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE_BIT_KHR),
        (c::GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT, c::EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR),
    ];
    for (gl, egl) in pairs {
        flags |= if request.flags & gl != 0 { egl } else { 0 };
    }
    if flags != 0 {
        flagged.extend([c::EGL_CONTEXT_FLAGS_KHR, flags].map(u32::cast_signed));
    }
    // This one EGL asks for with an attribute of its own.
    if request.flags & c::GL_CONTEXT_FLAG_NO_ERROR_BIT != 0 {
        flagged.extend([c::EGL_CONTEXT_OPENGL_NO_ERROR_KHR.cast_signed(), 1]);
    }
    let mut lists = vec![flagged, profiled];
    lists.dedup();
    for list in &mut lists {
        list.push(egl::NONE);
    }
    lists
}

/// Returns sizes in the order in which configs are compared.
pub fn sizes(request: &SurfaceRequest) -> [i32; 7] {
    let SurfaceRequest { red, green, blue, alpha, depth, stencil, samples, .. } = *request;
    [red, green, blue, alpha, depth, stencil, samples]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_change_their_values_on_the_way_to_egl() {
        let request = ContextRequest {
            client: Client::Desktop,
            major: 3,
            minor: 3,
            profile: 1,
            flags: c::GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT,
        };
        let lists = context_attributes(&request);
        assert_eq!(lists[0], [0x3098, 3, 0x30FB, 3, 0x30FD, 1, 0x30FC, 2, egl::NONE]);
        assert_eq!(lists[1], [0x3098, 3, 0x30FB, 3, 0x30FD, 1, egl::NONE]);
    }

    #[test]
    fn a_context_nobody_gave_a_version_is_what_the_driver_gives() {
        assert_eq!(context_attributes(&ContextRequest::default()), [[egl::NONE]]);
        let es = ContextRequest { client: Client::Es1, major: 1, ..Default::default() };
        assert_eq!(context_attributes(&es), [[0x3098, 1, 0x30FB, 0, egl::NONE]]);
    }
}
