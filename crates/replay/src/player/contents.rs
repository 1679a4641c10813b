//! Contents of objects and surfaces: reads them from the driver, and writes them back.

mod es;
mod format;
mod look;
mod plane;
mod samples;

use api::call::{CallMemory, PointerArgument};
use api::{Namespace, constant as c, id};
use chronicle::trim::DriverContents;
use trace::{Call, Reader};

use super::Player;
use super::arguments::bytes;
use crate::ReplayError;
use format::Pixels;
use samples::{Extent, Plane};

/// Contents of an object or surface: the arguments of an `afiContents`, and the bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// A context of the object's share group.
    pub context: u32,
    /// `GL_BUFFER`, `GL_TEXTURE`, `GL_RENDERBUFFER` or `GL_FRAMEBUFFER_DEFAULT`.
    pub kind: u32,
    /// Its recorded name, or the number of a surface.
    pub name: u32,
    /// The target of an image, or a plane.
    pub target: u32,
    /// The level of an image. Images whose pixels have several samples have one level; there it is the number of samples,
    /// and the bytes are those of all samples of the first layer, of the second, and so on.
    pub level: u32,
    /// Width, height and depth.
    pub size: [u32; 3],
    /// The format of pixels; 0 for bytes and compressed images.
    pub format: u32,
    /// The type of pixels; the internal format of compressed images.
    pub pixel_type: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Contents {
    /// Returns empty contents of an object.
    fn empty(context: u32, kind: u32, name: u32, target: u32) -> Contents {
        let (level, size, format, pixel_type, bytes) = (0, [0; 3], 0, 0, Vec::new());
        Contents { context, kind, name, target, level, size, format, pixel_type, bytes }
    }

    /// Returns these contents with pixels in a form.
    fn in_form(self, pixels: Pixels) -> Contents {
        Contents { format: pixels.format, pixel_type: pixels.pixel_type, ..self }
    }

    /// Returns the word for its kind of object.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match self.kind {
            c::GL_BUFFER => "buffer",
            c::GL_TEXTURE => "texture",
            c::GL_RENDERBUFFER => "renderbuffer",
            _ => "surface",
        }
    }

    /// Returns the arguments of the `afiContents`.
    #[must_use]
    pub fn arguments(&self) -> [u64; 12] {
        let [width, height, depth] = self.size;
        let words = [self.context, self.kind, self.name, self.target, self.level, width, height, depth];
        let mut arguments = [0; 12];
        for (argument, word) in arguments.iter_mut().zip(words.into_iter().chain([self.format, self.pixel_type])) {
            *argument = u64::from(word);
        }
        arguments[10] = self.bytes.len() as u64;
        // Any address that is not taken for an offset into a buffer.
        arguments[11] = 1 << 32;
        arguments
    }
}

/// What contents are read for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To look at them: colours of any floats are floats.
    Look,
    /// To write them back, and nothing else: they are in the form that drivers are fastest with.
    Keep,
}

/// No driver has more levels.
const LEVELS: u32 = 16;

const FACES: [u32; 6] = [
    c::GL_TEXTURE_CUBE_MAP_POSITIVE_X,
    c::GL_TEXTURE_CUBE_MAP_NEGATIVE_X,
    c::GL_TEXTURE_CUBE_MAP_POSITIVE_Y,
    c::GL_TEXTURE_CUBE_MAP_NEGATIVE_Y,
    c::GL_TEXTURE_CUBE_MAP_POSITIVE_Z,
    c::GL_TEXTURE_CUBE_MAP_NEGATIVE_Z,
];

impl Player {
    /// Returns the contents of an object or surface, or why they cannot be read back.
    ///
    /// # Errors
    /// When a context cannot be created.
    pub fn read_contents(&mut self, wanted: &DriverContents) -> Result<Result<Vec<Contents>, String>, ReplayError> {
        let (context, surface) = match *wanted {
            DriverContents::Object { context, .. } => (context, 0),
            DriverContents::Surface { context, surface, .. } => (context, surface),
        };
        self.finish();
        let desktop = self.world.step_aside(context, surface)?;
        let taken = if desktop { self.read_aside(wanted, Purpose::Look) } else { self.read_in_es(wanted) };
        self.world.step_back()?;
        Ok(taken)
    }

    /// Returns the contents of several objects and surfaces in order, or for each why they cannot be read back.
    ///
    /// # Errors
    /// When a context cannot be created.
    pub(crate) fn read_all_contents(
        &mut self,
        wanted: &[DriverContents],
        purpose: Purpose,
    ) -> Result<Vec<Result<Vec<Contents>, String>>, ReplayError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        self.finish();
        let mut taken = Vec::new();
        let mut aside: Option<((u32, u32), bool)> = None;
        for one in wanted {
            let place = match *one {
                DriverContents::Object { context, .. } => (context, 0),
                DriverContents::Surface { context, surface, .. } => (context, surface),
            };
            let desktop = match aside {
                Some((there, desktop)) if there == place => desktop,
                _ => self.world.step_aside(place.0, place.1)?,
            };
            aside = Some((place, desktop));
            taken.push(if desktop { self.read_aside(one, purpose) } else { Err(NOT_DESKTOP.to_owned()) });
        }
        self.world.step_back()?;
        Ok(taken)
    }

    /// Writes contents back to their objects and surfaces. Returns why that is not possible otherwise.
    ///
    /// # Errors
    /// When a context cannot be created.
    pub(crate) fn write_all_contents<'a>(
        &mut self,
        contents: impl IntoIterator<Item = &'a Contents>,
    ) -> Result<Result<(), String>, ReplayError> {
        self.finish();
        let (mut aside, mut given) = (None, Ok(()));
        for one in contents {
            let place = (one.context, if one.kind == c::GL_FRAMEBUFFER_DEFAULT { one.name } else { 0 });
            if aside != Some(place) {
                if !self.world.step_aside(place.0, place.1)? {
                    given = Err(NOT_DESKTOP.to_owned());
                    break;
                }
                aside = Some(place);
            }
            given = self.write_aside(one);
            if given.is_err() {
                break;
            }
        }
        if aside.is_some() {
            self.finish();
            self.world.step_back()?;
        }
        Ok(given)
    }

    fn read_aside(&mut self, wanted: &DriverContents, purpose: Purpose) -> Result<Vec<Contents>, String> {
        while self.take_error() != 0 {}
        self.own_call(id::glPixelStorei, &[u64::from(c::GL_PACK_ALIGNMENT), 1]);
        let contents = match *wanted {
            DriverContents::Object { context, space, name, target } => {
                let Some(real) = self.world.name_in(context, space, name) else { return Ok(Vec::new()) };
                match space {
                    Namespace::Buffer => self.read_buffer(context, name, real),
                    Namespace::Texture => self.read_texture((context, name), real, target, purpose),
                    _ => self.read_renderbuffer(context, name, real),
                }
            }
            DriverContents::Surface { context, surface, plane } => self.read_surface(context, surface, plane),
        }?;
        match self.take_error() {
            0 => Ok(contents),
            error => Err(format!("the driver does not return them (error {error:#06x})")),
        }
    }

    fn read_buffer(&mut self, context: u32, name: u32, real: u32) -> Result<Vec<Contents>, String> {
        let target = u64::from(c::GL_COPY_READ_BUFFER);
        self.own_call(id::glBindBuffer, &[target, u64::from(real)]);
        let mut bytes = vec![0u8; usize::try_from(self.bound_buffer_size(target)).unwrap_or(0)];
        self.own_call_writing(id::glGetBufferSubData, &[target, 0, bytes.len() as u64], &mut bytes);
        self.own_call(id::glBindBuffer, &[target, 0]);
        let length = bytes.len() as u32;
        Ok(vec![Contents {
            context,
            kind: c::GL_BUFFER,
            name,
            target: 0,
            level: 0,
            size: [length, 1, 1],
            format: 0,
            pixel_type: 0,
            bytes,
        }])
    }

    fn read_texture(
        &mut self,
        (context, name): (u32, u32),
        real: u32,
        target: u32,
        purpose: Purpose,
    ) -> Result<Vec<Contents>, String> {
        match target {
            c::GL_TEXTURE_BUFFER => return Ok(Vec::new()),
            _ if is_sampled(target) => {
                return self.read_sampled_texture(context, name, real, target);
            }
            _ => {}
        }
        self.own_call(id::glBindTexture, &[u64::from(target), u64::from(real)]);
        let mut contents = Vec::new();
        for (image, level, size) in self.images_of_bound(target) {
            let (format, pixel_type, bytes) = if self.level_parameter(image, level, c::GL_TEXTURE_COMPRESSED) != 0 {
                let length = self.level_parameter(image, level, c::GL_TEXTURE_COMPRESSED_IMAGE_SIZE) as usize;
                let mut bytes = vec![0u8; length];
                self.own_call_writing(id::glGetCompressedTexImage, &[image, level].map(u64::from), &mut bytes);
                (0, self.level_parameter(image, level, c::GL_TEXTURE_INTERNAL_FORMAT), bytes)
            } else {
                let ask = |what| self.level_parameter(image, level, what);
                let pixels = match purpose {
                    Purpose::Look => Pixels::of(ask),
                    Purpose::Keep => Pixels::to_keep(ask),
                }?;
                let mut bytes = vec![0u8; pixels.bytes(size)];
                let words = [image, level, pixels.format, pixels.pixel_type].map(u64::from);
                self.own_call_writing(id::glGetTexImage, &words, &mut bytes);
                (pixels.format, pixels.pixel_type, bytes)
            };
            let kind = c::GL_TEXTURE;
            contents.push(Contents { context, kind, name, target: image, level, size, format, pixel_type, bytes });
        }
        self.own_call(id::glBindTexture, &[u64::from(target), 0]);
        Ok(contents)
    }

    /// Returns the target, the level and the size of each image of the texture that is bound.
    fn images_of_bound(&mut self, target: u32) -> Vec<(u32, u32, [u32; 3])> {
        let images: &[u32] = if target == c::GL_TEXTURE_CUBE_MAP { &FACES } else { &[target] };
        // A query for another level of a rectangle texture is an error (GL 4.6, 8.11).
        let levels = if target == c::GL_TEXTURE_RECTANGLE { 1 } else { LEVELS };
        let mut all = Vec::new();
        for level in 0..levels {
            let before = all.len();
            for &image in images {
                let size = [c::GL_TEXTURE_WIDTH, c::GL_TEXTURE_HEIGHT, c::GL_TEXTURE_DEPTH]
                    .map(|what| self.level_parameter(image, level, what));
                if !size.contains(&0) {
                    all.push((image, level, size));
                }
            }
            // Levels in between may be missing, but only a few.
            if all.len() == before && level > 0 {
                break;
            }
        }
        all
    }

    fn read_sampled_texture(
        &mut self,
        context: u32,
        name: u32,
        real: u32,
        target: u32,
    ) -> Result<Vec<Contents>, String> {
        self.own_call(id::glBindTexture, &[u64::from(target), u64::from(real)]);
        let [width, height, layers, samples, internal] = [
            c::GL_TEXTURE_WIDTH,
            c::GL_TEXTURE_HEIGHT,
            c::GL_TEXTURE_DEPTH,
            c::GL_TEXTURE_SAMPLES,
            c::GL_TEXTURE_INTERNAL_FORMAT,
        ]
        .map(|what| self.level_parameter(target, 0, what));
        if width == 0 || height == 0 || layers == 0 {
            return Ok(Vec::new());
        }
        let pixels = Pixels::of(|what| self.level_parameter(target, 0, what))?;
        self.own_call(id::glBindTexture, &[u64::from(target), 0]);
        let extent = Extent { size: [width, height], layers, samples };
        let contents = Contents::empty(context, c::GL_TEXTURE, name, target);
        let planes = Plane::all(pixels);
        let framebuffer = self.sampled_framebuffer();
        let taken = self.read_samples(extent, (internal, pixels, &planes), &contents, |player, layer| {
            player.show_layer(c::GL_READ_FRAMEBUFFER, framebuffer, &planes, (target, real, layer));
        });
        self.drop_framebuffer(framebuffer);
        taken
    }

    fn write_sampled_texture(&mut self, contents: &Contents, real: u32) -> Result<(), String> {
        self.own_call(id::glBindTexture, &[u64::from(contents.target), u64::from(real)]);
        let pixels = Pixels::of(|what| self.level_parameter(contents.target, 0, what))?;
        self.own_call(id::glBindTexture, &[u64::from(contents.target), 0]);
        let planes = Plane::all(pixels);
        let framebuffer = self.sampled_framebuffer();
        let given = self.write_samples(contents, |player, layer| {
            player.show_layer(c::GL_DRAW_FRAMEBUFFER, framebuffer, &planes, (contents.target, real, layer));
        });
        self.drop_framebuffer(framebuffer);
        given
    }

    /// Links a vertex and a fragment shader.
    fn program_of(&mut self, texts: [&str; 2]) -> Option<u64> {
        let program = self.own_call(id::glCreateProgram, &[]);
        for (kind, text) in [c::GL_VERTEX_SHADER, c::GL_FRAGMENT_SHADER].into_iter().zip(texts) {
            let shader = self.own_call(id::glCreateShader, &[u64::from(kind)]);
            self.set_shader_source(shader, text.as_bytes());
            self.own_call(id::glCompileShader, &[shader]);
            self.own_call(id::glAttachShader, &[program, shader]);
            self.own_call(id::glDeleteShader, &[shader]);
        }
        self.own_call(id::glLinkProgram, &[program]);
        if self.is_linked(program) {
            return Some(program);
        }
        self.own_call(id::glDeleteProgram, &[program]);
        None
    }

    fn level_parameter(&mut self, image: u32, level: u32, what: u32) -> u32 {
        self.query::<1>(id::glGetTexLevelParameteriv, &[image, level, what].map(u64::from))[0]
    }

    /// Writes contents back to their object or surface.
    pub(super) fn restore(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let Some(data) = call.input(11) else { return Ok(()) };
        let Some(bytes) = bytes(reader, data)? else { return Ok(()) };
        let word = |at: usize| call.args.get(at).copied().unwrap_or(0) as u32;
        let contents = Contents {
            context: word(0),
            kind: word(1),
            name: word(2),
            target: word(3),
            level: word(4),
            size: [word(5), word(6), word(7)],
            format: word(8),
            pixel_type: word(9),
            bytes: bytes.to_vec(),
        };
        self.finish();
        let surface = if contents.kind == c::GL_FRAMEBUFFER_DEFAULT { contents.name } else { 0 };
        let desktop = self.world.step_aside(contents.context, surface)?;
        let given = if desktop { self.write_aside(&contents) } else { Err(NOT_DESKTOP.to_owned()) };
        self.finish();
        self.world.step_back()?;
        if surface != 0 {
            self.world.filled(surface);
        }
        if let Err(why) = given {
            let text =
                format!("the contents of {} {} could not be written back: {why}", contents.what(), contents.name);
            self.problem(call.number, &text);
        }
        Ok(())
    }

    fn write_aside(&mut self, contents: &Contents) -> Result<(), String> {
        while self.take_error() != 0 {}
        self.own_call(id::glPixelStorei, &[u64::from(c::GL_UNPACK_ALIGNMENT), 1]);
        let space = match contents.kind {
            c::GL_BUFFER => Namespace::Buffer,
            c::GL_TEXTURE => Namespace::Texture,
            c::GL_RENDERBUFFER => Namespace::Renderbuffer,
            _ => {
                self.write_surface(contents)?;
                return self.settled();
            }
        };
        let Some(real) = self.world.name_in(contents.context, space, contents.name) else {
            return Err("there is no such object".to_owned());
        };
        match contents.kind {
            c::GL_BUFFER => self.write_buffer(contents, real),
            c::GL_TEXTURE if is_sampled(contents.target) => self.write_sampled_texture(contents, real)?,
            c::GL_TEXTURE => self.write_texture(contents, real),
            _ => self.write_renderbuffer(contents, real)?,
        }
        self.settled()
    }

    fn settled(&mut self) -> Result<(), String> {
        match self.take_error() {
            0 => Ok(()),
            error => Err(format!("the driver reports error {error:#06x}")),
        }
    }

    /// Copies bytes through another buffer, which is allowed for every buffer, mapped or not.
    fn write_buffer(&mut self, contents: &Contents, real: u32) {
        let (from, to) = (u64::from(c::GL_COPY_READ_BUFFER), u64::from(c::GL_COPY_WRITE_BUFFER));
        let length = contents.bytes.len() as u64;
        let other = self.generate(id::glGenBuffers);
        self.own_call(id::glBindBuffer, &[from, u64::from(other)]);
        self.set_buffer_data(from, &contents.bytes, c::GL_STREAM_COPY);
        self.own_call(id::glBindBuffer, &[to, u64::from(real)]);
        self.own_call(id::glCopyBufferSubData, &[from, to, 0, 0, length]);
        self.own_call(id::glBindBuffer, &[to, 0]);
        self.delete(id::glDeleteBuffers, other);
    }

    /// Returns the size in bytes of the buffer bound to a target.
    pub(crate) fn bound_buffer_size(&mut self, target: u64) -> u64 {
        self.query_long(id::glGetBufferParameteri64v, &[target, u64::from(c::GL_BUFFER_SIZE)]).cast_unsigned()
    }

    /// Gives the buffer bound to a target new storage with these bytes.
    pub(crate) fn set_buffer_data(&mut self, target: u64, bytes: &[u8], usage: u32) {
        let words = [target, bytes.len() as u64, 0, u64::from(usage)];
        let data = PointerArgument { param: 2, memory: CallMemory::Input(bytes) };
        self.own_call_with(id::glBufferData, &words, &mut [data]);
    }

    fn write_texture(&mut self, contents: &Contents, real: u32) {
        let image = u64::from(contents.target);
        let target = if FACES.contains(&contents.target) { c::GL_TEXTURE_CUBE_MAP } else { contents.target };
        self.own_call(id::glBindTexture, &[u64::from(target), u64::from(real)]);
        let level = u64::from(contents.level);
        let [width, height, depth] = contents.size.map(u64::from);
        let compressed = contents.format == 0;
        // Compressed bytes are described by their number, others by their type.
        let tail = if compressed {
            [u64::from(contents.pixel_type), contents.bytes.len() as u64]
        } else {
            [u64::from(contents.format), u64::from(contents.pixel_type)]
        };
        let ([a, b], bytes) = (tail, &contents.bytes[..]);
        match contents.target {
            c::GL_TEXTURE_1D => {
                let id = if compressed { id::glCompressedTexSubImage1D } else { id::glTexSubImage1D };
                self.own_call_reading(id, &[image, level, 0, width, a, b], bytes);
            }
            c::GL_TEXTURE_3D | c::GL_TEXTURE_2D_ARRAY | c::GL_TEXTURE_CUBE_MAP_ARRAY => {
                let id = if compressed { id::glCompressedTexSubImage3D } else { id::glTexSubImage3D };
                self.own_call_reading(id, &[image, level, 0, 0, 0, width, height, depth, a, b], bytes);
            }
            _ => {
                let id = if compressed { id::glCompressedTexSubImage2D } else { id::glTexSubImage2D };
                self.own_call_reading(id, &[image, level, 0, 0, width, height, a, b], bytes);
            }
        }
        self.own_call(id::glBindTexture, &[u64::from(target), 0]);
    }
}

/// Returns whether textures of a target are multisampled.
fn is_sampled(target: u32) -> bool {
    matches!(target, c::GL_TEXTURE_2D_MULTISAMPLE | c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY)
}

const NOT_DESKTOP: &str =
    "this driver does not share objects between OpenGL ES and OpenGL, which is needed to read them";
