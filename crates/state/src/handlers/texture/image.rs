//! Levels specified one by one: `glTexImage…` and `glCompressedTexImage…`.

use api::{constant as c, id};

use super::super::Table;
use super::level::{
    self, Family, Part, Store, Written, check_compressed, check_depth, family, is_legal, note_generated, note_made,
    note_writes,
};
use super::pixels::{Uploaded, check_compressed_upload, check_upload, upload};
use super::which::{Form, TextureSelection, locate};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::format::{Format, Use, check_es_pixels, check_pixels, is_integer_format, stored};
use crate::objects::texture::{Level, Target};
use crate::records::{Job, Texels};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    use Form::{Bound, NamedTarget, UnitTarget};
    table.on(&[id::glTexImage1D], |step| image(step, Bound, 1));
    table.on(&[id::glTexImage2D], |step| image(step, Bound, 2));
    table.on(&[id::glTexImage3D, id::glTexImage3DEXT, id::glTexImage3DOES], |step| image(step, Bound, 3));
    table.on(&[id::glTextureImage1DEXT], |step| image(step, NamedTarget, 1));
    table.on(&[id::glTextureImage2DEXT], |step| image(step, NamedTarget, 2));
    table.on(&[id::glTextureImage3DEXT], |step| image(step, NamedTarget, 3));
    table.on(&[id::glMultiTexImage1DEXT], |step| image(step, UnitTarget, 1));
    table.on(&[id::glMultiTexImage2DEXT], |step| image(step, UnitTarget, 2));
    table.on(&[id::glMultiTexImage3DEXT], |step| image(step, UnitTarget, 3));
    table.on(&[id::glCompressedTexImage1D, id::glCompressedTexImage1DARB], |step| compressed(step, Bound, 1));
    table.on(&[id::glCompressedTexImage2D, id::glCompressedTexImage2DARB], |step| compressed(step, Bound, 2));
    let three = [id::glCompressedTexImage3D, id::glCompressedTexImage3DARB, id::glCompressedTexImage3DOES];
    table.on(&three, |step| compressed(step, Bound, 3));
    table.on(&[id::glCompressedTextureImage1DEXT], |step| compressed(step, NamedTarget, 1));
    table.on(&[id::glCompressedTextureImage2DEXT], |step| compressed(step, NamedTarget, 2));
    table.on(&[id::glCompressedTextureImage3DEXT], |step| compressed(step, NamedTarget, 3));
    table.on(&[id::glCompressedMultiTexImage1DEXT], |step| compressed(step, UnitTarget, 1));
    table.on(&[id::glCompressedMultiTexImage2DEXT], |step| compressed(step, UnitTarget, 2));
    table.on(&[id::glCompressedMultiTexImage3DEXT], |step| compressed(step, UnitTarget, 3));
}

/// Returns whether images of a target have this many dimensions.
pub fn has_dimensions(named: u32, dims: usize, proxies: bool) -> bool {
    let proxy = Target::of_proxy(named);
    let target = match (Target::with_face(named), proxy) {
        // Cube maps are specified face by face; only their proxy is specified as a whole.
        (Some((Target::Cube, _)), _) if named == c::GL_TEXTURE_CUBE_MAP => return false,
        (Some((target, _)), _) => target,
        (None, Some(target)) if proxies => target,
        _ => return false,
    };
    matches!(
        (target, dims),
        (Target::OneD, 1)
            | (Target::TwoD | Target::Cube | Target::Rectangle | Target::OneDArray, 2)
            | (Target::ThreeD | Target::TwoDArray | Target::CubeArray, 3)
    )
}

const NO_TARGET: Fault = Fault::invalid_enum("invalid texture target");

/// Common arguments of commands that specify a level.
struct LevelArguments {
    place: TextureSelection,
    level: i32,
    internal: u32,
    size: [i32; 3],
    border: i32,
    /// The index of the argument after the border.
    next: usize,
}

fn given(step: &mut Step<'_>, form: Form, dims: usize) -> Result<LevelArguments, Fault> {
    let named = step.name(form.arguments() - 1);
    if form == Form::Bound && !has_dimensions(named, dims, true) {
        return Err(NO_TARGET);
    }
    let place = locate(step, form, true, true)?;
    let es = !matches!(step.facts().client, Client::Compatibility | Client::Core);
    if !has_dimensions(named, dims, true) || place.proxy && es {
        return Err(NO_TARGET);
    }
    let first = form.arguments();
    let mut size = [1; 3];
    for (axis, size) in size.iter_mut().enumerate().take(dims) {
        *size = step.int(first + 2 + axis);
    }
    let (level, internal) = (step.int(first), step.name(first + 1));
    let next = first + 3 + dims;
    Ok(LevelArguments { place, level, internal, size, border: step.int(next - 1), next })
}

fn image(step: &mut Step<'_>, form: Form, dims: usize) -> Done {
    let given = given(step, form, dims)?;
    let (format, type_) = (step.name(given.next), step.name(given.next + 1));
    let facts = step.context.facts.clone();
    let target = given.place.target;
    if given.level < 0 || given.level >= target.max_levels(&facts) {
        return Err(Fault::invalid_value("the level is negative or too large"));
    }
    check_border(&facts, target, given.border)?;
    if given.size.iter().any(|size| *size < 0) {
        return Err(Fault::invalid_value("the size is negative"));
    }
    check_pixels(&facts, format, type_)?;
    let row = internal_format(&facts, given.internal)?;
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    if !desktop {
        check_es_pixels(given.internal, format, type_)?;
    }
    let param = step.call.args.len() - 1;
    if !given.place.proxy {
        check_upload(step, param, format, type_, given.size, dims)?;
    }
    check_agreement(row, format)?;
    check_depth(target, row)?;
    if row.is_compressed() && !is_generic_compressed(given.internal) {
        check_compressed(&facts, target, given.place.named, Some(row))?;
        if matches!(family(row), Family::Astc | Family::Etc2) {
            return Err(Fault::invalid_operation("GL cannot compress to this format"));
        }
        if given.border != 0 {
            return Err(Fault::invalid_operation("compressed images cannot have a border"));
        }
    }
    if is_integer_format(format) != row.class.is_integer() {
        return Err(Fault::invalid_operation("integer and non-integer formats cannot be combined"));
    }
    let Some(texture) = given.place.texture(step.context, step.group) else { return Ok(()) };
    if texture.immutable {
        return Err(Fault::invalid_operation("the texture is immutable"));
    }
    let Some((mut format, internal)) = stored(&facts, given.internal, format, type_) else { return Ok(()) };
    // Levels of the same format are stored in the same way, whatever their pixels were.
    if given.level > 0
        && let Some(before) = texture.level(given.level.cast_unsigned() - 1, given.place.face())
        && before.size[0] > 0
        && before.internal == internal
        && let Some(earlier) = before.format
    {
        format = earlier;
    }
    let pixels = Uploaded::Pixels { format: step.name(given.next), kind: step.name(given.next + 1), dims };
    set_level(step, &given, format, internal, |step| {
        let mut written = upload(step, true, given.size, pixels);
        // Borders are cut off, so the stored texels start elsewhere.
        if given.border != 0 && written.texels != Texels::Undefined {
            written.texels = Texels::Gpu(Job::Transfer);
        }
        written
    })
}

/// Returns the table row of an internal format that `glTexImage…` accepts.
fn internal_format(facts: &Facts, internal: u32) -> Result<&'static Format, Fault> {
    let unknown = Fault::invalid_value("invalid internal format");
    let row = Format::named(internal).ok_or(unknown)?;
    if row.serves(Use::Image, facts) {
        return Ok(row);
    }
    let es = !matches!(facts.client, Client::Compatibility | Client::Core);
    let unsized_format = matches!(
        internal,
        c::GL_DEPTH_COMPONENT32
            | c::GL_SRGB
            | c::GL_SRGB_ALPHA
            | c::GL_SLUMINANCE
            | c::GL_SLUMINANCE_ALPHA
            | c::GL_RED_SNORM..=c::GL_RGBA_SNORM
            | c::GL_ALPHA_SNORM..=c::GL_INTENSITY_SNORM
            | c::GL_STENCIL_INDEX
            | c::GL_INTENSITY
    );
    if es && unsized_format {
        return Err(Fault::invalid_operation("OpenGL ES does not have this internal format"));
    }
    // Formats that desktop GL accepts only as compressed data are rejected later.
    if !es && row.is_compressed() && row.serves(Use::Storage, facts) { Ok(row) } else { Err(unknown) }
}

/// Returns whether a format leaves the compression to GL.
pub fn is_generic_compressed(internal: u32) -> bool {
    matches!(
        internal,
        c::GL_COMPRESSED_ALPHA
            ..=c::GL_COMPRESSED_RGBA
                | c::GL_COMPRESSED_RED
                | c::GL_COMPRESSED_RG
                | c::GL_COMPRESSED_SRGB
                | c::GL_COMPRESSED_SRGB_ALPHA
                | c::GL_COMPRESSED_SLUMINANCE
                | c::GL_COMPRESSED_SLUMINANCE_ALPHA
    )
}

fn check_border(facts: &Facts, target: Target, border: i32) -> Done {
    let most = i32::from(facts.client == Client::Compatibility && target != Target::Rectangle);
    if (0..=most).contains(&border) { Ok(()) } else { Err(Fault::invalid_value("invalid border width")) }
}

/// Checks that depth formats are combined with depth and colours with colours (GL 4.6, 8.5).
pub fn check_agreement(row: &Format, format: u32) -> Done {
    let disagree = Fault::invalid_operation("the format is not compatible with the internal format");
    let depth = matches!(format, c::GL_DEPTH_COMPONENT | c::GL_DEPTH_STENCIL);
    if row.has_depth() != depth {
        return Err(disagree);
    }
    let colour = !depth && !matches!(format, c::GL_STENCIL_INDEX | c::GL_YCBCR_MESA);
    let is_colour =
        !matches!(row.base, c::GL_DEPTH_COMPONENT | c::GL_DEPTH_STENCIL | c::GL_STENCIL_INDEX | c::GL_YCBCR_MESA);
    if is_colour && !colour || (row.base == c::GL_YCBCR_MESA) != (format == c::GL_YCBCR_MESA) {
        return Err(disagree);
    }
    Ok(())
}

/// Sets a level that was checked, or that of the proxy, which never fails but is empty when the size is too large.
fn set_level(
    step: &mut Step<'_>,
    given: &LevelArguments,
    format: &'static Format,
    internal: u32,
    written: impl FnOnce(&mut Step<'_>) -> Written,
) -> Done {
    let facts = step.context.facts.clone();
    let (target, face, level) = (given.place.target, given.place.face(), given.level.cast_unsigned());
    let legal = is_legal(&facts, target, given.level, given.size, given.border);
    let mut image =
        Level { size: given.size, border: given.border, internal, format: Some(format), samples: 0, fixed: true };
    if given.place.proxy {
        let Some(proxy) = given.place.texture_mut(step.context, step.group) else { return Ok(()) };
        for face in 0..target.faces() {
            proxy.set_level(level, face, legal.then_some(image));
        }
        return Ok(());
    }
    if !legal {
        return Err(Fault::invalid_value("the size is too large for the level"));
    }
    if image.border != 0 {
        strip_border(target, &mut image);
    }
    let Some(texture) = step.group.texture_mut(given.place.bound) else { return Ok(()) };
    texture.set_level(level, face, Some(image));
    let automatic = texture.generate_mipmap && given.level == texture.base_level && given.level < texture.max_level;
    let store = Store::of(texture);
    let one_face = (target == Target::Cube).then_some(face);
    let count = if automatic { level::generate(texture, one_face) } else { 0 };
    let written = written(step);
    note_made(step, store, level, face, &image);
    note_writes(step, store, level, face, Part { offset: [0; 3], size: image.size }, written);
    note_generated(step, given.place.bound, one_face, given.level + 1, count);
    Ok(())
}

/// Removes the border: Mesa keeps none, and queries return that.
fn strip_border(target: Target, image: &mut Level) {
    image.border = 0;
    image.size[0] -= 2;
    if image.size[1] >= 3 && target != Target::OneDArray {
        image.size[1] -= 2;
    }
    if image.size[2] >= 3 && !matches!(target, Target::TwoDArray | Target::CubeArray) {
        image.size[2] -= 2;
    }
}

fn compressed(step: &mut Step<'_>, form: Form, dims: usize) -> Done {
    let given = given(step, form, dims)?;
    let facts = step.context.facts.clone();
    let (target, bytes) = (given.place.target, step.int(given.next));
    let row = Format::named(given.internal).filter(|row| {
        row.is_compressed() && row.serves(Use::Storage, &facts) && !is_generic_compressed(given.internal)
    });
    check_compressed(&facts, target, given.place.named, row)?;
    let row = row.ok_or(Fault::invalid_enum("invalid compressed format"))?;
    if given.level < 0 || given.level >= target.max_levels(&facts) {
        return Err(Fault::invalid_value("the level is negative or too large"));
    }
    if given.border != 0 {
        let fault = Fault::invalid_operation("compressed images cannot have a border");
        let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
        return Err(if desktop { fault } else { Fault::invalid_value(fault.why) });
    }
    check_compressed_upload(step, step.call.args.len() - 1, bytes)?;
    let [width, height, depth] = given.size;
    if row.compressed_size(width, height, depth) != i64::from(bytes) {
        return Err(Fault::invalid_value("the image size does not match the width, height, depth and format"));
    }
    let Some(texture) = given.place.texture(step.context, step.group) else { return Ok(()) };
    if texture.immutable {
        return Err(Fault::invalid_operation("the texture is immutable"));
    }
    set_level(step, &given, row, given.internal, |step| upload(step, true, given.size, Uploaded::Compressed(row)))
}

/// Sets a level to a copy from the framebuffer, with its requested and its actual format.
pub fn set_copied_level(
    step: &mut Step<'_>,
    place: TextureSelection,
    level: i32,
    (internal, format): (u32, &'static Format),
    size: [i32; 3],
    border: i32,
    written: Written,
) -> Done {
    let given = LevelArguments { place, level, internal, size, border, next: 0 };
    set_level(step, &given, format, internal, |_| written)
}
