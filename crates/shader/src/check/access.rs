//! `a[i]`, `a.b`, `a.length()`.

use super::Checker;
use crate::ast::{ExprId, ExprKind};
use crate::constant;
use crate::qualifier::Storage;
use crate::symbol::Symbol;
use crate::typed::{ExprFacts, Swizzle, Target, VarId, VariableKind};
use crate::types::{OpaqueKind, Scalar, Type};
use crate::version::{Stage, Vendor};

impl Checker<'_> {
    pub(super) fn index(&mut self, base: ExprId, index: ExprId) -> ExprFacts {
        let (ty, index_ty) = (self.ty(base), self.ty(index));
        let mut facts = self.facts(Type::Error);
        facts.side_effects = self.side_effects(base) || self.side_effects(index);
        if !matches!(index_ty, Type::INT | Type::UINT | Type::Error) {
            let found = self.type_name(index_ty);
            self.error_expr(index, "type-mismatch", format!("an index must be a scalar integer, this is `{found}`"));
        }
        let (element, size) = match ty {
            Type::Error => return facts,
            Type::Vector(s, n) => (Type::Scalar(s), Some(u32::from(n))),
            Type::Matrix(s, c, r) => (Type::Vector(s, r), Some(u32::from(c))),
            Type::Array(_) => {
                let Some(array) = self.out.types.as_array(ty) else { return facts };
                (array.element, array.size)
            }
            _ => {
                let found = self.type_name(ty);
                self.error_expr(base, "not-indexable", format!("`{found}` cannot be indexed"));
                return facts;
            }
        };
        facts.ty = element;
        let value = self.constant(index).and_then(|c| self.out.constants.as_i64(c));
        match (value, size) {
            (Some(i), Some(n)) if i < 0 || i >= i64::from(n) => {
                let what = match ty {
                    Type::Array(_) => format!("an array of {n}"),
                    Type::Vector(..) => format!("a vector of {n} components"),
                    _ => format!("a matrix of {n} columns"),
                };
                self.error_expr(index, "out-of-bounds", format!("index {i} is outside {what}"));
            }
            (Some(i), None) if i < 0 => {
                self.error_expr(index, "out-of-bounds", format!("index {i} is negative"));
            }
            (Some(i), None) => self.index_unsized(base, u32::try_from(i).unwrap_or(u32::MAX)),
            (None, None) => self.index_unsized_dynamically(base, index),
            _ => {}
        }
        if value.is_none() {
            self.check_dynamic_index(base, index, element);
        } else if let (Some(c), Some(i)) = (self.constant(base), value) {
            facts.constant = u32::try_from(i).ok().and_then(|i| constant::index(&self.out.types, c, i));
        }
        facts
    }

    /// Constant indices determine the size of an unsized array (GLSL 4.60, 4.1.9).
    fn index_unsized(&mut self, base: ExprId, index: u32) {
        if let Some(limit) = self.implicit_limit(base)
            && index >= limit
        {
            self.error_expr(base, "out-of-bounds", format!("index {index} is outside an array of at most {limit}"));
        }
        if let Target::Variable(variable) = self.out.exprs[base.0 as usize].target {
            let row = &mut self.out.variables[variable.0 as usize];
            row.max_index = Some(row.max_index.map_or(index, |m| m.max(index)));
        } else if let Some((_, field)) = self.member_of_instance(base) {
            let size = &mut self.notes.member_max_index;
            let entry = size.entry(field).or_insert(index);
            *entry = (*entry).max(index);
        }
    }

    /// The structure and member index, if the expression is a member of a structure or block.
    fn member_of_instance(&self, id: ExprId) -> Option<(ExprId, (crate::types::StructId, u32))> {
        let ExprKind::Field(owner, _) = self.tree.expr(id).kind else { return None };
        let Target::Member(field) = self.out.exprs[id.0 as usize].target else { return None };
        match self.ty(owner) {
            Type::Struct(structure) => Some((owner, (structure, field))),
            _ => None,
        }
    }

    fn index_unsized_dynamically(&mut self, base: ExprId, index: ExprId) {
        if self.has_size_elsewhere(base) || self.ty(index) == Type::Error {
            return;
        }
        self.error_expr(base, "unsized-array", "an array without a size can only be indexed with constants");
    }

    /// Whether an array's size is determined by something other than its brackets: the last member of a storage block,
    /// the inputs of geometry and tessellation shaders, the per-vertex outputs of tessellation control shaders.
    pub(super) fn has_size_elsewhere(&self, base: ExprId) -> bool {
        self.is_vertex_array(base) || self.storage_of(base) == Some(Storage::Buffer)
    }

    fn implicit_limit(&mut self, base: ExprId) -> Option<u32> {
        let name = match (self.tree.expr(base).kind, self.out.exprs[base.0 as usize].target) {
            (_, Target::Variable(variable)) => self.out.variable(variable).name,
            (ExprKind::Field(_, name), Target::Member(_)) => name,
            _ => return None,
        };
        let limit = match self.name(name) {
            "gl_TexCoord" => "gl_MaxTextureCoords",
            "gl_ClipDistance" => "gl_MaxClipDistances",
            "gl_CullDistance" => "gl_MaxCullDistances",
            _ => return None,
        };
        self.limit(limit)
    }

    /// Reports indices that must be constant.
    fn check_dynamic_index(&mut self, base: ExprId, index: ExprId, element: Type) {
        self.webgl_output_index(base, index);
        let Type::Opaque(opaque) = self.innermost(element) else {
            self.check_dynamic_block_index(base, index);
            return;
        };
        let bindless = self.has("GL_ARB_bindless_texture");
        let message = match opaque.kind {
            OpaqueKind::Sampler => {
                let dynamic = self.gpu_shader5();
                // GLSL 1.10, 1.20 and ES 1.00 have no rule; 1.30 and ES 3.00 do (GLSL 1.30, 4.1.7).
                let unruled = !self.at_least(130, 300);
                (!dynamic && !unruled && !bindless).then_some("sampler arrays can be indexed by constants only")
            }
            OpaqueKind::Image => {
                let dynamic = self.gpu_shader5();
                (!dynamic && self.is_es()).then_some("image arrays can be indexed by constants only")
            }
            OpaqueKind::AtomicUint => None,
        };
        if let Some(message) = message {
            let version = self.dialect.version;
            let error = self
                .error_at(self.expr_tokens(index), "dynamic-index", format!("{message} in {version}"))
                .note("any index is allowed from GLSL 4.00, GLSL ES 3.20 or with gpu_shader5");
            self.report(error);
        }
    }

    /// Whether the features of gpu_shader5 are available, by version or extension.
    fn gpu_shader5(&self) -> bool {
        self.at_least(400, 320) || self.any(&["GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"])
    }

    fn check_dynamic_block_index(&mut self, base: ExprId, index: ExprId) {
        let Target::Variable(variable) = self.out.exprs[base.0 as usize].target else { return };
        let row = self.out.variable(variable);
        let VariableKind::Instance(_) = row.kind else { return };
        let uniform = match row.qualifiers.storage {
            Storage::Uniform => true,
            Storage::Buffer => false,
            _ => return,
        };
        let allowed = if uniform {
            self.gpu_shader5()
        } else {
            // GLSL ES 3.10, 4.3.9: storage block arrays need constant indices, even with gpu_shader5.
            !self.is_es()
        };
        if !allowed {
            let version = self.dialect.version;
            self.error_expr(
                index,
                "dynamic-index",
                format!("block arrays can be indexed by constants only in {version}"),
            );
        }
    }

    pub(super) fn field(&mut self, id: ExprId, base: ExprId, name: Symbol) -> ExprFacts {
        let ty = self.ty(base);
        let mut facts = self.facts(Type::Error);
        facts.side_effects = self.side_effects(base);
        match ty {
            Type::Error => facts,
            Type::Struct(structure) => {
                if let Some(position) = self.member(structure, name) {
                    facts.ty = self.out.types.structs[structure.0 as usize].fields[position].ty;
                    facts.target = Target::Member(position as u32);
                    if let Some(value) = self.constant(base) {
                        facts.constant = self.constant_member(structure, value, position);
                    }
                    return facts;
                }
                let row = &self.out.types.structs[structure.0 as usize];
                let (text, found) = (self.name(name), self.type_name(ty));
                let names: Vec<&str> = row.fields.iter().take(12).map(|f| self.name(f.name)).collect();
                let names = names.join("`, `") + if row.fields.len() > 12 { "`, `…" } else { "" };
                let near = self.similar_member(text, structure);
                let note = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("its members are `{names}`"),
                };
                let member = self.expr_tokens(id).last;
                let error = self
                    .error_token(member, "no-member", format!("`{found}` has no member `{text}`"))
                    .here("no such member")
                    .label(self.span(self.expr_tokens(base)), format!("this is `{found}`"));
                self.report(error.note(note));
                facts
            }
            Type::Vector(scalar, size) => self.swizzle(id, base, name, scalar, size, facts),
            Type::Scalar(scalar) if self.scalar_swizzles() => self.swizzle(id, base, name, scalar, 1, facts),
            _ => {
                let (text, found) = (self.name(name), self.type_name(ty));
                let mut error = self.error_token(
                    self.expr_tokens(id).last,
                    "no-member",
                    format!("`{found}` has no member `{text}`"),
                );
                if text == "length" {
                    error = error.note("`length` is a method: write `.length()`");
                }
                self.report(error);
                facts
            }
        }
    }

    /// From GLSL 4.20 on, scalars can be swizzled; NVIDIA's compiler allows it in ES 1.00 and 3.00 too.
    fn scalar_swizzles(&self) -> bool {
        self.at_least(420, 0)
            || self.has("GL_ARB_shading_language_420pack")
            || (self.vendor(Vendor::Nvidia) && self.is_es() && !self.at_least(0, 310))
    }

    fn swizzle(
        &mut self,
        id: ExprId,
        base: ExprId,
        name: Symbol,
        scalar: Scalar,
        size: u8,
        mut facts: ExprFacts,
    ) -> ExprFacts {
        let text = self.name(name);
        let Some(swizzle) = Swizzle::parse(text) else {
            let found = self.type_name(self.ty(base));
            let error = self
                .error_token(
                    self.expr_tokens(id).last,
                    "bad-swizzle",
                    format!("`.{text}` is not a swizzle of `{found}`"),
                )
                .note("a swizzle is up to four letters of one of the sets `xyzw`, `rgba`, `stpq`");
            self.report(error);
            return facts;
        };
        if let Some(&beyond) = swizzle.components().iter().find(|&&c| c >= size) {
            let found = self.type_name(self.ty(base));
            let letter = char::from(b"xyzw"[beyond as usize]);
            let message = format!("`.{text}` asks for component `{letter}`, which `{found}` does not have");
            let error = self
                .error_token(self.expr_tokens(id).last, "bad-swizzle", message)
                .label(self.span(self.expr_tokens(base)), format!("this is `{found}`"));
            self.report(error);
            return facts;
        }
        facts.ty = Type::vector(scalar, swizzle.components().len() as u8);
        facts.target = Target::Swizzle(swizzle);
        if let Some(value) = self.constant(base) {
            facts.constant = constant::swizzle(&mut self.out.constants, value, swizzle.components());
        }
        facts
    }

    /// `.length()` (GLSL 4.60, 4.1.9 and 5.7).
    pub(super) fn length(&mut self, id: ExprId, base: ExprId) -> ExprFacts {
        let ty = self.ty(base);
        self.notes.not_read.push(base);
        let mut facts = self.facts(Type::INT);
        facts.target = Target::Length;
        facts.side_effects = self.side_effects(base);
        let pack = self.at_least(420, 0) || self.has("GL_ARB_shading_language_420pack");
        let size = match ty {
            Type::Error => return facts,
            Type::Array(_) if !self.at_least(120, 300) && !self.has("GL_3DL_array_objects") => {
                let version = self.dialect.version;
                self.error_expr(id, "length", format!("`.length()` is not available in {version}"));
                return facts;
            }
            Type::Array(_) => self.out.types.as_array(ty).and_then(|a| a.size),
            Type::Vector(_, n) if pack => Some(u32::from(n)),
            Type::Matrix(_, c, _) if pack => Some(u32::from(c)),
            _ => {
                let found = self.type_name(ty);
                self.error_expr(id, "length", format!("`{found}` has no `.length()`"));
                return facts;
            }
        };
        match size {
            // `foo().length()` would not evaluate foo; it is a constant only without side effects.
            Some(n) if !facts.side_effects => facts.constant = Some(self.out.constants.int(n as i32)),
            Some(_) => {}
            None => match self.vertex_array_size(base) {
                Some(n) => facts.constant = Some(self.out.constants.int(n as i32)),
                None if self.has_size_elsewhere(base) => {
                    // Geometry inputs have a length only after the primitive has been declared (GLSL 4.60, 4.4.1).
                    if self.is_vertex_array(base) && self.dialect.stage == Stage::Geometry {
                        self.error_expr(base, "unsized-array", "`.length()` before the layout that sets it");
                    }
                }
                // With ARB_shader_storage_buffer_object, the linker determines `.length()` of any unsized array.
                None if self.at_least(430, 0) || self.has("GL_ARB_shader_storage_buffer_object") => {
                    if self.root_variable(base).is_none_or(|v| self.out.variable(v).declared.is_none()) {
                        self.error_expr(base, "unsized-array", "`.length()` of an array without a size");
                    }
                }
                None => self.error_expr(base, "unsized-array", "`.length()` of an array without a size"),
            },
        }
        facts
    }

    /// Whether it is a complete per-vertex input or output array.
    fn is_vertex_array(&self, base: ExprId) -> bool {
        let Target::Variable(variable) = self.out.exprs[base.0 as usize].target else { return false };
        let row = self.out.variable(variable);
        let storage = row.qualifiers.storage;
        !row.qualifiers.flags.patch
            && match self.dialect.stage {
                Stage::Geometry | Stage::TessEvaluation => storage == Storage::In,
                Stage::TessControl => matches!(storage, Storage::In | Storage::Out),
                _ => false,
            }
    }

    /// The number of elements of such an array, if the layout has set it already.
    fn vertex_array_size(&self, base: ExprId) -> Option<u32> {
        if !self.is_vertex_array(base) {
            return None;
        }
        match (self.dialect.stage, self.storage_of(base)?) {
            (Stage::TessControl | Stage::TessEvaluation, Storage::In) => self.limit("gl_MaxPatchVertices"),
            (_, storage) => self.vertex_count(storage),
        }
    }

    /// The variable that an l-value-like expression is part of.
    pub(super) fn root_variable(&self, id: ExprId) -> Option<VarId> {
        let mut at = id;
        loop {
            at = match self.tree.expr(at).kind {
                ExprKind::Paren(e) | ExprKind::Index(e, _) | ExprKind::Field(e, _) => e,
                ExprKind::Name(_) => {
                    return match self.out.exprs[at.0 as usize].target {
                        Target::Variable(variable) => Some(variable),
                        _ => None,
                    };
                }
                _ => return None,
            };
        }
    }
}
