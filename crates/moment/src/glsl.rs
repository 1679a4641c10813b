//! Moments of GLSL shaders: which node of the syntax tree a site is, and back.
//!
//! This is the only place where node ids and sites are converted. A node's number is its site's number, so that moments
//! as text show the numbers of the tree.

pub mod insert;
pub mod value;

use shader::Shader;
use shader::ast::{DeclId, ExprId, NodeId, StmtId, StmtKind};

use crate::{Moment, SiteId, SiteKind};

pub use value::Value;

impl From<ExprId> for SiteId {
    fn from(id: ExprId) -> SiteId {
        SiteId::expression(id.0)
    }
}

impl From<StmtId> for SiteId {
    fn from(id: StmtId) -> SiteId {
        SiteId::statement(id.0)
    }
}

impl From<DeclId> for SiteId {
    fn from(id: DeclId) -> SiteId {
        SiteId::declaration(id.0)
    }
}

impl From<NodeId> for SiteId {
    fn from(node: NodeId) -> SiteId {
        match node {
            NodeId::Expr(id) => id.into(),
            NodeId::Stmt(id) => id.into(),
            NodeId::Decl(id) => id.into(),
        }
    }
}

impl From<SiteId> for NodeId {
    fn from(site: SiteId) -> NodeId {
        match site.kind() {
            SiteKind::Expression => NodeId::Expr(ExprId(site.number())),
            SiteKind::Statement => NodeId::Stmt(StmtId(site.number())),
            SiteKind::Declaration => NodeId::Decl(DeclId(site.number())),
        }
    }
}

/// Returns the expression a site is; `None` if it is something else.
#[must_use]
pub fn expr(site: SiteId) -> Option<ExprId> {
    (site.kind() == SiteKind::Expression).then_some(ExprId(site.number()))
}

/// Returns the statement a site is; `None` if it is something else.
#[must_use]
pub fn stmt(site: SiteId) -> Option<StmtId> {
    (site.kind() == SiteKind::Statement).then_some(StmtId(site.number()))
}

/// Returns the moment of the stop that `moment` is part of: for an expression, that of its statement. `None` if it is in
/// no statement, or not of this shader.
#[must_use]
pub fn stop(shader: &Shader, moment: &Moment) -> Option<Moment> {
    let (tree, stmt) = (&shader.tree, |id: StmtId| shader.tree.stmt(id));
    let number = moment.site.number() as usize;
    let inner = match moment.site.kind() {
        SiteKind::Expression => tree.exprs.get(number)?.tokens,
        SiteKind::Statement => tree.stmts.get(number)?.tokens,
        SiteKind::Declaration => tree.decls.get(number)?.tokens,
    };
    let mut around = shader.statements().into_iter().filter(|&id| {
        let stops =
            !matches!(stmt(id).kind, StmtKind::Block(_) | StmtKind::Empty | StmtKind::Case(_) | StmtKind::Default);
        stops && stmt(id).tokens.first <= inner.first && inner.last <= stmt(id).tokens.last
    });
    // The last is the innermost, because each comes before those inside it.
    around.next_back().map(|id| Moment { site: id.into(), path: moment.path.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shader::version::{Options, Stage};

    #[test]
    fn expressions_belong_to_their_statements() {
        let text = "void main() { int a; for (int i = 0; i < 3; i++) { if (i > 1) { a = i + 5; } } }";
        let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
        let text_of = |site: SiteId| shader.sources.slice(shader.written(site.into()));
        let check = |expression: &str, statement: &str| {
            let mut all = (0..shader.tree.exprs.len() as u32).map(SiteId::expression);
            let site = all.find(|&site| text_of(site) == expression).expect("the expression");
            let at = stop(&shader, &Moment { site, path: Vec::new() }).expect("a statement");
            assert!(text_of(at.site).starts_with(statement), "{}", text_of(at.site));
            assert_eq!(stop(&shader, &at), Some(at));
        };
        check("i + 5", "a = i + 5;");
        check("i > 1", "if (i > 1)");
        check("i < 3", "for (");
        check("0", "int i = 0;");
        assert_eq!(stop(&shader, &Moment { site: SiteId::expression(999), path: Vec::new() }), None);
    }

    #[test]
    fn sites_and_nodes_are_the_same_places() {
        for node in [NodeId::Expr(ExprId(3)), NodeId::Stmt(StmtId(0)), NodeId::Decl(DeclId(u32::MAX))] {
            assert_eq!(NodeId::from(SiteId::from(node)), node);
        }
        assert_eq!((expr(SiteId::expression(7)), expr(SiteId::statement(7))), (Some(ExprId(7)), None));
        assert_eq!((stmt(SiteId::statement(7)), stmt(SiteId::expression(7))), (Some(StmtId(7)), None));
        // Moments of a shader are ordered as its nodes are.
        assert!(SiteId::from(ExprId(9)) < SiteId::from(StmtId(1)) && SiteId::from(StmtId(9)) < SiteId::from(DeclId(1)));
    }
}
