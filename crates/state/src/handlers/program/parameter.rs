//! `glProgramParameteri`, `glGetProgramiv` and related commands.

use std::sync::Arc;

use api::reflection::parameters::{COMPUTE, PARAMETERS};
use api::when::both;
use api::{constant as c, id};

use super::find;
use super::text;
use crate::answer::{Answer, Values, View, word};
use crate::fault::Fault;
use crate::handlers::Table;
use crate::handlers::shader::names;
use crate::objects::program::{DriverResult, Program};
use crate::step::{Done, Step};
use crate::variable::NumberType;

/// The answer when the result of linking is not recorded.
pub const NOT_RECORDED: Values = Values::Unknown("the trace does not record the result of linking this program");

/// A program's binary contains the settings for its next linking.
const TOUCHED: Values = Values::Unknown("the program was changed since the length of its binary was recorded");

const UNVALIDATED: Values = Values::Unknown("the trace does not record the result of validating this program");

pub fn register(table: &mut Table) {
    table.ask(&[id::glGetProgramiv], |view, args| get(view, word(args, 0), word(args, 1)));
    table.ask(&[id::glGetProgramInfoLog], log);
    table.ask(&[id::glGetInfoLogARB], |view, args| match find::shader(view.group, word(args, 0)) {
        Ok(_) => view.answer(id::glGetShaderInfoLog, args).unwrap_or(Err(NO_NAME)),
        Err(_) => log(view, args),
    });
    table.ask(&[id::glGetObjectParameterivARB, id::glGetObjectParameterfvARB], object);
    table.ask(&[id::glGetProgramBinary, id::glGetProgramBinaryOES], binary);
    table.ask(&[id::glGetAttachedShaders, id::glGetAttachedObjectsARB], attached);
    table.ask(&[id::glGetHandleARB], |view, args| match word(args, 0) {
        c::GL_PROGRAM_OBJECT_ARB => Ok(names(&[view.context.program])),
        _ => Err(Fault::invalid_enum("invalid handle type")),
    });
}

const NO_NAME: Fault = Fault::invalid_enum("invalid program query");

/// `glProgramParameteri`.
pub fn set(step: &mut Step<'_>) -> Done {
    let (name, parameter, value) = (step.name(0), step.name(1), step.name(2));
    find::program(step.group, name)?;
    let known = match parameter {
        c::GL_PROGRAM_BINARY_RETRIEVABLE_HINT => step.facts().meets(&both(41, 30).or(&["GL_ARB_get_program_binary"])),
        c::GL_PROGRAM_SEPARABLE => {
            step.facts().meets(&both(41, 31).or(&["GL_ARB_separate_shader_objects", "GL_EXT_separate_shader_objects"]))
        }
        _ => false,
    };
    if !known {
        return Err(NO_NAME);
    }
    if value > 1 {
        return Err(Fault::invalid_value("the value must be GL_TRUE or GL_FALSE"));
    }
    let setup = Arc::make_mut(&mut find::program_mut(step.group, name)?.setup);
    match parameter {
        c::GL_PROGRAM_SEPARABLE => setup.separable = value != 0,
        _ => setup.retrievable = value != 0,
    }
    Ok(())
}

fn number(number: usize) -> Answer {
    Answer::one(NumberType::Integer, number as f64)
}

/// Returns a value that the driver reported when the program was linked.
fn recorded_value(program: &Program, name: u32) -> Answer {
    let values = match &program.linked {
        DriverResult::NotRequested => return Answer::one(NumberType::Integer, 0.0),
        DriverResult::NotRecorded => NOT_RECORDED,
        DriverResult::Recorded(linked) => {
            match linked.reflection.parameters.iter().find(|parameter| parameter.0 == name) {
                Some((_, values)) => Values::Numbers(values.iter().map(|value| f64::from(*value)).collect()),
                None => NOT_RECORDED,
            }
        }
    };
    Answer { kind: NumberType::Integer, values }
}

fn get(view: &View<'_>, name: u32, parameter: u32) -> Result<Answer, Fault> {
    let program = find::program(view.group, name)?;
    let facts = &view.context.facts;
    let about = PARAMETERS.iter().find(|about| about.0 == parameter);
    if parameter == c::GL_COMPLETION_STATUS_ARB && facts.has("GL_KHR_parallel_shader_compile") {
        return Ok(Answer::truth(true));
    }
    let stage = match about {
        Some((_, when, stage)) if facts.meets(when) => *stage,
        _ if parameter == c::GL_COMPUTE_WORK_GROUP_SIZE && facts.meets(&COMPUTE) => Some(c::GL_COMPUTE_SHADER),
        _ => return Err(NO_NAME),
    };
    if stage.is_some() {
        let said = matches!(&program.linked, DriverResult::Recorded(linked)
            if linked.reflection.parameters.iter().any(|known| known.0 == parameter));
        return match &program.linked {
            _ if said => Ok(recorded_value(program, parameter)),
            DriverResult::NotRecorded => Ok(Answer { kind: NumberType::Integer, values: NOT_RECORDED }),
            _ => Err(Fault::invalid_operation("the program is not linked, or does not have this stage")),
        };
    }
    let not_recorded = matches!(program.linked, DriverResult::NotRecorded);
    Ok(match parameter {
        c::GL_DELETE_STATUS => Answer::truth(program.deleted),
        c::GL_LINK_STATUS => match program.is_linked() {
            Some(status) => Answer::truth(status),
            None => Answer { kind: NumberType::Boolean, values: NOT_RECORDED },
        },
        c::GL_VALIDATE_STATUS => match &program.validation {
            None => Answer::truth(false),
            Some(validation) => match validation.status {
                Some(status) => Answer::truth(status),
                None => Answer { kind: NumberType::Boolean, values: UNVALIDATED },
            },
        },
        c::GL_INFO_LOG_LENGTH => match &program.validation {
            Some(validation) if validation.status.is_none() => {
                Answer { kind: NumberType::Integer, values: UNVALIDATED }
            }
            Some(validation) => Answer::one(NumberType::Integer, f64::from(validation.log_length)),
            None => recorded_value(program, parameter),
        },
        c::GL_ATTACHED_SHADERS => number(program.setup.attached.len()),
        // Mesa returns it only for linked programs.
        c::GL_PROGRAM_SEPARABLE if !not_recorded => {
            Answer::truth(program.setup.separable && program.is_linked() == Some(true))
        }
        c::GL_PROGRAM_BINARY_RETRIEVABLE_HINT => Answer::truth(program.setup.retrievable_when_linked),
        c::GL_TRANSFORM_FEEDBACK_BUFFER_MODE => Answer::one(NumberType::Enum, f64::from(program.setup.varyings_mode)),
        c::GL_TRANSFORM_FEEDBACK_VARYINGS | c::GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH if !not_recorded => {
            varyings(program, parameter)
        }
        c::GL_PROGRAM_BINARY_LENGTH if program.is_linked() == Some(false) => number(0),
        c::GL_PROGRAM_BINARY_LENGTH if program.setup.touched => Answer { kind: NumberType::Integer, values: TOUCHED },
        _ => recorded_value(program, parameter),
    })
}

/// Answers queries for varyings: the linked ones, or else those set for the next linking.
fn varyings(program: &Program, parameter: u32) -> Answer {
    let linked = program.interface().and_then(|linked| {
        let interface = linked.reflection.interface(c::GL_TRANSFORM_FEEDBACK_VARYING)?;
        (!interface.resources.is_empty()).then_some(interface)
    });
    if linked.is_some() {
        return recorded_value(program, parameter);
    }
    let names = &program.setup.varyings;
    // Mesa counts those that are not linked, but not the lengths of their names.
    if parameter == c::GL_TRANSFORM_FEEDBACK_VARYINGS { number(names.len()) } else { number(0) }
}

fn log(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let room = word(args, 1) as i32;
    if room < 0 {
        return Err(Fault::invalid_value("the size for the string is negative"));
    }
    let program = find::program(view.group, word(args, 0))?;
    Ok(match (&program.validation, &program.linked) {
        (Some(validation), _) if validation.status.is_none() => {
            Answer { kind: NumberType::Integer, values: UNVALIDATED }
        }
        (Some(validation), _) => text::written(&validation.log, room, 2, 3),
        (None, DriverResult::NotRequested) => text::written(&[], room, 2, 3),
        (None, DriverResult::NotRecorded) => Answer { kind: NumberType::Integer, values: NOT_RECORDED },
        (None, DriverResult::Recorded(linked)) => text::written(&linked.reflection.log, room, 2, 3),
    })
}

/// Why the driver refuses binaries where it has no formats for them.
pub const NO_FORMATS: &str =
    "there are no formats for program binaries; `record` hides those of the driver unless --keep-binaries is given";

/// Returns whether the driver has no formats for program binaries, or the program was told so while it was recorded.
fn has_no_formats(view: &View<'_>) -> bool {
    let formats = view.context.facts.limits.get(c::GL_NUM_PROGRAM_BINARY_FORMATS, 0);
    formats.and_then(Values::first_integer) == Some(0)
}

/// `glGetProgramBinary`: the contents of a binary are known only to the driver.
fn binary(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    let room = word(args, 1) as i32;
    if room < 0 {
        return Err(Fault::invalid_value("the size for the binary is negative"));
    }
    if program.is_linked() == Some(false) {
        return Err(Fault::invalid_operation("the program is not linked"));
    }
    if has_no_formats(view) {
        return Err(Fault::invalid_operation(NO_FORMATS));
    }
    let length = match recorded_value(program, c::GL_PROGRAM_BINARY_LENGTH).values.first_integer() {
        Some(length) if !program.setup.touched => length,
        _ => 0,
    };
    if i64::from(room) < length {
        return Err(Fault::invalid_operation("the buffer is too small for the binary"));
    }
    Ok(Answer {
        kind: NumberType::Integer,
        values: Values::Unknown("the contents of program binaries are not recorded"),
    })
}

fn attached(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let room = word(args, 1) as i32;
    if room < 0 {
        return Err(Fault::invalid_value("the maximum number of shaders is negative"));
    }
    let list = &find::program(view.group, word(args, 0))?.setup.attached;
    let list = &list[..list.len().min(room.cast_unsigned() as usize)];
    Ok(text::outputs(vec![(2, number(list.len())), (3, names(list))]))
}

/// `glGetObjectParameterivARB`, which accepts both shaders and programs.
fn object(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let (name, parameter) = (word(args, 0), word(args, 1));
    let shader = match find::shader(view.group, name) {
        Ok(shader) => Some(shader),
        Err(_) => {
            find::program(view.group, name)?;
            None
        }
    };
    match (parameter, shader) {
        (c::GL_OBJECT_TYPE_ARB, Some(_)) => Ok(Answer::one(NumberType::Enum, f64::from(c::GL_SHADER_OBJECT_ARB))),
        (c::GL_OBJECT_TYPE_ARB, None) => Ok(Answer::one(NumberType::Enum, f64::from(c::GL_PROGRAM_OBJECT_ARB))),
        (_, Some(_)) => view.answer(id::glGetShaderiv, args).unwrap_or(Err(NO_NAME)),
        (_, None) => get(view, name, parameter),
    }
}
