//! Programs in assembly language (ARB_vertex_program, ARB_fragment_program).

use std::collections::BTreeMap;
use std::sync::Arc;

use api::constant as c;

use crate::share::ShareGroup;

/// The targets, in the order in which they are kept.
pub const TARGETS: [u32; 2] = [c::GL_VERTEX_PROGRAM_ARB, c::GL_FRAGMENT_PROGRAM_ARB];

/// Parameters of a program or of a target, by index; those that are not here are zero.
pub type Parameters = BTreeMap<u32, [f32; 4]>;

/// An assembly program.
#[derive(Clone, Debug, Default)]
pub struct AssemblyProgram {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// What it was first bound to; 0 for a name that was only generated.
    pub target: u32,
    /// Its text.
    pub text: Arc<[u8]>,
    /// What the driver says of it: `glGetProgramivARB`, by name.
    pub told: Arc<BTreeMap<u32, i64>>,
    /// Local parameters.
    pub locals: Arc<Parameters>,
}

/// What a context has of assembly programs, by target of [`TARGETS`].
#[derive(Clone, Debug)]
pub struct AssemblyState {
    /// Names of the programs that are bound, 0 for the default ones.
    pub bound: [u32; 2],
    /// The default programs.
    pub defaults: [AssemblyProgram; 2],
    /// Environment parameters.
    pub environment: [Arc<Parameters>; 2],
    /// Text that was given last, until the driver has said what it makes of it.
    pub pending: Option<Arc<[u8]>>,
    /// `GL_PROGRAM_ERROR_POSITION_ARB`.
    pub error_position: i64,
    /// `GL_PROGRAM_ERROR_STRING_ARB`.
    pub error_text: Arc<str>,
    /// Fragment shaders of ATI_fragment_shader.
    pub ati: AtiState,
}

/// What a context has of the fragment shaders of ATI_fragment_shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AtiState {
    /// The name of the one that is bound.
    pub bound: u32,
    /// The one that is being written.
    pub writing: Option<AtiShader>,
}

/// A fragment shader of ATI_fragment_shader while it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AtiShader {
    /// 0 and 2 while textures are read, 1 and 3 while there is arithmetic.
    pub pass: u8,
    /// Registers that textures were read into, by pass.
    pub assigned: [u32; 2],
    /// How coordinates are read, two bits for each unit.
    pub swizzles: u32,
    /// Arithmetic instructions, by pass.
    pub instructions: [u32; 2],
    /// Whether arithmetic of the first pass reads an interpolated colour.
    pub interpolates_first: bool,
    /// The last arithmetic operation, if it was the last instruction.
    pub last: Option<AtiOperation>,
}

/// An arithmetic operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtiOperation {
    /// Whether it is one of colour rather than of alpha.
    pub colour: bool,
    /// Which.
    pub operation: u32,
}

impl AssemblyState {
    /// The program that is bound to a target of [`TARGETS`].
    #[must_use]
    pub fn program<'s>(&'s self, group: &'s ShareGroup, place: usize) -> &'s AssemblyProgram {
        match self.bound[place] {
            0 => &self.defaults[place],
            name => group.assembly.get(&name).map_or(&self.defaults[place], Arc::as_ref),
        }
    }
}

impl Default for AssemblyState {
    fn default() -> AssemblyState {
        AssemblyState {
            bound: [0; 2],
            defaults: TARGETS.map(|target| AssemblyProgram { target, ..AssemblyProgram::default() }),
            environment: Default::default(),
            pending: None,
            error_position: -1,
            error_text: Arc::from(""),
            ati: AtiState::default(),
        }
    }
}
