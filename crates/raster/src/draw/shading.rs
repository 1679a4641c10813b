//! Shades covered quads and merges them into the framebuffer.

use super::{Context, Rasteriser};
use crate::FragmentOutput;
use crate::format::PixelFormat;
use crate::interpolate::{Barycentrics, Interpolator, varying};
use crate::merge::{self, Sample, SampleEvent, Verdict};
use crate::polygon::Coverage;
use crate::quad::{self, Fragment, Quad};
use crate::state::{EvaluatedAt, Varying, Viewport};

impl Rasteriser<'_> {
    /// Shades a quad, per sample if required, and merges it.
    pub(super) fn quad(&mut self, context: &Context, interpolator: &Interpolator, coverage: &Coverage) {
        let mut coverage = *coverage;
        if self.samples < self.framebuffer.samples {
            // Without multisampling, the centre determines the coverage of all samples of a pixel (GL 4.6, 14.3.1).
            let all = u32::MAX >> (32 - self.framebuffer.samples.clamp(1, 32));
            coverage.masks = coverage.masks.map(|mask| if mask == 0 { 0 } else { all });
        }
        if self.pipeline.early_fragment_tests {
            for lane in 0..4 {
                let covered = coverage.masks[lane];
                for bit in (0..self.framebuffer.samples).filter(|bit| covered >> bit & 1 == 1) {
                    let at = pixel(&coverage, lane);
                    let Some(sample) = self.sample(context, interpolator, at, bit, None, None) else {
                        coverage.masks[lane] &= !(1 << bit);
                        continue;
                    };
                    let verdict = merge::depth_stencil(self.pipeline, self.framebuffer, &sample);
                    if verdict != Verdict::Written {
                        coverage.masks[lane] &= !(1 << bit);
                        self.report(context, at, bit, sample.depth, verdict);
                    }
                }
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
            // The only sample of a pixel lies where the pixel was shaded.
            let depth = (self.samples == 1).then_some(fragments[lane].barycentrics.depth);
            self.merge(context, interpolator, (coverage, lane), depth, (output, format));
        }
    }

    /// The per-fragment operations for one pixel.
    fn merge(
        &mut self,
        context: &Context,
        interpolator: &Interpolator,
        (coverage, lane): (&Coverage, usize),
        depth: Option<f64>,
        (output, format): (&FragmentOutput, Option<PixelFormat>),
    ) {
        let covered = coverage.masks[lane];
        let at = pixel(coverage, lane);
        let mask = merge::surviving(self.pipeline, self.samples, format, covered, output);
        for bit in (0..self.framebuffer.samples).filter(|bit| covered >> bit & 1 == 1) {
            let Some(sample) = self.sample(context, interpolator, at, bit, depth, Some(output)) else { continue };
            let verdict = match mask {
                Err(verdict) => verdict,
                Ok(mask) if mask >> bit & 1 == 0 => Verdict::SampleMask,
                Ok(_) => {
                    let Rasteriser { pipeline, framebuffer, samples, rounded, .. } = self;
                    merge::finish(pipeline, framebuffer, &sample, *samples, output, rounded)
                }
            };
            if verdict == Verdict::Written {
                self.stats.samples_passed += 1;
            }
            self.report(context, at, bit, sample.depth, verdict);
        }
    }

    fn report(&mut self, context: &Context, (x, y): (u32, u32), sample: u32, depth: f32, verdict: Verdict) {
        let (primitive_id, layer) = (context.primitive.id, context.layer);
        (self.watch)(&SampleEvent { x, y, layer, sample, primitive_id, depth, verdict }, self.framebuffer);
    }

    fn interpolate(&mut self, context: &Context, interpolator: &Interpolator, fragments: &[Fragment; 4]) {
        let primitive = &context.primitive;
        let corners = primitive.corners.map(|corner| &self.vertices[corner as usize]);
        let provoking = &self.vertices[primitive.provoking as usize];
        let apart = self.samples > 1 && !self.per_sample;
        let centroids: [Option<Barycentrics>; 4] = std::array::from_fn(|lane| {
            let f = &fragments[lane];
            let [dx, dy] = quad::centroid(self.samples, f.coverage);
            let offset = || interpolator.at(f64::from(f.x) + 0.5 + f64::from(dx), f64::from(f.y) + 0.5 + f64::from(dy));
            (apart && [dx, dy] != [0.0; 2]).then(offset)
        });
        for (word, values) in self.varyings.iter_mut().enumerate() {
            let Varying { interpolation, evaluated_at } = self.pipeline.varyings.get(word).copied().unwrap_or_default();
            *values = std::array::from_fn(|lane| {
                let at = match evaluated_at {
                    EvaluatedAt::Center | EvaluatedAt::Sample => &fragments[lane].barycentrics,
                    EvaluatedAt::Centroid => centroids[lane].as_ref().unwrap_or(&fragments[lane].barycentrics),
                };
                varying(interpolation, word, at, corners, provoking)
            });
        }
    }

    /// A sample of a pixel, if it lies in the framebuffer. Its depth is interpolated unless it is given.
    fn sample(
        &self,
        context: &Context,
        interpolator: &Interpolator,
        (x, y): (u32, u32),
        bit: u32,
        depth: Option<f64>,
        output: Option<&FragmentOutput>,
    ) -> Option<Sample> {
        let Viewport { near, far, .. } = context.viewport;
        let written = output.and_then(|o| o.depth);
        let depth = match (written, depth) {
            (Some(written), _) => written,
            (None, Some(known)) => known as f32,
            (None, None) => {
                let [dx, dy] = quad::offset(self.samples, bit);
                interpolator.at(f64::from(x) + 0.5 + f64::from(dx), f64::from(y) + 0.5 + f64::from(dy)).depth as f32
            }
        };
        let depth = match (self.pipeline.depth_clamp, written) {
            (true, _) => depth.clamp(near.min(far), near.max(far)),
            (false, None) => depth.clamp(0.0, 1.0),
            (false, Some(_)) => depth,
        };
        let at = self.framebuffer.index(x, y, self.framebuffer.drawn_layer(context.layer), bit)?;
        Some(Sample { at, depth, front: context.front, stencil: output.and_then(|o| o.stencil) })
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
