//! OpenGL ES 2.0: a cube textured with a rendered scene; vertices from buffers and from client memory; a mirror made
//! with the stencil buffer.
#![allow(unsafe_code, reason = "GL reads vertices from this program's memory")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]

use std::process::ExitCode;

use clap::Parser;
use demos::math::Mat4;
use demos::mesh::{Mesh, Uploaded};
use demos::options::Size;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Draws an OpenGL ES 2.0 scene: render to texture, a mirror in the stencil buffer, vertices in client memory.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// Draw the insides of things, too: nothing is culled.
    #[arg(long)]
    insides: bool,
}

/// The first frame in which a window is larger.
const RESIZED: u32 = 3;

/// The side of the render texture.
const SIDE: i32 = 128;

struct Scene {
    lit: u32,
    flat: u32,
    cube: Uploaded,
    torus: Uploaded,
    floor: Uploaded,
    checker: u32,
    inside: u32,
    framebuffer: u32,
    culls: bool,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("gles2", ContextKind::Es(2, 0), &cli.options, |stage| {
        let scene = Scene { culls: !cli.insides, ..Scene::new(&stage.gl)? };
        Ok(move |stage: &Stage, frame| {
            scene.draw(stage, frame);
            Ok(())
        })
    })
}

impl Scene {
    fn new(gl: &Gl) -> anyhow::Result<Scene> {
        let sources = (include_str!("gles2/scene.vert"), include_str!("gles2/scene.frag"));
        let flat_sources = (include_str!("gles2/flat.vert"), include_str!("gles2/flat.frag"));
        let checker = checker(gl);
        let inside = gl.texture();
        gl.BindTexture(gl::TEXTURE_2D, inside);
        gl.tex_image::<u8>(gl::TEXTURE_2D, 0, gl::RGBA, (SIDE, SIDE), (gl::RGBA, gl::UNSIGNED_BYTE), None);
        gl.TexParameteri(gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::LINEAR_MIPMAP_LINEAR.cast_signed());
        let framebuffer = gl.framebuffer();
        gl.BindFramebuffer(gl::FRAMEBUFFER, framebuffer);
        gl.FramebufferTexture2D(gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, inside, 0);
        let depth = gl.renderbuffer();
        gl.BindRenderbuffer(gl::RENDERBUFFER, depth);
        gl.RenderbufferStorage(gl::RENDERBUFFER, gl::DEPTH_COMPONENT16, SIDE, SIDE);
        gl.FramebufferRenderbuffer(gl::FRAMEBUFFER, gl::DEPTH_ATTACHMENT, gl::RENDERBUFFER, depth);
        let status = gl.CheckFramebufferStatus(gl::FRAMEBUFFER);
        anyhow::ensure!(status == gl::FRAMEBUFFER_COMPLETE, "the driver cannot render to a texture (0x{status:04x})");
        Ok(Scene {
            lit: program::link(gl, sources.0, sources.1, &["position", "normal", "uv"])?,
            flat: program::link(gl, flat_sources.0, flat_sources.1, &["position", "color"])?,
            cube: Mesh::cube().upload(gl, true),
            torus: Mesh::torus(40, 16, 1., 0.4).upload(gl, true),
            floor: Mesh::plane(2.6, 4.).upload(gl, true),
            checker,
            inside,
            framebuffer,
            culls: true,
        })
    }

    fn draw(&self, stage: &Stage, frame: u32) {
        let gl = &stage.gl;
        let time = frame as f32 * 0.11;
        if self.culls {
            gl.Enable(gl::CULL_FACE);
        }
        // The scene on the cube's sides.
        gl.BindFramebuffer(gl::FRAMEBUFFER, self.framebuffer);
        gl.Viewport(0, 0, SIDE, SIDE);
        gl.ClearColor(0.95, 0.75, 0.3, 1.);
        gl.Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT);
        gl.Enable(gl::DEPTH_TEST);
        let small = Mat4::perspective(0.8, 1., 0.5, 20.) * Mat4::look_at([0., 0., 4.4], [0.; 3]);
        let turn = Mat4::rotate(time * 2. + 0.5, [0.6, 0.8, 0.]);
        self.thing(gl, &self.torus, small, turn, self.checker, ([6., 2.], [0.9, 0.35, 0.25]));
        gl.BindTexture(gl::TEXTURE_2D, self.inside);
        gl.GenerateMipmap(gl::TEXTURE_2D);

        gl.BindFramebuffer(gl::FRAMEBUFFER, 0);
        // As a user does who drags its edge: in the middle of one frame, a window becomes larger.
        let mut size = stage.size;
        if let Some(window) = stage.window().filter(|_| frame >= RESIZED) {
            size = Size { width: size.width + 32, height: size.height + 16 };
            if frame == RESIZED {
                window.resize(size);
            }
        }
        gl.Viewport(0, 0, size.width, size.height);
        gl.ClearColor(0., 0., 0., 1.);
        gl.Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT);
        self.sky(gl);
        let aspect = size.width as f32 / size.height as f32;
        let camera = Mat4::perspective(0.7, aspect, 0.5, 40.) * Mat4::look_at([2.5, 3.1, 6.2], [0., 0.9, 0.]);
        let cube = Mat4::translate([0., 1.5, 0.]) * Mat4::rotate(time + 0.3, [0., 1., 0.]);
        // The floor marks the mirror in the stencil buffer; the mirrored cube is drawn only there, and the floor over
        // it.
        gl.Enable(gl::STENCIL_TEST);
        gl.StencilFunc(gl::ALWAYS, 1, 0xff);
        gl.StencilOp(gl::KEEP, gl::KEEP, gl::REPLACE);
        gl.ColorMask(0, 0, 0, 0);
        gl.DepthMask(0);
        self.thing(gl, &self.floor, camera, Mat4::IDENTITY, self.checker, ([1., 1.], [1.; 3]));
        gl.ColorMask(1, 1, 1, 1);
        gl.DepthMask(1);
        gl.StencilFunc(gl::EQUAL, 1, 0xff);
        gl.StencilOp(gl::KEEP, gl::KEEP, gl::KEEP);
        gl.CullFace(gl::FRONT);
        let mirrored = Mat4::scale([1., -1., 1.]) * cube;
        self.thing(gl, &self.cube, camera, mirrored, self.inside, ([1., 1.], [0.45, 0.5, 0.6]));
        gl.CullFace(gl::BACK);
        gl.Disable(gl::STENCIL_TEST);
        gl.Enable(gl::BLEND);
        gl.BlendFunc(gl::ONE, gl::ONE);
        self.thing(gl, &self.floor, camera, Mat4::IDENTITY, self.checker, ([1., 1.], [0.3, 0.33, 0.42]));
        gl.Disable(gl::BLEND);
        self.thing(gl, &self.cube, camera, cube, self.inside, ([1., 1.], [1.; 3]));
    }

    fn thing(&self, gl: &Gl, mesh: &Uploaded, camera: Mat4, model: Mat4, texture: u32, look: ([f32; 2], [f32; 3])) {
        let ([s, t], [r, g, b]) = look;
        gl.UseProgram(self.lit);
        gl.uniform_matrix(gl.uniform(self.lit, c"camera"), &camera.0);
        gl.uniform_matrix(gl.uniform(self.lit, c"model"), &model.0);
        gl.Uniform2f(gl.uniform(self.lit, c"repeat"), s, t);
        gl.Uniform3f(gl.uniform(self.lit, c"tint"), r, g, b);
        gl.Uniform1i(gl.uniform(self.lit, c"image"), 0);
        gl.ActiveTexture(gl::TEXTURE0);
        gl.BindTexture(gl::TEXTURE_2D, texture);
        mesh.draw(gl);
    }

    /// Draws four vertices from this function's own memory: two position and four colour components each.
    fn sky(&self, gl: &Gl) {
        #[rustfmt::skip]
        let corners: [f32; 24] = [
            -1., -1., 0.16, 0.17, 0.24, 1.,
             1., -1., 0.16, 0.17, 0.24, 1.,
            -1.,  1., 0.45, 0.60, 0.78, 1.,
             1.,  1., 0.35, 0.45, 0.70, 1.,
        ];
        gl.UseProgram(self.flat);
        gl.Disable(gl::DEPTH_TEST);
        gl.BindBuffer(gl::ARRAY_BUFFER, 0);
        // SAFETY: no buffer is bound; the four corners outlive the draw below, the only one before arrays change.
        unsafe { gl.client_array(0, 2, 24, &corners) };
        // SAFETY: as above; the colour of the last corner ends where the array does.
        unsafe { gl.client_array(1, 4, 24, &corners[2..]) };
        gl.DisableVertexAttribArray(2);
        gl.DrawArrays(gl::TRIANGLE_STRIP, 0, 4);
        gl.DisableVertexAttribArray(0);
        gl.DisableVertexAttribArray(1);
        gl.Enable(gl::DEPTH_TEST);
    }
}

/// Creates a checkerboard with a brick in its middle, uploaded in two pieces.
fn checker(gl: &Gl) -> u32 {
    let texture = gl.texture();
    gl.BindTexture(gl::TEXTURE_2D, texture);
    let board: Vec<u8> = (0..32 * 32)
        .flat_map(|i| if (i / 32 / 8 + i % 32 / 8) % 2 == 0 { [235, 235, 240, 255] } else { [120, 125, 150, 255] })
        .collect();
    gl.tex_image(gl::TEXTURE_2D, 0, gl::RGBA, (32, 32), (gl::RGBA, gl::UNSIGNED_BYTE), Some(&board));
    let brick: Vec<u8> = (0..5u8 * 6).flat_map(|i| [200, 90 + i, 60, 255]).collect();
    gl.tex_sub_image(gl::TEXTURE_2D, 0, (13, 13), (5, 6), (gl::RGBA, gl::UNSIGNED_BYTE), &brick);
    gl.GenerateMipmap(gl::TEXTURE_2D);
    gl.TexParameteri(gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::LINEAR_MIPMAP_LINEAR.cast_signed());
    texture
}
