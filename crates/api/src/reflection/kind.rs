//! The types of uniforms, attributes and other shader variables, as GL names them (GL 4.6, table 7.3).

use crate::constant as c;

/// The structure of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The type of its numbers.
    pub base: Base,
    /// Columns of a matrix; 1 for other types.
    pub columns: u8,
    /// Components of a vector or of a column.
    pub rows: u8,
}

/// The type of the numbers of a type. Opaque types hold the number of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are those of GLSL")]
pub enum Base {
    Float,
    Double,
    Int,
    Uint,
    Bool,
    Int64,
    Uint64,
    Sampler,
    Image,
    AtomicCounter,
}

impl Shape {
    /// Returns the number of components.
    #[must_use]
    pub fn components(self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }

    /// Returns the size of one component in bytes.
    #[must_use]
    pub fn number_size(self) -> usize {
        match self.base {
            Base::Double | Base::Int64 | Base::Uint64 => 8,
            _ => 4,
        }
    }

    /// Returns the size of a value in bytes.
    #[must_use]
    pub fn size(self) -> usize {
        self.components() * self.number_size()
    }

    /// Returns whether a value is the number of a unit, as for samplers and images.
    #[must_use]
    pub fn is_opaque(self) -> bool {
        matches!(self.base, Base::Sampler | Base::Image | Base::AtomicCounter)
    }
}

/// Returns the structure of a type; nothing when GL has no such type.
#[must_use]
pub fn shape(kind: u32) -> Option<Shape> {
    let vector = |base, rows| Shape { base, columns: 1, rows };
    let matrix = |base, columns, rows| Shape { base, columns, rows };
    let doubled = |at: u8| matrix(Base::Double, MATRICES[usize::from(at)].0, MATRICES[usize::from(at)].1);
    Some(match kind {
        c::GL_FLOAT => vector(Base::Float, 1),
        c::GL_FLOAT_VEC2..=c::GL_FLOAT_VEC4 => vector(Base::Float, (kind - c::GL_FLOAT_VEC2) as u8 + 2),
        c::GL_DOUBLE => vector(Base::Double, 1),
        c::GL_DOUBLE_VEC2..=c::GL_DOUBLE_VEC4 => vector(Base::Double, (kind - c::GL_DOUBLE_VEC2) as u8 + 2),
        c::GL_INT => vector(Base::Int, 1),
        c::GL_INT_VEC2..=c::GL_INT_VEC4 => vector(Base::Int, (kind - c::GL_INT_VEC2) as u8 + 2),
        c::GL_UNSIGNED_INT => vector(Base::Uint, 1),
        c::GL_UNSIGNED_INT_VEC2..=c::GL_UNSIGNED_INT_VEC4 => {
            vector(Base::Uint, (kind - c::GL_UNSIGNED_INT_VEC2) as u8 + 2)
        }
        c::GL_BOOL => vector(Base::Bool, 1),
        c::GL_BOOL_VEC2..=c::GL_BOOL_VEC4 => vector(Base::Bool, (kind - c::GL_BOOL_VEC2) as u8 + 2),
        c::GL_INT64_ARB => vector(Base::Int64, 1),
        c::GL_INT64_VEC2_ARB..=c::GL_INT64_VEC4_ARB => vector(Base::Int64, (kind - c::GL_INT64_VEC2_ARB) as u8 + 2),
        c::GL_UNSIGNED_INT64_ARB => vector(Base::Uint64, 1),
        c::GL_UNSIGNED_INT64_VEC2_ARB..=c::GL_UNSIGNED_INT64_VEC4_ARB => {
            vector(Base::Uint64, (kind - c::GL_UNSIGNED_INT64_VEC2_ARB) as u8 + 2)
        }
        c::GL_FLOAT_MAT2..=c::GL_FLOAT_MAT4 => {
            let size = (kind - c::GL_FLOAT_MAT2) as u8 + 2;
            matrix(Base::Float, size, size)
        }
        c::GL_FLOAT_MAT2x3..=c::GL_FLOAT_MAT4x3 => {
            let (columns, rows) = MATRICES[(kind - c::GL_FLOAT_MAT2x3) as usize + 3];
            matrix(Base::Float, columns, rows)
        }
        c::GL_DOUBLE_MAT2..=c::GL_DOUBLE_MAT4x3 => doubled((kind - c::GL_DOUBLE_MAT2) as u8),
        c::GL_UNSIGNED_INT_ATOMIC_COUNTER => vector(Base::AtomicCounter, 1),
        _ if image_target(kind).is_some() => vector(Base::Image, 1),
        _ if sampler_target(kind).is_some() => vector(Base::Sampler, 1),
        _ => return None,
    })
}

/// Columns and rows in the order of the enum values of double matrices; those of floats have a gap before the fourth.
const MATRICES: [(u8, u8); 9] = [(2, 2), (3, 3), (4, 4), (2, 3), (2, 4), (3, 2), (3, 4), (4, 2), (4, 3)];

/// Returns the texture target that a sampler type reads; nothing when the type is not a sampler.
#[must_use]
pub fn sampler_target(kind: u32) -> Option<u32> {
    Some(match kind {
        c::GL_SAMPLER_1D | c::GL_INT_SAMPLER_1D | c::GL_UNSIGNED_INT_SAMPLER_1D | c::GL_SAMPLER_1D_SHADOW => {
            c::GL_TEXTURE_1D
        }
        c::GL_SAMPLER_2D | c::GL_INT_SAMPLER_2D | c::GL_UNSIGNED_INT_SAMPLER_2D | c::GL_SAMPLER_2D_SHADOW => {
            c::GL_TEXTURE_2D
        }
        c::GL_SAMPLER_3D | c::GL_INT_SAMPLER_3D | c::GL_UNSIGNED_INT_SAMPLER_3D => c::GL_TEXTURE_3D,
        c::GL_SAMPLER_CUBE | c::GL_INT_SAMPLER_CUBE | c::GL_UNSIGNED_INT_SAMPLER_CUBE | c::GL_SAMPLER_CUBE_SHADOW => {
            c::GL_TEXTURE_CUBE_MAP
        }
        c::GL_SAMPLER_2D_RECT
        | c::GL_INT_SAMPLER_2D_RECT
        | c::GL_UNSIGNED_INT_SAMPLER_2D_RECT
        | c::GL_SAMPLER_2D_RECT_SHADOW => c::GL_TEXTURE_RECTANGLE,
        c::GL_SAMPLER_1D_ARRAY
        | c::GL_INT_SAMPLER_1D_ARRAY
        | c::GL_UNSIGNED_INT_SAMPLER_1D_ARRAY
        | c::GL_SAMPLER_1D_ARRAY_SHADOW => c::GL_TEXTURE_1D_ARRAY,
        c::GL_SAMPLER_2D_ARRAY
        | c::GL_INT_SAMPLER_2D_ARRAY
        | c::GL_UNSIGNED_INT_SAMPLER_2D_ARRAY
        | c::GL_SAMPLER_2D_ARRAY_SHADOW => c::GL_TEXTURE_2D_ARRAY,
        c::GL_SAMPLER_CUBE_MAP_ARRAY
        | c::GL_INT_SAMPLER_CUBE_MAP_ARRAY
        | c::GL_UNSIGNED_INT_SAMPLER_CUBE_MAP_ARRAY
        | c::GL_SAMPLER_CUBE_MAP_ARRAY_SHADOW => c::GL_TEXTURE_CUBE_MAP_ARRAY,
        c::GL_SAMPLER_BUFFER | c::GL_INT_SAMPLER_BUFFER | c::GL_UNSIGNED_INT_SAMPLER_BUFFER => c::GL_TEXTURE_BUFFER,
        c::GL_SAMPLER_2D_MULTISAMPLE | c::GL_INT_SAMPLER_2D_MULTISAMPLE | c::GL_UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE => {
            c::GL_TEXTURE_2D_MULTISAMPLE
        }
        c::GL_SAMPLER_2D_MULTISAMPLE_ARRAY
        | c::GL_INT_SAMPLER_2D_MULTISAMPLE_ARRAY
        | c::GL_UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE_ARRAY => c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
        c::GL_SAMPLER_EXTERNAL_OES => c::GL_TEXTURE_EXTERNAL_OES,
        _ => return None,
    })
}

/// Returns the texture target that an image type reads and writes; nothing when the type is not an image.
#[must_use]
pub fn image_target(kind: u32) -> Option<u32> {
    const TARGETS: [u32; 11] = [
        c::GL_TEXTURE_1D,
        c::GL_TEXTURE_2D,
        c::GL_TEXTURE_3D,
        c::GL_TEXTURE_RECTANGLE,
        c::GL_TEXTURE_CUBE_MAP,
        c::GL_TEXTURE_BUFFER,
        c::GL_TEXTURE_1D_ARRAY,
        c::GL_TEXTURE_2D_ARRAY,
        c::GL_TEXTURE_CUBE_MAP_ARRAY,
        c::GL_TEXTURE_2D_MULTISAMPLE,
        c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
    ];
    // The enum values of float, integer and unsigned images follow each other, in the same order.
    let place = kind.checked_sub(c::GL_IMAGE_1D)? as usize;
    if place < 3 * TARGETS.len() { Some(TARGETS[place % TARGETS.len()]) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_size_that_their_names_say() {
        let numbers = |kind| shape(kind).map(|shape| (shape.base, shape.components()));
        assert_eq!(numbers(c::GL_FLOAT_VEC3), Some((Base::Float, 3)));
        assert_eq!(numbers(c::GL_FLOAT_MAT4), Some((Base::Float, 16)));
        assert_eq!(numbers(c::GL_FLOAT_MAT3x2), Some((Base::Float, 6)));
        assert_eq!(shape(c::GL_FLOAT_MAT3x2).map(|shape| (shape.columns, shape.rows)), Some((3, 2)));
        assert_eq!(shape(c::GL_DOUBLE_MAT4x3).map(|shape| (shape.columns, shape.rows)), Some((4, 3)));
        assert_eq!(shape(c::GL_DOUBLE_MAT2x3).map(|shape| (shape.columns, shape.rows)), Some((2, 3)));
        assert_eq!(numbers(c::GL_DOUBLE_MAT3), Some((Base::Double, 9)));
        assert_eq!(numbers(c::GL_BOOL_VEC4), Some((Base::Bool, 4)));
        assert_eq!(numbers(c::GL_UNSIGNED_INT64_VEC4_ARB), Some((Base::Uint64, 4)));
        assert_eq!(numbers(c::GL_UNSIGNED_INT_SAMPLER_2D), Some((Base::Sampler, 1)));
        assert_eq!(numbers(c::GL_TEXTURE_2D), None);
    }

    #[test]
    fn samplers_and_images_know_their_target() {
        assert_eq!(sampler_target(c::GL_SAMPLER_CUBE_SHADOW), Some(c::GL_TEXTURE_CUBE_MAP));
        assert_eq!(image_target(c::GL_IMAGE_2D), Some(c::GL_TEXTURE_2D));
        assert_eq!(image_target(c::GL_INT_IMAGE_BUFFER), Some(c::GL_TEXTURE_BUFFER));
        assert_eq!(
            image_target(c::GL_UNSIGNED_INT_IMAGE_2D_MULTISAMPLE_ARRAY),
            Some(c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY)
        );
        assert_eq!(image_target(c::GL_UNSIGNED_INT_IMAGE_2D_MULTISAMPLE_ARRAY + 1), None);
    }
}
