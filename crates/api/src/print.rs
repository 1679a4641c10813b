//! A call as one line of text:
//!
//! ```text
//! glTexImage2D(target = GL_TEXTURE_2D, level = 0, …, pixels = blob 12 [65536 bytes])
//! glGenTextures(n = 2, textures = {1, 2})
//! glGetError() = GL_NO_ERROR
//! ```

mod element;

use std::fmt::{self, Display, Formatter, Write};

use crate::constant::*;
use crate::{Access, Command, Count, Library, Meaning, Memory, Namespace, Scalar, Value, enums};

/// A call to print, through `Display`.
pub struct Line<'a> {
    /// The command.
    pub command: &'a Command,
    /// One word for each parameter.
    pub args: &'a [u64],
    /// The result; nothing when the call never returned.
    pub result: Option<u64>,
    /// The memory that a parameter points to, by the parameter's index.
    pub memory: &'a dyn Fn(usize) -> Pointee<'a>,
    /// How much of the memory to print.
    pub limits: Limits,
    /// What the program calls an object; printed behind its name.
    pub label: &'a dyn Fn(Namespace, u32) -> Option<String>,
}

/// The memory that a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointee<'a> {
    /// Nothing was recorded.
    Nothing,
    /// These bytes.
    Bytes(&'a [u8]),
    /// A blob, with its bytes if the caller has them.
    Blob {
        /// Its number.
        number: u32,
        /// Its size in bytes, if known.
        size: Option<u64>,
        /// Its bytes, which are printed when they are text.
        bytes: Option<&'a [u8]>,
    },
    /// Bytes of which the trace has only a hash.
    Digest {
        /// The number of bytes.
        size: u64,
    },
}

/// How much to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Elements of an array.
    pub elements: usize,
    /// Characters of a string.
    pub characters: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { elements: 16, characters: 80 }
    }
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.command.name)?;
        for (index, param) in self.command.params.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{} = ", param.name)?;
            let Some(word) = self.args.get(index).copied() else {
                f.write_char('?')?;
                continue;
            };
            match &param.memory {
                Some(memory) => self.pointer(f, index, memory, word)?,
                None if self.is_enum_valued(param.value, param.name) => self.setting(f, param.value, word)?,
                None => {
                    value(f, self.command.library, param.value, word)?;
                    self.label(f, param.value, word)?;
                }
            }
        }
        f.write_char(')')?;
        match self.result {
            Some(result) if self.command.result.scalar != Scalar::Void => {
                f.write_str(" = ")?;
                value(f, self.command.library, self.command.result, result)
            }
            _ => Ok(()),
        }
    }
}

impl Line<'_> {
    fn label(&self, f: &mut Formatter<'_>, value: Value, word: u64) -> fmt::Result {
        let Meaning::Name(space) = value.meaning else { return Ok(()) };
        match u32::try_from(word).ok().filter(|name| *name != 0).and_then(|name| (self.label)(space, name)) {
            Some(label) => write!(f, " \"{label}\""),
            None => Ok(()),
        }
    }

    fn pointer(&self, f: &mut Formatter<'_>, index: usize, memory: &Memory, word: u64) -> fmt::Result {
        match (self.memory)(index) {
            Pointee::Nothing if word == 0 => f.write_str("null"),
            Pointee::Nothing => write!(f, "{word:#x}"),
            Pointee::Bytes(bytes) => self.bytes(f, index, memory, bytes),
            Pointee::Blob { number, size, bytes } => {
                if let Some(bytes) = bytes
                    && (memory.element.meaning == Meaning::Character || matches!(memory.count, Count::Texts { .. }))
                {
                    return self.bytes(f, index, memory, bytes);
                }
                write!(f, "blob {number}")?;
                let size = size.or(bytes.map(|bytes| bytes.len() as u64));
                size.map_or(Ok(()), |size| write!(f, " [{size} bytes]"))
            }
            Pointee::Digest { size } => write!(f, "hash of [{size} bytes]"),
        }
    }

    fn bytes(&self, f: &mut Formatter<'_>, index: usize, memory: &Memory, bytes: &[u8]) -> fmt::Result {
        let library = self.command.library;
        if let Count::Texts { .. } = memory.count {
            return element::texts(f, bytes, self.limits);
        }
        if memory.element.meaning == Meaning::Character {
            return element::text(f, bytes, self.limits);
        }
        if let Count::Until(terminator) = memory.count {
            return element::attributes(f, library, memory.element.scalar, terminator, bytes, self.limits);
        }
        if memory.element == (Value { scalar: Scalar::U8, meaning: Meaning::Number }) {
            return match self.typed_element(index) {
                Some(element) => {
                    element::list(f, element, bytes, self.limits, |f, word| value(f, library, element, word))
                }
                None => element::raw(f, bytes),
            };
        }
        if memory.element.scalar == Scalar::Pointer
            && memory.access == Access::Read
            && let Some(arrays) = element::arrays(bytes, self.limits)
        {
            return f.write_str(&arrays);
        }
        let settings = memory.element.meaning == Meaning::Number && self.enum_valued_name();
        element::list(f, memory.element, bytes, self.limits, |f, word| {
            if settings { self.setting(f, memory.element, word) } else { value(f, library, memory.element, word) }
        })
    }

    /// The type of indices and of names of display lists, which another parameter gives.
    fn typed_element(&self, index: usize) -> Option<Value> {
        if !matches!(self.command.params[index].name, "indices" | "lists") {
            return None;
        }
        let kind = self.command.params.iter().position(|param| param.name == "type")?;
        let scalar = match u32::try_from(*self.args.get(kind)?).ok()? {
            GL_BYTE => Scalar::I8,
            GL_UNSIGNED_BYTE => Scalar::U8,
            GL_SHORT => Scalar::I16,
            GL_UNSIGNED_SHORT => Scalar::U16,
            GL_INT => Scalar::I32,
            GL_UNSIGNED_INT => Scalar::U32,
            GL_FLOAT => Scalar::F32,
            _ => return None,
        };
        Some(Value { scalar, meaning: Meaning::Number })
    }

    /// Whether a number is the value of a parameter whose values are enums, as in `glTexParameteri`.
    fn is_enum_valued(&self, value: Value, name: &str) -> bool {
        value.meaning == Meaning::Number && matches!(name, "param" | "params") && self.enum_valued_name()
    }

    fn enum_valued_name(&self) -> bool {
        let pname = self.command.params.iter().position(|param| param.name == "pname");
        let word = pname.and_then(|index| self.args.get(index).copied());
        word.is_some_and(|word| u32::try_from(word).is_ok_and(|name| ENUM_VALUED.contains(&name)))
    }

    /// Prints a number that is an enum.
    fn setting(&self, f: &mut Formatter<'_>, of: Value, word: u64) -> fmt::Result {
        let number = match of.scalar {
            Scalar::F32 => f64::from(f32::from_bits(word as u32)) as i64,
            Scalar::F64 => f64::from_bits(word) as i64,
            _ => word.cast_signed(),
        };
        match enums::any_name(self.command.library, number) {
            Some(name) if number > 0xff => f.write_str(name),
            _ => value(f, self.command.library, of, word),
        }
    }
}

/// Prints a value by its meaning.
///
/// # Errors
/// When the formatter fails.
pub fn value(f: &mut dyn Write, library: Library, value: Value, word: u64) -> fmt::Result {
    let signed = match value.scalar {
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => word.cast_signed(),
        _ => i64::try_from(word).unwrap_or(-1),
    };
    match value.meaning {
        Meaning::Boolean if word == 0 => f.write_str("false"),
        Meaning::Boolean if word == 1 => f.write_str("true"),
        Meaning::Enum(group) => match enums::name(library, group, signed) {
            // Small numbers have many names; outside a group they are more likely numbers, such as the number of
            // components that old programs give as a format.
            Some(name) if group.0 == 0 || signed > 0xff || enums::in_group(group, signed) => f.write_str(name),
            _ if signed.unsigned_abs() <= 0xff => write!(f, "{signed}"),
            _ => write!(f, "{word:#x}"),
        },
        Meaning::Bits(_) if word == 0 => f.write_char('0'),
        Meaning::Bits(group) => {
            let (names, left) = enums::bits(group, word);
            for (index, name) in names.iter().enumerate() {
                write!(f, "{}{name}", if index == 0 { "" } else { " | " })?;
            }
            match (names.is_empty(), left) {
                (_, 0) => Ok(()),
                (true, left) => write!(f, "{left:#x}"),
                (false, left) => write!(f, " | {left:#x}"),
            }
        }
        _ => match value.scalar {
            Scalar::Void => Ok(()),
            Scalar::F32 => write!(f, "{:?}", f32::from_bits(word as u32)),
            Scalar::F64 => write!(f, "{:?}", f64::from_bits(word)),
            Scalar::Pointer if word == 0 => f.write_str("null"),
            Scalar::Pointer => write!(f, "{word:#x}"),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => write!(f, "{signed}"),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => write!(f, "{word}"),
        },
    }
}

/// Parameters whose values are enums, although commands such as `glTexParameteri` take numbers.
const ENUM_VALUED: &[u32] = &[
    GL_TEXTURE_MIN_FILTER,
    GL_TEXTURE_MAG_FILTER,
    GL_TEXTURE_WRAP_S,
    GL_TEXTURE_WRAP_T,
    GL_TEXTURE_WRAP_R,
    GL_TEXTURE_COMPARE_MODE,
    GL_TEXTURE_COMPARE_FUNC,
    GL_DEPTH_TEXTURE_MODE,
    GL_DEPTH_STENCIL_TEXTURE_MODE,
    GL_TEXTURE_SWIZZLE_R,
    GL_TEXTURE_SWIZZLE_G,
    GL_TEXTURE_SWIZZLE_B,
    GL_TEXTURE_SWIZZLE_A,
    GL_TEXTURE_SWIZZLE_RGBA,
    GL_TEXTURE_SRGB_DECODE_EXT,
    GL_TEXTURE_REDUCTION_MODE_EXT,
    GL_TEXTURE_INTERNAL_FORMAT,
    GL_TEXTURE_ENV_MODE,
    GL_COMBINE_RGB,
    GL_COMBINE_ALPHA,
    GL_SRC0_RGB,
    GL_SRC1_RGB,
    GL_SRC2_RGB,
    GL_SRC0_ALPHA,
    GL_SRC1_ALPHA,
    GL_SRC2_ALPHA,
    GL_OPERAND0_RGB,
    GL_OPERAND1_RGB,
    GL_OPERAND2_RGB,
    GL_OPERAND0_ALPHA,
    GL_OPERAND1_ALPHA,
    GL_OPERAND2_ALPHA,
    GL_TEXTURE_GEN_MODE,
    GL_FOG_MODE,
    GL_FOG_COORD_SRC,
    GL_LIGHT_MODEL_COLOR_CONTROL,
    GL_POINT_SPRITE_COORD_ORIGIN,
    GL_CONVOLUTION_BORDER_MODE,
    GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE,
    GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE,
    GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING,
    GL_SHADER_TYPE,
    GL_BUFFER_USAGE,
];
