//! Values of arguments, by what they mean.

use api::extent::size_of;
use api::{Count, Library, Meaning, Scalar, Value, enums};
use serde::Serialize;

/// What an argument, a result or an element of memory is.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentValue {
    /// True or false.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// An integer above those of `Integer`.
    Unsigned(u64),
    /// A number with a fraction; what is not finite is null in JSON.
    Float(f64),
    /// One of GL's names, such as `GL_TRIANGLES`.
    Enum {
        /// The name; nothing if the registry has none.
        name: Option<String>,
        /// The number.
        value: i64,
    },
    /// A set of GL's names.
    Bits {
        /// The names of the bits that are set.
        names: Vec<String>,
        /// All bits.
        value: u64,
    },
    /// The name of an object, such as a texture.
    Object {
        /// What it is, such as `texture`.
        kind: String,
        /// Its name; 0 for none.
        name: u64,
    },
    /// An address in the memory of the program, or an opaque handle; 0 for none.
    Pointer(u64),
    /// A text, without its terminating zero.
    Text(String),
}

impl ArgumentValue {
    /// The value of a word.
    pub(crate) fn of(library: Library, value: Value, word: u64) -> ArgumentValue {
        let signed = match value.scalar {
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => Some(word.cast_signed()),
            _ => i64::try_from(word).ok(),
        };
        match (value.meaning, value.scalar) {
            (Meaning::Boolean, _) => ArgumentValue::Boolean(word != 0),
            (Meaning::Enum(group), scalar) if !is_float(scalar) => {
                let number = signed.unwrap_or(-1);
                let name = enums::name(library, group, number);
                // Small numbers have many names; see `api::print::value`.
                let is_meant = group.0 == 0 || number > 0xff || enums::in_group(group, number);
                ArgumentValue::Enum { name: name.filter(|_| is_meant).map(str::to_owned), value: number }
            }
            (Meaning::Bits(group), _) => {
                let (names, _) = enums::bits(group, word);
                let names = names.into_iter().filter(|_| word != 0).map(str::to_owned).collect();
                ArgumentValue::Bits { names, value: word }
            }
            (Meaning::Name(space), _) => ArgumentValue::Object { kind: snake(&format!("{space:?}")), name: word },
            (_, Scalar::F32) => ArgumentValue::Float(f64::from(f32::from_bits(word as u32))),
            (_, Scalar::F64) => ArgumentValue::Float(f64::from_bits(word)),
            (_, Scalar::Pointer) => ArgumentValue::Pointer(word),
            _ => signed.map_or(ArgumentValue::Unsigned(word), ArgumentValue::Integer),
        }
    }
}

/// Returns whether memory holds one text or several.
pub(crate) fn is_text(memory: &api::Memory) -> bool {
    memory.element.meaning == Meaning::Character || matches!(memory.count, Count::Texts { .. })
}

/// Returns the elements of memory. Bytes whose meaning other arguments give - pixels, vertices - have none.
pub(crate) fn values(library: Library, memory: &api::Memory, bytes: &[u8]) -> Vec<ArgumentValue> {
    let text = |bytes: &[u8]| {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        ArgumentValue::Text(String::from_utf8_lossy(&bytes[..end]).into_owned())
    };
    if let Count::Texts { .. } = memory.count {
        let (mut texts, mut rest) = (Vec::new(), bytes);
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let length = (u32::from_le_bytes(*length) as usize).min(after.len());
            texts.push(text(&after[..length]));
            rest = &after[length..];
        }
        return texts;
    }
    if memory.element.meaning == Meaning::Character {
        return vec![text(bytes)];
    }
    let is_raw = memory.element == (Value { scalar: Scalar::U8, meaning: Meaning::Number });
    let size = size_of(memory.element.scalar);
    if is_raw || size == 0 || memory.element.scalar == Scalar::Pointer {
        return Vec::new();
    }
    let element = |bytes: &[u8]| ArgumentValue::of(library, memory.element, word(memory.element.scalar, bytes));
    bytes.chunks_exact(size).map(element).collect()
}

fn is_float(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::F32 | Scalar::F64)
}

/// Returns a stored element as arguments have it.
fn word(scalar: Scalar, bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let word = u64::from_le_bytes(wide);
    match scalar {
        Scalar::I8 => i64::from(word as i8).cast_unsigned(),
        Scalar::I16 => i64::from(word as i16).cast_unsigned(),
        Scalar::I32 => i64::from(word as i32).cast_unsigned(),
        _ => word,
    }
}

/// `VertexArray` as `vertex_array`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, param: usize, word: u64) -> ArgumentValue {
        let command = api::COMMANDS.iter().find(|command| command.name == name).unwrap();
        ArgumentValue::of(command.library, command.params[param].value, word)
    }

    #[test]
    fn words_are_told_by_their_meaning() {
        let triangles = ArgumentValue::Enum { name: Some("GL_TRIANGLES".to_owned()), value: 4 };
        assert_eq!(of("glDrawArrays", 0, 4), triangles);
        assert_eq!(of("glDrawArrays", 1, -3_i64 as u64), ArgumentValue::Integer(-3));
        assert_eq!(of("glDepthMask", 0, 1), ArgumentValue::Boolean(true));
        assert_eq!(of("glBindVertexArray", 0, 7), ArgumentValue::Object { kind: "vertex_array".to_owned(), name: 7 });
        assert_eq!(of("glClearDepth", 0, 0.5_f64.to_bits()), ArgumentValue::Float(0.5));
        let bits = vec!["GL_COLOR_BUFFER_BIT".to_owned()];
        assert_eq!(of("glClear", 0, 0x4000), ArgumentValue::Bits { names: bits, value: 0x4000 });
        assert_eq!(of("glClear", 0, 0), ArgumentValue::Bits { names: Vec::new(), value: 0 });
    }

    #[test]
    fn memory_is_told_by_its_elements() {
        let command = |name: &str| api::COMMANDS.iter().find(|command| command.name == name).unwrap();
        let sources = command("glShaderSource");
        let memory = sources.params[sources.param("string").unwrap()].memory.unwrap();
        let bytes = [&3_u32.to_le_bytes()[..], b"one", &200_u32.to_le_bytes(), b"cut"].concat();
        let texts = ["one", "cut"].map(|text| ArgumentValue::Text(text.to_owned()));
        assert_eq!(values(Library::Gl, &memory, &bytes), texts);
        let uniform = command("glUniform2fv");
        let memory = uniform.params[uniform.param("value").unwrap()].memory.unwrap();
        let bytes = [1.5_f32, -2.0].map(f32::to_le_bytes).concat();
        assert_eq!(values(Library::Gl, &memory, &bytes), [1.5, -2.0].map(ArgumentValue::Float));
    }
}
