//! Mipmap generation and texture views.

use api::{constant as c, id};

use super::super::Table;
use super::layers;
use super::level::{Store, generate, is_legal, note_generated, note_reads};
use super::storage::set_levels;
use super::sub::is_cube_level_complete;
use super::which::{Form, TextureSelection, late, locate};
use crate::context::Facts;
use crate::fault::Fault;
use crate::objects::format::{Class, Format, Use};
use crate::objects::texture::{Level, Target, Texture, ViewRange};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    let bound = [id::glGenerateMipmap, id::glGenerateMipmapEXT, id::glGenerateMipmapOES];
    table.on(&bound, |step| mipmap(step, Form::Bound));
    table.on(&[id::glGenerateTextureMipmap], |step| mipmap(step, Form::Named));
    table.on(&[id::glGenerateTextureMipmapEXT], |step| mipmap(step, Form::NamedTarget));
    table.on(&[id::glGenerateMultiTexMipmapEXT], |step| mipmap(step, Form::UnitTarget));
    table.on(&[id::glTextureView, id::glTextureViewEXT, id::glTextureViewOES], view);
}

fn has_mipmaps(target: Target) -> bool {
    matches!(
        target,
        Target::OneD
            | Target::TwoD
            | Target::ThreeD
            | Target::Cube
            | Target::OneDArray
            | Target::TwoDArray
            | Target::CubeArray
    )
}

fn mipmap(step: &mut Step<'_>, form: Form) -> Done {
    let place = locate(step, form, false, false).map_err(late)?;
    if !has_mipmaps(place.target) {
        return Err(Fault::invalid_enum("textures of this target have no mipmaps"));
    }
    let facts = step.context.facts.clone();
    let Some(texture) = step.group.texture(place.bound) else { return Ok(()) };
    if texture.base_level >= texture.max_level {
        return Ok(());
    }
    if place.target == Target::Cube && !is_cube_complete(texture) {
        return Err(Fault::invalid_operation("the cube map is not complete"));
    }
    let base = texture.base_level;
    let source = texture.level(base.cast_unsigned(), 0).filter(|level| level.format.is_some());
    let source = *source.ok_or(Fault::invalid_operation("the texture has no base level"))?;
    if !can_shrink(&facts, &source) {
        return Err(Fault::invalid_operation("mipmaps cannot be generated for this format"));
    }
    if source.size[0] == 0 || source.size[1] == 0 {
        return Ok(());
    }
    let Some(texture) = step.group.texture_mut(place.bound) else { return Ok(()) };
    let count = generate(texture, None);
    note_mipmaps(step, &place, base, count);
    Ok(())
}

/// Records that levels are generated from the base level.
fn note_mipmaps(step: &mut Step<'_>, place: &TextureSelection, base: i32, count: i32) {
    if step.observer.is_none() {
        return;
    }
    let Some(texture) = step.group.texture(place.bound) else { return };
    let size = texture.level(base.cast_unsigned(), 0).map_or([0; 3], |level| level.size);
    note_reads(step, Store::of(texture), base.cast_unsigned(), 0..layers(place.target, size).cast_unsigned());
    note_generated(step, place.bound, None, base + 1, count);
}

/// Returns whether all levels for mipmapped sampling exist and match (GL 4.6, 8.17).
pub fn is_mipmap_complete(texture: &Texture) -> bool {
    let Some(target) = texture.target else { return false };
    if texture.immutable {
        return true;
    }
    let base = texture.base_level;
    let Some(first) = texture.level(base.cast_unsigned(), 0) else { return false };
    if first.format.is_none() || first.size.contains(&0) || texture.max_level < base {
        return false;
    }
    if target == Target::Cube && !is_cube_complete(texture) {
        return false;
    }
    let last = (base + super::level::level_count(target, first.size) - 1).min(texture.max_level);
    let mut size = first.size;
    (base + 1..=last).all(|number| {
        size = super::level::next_size(target, size);
        (0..target.faces()).all(|face| {
            texture.level(number.cast_unsigned(), face).is_some_and(|level| {
                level.size == size && level.format.map(|format| format.name) == first.format.map(|format| format.name)
            })
        })
    })
}

/// Returns whether the base levels of all faces exist and match.
pub fn is_cube_complete(texture: &Texture) -> bool {
    let base = texture.base_level;
    is_cube_level_complete(texture, base)
        && texture.level(base.cast_unsigned(), 0).is_some_and(|level| level.size[0] > 0)
}

/// Returns whether mipmaps of a format can be generated.
fn can_shrink(facts: &Facts, level: &Level) -> bool {
    let Some(format) = level.format else { return false };
    if facts.es(3, 0) {
        // ES 3.2, 8.14.4: unsized formats, and those that are both colour-renderable and filterable.
        let unsized_format = matches!(
            level.internal,
            c::GL_RGBA | c::GL_RGB | c::GL_LUMINANCE_ALPHA | c::GL_LUMINANCE | c::GL_ALPHA | c::GL_BGRA
        );
        let filtered = !format.class.is_integer() && !format.has_depth() && !format.has_stencil();
        let drawn = format.serves(Use::Colour, facts) && !format.is_compressed();
        let snorm = format.class == Class::Snorm && format.base == c::GL_RGB;
        return unsized_format || drawn && filtered && !snorm;
    }
    !format.class.is_integer() && !format.has_stencil() && super::level::family(format) != super::level::Family::Astc
}

/// `glTextureView`: creates a texture that shares part of another's storage (GL 4.6, 8.18).
fn view(step: &mut Step<'_>) -> Done {
    let (name, named, original, internal) = (step.name(0), step.name(1), step.name(2), step.name(3));
    let numbers = [4, 5, 6, 7].map(|at| i64::from(step.name(at)));
    let [min_level, num_levels, min_layer, num_layers] = numbers;
    let facts = step.context.facts.clone();
    let target = Target::in_context(named, &facts);
    let found = step.group.textures.get(&original).filter(|_| original != 0);
    let source = found.ok_or(Fault::invalid_value("no texture has the name of the original texture"))?.clone();
    if !source.immutable {
        return Err(Fault::invalid_operation("the original texture is not immutable"));
    }
    if name == 0 {
        return Err(Fault::invalid_value("the default texture cannot be a view"));
    }
    match step.group.textures.get(&name) {
        None => return Err(Fault::invalid_operation("the name was not generated by glGenTextures")),
        Some(texture) if texture.target.is_some() => {
            return Err(Fault::invalid_operation("the texture was created for a different target"));
        }
        Some(_) => {}
    }
    let own = source.target.unwrap_or(Target::TwoD);
    let no_target = Fault::invalid_operation("the target is not compatible with that of the original texture");
    let target = target.filter(|target| can_show(own, *target)).ok_or(no_target)?;
    if min_level >= i64::from(source.view.levels) || min_layer >= i64::from(source.view.layers) {
        return Err(Fault::invalid_value("the first level or layer is not in the original texture"));
    }
    let shown = source.level(0, 0).map_or(0, |level| level.internal);
    if !is_compatible(shown, internal) {
        return Err(Fault::invalid_operation("the formats are not compatible for views"));
    }
    let format = Format::named(internal).ok_or(Fault::invalid_operation("invalid format"))?;
    let levels = num_levels.min(i64::from(source.view.levels) - min_level) as i32;
    let count = num_layers.min(i64::from(source.view.layers) - min_layer) as i32;
    let Some(first) = source.level(min_level as u32, 0).copied() else { return Ok(()) };
    let mut size = first.size;
    match target {
        Target::OneD => size[1] = 1,
        Target::OneDArray => size[1] = count,
        Target::TwoD | Target::Multisample | Target::Rectangle | Target::Cube => size[2] = 1,
        Target::TwoDArray | Target::MultisampleArray | Target::CubeArray => size[2] = count,
        _ => {}
    }
    if target == Target::Cube && count != 6 || target == Target::CubeArray && count % 6 != 0 {
        return Err(Fault::invalid_value("a cube map must have six faces"));
    }
    if !is_legal(&facts, target, 0, size, 0) {
        return Err(Fault::invalid_operation("the size is too large for the view"));
    }
    let single =
        matches!(target, Target::OneD | Target::TwoD | Target::ThreeD | Target::Rectangle | Target::Multisample);
    if single && num_layers != 1 {
        return Err(Fault::invalid_value("textures of this target have one layer"));
    }
    if matches!(target, Target::Cube | Target::CubeArray) && first.size[0] != first.size[1] {
        return Err(Fault::invalid_operation("faces of cube maps must be square"));
    }
    let Some(texture) = step.group.textures.get_mut(&name).map(std::sync::Arc::make_mut) else { return Ok(()) };
    texture.target = Some(target);
    set_levels(texture, target, levels, Level { size, internal, format: Some(format), border: 0, ..first });
    texture.immutable = true;
    texture.immutable_levels = source.immutable_levels;
    texture.storage = source.storage;
    texture.view = ViewRange {
        min_level: source.view.min_level + min_level as i32,
        levels,
        min_layer: source.view.min_layer + min_layer as i32,
        layers: count,
    };
    Ok(())
}

/// Returns whether a view of a texture may have another target (GL 4.6, table 8.21).
fn can_show(own: Target, other: Target) -> bool {
    let class = |target: Target| match target {
        Target::OneD | Target::OneDArray => 1,
        Target::TwoD | Target::TwoDArray | Target::Cube | Target::CubeArray => 2,
        Target::ThreeD => 3,
        Target::Rectangle => 4,
        Target::Multisample | Target::MultisampleArray => 5,
        Target::Buffer | Target::External => 6,
    };
    let cube = matches!(other, Target::Cube | Target::CubeArray);
    class(own) == class(other) && class(own) != 6 && !(own == Target::TwoD && cube)
}

/// Returns whether a view of one format may have another (GL 4.6, table 8.22).
pub fn is_compatible(one: u32, other: u32) -> bool {
    one == other || view_class(one).is_some_and(|class| view_class(other) == Some(class))
}

/// Returns the view class of a format: a size, or a family of compressed formats.
pub fn view_class(internal: u32) -> Option<u32> {
    Some(match internal {
        c::GL_R11F_G11F_B10F | c::GL_RGB10_A2 | c::GL_RGB10_A2UI | c::GL_RGB9_E5 => 32,
        c::GL_COMPRESSED_RED_RGTC1 | c::GL_COMPRESSED_SIGNED_RED_RGTC1 => 1001,
        c::GL_COMPRESSED_RG_RGTC2 | c::GL_COMPRESSED_SIGNED_RG_RGTC2 => 1002,
        c::GL_COMPRESSED_RGBA_BPTC_UNORM | c::GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM => 1003,
        c::GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT | c::GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT => 1004,
        c::GL_COMPRESSED_RGB_S3TC_DXT1_EXT | c::GL_COMPRESSED_SRGB_S3TC_DXT1_EXT => 1005,
        c::GL_COMPRESSED_RGBA_S3TC_DXT1_EXT | c::GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT => 1006,
        c::GL_COMPRESSED_RGBA_S3TC_DXT3_EXT | c::GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT => 1007,
        c::GL_COMPRESSED_RGBA_S3TC_DXT5_EXT | c::GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT => 1008,
        _ => {
            let format = Format::named(internal)?;
            let colour = matches!(format.base, c::GL_RED | c::GL_RG | c::GL_RGB | c::GL_RGBA);
            let whole = format.bits.iter().all(|bits| bits % 8 == 0);
            let sized = !matches!(internal, 1..=4 | c::GL_RED | c::GL_RG | c::GL_RGB | c::GL_RGBA | c::GL_BGRA);
            if !colour || !whole || !sized || format.is_compressed() {
                return None;
            }
            format.texel_bits()
        }
    })
}
