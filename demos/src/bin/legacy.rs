//! OpenGL before shaders: immediate mode, nested display lists, client arrays, lights, fog, textures, evaluators,
//! stipple, bitmaps.
#![allow(unsafe_code, reason = "GL reads arrays from this program's memory")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]

use std::f32::consts::TAU;
use std::process::ExitCode;

use clap::Parser;
use demos::mesh::{Mesh, STRIDE};
use demos::{ContextKind, Gl, Options, Stage, gl, play};

/// Draws a fixed-function OpenGL scene: immediate mode, display lists, client arrays, lights, fog, textures.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

/// Numbers of the display lists, relative to the base.
const COLUMN: u32 = 0;
const RING: u32 = 1;
const TEMPLE: u32 = 2;
const LISTS: u32 = 3;

const COLUMNS: u8 = 10;
/// The letter A: eight rows of eight bits, the lowest row first.
const LETTER: [u8; 8] = [0x66, 0x66, 0x66, 0x7e, 0x66, 0x66, 0x3c, 0x18];

struct Scene {
    lists: u32,
    marble: u32,
    metal: u32,
    vase: Mesh,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("legacy", ContextKind::Compatibility(2, 1), &cli.options, |stage| {
        let scene = Scene::new(&stage.gl);
        Ok(move |stage: &Stage, frame| {
            scene.draw(stage, frame);
            Ok(())
        })
    })
}

impl Scene {
    fn new(gl: &Gl) -> Scene {
        let marble = texture(gl, |x, y| {
            let vein = ((x as f32 * 0.2 + (y as f32 * 0.35).sin() * 2.).sin() * 0.5 + 0.5).powi(4);
            [230 - (vein * 90.) as u8, 225 - (vein * 95.) as u8, 215 - (vein * 80.) as u8]
        });
        let metal = texture(gl, |x, y| {
            let light = (y as f32 / 64. * 200.) as u8;
            if (x / 8 + y / 8) % 2 == 0 { [light, light / 2 + 40, 40] } else { [light / 2 + 50, light / 3 + 30, 30] }
        });
        let lists = gl.GenLists(LISTS as i32);
        gl.NewList(lists + COLUMN, gl::COMPILE);
        column(gl);
        gl.EndList();
        gl.NewList(lists + RING, gl::COMPILE);
        ring(gl);
        gl.EndList();
        // A list that calls lists: the temple is a circle of columns.
        gl.NewList(lists + TEMPLE, gl::COMPILE);
        for i in 0..COLUMNS {
            gl.PushMatrix();
            gl.Rotatef(f32::from(i) * 360. / f32::from(COLUMNS), 0., 1., 0.);
            gl.Translatef(3., 0., 0.);
            gl.CallList(lists + COLUMN);
            gl.PopMatrix();
        }
        gl.EndList();
        Scene { lists, marble, metal, vase: Mesh::sphere(20, 14) }
    }

    fn draw(&self, stage: &Stage, frame: u32) {
        let gl = &stage.gl;
        let haze = [0.55, 0.65, 0.75, 1.];
        gl.Viewport(0, 0, stage.size.width, stage.size.height);
        gl.ClearColor(haze[0], haze[1], haze[2], 1.);
        gl.Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT);
        gl.Enable(gl::DEPTH_TEST);
        gl.MatrixMode(gl::PROJECTION);
        gl.LoadIdentity();
        let aspect = f64::from(stage.size.width) / f64::from(stage.size.height);
        gl.Frustum(-0.4 * aspect, 0.4 * aspect, -0.4, 0.4, 1., 40.);
        gl.MatrixMode(gl::MODELVIEW);
        gl.LoadIdentity();
        gl.Translatef(0., -0.9, -8.5);
        gl.Rotatef(18., 1., 0., 0.);
        gl.Rotatef(frame as f32 * 3. + 9., 0., 1., 0.);
        lights(gl);
        gl.Enable(gl::FOG);
        gl.Fogi(gl::FOG_MODE, gl::EXP2.cast_signed());
        gl.Fogf(gl::FOG_DENSITY, 0.065);
        // SAFETY: a fog colour is four numbers.
        unsafe { gl.Fogfv(gl::FOG_COLOR, haze.as_ptr()) };

        floor(gl);
        gl.Enable(gl::TEXTURE_2D);
        gl.BindTexture(gl::TEXTURE_2D, self.marble);
        gl.TexEnvi(gl::TEXTURE_ENV, gl::TEXTURE_ENV_MODE, gl::MODULATE.cast_signed());
        gl.Color3f(1., 1., 1.);
        gl.CallList(self.lists + TEMPLE);
        gl.Disable(gl::TEXTURE_2D);

        gl.PushMatrix();
        gl.Translatef(0., 1.7, 0.);
        gl.Rotatef(frame as f32 * 7., 0.3, 1., 0.);
        gl.Color3f(0.85, 0.25, 0.2);
        gl.ListBase(self.lists);
        let names = [RING as u8];
        // SAFETY: one name of one byte is passed.
        unsafe { gl.CallLists(1, gl::UNSIGNED_BYTE, names.as_ptr().cast()) };
        gl.PopMatrix();
        self.vase(gl);
        cloth(gl, frame);
        overlay(gl, frame);
    }

    /// Draws a shiny vase: vertices and indices from client memory, a reflection by generated coordinates.
    fn vase(&self, gl: &Gl) {
        gl.PushMatrix();
        gl.PushAttrib(gl::ENABLE_BIT | gl::CURRENT_BIT);
        gl.Translatef(0., 0.62, 0.);
        gl.Scalef(0.5, 0.62, 0.5);
        gl.Color3f(1., 1., 1.);
        gl.Enable(gl::TEXTURE_2D);
        gl.BindTexture(gl::TEXTURE_2D, self.metal);
        for (coordinate, enable) in [(gl::S, gl::TEXTURE_GEN_S), (gl::T, gl::TEXTURE_GEN_T)] {
            gl.TexGeni(coordinate, gl::TEXTURE_GEN_MODE, gl::SPHERE_MAP.cast_signed());
            gl.Enable(enable);
        }
        gl.EnableClientState(gl::VERTEX_ARRAY);
        gl.EnableClientState(gl::NORMAL_ARRAY);
        let stride = (STRIDE * 4) as i32;
        let vertices: *const f32 = self.vase.vertices.as_ptr();
        // SAFETY: the mesh lives as long as the scene, and the arrays are disabled again at the end of this function.
        unsafe { gl.VertexPointer(3, gl::FLOAT, stride, vertices.cast()) };
        let normals = vertices.wrapping_add(3);
        // SAFETY: as above; a normal begins three numbers into each vertex.
        unsafe { gl.NormalPointer(gl::FLOAT, stride, normals.cast()) };
        let indices = &self.vase.indices;
        // SAFETY: no element buffer exists; count and pointer are of one slice, whose values are vertices of the mesh.
        unsafe {
            gl.DrawElements(gl::TRIANGLES, indices.len() as i32, gl::UNSIGNED_SHORT, indices.as_ptr().cast());
        };
        gl.DisableClientState(gl::VERTEX_ARRAY);
        gl.DisableClientState(gl::NORMAL_ARRAY);
        gl.PopAttrib();
        gl.PopMatrix();
    }
}

/// Draws one column: a round shaft in immediate mode, with a plate below and above.
fn column(gl: &Gl) {
    gl.Begin(gl::QUAD_STRIP);
    for i in 0..=12u8 {
        let turn = f32::from(i) / 12.;
        let (sin, cos) = (turn * TAU).sin_cos();
        gl.Normal3f(cos, 0., sin);
        gl.TexCoord2f(turn * 2., 2.);
        gl.Vertex3f(cos * 0.2, 2.2, sin * 0.2);
        gl.TexCoord2f(turn * 2., 0.);
        gl.Vertex3f(cos * 0.26, 0., sin * 0.26);
    }
    gl.End();
    for height in [2.2, 0.12] {
        gl.Begin(gl::POLYGON);
        gl.Normal3f(0., 1., 0.);
        for i in 0..8u8 {
            let (sin, cos) = (f32::from(i) / 8. * TAU).sin_cos();
            gl.TexCoord2f(cos * 0.5 + 0.5, sin * 0.5 + 0.5);
            gl.Vertex3f(cos * 0.36, height, -sin * 0.36);
        }
        gl.End();
    }
}

fn ring(gl: &Gl) {
    let (around, across) = (32u8, 12u8);
    for i in 0..around {
        gl.Begin(gl::TRIANGLE_STRIP);
        for j in 0..=across {
            for side in [i + 1, i] {
                let (s, c) = (f32::from(side) / f32::from(around) * TAU).sin_cos();
                let (sin, cos) = (f32::from(j) / f32::from(across) * TAU).sin_cos();
                gl.Normal3f(c * cos, sin, s * cos);
                gl.Vertex3f(c * (0.8 + 0.16 * cos), 0.16 * sin, s * (0.8 + 0.16 * cos));
            }
        }
        gl.End();
    }
}

fn lights(gl: &Gl) {
    gl.Enable(gl::LIGHTING);
    gl.Enable(gl::NORMALIZE);
    gl.Enable(gl::COLOR_MATERIAL);
    gl.ColorMaterial(gl::FRONT_AND_BACK, gl::AMBIENT_AND_DIFFUSE);
    gl.ShadeModel(gl::SMOOTH);
    let values = [
        (gl::LIGHT0, gl::POSITION, [0.5f32, 0.8, 0.4, 0.]),
        (gl::LIGHT0, gl::DIFFUSE, [0.9, 0.85, 0.7, 1.]),
        (gl::LIGHT1, gl::POSITION, [-2., 1.2, 1.5, 1.]),
        (gl::LIGHT1, gl::DIFFUSE, [0.2, 0.3, 0.6, 1.]),
        (gl::LIGHT1, gl::SPECULAR, [0.8, 0.8, 1., 1.]),
    ];
    for (light, what, value) in &values {
        gl.Enable(*light);
        // SAFETY: positions and colours of lights are four numbers.
        unsafe { gl.Lightfv(*light, *what, value.as_ptr()) };
    }
    let (ambient, shine) = ([0.25f32, 0.25, 0.3, 1.], [0.7f32, 0.7, 0.7, 1.]);
    // SAFETY: the scene's ambient light is four numbers.
    unsafe { gl.LightModelfv(gl::LIGHT_MODEL_AMBIENT, ambient.as_ptr()) };
    // SAFETY: a material's specular colour is four numbers.
    unsafe { gl.Materialfv(gl::FRONT_AND_BACK, gl::SPECULAR, shine.as_ptr()) };
    gl.Materialf(gl::FRONT_AND_BACK, gl::SHININESS, 40.);
}

/// Draws tiles, in immediate mode.
fn floor(gl: &Gl) {
    gl.Begin(gl::QUADS);
    gl.Normal3f(0., 1., 0.);
    for z in -8..8i8 {
        for x in -8..8i8 {
            if (x + z) % 2 == 0 {
                gl.Color3f(0.75, 0.72, 0.65);
            } else {
                gl.Color3f(0.4, 0.38, 0.42);
            }
            let (x, z) = (f32::from(x), f32::from(z));
            gl.Vertex3f(x, 0., z);
            gl.Vertex3f(x, 0., z + 1.);
            gl.Vertex3f(x + 1., 0., z + 1.);
            gl.Vertex3f(x + 1., 0., z);
        }
    }
    gl.End();
}

/// Draws a waving cloth: GL evaluates the surface between sixteen points.
fn cloth(gl: &Gl, frame: u32) {
    let mut points = [0f32; 48];
    for (i, point) in points.chunks_exact_mut(3).enumerate() {
        let (column, row) = ((i % 4) as f32, (i / 4) as f32);
        let wave = (column * 1.7 + frame as f32 * 0.5).sin() * 0.22 * column;
        point.copy_from_slice(&[column * 0.55, 2.6 - row * 0.3, wave]);
    }
    gl.PushAttrib(gl::ENABLE_BIT);
    gl.PushMatrix();
    gl.Translatef(-0.4, 0.55, 0.);
    gl.Enable(gl::MAP2_VERTEX_3);
    gl.Enable(gl::AUTO_NORMAL);
    // SAFETY: the map is 4 by 4 points of three numbers, which is what the array has.
    unsafe { gl.Map2f(gl::MAP2_VERTEX_3, 0., 1., 3, 4, 0., 1., 12, 4, points.as_ptr()) };
    gl.MapGrid2f(16, 0., 1., 10, 0., 1.);
    gl.Color3f(0.2, 0.45, 0.8);
    gl.EvalMesh2(gl::FILL, 0, 16, 0, 10);
    gl.PopMatrix();
    gl.PopAttrib();
}

/// Draws a frame, a dotted line and letters in front of everything, in pixel coordinates.
fn overlay(gl: &Gl, frame: u32) {
    gl.PushAttrib(gl::ENABLE_BIT);
    gl.MatrixMode(gl::PROJECTION);
    gl.PushMatrix();
    gl.LoadIdentity();
    gl.Ortho(0., 200., 0., 100., -1., 1.);
    gl.MatrixMode(gl::MODELVIEW);
    gl.PushMatrix();
    gl.LoadIdentity();
    for off in [gl::DEPTH_TEST, gl::LIGHTING, gl::FOG] {
        gl.Disable(off);
    }
    let hatch: Vec<u8> = (0..128usize).map(|i| if i / 4 % 2 == 0 { 0xcc } else { 0x33 }).collect();
    gl.Enable(gl::POLYGON_STIPPLE);
    // SAFETY: a stipple pattern is 32 times 32 bits.
    unsafe { gl.PolygonStipple(hatch.as_ptr()) };
    // Colours and positions interleaved: four bytes and two numbers each.
    let mut bar = Vec::new();
    for [x, y] in [[4f32, 4.], [60., 4.], [60., 14.], [4., 14.]] {
        bar.extend([20, 24, 40, 255]);
        bar.extend(x.to_ne_bytes());
        bar.extend(y.to_ne_bytes());
    }
    // SAFETY: four vertices in the named format; the arrays are disabled again before `bar` is dropped.
    unsafe { gl.InterleavedArrays(gl::C4UB_V2F, 0, bar.as_ptr().cast()) };
    gl.DrawArrays(gl::TRIANGLE_FAN, 0, 4);
    gl.DisableClientState(gl::COLOR_ARRAY);
    gl.DisableClientState(gl::VERTEX_ARRAY);
    gl.Disable(gl::POLYGON_STIPPLE);
    gl.Enable(gl::LINE_STIPPLE);
    gl.LineStipple(1, 0x0f0f);
    gl.Color3f(1., 1., 0.6);
    gl.Begin(gl::LINE_LOOP);
    for [x, y] in [[4., 4.], [60., 4.], [60., 14.], [4., 14.]] {
        gl.Vertex2f(x, y);
    }
    gl.End();
    gl.Color3f(1., 1., 1.);
    gl.RasterPos2f(8., 7.);
    gl.PixelStorei(gl::UNPACK_ALIGNMENT, 1);
    for _ in 0..=frame % 8 {
        // SAFETY: eight rows of one byte each.
        unsafe { gl.Bitmap(8, 8, 0., 0., 12., 0., LETTER.as_ptr()) };
    }
    gl.RasterPos2f(180., 4.);
    gl.PixelZoom(3., 3.);
    let swatch: Vec<u8> = (0..64u8).flat_map(|i| [i % 8 * 36, i / 8 * 36, 128]).collect();
    // SAFETY: eight rows of eight pixels of three bytes, without padding.
    unsafe { gl.DrawPixels(8, 8, gl::RGB, gl::UNSIGNED_BYTE, swatch.as_ptr().cast()) };
    gl.PopMatrix();
    gl.MatrixMode(gl::PROJECTION);
    gl.PopMatrix();
    gl.MatrixMode(gl::MODELVIEW);
    gl.PopAttrib();
}

/// Creates a texture of 64 by 64 pixels.
fn texture(gl: &Gl, pixel: impl Fn(u8, u8) -> [u8; 3]) -> u32 {
    let texture = gl.texture();
    gl.BindTexture(gl::TEXTURE_2D, texture);
    let pixels: Vec<u8> =
        (0..64u8).flat_map(|y| (0..64u8).map(move |x| (x, y))).flat_map(|(x, y)| pixel(x, y)).collect();
    gl.tex_image(gl::TEXTURE_2D, 0, gl::RGB, (64, 64), (gl::RGB, gl::UNSIGNED_BYTE), Some(&pixels));
    gl.TexParameteri(gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::LINEAR.cast_signed());
    texture
}
