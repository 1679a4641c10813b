//! `glGetProgramInterfaceiv` and `glGetProgramResource…` (GL 4.6, 7.3.1).

use api::reflection::parameters::{ANYWHERE, COMPUTE, GEOMETRY, TESSELLATION};
use api::when::{When, desktop};
use api::{constant as c, id};

use super::active::{index_of, interface, list, not_recorded, unread};
use super::find;
use super::text::{self, until_zero};
use crate::answer::{Answer, View, word};
use crate::call::Memory;
use crate::context::Facts;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::objects::program::Program;
use crate::variable::NumberType;

const NO_INTERFACE: Fault = Fault::invalid_enum("invalid program interface");
const NO_VALUE: Fault = Fault::invalid_operation("invalid query for this program interface");
const NO_INDEX: Fault = Fault::invalid_value("there is no active resource with this index");

pub fn register(table: &mut Table) {
    table.ask(&[id::glGetProgramInterfaceiv], about);
    table.ask(&[id::glGetProgramResourceName], name_of);
    table.ask_with(&[id::glGetProgramResourceIndex], |view, args, memory| {
        let program = find::program(view.group, word(args, 0))?;
        let interface = word(args, 1);
        if !exists(&view.context.facts, interface) || is_nameless(interface) {
            return Err(NO_INTERFACE);
        }
        let Some(name) = memory.input_bytes(2) else { return Ok(unread()) };
        index_of(program, interface, until_zero(&name))
    });
    table.ask_with(&[id::glGetProgramResourceLocation], |view, args, memory| location(view, args, memory, false));
    table.ask_with(&[id::glGetProgramResourceLocationIndex], |view, args, memory| location(view, args, memory, true));
    table.ask_with(&[id::glGetProgramResourceiv], properties);
}

/// Interfaces of subroutines and of their uniforms, and the contexts that have their stage.
const SUBROUTINES: [(u32, u32, When); 6] = [
    (c::GL_VERTEX_SUBROUTINE, c::GL_VERTEX_SUBROUTINE_UNIFORM, ANYWHERE),
    (c::GL_FRAGMENT_SUBROUTINE, c::GL_FRAGMENT_SUBROUTINE_UNIFORM, ANYWHERE),
    (c::GL_GEOMETRY_SUBROUTINE, c::GL_GEOMETRY_SUBROUTINE_UNIFORM, GEOMETRY),
    (c::GL_TESS_CONTROL_SUBROUTINE, c::GL_TESS_CONTROL_SUBROUTINE_UNIFORM, TESSELLATION),
    (c::GL_TESS_EVALUATION_SUBROUTINE, c::GL_TESS_EVALUATION_SUBROUTINE_UNIFORM, TESSELLATION),
    (c::GL_COMPUTE_SUBROUTINE, c::GL_COMPUTE_SUBROUTINE_UNIFORM, COMPUTE),
];

const PLAIN: [u32; 9] = [
    c::GL_UNIFORM,
    c::GL_UNIFORM_BLOCK,
    c::GL_PROGRAM_INPUT,
    c::GL_PROGRAM_OUTPUT,
    c::GL_TRANSFORM_FEEDBACK_VARYING,
    c::GL_TRANSFORM_FEEDBACK_BUFFER,
    c::GL_BUFFER_VARIABLE,
    c::GL_SHADER_STORAGE_BLOCK,
    c::GL_ATOMIC_COUNTER_BUFFER,
];

fn is_subroutine_uniform(interface: u32) -> bool {
    SUBROUTINES.iter().any(|subroutine| subroutine.1 == interface)
}

fn is_nameless(interface: u32) -> bool {
    interface == c::GL_ATOMIC_COUNTER_BUFFER || interface == c::GL_TRANSFORM_FEEDBACK_BUFFER
}

fn exists(facts: &Facts, interface: u32) -> bool {
    let with_subroutines = facts.meets(&desktop(40).or(&["GL_ARB_shader_subroutine"]));
    PLAIN.contains(&interface)
        || with_subroutines
            && SUBROUTINES.iter().any(|known| (known.0 == interface || known.1 == interface) && facts.meets(&known.2))
}

/// `glGetProgramInterfaceiv`.
fn about(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    let name = word(args, 1);
    // For an interface or a property that does not exist, Mesa reports an invalid operation.
    if !exists(&view.context.facts, name) {
        return Err(NO_VALUE);
    }
    let longest = |of: fn(&api::reflection::Resource) -> usize| {
        let Some(interface) = interface(program, name) else { return Ok(not_recorded()) };
        Ok(Answer::one(NumberType::Integer, interface.resources.iter().map(of).max().unwrap_or(0) as f64))
    };
    let blocks =
        [c::GL_UNIFORM_BLOCK, c::GL_SHADER_STORAGE_BLOCK, c::GL_ATOMIC_COUNTER_BUFFER, c::GL_TRANSFORM_FEEDBACK_BUFFER];
    match word(args, 2) {
        c::GL_ACTIVE_RESOURCES => match interface(program, name) {
            Some(interface) => Ok(Answer::one(NumberType::Integer, interface.resources.len() as f64)),
            None => Ok(not_recorded()),
        },
        c::GL_MAX_NAME_LENGTH if is_nameless(name) => Err(NO_VALUE),
        c::GL_MAX_NAME_LENGTH => longest(|resource| resource.name.len() + 1),
        c::GL_MAX_NUM_ACTIVE_VARIABLES if blocks.contains(&name) => longest(|resource| resource.list.len()),
        c::GL_MAX_NUM_COMPATIBLE_SUBROUTINES if is_subroutine_uniform(name) => longest(|resource| resource.list.len()),
        c::GL_MAX_NUM_ACTIVE_VARIABLES | c::GL_MAX_NUM_COMPATIBLE_SUBROUTINES => Err(NO_VALUE),
        _ => Err(NO_VALUE),
    }
}

fn name_of(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    let (name, index, room) = (word(args, 1), word(args, 2) as usize, word(args, 3) as i32);
    if is_nameless(name) || !exists(&view.context.facts, name) {
        return Err(NO_INTERFACE);
    }
    let Some(interface) = interface(program, name) else { return Ok(not_recorded()) };
    let resource = interface.resources.get(index).ok_or(NO_INDEX)?;
    if room < 0 {
        return Err(Fault::invalid_value("the size for the string is negative"));
    }
    Ok(text::written(&resource.name, room, 4, 5))
}

/// `glGetProgramResourceLocation`, or the colour index at it.
fn location(view: &View<'_>, args: &[u64], memory: &dyn Memory, index: bool) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    let name = word(args, 1);
    if program.is_linked() == Some(false) {
        return Err(Fault::invalid_operation("the program is not linked"));
    }
    let located =
        matches!(name, c::GL_UNIFORM | c::GL_PROGRAM_INPUT | c::GL_PROGRAM_OUTPUT) || is_subroutine_uniform(name);
    if !exists(&view.context.facts, name) || !located || index && name != c::GL_PROGRAM_OUTPUT {
        return Err(NO_INTERFACE);
    }
    let Some(linked) = program.interface() else { return Ok(not_recorded()) };
    let Some(wanted) = memory.input_bytes(2) else { return Ok(unread()) };
    let wanted = until_zero(&wanted);
    let place = if index { location_index(program, wanted) } else { linked.location(name, wanted) };
    Ok(Answer::one(NumberType::Integer, f64::from(place)))
}

fn location_index(program: &Program, name: &[u8]) -> i32 {
    let Some(interface) = interface(program, c::GL_PROGRAM_OUTPUT) else { return -1 };
    let Some((index, _)) = crate::objects::program::find_resource(interface, name) else { return -1 };
    interface.value(index, c::GL_LOCATION_INDEX).unwrap_or(-1)
}

/// `glGetProgramResourceiv`.
fn properties(view: &View<'_>, args: &[u64], memory: &dyn Memory) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    let (name, index, count, room) =
        (word(args, 1), word(args, 2) as usize, word(args, 3) as i32, word(args, 5) as i32);
    if count <= 0 || room < 0 {
        return Err(Fault::invalid_value("the number of properties is not positive, or the buffer size is negative"));
    }
    if !exists(&view.context.facts, name) {
        return Err(NO_INDEX);
    }
    let Some(interface) = interface(program, name) else { return Ok(not_recorded()) };
    let resource = interface.resources.get(index).ok_or(NO_INDEX)?;
    let Some(bytes) = memory.input_bytes(4) else { return Ok(unread()) };
    let mut values = Vec::new();
    for wanted in bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default())) {
        match wanted {
            c::GL_NAME_LENGTH if !is_nameless(name) => values.push(resource.name.len() as i32 + 1),
            c::GL_BUFFER_BINDING if name == c::GL_UNIFORM_BLOCK => values.push(bound(&program.bindings.uniform, index)),
            c::GL_BUFFER_BINDING if name == c::GL_SHADER_STORAGE_BLOCK => {
                values.push(bound(&program.bindings.storage, index));
            }
            c::GL_ACTIVE_VARIABLES if interface.properties.contains(&c::GL_NUM_ACTIVE_VARIABLES) => {
                values.extend(&resource.list);
            }
            c::GL_COMPATIBLE_SUBROUTINES if is_subroutine_uniform(name) => values.extend(&resource.list),
            _ => match interface.value(index, wanted) {
                Some(value) => values.push(value),
                // Without enhanced layouts Mesa answers all the same, but capture does not query it.
                None if may_be_layout(name, wanted) => return Ok(not_recorded()),
                None if is_property(wanted) => return Err(NO_VALUE),
                None => return Err(Fault::invalid_enum("invalid program resource property")),
            },
        }
    }
    values.truncate(room.cast_unsigned() as usize);
    Ok(text::outputs(vec![(6, Answer::one(NumberType::Integer, values.len() as f64)), (7, list(&values))]))
}

fn may_be_layout(interface: u32, property: u32) -> bool {
    match interface {
        c::GL_PROGRAM_INPUT | c::GL_PROGRAM_OUTPUT => property == c::GL_LOCATION_COMPONENT,
        c::GL_TRANSFORM_FEEDBACK_VARYING => {
            matches!(property, c::GL_OFFSET | c::GL_TRANSFORM_FEEDBACK_BUFFER_INDEX)
        }
        _ => false,
    }
}

fn bound(bindings: &[u32], index: usize) -> i32 {
    bindings.get(index).copied().unwrap_or(0).cast_signed()
}

/// Returns whether a name is a property of any resource.
fn is_property(name: u32) -> bool {
    (c::GL_NAME_LENGTH..=c::GL_LOCATION_INDEX).contains(&name)
        || matches!(
            name,
            c::GL_IS_PER_PATCH
                | c::GL_NUM_COMPATIBLE_SUBROUTINES
                | c::GL_COMPATIBLE_SUBROUTINES
                | c::GL_LOCATION_COMPONENT
                | c::GL_TRANSFORM_FEEDBACK_BUFFER_INDEX
                | c::GL_TRANSFORM_FEEDBACK_BUFFER_STRIDE
        )
}
