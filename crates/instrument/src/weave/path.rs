//! The path to a moment: the calls that lead there, and the iterations of loops.

use moment::{Moment, SiteId, Step};
use shader::Shader;
use shader::ast::{ExprId, NodeId, StmtId};

use super::nodes::{Nodes, Part};
use crate::variant::Refusal;

/// An iteration of a loop, from one of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LoopIteration {
    pub id: StmtId,
    pub part: Part,
    /// Counted from zero.
    pub number: u32,
}

/// The path to a moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct CallPath {
    /// Calls, outermost first, each with the iterations around it in its function.
    pub calls: Vec<(ExprId, Vec<LoopIteration>)>,
    /// The iterations around the site in its function.
    pub last: Vec<LoopIteration>,
}

impl CallPath {
    /// Checks that a shader has such a moment. `head` is set if the moment is the beginning of a loop's iteration.
    pub fn new(shader: &Shader, nodes: &Nodes, moment: &Moment, head: Option<StmtId>) -> Result<CallPath, Refusal> {
        let no = |why: &str| Refusal::NoMoment(format!("{moment}: {why}"));
        let mut function = nodes.main.ok_or_else(|| no("the shader has no main"))?;
        let mut candidates = vec![function];
        let mut path = CallPath::default();
        let mut iterations = Vec::new();
        for step in &moment.path {
            match *step {
                Step::Iteration(id, number) => iterations.push((id, number)),
                Step::Call(call) => {
                    let call = moment::glsl::expr(call).ok_or_else(|| no("a call is not an expression"))?;
                    let node = NodeId::Expr(call);
                    let known = nodes.function(node).filter(|f| candidates.contains(f));
                    function =
                        known.ok_or_else(|| no("a call is not in the function that the previous call enters"))?;
                    let around = iterations_of(nodes.loops(shader, node), &iterations);
                    path.calls.push((call, around.ok_or_else(|| no("a call is not in these loops"))?));
                    iterations.clear();
                    candidates = nodes.callees(shader, call);
                }
            }
        }
        let _ = function;
        nodes
            .function(moment.site.into())
            .filter(|f| candidates.contains(f))
            .ok_or_else(|| no("the site is in another function"))?;
        let mut loops = nodes.loops(shader, moment.site.into());
        loops.extend(head.map(|id| (id, Part::Condition)));
        path.last = iterations_of(loops, &iterations).ok_or_else(|| no("the site is not in these loops"))?;
        Ok(path)
    }

    /// The loops whose iterations must be counted, each once.
    pub fn loops(&self) -> Vec<StmtId> {
        let all = self.calls.iter().flat_map(|(_, iterations)| iterations).chain(&self.last);
        let mut loops: Vec<StmtId> = all.map(|iteration| iteration.id).collect();
        loops.sort_unstable();
        loops.dedup();
        loops
    }
}

fn iterations_of(loops: Vec<(StmtId, Part)>, iterations: &[(SiteId, u32)]) -> Option<Vec<LoopIteration>> {
    let same =
        loops.len() == iterations.len() && loops.iter().zip(iterations).all(|((a, _), (b, _))| SiteId::from(*a) == *b);
    let made = |((id, part), &(_, number)): ((StmtId, Part), &(SiteId, u32))| LoopIteration { id, part, number };
    same.then(|| loops.into_iter().zip(iterations).map(made).collect())
}
