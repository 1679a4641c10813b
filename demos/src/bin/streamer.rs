//! A buffer that stays mapped while GL reads it: each frame's vertices are written to the next of three regions.
//!
//! The map is persistent and coherent (GL 4.4), so no call tells GL that something was written. A fence for each region
//! keeps the program from overwriting what is still being drawn.
#![allow(unsafe_code, reason = "writes through a pointer from GL")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]

use std::process::ExitCode;

use anyhow::ensure;
use clap::Parser;
use demos::gl::Fence;
use demos::math::{Mat4, noise};
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Streams vertices through a persistently mapped buffer, in a ring of three regions.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

const VERTEX: &str = "#version 330 core
in vec3 position;
in vec4 color;
uniform mat4 camera;
out vec4 tint;
void main() {
    tint = color;
    gl_Position = camera * vec4(position, 1.0);
}
";
const FRAGMENT: &str = "#version 330 core
in vec4 tint;
out vec4 color;
void main() {
    color = tint;
}
";

const REGIONS: usize = 3;
const RIBBONS: usize = 24;
const POINTS: usize = 64;
/// Three position components and four colour bytes.
const STRIDE: usize = 16;
const VERTICES: usize = RIBBONS * POINTS * 2;
const REGION: usize = VERTICES * STRIDE;

struct Streamer {
    program: u32,
    memory: *mut u8,
    fences: [Option<Fence>; REGIONS],
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("streamer", ContextKind::Core(4, 4), &cli.options, |stage| {
        let mut streamer = Streamer::new(&stage.gl)?;
        Ok(move |stage: &Stage, frame| streamer.draw(stage, frame))
    })
}

impl Streamer {
    fn new(gl: &Gl) -> anyhow::Result<Streamer> {
        let program = program::link(gl, VERTEX, FRAGMENT, &["position", "color"])?;
        gl.BindVertexArray(gl.vertex_array());
        gl.BindBuffer(gl::ARRAY_BUFFER, gl.buffer());
        let size = (REGION * REGIONS) as isize;
        let flags = gl::MAP_WRITE_BIT | gl::MAP_PERSISTENT_BIT | gl::MAP_COHERENT_BIT;
        // SAFETY: a null pointer requests memory without contents.
        unsafe { gl.BufferStorage(gl::ARRAY_BUFFER, size, std::ptr::null(), flags) };
        // SAFETY: the buffer has this size and these flags, and is not mapped yet.
        let memory = unsafe { gl.MapBufferRange(gl::ARRAY_BUFFER, 0, size, flags) };
        ensure!(!memory.is_null(), "the driver cannot map a buffer persistently (GL error 0x{:04x})", gl.GetError());
        gl.attribute(0, 3, gl::FLOAT, STRIDE, 0);
        gl.attribute(1, 4, gl::UNSIGNED_BYTE, STRIDE, 12);
        Ok(Streamer { program, memory: memory.cast(), fences: [const { None }; REGIONS] })
    }

    fn draw(&mut self, stage: &Stage, frame: u32) -> anyhow::Result<()> {
        let gl = &stage.gl;
        let region = frame as usize % REGIONS;
        if let Some(fence) = self.fences[region].take() {
            ensure!(gl.await_fence(fence), "the driver did not finish a frame within ten seconds");
        }
        self.write(region, frame);
        gl.Viewport(0, 0, stage.size.width, stage.size.height);
        gl.ClearColor(0.02, 0.03, 0.05, 1.);
        gl.Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT);
        gl.Enable(gl::DEPTH_TEST);
        gl.UseProgram(self.program);
        let aspect = stage.size.width as f32 / stage.size.height as f32;
        let camera = Mat4::perspective(0.8, aspect, 0.1, 20.) * Mat4::look_at([0.9, 1.6, 3.2], [0., 0., 0.]);
        gl.uniform_matrix(gl.uniform(self.program, c"camera"), &camera.0);
        let first = region * VERTICES;
        for ribbon in 0..RIBBONS {
            gl.DrawArrays(gl::TRIANGLE_STRIP, (first + ribbon * POINTS * 2) as i32, (POINTS * 2) as i32);
        }
        self.fences[region] = Some(gl.fence());
        Ok(())
    }

    /// Writes a frame's ribbons directly to the buffer.
    fn write(&self, region: usize, frame: u32) {
        for index in 0..VERTICES {
            let vertex = vertex(index, frame);
            // SAFETY: the map has REGIONS regions of VERTICES vertices, and both indices are below that.
            let to = unsafe { self.memory.add(region * REGION + index * STRIDE) };
            // SAFETY: there are STRIDE bytes from here to the next vertex; the fence confirmed that GL no longer reads
            // them.
            unsafe { std::ptr::copy_nonoverlapping(vertex.as_ptr(), to, STRIDE) };
        }
    }
}

fn vertex(index: usize, frame: u32) -> [u8; STRIDE] {
    let (ribbon, point, side) = (index / (POINTS * 2), index / 2 % POINTS, index % 2);
    let along = point as f32 / (POINTS - 1) as f32 * 2. - 1.;
    let lane = ribbon as f32 / (RIBBONS - 1) as f32 * 2. - 1.;
    let time = frame as f32 * 0.15;
    let height = (along * 4. + time + lane * 2.).sin() * 0.25 + (lane * 5. - time).cos() * 0.15;
    let x = along * 1.7;
    let z = lane * 1.3 + (side as f32 - 0.5) * 0.075;
    let glow = (height + 0.4) / 0.8 * (0.8 + 0.2 * noise(ribbon as u32));
    let shade = |from: f32, to: f32| (from + (to - from) * glow).clamp(0., 255.) as u8;
    let mut bytes = [0; STRIDE];
    for (place, value) in bytes.chunks_exact_mut(4).zip([x, height, z]) {
        place.copy_from_slice(&value.to_ne_bytes());
    }
    bytes[12..].copy_from_slice(&[shade(20., 255.), shade(50., 200.), shade(140., 120.), 255]);
    bytes
}
