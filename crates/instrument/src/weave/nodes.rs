//! The parents of nodes in a shader's tree, and the functions that are reachable from `main`.

use std::collections::BTreeMap;

use shader::Shader;
use shader::ast::{Condition, DeclKind, ExprId, NodeId, StmtId, StmtKind};
use shader::query::Visit;
use shader::typed::{FunctionId, Target};

/// A part of a loop that is executed in every iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// The condition for another iteration.
    Condition,
    /// The expression at the end of an iteration.
    Step,
    /// The body.
    Body,
}

/// The nodes inside of functions, with their parents.
pub(crate) struct Nodes {
    parents: BTreeMap<NodeId, NodeId>,
    functions: BTreeMap<NodeId, FunctionId>,
    /// `main`.
    pub main: Option<FunctionId>,
    /// Whether each function is reachable from `main`.
    reached: Vec<bool>,
}

impl Nodes {
    pub fn new(shader: &Shader) -> Nodes {
        let (mut parents, mut functions) = (BTreeMap::new(), BTreeMap::new());
        let mut children = Vec::new();
        for (index, function) in shader.typed.functions.iter().enumerate() {
            let Some(body) = function.body else { continue };
            shader.walk(NodeId::Stmt(body), |node| {
                functions.insert(node, FunctionId(index as u32));
                shader.children(node, &mut children);
                parents.extend(children.iter().map(|&child| (child, node)));
                Visit::Into
            });
        }
        let named = |f: &shader::typed::Function| {
            shader.preprocessed.symbols.name(f.name) == "main" && f.body.is_some() && f.params.is_empty()
        };
        let main = shader.typed.functions.iter().position(named).map(|index| FunctionId(index as u32));
        let mut nodes = Nodes { parents, functions, main, reached: vec![false; shader.typed.functions.len()] };
        nodes.reach(shader);
        nodes
    }

    fn reach(&mut self, shader: &Shader) {
        let mut open: Vec<FunctionId> = self.main.into_iter().collect();
        while let Some(function) = open.pop() {
            if std::mem::replace(&mut self.reached[function.0 as usize], true) {
                continue;
            }
            for &(callee, _) in &shader.typed.function(function).calls {
                open.extend(candidates(shader, callee));
            }
        }
    }

    /// The parent of a node; `None` for the body of a function.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.parents.get(&node).copied()
    }

    /// The function whose body contains a node.
    pub fn function(&self, node: NodeId) -> Option<FunctionId> {
        self.functions.get(&node).copied()
    }

    /// Whether a node is reachable from `main`.
    pub fn is_reached(&self, node: NodeId) -> bool {
        self.function(node).is_some_and(|function| self.reached[function.0 as usize])
    }

    /// The ancestors of a node, starting with its parent.
    pub fn around(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(node), |&node| self.parent(node))
    }

    /// The loops that repeat a node, outermost first, and the part of each that contains it.
    pub(super) fn loops(&self, shader: &Shader, node: NodeId) -> Vec<(StmtId, Part)> {
        let mut found = Vec::new();
        let mut inner = node;
        for outer in self.around(node) {
            if let NodeId::Stmt(id) = outer
                && let Some(part) = part(shader, id, inner)
            {
                found.push((id, part));
            }
            inner = outer;
        }
        found.reverse();
        found
    }

    /// Whether a statement is where the language allows only a single one.
    pub fn stands_alone(&self, shader: &Shader, id: StmtId) -> bool {
        match self.parent(NodeId::Stmt(id)) {
            Some(NodeId::Stmt(parent)) => {
                !matches!(shader.tree.stmt(parent).kind, StmtKind::Block(_) | StmtKind::Switch { .. })
            }
            _ => false,
        }
    }

    /// The user-defined functions that a call may lead to.
    pub fn callees(&self, shader: &Shader, call: ExprId) -> Vec<FunctionId> {
        match shader.typed.expr(call).target {
            Target::Function(function) | Target::Subroutine(function) => candidates(shader, function),
            _ => Vec::new(),
        }
    }
}

/// The expression of a loop's condition: the initialiser if it is a declaration.
pub(super) fn asked(shader: &Shader, condition: Condition) -> Option<ExprId> {
    match condition {
        Condition::Expr(expr) => Some(expr),
        Condition::Decl(decl) => match &shader.tree.decl(decl).kind {
            DeclKind::Variables { declarators, .. } => declarators.first().and_then(|declarator| declarator.init),
            _ => None,
        },
    }
}

/// A function itself; for a subroutine type, its functions.
fn candidates(shader: &Shader, function: FunctionId) -> Vec<FunctionId> {
    if !shader.typed.function(function).subroutine_type {
        return vec![function];
    }
    let rows = shader.typed.functions.iter().enumerate();
    rows.filter(|(_, row)| row.implements.contains(&function)).map(|(i, _)| FunctionId(i as u32)).collect()
}

/// The part of a loop that a direct child is; `None` if it is not repeated, or the statement is not a loop.
fn part(shader: &Shader, id: StmtId, inner: NodeId) -> Option<Part> {
    let is = |condition: Option<Condition>| match condition {
        Some(Condition::Expr(expr)) => inner == NodeId::Expr(expr),
        Some(Condition::Decl(decl)) => inner == NodeId::Decl(decl),
        None => false,
    };
    match shader.tree.stmt(id).kind {
        StmtKind::While { condition, .. } if is(Some(condition)) => Some(Part::Condition),
        StmtKind::For { condition, .. } if is(condition) => Some(Part::Condition),
        StmtKind::DoWhile { condition, .. } if is(Some(Condition::Expr(condition))) => Some(Part::Step),
        StmtKind::For { step: Some(step), .. } if inner == NodeId::Expr(step) => Some(Part::Step),
        StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::For { body, .. }
            if inner == NodeId::Stmt(body) =>
        {
            Some(Part::Body)
        }
        _ => None,
    }
}
