//! The inputs of a fragment shader from the rasteriser, and its outputs to the framebuffer.

use raster::state::{EvaluatedAt, Interpolation, Varying};
use shader::link::Linked;
use shader::qualifier::{self, Qualifiers, Storage};
use shader::types::{Scalar, Type, TypeTable};

use super::StageProgram;
use super::interface::{Slot, source};
use crate::words;

/// How a fragment shader's inputs and outputs are connected.
#[derive(Clone, Debug, Default)]
pub(crate) struct FragmentPlan {
    /// Interpolated words: their source in a vertex's record, and how they are interpolated.
    pub varyings: Vec<VaryingWord>,
    /// Registers with the varying word for front faces and for back faces.
    pub inputs: Vec<(u32, u32, u32)>,
    /// Built-in inputs and their registers.
    pub builtins: Vec<(Builtin, u32)>,
    /// The outputs.
    pub outputs: Vec<Output>,
    /// Targets, and the registers of `gl_LastFragData` for their contents.
    pub last: Vec<(u32, u32)>,
    /// Whether the shader requires per-sample shading.
    pub per_sample: bool,
    /// `layout(early_fragment_tests) in`
    pub early_tests: bool,
    pub origin_upper_left: bool,
    pub pixel_center_integer: bool,
}

/// An interpolated word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VaryingWord {
    pub record: u32,
    pub how: Varying,
    /// Whether it is a built-in colour without qualifiers, to which `glShadeModel` applies.
    pub color: bool,
}

/// Inputs that the rasteriser provides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Builtin {
    FragCoord,
    FrontFacing,
    PointCoord,
    PrimitiveId,
    Layer,
    ViewportIndex,
    SampleId,
    SamplePosition,
    SampleMaskIn,
    Helper,
}

impl Builtin {
    fn named(name: &str) -> Option<Builtin> {
        Some(match name {
            "gl_FragCoord" => Builtin::FragCoord,
            "gl_FrontFacing" => Builtin::FrontFacing,
            "gl_PointCoord" => Builtin::PointCoord,
            "gl_PrimitiveID" => Builtin::PrimitiveId,
            "gl_Layer" => Builtin::Layer,
            "gl_ViewportIndex" => Builtin::ViewportIndex,
            "gl_SampleID" => Builtin::SampleId,
            "gl_SamplePosition" => Builtin::SamplePosition,
            "gl_SampleMaskIn" => Builtin::SampleMaskIn,
            "gl_HelperInvocation" => Builtin::Helper,
            _ => return None,
        })
    }
}

/// The destination of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutputKind {
    /// A colour of one target: target, first component, whether it is the second source of blending.
    Color(u32, u32, bool),
    /// `gl_FragColor`: all targets.
    Broadcast,
    /// `gl_FragDepth`
    Depth,
    /// `gl_FragStencilRefARB`
    Stencil,
    /// `gl_SampleMask`
    SampleMask,
}

/// Registers of an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub kind: OutputKind,
    pub start: u32,
    pub len: u32,
    pub scalar: Scalar,
    /// Whether it is initialised with the target's contents (GL_EXT_shader_framebuffer_fetch).
    pub fetched: bool,
}

impl FragmentPlan {
    /// `outputs` are those of the previous stage.
    pub fn new(linked: &Linked, stage: &StageProgram, outputs: &[Slot]) -> FragmentPlan {
        let layout = &stage.layout;
        let mut plan = FragmentPlan {
            early_tests: layout.early_fragment_tests,
            origin_upper_left: layout.origin_upper_left,
            pixel_center_integer: layout.pixel_center_integer,
            ..FragmentPlan::default()
        };
        for input in &stage.inputs {
            plan.input(linked, input, outputs);
        }
        for output in &stage.outputs {
            if output.written || !output.builtin {
                plan.output(linked, stage.types(output.unit), output);
            }
        }
        plan
    }

    fn input(&mut self, linked: &Linked, input: &Slot, outputs: &[Slot]) {
        let of = |name: &str| outputs.iter().find(|o| o.builtin && o.name == name);
        let (front, back) = match input.name.as_str() {
            "gl_Color" if input.builtin => (of("gl_FrontColor"), of("gl_BackColor")),
            "gl_SecondaryColor" if input.builtin => (of("gl_FrontSecondaryColor"), of("gl_BackSecondaryColor")),
            name => {
                let builtin = Builtin::named(name).filter(|_| input.builtin);
                let from = source(linked, outputs, shader::version::Stage::Fragment, input);
                if name == "gl_LastFragData" && input.builtin {
                    self.last.extend((0..).zip(input.words.chunks(4)).map(|(target, words)| (target, words[0])));
                    return;
                }
                match builtin {
                    // `gl_PrimitiveID` written by a geometry shader is an ordinary output.
                    Some(Builtin::PrimitiveId) if from.is_some() => {}
                    Some(builtin) => {
                        self.per_sample |= matches!(builtin, Builtin::SampleId | Builtin::SamplePosition);
                        self.builtins.extend(input.words.first().map(|&start| (builtin, start)));
                        return;
                    }
                    None => {}
                }
                (from, None)
            }
        };
        let Some(front) = front.or(back) else { return };
        let color = input.builtin && input.name.ends_with("Color") && input.qualifiers.interpolation.is_none();
        let how = how(&input.qualifiers, &front.qualifiers, input.ty);
        let first = self.add(front, input.words.len(), how, color);
        let second = match back.filter(|back| back.record != front.record) {
            Some(back) => self.add(back, input.words.len(), how, color),
            None => first,
        };
        let words = input.words.iter().zip(0..front.words.len() as u32);
        self.inputs.extend(words.map(|(&register, i)| (register, first + i, second + i)));
    }

    /// Adds the words of an output to the varyings; returns the index of the first.
    fn add(&mut self, output: &Slot, most: usize, how: Varying, color: bool) -> u32 {
        let first = self.varyings.len() as u32;
        let words = 0..output.words.len().min(most) as u32;
        self.varyings.extend(words.map(|i| VaryingWord { record: output.record + i, how, color }));
        first
    }

    fn output(&mut self, linked: &Linked, types: &TypeTable, output: &Slot) {
        let Some(&start) = output.words.first() else { return };
        let len = output.words.len() as u32;
        let special = match output.name.as_str() {
            "gl_FragColor" => Some(OutputKind::Broadcast),
            "gl_FragDepth" | "gl_FragDepthEXT" => Some(OutputKind::Depth),
            "gl_FragStencilRefARB" | "gl_FragStencilRefAMD" => Some(OutputKind::Stencil),
            "gl_SampleMask" => Some(OutputKind::SampleMask),
            _ => None,
        };
        if let Some(kind) = special {
            self.outputs.push(Output { kind, start, len, scalar: Scalar::Float, fetched: false });
            return;
        }
        let (location, component, second) = match output.name.as_str() {
            "gl_FragData" => (0, 0, false),
            "gl_SecondaryFragColorEXT" | "gl_SecondaryFragDataEXT" => (0, 0, true),
            _ => {
                let row = linked.outputs.iter().find(|o| o.name == output.name);
                let Some(location) = row.and_then(|o| o.location) else { return };
                (location, row.map_or(0, |o| o.component), row.is_some_and(|o| o.index == 1))
            }
        };
        let mut target = location;
        let fetched = output.qualifiers.storage == Storage::InOut;
        words::leaves(types, output.ty, start, &mut |at, leaf| {
            let (Some(scalar), components) = (leaf.scalar(), leaf.components()) else { return };
            let (columns, rows) = match leaf {
                Type::Matrix(_, columns, rows) => (u32::from(columns), u32::from(rows)),
                _ => (1, components),
            };
            for column in 0..columns {
                let kind = OutputKind::Color(target, component, second);
                self.outputs.push(Output { kind, start: at + column * rows, len: rows, scalar, fetched });
                target += 1;
            }
        });
    }
}

/// Integers, doubles and variables qualified so are flat; the fragment shader's qualifier takes precedence over the
/// previous stage's.
fn how(input: &Qualifiers, output: &Qualifiers, ty: Type) -> Varying {
    let interpolation = match input.interpolation.or(output.interpolation) {
        Some(qualifier::Interpolation::Flat) => Interpolation::Flat,
        Some(qualifier::Interpolation::NoPerspective) => Interpolation::NoPerspective,
        Some(qualifier::Interpolation::Smooth) | None => match ty.scalar() {
            Some(Scalar::Float) | None => Interpolation::Smooth,
            Some(_) => Interpolation::Flat,
        },
    };
    let evaluated_at = if input.flags.sample {
        EvaluatedAt::Sample
    } else if input.flags.centroid {
        EvaluatedAt::Centroid
    } else {
        EvaluatedAt::Center
    };
    Varying { interpolation, evaluated_at }
}
