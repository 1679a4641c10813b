//! Parts of levels: `glTexSubImage…` and `glCompressedTexSubImage…`.

use api::{constant as c, id};

use super::super::Table;
use super::image::{check_agreement, has_dimensions, is_generic_compressed};
use super::level::{Family, Part, Store, Written, check_part, family, generate, note_generated, note_writes};
use super::pixels::{Uploaded, check_compressed_upload, check_upload, upload};
use super::which::{Form, TextureSelection, locate};
use crate::context::Client;
use crate::fault::Fault;
use crate::objects::format::{Format, Use, check_es_pixels, check_pixels, is_integer_format};
use crate::objects::texture::{Level, Target};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    use Form::{Bound, Named, NamedTarget, UnitTarget};
    table.on(&[id::glTexSubImage1D, id::glTexSubImage1DEXT], |step| part(step, Bound, 1));
    table.on(&[id::glTexSubImage2D, id::glTexSubImage2DEXT], |step| part(step, Bound, 2));
    table.on(&[id::glTexSubImage3D, id::glTexSubImage3DEXT, id::glTexSubImage3DOES], |step| part(step, Bound, 3));
    table.on(&[id::glTextureSubImage1D], |step| part(step, Named, 1));
    table.on(&[id::glTextureSubImage2D], |step| part(step, Named, 2));
    table.on(&[id::glTextureSubImage3D], |step| part(step, Named, 3));
    table.on(&[id::glTextureSubImage1DEXT], |step| part(step, NamedTarget, 1));
    table.on(&[id::glTextureSubImage2DEXT], |step| part(step, NamedTarget, 2));
    table.on(&[id::glTextureSubImage3DEXT], |step| part(step, NamedTarget, 3));
    table.on(&[id::glMultiTexSubImage1DEXT], |step| part(step, UnitTarget, 1));
    table.on(&[id::glMultiTexSubImage2DEXT], |step| part(step, UnitTarget, 2));
    table.on(&[id::glMultiTexSubImage3DEXT], |step| part(step, UnitTarget, 3));
    table.on(&[id::glCompressedTexSubImage1D, id::glCompressedTexSubImage1DARB], |step| compressed(step, Bound, 1));
    table.on(&[id::glCompressedTexSubImage2D, id::glCompressedTexSubImage2DARB], |step| compressed(step, Bound, 2));
    let three = [id::glCompressedTexSubImage3D, id::glCompressedTexSubImage3DARB, id::glCompressedTexSubImage3DOES];
    table.on(&three, |step| compressed(step, Bound, 3));
    table.on(&[id::glCompressedTextureSubImage1D], |step| compressed(step, Named, 1));
    table.on(&[id::glCompressedTextureSubImage2D], |step| compressed(step, Named, 2));
    table.on(&[id::glCompressedTextureSubImage3D], |step| compressed(step, Named, 3));
    table.on(&[id::glCompressedTextureSubImage1DEXT], |step| compressed(step, NamedTarget, 1));
    table.on(&[id::glCompressedTextureSubImage2DEXT], |step| compressed(step, NamedTarget, 2));
    table.on(&[id::glCompressedTextureSubImage3DEXT], |step| compressed(step, NamedTarget, 3));
    table.on(&[id::glCompressedMultiTexSubImage1DEXT], |step| compressed(step, UnitTarget, 1));
    table.on(&[id::glCompressedMultiTexSubImage2DEXT], |step| compressed(step, UnitTarget, 2));
    table.on(&[id::glCompressedMultiTexSubImage3DEXT], |step| compressed(step, UnitTarget, 3));
}

/// Finds the texture of a command that changes part of a level. Only a cube map that is named has its faces as a third
/// dimension (GL 4.6, table 8.15).
pub fn locate_part(step: &mut Step<'_>, form: Form, dims: usize) -> Result<TextureSelection, Fault> {
    let fault = Fault::invalid_enum("invalid texture target");
    if form == Form::Bound && !has_dimensions(step.name(0), dims, false) {
        return Err(fault);
    }
    let place = locate(step, form, false, true)?;
    let whole_cube = place.named == c::GL_TEXTURE_CUBE_MAP && form == Form::Named && dims == 3;
    if has_dimensions(place.named, dims, false) || whole_cube {
        return Ok(place);
    }
    Err(if form == Form::Named { Fault::invalid_operation(fault.why) } else { fault })
}

/// Returns the offset and the size of a part.
pub fn part_of(step: &Step<'_>, first: usize, dims: usize) -> Part {
    let (mut offset, mut size) = ([0; 3], [1; 3]);
    for axis in 0..dims {
        offset[axis] = step.int(first + axis);
        size[axis] = step.int(first + dims + axis);
    }
    Part { offset, size }
}

/// Returns whether all faces of a level of a cube map exist and match.
pub fn is_cube_level_complete(texture: &crate::objects::texture::Texture, level: i32) -> bool {
    let face = |face: u32| texture.level(level.cast_unsigned(), face);
    let Some(first) = face(0).filter(|first| first.format.is_some()) else { return false };
    first.size[0] == first.size[1]
        && (1..6).all(|number| {
            face(number).is_some_and(|other| {
                other.size == first.size
                    && other.format.map(|format| format.name) == first.format.map(|format| format.name)
            })
        })
}

const NO_LEVEL: Fault = Fault::invalid_operation("the texture does not have this level");

/// Checks that faces of a cube map that are changed together match.
fn check_faces(step: &Step<'_>, place: &TextureSelection, level: i32) -> Done {
    let whole = place.named == c::GL_TEXTURE_CUBE_MAP;
    if whole && !step.group.texture(place.bound).is_some_and(|texture| is_cube_level_complete(texture, level)) {
        return Err(Fault::invalid_operation("the cube map is not complete"));
    }
    Ok(())
}

/// Returns a level to change, which must exist.
fn level_of(step: &Step<'_>, place: &TextureSelection, level: i32) -> Result<Level, Fault> {
    let texture = step.group.texture(place.bound).ok_or(NO_LEVEL)?;
    texture.level(level.cast_unsigned(), place.face()).copied().ok_or(NO_LEVEL)
}

fn part(step: &mut Step<'_>, form: Form, dims: usize) -> Done {
    let place = locate_part(step, form, dims)?;
    let first = form.arguments();
    let (level, part) = (step.int(first), part_of(step, first + 1, dims));
    let next = first + 1 + 2 * dims;
    let (format, type_) = (step.name(next), step.name(next + 1));
    let facts = step.context.facts.clone();
    if level < 0 || level >= place.target.max_levels(&facts) {
        return Err(Fault::invalid_value("the level is negative or too large"));
    }
    if part.size.iter().any(|size| *size < 0) {
        return Err(Fault::invalid_value("the size is negative"));
    }
    let image = level_of(step, &place, level)?;
    check_pixels(&facts, format, type_)?;
    let Some(row) = image.format else { return Err(NO_LEVEL) };
    check_agreement(row, format)?;
    if !matches!(facts.client, Client::Compatibility | Client::Core) {
        check_es_pixels(es_internal(image.internal, type_), format, type_)?;
    }
    check_upload(step, step.call.args.len() - 1, format, type_, part.size, dims)?;
    check_part(place.target, &image, part, dims)?;
    if row.is_compressed() && matches!(family(row), Family::Astc | Family::Etc2) {
        return Err(Fault::invalid_operation("GL cannot compress to this format"));
    }
    if is_integer_format(format) != row.class.is_integer() {
        return Err(Fault::invalid_operation("integer and non-integer formats cannot be combined"));
    }
    check_faces(step, &place, level)?;
    write_part(step, &place, level, &image, part, Uploaded::Pixels { format, kind: type_, dims });
    Ok(())
}

/// In OpenGL ES, a level with an unsized format accepts pixels as first specified: returns the unsized name for the
/// sized one that it got.
fn es_internal(internal: u32, type_: u32) -> u32 {
    match (internal, type_) {
        (c::GL_RGBA32F, c::GL_FLOAT) | (c::GL_RGBA16F, c::GL_HALF_FLOAT_OES) => c::GL_RGBA,
        (c::GL_RGB32F, c::GL_FLOAT) | (c::GL_RGB16F, c::GL_HALF_FLOAT_OES) => c::GL_RGB,
        (c::GL_LUMINANCE_ALPHA32F_ARB, c::GL_FLOAT) | (c::GL_LUMINANCE_ALPHA16F_ARB, c::GL_HALF_FLOAT_OES) => {
            c::GL_LUMINANCE_ALPHA
        }
        (c::GL_LUMINANCE32F_ARB, c::GL_FLOAT) | (c::GL_LUMINANCE16F_ARB, c::GL_HALF_FLOAT_OES) => c::GL_LUMINANCE,
        (c::GL_ALPHA32F_ARB, c::GL_FLOAT) | (c::GL_ALPHA16F_ARB, c::GL_HALF_FLOAT_OES) => c::GL_ALPHA,
        // ANGLE allows it for storage; no table of OpenGL ES has it.
        (c::GL_BGRA8_EXT, _) => c::GL_BGRA,
        _ => internal,
    }
}

/// Records an upload, and generates mipmaps where that is automatic.
fn write_part(step: &mut Step<'_>, place: &TextureSelection, level: i32, image: &Level, part: Part, pixels: Uploaded) {
    if part.size.contains(&0) {
        return;
    }
    let whole = part.offset == [0; 3] && part.size == image.size;
    let written = upload(step, whole, part.size, pixels);
    finish_part(step, place, level, part, written);
}

/// Records a write from any source, and generates mipmaps where that is automatic.
pub fn finish_part(step: &mut Step<'_>, place: &TextureSelection, level: i32, part: Part, written: Written) {
    let Some(texture) = step.group.texture(place.bound) else { return };
    let (store, target) = (Store::of(texture), place.target);
    let automatic = texture.generate_mipmap && level == texture.base_level && level < texture.max_level;
    note_writes(step, store, level.cast_unsigned(), place.face(), part, written);
    if automatic && let Some(texture) = step.group.texture_mut(place.bound) {
        let face = (target == Target::Cube && place.named != c::GL_TEXTURE_CUBE_MAP).then(|| place.face());
        let count = generate(texture, face);
        note_generated(step, place.bound, face, level + 1, count);
    }
}

fn compressed(step: &mut Step<'_>, form: Form, dims: usize) -> Done {
    let place = locate_compressed(step, form, dims)?;
    let first = form.arguments();
    let (level, part) = (step.int(first), part_of(step, first + 1, dims));
    let next = first + 1 + 2 * dims;
    let (format, bytes) = (step.name(next), step.int(next + 1));
    let facts = step.context.facts.clone();
    let row = Format::named(format).filter(|row| row.is_compressed() && row.serves(Use::Storage, &facts));
    if is_generic_compressed(format) {
        return Err(Fault::invalid_enum("the compressed format is generic, not specific"));
    }
    let row = row.ok_or(Fault::invalid_operation("invalid compressed format"))?;
    if level < 0 || level >= place.target.max_levels(&facts) {
        return Err(Fault::invalid_value("the level is negative or too large"));
    }
    if part.size.iter().any(|size| *size < 0) {
        return Err(Fault::invalid_value("the size is negative"));
    }
    check_compressed_upload(step, step.call.args.len() - 1, bytes)?;
    let [width, height, depth] = part.size;
    if row.compressed_size(width, height, depth) != i64::from(bytes) {
        return Err(Fault::invalid_value("the image size does not match the width, height, depth and format"));
    }
    let image = level_of(step, &place, level)?;
    if image.internal != format {
        return Err(Fault::invalid_operation("the level has a different format"));
    }
    check_part(place.target, &image, part, dims)?;
    check_faces(step, &place, level)?;
    write_part(step, &place, level, &image, part, Uploaded::Compressed(row));
    Ok(())
}

/// Finds the texture of a command that changes part of a compressed level.
fn locate_compressed(step: &mut Step<'_>, form: Form, dims: usize) -> Result<TextureSelection, Fault> {
    let fault = Fault::invalid_enum("textures of this target cannot have a compressed format");
    // Only the target is checked, whatever is bound to it.
    if form == Form::Bound {
        let named = step.name(0);
        let target = Target::with_face(named).map(|(target, _)| target);
        let fits = match dims {
            2 => matches!(target, Some(Target::TwoD)) || target == Some(Target::Cube) && target_is_face(named),
            3 => matches!(target, Some(Target::TwoDArray | Target::CubeArray | Target::ThreeD)),
            _ => false,
        };
        if !fits {
            return Err(fault);
        }
    }
    locate_part(step, form, dims)
}

fn target_is_face(named: u32) -> bool {
    named != c::GL_TEXTURE_CUBE_MAP
}
