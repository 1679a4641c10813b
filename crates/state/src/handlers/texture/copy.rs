//! Copies into textures, from the read framebuffer and from other textures.

use api::{constant as c, id};

use super::super::Table;
use super::super::framebuffer::{Plane, ReadSource, check_read, read_size, read_source, read_things};
use super::image::{has_dimensions, is_generic_compressed, set_copied_level};
use super::level::{Family, Part, Written, check_compressed, check_part, family, note_reads};
use super::sub::{finish_part, locate_part};
use super::which::{Form, locate};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::format::{Class, Format, Use};
use crate::objects::texture::Target;
use crate::observer::Source;
use crate::records::{Region, Texels};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    use Form::{Bound, Named, NamedTarget, UnitTarget};
    table.on(&[id::glCopyTexImage1D, id::glCopyTexImage1DEXT], |step| image(step, Bound, 1));
    table.on(&[id::glCopyTexImage2D, id::glCopyTexImage2DEXT], |step| image(step, Bound, 2));
    table.on(&[id::glCopyTextureImage1DEXT], |step| image(step, NamedTarget, 1));
    table.on(&[id::glCopyTextureImage2DEXT], |step| image(step, NamedTarget, 2));
    table.on(&[id::glCopyMultiTexImage1DEXT], |step| image(step, UnitTarget, 1));
    table.on(&[id::glCopyMultiTexImage2DEXT], |step| image(step, UnitTarget, 2));
    table.on(&[id::glCopyTexSubImage1D, id::glCopyTexSubImage1DEXT], |step| part(step, Bound, 1));
    table.on(&[id::glCopyTexSubImage2D, id::glCopyTexSubImage2DEXT], |step| part(step, Bound, 2));
    let three = [id::glCopyTexSubImage3D, id::glCopyTexSubImage3DEXT, id::glCopyTexSubImage3DOES];
    table.on(&three, |step| part(step, Bound, 3));
    table.on(&[id::glCopyTextureSubImage1D], |step| part(step, Named, 1));
    table.on(&[id::glCopyTextureSubImage2D], |step| part(step, Named, 2));
    table.on(&[id::glCopyTextureSubImage3D], |step| part(step, Named, 3));
    table.on(&[id::glCopyTextureSubImage1DEXT], |step| part(step, NamedTarget, 1));
    table.on(&[id::glCopyTextureSubImage2DEXT], |step| part(step, NamedTarget, 2));
    table.on(&[id::glCopyTextureSubImage3DEXT], |step| part(step, NamedTarget, 3));
    table.on(&[id::glCopyMultiTexSubImage1DEXT], |step| part(step, UnitTarget, 1));
    table.on(&[id::glCopyMultiTexSubImage2DEXT], |step| part(step, UnitTarget, 2));
    table.on(&[id::glCopyMultiTexSubImage3DEXT], |step| part(step, UnitTarget, 3));
}

/// Returns the plane of the framebuffer that a base format is copied from.
fn plane_of(base: u32) -> Plane {
    match base {
        c::GL_DEPTH_COMPONENT | c::GL_DEPTH_STENCIL => Plane::Depth,
        c::GL_STENCIL_INDEX => Plane::Stencil,
        _ => Plane::Colours,
    }
}

/// `glCopyTexImage…`: creates a level of the size that is copied.
fn image(step: &mut Step<'_>, form: Form, dims: usize) -> Done {
    let first = form.arguments();
    let no_target = Fault::invalid_enum("invalid texture target");
    if !has_dimensions(step.name(first - 1), dims, false) {
        return Err(no_target);
    }
    let place = locate(step, form, false, true)?;
    let facts = step.context.facts.clone();
    let (level, internal) = (step.int(first), step.name(first + 1));
    let (width, border) = (step.int(first + 4), step.int(first + 4 + dims));
    let height = if dims == 2 { step.int(first + 5) } else { 1 };
    if level < 0 || level >= place.target.max_levels(&facts) {
        return Err(Fault::invalid_value("the level is negative or too large"));
    }
    check_read(step)?;
    let most = i32::from(facts.client == Client::Compatibility && place.target != Target::Rectangle);
    if !(0..=most).contains(&border) {
        return Err(Fault::invalid_value("invalid border width"));
    }
    let unknown = Fault::invalid_enum("invalid internal format");
    let row = Format::named(internal).filter(|_| !(1..=4).contains(&internal)).ok_or(unknown)?;
    let known = row.serves(Use::Image, &facts) || row.serves(Use::Storage, &facts);
    if !known && !is_generic_compressed(internal) {
        return Err(unknown);
    }
    let source = read_source(step, row.base)
        .ok_or(Fault::invalid_operation("the read framebuffer has no image to copy from"))?;
    check_formats(&facts, row, internal, &source)?;
    if row.is_compressed() && !is_generic_compressed(internal) {
        check_compressed(&facts, place.target, place.named, Some(row))?;
        if matches!(family(row), Family::Astc | Family::Etc2) || border != 0 {
            return Err(Fault::invalid_operation("GL cannot compress to this format"));
        }
    }
    if step.group.texture(place.bound).is_none_or(|texture| texture.immutable) {
        return Err(Fault::invalid_operation("the texture is immutable"));
    }
    let stored = copied_format(&facts, row, internal, &source);
    let from = Region::new([step.int(first + 2), step.int(first + 3)], [width, height]);
    let clean = step.int(first + 2) >= 0 && step.int(first + 3) >= 0 && border == 0;
    let copied = note_source(step, &source, stored, from, clean);
    let done = set_copied_level(step, place, level, (internal, stored), [width, height, 1], border, copied);
    // ES 3.2, 8.6: unnormalized formats cannot be copied to normalized ones. Mesa reports an error and copies
    // all the same.
    let es = !matches!(facts.client, Client::Compatibility | Client::Core);
    let colour = !row.has_depth() && !row.has_stencil();
    let normalized = row.class == Class::Unorm && !is_generic_compressed(internal);
    if es && colour && normalized != (source.format.class == Class::Unorm) {
        return Err(Fault::invalid_operation("the read buffer and the requested format differ in being normalized"));
    }
    done
}

/// Checks that the source format can be converted (GL 4.6, 8.6; ES 3.2, table 8.13).
fn check_formats(facts: &Facts, row: &Format, internal: u32, source: &ReadSource) -> Done {
    let apart = Err(Fault::invalid_operation("the read buffer cannot be converted to this format"));
    let es = !matches!(facts.client, Client::Compatibility | Client::Core);
    let colour = !row.has_depth() && !row.has_stencil();
    if es {
        let parts = |format: &Format| match format.base {
            c::GL_RED | c::GL_ALPHA | c::GL_LUMINANCE | c::GL_INTENSITY => 1,
            c::GL_RG | c::GL_LUMINANCE_ALPHA => 2,
            c::GL_RGB => 3,
            _ => 4,
        };
        let alpha = matches!(row.base, c::GL_LUMINANCE_ALPHA | c::GL_ALPHA) && source.format.base != c::GL_RGBA;
        if parts(row) > parts(source.format) || !colour || alpha || internal == c::GL_RGB9_E5 {
            return apart;
        }
        if row.is_srgb != source.format.is_srgb {
            return apart;
        }
    }
    if colour && row.class.is_integer() != source.format.class.is_integer() {
        return apart;
    }
    let (wanted, read) = (row.class, source.format.class);
    if es && wanted.is_integer() && wanted != read {
        return apart;
    }
    Ok(())
}

/// Returns the format of a copied level: in OpenGL ES 3 an unsized format gets the size of the source.
fn copied_format(facts: &Facts, row: &'static Format, internal: u32, source: &ReadSource) -> &'static Format {
    if !facts.es(3, 0) {
        return row;
    }
    match (internal, source.internal) {
        (c::GL_RGBA, c::GL_RGB10_A2) => Format::named(c::GL_RGB10_A2).unwrap_or(row),
        _ => row,
    }
}

/// Records a read of the framebuffer, and returns it as the source of a level. `clean` means that the whole rectangle
/// can be read, according to the arguments.
fn note_source(step: &mut Step<'_>, source: &ReadSource, stored: &Format, from: Region, clean: bool) -> Written {
    let plane = plane_of(stored.base);
    let mut things = read_things(step, plane);
    if plane == Plane::Depth {
        things.extend(read_things(step, Plane::Stencil));
    }
    let first = things.first().copied();
    for thing in things {
        step.reads(thing);
    }
    let Some(of) = first else { return Written::UNDEFINED };
    let apart = stored.has_depth() && stored.has_stencil() || stored.is_srgb || source.format.is_srgb;
    let inside = Region::whole(read_size(step)).covers(&from);
    let alike = source.format.name == stored.name && !apart && !step.context.transfers_pixels();
    let texels = Texels::Image { of, from: from.at, exact: clean && inside && alike };
    Written { source: Source::Copy { of, whole: false }, texels }
}

/// `glCopyTexSubImage…`: copies into an existing level.
fn part(step: &mut Step<'_>, form: Form, dims: usize) -> Done {
    let place = locate_part(step, form, dims)?;
    let facts = step.context.facts.clone();
    let first = form.arguments();
    check_read(step)?;
    let level = step.int(first);
    if level < 0 || level >= place.target.max_levels(&facts) {
        return Err(Fault::invalid_value("the level is negative or too large"));
    }
    let mut offset = [0; 3];
    for (axis, offset) in offset.iter_mut().enumerate().take(dims) {
        *offset = step.int(first + 1 + axis);
    }
    let width = step.int(first + 3 + dims);
    let height = if dims == 1 { 1 } else { step.int(first + 4 + dims) };
    let missing = Fault::invalid_operation("the texture does not have this level");
    let texture = step.group.texture(place.bound).ok_or(missing)?;
    let cube = place.named == c::GL_TEXTURE_CUBE_MAP;
    let face = if cube { offset[2].clamp(0, 5).cast_unsigned() } else { place.face() };
    let image = *texture.level(level.cast_unsigned(), face).ok_or(missing)?;
    if width < 0 || height < 0 {
        return Err(Fault::invalid_value("the size is negative"));
    }
    let part = Part { offset, size: [width, height, 1] };
    check_part(place.target, &image, part, dims)?;
    let Some(row) = image.format else { return Err(missing) };
    let es = !matches!(facts.client, Client::Compatibility | Client::Core);
    let refused = row.is_compressed() && matches!(family(row), Family::Astc | Family::Etc2)
        || row.base == c::GL_YCBCR_MESA
        || es && (image.internal == c::GL_RGB9_E5 || row.base == c::GL_STENCIL_INDEX);
    if refused {
        return Err(Fault::invalid_operation("invalid internal format for a copy"));
    }
    let source = read_source(step, row.base)
        .ok_or(Fault::invalid_operation("the read framebuffer has no image to copy from"))?;
    let colour = !row.has_depth() && !row.has_stencil();
    if colour && source.format.class.is_integer() != row.class.is_integer() {
        return Err(Fault::invalid_operation("integer and non-integer formats cannot be combined"));
    }
    if width > 0 && height > 0 {
        let (x, y) = (step.int(first + 1 + dims), step.int(first + 2 + dims));
        let from = Region::new([x, y], [width, height]);
        let written = note_source(step, &source, row, from, x >= 0 && y >= 0);
        finish_part(step, &place, level, part, written);
    }
    Ok(())
}

/// Records reads of layers of a texture, by its name.
pub fn note_layers(step: &mut Step<'_>, name: u32, level: i32, layers: std::ops::Range<u32>) {
    if let Some(texture) = step.group.textures.get(&name).cloned() {
        note_reads(step, super::level::Store::of(&texture), level.max(0).cast_unsigned(), layers);
    }
}
