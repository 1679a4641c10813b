//! Applies what a diversion does differently from the recording.

use api::reflection::kind::{Base, sampler_target, shape};
use api::{constant as c, id};
use device::{Changes, Picture};
use instrument::InspectError;
use state::objects::program::Program;

use super::copy::{set_uniform, terminated};
use super::hand::{Hand, word};

/// A uniform or an attribute that is active.
struct Active {
    name: String,
    kind: u32,
    size: u32,
}

/// Gives uniforms of the program in use other values.
///
/// A variant may have no use for a uniform of the recorded program.
pub fn give_uniforms(
    changes: &Changes,
    hand: &mut Hand<'_>,
    program: u32,
    recorded: &Program,
) -> Result<(), InspectError> {
    if changes.uniforms.is_empty() {
        return Ok(());
    }
    let active = active(hand, program, c::GL_ACTIVE_UNIFORMS);
    for (name, numbers) in &changes.uniforms {
        let (base, element) = split(name);
        let found = active.iter().find(|uniform| uniform.name == *name || split(&uniform.name).0 == base);
        let Some(found) = found else {
            if known(recorded, base) {
                continue;
            }
            return Err(failed(&format!("the program uses no uniform {name}")));
        };
        let about = shape(found.kind).ok_or_else(|| failed(&format!("uniform {name} is of no known type")))?;
        let count = numbers.len() / about.components().max(1);
        let most = if element.is_some() { 1 } else { found.size as usize };
        if numbers.len() % about.components().max(1) != 0 || count == 0 || count > most {
            let wanted = about.components();
            return Err(failed(&format!("uniform {name} takes {wanted} numbers, not {}", numbers.len())));
        }
        let words: Vec<u32> = numbers.iter().flat_map(|number| as_words(about.base, *number)).collect();
        let text = terminated(name.as_bytes());
        let place = hand.call(id::glGetUniformLocation, &[u64::from(program), text.as_ptr() as u64]) as u32 as i32;
        set_uniform(hand, place, (about.base, about.columns, about.rows), count as u32, &words);
    }
    Ok(())
}

/// Gives attributes the same value in every vertex, until all is undone.
pub fn give_attributes(changes: &Changes, hand: &mut Hand<'_>, program: u32) -> Result<(), InspectError> {
    if changes.attributes.is_empty() {
        return Ok(());
    }
    let active = active(hand, program, c::GL_ACTIVE_ATTRIBUTES);
    for (name, numbers) in &changes.attributes {
        let text = terminated(name.as_bytes());
        let place = hand.call(id::glGetAttribLocation, &[u64::from(program), text.as_ptr() as u64]) as u32;
        let found = active.iter().find(|attribute| attribute.name == *name).filter(|_| place < 1 << 16);
        let found = found.ok_or_else(|| failed(&format!("the program uses no attribute {name}")))?;
        if place == 0 && hand.can.compatibility {
            // Without an array for it nothing is drawn (GL 2.1, 2.8).
            return Err(failed(&format!("attribute {name} is number 0, which must have an array here")));
        }
        let index = u64::from(place);
        let mut enabled = [0i32; 4];
        let asked = u64::from(c::GL_VERTEX_ATTRIB_ARRAY_ENABLED);
        hand.call(id::glGetVertexAttribiv, &[index, asked, enabled.as_mut_ptr() as u64]);
        if enabled[0] != 0 {
            hand.later_call(id::glEnableVertexAttribArray, &[index]);
            hand.call(id::glDisableVertexAttribArray, &[index]);
        }
        keep_attribute(hand, place);
        match shape(found.kind).map(|shape| shape.base) {
            Some(Base::Int) => {
                let values = numbers.map(|number| number as i32);
                hand.call(id::glVertexAttribI4iv, &[index, values.as_ptr() as u64]);
            }
            Some(Base::Uint) => {
                let values = numbers.map(|number| number as u32);
                hand.call(id::glVertexAttribI4uiv, &[index, values.as_ptr() as u64]);
            }
            Some(Base::Float) => {
                let values = numbers.map(|number| number as f32);
                hand.call(id::glVertexAttrib4fv, &[index, values.as_ptr() as u64]);
            }
            _ => return Err(failed(&format!("attribute {name} is of a type that cannot be set"))),
        }
    }
    Ok(())
}

/// Has samplers of the program in use read pictures, until all is undone.
pub fn give_textures(
    changes: &Changes,
    hand: &mut Hand<'_>,
    program: u32,
    recorded: &Program,
) -> Result<(), InspectError> {
    if changes.textures.is_empty() {
        return Ok(());
    }
    let active = active(hand, program, c::GL_ACTIVE_UNIFORMS);
    for (name, picture) in &changes.textures {
        let found = active.iter().find(|uniform| split(&uniform.name).0 == split(name).0);
        let Some(found) = found else {
            if known(recorded, split(name).0) {
                continue;
            }
            return Err(failed(&format!("the program uses no sampler {name}")));
        };
        if sampler_target(found.kind) != Some(c::GL_TEXTURE_2D) {
            return Err(failed(&format!("{name} is no sampler of plain 2D textures, so it cannot read a picture")));
        }
        let text = terminated(name.as_bytes());
        let place = hand.call(id::glGetUniformLocation, &[u64::from(program), text.as_ptr() as u64]) as u32 as i32;
        let mut unit = [0i32; 4];
        hand.call(id::glGetUniformiv, &[u64::from(program), word(place), unit.as_mut_ptr() as u64]);
        let texture = texture_of(hand, picture, unit[0].cast_unsigned());
        hand.call(id::glBindTexture, &[u64::from(c::GL_TEXTURE_2D), u64::from(texture)]);
    }
    Ok(())
}

/// A texture with a picture in it. The unit is active afterwards, until all is undone.
fn texture_of(hand: &mut Hand<'_>, picture: &Picture, unit: u32) -> u32 {
    let active = hand.integer(c::GL_ACTIVE_TEXTURE);
    hand.later_call(id::glActiveTexture, &[word(active)]);
    hand.call(id::glActiveTexture, &[u64::from(c::GL_TEXTURE0 + unit)]);
    let texture = hand.generate(id::glGenTextures);
    hand.delete_later(id::glDeleteTextures, texture);
    let before = hand.integer(c::GL_TEXTURE_BINDING_2D);
    let flat = u64::from(c::GL_TEXTURE_2D);
    // Undone from the last to the first: the unit is still active when its texture is bound again.
    hand.later_call(id::glBindTexture, &[flat, word(before)]);
    hand.call(id::glBindTexture, &[flat, u64::from(texture)]);
    keep_unpacking(hand);
    let (width, height) = (u64::from(picture.width), u64::from(picture.height));
    let (format, kind) = (u64::from(c::GL_RGBA), u64::from(c::GL_UNSIGNED_BYTE));
    let data = picture.rgba.as_ptr() as u64;
    hand.call(id::glTexImage2D, &[flat, 0, format, width, height, 0, format, kind, data]);
    if hand.can.has(12, 30, &[]) {
        hand.call(id::glTexParameteri, &[flat, u64::from(c::GL_TEXTURE_MAX_LEVEL), 0]);
    }
    hand.call(id::glTexParameteri, &[flat, u64::from(c::GL_TEXTURE_MIN_FILTER), u64::from(c::GL_LINEAR)]);
    texture
}

/// Has pixels taken from memory as they lie, until all is undone.
pub fn keep_unpacking(hand: &mut Hand<'_>) {
    if hand.can.has(21, 30, &["GL_ARB_pixel_buffer_object"]) {
        hand.keep_buffer(c::GL_PIXEL_UNPACK_BUFFER, c::GL_PIXEL_UNPACK_BUFFER_BINDING);
        hand.call(id::glBindBuffer, &[u64::from(c::GL_PIXEL_UNPACK_BUFFER), 0]);
    }
    let mut wanted = vec![(c::GL_UNPACK_ALIGNMENT, 1)];
    if hand.can.has(10, 30, &[]) {
        wanted.extend([(c::GL_UNPACK_ROW_LENGTH, 0), (c::GL_UNPACK_SKIP_ROWS, 0), (c::GL_UNPACK_SKIP_PIXELS, 0)]);
    }
    if hand.can.desktop {
        wanted.push((c::GL_UNPACK_SWAP_BYTES, 0));
    }
    for (name, value) in wanted {
        let before = hand.integer(name);
        if before != value {
            hand.later_call(id::glPixelStorei, &[u64::from(name), word(before)]);
            hand.call(id::glPixelStorei, &[u64::from(name), word(value)]);
        }
    }
}

/// Remembers the current value of an attribute.
pub fn keep_attribute(hand: &mut Hand<'_>, index: u32) {
    let mut value = [0f32; 4];
    let what = u64::from(c::GL_CURRENT_VERTEX_ATTRIB);
    hand.call(id::glGetVertexAttribfv, &[u64::from(index), what, value.as_mut_ptr() as u64]);
    hand.later(move |player| {
        player.own_call(id::glVertexAttrib4fv, &[u64::from(index), value.as_ptr() as u64]);
    });
}

/// What of a program is active.
fn active(hand: &mut Hand<'_>, program: u32, what: u32) -> Vec<Active> {
    let mut count = [0i32; 4];
    hand.call(id::glGetProgramiv, &[u64::from(program), u64::from(what), count.as_mut_ptr() as u64]);
    let command = if what == c::GL_ACTIVE_UNIFORMS { id::glGetActiveUniform } else { id::glGetActiveAttrib };
    let mut list = Vec::new();
    for index in 0..u64::try_from(count[0]).unwrap_or(0) {
        let mut name = vec![0u8; 4096];
        let (mut length, mut size, mut kind) = ([0i32; 2], [0i32; 2], [0u32; 2]);
        let room = [length.as_mut_ptr() as u64, size.as_mut_ptr() as u64, kind.as_mut_ptr() as u64];
        let words = [u64::from(program), index, 4095, room[0], room[1], room[2], name.as_mut_ptr() as u64];
        hand.call(command, &words);
        name.truncate(usize::try_from(length[0]).unwrap_or(0));
        let name = String::from_utf8_lossy(&name).into_owned();
        list.push(Active { name, kind: kind[0], size: u32::try_from(size[0]).unwrap_or(1) });
    }
    list
}

/// Whether a program has a uniform of that name.
fn known(program: &Program, base: &str) -> bool {
    let uniforms = program.executable.as_ref().and_then(|linked| linked.reflection.interface(c::GL_UNIFORM));
    uniforms.is_some_and(|uniforms| {
        uniforms.resources.iter().any(|uniform| split(&String::from_utf8_lossy(&uniform.name)).0 == base)
    })
}

/// A name without its last index, and that.
fn split(name: &str) -> (&str, Option<u32>) {
    let parts = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    parts.and_then(|(base, index)| Some((base, Some(index.parse().ok()?)))).unwrap_or((name, None))
}

/// The words of a number.
fn as_words(base: Base, number: f64) -> Vec<u32> {
    let two = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
    match base {
        Base::Float => vec![(number as f32).to_bits()],
        Base::Double => two(number.to_bits()),
        Base::Uint => vec![number as u32],
        Base::Int64 => two((number as i64).cast_unsigned()),
        Base::Uint64 => two(number as u64),
        Base::Bool => vec![u32::from(number != 0.0)],
        Base::Int | Base::Sampler | Base::Image | Base::AtomicCounter => vec![(number as i32).cast_unsigned()],
    }
}

pub fn failed(text: &str) -> InspectError {
    InspectError::Failed(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_their_last_index() {
        assert_eq!(split("lights[2].colour"), ("lights[2].colour", None));
        assert_eq!(split("weights[12]"), ("weights", Some(12)));
        assert_eq!(split("plain"), ("plain", None));
    }

    #[test]
    fn numbers_become_words_of_their_type() {
        assert_eq!(as_words(Base::Float, 1.0), [0x3F80_0000]);
        assert_eq!(as_words(Base::Double, 1.0), [0, 0x3FF0_0000]);
        assert_eq!(as_words(Base::Int, -1.0), [u32::MAX]);
        assert_eq!(as_words(Base::Bool, 0.5), [1]);
    }
}
