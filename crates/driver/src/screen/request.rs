//! Requests for contexts and surfaces as EGL's attributes.

use api::constant as c;
use api::request::{Client, ContextRequest, SurfaceRequest, asked_flags};

use crate::egl;

/// Returns attribute lists to try: first the requested one, then without what a driver may lack.
pub fn context_attributes(request: &ContextRequest) -> Vec<Vec<i32>> {
    let mut version = Vec::new();
    if request.major > 0 {
        version.extend([egl::CONTEXT_MAJOR_VERSION, request.major, egl::CONTEXT_MINOR_VERSION, request.minor]);
    } else if request.client == Client::Es {
        version.extend([egl::CONTEXT_MAJOR_VERSION, 2]);
    }
    let mut profiled = version.clone();
    // EGL 1.5, 3.7.1.2: the profile matters from 3.2 on, and only for OpenGL.
    if request.client == Client::Desktop && request.profile & 3 != 0 && (request.major, request.minor) >= (3, 2) {
        profiled.extend([egl::CONTEXT_OPENGL_PROFILE_MASK, (request.profile & 3).cast_signed()]);
    }
    let mut flagged = profiled.clone();
    let flags = asked_flags(request.flags);
    if flags != 0 {
        flagged.extend([c::EGL_CONTEXT_FLAGS_KHR, flags].map(u32::cast_signed));
    }
    // EGL has a separate attribute for this one.
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

/// Returns the sizes in the order in which configs are compared.
pub fn sizes(request: &SurfaceRequest) -> [i32; 7] {
    let SurfaceRequest { red, green, blue, alpha, depth, stencil, samples, .. } = *request;
    [red, green, blue, alpha, depth, stencil, samples]
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
        let lists = context_attributes(&request);
        assert_eq!(lists[0], [0x3098, 3, 0x30FB, 3, 0x30FD, 1, 0x30FC, 2, egl::NONE]);
        assert_eq!(lists[1], [0x3098, 3, 0x30FB, 3, 0x30FD, 1, egl::NONE]);
    }

    #[test]
    fn without_a_version_the_driver_chooses() {
        assert_eq!(context_attributes(&ContextRequest::default()), [[egl::NONE]]);
        let es = ContextRequest { client: Client::Es1, major: 1, ..Default::default() };
        assert_eq!(context_attributes(&es), [[0x3098, 1, 0x30FB, 0, egl::NONE]]);
    }
}
