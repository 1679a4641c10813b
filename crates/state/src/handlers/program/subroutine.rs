//! Subroutines: selection and queries (GL 4.6, 7.10).

use std::sync::Arc;

use api::reflection::Interface;
use api::when::desktop;
use api::{constant as c, id};

use super::active::{index_of, interface, list, not_recorded, unread};
use super::find;
use super::text::{self, until_zero};
use crate::answer::{Answer, View, word};
use crate::call::Memory;
use crate::context::{Context, Facts};
use crate::fault::Fault;
use crate::handlers::{Table, shader};
use crate::objects::pipeline::STAGES;
use crate::objects::program::Program;
use crate::share::ShareGroup;
use crate::step::{Done, Step};
use crate::variable::NumberType;

const NO_STAGE: Fault = Fault::invalid_enum("invalid shader stage");
const NO_INDEX: Fault = Fault::invalid_value("there is no active resource with this index");
const NOT_LINKED: Fault = Fault::invalid_operation("the program is not linked, or does not have this stage");

pub fn register(table: &mut Table) {
    table.on(&[id::glUniformSubroutinesuiv], choose);
    table.ask(&[id::glGetUniformSubroutineuiv], chosen);
    table.ask(&[id::glGetProgramStageiv], stage_value);
    table.ask(&[id::glGetActiveSubroutineName], |view, args| name_of(view, args, false));
    table.ask(&[id::glGetActiveSubroutineUniformName], |view, args| name_of(view, args, true));
    table.ask(&[id::glGetActiveSubroutineUniformiv], uniform_value);
    table.ask_with(&[id::glGetSubroutineIndex], |view, args, memory| {
        let stage = stage(&view.context.facts, word(args, 1))?;
        let program = find::program(view.group, word(args, 0))?;
        let Some(name) = memory.input_bytes(2) else { return Ok(unread()) };
        index_of(program, interfaces(stage).0, until_zero(&name))
    });
    table.ask_with(&[id::glGetSubroutineUniformLocation], location);
}

/// Returns the index of a stage in [`STAGES`].
fn stage(facts: &Facts, kind: u32) -> Result<usize, Fault> {
    if !facts.meets(&desktop(40).or(&["GL_ARB_shader_subroutine"])) || !shader::exists(facts, kind) {
        return Err(NO_STAGE);
    }
    STAGES.iter().position(|stage| *stage == kind).ok_or(NO_STAGE)
}

/// Returns the interfaces of a stage's subroutines and of its subroutine uniforms.
fn interfaces(stage: usize) -> (u32, u32) {
    match STAGES[stage] {
        c::GL_VERTEX_SHADER => (c::GL_VERTEX_SUBROUTINE, c::GL_VERTEX_SUBROUTINE_UNIFORM),
        c::GL_TESS_CONTROL_SHADER => (c::GL_TESS_CONTROL_SUBROUTINE, c::GL_TESS_CONTROL_SUBROUTINE_UNIFORM),
        c::GL_TESS_EVALUATION_SHADER => (c::GL_TESS_EVALUATION_SUBROUTINE, c::GL_TESS_EVALUATION_SUBROUTINE_UNIFORM),
        c::GL_GEOMETRY_SHADER => (c::GL_GEOMETRY_SUBROUTINE, c::GL_GEOMETRY_SUBROUTINE_UNIFORM),
        c::GL_FRAGMENT_SHADER => (c::GL_FRAGMENT_SUBROUTINE, c::GL_FRAGMENT_SUBROUTINE_UNIFORM),
        _ => (c::GL_COMPUTE_SUBROUTINE, c::GL_COMPUTE_SUBROUTINE_UNIFORM),
    }
}

/// Returns the name of the program of a stage, 0 for none.
fn running(context: &Context, stage: usize) -> u32 {
    if context.program != 0 {
        return context.program;
    }
    context.pipelines.get(&context.pipeline).map_or(0, |pipeline| pipeline.stages[stage])
}

/// Selects the initial subroutines for every stage when a program is first used: the first compatible ones.
pub fn reset(context: &mut Context, group: &ShareGroup) {
    let has = |name: u32| {
        let linked = find::program(group, name).ok().and_then(|program| program.executable.as_ref());
        linked.is_some_and(|linked| linked.has_subroutines)
    };
    // Hardly any program has subroutines, and programs are changed often.
    let any = match context.program {
        0 => context.pipelines.get(&context.pipeline).is_some_and(|pipeline| pipeline.stages.into_iter().any(has)),
        name => has(name),
    };
    if !any {
        if context.subroutines.iter().any(|chosen| !chosen.is_empty()) {
            context.subroutines = Arc::default();
        }
        return;
    }
    let mut fresh: [Vec<u32>; 6] = Default::default();
    for (stage, chosen) in fresh.iter_mut().enumerate() {
        let Ok(program) = find::program(group, running(context, stage)) else { continue };
        let Some(linked) = &program.executable else { continue };
        let Some(uniforms) = linked.reflection.interface(interfaces(stage).1) else { continue };
        for (location, index) in locations(uniforms).into_iter().enumerate() {
            let first = index.and_then(|index| uniforms.resources[index].list.first());
            chosen.resize(location + 1, 0);
            chosen[location] = first.copied().unwrap_or(0).cast_unsigned();
        }
    }
    if *context.subroutines != fresh {
        context.subroutines = Arc::new(fresh);
    }
}

/// Returns the index of the uniform at each location of a stage.
fn locations(uniforms: &Interface) -> Vec<Option<usize>> {
    let mut found = Vec::new();
    for index in 0..uniforms.resources.len() {
        let Ok(first) = usize::try_from(uniforms.value(index, c::GL_LOCATION).unwrap_or(-1)) else { continue };
        let size = uniforms.value(index, c::GL_ARRAY_SIZE).unwrap_or(1).clamp(1, 1 << 12) as usize;
        if first >= 1 << 12 {
            continue;
        }
        if found.len() < first + size {
            found.resize(first + size, None);
        }
        found[first..first + size].fill(Some(index));
    }
    found
}

fn choose(step: &mut Step<'_>) -> Done {
    let stage = stage(step.facts(), step.name(0))?;
    let running = running(step.context, stage);
    let Ok(program) = find::program(step.group, running) else { return Err(NOT_LINKED) };
    let Some(linked) = &program.executable else { return Ok(()) };
    let (subroutines, uniforms) = interfaces(stage);
    let reflection = &linked.reflection;
    let (Some(subroutines), Some(uniforms)) = (reflection.interface(subroutines), reflection.interface(uniforms))
    else {
        return Ok(());
    };
    let locations = locations(uniforms);
    if step.int(1) != locations.len() as i32 {
        return Err(Fault::invalid_value(
            "the number of subroutine indices must be the stage's number of subroutine uniform locations",
        ));
    }
    let indices = (0..subroutines.resources.len())
        .map(|place| subroutines.value(place, c::GL_INDEX).map_or(place as u32, i32::cast_unsigned));
    let last = indices.max().unwrap_or(0);
    let wanted = step.input_names(2);
    for (index, uniform) in wanted.iter().zip(&locations) {
        if *index > last {
            return Err(NO_INDEX);
        }
        let fits = |uniform: usize| uniforms.resources[uniform].list.contains(&index.cast_signed());
        if uniform.is_some_and(|uniform| !fits(uniform)) {
            return Err(Fault::invalid_operation("the subroutine is not compatible with its uniform"));
        }
    }
    Arc::make_mut(&mut step.context.subroutines)[stage] = wanted;
    Ok(())
}

fn chosen(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let stage = stage(&view.context.facts, word(args, 0))?;
    let running = running(view.context, stage);
    if find::program(view.group, running).is_err() {
        return Err(NOT_LINKED);
    }
    let location = usize::try_from(word(args, 1) as i32).unwrap_or(usize::MAX);
    let chosen = view.context.subroutines[stage].get(location).ok_or(NO_INDEX)?;
    Ok(Answer::one(NumberType::Integer, f64::from(*chosen)))
}

/// `glGetProgramStageiv`.
fn stage_value(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let (kind, name) = (word(args, 1), word(args, 2));
    stage(&view.context.facts, kind)?;
    let program = find::program(view.group, word(args, 0))?;
    let known = [
        c::GL_ACTIVE_SUBROUTINES,
        c::GL_ACTIVE_SUBROUTINE_UNIFORMS,
        c::GL_ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS,
        c::GL_ACTIVE_SUBROUTINE_MAX_LENGTH,
        c::GL_ACTIVE_SUBROUTINE_UNIFORM_MAX_LENGTH,
    ];
    if program.is_linked().is_none() {
        return Ok(not_recorded());
    }
    let recorded = program.interface().and_then(|linked| {
        let stages = &linked.reflection.stages;
        stages.iter().find(|value| value.0 == kind && value.1 == name).map(|value| value.2)
    });
    match recorded {
        Some(value) => Ok(Answer::one(NumberType::Integer, f64::from(value))),
        // A stage that does not exist has no locations, for which Mesa reports an error.
        None if name == c::GL_ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS => Err(NOT_LINKED),
        None if known.contains(&name) => Ok(Answer::one(NumberType::Integer, 0.0)),
        None => Err(Fault::invalid_enum("invalid program stage query")),
    }
}

fn stage_interface<'v>(view: &View<'v>, args: &[u64], uniforms: bool) -> Result<Option<&'v Interface>, Fault> {
    let stage = stage(&view.context.facts, word(args, 1))?;
    let program: &Program = find::program(view.group, word(args, 0))?;
    let (subroutine, uniform) = interfaces(stage);
    Ok(interface(program, if uniforms { uniform } else { subroutine }))
}

fn name_of(view: &View<'_>, args: &[u64], uniforms: bool) -> Result<Answer, Fault> {
    let Some(interface) = stage_interface(view, args, uniforms)? else { return Ok(not_recorded()) };
    let resource = interface.resources.get(word(args, 2) as usize).ok_or(NO_INDEX)?;
    let room = word(args, 3) as i32;
    if room < 0 {
        return Err(Fault::invalid_value("the size for the string is negative"));
    }
    Ok(text::written(&resource.name, room, 4, 5))
}

/// `glGetActiveSubroutineUniformiv`.
fn uniform_value(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let Some(interface) = stage_interface(view, args, true)? else { return Ok(not_recorded()) };
    let index = word(args, 2) as usize;
    let resource = interface.resources.get(index).ok_or(NO_INDEX)?;
    let one = |value: i32| Ok(Answer::one(NumberType::Integer, f64::from(value)));
    match word(args, 3) {
        c::GL_NUM_COMPATIBLE_SUBROUTINES => one(resource.list.len() as i32),
        c::GL_COMPATIBLE_SUBROUTINES => Ok(list(&resource.list)),
        c::GL_UNIFORM_SIZE => one(interface.value(index, c::GL_ARRAY_SIZE).unwrap_or(1)),
        c::GL_UNIFORM_NAME_LENGTH => one(resource.name.len() as i32 + 1),
        _ => Err(Fault::invalid_enum("invalid subroutine uniform query")),
    }
}

fn location(view: &View<'_>, args: &[u64], memory: &dyn Memory) -> Result<Answer, Fault> {
    let stage = stage(&view.context.facts, word(args, 1))?;
    let program = find::program(view.group, word(args, 0))?;
    if program.is_linked() == Some(false) {
        return Err(NOT_LINKED);
    }
    let Some(linked) = program.interface() else { return Ok(not_recorded()) };
    let Some(name) = memory.input_bytes(2) else { return Ok(unread()) };
    let place = linked.location(interfaces(stage).1, until_zero(&name));
    Ok(Answer::one(NumberType::Integer, f64::from(place)))
}
