//! Rules that only the whole shader can break, and the checker's notebook for them.

use std::collections::BTreeMap;

use super::Checker;
use super::types::StructFacts;
use crate::ast::ExprId;
use crate::builtin;
use crate::qualifier::Storage;
use crate::token::{TokenIndex, TokenSpan};
use crate::typed::{BlockId, FunctionId, VarId, VariableKind};
use crate::types::StructId;

/// What the checker has to remember until the end.
#[derive(Default)]
pub(super) struct Notes {
    /// By structure: what it contains.
    pub(super) structs: Vec<StructFacts>,
    /// Built-in structures and blocks that have been given a type.
    pub(super) builtin_structs: Vec<(&'static builtin::Aggregate, StructId)>,
    /// Largest constant index on unsized members.
    pub(super) member_max_index: BTreeMap<(StructId, u32), u32>,
    /// Calls in global initializers.
    pub(super) global_calls: Vec<(FunctionId, ExprId)>,
    /// Counters: binding, first byte, one past the last, name.
    pub(super) counters: Vec<(u32, u32, u32, TokenIndex)>,
    /// Built-in variables declared again.
    pub(super) redeclared: Vec<VarId>,
    /// Built-in blocks declared again.
    pub(super) redeclared_blocks: Vec<(Storage, BlockId)>,
    pub(super) vertex_arrays: Vec<(Storage, TokenSpan)>,
    /// First explicit size of arrays with an element for each vertex.
    pub(super) vertex_sizes: Vec<(Storage, u32, TokenSpan)>,
    pub(super) local_sizes: Vec<(usize, Option<u32>, TokenSpan)>,
    pub(super) local_size_complete: bool,
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
    /// Remembers writes that exclude one another.
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
        self.check_recursion();
        for function in &mut self.out.functions {
            function.uses.sort_unstable();
            function.uses.dedup();
        }
    }

    /// GLSL 4.60, 7.1.5: a shader writes one of gl_FragColor, gl_FragData and its own outputs.
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

    /// Recursion is an error even if never reached (GLSL 4.60, 6.1.1). Iterative depth-first search with three colours.
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
