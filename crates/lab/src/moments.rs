//! Random moments that a run may reach.

use std::collections::BTreeMap;

use moment::{Moment, Step};
use shader::Shader;
use shader::ast::{ExprId, NodeId, StmtKind};
use shader::query::Visit;
use shader::query_rvalue::Uses;
use shader::typed::{FunctionId, Target};

/// The moments in a shader that are reachable from `main`.
pub struct ReachableMoments<'a> {
    shader: &'a Shader,
    parents: BTreeMap<NodeId, NodeId>,
    functions: BTreeMap<NodeId, FunctionId>,
    main: FunctionId,
    /// The calls of each function, in functions reachable from `main`.
    calls: BTreeMap<FunctionId, Vec<ExprId>>,
    /// Statements and expressions in functions reachable from `main`.
    statements: Vec<NodeId>,
    values: Vec<NodeId>,
}

impl<'a> ReachableMoments<'a> {
    /// Collects them; `None` if the shader has no `main`.
    #[must_use]
    pub fn new(shader: &'a Shader) -> Option<ReachableMoments<'a>> {
        let named = |f: &shader::typed::Function| {
            shader.preprocessed.symbols.name(f.name) == "main" && f.body.is_some() && f.params.is_empty()
        };
        let main = FunctionId(shader.typed.functions.iter().position(named)? as u32);
        let mut moments = ReachableMoments {
            shader,
            parents: BTreeMap::new(),
            functions: BTreeMap::new(),
            main,
            calls: BTreeMap::new(),
            statements: Vec::new(),
            values: Vec::new(),
        };
        let mut open = vec![main];
        let mut seen = vec![main];
        while let Some(function) = open.pop() {
            for callee in moments.visit(function) {
                if !seen.contains(&callee) {
                    seen.push(callee);
                    open.push(callee);
                }
            }
        }
        let uses = Uses::new(shader);
        moments.values.retain(|node| matches!(node, NodeId::Expr(id) if uses.is_rvalue(*id)));
        let boundaries = shader.statement_boundaries();
        moments.statements.retain(|node| boundaries.contains(node));
        Some(moments)
    }

    /// Records the nodes of a function; returns the functions it calls.
    fn visit(&mut self, function: FunctionId) -> Vec<FunctionId> {
        let shader = self.shader;
        let Some(body) = shader.typed.function(function).body else { return Vec::new() };
        let mut called = Vec::new();
        let mut children = Vec::new();
        shader.walk(NodeId::Stmt(body), |node| {
            self.functions.insert(node, function);
            shader.children(node, &mut children);
            self.parents.extend(children.iter().map(|&child| (child, node)));
            match node {
                NodeId::Stmt(_) => self.statements.push(node),
                NodeId::Expr(id) => {
                    self.values.push(node);
                    if let Target::Function(callee) = shader.typed.expr(id).target {
                        self.calls.entry(callee).or_default().push(id);
                        called.push(callee);
                    }
                }
                NodeId::Decl(_) => {}
            }
            Visit::Into
        });
        called
    }

    /// A moment at a random statement; `below` returns a random number below its argument.
    pub fn statement(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<Moment> {
        let count = u32::try_from(self.statements.len()).ok().filter(|count| *count > 0)?;
        Some(self.moment(self.statements[below(count) as usize], below))
    }

    /// A moment at a random expression whose value is computed and read.
    pub fn value(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<Moment> {
        let count = u32::try_from(self.values.len()).ok().filter(|count| *count > 0)?;
        Some(self.moment(self.values[below(count) as usize], below))
    }

    /// A moment at a node, with a random chain of calls leading to it.
    fn moment(&self, site: NodeId, below: &mut dyn FnMut(u32) -> u32) -> Moment {
        let mut path = Vec::new();
        let mut at = site;
        // Recursion is not allowed in any version, but broken shaders may have it.
        for _ in 0..64 {
            let mut node = at;
            while let Some(&parent) = self.parents.get(&node) {
                if let NodeId::Stmt(id) = parent {
                    let repeated = match self.shader.tree.stmt(id).kind {
                        StmtKind::For { init, .. } => node != NodeId::Stmt(init),
                        StmtKind::While { .. } | StmtKind::DoWhile { .. } => true,
                        _ => false,
                    };
                    if repeated {
                        path.push(Step::Iteration(id.into(), below(3)));
                    }
                }
                node = parent;
            }
            let function = self.functions.get(&at).copied().unwrap_or(self.main);
            let calls = self.calls.get(&function).filter(|_| function != self.main);
            let Some(calls) = calls.filter(|calls| !calls.is_empty()) else { break };
            let call = calls[below(u32::try_from(calls.len()).unwrap_or(1)) as usize];
            path.push(Step::Call(call.into()));
            at = NodeId::Expr(call);
        }
        path.reverse();
        Moment { site: site.into(), path }
    }
}
