//! Framebuffer objects.

use std::sync::Arc;

use api::constant as c;

use super::format::Format;
use super::texture::{Bound, Target};
use crate::model::Surface;
use crate::notes::Thing;

/// How many colour attachments and draw buffers are kept; no driver has more.
pub const COLOURS: usize = 8;

/// The place of the depth attachment.
pub const DEPTH: usize = COLOURS;

/// The place of the stencil attachment.
pub const STENCIL: usize = COLOURS + 1;

/// A framebuffer object.
#[derive(Clone, Debug)]
pub struct Framebuffer {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether it was ever bound; before, it is only a name.
    pub exists: bool,
    /// Attachments: colours, then depth and stencil.
    pub attachments: [Attachment; COLOURS + 2],
    /// Which buffers are drawn to and read from.
    pub buffers: Buffers,
    /// `GL_FRAMEBUFFER_DEFAULT_…`: width, height, layers and samples.
    pub defaults: [i32; 4],
    /// `GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS`: true or false, but given as any number.
    pub default_fixed: u8,
    /// `GL_FRAMEBUFFER_FLIP_Y_MESA`.
    pub flip_y: bool,
}

/// Which colour buffers are drawn to and read from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffers {
    /// `GL_DRAW_BUFFER0` and so on.
    pub draw: [u32; COLOURS],
    /// `GL_READ_BUFFER`.
    pub read: u32,
}

/// What is attached somewhere.
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
        /// The face, layer or slice; 0 when all of them are attached.
        layer: i32,
        /// Whether all layers are attached.
        layered: bool,
    },
}

/// What a framebuffer's draw buffers, depth and stencil are.
#[derive(Clone, Debug, Default)]
pub struct DrawnTo {
    /// By draw buffer: nothing where it is none, several where it stands for several buffers of a surface.
    pub colours: [Vec<Drawn>; COLOURS],
    /// Depth.
    pub depth: Option<Drawn>,
    /// Stencil.
    pub stencil: Option<Drawn>,
    /// Samples of a pixel, 0 without multisampling.
    pub samples: u32,
}

/// An image that is drawn to.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// What holds it, layer by layer.
    pub things: Vec<Thing>,
    /// The internal format that was asked for; 0 for a plane of a surface.
    pub internal: u32,
    /// How it is stored.
    pub storage: Storage,
}

/// How something that is drawn to is stored.
#[derive(Clone, Copy, Debug)]
pub enum Storage {
    /// As an image of a format.
    Format(&'static Format),
    /// As a plane of a surface; `srgb` says whether its colours can be taken for sRGB.
    Surface {
        /// The surface.
        surface: Surface,
        /// Whether it can be.
        srgb: bool,
    },
}

/// What a context has bound of framebuffers and renderbuffers.
#[derive(Clone, Debug)]
pub struct Targets {
    /// `GL_DRAW_FRAMEBUFFER_BINDING`; 0 is the default framebuffer.
    pub draw: u32,
    /// `GL_READ_FRAMEBUFFER_BINDING`.
    pub read: u32,
    /// `GL_RENDERBUFFER_BINDING`.
    pub renderbuffer: Bound,
    /// Which buffers of the default framebuffer are drawn to and read from.
    pub default: Arc<Buffers>,
}

impl Framebuffer {
    /// A new one (GL 4.6, tables 23.24 to 23.26).
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

    /// The place of an attachment by its name. `GL_DEPTH_STENCIL_ATTACHMENT` is two, so it is none.
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
    /// Whether it is this object.
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
    /// One buffer that is both drawn to and read from.
    #[must_use]
    pub fn only(buffer: u32) -> Buffers {
        let mut draw = [c::GL_NONE; COLOURS];
        draw[0] = buffer;
        Buffers { draw, read: buffer }
    }
}
