//! Multisampled images. GL reads and writes their pixels as a whole only, so shaders access the samples: they are copied to a
//! texture of the same format and fetched from there one by one; and they are drawn one by one, with a sample mask.
//!
//! Contents are stored as a shader fetches them, as numbers of 32 bits, which is exact for every format.

use api::{constant as c, id};

use super::super::Player;
use super::Contents;
use super::format::Pixels;

/// The size of a layer, and the numbers of layers and samples.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub size: [u32; 2],
    pub layers: u32,
    pub samples: u32,
}

impl Extent {
    /// Returns the extent of contents.
    pub fn of(contents: &Contents) -> Extent {
        let [width, height, layers] = contents.size;
        Extent { size: [width, height], layers, samples: contents.level }
    }
}

/// The values of a plane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plane {
    /// Colours that a shader sees as numbers with fractions.
    Colour,
    Signed,
    Unsigned,
    Depth,
    Stencil,
}

const VERTEX: &str = "#version 150
void main() {
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
";

impl Plane {
    /// Returns the planes of pixels that have this form with one sample.
    pub fn all(pixels: Pixels) -> Vec<Plane> {
        match (pixels.format, pixels.pixel_type) {
            (c::GL_DEPTH_STENCIL, _) => vec![Plane::Depth, Plane::Stencil],
            (c::GL_DEPTH_COMPONENT, _) => vec![Plane::Depth],
            (c::GL_STENCIL_INDEX, _) => vec![Plane::Stencil],
            (c::GL_RGBA_INTEGER, c::GL_INT) => vec![Plane::Signed],
            (c::GL_RGBA_INTEGER, _) => vec![Plane::Unsigned],
            _ => vec![Plane::Colour],
        }
    }

    /// Returns the plane of contents.
    fn of(contents: &Contents) -> Plane {
        match (contents.format, contents.pixel_type) {
            (c::GL_RED, _) => Plane::Depth,
            (c::GL_RED_INTEGER, _) => Plane::Stencil,
            (c::GL_RGBA_INTEGER, c::GL_INT) => Plane::Signed,
            (c::GL_RGBA_INTEGER, _) => Plane::Unsigned,
            _ => Plane::Colour,
        }
    }

    /// The format of a texture that has its values, and in which form they are read and written.
    fn form(self) -> (u32, Pixels) {
        match self {
            Plane::Colour => (c::GL_RGBA32F, Pixels::FLOATS),
            Plane::Signed => (c::GL_RGBA32I, Pixels::INTEGERS),
            Plane::Unsigned => (c::GL_RGBA32UI, Pixels::NATURALS),
            Plane::Depth => (c::GL_R32F, Pixels::FLOAT),
            Plane::Stencil => (c::GL_R8UI, Pixels::INDEX),
        }
    }

    /// The letter before the names of its types in shaders.
    fn letter(self) -> &'static str {
        match self {
            Plane::Signed => "i",
            Plane::Unsigned | Plane::Stencil => "u",
            Plane::Colour | Plane::Depth => "",
        }
    }

    /// A shader that fetches one sample of each pixel.
    fn reader(self) -> String {
        let letter = self.letter();
        format!(
            "#version 150
uniform {letter}sampler2DMS source;
uniform int which;
out {letter}vec4 value;
void main() {{
    value = texelFetch(source, ivec2(gl_FragCoord.xy), which);
}}
"
        )
    }

    /// A shader that writes the values of a texture. Stencil is written bit by bit.
    fn writer(self) -> String {
        let letter = self.letter();
        let (declared, work) = match self {
            Plane::Depth => (String::new(), "gl_FragDepth = texelFetch(source, ivec2(gl_FragCoord.xy), 0).r;"),
            Plane::Stencil => (
                "uniform int which;".to_owned(),
                "if ((int(texelFetch(source, ivec2(gl_FragCoord.xy), 0).r) & which) == 0) discard;",
            ),
            _ => (format!("out {letter}vec4 value;"), "value = texelFetch(source, ivec2(gl_FragCoord.xy), 0);"),
        };
        format!("#version 150\nuniform {letter}sampler2D source;\n{declared}\nvoid main() {{\n    {work}\n}}\n")
    }

    /// The bit of `glBlitFramebuffer` and `glClear`.
    fn bit(self) -> u32 {
        match self {
            Plane::Depth => c::GL_DEPTH_BUFFER_BIT,
            Plane::Stencil => c::GL_STENCIL_BUFFER_BIT,
            _ => c::GL_COLOR_BUFFER_BIT,
        }
    }
}

impl Player {
    /// Returns the contents of planes of all samples, layer by layer; each layer in turn is attached to the framebuffer that is
    /// read. `internal` is the format, in the form of `pixels`; `like` describes the contents, without the values.
    pub(super) fn read_samples(
        &mut self,
        extent: Extent,
        (internal, pixels, planes): (u32, Pixels, &[Plane]),
        like: &Contents,
        mut layer: impl FnMut(&mut Player, u32),
    ) -> Result<Vec<Contents>, String> {
        let all = Plane::all(pixels);
        let [width, height] = extent.size.map(u64::from);
        let several = u64::from(c::GL_TEXTURE_2D_MULTISAMPLE);
        let flat = u64::from(c::GL_TEXTURE_2D);
        let array = self.begin_samples(extent);
        let copy = self.own_name(id::glGenTextures);
        self.own_call(id::glBindTexture, &[several, copy]);
        let words = [several, u64::from(extent.samples), u64::from(internal), width, height, 1];
        self.own_call(id::glTexImage2DMultisample, &words);
        let copied = self.own_framebuffer(c::GL_DRAW_FRAMEBUFFER, attachment(&all), several, copy);
        let mut contents: Vec<Contents> = Vec::new();
        let mut failed = None;
        for &plane in planes {
            let (of, form) = plane.form();
            let program = match self.own_program(&plane.reader()) {
                Ok(program) => program,
                Err(why) => {
                    failed = Some(why);
                    break;
                }
            };
            let values = self.own_texture(of, extent.size, form, None);
            let read = self.own_framebuffer(c::GL_FRAMEBUFFER, c::GL_COLOR_ATTACHMENT0, flat, values);
            self.own_call(id::glBindTexture, &[several, copy]);
            // Of an image with both, a shader sees the depth by default.
            let seen = if plane == Plane::Stencil { c::GL_STENCIL_INDEX } else { c::GL_DEPTH_COMPONENT };
            if all.len() > 1 {
                let mode = u64::from(c::GL_DEPTH_STENCIL_TEXTURE_MODE);
                self.own_call(id::glTexParameteri, &[several, mode, u64::from(seen)]);
            }
            let mut bytes = Vec::new();
            for number in 0..extent.layers {
                layer(self, number);
                self.own_call(id::glBindFramebuffer, &[u64::from(c::GL_DRAW_FRAMEBUFFER), copied]);
                let blit = [0, 0, width, height, 0, 0, width, height, u64::from(plane.bit()), u64::from(c::GL_NEAREST)];
                self.own_call(id::glBlitFramebuffer, &blit);
                self.own_call(id::glBindFramebuffer, &[u64::from(c::GL_FRAMEBUFFER), read]);
                for sample in 0..extent.samples {
                    self.set_own_uniform(program, b"which", sample);
                    self.own_call(id::glDrawArrays, &[u64::from(c::GL_TRIANGLES), 0, 3]);
                    bytes.extend(self.read_pixels(extent.size, form));
                }
            }
            let (format, pixel_type) = (form.format, form.pixel_type);
            let size = [extent.size[0], extent.size[1], extent.layers];
            contents.push(Contents { level: extent.samples, size, format, pixel_type, bytes, ..like.clone() });
            self.drop_framebuffer(read as u32);
            self.drop_own(id::glDeleteTextures, values);
            self.own_call(id::glDeleteProgram, &[program]);
        }
        self.drop_framebuffer(copied as u32);
        self.drop_own(id::glDeleteTextures, copy);
        self.end_samples(array);
        failed.map_or(Ok(contents), Err)
    }

    /// Writes the contents of all samples, layer by layer; each layer in turn is attached to the framebuffer that is drawn to.
    pub(super) fn write_samples(
        &mut self,
        contents: &Contents,
        mut layer: impl FnMut(&mut Player, u32),
    ) -> Result<(), String> {
        let (extent, plane) = (Extent::of(contents), Plane::of(contents));
        let (of, form) = plane.form();
        let array = self.begin_samples(extent);
        let program = self.own_program(&plane.writer())?;
        self.own_call(id::glEnable, &[u64::from(c::GL_SAMPLE_MASK)]);
        let open = u64::from(!matches!(plane, Plane::Depth | Plane::Stencil));
        self.own_call(id::glColorMask, &[open; 4]);
        match plane {
            Plane::Depth => {
                self.own_call(id::glEnable, &[u64::from(c::GL_DEPTH_TEST)]);
                self.own_call(id::glDepthFunc, &[u64::from(c::GL_ALWAYS)]);
            }
            Plane::Stencil => {
                self.own_call(id::glEnable, &[u64::from(c::GL_STENCIL_TEST)]);
                self.own_call(id::glStencilFunc, &[u64::from(c::GL_ALWAYS), 0xFF, 0xFF]);
                let [keep, replace] = [c::GL_KEEP, c::GL_REPLACE].map(u64::from);
                self.own_call(id::glStencilOp, &[keep, replace, replace]);
            }
            _ => {}
        }
        let image = form.bytes([extent.size[0], extent.size[1], 1]);
        for number in 0..extent.layers {
            layer(self, number);
            // What a shader fetches of colours in sRGB is linear.
            if plane == Plane::Colour && self.attachment_encoding() == c::GL_SRGB {
                self.own_call(id::glEnable, &[u64::from(c::GL_FRAMEBUFFER_SRGB)]);
            }
            if plane == Plane::Stencil {
                self.own_call(id::glStencilMask, &[0xFF]);
                self.own_call(id::glClear, &[u64::from(c::GL_STENCIL_BUFFER_BIT)]);
            }
            for sample in 0..extent.samples {
                let start = (number * extent.samples + sample) as usize * image;
                let Some(bytes) = contents.bytes.get(start..start + image) else { break };
                let values = self.own_texture(of, extent.size, form, Some(bytes));
                self.own_call(id::glSampleMaski, &[0, 1 << sample]);
                let bits = if plane == Plane::Stencil { 8 } else { 1 };
                for bit in 0..bits {
                    if plane == Plane::Stencil {
                        self.own_call(id::glStencilMask, &[1 << bit]);
                        self.set_own_uniform(program, b"which", 1 << bit);
                    }
                    self.own_call(id::glDrawArrays, &[u64::from(c::GL_TRIANGLES), 0, 3]);
                }
                self.drop_own(id::glDeleteTextures, values);
            }
        }
        self.own_call(id::glStencilMask, &[0xFF]);
        self.own_call(id::glColorMask, &[1; 4]);
        self.own_call(id::glSampleMaski, &[0, u64::from(u32::MAX)]);
        for what in [c::GL_SAMPLE_MASK, c::GL_DEPTH_TEST, c::GL_STENCIL_TEST, c::GL_FRAMEBUFFER_SRGB] {
            self.own_call(id::glDisable, &[u64::from(what)]);
        }
        self.own_call(id::glDeleteProgram, &[program]);
        self.end_samples(array);
        Ok(())
    }

    /// A framebuffer for [`Player::show_layer`].
    pub(super) fn sampled_framebuffer(&mut self) -> u32 {
        self.own_name(id::glGenFramebuffers) as u32
    }

    /// Attaches a layer of a texture to a framebuffer, and binds it. `shown` is the texture's target, its name and the layer.
    pub(super) fn show_layer(
        &mut self,
        target: u32,
        framebuffer: u32,
        planes: &[Plane],
        (of, texture, layer): (u32, u32, u32),
    ) {
        let attachment = attachment(planes);
        let [target, place, of, texture, layer] = [target, attachment, of, texture, layer].map(u64::from);
        self.own_call(id::glBindFramebuffer, &[target, u64::from(framebuffer)]);
        if of == u64::from(c::GL_TEXTURE_2D_MULTISAMPLE) {
            self.own_call(id::glFramebufferTexture2D, &[target, place, of, texture, 0]);
        } else {
            self.own_call(id::glFramebufferTextureLayer, &[target, place, texture, 0, layer]);
        }
        let colour = if attachment == c::GL_COLOR_ATTACHMENT0 { attachment } else { c::GL_NONE };
        let choose = if target == u64::from(c::GL_READ_FRAMEBUFFER) { id::glReadBuffer } else { id::glDrawBuffer };
        self.own_call(choose, &[u64::from(colour)]);
    }

    /// Prepares our own context for drawing images of a size. Returns a vertex array to be deleted afterwards.
    fn begin_samples(&mut self, extent: Extent) -> u64 {
        let [width, height] = extent.size.map(u64::from);
        let array = self.own_name(id::glGenVertexArrays);
        self.own_call(id::glBindVertexArray, &[array]);
        self.own_call(id::glViewport, &[0, 0, width, height]);
        array
    }

    fn end_samples(&mut self, array: u64) {
        self.own_call(id::glUseProgram, &[0]);
        self.own_call(id::glBindVertexArray, &[0]);
        self.drop_own(id::glDeleteVertexArrays, array);
    }

    /// Returns a new name from a `glGen…` command.
    fn own_name(&mut self, generate: api::CommandId) -> u64 {
        u64::from(self.generate(generate))
    }

    fn drop_own(&mut self, delete: api::CommandId, name: u64) {
        self.delete(delete, name as u32);
    }

    /// A texture of a size with values from memory, or with none, bound.
    fn own_texture(&mut self, internal: u32, [width, height]: [u32; 2], form: Pixels, data: Option<&[u8]>) -> u64 {
        let flat = u64::from(c::GL_TEXTURE_2D);
        let texture = self.own_name(id::glGenTextures);
        self.own_call(id::glBindTexture, &[flat, texture]);
        for filter in [c::GL_TEXTURE_MIN_FILTER, c::GL_TEXTURE_MAG_FILTER] {
            self.own_call(id::glTexParameteri, &[flat, u64::from(filter), u64::from(c::GL_NEAREST)]);
        }
        let [internal, width, height] = [internal, width, height].map(u64::from);
        let (format, pixel_type) = (u64::from(form.format), u64::from(form.pixel_type));
        let words = [flat, 0, internal, width, height, 0, format, pixel_type, 0];
        match data {
            Some(data) => self.own_call_reading(id::glTexImage2D, &words[..8], data),
            None => self.own_call(id::glTexImage2D, &words),
        };
        texture
    }

    /// A framebuffer of a texture, bound.
    fn own_framebuffer(&mut self, target: u32, attachment: u32, of: u64, texture: u64) -> u64 {
        let target = u64::from(target);
        let framebuffer = self.own_name(id::glGenFramebuffers);
        self.own_call(id::glBindFramebuffer, &[target, framebuffer]);
        self.own_call(id::glFramebufferTexture2D, &[target, u64::from(attachment), of, texture, 0]);
        let colour = if attachment == c::GL_COLOR_ATTACHMENT0 { attachment } else { c::GL_NONE };
        self.own_call(id::glDrawBuffer, &[u64::from(colour)]);
        if target == u64::from(c::GL_FRAMEBUFFER) {
            self.own_call(id::glReadBuffer, &[u64::from(colour)]);
        }
        framebuffer
    }

    /// A program with a fragment shader, in use.
    fn own_program(&mut self, fragment: &str) -> Result<u64, String> {
        if !self.has_function(id::glTexImage2DMultisample) || !self.has_function(id::glSampleMaski) {
            return Err("this driver cannot reach the samples of a pixel one by one".to_owned());
        }
        let program = self
            .program_of([VERTEX, fragment])
            .ok_or("this driver takes no shader that reaches the samples of a pixel one by one")?;
        self.own_call(id::glUseProgram, &[program]);
        Ok(program)
    }

    /// Sets a uniform of the program that is in use.
    fn set_own_uniform(&mut self, program: u64, name: &[u8], value: u32) {
        let place = self.own_call_text(id::glGetUniformLocation, &[program], name);
        self.own_call(id::glUniform1i, &[place, u64::from(value)]);
    }

    /// In which encoding the framebuffer that is drawn to has colours.
    fn attachment_encoding(&mut self) -> u32 {
        let bound = self.integer(c::GL_DRAW_FRAMEBUFFER_BINDING);
        let attachment = if bound == 0 { c::GL_BACK_LEFT } else { c::GL_COLOR_ATTACHMENT0 };
        let words = [c::GL_DRAW_FRAMEBUFFER, attachment, c::GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING].map(u64::from);
        self.query::<1>(id::glGetFramebufferAttachmentParameteriv, &words)[0]
    }
}

/// Where in a framebuffer planes are.
fn attachment(planes: &[Plane]) -> u32 {
    match planes {
        [Plane::Depth, Plane::Stencil] => c::GL_DEPTH_STENCIL_ATTACHMENT,
        [Plane::Depth] => c::GL_DEPTH_ATTACHMENT,
        [Plane::Stencil] => c::GL_STENCIL_ATTACHMENT,
        _ => c::GL_COLOR_ATTACHMENT0,
    }
}
