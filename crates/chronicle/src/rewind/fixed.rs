//! State of fixed functions that has a structure, and current vertex attributes.

use std::sync::Arc;

use api::{constant as c, id};
use state::fixed::{Current, Fixed, Light, Material, Matrices, MatrixHistory, MatrixOp, MatrixStack, TARGETS, Unit};
use state::{Client, Context};

use super::{Obstacle, Rewind, SOMEWHERE, float};

impl Rewind<'_> {
    /// Makes good what differs in fixed functions.
    pub(super) fn fixed(&mut self, to: &Context) -> Result<(), Obstacle> {
        let here = self.here();
        if !Arc::ptr_eq(&here.current, &to.current) && here.current != to.current {
            self.current(&here.current, &to.current)?;
        }
        if Arc::ptr_eq(&here.fixed, &to.fixed) {
            return Ok(());
        }
        let (mine, wanted) = (&*here.fixed, &*to.fixed);
        let rest = mine.two_side_stencil == wanted.two_side_stencil
            && mine.lod_bias == wanted.lod_bias
            && mine.polygon_stipple == wanted.polygon_stipple
            && mine.pixel_maps == wanted.pixel_maps
            && mine.evaluators == wanted.evaluators
            && mine.raster_texture_coords == wanted.raster_texture_coords
            && mine.names == wanted.names
            && mine.debug_callback == wanted.debug_callback
            && mine.messages == wanted.messages
            && mine.feedback_buffer == wanted.feedback_buffer
            && mine.selection_buffer == wanted.selection_buffer
            && mine.matrices.programs == wanted.matrices.programs;
        if !rest {
            return Err(Obstacle("rare state of fixed functions changed since".to_owned()));
        }
        for (face, (mine, wanted)) in
            [c::GL_FRONT, c::GL_BACK].into_iter().zip(mine.materials.iter().zip(&wanted.materials))
        {
            self.material(face, mine, wanted)?;
        }
        for (unit, (mine, wanted)) in mine.units.iter().zip(&wanted.units).enumerate() {
            self.fixed_unit(unit, mine, wanted)?;
        }
        // What is given in eye coordinates is given with a matrix that changes nothing; it is loaded for that, and the
        // right one afterwards.
        self.in_eye_coordinates(mine, wanted)?;
        self.matrices(to)
    }

    fn in_eye_coordinates(&mut self, mine: &Fixed, wanted: &Fixed) -> Result<(), Obstacle> {
        if mine.lights == wanted.lights && mine.clip_planes == wanted.clip_planes {
            return Ok(());
        }
        self.make(id::glMatrixMode, &[u64::from(c::GL_MODELVIEW)])?;
        self.make(id::glLoadIdentity, &[])?;
        for (number, (mine, wanted)) in mine.lights.iter().zip(&wanted.lights).enumerate() {
            self.light(c::GL_LIGHT0 + number as u32, mine, wanted)?;
        }
        for (number, (mine, wanted)) in mine.clip_planes.iter().zip(&wanted.clip_planes).enumerate() {
            if mine != wanted {
                let bytes: Vec<u8> = wanted.iter().flat_map(|number| f64::from(*number).to_le_bytes()).collect();
                let plane = u64::from(c::GL_CLIP_PLANE0) + number as u64;
                self.make_from(id::glClipPlane, &[plane, SOMEWHERE], 1, &bytes)?;
            }
        }
        Ok(())
    }

    fn light(&mut self, name: u32, mine: &Light, wanted: &Light) -> Result<(), Obstacle> {
        let colours = [c::GL_AMBIENT, c::GL_DIFFUSE, c::GL_SPECULAR];
        let mut set = |parameter: u32, mine: &[f32], wanted: &[f32]| {
            if mine == wanted {
                return Ok(());
            }
            self.set_single(id::glLightfv, &[name, parameter].map(u64::from), wanted)
        };
        for (at, parameter) in colours.into_iter().enumerate() {
            set(parameter, &mine.colours[at], &wanted.colours[at])?;
        }
        set(c::GL_POSITION, &mine.position, &wanted.position)?;
        set(c::GL_SPOT_DIRECTION, &mine.direction, &wanted.direction)?;
        set(c::GL_SPOT_EXPONENT, &[mine.exponent], &[wanted.exponent])?;
        set(c::GL_SPOT_CUTOFF, &[mine.cutoff], &[wanted.cutoff])?;
        let attenuations = [c::GL_CONSTANT_ATTENUATION, c::GL_LINEAR_ATTENUATION, c::GL_QUADRATIC_ATTENUATION];
        for (at, parameter) in attenuations.into_iter().enumerate() {
            set(parameter, &[mine.attenuation[at]], &[wanted.attenuation[at]])?;
        }
        Ok(())
    }

    fn material(&mut self, face: u32, mine: &Material, wanted: &Material) -> Result<(), Obstacle> {
        let mut set = |parameter: u32, mine: &[f32], wanted: &[f32]| {
            if mine == wanted {
                return Ok(());
            }
            self.set_single(id::glMaterialfv, &[face, parameter].map(u64::from), wanted)
        };
        let colours = [c::GL_AMBIENT, c::GL_DIFFUSE, c::GL_SPECULAR, c::GL_EMISSION];
        for (at, parameter) in colours.into_iter().enumerate() {
            set(parameter, &mine.colours[at], &wanted.colours[at])?;
        }
        set(c::GL_SHININESS, &[mine.shininess], &[wanted.shininess])?;
        set(c::GL_COLOR_INDEXES, &mine.indexes, &wanted.indexes)
    }

    fn fixed_unit(&mut self, number: usize, mine: &Unit, wanted: &Unit) -> Result<(), Obstacle> {
        if mine == wanted {
            return Ok(());
        }
        let handled =
            Unit { enabled: mine.enabled, generated: mine.generated, mode: mine.mode, colour: mine.colour, ..*wanted };
        if handled != *mine {
            return Err(Obstacle("a texture environment changed since".to_owned()));
        }
        self.make(id::glActiveTexture, &[u64::from(c::GL_TEXTURE0) + number as u64])?;
        let mut enable = |name: u32, mine: bool, wanted: bool| {
            let command = if wanted { id::glEnable } else { id::glDisable };
            if mine == wanted { Ok(()) } else { self.make(command, &[u64::from(name)]) }
        };
        for (bit, target) in TARGETS.into_iter().enumerate() {
            enable(target, mine.enabled >> bit & 1 != 0, wanted.enabled >> bit & 1 != 0)?;
        }
        let generators = [c::GL_TEXTURE_GEN_S, c::GL_TEXTURE_GEN_T, c::GL_TEXTURE_GEN_R, c::GL_TEXTURE_GEN_Q];
        for (bit, name) in generators.into_iter().enumerate() {
            enable(name, mine.generated >> bit & 1 != 0, wanted.generated >> bit & 1 != 0)?;
        }
        let environment = u64::from(c::GL_TEXTURE_ENV);
        if mine.mode != wanted.mode {
            let words = [environment, u64::from(c::GL_TEXTURE_ENV_MODE), u64::from(wanted.mode)];
            self.make(id::glTexEnvi, &words)?;
        }
        if mine.colour != wanted.colour {
            self.set_single(id::glTexEnvfv, &[environment, u64::from(c::GL_TEXTURE_ENV_COLOR)], &wanted.colour)?;
        }
        Ok(())
    }

    fn matrices(&mut self, to: &Context) -> Result<(), Obstacle> {
        let here = self.here();
        let (mine, wanted) = (&here.fixed.matrices, &to.fixed.matrices);
        self.stack(Which::ModelView, &mine.modelview, &wanted.modelview)?;
        self.stack(Which::Projection, &mine.projection, &wanted.projection)?;
        for (unit, (mine, wanted)) in mine.textures.iter().zip(&wanted.textures).enumerate() {
            if mine != wanted {
                self.make(id::glActiveTexture, &[u64::from(c::GL_TEXTURE0) + unit as u64])?;
                self.stack(Which::Texture(unit), mine, wanted)?;
            }
        }
        Ok(())
    }

    /// Pops what is not the same, and pushes what is wanted.
    fn stack(&mut self, which: Which, mine: &MatrixStack, wanted: &MatrixStack) -> Result<(), Obstacle> {
        if mine == wanted {
            return Ok(());
        }
        self.make(id::glMatrixMode, &[u64::from(which.mode())])?;
        let same = mine.histories().zip(wanted.histories()).take_while(|(mine, wanted)| mine == wanted).count();
        // The matrix at the bottom is replaced, those above it are popped.
        let kept = same.min(wanted.depth() - 1).min(mine.depth() - 1);
        for _ in kept + 1..mine.depth() {
            self.make(id::glPopMatrix, &[])?;
        }
        for (at, origin) in wanted.histories().enumerate().skip(kept) {
            if at > kept {
                self.make(id::glPushMatrix, &[])?;
            }
            let here = self.here();
            let top = which.of(&here.fixed.matrices).ok_or_else(|| Obstacle("a texture unit is gone".to_owned()))?;
            for op in ops(top.top_history(), origin) {
                self.matrix(op)?;
            }
        }
        Ok(())
    }

    /// Does something to the matrix on top.
    fn matrix(&mut self, op: MatrixOp) -> Result<(), Obstacle> {
        let floats = |numbers: &[f32]| numbers.iter().map(|number| float(f64::from(*number))).collect::<Vec<_>>();
        let doubles = |numbers: &[f32]| numbers.iter().map(|number| f64::from(*number).to_bits()).collect::<Vec<_>>();
        let es = self.here().facts.client == Client::Es1;
        match op {
            MatrixOp::Identity => self.make(id::glLoadIdentity, &[]),
            MatrixOp::Load(m) => self.set_single(id::glLoadMatrixf, &[], &m),
            MatrixOp::Times(m) => self.set_single(id::glMultMatrixf, &[], &m),
            MatrixOp::Rotate(by) => self.make(id::glRotatef, &floats(&by)),
            MatrixOp::Translate(by) => self.make(id::glTranslatef, &floats(&by)),
            MatrixOp::Scale(by) => self.make(id::glScalef, &floats(&by)),
            MatrixOp::Ortho(planes) if es => self.make(id::glOrthof, &floats(&planes)),
            MatrixOp::Ortho(planes) => self.make(id::glOrtho, &doubles(&planes)),
            MatrixOp::Frustum(planes) if es => self.make(id::glFrustumf, &floats(&planes)),
            MatrixOp::Frustum(planes) => self.make(id::glFrustum, &doubles(&planes)),
            MatrixOp::Use => {
                self.make(id::glPushMatrix, &[])?;
                self.make(id::glPopMatrix, &[])
            }
            MatrixOp::Unknown => Err(Obstacle("a matrix is made by more calls than are remembered".to_owned())),
        }
    }

    fn current(&mut self, mine: &Current, wanted: &Current) -> Result<(), Obstacle> {
        if (mine.index, mine.edge) != (wanted.index, wanted.edge) {
            return Err(Obstacle("rare state of fixed functions changed since".to_owned()));
        }
        if mine.colour != wanted.colour {
            self.make(id::glColor4f, &wanted.colour.map(|number| float(f64::from(number))))?;
        }
        if mine.secondary != wanted.secondary {
            let [red, green, blue, _] = wanted.secondary.map(|number| float(f64::from(number)));
            self.make(id::glSecondaryColor3f, &[red, green, blue])?;
        }
        if mine.normal != wanted.normal {
            self.make(id::glNormal3f, &wanted.normal.map(|number| float(f64::from(number))))?;
        }
        if mine.fog != wanted.fog {
            self.make(id::glFogCoordf, &[float(f64::from(wanted.fog))])?;
        }
        for (unit, (mine, wanted)) in mine.texture.iter().zip(&wanted.texture).enumerate() {
            if mine != wanted {
                let [s, t, r, q] = wanted.map(|number| float(f64::from(number)));
                self.make(id::glMultiTexCoord4f, &[u64::from(c::GL_TEXTURE0) + unit as u64, s, t, r, q])?;
            }
        }
        for (index, (mine, wanted)) in mine.generic.iter().zip(&wanted.generic).enumerate() {
            if mine != wanted {
                let [x, y, z, w, ..] = wanted.map(u64::from);
                self.make(id::glVertexAttrib4f, &[index as u64, x, y, z, w])?;
            }
        }
        Ok(())
    }
}

/// One of the matrix stacks.
#[derive(Clone, Copy)]
enum Which {
    ModelView,
    Projection,
    /// That of a texture unit.
    Texture(usize),
}

impl Which {
    fn mode(self) -> u32 {
        match self {
            Which::ModelView => c::GL_MODELVIEW,
            Which::Projection => c::GL_PROJECTION,
            Which::Texture(_) => c::GL_TEXTURE,
        }
    }

    fn of(self, matrices: &Matrices) -> Option<&MatrixStack> {
        match self {
            Which::ModelView => Some(&matrices.modelview),
            Which::Projection => Some(&matrices.projection),
            Which::Texture(unit) => matrices.textures.get(unit),
        }
    }
}

/// What makes one matrix of another, so that the driver knows the same of it.
fn ops(mine: &MatrixHistory, wanted: &MatrixHistory) -> Vec<MatrixOp> {
    if let Some(rest) = wanted.since(mine) {
        return rest;
    }
    let first = match wanted.knowledge_before() {
        Some(before) if before == mine.knowledge() => vec![MatrixOp::Identity],
        Some(before) => before.ops().into_iter().chain([MatrixOp::Identity]).collect(),
        // To load what is there already would do nothing.
        None => vec![MatrixOp::Identity, MatrixOp::Scale([2.0, 3.0, 4.0])],
    };
    first.into_iter().chain(wanted.ops()).collect()
}
