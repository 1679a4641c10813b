//! Runs the shaders of a recorded draw on the CPU.
//!
//! The model (crate `state`) provides the bindings and uniform values at a command; the contents of textures and
//! buffers come from [`Contents`]. [`Scene`] combines both in the types of crate `pipeline`: a program and a state in
//! which any invocation of the draw can run once its inputs have been measured. [`FragmentOps`] contains the operations
//! after the fragment shader.
//!
//! The crate is pure. Anything that could not be reconstructed is listed in [`Scene::missing`], never guessed.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod fixed;
pub mod fragment_ops;
mod pixels;
mod program;
mod quirks;
mod replace;
mod resources;
mod sampling;

use std::sync::Arc;

use state::View;
use state::reach::WorkKind;
use texture::Filtering;

pub use fixed::fixed_functions;
pub use fragment_ops::FragmentOps;
pub use pixels::Plane;
pub use program::{give_uniforms, lowered, program};
pub use quirks::DeviceQuirks;
pub use replace::set_uniform;
pub use resources::sampled;

/// The contents of textures and buffers just before the draw.
pub trait Contents {
    /// The images of a texture, all levels and faces.
    ///
    /// # Errors
    /// When they cannot be read back: the reason.
    fn texture(&mut self, name: u32, target: u32) -> Result<Vec<Plane>, String>;

    /// A texture built earlier from the same images, if it is cached; its parameters may differ.
    fn known(&mut self, name: u32) -> Option<texture::Texture> {
        let _ = name;
        None
    }

    /// Caches the texture built from the images of `name`.
    fn keep(&mut self, name: u32, made: &texture::Texture) {
        let _ = (name, made);
    }

    /// The bytes of a buffer.
    ///
    /// # Errors
    /// When they cannot be read back: the reason.
    fn buffer(&mut self, name: u32) -> Result<Vec<u8>, String>;
}

/// Why a draw cannot be run on the CPU.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// No program is in use.
    #[error("no program is in use, so there is no shader to run")]
    NoProgram,
    /// The emulator cannot run the program.
    #[error("the emulator cannot run this program: {0}")]
    Program(String),
    /// An operation after the shader that is not emulated.
    #[error("{0} is not emulated")]
    FragmentOps(String),
}

/// A draw or dispatch on the CPU.
pub struct Scene {
    /// The program, with the values of its uniforms.
    pub program: pipeline::Program,
    /// All bindings.
    pub state: pipeline::State,
    /// Device-specific behaviour.
    pub quirks: DeviceQuirks,
    /// What could not be reconstructed, as messages; shaders read zeros there.
    pub missing: Vec<String>,
    /// The state of fixed functions from each of these vertices on, where a display list changes it between them.
    pub moments: Arc<Vec<(u32, pipeline::FixedFunction)>>,
    /// What emulating it may take, if that is limited.
    pub effort: Option<Arc<pipeline::Effort>>,
}

impl Scene {
    /// Whether a texture that the draw reads is filtered anisotropically. GL leaves open how, and every driver has its own
    /// way.
    #[must_use]
    pub fn is_anisotropic(&self) -> bool {
        self.state.units.values().any(|(_, sampler)| sampler.max_anisotropy > 1.0)
    }

    /// Whether it is filtered so, and not in a way that is known.
    #[must_use]
    pub fn has_unknown_filters(&self) -> bool {
        self.is_anisotropic() && !matches!(self.quirks.filtering, Filtering::Llvmpipe { ellipses: true, .. })
    }

    /// Whether look-ups on the device may give something else than the emulator's: its filters are its own, or it is not known
    /// how it comes to levels of detail and rounds positions.
    #[must_use]
    pub fn bounds_filters(&self) -> bool {
        self.is_anisotropic()
            || !matches!(self.quirks.filtering, Filtering::Llvmpipe { .. }) && !self.state.units.is_empty()
    }

    /// The recorded draw or dispatch, with a program for the stages of interest as built by [`lowered`] from the
    /// shaders of the recording; variants may take their places. Implementation-defined behaviour follows `quirks`.
    /// `uniforms` are the values of uniforms in shaders that stand in for fixed functions or assembly programs.
    #[must_use]
    pub fn new(
        view: &View<'_>,
        work: WorkKind,
        (mut program, uniforms): (pipeline::Program, &[(String, Vec<u32>)]),
        contents: &mut dyn Contents,
        quirks: DeviceQuirks,
    ) -> Scene {
        let versions = program.shaders().iter().map(|shader| shader.preprocessed.version);
        let oldest = versions.min_by_key(|version| version.number);
        program::dress(view, work, &mut program);
        program::give_uniforms(&mut program, uniforms);
        let state = pipeline::State::new(raster::Framebuffer::new(1, 1));
        let mut scene = Scene { program, state, quirks, moments: Arc::default(), missing: Vec::new(), effort: None };
        fixed::fill(view, &mut scene.state);
        resources::fill(view, work, (oldest, uniforms), contents, &mut scene);
        scene
    }
}
