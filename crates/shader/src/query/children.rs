//! The children of nodes.

use crate::analyze::Shader;
use crate::ast::{
    ArrayDim, Callee, Condition, DeclId, DeclKind, Declarator, ExprId, ExprKind, MemberSyntax, NodeId, QualifierKind,
    QualifierSyntax, StmtId, StmtKind, TypeSyntax, TypeSyntaxKind,
};

impl Shader {
    /// Stores the children of a node in `out`, in source order, replacing its contents.
    pub fn children(&self, node: NodeId, out: &mut Vec<NodeId>) {
        out.clear();
        match node {
            NodeId::Expr(id) => self.of_expr(id, out),
            NodeId::Stmt(id) => self.of_stmt(id, out),
            NodeId::Decl(id) => self.of_decl(id, out),
        }
    }

    fn of_expr(&self, id: ExprId, out: &mut Vec<NodeId>) {
        match self.tree.expr(id).kind {
            ExprKind::Error | ExprKind::Name(_) | ExprKind::Literal(_) => {}
            ExprKind::Paren(a) | ExprKind::Unary(_, a) | ExprKind::Field(a, _) => out.push(NodeId::Expr(a)),
            ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) | ExprKind::Comma(a, b) | ExprKind::Index(a, b) => {
                out.extend([a, b].map(NodeId::Expr));
            }
            ExprKind::Conditional(a, b, c) => out.extend([a, b, c].map(NodeId::Expr)),
            ExprKind::Call(callee, arguments) => {
                match callee {
                    Callee::Name(_) | Callee::Type(_) => {}
                    Callee::Array(decl) => out.push(NodeId::Decl(decl)),
                    Callee::Expr(expr) => out.push(NodeId::Expr(expr)),
                }
                out.extend(self.tree.exprs_of(arguments).iter().map(|&e| NodeId::Expr(e)));
            }
            ExprKind::Initializers(list) => out.extend(self.tree.exprs_of(list).iter().map(|&e| NodeId::Expr(e))),
        }
    }

    fn of_stmt(&self, id: StmtId, out: &mut Vec<NodeId>) {
        match self.tree.stmt(id).kind {
            StmtKind::Error
            | StmtKind::Empty
            | StmtKind::Default
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Discard
            | StmtKind::Demote => {}
            StmtKind::Block(list) => out.extend(self.tree.stmts_of(list).iter().map(|&s| NodeId::Stmt(s))),
            StmtKind::Expr(e) | StmtKind::Case(e) | StmtKind::Return(Some(e)) => out.push(NodeId::Expr(e)),
            StmtKind::Decl(d) => out.push(NodeId::Decl(d)),
            StmtKind::If { condition, then, otherwise } => {
                out.push(NodeId::Expr(condition));
                out.push(NodeId::Stmt(then));
                out.extend(otherwise.map(NodeId::Stmt));
            }
            StmtKind::While { condition: c, body } => {
                out.push(condition(c));
                out.push(NodeId::Stmt(body));
            }
            StmtKind::DoWhile { body, condition } => {
                out.push(NodeId::Stmt(body));
                out.push(NodeId::Expr(condition));
            }
            StmtKind::For { init, condition: c, step, body } => {
                out.push(NodeId::Stmt(init));
                out.extend(c.map(condition));
                out.extend(step.map(NodeId::Expr));
                out.push(NodeId::Stmt(body));
            }
            StmtKind::Switch { selector, body } => {
                out.push(NodeId::Expr(selector));
                out.extend(self.tree.stmts_of(body).iter().map(|&s| NodeId::Stmt(s)));
            }
        }
    }

    fn of_decl(&self, id: DeclId, out: &mut Vec<NodeId>) {
        match &self.tree.decl(id).kind {
            DeclKind::Error | DeclKind::Empty => {}
            DeclKind::Function(function) => {
                qualifiers(&function.qualifiers, out);
                of_type(&function.result, out);
                for param in &function.params {
                    qualifiers(&param.qualifiers, out);
                    of_type(&param.ty, out);
                    dims(&param.dims, out);
                }
                out.extend(function.body.map(NodeId::Stmt));
            }
            DeclKind::Variables { qualifiers: q, ty, declarators: d } => {
                qualifiers(q, out);
                of_type(ty, out);
                declarators(d, out);
            }
            DeclKind::Precision(_, ty) | DeclKind::TypeName(ty) => of_type(ty, out),
            DeclKind::Block(block) => {
                qualifiers(&block.qualifiers, out);
                members(&block.members, out);
                dims(&block.dims, out);
            }
            DeclKind::Qualifiers(q, _) => qualifiers(q, out),
        }
    }
}

/// The node of a loop's condition.
pub(super) fn condition(condition: Condition) -> NodeId {
    match condition {
        Condition::Expr(expr) => NodeId::Expr(expr),
        Condition::Decl(decl) => NodeId::Decl(decl),
    }
}

fn qualifiers(list: &[QualifierSyntax], out: &mut Vec<NodeId>) {
    for qualifier in list {
        if let QualifierKind::Layout(arguments) = &qualifier.kind {
            out.extend(arguments.iter().filter_map(|a| a.value).map(NodeId::Expr));
        }
    }
}

/// Structures cannot be defined inside of structures (the parser stops at a bounded depth), so the recursion is
/// shallow.
fn of_type(ty: &TypeSyntax, out: &mut Vec<NodeId>) {
    if let TypeSyntaxKind::Struct(structure) = &ty.kind {
        members(&structure.members, out);
    }
    dims(&ty.dims, out);
}

fn members(list: &[MemberSyntax], out: &mut Vec<NodeId>) {
    for member in list {
        qualifiers(&member.qualifiers, out);
        of_type(&member.ty, out);
        declarators(&member.declarators, out);
    }
}

fn declarators(list: &[Declarator], out: &mut Vec<NodeId>) {
    for declarator in list {
        dims(&declarator.dims, out);
        out.extend(declarator.init.map(NodeId::Expr));
    }
}

fn dims(list: &[ArrayDim], out: &mut Vec<NodeId>) {
    out.extend(list.iter().filter_map(|dim| dim.size).map(NodeId::Expr));
}
