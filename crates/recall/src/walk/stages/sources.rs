//! Which vertices, points and control points invocations worked on.

use std::collections::{BTreeMap, BTreeSet};

use raster::assemble::Primitive;
use shader::types::Scalar;

use super::{Maker, TRIED, none};
use crate::corners::{Corners, Number, Vertices};
use crate::history::Verdict;
use crate::middle::{Between, Facet, Run, Runs, VertexRef};
use crate::ports::{Taken, compare};
use crate::shape::corners;
use crate::walk::{words, worse};

/// Primitives of one number, or all, of every instance of every part, each with how its vertices are called.
pub fn primitives(corners: &Corners, id: Option<u32>) -> Vec<(Primitive, impl Fn(u32) -> Number + use<>)> {
    let mut all = Vec::new();
    for (part, own) in (0..).zip(&corners.shape.parts) {
        // They are numbered in their order.
        let fitting = match id {
            Some(id) => {
                let from = own.primitives.partition_point(|primitive| primitive.id < id);
                let to = own.primitives.partition_point(|primitive| primitive.id <= id);
                &own.primitives[from..to]
            }
            None => &own.primitives,
        };
        for primitive in fitting {
            for instance in 0..own.instances.max(1).cast_signed() {
                all.push((*primitive, move |vertex: u32| Number { part, vertex: vertex.cast_signed(), instance }));
            }
        }
    }
    all
}

/// Whose vertices transform feedback captures, in this order: primitives of one instance after the other, and of those
/// what the geometry shader makes of them.
pub fn order(found: &Corners) -> Vec<Maker> {
    let (mut vertices, mut between) = (Vertices::new(found), Between::new(&found.middle));
    let mut all = Vec::new();
    for (part, own) in (0..).zip(&found.shape.parts) {
        for instance in 0..own.instances.max(1).cast_signed() {
            let number = |vertex: u32| Number { part, vertex: vertex.cast_signed(), instance };
            let Some(geometry) = &found.middle.geometry else {
                let numbers = own.primitives.iter().flat_map(|primitive| corners(primitive).to_vec()).map(number);
                all.extend(numbers.map(Maker::Vertex));
                let points = (0..own.patches.len() as u32).flat_map(|patch| between.mesh_facets(Some(patch)));
                all.extend(points.flat_map(|facet| facet.corners).map(Maker::Last));
                continue;
            };
            for primitive in &own.primitives {
                let list: Vec<Number> = primitive.geometry_input().into_iter().map(number).collect();
                vertices.run(list.iter().copied());
                let wrong = |run: &usize| {
                    let taken = &geometry.list[*run].taken;
                    let of = |(vertex, number): (u32, &Number)| {
                        vertices.get(*number).map_or(usize::MAX / 64, |ran| compare(taken, vertex, &ran.outputs).1)
                    };
                    (0..).zip(&list).map(of).sum::<usize>()
                };
                // Of several instances, those that were given what these vertices give on.
                let mut runs: BTreeMap<i32, (usize, usize)> = BTreeMap::new();
                for run in geometry.of(primitive.id.cast_signed()) {
                    let (invocation, wrong) = (geometry.list[run].inputs.who[1], wrong(&run));
                    let known = runs.entry(invocation).or_insert((wrong, run));
                    *known = (*known).min((wrong, run));
                }
                let facets = runs.into_values().flat_map(|(_, run)| between.strips(geometry, run));
                all.extend(facets.flat_map(|facet| facet.corners).map(Maker::Last));
            }
        }
    }
    all
}

/// The vertices of the primitive that an invocation of the geometry shader worked on, and whether it was given what they
/// give on.
pub fn vertex_sources(run: &Run, vertices: &mut Vertices<'_>) -> Vec<(Maker, Verdict)> {
    let id = u32::try_from(run.inputs.who[0]).ok();
    let lists = primitives(vertices.corners, id);
    let lists = lists.iter().map(|(primitive, number)| primitive.geometry_input().into_iter().map(number).collect());
    let found = nearest(&run.taken, lists.collect(), vertices);
    found.into_iter().map(|(number, verdict)| (Maker::Vertex(number), verdict)).collect()
}

/// The vertices of the patch that an invocation worked on.
pub fn patch_sources(run: &Run, vertices: &mut Vertices<'_>) -> Vec<(Number, Verdict)> {
    let mut lists = Vec::new();
    for (part, own) in (0..).zip(&vertices.corners.shape.parts) {
        let Some(patch) = usize::try_from(run.inputs.who[0]).ok().and_then(|id| own.patches.get(id)) else { continue };
        for instance in 0..own.instances.max(1).cast_signed() {
            let number = |vertex: &u32| Number { part, vertex: vertex.cast_signed(), instance };
            lists.push(patch.iter().map(number).collect());
        }
    }
    nearest(&run.taken, lists, vertices)
}

/// The list of vertices that gives on what was taken, best; with a verdict for each.
fn nearest(taken: &[Taken], lists: Vec<Vec<Number>>, vertices: &mut Vertices<'_>) -> Vec<(Number, Verdict)> {
    let mut best: Option<(usize, Vec<(Number, Verdict)>)> = None;
    for list in lists.into_iter().take(TRIED) {
        vertices.run(list.iter().copied());
        let each = |(vertex, number): (u32, &Number)| match vertices.get(*number) {
            Some(ran) => compare(taken, vertex, &ran.outputs),
            None => (none(), usize::MAX / 64),
        };
        let compared: Vec<(Verdict, usize)> = (0..).zip(&list).map(each).collect();
        let wrong = compared.iter().map(|(_, wrong)| wrong).sum();
        if best.as_ref().is_none_or(|(least, _)| wrong < *least) {
            best =
                Some((wrong, list.into_iter().zip(compared).map(|(number, (verdict, _))| (number, verdict)).collect()));
        }
    }
    best.map(|(_, list)| list).unwrap_or_default()
}

/// The points of a patch that an invocation of the geometry shader got.
pub fn point_sources(run: &Run, evaluation: &Runs, between: &mut Between<'_>) -> Vec<(Maker, Verdict)> {
    let fit = |facets: Vec<Facet>| {
        let judged = facets.into_iter().map(|facet| {
            let each = |(vertex, (point, _)): (u32, &VertexRef)| {
                let outputs = evaluation.list[*point].emitted.first().map_or(&[][..], |emission| &emission.outputs);
                compare(&run.taken, vertex, outputs)
            };
            let compared: Vec<(Verdict, usize)> = (0..).zip(&facet.corners).map(each).collect();
            (compared.iter().map(|(_, wrong)| *wrong).sum::<usize>(), facet, compared)
        });
        judged.min_by_key(|(wrong, ..)| *wrong)
    };
    let id = u32::try_from(run.inputs.who[0]).ok();
    let mut best = fit(between.mesh_facets(id));
    if best.as_ref().is_none_or(|(wrong, ..)| *wrong > 0) {
        let other = fit(between.mesh_facets(None));
        if other.as_ref().is_some_and(|(wrong, ..)| best.as_ref().is_none_or(|(least, ..)| wrong < least)) {
            best = other;
        }
    }
    let Some((_, facet, compared)) = best else { return Vec::new() };
    facet.corners.into_iter().zip(compared).map(|(aspect, (verdict, _))| (Maker::Last(aspect), verdict)).collect()
}

/// The invocations of the control shader that made what an invocation of the evaluation shader was given.
pub fn controls(run: &Run, group: usize, between: &Between<'_>) -> BTreeMap<usize, Verdict> {
    let (Some((patch, runs)), Some(bench)) = (between.patch(group), &between.control) else { return BTreeMap::new() };
    let mut all: BTreeMap<usize, Verdict> = BTreeMap::new();
    let mut note = |lanes: BTreeSet<usize>, verdict: &Verdict| {
        for run in lanes.into_iter().filter_map(|lane| runs.get(lane)) {
            let known = all.remove(run).unwrap_or_else(|| verdict.clone());
            all.insert(*run, worse(known, verdict.clone()));
        }
    };
    let vertices = run.taken.iter().filter(|taken| !taken.patch).map(|taken| taken.vertex + 1).max().unwrap_or(0);
    for vertex in 0..vertices.min(runs.len() as u32) {
        let (verdict, _) = compare(&run.taken, vertex, &bench.patch_outputs(patch, Some(vertex)));
        note(bench.writers(patch, Some(vertex)), &verdict);
    }
    let outputs = bench.patch_outputs(patch, None);
    let mut verdict = Verdict::Unchecked("the evaluation shader takes nothing of the whole patch".to_owned());
    for taken in run.taken.iter().filter(|taken| taken.patch) {
        let Some(source) = taken.source(&outputs) else { continue };
        for (made, real) in source.iter().zip(&taken.words) {
            verdict = worse(verdict, words(taken.scalar == Scalar::Float, *made, *real));
        }
    }
    note(bench.writers(patch, None), &verdict);
    all
}
