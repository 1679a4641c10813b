//! The source map of a shader.

use shader::Shader;
use shader::ast::{DeclId, ExprId, NodeId, StmtId};
use shader::query::Visit;

use crate::ir::{SiteId, SourceMap, SourceSite};

/// Returns where the nodes of a shader stand in its text.
#[must_use]
pub fn source_map(shader: &Shader) -> SourceMap {
    let site = |node: NodeId| {
        let (written, tokens) = (shader.written(node), shader.tree.tokens(node));
        SourceSite {
            span: (written.start.0, written.end.0),
            line: shader.sources.locate(written.start).line,
            extent: (tokens.first.0, tokens.last.0),
            step: None,
        }
    };
    let tree = &shader.tree;
    let mut map = SourceMap {
        expressions: (0..tree.exprs.len() as u32).map(|id| site(NodeId::Expr(ExprId(id)))).collect(),
        statements: (0..tree.stmts.len() as u32).map(|id| site(NodeId::Stmt(StmtId(id)))).collect(),
        declarations: (0..tree.decls.len() as u32).map(|id| site(NodeId::Decl(DeclId(id)))).collect(),
    };
    for boundary in shader.statement_boundaries() {
        shader.walk(boundary, |node| {
            if let NodeId::Expr(id) = node {
                map.expressions[id.0 as usize].step = Some(SiteId::from(boundary));
            }
            Visit::Into
        });
    }
    map
}
