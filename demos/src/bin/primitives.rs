//! A thousand blended triangles in one draw call, all over the same sixteen by sixteen pixels; beside them a few that a
//! geometry shader makes from points, and one that another geometry shader puts on every face of a cube.
//!
//! All counts are known: each triangle of the stack covers all 256 pixels, and its number modulo four is the number of
//! its loop iterations.

use std::process::ExitCode;

use anyhow::ensure;
use clap::Parser;
use demos::{ContextKind, Options, Stage, gl, play, program};

/// Draws a thousand blended triangles in one draw call, and a few made by a geometry shader.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

/// Number of overlapping triangles.
const DEEP: i32 = 1000;

/// Width and height in pixels.
const SIDE: i32 = 16;

/// Number of points that become triangles.
const POINTS: i32 = 5;

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("primitives", ContextKind::Core(3, 3), &cli.options, |stage| {
        let gl = &stage.gl;
        gl.BindVertexArray(gl.vertex_array());
        let stack =
            program::link(gl, include_str!("primitives/stack.vert"), include_str!("primitives/stack.frag"), &[])?;
        let fan = program::link_geometry(
            gl,
            include_str!("primitives/fan.vert"),
            include_str!("primitives/fan.geom"),
            include_str!("primitives/fan.frag"),
        )?;
        let faces = program::link_geometry(
            gl,
            include_str!("primitives/stack.vert"),
            include_str!("primitives/faces.geom"),
            include_str!("primitives/faces.frag"),
        )?;
        let texture = gl.texture();
        gl.BindTexture(gl::TEXTURE_CUBE_MAP, texture);
        for face in 0..6 {
            let target = gl::TEXTURE_CUBE_MAP_POSITIVE_X + face;
            gl.tex_image::<u8>(target, 0, gl::RGBA8, (SIDE, SIDE), (gl::RGBA, gl::UNSIGNED_BYTE), None);
        }
        let cube = gl.framebuffer();
        gl.BindFramebuffer(gl::FRAMEBUFFER, cube);
        gl.FramebufferTexture(gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, texture, 0);
        let status = gl.CheckFramebufferStatus(gl::FRAMEBUFFER);
        ensure!(status == gl::FRAMEBUFFER_COMPLETE, "the driver cannot render to a layered cube map (0x{status:04x})");
        gl.BindFramebuffer(gl::FRAMEBUFFER, 0);
        Ok(move |stage: &Stage, _| {
            let gl = &stage.gl;
            gl.ClearColor(0.0, 0.0, 0.0, 1.0);
            gl.Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT);
            gl.Viewport(0, 0, SIDE, SIDE);
            gl.Enable(gl::BLEND);
            gl.BlendFunc(gl::SRC_ALPHA, gl::ONE_MINUS_SRC_ALPHA);
            gl.UseProgram(stack);
            gl.DrawArrays(gl::TRIANGLES, 0, 3 * DEEP);
            gl.Disable(gl::BLEND);
            gl.Viewport(SIDE, 0, SIDE, SIDE);
            gl.UseProgram(fan);
            gl.DrawArrays(gl::POINTS, 0, POINTS);
            gl.BindFramebuffer(gl::FRAMEBUFFER, cube);
            gl.Viewport(0, 0, SIDE, SIDE);
            gl.UseProgram(faces);
            gl.DrawArrays(gl::TRIANGLES, 0, 3);
            gl.BindFramebuffer(gl::FRAMEBUFFER, 0);
            Ok(())
        })
    })
}
