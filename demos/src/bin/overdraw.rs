//! One draw call whose triangles all cover the same pixels, blended, each in a different colour.
//!
//! The pixels in the middle are drawn over a thousand times within one call. Fragments of a draw call are blended in
//! the order of their primitives (GL 4.6, 2.1), so the image shows whether a tool lost or reordered one.

use std::process::ExitCode;

use clap::Parser;
use demos::math::noise;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Makes one draw call whose blended triangles all cover the same pixels, each in a different colour; every frame is
/// the same.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// Number of triangles, and so of fragments per pixel.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..=20_000))]
    fragments: u16,
    /// Keep the alpha of the framebuffer, and blend colours only.
    #[arg(long)]
    keep_alpha: bool,
}

/// A position and a colour.
const STRIDE: usize = 24;
const ALPHA: f32 = 0.125;

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("overdraw", ContextKind::Core(3, 3), &cli.options, |stage| {
        let program = setup(&stage.gl, cli.fragments)?;
        let vertices = i32::from(cli.fragments) * 3;
        Ok(move |stage: &Stage, _| {
            draw(stage, program, vertices, cli.keep_alpha);
            Ok(())
        })
    })
}

fn setup(gl: &Gl, fragments: u16) -> anyhow::Result<u32> {
    let (vertex, fragment) = (include_str!("overdraw/stack.vert"), include_str!("overdraw/stack.frag"));
    let program = program::link(gl, vertex, fragment, &["place", "colour"])?;
    let vertices: Vec<f32> = (0..u32::from(fragments)).flat_map(triangle).collect();
    gl.BindVertexArray(gl.vertex_array());
    gl.BindBuffer(gl::ARRAY_BUFFER, gl.buffer());
    gl.buffer_data(gl::ARRAY_BUFFER, &vertices, gl::STATIC_DRAW);
    gl.attribute(0, 2, gl::FLOAT, STRIDE, 0);
    gl.attribute(1, 4, gl::FLOAT, STRIDE, 8);
    Ok(program)
}

/// Returns a triangle: all have the same position, and different noise as colour.
fn triangle(number: u32) -> [f32; 18] {
    let [r, g, b] = std::array::from_fn(|channel| noise(number * 3 + channel as u32));
    let corner = |x: f32, y: f32| [x, y, r, g, b, ALPHA];
    let corners = [corner(-0.75, -0.75), corner(0.75, -0.5), corner(-0.25, 0.75)];
    std::array::from_fn(|i| corners[i / 6][i % 6])
}

fn draw(stage: &Stage, program: u32, vertices: i32, keep_alpha: bool) {
    let gl = &stage.gl;
    gl.Viewport(0, 0, stage.size.width, stage.size.height);
    gl.ClearColor(0.1, 0.1, 0.12, 1.);
    gl.Clear(gl::COLOR_BUFFER_BIT);
    gl.UseProgram(program);
    gl.Enable(gl::BLEND);
    let (source, destination) = if keep_alpha { (gl::ZERO, gl::ONE) } else { (gl::SRC_ALPHA, gl::ONE_MINUS_SRC_ALPHA) };
    gl.BlendFuncSeparate(gl::SRC_ALPHA, gl::ONE_MINUS_SRC_ALPHA, source, destination);
    gl.DrawArrays(gl::TRIANGLES, 0, vertices);
}
