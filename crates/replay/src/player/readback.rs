//! Reads framebuffers without changing the context's state.
//!
//! Pictures are in the form that capture uses, so that they can be compared: RGBA, a byte each, bottom row first, tightly
//! packed.

use api::request::Client;
use api::{constant as c, id};
use device::Picture;

use super::{Contents, Player};
use crate::world::Side;

/// No picture is larger on a side; no driver has larger framebuffers.
const LARGEST: u32 = 1 << 15;

/// The framebuffer to read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// A buffer of the surface.
    Surface(Side),
    /// The one bound for reading.
    Bound,
    /// The one bound for drawing.
    Drawn,
    /// A colour attachment of the one bound for drawing.
    Attachment(u32),
}

/// Calls that restore the state, in reverse order.
pub(super) type Undo = Vec<(api::CommandId, Vec<u64>)>;

/// Capabilities of a context for reading.
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
    /// Returns the picture in the back buffer, or the only buffer, of the current surface.
    pub fn surface_picture(&mut self) -> Option<Picture> {
        self.side_picture(Side::Back)
    }

    /// Returns the picture of the current surface, in the size that capture read.
    pub fn frame_picture(&mut self, width: u32, height: u32) -> Option<Picture> {
        self.picture(Of::Surface(Side::Back), width, height)
    }

    fn side_picture(&mut self, side: Side) -> Option<Picture> {
        let (width, height) = self.world.surface_size(self.world.active().read)?;
        self.picture(Of::Surface(side), u32::try_from(width).ok()?, u32::try_from(height).ok()?)
    }

    /// Takes pending errors from the driver, as capture does before it reads pixels: `glGetError` returns them later, and new
    /// errors meanwhile are noticed.
    pub fn keep_errors(&mut self) {
        /// A lost context may return errors for ever.
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

    /// Returns the picture in the read framebuffer.
    pub fn bound_picture(&mut self, width: u32, height: u32) -> Option<Picture> {
        self.picture(Of::Bound, width, height)
    }

    /// Returns the picture in the draw framebuffer: the whole surface, or the extent of the viewport.
    pub fn drawn_picture(&mut self) -> Option<Picture> {
        let (context, _) = self.world.current()?;
        if context.draw_framebuffer == 0 {
            let side = context.sides.draw;
            return self.side_picture(side);
        }
        let viewport: [i32; 4] = self.integers(c::GL_VIEWPORT);
        let reach = |start: i32, size: i32| u32::try_from(start.saturating_add(size)).ok();
        let (width, height) = (reach(viewport[0], viewport[2])?, reach(viewport[1], viewport[3])?);
        self.picture(Of::Drawn, width, height)
    }

    /// Returns one pixel of a draw buffer of the draw framebuffer, in a format and type, read as pictures are.
    ///
    /// # Errors
    /// When it cannot be read: one sentence that says why.
    pub fn drawn_pixel(&mut self, buffer: u32, [x, y]: [u32; 2], form: [u32; 2]) -> Result<Contents, String> {
        let length = match form {
            [c::GL_RGBA, c::GL_UNSIGNED_BYTE] => 4,
            [c::GL_RGBA, c::GL_FLOAT] | [c::GL_RGBA_INTEGER, c::GL_INT | c::GL_UNSIGNED_INT] => 16,
            _ => return Err("pixels are not read in this format".to_owned()),
        };
        let seat = self.world.active();
        let (context, _) = self.world.current().ok_or("there is no context")?;
        let (object, side) = (context.draw_framebuffer != 0, context.sides.draw);
        match () {
            () if context.begun => return Err("no pixel can be read between glBegin and glEnd".to_owned()),
            () if !self.world.drawn() => return Err("nothing was drawn to the surface".to_owned()),
            () if !object && seat.draw != seat.read => {
                return Err("the context reads from another surface than it draws to".to_owned());
            }
            () => {}
        }
        // Errors from reading pixels are not the program's.
        self.keep_errors();
        let can = self.abilities().ok_or("there is no context")?;
        let of = match object {
            false => Of::Surface(side),
            true if !can.read_buffer => Of::Drawn,
            true => Of::Attachment(self.integer(c::GL_DRAW_BUFFER0.saturating_add(buffer)).cast_unsigned()),
        };
        let mut bytes = vec![0; length];
        let read = self.read_into(of, can, &[x, y, 1, 1, form[0], form[1]].map(u64::from), &mut bytes);
        let error = self.take_error();
        while self.take_error() != 0 {}
        if error != 0 || read.is_none() {
            return Err(format!("the driver refuses to show it (error {error:#06x})"));
        }
        let ([format, pixel_type], size) = (form, [1; 3]);
        let (kind, target) = (c::GL_FRAMEBUFFER_DEFAULT, c::GL_COLOR);
        Ok(Contents { context: seat.context, kind, name: 0, target, level: 0, size, format, pixel_type, bytes })
    }

    /// Returns the numbers of the colour buffers after the first that a framebuffer object is drawn to through, and what
    /// they are attached to.
    pub fn further_buffers(&mut self) -> Vec<(u32, u32)> {
        /// No driver has more.
        const MOST: u32 = 32;
        let drawn = self.world.current().is_some_and(|(context, _)| context.draw_framebuffer != 0);
        if !drawn || !self.abilities().is_some_and(|can| can.read_buffer && can.framebuffers) {
            return Vec::new();
        }
        let count = u32::try_from(self.integer(c::GL_MAX_DRAW_BUFFERS)).unwrap_or(1).min(MOST);
        let first = self.integer(c::GL_DRAW_BUFFER0);
        let mut all = Vec::new();
        for number in 1..count {
            let buffer = self.integer(c::GL_DRAW_BUFFER0 + number);
            if buffer != 0 && buffer != first {
                all.push((number, buffer.cast_unsigned()));
            }
        }
        all
    }

    /// Returns the picture in a colour attachment of the draw framebuffer.
    pub fn buffer_picture(&mut self, buffer: u32, width: u32, height: u32) -> Option<Picture> {
        self.picture(Of::Attachment(buffer), width, height)
    }

    fn picture(&mut self, of: Of, width: u32, height: u32) -> Option<Picture> {
        if width == 0 || height == 0 || width > LARGEST || height > LARGEST {
            return None;
        }
        let can = self.abilities()?;
        let mut rgba = vec![0u8; width as usize * height as usize * 4];
        let words = [0, 0, width, height, c::GL_RGBA, c::GL_UNSIGNED_BYTE].map(u64::from);
        self.read_into(of, can, &words, &mut rgba)?;
        Some(Picture { width, height, rgba })
    }

    /// Calls `glReadPixels` with these words on a framebuffer.
    fn read_into(&mut self, of: Of, can: Abilities, words: &[u64], bytes: &mut [u8]) -> Option<()> {
        if let (Of::Surface(side), true) = (of, self.world.fronts) {
            self.world.look_at(self.world.active().read, side).ok()?;
        }
        let undo = self.set_up(of, can);
        self.own_call_writing(id::glReadPixels, words, bytes);
        self.undo(undo);
        if self.world.fronts {
            self.world.look_back().ok()?;
        }
        Some(())
    }

    /// Sets the state that `glReadPixels` depends on, and returns calls that restore it.
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
        let buffer = match of {
            Of::Surface(_) => Some(c::GL_BACK),
            Of::Attachment(buffer) => Some(buffer),
            Of::Bound | Of::Drawn => None,
        };
        if let Some(buffer) = buffer.filter(|_| can.read_buffer) {
            let before = self.integer(c::GL_READ_BUFFER);
            let read = id::glReadBuffer;
            if before.cast_unsigned() != buffer {
                self.own_call(read, &[u64::from(buffer)]);
                undo.push((read, vec![word(before)]));
            }
        }
        undo
    }

    /// Restores the state.
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

    /// Returns the driver's `GL_RENDERER`; empty when there is no context.
    pub fn renderer(&mut self) -> String {
        self.string(c::GL_RENDERER)
    }

    /// Returns whether rasterisation is disabled (GL 4.6, 14.1).
    pub(super) fn discards(&mut self) -> bool {
        let modern = self.abilities().is_some_and(|abilities| abilities.two_framebuffers);
        modern && self.own_call(id::glIsEnabled, &[u64::from(c::GL_RASTERIZER_DISCARD)]) & 0xFF != 0
    }

    /// Returns the version of the current context.
    fn version(&mut self) -> (u32, u32) {
        let text = self.string(c::GL_VERSION);
        let number = text.split(|c: char| !c.is_ascii_digit() && c != '.').find(|part| part.contains('.'));
        let mut parts = number.unwrap_or("1.0").split('.').map(|part| part.parse().unwrap_or(0));
        (parts.next().unwrap_or(1), parts.next().unwrap_or(0))
    }

    /// Returns the result of `glGetString`; empty when there is no context.
    pub(crate) fn string(&mut self, name: u32) -> String {
        if self.world.current().is_none() {
            return String::new();
        }
        self.world.gl.string(name, None)
    }

    /// Returns the name of an extension by its number.
    pub(crate) fn extension(&mut self, number: u32) -> String {
        self.world.gl.string(c::GL_EXTENSIONS, Some(number))
    }
}

pub(super) fn word(value: i32) -> u64 {
    u64::from(value.cast_unsigned())
}
