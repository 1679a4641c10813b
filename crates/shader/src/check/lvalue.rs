//! l-values (GLSL 4.60, 5.8).

use super::Checker;
use crate::ast::{ExprId, ExprKind};
use crate::qualifier::Storage;
use crate::typed::{Target, VarId, VariableKind};
use crate::types::{OpaqueKind, Type};
use crate::version::Stage;

impl Checker<'_> {
    /// Reports an error unless the expression is an l-value; marks its variable as written.
    pub(super) fn require_lvalue(&mut self, id: ExprId, verb: &str) {
        if self.ty(id) == Type::Error {
            self.mark_written(id);
            return;
        }
        if let Some(reason) = self.not_lvalue(id) {
            let mut error =
                self.error_at(self.expr_tokens(id), "not-lvalue", format!("this cannot be {verb}: {reason}"));
            if let Some(token) = self.root_variable(id).and_then(|v| self.out.variable(v).declared) {
                error = error.label(self.token_span(token), "declared here");
            }
            self.report(error);
        }
        self.mark_written(id);
    }

    fn mark_written(&mut self, id: ExprId) {
        if let Some(root) = self.root_variable(id) {
            self.out.variables[root.0 as usize].written = true;
            self.note_written(id, root);
        }
    }

    /// Why an expression is not an l-value.
    fn not_lvalue(&self, id: ExprId) -> Option<String> {
        let mut at = id;
        let mut member_readonly = false;
        loop {
            let facts = self.out.exprs[at.0 as usize];
            at = match self.tree.expr(at).kind {
                ExprKind::Paren(inner) => inner,
                ExprKind::Index(base, _) => base,
                ExprKind::Field(base, name) => {
                    match facts.target {
                        Target::Swizzle(swizzle) if swizzle.repeats() => {
                            return Some(format!("the swizzle `.{}` names a component twice", self.name(name)));
                        }
                        Target::Member(field) => {
                            if let Type::Struct(owner) = self.ty(base) {
                                let row = &self.out.types.structs[owner.0 as usize];
                                member_readonly |= row.fields[field as usize].qualifiers.flags.readonly;
                            }
                        }
                        _ => {}
                    }
                    base
                }
                ExprKind::Name(_) => {
                    let Target::Variable(variable) = facts.target else {
                        return Some("it is not a variable".to_owned());
                    };
                    return self.not_writable(id, variable, member_readonly);
                }
                ExprKind::Call(..) => return Some("it is the result of a call".to_owned()),
                ExprKind::Literal(_) => return Some("it is a literal".to_owned()),
                _ => return Some("it is the result of an operator".to_owned()),
            };
        }
    }

    fn not_writable(&self, id: ExprId, variable: VarId, member_readonly: bool) -> Option<String> {
        let row = self.out.variable(variable);
        let name = self.name(row.name);
        let reason = match row.qualifiers.storage {
            Storage::Const => "is a constant",
            Storage::Uniform => "is a uniform",
            Storage::In if !matches!(row.kind, VariableKind::Parameter(..)) => "is an input",
            Storage::Buffer if member_readonly || row.qualifiers.flags.readonly => "is read-only",
            Storage::Out if self.dialect.stage == Stage::TessControl && self.writes_other_vertex(id, variable) => {
                return Some(format!(
                    "an invocation may write only its own vertex of `{name}`: index it with `gl_InvocationID`"
                ));
            }
            _ => {
                if let Type::Opaque(opaque) = self.innermost(self.ty(id)) {
                    let handle = opaque.kind != OpaqueKind::AtomicUint && self.has("GL_ARB_bindless_texture");
                    let what = match opaque.kind {
                        OpaqueKind::Sampler => "sampler",
                        OpaqueKind::Image => "image",
                        OpaqueKind::AtomicUint => "counter",
                    };
                    return (!handle).then(|| format!("a {what} is not a value that can be stored"));
                }
                if self.contains_opaque(self.ty(id)) && !self.has("GL_ARB_bindless_texture") {
                    return Some("it contains samplers, images or counters".to_owned());
                }
                return None;
            }
        };
        Some(format!("`{name}` {reason}"))
    }

    /// A per-vertex output of a tessellation control shader indexed with anything but `gl_InvocationID`.
    fn writes_other_vertex(&self, id: ExprId, variable: VarId) -> bool {
        let row = self.out.variable(variable);
        if row.qualifiers.flags.patch || self.name(row.name).starts_with("gl_Tess") {
            return false;
        }
        // The innermost index is the one directly after the variable.
        let mut at = id;
        let mut vertex = None;
        loop {
            at = match self.tree.expr(at).kind {
                ExprKind::Paren(e) | ExprKind::Field(e, _) => e,
                ExprKind::Index(e, index) => {
                    vertex = Some(index);
                    e
                }
                _ => break,
            };
        }
        let Some(index) = vertex else { return self.out.types.as_array(row.ty).is_some() };
        let index = self.tree.unwrap_parens(index);
        match self.out.exprs[index.0 as usize].target {
            Target::Variable(v) => self.name(self.out.variable(v).name) != "gl_InvocationID",
            _ => true,
        }
    }
}
