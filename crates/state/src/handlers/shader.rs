//! Shaders: source, compilation, queries.

use std::sync::Arc;

use api::reflection::answers::{self, AnswerValues};
use api::when::{When, both};
use api::{Namespace, constant as c, id};

use super::Table;
use super::program::find;
use super::program::text::{self, several};
use crate::answer::{Answer, Values, View, word};
use crate::call::Call;
use crate::fault::Fault;
use crate::model::Model;
use crate::objects::program::{Compiled, DriverResult, Shader, ShaderOrProgram};
use crate::observer::{ContentsRef, Source};
use crate::share::ShareGroup;
use crate::step::{Done, Step};
use crate::variable::NumberType;

/// Shader types and the contexts that have them.
const KINDS: [(u32, When); 6] = [
    (c::GL_VERTEX_SHADER, both(20, 20).or(&["GL_ARB_vertex_shader"])),
    (c::GL_FRAGMENT_SHADER, both(20, 20).or(&["GL_ARB_fragment_shader"])),
    (c::GL_GEOMETRY_SHADER, both(32, 32).or(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"])),
    (c::GL_TESS_CONTROL_SHADER, TESSELLATION),
    (c::GL_TESS_EVALUATION_SHADER, TESSELLATION),
    (c::GL_COMPUTE_SHADER, both(43, 31).or(&["GL_ARB_compute_shader"])),
];

const TESSELLATION: When =
    both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"]);

const NOT_RECORDED: Values = Values::Unknown("the trace does not record the result of compiling this shader");

pub fn register(table: &mut Table) {
    table.on(&[id::glCreateShader, id::glCreateShaderObjectARB], create);
    table.on(&[id::glShaderSource, id::glShaderSourceARB], source);
    table.on(&[id::glCompileShader, id::glCompileShaderARB], compile);
    table.on(&[id::glSpecializeShader, id::glSpecializeShaderARB], specialize);
    table.on(&[id::glShaderBinary], binary);
    table.on(&[id::glDeleteShader], delete);
    table.on(&[id::glReleaseShaderCompiler], |_| Ok(()));
    table.ask(&[id::glIsShader], |view, args| {
        let found = find::shader(view.group, args.first().copied().unwrap_or(0) as u32).is_ok();
        Ok(Answer::truth(found))
    });
    table.ask(&[id::glGetShaderiv], |view, args| parameter(view, word(args, 0), word(args, 1)));
    table.ask(&[id::glGetShaderSource, id::glGetShaderSourceARB], source_text);
    table.ask(&[id::glGetShaderInfoLog], log);
}

/// Returns whether a shader type exists.
pub fn exists(facts: &crate::Facts, kind: u32) -> bool {
    KINDS.iter().any(|(known, when)| *known == kind && facts.meets(when))
}

fn create(step: &mut Step<'_>) -> Done {
    let kind = step.name(0);
    if !exists(step.facts(), kind) {
        return Err(Fault::invalid_enum("invalid shader type"));
    }
    let name = step.call.result.unwrap_or(0) as u32;
    if name != 0 {
        let object = step.group.next_object();
        let shader = Shader { object, kind, ..Shader::default() };
        step.group.programs.insert(name, Arc::new(ShaderOrProgram::Shader(shader)));
    }
    Ok(())
}

fn source(step: &mut Step<'_>) -> Done {
    let object = find::shader(step.group, step.name(0))?.object;
    if step.word(2) == 0 || step.int(1) < 0 {
        return Err(Fault::invalid_value("the string pointer is null or the count is negative"));
    }
    let text = step.input(2).map(|bytes| several(&bytes).concat());
    let name = step.name(0);
    let shader = find::shader_mut(step.group, name)?;
    // Text after a NUL is ignored.
    shader.source = text.map(|text| Arc::from(text::until_zero(&text)));
    step.writes(ContentsRef::Object { object }, Source::Memory { param: 2, whole: false });
    Ok(())
}

/// Compiles a shader.
pub fn compile(step: &mut Step<'_>) -> Done {
    let name = step.name(0);
    let shader = find::shader_mut(step.group, name)?;
    shader.compiled = DriverResult::NotRecorded;
    shader.compiled_text = shader.source.clone();
    let object = shader.object;
    step.reads(ContentsRef::Object { object });
    step.writes(ContentsRef::Object { object }, Source::Fill { whole: false });
    Ok(())
}

/// Specializes the SPIR-V binary of a shader.
fn specialize(step: &mut Step<'_>) -> Done {
    compile(step)?;
    let name = step.name(0);
    find::shader_mut(step.group, name)?.compiled_text = None;
    Ok(())
}

fn binary(step: &mut Step<'_>) -> Done {
    if step.int(0) < 0 || step.int(4) < 0 {
        return Err(Fault::invalid_value("the number of shaders or bytes is negative"));
    }
    let names = step.input_names(1);
    for name in &names {
        find::shader(step.group, *name)?;
    }
    for name in names {
        let shader = find::shader_mut(step.group, name)?;
        shader.compiled = DriverResult::NotRecorded;
        shader.compiled_text = None;
        let object = shader.object;
        step.writes(ContentsRef::Object { object }, Source::Memory { param: 3, whole: false });
    }
    Ok(())
}

/// Deletes a shader, once it is attached to no program (GL 4.6, 7.1).
pub fn delete(step: &mut Step<'_>) -> Done {
    let name = step.name(0);
    if name == 0 {
        return Ok(());
    }
    let shader = find::shader_mut(step.group, name)?;
    shader.deleted = true;
    if shader.attached == 0 {
        step.group.programs.remove(&name);
    }
    Ok(())
}

fn parameter(view: &View<'_>, name: u32, parameter: u32) -> Result<Answer, Fault> {
    let shader = find::shader(view.group, name)?;
    let truth = |flag: bool| Ok(Answer::truth(flag));
    let number = |number: usize| Ok(Answer::one(NumberType::Integer, number as f64));
    let recorded = |from: fn(&Compiled) -> f64, kind| match &shader.compiled {
        DriverResult::NotRequested => Ok(Answer::one(kind, 0.0)),
        DriverResult::NotRecorded => Ok(Answer { kind, values: NOT_RECORDED }),
        DriverResult::Recorded(compiled) => Ok(Answer::one(kind, from(compiled))),
    };
    match parameter {
        c::GL_SHADER_TYPE => Ok(Answer::one(NumberType::Enum, f64::from(shader.kind))),
        c::GL_DELETE_STATUS => truth(shader.deleted),
        c::GL_COMPILE_STATUS => recorded(|compiled| f64::from(u8::from(compiled.status)), NumberType::Boolean),
        c::GL_INFO_LOG_LENGTH => recorded(|compiled| f64::from(compiled.log_length), NumberType::Integer),
        c::GL_SHADER_SOURCE_LENGTH => number(shader.source.as_ref().map_or(0, |text| text.len() + 1)),
        // Mesa also has it in OpenGL ES.
        c::GL_SPIR_V_BINARY if view.context.facts.meets(&both(46, 20).or(&["GL_ARB_gl_spirv"])) => {
            recorded(|compiled| f64::from(u8::from(compiled.spirv)), NumberType::Boolean)
        }
        c::GL_COMPLETION_STATUS_ARB if view.context.facts.has("GL_KHR_parallel_shader_compile") => truth(true),
        _ => Err(Fault::invalid_enum("invalid shader query")),
    }
}

fn source_text(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let room = word(args, 1) as i32;
    if room < 0 {
        return Err(Fault::invalid_value("the size for the string is negative"));
    }
    let shader = find::shader(view.group, word(args, 0))?;
    Ok(text::written(shader.source.as_deref().unwrap_or_default(), room, 2, 3))
}

fn log(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let room = word(args, 1) as i32;
    if room < 0 {
        return Err(Fault::invalid_value("the size for the string is negative"));
    }
    let shader = find::shader(view.group, word(args, 0))?;
    Ok(match &shader.compiled {
        DriverResult::NotRequested => text::written(&[], room, 2, 3),
        DriverResult::NotRecorded => Answer { kind: NumberType::Integer, values: NOT_RECORDED },
        DriverResult::Recorded(compiled) => text::written(&compiled.log, room, 2, 3),
    })
}

/// Applies capture's description of a shader.
pub fn apply_description(model: &mut Model, call: &Call<'_>) {
    let Some(group) = group_of(model, call) else { return };
    let (Some(name), Some(bytes)) = (call.args.first(), call.memory.input_bytes(2)) else { return };
    let Ok(answers) = answers::decode(&bytes) else { return };
    let Ok(shader) = find::shader_mut(group, *name as u32) else { return };
    let integer = |name| match answers.iter().find(|answer| answer.0 == name && answer.1 == 0) {
        Some((_, _, AnswerValues::Integers(numbers))) => numbers.first().copied().unwrap_or(0),
        _ => 0,
    };
    let log = answers.iter().find_map(|answer| match answer {
        (c::GL_INFO_LOG_LENGTH, 1, AnswerValues::Text(text)) => Some(text.clone()),
        _ => None,
    });
    shader.compiled = DriverResult::Recorded(Arc::new(Compiled {
        status: integer(c::GL_COMPILE_STATUS) != 0,
        log: log.unwrap_or_default(),
        log_length: integer(c::GL_INFO_LOG_LENGTH) as i32,
        spirv: integer(c::GL_SPIR_V_BINARY) != 0,
    }));
}

/// Returns the share group of the calling thread's context.
pub fn group_of<'m>(model: &'m mut Model, call: &Call<'_>) -> Option<&'m mut ShareGroup> {
    let group = model.context(model.seat(call.thread).context)?.group;
    model.groups.get_mut(group).map(Arc::make_mut)
}

/// Returns names of shaders or programs as an answer.
pub fn names(list: &[u32]) -> Answer {
    let numbers: Vec<f64> = list.iter().map(|name| f64::from(*name)).collect();
    Answer { kind: NumberType::Name(Namespace::Program), values: Values::Numbers(numbers) }
}
