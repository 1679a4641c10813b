//! Indices in GLSL ES 1.00 (Appendix A, 5): where an index must be a *constant-index-expression*, which consists of
//! constants and loop indices.

use super::super::Checker;
use super::children;
use super::loops::LoopIndices;
use crate::ast::{ExprId, ExprKind};
use crate::qualifier::Storage;
use crate::typed::Target;
use crate::version::Stage;

impl Checker<'_> {
    /// Checks every pair of brackets.
    pub(super) fn constant_indices(&mut self, indices: &LoopIndices) {
        let tree = self.tree;
        let mut constant = vec![false; tree.exprs.len()];
        for (at, expr) in tree.exprs.iter().enumerate() {
            let id = ExprId(at as u32);
            let facts = self.out.expr(id);
            constant[at] = match (expr.kind, facts.target) {
                (ExprKind::Error, _) => true,
                (ExprKind::Name(_), Target::Variable(v)) => {
                    self.out.variable(v).qualifiers.storage == Storage::Const || indices.contains(v)
                }
                (ExprKind::Call(..), Target::Function(_)) => false,
                _ => {
                    let mut all = true;
                    children(tree, id, |child| all &= constant[child.0 as usize]);
                    all
                }
            };
            if let ExprKind::Index(base, index) = expr.kind {
                self.fragment_data_index(base, index);
                if !constant[index.0 as usize] && !self.any_index_allowed(base) {
                    let error = self
                        .error_at(
                            self.expr_tokens(index),
                            "webgl-index",
                            "WebGL takes only constants and loop indices here",
                        )
                        .note("any index is allowed on a uniform variable in a vertex shader, and in GLSL ES 3.00");
                    self.report(error);
                }
            }
        }
    }

    /// The table of Appendix A, 5 lets vertex shaders index uniforms with any expression. ANGLE reads it narrowly: what
    /// is indexed must be the variable itself, not an element or member of it.
    fn any_index_allowed(&self, base: ExprId) -> bool {
        if self.dialect.stage != Stage::Vertex {
            return false;
        }
        match self.out.expr(self.tree.unwrap_parens(base)).target {
            Target::Variable(v) => self.out.variable(v).qualifiers.storage == Storage::Uniform,
            _ => false,
        }
    }

    /// WebGL 1 has one colour buffer unless a shader enables more.
    fn fragment_data_index(&mut self, base: ExprId, index: ExprId) {
        let Target::Variable(v) = self.out.expr(base).target else { return };
        if self.name(self.out.variable(v).name) != "gl_FragData" || self.has("GL_EXT_draw_buffers") {
            return;
        }
        if self.constant(index).and_then(|c| self.out.constants.as_i64(c)).is_some_and(|i| i > 0) {
            let error = self
                .error_at(self.expr_tokens(index), "webgl-index", "`gl_FragData` has one element")
                .note("GL_EXT_draw_buffers gives it more");
            self.report(error);
        }
    }
}
