//! The per-fragment operations of a recorded draw: what happens to a fragment between its shader and the framebuffer.
//!
//! [`FragmentOps`] is the state of the operations in the model; [`Pixel`] contains the values of the framebuffer's
//! planes at one sample of one pixel, and [`ShadedFragment`] is the output of the fragment shader.
//! [`FragmentOps::apply`] merges a fragment into a pixel and returns its fate; [`FragmentOps::clear`] performs clears.
//! The arithmetic is that of crate `raster`.
//!
//! Pixels are addressed by window coordinates. Coverage, interpolated depth and shader outputs are provided by the
//! caller.

mod clear;
mod operations;
mod pixel;
mod planes;

use raster::state::Rectangle;
use raster::{Color, FragmentOutput, Framebuffer, IncomingSample, Pipeline, Verdict, merge_sample};
use state::View;

use crate::{DeviceQuirks, Refusal};

pub use clear::Clearing;
pub use pixel::{Difference, Pixel};
pub use planes::{PlaneFormat, Role, TargetPlane};

/// The state of a draw's per-fragment operations.
#[derive(Clone, Debug)]
pub struct FragmentOps {
    /// Whether the draw rasterises polygons, which can be culled and stippled; true by default.
    pub polygons: bool,
    planes: Vec<TargetPlane>,
    pipeline: Pipeline,
    /// The number of samples per pixel, at least 1.
    samples: u32,
    /// The stipple pattern of filled polygons.
    stipple: Option<Box<[u8; 128]>>,
    /// The clear values.
    clears: clear::Values,
    doubts: Vec<String>,
}

/// A fragment as output by the shader.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ShadedFragment {
    /// Column and row of the pixel, from the lower left.
    pub at: [u32; 2],
    /// The index of the sample in its pixel.
    pub sample: u32,
    /// `gl_Layer`.
    pub layer: u32,
    /// `gl_ViewportIndex`: selects the scissor box and depth range.
    pub viewport: u32,
    /// The depth for the depth test: `gl_FragDepth` if the shader writes it.
    pub depth: f32,
    /// Whether it belongs to a front face; true for points and lines.
    pub front: bool,
    /// The primitive it belongs to, if known.
    pub primitive: Option<u32>,
    /// The colours by draw buffer; `None` where the shader writes none.
    pub colours: Vec<Option<Color>>,
    /// The second colour of the first draw buffer, for dual-source blending.
    pub second: Option<Color>,
    /// Whether the shader discarded it.
    pub discarded: bool,
    /// `gl_SampleMask`, if the shader writes it.
    pub sample_mask: Option<u32>,
    /// `gl_FragStencilRefARB`, if the shader writes it.
    pub stencil_reference: Option<u8>,
}

/// Whether a fragment was written, or why not. Failed tests may still have changed the stencil value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Rasterisation is disabled.
    RasterizerOff,
    /// Its face is culled.
    Culled,
    /// It lies outside of the scissor box.
    Scissor,
    /// It is removed by the stipple pattern.
    Stipple,
    /// The shader discarded it.
    Discarded,
    /// A sample mask, sample coverage or alpha to coverage removed the sample.
    SampleMask,
    /// It failed the alpha test.
    Alpha,
    /// It failed the stencil test.
    Stencil,
    /// It failed the depth test.
    Depth,
    /// It passed all tests, but masks suppress all writes.
    Masked,
    /// It was written.
    Written {
        /// The planes whose values changed.
        changed: Changed,
    },
}

/// The planes whose values changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Changed {
    /// Draw buffers, as bits.
    pub colours: u32,
    /// Depth.
    pub depth: bool,
    /// Stencil.
    pub stencil: bool,
}

impl FragmentOps {
    /// The current operations on the draw framebuffer.
    ///
    /// # Errors
    /// When the state or an image that is drawn to cannot be emulated; the message names it.
    pub fn new(view: &View<'_>) -> Result<FragmentOps, Refusal> {
        FragmentOps::of_framebuffer(view, view.context.targets.draw)
    }

    /// Uses the behaviour of another device than the recording's.
    #[must_use]
    pub fn on(mut self, quirks: DeviceQuirks) -> FragmentOps {
        self.pipeline.arithmetic = quirks.arithmetic;
        self
    }

    /// The same for any framebuffer of the context, 0 for the default one: some clears name theirs.
    ///
    /// # Errors
    /// As [`FragmentOps::new`].
    pub fn of_framebuffer(view: &View<'_>, framebuffer: u32) -> Result<FragmentOps, Refusal> {
        let drawn = view.drawn_to(framebuffer);
        let planes = planes::planes(&drawn)?;
        let samples = drawn.samples.max(1);
        let pipeline = operations::pipeline(view, &planes, samples)?;
        Ok(FragmentOps {
            polygons: true,
            doubts: operations::doubts(view, &planes),
            stipple: operations::stipple(view),
            clears: clear::Values::new(view),
            planes,
            pipeline,
            samples,
        })
    }

    /// The planes of the draw buffers, depth and stencil. A draw buffer that stands for several buffers of a surface
    /// has a plane for each, and each has its own pixels.
    #[must_use]
    pub fn planes(&self) -> &[TargetPlane] {
        &self.planes
    }

    /// The number of samples per pixel, at least 1.
    #[must_use]
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// State for which drivers may differ, as messages.
    #[must_use]
    pub fn doubts(&self) -> &[String] {
        &self.doubts
    }

    /// The complete state, for debugging.
    #[must_use]
    pub fn describe(&self) -> String {
        let Pipeline { depth, stencil, targets, blend_color, logic_op, srgb_write, clamp_colors, .. } = &self.pipeline;
        let formats: Vec<_> = self.planes.iter().map(|plane| (plane.role, plane.format)).collect();
        format!(
            "{formats:?}: {depth:?} {stencil:?} {:?} constant {blend_color:?} {logic_op:?}, sRGB {srgb_write}, clamped \
             {clamp_colors}, alpha {:?}",
            &targets[..4],
            self.pipeline.alpha_test
        )
    }

    /// Enables depth and stencil tests before the shader (`early_fragment_tests`).
    #[must_use]
    pub fn with_early_tests(mut self, early: bool) -> FragmentOps {
        self.pipeline.early_fragment_tests = early;
        self
    }

    /// Uses another implementation-defined arithmetic than that of the recording's driver.
    #[must_use]
    pub fn with_arithmetic(mut self, arithmetic: raster::state::Arithmetic) -> FragmentOps {
        self.pipeline.arithmetic = arithmetic;
        self
    }

    /// Whether masks allow writes to a plane.
    #[must_use]
    pub fn lets(&self, role: Role) -> bool {
        match role {
            Role::Colour(buffer) => self.pipeline.targets.get(buffer).is_some_and(|target| target.mask.contains(&true)),
            Role::Depth => self.pipeline.depth.as_ref().is_some_and(|test| test.write),
            Role::Stencil => self.pipeline.stencil.is_some(),
        }
    }

    /// Whether a write to a colour buffer replaces its contents completely and unmodified.
    #[must_use]
    pub fn replaces(&self, buffer: usize) -> bool {
        let plain = |target: &raster::state::Target| target.blend.is_none() && target.mask == [true; 4];
        self.pipeline.logic_op.is_none() && self.pipeline.targets.get(buffer).is_some_and(plain)
    }

    /// Applies culling, scissor, stipple, sample masks, alpha, stencil and depth tests, blending or the logical
    /// operation, masks, sRGB and the rounding of formats to a sample of a fragment.
    pub fn apply(&self, pixel: &mut Pixel, fragment: &ShadedFragment) -> Fate {
        if let Some(fate) = self.before(fragment) {
            return fate;
        }
        let mut framebuffer = self.framebuffer(pixel);
        let blank = Color::default();
        let mut output = FragmentOutput {
            colors: std::array::from_fn(|i| fragment.colours.get(i).copied().flatten().unwrap_or(blank)),
            second: fragment.second.unwrap_or(blank),
            depth: None,
            stencil: fragment.stencil_reference,
            sample_mask: fragment.sample_mask,
            discard: fragment.discarded,
        };
        let mut pipeline = &self.pipeline;
        let without_alpha;
        if !matches!(fragment.colours.first(), Some(Some(_))) {
            // Without a first colour there is no alpha to test.
            without_alpha = Pipeline { alpha_test: None, alpha_to_coverage: false, ..self.pipeline.clone() };
            pipeline = &without_alpha;
        }
        for (i, surface) in framebuffer.colors.iter_mut().enumerate() {
            if !matches!(fragment.colours.get(i), Some(Some(_))) {
                *surface = None;
            }
        }
        // Early tests run before the shader writes a depth or stencil reference (GL 4.6, 14.9).
        if pipeline.early_fragment_tests {
            output.stencil = None;
        }
        let incoming = IncomingSample {
            sample: fragment.sample,
            samples: self.samples,
            depth: self.confined(fragment),
            front: fragment.front || !self.polygons,
            output: &output,
        };
        let verdict = merge_sample(pipeline, &mut framebuffer, 0, &incoming);
        let before = pixel.clone();
        pixel.take(&framebuffer);
        match verdict {
            Verdict::Discarded => Fate::Discarded,
            Verdict::SampleMask => Fate::SampleMask,
            Verdict::AlphaTest => Fate::Alpha,
            Verdict::StencilTest => Fate::Stencil,
            Verdict::DepthTest => Fate::Depth,
            Verdict::Written if !self.writes(fragment) => Fate::Masked,
            Verdict::Written => Fate::Written { changed: pixel.changed_from(&before) },
        }
    }

    /// The first difference of more than `units` units of the formats; see [`Pixel::differs`].
    #[must_use]
    pub fn differs(&self, one: &Pixel, other: &Pixel, units: u32) -> Option<Difference> {
        one.differs(other, self, units)
    }

    /// Why a fragment is not shaded.
    fn before(&self, fragment: &ShadedFragment) -> Option<Fate> {
        let ShadedFragment { at: [x, y], front, .. } = *fragment;
        if self.pipeline.discard {
            return Some(Fate::RasterizerOff);
        }
        if self.polygons && (if front { self.pipeline.cull_front } else { self.pipeline.cull_back }) {
            return Some(Fate::Culled);
        }
        if self.scissor(fragment.viewport as usize).is_some_and(|scissor| !scissor.contains(x, y)) {
            return Some(Fate::Scissor);
        }
        // The highest bit of a byte is the leftmost of eight pixels (GL 4.6 compatibility, 14.6.2).
        let through = |pattern: &[u8; 128]| pattern[((y % 32) * 4 + x % 32 / 8) as usize] >> (7 - x % 8) & 1 == 1;
        if self.polygons && self.stipple.as_deref().is_some_and(|pattern| !through(pattern)) {
            return Some(Fate::Stipple);
        }
        None
    }

    fn scissor(&self, viewport: usize) -> Option<Rectangle> {
        self.pipeline.scissors.get(viewport).copied().flatten()
    }

    /// The depth for the depth test: clamped to the depth range if enabled, otherwise to 0..1.
    fn confined(&self, fragment: &ShadedFragment) -> f32 {
        let viewport = self.pipeline.viewports.get(fragment.viewport as usize).or(self.pipeline.viewports.first());
        match viewport.filter(|_| self.pipeline.depth_clamp) {
            Some(range) => fragment.depth.clamp(range.near.min(range.far), range.near.max(range.far)),
            None => fragment.depth.clamp(0.0, 1.0),
        }
    }

    /// Whether a fragment that passes all tests writes anything.
    fn writes(&self, fragment: &ShadedFragment) -> bool {
        self.planes.iter().any(|plane| match plane.role {
            Role::Colour(buffer) => {
                let given = matches!(fragment.colours.get(buffer), Some(Some(_)));
                given && self.pipeline.targets.get(buffer).is_some_and(|target| target.mask.contains(&true))
            }
            Role::Depth => self.pipeline.depth.is_some_and(|test| test.write),
            Role::Stencil => self.pipeline.stencil.is_some_and(|test| {
                let face = if fragment.front || !self.polygons { test.front } else { test.back };
                face.write_mask != 0 && face.pass != raster::state::StencilOp::Keep
            }),
        })
    }

    /// One sample as a separate framebuffer.
    fn framebuffer(&self, pixel: &Pixel) -> Framebuffer {
        let mut framebuffer = Framebuffer::new(1, 1);
        framebuffer.colors = vec![None; raster::MAX_TARGETS];
        for plane in &self.planes {
            match (plane.role, plane.format) {
                (Role::Colour(buffer), PlaneFormat::Colour(format)) => {
                    let held = pixel.colours.get(buffer).copied().flatten();
                    framebuffer.colors[buffer] = held.map(|held| raster::ColorSurface { format, texels: vec![held] });
                }
                (Role::Depth, PlaneFormat::Depth(format)) => {
                    framebuffer.depth = pixel.depth.map(|depth| (format, vec![depth]));
                }
                (Role::Stencil, _) => framebuffer.stencil = pixel.stencil.map(|value| vec![value]),
                (Role::Colour(_) | Role::Depth, _) => {}
            }
        }
        framebuffer
    }
}
