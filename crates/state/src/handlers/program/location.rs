//! Locations of attributes, outputs and uniforms, and requested ones.

use std::sync::Arc;

use api::{CommandId, constant as c, id};

use super::active::{not_recorded, unread};
use super::find;
use super::text::{several, until_zero};
use crate::answer::{Answer, View, word};
use crate::call::Memory;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::objects::program::Linked;
use crate::step::{Done, Step};
use crate::variable::NumberType;

pub fn register(table: &mut Table) {
    table.on(&[id::glBindAttribLocation, id::glBindAttribLocationARB], bind_attribute);
    table.on(&[id::glBindUniformLocationCHROMIUM], bind_uniform);
    table.on(&[id::glBindFragDataLocation, id::glBindFragDataLocationEXT], |step| bind_output(step, 2, false));
    let indexed: [CommandId; 2] = [id::glBindFragDataLocationIndexed, id::glBindFragDataLocationIndexedEXT];
    table.on(&indexed, |step| bind_output(step, 3, true));
    table.on(&[id::glTransformFeedbackVaryings, id::glTransformFeedbackVaryingsEXT], varyings);
    table.ask_with(&[id::glGetUniformLocation, id::glGetUniformLocationARB], |view, args, memory| {
        locate(view, args, memory, |linked, name| linked.location(c::GL_UNIFORM, name))
    });
    table.ask_with(&[id::glGetAttribLocation, id::glGetAttribLocationARB], |view, args, memory| {
        locate(view, args, memory, |linked, name| linked.location(c::GL_ACTIVE_ATTRIBUTES, name))
    });
    table.ask_with(&[id::glGetFragDataLocation, id::glGetFragDataLocationEXT], |view, args, memory| {
        locate(view, args, memory, |linked, name| output(linked, name, c::GL_LOCATION))
    });
    table.ask_with(&[id::glGetFragDataIndex, id::glGetFragDataIndexEXT], |view, args, memory| {
        locate(view, args, memory, |linked, name| output(linked, name, c::GL_LOCATION_INDEX))
    });
}

/// Returns the location of a name in the linked program.
fn locate(
    view: &View<'_>,
    args: &[u64],
    memory: &dyn Memory,
    place: impl Fn(&Linked, &[u8]) -> i32,
) -> Result<Answer, Fault> {
    let program = find::program(view.group, word(args, 0))?;
    if program.is_linked() == Some(false) {
        return Err(Fault::invalid_operation("the program is not linked"));
    }
    let Some(linked) = program.interface() else { return Ok(not_recorded()) };
    let Some(name) = memory.input_bytes(1) else { return Ok(unread()) };
    Ok(Answer::one(NumberType::Integer, f64::from(place(linked, until_zero(&name)))))
}

/// Returns the location of a fragment shader output; -1 for outputs of other stages.
fn output(linked: &Linked, name: &[u8], property: u32) -> i32 {
    let Some(interface) = linked.reflection.interface(c::GL_PROGRAM_OUTPUT) else { return -1 };
    let Some((index, element)) = crate::objects::program::find_resource(interface, name) else { return -1 };
    let value = |property| interface.value(index, property).unwrap_or(-1);
    if name.starts_with(b"gl_") || value(c::GL_REFERENCED_BY_FRAGMENT_SHADER) == 0 || value(c::GL_LOCATION) < 0 {
        return -1;
    }
    if property == c::GL_LOCATION { value(property).saturating_add(element) } else { value(property) }
}

fn bind_attribute(step: &mut Step<'_>) -> Done {
    let (name, index) = (step.name(0), step.name(1));
    find::program(step.group, name)?;
    let text = step.input(2).map(|text| until_zero(&text).to_vec());
    let Some(text) = text else { return Ok(()) };
    if text.starts_with(b"gl_") {
        return Err(Fault::invalid_operation("names that start with gl_ are reserved"));
    }
    if i64::from(index) >= step.facts().limits.integer(c::GL_MAX_VERTEX_ATTRIBS, i64::MAX) {
        return Err(Fault::invalid_value("the vertex attribute index is too large"));
    }
    let setup = Arc::make_mut(&mut find::program_mut(step.group, name)?.setup);
    setup.attributes.insert(text, index);
    setup.touched = true;
    super::note_change(step, name);
    Ok(())
}

fn bind_uniform(step: &mut Step<'_>) -> Done {
    let (name, location) = (step.name(0), step.int(1));
    find::program(step.group, name)?;
    let Some(text) = step.input(2).map(|text| until_zero(&text).to_vec()) else { return Ok(()) };
    if text.starts_with(b"gl_") {
        return Err(Fault::invalid_operation("names that start with gl_ are reserved"));
    }
    if location < 0 {
        return Err(Fault::invalid_value("the location of a uniform is negative"));
    }
    let setup = Arc::make_mut(&mut find::program_mut(step.group, name)?.setup);
    setup.uniforms.insert(location, text);
    setup.touched = true;
    super::note_change(step, name);
    Ok(())
}

fn bind_output(step: &mut Step<'_>, param: u8, indexed: bool) -> Done {
    let (name, colour) = (step.name(0), step.name(1));
    let index = if indexed { step.name(2) } else { 0 };
    find::program(step.group, name)?;
    let text = step.input(param).map(|text| until_zero(&text).to_vec());
    let Some(text) = text else { return Ok(()) };
    if text.starts_with(b"gl_") {
        return Err(Fault::invalid_operation("names that start with gl_ are reserved"));
    }
    if index > 1 {
        return Err(Fault::invalid_value("the colour index of a fragment output must be 0 or 1"));
    }
    let limit = if index == 0 { c::GL_MAX_DRAW_BUFFERS } else { c::GL_MAX_DUAL_SOURCE_DRAW_BUFFERS };
    if i64::from(colour) >= step.facts().limits.integer(limit, i64::MAX) {
        return Err(Fault::invalid_value("the colour number is too large"));
    }
    let setup = Arc::make_mut(&mut find::program_mut(step.group, name)?.setup);
    setup.outputs.insert(text, (colour, index));
    setup.touched = true;
    super::note_change(step, name);
    Ok(())
}

/// `glTransformFeedbackVaryings`.
fn varyings(step: &mut Step<'_>) -> Done {
    let (name, count, mode) = (step.name(0), step.int(1), step.name(3));
    // Mesa checks for active transform feedback before anything else.
    let feedback = step.context.transform_feedbacks.get(&step.context.transform_feedback);
    if feedback.is_some_and(|feedback| feedback.mode.is_some()) {
        return Err(Fault::invalid_operation("transform feedback is active"));
    }
    if mode != c::GL_INTERLEAVED_ATTRIBS && mode != c::GL_SEPARATE_ATTRIBS {
        return Err(Fault::invalid_enum("invalid transform feedback buffer mode"));
    }
    let most = step.facts().limits.integer(c::GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS, i64::MAX);
    if count < 0 || mode == c::GL_SEPARATE_ATTRIBS && i64::from(count) > most {
        return Err(Fault::invalid_value("there are too many transform feedback varyings"));
    }
    find::program(step.group, name)?;
    let names: Vec<Vec<u8>> = step
        .input(2)
        .map(|bytes| several(&bytes).iter().map(|text| until_zero(text).to_vec()).collect())
        .unwrap_or_default();
    let special = |name: &Vec<u8>| name.starts_with(b"gl_NextBuffer") || name.starts_with(b"gl_SkipComponents");
    if mode == c::GL_SEPARATE_ATTRIBS && names.iter().any(special) && step.facts().has("GL_ARB_transform_feedback3") {
        return Err(Fault::invalid_operation("gl_SkipComponents and gl_NextBuffer require GL_INTERLEAVED_ATTRIBS"));
    }
    if mode == c::GL_INTERLEAVED_ATTRIBS && step.facts().has("GL_ARB_transform_feedback3") {
        let buffers = names.iter().filter(|name| name.as_slice() == b"gl_NextBuffer").count() as i64 + 1;
        if buffers > step.facts().limits.integer(c::GL_MAX_TRANSFORM_FEEDBACK_BUFFERS, i64::MAX) {
            return Err(Fault::invalid_operation("the index is too large for transform feedback buffers"));
        }
    }
    let setup = Arc::make_mut(&mut find::program_mut(step.group, name)?.setup);
    setup.varyings = names;
    setup.varyings_mode = mode;
    setup.touched = true;
    super::note_change(step, name);
    Ok(())
}
