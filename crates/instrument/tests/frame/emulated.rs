//! Variants on the emulator.

use emulator::ir::Register;
use instrument::stream::BLOCK_HEADER;
use instrument::{Framed, Transport};
use lanes::Mask;
use pipeline::{Array, Attribute, BoundResources, BufferRange, DrawCall, Program, State, draw};
use raster::{Color, Framebuffer, PixelFormat, Topology};
use shader::version::{Options, Stage};

use crate::probes::Subjects;

/// A picture that is drawn with one triangle that covers all of it.
pub struct Picture {
    width: u32,
    height: u32,
}

/// The contents of a storage block.
pub struct Answers {
    pub count: u32,
    pub regions: Vec<Vec<u32>>,
}

impl Picture {
    pub fn new(width: u32, height: u32) -> Picture {
        Picture { width, height }
    }

    /// Draws with a variant of a fragment shader and reads its storage block.
    pub fn storage(&self, subjects: &Subjects, framed: &Framed, pick: [i32; 4], room: u32) -> Answers {
        let mut state = State::new(Framebuffer::new(self.width, self.height).with_color(PixelFormat::RGBA8));
        let regions = self.width * self.height;
        let mut words = vec![0u32, room];
        words.resize((BLOCK_HEADER + regions * room) as usize, 0);
        let buffer = state.add_buffer(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        let mut program = program(subjects, framed);
        let binding = framed.controls.binding.unwrap_or(5);
        program.set_block_binding(&framed.controls.block, binding);
        program.set_uniform(&framed.controls.regions, &[regions]);
        state.storage_buffers.insert(binding, BufferRange { buffer, offset: 0, size: None });
        run(&mut state, program, framed, (pick, 0));
        let bytes = &state.buffers[buffer.0 as usize];
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        let regions = words[BLOCK_HEADER as usize..].chunks(room as usize).map(<[u32]>::to_vec).collect();
        Answers { count: words[0], regions }
    }

    /// Draws with a variant of a fragment shader and reads one window of the picked pixel. All others must be zero.
    pub fn window(
        &self,
        subjects: &Subjects,
        framed: &Framed,
        transport: Transport,
        (pick, base): ([i32; 4], u32),
    ) -> Vec<u32> {
        let (targets, format) = match transport {
            Transport::IntegerTargets(count) => (count, PixelFormat::RGBA32UI),
            Transport::FloatTargets(count) => (count, PixelFormat::RGBA32F),
            _ => (1, PixelFormat::RGBA8),
        };
        let mut framebuffer = Framebuffer::new(self.width, self.height);
        for _ in 0..targets {
            framebuffer = framebuffer.with_color(format);
        }
        let mut state = State::new(framebuffer);
        run(&mut state, program(subjects, framed), framed, (pick, base));
        let mut found = Vec::new();
        for (x, y) in (0..self.width * self.height).map(|n| (n % self.width, n / self.width)) {
            let colors: Vec<[u32; 4]> = (0..targets as usize)
                .map(|target| match state.framebuffer.color(target, x, y).expect("a pixel") {
                    Color::Float(values) => values.map(f32::to_bits),
                    Color::Uint(words) => words,
                    Color::Int(words) => words.map(i32::cast_unsigned),
                })
                .collect();
            let words = words(transport, &colors);
            if [x, y].map(u32::cast_signed) == pick[..2] {
                found = words;
            } else {
                assert!(words.iter().all(|&word| word == 0), "pixel {x} {y} was not picked, but answered");
            }
        }
        found
    }
}

impl Picture {
    /// The fourth word of the stream of a shader with a uniform `f`.
    pub fn value(&self, subjects: &Subjects, framed: &Framed, word: u32) -> u32 {
        let framebuffer = Framebuffer::new(self.width, self.height).with_color(PixelFormat::RGBA8);
        let mut state = State::new(framebuffer);
        let mut program = program(subjects, framed);
        program.set_uniform("f", &[word]);
        run(&mut state, program, framed, ([-1; 4], 3));
        let color = state.framebuffer.color(0, 0, 0).expect("a pixel").floats().map(f32::to_bits);
        words(Transport::Bytes, &[color])[0]
    }
}

/// Runs a variant that answers in memory, for one pixel, and reads a window.
pub fn memory(subjects: &Subjects, framed: &Framed, (window, base): (u32, u32), [x, y]: [f32; 2]) -> Vec<u32> {
    let mut program = program(subjects, framed);
    program.set_uniform(&framed.controls.on, &[1]);
    program.set_uniform(&framed.controls.pick, &[u32::MAX; 4]);
    program.set_uniform(&framed.controls.base, &[base]);
    let state = State::new(Framebuffer::new(1, 1));
    let mut wave = pipeline::solo::<4>(&state, &program, Stage::Fragment).expect("an end").expect("a stage");
    let mut world = BoundResources::new(&state).world(&state, &program, Stage::Fragment).expect("a stage");
    let lowered = program.lowered(Stage::Fragment);
    let home = |name: &str| Some(lowered?.locate(name)?.1);
    let place = home("gl_FragCoord").expect("where the pixel is");
    for (register, value) in place.iter().zip([x, y, 0.0, 1.0]) {
        wave.set(register, [value.to_bits(); 4]);
    }
    wave.main(Mask::ALL, 100_000, &mut world, &mut ()).expect("an end");
    let homes: Vec<_> = framed.controls.outputs.iter().filter_map(|name| home(name)).collect();
    let word = |at: u32| {
        let bits = |start: u32| wave.register(Register(start + at))[0];
        homes.iter().fold(0, |word, home| word | bits(home.start.0))
    };
    (0..window).map(word).collect()
}

/// The words in the targets of a pixel.
pub fn words(transport: Transport, colors: &[[u32; 4]]) -> Vec<u32> {
    let number = |bits: u32, scale: f32| {
        let value = f32::from_bits(bits) * scale;
        assert!((value - value.round()).abs() < 1e-3, "{value}");
        value.round() as u32
    };
    match transport {
        Transport::IntegerTargets(_) => colors.concat(),
        Transport::FloatTargets(_) => {
            colors.concat().chunks(2).map(|half| number(half[0], 1.0) | number(half[1], 1.0) << 16).collect()
        }
        _ => vec![u32::from_le_bytes(colors[0].map(|byte| number(byte, 255.0) as u8))],
    }
}

fn program(subjects: &Subjects, framed: &Framed) -> Program {
    let es = subjects.shader.preprocessed.version.is_es();
    let version = framed.strings[0].lines().next().unwrap_or_default();
    let old = matches!(version.split(' ').nth(1), Some("100" | "110" | "120"));
    let text =
        format!("{version}\n{} vec4 at; void main() {{ gl_Position = at; }}", if old { "attribute" } else { "in" });
    let mut options = Options::new(Stage::Vertex);
    options.default_version = subjects.options.default_version;
    let vertex = shader::analyze(&[text], &options);
    assert!(!vertex.has_errors(), "{es} {:?}", vertex.diagnostics);
    let fragment = shader::analyze(&framed.strings, &subjects.options);
    Program::new(vec![vertex, fragment], &shader::link::LinkOptions::default()).expect("a program")
}

fn run(state: &mut State, mut program: Program, framed: &Framed, (pick, base): ([i32; 4], u32)) {
    program.set_uniform(&framed.controls.on, &[1]);
    program.set_uniform(&framed.controls.pick, &pick.map(i32::cast_unsigned));
    program.set_uniform(&framed.controls.base, &[base]);
    let corners = [-1.0f32, -1.0, 3.0, -1.0, -1.0, 3.0].map(f32::to_le_bytes).concat();
    let corners = state.add_buffer(corners);
    let at = Attribute::Generic(program.attribute("at").expect("the attribute"));
    state.arrays.enabled.insert(at, Array::floats(corners, 2));
    draw(state, &program, &DrawCall::new(Topology::Triangles, 0, 3)).expect("a draw");
}
