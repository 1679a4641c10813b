//! Queries about parameters and levels of textures.

use api::{Namespace, constant as c, id};

use super::super::Table;
use super::parameter::anisotropic;
use super::which::{Form, TextureSelection, late, locate_in};
use crate::answer::{Answer, View, word};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::format::Format;
use crate::objects::framebuffer::COLOURS;
use crate::objects::sampler::Sampling;
use crate::objects::texture::{Level, Target, Texture};
use crate::variable::{NumberType, Var};

/// The type of a query, as far as it affects more than the type of the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryType {
    /// Floats.
    Floats,
    /// Integers; colours are normalized.
    Ints,
    /// Integers, also for colours.
    PureInts,
}

pub fn register(table: &mut Table) {
    use Form::{Bound, Named, NamedTarget, UnitTarget};
    use QueryType::{Floats, Ints, PureInts};
    table.ask(&[id::glGetTexParameterfv], |view, args| parameter(view, args, Bound, Floats));
    table.ask(&[id::glGetTexParameteriv], |view, args| parameter(view, args, Bound, Ints));
    let pure = [
        id::glGetTexParameterIiv,
        id::glGetTexParameterIivEXT,
        id::glGetTexParameterIivOES,
        id::glGetTexParameterIuiv,
        id::glGetTexParameterIuivEXT,
        id::glGetTexParameterIuivOES,
    ];
    table.ask(&pure, |view, args| parameter(view, args, Bound, PureInts));
    table.ask(&[id::glGetTextureParameterfv], |view, args| parameter(view, args, Named, Floats));
    table.ask(&[id::glGetTextureParameteriv], |view, args| parameter(view, args, Named, Ints));
    let pure = [id::glGetTextureParameterIiv, id::glGetTextureParameterIuiv];
    table.ask(&pure, |view, args| parameter(view, args, Named, PureInts));
    table.ask(&[id::glGetTextureParameterfvEXT], |view, args| parameter(view, args, NamedTarget, Floats));
    table.ask(&[id::glGetTextureParameterivEXT], |view, args| parameter(view, args, NamedTarget, Ints));
    let pure = [id::glGetTextureParameterIivEXT, id::glGetTextureParameterIuivEXT];
    table.ask(&pure, |view, args| parameter(view, args, NamedTarget, PureInts));
    table.ask(&[id::glGetMultiTexParameterfvEXT], |view, args| parameter(view, args, UnitTarget, Floats));
    table.ask(&[id::glGetMultiTexParameterivEXT], |view, args| parameter(view, args, UnitTarget, Ints));
    let pure = [id::glGetMultiTexParameterIivEXT, id::glGetMultiTexParameterIuivEXT];
    table.ask(&pure, |view, args| parameter(view, args, UnitTarget, PureInts));

    let levels = [id::glGetTexLevelParameteriv, id::glGetTexLevelParameterfv];
    table.ask(&levels, |view, args| level(view, args, Bound));
    let levels = [id::glGetTextureLevelParameteriv, id::glGetTextureLevelParameterfv];
    table.ask(&levels, |view, args| level(view, args, Named));
    let levels = [id::glGetTextureLevelParameterivEXT, id::glGetTextureLevelParameterfvEXT];
    table.ask(&levels, |view, args| level(view, args, NamedTarget));
    let levels = [id::glGetMultiTexLevelParameterivEXT, id::glGetMultiTexLevelParameterfvEXT];
    table.ask(&levels, |view, args| level(view, args, UnitTarget));
}

const NO_PARAMETER: Fault = Fault::invalid_enum("invalid parameter");

fn parameter(view: &View<'_>, args: &[u64], form: Form, wanted: QueryType) -> Result<Answer, Fault> {
    let place = locate_in(view, form, args, false, form == Form::NamedTarget)?;
    if place.target == Target::Buffer {
        let fault = Fault::invalid_operation("buffer textures have no parameters");
        let by_name = matches!(form, Form::Named | Form::NamedTarget);
        return Err(if by_name { fault } else { Fault::invalid_enum(fault.why) });
    }
    let texture = place.texture(view.context, view.group).ok_or(NO_PARAMETER)?;
    let pname = word(args, form.arguments());
    let clamped = wanted == QueryType::Floats && clamps_colours(view);
    match sampling_value(&texture.sampling, &view.context.facts, pname, wanted, clamped, true) {
        Some(answer) => answer,
        None => own_value(texture, &view.context.facts, pname, wanted),
    }
}

/// Returns whether colours are clamped when written: then a border colour is also returned clamped. By default only
/// fixed-point buffers clamp (GL 4.6 compatibility, 18.1.1).
fn clamps_colours(view: &View<'_>) -> bool {
    if view.context.facts.client != Client::Compatibility {
        return false;
    }
    let clamp = Var::named(c::GL_CLAMP_FRAGMENT_COLOR).map(|var| view.context.vars.name(var));
    match clamp.unwrap_or(c::GL_FIXED_ONLY) {
        c::GL_FIXED_ONLY => {
            let Some(framebuffer) = view.context.framebuffers.get(&view.context.targets.draw) else { return true };
            framebuffer.attachments[..COLOURS].iter().all(|attachment| {
                let format = crate::handlers::framebuffer::format_of(view.group, attachment);
                format.is_none_or(|format| {
                    matches!(format.class.name(), c::GL_UNSIGNED_NORMALIZED | c::GL_SIGNED_NORMALIZED)
                })
            })
        }
        other => other != c::GL_FALSE,
    }
}

/// Returns a parameter that samplers and textures have; `None` when it is not one.
pub fn sampling_value(
    sampling: &Sampling,
    facts: &Facts,
    pname: u32,
    wanted: QueryType,
    clamped: bool,
    of_texture: bool,
) -> Option<Result<Answer, Fault>> {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let es3 = desktop || facts.es(3, 0);
    let name = |name: u32| Some(Ok(Answer::one(NumberType::Enum, f64::from(name))));
    let float = |number: f32| Some(Ok(Answer::one(NumberType::Float, f64::from(number))));
    match pname {
        c::GL_TEXTURE_MIN_FILTER => name(sampling.min_filter),
        c::GL_TEXTURE_MAG_FILTER => name(sampling.mag_filter),
        c::GL_TEXTURE_WRAP_S => name(sampling.wrap[0]),
        c::GL_TEXTURE_WRAP_T => name(sampling.wrap[1]),
        c::GL_TEXTURE_WRAP_R => name(sampling.wrap[2]),
        c::GL_TEXTURE_BORDER_COLOR if facts.client != Client::Es1 => {
            Some(Ok(border(sampling, wanted, clamped, of_texture)))
        }
        c::GL_TEXTURE_MIN_LOD if es3 => float(sampling.min_lod),
        c::GL_TEXTURE_MAX_LOD if es3 => float(sampling.max_lod),
        c::GL_TEXTURE_LOD_BIAS if desktop || !of_texture => float(sampling.lod_bias),
        c::GL_TEXTURE_MAX_ANISOTROPY if anisotropic(facts) => float(sampling.max_anisotropy),
        c::GL_TEXTURE_COMPARE_MODE if es3 => name(sampling.compare_mode),
        c::GL_TEXTURE_COMPARE_FUNC if es3 => name(sampling.compare_func),
        c::GL_TEXTURE_CUBE_MAP_SEAMLESS if desktop || !of_texture => name(u32::from(sampling.seamless)),
        c::GL_TEXTURE_SRGB_DECODE_EXT if facts.has("GL_EXT_texture_sRGB_decode") => name(sampling.srgb_decode),
        c::GL_TEXTURE_REDUCTION_MODE_EXT
            if facts.has("GL_EXT_texture_filter_minmax") || facts.has("GL_ARB_texture_filter_minmax") =>
        {
            name(sampling.reduction)
        }
        _ => None,
    }
}

fn border(sampling: &Sampling, wanted: QueryType, clamped: bool, of_texture: bool) -> Answer {
    let floats = sampling.border.map(|bits| f64::from(f32::from_bits(bits)));
    match wanted {
        QueryType::PureInts => {
            Answer::numbers(NumberType::Integer, &sampling.border.map(|bits| f64::from(bits.cast_signed())))
        }
        QueryType::Ints => {
            let clamp = |number: f64| if of_texture { number.clamp(0.0, 1.0) } else { number.clamp(-1.0, 1.0) };
            Answer::numbers(NumberType::Integer, &floats.map(|number| (clamp(number) * 2_147_483_647.0).trunc()))
        }
        QueryType::Floats if clamped => {
            Answer::numbers(NumberType::Float, &floats.map(|number| number.clamp(0.0, 1.0)))
        }
        QueryType::Floats => Answer::numbers(NumberType::Float, &floats),
    }
}

/// Returns a parameter that only textures have.
fn own_value(texture: &Texture, facts: &Facts, pname: u32, wanted: QueryType) -> Result<Answer, Fault> {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let es3 = desktop || facts.es(3, 0);
    let compatibility = facts.client == Client::Compatibility;
    let fixed = compatibility || facts.client == Client::Es1;
    let views = facts.desktop(4, 3) || facts.has("GL_ARB_texture_view") || facts.has("GL_OES_texture_view");
    let name = |name: u32| Ok(Answer::one(NumberType::Enum, f64::from(name)));
    let integer = |number: i32| Ok(Answer::one(NumberType::Integer, f64::from(number)));
    match pname {
        c::GL_TEXTURE_RESIDENT if compatibility => integer(1),
        c::GL_TEXTURE_PRIORITY if compatibility => match wanted {
            QueryType::Floats => Ok(Answer::one(NumberType::Float, f64::from(texture.priority))),
            _ => integer((f64::from(texture.priority) * 2_147_483_647.0).trunc() as i32),
        },
        c::GL_TEXTURE_BASE_LEVEL if es3 => integer(texture.base_level),
        c::GL_TEXTURE_MAX_LEVEL => integer(texture.max_level),
        c::GL_GENERATE_MIPMAP if fixed => integer(i32::from(texture.generate_mipmap)),
        c::GL_DEPTH_TEXTURE_MODE if compatibility => name(texture.depth_mode),
        c::GL_DEPTH_STENCIL_TEXTURE_MODE
            if facts.desktop(4, 3) || facts.es(3, 1) || facts.has("GL_ARB_stencil_texturing") =>
        {
            name(texture.depth_stencil_mode)
        }
        c::GL_TEXTURE_CROP_RECT_OES if facts.client == Client::Es1 => {
            Ok(Answer::numbers(NumberType::Integer, &texture.crop.map(f64::from)))
        }
        c::GL_TEXTURE_SWIZZLE_R..=c::GL_TEXTURE_SWIZZLE_A if es3 => {
            name(texture.swizzle[(pname - c::GL_TEXTURE_SWIZZLE_R) as usize])
        }
        c::GL_TEXTURE_SWIZZLE_RGBA if es3 => Ok(Answer::numbers(NumberType::Enum, &texture.swizzle.map(f64::from))),
        c::GL_TEXTURE_IMMUTABLE_FORMAT => integer(i32::from(texture.immutable)),
        c::GL_TEXTURE_IMMUTABLE_LEVELS if views || facts.es(3, 0) => integer(texture.immutable_levels),
        c::GL_TEXTURE_VIEW_MIN_LEVEL if views => integer(texture.view.min_level),
        c::GL_TEXTURE_VIEW_NUM_LEVELS if views => integer(texture.view.levels),
        c::GL_TEXTURE_VIEW_MIN_LAYER if views => integer(texture.view.min_layer),
        c::GL_TEXTURE_VIEW_NUM_LAYERS if views => integer(texture.view.layers),
        c::GL_REQUIRED_TEXTURE_IMAGE_UNITS_OES if !desktop && facts.has("GL_OES_EGL_image_external") => integer(1),
        c::GL_IMAGE_FORMAT_COMPATIBILITY_TYPE
            if facts.desktop(4, 2) || facts.es(3, 1) || facts.has("GL_ARB_shader_image_load_store") =>
        {
            name(c::GL_IMAGE_FORMAT_COMPATIBILITY_BY_SIZE)
        }
        c::GL_TEXTURE_TARGET if facts.client == Client::Core => name(texture.target.map_or(0, Target::name)),
        c::GL_TEXTURE_TILING_EXT if facts.has("GL_EXT_memory_object") => name(texture.tiling),
        _ => Err(NO_PARAMETER),
    }
}

/// Returns whether levels of a target can be queried.
fn has_levels(facts: &Facts, place: &TextureSelection, form: Form) -> bool {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    if place.target == Target::External || place.proxy && (!desktop || place.target == Target::Buffer) {
        return false;
    }
    // A cube map is queried by its faces, unless it is named (GL 4.6, 8.11).
    place.named != c::GL_TEXTURE_CUBE_MAP || desktop && form.is_direct()
}

fn level(view: &View<'_>, args: &[u64], form: Form) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    let place = locate_in(view, form, args, true, true).map_err(late)?;
    if !has_levels(facts, &place, form) {
        return Err(Fault::invalid_enum("invalid target for a texture level query"));
    }
    let texture = place.texture(view.context, view.group).ok_or(NO_PARAMETER)?;
    let (level, pname) = (word(args, form.arguments()).cast_signed(), word(args, form.arguments() + 1));
    if level < 0 || level >= place.target.max_levels(facts) {
        return Err(Fault::invalid_value("the level is negative or too large"));
    }
    if place.target == Target::Buffer {
        return buffer_value(view, texture, pname);
    }
    level_value(facts, texture.level(level.cast_unsigned(), place.face()), pname, place.proxy)
}

/// Returns the bits or the type of a component, by the name of its size or type.
pub fn component(format: Option<&'static Format>, pname: u32, facts: &Facts) -> Option<Answer> {
    let compatibility = facts.client == Client::Compatibility;
    let (place, is_type) = match pname {
        c::GL_TEXTURE_RED_SIZE => (0, false),
        c::GL_TEXTURE_GREEN_SIZE => (1, false),
        c::GL_TEXTURE_BLUE_SIZE => (2, false),
        c::GL_TEXTURE_ALPHA_SIZE => (3, false),
        c::GL_TEXTURE_LUMINANCE_SIZE if compatibility => (4, false),
        c::GL_TEXTURE_INTENSITY_SIZE if compatibility => (5, false),
        c::GL_TEXTURE_DEPTH_SIZE => (6, false),
        c::GL_TEXTURE_STENCIL_SIZE => (7, false),
        c::GL_TEXTURE_RED_TYPE => (0, true),
        c::GL_TEXTURE_GREEN_TYPE => (1, true),
        c::GL_TEXTURE_BLUE_TYPE => (2, true),
        c::GL_TEXTURE_ALPHA_TYPE => (3, true),
        c::GL_TEXTURE_LUMINANCE_TYPE if compatibility => (4, true),
        c::GL_TEXTURE_INTENSITY_TYPE if compatibility => (5, true),
        c::GL_TEXTURE_DEPTH_TYPE => (6, true),
        _ => return None,
    };
    let bits = format.map_or(0, |format| format.bits[place]);
    Some(match is_type {
        false => Answer::one(NumberType::Integer, f64::from(bits)),
        true if bits == 0 => Answer::one(NumberType::Enum, 0.0),
        true => Answer::one(NumberType::Enum, f64::from(format.map_or(0, |format| format.class.name()))),
    })
}

fn level_value(facts: &Facts, level: Option<&Level>, pname: u32, proxy: bool) -> Result<Answer, Fault> {
    // A level that was never specified is an empty image of GL_RGBA (GL 4.6, table 23.16).
    let empty = Level { size: [0; 3], border: 0, internal: c::GL_RGBA, format: None, samples: 0, fixed: true };
    let level = level.filter(|level| level.format.is_some()).unwrap_or(&empty);
    let integer = |number: i32| Ok(Answer::one(NumberType::Integer, f64::from(number)));
    if let Some(answer) = component(level.format, pname, facts) {
        return Ok(answer);
    }
    match pname {
        c::GL_TEXTURE_WIDTH => integer(level.size[0]),
        c::GL_TEXTURE_HEIGHT => integer(level.size[1]),
        c::GL_TEXTURE_DEPTH => integer(level.size[2]),
        c::GL_TEXTURE_INTERNAL_FORMAT => {
            // For a compressed format, the specific one it became, or its base format if it could not be compressed (GL
            // 4.6, 8.5).
            let answered = Format::named(level.internal).map_or(level.internal, |format| format.answered);
            Ok(Answer::one(NumberType::Enum, f64::from(answered)))
        }
        c::GL_TEXTURE_BORDER if facts.client == Client::Compatibility => integer(level.border),
        c::GL_TEXTURE_SHARED_SIZE => {
            integer(if level.format.is_some_and(|format| format.name == c::GL_RGB9_E5) { 5 } else { 0 })
        }
        c::GL_TEXTURE_COMPRESSED => integer(i32::from(level.format.is_some_and(Format::is_compressed))),
        c::GL_TEXTURE_COMPRESSED_IMAGE_SIZE => match level.format.filter(|format| format.is_compressed() && !proxy) {
            Some(format) => {
                let [width, height, depth] = level.size;
                Ok(Answer::one(NumberType::Integer, format.compressed_size(width, height, depth) as f64))
            }
            None => Err(Fault::invalid_operation("the level is not compressed")),
        },
        c::GL_TEXTURE_SAMPLES => integer(level.samples),
        c::GL_TEXTURE_FIXED_SAMPLE_LOCATIONS => integer(i32::from(level.fixed)),
        c::GL_TEXTURE_BUFFER_DATA_STORE_BINDING | c::GL_TEXTURE_BUFFER_OFFSET | c::GL_TEXTURE_BUFFER_SIZE => integer(0),
        _ => Err(NO_PARAMETER),
    }
}

/// Answers a query about the only level of a buffer texture.
fn buffer_value(view: &View<'_>, texture: &Texture, pname: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    let internal = super::buffer::format(facts, texture);
    let integer = |number: i64| Ok(Answer::one(NumberType::Integer, number as f64));
    let Some(store) = texture.buffer else {
        return match pname {
            c::GL_TEXTURE_FIXED_SAMPLE_LOCATIONS => integer(1),
            c::GL_TEXTURE_INTERNAL_FORMAT => integer(i64::from(internal)),
            _ => integer(0),
        };
    };
    let format = Format::named(internal);
    if let Some(answer) = component(format, pname, facts) {
        return Ok(answer);
    }
    let size = store.size.unwrap_or_else(|| super::buffer::size(view.group, store));
    match pname {
        c::GL_TEXTURE_BUFFER_DATA_STORE_BINDING => {
            Ok(Answer::one(NumberType::Name(Namespace::Buffer), f64::from(store.name)))
        }
        c::GL_TEXTURE_WIDTH => {
            let bytes = format.map_or(1, |format| format.texel_bits() / 8).max(1);
            integer(size / i64::from(bytes))
        }
        c::GL_TEXTURE_HEIGHT | c::GL_TEXTURE_DEPTH | c::GL_TEXTURE_FIXED_SAMPLE_LOCATIONS => integer(1),
        c::GL_TEXTURE_BORDER | c::GL_TEXTURE_SHARED_SIZE | c::GL_TEXTURE_COMPRESSED | c::GL_TEXTURE_SAMPLES => {
            integer(0)
        }
        c::GL_TEXTURE_INTERNAL_FORMAT => integer(i64::from(internal)),
        c::GL_TEXTURE_BUFFER_OFFSET => integer(store.offset),
        c::GL_TEXTURE_BUFFER_SIZE => integer(size),
        c::GL_TEXTURE_COMPRESSED_IMAGE_SIZE => Err(Fault::invalid_operation("buffer textures cannot be compressed")),
        _ => Err(NO_PARAMETER),
    }
}
