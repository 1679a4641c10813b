//! Level of detail: selects levels from derivatives (GL 4.6, 8.14.1 and 8.14.3).

use crate::sample::{Lod, Lookup};
use crate::sampler::{Filter, MipFilter};
use crate::texture::Dim;
use crate::unit::Unit;

/// The result of `textureQueryLod`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LodQuery {
    /// The level that would be read, relative to the base level; fractional if it lies between two.
    pub level: f32,
    /// The level of detail, with bias but not clamped.
    pub lod: f32,
}

/// The level of detail of a look-up, and the number of probes for anisotropic filtering.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Detail {
    /// Lambda in the specification, before clamping.
    pub(crate) lod: f32,
    pub(crate) probes: u16,
    /// Whether the probes are placed along y in window space, rather than along x.
    pub(crate) along_y: bool,
}

/// The levels that a look-up reads.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Selection {
    pub(crate) filter: Filter,
    pub(crate) first: u32,
    /// A second level and its weight.
    pub(crate) second: Option<(u32, f32)>,
}

impl Unit<'_> {
    /// `textureQueryLod`. Zeros for an incomplete texture.
    #[must_use]
    pub fn query_lod(&self, look: &Lookup) -> LodQuery {
        if self.incomplete.is_some() {
            return LodQuery { level: 0.0, lod: 0.0 };
        }
        let lod = if self.is_llvmpipe() { self.llvmpipe_lod(look) } else { self.detail(look).lod };
        let selection = self.select(self.clamp(lod, look));
        let first = (selection.first - self.texture.base_level) as f32;
        let share = selection.second.map_or(0.0, |(_, share)| share);
        LodQuery { level: first + share, lod }
    }

    /// The level of detail of a look-up.
    pub(crate) fn detail(&self, look: &Lookup) -> Detail {
        let bias = self.sampler.lod_bias;
        let (dx, dy, shader_bias) = match look.lod {
            Lod::Explicit(lod) => return Detail { lod: lod + bias, probes: 1, along_y: false },
            Lod::Derivatives { dx, dy, bias } => (dx, dy, bias.unwrap_or(0.0)),
            Lod::Gradient { dx, dy } => (dx, dy, 0.0),
        };
        let [dx, dy] = self.on_texture(look, dx, dy);
        let (px, py) = (self.length(dx), self.length(dy));
        let (longer, shorter) = if py > px { (py, px) } else { (px, py) };
        let probes = self.probes(longer, shorter);
        // log2(0) is minus infinity, which selects magnification.
        let lod = (longer / f32::from(probes)).log2() + bias + shader_bias;
        Detail { lod, probes, along_y: py > px }
    }

    /// Derivatives along the texture's axes; for cube maps on the face that the direction hits.
    pub(crate) fn on_texture(&self, look: &Lookup, dx: [f32; 3], dy: [f32; 3]) -> [[f32; 3]; 2] {
        if self.texture.dim != Dim::Cube {
            return [dx, dy];
        }
        let [x, y, z, _] = look.coords;
        self.project([x, y, z], [dx, dy]).derivatives.map(|[s, t]| [s, t, 0.0])
    }

    /// A derivative in texels of the base level; zero along missing axes.
    pub(crate) fn in_texels(&self, derivative: [f32; 3]) -> [f32; 3] {
        let Some(base) = self.texture.level(self.texture.base_level) else { return [0.0; 3] };
        let size = match self.texture.dim {
            Dim::Rect => [1.0; 3],
            _ => [base.width as f32, base.height as f32, base.depth as f32],
        };
        let axes = self.texture.dim.axes();
        std::array::from_fn(|i| if i < axes { derivative[i] * size[i] } else { 0.0 })
    }

    /// The length of a derivative in texels: one of the two roots of equation 8.11.
    fn length(&self, derivative: [f32; 3]) -> f32 {
        self.in_texels(derivative).iter().map(|d| d.powi(2)).sum::<f32>().sqrt()
    }

    /// The number of probes that `EXT_texture_filter_anisotropic` suggests: the ratio of the footprint's sides, limited
    /// by the sampler. A footprint smaller than a texel needs one.
    fn probes(&self, longer: f32, shorter: f32) -> u16 {
        let most = self.sampler.max_anisotropy.clamp(1.0, 64.0);
        if most <= 1.0 || longer <= 1.0 || !matches!(self.texture.dim, Dim::D2 | Dim::Cube) {
            return 1;
        }
        // Saturates if the shorter side is zero.
        (longer / shorter).ceil().min(most.floor()).max(1.0) as u16
    }

    /// Lambda in the specification: clamped by the sampler, then from below by the look-up.
    pub(crate) fn clamp(&self, lod: f32, look: &Lookup) -> f32 {
        let clamped = lod.max(self.sampler.min_lod).min(self.sampler.max_lod);
        look.min_lod.map_or(clamped, |min| clamped.max(min))
    }

    /// The levels that a level of detail selects.
    pub(crate) fn select(&self, lod: f32) -> Selection {
        let (base, last) = (self.texture.base_level, self.last_level);
        let reach = (last - base) as f32;
        let one = |filter, first| Selection { filter, first, second: None };
        if lod <= 0.0 {
            return one(self.sampler.mag_filter, base);
        }
        let filter = self.sampler.min_filter;
        match self.sampler.mip_filter {
            MipFilter::None => one(filter, base),
            // Equation 8.14; half a level rounds down.
            MipFilter::Nearest => one(filter, base + ((lod + 0.5).ceil() - 1.0).max(0.0).min(reach) as u32),
            MipFilter::Linear => {
                let lod = lod.min(reach);
                let first = base + lod.floor() as u32;
                let share = lod - lod.floor();
                Selection { filter, first, second: (share > 0.0).then_some((first + 1, share)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Format, Level, Sampler, Texture};

    fn texture(base_level: u32) -> Texture {
        let levels = (0..5).map(|i| Level { width: 16 >> i, height: 16 >> i, depth: 1, data: Arc::default() });
        Texture { base_level, ..Texture::new(Dim::D2, Format::R8, levels.collect()) }
    }

    fn derivatives(x: f32, y: f32, bias: f32) -> Lookup {
        let lod = Lod::Derivatives { dx: [x / 16.0, 0.0, 0.0], dy: [0.0, y / 16.0, 0.0], bias: Some(bias) };
        Lookup { lod, ..Lookup::default() }
    }

    #[track_caller]
    fn check(sampler: &Sampler, look: &Lookup, level: f32, lod: f32) {
        let texture = texture(0);
        assert_eq!(Unit::new(&texture, sampler).query_lod(look), LodQuery { level, lod });
    }

    #[test]
    fn the_longer_derivative_determines_the_level() {
        let sampler = Sampler::default();
        check(&sampler, &derivatives(1.0, 4.0, 0.0), 2.0, 2.0);
        check(&sampler, &derivatives(4.0, 1.0, 0.5), 2.5, 2.5);
        check(&sampler, &derivatives(1024.0, 1.0, 0.0), 4.0, 10.0);
        check(&sampler, &derivatives(0.0, 0.0, 0.0), 0.0, f32::NEG_INFINITY);
    }

    #[test]
    fn bias_and_clamps() {
        let sampler = Sampler { lod_bias: 1.0, max_lod: 2.25, ..Sampler::default() };
        check(&sampler, &derivatives(4.0, 4.0, 0.0), 2.25, 3.0);
        check(&sampler, &Lookup { lod: Lod::Explicit(0.5), ..Lookup::default() }, 1.5, 1.5);
        let clamped = Lookup { lod: Lod::Explicit(0.0), min_lod: Some(3.0), ..Lookup::default() };
        check(&Sampler::default(), &clamped, 3.0, 0.0);
    }

    #[test]
    fn nearest_level_rounds_half_down() {
        let texture = texture(1);
        let sampler = Sampler { mip_filter: MipFilter::Nearest, ..Sampler::default() };
        let unit = Unit::new(&texture, &sampler);
        let levels = [0.25, 0.5, 0.51, 1.5, 1.51, 9.0].map(|lod| unit.select(lod).first);
        assert_eq!(levels, [1, 1, 2, 2, 3, 4]);
        assert_eq!(unit.select(0.0).filter, Filter::Linear);
        assert_eq!(unit.select(0.01).filter, Filter::Nearest);
    }

    #[test]
    fn probes_follow_the_ratio() {
        let texture = texture(0);
        let sampler = Sampler { max_anisotropy: 4.0, ..Sampler::default() };
        let unit = Unit::new(&texture, &sampler);
        let probes = |x, y| unit.detail(&derivatives(x, y, 0.0)).probes;
        assert_eq!([probes(3.0, 1.0), probes(1.0, 8.0), probes(2.0, 0.0), probes(0.5, 0.1)], [3, 4, 4, 1]);
        assert!(unit.detail(&derivatives(1.0, 8.0, 0.0)).along_y);
        assert_eq!(unit.detail(&derivatives(1.0, 8.0, 0.0)).lod, 1.0);
    }
}
