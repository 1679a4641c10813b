//! Precision: explicit, by default declaration, or predefined (GLSL ES 3.20, 4.7).

use super::Checker;
use crate::ast::TypeSyntax;
use crate::token::TokenSpan;
use crate::types::{Precision, Scalar, Type};
use crate::version::Stage;

impl<'a> Checker<'a> {
    pub(super) fn default_precision(&mut self, precision: Precision, syntax: &'a TypeSyntax) {
        let ty = self.resolve_type(syntax);
        let fits = match ty {
            Type::Scalar(Scalar::Float | Scalar::Int) => true,
            Type::Opaque(opaque) => {
                if opaque.kind == crate::types::OpaqueKind::AtomicUint && precision != Precision::High {
                    self.error(syntax.tokens, "precision", "atomic counters can only be `highp`");
                }
                true
            }
            Type::Error => return,
            _ => false,
        };
        if !fits {
            let name = self.type_name(ty);
            let error = self
                .error_at(syntax.tokens, "precision", format!("there is no default precision for `{name}`"))
                .note("a precision can be set for `float`, `int`, samplers, images and counters");
            self.report(error);
            return;
        }
        let depth = self.bindings.depth();
        let mut here = self.precisions.iter_mut().rev().take_while(|p| p.0 == depth);
        match here.find(|p| p.1 == ty) {
            Some(row) => row.2 = precision,
            None => self.precisions.push((depth, ty, precision)),
        }
    }

    /// The precision of a variable: explicit, or else the default; an error if there is none (ES only).
    pub(super) fn precision_of(
        &mut self,
        ty: Type,
        written: Option<Precision>,
        tokens: TokenSpan,
    ) -> Option<Precision> {
        let element = self.innermost(ty);
        let key = match element {
            Type::Opaque(_) => element,
            Type::Struct(_) | Type::Error | Type::Void | Type::Array(_) | Type::Subroutine(_) => {
                return None;
            }
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => match s {
                Scalar::Float => Type::FLOAT,
                Scalar::Int | Scalar::Uint => Type::INT,
                Scalar::Bool | Scalar::Double | Scalar::Int64 | Scalar::Uint64 => {
                    if written.is_some() {
                        let name = self.type_name(element);
                        self.error(tokens, "precision", format!("`{name}` has no precision"));
                    }
                    return None;
                }
            },
        };
        if let (Type::Opaque(opaque), Some(p)) = (key, written)
            && opaque.kind == crate::types::OpaqueKind::AtomicUint
            && p != Precision::High
        {
            self.error(tokens, "precision", "atomic counters can only be `highp`");
        }
        if written.is_some() || !self.is_es() {
            return written;
        }
        if let Some(found) = self.precisions.iter().rev().find(|p| p.1 == key) {
            return Some(found.2);
        }
        let predefined = self.predefined_precision(key);
        if predefined.is_none() {
            let name = self.type_name(key);
            let stage = self.dialect.stage.name();
            let error = self
                .error_at(
                    tokens,
                    "precision",
                    format!("no precision for `{name}`: {stage} shaders have no default for it"),
                )
                .note(format!("write `precision mediump {name};` at the top, or a precision in this declaration"));
            self.report(error);
        }
        predefined
    }

    /// GLSL ES 3.20, 4.7.4.
    fn predefined_precision(&self, key: Type) -> Option<Precision> {
        use crate::types::{Dim, OpaqueKind};
        match key {
            Type::FLOAT if self.dialect.stage == Stage::Fragment => None,
            Type::INT if self.dialect.stage == Stage::Fragment => Some(Precision::Medium),
            Type::FLOAT | Type::INT => Some(Precision::High),
            Type::Opaque(o) => match o.kind {
                OpaqueKind::AtomicUint => Some(Precision::High),
                OpaqueKind::Image => None,
                OpaqueKind::Sampler => {
                    let plain = o.texel == Scalar::Float && !o.array && !o.shadow && !o.multisample;
                    (plain && matches!(o.dim, Dim::D2 | Dim::Cube | Dim::External)).then_some(Precision::Low)
                }
            },
            _ => None,
        }
    }
}
