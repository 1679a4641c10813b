//! GLSL's types and variables in the tables of a program.

use std::collections::BTreeMap;

use shader::symbol::Symbols;
use shader::typed;
use shader::types::{self, TypeTable};

use crate::ir::{Dim, Member, Opaque, OpaqueKind, Scalar, ScalarKind, Type, TypeId, Types, VarId};

/// Returns the variable of a program that a variable of its first shader is.
#[must_use]
pub fn variable(id: typed::VarId) -> VarId {
    VarId(id.0)
}

/// Returns the variable of the first shader that a variable of a program is.
pub(super) fn shader_variable(id: VarId) -> typed::VarId {
    typed::VarId(id.0)
}

/// Returns the scalar type of GLSL that one of programs is; `None` if the language does not have it.
#[must_use]
pub fn glsl_scalar(scalar: Scalar) -> Option<types::Scalar> {
    Some(match scalar {
        Scalar::BOOL => types::Scalar::Bool,
        Scalar::I32 => types::Scalar::Int,
        Scalar::U32 => types::Scalar::Uint,
        Scalar::F32 => types::Scalar::Float,
        Scalar::F64 => types::Scalar::Double,
        Scalar::I64 => types::Scalar::Int64,
        Scalar::U64 => types::Scalar::Uint64,
        _ => return None,
    })
}

/// Returns the scalar type of programs that one of GLSL is.
#[must_use]
pub fn ir_scalar(scalar: types::Scalar) -> Scalar {
    match scalar {
        types::Scalar::Bool => Scalar::BOOL,
        types::Scalar::Int => Scalar::I32,
        types::Scalar::Uint => Scalar::U32,
        types::Scalar::Float => Scalar::F32,
        types::Scalar::Double => Scalar::F64,
        types::Scalar::Int64 => Scalar::I64,
        types::Scalar::Uint64 => Scalar::U64,
    }
}

/// Returns the opaque type that one of GLSL is.
pub(super) fn opaque_of(opaque: types::Opaque) -> Opaque {
    Opaque {
        kind: match opaque.kind {
            types::OpaqueKind::Sampler => OpaqueKind::Sampler,
            types::OpaqueKind::Image => OpaqueKind::Image,
            types::OpaqueKind::AtomicUint => OpaqueKind::Counter,
        },
        texel: match opaque.texel {
            types::Scalar::Int | types::Scalar::Int64 => ScalarKind::Int,
            types::Scalar::Uint | types::Scalar::Uint64 => ScalarKind::Uint,
            types::Scalar::Float | types::Scalar::Double | types::Scalar::Bool => ScalarKind::Float,
        },
        dim: match opaque.dim {
            types::Dim::D1 => Dim::D1,
            types::Dim::D2 => Dim::D2,
            types::Dim::External => Dim::External,
            types::Dim::Subpass => Dim::Subpass,
            types::Dim::D3 => Dim::D3,
            types::Dim::Cube => Dim::Cube,
            types::Dim::Rect => Dim::Rect,
            types::Dim::Buffer => Dim::Buffer,
        },
        array: opaque.array,
        shadow: opaque.shadow,
        multisample: opaque.multisample,
    }
}

/// Returns how many registers a type takes; `None` for types without a size.
pub(super) fn words(table: &TypeTable, ty: types::Type) -> Option<u32> {
    match ty {
        types::Type::Scalar(scalar) | types::Type::Vector(scalar, _) | types::Type::Matrix(scalar, ..) => {
            Some(ty.components() * if scalar.is_64_bit() { 2 } else { 1 })
        }
        // The number of what is bound, or of the function that is chosen.
        types::Type::Opaque(_) | types::Type::Subroutine(_) => Some(1),
        types::Type::Array(_) => {
            let array = table.as_array(ty)?;
            words(table, array.element)?.checked_mul(array.size?)
        }
        types::Type::Struct(_) => {
            let fields = &table.as_struct(ty)?.fields;
            fields.iter().try_fold(0u32, |sum, field| sum.checked_add(words(table, field.ty)?))
        }
        types::Type::Void => Some(0),
        types::Type::Error => None,
    }
}

/// Which rows of a table the types of one shader are.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeIds(BTreeMap<types::Type, TypeId>);

impl TypeIds {
    /// Returns the row of a type, which is added when it is first needed.
    pub(super) fn id(&mut self, into: &mut Types, table: &TypeTable, symbols: &Symbols, ty: types::Type) -> TypeId {
        if let Some(known) = self.0.get(&ty) {
            return *known;
        }
        let mut part = |ids: &mut TypeIds, ty| ids.id(into, table, symbols, ty);
        let shape = match ty {
            types::Type::Scalar(scalar) => Type::Scalar(ir_scalar(scalar)),
            types::Type::Vector(scalar, size) => {
                Type::Vector { component: part(self, types::Type::Scalar(scalar)), size: u32::from(size) }
            }
            types::Type::Matrix(scalar, columns, rows) => {
                Type::Matrix { column: part(self, types::Type::Vector(scalar, rows)), columns: u32::from(columns) }
            }
            types::Type::Opaque(opaque) => Type::Opaque(opaque_of(opaque)),
            types::Type::Subroutine(_) => Type::Function,
            types::Type::Array(_) => match table.as_array(ty) {
                Some(array) => Type::Array { element: part(self, array.element), size: array.size },
                None => Type::Void,
            },
            types::Type::Struct(_) => {
                let fields = table.as_struct(ty).map_or(&[][..], |structure| &structure.fields);
                let member = |field: &types::Field| (symbols.name(field.name).to_owned(), part(self, field.ty));
                let members = fields.iter().map(member).map(|(name, ty)| Member { name, ty });
                Type::Struct(members.collect())
            }
            types::Type::Void | types::Type::Error => Type::Void,
        };
        let id = into.add(shape, table.name(symbols, ty));
        self.0.insert(ty, id);
        id
    }
}
