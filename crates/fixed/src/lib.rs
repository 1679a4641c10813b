//! Fixed functions as shaders.
//!
//! A draw without a program object is done by what GL calls fixed-function vertex and fragment processing: lights,
//! texture environments, fog. [`program`] writes a pair of GLSL 1.20 shaders that does the same, so that whatever can
//! be asked of a draw with shaders can be asked of one without.
//!
//! The *text* of the pair depends on what is enabled and on modes; *values* - matrices, colours of lights, fog
//! parameters - are read through the built-in uniforms of the compatibility profile (GLSL 1.20, 7.5), so they are
//! always those of the moment. What is done before and after these two stages - clipping, flat shading, alpha test -
//! is GL's own with shaders as without, and not written here.
//!
//! This crate is *pure*: no I/O, no clock, no threads, no unsafe, the same text every time. It draws nothing.

#![warn(missing_docs)]

mod environment;
mod fragment;
mod lighting;
mod texture;
mod vertex;

use state::reach::{Work, running};
use state::{Client, View, variable};

/// Shaders that do what fixed functions do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The vertex shader.
    pub vertex: String,
    /// The fragment shader.
    pub fragment: String,
    /// Its samplers, and the texture unit that each must be given.
    pub samplers: Vec<(String, u32)>,
    /// What must be enabled or disabled while the pair runs: GL asks vertex shaders, unlike fixed functions, to be
    /// given leave to set point sizes and to have colours of two sides (GL 4.6 compatibility, 14.4 and 12.4.1).
    pub switches: Vec<(u32, bool)>,
    /// What the pair leaves open.
    pub notes: Vec<String>,
}

/// Why there is no pair.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// Core contexts and OpenGL ES 2 have none.
    #[error("this context has no fixed functions, and no program is in use: nothing is drawn")]
    NoFixedFunctions,
    /// OpenGL ES 1 has no shaders.
    #[error("contexts of OpenGL ES 1 have no shaders that could stand in for fixed functions")]
    NoShaders,
    /// ARB_vertex_program or ARB_fragment_program.
    #[error("an assembly program does the work of the {stage} stage (GL_{}_PROGRAM_ARB is enabled)", .stage.to_uppercase())]
    Assembly {
        /// `vertex` or `fragment`.
        stage: &'static str,
    },
    /// ATI_fragment_shader.
    #[error("a fragment shader of GL_ATI_fragment_shader is enabled, which has no GLSL equivalent here")]
    AtiFragmentShader,
    /// A texture of a kind that GLSL 1.20 cannot read in the same way.
    #[error("texture unit {unit} has {what}, which GLSL 1.20 cannot read")]
    Texture {
        /// The unit.
        unit: usize,
        /// The kind of texture.
        what: &'static str,
    },
    /// A mode of a texture environment that is not known.
    #[error("texture unit {unit} has the environment {name}, which is not supported")]
    Environment {
        /// The unit.
        unit: usize,
        /// GL's name or number for it.
        name: String,
    },
}

/// What both halves go by.
struct Setting<'a> {
    view: &'a View<'a>,
    /// What each texture unit samples, if anything.
    samples: Vec<Option<texture::Sample>>,
    /// Whether the application has a vertex shader, so that only the other half is needed.
    has_vertex_shader: bool,
    /// The same for fragment shaders.
    has_fragment_shader: bool,
}

impl Setting<'_> {
    fn is_on(&self, var: state::Var) -> bool {
        self.view.context.vars.get(var) != 0.0
    }

    fn name(&self, var: state::Var) -> u32 {
        self.view.context.vars.name(var)
    }

    /// Whether the sum of two colours is made (GL 4.6 compatibility, 12.2.1.1): lights with a colour of their own for
    /// highlights do so without being asked.
    fn sums_colours(&self) -> bool {
        self.is_on(variable::COLOR_SUM) || !self.has_vertex_shader && lighting::is_separate(self)
    }

    /// Mesa takes liberties that the specification gives it; a stand-in takes the same.
    fn is_mesa(&self) -> bool {
        self.view.context.facts.strings.iter().any(|text| text.contains("Mesa"))
    }
}

/// The pair of shaders that does what fixed functions do in this state. Where a program has one of the two shaders, the
/// other is what goes with it.
///
/// # Errors
/// When something else than fixed functions does the work, or a thing that GLSL 1.20 has no words for.
pub fn program(view: &View<'_>) -> Result<Pair, Refusal> {
    let vars = &view.context.vars;
    let shaders = running(view.context, view.group, Work::Draw);
    let (has_vertex_shader, has_fragment_shader) = (shaders[0] != 0, shaders[4] != 0);
    match view.context.facts.client {
        Client::Compatibility => {}
        Client::Es1 => return Err(Refusal::NoShaders),
        Client::Core | Client::Es2 => return Err(Refusal::NoFixedFunctions),
    }
    let enabled = |var| vars.get(var) != 0.0;
    if !has_vertex_shader && enabled(variable::VERTEX_PROGRAM_ARB) {
        return Err(Refusal::Assembly { stage: "vertex" });
    }
    if !has_fragment_shader && enabled(variable::FRAGMENT_PROGRAM_ARB) {
        return Err(Refusal::Assembly { stage: "fragment" });
    }
    if !has_fragment_shader && enabled(variable::FRAGMENT_SHADER_ATI) {
        return Err(Refusal::AtiFragmentShader);
    }
    // What a fragment shader samples is its own affair.
    let samples = if has_fragment_shader { Vec::new() } else { texture::samples(view)? };
    let setting = Setting { view, samples, has_vertex_shader, has_fragment_shader };
    let mut notes = Vec::new();
    let (fragment, samplers) = fragment::shader(&setting, &mut notes)?;
    let (vertex, switches) = vertex::shader(&setting);
    let switches = if has_vertex_shader { Vec::new() } else { switches };
    Ok(Pair { vertex, fragment, samplers, switches, notes })
}
