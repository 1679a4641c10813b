//! The values of planes at one sample of one pixel: reading and comparing them.

use api::constant as c;
use raster::format::Numeric;
use raster::{Color, DepthFormat, Framebuffer, PixelFormat};

use super::planes::{PlaneFormat, Role};
use super::{Changed, FragmentOps};

/// The values of the planes at one sample of one pixel. Absent planes are neither tested nor written.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pixel {
    /// Colours by draw buffer, as stored: sRGB formats hold encoded values.
    pub colours: Vec<Option<Color>>,
    /// Depth.
    pub depth: Option<f32>,
    /// Stencil.
    pub stencil: Option<u8>,
}

/// A difference between two pixels that exceeds the tolerance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// The plane.
    pub role: Role,
    /// The channel of a colour.
    pub channel: usize,
    /// The first value.
    pub one: f64,
    /// The second value.
    pub other: f64,
    /// Their distance in units of the format.
    pub units: u64,
}

impl Pixel {
    /// Stores what GL reads back of a plane: the bytes of one pixel in one of the lossless forms for contents. Returns
    /// whether the form is one of those and matches the plane.
    pub fn read(&mut self, role: Role, ops: &FragmentOps, format: u32, pixel_type: u32, bytes: &[u8]) -> bool {
        let Some(plane) = ops.planes().iter().find(|plane| plane.role == role) else { return false };
        match (role, plane.format) {
            (Role::Colour(buffer), PlaneFormat::Colour(stored)) => {
                let Some(colour) = colour(stored, format, pixel_type, bytes) else { return false };
                if self.colours.len() <= buffer {
                    self.colours.resize(buffer + 1, None);
                }
                self.colours[buffer] = Some(colour);
            }
            (Role::Depth, PlaneFormat::Depth(stored)) => {
                let Some(depth) = depth(stored, format, pixel_type, bytes) else { return false };
                self.depth = Some(depth);
            }
            (Role::Stencil, _) => {
                let Some(value) = stencil(format, pixel_type, bytes) else { return false };
                self.stencil = Some(value);
            }
            (Role::Colour(_) | Role::Depth, _) => return false,
        }
        true
    }

    /// The first difference of more than `units` units: steps of normalised channels and depth; integers and stencil
    /// values are compared exactly, floats by the number of representable values in between.
    #[must_use]
    pub fn differs(&self, other: &Pixel, ops: &FragmentOps, units: u32) -> Option<Difference> {
        ops.planes().iter().find_map(|plane| match (plane.role, plane.format) {
            (Role::Colour(buffer), PlaneFormat::Colour(format)) => {
                let at = |pixel: &Pixel| pixel.colours.get(buffer).copied().flatten();
                let (one, other) = (at(self)?, at(other)?);
                let allowed = if format.is_integer() { 0 } else { u64::from(units) };
                (0..4).filter(|channel| format.bits[*channel] > 0).find_map(|channel| {
                    let apart = distance(format, channel, one, other);
                    let value = |color: Color| channel_value(color, channel);
                    let (one, other) = (value(one), value(other));
                    (apart > allowed).then_some(Difference { role: plane.role, channel, one, other, units: apart })
                })
            }
            (Role::Depth, PlaneFormat::Depth(format)) => {
                let (one, other) = (self.depth?, other.depth?);
                let apart = depth_distance(format, one, other);
                let (one, other) = (f64::from(one), f64::from(other));
                (apart > u64::from(units)).then_some(Difference {
                    role: Role::Depth,
                    channel: 0,
                    one,
                    other,
                    units: apart,
                })
            }
            (Role::Stencil, _) => {
                let (one, other) = (self.stencil?, other.stencil?);
                let apart = u64::from(one.abs_diff(other));
                let (one, other) = (f64::from(one), f64::from(other));
                (apart > 0).then_some(Difference { role: Role::Stencil, channel: 0, one, other, units: apart })
            }
            (Role::Colour(_) | Role::Depth, _) => None,
        })
    }

    /// Stores the contents of a framebuffer with one sample.
    pub(super) fn take(&mut self, framebuffer: &Framebuffer) {
        for (held, surface) in self.colours.iter_mut().zip(&framebuffer.colors) {
            if let Some(surface) = surface {
                *held = surface.texels.first().copied();
            }
        }
        self.depth = framebuffer.depth.as_ref().and_then(|(_, depths)| depths.first().copied()).or(self.depth);
        self.stencil = framebuffer.stencil.as_ref().and_then(|values| values.first().copied()).or(self.stencil);
    }

    pub(super) fn changed_from(&self, before: &Pixel) -> Changed {
        let bits = |color: &Option<Color>| color.map(Color::bits);
        let colours = self.colours.iter().zip(&before.colours).enumerate();
        Changed {
            colours: colours.filter(|(_, (now, then))| bits(now) != bits(then)).fold(0, |all, (i, _)| all | 1 << i),
            depth: self.depth.map(f32::to_bits) != before.depth.map(f32::to_bits),
            stencil: self.stencil != before.stencil,
        }
    }
}

impl PlaneFormat {
    /// Converts what GL reads back of an image to a colour; `None` if the plane holds none, or it was read in another
    /// form.
    #[must_use]
    pub fn colour(self, format: u32, pixel_type: u32, bytes: &[u8]) -> Option<Color> {
        match self {
            PlaneFormat::Colour(stored) => colour(stored, format, pixel_type, bytes),
            PlaneFormat::Depth(_) | PlaneFormat::Stencil => None,
        }
    }

    /// Likewise for a depth.
    #[must_use]
    pub fn depth(self, format: u32, pixel_type: u32, bytes: &[u8]) -> Option<f32> {
        match self {
            PlaneFormat::Depth(stored) => depth(stored, format, pixel_type, bytes),
            PlaneFormat::Colour(_) | PlaneFormat::Stencil => None,
        }
    }

    /// Likewise for a stencil value.
    #[must_use]
    pub fn stencil(self, format: u32, pixel_type: u32, bytes: &[u8]) -> Option<u8> {
        if self == PlaneFormat::Stencil { stencil(format, pixel_type, bytes) } else { None }
    }

    /// The largest distance of two colours' channels in units of the format; `None` if it holds no colours.
    #[must_use]
    pub fn colours_apart(self, one: Color, other: Color) -> Option<u64> {
        let PlaneFormat::Colour(format) = self else { return None };
        let channels = (0..4).filter(|channel| format.bits[*channel] > 0);
        Some(channels.map(|channel| distance(format, channel, one, other)).max().unwrap_or(0))
    }

    /// Likewise for two depths.
    #[must_use]
    pub fn depths_apart(self, one: f32, other: f32) -> Option<u64> {
        let PlaneFormat::Depth(format) = self else { return None };
        Some(depth_distance(format, one, other))
    }
}

/// A colour in the plane's format. Values may be read back with more bits than the format has; the nearest value of the
/// format is used.
fn colour(stored: PixelFormat, format: u32, pixel_type: u32, bytes: &[u8]) -> Option<Color> {
    let word =
        |at: usize| bytes.get(at * 4..at * 4 + 4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()));
    let half =
        |at: usize| bytes.get(at * 2..at * 2 + 2).map(|word| u16::from_le_bytes(word.try_into().unwrap_or_default()));
    let four = |get: &dyn Fn(usize) -> Option<f32>| Some(Color::Float([get(0)?, get(1)?, get(2)?, get(3)?]));
    let words = || Some([word(0)?, word(1)?, word(2)?, word(3)?]);
    let read = match (format, pixel_type) {
        (c::GL_RGBA, c::GL_UNSIGNED_BYTE) => four(&|at| bytes.get(at).map(|byte| f32::from(*byte) / 255.0))?,
        (c::GL_RGBA, c::GL_BYTE) => {
            four(&|at| bytes.get(at).map(|byte| (f32::from(byte.cast_signed()) / 127.0).max(-1.0)))?
        }
        (c::GL_RGBA, c::GL_UNSIGNED_SHORT) => four(&|at| half(at).map(|word| f32::from(word) / 65535.0))?,
        (c::GL_RGBA, c::GL_SHORT) => {
            four(&|at| half(at).map(|word| (f32::from(word.cast_signed()) / 32767.0).max(-1.0)))?
        }
        (c::GL_RGBA, c::GL_FLOAT) => four(&|at| word(at).map(f32::from_bits))?,
        (c::GL_RGBA_INTEGER, c::GL_INT) => Color::Int(words()?.map(u32::cast_signed)),
        (c::GL_RGBA_INTEGER, c::GL_UNSIGNED_INT) => Color::Uint(words()?),
        _ => return None,
    };
    Some(stored.round(read))
}

fn depth(stored: DepthFormat, format: u32, pixel_type: u32, bytes: &[u8]) -> Option<f32> {
    let word = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    // The nearest float represents an integral number of steps.
    let steps = |steps: u32, most: u32| (f64::from(steps) / f64::from(most)) as f32;
    Some(match (format, pixel_type) {
        (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_INT) => match stored {
            DepthFormat::Unorm16 => steps(word >> 16, 0xFFFF),
            DepthFormat::Unorm24 => steps(word >> 8, 0xFF_FFFF),
            DepthFormat::Unorm32 | DepthFormat::Float32 => steps(word, u32::MAX),
        },
        (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8) => steps(word >> 8, 0xFF_FFFF),
        (c::GL_DEPTH_COMPONENT | c::GL_RED, c::GL_FLOAT)
        | (c::GL_DEPTH_STENCIL, c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV) => f32::from_bits(word),
        _ => return None,
    })
}

fn stencil(format: u32, pixel_type: u32, bytes: &[u8]) -> Option<u8> {
    match (format, pixel_type) {
        (c::GL_STENCIL_INDEX | c::GL_RED_INTEGER, c::GL_UNSIGNED_BYTE)
        | (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8) => bytes.first().copied(),
        (c::GL_DEPTH_STENCIL, c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV) => bytes.get(4).copied(),
        _ => None,
    }
}

fn channel_value(color: Color, channel: usize) -> f64 {
    match color {
        Color::Float(v) => v[channel].into(),
        Color::Int(v) => v[channel].into(),
        Color::Uint(v) => v[channel].into(),
    }
}

fn distance(format: PixelFormat, channel: usize, one: Color, other: Color) -> u64 {
    let bits = format.bits[channel];
    match format.numeric {
        Numeric::Unorm | Numeric::Srgb => steps_apart(one, other, channel, steps(bits)),
        Numeric::Snorm => steps_apart(one, other, channel, steps(bits.saturating_sub(1))),
        Numeric::Int | Numeric::Uint => (channel_value(one, channel) - channel_value(other, channel)).abs() as u64,
        Numeric::Float => {
            let dropped = match bits {
                32 => 0,
                16 => 13,
                11 => 17,
                _ => 18,
            };
            let bits = |color: Color| color.floats()[channel];
            floats_apart(bits(one), bits(other), dropped)
        }
    }
}

fn steps(bits: u8) -> f64 {
    2.0_f64.powi(i32::from(bits)) - 1.0
}

fn steps_apart(one: Color, other: Color, channel: usize, scale: f64) -> u64 {
    let step = |color: Color| (channel_value(color, channel) * scale).round();
    (step(one) - step(other)).abs() as u64
}

/// The number of floats between two, ignoring the `dropped` lowest mantissa bits. NaNs are equal.
fn floats_apart(one: f32, other: f32, dropped: u32) -> u64 {
    match (one.is_nan(), other.is_nan()) {
        (true, true) => return 0,
        (false, false) => {}
        _ => return u64::MAX,
    }
    // Small numbers of small formats have fixed steps; those around zero do so here.
    let least = if dropped == 0 { 0 } else { (113_i64 << 23) >> dropped };
    let place = |value: f32| {
        let magnitude = i64::from(value.to_bits() & 0x7FFF_FFFF) >> dropped;
        let magnitude = if magnitude < least {
            // Below 2^-14 the step is 2^-14 / 2^mantissa.
            let steps = f64::from(value.abs()) * 16384.0 * 2.0_f64.powi(23 - dropped.cast_signed());
            steps.round() as i64
        } else {
            magnitude - least + if dropped == 0 { 0 } else { 1 << (23 - dropped) }
        };
        if value.is_sign_negative() { -magnitude } else { magnitude }
    };
    place(one).abs_diff(place(other))
}

fn depth_distance(format: DepthFormat, one: f32, other: f32) -> u64 {
    let steps = |scale: f64| ((f64::from(one) * scale).round() - (f64::from(other) * scale).round()).abs() as u64;
    match format {
        DepthFormat::Unorm16 => steps(65535.0),
        DepthFormat::Unorm24 => steps(16_777_215.0),
        // Depths are stored as floats, which have 24 bits.
        DepthFormat::Unorm32 | DepthFormat::Float32 => floats_apart(one, other, 0),
    }
}
