//! Everything that exists at one moment of a trace.

use std::sync::Arc;

use imbl::OrdMap;

use crate::context::Context;
use crate::share::ShareGroup;

/// Everything that exists. Cloning it is cheap: parts are shared until one of the copies changes them.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Contexts by capture's number for them.
    pub contexts: Vec<Option<Arc<Context>>>,
    /// What contexts share.
    pub groups: Vec<Arc<ShareGroup>>,
    /// Surfaces by capture's number for them.
    pub surfaces: OrdMap<u32, Surface>,
    /// What each thread of the program has made current.
    pub seats: Vec<Seat>,
}

/// What is current in a thread: numbers of a context and of surfaces, 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seat {
    /// The context.
    pub context: u32,
    /// Where the default framebuffer's pixels are drawn to.
    pub draw: u32,
    /// Where they are read from.
    pub read: u32,
}

/// A surface: a window, a pbuffer or a pixmap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Surface {
    /// 0 for a window, 1 for a pbuffer, 2 for a pixmap.
    pub kind: u32,
    /// Its width and height in pixels.
    pub size: (i32, i32),
    /// Bits of red, green, blue and alpha.
    pub colour: [i32; 4],
    /// Bits of depth.
    pub depth: i32,
    /// Bits of stencil.
    pub stencil: i32,
    /// Samples of a pixel, 0 without multisampling.
    pub samples: i32,
    /// Whether there is a back buffer.
    pub double: bool,
    /// Whether it can hold sRGB colours.
    pub srgb: bool,
}

impl Model {
    /// The context of that number.
    #[must_use]
    pub fn context(&self, number: u32) -> Option<&Context> {
        self.contexts.get(number as usize)?.as_deref()
    }

    /// What a thread has made current.
    #[must_use]
    pub fn seat(&self, thread: u32) -> Seat {
        self.seats.get(thread as usize).copied().unwrap_or_default()
    }

    /// What the contexts of a group share.
    #[must_use]
    pub fn group_of(&self, context: &Context) -> Option<&ShareGroup> {
        self.groups.get(context.group).map(Arc::as_ref)
    }
}
