//! A path to a site, found statically.

use moment::{Moment, Step};
use shader::Shader;
use shader::ast::{ExprId, NodeId};

use super::nodes::Nodes;

/// The first path in source order from `main` to a site: through the first call of each function, with all loops in
/// their first iteration except the innermost, which is in the given one. `None` if the site is unreachable.
#[must_use]
pub fn first_way(shader: &Shader, site: NodeId, iteration: u32) -> Option<Moment> {
    let nodes = Nodes::new(shader);
    let mut path = Vec::new();
    let mut at = site;
    let mut number = iteration;
    loop {
        for (id, _) in nodes.loops(shader, at).into_iter().rev() {
            path.push(Step::Iteration(id.into(), std::mem::take(&mut number)));
        }
        let function = nodes.function(at).filter(|_| nodes.is_reached(at))?;
        if Some(function) == nodes.main {
            path.reverse();
            return Some(Moment { site: site.into(), path });
        }
        let mut all = (0..shader.tree.exprs.len() as u32).map(ExprId);
        let call =
            all.find(|&id| nodes.is_reached(NodeId::Expr(id)) && nodes.callees(shader, id).contains(&function))?;
        path.push(Step::Call(call.into()));
        // Recursion is an error of the shader, not of this code.
        if path.len() > shader.tree.stmts.len() + shader.typed.functions.len() {
            return None;
        }
        at = NodeId::Expr(call);
    }
}

#[cfg(test)]
mod tests {
    use shader::version::{Options, Stage};

    use super::*;

    #[test]
    fn the_first_path_goes_through_calls_and_loops() {
        let text = "float f(float x) { for (int k = 0; k < 2; k++) x *= 2.0; return x; }
                    float g(float x) { return x; }
                    void main() { float a = 1.0; for (int i = 0; i < 3; i++) { a = f(a) + f(2.0); } }";
        let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
        let at = |words: &str| {
            let all = shader.statement_boundaries();
            *all.iter().find(|&&node| shader.sources.slice(shader.written(node)) == words).expect("a statement")
        };
        let way = first_way(&shader, at("x *= 2.0;"), 1).expect("a way");
        let steps: Vec<String> = way
            .path
            .iter()
            .map(|step| match step {
                Step::Call(call) => shader.sources.slice(shader.written((*call).into())).to_owned(),
                Step::Iteration(_, number) => number.to_string(),
            })
            .collect();
        assert_eq!(steps, ["0", "f(a)", "1"]);
        let mut all = (0..shader.tree.stmts.len() as u32).map(|id| NodeId::Stmt(shader::ast::StmtId(id)));
        let unused = all.rfind(|&node| shader.sources.slice(shader.written(node)) == "return x;").expect("a return");
        assert!(first_way(&shader, unused, 0).is_none(), "g is not called");
    }
}
