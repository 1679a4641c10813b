//! Functions across the units of a stage: definitions, calls, recursion, and reachability from `main`.

use std::collections::BTreeMap;

use super::Defined;
use super::linker::Linker;
use crate::analyze::Shader;
use crate::ast::{ExprId, StmtKind};
use crate::diagnostic::Severity;
use crate::token::TokenSpan;
use crate::typed::{Function, FunctionId, Target};

/// The functions of one stage by name and parameter types, and the units that are searched.
struct Signatures {
    by_key: BTreeMap<String, Vec<Defined>>,
    /// Implementations by the name of their subroutine type.
    subroutines: BTreeMap<String, Vec<Defined>>,
    /// By shader, computed on demand: calls outside of branches that are never taken, the first of each function.
    live: BTreeMap<usize, BTreeMap<FunctionId, ExprId>>,
}

/// A call on a path from a root: the caller, the position, and whether the callee was found through another unit or a
/// subroutine uniform, which the check of a single shader cannot see.
struct Frame {
    at: Defined,
    edges: Vec<Edge>,
    next: usize,
}

#[derive(Clone, Copy)]
struct Edge {
    to: Defined,
    call: ExprId,
    far: bool,
}

impl<'a> Linker<'a> {
    pub(super) fn function(&self, at: Defined) -> &'a Function {
        self.typed(at.shader).function(at.function)
    }

    fn function_key(&self, at: Defined) -> String {
        let row = self.function(at);
        let params: Vec<String> = row.params.iter().map(|p| self.type_name(at.shader, p.ty, None)).collect();
        format!("{}({})", self.name(at.shader, row.name), params.join(", "))
    }

    /// Finds `main`, missing and duplicate definitions and recursion in every stage, and what is used.
    pub(super) fn resolve_functions(&mut self) {
        self.used = self.shaders.iter().map(|s| vec![false; s.typed.variables.len()]).collect();
        for index in 0..self.stages.len() {
            let mut signatures = self.signatures(index);
            self.check_definitions(&signatures);
            self.find_main(index, &signatures);
            self.walk_calls(index, &mut signatures);
            self.mark_used(index);
        }
    }

    fn signatures(&self, index: usize) -> Signatures {
        let mut out = Signatures { by_key: BTreeMap::new(), subroutines: BTreeMap::new(), live: BTreeMap::new() };
        for &shader in &self.stages[index].units {
            for (i, row) in self.typed(shader).functions.iter().enumerate() {
                let at = Defined { shader, function: FunctionId(i as u32) };
                if row.subroutine_type {
                    continue;
                }
                out.by_key.entry(self.function_key(at)).or_default().push(at);
                for &ty in &row.implements {
                    let name = self.name(shader, self.typed(shader).function(ty).name);
                    out.subroutines.entry(name.to_owned()).or_default().push(at);
                }
            }
        }
        out
    }

    fn check_definitions(&mut self, signatures: &Signatures) {
        for (key, list) in &signatures.by_key {
            let mut defined: Option<Defined> = None;
            let first = list[0];
            for &at in list {
                let row = self.function(at);
                let token = Some(row.declared);
                let (result, expected) = (
                    self.type_name(at.shader, row.result, None),
                    self.type_name(first.shader, self.function(first).result, None),
                );
                if result != expected {
                    let message =
                        format!("function `{key}` returns `{result}` here and `{expected}` in another shader");
                    let note = self.place(first.shader, Some(self.function(first).declared));
                    let error = self.error_at(at.shader, token, "function-mismatch", message).note(note);
                    self.report(at.shader, error);
                }
                if row.body.is_none() {
                    continue;
                }
                // Two definitions in one shader were reported when it was checked.
                if let Some(other) = defined.filter(|o| o.shader != at.shader) {
                    let message = format!("function `{key}` is defined twice in this stage");
                    let note = self.place(other.shader, Some(self.function(other).declared));
                    let error = self.error_at(at.shader, token, "redefinition", message).note(note);
                    self.report(at.shader, error);
                }
                defined = defined.or(Some(at));
            }
        }
    }

    fn find_main(&mut self, index: usize, signatures: &Signatures) {
        let found = signatures.by_key.get("main()").into_iter().flatten().copied();
        let main = found.into_iter().find(|&at| self.function(at).body.is_some());
        self.stages[index].main = main;
        if main.is_none() {
            let stage = self.stages[index].stage.name();
            let shader = self.stages[index].units[0];
            let error = self.error_at(shader, None, "missing-main", format!("the {stage} shader has no `main`"));
            self.report(shader, error);
        }
    }

    /// The function that a call reaches; `None` if it is not defined.
    fn callees(&self, signatures: &Signatures, shader: usize, callee: FunctionId, call: ExprId) -> Option<Vec<Edge>> {
        let at = Defined { shader, function: callee };
        let row = self.function(at);
        if row.subroutine_type {
            let list = signatures.subroutines.get(self.name(shader, row.name)).map_or(&[][..], |l| l);
            return Some(list.iter().map(|&to| Edge { to, call, far: true }).collect());
        }
        if row.body.is_some() {
            return Some(vec![Edge { to: at, call, far: false }]);
        }
        let candidates = signatures.by_key.get(&self.function_key(at))?;
        let to = candidates.iter().copied().find(|&c| self.function(c).body.is_some())?;
        Some(vec![Edge { to, call, far: true }])
    }

    /// Depth first from `main`, then from the other functions of its unit: Mesa resolves the calls of unused functions
    /// only there, because other units provide only what is requested.
    fn walk_calls(&mut self, index: usize, signatures: &mut Signatures) {
        let mut state: Vec<Vec<u8>> = self.shaders.iter().map(|s| vec![0; s.typed.functions.len()]).collect();
        let mut reached = Vec::new();
        let main = self.stages[index].main;
        let units = self.stages[index].units.clone();
        let mut roots: Vec<Defined> = main.into_iter().collect();
        for &shader in &units {
            for &(callee, call) in &self.typed(shader).global_calls {
                let edges = self.callees(signatures, shader, callee, call);
                roots.extend(edges.into_iter().flatten().map(|e| e.to));
            }
        }
        let live = roots.len();
        let rest = main.map_or(units, |m| vec![m.shader]);
        for shader in rest {
            let count = self.typed(shader).functions.len() as u32;
            roots.extend((0..count).map(|i| Defined { shader, function: FunctionId(i) }));
        }
        for (number, root) in roots.into_iter().enumerate() {
            if number == live && main.is_some() {
                self.stages[index].reached = std::mem::take(&mut reached);
            }
            self.walk_from(root, signatures, &mut state, &mut reached);
        }
        if main.is_none() || self.stages[index].reached.is_empty() {
            self.stages[index].reached = reached;
        }
    }

    fn walk_from(
        &mut self,
        root: Defined,
        signatures: &mut Signatures,
        state: &mut [Vec<u8>],
        reached: &mut Vec<Defined>,
    ) {
        if state[root.shader][root.function.0 as usize] != 0 || self.function(root).body.is_none() {
            return;
        }
        let mut stack = vec![self.frame(root, signatures)];
        state[root.shader][root.function.0 as usize] = 1;
        while let Some(frame) = stack.last_mut() {
            let Some(&edge) = frame.edges.get(frame.next) else {
                let done = frame.at;
                state[done.shader][done.function.0 as usize] = 2;
                reached.push(done);
                stack.pop();
                continue;
            };
            frame.next += 1;
            let caller = frame.at.shader;
            let slot = &mut state[edge.to.shader][edge.to.function.0 as usize];
            match *slot {
                0 => {
                    *slot = 1;
                    stack.push(self.frame(edge.to, signatures));
                }
                1 => {
                    let start = stack.iter().position(|f| f.at == edge.to).unwrap_or(0);
                    let far = stack[start..].iter().any(|f| f.edges[f.next - 1].far);
                    if far {
                        self.recursion(caller, edge);
                    }
                }
                _ => {}
            }
        }
    }

    fn frame(&mut self, at: Defined, signatures: &mut Signatures) -> Frame {
        let calls = self.typed(at.shader).function(at.function).calls.as_slice();
        let mut edges = Vec::with_capacity(calls.len());
        for &(callee, call) in calls {
            match self.callees(signatures, at.shader, callee, call) {
                Some(list) => edges.extend(list),
                None => self.undefined(at.shader, callee, call, signatures),
            }
        }
        Frame { at, edges, next: 0 }
    }

    /// A call without a definition. Under a constant condition that is never true it does not matter: by the letter of
    /// the specification it is a static call, but drivers remove such branches first.
    fn undefined(&mut self, shader: usize, callee: FunctionId, call: ExprId, signatures: &mut Signatures) {
        let live =
            signatures.live.entry(shader).or_insert_with(|| live_calls(self.shaders[shader])).get(&callee).copied();
        let token = self.shaders[shader].tree.expr(live.unwrap_or(call)).tokens.first;
        let target = Defined { shader, function: callee };
        let message = format!("function `{}` is called but not defined", self.function_key(target));
        let declared = self.token_span(shader, self.function(target).declared);
        let mut finding =
            self.error_at(shader, Some(token), "undefined-function", message).label(declared, "declared here");
        if live.is_none() {
            finding.severity = Severity::Warning;
            finding.notes.push("the call is never made, so drivers let it pass".to_owned());
        }
        self.report(shader, finding);
    }

    fn recursion(&mut self, caller: usize, edge: Edge) {
        let key = self.function_key(edge.to);
        let token = self.shaders[caller].tree.expr(edge.call).tokens.first;
        let note = self.place(edge.to.shader, Some(self.function(edge.to).declared));
        let error =
            self.error_at(caller, Some(token), "recursion", format!("`{key}` calls itself through this")).note(note);
        self.report(caller, error);
    }

    fn mark_used(&mut self, index: usize) {
        let stage = &self.stages[index];
        for &at in &stage.reached {
            for variable in &self.shaders[at.shader].typed.function(at.function).uses {
                self.used[at.shader][variable.0 as usize] = true;
            }
        }
        // A variable that is mentioned, but by no function, is mentioned by a global initialiser.
        for &shader in &stage.units {
            let typed = self.typed(shader);
            let mut in_function = vec![false; typed.variables.len()];
            for variable in typed.functions.iter().flat_map(|f| &f.uses) {
                in_function[variable.0 as usize] = true;
            }
            for (i, row) in typed.variables.iter().enumerate() {
                self.used[shader][i] |= !in_function[i] && (row.read || row.written);
            }
        }
    }
}

/// The first call of each function that is not under a condition known to be false.
fn live_calls(shader: &Shader) -> BTreeMap<FunctionId, ExprId> {
    let (tree, typed) = (&shader.tree, &shader.typed);
    let mut dead: Vec<TokenSpan> = Vec::new();
    for stmt in &tree.stmts {
        let StmtKind::If { condition, then, otherwise } = stmt.kind else { continue };
        let value = typed.expr(condition).constant.and_then(|c| typed.constants.as_bool(c));
        let branch = value.and_then(|taken| if taken { otherwise } else { Some(then) });
        dead.extend(branch.map(|b| tree.stmt(b).tokens));
    }
    dead.sort_unstable_by_key(|span| span.first);
    // Branches are nested or disjoint, so the outermost ones suffice.
    dead.dedup_by(|inner, outer| inner.last <= outer.last);
    let mut calls = BTreeMap::new();
    for (i, facts) in typed.exprs.iter().enumerate() {
        let Target::Function(callee) = facts.target else { continue };
        let token = tree.exprs[i].tokens.first;
        let next = dead.partition_point(|span| span.first <= token);
        if next.checked_sub(1).is_none_or(|before| dead[before].last < token) {
            calls.entry(callee).or_insert(ExprId(i as u32));
        }
    }
    calls
}
