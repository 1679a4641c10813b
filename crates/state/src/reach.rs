//! What the running shaders can read and write, besides vertices and framebuffers.

use std::collections::BTreeMap;

use api::constant as c;
use api::reflection::kind::{Base, sampler_target};

use crate::context::Context;
use crate::fault::Fault;
use crate::objects::pipeline::STAGES;
use crate::objects::program::Program;
use crate::share::ShareGroup;
use crate::variable;

/// A resource that a shader can access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Use {
    /// The program itself: its code and its uniforms. Read.
    Program {
        /// Its unique number.
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
    /// The buffer at a binding point of `GL_UNIFORM_BUFFER`. Read.
    UniformBuffer {
        /// The binding point.
        binding: u32,
    },
    /// The buffer at a binding point of `GL_SHADER_STORAGE_BUFFER`. Read and written.
    StorageBuffer {
        /// The binding point.
        binding: u32,
    },
    /// The buffer at a binding point of `GL_ATOMIC_COUNTER_BUFFER`. Read and written.
    CounterBuffer {
        /// The binding point.
        binding: u32,
    },
    /// Anything: the trace does not record the result of linking a program.
    Anything,
}

impl Use {
    /// Returns whether it may be written.
    #[must_use]
    pub fn is_written(self) -> bool {
        matches!(self, Use::Image { .. } | Use::StorageBuffer { .. } | Use::CounterBuffer { .. } | Use::Anything)
    }
}

/// The kind of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkKind {
    /// A draw call.
    Draw,
    /// A dispatch.
    Dispatch,
}

/// Returns the programs that run, by stage of [`STAGES`]; 0 where a stage has none. A missing vertex or fragment stage
/// is executed by fixed functions or assembly programs.
#[must_use]
pub fn running(context: &Context, group: &ShareGroup, work: WorkKind) -> [u32; 6] {
    if context.program == 0 {
        let mut stages = context.pipelines.get(&context.pipeline).map_or([0; 6], |pipeline| pipeline.stages);
        for (stage, name) in STAGES.iter().zip(&mut stages) {
            if !runs(*stage, work) {
                *name = 0;
            }
        }
        return stages;
    }
    running_of(group.program(context.program), context.program, work)
}

/// Returns whether a stage runs in this kind of work.
#[inline]
fn runs(stage: u32, work: WorkKind) -> bool {
    (stage == c::GL_COMPUTE_SHADER) == (work == WorkKind::Dispatch)
}

/// The same for a program of that name that runs in all stages that it has.
#[inline]
fn running_of(program: Option<&Program>, name: u32, work: WorkKind) -> [u32; 6] {
    let present = program.and_then(|program| program.executable.as_ref()?.stages()).unwrap_or([true; 6]);
    let mut stages = [0; 6];
    for ((stage, present), running) in STAGES.iter().zip(present).zip(&mut stages) {
        if present && runs(*stage, work) {
            *running = name;
        }
    }
    stages
}

/// Calls `each` for everything that the running shaders can access; some of it may be repeated.
pub fn reach(context: &Context, group: &ShareGroup, work: WorkKind, each: &mut dyn FnMut(Use)) {
    if context.program != 0 {
        let program = group.program(context.program);
        let is_running = running_of(program, context.program, work) != [0; 6];
        return program.into_iter().filter(|_| is_running).for_each(|program| reach_of(program, each));
    }
    let stages = running(context, group, work);
    for (place, name) in stages.iter().enumerate() {
        // A program with several stages is visited once.
        if *name != 0
            && !stages[..place].contains(name)
            && let Some(program) = group.program(*name)
        {
            reach_of(program, each);
        }
    }
}

/// Returns whether the running shaders can change anything besides framebuffers, query results and transform feedback.
#[must_use]
pub fn has_side_effects(context: &Context, group: &ShareGroup, work: WorkKind) -> bool {
    let mut written = false;
    reach(context, group, work, &mut |used| written |= used.is_written());
    written
}

/// Returns why GL would reject a draw call or dispatch because of its programs; `None` when it would not, or this is
/// not known.
#[must_use]
pub fn refusal(context: &Context, group: &ShareGroup, work: WorkKind) -> Option<Fault> {
    const CLASH: Fault = Fault::invalid_operation("samplers of different types use the same texture unit");
    if context.program != 0 {
        let clash = samplers_clash(group, &[context.program]);
        return clash.then_some(CLASH).or_else(|| assembly_refusal(context, group, work));
    }
    if let Some(pipeline) = context.pipelines.get(&context.pipeline)
        && !crate::handlers::is_valid_pipeline(group, pipeline)
    {
        return Some(Fault::invalid_operation("the stages of the program pipeline are not compatible"));
    }
    assembly_refusal(context, group, work)
}

/// Checks that enabled assembly programs have valid text, unless a shader replaces them.
fn assembly_refusal(context: &Context, group: &ShareGroup, work: WorkKind) -> Option<Fault> {
    let enabled =
        [variable::VERTEX_PROGRAM_ARB, variable::FRAGMENT_PROGRAM_ARB].map(|name| context.vars.get(name) != 0.0);
    if work == WorkKind::Dispatch || enabled == [false; 2] {
        return None;
    }
    let shaders = running(context, group, work);
    for (target, stage) in [(0, 0), (1, 4)] {
        let bound = context.assembly.program(group, target);
        if enabled[target] && shaders[stage] == 0 && bound.text.is_empty() {
            return Some(Fault::invalid_operation("an enabled assembly program has no valid text"));
        }
    }
    None
}

/// Returns whether programs sample one unit with textures of different targets, which is an error (GL 4.6, 11.1.3.11).
/// Array elements that still have their initial value count as unused: only the driver knows which are used.
pub(crate) fn samplers_clash(group: &ShareGroup, programs: &[u32]) -> bool {
    if let [name] = programs
        && !group.program(*name).is_some_and(is_mixed)
    {
        return false;
    }
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
