//! Initialisers, including braced lists (GLSL 4.60, 4.1.11 and 4.3).

use super::Checker;
use super::qualify::Gathered;
use crate::ast::{Declarator, ExprId, ExprKind};
use crate::constant::{self, Constant};
use crate::qualifier::Storage;
use crate::typed::Target;
use crate::types::Type;

impl<'a> Checker<'a> {
    /// Checks an initialiser; returns the type with its size, and the value of a constant.
    pub(super) fn initialize(
        &mut self,
        gathered: &Gathered<'_>,
        declarator: &Declarator,
        init: ExprId,
        ty: Type,
    ) -> (Type, Option<Constant>) {
        let storage = gathered.q.storage;
        let text = self.name(declarator.name.symbol);
        let allowed = match storage {
            Storage::Plain | Storage::Const => true,
            Storage::Uniform => self.at_least(120, 0),
            _ => false,
        };
        if !allowed {
            let what = match storage {
                Storage::Uniform => "uniforms",
                Storage::In => "inputs",
                Storage::Out | Storage::InOut => "outputs",
                Storage::Shared => "shared variables",
                _ => "buffer variables",
            };
            let version = self.dialect.version;
            self.error_expr(init, "initializer", format!("{what} cannot be initialized in {version}"));
        }
        let value_ty = self.initializer(init, ty);
        let mut ty = self.size_like(ty, value_ty);
        if ty == Type::Error || value_ty == Type::Error {
            return (ty, None);
        }
        if self.out.types.as_array(ty).is_some() && !self.at_least(120, 300) && !self.has("GL_3DL_array_objects") {
            let version = self.dialect.version;
            self.error_expr(init, "initializer", format!("arrays cannot be initialized in {version}"));
        }
        let handle = storage != Storage::Uniform && self.has("GL_ARB_bindless_texture");
        if self.contains_opaque(ty) && !handle {
            self.error_expr(init, "initializer", "samplers, images and counters cannot be initialized");
        }
        if matches!(ty, Type::Subroutine(_)) {
            self.error_expr(init, "initializer", "subroutine uniforms cannot be initialized");
            return (ty, None);
        }
        if !self.fits(init, ty) {
            let (found, wanted) = (self.type_name(value_ty), self.type_name(ty));
            let error = self
                .error_at(
                    self.expr_tokens(init),
                    "type-mismatch",
                    format!("`{text}` is `{wanted}`, its initializer is `{found}`"),
                )
                .here(format!("this is `{found}`"))
                .label(self.token_span(declarator.name.token), format!("this is `{wanted}`"));
            self.report(error);
            if storage == Storage::Const {
                ty = Type::Error;
            }
            return (ty, None);
        }
        let must_be_constant = match storage {
            Storage::Const => {
                self.is_global() || !(self.at_least(420, 0) || self.has("GL_ARB_shading_language_420pack"))
            }
            Storage::Uniform => true,
            // GLSL ES 3.00, 4.3: global initialisers must be constant; desktop GLSL never required it.
            Storage::Plain => {
                self.is_global() && self.is_es() && !self.has("GL_EXT_shader_non_constant_global_initializers")
            }
            _ => false,
        };
        let constant = self.constant_as(init, ty);
        if must_be_constant && self.constant(init).is_none() {
            if storage == Storage::Plain && self.webgl_initializer(init) {
                self.warn(self.expr_tokens(init), "not-constant", "global initializers must be constant expressions");
            } else {
                self.not_constant(init, &format!("the initializer of `{text}`"));
            }
        }
        (ty, if storage == Storage::Const { constant } else { None })
    }

    /// The type of an initialiser; a braced list takes the shape of the initialised variable.
    fn initializer(&mut self, init: ExprId, ty: Type) -> Type {
        let tree = self.tree;
        let ExprKind::Initializers(list) = tree.expr(init).kind else {
            return self.expr(init);
        };
        if !(self.at_least(420, 0) || self.has("GL_ARB_shading_language_420pack")) {
            let version = self.dialect.version;
            let error = self
                .error_at(
                    self.expr_tokens(init),
                    "initializer-list",
                    format!("braced initializers are not available in {version}"),
                )
                .note("available from GLSL 4.20 or with GL_ARB_shading_language_420pack");
            self.report(error);
        }
        let elements = tree.exprs_of(list);
        let shapes: Vec<Type> = match ty {
            Type::Array(_) => match self.out.types.as_array(ty) {
                Some(array) => vec![array.element; elements.len()],
                None => Vec::new(),
            },
            Type::Struct(id) => self.out.types.structs[id.0 as usize].fields.iter().map(|f| f.ty).collect(),
            Type::Vector(s, n) => vec![Type::Scalar(s); n as usize],
            Type::Matrix(s, c, r) => vec![Type::Vector(s, r); c as usize],
            _ => Vec::new(),
        };
        let mut types = Vec::with_capacity(elements.len());
        for (i, &element) in elements.iter().enumerate() {
            types.push(self.initializer(element, shapes.get(i).copied().unwrap_or(Type::Error)));
        }
        if ty == Type::Error {
            return Type::Error;
        }
        let mut facts = self.facts(Type::Error);
        facts.side_effects = elements.iter().any(|&e| self.side_effects(e));
        if shapes.is_empty() || shapes.len() != elements.len() {
            let (name, count) = (self.type_name(ty), elements.len());
            self.error_expr(init, "initializer-list", format!("`{name}` cannot be initialized by a list of {count}"));
            self.out.exprs[init.0 as usize] = facts;
            return Type::Error;
        }
        let mut full = ty;
        if let Some(array) = self.out.types.as_array(ty) {
            let count = elements.len() as u32;
            let element = self.size_like(array.element, types[0]);
            if array.size.is_some_and(|n| n != count) {
                self.error_expr(
                    init,
                    "initializer-list",
                    format!("the list has {count} elements, the array another size"),
                );
                return Type::Error;
            }
            full = self.out.types.array(element, Some(count));
        }
        for (i, &element) in elements.iter().enumerate() {
            let wanted = match self.out.types.as_array(full) {
                Some(array) => array.element,
                None => shapes[i],
            };
            if self.ty(element) != Type::Error && !self.fits(element, wanted) {
                let (found, wanted) = (self.type_name(self.ty(element)), self.type_name(wanted));
                self.error_expr(element, "type-mismatch", format!("this must be `{wanted}`, it is `{found}`"));
            }
        }
        facts.ty = full;
        facts.target = Target::Constructor(full);
        facts.constant = self.fold_list(full, elements);
        self.out.exprs[init.0 as usize] = facts;
        full
    }

    fn fold_list(&mut self, ty: Type, elements: &[ExprId]) -> Option<Constant> {
        let mut bits = Vec::new();
        for (i, &element) in elements.iter().enumerate() {
            let wanted = match ty {
                Type::Array(_) => self.out.types.as_array(ty)?.element,
                Type::Struct(id) => self.out.types.structs[id.0 as usize].fields[i].ty,
                Type::Vector(s, _) => Type::Scalar(s),
                Type::Matrix(s, _, r) => Type::Vector(s, r),
                _ => return None,
            };
            let value = self.constant_as(element, wanted)?;
            bits.extend_from_slice(self.out.constants.components(value));
        }
        (constant::flat_len(&self.out.types, ty)? as usize == bits.len()).then(|| self.out.constants.push(ty, &bits))
    }
}
