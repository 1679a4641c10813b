//! Which elements of a draw make some of its primitives.

use std::ops::Range;

use api::constant as c;

/// Elements that make primitives of a kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What they are drawn as.
    pub mode: u32,
    /// The elements, by their places in the draw.
    pub elements: Elements,
}

/// Some of a draw's elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Elements {
    /// Those that follow each other.
    Row(Range<u32>),
    /// These.
    List(Vec<u32>),
}

/// How elements make primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assembly {
    /// As the call has it.
    pub mode: u32,
    /// Vertices of a patch.
    pub patch: u32,
}

impl Assembly {
    /// How many primitives so many elements in a row make; nothing for kinds that cannot be drawn in parts.
    pub fn primitives(self, elements: u32) -> Option<u32> {
        let each = |size: u32| elements / size;
        Some(match self.mode {
            c::GL_POINTS => elements,
            c::GL_LINES => each(2),
            c::GL_LINE_STRIP => elements.saturating_sub(1),
            c::GL_LINE_LOOP => elements * u32::from(elements > 1),
            c::GL_TRIANGLES => each(3),
            c::GL_TRIANGLE_STRIP | c::GL_TRIANGLE_FAN => elements.saturating_sub(2),
            c::GL_QUADS | c::GL_LINES_ADJACENCY => each(4),
            c::GL_QUAD_STRIP => elements.saturating_sub(2) / 2,
            c::GL_POLYGON => u32::from(elements > 2),
            c::GL_LINE_STRIP_ADJACENCY => elements.saturating_sub(3),
            c::GL_TRIANGLES_ADJACENCY => each(6),
            c::GL_PATCHES => each(self.patch.max(1)),
            _ => return None,
        })
    }

    /// What draws only some primitives of so many elements, which begin at a place: in the same order, with the same
    /// vertices first and last, and with the same side in front.
    pub fn piece(self, (at, elements): (u32, u32), primitives: Range<u32>) -> Piece {
        let Range { start: a, end: b } = primitives;
        let row = |from: u32, to: u32| Elements::Row(at + from..at + to);
        let list = |places: &mut dyn Iterator<Item = u32>| Elements::List(places.map(|place| at + place).collect());
        let each = |size: u32| row(a * size, b * size);
        let mut mode = self.mode;
        let elements = match self.mode {
            c::GL_LINES => each(2),
            c::GL_TRIANGLES => each(3),
            c::GL_QUADS | c::GL_LINES_ADJACENCY => each(4),
            c::GL_TRIANGLES_ADJACENCY => each(6),
            c::GL_PATCHES => each(self.patch.max(1)),
            c::GL_LINE_STRIP => row(a, b + 1),
            c::GL_LINE_LOOP if a == 0 && b == elements => row(0, elements),
            c::GL_LINE_LOOP => {
                mode = c::GL_LINE_STRIP;
                // The last line leads back to the first vertex.
                if b < elements { row(a, b + 1) } else { list(&mut (a..elements).chain([0])) }
            }
            // Every other triangle of a strip has its vertices the other way round (GL 4.6, 10.1.6): one without an area
            // in front of it keeps it so.
            c::GL_TRIANGLE_STRIP if a % 2 == 1 => list(&mut [a].into_iter().chain(a..b + 2)),
            c::GL_TRIANGLE_STRIP => row(a, b + 2),
            c::GL_TRIANGLE_FAN if a == 0 => row(0, b + 2),
            c::GL_TRIANGLE_FAN => list(&mut [0].into_iter().chain(a + 1..b + 2)),
            c::GL_QUAD_STRIP => row(2 * a, 2 * b + 2),
            c::GL_POLYGON => row(0, elements),
            c::GL_LINE_STRIP_ADJACENCY => row(a, b + 3),
            _ => row(a, b),
        };
        Piece { mode, elements }
    }
}

/// Parts of a row of elements that a restart splits it into: where each begins and how many there are.
pub fn runs(elements: u32, is_restart: impl Fn(u32) -> bool) -> Vec<(u32, u32)> {
    let mut runs = Vec::new();
    let mut start = 0;
    for at in 0..elements {
        if is_restart(at) {
            runs.push((start, at - start));
            start = at + 1;
        }
    }
    runs.push((start, elements - start));
    runs
}

#[cfg(test)]
mod tests {
    use raster::Topology;
    use raster::assemble::{Primitive, PrimitiveKind, Provoking, assemble};

    use super::*;

    const MODES: [(u32, Topology); 13] = [
        (c::GL_POINTS, Topology::Points),
        (c::GL_LINES, Topology::Lines),
        (c::GL_LINE_STRIP, Topology::LineStrip),
        (c::GL_LINE_LOOP, Topology::LineLoop),
        (c::GL_TRIANGLES, Topology::Triangles),
        (c::GL_TRIANGLE_STRIP, Topology::TriangleStrip),
        (c::GL_TRIANGLE_FAN, Topology::TriangleFan),
        (c::GL_QUADS, Topology::Quads),
        (c::GL_QUAD_STRIP, Topology::QuadStrip),
        (c::GL_POLYGON, Topology::Polygon),
        (c::GL_LINES_ADJACENCY, Topology::LinesAdjacency),
        (c::GL_LINE_STRIP_ADJACENCY, Topology::LineStripAdjacency),
        (c::GL_TRIANGLES_ADJACENCY, Topology::TrianglesAdjacency),
    ];

    fn topology(mode: u32) -> Topology {
        MODES.iter().find(|(known, _)| *known == mode).unwrap().1
    }

    /// What is drawn of primitives: those without an area are nothing.
    fn seen(primitives: &[Primitive]) -> Vec<([u32; 3], Option<[u32; 3]>, u32)> {
        let flat = |p: &&Primitive| p.kind == PrimitiveKind::Triangle && p.corners[0] == p.corners[1];
        primitives.iter().filter(|p| !flat(p)).map(|p| (p.corners, p.adjacent, p.provoking)).collect()
    }

    #[test]
    fn parts_are_assembled_as_they_are_in_the_whole() {
        for (mode, kind) in MODES {
            for count in 0..14u32 {
                // Places of elements stand for vertices; the row begins at 5.
                let stream: Vec<u32> = (5..5 + count).collect();
                let assembly = Assembly { mode, patch: 3 };
                let total = assembly.primitives(count).unwrap();
                for provoking in [Provoking::First, Provoking::Last] {
                    let whole = assemble(kind, &stream, None, provoking);
                    assert_eq!(whole.iter().map(|p| p.id + 1).max().unwrap_or(0), total, "{kind:?} of {count}");
                    for (a, b) in (0..total).flat_map(|a| (a + 1..=total).map(move |b| (a, b))) {
                        let piece = assembly.piece((5, count), a..b);
                        let elements = match piece.elements {
                            Elements::Row(row) => row.collect(),
                            Elements::List(list) => list,
                        };
                        let part = assemble(topology(piece.mode), &elements, None, provoking);
                        let wanted: Vec<Primitive> = whole.iter().filter(|p| (a..b).contains(&p.id)).copied().collect();
                        assert_eq!(seen(&part), seen(&wanted), "{kind:?} of {count}: {a}..{b}");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_are_split_at_restarts() {
        let stream = [1, 9, 9, 2, 3, 9];
        assert_eq!(runs(6, |at| stream[at as usize] == 9), [(0, 1), (2, 0), (3, 2), (6, 0)]);
    }
}
