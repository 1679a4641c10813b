//! Fixed functions as shaders.
//!
//! A draw without a program object is done by what GL calls fixed-function vertex and fragment processing: lights,
//! texture environments, fog. [`program`] writes a pair of GLSL 1.20 shaders that does the same, so that whatever can
//! be asked of a draw with shaders can be asked of one without. Where assembly programs do the work of a stage, crate
//! `assembly` writes its shader, and the pair has that.
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
mod input;
mod lighting;
mod program;
mod texture;
mod vertex;

use std::collections::BTreeSet;

use assembly::Target;
use state::reach::{Work, running};
use state::{Client, View, variable};

/// Shaders that do what fixed functions do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The vertex shader.
    pub vertex: String,
    /// The fragment shader.
    pub fragment: String,
    /// What must be given to its uniforms that are not built in.
    pub uniforms: Uniforms,
    /// Its attributes that are not built in, and their numbers.
    pub attributes: Vec<(String, u32)>,
    /// What did the work of its vertex and its fragment shader.
    pub replaced: [Replaced; 2],
    /// What must be enabled or disabled while the pair runs: GL asks vertex shaders, unlike fixed functions, to be
    /// given leave to set point sizes and to have colours of two sides (GL 4.6 compatibility, 14.4 and 12.2.1.1).
    pub switches: Vec<(u32, bool)>,
    /// What the pair leaves open.
    pub notes: Vec<String>,
}

/// Values of uniforms by name: the texture unit of a sampler, or the bits of a `vec4` or of an array of them.
pub type Uniforms = Vec<(String, Vec<u32>)>;

/// What a shader of a pair stands in for.
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

/// What is known of the shaders that the application has, where it has one of two.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Neighbours {
    /// Built-in variables that its vertex shader writes; of arrays each element.
    pub written: BTreeSet<String>,
    /// Variables that its fragment shader reads and fixed functions do not write: type and name.
    pub read: Vec<(String, String)>,
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
    #[error("the assembly program that does the work of the {stage} stage cannot be translated: {fault}")]
    Assembly {
        /// `vertex` or `fragment`.
        stage: &'static str,
        /// Why.
        fault: assembly::Fault,
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
    /// Whether the application has a vertex shader or program, so that only the other half is needed.
    has_vertex_shader: bool,
    /// The same for fragment shaders.
    has_fragment_shader: bool,
    /// Which built-in variables that vertex shader writes.
    written: Option<BTreeSet<String>>,
    /// Variables that the fragment shader wants: type and name.
    wanted: &'a [(String, String)],
}

impl Setting<'_> {
    fn is_on(&self, var: state::Var) -> bool {
        self.view.context.vars.get(var) != 0.0
    }

    fn name(&self, var: state::Var) -> u32 {
        self.view.context.vars.name(var)
    }

    /// Whether the sum of two colours is made (GL 4.6 compatibility, 16.3): lights with a colour of their own for
    /// highlights do so without being asked. Mesa goes by their state even where a shader or program takes their place.
    fn sums_colours(&self) -> bool {
        let lit = !self.has_vertex_shader || self.is_mesa();
        self.is_on(variable::COLOR_SUM) || lit && lighting::is_separate(self)
    }

    /// Mesa takes liberties that the specification gives it; a stand-in takes the same.
    fn is_mesa(&self) -> bool {
        self.view.context.facts.strings.iter().any(|text| text.contains("Mesa"))
    }
}

/// The pair of shaders that does what fixed functions and assembly programs do in this state. Where a program has one of
/// the two shaders, the other is what goes with it.
///
/// # Errors
/// When something else than fixed functions does the work, or a thing that GLSL 1.20 has no words for.
pub fn program(view: &View<'_>, neighbours: &Neighbours) -> Result<Pair, Refusal> {
    let vars = &view.context.vars;
    let shaders = running(view.context, view.group, Work::Draw);
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
    // What a fragment shader samples is its own affair.
    let samples = if has_fragment_shader { Vec::new() } else { texture::samples(view)? };
    let written = match &vertex_program {
        Some((translation, _)) => Some(translation.written.clone()),
        None => has_vertex_shader.then(|| neighbours.written.clone()),
    };
    let has_vertex_shader = has_vertex_shader || vertex_program.is_some();
    let wanted = &neighbours.read[..];
    let setting = Setting { view, samples, has_vertex_shader, has_fragment_shader, written, wanted };
    let (mut notes, mut attributes, mut replaced) = (Vec::new(), Vec::new(), [Replaced::FixedFunctions; 2]);
    let (fragment, mut uniforms) = match fragment_program {
        Some((translation, uniforms)) => {
            replaced[1] = Replaced::Assembly;
            (translation.text, uniforms)
        }
        None => fragment::shader(&setting, &mut notes)?,
    };
    let (vertex, switches) = match vertex_program {
        Some((translation, given)) => {
            replaced[0] = Replaced::Assembly;
            uniforms.extend(given);
            attributes = translation.attributes;
            (translation.text, Vec::new())
        }
        None => vertex::shader(&setting),
    };
    let switches = if has_vertex_shader { Vec::new() } else { switches };
    Ok(Pair { vertex, fragment, uniforms, attributes, replaced, switches, notes })
}
