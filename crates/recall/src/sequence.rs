//! A history as one program: every node in the order of execution, computed from the leaves to the pixel.
//!
//! Each node of a history is compared for itself, from what was really read. Here every texel that was read holds what was
//! computed for it instead, so that what is rounded differently may add up; what comes out in the end says how much.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chronicle::graph::Cell;
use device::Rectangle;
use pipeline::Target as Unit;
use raster::Color;
use reenact::Scene;
use reenact::fragment_ops::{Pixel, Role};
use state::View;
use state::objects::texture::Target;
use texture::{Reading, Value as Texel};

use crate::bounds;
use crate::emulate::{self, Emulated};
use crate::glimpse::{self, judge, rounded};
use crate::history::{Edge, EventKind, History, NodeId, Subject, Value, Verdict};
use crate::steps::{steps, value_of};
use crate::visit::Visit;
use crate::walk::Recall;
use crate::{RecallError, TexelAspect, TexelRef};

/// A history in the order of execution.
#[derive(Clone, PartialEq, Debug)]
pub struct Sequence {
    /// All nodes, the first that wrote first.
    pub order: Vec<NodeId>,
    /// What came out for each node, by its number; nothing where it could not be computed from others.
    pub values: Vec<Option<Value>>,
    /// What came out for the pixel.
    pub value: Option<Value>,
    /// Whether that is what is really there.
    pub verdict: Verdict,
    /// What had to be taken from the device all the same.
    pub notes: Vec<String>,
}

impl History {
    /// Returns all nodes in the order of execution: what is read comes before what reads it.
    #[must_use]
    pub fn sequence(&self) -> Vec<NodeId> {
        // Nodes are found from the pixel backwards, the last of a call first.
        let mut order: Vec<NodeId> = self.nodes.iter().map(|node| node.id).collect();
        order.sort_by_key(|id| (self.nodes[id.0 as usize].call, std::cmp::Reverse(*id)));
        order
    }
}

impl Recall<'_> {
    /// Computes a history from its leaves to its pixel. `progress` is told how many nodes are done, and how many there are.
    ///
    /// # Errors
    /// When the trace cannot be read, or the worker is lost.
    pub fn sequence(
        &mut self,
        history: &History,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Sequence, RecallError> {
        let order = history.sequence();
        self.memo.effort = bounds::effort();
        let mut run =
            Run { history, values: vec![None; history.nodes.len()], held: BTreeMap::new(), notes: Vec::new() };
        let mut done = 0;
        while done < order.len() {
            progress(done, order.len());
            let call = history.nodes[order[done].0 as usize].call;
            let rest = &order[done..];
            let count = rest.iter().take_while(|id| history.nodes[id.0 as usize].call == call).count();
            let (drawn, others): (Vec<NodeId>, Vec<NodeId>) =
                rest[..count].iter().partition(|id| history.nodes[id.0 as usize].kind == EventKind::Draw);
            for id in others {
                self.moved(&mut run, id)?;
            }
            if !drawn.is_empty() {
                self.redrawn(&mut run, call, &drawn)?;
            }
            done += count;
        }
        let value = run.held.get(&history.place).copied();
        let model = self.inquiry.state_after(history.until.saturating_sub(1))?;
        let format = glimpse::stored(&model, history.place.cell, history.place.aspect);
        let verdict = match format {
            Some(format) => judge(format, value, history.value),
            None => Verdict::Unchecked("what is there cannot be seen".to_owned()),
        };
        Ok(Sequence { order, values: run.values, value, verdict, notes: run.notes })
    }

    /// A node that is no fragment: of what it read, or what was compared for it.
    fn moved(&mut self, run: &mut Run<'_>, id: NodeId) -> Result<(), RecallError> {
        let node = &run.history.nodes[id.0 as usize];
        if node.subject != Subject::Texel {
            // Vertices, buffers and uniforms are taken as they were measured.
            return Ok(());
        }
        let leaf = node.emulated.or(node.after);
        let follows = matches!(
            node.kind,
            EventKind::Copy | EventKind::Blit | EventKind::Resolve | EventKind::Mipmap | EventKind::Present
        );
        let value = if follows { run.mixed(id).or(leaf) } else { leaf };
        let model = self.inquiry.state_after(node.call)?;
        let format = glimpse::stored(&model, node.place.cell, node.place.aspect);
        let value = value.map(|value| format.map_or(value, |format| rounded(format, value)));
        run.values[id.0 as usize] = value;
        // Of an upload many texels were read, of which the node knows one; textures have the others as they are.
        if let (Some(value), true) = (value, node.texels == 1) {
            run.held.insert(node.place, value);
        }
        Ok(())
    }

    /// The fragments of a draw, with textures that hold what was computed.
    fn redrawn(&mut self, run: &mut Run<'_>, call: u64, nodes: &[NodeId]) -> Result<(), RecallError> {
        let history = run.history;
        let places: BTreeSet<TexelRef> = nodes.iter().map(|id| history.nodes[id.0 as usize].place).collect();
        let rectangle: Rectangle = crate::walk::around(places.iter());
        let (ledger, memo) = (&self.ledger, &mut self.memo);
        let visited = Visit::new(self.inquiry, Some((ledger, memo, false)), false, (call, rectangle));
        let mut visit = match visited {
            Ok(visit) => visit,
            Err(error) => {
                run.notes.push(crate::error::about(call, &error));
                nodes.iter().for_each(|id| run.keep(*id));
                return Ok(());
            }
        };
        let view = visit.work.view()?;
        if let Some(scene) = &mut visit.scene {
            replace_texels(scene, &view, &run.held);
        }
        let pixels: BTreeSet<[u32; 2]> = places.iter().map(|place| place.at).collect();
        let own: Vec<usize> = pixels.iter().filter_map(|at| visit.pixels.get(at)).flatten().copied().collect();
        let inputs: Vec<_> = own.iter().map(|place| &visit.fragments[*place].inputs).collect();
        let run_again = visit.scene.as_ref().map(|scene| emulate::fragments(scene, &visit.outputs, &inputs));
        let emulated: BTreeMap<usize, Emulated> = match run_again {
            Some(Ok(emulated)) => own.into_iter().zip(emulated).collect(),
            Some(Err(why)) => {
                run.notes.push(format!("command {call}: {why}"));
                BTreeMap::new()
            }
            None => BTreeMap::new(),
        };
        let group = view.context.group;
        let mut results = BTreeMap::new();
        for place in places {
            let plane = visit.tail.planes().iter().find(|plane| {
                TexelAspect::of(plane.role) == place.aspect && Cell::of(group, plane.thing) == place.cell
            });
            let Some(role) = plane.map(|plane| plane.role) else { continue };
            let mut real = visit.before.pixel(&visit.tail, place.at, place.sample);
            if let Some(held) = run.held.get(&place) {
                put(&mut real, role, *held);
            }
            for (order, step) in steps(&visit, &emulated, (place, &real)).iter().enumerate() {
                results.insert((place, order as u32), value_of(&step.after, role));
            }
        }
        for id in nodes {
            let node = &history.nodes[id.0 as usize];
            let order = node.fragment.as_ref().map_or(0, |fragment| fragment.order);
            match results.get(&(node.place, order)).copied().flatten() {
                Some(value) => {
                    run.values[id.0 as usize] = Some(value);
                    run.held.insert(node.place, value);
                }
                None => run.keep(*id),
            }
        }
        Ok(())
    }
}

/// How far a run is.
struct Run<'h> {
    history: &'h History,
    values: Vec<Option<Value>>,
    /// What images hold now, where anything was computed for them.
    held: BTreeMap<TexelRef, Value>,
    notes: Vec<String>,
}

impl Run<'_> {
    /// What the device says stands for what could not be computed.
    fn keep(&mut self, id: NodeId) {
        let node = &self.history.nodes[id.0 as usize];
        if let Some(value) = node.after {
            self.held.insert(node.place, value);
        }
    }

    /// What comes of the texels that a copy read, by their weights; nothing when one of them is not known.
    fn mixed(&self, id: NodeId) -> Option<Value> {
        let edges: Vec<&Edge> = self.history.edges.iter().filter(|edge| edge.from == id).collect();
        let read = |edge: &Edge| {
            let place = TexelRef { at: edge.at, sample: edge.sample, ..self.history.nodes[edge.to.0 as usize].place };
            self.held.get(&place).copied()
        };
        if let [one] = edges[..] {
            return read(one);
        }
        let mut sum = [0.0f64; 4];
        for edge in &edges {
            let Value::Colour(Color::Float(channels)) = read(edge)? else { return read(edge) };
            sum.iter_mut().zip(channels).for_each(|(sum, channel)| *sum += edge.weight * f64::from(channel));
        }
        (!edges.is_empty()).then(|| Value::Colour(Color::Float(sum.map(|channel| channel as f32))))
    }
}

/// Puts what was computed into the textures that a draw reads.
fn replace_texels(scene: &mut Scene, view: &View<'_>, held: &BTreeMap<TexelRef, Value>) {
    let units: Vec<(u32, usize)> = scene
        .state
        .units
        .iter()
        .map(|((unit, target), (id, _))| (Unit::handle(*target, *unit), id.0 as usize))
        .collect();
    for (handle, id) in units {
        let Some((recorded, target)) = reenact::sampled(view, handle) else { continue };
        let texture = &mut scene.state.textures[id];
        let (format, samples) = (texture.format, texture.samples().max(1).cast_unsigned() as usize);
        for (place, value) in held {
            let state::ContentsRef::Image { object, level, layer } = place.cell.thing else { continue };
            let state::ContentsRef::Image { object: own, level: first, layer: from } = recorded.image(0, 0) else {
                continue;
            };
            let inside = place.cell.group == view.context.group && object == own && level >= first && layer >= from;
            if !inside {
                continue;
            }
            let Some(level) = texture.levels.get_mut((level - first) as usize) else { continue };
            let [wide, high] = [level.width, level.height].map(|side| side as usize);
            let [x, y] = place.at.map(|place| place as usize);
            let layer = (layer - from) as usize;
            let row = if target == Target::OneDArray { layer } else { layer * samples * high + y };
            let at = (row + place.sample as usize * high) * wide + x;
            let bytes = format.bytes();
            let Some(texel) = Arc::make_mut(&mut level.data).get_mut(at * bytes..(at + 1) * bytes) else { continue };
            let reading = Reading { decode_srgb: false, stencil: false };
            match *value {
                Value::Colour(Color::Float(channels)) => format.encode(Texel::Float(channels), reading, texel),
                Value::Colour(Color::Int(channels)) => format.encode(Texel::Int(channels), reading, texel),
                Value::Colour(Color::Uint(channels)) => format.encode(Texel::Uint(channels), reading, texel),
                Value::Depth(depth) => format.encode(Texel::Float([depth, 0.0, 0.0, 1.0]), reading, texel),
                Value::Stencil(value) => {
                    let reading = Reading { decode_srgb: false, stencil: true };
                    format.encode(Texel::Uint([u32::from(value), 0, 0, 1]), reading, texel);
                }
            }
        }
    }
}

fn put(pixel: &mut Pixel, role: Role, value: Value) {
    match (role, value) {
        (Role::Colour(buffer), Value::Colour(color)) => {
            if let Some(held) = pixel.colours.get_mut(buffer) {
                *held = Some(color);
            }
        }
        (Role::Depth, Value::Depth(depth)) => pixel.depth = Some(depth),
        (Role::Stencil, Value::Stencil(value)) => pixel.stencil = Some(value),
        _ => {}
    }
}
