//! The steps of one lane: where stepping stops, and when each is over.

use lanes::Mask;
use moment::{Marker, Tracker};
use shader::Shader;
use shader::ast::{ExprId, NodeId};
use shader::query::Visit;

/// A step begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// It begins.
    Begin(NodeId),
    /// It is over: what it did is done, and nothing else yet.
    End(NodeId),
}

/// Turns what a lane passes into steps: statements, and the conditions and steps of loops.
#[derive(Clone, Debug)]
pub struct Stepper {
    /// By expression: the statement boundary it is part of.
    boundaries: Vec<Option<NodeId>>,
    lane: usize,
    tracker: Tracker,
    open: Vec<(NodeId, usize)>,
}

impl Stepper {
    /// For a lane at the beginning.
    #[must_use]
    pub fn new(shader: &Shader, lane: usize) -> Stepper {
        let mut boundaries = vec![None; shader.typed.exprs.len()];
        for boundary in shader.statement_boundaries() {
            shader.walk(boundary, |node| {
                if let NodeId::Expr(id) = node {
                    boundaries[id.0 as usize] = Some(boundary);
                }
                Visit::Into
            });
        }
        Stepper { boundaries, lane, tracker: Tracker::new(), open: Vec::new() }
    }

    /// The lane.
    #[must_use]
    pub fn lane(&self) -> usize {
        self.lane
    }

    /// Where it is.
    #[must_use]
    pub fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    /// Whether a lane is on.
    #[must_use]
    pub fn takes_part<const W: usize>(&self, mask: &Mask<W>) -> bool {
        mask.words().get(self.lane).is_some_and(|&word| word != 0)
    }

    /// A marker is passed; call it for markers the lane takes part in only.
    pub fn marker(&mut self, marker: Marker, mut each: impl FnMut(Event)) {
        self.tracker.pass(marker);
        match marker {
            Marker::Statement(id) => self.begin(NodeId::Stmt(id), each),
            Marker::Leave => {
                let depth = self.tracker.calls();
                while let Some((node, _)) = self.open.pop_if(|(_, at)| *at > depth) {
                    each(Event::End(node));
                }
            }
            Marker::Enter(_) | Marker::Loop(_) | Marker::Iterate | Marker::Done => {}
        }
    }

    /// An instruction of an expression is about to run.
    pub fn before(&mut self, shader: &Shader, origin: Option<ExprId>, each: impl FnMut(Event)) {
        let Some(boundary) = origin.and_then(|id| self.boundaries[id.0 as usize]) else { return };
        let here = self.open.last().filter(|(_, depth)| *depth == self.tracker.calls()).map(|(node, _)| *node);
        let inside = |node: NodeId| {
            let (around, tokens) = (shader.tree.tokens(node), shader.tree.tokens(boundary));
            around.first <= tokens.first && tokens.last <= around.last
        };
        if !here.is_some_and(|node| node == boundary || inside(node)) {
            self.begin(boundary, each);
        }
    }

    /// The run is over.
    pub fn finish(&mut self, mut each: impl FnMut(Event)) {
        while let Some((node, _)) = self.open.pop() {
            each(Event::End(node));
        }
    }

    fn begin(&mut self, node: NodeId, mut each: impl FnMut(Event)) {
        let depth = self.tracker.calls();
        while let Some((over, _)) = self.open.pop_if(|(_, at)| *at >= depth) {
            each(Event::End(over));
        }
        self.open.push((node, depth));
        each(Event::Begin(node));
    }
}
