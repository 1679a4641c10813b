//! The way to a moment: which calls lead there, and in which iterations of which loops.

use moment::{Moment, SiteId, Step};
use shader::Shader;
use shader::ast::{ExprId, NodeId, StmtId};

use super::nodes::{Nodes, Part};
use crate::variant::Refusal;

/// An iteration of a loop, seen from a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    pub id: StmtId,
    pub part: Part,
    /// Counted from zero.
    pub iteration: u32,
}

/// The way to a moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Way {
    /// Calls, outermost first, each with the iterations around it in its function.
    pub calls: Vec<(ExprId, Vec<Turn>)>,
    /// The iterations around the site in its function.
    pub last: Vec<Turn>,
}

impl Way {
    /// Checks that a shader has such a moment. `head` is set for a moment at which a loop begins an iteration.
    pub fn new(shader: &Shader, nodes: &Nodes, moment: &Moment, head: Option<StmtId>) -> Result<Way, Refusal> {
        let no = |why: &str| Refusal::NoMoment(format!("{moment}: {why}"));
        let mut function = nodes.main.ok_or_else(|| no("it has no main"))?;
        let mut candidates = vec![function];
        let mut way = Way::default();
        let mut iterations = Vec::new();
        for step in &moment.path {
            match *step {
                Step::Iteration(id, number) => iterations.push((id, number)),
                Step::Call(call) => {
                    let call = moment::glsl::expr(call).ok_or_else(|| no("a call is not an expression"))?;
                    let node = NodeId::Expr(call);
                    let known = nodes.function(node).filter(|f| candidates.contains(f));
                    function =
                        known.ok_or_else(|| no("one call is not in the function that the one before it leads to"))?;
                    let turns = turns(nodes.loops(shader, node), &iterations);
                    way.calls.push((call, turns.ok_or_else(|| no("a call is not in these loops"))?));
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
        way.last = turns(loops, &iterations).ok_or_else(|| no("the site is not in these loops"))?;
        Ok(way)
    }

    /// The loops whose iterations have to be counted, each once.
    pub fn loops(&self) -> Vec<StmtId> {
        let all = self.calls.iter().flat_map(|(_, turns)| turns).chain(&self.last);
        let mut loops: Vec<StmtId> = all.map(|turn| turn.id).collect();
        loops.sort_unstable();
        loops.dedup();
        loops
    }
}

fn turns(loops: Vec<(StmtId, Part)>, iterations: &[(SiteId, u32)]) -> Option<Vec<Turn>> {
    let same =
        loops.len() == iterations.len() && loops.iter().zip(iterations).all(|((a, _), (b, _))| SiteId::from(*a) == *b);
    let turn = |((id, part), &(_, iteration)): ((StmtId, Part), &(SiteId, u32))| Turn { id, part, iteration };
    same.then(|| loops.into_iter().zip(iterations).map(turn).collect())
}
