//! What the shaders that run can read and write, besides vertices and framebuffers.

use std::collections::BTreeMap;

use api::constant as c;
use api::reflection::kind::{Base, sampler_target};

use crate::context::Context;
use crate::fault::Fault;
use crate::objects::pipeline::STAGES;
use crate::objects::program::Program;
use crate::share::ShareGroup;
use crate::variable;

/// Something that a shader can touch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Use {
    /// The program itself: its code and its uniforms. Read.
    Program {
        /// The number of the object.
        object: u64,
    },
    /// The texture that is bound to a target of a unit. Read.
    Texture {
        /// The unit, from 0.
        unit: u32,
        /// The target, such as `GL_TEXTURE_2D`.
        target: u32,
    },
    /// The image that is bound to an image unit. Read and written.
    Image {
        /// The unit, from 0.
        unit: u32,
    },
    /// What is bound to a point of `GL_UNIFORM_BUFFER`. Read.
    UniformBuffer {
        /// The point.
        binding: u32,
    },
    /// What is bound to a point of `GL_SHADER_STORAGE_BUFFER`. Read and written.
    StorageBuffer {
        /// The point.
        binding: u32,
    },
    /// What is bound to a point of `GL_ATOMIC_COUNTER_BUFFER`. Read and written.
    CounterBuffer {
        /// The point.
        binding: u32,
    },
    /// Anything: the trace does not say what linking made of a program.
    Anything,
}

impl Use {
    /// Whether it may be written.
    #[must_use]
    pub fn is_written(self) -> bool {
        matches!(self, Use::Image { .. } | Use::StorageBuffer { .. } | Use::CounterBuffer { .. } | Use::Anything)
    }
}

/// Which work is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Drawing.
    Draw,
    /// Dispatching a compute shader.
    Dispatch,
}

/// The programs that run, by stage of [`STAGES`]; 0 where a stage has none. Without a vertex or fragment stage fixed
/// functions or assembly programs do its work.
#[must_use]
pub fn running(context: &Context, group: &ShareGroup, work: Work) -> [u32; 6] {
    let mut stages = if context.program == 0 {
        context.pipelines.get(&context.pipeline).map_or([0; 6], |pipeline| pipeline.stages)
    } else {
        let linked = group.program(context.program).and_then(|program| program.executable.as_ref());
        STAGES.map(|stage| match linked.and_then(|linked| linked.has_stage(stage)) {
            Some(false) => 0,
            Some(true) | None => context.program,
        })
    };
    for (stage, name) in STAGES.iter().zip(&mut stages) {
        if (*stage == c::GL_COMPUTE_SHADER) != (work == Work::Dispatch) {
            *name = 0;
        }
    }
    stages
}

/// Tells everything that the shaders that run can touch; some of it may be told several times.
pub fn reach(context: &Context, group: &ShareGroup, work: Work, each: &mut dyn FnMut(Use)) {
    let stages = running(context, group, work);
    for (place, name) in stages.iter().enumerate() {
        // A program that has several stages is looked at once.
        if *name != 0
            && !stages[..place].contains(name)
            && let Some(program) = group.program(*name)
        {
            reach_of(program, each);
        }
    }
}

/// Whether the shaders that run can change anything besides framebuffers, query results and transform feedback.
#[must_use]
pub fn has_side_effects(context: &Context, group: &ShareGroup, work: Work) -> bool {
    let mut written = false;
    reach(context, group, work, &mut |used| written |= used.is_written());
    written
}

/// Why GL would refuse to draw or dispatch because of what runs; nothing when it would not, or nobody knows.
#[must_use]
pub fn refusal(context: &Context, group: &ShareGroup, work: Work) -> Option<Fault> {
    const CLASH: Fault = Fault::invalid_operation("samplers of two kinds read from the same unit");
    if context.program != 0 {
        let clash = samplers_clash(group, &[context.program]);
        return clash.then_some(CLASH).or_else(|| assembly_refusal(context, group, work));
    }
    if let Some(pipeline) = context.pipelines.get(&context.pipeline)
        && !crate::handlers::is_valid_pipeline(group, pipeline)
    {
        return Some(Fault::invalid_operation("the stages of the program pipeline do not fit together"));
    }
    assembly_refusal(context, group, work)
}

/// Assembly programs that are enabled must have been given a text that is right, where no shader takes their place.
fn assembly_refusal(context: &Context, group: &ShareGroup, work: Work) -> Option<Fault> {
    let enabled =
        [variable::VERTEX_PROGRAM_ARB, variable::FRAGMENT_PROGRAM_ARB].map(|name| context.vars.get(name) != 0.0);
    if work == Work::Dispatch || enabled == [false; 2] {
        return None;
    }
    let shaders = running(context, group, work);
    for (target, stage) in [(0, 0), (1, 4)] {
        let bound = context.assembly.program(group, target);
        if enabled[target] && shaders[stage] == 0 && bound.text.is_empty() {
            return Some(Fault::invalid_operation("an assembly program is enabled that has no text"));
        }
    }
    None
}

/// Whether programs together read one unit as textures of two kinds, which cannot be (GL 4.6, 11.1.3.5). Elements of
/// arrays that still have their first value count as not used: the driver knows which are, and does not say.
pub(crate) fn samplers_clash(group: &ShareGroup, programs: &[u32]) -> bool {
    let programs = || programs.iter().filter_map(|name| group.program(*name));
    if programs().count() < 2 && !programs().any(is_mixed) {
        return false;
    }
    let mut units = BTreeMap::new();
    for program in programs() {
        let Some(linked) = &program.executable else { continue };
        for uniform in &linked.uniforms {
            let Some(target) = sampler_target(uniform.kind) else { continue };
            let first = uniform.offset as usize;
            let values = program.values.get(first..first + uniform.size as usize).unwrap_or_default();
            let used = values.iter().filter(|unit| !uniform.array || **unit != 0);
            for unit in used {
                if *units.entry(*unit).or_insert(target) != target {
                    return true;
                }
            }
        }
    }
    false
}

fn is_mixed(program: &Program) -> bool {
    program.executable.as_ref().is_some_and(|linked| linked.mixes_samplers)
}

fn reach_of(program: &Program, each: &mut dyn FnMut(Use)) {
    each(Use::Program { object: program.object });
    let Some(linked) = &program.executable else { return each(Use::Anything) };
    for uniform in linked.uniforms.iter().filter(|uniform| uniform.shape.is_opaque()) {
        let first = uniform.offset as usize;
        for unit in program.values.get(first..first + uniform.size as usize).unwrap_or_default() {
            match (uniform.shape.base, sampler_target(uniform.kind)) {
                (Base::Sampler, Some(target)) => each(Use::Texture { unit: *unit, target }),
                (Base::Image, _) => each(Use::Image { unit: *unit }),
                _ => {}
            }
        }
    }
    program.bindings.uniform.iter().for_each(|binding| each(Use::UniformBuffer { binding: *binding }));
    program.bindings.storage.iter().for_each(|binding| each(Use::StorageBuffer { binding: *binding }));
    if let Some(counters) = linked.reflection.interface(c::GL_ATOMIC_COUNTER_BUFFER) {
        for index in 0..counters.resources.len() {
            let binding = counters.value(index, c::GL_BUFFER_BINDING).unwrap_or(0).cast_unsigned();
            each(Use::CounterBuffer { binding });
        }
    }
}
