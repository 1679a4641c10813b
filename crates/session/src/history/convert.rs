//! From the engine's histories to plain data.

use std::collections::BTreeMap;
use std::sync::Arc;

use chronicle::graph::Cell;
use open_trace::Replaced;
use raster::Color;
use recall::{Birth, Edge, EventKind, Fragment, NanReport, Node, Origin, Spread, TexelRef, Value};
use reenact::fragment_ops::{Fate, Role};
use state::{ContentsRef, Model};

use super::cell_name;
use crate::data::history::{
    History, HistoryEdge, HistoryFragment, HistoryNode, NodeKind, Plane, Sequence, SequenceStep, Subject, TexelValue,
    Verdict, Why,
};
use crate::data::nan::{Components, NanBirth, NanOrigin, NanOutput, NanSearch, NanSpread};
use crate::data::number::Number;
use crate::data::picture::PictureCheck;

/// What images and buffers are called; most nodes are about a few of them.
pub struct Names<'m> {
    /// `None` if names are not needed.
    model: Option<&'m Model>,
    known: BTreeMap<Cell, Arc<str>>,
}

impl<'m> Names<'m> {
    /// Names of what there is in a state.
    pub fn new(model: &'m Model) -> Names<'m> {
        Names { model: Some(model), known: BTreeMap::new() }
    }

    /// No names, for nodes whose names are not read.
    pub fn none() -> Names<'static> {
        Names { model: None, known: BTreeMap::new() }
    }

    fn of(&mut self, cell: Cell) -> Arc<str> {
        let model = self.model;
        let name = || model.map_or_else(Arc::default, |model| cell_name(cell, model).into());
        Arc::clone(self.known.entry(cell).or_insert_with(name))
    }
}

/// Converts the history of a place before a command.
pub fn history(
    (place, until): (TexelRef, u64),
    value: Option<Value>,
    rows: &[Node],
    found: Option<&recall::History>,
    (model, picture): (&Model, recall::PictureCheck),
) -> History {
    let mut names = Names::new(model);
    let rows = rows.iter().map(|row| node(row, &mut names)).collect();
    let nodes = found.map_or(&[][..], |found| &found.nodes);
    let edges = found.map_or(&[][..], |found| &found.edges);
    let recall::PictureCheck { explained, shown, verdict } = picture;
    History {
        picture: PictureCheck {
            explained: explained.map(Into::into),
            shown: shown.map(Into::into),
            verdict: verdict.into(),
        },
        target: names.of(place.cell).to_string(),
        pixel: place.at,
        before_command: until,
        value: value.map(Into::into),
        rows,
        nodes: nodes.iter().map(|one| node(one, &mut names)).collect(),
        edges: edges.iter().map(|one| edge(one, &nodes[one.to.0 as usize])).collect(),
        left_out: found.map_or_else(Default::default, |found| found.cut.into()),
        notes: found.map_or_else(Vec::new, |found| found.notes.clone()),
        sequence: None,
        surroundings: Vec::new(),
    }
}

/// Converts a node.
pub fn node(node: &Node, names: &mut Names<'_>) -> HistoryNode {
    HistoryNode {
        id: node.id.0,
        kind: node.kind.into(),
        command: node.call,
        frame: node.frame,
        // The session knows them.
        groups: Vec::new(),
        image: names.of(node.place.cell),
        at: node.place.at,
        sample: node.place.sample,
        layer: if let ContentsRef::Image { layer, .. } = node.place.cell.thing { layer } else { 0 },
        passes: node.depth,
        subject: subject(&node.subject, names),
        fragment: node.fragment.as_ref().map(fragment),
        before: node.before.map(Into::into),
        after: node.after.map(Into::into),
        emulated: node.emulated.map(Into::into),
        verdict: node.verdict.clone().into(),
        weight: node.weight,
        texels: node.texels,
    }
}

fn subject(subject: &recall::Subject, names: &mut Names<'_>) -> Option<Subject> {
    Some(match subject {
        recall::Subject::Texel => return None,
        recall::Subject::Vertex(vertex) => Subject::Vertex {
            vertex: vertex.number,
            instance: vertex.instance,
            part: vertex.part,
            inputs: vertex.inputs.clone(),
            outputs: vertex.outputs.clone(),
        },
        recall::Subject::Run(run) => Subject::Stage {
            stage: run.stage.name(),
            primitive: run.primitive,
            invocation: run.invocation,
            coords: run.coords.map(|coords| coords.map(Number)),
            inputs: run.inputs.clone(),
            outputs: run.outputs.clone(),
        },
        recall::Subject::Bytes(range) => {
            Subject::Bytes { buffer: names.of(range.cell), from: range.from, to: range.to }
        }
        recall::Subject::Uniform { program, name } => Subject::Uniform { program: *program, uniform: Arc::clone(name) },
        recall::Subject::Attribute { name } => Subject::Attribute { attribute: Arc::clone(name) },
        recall::Subject::State { name } => Subject::State { state: Arc::clone(name) },
        recall::Subject::Invocation(id) => Subject::Invocation { invocation: *id },
    })
}

fn fragment(fragment: &Fragment) -> HistoryFragment {
    HistoryFragment {
        order: fragment.order,
        primitive: fragment.primitive,
        depth: Number(fragment.depth),
        front: fragment.front,
        fate: fate(fragment.fate),
        measured: fragment.measured.map(Into::into),
        emulated: fragment.emulated.map(Into::into),
        fixed: fragment.stand_in == Some(Replaced::FixedFunctions),
        assembly: fragment.stand_in == Some(Replaced::Assembly),
    }
}

pub(crate) fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::RasterizerOff => "not rasterised",
        Fate::Culled => "culled",
        Fate::Scissor => "scissored",
        Fate::Stipple => "stippled",
        Fate::Discarded => "discarded",
        Fate::SampleMask => "sample masked",
        Fate::Alpha => "failed alpha",
        Fate::Stencil => "failed stencil",
        Fate::Depth => "failed depth",
        Fate::Masked => "masked",
        Fate::Written { .. } => "written",
    }
}

fn edge(edge: &Edge, to: &Node) -> HistoryEdge {
    let why = match &edge.why {
        recall::Why::Texel { sampler, line } => Why::Texel { sampler: Arc::clone(sampler), line: *line },
        recall::Why::Blended => Why::Blended,
        recall::Why::BlendedAlpha => Why::BlendedAlpha,
        recall::Why::Copied => Why::Copied,
        recall::Why::Filtered => Why::Filtered,
        recall::Why::Interpolated { vertex } => Why::Interpolated { vertex: *vertex },
        recall::Why::Assembled { vertex } => Why::Assembled { vertex: *vertex },
        recall::Why::Attribute { name } => Why::Attribute { name: Arc::clone(name) },
        recall::Why::State { name } => Why::State { name: Arc::clone(name) },
        recall::Why::Uniform { name } => Why::Uniform { name: Arc::clone(name) },
        recall::Why::Bytes { block } => Why::Bytes { block: Arc::clone(block) },
    };
    HistoryEdge {
        from: edge.from.0,
        to: edge.to.0,
        at: edge.at,
        sample: edge.sample,
        value: edge.value.filter(|_| to.texels > 1).map(Into::into),
        weight: edge.weight,
        why,
    }
}

/// Converts a sequence.
pub fn sequence(sequence: &recall::Sequence) -> Sequence {
    let step =
        |id: &recall::NodeId| SequenceStep { node: id.0, computed: sequence.values[id.0 as usize].map(Into::into) };
    Sequence {
        steps: sequence.order.iter().map(step).collect(),
        value: sequence.value.map(Into::into),
        verdict: sequence.verdict.clone().into(),
        notes: sequence.notes.clone(),
    }
}

/// Converts what a search for NaN found in a frame.
pub fn nan_search(frame: usize, found: NanReport) -> NanSearch {
    let NanReport { first, spread, draws, notes } = found;
    NanSearch { frame, draws, first: first.map(birth), spread: spread.into_iter().map(nan_spread).collect(), notes }
}

fn birth(birth: Birth) -> NanBirth {
    let output = |(draw_buffer, colour): (usize, Color)| NanOutput { draw_buffer, value: colour.into() };
    NanBirth {
        command: birth.call,
        pixel: birth.at,
        primitive: birth.primitive,
        outputs: birth.colours.into_iter().map(output).collect(),
        origin: origin(birth.origin),
    }
}

fn origin(from: Origin) -> NanOrigin {
    let numbers = |values: Vec<f32>| values.into_iter().map(Number).collect();
    match from {
        Origin::Computed { line, text, message, operands, result } => {
            NanOrigin::Computed { line, text, message, operands, result: result.map(Components) }
        }
        Origin::Input { name, values } => NanOrigin::Input { name, values: numbers(values) },
        Origin::Texel { image, at, value, line } => NanOrigin::Texel { image, at, value: value.into(), line },
        Origin::Vertex { vertex: [vertex, instance], output, values, from } => {
            NanOrigin::Vertex { vertex, instance, output, values: numbers(values), from: Box::new(origin(*from)) }
        }
        Origin::Unknown(why) => NanOrigin::Unknown { why },
    }
}

fn nan_spread(spread: Spread) -> NanSpread {
    NanSpread {
        command: spread.call,
        plane: spread.role.into(),
        image: spread.image,
        pixels: spread.pixels,
        bounds: spread.bounds,
        stored: spread.stored,
        inherited: spread.inherited,
    }
}

impl From<Color> for TexelValue {
    fn from(colour: Color) -> TexelValue {
        match colour {
            Color::Float(channels) => TexelValue::Float(channels),
            Color::Int(channels) => TexelValue::Int(channels),
            Color::Uint(channels) => TexelValue::Uint(channels),
        }
    }
}

impl From<Value> for TexelValue {
    fn from(value: Value) -> TexelValue {
        match value {
            Value::Colour(colour) => colour.into(),
            Value::Depth(depth) => TexelValue::Depth(depth),
            Value::Stencil(value) => TexelValue::Stencil(value),
        }
    }
}

impl From<recall::Verdict> for Verdict {
    fn from(verdict: recall::Verdict) -> Verdict {
        match verdict {
            recall::Verdict::Equal => Verdict::Equal,
            recall::Verdict::Within(units) => Verdict::Within(units),
            recall::Verdict::Differs(units) => Verdict::Differs(units),
            recall::Verdict::Unchecked(why) => Verdict::Unchecked(why),
        }
    }
}

impl From<EventKind> for NodeKind {
    fn from(kind: EventKind) -> NodeKind {
        match kind {
            EventKind::Draw => NodeKind::Draw,
            EventKind::Vertex => NodeKind::Vertex,
            EventKind::Control => NodeKind::Control,
            EventKind::Evaluation => NodeKind::Evaluation,
            EventKind::Geometry => NodeKind::Geometry,
            EventKind::Value => NodeKind::Value,
            EventKind::Clear => NodeKind::Clear,
            EventKind::Copy => NodeKind::Copy,
            EventKind::Blit => NodeKind::Blit,
            EventKind::Resolve => NodeKind::Resolve,
            EventKind::Upload => NodeKind::Upload,
            EventKind::Mipmap => NodeKind::Mipmap,
            EventKind::Store => NodeKind::Store,
            EventKind::Present => NodeKind::Present,
            EventKind::Other => NodeKind::Other,
            EventKind::Undefined => NodeKind::Undefined,
        }
    }
}

impl From<Role> for Plane {
    fn from(role: Role) -> Plane {
        match role {
            Role::Colour(buffer) => Plane::Colour(buffer),
            Role::Depth => Plane::Depth,
            Role::Stencil => Plane::Stencil,
        }
    }
}

impl From<Plane> for Role {
    fn from(plane: Plane) -> Role {
        match plane {
            Plane::Colour(buffer) => Role::Colour(buffer),
            Plane::Depth => Role::Depth,
            Plane::Stencil => Role::Stencil,
        }
    }
}
