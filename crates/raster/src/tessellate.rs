//! The tessellator: subdivides a patch by its levels into points of the domain and primitives between them (GL 4.6,
//! 11.2.2).
//!
//! The specification leaves open where fractional spacing puts its two shorter segments, and how rings are
//! triangulated. Both are done here as in Direct3D's tessellator, which most hardware follows: coordinates have sixteen
//! fractional bits, an edge is symmetric about its middle, and a new vertex splits off an existing one in the order of
//! the ruler function. The coordinates along an outer edge depend only on that edge's level, so that patches that share
//! an edge and its level match.

mod edge;
mod stitch;

use crate::assemble::Topology;
use edge::{Edge, HALF, ONE};
use stitch::Triangles;

/// The domain: the primitive mode of the tessellation evaluation shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// `triangles`: coordinates are barycentric.
    Triangles,
    /// `quads`: coordinates are in the unit square.
    Quads,
    /// `isolines`: horizontal lines in the unit square.
    Isolines,
}

/// How an edge is subdivided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spacing {
    /// `equal_spacing`
    #[default]
    Equal,
    /// `fractional_even_spacing`
    FractionalEven,
    /// `fractional_odd_spacing`
    FractionalOdd,
}

/// The layout of the tessellation evaluation shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tessellator {
    /// The domain that is subdivided.
    pub domain: Domain,
    /// The spacing of vertices.
    pub spacing: Spacing,
    /// `cw`: triangles are clockwise in the plane of u (right) and v (up).
    pub clockwise: bool,
    /// `point_mode`: each point of the domain is a primitive.
    pub point_mode: bool,
}

/// A subdivided patch.
#[derive(Clone, PartialEq, Debug)]
pub struct Tessellation {
    /// `gl_TessCoord` of each vertex. The third coordinate is zero except for triangles.
    pub coords: Vec<[f32; 3]>,
    /// The primitives: points, lines or triangles.
    pub topology: Topology,
    /// The vertices of the primitives.
    pub indices: Vec<u32>,
}

/// `MAX_TESS_GEN_LEVEL`.
pub const MAX_LEVEL: u32 = 64;

impl Tessellator {
    /// Subdivides a patch with these levels. A patch with an outer level that is not positive is discarded.
    ///
    /// Isolines use two of the outer levels and triangles three; triangles use one of the inner levels.
    #[must_use]
    pub fn run(&self, outer: [f32; 4], inner: [f32; 2]) -> Tessellation {
        let sides = match self.domain {
            Domain::Triangles => 3,
            Domain::Quads => 4,
            Domain::Isolines => 2,
        };
        let mut mesh = Mesh { points: Vec::new(), triangles: Triangles::default() };
        let mut lines = Vec::new();
        // NaN is not positive either.
        if outer[..sides].iter().all(|level| *level > 0.0) {
            match self.domain {
                Domain::Triangles => mesh.triangle(self.spacing, [outer[0], outer[1], outer[2]], inner[0]),
                Domain::Quads => mesh.quad(self.spacing, outer, inner),
                Domain::Isolines => lines = mesh.isolines(self.spacing, outer[0], outer[1]),
            }
        }
        let (topology, indices) = match self.domain {
            _ if self.point_mode => (Topology::Points, (0u32..).take(mesh.points.len()).collect()),
            Domain::Isolines => (Topology::Lines, lines),
            Domain::Triangles | Domain::Quads => (Topology::Triangles, mesh.triangles.indices(self.clockwise)),
        };
        let coords = mesh.points.iter().map(|&[u, v]| {
            let w = if self.domain == Domain::Triangles { ONE - u - v } else { 0 };
            // All are below 2^17, so that the conversion is exact.
            [u, v, w].map(|c| c as f32 / ONE as f32)
        });
        Tessellation { coords: coords.collect(), topology, indices }
    }
}

/// The sides of a ring around the domain; each lists its points from one corner to the next, both included.
type Ring<const SIDES: usize> = [Vec<u32>; SIDES];

struct Mesh {
    /// u and v.
    points: Vec<[i32; 2]>,
    triangles: Triangles,
}

impl Mesh {
    /// GL 4.6, 11.2.2.1. Sides go from v = 1 along u = 0, from w = 1 along v = 0, and from u = 1 along w = 0.
    fn triangle(&mut self, spacing: Spacing, outer: [f32; 3], inner: f32) {
        let outer = outer.map(|level| spacing.clamp(level));
        let inner = spacing.clamp(inner);
        if outer == [ONE; 3] && inner == ONE {
            self.points.extend([[0, ONE], [0, 0], [ONE, 0]]);
            return self.triangles.push([0, 1, 2]);
        }
        let [a, b, c] = outer.map(|level| Edge::outer(spacing, level));
        let inner = Edge::inner(spacing, inner);
        let mut last = self.ring([
            a.at.iter().rev().map(|&v| [0, v]).collect(),
            b.at.iter().map(|&u| [u, 0]).collect(),
            c.at.iter().rev().map(|&u| [u, ONE - u]).collect(),
        ]);
        for depth in 1..inner.at.len() / 2 {
            // The distance from a side is two thirds in barycentric coordinates, and moves both ends by half of it.
            const TWO_THIRDS: i64 = 0xaaaa;
            let across = ((i64::from(inner.at[depth]) * TWO_THIRDS + i64::from(HALF)) >> 16) as i32;
            let along: Vec<i32> = inner.within(depth).iter().map(|t| t - (across + 1) / 2).collect();
            let next = self.ring([
                along.iter().rev().map(|&v| [across, v]).collect(),
                along.iter().map(|&u| [u, across]).collect(),
                along.iter().rev().map(|&u| [u, ONE - u - across]).collect(),
            ]);
            self.triangles.between(&last, &next, depth == 1);
            last = next;
        }
        if inner.odd() {
            self.triangles.push([last[0][0], last[1][0], last[2][0]]);
        } else {
            let centre = self.point([ONE / 3, ONE / 3]);
            self.triangles.between(&last, &std::array::from_fn(|_| vec![centre]), inner.at.len() == 3);
        }
    }

    /// GL 4.6, 11.2.2.2. Sides go from v = 1 along u = 0, from u = 0 along v = 0, and so on around.
    fn quad(&mut self, spacing: Spacing, outer: [f32; 4], inner: [f32; 2]) {
        let outer = outer.map(|level| spacing.clamp(level));
        let inner = inner.map(|level| spacing.clamp(level));
        if outer == [ONE; 4] && inner == [ONE; 2] {
            self.points.extend([[0, 0], [ONE, 0], [ONE, ONE], [0, ONE]]);
            self.triangles.push([0, 1, 3]);
            return self.triangles.push([1, 2, 3]);
        }
        let [a, b, c, d] = outer.map(|level| Edge::outer(spacing, level));
        let [across, up] = inner.map(|level| Edge::inner(spacing, level));
        let mut last = self.ring([
            a.at.iter().rev().map(|&v| [0, v]).collect(),
            b.at.iter().map(|&u| [u, 0]).collect(),
            c.at.iter().map(|&v| [ONE, v]).collect(),
            d.at.iter().rev().map(|&u| [u, ONE]).collect(),
        ]);
        let wide = across.at.len() > up.at.len();
        let rings = across.at.len().min(up.at.len()) / 2;
        for depth in 1..rings {
            let (us, vs) = (across.within(depth), up.within(depth));
            let (left, right) = (across.at[depth], ONE - across.at[depth]);
            let (low, high) = (up.at[depth], ONE - up.at[depth]);
            let next = self.ring([
                vs.iter().rev().map(|&v| [left, v]).collect(),
                us.iter().map(|&u| [u, low]).collect(),
                vs.iter().map(|&v| [right, v]).collect(),
                us.iter().rev().map(|&u| [u, high]).collect(),
            ]);
            self.triangles.between(&last, &next, depth == 1);
            last = next;
        }
        // The innermost ring contains a row of points if the shorter axis has a middle point, otherwise a row of quads.
        let reversed = |row: &[u32]| -> Vec<u32> { row.iter().rev().copied().collect() };
        if wide && up.odd() {
            self.triangles.strip(&last[1], &reversed(&last[3]), None);
        } else if wide {
            let row: Vec<u32> = across.within(rings).iter().map(|&u| self.point([u, HALF])).collect();
            let ends = row.first().zip(row.last()).map(|(&first, &last)| (vec![first], vec![last]));
            let (first, end) = ends.unwrap_or_default();
            let back = reversed(&row);
            self.triangles.between(&last, &[first, row, end, back], rings == 1);
        } else if across.odd() {
            let middle = up.odd().then_some(last[0].len() / 2 - 1);
            self.triangles.strip(&last[0], &reversed(&last[2]), middle);
        } else {
            let column: Vec<u32> = up.within(rings).iter().rev().map(|&v| self.point([HALF, v])).collect();
            let ends = column.first().zip(column.last()).map(|(&first, &last)| (vec![first], vec![last]));
            let (first, end) = ends.unwrap_or_default();
            let back = reversed(&column);
            self.triangles.between(&last, &[column, end, back, first], rings == 1);
        }
    }

    /// GL 4.6, 11.2.2.3. The first outer level is the number of lines, which are always equally spaced, with none at v
    /// = 1.
    fn isolines(&mut self, spacing: Spacing, count: f32, detail: f32) -> Vec<u32> {
        let rows = Edge::outer(Spacing::Equal, Spacing::Equal.clamp(count));
        let columns = Edge::outer(spacing, spacing.clamp(detail));
        let mut indices = Vec::new();
        for &v in &rows.at[..rows.at.len() - 1] {
            let line: Vec<u32> = columns.at.iter().map(|&u| self.point([u, v])).collect();
            indices.extend(line.windows(2).flatten());
        }
        indices
    }

    fn point(&mut self, point: [i32; 2]) -> u32 {
        let index = self.points.len() as u32;
        self.points.push(point);
        index
    }

    /// Adds the points of a ring; the last point of each side is the first of the next.
    fn ring<const SIDES: usize>(&mut self, sides: [Vec<[i32; 2]>; SIDES]) -> Ring<SIDES> {
        let mut ring: Ring<SIDES> =
            sides.map(|side| side[..side.len() - 1].iter().map(|&point| self.point(point)).collect());
        for i in 0..SIDES {
            let corner = ring[(i + 1) % SIDES][0];
            ring[i].push(corner);
        }
        ring
    }
}

impl Spacing {
    /// Clamps and rounds a level (GL 4.6, 11.2.2), in fixed point; equal spacing has integers.
    fn clamp(self, level: f32) -> i32 {
        let (low, high) = match self {
            Spacing::Equal => (1.0, MAX_LEVEL as f32),
            Spacing::FractionalEven => (2.0, MAX_LEVEL as f32),
            Spacing::FractionalOdd => (1.0, (MAX_LEVEL - 1) as f32),
        };
        let level = level.max(low).min(high);
        let level = if self == Spacing::Equal { level.ceil() } else { level };
        (f64::from(level) * f64::from(ONE)).round_ties_even() as i32
    }
}

#[cfg(test)]
mod tests;
