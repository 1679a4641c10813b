//! Variants on the emulator.

use instrument::Framed;
use pipeline::{Array, Attribute, BufferRange, DrawCall, Program, State, draw};
use raster::{Framebuffer, PixelFormat, Topology};
use shader::version::{Options, Stage};

use crate::probes::Subjects;

/// A picture to be drawn with one triangle over all of it.
pub struct Picture {
    width: u32,
    height: u32,
}

/// What is in a storage block.
pub struct Answers {
    pub count: u32,
    pub regions: Vec<Vec<u32>>,
}

const VERTEX: &str = "#version 330\nin vec2 at; void main() { gl_Position = vec4(at, 0, 1); }";

impl Picture {
    pub fn new(width: u32, height: u32) -> Picture {
        Picture { width, height }
    }

    /// Draws with a variant of a fragment shader and reads its storage block.
    pub fn storage(&self, subjects: &Subjects, framed: &Framed, pick: [i32; 4], room: u32) -> Answers {
        let vertex = shader::analyze(&[VERTEX], &Options::new(Stage::Vertex));
        let fragment = shader::analyze(&framed.strings, &subjects.options);
        let mut program =
            Program::new(vec![vertex, fragment], &shader::link::LinkOptions::default()).expect("a program");
        program.set_uniform(&framed.controls.on, &[1]);
        program.set_uniform(&framed.controls.pick, &pick.map(i32::cast_unsigned));
        let mut state = State::new(Framebuffer::new(self.width, self.height).with_color(PixelFormat::RGBA8));
        let regions = self.width * self.height;
        let mut words = vec![0u32, room];
        words.resize(2 + (regions * room) as usize, 0);
        let buffer = state.add_buffer(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        let binding = framed.controls.binding.expect("a binding");
        state.storage_buffers.insert(binding, BufferRange { buffer, offset: 0, size: None });
        let corners = [-1.0f32, -1.0, 3.0, -1.0, -1.0, 3.0].map(f32::to_le_bytes).concat();
        let corners = state.add_buffer(corners);
        let at = Attribute::Generic(program.attribute("at").expect("the attribute"));
        state.arrays.enabled.insert(at, Array::floats(corners, 2));
        draw(&mut state, &program, &DrawCall::new(Topology::Triangles, 0, 3)).expect("a draw");
        let bytes = &state.buffers[buffer.0 as usize];
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        let regions = words[2..].chunks(room as usize).map(<[u32]>::to_vec).collect();
        Answers { count: words[0], regions }
    }
}
