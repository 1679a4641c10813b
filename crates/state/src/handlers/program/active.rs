//! Active resources of a program: `glGetActive…`.

use api::reflection::Interface;
use api::when::both;
use api::{constant as c, id};

use super::find;
use super::parameter::NOT_RECORDED;
use super::text::{self, several, until_zero};
use crate::answer::{Answer, Values, View, word};
use crate::call::Memory;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::objects::program::{DriverResult, Program};
use crate::step::{Done, Step};
use crate::variable::NumberType;

const NO_INDEX: Fault = Fault::invalid_value("there is no active resource with this index");
const NO_ROOM: Fault = Fault::invalid_value("the size for the string is negative");
const NO_NAME: Fault = Fault::invalid_enum("invalid parameter name");

pub fn register(table: &mut Table) {
    table.ask(&[id::glGetActiveUniform, id::glGetActiveUniformARB], |view, args| variable(view, args, c::GL_UNIFORM));
    table.ask(&[id::glGetActiveAttrib, id::glGetActiveAttribARB], |view, args| {
        variable(view, args, c::GL_ACTIVE_ATTRIBUTES)
    });
    table.ask(&[id::glGetTransformFeedbackVarying, id::glGetTransformFeedbackVaryingEXT], |view, args| {
        variable(view, args, c::GL_TRANSFORM_FEEDBACK_VARYING)
    });
    table.ask(&[id::glGetActiveUniformName], |view, args| name_of(view, args, c::GL_UNIFORM));
    table.ask(&[id::glGetActiveUniformBlockName], |view, args| name_of(view, args, c::GL_UNIFORM_BLOCK));
    table.ask(&[id::glGetActiveUniformBlockiv], block);
    table.ask(&[id::glGetActiveAtomicCounterBufferiv], counters);
    table.ask_with(&[id::glGetActiveUniformsiv], uniforms);
    table.ask_with(&[id::glGetUniformIndices], indices);
    table.ask_with(&[id::glGetUniformBlockIndex], |view, args, memory| {
        let program = find::program(view.group, word(args, 0))?;
        let Some(name) = memory.input_bytes(1) else { return Ok(unread()) };
        index_of(program, c::GL_UNIFORM_BLOCK, until_zero(&name))
    });
    table.on(&[id::glUniformBlockBinding], |step| bind_block(step, c::GL_UNIFORM_BLOCK));
    table.on(&[id::glShaderStorageBlockBinding], |step| bind_block(step, c::GL_SHADER_STORAGE_BLOCK));
}

/// Returns the answer for a query whose memory was not recorded.
pub fn unread() -> Answer {
    Answer { kind: NumberType::Integer, values: Values::Unknown("the trace does not record the input of this query") }
}

/// Returns an interface of a program: `None` if the trace lacks it; an empty one if the program is not linked.
pub fn interface(program: &Program, name: u32) -> Option<&Interface> {
    static EMPTY: Interface = Interface { name: 0, properties: Vec::new(), resources: Vec::new() };
    match &program.linked {
        DriverResult::NotRequested => Some(&EMPTY),
        DriverResult::NotRecorded => None,
        DriverResult::Recorded(linked) if !linked.status => Some(&EMPTY),
        DriverResult::Recorded(linked) => linked.reflection.interface(name),
    }
}

/// Returns the answer for a program whose link result is not recorded.
pub fn not_recorded() -> Answer {
    Answer { kind: NumberType::Integer, values: NOT_RECORDED }
}

/// Returns the index of a resource by its name; an array is also known by the name of its first element.
pub fn index_of(program: &Program, name: u32, wanted: &[u8]) -> Result<Answer, Fault> {
    let Some(interface) = interface(program, name) else { return Ok(not_recorded()) };
    let found = crate::objects::program::find_resource(interface, wanted).filter(|(_, element)| *element == 0);
    let chosen = |index: usize| interface.value(index, c::GL_INDEX).map_or(index as u32, i32::cast_unsigned);
    let index = found.map_or(c::GL_INVALID_INDEX, |(index, _)| chosen(index));
    Ok(Answer::one(NumberType::Integer, f64::from(index)))
}

/// Returns length, size, type and name of a variable.
fn variable(view: &View<'_>, args: &[u64], name: u32) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    let room = word(args, 2) as i32;
    if room < 0 {
        return Err(NO_ROOM);
    }
    let attributes = name == c::GL_ACTIVE_ATTRIBUTES;
    if attributes && program.is_linked() == Some(false) {
        return Err(Fault::invalid_value("the program is not linked"));
    }
    let Some(interface) = interface(program, name) else { return Ok(not_recorded()) };
    let index = word(args, 1) as usize;
    let Some(resource) = interface.resources.get(index) else { return Err(NO_INDEX) };
    let value = |property| f64::from(interface.value(index, property).unwrap_or(0));
    let text::Written { length, text } = text::part(&resource.name, room);
    Ok(text::outputs(vec![
        (3, length),
        (4, Answer::one(NumberType::Integer, value(c::GL_ARRAY_SIZE).max(if attributes { 1.0 } else { 0.0 }))),
        (5, Answer::one(NumberType::Enum, value(c::GL_TYPE))),
        (6, text),
    ]))
}

fn name_of(view: &View<'_>, args: &[u64], name: u32) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    let room = word(args, 2) as i32;
    if room < 0 {
        return Err(NO_ROOM);
    }
    let Some(interface) = interface(program, name) else { return Ok(not_recorded()) };
    let resource = interface.resources.get(word(args, 1) as usize).ok_or(NO_INDEX)?;
    Ok(text::written(&resource.name, room, 3, 4))
}

fn block(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    let Some(interface) = interface(program, c::GL_UNIFORM_BLOCK) else { return Ok(not_recorded()) };
    let index = word(args, 1) as usize;
    let resource = interface.resources.get(index).ok_or(NO_INDEX)?;
    let facts = &view.context.facts;
    let property = match word(args, 2) {
        c::GL_UNIFORM_BLOCK_BINDING => {
            let bound = program.bindings.uniform.get(index).copied().unwrap_or(0);
            return Ok(Answer::one(NumberType::Integer, f64::from(bound)));
        }
        c::GL_UNIFORM_BLOCK_NAME_LENGTH => {
            return Ok(Answer::one(NumberType::Integer, resource.name.len() as f64 + 1.0));
        }
        c::GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES => return Ok(list(&resource.list)),
        c::GL_UNIFORM_BLOCK_DATA_SIZE => c::GL_BUFFER_DATA_SIZE,
        c::GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS => c::GL_NUM_ACTIVE_VARIABLES,
        c::GL_UNIFORM_BLOCK_REFERENCED_BY_VERTEX_SHADER => c::GL_REFERENCED_BY_VERTEX_SHADER,
        c::GL_UNIFORM_BLOCK_REFERENCED_BY_FRAGMENT_SHADER => c::GL_REFERENCED_BY_FRAGMENT_SHADER,
        c::GL_UNIFORM_BLOCK_REFERENCED_BY_GEOMETRY_SHADER
            if facts.meets(&both(32, 32).or(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"])) =>
        {
            c::GL_REFERENCED_BY_GEOMETRY_SHADER
        }
        c::GL_UNIFORM_BLOCK_REFERENCED_BY_TESS_CONTROL_SHADER => c::GL_REFERENCED_BY_TESS_CONTROL_SHADER,
        c::GL_UNIFORM_BLOCK_REFERENCED_BY_TESS_EVALUATION_SHADER => c::GL_REFERENCED_BY_TESS_EVALUATION_SHADER,
        c::GL_UNIFORM_BLOCK_REFERENCED_BY_COMPUTE_SHADER => c::GL_REFERENCED_BY_COMPUTE_SHADER,
        _ => return Err(NO_NAME),
    };
    match interface.value(index, property) {
        Some(value) => Ok(Answer::one(NumberType::Integer, f64::from(value))),
        None => Err(NO_NAME),
    }
}

fn counters(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    let Some(interface) = interface(program, c::GL_ATOMIC_COUNTER_BUFFER) else { return Ok(not_recorded()) };
    let index = word(args, 1) as usize;
    let resource = interface.resources.get(index).ok_or(NO_INDEX)?;
    let property = match word(args, 2) {
        c::GL_ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTER_INDICES => return Ok(list(&resource.list)),
        c::GL_ATOMIC_COUNTER_BUFFER_BINDING => c::GL_BUFFER_BINDING,
        c::GL_ATOMIC_COUNTER_BUFFER_DATA_SIZE => c::GL_BUFFER_DATA_SIZE,
        c::GL_ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTERS => c::GL_NUM_ACTIVE_VARIABLES,
        c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_VERTEX_SHADER => c::GL_REFERENCED_BY_VERTEX_SHADER,
        c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_FRAGMENT_SHADER => c::GL_REFERENCED_BY_FRAGMENT_SHADER,
        c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_GEOMETRY_SHADER => c::GL_REFERENCED_BY_GEOMETRY_SHADER,
        c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_TESS_CONTROL_SHADER => c::GL_REFERENCED_BY_TESS_CONTROL_SHADER,
        c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_TESS_EVALUATION_SHADER => c::GL_REFERENCED_BY_TESS_EVALUATION_SHADER,
        c::GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_COMPUTE_SHADER => c::GL_REFERENCED_BY_COMPUTE_SHADER,
        _ => return Err(NO_NAME),
    };
    match interface.value(index, property) {
        Some(value) => Ok(Answer::one(NumberType::Integer, f64::from(value))),
        None => Err(NO_NAME),
    }
}

/// Returns numbers as an answer.
pub fn list(numbers: &[i32]) -> Answer {
    let numbers: Vec<f64> = numbers.iter().map(|number| f64::from(*number)).collect();
    Answer::numbers(NumberType::Integer, &numbers)
}

fn numbers_at(memory: &dyn Memory, param: u8) -> Option<Vec<u32>> {
    let bytes = memory.input_bytes(param)?;
    Some(bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default())).collect())
}

/// `glGetActiveUniformsiv`.
fn uniforms(view: &View<'_>, args: &[u64], memory: &dyn Memory) -> Result<Answer, Fault> {
    if (word(args, 1) as i32) < 0 {
        return Err(Fault::invalid_value("the number of uniforms is negative"));
    }
    let program = find::program(view.group, word(args, 0))?;
    let Some(interface) = interface(program, c::GL_UNIFORM) else { return Ok(not_recorded()) };
    let Some(wanted) = numbers_at(memory, 2) else { return Ok(unread()) };
    if wanted.iter().any(|index| *index as usize >= interface.resources.len()) {
        return Err(NO_INDEX);
    }
    let property = match word(args, 3) {
        c::GL_UNIFORM_TYPE => c::GL_TYPE,
        c::GL_UNIFORM_SIZE => c::GL_ARRAY_SIZE,
        c::GL_UNIFORM_NAME_LENGTH => c::GL_NAME_LENGTH,
        c::GL_UNIFORM_BLOCK_INDEX => c::GL_BLOCK_INDEX,
        c::GL_UNIFORM_OFFSET => c::GL_OFFSET,
        c::GL_UNIFORM_ARRAY_STRIDE => c::GL_ARRAY_STRIDE,
        c::GL_UNIFORM_MATRIX_STRIDE => c::GL_MATRIX_STRIDE,
        c::GL_UNIFORM_IS_ROW_MAJOR => c::GL_IS_ROW_MAJOR,
        c::GL_UNIFORM_ATOMIC_COUNTER_BUFFER_INDEX => c::GL_ATOMIC_COUNTER_BUFFER_INDEX,
        _ => return Err(NO_NAME),
    };
    let mut values = Vec::new();
    for index in wanted {
        let index = index as usize;
        values.push(match property {
            c::GL_NAME_LENGTH => interface.resources[index].name.len() as i32 + 1,
            _ => match interface.value(index, property) {
                Some(value) => value,
                None => return Err(NO_NAME),
            },
        });
    }
    Ok(list(&values))
}

/// `glGetUniformIndices`.
fn indices(view: &View<'_>, args: &[u64], memory: &dyn Memory) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    if (word(args, 1) as i32) < 0 {
        return Err(Fault::invalid_value("the number of uniforms is negative"));
    }
    let Some(bytes) = memory.input_bytes(2) else { return Ok(unread()) };
    let mut found = Vec::new();
    for name in several(&bytes) {
        match index_of(program, c::GL_UNIFORM, until_zero(name))?.values {
            Values::Numbers(numbers) => found.extend(numbers),
            other => return Ok(Answer { kind: NumberType::Integer, values: other }),
        }
    }
    Ok(Answer::numbers(NumberType::Integer, &found))
}

/// `glUniformBlockBinding` and `glShaderStorageBlockBinding`.
fn bind_block(step: &mut Step<'_>, name: u32) -> Done {
    let (index, binding) = (step.name(1) as usize, step.name(2));
    let program = find::program(step.group, step.name(0))?;
    let uniform = name == c::GL_UNIFORM_BLOCK;
    if let Some(interface) = interface(program, name)
        && index >= interface.resources.len()
    {
        return Err(NO_INDEX);
    }
    let limit = if uniform { c::GL_MAX_UNIFORM_BUFFER_BINDINGS } else { c::GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS };
    if i64::from(binding) >= step.facts().limits.integer(limit, i64::MAX) {
        return Err(Fault::invalid_value("the binding point is too large"));
    }
    let program_name = step.name(0);
    let program = find::program_mut(step.group, program_name)?;
    let bindings = if uniform { &program.bindings.uniform } else { &program.bindings.storage };
    if bindings.get(index).is_some_and(|bound| *bound != binding) {
        let bindings = std::sync::Arc::make_mut(&mut program.bindings);
        let list = if uniform { &mut bindings.uniform } else { &mut bindings.storage };
        list[index] = binding;
    }
    super::note_change(step, program_name);
    Ok(())
}
