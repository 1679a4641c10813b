//! Queries about a checked shader: the node at a position, its type, visible variables, stops for stepping.
//!
//! All queries use the tables made by [`analyze`](crate::analyze); nothing is cached, and no traversal recurses: chains
//! of operators lean left and chains of `else if` lean right, and either may have millions of elements.

mod children;
mod parts;
mod position;
#[cfg(test)]
mod tests;
mod value;

use crate::analyze::Shader;
use crate::ast::{DeclKind, NodeId, StmtId, StmtKind};
use crate::constant::Constant;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{Expansion, ExpansionId, TokenIndex, TokenSpan};
use crate::typed::{FunctionId, ScopeId, VarId};
use crate::types::Type;

pub use parts::UsedPart;

/// Where a traversal continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visit {
    /// With the node's children.
    Into,
    /// With what comes after the node.
    Over,
    /// Nowhere.
    Stop,
}

impl Shader {
    /// Visits a node and its descendants, each node before its children, in source order.
    pub fn walk(&self, root: NodeId, mut visit: impl FnMut(NodeId) -> Visit) {
        let mut stack = vec![root];
        let mut children = Vec::new();
        while let Some(node) = stack.pop() {
            match visit(node) {
                Visit::Stop => return,
                Visit::Over => {}
                Visit::Into => {
                    self.children(node, &mut children);
                    stack.extend(children.drain(..).rev());
                }
            }
        }
    }

    /// All statements in function bodies, each before those inside it.
    #[must_use]
    pub fn statements(&self) -> Vec<StmtId> {
        let mut found = Vec::new();
        self.walk_items(|node| {
            if let NodeId::Stmt(id) = node {
                found.push(id);
            }
            if matches!(node, NodeId::Expr(_)) { Visit::Over } else { Visit::Into }
        });
        found
    }

    /// The stops for stepping, in source order: statements that do something themselves, and the conditions, selectors
    /// and steps of control flow statements.
    #[must_use]
    pub fn statement_boundaries(&self) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut headers = Vec::new();
        self.walk_items(|node| {
            let id = match node {
                // Expressions are reached only as parts of control flow statements.
                NodeId::Expr(_) => {
                    found.push(node);
                    return Visit::Over;
                }
                NodeId::Decl(id) => {
                    // A function's body is walked into; a declaration in a loop's condition is itself the boundary.
                    let is_function = matches!(self.tree.decl(id).kind, DeclKind::Function(_));
                    if !is_function && headers.last() == Some(&node) {
                        found.push(node);
                    }
                    return if is_function { Visit::Into } else { Visit::Over };
                }
                NodeId::Stmt(id) => id,
            };
            match self.tree.stmt(id).kind {
                StmtKind::Block(_) | StmtKind::If { .. } | StmtKind::DoWhile { .. } | StmtKind::Switch { .. } => {
                    Visit::Into
                }
                StmtKind::While { condition, .. } | StmtKind::For { condition: Some(condition), .. } => {
                    headers.push(children::condition(condition));
                    Visit::Into
                }
                StmtKind::For { condition: None, .. } => Visit::Into,
                StmtKind::Error | StmtKind::Empty | StmtKind::Case(_) | StmtKind::Default => Visit::Over,
                StmtKind::Expr(_)
                | StmtKind::Decl(_)
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Return(_)
                | StmtKind::Discard
                | StmtKind::Demote => {
                    found.push(node);
                    Visit::Over
                }
            }
        });
        found
    }

    /// The type of an expression before any implicit conversion; `None` for other nodes.
    #[must_use]
    pub fn type_of(&self, node: NodeId) -> Option<Type> {
        match node {
            NodeId::Expr(id) => Some(self.typed.expr(id).ty),
            NodeId::Stmt(_) | NodeId::Decl(_) => None,
        }
    }

    /// The value of a constant expression.
    #[must_use]
    pub fn constant_of(&self, node: NodeId) -> Option<Constant> {
        match node {
            NodeId::Expr(id) => self.typed.expr(id).constant,
            NodeId::Stmt(_) | NodeId::Decl(_) => None,
        }
    }

    /// Whether executing a node may have an effect: on a variable, on memory, or on whether the invocation continues. A
    /// declaration with an initialiser has one.
    #[must_use]
    pub fn has_side_effects(&self, node: NodeId) -> bool {
        let mut found = false;
        self.walk(node, |node| {
            found |= match node {
                NodeId::Expr(id) => self.typed.expr(id).side_effects,
                NodeId::Stmt(id) => matches!(self.tree.stmt(id).kind, StmtKind::Discard | StmtKind::Demote),
                NodeId::Decl(id) => match &self.tree.decl(id).kind {
                    DeclKind::Variables { declarators, .. } => declarators.iter().any(|d| d.init.is_some()),
                    _ => false,
                },
            };
            match node {
                _ if found => Visit::Stop,
                // The effects of an expression include those of its operands.
                NodeId::Expr(_) => Visit::Over,
                NodeId::Stmt(_) | NodeId::Decl(_) => Visit::Into,
            }
        });
        found
    }

    /// The innermost scope that contains a node.
    #[must_use]
    pub fn scope_of(&self, node: NodeId) -> ScopeId {
        let token = self.tree.tokens(node).first;
        // Scopes are listed in the order they open, so the last one that contains a token is the innermost.
        let around = |tokens: TokenSpan| tokens.first <= token && token <= tokens.last;
        let innermost = self.typed.scopes.iter().rposition(|scope| around(scope.tokens));
        ScopeId(innermost.unwrap_or(0) as u32)
    }

    /// The variables that an expression in place of this node could name: innermost scope first, in each in order of
    /// declaration. Hidden ones are omitted, and so are built-in ones that the shader never names.
    #[must_use]
    pub fn visible_variables(&self, node: NodeId) -> Vec<VarId> {
        let token = self.tree.tokens(node).first;
        let mut chain = vec![self.scope_of(node)];
        while let Some(&scope) = chain.last().filter(|scope| **scope != ScopeId::GLOBAL) {
            chain.push(self.typed.scopes[scope.0 as usize].parent);
        }
        let mut candidates: Vec<(usize, VarId)> = Vec::new();
        for (index, variable) in self.typed.variables.iter().enumerate() {
            if let Some(depth) = chain.iter().position(|scope| *scope == variable.scope)
                && variable.visible_from <= token
            {
                candidates.push((depth, VarId(index as u32)));
            }
        }
        candidates.sort_by_key(|(depth, _)| *depth);
        let mut taken = std::collections::BTreeSet::<Symbol>::new();
        candidates.retain(|(_, id)| taken.insert(self.typed.variable(*id).name));
        candidates.into_iter().map(|(_, id)| id).collect()
    }

    /// The name in a variable's declaration; `None` for built-ins.
    #[must_use]
    pub fn definition(&self, variable: VarId) -> Option<Span> {
        let token: TokenIndex = self.typed.variable(variable).declared?;
        Some(self.preprocessed.span(TokenSpan { first: token, last: token }).0)
    }

    /// The span of a node, and the macro expansion that contains it.
    #[must_use]
    pub fn span(&self, node: NodeId) -> (Span, ExpansionId) {
        self.preprocessed.span(self.tree.tokens(node))
    }

    /// The span of a node in the original text: from its own characters, or the outermost macro call they came from, to
    /// the same at its end.
    #[must_use]
    pub fn written(&self, node: NodeId) -> Span {
        let tokens = self.tree.tokens(node);
        let of = |index: TokenIndex| self.written_token(&self.preprocessed.tokens[index.0 as usize]);
        of(tokens.first).to(of(tokens.last))
    }

    /// The macro expansions a node came through, innermost first.
    pub fn expansion_chain(&self, node: NodeId) -> impl Iterator<Item = &Expansion> {
        let (_, id) = self.span(node);
        self.preprocessed.chain(id).map(|id| self.preprocessed.expansion(id))
    }

    /// The function whose definition a node is part of.
    #[must_use]
    pub fn enclosing_function(&self, node: NodeId) -> Option<FunctionId> {
        let tokens = self.tree.tokens(node);
        let index = self.typed.functions.iter().position(|function| {
            let around = function.definition.map(|decl| self.tree.decl(decl).tokens);
            around.is_some_and(|around| around.first <= tokens.first && tokens.last <= around.last)
        })?;
        Some(FunctionId(index as u32))
    }

    /// A type as it would be written in source.
    #[must_use]
    pub fn type_name(&self, ty: Type) -> String {
        self.typed.types.name(&self.preprocessed.symbols, ty)
    }

    /// Traverses all declarations of the shader.
    fn walk_items(&self, mut visit: impl FnMut(NodeId) -> Visit) {
        for &item in &self.tree.items {
            let mut stopped = false;
            self.walk(NodeId::Decl(item), |node| {
                let next = visit(node);
                stopped = next == Visit::Stop;
                next
            });
            if stopped {
                return;
            }
        }
    }
}
