//! Primitives that are drawn to several viewports at once (GL_NV_viewport_array2).

use raster::assemble::PrimitiveKind;
use raster::{Primitive, Provoking, Topology, Vertex, assemble};

use super::Stream;

/// The draw to one viewport.
pub(super) struct Pass {
    pub topology: Topology,
    pub vertices: Vec<Vertex>,
    pub indices: Vec<u32>,
}

/// One pass for each viewport in the mask of some primitive's provoking vertex, in order. `mask` is the word of the
/// record that contains the mask; `relative` means that layers are relative to the viewport's number.
pub(super) fn passes(
    stream: &Stream,
    vertices: &[Vertex],
    (mask, relative): (u32, bool),
    viewports: usize,
    provoking: Provoking,
) -> Vec<Pass> {
    let all: Vec<u32>;
    let order = match &stream.indices {
        Some(indices) => indices,
        None => {
            all = (0..vertices.len() as u32).collect();
            &all
        }
    };
    let primitives = assemble(stream.topology, order, stream.restart, provoking);
    let named = |primitive: &Primitive, viewport: usize| {
        let record = stream.records.of(primitive.provoking as usize);
        record.get(mask as usize).is_some_and(|bits| bits >> viewport & 1 == 1)
    };
    let mut passes = Vec::new();
    for viewport in 0..viewports.min(32) {
        let mut pass = Pass { topology: Topology::Points, vertices: Vec::new(), indices: Vec::new() };
        for primitive in primitives.iter().filter(|p| named(p, viewport)) {
            pass.topology = match primitive.kind {
                PrimitiveKind::Point => Topology::Points,
                PrimitiveKind::Line => Topology::Lines,
                PrimitiveKind::Triangle => Topology::Triangles,
            };
            pass.indices.extend(corners(primitive, provoking));
        }
        if !pass.indices.is_empty() {
            pass.vertices = vertices.to_vec();
            for vertex in &mut pass.vertices {
                vertex.viewport = viewport as u32;
                vertex.layer = vertex.layer.wrapping_add(if relative { viewport as u32 } else { 0 });
            }
            passes.push(pass);
        }
    }
    passes
}

/// The corners in an order that keeps the provoking vertex.
fn corners(primitive: &Primitive, provoking: Provoking) -> Vec<u32> {
    let mut corners = match primitive.kind {
        PrimitiveKind::Point => primitive.corners[..1].to_vec(),
        PrimitiveKind::Line => return primitive.corners[..2].to_vec(),
        PrimitiveKind::Triangle => primitive.corners.to_vec(),
    };
    let wanted = match provoking {
        Provoking::First => 0,
        Provoking::Last => corners.len() - 1,
    };
    if let Some(at) = corners.iter().position(|corner| *corner == primitive.provoking) {
        let turns = (at + corners.len() - wanted) % corners.len();
        corners.rotate_left(turns);
    }
    corners
}
