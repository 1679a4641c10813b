//! Implicit conversions (GLSL 4.60, 4.1.10).

use super::Checker;
use crate::ast::ExprId;
use crate::constant;
use crate::types::{Scalar, Type};
use crate::version::Vendor;

/// How a value of one type converts to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conversion {
    /// The same type.
    None,
    /// The specification allows it.
    Standard,
}

impl Checker<'_> {
    /// The implicit conversion between component types, if there is one.
    fn scalar_conversion(&self, from: Scalar, to: Scalar) -> Option<Conversion> {
        use Scalar as S;
        if from == to {
            return Some(Conversion::None);
        }
        let es = self.is_es();
        let any = if es { self.any(&["GL_EXT_shader_implicit_conversions"]) } else { self.at_least(120, 0) };
        let int_to_uint = if es {
            any
        } else {
            self.at_least(400, 0) || self.any(&["GL_ARB_gpu_shader5", "GL_MESA_shader_integer_functions"])
        };
        let fp64 = self.at_least(400, 0) || self.has("GL_ARB_gpu_shader_fp64");
        let int64 = self.any(&["GL_ARB_gpu_shader_int64", "GL_AMD_gpu_shader_int64", "GL_NV_gpu_shader5"]);
        let allowed = match (from, to) {
            (S::Int | S::Uint, S::Float) => any,
            (S::Int, S::Uint) => any && int_to_uint,
            (S::Int | S::Uint | S::Float, S::Double) => any && fp64,
            (S::Int, S::Int64 | S::Uint64) | (S::Uint, S::Uint64) | (S::Int64, S::Uint64) => any && int64,
            (S::Int64 | S::Uint64, S::Double) => any && int64 && fp64,
            _ => false,
        };
        allowed.then_some(Conversion::Standard)
    }

    /// The implicit conversion from `from` to `to`, if there is one.
    pub(super) fn conversion(&self, from: Type, to: Type) -> Option<Conversion> {
        if from == to || from == Type::Error || to == Type::Error {
            return Some(Conversion::None);
        }
        match (from, to) {
            (Type::Scalar(a), Type::Scalar(b)) => self.scalar_conversion(a, b),
            (Type::Vector(a, n), Type::Vector(b, m)) if n == m => self.scalar_conversion(a, b),
            (Type::Matrix(a, c, r), Type::Matrix(b, d, s)) if (c, r) == (d, s) => self.scalar_conversion(a, b),
            _ => None,
        }
    }

    pub(super) fn converts(&self, from: Type, to: Type) -> bool {
        self.conversion(from, to).is_some()
    }

    /// Whether an expression's value converts to a type implicitly.
    pub(super) fn fits(&self, id: ExprId, to: Type) -> bool {
        self.conversion(self.ty(id), to).is_some()
    }

    /// A conversion that the specification does not have but NVIDIA's compiler does, with a warning; what it converts
    /// where was measured on driver 580 (`docs/vendors.md`).
    pub(super) fn nvidia_converts(&mut self, id: ExprId, to: Type, place: &str) -> bool {
        let from = self.ty(id);
        let shaped = from.scalar().is_some()
            && to.scalar().is_some()
            && from.with_scalar(Scalar::Float) == to.with_scalar(Scalar::Float);
        if !shaped || !self.vendor(Vendor::Nvidia) {
            return false;
        }
        let (from, to) = (self.type_name(from), self.type_name(to));
        let message = format!("only NVIDIA's compiler converts `{from}` to `{to}` {place}");
        self.warn(self.expr_tokens(id), "vendor-conversion", message);
        true
    }

    /// The value of a constant expression converted to another type.
    pub(super) fn constant_as(&mut self, id: ExprId, to: Type) -> Option<constant::Constant> {
        let value = self.constant(id)?;
        if value.ty == to || to == Type::Error {
            return Some(value);
        }
        let (from_scalar, to_scalar) = (value.ty.scalar()?, to.scalar()?);
        let bits: Vec<u64> = self
            .out
            .constants
            .components(value)
            .iter()
            .map(|&b| constant::convert(from_scalar, to_scalar, b))
            .collect();
        Some(self.out.constants.push(to, &bits))
    }

    /// The common component type of two operands, if one converts to the other.
    pub(super) fn common_scalar(&self, a: Scalar, b: Scalar) -> Option<Scalar> {
        if self.scalar_conversion(a, b).is_some() {
            Some(b)
        } else if self.scalar_conversion(b, a).is_some() {
            Some(a)
        } else {
            None
        }
    }
}
