//! Vertex arrays: the sources of attributes, and how their bytes are read (GL 4.6, 10.2 and 10.3).

use std::collections::BTreeMap;

use lanes::pack;
use shader::types::Scalar;

use super::BufferId;

/// A vertex attribute.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub enum Attribute {
    /// By location. In compatibility contexts location 0 and [`Attribute::Vertex`] are the same.
    Generic(u32),
    Vertex,
    Normal,
    Color,
    SecondaryColor,
    FogCoord,
    TexCoord(u32),
}

/// The type of an array's components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub enum ArrayType {
    Byte,
    UnsignedByte,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    HalfFloat,
    Float,
    Double,
    Fixed,
    Int2101010Rev,
    UnsignedInt2101010Rev,
    UnsignedInt10F11F11FRev,
    Int64,
    UnsignedInt64,
}

impl ArrayType {
    fn bytes(self) -> usize {
        match self {
            ArrayType::Byte | ArrayType::UnsignedByte => 1,
            ArrayType::Short | ArrayType::UnsignedShort | ArrayType::HalfFloat => 2,
            ArrayType::Double | ArrayType::Int64 | ArrayType::UnsignedInt64 => 8,
            _ => 4,
        }
    }

    fn is_packed(self) -> bool {
        matches!(self, ArrayType::Int2101010Rev | ArrayType::UnsignedInt2101010Rev | ArrayType::UnsignedInt10F11F11FRev)
    }
}

/// How elements are converted for the shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrayKind {
    /// `glVertexAttribPointer`: as floats; integers are converted.
    Float,
    /// The same with normalised integers.
    Normalized,
    /// `glVertexAttribIPointer`: integers without conversion.
    Integer,
    /// `glVertexAttribLPointer`: 64-bit values without conversion.
    Long,
}

/// An enabled vertex array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array {
    /// The buffer.
    pub buffer: BufferId,
    /// The offset of the first element in bytes.
    pub offset: usize,
    /// The distance between elements in bytes.
    pub stride: usize,
    /// The number of components, one to four.
    pub components: u8,
    /// Their type.
    pub ty: ArrayType,
    /// How they are converted.
    pub kind: ArrayKind,
    /// `GL_BGRA`: the first and third component are swapped.
    pub bgra: bool,
    /// The number of instances that share an element; zero if elements advance per vertex.
    pub divisor: u32,
}

/// Vertex arrays and, for attributes without one, current values.
#[derive(Clone, Debug, Default)]
pub struct Arrays {
    /// Enabled arrays.
    pub enabled: BTreeMap<Attribute, Array>,
    /// Current values: the words of four components, or of four 64-bit ones. Missing ones are 0, 0, 0, 1.
    pub current: BTreeMap<Attribute, [u32; 8]>,
}

/// The value of an attribute: four 32-bit components, or four 64-bit ones.
pub(crate) type Words = [u32; 8];

impl Arrays {
    /// The value of an attribute at a vertex and instance, for a shader input of this component type.
    pub(crate) fn fetch(
        &self,
        buffers: &[Vec<u8>],
        attribute: Attribute,
        vertex: u32,
        (instance, base_instance): (u32, u32),
        scalar: Scalar,
    ) -> Words {
        let alias = match attribute {
            Attribute::Vertex => Some(Attribute::Generic(0)),
            Attribute::Generic(0) => Some(Attribute::Vertex),
            _ => None,
        };
        let array = self.enabled.get(&attribute).or_else(|| self.enabled.get(&alias?));
        if let Some(array) = array {
            let element = match array.divisor {
                0 => vertex as usize,
                divisor => (instance / divisor) as usize + base_instance as usize,
            };
            let bytes = buffers.get(array.buffer.0 as usize).map_or(&[][..], |b| b);
            let start = array.offset.saturating_add(element.saturating_mul(array.stride));
            return array.read(bytes.get(start..).unwrap_or(&[]), scalar);
        }
        if let Some(current) = self.current.get(&attribute).or_else(|| self.current.get(&alias?)) {
            return *current;
        }
        match attribute {
            Attribute::Color => [1.0f32, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0].map(f32::to_bits),
            Attribute::Normal => [0.0f32, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0].map(f32::to_bits),
            _ => default(scalar),
        }
    }
}

/// 0, 0, 0, 1.
fn default(scalar: Scalar) -> Words {
    let one = match scalar {
        Scalar::Float => 1f32.to_bits(),
        Scalar::Double => (1f64.to_bits() >> 32) as u32,
        _ => 1,
    };
    match scalar {
        Scalar::Double => [0, 0, 0, 0, 0, 0, 0, one],
        Scalar::Int64 | Scalar::Uint64 => [0, 0, 0, 0, 0, 0, 1, 0],
        _ => [0, 0, 0, one, 0, 0, 0, 0],
    }
}

impl Array {
    /// Tightly packed floats from the start of a buffer.
    #[must_use]
    pub fn floats(buffer: BufferId, components: u8) -> Array {
        let (ty, kind) = (ArrayType::Float, ArrayKind::Float);
        let stride = usize::from(components) * 4;
        Array { buffer, offset: 0, stride, components, ty, kind, bgra: false, divisor: 0 }
    }

    fn read(&self, bytes: &[u8], scalar: Scalar) -> Words {
        let mut words = default(match self.kind {
            ArrayKind::Float | ArrayKind::Normalized => Scalar::Float,
            ArrayKind::Integer => Scalar::Int,
            ArrayKind::Long => scalar,
        });
        let count = usize::from(self.components.min(4));
        if self.ty.is_packed() {
            let Some(word) = bytes.first_chunk().copied().map(u32::from_le_bytes) else { return words };
            let values = self.unpack(word);
            words[..count].copy_from_slice(&values.map(f32::to_bits)[..count]);
        } else {
            let size = self.ty.bytes();
            for i in 0..count {
                let Some(part) = bytes.get(i * size..(i + 1) * size) else { break };
                match self.kind {
                    ArrayKind::Long => {
                        let bits = part.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
                        (words[i * 2], words[i * 2 + 1]) = (bits as u32, (bits >> 32) as u32);
                    }
                    ArrayKind::Integer => words[i] = self.integer(part) as u32,
                    ArrayKind::Float | ArrayKind::Normalized => words[i] = self.float(part).to_bits(),
                }
            }
        }
        if self.bgra {
            words.swap(0, 2);
        }
        words
    }

    fn integer(&self, bytes: &[u8]) -> i64 {
        let raw = bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        match self.ty {
            ArrayType::Byte => i64::from(raw as i8),
            ArrayType::Short => i64::from(raw as i16),
            ArrayType::Int => i64::from(raw as i32),
            _ => raw as i64,
        }
    }

    fn float(&self, bytes: &[u8]) -> f32 {
        let raw = bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        let bits = match self.ty {
            ArrayType::HalfFloat => return f32::from_bits(half(raw as u16)),
            ArrayType::Float => return f32::from_bits(raw as u32),
            ArrayType::Double => return f64::from_bits(raw) as f32,
            ArrayType::Fixed => return (f64::from(raw as i32) / 65536.0) as f32,
            other => other.bytes() as u32 * 8,
        };
        let signed = matches!(self.ty, ArrayType::Byte | ArrayType::Short | ArrayType::Int);
        self.number(self.integer(bytes), bits, signed)
    }

    /// An integer with the given number of bits, as a fraction if the array is normalised (GL 4.6, 2.3.5).
    fn number(&self, value: i64, bits: u32, signed: bool) -> f32 {
        if self.kind != ArrayKind::Normalized {
            return value as f32;
        }
        let largest = ((1i64 << (bits - u32::from(signed))) - 1) as f64;
        (value as f64 / largest).max(-1.0) as f32
    }

    fn unpack(&self, word: u32) -> [f32; 4] {
        if self.ty == ArrayType::UnsignedInt10F11F11FRev {
            let small = |bits: u32, mantissa: u32| f32::from_bits(half((bits << (10 - mantissa)) as u16));
            return [small(word & 0x7ff, 6), small(word >> 11 & 0x7ff, 6), small(word >> 22, 5), 1.0];
        }
        let signed = self.ty == ArrayType::Int2101010Rev;
        std::array::from_fn(|i| {
            let (shift, bits) = [(0, 10), (10, 10), (20, 10), (30, 2)][i];
            let raw = word >> shift & ((1 << bits) - 1);
            let value = if signed { i64::from((raw << (32 - bits)) as i32 >> (32 - bits)) } else { i64::from(raw) };
            self.number(value, bits, signed)
        })
    }
}

fn half(bits: u16) -> u32 {
    pack::f32_from_half(u32::from(bits)).to_bits()
}
