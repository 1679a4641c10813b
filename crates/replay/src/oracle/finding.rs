//! Values that are not compared.

use api::{constant as c, id};
use state::{Values, View};

use super::Question;

/// Returns whether the driver's answer to a question says nothing about the model.
pub fn is_excluded(view: &View<'_>, question: &Question) -> bool {
    let has = |name: u32| question.args.contains(&u64::from(name));
    let windows = view.context.targets.draw == 0 || view.context.targets.read == 0;
    EXCLUDED.iter().any(|(name, _)| has(*name))
        || windows && EXCLUDED_OF_WINDOWS.iter().any(|name| has(*name))
        // Mesa answers for unit 0, whichever is active.
        || has(c::GL_TRANSPOSE_TEXTURE_MATRIX) && view.context.active_unit() != 0
        // Mesa takes the names of another query, too.
        || question.command == id::glGetActiveUniformBlockiv && ATOMIC_COUNTERS.iter().any(|name| has(*name))
        || has_no_binaries(view) && BINARIES.iter().any(|name| has(*name))
        || question.command == id::glIsFramebuffer && is_elsewhere(view, question.args[0] as u32)
}

/// Returns whether a name is that of a framebuffer of another context. Mesa shares framebuffers, which GL does not.
fn is_elsewhere(view: &View<'_>, name: u32) -> bool {
    let others = view.model.contexts.iter().flatten();
    !view.context.framebuffers.contains_key(&name)
        && others.into_iter().any(|other| other.framebuffers.contains_key(&name))
}

/// Returns whether the recorded program was told that there are no binary formats. Capture says so unless asked to keep
/// binaries, whatever the driver has.
fn has_no_binaries(view: &View<'_>) -> bool {
    let formats = view.context.facts.limits.get(c::GL_NUM_PROGRAM_BINARY_FORMATS, 0);
    formats.and_then(Values::first_integer) == Some(0)
}

/// What the driver is asked about binary formats.
const BINARIES: &[u32] = &[
    c::GL_NUM_PROGRAM_BINARY_FORMATS,
    c::GL_PROGRAM_BINARY_FORMATS,
    c::GL_PROGRAM_BINARY_LENGTH,
    c::GL_NUM_SHADER_BINARY_FORMATS,
    c::GL_SHADER_BINARY_FORMATS,
];

/// Properties of atomic counter buffers.
const ATOMIC_COUNTERS: &[u32] = &[
    c::GL_ATOMIC_COUNTER_BUFFER_BINDING,
    c::GL_ATOMIC_COUNTER_BUFFER_DATA_SIZE,
    c::GL_ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTERS,
    c::GL_ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTER_INDICES,
    c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_VERTEX_SHADER,
    c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_TESS_CONTROL_SHADER,
    c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_TESS_EVALUATION_SHADER,
    c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_GEOMETRY_SHADER,
    c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_FRAGMENT_SHADER,
    c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_COMPUTE_SHADER,
];

/// Names that are not compared, each with the reason.
const EXCLUDED: &[(u32, &str)] = &[
    (c::GL_TIMESTAMP, "it is the time"),
    (c::GL_CURRENT_NORMAL, "Mesa 22 leaves another attribute's value there after some display lists"),
    (c::GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX, "it changes by itself"),
    (c::GL_VBO_FREE_MEMORY_ATI, "it changes by itself"),
    (c::GL_TEXTURE_FREE_MEMORY_ATI, "it changes by itself"),
    (c::GL_RENDERBUFFER_FREE_MEMORY_ATI, "it changes by itself"),
];

/// Names that are not compared where the default framebuffer is bound: windows are replayed on pbuffers, which have one
/// colour buffer, not two.
const EXCLUDED_OF_WINDOWS: &[u32] = &[c::GL_DOUBLEBUFFER, c::GL_DRAW_BUFFER, c::GL_DRAW_BUFFER0, c::GL_READ_BUFFER];
