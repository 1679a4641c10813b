//! A multisampled image that gets one more triangle every frame, and that is never cleared.
//!
//! A depth test decides which triangle is in front, and a stencil test limits how many may overlap, both with four
//! samples. The shown image distinguishes the samples of a pixel, so a tool that loses one of them shows something
//! else.

use std::process::ExitCode;

use anyhow::ensure;
use clap::Parser;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Draws an image with four samples per pixel that gets one more triangle each frame.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

const SAMPLES: i32 = 4;

/// Maximum number of overlapping triangles.
const DEEP: i32 = 3;

struct Growing {
    draw: u32,
    show: u32,
    /// Framebuffer with colours and numbers as textures.
    framebuffer: u32,
    colours: u32,
    numbers: u32,
    /// Colours as a renderbuffer.
    other: u32,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("samples", ContextKind::Core(3, 3), &cli.options, |stage| {
        let growing = Growing::new(stage)?;
        Ok(move |stage: &Stage, frame| {
            growing.draw(stage, frame);
            Ok(())
        })
    })
}

impl Growing {
    fn new(stage: &Stage) -> anyhow::Result<Growing> {
        let gl = &stage.gl;
        let (width, height) = (stage.size.width, stage.size.height);
        gl.BindVertexArray(gl.vertex_array());
        let texture = |format| {
            let texture = gl.texture();
            gl.BindTexture(gl::TEXTURE_2D_MULTISAMPLE, texture);
            gl.TexImage2DMultisample(gl::TEXTURE_2D_MULTISAMPLE, SAMPLES, format, width, height, 1);
            texture
        };
        let renderbuffer = |format, attachment| {
            let renderbuffer = gl.renderbuffer();
            gl.BindRenderbuffer(gl::RENDERBUFFER, renderbuffer);
            gl.RenderbufferStorageMultisample(gl::RENDERBUFFER, SAMPLES, format, width, height);
            gl.FramebufferRenderbuffer(gl::FRAMEBUFFER, attachment, gl::RENDERBUFFER, renderbuffer);
        };
        let (colours, numbers) = (texture(gl::RGBA8), texture(gl::RGBA32UI));
        let framebuffer = gl.framebuffer();
        gl.BindFramebuffer(gl::FRAMEBUFFER, framebuffer);
        let attachments = [gl::COLOR_ATTACHMENT0, gl::COLOR_ATTACHMENT0 + 1];
        for (attachment, texture) in attachments.into_iter().zip([colours, numbers]) {
            gl.FramebufferTexture2D(gl::FRAMEBUFFER, attachment, gl::TEXTURE_2D_MULTISAMPLE, texture, 0);
        }
        renderbuffer(gl::DEPTH24_STENCIL8, gl::DEPTH_STENCIL_ATTACHMENT);
        gl.draw_buffers(&attachments);
        check(gl)?;
        gl.Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT);
        let other = gl.framebuffer();
        gl.BindFramebuffer(gl::FRAMEBUFFER, other);
        renderbuffer(gl::RGBA8, gl::COLOR_ATTACHMENT0);
        check(gl)?;
        gl.Clear(gl::COLOR_BUFFER_BIT);
        Ok(Growing {
            draw: program::link(gl, include_str!("samples/triangle.vert"), include_str!("samples/triangle.frag"), &[])?,
            show: program::link(gl, include_str!("samples/screen.vert"), include_str!("samples/show.frag"), &[])?,
            framebuffer,
            colours,
            numbers,
            other,
        })
    }

    fn draw(&self, stage: &Stage, frame: u32) {
        let gl = &stage.gl;
        let (width, height) = (stage.size.width, stage.size.height);
        gl.Viewport(0, 0, width, height);
        gl.UseProgram(self.draw);
        gl.Uniform1f(gl.uniform(self.draw, c"turn"), 0.7 * frame as f32);
        gl.Uniform1i(gl.uniform(self.draw, c"number"), frame.cast_signed() + 1);
        gl.Enable(gl::DEPTH_TEST);
        gl.Enable(gl::STENCIL_TEST);
        gl.StencilFunc(gl::GREATER, DEEP, 0xFF);
        gl.StencilOp(gl::KEEP, gl::KEEP, gl::INCR);
        gl.BindFramebuffer(gl::FRAMEBUFFER, self.framebuffer);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
        gl.Disable(gl::DEPTH_TEST);
        gl.Disable(gl::STENCIL_TEST);
        gl.BindFramebuffer(gl::FRAMEBUFFER, self.other);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
        // The averages of all samples, and in three quarters of the image one sample each.
        gl.BindFramebuffer(gl::DRAW_FRAMEBUFFER, 0);
        gl.BlitFramebuffer(0, 0, width, height, 0, 0, width, height, gl::COLOR_BUFFER_BIT, gl::NEAREST);
        gl.BindFramebuffer(gl::FRAMEBUFFER, 0);
        gl.UseProgram(self.show);
        for (name, unit, texture) in [(c"colours", 0, self.colours), (c"numbers", 1, self.numbers)] {
            gl.ActiveTexture(gl::TEXTURE0 + unit);
            gl.BindTexture(gl::TEXTURE_2D_MULTISAMPLE, texture);
            gl.Uniform1i(gl.uniform(self.show, name), unit.cast_signed());
        }
        gl.Uniform2f(gl.uniform(self.show, c"size"), width as f32, height as f32);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
    }
}

fn check(gl: &Gl) -> anyhow::Result<()> {
    let status = gl.CheckFramebufferStatus(gl::FRAMEBUFFER);
    ensure!(
        status == gl::FRAMEBUFFER_COMPLETE,
        "the driver cannot render with four samples per pixel (0x{status:04x})"
    );
    Ok(())
}
