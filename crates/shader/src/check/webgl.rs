//! WebGL's restrictions beyond the language itself.
//!
//! For GLSL ES 1.00 these are the limits of its Appendix A, sections 4 and 5, which WebGL 1.0 ("Supported GLSL
//! Constructs") makes mandatory. The others are restrictions that all browsers share because they use the same
//! translator, ANGLE. Each check is one pass over a table of the tree: children have smaller ids than their parents.

mod complexity;
mod index;
mod loops;

use super::Checker;
use crate::ast::{Callee, ExprId, ExprKind, StmtId, StmtKind, Tree, UnaryOp};
use crate::qualifier::Storage;
use crate::token::{TokenIndex, TokenSpan};
use crate::typed::{Target, VariableKind};
use crate::types::{Scalar, StructId, Type};
use crate::version::Stage;

/// WebGL 1.0, "Maximum Nesting of Structures in GLSL Shaders".
const MAX_STRUCT_NESTING: u32 = 4;

/// A statement may be left by `break` from an enclosing loop or switch.
const BREAKS: u8 = 1;
/// A statement contains `return`.
const RETURNS: u8 = 2;

impl Checker<'_> {
    /// Checks a whole shader, after all other checks.
    pub(super) fn check_webgl(&mut self) {
        if self.dialect.version.number == 100 {
            let indices = self.loop_headers();
            self.loop_index_writes(&indices);
            self.constant_indices(&indices);
        }
        let exits = exits(self.tree);
        if self.dialect.version.number >= 300 {
            self.endless_loops(&exits);
            self.output_locations();
        }
        self.both_fragment_outputs();
        self.whole_functions(&exits);
        self.complexity();
    }

    /// Rejects structures that are nested too deeply, at their definition.
    pub(super) fn webgl_nesting(&mut self, id: StructId, tokens: TokenSpan) {
        if self.options.webgl && self.notes.structs[id.0 as usize].depth > MAX_STRUCT_NESTING {
            self.error(tokens, "webgl", format!("WebGL nests structures at most {MAX_STRUCT_NESTING} levels deep"));
        }
    }

    /// Whether WebGL accepts a global variable's initialiser that is not a constant expression. For compatibility,
    /// WebGL 1 accepts shaders that read uniforms or other globals there (WebGL 1.0, "GLSL ES Global Variable
    /// Initialization", warns of them).
    pub(super) fn webgl_initializer(&self, init: ExprId) -> bool {
        if !self.options.webgl || self.dialect.version.number != 100 {
            return false;
        }
        let mut stack = vec![init];
        while let Some(id) = stack.pop() {
            match self.tree.expr(id).kind {
                ExprKind::Assign(..) => return false,
                ExprKind::Unary(op, _) if changes(op) => return false,
                ExprKind::Name(_) => {
                    if let Target::Variable(v) = self.out.expr(id).target {
                        // ANGLE takes no look-ups of textures there.
                        if matches!(self.innermost(self.out.variable(v).ty), Type::Opaque(_)) {
                            return false;
                        }
                        let storage = self.out.variable(v).qualifiers.storage;
                        if !matches!(storage, Storage::Plain | Storage::Const | Storage::Uniform) {
                            return false;
                        }
                    }
                }
                ExprKind::Call(..) if matches!(self.out.expr(id).target, Target::Function(_)) => return false,
                _ => {}
            }
            children(self.tree, id, |child| stack.push(child));
        }
        true
    }

    /// With several outputs each needs a location (GLSL ES 3.00, 4.3.8.2), and no two the same; other compilers leave
    /// both to the linker.
    fn output_locations(&mut self) {
        if self.dialect.stage != Stage::Fragment {
            return;
        }
        let outputs: Vec<_> = self
            .out
            .variables
            .iter()
            .filter(|v| v.qualifiers.storage == Storage::Out && v.kind == VariableKind::Global)
            .filter_map(|v| {
                let size = self.out.types.as_array(v.ty).and_then(|a| a.size).unwrap_or(1);
                Some((v.declared?, v.qualifiers.layout.location, size))
            })
            .collect();
        if outputs.len() < 2 {
            return;
        }
        let mut taken = std::collections::BTreeMap::new();
        for (token, location, size) in outputs {
            let Some(location) = location else {
                let error = self.error_token(token, "webgl", "with several outputs each needs a `location`");
                self.report(error);
                continue;
            };
            // Locations beyond the limit have been reported; visiting them all could take very long.
            for slot in location..location.saturating_add(size.min(64)) {
                if let Some(first) = taken.insert(slot, token) {
                    let error = self
                        .error_token(token, "webgl", format!("location {slot} is taken"))
                        .label(self.token_span(first), "by this output");
                    self.report(error);
                    break;
                }
            }
        }
    }

    /// ANGLE requires constant indices of fragment outputs, because some of its target languages do.
    pub(super) fn webgl_output_index(&mut self, base: ExprId, index: ExprId) {
        if !self.options.webgl || self.dialect.stage != Stage::Fragment || !self.at_least(0, 300) {
            return;
        }
        let Target::Variable(v) = self.out.expr(base).target else { return };
        let row = self.out.variable(v);
        if row.qualifiers.storage == Storage::Out
            && row.kind == VariableKind::Global
            && matches!(row.ty, Type::Array(_))
        {
            self.error_expr(index, "webgl", "WebGL indexes arrays of outputs by constants only");
        }
    }

    /// GLSL ES 3.00, 8.8 leaves the result of offsets beyond the limits undefined; browsers reject them.
    pub(super) fn webgl_texel_offset(&mut self, offset: ExprId) {
        let Some(value) = self.constant(offset).filter(|_| self.ty(offset).scalar() == Some(Scalar::Int)) else {
            return;
        };
        let (Some(least), Some(most)) =
            (self.signed_limit("gl_MinProgramTexelOffset"), self.signed_limit("gl_MaxProgramTexelOffset"))
        else {
            return;
        };
        let outside = |&bits: &u64| !(least..=most).contains(&(bits as u32 as i32));
        if self.out.constants.components(value).iter().any(outside) {
            self.error_expr(offset, "webgl", format!("WebGL takes offsets from {least} to {most}"));
        }
    }

    /// Elsewhere only writing both is an error; ANGLE forbids mentioning both.
    fn both_fragment_outputs(&mut self) {
        let used = |name: &str| {
            self.out
                .variables
                .iter()
                .any(|v| v.kind == VariableKind::Builtin && (v.read || v.written) && self.name(v.name) == name)
        };
        if used("gl_FragColor") && used("gl_FragData") {
            let error =
                self.error_token(TokenIndex(0), "webgl", "a shader uses `gl_FragColor` or `gl_FragData`, not both");
            self.report(error);
        }
    }

    /// Errors that other compilers leave to the linker or do not detect: no `main`, no body, no `return`.
    fn whole_functions(&mut self, exits: &[u8]) {
        let functions = std::mem::take(&mut self.out.functions);
        let mut main = false;
        for function in &functions {
            main |= function.body.is_some() && self.name(function.name) == "main";
            for &(callee, call) in &function.calls {
                let callee = &functions[callee.0 as usize];
                if callee.body.is_none() {
                    let name = self.name(callee.name);
                    self.error_expr(call, "webgl", format!("`{name}` is called but has no body"));
                }
            }
            let silent = |body: StmtId| exits[body.0 as usize] & RETURNS == 0;
            if function.body.is_some_and(silent) && !matches!(function.result, Type::Void | Type::Error) {
                let name = self.name(function.name);
                let error = self.error_token(function.declared, "webgl", format!("`{name}` returns no value"));
                self.report(error);
            }
        }
        self.out.functions = functions;
        if !main {
            let error = self.error_token(TokenIndex(0), "webgl", "there is no `main`");
            self.report(error);
        }
    }
}

/// The operands of an expression.
fn children(tree: &Tree, id: ExprId, mut visit: impl FnMut(ExprId)) {
    match tree.expr(id).kind {
        ExprKind::Error | ExprKind::Name(_) | ExprKind::Literal(_) => {}
        ExprKind::Paren(a) | ExprKind::Unary(_, a) | ExprKind::Field(a, _) => visit(a),
        ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) | ExprKind::Comma(a, b) | ExprKind::Index(a, b) => {
            visit(a);
            visit(b);
        }
        ExprKind::Conditional(a, b, c) => {
            visit(a);
            visit(b);
            visit(c);
        }
        ExprKind::Call(callee, list) => {
            if let Callee::Expr(a) = callee {
                visit(a);
            }
            tree.exprs_of(list).iter().copied().for_each(visit);
        }
        ExprKind::Initializers(list) => tree.exprs_of(list).iter().copied().for_each(visit),
    }
}

/// Whether an operator writes to its operand.
fn changes(op: UnaryOp) -> bool {
    matches!(op, UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement)
}

/// How each statement can be left.
fn exits(tree: &Tree) -> Vec<u8> {
    let mut exits = vec![0u8; tree.stmts.len()];
    for (index, stmt) in tree.stmts.iter().enumerate() {
        let all = |list| tree.stmts_of(list).iter().fold(0, |bits, s| bits | exits[s.0 as usize]);
        exits[index] = match stmt.kind {
            StmtKind::Block(list) => all(list),
            StmtKind::If { then, otherwise, .. } => {
                exits[then.0 as usize] | otherwise.map_or(0, |s| exits[s.0 as usize])
            }
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::For { body, .. } => {
                exits[body.0 as usize] & RETURNS
            }
            StmtKind::Switch { body, .. } => all(body) & RETURNS,
            StmtKind::Break => BREAKS,
            StmtKind::Return(_) => RETURNS,
            _ => 0,
        };
    }
    exits
}
