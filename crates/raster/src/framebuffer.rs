//! Framebuffers: colour targets, depth and stencil; clears, blits and resolves.

use crate::format::{Color, DepthFormat, Numeric, PixelFormat, linear_to_srgb, srgb_to_linear};
use crate::state::Rectangle;

/// A colour target. The order is samples of a pixel, pixels, rows from the bottom, layers.
#[derive(Clone, PartialEq, Debug)]
pub struct ColorSurface {
    /// Its format.
    pub format: PixelFormat,
    /// Its contents; sRGB formats hold encoded values.
    pub texels: Vec<Color>,
}

/// Colour targets, depth and stencil of one size.
#[derive(Clone, PartialEq, Debug)]
pub struct Framebuffer {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The number of layers, at least one.
    pub layers: u32,
    /// The number of samples per pixel: 1, 2, 4 or 8.
    pub samples: u32,
    /// The colour targets, by draw buffer; `None` discards colours.
    pub colors: Vec<Option<ColorSurface>>,
    /// Depths.
    pub depth: Option<(DepthFormat, Vec<f32>)>,
    /// Stencil values.
    pub stencil: Option<Vec<u8>>,
}

/// The values that a clear writes; `None` leaves the buffer unchanged.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Clear {
    /// The colour.
    pub color: Option<Color>,
    /// The channels that are written.
    pub color_mask: Option<[bool; 4]>,
    /// The depth.
    pub depth: Option<f32>,
    /// The stencil value.
    pub stencil: Option<u8>,
    /// The bits that are written.
    pub stencil_mask: Option<u8>,
    /// The rectangle to clear; `None` for everything.
    pub scissor: Option<Rectangle>,
    /// Whether sRGB targets encode the colour.
    pub srgb: bool,
}

/// A rectangle given by two corners; swapped corners mirror a blit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area {
    /// One corner.
    pub from: (i32, i32),
    /// The other one.
    pub to: (i32, i32),
}

impl Framebuffer {
    /// An empty framebuffer; add targets with [`Framebuffer::with_color`] and similar methods.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Framebuffer {
        Framebuffer { width, height, layers: 1, samples: 1, colors: Vec::new(), depth: None, stencil: None }
    }

    /// Sets the number of samples, rounded up to 1, 2, 4 or 8; call this before adding targets.
    #[must_use]
    pub fn with_samples(mut self, samples: u32) -> Framebuffer {
        self.samples = samples.clamp(1, 8).next_power_of_two();
        self
    }

    /// Sets the number of layers; call this before adding targets.
    #[must_use]
    pub fn with_layers(mut self, layers: u32) -> Framebuffer {
        self.layers = layers.max(1);
        self
    }

    /// Adds a colour target, initially all zero.
    #[must_use]
    pub fn with_color(mut self, format: PixelFormat) -> Framebuffer {
        let zero = format.round(Color::Uint([0; 4]));
        self.colors.push(Some(ColorSurface { format, texels: vec![zero; self.len()] }));
        self
    }

    /// Adds a depth buffer, initially all 1.
    #[must_use]
    pub fn with_depth(mut self, format: DepthFormat) -> Framebuffer {
        self.depth = Some((format, vec![1.0; self.len()]));
        self
    }

    /// Adds a stencil buffer, initially all 0.
    #[must_use]
    pub fn with_stencil(mut self) -> Framebuffer {
        self.stencil = Some(vec![0; self.len()]);
        self
    }

    fn len(&self) -> usize {
        self.width as usize * self.height as usize * self.layers as usize * self.samples as usize
    }

    /// The index of a sample in the surfaces, if it exists.
    #[must_use]
    pub fn index(&self, x: u32, y: u32, layer: u32, sample: u32) -> Option<usize> {
        let inside = x < self.width && y < self.height && layer < self.layers && sample < self.samples;
        let row = layer as usize * self.height as usize + y as usize;
        inside.then(|| (row * self.width as usize + x as usize) * self.samples as usize + sample as usize)
    }

    /// The layer that is drawn to: without layers it is always the first (GL 4.6, 9.8).
    pub(crate) fn drawn_layer(&self, layer: u32) -> u32 {
        if self.layers == 1 { 0 } else { layer }
    }

    /// The stored colour of the first sample of a pixel.
    #[must_use]
    pub fn color(&self, target: usize, x: u32, y: u32) -> Option<Color> {
        let surface = self.colors.get(target)?.as_ref()?;
        surface.texels.get(self.index(x, y, 0, 0)?).copied()
    }

    /// Clears all layers.
    pub fn clear(&mut self, clear: &Clear) {
        let mask = clear.color_mask.unwrap_or([true; 4]);
        let stencil_mask = clear.stencil_mask.unwrap_or(0xff);
        if clear.scissor.is_none() && mask == [true; 4] && stencil_mask == 0xff {
            return self.fill(clear);
        }
        for (layer, y) in (0..self.layers).flat_map(|layer| (0..self.height).map(move |y| (layer, y))) {
            for x in (0..self.width).filter(|x| clear.scissor.is_none_or(|s| s.contains(*x, y))) {
                let Some(first) = self.index(x, y, layer, 0) else { continue };
                for at in first..first + self.samples as usize {
                    if let Some(color) = clear.color {
                        self.colors.iter_mut().flatten().for_each(|s| s.store(at, color, mask, clear.srgb));
                    }
                    if let (Some(depth), Some((format, depths))) = (clear.depth, &mut self.depth) {
                        depths[at] = format.round(depth.clamp(0.0, 1.0));
                    }
                    if let (Some(value), Some(stencil)) = (clear.stencil, &mut self.stencil) {
                        stencil[at] = (stencil[at] & !stencil_mask) | (value & stencil_mask);
                    }
                }
            }
        }
    }

    /// Clears all samples.
    fn fill(&mut self, clear: &Clear) {
        if let Some(color) = clear.color {
            for surface in self.colors.iter_mut().flatten() {
                if !surface.texels.is_empty() {
                    surface.store(0, color, [true; 4], clear.srgb);
                    let stored = surface.texels[0];
                    surface.texels.fill(stored);
                }
            }
        }
        if let (Some(depth), Some((format, depths))) = (clear.depth, &mut self.depth) {
            depths.fill(format.round(depth.clamp(0.0, 1.0)));
        }
        if let (Some(value), Some(stencil)) = (clear.stencil, &mut self.stencil) {
            stencil.fill(value);
        }
    }

    /// Copies the colours of one target, scaling with nearest or linear filtering. Multiple samples are averaged,
    /// except for integers, of which the first sample is used.
    pub fn blit(
        &mut self,
        target: usize,
        to: Area,
        source: &Framebuffer,
        source_target: usize,
        from: Area,
        linear: bool,
    ) {
        let Some(Some(read)) = source.colors.get(source_target) else { return };
        let samples = self.samples as usize;
        let (width, height) = (self.width, self.height);
        let scale = |a: i32, b: i32, c: i32, d: i32| (f64::from(b) - f64::from(a)) / (f64::from(d) - f64::from(c));
        let (sx, sy) =
            (scale(from.from.0, from.to.0, to.from.0, to.to.0), scale(from.from.1, from.to.1, to.from.1, to.to.1));
        let pixels = |a: i32, b: i32, size: u32| {
            let clamp = |v: i32| u32::try_from(v).unwrap_or(0).min(size);
            clamp(a.min(b))..clamp(a.max(b))
        };
        for y in pixels(to.from.1, to.to.1, height) {
            for x in pixels(to.from.0, to.to.0, width) {
                let u = f64::from(from.from.0) + (f64::from(x) + 0.5 - f64::from(to.from.0)) * sx;
                let v = f64::from(from.from.1) + (f64::from(y) + 0.5 - f64::from(to.from.1)) * sy;
                let color = match linear && !read.format.is_integer() {
                    true => Some(source.between(read, u - 0.5, v - 0.5)),
                    false => source.resolved(read, u.floor(), v.floor()),
                };
                let (Some(color), Some(first)) = (color, self.index(x, y, 0, 0)) else { continue };
                if let Some(Some(surface)) = self.colors.get_mut(target) {
                    (first..first + samples).for_each(|at| surface.store(at, color, [true; 4], false));
                }
            }
        }
    }

    /// The average of a pixel's samples; `None` outside.
    fn resolved(&self, surface: &ColorSurface, x: f64, y: f64) -> Option<Color> {
        if x < 0.0 || y < 0.0 {
            return None;
        }
        let first = self.index(x as u32, y as u32, 0, 0)?;
        let texels = &surface.texels[first..first + self.samples as usize];
        if texels.len() == 1 || surface.format.is_integer() {
            return texels.first().copied();
        }
        let channel = |i: usize| texels.iter().map(|t| f64::from(t.floats()[i])).sum::<f64>() / texels.len() as f64;
        Some(Color::Float(std::array::from_fn(|i| channel(i) as f32)))
    }

    fn between(&self, surface: &ColorSurface, x: f64, y: f64) -> Color {
        let mut sum = [0.0; 4];
        let clamp = |v: f64, size: u32| v.clamp(0.0, f64::from(size.saturating_sub(1)));
        for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let (px, py) = (x.floor() + dx, y.floor() + dy);
            let weight = (1.0 - (x - px).abs()) * (1.0 - (y - py).abs());
            let texel = self.resolved(surface, clamp(px, self.width), clamp(py, self.height));
            let texel = texel.unwrap_or_default().floats();
            (0..4).for_each(|i| sum[i] += weight * f64::from(texel[i]));
        }
        Color::Float(sum.map(|v| v as f32))
    }
}

impl ColorSurface {
    /// The stored colour, converted to linear if the format is sRGB and `srgb` is set.
    #[must_use]
    pub fn load(&self, at: usize, srgb: bool) -> Color {
        match self.texels.get(at).copied().unwrap_or_default() {
            Color::Float([r, g, b, a]) if srgb && self.format.numeric == Numeric::Srgb => {
                Color::Float([srgb_to_linear(r), srgb_to_linear(g), srgb_to_linear(b), a])
            }
            other => other,
        }
    }

    /// Stores the selected channels of a colour; sRGB formats encode it if `srgb` is set.
    pub fn store(&mut self, at: usize, color: Color, mask: [bool; 4], srgb: bool) {
        let color = match color {
            Color::Float([r, g, b, a]) if srgb && self.format.numeric == Numeric::Srgb => {
                Color::Float([linear_to_srgb(r), linear_to_srgb(g), linear_to_srgb(b), a])
            }
            other => other,
        };
        let Some(texel) = self.texels.get_mut(at) else { return };
        let (old, new) = (texel.bits(), self.format.round(color).bits());
        let bits = std::array::from_fn(|i| if mask[i] { new[i] } else { old[i] });
        *texel = match self.format.numeric {
            Numeric::Int => Color::Int(bits.map(u32::cast_signed)),
            Numeric::Uint => Color::Uint(bits),
            Numeric::Unorm | Numeric::Snorm | Numeric::Srgb | Numeric::Float => Color::Float(bits.map(f32::from_bits)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clears_respect_scissor_and_masks() {
        let mut fb =
            Framebuffer::new(2, 2).with_color(PixelFormat::RGBA8).with_depth(DepthFormat::Unorm16).with_stencil();
        fb.clear(&Clear {
            color: Some(Color::Float([1.0, 0.5, 1.0, 1.0])),
            color_mask: Some([true, true, false, true]),
            depth: Some(0.5),
            stencil: Some(0xff),
            stencil_mask: Some(0x0f),
            scissor: Some(Rectangle { x: 1, y: -1, width: 5, height: 2 }),
            srgb: false,
        });
        assert_eq!(fb.color(0, 1, 0), Some(Color::Float([1.0, 128.0 / 255.0, 0.0, 1.0])));
        assert_eq!(fb.color(0, 0, 0), Some(Color::Float([0.0; 4])));
        assert_eq!(fb.color(0, 1, 1), Some(Color::Float([0.0; 4])));
        assert_eq!(fb.stencil, Some(vec![0, 0x0f, 0, 0]));
        assert_eq!(fb.depth.map(|d| d.1), Some(vec![1.0, 32768.0 / 65535.0, 1.0, 1.0]));
    }

    #[test]
    fn srgb_targets_encode_if_enabled() {
        let mut fb = Framebuffer::new(1, 1).with_color(PixelFormat::SRGB8_ALPHA8);
        fb.clear(&Clear { color: Some(Color::Float([0.5; 4])), srgb: true, ..Clear::default() });
        assert_eq!(fb.color(0, 0, 0), Some(Color::Float([188.0 / 255.0, 188.0 / 255.0, 188.0 / 255.0, 128.0 / 255.0])));
    }

    #[test]
    fn blits_scale_mirror_and_resolve() {
        let area = |x0, y0, x1, y1| Area { from: (x0, y0), to: (x1, y1) };
        let mut source = Framebuffer::new(2, 1).with_samples(4).with_color(PixelFormat::RGBA32F);
        if let Some(Some(surface)) = source.colors.first_mut() {
            surface.texels = (0..8_u8).map(|i| Color::Float([f32::from(i); 4])).collect();
        }
        let mut target = Framebuffer::new(4, 1).with_color(PixelFormat::RGBA32F);
        let red =
            |fb: &Framebuffer| (0..4).map(|x| fb.color(0, x, 0).map_or(-1.0, |c| c.floats()[0])).collect::<Vec<_>>();
        target.blit(0, area(0, 0, 4, 1), &source, 0, area(0, 0, 2, 1), false);
        assert_eq!(red(&target), [1.5, 1.5, 5.5, 5.5]);
        target.blit(0, area(0, 0, 4, 1), &source, 0, area(2, 0, 0, 1), false);
        assert_eq!(red(&target), [5.5, 5.5, 1.5, 1.5]);
        target.blit(0, area(0, 0, 4, 1), &source, 0, area(0, 0, 2, 1), true);
        assert_eq!(red(&target), [1.5, 2.5, 4.5, 5.5]);
    }
}
