//! A recorded draw's shaders on the CPU.
//!
//! The model (crate `state`) knows what is bound and which values uniforms have at a command; what textures and buffers
//! hold is asked of [`Contents`]. [`Scene`] is both, in the terms of crate `pipeline`: a program and a state in which any
//! invocation of the draw can be run, whose inputs somebody measured. [`Tail`] is what comes after the fragment shader.
//!
//! The crate is pure. What it cannot bring over is named in [`Scene::missing`], never guessed.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod fixed;
mod manner;
mod pixels;
mod program;
mod replace;
mod resources;
mod sampling;
pub mod tail;

use state::View;
use state::reach::Work;

pub use manner::Manner;
pub use pixels::Plane;
pub use program::{give_uniforms, lowered, program};
pub use replace::set_uniform;
pub use resources::sampled;
pub use tail::Tail;

/// What textures and buffers hold when the draw is about to be done.
pub trait Contents {
    /// The images of a texture, all levels and faces.
    ///
    /// # Errors
    /// In words why they cannot be had.
    fn texture(&mut self, name: u32, target: u32) -> Result<Vec<Plane>, String>;

    /// A texture that was made of these images before, if they are the same; its parameters need not be.
    fn known(&mut self, name: u32) -> Option<texture::Texture> {
        let _ = name;
        None
    }

    /// What was made of the images of a texture, for whoever wants them again.
    fn keep(&mut self, name: u32, made: &texture::Texture) {
        let _ = (name, made);
    }

    /// The bytes of a buffer.
    ///
    /// # Errors
    /// In words why they cannot be had.
    fn buffer(&mut self, name: u32) -> Result<Vec<u8>, String>;
}

/// Why a draw cannot be brought to the CPU at all.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// There is no program.
    #[error("no program is in use: fixed functions have no shader to run")]
    NoProgram,
    /// The emulator does not take the program.
    #[error("the emulator does not take this program: {0}")]
    Program(String),
    /// What comes after the shader is not emulated.
    #[error("{0} is not emulated")]
    Tail(String),
}

/// A draw or dispatch on the CPU.
pub struct Scene {
    /// The program, with the values of its uniforms.
    pub program: pipeline::Program,
    /// Everything that is bound.
    pub state: pipeline::State,
    /// What is done as a device does it.
    pub manner: Manner,
    /// What could not be brought over, in words; whoever reads it there reads zeros.
    pub missing: Vec<String>,
}

impl Scene {
    /// The work at hand, with a program that has the stages of interest, as [`lowered`] makes it of the shaders that the
    /// recording driver had; variants may stand in their places. What the specifications leave to a device is done in the
    /// given manner. `uniforms` are those of shaders that stand in for
    /// something else, with their values.
    #[must_use]
    pub fn new(
        view: &View<'_>,
        work: Work,
        (mut program, uniforms): (pipeline::Program, &[(String, Vec<u32>)]),
        contents: &mut dyn Contents,
        manner: Manner,
    ) -> Scene {
        let versions = program.shaders().iter().map(|shader| shader.preprocessed.version);
        let oldest = versions.min_by_key(|version| version.number);
        program::dress(view, work, &mut program);
        program::give_uniforms(&mut program, uniforms);
        let state = pipeline::State::new(raster::Framebuffer::new(1, 1));
        let mut scene = Scene { program, state, manner, missing: Vec::new() };
        fixed::fill(view, &mut scene.state);
        resources::fill(view, work, (oldest, uniforms), contents, &mut scene);
        scene
    }
}
