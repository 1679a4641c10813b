//! Types of values, of any source language.
//!
//! A front end adds the types it uses to the table, each with its name in the source language, parts before wholes.

use super::Space;

/// A row of [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

/// How the bits of a scalar are read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScalarKind {
    /// Zero is false, everything else is true.
    Bool,
    /// Two's complement.
    Int,
    /// Unsigned.
    Uint,
    /// IEEE 754.
    Float,
}

/// The size of a scalar or of an access to memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// 8 bits.
    W8,
    /// 16 bits.
    W16,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

impl Width {
    /// Returns the number of bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Width::W8 => 1,
            Width::W16 => 2,
            Width::W32 => 4,
            Width::W64 => 8,
        }
    }

    /// Returns the number of registers: narrow values have one to themselves.
    #[must_use]
    pub const fn registers(self) -> u32 {
        match self {
            Width::W8 | Width::W16 | Width::W32 => 1,
            Width::W64 => 2,
        }
    }
}

/// A component: its kind and width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Scalar {
    /// How its bits are read.
    pub kind: ScalarKind,
    /// How many there are.
    pub width: Width,
}

impl Scalar {
    /// A boolean; it takes a whole register.
    pub const BOOL: Scalar = Scalar::new(ScalarKind::Bool, Width::W32);
    /// A signed integer of 8 bits.
    pub const I8: Scalar = Scalar::new(ScalarKind::Int, Width::W8);
    /// A signed integer of 16 bits.
    pub const I16: Scalar = Scalar::new(ScalarKind::Int, Width::W16);
    /// A signed integer of 32 bits.
    pub const I32: Scalar = Scalar::new(ScalarKind::Int, Width::W32);
    /// A signed integer of 64 bits.
    pub const I64: Scalar = Scalar::new(ScalarKind::Int, Width::W64);
    /// An unsigned integer of 8 bits.
    pub const U8: Scalar = Scalar::new(ScalarKind::Uint, Width::W8);
    /// An unsigned integer of 16 bits.
    pub const U16: Scalar = Scalar::new(ScalarKind::Uint, Width::W16);
    /// An unsigned integer of 32 bits.
    pub const U32: Scalar = Scalar::new(ScalarKind::Uint, Width::W32);
    /// An unsigned integer of 64 bits.
    pub const U64: Scalar = Scalar::new(ScalarKind::Uint, Width::W64);
    /// A float of 16 bits.
    pub const F16: Scalar = Scalar::new(ScalarKind::Float, Width::W16);
    /// A float of 32 bits.
    pub const F32: Scalar = Scalar::new(ScalarKind::Float, Width::W32);
    /// A float of 64 bits.
    pub const F64: Scalar = Scalar::new(ScalarKind::Float, Width::W64);

    const fn new(kind: ScalarKind, width: Width) -> Scalar {
        Scalar { kind, width }
    }

    /// Returns whether it takes two registers.
    #[must_use]
    pub const fn is_wide(self) -> bool {
        matches!(self.width, Width::W64)
    }
}

/// The shape of a texture or image.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dim {
    /// One-dimensional.
    D1,
    /// Two-dimensional.
    D2,
    /// Three-dimensional.
    D3,
    /// Six faces.
    Cube,
    /// Two-dimensional, addressed by texels.
    Rect,
    /// A buffer seen as texels.
    Buffer,
    /// Two-dimensional, from outside of the API.
    External,
    /// Two-dimensional: what an earlier subpass wrote.
    Subpass,
}

/// What an opaque handle stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OpaqueKind {
    /// A texture and a sampler together.
    Sampler,
    /// An image, which is read and written texel by texel.
    Image,
    /// An atomic counter.
    Counter,
}

/// A sampler, image or counter. Its value is one register: the number of what is bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Opaque {
    /// What it stands for.
    pub kind: OpaqueKind,
    /// How the components of a texel are read.
    pub texel: ScalarKind,
    /// Its shape.
    pub dim: Dim,
    /// It has layers.
    pub array: bool,
    /// It compares depths.
    pub shadow: bool,
    /// It has several samples per texel.
    pub multisample: bool,
}

/// A member of a structure.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

/// The type of a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// No value.
    Void,
    /// One component.
    Scalar(Scalar),
    /// Several components.
    Vector {
        /// A scalar.
        component: TypeId,
        /// How many.
        size: u32,
    },
    /// Several vectors.
    Matrix {
        /// A vector.
        column: TypeId,
        /// How many.
        columns: u32,
    },
    /// Elements of one type.
    Array {
        /// Their type.
        element: TypeId,
        /// How many; `None` if the memory it lies in decides.
        size: Option<u32>,
    },
    /// Members in order.
    Struct(Vec<Member>),
    /// A sampler, image or counter.
    Opaque(Opaque),
    /// A function chosen at run time; its value is one register.
    Function,
    /// The address of a value; two registers.
    Pointer {
        /// Where the value lies.
        space: Space,
        /// Its type.
        target: TypeId,
    },
}

/// A row of the table, with what is asked often.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    ty: Type,
    name: String,
    scalar: Option<Scalar>,
    words: Option<u32>,
}

/// All types of a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Types {
    rows: Vec<Row>,
}

impl Types {
    /// Adds a type made of types that are in the table, with its name in the source language.
    pub fn add(&mut self, ty: Type, name: impl Into<String>) -> TypeId {
        let (scalar, words) = (self.scalar_in(&ty), self.words_of(&ty));
        self.rows.push(Row { ty, name: name.into(), scalar, words });
        TypeId(self.rows.len() as u32 - 1)
    }

    fn row(&self, id: TypeId) -> &Row {
        &self.rows[id.0 as usize]
    }

    /// Returns what a type is.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.row(id).ty
    }

    /// Returns the name of a type in the source language.
    #[must_use]
    pub fn name(&self, id: TypeId) -> &str {
        &self.row(id).name
    }

    /// Returns the type of the components of a scalar, vector or matrix; `None` for other types.
    #[must_use]
    pub fn scalar(&self, id: TypeId) -> Option<Scalar> {
        self.row(id).scalar
    }

    /// Returns the row of a scalar type, if the program uses it.
    #[must_use]
    pub fn find_scalar(&self, scalar: Scalar) -> Option<TypeId> {
        let row = self.rows.iter().position(|row| row.ty == Type::Scalar(scalar))?;
        Some(TypeId(row as u32))
    }

    /// Returns how many registers a value takes; `None` for types without a size.
    #[must_use]
    pub fn words(&self, id: TypeId) -> Option<u32> {
        self.row(id).words
    }

    /// Returns the type and number of the elements of a vector, matrix or array; an array without a size has none.
    #[must_use]
    pub fn elements(&self, id: TypeId) -> Option<(TypeId, u32)> {
        match *self.get(id) {
            Type::Vector { component: element, size } | Type::Matrix { column: element, columns: size } => {
                Some((element, size))
            }
            Type::Array { element, size } => Some((element, size.unwrap_or(0))),
            _ => None,
        }
    }

    /// Returns the members of a structure; none for other types.
    #[must_use]
    pub fn members(&self, id: TypeId) -> &[Member] {
        match self.get(id) {
            Type::Struct(members) => members,
            _ => &[],
        }
    }

    /// Returns every scalar of a type in order. Samplers, images and functions count as unsigned numbers.
    #[must_use]
    pub fn scalars(&self, id: TypeId) -> Vec<Scalar> {
        let mut all = Vec::new();
        self.collect(id, &mut all);
        all
    }

    fn collect(&self, id: TypeId, all: &mut Vec<Scalar>) {
        match self.get(id) {
            Type::Void => {}
            Type::Scalar(scalar) => all.push(*scalar),
            Type::Opaque(_) | Type::Function => all.push(Scalar::U32),
            Type::Pointer { .. } => all.push(Scalar::U64),
            Type::Struct(members) => members.iter().for_each(|member| self.collect(member.ty, all)),
            Type::Vector { .. } | Type::Matrix { .. } | Type::Array { .. } => {
                let Some((element, count)) = self.elements(id).filter(|(_, count)| *count > 0) else { return };
                let first = all.len();
                self.collect(element, all);
                let own = all[first..].to_vec();
                (1..count).for_each(|_| all.extend_from_slice(&own));
            }
        }
    }

    fn scalar_in(&self, ty: &Type) -> Option<Scalar> {
        match *ty {
            Type::Scalar(scalar) => Some(scalar),
            Type::Vector { component: part, .. } | Type::Matrix { column: part, .. } => self.scalar(part),
            _ => None,
        }
    }

    fn words_of(&self, ty: &Type) -> Option<u32> {
        match ty {
            Type::Void => Some(0),
            Type::Scalar(scalar) => Some(scalar.width.registers()),
            Type::Vector { component: part, size } | Type::Matrix { column: part, columns: size } => {
                self.words(*part)?.checked_mul(*size)
            }
            Type::Array { element, size } => self.words(*element)?.checked_mul((*size)?),
            Type::Struct(members) => {
                members.iter().try_fold(0u32, |sum, member| sum.checked_add(self.words(member.ty)?))
            }
            Type::Opaque(_) | Type::Function => Some(1),
            Type::Pointer { .. } => Some(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_know_their_registers_and_scalars() {
        let mut types = Types::default();
        let half = types.add(Type::Scalar(Scalar::F16), "half");
        let double = types.add(Type::Scalar(Scalar::F64), "double");
        let vector = types.add(Type::Vector { component: double, size: 3 }, "double3");
        let matrix = types.add(Type::Matrix { column: vector, columns: 2 }, "double2x3");
        let pointer = types.add(Type::Pointer { space: Space::Storage, target: half }, "half*");
        let member = |name: &str, ty| Member { name: name.to_owned(), ty };
        let structure = types.add(Type::Struct(vec![member("p", pointer), member("h", half)]), "S");
        let array = types.add(Type::Array { element: structure, size: Some(2) }, "S[2]");
        let open = types.add(Type::Array { element: half, size: None }, "half[]");
        assert_eq!([half, vector, matrix, array].map(|ty| types.words(ty)), [Some(1), Some(6), Some(12), Some(6)]);
        assert_eq!(types.words(open), None);
        assert_eq!(types.scalars(array), [Scalar::U64, Scalar::F16, Scalar::U64, Scalar::F16]);
        assert_eq!((types.scalar(matrix), types.scalar(array)), (Some(Scalar::F64), None));
        assert_eq!((types.elements(matrix), types.elements(open)), (Some((vector, 2)), Some((half, 0))));
        assert_eq!((types.find_scalar(Scalar::F64), types.find_scalar(Scalar::I8)), (Some(double), None));
        assert_eq!((types.name(array), types.members(structure)[1].name.as_str()), ("S[2]", "h"));
    }
}
