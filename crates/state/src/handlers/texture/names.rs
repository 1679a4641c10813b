//! Names of textures: creation, binding and deletion.

use std::sync::Arc;

use api::{constant as c, id};

use super::super::Table;
use super::which::find_or_make;
use crate::answer::Answer;
use crate::fault::Fault;
use crate::objects::framebuffer::Attachment;
use crate::objects::texture::{Bound, Target, Texture, default_object};
use crate::step::{Done, Step, not_negative};

pub fn register(table: &mut Table) {
    table.on(&[id::glGenTextures, id::glGenTexturesEXT], |step| {
        not_negative(step.int(0), "the number of names is negative")?;
        make(step, None, 1);
        Ok(())
    });
    table.on(&[id::glCreateTextures], |step| {
        let target = Target::in_context(step.name(0), step.facts());
        let target = target.ok_or(Fault::invalid_enum("invalid target"))?;
        not_negative(step.int(1), "the number of names is negative")?;
        make(step, Some(target), 2);
        Ok(())
    });
    table.on(&[id::glDeleteTextures, id::glDeleteTexturesEXT], |step| {
        not_negative(step.int(0), "the number of names is negative")?;
        for name in step.names_to_delete(1) {
            delete(step, name);
        }
        Ok(())
    });
    table.on(&[id::glBindTexture, id::glBindTextureEXT], |step| {
        let unit = step.context.active_unit() as usize;
        bind(step, unit, step.name(0), step.name(1))
    });
    table.on(&[id::glBindMultiTextureEXT], |step| {
        let unit = step.name(0).wrapping_sub(c::GL_TEXTURE0) as usize;
        if unit >= step.context.units.units.len() {
            return Err(Fault::invalid_enum("the texture unit is too large"));
        }
        bind(step, unit, step.name(1), step.name(2))
    });
    table.on(&[id::glPrioritizeTextures, id::glPrioritizeTexturesEXT], prioritize);
    // Residence of textures has no effect.
    table.on(&[id::glAreTexturesResident, id::glAreTexturesResidentEXT], |step| {
        check_resident(step.int(0), &step.input_names(1), |name| step.group.textures.contains_key(&name))
    });
    table.ask(&[id::glIsTexture, id::glIsTextureEXT], |view, args| {
        let name = args.first().copied().unwrap_or(0) as u32;
        let is = view.group.textures.get(&name).is_some_and(|texture| texture.target.is_some());
        Ok(Answer::truth(is))
    });
}

fn make(step: &mut Step<'_>, target: Option<Target>, param: u8) {
    for name in step.output_names(param) {
        let object = step.group.next_object();
        step.group.textures.insert(name, Arc::new(Texture::new(object, target)));
    }
}

#[inline]
fn bind(step: &mut Step<'_>, unit: usize, target: u32, name: u32) -> Done {
    let target = Target::in_context(target, step.facts()).ok_or(Fault::invalid_enum("invalid target"))?;
    let bound =
        if name == 0 { Bound { name: 0, object: default_object(target) } } else { find_or_make(step, name, target)? };
    step.context.units.bind(unit, target, bound);
    Ok(())
}

/// Deletes a texture: it is unbound from units and detached from the bound framebuffers, not from others (GL 4.6, 5.1.2
/// and 9.2.8), and exists as long as something refers to it.
fn delete(step: &mut Step<'_>, name: u32) {
    if name == 0 {
        return;
    }
    let Some(texture) = step.group.textures.remove(&name) else { return };
    let object = texture.object;
    let context = &mut *step.context;
    context.units.forget(object, &context.facts);
    for bound in [context.targets.draw, context.targets.read] {
        detach(context, bound, object);
    }
    let holds = |at: &Attachment| at.is(object);
    let held = context.framebuffers.values().any(|framebuffer| framebuffer.attachments.iter().any(holds));
    if held || step.group.members > 1 {
        step.group.lingering_textures.insert(object, texture);
    }
}

/// Detaches an object from a framebuffer.
pub fn detach(context: &mut crate::Context, framebuffer: u32, object: u64) {
    let Some(framebuffer) = context.framebuffers.get_mut(&framebuffer) else { return };
    if framebuffer.attachments.iter().any(|attachment| attachment.is(object)) {
        for attachment in &mut Arc::make_mut(framebuffer).attachments {
            if attachment.is(object) {
                *attachment = Attachment::None;
            }
        }
    }
}

fn prioritize(step: &mut Step<'_>) -> Done {
    not_negative(step.int(0), "the number of names is negative")?;
    let names = step.input_names(1);
    for (name, priority) in names.into_iter().zip(step.input_floats(2)) {
        if let Some(texture) = step.group.textures.get_mut(&name) {
            Arc::make_mut(texture).priority = priority.clamp(0.0, 1.0);
        }
    }
    Ok(())
}

fn check_resident(count: i32, names: &[u32], exists: impl Fn(u32) -> bool) -> Done {
    not_negative(count, "the number of names is negative")?;
    if names.iter().all(|name| *name != 0 && exists(*name)) {
        return Ok(());
    }
    Err(Fault::invalid_value("one of the names is not a texture"))
}
