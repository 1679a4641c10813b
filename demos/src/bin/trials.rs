//! Difficult cases for a debugger: a shader with very many steps, an assembly program, shaders that only the driver
//! accepts, a draw call in which the driver crashes.
#![allow(unsafe_code, reason = "GL reads a program and an array from this program's memory")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]

use std::process::ExitCode;

use clap::Parser;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Draws a small square in the middle with a loop, and on request things that are difficult for debuggers.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// Number of iterations of the loop in the square's shader; an iteration is two steps.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(i32).range(0..))]
    rounds: i32,
    /// Also draw a square on the left with an assembly fragment program (GL_ARB_fragment_program).
    #[arg(long)]
    assembly: bool,
    /// Also draw a square on the right with GLSL 1.40 shaders that use removed features without declaring it: Mesa
    /// accepts them in a compatibility context, Afterimage rejects them.
    #[arg(long)]
    refused: bool,
    /// In the last frame, draw vertices from an unmapped address: the driver crashes, and so does this program.
    #[arg(long)]
    crash: bool,
}

/// Width and height of the square in pixels.
const SIDE: i32 = 4;

/// An address that is never mapped.
const NOWHERE: usize = 16;

/// The assembly program's name.
const ASSEMBLY: u32 = 1;

struct Trials {
    program: u32,
    rounds: i32,
    assembly: bool,
    /// The program that Afterimage rejects.
    refused: Option<u32>,
    /// The frame to crash in.
    last: Option<u32>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("trials", ContextKind::Compatibility(2, 1), &cli.options, |stage| {
        let trials = Trials::new(&stage.gl, &cli)?;
        Ok(move |stage: &Stage, frame| {
            trials.draw(stage, frame);
            Ok(())
        })
    })
}

impl Trials {
    fn new(gl: &Gl, cli: &Cli) -> anyhow::Result<Trials> {
        let program =
            program::link(gl, include_str!("trials/loop.vert"), include_str!("trials/loop.frag"), &["corner"])?;
        if cli.assembly {
            let text = include_str!("trials/assembly.txt");
            gl.BindProgramARB(gl::FRAGMENT_PROGRAM_ARB, ASSEMBLY);
            let length = i32::try_from(text.len())?;
            // SAFETY: the string has that length.
            unsafe {
                gl.ProgramStringARB(
                    gl::FRAGMENT_PROGRAM_ARB,
                    gl::PROGRAM_FORMAT_ASCII_ARB,
                    length,
                    text.as_ptr().cast(),
                )
            };
        }
        let texts = (include_str!("trials/refused.vert"), include_str!("trials/refused.frag"));
        let refused = cli.refused.then(|| program::link(gl, texts.0, texts.1, &["corner"])).transpose()?;
        gl.BindBuffer(gl::ARRAY_BUFFER, gl.buffer());
        gl.buffer_data(gl::ARRAY_BUFFER, &[-1.0_f32, -1., 3., -1., -1., 3.], gl::STATIC_DRAW);
        gl.attribute(0, 2, gl::FLOAT, 8, 0);
        let last = cli.crash.then(|| cli.options.frames.saturating_sub(1));
        Ok(Trials { program, rounds: cli.rounds, assembly: cli.assembly, refused, last })
    }

    fn draw(&self, stage: &Stage, frame: u32) {
        let gl = &stage.gl;
        let (x, y) = (stage.size.width / 2, stage.size.height / 2);
        gl.Viewport(0, 0, stage.size.width, stage.size.height);
        gl.ClearColor(0.1, 0.1, 0.12, 1.);
        gl.Clear(gl::COLOR_BUFFER_BIT);
        gl.Viewport(x, y, SIDE, SIDE);
        gl.UseProgram(self.program);
        gl.Uniform1i(gl.uniform(self.program, c"rounds"), self.rounds);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
        if self.assembly {
            gl.UseProgram(0);
            gl.Viewport(x - 2 * SIDE, y, SIDE, SIDE);
            gl.Enable(gl::FRAGMENT_PROGRAM_ARB);
            gl.DrawArrays(gl::TRIANGLES, 0, 3);
            gl.Disable(gl::FRAGMENT_PROGRAM_ARB);
        }
        if let Some(refused) = self.refused {
            gl.UseProgram(refused);
            gl.Viewport(x + 2 * SIDE, y, SIDE, SIDE);
            gl.DrawArrays(gl::TRIANGLES, 0, 3);
        }
        if self.last == Some(frame) {
            gl.UseProgram(self.program);
            gl.BindBuffer(gl::ARRAY_BUFFER, 0);
            let nothing = std::ptr::without_provenance(NOWHERE);
            // SAFETY: none: the draw call below reads unmapped memory and crashes this program, as requested.
            unsafe { gl.VertexAttribPointer(0, 2, gl::FLOAT, 0, 8, nothing) };
            gl.DrawArrays(gl::TRIANGLES, 0, 3);
        }
    }
}
