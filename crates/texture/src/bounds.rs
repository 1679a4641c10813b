//! What a filter may give on a device whose filter is not known exactly.
//!
//! Without anisotropy, the level of detail is one between that of the longest change of a coordinate and that of the sum of
//! all (GL 4.6, 8.14.1), which devices approximate, and a coordinate may be rounded to a part of a texel. What the exact
//! filter gives at the ends, and at the levels in between, bounds what such a device gives.
//!
//! `EXT_texture_filter_anisotropic` leaves the filter to the device: it is some average of texels that the pixel covers.
//! The least and the greatest of these, component by component, bound it. They are taken from every level between that of
//! the shorter side of the pixel's footprint (or as far below the longer one as the degree of anisotropy allows) and that
//! of the sum of both sides, and from the rectangle around a footprint of twice the size, with the neighbours that linear
//! filters reach.

use crate::format::Class;
use crate::llvmpipe::Arithmetic;
use crate::sample::{Lod, Lookup, Plane};
use crate::sampler::{Filter, Filtering, MipFilter, Sampler};
use crate::texture::Dim;
use crate::unit::Unit;
use crate::value::Value;
use crate::wrap::Wrap;

/// Which bound of a filter a look-up returns in place of what the filter gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The least or the greatest.
    pub side: Side,
    /// Of every level of the texture, because the changes of coordinates are not known: those of the neighbouring
    /// fragments come from look-ups, which are not measured.
    pub any_level: bool,
}

/// An end of what may come out of a filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
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

/// A level of detail may be off by this, where a device approximates the logarithm.
const LEVEL_SLACK: f32 = 1.0 / 64.0;

/// Positions may be off by so much of a texel: hardware has eight bits for the fraction.
const ROUNDING: f32 = 1.0 / 256.0;

impl Unit<'_> {
    /// The bound of a look-up; `None` if it is known what it gives.
    pub(crate) fn bound(&self, look: &Lookup, bound: Bound) -> Option<Value> {
        if self.texture.class() != Class::Float {
            return None;
        }
        match look.lod.slopes() {
            Some(slopes) if self.sampler.max_anisotropy > 1.0 => {
                Some(self.anisotropic_bound(look, slopes, bound.side).swizzled(self.texture.swizzle))
            }
            _ if self.is_llvmpipe() => None,
            _ => Some(self.isotropic_bound(look, bound)),
        }
    }

    fn isotropic_bound(&self, look: &Lookup, Bound { side, any_level }: Bound) -> Value {
        let exact = Sampler { bound: None, filtering: Filtering::Exact, ..*self.sampler };
        let unit = Unit { sampler: &exact, ..*self };
        let mut found: Option<[f32; 4]> = None;
        for level in self.levels_of_detail(look, any_level) {
            // The bias is added again.
            let lod = Lod::Explicit(level - self.sampler.lod_bias);
            for coords in self.near(look, self.clamp(level, look)) {
                let value = unit.sample(&Lookup { coords, lod, ..*look }, &mut ()).float();
                let known = found.unwrap_or(value);
                found = Some(std::array::from_fn(|channel| extreme(side, known[channel], value[channel])));
            }
        }
        Value::Float(found.unwrap_or([unbounded(side); 4]))
    }

    /// The least and the greatest level of detail that a look-up may have, and where filters change between them.
    fn levels_of_detail(&self, look: &Lookup, any: bool) -> Vec<f32> {
        let last = (self.last_level - self.texture.base_level) as f32;
        let own = self.sampler.lod_bias;
        let (low, high) = match look.lod {
            Lod::Explicit(lod) => (lod + own, lod + own),
            Lod::Derivatives { .. } if any => (-1.0, last),
            Lod::Derivatives { .. } | Lod::Gradient { .. } => {
                let (dx, dy, bias) = look.lod.slopes().unwrap_or_default();
                let [dx, dy] = self.on_texture(look, dx, dy).map(|slope| self.in_texels(slope));
                let longest: [f32; 3] = std::array::from_fn(|axis| dx[axis].abs().max(dy[axis].abs()));
                let most = longest.into_iter().fold(0.0, f32::max);
                (most.log2() + bias + own, longest.into_iter().sum::<f32>().log2() + bias + own)
            }
        };
        let (low, high) = (low - LEVEL_SLACK, high + LEVEL_SLACK);
        // Just above zero, a texture begins to be minified.
        let changes = std::iter::once(f32::MIN_POSITIVE).chain((0..=last as u32).map(|level| level as f32));
        let between = changes.filter(|level| low < *level && *level < high);
        [low, high].into_iter().chain(between).collect()
    }

    /// A position, and those around it that a device may round it to.
    fn near(&self, look: &Lookup, level: f32) -> Vec<[f32; 4]> {
        let last = (self.last_level - self.texture.base_level) as f32;
        let number = self.texture.base_level + level.max(0.0).min(last).floor() as u32;
        let Some(plane) = self.texture.level(number) else { return vec![look.coords] };
        let sizes = [plane.width, plane.height, plane.depth].map(|size| size.max(1) as f32);
        let cube = self.texture.dim == Dim::Cube;
        let axes = if cube { 3 } else { self.texture.dim.axes() };
        let longest = look.coords[..3].iter().fold(0.0_f32, |most, part| most.max(part.abs()));
        let step: [f32; 3] = std::array::from_fn(|axis| match self.texture.dim {
            // From one edge of a face to the other, a direction changes by twice its longest part.
            Dim::Cube => 2.0 * longest * ROUNDING / sizes[0],
            Dim::Rect => ROUNDING,
            _ => ROUNDING / sizes[axis],
        });
        let corner = |number: usize| {
            let mut coords = look.coords;
            for axis in 0..axes {
                coords[axis] += if number >> axis & 1 == 0 { -step[axis] } else { step[axis] };
            }
            coords
        };
        std::iter::once(look.coords).chain((0..1 << axes).map(corner)).collect()
    }

    fn anisotropic_bound(&self, look: &Lookup, (dx, dy, bias): ([f32; 3], [f32; 3], f32), side: Side) -> Value {
        let slopes = self.on_texture(look, dx, dy);
        let levels = self.possible_levels(slopes, bias, look);
        let found = self.extremes(look, slopes, levels, side);
        Value::Float(found.unwrap_or([unbounded(side); 4]))
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
        side: Side,
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
                found = Some(std::array::from_fn(|channel| extreme(side, known[channel], texel[channel])));
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

fn extreme(side: Side, one: f32, other: f32) -> f32 {
    if one.is_nan() || other.is_nan() {
        return unbounded(side);
    }
    match side {
        Side::Lowest => one.min(other),
        Side::Highest => one.max(other),
    }
}

fn unbounded(side: Side) -> f32 {
    match side {
        Side::Lowest => f32::NEG_INFINITY,
        Side::Highest => f32::INFINITY,
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
            let sampler = Sampler { bound: Some(Bound { side, any_level: false }), ..*sampler };
            Unit::new(&texture, &sampler).sample(&look, &mut ()).float()[0]
        };
        assert_eq!([Side::Lowest, Side::Highest].map(bound), expected);
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
        // A level of its own is almost that, and so is the position.
        check(&sampler, Lod::Explicit(0.0), [3.5 - ROUNDING, 3.5 + ROUNDING]);
    }

    #[test]
    fn levels_between_the_longest_change_and_the_sum_bound_a_filter() {
        let sampler = Sampler {
            min_filter: Filter::Linear,
            mip_filter: MipFilter::Linear,
            wrap: [Wrap::ClampToEdge; 3],
            ..Sampler::default()
        };
        let slopes = |dx: f32| Lod::Derivatives { dx: [dx, 0.0, 0.0], dy: [0.0; 3], bias: None };
        let bounds = |sampler: &Sampler, lod: Lod| {
            let texture = texture();
            let look = Lookup { coords: [0.5, 0.5, 0.0, 0.0], lod, ..Lookup::default() };
            let [low, high] = [Side::Lowest, Side::Highest].map(|side| {
                let sampler = Sampler { bound: Some(Bound { side, any_level: false }), ..*sampler };
                Unit::new(&texture, &sampler).sample(&look, &mut ()).float()[0]
            });
            let given = Unit::new(&texture, sampler).sample(&look, &mut ()).float()[0];
            assert!(low <= given && given <= high, "{given} is outside of {low} to {high}");
            [low, high]
        };
        // Magnified: the level does not matter.
        assert_eq!(bounds(&sampler, slopes(0.01)), [3.5 - ROUNDING, 3.5 + ROUNDING]);
        // Two texels: level 1, or so; 21.5 is in its middle, 3.5 in that of level 0, and 40.5 in that of level 2.
        let [low, high] = bounds(&sampler, slopes(0.25));
        assert!((21.0..21.5).contains(&low) && (21.5..22.0).contains(&high), "{low} {high}");
        // Along both axes, the level may be that of the sum.
        let both = Lod::Derivatives { dx: [0.25, 0.0, 0.0], dy: [0.0, 2.0, 0.0], bias: None };
        let [low, high] = bounds(&sampler, both);
        assert!((21.0..21.5).contains(&low) && (40.0..42.0).contains(&high), "{low} {high}");
        // From the magnified base to the last level.
        let any = |side| {
            let sampler = Sampler { bound: Some(Bound { side, any_level: true }), ..sampler };
            let look = Lookup { coords: [0.5, 0.5, 0.0, 0.0], lod: slopes(0.25), ..Lookup::default() };
            Unit::new(&texture(), &sampler).sample(&look, &mut ()).float()[0]
        };
        assert_eq!([Side::Lowest, Side::Highest].map(any), [3.5 - ROUNDING, 80.0]);
        // llvmpipe's way is known.
        let known = Sampler { filtering: Filtering::Llvmpipe { flipped: false, ellipses: true }, ..sampler };
        let [low, high] = bounds(&known, slopes(0.25));
        assert_eq!(low, high);
        // Comparisons may go either way at an edge, and nothing else is in between.
        let nearest = Sampler {
            min_filter: Filter::Nearest,
            mag_filter: Filter::Nearest,
            mip_filter: MipFilter::None,
            ..sampler
        };
        assert_eq!(bounds(&nearest, Lod::Explicit(0.0)), [3.0, 4.0]);
    }

    #[test]
    fn what_cannot_be_named_has_no_bounds() {
        let sampler = Sampler { max_anisotropy: 16.0, mip_filter: MipFilter::None, ..Sampler::default() };
        let lod = Lod::Derivatives { dx: [f32::INFINITY, 0.0, 0.0], dy: [0.0; 3], bias: None };
        let texture = texture();
        let look = Lookup { lod, ..Lookup::default() };
        let highest = Bound { side: Side::Highest, any_level: false };
        let sampler = Sampler { bound: Some(highest), ..sampler };
        assert_eq!(Unit::new(&texture, &sampler).sample(&look, &mut ()).float()[0], f32::INFINITY);
    }
}
