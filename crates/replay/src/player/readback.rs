//! Pictures of what is drawn, taken without a trace of it in the context's state.
//!
//! The rule is that of capture, so that pictures can be compared: RGBA, a byte each, bottom row first, tightly packed.

use api::{constant as c, id};
use device::Picture;
use driver::Client;

use super::Player;
use crate::world::Side;

/// No picture is larger on a side; no driver has larger framebuffers.
const LARGEST: u32 = 1 << 15;

/// Which framebuffer to look at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// A buffer of the surface.
    Surface(Side),
    /// The one bound for reading.
    Bound,
    /// The one bound for drawing.
    Drawn,
}

/// Calls that set back what was set, in reverse order.
pub(super) type Undo = Vec<(api::CommandId, Vec<u64>)>;

/// What a context can be asked.
#[derive(Clone, Copy)]
pub(super) struct Abilities {
    /// Reading and drawing may be bound to different framebuffers.
    two_framebuffers: bool,
    framebuffers: bool,
    pixel_buffers: bool,
    pack_layout: bool,
    swap_bytes: bool,
    read_buffer: bool,
}

impl Player {
    /// What is drawn on the current surface, in its back buffer or its only one.
    pub fn surface_picture(&mut self) -> Option<Picture> {
        self.side_picture(Side::Back)
    }

    /// What is drawn on the current surface, as much of it as capture looked at.
    pub fn frame_picture(&mut self, width: u32, height: u32) -> Option<Picture> {
        self.picture(Of::Surface(Side::Back), width, height)
    }

    fn side_picture(&mut self, side: Side) -> Option<Picture> {
        let (width, height) = self.world.surface_size(self.world.active().read)?;
        self.picture(Of::Surface(side), u32::try_from(width).ok()?, u32::try_from(height).ok()?)
    }

    /// Takes errors from the driver, as capture does before it reads pixels: `glGetError` gives them later, and others
    /// that happen meanwhile are not lost behind them.
    pub fn keep_errors(&mut self) {
        /// A lost context may have errors for ever.
        const MOST: usize = 8;
        for _ in 0..MOST {
            let error = self.own_call(id::glGetError, &[]);
            if error == 0 {
                return;
            }
            if let Some((context, _)) = self.world.current() {
                context.errors.push(error);
            }
        }
    }

    /// What is in the framebuffer that is bound for reading.
    pub fn bound_picture(&mut self, width: u32, height: u32) -> Option<Picture> {
        self.picture(Of::Bound, width, height)
    }

    /// What is in the framebuffer that is bound for drawing: all of the surface, or as much as the viewport reaches.
    pub fn drawn_picture(&mut self) -> Option<Picture> {
        let (context, _) = self.world.current()?;
        if context.draw_framebuffer == 0 {
            let side = context.sides.draw;
            return self.side_picture(side);
        }
        let viewport = self.integers(c::GL_VIEWPORT);
        let reach = |start: i32, size: i32| u32::try_from(start.saturating_add(size)).ok();
        let (width, height) = (reach(viewport[0], viewport[2])?, reach(viewport[1], viewport[3])?);
        self.picture(Of::Drawn, width, height)
    }

    fn picture(&mut self, of: Of, width: u32, height: u32) -> Option<Picture> {
        if width == 0 || height == 0 || width > LARGEST || height > LARGEST {
            return None;
        }
        let can = self.abilities()?;
        let mut rgba = vec![0u8; width as usize * height as usize * 4];
        if let (Of::Surface(side), true) = (of, self.world.fronts) {
            self.world.look_at(self.world.active().read, side).ok()?;
        }
        let undo = self.set_up(of, can);
        let (w, h) = (u64::from(width), u64::from(height));
        self.own_call(
            id::glReadPixels,
            &[0, 0, w, h, u64::from(c::GL_RGBA), u64::from(c::GL_UNSIGNED_BYTE), rgba.as_mut_ptr() as u64],
        );
        self.undo(undo);
        if self.world.fronts {
            self.world.look_back().ok()?;
        }
        Some(Picture { width, height, rgba })
    }

    /// Sets what `glReadPixels` depends on, and returns what sets it back.
    pub(super) fn set_up(&mut self, of: Of, can: Abilities) -> Undo {
        let mut undo = Vec::new();
        let mut wanted = vec![(c::GL_PACK_ALIGNMENT, 1)];
        if can.pack_layout {
            wanted.extend([(c::GL_PACK_ROW_LENGTH, 0), (c::GL_PACK_SKIP_ROWS, 0), (c::GL_PACK_SKIP_PIXELS, 0)]);
        }
        if can.swap_bytes {
            wanted.push((c::GL_PACK_SWAP_BYTES, 0));
        }
        let store = id::glPixelStorei;
        for (name, value) in wanted {
            let before = self.integer(name);
            if before != value {
                self.own_call(store, &[u64::from(name), word(value)]);
                undo.push((store, vec![u64::from(name), word(before)]));
            }
        }
        if can.pixel_buffers {
            let (target, before) = (u64::from(c::GL_PIXEL_PACK_BUFFER), self.integer(c::GL_PIXEL_PACK_BUFFER_BINDING));
            let bind = id::glBindBuffer;
            if before != 0 {
                self.own_call(bind, &[target, 0]);
                undo.push((bind, vec![target, word(before)]));
            }
        }
        if of != Of::Bound && can.framebuffers {
            let (target, binding) = if can.two_framebuffers {
                (u64::from(c::GL_READ_FRAMEBUFFER), c::GL_READ_FRAMEBUFFER_BINDING)
            } else {
                (u64::from(c::GL_FRAMEBUFFER), c::GL_FRAMEBUFFER_BINDING)
            };
            let before = self.integer(binding);
            let wanted = if matches!(of, Of::Surface(_)) { 0 } else { self.integer(c::GL_FRAMEBUFFER_BINDING) };
            let bind = id::glBindFramebuffer;
            if before != wanted {
                self.own_call(bind, &[target, word(wanted)]);
                undo.push((bind, vec![target, word(before)]));
            }
        }
        if matches!(of, Of::Surface(_)) && can.read_buffer {
            let before = self.integer(c::GL_READ_BUFFER);
            let read = id::glReadBuffer;
            if before.cast_unsigned() != c::GL_BACK {
                self.own_call(read, &[u64::from(c::GL_BACK)]);
                undo.push((read, vec![word(before)]));
            }
        }
        undo
    }

    /// Sets back what was set.
    pub(super) fn undo(&mut self, undo: Undo) {
        for (command, args) in undo.into_iter().rev() {
            self.own_call(command, &args);
        }
    }

    pub(super) fn abilities(&mut self) -> Option<Abilities> {
        let (context, _) = self.world.current()?;
        let client = context.client;
        let version = match context.version {
            Some(version) => version,
            None => {
                let version = self.version();
                self.world.current()?.0.version = Some(version);
                version
            }
        };
        let desktop = client == Client::Desktop;
        let modern = version >= (3, 0);
        Some(Abilities {
            two_framebuffers: modern,
            framebuffers: modern || client == Client::Es,
            pixel_buffers: modern || (desktop && version >= (2, 1)),
            pack_layout: desktop || modern,
            swap_bytes: desktop,
            read_buffer: desktop || modern,
        })
    }

    /// What the driver of the current context calls itself; empty when there is none.
    pub fn renderer(&mut self) -> String {
        self.string(c::GL_RENDERER)
    }

    /// Whether primitives are discarded before they leave anything behind (GL 4.6, 14.1).
    pub(super) fn discards(&mut self) -> bool {
        let modern = self.abilities().is_some_and(|abilities| abilities.two_framebuffers);
        modern && self.own_call(id::glIsEnabled, &[u64::from(c::GL_RASTERIZER_DISCARD)]) & 0xFF != 0
    }

    /// The version of the current context.
    fn version(&mut self) -> (u32, u32) {
        let text = self.string(c::GL_VERSION);
        let number = text.split(|c: char| !c.is_ascii_digit() && c != '.').find(|part| part.contains('.'));
        let mut parts = number.unwrap_or("1.0").split('.').map(|part| part.parse().unwrap_or(0));
        (parts.next().unwrap_or(1), parts.next().unwrap_or(0))
    }

    /// What `glGetString` says; empty when there is no context.
    pub(crate) fn string(&mut self, name: u32) -> String {
        if self.world.current().is_none() {
            return String::new();
        }
        let word = self.own_call(id::glGetString, &[u64::from(name)]);
        #[allow(unsafe_code, reason = "GL returns text as a pointer")]
        // SAFETY: the word is what glGetString returned just now.
        let text = unsafe { driver::text(word) };
        text
    }

    /// The name of an extension by its number.
    pub(crate) fn extension(&mut self, number: u32) -> String {
        let word = self.own_call(api::id::glGetStringi, &[u64::from(c::GL_EXTENSIONS), u64::from(number)]);
        #[allow(unsafe_code, reason = "GL returns text as a pointer")]
        // SAFETY: the word is what glGetStringi returned just now.
        let text = unsafe { driver::text(word) };
        text
    }
}

fn word(value: i32) -> u64 {
    u64::from(value.cast_unsigned())
}
