//! Framebuffer objects.

use std::sync::Arc;

use api::constant as c;

use super::format::Format;
use super::texture::{Bound, Target};
use crate::model::Surface;
use crate::observer::ContentsRef;

/// Number of colour attachments and draw buffers that are kept; no driver has more.
pub const COLOURS: usize = 8;

/// The index of the depth attachment.
pub const DEPTH: usize = COLOURS;

/// The index of the stencil attachment.
pub const STENCIL: usize = COLOURS + 1;

/// A framebuffer object.
#[derive(Clone, Debug)]
pub struct Framebuffer {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether the object exists: the first binding of a name creates it.
    pub exists: bool,
    /// Attachments: colours, then depth and stencil.
    pub attachments: [Attachment; COLOURS + 2],
    /// Draw and read buffers.
    pub buffers: Buffers,
    /// `GL_FRAMEBUFFER_DEFAULT_…`: width, height, layers and samples.
    pub defaults: [i32; 4],
    /// `GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS`: a boolean, but stored as given.
    pub default_fixed: u8,
    /// `GL_FRAMEBUFFER_FLIP_Y_MESA`.
    pub flip_y: bool,
}

/// Draw and read buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffers {
    /// `GL_DRAW_BUFFER0` and so on.
    pub draw: [u32; COLOURS],
    /// `GL_READ_BUFFER`.
    pub read: u32,
}

/// An attachment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Attachment {
    /// Nothing.
    #[default]
    None,
    /// A renderbuffer.
    Renderbuffer(Bound),
    /// An image of a texture, or several as layers.
    Texture {
        /// The texture.
        texture: Bound,
        /// Its target.
        target: Target,
        /// The level.
        level: i32,
        /// The face, layer or slice; 0 when the attachment is layered.
        layer: i32,
        /// Whether the attachment is layered.
        layered: bool,
    },
}

/// The images behind a framebuffer's draw buffers, depth and stencil.
#[derive(Clone, Debug, Default)]
pub struct DrawnTo {
    /// By draw buffer: empty for none, several when it stands for several buffers of a surface.
    pub colours: [Vec<Drawn>; COLOURS],
    /// Depth.
    pub depth: Option<Drawn>,
    /// Stencil.
    pub stencil: Option<Drawn>,
    /// Samples of a pixel, 0 without multisampling.
    pub samples: u32,
}

/// An image that is rendered to.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Its contents, by layer.
    pub things: Vec<ContentsRef>,
    /// The requested internal format; 0 for a plane of a surface.
    pub internal: u32,
    /// Its storage.
    pub storage: Storage,
}

/// The storage of an image that is rendered to.
#[derive(Clone, Copy, Debug)]
pub enum Storage {
    /// An image of a format.
    Format(&'static Format),
    /// A plane of a surface.
    Surface {
        /// The surface.
        surface: Surface,
        /// Whether its colours can be treated as sRGB.
        srgb: bool,
    },
}

/// Framebuffer and renderbuffer bindings of a context.
#[derive(Clone, Debug)]
pub struct Targets {
    /// `GL_DRAW_FRAMEBUFFER_BINDING`; 0 is the default framebuffer.
    pub draw: u32,
    /// `GL_READ_FRAMEBUFFER_BINDING`.
    pub read: u32,
    /// `GL_RENDERBUFFER_BINDING`.
    pub renderbuffer: Bound,
    /// Draw and read buffers of the default framebuffer.
    pub default: Arc<Buffers>,
}

impl Framebuffer {
    /// Returns the initial state (GL 4.6, tables 23.24 and 23.25).
    #[must_use]
    pub fn new(object: u64, exists: bool) -> Framebuffer {
        Framebuffer {
            object,
            exists,
            attachments: [Attachment::None; COLOURS + 2],
            buffers: Buffers::only(c::GL_COLOR_ATTACHMENT0),
            defaults: [0; 4],
            default_fixed: 0,
            flip_y: false,
        }
    }

    /// Returns the index of an attachment by its name. `GL_DEPTH_STENCIL_ATTACHMENT` means two, so it has none.
    #[must_use]
    pub fn place(attachment: u32) -> Option<usize> {
        match attachment {
            c::GL_DEPTH_ATTACHMENT => Some(DEPTH),
            c::GL_STENCIL_ATTACHMENT => Some(STENCIL),
            _ => {
                let colour = attachment.wrapping_sub(c::GL_COLOR_ATTACHMENT0) as usize;
                (colour < COLOURS).then_some(colour)
            }
        }
    }
}

impl Attachment {
    /// Returns whether it is this object.
    #[must_use]
    pub fn is(&self, object: u64) -> bool {
        match self {
            Attachment::None => false,
            Attachment::Renderbuffer(bound) => bound.object == object,
            Attachment::Texture { texture, .. } => texture.object == object,
        }
    }
}

impl Default for Targets {
    fn default() -> Targets {
        let default = Arc::new(Buffers::only(c::GL_BACK));
        Targets { draw: 0, read: 0, renderbuffer: Bound::default(), default }
    }
}

impl Buffers {
    /// Returns buffers of which one is both drawn to and read from.
    #[must_use]
    pub fn only(buffer: u32) -> Buffers {
        let mut draw = [c::GL_NONE; COLOURS];
        draw[0] = buffer;
        Buffers { draw, read: buffer }
    }
}
