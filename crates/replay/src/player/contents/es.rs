//! Reads contents in an OpenGL ES context: on drivers that do not share objects between OpenGL ES and OpenGL, no other
//! context has those of an OpenGL ES program.
//!
//! OpenGL ES reads pixels of framebuffers only, so what no framebuffer takes is named.

mod depth;

use api::call::MapHandle;
use api::{Namespace, constant as c, id};
use chronicle::trim::DriverContents;

use super::format::Pixels;
use super::{Contents, is_sampled};
use crate::player::Player;
use depth::DepthFormat;

/// The version that tells the sizes and formats of levels.
const NEEDED: [u32; 2] = [3, 1];

const NO_DEPTH: &str = "OpenGL ES does not read depth and stencil of this format back";
const NO_SAMPLES: &str = "OpenGL ES does not read single samples back";
const NO_FRAMEBUFFER: &str = "OpenGL ES reads back only formats that it can draw to";

impl Player {
    /// Returns the contents of an object of the context that is current, or why they cannot be read back.
    pub(super) fn read_in_es(&mut self, wanted: &DriverContents) -> Result<Vec<Contents>, String> {
        let DriverContents::Object { context, space, name, target } = *wanted else {
            return Err(super::NOT_DESKTOP.to_owned());
        };
        while self.take_error() != 0 {}
        let version = [c::GL_MAJOR_VERSION, c::GL_MINOR_VERSION]
            .map(|what| self.query::<1>(id::glGetIntegerv, &[u64::from(what)])[0]);
        if version < NEEDED {
            return Err(format!("reading them back needs OpenGL ES {}.{}", NEEDED[0], NEEDED[1]));
        }
        let Some(real) = self.world.name_in(context, space, name) else { return Ok(Vec::new()) };
        self.own_call(id::glPixelStorei, &[u64::from(c::GL_PACK_ALIGNMENT), 1]);
        let contents = match space {
            Namespace::Buffer => self.read_buffer_by_map(context, name, real),
            Namespace::Texture => self.read_levels(context, name, real, target),
            _ => self.read_drawn_renderbuffer(context, name, real),
        }?;
        match self.take_error() {
            0 => Ok(contents),
            error => Err(format!("the driver does not return them (error {error:#06x})")),
        }
    }

    /// Reads a copy of a buffer: the program may have mapped the buffer itself.
    fn read_buffer_by_map(&mut self, context: u32, name: u32, real: u32) -> Result<Vec<Contents>, String> {
        let [from, to] = [c::GL_COPY_READ_BUFFER, c::GL_COPY_WRITE_BUFFER].map(u64::from);
        self.own_call(id::glBindBuffer, &[from, u64::from(real)]);
        let length = self.bound_buffer_size(from);
        let mut contents = Contents::empty(context, c::GL_BUFFER, name, 0);
        contents.size = [length as u32, 1, 1];
        if length > 0 {
            let copy = self.generate(id::glGenBuffers);
            self.own_call(id::glBindBuffer, &[to, u64::from(copy)]);
            self.own_call(id::glBufferData, &[to, length, 0, u64::from(c::GL_STREAM_READ)]);
            self.own_call(id::glCopyBufferSubData, &[from, to, 0, 0, length]);
            let map = self.own_call(id::glMapBufferRange, &[to, 0, length, u64::from(c::GL_MAP_READ_BIT)]);
            let size = usize::try_from(length).unwrap_or(0);
            let bytes = if map == 0 { None } else { self.world.gl.read_map(MapHandle(map), 0, size) };
            self.own_call(id::glUnmapBuffer, &[to]);
            self.own_call(id::glBindBuffer, &[to, 0]);
            self.delete(id::glDeleteBuffers, copy);
            contents.bytes = bytes.ok_or("the driver does not map a copy of it")?;
        }
        self.own_call(id::glBindBuffer, &[from, 0]);
        Ok(vec![contents])
    }

    fn read_levels(&mut self, context: u32, name: u32, real: u32, target: u32) -> Result<Vec<Contents>, String> {
        if target == c::GL_TEXTURE_BUFFER {
            return Ok(Vec::new());
        }
        if is_sampled(target) {
            return Err(NO_SAMPLES.to_owned());
        }
        self.own_call(id::glBindTexture, &[u64::from(target), u64::from(real)]);
        let framebuffer = self.generate(id::glGenFramebuffers);
        self.own_call(id::glBindFramebuffer, &[u64::from(c::GL_READ_FRAMEBUFFER), u64::from(framebuffer)]);
        let images = self.images_of_bound(target);
        let read = |(image, level, size)| {
            let (pixels, bytes) = self.read_level((image, real, level), size)?;
            let empty = Contents::empty(context, c::GL_TEXTURE, name, image);
            Ok(Contents { level, size, bytes, ..empty }.in_form(pixels))
        };
        let contents = images.into_iter().map(read).collect();
        self.drop_framebuffer(framebuffer);
        self.own_call(id::glBindTexture, &[u64::from(target), 0]);
        contents
    }

    /// Reads an image of the texture that is bound, layer by layer, through the framebuffer that is bound.
    fn read_level(
        &mut self,
        (image, real, level): (u32, u32, u32),
        size: [u32; 3],
    ) -> Result<(Pixels, Vec<u8>), String> {
        if self.level_parameter(image, level, c::GL_TEXTURE_COMPRESSED) != 0 {
            return Err(NO_FRAMEBUFFER.to_owned());
        }
        let pixels = Pixels::of(|what| match what {
            // They are of desktop OpenGL, and a query would be an error.
            c::GL_TEXTURE_LUMINANCE_SIZE | c::GL_TEXTURE_INTENSITY_SIZE => 0,
            _ => self.level_parameter(image, level, what),
        })?;
        let [width, height, depth] = size;
        let mut bytes = Vec::new();
        for layer in 0..depth {
            let attach = |player: &mut Player, place: u64| {
                let [framebuffer, image, level] = [c::GL_READ_FRAMEBUFFER, image, level].map(u64::from);
                let [real, layer] = [real, layer].map(u64::from);
                let layered = [c::GL_TEXTURE_3D, c::GL_TEXTURE_2D_ARRAY, c::GL_TEXTURE_CUBE_MAP_ARRAY]
                    .map(u64::from)
                    .contains(&image);
                if layered {
                    player.own_call(id::glFramebufferTextureLayer, &[framebuffer, place, real, level, layer]);
                } else {
                    player.own_call(id::glFramebufferTexture2D, &[framebuffer, place, image, real, level]);
                }
            };
            if has_depth(pixels) {
                let format = DepthFormat {
                    bits: [c::GL_TEXTURE_DEPTH_SIZE, c::GL_TEXTURE_STENCIL_SIZE]
                        .map(|what| self.level_parameter(image, level, what)),
                    float: self.level_parameter(image, level, c::GL_TEXTURE_DEPTH_TYPE) == c::GL_FLOAT,
                };
                bytes.extend(self.read_depth_in_es(format, [width, height], attach)?);
            } else {
                attach(self, u64::from(c::GL_COLOR_ATTACHMENT0));
                bytes.extend(self.read_framebuffer([width, height], pixels)?);
            }
        }
        Ok((pixels, bytes))
    }

    /// Reads the colours of the framebuffer that is bound for reading.
    fn read_framebuffer(&mut self, size: [u32; 2], pixels: Pixels) -> Result<Vec<u8>, String> {
        let status = self.own_call(id::glCheckFramebufferStatus, &[u64::from(c::GL_READ_FRAMEBUFFER)]);
        if status as u32 != c::GL_FRAMEBUFFER_COMPLETE {
            return Err(NO_FRAMEBUFFER.to_owned());
        }
        Ok(self.read_pixels(size, pixels))
    }

    fn read_drawn_renderbuffer(&mut self, context: u32, name: u32, real: u32) -> Result<Vec<Contents>, String> {
        self.own_call(id::glBindRenderbuffer, &[u64::from(c::GL_RENDERBUFFER), u64::from(real)]);
        let mut ask = |what| self.renderbuffer_parameter(what);
        let size = [c::GL_RENDERBUFFER_WIDTH, c::GL_RENDERBUFFER_HEIGHT].map(&mut ask);
        if size.contains(&0) {
            return Ok(Vec::new());
        }
        if ask(c::GL_RENDERBUFFER_SAMPLES) > 0 {
            return Err(NO_SAMPLES.to_owned());
        }
        let depth = [c::GL_RENDERBUFFER_DEPTH_SIZE, c::GL_RENDERBUFFER_STENCIL_SIZE].map(&mut ask);
        let internal = ask(c::GL_RENDERBUFFER_INTERNAL_FORMAT);
        if depth != [0, 0] {
            return self.read_depth_renderbuffer((context, name, real), internal, (depth, size));
        }
        let bits = [
            c::GL_RENDERBUFFER_RED_SIZE,
            c::GL_RENDERBUFFER_GREEN_SIZE,
            c::GL_RENDERBUFFER_BLUE_SIZE,
            c::GL_RENDERBUFFER_ALPHA_SIZE,
        ]
        .map(&mut ask);
        let mut contents = Contents::empty(context, c::GL_RENDERBUFFER, name, internal);
        contents.size = [size[0], size[1], 1];
        let framebuffer = self.generate(id::glGenFramebuffers);
        let [target, place, kind] = [c::GL_FRAMEBUFFER, c::GL_COLOR_ATTACHMENT0, c::GL_RENDERBUFFER].map(u64::from);
        self.own_call(id::glBindFramebuffer, &[target, u64::from(framebuffer)]);
        self.own_call(id::glFramebufferRenderbuffer, &[target, place, kind, u64::from(real)]);
        let component = self.component_type(c::GL_COLOR_ATTACHMENT0);
        let pixels = Pixels::of_colour(bits.into_iter().max().unwrap_or(0), component).ok_or(NO_FRAMEBUFFER);
        let read = pixels.map_err(str::to_owned).and_then(|pixels| Ok((pixels, self.read_framebuffer(size, pixels)?)));
        self.drop_framebuffer(framebuffer);
        let (pixels, bytes) = read?;
        Ok(vec![Contents { bytes, ..contents }.in_form(pixels)])
    }

    fn read_depth_renderbuffer(
        &mut self,
        (context, name, real): (u32, u32, u32),
        internal: u32,
        (bits, size): ([u32; 2], [u32; 2]),
    ) -> Result<Vec<Contents>, String> {
        let float = matches!(internal, c::GL_DEPTH_COMPONENT32F | c::GL_DEPTH32F_STENCIL8);
        let format = DepthFormat { bits, float };
        let framebuffer = self.generate(id::glGenFramebuffers);
        let [target, kind] = [c::GL_READ_FRAMEBUFFER, c::GL_RENDERBUFFER].map(u64::from);
        self.own_call(id::glBindFramebuffer, &[target, u64::from(framebuffer)]);
        let read = self.read_depth_in_es(format, size, |player, place| {
            player.own_call(id::glFramebufferRenderbuffer, &[target, place, kind, u64::from(real)]);
        });
        self.drop_framebuffer(framebuffer);
        let mut contents = Contents::empty(context, c::GL_RENDERBUFFER, name, internal);
        contents.size = [size[0], size[1], 1];
        contents.bytes = read?;
        Ok(vec![contents.in_form(format.pixels())])
    }
}

fn has_depth(pixels: Pixels) -> bool {
    matches!(pixels.format, c::GL_DEPTH_COMPONENT | c::GL_DEPTH_STENCIL | c::GL_STENCIL_INDEX)
}
