//! Rules for calls of particular built-in functions.

use super::Checker;
use crate::ast::ExprId;
use crate::builtin;
use crate::qualifier::Storage;
use crate::types::{OpaqueKind, Type};

impl Checker<'_> {
    pub(super) fn check_builtin_call(
        &mut self,
        id: ExprId,
        function: &'static builtin::Function,
        arguments: &[ExprId],
    ) {
        let name = self.name(function.name);
        for (param, &argument) in function.params.iter().zip(arguments) {
            if param.constant && self.constant(argument).is_none() {
                self.not_constant(argument, &format!("this argument of `{name}`"));
            }
            if param.memory {
                self.check_memory_argument(argument, name);
            }
            if param.interpolant {
                self.check_interpolant(argument, name);
            }
        }
        if let Some(&image) = arguments.first() {
            if let Type::Opaque(opaque) = self.ty(image) {
                if opaque.kind == OpaqueKind::Image {
                    self.check_image_access(id, image, name);
                }
            }
        }
    }

    fn check_memory_argument(&mut self, argument: ExprId, name: &str) {
        let storage = self.storage_of(argument);
        if !matches!(storage, Some(Storage::Buffer | Storage::Shared)) {
            self.error_expr(argument, "atomic-memory", format!("`{name}` works on buffer and shared variables only"));
            return;
        }
        if storage == Some(Storage::Buffer) {
            self.require_lvalue(argument, "changed");
        } else if let Some(root) = self.root_variable(argument) {
            self.out.variables[root.0 as usize].written = true;
        }
    }

    fn check_interpolant(&mut self, argument: ExprId, name: &str) {
        if self.storage_of(argument) != Some(Storage::In) || self.root_is_parameter(argument) {
            self.error_expr(argument, "interpolant", format!("`{name}` needs an input of the fragment shader"));
        }
    }

    fn root_is_parameter(&self, id: ExprId) -> bool {
        self.root_variable(id)
            .is_some_and(|v| matches!(self.out.variable(v).kind, crate::typed::VariableKind::Parameter(..)))
    }

    fn check_image_access(&mut self, id: ExprId, image: ExprId, name: &str) {
        let Some(root) = self.root_variable(image) else { return };
        let flags = self.out.variable(root).qualifiers.flags;
        let (reads, writes) = match name {
            "imageStore" => (false, true),
            "imageLoad" => (true, false),
            "imageSize" | "imageSamples" => (false, false),
            _ => (true, true),
        };
        if reads && flags.writeonly {
            self.error_expr(id, "image-access", format!("`{name}` reads an image that is `writeonly`"));
        } else if writes && flags.readonly {
            self.error_expr(id, "image-access", format!("`{name}` writes an image that is `readonly`"));
        }
    }
}
