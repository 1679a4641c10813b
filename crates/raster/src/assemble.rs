//! Primitive assembly: from a stream of vertices to points, lines and triangles.

/// How a stream of vertices forms primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// Each vertex is a point.
    Points,
    /// Each pair of vertices is a line.
    Lines,
    /// A chain of lines.
    LineStrip,
    /// A closed chain of lines.
    LineLoop,
    /// Each three vertices are a triangle.
    Triangles,
    /// Each vertex forms a triangle with the previous two.
    TriangleStrip,
    /// Each vertex forms a triangle with the previous one and the first.
    TriangleFan,
    /// Each four vertices are a quadrilateral.
    Quads,
    /// Each pair forms a quadrilateral with the previous pair.
    QuadStrip,
    /// All vertices form one convex polygon.
    Polygon,
    /// Each four vertices are a line with its adjacent vertices.
    LinesAdjacency,
    /// A chain of lines with an adjacent vertex at both ends.
    LineStripAdjacency,
    /// Each six vertices are a triangle with its adjacent vertices.
    TrianglesAdjacency,
    /// A triangle strip with adjacent vertices.
    TriangleStripAdjacency,
}

/// Which vertex of a primitive provides flat varyings, layer and viewport.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Provoking {
    /// The first.
    First,
    /// The last, GL's default.
    #[default]
    Last,
}

/// The kind of a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrimitiveKind {
    /// One corner.
    Point,
    /// Two corners.
    Line,
    /// Three corners.
    Triangle,
}

/// A point, line or triangle of a draw call. Vertices are given by their index in the vertex array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Primitive {
    /// Its kind.
    pub kind: PrimitiveKind,
    /// Its corners; unused elements repeat the last corner.
    pub corners: [u32; 3],
    /// Its adjacent vertices, if the topology has them: those before and after a line, or across the edges that start
    /// at each corner of a triangle.
    pub adjacent: Option<[u32; 3]>,
    /// The provoking vertex.
    pub provoking: u32,
    /// Whether the edge that starts at each corner is an edge of the application's primitive.
    pub edges: [bool; 3],
    /// `gl_PrimitiveID`: a quadrilateral or polygon is one primitive.
    pub id: u32,
}

impl Primitive {
    /// The vertices in the order of a geometry shader's `gl_in`.
    #[must_use]
    pub fn geometry_input(&self) -> Vec<u32> {
        let c = self.corners;
        match (self.kind, self.adjacent) {
            (PrimitiveKind::Point, _) => vec![c[0]],
            (PrimitiveKind::Line, None) => vec![c[0], c[1]],
            (PrimitiveKind::Line, Some(a)) => vec![a[0], c[0], c[1], a[1]],
            (PrimitiveKind::Triangle, None) => c.to_vec(),
            (PrimitiveKind::Triangle, Some(a)) => vec![c[0], a[0], c[1], a[1], c[2], a[2]],
        }
    }
}

/// Assembles a stream of vertices, which is split at each restart index. Incomplete primitives are dropped. Restarting
/// does not reset primitive ids (GL 4.6, 11.3.4.4).
#[must_use]
pub fn assemble(topology: Topology, stream: &[u32], restart: Option<u32>, provoking: Provoking) -> Vec<Primitive> {
    let mut assembly = Assembly { primitives: Vec::new(), next_id: 0, provoking };
    match restart {
        Some(restart) => stream.split(|index| *index == restart).for_each(|part| assembly.part(topology, part)),
        None => assembly.part(topology, stream),
    }
    assembly.primitives
}

struct Assembly {
    primitives: Vec<Primitive>,
    next_id: u32,
    provoking: Provoking,
}

impl Assembly {
    fn part(&mut self, topology: Topology, s: &[u32]) {
        let n = s.len();
        match topology {
            Topology::Points => s.iter().for_each(|&v| {
                self.push(PrimitiveKind::Point, [v; 3], v, v);
            }),
            Topology::Lines => s.chunks_exact(2).for_each(|c| self.line(c[0], c[1], None)),
            Topology::LineStrip => s.windows(2).for_each(|c| self.line(c[0], c[1], None)),
            Topology::LineLoop => {
                s.windows(2).for_each(|c| self.line(c[0], c[1], None));
                if n >= 2 {
                    self.line(s[n - 1], s[0], None);
                }
            }
            Topology::Triangles => {
                s.chunks_exact(3).for_each(|c| self.push(PrimitiveKind::Triangle, [c[0], c[1], c[2]], c[0], c[2]))
            }
            Topology::TriangleStrip => s.windows(3).enumerate().for_each(|(i, c)| {
                let corners = if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] };
                self.push(PrimitiveKind::Triangle, corners, c[0], c[2]);
            }),
            Topology::TriangleFan => (2..n).for_each(|i| {
                self.push(PrimitiveKind::Triangle, [s[0], s[i - 1], s[i]], s[i - 1], s[i]);
            }),
            Topology::Quads => s.chunks_exact(4).for_each(|c| self.quad([c[0], c[1], c[2], c[3]])),
            Topology::QuadStrip => {
                for c in s.windows(4).step_by(2) {
                    match self.provoking {
                        Provoking::First => self.quad([c[0], c[1], c[3], c[2]]),
                        Provoking::Last => self.quad([c[2], c[0], c[1], c[3]]),
                    }
                }
            }
            Topology::Polygon => self.polygon(s),
            Topology::LinesAdjacency => s.chunks_exact(4).for_each(|c| self.line(c[1], c[2], Some([c[0], c[3], c[3]]))),
            Topology::LineStripAdjacency => s.windows(4).for_each(|c| self.line(c[1], c[2], Some([c[0], c[3], c[3]]))),
            Topology::TrianglesAdjacency => s.chunks_exact(6).for_each(|c| {
                self.push(PrimitiveKind::Triangle, [c[0], c[2], c[4]], c[0], c[4]);
                self.neighbours([c[1], c[3], c[5]]);
            }),
            Topology::TriangleStripAdjacency => self.strip_adjacency(s),
        }
    }

    fn push(&mut self, kind: PrimitiveKind, corners: [u32; 3], first: u32, last: u32) {
        let provoking = match self.provoking {
            Provoking::First => first,
            Provoking::Last => last,
        };
        self.primitives.push(Primitive {
            kind,
            corners,
            adjacent: None,
            provoking,
            edges: [true; 3],
            id: self.next_id,
        });
        self.next_id = self.next_id.wrapping_add(1);
    }

    fn neighbours(&mut self, adjacent: [u32; 3]) {
        if let Some(primitive) = self.primitives.last_mut() {
            primitive.adjacent = Some(adjacent);
        }
    }

    fn line(&mut self, from: u32, to: u32, adjacent: Option<[u32; 3]>) {
        self.push(PrimitiveKind::Line, [from, to, to], from, to);
        if let Some(adjacent) = adjacent {
            self.neighbours(adjacent);
        }
    }

    /// The corners are in order around the quadrilateral. Like Mesa, this splits along the diagonal through the
    /// provoking vertex; the diagonal is visible in interpolated values.
    fn quad(&mut self, v: [u32; 4]) {
        let [a, b, c, d] = v;
        let (provoking, halves) = match self.provoking {
            Provoking::First => (a, [([a, b, c], [true, true, false]), ([a, c, d], [false, true, true])]),
            Provoking::Last => (d, [([a, b, d], [true, false, true]), ([b, c, d], [true, true, false])]),
        };
        for (corners, edges) in halves {
            let (kind, id) = (PrimitiveKind::Triangle, self.next_id);
            self.primitives.push(Primitive { kind, corners, adjacent: None, provoking, edges, id });
        }
        self.next_id = self.next_id.wrapping_add(1);
    }

    /// The provoking vertex of a polygon is its first vertex under both conventions (GL 4.6 compatibility, table 13.2).
    fn polygon(&mut self, s: &[u32]) {
        if s.len() < 3 {
            return;
        }
        for i in 2..s.len() {
            let edges = [i == 2, true, i == s.len() - 1];
            let (kind, corners, id) = (PrimitiveKind::Triangle, [s[0], s[i - 1], s[i]], self.next_id);
            self.primitives.push(Primitive { kind, corners, adjacent: None, provoking: s[0], edges, id });
        }
        self.next_id = self.next_id.wrapping_add(1);
    }

    /// GL 4.6, table 10.1: the even vertices form a strip, the odd ones are adjacent to its sides.
    fn strip_adjacency(&mut self, s: &[u32]) {
        let count = (s.len() / 2).saturating_sub(2);
        for i in 0..count {
            let at = 2 * i;
            let (a, b, c) = (s[at], s[at + 2], s[at + 4]);
            let before = if i == 0 { s[1] } else { s[at - 2] };
            let after = if i + 1 == count { s[at + 5] } else { s[at + 6] };
            let side = s[at + 3];
            if i % 2 == 0 {
                self.push(PrimitiveKind::Triangle, [a, b, c], a, c);
                self.neighbours([before, after, side]);
            } else {
                self.push(PrimitiveKind::Triangle, [b, a, c], a, c);
                self.neighbours([before, side, after]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the corners and provoking vertex of each primitive, for vertices 0..n.
    #[track_caller]
    fn check(topology: Topology, n: u32, provoking: Provoking, expected: &[(&[u32], u32)]) {
        let stream: Vec<u32> = (0..n).collect();
        let made = assemble(topology, &stream, None, provoking);
        let made: Vec<(Vec<u32>, u32)> = made.iter().map(|p| (p.geometry_input(), p.provoking)).collect();
        let expected: Vec<(Vec<u32>, u32)> = expected.iter().map(|(v, p)| (v.to_vec(), *p)).collect();
        assert_eq!(made, expected);
    }

    #[test]
    fn lines() {
        use Provoking::{First, Last};
        check(Topology::Points, 2, Last, &[(&[0], 0), (&[1], 1)]);
        check(Topology::Lines, 5, Last, &[(&[0, 1], 1), (&[2, 3], 3)]);
        check(Topology::LineStrip, 3, First, &[(&[0, 1], 0), (&[1, 2], 1)]);
        check(Topology::LineLoop, 3, Last, &[(&[0, 1], 1), (&[1, 2], 2), (&[2, 0], 0)]);
        check(Topology::LineLoop, 1, Last, &[]);
        check(Topology::LinesAdjacency, 7, Last, &[(&[0, 1, 2, 3], 2)]);
        check(Topology::LineStripAdjacency, 5, First, &[(&[0, 1, 2, 3], 1), (&[1, 2, 3, 4], 2)]);
    }

    #[test]
    fn triangles() {
        use Provoking::{First, Last};
        check(Topology::Triangles, 5, Last, &[(&[0, 1, 2], 2)]);
        check(Topology::TriangleStrip, 4, Last, &[(&[0, 1, 2], 2), (&[2, 1, 3], 3)]);
        check(Topology::TriangleStrip, 4, First, &[(&[0, 1, 2], 0), (&[2, 1, 3], 1)]);
        check(Topology::TriangleFan, 4, First, &[(&[0, 1, 2], 1), (&[0, 2, 3], 2)]);
        check(Topology::Quads, 4, First, &[(&[0, 1, 2], 0), (&[0, 2, 3], 0)]);
        check(Topology::Quads, 4, Last, &[(&[0, 1, 3], 3), (&[1, 2, 3], 3)]);
        check(Topology::QuadStrip, 5, Last, &[(&[2, 0, 3], 3), (&[0, 1, 3], 3)]);
        check(Topology::Polygon, 4, Last, &[(&[0, 1, 2], 0), (&[0, 2, 3], 0)]);
        check(Topology::TrianglesAdjacency, 6, Last, &[(&[0, 1, 2, 3, 4, 5], 4)]);
    }

    #[test]
    fn strips_with_adjacency() {
        let last = Provoking::Last;
        check(Topology::TriangleStripAdjacency, 6, last, &[(&[0, 1, 2, 5, 4, 3], 4)]);
        let expected: &[(&[u32], u32)] =
            &[(&[0, 1, 2, 6, 4, 3], 4), (&[4, 0, 2, 5, 6, 8], 6), (&[4, 2, 6, 9, 8, 7], 8)];
        check(Topology::TriangleStripAdjacency, 10, last, expected);
    }

    #[test]
    fn restart_does_not_reset_primitive_ids() {
        let made = assemble(Topology::TriangleStrip, &[0, 1, 2, 9, 3, 4, 9, 5, 6, 7], Some(9), Provoking::Last);
        let made: Vec<_> = made.iter().map(|p| (p.corners, p.id)).collect();
        assert_eq!(made, [([0, 1, 2], 0), ([5, 6, 7], 1)]);
    }

    #[test]
    fn inner_edges_are_not_edges() {
        let made = assemble(Topology::Polygon, &[0, 1, 2, 3], None, Provoking::Last);
        assert_eq!((made[0].edges, made[1].edges, made[1].id), ([true, true, false], [false, true, true], 0));
    }
}
