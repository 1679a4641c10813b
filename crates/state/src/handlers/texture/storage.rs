//! Levels specified all at once: `glTexStorage…`, and multisampled textures.

use api::{constant as c, id};

use super::super::Table;
use super::level::{
    Part, Store, Written, check_compressed, check_depth, is_legal, layers, level_count, next_size, note_made,
    note_writes,
};
use super::which::{Form, NO_TARGET_YET, TextureSelection, locate};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::format::{Format, Use};
use crate::objects::texture::{Level, Target, Texture, ViewRange};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    use Form::{Bound, Named, NamedTarget};
    table.on(&[id::glTexStorage1D, id::glTexStorage1DEXT], |step| storage(step, Bound, 1));
    table.on(&[id::glTexStorage2D, id::glTexStorage2DEXT], |step| storage(step, Bound, 2));
    table.on(&[id::glTexStorage3D, id::glTexStorage3DEXT], |step| storage(step, Bound, 3));
    table.on(&[id::glTextureStorage1D], |step| storage(step, Named, 1));
    table.on(&[id::glTextureStorage2D], |step| storage(step, Named, 2));
    table.on(&[id::glTextureStorage3D], |step| storage(step, Named, 3));
    table.on(&[id::glTextureStorage1DEXT], |step| storage(step, NamedTarget, 1));
    table.on(&[id::glTextureStorage2DEXT], |step| storage(step, NamedTarget, 2));
    table.on(&[id::glTextureStorage3DEXT], |step| storage(step, NamedTarget, 3));
    table.on(&[id::glTexImage2DMultisample], |step| multisample(step, Bound, 2, false));
    table.on(&[id::glTexImage3DMultisample], |step| multisample(step, Bound, 3, false));
    table.on(&[id::glTexStorage2DMultisample], |step| multisample(step, Bound, 2, true));
    let three = [id::glTexStorage3DMultisample, id::glTexStorage3DMultisampleOES];
    table.on(&three, |step| multisample(step, Bound, 3, true));
    table.on(&[id::glTextureStorage2DMultisample], |step| multisample(step, Named, 2, true));
    table.on(&[id::glTextureStorage3DMultisample], |step| multisample(step, Named, 3, true));
    table.on(&[id::glTextureStorage2DMultisampleEXT], |step| multisample(step, NamedTarget, 2, true));
    table.on(&[id::glTextureStorage3DMultisampleEXT], |step| multisample(step, NamedTarget, 3, true));
}

/// Returns whether storage of a target has this many dimensions.
fn has_dimensions(facts: &Facts, named: u32, dims: usize) -> bool {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let proxy = Target::of_proxy(named);
    if proxy.is_some() && !desktop {
        return false;
    }
    let Some(target) = Target::named(named).or(proxy).filter(|target| target.exists(facts)) else { return false };
    matches!(
        (target, dims),
        (Target::OneD, 1)
            | (Target::TwoD | Target::Cube | Target::Rectangle | Target::OneDArray, 2)
            | (Target::ThreeD | Target::TwoDArray | Target::CubeArray, 3)
    )
}

/// `glTexStorage…`.
pub fn storage(step: &mut Step<'_>, form: Form, dims: usize) -> Done {
    let facts = step.context.facts.clone();
    let first = form.arguments();
    let (levels, internal) = (step.int(first), step.name(first + 1));
    let no_target = Fault::invalid_enum("invalid texture target");
    if form != Form::Named && !has_dimensions(&facts, step.name(first - 1), dims) {
        return Err(no_target);
    }
    let format = Format::named(internal).filter(|format| format.serves(Use::Storage, &facts));
    // EXT_texture_format_BGRA8888 with EXT_texture_storage, in which Mesa does not allow it.
    let reversed = internal == c::GL_BGRA8_EXT && !facts.is_mesa() && facts.has("GL_EXT_texture_format_BGRA8888");
    let format = if reversed { Format::named(c::GL_BGRA) } else { format };
    let format = format.ok_or(Fault::invalid_enum("invalid sized internal format"))?;
    let place = locate(step, form, true, false)?;
    if form == Form::Named && !has_dimensions(&facts, place.named, dims) {
        return Err(Fault::invalid_operation(no_target.why));
    }
    let mut size = [1; 3];
    for (axis, size) in size.iter_mut().enumerate().take(dims) {
        *size = step.int(first + 2 + axis);
    }
    check_storage(step, &place, levels, format, size)?;
    let legal = is_legal(&facts, place.target, 0, size, 0);
    if !legal && !place.proxy {
        return Err(Fault::invalid_value("the size is too large for the texture"));
    }
    let Some(texture) = place.texture_mut(step.context, step.group) else { return Ok(()) };
    if !legal {
        texture.levels.clear();
        return Ok(());
    }
    set_levels(
        texture,
        place.target,
        levels,
        Level { size, border: 0, internal, format: Some(format), samples: 0, fixed: true },
    );
    if !place.proxy {
        make_immutable(texture, place.target, levels);
        note_undefined(step, &place, levels);
    }
    Ok(())
}

fn check_storage(
    step: &Step<'_>,
    place: &TextureSelection,
    levels: i32,
    format: &'static Format,
    size: [i32; 3],
) -> Done {
    let facts = step.facts();
    if size.iter().any(|size| *size < 1) {
        return Err(Fault::invalid_value("the size is less than one"));
    }
    if format.is_compressed() {
        check_compressed(facts, place.target, place.named, Some(format))?;
    }
    if levels < 1 {
        return Err(Fault::invalid_value("the number of levels is less than 1"));
    }
    if levels > place.target.max_levels(facts) || levels > level_count(place.target, size) {
        return Err(Fault::invalid_operation("there are too many levels"));
    }
    if !place.proxy {
        let texture = step.group.texture(place.bound);
        if place.bound.name == 0 || texture.is_none_or(|texture| texture.immutable) {
            return Err(Fault::invalid_operation(
                "the texture is the default texture or already has immutable storage",
            ));
        }
    }
    check_depth(place.target, format)
}

/// Sets the levels, of which the first is given.
pub fn set_levels(texture: &mut Texture, target: Target, levels: i32, first: Level) {
    let mut level = first;
    for number in 0..levels.cast_unsigned() {
        for face in 0..target.faces() {
            texture.set_level(number, face, Some(level));
        }
        level.size = next_size(target, level.size);
    }
}

/// Makes a texture's storage immutable (GL 4.6, 8.19).
fn make_immutable(texture: &mut Texture, target: Target, levels: i32) {
    let size = texture.level(0, 0).map_or([1; 3], |level| level.size);
    texture.immutable = true;
    texture.immutable_levels = levels;
    let layers = if target == Target::ThreeD { 1 } else { layers(target, size) };
    texture.view = ViewRange { min_level: 0, levels, min_layer: 0, layers };
}

fn note_undefined(step: &mut Step<'_>, place: &TextureSelection, levels: i32) {
    let Some(texture) = step.group.texture(place.bound) else { return };
    let (store, all) = (Store::of(texture), texture.levels.clone());
    for number in 0..levels.cast_unsigned() {
        for face in 0..place.target.faces() {
            let Some(Some(image)) = all.get((number * place.target.faces() + face) as usize) else { continue };
            note_made(step, store, number, face, image);
            note_writes(step, store, number, face, Part { offset: [0; 3], size: image.size }, Written::UNDEFINED);
        }
    }
}

/// Returns the number of samples that a driver allocates: it may be more than requested (GL 4.6, 9.2.4). Mesa's
/// software rasterizer has four or none; others are assumed to have powers of two.
pub fn sample_count(facts: &Facts, samples: i32) -> i32 {
    let most = facts.limits.integer(c::GL_MAX_SAMPLES, 4) as i32;
    match samples {
        0 => 0,
        _ if most <= 4 => 4,
        _ => samples.cast_unsigned().next_power_of_two().cast_signed(),
    }
}

/// Returns the maximum number of samples for a format.
pub fn most_samples(facts: &Facts, format: &Format, texture: bool) -> i64 {
    let most = facts.limits.integer(c::GL_MAX_SAMPLES, 4);
    let limit = |name: u32| facts.limits.integer(name, most);
    match texture {
        _ if format.class.is_integer() => limit(c::GL_MAX_INTEGER_SAMPLES),
        true if format.has_depth() || format.has_stencil() => limit(c::GL_MAX_DEPTH_TEXTURE_SAMPLES),
        true => limit(c::GL_MAX_COLOR_TEXTURE_SAMPLES),
        false => most,
    }
}

/// `glTexStorage…Multisample`, or `glTexImage…Multisample` when the storage is not immutable.
pub fn multisample(step: &mut Step<'_>, form: Form, dims: usize, immutable: bool) -> Done {
    let facts = step.context.facts.clone();
    let first = form.arguments();
    let (samples, internal) = (step.int(first), step.name(first + 1));
    let place = locate(step, form, true, false);
    if form != Form::Bound && place.as_ref().is_err_and(|fault| *fault != NO_TARGET_YET) {
        return place.map(|_| ());
    }
    let mut size = [1; 3];
    for (axis, size) in size.iter_mut().enumerate().take(dims) {
        *size = step.int(first + 2 + axis);
    }
    if immutable && size.iter().any(|size| *size < 1) {
        return Err(Fault::invalid_value("the size is less than one"));
    }
    if samples < 1 {
        return Err(Fault::invalid_value("the number of samples is less than 1"));
    }
    let named = if form == Form::Named { place.as_ref().map_or(0, |place| place.named) } else { step.name(first - 1) };
    let fits = match dims {
        2 => matches!(named, c::GL_TEXTURE_2D_MULTISAMPLE | c::GL_PROXY_TEXTURE_2D_MULTISAMPLE),
        _ => matches!(named, c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY | c::GL_PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY),
    };
    if !fits {
        let fault = Fault::invalid_enum("textures of this target cannot be multisampled");
        return Err(if form == Form::Named { Fault::invalid_operation(fault.why) } else { fault });
    }
    let place = place?;
    let renderable = Format::named(internal).filter(|format| renders(format, &facts));
    let format = renderable.ok_or(Fault::invalid_enum("the format does not support multisampling"))?;
    if immutable && !format.serves(Use::Storage, &facts) {
        return Err(Fault::invalid_enum("invalid sized internal format"));
    }
    let enough = i64::from(samples) <= most_samples(&facts, format, true);
    if !enough && !place.proxy {
        return Err(Fault::invalid_operation("there are too many samples"));
    }
    // Mesa treats proxies as default textures here.
    if immutable && (place.bound.name == 0 || place.proxy) {
        return Err(Fault::invalid_operation("the default texture cannot have immutable storage"));
    }
    let fixed = step.truth(first + 2 + dims);
    let legal = is_legal(&facts, place.target, 0, size, 0);
    let mut level = Level { size, border: 0, internal, format: Some(format), samples, fixed };
    if place.proxy {
        let Some(proxy) = place.texture_mut(step.context, step.group) else { return Ok(()) };
        proxy.set_level(0, 0, (legal && enough).then_some(level));
        return Ok(());
    }
    if !legal {
        return Err(Fault::invalid_value("the size is too large for the texture"));
    }
    if step.group.texture(place.bound).is_none_or(|texture| texture.immutable) {
        return Err(Fault::invalid_operation("the texture is immutable"));
    }
    if size.iter().all(|size| *size > 0) {
        level.samples = sample_count(&facts, samples);
    }
    let Some(texture) = step.group.texture_mut(place.bound) else { return Ok(()) };
    texture.set_level(0, 0, Some(level));
    if immutable {
        make_immutable(texture, place.target, 1);
    }
    note_undefined(step, &place, 1);
    Ok(())
}

/// Returns whether a format can be rendered to.
fn renders(format: &Format, facts: &Facts) -> bool {
    format.serves(Use::Multisample, facts) || format.serves(Use::Renderbuffer, facts)
}
