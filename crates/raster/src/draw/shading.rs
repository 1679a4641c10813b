//! From covered quads through shading to the framebuffer.

use super::{Context, Rasteriser};
use crate::FragmentOutput;
use crate::format::PixelFormat;
use crate::interpolate::{Barycentrics, Interpolator, varying};
use crate::merge::{self, Event, Sample, Verdict};
use crate::polygon::Coverage;
use crate::quad::{self, Fragment, Quad};
use crate::state::{Place, Varying, Viewport};

/// The most samples a framebuffer has.
const MAX_SAMPLES: usize = 8;

impl Rasteriser<'_> {
    /// Shades a quad, sample by sample if asked to, and merges it.
    pub(super) fn quad(&mut self, context: &Context, interpolator: &Interpolator, coverage: &Coverage) {
        let mut coverage = *coverage;
        if self.samples < self.framebuffer.samples {
            // Without multisampling, the centre decides for all samples of a pixel (GL 4.6, 14.3.1).
            let all = u32::MAX >> (32 - self.framebuffer.samples.clamp(1, 32));
            coverage.masks = coverage.masks.map(|mask| if mask == 0 { 0 } else { all });
        }
        if self.pipeline.early_fragment_tests {
            for lane in 0..4 {
                let samples = self.samples_of(context, interpolator, &coverage, lane, None, None);
                let mut mask = 0;
                for (bit, sample) in samples.into_iter().flatten() {
                    match merge::depth_stencil(self.pipeline, self.framebuffer, &sample) {
                        Verdict::Written => mask |= 1 << bit,
                        failed => self.report(context, pixel(&coverage, lane), bit, sample.depth, failed),
                    }
                }
                coverage.masks[lane] &= mask;
            }
            if coverage.masks == [0; 4] {
                return;
            }
        }
        if !self.per_sample {
            return self.shade(context, interpolator, &coverage, None);
        }
        for sample in 0..self.samples {
            let masks = coverage.masks.map(|mask| mask & 1 << sample);
            if masks != [0; 4] {
                self.shade(context, interpolator, &Coverage { masks, ..coverage }, Some(sample));
            }
        }
    }

    fn shade(&mut self, context: &Context, interpolator: &Interpolator, coverage: &Coverage, sample: Option<u32>) {
        let centre = sample.map_or([0.0; 2], |sample| quad::offset(self.samples, sample));
        let fragments = std::array::from_fn(|lane| fragment(context, interpolator, coverage, lane, centre));
        self.interpolate(context, interpolator, &fragments);
        let quad = Quad {
            fragments,
            varyings: &self.varyings,
            front_facing: context.front,
            primitive: context.primitive,
            layer: context.layer,
            viewport: context.viewport_index,
            sample,
            interpolator,
            vertices: self.vertices,
            pipeline: self.pipeline,
            samples: self.samples,
            framebuffer: self.framebuffer,
        };
        self.stats.quads += 1;
        self.stats.fragments += fragments.iter().filter(|f| !f.is_helper()).count() as u64;
        let mut outputs = (self.shade)(&quad);
        if self.pipeline.clamp_colors {
            outputs = outputs.map(|output| merge::clamped(&output));
        }
        let format = self.framebuffer.colors.first().and_then(|c| c.as_ref()).map(|c| c.format);
        for (lane, output) in outputs.iter().enumerate().filter(|(lane, _)| coverage.masks[*lane] != 0) {
            // Of a pixel with one sample, that is where it was shaded.
            let depth = (self.framebuffer.samples == 1).then(|| fragments[lane].coord[2]);
            self.merge(context, interpolator, coverage, lane, depth, (output, format));
        }
    }

    /// Everything after shading, for one pixel.
    fn merge(
        &mut self,
        context: &Context,
        interpolator: &Interpolator,
        coverage: &Coverage,
        lane: usize,
        depth: Option<f32>,
        (output, format): (&FragmentOutput, Option<PixelFormat>),
    ) {
        let mask = merge::surviving(self.pipeline, self.samples, format, coverage.masks[lane], output);
        let samples = self.samples_of(context, interpolator, coverage, lane, depth, Some(output));
        for (bit, sample) in samples.into_iter().flatten() {
            let verdict = match mask {
                Err(verdict) => verdict,
                Ok(mask) if mask >> bit & 1 == 0 => Verdict::SampleMask,
                Ok(_) if self.pipeline.early_fragment_tests => Verdict::Written,
                Ok(_) => merge::depth_stencil(self.pipeline, self.framebuffer, &sample),
            };
            if verdict == Verdict::Written {
                self.stats.samples_passed += 1;
                merge::colors(self.pipeline, self.framebuffer, sample.at, output, &mut self.rounded);
            }
            self.report(context, pixel(coverage, lane), bit, sample.depth, verdict);
        }
    }

    fn report(&mut self, context: &Context, (x, y): (u32, u32), sample: u32, depth: f32, verdict: Verdict) {
        let (primitive_id, layer) = (context.primitive.id, context.layer);
        (self.watch)(&Event { x, y, layer, sample, primitive_id, depth, verdict }, self.framebuffer);
    }

    fn interpolate(&mut self, context: &Context, interpolator: &Interpolator, fragments: &[Fragment; 4]) {
        let primitive = &context.primitive;
        let corners = primitive.corners.map(|corner| &self.vertices[corner as usize]);
        let provoking = &self.vertices[primitive.provoking as usize];
        let centroids: [Barycentrics; 4] = std::array::from_fn(|lane| {
            let f = &fragments[lane];
            let [dx, dy] = quad::centroid(self.samples, f.coverage);
            if self.per_sample || [dx, dy] == [0.0; 2] {
                return f.barycentrics;
            }
            interpolator.at(f64::from(f.x) + 0.5 + f64::from(dx), f64::from(f.y) + 0.5 + f64::from(dy))
        });
        for (word, values) in self.varyings.iter_mut().enumerate() {
            let Varying { interpolation, place } = self.pipeline.varyings.get(word).copied().unwrap_or_default();
            *values = std::array::from_fn(|lane| {
                let at = match place {
                    Place::Center | Place::Sample => &fragments[lane].barycentrics,
                    Place::Centroid => &centroids[lane],
                };
                varying(interpolation, word, at, corners, provoking)
            });
        }
    }

    /// The covered samples of a pixel with their numbers; their depth is found unless it is given.
    fn samples_of(
        &self,
        context: &Context,
        interpolator: &Interpolator,
        coverage: &Coverage,
        lane: usize,
        known: Option<f32>,
        output: Option<&FragmentOutput>,
    ) -> [Option<(u32, Sample)>; MAX_SAMPLES] {
        let (x, y) = pixel(coverage, lane);
        let Viewport { near, far, .. } = context.viewport;
        let sample = |bit: usize| {
            let bit = bit as u32;
            if bit >= self.framebuffer.samples || coverage.masks[lane] >> bit & 1 == 0 {
                return None;
            }
            let written = output.and_then(|o| o.depth);
            let depth = written.or(known).unwrap_or_else(|| {
                let [dx, dy] = quad::offset(self.samples, bit);
                interpolator.at(f64::from(x) + 0.5 + f64::from(dx), f64::from(y) + 0.5 + f64::from(dy)).depth as f32
            });
            let depth = match (self.pipeline.depth_clamp, written) {
                (true, _) => depth.clamp(near.min(far), near.max(far)),
                (false, None) => depth.clamp(0.0, 1.0),
                (false, Some(_)) => depth,
            };
            let at = self.framebuffer.index(x, y, self.framebuffer.drawn_layer(context.layer), bit)?;
            Some((bit, Sample { at, depth, front: context.front, stencil: output.and_then(|o| o.stencil) }))
        };
        std::array::from_fn(sample)
    }
}

fn pixel(coverage: &Coverage, lane: usize) -> (u32, u32) {
    (coverage.x + (lane as u32 & 1), coverage.y + (lane as u32 >> 1))
}

fn fragment(
    context: &Context,
    interpolator: &Interpolator,
    coverage: &Coverage,
    lane: usize,
    place: [f32; 2],
) -> Fragment {
    let (x, y) = pixel(coverage, lane);
    let at = [x as f32 + 0.5 + place[0], y as f32 + 0.5 + place[1]];
    let barycentrics = interpolator.at(f64::from(at[0]), f64::from(at[1]));
    let point_coord =
        context.point.map_or([0.0; 2], |p| [0.5 + (at[0] - p.x) / p.size, 0.5 + p.up * (at[1] - p.y) / p.size]);
    let coord = [at[0], at[1], barycentrics.depth as f32, barycentrics.inverse_w as f32];
    Fragment { x, y, coverage: coverage.masks[lane], coord, barycentrics, point_coord }
}
