//! Clears, invalidation and readback of parts of textures.

use api::{constant as c, id};

use super::super::Table;
use super::copy::note_layers;
use super::level::{Part, Store, Written, check_part, layers, note_reads, note_writes};
use super::pixels::{check_readback, readback};
use super::which::{Form, TextureSelection, locate};
use crate::fault::Fault;
use crate::objects::format::{Format, check_pixels, is_integer_format};
use crate::objects::texture::{Bound, Level, Target, Texture};
use crate::observer::Source;
use crate::records::{ClearValue, Job, Texels};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glClearTexImage, id::glClearTexImageEXT], |step| clear(step, false));
    table.on(&[id::glClearTexSubImage, id::glClearTexSubImageEXT], |step| clear(step, true));
    table.on(&[id::glInvalidateTexImage], |step| invalidate(step, false));
    table.on(&[id::glInvalidateTexSubImage], |step| invalidate(step, true));
    table.on(&[id::glGetTexImage], |step| read(step, Form::Bound, None, 4));
    table.on(&[id::glGetnTexImage, id::glGetnTexImageARB], |step| read(step, Form::Bound, Some(4), 5));
    table.on(&[id::glGetTextureImage], |step| read(step, Form::Named, Some(4), 5));
    table.on(&[id::glGetTextureImageEXT], |step| read(step, Form::NamedTarget, None, 5));
    table.on(&[id::glGetMultiTexImageEXT], |step| read(step, Form::UnitTarget, None, 5));
    table.on(&[id::glGetTextureSubImage], read_part);
    table.on(&[id::glGetCompressedTexImage, id::glGetCompressedTexImageARB], |step| {
        read_compressed(step, Form::Bound, 2)
    });
    table.on(&[id::glGetnCompressedTexImage, id::glGetnCompressedTexImageARB], |step| {
        read_compressed(step, Form::Bound, 3)
    });
    table.on(&[id::glGetCompressedTextureImage], |step| read_compressed(step, Form::Named, 3));
    table.on(&[id::glGetCompressedTextureImageEXT], |step| read_compressed(step, Form::NamedTarget, 3));
    table.on(&[id::glGetCompressedMultiTexImageEXT], |step| read_compressed(step, Form::UnitTarget, 3));
}

const NO_LEVEL: Fault = Fault::invalid_operation("the texture does not have this level");

/// Returns the texture and the level that the first arguments of a command name.
fn named_level(step: &Step<'_>, fault: Fault) -> Result<(Bound, Target, Level), Fault> {
    let name = step.name(0);
    let texture = step.group.textures.get(&name).filter(|_| name != 0).ok_or(fault)?;
    let target = texture.target.ok_or(fault)?;
    let level = step.int(1);
    let image = texture.level(level.max(0).cast_unsigned(), 0).filter(|level| level.format.is_some());
    let image = *image.filter(|_| level >= 0).ok_or(NO_LEVEL)?;
    Ok((Bound { name, object: texture.object }, target, image))
}

/// Returns all of a level, with its faces as the third dimension.
fn all_of(target: Target, image: &Level) -> Part {
    let size = if target == Target::Cube { [image.size[0], image.size[1], 6] } else { image.size };
    Part { offset: [0; 3], size }
}

fn clear(step: &mut Step<'_>, partly: bool) -> Done {
    let missing = Fault::invalid_operation("no texture has this name");
    let name = step.name(0);
    let texture = step.group.textures.get(&name).filter(|_| name != 0).ok_or(missing)?;
    if texture.target.is_none_or(|target| target == Target::Buffer) {
        return Err(Fault::invalid_operation("this texture cannot be cleared"));
    }
    let (bound, target, image) = named_level(step, missing)?;
    let Some(row) = image.format else { return Err(NO_LEVEL) };
    let at = if partly { 8 } else { 2 };
    let (format, type_) = (step.name(at), step.name(at + 1));
    let whole = all_of(target, &image);
    let part = if partly {
        Part { offset: [2, 3, 4].map(|at| step.int(at)), size: [5, 6, 7].map(|at| step.int(at)) }
    } else {
        whole
    };
    let outside = (0..3).any(|axis| {
        let (from, count) = (i64::from(part.offset[axis]), i64::from(part.size[axis]));
        from < 0 || count < 0 || from + count > i64::from(whole.size[axis])
    });
    if outside {
        return Err(Fault::invalid_operation("the region is not inside the level"));
    }
    if row.is_compressed() {
        return Err(Fault::invalid_operation("compressed textures cannot be cleared"));
    }
    check_pixels(step.facts(), format, type_)?;
    super::image::check_agreement(row, format)?;
    if is_integer_format(format) != row.class.is_integer() {
        return Err(Fault::invalid_operation("integer and non-integer formats cannot be combined"));
    }
    let all = part.offset == [0; 3] && part.size[..2] == whole.size[..2];
    let value = match step.word(at + 2) {
        0 => ClearValue::Zero,
        _ => ClearValue::Pixel { param: at as u8 + 2, format, kind: type_ },
    };
    // A display list keeps its pixel, but no call of the trace contains it.
    let kept = step.call.memory.is_from_list();
    let texels = if kept { Texels::Gpu(Job::Transfer) } else { Texels::Clear(value) };
    write_named(step, bound, part, Written { source: Source::Fill { whole: all }, texels });
    Ok(())
}

fn write_named(step: &mut Step<'_>, bound: Bound, part: Part, written: Written) {
    let Some(texture) = step.group.texture(bound) else { return };
    let store = Store::of(texture);
    let level = step.int(1).cast_unsigned();
    // Faces are layers here, even if there is only one of them.
    for layer in 0..part.size[2] {
        let one = Part { offset: [part.offset[0], part.offset[1], 0], size: [part.size[0], part.size[1], 1] };
        let cube = texture_target(step, bound) == Some(Target::Cube);
        let number = part.offset[2] + layer;
        let face = if cube { number.cast_unsigned() } else { 0 };
        let one = if cube { one } else { Part { offset: [one.offset[0], one.offset[1], number], ..one } };
        note_writes(step, store, level, face, one, written);
    }
}

fn texture_target(step: &Step<'_>, bound: Bound) -> Option<Target> {
    step.group.texture(bound).and_then(|texture| texture.target)
}

fn invalidate(step: &mut Step<'_>, partly: bool) -> Done {
    let missing = Fault::invalid_value("no texture has this name");
    let (name, level) = (step.name(0), step.int(1));
    let texture = step.group.textures.get(&name).filter(|_| name != 0).ok_or(missing)?.clone();
    let single = texture.target.is_some_and(|target| target.max_levels(step.facts()) == 1);
    if level < 0 || level > texture.max_level || single && level != 0 {
        return Err(Fault::invalid_value("the level is negative or too large"));
    }
    let Some(target) = texture.target else { return Ok(()) };
    let Some(image) = texture.level(level.cast_unsigned(), 0) else { return Ok(()) };
    let whole = all_of(target, image);
    let offset = [2, 3, 4].map(|at| step.int(at));
    let size = [5, 6, 7].map(|at| step.int(at));
    if partly {
        let outside = (0..3).any(|axis| {
            let end = i64::from(offset[axis]) + i64::from(size[axis]);
            offset[axis] < 0 || end > i64::from(whole.size[axis])
        });
        if outside {
            return Err(Fault::invalid_value("the region is not inside the level"));
        }
    }
    // Invalidating part of a level keeps the rest.
    if !partly || offset == [0; 3] && size == whole.size {
        write_named(step, Bound { name, object: texture.object }, whole, Written::UNDEFINED);
    }
    Ok(())
}

/// Finds the texture to read back: a cube map as a whole only when it is named.
fn locate_read(step: &mut Step<'_>, form: Form) -> Result<TextureSelection, Fault> {
    let fault = Fault::invalid_enum("textures of this target cannot be read back");
    let place = locate(step, form, false, true)?;
    let unreadable =
        matches!(place.target, Target::Buffer | Target::Multisample | Target::MultisampleArray | Target::External);
    let whole_cube = place.named == c::GL_TEXTURE_CUBE_MAP && form != Form::Named;
    if unreadable || whole_cube {
        return Err(if form == Form::Named { Fault::invalid_operation(fault.why) } else { fault });
    }
    Ok(place)
}

fn level_in<'a>(step: &'a Step<'_>, place: &TextureSelection, level: i32) -> Result<Option<&'a Level>, Fault> {
    if level < 0 || level >= place.target.max_levels(step.facts()) {
        return Err(Fault::invalid_value("the level is negative or too large"));
    }
    let texture: Option<&Texture> = step.group.texture(place.bound);
    Ok(texture.and_then(|texture| texture.level(level.cast_unsigned(), place.face())))
}

/// Checks that texels can be read as pixels of a format.
fn check_format(row: &Format, format: u32) -> Done {
    let depth = row.has_depth();
    let fits = match format {
        c::GL_DEPTH_COMPONENT => depth,
        c::GL_DEPTH_STENCIL => depth && row.has_stencil(),
        c::GL_STENCIL_INDEX => row.has_stencil(),
        _ => !depth && !row.has_stencil() && is_integer_format(format) == row.class.is_integer(),
    };
    if fits { Ok(()) } else { Err(Fault::invalid_operation("the level has no component of this format")) }
}

fn read(step: &mut Step<'_>, form: Form, room: Option<usize>, param: usize) -> Done {
    let place = locate_read(step, form)?;
    let first = form.arguments();
    let (level, format, type_) = (step.int(first), step.name(first + 1), step.name(first + 2));
    let image = level_in(step, &place, level)?.copied();
    check_pixels(step.facts(), format, type_)?;
    let cube = place.named == c::GL_TEXTURE_CUBE_MAP;
    if cube && !step.group.texture(place.bound).is_some_and(super::mipmap::is_cube_complete) {
        return Err(Fault::invalid_operation("the cube map is not complete"));
    }
    let Some(image) = image.filter(|image| image.format.is_some() && !image.size.contains(&0)) else { return Ok(()) };
    let part = if cube { all_of(place.target, &image) } else { Part { offset: [0; 3], size: image.size } };
    let dims = if place.target == Target::ThreeD { 3 } else { 2 };
    let room = room.map(|at| step.int(at));
    let pixels = (format, type_);
    let size = if dims == 3 { part.size } else { [part.size[0], part.size[1] * part.size[2], 1] };
    check_readback(step, param, pixels, size, dims, room)?;
    if let Some(row) = image.format {
        check_format(row, format)?;
    }
    note_read(step, &place, level, part);
    readback(step, param);
    Ok(())
}

fn note_read(step: &mut Step<'_>, place: &TextureSelection, level: i32, part: Part) {
    let Some(texture) = step.group.texture(place.bound) else { return };
    let store = Store::of(texture);
    let (first, count) = match place.target {
        Target::Cube if part.size[2] == 1 => (place.face(), 1),
        target => (part.offset[2].cast_unsigned(), layers(target, part.size).cast_unsigned()),
    };
    note_reads(step, store, level.cast_unsigned(), first..first + count);
}

fn read_part(step: &mut Step<'_>) -> Done {
    let place = locate_read(step, Form::Named)?;
    let (level, format, type_) = (step.int(1), step.name(8), step.name(9));
    let image = level_in(step, &place, level)?.copied();
    check_pixels(step.facts(), format, type_)?;
    let part = Part { offset: [2, 3, 4].map(|at| step.int(at)), size: [5, 6, 7].map(|at| step.int(at)) };
    let outside = Fault::invalid_value("the region is not inside the level");
    if part.offset.iter().chain(&part.size).any(|number| *number < 0) {
        return Err(outside);
    }
    let Some(image) = image else { return Err(outside) };
    check_part(place.target, &image, part, 3).map_err(|fault| Fault::invalid_value(fault.why))?;
    if part.size.contains(&0) {
        return Ok(());
    }
    let dims = if place.target == Target::ThreeD { 3 } else { 2 };
    let size = if dims == 3 { part.size } else { [part.size[0], part.size[1] * part.size[2], 1] };
    check_readback(step, 11, (format, type_), size, dims, Some(step.int(10)))?;
    if let Some(row) = image.format {
        check_format(row, format)?;
    }
    note_layers(
        step,
        step.name(0),
        level,
        part.offset[2].cast_unsigned()..(part.offset[2] + part.size[2]).cast_unsigned(),
    );
    readback(step, 11);
    Ok(())
}

fn read_compressed(step: &mut Step<'_>, form: Form, param: usize) -> Done {
    let place = locate_read(step, form)?;
    let level = step.int(form.arguments());
    let image = level_in(step, &place, level)?.copied();
    let Some(image) = image else { return Err(Fault::invalid_value("the texture does not have this level")) };
    if !image.format.is_some_and(Format::is_compressed) {
        return Err(Fault::invalid_operation("the level is not compressed"));
    }
    let cube = place.named == c::GL_TEXTURE_CUBE_MAP;
    let part = if cube { all_of(place.target, &image) } else { Part { offset: [0; 3], size: image.size } };
    note_read(step, &place, level, part);
    readback(step, param);
    Ok(())
}
