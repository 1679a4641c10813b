//! Renderbuffers and surfaces: read as framebuffers, and written by a blit from a texture of the same format.

use api::request::SurfaceRequest;
use api::{constant as c, id};
use device::Rectangle;

use super::super::Player;
use super::Contents;
use super::format::Pixels;
use super::samples::{Extent, Plane};

impl Player {
    pub(super) fn read_renderbuffer(&mut self, context: u32, name: u32, real: u32) -> Result<Vec<Contents>, String> {
        self.own_call(id::glBindRenderbuffer, &[u64::from(c::GL_RENDERBUFFER), u64::from(real)]);
        let [width, height, samples, depth, stencil, internal] = [
            c::GL_RENDERBUFFER_WIDTH,
            c::GL_RENDERBUFFER_HEIGHT,
            c::GL_RENDERBUFFER_SAMPLES,
            c::GL_RENDERBUFFER_DEPTH_SIZE,
            c::GL_RENDERBUFFER_STENCIL_SIZE,
            c::GL_RENDERBUFFER_INTERNAL_FORMAT,
        ]
        .map(|what| self.renderbuffer_parameter(what));
        if width == 0 || height == 0 {
            return Ok(Vec::new());
        }
        let framebuffer = self.renderbuffer_framebuffer(real, depth > 0, stencil > 0);
        let pixels = if depth > 0 || stencil > 0 {
            Ok(Pixels::of_depth(depth, self.component_type(c::GL_DEPTH_ATTACHMENT) == c::GL_FLOAT, stencil))
        } else {
            let kind = self.component_type(c::GL_COLOR_ATTACHMENT0);
            let bits = [
                c::GL_RENDERBUFFER_RED_SIZE,
                c::GL_RENDERBUFFER_GREEN_SIZE,
                c::GL_RENDERBUFFER_BLUE_SIZE,
                c::GL_RENDERBUFFER_ALPHA_SIZE,
            ]
            .map(|what| self.renderbuffer_parameter(what));
            let most = bits.into_iter().max().unwrap_or(0);
            Pixels::of_colour(most, kind).ok_or_else(|| format!("its format has components of type {kind:#06x}"))
        };
        // The texture to write it back from must have the same format.
        let mut contents = Contents::empty(context, c::GL_RENDERBUFFER, name, internal);
        contents.size = [width, height, 1];
        let taken = match pixels {
            Err(why) => Err(why),
            Ok(pixels) if samples > 0 => {
                let extent = Extent { size: [width, height], layers: 1, samples };
                let bind = [u64::from(c::GL_READ_FRAMEBUFFER), u64::from(framebuffer)];
                self.read_samples(extent, (internal, pixels, &Plane::all(pixels)), &contents, |player, _| {
                    player.own_call(id::glBindFramebuffer, &bind);
                })
            }
            Ok(pixels) => {
                contents.bytes = self.read_pixels([width, height], pixels);
                Ok(vec![contents.in_form(pixels)])
            }
        };
        self.drop_framebuffer(framebuffer);
        taken
    }

    pub(super) fn write_renderbuffer(&mut self, contents: &Contents, real: u32) -> Result<(), String> {
        let several = contents.level > 0;
        let [depth, stencil] = if several {
            self.own_call(id::glBindRenderbuffer, &[u64::from(c::GL_RENDERBUFFER), u64::from(real)]);
            [c::GL_RENDERBUFFER_DEPTH_SIZE, c::GL_RENDERBUFFER_STENCIL_SIZE]
                .map(|what| self.renderbuffer_parameter(what) > 0)
        } else {
            let has = |one: u32| contents.format == c::GL_DEPTH_STENCIL || contents.format == one;
            [has(c::GL_DEPTH_COMPONENT), has(c::GL_STENCIL_INDEX)]
        };
        let framebuffer = self.renderbuffer_framebuffer(real, depth, stencil);
        let given = if several {
            let bind = [u64::from(c::GL_DRAW_FRAMEBUFFER), u64::from(framebuffer)];
            self.write_samples(contents, |player, _| {
                player.own_call(id::glBindFramebuffer, &bind);
            })
        } else {
            self.blit_to(contents, contents.target, planes(contents.format), framebuffer);
            Ok(())
        };
        self.drop_framebuffer(framebuffer);
        given
    }

    pub(super) fn read_surface(&mut self, context: u32, surface: u32, plane: u32) -> Result<Vec<Contents>, String> {
        let Some(request) = self.world.surface_request(surface) else { return Ok(Vec::new()) };
        let size = [request.width, request.height].map(|side| u32::try_from(side.max(1)).unwrap_or(1));
        let pixels = surface_pixels(plane, &request);
        let mut contents = Contents::empty(context, c::GL_FRAMEBUFFER_DEFAULT, surface, plane);
        contents.size = [size[0], size[1], 1];
        self.own_call(id::glReadBuffer, &[u64::from(c::GL_BACK)]);
        if request.samples > 1 {
            let samples = request.samples.cast_unsigned();
            let extent = Extent { size, layers: 1, samples };
            let only = match plane {
                c::GL_COLOR => Plane::Colour,
                c::GL_DEPTH => Plane::Depth,
                _ => Plane::Stencil,
            };
            let internal = surface_format(plane, &request)?;
            return self.read_samples(extent, (internal, pixels, &[only]), &contents, |player, _| {
                player.own_call(id::glBindFramebuffer, &[u64::from(c::GL_READ_FRAMEBUFFER), 0]);
            });
        }
        contents.bytes = self.read_pixels(size, pixels);
        Ok(vec![contents.in_form(pixels)])
    }

    pub(super) fn write_surface(&mut self, contents: &Contents) -> Result<(), String> {
        let Some(request) = self.world.surface_request(contents.name) else {
            return Err("there is no such surface".to_owned());
        };
        let internal = surface_format(contents.target, &request)?;
        let plane = match contents.target {
            c::GL_COLOR => c::GL_COLOR_BUFFER_BIT,
            c::GL_DEPTH => c::GL_DEPTH_BUFFER_BIT,
            _ => c::GL_STENCIL_BUFFER_BIT,
        };
        self.own_call(id::glDrawBuffer, &[u64::from(c::GL_BACK)]);
        if contents.level > 0 {
            return self.write_samples(contents, |player, _| {
                player.own_call(id::glBindFramebuffer, &[u64::from(c::GL_DRAW_FRAMEBUFFER), 0]);
            });
        }
        self.blit_to(contents, internal, plane, 0);
        Ok(())
    }

    /// Puts pixels into a framebuffer.
    fn blit_to(&mut self, contents: &Contents, internal: u32, planes: u32, framebuffer: u32) {
        let [width, height, _] = contents.size.map(u64::from);
        let flat = u64::from(c::GL_TEXTURE_2D);
        let texture = self.generate(id::glGenTextures);
        self.own_call(id::glBindTexture, &[flat, u64::from(texture)]);
        let (format, pixel_type) = (u64::from(contents.format), u64::from(contents.pixel_type));
        let words = [flat, 0, u64::from(internal), width, height, 0, format, pixel_type];
        self.own_call_reading(id::glTexImage2D, &words, &contents.bytes);
        let source = self.generate(id::glGenFramebuffers);
        let reading = u64::from(c::GL_READ_FRAMEBUFFER);
        self.own_call(id::glBindFramebuffer, &[reading, u64::from(source)]);
        let attachment = u64::from(attachment(contents.format));
        self.own_call(id::glFramebufferTexture2D, &[reading, attachment, flat, u64::from(texture), 0]);
        if attachment == u64::from(c::GL_COLOR_ATTACHMENT0) {
            self.own_call(id::glReadBuffer, &[attachment]);
        }
        self.own_call(id::glBindFramebuffer, &[u64::from(c::GL_DRAW_FRAMEBUFFER), u64::from(framebuffer)]);
        let words = [0, 0, width, height, 0, 0, width, height, u64::from(planes), u64::from(c::GL_NEAREST)];
        self.own_call(id::glBlitFramebuffer, &words);
        self.own_call(id::glBindFramebuffer, &[u64::from(c::GL_FRAMEBUFFER), 0]);
        self.delete(id::glDeleteFramebuffers, source);
        self.delete(id::glDeleteTextures, texture);
    }

    /// Creates and binds a framebuffer with a renderbuffer.
    fn renderbuffer_framebuffer(&mut self, real: u32, depth: bool, stencil: bool) -> u32 {
        let target = u64::from(c::GL_FRAMEBUFFER);
        let framebuffer = self.generate(id::glGenFramebuffers);
        self.own_call(id::glBindFramebuffer, &[target, u64::from(framebuffer)]);
        let attachment = match (depth, stencil) {
            (true, true) => c::GL_DEPTH_STENCIL_ATTACHMENT,
            (true, false) => c::GL_DEPTH_ATTACHMENT,
            (false, true) => c::GL_STENCIL_ATTACHMENT,
            (false, false) => c::GL_COLOR_ATTACHMENT0,
        };
        let words = [target, u64::from(attachment), u64::from(c::GL_RENDERBUFFER), u64::from(real)];
        self.own_call(id::glFramebufferRenderbuffer, &words);
        let colour = if depth || stencil { c::GL_NONE } else { c::GL_COLOR_ATTACHMENT0 };
        self.own_call(id::glDrawBuffer, &[u64::from(colour)]);
        self.own_call(id::glReadBuffer, &[u64::from(colour)]);
        framebuffer
    }

    pub(super) fn drop_framebuffer(&mut self, framebuffer: u32) {
        self.own_call(id::glBindFramebuffer, &[u64::from(c::GL_FRAMEBUFFER), 0]);
        self.delete(id::glDeleteFramebuffers, framebuffer);
    }

    pub(super) fn component_type(&mut self, attachment: u32) -> u32 {
        let words = [c::GL_FRAMEBUFFER, attachment, c::GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE].map(u64::from);
        self.query::<1>(id::glGetFramebufferAttachmentParameteriv, &words)[0]
    }

    pub(super) fn renderbuffer_parameter(&mut self, what: u32) -> u32 {
        self.query::<1>(id::glGetRenderbufferParameteriv, &[c::GL_RENDERBUFFER, what].map(u64::from))[0]
    }

    pub(super) fn read_pixels(&mut self, [width, height]: [u32; 2], pixels: Pixels) -> Vec<u8> {
        self.read_rectangle([0, 0, width, height], pixels)
    }

    pub(super) fn read_rectangle(&mut self, [x, y, width, height]: Rectangle, pixels: Pixels) -> Vec<u8> {
        let mut bytes = vec![0u8; pixels.bytes([width, height, 1])];
        let words = [x, y, width, height, pixels.format, pixels.pixel_type].map(u64::from);
        self.own_call_writing(id::glReadPixels, &words, &mut bytes);
        bytes
    }
}

/// The format that images must have to be copied to or from a plane of a surface.
fn surface_format(plane: u32, request: &SurfaceRequest) -> Result<u32, String> {
    Ok(match (plane, request.depth, request.stencil) {
        (c::GL_COLOR, _, _) if request.red <= 8 => c::GL_RGBA8,
        (c::GL_COLOR, _, _) if request.red <= 10 => c::GL_RGB10_A2,
        (c::GL_COLOR, _, _) => c::GL_RGBA16,
        (_, depth, stencil) if depth > 0 && stencil > 0 => c::GL_DEPTH24_STENCIL8,
        (_, 16, _) => c::GL_DEPTH_COMPONENT16,
        (_, 24, _) => c::GL_DEPTH_COMPONENT24,
        (_, 32, _) => c::GL_DEPTH_COMPONENT32,
        (_, 0, _) => c::GL_STENCIL_INDEX8,
        (_, bits, _) => return Err(format!("its depth has {bits} bits")),
    })
}

/// Returns the form in which a plane of a surface is read.
pub(super) fn surface_pixels(plane: u32, request: &SurfaceRequest) -> Pixels {
    match plane {
        c::GL_COLOR => Pixels::of_normalized(request.red.cast_unsigned()),
        _ => Pixels::of_depth(request.depth.cast_unsigned(), false, request.stencil.cast_unsigned()),
    }
}

fn planes(format: u32) -> u32 {
    match format {
        c::GL_DEPTH_STENCIL => c::GL_DEPTH_BUFFER_BIT | c::GL_STENCIL_BUFFER_BIT,
        c::GL_DEPTH_COMPONENT => c::GL_DEPTH_BUFFER_BIT,
        c::GL_STENCIL_INDEX => c::GL_STENCIL_BUFFER_BIT,
        _ => c::GL_COLOR_BUFFER_BIT,
    }
}

fn attachment(format: u32) -> u32 {
    match format {
        c::GL_DEPTH_STENCIL => c::GL_DEPTH_STENCIL_ATTACHMENT,
        c::GL_DEPTH_COMPONENT => c::GL_DEPTH_ATTACHMENT,
        c::GL_STENCIL_INDEX => c::GL_STENCIL_ATTACHMENT,
        _ => c::GL_COLOR_ATTACHMENT0,
    }
}
