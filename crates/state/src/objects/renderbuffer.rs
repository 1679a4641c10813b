//! Renderbuffer objects.

use api::constant as c;

use super::format::Format;

/// A renderbuffer object.
#[derive(Clone, Debug)]
pub struct Renderbuffer {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether the object exists: the first binding of a name creates it.
    pub exists: bool,
    /// Its width and height.
    pub size: (i32, i32),
    /// `GL_RENDERBUFFER_INTERNAL_FORMAT`.
    pub internal: u32,
    /// Its format; `None` before it has storage.
    pub format: Option<&'static Format>,
    /// `GL_RENDERBUFFER_SAMPLES`.
    pub samples: i32,
}

impl Renderbuffer {
    /// Returns the initial state (GL 4.6, table 23.27).
    #[must_use]
    pub fn new(object: u64, exists: bool) -> Renderbuffer {
        Renderbuffer { object, exists, size: (0, 0), internal: c::GL_RGBA, format: None, samples: 0 }
    }
}
