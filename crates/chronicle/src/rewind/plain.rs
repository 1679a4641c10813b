//! Plain state: a setter for each variable.

use api::{CommandId, constant as c, id};
use state::variable::{self as var, VARIABLES, Var};
use state::{Client, Context};

use super::{Obstacle, Rewind, SOMEWHERE, float, floats, integer};

/// Variables that say what other commands mean; they are set last.
const SELECTORS: [(Var, CommandId); 3] = [
    (var::ACTIVE_TEXTURE, id::glActiveTexture),
    (var::CLIENT_ACTIVE_TEXTURE, id::glClientActiveTexture),
    (var::MATRIX_MODE, id::glMatrixMode),
];

impl Rewind<'_> {
    /// Sets variables that differ.
    pub(super) fn plain(&mut self, to: &Context) -> Result<(), Obstacle> {
        if self.here().vars == to.vars {
            return Ok(());
        }
        for place in 0..VARIABLES.len() as u16 {
            let variable = Var(place);
            if differs(&self.here(), to, variable) && SELECTORS.iter().all(|(selector, _)| *selector != variable) {
                self.set(to, variable)?;
            }
        }
        Ok(())
    }

    /// Sets what other commands go by.
    pub(super) fn selectors(&mut self, to: &Context) -> Result<(), Obstacle> {
        for (variable, command) in SELECTORS {
            if differs(&self.here(), to, variable) {
                self.make(command, &[u64::from(to.vars.name(variable))])?;
            }
        }
        Ok(())
    }

    fn set(&mut self, to: &Context, variable: Var) -> Result<(), Obstacle> {
        let es = matches!(to.facts.client, Client::Es1 | Client::Es2);
        let value = |variable: Var| to.vars.value(variable, 0);
        let first = |variable: Var| to.vars.get(variable);
        let word = |variable: Var| u64::from(to.vars.name(variable));
        let name = u64::from(variable.about().name);
        match variable {
            _ if variable < var::DEPTH_FUNC => self.set_enable(to, variable),
            var::DEPTH_FUNC => self.make(id::glDepthFunc, &[word(variable)]),
            var::DEPTH_WRITEMASK => self.make(id::glDepthMask, &[word(variable)]),
            var::DEPTH_CLEAR_VALUE if es => self.make(id::glClearDepthf, &[float(first(variable))]),
            var::DEPTH_CLEAR_VALUE => self.make(id::glClearDepth, &[first(variable).to_bits()]),
            var::DEPTH_RANGE => self.set_range(to, es),
            var::STENCIL_FUNC | var::STENCIL_REF | var::STENCIL_VALUE_MASK => {
                self.stencil(to, c::GL_FRONT, [var::STENCIL_FUNC, var::STENCIL_REF, var::STENCIL_VALUE_MASK])
            }
            var::STENCIL_BACK_FUNC | var::STENCIL_BACK_REF | var::STENCIL_BACK_VALUE_MASK => {
                let variables = [var::STENCIL_BACK_FUNC, var::STENCIL_BACK_REF, var::STENCIL_BACK_VALUE_MASK];
                self.stencil(to, c::GL_BACK, variables)
            }
            var::STENCIL_FAIL | var::STENCIL_PASS_DEPTH_FAIL | var::STENCIL_PASS_DEPTH_PASS => {
                let words = [var::STENCIL_FAIL, var::STENCIL_PASS_DEPTH_FAIL, var::STENCIL_PASS_DEPTH_PASS].map(word);
                self.make(id::glStencilOpSeparate, &[u64::from(c::GL_FRONT), words[0], words[1], words[2]])
            }
            var::STENCIL_BACK_FAIL | var::STENCIL_BACK_PASS_DEPTH_FAIL | var::STENCIL_BACK_PASS_DEPTH_PASS => {
                let variables =
                    [var::STENCIL_BACK_FAIL, var::STENCIL_BACK_PASS_DEPTH_FAIL, var::STENCIL_BACK_PASS_DEPTH_PASS];
                let words = variables.map(word);
                self.make(id::glStencilOpSeparate, &[u64::from(c::GL_BACK), words[0], words[1], words[2]])
            }
            var::STENCIL_WRITEMASK => self.make(id::glStencilMaskSeparate, &[u64::from(c::GL_FRONT), word(variable)]),
            var::STENCIL_BACK_WRITEMASK => {
                self.make(id::glStencilMaskSeparate, &[u64::from(c::GL_BACK), word(variable)])
            }
            var::STENCIL_CLEAR_VALUE => self.make(id::glClearStencil, &[integer(first(variable))]),
            var::BLEND_SRC_RGB | var::BLEND_DST_RGB | var::BLEND_SRC_ALPHA | var::BLEND_DST_ALPHA => {
                let factors = [var::BLEND_SRC_RGB, var::BLEND_DST_RGB, var::BLEND_SRC_ALPHA, var::BLEND_DST_ALPHA];
                self.set_each(to, &factors, id::glBlendFuncSeparate, id::glBlendFuncSeparatei)
            }
            var::BLEND_EQUATION_RGB | var::BLEND_EQUATION_ALPHA => {
                let equations = [var::BLEND_EQUATION_RGB, var::BLEND_EQUATION_ALPHA];
                self.set_each(to, &equations, id::glBlendEquationSeparate, id::glBlendEquationSeparatei)
            }
            var::COLOR_WRITEMASK => self.set_each(to, &[variable], id::glColorMask, id::glColorMaski),
            var::SCISSOR_BOX => self.set_each(to, &[variable], id::glScissor, id::glScissorIndexed),
            var::VIEWPORT => self.set_viewport(to),
            var::BLEND_COLOR => self.make(id::glBlendColor, &four(value(variable))),
            var::COLOR_CLEAR_VALUE => self.make(id::glClearColor, &four(value(variable))),
            var::ACCUM_CLEAR_VALUE => self.make(id::glClearAccum, &four(value(variable))),
            var::LOGIC_OP_MODE => self.make(id::glLogicOp, &[word(variable)]),
            var::ALPHA_TEST_FUNC | var::ALPHA_TEST_REF => {
                self.make(id::glAlphaFunc, &[word(var::ALPHA_TEST_FUNC), float(first(var::ALPHA_TEST_REF))])
            }
            var::CLIP_ORIGIN | var::CLIP_DEPTH_MODE => {
                self.make(id::glClipControl, &[word(var::CLIP_ORIGIN), word(var::CLIP_DEPTH_MODE)])
            }
            var::POLYGON_MODE => self.set_polygon_mode(to),
            var::CULL_FACE_MODE => self.make(id::glCullFace, &[word(variable)]),
            var::FRONT_FACE => self.make(id::glFrontFace, &[word(variable)]),
            var::POLYGON_OFFSET_FACTOR | var::POLYGON_OFFSET_UNITS if first(var::POLYGON_OFFSET_CLAMP) == 0.0 => {
                let numbers = [var::POLYGON_OFFSET_FACTOR, var::POLYGON_OFFSET_UNITS].map(|one| float(first(one)));
                self.make(id::glPolygonOffset, &numbers)
            }
            var::LINE_WIDTH => self.make(id::glLineWidth, &[float(first(variable))]),
            var::LINE_STIPPLE_PATTERN | var::LINE_STIPPLE_REPEAT => {
                self.make(id::glLineStipple, &[var::LINE_STIPPLE_REPEAT, var::LINE_STIPPLE_PATTERN].map(word))
            }
            var::POINT_SIZE => self.make(id::glPointSize, &[float(first(variable))]),
            var::POINT_SIZE_MIN | var::POINT_SIZE_MAX | var::POINT_FADE_THRESHOLD_SIZE => {
                self.make(id::glPointParameterf, &[name, float(first(variable))])
            }
            var::POINT_DISTANCE_ATTENUATION => self.set_floats(id::glPointParameterfv, &[name], value(variable)),
            var::POINT_SPRITE_COORD_ORIGIN => self.make(id::glPointParameteri, &[name, word(variable)]),
            var::PROVOKING_VERTEX => self.make(id::glProvokingVertex, &[word(variable)]),
            var::SHADE_MODEL => self.make(id::glShadeModel, &[word(variable)]),
            var::PRIMITIVE_RESTART_INDEX => self.make(id::glPrimitiveRestartIndex, &[word(variable)]),
            var::PATCH_VERTICES => self.make(id::glPatchParameteri, &[name, integer(first(variable))]),
            var::PATCH_DEFAULT_INNER_LEVEL | var::PATCH_DEFAULT_OUTER_LEVEL => {
                self.set_floats(id::glPatchParameterfv, &[name], value(variable))
            }
            var::SAMPLE_COVERAGE_VALUE | var::SAMPLE_COVERAGE_INVERT => {
                let words = [float(first(var::SAMPLE_COVERAGE_VALUE)), word(var::SAMPLE_COVERAGE_INVERT)];
                self.make(id::glSampleCoverage, &words)
            }
            var::SAMPLE_MASK_VALUE => self.make(id::glSampleMaski, &[0, word(variable)]),
            var::MIN_SAMPLE_SHADING_VALUE => self.make(id::glMinSampleShading, &[float(first(variable))]),
            var::PERSPECTIVE_CORRECTION_HINT
            | var::POINT_SMOOTH_HINT
            | var::LINE_SMOOTH_HINT
            | var::POLYGON_SMOOTH_HINT
            | var::FOG_HINT
            | var::GENERATE_MIPMAP_HINT
            | var::TEXTURE_COMPRESSION_HINT
            | var::FRAGMENT_SHADER_DERIVATIVE_HINT => self.make(id::glHint, &[name, word(variable)]),
            var::CLAMP_VERTEX_COLOR | var::CLAMP_FRAGMENT_COLOR | var::CLAMP_READ_COLOR => {
                self.make(id::glClampColor, &[name, word(variable)])
            }
            _ if (var::UNPACK_ALIGNMENT..=var::PACK_INVERT_MESA).contains(&variable) => {
                self.make(id::glPixelStorei, &[name, integer(first(variable))])
            }
            _ if (var::MAP_COLOR..=var::DEPTH_BIAS).contains(&variable) => {
                self.make(id::glPixelTransferf, &[name, float(first(variable))])
            }
            var::ZOOM_X | var::ZOOM_Y => {
                self.make(id::glPixelZoom, &[var::ZOOM_X, var::ZOOM_Y].map(|one| float(first(one))))
            }
            var::FOG_MODE
            | var::FOG_DENSITY
            | var::FOG_START
            | var::FOG_END
            | var::FOG_INDEX
            | var::FOG_COORD_SRC
            | var::FOG_DISTANCE_MODE_NV => self.make(id::glFogf, &[name, float(first(variable))]),
            var::FOG_COLOR => self.set_floats(id::glFogfv, &[name], value(variable)),
            var::LIGHT_MODEL_AMBIENT => self.set_floats(id::glLightModelfv, &[name], value(variable)),
            var::LIGHT_MODEL_LOCAL_VIEWER | var::LIGHT_MODEL_TWO_SIDE | var::LIGHT_MODEL_COLOR_CONTROL => {
                self.make(id::glLightModelf, &[name, float(first(variable))])
            }
            var::COLOR_MATERIAL_FACE | var::COLOR_MATERIAL_PARAMETER => {
                self.make(id::glColorMaterial, &[var::COLOR_MATERIAL_FACE, var::COLOR_MATERIAL_PARAMETER].map(word))
            }
            var::LIST_BASE => self.make(id::glListBase, &[word(variable)]),
            _ => {
                let name = api::enums::any_name(api::Library::Gl, name as i64).unwrap_or("a variable");
                Err(Obstacle(format!("{name} changed since")))
            }
        }
    }

    fn set_enable(&mut self, to: &Context, variable: Var) -> Result<(), Obstacle> {
        let name = u64::from(variable.about().name);
        let count = usize::from(variable.about().count);
        let value = |index| to.vars.value(variable, index)[0] != 0.0;
        if (1..count).all(|index| value(index) == value(0)) {
            return self.make(if value(0) { id::glEnable } else { id::glDisable }, &[name]);
        }
        for index in 0..count {
            if self.here().vars.value(variable, index) != to.vars.value(variable, index) {
                self.make(if value(index) { id::glEnablei } else { id::glDisablei }, &[name, index as u64])?;
            }
        }
        Ok(())
    }

    /// Sets variables that have a value for each draw buffer or viewport, in one call where all are the same.
    fn set_each(&mut self, to: &Context, variables: &[Var], all: CommandId, one: CommandId) -> Result<(), Obstacle> {
        let count = variables.iter().map(|variable| usize::from(variable.about().count)).max().unwrap_or(1);
        let numbers = |context: &Context, index: usize| -> Vec<u64> {
            let values = variables.iter().flat_map(|variable| context.vars.value(*variable, index));
            values.map(|number| integer(*number)).collect()
        };
        let first = numbers(to, 0);
        if (1..count).all(|index| numbers(to, index) == first) {
            return self.make(all, &first);
        }
        for index in 0..count {
            let wanted = numbers(to, index);
            if numbers(&self.here(), index) != wanted {
                self.make(one, &[&[index as u64][..], &wanted].concat())?;
            }
        }
        Ok(())
    }

    fn set_viewport(&mut self, to: &Context) -> Result<(), Obstacle> {
        let count = usize::from(var::VIEWPORT.about().count);
        let first = to.vars.value(var::VIEWPORT, 0);
        let alike = (1..count).all(|index| to.vars.value(var::VIEWPORT, index) == first);
        if alike && first.iter().all(|number| number.fract() == 0.0) {
            return self.make(id::glViewport, &first.iter().map(|number| integer(*number)).collect::<Vec<_>>());
        }
        for index in 0..count {
            let wanted = to.vars.value(var::VIEWPORT, index);
            if self.here().vars.value(var::VIEWPORT, index) != wanted {
                let [x, y, width, height] = four(wanted);
                self.make(id::glViewportIndexedf, &[index as u64, x, y, width, height])?;
            }
        }
        Ok(())
    }

    fn set_range(&mut self, to: &Context, es: bool) -> Result<(), Obstacle> {
        let count = usize::from(var::DEPTH_RANGE.about().count);
        let first = to.vars.value(var::DEPTH_RANGE, 0);
        if (1..count).all(|index| to.vars.value(var::DEPTH_RANGE, index) == first) {
            return if es {
                self.make(id::glDepthRangef, &[float(first[0]), float(first[1])])
            } else {
                self.make(id::glDepthRange, &[first[0].to_bits(), first[1].to_bits()])
            };
        }
        for index in 0..count {
            let wanted = to.vars.value(var::DEPTH_RANGE, index);
            if self.here().vars.value(var::DEPTH_RANGE, index) != wanted {
                let words = [index as u64, wanted[0].to_bits(), wanted[1].to_bits()];
                self.make(id::glDepthRangeIndexed, &words)?;
            }
        }
        Ok(())
    }

    fn set_polygon_mode(&mut self, to: &Context) -> Result<(), Obstacle> {
        let [front, back] = *to.vars.value(var::POLYGON_MODE, 0) else { return Ok(()) };
        if front == back {
            return self.make(id::glPolygonMode, &[u64::from(c::GL_FRONT_AND_BACK), integer(front)]);
        }
        self.make(id::glPolygonMode, &[u64::from(c::GL_FRONT), integer(front)])?;
        self.make(id::glPolygonMode, &[u64::from(c::GL_BACK), integer(back)])
    }

    fn stencil(&mut self, to: &Context, face: u32, [func, reference, mask]: [Var; 3]) -> Result<(), Obstacle> {
        let mask = u64::from(to.vars.name(mask));
        let words = [u64::from(face), u64::from(to.vars.name(func)), integer(to.vars.get(reference)), mask];
        self.make(id::glStencilFuncSeparate, &words)
    }

    /// A call whose last parameter points to floats.
    pub(super) fn set_floats(&mut self, command: CommandId, args: &[u64], numbers: &[f64]) -> Result<(), Obstacle> {
        let numbers: Vec<f32> = numbers.iter().map(|number| *number as f32).collect();
        self.set_single(command, args, &numbers)
    }

    /// The same from floats of single precision.
    pub(super) fn set_single(&mut self, command: CommandId, args: &[u64], numbers: &[f32]) -> Result<(), Obstacle> {
        self.make_from(command, &[args, &[SOMEWHERE]].concat(), args.len() as u8, &floats(numbers))
    }
}

fn differs(now: &Context, to: &Context, variable: Var) -> bool {
    let count = usize::from(variable.about().count);
    (0..count).any(|index| {
        let (now, to) = (now.vars.value(variable, index), to.vars.value(variable, index));
        now.iter().zip(to).any(|(now, to)| now.to_bits() != to.to_bits())
    })
}

fn four(numbers: &[f64]) -> [u64; 4] {
    std::array::from_fn(|at| float(numbers.get(at).copied().unwrap_or(0.0)))
}
