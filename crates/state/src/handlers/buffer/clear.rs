//! Fills buffers with a value.

use api::{constant as c, id};

use super::super::Table;
use super::{BufferSelector, chosen, map, unsigned, write};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::buffer::BufferRef;
use crate::records::{Origin, Pattern};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glClearBufferData], |step| all(step, BufferSelector::Target));
    table.on(&[id::glClearNamedBufferData], |step| all(step, BufferSelector::Name));
    table.on(&[id::glClearNamedBufferDataEXT], |step| all(step, BufferSelector::NewName));
    table.on(&[id::glClearBufferSubData], |step| part(step, BufferSelector::Target));
    table.on(&[id::glClearNamedBufferSubData], |step| part(step, BufferSelector::Name));
    table.on(&[id::glClearNamedBufferSubDataEXT], |step| part(step, BufferSelector::NewName));
}

/// Returns the buffer that the first argument identifies. If none is bound, Mesa reports a different error here.
fn chosen_to_clear(step: &mut Step<'_>, selector: BufferSelector) -> Result<BufferRef, Fault> {
    let unbound =
        selector == BufferSelector::Target && super::bound(step.context, step.name(0)).is_some_and(BufferRef::is_none);
    if unbound { Err(Fault::invalid_value("no buffer is bound to the target")) } else { chosen(step, selector) }
}

fn all(step: &mut Step<'_>, selector: BufferSelector) -> Done {
    let buffer = chosen_to_clear(step, selector)?;
    let Some(found) = step.group.buffer(buffer) else { return Ok(()) };
    if found.blocked() {
        return Err(Fault::invalid_operation("the buffer is mapped"));
    }
    let size = found.size;
    clear(step, buffer, 0, size, 2)
}

fn part(step: &mut Step<'_>, selector: BufferSelector) -> Done {
    let buffer = chosen_to_clear(step, selector)?;
    let (offset, size) = (step.word(2), step.word(3));
    unsigned(size, "the size is negative")?;
    unsigned(offset, "the offset is negative")?;
    let Some(found) = step.group.buffer(buffer) else { return Ok(()) };
    if offset + size > found.size {
        return Err(Fault::invalid_value("the range extends past the end of the buffer"));
    }
    if map::touches(found, offset, size) {
        return Err(Fault::invalid_operation("the buffer is mapped"));
    }
    clear(step, buffer, offset, size, 4)
}

/// Clears a range; `first` is the index of the argument with the format of the value.
fn clear(step: &mut Step<'_>, buffer: BufferRef, offset: u64, size: u64, first: usize) -> Done {
    let (format, kind) = (step.name(first), step.name(first + 1));
    let internal = internal_format(step.facts(), step.name(1))
        .ok_or(Fault::invalid_enum("invalid internal format for a buffer clear"))?;
    let known = client_format(format);
    let integer = known.is_some_and(|(_, integer)| integer);
    if integer != internal.class.is_integer() {
        return Err(Fault::invalid_operation("integer data requires an integer internal format, and only that"));
    }
    let (components, _) = known.ok_or(Fault::invalid_value("the format is not a colour format"))?;
    let kind_bytes = kind_bytes(kind, components, integer)
        .ok_or(Fault::invalid_value("the type is not compatible with the format"))?;
    let bytes = u64::from(internal.components) * u64::from(internal.class.bytes());
    if !offset.is_multiple_of(bytes) || !size.is_multiple_of(bytes) {
        return Err(Fault::invalid_value("the range is not a multiple of the texel size"));
    }
    if size == 0 {
        return Ok(());
    }
    let data = (first + 2) as u8;
    let same = components == internal.components
        && internal.class.kind() == kind
        && kind_bytes == u32::from(components) * u32::from(internal.class.bytes())
        && matches!(
            format,
            c::GL_RED
                | c::GL_RG
                | c::GL_RGB
                | c::GL_RGBA
                | c::GL_RED_INTEGER
                | c::GL_RG_INTEGER
                | c::GL_RGB_INTEGER
                | c::GL_RGBA_INTEGER
        );
    let origin = if step.word(first + 2) == 0 {
        Origin::Fill(Pattern::ZERO)
    } else if same {
        let pattern = step.input(data).and_then(|value| Pattern::new(value.get(..bytes as usize)?));
        pattern.map_or(Origin::Gpu, Origin::Fill)
    } else {
        // The driver's conversion of the value is not computed here.
        Origin::Gpu
    };
    write(step, buffer, offset, offset + size, origin);
    Ok(())
}

/// The type of components.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Unorm8,
    Unorm16,
    Half,
    Float,
    Int8,
    Int16,
    Int32,
    Uint8,
    Uint16,
    Uint32,
}

impl Class {
    fn bytes(self) -> u8 {
        match self {
            Class::Unorm8 | Class::Int8 | Class::Uint8 => 1,
            Class::Unorm16 | Class::Half | Class::Int16 | Class::Uint16 => 2,
            Class::Float | Class::Int32 | Class::Uint32 => 4,
        }
    }

    fn is_integer(self) -> bool {
        !matches!(self, Class::Unorm8 | Class::Unorm16 | Class::Half | Class::Float)
    }

    /// Returns the client type with the same bytes.
    fn kind(self) -> u32 {
        match self {
            Class::Unorm8 | Class::Uint8 => c::GL_UNSIGNED_BYTE,
            Class::Unorm16 | Class::Uint16 => c::GL_UNSIGNED_SHORT,
            Class::Half => c::GL_HALF_FLOAT,
            Class::Float => c::GL_FLOAT,
            Class::Int8 => c::GL_BYTE,
            Class::Int16 => c::GL_SHORT,
            Class::Int32 => c::GL_INT,
            Class::Uint32 => c::GL_UNSIGNED_INT,
        }
    }
}

struct InternalFormat {
    components: u8,
    class: Class,
}

/// Returns a format of buffer textures (GL 4.6, table 8.16), including those of compatibility contexts.
fn internal_format(facts: &Facts, name: u32) -> Option<InternalFormat> {
    use Class::{Float, Half, Int8, Int16, Int32, Uint8, Uint16, Uint32, Unorm8, Unorm16};
    let old = facts.client == Client::Compatibility;
    let (components, class) = match name {
        c::GL_R8 => (1, Unorm8),
        c::GL_R16 => (1, Unorm16),
        c::GL_R16F => (1, Half),
        c::GL_R32F => (1, Float),
        c::GL_R8I => (1, Int8),
        c::GL_R16I => (1, Int16),
        c::GL_R32I => (1, Int32),
        c::GL_R8UI => (1, Uint8),
        c::GL_R16UI => (1, Uint16),
        c::GL_R32UI => (1, Uint32),
        c::GL_RG8 => (2, Unorm8),
        c::GL_RG16 => (2, Unorm16),
        c::GL_RG16F => (2, Half),
        c::GL_RG32F => (2, Float),
        c::GL_RG8I => (2, Int8),
        c::GL_RG16I => (2, Int16),
        c::GL_RG32I => (2, Int32),
        c::GL_RG8UI => (2, Uint8),
        c::GL_RG16UI => (2, Uint16),
        c::GL_RG32UI => (2, Uint32),
        c::GL_RGB32F => (3, Float),
        c::GL_RGB32I => (3, Int32),
        c::GL_RGB32UI => (3, Uint32),
        c::GL_RGBA8 => (4, Unorm8),
        c::GL_RGBA16 => (4, Unorm16),
        c::GL_RGBA16F => (4, Half),
        c::GL_RGBA32F => (4, Float),
        c::GL_RGBA8I => (4, Int8),
        c::GL_RGBA16I => (4, Int16),
        c::GL_RGBA32I => (4, Int32),
        c::GL_RGBA8UI => (4, Uint8),
        c::GL_RGBA16UI => (4, Uint16),
        c::GL_RGBA32UI => (4, Uint32),
        c::GL_ALPHA8 | c::GL_LUMINANCE8 | c::GL_INTENSITY8 if old => (1, Unorm8),
        c::GL_ALPHA16 | c::GL_LUMINANCE16 | c::GL_INTENSITY16 if old => (1, Unorm16),
        c::GL_LUMINANCE8_ALPHA8 if old => (2, Unorm8),
        c::GL_LUMINANCE16_ALPHA16 if old => (2, Unorm16),
        c::GL_ALPHA16F_ARB | c::GL_LUMINANCE16F_ARB | c::GL_INTENSITY16F_ARB if old => (1, Half),
        c::GL_ALPHA32F_ARB | c::GL_LUMINANCE32F_ARB | c::GL_INTENSITY32F_ARB if old => (1, Float),
        c::GL_LUMINANCE_ALPHA16F_ARB if old => (2, Half),
        c::GL_LUMINANCE_ALPHA32F_ARB if old => (2, Float),
        c::GL_ALPHA8I_EXT | c::GL_LUMINANCE8I_EXT | c::GL_INTENSITY8I_EXT if old => (1, Int8),
        c::GL_ALPHA16I_EXT | c::GL_LUMINANCE16I_EXT | c::GL_INTENSITY16I_EXT if old => (1, Int16),
        c::GL_ALPHA32I_EXT | c::GL_LUMINANCE32I_EXT | c::GL_INTENSITY32I_EXT if old => (1, Int32),
        c::GL_ALPHA8UI_EXT | c::GL_LUMINANCE8UI_EXT | c::GL_INTENSITY8UI_EXT if old => (1, Uint8),
        c::GL_ALPHA16UI_EXT | c::GL_LUMINANCE16UI_EXT | c::GL_INTENSITY16UI_EXT if old => (1, Uint16),
        c::GL_ALPHA32UI_EXT | c::GL_LUMINANCE32UI_EXT | c::GL_INTENSITY32UI_EXT if old => (1, Uint32),
        c::GL_LUMINANCE_ALPHA8I_EXT if old => (2, Int8),
        c::GL_LUMINANCE_ALPHA16I_EXT if old => (2, Int16),
        c::GL_LUMINANCE_ALPHA32I_EXT if old => (2, Int32),
        c::GL_LUMINANCE_ALPHA8UI_EXT if old => (2, Uint8),
        c::GL_LUMINANCE_ALPHA16UI_EXT if old => (2, Uint16),
        c::GL_LUMINANCE_ALPHA32UI_EXT if old => (2, Uint32),
        _ => return None,
    };
    Some(InternalFormat { components, class })
}

/// Returns the number of components of a client format, and whether they are integers; `None` when it is not a colour
/// format.
fn client_format(name: u32) -> Option<(u8, bool)> {
    Some(match name {
        c::GL_RED | c::GL_GREEN | c::GL_BLUE | c::GL_ALPHA | c::GL_LUMINANCE => (1, false),
        c::GL_RG | c::GL_LUMINANCE_ALPHA => (2, false),
        c::GL_RGB | c::GL_BGR => (3, false),
        c::GL_RGBA | c::GL_BGRA | c::GL_ABGR_EXT => (4, false),
        c::GL_RED_INTEGER
        | c::GL_GREEN_INTEGER
        | c::GL_BLUE_INTEGER
        | c::GL_ALPHA_INTEGER
        | c::GL_LUMINANCE_INTEGER_EXT => (1, true),
        c::GL_RG_INTEGER | c::GL_LUMINANCE_ALPHA_INTEGER_EXT => (2, true),
        c::GL_RGB_INTEGER | c::GL_BGR_INTEGER => (3, true),
        c::GL_RGBA_INTEGER | c::GL_BGRA_INTEGER => (4, true),
        _ => return None,
    })
}

/// Returns the size in bytes of a value of that type; `None` if type and format are not compatible (GL 4.6, 8.4.4).
fn kind_bytes(kind: u32, components: u8, integer: bool) -> Option<u32> {
    let components = u32::from(components);
    Some(match kind {
        c::GL_BYTE | c::GL_UNSIGNED_BYTE => components,
        c::GL_SHORT | c::GL_UNSIGNED_SHORT => components * 2,
        c::GL_INT | c::GL_UNSIGNED_INT => components * 4,
        c::GL_HALF_FLOAT if !integer => components * 2,
        c::GL_FLOAT if !integer => components * 4,
        c::GL_UNSIGNED_BYTE_3_3_2 | c::GL_UNSIGNED_BYTE_2_3_3_REV if components == 3 => 1,
        c::GL_UNSIGNED_SHORT_5_6_5 | c::GL_UNSIGNED_SHORT_5_6_5_REV if components == 3 => 2,
        c::GL_UNSIGNED_SHORT_4_4_4_4
        | c::GL_UNSIGNED_SHORT_4_4_4_4_REV
        | c::GL_UNSIGNED_SHORT_5_5_5_1
        | c::GL_UNSIGNED_SHORT_1_5_5_5_REV
            if components == 4 =>
        {
            2
        }
        c::GL_UNSIGNED_INT_8_8_8_8
        | c::GL_UNSIGNED_INT_8_8_8_8_REV
        | c::GL_UNSIGNED_INT_10_10_10_2
        | c::GL_UNSIGNED_INT_2_10_10_10_REV
            if components == 4 =>
        {
            4
        }
        c::GL_UNSIGNED_INT_5_9_9_9_REV | c::GL_UNSIGNED_INT_10F_11F_11F_REV if components == 3 && !integer => 4,
        _ => return None,
    })
}
