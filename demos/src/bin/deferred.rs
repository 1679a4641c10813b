//! A deferred-shaded scene in seven passes, with a bug: one vertex has a zero normal. Normalizing it gives NaN, which
//! spreads: over the triangles around the vertex, through the lighting, and by the bloom's blur into unrelated pixels.

use std::ffi::CStr;
use std::process::ExitCode;

use clap::Parser;
use demos::math::{Mat4, Vec3, normalize};
use demos::mesh::{Mesh, STRIDE, Uploaded};
use demos::options::Size;
use demos::target::{Target, sample};
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Draws a deferred-shaded scene with shadows, bloom, and a deliberate bug.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// Draw the scene without the bug.
    #[arg(long)]
    repaired: bool,
}

const SHADOW_MAP: Size = Size { width: 1024, height: 1024 };
const SUN: Vec3 = [-0.55, 0.62, 0.56];
/// The vertex of the pearl whose normal is missing: on the side that faces the camera.
const BROKEN_VERTEX: usize = 7 * 25 + 18;
const LAMP_COLORS: [Vec3; 4] = [[3.2, 0.9, 0.3], [0.3, 1.2, 3.0], [2.2, 0.4, 1.8], [0.5, 2.4, 0.9]];

/// A mesh with its transform and material.
struct Object {
    mesh: usize,
    model: Mat4,
    albedo: Vec3,
    roughness: f32,
    emission: Vec3,
    tiles: f32,
}

struct Scene {
    meshes: Vec<Uploaded>,
    shadow_program: u32,
    surface_program: u32,
    light_program: u32,
    bright_program: u32,
    blur_program: u32,
    tone_program: u32,
    shadow: Target,
    surfaces: Target,
    lit: Target,
    bloom: [Target; 2],
    /// A vertex array without attributes, for passes that generate their triangle from `gl_VertexID`.
    nothing: u32,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("deferred", ContextKind::Core(3, 3), &cli.options, |stage| {
        let scene = Scene::new(stage, cli.repaired)?;
        Ok(move |stage: &Stage, frame| {
            scene.draw(stage, frame);
            Ok(())
        })
    })
}

impl Scene {
    fn new(stage: &Stage, repaired: bool) -> anyhow::Result<Scene> {
        let gl = &stage.gl;
        let attributes = ["position", "normal", "uv"];
        let screen = include_str!("deferred/screen.vert");
        let pass = |fragment| program::link(gl, screen, fragment, &[]);
        let shadow_sources = (include_str!("deferred/shadow.vert"), include_str!("deferred/shadow.frag"));
        let surface_sources = (include_str!("deferred/gbuffer.vert"), include_str!("deferred/gbuffer.frag"));
        let half = Size { width: (stage.size.width / 2).max(1), height: (stage.size.height / 2).max(1) };
        let mut pearl = Mesh::sphere(24, 16);
        if !repaired {
            pearl.vertices[BROKEN_VERTEX * STRIDE + 3..][..3].fill(0.);
        }
        let meshes = [Mesh::plane(14., 1.), Mesh::cube(), pearl, Mesh::torus(48, 20, 1., 0.32), Mesh::sphere(32, 20)];
        let scene = Scene {
            meshes: meshes.iter().map(|mesh| mesh.upload(gl, false)).collect(),
            shadow_program: program::link(gl, shadow_sources.0, shadow_sources.1, &attributes)?,
            surface_program: program::link(gl, surface_sources.0, surface_sources.1, &attributes)?,
            light_program: pass(include_str!("deferred/light.frag"))?,
            bright_program: pass(include_str!("deferred/bright.frag"))?,
            blur_program: pass(include_str!("deferred/blur.frag"))?,
            tone_program: pass(include_str!("deferred/tone.frag"))?,
            shadow: Target::new(gl, SHADOW_MAP, &[], true)?,
            surfaces: Target::new(gl, stage.size, &[gl::RGBA8, gl::RGBA16F, gl::RGBA16F], true)?,
            lit: Target::new(gl, stage.size, &[gl::RGBA16F], false)?,
            bloom: [Target::new(gl, half, &[gl::RGBA16F], false)?, Target::new(gl, half, &[gl::RGBA16F], false)?],
            nothing: gl.vertex_array(),
        };
        gl.BindTexture(gl::TEXTURE_2D, scene.shadow.depth);
        for (what, value) in [
            (gl::TEXTURE_COMPARE_MODE, gl::COMPARE_REF_TO_TEXTURE),
            (gl::TEXTURE_COMPARE_FUNC, gl::LEQUAL),
            (gl::TEXTURE_MIN_FILTER, gl::LINEAR),
            (gl::TEXTURE_MAG_FILTER, gl::LINEAR),
        ] {
            gl.TexParameteri(gl::TEXTURE_2D, what, value.cast_signed());
        }
        gl.Enable(gl::CULL_FACE);
        Ok(scene)
    }

    fn draw(&self, stage: &Stage, frame: u32) {
        let gl = &stage.gl;
        let time = frame as f32 * 0.06;
        let objects = objects(time);
        let sun = Mat4::orthographic(11., 1., 40.) * Mat4::look_at(normalize(SUN).map(|c| c * 18.), [0., 0., 0.]);
        let angle = 0.3 + time * 0.3;
        let eye = [angle.sin() * 11., 4.6, angle.cos() * 11.];
        let aspect = stage.size.width as f32 / stage.size.height as f32;
        let camera = Mat4::perspective(0.75, aspect, 0.5, 60.) * Mat4::look_at(eye, [0., 1.5, 0.]);

        self.shadow.bind(gl);
        gl.Enable(gl::DEPTH_TEST);
        gl.Enable(gl::POLYGON_OFFSET_FILL);
        gl.PolygonOffset(1.5, 2.);
        gl.Clear(gl::DEPTH_BUFFER_BIT);
        gl.UseProgram(self.shadow_program);
        gl.uniform_matrix(gl.uniform(self.shadow_program, c"sun"), &sun.0);
        for object in &objects {
            gl.uniform_matrix(gl.uniform(self.shadow_program, c"model"), &object.model.0);
            self.meshes[object.mesh].draw(gl);
        }
        gl.Disable(gl::POLYGON_OFFSET_FILL);

        self.surfaces.bind(gl);
        gl.ClearColor(0., 0., 0., 0.);
        gl.Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT);
        gl.UseProgram(self.surface_program);
        let at = |name: &CStr| gl.uniform(self.surface_program, name);
        gl.uniform_matrix(at(c"camera"), &camera.0);
        for object in &objects {
            gl.uniform_matrix(at(c"model"), &object.model.0);
            gl.uniform_vectors(at(c"albedo"), &[object.albedo]);
            gl.uniform_vectors(at(c"emission"), &[object.emission]);
            gl.Uniform1f(at(c"roughness"), object.roughness);
            gl.Uniform1f(at(c"tiles"), object.tiles);
            self.meshes[object.mesh].draw(gl);
        }
        gl.Disable(gl::DEPTH_TEST);
        gl.BindVertexArray(self.nothing);

        self.light(gl, camera, sun, eye, time);
        self.bloom(gl);

        gl.BindFramebuffer(gl::FRAMEBUFFER, 0);
        gl.Viewport(0, 0, stage.size.width, stage.size.height);
        gl.UseProgram(self.tone_program);
        sample(gl, self.tone_program, c"image", 0, self.lit.colors[0]);
        sample(gl, self.tone_program, c"bloom", 1, self.bloom[0].colors[0]);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
    }

    fn light(&self, gl: &Gl, camera: Mat4, sun: Mat4, eye: Vec3, time: f32) {
        let program = self.light_program;
        self.lit.bind(gl);
        gl.UseProgram(program);
        sample(gl, program, c"material", 0, self.surfaces.colors[0]);
        sample(gl, program, c"direction", 1, self.surfaces.colors[1]);
        sample(gl, program, c"glow", 2, self.surfaces.colors[2]);
        sample(gl, program, c"depth", 3, self.surfaces.depth);
        sample(gl, program, c"shadow", 4, self.shadow.depth);
        gl.uniform_matrix(gl.uniform(program, c"screen_to_world"), &camera.inverse().0);
        gl.uniform_matrix(gl.uniform(program, c"world_to_shadow"), &sun.0);
        gl.uniform_vectors(gl.uniform(program, c"eye"), &[eye]);
        gl.uniform_vectors(gl.uniform(program, c"sun_direction"), &[normalize(SUN)]);
        gl.uniform_vectors(gl.uniform(program, c"lamp_positions"), &lamps(time));
        gl.uniform_vectors(gl.uniform(program, c"lamp_colors"), &LAMP_COLORS);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
    }

    /// Extracts bright parts at half the size, and blurs them along rows and along columns.
    fn bloom(&self, gl: &Gl) {
        let [first, second] = &self.bloom;
        first.bind(gl);
        gl.UseProgram(self.bright_program);
        sample(gl, self.bright_program, c"image", 0, self.lit.colors[0]);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
        gl.UseProgram(self.blur_program);
        let stride = gl.uniform(self.blur_program, c"stride");
        for (from, to, x, y) in [(first, second, 1., 0.), (second, first, 0., 1.)] {
            to.bind(gl);
            sample(gl, self.blur_program, c"image", 0, from.colors[0]);
            gl.Uniform2f(stride, x / from.size.width as f32, y / from.size.height as f32);
            gl.DrawArrays(gl::TRIANGLES, 0, 3);
        }
    }
}

fn lamps(time: f32) -> [Vec3; 4] {
    std::array::from_fn(|i| {
        let angle = time + i as f32 * std::f32::consts::FRAC_PI_2 + 0.6;
        [angle.cos() * 3.1, 0.75, angle.sin() * 3.1]
    })
}

fn objects(time: f32) -> Vec<Object> {
    let object =
        |mesh, model, albedo, roughness| Object { mesh, model, albedo, roughness, emission: [0.; 3], tiles: 0. };
    let at = |x, y, z| Mat4::translate([x, y, z]);
    let mut objects = vec![
        Object { tiles: 14., ..object(0, Mat4::IDENTITY, [0.42, 0.38, 0.34], 0.55) },
        // The pedestal and the pearl on it.
        object(1, at(0., 0.5, 0.) * Mat4::scale([0.9, 0.5, 0.9]), [0.35, 0.33, 0.36], 0.7),
        object(1, at(0., 1.06, 0.) * Mat4::scale([1.05, 0.06, 1.05]), [0.75, 0.7, 0.6], 0.4),
        object(2, at(0., 2.12, 0.), [0.85, 0.82, 0.8], 0.15),
        // A ring around it.
        object(
            3,
            at(0., 2.12, 0.)
                * Mat4::rotate(time, [0., 1., 0.])
                * Mat4::rotate(1.15, [1., 0., 0.])
                * Mat4::scale([1.75, 1.75, 0.5]),
            [0.95, 0.66, 0.2],
            0.25,
        ),
    ];
    for i in 0..8u8 {
        let angle = f32::from(i) * std::f32::consts::FRAC_PI_4;
        let (x, z) = (angle.cos() * 5.2, angle.sin() * 5.2);
        let height = if i % 2 == 0 { 1.7 } else { 1.1 };
        objects.push(object(1, at(x, height, z) * Mat4::scale([0.38, height, 0.38]), [0.48, 0.46, 0.47], 0.8));
        let colors = [[0.8, 0.15, 0.12], [0.12, 0.35, 0.75], [0.15, 0.6, 0.25], [0.8, 0.6, 0.1]];
        objects.push(object(4, at(x, height * 2. + 0.42, z) * Mat4::scale([0.42; 3]), colors[usize::from(i % 4)], 0.2));
    }
    for (position, color) in lamps(time).into_iter().zip(LAMP_COLORS) {
        let model = Mat4::translate(position) * Mat4::scale([0.13; 3]);
        objects.push(Object { emission: color.map(|c| c * 2.5), ..object(4, model, [0.; 3], 1.) });
    }
    objects
}
