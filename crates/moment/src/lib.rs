//! Addresses in the run of a shader.
//!
//! A [`Moment`] is a node of the syntax tree and the way in: the calls and loop iterations around it, outermost first.
//! It names one point in the run of one invocation, whoever runs it. [`Marker`]s are what a run passes on its way, and a
//! [`Tracker`] keeps the way in from them; nothing else makes moments.
//!
//! As text a moment is its site (`s12`: statement 12; `e` for expressions, `d` for declarations) and, behind a colon,
//! its way: `s12:call@34/loop@56#3` is statement 12, reached through call expression 34 in the fourth iteration of loop
//! statement 56. Numbers are those of the tree, which are the same for the same source text.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod insert;
mod text;
mod tracker;
pub mod value;

use shader::Shader;
use shader::ast::{ExprId, NodeId, StmtId, StmtKind};

pub use text::ParseError;
pub use tracker::Tracker;
pub use value::Value;

/// One step of the way to a moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// Through a call.
    Call(ExprId),
    /// In an iteration of a loop, counted from zero. The test that ends the loop belongs to an iteration of its own.
    Iteration(StmtId, u32),
}

/// A point in the run of one invocation.
///
/// Moments are ordered by site; those of one site by their way in, so that iterations of one loop are in the order they
/// are run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Moment {
    /// Where in the source.
    pub site: NodeId,
    /// The way in, outermost first.
    pub path: Vec<Step>,
}

impl Moment {
    /// The moment of the stop that this is part of: of an expression, that of its statement. `None` if it is in none, or
    /// not of this shader.
    #[must_use]
    pub fn stop(&self, shader: &Shader) -> Option<Moment> {
        let (tree, stmt) = (&shader.tree, |id: StmtId| shader.tree.stmt(id));
        let inner = match self.site {
            NodeId::Expr(id) => tree.exprs.get(id.0 as usize)?.tokens,
            NodeId::Stmt(id) => tree.stmts.get(id.0 as usize)?.tokens,
            NodeId::Decl(id) => tree.decls.get(id.0 as usize)?.tokens,
        };
        let mut around = shader.statements().into_iter().filter(|&id| {
            let stops =
                !matches!(stmt(id).kind, StmtKind::Block(_) | StmtKind::Empty | StmtKind::Case(_) | StmtKind::Default);
            stops && stmt(id).tokens.first <= inner.first && inner.last <= stmt(id).tokens.last
        });
        // The last is the innermost, for each comes before those inside it.
        around.next_back().map(|id| Moment { site: NodeId::Stmt(id), path: self.path.clone() })
    }

    /// How many calls lie around it.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.path.iter().filter(|step| matches!(step, Step::Call(_))).count()
    }
}

/// Where a run is, in terms of the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Marker {
    /// A statement begins.
    Statement(StmtId),
    /// A call is entered.
    Enter(ExprId),
    /// The innermost call is left. Loops that were still open in it are left with it.
    Leave,
    /// A loop begins.
    Loop(StmtId),
    /// The innermost loop begins another iteration.
    Iterate,
    /// The innermost loop is left.
    Done,
}

impl Marker {
    /// Whether stepping stops here: where a statement begins, and where a loop begins an iteration.
    #[must_use]
    pub fn is_stop(self) -> bool {
        matches!(self, Marker::Statement(_) | Marker::Iterate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shader::version::{Options, Stage};

    #[test]
    fn expressions_belong_to_their_statements() {
        let text = "void main() { int a; for (int i = 0; i < 3; i++) { if (i > 1) { a = i + 5; } } }";
        let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
        let text_of = |node| shader.sources.slice(shader.written(node));
        let check = |expression: &str, statement: &str| {
            let mut all = (0..shader.tree.exprs.len() as u32).map(|id| NodeId::Expr(ExprId(id)));
            let site = all.find(|&node| text_of(node) == expression).expect("the expression");
            let stop = Moment { site, path: Vec::new() }.stop(&shader).expect("a statement");
            assert!(text_of(stop.site).starts_with(statement), "{}", text_of(stop.site));
            assert_eq!(stop.stop(&shader), Some(stop));
        };
        check("i + 5", "a = i + 5;");
        check("i > 1", "if (i > 1)");
        check("i < 3", "for (");
        check("0", "int i = 0;");
        assert_eq!(Moment { site: NodeId::Expr(ExprId(999)), path: Vec::new() }.stop(&shader), None);
    }
}
