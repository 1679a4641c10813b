//! Look-ups as Mesa's llvmpipe does them: [`Filtering::Llvmpipe`](crate::Filtering::Llvmpipe).
//!
//! The specification lets a device choose its approximations; this module was derived from Mesa 22.3's code generator and
//! by comparison with the driver (`cargo xtask corpus filters` and the tests of crate `lab` still compare), and describes
//! its behaviour on x86 processors:
//!
//! - Colours with at most eight bits per channel, not sRGB-encoded, are filtered in integers from 0 to 255 if every
//!   wrap mode is `REPEAT` or `CLAMP_TO_EDGE`, there is no comparison, cube maps are not filtered across edges, and the
//!   level of detail is the quad's own or does not select between two filters. Positions between texels are multiples
//!   of 1/256, and each interpolation is rounded, halves upwards.
//! - Everything else is filtered in floats; each interpolation is a fused multiply-add. Normalised integers are
//!   multiplied by the float nearest to the reciprocal of the greatest, and sRGB-encoded ones go through a polynomial.
//! - Faces of cube maps are clamped to their edges, whatever the wrap modes, if filters do not cross edges.
//! - The logarithm for the level of detail is a linear interpolation between powers of two of the squared scale factor;
//!   if only the nearest level is needed, it is exact and halves select the smaller image.
//! - Anisotropic filters average the texels of an ellipse (module `anisotropic`).

mod anisotropic;
pub(crate) mod cube;
mod texel;

use crate::format::{Channel, Format, Storage};
use crate::lod::Selection;
use crate::sample::{Lod, Lookup};
use crate::sampler::{Filter, Filtering, MipFilter};
use crate::texture::Dim;
use crate::unit::Unit;
use crate::wrap::{Span, Wrap};

/// From this level on `TEXTURE_MAX_LOD` has no effect: no texture has as many levels.
const NO_LIMIT: f32 = 15.0;

/// The step between 8-bit colours: llvmpipe multiplies by it, where a division would round differently.
const PART: f32 = 1.0 / 255.0;

/// How values are interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arithmetic {
    /// In floats, with every operation rounded.
    Plain,
    /// In floats, rounded once per interpolation.
    Fused,
    /// In integers from 0 to 255.
    Bytes,
}

impl Arithmetic {
    /// Equal ends give exactly the same value, which a sum of products would not.
    pub(crate) fn mix(self, a: [f32; 4], b: [f32; 4], share: f32) -> [f32; 4] {
        match self {
            Arithmetic::Plain => std::array::from_fn(|i| a[i] + share * (b[i] - a[i])),
            Arithmetic::Fused => std::array::from_fn(|i| share.mul_add(b[i] - a[i], a[i])),
            // Products of a byte and a multiple of 1/256 are exact.
            Arithmetic::Bytes => std::array::from_fn(|i| a[i] + (share * (b[i] - a[i]) + 0.5).floor()),
        }
    }

    /// Converts the result back for the shader.
    pub(crate) fn result(self, value: [f32; 4]) -> [f32; 4] {
        match self {
            Arithmetic::Plain | Arithmetic::Fused => value,
            Arithmetic::Bytes => value.map(|c| c * PART),
        }
    }
}

impl Unit<'_> {
    /// Whether look-ups imitate llvmpipe.
    pub(crate) fn is_llvmpipe(&self) -> bool {
        match self.sampler.filtering {
            Filtering::Llvmpipe { ellipses, .. } => ellipses || self.sampler.max_anisotropy <= 1.0,
            Filtering::Exact | Filtering::WeightBits(_) => false,
        }
    }

    /// The arithmetic of a look-up.
    pub(crate) fn arithmetic(&self, look: &Lookup) -> Arithmetic {
        if !self.is_llvmpipe() {
            return Arithmetic::Plain;
        }
        let sampler = self.sampler;
        let cube = self.texture.dim == Dim::Cube;
        let simple = |wrap: &Wrap| matches!(wrap, Wrap::Repeat | Wrap::ClampToEdge);
        let wraps = cube || sampler.wrap[..self.texture.dim.axes()].iter().all(simple);
        let one_filter = sampler.min_filter == sampler.mag_filter;
        let own_levels = match look.lod {
            Lod::Explicit(_) | Lod::Gradient { .. } => true,
            Lod::Derivatives { bias, .. } => bias.is_some() || cube && sampler.mip_filter != MipFilter::None,
        };
        let linear = sampler.min_filter == Filter::Linear || sampler.mag_filter == Filter::Linear;
        let across_edges = self.is_seamless() && linear;
        let compares = look.reference.is_some() && self.compares();
        let bytes = fits_bytes(self.texture.format, sampler.decode_srgb) && sampler.max_anisotropy <= 1.0;
        if bytes && wraps && !compares && !across_edges && (one_filter || !own_levels) {
            Arithmetic::Bytes
        } else {
            Arithmetic::Fused
        }
    }

    /// The position of a coordinate along an axis of a level.
    pub(crate) fn llvmpipe_span(
        &self,
        arithmetic: Arithmetic,
        axis: usize,
        (wrap, size): (Wrap, u32),
        coordinate: f32,
        (offset, filter): (i32, Filter),
    ) -> Span {
        let base = self.texture.level(self.texture.base_level);
        let whole = base.is_some_and(|base| [base.width, base.height, base.depth][axis].is_power_of_two());
        let (length, nearest) = (size as f32, filter == Filter::Nearest);
        // Where coordinates are wrapped before they are scaled, offsets come first.
        let moved = || if offset == 0 { coordinate } else { coordinate + offset as f32 / length };
        let (u, offset) = match wrap {
            Wrap::Clamp if self.texture.dim == Dim::Rect => (coordinate.max(0.0).min(length), offset),
            _ if self.texture.dim == Dim::Rect => (coordinate, offset),
            Wrap::Repeat if whole && (nearest || arithmetic == Arithmetic::Bytes) => (coordinate * length, offset),
            Wrap::Repeat if whole => return Span::shifted(coordinate * length - 0.5 + offset as f32, 0),
            // The largest number below one, so that no texel beyond the last is selected.
            Wrap::Repeat if nearest => ((moved() - moved().floor()).min(1.0 - f32::EPSILON / 2.0) * length, 0),
            Wrap::Repeat => ((moved() - moved().floor()) * length, 0),
            Wrap::MirroredRepeat => {
                let half = moved() * 0.5;
                let folded = half - half.round_ties_even();
                ((folded + folded).abs() * length, 0)
            }
            Wrap::MirrorClampToEdge => (((coordinate * length) + offset as f32).abs().min(length), 0),
            Wrap::ClampToEdge | Wrap::ClampToBorder if arithmetic == Arithmetic::Fused => {
                (coordinate * length + offset as f32, 0)
            }
            _ => (wrap.scale(coordinate, size), offset),
        };
        match (filter, arithmetic) {
            (Filter::Nearest, _) => Span::nearest(u, offset),
            (Filter::Linear, Arithmetic::Bytes) => Span::linear((u * 256.0).round_ties_even() / 256.0, offset),
            (Filter::Linear, _) => Span::linear(u, offset),
        }
    }

    /// The levels that a look-up reads.
    pub(crate) fn llvmpipe_selection(&self, look: &Lookup, arithmetic: Arithmetic) -> Selection {
        let (base, last) = (self.texture.base_level, self.last_level);
        let sampler = self.sampler;
        let detail = self.llvmpipe_detail(look);
        let one = |filter, first| Selection { filter, first, second: None };
        if sampler.min_filter != sampler.mag_filter && !detail.minified {
            return one(sampler.mag_filter, base);
        }
        let level = |steps: f32| base.saturating_add(steps.max(0.0) as u32).min(last);
        match sampler.mip_filter {
            MipFilter::None => one(sampler.min_filter, base),
            MipFilter::Nearest => one(sampler.min_filter, level(detail.nearest)),
            MipFilter::Linear => {
                let (first, floor) = (level(detail.lod.floor()), detail.lod.floor());
                let fraction = detail.lod - floor;
                let share = match arithmetic {
                    Arithmetic::Bytes => (fraction * 256.0).floor() / 256.0,
                    Arithmetic::Plain | Arithmetic::Fused => fraction,
                };
                let between = floor >= 0.0 && first < last && share > 0.0;
                Selection { filter: sampler.min_filter, first, second: between.then_some((first + 1, share)) }
            }
        }
    }

    /// The level of detail before clamping, as returned by `textureQueryLod`.
    pub(crate) fn llvmpipe_lod(&self, look: &Lookup) -> f32 {
        let given = match (look.lod, look.lod.slopes()) {
            (_, Some((dx, dy, bias))) => {
                let elliptic = self.is_elliptic(look);
                let square = if elliptic { self.shorter_squared(look) } else { self.scale_squared(look, dx, dy) };
                0.5 * straight_log2(square) + bias
            }
            (Lod::Explicit(lod), _) => lod,
            _ => 0.0,
        };
        given + self.sampler.lod_bias
    }

    fn llvmpipe_detail(&self, look: &Lookup) -> LevelOfDetail {
        let sampler = self.sampler;
        let lod = self.clamp(self.llvmpipe_lod(look), look);
        let detail = LevelOfDetail { lod, nearest: lod.round_ties_even(), minified: lod > 0.0 };
        let (Lod::Derivatives { dx, dy, bias: None } | Lod::Gradient { dx, dy }) = look.lod else { return detail };
        let limited = sampler.min_lod > 0.0 || sampler.max_lod < NO_LIMIT || look.min_lod.is_some();
        if sampler.mip_filter == MipFilter::Linear || sampler.lod_bias != 0.0 || limited || sampler.max_anisotropy > 1.0
        {
            return detail;
        }
        let square = self.scale_squared(look, dx, dy);
        let nearest = match self.texture.dim {
            Dim::D1 => exponent(square.sqrt() * std::f32::consts::SQRT_2),
            _ => (exponent(square) + 1) >> 1,
        };
        LevelOfDetail { nearest: nearest as f32, minified: square > 1.0, ..detail }
    }

    /// The square of the scale factor of equation 8.11.
    fn scale_squared(&self, look: &Lookup, dx: [f32; 3], dy: [f32; 3]) -> f32 {
        let size = match self.texture.level(self.texture.base_level) {
            // llvmpipe treats rectangle coordinates as normalised here, too.
            Some(base) if self.texture.dim == Dim::Rect => [base.width as f32, base.height as f32, 0.0],
            _ => [1.0; 3],
        };
        let texels = |d: [f32; 3]| std::array::from_fn(|i| self.in_texels(d)[i] * size[i]);
        // The faces of cube maps have levels of each pixel where there are levels, and of the quad's first pixel where
        // there is one.
        let [dx, dy] = match (look.lod, look.quad) {
            (Lod::Derivatives { bias: None, .. }, Some([here, right, above]))
                if self.texture.dim == Dim::Cube && self.sampler.mip_filter == MipFilter::None =>
            {
                let less = |a: [f32; 3]| std::array::from_fn(|i| a[i] - here[i]);
                self.project(here, [less(right), less(above)]).derivatives.map(|[s, t]| texels([s, t, 0.0]))
            }
            _ => self.on_texture(look, dx, dy).map(texels),
        };
        let square = |d: [f32; 3]| d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        square(dx).max(square(dy))
    }
}

/// llvmpipe's level of detail.
struct LevelOfDetail {
    lod: f32,
    /// The nearest level.
    nearest: f32,
    minified: bool,
}

/// Whether a format's colours have at most eight bits per channel (sRGB-encoded ones need more).
fn fits_bytes(format: Format, decode_srgb: bool) -> bool {
    match format.storage() {
        Storage::Array(Channel::Unorm8) => true,
        Storage::Array(Channel::Srgb8) => !decode_srgb,
        Storage::Word(packed) => !packed.integer && packed.fields.iter().all(|(_, width)| *width <= 8),
        _ => false,
    }
}

/// The exponent of a non-negative number.
fn exponent(x: f32) -> i32 {
    (x.to_bits() >> 23 & 0xff).cast_signed() - 127
}

/// A logarithm that is exact at powers of two and linear in between.
fn straight_log2(x: f32) -> f32 {
    let mantissa = f32::from_bits(x.to_bits() & 0x007f_ffff | 0x3f80_0000);
    (exponent(x) - 1) as f32 + mantissa
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_mixed_to_the_nearest() {
        let mix = |a: f32, b: f32, share: f32| Arithmetic::Bytes.mix([a; 4], [b; 4], share)[0];
        assert_eq!(mix(0.0, 255.0, 0.5), 128.0);
        assert_eq!(mix(255.0, 0.0, 0.5), 128.0);
        assert_eq!(mix(10.0, 11.0, 127.0 / 256.0), 10.0);
        assert_eq!(mix(7.0, 7.0, 0.75), 7.0);
    }

    #[test]
    fn the_logarithm_is_exact_at_powers_of_two() {
        assert_eq!([0.25, 1.0, 2.0, 3.0, 8.0].map(straight_log2), [-2.0, 0.0, 1.0, 1.5, 3.0]);
    }
}
