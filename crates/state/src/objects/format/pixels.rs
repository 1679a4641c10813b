//! Client pixel formats and types: their compatibility with internal formats, and the resulting storage.

use api::constant as c;

use super::{Class, Format};
use crate::context::{Client, Facts};
use crate::fault::Fault;

/// Returns how an internal format is stored for pixels of this format and type, and which internal format it becomes.
/// An unsized format takes its size from the pixels (ES 3.2, table 8.3); desktop GL may do so, and Mesa does if
/// nothing has to be converted.
#[must_use]
pub fn stored(facts: &Facts, internal: u32, format: u32, type_: u32) -> Option<(&'static Format, u32)> {
    let row = Format::named(internal)?;
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let sized = if desktop { desktop_size(internal, format, type_) } else { es_size(internal, type_) };
    let stored = sized.and_then(Format::named).unwrap_or(row);
    // OpenGL ES renames unsized float formats to their sized names; red and red-green keep theirs.
    let renamed = stored.class == Class::Float
        && !desktop
        && matches!(internal, c::GL_RGBA | c::GL_RGB | c::GL_ALPHA | c::GL_LUMINANCE | c::GL_LUMINANCE_ALPHA);
    Some((stored, if renamed { stored.name } else { internal }))
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

/// Checks that a format and a type can be combined (GL 4.6, tables 8.2 to 8.5).
///
/// # Errors
/// When they cannot be combined.
pub fn check_pixels(facts: &Facts, format: u32, type_: u32) -> Result<(), Fault> {
    let apart = Fault::invalid_operation("the type is not compatible with the format");
    let unknown = Fault::invalid_enum("invalid format or type");
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let three = matches!(format, c::GL_RGB | c::GL_RGB_INTEGER);
    let four = matches!(format, c::GL_RGBA | c::GL_BGRA | c::GL_RGBA_INTEGER | c::GL_BGRA_INTEGER);
    let fits = match type_ {
        c::GL_UNSIGNED_BYTE_3_3_2
        | c::GL_UNSIGNED_BYTE_2_3_3_REV
        | c::GL_UNSIGNED_SHORT_5_6_5
        | c::GL_UNSIGNED_SHORT_5_6_5_REV => three,
        c::GL_UNSIGNED_SHORT_4_4_4_4
        | c::GL_UNSIGNED_SHORT_4_4_4_4_REV
        | c::GL_UNSIGNED_INT_8_8_8_8
        | c::GL_UNSIGNED_INT_8_8_8_8_REV => four || format == c::GL_ABGR_EXT,
        c::GL_UNSIGNED_SHORT_5_5_5_1 | c::GL_UNSIGNED_SHORT_1_5_5_5_REV | c::GL_UNSIGNED_INT_10_10_10_2 => four,
        c::GL_UNSIGNED_INT_2_10_10_10_REV => four || format == c::GL_RGB && !desktop,
        c::GL_UNSIGNED_INT_10F_11F_11F_REV => format == c::GL_RGB,
        c::GL_UNSIGNED_INT_24_8 => format == c::GL_DEPTH_STENCIL || format == c::GL_DEPTH_COMPONENT && !desktop,
        c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV => format == c::GL_DEPTH_STENCIL,
        c::GL_HALF_FLOAT_OES => matches!(
            format,
            c::GL_RGBA | c::GL_RGB | c::GL_RG | c::GL_RED | c::GL_ALPHA | c::GL_LUMINANCE | c::GL_LUMINANCE_ALPHA
        ),
        _ => return check_plain_pixels(format, type_, desktop),
    };
    match fits {
        true => Ok(()),
        false if format == c::GL_DEPTH_STENCIL && desktop => Err(unknown),
        false => Err(apart),
    }
}

/// Does the same for unpacked types, and packed types of a single format.
fn check_plain_pixels(format: u32, type_: u32, desktop: bool) -> Result<(), Fault> {
    let unknown = Fault::invalid_enum("invalid format or type");
    let ok = |fits: bool| if fits { Ok(()) } else { Err(unknown) };
    match format {
        c::GL_YCBCR_MESA if desktop => {
            return match type_ {
                c::GL_UNSIGNED_SHORT_8_8_MESA | c::GL_UNSIGNED_SHORT_8_8_REV_MESA => Ok(()),
                c::GL_BITMAP => Err(unknown),
                _ => Err(Fault::invalid_operation("the type is not compatible with the format")),
            };
        }
        c::GL_DEPTH_STENCIL => return Err(unknown),
        _ => {}
    }
    let integers = is_integer_format(format);
    let others = is_colour_format(format) && !integers
        || matches!(format, c::GL_DEPTH_COMPONENT | c::GL_STENCIL_INDEX | c::GL_COLOR_INDEX);
    match type_ {
        c::GL_UNSIGNED_BYTE | c::GL_BYTE | c::GL_UNSIGNED_SHORT | c::GL_SHORT | c::GL_UNSIGNED_INT | c::GL_INT => {
            ok(integers || others)
        }
        c::GL_FLOAT | c::GL_HALF_FLOAT => ok(others),
        c::GL_UNSIGNED_INT_5_9_9_9_REV => ok(format == c::GL_RGB),
        c::GL_BITMAP => ok(matches!(format, c::GL_STENCIL_INDEX | c::GL_COLOR_INDEX)),
        _ => Err(unknown),
    }
}

/// Returns whether a format is a colour format.
#[must_use]
pub fn is_colour_format(format: u32) -> bool {
    let plain = matches!(
        format,
        c::GL_RGBA
            | c::GL_RGB
            | c::GL_RG
            | c::GL_RED
            | c::GL_GREEN
            | c::GL_BLUE
            | c::GL_ALPHA
            | c::GL_LUMINANCE
            | c::GL_LUMINANCE_ALPHA
            | c::GL_BGRA
            | c::GL_BGR
            | c::GL_ABGR_EXT
    );
    plain || is_integer_format(format)
}

/// Returns whether a format has unnormalized integers.
#[must_use]
pub fn is_integer_format(format: u32) -> bool {
    matches!(
        format,
        c::GL_RED_INTEGER
            | c::GL_GREEN_INTEGER
            | c::GL_BLUE_INTEGER
            | c::GL_ALPHA_INTEGER
            | c::GL_RG_INTEGER
            | c::GL_RGB_INTEGER
            | c::GL_RGBA_INTEGER
            | c::GL_BGR_INTEGER
            | c::GL_BGRA_INTEGER
            | c::GL_LUMINANCE_INTEGER_EXT
            | c::GL_LUMINANCE_ALPHA_INTEGER_EXT
    )
}

/// Checks that a format and type are compatible with an internal format in OpenGL ES, where nothing is converted
/// (ES 3.2, tables 8.2 and 8.3).
///
/// # Errors
/// When they are not compatible.
pub fn check_es_pixels(internal: u32, format: u32, type_: u32) -> Result<(), Fault> {
    let apart = Fault::invalid_operation("the format and type are not compatible with the internal format");
    let Some(row) = Format::named(internal) else { return Err(apart) };
    let listed = matches!(
        format,
        c::GL_RGBA
            | c::GL_RGB
            | c::GL_RG
            | c::GL_RED
            | c::GL_ALPHA
            | c::GL_LUMINANCE
            | c::GL_LUMINANCE_ALPHA
            | c::GL_BGRA
            | c::GL_BGR
            | c::GL_RGBA_INTEGER
            | c::GL_RGB_INTEGER
            | c::GL_RG_INTEGER
            | c::GL_RED_INTEGER
            | c::GL_DEPTH_COMPONENT
            | c::GL_DEPTH_STENCIL
            | c::GL_STENCIL_INDEX
    );
    let fits = match internal {
        c::GL_RGBA
        | c::GL_RGB
        | c::GL_RG
        | c::GL_RED
        | c::GL_ALPHA
        | c::GL_LUMINANCE
        | c::GL_LUMINANCE_ALPHA
        | c::GL_DEPTH_COMPONENT
        | c::GL_DEPTH_STENCIL => {
            let like = internal == format || internal == c::GL_RGBA && format == c::GL_BGRA;
            like && unsized_type(format, type_)
        }
        c::GL_BGRA | c::GL_BGRA8_EXT => unsized_type(format, type_),
        c::GL_COMPRESSED_RGB_S3TC_DXT1_EXT..=c::GL_COMPRESSED_RGBA_S3TC_DXT5_EXT => {
            !listed || matches!(format, c::GL_RGB | c::GL_RGBA)
        }
        // Formats that OpenGL ES does not list are not checked.
        _ if !listed => true,
        _ => matches_components(row, format) && sized_type(row, format, type_),
    };
    if fits { Ok(()) } else { Err(apart) }
}

/// Returns whether a type is compatible with an unsized internal format.
fn unsized_type(format: u32, type_: u32) -> bool {
    let half = type_ == c::GL_HALF_FLOAT_OES;
    match format {
        c::GL_RGBA => {
            half || matches!(
                type_,
                c::GL_UNSIGNED_BYTE
                    | c::GL_FLOAT
                    | c::GL_UNSIGNED_SHORT_4_4_4_4
                    | c::GL_UNSIGNED_SHORT_5_5_5_1
                    | c::GL_UNSIGNED_INT_2_10_10_10_REV
            )
        }
        c::GL_RGB => {
            half || matches!(
                type_,
                c::GL_UNSIGNED_BYTE | c::GL_FLOAT | c::GL_UNSIGNED_SHORT_5_6_5 | c::GL_UNSIGNED_INT_2_10_10_10_REV
            )
        }
        c::GL_RG | c::GL_RED => half || matches!(type_, c::GL_UNSIGNED_BYTE | c::GL_FLOAT | c::GL_HALF_FLOAT),
        c::GL_ALPHA | c::GL_LUMINANCE | c::GL_LUMINANCE_ALPHA => {
            half || matches!(type_, c::GL_UNSIGNED_BYTE | c::GL_FLOAT)
        }
        c::GL_BGRA => type_ == c::GL_UNSIGNED_BYTE,
        c::GL_DEPTH_COMPONENT => matches!(type_, c::GL_UNSIGNED_SHORT | c::GL_UNSIGNED_INT | c::GL_FLOAT),
        c::GL_DEPTH_STENCIL => {
            matches!(type_, c::GL_UNSIGNED_INT_24_8 | c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV)
        }
        _ => false,
    }
}

/// Returns whether a format has the components of an internal format.
fn matches_components(row: &Format, format: u32) -> bool {
    let reversed = match row.name {
        c::GL_RGBA8 | c::GL_SRGB8_ALPHA8 => c::GL_BGRA,
        c::GL_RGB8 | c::GL_SRGB8 => c::GL_BGR,
        _ => 0,
    };
    let own = match (row.base, row.class.is_integer()) {
        (c::GL_RED, true) => c::GL_RED_INTEGER,
        (c::GL_RG, true) => c::GL_RG_INTEGER,
        (c::GL_RGB, true) => c::GL_RGB_INTEGER,
        (c::GL_RGBA, true) => c::GL_RGBA_INTEGER,
        (base, _) => base,
    };
    format == own || reversed != 0 && format == reversed
}

/// Returns whether a type is compatible with a sized internal format.
fn sized_type(row: &Format, format: u32, type_: u32) -> bool {
    let reversed = matches!(format, c::GL_BGRA | c::GL_BGR);
    let widest = row.bits.iter().copied().max().unwrap_or(0);
    let list: &[u32] = match row.name {
        _ if reversed => &[c::GL_UNSIGNED_BYTE],
        _ if row.is_compressed() => match row.class {
            _ if row.is_srgb && row.bits[0] == 4 => &[],
            Class::Float => &[c::GL_FLOAT],
            Class::Snorm => &[c::GL_BYTE],
            _ => &[c::GL_UNSIGNED_BYTE],
        },
        c::GL_RGB8 => &[c::GL_UNSIGNED_BYTE, c::GL_UNSIGNED_INT_2_10_10_10_REV],
        c::GL_RGB565 => &[c::GL_UNSIGNED_BYTE, c::GL_UNSIGNED_SHORT_5_6_5, c::GL_UNSIGNED_INT_2_10_10_10_REV],
        c::GL_RGBA4 => &[c::GL_UNSIGNED_BYTE, c::GL_UNSIGNED_SHORT_4_4_4_4],
        c::GL_RGB5_A1 => &[c::GL_UNSIGNED_BYTE, c::GL_UNSIGNED_SHORT_5_5_5_1, c::GL_UNSIGNED_INT_2_10_10_10_REV],
        c::GL_RGB10_A2 | c::GL_RGB10_A2UI | c::GL_RGB10 => &[c::GL_UNSIGNED_INT_2_10_10_10_REV],
        c::GL_R11F_G11F_B10F => &[c::GL_FLOAT, c::GL_HALF_FLOAT, c::GL_UNSIGNED_INT_10F_11F_11F_REV],
        c::GL_RGB9_E5 => &[c::GL_FLOAT, c::GL_HALF_FLOAT, c::GL_UNSIGNED_INT_5_9_9_9_REV],
        c::GL_R16F | c::GL_RG16F => &[c::GL_FLOAT, c::GL_HALF_FLOAT, c::GL_HALF_FLOAT_OES],
        c::GL_DEPTH_COMPONENT16 => &[c::GL_UNSIGNED_SHORT, c::GL_UNSIGNED_INT],
        c::GL_DEPTH_COMPONENT24 => &[c::GL_UNSIGNED_INT],
        c::GL_DEPTH_COMPONENT32F => &[c::GL_FLOAT],
        c::GL_DEPTH24_STENCIL8 => &[c::GL_UNSIGNED_INT_24_8],
        c::GL_DEPTH32F_STENCIL8 => &[c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV],
        c::GL_STENCIL_INDEX8 => &[c::GL_UNSIGNED_BYTE],
        _ => match (row.class, widest) {
            (Class::Float, 16) => &[c::GL_FLOAT, c::GL_HALF_FLOAT],
            (Class::Float, _) => &[c::GL_FLOAT],
            (Class::Unorm | Class::Uint, 8) => &[c::GL_UNSIGNED_BYTE],
            (Class::Unorm | Class::Uint, 16) => &[c::GL_UNSIGNED_SHORT],
            (Class::Uint, _) => &[c::GL_UNSIGNED_INT],
            (Class::Snorm | Class::Int, 8) => &[c::GL_BYTE],
            (Class::Snorm | Class::Int, 16) => &[c::GL_SHORT],
            (Class::Int, _) => &[c::GL_INT],
            _ => &[],
        },
    };
    list.contains(&type_)
}
