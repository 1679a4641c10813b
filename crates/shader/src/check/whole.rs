//! Rules that involve the whole shader, and the checker's notes for them.

use std::collections::{BTreeMap, BTreeSet};

use super::Checker;
use super::types::StructFacts;
use crate::ast::{ExprId, ExprKind};
use crate::builtin;
use crate::qualifier::Storage;
use crate::symbol::Symbol;
use crate::token::{TokenIndex, TokenSpan};
use crate::typed::{BlockId, FunctionId, Target, VarId, VariableKind};
use crate::types::{StructId, Type};

/// What the checker records for checks at the end.
#[derive(Default)]
pub(super) struct Notes {
    /// The contents of each structure.
    pub(super) structs: Vec<StructFacts>,
    /// Built-in structures and blocks that have been instantiated.
    pub(super) builtin_structs: Vec<(&'static builtin::Aggregate, StructId)>,
    /// Largest constant index on unsized members.
    pub(super) member_max_index: BTreeMap<(StructId, u32), u32>,
    /// Members of structures with many, by name.
    pub(super) members: BTreeMap<(StructId, Symbol), u32>,
    /// For structures with many members: the number of scalars before each; empty if unknown.
    pub(super) member_offsets: BTreeMap<StructId, Vec<u32>>,
    /// The first declaration of each block.
    pub(super) blocks: BTreeMap<(Symbol, Storage), TokenIndex>,
    /// Layout indices of subroutines.
    pub(super) subroutine_indices: BTreeSet<u32>,
    /// The number of overloads examined so far in calls of functions with many.
    pub(super) overloads_searched: usize,
    /// Calls in global initializers.
    pub(super) global_calls: Vec<(FunctionId, ExprId)>,
    /// Counters: binding, first byte, one past the last, name.
    pub(super) counters: Vec<(u32, u32, u32, TokenIndex)>,
    /// Redeclared built-in variables.
    pub(super) redeclared: Vec<VarId>,
    /// Redeclared built-in blocks.
    pub(super) redeclared_blocks: Vec<(Storage, BlockId)>,
    pub(super) vertex_arrays: Vec<(Storage, TokenSpan)>,
    /// The first explicit size of per-vertex arrays.
    pub(super) vertex_sizes: Vec<(Storage, u32, TokenSpan)>,
    /// The arrangement of invocations for derivatives in compute shaders.
    pub(super) derivative_groups: Vec<(&'static str, TokenSpan)>,
    /// Mutually exclusive identifiers of stage layouts.
    pub(super) stage_words: Vec<String>,
    /// Calls that are allowed only once.
    pub(super) once: Vec<(crate::symbol::Symbol, ExprId)>,
    /// Expressions that are only written, or whose length is used.
    pub(super) not_read: Vec<ExprId>,
    /// Whether a buffer member is `writeonly`.
    pub(super) write_only: bool,
    /// First write to each of the mutually exclusive fragment outputs.
    fragment_writes: Vec<(FragmentOutput, ExprId)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FragmentOutput {
    Color,
    Data,
    User,
}

impl Checker<'_> {
    /// Records writes that exclude each other.
    pub(super) fn note_written(&mut self, id: ExprId, root: VarId) {
        let row = self.out.variable(root);
        if row.qualifiers.storage != Storage::Out || self.dialect.stage != crate::version::Stage::Fragment {
            return;
        }
        let kind = match self.name(row.name) {
            "gl_FragColor" => FragmentOutput::Color,
            "gl_FragData" => FragmentOutput::Data,
            _ if matches!(row.kind, VariableKind::Global) => FragmentOutput::User,
            _ => return,
        };
        if self.notes.fragment_writes.iter().all(|w| w.0 != kind) {
            self.notes.fragment_writes.push((kind, id));
        }
    }

    pub(super) fn finish(&mut self) {
        self.check_fragment_outputs();
        self.check_pragmas();
        self.check_derivative_groups();
        self.check_write_only();
        self.check_subroutine_overloads();
        self.check_last_fragment_data();
        self.check_recursion();
        if self.options.webgl && self.is_es() {
            self.check_webgl();
        }
        for function in &mut self.out.functions {
            function.uses.sort_unstable();
            function.uses.dedup();
        }
        self.out.global_calls = std::mem::take(&mut self.notes.global_calls);
        self.out.member_max_index = std::mem::take(&mut self.notes.member_max_index);
    }

    /// GLSL 4.60, 3.3: `optimize` and `debug` must be outside of functions; GLSL 1.20 and GLSL ES 3.00, 4.6.1
    /// on `invariant(all)`.
    fn check_pragmas(&mut self) {
        use crate::preprocess::PragmaKind;
        let input = self.input;
        for pragma in &input.pragmas {
            let problem = match pragma.kind {
                PragmaKind::Optimize(_) | PragmaKind::Debug(_) => {
                    let inside = self.out.functions.iter().filter_map(|f| f.definition).any(|d| {
                        let tokens = self.tree.decl(d).tokens;
                        tokens.first < pragma.at && pragma.at <= tokens.last
                    });
                    inside.then_some("this pragma is not allowed inside a function")
                }
                PragmaKind::InvariantAll => {
                    let fragment = self.dialect.stage == crate::version::Stage::Fragment;
                    (fragment && self.at_least(120, 300)).then_some("`invariant(all)` is not for fragment shaders")
                }
                PragmaKind::Other => None,
            };
            if let Some(problem) = problem {
                self.report(crate::diagnostic::Diagnostic::error("pragma", problem, pragma.span));
            }
        }
    }

    /// NV_compute_shader_derivatives: quads need even sizes, lines a multiple of four.
    fn check_derivative_groups(&mut self) {
        let groups = std::mem::take(&mut self.notes.derivative_groups);
        let size = self.out.stage.local_size.map(|n| n.unwrap_or(1));
        let Some(&(first, tokens)) = groups.first() else { return };
        if groups.iter().any(|g| g.0 != first) {
            self.error(tokens, "layout", "invocations can be arranged in quads or in lines, not both");
        } else if first.contains("quads") && (size[0] % 2 != 0 || size[1] % 2 != 0) {
            self.error(tokens, "layout", "quads need a work group with even width and height");
        } else if first.contains("linear") && size[0].wrapping_mul(size[1]).wrapping_mul(size[2]) % 4 != 0 {
            self.error(tokens, "layout", "lines need a work group of a multiple of four invocations");
        }
    }

    /// Reads of buffer variables that are `writeonly`.
    fn check_write_only(&mut self) {
        if !self.notes.write_only {
            return;
        }
        let mut skip = vec![false; self.tree.exprs.len()];
        for id in std::mem::take(&mut self.notes.not_read) {
            let mut at = id;
            loop {
                skip[at.0 as usize] = true;
                at = match self.tree.expr(at).kind {
                    ExprKind::Paren(e) | ExprKind::Index(e, _) | ExprKind::Field(e, _) => e,
                    _ => break,
                };
            }
        }
        let read = skip.iter().enumerate().filter(|(_, skip)| !**skip);
        for id in read.map(|(index, _)| ExprId(index as u32)) {
            let hidden = match (self.tree.expr(id).kind, self.out.expr(id).target) {
                (ExprKind::Name(_), Target::Variable(v)) => {
                    let row = self.out.variable(v);
                    row.qualifiers.storage == Storage::Buffer
                        && row.qualifiers.flags.writeonly
                        && !matches!(row.kind, VariableKind::Instance(_))
                }
                (ExprKind::Field(owner, _), Target::Member(field)) => match self.ty(owner) {
                    Type::Struct(s) => {
                        let field = &self.out.types.structs[s.0 as usize].fields[field as usize];
                        field.qualifiers.flags.writeonly && field.qualifiers.storage == Storage::Buffer
                    }
                    _ => false,
                },
                _ => false,
            };
            if hidden {
                self.error_expr(id, "write-only", "this is `writeonly` and cannot be read");
            }
        }
    }

    /// GLSL 4.60, 6.1.2: a subroutine cannot be overloaded.
    fn check_subroutine_overloads(&mut self) {
        let clash = self.out.functions.iter().enumerate().find_map(|(i, f)| {
            let other = |(j, g): (usize, &crate::typed::Function)| j != i && g.name == f.name && g.definition.is_some();
            (!f.implements.is_empty() && self.out.functions.iter().enumerate().any(other))
                .then_some((f.name, f.declared))
        });
        if let Some((name, token)) = clash {
            let text = self.name(name);
            let error =
                self.error_token(token, "subroutine", format!("`{text}` is a subroutine and cannot be overloaded"));
            self.report(error);
        }
    }

    /// EXT_shader_framebuffer_fetch_non_coherent: a variable that is read must have been declared `noncoherent`.
    fn check_last_fragment_data(&mut self) {
        if self.has("GL_EXT_shader_framebuffer_fetch") || !self.has("GL_EXT_shader_framebuffer_fetch_non_coherent") {
            return;
        }
        let read = self.out.variables.iter().any(|v| {
            v.read && v.declared.is_none() && v.kind == VariableKind::Builtin && self.name(v.name) == "gl_LastFragData"
        });
        if read {
            let tokens = self.tree.items.last().map(|&d| self.tree.decl(d).tokens).unwrap_or_default();
            self.error(tokens, "layout", "`gl_LastFragData` must be redeclared with `layout(noncoherent)` to be read");
        }
    }

    /// GLSL 4.60, 7.1.7: a shader writes either gl_FragColor, gl_FragData or its own outputs.
    fn check_fragment_outputs(&mut self) {
        let writes = std::mem::take(&mut self.notes.fragment_writes);
        if let [(_, first), (_, second), ..] = writes[..] {
            let error = self
                .error_at(
                    self.expr_tokens(second),
                    "fragment-outputs",
                    "a shader writes either `gl_FragColor`, or `gl_FragData`, or outputs of its own",
                )
                .label(self.span(self.expr_tokens(first)), "the other kind is written here");
            self.report(error);
        }
    }

    /// Recursion is an error even if it is never executed (GLSL 4.60, 6.1.1). Iterative depth-first search with three
    /// colours.
    fn check_recursion(&mut self) {
        let count = self.out.functions.len();
        let mut state = vec![0u8; count];
        for root in 0..count {
            if state[root] != 0 {
                continue;
            }
            let mut stack = vec![(root, 0usize)];
            state[root] = 1;
            while let Some(&mut (at, ref mut next)) = stack.last_mut() {
                let Some(&(callee, call)) = self.out.functions[at].calls.get(*next) else {
                    state[at] = 2;
                    stack.pop();
                    continue;
                };
                *next += 1;
                let callee = callee.0 as usize;
                match state[callee] {
                    0 => {
                        state[callee] = 1;
                        stack.push((callee, 0));
                    }
                    1 => {
                        let name = self.name(self.out.functions[callee].name);
                        let error = self
                            .error_at(
                                self.expr_tokens(call),
                                "recursion",
                                format!("`{name}` calls itself through this"),
                            )
                            .label(self.token_span(self.out.functions[callee].declared), "declared here");
                        self.report(error);
                    }
                    _ => {}
                }
            }
        }
    }
}
