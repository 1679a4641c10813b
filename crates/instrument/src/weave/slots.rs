//! Slots: a long recording is made in parts, by several short variants.
//!
//! A compiler inlines every probe. Where each record takes the next place of the stream, no place is known when the shader is
//! compiled, and a record costs Mesa's compiler a hundred instructions; a variant with a thousand records takes it a minute.
//! Therefore a record that is executed at most once has a *slot*, a place of its own: calls are expanded, each with a frame
//! of slots for its callee, and slots are numbered in the order of execution. The frame of the running call is in a global
//! variable, but after inlining it is a constant, and so is every slot. A [part](Question::Part) of a recording has the
//! records of a range of slots. The others are left out of its text, or compared with the range by the compiler, which then
//! removes them together with everything that was computed for them alone.
//!
//! Loops cannot be expanded. An outermost loop has one slot, for the place in the stream where its records begin; inside of
//! it, records follow each other in the stream as in a recording without slots. A loop that is too
//! long for one part is divided by sites: each part has the records of some, and every record has its number in the order of
//! all records of the loop.
//!
//! Two passes over the shader must number sites alike. The first pass, the survey, weaves without slots and notes where
//! every site, call and loop is; the [`Plan`] follows from that. The second weaves the part.
//!
//! [Question::Part]: crate::Question::Part

mod plan;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use shader::ast::{ExprId, NodeId, StmtId};
use shader::typed::FunctionId;

pub(crate) use plan::Plan;
pub(crate) use plan::{PART, SMALL_PART};
pub(super) use plan::{Part, Survey};

use plan::Place;

/// A place in the order of execution within one run of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Spot {
    /// The first token of the innermost statement; for what comes after a statement with others inside, its last.
    pub token: u32,
    /// Before, in or after the statement.
    pub phase: Phase,
    /// The expression; expressions are numbered in the order of their evaluation.
    pub expr: u32,
    /// Before, in or after a call.
    pub step: Phase,
}

/// Before, in or after something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Phase {
    #[default]
    Before,
    In,
    After,
}

/// Where something is: its function, the outermost loop around it in this function, and its place there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    pub function: Option<FunctionId>,
    pub outermost: Option<StmtId>,
    pub spot: Spot,
}

/// What weaving knows about slots.
pub(super) enum Slots {
    /// Records follow each other in the stream.
    Stream,
    /// The first pass.
    Survey(Survey),
    /// The second pass.
    Part(PartView),
}

/// A plan, and the part of it that is being woven.
pub(super) struct PartView {
    plan: Arc<Plan>,
    range: Range<u32>,
    /// Functions with records in this part, or calls of such functions.
    woven: BTreeSet<FunctionId>,
}

impl PartView {
    pub fn new(plan: Arc<Plan>, range: Range<u32>) -> PartView {
        let mut view = PartView { plan, range, woven: BTreeSet::new() };
        view.woven = view.plan.sites.iter().filter(|(site, _)| view.has(**site)).map(|(_, (f, _))| *f).collect();
        loop {
            let callers = view.plan.frames.iter().filter(|(function, frame)| {
                !view.woven.contains(function) && frame.calls.iter().any(|(callees, _)| view.enters(callees))
            });
            let callers: Vec<FunctionId> = callers.map(|(function, _)| *function).collect();
            if callers.is_empty() {
                return view;
            }
            view.woven.extend(callers);
        }
    }

    /// Whether the part has records of a site.
    pub fn has(&self, site: u32) -> bool {
        let Some((function, place)) = self.plan.sites.get(&site) else { return false };
        let Some(frame) = self.plan.frames.get(function) else { return false };
        let slot = match place {
            Place::Slot(slot) => Some(*slot),
            Place::Loop(id) => frame.loops.get(id).copied(),
        };
        let direct = slot.is_some_and(|slot| frame.bases.iter().any(|base| self.range.contains(&(base + slot))));
        direct || frame.looped.iter().any(|slot| self.range.contains(slot))
    }

    /// Whether one of these functions has code of this part.
    pub fn enters(&self, functions: &[FunctionId]) -> bool {
        functions.iter().any(|function| self.woven.contains(function))
    }

    /// Whether one of these functions has a loop of its own.
    pub fn has_loop(&self, functions: &[FunctionId]) -> bool {
        functions.iter().any(|function| self.plan.frames.get(function).is_some_and(|frame| !frame.loops.is_empty()))
    }

    /// The slot of a site in its function's frame; 0 in a loop, where it has none.
    pub fn slot(&self, site: u32) -> u32 {
        match self.plan.sites.get(&site) {
            Some((_, Place::Slot(slot))) => *slot,
            _ => 0,
        }
    }

    /// The first slot of a call's callee in the frame of the caller; none in a loop.
    pub fn call(&self, call: ExprId) -> Option<u32> {
        self.plan.calls.get(&call).copied()
    }

    /// Whether there is code of this part in an outermost loop of a function.
    pub fn is_in_loop(&self, function: FunctionId, id: StmtId) -> bool {
        let Some(frame) = self.plan.frames.get(&function) else { return false };
        let called = frame.calls.iter().any(|(callees, around)| *around == Some(id) && self.enters(callees));
        let own = |(site, (owner, place)): (&u32, &(FunctionId, Place))| {
            *owner == function && matches!(place, Place::Loop(around) if *around == id) && self.has(*site)
        };
        called || self.plan.sites.iter().any(own)
    }

    /// Whether the part contains a loop.
    pub fn loops(&self) -> bool {
        self.plan.frames.values().any(|frame| {
            let own =
                frame.loops.values().any(|slot| frame.bases.iter().any(|base| self.range.contains(&(base + slot))));
            own || frame.looped.iter().any(|slot| self.range.contains(slot))
        })
    }
}

impl super::Weaver<'_> {
    /// Says that what is woven next is before or after a statement, or at its beginning.
    pub(super) fn at_statement(&mut self, id: StmtId, phase: Phase) {
        let tokens = self.shader.tree.stmt(id).tokens;
        let token = if phase == Phase::After { tokens.last.0 } else { tokens.first.0 };
        self.position = self.position_of(NodeId::Stmt(id), Spot { token, phase, ..Spot::default() });
    }

    /// Says that what is woven next follows the evaluation of an expression, or comes before or after a call.
    pub(super) fn at_expr(&mut self, id: ExprId, step: Phase) {
        let around = self.nodes.around(NodeId::Expr(id)).find_map(|node| match node {
            NodeId::Stmt(statement) => Some(statement),
            NodeId::Expr(_) | NodeId::Decl(_) => None,
        });
        let token = around.map_or(0, |statement| self.shader.tree.stmt(statement).tokens.first.0);
        let spot = Spot { token, phase: Phase::In, expr: id.0, step };
        self.position = self.position_of(NodeId::Expr(id), spot);
    }

    /// Says that what is woven next is in a loop.
    pub(super) fn at_iteration(&mut self, id: StmtId) {
        self.at_statement(id, Phase::In);
        self.position.outermost = self.position.outermost.or(Some(id));
    }

    fn position_of(&self, node: NodeId, spot: Spot) -> Position {
        let outermost = self.nodes.loops(self.shader, node).first().map(|(id, _)| *id);
        Position { function: self.nodes.function(node), outermost, spot }
    }

    /// The arguments of a function that records a site.
    pub(super) fn number(&self, site: u32) -> String {
        match &self.slots {
            Slots::Part(part) => format!("{}, {site}", part.slot(site)),
            Slots::Stream | Slots::Survey(_) => site.to_string(),
        }
    }

    /// Whether the variant has records of a site.
    pub(super) fn wants(&self, site: u32) -> bool {
        match &self.slots {
            Slots::Part(part) => part.has(site),
            Slots::Stream | Slots::Survey(_) => true,
        }
    }
}
