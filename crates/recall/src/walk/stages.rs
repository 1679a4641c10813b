//! From fragments to the vertices of their primitives, through everything that lies between.

mod sources;

use std::collections::BTreeMap;

use inquiry::DrawSnapshot;
use raster::assemble::Primitive;
use reenact::Scene;
use shader::types::Scalar;
use shader::version::Stage;

pub use self::sources::order;
use self::sources::{controls, patch_sources, point_sources, primitives, vertex_sources};
use super::{PendingTexel, Reader, Shone, Walk};
use crate::bench::Ran;
use crate::blend::{Blend, Shard};
use crate::bounds::CANDIDATE;
use crate::corners::{Corners, Number, Vertices};
use crate::history::{EventKind, NodeId, StageRun, Subject, Verdict, Why};
use crate::middle::{Between, Facet, Run, Runs, VertexRef};
use crate::ports::{self, Output, same, shown};
use crate::shape::corners;
use crate::walk::{words, worse};
use crate::{RecallError, TexelRef};

/// A vertex that transform feedback captured.
pub struct CapturedVertex {
    pub maker: Maker,
    pub place: TexelRef,
    pub wanted: PendingTexel,
    /// Outputs, their words, and the word that was found in the buffer.
    pub found: Vec<(String, usize, u32)>,
    /// Where it was no capture but a store: whether it holds.
    pub stored: Option<Verdict>,
}

/// Who gives on a vertex to fragments, or to transform feedback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    /// A vertex shader.
    Vertex(Number),
    /// The last stage there is.
    Last(VertexRef),
}

/// An invocation that is asked for.
pub struct Wish {
    pub place: TexelRef,
    pub wanted: PendingTexel,
    pub verdict: Verdict,
}

/// What is wanted of the invocations of each stage.
#[derive(Default)]
struct Wishes {
    geometry: BTreeMap<usize, Wish>,
    evaluation: BTreeMap<usize, Wish>,
    control: BTreeMap<usize, Wish>,
    vertices: BTreeMap<Number, Wish>,
}

/// How many primitives are tried where the primitive is unknown.
const TRIED: usize = 10_000;

impl Walk<'_, '_> {
    /// What lies before fragments of a draw, and before what was captured.
    pub(super) fn vertices(
        &mut self,
        work: &DrawSnapshot,
        found: Result<Corners, String>,
        (fragment, shone): (Option<&Scene>, &[Shone]),
        kept: Vec<CapturedVertex>,
    ) -> Result<(), RecallError> {
        if shone.is_empty() && kept.is_empty() {
            return Ok(());
        }
        let call = work.command;
        let found = match found {
            Ok(found) => found,
            Err(why) => {
                self.note(format!("command {call}: {why}"));
                return Ok(());
            }
        };
        found
            .missing()
            .cloned()
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|m| self.note(format!("command {call}: {m}")));
        if found.confused() {
            self.note(format!("command {call}: vertices of its parts have the same numbers; the first is taken"));
        }
        let (mut vertices, mut between) = (Vertices::new(&found), Between::new(&found.middle));
        let mut wishes = Wishes::default();
        for one in shone {
            let taken = fragment.map(|scene| ports::taken(&scene.program, Stage::Fragment, &one.inputs));
            let shard = Shard {
                at: [one.inputs.who[0], one.inputs.who[1]],
                taken: taken.as_deref().unwrap_or_default(),
                loose: one.loose,
                depth: one.depth.map(f64::from),
            };
            match found.middle.last() {
                Some(last) => self.facets_behind(work, last, &mut between, (one, &shard), &mut wishes),
                None => self.vertices_behind(work, &mut vertices, (one, &shard), &mut wishes.vertices),
            }
        }
        for CapturedVertex { maker, place, wanted, found: real, stored } in kept {
            match maker {
                Maker::Vertex(number) => {
                    vertices.run([number]);
                    let verdict = stored.or_else(|| vertices.get(number).map(|ran| captured(&ran.outputs, &real)));
                    add(&mut wishes.vertices, number, Wish { place, wanted, verdict: verdict.unwrap_or_else(none) });
                }
                Maker::Last((run, emission)) => {
                    let Some(last) = found.middle.last() else { continue };
                    let verdict = captured(&last.list[run].emitted[emission].outputs, &real);
                    let list =
                        if last.stage == Stage::Geometry { &mut wishes.geometry } else { &mut wishes.evaluation };
                    add(list, run, Wish { place, wanted, verdict });
                }
            }
        }
        self.geometry(work, &mut vertices, &mut between, &mut wishes)?;
        self.evaluation(work, &mut vertices, &mut between, &mut wishes)?;
        self.control(work, &mut vertices, &between, &mut wishes)?;
        for why in [vertices.failed.clone(), between.failed.clone()].into_iter().flatten() {
            self.note(format!("command {call}: {why}"));
        }
        self.vertex_nodes(work, &vertices, wishes.vertices)
    }

    /// The vertices that a fragment comes from where nothing lies between.
    fn vertices_behind(
        &mut self,
        work: &DrawSnapshot,
        vertices: &mut Vertices<'_>,
        (one, shard): (&Shone, &Shard<'_>),
        wishes: &mut BTreeMap<Number, Wish>,
    ) {
        let id = Self::primitive_of(one);
        let own = primitives(vertices.corners, id);
        if own.len() > TRIED {
            self.too_many(work);
            return;
        }
        if !self.spend(CANDIDATE * own.len() as u64, work.command) {
            return;
        }
        let mut best = fitting(work, vertices, shard, own);
        // Drivers differ in how they number primitives of parts.
        if !best.as_ref().is_some_and(|(_, blend)| blend.distance <= 1.0) {
            let all = primitives(vertices.corners, None);
            if id.is_some() && all.len() <= TRIED && self.spend(CANDIDATE * all.len() as u64, work.command) {
                let other = fitting(work, vertices, shard, all);
                let nearer = |(_, blend): &(Vec<Number>, Blend)| {
                    best.as_ref().is_none_or(|(_, known)| blend.compare(known).is_lt())
                };
                if other.as_ref().is_some_and(nearer) {
                    best = other;
                }
            }
        }
        let Some((numbers, blend)) = best else {
            self.note(format!("command {}: no primitive fits a fragment", work.command));
            return;
        };
        for (number, weight) in numbers.into_iter().zip(&blend.weights) {
            let wish = self.shone_upon(one, number.vertex, *weight, &blend.verdict);
            add(wishes, number, wish);
        }
    }

    /// The invocations of the last stage that a fragment comes from.
    fn facets_behind(
        &mut self,
        work: &DrawSnapshot,
        last: &Runs,
        between: &mut Between<'_>,
        (one, shard): (&Shone, &Shard<'_>),
        wishes: &mut Wishes,
    ) {
        let outputs = |(run, emission): &VertexRef| &last.list[*run].emitted[*emission].outputs[..];
        let fit = |facets: Vec<Facet>| {
            let blends = facets.into_iter().filter_map(|facet| {
                let corners: Vec<&[Output]> = facet.corners.iter().map(outputs).collect();
                let blend = Blend::new(work, facet.kind, (&corners, outputs(&facet.provoking)), shard)?;
                Some((facet, blend))
            });
            blends.min_by(|(_, one), (_, other)| one.compare(other))
        };
        let id = Self::primitive_of(one);
        let mut best = fit(between.facets(id));
        // Drivers differ in how they number primitives of patches.
        if id.is_some() && !best.as_ref().is_some_and(|(_, blend)| blend.distance <= 1.0) {
            let all = between.facets(None);
            if all.len() > TRIED {
                self.too_many(work);
            } else if self.spend(CANDIDATE * all.len() as u64, work.command) {
                let other = fit(all);
                let nearer =
                    |(_, blend): &(Facet, Blend)| best.as_ref().is_none_or(|(_, known)| blend.compare(known).is_lt());
                if other.as_ref().is_some_and(nearer) {
                    best = other;
                }
            }
        }
        let Some((facet, blend)) = best else {
            self.note(format!("command {}: no primitive of the {} shader fits", work.command, last.stage.name()));
            return;
        };
        let list = if last.stage == Stage::Geometry { &mut wishes.geometry } else { &mut wishes.evaluation };
        for ((run, emission), weight) in facet.corners.into_iter().zip(&blend.weights) {
            let vertex = if last.stage == Stage::Geometry { emission } else { run };
            let wish = self.shone_upon(one, vertex as i32, *weight, &blend.verdict);
            add(list, run, wish);
        }
    }

    fn shone_upon(&self, one: &Shone, vertex: i32, weight: f64, verdict: &Verdict) -> Wish {
        // Where samples lie outside of the primitive, a corner has less than nothing.
        let weight = one.share * weight.max(0.0);
        let reader = Reader { node: one.node, why: Why::Interpolated { vertex }, weight };
        let depth = self.history.nodes[one.node.0 as usize].depth;
        Wish { place: one.place, wanted: PendingTexel { readers: vec![reader], depth }, verdict: verdict.clone() }
    }

    /// The number of a fragment's primitive, where it is known.
    fn primitive_of(one: &Shone) -> Option<u32> {
        u32::try_from(one.inputs.who[2]).ok()
    }

    fn too_many(&mut self, work: &DrawSnapshot) {
        let call = work.command;
        self.note(format!("command {call}: which of more than {TRIED} primitives a fragment belongs to is not tried"));
    }

    /// Invocations of the geometry shader, and the primitives they worked on.
    fn geometry(
        &mut self,
        work: &DrawSnapshot,
        vertices: &mut Vertices<'_>,
        between: &mut Between<'_>,
        wishes: &mut Wishes,
    ) -> Result<(), RecallError> {
        let middle = between.middle;
        let Some(geometry) = &middle.geometry else { return Ok(()) };
        for (place, mut wish) in std::mem::take(&mut wishes.geometry) {
            let run = &geometry.list[place];
            let Some(ran) = ran(between.geometry.as_ref().map(|bench| bench.run(&run.inputs)), &mut between.failed)
            else {
                continue;
            };
            wish.verdict = worse(wish.verdict, emissions(&ran, run));
            let sources = match &middle.evaluation {
                Some(evaluation) => point_sources(run, evaluation, between),
                None => vertex_sources(run, vertices),
            };
            let outputs = self.emitted(run, &wish.wanted);
            let count = sources.len();
            let Some((id, weight)) = self.run_node(work, (geometry, place), wish, (&ran, outputs, count))? else {
                continue;
            };
            for (vertex, (source, verdict)) in sources.into_iter().enumerate() {
                let wish = self.assembled(id, vertex, weight, verdict);
                match source {
                    Maker::Vertex(number) => add(&mut wishes.vertices, number, wish),
                    Maker::Last((run, _)) => add(&mut wishes.evaluation, run, wish),
                }
            }
        }
        Ok(())
    }

    /// Invocations of the evaluation shader, and the patches they worked on.
    fn evaluation(
        &mut self,
        work: &DrawSnapshot,
        vertices: &mut Vertices<'_>,
        between: &mut Between<'_>,
        wishes: &mut Wishes,
    ) -> Result<(), RecallError> {
        let middle = between.middle;
        let Some(evaluation) = &middle.evaluation else { return Ok(()) };
        for (place, mut wish) in std::mem::take(&mut wishes.evaluation) {
            let run = &evaluation.list[place];
            let Some(ran) = ran(between.evaluation.as_ref().map(|bench| bench.run(&run.inputs)), &mut between.failed)
            else {
                continue;
            };
            let measured = run.emitted.first().map_or(&[][..], |emission| &emission.outputs);
            wish.verdict = worse(wish.verdict, same(&ran.outputs, measured));
            let outputs = named(&ran.outputs, "");
            let Some(control) = &middle.control else {
                let sources = patch_sources(run, vertices);
                let node = self.run_node(work, (evaluation, place), wish, (&ran, outputs, sources.len()))?;
                let Some((id, weight)) = node else { continue };
                for (vertex, (number, verdict)) in sources.into_iter().enumerate() {
                    add(&mut wishes.vertices, number, self.assembled(id, vertex, weight, verdict));
                }
                continue;
            };
            let made = between.patch_of(place).map(|group| controls(run, group, between)).unwrap_or_default();
            let node = self.run_node(work, (evaluation, place), wish, (&ran, outputs, made.len()))?;
            let Some((id, weight)) = node else { continue };
            for (invocation, verdict) in made {
                let vertex = control.list[invocation].inputs.who[1].max(0) as usize;
                add(&mut wishes.control, invocation, self.assembled(id, vertex, weight, verdict));
            }
        }
        Ok(())
    }

    /// Invocations of the control shader, and the vertices of their patches.
    fn control(
        &mut self,
        work: &DrawSnapshot,
        vertices: &mut Vertices<'_>,
        between: &Between<'_>,
        wishes: &mut Wishes,
    ) -> Result<(), RecallError> {
        let Some(control) = &between.middle.control else { return Ok(()) };
        for (place, wish) in std::mem::take(&mut wishes.control) {
            let run = &control.list[place];
            let (ran, outputs) = between.control_of(place).unwrap_or_default();
            let sources = patch_sources(run, vertices);
            let outputs = named(&outputs, "");
            let node = self.run_node(work, (control, place), wish, (&ran, outputs, sources.len()))?;
            let Some((id, weight)) = node else { continue };
            for (vertex, (number, verdict)) in sources.into_iter().enumerate() {
                add(&mut wishes.vertices, number, self.assembled(id, vertex, weight, verdict));
            }
        }
        Ok(())
    }

    fn assembled(&self, id: NodeId, vertex: usize, weight: f64, verdict: Verdict) -> Wish {
        let node = &self.history.nodes[id.0 as usize];
        let reader = Reader { node: id, why: Why::Assembled { vertex: vertex as u32 }, weight };
        Wish { place: node.place, wanted: PendingTexel { readers: vec![reader], depth: node.depth }, verdict }
    }

    /// A node for an invocation, with what it read; the share of each of the things that it was made of.
    fn run_node(
        &mut self,
        work: &DrawSnapshot,
        (runs, place): (&Runs, usize),
        wish: Wish,
        (ran, outputs, sources): (&Ran, Vec<(String, Vec<f64>)>, usize),
    ) -> Result<Option<(NodeId, f64)>, RecallError> {
        if !self.has_room(&wish.wanted) {
            return Ok(None);
        }
        let kind = match runs.stage {
            Stage::Geometry => EventKind::Geometry,
            Stage::TessEvaluation => EventKind::Evaluation,
            _ => EventKind::Control,
        };
        let id = self.node(work.command, wish.place, kind, &wish.wanted);
        let run = &runs.list[place];
        let [primitive, x, y, _] = run.inputs.who;
        let (invocation, coords) = match runs.stage {
            Stage::TessEvaluation => (None, Some([x, y].map(|bits| f32::from_bits(bits.cast_unsigned())))),
            _ => (Some(x), None),
        };
        let inputs = run.inputs.named().map(|(name, value)| (name.to_owned(), value.numbers())).collect();
        let node = &mut self.history.nodes[id.0 as usize];
        node.verdict = wish.verdict;
        node.subject = Subject::Run(StageRun { stage: runs.stage, primitive, invocation, coords, inputs, outputs });
        let count = sources + ran.loads.len() + usize::from(!ran.texels.is_empty());
        let weight = 1.0 / count.max(1) as f64;
        let bindings = runs.scene.program.bindings(runs.stage);
        self.loaded(work, &bindings, id, &ran.loads, weight)?;
        self.looked_up(work, id, &ran.texels, weight)?;
        self.uniforms(work, runs.stage, id)?;
        self.fixed_state(work, runs.stage, id, &[])?;
        Ok(Some((id, weight)))
    }

    /// What an invocation emitted, of the vertices that were read.
    fn emitted(&self, run: &Run, wanted: &PendingTexel) -> Vec<(String, Vec<f64>)> {
        let read = |place: usize| {
            let own = |why: &Why| matches!(why, Why::Interpolated { vertex } if *vertex == place as i32);
            wanted.readers.iter().any(|reader| own(&reader.why))
        };
        let list = run.emitted.iter().enumerate().filter(|(place, _)| read(*place));
        list.flat_map(|(place, emission)| named(&emission.outputs, &format!("emission {place} "))).collect()
    }
}

/// The primitive among these that a fragment fits best: its vertices, and how.
fn fitting(
    work: &DrawSnapshot,
    vertices: &mut Vertices<'_>,
    shard: &Shard<'_>,
    candidates: Vec<(Primitive, impl Fn(u32) -> Number)>,
) -> Option<(Vec<Number>, Blend)> {
    let mut best: Option<(Vec<Number>, Blend)> = None;
    for (primitive, number) in candidates {
        let own: Vec<Number> = corners(&primitive).iter().map(|corner| number(*corner)).collect();
        let first = number(primitive.provoking);
        vertices.run(own.iter().copied().chain([first]));
        let outputs: Option<Vec<&[Output]>> =
            own.iter().map(|number| vertices.get(*number).map(|ran| &ran.outputs[..])).collect();
        let (Some(outputs), Some(provoking)) = (outputs, vertices.get(first)) else { continue };
        let Some(blend) = Blend::new(work, primitive.kind, (&outputs, &provoking.outputs), shard) else { continue };
        if best.as_ref().is_none_or(|(_, known)| blend.compare(known).is_lt()) {
            best = Some((own, blend));
        }
    }
    best
}

/// Whether what was emitted on the emulator is what the device emitted.
fn emissions(ran: &Ran, run: &Run) -> Verdict {
    if ran.emitted.len() != run.emitted.len() {
        return Verdict::Differs(u64::MAX);
    }
    let each = ran.emitted.iter().zip(&run.emitted).map(|((made, _), real)| same(made, &real.outputs));
    each.fold(Verdict::Unchecked("nothing is emitted".to_owned()), worse)
}

fn ran(result: Option<Result<Ran, String>>, failed: &mut Option<String>) -> Option<Ran> {
    result?.map_err(|why| *failed = Some(why)).ok()
}

/// Whether outputs are what is in the buffer that they were captured to.
fn captured(outputs: &[Output], found: &[(String, usize, u32)]) -> Verdict {
    let mut verdict = Verdict::Equal;
    for (name, word, real) in found {
        let output = outputs.iter().find(|output| output.name == *name);
        let Some(made) = output.and_then(|output| output.words.get(*word)) else {
            return Verdict::Unchecked(format!("the emulated vertex has no output {name}"));
        };
        let float = output.is_some_and(|output| output.scalar == Scalar::Float);
        verdict = worse(verdict, words(float, *made, *real));
    }
    verdict
}

fn named(outputs: &[Output], prefix: &str) -> Vec<(String, Vec<f64>)> {
    outputs.iter().map(|output| (format!("{prefix}{}", output.name), shown(output.scalar, &output.words))).collect()
}

fn none() -> Verdict {
    Verdict::Unchecked("the vertex was not emulated".to_owned())
}

fn add<K: Ord>(wishes: &mut BTreeMap<K, Wish>, key: K, wish: Wish) {
    match wishes.get_mut(&key) {
        Some(known) => {
            known.wanted.readers.extend(wish.wanted.readers);
            known.wanted.depth = known.wanted.depth.max(wish.wanted.depth);
            known.verdict = worse(known.verdict.clone(), wish.verdict);
        }
        None => {
            wishes.insert(key, wish);
        }
    }
}
