//! GL programs and draws on the CPU: linked shaders run on the emulator, primitives on the rasteriser.
//!
//! A [`Program`] is the result of `glLinkProgram`, with the values of its uniforms; a [`State`] is a context:
//! framebuffer, vertex arrays, textures, buffers, capabilities. [`draw`] executes a draw call. Unsupported features are
//! rejected by name ([`Refusal`], [`DrawError`]); nothing is guessed.
//!
//! ```
//! use pipeline::{Array, ArrayKind, ArrayType, Attribute, DrawCall, Program, State, draw};
//! use raster::{Color, Framebuffer, PixelFormat, Topology};
//! use shader::version::{Options, Stage};
//!
//! let read = |stage, text: &str| shader::analyze(&[text], &Options::new(stage));
//! let vertex = "#version 330\nin vec2 at; void main() { gl_Position = vec4(at, 0, 1); }";
//! let fragment = "#version 330\nuniform vec4 tint; out vec4 colour; void main() { colour = tint; }";
//! let shaders = vec![read(Stage::Vertex, vertex), read(Stage::Fragment, fragment)];
//! let mut program = Program::new(shaders, &Default::default()).unwrap();
//! program.set_uniform("tint", &[0.0f32, 1.0, 0.0, 1.0].map(f32::to_bits));
//!
//! let mut state = State::new(Framebuffer::new(4, 4).with_color(PixelFormat::RGBA8));
//! let corners = [-1.0f32, -1.0, 3.0, -1.0, -1.0, 3.0].map(f32::to_le_bytes).concat();
//! let buffer = state.add_buffer(corners);
//! let at = Attribute::Generic(program.attribute("at").unwrap());
//! state.arrays.enabled.insert(at, Array::floats(buffer, 2));
//! draw(&mut state, &program, &DrawCall::new(Topology::Triangles, 0, 3)).unwrap();
//! assert_eq!(state.framebuffer.color(0, 3, 3), Some(Color::Float([0.0, 1.0, 0.0, 1.0])));
//! ```
//!
//! The crate is pure: no I/O, no clock, no threads; the result is deterministic.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![allow(clippy::cast_precision_loss, reason = "coordinates and stored integers become floats by definition")]

mod dispatch;
mod draw;
mod effort;
mod host;
mod program;
mod run;
mod solo;
mod state;
mod words;

pub use dispatch::{DispatchObserver, Workgroup, dispatch, dispatch_watched, workgroup};
pub use draw::{DrawCall, DrawError, Mode, SampleWatcher, Stats, Vertices, draw, draw_watched};
pub use effort::{Counted, Effort};
pub use emulator::glsl::LowerOptions;
pub use program::{BuiltinUniforms, Program, Refusal, Target, UniformInfo};
pub use solo::{BoundResources, Port, World, feed, fragment_output, solo};
pub use state::{
    Array, ArrayKind, ArrayType, Arrays, Attribute, BufferId, BufferRange, Feedback, FixedFunction, Fog, ImageUnit,
    Light, Material, Matrix, Patches, Point, State, TextureId,
};

/// The number of lanes of the waves that run vertices: the subgroup size that shaders see.
pub const GROUP: u32 = 16;
