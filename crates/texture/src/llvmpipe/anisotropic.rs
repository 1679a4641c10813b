//! Anisotropic filters as llvmpipe has them from Mesa 21.3 to 24.1: the weighted average of all texels in an ellipse.
//!
//! Whatever the filters of the sampler are:
//!
//! - The level is the one of the *shorter* side of the pixel's footprint, rounded towards zero. The greatest degree of
//!   anisotropy only switches the filter on.
//! - The ellipse has the footprint of the quad, measured in texels of that level, even if the shader gives other
//!   derivatives or a level. Texels weigh exp(-2 r²), from a table of 1024 steps of r².
//! - Texels are looked up by the coordinates of their corners, so that mirroring and sizes that are not powers of two
//!   may select a neighbour.
//! - If no texel's centre is in the ellipse, the level is filtered linearly.

use std::sync::LazyLock;

use super::Arithmetic;
use crate::lod::Selection;
use crate::sample::{Lookup, ResolvedCoordinate};
use crate::sampler::{Filter, MipFilter};
use crate::texture::Dim;
use crate::unit::Unit;
use crate::value::{TexelSink, Value};

/// The number of steps in the table of weights.
const STEPS: usize = 1024;

/// The most texels of a rectangle around an ellipse that are visited. A larger ellipse is filtered linearly: it takes
/// degenerate derivatives or a hostile trace to need more.
const MOST: i64 = 1 << 18;

/// exp(-2 r²), in six decimals.
static WEIGHTS: LazyLock<[f32; STEPS]> = LazyLock::new(|| {
    std::array::from_fn(|step| {
        let square = step as f32 / (STEPS - 1) as f32;
        let weight = f64::from(-2.0 * square).exp() as f32;
        ((f64::from(weight) * 1e6).round() / 1e6) as f32
    })
});

/// How a pixel's footprint extends over the texture, for normalised coordinates.
#[derive(Clone, Copy)]
struct Footprint {
    /// The change of s and t to the next pixel along x.
    dx: [f32; 2],
    dy: [f32; 2],
}

/// An ellipse around a position in texels: the weight of a texel at distance (u, v) is that of the step
/// a u² + b u v + c v².
struct Ellipse {
    centre: [f32; 2],
    form: [f32; 3],
    /// Half of the sides of the rectangle around it.
    sides: [f32; 2],
}

/// A texel in an ellipse, before wrapping.
struct Weighed {
    at: [i32; 2],
    weight: f32,
}

impl Unit<'_> {
    /// Whether a look-up averages the texels of an ellipse. (In one dimension, and where depths are compared, llvmpipe's
    /// generated code reads what it has not set.)
    pub(crate) fn is_elliptic(&self, look: &Lookup) -> bool {
        let flat = matches!(self.texture.dim, Dim::D2 | Dim::D3 | Dim::Cube);
        let compares = look.reference.is_some() && self.compares();
        self.is_llvmpipe() && self.sampler.max_anisotropy > 1.0 && flat && !compares
    }

    /// The square of the shorter side of a pixel's footprint, in texels of the base level.
    pub(crate) fn shorter_squared(&self, look: &Lookup) -> f32 {
        let [width, height] = self.extent(self.texture.base_level);
        let Footprint { dx, dy } = self.footprint(look);
        let square = |[s, t]: [f32; 2]| (s * width).powi(2) + (t * height).powi(2);
        square(dx).min(square(dy))
    }

    /// Averages the texels of the ellipse, and reports each with its weight.
    pub(crate) fn average_ellipse<S: TexelSink>(&self, look: &Lookup, sink: &mut S) -> Value {
        let spot = self.spot(look.coords);
        let level = self.elliptic_level(look);
        let arithmetic = Arithmetic::Fused;
        let ellipse = self.ellipse(look, spot, level);
        let texels = ellipse.map_or_else(Vec::new, |ellipse| ellipse.texels());
        let sum: f32 = texels.iter().fold(0.0, |sum, texel| sum + texel.weight);
        if sum == 0.0 {
            let selection = Selection { filter: Filter::Linear, first: level, second: None };
            return self.levels_at(look, selection, 1.0, sink);
        }
        let plane = self.plane(look, level, spot.layer, (Filter::Nearest, arithmetic));
        let size = self.extent(level);
        let mut colour = [0.0; 4];
        for Weighed { at, weight } in texels {
            let mut corner = spot;
            (0..2).for_each(|axis| corner.coords[axis] = at[axis] as f32 / size[axis]);
            let spans = self.spans(&plane, corner, look.offset, (Filter::Nearest, arithmetic));
            let texel = self.texel(&plane, spans.map(|span| span.first), weight / sum, sink);
            let texel = match texel {
                Value::Float(value) => value,
                // Integers are never averaged: a texture of them is incomplete with filters.
                whole => return whole,
            };
            (0..4).for_each(|channel| colour[channel] += texel[channel] * weight);
        }
        Value::Float(colour.map(|channel| channel / sum))
    }

    fn elliptic_level(&self, look: &Lookup) -> u32 {
        let (base, last) = (self.texture.base_level, self.last_level);
        let sampler = self.sampler;
        if sampler.mip_filter == MipFilter::None && sampler.min_filter == sampler.mag_filter {
            return base;
        }
        let lod = self.clamp(self.llvmpipe_lod(look), look);
        base.saturating_add(lod.max(0.0) as u32).min(last)
    }

    fn footprint(&self, look: &Lookup) -> Footprint {
        let flat = |[s, t, _]: [f32; 3]| [s, t];
        let Some(quad) = look.quad else {
            let Some((dx, dy, _)) = look.lod.slopes() else { return Footprint { dx: [0.0; 2], dy: [0.0; 2] } };
            let [dx, dy] = self.on_texture(look, dx, dy).map(flat);
            return Footprint { dx, dy };
        };
        // Every pixel's direction is projected to the face that it hits, even if that is another one.
        let [here, right, above] = quad.map(|[x, y, z]| flat(self.spot([x, y, z, 0.0]).coords));
        let less = |a: [f32; 2]| std::array::from_fn(|i| a[i] - here[i]);
        Footprint { dx: less(right), dy: less(above) }
    }

    /// The width and height of a level; of the first level by those of the base level if only that exists.
    fn extent(&self, level: u32) -> [f32; 2] {
        let texture = self.texture;
        let size = |level: u32| texture.level(level).map(|level| [level.width, level.height]);
        let guessed = || {
            let base = size(texture.base_level).unwrap_or([1; 2]);
            base.map(|n| n.checked_shl(texture.base_level).unwrap_or(n))
        };
        size(level).unwrap_or_else(guessed).map(|n| n as f32)
    }

    /// `None` if it is too large to visit its texels.
    fn ellipse(&self, look: &Lookup, spot: ResolvedCoordinate, level: u32) -> Option<Ellipse> {
        // Levels are taken to be halves of the first, also where its size is odd.
        let scale = 1.0 / (1u64 << level.min(40)) as f32;
        let first = self.extent(0);
        let Footprint { dx, dy } = self.footprint(look);
        let texels = |[s, t]: [f32; 2]| [s * first[0] * scale, t * first[1] * scale];
        let ([ux, vx], [uy, vy]) = (texels(dx), texels(dy));
        let a = vx * vx + vy * vy + 1.0;
        let b = -2.0 * (ux * vx + uy * vy);
        let c = ux * ux + uy * uy + 1.0;
        let f = a * c - b * b / 4.0;
        let d = 4.0 * (a * c) - b * b;
        let sides = [2.0 / d * (d * c * f).sqrt(), 2.0 / d * (a * d * f).sqrt()];
        let to_steps = (STEPS - 1) as f32 / f;
        let centre = std::array::from_fn(|axis| spot.coords[axis] * (first[axis] * scale) - 0.5);
        let ellipse = Ellipse { centre, form: [a, b, c].map(|part| part * to_steps), sides };
        let area = ellipse.ranges()?.map(|(low, high)| i64::from(high) - i64::from(low) + 1);
        (area[0].checked_mul(area[1])? <= MOST).then_some(ellipse)
    }
}

impl Ellipse {
    /// The first and last column and row; `None` if they are out of reach.
    fn ranges(&self) -> Option<[(i32, i32); 2]> {
        let whole = |x: f32| (x.abs() < 1e9).then_some(x as i32);
        let range = |axis: usize| {
            let (centre, side) = (self.centre[axis], self.sides[axis]);
            Some((whole((centre - side).floor())?, whole((centre + side).ceil())?))
        };
        Some([range(0)?, range(1)?])
    }

    /// The texels that weigh something. The step of a texel is the sum of the differences before it in its row, with
    /// the rounding of each.
    fn texels(&self) -> Vec<Weighed> {
        let Some([(left, right), (bottom, top)]) = self.ranges() else { return Vec::new() };
        let [a, b, c] = self.form;
        let u = left as f32 - self.centre[0];
        let mut found = Vec::new();
        for row in bottom..=top {
            let v = row as f32 - self.centre[1];
            let mut difference = v * b + (u * 2.0 + 1.0) * a;
            let mut step = (c * v + b * u) * v + u * u * a;
            for column in left..=right {
                let weight = WEIGHTS.get((step as i32).max(0) as usize).copied().unwrap_or(0.0);
                if weight != 0.0 {
                    found.push(Weighed { at: [column, row], weight });
                }
                step += difference;
                difference += 2.0 * a;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_fall_to_exp_of_minus_two() {
        assert_eq!([WEIGHTS[0], WEIGHTS[1], WEIGHTS[8], WEIGHTS[1023]], [1.0, 0.998_047, 0.984_481, 0.135_335]);
    }

    #[test]
    fn a_circle_has_the_texels_around_its_centre() {
        let circle = Ellipse { centre: [3.0, 5.0], form: [1023.0, 0.0, 1023.0], sides: [1.0; 2] };
        let texels = circle.texels();
        assert_eq!(texels.iter().map(|t| t.at).collect::<Vec<_>>(), [[3, 4], [2, 5], [3, 5], [4, 5], [3, 6]]);
        assert_eq!(texels[2].weight, 1.0);
        assert!(texels.iter().all(|t| t.at == [3, 5] || t.weight == WEIGHTS[1023]));
    }
}
