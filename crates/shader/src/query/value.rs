//! Constants as text.

use crate::analyze::Shader;
use crate::constant::Constant;
use crate::types::{Scalar, Type};

/// The maximum number of scalars printed for a large aggregate.
const MAX_WRITTEN: usize = 64;

impl Shader {
    /// A constant as a GLSL expression: `12`, `0.5`, `vec2(1.0, 2.0)`, `Light(3, vec3(0.0, 0.0, 1.0))`. Large ones are
    /// truncated.
    #[must_use]
    pub fn constant_text(&self, constant: Constant) -> String {
        let words = self.typed.constants.components(constant);
        let mut writer = Writer { shader: self, words, at: 0, out: String::new() };
        writer.write(constant.ty, 0);
        writer.out
    }
}

struct Writer<'a> {
    shader: &'a Shader,
    words: &'a [u64],
    at: usize,
    out: String,
}

impl Writer<'_> {
    /// The checker rejects types nested deeper than 64 levels; the limit here is only a safeguard.
    fn write(&mut self, ty: Type, depth: u32) {
        let types = &self.shader.typed.types;
        if let Type::Scalar(scalar) = ty {
            return self.scalar(scalar);
        }
        let parts: Vec<Type> = match ty {
            Type::Vector(scalar, n) => vec![Type::Scalar(scalar); usize::from(n)],
            Type::Matrix(scalar, columns, rows) => {
                vec![Type::Scalar(scalar); usize::from(columns) * usize::from(rows)]
            }
            Type::Array(_) => types.as_array(ty).map_or(Vec::new(), |array| {
                vec![array.element; (array.size.unwrap_or(0) as usize).min(MAX_WRITTEN + 1)]
            }),
            Type::Struct(_) => types.as_struct(ty).map_or(Vec::new(), |s| s.fields.iter().map(|f| f.ty).collect()),
            Type::Error | Type::Void | Type::Scalar(_) | Type::Opaque(_) | Type::Subroutine(_) => Vec::new(),
        };
        self.out.push_str(&self.shader.type_name(ty));
        self.out.push('(');
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            if self.at >= MAX_WRITTEN || depth > 64 {
                self.out.push('…');
                break;
            }
            self.write(part, depth + 1);
        }
        self.out.push(')');
    }

    fn scalar(&mut self, scalar: Scalar) {
        let word = self.words.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        let text = match scalar {
            Scalar::Bool => (word != 0).to_string(),
            Scalar::Int => (word as u32 as i32).to_string(),
            Scalar::Uint => format!("{}u", word as u32),
            Scalar::Float => format!("{:?}", f32::from_bits(word as u32)),
            Scalar::Double => format!("{:?}lf", f64::from_bits(word)),
            Scalar::Int64 => format!("{}l", word as i64),
            Scalar::Uint64 => format!("{word}ul"),
        };
        self.out.push_str(&text);
    }
}
