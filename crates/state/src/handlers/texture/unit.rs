//! Bindings of texture units and image units.

use std::sync::Arc;

use api::{Namespace, constant as c, id};

use super::super::Table;
use crate::answer::{Answer, View};
use crate::context::Client;
use crate::fault::Fault;
use crate::objects::format::{Format, Use};
use crate::objects::texture::{ALL_TARGETS, Bound, ImageUnit, Target, Unit, default_object};
use crate::step::{Done, Step, not_negative, one_of};
use crate::variable::NumberType;

pub fn register(table: &mut Table) {
    table.on(&[id::glBindTextureUnit], bind_unit);
    table.on(&[id::glBindTextures], bind_textures);
    table.on(&[id::glBindSampler], bind_sampler);
    table.on(&[id::glBindSamplers], bind_samplers);
    table.on(&[id::glBindImageTexture, id::glBindImageTextureEXT], bind_image);
    table.on(&[id::glBindImageTextures], bind_images);
    table.plain_getter(|view, name| {
        let unit = view.context.units.units.get(view.context.active_unit() as usize)?;
        value(view, name, unit)
    });
    table.indexed_getter(indexed_value);
}

fn bind_unit(step: &mut Step<'_>) -> Done {
    let (unit, name) = (step.name(0) as usize, step.name(1));
    if unit >= step.context.units.units.len() {
        return Err(Fault::invalid_value("the texture unit is too large"));
    }
    if name == 0 {
        unbind_all(step, unit);
        return Ok(());
    }
    let texture = step.group.textures.get(&name);
    let texture = texture.ok_or(Fault::invalid_operation("no texture has this name"))?;
    let target = texture.target.ok_or(Fault::invalid_operation("the texture has no target yet"))?;
    let bound = Bound { name, object: texture.object };
    step.context.units.bind(unit, target, bound);
    Ok(())
}

fn unbind_all(step: &mut Step<'_>, unit: usize) {
    for target in ALL_TARGETS {
        step.context.units.bind(unit, target, Bound { name: 0, object: default_object(target) });
    }
}

/// Returns the range of units of a command that binds several.
fn range(step: &Step<'_>, units: usize, why: &'static str) -> Result<(usize, usize), Fault> {
    let (first, count) = (step.name(0) as usize, step.int(1));
    if first.saturating_add(count.max(0) as usize) > units {
        return Err(Fault::invalid_operation(why));
    }
    not_negative(count, "the number of bindings is negative")?;
    Ok((first, count as usize))
}

fn combined_units(step: &Step<'_>) -> usize {
    let units = &step.context.units.units;
    step.facts().limits.integer(c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, units.len() as i64).max(0) as usize
}

/// Binds textures to units. An error with one of them does not affect the others (GL 4.6, 2.3.1 and 8.1).
fn bind_textures(step: &mut Step<'_>) -> Done {
    let (first, count) = range(step, combined_units(step), "there are too many texture units")?;
    if step.word(2) == 0 {
        (first..first + count).for_each(|unit| unbind_all(step, unit));
        return Ok(());
    }
    let mut done = Ok(());
    for (at, name) in step.input_names(2).into_iter().take(count).enumerate() {
        if name == 0 {
            unbind_all(step, first + at);
            continue;
        }
        match step.group.textures.get(&name).and_then(|texture| Some((texture.object, texture.target?))) {
            Some((object, target)) => step.context.units.bind(first + at, target, Bound { name, object }),
            None => done = Err(Fault::invalid_operation("one of the names is not a texture")),
        }
    }
    done
}

fn set_sampler(step: &mut Step<'_>, unit: usize, bound: Bound) {
    let units = &mut step.context.units.units;
    if let Some(unit) = units.get_mut(unit).filter(|unit| unit.sampler != bound) {
        Arc::make_mut(unit).sampler = bound;
    }
}

fn sampler(step: &Step<'_>, name: u32) -> Option<Bound> {
    if name == 0 {
        return Some(Bound::default());
    }
    step.group.samplers.get(&name).map(|sampler| Bound { name, object: sampler.object })
}

fn bind_sampler(step: &mut Step<'_>) -> Done {
    let (unit, name) = (step.name(0) as usize, step.name(1));
    if unit >= combined_units(step) {
        return Err(Fault::invalid_value("the texture unit is too large"));
    }
    let bound = sampler(step, name).ok_or(Fault::invalid_operation("no sampler has this name"))?;
    set_sampler(step, unit, bound);
    Ok(())
}

fn bind_samplers(step: &mut Step<'_>) -> Done {
    let (first, count) = range(step, combined_units(step), "there are too many texture units")?;
    if step.word(2) == 0 {
        (first..first + count).for_each(|unit| set_sampler(step, unit, Bound::default()));
        return Ok(());
    }
    let mut done = Ok(());
    for (at, name) in step.input_names(2).into_iter().take(count).enumerate() {
        match sampler(step, name) {
            Some(bound) => set_sampler(step, first + at, bound),
            None => done = Err(Fault::invalid_operation("one of the names is not a sampler")),
        }
    }
    done
}

fn image_units(step: &Step<'_>) -> usize {
    step.context.units.images.len()
}

fn bind_image(step: &mut Step<'_>) -> Done {
    let (unit, name, level, layer) = (step.name(0) as usize, step.name(1), step.int(2), step.int(4));
    let (access, format) = (step.name(5), step.name(6));
    if unit >= image_units(step) {
        return Err(Fault::invalid_value("the image unit index is too large"));
    }
    not_negative(level, "the level is negative")?;
    not_negative(layer, "the layer is negative")?;
    if one_of(access, &[c::GL_READ_ONLY, c::GL_WRITE_ONLY, c::GL_READ_WRITE], "").is_err() {
        return Err(Fault::invalid_value("invalid image access"));
    }
    if !Format::named(format).is_some_and(|format| format.serves(Use::Unit, step.facts())) {
        return Err(Fault::invalid_value("invalid image unit format"));
    }
    let texture = if name == 0 {
        Bound::default()
    } else {
        let texture = step.group.textures.get(&name).ok_or(Fault::invalid_value("no texture has this name"))?;
        // ES 3.2, 8.23: only immutable textures, and buffer textures.
        let buffer = texture.target == Some(Target::Buffer);
        if step.facts().es(2, 0) && !texture.immutable && !buffer {
            return Err(Fault::invalid_operation("the texture is not immutable"));
        }
        Bound { name, object: texture.object }
    };
    // A texture without layers is bound as if `layered` were not set.
    let layers = step.group.textures.get(&name).and_then(|texture| texture.target).is_some_and(Target::is_layered);
    let (layered, layer) = if layers { (step.truth(3), layer) } else { (false, 0) };
    let image = ImageUnit { texture, level, layered, layer, access, format };
    set_image(step, unit, image);
    Ok(())
}

fn set_image(step: &mut Step<'_>, unit: usize, image: ImageUnit) {
    if step.context.units.images.get(unit).is_some_and(|old| *old != image) {
        Arc::make_mut(&mut step.context.units.images)[unit] = image;
    }
}

/// Binds all layers of level 0 of each texture for reading and writing in its own format (GL 4.6, 8.26).
fn bind_images(step: &mut Step<'_>) -> Done {
    let (first, count) = range(step, image_units(step), "there are too many image units")?;
    let none = ImageUnit::new(step.facts());
    if step.word(2) == 0 {
        (first..first + count).for_each(|unit| set_image(step, unit, none));
        return Ok(());
    }
    let mut done = Ok(());
    for (at, name) in step.input_names(2).into_iter().take(count).enumerate() {
        match image_of(step, name) {
            Ok(image) => set_image(step, first + at, image),
            Err(fault) => done = Err(fault),
        }
    }
    done
}

fn image_of(step: &Step<'_>, name: u32) -> Result<ImageUnit, Fault> {
    let none = ImageUnit::new(step.facts());
    if name == 0 {
        return Ok(none);
    }
    let texture = step.group.textures.get(&name);
    let texture = texture.ok_or(Fault::invalid_operation("one of the names is not a texture"))?;
    let format = match texture.target {
        Some(Target::Buffer) => texture.buffer_format.unwrap_or(c::GL_R8),
        _ => match texture.level(0, 0) {
            Some(level) if level.size.iter().all(|size| *size > 0) => level.internal,
            _ => return Err(Fault::invalid_operation("one of the textures has no level 0")),
        },
    };
    if !Format::named(format).is_some_and(|format| format.serves(Use::Unit, step.facts())) {
        return Err(Fault::invalid_operation("the format of one of the textures is not supported by image units"));
    }
    let layered = texture.target.is_some_and(Target::is_layered);
    let texture = Bound { name, object: texture.object };
    Ok(ImageUnit { texture, level: 0, layered, layer: 0, access: c::GL_READ_WRITE, format })
}

/// Answers `glGet…` for bindings of a unit.
fn value(view: &View<'_>, name: u32, unit: &Unit) -> Option<Result<Answer, Fault>> {
    let named = |space: Namespace, name: u32| Some(Ok(Answer::one(NumberType::Name(space), f64::from(name))));
    match name {
        c::GL_SAMPLER_BINDING => named(Namespace::Sampler, unit.sampler.name),
        // What was meant for the target of that name in fact queries the bound texture (`ARB_texture_buffer_object`,
        // issue 7).
        c::GL_TEXTURE_BUFFER_DATA_STORE_BINDING | c::GL_TEXTURE_BUFFER_FORMAT_ARB
            if Target::Buffer.exists(&view.context.facts) =>
        {
            let texture = view.group.texture(unit.textures[Target::Buffer as usize])?;
            if name == c::GL_TEXTURE_BUFFER_DATA_STORE_BINDING {
                return named(Namespace::Buffer, texture.buffer.map_or(0, |buffer| buffer.name));
            }
            let legacy = view.context.facts.client == Client::Compatibility;
            let initial = if legacy { c::GL_LUMINANCE8 } else { c::GL_R8 };
            Some(Ok(Answer::one(NumberType::Enum, f64::from(texture.buffer_format.unwrap_or(initial)))))
        }
        _ => {
            let target = ALL_TARGETS.into_iter().find(|target| target.binding() == name)?;
            if !target.exists(&view.context.facts) {
                return None;
            }
            named(Namespace::Texture, unit.textures[target as usize].name)
        }
    }
}

/// Answers `glGet…i_v` for bindings of texture units and image units.
fn indexed_value(view: &View<'_>, name: u32, index: u32) -> Option<Result<Answer, Fault>> {
    let units = &view.context.units;
    if (c::GL_IMAGE_BINDING_NAME..=c::GL_IMAGE_BINDING_ACCESS).contains(&name) || name == c::GL_IMAGE_BINDING_FORMAT {
        return image_value(units.images.get(index as usize), name);
    }
    // Textures and samplers can be queried by unit since GL 4.5 (GL 4.6, 22.5); Mesa also answers in OpenGL ES.
    let bound = name == c::GL_SAMPLER_BINDING || ALL_TARGETS.into_iter().any(|target| target.binding() == name);
    if !bound || !(view.context.facts.desktop(4, 5) || view.context.facts.es(3, 1) && name != c::GL_SAMPLER_BINDING) {
        return None;
    }
    let Some(unit) = units.units.get(index as usize) else {
        return Some(Err(Fault::invalid_value("the texture unit is too large")));
    };
    value(view, name, unit)
}

fn image_value(image: Option<&ImageUnit>, name: u32) -> Option<Result<Answer, Fault>> {
    let Some(image) = image else { return Some(Err(Fault::invalid_value("the image unit index is too large"))) };
    let (kind, number) = match name {
        c::GL_IMAGE_BINDING_NAME => (NumberType::Name(Namespace::Texture), f64::from(image.texture.name)),
        c::GL_IMAGE_BINDING_LEVEL => (NumberType::Integer, f64::from(image.level)),
        c::GL_IMAGE_BINDING_LAYERED => (NumberType::Boolean, f64::from(u8::from(image.layered))),
        c::GL_IMAGE_BINDING_LAYER => (NumberType::Integer, f64::from(image.layer)),
        c::GL_IMAGE_BINDING_ACCESS => (NumberType::Enum, f64::from(image.access)),
        _ => (NumberType::Enum, f64::from(image.format)),
    };
    Some(Ok(Answer::one(kind, number)))
}
