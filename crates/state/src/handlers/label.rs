//! Labels of objects (GL 4.6, 20.7 and 20.9).

use std::sync::Arc;

use api::{constant as c, id};

use super::Table;
use super::program::text::{outputs, part, until_zero};
use crate::answer::{Answer, View};
use crate::context::{Client, Context};
use crate::fault::Fault;
use crate::objects::program::ShaderOrProgram;
use crate::share::ShareGroup;
use crate::step::{Done, Step};
use crate::variable::NumberType;

const NO_OBJECT: Fault = Fault::invalid_value("no object has this name");

pub fn register(table: &mut Table) {
    table.on(&[id::glObjectLabel, id::glObjectLabelKHR], |step| {
        let object = object(step.context, step.group, step.name(0), step.name(1))?;
        label(step, object, 2)
    });
    table.on(&[id::glLabelObjectEXT], |step| {
        let kind = match step.name(0) {
            c::GL_BUFFER_OBJECT_EXT => c::GL_BUFFER,
            c::GL_SHADER_OBJECT_EXT => c::GL_SHADER,
            c::GL_PROGRAM_OBJECT_EXT => c::GL_PROGRAM,
            c::GL_VERTEX_ARRAY_OBJECT_EXT => c::GL_VERTEX_ARRAY,
            c::GL_QUERY_OBJECT_EXT => c::GL_QUERY,
            c::GL_PROGRAM_PIPELINE_OBJECT_EXT => c::GL_PROGRAM_PIPELINE,
            other => other,
        };
        let object = object(step.context, step.group, kind, step.name(1))?;
        // A length of 0 is a text that ends with a zero (EXT_debug_label); others count.
        let length = usize::try_from(step.int(2)).unwrap_or(0);
        let mut text = step.input(3).map(|bytes| until_zero(&bytes).to_vec()).unwrap_or_default();
        if length > 0 {
            text.truncate(length);
        }
        if text.is_empty() {
            step.group.labels.remove(&object);
        } else {
            step.group.labels.insert(object, Arc::from(text));
        }
        Ok(())
    });
    table.on(&[id::glObjectPtrLabel, id::glObjectPtrLabelKHR], |step| {
        let object = step.group.syncs.get(&step.word(0)).ok_or(NO_OBJECT)?.object;
        label(step, object, 1)
    });
    table.ask(&[id::glGetObjectLabel, id::glGetObjectLabelKHR], |view, args| {
        let word = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
        let room = room(args, 2)?;
        let object = object(view.context, view.group, word(0), word(1))?;
        Ok(written(view, object, room, args, 3))
    });
    table.ask(&[id::glGetObjectPtrLabel, id::glGetObjectPtrLabelKHR], |view, args| {
        let room = room(args, 1)?;
        let object = view.group.syncs.get(&args.first().copied().unwrap_or(0)).ok_or(NO_OBJECT)?.object;
        Ok(written(view, object, room, args, 2))
    });
}

/// Returns the object of a type and name. A texture has no label before it has a target, nor does a transform feedback
/// object before it was bound; all others may have one as soon as they have a name.
fn object(context: &Context, group: &ShareGroup, kind: u32, name: u32) -> Result<u64, Fault> {
    let found = match kind {
        c::GL_BUFFER => group.buffers.get(&name).map(|buffer| buffer.object),
        c::GL_SHADER | c::GL_PROGRAM => match (kind, group.programs.get(&name).map(Arc::as_ref)) {
            (c::GL_SHADER, Some(ShaderOrProgram::Shader(shader))) => Some(shader.object),
            (c::GL_PROGRAM, Some(ShaderOrProgram::Program(program))) => Some(program.object),
            _ => None,
        },
        c::GL_VERTEX_ARRAY => context.vertex_arrays.get(&name).filter(|_| name != 0).map(|array| array.object),
        c::GL_QUERY => context.queries.get(&name).map(|query| query.object),
        c::GL_TRANSFORM_FEEDBACK => {
            context.transform_feedbacks.get(&name).filter(|feedback| feedback.exists).map(|feedback| feedback.object)
        }
        c::GL_SAMPLER => group.samplers.get(&name).map(|sampler| sampler.object),
        c::GL_TEXTURE => {
            group.textures.get(&name).filter(|texture| texture.target.is_some()).map(|texture| texture.object)
        }
        c::GL_RENDERBUFFER => group.renderbuffers.get(&name).map(|renderbuffer| renderbuffer.object),
        c::GL_FRAMEBUFFER => context.framebuffers.get(&name).map(|framebuffer| framebuffer.object),
        c::GL_PROGRAM_PIPELINE => context.pipelines.get(&name).map(|pipeline| pipeline.object),
        c::GL_DISPLAY_LIST if context.facts.client == Client::Compatibility => {
            group.lists.get(&name).map(|list| list.object)
        }
        _ => return Err(Fault::invalid_enum("objects of this type have no labels")),
    };
    found.ok_or(NO_OBJECT)
}

/// Labels an object; `length` is the index of the length argument, which is followed by the label.
fn label(step: &mut Step<'_>, object: u64, length: u8) -> Done {
    if step.word(usize::from(length) + 1) == 0 {
        step.group.labels.remove(&object);
        return Ok(());
    }
    let text = step.input(length + 1).map(|bytes| until_zero(&bytes).to_vec()).unwrap_or_default();
    let long = match step.int(usize::from(length)) {
        negative if negative < 0 => text.len() as i64,
        length => i64::from(length),
    };
    if long >= step.facts().limits.integer(c::GL_MAX_LABEL_LENGTH, 256) {
        return Err(Fault::invalid_value("the label is too long"));
    }
    step.group.labels.insert(object, Arc::from(text));
    Ok(())
}

fn room(args: &[u64], index: usize) -> Result<i32, Fault> {
    let room = args.get(index).copied().unwrap_or(0) as u32 as i32;
    if room < 0 { Err(Fault::invalid_value("the size for the string is negative")) } else { Ok(room) }
}

/// Returns what a query for a label writes: its length, and the label as far as it fits. Without a buffer only the full
/// length is returned (GL 4.6, 20.9).
fn written(view: &View<'_>, object: u64, room: i32, args: &[u64], first: u8) -> Answer {
    let label = view.group.labels.get(&object).map_or(&[][..], AsRef::as_ref);
    let given = |param: u8| args.get(usize::from(param)).is_some_and(|pointer| *pointer != 0);
    let fits = part(label, room);
    let (all, shown) = (Answer::one(NumberType::Integer, label.len() as f64), given(first + 1) && room > 0);
    let mut parts = Vec::new();
    if given(first) {
        parts.push((first, if shown { fits.length } else { all }));
    }
    if shown {
        parts.push((first + 1, fits.text));
    }
    outputs(parts)
}
