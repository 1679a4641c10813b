//! Frames that are drawn over without a clear of colours, as games draw them, and variants in which a frame really depends on
//! earlier ones.
//!
//! Each frame draws a background over everything, a moving blended triangle, and a mirror: an image that is drawn to a texture
//! in every seventh frame only. Tools that seek should find out which of the earlier draws the wanted frame needs.

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use demos::options::Size;
use demos::target::{Target, sample};
use demos::{ContextKind, Options, Stage, gl, play, program};

/// Draws over each frame without clearing its colours.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// What of earlier frames stays visible.
    #[arg(long, value_enum, default_value_t = Keep::Nothing)]
    keep: Keep,
}

/// What of earlier frames stays visible.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Keep {
    /// Nothing: the background covers everything.
    Nothing,
    /// A trail: the background is blended over the frame before.
    Trail,
    /// An average of all frames, in a texture: each frame is blended into it, and it tints the next one.
    Average,
    /// Depth: it is cleared in the first frame only, and nearer triangles come later.
    Depth,
}

/// The mirror is drawn in each frame with a multiple of this number.
const MIRRORED: u32 = 7;

struct Scene {
    program: u32,
    mirror: Target,
    average: Target,
    keep: Keep,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("repaint", ContextKind::Core(3, 3), &cli.options, |stage| {
        let scene = Scene::new(stage, cli.keep)?;
        Ok(move |stage: &Stage, frame| {
            scene.draw(stage, frame);
            Ok(())
        })
    })
}

impl Scene {
    fn new(stage: &Stage, keep: Keep) -> anyhow::Result<Scene> {
        let gl = &stage.gl;
        let size = Size { width: (stage.size.width + 1) / 2, height: (stage.size.height + 1) / 2 };
        let (vertex, fragment) = (include_str!("repaint/moved.vert"), include_str!("repaint/tinted.frag"));
        let scene = Scene {
            program: program::link(gl, vertex, fragment, &[])?,
            mirror: Target::new(gl, size, &[gl::RGBA8], false)?,
            average: Target::new(gl, Size { width: 4, height: 4 }, &[gl::RGBA32F], false)?,
            keep,
        };
        scene.average.bind(gl);
        gl.ClearColor(0.5, 0.5, 0.5, 1.);
        gl.Clear(gl::COLOR_BUFFER_BIT);
        gl.BindVertexArray(gl.vertex_array());
        gl.UseProgram(scene.program);
        sample(gl, scene.program, c"mirror", 0, scene.mirror.colors[0]);
        sample(gl, scene.program, c"average", 1, scene.average.colors[0]);
        gl.BlendFuncSeparate(gl::SRC_ALPHA, gl::ONE_MINUS_SRC_ALPHA, gl::ONE, gl::ONE_MINUS_SRC_ALPHA);
        Ok(scene)
    }

    fn draw(&self, stage: &Stage, frame: u32) {
        let gl = &stage.gl;
        let phase = frame as f32;
        // A sampler that the mirror is attached to must not read it, so while it is drawn, the average takes its place.
        gl.ActiveTexture(gl::TEXTURE0);
        gl.BindTexture(gl::TEXTURE_2D, self.average.colors[0]);
        if frame.is_multiple_of(MIRRORED) {
            self.mirror.bind(gl);
            self.triangle(stage, [phase * 0.7, 0., 1., 0.], 0);
        }
        gl.BindTexture(gl::TEXTURE_2D, self.mirror.colors[0]);
        if self.keep == Keep::Average && frame > 0 {
            self.average.bind(gl);
            gl.ActiveTexture(gl::TEXTURE0 + 1);
            gl.BindTexture(gl::TEXTURE_2D, self.mirror.colors[0]);
            gl.Enable(gl::BLEND);
            self.triangle(stage, [phase, 0.3, 0.25, 0.], 0);
            gl.Disable(gl::BLEND);
            gl.BindTexture(gl::TEXTURE_2D, self.average.colors[0]);
        }
        gl.BindFramebuffer(gl::FRAMEBUFFER, 0);
        gl.Viewport(0, 0, stage.size.width, stage.size.height);
        if self.keep != Keep::Depth || frame == 0 {
            gl.Clear(gl::DEPTH_BUFFER_BIT);
        }
        if self.keep == Keep::Trail {
            gl.Enable(gl::BLEND);
        }
        let tint = if self.keep == Keep::Average { 1. } else { 0. };
        let alpha = if self.keep == Keep::Trail { 0.3 } else { 1. };
        self.triangle(stage, [phase, 0., alpha, tint], 0);
        gl.Enable(gl::BLEND);
        gl.Enable(gl::DEPTH_TEST);
        gl.DepthFunc(gl::LEQUAL);
        // Where depth is kept, each triangle is nearer, and farther in its corners than those before.
        let depth = if self.keep == Keep::Depth { 0.9 - 0.002 * phase } else { 0.5 };
        self.triangle(stage, [phase, depth, 0.6, tint], 3);
        gl.Disable(gl::DEPTH_TEST);
        gl.Disable(gl::BLEND);
    }

    /// Draws a triangle: `first` is 0 for one that covers everything, 3 for one that moves.
    fn triangle(&self, stage: &Stage, [phase, depth, alpha, tint]: [f32; 4], first: i32) {
        let gl = &stage.gl;
        gl.Uniform4f(gl.uniform(self.program, c"look"), phase, depth, alpha, tint);
        gl.DrawArrays(gl::TRIANGLES, first, 3);
    }
}
