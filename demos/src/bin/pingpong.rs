//! A reaction-diffusion simulation: seventeen passes per frame, each reading the output of the previous one.
//!
//! Eight reaction steps alternate between two textures; eight passes blur the result, alternating between two more; the
//! last shows both. The producer of a pixel is determined by time, not by the texture alone.

use std::process::ExitCode;

use clap::Parser;
use demos::options::Size;
use demos::target::{Target, sample};
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Draws a reaction-diffusion simulation in 17 passes per frame, alternating between textures.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// Number of steps before the first frame; the pattern needs some thousand to fill the image.
    #[arg(long, value_name = "N", default_value_t = 160)]
    warm_up: u32,
}

const REACTIONS: usize = 8;
const BLURS: usize = 4;

struct Chain {
    react: u32,
    blur: u32,
    show: u32,
    substances: [Target; 2],
    soft: [Target; 2],
    /// Index of the current state in `substances`.
    now: usize,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("pingpong", ContextKind::Core(3, 3), &cli.options, |stage| {
        let mut chain = Chain::new(stage)?;
        for _ in 0..cli.warm_up {
            chain.react(&stage.gl);
        }
        Ok(move |stage: &Stage, _| {
            chain.draw(stage);
            Ok(())
        })
    })
}

impl Chain {
    fn new(stage: &Stage) -> anyhow::Result<Chain> {
        let gl = &stage.gl;
        let pass = |fragment| program::link(gl, include_str!("pingpong/screen.vert"), fragment, &[]);
        let size = Size { width: (stage.size.width + 1) / 2, height: (stage.size.height + 1) / 2 };
        let precise = || Target::new(gl, size, &[gl::RG32F], false);
        let rough = || Target::new(gl, size, &[gl::RG16F], false);
        let seed = pass(include_str!("pingpong/seed.frag"))?;
        let chain = Chain {
            react: pass(include_str!("pingpong/react.frag"))?,
            blur: pass(include_str!("pingpong/blur.frag"))?,
            show: pass(include_str!("pingpong/show.frag"))?,
            substances: [precise()?, precise()?],
            soft: [rough()?, rough()?],
            now: 0,
        };
        gl.BindVertexArray(gl.vertex_array());
        chain.substances[0].bind(gl);
        gl.UseProgram(seed);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
        Ok(chain)
    }

    fn draw(&mut self, stage: &Stage) {
        let gl = &stage.gl;
        for _ in 0..REACTIONS {
            self.react(gl);
        }
        let mut from = &self.substances[self.now];
        let [first, second] = &self.soft;
        gl.UseProgram(self.blur);
        let stride = gl.uniform(self.blur, c"stride");
        let (x, y) = (1. / from.size.width as f32, 1. / from.size.height as f32);
        for _ in 0..BLURS {
            for (to, x, y) in [(first, x, 0.), (second, 0., y)] {
                to.bind(gl);
                sample(gl, self.blur, c"before", 0, from.colors[0]);
                gl.Uniform2f(stride, x, y);
                gl.DrawArrays(gl::TRIANGLES, 0, 3);
                from = to;
            }
        }
        gl.BindFramebuffer(gl::FRAMEBUFFER, 0);
        gl.Viewport(0, 0, stage.size.width, stage.size.height);
        gl.UseProgram(self.show);
        sample(gl, self.show, c"sharp", 0, self.substances[self.now].colors[0]);
        sample(gl, self.show, c"soft", 1, from.colors[0]);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
    }

    fn react(&mut self, gl: &Gl) {
        gl.UseProgram(self.react);
        sample(gl, self.react, c"before", 0, self.substances[self.now].colors[0]);
        self.now = 1 - self.now;
        self.substances[self.now].bind(gl);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
    }
}
