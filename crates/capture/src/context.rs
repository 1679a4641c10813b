//! Contexts and their share groups.

use std::sync::{Arc, Mutex};

use crate::facts::Capabilities;
use crate::memory;
use crate::window::Format;

/// A context of the program. It is current in at most one thread, which alone accesses it.
pub struct Context {
    /// Its number in the trace, from 1.
    pub number: u32,
    /// The program's handle.
    pub handle: u64,
    /// Its API: `EGL_OPENGL_API` or `EGL_OPENGL_ES_API`.
    pub api: u32,
    /// The version of that API, as reported by the driver once the context has been current.
    pub version: (i32, i32),
    /// Objects shared with other contexts.
    pub share: Arc<Share>,
    /// The state of `memory` for the context.
    pub memory: memory::PerContext,
    /// The format of the surfaces that it was created for.
    pub(crate) format: Format,
    /// The numbers of its draw and read surfaces, 0 for none.
    pub(crate) surfaces: (u32, u32),
    /// Features that reading back images needs.
    pub(crate) readback: ReadbackSupport,
    /// What determines which queries the driver accepts in it.
    pub(crate) facts: Capabilities,
    /// Whether the driver has been asked for its version and extensions.
    pub(crate) described: bool,
    /// Whether a frame was presented while it was current.
    pub(crate) has_presented: bool,
    /// Whether releasing it flushes pending commands.
    pub(crate) flushes: bool,
    /// Errors that were taken from the driver before queries of our own; the program gets them next.
    pub(crate) errors: Vec<u32>,
    /// The last sizes given to `glViewport`, so that a window's size is checked only when there is a reason to.
    pub(crate) viewports: [(i32, i32); 8],
}

/// Features of a context that reading back images needs. None, until the driver has been asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadbackSupport {
    pub framebuffers: Framebuffers,
    /// Pixels can be read into a buffer.
    pub pixel_buffers: bool,
    /// The pixel store has row length and skip parameters.
    pub pack_rows: bool,
    /// The buffer to read from can be selected.
    pub read_buffer: bool,
}

/// Support for framebuffer objects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Framebuffers {
    /// None.
    #[default]
    None,
    /// One binding, for reading and drawing.
    One,
    /// Separate bindings for reading and drawing.
    Split,
}

/// State of a share group.
#[derive(Default)]
pub struct Share {
    /// The state of `memory` for the share group.
    pub memory: Mutex<memory::PerShare>,
}
