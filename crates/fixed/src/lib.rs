//! Fixed functions as shaders.
//!
//! A draw without a program object uses what GL calls fixed-function vertex and fragment processing: lights, texture
//! environments, fog. [`program`] writes an equivalent pair of GLSL 1.20 shaders, so that everything that works on
//! draws with shaders works on draws without. Where assembly programs replace a stage, crate `assembly` translates
//! them, and the pair contains the translation.
//!
//! The *text* of the pair depends on what is enabled and on modes; *values* - matrices, light colours, fog parameters -
//! are read through the built-in uniforms of the compatibility profile (GLSL 1.20, 7.5), so they are always current.
//! What happens before and after these two stages - clipping, flat shading, alpha test - is done by GL with shaders as
//! without, and is not generated here.
//!
//! This crate is *pure*: no I/O, no clock, no threads, no unsafe; the output is deterministic. It draws nothing.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod environment;
mod fragment;
mod input;
mod lighting;
mod program;
mod texture;
mod vertex;

use std::collections::BTreeSet;

use assembly::Target;
use state::reach::{WorkKind, running};
use state::{Client, View, variable};

/// A pair of shaders equivalent to fixed functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The vertex shader.
    pub vertex: String,
    /// The fragment shader.
    pub fragment: String,
    /// The values of its uniforms that are not built-in.
    pub uniforms: Uniforms,
    /// Its attributes that are not built-in, with their numbers.
    pub attributes: Vec<(String, u32)>,
    /// What its vertex and its fragment shader replace.
    pub replaced: [Replaced; 2],
    /// Capabilities that must be enabled or disabled while the pair runs: unlike fixed functions, vertex shaders write
    /// point sizes and two-sided colours only if that is enabled (GL 4.6 compatibility, 14.4 and 12.2.1.1).
    pub switches: Vec<(u32, bool)>,
    /// Where the pair may differ from fixed functions.
    pub notes: Vec<String>,
}

/// Values of uniforms by name: the texture unit of a sampler, or the bits of a `vec4` or of an array of them.
pub type Uniforms = Vec<(String, Vec<u32>)>;

/// What a shader of a pair replaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replaced {
    /// Fixed functions.
    FixedFunctions,
    /// A program of ARB_vertex_program or ARB_fragment_program.
    Assembly,
}

impl std::fmt::Display for Replaced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Replaced::FixedFunctions => "fixed functions",
            Replaced::Assembly => "an assembly program",
        })
    }
}

/// What is known about the application's own shader, where it has only one of the two.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Neighbours {
    /// The built-in variables that its vertex shader writes; elements of arrays are listed separately.
    pub written: BTreeSet<String>,
    /// The variables that its fragment shader reads and fixed functions do not write: type and name.
    pub read: Vec<(String, String)>,
}

/// Why no pair can be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// Core contexts and OpenGL ES 2 have no fixed functions.
    #[error("no program is in use, and this context has no fixed functions: nothing is drawn")]
    NoFixedFunctions,
    /// OpenGL ES 1 has no shaders.
    #[error("OpenGL ES 1 has no shaders to replace fixed functions with")]
    NoShaders,
    /// ARB_vertex_program or ARB_fragment_program.
    #[error("cannot translate the assembly program of the {stage} stage: {fault}")]
    Assembly {
        /// `vertex` or `fragment`.
        stage: &'static str,
        /// The error.
        fault: assembly::Fault,
    },
    /// ATI_fragment_shader.
    #[error("a fragment shader of GL_ATI_fragment_shader is enabled, which has no GLSL equivalent here")]
    AtiFragmentShader,
    /// A texture that GLSL 1.20 cannot sample in the same way.
    #[error("texture unit {unit} has {what}, which GLSL 1.20 cannot sample")]
    Texture {
        /// The unit.
        unit: usize,
        /// The kind of texture.
        what: &'static str,
    },
    /// An unknown texture environment mode.
    #[error("texture unit {unit} has the unsupported environment mode {name}")]
    Environment {
        /// The unit.
        unit: usize,
        /// GL's name of the mode, or its number.
        name: String,
    },
}

/// The state that both shaders are generated from.
struct DrawState<'a> {
    view: &'a View<'a>,
    /// The texture that each unit samples, if any.
    samples: Vec<Option<texture::Sample>>,
    /// Whether the application has its own vertex shader or program, so that only a fragment shader is needed.
    has_vertex_shader: bool,
    /// Whether the application has its own fragment shader or program.
    has_fragment_shader: bool,
    /// The built-in variables that its vertex shader writes.
    written: Option<BTreeSet<String>>,
    /// The variables that its fragment shader reads: type and name.
    wanted: &'a [(String, String)],
}

impl DrawState<'_> {
    fn is_on(&self, var: state::Var) -> bool {
        self.view.context.vars.get(var) != 0.0
    }

    fn name(&self, var: state::Var) -> u32 {
        self.view.context.vars.name(var)
    }

    /// Whether the two colours are added (GL 4.6 compatibility, 16.3): separate specular colour enables this
    /// implicitly. Mesa uses the lighting state even where a shader or program replaces lighting.
    fn sums_colours(&self) -> bool {
        let lit = !self.has_vertex_shader || self.is_mesa();
        self.is_on(variable::COLOR_SUM) || lit && lighting::is_separate(self)
    }

    /// Mesa uses freedoms that the specification gives it; the stand-in then does the same.
    fn is_mesa(&self) -> bool {
        self.view.context.facts.strings.iter().any(|text| text.contains("Mesa"))
    }
}

/// Generates the pair of shaders that is equivalent to the fixed functions and assembly programs in this state. Where
/// the application has one of the two shaders, the other one is generated to match it.
///
/// # Errors
/// When the draw uses neither fixed functions nor assembly programs, or something that GLSL 1.20 cannot express.
pub fn program(view: &View<'_>, neighbours: &Neighbours) -> Result<Pair, Refusal> {
    let vars = &view.context.vars;
    let shaders = running(view.context, view.group, WorkKind::Draw);
    let (has_vertex_shader, has_fragment_shader) = (shaders[0] != 0, shaders[4] != 0);
    match view.context.facts.client {
        Client::Compatibility => {}
        Client::Es1 => return Err(Refusal::NoShaders),
        Client::Core | Client::Es2 => return Err(Refusal::NoFixedFunctions),
    }
    let enabled = |var| vars.get(var) != 0.0;
    let translated = |has_shader: bool, switch, target| -> Result<_, Refusal> {
        (!has_shader && enabled(switch)).then(|| program::shader(view, target)).transpose()
    };
    let vertex_program = translated(has_vertex_shader, variable::VERTEX_PROGRAM_ARB, Target::Vertex)?;
    let fragment_program = translated(has_fragment_shader, variable::FRAGMENT_PROGRAM_ARB, Target::Fragment)?;
    let has_fragment_shader = has_fragment_shader || fragment_program.is_some();
    if !has_fragment_shader && enabled(variable::FRAGMENT_SHADER_ATI) {
        return Err(Refusal::AtiFragmentShader);
    }
    // Textures of the application's own fragment shader do not matter here.
    let samples = if has_fragment_shader { Vec::new() } else { texture::samples(view)? };
    let written = match &vertex_program {
        Some((translation, _)) => Some(translation.written.clone()),
        None => has_vertex_shader.then(|| neighbours.written.clone()),
    };
    let has_vertex_shader = has_vertex_shader || vertex_program.is_some();
    let wanted = &neighbours.read[..];
    let draw = DrawState { view, samples, has_vertex_shader, has_fragment_shader, written, wanted };
    let (mut notes, mut attributes, mut replaced) = (Vec::new(), Vec::new(), [Replaced::FixedFunctions; 2]);
    let (fragment, mut uniforms) = match fragment_program {
        Some((translation, uniforms)) => {
            replaced[1] = Replaced::Assembly;
            (translation.text, uniforms)
        }
        None => fragment::shader(&draw, &mut notes)?,
    };
    let (vertex, switches) = match vertex_program {
        Some((translation, given)) => {
            replaced[0] = Replaced::Assembly;
            uniforms.extend(given);
            attributes = translation.attributes;
            (translation.text, Vec::new())
        }
        None => vertex::shader(&draw),
    };
    let switches = if has_vertex_shader { Vec::new() } else { switches };
    Ok(Pair { vertex, fragment, uniforms, attributes, replaced, switches, notes })
}
