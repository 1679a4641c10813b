//! The whole state at one point of a trace.

use std::sync::Arc;

use imbl::OrdMap;

use crate::context::Context;
use crate::share::ShareGroup;
use crate::work::Work;

/// The whole state. Cloning is cheap: parts are shared until one of the copies changes them.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Contexts by their number in the trace.
    pub contexts: Vec<Option<Arc<Context>>>,
    /// Share groups.
    pub groups: Vec<Arc<ShareGroup>>,
    /// Surfaces by their number in the trace.
    pub surfaces: OrdMap<u32, Surface>,
    /// By thread, what is current.
    pub seats: Vec<Seat>,
    /// What the calls so far have cost.
    pub(crate) work: Work,
}

/// What is current in a thread: numbers of a context and of surfaces, 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seat {
    /// The context.
    pub context: u32,
    /// The draw surface.
    pub draw: u32,
    /// The read surface.
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
    /// Whether it supports sRGB colours.
    pub srgb: bool,
}

impl Model {
    /// Returns the context of that number.
    #[must_use]
    pub fn context(&self, number: u32) -> Option<&Context> {
        self.contexts.get(number as usize)?.as_deref()
    }

    /// Returns what is current in a thread.
    #[must_use]
    pub fn seat(&self, thread: u32) -> Seat {
        self.seats.get(thread as usize).copied().unwrap_or_default()
    }

    /// Returns a context with which the objects in the tables of a share group can be used.
    #[must_use]
    pub fn member(&self, group: usize) -> Option<&Context> {
        let realm = self.groups.get(group)?.realm;
        self.contexts.iter().flatten().map(Arc::as_ref).find(|context| context.group == group && context.realm == realm)
    }

    /// Returns a share group.
    #[must_use]
    pub fn group_of(&self, context: &Context) -> Option<&ShareGroup> {
        self.groups.get(context.group).map(Arc::as_ref)
    }
}
