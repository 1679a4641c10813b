//! Rules for calls of particular built-in functions.

use super::Checker;
use crate::ast::ExprId;
use crate::builtin;
use crate::qualifier::Storage;
use crate::typed::Target;
use crate::types::{OpaqueKind, Type};
use crate::version::Stage;

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
            if param.constant && self.options.webgl {
                self.webgl_texel_offset(argument);
            }
            if param.memory {
                self.check_memory_argument(argument, name);
            }
            if param.interpolant {
                self.check_interpolant(argument, name);
            }
        }
        self.check_placement(id, function, name);
        if let Some(&image) = arguments.first()
            && let Type::Opaque(opaque) = self.ty(image)
            && opaque.kind == OpaqueKind::Image
        {
            self.check_image_access(id, image, name);
        }
    }

    /// Functions that every invocation must reach: in `main`, outside of control flow, before any return.
    fn check_placement(&mut self, id: ExprId, function: &builtin::Function, name: &str) {
        let once = matches!(name, "beginInvocationInterlockARB" | "endInvocationInterlockARB");
        // GLSL 4.60, 8.16 and ARB_fragment_shader_interlock.
        let barrier = name == "barrier" && self.dialect.stage == Stage::TessControl;
        if !once && !barrier {
            return;
        }
        let in_main = self.function.is_some_and(|f| self.name(self.out.function(f).name) == "main");
        let problem = if !in_main {
            Some("outside `main`")
        } else if self.flow > 0 {
            Some("inside control flow")
        } else if self.returned {
            Some("after `return`")
        } else if once && self.notes.once.iter().any(|o| o.0 == function.name) {
            Some("twice")
        } else {
            None
        };
        if let Some(problem) = problem {
            self.error_expr(id, "placement", format!("`{name}` cannot be called {problem}"));
        }
        if once {
            let begun = self.notes.once.iter().any(|o| self.name(o.0) == "beginInvocationInterlockARB");
            if name.starts_with("end") && !begun {
                self.error_expr(id, "placement", format!("`{name}` without a `beginInvocationInterlockARB` before it"));
            }
            self.notes.once.push((function.name, id));
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
        } else if let (Target::Swizzle(_), false) = (self.out.exprs[argument.0 as usize].target, self.at_least(440, 0))
        {
            self.error_expr(argument, "interpolant", format!("`{name}` takes no swizzle"));
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
