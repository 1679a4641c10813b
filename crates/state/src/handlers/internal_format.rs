//! Format queries: `glGetInternalformativ` and its 64-bit variant (GL 4.6, 22.3).
//!
//! Their results depend on the driver and are not recorded; whether they are errors is known.

use api::{constant as c, id};

use super::Table;
use crate::answer::{Answer, Values, View};
use crate::context::Facts;
use crate::fault::Fault;
use crate::objects::format::{Format, Use};
use crate::variable::NumberType;

const NOT_RECORDED: Values = Values::Unknown("the driver's format support is not recorded");

pub fn register(table: &mut Table) {
    table.ask(&[id::glGetInternalformativ, id::glGetInternalformati64v], |view, args| {
        check(view, args)?;
        Ok(Answer { kind: NumberType::Integer, values: NOT_RECORDED })
    });
}

fn check(view: &View<'_>, args: &[u64]) -> Result<(), Fault> {
    let argument = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    let facts = &view.context.facts;
    // The first version of the extension, which is that of OpenGL ES, has only multisampling.
    let second = facts.has("GL_ARB_internalformat_query2") || facts.desktop(4, 3);
    if !has_target(facts, argument(0), second) {
        return Err(Fault::invalid_enum("invalid target for an internal format query"));
    }
    if !has_parameter(facts, argument(2), second) {
        return Err(Fault::invalid_enum("invalid internal format query"));
    }
    if argument(3).cast_signed() < 0 {
        return Err(Fault::invalid_value("the number of results is negative"));
    }
    let renderable = Format::named(argument(1)).is_some_and(|format| format.serves(Use::Renderbuffer, facts));
    if !second && !renderable {
        return Err(Fault::invalid_enum("the format cannot be rendered to"));
    }
    Ok(())
}

fn has_target(facts: &Facts, target: u32, second: bool) -> bool {
    match target {
        c::GL_RENDERBUFFER => true,
        c::GL_TEXTURE_2D_MULTISAMPLE | c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY => {
            second || facts.has("GL_ARB_texture_multisample") || facts.es(3, 1)
        }
        c::GL_TEXTURE_1D
        | c::GL_TEXTURE_1D_ARRAY
        | c::GL_TEXTURE_2D
        | c::GL_TEXTURE_2D_ARRAY
        | c::GL_TEXTURE_3D
        | c::GL_TEXTURE_CUBE_MAP
        | c::GL_TEXTURE_CUBE_MAP_ARRAY
        | c::GL_TEXTURE_RECTANGLE
        | c::GL_TEXTURE_BUFFER => second,
        _ => false,
    }
}

fn has_parameter(facts: &Facts, name: u32, second: bool) -> bool {
    match name {
        c::GL_SAMPLES | c::GL_NUM_SAMPLE_COUNTS => true,
        c::GL_SRGB_DECODE_ARB => second && facts.has("GL_EXT_texture_sRGB_decode"),
        c::GL_TEXTURE_REDUCTION_MODE_ARB => {
            facts.has("GL_ARB_texture_filter_minmax") || facts.has("GL_EXT_texture_filter_minmax")
        }
        c::GL_NUM_VIRTUAL_PAGE_SIZES_ARB
        | c::GL_VIRTUAL_PAGE_SIZE_X_ARB
        | c::GL_VIRTUAL_PAGE_SIZE_Y_ARB
        | c::GL_VIRTUAL_PAGE_SIZE_Z_ARB => facts.has("GL_ARB_sparse_texture") || facts.has("GL_EXT_sparse_texture"),
        other => second && PROPERTIES.contains(&other),
    }
}

/// Properties added by the second version of the extension.
const PROPERTIES: &[u32] = &[
    c::GL_INTERNALFORMAT_SUPPORTED,
    c::GL_INTERNALFORMAT_PREFERRED,
    c::GL_INTERNALFORMAT_RED_SIZE,
    c::GL_INTERNALFORMAT_GREEN_SIZE,
    c::GL_INTERNALFORMAT_BLUE_SIZE,
    c::GL_INTERNALFORMAT_ALPHA_SIZE,
    c::GL_INTERNALFORMAT_DEPTH_SIZE,
    c::GL_INTERNALFORMAT_STENCIL_SIZE,
    c::GL_INTERNALFORMAT_SHARED_SIZE,
    c::GL_INTERNALFORMAT_RED_TYPE,
    c::GL_INTERNALFORMAT_GREEN_TYPE,
    c::GL_INTERNALFORMAT_BLUE_TYPE,
    c::GL_INTERNALFORMAT_ALPHA_TYPE,
    c::GL_INTERNALFORMAT_DEPTH_TYPE,
    c::GL_INTERNALFORMAT_STENCIL_TYPE,
    c::GL_MAX_WIDTH,
    c::GL_MAX_HEIGHT,
    c::GL_MAX_DEPTH,
    c::GL_MAX_LAYERS,
    c::GL_MAX_COMBINED_DIMENSIONS,
    c::GL_COLOR_COMPONENTS,
    c::GL_DEPTH_COMPONENTS,
    c::GL_STENCIL_COMPONENTS,
    c::GL_COLOR_RENDERABLE,
    c::GL_DEPTH_RENDERABLE,
    c::GL_STENCIL_RENDERABLE,
    c::GL_FRAMEBUFFER_RENDERABLE,
    c::GL_FRAMEBUFFER_RENDERABLE_LAYERED,
    c::GL_FRAMEBUFFER_BLEND,
    c::GL_READ_PIXELS,
    c::GL_READ_PIXELS_FORMAT,
    c::GL_READ_PIXELS_TYPE,
    c::GL_TEXTURE_IMAGE_FORMAT,
    c::GL_TEXTURE_IMAGE_TYPE,
    c::GL_GET_TEXTURE_IMAGE_FORMAT,
    c::GL_GET_TEXTURE_IMAGE_TYPE,
    c::GL_MIPMAP,
    c::GL_MANUAL_GENERATE_MIPMAP,
    c::GL_AUTO_GENERATE_MIPMAP,
    c::GL_COLOR_ENCODING,
    c::GL_SRGB_READ,
    c::GL_SRGB_WRITE,
    c::GL_FILTER,
    c::GL_VERTEX_TEXTURE,
    c::GL_TESS_CONTROL_TEXTURE,
    c::GL_TESS_EVALUATION_TEXTURE,
    c::GL_GEOMETRY_TEXTURE,
    c::GL_FRAGMENT_TEXTURE,
    c::GL_COMPUTE_TEXTURE,
    c::GL_TEXTURE_SHADOW,
    c::GL_TEXTURE_GATHER,
    c::GL_TEXTURE_GATHER_SHADOW,
    c::GL_SHADER_IMAGE_LOAD,
    c::GL_SHADER_IMAGE_STORE,
    c::GL_SHADER_IMAGE_ATOMIC,
    c::GL_IMAGE_TEXEL_SIZE,
    c::GL_IMAGE_COMPATIBILITY_CLASS,
    c::GL_IMAGE_PIXEL_FORMAT,
    c::GL_IMAGE_PIXEL_TYPE,
    c::GL_IMAGE_FORMAT_COMPATIBILITY_TYPE,
    c::GL_SIMULTANEOUS_TEXTURE_AND_DEPTH_TEST,
    c::GL_SIMULTANEOUS_TEXTURE_AND_STENCIL_TEST,
    c::GL_SIMULTANEOUS_TEXTURE_AND_DEPTH_WRITE,
    c::GL_SIMULTANEOUS_TEXTURE_AND_STENCIL_WRITE,
    c::GL_TEXTURE_COMPRESSED,
    c::GL_TEXTURE_COMPRESSED_BLOCK_WIDTH,
    c::GL_TEXTURE_COMPRESSED_BLOCK_HEIGHT,
    c::GL_TEXTURE_COMPRESSED_BLOCK_SIZE,
    c::GL_CLEAR_BUFFER,
    c::GL_TEXTURE_VIEW,
    c::GL_VIEW_COMPATIBILITY_CLASS,
    c::GL_CLEAR_TEXTURE,
];
