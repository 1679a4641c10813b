//! Names of framebuffers, and which is bound.

use std::sync::Arc;

use api::{constant as c, id};

use super::super::Table;
use crate::answer::Answer;
use crate::context::{Client, Context};
use crate::fault::Fault;
use crate::objects::framebuffer::Framebuffer;
use crate::step::{Done, Step, not_negative};

/// A framebuffer: 0 is the default one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name(pub u32);

pub fn register(table: &mut Table) {
    let generate = [id::glGenFramebuffers, id::glGenFramebuffersEXT, id::glGenFramebuffersOES];
    table.on(&generate, |step| make(step, false));
    table.on(&[id::glCreateFramebuffers], |step| make(step, true));
    let delete = [id::glDeleteFramebuffers, id::glDeleteFramebuffersEXT, id::glDeleteFramebuffersOES];
    table.on(&delete, |step| {
        not_negative(step.int(0), "the number of names is negative")?;
        for name in step.input_names(1).into_iter().filter(|name| *name != 0) {
            step.context.framebuffers.remove(&name);
            let targets = &mut step.context.targets;
            for bound in [&mut targets.draw, &mut targets.read] {
                if *bound == name {
                    *bound = 0;
                }
            }
        }
        Ok(())
    });
    table.on(&[id::glBindFramebuffer, id::glBindFramebufferEXT, id::glBindFramebufferOES], bind);
    let is = [id::glIsFramebuffer, id::glIsFramebufferEXT, id::glIsFramebufferOES];
    table.ask(&is, |view, args| {
        let name = args.first().copied().unwrap_or(0) as u32;
        let is = view.context.framebuffers.get(&name).is_some_and(|framebuffer| framebuffer.exists);
        Ok(Answer::truth(is))
    });
}

fn make(step: &mut Step<'_>, exists: bool) -> Done {
    not_negative(step.int(0), "the number of names is negative")?;
    for name in step.output_names(1) {
        let object = step.group.next_object();
        step.context.framebuffers.insert(name, Arc::new(Framebuffer::new(object, exists)));
    }
    Ok(())
}

fn bind(step: &mut Step<'_>) -> Done {
    let (target, name) = (step.name(0), step.name(1));
    let (draw, read) = match target {
        c::GL_FRAMEBUFFER => (true, true),
        c::GL_DRAW_FRAMEBUFFER => (true, false),
        c::GL_READ_FRAMEBUFFER => (false, true),
        _ => return Err(NO_TARGET),
    };
    if name != 0 {
        find_or_make(step, name)?;
    }
    if draw {
        step.context.targets.draw = name;
    }
    if read {
        step.context.targets.read = name;
    }
    Ok(())
}

/// Makes sure that a framebuffer of that name exists: a generated name begins to, and where names need not be
/// generated, any other does too.
fn find_or_make(step: &mut Step<'_>, name: u32) -> Done {
    let core = step.facts().client == Client::Core;
    match step.context.framebuffers.get_mut(&name) {
        Some(framebuffer) if framebuffer.exists => {}
        Some(framebuffer) => Arc::make_mut(framebuffer).exists = true,
        None if core => {
            return Err(Fault::invalid_operation("the name was not made by glGenFramebuffers"));
        }
        None => {
            let object = step.group.next_object();
            step.context.framebuffers.insert(name, Arc::new(Framebuffer::new(object, true)));
        }
    }
    Ok(())
}

pub const NO_TARGET: Fault = Fault::invalid_enum("framebuffers have no such target");
pub const NO_FRAMEBUFFER: Fault = Fault::invalid_operation("there is no framebuffer of that name");

/// The framebuffer that is bound to a target.
pub fn bound(context: &Context, target: u32) -> Result<Name, Fault> {
    match target {
        c::GL_FRAMEBUFFER | c::GL_DRAW_FRAMEBUFFER => Ok(Name(context.targets.draw)),
        c::GL_READ_FRAMEBUFFER => Ok(Name(context.targets.read)),
        _ => Err(NO_TARGET),
    }
}

/// A framebuffer that exists, by name.
pub fn named(context: &Context, name: u32) -> Result<Name, Fault> {
    let exists = context.framebuffers.get(&name).is_some_and(|framebuffer| framebuffer.exists);
    if exists { Ok(Name(name)) } else { Err(NO_FRAMEBUFFER) }
}

/// The same, where 0 is the default framebuffer.
pub fn named_or_default(context: &Context, name: u32) -> Result<Name, Fault> {
    if name == 0 { Ok(Name(0)) } else { named(context, name) }
}

/// The same for commands of `EXT_direct_state_access`, which make what does not exist.
pub fn made(step: &mut Step<'_>, name: u32) -> Result<Name, Fault> {
    if name != 0 {
        find_or_make(step, name)?;
    }
    Ok(Name(name))
}
