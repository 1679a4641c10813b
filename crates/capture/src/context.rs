//! Contexts as capture knows them.

use std::sync::{Arc, Mutex};

use crate::memory;

/// A context of the program. It is current in at most one thread, which alone touches it.
pub struct Context {
    /// Its number in the trace, from 1.
    pub number: u32,
    /// What the program knows it by.
    pub handle: u64,
    /// The API it speaks: `GL_NONE`-like values of EGL (`EGL_OPENGL_API`, `EGL_OPENGL_ES_API`).
    pub api: u32,
    /// The version the program asked for, or the driver's own once the context has been current.
    pub version: (i32, i32),
    /// Objects shared with other contexts.
    pub share: Arc<Share>,
    /// What `memory` keeps.
    pub memory: memory::PerContext,
}

/// What contexts have in common that share objects.
#[derive(Default)]
pub struct Share {
    /// What `memory` keeps.
    pub memory: Mutex<memory::PerShare>,
}
