//! A framebuffer, and quads drawn to it.

use std::collections::BTreeMap;
use std::fmt;

use api::{Library, constant as c, enums, id};
use raster::Color;
use reenact::fragment_ops::{Clearing, Fate, FragmentOps, Pixel, PlaneFormat, Role, ShadedFragment};
use state::variable as var;
use testing::random::Random;
use testing::twin::{ContextKind, Twin};

use super::settings::{call, component, depth, float, set};

const SIZE: usize = 12;

/// The type of colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Float,
    Int,
    Uint,
}

/// The results so far.
#[derive(Default)]
pub struct Tally {
    pub pixels: usize,
    pub equal: usize,
    pub failed: usize,
    pub written: usize,
    pub wrong: Vec<String>,
    /// The number of pixels that are not bitwise equal, by the internal format of their first difference.
    unequal: BTreeMap<u32, usize>,
    /// The number of failed pixels of a format, to print some of each.
    shown: BTreeMap<u32, usize>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = self.equal as f64 / self.pixels.max(1) as f64 * 100.0;
        let Tally { pixels, written, failed, .. } = self;
        write!(
            f,
            "{pixels} pixels, {written} of them written, {share:.3} % bitwise equal, {failed} off by more than 1"
        )?;
        self.unequal.iter().try_for_each(|(format, count)| {
            write!(f, "; {} {count}", enums::any_name(Library::Gl, i64::from(*format)).unwrap_or("?"))
        })
    }
}

pub struct Scene {
    twin: Twin,
    kind: ContextKind,
    class: Class,
    programs: [u32; 2],
    /// The number of framebuffers so far, for their names.
    made: u64,
    buffers: usize,
    pixels: Vec<Pixel>,
}

const FLOATS: &[u32] = &[
    c::GL_RGBA8,
    c::GL_RGBA8,
    c::GL_RGB10_A2,
    c::GL_RGBA16F,
    c::GL_R11F_G11F_B10F,
    c::GL_SRGB8_ALPHA8,
    c::GL_RGB565,
    c::GL_RG8_SNORM,
    c::GL_RGBA8_SNORM,
    c::GL_RGBA16,
    c::GL_RGBA16_SNORM,
    c::GL_RGBA32F,
    c::GL_R8,
    c::GL_RG8,
    c::GL_R16F,
    c::GL_RG32F,
    c::GL_RGB5_A1,
    c::GL_RGBA4,
    c::GL_RGB8,
];
const ES_FLOATS: &[u32] = &[
    c::GL_RGBA8,
    c::GL_RGB10_A2,
    c::GL_RGBA16F,
    c::GL_SRGB8_ALPHA8,
    c::GL_RGB565,
    c::GL_R8,
    c::GL_RG8,
    c::GL_RGB5_A1,
    c::GL_RGBA4,
];
const UINTS: &[u32] = &[c::GL_RGBA8UI, c::GL_RGBA16UI, c::GL_RGBA32UI, c::GL_RG8UI, c::GL_R32UI, c::GL_RGB10_A2UI];
const INTS: &[u32] = &[c::GL_RGBA8I, c::GL_RGBA16I, c::GL_RGBA32I, c::GL_RG16I, c::GL_R8I];
const DEPTHS: &[u32] = &[
    0,
    c::GL_DEPTH_COMPONENT16,
    c::GL_DEPTH_COMPONENT24,
    c::GL_DEPTH_COMPONENT32F,
    c::GL_DEPTH24_STENCIL8,
    c::GL_DEPTH24_STENCIL8,
    c::GL_DEPTH32F_STENCIL8,
];

impl Scene {
    pub fn new(twin: Twin, kind: ContextKind, class: Class) -> Scene {
        let mut scene = Scene { twin, kind, class, programs: [0; 2], made: 0, buffers: 0, pixels: Vec::new() };
        scene.programs = [false, true].map(|second| scene.program(second));
        call(&mut scene.twin, id::glViewport, &[0, 0, SIZE as u64, SIZE as u64]);
        if kind != ContextKind::Es3 {
            let args = [u64::from(c::GL_CLAMP_READ_COLOR), u64::from(c::GL_FALSE)];
            call(&mut scene.twin, id::glClampColor, &args);
        }
        scene.twin.real(id::glPixelStorei, &[u64::from(c::GL_PACK_ALIGNMENT), 1]);
        scene
    }

    /// Creates a program that draws a rectangle of one colour for each draw buffer, at one depth.
    fn program(&self, second: bool) -> u32 {
        let (version, extension) = match self.kind {
            ContextKind::Es3 => ("320 es", "precision highp float; precision highp int;\n"),
            _ => ("400 compatibility", ""),
        };
        let prefix = match self.class {
            Class::Float => "",
            Class::Int => "i",
            Class::Uint => "u",
        };
        let vertex = format!(
            "#version {version}\nuniform float flip;\nvoid main() {{\n\
             vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;\n\
             gl_Position = vec4(at.x * flip, at.y, 0.0, 1.0); }}\n"
        );
        let outputs: String = match second {
            true => format!(
                "layout(location=0, index=0) out {prefix}vec4 o0; layout(location=0, index=1) out {prefix}vec4 o1;\n"
            ),
            false => (0..4).map(|at| format!("layout(location={at}) out {prefix}vec4 o{at};\n")).collect(),
        };
        let writes: String = (0..if second { 2 } else { 4 }).map(|at| format!("o{at} = colours[{at}];\n")).collect();
        let fragment = format!(
            "#version {version}\n{extension}uniform {prefix}vec4 colours[4]; uniform float depth; uniform int gone;\n\
             {outputs}void main() {{ {writes} gl_FragDepth = depth; if (gone != 0) discard; }}\n"
        );
        let program = self.twin.real(id::glCreateProgram, &[]);
        for (kind, text) in [(c::GL_VERTEX_SHADER, vertex), (c::GL_FRAGMENT_SHADER, fragment)] {
            let shader = self.twin.real(id::glCreateShader, &[u64::from(kind)]);
            let (pointer, length) = (text.as_ptr(), text.len() as i32);
            self.twin.real(id::glShaderSource, &[shader, 1, &raw const pointer as u64, &raw const length as u64]);
            self.twin.real(id::glCompileShader, &[shader]);
            self.twin.real(id::glAttachShader, &[program, shader]);
        }
        self.twin.real(id::glLinkProgram, &[program]);
        let mut linked = 0i32;
        self.twin.real(id::glGetProgramiv, &[program, u64::from(c::GL_LINK_STATUS), &raw mut linked as u64]);
        let mut log = [0u8; 1000];
        self.twin.real(id::glGetProgramInfoLog, &[program, 1000, 0, log.as_mut_ptr() as u64]);
        // ES has dual-source blending only by an extension, which this test does without.
        assert!(linked != 0 || (second && self.kind == ContextKind::Es3), "{}", String::from_utf8_lossy(&log));
        program as u32
    }

    /// Creates a new framebuffer.
    pub fn framebuffer(&mut self, random: &mut Random) {
        self.made += 1;
        let twin = &mut self.twin;
        let target = u64::from(c::GL_TEXTURE_2D);
        let name = 0x1000 + self.made * 16;
        let size = SIZE as u64;
        self.buffers = 1 + random.index(4);
        let formats = match (self.class, self.kind) {
            (Class::Float, ContextKind::Es3) => ES_FLOATS,
            (Class::Float, _) => FLOATS,
            (Class::Int, _) => INTS,
            (Class::Uint, _) => UINTS,
        };
        let both = u64::from(c::GL_FRAMEBUFFER);
        call(twin, id::glBindFramebuffer, &[both, name]);
        let attach = |twin: &mut Twin, texture: u64, internal: u32, places: &[u32]| {
            call(twin, id::glBindTexture, &[target, texture]);
            call(twin, id::glTexStorage2D, &[target, 1, u64::from(internal), size, size]);
            for place in places {
                call(twin, id::glFramebufferTexture2D, &[both, u64::from(*place), target, texture, 0]);
            }
        };
        for at in 0..self.buffers as u64 {
            attach(twin, name + at, random.pick(formats), &[c::GL_COLOR_ATTACHMENT0 + at as u32]);
        }
        let internal = random.pick(DEPTHS);
        match internal {
            0 => {}
            c::GL_DEPTH24_STENCIL8 | c::GL_DEPTH32F_STENCIL8 => {
                attach(twin, name + 8, internal, &[c::GL_DEPTH_ATTACHMENT, c::GL_STENCIL_ATTACHMENT]);
            }
            _ => attach(twin, name + 8, internal, &[c::GL_DEPTH_ATTACHMENT]),
        }
        let mut list: Vec<u32> = (0..self.buffers as u32).map(|at| c::GL_COLOR_ATTACHMENT0 + at).collect();
        if random.index(4) == 0 {
            let none = random.index(self.buffers);
            list[none] = c::GL_NONE;
        }
        let bytes: Vec<u8> = list.iter().flat_map(|name| name.to_le_bytes()).collect();
        twin.both(id::glDrawBuffers, &[list.len() as u64, list.as_ptr() as u64], vec![(1, bytes)], "glDrawBuffers");
        let status = twin.real(id::glCheckFramebufferStatus, &[both]);
        assert_eq!(status as u32, c::GL_FRAMEBUFFER_COMPLETE);
        assert_eq!(twin.differences(), Vec::<String>::new());
        let blank = match (self.kind, internal) {
            (ContextKind::Es3, c::GL_DEPTH24_STENCIL8 | c::GL_DEPTH32F_STENCIL8) => (Some(0.0), Some(0)),
            (ContextKind::Es3, 1..) => (Some(0.0), None),
            _ => (None, None),
        };
        self.pixels = vec![Pixel { colours: Vec::new(), depth: blank.0, stencil: blank.1 }; SIZE * SIZE];
    }

    fn tail(&self) -> FragmentOps {
        FragmentOps::new(&self.twin.model.view(0).unwrap()).unwrap()
    }

    /// Reads the driver's pixels.
    fn read(&self, tail: &FragmentOps) -> Vec<Pixel> {
        let mut pixels = self.pixels.clone();
        let name = self.twin.model.context(1).unwrap().targets.draw;
        let view = self.twin.model.view(0).unwrap();
        let buffers = view.context.framebuffers.get(&name).unwrap().buffers;
        for plane in tail.planes() {
            let (format, kind, size) = match (plane.role, plane.format) {
                (Role::Colour(buffer), PlaneFormat::Colour(stored)) => {
                    self.twin.real(id::glReadBuffer, &[u64::from(buffers.draw[buffer])]);
                    match stored.numeric {
                        raster::format::Numeric::Int => (c::GL_RGBA_INTEGER, c::GL_INT, 16),
                        raster::format::Numeric::Uint => (c::GL_RGBA_INTEGER, c::GL_UNSIGNED_INT, 16),
                        raster::format::Numeric::Float => (c::GL_RGBA, c::GL_FLOAT, 16),
                        raster::format::Numeric::Snorm if stored.bits[0] > 8 => (c::GL_RGBA, c::GL_SHORT, 8),
                        raster::format::Numeric::Snorm => (c::GL_RGBA, c::GL_BYTE, 4),
                        _ if stored.bits[0] > 8 && self.kind != ContextKind::Es3 => {
                            (c::GL_RGBA, c::GL_UNSIGNED_SHORT, 8)
                        }
                        _ if stored.bits[0] > 8 => (c::GL_RGBA, c::GL_UNSIGNED_INT_2_10_10_10_REV, 4),
                        _ => (c::GL_RGBA, c::GL_UNSIGNED_BYTE, 4),
                    }
                }
                // Depth cannot be read in ES; it keeps the computed value.
                (Role::Depth | Role::Stencil, _) if self.kind == ContextKind::Es3 => continue,
                (Role::Depth, PlaneFormat::Depth(raster::DepthFormat::Float32)) => {
                    (c::GL_DEPTH_COMPONENT, c::GL_FLOAT, 4)
                }
                (Role::Depth, _) => (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_INT, 4),
                (Role::Stencil, _) => (c::GL_STENCIL_INDEX, c::GL_UNSIGNED_BYTE, 1),
                (Role::Colour(_), _) => unreachable!("colour planes have colour formats"),
            };
            let mut bytes = vec![0u8; SIZE * SIZE * size];
            let (width, pointer) = (SIZE as u64, bytes.as_mut_ptr() as u64);
            self.twin.real(id::glReadPixels, &[0, 0, width, width, u64::from(format), u64::from(kind), pointer]);
            assert_eq!(self.twin.real_error(), 0, "reading {plane:?}");
            for (pixel, bytes) in pixels.iter_mut().zip(bytes.chunks_exact(size)) {
                if kind == c::GL_UNSIGNED_INT_2_10_10_10_REV {
                    let word = u32::from_le_bytes(bytes.try_into().unwrap());
                    let channel = |at: u32| (word >> (10 * at) & 0x3FF) as f32 / 1023.0;
                    let alpha = (word >> 30) as f32 / 3.0;
                    let Role::Colour(buffer) = plane.role else { continue };
                    pixel.colours.resize(4, None);
                    pixel.colours[buffer] = Some(Color::Float([channel(0), channel(1), channel(2), alpha]));
                    continue;
                }
                assert!(pixel.read(plane.role, tail, format, kind, bytes), "{plane:?}");
            }
        }
        pixels
    }

    fn colour(&self, random: &mut Random) -> Color {
        let natural = |random: &mut Random| match random.index(3) {
            0 => random.index(256) as u32,
            1 => random.pick(&[0, 1, 127, 128, 255, 256, 1023, 65535, 65536, u32::MAX]),
            _ => random.index(1 << 32) as u32,
        };
        match self.class {
            Class::Float => Color::Float(std::array::from_fn(|_| component(random))),
            Class::Int => Color::Int(std::array::from_fn(|_| natural(random).cast_signed())),
            Class::Uint => Color::Uint(std::array::from_fn(|_| natural(random))),
        }
    }

    /// Clears everything to some value, then parts to others.
    pub fn clears(&mut self, random: &mut Random, tally: &mut Tally) {
        for name in [c::GL_SCISSOR_TEST, c::GL_RASTERIZER_DISCARD, c::GL_STENCIL_TEST] {
            call(&mut self.twin, id::glDisable, &[u64::from(name)]);
        }
        call(&mut self.twin, id::glColorMask, &[1; 4]);
        call(&mut self.twin, id::glDepthMask, &[1]);
        call(&mut self.twin, id::glStencilMask, &[0xFF]);
        for round in 0..4 {
            if round > 0 {
                set(&mut self.twin, random, self.kind, self.buffers, false);
                call(&mut self.twin, id::glEnable, &[u64::from(c::GL_SCISSOR_TEST)]);
            }
            let mut clears = Vec::new();
            for draw_buffer in 0..self.buffers {
                clears.push(Clearing::Colour { draw_buffer, value: self.colour(random) });
            }
            clears.push(Clearing::Depth(depth(random)));
            clears.push(Clearing::Stencil(random.index(256) as i32));
            clears.push(Clearing::DepthStencil(depth(random), random.index(256) as i32));
            let all = c::GL_COLOR_BUFFER_BIT | c::GL_DEPTH_BUFFER_BIT | c::GL_STENCIL_BUFFER_BIT;
            if self.class == Class::Float {
                clears.push(Clearing::Buffers(all & random.pick(&[all, all, c::GL_COLOR_BUFFER_BIT, 0x500])));
            }
            let tail = self.tail();
            for clearing in clears {
                if round == 0 {
                    self.pixels = self.read(&tail);
                }
                self.clear(random, &clearing, tally);
            }
        }
    }

    fn clear(&mut self, random: &mut Random, clearing: &Clearing, tally: &mut Tally) {
        let words = |values: [u32; 4]| values.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let twin = &mut self.twin;
        let (command, kind, buffer, bytes) = match *clearing {
            Clearing::Buffers(mask) => {
                let colour: Vec<u64> = (0..4).map(|_| float(component(random))).collect();
                call(twin, id::glClearColor, &colour);
                call(twin, id::glClearDepthf, &[float(depth(random))]);
                call(twin, id::glClearStencil, &[random.index(256) as u64]);
                call(twin, id::glClear, &[u64::from(mask)]);
                return self.compare_clear(clearing, tally);
            }
            Clearing::DepthStencil(depth, value) => {
                let args = [u64::from(c::GL_DEPTH_STENCIL), 0, float(depth), value as u64];
                call(twin, id::glClearBufferfi, &args);
                return self.compare_clear(clearing, tally);
            }
            Clearing::Colour { draw_buffer, value } => {
                let command = match value {
                    Color::Float(_) => id::glClearBufferfv,
                    Color::Int(_) => id::glClearBufferiv,
                    Color::Uint(_) => id::glClearBufferuiv,
                };
                (command, c::GL_COLOR, draw_buffer as u64, words(value.bits()))
            }
            Clearing::Depth(depth) => (id::glClearBufferfv, c::GL_DEPTH, 0, words([depth.to_bits(), 0, 0, 0])),
            Clearing::Stencil(value) => (id::glClearBufferiv, c::GL_STENCIL, 0, words([value as u32, 0, 0, 0])),
        };
        let args = [u64::from(kind), buffer, bytes.as_ptr() as u64];
        twin.both(command, &args, vec![(2, bytes.clone())], "glClearBuffer");
        self.compare_clear(clearing, tally);
    }

    fn compare_clear(&mut self, clearing: &Clearing, tally: &mut Tally) {
        let tail = self.tail();
        let mut real = self.read(&tail);
        for (at, real) in real.iter_mut().enumerate() {
            let mut made = self.pixels[at].clone();
            let fate = tail.clear(&mut made, [(at % SIZE) as u32, (at / SIZE) as u32], clearing);
            self.keep_unreadable(&made, real);
            judge(&tail, tally, &made, real, fate, || format!("{clearing:?} over {:?}", self.pixels[at]));
        }
        // Continues with the driver's pixels, so that differences do not accumulate.
        self.pixels = real;
    }

    /// Draws a quad over everything and compares.
    pub fn draw(&mut self, random: &mut Random, tally: &mut Tally, round: usize) {
        let second =
            self.buffers == 1 && self.kind != ContextKind::Es3 && self.class == Class::Float && random.index(2) == 0;
        set(&mut self.twin, random, self.kind, self.buffers, second);
        let tail = self.tail();
        let colours: Vec<Color> = (0..4).map(|_| self.colour(random)).collect();
        let gone = random.index(12) == 0;
        let flip = random.index(3) == 0;
        let depth = match (random.index(2), self.pixels[0].depth) {
            (0, Some(held)) => held,
            _ => depth(random),
        };
        let clockwise = self.twin.model.context(1).unwrap().vars.name(var::FRONT_FACE) == c::GL_CW;
        let program = u64::from(self.programs[usize::from(second)]);
        self.twin.real(id::glUseProgram, &[program]);
        let place = |name: &str| self.twin.real(id::glGetUniformLocation, &[program, name.as_ptr() as u64]);
        let bits: Vec<u32> = colours.iter().flat_map(|colour| colour.bits()).collect();
        let command = match self.class {
            Class::Float => id::glUniform4fv,
            Class::Int => id::glUniform4iv,
            Class::Uint => id::glUniform4uiv,
        };
        self.twin.real(command, &[place("colours\0"), if second { 2 } else { 4 }, bits.as_ptr() as u64]);
        self.twin.real(id::glUniform1f, &[place("depth\0"), float(depth)]);
        self.twin.real(id::glUniform1f, &[place("flip\0"), float(if flip { -1.0 } else { 1.0 })]);
        self.twin.real(id::glUniform1i, &[place("gone\0"), gone.into()]);
        self.twin.real(id::glDrawArrays, &[u64::from(c::GL_TRIANGLE_STRIP), 0, 4]);
        assert_eq!(self.twin.real_error(), 0);
        let mut real = self.read(&tail);
        for (at, real) in real.iter_mut().enumerate() {
            let fragment = ShadedFragment {
                at: [(at % SIZE) as u32, (at / SIZE) as u32],
                depth,
                front: flip == clockwise,
                colours: colours.iter().take(if second { 1 } else { 4 }).copied().map(Some).collect(),
                second: second.then_some(colours[1]),
                discarded: gone,
                ..ShadedFragment::default()
            };
            let mut made = self.pixels[at].clone();
            let fate = tail.apply(&mut made, &fragment);
            self.keep_unreadable(&made, real);
            judge(&tail, tally, &made, real, fate, || {
                format!("{round}: {fragment:?}\n  over {:?}\n  {}", self.pixels[at], tail.describe())
            });
        }
        assert_eq!(self.twin.differences(), Vec::<String>::new());
        // Continues with the driver's pixels, so that differences do not accumulate.
        self.pixels = real;
    }

    /// Where depth and stencil cannot be read, keeps the computed values: colours show whether tests pass.
    fn keep_unreadable(&self, made: &Pixel, real: &mut Pixel) {
        if self.kind == ContextKind::Es3 {
            (real.depth, real.stencil) = (made.depth, made.stencil);
        }
    }
}

fn judge(
    tail: &FragmentOps,
    tally: &mut Tally,
    made: &Pixel,
    real: &Pixel,
    fate: Fate,
    description: impl FnOnce() -> String,
) {
    tally.pixels += 1;
    match made.differs(real, tail, 0) {
        Some(difference) => {
            let plane = tail.planes().iter().find(|plane| plane.role == difference.role).unwrap();
            *tally.unequal.entry(plane.internal_format).or_default() += 1;
        }
        None => tally.equal += 1,
    }
    tally.written += usize::from(matches!(fate, Fate::Written { .. }));
    // A smaller tolerance helps to find the rounding rules of a driver.
    let units = std::env::var("AFTERIMAGE_TAIL_UNITS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    if let Some(difference) = made.differs(real, tail, units) {
        tally.failed += 1;
        let format = tail.planes().iter().find(|plane| plane.role == difference.role).unwrap().internal_format;
        // A few of each format are enough; neighbouring pixels fail the same way.
        let seen = tally.shown.entry(format).or_default();
        *seen += 1;
        if *seen < 400 && *seen % 97 == 1 {
            tally.wrong.push(format!("{difference:?} {fate:?}\n  {}", description()));
        }
    }
}
