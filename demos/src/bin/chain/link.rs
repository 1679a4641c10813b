//! The target of a pass of the chain, which the next pass reads.

use anyhow::ensure;
use demos::options::Size;
use demos::{Gl, gl};

/// Types of targets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// An 8-bit texture, read without filtering.
    Bytes,
    /// A texture with all mipmap levels; read with trilinear filtering.
    Mipmapped,
    /// A renderbuffer with four samples, resolved to an 8-bit texture.
    Multisampled,
    /// One layer of an array texture; read with linear filtering.
    Layer,
    /// A half-float texture, read with linear filtering.
    Halves,
}

/// A texture, and the framebuffer that renders to it.
pub struct Link {
    pub surface: Surface,
    pub texture: u32,
    pub size: Size,
    framebuffer: u32,
    /// The multisampled framebuffer that is resolved to the texture, if any.
    samples: Option<u32>,
}

const LAYERS: i32 = 4;
const LAYER: i32 = 2;
const SAMPLES: i32 = 4;

impl Link {
    /// Creates a target of this size; with `bytes`, its texels are 8-bit.
    pub fn new(gl: &Gl, size: Size, surface: Surface, bytes: bool) -> anyhow::Result<Link> {
        let halves = matches!(surface, Surface::Mipmapped | Surface::Layer | Surface::Halves) && !bytes;
        let (internal, layout) =
            if halves { (gl::RGBA16F, (gl::RGBA, gl::FLOAT)) } else { (gl::RGBA8, (gl::RGBA, gl::UNSIGNED_BYTE)) };
        let (texture, framebuffer) = (gl.texture(), gl.framebuffer());
        let mut link = Link { surface, texture, size, framebuffer, samples: None };
        gl.BindTexture(link.kind(), texture);
        gl.BindFramebuffer(gl::FRAMEBUFFER, framebuffer);
        let sides = (size.width, size.height);
        if surface == Surface::Layer {
            gl.tex_layers(internal, sides, LAYERS, layout);
            gl.FramebufferTextureLayer(gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, texture, 0, LAYER);
        } else {
            gl.tex_image::<u8>(gl::TEXTURE_2D, 0, internal, sides, layout, None);
            gl.FramebufferTexture2D(gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, texture, 0);
        }
        link.parameters(gl);
        check(gl)?;
        if surface == Surface::Multisampled {
            let (samples, renderbuffer) = (gl.framebuffer(), gl.renderbuffer());
            gl.BindFramebuffer(gl::FRAMEBUFFER, samples);
            gl.BindRenderbuffer(gl::RENDERBUFFER, renderbuffer);
            gl.RenderbufferStorageMultisample(gl::RENDERBUFFER, SAMPLES, internal, size.width, size.height);
            gl.FramebufferRenderbuffer(gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::RENDERBUFFER, renderbuffer);
            check(gl)?;
            link.samples = Some(samples);
        }
        Ok(link)
    }

    /// Creates a square image that is not rendered to.
    pub fn image(gl: &Gl, side: i32, texels: &[u8]) -> Link {
        let size = Size { width: side, height: side };
        let link = Link { surface: Surface::Bytes, texture: gl.texture(), size, framebuffer: 0, samples: None };
        gl.BindTexture(gl::TEXTURE_2D, link.texture);
        gl.tex_image(gl::TEXTURE_2D, 0, gl::RGBA8, (side, side), (gl::RGBA, gl::UNSIGNED_BYTE), Some(texels));
        link.parameters(gl);
        link
    }

    fn parameters(&self, gl: &Gl) {
        let (small, large) = match self.surface {
            Surface::Bytes | Surface::Multisampled => (gl::NEAREST, gl::NEAREST),
            Surface::Layer | Surface::Halves => (gl::LINEAR, gl::LINEAR),
            Surface::Mipmapped => (gl::LINEAR_MIPMAP_LINEAR, gl::LINEAR),
        };
        for (what, value) in [
            (gl::TEXTURE_MIN_FILTER, small),
            (gl::TEXTURE_MAG_FILTER, large),
            (gl::TEXTURE_WRAP_S, gl::CLAMP_TO_EDGE),
            (gl::TEXTURE_WRAP_T, gl::CLAMP_TO_EDGE),
        ] {
            gl.TexParameteri(self.kind(), what, value.cast_signed());
        }
    }

    /// Returns the target to bind the texture to.
    pub fn kind(&self) -> u32 {
        if self.surface == Surface::Layer { gl::TEXTURE_2D_ARRAY } else { gl::TEXTURE_2D }
    }

    /// Returns the distance of two taps in texels: for filtered textures, taps should not hit texel centres.
    pub fn stride(&self) -> f32 {
        match self.surface {
            Surface::Bytes | Surface::Multisampled => 1.,
            Surface::Mipmapped | Surface::Layer | Surface::Halves => 0.75,
        }
    }

    /// Makes this the draw framebuffer.
    pub fn bind(&self, gl: &Gl) {
        gl.BindFramebuffer(gl::FRAMEBUFFER, self.samples.unwrap_or(self.framebuffer));
        gl.Viewport(0, 0, self.size.width, self.size.height);
    }

    /// Resolves samples and generates mipmaps, after drawing.
    pub fn finish(&self, gl: &Gl) {
        let Size { width, height } = self.size;
        if let Some(samples) = self.samples {
            gl.BindFramebuffer(gl::READ_FRAMEBUFFER, samples);
            gl.BindFramebuffer(gl::DRAW_FRAMEBUFFER, self.framebuffer);
            gl.BlitFramebuffer(0, 0, width, height, 0, 0, width, height, gl::COLOR_BUFFER_BIT, gl::NEAREST);
        }
        if self.surface == Surface::Mipmapped {
            gl.BindTexture(gl::TEXTURE_2D, self.texture);
            gl.GenerateMipmap(gl::TEXTURE_2D);
        }
    }
}

fn check(gl: &Gl) -> anyhow::Result<()> {
    let status = gl.CheckFramebufferStatus(gl::FRAMEBUFFER);
    ensure!(
        status == gl::FRAMEBUFFER_COMPLETE,
        "the driver cannot render to a target that this demo needs (0x{status:04x})"
    );
    Ok(())
}
