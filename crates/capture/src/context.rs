//! Contexts and surfaces as capture knows them.

use std::sync::{Arc, Mutex};

use crate::facts::Nature;
use crate::memory;
use crate::window::Format;

/// A context of the program. It is current in at most one thread, which alone touches it.
pub struct Context {
    /// Its number in the trace, from 1.
    pub number: u32,
    /// What the program knows it by.
    pub handle: u64,
    /// The API it speaks: `EGL_OPENGL_API` or `EGL_OPENGL_ES_API`.
    pub api: u32,
    /// The version of that API: what the driver says, once the context has been current.
    pub version: (i32, i32),
    /// Objects shared with other contexts.
    pub share: Arc<Share>,
    /// What `memory` keeps.
    pub memory: memory::PerContext,
    /// What surfaces look like that it was made for.
    pub(crate) format: Format,
    /// The numbers of the surfaces it draws to and reads from, 0 for none.
    pub(crate) surfaces: (u32, u32),
    /// What it can do of what capture needs for itself.
    pub(crate) abilities: Abilities,
    /// What decides which questions the driver can be asked in it.
    pub(crate) facts: Nature,
    /// Whether the driver has been asked what it is.
    pub(crate) described: bool,
    /// Whether a frame was presented while it was current.
    pub(crate) has_presented: bool,
    /// Whether losing it flushes what was drawn.
    pub(crate) flushes: bool,
    /// Errors that were taken from the driver before it was asked something for ourselves; the program gets them next.
    pub(crate) errors: Vec<u32>,
    /// The last sizes given to `glViewport`, to look at a window's size only when there is a reason to.
    pub(crate) viewports: [(i32, i32); 8],
}

/// What a context can do of what capture needs for itself. Nothing, until the driver has been asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Abilities {
    pub framebuffers: Framebuffers,
    /// Pixels can be read into a buffer.
    pub pixel_buffers: bool,
    /// The pixel store has rows and what to skip.
    pub pack_rows: bool,
    /// The buffer to read from can be chosen.
    pub read_buffer: bool,
}

/// Framebuffer objects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Framebuffers {
    /// There are none.
    #[default]
    None,
    /// One is bound, for reading and drawing.
    One,
    /// One is bound for reading, another for drawing.
    Split,
}

/// What contexts have in common that share objects.
#[derive(Default)]
pub struct Share {
    /// What `memory` keeps.
    pub memory: Mutex<memory::PerShare>,
}
