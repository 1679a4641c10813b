//! Random fixed-function state, and primitives to draw with it.

use api::{CommandId, constant as c, id};
use testing::random::Random;

use super::program;
use super::stage::{Arg, Stage};
use crate::args;

/// Which parts of the state are random; the others have their initial values.
#[derive(Clone, Copy, Default, Debug)]
pub struct Topics {
    pub matrices: bool,
    pub lights: bool,
    pub textures: bool,
    pub generators: bool,
    pub combine: bool,
    pub depth: bool,
    pub fog: bool,
    pub points: bool,
    pub planes: bool,
    pub vertex_program: bool,
    /// A vertex program that writes only positions.
    pub bare_program: bool,
    pub fragment_program: bool,
}

/// Draw calls to issue with fixed functions and with shaders.
pub struct Scene {
    calls: Vec<(CommandId, Vec<u64>)>,
}

impl Scene {
    pub fn draw(&self, stage: &Stage) {
        for (command, words) in &self.calls {
            stage.real(*command, words);
        }
    }
}

const UNITS: usize = 4;

/// Sets random state and generates a scene.
pub fn scene(stage: &mut Stage, random: &mut Random, topics: Topics) -> Scene {
    if topics.matrices {
        matrices(stage, random);
    }
    if topics.lights {
        lights(stage, random);
    } else if random.one_in(2) {
        stage.switch(c::GL_COLOR_SUM, true);
    }
    if topics.textures {
        (0..UNITS).for_each(|unit| texture_unit(stage, random, unit, topics));
        stage.both(id::glActiveTexture, args![c::GL_TEXTURE0]);
    }
    if topics.fog {
        fog(stage, random);
    }
    if topics.points {
        let attenuation = vec![random.between(0.0, 1.0), random.between(0.0, 1.0), random.between(0.0, 0.5)];
        stage.both(id::glPointParameterfv, args![c::GL_POINT_DISTANCE_ATTENUATION, attenuation]);
        stage.both(id::glPointSize, args![random.between(1.0, 12.0)]);
        stage.both(id::glPointParameterf, args![c::GL_POINT_SIZE_MAX, random.between(4.0, 20.0)]);
        stage.both(id::glPointParameterf, args![c::GL_POINT_SIZE_MIN, random.between(0.0, 3.0)]);
        stage.switch(c::GL_PROGRAM_POINT_SIZE, random.one_in(2));
    }
    if topics.planes {
        for plane in 0..random.index(4) as u32 {
            let equation = random.floats(4, -1.0, 1.0).into_iter().map(f64::from).collect();
            stage.both(id::glClipPlane, &[Arg::from(c::GL_CLIP_PLANE0 + plane), Arg::Doubles(equation)]);
            stage.switch(c::GL_CLIP_PLANE0 + plane, true);
        }
    }
    if topics.vertex_program {
        program::vertex(stage, random);
    }
    if topics.bare_program {
        program::bare(stage, random);
    }
    if topics.fragment_program {
        program::fragment(stage, random);
    }
    // llvmpipe interpolates colours for assembly programs even with flat shading.
    let flat = if topics.fragment_program { c::GL_SMOOTH } else { c::GL_FLAT };
    stage.both(id::glShadeModel, args![random.pick(&[c::GL_SMOOTH, c::GL_SMOOTH, flat])]);
    primitives(random, topics)
}

fn matrices(stage: &mut Stage, random: &mut Random) {
    stage.both(id::glMatrixMode, args![c::GL_PROJECTION]);
    if random.one_in(2) {
        let frustum = [-0.6, 0.6, -0.6, 0.6, 1.0, 6.0].map(Arg::Double);
        stage.both(id::glFrustum, &frustum);
        stage.both(id::glMatrixMode, args![c::GL_MODELVIEW]);
        stage.both(id::glTranslatef, args![0.0f32, 0.0f32, -2.0f32]);
    }
    stage.both(id::glMatrixMode, args![c::GL_MODELVIEW]);
    let axis = random.floats(3, -1.0, 1.0);
    stage.both(id::glRotatef, args![random.between(-60.0, 60.0), axis[0], axis[1], axis[2]]);
    let scale = random.between(0.5, 1.5);
    let other = if random.one_in(2) { scale } else { random.between(0.5, 1.5) };
    stage.both(id::glScalef, args![scale, other, scale]);
}

fn lights(stage: &mut Stage, random: &mut Random) {
    stage.switch(c::GL_LIGHTING, true);
    stage.switch(c::GL_NORMALIZE, random.one_in(3));
    stage.switch(c::GL_RESCALE_NORMAL, random.one_in(3));
    stage.both(id::glLightModeli, args![c::GL_LIGHT_MODEL_TWO_SIDE, random.index(2) as i32]);
    stage.both(id::glLightModeli, args![c::GL_LIGHT_MODEL_LOCAL_VIEWER, random.index(2) as i32]);
    let control = random.pick(&[c::GL_SINGLE_COLOR, c::GL_SEPARATE_SPECULAR_COLOR]);
    stage.both(id::glLightModeli, args![c::GL_LIGHT_MODEL_COLOR_CONTROL, control.cast_signed()]);
    stage.both(id::glLightModelfv, args![c::GL_LIGHT_MODEL_AMBIENT, random.floats(4, 0.0, 0.5)]);
    stage.switch(c::GL_COLOR_SUM, random.one_in(3));
    for light in (0..8).map(|at| c::GL_LIGHT0 + at) {
        if !random.one_in(3) {
            continue;
        }
        stage.switch(light, true);
        for colour in [c::GL_AMBIENT, c::GL_DIFFUSE, c::GL_SPECULAR] {
            stage.both(id::glLightfv, args![light, colour, random.floats(4, 0.0, 0.6)]);
        }
        let mut position = random.floats(4, -2.0, 2.0);
        position[3] = random.pick(&[0.0, 1.0, 1.0, 0.5]);
        stage.both(id::glLightfv, args![light, c::GL_POSITION, position]);
        if random.one_in(2) {
            stage.both(id::glLightf, args![light, c::GL_CONSTANT_ATTENUATION, random.between(0.2, 1.0)]);
            stage.both(id::glLightf, args![light, c::GL_LINEAR_ATTENUATION, random.between(0.0, 0.5)]);
            stage.both(id::glLightf, args![light, c::GL_QUADRATIC_ATTENUATION, random.between(0.0, 0.3)]);
        }
        if random.one_in(2) {
            stage.both(id::glLightf, args![light, c::GL_SPOT_CUTOFF, random.between(20.0, 90.0)]);
            let exponent = if random.one_in(3) { 0.0 } else { random.between(0.0, 8.0) };
            stage.both(id::glLightf, args![light, c::GL_SPOT_EXPONENT, exponent]);
            stage.both(id::glLightfv, args![light, c::GL_SPOT_DIRECTION, random.floats(3, -1.0, 1.0)]);
        }
    }
    for face in [c::GL_FRONT, c::GL_BACK] {
        for colour in [c::GL_AMBIENT, c::GL_DIFFUSE, c::GL_SPECULAR, c::GL_EMISSION] {
            let most = if colour == c::GL_EMISSION { 0.2 } else { 1.0 };
            stage.both(id::glMaterialfv, args![face, colour, random.floats(4, 0.0, most)]);
        }
        let shininess = if random.one_in(4) { 0.0 } else { random.between(0.0, 40.0) };
        stage.both(id::glMaterialf, args![face, c::GL_SHININESS, shininess]);
    }
    // Of colours that only the back tracks, Mesa 22.3 uses red and alpha only.
    let face = random.pick(&[c::GL_FRONT, c::GL_FRONT_AND_BACK]);
    let parameters = [c::GL_AMBIENT, c::GL_DIFFUSE, c::GL_SPECULAR, c::GL_EMISSION, c::GL_AMBIENT_AND_DIFFUSE];
    stage.both(id::glColorMaterial, args![face, random.pick(&parameters)]);
    stage.switch(c::GL_COLOR_MATERIAL, random.one_in(2));
}

fn fog(stage: &mut Stage, random: &mut Random) {
    stage.switch(c::GL_FOG, true);
    let mode = random.pick(&[c::GL_LINEAR, c::GL_EXP, c::GL_EXP2]);
    stage.both(id::glFogi, args![c::GL_FOG_MODE, mode.cast_signed()]);
    stage.both(id::glFogf, args![c::GL_FOG_START, random.between(0.0, 0.5)]);
    stage.both(id::glFogf, args![c::GL_FOG_END, random.between(1.0, 3.0)]);
    stage.both(id::glFogf, args![c::GL_FOG_DENSITY, random.between(0.1, 2.0)]);
    stage.both(id::glFogfv, args![c::GL_FOG_COLOR, random.floats(4, 0.0, 1.0)]);
    let source = random.pick(&[c::GL_FOG_COORD, c::GL_FRAGMENT_DEPTH, c::GL_FRAGMENT_DEPTH]);
    stage.both(id::glFogi, args![c::GL_FOG_COORD_SRC, source.cast_signed()]);
    let distance = random.pick(&[c::GL_EYE_PLANE_ABSOLUTE_NV, c::GL_EYE_RADIAL_NV, c::GL_EYE_PLANE]);
    stage.both(id::glFogi, args![c::GL_FOG_DISTANCE_MODE_NV, distance.cast_signed()]);
}

/// Puts a random texture and a random environment on a unit.
fn texture_unit(stage: &mut Stage, random: &mut Random, unit: usize, topics: Topics) {
    if random.one_in(4) {
        return;
    }
    stage.both(id::glActiveTexture, args![c::GL_TEXTURE0 + unit as u32]);
    let targets = [c::GL_TEXTURE_1D, c::GL_TEXTURE_2D, c::GL_TEXTURE_2D, c::GL_TEXTURE_3D, c::GL_TEXTURE_CUBE_MAP];
    let target = if random.one_in(6) { c::GL_TEXTURE_RECTANGLE } else { random.pick(&targets) };
    let depth = topics.depth && random.one_in(2) && target != c::GL_TEXTURE_3D && target != c::GL_TEXTURE_CUBE_MAP;
    image(stage, random, (unit, target), depth);
    stage.switch(target, true);
    if random.one_in(8) {
        // Also enables another target, whose texture is incomplete.
        stage.switch(if target == c::GL_TEXTURE_3D { c::GL_TEXTURE_1D } else { c::GL_TEXTURE_3D }, true);
    }
    let environment = c::GL_TEXTURE_ENV;
    stage.both(id::glTexEnvfv, args![environment, c::GL_TEXTURE_ENV_COLOR, random.floats(4, 0.0, 1.0)]);
    let modes = [c::GL_MODULATE, c::GL_DECAL, c::GL_BLEND, c::GL_REPLACE, c::GL_ADD];
    let mode = if topics.combine { c::GL_COMBINE } else { random.pick(&modes) };
    stage.both(id::glTexEnvi, args![environment, c::GL_TEXTURE_ENV_MODE, mode.cast_signed()]);
    if topics.combine {
        combine(stage, random, unit);
    }
    if topics.generators {
        generators(stage, random);
    }
    stage.both(id::glMatrixMode, args![c::GL_TEXTURE]);
    if random.one_in(2) {
        stage.both(id::glRotatef, args![random.between(-30.0, 30.0), 0.0f32, 0.0f32, 1.0f32]);
        stage.both(id::glTranslatef, args![random.between(-0.2, 0.2), random.between(-0.2, 0.2), 0.0f32]);
    }
    if target == c::GL_TEXTURE_RECTANGLE {
        stage.both(id::glScalef, args![8.0f32, 8.0f32, 1.0f32]);
    }
}

fn image(stage: &mut Stage, random: &mut Random, (unit, target): (usize, u32), depth: bool) {
    const SIDE: i32 = 8;
    stage.both(id::glBindTexture, args![target, 10 + unit as u32]);
    let colours = [
        (c::GL_ALPHA, 1),
        (c::GL_LUMINANCE, 1),
        (c::GL_LUMINANCE_ALPHA, 2),
        (c::GL_INTENSITY, 1),
        (c::GL_RGB, 3),
        (c::GL_RGBA, 4),
        (c::GL_RED, 1),
        (c::GL_RG, 2),
    ];
    let (internal, components) = if depth { (c::GL_DEPTH_COMPONENT, 1) } else { random.pick(&colours) };
    let format = if internal == c::GL_INTENSITY { c::GL_LUMINANCE } else { internal };
    let filter = random.pick(&[c::GL_LINEAR, c::GL_LINEAR, c::GL_LINEAR_MIPMAP_LINEAR]).cast_signed();
    let rectangle = target == c::GL_TEXTURE_RECTANGLE;
    if !rectangle || filter == c::GL_LINEAR.cast_signed() {
        stage.both(id::glTexParameteri, args![target, c::GL_TEXTURE_MIN_FILTER, filter]);
    }
    if depth {
        let mode = random.pick(&[c::GL_LUMINANCE, c::GL_ALPHA, c::GL_INTENSITY, c::GL_RED]).cast_signed();
        stage.both(id::glTexParameteri, args![target, c::GL_DEPTH_TEXTURE_MODE, mode]);
        let compare = random.pick(&[c::GL_NONE, c::GL_COMPARE_REF_TO_TEXTURE]).cast_signed();
        stage.both(id::glTexParameteri, args![target, c::GL_TEXTURE_COMPARE_MODE, compare]);
    }
    let mut texels =
        |count: i32| -> Arg { Arg::Bytes((0..count * components).map(|_| random.index(256) as u8).collect()) };
    let (border, kind, given) = (0i32, c::GL_UNSIGNED_BYTE, internal.cast_signed());
    let mut arguments = |of: u32, sides: usize, texels: Arg| {
        let mut list = vec![Arg::from(of), Arg::from(0i32), Arg::from(given)];
        list.extend((0..sides).map(|_| Arg::from(SIDE)));
        list.extend([Arg::from(border), Arg::from(format), Arg::from(kind), texels]);
        let command = [id::glTexImage1D, id::glTexImage2D, id::glTexImage3D][sides - 1];
        stage.both(command, &list);
    };
    match target {
        c::GL_TEXTURE_1D => arguments(target, 1, texels(SIDE)),
        c::GL_TEXTURE_3D => arguments(target, 3, texels(SIDE * SIDE * SIDE)),
        c::GL_TEXTURE_CUBE_MAP => {
            for face in 0..6 {
                arguments(c::GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 2, texels(SIDE * SIDE));
            }
        }
        _ => arguments(target, 2, texels(SIDE * SIDE)),
    }
    if filter != c::GL_LINEAR.cast_signed() && !rectangle && !random.one_in(4) {
        stage.both(id::glGenerateMipmap, args![target]);
    }
}

fn combine(stage: &mut Stage, random: &mut Random, unit: usize) {
    let environment = c::GL_TEXTURE_ENV;
    let set = |stage: &mut Stage, name: u32, value: u32| {
        stage.both(id::glTexEnvi, args![environment, name, value.cast_signed()]);
    };
    let mut functions = vec![
        c::GL_REPLACE,
        c::GL_MODULATE,
        c::GL_ADD,
        c::GL_ADD_SIGNED,
        c::GL_INTERPOLATE,
        c::GL_SUBTRACT,
        c::GL_MODULATE_ADD_ATI,
        c::GL_MODULATE_SIGNED_ADD_ATI,
        c::GL_MODULATE_SUBTRACT_ATI,
    ];
    set(stage, c::GL_COMBINE_ALPHA, random.pick(&functions));
    functions.extend([c::GL_DOT3_RGB, c::GL_DOT3_RGBA, c::GL_DOT3_RGB_EXT, c::GL_DOT3_RGBA_EXT]);
    set(stage, c::GL_COMBINE_RGB, random.pick(&functions));
    let sources = [
        c::GL_TEXTURE,
        c::GL_TEXTURE,
        c::GL_PREVIOUS,
        c::GL_CONSTANT,
        c::GL_PRIMARY_COLOR,
        c::GL_TEXTURE0 + unit as u32,
        c::GL_ZERO,
        c::GL_ONE,
    ];
    let alphas = [c::GL_SRC_ALPHA, c::GL_ONE_MINUS_SRC_ALPHA];
    let operands = [c::GL_SRC_COLOR, c::GL_ONE_MINUS_SRC_COLOR, c::GL_SRC_ALPHA, c::GL_ONE_MINUS_SRC_ALPHA];
    for at in 0..3 {
        set(stage, c::GL_SRC0_RGB + at, random.pick(&sources));
        set(stage, c::GL_SRC0_ALPHA + at, random.pick(&sources));
        set(stage, c::GL_OPERAND0_RGB + at, random.pick(&operands));
        set(stage, c::GL_OPERAND0_ALPHA + at, random.pick(&alphas));
    }
    stage.both(id::glTexEnvf, args![environment, c::GL_RGB_SCALE, random.pick(&[1.0f32, 2.0, 4.0])]);
    stage.both(id::glTexEnvf, args![environment, c::GL_ALPHA_SCALE, random.pick(&[1.0f32, 2.0, 4.0])]);
}

fn generators(stage: &mut Stage, random: &mut Random) {
    let modes = [c::GL_OBJECT_LINEAR, c::GL_EYE_LINEAR, c::GL_SPHERE_MAP, c::GL_REFLECTION_MAP, c::GL_NORMAL_MAP];
    for at in 0..4 {
        let coordinate = c::GL_S + at;
        let allowed = [modes.len(), modes.len(), modes.len(), 2][at as usize];
        let mut mode = random.pick(&modes[..allowed]);
        if at == 2 && mode == c::GL_SPHERE_MAP {
            mode = c::GL_NORMAL_MAP;
        }
        stage.both(id::glTexGeni, args![coordinate, c::GL_TEXTURE_GEN_MODE, mode.cast_signed()]);
        // The last coordinate is a divisor, so it stays away from 0.
        let plane = if at == 3 { vec![0.1, 0.1, 0.1, 1.0] } else { random.floats(4, -1.0, 1.0) };
        let which = if mode == c::GL_EYE_LINEAR { c::GL_EYE_PLANE } else { c::GL_OBJECT_PLANE };
        stage.both(id::glTexGenfv, args![coordinate, which, plane]);
        if random.one_in(2) && at < 3 {
            stage.switch(c::GL_TEXTURE_GEN_S + at, true);
        }
    }
}

/// Triangles, lines and points with random attributes.
fn primitives(random: &mut Random, topics: Topics) -> Scene {
    let mut calls = Vec::new();
    let mut call = |command, numbers: &[f32], words: &[u32]| {
        let mut all: Vec<u64> = words.iter().map(|word| u64::from(*word)).collect();
        all.extend(numbers.iter().map(|number| u64::from(number.to_bits())));
        calls.push((command, all));
    };
    let modes = if topics.points { vec![c::GL_POINTS] } else { vec![c::GL_TRIANGLES, c::GL_TRIANGLES, c::GL_LINES] };
    for mode in modes {
        call(id::glBegin, &[], &[mode]);
        for _ in 0..12 {
            call(id::glNormal3f, &random.floats(3, -1.0, 1.0), &[]);
            call(id::glColor4f, &random.floats(4, 0.0, 1.0), &[]);
            call(id::glSecondaryColor3f, &random.floats(3, 0.0, 0.5), &[]);
            call(id::glFogCoordf, &random.floats(1, 0.0, 2.0), &[]);
            for unit in 0..UNITS as u32 {
                let mut coordinate = random.floats(3, 0.0, 1.5);
                coordinate.push(random.between(0.7, 1.3));
                call(id::glMultiTexCoord4f, &coordinate, &[c::GL_TEXTURE0 + unit]);
            }
            let place = random.floats(3, -1.0, 1.0);
            call(id::glVertex3f, &place, &[]);
        }
        call(id::glEnd, &[], &[]);
    }
    Scene { calls }
}
