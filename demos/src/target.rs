//! Textures to render to.

use anyhow::ensure;

use crate::Gl;
use crate::gl;
use crate::options::Size;

/// A framebuffer and the textures attached to it.
pub struct Target {
    /// The framebuffer.
    pub framebuffer: u32,
    /// Its colour attachments in order.
    pub colors: Vec<u32>,
    /// Its depth attachment, 0 if it has none.
    pub depth: u32,
    /// The size of all attachments.
    pub size: Size,
}

/// Creates an empty texture with one level.
pub fn texture(gl: &Gl, size: Size, internal: u32, layout: (u32, u32), filter: u32) -> u32 {
    let texture = gl.texture();
    gl.BindTexture(gl::TEXTURE_2D, texture);
    gl.tex_image::<u8>(gl::TEXTURE_2D, 0, internal, (size.width, size.height), layout, None);
    for (what, value) in [
        (gl::TEXTURE_MIN_FILTER, filter),
        (gl::TEXTURE_MAG_FILTER, filter),
        (gl::TEXTURE_WRAP_S, gl::CLAMP_TO_EDGE),
        (gl::TEXTURE_WRAP_T, gl::CLAMP_TO_EDGE),
    ] {
        gl.TexParameteri(gl::TEXTURE_2D, what, value.cast_signed());
    }
    texture
}

impl Target {
    /// Creates a framebuffer with colour attachments of these internal formats, none of them integer formats, and a
    /// depth attachment if `depth`.
    pub fn new(gl: &Gl, size: Size, formats: &[u32], depth: bool) -> anyhow::Result<Target> {
        let framebuffer = gl.framebuffer();
        gl.BindFramebuffer(gl::FRAMEBUFFER, framebuffer);
        let mut colors = Vec::new();
        let mut buffers = Vec::new();
        for (attachment, &format) in (gl::COLOR_ATTACHMENT0..).zip(formats) {
            let kind = if format == gl::RGBA8 { gl::UNSIGNED_BYTE } else { gl::FLOAT };
            let color = texture(gl, size, format, (gl::RGBA, kind), gl::LINEAR);
            gl.FramebufferTexture2D(gl::FRAMEBUFFER, attachment, gl::TEXTURE_2D, color, 0);
            colors.push(color);
            buffers.push(attachment);
        }
        if buffers.is_empty() {
            gl.DrawBuffer(gl::NONE);
            gl.ReadBuffer(gl::NONE);
        } else {
            gl.draw_buffers(&buffers);
        }
        let mut depth_texture = 0;
        if depth {
            let layout = (gl::DEPTH_COMPONENT, gl::UNSIGNED_INT);
            depth_texture = texture(gl, size, gl::DEPTH_COMPONENT24, layout, gl::NEAREST);
            gl.FramebufferTexture2D(gl::FRAMEBUFFER, gl::DEPTH_ATTACHMENT, gl::TEXTURE_2D, depth_texture, 0);
        }
        let status = gl.CheckFramebufferStatus(gl::FRAMEBUFFER);
        ensure!(status == gl::FRAMEBUFFER_COMPLETE, "the driver cannot render to these textures (0x{status:04x})");
        Ok(Target { framebuffer, colors, depth: depth_texture, size })
    }

    /// Makes this the draw framebuffer.
    pub fn bind(&self, gl: &Gl) {
        gl.BindFramebuffer(gl::FRAMEBUFFER, self.framebuffer);
        gl.Viewport(0, 0, self.size.width, self.size.height);
    }
}

/// Binds a texture to a unit and sets a sampler of the current program to it.
pub fn sample(gl: &Gl, program: u32, name: &std::ffi::CStr, unit: u8, texture: u32) {
    gl.ActiveTexture(gl::TEXTURE0 + u32::from(unit));
    gl.BindTexture(gl::TEXTURE_2D, texture);
    gl.Uniform1i(gl.uniform(program, name), i32::from(unit));
}
