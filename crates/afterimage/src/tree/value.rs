//! Values of the tree.

use std::fmt;

use api::{Group, Library, constant as c, enums};

/// The value of a node.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A boolean.
    Truth(bool),
    /// An integer.
    Integer(i64),
    /// A single-precision number.
    Single(f32),
    /// A double-precision number.
    Double(f64),
    /// A GL enum name, such as `GL_LESS`.
    Enum(&'static str),
    /// Names of set bits; bits without a name are a hexadecimal number.
    Bits(Vec<String>),
    /// Text.
    Text(String),
    /// An object by type and name, such as `texture/5`; 0 means none, or the default one.
    Object(&'static str, u32),
    /// A number of bytes.
    Bytes(u64),
    /// The number of a call in the trace.
    Call(u64),
    /// An address in the memory of the program.
    Address(u64),
    /// A width and a height, perhaps a depth.
    Size(Vec<i64>),
    /// Several values.
    List(Vec<Value>),
    /// Not in the trace.
    Unknown,
}

impl Value {
    /// Creates an integer.
    pub fn number(number: impl Into<i64>) -> Value {
        Value::Integer(number.into())
    }

    /// Creates text.
    pub fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    /// Creates text from bytes.
    pub fn bytes_as_text(bytes: &[u8]) -> Value {
        Value::Text(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Creates a list of integers.
    pub fn numbers<N: Into<i64>>(numbers: impl IntoIterator<Item = N>) -> Value {
        Value::List(numbers.into_iter().map(Value::number).collect())
    }

    /// Creates a list of floats.
    pub fn singles(numbers: &[f32]) -> Value {
        Value::List(numbers.iter().map(|number| Value::Single(*number)).collect())
    }

    /// Creates a 4x4 matrix.
    pub fn matrix(numbers: &[f32; 16]) -> Value {
        Value::List(numbers.chunks(4).map(Value::singles).collect())
    }

    /// Creates a width and a height, perhaps a depth.
    pub fn size(size: &[i32]) -> Value {
        Value::Size(size.iter().map(|side| i64::from(*side)).collect())
    }

    /// Creates a GL enum. Small numbers are ambiguous; for those, only `GL_NONE` is used.
    #[must_use]
    pub fn gl(value: u32) -> Value {
        match value {
            c::GL_NONE => Value::Enum("GL_NONE"),
            1..=0xFF => Value::number(value),
            _ => Value::named(enums::any_name(Library::Gl, value.into()), value),
        }
    }

    /// Creates a GL enum from a group of the registry, such as `PrimitiveType`.
    #[must_use]
    pub fn gl_of(group: &str, value: u32) -> Value {
        match group_named(group) {
            Some(group) => Value::named(enums::name(Library::Gl, group, value.into()), value),
            None => Value::gl(value),
        }
    }

    /// Creates a bit set from a group of the registry, such as `MapBufferAccessMask`.
    #[must_use]
    pub fn bits(group: &str, value: u32) -> Value {
        let (names, rest) =
            group_named(group).map_or((Vec::new(), value.into()), |group| enums::bits(group, value.into()));
        let mut bits: Vec<String> = names.into_iter().filter(|_| value != 0).map(str::to_owned).collect();
        if rest != 0 {
            bits.push(format!("{rest:#x}"));
        }
        Value::Bits(bits)
    }

    fn named(name: Option<&'static str>, value: u32) -> Value {
        name.map_or_else(|| Value::Text(format!("{value:#x}")), Value::Enum)
    }
}

/// Returns a group of the registry.
fn group_named(name: &str) -> Option<Group> {
    (1..=u16::MAX)
        .map(Group)
        .take_while(|group| enums::group(*group).name != enums::group(Group(0)).name)
        .find(|group| enums::group(*group).name == name)
}

/// Returns whether a number has few digits when written without an exponent.
fn is_handy(number: f64) -> bool {
    number == 0.0 || !number.is_finite() || (1e-4..1e9).contains(&number.abs())
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separated = |f: &mut fmt::Formatter<'_>, values: &[Value], between: &str| {
            values.iter().enumerate().try_for_each(|(at, value)| {
                f.write_str(if at == 0 { "" } else { between })?;
                value.fmt(f)
            })
        };
        match self {
            Value::Truth(truth) => truth.fmt(f),
            Value::Integer(number) => number.fmt(f),
            Value::Single(number) if is_handy(f64::from(*number)) => number.fmt(f),
            Value::Single(number) => write!(f, "{number:e}"),
            Value::Double(number) if is_handy(*number) => number.fmt(f),
            Value::Double(number) => write!(f, "{number:e}"),
            Value::Enum(name) => f.write_str(name),
            Value::Bits(bits) if bits.is_empty() => f.write_str("0"),
            Value::Bits(bits) => f.write_str(&bits.join(" | ")),
            Value::Text(text) => f.write_str(text),
            Value::Object("framebuffer" | "texture" | "transform_feedback" | "vertex_array", 0) => {
                f.write_str("default")
            }
            Value::Object(_, 0) => f.write_str("none"),
            Value::Object(kind, name) => write!(f, "{kind}/{name}"),
            Value::Bytes(1) => f.write_str("1 byte"),
            Value::Bytes(bytes) => write!(f, "{bytes} bytes"),
            Value::Call(call) => write!(f, "command {call}"),
            Value::Address(0) => f.write_str("null"),
            Value::Address(address) => write!(f, "{address:#x}"),
            Value::Size(sides) => sides
                .iter()
                .enumerate()
                .try_for_each(|(at, side)| write!(f, "{}{side}", if at == 0 { "" } else { "x" })),
            Value::List(values) if values.iter().any(|value| matches!(value, Value::List(_))) => {
                f.write_str("[")?;
                separated(f, values, ", ")?;
                f.write_str("]")
            }
            Value::List(values) => {
                f.write_str("(")?;
                separated(f, values, ", ")?;
                f.write_str(")")
            }
            Value::Unknown => f.write_str("not in the trace"),
        }
    }
}
