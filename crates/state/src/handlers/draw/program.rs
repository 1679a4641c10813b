//! The current programs and their resources.

use api::constant as c;

use crate::context::Context;
use crate::fault::Fault;
use crate::objects::pipeline::STAGES;
use crate::objects::program::Linked;
use crate::share::ShareGroup;
use crate::step::Step;

/// The index of the vertex stage in [`STAGES`].
pub const VERTEX: usize = 0;
/// The index of the tessellation control stage.
pub const TESS_CONTROL: usize = 1;
/// The index of the tessellation evaluation stage.
pub const TESS_EVALUATION: usize = 2;
/// The index of the geometry stage.
pub const GEOMETRY: usize = 3;
/// The index of the compute stage.
pub const COMPUTE: usize = 5;

/// The program that transform feedback captures from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FeedbackSource {
    /// The program.
    pub program: u32,
    /// The buffers that it writes to, as bits.
    pub buffers: u32,
}

/// Returns the names of the programs of all stages, 0 for none. A program whose stages the trace does not record counts
/// as having the usual stages.
pub fn stages(context: &Context, group: &ShareGroup) -> [u32; 6] {
    if context.program == 0 {
        return context.pipelines.get(&context.pipeline).map_or([0; 6], |pipeline| pipeline.stages);
    }
    let known = group.program(context.program).and_then(|program| program.executable.as_deref());
    let usual = || STAGES.map(|stage| matches!(stage, c::GL_VERTEX_SHADER | c::GL_FRAGMENT_SHADER));
    let present = known.and_then(Linked::stages).unwrap_or_else(usual);
    let mut programs = [0; 6];
    for (program, present) in programs.iter_mut().zip(present) {
        if present {
            *program = context.program;
        }
    }
    programs
}

/// Returns the linked program of a stage; `None` when there is none, or the trace does not record it.
pub fn linked<'a>(context: &Context, group: &'a ShareGroup, stage: usize) -> Option<&'a Linked> {
    group.program(stages(context, group)[stage])?.executable.as_deref()
}

/// Returns the program that transform feedback would capture from: the last stage before rasterization (GL 4.6,
/// 13.3.2).
pub fn feedback_source(step: &Step<'_>) -> Result<FeedbackSource, Fault> {
    let programs = stages(step.context, step.group);
    let found = [GEOMETRY, TESS_EVALUATION, VERTEX].into_iter().map(|stage| programs[stage]).find(|name| *name != 0);
    let program =
        found.ok_or(Fault::invalid_operation("no program with a vertex, tessellation or geometry stage is current"))?;
    let Some(linked) = step.group.program(program).and_then(|program| program.executable.as_deref()) else {
        return Ok(FeedbackSource { program, buffers: 0 });
    };
    let Some(varyings) = linked.reflection.interface(c::GL_TRANSFORM_FEEDBACK_VARYING) else {
        return Ok(FeedbackSource { program, buffers: 0 });
    };
    if varyings.resources.is_empty() {
        return Err(Fault::invalid_operation("the program has no transform feedback varyings"));
    }
    let mut buffers = 0;
    match linked.reflection.interface(c::GL_TRANSFORM_FEEDBACK_BUFFER) {
        Some(interface) => {
            for index in 0..interface.resources.len() {
                let binding = interface.value(index, c::GL_BUFFER_BINDING).unwrap_or(0);
                buffers |= 1u32.checked_shl(binding.cast_unsigned()).unwrap_or(0);
            }
        }
        // Without ARB_enhanced_layouts each varying has a buffer, or one buffer follows the other.
        None => {
            let separate = linked.reflection.parameter(c::GL_TRANSFORM_FEEDBACK_BUFFER_MODE)
                == Some(c::GL_SEPARATE_ATTRIBS.cast_signed());
            let next = varyings.resources.iter().filter(|varying| varying.name == b"gl_NextBuffer").count();
            let count = if separate { varyings.resources.len() } else { next + 1 };
            buffers = (1u32 << count.min(4)) - 1;
        }
    }
    Ok(FeedbackSource { program, buffers })
}
