//! Pictures of what is drawn, taken without a trace of it in the context's state.
//!
//! The rule is that of capture, so that pictures can be compared: RGBA, a byte each, bottom row first, tightly packed.

use driver::Client;

use super::Player;

/// Pixels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Four bytes a pixel, bottom row first.
    pub rgba: Vec<u8>,
}

/// No picture is larger on a side; no driver has larger framebuffers.
const LARGEST: u32 = 1 << 15;

const RGBA: u64 = 0x1908;
const UNSIGNED_BYTE: u64 = 0x1401;
const BACK: u64 = 0x0405;
const READ_BUFFER: u32 = 0x0C02;
const PACK_ALIGNMENT: u32 = 0x0D05;
const PACK_SWAP_BYTES: u32 = 0x0D00;
const PACK_ROW_LENGTH: u32 = 0x0D02;
const PACK_SKIP_ROWS: u32 = 0x0D03;
const PACK_SKIP_PIXELS: u32 = 0x0D04;
const PIXEL_PACK_BUFFER: u64 = 0x88EB;
const PIXEL_PACK_BUFFER_BINDING: u32 = 0x88ED;
const FRAMEBUFFER: u64 = 0x8D40;
const FRAMEBUFFER_BINDING: u32 = 0x8CA6;
const READ_FRAMEBUFFER: u64 = 0x8CA8;
const READ_FRAMEBUFFER_BINDING: u32 = 0x8CAA;
const VIEWPORT: u32 = 0x0BA2;

/// Which framebuffer to look at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// The surface's back buffer.
    Surface,
    /// The one bound for reading.
    Bound,
    /// The one bound for drawing.
    Drawn,
}

/// What a context can be asked.
#[derive(Clone, Copy)]
struct Abilities {
    /// Reading and drawing may be bound to different framebuffers.
    two_framebuffers: bool,
    framebuffers: bool,
    pixel_buffers: bool,
    pack_layout: bool,
    swap_bytes: bool,
    read_buffer: bool,
}

impl Player {
    /// What is drawn on the current surface.
    pub fn surface_picture(&mut self) -> Option<Picture> {
        let (width, height) = self.world.surface_size(self.world.active().read)?;
        self.picture(Of::Surface, u32::try_from(width).ok()?, u32::try_from(height).ok()?)
    }

    /// What is drawn on the current surface, as much of it as capture looked at.
    pub fn frame_picture(&mut self, width: u32, height: u32) -> Option<Picture> {
        self.picture(Of::Surface, width, height)
    }

    /// Takes errors from the driver, as capture does before it reads pixels: `glGetError` gives them later, and others
    /// that happen meanwhile are not lost behind them.
    pub fn keep_errors(&mut self) {
        /// A lost context may have errors for ever.
        const MOST: usize = 8;
        let id = self.plain.get_error;
        for _ in 0..MOST {
            let error = self.own_call(id, &[]);
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
            return self.surface_picture();
        }
        let mut viewport = [0i32; 64];
        let id = self.plain.get_integer;
        self.own_call(id, &[u64::from(VIEWPORT), viewport.as_mut_ptr() as u64]);
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
        let undo = self.set_up(of, can);
        let (w, h) = (u64::from(width), u64::from(height));
        let id = self.plain.read_pixels;
        self.own_call(id, &[0, 0, w, h, RGBA, UNSIGNED_BYTE, rgba.as_mut_ptr() as u64]);
        for (command, args) in undo.into_iter().rev() {
            self.own_call(command, &args);
        }
        Some(Picture { width, height, rgba })
    }

    /// Sets what `glReadPixels` depends on, and returns the calls that set it back, in reverse order.
    fn set_up(&mut self, of: Of, can: Abilities) -> Vec<(api::CommandId, Vec<u64>)> {
        let mut undo = Vec::new();
        let store = self.plain.pixel_store;
        let mut wanted = vec![(PACK_ALIGNMENT, 1)];
        if can.pack_layout {
            wanted.extend([(PACK_ROW_LENGTH, 0), (PACK_SKIP_ROWS, 0), (PACK_SKIP_PIXELS, 0)]);
        }
        if can.swap_bytes {
            wanted.push((PACK_SWAP_BYTES, 0));
        }
        for (name, value) in wanted {
            let before = self.integer(name);
            if before != value {
                self.own_call(store, &[u64::from(name), word(value)]);
                undo.push((store, vec![u64::from(name), word(before)]));
            }
        }
        if can.pixel_buffers {
            let before = self.integer(PIXEL_PACK_BUFFER_BINDING);
            let bind = self.plain.bind_buffer;
            if before != 0 {
                self.own_call(bind, &[PIXEL_PACK_BUFFER, 0]);
                undo.push((bind, vec![PIXEL_PACK_BUFFER, word(before)]));
            }
        }
        if of != Of::Bound && can.framebuffers {
            let (target, binding) = if can.two_framebuffers {
                (READ_FRAMEBUFFER, READ_FRAMEBUFFER_BINDING)
            } else {
                (FRAMEBUFFER, FRAMEBUFFER_BINDING)
            };
            let before = self.integer(binding);
            let wanted = if of == Of::Surface { 0 } else { self.integer(FRAMEBUFFER_BINDING) };
            let bind = self.plain.bind_framebuffer;
            if before != wanted {
                self.own_call(bind, &[target, word(wanted)]);
                undo.push((bind, vec![target, word(before)]));
            }
        }
        if of == Of::Surface && can.read_buffer {
            let before = self.integer(READ_BUFFER);
            let read = self.plain.read_buffer;
            if u64::from(before.cast_unsigned()) != BACK {
                self.own_call(read, &[BACK]);
                undo.push((read, vec![word(before)]));
            }
        }
        undo
    }

    fn abilities(&mut self) -> Option<Abilities> {
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
        const RENDERER: u64 = 0x1F01;
        self.string(RENDERER)
    }

    /// The version of the current context.
    fn version(&mut self) -> (u32, u32) {
        const VERSION: u64 = 0x1F02;
        let text = self.string(VERSION);
        let number = text.split(|c: char| !c.is_ascii_digit() && c != '.').find(|part| part.contains('.'));
        let mut parts = number.unwrap_or("1.0").split('.').map(|part| part.parse().unwrap_or(0));
        (parts.next().unwrap_or(1), parts.next().unwrap_or(0))
    }

    fn string(&mut self, name: u64) -> String {
        if self.world.current().is_none() {
            return String::new();
        }
        let id = self.plain.get_string;
        let word = self.own_call(id, &[name]);
        #[allow(unsafe_code, reason = "GL returns text as a pointer")]
        // SAFETY: the word is what glGetString returned just now.
        let text = unsafe { driver::text(word) };
        text
    }
}

fn word(value: i32) -> u64 {
    u64::from(value.cast_unsigned())
}
