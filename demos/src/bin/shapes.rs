//! Every primitive type, each in its own draw call, all across the same pixels and blended: lists of triangles and
//! lines, strips, fans and loops, with and without indices, with primitive restart, in multi-draws, and instanced; with
//! shaders that use `gl_PrimitiveID` or `gl_InstanceID`, and with others.
//!
//! A tool that splits draw calls into primitives has to reproduce them exactly.

use std::process::ExitCode;

use clap::Parser;
use demos::math::noise;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Draws primitives of every type across the same pixels, blended; every frame is the same.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

/// Number of random vertices; those of lines through the middle follow them.
const ANYWHERE: i32 = 48;
const LINES: i32 = 9;

/// The index that starts a new strip.
const RESTART: u16 = 0xFFFF;

/// Strips, some of which have too few vertices.
const STRIPS: [u16; 30] = [
    3, 9, 14, 15, 2, RESTART, 4, 5, RESTART, RESTART, 20, 21, 7, 8, 30, 11, RESTART, 40, RESTART, 33, 34, 35, 12, 13,
    1, 0, 47, 46, 45, 44,
];

/// Programs: one without ids, one that uses `gl_PrimitiveID`, one that uses `gl_InstanceID`.
struct Programs {
    plain: u32,
    numbered: u32,
    instanced: u32,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("shapes", ContextKind::Core(3, 3), &cli.options, |stage| {
        let programs = setup(&stage.gl)?;
        Ok(move |stage: &Stage, _| {
            draw(stage, &programs);
            Ok(())
        })
    })
}

fn setup(gl: &Gl) -> anyhow::Result<Programs> {
    let (plain, numbered) = (include_str!("shapes/plain.frag"), include_str!("shapes/numbered.frag"));
    let (once, often) = (include_str!("shapes/once.vert"), include_str!("shapes/often.vert"));
    let names = ["place"];
    let programs = Programs {
        plain: program::link(gl, once, plain, &names)?,
        numbered: program::link(gl, once, numbered, &names)?,
        instanced: program::link(gl, often, plain, &names)?,
    };
    let side = |number: u32| noise(number) * 2.4 - 1.2;
    let anywhere = (0..ANYWHERE.unsigned_abs()).flat_map(|vertex| [side(2 * vertex), side(2 * vertex + 1)]);
    let along = |vertex: i32| if vertex % 2 == 0 { -0.9 } else { 0.9 } + vertex as f32 * 0.01;
    let vertices: Vec<f32> = anywhere.chain((0..LINES).flat_map(|vertex| [along(vertex); 2])).collect();
    gl.BindVertexArray(gl.vertex_array());
    gl.BindBuffer(gl::ARRAY_BUFFER, gl.buffer());
    gl.buffer_data(gl::ARRAY_BUFFER, &vertices, gl::STATIC_DRAW);
    gl.attribute(0, 2, gl::FLOAT, 8, 0);
    gl.BindBuffer(gl::ELEMENT_ARRAY_BUFFER, gl.buffer());
    gl.buffer_data(gl::ELEMENT_ARRAY_BUFFER, &STRIPS, gl::STATIC_DRAW);
    gl.PrimitiveRestartIndex(u32::from(RESTART));
    Ok(programs)
}

fn draw(stage: &Stage, programs: &Programs) {
    let gl = &stage.gl;
    gl.Viewport(0, 0, stage.size.width, stage.size.height);
    gl.ClearColor(0.1, 0.1, 0.12, 1.);
    gl.Clear(gl::COLOR_BUFFER_BIT);
    gl.Enable(gl::BLEND);
    gl.BlendFunc(gl::SRC_ALPHA, gl::ONE_MINUS_SRC_ALPHA);
    for program in [programs.plain, programs.numbered] {
        gl.UseProgram(program);
        gl.DrawArrays(gl::TRIANGLES, 3, ANYWHERE - 3);
        gl.DrawArrays(gl::TRIANGLE_STRIP, 1, ANYWHERE - 1);
        gl.DrawArrays(gl::TRIANGLE_FAN, 2, ANYWHERE - 2);
        gl.DrawArrays(gl::LINES, ANYWHERE, LINES);
        gl.DrawArrays(gl::LINE_STRIP, ANYWHERE, LINES);
        gl.DrawArrays(gl::LINE_LOOP, ANYWHERE, LINES);
        gl.Enable(gl::PRIMITIVE_RESTART);
        let count = i32::try_from(STRIPS.len()).unwrap_or(0);
        gl.draw_indexed(gl::TRIANGLE_STRIP, count, gl::UNSIGNED_SHORT, 0);
        gl.draw_indexed(gl::TRIANGLE_FAN, count - 2, gl::UNSIGNED_SHORT, 4);
        gl.Disable(gl::PRIMITIVE_RESTART);
        gl.DrawArraysInstanced(gl::TRIANGLE_STRIP, 0, 12, 5);
    }
    // Drivers do not agree on `gl_PrimitiveID` in multi-draws.
    gl.UseProgram(programs.plain);
    gl.multi_draw_arrays(gl::TRIANGLE_STRIP, &[(0, 9), (10, 2), (12, 20), (30, 18)]);
    gl.UseProgram(programs.instanced);
    gl.DrawArraysInstanced(gl::TRIANGLE_STRIP, 0, 12, 7);
    gl.DrawArraysInstanced(gl::TRIANGLES, 0, ANYWHERE, 3);
}
