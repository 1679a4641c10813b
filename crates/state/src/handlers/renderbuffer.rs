//! Renderbuffers.

use std::sync::Arc;

use api::{Namespace, constant as c, id};

use super::Table;
use super::texture::{detach, most_samples, sample_count};
use crate::answer::{Answer, View, word};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::format::{Format, Use};
use crate::objects::framebuffer::Attachment;
use crate::objects::renderbuffer::Renderbuffer;
use crate::objects::texture::Bound;
use crate::observer::{ContentsRef, Source};
use crate::step::{Done, Step, not_negative};
use crate::variable::NumberType;

pub fn register(table: &mut Table) {
    let generate = [id::glGenRenderbuffers, id::glGenRenderbuffersEXT, id::glGenRenderbuffersOES];
    table.on(&generate, |step| make(step, false));
    table.on(&[id::glCreateRenderbuffers], |step| make(step, true));
    let delete = [id::glDeleteRenderbuffers, id::glDeleteRenderbuffersEXT, id::glDeleteRenderbuffersOES];
    table.on(&delete, |step| {
        not_negative(step.int(0), "the number of names is negative")?;
        for name in step.names_to_delete(1) {
            remove(step, name);
        }
        Ok(())
    });
    table.on(&[id::glBindRenderbuffer, id::glBindRenderbufferEXT, id::glBindRenderbufferOES], bind);
    let storage = [id::glRenderbufferStorage, id::glRenderbufferStorageEXT, id::glRenderbufferStorageOES];
    table.on(&storage, |step| {
        let bound = bound(step)?;
        store(step, bound, [1, 2, 3], None)
    });
    let samples = [
        id::glRenderbufferStorageMultisample,
        id::glRenderbufferStorageMultisampleEXT,
        id::glRenderbufferStorageMultisampleANGLE,
        id::glRenderbufferStorageMultisampleAPPLE,
        id::glRenderbufferStorageMultisampleNV,
    ];
    table.on(&samples, |step| {
        let bound = bound(step)?;
        store(step, bound, [2, 3, 4], Some(step.int(1)))
    });
    table.on(&[id::glNamedRenderbufferStorage], |step| {
        let named = named(step.group, step.name(0))?;
        store(step, named, [1, 2, 3], None)
    });
    table.on(&[id::glNamedRenderbufferStorageMultisample], |step| {
        let named = named(step.group, step.name(0))?;
        store(step, named, [2, 3, 4], Some(step.int(1)))
    });
    table.on(&[id::glNamedRenderbufferStorageEXT], |step| {
        let made = find_or_make(step, step.name(0));
        store(step, made, [1, 2, 3], None)
    });
    table.on(&[id::glNamedRenderbufferStorageMultisampleEXT], |step| {
        let made = find_or_make(step, step.name(0));
        store(step, made, [2, 3, 4], Some(step.int(1)))
    });
    let get =
        [id::glGetRenderbufferParameteriv, id::glGetRenderbufferParameterivEXT, id::glGetRenderbufferParameterivOES];
    table.ask(&get, |view, args| {
        if word(args, 0) != c::GL_RENDERBUFFER {
            return Err(NO_TARGET);
        }
        let renderbuffer = view.group.renderbuffer(view.context.targets.renderbuffer);
        value(renderbuffer.ok_or(NOT_BOUND)?, &view.context.facts, word(args, 1))
    });
    table.ask(&[id::glGetNamedRenderbufferParameteriv], |view, args| {
        let named = named(view.group, word(args, 0))?;
        value(view.group.renderbuffer(named).ok_or(NO_RENDERBUFFER)?, &view.context.facts, word(args, 1))
    });
    table.ask(&[id::glGetNamedRenderbufferParameterivEXT], |view, args| {
        let fresh = Renderbuffer::new(0, true);
        let found = named(view.group, word(args, 0)).ok().and_then(|bound| view.group.renderbuffer(bound));
        value(found.unwrap_or(&fresh), &view.context.facts, word(args, 1))
    });
    let is = [id::glIsRenderbuffer, id::glIsRenderbufferEXT, id::glIsRenderbufferOES];
    table.ask(&is, |view, args| {
        let is = named(view.group, word(args, 0)).is_ok();
        Ok(Answer::truth(is))
    });
    table.getter(binding);
}

const NO_TARGET: Fault = Fault::invalid_enum("the target must be GL_RENDERBUFFER");
const NOT_BOUND: Fault = Fault::invalid_operation("no renderbuffer is bound");
const NO_RENDERBUFFER: Fault = Fault::invalid_operation("no renderbuffer has this name");

fn make(step: &mut Step<'_>, exists: bool) -> Done {
    not_negative(step.int(0), "the number of names is negative")?;
    for name in step.output_names(1) {
        let object = step.group.next_object();
        step.group.renderbuffers.insert(name, Arc::new(Renderbuffer::new(object, exists)));
    }
    Ok(())
}

/// Deletes a renderbuffer: it is detached from the bound framebuffers, not from others (GL 4.6, 9.2.7), and exists as
/// long as it is attached.
fn remove(step: &mut Step<'_>, name: u32) {
    let Some(renderbuffer) = step.group.renderbuffers.remove(&name) else { return };
    let object = renderbuffer.object;
    let context = &mut *step.context;
    if context.targets.renderbuffer.object == object {
        context.targets.renderbuffer = Bound::default();
    }
    for bound in [context.targets.draw, context.targets.read] {
        detach(context, bound, object);
    }
    let holds = |at: &Attachment| at.is(object);
    let held = context.framebuffers.values().any(|framebuffer| framebuffer.attachments.iter().any(holds));
    if renderbuffer.exists && (held || step.group.members > 1) {
        step.group.lingering_renderbuffers.insert(object, renderbuffer);
    }
}

fn bind(step: &mut Step<'_>) -> Done {
    let name = step.name(1);
    if step.name(0) != c::GL_RENDERBUFFER {
        return Err(NO_TARGET);
    }
    if name == 0 {
        step.context.targets.renderbuffer = Bound::default();
        return Ok(());
    }
    if step.facts().client == Client::Core && !step.group.renderbuffers.contains_key(&name) {
        return Err(Fault::invalid_operation("the name was not generated by glGenRenderbuffers"));
    }
    step.context.targets.renderbuffer = find_or_make(step, name);
    Ok(())
}

/// Returns the renderbuffer of that name, creating it if needed.
fn find_or_make(step: &mut Step<'_>, name: u32) -> Bound {
    if let Some(found) = step.group.renderbuffers.get(&name) {
        let (object, exists) = (found.object, found.exists);
        if !exists && let Some(found) = step.group.renderbuffers.get_mut(&name) {
            Arc::make_mut(found).exists = true;
        }
        return Bound { name, object };
    }
    let object = step.group.next_object();
    step.group.renderbuffers.insert(name, Arc::new(Renderbuffer::new(object, true)));
    Bound { name, object }
}

/// Returns an existing renderbuffer by name.
pub fn named(group: &crate::ShareGroup, name: u32) -> Result<Bound, Fault> {
    let found = group.renderbuffers.get(&name).filter(|found| found.exists);
    found.map(|found| Bound { name, object: found.object }).ok_or(NO_RENDERBUFFER)
}

fn bound(step: &Step<'_>) -> Result<Bound, Fault> {
    if step.name(0) != c::GL_RENDERBUFFER {
        return Err(NO_TARGET);
    }
    let bound = step.context.targets.renderbuffer;
    if bound.object == 0 { Err(NOT_BOUND) } else { Ok(bound) }
}

/// Creates the storage of a renderbuffer; `at` are the indices of the format, the width and the height.
fn store(step: &mut Step<'_>, bound: Bound, at: [usize; 3], samples: Option<i32>) -> Done {
    let facts = step.context.facts.clone();
    let (internal, width, height) = (step.name(at[0]), step.int(at[1]), step.int(at[2]));
    let format = Format::named(internal).filter(|format| format.serves(Use::Renderbuffer, &facts));
    let format = format.ok_or(Fault::invalid_enum("invalid renderbuffer format"))?;
    let most = facts.limits.integer(c::GL_MAX_RENDERBUFFER_SIZE, 16384) as i32;
    if !(0..=most).contains(&width) || !(0..=most).contains(&height) {
        return Err(Fault::invalid_value("invalid renderbuffer size"));
    }
    let samples = samples.unwrap_or(0);
    if samples < 0 {
        return Err(Fault::invalid_value("the number of samples is negative"));
    }
    if i64::from(samples) > most_samples(&facts, format, false) {
        return Err(Fault::invalid_operation("there are too many samples"));
    }
    let Some(renderbuffer) = step.group.renderbuffer_mut(bound) else { return Ok(()) };
    renderbuffer.internal = internal;
    renderbuffer.size = (width, height);
    // A format that is not renderable has no storage; a framebuffer with it is unsupported.
    let stored = internal != c::GL_RGB9_E5;
    renderbuffer.format = stored.then_some(format);
    renderbuffer.samples = if stored { sample_count(&facts, samples) } else { samples };
    let thing = ContentsRef::Renderbuffer { object: bound.object };
    step.writes(thing, Source::Undefined);
    step.makes_image(thing, [width, height], Some(format));
    Ok(())
}

fn value(renderbuffer: &Renderbuffer, facts: &Facts, pname: u32) -> Result<Answer, Fault> {
    let integer = |number: i32| Ok(Answer::one(NumberType::Integer, f64::from(number)));
    let bits = |component: usize| integer(renderbuffer.format.map_or(0, |format| i32::from(format.bits[component])));
    // The initial format differs in OpenGL ES (ES 3.2, table 21.17).
    let es = !matches!(facts.client, Client::Compatibility | Client::Core);
    let unset = renderbuffer.internal == c::GL_RGBA && renderbuffer.format.is_none();
    match pname {
        c::GL_RENDERBUFFER_WIDTH => integer(renderbuffer.size.0),
        c::GL_RENDERBUFFER_HEIGHT => integer(renderbuffer.size.1),
        c::GL_RENDERBUFFER_INTERNAL_FORMAT => {
            let internal = if es && unset { c::GL_RGBA4 } else { renderbuffer.internal };
            Ok(Answer::one(NumberType::Enum, f64::from(internal)))
        }
        c::GL_RENDERBUFFER_RED_SIZE => bits(0),
        c::GL_RENDERBUFFER_GREEN_SIZE => bits(1),
        c::GL_RENDERBUFFER_BLUE_SIZE => bits(2),
        c::GL_RENDERBUFFER_ALPHA_SIZE => bits(3),
        c::GL_RENDERBUFFER_DEPTH_SIZE => bits(6),
        c::GL_RENDERBUFFER_STENCIL_SIZE => bits(7),
        c::GL_RENDERBUFFER_SAMPLES if facts.desktop(1, 0) || facts.es(3, 0) => integer(renderbuffer.samples),
        _ => Err(Fault::invalid_enum("invalid renderbuffer query")),
    }
}

fn binding(view: &View<'_>, name: u32, _index: u32) -> Option<Result<Answer, Fault>> {
    let bound = view.context.targets.renderbuffer.name;
    let answer = Answer::one(NumberType::Name(Namespace::Renderbuffer), f64::from(bound));
    (name == c::GL_RENDERBUFFER_BINDING).then_some(Ok(answer))
}
