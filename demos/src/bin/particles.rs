//! Particles moved on the GPU, by transform feedback or by a compute shader. Both give the same image.

use std::process::ExitCode;

use clap::Parser;
use demos::math::{Mat4, noise};
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Draws particles moved on the GPU, by transform feedback.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// Use a compute shader instead (OpenGL 4.3).
    #[arg(long)]
    compute: bool,
}

const COUNT: u16 = 6000;
const GROUP: u32 = 64;
/// Position and velocity, three numbers each.
const STRIDE: usize = 24;
const STEP: f32 = 0.05;
const STEPS_BEFORE_FIRST_FRAME: usize = 30;

struct Particles {
    compute: bool,
    mover: u32,
    painter: u32,
    /// The first has the current state, the second gets the next one; then they are swapped.
    buffers: [u32; 2],
    arrays: [u32; 2],
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let kind = if cli.compute { ContextKind::Core(4, 3) } else { ContextKind::Core(3, 3) };
    let name = if cli.compute { "particles_compute" } else { "particles" };
    play(name, kind, &cli.options, |stage| {
        let mut particles = Particles::new(&stage.gl, cli.compute)?;
        for _ in 0..STEPS_BEFORE_FIRST_FRAME {
            particles.step(&stage.gl);
        }
        Ok(move |stage: &Stage, frame| {
            particles.step(&stage.gl);
            particles.draw(stage, frame);
            Ok(())
        })
    })
}

impl Particles {
    fn new(gl: &Gl, compute: bool) -> anyhow::Result<Particles> {
        let attributes = ["place", "speed"];
        let mover = if compute {
            program::link_compute(gl, include_str!("particles/move.comp"))?
        } else {
            let varyings = ["next_place", "next_speed"];
            program::link_feedback(gl, include_str!("particles/move.vert"), &attributes, &varyings)?
        };
        let (vertex, fragment) = (include_str!("particles/draw.vert"), include_str!("particles/draw.frag"));
        let painter = program::link(gl, vertex, fragment, &attributes)?;
        let start: Vec<f32> = (0..u32::from(COUNT)).flat_map(start).collect();
        let buffers = [gl.buffer(), gl.buffer()];
        let arrays = buffers.map(|buffer| {
            let array = gl.vertex_array();
            gl.BindVertexArray(array);
            gl.BindBuffer(gl::ARRAY_BUFFER, buffer);
            gl.buffer_data(gl::ARRAY_BUFFER, &start, gl::DYNAMIC_COPY);
            gl.attribute(0, 3, gl::FLOAT, STRIDE, 0);
            gl.attribute(1, 3, gl::FLOAT, STRIDE, 12);
            array
        });
        Ok(Particles { compute, mover, painter, buffers, arrays })
    }

    fn step(&mut self, gl: &Gl) {
        gl.UseProgram(self.mover);
        gl.Uniform1f(gl.uniform(self.mover, c"step_time"), STEP);
        let [_, next] = self.buffers;
        if self.compute {
            gl.Uniform1i(gl.uniform(self.mover, c"count"), i32::from(COUNT));
            for (index, buffer) in (0..).zip(self.buffers) {
                gl.BindBufferBase(gl::SHADER_STORAGE_BUFFER, index, buffer);
            }
            gl.DispatchCompute(u32::from(COUNT).div_ceil(GROUP), 1, 1);
            gl.MemoryBarrier(gl::VERTEX_ATTRIB_ARRAY_BARRIER_BIT | gl::SHADER_STORAGE_BARRIER_BIT);
        } else {
            gl.BindVertexArray(self.arrays[0]);
            gl.BindBufferBase(gl::TRANSFORM_FEEDBACK_BUFFER, 0, next);
            gl.Enable(gl::RASTERIZER_DISCARD);
            gl.BeginTransformFeedback(gl::POINTS);
            gl.DrawArrays(gl::POINTS, 0, i32::from(COUNT));
            gl.EndTransformFeedback();
            gl.Disable(gl::RASTERIZER_DISCARD);
            gl.BindBufferBase(gl::TRANSFORM_FEEDBACK_BUFFER, 0, 0);
        }
        self.buffers.swap(0, 1);
        self.arrays.swap(0, 1);
    }

    fn draw(&self, stage: &Stage, frame: u32) {
        let gl = &stage.gl;
        gl.Viewport(0, 0, stage.size.width, stage.size.height);
        gl.ClearColor(0.01, 0.012, 0.03, 1.);
        gl.Clear(gl::COLOR_BUFFER_BIT);
        gl.Enable(gl::BLEND);
        gl.BlendFunc(gl::ONE, gl::ONE);
        gl.Enable(gl::PROGRAM_POINT_SIZE);
        gl.UseProgram(self.painter);
        let aspect = stage.size.width as f32 / stage.size.height as f32;
        let angle = 0.5 + frame as f32 * 0.03;
        let eye = [angle.sin() * 3.4, 1.7, angle.cos() * 3.4];
        let camera = Mat4::perspective(0.8, aspect, 0.1, 20.) * Mat4::look_at(eye, [0.; 3]);
        gl.uniform_matrix(gl.uniform(self.painter, c"camera"), &camera.0);
        gl.BindVertexArray(self.arrays[0]);
        gl.DrawArrays(gl::POINTS, 0, i32::from(COUNT));
        gl.Disable(gl::BLEND);
    }
}

/// Returns the initial position and velocity of a particle.
fn start(index: u32) -> [f32; 6] {
    let value = |axis: u32| noise(index * 6 + axis) * 2. - 1.;
    [value(0) * 1.6, value(1) * 0.9, value(2) * 1.6, value(3) * 0.5, value(4) * 0.5, value(5) * 0.5]
}
