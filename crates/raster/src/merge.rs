//! Per-fragment operations: merges a shaded fragment into the framebuffer.

use crate::blend::{Operands, blend, llvmpipe};
use crate::format::{Color, Numeric, PixelFormat};
use crate::framebuffer::{ColorSurface, Framebuffer};
use crate::quad::FragmentOutput;
use crate::state::{Arithmetic, Compare, Pipeline, StencilFace, Target};

/// The outcome for a sample of a fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The shader discarded the fragment.
    Discarded,
    /// A sample mask or alpha to coverage removed the sample.
    SampleMask,
    /// It failed the alpha test.
    AlphaTest,
    /// It failed the stencil test.
    StencilTest,
    /// It failed the depth test.
    DepthTest,
    /// It passed; colours are written subject to masks.
    Written,
}

/// The outcome for one sample, for pixel history.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SampleEvent {
    /// Column.
    pub x: u32,
    /// Row, from the bottom.
    pub y: u32,
    /// Layer.
    pub layer: u32,
    /// Sample.
    pub sample: u32,
    /// `gl_PrimitiveID`.
    pub primitive_id: u32,
    /// The depth that was, or would have been, tested.
    pub depth: f32,
    /// The outcome.
    pub verdict: Verdict,
}

/// One sample of a fragment at the start of the per-fragment operations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IncomingSample<'a> {
    /// The index of the sample in its pixel.
    pub sample: u32,
    /// The number of samples per pixel.
    pub samples: u32,
    /// Its depth, within the depth range.
    pub depth: f32,
    /// Whether it belongs to a front face, a point or a line.
    pub front: bool,
    /// The outputs of the fragment shader.
    pub output: &'a FragmentOutput,
}

/// Applies all per-fragment operations to one sample, and stores the result at an index of the framebuffer's surfaces.
/// The framebuffer may have fewer samples than the pixel: it can be a copy of this sample alone.
pub fn merge_sample(
    pipeline: &Pipeline,
    framebuffer: &mut Framebuffer,
    at: usize,
    incoming: &IncomingSample<'_>,
) -> Verdict {
    let clamped = pipeline.clamp_colors.then(|| clamped(incoming.output));
    let output = clamped.as_ref().unwrap_or(incoming.output);
    let sample = Sample { at, depth: incoming.depth, front: incoming.front, stencil: output.stencil };
    if pipeline.early_fragment_tests {
        let verdict = depth_stencil(pipeline, framebuffer, &sample);
        if verdict != Verdict::Written {
            return verdict;
        }
    }
    let format = framebuffer.colors.first().and_then(|surface| surface.as_ref()).map(|surface| surface.format);
    match surviving(pipeline, incoming.samples, format, 1 << incoming.sample, output) {
        Err(verdict) => verdict,
        Ok(0) => Verdict::SampleMask,
        Ok(_) => finish(pipeline, framebuffer, &sample, incoming.samples, output, &mut Rounded::default()),
    }
}

/// The remaining operations for a sample that no mask removed: the tests, unless they ran early, and the colours.
pub(crate) fn finish(
    pipeline: &Pipeline,
    framebuffer: &mut Framebuffer,
    sample: &Sample,
    samples: u32,
    output: &FragmentOutput,
    rounded: &mut Rounded,
) -> Verdict {
    let verdict = match pipeline.early_fragment_tests {
        true => Verdict::Written,
        false => depth_stencil(pipeline, framebuffer, sample),
    };
    if verdict == Verdict::Written {
        match pipeline.alpha_to_one && pipeline.multisample && samples > 1 {
            true => colors(pipeline, framebuffer, sample.at, &opaque(output), rounded),
            false => colors(pipeline, framebuffer, sample.at, output, rounded),
        }
    }
    verdict
}

/// A sample in the depth and stencil tests.
pub(crate) struct Sample {
    /// Its index in the surfaces.
    pub at: usize,
    pub depth: f32,
    pub front: bool,
    /// The stencil reference, if the shader exported one.
    pub stencil: Option<u8>,
}

/// Runs the stencil and depth tests, and updates the buffers.
pub(crate) fn depth_stencil(pipeline: &Pipeline, framebuffer: &mut Framebuffer, sample: &Sample) -> Verdict {
    let at = sample.at;
    let face = pipeline.stencil.as_ref().map(|test| {
        let face = if sample.front { test.front } else { test.back };
        StencilFace { reference: sample.stencil.unwrap_or(face.reference), ..face }
    });
    let mut stencil = framebuffer.stencil.as_mut().and_then(|values| values.get_mut(at)).zip(face);
    if let Some((value, face)) = &mut stencil
        && !face.compare.test(face.reference & face.read_mask, **value & face.read_mask)
    {
        **value = update(**value, face, face.fail);
        return Verdict::StencilTest;
    }
    let depth_passes = match (&pipeline.depth, &mut framebuffer.depth) {
        (Some(test), Some((format, depths))) => match depths.get_mut(at) {
            Some(stored) => {
                let depth = format.round(sample.depth);
                let passes = test.compare.test(depth, *stored);
                if passes && test.write {
                    *stored = depth;
                }
                passes
            }
            None => false,
        },
        _ => true,
    };
    if let Some((value, face)) = &mut stencil {
        **value = update(**value, face, if depth_passes { face.pass } else { face.depth_fail });
    }
    if depth_passes { Verdict::Written } else { Verdict::DepthTest }
}

fn update(value: u8, face: &StencilFace, op: crate::state::StencilOp) -> u8 {
    (value & !face.write_mask) | (op.apply(value, face.reference) & face.write_mask)
}

/// The samples that survive discarding, the shader's and the pipeline's sample masks, the alpha test and alpha to
/// coverage; or why none does.
pub(crate) fn surviving(
    pipeline: &Pipeline,
    samples: u32,
    format: Option<PixelFormat>,
    mut coverage: u32,
    output: &FragmentOutput,
) -> Result<u32, Verdict> {
    if output.discard {
        return Err(Verdict::Discarded);
    }
    let multisample = samples > 1 && pipeline.multisample;
    match output.sample_mask {
        Some(mask) if samples > 1 => coverage &= mask,
        // Without multisampling, bit 0 applies to the whole fragment.
        Some(mask) if mask & 1 == 0 => coverage = 0,
        _ => {}
    }
    // Integer colours skip the alpha test and alpha to coverage, whatever the framebuffer's format (GL 4.6, 17.3.1).
    let fixed_point = format.is_none_or(|f| !f.is_integer()) && matches!(output.colors[0], Color::Float(_));
    if multisample {
        coverage &= pipeline.sample_mask;
        if pipeline.alpha_to_coverage && fixed_point {
            let alpha = output.colors[0].floats()[3];
            let share = f64::from(if alpha.is_nan() { 0.0 } else { alpha.clamp(0.0, 1.0) }) * f64::from(samples);
            let kept = match pipeline.arithmetic {
                Arithmetic::Exact | Arithmetic::Cutting => share.round(),
                Arithmetic::Llvmpipe => share.ceil(),
            };
            coverage &= ((1_u64 << kept as u32) - 1) as u32;
        }
    }
    match pipeline.alpha_test {
        Some((compare, reference)) if fixed_point && !compare_alpha(compare, output, reference) => {
            Err(Verdict::AlphaTest)
        }
        _ => Ok(coverage),
    }
}

fn compare_alpha(compare: Compare, output: &FragmentOutput, reference: f32) -> bool {
    compare.test(output.colors[0].floats()[3], reference)
}

/// Blends and stores the colours of one sample.
fn colors(
    pipeline: &Pipeline,
    framebuffer: &mut Framebuffer,
    at: usize,
    output: &FragmentOutput,
    rounded: &mut Rounded,
) {
    for (i, surface) in framebuffer.colors.iter_mut().enumerate().take(crate::MAX_TARGETS) {
        let Some(surface) = surface else { continue };
        let target = &pipeline.targets[i];
        let plain = target.blend.is_none()
            && pipeline.logic_op.is_none()
            && target.mask == [true; 4]
            && pipeline.arithmetic == Arithmetic::Exact;
        match surface.texels.get_mut(at).filter(|_| plain && !pipeline.srgb_write) {
            Some(texel) => *texel = rounded.round(i, surface.format, output.colors[i]),
            None => color(pipeline, target, surface, at, (output.colors[i], output.second)),
        }
    }
}

/// The colour stored last in each target, before and after rounding: neighbours often have the same colour.
#[derive(Default)]
pub(crate) struct Rounded([Option<(Color, Color)>; crate::MAX_TARGETS]);

impl Rounded {
    fn round(&mut self, target: usize, format: PixelFormat, color: Color) -> Color {
        let same = |known: Color| {
            std::mem::discriminant(&known) == std::mem::discriminant(&color) && known.bits() == color.bits()
        };
        match self.0[target] {
            Some((known, stored)) if same(known) => stored,
            _ => {
                let stored = format.round(color);
                self.0[target] = Some((color, stored));
                stored
            }
        }
    }
}

fn color(pipeline: &Pipeline, target: &Target, surface: &mut ColorSurface, at: usize, given: (Color, Color)) {
    let format = surface.format;
    let (source, second) = given;
    if let Some(op) = pipeline.logic_op
        && format.numeric != Numeric::Float
        && !(format.numeric == Numeric::Srgb && pipeline.srgb_write)
    {
        let source = pipeline.arithmetic.kept(format, source, false);
        let (s, d) = (to_steps(format, source), to_steps(format, surface.load(at, false)));
        let made = std::array::from_fn(|i| op.apply(s[i], d[i]));
        let made = match pipeline.arithmetic {
            // Integers of ten and two bits are combined as sixteen bits, and clamped afterwards.
            Arithmetic::Llvmpipe if format.bits[3] == 2 && format.is_integer() => {
                from_steps(PixelFormat { bits: [16; 4], ..format }, made)
            }
            _ => from_steps(format, made),
        };
        surface.store(at, made, target.mask, false);
        return;
    }
    match target.blend {
        // Logical operations disable blending even where they do nothing (GL 4.6, 17.3.9).
        Some(equation) if !format.is_integer() && pipeline.logic_op.is_none() => {
            // For fixed-point targets, the inputs of the equation are clamped (GL 4.6, 17.3.6).
            let low = if format.numeric == Numeric::Snorm { -1.0 } else { 0.0 };
            let confine = |v: f32| if format.is_normalised() { v.clamp(low, 1.0) } else { v };
            let operands = Operands {
                source: source.floats().map(confine),
                second: second.floats().map(confine),
                destination: surface.load(at, pipeline.srgb_write).floats(),
                constant: pipeline.blend_color.map(confine),
            };
            let blended = match pipeline.arithmetic {
                Arithmetic::Exact => Color::Float(blend(equation, &operands)),
                Arithmetic::Cutting => {
                    let blended = Color::Float(blend(equation, &operands));
                    pipeline.arithmetic.kept(format, blended, pipeline.srgb_write)
                }
                Arithmetic::Llvmpipe => llvmpipe::blend(equation, format, pipeline.srgb_write, &operands),
            };
            surface.store(at, blended, target.mask, pipeline.srgb_write);
        }
        _ => {
            let kept = pipeline.arithmetic.kept(format, source, pipeline.srgb_write);
            surface.store(at, kept, target.mask, pipeline.srgb_write);
        }
    }
}

impl Arithmetic {
    /// The intermediate colour before it is rounded to a format, with only the losses of this arithmetic. `srgb` tells
    /// whether sRGB formats encode written values.
    #[must_use]
    pub fn kept(self, format: PixelFormat, color: Color, srgb: bool) -> Color {
        match self {
            Arithmetic::Llvmpipe | Arithmetic::Cutting if format.numeric == Numeric::Float => {
                llvmpipe::cut(format, color)
            }
            Arithmetic::Llvmpipe if llvmpipe::is_fixed(format, srgb) => llvmpipe::stored(format, color),
            _ => color,
        }
    }
}

/// Clamps the colours of a shader as old GL does.
pub(crate) fn clamped(output: &FragmentOutput) -> FragmentOutput {
    let clamp = |color: Color| match color {
        Color::Float(v) => Color::Float(v.map(|v| v.clamp(0.0, 1.0))),
        integers => integers,
    };
    FragmentOutput { colors: output.colors.map(clamp), second: clamp(output.second), ..*output }
}

/// Sets alpha to 1, as `GL_SAMPLE_ALPHA_TO_ONE` does (GL 4.6, 17.3.1).
fn opaque(output: &FragmentOutput) -> FragmentOutput {
    let opaque = |color: Color| match color {
        Color::Float([r, g, b, _]) => Color::Float([r, g, b, 1.0]),
        integers => integers,
    };
    FragmentOutput { colors: output.colors.map(opaque), second: opaque(output.second), ..*output }
}

/// The integers that a normalised or integer format stores, sign-extended.
fn to_steps(format: PixelFormat, color: Color) -> [u32; 4] {
    match format.round(color) {
        Color::Float(v) => std::array::from_fn(|i| {
            let steps = (f64::from(v[i]) * most(format, i)).round();
            if steps < 0.0 { (steps as i32).cast_unsigned() } else { steps as u32 }
        }),
        integers => integers.bits(),
    }
}

fn from_steps(format: PixelFormat, steps: [u32; 4]) -> Color {
    let signed = matches!(format.numeric, Numeric::Int | Numeric::Snorm);
    let bits = |i: usize| match format.bits[i] {
        0 | 32.. => steps[i],
        bits if signed => (steps[i].cast_signed() << (32 - bits) >> (32 - bits)).cast_unsigned(),
        bits => steps[i] & ((1 << bits) - 1),
    };
    if format.is_integer() {
        return Color::Uint(std::array::from_fn(bits));
    }
    let channel = |i: usize| {
        let steps = if signed { f64::from(bits(i).cast_signed()) } else { f64::from(bits(i)) };
        (steps / most(format, i).max(1.0)) as f32
    };
    Color::Float(std::array::from_fn(channel))
}

/// The code that represents 1.
fn most(format: PixelFormat, channel: usize) -> f64 {
    let sign = i32::from(format.numeric == Numeric::Snorm);
    2.0_f64.powi(i32::from(format.bits[channel]) - sign) - 1.0
}
