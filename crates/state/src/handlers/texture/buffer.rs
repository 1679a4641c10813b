//! Buffer textures: textures whose texels are in a buffer.

use api::{constant as c, id};

use super::super::Table;
use super::which::{Form, locate};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::buffer::BufferRef;
use crate::objects::format::{Format, Use};
use crate::objects::texture::{BufferStore, Target, Texture};
use crate::share::ShareGroup;
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    use Form::{Bound, Named, NamedTarget, UnitTarget};
    let all = [id::glTexBuffer, id::glTexBufferARB, id::glTexBufferEXT, id::glTexBufferOES];
    table.on(&all, |step| buffer(step, Bound, false));
    let range = [id::glTexBufferRange, id::glTexBufferRangeEXT, id::glTexBufferRangeOES];
    table.on(&range, |step| buffer(step, Bound, true));
    table.on(&[id::glTextureBuffer], |step| buffer(step, Named, false));
    table.on(&[id::glTextureBufferRange], |step| buffer(step, Named, true));
    table.on(&[id::glTextureBufferEXT], |step| buffer(step, NamedTarget, false));
    table.on(&[id::glTextureBufferRangeEXT], |step| buffer(step, NamedTarget, true));
    table.on(&[id::glMultiTexBufferEXT], |step| buffer(step, UnitTarget, false));
}

/// Returns the current size in bytes of the buffer behind a buffer texture.
pub fn size(group: &ShareGroup, store: BufferStore) -> i64 {
    let found = group.buffer(BufferRef { name: store.name, object: store.object });
    found.map_or(0, |buffer| buffer.size as i64)
}

/// Returns the internal format of a buffer texture; the initial one depends on the profile.
pub fn format(facts: &Facts, texture: &Texture) -> u32 {
    let initial = if facts.client == Client::Compatibility { c::GL_LUMINANCE8 } else { c::GL_R8 };
    texture.buffer_format.unwrap_or(initial)
}

fn buffer(step: &mut Step<'_>, form: Form, ranged: bool) -> Done {
    let no_target = Fault::invalid_enum("the target must be GL_TEXTURE_BUFFER");
    let first = form.arguments();
    if form != Form::Named && step.name(first - 1) != c::GL_TEXTURE_BUFFER {
        return Err(no_target);
    }
    // A named texture is looked up last, so that errors of the buffer come first.
    let place = if form == Form::Bound { Some(locate(step, form, false, false)?) } else { None };
    let (internal, name) = (step.name(first), step.name(first + 1));
    let missing = Fault::invalid_operation("no buffer has this name");
    let mut store = None;
    if name != 0 {
        let found = step.group.buffers.get(&name).filter(|found| found.exists).ok_or(missing)?;
        let (offset, size) = if ranged {
            let numbers = [first + 2, first + 3].map(|at| step.word(at) as i64);
            check_range(step, found.size as i64, numbers)?;
            (numbers[0], Some(numbers[1]))
        } else {
            (0, None)
        };
        store = Some(BufferStore { name, object: found.object, offset, size });
    }
    let place = match place {
        Some(place) => place,
        None => locate(step, form, false, false)?,
    };
    if place.target != Target::Buffer {
        return Err(no_target);
    }
    if !Format::named(internal).is_some_and(|format| format.serves(Use::Buffer, step.facts())) {
        return Err(Fault::invalid_enum("invalid format of a buffer texture"));
    }
    if let Some(texture) = step.group.texture_mut(place.bound) {
        texture.buffer = store;
        texture.buffer_format = Some(internal);
    }
    Ok(())
}

fn check_range(step: &Step<'_>, whole: i64, [offset, size]: [i64; 2]) -> Done {
    let alignment = step.facts().limits.integer(c::GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT, 16).max(1);
    if offset < 0 || size <= 0 || offset.saturating_add(size) > whole || offset % alignment != 0 {
        return Err(Fault::invalid_value("the range is not inside the buffer, or its offset is misaligned"));
    }
    Ok(())
}
