//! What an anisotropic filter may give on a device whose filter is not known.
//!
//! `EXT_texture_filter_anisotropic` leaves the filter to the device: it is some average of texels that the pixel covers.
//! The least and the greatest of these, component by component, bound it. They are taken from every level between that of
//! the shorter side of the pixel's footprint (or as far below the longer one as the degree of anisotropy allows) and that
//! of the sum of both sides, and from the rectangle around a footprint of twice the size, with the neighbours that linear
//! filters reach.

use crate::llvmpipe::Arithmetic;
use crate::sample::{Lookup, Plane};
use crate::sampler::{Filter, MipFilter};
use crate::texture::Dim;
use crate::unit::Unit;
use crate::value::Value;
use crate::wrap::Wrap;

/// Which bound of a filter a look-up returns in place of what the filter gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Nothing less comes out of it.
    Lowest,
    /// Nothing greater comes out of it.
    Highest,
}

/// Levels may be off by this, as scale factors and logarithms are approximations.
const SLACK: f32 = 0.5;

/// Linear filters reach this far beyond a position, in texels, with rounding.
const REACH: f32 = 1.5;

/// The most texels of which bounds are taken. There are none where more may count.
const MOST: i64 = 1 << 16;

impl Unit<'_> {
    /// The bound of an anisotropic look-up; `None` if the look-up is not anisotropic.
    pub(crate) fn bound(&self, look: &Lookup, side: Bound) -> Option<Value> {
        let (dx, dy, bias) = look.lod.slopes()?;
        if self.sampler.max_anisotropy <= 1.0 {
            return None;
        }
        let slopes = self.on_texture(look, dx, dy);
        let levels = self.possible_levels(slopes, bias, look);
        let found = self.extremes(look, slopes, levels, side);
        let unbounded = match side {
            Bound::Lowest => f32::NEG_INFINITY,
            Bound::Highest => f32::INFINITY,
        };
        Some(Value::Float(found.unwrap_or([unbounded; 4])))
    }

    /// The first and the last level of which texels may count.
    fn possible_levels(&self, slopes: [[f32; 3]; 2], bias: f32, look: &Lookup) -> (u32, u32) {
        let (base, last) = (self.texture.base_level, self.last_level);
        if self.sampler.mip_filter == MipFilter::None {
            return (base, base);
        }
        let [dx, dy] = slopes.map(|slope| self.in_texels(slope));
        let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (x, y) = (dot(dx, dx), dot(dy, dy));
        let longer = x.max(y).sqrt();
        // The height of the parallelogram on its longer side.
        let shorter = |dx: [f32; 3], dy: [f32; 3]| {
            let (x, y) = (dot(dx, dx), dot(dy, dy));
            let area = (x * y - dot(dx, dy).powi(2)).max(0.0).sqrt();
            if area > 0.0 { area / x.max(y).sqrt() } else { 0.0 }
        };
        let least = if self.is_llvmpipe() {
            // It goes down to the shorter side, whatever the degree of anisotropy, and ignores the third dimension.
            shorter([dx[0], dx[1], 0.0], [dy[0], dy[1], 0.0])
        } else {
            shorter(dx, dy).max(longer / self.sampler.max_anisotropy)
        };
        let bias = bias + self.sampler.lod_bias;
        let level = |size: f32, slack: f32| self.clamp(size.log2() + bias + slack, look).max(0.0);
        let (low, high) = (level(least, -SLACK), level(x.sqrt() + y.sqrt(), SLACK));
        let reach = (last - base) as f32;
        (base + low.min(reach).floor() as u32, base + high.min(reach).ceil() as u32)
    }

    /// `None` if too many texels may count, or some that cannot be named.
    fn extremes(
        &self,
        look: &Lookup,
        slopes: [[f32; 3]; 2],
        (first, last): (u32, u32),
        side: Bound,
    ) -> Option<[f32; 4]> {
        let spot = self.spot(look.coords);
        let arithmetic = if self.is_llvmpipe() { Arithmetic::Fused } else { Arithmetic::Plain };
        let mut found: Option<[f32; 4]> = None;
        let mut left = MOST;
        for level in first..=last {
            let plane = self.plane(look, level, spot.layer, (Filter::Linear, arithmetic));
            let mut ranges = [(0, 0); 3];
            for axis in 0..self.texture.dim.axes() {
                let size = if self.texture.dim == Dim::Rect { 1.0 } else { plane.size[axis] as f32 };
                let centre = spot.coords[axis] * size + look.offset[axis] as f32;
                let reach = (slopes[0][axis].abs() + slopes[1][axis].abs()) * size + REACH;
                ranges[axis] = self.range(&plane, axis, (centre - reach).floor(), (centre + reach).ceil())?;
            }
            let counts = ranges.map(|(low, high)| high - low + 1);
            left -= counts[0].checked_mul(counts[1])?.checked_mul(counts[2])?;
            if left < 0 {
                return None;
            }
            let [(x0, x1), (y0, y1), (z0, z1)] = ranges;
            for at in (z0..=z1).flat_map(|z| (y0..=y1).flat_map(move |y| (x0..=x1).map(move |x| [x, y, z]))) {
                let texel = self.texel(&plane, at, 0.0, &mut ()).float();
                if texel.iter().any(|channel| channel.is_nan()) {
                    return None;
                }
                let known = found.unwrap_or(texel);
                found = Some(std::array::from_fn(|channel| match side {
                    Bound::Lowest => known[channel].min(texel[channel]),
                    Bound::Highest => known[channel].max(texel[channel]),
                }));
            }
        }
        found
    }

    /// The texels of an axis from a position to another, as few as give all that are there.
    fn range(&self, plane: &Plane, axis: usize, low: f32, high: f32) -> Option<(i64, i64)> {
        if !(low.abs() < 1e9 && high.abs() < 1e9) {
            return None;
        }
        let (low, high, size) = (low as i64, high as i64, i64::from(plane.size[axis]));
        if plane.seamless && (low < -1 || high > size) {
            // Beyond the neighbouring texels of other faces.
            return None;
        }
        Some(match plane.wrap[axis] {
            Wrap::Repeat => (low, high.min(low + size - 1)),
            Wrap::MirroredRepeat => (low, high.min(low + 2 * size - 1)),
            Wrap::MirrorClampToEdge => (low.clamp(-size, size), high.clamp(-size, size)),
            Wrap::ClampToEdge | Wrap::ClampToBorder | Wrap::Clamp => (low.clamp(-1, size), high.clamp(-1, size)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Filtering, Format, Level, Lod, Sampler, Texture};

    /// A row of eight texels, numbered, and a level of half the size.
    fn texture() -> Texture {
        let level = |texels: &[f32]| Level {
            width: texels.len() as u32,
            height: 1,
            depth: 1,
            data: texels.iter().flat_map(|texel| texel.to_le_bytes()).collect::<Vec<u8>>().into(),
        };
        let (half, quarter): (Vec<f32>, Vec<f32>) = ((0..4).map(|n| 20.0 + n as f32).collect(), vec![40.0, 41.0]);
        let levels =
            vec![level(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), level(&half), level(&quarter), level(&[80.0])];
        Texture::new(Dim::D2, Format::R32F, levels)
    }

    #[track_caller]
    fn check(sampler: &Sampler, lod: Lod, expected: [f32; 2]) {
        let texture = texture();
        let look = Lookup { coords: [0.5, 0.5, 0.0, 0.0], lod, ..Lookup::default() };
        let bound = |side| {
            let sampler = Sampler { bound: Some(side), ..*sampler };
            Unit::new(&texture, &sampler).sample(&look, &mut ()).float()[0]
        };
        assert_eq!([Bound::Lowest, Bound::Highest].map(bound), expected);
        let given = Unit::new(&texture, sampler).sample(&look, &mut ()).float()[0];
        assert!(expected[0] <= given && given <= expected[1], "{given} is outside of {expected:?}");
    }

    #[test]
    fn texels_of_the_footprint_bound_a_filter() {
        let wide = Lod::Derivatives { dx: [0.25, 0.0, 0.0], dy: [0.0, 0.01, 0.0], bias: None };
        let sampler = Sampler {
            min_filter: Filter::Linear,
            mip_filter: MipFilter::None,
            wrap: [Wrap::ClampToEdge; 3],
            max_anisotropy: 16.0,
            ..Sampler::default()
        };
        check(&sampler, wide, [0.0, 7.0]);
        let narrow = Lod::Derivatives { dx: [0.01, 0.0, 0.0], dy: [0.0, 0.01, 0.0], bias: None };
        check(&sampler, narrow, [2.0, 6.0]);
        // Two texels: the levels below and above count, too.
        let mipmapped = Sampler { mip_filter: MipFilter::Linear, ..sampler };
        check(&mipmapped, wide, [0.0, 41.0]);
        check(
            &Sampler { filtering: Filtering::Llvmpipe { flipped: false, ellipses: true }, ..mipmapped },
            wide,
            [0.0, 41.0],
        );
        // Without anisotropy, and with a level of its own, a look-up is what it is.
        check(&Sampler { max_anisotropy: 1.0, ..sampler }, wide, [3.5, 3.5]);
        check(&sampler, Lod::Explicit(0.0), [3.5, 3.5]);
    }

    #[test]
    fn what_cannot_be_named_has_no_bounds() {
        let sampler = Sampler { max_anisotropy: 16.0, mip_filter: MipFilter::None, ..Sampler::default() };
        let lod = Lod::Derivatives { dx: [f32::INFINITY, 0.0, 0.0], dy: [0.0; 3], bias: None };
        let texture = texture();
        let look = Lookup { lod, ..Lookup::default() };
        let sampler = Sampler { bound: Some(Bound::Highest), ..sampler };
        assert_eq!(Unit::new(&texture, &sampler).sample(&look, &mut ()).float()[0], f32::INFINITY);
    }
}
