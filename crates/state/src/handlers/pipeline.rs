//! Program pipelines (GL 4.6, 7.4).

use std::sync::Arc;

use api::reflection::parameters::{COMPUTE, GEOMETRY, TESSELLATION};
use api::{Namespace, constant as c, id};

use super::Table;
use super::program::{find, is_feeding_back, reset_subroutines, text};
use crate::answer::{Answer, Values, View};
use crate::fault::Fault;
use crate::objects::pipeline::{Pipeline, STAGE_BITS, STAGES};
use crate::share::ShareGroup;
use crate::step::{Done, Step, not_negative};
use crate::variable::NumberType;

const NO_PIPELINE: Fault = Fault::invalid_operation("no program pipeline has this name");
const NEGATIVE: &str = "the number of pipelines is negative";

pub fn register(table: &mut Table) {
    table.on(&[id::glGenProgramPipelines, id::glGenProgramPipelinesEXT], |step| create(step, false));
    table.on(&[id::glCreateProgramPipelines], |step| create(step, true));
    table.on(&[id::glDeleteProgramPipelines, id::glDeleteProgramPipelinesEXT], delete);
    table.on(&[id::glBindProgramPipeline, id::glBindProgramPipelineEXT], bind);
    table.on(&[id::glUseProgramStages, id::glUseProgramStagesEXT], use_stages);
    table.on(&[id::glActiveShaderProgram, id::glActiveShaderProgramEXT], activate);
    table.on(&[id::glValidateProgramPipeline, id::glValidateProgramPipelineEXT], validate);
    // Querying a generated name creates its object (GL 4.6, 7.4).
    table.on(&[id::glGetProgramPipelineiv, id::glGetProgramPipelineivEXT], |step| {
        let name = step.name(0);
        pipeline_mut(step, name)?.exists = true;
        Ok(())
    });
    table.ask(&[id::glGetProgramPipelineiv, id::glGetProgramPipelineivEXT], value);
    table.ask(&[id::glGetProgramPipelineInfoLog, id::glGetProgramPipelineInfoLogEXT], log);
    table.ask(&[id::glIsProgramPipeline, id::glIsProgramPipelineEXT], |view, args| {
        let name = args.first().copied().unwrap_or(0) as u32;
        let found = view.context.pipelines.get(&name).is_some_and(|pipeline| pipeline.exists);
        Ok(Answer::truth(found))
    });
    table.getter(|view, name, _| {
        let when = api::when::both(41, 31).or(&["GL_ARB_separate_shader_objects", "GL_EXT_separate_shader_objects"]);
        (name == c::GL_PROGRAM_PIPELINE_BINDING && view.context.facts.meets(&when))
            .then(|| Ok(Answer::one(NumberType::Name(Namespace::ProgramPipeline), f64::from(view.context.pipeline))))
    });
}

fn pipeline_mut<'s>(step: &'s mut Step<'_>, name: u32) -> Result<&'s mut Pipeline, Fault> {
    step.context.pipelines.get_mut(&name).map(Arc::make_mut).ok_or(NO_PIPELINE)
}

fn create(step: &mut Step<'_>, exists: bool) -> Done {
    not_negative(step.int(0), NEGATIVE)?;
    for name in step.output_names(1) {
        let object = step.group.next_object();
        step.context.pipelines.insert(name, Arc::new(Pipeline { object, exists, ..Pipeline::default() }));
    }
    Ok(())
}

fn delete(step: &mut Step<'_>) -> Done {
    not_negative(step.int(0), NEGATIVE)?;
    for name in step.names_to_delete(1) {
        let Some(pipeline) = step.context.pipelines.remove(&name) else { continue };
        for stage in pipeline.stages.into_iter().chain([pipeline.active]) {
            find::release(step.group, stage);
        }
        if step.context.pipeline == name {
            step.context.pipeline = 0;
            reset_subroutines(step.context, step.group);
        }
    }
    Ok(())
}

fn bind(step: &mut Step<'_>) -> Done {
    let name = step.name(0);
    if is_feeding_back(step.context) {
        return Err(Fault::invalid_operation("transform feedback is active"));
    }
    if name != 0 {
        pipeline_mut(step, name)?.exists = true;
    }
    step.context.pipeline = name;
    if step.context.program == 0 {
        reset_subroutines(step.context, step.group);
    }
    Ok(())
}

fn use_stages(step: &mut Step<'_>) -> Done {
    let (name, bits, program) = (step.name(0), step.name(1), step.name(2));
    if !step.context.pipelines.contains_key(&name) {
        return Err(NO_PIPELINE);
    }
    let facts = step.facts();
    let mut known = c::GL_VERTEX_SHADER_BIT | c::GL_FRAGMENT_SHADER_BIT;
    for (when, bit) in [
        (GEOMETRY, c::GL_GEOMETRY_SHADER_BIT),
        (TESSELLATION, c::GL_TESS_CONTROL_SHADER_BIT | c::GL_TESS_EVALUATION_SHADER_BIT),
        (COMPUTE, c::GL_COMPUTE_SHADER_BIT),
    ] {
        if facts.meets(&when) {
            known |= bit;
        }
    }
    if bits != c::GL_ALL_SHADER_BITS && bits & !known != 0 {
        return Err(Fault::invalid_value("the stage mask has invalid bits"));
    }
    if step.context.pipeline == name && is_feeding_back(step.context) {
        return Err(Fault::invalid_operation("transform feedback is active"));
    }
    if program != 0 {
        let found = find::program(step.group, program)?;
        if found.is_linked() == Some(false) {
            return Err(Fault::invalid_operation("the program is not linked"));
        }
        if !found.setup.separable {
            return Err(Fault::invalid_operation("the program was not linked as separable"));
        }
    }
    for (place, stage) in STAGES.into_iter().enumerate() {
        if bits & known & STAGE_BITS[place] != 0 {
            let chosen = if has_stage(step.group, program, stage) { program } else { 0 };
            find::take(step.group, chosen);
            let before = std::mem::replace(&mut pipeline_mut(step, name)?.stages[place], chosen);
            find::release(step.group, before);
        }
    }
    let pipeline = pipeline_mut(step, name)?;
    pipeline.exists = true;
    pipeline.validated = false;
    if step.context.pipeline == name && step.context.program == 0 {
        reset_subroutines(step.context, step.group);
    }
    Ok(())
}

/// Returns whether a program has a stage; assumed when the trace does not record it.
fn has_stage(group: &ShareGroup, program: u32, stage: u32) -> bool {
    let Ok(program) = find::program(group, program) else { return false };
    program.interface().is_none_or(|linked| linked.has_stage(stage).unwrap_or(true))
}

fn activate(step: &mut Step<'_>) -> Done {
    let (name, program) = (step.name(0), step.name(1));
    let linked = if program == 0 { Some(true) } else { find::program(step.group, program)?.is_linked() };
    if !step.context.pipelines.contains_key(&name) {
        return Err(NO_PIPELINE);
    }
    if linked == Some(false) {
        return Err(Fault::invalid_operation("the program is not linked"));
    }
    find::take(step.group, program);
    let pipeline = pipeline_mut(step, name)?;
    pipeline.exists = true;
    let before = std::mem::replace(&mut pipeline.active, program);
    find::release(step.group, before);
    Ok(())
}

fn validate(step: &mut Step<'_>) -> Done {
    let name = step.name(0);
    let Some(pipeline) = step.context.pipelines.get(&name) else { return Err(NO_PIPELINE) };
    let valid = is_valid(step.group, pipeline);
    let pipeline = pipeline_mut(step, name)?;
    pipeline.validated = valid;
    pipeline.log = if valid { Some(Arc::from("")) } else { None };
    Ok(())
}

/// Returns whether the stages are compatible (GL 4.6, 11.1.3.11).
pub fn is_valid(group: &ShareGroup, pipeline: &Pipeline) -> bool {
    let stages = &pipeline.stages;
    if stages.iter().all(|program| *program == 0) {
        return false;
    }
    // A program with a stage that the pipeline takes from another program is not active for all its stages.
    for (place, program) in stages.iter().enumerate().filter(|(_, program)| **program != 0) {
        let whole = STAGES.iter().enumerate().all(|(other, stage)| {
            other == place || stages[other] == *program || !has_stage_for_sure(group, *program, *stage)
        });
        // No other program may be between two stages of one.
        let last = stages[..5].iter().rposition(|other| other == program).unwrap_or(place);
        let first = stages[..5].iter().position(|other| other == program).unwrap_or(place);
        let between = stages[first.min(last)..=last].iter().any(|other| *other != 0 && other != program);
        let separable = find::program(group, *program).is_ok_and(|program| program.setup.separable);
        if !whole || between || !separable {
            return false;
        }
    }
    let [vertex, control, evaluation, geometry, ..] = *stages;
    if crate::reach::samplers_clash(group, stages) {
        return false;
    }
    vertex != 0 || control == 0 && evaluation == 0 && geometry == 0
}

fn has_stage_for_sure(group: &ShareGroup, program: u32, stage: u32) -> bool {
    let Ok(program) = find::program(group, program) else { return false };
    program.interface().is_some_and(|linked| linked.has_stage(stage) == Some(true))
}

fn value(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let word = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    let pipeline = view.context.pipelines.get(&word(0)).ok_or(NO_PIPELINE)?;
    let facts = &view.context.facts;
    let program = |name: u32| Ok(Answer::one(NumberType::Name(Namespace::Program), f64::from(name)));
    match word(1) {
        c::GL_ACTIVE_PROGRAM => program(pipeline.active),
        c::GL_VALIDATE_STATUS => Ok(Answer::truth(pipeline.validated)),
        c::GL_INFO_LOG_LENGTH => Ok(match &pipeline.log {
            Some(log) if log.is_empty() => Answer::one(NumberType::Integer, 0.0),
            Some(log) => Answer::one(NumberType::Integer, log.len() as f64 + 1.0),
            None if pipeline.validated || !pipeline.exists => Answer::one(NumberType::Integer, 0.0),
            None => Answer { kind: NumberType::Integer, values: NOT_RECORDED },
        }),
        kind if super::shader::exists(facts, kind) => match STAGES.iter().position(|stage| *stage == kind) {
            Some(place) => program(pipeline.stages[place]),
            None => Err(Fault::invalid_enum("invalid shader stage")),
        },
        _ => Err(Fault::invalid_enum("invalid program pipeline query")),
    }
}

const NOT_RECORDED: Values = Values::Unknown("the trace does not record the info log of this pipeline");

fn log(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let word = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    let pipeline =
        view.context.pipelines.get(&word(0)).ok_or(Fault::invalid_value("no program pipeline has this name"))?;
    let room = word(1) as i32;
    if room < 0 {
        return Err(Fault::invalid_value("the size for the string is negative"));
    }
    Ok(match &pipeline.log {
        Some(log) => text::written(log.as_bytes(), room, 2, 3),
        None => Answer { kind: NumberType::Integer, values: NOT_RECORDED },
    })
}
