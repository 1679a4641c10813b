//! Clears.

use api::{constant as c, id};
use raster::format::Numeric;
use raster::{Clear, Color};
use state::{Call, View, variable as var};

use super::planes::Role;
use super::{Fate, FragmentOps, Pixel, operations};

/// What a command clears, and the values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Clearing {
    /// Buffers as bits, such as `GL_COLOR_BUFFER_BIT`, with the current clear values.
    Buffers(u32),
    /// A draw buffer.
    Colour {
        /// Its index.
        draw_buffer: usize,
        /// The clear colour.
        value: Color,
    },
    /// Depth.
    Depth(f32),
    /// Stencil.
    Stencil(i32),
    /// Both.
    DepthStencil(f32, i32),
}

/// The current clear values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Values {
    colour: [f32; 4],
    depth: f32,
    stencil: i32,
    depth_mask: bool,
    stencil_mask: u8,
}

impl Values {
    pub fn new(view: &View<'_>) -> Values {
        let vars = &view.context.vars;
        Values {
            colour: operations::four(vars, var::COLOR_CLEAR_VALUE),
            depth: vars.get(var::DEPTH_CLEAR_VALUE) as f32,
            stencil: vars.get(var::STENCIL_CLEAR_VALUE) as i32,
            depth_mask: vars.get(var::DEPTH_WRITEMASK) != 0.0,
            // Clears use the stencil mask of front faces (GL 4.6, 17.4.3).
            stencil_mask: (vars.get(var::STENCIL_WRITEMASK) as i64 & 0xFF) as u8,
        }
    }
}

impl Clearing {
    /// What a call clears, and the framebuffer that it names, if any; `None` if it is not a clear.
    #[must_use]
    pub fn of_call(call: &Call<'_>) -> Option<(Clearing, Option<u32>)> {
        let word = |at: usize| call.args.get(at).copied().unwrap_or(0) as u32;
        let (first, named) = match call.command {
            id::glClear => return Some((Clearing::Buffers(word(0)), None)),
            id::glClearBufferfv | id::glClearBufferiv | id::glClearBufferuiv | id::glClearBufferfi => (0, None),
            id::glClearNamedFramebufferfv
            | id::glClearNamedFramebufferiv
            | id::glClearNamedFramebufferuiv
            | id::glClearNamedFramebufferfi => (1, Some(word(0))),
            _ => return None,
        };
        if matches!(call.command, id::glClearBufferfi | id::glClearNamedFramebufferfi) {
            let clearing = Clearing::DepthStencil(f32::from_bits(word(first + 2)), word(first + 3).cast_signed());
            return Some((clearing, named));
        }
        let bytes = call.memory.input_bytes(first as u8 + 2)?;
        let value = |at: usize| {
            let bytes = bytes.get(at * 4..at * 4 + 4).and_then(|bytes| bytes.try_into().ok());
            u32::from_le_bytes(bytes.unwrap_or_default())
        };
        let four = [0, 1, 2, 3].map(value);
        let clearing = match word(first) {
            c::GL_DEPTH => Clearing::Depth(f32::from_bits(four[0])),
            c::GL_STENCIL => Clearing::Stencil(four[0].cast_signed()),
            _ => Clearing::Colour {
                draw_buffer: word(first + 1) as usize,
                value: match call.command {
                    id::glClearBufferiv | id::glClearNamedFramebufferiv => Color::Int(four.map(u32::cast_signed)),
                    id::glClearBufferuiv | id::glClearNamedFramebufferuiv => Color::Uint(four),
                    _ => Color::Float(four.map(f32::from_bits)),
                },
            },
        };
        Some((clearing, named))
    }
}

impl FragmentOps {
    /// Clears a pixel: the scissor box and masks apply, tests and blending do not (GL 4.6, 17.4.3).
    pub fn clear(&self, pixel: &mut Pixel, at: [u32; 2], clearing: &Clearing) -> Fate {
        if self.pipeline.discard {
            return Fate::RasterizerOff;
        }
        if self.scissor(0).is_some_and(|scissor| !scissor.contains(at[0], at[1])) {
            return Fate::Scissor;
        }
        let set = &self.clears;
        let before = pixel.clone();
        let mut masked = true;
        let mut buffers = Vec::new();
        let mut halves = Clear { stencil_mask: Some(set.stencil_mask), ..Clear::default() };
        match *clearing {
            Clearing::Buffers(mask) => {
                if mask & c::GL_COLOR_BUFFER_BIT != 0 {
                    buffers.extend((0..raster::MAX_TARGETS).map(|buffer| (buffer, Color::Float(set.colour))));
                }
                halves.depth = (mask & c::GL_DEPTH_BUFFER_BIT != 0).then_some(set.depth);
                halves.stencil = (mask & c::GL_STENCIL_BUFFER_BIT != 0).then_some(set.stencil as u8);
            }
            Clearing::Colour { draw_buffer, value } => buffers.push((draw_buffer, value)),
            Clearing::Depth(depth) => halves.depth = Some(depth),
            Clearing::Stencil(value) => halves.stencil = Some(value as u8),
            Clearing::DepthStencil(depth, value) => {
                (halves.depth, halves.stencil) = (Some(depth), Some(value as u8));
            }
        }
        if !set.depth_mask {
            halves.depth = None;
        }
        let mut framebuffer = self.framebuffer(pixel);
        let has = |role: Role| self.planes().iter().any(|plane| plane.role == role);
        masked &= halves.depth.is_none() || !has(Role::Depth);
        masked &= halves.stencil.is_none() || set.stencil_mask == 0 || !has(Role::Stencil);
        let colours = std::mem::take(&mut framebuffer.colors);
        framebuffer.clear(&halves);
        framebuffer.colors = colours;
        for (buffer, value) in buffers {
            let mask = self.pipeline.targets.get(buffer).map_or([false; 4], |target| target.mask);
            if let Some(Some(surface)) = framebuffer.colors.get_mut(buffer) {
                // Partial clears are drawn; complete ones are not, but truncate floats in the same way.
                let format = surface.format;
                let part = self.scissor(0).is_some() || (0..4).any(|at| format.bits[at] > 0 && !mask[at]);
                let value = match part || format.numeric == Numeric::Float {
                    true => self.pipeline.arithmetic.kept(format, value, self.pipeline.srgb_write),
                    false => value,
                };
                surface.store(0, value, mask, self.pipeline.srgb_write);
                masked &= !mask.contains(&true);
            }
        }
        pixel.take(&framebuffer);
        if masked { Fate::Masked } else { Fate::Written { changed: pixel.changed_from(&before) } }
    }
}
