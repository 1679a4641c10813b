//! Programs in assembly language (ARB_vertex_program, ARB_fragment_program).

use std::collections::BTreeMap;
use std::sync::Arc;

use api::constant as c;

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
    /// The name of the fragment shader of ATI_fragment_shader that is bound, and whether it is being written.
    pub ati: (u32, bool),
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
            ati: (0, false),
        }
    }
}
