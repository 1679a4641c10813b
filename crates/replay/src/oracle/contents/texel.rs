//! Single texels: as a program gave them, as they are stored, and as a driver gives them back.

use api::constant as c;
use api::extent::pixels::pixel;
use state::objects::format::{Class, Format, is_integer_format};
use state::records::{Aspect, ClearValue};

/// The format and the type of pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    pub format: u32,
    pub kind: u32,
}

/// A texel: red, green, blue and alpha, or depth and stencil.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Texel {
    Colour([f64; 4]),
    Depth { depth: Option<f64>, stencil: Option<u8> },
}

impl Form {
    /// The texel of an index among pixels of this form, for an image that is stored so. Nothing for forms that are not
    /// compared.
    pub fn decode(self, bytes: &[u8], index: usize, stored: &Format) -> Option<Texel> {
        let size = pixel(self.format, self.kind)?;
        let bytes = bytes.get(index * size..(index + 1) * size)?;
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        match (self.format, self.kind) {
            (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8) => {
                let word = word(0)?;
                let depth = Some(f64::from(word >> 8) / f64::from(0x00FF_FFFF));
                return Some(Texel::Depth { depth, stencil: Some(word as u8) });
            }
            (c::GL_DEPTH_STENCIL, c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV) => {
                let depth = Some(f64::from(f32::from_bits(word(0)?)));
                return Some(Texel::Depth { depth, stencil: Some(word(4)? as u8) });
            }
            (c::GL_DEPTH_COMPONENT, _) => {
                return Some(Texel::Depth { depth: Some(component(self.kind, bytes, 0, false)?), stencil: None });
            }
            (c::GL_STENCIL_INDEX, c::GL_UNSIGNED_BYTE) => {
                return Some(Texel::Depth { depth: None, stencil: Some(bytes[0]) });
            }
            _ => {}
        }
        let integers = is_integer_format(self.format);
        if integers != stored.class.is_integer() {
            return None;
        }
        let packed = |fields: [(u32, u32); 4]| {
            let word = match size {
                1 => u32::from(bytes[0]),
                2 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
                _ => word(0)?,
            };
            let part = |(shift, bits): (u32, u32)| match bits {
                0 => 1.0,
                _ => f64::from(word >> shift & ((1 << bits) - 1)) / f64::from((1u32 << bits) - 1),
            };
            Some(fields.map(part))
        };
        let number = |at: usize| component(self.kind, bytes, at, integers);
        let one = 1.0;
        let four = match self.kind {
            c::GL_UNSIGNED_SHORT_5_6_5 => packed([(11, 5), (5, 6), (0, 5), (0, 0)])?,
            c::GL_UNSIGNED_SHORT_4_4_4_4 => packed([(12, 4), (8, 4), (4, 4), (0, 4)])?,
            c::GL_UNSIGNED_SHORT_5_5_5_1 => packed([(11, 5), (6, 5), (1, 5), (0, 1)])?,
            c::GL_UNSIGNED_INT_8_8_8_8_REV => packed([(0, 8), (8, 8), (16, 8), (24, 8)])?,
            c::GL_UNSIGNED_INT_8_8_8_8 => packed([(24, 8), (16, 8), (8, 8), (0, 8)])?,
            c::GL_UNSIGNED_INT_2_10_10_10_REV => packed([(0, 10), (10, 10), (20, 10), (30, 2)])?,
            _ => match self.format {
                c::GL_RGBA | c::GL_RGBA_INTEGER | c::GL_BGRA | c::GL_BGRA_INTEGER => {
                    [number(0)?, number(1)?, number(2)?, number(3)?]
                }
                c::GL_RGB | c::GL_RGB_INTEGER | c::GL_BGR | c::GL_BGR_INTEGER => {
                    [number(0)?, number(1)?, number(2)?, one]
                }
                c::GL_RG | c::GL_RG_INTEGER => [number(0)?, number(1)?, 0.0, one],
                c::GL_RED | c::GL_RED_INTEGER => [number(0)?, 0.0, 0.0, one],
                c::GL_ALPHA => [0.0, 0.0, 0.0, number(0)?],
                c::GL_LUMINANCE => [number(0)?, number(0)?, number(0)?, one],
                c::GL_LUMINANCE_ALPHA => [number(0)?, number(0)?, number(0)?, number(1)?],
                _ => return None,
            },
        };
        let [red, green, blue, alpha] = four;
        let swapped = matches!(self.format, c::GL_BGRA | c::GL_BGR | c::GL_BGRA_INTEGER | c::GL_BGR_INTEGER);
        Some(Texel::Colour(if swapped { [blue, green, red, alpha] } else { four }))
    }
}

/// A component of a pixel that is not packed.
fn component(kind: u32, bytes: &[u8], at: usize, integer: bool) -> Option<f64> {
    let short = || Some(u16::from_le_bytes(bytes.get(2 * at..2 * at + 2)?.try_into().ok()?));
    let word = || Some(u32::from_le_bytes(bytes.get(4 * at..4 * at + 4)?.try_into().ok()?));
    let scaled = |value: f64, most: f64| if integer { value } else { value / most };
    // The least negative number stands for the same as its neighbour (GL 4.6, 2.3.5.1).
    let signed = |value: f64, most: f64| if integer { value } else { (value / most).max(-1.0) };
    Some(match kind {
        c::GL_UNSIGNED_BYTE => scaled(f64::from(*bytes.get(at)?), 255.0),
        c::GL_BYTE => signed(f64::from(bytes.get(at)?.cast_signed()), 127.0),
        c::GL_UNSIGNED_SHORT => scaled(f64::from(short()?), 65535.0),
        c::GL_SHORT => signed(f64::from(short()?.cast_signed()), 32767.0),
        c::GL_UNSIGNED_INT => scaled(f64::from(word()?), f64::from(u32::MAX)),
        c::GL_INT => signed(f64::from(word()?.cast_signed()), f64::from(i32::MAX)),
        c::GL_FLOAT => f64::from(f32::from_bits(word()?)),
        _ => return None,
    })
}

/// What a clear leaves in an image.
pub fn cleared(value: &ClearValue, stored: &Format) -> Option<Texel> {
    // Colours are encoded on their way to such an image, or not, as the program has it.
    if stored.is_srgb {
        return None;
    }
    let colour = !stored.has_depth() && !stored.has_stencil();
    Some(match value {
        ClearValue::Floats(four) if colour && !stored.class.is_integer() => Texel::Colour(four.map(f64::from)),
        ClearValue::Integers(four) if stored.class == Class::Int => Texel::Colour(four.map(f64::from)),
        ClearValue::Unsigned(four) if stored.class == Class::Uint => Texel::Colour(four.map(f64::from)),
        ClearValue::Depth(depth) => Texel::Depth { depth: Some(*depth), stencil: None },
        ClearValue::Stencil(stencil) => Texel::Depth { depth: None, stencil: Some(*stencil as u8) },
        ClearValue::Zero if colour => Texel::Colour([0.0; 4]),
        ClearValue::Zero => Texel::Depth { depth: Some(0.0), stencil: Some(0) },
        _ => return None,
    })
}

impl Texel {
    /// What is read back of it from an image that is stored so (GL 4.6 compatibility, 8.11.4): components that the format
    /// does not have are 0, alpha is 1, and a luminance is in red alone.
    pub fn as_read(self, stored: &Format, aspect: Aspect, form: Form) -> Option<Texel> {
        let Texel::Colour([red, green, blue, alpha]) = self else {
            return (aspect != Aspect::All).then_some(self);
        };
        if form.format == 0 || stored.is_compressed() {
            return None;
        }
        Some(Texel::Colour(match stored.base {
            c::GL_RGBA => [red, green, blue, alpha],
            c::GL_RGB => [red, green, blue, 1.0],
            c::GL_RG => [red, green, 0.0, 1.0],
            c::GL_RED | c::GL_LUMINANCE | c::GL_INTENSITY => [red, 0.0, 0.0, 1.0],
            c::GL_ALPHA => [0.0, 0.0, 0.0, alpha],
            c::GL_LUMINANCE_ALPHA => [red, 0.0, 0.0, alpha],
            _ => return None,
        }))
    }

    /// Whether what was found is the nearest to it that can be stored.
    pub fn matches(&self, found: &Texel, stored: &Format, aspect: Aspect, form: Form) -> bool {
        match (self, found) {
            (Texel::Colour(expected), Texel::Colour(found)) => (0..4).all(|at| {
                let bits = match (stored.bits[at], at) {
                    (0, 0) => stored.bits[4].max(stored.bits[5]),
                    (bits, _) => bits,
                };
                near(expected[at], found[at], bits, stored.class, form.kind)
            }),
            (Texel::Depth { depth, stencil }, Texel::Depth { depth: found, stencil: other }) => match aspect {
                Aspect::Depth => depth.zip(*found).is_some_and(|(one, other)| {
                    near(one.clamp(0.0, 1.0), other, stored.bits[6], stored.class, form.kind)
                }),
                _ => stencil == other,
            },
            _ => false,
        }
    }
}

/// Whether a number is the nearest to another that so many bits can hold, and that the form it is read in can tell.
fn near(expected: f64, found: f64, bits: u8, class: Class, kind: u32) -> bool {
    if expected == found || expected.is_nan() && found.is_nan() {
        return true;
    }
    let steps = |bits: u32| 2f64.powi(bits.cast_signed()) - 1.0;
    let read = match kind {
        c::GL_UNSIGNED_BYTE => steps(8),
        c::GL_BYTE => steps(7),
        c::GL_UNSIGNED_SHORT => steps(16),
        c::GL_SHORT => steps(15),
        c::GL_UNSIGNED_INT_24_8 => steps(24),
        _ => steps(32),
    };
    match class {
        Class::Unorm | Class::None if bits > 0 => {
            let (own, expected) = (steps(bits.into()), expected.clamp(0.0, 1.0));
            let coarse = if own == read { 0.0 } else { 0.5 / read };
            (expected - found).abs() <= 0.5 / own + coarse + 1e-7
        }
        Class::Snorm if bits > 1 => {
            let (own, expected) = (steps(u32::from(bits) - 1), expected.clamp(-1.0, 1.0));
            let coarse = if own == read { 0.0 } else { 0.5 / read };
            (expected - found).abs() <= 0.5 / own + coarse + 1e-7
        }
        // Half floats have eleven bits, the smaller ones six.
        Class::Float if bits == 16 => (expected - found).abs() <= expected.abs() / 2048.0 + 1e-7,
        Class::Float if bits < 16 => (expected - found).abs() <= expected.abs() / 32.0 + 1e-5,
        _ => false,
    }
}
